"""Conditions under which terms are well formed and have a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.terms import BINDERS, RELATIONS, Term
from dpaudit.claims.vocabulary import vocabulary

if TYPE_CHECKING:
    from dpaudit.claims.elementary import Function

__all__ = ["OF_LISTS", "check_term", "conditions_of", "is_whole"]

_LOGICAL = {"not", "and", "or", "all", "any", *RELATIONS}

_PLAIN_HEADS = {"number", "name", "neg", "+", "-", "*", "/", "^"}

_LISTS = {"parameters", "counts", "records"}
"""The kinds of arguments that are lists: tuples, or ``each``."""

OF_LISTS = {"reals", "integers"}
"""The sorts of variables that are lists without an end."""


def check_term(term: Term, *, proposition: bool, sorts: Mapping[str, str]) -> None:
    """Raise ``FormulaError`` unless the term is well formed over variables of these sorts."""
    if (term.head in _LOGICAL) is not proposition:
        wanted = "a proposition" if proposition else "a number"
        raise FormulaError(f"{term} is not {wanted}")
    match term.head:
        case "name" | "entry":
            _check_variable(term, sorts)
        case "not" | "and" | "or":
            for arg in term.args:
                check_term(arg, proposition=True, sorts=sorts)
        case "each":
            raise FormulaError(f"{term} is a list, no number")
        case head if head in BINDERS:
            index, low, high, body = term.args
            for end in (low, high):
                check_term(end, proposition=False, sorts=sorts)
            inner = {**sorts, str(index.value): "integer"}
            check_term(body, proposition=head in ("all", "any"), sorts=inner)
        case "^" if term.args[1].head not in ("number", "name", "neg", "+", "-"):
            raise FormulaError(f"the exponent of {term} is not a whole number")
        case head:
            known = vocabulary().functions.get(head)
            if known is None and head not in _PLAIN_HEADS and head not in RELATIONS:
                raise FormulaError(f"{term} is not a number: {head} is no function")
            for arg in _arguments(term, known):
                check_term(arg, proposition=False, sorts=sorts)


def _check_variable(term: Term, sorts: Mapping[str, str]) -> None:
    """Raise ``FormulaError`` unless a variable, or an entry of one that is a list, is a number."""
    if term.head == "entry":
        if sorts.get(str(term.args[0].value)) not in OF_LISTS:
            raise FormulaError(f"{term.args[0]} in {term} is no list")
        check_term(term.args[1], proposition=False, sorts=sorts)
    elif sorts.get(str(term.value)) in OF_LISTS:
        raise FormulaError(f"{term.value} is a list, and only its entries are numbers")
    elif term.value not in sorts and term.value != "pi":
        raise FormulaError(f"{term.value} is not a variable of the statement")


def _arguments(term: Term, function: Function | None) -> tuple[Term, ...]:
    """Return the numbers that a term is made of; ``FormulaError`` for lists of another form.

    For ``each`` that is the sum of the list, which is well formed where the list is.
    """
    if function is None:
        return term.args
    least, most = function.arity
    if not least <= len(term.args) <= most:
        raise FormulaError(f"{function.name} takes {least} to {most} arguments")
    if not function.takes:
        return term.args
    found: list[Term] = []
    lists: set[str] = set()
    for arg, kind in zip(term.args, function.takes, strict=True):
        if kind not in _LISTS:
            found.append(arg)
        elif arg.head == "each":
            lists.add(f"from {arg.args[1]} to {arg.args[2]}")
            found.append(_total(arg))
        elif arg.head == "tuple" and len(arg.args) >= 2:
            lists.add(str(len(arg.args)))
            found += arg.args
        else:
            raise FormulaError(f"{arg} in {term} is no list of two or more numbers")
    if len(lists) > 1:
        raise FormulaError(f"the lists in {term} are not of one length")
    return tuple(found)


def _total(arg: Term) -> Term:
    """Return the sum of a list."""
    if arg.head == "each":
        return Term("sum", arg.args)
    return reduce(lambda left, right: Term("+", (left, right)), arg.args)


def is_whole(term: Term, sorts: Mapping[str, str]) -> bool:
    """Return whether a term is seen to be a whole number wherever its variables are."""
    match term.head:
        case "number":
            return Fraction(term.value).denominator == 1
        case "name":
            return sorts.get(str(term.value)) in ("integer", "natural")
        case "neg" | "+" | "-" | "*":
            return all(is_whole(arg, sorts) for arg in term.args)
        case "^":
            base, exponent = term.args
            natural = exponent.head == "number" or sorts.get(str(exponent.value)) == "natural"
            return natural and is_whole(base, sorts) and is_whole(exponent, sorts)
        case "entry":
            return sorts.get(str(term.args[0].value)) == "integers"
        case "sum":
            return is_whole(term.args[3], {**sorts, str(term.args[0].value): "integer"})
    return term.head in ("same", "at_most")


_ZERO = Term("number", value=Fraction(0))
_ONE = Term("number", value=Fraction(1))


def conditions_of(term: Term, sorts: Mapping[str, str]) -> Iterator[Term]:
    """Iterate over what must hold for a term to have a value, its parts first.

    Args:
        term: a number or a proposition.
        sorts: the variables with their sorts.

    Yields:
        Propositions; what is needed for every value of a bound variable begins with ``all``.

    Raises:
        FormulaError: where a whole number is needed and none is seen.
    """
    if term.head in BINDERS:
        yield from _of_binder(term, sorts)
        return
    for arg in term.args:
        yield from conditions_of(arg, sorts)
    match term.head:
        case "/" if term.args[1].head != "number" or not term.args[1].value:
            yield Term("!=", (term.args[1], _ZERO))
        case "^":
            yield from _of_power(term.args[0], term.args[1], sorts)
        case "sqrt":
            yield Term(">=", (term.args[0], _ZERO))
        case "log" | "gamma":
            yield Term(">", (term.args[0], _ZERO))
        case "entry":
            _need_whole(term.args[1], sorts)
    known = vocabulary().functions.get(term.head)
    for arg, kind in zip(term.args, known.takes if known else (), strict=False):
        yield from _of_argument(arg, kind, sorts)


def _of_binder(term: Term, sorts: Mapping[str, str]) -> Iterator[Term]:
    index, low, high, body = term.args
    for end in (low, high):
        yield from conditions_of(end, sorts)
        _need_whole(end, sorts)
    if term.head in ("largest", "least"):
        yield Term("<=", (low, high))
    if term.head == "each":
        yield Term("<", (low, high))
    for condition in conditions_of(body, {**sorts, str(index.value): "integer"}):
        yield Term("all", (index, low, high, condition))


def _of_power(base: Term, exponent: Term, sorts: Mapping[str, str]) -> Iterator[Term]:
    _need_whole(exponent, sorts)
    if exponent.head != "number":  # numbers are written without a sign
        yield Term("or", (Term(">=", (exponent, _ZERO)), Term("!=", (base, _ZERO))))


def _of_argument(arg: Term, kind: str, sorts: Mapping[str, str]) -> Iterator[Term]:
    each = arg.args[:3] if kind in _LISTS and arg.head == "each" else ()
    parts = arg.args[3:] if each else arg.args if kind in _LISTS else (arg,)
    inner = {**sorts, str(each[0].value): "integer"} if each else sorts
    if kind in ("counts", "records", "size", "natural"):
        for part in parts:
            _need_whole(part, inner)
    sign = {"parameters": ">", "positive": ">", "counts": ">=", "records": ">=", "rate": ">="}
    sign["natural"] = ">="
    if kind in sign:
        needed = (Term(sign[kind], (part, _ZERO)) for part in parts)
        yield from (Term("all", (*each, one)) if each else one for one in needed)
    if kind == "size":
        yield Term(">=", (arg, _ONE))
    if kind == "records":
        yield Term(">=", (_total(arg), _ONE))


def _need_whole(term: Term, sorts: Mapping[str, str]) -> None:
    if not is_whole(term, sorts):
        raise FormulaError(f"{term} is not seen to be a whole number")

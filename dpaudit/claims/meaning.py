"""What terms mean something: their form, and the conditions under which they have a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.terms import BINDERS, RELATIONS, Term
from dpaudit.claims.vocabulary import vocabulary

if TYPE_CHECKING:
    from dpaudit.claims.elementary import Function

__all__ = ["check_term", "conditions_of", "is_whole"]

_LOGICAL = {"not", "and", "or", "all", "any", *RELATIONS}

_PLAIN_HEADS = {"number", "name", "neg", "+", "-", "*", "/", "^"}

_LISTS = {"parameters", "counts", "records"}
"""The kinds of arguments that are written as tuples."""


def check_term(term: Term, *, proposition: bool, names: set[str]) -> None:
    """Raise ``FormulaError`` unless the term is well formed over the variables ``names``."""
    if (term.head in _LOGICAL) is not proposition:
        wanted = "a proposition" if proposition else "a number"
        raise FormulaError(f"{term} is not {wanted}")
    match term.head:
        case "name" if term.value not in names and term.value != "pi":
            raise FormulaError(f"{term.value} is not a variable of the statement")
        case "not" | "and" | "or":
            for arg in term.args:
                check_term(arg, proposition=True, names=names)
        case head if head in BINDERS:
            index, low, high, body = term.args
            for end in (low, high):
                check_term(end, proposition=False, names=names)
            inner = names | {str(index.value)}
            check_term(body, proposition=head in ("all", "any"), names=inner)
        case "^" if term.args[1].head not in ("number", "name", "neg", "+", "-"):
            raise FormulaError(f"the exponent of {term} is not a whole number")
        case head:
            known = vocabulary().functions.get(head)
            if known is None and head not in _PLAIN_HEADS and head not in RELATIONS:
                raise FormulaError(f"{term} is not a number: {head} is no function")
            for arg in _arguments(term, known):
                check_term(arg, proposition=False, names=names)


def _arguments(term: Term, function: Function | None) -> tuple[Term, ...]:
    """Return the numbers that a term is made of; ``FormulaError`` for lists of another form."""
    if function is None:
        return term.args
    least, most = function.arity
    if not least <= len(term.args) <= most:
        raise FormulaError(f"{function.name} takes {least} to {most} arguments")
    if not function.takes:
        return term.args
    found: list[Term] = []
    lists: set[int] = set()
    for arg, kind in zip(term.args, function.takes, strict=True):
        if kind in _LISTS and (arg.head != "tuple" or len(arg.args) < 2):
            raise FormulaError(f"{arg} in {term} is no list of two or more numbers")
        if kind in _LISTS:
            lists.add(len(arg.args))
        found += arg.args if kind in _LISTS else (arg,)
    if len(lists) > 1:
        raise FormulaError(f"the lists in {term} are not of one length")
    return tuple(found)


def is_whole(term: Term, sorts: Mapping[str, str]) -> bool:
    """Return whether a term is seen to be a whole number wherever its variables are."""
    match term.head:
        case "number":
            return Fraction(term.value).denominator == 1
        case "name":
            return sorts.get(str(term.value), "real") != "real"
        case "neg" | "+" | "-" | "*":
            return all(is_whole(arg, sorts) for arg in term.args)
    return False


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
    for condition in conditions_of(body, {**sorts, str(index.value): "integer"}):
        yield Term("all", (index, low, high, condition))


def _of_power(base: Term, exponent: Term, sorts: Mapping[str, str]) -> Iterator[Term]:
    _need_whole(exponent, sorts)
    if exponent.head != "number":  # numbers are written without a sign
        yield Term("or", (Term(">=", (exponent, _ZERO)), Term("!=", (base, _ZERO))))


def _of_argument(arg: Term, kind: str, sorts: Mapping[str, str]) -> Iterator[Term]:
    parts = arg.args if kind in _LISTS else (arg,)
    if kind in ("counts", "records", "size"):
        for part in parts:
            _need_whole(part, sorts)
    sign = {"parameters": ">", "positive": ">", "counts": ">=", "records": ">=", "rate": ">="}
    if kind in sign:
        yield from (Term(sign[kind], (part, _ZERO)) for part in parts)
    if kind == "size":
        yield Term(">=", (arg, _ONE))
    if kind == "records":
        total = parts[0]
        for part in parts[1:]:
            total = Term("+", (total, part))
        yield Term(">=", (total, _ONE))


def _need_whole(term: Term, sorts: Mapping[str, str]) -> None:
    if not is_whole(term, sorts):
        raise FormulaError(f"{term} is not seen to be a whole number")

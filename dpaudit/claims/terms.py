"""The expression language of statements: terms that are parsed, never evaluated as code.

Numbers, variables, tuples, + − · / ^, relations, ``and``, ``or``, ``not``, and the functions of a
vocabulary (:mod:`dpaudit.claims.vocabulary`).  A text such as ``"A" `` in quotes names something, a
mechanism say.  Six heads bind a variable over the whole numbers from ``low`` to ``high``, both
included: ``all(i, low, high, …)``, ``any(…)``, ``sum(…)``, ``largest(…)``, ``least(…)``, and
``each(…)``, the list of the values.  ``x[i]`` is an entry of a variable that is a list.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from dpaudit.claims.polynomial import FormulaError

__all__ = ["BINDERS", "CONNECTIVES", "RELATIONS", "Term", "parse", "shown", "substitute"]

RELATIONS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}
"""The relations, and how they are printed."""

CONNECTIVES = {"and": " and ", "or": " or "}
"""The connectives of any number of propositions, and how they are printed."""

BINDERS = {"all": "∀", "any": "∃", "sum": "Σ", "largest": "max", "least": "min", "each": "list"}
"""The heads that bind a variable, and how they are printed."""

_INTERNAL = {"number", "name", "text", "tuple", "neg", "entry"}
"""Heads of terms that are not written as calls."""

_DEEPEST = 100

_LONGEST = 4000

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "^",
}

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@dataclass(frozen=True)
class Term:
    """One expression: a head applied to arguments, or a leaf with a value.

    Leaves are ``number`` (a Fraction), ``name`` (a variable) and ``text`` (a quoted word).  Other
    heads are an operator, a relation, a connective, ``tuple``, ``entry`` (of a variable that is a
    list) or the name of a function.
    """

    head: str
    args: tuple[Term, ...] = ()
    value: Fraction | str = ""

    def __str__(self) -> str:
        """Return the term as text that :func:`parse` reads back."""
        return _written(self, 0)

    def walk(self) -> Iterator[Term]:
        """Iterate over the term and all its parts."""
        yield self
        for arg in self.args:
            yield from arg.walk()

    def free(self) -> set[str]:
        """Return the names of the variables that are not bound within."""
        if self.head == "name":
            return {str(self.value)} - {"pi"}
        if self.head in BINDERS:
            index, low, high, body = self.args
            return low.free() | high.free() | (body.free() - {str(index.value)})
        return {name for arg in self.args for name in arg.free()}


def parse(text: str) -> Term:
    """Return the term that ``text`` writes; ``FormulaError`` for anything else.

    >>> print(parse("2*c >= n - 1 and not c == 0"))
    2*c >= n - 1 and not c == 0
    """
    if len(text) > _LONGEST:
        raise FormulaError(f"a formula has at most {_LONGEST} characters, not {len(text)}")
    try:
        return _term(ast.parse(text.strip().replace("^", "**"), mode="eval").body, 0)
    except (SyntaxError, RecursionError, MemoryError) as error:
        reason = getattr(error, "msg", None) or "it is nested too deeply"
        raise FormulaError(f"{text!r} is not a formula: {reason}") from None
    except ValueError as error:
        if isinstance(error, FormulaError):
            raise
        raise FormulaError(f"{text!r} is not a formula: {error}") from None


def _term(node: ast.expr, depth: int) -> Term:
    if depth > _DEEPEST:
        raise FormulaError("a formula is nested too deeply")

    def inner(*nodes: ast.expr) -> tuple[Term, ...]:
        return tuple(_term(child, depth + 1) for child in nodes)

    match node:
        case ast.BoolOp(op=op, values=values):
            return Term("and" if isinstance(op, ast.And) else "or", inner(*values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Term("not", inner(operand))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Term("neg", inner(operand))
        case ast.Compare(left=left, ops=ops, comparators=rights) if all(
            type(op) in _COMPARED for op in ops
        ):
            sides = inner(left, *rights)
            links = tuple(
                Term(_COMPARED[type(op)], pair)
                for op, pair in zip(ops, pairwise(sides), strict=True)
            )
            return links[0] if len(links) == 1 else Term("and", links)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return Term(_OPERATORS[type(op)], inner(left, right))
        case ast.Tuple(elts=elements):
            return Term("tuple", inner(*elements))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _called(name, inner(*arguments))
        case ast.Name(id=name):
            return Term("name", value=name)
        case ast.Subscript(value=ast.Name() as of, slice=at) if not isinstance(at, ast.Tuple):
            return Term("entry", inner(of, at))
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return Term("number", value=Fraction(value))
        case ast.Constant(value=str(value)) if value.isprintable() and '"' not in value:
            return Term("text", value=value)
    raise FormulaError(f"{ast.unparse(node)!r} is not allowed in a formula")


def _called(name: str, args: tuple[Term, ...]) -> Term:
    if name in _INTERNAL:
        raise FormulaError(f"{name} is not a function")
    if name in BINDERS and (len(args) != 4 or args[0].head != "name" or args[0].value == "pi"):
        raise FormulaError(f"{name} takes a variable, its least and largest value and a body")
    if name in BINDERS and str(args[0].value) in (args[1].free() | args[2].free()):
        raise FormulaError(f"the range of {args[0].value} depends on {args[0].value}")
    return Term(name, args)


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """Return ``term`` with free variables replaced; ``FormulaError`` where one would be caught."""
    if term.head == "name":
        return values.get(str(term.value), term)
    if term.head in BINDERS:
        index, low, high, body = term.args
        inner = {name: t for name, t in values.items() if name != index.value}
        used = (inner[name] for name in body.free() & inner.keys())
        if any(index.value in t.free() for t in used):
            raise FormulaError(f"{index.value} is bound here and cannot be put in")
        outer = (substitute(low, values), substitute(high, values))
        return Term(term.head, (index, *outer, substitute(body, inner)))
    return Term(term.head, tuple(substitute(arg, values) for arg in term.args), term.value)


_STRENGTH = {"or": 1, "and": 2, "not": 3, "+": 5, "-": 5, "*": 6, "/": 6, "neg": 7, "^": 8}


def _strength(term: Term) -> int:
    return 4 if term.head in RELATIONS else _STRENGTH.get(term.head, 9)


def _layout(
    term: Term, outer: int, recur: Callable[[Term, int], str], spelling: Mapping[str, str]
) -> str:
    """Return a term as text, with parentheses only where the strength of operators needs them."""
    strength = _strength(term)
    match term.head:
        case "number" | "name":
            text = str(term.value)
        case "text":
            text = f'"{term.value}"'
        case "tuple":
            tail = "," if len(term.args) == 1 else ""
            text = f"({', '.join(recur(arg, 0) for arg in term.args)}{tail})"
        case "entry":
            text = f"{recur(term.args[0], 9)}[{recur(term.args[1], 0)}]"
        case "and" | "or":
            text = spelling[term.head].join(recur(arg, strength + 1) for arg in term.args)
        case "not":
            text = f"not {recur(term.args[0], strength)}"
        case "neg":
            text = f"{spelling['neg']}{recur(term.args[0], strength)}"
        case "+" | "-" | "*" | "/" | "^":
            right = strength + (term.head != "^")
            left = strength + (term.head == "^")
            parts = (recur(term.args[0], left), recur(term.args[1], right))
            text = spelling[term.head].join(parts)
        case head if head in RELATIONS:
            text = f" {spelling[head]} ".join(recur(arg, strength + 1) for arg in term.args)
        case head:
            text = f"{spelling.get(head, head)}({', '.join(recur(arg, 0) for arg in term.args)})"
    return f"({text})" if strength < outer else text


_PLAIN = {**CONNECTIVES, "neg": "-", "+": " + ", "-": " - ", "*": "*", "/": "/", "^": "^"}
_PLAIN |= {relation: relation for relation in RELATIONS}


def _written(term: Term, outer: int) -> str:
    if term.head == "number" and isinstance(term.value, Fraction) and term.value.denominator > 1:
        return f"({term.value})"
    return _layout(term, outer, _written, _PLAIN)


_PRINTED = {**CONNECTIVES, **RELATIONS, "neg": "−", "+": " + ", "-": " − ", "*": "·", "/": "/"}
_PRINTED |= {"^": "^", "gamma": "Γ", "sqrt": "√"}


def shown(term: Term, outer: int = 0) -> str:
    """Return a term as a reader of the field writes it.

    >>> shown(parse("all(i, 0, n, 2*i <= sqrt(n))"))
    '∀ i = 0 … n: 2·i ≤ √(n)'
    """
    if term.head in BINDERS:
        index, low, high, body = term.args
        values = f"{index.value} = {shown(low, 5)} … {shown(high, 5)}"
        if term.head == "each":
            return f"({shown(body)}, {values})"
        text = f"{BINDERS[term.head]} {values}: "
        return f"({text}{shown(body)})" if outer else text + shown(body)
    return _layout(term, outer, shown, _PRINTED)

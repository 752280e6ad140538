"""Numbers of a report: decimals exactly, closed forms in mpmath, and intervals of both.

A closed form is the text that a report shows.  It is read here, by this file alone, at the
precision in force.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.findings import NotAReportError
from dpaudit.results.values import ClosedForm

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from dpaudit.results import Enclosure

__all__ = [
    "ClosedFormText",
    "at_same_value",
    "check_budget",
    "check_delta",
    "check_not_negative",
    "check_positive",
    "compare",
    "contains",
    "decimal",
    "end",
    "exactly",
    "fraction",
    "rational",
    "read_form",
    "same_number",
    "value",
    "well_formed",
    "whole_numbers",
]

_MAX_LENGTH = 4000
_MAX_POWER = 10_000
_MAX_EXPONENT = 10**9
_ENOUGH = 60
"""Decimals that tell which side of 0 or 1 a number lies on, or whether two are the same."""
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,6})?", re.ASCII)
_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+|(\.[0-9]*)?([eE][+-]?[0-9]{1,6})?)", re.ASCII)
_CLOSED_FORM = re.compile(r"[0-9A-Za-z.+\-*/^() ]*", re.ASCII)
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {"ln": mp.log, "exp": mp.exp, "sqrt": mp.sqrt}


class ClosedFormText(ClosedForm, str):
    """A number in closed form as a report shows it."""

    __slots__ = ()


Form = ClosedForm | str


def read_form(text: str) -> ClosedFormText:
    """Return a closed form of a report; ``NotAReportError`` for what no closed form looks like."""
    if len(text) > _MAX_LENGTH:
        raise NotAReportError(f"a number of {len(text)} characters is too long to be read")
    try:
        _tree(_source(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotAReportError(f"{text[:40]!r} is not a closed form") from None
    return ClosedFormText(text)


def end(bound: Decimal) -> Fraction | None:
    """Return an end of an interval exactly; None for infinity."""
    return None if bound.is_infinite() else Fraction(bound)


def decimal(text: str) -> Fraction | None:
    """Return a decimal of a report exactly; None for ``inf``.

    >>> decimal("0.125"), decimal("inf")
    (Fraction(1, 8), None)
    """
    if text == "inf":
        return None
    mantissa, _, exponent = text.upper().partition("E")
    power = int(exponent or "0") if _DECIMAL.fullmatch(text) else _MAX_LENGTH * 11
    if abs(power) > _MAX_LENGTH * 10 or len(mantissa) > _MAX_LENGTH:
        raise NotAReportError(f"{text[:40]!r} is not a decimal")
    digits, _, places = mantissa.partition(".")
    number = Fraction(int(digits + places))
    return number * Fraction(10) ** (power - len(places))


def rational(text: str) -> Fraction:
    """Return a decimal or a quotient exactly; ``ValueError`` for what is neither, or is huge.

    >>> rational("3/2"), rational("5e-1")
    (Fraction(3, 2), Fraction(1, 2))
    """
    if len(text) > _MAX_LENGTH or not _RATIONAL.fullmatch(text):
        raise ValueError("neither a decimal nor a quotient")
    if abs(int(text.upper().partition("E")[2] or "0")) > _MAX_LENGTH * 10:
        raise ValueError("too large")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError("division by zero") from None


def whole_numbers(text: str) -> tuple[int, ...]:
    """Return the whole numbers of a list such as ``5,5``, as reports write it, else ``ValueError``.

    >>> whole_numbers("5,-1")
    (5, -1)
    """
    parts = text.split(",")
    if not all(re.fullmatch(r"0|-?[1-9][0-9]{0,11}", part) for part in parts):
        raise ValueError(f"{text[:40]!r} is no list of whole numbers")
    return tuple(map(int, parts))


def fraction(number: Fraction) -> mpf:
    """Return a fraction at the working precision."""
    return mpf(number.numerator) / number.denominator


def value(form: Form) -> mpf:
    """Return a closed form such as ``2*ln(3) - 1/2`` at the working precision.

    The text is parsed to a tree of sums, products, powers, ``ln``, ``exp``, ``sqrt`` and ``pi``;
    anything else is refused, and nothing is evaluated as code.

    >>> with mp.workdps(20):
    ...     print(value("ln(exp(1/2)^3) + 0.25"))
    1.75
    """
    text = str(form)
    if len(text) > _MAX_LENGTH:
        raise NotAReportError(f"a number of {len(text)} characters is too long to be read")
    source = _source(text)
    try:
        number = _evaluate(_tree(source), source)
    except (SyntaxError, ValueError, RecursionError, MemoryError, ArithmeticError, TypeError):
        raise NotAReportError(f"{text[:40]!r} is not a closed form") from None
    if not mp.isfinite(number):
        raise NotAReportError(f"{text[:40]!r} is not finite")
    return number


def _source(text: str) -> str:
    return text.replace("^", "**").strip()


@lru_cache(maxsize=1024)
def _tree(source: str) -> ast.expr:
    if not _CLOSED_FORM.fullmatch(source.replace("**", "^")):
        raise ValueError("characters that no closed form has")
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)
        return ast.parse(source, mode="eval").body


def same_number(left: Form, right: Form) -> bool:
    """Tell whether two closed forms are one number: exactly, or to 60 digits if not rational."""
    here, there = exactly(left), exactly(right)
    if here is not None and there is not None:
        return here == there
    with mp.workdps(_ENOUGH):
        one, other = value(left), value(right)
        return bool(abs(one - other) <= mpf(10) ** (10 - mp.dps) * max(abs(one), abs(other)))


def exactly(form: Form) -> Fraction | None:
    """Return a closed form that is a sum of products of decimals and quotients exactly.

    >>> exactly("1/2 + 1e-3"), exactly("ln(3)")
    (Fraction(501, 1000), None)
    """
    text = str(form)
    source = _source(text)
    try:
        return _rational(_tree(source), source) if len(text) <= _MAX_LENGTH else None
    except (SyntaxError, ValueError, RecursionError, MemoryError, ArithmeticError):
        return None


def _rational(node: ast.expr, source: str) -> Fraction:
    match node:
        case ast.Constant():
            return rational(ast.get_source_segment(source, node) or "")
        case ast.UnaryOp(op=ast.USub()):
            return -_rational(node.operand, source)
        case ast.UnaryOp(op=ast.UAdd()):
            return _rational(node.operand, source)
        case ast.BinOp() if type(node.op) in _OPERATIONS:
            left, right = _rational(node.left, source), _rational(node.right, source)
            found: Fraction = _OPERATIONS[type(node.op)](left, right)
            return found
    raise ValueError("not seen to be rational")


def check_positive(number: Form, name: str) -> None:
    """Raise ``NotAReportError`` for what is not greater than 0."""
    _check(number, name, lambda given: given > 0, "greater than 0")


def check_not_negative(number: Form, name: str) -> None:
    """Raise ``NotAReportError`` for what is less than 0."""
    _check(number, name, lambda given: given >= 0, "at least 0")


def check_delta(number: Form, name: str) -> None:
    """Raise ``NotAReportError`` for what is not from 0 to 1, 1 left out."""
    _check(number, name, lambda given: 0 <= given < 1, "at least 0 and less than 1")


def check_budget(epsilon: Form, delta: Form, name: str) -> None:
    """Raise ``NotAReportError`` for what is no budget (ε, δ)."""
    check_positive(epsilon, f"{name} epsilon")
    check_delta(delta, f"{name} delta")


def _check(form: Form, name: str, holds: Callable[[mpf], bool], allowed: str) -> None:
    number: Any = exactly(form)
    if number is None:
        with mp.workdps(_ENOUGH):
            number = value(form)
    if not holds(number):
        raise NotAReportError(f"{name} = {str(form)[:40]}: must be {allowed}")


def _evaluate(node: ast.expr, source: str) -> mpf:
    match node:
        case ast.Constant():
            return fraction(rational(ast.get_source_segment(source, node) or ""))
        case ast.Name(id="pi"):
            return +mp.pi
        case ast.UnaryOp(op=ast.USub()):
            return -_evaluate(node.operand, source)
        case ast.UnaryOp(op=ast.UAdd()):
            return _evaluate(node.operand, source)
        case ast.BinOp(op=ast.Pow()):
            exponent = _evaluate(node.right, source)
            if abs(exponent) > _MAX_POWER:
                raise ValueError("power too large")
            return mp.power(_evaluate(node.left, source), exponent)
        case ast.BinOp() if type(node.op) in _OPERATIONS:
            left, right = _evaluate(node.left, source), _evaluate(node.right, source)
            return _OPERATIONS[type(node.op)](left, right)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            inner = _evaluate(argument, source)
            if abs(inner) > _MAX_EXPONENT and name == "exp":
                raise ValueError("exponent too large")
            result = _FUNCTIONS[name](inner)
            if not isinstance(result, mpf):
                raise ValueError("not a real number")
            return result
    raise ValueError("not part of the language")


# -- intervals


def at_same_value(left: mpf, right: mpf) -> bool:
    """Tell whether a closed form is a computed value, to all digits but the last fifteen.

    ``right`` may be what is left of a difference that is 0; only 0 itself is the same as that.
    """
    error = mpf(10) ** (15 - mp.dps)
    if left == 0:
        return bool(abs(right) <= error)
    return bool(abs(left - right) <= error * abs(left))


def well_formed(interval: Enclosure, digits: int | None) -> bool:
    """Tell whether the ends are in order and, if ``digits`` is given, close enough.

    Above 1 the digits count from the first one: no precision is spent on the rest of 10^400.
    """
    lower, upper = end(interval.lower), end(interval.upper)
    if lower is None or upper is None:
        return upper is None and (lower is None or digits is None)
    width = max(Fraction(1), upper) / 10 ** (digits or 0)
    return 0 <= lower <= upper and (digits is None or upper - lower <= width)


def contains(interval: Enclosure, computed: mpf, slack: mpf) -> bool:
    """Tell whether a finite value lies in the interval, or no further outside than ``slack``."""
    lower, upper = end(interval.lower), end(interval.upper)
    above = lower is not None and fraction(lower) - slack <= computed
    return bool(above and (upper is None or computed <= fraction(upper) + slack))


def compare(interval: Enclosure, bound: Form) -> str:
    """Return where an interval lies: ``below``, ``equal``, ``above`` or ``unknown``.

    Rationals are compared exactly, other closed forms to all digits but the last fifteen.
    """
    limit, exact = exactly(bound), None if interval.exact is None else exactly(interval.exact)
    if exact is not None and limit is not None:
        return "equal" if exact == limit else "below" if exact < limit else "above"
    if interval.exact is not None:
        here, there = value(interval.exact), value(bound)
        return "equal" if at_same_value(there, here) else "below" if here < there else "above"
    lower, upper = end(interval.lower), end(interval.upper)
    if limit is not None:
        if upper is not None and upper <= limit:
            return "below"
        return "above" if lower is None or lower > limit else "unknown"
    if upper is not None and fraction(upper) <= value(bound):
        return "below"
    return "above" if lower is None or fraction(lower) > value(bound) else "unknown"

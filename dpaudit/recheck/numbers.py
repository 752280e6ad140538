"""Numbers of a report: decimals exactly, closed forms in mpmath.

A closed form is the text that a report shows.  It is read here, by this file alone, at the
precision in force.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any

from mpmath import mp, mpf

from dpaudit.recheck.findings import NotAReportError
from dpaudit.results import ClosedForm

__all__ = [
    "ClosedFormText",
    "Form",
    "check_budget",
    "check_delta",
    "check_not_negative",
    "check_positive",
    "decimal",
    "exactly",
    "finest",
    "fraction",
    "order",
    "rational",
    "read_form",
    "same_number",
    "shown_digits",
    "sign_of",
    "value",
    "whole_numbers",
    "whole_tuple",
]

_MAX_LENGTH = 4000
_MAX_POWER = 10_000
_MAX_EXPONENT = 10**9
_ENOUGH = 60
_DOUBLINGS, _LOST = 4, 15
"""A difference is looked at with these decimals first, and with twice as many so many times."""
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


def decimal(text: str) -> Fraction | None:
    """Return a decimal of a report exactly; None for ``inf``.

    >>> decimal("0.125"), decimal("inf")
    (Fraction(1, 8), None)
    """
    if text == "inf":
        return None
    mantissa, _, exponent = text.upper().partition("E")
    # A text that is no decimal gets a power that is refused below.
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
        raise ValueError(f"{text[:40]!r} is not a list of whole numbers")
    return tuple(map(int, parts))


def whole_tuple(reported: Any, what: str) -> tuple[int, ...]:
    """Return a tuple of whole numbers as it is; ``ValueError`` for what is no list of ``what``."""
    if not isinstance(reported, tuple) or not all(type(part) is int for part in reported):
        raise ValueError(f"{reported} is not a list of {what}")
    return reported


def fraction(number: Fraction) -> mpf:
    """Return a fraction at the working precision."""
    return mpf(number.numerator) / number.denominator


def shown_digits(number: mpf, digits: int) -> str:
    """Return a number to so many digits, rounded first: mpmath writes none of thousands of digits.

    >>> with mp.workdps(5200):
    ...     shown_digits(mp.erfc(353), 5)
    '1.5942e-54120'
    """
    with mp.workdps(digits + _LOST):
        return str(mp.nstr(+number, digits))


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
        number = _evaluate(_tree(source), source, fraction)
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
        # A text such as 1(2) would print a warning on the terminal: it is refused.
        warnings.simplefilter("error", SyntaxWarning)
        return ast.parse(source, mode="eval").body


def same_number(left: Form, right: Form) -> bool:
    """Tell whether two closed forms are one number, as far as :func:`order` tells them apart."""
    return order(left, right) == 0


def order(left: Form, right: Form) -> int:
    """Return the sign of left − right, exactly for rationals; 0 where no precision tells others.

    >>> order("1/3", "0.3333"), order("ln(9)", "2*ln(3)")
    (1, 0)
    """
    here, there = exactly(left), exactly(right)
    if here is not None and there is not None:
        return (here > there) - (here < there)
    of = max(map(_loses, (left, right)))
    return sign_of(lambda: value(left) - value(right), _ENOUGH, of=of)


def _loses(form: Form) -> int:
    """Return 1 where a closed form may be what large numbers leave of each other, else 0."""
    try:
        nodes = list(ast.walk(_tree(_source(str(form)))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0  # it is none, which its value says
    sums = any(isinstance(node, (ast.Add, ast.Sub)) for node in nodes)
    return int(sums or any(isinstance(node, ast.Name) and node.id == "ln" for node in nodes))


def finest(form: Form) -> int:
    """Return behind how many decimals the finest part of a number lies, a digit or a small term.

    A number that differs from it there is another one: comparisons take as many decimals and more.

    >>> finest("0.125"), finest("2e-30"), finest("ln(3) + exp(-230)"), finest("1/3")
    (3, 30, 99, 0)
    """
    source = _source(str(form))
    try:
        nodes = list(ast.walk(_tree(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0  # it is none, which its value says
    places = [0]
    for node in nodes:
        if isinstance(node, ast.Constant):
            mantissa, _, power = (ast.get_source_segment(source, node) or "").lower().partition("e")
            places.append(len(mantissa.partition(".")[2]) - int(power or "0"))
        elif isinstance(node, ast.Call) or (
            isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Add, ast.Sub))
        ):
            with suppress(SyntaxError, ValueError, ArithmeticError, TypeError), mp.workdps(15):
                part = abs(_evaluate(node, source, fraction))
                places.append(int(-mp.log10(part)) if 0 < part < 1 else 0)
    return max(places)


def sign_of(difference: Callable[[], mpf], dps: int, *, of: int = 0) -> int:
    """Return the sign of a difference, computed with ``dps`` decimals or more; 0 if none tells.

    What is left of a difference that is 0 is another number at every precision.  So a sign counts
    where twice the decimals give the same difference, to a percent, and more of it than rounding
    leaves of numbers as large as ``of``: a loss that is lost altogether is 0 at both.
    """
    with mp.workdps(dps):
        rough = difference()
    for _ in range(_DOUBLINGS):
        dps *= 2
        with mp.workdps(dps):
            fine = difference()
            significant = fine != 0 and abs(fine) >= of * mpf(10) ** (_LOST - dps // 2)
        if not mp.isfinite(fine) or (significant and abs(rough - fine) <= abs(fine) / 100):
            return int(mp.sign(fine))
        rough = fine
    return 0


def exactly(form: Form) -> Fraction | None:
    """Return a closed form that is a sum of products of decimals and quotients exactly.

    >>> exactly("1/2 + 1e-3"), exactly("ln(3)")
    (Fraction(501, 1000), None)
    """
    text = str(form)
    source = _source(text)
    try:
        return _evaluate(_tree(source), source, Fraction) if len(text) <= _MAX_LENGTH else None
    except (SyntaxError, ValueError, RecursionError, MemoryError, ArithmeticError):
        return None


def check_positive(number: Form, name: str) -> None:
    """Raise ``NotAReportError`` for what is not greater than 0."""
    _check(number, name, order(number, "0") > 0, "greater than 0")


def check_not_negative(number: Form, name: str) -> None:
    """Raise ``NotAReportError`` for what is less than 0."""
    _check(number, name, order(number, "0") >= 0, "at least 0")


def check_delta(number: Form, name: str) -> None:
    """Raise ``NotAReportError`` for what is not from 0 to 1, 1 left out."""
    inside = order(number, "0") >= 0 > order(number, "1")
    _check(number, name, inside, "at least 0 and less than 1")


def check_budget(epsilon: Form, delta: Form, name: str) -> None:
    """Raise ``NotAReportError`` for what is no budget (ε, δ)."""
    check_delta(delta, f"{name} delta")
    check = check_not_negative if order(delta, "0") > 0 else check_positive
    check(epsilon, f"{name} epsilon")


def _check(number: Form, name: str, holds: bool, allowed: str) -> None:
    if not holds:
        raise NotAReportError(f"{name} = {str(number)[:40]}: must be {allowed}")


def _evaluate(node: ast.expr, source: str, number: Callable[[Fraction], Any]) -> Any:
    """Return a tree as ``number`` reads its decimals; ``ValueError`` where that has no such value.

    Sums, products, quotients and signs are of anything; all else is of ``mpf`` alone.
    """
    match node:
        case ast.Constant():
            return number(rational(ast.get_source_segment(source, node) or ""))
        case ast.UnaryOp(op=ast.USub()):
            return -_evaluate(node.operand, source, number)
        case ast.UnaryOp(op=ast.UAdd()):
            return _evaluate(node.operand, source, number)
        case ast.BinOp() if type(node.op) in _OPERATIONS:
            left = _evaluate(node.left, source, number)
            return _OPERATIONS[type(node.op)](left, _evaluate(node.right, source, number))
    if number is not fraction:
        raise ValueError("not certainly rational")
    match node:
        case ast.Name(id="pi"):
            return +mp.pi
        case ast.BinOp(op=ast.Pow()):
            exponent = _evaluate(node.right, source, number)
            # Before the power is computed, which might not end.
            if abs(exponent) > _MAX_POWER:
                raise ValueError("power too large")
            return mp.power(_evaluate(node.left, source, number), exponent)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            inner = _evaluate(argument, source, number)
            if abs(inner) > _MAX_EXPONENT and name == "exp":
                raise ValueError("exponent too large")
            result = _FUNCTIONS[name](inner)
            if not isinstance(result, mpf):
                raise ValueError("not a real number")
            return result
    raise ValueError("not part of the language")

"""Numbers of a report: decimals exactly, closed forms in mpmath at the precision in force."""

from __future__ import annotations

import ast
import operator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.failures import NotAReportError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["decimal", "fraction", "rational", "value"]

_MAX_LENGTH = 4000
_MAX_POWER = 10_000
_MAX_EXPONENT = 10**9
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {"ln": mp.log, "exp": mp.exp, "sqrt": mp.sqrt}


def decimal(text: str) -> Fraction | None:
    """Return a decimal of a report exactly; None for ``inf``.

    >>> decimal("0.125"), decimal("inf")
    (Fraction(1, 8), None)
    """
    if text == "inf":
        return None
    mantissa, _, exponent = text.upper().partition("E")
    try:
        power = int(exponent or "0")
        if abs(power) > _MAX_LENGTH * 10:
            raise ValueError
        digits, _, places = mantissa.partition(".")
        if not (digits + places).isdecimal() or not (digits + places).isascii():
            raise ValueError
        number = Fraction(int(digits + places))
    except ValueError:
        raise NotAReportError(f"{text[:40]!r} is not a decimal") from None
    return number * Fraction(10) ** (power - len(places))


def rational(text: str) -> Fraction:
    """Return a decimal or a quotient exactly; ``ValueError`` for what is neither, or is huge.

    >>> rational("3/2"), rational("5e-1")
    (Fraction(3, 2), Fraction(1, 2))
    """
    exponent = text.upper().partition("E")[2] or "0"
    if len(text) > _MAX_LENGTH or abs(int(exponent)) > _MAX_LENGTH * 10:
        raise ValueError("too large")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError("division by zero") from None


def fraction(number: Fraction) -> mpf:
    """Return a fraction at the working precision."""
    return mpf(number.numerator) / number.denominator


def value(text: str) -> mpf:
    """Return a closed form such as ``2*ln(3) - 1/2`` at the working precision.

    The text is parsed to a tree of sums, products, powers, ``ln``, ``exp``, ``sqrt`` and ``pi``;
    anything else is refused, and nothing is evaluated as code.

    >>> with mp.workdps(20):
    ...     print(value("ln(exp(1/2)^3) + 0.25"))
    1.75
    """
    if len(text) > _MAX_LENGTH:
        raise NotAReportError(f"a number of {len(text)} characters is too long to be read")
    source = text.replace("^", "**").strip()
    try:
        return _evaluate(ast.parse(source, mode="eval").body, source)
    except (SyntaxError, ValueError, RecursionError, MemoryError, ArithmeticError, TypeError):
        raise NotAReportError(f"{text[:40]!r} is not a closed form") from None


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

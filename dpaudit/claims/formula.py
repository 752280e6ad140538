"""Formulas as text: polynomial (in)equalities with ``and``, ``or``, ``not``, read and translated.

    "a >= 1 and (b - 1)*(b - 2) < a*(a + 1)"

The text is parsed by Python's own grammar and then walked with a whitelist; it is never evaluated.
The same text becomes an SMT-LIB 2 term for solvers and polynomials for the certificate checker.
"""

from __future__ import annotations

import ast
from fractions import Fraction

from dpaudit.claims.polynomial import Polynomial, constant, variable

__all__ = ["FormulaError", "names_in", "polynomial_of", "smt_of"]


class FormulaError(ValueError):
    """A formula that is not of the small language above."""


_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "=",
    ast.NotEq: "distinct",
}


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"{text!r} is not a formula: {error.msg}") from None


def names_in(*texts: str) -> list[str]:
    """Return the variables of formulas, in alphabetical order.

    >>> names_in("a*b > 1", "c == a")
    ['a', 'b', 'c']
    """
    found = {n.id for text in texts for n in ast.walk(_parse(text)) if isinstance(n, ast.Name)}
    return sorted(found)


def smt_of(text: str) -> str:
    """Return the formula as an SMT-LIB 2 term over the reals.

    >>> smt_of("a^2 > 1/2 and not b == 0")
    '(and (> (* a a) (/ 1.0 2.0)) (not (= b 0.0)))'
    """
    return _smt(_parse(text))


def _smt(node: ast.expr) -> str:
    match node:
        case ast.BoolOp(op=op, values=values):
            word = "and" if isinstance(op, ast.And) else "or"
            return f"({word} {' '.join(map(_smt, values))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"(not {_smt(operand)})"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(- {_smt(operand)})"
        case ast.Compare(left=left, ops=ops, comparators=rights):
            sides = [left, *rights]
            links = [
                f"({_RELATIONS[type(op)]} {_smt(a)} {_smt(b)})"
                for op, a, b in zip(ops, sides, rights, strict=False)
            ]
            return links[0] if len(links) == 1 else f"(and {' '.join(links)})"
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))) if power >= 1:
            return _smt(left) if power == 1 else f"(* {' '.join([_smt(left)] * power)})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return f"({_ARITHMETIC[type(op)]} {_smt(left)} {_smt(right)})"
        case ast.Name(id=name):
            return name
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return f"{value}.0"
    raise FormulaError(f"{ast.unparse(node)!r} is not allowed in a formula")


def polynomial_of(text: str) -> Polynomial:
    """Return an arithmetic expression as a polynomial; division is by numbers only.

    >>> print(polynomial_of("(a + 1)^2/2 - a"))
    1/2*a^2 + 1/2
    """
    return _polynomial(_parse(text))


def _polynomial(node: ast.expr) -> Polynomial:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_polynomial(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))) if power >= 0:
            return _polynomial(left) ** power
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _polynomial(left) + _polynomial(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _polynomial(left) - _polynomial(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _polynomial(left) * _polynomial(right)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            divisor = _polynomial(right)
            if divisor.variables() or not divisor.constant_term():
                raise FormulaError(f"division by {ast.unparse(right)!r}, not a number other than 0")
            return _polynomial(left) * constant(Fraction(1) / divisor.constant_term())
        case ast.Name(id=name):
            return variable(name)
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return constant(value)
    raise FormulaError(f"{ast.unparse(node)!r} is not allowed in a polynomial")

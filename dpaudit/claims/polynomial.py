"""Polynomials with rational coefficients in named variables, and nothing else: dictionaries.

This is the whole of what a positivity certificate trusts.  It shares no code with a computer
algebra system or a solver.

Formulas are text: polynomial (in)equalities with ``and``, ``or``, ``not``,

    "a >= 1 and (b - 1)*(b - 2) < a*(a + 1)"

The text is parsed by Python's own grammar and then walked with a whitelist; it is never evaluated.
The same text becomes an SMT-LIB 2 term for solvers and polynomials for the certificate checker.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

__all__ = [
    "FormulaError",
    "Polynomial",
    "constant",
    "names_in",
    "polynomial_of",
    "smt_of",
    "variable",
]


Monomial = tuple[tuple[str, int], ...]
"""Variables with their positive powers, in alphabetical order."""


@dataclass(frozen=True)
class Polynomial:
    """Σ coefficient · monomial, without zero coefficients.

    >>> x, y = variable("x"), variable("y")
    >>> print((x + y) * (x - y))
    x^2 - y^2
    """

    terms: tuple[tuple[Monomial, Fraction], ...]

    @staticmethod
    def collect(terms: Mapping[Monomial, Fraction]) -> Polynomial:
        """Return the polynomial with these coefficients."""
        return Polynomial(tuple(sorted((m, q) for m, q in terms.items() if q)))

    def __add__(self, other: Polynomial) -> Polynomial:
        """Return self + other."""
        total = dict(self.terms)
        for monomial, q in other.terms:
            total[monomial] = total.get(monomial, Fraction(0)) + q
        return Polynomial.collect(total)

    def __neg__(self) -> Polynomial:
        """Return −self."""
        return Polynomial(tuple((monomial, -q) for monomial, q in self.terms))

    def __sub__(self, other: Polynomial) -> Polynomial:
        """Return self − other."""
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        """Return self · other."""
        total: dict[Monomial, Fraction] = {}
        for left, p in self.terms:
            for right, q in other.terms:
                powers = dict(left)
                for name, power in right:
                    powers[name] = powers.get(name, 0) + power
                monomial = tuple(sorted(powers.items()))
                total[monomial] = total.get(monomial, Fraction(0)) + p * q
        return Polynomial.collect(total)

    def __pow__(self, power: int) -> Polynomial:
        """Return self to a power ≥ 0."""
        result = constant(1)
        for _ in range(power):
            result *= self
        return result

    def substitute(self, values: Mapping[str, Polynomial]) -> Polynomial:
        """Return the polynomial with the named variables replaced."""
        total = constant(0)
        for monomial, q in self.terms:
            term = constant(q)
            for name, power in monomial:
                term *= values.get(name, variable(name)) ** power
            total += term
        return total

    def variables(self) -> set[str]:
        """Return the names of the variables that occur."""
        return {name for monomial, _ in self.terms for name, _ in monomial}

    def coefficients(self) -> list[Fraction]:
        """Return the coefficients."""
        return [q for _, q in self.terms]

    def constant_term(self) -> Fraction:
        """Return the value where all variables are 0."""
        return dict(self.terms).get((), Fraction(0))

    def __str__(self) -> str:
        """Return the polynomial as text."""
        pieces = []
        for monomial, q in sorted(self.terms, key=lambda term: (-sum(p for _, p in term[0]), term)):
            powers = "*".join(name if power == 1 else f"{name}^{power}" for name, power in monomial)
            size = "" if abs(q) == 1 and powers else str(abs(q))
            pieces.append(("-" if q < 0 else "+", "*".join(filter(None, (size, powers)))))
        if not pieces:
            return "0"
        first = pieces[0][1] if pieces[0][0] == "+" else f"-{pieces[0][1]}"
        return first + "".join(f" {sign} {text}" for sign, text in pieces[1:])


def constant(value: Fraction | int) -> Polynomial:
    """Return a constant polynomial."""
    return Polynomial.collect({(): Fraction(value)})


def variable(name: str) -> Polynomial:
    """Return the polynomial that is one variable."""
    return Polynomial.collect({((name, 1),): Fraction(1)})


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


_SMT_WORDS = {
    *("true", "false", "distinct", "ite", "xor", "let", "forall", "exists", "par"),
    *("abs", "div", "mod", "to_real", "to_int", "is_int"),
}


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
            if name in _SMT_WORDS:
                raise FormulaError(f"{name} has a meaning of its own in SMT-LIB")
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

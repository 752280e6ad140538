"""Polynomials with rational coefficients in named variables, and nothing else: dictionaries.

This is the whole of what a positivity certificate trusts.  It shares no code with a computer
algebra system or a solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Polynomial", "constant", "variable"]

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

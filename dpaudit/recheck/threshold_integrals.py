"""∫ f(z)·Π P(what is printed | z) dz, f the density of the noise of a threshold, by quadrature."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit.recheck.laplace_noise import laplace_density
from dpaudit.recheck.numbers import fraction
from dpaudit.recheck.quadrature import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.recheck.quadrature import Nodes

__all__ = ["Printed", "ThresholdIntegrals"]

Printed = tuple[tuple[int, str], ...]
"""(answer of a query, what is printed for it); sorted, since the probability has no order."""

_Kind = tuple[frozenset[int], int]
"""Which answers there are, and of how many queries."""

_MOST_KEPT = 20_000


class ThresholdIntegrals:
    """The integrals of one mechanism at one precision; longer products are made of shorter ones."""

    def __init__(
        self,
        rate: mpf,
        shares: tuple[Fraction, Fraction],
        chance: Callable[[int, str, mpf], mpf],
        knots: Callable[[int], set[Fraction]],
    ) -> None:
        """Take what is integrated.

        Args:
            rate: λ; all exponents are multiples of it.
            shares: the rates of the noise of the threshold and of an answer, over λ.
            chance: the probability that a text is printed for an answer where the noise is z.
            knots: where that changes its formula.
        """
        self._rate = rate
        self._shares = shares
        self._chance = chance
        self._knots = knots
        self._meshes: dict[_Kind, Nodes] = {}
        self._chances: dict[tuple[_Kind, tuple[int, str]], list[mpf]] = {}
        self._columns: dict[tuple[_Kind, Printed], list[mpf]] = {}
        self._found: dict[Printed, mpf] = {}

    def probability(self, printed: Printed) -> mpf:
        """Return the probability of what is printed under one noisy threshold."""
        if printed not in self._found:
            if max(len(self._found), len(self._columns)) > _MOST_KEPT:
                self._found, self._columns = {}, {}
            kind = frozenset(answer for answer, _ in printed), len(printed)
            self._found[printed] = mp.fsum(self._column(kind, printed))
        return self._found[printed]

    def _column(self, kind: _Kind, printed: Printed) -> list[mpf]:
        """Return the integrand at every node, times its weight."""
        key = kind, printed
        if key not in self._columns:
            if printed:
                shorter = self._column(kind, printed[:-1])
                column = [a * b for a, b in zip(shorter, self._row(kind, printed[-1]), strict=True)]
            else:
                rate = self._rate * fraction(self._shares[0])
                column = [weight * laplace_density(rate, z) for z, weight in self._mesh(kind)]
            self._columns[key] = column
        return self._columns[key]

    def _row(self, kind: _Kind, one: tuple[int, str]) -> list[mpf]:
        if (kind, one) not in self._chances:
            self._chances[kind, one] = [self._chance(*one, z) for z, _ in self._mesh(kind)]
        return self._chances[kind, one]

    def _mesh(self, kind: _Kind) -> Nodes:
        if kind not in self._meshes:
            answers, many = kind
            threshold, answer = self._shares
            step = Fraction(
                gcd(
                    threshold.numerator * answer.denominator,
                    answer.numerator * threshold.denominator,
                ),
                threshold.denominator * answer.denominator,
            )
            total = threshold + many * answer
            knots = sorted({Fraction(0)}.union(*map(self._knots, answers)))
            self._meshes[kind] = nodes(
                [fraction(knot) for knot in knots],
                self._rate * fraction(step),
                int(total / step),
                self._rate * fraction(total),
            )
        return self._meshes[kind]

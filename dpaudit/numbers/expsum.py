"""Exponential sums Σ q·λ^j·t^s with t = e^(−λ): the numbers that integrals of noise come out as.

λ > 0 stands for one rate, of which every rate in a mechanism is a rational multiple; the
coefficients q and the powers s are rational, j is a whole number.  Sums and products are formal,
so nothing is rounded and no λ need be known.  A sum is turned into a number by :meth:`ExpSum.at`
(in closed form) or :meth:`ExpSum.ball`.  Where λ is rational and not 0, different sums without
powers of λ are different numbers (Lindemann-Weierstrass).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from flint import fmpq

from dpaudit.numbers.ball import Ball, ball, integer_power, working_precision
from dpaudit.numbers.real import ONE, ZERO, Real, rational

__all__ = ["EXPSUM_ONE", "EXPSUM_ZERO", "ExpSum"]

Power = tuple[int, Fraction]
"""The powers (j, s) of λ and of t."""


class ExpSum:
    """Σ q·λ^j·t^s; immutable and hashable.

    >>> half = ExpSum.term(Fraction(1, 2))
    >>> print(half - half * ExpSum.term(1, s=Fraction(3, 2)), (half - half).is_zero())
    1/2 - 1/2*t^(3/2) True
    """

    __slots__ = ("_grid", "_hash", "_terms")
    _grid: int
    """A common denominator of the powers of t."""
    _terms: dict[tuple[int, int], fmpq]
    """(j, ``_grid``·s) → q, none of them 0: whole numbers are hashed and added quickly."""
    _hash: int | None
    """Hash, computed when first needed: it costs more than most sums are worth."""

    def __init__(self, terms: Mapping[Power, Fraction]) -> None:
        """Keep the non-zero ``terms`` (j, s) → q."""
        self._grid = grid = math.lcm(*(s.denominator for _, s in terms))
        self._terms = {
            (j, s.numerator * (grid // s.denominator)): _exact(q)
            for (j, s), q in terms.items()
            if q
        }
        self._hash = None

    @staticmethod
    def _of(grid: int, terms: dict[tuple[int, int], fmpq]) -> ExpSum:
        found = ExpSum.__new__(ExpSum)
        found._grid, found._hash = grid, None
        found._terms = {power: q for power, q in terms.items() if q}
        return found

    @staticmethod
    def term(q: Fraction | int, *, j: int = 0, s: Fraction | int = 0) -> ExpSum:
        """Return q·λ^j·t^s."""
        return ExpSum({(j, Fraction(s)): Fraction(q)})

    @property
    def terms(self) -> dict[Power, Fraction]:
        """The terms (j, s) → q, none of them 0."""
        return {
            (j, Fraction(e, self._grid)): Fraction(int(q.p), int(q.q))
            for (j, e), q in self._terms.items()
        }

    def is_zero(self) -> bool:
        """Tell whether this is the empty sum."""
        return not self._terms

    def _on(self, grid: int) -> dict[tuple[int, int], fmpq]:
        """Return the terms with powers of t counted in another grid, a multiple of the own."""
        if grid == self._grid:
            return self._terms
        factor = grid // self._grid
        return {(j, e * factor): q for (j, e), q in self._terms.items()}

    def __eq__(self, other: object) -> bool:
        """Compare the formal sums."""
        if not isinstance(other, ExpSum) or len(self._terms) != len(other._terms):
            return False
        grid = math.lcm(self._grid, other._grid)
        return self._on(grid) == other._on(grid)

    def __hash__(self) -> int:
        """Hash the formal sum."""
        if self._hash is None:
            common = math.gcd(self._grid, *(e for _, e in self._terms))
            self._hash = hash(
                (
                    self._grid // common,
                    frozenset((j, e // common, q.p, q.q) for (j, e), q in self._terms.items()),
                )
            )
        return self._hash

    def __reduce__(self) -> tuple[type[ExpSum], tuple[dict[Power, Fraction]]]:
        """Pickle the terms."""
        return ExpSum, (self.terms,)

    def __neg__(self) -> ExpSum:
        """Return −self."""
        return ExpSum._of(self._grid, {power: -q for power, q in self._terms.items()})

    def __add__(self, other: ExpSum) -> ExpSum:
        """Return self + other."""
        grid = math.lcm(self._grid, other._grid)
        total = dict(self._on(grid))
        for power, q in other._on(grid).items():
            total[power] = total[power] + q if power in total else q
        return ExpSum._of(grid, total)

    def __sub__(self, other: ExpSum) -> ExpSum:
        """Return self − other."""
        return self + -other

    def __mul__(self, other: ExpSum) -> ExpSum:
        """Return self · other."""
        grid = math.lcm(self._grid, other._grid)
        total: dict[tuple[int, int], fmpq] = {}
        others = list(other._on(grid).items())
        for (j, e), p in self._on(grid).items():
            for (k, f), q in others:
                power = j + k, e + f
                total[power] = total[power] + p * q if power in total else p * q
        return ExpSum._of(grid, total)

    def times(self, q: Fraction | int, *, j: int = 0, s: Fraction | int = 0) -> ExpSum:
        """Return self · q·λ^j·t^s."""
        grid, factor = math.lcm(self._grid, s.denominator), _exact(q)
        step = s.numerator * (grid // s.denominator)
        return ExpSum._of(
            grid, {(k + j, e + step): p * factor for (k, e), p in self._on(grid).items()}
        )

    def monomial_quotient(self, other: ExpSum) -> ExpSum | None:
        """Return the one term m with self = m·``other``, or None if there is none.

        >>> p = ExpSum({(0, Fraction(1)): Fraction(1), (0, Fraction(2)): Fraction(-1)})
        >>> print(p.times(Fraction(3), s=-1).monomial_quotient(p))
        3*t^(-1)
        """
        if not other._terms or len(self._terms) != len(other._terms):
            return None
        grid = math.lcm(self._grid, other._grid)
        above, below = self._on(grid), other._on(grid)
        # A product with one term keeps the order of powers, so the least go together.
        (j, e), (k, f) = min(above), min(below)
        factor = ExpSum._of(grid, {(j - k, e - f): above[j, e] / below[k, f]})
        return factor if other * factor == self else None

    def folded(self, rate: Fraction) -> ExpSum:
        """Return the sum with the powers of λ = ``rate`` multiplied into the coefficients."""
        total: dict[tuple[int, int], fmpq] = {}
        for (j, e), q in self._terms.items():
            value = q * _exact(rate) ** j if j else q
            total[0, e] = total[0, e] + value if (0, e) in total else value
        return ExpSum._of(self._grid, total)

    def at(self, rate: Real) -> Real:
        """Return the number at λ = ``rate`` in closed form."""
        total = ZERO
        for (j, s), q in self.terms.items():
            value = _power_of_t(rate, s)
            total += rational(q) * (value if j == 0 else value * rate**j)
        return total

    def ball(self, rate: Real) -> Ball:
        """Return a ball of the number at λ = ``rate``, at the working precision."""
        bits = working_precision()
        total = Ball(0)
        for (j, e), q in self._terms.items():
            total += Ball(q) * _ball_of_power(rate, j, e, self._grid, bits)
        return total

    def __str__(self) -> str:
        """Return the sum as text, lowest powers first."""
        pieces = []
        for (j, s), q in sorted(self.terms.items()):
            powers = [f"lambda^{j}"] if j else []
            powers += [f"t^({s})"] if s else []
            minus = "-" if q < 0 else ""
            size = [] if abs(q) == 1 and powers else [str(abs(q))]
            pieces.append(minus + "*".join(size + powers))
        return (" + ".join(pieces) or "0").replace("+ -", "- ")


@lru_cache(maxsize=1 << 14)
def _power_of_t(rate: Real, s: Fraction) -> Real:
    return (rate * rational(-s)).exp() if s else ONE


@lru_cache(maxsize=1 << 14)
def _ball_of_power(rate: Real, j: int, e: int, grid: int, bits: int) -> Ball:
    """Return λ^j·t^(e/grid) at a working precision of ``bits``, which is the one in force."""
    value = rate.ball()
    return (-value * ball(Fraction(e, grid))).exp() * integer_power(value, j)


def _exact(q: Fraction | int) -> fmpq:
    return fmpq(q.numerator, q.denominator)


EXPSUM_ZERO = ExpSum({})
"""The empty sum."""
EXPSUM_ONE = ExpSum.term(1)
"""The number 1."""

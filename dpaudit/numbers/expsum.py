"""Exponential sums Σ q·λ^j·t^s with t = e^(−λ): the numbers that integrals of noise come out as.

λ > 0 stands for one rate, of which every rate in a mechanism is a rational multiple; the
coefficients q and the powers s are rational, j is a whole number.  Sums and products are formal,
so nothing is rounded and no λ need be known.  A sum is turned into a number by :meth:`ExpSum.at`
(in closed form) or :meth:`ExpSum.ball`.  Where λ is rational and not 0, different sums without
powers of λ are different numbers (Lindemann-Weierstrass).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

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

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Power, Fraction]) -> None:
        """Keep the non-zero ``terms`` (j, s) → q."""
        self.terms = {power: q for power, q in terms.items() if q}
        self._hash: int | None = None  # which costs more than most sums are worth

    @staticmethod
    def term(q: Fraction | int, *, j: int = 0, s: Fraction | int = 0) -> ExpSum:
        """Return q·λ^j·t^s."""
        return ExpSum({(j, Fraction(s)): Fraction(q)})

    def is_zero(self) -> bool:
        """Tell whether this is the empty sum."""
        return not self.terms

    def __eq__(self, other: object) -> bool:
        """Compare the formal sums."""
        return isinstance(other, ExpSum) and self.terms == other.terms

    def __hash__(self) -> int:
        """Hash the formal sum."""
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __reduce__(self) -> tuple[type[ExpSum], tuple[dict[Power, Fraction]]]:
        """Pickle the terms."""
        return ExpSum, (self.terms,)

    def __neg__(self) -> ExpSum:
        """Return −self."""
        return ExpSum({power: -q for power, q in self.terms.items()})

    def __add__(self, other: ExpSum) -> ExpSum:
        """Return self + other."""
        total = dict(self.terms)
        for power, q in other.terms.items():
            total[power] = total[power] + q if power in total else q
        return ExpSum(total)

    def __sub__(self, other: ExpSum) -> ExpSum:
        """Return self − other."""
        return self + -other

    def __mul__(self, other: ExpSum) -> ExpSum:
        """Return self · other."""
        total: dict[Power, Fraction] = {}
        for (j, s), p in self.terms.items():
            for (k, r), q in other.terms.items():
                power = j + k, s + r
                total[power] = total[power] + p * q if power in total else p * q
        return ExpSum(total)

    def times(self, q: Fraction, *, j: int = 0, s: Fraction | int = 0) -> ExpSum:
        """Return self · q·λ^j·t^s."""
        return ExpSum({(k + j, r + s): p * q for (k, r), p in self.terms.items()})

    def monomial_quotient(self, other: ExpSum) -> ExpSum | None:
        """Return the one term m with self = m·``other``, or None if there is none.

        >>> p = ExpSum({(0, Fraction(1)): Fraction(1), (0, Fraction(2)): Fraction(-1)})
        >>> print(p.times(Fraction(3), s=-1).monomial_quotient(p))
        3*t^(-1)
        """
        if not other.terms or len(self.terms) != len(other.terms):
            return None
        (j, s), (k, r) = min(self.terms), min(other.terms)
        q = self.terms[j, s] / other.terms[k, r]
        factor = ExpSum({(j - k, s - r): q})
        return factor if other.times(q, j=j - k, s=s - r) == self else None

    def folded(self, rate: Fraction) -> ExpSum:
        """Return the sum with the powers of λ = ``rate`` multiplied into the coefficients."""
        total: dict[Power, Fraction] = {}
        for (j, s), q in self.terms.items():
            total[0, s] = total.get((0, s), Fraction(0)) + q * rate**j
        return ExpSum(total)

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
        for (j, s), q in self.terms.items():
            total += ball(q) * _ball_of_power(rate, j, s, bits)
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
def _ball_of_power(rate: Real, j: int, s: Fraction, bits: int) -> Ball:
    """Return λ^j·t^s at a working precision of ``bits``, which is the one in force."""
    value = rate.ball()
    return (-value * ball(s)).exp() * integer_power(value, j)


EXPSUM_ZERO = ExpSum({})
"""The empty sum."""
EXPSUM_ONE = ExpSum.term(1)
"""The number 1."""

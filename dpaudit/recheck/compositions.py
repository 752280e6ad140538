"""δ(ε) of k independent runs on the same data, from the masses of one run.

The loss of k runs is the sum of their losses.  Where there are few multisets of k outcomes, all are
gone through; else the joint law is built one run at a time, and sums that agree to many digits are
one entry.  Merging two entries whose losses differ by h changes δ by less than h.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit.recheck.failures import UnknownDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TOO_MANY", "Composition", "standing"]

Mass = tuple[mpf, mpf]

TOO_MANY = "there are too many joint losses to go through again"
_MOST = 200_000


class Composition:
    """The joint law of k runs under Pᵏ and Qᵏ, by classes of equal loss."""

    def __init__(self, masses: list[Mass], runs: int, digits: int) -> None:
        """Compose ``runs`` runs with ``masses``; losses that agree to ``digits`` digits are one.

        Raises ``UnknownDefinitionError`` where there are too many.
        """
        self._digits = digits
        finite = _merged([one for one in masses if min(one) > 0], digits)
        self._lacking = 1 - (1 - mp.fsum(p for p, q in masses if q == 0)) ** runs
        self._joint: list[Mass]
        if comb(runs + max(len(finite), 1) - 1, runs) * max(len(finite), 1) <= _MOST:
            self._joint = list(_multisets(finite, runs))
        else:
            self._joint = self._step_by_step(finite, runs)

    def delta(self, epsilon: mpf) -> mpf:
        """Return Σ (Pᵏ − e^ε·Qᵏ)₊."""
        factor = mp.exp(epsilon)
        inside = mp.fsum(p - factor * q for p, q in self._joint if p > factor * q)
        return inside + self._lacking

    def _step_by_step(self, finite: list[Mass], runs: int) -> list[Mass]:
        joint, work = finite, 0
        for _ in range(runs - 1):
            work += len(joint) * len(finite)
            if work > _MOST:
                raise UnknownDefinitionError(TOO_MANY)
            joint = _merged([(p * a, q * b) for p, q in joint for a, b in finite], self._digits)
        return joint


def _merged(masses: list[Mass], digits: int) -> list[Mass]:
    """Return the masses by classes of a loss that is the same to so many digits."""
    unit, classes = mpf(10) ** digits, dict[int, Mass]()
    for p, q in masses:
        key = int(mp.nint(mp.log(p / q) * unit))
        a, b = classes.get(key, (mpf(0), mpf(0)))
        classes[key] = (a + p, b + q)
    return list(classes.values())


def _multisets(finite: list[Mass], runs: int) -> Iterator[Mass]:
    """Give the masses of every multiset of ``runs`` outcomes."""
    if not finite:
        return
    (p, q), *rest = finite
    if not rest:
        yield p**runs, q**runs
        return
    for count in range(runs + 1):
        ways = mpf(comb(runs, count))
        first = ways * p**count, ways * q**count
        for a, b in _multisets(rest, runs - count):
            yield first[0] * a, first[1] * b


def standing(estimate: Fraction, lower: Fraction, upper: Fraction) -> tuple[str, Fraction]:
    """Return where an estimate stands to [lower, upper], and how far above or below it is."""
    if estimate >= upper:
        return "above", estimate - upper
    return ("below", estimate - lower) if estimate < lower else ("within", Fraction(0))

"""δ(ε) of runs with Laplace noise in closed form, at any precision.

With s the shift over the scale, the moments of one run are

    M(z) = ((1 + z)·e^(zs) + z·e^(−(1 + z)s)) / (1 + 2z).

A product of K of them is a sum of terms c·(1 + z)^(K−J)·z^J·e^(za) / (1 + 2z)^K, so that the
contour integral of :mod:`dpaudit.recheck.inversion` is a sum of residues: a term of a ≤ 0 is closed
on the right, where there are no poles, and another on the left, at 0, −1/2 and −1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
from math import comb, prod
from typing import Any

from mpmath import mp, mpf

from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.losses import ball, number_of, with_bits

__all__ = ["MOST_WORK", "LaplaceRuns"]

MOST_WORK = 3_000_000
"""The most coefficients that one δ may take."""
_BEYOND = 40
"""Bits beyond those of the working precision."""


class LaplaceRuns:
    """Runs of Laplace mechanisms, each with its shift over its scale at a pair."""

    def __init__(self, runs: Sequence[int]) -> None:
        """Take how many runs each mechanism has.

        Raises:
            UnknownDefinitionError: where there are too many.
        """
        self._runs = runs
        self._all = sum(runs)
        self.work = prod(each + 1 for each in runs) * self._all
        """Number of coefficients that one δ takes."""
        if self.work > MOST_WORK:
            raise UnknownDefinitionError("there are too many runs for their closed form")

    def delta(self, shifts: Sequence[mpf], epsilon: mpf) -> mpf:
        """Return δ(ε), with the ``shifts`` of the mechanisms, at the working precision.

        Terms of both signs cancel: what is left is right to fewer digits, which more tell.
        """
        from flint import arb

        with with_bits(mp.prec + _BEYOND):
            widths, at = [ball(s) for s in shifts], ball(epsilon)
            by_count: dict[int, list[tuple[Any, Any]]] = {}
            for js in product(*(range(runs + 1) for runs in self._runs)):
                each = list(zip(self._runs, widths, js, strict=True))
                a = sum((s * (runs - 2 * j) for runs, s, j in each), -at)
                if a > 0:  # a term whose a may be 0 is next to nothing, as it is continuous
                    weight = (-sum(s * j for _, s, j in each)).exp()
                    weight *= prod(comb(runs, j) for runs, _, j in each)
                    by_count.setdefault(sum(js), []).append((weight, a))
            total = arb(0)
            for count, terms in by_count.items():
                series = self._at_half(count)
                for weight, a in terms:
                    residues = (-a / 2).exp() * series(a / 2)
                    residues += 1 if count == 0 else 0
                    residues -= (-a).exp() if count == self._all else 0
                    total += weight * residues
            return number_of(total)

    def _at_half(self, count: int) -> Any:
        """Return the residue at −1/2 of (1 + z)^(K−J−1)·z^(J−1)·e^(za) / (1 + 2z)^K.

        J is the ``count``.  The residue is e^(−a/2) times a polynomial in a/2, which is returned:
        with z = (t − 1)/2, the coefficient of t^(K−1) in (1 + t)^(K−J−1)·(t − 1)^(J−1)·e^(at/2),
        times 2^(1−K).
        """
        from flint import arb, arb_poly, fmpz, fmpz_poly

        k = self._all
        if count == 0:  # by 1/(t − 1) = −(1 + t + t² + …)
            powers = fmpz_poly([1, 1]) ** (k - 1)
            both = [-total for total in accumulate(powers.coeffs())]
        elif count == k:  # by 1/(1 + t) = 1 − t + t² − …
            powers = fmpz_poly([-1, 1]) ** (k - 1)
            both = list(accumulate(powers.coeffs(), lambda before, power: power - before))
        else:
            powers = fmpz_poly([1, 1]) ** (k - count - 1) * fmpz_poly([-1, 1]) ** (count - 1)
            both = [*powers.coeffs(), fmpz(0)]
        factor, coefficients = arb(2) ** (1 - k), []
        for m in range(k):
            coefficients.append(both[k - 1 - m] * factor)
            factor /= m + 1
        return arb_poly(coefficients)

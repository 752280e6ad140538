"""EHD, EHDL, EHDS and M_H for every nominal ε of an interval.

The scores are the Hellinger distances.  The factors are s(x) = ε/(m·S(x)): linear in ε where S(x)
is the same at every ε, so that both lines around them are the factor itself.

M_H smooths with β, and e^β = 1 + κε with κ = −1/(2·ln(δ/(2·count))) > 0 (N Def. 2.1), so that

    s(x) = min over x′ of f_x′(ε),   f_x′(ε) = ε·(1 + κε)^d(x, x′) / (m·LS(x′)).

Every f_x′ is a polynomial with coefficients ≥ 0, convex for ε > 0.  On a piece s(x) is therefore at
most the chord of any one of them, and at least the smallest of their tangents at any point: a
minimum of linear functions is concave, and on or above the chord of its ends.

*Error.*  (1 + κε)^d is d products of a number known to 3u + 2·2.01u, u = 2⁻⁵³, which makes
(8n + 4)u with the products; ε and m·LS are rounded once each.  The factor of a tangent,
1 ∓ ½w·(1/ε + κd/(1 + κε)), is asked to be at least ½ and is then known to 32u.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.notes.hellinger_screen import FloatSensitivities, float_sensitivities
from dpaudit.numbers.floats import ROUNDED_BALL_ERROR, SLACK, UNIT, Exponential, NotRounded, rounded
from dpaudit.numbers.real import Real, rational
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.scores import FactorLines, ScoredFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.notes.sensitivity import ExponentSensitivity

    Floats = NDArray[np.float64]
    Whole = NDArray[np.intp]

__all__ = ["FixedFactors", "SmoothedFactors"]

_ROWS = 1 << 16  # numbers in a block of scores
_LARGEST_PRIOR = Fraction(10**9)


class _Hellinger(ScoredFamily):
    """The scores, which all four mechanisms share."""

    def __init__(self, prior: tuple[Fraction, ...], n: int, multiple: Real) -> None:
        """Take the prior, the size and m; ``NotScreened`` for a prior beyond 10^±9."""
        if not all(1 / _LARGEST_PRIOR <= alpha <= _LARGEST_PRIOR for alpha in prior):
            raise NotScreened(
                "an interval of ε can be audited only with priors from 10^-9 to 10^9; audit single "
                "values of ε"
            )
        self.floats = FloatSensitivities(prior, n)
        super().__init__(self.floats.moves, self.floats.metric.relative_error)
        try:
            self.multiple = rounded(multiple)
        except NotRounded as reason:
            raise NotScreened(str(reason)) from None

    def scores(self) -> Iterator[Floats]:
        """Iterate over H(x, r), blocks of rows r over all columns x."""
        datasets = self.datasets
        height = max(1, min(datasets, _ROWS // datasets))
        exponents = np.empty((height, datasets))
        exponential = Exponential(exponents.shape)
        for start in range(0, datasets, height):
            rows = np.arange(start, min(start + height, datasets))
            scores = np.empty((len(rows), datasets))
            part = exponents[: len(rows)]
            self.floats.metric.exponents(rows, slice(0, datasets), part, scores)
            exponential.one_minus(part, scores)
            yield np.minimum(np.sqrt(scores), 1.0)


class FixedFactors(_Hellinger):
    """s(x) = ε/(m·S(x)) with an S that is the same at every ε."""

    def __init__(
        self,
        prior: tuple[Fraction, ...],
        n: int,
        multiple: Real,
        sensitivity: ExponentSensitivity,
    ) -> None:
        """Take what makes s(x)."""
        super().__init__(prior, n, multiple)
        try:
            values, error = float_sensitivities(sensitivity, self.floats)
        except NotRounded as reason:
            raise NotScreened(str(reason)) from None
        self.per_epsilon = 1 / (self.multiple * values)
        self.error = SLACK * (error + 2 * ROUNDED_BALL_ERROR + 4 * UNIT)
        self._ends: dict[Fraction, Floats] = {}

    def factors(self, low: Fraction, high: Fraction) -> FactorLines:
        """Return the factors, which are lines themselves."""
        for epsilon in (low, high):
            if epsilon not in self._ends:
                self._ends[epsilon] = _float(epsilon) * self.per_epsilon
        ends = (self._ends[low], self._ends[high])
        return FactorLines(ends, ends, self.error)


class SmoothedFactors(_Hellinger):
    """s(x) = ε/(m·S_β(x)) with the β of M_H, which moves with ε."""

    def __init__(self, prior: tuple[Fraction, ...], n: int, multiple: Real, growth: Real) -> None:
        """Take what makes s(x); ``growth`` is κ."""
        super().__init__(prior, n, multiple)
        local, error = self.floats.local
        try:
            self.growth = rounded(growth)
        except NotRounded as reason:
            raise NotScreened(str(reason)) from None
        counts = self.floats.metric.counts
        self.steps = (
            sum(np.abs(column[:, None] - column[None, :]) for column in counts.T) // 2
        )  # d(x, x′), one column for each x
        self._along: dict[tuple[Fraction, bytes], Floats] = {}
        self.farthest = int(self.steps.max())
        self.inverse = 1 / (self.multiple * local)
        roundings = ROUNDED_BALL_ERROR * 2 + (8 * n + 64) * UNIT
        self.error = SLACK * (error * 1.002 + roundings)

    def factors(self, low: Fraction, high: Fraction) -> FactorLines | None:
        """Return lines around the smallest of the polynomials f."""
        middle = (low + high) / 2
        half = _float((high - low) / 2)
        grown = self.growth / (1 + self.growth * _float(middle))
        # Beyond ½ the tangent is too steep for the proved error: the piece has to be cut.
        if not half * (1 / _float(middle) + grown * self.farthest) <= 0.5:
            return None
        at_middle = self._polynomials(middle)
        steepness = half * (1 / _float(middle) + grown * self.steps)
        lower = (
            np.min(at_middle * (1 - steepness), axis=0),
            np.min(at_middle * (1 + steepness), axis=0),
        )
        best = at_middle.argmin(axis=0)  # any choice is a bound; the smallest is a close one
        upper = (self._chosen(low, best), self._chosen(high, best))
        return FactorLines(lower, upper, self.error)

    def bends(self, low: Fraction, high: Fraction) -> Iterable[float]:
        """Return also where one polynomial of a pair that decides takes over from another."""
        places = list(super().bends(low, high))
        for x in {dataset for pair, _ in self.reaching for dataset in pair}:
            first, last = (
                int((self.inverse * self._powers(end)[self.steps[:, x]]).argmin())
                for end in (low, high)
            )
            apart = int(self.steps[first, x] - self.steps[last, x])
            if apart:
                quotient = float(self.inverse[last] / self.inverse[first])
                places.append((quotient ** (1 / apart) - 1) / self.growth)
        return places

    def _polynomials(self, epsilon: Fraction) -> Floats:
        """Return f_x′(ε), a row for each x′ and a column for each x."""
        values: Floats = (_float(epsilon) * self.inverse)[:, None] * self._powers(epsilon)[
            self.steps
        ]
        return values

    def _chosen(self, epsilon: Fraction, best: Whole) -> Floats:
        """Return f_x′(ε) for one x′ for each x."""
        key = (epsilon, best.tobytes())
        if key not in self._along:
            powers = self._powers(epsilon)[self.steps[best, np.arange(self.datasets)]]
            self._along[key] = _float(epsilon) * self.inverse[best] * powers
        return self._along[key]

    def _powers(self, epsilon: Fraction) -> Floats:
        """Return (1 + κε)^d for every d."""
        base = 1 + self.growth * _float(epsilon)
        return np.concatenate([[1.0], np.cumprod(np.full(self.farthest, base))])


def _float(epsilon: Fraction) -> float:
    try:
        return rounded(rational(epsilon))
    except NotRounded as reason:
        raise NotScreened(str(reason)) from None

"""The realised ε of exponential mechanisms for every nominal ε of a piece, in floats.

The laws are P_x(r) ∝ e^(−u_x·D(x, r)) with scores 0 ≤ D(x, r) ≤ 1 that ε does not touch, D(x, x)
being 0, and factors u_x > 0 that grow with it.  On a piece, with θ from 0 at its first ε to 1 at
its last, every factor lies between two lines, ℓ_x(θ) ≤ u_x ≤ c_x(θ), which often coincide.  With

    g_x(u) = ln Σ_r e^(−u·D(x, r)),   g_x′(u) = −E_x[D],   g_x″(u) = Var_x[D] ≥ 0,

the loss of a pair in one direction is max over r of (u_y·D(y, r) − u_x·D(x, r)), plus g_y(u_y),
minus g_x(u_x).  Each part is bounded by a line over θ:

* *The maximum.*  At every r the bracket is at most c_y·D(y, r) − ℓ_x·D(x, r), which is linear in θ;
  the maximum of linear functions is convex, so it is on or below its chord.
* *g_y from above.*  g_y falls with u, so g_y(u_y) ≤ g_y(ℓ_y(θ)), which is convex in θ (a convex
  function of a linear one) and on or below its chord.  Where ℓ and c are near, the ends need no
  sums of their own: g(ℓ) ≤ g(c) + (c − ℓ)·E_c[D] + (c − ℓ)²/8, as a variance of scores is ≤ 1/4.
* *g_x from below.*  g_x(u_x) ≥ g_x(c_x(θ)), convex again, so on or above its tangents at both ends.
  The larger of the two tangents is nowhere more than pq/(p + q) below the chord, where p is the
  slope of the chord less that of the tangent at 0 and q that of the tangent at 1 less that of the
  chord: the distances are pθ and q(1 − θ).  So g_x is on or above the chord, moved down by that.

The sum is a line for each pair and direction, and the line through the largest values at either
end is on or above all of them.  From below one pair and one of its outputs are enough: at a fixed
r, ℓ_y·D(y, r) − c_x·D(x, r) is linear; g_y and g_x change their parts.  The two lines are apart by
O(w²) on a piece of width w, and nothing is assumed of how realised privacy depends on ε.

*Error.*  Scores are known to a relative error e, the ends of the lines to f.  A weight û·D̂ is then
within a = u(e + f + 3·2⁻⁵³) of the weight at the true end, and z, the relative error of the sum of
N exponentials, at most a(1 + a) + (26 + N)·2⁻⁵³ + N·4.3·10⁻¹⁸, as the sum is at least e⁰ = 1
(see :mod:`dpaudit.screens.exponents`).  The logarithm of a library is not trusted but corrected:
if Ẑ·e^(−y) is within η of 1 then ln Ẑ is within 1.01η of y, for η < 1/100.  Σ D·e^(−uD) has the
relative error z + e + 2⁻⁵³ but for what lies beyond the cut of the exponential, at most
N·4.3·10⁻¹⁸.  All of these are bounds on both sides, added where they belong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpaudit.laws.over_epsilon import UNKNOWN_LINES, Ends, EpsilonFamily, Lines
from dpaudit.machine import available
from dpaudit.numbers.floats import EXPONENTIAL_CUT, EXPONENTIAL_ERROR, SLACK, UNIT, Exponential
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.logarithms import checked_logarithm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dpaudit.data.arrays import Moves

    Floats = NDArray[np.float64]
    Whole = NDArray[np.intp]

__all__ = ["MOST_SCORED", "FactorLines", "ScoredFamily"]

MOST_SCORED = 4096
"""Of more datasets the scores are not held."""

_BLOCK = 1 << 16
_SPARE = 1e-4
"""Of the nominal ε: how much a normaliser may be bounded too high for not being summed."""
_DEEP = 1e-3
"""Least relative separation of the lines of two pairs for a cut where they cross."""
_LARGEST_FACTOR = 1e6
"""Beyond it nothing would be learned from floats."""


class FactorLines(NamedTuple):
    """Lines around the factors of all datasets on one piece."""

    lower: tuple[Floats, Floats]
    """ℓ at the first and the last ε."""
    upper: tuple[Floats, Floats]
    """c there: the very same arrays where the lines coincide."""
    error: float
    """The relative error of all of them."""


@dataclass(frozen=True)
class _Sums:
    """Sums over outputs at one factor, for each dataset."""

    log: Floats
    """g, to within :attr:`log_error`."""
    log_error: Floats
    mean: Floats
    """−g′, the mean score, to within :attr:`mean_error`."""
    mean_error: Floats


class ScoredFamily(EpsilonFamily, ABC):
    """Exponential mechanisms with scores that ε does not touch; see the module."""

    moves: Moves
    """The pairs."""
    score_error: float
    """The relative error of the scores."""

    def __init__(self, moves: Moves, score_error: float) -> None:
        """Take the pairs, and the relative error of :meth:`scores`."""
        self.moves, self.score_error = moves, score_error
        self.datasets = len(moves.ranks)
        if self.datasets > MOST_SCORED:
            raise NotScreened(
                f"{self.datasets} datasets with as many outputs are more than the {MOST_SCORED} "
                "whose scores are held for an audit over an interval"
            )
        if 10 * self.datasets**2 > available():
            raise NotScreened(f"there is no memory for the scores of {self.datasets} datasets")
        self.pairs = len(moves.categories) * moves.shared_count
        self._sums: dict[int, tuple[Floats, _Sums]] = {}
        self._spreads: dict[tuple[int, int], tuple[Floats, Floats, Floats]] = {}
        self._held: list[Floats] = []
        self.reaching: list[tuple[tuple[int, int], Ends]] = []
        """Pairs that reach furthest at either end of the last piece, with their lines."""

    @abstractmethod
    def scores(self) -> Iterator[Floats]:
        """Iterate over D̂(x, r), blocks of rows r over all columns x, in order of r."""

    @abstractmethod
    def factors(self, low: Fraction, high: Fraction) -> FactorLines | None:
        """Return lines around the factors for ε from ``low`` to ``high``; None if it is too long.

        Arrays that serve several pieces are the very same objects: what follows from them is kept.
        """

    def _blocks(self) -> list[Floats]:
        if not self._held:
            self._held = list(self.scores())
        return self._held

    def lines(self, low: Fraction, high: Fraction) -> Lines:
        """Return the lines; see the module for their proof."""
        self.reaching = []
        factors = self.factors(low, high)
        if factors is None:
            return UNKNOWN_LINES
        if not max(end.max() for end in factors.upper) < _LARGEST_FACTOR:
            raise NotScreened(
                "an interval of ε can be audited only while ε/(m·S(x)) stays below 10^6; audit "
                "single values of ε, or give a smaller largest ε"
            )
        above = [self._at(end, factors.error) for end in factors.upper]
        spare = _SPARE * float(low)
        risen = [
            self._risen(under, c, sums, factors.error, spare)
            for under, c, sums in zip(factors.lower, factors.upper, above, strict=True)
        ]
        sunk = [one.log - one.log_error for one in above]
        drop = _drop(sunk, above, factors)
        best = -np.inf
        ends = np.full(2, -np.inf)
        worst: tuple[int, int] = (0, 0)
        self.reaching = [(worst, (0.0, 0.0))] * 2
        spreads = [
            self._spread(c, under) for c, under in zip(factors.upper, factors.lower, strict=True)
        ]
        for index, (i, j) in enumerate(self.moves.categories):
            for forward in (True, False):
                # The record in category j comes first: x = ends[j], y = ends[i].
                x, y = self.moves.ends[j], self.moves.ends[i]
                if not forward:
                    x, y = y, x
                found = [
                    spread[0 if forward else 1][index]
                    + self._doubt(c[y] + under[x], factors.error)
                    + (up[y] - down[x])
                    + drop[x]
                    + 8 * UNIT * (c[y] + under[x] + np.abs(up[y]) + np.abs(down[x]) + drop[x])
                    for spread, c, under, up, down in zip(
                        spreads, factors.upper, factors.lower, risen, sunk, strict=True
                    )
                ]
                for end, one in enumerate(found):
                    place = int(one.argmax())
                    if one[place] > ends[end]:
                        ends[end] = one[place]
                        both = (float(found[0][place]), float(found[1][place]))
                        self.reaching[end] = (self._pair(x, y, place), both)
                total = found[0] + found[1]
                place = int(total.argmax())
                if total[place] > best:
                    best = float(total[place])
                    worst = self._pair(x, y, place)
        if not np.isfinite(ends).all():
            raise NotScreened("a loss is not a number")
        lower = self._from_below(*worst, factors, risen, above)
        first, last = (Fraction(float(end)) for end in ends)
        return Lines(lower, (first, last))

    def bends(self, low: Fraction, high: Fraction) -> Iterable[float]:
        """Return where the lines of the pairs cross that reach furthest at either end."""
        if not self.reaching:
            return ()
        (_, (high_first, low_last)), (_, (low_first, high_last)) = self.reaching
        falls, rises = high_first - low_first, high_last - low_last
        if min(falls, rises) > _DEEP * high_last:
            return [float(low) + float(high - low) * falls / (falls + rises)]
        return ()

    def _pair(self, x: Whole | slice, y: Whole | slice, place: int) -> tuple[int, int]:
        return int(self.moves.ranks[x][place]), int(self.moves.ranks[y][place])

    def _doubt(self, factors: Floats, error: float) -> Floats:
        """Return a bound on the error of weights, given the sum of their factors."""
        doubt: Floats = SLACK * factors * (self.score_error + error + 4 * UNIT)
        return doubt

    def _from_below(
        self,
        x: int,
        y: int,
        factors: FactorLines,
        risen: list[Floats],
        above: list[_Sums],
    ) -> tuple[Fraction, Fraction]:
        """Return the ends of a line that the loss of x against y is nowhere below."""
        scores = [np.concatenate([block[:, one] for block in self._blocks()]) for one in (x, y)]
        at_x, at_y = scores
        first = factors.lower[0][y] * at_y - factors.upper[0][x] * at_x
        r = int(first.argmax())
        # g_y is bounded from below by the chord of what is sunk, and moved down; g_x from above.
        drop = _drop([one.log - one.log_error for one in above], above, factors)[y]
        ends = []
        for under, c, low, high in zip(factors.lower, factors.upper, risen, above, strict=True):
            size = under[y] + c[x]
            value = under[y] * at_y[r] - c[x] * at_x[r]
            value += high.log[y] - high.log_error[y] - low[x] - drop
            doubt = self._doubt(size, factors.error)
            doubt += 16 * UNIT * (size + abs(high.log[y]) + abs(low[x]) + drop)
            ends.append(Fraction(float(np.nextafter(value - doubt, -np.inf))))
        return ends[0], ends[1]

    def _risen(self, under: Floats, c: Floats, sums: _Sums, error: float, spare: float) -> Floats:
        """Return upper bounds of g at ℓ, from what is known at c where that is near enough."""
        # The lines coincide, so what is known at c is known at ℓ.
        if under is c:
            return sums.log + sums.log_error
        gap = np.maximum(c - under, 0.0)
        rest = gap * gap / 8
        found: Floats = (
            sums.log
            + sums.log_error
            + SLACK * (gap * (sums.mean + sums.mean_error) + rest + 8 * UNIT * sums.log)
        )
        found += self._doubt(under, error)
        far = np.flatnonzero(rest > spare)
        if len(far):
            exact = self._summed(under[far], error, [block[:, far] for block in self._blocks()])
            found[far] = exact.log + exact.log_error
        return found

    def _at(self, factors: Floats, error: float) -> _Sums:
        known = self._sums.get(id(factors))
        if known is not None:  # the array is held beside, so its id is its own
            return known[1]
        found = self._summed(factors, error, self._blocks())
        self._sums[id(factors)] = (factors, found)
        return found

    def _summed(self, factors: Floats, error: float, blocks: Sequence[Floats]) -> _Sums:
        datasets = self.datasets  # as many outputs
        total, weighted = np.zeros(len(factors)), np.zeros(len(factors))
        exponential: Exponential | None = None
        for block in blocks:
            if exponential is None:
                exponential = Exponential(block.shape)
                scratch = np.empty(block.shape)
            power = scratch[: len(block)]
            np.multiply(block, factors, out=power)
            exponential.minus(power, power)
            total += np.add.reduce(power, axis=0)
            np.multiply(power, block, out=power)
            weighted += np.add.reduce(power, axis=0)
        doubt = self._doubt(factors, error)
        if not doubt.max() < 1e-3:
            raise NotScreened("the weights are too uncertain")
        relative = SLACK * (
            doubt * (1 + doubt)
            + EXPONENTIAL_ERROR
            + (16 + datasets) * UNIT
            + datasets * EXPONENTIAL_CUT
        )
        log, log_error = checked_logarithm(total)
        mean = weighted / total
        return _Sums(
            log,
            SLACK * (1.01 * relative + log_error + 4 * UNIT * log),
            mean,
            SLACK * (mean * (2.1 * relative + self.score_error + 4 * UNIT))
            + 2 * datasets * EXPONENTIAL_CUT,
        )

    def _spread(self, c: Floats, under: Floats) -> tuple[Floats, Floats, Floats]:
        """Return max over r of c_y·D(y, r) − ℓ_x·D(x, r) in both directions of every pair."""
        key = (id(c), id(under))
        if key in self._spreads and c is under:
            return self._spreads[key]
        moves = self.moves
        forward = np.full((len(moves.categories), moves.shared_count), -np.inf)
        backward = forward.copy()
        for block in self._blocks():
            up = block * c
            down = up if c is under else block * under
            for index, (i, j) in enumerate(moves.categories):
                first, second = moves.ends[i], moves.ends[j]
                difference = (up[:, first] - down[:, second]).max(axis=0)
                np.maximum(forward[index], difference, out=forward[index])
                difference = (up[:, second] - down[:, first]).max(axis=0)
                np.maximum(backward[index], difference, out=backward[index])
        found = (forward, backward, c)
        if c is under:  # held by the sums as well, so its id stays its own
            self._spreads[key] = found
        return found


def _drop(sunk: list[Floats], above: list[_Sums], factors: FactorLines) -> Floats:
    """Return how far below the chord of ``sunk`` the tangents at its ends can be."""
    first, last = factors.upper
    rise = last - first
    doubt = SLACK * (first + last) * (factors.error + UNIT)
    chord = sunk[1] - sunk[0]
    rounding = 4 * UNIT * (np.abs(sunk[0]) + np.abs(sunk[1]))
    steep, flat = above
    # −(rise)·E at the ends, bounded on the side that makes the drop larger.
    at_first = -(np.maximum(rise + doubt, 0.0) * (steep.mean + steep.mean_error)) * SLACK_UP
    at_last = -(np.maximum(rise - doubt, 0.0) * np.maximum(flat.mean - flat.mean_error, 0.0))
    p = np.maximum(chord - at_first + rounding, 0.0)
    q = np.maximum(at_last * SLACK_DOWN - chord + rounding, 0.0)
    both = p + q
    drop: Floats = SLACK * np.divide(p * q, both, out=np.zeros_like(both), where=both > 0)
    return drop


SLACK_UP, SLACK_DOWN = 1 + 8 * UNIT, 1 - 8 * UNIT
"""Factors that cover the roundings of a handful of operations."""

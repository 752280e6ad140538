"""A joint exact test of two binomial counts, and the lower bounds of ε and δ that it gives.

An event has probabilities P under one dataset and Q under its neighbour; of n draws of each, a and
b are in it.  Differential privacy at (ε, δ) asserts P ≤ e^ε·Q + δ, and the samples speak against it
as far as they are from every such pair (P, Q):

    D(a, b; ε, δ) = min over P ≤ e^ε·Q + δ of n·(KL(a/n ‖ P) + KL(b/n ‖ Q)).

*Order.*  Results are ordered by s(a, b), the largest ε (or δ, with the other fixed) at which
D ≥ κ, for one κ fixed beforehand.  R(s) = {s(a, b) ≥ s} shrinks as s grows, whatever the truth is.

*Bound.*  With s the order of what was seen, the lower bound is the largest ε at which

    sup over P ≤ e^ε·Q + δ of  Pr(R(s)) ≤ α − γ,    Q restricted to an interval of confidence 1 − γ.

If it exceeds the true ε, then either the interval misses Q (probability at most γ), or the true
pair gives R(s) a probability of at most α − γ (Buehler 1957; Berger and Boos 1994): together at
most α.  Two separate bounds of P and Q would have to share α and be wrong together, which is far
rarer.

*Arithmetic.*  R(s) is a staircase: a ≥ a*(b).  a* is found in floats, with κ lowered by a part in
10⁶ so that no point is missed.  Pr(R(s)) = Σ P(B = b)·P(A ≥ a*(b)) rises with P and falls with Q,
so on a cell q₁ ≤ Q ≤ q₂ it is at most its value at (e^ε·q₂ + δ, q₁), bounded in
:mod:`dpaudit.sampling.binomial`; cells are halved until they decide.

*Search.*  The bound is the last point of a bisection that is rejected.  To look at all cells takes
long, and most points of the bisection are decided by points near to the root: what is rejected at
one value is at all below it.  So the root of the one cell that seems to decide is estimated first,
and all cells are looked at there.  An estimate that is off costs time, and changes no bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from math import asin, exp, inf, log, nextafter, sqrt
from operator import ge
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from dpaudit.sampling.binomial import Window, at_least, at_most, window

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Counts", "JointTest", "distance", "orders"]

_SLACK = 1e-6
"""By what part κ is lowered: the errors of D in floats are smaller by orders of magnitude."""
_SPARE = 1 / 64
"""The part of α that the interval for Q takes."""
_MORE = 0.7
"""By what κ is above that of a normal law of the same α: at small Q tails are heavier."""
_DEEPEST = 3
_STEPS = 42
"""Enough for D and s, which have a slack: 50 halved so often is below 10⁻¹⁰."""
_LARGEST = 700.0
"""Of a larger ε nothing is said: no draws are so many that it could be contradicted."""
_BACK = 1e-3
"""By what part a value lies below one that is not rejected, where the next is tried."""
_ATTEMPTS = 5
"""Number of estimates of the root of which one has to be rejected, before 0 is looked at."""
_SECANTS = 5
_LEAST_LIKELY = 1e-300
_KEPT = 32
"""Number of windows kept: halves of a cell have one end in common with the whole."""
_FINE = 32
"""Number of bisections for each end of the interval of Q."""


@dataclass(frozen=True)
class Counts:
    """Number of draws in the event for each of two datasets, of ``draws`` each."""

    draws: int
    first: int
    second: int


def _relative_entropy(x: Floats, p: Floats) -> Floats:
    """Return KL(x ‖ p) of two coins; infinite where p excludes what x has."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(x > 0, x * np.log(x / p), 0.0)
        tails = np.where(x < 1, (1 - x) * np.log((1 - x) / (1 - p)), 0.0)
    # The sum cancels where x is near p: there the series (x − p)²/(2p(1 − p)) is as good.
    total = heads + tails
    return np.maximum(np.where(np.isnan(total), np.inf, total), 0.0)


def distance(a: Floats, b: Floats, c: Floats | float, delta: Floats | float) -> Floats:
    """Return min of KL(a ‖ P) + KL(b ‖ Q) over P ≤ c·Q + δ, for frequencies a and b."""
    outside = a > c * b + delta
    q = _nearest(a, b, c, delta)
    divergence = _relative_entropy(a, np.minimum(c * q + delta, 1.0)) + _relative_entropy(b, q)
    return np.where(outside, divergence, 0.0)


def _nearest(a: Floats, b: Floats, c: Floats | float, delta: Floats | float) -> Floats:
    """Return Q of the nearest pair with P = c·Q + δ: an error e of it moves D by e² only."""
    low, high = b + 0.0 * c, np.maximum(np.minimum((a - delta) / c, 1.0), b)
    if not np.any(delta):  # the slope is 0 at a root of a quadratic
        half = (c * (1.0 + b) + 1.0 + a) / 2
        root = (a + b) / (half + np.sqrt(np.maximum(half * half - 2.0 * c * (a + b), 0.0)))
        return np.clip(root, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_STEPS):
            q = (low + high) / 2
            p = np.minimum(c * q + delta, 1.0)
            right = c * (p - a) / (p * (1 - p)) + (q - b) / (q * (1 - q)) > 0
            high, low = np.where(right, q, high), np.where(right, low, q)
    return (low + high) / 2


def orders(
    draws: int,
    counts: tuple[Floats, Floats],
    kappa: float,
    kind: Literal["epsilon", "delta"],
    other: float,
) -> Floats:
    """Return s of counts: the largest ε (δ) with D ≥ κ, the ``other`` fixed; −∞ for none."""
    a, b = (count / draws for count in counts)

    def reached(value: Floats) -> NDArray[np.bool_]:
        c, delta = (np.exp(value), other) if kind == "epsilon" else (exp(other), value)
        return draws * distance(a, b, c, delta) >= kappa

    low = np.zeros(len(a))
    high = low + (50.0 if kind == "epsilon" else 1.0)
    none = ~reached(low)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        far = reached(middle)
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    return np.where(none, -inf, low)


class JointTest:
    """The test of one event, for one of the two bounds, the other parameter fixed."""

    def __init__(
        self, counts: Counts, alpha: float, kind: Literal["epsilon", "delta"], other: float
    ) -> None:
        """Take what was counted, the error probability, what is bounded and the other parameter."""
        self.counts, self.alpha, self.kind, self.other = counts, alpha, kind, other
        self.order = -inf
        if kind == "delta" and other > _LARGEST:
            return
        self.kappa = NormalDist().inv_cdf(alpha) ** 2 / 2 + _MORE
        both = np.array([float(counts.first)]), np.array([float(counts.second)])
        self.order = float(orders(counts.draws, both, self.kappa, kind, other)[0])
        self.target = alpha * (1 - _SPARE)
        self.deviations = sqrt(2 * log(1 / alpha)) + 3
        if self.order > -inf:
            self.low, self.high = self._interval(alpha * _SPARE / 2)
            self.thresholds, self.first = self._staircase()
            self.decisive = counts.second / counts.draws
            self._seconds = lru_cache(_KEPT)(self._window_of_second)
            self._tails = lru_cache(_KEPT)(self._tails_of_first)

    def _interval(self, error: float) -> tuple[float, float]:
        """Return an interval that contains Q but with probability 2·error (Clopper-Pearson)."""
        n, b = self.counts.draws, self.counts.second
        low, high = 0.0, 1.0
        if b > 0:
            low = _largest(lambda q: at_least(n, q, b) <= error, 0.0, b / n)
        if b < n:
            high = 1.0 - _largest(lambda r: at_most(n, 1.0 - r, b) <= error, 0.0, 1.0 - b / n)
            high = min(1.0, nextafter(high, inf))
            # The bisection may end just short: widened until the certified bound holds.
            while high < 1.0 and at_most(n, high, b) > error:
                high = min(1.0, nextafter(high * (1 + 1e-12), inf))
        return low, high

    def _slope(self, value: float) -> tuple[float, float]:
        """Return e^ε, rounded up, and δ, where the bounded parameter is ``value``."""
        epsilon, delta = (value, self.other) if self.kind == "epsilon" else (self.other, value)
        # exp may be an ulp too small; a larger e^ε only makes the test more cautious.
        return nextafter(exp(epsilon) * (1 + 4e-16), inf), delta

    def _staircase(self) -> tuple[NDArray[np.int64], int]:
        """Return a*(b) − no point of R(s) lies below it − from the first b of a window on."""
        n = self.counts.draws
        first = window(n, self.low, self.deviations)[0]
        last = window(n, self.high, self.deviations)[1]
        c, delta = self._slope(self.order * (1 - 1e-9))
        kappa = self.kappa * (1 - _SLACK)
        b = np.arange(first, last + 1)
        frequency = b / n
        low = np.minimum(np.floor((c * frequency + delta) * n), n + 1).astype(np.int64)
        high = np.full(len(b), n + 1, dtype=np.int64)
        while True:
            open_ = high - low > 1
            if not open_.any():
                return high, first
            middle = (low + high) // 2
            far = n * distance(np.minimum(middle / n, 1.0), frequency, c, delta) >= kappa
            high = np.where(open_ & far, middle, high)
            low = np.where(open_ & ~far, middle, low)

    def rejects(self, value: float) -> bool:
        """Tell whether every pair (P, Q) that keeps the budget gives R(s) less than α − γ."""
        if not self._may_reject(value):
            return False  # where this ends, most often
        c, delta = self._slope(value)
        cells = [(x, y, 0) for x, y in pairwise(self._edges(c, delta))]
        cells.sort(key=lambda cell: -abs(cell[0] - self.decisive))
        while cells:
            low, high, depth = cells.pop()
            if self._most_likely(c, delta, (low, high)) <= self.target:
                continue
            middle = (low + high) / 2
            if depth >= _DEEPEST or not low < middle < high:
                self.decisive = low
                return False
            cells += [(low, middle, depth + 1), (middle, high, depth + 1)]
        return True

    def _may_reject(self, value: float) -> bool:
        """Tell whether the pair nearest to what was seen does; it takes but one of them not to."""
        if self.order == -inf or (self.kind == "epsilon" and value > _LARGEST):
            return False
        c, delta = self._slope(value)
        observed = min(max(self.counts.second / self.counts.draws, self.low), self.high)
        return self._probability(min(1.0, c * observed + delta), observed) <= self.target

    def _edges(self, c: float, delta: float) -> list[float]:
        """Return the ends of cells that are a part of a standard deviation wide, of either side."""
        count = max(16, int(3 * self.deviations))
        low, high = (asin(sqrt(min(c * q + delta, 1.0))) for q in (self.low, self.high))
        firsts = np.sin(np.linspace(low, high, count + 1)) ** 2
        seconds = np.sin(np.linspace(asin(sqrt(self.low)), asin(sqrt(self.high)), count + 1)) ** 2
        inner = [*map(float, seconds), *(float(p - delta) / c for p in firsts)]
        return [self.low, *sorted({q for q in inner if self.low < q < self.high}), self.high]

    def _most_likely(self, c: float, delta: float, cell: tuple[float, float]) -> float:
        """Return an upper bound of Pr(R(s)) for all pairs with P ≤ c·Q + δ and Q in a cell."""
        low, high = cell
        return self._probability(min(1.0, nextafter(c * high + delta, inf)), low)

    def _probability(self, p: float, q: float) -> float:
        """Return an upper bound of Pr(R(s))."""
        seconds = self._seconds(q)
        rest = seconds.below + seconds.above
        low, tails = self._tails(p)
        if low > self.counts.draws:
            return rest
        index = np.clip(self.thresholds - low, 0, len(tails) - 1)
        # No product of vectors: its library would start threads, which take longer than this.
        return float((seconds.terms * tails[index]).sum() * (1 + 1e-9) + rest)

    def _window_of_second(self, q: float) -> Window:
        """Return the probabilities of the second counts that may have a threshold."""
        return Window(self.counts.draws, q, self.first, self.first + len(self.thresholds) - 1)

    def _tails_of_first(self, p: float) -> tuple[int, NDArray[np.float64]]:
        """Return the least first count in a window, and the tails from there on; none beyond n."""
        n = self.counts.draws
        low, high = window(n, p, self.deviations + 2)
        low = max(low, int(self.thresholds[0]))
        if low > n:
            return low, np.zeros(0)
        if low > high:
            high = min(n, low + 64)
        return low, Window(n, p, low, max(high, low)).tails()

    def bound(self, digits: int = 4) -> float:
        """Return the lower bound: the largest value that is certainly rejected; −∞ for none.

        It is at most 10^−``digits`` of itself, or a thousandth of that, below the largest.
        """
        if not self._may_reject(0.0):
            return -inf
        above = self._searched(self._may_reject, digits)
        guess, surely, open_ = self._root_below(above), 0.0, inf
        for attempt in range(_ATTEMPTS):
            value = self._searched(partial(ge, guess), digits)
            if value <= 0.0 or self.rejects(value):
                surely = max(value, 0.0)
                break
            open_ = value
            guess = min(self._root_below(value), value * (1 - _BACK * 4**attempt))
        if surely == 0.0 and not self.rejects(0.0):
            return -inf

        def holds(value: float) -> bool:
            return value <= surely or (value < open_ and self.rejects(value))

        return self._searched(holds, digits)

    def _root_below(self, value: float) -> float:
        """Return roughly the largest value that is rejected, from one that is not far above it.

        That is where the bound of the cell that is likeliest at ``value`` falls to the target: its
        logarithm is nearly linear (secant method).
        """
        c, delta = self._slope(value)
        likely = partial(self._most_likely, c, delta)
        low, high = max(pairwise(self._edges(c, delta)), key=likely)
        for _ in range(_DEEPEST):
            middle = (low + high) / 2
            low, high = max(((low, middle), (middle, high)), key=likely)
        self.decisive = low

        def excess(value: float) -> float:
            likeliest = self._most_likely(*self._slope(value), (low, high))
            return log(max(likeliest, _LEAST_LIKELY) / self.target)

        last, after = value, excess(value)
        if after <= 0:
            return value
        root = value * (1 - _BACK)
        for _ in range(_SECANTS):
            here = excess(root)
            if here == after:
                break
            step = here * (root - last) / (here - after)
            last, after, root = root, here, min(max(root - step, 0.0), value)
        return root

    def _searched(self, holds: Callable[[float], bool], digits: int) -> float:
        """Return the largest value that ``holds``, from below, but for the digits."""
        low, high = 0.0, self.order * 1.2 + 1e-9
        least = 10.0**-digits
        while high - low > least * max(high, 1e-3):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low


def _largest(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return nearly the largest value between at which ``holds`` does, from below."""
    for _ in range(_FINE):
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low

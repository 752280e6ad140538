"""The joint test of two counts, a second time: how probable results as far out as these can be.

Of n draws of each dataset a and b are in an event of probabilities P and Q.  Results are ordered by
the largest ε (or δ) at which D(a, b) = min over P ≤ e^ε·Q + δ of n·(KL(a/n ‖ P) + KL(b/n ‖ Q)) is
at least κ; computed is the supremum of the probability of what is as far out or farther, Q within
an interval of confidence (Berger and Boos 1994).

*Boundary.*  At the nearest pair c·(P − a)/(P(1 − P)) = (b − Q)/(Q(1 − Q)), P = c·Q + δ, frequencies
a and b.  So for one b every Q gives its a, and D rises with Q: the boundary D = κ is found by the
root in Q, and no minimum is searched.

*Arithmetic.*  Sums of floats, each anchored at one logarithm of 30 decimals, and points of a grid:
a supremum is found to a part in a million, not bounded.  Who asks leaves room for that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from math import asin, ceil, exp, floor, inf, log, sin, sqrt
from statistics import NormalDist
from typing import Any, Literal

from mpmath import mp, mpf

from dpaudit.recheck.findings import UnknownDefinitionError

__all__ = ["JointTest", "is_even", "joint_test", "may_be_alike"]

_SPARE = 1 / 64
"""The part of α that the interval for Q takes."""
_MORE = 0.7
"""By what κ is above that of a normal law of the same α."""
_SLACK = 1e-6
"""By what part κ is lowered for the boundary: what was seen is never left out."""
_LARGEST = 700.0
_HALVINGS = 60
_GRID = 24
_FINER = 14
_GOLDEN = (sqrt(5) - 1) / 2
_MOST_COUNTS = 100_000
"""Of more results of one side nothing is summed."""


class JointTest:
    """The test of one event, for one of the two parameters, the other fixed."""

    def __init__(
        self,
        draws: int,
        counts: tuple[int, int],
        alpha: float,
        kind: Literal["epsilon", "delta"],
        other: float,
    ) -> None:
        """Take what was counted, the error probability, what is bounded, the other parameter.

        Raises ``UnknownDefinitionError`` for more draws than are gone through.
        """
        self.ratios: dict[tuple[float, float], float] = {}
        self.draws, self.counts, self.kind, self.other = draws, counts, kind, other
        self.target = alpha * (1 - _SPARE)
        self.kappa = NormalDist().inv_cdf(alpha) ** 2 / 2 + _MORE
        self.deviations = sqrt(2 * log(1 / alpha)) + 3
        self.order = self._order()
        if self.order > -inf:
            first, last = self._window(counts[1] / draws)
            if last - first > _MOST_COUNTS:
                raise UnknownDefinitionError(
                    f"verify has no second way to sum a test of {draws} draws"
                )
            self.low, self.high = self._interval(alpha * _SPARE / 2)
            self.first, self.thresholds = self._staircase()

    def _slope(self, value: float) -> tuple[float, float]:
        """Return e^ε and δ where the bounded parameter is ``value``."""
        epsilon, delta = (value, self.other) if self.kind == "epsilon" else (self.other, value)
        return exp(epsilon), delta

    def _order(self) -> float:
        """Return the largest value at which D ≥ κ; −∞ for none."""
        if self.kind == "delta" and self.other > _LARGEST:
            return -inf
        a, b = (count / self.draws for count in self.counts)

        def reached(value: float) -> bool:
            return self.draws * _distance(a, b, *self._slope(value)) >= self.kappa

        return _last(reached, 0.0, 50.0 if self.kind == "epsilon" else 1.0)

    def _interval(self, error: float) -> tuple[float, float]:
        """Return the interval of Clopper and Pearson for Q, either side wrong with ``error``."""
        n, b = self.draws, self.counts[1]
        low = _last(lambda q: _upper_tail(n, q, b) <= error, 0.0, b / n) if b else 0.0
        rest = _last(lambda r: _upper_tail(n, r, n - b) <= error, 0.0, 1 - b / n) if b < n else 0.0
        return max(low, 0.0), 1.0 - max(rest, 0.0)

    def _window(self, q: float, more: float = 0.0) -> tuple[int, int]:
        deviations = self.deviations + more
        half = deviations * sqrt(self.draws * q * (1 - q)) + deviations**2
        around = self.draws * q
        return max(0, floor(around - half)), min(self.draws, ceil(around + half))

    def _staircase(self) -> tuple[int, list[int]]:
        """Return the first b looked at, and for each b the least a that is as far out."""
        n, kappa = self.draws, self.kappa * (1 - _SLACK)
        c, delta = self._slope(self.order * (1 - 1e-9))
        first, last = self._window(self.low)[0], self._window(self.high)[1]
        thresholds, guess, step = [], -1.0, 0.0
        for count in range(first, last + 1):
            b = count / n
            end = _farthest(b, c, delta)
            far = sqrt(n * _along(b, end, c, delta)) if end > b else 0.0
            if far < sqrt(kappa):
                thresholds.append(n + 1)
                continue
            q = _root(
                lambda q, b=b: sqrt(n * _along(b, q, c, delta)) - sqrt(kappa),  # type: ignore[misc]
                (b, end),
                guess + step if guess >= 0 else (b + end) / 2,
                1e-9 * kappa,
            )
            # The boundary is smooth: the next root lies about one step further.
            guess, step = q, q - guess if guess >= 0 else 0.0
            thresholds.append(min(ceil(n * min(_first_of(b, q, c, delta), 1.0) - 1e-7), n + 1))
        return first, thresholds

    def ratio(self, value: float, enough: float = inf) -> float:
        """Return the probability of what is as far out, over what the test allows.

        It is the supremum over what keeps ``value``; at most 1 where that is contradicted.  What
        is above ``enough`` is returned as soon as it is found.
        """
        if self.order == -inf or (self.kind == "epsilon" and value > _LARGEST):
            return inf
        if (value, enough) not in self.ratios:
            self.ratios[value, enough] = self._ratio(value, enough)
        return self.ratios[value, enough]

    def _ratio(self, value: float, enough: float) -> float:
        c, delta = self._slope(value)

        def at(q: float) -> float:
            return self._probability(min(1.0, c * q + delta), q) / self.target

        observed = min(max(self.counts[1] / self.draws, self.low), self.high)
        tried = [(at(observed), observed)]
        for q in self._grid(c, delta):
            if tried[-1][0] > enough:
                return max(tried)[0]
            tried.append((at(q), q))
        peak = max(tried)[1]
        places = sorted(q for _, q in tried)
        place = places.index(peak)
        low, high = places[max(place - 1, 0)], places[min(place + 1, len(places) - 1)]
        for _ in range(_FINER):  # by the golden section: near its peak there is one only
            left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            at_left, at_right = at(left), at(right)
            tried += [(at_left, left), (at_right, right)]
            low, high = (low, right) if at_left > at_right else (left, high)
        return max(tried)[0]

    def _grid(self, c: float, delta: float) -> list[float]:
        ends = [asin(sqrt(q)) for q in (self.low, self.high)]
        points = [sin(ends[0] + (ends[1] - ends[0]) * i / _GRID) ** 2 for i in range(_GRID + 1)]
        ends = [asin(sqrt(min(1.0, c * q + delta))) for q in (self.low, self.high)]
        firsts = [sin(ends[0] + (ends[1] - ends[0]) * i / _GRID) ** 2 for i in range(_GRID + 1)]
        points += [(p - delta) / c for p in firsts]
        return sorted({q for q in points if self.low <= q <= self.high})

    def _probability(self, p: float, q: float) -> float:
        """Return the probability of all results that are as far out."""
        n, end = self.draws, self.first + len(self.thresholds) - 1
        low, high = self._window(q)
        low, high = max(low, self.first), min(high, end)
        thresholds = self.thresholds[low - self.first : high - self.first + 1]
        least, most = self._window(p, 2.0)
        least = max(least, min(thresholds, default=n + 1))
        if least > n:
            return 0.0
        most = min(n, max(most, least + 64))
        tails = list(accumulate(reversed(_masses(n, p, least, most))))
        tails.reverse()
        seconds = _masses(n, q, low, high)
        return sum(
            mass * tails[max(a - least, 0)]
            for mass, a in zip(seconds, thresholds, strict=True)
            if a <= most
        )


@lru_cache(maxsize=64)
def joint_test(*arguments: Any) -> JointTest:
    """Return the test of what :class:`JointTest` takes: entries of as many draws share one."""
    return JointTest(*arguments)


def _entropy(x: float, p: float) -> float:
    """Return KL(x ‖ p) of two coins."""
    heads = 0.0 if x <= 0 else inf if p <= 0 else x * log(x / p)
    tails = 0.0 if x >= 1 else inf if p >= 1 else (1 - x) * log((1 - x) / (1 - p))
    return max(heads + tails, 0.0)


def _first_of(b: float, q: float, c: float, delta: float) -> float:
    """Return the frequency a of which, with b, (c·q + δ, q) is the nearest pair."""
    p = min(1.0, c * q + delta)
    return p + (q - b) * p * (1 - p) / (c * q * (1 - q)) if 0 < q < 1 else p


def _along(b: float, q: float, c: float, delta: float) -> float:
    """Return D/n where (c·q + δ, q) is the nearest pair."""
    a = min(_first_of(b, q, c, delta), 1.0)
    return _entropy(a, min(1.0, c * q + delta)) + _entropy(b, q)


def _farthest(b: float, c: float, delta: float) -> float:
    """Return the Q of the pair that is nearest to a = 1, where c·Q + δ is 1 or less."""
    half = c + b * c - delta
    root = (half + sqrt(half * half + 8 * c * b * delta)) / (4 * c)
    return min(root, (1 - delta) / c)


def _distance(a: float, b: float, c: float, delta: float) -> float:
    """Return D/n of two frequencies."""
    if a <= c * b + delta:
        return 0.0
    low, high = b, min(_farthest(b, c, delta), (a - delta) / c)
    for _ in range(_HALVINGS):
        q = (low + high) / 2
        low, high = (q, high) if _first_of(b, q, c, delta) < a else (low, q)
    q = (low + high) / 2
    return _entropy(a, min(1.0, c * q + delta)) + _entropy(b, q)


def _last(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the largest value at which ``holds`` does, from below; −∞ for none."""
    if not holds(low):
        return -inf
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _root(
    rising: Callable[[float], float], ends: tuple[float, float], guess: float, error: float
) -> float:
    """Return a root of what rises between ends, by secants that stay within a bracket."""
    low, high = ends
    before: tuple[float, float] | None = None
    x = guess if low < guess < high else (low + high) / 2
    for _ in range(_HALVINGS):
        y = rising(x)
        if abs(y) <= error:
            break
        low, high = (x, high) if y < 0 else (low, x)
        following = (low + high) / 2
        if before is not None and before[1] != y:
            secant = x - y * (x - before[0]) / (y - before[1])
            following = secant if low < secant < high else following
        elif before is None and y > 0:
            # From 0 at the lower end on it is nearly a line.
            following = low + (x - low) / 2
        before, x = (x, y), following
    return x


def _anchor(n: int, q: float, count: int) -> float:
    """Return P(B = count), B ~ Bin(n, q)."""
    with mp.workdps(30):
        logarithm = mp.loggamma(n + 1) - mp.loggamma(count + 1) - mp.loggamma(n - count + 1)
        logarithm += count * mp.log(mpf(q)) + (n - count) * mp.log1p(-mpf(q))
        return float(mp.exp(logarithm))


def _masses(n: int, q: float, first: int, last: int) -> list[float]:
    """Return P(B = j) for ``first`` ≤ j ≤ ``last``."""
    if q <= 0 or q >= 1:
        at = 0 if q <= 0 else n
        return [float(j == at) for j in range(first, last + 1)]
    mode = min(max(int((n + 1) * q), first), last)
    odds, middle = q / (1 - q), _anchor(n, q, mode)
    up, down, mass = [], [], middle
    for j in range(mode, last):
        mass *= (n - j) / (j + 1) * odds
        up.append(mass)
    mass = middle
    for j in range(mode, first, -1):
        mass *= j / (n - j + 1) / odds
        down.append(mass)
    return [*reversed(down), middle, *up]


def _upper_tail(n: int, q: float, count: int) -> float:
    """Return P(B ≥ count) where that is above the mean, to rounding."""
    if q <= 0:
        return float(count <= 0)
    term = total = _anchor(n, q, count)
    odds = q / (1 - q)
    for j in range(count, n):
        term *= (n - j) / (j + 1) * odds
        total += term
        if term <= total * 1e-17:
            break
    return total


def is_even(counts: tuple[int, int, int]) -> bool:
    """Tell whether all draws of both sides, or none, are in the event."""
    counted, a, b = counts
    return a == b and a in (0, counted)


def may_be_alike(selected: int, counts: tuple[int, int, int], alpha: float) -> bool:
    """Tell whether draws that chose an event may all have been one output, seen how others are.

    Of m + s draws in any order, of which k more than s are in an event, the s first are all in it
    with a probability of at most ((k + s)/(m + s))^s.
    """
    counted, *sides = counts
    return any(
        sum(selected * log((count + selected) / (counted + selected)) for count in inside)
        >= log(alpha)
        for inside in (sides, [counted - side for side in sides])
    )

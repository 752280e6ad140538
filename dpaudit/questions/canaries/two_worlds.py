"""Trainings with and without a canary, counted apart: the ε that both rates refute.

Of n trainings with the canary x are called "in", and of n′ trainings without it x′.  With
(ε, δ)-DP the true rates p and p′ have p ≤ e^ε·p′ + δ and 1 − p′ ≤ e^ε·(1 − p) + δ; let H(ε) be the
pairs that have.  Let T(x, x′) be the usual bound: the largest ε that the Clopper-Pearson bounds
p ≥ L(x) and p′ ≤ U(x′), each at half the level α, refute: ln((L − δ)/U) or ln((1 − U − δ)/(1 − L)),
whichever is larger; it may be negative.  The bound here takes T for no more than an order of
outcomes (Buehler 1957):

    p(ε) = sup over H(ε) of P[T(X, X′) ≥ T(x, x′)],  and ε is refuted where p(ε) ≤ α.

*It is valid*: where (p, p′) is in H(ε), the probability of an outcome with p(ε) ≤ α is at most α.
*It refutes a range*: H(ε) grows with ε, so p(ε) does.  *It is never below T*: for ε < T(x, x′), an
outcome with T at least that large has T > ε, which H(ε) gives a probability of α at most, since one
of two bounds has to fail.  ∎

T grows with x and falls with x′, so the event is X ≥ c(X′) for some c that does not fall.  Its
probability grows with p and falls with p′, so the supremum is on the curve p = min(e^ε·p′ + δ,
1 − (1 − p′ − δ)/e^ε): a maximum of one number, which is enclosed in cells of p′, by monotony where
they are wide and by a derivative where they are narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import (
    Ball,
    ball,
    certainly_less,
    certainly_less_or_equal,
    precision,
)
from dpaudit.numbers.enclosure import Enclosure, exact_decimal
from dpaudit.questions.canaries.one_run import log_ways, series

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real

__all__ = ["MOST_TRAININGS", "Rates", "largest_refuted_by_rates", "rates_refute"]

MOST_TRAININGS = 10_000
"""So many trainings of a kind are compared, which takes a minute."""
Floats = npt.NDArray[np.float64]

_BITS = 128
_HALVINGS, _STEPS, _ROOT_BITS = 44, 3, 60
_NARROW = 0.4
"""Cells are bounded by a derivative from this part of a standard deviation on."""
_LEAST_CELL, _ROUNDS = 1e-14, 13
_FAR = 60
"""Tails of probability 2·e^−60 or less are not summed, but allowed for: this is the exponent."""


@dataclass(frozen=True)
class Rates:
    """Confusion counts of guesses about trainings with and without a canary."""

    members: int
    """Number of trainings with the canary."""
    true_positives: int
    """Number of trainings with the canary that were guessed to have it."""
    others: int
    """Number of trainings without the canary."""
    false_positives: int


class _Test(NamedTuple):
    """Event whose probability a test bounds: outcomes that speak as much against privacy."""

    rates: Rates
    delta: Ball
    least: list[int]
    """c(x′) for each x′; one more than there are trainings where none is enough."""


def _tail(trials: int, first: int, p: Ball) -> Ball:
    """Return P[W ≥ first] for W binomial, summed from the side that has less."""
    if first <= 0:
        return ball(1)
    if first > trials:
        return ball(0)
    odds = p / (1 - p)
    at = (_log_ways_of(trials, first) + p.log() * first + (1 - p).log() * (trials - first)).exp()
    if certainly_less(odds * (trials - first), ball(first + 1)):
        return at * series(odds, first, trials)
    return 1 - at * (series(1 / odds, trials - first, trials) - 1)


_log_ways_of = lru_cache(maxsize=1 << 16)(log_ways)
"""The same at the one precision that is used here."""


def _root(trials: int, first: int, at: Ball) -> Ball:
    """Return the p with P[W ≥ first] = ``at``, by halving in floats and Newton's method."""
    low, high, ways, wanted = 0.0, 1.0, _log_ways(trials), float(at.mid())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        masses = _masses(ways, np.array([middle]))[0]
        is_less = float(np.sum(masses[first:])) < wanted
        low, high = (middle, high) if is_less else (low, middle)
    ways_to = _log_ways_of(trials, first)
    p = Ball((low + high) / 2)
    for _ in range(_STEPS):
        density = first * (ways_to + p.log() * (first - 1) + (1 - p).log() * (trials - first)).exp()
        p = (p + (at - _tail(trials, first, p)) / density).mid()
    width = (p * (1 - p) * Ball(2) ** -_ROOT_BITS).mid()
    ends = (p - width).mid(), (p + width).mid()
    below, above = (_tail(trials, first, end) for end in ends)
    if not (certainly_less(below, at) and certainly_less(at, above)):
        raise PrecisionError("a bound of a rate cannot be enclosed")
    return ends[0].union(ends[1])


def _upper(trials: int, count: int, half: Ball) -> Ball:
    """Return the Clopper-Pearson upper bound of a rate."""
    return ball(1) if count == trials else _root(trials, count + 1, 1 - half)


def _order(rates: Rates, delta: Ball, half: Ball) -> Ball | None:
    """Return e^T; None where T is −∞."""
    if not rates.true_positives:
        return None
    low = _root(rates.members, rates.true_positives, half)
    high = _upper(rates.others, rates.false_positives, half)
    ratios = [(low - delta) / high, (1 - high - delta) / (1 - low)]
    largest = ratios[0].max(ratios[1])
    return largest if certainly_less(ball(0), largest) else None


def _test(rates: Rates, delta: Ball, level: Ball) -> tuple[_Test, Ball] | None:
    """Return the outcomes that speak as much against privacy, and e^T."""
    half = level / 2
    order = _order(rates, delta, half)
    if order is None:
        return None
    odds = order
    least: list[int] = []
    first = 0
    for count in range(rates.others + 1):
        high = _upper(rates.others, count, half)
        needed = (odds * high + delta).min(1 - (1 - high - delta) / odds)
        if not certainly_less(needed, ball(1)):
            least += [rates.members + 1] * (rates.others + 1 - count)
            break
        # What cannot be told from the outcome that was seen counts as one: that can only raise p.
        while first <= rates.members and certainly_less(half, _tail(rates.members, first, needed)):
            first += 1
        least.append(first)
    return _Test(rates, delta, least), odds


class _Binomial:
    """Probabilities of a binomial number, with what lies far out as an interval."""

    def __init__(self, trials: int) -> None:
        self.trials = trials
        self.ways = [_log_ways_of(trials, k) for k in range(trials + 1)]

    def masses(self, p: Ball) -> tuple[int, list[Ball], Ball]:
        """Return a first number, the probabilities of it and others, and a bound of the rest."""
        middle, radius = min(max(float(p.mid()), 0.0), 1.0), float(p.rad())
        # Bernstein's inequality: so far from the mean lies at most 2·e^−60, at every p in the ball.
        variance = self.trials * (middle * (1 - middle) + radius)
        reach = math.sqrt(2 * _FAR * variance) + 2 * _FAR + self.trials * radius + 1
        first = max(0, math.floor(self.trials * middle - reach))
        last = min(self.trials, math.ceil(self.trials * middle + reach))
        inside = p.max(ball(0)).min(ball(1))
        if certainly_less(ball(0), inside) and certainly_less(inside, ball(1)):
            up, down = inside.log(), (1 - inside).log()
            found = [
                (self.ways[k] + up * k + down * (self.trials - k)).exp()
                for k in range(first, last + 1)
            ]
        else:
            found = [
                self.ways[k].exp() * inside**k * (1 - inside) ** (self.trials - k)
                for k in range(first, last + 1)
            ]
        cut = first > 0 or last < self.trials
        return first, found, ball(0).union(2 * (-ball(_FAR)).exp()) if cut else ball(0)


class _Event:
    """The probability of the outcomes of a test, as a function of the rate without the canary."""

    def __init__(self, test: _Test, odds: Ball) -> None:
        self.test, self.odds = test, odds
        rates = test.rates
        self.with_it, self.without = _Binomial(rates.members), _Binomial(rates.others)
        self.with_less = _Binomial(rates.members - 1) if rates.members > 1 else None
        self.less = _Binomial(rates.others - 1) if rates.others > 1 else None

    def rate(self, p: Ball) -> Ball:
        """Return the largest rate with the canary."""
        first, second = self._lines(p)
        return first.min(second).min(ball(1)).max(ball(0))

    def _lines(self, p: Ball) -> tuple[Ball, Ball]:
        delta = self.test.delta
        return self.odds * p + delta, 1 - (1 - p - delta) / self.odds

    def _slope(self, p: Ball) -> Ball:
        first, second = self._lines(p)
        if certainly_less(first, second):
            return self.odds
        if certainly_less(second, first):
            return 1 / self.odds
        return self.odds.union(1 / self.odds)

    def _tails(self, rate: Ball) -> list[Ball]:
        first, masses, rest = self.with_it.masses(rate)
        trials = self.test.rates.members
        found = [ball(0)] * (trials + 2)
        total = rest
        for k in range(trials, -1, -1):
            if first <= k < first + len(masses):
                total = total + masses[k - first]
            found[k] = total
        found[trials + 1] = ball(0)
        return found

    def at(self, p: Ball, *others: Ball) -> Ball:
        """Return the probability at the rate ``p`` and the largest with the canary, or another."""
        tails = self._tails(*(others or [self.rate(p)]))
        first, masses, rest = self.without.masses(p)
        least = self.test.least
        found = sum((one * tails[least[first + i]] for i, one in enumerate(masses)), ball(0))
        return found + rest

    def slope(self, p: Ball) -> Ball:
        """Return the derivative along the curve."""
        rate, least = self.rate(p), self.test.least
        tails = self._tails(rate)
        found = ball(0)
        if self.less is None:
            found = found + tails[least[1]] - tails[least[0]]
        else:
            first, masses, rest = self.less.masses(p)
            falls = (
                one * (tails[least[first + i + 1]] - tails[least[first + i]])
                for i, one in enumerate(masses)
            )
            found = found + self.test.rates.others * (sum(falls, ball(0)) - rest)
        first, masses, rest = self.without.masses(p)
        density = self._densities(rate)
        rises = (one * density[least[first + i]] for i, one in enumerate(masses))
        most = ball(self.test.rates.members)
        return found + self._slope(p) * (sum(rises, ball(0)) + rest * most)

    def _densities(self, rate: Ball) -> list[Ball]:
        """Return the derivative of P[W ≥ c] by the rate, for each c."""
        trials = self.test.rates.members
        found = [ball(0)] * (trials + 2)
        if self.with_less is None:
            found[1] = ball(1)
            return found
        first, masses, rest = self.with_less.masses(rate)
        for c in range(1, trials + 1):
            inside = first <= c - 1 < first + len(masses)
            found[c] = trials * (masses[c - 1 - first] if inside else rest)
        return found


def _interval(low: float, high: float) -> Ball:
    return Ball(low).union(Ball(high))


def _is_at_most(event: _Event, level: Ball, peak: float) -> bool | None:
    """Tell whether the probability is at most the level, whatever the rate without the canary."""
    count = event.test.rates.others
    if certainly_less(level, event.at(Ball(peak))):
        return False
    cells = list(pairwise(_ends(count)))
    while cells:
        low, high = cells.pop()
        middle = (low + high) / 2
        deviation = math.sqrt(max(middle * (1 - middle), 1 / count) / count)
        if high - low > _NARROW * deviation:
            bound = event.at(Ball(low), event.rate(Ball(high)))
        else:
            around = _interval(low, high)
            steep = abs(event.slope(around)) * Ball((high - low) / 2 * (1 + 1e-12))
            value = event.at(Ball(middle))
            if certainly_less(level, value):
                return False
            bound = value + steep
        if certainly_less_or_equal(bound, level):
            continue
        if high - low < _LEAST_CELL:
            return None
        cells += [(low, middle), (middle, high)]
    return True


def _ends(count: int) -> list[float]:
    """Return ends of cells of about two standard deviations, from 0 to 1."""
    steps = max(8, math.ceil(math.pi * math.sqrt(count) / 2))
    found = [math.sin(math.pi * k / (2 * steps)) ** 2 for k in range(steps + 1)]
    return [0.0, *found[1:-1], 1.0]


class _Floats:
    """The same probability in floats: they choose where balls are looked at."""

    def __init__(self, test: _Test) -> None:
        self.test = test
        self.least = np.array(test.least)
        self.ways = [_log_ways(count) for count in (test.rates.members, test.rates.others)]

    def _values(self, epsilon: float, p: Floats) -> Floats:
        odds, delta = math.exp(epsilon), float(self.test.delta)
        rate = np.minimum(np.minimum(odds * p + delta, 1 - (1 - p - delta) / odds), 1.0)
        tails = np.zeros((len(p), self.test.rates.members + 2))
        tails[:, :-1] = np.cumsum(_masses(self.ways[0], rate)[:, ::-1], axis=1)[:, ::-1]
        found: Floats = np.sum(_masses(self.ways[1], p) * tails[:, self.least], axis=1)
        return found

    def peak(self, epsilon: float) -> tuple[float, float]:
        """Return the largest probability, and the rate without the canary where it is."""
        low, high, count = 0.0, 1.0, max(64, 4 * math.isqrt(self.test.rates.others))
        kink = (1 - float(self.test.delta)) / (1 + math.exp(epsilon))
        for _ in range(_ROUNDS):
            p = np.append(np.linspace(low, high, count), min(max(kink, low), high))
            values = self._values(epsilon, p)
            place = int(np.argmax(values))
            width = (high - low) / (count - 1)
            low, high = max(0.0, p[place] - width), min(1.0, p[place] + width)
            count = 17
        return float(values[place]), float(p[place])

    def root(self, most: float, above: float) -> float:
        """Return about the ε at which the largest probability is ``most``."""
        low, high = above, above + 0.5
        while self.peak(high)[0] <= most:
            low, high = high, high + 2 * (high - low)
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if self.peak(middle)[0] <= most else (low, middle)
        return low


@lru_cache(maxsize=8)
def _log_ways(trials: int) -> Floats:
    steps = np.log(np.arange(1, trials + 1))
    below = np.concatenate([[0.0], np.cumsum(steps)])
    found: Floats = below[-1] - below - below[::-1]
    return found


def _masses(ways: Floats, rates: Floats) -> Floats:
    k = np.arange(len(ways))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.exp(
            ways + k * np.log(rates)[:, None] + (len(ways) - 1 - k) * np.log1p(-rates)[:, None]
        )
    found[rates <= 0] = k == 0
    found[rates >= 1] = k == len(ways) - 1
    return found


def largest_refuted_by_rates(rates: Rates, delta: Real, level: Real, digits: int) -> Enclosure:
    """Return an interval around the largest ε below which every ε is refuted.

    Args:
        rates: what was counted.
        delta: δ in [0, 1).
        level: the probability, in (0, 1), with which a true ε may be refuted.
        digits: the ends are decimals of so many digits after the point, a few units apart at most.

    Returns:
        The interval; [0, 0] where nothing is refuted.

    Raises:
        PrecisionError: where no such interval is certain.
    """
    with precision(_BITS):
        test = _test(rates, delta.ball(), level.ball())
        if test is None:
            return Enclosure(Decimal(0), Decimal(0))
        floats, most = _Floats(test[0]), float(level)
        if floats.peak(0.0)[0] > most:
            return Enclosure(Decimal(0), Decimal(0))
        guess = floats.root(most, max(0.0, float(test[1].log().mid()) - 1e-6))
        scale = 10**digits
        for slack in (0.3, 3.0, 30.0, 300.0):
            low, high = math.floor(guess * scale - slack), math.ceil(guess * scale + slack)
            low = max(low, 0)
            if (not low or _decided(test[0], Fraction(low, scale), level)) and (
                _decided(test[0], Fraction(high, scale), level) is False
            ):
                return Enclosure(exact_decimal(low, digits), exact_decimal(high, digits))
    raise PrecisionError(f"the bound of ε, about {guess:.6g}, cannot be enclosed")


def _decided(test: _Test, epsilon: Fraction, level: Real) -> bool | None:
    event = _Event(test, ball(epsilon).exp())
    return _is_at_most(event, level.ball(), _Floats(test).peak(float(epsilon))[1])


def rates_refute(rates: Rates, epsilon: Real, delta: Real, level: Real) -> bool | None:
    """Tell whether an (ε, δ) is refuted at the level; None where that cannot be told.

    Args:
        rates: what was counted.
        epsilon: ε ≥ 0.
        delta: δ in [0, 1).
        level: the probability, in (0, 1), with which a true (ε, δ) may be refuted.
    """
    with precision(_BITS):
        test = _test(rates, delta.ball(), level.ball())
        if test is None:
            return False
        event = _Event(test[0], epsilon.ball().exp())
        return _is_at_most(event, level.ball(), _Floats(test[0]).peak(float(epsilon))[1])

"""A bound on ε from every number of guesses at once, so that nobody has to choose one beforehand.

Canaries are put in order by the scores alone, the surest guess first.  Of the first r guesses V_r
are right.  The numbers r that are tried are fixed by m, δ and the level: a first one, each next one
a quarter larger, and m.

*The test.*  Let W_r be the number of heads in the first r of independent tosses, each a head with
probability q = E/(1 + E), E = e^ε, and τ three quarters of the level.  For a count v of r guesses
let k(r, v) be the largest whole number with P[W_r ≥ v] ≤ τ at ε = k/1000 (below 0 as well).  The
statistic is K = max over r of k(r, V_r).  K ≥ k means that some V_r reaches v_r(k), the smallest v
with P[W_r ≥ v] ≤ τ at ε = k/1000: an increasing event U of right guesses, and one that only
shrinks as k grows.

*The bound.*  For every increasing event, every (ε, δ)-DP training has

    P[U] ≤ P[W in U] + m·δ·c_U,  c_U = (1 − q)·max over x, j of ∫₀¹ (T_ρ D_j 1_U)(x) dρ ≤ 1/(1 + E).

(D_j is the difference that guess j makes, T_ρ keeps each other bit with probability ρ and tosses it
anew otherwise.  With y = (1 − q)·∫₀¹ T_ρ D_j 1_U dρ ≥ 0 the difference 1_U − P[W in U] is the sum
over x_j = 1 of y_{x,j} minus E times that over x_j = 0 of y_{x+e_j,j}.  Multiply by the
probabilities p_x of right guesses, and use that DP makes Σ (p_x − E·p_{x−e_j})₊ at most m·δ, as in
:mod:`dpaudit.questions.canaries.one_run`.)  For U = "some V_r ≥ v_r" the difference of a union is
at most the sum of the differences, and for one r the constant is β·(1 − β)/(v_r·P[W_r = v_r]) with
β = P[W_r ≥ v_r].  It is at most A_r = β/P[W_r = v_r]/v_r, which grows with ε: a sum of products of
ratios E·(r − k)/(k + 1).

*It grows with ε.*  P[W in U] does, for a fixed event.  In place of min(1/(1 + E), Σ A_r) at ε its
supremum over ε′ ≤ ε is used.  So what is used here, b(ε) = P[W in U] + m·δ·sup, is continuous and
grows, and every ε with b(ε) ≤ level is refuted: if the training is (ε, δ)-DP, the probability that
this happens is at most that of the largest event with b(ε) ≤ level, hence at most the level.

If every guess is "in" and each canary is in with probability q, E·q/(1 − q) replaces E, and q·m·δ
replaces m·δ (:mod:`dpaudit.questions.canaries.unequal_coins`).

An abstention counts as an error.  Canaries with equal scores at the border of the first r are not
guessed there, nor are those whose score is the median; that depends on the scores alone, and lowers
V_r.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import (
    Ball,
    ball,
    certainly_less,
    certainly_less_or_equal,
    lower_fraction,
    precision,
    upper_fraction,
)
from dpaudit.numbers.closed_form import rational
from dpaudit.numbers.enclosure import Enclosure, exact_decimal
from dpaudit.questions.canaries.design import PLAIN, Design
from dpaudit.questions.canaries.one_run import Guesses, log_ways, p_value, series

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from dpaudit.numbers.real import Real

    Floats = NDArray[np.float64]

__all__ = ["Ranked", "largest_refuted_by_all", "needed_counts", "refuted_by_all", "sizes_tried"]

_FIRST, _NEXT = 8, Fraction(5, 4)
_SHARE = Fraction(3, 4)
_STEPS_PER_UNIT = 1000
_LOWEST, _HIGHEST = -20 * _STEPS_PER_UNIT, 60 * _STEPS_PER_UNIT
_BITS = (96, 192, 384)
_FAR = 60
"""Tails of probability at most e^−60 are left out of sums and added to the error whole."""
_UNIT = 2.0**-52
_FARTHEST = 500
"""Odds beyond e^500 are no floats."""
_ROUNDS = 60


@dataclass(frozen=True)
class Ranked:
    """Counts of right guesses among the surest, for each number of guesses that is tried."""

    canaries: int
    """Number of canaries m, each in with probability 1/2."""
    sizes: tuple[int, ...]
    """Numbers r of guesses, increasing."""
    right: tuple[int, ...]
    """Number V_r of right guesses for each."""
    design: Design = PLAIN
    """Design: coins and guesses."""


def sizes_tried(canaries: int, delta: Real, level: Real, design: Design = PLAIN) -> tuple[int, ...]:
    """Return the numbers of guesses that are tried.

    Few guesses are worth little where m·δ is not small beside the level, since what δ adds to the
    bound falls with the number of guesses; so the first grows with m·δ/level.  The last is m, or as
    many as are in on average if every guess is "in".

    Args:
        canaries: m.
        delta: δ in [0, 1).
        level: the level, in (0, 1).
        design: the coins, and the guesses that are made.

    >>> sizes_tried(40, rational(0), rational(Fraction(1, 20)))
    (8, 10, 13, 17, 22, 28, 35, 40)
    """
    weight = design.group * design.weight(canaries)
    shift = 12 * weight * Fraction(float(delta)) / Fraction(float(level))
    size = max(_FIRST, math.ceil(shift))
    found = []
    last = design.most_guesses(canaries)
    while size < last:
        found.append(size)
        size = math.ceil(size * _NEXT)
    return (*found, last)


def needed_counts(seen: Ranked, level: Real) -> tuple[int, ...] | None:
    """Return v_r for each number of guesses: the event that is as surprising as what was seen.

    Returns:
        The counts; r + 1 where no count of r guesses is enough.  None where nothing is.

    Raises:
        PrecisionError: where a probability cannot be told from τ.
    """
    statistic = _LOWEST
    for size, right in zip(seen.sizes, seen.right, strict=True):
        if not _is_rare(size, right, statistic + 1, level):
            continue
        low, high = statistic + 1, _HIGHEST
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _is_rare(size, right, middle, level) else (low, middle)
        statistic = low
    if statistic == _LOWEST:
        return None
    return tuple(_least_count(size, statistic, level) for size in seen.sizes)


def _least_count(size: int, place: int, level: Real) -> int:
    low, high = 0, size + 1  # no head at all is not rare, more heads than tosses are
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_rare(size, middle, place, level) else (middle, high)
    return high


def _is_rare(size: int, count: int, place: int, level: Real) -> bool:
    """Tell whether P[W_size ≥ count] ≤ τ at ε = place/1000."""
    if not count:
        return False
    zero = rational(Fraction(0))
    for bits in _BITS:
        with precision(bits + size.bit_length()):
            tail = p_value(Guesses(size, size, count), ball(Fraction(place, _STEPS_PER_UNIT)), zero)
            most = level.ball() * ball(_SHARE)
            if certainly_less_or_equal(tail, most):
                return True
            if certainly_less(most, tail):
                return False
    exact = level.as_fraction()
    if place or exact is None:
        raise PrecisionError(
            f"{count} of {size} right guesses is too close to the level to be decided"
        )
    heads = sum(math.comb(size, k) for k in range(count, size + 1))
    return Fraction(heads, 2**size) <= exact * _SHARE


@dataclass(frozen=True)
class _Event:
    """The event "some V_r reaches its count", and its bound b(ε)."""

    canaries: int
    sizes: tuple[int, ...]
    needed: tuple[int, ...]
    delta: Real
    design: Design = PLAIN

    def bound(self, epsilon: Fraction) -> Ball:
        """Return a ball around b(ε)."""
        log_odds = self.design.log_odds(ball(self.design.group * epsilon))
        found = _crossing(self.sizes, self.needed, log_odds)
        if float(self.delta):
            weight = ball(self.design.weight(self.canaries))
            _, slack = self.design.of_group(ball(epsilon), self.delta.ball())
            found = found + weight * slack * self._steepest(log_odds)
        return found

    def _sum(self, log_odds: Ball) -> Ball:
        """Return the sum of A_r."""
        odds, found = log_odds.exp(), ball(0)
        for size, count in zip(self.sizes, self.needed, strict=True):
            if count <= size:
                found = found + series(odds, count, size) / count
        return found

    def _steepest(self, log_odds: Ball) -> Ball:
        """Return a ball around the supremum of min(1/(1 + E′), Σ A_r) over ε′ ≤ ε.

        The first falls and the second grows: it is the second at ε, or where the two meet.
        """
        at_end = self._sum(log_odds)
        if certainly_less_or_equal(at_end, 1 / (1 + log_odds.exp())):
            return at_end
        begin = self.design.log_odds(ball(0))
        at_begin = 1 / (1 + begin.exp())
        if certainly_less_or_equal(at_begin, self._sum(begin)):
            return at_begin
        # They meet before e^−500, for A_r is at least 1/r.
        low, high = float(begin.mid()), min(float(log_odds.mid()), _FARTHEST)
        for _ in range(_ROUNDS):
            middle = (low + high) / 2
            grows = float(self._sum(ball(Fraction(middle))).mid())
            low, high = (middle, high) if grows < 1 / (1 + math.exp(middle)) else (low, middle)
            if high - low < 1e-13 * (1 + abs(high)):
                break
        meeting = ball(Fraction((low + high) / 2))
        return self._sum(meeting).union(1 / (1 + meeting.exp()))


def _crossing(sizes: tuple[int, ...], needed: tuple[int, ...], log_odds: Ball) -> Ball:
    """Return a ball around the probability that some W_r reaches its count.

    Masses of W_r where no count was reached are floats.  All of them are sums of products of
    numbers that are not negative, so every float has a relative error of at most the sum of those
    of its steps: (10·w + 8)·2⁻⁵² for the binomial masses of a window of half-width w, which are
    found from the one in the middle by ratios, and a unit for each addition.  Twice that covers the
    products of errors.  What lies beyond a window, by Bernstein's inequality at most 2·e^−60, and
    what is dropped for lying far below the mean, could have crossed or not.
    """
    chance, other = 1 / (1 + (-log_odds).exp()), 1 / (1 + log_odds.exp())
    reachable = [size for size, count in zip(sizes, needed, strict=True) if count <= size]
    if certainly_less(ball(_FARTHEST), log_odds) and reachable:
        return (1 - reachable[0] * other).union(ball(1))  # all of the first tosses are heads
    if certainly_less(log_odds, ball(-_FARTHEST)):
        return ball(0).union(sizes[-1] * chance)  # no toss is a head
    q, p = float(chance.mid()), float(other.mid())
    held: Floats = np.ones(1)
    base, done, crossed, error, dropped = 0, 0, 0.0, 0.0, 0
    for size, count in zip(sizes, needed, strict=True):
        first, masses, half = _binomial(size - done, q, p, (chance, other))
        held, base, done = np.convolve(held, masses), base + first, size
        error += (10 * half + 8 + min(len(held), len(masses)) + len(held)) * _UNIT
        keep = max(0, count - base)
        crossed += float(np.sum(held[keep:]))
        lowest = max(0, math.floor(size * q - _reach(size * q * p)) - base)
        held, base = held[lowest:keep], base + lowest
        dropped += 2
        if not len(held):
            break
    near = Ball(crossed) * (1 + Ball(2 * error) * Ball(-1).union(Ball(1)))
    return near + Ball(0).union(2 * dropped * Ball(-_FAR).exp())


def _reach(variance: float) -> float:
    """Return a distance from the mean that is passed with probability e^−60 on each side.

    Bernstein: P[W − E W ≥ t] ≤ exp(−t²/(2·(variance + t/3))).
    """
    variance *= 1 + 1e-9
    return 1 + _FAR / 3 + math.sqrt(_FAR**2 / 9 + 2 * _FAR * variance)


def _binomial(
    trials: int, q: float, p: float, chances: tuple[Ball, Ball]
) -> tuple[int, Floats, int]:
    """Return the first number of a window, the masses in it, and its half-width."""
    reach = _reach(trials * q * p)
    first = max(0, math.floor(trials * q - reach))
    last = min(trials, math.ceil(trials * q + reach))
    middle = min(max(round(trials * q), first), last)
    exponent = log_ways(trials, middle) + chances[0].log() * middle
    largest = (exponent + chances[1].log() * (trials - middle)).exp()
    up, down = np.arange(middle, last), np.arange(middle, first, -1)
    with np.errstate(under="ignore"):  # what underflows is far below e^−60
        above = np.cumprod((trials - up) / (up + 1) * (q / p))
        below = np.cumprod(down / (trials - down + 1) * (p / q))
    masses = float(largest.mid()) * np.concatenate([below[::-1], [1.0], above])
    return first, masses, max(last - middle, middle - first)


def largest_refuted_by_all(seen: Ranked, delta: Real, level: Real, digits: int) -> Enclosure:
    """Return an interval around the largest ε with b(ε) ≤ level; everything below is refuted.

    Args:
        seen: right guesses for each number of guesses; see :func:`sizes_tried`.
        delta: δ in [0, 1).
        level: the probability, in (0, 1), with which a true ε may be refuted.
        digits: the ends are decimals of so many digits after the point, a few units apart at most.

    Returns:
        The interval; [0, 0] where nothing is refuted.

    Raises:
        PrecisionError: where no such interval is certain.
    """
    with precision(_BITS[0] + seen.canaries.bit_length()):
        needed = needed_counts(seen, level)
        if needed is None:
            return Enclosure(Decimal(0), Decimal(0))
        event, most = _Event(seen.canaries, seen.sizes, needed, delta, seen.design), level.ball()
        if not certainly_less(event.bound(Fraction(0)), most):
            return Enclosure(Decimal(0), Decimal(0))
        start = 1 / seen.design.group  # ε of a group is then 1
        guess = _root(lambda at: float(event.bound(Fraction(at)).mid()), float(level), start)
        scale = 10**digits
        for slack in (0.0, 0.3, 3.0, 30.0, 300.0):
            low, high = math.floor(guess * scale - slack), math.ceil(guess * scale + slack)
            low = max(low, 0)
            if certainly_less_or_equal(event.bound(Fraction(low, scale)), most) and certainly_less(
                most, event.bound(Fraction(high, scale))
            ):
                return Enclosure(exact_decimal(low, digits), exact_decimal(high, digits))
    raise PrecisionError(f"the bound of ε, about {guess:.6g}, cannot be enclosed")


def _root(value: Callable[[float], float], level: float, start: float) -> float:
    """Return about where a growing function passes the level, by false position in logarithms."""
    low, high = 0.0, start
    while value(high) <= level:
        low, high = high, 2 * high
    below, above = (math.log(max(value(end), 1e-300) / level) for end in (low, high))
    last = 0.0
    for _ in range(_ROUNDS):
        middle = (low * above - high * below) / (above - below)
        if not low < middle < high:
            break
        here = math.log(max(value(middle), 1e-300) / level)
        if abs(here) < 1e-13 or high - low < 1e-13 * high:
            return middle
        # An end that stays again counts half, lest it stay for ever (the Illinois rule).
        if here <= 0:
            low, below, above = middle, here, above / 2 if last < 0 else above
        else:
            high, above, below = middle, here, below / 2 if last > 0 else below
        last = here
    return (low + high) / 2


def refuted_by_all(seen: Ranked, epsilon: Real, delta: Real, level: Real) -> bool | None:
    """Tell whether an (ε, δ) is refuted at the level; None where that cannot be told.

    Args:
        seen: right guesses for each number of guesses; see :func:`sizes_tried`.
        epsilon: ε ≥ 0.
        delta: δ in [0, 1).
        level: the probability, in (0, 1), with which a true (ε, δ) may be refuted.
    """
    needed = needed_counts(seen, level)
    if needed is None:
        return False
    with precision(_BITS[0] + seen.canaries.bit_length()):
        event, most = _Event(seen.canaries, seen.sizes, needed, delta, seen.design), level.ball()
        exact = epsilon.as_fraction()
        ends = (exact, exact) if exact is not None else _ends(epsilon.ball())
        if certainly_less_or_equal(event.bound(ends[1]), most):
            return True
        return False if certainly_less(most, event.bound(ends[0])) else None


def _ends(epsilon: Ball) -> tuple[Fraction, Fraction]:
    return max(lower_fraction(epsilon), Fraction(0)), upper_fraction(epsilon)

"""The recheck of guesses in one run: the probability that (ε, δ)-DP allows, in decimals.

The definitions are those of :mod:`dpaudit.questions.canaries.one_run` and of
:mod:`dpaudit.questions.canaries.unequal_coins`; the sums are written out in mpmath.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.numbers import fraction, rational

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.results import CanaryReport

__all__ = [
    "DECIMALS",
    "Counts",
    "Toss",
    "allowed_probability",
    "is_too_long",
    "of_group",
    "read_counts",
]

DECIMALS = 100
"""Decimals in which bounds of one run are computed."""
_MOST_WORK = 500_000
"""More products of probabilities take minutes here."""


class Toss(NamedTuple):
    """Canaries that are in with one probability, and the guesses about them."""

    chance: Fraction
    """q."""
    canaries: int
    inside: int
    """Number of guesses "in"."""
    outside: int
    """Number of guesses "out"."""


class Counts(NamedTuple):
    """Guesses about the canaries of one run, counted."""

    canaries: int
    """m."""
    guesses: int
    """r."""
    right: int
    """v."""
    one_sided: bool = False
    """True if every guess was "in": a canary that is out then gives no right guess."""
    tosses: tuple[Toss, ...] = ()
    """Canaries by their probability to be in; none where all were in with probability 1/2."""
    group: int = 1
    """Number of examples that one coin decided for."""


def read_counts(report: CanaryReport, expect: Any) -> Counts | None:
    """Return the guesses of a report; None where they cannot be."""
    tosses = []
    for coin in report.coins:
        try:
            chance = rational(str(coin.probability))
        except ValueError:
            chance = Fraction(0)
        if not expect(0 < chance < 1, "a probability of a canary is not a fraction in (0, 1)"):
            return None
        tosses.append(Toss(chance, coin.canaries, coin.guessed_in, coin.guessed_out))
    if tosses:
        sums = (
            sum(toss.canaries for toss in tosses),
            sum(toss.inside + toss.outside for toss in tosses),
        )
        possible = sums == (report.canaries, report.guesses)
        possible &= all(toss.inside + toss.outside <= toss.canaries for toss in tosses)
        possible &= not (report.one_sided and any(toss.outside for toss in tosses))
        possible &= len({toss.chance for toss in tosses}) == len(tosses)
        if not expect(possible, "the guesses about canaries of its probabilities are impossible"):
            return None
    return Counts(
        report.canaries, report.guesses, report.right, report.one_sided, tuple(tosses), report.group
    )


def is_too_long(counts: Counts) -> bool:
    """Return True if the probability takes too long here."""
    return _work(counts) > _MOST_WORK


def allowed_probability(counts: Counts, epsilon: mpf, delta: mpf) -> mpf:
    """Return the largest probability of so many right guesses; see the module ``one_run``."""
    m, r, v = counts.canaries, counts.guesses, counts.right
    if not v:
        return mpf(1)
    epsilon, delta = of_group(counts.group, epsilon, delta)
    odds = mp.exp(epsilon)
    alike = counts.one_sided and len(counts.tosses) == 1
    if counts.tosses and not alike:
        return _of_unequal(counts, odds, delta)
    # Of all sets of canaries those with a canary in count for it, or those without it too.
    share = mpf(1)
    if alike:
        share = fraction(counts.tosses[0].chance)
        odds *= share / (1 - share)
    elif counts.one_sided:
        share = mpf(1) / 2
    at = mp.binomial(r, v) * mp.exp(v * mp.log(odds) - r * mp.log1p(odds))
    if v * (1 + odds) > r * odds:  # more than the mean: the upper tail has few terms that count
        above = at * _from(odds, v, r)
        below = 1 - above
    else:
        below = at * (_from(1 / odds, r - v, r) - 1)
        above = 1 - below
    return above + share * m * delta * above * below / (v * at)


def of_group(group: int, epsilon: mpf, delta: mpf) -> tuple[mpf, mpf]:
    """Return ε and δ of a group of examples, from those of one example."""
    steps = mpf(group)
    if epsilon and group > 1:
        with mp.extradps(mp.dps):  # a small ε costs digits of the difference to 1
            steps = (mp.exp(group * epsilon) - 1) / (mp.exp(epsilon) - 1)
    return group * epsilon, delta * steps


def _kinds(counts: Counts) -> Iterator[tuple[mpf, int]]:
    """Yield for guesses of each kind the prior odds that they are right, and their number."""
    for toss in counts.tosses:
        ratio = fraction(toss.chance / (1 - toss.chance))
        yield ratio, toss.inside
        yield 1 / ratio, toss.outside


def _work(counts: Counts) -> int:
    """Return about how many products the sum over all numbers of right guesses takes."""
    if counts.one_sided and len(counts.tosses) == 1:
        return 0
    total = work = 0
    for _, number in _kinds(counts):
        work += (total + 1) * number
        total += number
    return work


def _of_unequal(counts: Counts, odds: mpf, delta: mpf) -> mpf:
    """Return the bound where canaries have different odds; see the module ``unequal_coins``.

    The numbers of wrong guesses of each kind are binomial; their sum is convolved kind by kind, as
    far as it leaves enough right guesses.
    """
    most = counts.guesses - counts.right
    wrong = [mpf(1)]
    for ratio, number in _kinds(counts):
        term = (odds * ratio / (1 + odds * ratio)) ** number
        masses = [term]
        for k in range(min(number, most)):
            term *= mpf(number - k) / (k + 1) / (odds * ratio)
            masses.append(term)
        longer = [mpf(0)] * min(len(wrong) + len(masses) - 1, most + 1)
        for i, one in enumerate(wrong):
            for j, other in enumerate(masses[: len(longer) - i]):
                longer[i + j] += one * other
        wrong = longer
    sides = 1 if counts.one_sided else 2
    spread = sum(
        (toss.canaries * toss.chance * (1 - toss.chance) for toss in counts.tosses), Fraction(0)
    )
    return mp.fsum(wrong) + delta * fraction(sides * spread)


def _from(odds: mpf, first: int, trials: int) -> mpf:
    """Return the sum of binomial terms from ``first`` on, over that one."""
    total = term = mpf(1)
    for k in range(first, trials):
        ratio = odds * (trials - k) / (k + 1)
        term *= ratio
        total += term
        if ratio < mpf("0.999999") and term < total * mpf(10) ** -(DECIMALS - 5):
            break
    return total

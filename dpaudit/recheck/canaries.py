"""The recheck of audits by canaries: the bound on right guesses again, in decimals.

The probability that (ε, δ)-DP allows is computed at both ends of each interval, with mpmath: at the
lower end it may be at most the level, at the upper end it has to be above it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.numbers import check_budget, check_delta, fraction, value
from dpaudit.recheck.two_worlds import largest_probability
from dpaudit.results import CanaryBound, CanaryReport, CanaryVerdict

if TYPE_CHECKING:
    from dpaudit.recheck.findings import Findings

__all__ = ["check_canaries"]

TAKEN = "the scores, which canaries were in, and that the number of guesses was fixed beforehand"
TWO_WORLDS = "the counts, that trainings were independent, and that their rule was fixed beforehand"
_MOST_TRAININGS, _MOST_UNITS, _PART, _LARGEST_RATE_EPSILON = 10_000, 1_000, 1e-9, 700
_MOST_AGAIN = 2_000
"""The rates of more trainings take minutes here."""
_MOST = 10_000_000
_MOST_DIGITS = 30
_MOST_EPSILON = 200_000
_DECIMALS = 100
_SLACK = mpf("1e-60")
"""By what part a probability in these decimals may be wrong; ends lie 10⁻³⁰ apart at least."""
_WHAT = "bounds of canaries"


def check_canaries(report: CanaryReport, found: Findings, how: Any) -> None:
    """Check that an audit by canaries follows from its counts."""
    where = f"{report.right} of {report.guesses}, {report.canaries} canaries"

    def expect(agrees: bool, message: str) -> bool:
        found.expect(agrees, _WHAT, where, message)
        return agrees

    ordered = 1 <= report.guesses <= report.canaries <= _MOST and report.right <= report.guesses
    fits = expect(ordered, "its numbers of canaries, guesses and right guesses cannot be")
    fits &= expect(report.digits <= _MOST_DIGITS, f"no bounds have {report.digits} digits")
    fits &= expect(bool(report.bounds), "it has no bound")
    if not fits:
        return
    if report.worlds is not None:
        found.take(TWO_WORLDS)
        _check_worlds(report, found, where, expect)
        return
    found.take(TAKEN)
    if report.scores_sha256:
        found.take(f"the file of scores with SHA-256 {report.scores_sha256[:64]}")
    with mp.workdps(_DECIMALS):
        for bound in report.bounds:
            check_delta(bound.delta, "δ")
            level = value(bound.level)
            if expect(0 < level < 1, "a level is not between 0 and 1"):
                _check_bound(report, bound, level, expect)
        _check_verdict(report, expect)


def _check_worlds(report: CanaryReport, found: Findings, where: str, expect: Any) -> None:
    """Check what rates in two worlds refute."""
    worlds = report.worlds
    assert worlds is not None
    counts = (worlds.members, worlds.true_positives, worlds.others, worlds.false_positives)
    n, x, m, y = counts
    fits = expect(x <= n <= _MOST_TRAININGS and y <= m <= _MOST_TRAININGS, "its counts cannot be")
    told = (report.canaries, report.guesses, report.right) == (n + m, n + m, x + m - y)
    fits &= expect(told and n > 0 < m, "its trainings and its counts differ")
    fits &= expect(not report.scores_sha256, "counts in two worlds have no file of scores")
    if fits and max(n, m) > _MOST_AGAIN:
        found.unknown(where, f"rates of more than {_MOST_AGAIN} trainings are not computed again")
        return
    for bound in report.bounds if fits else ():
        check_delta(bound.delta, "δ")
        level = float(value(bound.level))
        if not expect(0 < level < 1, "a level is not between 0 and 1"):
            continue
        at = largest_probability(counts, float(value(bound.delta)), level)
        lower, upper = bound.epsilon.lower, bound.epsilon.upper
        if at is None or at(0.0) > level * (1 + _PART):
            expect(not lower and not upper, "nothing is refuted by these rates")
            continue
        if not expect(0 < upper <= _LARGEST_RATE_EPSILON, "a bound of ε is no interval"):
            continue
        narrow = 0 <= lower < upper and (upper - lower) * 10**report.digits <= _MOST_UNITS
        expect(narrow, "a bound of ε is no narrow interval")
        least, most = (level * (1 + sign * _PART) for sign in (-1, 1))
        expect(not lower or at(float(lower)) <= most, f"ε = {lower} is not refuted, and its bound")
        expect(at(float(upper)) >= least, f"ε = {upper} is refuted, and above its bound")
    levels = {str(bound.level) for bound in report.bounds}
    if report.budget is None or not fits or len(levels) > 1:
        expect(report.verdict is None, "it has a verdict, and no budget or several levels")
        return
    check_budget(report.budget.epsilon, report.budget.delta, "budget")
    level = float(value(report.bounds[0].level))
    at = largest_probability(counts, float(value(report.budget.delta)), level)
    largest = 1.0 if at is None else at(float(value(report.budget.epsilon)))
    if abs(largest - level) <= _PART * level:
        return  # too close for these floats
    wanted = CanaryVerdict.EXCEEDS if largest < level else CanaryVerdict.NOT_REFUTED
    expect(report.verdict == wanted, f"its verdict is not {wanted.value}")


def _check_bound(report: CanaryReport, bound: CanaryBound, level: mpf, expect: Any) -> None:
    lower, upper = bound.epsilon.lower, bound.epsilon.upper
    step = Fraction(1, 10**report.digits)
    finite = lower.is_finite() and upper.is_finite() and bound.epsilon.exact is None
    if not expect(finite and upper <= _MOST_EPSILON, "a bound of ε is no interval"):
        return
    first, last, delta = Fraction(lower), Fraction(upper), value(bound.delta)
    none = not first and not last
    expect(none or last - first == step, "its ends are no neighbouring decimals")
    most = _probability(report, fraction(last), delta)
    expect(most >= level * (1 - _SLACK), f"ε = {upper} is refuted, and above its bound")
    if not none and first:
        least = _probability(report, fraction(first), delta)
        expect(least <= level * (1 + _SLACK), f"ε = {lower} is not refuted, and its bound")


def _check_verdict(report: CanaryReport, expect: Any) -> None:
    if report.budget is None:
        expect(report.verdict is None, "it has a verdict, and no budget")
        return
    levels = {str(bound.level) for bound in report.bounds}
    if not expect(len(levels) == 1, "it has a verdict at several levels"):
        return
    check_budget(report.budget.epsilon, report.budget.delta, "budget")
    level = value(report.bounds[0].level)
    epsilon, delta = value(report.budget.epsilon), value(report.budget.delta)
    most = _probability(report, epsilon, delta)
    if abs(most - level) <= _SLACK:
        expect(report.verdict == CanaryVerdict.UNDECIDED, "its verdict is no tie")
        return
    wanted = CanaryVerdict.EXCEEDS if most < level else CanaryVerdict.NOT_REFUTED
    expect(report.verdict == wanted, f"its verdict is not {wanted.value}")


def _probability(report: CanaryReport, epsilon: mpf, delta: mpf) -> mpf:
    """Return the largest probability of so many right guesses; see the module ``one_run``."""
    m, r, v = report.canaries, report.guesses, report.right
    if not v:
        return mpf(1)
    odds = mp.exp(epsilon)
    at = mp.binomial(r, v) * mp.exp(v * epsilon - r * mp.log1p(odds))
    if v * (1 + odds) > r * odds:  # more than the mean: the upper tail has few terms that count
        above = at * _from(odds, v, r)
        below = 1 - above
    else:
        below = at * (_from(1 / odds, r - v, r) - 1)
        above = 1 - below
    return above + m * delta * above * below / (v * at)


def _from(odds: mpf, first: int, trials: int) -> mpf:
    """Return the sum of binomial terms from ``first`` on, over that one."""
    total = term = mpf(1)
    for k in range(first, trials):
        ratio = odds * (trials - k) / (k + 1)
        term *= ratio
        total += term
        if ratio < mpf("0.999999") and term < total * mpf(10) ** -(_DECIMALS - 5):
            break
    return total

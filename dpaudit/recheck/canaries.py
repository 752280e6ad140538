"""The recheck of audits by canaries: the bound on right guesses again, in decimals.

The probability that (ε, δ)-DP allows is computed at both ends of each interval, with mpmath: at the
lower end it may be at most the level, at the upper end it has to be above it.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.all_sizes import MOST_CANARIES, AllSizes, Guessed, expected_sizes
from dpaudit.recheck.numbers import check_budget, check_delta, fraction, value
from dpaudit.recheck.one_run import (
    DECIMALS,
    Counts,
    allowed_probability,
    is_too_long,
    read_counts,
)
from dpaudit.recheck.profiles import CERTIFICATES, check_profile
from dpaudit.recheck.two_worlds import largest_probability
from dpaudit.results import CanaryBound, CanaryReport, CanaryVerdict, Enclosure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.recheck.findings import Findings

__all__ = ["SLACK", "check_canaries", "check_ends"]

TAKEN = "the scores, which canaries were in, and that the number of guesses was fixed beforehand"
ALL_SIZES = "the scores, which canaries were in, and how many of the surest guesses were right"
PROBABILITIES = "the probabilities of the canaries to be in, and which of them were guessed"
TWO_WORLDS = "the counts, that trainings were independent, and that their rule was fixed beforehand"
_MOST_TRAININGS, _MOST_UNITS, _PART, _LARGEST_RATE_EPSILON = 10_000, 1_000, 1e-9, 700
_MOST_AGAIN = 2_000
"""The rates of more trainings take minutes here."""
_MOST, _MOST_IN_GROUP = 10_000_000, 100_000
_MOST_DIGITS = 30
_MOST_EPSILON = 200_000
SLACK = mpf("1e-60")
"""By what part a probability in these decimals may be wrong; ends lie 10⁻³⁰ apart at least."""
_ALL_DECIMALS, _ALL_BITS, _ALL_SLACK = 40, 120, mpf("1e-25")
"""Digits of bounds from all numbers of guesses, and by what part they may be wrong."""
_WHAT = "bounds of canaries"


def check_canaries(report: CanaryReport, findings: Findings, options: Any) -> None:
    """Check that an audit by canaries follows from its counts."""
    where = f"{report.right} of {report.guesses}, {report.canaries} canaries"

    def expect(agrees: bool, message: str) -> bool:
        findings.expect(agrees, _WHAT, where, message)
        return agrees

    ordered = 1 <= report.guesses <= report.canaries <= _MOST and report.right <= report.guesses
    fits = expect(ordered, "its numbers of canaries, guesses and right guesses are impossible")
    fits &= expect(report.digits <= _MOST_DIGITS, f"bounds cannot have {report.digits} digits")
    fits &= expect(bool(report.bounds), "it has no bound")
    fits &= expect(1 <= report.group <= _MOST_IN_GROUP, "no coin decides for so many examples")
    if not fits:
        return
    if report.worlds is not None:
        expect(
            not report.inclusion_sha256,
            "a report on trainings with and without one canary cannot have a manifest of canaries",
        )
        expect(report.profile is None, "a profile is not tested by counts in two worlds")
        expect(not report.matching, "trainings with and without one canary are not matched")
        expect(not report.one_sided, "trainings with and without one canary have guesses of both")
        expect(not report.coins, "trainings with and without one canary have no coins")
        expect(report.group == 1, "trainings with and without one canary have no groups")
        findings.take(TWO_WORLDS)
        _check_worlds(report, findings, where, expect)
        return
    _check_sources(report, findings, expect)
    if any(bound.sizes for bound in report.bounds):
        _check_all_sizes(report, findings, where, expect)
    else:
        _check_fixed(report, findings, where, expect)


def _check_sources(report: CanaryReport, findings: Findings, expect: Any) -> None:
    """Check that coins and guesses go together, and list what cannot be checked."""
    tries_all = any(bound.sizes for bound in report.bounds)
    findings.take(ALL_SIZES if tries_all else TAKEN)
    if report.scores_sha256:
        findings.take(f"the file of scores with SHA-256 {report.scores_sha256[:64]}")
    if report.matching:
        expect(not report.inclusion_sha256, "a matching and a manifest of coins exclude each other")
        expect(not report.one_sided, "a matching has no guesses that are 'in' alone")
        expect(not report.coins, "a matching has no coins")
        findings.take(f"the random matching of canaries, seed {report.matching[:64]}")
    if report.coins:
        expect(not report.inclusion_sha256, "the coins of a manifest are fair")
        expect(report.profile is None, "a profile is tested only with fair coins")
        findings.take(PROBABILITIES)
    if report.inclusion_sha256:
        findings.take(f"the manifest of canaries with SHA-256 {report.inclusion_sha256[:64]}")
    if tries_all:
        expect(report.profile is None, "a profile is tested with one number of guesses")
    if report.group > 1:
        expect(report.profile is None, "a profile is tested only for single examples")


def _check_fixed(report: CanaryReport, findings: Findings, where: str, expect: Any) -> None:
    """Check bounds of one number of guesses."""
    counts = read_counts(report, expect)
    if counts is None:
        return
    if is_too_long(counts):
        findings.unknown(where, "so many guesses with different odds are not computed again")
        return
    with mp.workdps(DECIMALS):
        for bound in report.bounds:
            check_delta(bound.delta, "δ")
            level = value(bound.level)
            if expect(0 < level < 1, "a level is not between 0 and 1"):
                delta = value(bound.delta)
                for epsilon, group in _intervals(report, bound, expect):
                    counted = counts._replace(group=group)
                    check_ends(counted, epsilon, report.digits, (delta, level), expect)
        if report.profile is None:
            _check_verdict(report, counts, expect)
        elif expect(report.budget is None, "its verdict is about both a budget and a profile"):
            findings.take(CERTIFICATES)
            check_profile(report, report.profile, expect)


def _intervals(
    report: CanaryReport, bound: CanaryBound, expect: Any
) -> Iterator[tuple[Enclosure, int]]:
    """Yield each interval of ε of a bound, and the number of examples that a coin decided for.

    ε of a group is that of one example where every coin decides for one.
    """
    yield bound.epsilon, report.group
    has_both = (bound.group_epsilon is not None) == (report.group > 1)
    expect(has_both, "a bound on ε of a group belongs to a report on groups, and to no other")
    if bound.group_epsilon is not None:
        yield bound.group_epsilon, 1


def _check_worlds(report: CanaryReport, findings: Findings, where: str, expect: Any) -> None:
    """Check what rates in two worlds refute."""
    worlds = report.worlds
    assert worlds is not None
    counts = (worlds.members, worlds.true_positives, worlds.others, worlds.false_positives)
    n, x, m, y = counts
    fits = expect(x <= n <= _MOST_TRAININGS and y <= m <= _MOST_TRAININGS, "its counts cannot be")
    reported = (report.canaries, report.guesses, report.right) == (n + m, n + m, x + m - y)
    fits &= expect(reported and n > 0 < m, "its trainings and its counts differ")
    fits &= expect(
        not report.scores_sha256,
        "a report on trainings with and without one canary cannot have a file of scores",
    )
    if fits and max(n, m) > _MOST_AGAIN:
        findings.unknown(
            where, f"rates of more than {_MOST_AGAIN} trainings are not computed again"
        )
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
        if not expect(0 < upper <= _LARGEST_RATE_EPSILON, "a bound of ε is not an interval"):
            continue
        narrow = 0 <= lower < upper and _is_narrow(lower, upper, report.digits)
        expect(narrow, "a bound of ε is not a narrow interval")
        least, most = (level * (1 + sign * _PART) for sign in (-1, 1))
        expect(
            not lower or at(float(lower)) <= most, f"ε = {lower} is not refuted, but is its bound"
        )
        expect(at(float(upper)) >= least, f"ε = {upper} is refuted too, but is above its bound")
    levels = {str(bound.level) for bound in report.bounds}
    if report.budget is None or not fits or len(levels) > 1:
        expect(report.verdict is None, "it has a verdict, but no budget or several levels")
        return
    check_budget(report.budget.epsilon, report.budget.delta, "budget")
    level = float(value(report.bounds[0].level))
    at = largest_probability(counts, float(value(report.budget.delta)), level)
    largest = 1.0 if at is None else at(float(value(report.budget.epsilon)))
    if abs(largest - level) <= _PART * level:
        return  # too close for these floats
    expected = CanaryVerdict.EXCEEDS if largest < level else CanaryVerdict.NOT_REFUTED
    expect(report.verdict == expected, f"its verdict is not {expected.value}")


def _check_all_sizes(report: CanaryReport, findings: Findings, where: str, expect: Any) -> None:
    """Check bounds that hold for every number of guesses at once."""
    counted = read_counts(report, expect)
    if counted is None:
        return
    equal = not counted.tosses or (report.one_sided and len(counted.tosses) == 1)
    if not expect(equal, "many numbers of guesses have different odds"):
        return
    chance = counted.tosses[0].chance if counted.tosses else Fraction(1, 2)
    guessed = Guessed(report.canaries, report.one_sided, chance, report.group)
    most = ceil(guessed.weight) if report.one_sided else report.canaries
    if not expect(report.guesses == most, f"the largest number of guesses is not {most}"):
        return
    if report.canaries > MOST_CANARIES:
        findings.unknown(where, f"more than {MOST_CANARIES} canaries are not computed again")
        return
    rests_on = None
    for bound in report.bounds:
        check_delta(bound.delta, "δ")
        with mp.workdps(_ALL_DECIMALS):
            delta, level = value(bound.delta), value(bound.level)
            if not expect(0 < level < 1, "a level is not between 0 and 1"):
                return
            expected = expected_sizes(guessed, float(delta), float(level))
            counts = _counts_by_size(report, bound, expected, expect)
            if counts is None:
                return
            again = AllSizes(guessed, *counts, delta, level)
            for epsilon, group in _intervals(report, bound, expect):
                _check_ends_of_all(report.digits, epsilon, (again, group), level, expect)
            if report.budget is not None and str(bound.delta) == str(report.budget.delta):
                rests_on = again
    _check_verdict_of_all(report, rests_on, expect)


def _check_verdict_of_all(report: CanaryReport, rests_on: AllSizes | None, expect: Any) -> None:
    if report.budget is None:
        expect(report.verdict is None, "it has a verdict, but no budget")
        return
    check_budget(report.budget.epsilon, report.budget.delta, "budget")
    is_one = rests_on is not None and len({str(bound.level) for bound in report.bounds}) == 1
    if not expect(is_one, "a verdict rests on one level, and on a bound at the budget's δ"):
        return
    assert rests_on is not None
    with mp.workdps(_ALL_DECIMALS):
        level, epsilon = value(report.bounds[0].level), value(report.budget.epsilon)
        place = Fraction(int(epsilon * 2**_ALL_BITS), 2**_ALL_BITS)
        most = rests_on.bound(place, report.group)
        if abs(most - level) <= _ALL_SLACK * level:
            return  # too close to tell
        expected = CanaryVerdict.EXCEEDS if most < level else CanaryVerdict.NOT_REFUTED
    expect(report.verdict == expected, f"its verdict is not {expected.value}")


def _counts_by_size(
    report: CanaryReport, bound: CanaryBound, expected: list[int], expect: Any
) -> tuple[list[int], list[int]] | None:
    """Return the numbers of guesses and of right ones, or None where they cannot be."""
    sizes, right = (
        [getattr(entry, name) for entry in bound.sizes] for name in ("guesses", "right")
    )
    if not expect(
        sizes == expected,
        "the numbers of guesses tried are not those that dpaudit tries",
    ):
        return None
    # Ties at a border lower a count, so from one number to the next it may grow by more than that.
    possible = all(count <= size for size, count in zip(sizes, right, strict=True))
    possible &= right == sorted(right) and right[-1] == report.right
    if not expect(possible, "its numbers of right guesses are impossible"):
        return None
    return sizes, right


def _check_ends_of_all(
    digits: int, epsilon: Enclosure, bound: tuple[AllSizes, int], level: mpf, expect: Any
) -> None:
    (again, group), lower, upper = bound, epsilon.lower, epsilon.upper
    finite = lower.is_finite() and upper.is_finite() and epsilon.exact is None
    if not expect(
        finite and 0 <= lower <= upper <= _MOST_EPSILON, "a bound of ε is not an interval"
    ):
        return
    if not upper:
        expect(again.bound(Fraction(0), group) >= level * (1 - _ALL_SLACK), "something is refuted")
        return
    narrow = lower < upper and _is_narrow(lower, upper, digits)
    expect(narrow, "a bound of ε is not a narrow interval")
    least, most = (again.bound(Fraction(end), group) for end in (lower, upper))
    expect(least <= level * (1 + _ALL_SLACK), f"ε = {lower} is not refuted, but is its bound")
    expect(most >= level * (1 - _ALL_SLACK), f"ε = {upper} is refuted too, but is above its bound")


def check_ends(
    counts: Counts, epsilon: Enclosure, digits: int, question: tuple[mpf, mpf], expect: Any
) -> None:
    """Check that an interval contains the largest ε that counts of one run refute.

    Args:
        counts: the guesses.
        epsilon: the interval.
        digits: its ends are neighbouring decimals of so many digits after the point.
        question: δ and the level; needs mpmath's precision set.
        expect: takes whether something holds, and what to say if it does not.
    """
    (delta, level), lower, upper = question, epsilon.lower, epsilon.upper
    step = Fraction(1, 10**digits)
    finite = lower.is_finite() and upper.is_finite() and epsilon.exact is None
    if not expect(finite and upper <= _MOST_EPSILON, "a bound of ε is not an interval"):
        return
    first, last = Fraction(lower), Fraction(upper)
    none = not first and not last
    expect(none or last - first == step, "its ends are not neighbouring decimals")
    most = allowed_probability(counts, fraction(last), delta)
    expect(most >= level * (1 - SLACK), f"ε = {upper} is refuted too, but is above its bound")
    if not none and first:
        least = allowed_probability(counts, fraction(first), delta)
        expect(least <= level * (1 + SLACK), f"ε = {lower} is not refuted, but is its bound")


def _check_verdict(report: CanaryReport, counts: Counts, expect: Any) -> None:
    if report.budget is None:
        expect(report.verdict is None, "it has a verdict, but no budget")
        return
    levels = {str(bound.level) for bound in report.bounds}
    if not expect(len(levels) == 1, "it has a verdict at several levels"):
        return
    check_budget(report.budget.epsilon, report.budget.delta, "budget")
    level = value(report.bounds[0].level)
    epsilon, delta = value(report.budget.epsilon), value(report.budget.delta)
    most = allowed_probability(counts, epsilon, delta)
    if abs(most - level) <= SLACK:
        expect(
            report.verdict == CanaryVerdict.UNDECIDED,
            "its verdict must be undecided: the counts are too close to the level",
        )
        return
    expected = CanaryVerdict.EXCEEDS if most < level else CanaryVerdict.NOT_REFUTED
    expect(report.verdict == expected, f"its verdict is not {expected.value}")


def _is_narrow(lower: Decimal, upper: Decimal, digits: int) -> bool:
    """Tell whether an interval is as narrow as the digits of its report."""
    units: Fraction = (Fraction(upper) - Fraction(lower)) * 10**digits
    return units <= _MOST_UNITS

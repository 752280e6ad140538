"""The recheck of what is written before a training: the bounds of plans, and coins from seeds."""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256
from math import floor
from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.recheck.canaries import SLACK, check_ends
from dpaudit.recheck.numbers import check_delta, rational, value
from dpaudit.recheck.one_run import DECIMALS, Counts, allowed_probability
from dpaudit.results import CanaryNeeds, CanaryPlan, InclusionManifest, PlannedBounds

if TYPE_CHECKING:
    from dpaudit.recheck.findings import Findings

__all__ = ["check_canary_needs", "check_canary_plan", "check_inclusion"]

TAKEN = "that the assumed share of the guesses is right, and that their number is fixed beforehand"
BEFORE = "that the manifest was written before the training, and its seed not chosen"
NOT_ENOUGH = "that no number of canaries is enough where none is stated"
FEWER = "that a number of canaries smaller by more than 100 is not enough"
_NEEDS = "canaries needed"
_BEFORE = 100
_MOST, _MOST_DIGITS = 10_000_000, 30
_WHAT = "a plan of canaries"


def check_canary_plan(plan: CanaryPlan, findings: Findings, options: Any) -> None:
    """Check that the bounds of a plan follow from its shares."""
    where = f"{plan.canaries} canaries"

    def expect(agrees: bool, message: str) -> bool:
        findings.expect(agrees, _WHAT, where, message)
        return agrees

    fits = expect(1 <= plan.canaries <= _MOST, "its number of canaries is impossible")
    fits &= expect(plan.digits <= _MOST_DIGITS, f"bounds cannot have {plan.digits} digits")
    if not expect(bool(plan.bounds), "it has no bound") or not fits:
        return
    findings.take(TAKEN)
    with mp.workdps(DECIMALS):
        for bounds in plan.bounds:
            _check_bounds(plan, bounds, expect)


def _check_bounds(plan: CanaryPlan, bounds: PlannedBounds, expect: Any) -> None:
    check_delta(bounds.delta, "δ")
    delta, level = value(bounds.delta), value(bounds.level)
    try:
        share = rational(str(bounds.share))
    except ValueError:
        share = Fraction(0)
    if not expect(0 < level < 1, "a level is not between 0 and 1"):
        return
    if not expect(0 < share <= 1, "a share of right guesses is not between 0 and 1"):
        return
    guesses = [size.guesses for size in bounds.sizes]
    ordered = bool(guesses) and guesses == sorted(set(guesses))
    if not expect(
        ordered and guesses[0] >= 1 and guesses[-1] <= plan.canaries,
        "its numbers of guesses are impossible",
    ):
        return
    for size in bounds.sizes:
        if expect(
            size.right == floor(share * size.guesses),
            "the number of right guesses is not that share",
        ):
            counts = Counts(plan.canaries, size.guesses, size.right)
            check_ends(counts, size.epsilon, plan.digits, (delta, level), expect)
    # The first of the largest; none where no bound is above 0.
    largest = max(bounds.sizes, key=lambda size: size.epsilon.lower)
    best = largest.guesses if largest.epsilon.lower else None
    expect(bounds.best == best, f"the best number of guesses is {best}")


def check_canary_needs(document: CanaryNeeds, findings: Findings, options: Any) -> None:
    """Check that so many canaries are enough, and that of the fewer ones before them none is."""
    findings.take(TAKEN)
    findings.expect(bool(document.needs), _NEEDS, str(document.epsilon), "it is empty")
    with mp.workdps(DECIMALS):
        epsilon = value(document.epsilon)
        for need in document.needs:
            where = f"a share of {need.share}, δ = {need.delta}, level {need.level}"
            check_delta(need.delta, "δ")
            level, delta = value(need.level), value(need.delta)
            share = rational(str(need.share))
            possible = 0 < level < 1 and 0 < share <= 1 and epsilon > 0
            findings.expect(possible, _NEEDS, where, "its share, level or ε is impossible")
            if not possible:
                continue
            if need.canaries is None:
                findings.take(NOT_ENOUGH)
                continue
            number = need.canaries
            fits = 1 <= number <= _MOST and need.above is None
            fits = fits and need.right == floor(share * number)
            findings.expect(fits, _NEEDS, where, "its numbers cannot be")
            if not fits:
                continue
            most = allowed_probability(
                Counts(number, number, floor(share * number)), epsilon, delta
            )
            findings.expect(most <= level * (1 + SLACK), _NEEDS, where, "they are not enough")
            first = max(1, number - _BEFORE)
            if first > 1:
                findings.take(FEWER)
            for fewer in range(first, number):
                right = floor(share * fewer)
                least = allowed_probability(Counts(fewer, fewer, right), epsilon, delta)
                message = f"{fewer} canaries are enough as well"
                findings.expect(least >= level * (1 - SLACK), _NEEDS, where, message)


def check_inclusion(manifest: InclusionManifest, findings: Findings, options: Any) -> None:
    """Check that the coins of a manifest are those of its seed, bit by bit."""
    where = f"{manifest.canaries} canaries"
    findings.take(BEFORE)
    fits = 1 <= manifest.canaries == len(manifest.member) <= _MOST
    findings.expect(fits, "coins", where, "it does not have one coin for each canary")
    digest = b""
    for place, digit in enumerate(manifest.member if fits else ""):
        block, bit = divmod(place, 256)
        if not bit:
            digest = sha256(f"dpaudit.inclusion/1\n{manifest.seed}\n{block}".encode()).digest()
        coin = digest[bit // 8] >> (7 - bit % 8) & 1
        if digit != str(coin):
            findings.expect(
                False, "coins", where, f"canary {place} has a different coin than its seed gives"
            )
            return
    findings.expect(True, "coins", where, "")

"""The recheck of tests of a profile: the inequalities of a certificate, written out one by one.

A certificate has a number b and prices c at odds E.  Numbers y are built from them, and for each
number k of errors the inequality b + Σ ((r − k)·y_k − E·k·y_{k−1}) ≥ [k ≤ r − v] and 0 ≤ y ≤ c are
checked in whole numbers; see :mod:`dpaudit.questions.canaries.profile_bounds` for what follows.
δ(ln E) of μ-GDP is computed with mpmath.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, lcm
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.numbers import fraction, rational, value
from dpaudit.results import CanaryVerdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.results import CanaryReport, DualCertificate, Enclosure, ProfileTest

__all__ = ["CERTIFICATES", "check_profile"]

CERTIFICATES = "that no stronger certificates against the profile were looked for"
_MOST_GUESSES, _MOST_PRICES = 100_000, 100
_UNIT_BITS, _MOST_BITS = 256, 400
_MOST_MU, _MU_DIGITS = 200_000, 4
_SLACK = mpf("1e-40")
_COUNTED = 20_000
"""Coins of at most so many guesses are counted exactly."""

Prices = list[tuple[Fraction, Fraction]]


def check_profile(report: CanaryReport, test: ProfileTest, expect: Any) -> None:
    """Check the certificates of a test, and what is said to follow from them."""
    mu = value(test.mu)
    if not expect(0 < mu <= _MOST_MU, "the claimed μ is not above 0"):
        return
    if not expect(report.guesses <= _MOST_GUESSES, "a profile has too many guesses"):
        return
    bound = mpf(1)
    if test.certificate is not None:
        base, prices = _read(report, test.certificate, expect)
        if prices is None:
            return
        bound = min(mpf(1), _bound(_weight(report), base, prices, mu))
    _check_p_value(test.p_value, bound, expect)
    levels = [str(claimed.level) for claimed in test.bounds]
    if not expect(len(levels) == 1, "a profile has one level"):
        return
    same = {str(claimed.level) for claimed in report.bounds} == set(levels)
    level = value(test.bounds[0].level)
    if not expect(same and 0 < level < 1, "the levels of the profile and of ε differ"):
        return
    claimed = test.bounds[0]
    if claimed.certificate is None:
        expect(not claimed.mu.lower and not claimed.mu.upper, "a bound of μ has no certificate")
        _check_nothing(report, level, expect)
    else:
        base, prices = _read(report, claimed.certificate, expect)
        if prices is not None:
            _check_largest(report, claimed.mu, (base, prices), level, expect)
    if abs(bound - level) <= _SLACK:
        expect(
            report.verdict == CanaryVerdict.UNDECIDED,
            "its verdict must be undecided: the bound is too close to the level",
        )
        return
    expected = CanaryVerdict.EXCEEDS if bound < level else CanaryVerdict.NOT_REFUTED
    expect(report.verdict == expected, f"its verdict is not {expected.value}")


def _read(
    report: CanaryReport, certificate: DualCertificate, expect: Any
) -> tuple[Fraction, Prices | None]:
    """Return b and the prices; None for these where they prove nothing."""
    try:
        base = rational(str(certificate.base))
        prices = [(rational(str(p.odds)), rational(str(p.price))) for p in certificate.prices]
    except ValueError:
        expect(False, "a certificate has numbers that are not rational")
        return Fraction(0), None
    short = len(prices) <= _MOST_PRICES and all(
        number.denominator.bit_length() <= _MOST_BITS
        for number in (base, *(number for pair in prices for number in pair))
    )
    if not expect(short, "a certificate has too many numbers, or too long ones"):
        return base, None
    proves = bool(report.right) and _is_feasible(report.guesses, report.right, base, prices)
    if not expect(proves, "a certificate is not feasible"):
        return base, None
    return base, prices


def _is_feasible(guesses: int, right: int, base: Fraction, prices: Prices) -> bool:
    """Build y, and tell whether all inequalities hold for it."""
    if base < 0 or any(odds < 1 or price < 0 for odds, price in prices):
        return False
    # Whole numbers throughout: an inequality that holds but for a rounding proves nothing.
    whole = lcm(1, *(odds.denominator for odds, _ in prices))
    odds = [int(ratio * whole) for ratio, _ in prices]
    unit = 1 << _UNIT_BITS
    caps = [int(price * unit) for _, price in prices]
    before = [0] * len(prices)
    for k in range(guesses + 1):
        # What y has to give, times whole·unit; b is not above its own here.
        paid = k * sum(e * y for e, y in zip(odds, before, strict=True))
        needed = (unit if k <= guesses - right else 0) * whole - int(base * unit) * whole + paid
        now = _filled(needed, (guesses - k) * whole, caps)
        supplied = sum(now) * (guesses - k) * whole
        if supplied < needed or any(not 0 <= y <= cap for y, cap in zip(now, caps, strict=True)):
            return False
        before = now
    return True


def _filled(needed: int, weight: int, caps: Sequence[int]) -> list[int]:
    """Return y with at least the sum that is needed, those of the smallest odds first."""
    remaining = max(0, -(-needed // weight)) if weight else 0
    now = []
    for cap in caps:
        now.append(min(cap, remaining))
        remaining -= now[-1]
    return now


def _weight(report: CanaryReport) -> mpf:
    """Return the share of all sets of canaries that counts for each, times their number."""
    return mpf(report.canaries) / (2 if report.one_sided else 1)


def _bound(weight: mpf, base: Fraction, prices: Prices, mu: mpf) -> mpf:
    return fraction(base) + weight * mp.fsum(
        fraction(price) * _delta(mu, fraction(odds)) for odds, price in prices
    )


def _delta(mu: mpf, odds: mpf) -> mpf:
    """Return δ(ln E) of μ-GDP."""
    if not mu:
        return mpf(0)
    shift = mp.log(odds) / mu
    return mp.ncdf(mu / 2 - shift) - odds * mp.ncdf(-mu / 2 - shift)


def _check_p_value(stated: Enclosure, bound: mpf, expect: Any) -> None:
    lower, upper = stated.lower, stated.upper
    finite = lower.is_finite() and upper.is_finite() and stated.exact is None
    if not expect(finite and 0 <= lower <= upper <= 1, "a probability is not an interval"):
        return
    least, most = (fraction(Fraction(end)) for end in (lower, upper))
    contains = least <= bound * (1 + _SLACK) and bound * (1 - _SLACK) <= most
    expect(contains, f"the probability of so many right guesses is {mp.nstr(bound, 6)}")
    expect(most - least <= mpf("1e-4") * most, "a probability is not a narrow interval")


def _check_nothing(report: CanaryReport, level: mpf, expect: Any) -> None:
    """Check that coins alone, which are 0-GDP, have so many right guesses often enough."""
    r, v = report.guesses, report.right
    if r <= _COUNTED:
        heads = fraction(Fraction(sum(comb(r, k) for k in range(v, r + 1)), 2**r))
    else:
        heads = mp.betainc(v, r - v + 1, 0, mpf(1) / 2, regularized=True) if v else mpf(1)
    expect(heads >= level * (1 - _SLACK), "some μ is refuted, but the report has no bound")


def _check_largest(
    report: CanaryReport,
    stated: Enclosure,
    certificate: tuple[Fraction, Prices],
    level: mpf,
    expect: Any,
) -> None:
    lower, upper = stated.lower, stated.upper
    finite = lower.is_finite() and upper.is_finite() and stated.exact is None
    if not expect(finite and 0 <= lower < upper <= _MOST_MU, "a bound of μ is not an interval"):
        return
    neighbours = Fraction(upper) - Fraction(lower) == Fraction(
        1, 10 ** min(report.digits, _MU_DIGITS)
    )
    expect(neighbours, "the ends of a bound of μ are not neighbouring decimals")
    least, most = (
        _bound(_weight(report), *certificate, fraction(Fraction(end))) for end in (lower, upper)
    )
    expect(least <= level * (1 + _SLACK), f"μ = {lower} is not refuted, but is its bound")
    expect(most >= level * (1 - _SLACK), f"μ = {upper} is refuted too, but is above its bound")

"""Means, variances, tails, quantiles and groups against mpmath from the definitions."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpaudit.accuracy import ErrorLaw, error_law
from dpaudit.numbers.enclosure import Enclosure
from tests.campaigns import part
from tests.enclosing import fraction_of
from tests.oracles.errors import error_pairs, mean, tail, variance
from tests.oracles.setting import DIGITS, READINGS, Setting, variants
from tests.situations import build

EXACT = Fraction(1, 10**40)
WINDOWED = Fraction(1, 10**16)
"""What the oracle leaves out beyond its window, times the largest squared error there."""

PRIORS = [Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(2), Fraction(7, 5), Fraction(4)]
THRESHOLDS = [Fraction(1, 20), Fraction(3, 10), Fraction(4, 7), Fraction(9, 10), Fraction(5, 2)]


@st.composite
def situations(draw: st.DrawFn) -> tuple[Setting, tuple[int, ...], str, str]:
    mechanism = draw(st.sampled_from(sorted(READINGS)))
    readings = draw(st.sampled_from(variants(mechanism)))
    notes = mechanism == "NotesLaplace"
    wide = notes and ("coordinates", "all") in readings
    k = 2 if wide else draw(st.sampled_from((2, 2, 3)))
    counts = tuple(draw(st.lists(st.integers(0, 3), min_size=k, max_size=k).filter(any)))
    smallest = 3 if wide or (notes and k == 3) else 1
    epsilon = draw(st.fractions(min_value=smallest, max_value=6, max_denominator=20))
    prior = tuple(draw(st.lists(st.sampled_from(PRIORS), min_size=k, max_size=k)))
    metric = draw(st.sampled_from(("hellinger", "l1")))
    outside = draw(
        st.sampled_from(("clamped", "redrawn", "furthest" if metric == "hellinger" else "printed"))
    )
    setting = Setting(mechanism, sum(counts), prior, epsilon, readings=readings)
    return setting, counts, metric, outside


def encloses(interval: Enclosure, truth: mpf, slack: Fraction) -> bool:
    value = fraction_of(truth)
    low, high = Fraction(interval.lower), Fraction(interval.upper)
    return low - slack <= value <= high + slack and high - low <= Fraction(1, 10**12)


@given(situations())
@settings(max_examples=part(150, 30), deadline=None)
def test_mean_variance_tails_and_quantiles(
    situation: tuple[Setting, tuple[int, ...], str, str],
) -> None:
    setting, counts, metric, outside = situation
    law = error_law(build(setting), counts, metric, outside=outside)
    pairs = error_pairs(setting, counts, metric, outside)
    slack = WINDOWED if setting.mechanism == "NotesLaplace" else EXACT
    assert encloses(law.mean(), mean(pairs), slack)
    assert encloses(law.variance(), variance(pairs), slack)
    for threshold in THRESHOLDS:
        with mp.workdps(DIGITS):
            bound = mpf(threshold.numerator) / threshold.denominator
        assert encloses(law.tail(threshold), tail(pairs, bound), slack)
    for level in (Fraction(1, 10), Fraction(1, 2), Fraction(29, 31)):
        check_quantile(law, pairs, level)


def check_quantile(law: ErrorLaw, pairs: list[tuple[mpf, mpf]], level: Fraction) -> None:
    """P(error ≤ q) ≥ level, and P(error < q) < level, up to what the oracle's digits tell."""
    quantile = law.quantile(level)
    near = mpf("1e-11")
    value = mpf(str(quantile.value.lower))
    up_to = mp.fsum(p for error, p in pairs if error <= value + near)
    below = mp.fsum(p for error, p in pairs if error < value - near)
    wanted = mpf(level.numerator) / level.denominator
    assert up_to >= wanted - mpf("1e-15")
    if quantile.decided:
        assert below <= wanted + mpf("1e-15")
        assert quantile.value.width <= Decimal("1e-12")


@given(situations())
@settings(max_examples=60, deadline=None)
def test_groups_are_the_distinct_errors_of_the_oracle(
    situation: tuple[Setting, tuple[int, ...], str, str],
) -> None:
    setting, counts, metric, outside = situation
    law = error_law(build(setting), counts, metric, outside=outside)
    pairs = sorted(error_pairs(setting, counts, metric, outside))
    merged: list[list[mpf]] = []
    with mp.workdps(DIGITS):
        for error, p in pairs:
            if merged and error - merged[-1][0] < mpf("1e-35"):
                merged[-1][1] += p
            else:
                merged.append([error, p])
    slack = WINDOWED if setting.mechanism == "NotesLaplace" else EXACT
    groups = [group for group in law.groups if group.probability.lower > Decimal("1e-9")]
    kept = [(error, p) for error, p in merged if p > mpf("1e-9")]
    assert len(groups) == len(kept)
    for group, (error, p) in zip(groups, kept, strict=True):
        assert encloses(group.distance, error, EXACT)
        assert encloses(group.probability, p, slack)


@pytest.mark.parametrize("metric", ["hellinger", "l1"])
@pytest.mark.parametrize(
    ("mechanism", "readings"),
    [(name, readings) for name in READINGS for readings in variants(name)],
    ids=str,
)
def test_every_reading_of_every_mechanism(
    mechanism: str, readings: tuple[tuple[str, str], ...], metric: str
) -> None:
    setting = Setting(mechanism, 5, (Fraction(1), Fraction(1)), Fraction(3), readings=readings)
    for outside in ("clamped", "redrawn", "furthest" if metric == "hellinger" else "printed"):
        law = error_law(build(setting), (2, 3), metric, outside=outside)
        pairs = error_pairs(setting, (2, 3), metric, outside)
        slack = WINDOWED if mechanism == "NotesLaplace" else EXACT
        assert encloses(law.mean(), mean(pairs), slack)
        assert encloses(law.tail("1/3"), tail(pairs, mpf(1) / 3), slack)

"""Every interval contains the value that an independent brute force finds in mpmath.

The settings are random: mechanism, n, k, prior, ε, δ, γ and readings.  The oracle shares no code
with the package; its own errors are below 1e-40 (NotesLaplace: its δ is low by at most 1e-21).
"""

from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.mechanisms.registry import mechanism_class
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.results import SizeResult, Verdict
from tests.oracles import definitions, laws
from tests.oracles.setting import DIGITS, Setting, random_settings

SETTINGS = random_settings(seed=20, count=192)
BATCHES = [SETTINGS[start::32] for start in range(32)]
ORACLE_ERROR = mpf("1e-40")


def parameters_of(setting: Setting) -> dict[str, object]:
    names = {parameter.name for parameter in mechanism_class(setting.mechanism).parameters}
    candidates: dict[str, object] = {
        "epsilon": str(setting.epsilon),
        "prior": setting.prior,
        "delta": setting.delta,
        "gamma": setting.gamma,
        **dict(setting.readings),
    }
    return {name: value for name, value in candidates.items() if name in names}


def audited(setting: Setting, digits: int, **options: Any) -> SizeResult:
    subject = dpaudit.mechanism(setting.mechanism, **parameters_of(setting))
    found = dpaudit.check(subject, setting.n, digits=digits, **options)
    return found.results[0]


def number(value: Decimal) -> mpf:
    return mp.inf if value.is_infinite() else mpf(str(value))


def assert_contains(interval: Enclosure, truth: mpf, digits: int, low: mpf = ORACLE_ERROR) -> None:
    """``truth`` may be off by 1e-40 upwards and by ``low`` downwards."""
    if truth == mp.inf:
        assert interval.lower.is_infinite()
        return
    assert number(interval.lower) <= truth + low
    assert truth - ORACLE_ERROR <= number(interval.upper)
    assert interval.width <= Decimal(1).scaleb(-digits)


def loss_at(setting: Setting, x: Any, y: Any, output: Any) -> mpf:
    p, q = (laws.law_for_pair(setting, a, b) for a, b in ((x, y), (y, x)))
    numerator = p.get(output, mpf(0))
    denominator = q.get(output, mpf(0))
    return mp.log(numerator / denominator) if denominator else mp.inf


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: f"{len(batch)} settings")
def test_every_interval_contains_the_oracles_value(batch: list[Setting]) -> None:
    for index, setting in enumerate(batch):
        digits = (12, 12, 30, 6)[index % 4]
        k, n = len(setting.prior), setting.n
        result = audited(setting, digits)
        with mp.workdps(DIGITS):
            worst = definitions.realised_epsilon(setting)
            delta = definitions.realised_delta(setting, setting.epsilon)
            assert_contains(result.epsilon, worst.epsilon, digits)
            shortfall = ORACLE_ERROR + 10 * definitions.neglected_mass(setting)
            low = shortfall if setting.mechanism == "NotesLaplace" else ORACLE_ERROR
            assert number(result.delta_held.value.lower) <= delta + low
            assert delta - ORACLE_ERROR <= number(result.delta_held.value.upper)
            assert result.delta_held.value.width <= Decimal(1).scaleb(-digits)
            # the witness has the loss that is claimed for it, in the direction that is claimed
            witness = result.witness
            loss = loss_at(setting, witness.x, witness.y, witness.output)
            assert_contains(witness.loss, loss, digits)
            assert number(witness.loss.upper) >= number(result.epsilon.lower)
        assert result.pairs_covered == result.pairs == comb(n + k - 2, k - 1) * comb(k, 2)
        assert result.datasets == comb(n + k - 1, k - 1)


def test_the_settings_reach_every_mechanism_and_reading() -> None:
    seen = {(setting.mechanism, reading) for setting in SETTINGS for reading in setting.readings}
    assert len({setting.mechanism for setting in SETTINGS}) == 8
    assert {("NotesLaplace", ("rounding", "toward-zero")), ("MH", ("divisor", "1"))} <= seen
    assert {len(setting.prior) for setting in SETTINGS} == {2, 3, 4}


@pytest.mark.parametrize("setting", random_settings(seed=7, count=40), ids=str)
def test_verdicts_agree_with_the_oracle(setting: Setting) -> None:
    """Verdicts against a budget well above and well below the oracle's value are never wrong."""
    with mp.workdps(DIGITS):
        truth = definitions.realised_epsilon(setting).epsilon
        above = Fraction(str(mp.nstr(truth * mpf("1.01"), 20)))
        below = Fraction(str(mp.nstr(truth * mpf("0.99"), 20)))
    assert audited(setting, 12, budget=above).verdict is Verdict.WITHIN
    assert audited(setting, 12, budget=below).verdict is Verdict.EXCEEDS


SMALL = [s for s in random_settings(seed=3, count=120) if s.n <= 3 and len(s.prior) <= 3][:24]


@pytest.mark.parametrize("setting", SMALL, ids=str)
def test_add_remove_agrees_with_the_oracle(setting: Setting) -> None:
    result = audited(setting, 12, adjacency="histogram-add-remove")
    with mp.workdps(DIGITS):
        worst = definitions.realised_epsilon(setting, adjacency="add-remove")
        delta = definitions.realised_delta(setting, setting.epsilon, adjacency="add-remove")
        assert_contains(result.epsilon, worst.epsilon, 12)
        assert number(result.delta_held.value.lower) <= delta + mpf("1e-20")
        assert delta - ORACLE_ERROR <= number(result.delta_held.value.upper)


@pytest.mark.parametrize("setting", random_settings(seed=11, count=24), ids=str)
def test_pairs_at_one_dataset_agree_with_the_oracle(setting: Setting) -> None:
    k = len(setting.prior)
    at = (setting.n, *(0,) * (k - 1))
    result = audited(setting, 12, at=at)
    assert result.pairs == result.pairs_covered == k - 1
    with mp.workdps(DIGITS):
        worst = definitions.realised_epsilon(setting, at=at)
        assert_contains(result.epsilon, worst.epsilon, 12)

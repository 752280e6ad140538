"""The privacy curve as two hulls: it agrees with the audit at every ε, and is a curve."""

import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from mpmath import mp

from dpaudit import check, curve
from dpaudit.api import make_plan, mechanism
from dpaudit.audit import curve as curve_module
from dpaudit.audit.curve import privacy_curve
from dpaudit.numbers.real import real
from dpaudit.screens import curves as curve_screen
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.exponents import screen_losses
from tests.oracles import definitions
from tests.oracles.setting import DIGITS, Setting
from tests.screening import random_mechanism

if TYPE_CHECKING:
    from dpaudit.data.histograms import Counts

CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("EHDS", 12, {}),
    ("EHD", 4, {"prior": "1,2,1/3"}),
    ("MH", 15, {"divisor": "1"}),
    ("LSHist", 9, {}),
    ("LSHist", 4, {"k": 3}),
    ("NotesLaplace", 5, {"rounding": "toward-zero"}),
    ("LSZhang", 3, {"coordinates": "all"}),
]
EPSILONS = ["0", "1/100", "1/5", "2/5", "4/5", "ln(2)", "3/2", "8"]


@pytest.mark.parametrize(("mechanism", "n", "parameters"), CASES)
def test_the_curve_is_the_audits_delta_at_every_epsilon(
    mechanism: str, n: int, parameters: dict[str, Any]
) -> None:
    (found,) = curve(mechanism, n, **parameters).curves
    result = check(mechanism, n, at_eps=EPSILONS, **parameters).only
    assert found.pairs == result.pairs
    for point in result.curve:
        value = found.delta(real(point.epsilon), 12).value
        assert value.lower <= point.value.upper
        assert point.value.lower <= value.upper
        assert value.width <= Decimal("1e-12")


def test_the_curve_agrees_with_the_oracle_between_its_breakpoints() -> None:
    setting = Setting("EHDS", 14, (Fraction(1, 3), Fraction(2)), Fraction(3, 2))
    (found,) = curve("EHDS", 14, prior="1/3,2", eps="3/2").curves
    breaks = sorted(epsilon for epsilon in found.breakpoints() if epsilon > 0)
    assert len(breaks) >= 3
    for left, right in pairwise(breaks):
        middle = Fraction((left + right) / 2).limit_denominator(10**6)
        with mp.workdps(DIGITS):
            truth = definitions.realised_delta(setting, middle)
            value = found.delta(real(middle), 20).value
            assert mp.mpf(str(value.lower)) <= truth <= mp.mpf(str(value.upper))


@pytest.mark.parametrize(("mechanism", "n", "parameters"), CASES)
def test_both_hulls_are_concave_and_run_from_nothing_to_everything(
    mechanism: str, n: int, parameters: dict[str, Any]
) -> None:
    (found,) = curve(mechanism, n, **parameters).curves
    for hull in (found.upper, found.lower):
        assert (hull[0].q, hull[0].p) == (0, 0) or hull[0].q == 0
        slopes = [Fraction(b.p - a.p, b.q - a.q) for a, b in pairwise(hull)]
        assert slopes == sorted(slopes, reverse=True)
        assert len(set(slopes)) == len(slopes)
    whole = 1 << found.scale_bits
    assert found.upper[-1].p >= whole  # outward: at least all the mass
    assert found.lower[-1].p <= whole  # inward: at most all the mass
    assert found.lower[-1].p > whole * (1 - Fraction(1, 10**9))


def test_delta_falls_to_zero_at_the_realised_epsilon() -> None:
    epsilon = check("EHDS", 30).epsilon
    (found,) = curve("EHDS", 30).curves
    above = found.delta(real(epsilon.upper) + real("1e-9"), 12).value
    below = found.delta(real(epsilon.lower) - real("1e-9"), 12).value
    assert above.upper == 0
    assert below.lower > 0


def test_the_witness_pair_of_a_point_attains_it() -> None:
    (found,) = curve("MH", 15, divisor=1).curves
    point = found.delta(real("4/5"), 12)
    alone = check("MH", 15, divisor=1, at=cast("Counts", point.x)).delta_held
    assert alone.value.upper >= point.value.lower


@pytest.mark.parametrize("seed", range(6))
def test_both_engines_give_the_same_curve(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """δ, to the last digit, at ε from 0 to beyond the largest loss and at breakpoints."""
    monkeypatch.setattr(curve_module, "WORTH_A_SCREEN", 0)
    rng = random.Random(3000 + seed)
    for _ in range(5):
        subject, n = random_mechanism(rng)
        plan = make_plan(subject)
        screened = privacy_curve(subject, n, plan)
        balls = privacy_curve(subject, n, replace(plan, engine="ball"))
        assert screened.pairs == balls.pairs
        largest = float(next(iter(balls.breakpoints()), 1.0))
        epsilons = [real(str(round(largest * i / 15, 8))) for i in range(17)]
        epsilons += [real(str(round(b, 8))) for b in list(balls.breakpoints())[::3] if b > 0][:10]
        for epsilon in epsilons:
            found, expected = screened.delta(epsilon, 12).value, balls.delta(epsilon, 12).value
            assert abs(found.lower - expected.lower) < Decimal("1e-15")
            assert abs(found.upper - expected.upper) < Decimal("1e-15")


def test_a_hull_that_is_too_high_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """One part in a million too high, it lies above its own points; then no pair is left out."""
    at = curve_screen._Hull.at
    monkeypatch.setattr(curve_screen._Hull, "at", lambda self, q: at(self, q) * (1 + 1e-6))
    subject = mechanism("EHDS")
    laws = subject.screen(60)
    assert laws is not None
    with pytest.raises(NotScreened, match="contradicts itself"):
        curve_screen.curve_candidates(laws, screen_losses(laws), lambda pairs: None)
    found = privacy_curve(subject, 60, make_plan(subject))
    assert {(v.x, v.y) for v in found.lower} == {
        (v.x, v.y)
        for v in privacy_curve(subject, 60, replace(make_plan(subject), engine="ball")).lower
    }


@pytest.mark.parametrize("name", ["EHDS", "LSDim"])
def test_values_have_the_digits_asked_for(name: str) -> None:
    at = ("1/10", "1/4")
    found = curve(name, 5, at_eps=at, digits=30).curves[0].values
    same = check(name, 5, at_eps=at, digits=30).only.curve
    for point, other in zip(found, same, strict=False):
        assert point.value.is_tight(30)
        assert point.value.lower <= other.value.upper
        assert other.value.lower <= point.value.upper


def test_the_screen_of_curves_trusts_no_logarithm_of_a_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = curve("EHDS", 40, at_eps=EPSILONS).to_json()

    def wrong(*_: Any) -> float:
        raise AssertionError("exp and log of a library are not correctly rounded")

    monkeypatch.setattr(np, "log", wrong)
    monkeypatch.setattr(np, "exp", wrong)
    assert curve("EHDS", 40, at_eps=EPSILONS).to_json() == before

"""Nominal ε at one realised ε, checked against the oracle and against planted faults."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pytest
from mpmath import mp, mpf
from msgspec.structs import replace

import dpaudit
from dpaudit.accuracy.equal import TOLERANCE, Calibrated, at_realised, realised
from dpaudit.accuracy.measure import Errors
from dpaudit.api import mechanism
from dpaudit.api.plans import make_plan
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.base import Mechanism
from dpaudit.notes.laplace_histogram import LSHist
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import Real, real
from dpaudit.questions.check.function import check
from dpaudit.results import Verdict
from tests.oracles.definitions import realised_epsilon
from tests.oracles.setting import DIGITS, READINGS, Setting

TARGET = real("4/5")


@pytest.mark.parametrize("n", [1, 6, 40])
@pytest.mark.parametrize("name", list(READINGS))
def test_the_realised_epsilon_is_certified_and_close_below(name: str, n: int) -> None:
    found = at_realised(mechanism(name), n, TARGET)
    audit = check(found.mechanism, n, budget=TARGET)
    assert audit.verdict is Verdict.WITHIN
    assert Fraction(audit.epsilon.lower) >= Fraction(4, 5) - TOLERANCE
    assert found.nominal == found.mechanism.values()["epsilon"]


@pytest.mark.parametrize("name", ["EHD", "EHDL", "EHDS", "MH", "LSDim"])
def test_the_oracle_realises_what_is_certified(name: str) -> None:
    found = at_realised(mechanism(name, k=2), 5, TARGET)
    nominal = found.nominal.as_fraction()
    assert nominal is not None
    setting = Setting(name, 5, (Fraction(1), Fraction(1)), nominal)
    with mp.workdps(DIGITS):
        truth = realised_epsilon(setting).epsilon
        assert mpf("0.799999") <= truth <= mpf("0.8") + mpf("1e-40")


@pytest.mark.parametrize(("name", "factor"), [("LSHist", 1), ("LSZhang", 2), ("NotesLaplace", 2)])
def test_noise_realises_the_target_exactly(name: str, factor: int) -> None:
    found = at_realised(mechanism(name), 12, real("ln(3)"))
    assert found.nominal == real(factor) * real("ln(3)")
    assert found.realised.exact == real("ln(3)")


def test_other_targets_and_categories() -> None:
    for target in ("1/100", "3", "12"):
        found = at_realised(mechanism("EHDS", k=3), 4, real(target))
        assert realised(found.mechanism, 4, real(target)).within


@dataclass(frozen=True)
class _Deaf(LSHist):
    """Realises the same whatever it is told."""

    @property
    def rate(self) -> Real:
        return real("1/2") if float(self.epsilon) < 1 else real(3)


def test_a_leap_over_the_target_is_reported() -> None:
    with pytest.raises(ParameterError, match="no nominal ε was found"):
        at_realised(_Deaf.build({}), 5, real(2))


def test_both_comparisons_of_several_mechanisms() -> None:
    found = dpaudit.compare_accuracy(["EHDS", "LSHist", "MH"], (5, 7)).results
    assert [one.equal for one in found] == ["nominal"] * 3 + ["realised"] * 3
    for one in found:
        assert one.decided
        assert one.realised is not None
        if one.equal == "realised":
            assert Fraction(4, 5) - TOLERANCE <= Fraction(one.realised.lower)
            assert Fraction(one.realised.upper) <= Fraction(4, 5)
    # EHDS realises 0.25 of the 0.8 it is given: at equal realised ε its error is far smaller.
    before, after = found[0], found[3]
    assert after.mean.upper < before.mean.lower


def test_one_failure_does_not_end_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def calibrate(subject: Mechanism[object], n: int, target: Real, *more: object) -> Calibrated:
        asked.append((subject.name, n, target))
        if subject.name == "EHD":
            raise ParameterError("realised", "not today")
        return at_realised(subject, n, target)

    monkeypatch.setattr("dpaudit.accuracy.measure.at_realised", calibrate)
    found = dpaudit.compare_accuracy(
        ["EHD", "LSHist"], (5, 7), equal=["realised"], realised=Fraction(1, 2)
    )
    assert asked == [("EHD", 12, real("1/2")), ("LSHist", 12, real("1/2"))]
    without, report = found.reports
    assert not found.decided
    assert [(without.mechanism, one.reason) for one in without.undecided] == [("EHD", "not today")]
    assert [one.described["name"] for one in found.results] == ["LSHist"]
    assert report.decided


def test_uniform_data_of_several_sizes_are_measured_size_by_size() -> None:
    found = dpaudit.compare_accuracy("LSHist", "uniform", "3..5", equal=["nominal"])
    by_hand = [
        dpaudit.compare_accuracy("LSHist", at, equal=["nominal"]).results[0].mean
        for at in ((1, 2), (2, 2), (2, 3))
    ]
    assert [one.n for one in found.results] == [3, 4, 5]
    assert [one.mean for one in found.results] == by_hand


LIES = {
    "a negative mean": lambda one: replace(one, mean=Enclosure(Decimal(-1), Decimal(1))),
    "ends the wrong way round": lambda one: replace(
        one, variance=Enclosure(Decimal(1), Decimal(0))
    ),
    "a tail above 1": lambda one: replace(
        one, tails=(replace(one.tails[0], upper=Decimal(2), exact=None),)
    ),
    "a quantile left out": lambda one: replace(one, quantiles=one.quantiles[1:]),
    "a tail elsewhere": lambda one: replace(
        one, tails=(replace(one.tails[0], threshold=real("1/3")),)
    ),
    "no realised ε": lambda one: replace(one, realised=None),
    "a realised ε above the target": lambda one: replace(
        one, realised=Enclosure(Decimal("0.79"), Decimal("0.81"))
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_another_process_says_is_held_to_what_was_asked(lie: str) -> None:
    subject = mechanism("EHDS")
    plan = make_plan(subject, budget=1, at=(2, 3), digits=9)
    errors = Errors(thresholds=(real("1/2"),), equal="realised", target=TARGET)
    found = errors.at_size(subject, 5, plan, lambda pairs: None)
    assert errors.judged(found, plan, None) == found
    with pytest.raises(ValueError, match=r"\w"):
        errors.judged(LIES[lie](found), plan, None)

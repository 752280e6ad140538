"""Values that are known in closed form, or to twenty digits from an independent prototype."""

from decimal import Decimal
from fractions import Fraction

import pytest

from dpaudit import check
from dpaudit.numbers.real import real
from dpaudit.results import Verdict


@pytest.mark.parametrize(
    ("n", "value"), [(10, "0.25448462819475875050"), (180, "0.33645831685538880157")]
)
@pytest.mark.parametrize("digits", [12, 40])
def test_ehds_at_the_notes_settings(n: int, value: str, digits: int) -> None:
    found = check("EHDS", n, eps="0.8", gamma=1, prior=(1, 1), digits=digits)
    # 20 decimals were printed, so the truth lies within half a unit of the last one
    slack = Decimal("5e-21")
    assert found.epsilon.lower - slack <= Decimal(value) <= found.epsilon.upper + slack
    assert found.epsilon.width <= Decimal(1).scaleb(-digits)
    assert found.verdict is Verdict.WITHIN


def test_higher_precision_lies_inside() -> None:
    coarse, fine = (check("EHDS", 23, digits=digits).epsilon for digits in (12, 60))
    assert coarse.lower <= fine.lower <= fine.upper <= coarse.upper


def test_mh_as_defined_keeps_its_budget_and_as_tabulated_does_not() -> None:
    assert check("MH", "10..180..17").verdict is Verdict.WITHIN
    tabulated = check("MH", "10..180..17", divisor=1)
    assert tabulated.verdict is Verdict.EXCEEDS
    for result in tabulated.results:
        assert result.verdict is Verdict.EXCEEDS
        assert result.delta_held.value.lower > Decimal("0.0005")
        assert result.delta_held.x is not None


@pytest.mark.parametrize("n", [1, 2, 3, 10, 180])
@pytest.mark.parametrize(
    ("mechanism", "value"), [("LSHist", "4/5"), ("LSDim", "2/5"), ("NotesLaplace", "2/5")]
)
def test_laplace_mechanisms_are_decided_exactly(mechanism: str, value: str, n: int) -> None:
    found = check(mechanism, n)
    assert found.epsilon.exact == real(value)
    assert found.epsilon.width == 0
    assert found.verdict is Verdict.WITHIN
    assert found.delta_held.value.exact == 0


def test_a_tie_with_a_logarithm_is_decided_exactly() -> None:
    assert check("LSHist", 7, eps="ln(3)").verdict is Verdict.WITHIN
    assert check("LSHist", 7, eps="ln(3)").epsilon.exact == real("ln(3)")
    assert check("LSHist", 7, eps="ln(3)", budget="1.0986122886681098").verdict is Verdict.WITHIN
    assert check("LSHist", 7, eps="ln(3)", budget="1.0986122886681096").verdict is Verdict.EXCEEDS


def test_rounding_toward_zero_costs_a_logarithm_of_two() -> None:
    found = check("NotesLaplace", 10, rounding="toward-zero")
    assert found.epsilon.exact is not None
    assert real(found.epsilon.exact) == real("2/5 + ln(2)")
    assert found.verdict is Verdict.EXCEEDS


def test_ehd_with_the_quoted_sensitivity_fails_at_a_small_prior() -> None:
    found = check("EHD", 5, prior="1/20,1/20")
    assert found.verdict is Verdict.EXCEEDS
    assert found.epsilon.lower > Decimal("0.82")
    assert found.witness.loss.lower > Decimal("0.8")
    assert check("EHD", 5, prior="1/20,1/20", gs="computed").verdict is Verdict.WITHIN


def test_a_tie_between_closed_forms_that_only_balls_know() -> None:
    found = check("EHD", 8, prior="1,2,1", eps=2)
    assert Fraction(1) in found.epsilon
    assert found.epsilon.width <= Decimal("1e-12")
    assert found.verdict is Verdict.WITHIN
    tied = check("EHD", 8, prior="1,2,1", eps=2, budget=1)
    assert tied.verdict is Verdict.UNDECIDED
    assert "too close to be distinguished" in tied.only.reason
    assert Fraction(1) in tied.epsilon


def test_ehdl_is_within_at_the_flat_prior_and_not_at_a_small_one() -> None:
    assert check("EHDL", "10..180..34").verdict is Verdict.WITHIN
    found = check("EHDL", 300, prior="1/10,1/10")
    assert found.verdict is Verdict.EXCEEDS
    assert found.witness.loss.lower > Decimal("0.8")


@pytest.mark.parametrize(("n", "k", "pairs"), [(30, 3, 1395), (12, 4, 2184)])
@pytest.mark.parametrize("mechanism", ["LSZhang", "LSDim", "LSHist", "EHDS", "NotesLaplace"])
def test_more_categories(mechanism: str, n: int, k: int, pairs: int) -> None:
    result = check(mechanism, n, k=k).only
    assert result.pairs == result.pairs_covered == pairs
    assert result.verdict is Verdict.WITHIN


def test_the_own_reading_of_l_is_local_sensitivity() -> None:
    """As L prints S_β, nothing is smoothed: M_H is EHDL."""
    own = check("MH", 20, smoothing="own")
    local = check("EHDL", 20)
    assert (own.epsilon.lower, own.epsilon.upper) == (local.epsilon.lower, local.epsilon.upper)

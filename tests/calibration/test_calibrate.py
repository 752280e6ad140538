"""Calibrations against the oracle, the definitions once more in mpmath by brute force."""

import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpaudit
from dpaudit.api import make_plan
from dpaudit.errors import DomainError, ParameterError, SizeError, UsageError
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import real
from dpaudit.questions.calibrate.search import mean_error, witness_exceeds
from dpaudit.results import CalibratedSize, ErrorChange, Verdict
from tests.calibration.mechanisms import Constant, Leaky, Pocket, Truthful
from tests.oracles.definitions import law, log_beta, realised_delta, realised_epsilon
from tests.oracles.setting import DIGITS, Setting

ONES = (Fraction(1), Fraction(1))
BUDGET = Fraction(4, 5)


def calibrated(name: str, n: int, **parameters: object) -> CalibratedSize:
    (size,) = dpaudit.calibrate(name, n, **parameters).results  # type: ignore[arg-type]
    return size


def distance(setting: Setting, left: tuple[int, ...], right: tuple[int, ...]) -> mpf:
    """H between the posteriors of two counts, whatever their totals, from log-beta functions."""
    a = [alpha + count for alpha, count in zip(setting.prior, left, strict=True)]
    b = [alpha + count for alpha, count in zip(setting.prior, right, strict=True)]
    middle = tuple((s + t) / 2 for s, t in zip(a, b, strict=True))
    exponent = log_beta(middle) - (log_beta(tuple(a)) + log_beta(tuple(b))) / 2
    return mp.sqrt(max(mpf(0), 1 - mp.exp(exponent)))


def oracle_error(setting: Setting, dataset: tuple[int, ...]) -> mpf:
    with mp.workdps(DIGITS):
        return mp.fsum(
            mass * distance(setting, dataset, output)
            for output, mass in law(setting, dataset).items()
        )


def assert_near(interval: Enclosure, truth: mpf, width: str = "1e-11") -> None:
    with mp.workdps(DIGITS):
        slack = mpf(10) ** -25
        assert mpf(str(interval.lower)) <= truth + slack
        assert mpf(str(interval.upper)) >= truth - slack
    assert interval.width <= Decimal(width)


@pytest.mark.parametrize(
    ("name", "n", "prior"),
    [
        ("EHDS", 9, ONES),
        ("EHDS", 16, (Fraction(1, 2), Fraction(3))),
        ("EHDS", 4, (Fraction(1), Fraction(2), Fraction(1))),
        ("EHD", 10, ONES),
        ("EHD", 6, (Fraction(1, 20), Fraction(1, 20))),
        ("EHDL", 11, ONES),
        ("LSDim", 5, ONES),
        ("LSHist", 5, ONES),
        ("LSZhang", 5, ONES),
    ],
)
def test_the_oracle_finds_the_budget_kept_and_just_above_it_exceeded(
    name: str, n: int, prior: tuple[Fraction, ...]
) -> None:
    size = calibrated(name, n, prior=prior, budget=BUDGET)
    assert size.failing is not None
    safe, failing = Fraction(size.nominal), Fraction(size.failing)
    assert 0 < failing - safe <= Fraction(1, 10**6)
    setting = Setting(name, n, prior, safe)
    with mp.workdps(DIGITS):
        kept = realised_epsilon(setting).epsilon
        exceeded = realised_epsilon(replace(setting, epsilon=failing)).epsilon
        assert mpf(4) / 5 - mpf(10) ** -6 <= kept <= mpf(4) / 5 + mpf(10) ** -50
        assert exceeded > mpf(4) / 5
    assert_near(size.realised.epsilon, kept)
    assert Fraction(size.gain.lower) <= safe / BUDGET <= Fraction(size.gain.upper)
    assert isinstance(size.error, ErrorChange)
    assert_near(
        size.error.before, oracle_error(replace(setting, epsilon=BUDGET), size.error.dataset)
    )
    assert_near(size.error.after, oracle_error(setting, size.error.dataset))
    ratio = size.error.ratio
    assert Fraction(ratio.lower) <= Fraction(size.error.after.upper) / Fraction(
        size.error.before.lower
    )
    assert ratio.width <= Decimal("1e-10")


@pytest.mark.parametrize(("name", "n"), [("MH", 8), ("EHDS", 8), ("LSHist", 4)])
def test_calibration_to_a_delta(name: str, n: int) -> None:
    size = calibrated(name, n, budget=(BUDGET, Fraction(1, 2000)))
    assert size.failing is not None
    setting = Setting(name, n, ONES, Fraction(size.nominal))
    above = replace(setting, epsilon=Fraction(size.failing))
    with mp.workdps(DIGITS):
        kept, exceeded = realised_delta(setting, BUDGET), realised_delta(above, BUDGET)
        assert kept <= mpf(1) / 2000 < exceeded
    assert_near(size.realised.delta_held.value, kept)
    assert realised_epsilon(setting).epsilon > mpf("0.8")


def test_a_stated_delta_is_the_budget() -> None:
    assert calibrated("MH", 8) == calibrated("MH", 8, budget=("4/5", "0.0005"))
    tighter = calibrated("MH", 8, budget="4/5")
    assert Fraction(tighter.nominal) < Fraction(calibrated("MH", 8).nominal)


def test_one_hundred_records() -> None:
    """What the tool is to show: n = 100, checked with mpmath from the definition."""
    size = calibrated("EHDS", 100, eps="0.8")
    assert size.verdict is Verdict.WITHIN
    assert Decimal("0.8") - Decimal("1e-6") <= size.realised.epsilon.lower
    assert size.realised.epsilon.upper <= Decimal("0.8")
    assert size.failing is not None
    with mp.workdps(30):
        kept, error = _flat_ehds(100, mpf(size.nominal))
        exceeded, _ = _flat_ehds(100, mpf(size.failing))
        _, before = _flat_ehds(100, mpf(4) / 5)
        assert kept <= mpf(4) / 5 < exceeded
    assert isinstance(size.error, ErrorChange)
    assert_near(size.error.before, before)
    assert_near(size.error.after, error)
    assert_near(size.realised.epsilon, kept)


def _flat_ehds(n: int, epsilon: mpf) -> tuple[mpf, mpf]:
    """Realised ε and the mean error at uniform data of EHDS, γ = 1, prior (1, 1), k = 2."""
    lg = [mp.loggamma(1 + mpf(j) / 2) for j in range(2 * n + 1)]
    half = [(lg[2 * c] + lg[2 * (n - c)]) / 2 for c in range(n + 1)]
    h = [
        [
            mp.sqrt(max(mpf(0), 1 - mp.exp(lg[a + b] + lg[2 * n - a - b] - half[a] - half[b])))
            for b in range(n + 1)
        ]
        for a in range(n + 1)
    ]
    local = [max(h[a][b] for b in (a - 1, a + 1) if 0 <= b <= n) for a in range(n + 1)]
    smooth = [max(1 / (1 / local[b] + abs(a - b)) for b in range(n + 1)) for a in range(n + 1)]
    weights = [[-epsilon * h[a][b] / (4 * smooth[a]) for b in range(n + 1)] for a in range(n + 1)]
    logs = [mp.log(mp.fsum(mp.exp(w) for w in row)) for row in weights]
    table = [[w - log for w in row] for row, log in zip(weights, logs, strict=True)]
    worst = max(abs(table[a][r] - table[a + 1][r]) for a in range(n) for r in range(n + 1))
    middle = n // 2
    return worst, mp.fsum(mp.exp(table[middle][r]) * h[middle][r] for r in range(n + 1))


def test_larger_nominal_epsilon_beyond_a_failure_are_found() -> None:
    """δ(4/5) of M_H falls below 0.0005 again beyond a nominal ε that fails."""
    size = calibrated("MH", 163)
    assert Fraction(size.nominal) > Fraction(153, 100)
    lower = dpaudit.check("MH", 163, eps="1.515", budget=("4/5", "0.0005"))
    assert lower.verdict is Verdict.EXCEEDS
    assert size.beyond is not None
    assert size.beyond.exceeding == size.beyond.tried == 18
    pocket = dpaudit.calibrate(Pocket(real(1)), 1).results[0]
    assert (pocket.nominal, pocket.failing) == ("1.059999999", "1.06")
    assert "jumps" in pocket.note


def test_a_tie_is_decided_exactly() -> None:
    size = calibrated("LSDim", 6)
    assert (size.nominal, size.failing) == ("1.6", "1.60000001")
    assert size.realised.epsilon.exact == real("4/5")


def test_a_mechanism_of_ones_own() -> None:
    size = dpaudit.calibrate(Truthful(real("4/5")), 1).results[0]
    assert (size.nominal, size.failing) == ("0.79999999", "0.80000001")
    assert size.error is None


def test_a_tie_that_only_balls_know_is_left_out() -> None:
    """EHD realises exactly half of its ε here, which no precision decides."""
    size = calibrated("EHD", 8, prior="1,2,1", budget="1")
    assert (size.nominal, size.failing) == ("1.9999999", "2.0000001")


def test_a_mechanism_that_leaks_at_every_epsilon_has_no_safe_one() -> None:
    found = dpaudit.calibrate(Leaky(real("4/5")), 1)
    assert found.verdict is Verdict.EXCEEDS
    assert not found.results
    assert "every nominal ε tried" in found.calibration.uncalibrated[0].reason
    assert json.loads(found.to_json())["verdict"] == "exceeds"
    with pytest.raises(ValueError, match="0 sizes"):
        _ = found.nominal


def test_a_mechanism_that_never_leaks_has_no_failing_one() -> None:
    size = dpaudit.calibrate(Constant(real("4/5")), 1).results[0]
    assert size.failing is None
    assert size.exceeded is None
    assert size.beyond is None
    assert Fraction(size.nominal) > 10**5
    assert "none found" in str(dpaudit.calibrate(Constant(real("4/5")), 1))


@pytest.mark.parametrize("tolerance", ["1e-3", "1e-12"])
def test_the_tolerance_is_kept(tolerance: str) -> None:
    size = calibrated("EHDS", 30, tolerance=tolerance)
    assert size.failing is not None
    assert Fraction(size.failing) - Fraction(size.nominal) <= Fraction(tolerance)
    least = Fraction(size.realised.epsilon.lower)
    assert Fraction(4, 5) - Fraction(tolerance) <= least <= Fraction(4, 5)


@pytest.mark.parametrize("tolerance", ["0", "-1", "1", "1e-40", "sqrt(2)/100"])
def test_tolerances_that_make_no_sense(tolerance: str) -> None:
    with pytest.raises(DomainError, match="tolerance"):
        dpaudit.calibrate("EHDS", 5, tolerance=tolerance)


def test_small_and_irrational_budgets() -> None:
    size = calibrated("EHDS", 12, budget="1e-7")
    assert size.failing is not None
    assert Fraction(size.failing) - Fraction(size.nominal) <= Fraction(1, 10**12)
    logarithm = calibrated("LSHist", 4, budget="ln(3)")
    assert (logarithm.nominal, logarithm.failing) == ("1.0986122", "1.0986123")


def test_engines_and_processes_find_the_same() -> None:
    whole = dpaudit.calibrate("EHDS", "26..30").to_json()
    assert dpaudit.calibrate("EHDS", "26..30", jobs=2).to_json() == whole
    in_balls = dpaudit.calibrate("EHDS", "26..30", engine="ball").results
    screened = dpaudit.calibrate("EHDS", "26..30").results
    assert [(s.nominal, s.failing) for s in in_balls] == [(s.nominal, s.failing) for s in screened]


def test_at_one_dataset() -> None:
    size = calibrated("EHDS", 12, at=(3, 9))
    assert size.realised.pairs == size.realised.pairs_covered == 2
    setting = Setting("EHDS", 12, ONES, Fraction(size.nominal))
    with mp.workdps(DIGITS):
        assert_near(size.realised.epsilon, realised_epsilon(setting, at=(3, 9)).epsilon)
    assert isinstance(size.error, ErrorChange)
    assert size.error.dataset == (3, 9)
    assert Fraction(size.nominal) > Fraction(calibrated("EHDS", 12).nominal)
    with pytest.raises(SizeError, match="leave n out, or give that number"):
        dpaudit.calibrate("EHDS", "11,12", data=(3, 9))


@pytest.mark.parametrize(
    ("name", "readings"),
    [("LSZhang", {"coordinates": "all"}), ("LSHist", {}), ("EHD", {"gs": "computed"})],
)
def test_the_mean_error_of_three_categories(name: str, readings: dict[str, str]) -> None:
    prior = (Fraction(1), Fraction(1, 2), Fraction(2))
    subject = dpaudit.mechanism(name, prior=prior, eps="0.8", **readings)
    setting = Setting(name, 4, prior, BUDGET, readings=tuple(readings.items()))
    found = mean_error(subject, (2, 0, 2), 20)
    assert isinstance(found, Enclosure)
    assert_near(found, oracle_error(setting, (2, 0, 2)), "1e-20")


def test_no_mean_error_where_there_is_no_posterior() -> None:
    with pytest.raises(UsageError, match="below 0"):
        mean_error(dpaudit.mechanism("NotesLaplace"), (2, 2), 9)
    with pytest.raises(UsageError, match="outputs here"):
        mean_error(dpaudit.mechanism("LSDim", k=4), (200, 200, 200, 200), 9)


def test_a_mechanism_without_a_nominal_epsilon_is_refused() -> None:
    plain = dpaudit.mechanism("EHDS")
    assert make_plan(plain).held_to.epsilon == real("4/5")

    from tests.audit.test_own_mechanism import _RandomisedResponse

    with pytest.raises(ParameterError, match="no nominal ε"):
        dpaudit.calibrate(_RandomisedResponse(), 2)


@pytest.mark.parametrize("budget", ["4/5", "4/5,0.0005"])
@pytest.mark.parametrize("name", ["EHDS", "MH", "LSHist"])
def test_one_pair_is_never_said_to_exceed_what_all_pairs_keep(name: str, budget: str) -> None:
    size = calibrated(name, 9, budget=budget)
    assert size.exceeded is not None
    for nominal, verdict in (
        (size.nominal, Verdict.WITHIN),
        (str(size.failing), Verdict.EXCEEDS),
        ("1/10", Verdict.WITHIN),
        ("6", Verdict.EXCEEDS),
    ):
        subject = dpaudit.mechanism(name, eps=nominal)
        plan = make_plan(subject, budget=budget)
        assert dpaudit.check(subject, 9, budget=budget).verdict is verdict
        exceeds = witness_exceeds(subject, plan, size.exceeded)
        assert exceeds is (verdict is Verdict.EXCEEDS)


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(["EHD", "EHDL", "EHDS", "LSDim", "LSZhang"]),
    n=st.integers(1, 6),
    prior=st.lists(st.fractions(Fraction(1, 20), 30, max_denominator=20), min_size=2, max_size=3),
    budget=st.fractions(Fraction(1, 50), 3, max_denominator=50),
)
def test_any_situation(name: str, n: int, prior: list[Fraction], budget: Fraction) -> None:
    """The definitions agree that the nominal ε is safe and the failing one is not."""
    found = dpaudit.calibrate(name, n, prior=prior, budget=budget, digits=9)
    assert found.verdict is Verdict.WITHIN
    size = found.results[0]
    setting = Setting(name, n, tuple(prior), Fraction(size.nominal))
    with mp.workdps(DIGITS):
        bound = mpf(budget.numerator) / budget.denominator
        assert realised_epsilon(setting).epsilon <= bound + mpf(10) ** -50
        if size.failing is None:
            assert size.note
            return
        assert Fraction(size.failing) - Fraction(size.nominal) <= Fraction(1, 10**6)
        above = replace(setting, epsilon=Fraction(size.failing))
        assert realised_epsilon(above).epsilon > bound

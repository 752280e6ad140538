"""The joint test: its error probability, summed exactly, and its power."""

from math import comb, exp, inf, log
from typing import Literal

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpaudit.sampling.joint import Counts, JointTest, distance, orders
from tests.campaigns import part
from tests.sampling import recorded
from tests.sampling.exact_alarm import CASES, Case, false_alarm


@pytest.mark.parametrize(
    ("n", "epsilon", "delta", "alpha", "second"),
    [(24, 1.0, 0.0, 0.05, 0.2), (24, 0.3, 0.05, 0.02, 0.4), (24, log(3), 0.0, 0.01, 0.25)],
)
def test_a_false_alarm_is_as_rare_as_said_and_not_much_rarer(
    n: int, epsilon: float, delta: float, alpha: float, second: float
) -> None:
    low, high = false_alarm(Case(n, epsilon, delta, alpha, second))
    assert alpha / 10 <= low <= high <= alpha
    assert high <= low * 1.001


def test_a_sum_over_all_counts_one_by_one_is_the_same() -> None:
    """Rejection is monotone in the first count: the staircase leaves nothing out."""
    n, epsilon, alpha, second = 12, 1.0, 0.05, 0.2
    first = exp(epsilon) * second
    total = sum(
        comb(n, a) * first**a * (1 - first) ** (n - a)
        * comb(n, b) * second**b * (1 - second) ** (n - b)
        for a in range(n + 1)
        for b in range(n + 1)
        if JointTest(Counts(n, a, b), alpha, "epsilon", 0.0).rejects(epsilon)
    )  # fmt: skip
    low, high = false_alarm(Case(n, epsilon, 0.0, alpha, second))
    assert low * (1 - 1e-9) <= total <= high * (1 + 1e-9)


@pytest.mark.parametrize(("p", "q"), [(0.15, 0.15), (0.2, 0.1), (0.3, 0.2), (0.2, 0.9)])
def test_a_probability_of_the_region_is_bounded_with_all_that_is_outside_of_the_window(
    p: float, q: float
) -> None:
    """Also where the second count is hardly ever in the window: both its tails are in the bound."""
    n = 4000
    test = JointTest(Counts(n, 1600, 800), 0.01, "epsilon", 0.0)
    least = np.zeros(n + 1)  # outside of the window every first count is in the region
    least[test.first : test.first + len(test.thresholds)] = test.thresholds
    truth = np.dot(binom.pmf(np.arange(n + 1), n, q), binom.sf(least - 1, n, p))
    assert truth * (1 - 1e-9) <= test._probability(p, q)


def test_the_page_has_every_case_between_a_tenth_and_all_of_what_is_said() -> None:
    found = recorded.rows("exact alarms")
    assert len(found) == len(CASES)
    assert all(0.1 <= float(row["false alarms / nominal"]) <= 1 for row in found)


def test_a_test_that_forgets_the_other_side_has_more_false_alarms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sum would see it: with Q known to be what was seen, α is exceeded."""

    def known(self: JointTest, error: float) -> tuple[float, float]:
        seen = self.counts.second / self.counts.draws
        return seen, seen + 1e-9

    monkeypatch.setattr(JointTest, "_interval", known)
    monkeypatch.setattr(JointTest, "_probability", lambda self, p, q: 0.9 * self.alpha)
    assert false_alarm(Case(20, 1.0, 0.0, 0.01, 0.25))[0] > 0.01


def test_the_distance_is_the_least_over_all_that_keep_the_budget() -> None:
    def divergence(x: float, p: float) -> float:
        terms = [
            x * mpmath.log(x / p) if x else 0,
            (1 - x) * mpmath.log((1 - x) / (1 - p)) if x < 1 else 0,
        ]
        return float(sum(terms))

    for a, b, c, delta in ((0.8, 0.2, 3.0, 0.0), (0.5, 0.1, 2.0, 0.1), (0.9, 0.0, 5.0, 0.05)):
        grid = np.linspace(1e-6, (1 - delta) / c, 20_000)
        least = min(divergence(a, c * q + delta) + divergence(b, q) for q in grid[:-1])
        assert distance(np.array(a), np.array(b), c, delta) == pytest.approx(least, rel=1e-4)
    assert distance(np.array(0.6), np.array(0.3), 3.0, 0.0) == 0.0


def test_nothing_that_was_as_strange_is_left_out_of_the_region() -> None:
    n = 12
    counts = Counts(n, 10, 1)
    test = JointTest(counts, 0.01, "epsilon", 0.0)
    first = np.arange(n + 1.0)
    for b in range(test.first, min(n + 1, test.first + len(test.thresholds))):
        strange = orders(n, (first, np.full(n + 1, float(b))), test.kappa, "epsilon", 0.0)
        assert all(first[strange >= test.order] >= test.thresholds[b - test.first])


def test_bounds_are_below_the_frequencies_and_rise_with_the_draws() -> None:
    bounds = [
        JointTest(Counts(n, 3 * n // 4, n // 4), 1e-9, "epsilon", 0.0).bound()
        for n in (500, 5_000, 50_000)
    ]
    assert 0 < bounds[0] < bounds[1] < bounds[2] < log(3)
    delta = JointTest(Counts(5_000, 3_750, 1_250), 1e-9, "delta", 0.1).bound()
    assert 0 < delta < 0.75 - exp(0.1) * 0.25


def test_what_is_never_seen_on_one_side_bounds_delta() -> None:
    test = JointTest(Counts(10_000, 100, 0), 1e-9, "delta", 0.5)
    assert 0.001 < test.bound() < 0.01


def test_nothing_is_said_of_equal_counts() -> None:
    test = JointTest(Counts(1000, 500, 500), 1e-3, "epsilon", 0.0)
    assert test.bound() == -inf
    assert not test.rejects(0.1)


def test_randomised_response_five_percent_over_takes_as_many_draws_as_there_must_be() -> None:
    """ln(1/α) over the least sum of relative entropies is about 46,700 draws a side."""
    epsilon = 1.05 * log(3)
    p = exp(epsilon) / (1 + exp(epsilon))
    n = 50_000
    counts = Counts(n, round(n * p), round(n * (1 - p)))
    assert JointTest(counts, 1e-9, "epsilon", 0.0).rejects(log(3))
    few = Counts(40_000, round(40_000 * p), round(40_000 * (1 - p)))
    assert not JointTest(few, 1e-9, "epsilon", 0.0).rejects(log(3))


@st.composite
def _tests(draw: st.DrawFn) -> JointTest:
    n = draw(st.sampled_from([12, 90, 2000, 40_000]))
    first = draw(st.integers(0, n))
    second = draw(st.integers(0, n) | st.integers(0, first // 2))
    alpha = draw(st.sampled_from([0.05, 1e-4, 7.5e-10]))
    kind: Literal["epsilon", "delta"] = draw(st.sampled_from(["epsilon", "delta"]))
    other = draw(st.sampled_from([0.0, 1e-5, 0.2] if kind == "epsilon" else [0.0, 0.1, 1.0]))
    return JointTest(Counts(n, first, second), alpha, kind, other)


@settings(max_examples=part(40, 10), deadline=None)
@given(_tests(), st.sampled_from([2, 4, 7]))
def test_estimates_of_the_root_change_no_bound(test: JointTest, digits: int) -> None:
    """It is what a bisection finds that looks at all cells of every point."""
    found = test.bound(digits)
    if not test.rejects(0.0):
        assert found == -inf
    else:
        assert test.rejects(found)
        assert found == test._searched(test.rejects, digits)


@pytest.mark.parametrize("guess", [0.0, 0.3, 0.6, 0.8, 0.86, 0.9, 5.0])
def test_estimates_that_are_far_off_change_no_bound(
    guess: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = JointTest(Counts(8000, 5000, 2000), 0.01, "epsilon", 0.0)
    found = test.bound()
    monkeypatch.setattr(JointTest, "_root_below", lambda self, value: guess)
    assert test.bound() == found > 0


def test_halves_of_a_cell_are_as_wholes_are() -> None:
    """Windows that are kept are those of the pair that is asked about."""
    counts = Counts(3000, 1500, 900)
    kept = JointTest(counts, 0.01, "epsilon", 0.0)
    for p, q in [(0.5, 0.3), (0.5, 0.31), (0.49, 0.3), (0.5, 0.3), (0.49, 0.31)]:
        anew = JointTest(counts, 0.01, "epsilon", 0.0)
        assert kept._probability(p, q) == anew._probability(p, q)

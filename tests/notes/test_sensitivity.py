"""Sensitivities against the literal maxima of their definitions."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from dpaudit.data.adjacency import Substitution
from dpaudit.data.histograms import Histograms, hamming_distance
from dpaudit.notes.hellinger_exponential import EHDS
from dpaudit.notes.sensitivity import (
    beta_smooth_sensitivities,
    gamma_smooth_sensitivities,
    global_sensitivity,
    local_sensitivities,
    lower_envelope,
)
from dpaudit.numbers.ball import PrecisionNeeded, ball, certainly_less, precision
from tests.enclosing import assert_encloses, ends, fraction_of
from tests.oracles import sensitivity as oracle
from tests.oracles.setting import DIGITS, real

NARROW = Fraction(1, 10**40)
CASES = [
    ((Fraction(1), Fraction(1)), 12),
    ((Fraction(1, 100), Fraction(50)), 10),
    ((Fraction(1000), Fraction(1, 3)), 8),
    ((Fraction(7, 2), Fraction(1, 20)), 1),
    ((Fraction(1), Fraction(1), Fraction(1)), 5),
    ((Fraction(1, 100), Fraction(2), Fraction(50)), 4),
    ((Fraction(1000), Fraction(1, 100), Fraction(3, 2)), 3),
    ((Fraction(1), Fraction(1, 2), Fraction(50), Fraction(1, 100)), 3),
]


@pytest.mark.parametrize(("prior", "n"), CASES, ids=str)
def test_local_and_global_sensitivity_are_the_literal_maxima(
    prior: tuple[Fraction, ...], n: int
) -> None:
    with precision(256):
        local = local_sensitivities(prior, n)
        for counts, found in zip(Histograms(n, len(prior)), local, strict=True):
            assert_encloses(found, oracle.local_sensitivity(prior, counts), width=NARROW)
        assert_encloses(
            global_sensitivity(prior, n), oracle.global_sensitivity(prior, n), width=NARROW
        )


@settings(max_examples=25)
@given(
    st.lists(st.fractions(Fraction(1, 100), 1000, max_denominator=100), min_size=2, max_size=3),
    st.integers(1, 4),
)
def test_local_sensitivity_of_random_priors(prior: list[Fraction], n: int) -> None:
    with precision(256):
        local = local_sensitivities(tuple(prior), n)
    for counts, found in zip(Histograms(n, len(prior)), local, strict=True):
        assert_encloses(found, oracle.local_sensitivity(tuple(prior), counts), width=NARROW)


@pytest.mark.parametrize(("prior", "n"), CASES, ids=str)
@pytest.mark.parametrize("gamma", [Fraction(1, 100), Fraction(1), Fraction(7, 2)])
def test_gamma_smooth_sensitivity_is_the_literal_maximum(
    prior: tuple[Fraction, ...], n: int, gamma: Fraction
) -> None:
    space = Histograms(n, len(prior))
    with precision(256):
        smooth = gamma_smooth_sensitivities(local_sensitivities(prior, n), ball(gamma), space)
        for counts, found in zip(space, smooth, strict=True):
            assert_encloses(found, oracle.gamma_smooth(prior, counts, gamma), width=NARROW)


@pytest.mark.parametrize(("prior", "n"), CASES, ids=str)
@pytest.mark.parametrize("beta", [Fraction(1, 100), Fraction(1, 5), Fraction(2)])
def test_beta_smooth_sensitivity_is_the_literal_maximum(
    prior: tuple[Fraction, ...], n: int, beta: Fraction
) -> None:
    space = Histograms(n, len(prior))
    with mp.workdps(DIGITS):
        rate = real(beta)
    with precision(256):
        smooth = beta_smooth_sensitivities(local_sensitivities(prior, n), ball(beta), space)
        for counts, found in zip(space, smooth, strict=True):
            truth = oracle.beta_smooth(prior, counts, rate, "neighbour")
            assert_encloses(found, truth, width=NARROW)


@pytest.mark.parametrize(("prior", "n"), CASES, ids=str)
def test_smooth_sensitivity_bounds_the_local_one_and_is_smooth(
    prior: tuple[Fraction, ...], n: int
) -> None:
    """S ≥ LS, and 1/S_γ moves by at most γ, ln S_β by at most β, between neighbours."""
    space = Histograms(n, len(prior))
    step, tiny = Fraction(1, 3), ball(Fraction(1, 10**30))
    with precision(256):
        local = local_sensitivities(prior, n)
        by_gamma = gamma_smooth_sensitivities(local, ball(step), space)
        by_beta = beta_smooth_sensitivities(local, ball(step), space)
        for smooth in (by_gamma, by_beta):
            assert not any(certainly_less(s, ls) for s, ls in zip(smooth, local, strict=True))
        for x, y in Substitution(len(prior)).pairs(n):
            i, j = space.rank(x), space.rank(y)
            assert certainly_less(abs(1 / by_gamma[i] - 1 / by_gamma[j]), ball(step) + tiny)
            assert certainly_less(abs((by_beta[i] / by_beta[j]).log()), ball(step) + tiny)


@settings(max_examples=80)
@given(st.sampled_from([(1, 2), (9, 2), (4, 3), (6, 3), (3, 4), (2, 5)]), st.data())
def test_the_lower_envelope_is_the_minimum_over_all_datasets(
    size: tuple[int, int], data: st.DataObject
) -> None:
    space = Histograms(*size)
    values = data.draw(
        st.lists(st.fractions(-20, 20, max_denominator=8), min_size=len(space), max_size=len(space))
    )
    step = data.draw(st.sampled_from([Fraction(1, 100), Fraction(1, 2), Fraction(3), Fraction(50)]))
    with precision(128):
        found = lower_envelope([ball(value) for value in values], ball(step), space)
    for x, envelope in zip(space, found, strict=True):
        truth = min(
            value + step * hamming_distance(x, y) for value, y in zip(values, space, strict=True)
        )
        assert_encloses(envelope, truth, width=Fraction(1, 2**110), slack=Fraction(0))


def test_a_step_hardly_below_the_spread_still_reaches() -> None:
    """A dataset m steps away wins exactly when m steps cost less than the spread."""
    space = Histograms(6, 3)
    start = space.rank((6, 0, 0))
    for steps in range(1, 7):
        values = [ball(0 if i == start else 6) for i in range(len(space))]
        with precision(128):
            found = lower_envelope(values, ball(Fraction(6, steps) - Fraction(1, 1000)), space)
        there = space.rank((6 - steps, steps, 0))
        assert ends(found[there])[1] < 6


@pytest.mark.parametrize("k", [2, 3])
def test_too_little_precision_asks_for_more(k: int) -> None:
    """Distances of about 1e-30 are not told from zero by 64 bits: no crash, no wrong law."""
    mechanism = EHDS.build({"prior": (10**30,) * k})
    with precision(64), pytest.raises(PrecisionNeeded):
        mechanism.laws().law((1,) * k)
    with precision(512):
        law = mechanism.laws().law((1,) * k)
    assert ends(sum(law.probabilities, ball(0)))[0] > Fraction(999, 1000)


def test_a_step_not_separated_from_zero_asks_for_more_precision() -> None:
    """At 64 bits γ may be 0 or negative, and no number of passes is known to be enough."""
    prior = (Fraction(1), Fraction(2), Fraction(3))
    gamma = Fraction(1, 10**30)
    mechanism = EHDS.build({"prior": prior, "gamma": "exp(1e-30) - 1"})
    with precision(64), pytest.raises(PrecisionNeeded):
        mechanism.factors(3)
    with precision(512):
        factors = mechanism.factors(3)
        scale = mechanism.epsilon.ball() / (2 * (1 + mechanism.gamma.ball()))
        for counts, factor in zip(Histograms(3, 3), factors, strict=True):
            truth = oracle.gamma_smooth(prior, counts, gamma)
            assert_encloses(scale / factor, truth, width=NARROW, slack=Fraction(1, 10**39))


def test_truth_of_the_oracle_is_one_of_the_distances() -> None:
    """LS at one record over (1, 1): the only pair, √(1 − π/4), the constant A prints."""
    for counts in product((0, 1), repeat=2):
        if sum(counts) == 1:
            found = fraction_of(oracle.local_sensitivity((Fraction(1),) * 2, counts))
            with precision(256):
                local = local_sensitivities((Fraction(1),) * 2, 1)
            assert_encloses(local[0], found, width=NARROW)
            assert abs(found - fraction_of(oracle.quoted_sensitivity())) < Fraction(1, 10**50)

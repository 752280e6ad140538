"""The accuracy claims against brute force: the oracles enumerate what the proofs argue about."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import pytest
from dpaudit_proofs import (
    accuracy_bounds,
    laplace_accuracy,
    laplace_bounded_error,
    laplace_growth,
    laplace_optimality,
    laplace_outputs,
    laplace_reach,
    normaliser_bound,
    steps_distance,
)
from mpmath import ceil, exp, fsum, log, mp, mpf

from dpaudit.claims.claim import ClaimVerdict, Evidence, Settings, Status
from dpaudit.claims.deciding import decide
from tests.oracles.definitions import (
    beta_smooth,
    beta_smoothing_rate,
    hellinger,
    histograms,
    law,
    local_sensitivity,
)
from tests.oracles.sensitivity import Counts, Prior, posterior
from tests.oracles.setting import DIGITS, Setting, real

MODULES = (
    accuracy_bounds,
    normaliser_bound,
    steps_distance,
    laplace_accuracy,
    laplace_optimality,
    laplace_growth,
    laplace_reach,
    laplace_bounded_error,
)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}
FLAT = (Fraction(1), Fraction(1))
SKEW = (Fraction(1, 10), Fraction(7, 2))
SLACK = mpf("1e-40")

VERDICTS = {
    ClaimVerdict.PROVED: "acc-global acc-global-opt acc-second-matched acc-N cor-4.4.1 "
    "cor-4.4.1-eq1 cor-4.4.1-tail cor-4.4.1-eq2 cor-4.4.1-probability cor-4.4.1-quotient "
    "thm-4.1 thm-4.1-growth thm-4.1-reach thm-4.2-looser thm-4.2-upper thm-4.3-quantile "
    "thm-4.3-reach thm-4.3-sum thm-4.4",
    ClaimVerdict.REFUTED: "acc-tight acc-second steps-list cor-4.4.1-notation "
    "cor-4.4.1-final thm-4.1-minimum thm-4.2 thm-4.2-strict thm-4.3-steps thm-4.4-gamma",
    ClaimVerdict.HOLDS_ON: "steps-distance thm-4.2-equality thm-4.3-whole "
    "thm-4.4-event cor-4.4.1-second",
    ClaimVerdict.GAP: "thm-4.4-step",
    ClaimVerdict.AMBIGUOUS: "thm-4.3",
}
EXPECTED = {name: verdict for verdict, names in VERDICTS.items() for name in names.split()}


def test_all_claims_have_an_expected_verdict() -> None:
    assert CLAIMS.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_the_evidence_gives_the_expected_verdict(name: str) -> None:
    decision = decide(CLAIMS[name], Settings(solvers=("z3", "cvc5")))
    assert decision.verdict is EXPECTED[name], decision.reason


def distances(prior: Prior, x: Counts) -> dict[Counts, mpf]:
    here = posterior(prior, x)
    return {r: hellinger(here, posterior(prior, r)) for r in histograms(sum(x), len(x))}


@pytest.mark.parametrize("mechanism", ["EHD", "MH"])
@pytest.mark.parametrize("prior", [FLAT, SKEW, (Fraction(1),) * 3])
def test_the_global_bound_holds_at_every_distance(mechanism: str, prior: Prior) -> None:
    setting = Setting(mechanism, 4, prior, Fraction(3), readings=())
    with mp.workdps(DIGITS):
        worst = max(local_sensitivity(prior, x) for x in histograms(4, len(prior)))
        if mechanism == "EHD":
            worst = mp.sqrt(1 - mp.pi / 4)
        for x in histograms(4, len(prior)):
            far, output = distances(prior, x), law(setting, x)
            for c in far.values():
                tail = fsum(p for r, p in output.items() if far[r] >= c)
                assert tail <= len(far) * exp(-3 * c / (2 * worst)) + SLACK


def test_the_second_bound_needs_the_factor_two() -> None:
    setting = Setting("MH", 8, FLAT, Fraction(4, 5))
    excess = {"printed": mpf(0), "matched": mpf(0)}
    with mp.workdps(DIGITS):
        beta = beta_smoothing_rate(setting, 8)
        for x in histograms(8, 2):
            factor = mpf("0.8") / beta_smooth(FLAT, x, beta, "neighbour")
            far, output = distances(FLAT, x), law(setting, x)
            normaliser = fsum(exp(-factor * h / 2) for h in far.values())
            for c in far.values():
                tail = fsum(p for r, p in output.items() if far[r] >= c)
                for name, power in (("printed", factor), ("matched", factor / 2)):
                    bound = 9 * exp(-power * c) / normaliser
                    excess[name] = max(excess[name], tail / bound)
    assert excess["printed"] > 1.2
    assert excess["matched"] <= 1 + SLACK


@pytest.mark.parametrize(
    ("prior", "n"), [(FLAT, 1), (FLAT, 9), (SKEW, 6), ((Fraction(1, 3),) * 3, 4), ((FLAT * 2), 3)]
)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(4, 5), Fraction(3)])
@pytest.mark.parametrize("divisor", [1, 2])
def test_no_normaliser_is_below_its_bound(
    prior: Prior, n: int, epsilon: Fraction, divisor: int
) -> None:
    k = len(prior)
    setting = Setting("MH", n, prior, epsilon)
    with mp.workdps(DIGITS):
        beta, rate = beta_smoothing_rate(setting, n), real(epsilon) / divisor
        bound = fsum(
            comb(j + k - 2, k - 2) * exp(-rate * (exp(beta * j) - 1) / (exp(beta) - 1))
            for j in range(n + 1)
        )
        normalisers = [
            fsum(
                exp(-rate * h / beta_smooth(prior, x, beta, "neighbour"))
                for h in distances(prior, x).values()
            )
            for x in histograms(n, k)
        ]
        assert bound <= min(normalisers) + SLACK
        if n == 1 and k == 2:
            assert abs(bound - min(normalisers)) < SLACK
        if k == 2 and divisor == 2:
            place = accuracy_bounds.Place((0, n), epsilon)
            assert abs(normaliser_bound.normaliser_bound_again(n, place) - bound) < SLACK


@pytest.mark.parametrize("prior", [FLAT, SKEW, (Fraction(3), Fraction(1))])
def test_one_step_is_one_distance_only_at_equal_parameters(prior: Prior) -> None:
    with mp.workdps(DIGITS):
        for n in range(2, 8):
            for c in range(1, n):
                far = distances(prior, (c, n - c))
                equal = abs(far[c + 1, n - c - 1] - far[c - 1, n - c + 1]) < SLACK
                assert equal == (prior[0] + c == prior[1] + n - c)


def quantile(far: dict[Counts, mpf], output: dict[Counts, mpf], gamma: mpf) -> mpf:
    """inf{s : P(H < s) ≥ 1 − γ}: the least attained h with P(H ≤ h) ≥ 1 − γ."""
    return min(
        h
        for h in far.values()
        if fsum(p for r, p in output.items() if far[r] <= h + SLACK) >= 1 - gamma - SLACK
    )


@pytest.mark.parametrize("prior", [FLAT, SKEW])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(4, 5), Fraction(3)])
def test_lshist_lands_within_the_local_sensitivity(prior: Prior, epsilon: Fraction) -> None:
    with mp.workdps(DIGITS):
        t = exp(-real(epsilon))
        for n in (1, 2, 5, 6):
            setting = Setting("LSHist", n, prior, epsilon)
            for x in histograms(n, 2):
                far, output, ls = distances(prior, x), law(setting, x), local_sensitivity(prior, x)
                within = fsum(p for r, p in output.items() if far[r] <= ls + SLACK)
                assert within >= 1 - (t + t**2) / 2 - SLACK
                error = quantile(far, output, t)
                assert error <= ls + SLACK
                a, b = posterior(prior, x)
                if 0 < x[0] < n and (a == b or (2 <= a < b and x[0] <= n - 2)):
                    assert abs(error - ls) < SLACK
                elif n > 1 and prior == FLAT:
                    late = x == (n, 0) and 2 * t < 1
                    assert bool(error < ls - SLACK) is not late


@pytest.mark.parametrize("first", ["1/1000000", "1/3", "1", "40"])
@pytest.mark.parametrize("second", ["1/1000000", "2", "300"])
def test_no_candidate_is_out_of_reach(first: str, second: str) -> None:
    prior = (Fraction(first), Fraction(second))
    with mp.workdps(DIGITS):
        for n in (1, 2, 3, 7, 40):
            for c in {*range(min(n, 5) + 1), n // 2, n - 1, n}:
                far, ls = distances(prior, (c, n - c)), local_sensitivity(prior, (c, n - c))
                for r, h in far.items():
                    steps = abs(r[0] - c)
                    assert h <= max(2 * steps - 1, 0) * ls + SLACK


@pytest.mark.parametrize("first", ["1/1000000", "1/3", "5"])
def test_no_output_is_out_of_reach_for_more_categories(first: str) -> None:
    prior = (Fraction(first), Fraction(1), Fraction(9, 4))
    with mp.workdps(DIGITS):
        for n in (1, 2, 4):
            for x in histograms(n, 3):
                here, ls = posterior(prior, x), local_sensitivity(prior, x)
                for r in product(range(n + 1), repeat=3):
                    there = tuple(a + c for a, c in zip(prior, r, strict=True))
                    squares = (
                        (2 * abs(b - c) + 1) ** 2 for b, c in zip(r, x, strict=True) if b != c
                    )
                    assert hellinger(here, there) ** 2 <= sum(squares) * ls**2 + SLACK


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("epsilon", [Fraction(4, 5), Fraction(6)])
def test_the_error_of_lshist_is_bounded(k: int, epsilon: Fraction) -> None:
    prior = (Fraction(1, 2),) * k
    with mp.workdps(DIGITS):
        for n in (2, 4):
            for x in histograms(n, k):
                output = law(Setting("LSHist", n, prior, epsilon), x)
                here, ls = posterior(prior, x), local_sensitivity(prior, x)
                far = {
                    r: hellinger(here, tuple(a + c for a, c in zip(prior, r, strict=True)))
                    for r in output
                }
                for gamma in (mpf("0.01"), mpf("0.5")):
                    steps = ceil(2 / real(epsilon) * log((k - 1) / gamma))
                    bound = mp.sqrt(k) * (2 * (k - 1) * steps + 1)
                    assert quantile(far, output, gamma) <= bound * ls + SLACK


def test_two_steps_come_near_to_three_times_the_local_sensitivity() -> None:
    prior = (Fraction(1, 10**12), Fraction(1000))
    with mp.workdps(DIGITS):
        a, b = prior[0] + 2, prior[1] + 10**5
        two, one = hellinger((a, b), (a - 2, b + 2)), hellinger((a, b), (a - 1, b + 1))
        assert 2.9 * one < two < 3 * one


@pytest.mark.parametrize("prior", [FLAT, SKEW])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(4, 5), Fraction(3)])
def test_the_error_is_within_the_noise(prior: Prior, epsilon: Fraction) -> None:
    with mp.workdps(DIGITS):
        for n in (1, 2, 6):
            setting = Setting("LSHist", n, prior, epsilon)
            for x in histograms(n, 2):
                far, output, ls = distances(prior, x), law(setting, x), local_sensitivity(prior, x)
                for steps in (mpf("0.3"), mpf(1), mpf("1.5"), mpf(3)):
                    error = quantile(far, output, exp(-steps * real(epsilon)))
                    low, high = int(ceil(steps)), int(steps)
                    widest = max(h for r, h in far.items() if x[0] - low <= r[0] <= x[0] + high)
                    assert error <= widest + SLACK
                    assert widest <= (2 * high + 1) * ls + SLACK


@pytest.mark.parametrize("prior", [FLAT, SKEW])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(4, 5), Fraction(3)])
def test_what_is_left_out_beyond_k_steps(prior: Prior, epsilon: Fraction) -> None:
    with mp.workdps(DIGITS):
        for x in (x for n in (1, 2, 5) for x in histograms(n, 2)):
            far, output = distances(prior, x), law(Setting("LSHist", sum(x), prior, epsilon), x)
            for t in sorted(far.values())[1:]:
                k = max(abs(r[0] - x[0]) for r, h in far.items() if h < t - SLACK)
                inside = fsum(p for r, p in output.items() if far[r] < t - SLACK)
                assert inside <= 1 - exp(-(k + 1) * real(epsilon)) / 2 + SLACK


@pytest.mark.parametrize("first", ["1/1000", "1/10", "1", "20"])
@pytest.mark.parametrize("second", ["1/1000", "1", "5"])
def test_consecutive_distances_grow_by_a_bounded_factor(first: str, second: str) -> None:
    a, b = Fraction(first), Fraction(second)
    with mp.workdps(DIGITS):
        for n in (2, 3, 12):
            steps = [hellinger((a + c, b + n - c), (a + c + 1, b + n - c - 1)) for c in range(n)]
            for h, g in pairwise(steps):
                assert max(h / g, g / h) <= real(laplace_growth.GROWTH)


@pytest.mark.parametrize("x", [(0, 4), (1, 3), (3, 1), (4, 0)])
def test_masses_and_closer_candidates_agree_with_enumeration(x: Counts) -> None:
    with mp.workdps(DIGITS):
        output = law(Setting("LSHist", 4, FLAT, Fraction(4, 5)), x)
        far, ls = distances(FLAT, x), local_sensitivity(FLAT, x)
        closer = [r for r, h in far.items() if h < ls - SLACK]
        assert sorted(laplace_outputs.closer_than_ls(x)) == sorted(closer)
        expected = fsum(output.get(r, mpf(0)) for r in closer)
        assert abs(laplace_outputs.mass_again(x, closer) - expected) < SLACK
        assert abs(float(laplace_outputs.mass(x, closer)) - float(expected)) < 1e-14


@pytest.mark.parametrize(
    "broken",
    [
        replace(steps_distance.UNEQUAL, shift={"b": "1/4 + s", "a": "1/4 + s + t"}),
        replace(laplace_outputs.FARTHER, shift={"a": "a", "j": "j - 1", "b": "j + s"}),
        replace(laplace_accuracy.BELOW, goal="t - (t + t^2)/2 - 1/100"),
        replace(laplace_accuracy.WITHIN, chain=lambda: [1, 2]),
        replace(
            laplace_accuracy.STAYS_NEAR,
            hypotheses=("-1 <= y and y < 3", *laplace_accuracy.STAYS_NEAR.hypotheses[1:]),
        ),
        replace(accuracy_bounds.UNION, hypotheses=("R - m", "q", "q - P*NL")),
    ],
    ids=lambda evidence: evidence.title,
)
def test_a_perturbed_certificate_does_not_hold(broken: Evidence) -> None:
    assert broken.check(Settings()).status is not Status.HOLDS

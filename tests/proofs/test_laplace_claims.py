"""The claims about Laplace noise, against brute force and against their own perturbations."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np
import pytest
from dpaudit_proofs import (
    laplace_dilation,
    laplace_dilation_exchange,
    laplace_dilation_facts,
    laplace_dilation_steps,
    laplace_noise,
    laplace_orderings,
    laplace_tables,
)
from dpaudit_proofs.definitions import candidates, hellinger
from dpaudit_proofs.laplace_dilation_facts import worst_value
from dpaudit_proofs.laplace_orderings import factor
from dpaudit_proofs.laplace_tables import TABLE_ROWS
from mpmath import mp, nstr

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, ClaimVerdict, Settings, Status
from dpaudit.claims.evidence import SMTProof
from tests.oracles.laplace_fractions import law
from tests.oracles.setting import Log, Setting
from tests.proofs.recorded import recorded_verdict

FAMILIES = (
    laplace_noise,
    laplace_orderings,
    laplace_tables,
    laplace_dilation,
    laplace_dilation_steps,
    laplace_dilation_exchange,
)
ALL = {claim.id: claim for family in FAMILIES for claim in family.CLAIMS}

P, R, H, A = (
    ClaimVerdict.PROVED,
    ClaimVerdict.REFUTED,
    ClaimVerdict.HOLDS_ON,
    ClaimVerdict.AMBIGUOUS,
)
STEPS = (H, P, R, P, P, H, H, R, P, P, P, H, H, P, P, H, P)
VERDICTS = {
    "lap-tail": P,
    "lap-bins": P,
    "lap-product": P,
    "lap-group": R,
    "lap-tables": P,
    "lap-last-coordinate": R,
    "lap-decay-count": P,
    "lap-decay-speed": A,
    "lap-decay-comparison": P,
    "lap-floor": R,
    "lap-half-split": R,
    "lap-half-split-abs": H,
    "lap-orderings": H,
    "lap-orderings-table": R,
    "lap-half-split-table": R,
    "lap-orderings-zero": R,
    "lap-dilation": H,
    "lap-dilation-rho": H,
    "lap-dilation-quantile": P,
    "lap-dilation-negative": H,
    **{f"lap-dilation-{i}": verdict for i, verdict in enumerate(STEPS, 1)},
}


def test_every_claim_has_an_expected_verdict() -> None:
    assert ALL.keys() == VERDICTS.keys()


@pytest.mark.parametrize("claim", ALL.values(), ids=lambda claim: claim.id)
def test_verdict(claim: Claim) -> None:
    assert recorded_verdict(claim.id) is VERDICTS[claim.id]
    assert claim.step_of in {"", *ALL}


T = Fraction(1, 3)
"""t = e^(−ε/2) at ε = 2·ln 3."""


def _masses(rounding: str, k: int, n: int) -> dict[tuple[int, ...], Fraction]:
    """The exact law of the noise on the first k − 1 coordinates, −n < noise < n on each."""
    ones = (Fraction(1),) * k
    setting = Setting(
        "NotesLaplace",
        2 * n,
        ones,
        Log(Fraction(2), Fraction(3)),
        readings=(("rounding", rounding),),
    )
    centre = (n,) * (k - 1)
    found = law(setting, (*centre, 2 * n - sum(centre)))
    shifted = {tuple(r - n for r in output[: k - 1]): mass for output, mass in found.items()}
    return {noise: mass for noise, mass in shifted.items() if max(map(abs, noise)) < n}


def _bin(j: int) -> Fraction:
    return T**j - T ** (j + 1)


def test_floor_never_has_the_printed_law_and_rounding_toward_zero_always() -> None:
    floor, truncated = _masses("floor", 2, 6), _masses("toward-zero", 2, 6)
    for j in range(5):
        both = {(j,), (-j,)}
        assert sum(floor[noise] for noise in both) != _bin(j)
        assert sum(truncated[noise] for noise in both) == _bin(j)


def test_the_halves_are_those_of_floor_except_at_zero() -> None:
    for (j,), mass in _masses("floor", 2, 6).items():
        printed = _bin(j) / 2 if j > 0 else _bin(-j - 1) / 2 if j < 0 else Fraction(0)
        assert (mass == printed) is (j != 0)


@pytest.mark.parametrize("zero_counts", [True, False])
@pytest.mark.parametrize("k", [2, 3])
def test_where_the_factorial_does_no_harm(k: int, zero_counts: bool) -> None:
    for noise, mass in _masses("toward-zero", k, 4).items():
        printed = factor(noise, zero_counts=zero_counts)
        for j in noise:
            printed *= _bin(abs(j))
        different = {abs(j) for j in noise} - (set() if zero_counts else {0})
        assert (printed == mass) is (len(different) <= 1)
        assert printed <= mass


@pytest.mark.parametrize("zero_counts", [True, False])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_where_one_zero_makes_up_for_the_factorial(k: int, zero_counts: bool) -> None:
    for noise, mass in _masses("floor", k, 3).items():
        printed = factor(noise, zero_counts=zero_counts)
        for j in noise:
            printed *= _bin(abs(j))
        different = {abs(j) for j in noise} - (set() if zero_counts else {0})
        if min(noise) >= 0:
            assert (printed == mass) is (factorial(len(different)) == 2 ** noise.count(0))


def test_the_rows_of_the_first_table_are_at_their_distances() -> None:
    for step, printed in enumerate(
        ("0.0", "0.233629480709", "0.457635865026", "0.662174391701", "0.83737258593")
    ):
        for (j,) in TABLE_ROWS[f"beta(5,5), step {step}"][1]:
            with mp.workdps(30):
                assert nstr(hellinger((5, 5), (5 + j, 5 - j)), 12) == printed


def test_the_rows_of_the_table_are_the_candidates_at_equal_distance() -> None:
    noises_at = defaultdict(list)
    for counts in candidates(60, 3):
        distance = hellinger((21, 21, 21), [c + 1 for c in counts])
        noises_at[nstr(distance, 12)].append((counts[0] - 20, counts[1] - 20))
    for row, printed in (
        ("step 1", "0.110122822057"),
        ("step 2", "0.187421762881"),
        ("last step", "0.999999984481"),
    ):
        assert sorted(noises_at[printed]) == sorted(TABLE_ROWS[f"DL(21,21,21), {row}"][1])


def test_the_rows_of_the_lopsided_table_are_at_their_distances() -> None:
    for row, printed in (
        ("step 1", "0.249722620018"),
        ("step 2", "0.340503311163"),
        ("last step", "0.999999999998"),
    ):
        for noise in TABLE_ROWS[f"DL(2,2,2,51), {row}"][1]:
            posterior = (*(2 + j for j in noise), 51 - sum(noise))
            with mp.workdps(30):
                assert nstr(hellinger((2, 2, 2, 51), posterior), 12) == printed


def _largest_difference(half: float, dilations: np.ndarray) -> float:
    """max over λ of ∫ (h − e^half·h′)₊, by the midpoint rule in ln z."""
    width = 1e-3
    z = np.exp(np.arange(-16 + width / 2, 4.2, width))
    dilated = np.exp(dilations)[:, None]
    excess = np.exp(-z) - np.exp(half) * dilated * np.exp(-dilated * z)
    return float((np.maximum(excess, 0) * z).sum(axis=1).max() * width)


@pytest.mark.parametrize(
    ("epsilon", "delta", "quantile"),
    list(product(("1", "27/10", "5", "9"), ("99/100", "4/5", "1/20", "1/2000"), (2, 3))),
)
def test_the_worst_value_is_the_largest_over_sets_and_dilations(
    epsilon: str, delta: str, quantile: int
) -> None:
    half = float(Fraction(epsilon)) / 2
    beta = half / float(np.log(quantile / float(Fraction(delta))))
    found = _largest_difference(half, np.linspace(-beta, beta, 31))
    assert found == pytest.approx(
        float(worst_value(Fraction(epsilon), Fraction(delta), quantile)), abs=1e-6
    )


def _shrunk(half: float, size: float) -> float:
    """D₋ at γ = e^half, r = e^size."""
    if size <= half:
        return 0.0
    r, gamma = np.exp(size), np.exp(half)
    return float(1 - gamma + (r - 1) * (gamma / r) ** (r / (r - 1)))


def test_what_case_two_needs_of_delta() -> None:
    for half, delta in product((0.4, 2.0, 4.5, 9.0), (0.01, 0.5, 0.73, 0.74, 0.9, 0.99)):
        first, second = half / np.log(3 / delta), half / np.log(2 / delta)
        assert _largest_difference(half, np.linspace(-first, 0, 21)) <= 1e-6
        found = _largest_difference(half, np.linspace(-second, 0, 41))
        assert found == pytest.approx(_shrunk(half, second), abs=1e-5)
        if delta <= 2 / float(np.exp(1)):
            assert found <= 1e-6
    assert _shrunk(4.5, 4.5 / np.log(2 / 0.99)) > 0.99 / 2


def test_the_quotient_of_step_7_is_below_half_epsilon_just_where_e_to_beta_is() -> None:
    for epsilon, delta in product((0.8, 2.2, 3.0, 10.0, 60.0), (0.0005, 0.05, 0.99)):
        beta = epsilon / (2 * np.log(3 / delta))
        widths = np.geomspace(1e-6, 30, 200)
        worst = max((np.expm1(-np.exp(beta) * widths) / np.expm1(-widths)).max(), 1.0)
        assert bool(worst <= epsilon / 2) is bool(np.exp(beta) <= epsilon / 2)


def test_step_13_needs_a_width_of_1() -> None:
    for size, width in product((0.01, 0.5, 3.0), (0.05, 0.5, 0.99, 1.0, 1.5, 10.0)):
        ends = np.geomspace(1e-9, width, 400)
        quotient = np.expm1(-ends) / np.expm1(-np.exp(-size) * ends)
        assert bool((quotient <= np.exp(width * size)).all()) is (width >= 1)


def test_shrinking_is_never_worse_than_stretching() -> None:
    for half, size in product((0.05, 0.5, 1.0, 3.0), (0.1, 0.6, 1.5, 4.0)):
        shrunk, stretched = (_largest_difference(half, np.array([s * size])) for s in (-1, 1))
        assert shrunk <= stretched + 1e-6


def test_the_range_of_epsilon_grows_as_delta_falls() -> None:
    deltas = [Fraction(1, 10**power) for power in range(1, 12)]
    ends = []
    for delta in deltas:
        inside = [
            q
            for q in range(250, 2000)
            if float(worst_value(Fraction(q, 100), delta, 2)) < delta / 2
        ]
        assert inside == list(range(250, inside[-1] + 1))
        ends.append(inside[-1])
    assert ends == sorted(ends)


def _all_evidence(kind: type) -> list[object]:
    return [e for claim in ALL.values() for e in claim.evidence if isinstance(e, kind)]


def test_perturbed_certificates_fail() -> None:
    for evidence in _all_evidence(OrthantCertificate):
        assert isinstance(evidence, OrthantCertificate)
        enough = sum(map(abs, evidence.shifted().coefficients())) if evidence.strict else 0
        perturbed = replace(evidence, positive=f"{evidence.positive} - {enough} - 1/1000")
        assert perturbed.check(Settings()).status is Status.FAILS
    for evidence in _all_evidence(SumOfProducts):
        assert isinstance(evidence, SumOfProducts)
        perturbed_sum = replace(evidence, goal=f"{evidence.goal} - 1/1000")
        assert perturbed_sum.check(Settings()).status is Status.FAILS


def test_no_hypothesis_of_a_solver_proof_is_contradictory() -> None:
    for evidence in _all_evidence(SMTProof):
        assert isinstance(evidence, SMTProof)
        possible = replace(evidence, goal="0 < 1", satisfiable=True)
        assert possible.check(Settings()).status is Status.HOLDS


def test_the_ratio_falls_only_because_of_its_last_hypothesis() -> None:
    falls = laplace_dilation_facts.SETTLES_SMALL_EPSILON[-1]
    assert isinstance(falls, SMTProof)
    weaker = replace(falls, hypotheses=falls.hypotheses[:-1])
    assert weaker.check(Settings()).status is Status.FAILS

"""The claims of A Thm 4.5, its corollaries and N §4.3.1 against brute force that shares no code."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from dpaudit_proofs import (
    corollary_readings,
    crossover,
    good_outputs,
    theorem_four_five,
    theorem_four_five_lower,
    theorem_four_five_upper,
    theorem_four_five_zhang,
    thresholds,
    utility_table,
)
from dpaudit_proofs.accuracy_laws import FLAT, distance
from dpaudit_proofs.crossover_errors import DEFINED, Reading, box_comparison, gain
from mpmath import exp as mp_exp
from mpmath import inf, loggamma, mp, mpf, quad

from dpaudit.claims.claim import Claim, ClaimVerdict, Settings, Status
from dpaudit.claims.evidence import SMTProof
from dpaudit.numbers.ball import precision
from tests.oracles.laws import Law, law
from tests.oracles.sensitivity import hellinger, local_sensitivity, posterior, quoted_sensitivity
from tests.oracles.setting import Setting, real
from tests.proofs.recorded import recorded_verdict

BOTH_SOLVERS = Settings(solvers=("z3", "cvc5"))
MODULES = (
    theorem_four_five,
    theorem_four_five_lower,
    theorem_four_five_upper,
    theorem_four_five_zhang,
    thresholds,
    good_outputs,
    corollary_readings,
    utility_table,
    crossover,
)
VERDICTS = {
    "thm-4.5-candidates": "refuted",
    "thm-4.5-LSHist-equality": "holds_on",
    "thm-4.5-LSHist-bound": "holds_on",
    "thm-4.5-LSHist-event": "holds_on",
    "thm-4.5-LSZhang-equality": "refuted",
    "thm-4.5-LSZhang-bound": "holds_on",
    "thm-4.5-EHD-lower": "holds_on",
    "thm-4.5-EHD-lower-count": "holds_on",
    "thm-4.5-EHD-lower-step": "holds_on",
    "thm-4.5-EHD-upper": "holds_on",
    "thm-4.5-EHD-upper-chain": "proved",
    "thm-4.5-EHD-step": "refuted",
    "thm-4.5-EHDL-lower": "holds_on",
    "thm-4.5-EHDL-upper": "proved",
    "thm-4.5-LS-limit": "holds_on",
    "cor-4.5.1": "holds_on",
    "cor-4.5.1-order": "proved",
    "cor-4.5.2": "holds_on",
    "cor-4.5.2-order": "holds_on",
    "cor-4.5.3": "holds_on",
    "cor-4.5.3-dirichlet": "refuted",
    "cor-4.5.3-count": "holds_on",
    "cor-4.5.3-step": "refuted",
    "cor-4.5.3-order": "holds_on",
    "utility-table-LSHist-k": "proved",
    "utility-table-LSZhang-k": "proved",
    "utility-table-EHD-k": "refuted",
    "utility-table-H": "ambiguous",
    "utility-table-KL": "ambiguous",
    "crossover-12": "holds_on",
    "crossover-12-tables": "refuted",
    "crossover-12-boxes": "holds_on",
    "crossover-15": "verified_to",
    "crossover-15-tables": "refuted",
}
CLAIMS: dict[str, Claim] = {claim.id: claim for module in MODULES for claim in module.CLAIMS}

HALF = (Fraction(1, 2), Fraction(1, 2))
SKEW = (Fraction(2), Fraction(1))
EPSILONS = (Fraction(1, 10), Fraction(4, 5), Fraction(3))


@pytest.fixture(autouse=True)
def _forty_digits() -> Iterator[None]:
    with mp.workdps(40):
        yield


def test_every_claim_is_listed() -> None:
    assert CLAIMS.keys() == VERDICTS.keys()


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name: str) -> None:
    assert recorded_verdict(name) is ClaimVerdict(VERDICTS[name])


def chance(output: Law, x: tuple[int, int], prior: tuple[Fraction, ...], tau: mpf) -> mpf:
    """P[H < τ], by summing over the outputs of the brute-force law."""
    here = posterior(prior, x)
    return mp.fsum(p for r, p in output.items() if hellinger(here, posterior(prior, r)) < tau)


@cache
def cases(prior: tuple[Fraction, ...], n: int) -> list[tuple[tuple[int, int], mpf, int, int]]:
    """Every dataset with every essentially different τ, and how many steps each side reaches."""
    found = []
    for c in range(n + 1):
        x = (c, n - c)
        here = posterior(prior, x)
        row = [hellinger(here, posterior(prior, (r, n - r))) for r in range(n + 1)]
        for level in [*sorted({*row[:c], *row[c + 1 :]}), mpf(1)]:
            tau = level - mpf(10) ** -12
            within = [r for r in range(n + 1) if r == c or row[r] < tau]
            assert within == list(range(within[0], within[-1] + 1))  # a run, as `MONOTONE` says
            found.append((x, tau, c - within[0], within[-1] - c))
    return found


@pytest.mark.parametrize("prior", [FLAT, HALF, SKEW])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_half_on_its_domains(prior: tuple[Fraction, ...], epsilon: Fraction) -> None:
    """The equality of LSHist and its bound hold where the claims say so, and fail elsewhere."""
    failures = 0
    for n in (1, 4, 7):
        setting = Setting("LSHist", n, prior, epsilon)
        for x, tau, below, above in cases(prior, n):
            k, t = max(below, above), mp_exp(-real(epsilon))
            p = chance(law(setting, x), x, prior, tau)
            formula = 1 - (t**k + t ** (k + 1)) / 2
            if below == above and k < min(x):
                assert abs(p - formula) < mpf(10) ** -30
            elif abs(p - formula) > mpf(10) ** -30:
                failures += 1
            if below >= min(k, x[0]) and above >= min(k, x[1]):
                assert p >= 1 - t**k
    assert failures


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_zhang_bound_at_balanced_data(epsilon: Fraction) -> None:
    for prior in (FLAT, HALF):
        for n in (2, 6):
            setting = Setting("LSZhang", n, prior, epsilon, readings=(("coordinates", "all"),))
            for x, tau, below, above in cases(prior, n):
                if x[0] == x[1]:
                    assert below == above
                    u = mp_exp(-real(epsilon) / 2)
                    p = chance(law(setting, x), x, prior, tau)
                    assert p >= (1 - (u**below + u ** (below + 1)) / 2) ** 2 - mpf(10) ** -30


@pytest.mark.parametrize("prior", [FLAT, HALF, SKEW])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_exponential_half_on_its_domains(prior: tuple[Fraction, ...], epsilon: Fraction) -> None:
    e, gs = real(epsilon), quoted_sensitivity()
    for n in (1, 4, 7):
        for x, tau, below, above in cases(prior, n):
            k = max(below, above)
            here = posterior(prior, x)
            row = [hellinger(here, posterior(prior, (r, n - r))) for r in range(n + 1)]
            nearest = min(row[: x[0]] + row[x[0] + 1 :])
            for name, scale in (
                ("EHD", e / (2 * gs)),
                ("EHDL", e / 2 / local_sensitivity(prior, x)),
            ):
                p = chance(law(Setting(name, n, prior, epsilon), x), x, prior, tau)
                least = mp_exp(-e) if name == "EHD" else mp_exp(-scale)
                assert p < (2 * k + 1) / (n * mp_exp(-scale))
                assert p < (2 * k + 1) / (n * least)  # n ≤ 35
                if below == above and (name == "EHDL" or tau <= 2 * gs):
                    assert p > (2 * k * least + 1) / (n + 1)
                    if n * (1 - mp_exp(-scale * nearest)) > 1:
                        assert p > (2 * k * least + 1) / n


@pytest.mark.parametrize("prior", [FLAT, HALF, SKEW])
@pytest.mark.parametrize("epsilon", [Fraction(4, 5), Fraction(3, 2)])
def test_thresholds_on_their_domains(prior: tuple[Fraction, ...], epsilon: Fraction) -> None:
    t, reached = mp_exp(-real(epsilon)), 0
    for n in (3, 6, 24):
        for x, tau, below, above in cases(prior, n):
            k = max(below, above)
            if below < min(k, x[0]) or above < min(k, x[1]):
                continue
            first = k > 0 and n * t * (1 - t**k) > 2 * k + 1
            exactly = below == above and k < min(x)
            second = exactly and n * (1 - (t**k + t ** (k + 1)) / 2) < 2 * k * t + 1
            if not first and not (second and prior == FLAT):
                continue
            reached += 1
            exponential = chance(law(Setting("EHD", n, prior, epsilon), x), x, prior, tau)
            laplace = chance(law(Setting("LSHist", n, prior, epsilon), x), x, prior, tau)
            assert laplace > exponential if first else exponential > laplace
    assert reached


@pytest.mark.parametrize("prior", [FLAT, SKEW])
def test_good_outputs_are_the_neighbours(prior: tuple[Fraction, ...]) -> None:
    for n in (2, 9, 16):
        for c in range(n + 1):
            reach = local_sensitivity(prior, (c, n - c))
            here = posterior(prior, (c, n - c))
            good = [
                r
                for r in range(n + 1)
                if r == c or hellinger(here, posterior(prior, (r, n - r))) <= reach
            ]
            assert set(good) == {c - 1, c, c + 1} & set(range(n + 1))


def test_integral_of_the_affinity() -> None:
    """φ_a(s), the affinity of one coordinate, is the integral that the derivations use."""
    for a, s in ((mpf(2), 3), (mpf(5) / 2, -2)):
        closed = loggamma(a) / 2 + loggamma(a + s) / 2 - loggamma(a + mpf(s) / 2)
        integral = quad(
            lambda u, a=a, s=s: (
                mp_exp(-a * u) * (1 - mp_exp(-s * u / 2)) ** 2 / (2 * u * (1 - mp_exp(-u)))
            ),
            [0, 1, 4, 16, inf],
        )
        assert abs(closed - integral) < mpf(10) ** -10


def test_distance_between_different_sizes() -> None:
    with precision(96):
        found = distance(SKEW, (2, 3), (4, 1 + 5))
    assert (
        abs(float(found) - float(hellinger(posterior(SKEW, (2, 3)), posterior(SKEW, (4, 6)))))
        < 1e-12
    )


def test_broken_evidence_is_not_believed() -> None:
    upper = theorem_four_five_upper.UPPER
    assert replace(upper, products=upper.products[:-1]).check(Settings()).status is Status.FAILS
    (lemma,) = (e for e in CLAIMS["thm-4.5-EHD-upper"].evidence if isinstance(e, SMTProof))
    larger = replace(lemma, goal=lemma.goal.replace("35", "36"))
    assert larger.check(BOTH_SOLVERS).status is Status.FAILS
    (core,) = (e for e in CLAIMS["cor-4.5.1"].evidence if isinstance(e, SMTProof))
    weaker = replace(core, hypotheses=tuple(h for h in core.hypotheses if "> m" not in h))
    assert weaker.check(BOTH_SOLVERS).status is Status.FAILS


@pytest.mark.parametrize("x", [(5, 5), (5, 6), (6, 6)])
def test_mean_distances(x: tuple[int, int]) -> None:
    """The gain of M_H over clamped, rounded-down noise of scale 2/ε, from the brute-force laws."""
    n, here = sum(x), posterior(FLAT, x)

    def mean(output: Law) -> mpf:
        return mp.fsum(
            p * hellinger(here, posterior(FLAT, (r[0], n - r[0])))
            for r, p in output.items()
            if r[0] != x[0]
        )

    epsilon = Fraction(4, 5)
    expected = mean(law(Setting("LSZhang", n, FLAT, epsilon), x)) - mean(
        law(Setting("MH", n, FLAT, epsilon), x)
    )
    with precision(96):
        assert abs(float(gain(DEFINED, x)) - float(expected)) < 1e-12


def test_boxes() -> None:
    tables = Reading(1, "toward-zero", "clamped")
    with precision(96):
        assert box_comparison(tables, (5, 5)) == {-1, 0}
        assert box_comparison(tables, (6, 6)) == {0}
        assert box_comparison(tables, (6, 7)) == {-1, 0, 1}

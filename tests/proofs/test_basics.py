"""The basics and the global sensitivity, against brute force from the oracles."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import factorial

import pytest
from mpmath import mp, mpf

from dpaudit.claims.claim import Claim, ClaimVerdict, Settings, Status
from dpaudit.claims.decide import decide
from proofs import basics, global_sensitivity
from tests.oracles.definitions import global_sensitivity as brute_force
from tests.oracles.definitions import hellinger, histograms, local_sensitivity, neighbours
from tests.oracles.setting import DIGITS, real

VERDICTS = {
    "basics-density": "refuted",
    "basics-posterior": "proved",
    "basics-hellinger": "proved",
    "basics-candidates": "proved",
    "basics-candidates-growth": "proved",
    "basics-candidates-asymptotic": "holds_on",
    "ls-reduction": "proved",
    "ls-reduction-sign": "refuted",
    "gs-constant": "holds_on",
    "gs-constant-bound": "holds_on",
    "gs-caption": "refuted",
    "ls-larger-parameters": "proved",
}
CLAIMS = (*basics.CLAIMS, *global_sensitivity.CLAIMS)
ONE = Fraction(1)


def step(s: Fraction) -> mpf:
    """g(s) of the module, from gamma functions."""
    t = real(s)
    return mp.gamma(t + mpf(1) / 2) / mp.sqrt(mp.gamma(t) * mp.gamma(t + 1))


def test_every_claim_has_its_verdict_here() -> None:
    assert {claim.id for claim in CLAIMS} == VERDICTS.keys()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_verdict(claim: Claim) -> None:
    decision = decide(claim, Settings(solvers=("z3", "cvc5")))
    assert decision.verdict is ClaimVerdict(VERDICTS[claim.id]), decision.reason


def test_the_printed_density_integrates_to_the_derived_value() -> None:
    for a, b in ((1, 1), (2, 3), (mpf(1) / 2, 4)):
        mass = mp.quad(lambda t, a=a, b=b: t**a * (1 - t) ** b, [0, 1]) / mp.beta(a, b)
        assert abs(mass - a * b / ((a + b) * (a + b + mpf(1)))) < 1e-10


def test_the_hellinger_formula_is_the_integral() -> None:
    for (a, b), (c, d) in (((1, 2), (2, 1)), ((3, 2), (2, 3)), ((7, 4), (8, 3))):

        def integrand(t: mpf, a: int = a, b: int = b, c: int = c, d: int = d) -> mpf:
            left = t ** (a - 1) * (1 - t) ** (b - 1) / mp.beta(a, b)
            right = t ** (c - 1) * (1 - t) ** (d - 1) / mp.beta(c, d)
            return (mp.sqrt(left) - mp.sqrt(right)) ** 2 / 2

        square = hellinger((Fraction(a), Fraction(b)), (Fraction(c), Fraction(d))) ** 2
        assert abs(mp.quad(integrand, [0, 1]) - square) < 1e-10


def test_the_local_sensitivity_is_attained_at_the_dataset_itself() -> None:
    """The oracle takes the maximum over all candidates; the claim is that neighbours suffice."""
    for prior, n in (((ONE, ONE), 6), ((Fraction(1, 20), Fraction(3)), 4), ((ONE,) * 3, 3)):
        for x in histograms(n, len(prior)):
            here = tuple(a + c for a, c in zip(prior, x, strict=True))
            reduced = max(
                hellinger(here, tuple(a + c for a, c in zip(prior, y, strict=True)))
                for y in neighbours(x)
            )
            with mp.workdps(DIGITS):
                assert abs(local_sensitivity(prior, x) - reduced) < mpf("1e-45")


@pytest.mark.parametrize(
    "prior",
    [(1, 1), (2, 2), (1, 3), ("1/20", "1/20"), ("1/2", 8), (1, 1, 5), (7, 4, 5), ("1/3", 2, 1)],
    ids=str,
)
def test_the_repaired_global_sensitivity(prior: tuple[object, ...]) -> None:
    alpha = tuple(Fraction(str(a)) for a in prior)
    smallest = sorted(alpha)[:2]
    for n in range(1, 6 if len(alpha) == 2 else 4):
        with mp.workdps(DIGITS):
            if len(alpha) > 2 or n == 1:
                affinity = step(smallest[0]) * step(smallest[1])
            else:
                affinity = min(step(alpha[0] + c) * step(alpha[1] + n - 1 - c) for c in range(n))
            assert abs(brute_force(alpha, n) - mp.sqrt(1 - affinity)) < mpf("1e-45")


def test_where_the_printed_constant_is_right() -> None:
    """Among priors ≥ 1: two parameters 1, and a third category or n = 1."""
    with mp.workdps(DIGITS):
        constant = mp.sqrt(1 - mp.pi / 4)
        for prior in product((ONE, Fraction(3, 2), Fraction(2)), repeat=2):
            for n in range(1, 5):
                gap = constant - brute_force(prior, n)
                assert gap > -mpf("1e-45")
                assert (gap < mpf("1e-45")) == (n == 1 and prior == (ONE, ONE))
        for prior in ((ONE, ONE, ONE), (Fraction(2), ONE, ONE), (ONE, Fraction(2), Fraction(2))):
            for n in range(1, 4):
                equal = abs(constant - brute_force(prior, n)) < mpf("1e-45")
                assert equal == (prior.count(ONE) >= 2)


def test_parameters_that_get_larger() -> None:
    for alpha, n in (((ONE, ONE), 5), ((Fraction(1, 4), Fraction(5, 2)), 4)):
        for size in range(1, n):
            for first in range(size + 1):
                x = (first, size - first)
                for more in ((first + 1, size - first), (first, size - first + 1)):
                    assert local_sensitivity(alpha, more) < local_sensitivity(alpha, x)
                larger = (alpha[0] + Fraction(1, 10), alpha[1])
                assert local_sensitivity(larger, x) < local_sensitivity(alpha, x)


def test_a_weakened_certificate_fails() -> None:
    certificate = global_sensitivity.STEP_INCREASES
    wrong = replace(certificate, positive=certificate.positive.replace("1/2", "1/3"))
    assert certificate.check(Settings()).status is Status.HOLDS
    assert wrong.check(Settings()).status is Status.FAILS
    without_a_side = replace(basics.REDUCTION, hypotheses=basics.REDUCTION.hypotheses[1:])
    assert without_a_side.check(Settings()).status is Status.FAILS


def test_the_number_of_candidates_lies_between_its_bounds() -> None:
    for m in range(2, 5):
        for n in range(1, 9):
            quotient = Fraction(len(histograms(n, m)), n ** (m - 1))
            assert Fraction(1, factorial(m - 1)) < quotient <= m

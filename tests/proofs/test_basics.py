"""The basics and the global sensitivity, against brute force from the oracles."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import exp, factorial, lgamma, sqrt

import pytest
from dpaudit_proofs import (
    basics,
    candidates,
    global_sensitivity,
    sensitivity_captions,
    sensitivity_order,
    step_affinity,
)
from mpmath import mp, mpf

from dpaudit.claims.claim import Claim, ClaimVerdict, Settings, Status
from tests.oracles.definitions import global_sensitivity as brute_force
from tests.oracles.definitions import hellinger, histograms, local_sensitivity, neighbours
from tests.oracles.sensitivity import beta_smooth
from tests.oracles.setting import DIGITS, real
from tests.proofs.recorded import recorded_verdict

VERDICTS = {
    "basics-density": "refuted",
    "basics-posterior": "proved",
    "basics-hellinger": "proved",
    "basics-candidates": "proved",
    "basics-candidates-growth": "proved",
    "basics-candidates-asymptotic": "holds_on",
    "basics-candidates-integer": "holds_on",
    "ls-reduction": "proved",
    "ls-reduction-sign": "refuted",
    "gs-formula": "proved",
    "gs-constant": "holds_on",
    "gs-constant-bound": "holds_on",
    "gs-caption": "refuted",
    "captions-local-smooth": "refuted",
    "ls-larger-parameters": "proved",
    "ls-closer-parameters": "holds_on",
    "smooth-larger-prior": "proved",
    "smooth-closer-parameters": "holds_on",
    "acc-sensitivity-direction": "refuted",
}
CLAIMS = (
    *basics.CLAIMS,
    *candidates.CLAIMS,
    *global_sensitivity.CLAIMS,
    *sensitivity_captions.CLAIMS,
    *sensitivity_order.CLAIMS,
)
ONE = Fraction(1)


def step(s: Fraction) -> mpf:
    """g(s) of the module, from gamma functions."""
    t = real(s)
    return mp.gamma(t + mpf(1) / 2) / mp.sqrt(mp.gamma(t) * mp.gamma(t + 1))


def test_every_claim_has_its_verdict_here() -> None:
    assert {claim.id for claim in CLAIMS} == VERDICTS.keys()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_verdict(claim: Claim) -> None:
    assert recorded_verdict(claim.id) is ClaimVerdict(VERDICTS[claim.id])


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
    smallest, other = sorted(alpha)[:2]
    for n in range(1, 6 if len(alpha) == 2 else 4):
        with mp.workdps(DIGITS):
            affinity = step(smallest) * step(other + (n - 1 if len(alpha) == 2 else 0))
            assert abs(brute_force(alpha, n) - mp.sqrt(1 - affinity)) < mpf("1e-45")


def test_where_the_printed_constant_is_an_upper_bound() -> None:
    half, near = Fraction(1, 2), Fraction(9, 10)
    with mp.workdps(DIGITS):
        constant = mp.sqrt(1 - mp.pi / 4)
        for prior, n, bounded in (
            ((half, half), 8, False),
            ((half, half), 9, True),
            ((near, near), 1, False),
            ((near, near), 2, True),
            ((near, near, ONE), 2, False),
            ((near, ONE, ONE), 2, False),
            ((half, Fraction(20), Fraction(30)), 2, True),
            ((Fraction(1, 20), Fraction(20), Fraction(30)), 2, False),
        ):
            assert (brute_force(prior, n) < constant) == bounded, (prior, n)


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
    certificate = step_affinity.STEP_INCREASES
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


def parameters(prior: tuple[Fraction, Fraction], n: int) -> list[tuple[Fraction, Fraction]]:
    return [(prior[0] + c, prior[1] + n - c) for c in range(n + 1)]


@pytest.mark.parametrize(
    "prior", [("1", "1"), ("1/20", "1/3"), ("9", "1"), ("1", "5/2"), ("7", "4")], ids=str
)
def test_parameters_that_get_closer(prior: tuple[str, str]) -> None:
    alpha = (Fraction(prior[0]), Fraction(prior[1]))
    for n in range(1, 7):
        local = [local_sensitivity(alpha, (c, n - c)) for c in range(n + 1)]
        gaps = [a - b for a, b in parameters(alpha, n)]
        for x, y in product(range(n + 1), repeat=2):
            outward = x < n if gaps[x] >= 0 else x > 0
            if abs(gaps[x]) > abs(gaps[y]) and outward:
                assert local[x] > local[y]


def test_the_smooth_sensitivity_follows() -> None:
    with mp.workdps(DIGITS):
        for n, beta in product(range(2, 7), (mpf(1) / 50, mpf(1) / 2, mpf(3))):
            smooth = [beta_smooth((ONE, ONE), (c, n - c), beta, "neighbour") for c in range(n + 1)]
            for prior in ((ONE, Fraction(3, 2)), (Fraction(9), Fraction(1))):
                for c in range(n + 1):
                    assert beta_smooth(prior, (c, n - c), beta, "neighbour") < smooth[c]
            for x, y in product(range(n + 1), repeat=2):
                if abs(2 * x - n) > abs(2 * y - n):
                    tied = abs(smooth[x] - smooth[y]) < mpf("1e-45")
                    assert tied == (x in (0, n) and y in (1, n - 1))
                    assert tied or smooth[x] > smooth[y]


def test_a_larger_sensitivity_is_less_accurate() -> None:
    with mp.workdps(DIGITS):
        for prior, n in (((ONE, ONE), 8), ((Fraction(7), Fraction(4)), 5), ((ONE,) * 3, 3)):
            for x in histograms(n, len(prior)):
                here = tuple(a + c for a, c in zip(prior, x, strict=True))
                far = [
                    hellinger(here, tuple(a + c for a, c in zip(prior, r, strict=True)))
                    for r in histograms(n, len(prior))
                ]
                for c in far:
                    tails = []
                    for factor in (4, 2, mpf(1) / 2):
                        weights = [mp.exp(-factor * h) for h in far]
                        reached = mp.fsum(w for w, h in zip(weights, far, strict=True) if h >= c)
                        tails.append(reached / mp.fsum(weights))
                    assert tails[0] <= tails[1] + mpf("1e-45")
                    assert tails[1] <= tails[2] + mpf("1e-45")


def test_the_candidates_with_integer_parameters() -> None:
    for prior, same in (((1, 1), True), ((7, 4), False), ((2, 1), False)):
        for n in range(1, 6):
            found = {(prior[0] + c, prior[1] + n - c) for c in range(n + 1)}
            assert (found == {(a, n + 2 - a) for a in range(1, n + 2)}) == same


@pytest.mark.parametrize("caption", sensitivity_captions.CAPTIONS, ids=str)
def test_where_the_local_sensitivity_of_a_caption_occurs(
    caption: tuple[int, str, str, str],
) -> None:
    """In floating point: where LS is as printed, S_β equals it, and is not as printed."""
    n, beta, local, smooth = caption

    def g(s: int) -> float:
        return exp(lgamma(s + 0.5) - (lgamma(s) + lgamma(s + 1)) / 2)

    table = [g(s) for s in range(1, n + 10)]  # at s = 1, 2, …
    prior = (7, 4, 5)
    local_at = {}
    for x in histograms(n, 3):
        smallest = min(
            table[prior[i] + x[i] - 2] * table[prior[j] + x[j] - 1]
            for i, j in permutations(range(3), 2)
            if x[i]
        )
        local_at[x] = sqrt(1 - smallest)
    pairs = zip(
        sensitivity_captions.windows(local), sensitivity_captions.windows(smooth), strict=True
    )
    for (low, high), (below, above) in pairs:
        here = [x for x, ls in local_at.items() if low <= ls <= high]
        assert here
        for x in here[::40]:
            smoothed = max(
                ls * exp(-float(beta) * sum(abs(c - d) for c, d in zip(x, y, strict=True)) / 2)
                for y, ls in local_at.items()
            )
            assert abs(smoothed - local_at[x]) < 1e-12
            assert not below <= smoothed <= above

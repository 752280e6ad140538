"""The claims about M_H against brute force: formulas, steps, and what is proved of Lemma 2.3."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from dpaudit_proofs import (
    beta,
    correspondence,
    dilation,
    dilation_event,
    dirichlet_privacy,
    every_budget,
    lemma_two_three,
    sliding,
    smooth_privacy,
)
from dpaudit_proofs.dirichlet_privacy import OneHeavyCoordinate
from mpmath import e, exp, fsum, log, mp, mpf

from dpaudit.claims.claim import Claim, Settings, Status
from dpaudit.claims.evidence import SMTProof
from dpaudit.numbers.ball import Ball, ball, certainly_less, precision
from tests.oracles.definitions import (
    beta_smooth,
    beta_smoothing_rate,
    hellinger,
    histograms,
    law,
    local_sensitivity,
    neighbours,
    realised_delta,
    realised_epsilon,
)
from tests.oracles.setting import DIGITS, Setting, real
from tests.proofs.recorded import recorded_verdict

VERDICTS = {
    "corr-half": "holds_on",
    "corr-proportional": "refuted",
    "corr-symmetry": "holds_on",
    "sliding-literal": "holds_on",
    "sliding-density": "proved",
    "dilation-literal": "holds_on",
    "dilation-density": "proved",
    "dilation-negative-1": "refuted",
    "dilation-negative-2": "holds_on",
    "dilation-negative-3": "refuted",
    "dilation-event": "refuted",
    "dilation-event-mass": "refuted",
    "accuracy-property": "proved",
    "accuracy-equality": "refuted",
    "beta-positive": "proved",
    "beta-bound": "proved",
    "beta-candidates": "holds_on",
    "beta-captions": "refuted",
    "beta-captions-count": "holds_on",
    "lemma-2.3": "proved",
    "lemma-2.3-sets": "refuted",
    "lemma-2.3-delta": "holds_on",
    "lemma-2.3-U1": "refuted",
    "lemma-2.3-U3": "refuted",
    "lemma-2.3-ratio": "verified_to",
    "lemma-2.3-tables": "refuted",
    "smooth-sensitivity": "proved",
    "smooth-sensitivity-L": "refuted",
    "lemma-2.3-repaired": "proved",
    "lemma-2.3-small": "proved",
    "lemma-2.3-ratio-moderate": "proved",
    "lemma-2.3-dirichlet": "refuted",
    "lemma-2.3-dirichlet-count": "refuted",
}
MODULES = (
    beta,
    correspondence,
    dilation,
    dilation_event,
    dirichlet_privacy,
    lemma_two_three,
    sliding,
    smooth_privacy,
)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}
FLAT = (Fraction(1), Fraction(1))
TIE = mpf("1e-45")
EDGES = [
    ("1/1000", "999/1000"),
    ("1/10", "1/1000000"),
    ("4/5", "1/2000"),
    ("2", "1/2"),
    ("7", "1/10"),
    ("60", "999/1000"),
    ("300", "1/1000"),
]
"""ε and δ, tiny and large."""


def mh(n: int, epsilon: str, delta: str, prior: tuple[Fraction, ...] = FLAT) -> Setting:
    """M_H with the number of candidates in β: the printed n + 1 for k = 2."""
    readings = (("count", "candidates"),) if len(prior) > 2 else ()
    return Setting("MH", n, prior, Fraction(epsilon), Fraction(delta), readings=readings)


class Brute:
    """What M_H is made of at one dataset, from the oracles."""

    def __init__(self, setting: Setting, x: tuple[int, ...]) -> None:
        self.epsilon, self.delta = real(setting.epsilon), real(setting.delta)
        self.beta = beta_smoothing_rate(setting, setting.n)
        self.sensitivity = beta_smooth(setting.prior, x, self.beta, "neighbour")
        self.mass = law(setting, x)
        self.distance = {r: distance(setting.prior, x, r) for r in self.mass}
        self.normaliser = 1 / self.mass[x]

    def density(self, score: mpf) -> mpf:
        """h(s) = exp(ε·s/(2·S))/NL."""
        return exp(self.epsilon * score / (2 * self.sensitivity)) / self.normaliser


def distance(prior: tuple[Fraction, ...], x: tuple[int, ...], y: tuple[int, ...]) -> mpf:
    left, right = (tuple(a + c for a, c in zip(prior, z, strict=True)) for z in (x, y))
    return hellinger(left, right) if x != y else mpf(0)


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mp.workdps(DIGITS):
        yield


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS.keys())
def test_verdicts(claim: Claim) -> None:
    assert recorded_verdict(claim.id).value == VERDICTS[claim.id]


def test_every_claim_has_its_verdict_here() -> None:
    assert CLAIMS.keys() == VERDICTS.keys()


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_equal_distances_come_in_pairs_only_at_balance(n: int) -> None:
    """corr-half, corr-symmetry."""
    for x in histograms(n, 2):
        found = sorted(distance(FLAT, x, r) for r in histograms(n, 2))
        ties = sum(b - a < TIE for a, b in pairwise(found))
        assert found[1] > TIE
        assert (2 * ties == n) == (2 * x[0] == n)
        assert all(c - a > TIE for a, c in zip(found, found[2:], strict=False))


@pytest.mark.parametrize(("epsilon", "delta"), EDGES)
def test_sliding_of_candidates_and_of_the_density(epsilon: str, delta: str) -> None:
    for x in histograms(4, 2):
        at = Brute(mh(4, epsilon, delta), x)
        for r, h in at.distance.items():
            for other, there in at.distance.items():
                if there <= h + at.sensitivity:
                    assert at.mass[r] <= exp(at.epsilon / 2) * at.mass[other] * (1 + TIE)
            for shift in (-1, mpf("-0.5"), 0, 3):
                slid = at.density(-h + shift * at.sensitivity)
                assert at.density(-h) <= exp(at.epsilon / 2) * slid * (1 + TIE)


@pytest.mark.parametrize(("epsilon", "delta"), EDGES)
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_dilation_of_the_density_and_the_event(n: int, epsilon: str, delta: str) -> None:
    """dilation-density, accuracy-property, accuracy-equality, beta-bound, dilation-event-mass."""
    for x in histograms(n, 2):
        at = Brute(mh(n, epsilon, delta), x)
        for share in (1, mpf("0.5"), mpf("0.01"), -1, -20):
            growth = exp(share * at.beta)
            worst = fsum(
                max(0, at.density(-h) - exp(at.epsilon / 2) * at.density(-growth * h))
                for h in at.distance.values()
            )
            assert worst <= at.delta / 2
            if share > 0:
                bound = (n + 1) * exp(at.epsilon / (2 * (1 - growth)))
                far = fsum(
                    at.mass[r]
                    for r, h in at.distance.items()
                    if -h <= at.sensitivity / (1 - growth)
                )
                assert far < bound <= at.delta / 2 * (1 + TIE)


def test_the_numbers_of_the_captions() -> None:
    """β at ε = δ = 0.8: with n the captions of 100 and 120, with n + 1 none."""
    for n, printed in beta.PRINTED.items():
        same = [m for m in range(2, 400) if f"{mp.nstr(rate(m), 12)}" == mp.nstr(mpf(printed), 12)]
        assert same == [n if n < 150 else 120]


def rate(count: int) -> mpf:
    share = mpf(4) / 5
    return log(1 - share / (2 * log(share / (2 * count))))


@pytest.mark.parametrize(("epsilon", "delta"), EDGES)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 11])
def test_lemma_at_the_flat_prior(n: int, epsilon: str, delta: str) -> None:
    """lemma-2.3, with δ = 0, and the quotient of the normalisers."""
    setting = mh(n, epsilon, delta)
    assert realised_epsilon(setting).epsilon <= real(setting.epsilon)
    brute = {x: Brute(setting, x) for x in histograms(n, 2)}
    for x, y in [(left, right) for left in brute for right in neighbours(left)]:
        quotient = brute[x].sensitivity / brute[y].sensitivity
        logarithm = log(brute[x].normaliser / brute[y].normaliser)
        assert quotient * logarithm <= exp(brute[x].beta)
        assert abs(logarithm) <= 1
        assert local_sensitivity(FLAT, x) <= brute[x].sensitivity
        assert quotient <= exp(brute[x].beta) * (1 + TIE)


def random_priors(count: int) -> list[tuple[Fraction, ...]]:
    rng = random.Random(5)
    return [
        tuple(Fraction(rng.choice([1, 3, 40, 700]), rng.choice([1, 2, 90])) for _ in range(k))
        for k in (2, 2, 3)
        for _ in range(count)
    ]


@pytest.mark.parametrize("prior", random_priors(3), ids=str)
@pytest.mark.parametrize(("epsilon", "delta"), [("1/5", "1/100"), ("3", "9/10"), ("90", "1/10")])
def test_what_is_proved_for_every_prior(
    prior: tuple[Fraction, ...], epsilon: str, delta: str
) -> None:
    """lemma-2.3-repaired and lemma-2.3-ratio-moderate."""
    setting = mh(3 if len(prior) > 2 else 7, epsilon, delta, prior)
    larger = Fraction(3, 2) * Fraction(epsilon)
    assert realised_delta(setting, larger) <= real(setting.delta) / 2
    if exp(real(setting.epsilon)) + real(setting.delta) / 2 <= e:
        normalisers = {x: 1 / law(setting, x)[x] for x in histograms(setting.n, setting.k)}
        for x, normaliser in normalisers.items():
            assert all(normaliser <= e * normalisers[y] for y in neighbours(x))


@pytest.mark.parametrize("prior", random_priors(3), ids=str)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_domain_of_small_budgets(prior: tuple[Fraction, ...], n: int) -> None:
    """lemma-2.3-small at its edge, and the bound of a step that it rests on."""
    if n > 2 and len(prior) > 2:
        return
    for delta in ("1/1000000", "99/100"):
        size = n + sum(prior)
        epsilon = Fraction(int(mp.floor(10**9 * log(2 * (n + 1) / real(Fraction(delta))))), 10**9)
        setting = replace(mh(n, str(epsilon / size), delta, prior), readings=())
        assert realised_epsilon(setting).epsilon <= real(setting.epsilon)
    for x in histograms(n, len(prior)):
        for y in neighbours(x):
            assert distance(prior, x, y) ** 2 * 2 * real(Fraction(size)) >= 1


def test_one_heavy_coordinate_is_the_mechanism() -> None:
    """The law on first counts against the whole law, three categories and four records."""
    large = 10**14
    reduced = OneHeavyCoordinate(
        n=4,
        k=3,
        alpha=Fraction(1, 3),
        large=large,
        epsilon=Fraction(6, 5),
        delta=Fraction(1, 100),
        count=5,
    )
    prior = (Fraction(1, 3), Fraction(large), Fraction(large))
    setting = Setting("MH", 4, prior, Fraction(6, 5), Fraction(1, 100))
    for x, y in (((3, 1, 0), (2, 1, 1)), ((0, 2, 2), (1, 2, 1))):
        with precision(256):
            enclosed = reduced.excess(x[0], y[0], range(1, 4))
        limit = reduced.excess_again(x[0], y[0], range(1, 4))

        def event(dataset: tuple[int, ...]) -> mpf:
            return fsum(mass for r, mass in law(setting, dataset).items() if 1 <= r[0] <= 3)

        whole = event(x) - exp(mpf(6) / 5) * event(y) - mpf(1) / 100
        assert enclosed.contains(Ball(mp.nstr(whole, 30)))
        assert enclosed.contains(Ball(mp.nstr(limit, 30)))
        assert certainly_less(enclosed - enclosed.mid(), ball(Fraction(1, 10**4)))


@pytest.mark.parametrize("n", [5, 24])
def test_cells_enclose_what_they_cover(n: int) -> None:
    rng = random.Random(n)
    with precision(64):
        size = every_budget.Size(n)
        for _ in range(10):
            low = Fraction(rng.randrange(1, 128), 128)
            span = (Fraction(3, 2), Fraction(2))
            c = rng.randrange(n)
            bounds = size.quotients(c, (low, low + Fraction(1, 128)), span)
            tails = size.quotients(c, (low, low + Fraction(1, 128)), (span[0], None))
            tau, epsilon = low + Fraction(1, 300), Fraction(7, 4)
            scales = size.scales(tau)
            x, y = (size.normaliser(m, scales[m], epsilon) for m in (c, c + 1))
            for found, bound, tail in zip(
                ((y / x).log(), (x / y).log()), bounds, tails, strict=True
            ):
                assert certainly_less(found, bound)
                assert certainly_less(found, tail)


@pytest.mark.parametrize("delta", ["999/1000", "1/1000"])
def test_every_epsilon_of_a_budget_is_covered(delta: str) -> None:
    for n in (2, 30):
        for epsilon in ("1/10", "3", "40"):
            setting = mh(n, epsilon, delta)
            tau = exp(-beta_smoothing_rate(setting, n))
            with precision(64):
                size = every_budget.Size(n)
                above = Fraction(int(tau * 2**40) + 1, 2**40)
                assert size.least_epsilon(above) <= Fraction(epsilon)


def test_a_mechanism_with_too_little_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = every_budget.Size.scales
    assert every_budget.losses_within(8) == ""
    assert every_budget.normalisers_within(8, Fraction(3, 4)) == ""

    def doubled(self: every_budget.Size, tau: Fraction) -> list[Ball]:
        return [ball(2) * scale for scale in honest(self, tau)]

    monkeypatch.setattr(every_budget.Size, "scales", doubled)
    assert "n = 8" in every_budget.losses_within(8)


@pytest.mark.parametrize(
    ("proof", "wrong"),
    [
        (smooth_privacy.NEAR, "b <= a + 19/10"),
        (smooth_privacy.SLOWER, "b >= a - 9/10"),
        (smooth_privacy.SPREAD, "A*c + kappa*h + A*(1 - kappa*S) <= 199/100"),
        (smooth_privacy.NORMALISER, "Nx <= (e - 1/10)*Ny"),
        (smooth_privacy.FROM_X, "P <= s^3*Q + 9*d/10"),
        (smooth_privacy.FROM_Y, "P <= s^3*Q + d/100"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.title,
)
def test_constants_are_the_best_of_their_steps(proof: SMTProof, wrong: str) -> None:
    negated = replace(proof, goal=f"not ({wrong})", satisfiable=True)
    assert negated.check(Settings(timeout_seconds=20)).status is Status.HOLDS


def test_printed_lines_on_sets_and_delta() -> None:
    """lemma-2.3-sets: the quotient of the two sides is 2, 1 or between, by which outputs S has."""
    at = Brute(mh(4, "4/5", "1/2000"), (2, 2))
    scores = Counter(mp.nstr(h, 30) for h in at.distance.values())
    assert sorted(scores.values()) == [1, 2, 2]
    half = at.mass[(0, 4)] + at.mass[(1, 3)]
    assert abs(2 * half - (1 - at.mass[(2, 2)])) < TIE
    assert exp(mpf(2) / 2) / 2 > 1 > exp(log(mpf(2)) - TIE) / 2

"""The privacy claims against brute force: verdicts, the printed case, exact ties, broken proofs."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from dpaudit_proofs import (
    exponential_privacy,
    global_argument,
    laplace_privacy,
    local_argument,
    local_case,
    local_flat,
    local_sensitivity,
)
from dpaudit_proofs.definitions import histograms, max_loss, neighbours, posterior_distance
from dpaudit_proofs.definitions import local_sensitivity as ls
from mpmath import exp, gamma, log, mp, mpf, sqrt

from dpaudit.claims.claim import Claim, Settings, Status
from dpaudit.numbers.ball import precision, upper_fraction
from dpaudit.questions.check.function import check
from tests.oracles import laplace_fractions
from tests.oracles.definitions import realised_epsilon
from tests.oracles.setting import Log, Setting
from tests.proofs.recorded import recorded_verdict

MODULES = (
    exponential_privacy,
    global_argument,
    local_argument,
    local_case,
    local_sensitivity,
    local_flat,
    laplace_privacy,
)

VERDICTS = {
    "em-global-dp": "proved",
    "em-global-step-1": "holds_on",
    "em-global-step-2": "refuted",
    "em-global-step-3": "proved",
    "em-global-step-4": "proved",
    "em-global-step-5": "proved",
    "em-global-monotone": "refuted",
    "alg-4-numerator": "holds_on",
    "em-global-captions": "proved",
    "thm-3.1-EHD": "holds_on",
    "gamma-smooth-lipschitz": "proved",
    "thm-3.1-EHDS": "proved",
    **{f"em-local-step-{step}": "proved" for step in (1, 4, 5, 6, 7, 8, 9, 10)},
    **{f"em-local-step-{step}": "refuted" for step in (3, 11, 12, 13)},
    "em-local-step-2": "holds_on",
    "em-local-not-dp": "proved",
    "em-local-witness": "proved",
    "em-local-captions": "proved",
    "em-local-unbounded": "proved",
    "em-local-flat": "proved",
    "thm-3.1-LSDim": "proved",
    "thm-3.1-LSHist": "proved",
    "LSZhang-dp": "proved",
    "LSZhang-dp-all": "proved",
}
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}


def test_every_claim_has_its_verdict_on_record() -> None:
    assert CLAIMS.keys() == VERDICTS.keys()
    assert len(CLAIMS) == sum(len(module.CLAIMS) for module in MODULES)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=lambda claim: claim.id)
def test_verdicts(claim: Claim) -> None:
    assert recorded_verdict(claim.id).value == VERDICTS[claim.id]


# -- a perturbed proof does not pass ------------------------------------------------------------


def test_perturbed_certificates_fail() -> None:
    perturbed = (
        replace(exponential_privacy.WEIGHTS, goal="s*wy*Nx - wx*Ny"),
        replace(exponential_privacy.SMOOTHED, goal="1 + gamma/2 - hx*fx + hy*fy"),
        replace(exponential_privacy.LIPSCHITZ, goal="gz + gamma*dyz - fx"),
        replace(laplace_privacy.END, goal="1 - t*(3 - t)"),
        replace(local_case.FARTHER, positive="(p + 1)^3 - (p + 2)*(p + 1)^2"),
        replace(laplace_privacy.DENSITY, goal="-1/2 <= p - q and p - q <= 1/2"),
    )
    for evidence in perturbed:
        assert evidence.check(Settings()).status is Status.FAILS, evidence.title


# -- global and smooth sensitivity --------------------------------------------------------------


def _priors(seed: int, count: int, least: int) -> list[tuple[Fraction, ...]]:
    rng = random.Random(seed)
    return [
        tuple(Fraction(rng.randint(least, 60), 20) for _ in range(k))
        for k in [rng.choice((2, 2, 3)) for _ in range(count)]
    ]


@pytest.mark.parametrize("prior", _priors(1, 6, 1))
def test_guarantees_hold_where_they_are_proved(prior: tuple[Fraction, ...]) -> None:
    for n, epsilon in product((1, 3), (Fraction(1, 10), Fraction(4, 5), Fraction(6))):
        computed = Setting("EHD", n, prior, epsilon, readings=(("gs", "computed"),))
        smooth = Setting("EHDS", n, prior, epsilon, gamma=Fraction(1, 3))
        quoted = Setting("EHD", n, tuple(max(a, Fraction(1)) for a in prior), epsilon)
        for setting in (computed, smooth, quoted):
            assert realised_epsilon(setting).epsilon <= mpf(epsilon.numerator) / epsilon.denominator


@pytest.mark.parametrize(("alpha", "exceeds"), [("1/20", True), ("51/1000", True), ("1/19", False)])
def test_one_record_exceeds_the_quoted_budget_below_the_threshold(
    alpha: str, exceeds: bool
) -> None:
    a = Fraction(alpha)
    with mp.workdps(30):
        s = mpf(a.numerator) / a.denominator
        below = gamma(s + mpf(1) / 2) ** 2 / (gamma(s) * gamma(s + 1)) < mp.pi - 3
    assert below is exceeds
    for epsilon in (Fraction(1, 100), Fraction(50)):
        found = realised_epsilon(Setting("EHD", 1, (a, a), epsilon)).epsilon
        assert (found > mpf(epsilon.numerator) / epsilon.denominator) is exceeds


def test_the_captions_number_is_enough() -> None:
    """The loss by brute force, calibrated with the printed number; at the true value it is near."""
    prior = (Fraction(7), Fraction(4), Fraction(5))
    with mp.workdps(20):
        printed = mpf(exponential_privacy.PRINTED.split("/")[0]) / 10**12
        largest = max(
            posterior_distance(prior, x, y)
            for n in (1, 2, 5)
            for x in histograms(n, 3)
            for y in neighbours(x)
        )
        assert printed - mpf("0.01") < largest < printed
        for epsilon in (mpf("0.8"), mpf(20)):
            factor = epsilon / (2 * printed)
            loss, *_ = max_loss(prior, 4, dict.fromkeys(histograms(4, 3), factor).__getitem__)
            assert loss <= epsilon


# -- the printed case for local sensitivity -----------------------------------------------------


def _cases(prior: tuple[Fraction, ...], n: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs (x, y) of the case that D §1.2.2 considers, by brute force."""
    space = [c for c in product(range(n + 1), repeat=len(prior)) if sum(c) == n]
    tiny = mpf(10) ** -12
    sensitivity = {x: ls(prior, x) for x in space}
    return [
        (x, y)
        for x in space
        for y in neighbours(x)
        if sensitivity[y] < sensitivity[x] - tiny
        and all(
            posterior_distance(prior, y, r) <= posterior_distance(prior, y, x) + tiny for r in space
        )
        and abs(sensitivity[y] - posterior_distance(prior, x, y)) < tiny
    ]


@pytest.mark.parametrize(
    "prior",
    [(1, 1), (1, 4), (1, 1, 1), (1, 3, 2), (2, 1, 1), (1, 2, 2), ("1/9", 7, 1), (1, 1, 2, 9)],
)
def test_the_printed_case_occurs_only_at_one_record(prior: tuple[int | str, ...]) -> None:
    alphas = tuple(map(Fraction, prior))
    expected = len(alphas) > 2 and sorted(alphas)[1] < max(alphas)
    with mp.workdps(20):
        assert bool(_cases(alphas, 1)) is expected
        for n in (2, 3) if len(alphas) < 4 else (2,):
            assert not _cases(alphas, n)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(4, 5), Fraction(9)])
def test_the_printed_case_has_a_loss_below_epsilon(epsilon: Fraction) -> None:
    prior = (Fraction(1, 9), Fraction(7), Fraction(1))
    with mp.workdps(20):
        e = mpf(epsilon.numerator) / epsilon.denominator
        space: list[tuple[int, ...]] = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]

        def probability(x: tuple[int, ...], r: tuple[int, ...]) -> mpf:
            rate = e / (2 * ls(prior, x))
            weights = {z: exp(-rate * posterior_distance(prior, x, z)) for z in space}
            return weights[r] / sum(weights.values())

        cases = _cases(prior, 1)
        assert cases
        for x, y in cases:
            assert log(probability(x, x) / probability(y, x)) < e


# -- local sensitivity: true statements ---------------------------------------------------------


@pytest.mark.parametrize("prior", [(1, 1), ("1/10", "1/10"), (3, "1/2")])
def test_the_spread_bounds_the_realised_epsilon(prior: tuple[int | str, ...]) -> None:
    alphas = (Fraction(prior[0]), Fraction(prior[1]))
    for n, epsilon in ((1, "1/10"), (7, "4/5"), (30, "3")):
        found = check("EHDL", n, epsilon=epsilon, prior=",".join(map(str, prior)), budget="10")
        with precision(96):
            spreads = [upper_fraction(local_flat.spread(alphas, n, c)) for c in range(n)]
        assert found.epsilon.lower <= Fraction(epsilon) / 2 * max(spreads)


@pytest.mark.parametrize(("n", "epsilon"), [(161, "1/10"), (170, "4/5"), (163, "30"), (240, "500")])
def test_the_flat_prior_meets_epsilon_beyond_the_audit(n: int, epsilon: str) -> None:
    found = check("EHDL", n, epsilon=epsilon, prior="1,1", budget=epsilon).epsilon
    assert found.upper <= Fraction(epsilon)
    assert found.lower > Fraction(epsilon) / 4


def test_large_data_approaches_the_stated_limit() -> None:
    """Prior (3,3,1): the limit of loss/ε is (f(1 − 1/σ) + 1/σ)/2 = 1.0656… ."""
    with mp.workdps(20):
        s = mpf(3)
        g = gamma(s + mpf(1) / 2) / sqrt(gamma(s) * gamma(s + 1))
        f, sigma = 1 / sqrt(1 - g), sqrt(1 + g)
        limit = (f * (1 - 1 / sigma) + 1 / sigma) / 2
        losses = []
        for n in (20, 60):
            margin, _ = exponential_privacy.loss_beyond(
                "EHDL",
                {"prior": "3,3,1", "epsilon": "4/5"},
                ((0, 0, n), (1, 0, n - 1)),
                (0, 0, n),
                lambda _: 0,
                bound="0",
            )
            with precision(96):
                losses.append(mpf(str(margin().str(15, radius=False))) / mpf("0.8"))
    assert losses[0] < losses[1] < limit
    assert limit - losses[1] < (limit - losses[0]) / 2


# -- Laplace -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "readings"),
    [("LSDim", ()), ("LSHist", ()), ("LSZhang", ()), ("LSZhang", (("coordinates", "all"),))],
)
def test_realised_ratio_is_the_formula(name: str, readings: tuple[tuple[str, str], ...]) -> None:
    """1/t, 1/t² or (2 − t)/t, in fractions, from the distribution function."""
    for k, n in ((2, 1), (2, 2), (2, 5), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2)):
        prior = (Fraction(1),) * k
        for argument in (Fraction(5, 4), Fraction(7)):
            setting = Setting(name, n, prior, Log(Fraction(2 * k), argument), readings=readings)
            t = laplace_fractions.rational_decay(setting)
            noisy = k if readings else k - 1
            formula = 1 / t if noisy == 1 else (2 - t) / t if n == 1 else 1 / t**2
            assert laplace_fractions.realised_ratio(setting).ratio == formula
            assert formula <= laplace_fractions.nominal_ratio(setting)

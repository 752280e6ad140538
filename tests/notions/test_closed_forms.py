"""Audits and the closed forms of the field, to 30 digits."""

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp, mpf

from dpaudit import check_notion
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.losses import Losses
from dpaudit.laws.tradeoff import gaussian_fit
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.numbers.ball import Ball, ball, precision
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import real
from dpaudit.questions.notion.closed_forms import (
    gaussian_renyi,
    gaussian_tradeoff,
    laplace_kl,
    laplace_renyi,
    laplace_tradeoff,
    randomised_response_gaussian,
    randomised_response_kl,
    randomised_response_renyi,
    randomised_response_tv,
)
from dpaudit.results import Verdict
from tests.enclosing import assert_encloses, ends, overlap, width_of

DIGITS = 30
ORDERS = [Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(8), Fraction(64)]
TIGHT = Fraction(1, 10**DIGITS)


def randomised_response(epsilon: str) -> FiniteMechanism:
    @finite_mechanism(datasets=[0, 1], budget=epsilon, normalised=False)
    def law(bit: int) -> Mapping[Any, Any]:
        odds = real(epsilon).exp()
        return {bit: odds, 1 - bit: 1}

    return law


def inside(value: Enclosure, truth: Ball) -> bool:
    lower, upper = ends(truth)
    return Fraction(value.lower) <= upper and lower <= Fraction(value.upper)


@pytest.mark.parametrize("epsilon", ["ln(3)", "ln(2)", "1/10", "4/5", "5"])
@pytest.mark.parametrize("order", ORDERS)
def test_randomised_response_realises_its_renyi_bound_exactly(
    epsilon: str, order: Fraction
) -> None:
    found = check_notion(randomised_response(epsilon), 1, "renyi", order=order, digits=DIGITS).only
    truth = randomised_response_renyi(epsilon, order)
    with precision(400):
        assert inside(found.value, truth.ball())
    assert found.value.is_tight(DIGITS)
    assert found.verdict is Verdict.WITHIN, "the default budget is the bound itself: a tie"


@pytest.mark.parametrize("epsilon", ["ln(3)", "ln(2)", "1/10", "4/5", "5"])
def test_randomised_response_in_the_other_notions(epsilon: str) -> None:
    mechanism = randomised_response(epsilon)
    kl = randomised_response_kl(epsilon)
    tv = randomised_response_tv(epsilon)
    for notion, budget, truth in (("kl", None, kl), ("zcdp", kl, kl), ("tv", None, tv)):
        found = check_notion(mechanism, 1, notion, budget=budget, digits=DIGITS).only
        with precision(400):
            assert inside(found.value, truth.ball())
        assert found.verdict is Verdict.WITHIN, "a tie, decided"
    with precision(400):
        mu = randomised_response_gaussian(epsilon)
        found = check_notion(mechanism, 1, "gdp", budget=9, digits=DIGITS).only
        assert inside(found.value, mu)
        assert found.value.is_tight(DIGITS)


def test_a_budget_a_hair_below_a_tie_is_exceeded() -> None:
    mechanism = randomised_response("ln(3)")
    for notion, budget in (("zcdp", "ln(3)/2 - 1e-40"), ("kl", "ln(3)/2 - 1e-40")):
        assert check_notion(mechanism, 1, notion, budget=budget).verdict is Verdict.EXCEEDS
    wide = check_notion(mechanism, 1, "zcdp", budget="ln(3)/2 + 1e-40")
    assert wide.verdict is Verdict.WITHIN


def geometric(rate: str, order: Fraction) -> mpf:
    """D_α of discrete noise ∝ e^(−rate·|x|) on a query of sensitivity 1: a sum over the integers.

    Σ = (1 − t)/(1 + t)·(t^(1−α)·1/(1 − t) + t^α·1/(1 − t)), t = e^(−rate), split at 0 | 1.
    """
    t = mp.exp(-mpf(rate))
    a = mpf(order.numerator) / order.denominator
    return mp.log((t ** (1 - a) + t**a) / (1 + t)) / (a - 1)


@pytest.mark.parametrize("order", ORDERS)
def test_rounded_laplace_noise_is_a_geometric_closed_form(order: Fraction) -> None:
    """⌊c + Lap(2/ε)⌋ against ⌊c + 1 + Lap(2/ε)⌋: ratios t⁻¹, 1, t on tails and the centre."""
    found = check_notion("NotesLaplace", 3, "renyi", order=order, digits=DIGITS, budget=9).only
    with mp.workdps(60):
        t, a = mp.exp(mpf(-2) / 5), mpf(order.numerator) / order.denominator
        total = t ** (1 - a) / 2 + (1 - t) / 2 + t ** (a - 1) * t / 2
        truth = mp.log(total) / (a - 1)
        assert mpf(str(found.value.lower)) <= truth <= mpf(str(found.value.upper))
    assert found.value.is_tight(DIGITS)
    assert found.outputs == "infinite"


def fine_laplace(scale: Fraction, cells: int) -> tuple[ExplicitLaw, ExplicitLaw]:
    """Lap(scale) at 0 and at 1, cut into cells of equal width 1/cells, in closed form.

    On a cell beside neither centre the density ratio is constant or e^(±2x/scale): the cells are
    a post-processing, so every divergence is below the continuous one, and tends to it.
    """

    def mass(centre: int, left: Fraction, right: Fraction) -> Any:
        def cdf(x: Fraction) -> Any:
            z = (x - centre) / scale
            half = real(Fraction(1, 2))
            if z <= 0:
                return half * real(z).exp()
            return real(1) - half * real(-z).exp()

        return cdf(right) - cdf(left)

    cuts = [Fraction(k, cells) for k in range(cells + 1)]

    def law(centre: int) -> ExplicitLaw:
        weights: dict[Any, Any] = {}
        half = real(Fraction(1, 2))
        weights["left"] = half * real(Fraction(-centre) / scale).exp()
        weights["right"] = half * real(Fraction(centre - 1) / scale).exp()
        for left, right in itertools.pairwise(cuts):
            weights[left] = mass(centre, left, right)
        return ExplicitLaw({key: weight.ball() for key, weight in weights.items()})

    return law(0), law(1)


@pytest.mark.parametrize("order", [Fraction(3, 2), Fraction(2), Fraction(8)])
def test_a_fine_grid_tends_to_laplace_noise_from_below(order: Fraction) -> None:
    scale = Fraction(5, 4)
    gaps = []
    with precision(200):
        truth = laplace_renyi(scale, order).ball()
        for cells in (20, 40, 80):
            p, q = fine_laplace(scale, cells)
            found = Losses.of(p.divergence_from(q), forward=True)
            gap = ends(truth)[0] - ends(found.renyi(order))[1]
            assert gap > 0, "processing never adds to a divergence"
            gaps.append(gap)
    # The error is of second order in the width of a cell.
    for wide, narrow in itertools.pairwise(gaps):
        assert Fraction(39, 10) < wide / narrow < Fraction(41, 10)


def test_laplace_kl_is_the_limit_of_its_renyi() -> None:
    with precision(300):
        limit = ends(laplace_kl(2).ball())[0]
        near = ends(laplace_renyi(2, 1 + Fraction(1, 10**20)).ball())
        assert limit < near[0] < limit + Fraction(1, 10**19)


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(5, 4), Fraction(4)])
def test_laplace_tradeoff_is_the_three_pieces(scale: Fraction) -> None:
    """1 − e^(1/b)·a below e^(−1/b)/2, then e^(−1/b)/(4a) up to ½, then e^(−1/b)·(1 − a)."""
    with mp.workdps(60), precision(200):
        shrink = mp.exp(-mpf(scale.denominator) / scale.numerator)
        for a in [Fraction(k, 40) for k in range(1, 40)]:
            x = mpf(a.numerator) / a.denominator
            if x < shrink / 2:
                truth = 1 - x / shrink
            elif 2 * a <= 1:
                truth = shrink / (4 * x)
            else:
                truth = shrink * (1 - x)
            assert_encloses(laplace_tradeoff(scale, a), truth, width=TIGHT)


def test_a_fine_grid_has_the_tradeoff_function_of_laplace_noise() -> None:
    """The test {x > c} is one of the grid's for each cut c: its errors lie on both functions."""
    scale, cells = Fraction(5, 4), 16
    with precision(200):
        p, q = fine_laplace(scale, cells)
        keys = [key for key in p.weights if isinstance(key, Fraction)]
        for cut in keys[1:]:
            beyond = [*(key for key in keys if key >= cut), "right"]
            one = sum((p.probability(key).ball for key in beyond), Ball(0))
            two = 1 - sum((q.probability(key).ball for key in beyond), Ball(0))
            below, above = ends(one)
            assert ends(laplace_tradeoff(scale, above))[0] <= ends(two)[1]
            assert ends(two)[0] <= ends(laplace_tradeoff(scale, below))[1]
            assert width_of(two) < TIGHT


def discrete_gaussian(variance: int, centre: int, reach: int) -> tuple[ExplicitLaw, Ball]:
    """∝ e^(−(x − centre)²/(2·variance)) on |x| ≤ reach, and the weight that is left out."""
    weights = {
        x: (ball(Fraction(-((x - centre) ** 2), 2 * variance))).exp()
        for x in range(-reach, reach + 1)
    }
    return ExplicitLaw(dict(weights.items()), normalised=False), weights[reach]


@pytest.mark.parametrize("order", [Fraction(2), Fraction(7, 2), Fraction(6)])
def test_discrete_gaussian_noise_is_bounded_by_the_continuous_one(order: Fraction) -> None:
    """D_α ≤ α/(2σ²) for integer shifts (Canonne, Kamath and Steinke 2020, Prop. 5), nearly met.

    The law is cut where e^(−x²/(2σ²)) is far below the slack of the comparison.
    """
    variance, reach = 9, 140
    with precision(300):
        p, left_out = discrete_gaussian(variance, 0, reach)
        q, _ = discrete_gaussian(variance, 1, reach)
        assert ends(left_out)[1] < Fraction(1, 10**300)
        found = Losses.of(p.divergence_from(q), forward=True).renyi(order)
        limit = ends(gaussian_renyi(3, order).ball())[1]
        slack = Fraction(1, 10**60)
        assert ends(found)[1] <= limit + slack
        # At integer orders the sum is the same theta series shifted by an integer: equality.
        gap = limit - ends(found)[0]
        assert gap <= (slack if order.denominator == 1 else Fraction(1, 10**60))


def test_composed_randomised_response_tends_to_gaussian_privacy() -> None:
    """k-fold randomised response of ε = s/√k tends to G_μ: μ² → s² (Dong, Roth and Su 2022)."""
    s = 1.0
    distances = []
    with precision(160):
        for k in (25, 100, 400):
            keep = real(Fraction(round(2**40 / (1 + 2.718281828459045 ** (-s / k**0.5))), 2**40))
            other = real(1) - keep
            binomial = _binomial(k)
            p: dict[Any, Any] = {
                i: real(c) * keep**i * other ** (k - i) for i, c in enumerate(binomial)
            }
            q: dict[Any, Any] = {
                i: real(c) * other**i * keep ** (k - i) for i, c in enumerate(binomial)
            }
            there = ExplicitLaw(p).divergence_from(ExplicitLaw(q))
            forward, backward = (Losses.of(there, forward=way) for way in (True, False))
            mu = gaussian_fit(forward, backward).ball
            distances.append(abs(float(mu) - s))
    assert distances[0] > distances[1] > distances[2]
    assert distances[2] < 0.06


def _binomial(k: int) -> list[int]:
    row = [1]
    for i in range(k):
        row.append(row[-1] * (k - i) // (i + 1))
    return row


def test_gaussian_tradeoff_is_its_own_inverse() -> None:
    with precision(200):
        for a in (Fraction(1, 1000), Fraction(1, 3), Fraction(9, 10)):
            there = gaussian_tradeoff("3/2", a)
            low, high = ends(there)
            again = gaussian_tradeoff("3/2", low).union(gaussian_tradeoff("3/2", high))
            assert overlap(again, ball(a))
            assert width_of(again) < TIGHT

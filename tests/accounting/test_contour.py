"""Inverted transforms: on both sides of the truth, for random laws, samples and each bound."""

import random
import types
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpc, mpf

from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.shifted import GaussianDivergence
from dpaudit.numbers import contour
from dpaudit.numbers.ball import Ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.contour import Contour
from dpaudit.numbers.real import rational, real
from dpaudit.questions.account.contour import ContourBand
from dpaudit.questions.account.lattices import Effort, band
from dpaudit.questions.account.moments import ListedMoments, SampledGaussianMoments
from dpaudit.questions.account.outcomes import Outcomes, outcomes
from dpaudit.questions.account.sources import Spread
from dpaudit.questions.account.subsampling import subsampled
from tests.accounting.random import convolved, hockey_stick

SOURCE = Path(str(contour.__file__)).read_text()

MUTANTS = {
    "what smoothing costs above": ("at = epsilon - self.inflation", "at = epsilon + self.spread"),
    "what smoothing costs below": ("self.spread * z).sinh() / z * self._most", "z).sinh() * 0"),
    "what the rule adds": ("found - self._aliases(epsilon) -", "found -"),
    "aliases on the left": ("return left / (1 - left) + right", "return right"),
    "aliases on the right": ("return left / (1 - left) + right", "return left / (1 - left)"),
    "the end above": ("at) + self._rest(at)", "at)"),
    "the end below": ("self._aliases(epsilon) - self._rest(epsilon))", "self._aliases(epsilon))"),
    "the conjugate half": ("both *= 2\n", "pass\n"),
}
"""Bounds left out, and steps that keep a side, turned round."""


def mutated(old: str, new: str) -> Any:
    assert SOURCE.count(old) == 1, old
    found = types.ModuleType(contour.__name__)
    exec(compile(SOURCE.replace(old, new), contour.__name__, "exec"), found.__dict__)
    return found.Contour


def law(dice: random.Random) -> list[tuple[Fraction, Fraction]]:
    count = dice.randint(2, 4)
    sides = [[dice.choice([0, 1, 2, 3, 5, 8, 40]) for _ in range(count)] for _ in range(2)]
    for weights in sides:
        weights[0] = weights[0] or 1
    shares = [[Fraction(w, sum(weights)) for w in weights] for weights in sides]
    return [pair for pair in zip(*shares, strict=True) if any(pair)]


def listed(pairs: list[tuple[Fraction, Fraction]]) -> Outcomes:
    p, q = (
        ExplicitLaw({place: rational(w) for place, w in enumerate(side)})
        for side in zip(*pairs, strict=True)
    )
    return outcomes(p.divergence_from(q))


def wrong(kind: Any, seed: int) -> bool:
    """Tell whether an inversion with random choices lies on the wrong side of a convolution."""
    dice = random.Random(seed)
    pairs, runs = law(dice), dice.randint(2, 6)
    with precision(160):
        one = listed(pairs)
        if not one.finite:
            return False
        moments = ListedMoments(one, True)
        power, step = dice.choice([0.25, 1.0, 3.0]), dice.choice([0.05, 0.4, 1.5])
        count, spread = dice.choice([2, 40, 1000]), dice.choice([0.02, 0.3, 1.5])
        values = moments.along(Ball(power), Ball(step), count)
        other = moments.along(Ball(2 * power), Ball(step), 1)[0].real
        line = kind(
            runs,
            Ball(power),
            Ball(step),
            values,
            Ball(spread),
            lambda: Ball(1),
            (Ball(2 * power), other),
        )
        joint = [pair for pair in convolved(pairs, runs) if pair[1]]
        for _ in range(8):
            order = Fraction(dice.randint(10, 120), 20)
            truth = hockey_stick(joint, order)
            at = rational(order).ln().ball()
            above, below = line.above(at), line.below(at)
            if above.is_finite() and upper_fraction(above) < truth:
                return True
            if below.is_finite() and lower_fraction(below) > truth:
                return True
    return False


def test_random_laws_lie_between_both_sides() -> None:
    assert [seed for seed in range(100) if wrong(Contour, seed)] == []


@pytest.mark.parametrize("name", MUTANTS)
def test_a_bound_left_out_is_caught(name: str) -> None:
    kind = mutated(*MUTANTS[name])
    assert any(wrong(kind, seed) for seed in range(400))


def test_many_runs_of_a_listed_law_are_narrow_and_right() -> None:
    """An exact table of all joint losses lies inside."""
    pairs = [(Fraction(a, 20), Fraction(b, 20)) for a, b in ((9, 7), (8, 8), (3, 5))]
    with precision(160):
        one = listed(pairs)
        joint = convolved(pairs, 60)
        for order in (Fraction(2), Fraction(9, 2)):
            low, high = ContourBand(ListedMoments(one, True), 60, 1e-4).delta(rational(order).ln())
            truth = hockey_stick(joint, order)
            assert lower_fraction(low) <= truth <= upper_fraction(high)
            assert float(high - low) < 3e-3 * float(truth)


@pytest.mark.parametrize("remove", [True, False])
def test_sampled_runs_lie_within_their_lattices(remove: bool) -> None:
    shift, rate, runs = real("1"), real("1/50"), 200
    found = ContourBand(SampledGaussianMoments(shift, rate, remove), runs, 1e-6)
    measure = GaussianDivergence(shift).loss_measure(forward=True)
    assert measure is not None
    source = Spread(subsampled(measure, rate, remove=remove))
    lattices = band(source, runs, Effort(1e-4, Fraction(1, 10**14)))
    low, high = found.epsilon(real("1e-6"))
    coarse_low, coarse_high = lattices.epsilon(real("1e-6"))
    assert upper_fraction(coarse_low.lower()) < lower_fraction(low)
    assert upper_fraction(high) < lower_fraction(coarse_high.upper())
    assert float(high - low) < 1e-9
    assert low < high


@pytest.mark.parametrize("remove", [True, False])
def test_moments_of_a_sampled_run_against_quadrature(remove: bool) -> None:
    moments = SampledGaussianMoments(real("1"), real("1/10"), remove)
    with precision(128):
        found = moments.along(Ball(2), Ball(3), 2)
    for value, height in zip(found, (0, 3), strict=True):
        power = mpc(3, height) if remove else -mpc(2, height)

        def density(x: mpf, power: mpc = power) -> mpc:
            return (1 + mp.expm1(x - 0.5) / 10) ** power * mp.npdf(x)

        truth = mp.quad(density, range(-12, 17, 4))
        assert abs(mpc(float(value.real), float(value.imag)) - truth) < 1e-12
        assert float(value.real.rad()) < 1e-20


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize(("shift", "rate", "power"), [("1/3", "1/100", 7), ("3", "1/10", "1/2")])
def test_moments_and_the_bound_of_their_size_against_quadrature(
    remove: bool, shift: str, rate: str, power: Any
) -> None:
    """Moments at a height are enclosed (a finer rule finds them), and at most V over the height."""
    moments = SampledGaussianMoments(real(shift), real(rate), remove)
    mu, q, c = (
        mpf(Fraction(one).numerator) / Fraction(one).denominator for one in (shift, rate, power)
    )
    with precision(160), mp.workdps(18):
        at = real(str(power)).ball()
        found = moments.along(at, Ball(25), 2)
        variation = moments._variation(moments._power(at))
        for place, value in enumerate(found):
            exponent = mpc(c + 1, 25 * place) if remove else -mpc(c, 25 * place)

            def density(x: mpf, exponent: mpc = exponent) -> mpc:
                return (1 + q * mp.expm1(mu * x - mu * mu / 2)) ** exponent * mp.npdf(x)

            truth = mp.fsum(density(mpf(x) / 64) for x in range(-14 * 64, 40 * 64)) / 64
            for known, part in ((truth.real, value.real), (truth.imag, value.imag)):
                low, high = mpf(float(part.lower())), mpf(float(part.upper()))
                assert low - mpf(10) ** -12 <= known <= high + mpf(10) ** -12
            assert float(value.real.rad()) < 1e-15
            if place:
                assert abs(truth) * 25 * place <= mpf(float(variation.upper()))


def test_what_decays_is_held_to_moments_further_down() -> None:
    """No moment beyond the height is larger than what the bound of the rest takes it for."""
    moments = SampledGaussianMoments(real(1), real("1/100"), True)
    with precision(160):
        power = Ball(6)
        moment = moments.along(power, Ball(1), 1)[0].real
        height = moments.reach(6.0, 5000)
        bound = moments.decay(power, moment, Ball(height), 5000)
        assert float(bound) < 1e-12
        for factor in (1.0, 1.3, 2.0, 5.0, 20.0):
            (value,) = moments.along(power, Ball(1), 1, Ball(height * factor))
            size = Ball((value.abs_lower() / moment.upper()).lower()) ** 5000
            assert lower_fraction(size) <= upper_fraction(bound)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_listed_laws_hold(seed: int) -> None:
    """Chernoff's bounds are above what a convolution gives; dominated curves stay below."""
    dice = random.Random(seed)
    pairs, other = law(dice), law(dice)
    with precision(400):
        one, two = listed(pairs), listed(other)
        if not one.finite or not two.finite:
            return
        moments, more = ListedMoments(one, True), ListedMoments(two, True)
        joint, beside = convolved(pairs, 4), convolved(other, 4)
        line = ContourBand(moments, 4, 1e-3)
        orders = [Fraction(dice.randint(0, 160), 20) for _ in range(30)]
        for order in orders[:4]:
            at = max(order, Fraction(1))
            found = line.chernoff(delta=None, epsilon=rational(at).ln())
            assert upper_fraction(found) >= hockey_stick(joint, at)
            near = line.at_most(float(rational(at).ln()) - 1e-12)
            assert upper_fraction(near) >= hockey_stick(joint, at)
        if moments.dominates(more):
            assert all(hockey_stick(beside, a) <= hockey_stick(joint, a) for a in orders)
        assert moments.dominates(ListedMoments(listed(list(reversed(pairs))), True))
        assert not moments.dominates(more) or not more.dominates(moments) or joint == beside

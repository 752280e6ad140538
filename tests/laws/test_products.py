"""Excesses of products of densities, against integrals in other arithmetic."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit import program
from dpaudit.laws.bells import excess_of_shift
from dpaudit.laws.products import Curve, _envelope, _from_above, _from_below, excess_of_product
from dpaudit.numbers.ball import Ball, ball, precision


def laplace_curve(shift: Any) -> Any:
    """Return ∫ (p − a·q)₊ of two Laplace densities, ``shift`` scales apart."""

    def value(a: Any) -> Any:
        if mp.log(a) >= shift:
            return mpf(0)
        return 1 - a if mp.log(a) <= -shift else 1 - mp.exp((mp.log(a) - shift) / 2)

    return value


def gaussian_curve(shift: Any) -> Any:
    def value(a: Any) -> Any:
        at = mp.log(a) / shift
        return mp.ncdf(shift / 2 - at) - a * mp.ncdf(-shift / 2 - at)

    return value


def with_laplace(shift: Any, rest: Any) -> Any:
    """Return the curve of a Laplace pair beside another, by integration over the Laplace loss."""

    def value(a: Any) -> Any:
        # The loss is ±shift with an atom, and between them p = e^(−(shift − l)/2)/4 dl.
        ends = mp.exp(shift), mp.exp(-shift)
        total = rest(a / ends[0]) / 2 + mp.exp(-shift) / 2 * rest(a / ends[1])
        bends = sorted({-shift, shift, *(x for x in (mp.log(a),) if abs(x) < shift)})
        return total + mp.quad(
            lambda loss: mp.exp((loss - shift) / 2) / 4 * rest(a * mp.exp(-loss)), bends
        )

    return value


def as_curve(shift: Fraction) -> Curve:
    """Return the Laplace curve in balls."""

    def value(a: Ball) -> Ball:
        high = (1 - ((a.log() - ball(shift)) / 2).exp()).max(Ball(0))
        return high.max(1 - a)

    return Curve(value, (-float(shift) - 1e-9, float(shift) + 1e-9))


@pytest.mark.parametrize("seed", range(12))
def test_two_laplace_pairs_are_enclosed(seed: int) -> None:
    drawn = random.Random(seed)
    shifts = [Fraction(drawn.randint(1, 20), 10) for _ in range(2)]
    with mp.workdps(20):
        wanted_of = with_laplace(
            mpf(shifts[0].numerator) / shifts[0].denominator,
            laplace_curve(mpf(shifts[1].numerator) / shifts[1].denominator),
        )
        for share in (Fraction(-1, 2), Fraction(0), Fraction(1, 3), Fraction(4, 5)):
            epsilon = share * sum(shifts)
            wanted = wanted_of(mp.exp(mpf(epsilon.numerator) / epsilon.denominator))
            with precision(96):
                found = excess_of_product([as_curve(one) for one in shifts], ball(epsilon).exp())
            assert found is not None
            assert float(found.lower()) <= wanted * (1 + mpf("1e-12"))
            assert float(found.upper()) >= wanted * (1 - mpf("1e-12"))
            assert float(found.upper() - found.lower()) < 0.01 * wanted


def test_three_laplace_pairs_and_a_gaussian_one_are_enclosed() -> None:
    shifts = [Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)]
    with mp.workdps(15):
        one, two, three = (mpf(s.numerator) / s.denominator for s in shifts)
        for last, curve in (
            (laplace_curve(three), as_curve(shifts[2])),
            (
                gaussian_curve(three),
                Curve(lambda a: excess_of_shift(ball(shifts[2]), a), (0.0, 0.0)),
            ),
        ):
            for epsilon in (0, 0.5):
                wanted = with_laplace(one, with_laplace(two, last))(mp.exp(epsilon))
                with precision(96):
                    curves = [*map(as_curve, shifts[:2]), curve]
                    found = excess_of_product(curves, Ball(epsilon).exp())
                assert found is not None
                assert float(found.lower()) <= wanted * (1 + mpf("1e-9"))
                assert float(found.upper()) >= wanted * (1 - mpf("1e-9"))
                assert float(found.upper() - found.lower()) < 0.01 * wanted


def test_lines_from_below_are_below_and_those_from_above_above() -> None:
    with precision(96):
        points = as_curve(Fraction(1)).points(40)
        assert points is not None
        for bends, rest, sign in ((*_from_below(points), -1), (*_from_above(points), 1)):
            for k in range(-30, 31):
                a = math.exp(k / 20)
                # Σ (p_k − a·q_k)₊ is the curve of the list itself.
                own = float(rest.mid()) + sum(
                    max(0.0, float(mass.mid()) * (1 - a / float(at.mid()))) for at, mass in bends
                )
                true = max(0.0, 1 - a, 1 - math.exp((k / 20 - 1) / 2))
                assert sign * (own - true) >= -1e-12
                assert abs(own - true) < 2e-3


def test_the_envelope_is_the_largest_line_everywhere() -> None:
    drawn = random.Random(3)
    for _ in range(50):
        lines = [
            (Fraction(drawn.randint(-20, 0), 20), Fraction(drawn.randint(0, 20), 20))
            for _ in range(12)
        ]
        kept = _envelope(lines)
        for k in range(-80, 81):
            x = Fraction(k, 4)
            assert max(s * x + c for s, c in kept) == max(s * x + c for s, c in lines)


def pair(first: Any, second: Any) -> Any:
    """Return a program that gives out two draws around x."""

    @program(datasets=[0, 1], neighbours="all", budget=1)
    def two(x: int, random: Any) -> Any:
        return x + first(random), x - second(random)

    return two


@pytest.mark.parametrize("sds", [(1, 1), (2, 3)])
def test_gaussian_noise_on_two_numbers_is_that_on_their_distance(sds: tuple[int, int]) -> None:
    made = pair(lambda r: r.gaussian(sds[0]), lambda r: r.gaussian(sds[1]))
    (result,) = dpaudit.check(made, budget=(1, "1/10"), at_eps=["0", "1/2"]).results
    with mp.workdps(30):
        shift = mp.sqrt(mpf(1) / sds[0] ** 2 + mpf(1) / sds[1] ** 2)
        for point, epsilon in zip(result.curve, (0, mpf(1) / 2), strict=True):
            wanted = gaussian_curve(shift)(mp.exp(epsilon))
            assert mpf(str(point.value.lower)) <= wanted + mpf("1e-20")
            assert mpf(str(point.value.upper)) >= wanted - mpf("1e-20")
            assert point.value.upper - point.value.lower < 1e-12


def test_laplace_and_gaussian_noise_of_a_program() -> None:
    made = pair(lambda r: r.laplace(2), lambda r: r.gaussian(2))
    (result,) = dpaudit.check(made, budget=(1, "1/10"), at_eps=["1/2"]).results
    with mp.workdps(20):
        wanted = with_laplace(mpf(1) / 2, gaussian_curve(mpf(1) / 2))(mp.exp(mpf(1) / 2))
    value = result.curve[0].value
    assert mpf(str(value.lower)) <= wanted <= mpf(str(value.upper))
    assert value.upper - value.lower < 0.01 * float(wanted)


def test_uniform_and_exponential_noise_leave_what_one_side_cannot_give() -> None:
    made = pair(lambda r: r.uniform(0, 4), lambda r: r.laplace(2))
    (result,) = dpaudit.check(made, budget=(1, "1/2"), at_eps=["0"]).results
    # A quarter of the uniform draws is impossible at the other dataset; what is left differs by
    # the Laplace draw alone.
    wanted = 0.25 + 0.75 * (1 - math.exp(-0.25))
    value = result.curve[0].value
    assert float(value.lower) <= wanted + 1e-12
    assert float(value.upper) >= wanted - 1e-12
    assert float(value.upper - value.lower) < 0.01 * wanted

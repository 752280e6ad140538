"""Two geometric draws of one parameter, whose difference is a discrete Laplace draw."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import ONE, rational, real
from dpaudit.programs.unknowns.wholes import WholeDraw, chance

P = Fraction(1, 20)
NUMBERS = np.arange(-2000, 2001)


def checked(function: Any, datasets: Any = (0, 3), budget: Any = (Fraction(1, 10), "1/2")) -> Any:
    made = program(datasets=datasets, neighbours="all", budget=budget)(function)
    (found,) = dpaudit.check(made, n=1).results
    return found


def law(centre: int) -> Any:
    """Return the law by convolution of two geometric ones, on the numbers of the grid."""
    one = float(P) * (1 - float(P)) ** np.arange(0, 2001)
    both = np.convolve(one, one[::-1])  # of the differences from −2000 to 2000
    return np.interp(NUMBERS - centre, np.arange(-2000, 2001), both, left=0, right=0)


def over(p: Any, q: Any) -> float:
    return max(float(np.maximum(a - math.exp(0.1) * b, 0).sum()) for a, b in ((p, q), (q, p)))


def test_a_count_with_the_difference() -> None:
    def noisy(count: Any, random: Any) -> Any:
        return count + random.geometric(P) - random.geometric(P)

    found = checked(noisy)
    assert found.epsilon.exact == rational(3) * (ONE / rational(1 - P)).ln()
    assert float(found.delta.upper) == pytest.approx(over(law(0), law(3)), abs=1e-9)


def test_what_is_decided_about_it_and_what_is_made_of_it() -> None:
    def noisy(count: Any, random: Any) -> Any:
        first, second = random.geometric(P), random.geometric(P)
        value = 2 * (count + (second - first)) + 1
        return value if 0 < value < 12 else "far"

    def clamped(centre: int) -> Any:
        inside = (NUMBERS >= 0) & (NUMBERS <= 5)
        own = law(centre)
        return np.append(own[inside], own[~inside].sum())

    found = checked(noisy)
    assert float(found.delta.upper) == pytest.approx(over(clamped(0), clamped(3)), abs=1e-9)


def test_the_same_difference_twice_is_one_number() -> None:
    def noisy(count: Any, random: Any) -> Any:
        first, second = random.geometric(P), random.geometric(P)
        return count + (first - second if first - second > 0 else 0)

    def clamped(centre: int) -> Any:
        own = law(0)
        values = np.zeros(NUMBERS.size + 10)
        for shift, mass in zip(np.maximum(NUMBERS, 0), own, strict=True):
            values[shift + centre] += mass
        return values

    found = checked(noisy)
    assert float(found.delta.upper) == pytest.approx(over(clamped(0), clamped(3)), abs=1e-9)


@pytest.mark.parametrize("scale", [10**4, 10**6])
def test_large_scales(scale: int) -> None:
    def noisy(count: Any, random: Any) -> Any:
        p = 1 - real(Fraction(-1, scale)).exp()
        return count + random.geometric(p) - random.geometric(p)

    assert checked(noisy, (0, scale), 1).epsilon.exact == real(1)


def test_other_differences_stay_refused() -> None:
    def of_two_parameters(count: Any, random: Any) -> Any:
        return count + random.geometric(P) - random.geometric(2 * P)

    def a_sum(count: Any, random: Any) -> Any:
        return count + random.geometric(P) + random.geometric(P)

    def given_out_beside(count: Any, random: Any) -> Any:
        first, second = random.geometric(P), random.geometric(P)
        return count + first - second, first

    def compared_after(count: Any, random: Any) -> Any:
        first, second = random.geometric(P), random.geometric(P)
        noise = first - second
        return count + noise if first > 3 else count

    for function in (of_two_parameters, a_sum, given_out_beside, compared_after):
        with pytest.raises(LawError):
            checked(function)


@pytest.mark.parametrize("place", [(0, 0), (40_000, 40_000), (-40_000, -40_000), (-9, 39_999)])
@pytest.mark.parametrize("ends", ["both", "low", "high"])
def test_probabilities_far_out_are_balls_around_the_closed_form(
    place: tuple[int, int], ends: str
) -> None:
    ratio = Fraction(99_999, 100_000)
    draw = WholeDraw("discrete_laplace", -ONE / rational(ratio).ln())
    low = place[0] if ends != "high" else None
    high = place[1] if ends != "low" else None
    t = float(ratio)

    def below(k: int) -> float:
        return t**-k / (1 + t) if k < 0 else 1 - t ** (k + 1) / (1 + t)

    expected = (1.0 if high is None else below(high)) - (0.0 if low is None else below(low - 1))
    with precision(80):
        found = chance(draw, ((low, high),))
        value = found if not hasattr(found, "ball") else found.ball()
    assert float(value.mid()) == pytest.approx(expected, rel=1e-7)

"""Remainders of whole-number noise: finite fields, and counters that wrap."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.numbers.real import ONE, Real, rational, real
from dpaudit.programs.unknowns.noises import Draw
from dpaudit.programs.unknowns.wholes import WholeDraw, chance, intersection

QUARTER = Fraction(1, 4)
BASES = {
    "two-sided": WholeDraw("discrete_laplace", rational(3)),
    "geometric": WholeDraw("geometric", rational(QUARTER)),
    "rounded": WholeDraw(
        "rounded", ONE, rounding=(Draw("laplace", rational(3)), Fraction(1, 2), None, None)
    ),
    "rounded down": WholeDraw(
        "rounded", ONE, rounding=(Draw("laplace", rational(3)), Fraction(0), None, None)
    ),
}


def value(found: Any) -> float:
    return float((found.ball() if isinstance(found, Real) else found).mid())


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("sign", [1, -1])
def test_probabilities_are_sums_over_all_numbers_that_leave_the_remainder(
    name: str, sign: int
) -> None:
    base, modulus, constant = BASES[name], 7, 5
    wrapped = WholeDraw("wrapped", rational(modulus), wrapping=(base, sign, constant))
    expected = [0.0] * modulus
    for number in range(-250, 251):
        inside = intersection(base.support(), ((number, number),))
        if inside:
            expected[(sign * number + constant) % modulus] += value(chance(base, inside))
    for low in range(modulus):
        for high in range(low, modulus):
            found = value(chance(wrapped, ((low, high),)))
            assert found == pytest.approx(sum(expected[low : high + 1]), abs=1e-12)


def checked(function: Any, datasets: Any, budget: Any) -> Any:
    made = program(datasets=datasets, neighbours="all", budget=budget)(function)
    (found,) = dpaudit.check(made, n=1).results
    return found


def wrapped_law(scale: float, centre: int, modulus: int) -> Any:
    t = math.exp(-1 / scale)
    away = (np.arange(modulus) - centre) % modulus
    return (1 - t) / (1 + t) * (t**away + t ** (modulus - away)) / (1 - t**modulus)


@pytest.mark.parametrize("modulus", [11, 97, 5003])
def test_a_sum_in_a_finite_field(modulus: int) -> None:
    def masked(count: Any, random: Any) -> Any:
        return (count + random.discrete_laplace(2)) % modulus

    found = checked(masked, [3, 5], (QUARTER, Fraction(1, 2)))
    p, q = (wrapped_law(2, centre, modulus) for centre in (3, 5))
    over = [np.maximum(a - math.exp(0.25) * b, 0).sum() for a, b in ((p, q), (q, p))]
    assert float(found.delta.upper) == pytest.approx(max(over), abs=1e-9)
    losses = np.abs(np.log(p[:200] / q[:200]))
    assert float(found.epsilon.upper) == pytest.approx(float(losses.max()), abs=1e-9)


def test_a_long_arc_is_seen_as_one() -> None:
    scale, modulus = 300, 6007

    def masked(count: Any, random: Any) -> Any:
        return (count - random.discrete_laplace(scale)) % modulus

    found = checked(masked, [0, 900], (Fraction(3, 2), Fraction(1, 2)))
    p, q = (wrapped_law(scale, centre, modulus) for centre in (0, 900))
    over = [np.maximum(a - math.exp(1.5) * b, 0).sum() for a, b in ((p, q), (q, p))]
    assert float(found.delta.upper) == pytest.approx(max(over), abs=1e-9)
    assert float(found.delta.upper - found.delta.lower) < 1e-9
    assert float(found.epsilon.upper) == pytest.approx(float(np.log(p / q).max()), abs=1e-9)


def test_a_counter_of_32_bits() -> None:
    def counter(count: Any, random: Any) -> Any:
        return (count + round(random.laplace(1000))) % 2**32

    found = checked(counter, [0, 1], Fraction(1, 1000))
    assert found.verdict is dpaudit.results.Verdict.WITHIN  # processing the count cannot exceed it
    assert float(found.epsilon.lower) > 0.00099


def test_a_remainder_is_compared_and_given_out_again() -> None:
    def halved(count: Any, random: Any) -> Any:
        rest = (count + random.discrete_laplace(2)) % 9
        return rest if rest < 4 else "more"

    def law(centre: int) -> Any:
        own = wrapped_law(2, centre, 9)
        return np.append(own[:4], own[4:].sum())

    found = checked(halved, [0, 1], (QUARTER, Fraction(1, 2)))
    p, q = law(0), law(1)
    over = [np.maximum(a - math.exp(0.25) * b, 0).sum() for a, b in ((p, q), (q, p))]
    assert float(found.delta.upper) == pytest.approx(max(over), abs=1e-9)


def test_the_difference_of_geometric_draws_wraps_too() -> None:
    def masked(count: Any, random: Any) -> Any:
        p = 1 - real(Fraction(-1, 2)).exp()
        return (count + random.geometric(p) - random.geometric(p)) % 97

    found = checked(masked, [3, 5], (QUARTER, Fraction(1, 2)))
    p, q = (wrapped_law(2, centre, 97) for centre in (3, 5))
    over = [np.maximum(a - math.exp(0.25) * b, 0).sum() for a, b in ((p, q), (q, p))]
    assert float(found.delta.upper) == pytest.approx(max(over), abs=1e-9)


def test_others_stay_refused() -> None:
    def beside(count: Any, random: Any) -> Any:
        noise = random.discrete_laplace(2)
        return (count + noise) % 5, noise

    def of_normal_noise(count: Any, random: Any) -> Any:
        return (count + round(random.gaussian(2))) % 5

    def of_a_multiple(count: Any, random: Any) -> Any:
        return (count + 3 * random.discrete_laplace(2)) % 5

    for function in (beside, of_normal_noise, of_a_multiple):
        with pytest.raises(LawError):
            checked(function, [0, 1], 1)

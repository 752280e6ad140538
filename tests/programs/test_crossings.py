"""Whole-number noise at large scales: runs on which the loss is linear, against sums of all."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.numbers.real import real

SCALE = 700


def checked(function: Any, datasets: Any, budget: Any) -> Any:
    made = program(datasets=datasets, neighbours="all", budget=budget)(function)
    (found,) = dpaudit.check(made, n=1).results
    return found


def two_sided(scale: float, numbers: Any) -> Any:
    t = math.exp(-1 / scale)
    return (1 - t) / (1 + t) * t ** abs(numbers)


def rounded(scale: float, numbers: Any) -> Any:
    def below(x: Any) -> Any:
        return np.where(x < 0, np.exp(-abs(x) / scale) / 2, 1 - np.exp(-abs(x) / scale) / 2)

    return np.where(
        numbers == 0,
        1 - np.exp(-0.5 / scale),
        np.exp(-abs(numbers) / scale) * math.sinh(0.5 / scale),
    )


@pytest.mark.parametrize("epsilon", ["1/3", "9/10"])
@pytest.mark.parametrize(("noise", "law"), [("whole", two_sided), ("rounded", rounded)])
@pytest.mark.parametrize("moved", [SCALE, 555])
def test_the_mass_over_is_the_sum_over_all_numbers(
    epsilon: str, noise: str, law: Any, moved: int
) -> None:
    def noisy(total: Any, random: Any) -> Any:
        if noise == "whole":
            return total + random.discrete_laplace(SCALE)
        return round(total + random.laplace(SCALE))

    found = checked(noisy, [0, moved], (real(epsilon), Fraction(1, 2)))
    numbers = np.arange(-40 * SCALE, 41 * SCALE)
    p, q = law(SCALE, numbers), law(SCALE, numbers - moved)
    expected = np.maximum(p - math.exp(Fraction(epsilon)) * q, 0).sum()
    assert float(found.delta.upper) == pytest.approx(expected, abs=1e-9)
    assert float(found.delta.upper - found.delta.lower) < 1e-12
    assert found.epsilon.exact == real(Fraction(moved, SCALE))


@pytest.mark.parametrize("scale", [10**4, 10**6])
def test_noise_at_its_scale_is_at_its_budget_exactly(scale: int) -> None:
    def noisy(total: Any, random: Any) -> Any:
        return total + random.discrete_laplace(scale)

    found = checked(noisy, [0, scale], 1)
    assert found.verdict is dpaudit.results.Verdict.WITHIN
    assert found.epsilon.exact == real(1)


def test_clamped_counts_and_multiples_on_one_lattice() -> None:
    def clamped(total: Any, random: Any) -> Any:
        return 3 * min(2000, max(-1000, total + random.discrete_laplace(SCALE)))

    found = checked(clamped, [0, SCALE], (Fraction(1, 2), Fraction(1, 2)))
    numbers = np.arange(-40 * SCALE, 41 * SCALE)
    laws = []
    for total in (0, SCALE):
        law = two_sided(SCALE, numbers - total)
        inside = law[(numbers > -1000) & (numbers < 2000)]
        laws.append(np.array([law[numbers <= -1000].sum(), *inside, law[numbers >= 2000].sum()]))
    p, q = laws
    both = [np.maximum(a - math.exp(0.5) * b, 0).sum() for a, b in ((p, q), (q, p))]
    assert float(found.delta.upper) == pytest.approx(max(both), abs=1e-9)


def test_two_numbers_whose_laws_both_differ_are_listed_or_refused_truly() -> None:
    def pair(total: Any, random: Any) -> Any:
        return tuple(total + random.discrete_laplace(SCALE) for _ in range(2))

    with pytest.raises(dpaudit.errors.LawError, match="parts"):
        checked(pair, [0, SCALE], 2)

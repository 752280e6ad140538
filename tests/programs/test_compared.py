"""Normal noise that is given out and compared: the largest, the second, one above a threshold."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import dpaudit
from dpaudit import program
from dpaudit.numbers.real import real

GRID = (np.arange(-30 * 2**13, 30 * 2**13) + 0.5) / 2**13
"""The middles of cells: a threshold is an end of a cell."""


def delta(p: Any, q: Any) -> float:
    """Return the larger ∫ (p − e·q)₊ of both directions, by the midpoint rule."""
    found = [np.maximum(one - math.e * other, 0).sum() for one, other in ((p, q), (q, p))]
    return float(max(found) / 2**13)


def delta_of(function: Any, datasets: Any) -> float:
    made = program(datasets=datasets, neighbours="all", budget=(1, Fraction(1, 2)))(function)
    (found,) = dpaudit.check(made, n=1).results
    assert found.delta is not None
    assert float(found.delta.upper) - float(found.delta.lower) < 1e-9
    return float(found.delta.upper)


def normal(mean: float, sigma: float = 2) -> Any:
    return np.exp(-(((GRID - mean) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))


def below(mean: float, sigma: float = 2) -> Any:
    return ndtr((GRID - mean) / sigma)


def of_largest(means: tuple[int, ...]) -> Any:
    total = np.zeros_like(GRID)
    for i, mean in enumerate(means):
        part = normal(mean)
        for j, other in enumerate(means):
            part = part * below(other) if j != i else part
        total += part
    return total


@pytest.mark.parametrize("datasets", [[(3, 0), (0, 0)], [(4, 1, 0), (1, 1, 1)]])
def test_the_largest_of_normal_numbers(datasets: Any) -> None:
    def largest(data: Any, random: Any) -> Any:
        return max(x + random.gaussian(2) for x in data)

    expected = delta(*map(of_largest, datasets))
    assert delta_of(largest, datasets) == pytest.approx(expected, abs=1e-7)


def test_the_least_is_the_largest_of_the_numbers_with_the_other_sign() -> None:
    def least(data: Any, random: Any) -> Any:
        return min(x + random.gaussian(2) for x in data)

    datasets = [(3, 0), (0, 0)]
    expected = delta(of_largest((-3, 0)), of_largest((0, 0)))
    assert delta_of(least, datasets) == pytest.approx(expected, abs=1e-7)


def test_the_largest_of_shuffled_answers() -> None:
    # Chua et al. 2024: a shuffled batch is not a Poisson sample; 0.1167603 by quadrature.
    def largest(data: Any, random: Any) -> Any:
        return max(x + random.gaussian(1) for x in random.permutation(data))

    assert delta_of(largest, [(1, -1), (0, -1)]) == pytest.approx(0.1167603, abs=1e-7)


def test_the_largest_is_given_out_above_a_threshold_alone() -> None:
    def above(data: Any, random: Any) -> Any:
        value = max(x + random.gaussian(2) for x in data)
        return value if value > 1 else None

    datasets = [(3, 0), (0, 0)]
    p, q = (of_largest(one) * (GRID > 1) for one in datasets)
    below_one = [float(ndtr((1 - a) / 2) * ndtr((1 - b) / 2)) for a, b in datasets]
    forward = np.maximum(p - math.e * q, 0).sum() / 2**13 + max(
        below_one[0] - math.e * below_one[1], 0
    )
    backward = np.maximum(q - math.e * p, 0).sum() / 2**13 + max(
        below_one[1] - math.e * below_one[0], 0
    )
    assert delta_of(above, datasets) == pytest.approx(float(max(forward, backward)), abs=1e-7)


def test_the_place_of_the_largest_is_given_out_with_it() -> None:
    def best(data: Any, random: Any) -> Any:
        a, b = (x + random.gaussian(2) for x in data)
        return (0, a) if a > b else (1, b)

    datasets = [(3, 0), (0, 0)]
    p, q = ([normal(a) * below(b), normal(b) * below(a)] for a, b in datasets)
    found = [
        sum(np.maximum(x - math.e * y, 0).sum() for x, y in zip(*pair, strict=True))
        for pair in ((p, q), (q, p))
    ]
    assert delta_of(best, datasets) == pytest.approx(float(max(found) / 2**13), abs=1e-7)


def test_the_middle_of_three() -> None:
    def middle(data: Any, random: Any) -> Any:
        return sorted(x + random.gaussian(2) for x in data)[1]

    def density(means: tuple[int, ...]) -> Any:
        total = np.zeros_like(GRID)
        for i, mean in enumerate(means):
            a, b = (below(other) for j, other in enumerate(means) if j != i)
            total += normal(mean) * (a * (1 - b) + b * (1 - a))
        return total

    datasets = [(4, 1, 0), (1, 1, 0)]
    expected = delta(*map(density, datasets))
    assert delta_of(middle, datasets) == pytest.approx(expected, abs=1e-7)


def test_normal_noise_above_laplace_noise() -> None:
    def above(x: Any, random: Any) -> Any:
        value, threshold = x + random.gaussian(1), random.laplace(1)
        return value if value > threshold else None

    def density(mean: int) -> Any:
        under = np.where(GRID < 0, np.exp(-abs(GRID)) / 2, 1 - np.exp(-abs(GRID)) / 2)
        return normal(mean, 1) * under

    p, q = density(0), density(2)
    rest = [1 - float(one.sum() / 2**13) for one in (p, q)]
    forward = np.maximum(p - math.e * q, 0).sum() / 2**13 + max(rest[0] - math.e * rest[1], 0)
    backward = np.maximum(q - math.e * p, 0).sum() / 2**13 + max(rest[1] - math.e * rest[0], 0)
    assert delta_of(above, [0, 2]) == pytest.approx(float(max(forward, backward)), abs=1e-7)


@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(1, 10)])
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_a_step_on_a_poisson_sample(q: Fraction, noise: str) -> None:
    def step(data: Any, random: Any) -> Any:
        total = sum(x for x in data if random.bernoulli(q))
        return total + getattr(random, noise)(1)

    def density(data: tuple[int, ...]) -> Any:
        sums = {0: 1.0}
        for x in data:
            more: dict[int, float] = {}
            for total, share in sums.items():
                more[total] = more.get(total, 0) + share * (1 - float(q))
                more[total + x] = more.get(total + x, 0) + share * float(q)
            sums = more
        shapes = {
            total: normal(total, 1) if noise == "gaussian" else np.exp(-abs(GRID - total)) / 2
            for total in sums
        }
        return sum(share * shapes[total] for total, share in sums.items())

    datasets = [(1, 2), (1, 0)]
    expected = delta(*map(density, datasets))
    assert delta_of(step, datasets) == pytest.approx(expected, abs=1e-7)


def test_noise_of_two_widths() -> None:
    def wide(x: Any, random: Any) -> Any:
        return x + random.gaussian(2 if x else 1)

    expected = delta(normal(0, 1), normal(1, 2))
    assert delta_of(wide, [0, 1]) == pytest.approx(expected, abs=1e-7)


def test_a_flipped_bit_with_normal_noise_is_at_its_budget_exactly() -> None:
    # The ratio tends to 3 far out, and is nowhere larger.
    def flipped(bit: Any, random: Any) -> Any:
        return (bit if random.bernoulli(Fraction(3, 4)) else 1 - bit) + random.gaussian(2)

    made = program(datasets=[0, 1], neighbours="all", budget="ln(3)")(flipped)
    (found,) = dpaudit.check(made, n=1).results
    assert found.verdict is dpaudit.results.Verdict.WITHIN
    assert found.epsilon.exact == real("ln(3)")

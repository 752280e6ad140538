"""Mixtures of densities of one number against quadrature, and their largest ratios."""

import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from dpaudit.laws.bells import Bell
from dpaudit.laws.mixed import excess_of_parts, mixed, peak_of_parts
from dpaudit.laws.noise import Laplace
from dpaudit.laws.parts import Line, Part
from dpaudit.laws.suprema import folded
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.real import ONE, rational, real

Normal = tuple[Fraction, Fraction, Fraction, Fraction | None, Fraction | None]
"""Weight, mean, variance and ends."""


def bells(parts: list[Normal]) -> Part:
    return mixed(
        [(rational(w), Bell(mean, rational(v), low, high)) for w, mean, v, low, high in parts]
    )


GRID = (np.arange(-24 * 2**13, 24 * 2**13) + 0.5) / 2**13
"""The middles of cells: an end of a density is an end of a cell."""


def density(parts: list[Normal]) -> Any:
    """Return the values on the grid."""
    total = np.zeros_like(GRID)
    for w, mean, v, low, high in parts:
        inside = np.ones_like(GRID)
        inside *= 1 if low is None else float(low) < GRID
        inside *= 1 if high is None else float(high) > GRID
        square = (GRID - float(mean)) ** 2 / (2 * float(v))
        total += float(w) * inside * np.exp(-square) / math.sqrt(2 * math.pi * float(v))
    return total


def over(p: Any, q: Any, epsilon: float) -> float:
    """Return ∫ (p − e^ε·q)₊ by the midpoint rule."""
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum() / 2**13)


def drawn(draw: Random, *, cut: bool, wide: bool) -> list[Normal]:
    weights = [Fraction(draw.randint(1, 5)) for _ in range(draw.randint(1, 3))]
    low = Fraction(draw.randint(-2, 0)) if cut else None
    found: list[Normal] = []
    for w in weights:
        variance = Fraction(draw.randint(1, 4)) if wide else Fraction(2)
        found.append((w / sum(weights), Fraction(draw.randint(-4, 4), 2), variance, low, None))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_mass_over_is_that_of_a_sum_over_small_cells(seed: int) -> None:
    draw = Random(seed)
    p, q = (drawn(draw, cut=seed % 3 == 0, wide=seed % 2 == 0) for _ in range(2))
    epsilon = draw.choice(["0", "1/4", "1"])
    expected = over(density(p), density(q), float(Fraction(epsilon)))
    with precision(64):
        found = excess_of_parts(bells(p), bells(q), real(epsilon).exp().ball())
    assert float(found.rad()) < 1e-12
    assert float(found.mid()) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_the_largest_ratio_is_that_of_a_fine_grid(seed: int) -> None:
    draw = Random(seed)
    p, q = (drawn(draw, cut=seed % 3 == 0, wide=seed % 2 == 0) for _ in range(2))
    with precision(64):
        found = peak_of_parts(bells(p), bells(q))
    above, below = density(p), density(q)
    both = (above > 0) & (below > 0)
    ratios = np.log(above[both] / below[both])
    best = float(ratios.max())
    lacking = bool(((above > 0) & (below == 0)).any())
    if found.infinite:
        assert lacking or best in (ratios[0], ratios[-1])  # it still grows at an end
    else:
        assert not lacking
        assert float(found.ball.upper()) >= best - 1e-9
        assert best - 1e-3 <= float(found.ball.mid()) <= best + 1e-2


def test_a_bit_that_is_flipped_before_normal_noise_keeps_the_ratio_of_its_weights() -> None:
    bit = Fraction(0), Fraction(1)
    shares = Fraction(3, 4), Fraction(1, 4)
    p, q = (
        bells([(w, at, Fraction(1), None, None) for w, at in zip(own, bit, strict=True)])
        for own in (shares, shares[::-1])
    )
    found = peak_of_parts(p, q)
    assert found.forms is not None
    assert found.ball.overlaps(real("ln(3)").ball())


def test_normal_noise_beside_laplace_noise_is_compared() -> None:
    half = rational(Fraction(1, 2))

    def both(centre: int) -> Part:
        line = Line(folded(Laplace(Fraction(1)).density(centre), ONE), ONE)
        return mixed([(half, Bell(Fraction(centre), ONE)), (half, line)])

    def values(centre: int) -> Any:
        away = abs(GRID - centre)
        return np.exp(-(away**2) / 2) / math.sqrt(8 * math.pi) + np.exp(-away) / 4

    with precision(64):
        found = excess_of_parts(both(0), both(1), real("3/4").exp().ball())
        peak = peak_of_parts(both(0), both(1))
    assert float(found.mid()) == pytest.approx(over(values(0), values(1), 0.75), abs=1e-6)
    best = float(np.log(values(0) / values(1)).max())
    assert float(peak.ball.lower()) <= best + 1e-6
    assert best - 1e-6 <= float(peak.ball.upper()) <= best + 1e-3


def test_ties_far_out_are_a_narrow_interval_in_bounded_time() -> None:
    # Both tails are Laplace noise of scale 1, so that p − e·q vanishes there: no sign is certain.
    half = rational(Fraction(1, 2))

    def both(centre: int) -> Part:
        line = Line(folded(Laplace(Fraction(1)).density(centre), ONE), ONE)
        return mixed([(half, Bell(Fraction(centre), ONE)), (half, line)])

    with precision(64):
        found = excess_of_parts(both(0), both(1), real(1).exp().ball())
    assert float(found.rad()) < 1e-4


def test_equal_parts_are_one_and_their_order_does_not_matter() -> None:
    one, other = Bell(Fraction(0), ONE), Bell(Fraction(1), ONE)
    half = rational(Fraction(1, 2))
    assert mixed([(half, one), (half, other)]) == mixed([(half, other), (half, one)])
    assert len(mixed([(half, one), (half, one)]).parts) == 1
    assert mixed([(Ball(1) / 3, one)]) == mixed([(Ball(1) / 3, one)])

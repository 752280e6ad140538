"""Smoothing in floats: the bound counts the roundings that decide, not the passes."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpaudit.data.arrays import Moves
from dpaudit.notes.hellinger_screen import decayed_maximum, stepped_minimum
from dpaudit.numbers.floats import Relative

N = 240
ULP = 2.0**-52


def added(start: Fraction, step: Fraction, distance: int) -> Fraction:
    return start + step * distance


def multiplied(start: Fraction, decay: Fraction, distance: int) -> Fraction:
    return start * decay**distance


@pytest.mark.parametrize(
    ("smooth", "start", "step", "reached", "best"),
    [
        (stepped_minimum, 1 + ULP * np.arange(N + 1), 0.6 * ULP, added, min),
        (decayed_maximum, 2 - ULP * np.arange(N + 1), 1 - 0.4 * ULP, multiplied, max),
    ],
)
def test_values_that_tie_from_step_to_step_are_within_the_bound(
    smooth: Callable[..., Relative],
    start: np.ndarray,
    step: float,
    reached: Callable[[Fraction, Fraction, int], Fraction],
    best: Callable[..., Fraction],
) -> None:
    """Each rounded step ends on the next value, so one pass changes nothing, n steps do."""
    values, error = smooth(Relative(start, 0.0), step, Moves.of(N, 2), N)
    exact = [Fraction(value) for value in start.tolist()]
    for place in range(0, N + 1, 60):
        true = best(
            reached(value, Fraction(step), abs(place - other)) for other, value in enumerate(exact)
        )
        assert abs(Fraction(float(values[place])) - true) <= Fraction(error) * true

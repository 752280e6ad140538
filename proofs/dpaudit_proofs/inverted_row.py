"""The column H of the utility table with its base inverted: ((n − L)/(n + L))^(L/2), flat prior."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import Ball, Sign, ball, decide_sign, minimum
from dpaudit.numbers.real import real
from dpaudit_proofs.accuracy_laws import FLAT, clamped, clamped_again
from dpaudit_proofs.definitions import number, posterior_distance

__all__ = [
    "INVERTED_TO",
    "fraction_of_a_step",
    "fraction_of_a_step_again",
    "inverted",
    "outward",
    "outward_again",
]


def fraction_of_a_step() -> Ball:
    """Return the margins against the row at balanced data, L = ln(2)/2 below one step."""
    steps = real("ln(2)/2").ball()
    h = HellingerMetric(FLAT).between((1, 1), (2, 0))
    far = h * h - 1 + ((2 - steps) / (2 + steps)) ** (steps / 2)
    return minimum([far, (clamped(1, 2, "2", [0, 2]) - real("1/2")).ball()])


def fraction_of_a_step_again() -> Any:
    """Return the same in mpmath."""
    from mpmath import log

    steps = log(2) / 2
    h = posterior_distance(FLAT, (1, 1), (2, 0))
    far = h * h - 1 + ((2 - steps) / (2 + steps)) ** (steps / 2)
    return min(far, clamped_again(1, 2, "2", [0, 2]) - number("1/2"))


def outward() -> Ball:
    """Return the margins against the row at (1, 9), L rounded up to one step."""
    h = HellingerMetric(FLAT).between((1, 9), (0, 10))
    far = h * h - 1 + ball(Fraction(9, 11)).sqrt()
    return minimum([far, (clamped(1, 10, "1", [0]) - real("2/5")).ball()])


def outward_again() -> Any:
    """Return the same in mpmath."""
    from mpmath import mpf, sqrt

    far = posterior_distance(FLAT, (1, 9), (0, 10)) ** 2 - 1 + sqrt(mpf(9) / 11)
    return min(far, clamped_again(1, 10, "1", [0]) - number("2/5"))


INVERTED_TO = 60
"""The largest size looked at."""


def inverted() -> tuple[int, str]:
    """Decide H(x₀, k steps)² ≤ 1 − ((n − k)/(n + k))^(k/2), all even n and 1 ≤ k ≤ n/2."""
    cases = 0
    for n in range(2, INVERTED_TO + 1, 2):
        half = n // 2
        for k in range(1, half + 1):

            def excess(half: int = half, k: int = k) -> Ball:
                h = HellingerMetric(FLAT).between((half, half), (half + k, half - k))
                base = ball(Fraction(2 * half - k, 2 * half + k))
                return 1 - h * h - base**k / base.sqrt() ** k

            if decide_sign(excess) is not Sign.POSITIVE:
                return cases, f"n = {n}, k = {k}"
            cases += 1
    return cases, ""

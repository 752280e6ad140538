"""Stopping early: an e-process that may be looked at after every draw.

The i-th draws of the two sides are in an event or not, X and Y.  If P ≤ e^ε·Q + δ then
E[X − e^ε·Y − δ] ≤ 0, whatever else P and Q are, and for 0 ≤ λ < 1/(e^ε + δ)

    M = Π (1 + λ·(X_i − e^ε·Y_i − δ))

is a product of nonnegative factors of expectation at most 1.  So is the mean over several λ, of
which those that are too large for this ε count as 0: it ever reaches 1/α with a probability of at
most α (Ville 1939), however often it is looked at.  The λ do not depend on ε and δ, so the mean
falls as these grow: what contradicts one ε contradicts all below it, and a lower bound is wrong
only where the true ε is contradicted (Waudby-Smith and Ramdas 2024).

*Stops.*  The event that M ever reaches 1/α does not depend on where a run stops.  So the bound at a
stop is wrong with a probability of at most α, whatever has stopped it: the budget, a user, or the
clock.  A test of a fixed number of draws has no such guarantee at a stop by the clock: where one
output takes longer to draw than another, how many are drawn by then depends on what is drawn.  So
a run of a fixed number of draws that is stopped has its bounds from here, at an α of their own.

*Arithmetic.*  M depends on the four counts of (X, Y) alone.  Its logarithm is a sum of eight
products and the logarithm of a mean, in floats; what these may be wrong by is taken off.
"""

from __future__ import annotations

from math import exp, inf, log, nextafter
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Together", "bound_at_any_time", "evidence", "together"]

_STAKES = np.geomspace(1e-9, 0.98, 100)
"""The λ that the mean is over."""
_MOST = 0.98
"""λ·(e^ε + δ) is at most this."""
_ERROR = 1e-12
_STEPS = 60


class Together(NamedTuple):
    """Numbers of paired draws: both in the event, the first alone, the second alone, neither."""

    both: int = 0
    first: int = 0
    second: int = 0
    neither: int = 0

    def plus(self, other: Together) -> Together:
        """Return the counts of both together."""
        return Together(*(a + b for a, b in zip(self, other, strict=True)))


def together(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Together:
    """Return the counts of two sides, draw by draw."""
    both, either = int((first & second).sum()), int((first | second).sum())
    only = int(first.sum()) - both
    return Together(both, only, either - both - only, len(first) - either)


def evidence(counts: Together, epsilon: float, delta: float) -> float:
    """Return a lower bound of ln M against (ε, δ)."""
    if epsilon > 500:
        return -inf
    # Rounded up, which can only lessen the evidence.
    factor = nextafter(exp(epsilon) * (1 + 4e-16), inf)
    stakes = _STAKES[_STAKES * (factor + delta) <= _MOST]
    if not len(stakes):
        return -inf
    gains = [1 - factor - delta, 1 - delta, -factor - delta, -delta]
    parts = [count * np.log1p(stakes * gain) for count, gain in zip(counts, gains, strict=True)]
    logs = sum(parts) - _ERROR * sum(map(np.abs, parts))
    most = float(np.max(logs))
    return most + log(float(np.exp(logs - most).sum()) / len(_STAKES)) - 1e-9


def bound_at_any_time(
    counts: Together,
    alpha: float,
    kind: Literal["epsilon", "delta"],
    other: float,
    digits: int = 4,
) -> float:
    """Return the largest ε (or δ, the other fixed) that is contradicted; −∞ for none."""

    def contradicted(value: float) -> bool:
        epsilon, delta = (value, other) if kind == "epsilon" else (other, value)
        return evidence(counts, epsilon, delta) >= log(1 / alpha)

    if not contradicted(0.0):
        return -inf
    low, high = 0.0, 50.0 if kind == "epsilon" else 1.0
    for _ in range(_STEPS):
        if high - low <= 10.0**-digits * max(high, 1e-3):
            break
        middle = (low + high) / 2
        low, high = (middle, high) if contradicted(middle) else (low, middle)
    return low

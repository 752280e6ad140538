"""The sensitivity of a matrix mechanism over the steps in which a user may take part.

A training of T steps releases C·x + z: row t of x is the sum of the step's clipped gradients, each
of norm at most 1, C is T × T, and z is normal noise of deviation σ.  Without the contributions of
one user, x changes by u_i in the steps i of a pattern π, ‖u_i‖ ≤ 1, so that the release moves by

    sens² = max over π and u of ‖Σ_{i∈π} C e_i ⊗ u_i‖² = max Σ_{i,j∈π} G_ij ⟨u_i, u_j⟩,  G = CᵀC,

and the training is as private as one Gaussian mechanism of μ = sens/σ (Choquette-Choo et al. 2023,
"Multi-epoch matrix factorization mechanisms for private machine learning", arXiv 2211.06530).  If C
is lower triangular, this is true even where gradients depend on earlier outputs (Denisov et al.
2022, arXiv 2202.08312, Theorem 2.1).

* *Above*: |⟨u_i, u_j⟩| ≤ 1, so sens² ≤ max over π of Σ_{i,j∈π} |G_ij| (eq. 5 there).
* *Below*: any pattern, and contributions of ±1 along one line; exactly ‖Σ ±C e_i‖².
* *Toeplitz*: if C is lower triangular and Toeplitz and its column c falls and is ≥ 0, as for prefix
  sums and their square roots, steps 0, b, 2b, … are the worst: for i ≤ j, G_ij = Σ c_s c_(s+j−i)
  over s < T − j falls in j and in j − i, and the a-th step of a user is at least the a-th of these
  (Kalinin and Lampert 2024, arXiv 2405.13763, Theorem 2).

The ends are the same where the signs can make every product of a pattern at least 0, as for C ≥ 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from dpaudit import machine
from dpaudit.errors import DomainError, ParameterError
from dpaudit.questions.account_matrix.gram import Gram, gram_of
from dpaudit.questions.account_matrix.patterns import (
    largest_sum,
    largest_weights,
    most_steps,
    sums_of_fixed,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.questions.account_matrix.strategy import Strategy

__all__ = ["SCHEMAS", "Participation", "Sensitivity", "sensitivity_of"]

SCHEMAS = ("min-sep", "fixed-epoch")
"""Ways in which a user takes part: at least, or exactly, so many steps apart."""

_WORK = 2**31
"""Entries of arrays that are gone through at most: about a minute."""
_ARRAYS = 16  # of T² numbers, at the peak
_SIGNS = 10  # steps whose signs are all tried
_FLIPS = 50
_EXACTLY = 2**21  # products of whole numbers: half a second
_PATTERNS = 64  # patterns that are summed exactly, the largest first


@dataclass(frozen=True)
class Participation:
    """The steps in which one user may take part."""

    most: int
    """k, the largest number of steps."""
    separation: int
    """b: two steps of one user are at least (or, in fixed epochs, exactly) b apart."""
    schema: Literal["min-sep", "fixed-epoch"] = "min-sep"
    """``min-sep`` or ``fixed-epoch``."""


@dataclass(frozen=True)
class Sensitivity:
    """sens², from both sides, with the steps and signs that reach the lower end."""

    lower: Fraction
    upper: Fraction
    pattern: tuple[int, ...]
    """The steps of the user, from 0."""
    signs: tuple[int, ...]
    """The contribution in each of them, 1 or −1 times one direction."""
    method: str
    """The bound from above, as in :class:`~dpaudit.results.MatrixRelease`."""


def sensitivity_of(strategy: Strategy, participation: Participation) -> Sensitivity:
    """Return sens² of a strategy.

    Raises:
        DomainError: if k or b is not from 1 to the number of steps.
        ParameterError: if the schema is unknown, or the work takes more than about a minute.
        TooLargeError: if the memory does not suffice.

    >>> from dpaudit.questions.account_matrix.strategy import read_strategy
    >>> prefix = read_strategy([[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> found = sensitivity_of(prefix, Participation(2, 2))
    >>> found.lower == found.upper == 6, found.pattern
    (True, (0, 2))
    """
    steps, k, b = strategy.steps, participation.most, participation.separation
    for name, number in (("max-participations", k), ("min-sep", b)):
        if not 1 <= number <= steps:
            raise DomainError(name, number, f"must be from 1 to {steps}, the number of steps")
    if participation.schema not in SCHEMAS:
        raise ParameterError(
            "participation",
            f"participation = {participation.schema}: must be one of {', '.join(SCHEMAS)}",
        )
    count = most_steps(steps, k, b)
    if strategy.decreasing:
        first = tuple(range(0, count * b, b))
        exact, signs = _reached(strategy, first, (1,) * count), (1,) * count
        return Sensitivity(exact, exact, first, signs, "toeplitz")
    fixed = participation.schema == "fixed-epoch"
    if steps * steps * count > _WORK or (fixed and steps * count * count > _WORK):
        raise ParameterError(
            "max-participations",
            f"{steps} steps and {count} participations take more than a minute: "
            f"T²·k is above {_WORK}; give fewer participations or a larger --min-sep",
        )
    machine.require(
        machine.INTERPRETER + _ARRAYS * 8 * steps * steps, f"a strategy of {steps} steps"
    )
    gram = gram_of(strategy, count)
    if participation.schema == "fixed-epoch":
        return _fixed(strategy, gram, participation)
    if gram.band <= b or count == 1:
        return _orthogonal(strategy, k, b)
    found = largest_sum(gram.sizes, gram.band, k, b)
    signs = _signs(gram.signed[np.ix_(found.pattern, found.pattern)])
    lower = _reached(strategy, found.pattern, signs)
    return Sensitivity(lower, found.upper * gram.unit, found.pattern, signs, found.method)


def _orthogonal(strategy: Strategy, most: int, separation: int) -> Sensitivity:
    """Return sens² where columns of a pattern are orthogonal, or a pattern has one column."""
    squares = [sum(x * x for x in strategy.column(i).values()) for i in range(strategy.steps)]
    value, pattern = largest_weights(squares, most, separation)
    exact = value * strategy.unit**2
    return Sensitivity(exact, exact, pattern, (1,) * len(pattern), "orthogonal")


def _fixed(strategy: Strategy, gram: Gram, participation: Participation) -> Sensitivity:
    """Return sens² over steps that are exactly b apart, of which there are few patterns."""
    sums = sums_of_fixed(gram.sizes, participation.most, participation.separation)
    lower, upper = Fraction(-1), Fraction(0)
    best: tuple[tuple[int, ...], tuple[int, ...]] = ((0,), (1,))
    for index, (bound, pattern) in enumerate(sums):
        if bound * gram.unit <= lower:
            break
        if index < _PATTERNS:
            signs = _signs(gram.signed[np.ix_(pattern, pattern)])
            value = _reached(strategy, pattern, signs)
            if value > lower:
                lower, best = value, (pattern, signs)
            sharper = bound * gram.unit
            if len(pattern) ** 2 * strategy.steps <= _EXACTLY:
                sharper = min(sharper, _absolute_sum(strategy, pattern))
            upper = max(upper, sharper)
        else:
            upper = max(upper, bound * gram.unit)
    return Sensitivity(lower, max(lower, upper), *best, "patterns")


def _absolute_sum(strategy: Strategy, pattern: tuple[int, ...]) -> Fraction:
    """Return the sum of |G_ij| over a pattern, exactly."""
    columns = [strategy.column(step) for step in pattern]
    total = 0
    for index, column in enumerate(columns):
        total += sum(x * x for x in column.values())
        for other in columns[:index]:
            total += 2 * abs(sum(x * other.get(row, 0) for row, x in column.items()))
    return total * strategy.unit**2


def _reached(strategy: Strategy, pattern: tuple[int, ...], signs: tuple[int, ...]) -> Fraction:
    """Return ‖Σ ±C e_i‖² over a pattern, exactly."""
    total: dict[int, int] = {}
    for step, sign in zip(pattern, signs, strict=True):
        for row, value in strategy.column(step).items():
            total[row] = total.get(row, 0) + sign * value
    return sum(value * value for value in total.values()) * strategy.unit**2


def _signs(products: NDArray[np.float64]) -> tuple[int, ...]:
    """Return signs that make Σ s_i s_j G_ij large: all are tried, or one after the other."""
    count = len(products)
    if (products >= 0).all():
        return (1,) * count
    if count <= _SIGNS:
        tried = np.array([(1, *rest) for rest in product((1, -1), repeat=count - 1)])
        values = ((tried @ products) * tried).sum(axis=1)
        return tuple(tried[int(values.argmax())].tolist())
    signs = np.ones(count)
    for index in range(1, count):
        signs[index] = 1 if signs[:index] @ products[:index, index] >= 0 else -1
    for _ in range(_FLIPS):
        gain = -signs * (products @ signs) + np.diagonal(products)
        if gain.max() <= 0:
            break
        signs[int(gain.argmax())] *= -1
    return tuple((signs * signs[0]).astype(int).tolist())

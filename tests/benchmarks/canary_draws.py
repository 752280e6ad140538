"""Draws of scores and members on which audits by canaries are tried.

Members are independent fair coins.  A null audit has scores that know nothing of them, whatever
else they are: every bound above 0 is a false alarm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

__all__ = ["NULLS", "Draws", "gaussian_draws", "null_draws"]

Draws = tuple["Floats", "Bools"]
"""Scores and members, a row for each audit."""


def _largest_of_many(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Return the largest of fifty normal candidates for each canary."""
    found = rng.normal(size=shape)
    for _ in range(49):
        np.maximum(found, rng.normal(size=shape), out=found)
    return found


NULLS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "ties: normal, rounded to 1/2": lambda rng, shape: np.round(2 * rng.normal(size=shape)) / 2,
    "heavy tails: Cauchy": lambda rng, shape: rng.standard_cauchy(size=shape),
    "largest of 50 candidates": _largest_of_many,
    "place in the list": lambda rng, shape: np.tile(
        np.arange(shape[1], dtype=float), (shape[0], 1)
    ),
    "random walk over the list": lambda rng, shape: np.cumsum(rng.normal(size=shape), axis=1),
}
"""Scores that know nothing of members, by what they are."""


def null_draws(name: str, audits: int, canaries: int, seed: int) -> Draws:
    """Return draws of null audits.

    Args:
        name: a key of :data:`NULLS`.
        audits: how many audits there are.
        canaries: m.
        seed: of the generator, with the other arguments.
    """
    rng = np.random.default_rng([seed, list(NULLS).index(name), canaries])
    member = rng.integers(2, size=(audits, canaries)).astype(bool)
    return NULLS[name](rng, (audits, canaries)), member


def gaussian_draws(mu: float, audits: int, canaries: int, seed: int) -> Draws:
    """Return draws of audits of a μ-GDP training: noise 1, and μ more for a canary that is in."""
    rng = np.random.default_rng([seed, 1000 + round(8 * mu), canaries])
    member = rng.integers(2, size=(audits, canaries)).astype(bool)
    return rng.normal(size=(audits, canaries)) + mu * member, member

"""Realised ε and δ from the definitions, over every pair in both directions and every output.

The parts are re-exported here, so that this module is the whole oracle. Results are mpmath
numbers of `DIGITS` digits: compare them inside `mp.workdps(DIGITS)`.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from mpmath import mp, mpf

from tests.oracles.laws import law, law_for_pair, neglected_mass
from tests.oracles.sensitivity import (
    Counts,
    beta_smooth,
    beta_smoothing_rate,
    gamma_smooth,
    global_sensitivity,
    hamming,
    hellinger,
    histograms,
    local_sensitivity,
    log_beta,
    neighbours,
    quoted_sensitivity,
)
from tests.oracles.setting import DIGITS, Exact, Setting, real

__all__ = [
    "Adjacency",
    "WorstCase",
    "beta_smooth",
    "beta_smoothing_rate",
    "gamma_smooth",
    "global_sensitivity",
    "hamming",
    "hellinger",
    "histograms",
    "law",
    "local_sensitivity",
    "log_beta",
    "losses",
    "neglected_mass",
    "neighbours",
    "ordered_pairs",
    "quoted_sensitivity",
    "realised_delta",
    "realised_epsilon",
]

Adjacency = Literal["substitution", "add-remove"]


class WorstCase(NamedTuple):
    """A largest loss ln(P_x(output) / P_y(output)), with where it occurs; ties are arbitrary."""

    epsilon: mpf
    x: Counts
    y: Counts
    output: Counts


def ordered_pairs(
    setting: Setting, *, at: Counts | None = None, adjacency: Adjacency = "substitution"
) -> Iterator[tuple[Counts, Counts]]:
    """Every neighbouring pair in both directions, or those of them that contain `at`.

    Substitution pairs have size n; add/remove pairs are (c, c + e_i), one of each size n, n + 1.
    """
    for x in histograms(setting.n, setting.k):
        if adjacency == "substitution":
            pairs = [(x, y) for y in neighbours(x)]
        else:
            larger = [y for y in histograms(setting.n + 1, setting.k) if _includes(y, x)]
            pairs = [pair for y in larger for pair in ((x, y), (y, x))]
        yield from (pair for pair in pairs if at is None or at in pair)


def _includes(larger: Counts, smaller: Counts) -> bool:
    return all(b >= a for a, b in zip(smaller, larger, strict=True))


def losses(setting: Setting, x: Counts, y: Counts) -> dict[Counts, mpf]:
    """ln(P_x(r) / P_y(r)) for every output r of x; +∞ where y cannot produce r."""
    p, q = law_for_pair(setting, x, y), law_for_pair(setting, y, x)
    with mp.workdps(DIGITS):
        return {r: mp.log(mass / q[r]) if r in q else mp.inf for r, mass in p.items()}


def realised_epsilon(
    setting: Setting, *, at: Counts | None = None, adjacency: Adjacency = "substitution"
) -> WorstCase:
    """The largest loss over all pairs, directions and outputs; +∞ on a support mismatch."""
    with mp.workdps(DIGITS):
        worst = None
        largest = mpf(0)
        for x, y in ordered_pairs(setting, at=at, adjacency=adjacency):
            q = law_for_pair(setting, y, x)
            for r, mass in law_for_pair(setting, x, y).items():
                ratio = mass / q[r] if r in q else mp.inf
                if ratio > largest:
                    largest, worst = ratio, (x, y, r)
        if worst is None:
            raise ValueError(f"no pair of {setting} contains {at}")
        return WorstCase(mp.log(largest), *worst)


def realised_delta(
    setting: Setting,
    epsilon: Exact | mpf,
    *,
    at: Counts | None = None,
    adjacency: Adjacency = "substitution",
) -> mpf:
    """The maximum over ordered pairs of Σ_r max(P_x(r) − e^ε·P_y(r), 0)."""
    with mp.workdps(DIGITS):
        factor = mp.exp(epsilon if isinstance(epsilon, mpf) else real(epsilon))
        return max(
            _hockey_stick(law_for_pair(setting, x, y), law_for_pair(setting, y, x), factor)
            for x, y in ordered_pairs(setting, at=at, adjacency=adjacency)
        )


def _hockey_stick(p: dict[Counts, mpf], q: dict[Counts, mpf], factor: mpf) -> mpf:
    gains = (mass - factor * q.get(r, mpf(0)) for r, mass in p.items())
    return mp.fsum(gain for gain in gains if gain > 0)

"""All mechanisms of few canaries: linear programs over the law of guesses for each set of members.

No formula of the package is used: the variables are the probabilities of the guesses, and the
constraints are those of (ε, δ)-DP for each canary.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["IN", "NONE", "OUT", "at_least", "guess_vectors", "largest_probability"]

OUT, IN, NONE = 0, 1, 2
Guess = tuple[int, ...]


def guess_vectors(m: int, most: int, kinds: tuple[int, ...] = (OUT, IN)) -> list[Guess]:
    """All vectors of guesses of these kinds about m canaries, with at most so many guesses."""
    return [
        guess
        for guess in product((*kinds, NONE), repeat=m)
        if sum(x != NONE for x in guess) <= most
    ]


def at_least(right: int) -> Callable[[Guess, Guess], bool]:
    """The event that so many guesses are right."""

    def counts(inside: Guess, guess: Guess) -> bool:
        return sum(a == b for a, b in zip(inside, guess, strict=True)) >= right

    return counts


def largest_probability(
    guesses: Sequence[Guess],
    counts: Callable[[Guess, Guess], bool],
    odds: float,
    delta: float,
    *,
    probabilities: Sequence[float] | None = None,
    out_only: bool = False,
    group: int = 1,
) -> float:
    """The largest probability of an event of members and guesses, over all (ln odds, δ)-DP laws.

    Args:
        guesses: the vectors of guesses that may be made.
        counts: tells whether members and guesses are in the event.
        odds: E = e^ε.
        delta: δ.
        probabilities: of each canary to be in; fair coins by default.
        out_only: True if DP bounds a set with a canary by the set without it, and not the reverse.
        group: how many examples a canary consists of; datasets may have some of them.
    """
    m = len(guesses[0])
    chances = [0.5] * m if probabilities is None else list(probabilities)
    # A dataset has some examples of each canary; the coins put all of them in, or none.
    members = list(product(range(group + 1), repeat=m))
    weight = [
        float(
            np.prod([{0: 1 - q, group: q}.get(one, 0.0) for q, one in zip(chances, s, strict=True)])
        )
        for s in members
    ]
    count, size = len(guesses), len(members) * len(guesses)
    places = {inside: place for place, inside in enumerate(members)}
    pairs = [
        (places[inside], places[other])
        for inside in members
        for i in range(m)
        for step in ((-1,) if out_only else (-1, 1))
        for other in [(*inside[:i], inside[i] + step, *inside[i + 1 :])]
        if other in places
    ]
    total = size + len(pairs) * count  # and a positive part for each pair and guess
    objective = np.zeros(total)
    for s, inside in enumerate(members):
        for t, guess in enumerate(guesses):
            if weight[s] and counts(tuple(min(one, IN) for one in inside), guess):
                objective[s * count + t] = -weight[s]
    cells: list[tuple[int, int, float]] = []
    limits: list[float] = []
    for p, (s, other) in enumerate(pairs):
        for t in range(count):
            excess = size + p * count + t
            row = len(limits)
            cells += [(row, s * count + t, 1), (row, other * count + t, -odds), (row, excess, -1)]
            limits.append(0.0)
        cells += [(len(limits), size + p * count + t, 1) for t in range(count)]
        limits.append(delta)
    ones = [(s, s * count + t, 1.0) for s in range(len(members)) for t in range(count)]

    def matrix(entries: Sequence[tuple[int, int, float]], height: int) -> coo_matrix:
        rows, columns, values = zip(*entries, strict=True)
        return coo_matrix((values, (rows, columns)), shape=(height, total)).tocsr()

    found = linprog(
        objective,
        A_ub=matrix(cells, len(limits)),
        b_ub=limits,
        A_eq=matrix(ones, len(members)),
        b_eq=[1.0] * len(members),
        method="highs",
    )
    assert found.success
    return float(-found.fun)

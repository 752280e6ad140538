"""Pairs of laws in tables of floats that may hold a maximum, or be the worst at some ε."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.numbers.ball import precision
from dpaudit.numbers.floats import LARGEST_EPSILON, SLACK, UNIT, NotRounded, rounded
from dpaudit.screens.bounds import Best, Bound, NotScreened
from dpaudit.screens.curves import worst_somewhere
from dpaudit.screens.tables import FloatTables, PairChunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = ["candidate_pairs", "curve_candidates"]


def candidate_pairs(
    tables: FloatTables,
    chunks: Iterable[PairChunk],
    bounds: Iterable[Bound],
    progress: Callable[[int], None] = lambda pairs: None,
) -> list[Best]:
    """Return the pairs that may hold the largest value of what is bounded, for each of ``bounds``.

    ``progress`` is told how many pairs have been looked at since its last call.
    """
    wanted = [(bound, _limits(bound), Best()) for bound in bounds]
    for chunk in chunks:
        difference = tables.differences(chunk)
        # NaN stands where neither law has the output, which is passed over.
        highest, lowest = (np.maximum, np.minimum) if tables.full else (np.fmax, np.fmin)
        loss = np.maximum(highest.reduce(difference, axis=0), -lowest.reduce(difference, axis=0))
        error = (tables.log_error[chunk.left] + tables.log_error[chunk.right]) * SLACK
        upper: Floats = np.nextafter(loss + error, np.inf)
        for bound, (limit, factor), best in wanted:
            if bound.name == "loss":
                best.reaches(np.nextafter(loss - error, -np.inf))
                _keep_losses(tables, chunk, best, difference=difference, error=error, upper=upper)
            elif bound.name == "delta":
                above = np.flatnonzero(upper >= limit)
                part = PairChunk(0, chunk.left[above], chunk.right[above])
                delta = None if factor is None else tables.deltas(part, factor)
                _keep(tables, part, chunk.first + above, best, found=delta, at_most=None)
            else:
                found, at_most = _found(bound.name, tables, chunk, difference, upper)
                numbers = chunk.first + np.arange(len(chunk.left))
                _keep(tables, chunk, numbers, best, found=found, at_most=at_most)
        progress(len(chunk.left))
    return [best for _, _, best in wanted]


def _limits(bound: Bound) -> tuple[float, float | None]:
    return _exponential(bound.at) if bound.name == "delta" else (0.0, None)


def _found(
    name: str, tables: FloatTables, chunk: PairChunk, difference: Floats, loss: Floats
) -> tuple[tuple[Floats, Floats], Floats | None]:
    """Return a number of every pair with its error, and its upper bound where that is another."""
    if name == "renyi":
        return tables.moments(chunk), None
    if name == "gdp":  # y(15 + y²)/(15 + 6y²) ≥ tanh y, a convergent of Lambert's fraction
        y = loss / 2
        with np.errstate(invalid="ignore"):
            ratio = np.where(y < 1e3, y * (15 + y * y) / (15 + 6 * y * y), 1.0)
        return tables.deltas(chunk, 1.0), np.minimum(ratio * SLACK, 1.0)
    found = tables.kullback_leibler(chunk, difference)
    return found, loss * loss / 2 * SLACK if name == "zcdp" else None


def curve_candidates(
    tables: FloatTables, chunks: Iterable[PairChunk], progress: Callable[[int], None]
) -> list[int]:
    """Return the numbers of the pairs that may be the worst at some ε ≥ 0, in increasing order.

    Raises ``NotScreened`` where probabilities are too uncertain to be known relatively.
    """
    tables.number()
    numbers: list[int] = []
    ends: list[tuple[int, int]] = []
    seen: set[bytes] = set()
    for chunk in chunks:
        pairs = zip(chunk.left.tolist(), chunk.right.tolist(), strict=True)
        fresh = 0
        for place, (pair, pattern) in enumerate(zip(pairs, tables.patterns(chunk), strict=True)):
            if pattern not in seen:
                seen.add(pattern)
                numbers.append(chunk.first + place)
                ends.append(pair)
                fresh += 1
        progress(len(chunk.left) - fresh)
    eta = SLACK * (tables.relative_error + (len(tables.logs) + 24) * UNIT)
    doubt = 4 * float(tables.log_error.max())
    left = worst_somewhere(tables.losses_sorted, ends, eta, doubt, progress)
    return [numbers[place] for place in left]


def _exponential(epsilon: Any) -> tuple[float, float | None]:
    """Return ε from a little below, and e^ε to within 2.01u; None where that is too large."""
    limit = float(epsilon)
    # The nearest float may lie above ε.
    limit -= abs(limit) * 1e-15
    if limit > LARGEST_EPSILON:
        return limit, None
    try:
        with precision(128):
            return limit, rounded(epsilon.ball().exp())
    except NotRounded as reason:
        raise NotScreened(str(reason)) from None


def _keep_losses(
    tables: FloatTables,
    chunk: PairChunk,
    best: Best,
    *,
    difference: Floats,
    error: Floats,
    upper: Floats,
) -> None:
    """Keep the pairs that may have the largest loss."""
    places = np.flatnonzero(upper >= best.lower)
    if not len(places):
        return
    part = PairChunk(0, chunk.left[places], chunk.right[places])
    # Every loss that may be the largest, as far as errors tell.
    level = best.lower - 2 * SLACK * error[places]
    here = difference[:, places]
    pairs, ties = tables.ties(part, (here >= level, here <= -level))
    found, first = np.unique(ties, return_index=True)
    new = {
        int(places[pairs[place]])
        for tie, place in zip(found.tolist(), first.tolist(), strict=True)
        if tie not in best.seen
    }
    best.seen.update(found.tolist())
    for place in sorted(new):
        best.kept[chunk.first + place] = float(upper[place])


def _keep(
    tables: FloatTables,
    part: PairChunk,
    numbers: Whole,
    best: Best,
    *,
    found: tuple[Floats, Floats] | None,
    at_most: Floats | None,
) -> None:
    """Keep the pairs that may have the largest value, which ``numbers`` says the numbers of.

    Args:
        tables: the laws.
        part: the pairs.
        numbers: their numbers.
        best: what was kept before.
        found: a number of each and its error; None where nothing is known.
        at_most: what each is at most, where that does not follow.
    """
    if not len(numbers):
        return
    upper = np.full(len(numbers), np.inf) if at_most is None else at_most
    if found is not None:
        value, error = found
        best.reaches(np.nextafter(value - error, -np.inf))
        if at_most is None:
            upper = np.nextafter(value + error, np.inf)
    places = np.flatnonzero(upper >= best.lower)
    if not len(places):
        return
    chosen = PairChunk(0, part.left[places], part.right[places])
    for place, pattern in zip(places.tolist(), tables.patterns(chosen), strict=True):
        if pattern not in best.seen:
            best.seen.add(pattern)
            best.kept[int(numbers[place])] = float(upper[place])

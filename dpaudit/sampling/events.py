"""Events: sets of outputs, learned on one part of the draws.

An event is a half-line of a feature, or a set of values or intervals that looked more probable on
one side.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.sampling.features import Feature, features_of, many_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dpaudit.sampling.batches import Batch

__all__ = ["LEVELS", "Event", "HalfLine", "OneOf", "Tallied", "candidates"]

_MOST_VALUES = 4096
_BINS = 64
_ENDS = (1, 2, 4, -1, -2, -4)
"""Numbers of first characters of a text that are compared; of last ones if negative."""
LEVELS = np.concatenate(
    [[0.0005, 0.001, 0.002, 0.005], np.linspace(0.01, 0.99, 50), [0.995, 0.998, 0.999, 0.9995]]
)


@dataclass(frozen=True)
class HalfLine:
    """The outputs whose feature is at least, or at most, a number."""

    feature: Feature
    bound: float
    above: bool
    scalar: bool

    def contains(self, batch: Batch) -> NDArray[np.bool_]:
        """Tell which outputs are in it."""
        values = self.feature(batch)
        return values >= self.bound if self.above else values <= self.bound

    def within(self, ordered: NDArray[np.float64]) -> int:
        """Return how many values of the feature, in order, are in it."""
        if self.above:
            return len(ordered) - int(np.searchsorted(ordered, self.bound, "left"))
        return int(np.searchsorted(ordered, self.bound, "right"))

    def words(self) -> str:
        """Return what it is, with the number as it reads back."""
        sign = "≥" if self.above else "≤"
        return f"{self.feature.words(scalar=self.scalar)} {sign} {self.bound!r}"


@dataclass(frozen=True)
class OneOf:
    """The outputs that are one of some values, or whose feature is in one of some intervals."""

    values: frozenset[Any]
    feature: Feature | None = None
    patterns: bool = False
    """True if numbers are removed from the outputs before they are compared."""
    edges: tuple[float, ...] = ()
    """Of intervals: their ends; interval i lies from the end i − 1 up to before the end i."""
    scalar: bool = True
    end: int = 0
    """Number of first characters of a text that are compared; of last ones if below 0."""

    def contains(self, batch: Batch) -> NDArray[np.bool_]:
        """Tell which outputs are in it."""
        if self.feature is None:
            few, places = batch, None
            if batch.values is None and not (self.patterns or self.end):
                few, places = batch.distinct
            keys = _keys(few, patterns=self.patterns, end=self.end)
            inside = np.array([key in self.values for key in keys], dtype=bool)
            return inside if places is None else inside[places]
        chosen = np.zeros(len(self.edges) + 1, dtype=bool)
        chosen[list(self.values)] = True
        values = self.feature(batch)
        flags: NDArray[np.bool_] = chosen[np.searchsorted(self.edges, values, "right")]
        return flags & ~np.isnan(values)

    def within(self, ordered: NDArray[np.float64]) -> int:
        """Return how many values of the feature, in order, are in it."""
        ends = np.searchsorted(ordered, self.edges, "left")
        sizes = np.diff(np.concatenate([[0], ends, [len(ordered)]]))
        return int(sizes[list(self.values)].sum())

    def words(self) -> str:
        """Return what it is."""
        if self.feature is None:
            what = "the output without its numbers is" if self.patterns else "the output is"
            if self.end:
                what = f"the text {'begins' if self.end > 0 else 'ends'} with"
            texts = sorted(map(repr, self.values))
            return f"{what} {'one of ' * (len(texts) > 1)}{', '.join(texts)}"
        ends = (float("-inf"), *self.edges, float("inf"))
        runs: list[list[int]] = []
        for part in sorted(self.values):
            if runs and runs[-1][1] == part:
                runs[-1][1] = part + 1
            else:
                runs.append([part, part + 1])
        intervals = " or ".join(f"[{ends[low]!r}, {ends[high]!r})" for low, high in runs)
        return f"{self.feature.words(scalar=self.scalar)} in {intervals}"


Event = HalfLine | OneOf


def _keys(batch: Batch, *, patterns: bool, end: int) -> Sequence[Any]:
    """Return what is compared of each output."""
    if end:
        part = slice(end) if end > 0 else slice(end, None)
        return [words[part] for words in batch.texts]
    return batch.patterns if patterns else batch.keys


@dataclass
class Tallied:
    """Some outputs, of which every feature is computed and sorted once."""

    batch: Batch
    ordered: dict[Feature, NDArray[np.float64]] = field(default_factory=dict)
    counts: dict[tuple[bool, int], Counter[Any]] = field(default_factory=dict)

    def __call__(self, events: Sequence[Event]) -> NDArray[np.float64]:
        """Return how many of the outputs are in each event."""
        return np.array([self._count(event) for event in events], dtype=float)

    def _count(self, event: Event) -> int:
        if event.feature is None:
            kind = event.patterns, event.end
            if kind not in self.counts:
                keys = _keys(self.batch, patterns=event.patterns, end=event.end)
                self.counts[kind] = Counter(keys)
            return sum(self.counts[kind][value] for value in event.values)
        if event.feature not in self.ordered:
            values = event.feature(self.batch)
            self.ordered[event.feature] = np.sort(values[~np.isnan(values)])
        return event.within(self.ordered[event.feature])


def candidates(first: Batch, second: Batch) -> Iterator[Event]:
    """Yield events that look more probable on the first side than on the second."""
    scalar = first.scalar
    for feature in [*features_of(first), *_scores(first, second)]:
        x, y = feature(first), feature(second)
        both = np.concatenate([x, y])
        both = both[~np.isnan(both)]
        if not len(both):
            continue
        bounds = np.unique(np.quantile(both, LEVELS, method="inverted_cdf"))
        for bound in bounds:
            yield HalfLine(feature, float(bound), True, scalar)
            yield HalfLine(feature, float(bound), False, scalar)
        if len(bounds) > 3:
            inner = np.linspace(0, 1, _BINS + 1)[1:-1]
            edges = np.unique(np.quantile(both, inner, method="inverted_cdf"))
            counts = [
                np.bincount(
                    np.searchsorted(edges, s[~np.isnan(s)], "right"), minlength=len(edges) + 1
                )
                for s in (x, y)
            ]
            ends = tuple(map(float, edges))
            for chosen in _prefixes(counts[0], counts[1]):
                parts = frozenset(map(int, chosen))
                yield OneOf(parts, feature, edges=ends, scalar=scalar)
    yield from _values(first, second)
    if first.values is not None:
        yield from _values(first, second, patterns=True)
        for end in _ENDS if many_texts(first) else ():
            yield from _values(first, second, end=end)


def _values(
    first: Batch, second: Batch, *, patterns: bool = False, end: int = 0
) -> Iterator[OneOf]:
    """Yield sets of values, where there are few enough to have been seen repeatedly."""
    sides = []
    for batch in (first, second):
        counts = Counter(_keys(batch, patterns=patterns, end=end))
        if len(counts) > _MOST_VALUES:
            return
        sides.append(counts)
    keys = list(dict.fromkeys([*sides[0], *sides[1]]))
    x, y = (np.array([side.get(key, 0) for key in keys]) for side in sides)
    for chosen in _prefixes(x, y):
        yield OneOf(frozenset(keys[index] for index in chosen), patterns=patterns, end=end)


def _prefixes(x: NDArray[np.int64], y: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the sets of the first few parts, those that the first side has more often before."""
    # Half a count more, so that a side without the output has a finite ratio.
    order = np.argsort(-(x + 0.5) / (y + 0.5), kind="stable")
    order = order[(x + y)[order] > 0]
    if not len(order):
        return
    for length in np.unique(np.geomspace(1, max(1, len(order) - 1), 48).astype(int)):
        yield order[:length]


@np.errstate(over="ignore", invalid="ignore")
def _scores(first: Batch, second: Batch) -> list[Feature]:
    """Return linear scores that tell the sides apart: Fisher's, and signs of the differences."""
    x, y = first.numbers, second.numbers
    if x.shape != y.shape or x.shape[1] < 2 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return []
    gap = x.mean(axis=0) - y.mean(axis=0)
    spread = np.cov(np.concatenate([x - x.mean(axis=0), y - y.mean(axis=0)]).T)
    # Kept invertible where entries are constant or depend on each other.
    spread += np.eye(len(gap)) * (1e-9 + 1e-6 * np.trace(spread) / len(gap))
    if not (np.isfinite(gap).all() and np.isfinite(spread).all()):
        return []
    weights = np.linalg.solve(spread, gap)
    signs = [np.sign(gap)] if np.sign(gap).any() else []
    return [Feature("score", weights=tuple(map(float, vector))) for vector in (weights, *signs)]

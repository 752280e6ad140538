"""Events: sets of outputs that a few numbers tell apart, learned on one part of the draws.

A *feature* is a number of an output, or the output itself where there are few.  An event is a
half-line of a feature, or a set of values or intervals that looked more probable on one side.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.sampling.outputs import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dpaudit.sampling.draws import Batch

__all__ = ["Event", "Feature", "HalfLine", "OneOf", "Tallied", "candidates", "features_of"]

_MOST_VALUES = 4096
_BINS = 64
_DIVIDED = 8
"""How many of the first entries are divided by 2."""
_ENDS = (1, 2, 4, -1, -2, -4)
"""How many of the first, or last, characters of a text are compared."""
_BITS = 53
_LEVELS = np.concatenate(
    [[0.0005, 0.001, 0.002, 0.005], np.linspace(0.01, 0.99, 50), [0.995, 0.998, 0.999, 0.9995]]
)


def _trailing_zeros(batch: Batch) -> NDArray[np.float64]:
    """Return how many last bits of the first number are 0: on which lattice it lies."""
    bits = np.ascontiguousarray(batch.numbers[:, 0]).view(np.uint64)
    lowest = bits & (~bits + np.uint64(1))
    found = np.log2(np.maximum(lowest, np.uint64(1)).astype(np.float64))
    return np.where(np.isnan(batch.numbers[:, 0]), np.nan, found)


def _twos(batch: Batch, index: int) -> NDArray[np.float64]:
    """Return how often 2 divides an entry, exactly; below 0 for fractions, inf for 0."""
    numbers = _numbers(batch, index + 1)[:, index]
    known = np.isfinite(numbers) & (numbers != 0)
    parts, exponents = np.frexp(np.where(known, numbers, 1.0))
    whole = np.ldexp(parts, _BITS).astype(np.int64)
    found = np.log2((whole & -whole).astype(np.float64)) + exponents - _BITS
    found = np.where(known, found, np.where(numbers == 0, np.inf, np.nan))
    if batch.values is not None:  # of whole numbers that no float is
        for row in np.flatnonzero(np.abs(numbers) >= 2.0**_BITS):
            entry = leaves(batch.values[row])[index]
            if isinstance(entry, int):
                found[row] = (entry & -entry).bit_length() - 1
    return found


def _lengths(batch: Batch) -> NDArray[np.float64]:
    if batch.values is None:
        return np.full(len(batch), -1.0 if batch.scalar else batch.numbers.shape[1])
    return np.array([len(v) if hasattr(v, "__len__") else -1 for v in batch.values], dtype=float)


def _numbers(batch: Batch, width: int = 0) -> NDArray[np.float64]:
    """Return the numbers, so ``width`` that no output of another call was wider."""
    lacking = width - batch.numbers.shape[1]
    if lacking <= 0:
        return batch.numbers
    return np.pad(batch.numbers, ((0, 0), (0, lacking)), constant_values=np.nan)


def _place(values: NDArray[np.float64], *, largest: bool) -> NDArray[np.float64]:
    """Return where the extreme number of each line is; what is no number is never it."""
    filled = np.where(np.isnan(values), -np.inf if largest else np.inf, values)
    found = filled.argmax(axis=1) if largest else filled.argmin(axis=1)
    place: NDArray[np.float64] = found.astype(np.float64)
    return place


_KINDS: dict[str, tuple[str, Callable[[Batch], NDArray[np.float64]]]] = {
    "sum": ("the sum of the numbers", lambda batch: np.nansum(_numbers(batch), axis=1)),
    "largest": ("the largest entry", lambda batch: np.fmax.reduce(_numbers(batch), axis=1)),
    "smallest": ("the smallest entry", lambda batch: np.fmin.reduce(_numbers(batch), axis=1)),
    "place of the largest": (
        "the place of the largest entry (from 0)",
        lambda batch: _place(_numbers(batch), largest=True),
    ),
    "place of the smallest": (
        "the place of the smallest entry (from 0)",
        lambda batch: _place(_numbers(batch), largest=False),
    ),
    "zeros": ("the number of zeros", lambda batch: (_numbers(batch) == 0).sum(axis=1) * 1.0),
    "last bits": ("the number of last bits that are 0", _trailing_zeros),
    "length": ("the length", _lengths),
}
"""Features that need nothing but the outputs: what each is called, and how it is computed."""


@dataclass(frozen=True)
class Feature:
    """A number of an output."""

    kind: str
    """``coordinate``, ``twos``, ``score``, or one of those that need nothing more."""
    index: int = 0
    """Which coordinate."""
    weights: tuple[float, ...] = ()
    """Of a score: one for each coordinate."""

    @np.errstate(over="ignore", invalid="ignore")  # where floats end
    def __call__(self, batch: Batch) -> NDArray[np.float64]:
        """Return the feature of every output, whatever the others are."""
        if self.kind == "coordinate":
            return _numbers(batch, self.index + 1)[:, self.index]
        if self.kind == "twos":
            return _twos(batch, self.index)
        if self.kind == "score":
            numbers = _numbers(batch, len(self.weights))[:, : len(self.weights)]
            score: NDArray[np.float64] = numbers @ np.array(self.weights)
            return score
        return _KINDS[self.kind][1](batch)

    def words(self, *, scalar: bool) -> str:
        """Return what it is called."""
        if self.kind in ("coordinate", "twos"):
            often = "how often 2 divides " * (self.kind == "twos")
            return often + ("the output" if scalar else f"entry {self.index + 1}")
        if self.kind == "score":
            parts = [f"{w:+.4g}·x{i + 1}" for i, w in enumerate(self.weights) if w]
            return "the score " + " ".join(parts)
        return _KINDS[self.kind][0]


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
    """Whether numbers are left out of the outputs before they are compared."""
    edges: tuple[float, ...] = ()
    """Of intervals: their ends; interval i lies from the end i − 1 up to before the end i."""
    scalar: bool = True
    end: int = 0
    """How many first characters of a text are compared, or last ones if it is below 0."""

    def contains(self, batch: Batch) -> NDArray[np.bool_]:
        """Tell which outputs are in it."""
        if self.feature is None:
            keys = _keys(batch, patterns=self.patterns, end=self.end)
            return np.array([key in self.values for key in keys], dtype=bool)
        chosen = np.zeros(len(self.edges) + 1, dtype=bool)
        chosen[list(self.values)] = True
        values = self.feature(batch)
        found: NDArray[np.bool_] = chosen[np.searchsorted(self.edges, values, "right")]
        return found & ~np.isnan(values)

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
            shown = sorted(map(repr, self.values))
            return f"{what} {'one of ' * (len(shown) > 1)}{', '.join(shown)}"
        ends = (float("-inf"), *self.edges, float("inf"))
        runs: list[list[int]] = []
        for part in sorted(self.values):
            if runs and runs[-1][1] == part:
                runs[-1][1] = part + 1
            else:
                runs.append([part, part + 1])
        told = " or ".join(f"[{ends[low]!r}, {ends[high]!r})" for low, high in runs)
        return f"{self.feature.words(scalar=self.scalar)} in {told}"


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


def features_of(batch: Batch) -> list[Feature]:
    """Return the features that outputs like these have."""
    count = batch.numbers.shape[1]
    found = [Feature("coordinate", index) for index in range(count)]
    found += [Feature("twos", i) for i in range(min(count, _DIVIDED)) if _many_whole(batch, i)]
    if batch.values is not None and (not batch.scalar or _many_texts(batch)):
        found.append(Feature("length"))
    if batch.scalar:
        return [*found, Feature("last bits")]
    kinds = ("sum", "largest", "smallest", "place of the largest", "place of the smallest", "zeros")
    return [*found, *(Feature(kind) for kind in kinds)]


def _many_whole(batch: Batch, index: int) -> bool:
    """Tell whether an entry is a whole number, and too many ones for each to be seen often."""
    numbers = batch.numbers[:, index]
    numbers = numbers[~np.isnan(numbers)]
    many = len(np.unique(numbers)) > min(_BINS, len(batch) // 2) or np.isinf(numbers).any()
    return bool(many and (np.floor(numbers) == numbers).all())


def _many_texts(batch: Batch) -> bool:
    """Tell whether outputs are more than floats, and are too many in the same way."""
    many = min(_BINS, len(batch) // 2)
    return not np.isfinite(batch.numbers).all() and len(set(batch.keys)) > many


def candidates(first: Batch, second: Batch) -> Iterator[Event]:
    """Yield events that look more probable on the first side than on the second."""
    scalar = first.scalar
    for feature in [*features_of(first), *_scores(first, second)]:
        x, y = feature(first), feature(second)
        both = np.concatenate([x, y])
        both = both[~np.isnan(both)]
        if not len(both):
            continue
        bounds = np.unique(np.quantile(both, _LEVELS, method="inverted_cdf"))
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
        for end in _ENDS if _many_texts(first) else ():
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
    spread += np.eye(len(gap)) * (1e-9 + 1e-6 * np.trace(spread) / len(gap))
    if not (np.isfinite(gap).all() and np.isfinite(spread).all()):
        return []
    weights = np.linalg.solve(spread, gap)
    signs = [np.sign(gap)] if np.sign(gap).any() else []
    return [Feature("score", weights=tuple(map(float, one))) for one in (weights, *signs)]

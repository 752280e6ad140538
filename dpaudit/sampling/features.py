"""Features: numbers of an output, by which events tell outputs apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.sampling.outputs import leaves

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from dpaudit.sampling.batches import Batch

__all__ = ["Feature", "Part", "features_of", "many_texts"]

_DIVIDED = 8
"""Largest number of first entries whose exponent of 2 is a feature."""
_BITS = 53
_BINS = 64
"""Of fewer values each is seen often."""


def _trailing_zeros(batch: Batch) -> NDArray[np.float64]:
    """Return how many last bits of the first number are 0: on which lattice it lies."""
    bits = np.ascontiguousarray(batch.numbers[:, 0]).view(np.uint64)
    lowest = bits & (~bits + np.uint64(1))
    zeros = np.log2(np.maximum(lowest, np.uint64(1)).astype(np.float64))
    return np.where(np.isnan(batch.numbers[:, 0]), np.nan, zeros)


def _twos(batch: Batch, index: int) -> NDArray[np.float64]:
    """Return how often 2 divides an entry, exactly; below 0 for fractions, inf for 0."""
    numbers = _numbers(batch, index + 1)[:, index]
    nonzero = np.isfinite(numbers) & (numbers != 0)
    parts, exponents = np.frexp(np.where(nonzero, numbers, 1.0))
    # 53 bits hold the fraction of every float exactly.
    whole = np.ldexp(parts, _BITS).astype(np.int64)
    powers = np.log2((whole & -whole).astype(np.float64)) + exponents - _BITS
    powers = np.where(nonzero, powers, np.where(numbers == 0, np.inf, np.nan))
    if batch.values is not None:  # of whole numbers that no float is
        for row in np.flatnonzero(np.abs(numbers) >= 2.0**_BITS):
            entry = leaves(batch.values[row])[index]
            if isinstance(entry, int):
                powers[row] = (entry & -entry).bit_length() - 1
    return powers


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
    places = filled.argmax(axis=1) if largest else filled.argmin(axis=1)
    place: NDArray[np.float64] = places.astype(np.float64)
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
class Part:
    """Contribution of one feature to a learned score, by the interval in which it lies."""

    feature: Feature
    edges: tuple[float, ...]
    """The ends of the intervals; interval i lies from the end i − 1 up to before the end i."""
    weights: tuple[float, ...]
    """Of each interval, and of what is no number; multiples of 2⁻²⁰, so that sums are exact."""

    def __call__(self, batch: Batch) -> NDArray[np.float64]:
        """Return the contribution to the score of each output."""
        values = self.feature(batch)
        places = np.searchsorted(self.edges, values, "right")
        places[np.isnan(values)] = len(self.edges) + 1
        gains: NDArray[np.float64] = np.array(self.weights)[places]
        return gains


@dataclass(frozen=True)
class Feature:
    """A number of an output."""

    kind: str
    """``coordinate``, ``step``, ``twos``, ``score``, ``learned``, or one that needs no more."""
    index: int = 0
    """Index of the coordinate."""
    weights: tuple[float, ...] = ()
    """Of a score: one for each coordinate."""
    parts: tuple[Part, ...] = ()
    """Of a learned score."""

    @np.errstate(over="ignore", invalid="ignore")  # where floats end
    def __call__(self, batch: Batch) -> NDArray[np.float64]:
        """Return the feature of every output, whatever the others are."""
        if self.kind == "coordinate":
            return _numbers(batch, self.index + 1)[:, self.index]
        if self.kind == "step":
            numbers = _numbers(batch, self.index + 2)
            step: NDArray[np.float64] = numbers[:, self.index + 1] - numbers[:, self.index]
            return step
        if self.kind == "twos":
            return _twos(batch, self.index)
        if self.kind == "learned":
            total = np.zeros(len(batch))
            for part in self.parts:
                total += part(batch)
            return total
        if self.kind == "score":
            numbers = _numbers(batch, len(self.weights))[:, : len(self.weights)]
            score: NDArray[np.float64] = numbers @ np.array(self.weights)
            return score
        return _KINDS[self.kind][1](batch)

    def words(self, *, scalar: bool) -> str:
        """Return the name of the feature."""
        if self.kind in ("coordinate", "twos"):
            often = "how often 2 divides " * (self.kind == "twos")
            return often + ("the output" if scalar else f"entry {self.index + 1}")
        if self.kind == "step":
            return f"entry {self.index + 2} less entry {self.index + 1}"
        if self.kind == "learned":
            return f"the score of a logistic regression on {self._made_of(scalar=scalar)}"
        if self.kind == "score":
            parts = [f"{w:+.4g}·x{i + 1}" for i, w in enumerate(self.weights) if w]
            return "the score " + " ".join(parts)
        return _KINDS[self.kind][0]

    def _made_of(self, *, scalar: bool) -> str:
        """Return what a learned score is made of; entries and steps, of which many are, by kind."""
        kinds = {"coordinate": "the entries", "step": "the steps between entries"}
        names = {
            kinds[part.feature.kind]
            if part.feature.kind in kinds and not scalar
            else part.feature.words(scalar=scalar): None
            for part in self.parts
        }
        *most, last = names
        return f"{', '.join(most)} and {last}" if most else last


def features_of(batch: Batch) -> list[Feature]:
    """Return the features that outputs like these have."""
    count = batch.numbers.shape[1]
    features = [Feature("coordinate", index) for index in range(count)]
    features += [Feature("twos", i) for i in range(min(count, _DIVIDED)) if _many_whole(batch, i)]
    if batch.values is not None and (not batch.scalar or many_texts(batch)):
        features.append(Feature("length"))
    if batch.scalar:
        return [*features, Feature("last bits")]
    kinds = ("sum", "largest", "smallest", "place of the largest", "place of the smallest", "zeros")
    return [*features, *(Feature(kind) for kind in kinds)]


def _many_whole(batch: Batch, index: int) -> bool:
    """Tell whether an entry is a whole number, and too many ones for each to be seen often."""
    numbers = batch.numbers[:, index]
    numbers = numbers[~np.isnan(numbers)]
    many = len(np.unique(numbers)) > min(_BINS, len(batch) // 2) or np.isinf(numbers).any()
    return bool(many and (np.floor(numbers) == numbers).all())


def many_texts(batch: Batch) -> bool:
    """Tell whether outputs are more than floats, and are too many in the same way."""
    many = min(_BINS, len(batch) // 2)
    return not np.isfinite(batch.numbers).all() and len(set(batch.keys)) > many

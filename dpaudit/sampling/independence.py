"""Tests that draws are as good as independent: counts are binomial only if they are.

No test can show that they are.  What these refuse has a probability far below 10⁻⁹ for draws that
are, and shows in the one thing that is counted:

* draws of one call that are alike: how often an output comes varies more from call to call than
  from draw to draw;
* draws that follow from those before: the event comes after itself, at some distance, more often or
  more rarely than it comes;
* chunks of draws, each of a call of its own, that differ more than chance, or of which one has far
  more of the event than its part.

What is left to assume: draws that depend as they are drawn from are no more alike within a call
than these tell, and calls are independent of each other.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpaudit.errors import LawError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "LEAST_CHUNKS",
    "ChunkCount",
    "Echoes",
    "Repeats",
    "check_calls",
    "check_chunks",
    "echo",
    "is_digest",
]

_FAR = 12.0
"""So many standard deviations are no chance."""
_LEAST_SHARE = 0.05
"""Of rarer events, or their opposites, too few come after themselves to tell."""
_LEAST_DRAWS = 1000
_TOGETHER = 1 << 15
"""So many draws are looked at together for events that come after themselves."""
LEAST_CHUNKS = 32
"""Least number of calls that counted draws come from."""
_APART = 8.0
_EXPECTED = 5.0
_DIGITS = 24
"""So many hexadecimal digits of a digest tell it from all others."""
_HASHED = re.compile(rf"[0-9a-f]{{{_DIGITS}}}")
_UNLIKELY = 60.0
"""Events of probability below e^−60 are no coincidence: this is minus the logarithm."""


class ChunkCount(NamedTuple):
    """Number of draws of a chunk, and of those in an event."""

    draws: int
    inside: int
    """Number of draws in the event."""


class Repeated(NamedTuple):
    """A chunk that was drawn once more."""

    where: str
    alone: bool
    """True if this repetition alone is no coincidence, not only all so far together."""


@dataclass
class Repeats:
    """Chunks of draws that were drawn before, one by one."""

    digests: dict[str, str] = field(default_factory=dict)
    """The chunk in which each digest was first met."""
    evidence: float = 0.0
    """Minus the log of the probability of all repetitions so far, at most."""

    def add(self, digests: Sequence[tuple[str, float]], here: str) -> Repeated | None:
        """Return which chunk a new one repeats, where that is no coincidence.

        Args:
            digests: of the first draws and of all, each with minus the log of its probability.
            here: what the chunk is called.
        """
        prefixes = [(digest[:_DIGITS], surprise) for digest, surprise in digests]
        repeated = [
            (surprise, self.digests[digest])
            for digest, surprise in prefixes
            if digest in self.digests
        ]
        for digest, _ in prefixes:
            self.digests.setdefault(digest, here)
        surprise, before = max(repeated, default=(0.0, ""))
        # Of N chunks two are those, in at most N² ways.
        self.evidence += max(surprise - 2 * log(len(self.digests) + 1), 0.0)
        if max(surprise, self.evidence) <= _UNLIKELY or not before:
            return None
        return Repeated(before, surprise > _UNLIKELY)


@dataclass
class Echoes:
    """The draws of one side in order, looked at together as soon as there are enough."""

    name: str
    dataset: object
    waiting: list[NDArray[np.bool_]] = field(default_factory=list)
    draws: int = 0

    def add(self, inside: NDArray[np.bool_]) -> None:
        """Take what a chunk says of the event; ``LawError`` for draws that depend."""
        self.waiting.append(inside)
        self.draws += len(inside)
        if self.draws >= _TOGETHER:
            self.end()

    def end(self) -> None:
        """Look at those that are left, for the last time; ``LawError`` for draws that depend."""
        self.look()
        self.waiting, self.draws = [], 0

    def look(self) -> None:
        """Look at those that are there; ``LawError`` for draws that depend."""
        if self.waiting and echo(np.concatenate(self.waiting)) > _FAR:
            raise _dependent(
                self.name, self.dataset, "an event follows itself too often, or too rarely"
            )


def echo(inside: NDArray[np.bool_]) -> float:
    """Return by how many standard deviations an event comes after itself too often, or rarely.

    That is the most at any distance; 0 where too few draws tell.
    """
    draws, count = len(inside), int(inside.sum())
    share = count / max(draws, 1)
    if draws < _LEAST_DRAWS or not _LEAST_SHARE <= share <= 1 - _LEAST_SHARE:
        return 0.0
    spectrum = np.fft.rfft((inside - share) / sqrt(share * (1 - share)))
    after = np.fft.irfft(np.abs(spectrum) ** 2, draws)[1:]
    # The values are centred, so that each distance expects −1.
    return float(np.abs(after + 1).max()) / sqrt(draws)


def is_digest(value: Any) -> bool:
    """Tell whether something is a digest as it is kept."""
    return isinstance(value, str) and bool(_HASHED.fullmatch(value))


def check_chunks(name: str, dataset: object, chunks: Sequence[ChunkCount]) -> int:
    """Return how often the event was seen in all; ``LawError`` for chunks that differ too much."""
    if _too_far_apart(chunks) or _too_much_in_one(chunks):
        raise _dependent(name, dataset, "chunks of draws differ more than chance allows")
    return sum(chunk.inside for chunk in chunks)


def check_calls(name: str, dataset: object, calls: Sequence[Sequence[Hashable]]) -> None:
    """Refuse outputs of several calls that are alike within a call and differ between calls.

    Raises:
        LawError: for these.
    """
    every = [output for call in calls for output in call]
    (common, times), *_ = Counter(every).most_common(1)
    inside = [[output == common for output in call] for call in calls]
    if times == 1:  # outputs do not repeat: look at which side of the middle they are
        middle = sorted(every, key=repr)[len(every) // 2]
        inside = [[repr(output) < repr(middle) for output in call] for call in calls]
    if _too_far_apart([(len(call), sum(call)) for call in inside]):
        raise _dependent(name, dataset, "the draws of one call resemble each other")


def _too_far_apart(parts: Sequence[tuple[int, int]]) -> bool:
    """Tell whether counts of parts differ more than chance: χ² with a wide margin.

    Parts next to each other are taken together until each is expected to have a few in the event,
    and outside.
    """
    draws = sum(size for size, _ in parts)
    share = sum(count for _, count in parts) / max(draws, 1)
    if not 0 < share < 1:
        return False
    least, groups, size, inside = _EXPECTED / min(share, 1 - share), [], 0, 0
    for more, count in parts:
        size, inside = size + more, inside + count
        if size >= least:
            groups.append((size, inside))
            size, inside = 0, 0
    if len(groups) < 2:
        return False
    size, inside = (sum(column) for column in zip(*groups, strict=True))
    share = inside / size
    if not 0 < share < 1:
        return False
    variance = share * (1 - share)
    apart = sum((count - draws * share) ** 2 / (draws * variance) for draws, count in groups)
    free = len(groups) - 1
    return bool(apart > free + _APART * sqrt(2 * free) + _APART**2)


def _too_much_in_one(parts: Sequence[tuple[int, int]]) -> bool:
    """Tell whether one part has more of an event, or of its opposite, than chance gives it.

    Of K in all a part of m draws, of n, has as many as there are among m drawn of n without
    replacement: its tail keeps the bound of Chernoff for Bin(K, m/n) (Hoeffding 1963).
    """
    draws = sum(size for size, _ in parts)
    whole = sum(count for _, count in parts)
    for total, counts in (
        (whole, [count for _, count in parts]),
        (draws - whole, [size - count for size, count in parts]),
    ):
        for (size, _), count in zip(parts, counts, strict=True):
            expected = total * size / draws
            if count > expected and size < draws:
                p, x = size / draws, count / total
                heads = count * log(x / p)
                tails = (total - count) * log((1 - x) / (1 - p)) if x < 1 else 0.0
                if heads + tails - log(2 * len(parts)) > _UNLIKELY / 2:
                    return True
    return False


def _dependent(name: str, dataset: object, how: str) -> LawError:
    return LawError(
        f"{name} at {dataset}: {how}: its draws depend on each other, which makes every "
        "confidence statement false; let each draw use its own randomness from rng"
    )

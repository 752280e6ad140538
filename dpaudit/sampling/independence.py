"""Whether draws are as good as independent: what is counted is binomial only if they are.

No test can show that they are.  What these refuse has a probability far below 10⁻⁹ for draws that
are, and shows in the one thing that is counted:

* draws of one call that are alike: how often an output comes varies more from call to call than
  from draw to draw;
* draws that follow from those before: the event comes after itself, at some distance, more often or
  more rarely than it comes;
* chunks of draws that differ more than chance.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpaudit.errors import LawError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

__all__ = ["Seen", "check_calls", "check_chunks", "seen"]

_FAR = 12.0
"""So many standard deviations are no chance."""
_LEAST_SHARE = 0.05
"""Of rarer events, or their opposites, too few come after themselves to tell."""
_LEAST_DRAWS = 1000
_LEAST_CHUNKS = 4


class Seen(NamedTuple):
    """What a chunk of draws says of an event."""

    draws: int
    inside: int
    """How many of them were in the event."""
    echo: float
    """By how many standard deviations it comes after itself too often, or too rarely, at most."""


def seen(inside: NDArray[np.bool_]) -> Seen:
    """Return how often an event was seen, and how much it depends on what was before."""
    draws, count = len(inside), int(inside.sum())
    share = count / max(draws, 1)
    if draws < _LEAST_DRAWS or not _LEAST_SHARE <= share <= 1 - _LEAST_SHARE:
        return Seen(draws, count, 0.0)
    spectrum = np.fft.rfft((inside - share) / sqrt(share * (1 - share)))
    after = np.fft.irfft(np.abs(spectrum) ** 2, draws)[1:]
    return Seen(draws, count, float(np.abs(after + 1).max()) / sqrt(draws))


def check_chunks(name: str, dataset: object, chunks: Sequence[Seen]) -> int:
    """Return how often the event was seen in all; ``LawError`` for draws that depend."""
    if max((one.echo for one in chunks), default=0.0) > _FAR:
        raise _dependent(name, dataset, "an event comes after itself too often, or too rarely")
    full = [one for one in chunks if one.draws >= _LEAST_DRAWS]
    if len(full) >= _LEAST_CHUNKS and _too_far_apart([(c.draws, c.inside) for c in full]):
        raise _dependent(name, dataset, "chunks of draws differ more than chance")
    return sum(one.inside for one in chunks)


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
        raise _dependent(name, dataset, "draws of one call are alike")


def _too_far_apart(parts: Sequence[tuple[int, int]]) -> bool:
    """Tell whether counts of parts differ more than chance: χ² with a wide margin."""
    share = sum(count for _, count in parts) / sum(draws for draws, _ in parts)
    if not 0 < share < 1:
        return False
    least = min(draws for draws, _ in parts) * min(share, 1 - share)
    if least < 1:
        return False
    variance = share * (1 - share)
    apart = sum((count - draws * share) ** 2 / (draws * variance) for draws, count in parts)
    free = len(parts) - 1
    return apart > free + _FAR * sqrt(2 * free) + _FAR**2


def _dependent(name: str, dataset: object, how: str) -> LawError:
    return LawError(
        f"{name} at {dataset}: {how}: its draws depend on each other, which makes every confidence "
        "false; let each draw take its own randomness from rng"
    )

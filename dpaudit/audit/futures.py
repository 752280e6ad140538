"""Futures in the order in which they end, with a bound on how many wait."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

__all__ = ["as_finished"]

ResultT = TypeVar("ResultT")


def as_finished(
    futures: Iterable[Future[ResultT]], at_once: int | None = None
) -> Iterator[Future[ResultT]]:
    """Iterate over ``futures`` in the order in which they come to an end.

    They are taken as they are needed, so that no more than so many wait ``at_once``.
    """
    from concurrent.futures import FIRST_COMPLETED, wait

    coming = iter(futures)
    waiting = set(islice(coming, at_once))
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        yield from done
        waiting.update(islice(coming, len(done)))

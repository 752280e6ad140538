"""Reproducing several targets, one process or several."""

from __future__ import annotations

from concurrent.futures import as_completed
from typing import TYPE_CHECKING

from dpaudit.audit.workers import executor_for
from dpaudit.errors import PrecisionError
from dpaudit.reproduce.findings import Item, Outcome
from dpaudit.reproduce.targets import TARGETS
from dpaudit.results import Failed

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from dpaudit.reproduce.targets import Target

__all__ = ["decided", "reproduce"]

_LONG_FIRST = ("fig-20-20-20-20", "fig-1-1-1-77", "fig-6", "fig-5", "fig-4", "table-1-1-1-50")
"""What takes longest is started first."""


def decided(found: Item | Failed) -> bool:
    """Tell whether every number and statement of a target was decided."""
    return isinstance(found, Item) and found.verdict != Outcome.UNDECIDED.value


def reproduce(targets: Sequence[Target], jobs: int = 1) -> Generator[Item | Failed, None, None]:
    """Iterate over what is found of the targets, as they are finished."""
    order = sorted(
        targets, key=lambda t: _LONG_FIRST.index(t.id) if t.id in _LONG_FIRST else len(_LONG_FIRST)
    )
    with executor_for(min(jobs, max(len(order), 1))) as executor:
        if executor is None:
            for target in targets:
                yield _computed(target.id)
            return
        futures = {executor.submit(_computed, target.id): target for target in order}
        for future in as_completed(futures):
            yield future.result()


def _computed(name: str) -> Item | Failed:
    target = TARGETS[name]
    try:
        return target.reproduce()
    except PrecisionError as error:
        return Failed(target.id, target.title, target.place, str(error))

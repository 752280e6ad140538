"""Whether there is room for a recheck, before anything is computed.

What is held is the report as it is read, the laws of the pairs that are looked at, and all pairs
where the maxima over them are computed again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit import machine
from dpaudit.machine import INTERPRETER
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.registry import definition_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.user_mechanisms import OwnMechanism

__all__ = ["MOST_DATASETS", "check_room", "parsed_bytes"]

MOST_DATASETS = 5_000_000
"""More are not gone through again."""

_PARSED = 6  # bytes for each byte of a file, as objects and as a result
_PAIR = 270  # a pair of histograms, in both lists
_ENTRY = 500  # an output of a law with its probability
_MASSES = 370  # the two probabilities of an output side by side
_DATASET = 400  # one with the sensitivity there
_CHAINED = 600  # an output in the events of a pair, which are kept for each pair of a hull
_AT_PAIRS = 3  # laws that the pairs shown need, those at a higher precision among them


def parsed_bytes(size: int) -> int:
    """Return how many bytes a process holds that has read a report of ``size`` bytes."""
    return INTERPRETER + _PARSED * size


def check_room(parts: Iterable[Any], own: Sequence[OwnMechanism], *, all_pairs: bool) -> None:
    """Refuse what there is no memory for: to recheck these reports, which have been read.

    Raises ``TooLargeError``, saying how much it takes and what would fit.
    """
    read = max(machine.resident(), INTERPRETER)
    for part in parts:
        for size, definition in _largest(part, own):
            alone = read + _held(definition, part, size, all_pairs=False)
            held = read + _held(definition, part, size, all_pairs=True) if all_pairs else alone
            way = "without --all-pairs it fits" if alone <= machine.available() else ""
            over = ", all pairs" if all_pairs else ""
            what = f"the recheck of {part.described.get('name')} at n = {size.n:,}{over}"
            machine.require(held, what, partial(str, way))


def _largest(part: Any, own: Sequence[OwnMechanism]) -> Iterator[tuple[Any, Definition]]:
    """Give the largest size of a report, with the definition of its mechanism, if it has one."""
    sizes = getattr(part, "results", [part])
    try:
        if sizes:
            loaded = getattr(part, "loaded", None)
            largest = max(sizes, key=lambda one: one.n)
            yield largest, definition_of(part.described, own, loaded)
    except (UnknownDefinitionError, NotAReportError):
        return  # which the recheck says


def _held(definition: Definition, part: Any, size: Any, *, all_pairs: bool) -> int:
    """Return about how many bytes going through a size again holds."""
    try:
        relation = definition.relation(part.adjacency, defaulted=part.adjacency_defaulted)
        found = definition.extent(size.n, relation, getattr(part, "at", None))
    except (UnknownDefinitionError, NotAReportError, ValueError):
        return 0  # which the recheck says
    datasets, pairs, outputs = found
    if datasets > MOST_DATASETS:
        return 0  # they are not gone through
    laws = definition.laws_kept if all_pairs else min(_AT_PAIRS, definition.laws_kept)
    events = [*getattr(size, "upper", ()), *getattr(size, "lower", ())]
    chains = len({(str(one.x), str(one.y)) for one in events})
    held = _DATASET * datasets + outputs * (_ENTRY * laws + _MASSES + _CHAINED * chains)
    return held + (_PAIR * pairs if all_pairs else 0)

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
    from collections.abc import Iterable, Sequence

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
        size = max(getattr(part, "results", [part]), key=lambda one: one.n, default=None)
        if size is not None:
            alone, pairs = _held(part, size, own)
            over, held = (", all pairs", pairs) if all_pairs else ("", alone)
            way = "without --all-pairs it fits" if read + alone <= machine.available() else ""
            what = f"the recheck of {part.described.get('name')} at n = {size.n:,}{over}"
            machine.require(read + held, what, partial(str, way))


def _held(part: Any, size: Any, own: Sequence[OwnMechanism]) -> tuple[int, int]:
    """Return about how many bytes going through a size again holds, and with all its pairs."""
    try:
        definition = definition_of(part.described, own, getattr(part, "loaded", None))
        relation = definition.relation(part.adjacency, defaulted=part.adjacency_defaulted)
        datasets, pairs, outputs = definition.extent(size.n, relation, getattr(part, "at", None))
    except (UnknownDefinitionError, NotAReportError, ValueError):
        return 0, 0  # which the recheck says
    if datasets > MOST_DATASETS:
        return 0, 0  # they are not gone through
    events = [*getattr(size, "upper", ()), *getattr(size, "lower", ())]
    chains = len({(str(one.x), str(one.y)) for one in events})
    shared = _DATASET * datasets + outputs * (_MASSES + _CHAINED * chains)
    law = _ENTRY * outputs
    alone = shared + law * min(_AT_PAIRS, definition.laws_kept)
    return alone, shared + law * definition.laws_kept + _PAIR * pairs

"""A sampler held to a law, dataset by dataset, and what of that is kept where it is stopped.

Kept are of every dataset that was begun what its draws are told apart by, the counts of all, and of
every chunk those of the commonest outputs, which chunks have to agree in; and the digests of all
chunks.  The law is looked into again.  Taken on trust are the counts, as for an event.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from decimal import ROUND_CEILING
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

from dpaudit.errors import DpauditError, LawError, ParameterError, one_line
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import real
from dpaudit.results import Comparison, SampleReport, SampleVerdict
from dpaudit.sampling.against import (
    Others,
    Partition,
    Told,
    cells_of,
    choice_of,
    compare,
    count_outputs,
    partition,
)
from dpaudit.sampling.audit import selection_size
from dpaudit.sampling.coded import coded, decoded
from dpaudit.sampling.draws import place_count, sizes_of
from dpaudit.sampling.independence import Seen, check_chunks, is_digest
from dpaudit.sampling.judged import below, compared_verdict, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.laws.law import Law
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.sampling.draws import Source

__all__ = ["compared"]

_WATCHED = 16
"""Of so many outputs, the commonest of the law, chunks of draws are to agree."""

_FAILURES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)


@dataclass
class _Begun:
    """What was drawn at one dataset so far."""

    told: Told
    counts: Counter[Any] = field(default_factory=Counter)
    chunks: list[list[int]] = field(default_factory=list)
    """Of each its size, and how often the watched outputs were drawn."""


def compared(
    source: Source,
    law: Mechanism[Any],
    report: dict[str, Any],
    resumed: SampleReport | None,
    save: Callable[[Callable[[], SampleReport]], None],
) -> SampleReport:
    """Hold a sampler to a law.

    Args:
        source: the draws.
        law: what they are held to.
        report: the fields of the report that are known.
        resumed: what an earlier run has counted.
        save: told after every chunk how to make a report that can go on from there.
    """
    draws, digits = report["draws"], report["digits"]
    alpha = below(real(report["error"]))
    laws, datasets = law.laws(), source.datasets
    begun = [] if resumed is None else _read(resumed, source)
    source.progress(sum(one.told.spent + one.counts.total() for one in begun))

    def unfinished() -> SampleReport:
        kept = _written(begun, source)
        verdict = SampleVerdict.UNFINISHED
        return SampleReport(**report, against=law.name, verdict=verdict, kept=kept)

    found = []
    try:
        for rank, dataset in enumerate(datasets):
            with precision(128):
                of_dataset = _law_of(law, laws, dataset)
            if rank == len(begun):
                first = partial(source.first, rank, selection_size(draws))
                begun.append(_Begun(choice_of(of_dataset, dataset, first)))
            told = partition(of_dataset, dataset, begun[rank].told)
            count = draws - told.spent
            _count(source, (rank, count), told, begun[rank], lambda: save(unfinished))
            counts = begun[rank].counts
            one = compare(counts, told, count, alpha, len(datasets))
            found.append((count, one, cells_of(counts, told)))
    except KeyboardInterrupt:
        if not begun or not (stopped := unfinished()).kept:
            raise
        return stopped
    farthest = max(one.distance for _, one, _ in found)
    return SampleReport(
        **report,
        verdict=compared_verdict(min(one.p_value for _, one, _ in found), farthest, alpha),
        against=law.name,
        tolerance=shown(farthest, ROUND_CEILING, digits),
        comparisons=tuple(
            Comparison(
                dataset=dataset,
                draws=count,
                binned=one.binned,
                outputs=one.outputs,
                worst=one.worst,
                p_value=shown(one.p_value, ROUND_CEILING, digits),
                distance=shown(one.distance, ROUND_CEILING, digits),
                cells=cells,
            )
            for dataset, (count, one, cells) in zip(datasets, found, strict=True)
        ),
    )


def _law_of(law: Mechanism[Any], laws: Any, dataset: Any) -> Law:
    try:
        found: Law = laws.law(dataset)
    except DpauditError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise LawError(
            f"{law.name} has no law at {dataset}: the datasets of the sampler are not "
            f"those of {law.name} ({one_line(error)})"
        ) from error
    return found


def _count(
    source: Source, place: tuple[int, int], told: Partition, begun: _Begun, keep: Callable[[], None]
) -> None:
    """Count how often each output is drawn; ``LawError`` for draws that depend on each other.

    The place is the rank of the dataset, and how many draws there are to be.
    """
    rank, draws = place
    watched = sorted(told.law, key=lambda output: -told.law[output][1])[:_WATCHED]
    done = [size for size, *_ in begun.chunks]
    if any(len(chunk) != len(watched) + 1 for chunk in begun.chunks):
        raise _unreadable("its chunks are not those of this law")
    if sizes_of(draws)[: len(done)] != done:
        raise _unreadable("its chunks are not those that a run draws")
    work = partial(count_outputs, partition=told)
    for chunk in source.chunks(rank, 1, draws, work, done):
        begun.chunks.append([chunk.total(), *(chunk[output] for output in watched)])
        begun.counts += chunk
        keep()
    for column, output in enumerate(watched, 1):
        if sum(chunk[column] for chunk in begun.chunks) != begun.counts[output]:
            raise _unreadable("its counts are not those of its chunks")
        seen = [Seen(chunk[0], chunk[column]) for chunk in begun.chunks]
        check_chunks(source.sampler.name, source.datasets[rank], seen)


def _places(begun: list[_Begun], source: Source) -> set[str]:
    """Return what the chunks are called that are kept."""
    return {
        source.place(rank, phase, index)
        for rank, one in enumerate(begun)
        for phase, count in enumerate((place_count(one.told.spent), len(one.chunks)))
        for index in range(count)
    }


def _written(begun: list[_Begun], source: Source) -> str:
    """Return what a comparison goes on from; empty where outputs have no text that reads back."""
    places = _places(begun, source)
    try:
        return json.dumps({
            "datasets": [
                {
                    "outputs": [_coded(output) for output in one.told.outputs],
                    "edges": [edge.hex() for edge in one.told.edges],
                    "spent": one.told.spent,
                    "counts": [[_coded(output), count] for output, count in one.counts.items()],
                    "chunks": one.chunks,
                }
                for one in begun
            ],
            "seen": {d: place for d, place in source.repeats.seen.items() if place in places},
            "evidence": source.repeats.evidence.hex(),
        })  # fmt: skip
    except TypeError:
        return ""


def _coded(output: Any) -> Any:
    return ["others", None] if isinstance(output, Others) else coded(output)


def _decoded(told: Any) -> Any:
    return Others() if told == ["others", None] else decoded(told)


def _unreadable(why: object) -> ParameterError:
    said = " ".join(str(why).split())[:200]
    return ParameterError("resume", f"what was kept cannot be read ({said})")


def _read(resumed: SampleReport, source: Source) -> list[_Begun]:
    """Return what an earlier run has counted, and let the source know what it has drawn."""
    try:
        kept = json.loads(resumed.kept)
        begun = [_begun(one) for one in kept["datasets"]]
        evidence = float.fromhex(kept["evidence"])
        seen: dict[str, str] = dict(kept["seen"])
        if set(kept) != {"datasets", "seen", "evidence"} or not all(map(_is_digest, seen.items())):
            raise ValueError("it has other parts")
    except _FAILURES as error:
        raise _unreadable(error) from None
    selected = selection_size(resumed.draws)
    for one in begun:
        whole = [*one.counts.values(), *(part for chunk in one.chunks for part in chunk)]
        fits = all(type(part) is int and part >= 0 for part in whole)
        if not fits or sum(chunk[0] for chunk in one.chunks) != one.counts.total():
            raise _unreadable("its counts are none")
        if type(one.told.spent) is not int or one.told.spent not in (0, selected):
            raise _unreadable("its draws are not those that a run spends")
    places = _places(begun, source)
    fits = len(begun) <= len(source.datasets) and set(seen.values()) <= places
    firsts = {source.place(rank, 1, 0) for rank, one in enumerate(begun) if one.chunks}
    if not (fits and firsts <= set(seen.values()) and isfinite(evidence) and evidence >= 0):
        raise _unreadable("digests of its chunks are not there")
    source.repeats.seen |= seen
    source.repeats.evidence = evidence
    return begun


def _is_digest(told: tuple[Any, Any]) -> bool:
    return is_digest(told[0]) and isinstance(told[1], str)


def _begun(told: Any) -> _Begun:
    outputs, edges = map(_decoded, told["outputs"]), map(float.fromhex, told["edges"])
    counts = {_decoded(output): count for output, count in told["counts"]}
    if set(told) != {"outputs", "edges", "spent", "counts", "chunks"} or len(counts) != len(
        told["counts"]
    ):
        raise ValueError("it has other parts")
    cuts = tuple(edges)
    if list(cuts) != sorted(set(cuts)) or not all(map(isfinite, cuts)):
        raise ValueError("its bins are none")
    chunks = [list(chunk) for chunk in told["chunks"]]
    if not all(chunks):
        raise ValueError("a chunk is none")
    return _Begun(Told(tuple(outputs), cuts, told["spent"]), Counter(counts), chunks)

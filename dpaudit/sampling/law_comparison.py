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
from itertools import compress
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.errors import DpauditError, LawError, ParameterError, one_line
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import real
from dpaudit.results import Comparison, DrawPlace, SampleReport, SampleVerdict
from dpaudit.sampling.audit import selection_size
from dpaudit.sampling.calls import CELLS, KINDS, Chunk, cells_of, groups_of, plan_of
from dpaudit.sampling.cells import THIRDS, outputs_of
from dpaudit.sampling.draws import TRIED, first_sizes
from dpaudit.sampling.drift import Drift, place_words, thirds_of
from dpaudit.sampling.independence import Seen, check_chunks, is_digest
from dpaudit.sampling.law_test import (
    Others,
    Partition,
    Told,
    choice_of,
    compare,
    partition,
    rest_of,
    told_apart,
)
from dpaudit.sampling.output_text import coded, decoded
from dpaudit.sampling.verdicts import below, compared_verdict, nearness, shown, spare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from dpaudit.laws.law import Law
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.sampling.batches import Batch
    from dpaudit.sampling.calls import Style
    from dpaudit.sampling.draws import Source
    from dpaudit.sampling.drift import Suspect

__all__ = ["compared"]

_WATCHED = 16
"""Of so many outputs, the commonest of the law, chunks of draws are to agree."""

_FAILURES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)


@dataclass
class _Begun:
    """Draws at one dataset so far, counted."""

    told: Told
    places: list[Counter[Any]] = field(default_factory=list)
    """Counts of outputs by place: those in calls, then the thirds of the run."""
    chunks: list[list[int]] = field(default_factory=list)
    """Of each its size, and how often the watched outputs were drawn in each of its cells."""

    @property
    def counts(self) -> Counter[Any]:
        """Number of draws of each output."""
        return sum(self.places[-THIRDS:], Counter())


def _tally(
    batch: Batch, chunk: Chunk, partition: Partition, watched: Sequence[Any], style: Style
) -> tuple[list[Counter[Any]], NDArray[np.int64]]:
    """Return what was drawn in each place of calls, and the watched outputs in each cell."""
    keys, cells = told_apart(batch, partition), cells_of(chunk, style)
    groups, width = groups_of(style), len(watched) + 1
    number = {output: rank for rank, output in enumerate(watched)}
    codes = np.fromiter((number.get(key, width - 1) for key in keys), np.intp, len(keys))
    seen = np.bincount(cells * width + codes, minlength=CELLS * width).reshape(CELLS, width)
    places = [
        Counter(compress(keys, (groups[cells] == group).tolist()))
        for group in range(groups.max() + 1)
    ]
    return places, seen


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
    alpha, share = (part(real(report["error"])) for part in (below, spare))
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
            place = rank, count
            drift = _count(
                source, place, told, begun[rank], share=share, keep=lambda: save(unfinished)
            )
            counts, places = begun[rank].counts, begun[rank].places
            one = compare(counts, told, count, alpha, len(datasets), places=places)
            found.append(
                Comparison(
                    dataset=dataset,
                    draws=count,
                    binned=one.binned,
                    outputs=one.outputs,
                    worst=one.worst,
                    p_value=shown(one.p_value, ROUND_CEILING, digits),
                    distance=shown(one.distance, ROUND_CEILING, digits),
                    places=tuple(
                        DrawPlace(
                            words=words,
                            draws=place.total(),
                            distance=shown(distance, ROUND_CEILING, digits),
                        )
                        for words, place, distance in zip(
                            place_words(source.style), places, one.places, strict=True
                        )
                    ),
                    drift=shown(drift.p_value, ROUND_CEILING, digits),
                    strange=f"{drift.draws}: {drift.counts}" if drift.draws else "",
                    cells=outputs_of(counts, told, places),
                )
            )
    except KeyboardInterrupt:
        if not begun or not (stopped := unfinished()).kept:
            raise
        return stopped
    farthest = max(found, key=lambda one: real(one.distance).as_fraction() or 0)
    return SampleReport(
        **report,
        verdict=compared_verdict(list(map(nearness, found)), alpha),
        against=law.name,
        tolerance=farthest.distance,
        comparisons=tuple(found),
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
    source: Source,
    place: tuple[int, int],
    told: Partition,
    begun: _Begun,
    *,
    share: float,
    keep: Callable[[], None],
) -> Suspect:
    """Count how often each output is drawn, and return which draws speak most against the law.

    Args:
        source: where draws come from.
        place: the rank of the dataset, and how many draws there are to be.
        told: the law, and the outputs or bins that are counted apart.
        begun: what was counted before, to which this is added.
        share: the p-value at which some draws contradict the law.
        keep: told after every chunk.

    Raises:
        LawError: for draws that depend on each other.
    """
    rank, draws = place
    style = source.style
    watched = sorted(told.law, key=lambda output: -told.law[output][1])[:_WATCHED]
    width = len(watched) + 1
    plan = plan_of(draws, style, len(told.law))
    thirds, groups = thirds_of(plan), int(groups_of(style).max()) + 1
    if not begun.places:
        begun.places = [Counter() for _ in range(groups + THIRDS)]
    done = [size for size, *_ in begun.chunks]
    if len(begun.places) != groups + THIRDS or any(
        len(chunk) != CELLS * width + 1 or sum(chunk[1:]) != chunk[0] for chunk in begun.chunks
    ):
        raise _unreadable("its chunks are not those of this law")
    if [chunk.size for chunk in plan[: len(done)]] != done:
        raise _unreadable("its chunks are not those that a run draws")
    work = partial(_tally, partition=told, watched=watched, style=style)
    for places, seen in source.chunks(rank, 1, plan, work, len(done)):
        chunk = plan[len(begun.chunks)]
        for at, one in enumerate(places):
            begun.places[at] += one
            begun.places[groups + thirds[len(begun.chunks)]] += one
        begun.chunks.append([chunk.size, *map(int, seen.ravel())])
        keep()
    counts = begun.counts
    if counts != sum(begun.places[:-THIRDS], Counter()):
        raise _unreadable("its counts are not those of its chunks")
    first = Chunk(TRIED)
    tried = [work(batch, first)[1] for batch in source.tried.get(rank, ())]
    drawn = np.array([chunk[1:] for chunk in begun.chunks]).reshape(-1, CELLS, width)
    drift = Drift(
        source.layout(rank, plan, len(done)), np.array([*drawn, *tried]).reshape(-1, CELLS, width)
    )
    names = [told.bins.words(one) if told.bins is not None else repr(one) for one in watched]
    bounds = [*(told.law[output] for output in watched), rest_of(told, watched)]
    worst = drift.against(bounds, [*names, "another output"], len(source.datasets))
    for column, output in enumerate(watched):
        by_cell = drawn[:, :, column].sum(axis=1)
        if by_cell.sum() != counts[output]:
            raise _unreadable("its counts are not those of its chunks")
        # Where kinds of calls have other laws, chunks of different kinds differ for that reason.
        for kinds in [{kind} for kind in KINDS] if worst.p_value <= share else [set(KINDS)]:
            parts = [
                Seen(chunk.size, int(count))
                for chunk, count in zip(plan, by_cell, strict=True)
                if chunk.kind in kinds
            ]
            check_chunks(source.sampler.name, source.datasets[rank], parts)
    return worst


def _places(begun: list[_Begun], source: Source) -> set[str]:
    """Return what the chunks are called that are kept."""
    return {
        source.place(rank, phase, index)
        for rank, one in enumerate(begun)
        for phase, count in enumerate((len(first_sizes(one.told.spent)), len(one.chunks)))
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
                    "places": [
                        [[_coded(output), count] for output, count in place.items()]
                        for place in one.places
                    ],
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
        whole = [
            *(count for place in one.places for count in place.values()),
            *(part for chunk in one.chunks for part in chunk),
        ]
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
    places = [Counter({_decoded(output): n for output, n in place}) for place in told["places"]]
    if set(told) != {"outputs", "edges", "spent", "places", "chunks"} or list(
        map(len, places)
    ) != list(map(len, told["places"])):
        raise ValueError("it has other parts")
    cuts = tuple(edges)
    if list(cuts) != sorted(set(cuts)) or not all(map(isfinite, cuts)):
        raise ValueError("its bins are none")
    chunks = [list(chunk) for chunk in told["chunks"]]
    if not all(chunks):
        raise ValueError("a chunk is none")
    return _Begun(Told(tuple(outputs), cuts, told["spent"]), places, chunks)

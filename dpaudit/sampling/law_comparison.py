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
from dpaudit.sampling.independence import ChunkCount, check_chunks, is_digest
from dpaudit.sampling.law_test import (
    Binning,
    Others,
    Partition,
    choice_of,
    compare,
    keys_of,
    partition,
    rest_of,
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
class _DatasetCounts:
    """Draws at one dataset so far, counted."""

    binning: Binning
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
    """Return the counts of outputs in each place of calls, and of watched ones in each cell."""
    keys, cells = keys_of(batch, partition), cells_of(chunk, style)
    # The last column counts all outputs that are not watched.
    groups, width = groups_of(style), len(watched) + 1
    number = {output: rank for rank, output in enumerate(watched)}
    codes = np.fromiter((number.get(key, width - 1) for key in keys), np.intp, len(keys))
    by_cell = np.bincount(cells * width + codes, minlength=CELLS * width).reshape(CELLS, width)
    places = [
        Counter(compress(keys, (groups[cells] == group).tolist()))
        for group in range(groups.max() + 1)
    ]
    return places, by_cell


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
    source.progress(sum(counted.binning.spent + counted.counts.total() for counted in begun))

    def unfinished() -> SampleReport:
        state = _written(begun, source)
        verdict = SampleVerdict.UNFINISHED
        return SampleReport(**report, against=law.name, verdict=verdict, kept=state)

    comparisons = []
    try:
        for rank, dataset in enumerate(datasets):
            with precision(128):
                of_dataset = _law_of(law, laws, dataset)
            # A run that is resumed has chosen for its first datasets already.
            if rank == len(begun):
                first = partial(source.first, rank, selection_size(draws))
                begun.append(_DatasetCounts(choice_of(of_dataset, dataset, first)))
            parts = partition(of_dataset, dataset, begun[rank].binning)
            count = draws - parts.spent
            place = rank, count
            drift = _count(
                source, place, parts, begun[rank], share=share, keep=lambda: save(unfinished)
            )
            counts, places = begun[rank].counts, begun[rank].places
            comparison = compare(counts, parts, count, alpha, len(datasets), places=places)
            comparisons.append(
                Comparison(
                    dataset=dataset,
                    draws=count,
                    binned=comparison.binned,
                    outputs=comparison.outputs,
                    worst=comparison.worst,
                    p_value=shown(comparison.p_value, ROUND_CEILING, digits),
                    distance=shown(comparison.distance, ROUND_CEILING, digits),
                    places=tuple(
                        DrawPlace(
                            words=words,
                            draws=place.total(),
                            distance=shown(distance, ROUND_CEILING, digits),
                        )
                        for words, place, distance in zip(
                            place_words(source.style), places, comparison.places, strict=True
                        )
                    ),
                    drift=shown(drift.p_value, ROUND_CEILING, digits),
                    strange=f"{drift.draws}: {drift.counts}" if drift.draws else "",
                    cells=outputs_of(counts, parts, places),
                )
            )
    except KeyboardInterrupt:
        if not begun or not (stopped := unfinished()).kept:
            raise
        return stopped
    farthest = max(comparisons, key=lambda each: real(each.distance).as_fraction() or 0)
    return SampleReport(
        **report,
        verdict=compared_verdict(list(map(nearness, comparisons)), alpha),
        against=law.name,
        tolerance=farthest.distance,
        comparisons=tuple(comparisons),
    )


def _law_of(law: Mechanism[Any], laws: Any, dataset: Any) -> Law:
    try:
        dataset_law: Law = laws.law(dataset)
    except DpauditError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise LawError(
            f"{law.name} has no output distribution at {dataset}: the datasets of the sampler are "
            f"not those of {law.name} ({one_line(error)})"
        ) from error
    return dataset_law


def _count(
    source: Source,
    place: tuple[int, int],
    partition: Partition,
    begun: _DatasetCounts,
    *,
    share: float,
    keep: Callable[[], None],
) -> Suspect:
    """Count how often each output is drawn, and return which draws speak most against the law.

    Args:
        source: where draws come from.
        place: the rank of the dataset, and how many draws there are to be.
        partition: the law, and the outputs or bins that are counted apart.
        begun: what was counted before, to which this is added.
        share: the p-value at which some draws contradict the law.
        keep: told after every chunk.

    Raises:
        LawError: for draws that depend on each other.
    """
    rank, draws = place
    style = source.style
    watched = sorted(partition.law, key=lambda output: -partition.law[output][1])[:_WATCHED]
    width = len(watched) + 1
    plan = plan_of(draws, style, len(partition.law))
    thirds, groups = thirds_of(plan), int(groups_of(style).max()) + 1
    if not begun.places:
        begun.places = [Counter() for _ in range(groups + THIRDS)]
    done = [size for size, *_ in begun.chunks]
    if len(begun.places) != groups + THIRDS or any(
        len(chunk) != CELLS * width + 1 or sum(chunk[1:]) != chunk[0] for chunk in begun.chunks
    ):
        raise _unreadable("its chunks do not fit this output distribution")
    if [chunk.size for chunk in plan[: len(done)]] != done:
        raise _unreadable("its chunks are not those that a run draws")
    work = partial(_tally, partition=partition, watched=watched, style=style)
    for places, cell_counts in source.chunks(rank, 1, plan, work, len(done)):
        chunk = plan[len(begun.chunks)]
        for at, drawn_there in enumerate(places):
            begun.places[at] += drawn_there
            begun.places[groups + thirds[len(begun.chunks)]] += drawn_there
        begun.chunks.append([chunk.size, *map(int, cell_counts.ravel())])
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
    names = [
        partition.bins.words(output) if partition.bins is not None else repr(output)
        for output in watched
    ]
    bounds = [*(partition.law[output] for output in watched), rest_of(partition, watched)]
    worst = drift.against(bounds, [*names, "another output"], len(source.datasets))
    for column, output in enumerate(watched):
        by_cell = drawn[:, :, column].sum(axis=1)
        if by_cell.sum() != counts[output]:
            raise _unreadable("its counts are not those of its chunks")
        # Where kinds of calls have other laws, chunks of different kinds differ for that reason.
        for kinds in [{kind} for kind in KINDS] if worst.p_value <= share else [set(KINDS)]:
            parts = [
                ChunkCount(chunk.size, int(count))
                for chunk, count in zip(plan, by_cell, strict=True)
                if chunk.kind in kinds
            ]
            check_chunks(source.sampler.name, source.datasets[rank], parts)
    return worst


def _places(begun: list[_DatasetCounts], source: Source) -> set[str]:
    """Return the names of the chunks that are kept."""
    return {
        source.place(rank, phase, index)
        for rank, counted in enumerate(begun)
        for phase, count in enumerate(
            (len(first_sizes(counted.binning.spent)), len(counted.chunks))
        )
        for index in range(count)
    }


def _written(begun: list[_DatasetCounts], source: Source) -> str:
    """Return the state that a comparison resumes from; empty if an output cannot be written."""
    places = _places(begun, source)
    try:
        return json.dumps({
            "datasets": [
                {
                    "outputs": [_coded(output) for output in counted.binning.outputs],
                    "edges": [edge.hex() for edge in counted.binning.edges],
                    "spent": counted.binning.spent,
                    "places": [
                        [[_coded(output), count] for output, count in place.items()]
                        for place in counted.places
                    ],
                    "chunks": counted.chunks,
                }
                for counted in begun
            ],
            "seen": {d: place for d, place in source.repeats.digests.items() if place in places},
            "evidence": source.repeats.evidence.hex(),
        })  # fmt: skip
    except TypeError:
        return ""


def _coded(output: Any) -> Any:
    return ["others", None] if isinstance(output, Others) else coded(output)


def _decoded(content: Any) -> Any:
    return Others() if content == ["others", None] else decoded(content)


def _unreadable(why: object) -> ParameterError:
    reason = " ".join(str(why).split())[:200]
    return ParameterError("resume", f"the saved state of its run cannot be read ({reason})")


def _read(resumed: SampleReport, source: Source) -> list[_DatasetCounts]:
    """Return the counts of an earlier run, and give the digests of its draws to the source."""
    try:
        content = json.loads(resumed.kept)
        begun = [_read_dataset(counted) for counted in content["datasets"]]
        evidence = float.fromhex(content["evidence"])
        digests: dict[str, str] = dict(content["seen"])
        if set(content) != {"datasets", "seen", "evidence"} or not all(
            map(_is_digest, digests.items())
        ):
            raise ValueError("its saved state has the wrong parts")
    except _FAILURES as error:
        raise _unreadable(error) from None
    selected = selection_size(resumed.draws)
    for counted in begun:
        whole = [
            *(count for place in counted.places for count in place.values()),
            *(part for chunk in counted.chunks for part in chunk),
        ]
        fits = all(type(part) is int and part >= 0 for part in whole)
        if not fits or sum(chunk[0] for chunk in counted.chunks) != counted.counts.total():
            raise _unreadable("its counts are invalid")
        if type(counted.binning.spent) is not int or counted.binning.spent not in (0, selected):
            raise _unreadable("it uses a number of draws that no run uses")
    places = _places(begun, source)
    fits = len(begun) <= len(source.datasets) and set(digests.values()) <= places
    firsts = {source.place(rank, 1, 0) for rank, counted in enumerate(begun) if counted.chunks}
    if not (fits and firsts <= set(digests.values()) and isfinite(evidence) and evidence >= 0):
        raise _unreadable("digests of its chunks are missing")
    # Draws to come are compared with those of the earlier run too.
    source.repeats.digests |= digests
    source.repeats.evidence = evidence
    return begun


def _is_digest(entry: tuple[Any, Any]) -> bool:
    return is_digest(entry[0]) and isinstance(entry[1], str)


def _read_dataset(content: Any) -> _DatasetCounts:
    outputs, edges = map(_decoded, content["outputs"]), map(float.fromhex, content["edges"])
    places = [Counter({_decoded(output): n for output, n in place}) for place in content["places"]]
    if set(content) != {"outputs", "edges", "spent", "places", "chunks"} or list(
        map(len, places)
    ) != list(map(len, content["places"])):
        raise ValueError("its saved state has the wrong parts")
    cuts = tuple(edges)
    if list(cuts) != sorted(set(cuts)) or not all(map(isfinite, cuts)):
        raise ValueError("its bins are invalid")
    chunks = [list(chunk) for chunk in content["chunks"]]
    if not all(chunks):
        raise ValueError("a chunk is empty")
    return _DatasetCounts(Binning(tuple(outputs), cuts, content["spent"]), places, chunks)

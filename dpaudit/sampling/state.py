"""State of an audit of a sampler as text, so that it can go on where it stopped.

The event is kept with its numbers as they are, the counts of every chunk of both sides that is
finished, and the digests of all chunks, so that what is drawn later is held to what was drawn
before.  Nothing of a chunk that was not finished on both sides is kept: it is drawn again.

What was written is read as anyone's text.  A verdict, and bounds, have to be those that follow from
the counts; chunks have to be as the run would have drawn them; digests of chunks have to be there.
Taken on trust is what only new draws could show: the counts themselves, what the digests are, and
that all draws were the same.
"""

from __future__ import annotations

import json
from math import isfinite, log
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ParameterError
from dpaudit.numbers.real import real
from dpaudit.results import EventFound, SampleReport, SampleVerdict
from dpaudit.results.documents import as_document
from dpaudit.sampling.audit import LEAST_DRAWS, CellCounts, Going, selection_size
from dpaudit.sampling.calls import CELLS, LONG, Chunk, plan_of, sizes_of
from dpaudit.sampling.cells import recomputed
from dpaudit.sampling.choice import Chosen
from dpaudit.sampling.independence import LEAST_CHUNKS, is_digest
from dpaudit.sampling.joint import Counts
from dpaudit.sampling.output_text import coded, event_of
from dpaudit.sampling.sequential import Together
from dpaudit.sampling.verdicts import (
    Judged,
    at_a_stop,
    below,
    compared_verdict,
    limits_of,
    nearness,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.mechanisms.base import Budget
    from dpaudit.sampling.draws import Source
    from dpaudit.sampling.events import Event

__all__ = ["goes_on", "going_on", "written"]

_DROPPED = 8
"""More digests than a chunk has, which may have been known and were not kept."""
_ROUNDING = 1e-6
_PARTS = {"event", "ranks", "vacuous", "chunks", "places", "seen", "evidence"}


def written(going: Going, source: Source) -> str:
    """Return the state that an audit resumes from; empty if an output cannot be written."""
    digests = {
        digest: where
        for digest, where in source.repeats.digests.items()
        if where not in going.unfinished(source)
    }
    chosen = going.chosen
    try:
        return json.dumps(
            {
                "event": coded(chosen.event),
                "ranks": [chosen.first, chosen.second],
                "vacuous": going.vacuous,
                "chunks": going.chunks,
                "places": going.places,
                "seen": digests,
                "evidence": going.evidence.hex(),
            }
        )
    except TypeError:
        return ""


def goes_on(there: SampleReport, here: Mapping[str, Any]) -> bool:
    """Tell whether an earlier run is to be continued; a finished one is the answer already.

    A run that stops early may go on to more draws: its bound holds at any time.

    Args:
        there: the earlier run.
        here: what is asked now, by the fields of a report.

    Raises:
        ParameterError: where it was asked something else, or says what does not follow.
    """
    more = there.sequential and there.draws < here["draws"]
    for name, value in here.items():
        then, now = as_document(getattr(there, name)), as_document(value)
        if then != now and name not in ("schema", "version") and not (more and name == "draws"):
            raise ParameterError(
                "resume",
                f"the report has {name} = {_text(then)}, the command asks for {_text(now)}; "
                "--resume needs the same settings",
            )
    if here.get("against"):
        _judge_compared(there)
    else:
        _judge(there, here["budget"])
    if there.verdict is SampleVerdict.UNFINISHED:
        return True
    return more and there.verdict in (SampleVerdict.NOT_REFUTED, SampleVerdict.TOO_FEW)


def _text(value: object) -> str:
    if isinstance(value, dict):
        return f"({', '.join(map(str, value.values()))})"
    return "none" if value in (None, "") else str(value)


def _judge(there: SampleReport, budget: Budget | None) -> None:
    """Refuse a verdict, or bounds, that do not follow from the counts, and counts of no run."""

    def refused(why: str) -> ParameterError:
        return ParameterError("resume", f"dpaudit cannot have written this report: {why}")

    event, unfinished = there.event, there.verdict is SampleVerdict.UNFINISHED
    if there.against or there.comparisons or there.tolerance:
        raise refused("it compares with another mechanism, which does not fit a run with a budget")
    if event is None or budget is None or there.draws < LEAST_DRAWS:
        raise refused("it has no event, no budget, or no draws")
    counted, selected = _counted(there), selection_size(there.draws)
    grown = there.sequential and there.repeated > 0  # chosen when fewer draws were asked for
    least = selection_size(0) if grown else selected
    if not least <= there.selected <= selected:
        raise refused(f"{there.selected} draws have chosen its event, but a run uses {selected}")
    counts = event.count_x, event.count_y
    if not 0 <= min(counts) <= max(counts) <= event.draws <= counted:
        raise refused(f"its counts are not those of {counted} draws")
    going, early = None, event.draws != counted
    if unfinished or there.sequential or early:
        going, _ = _kept(there)
    elif there.kept:
        raise refused("it is finished, but keeps the state of an unfinished run")
    if unfinished and not (there.epsilon or there.delta):
        return
    if early and not _may_end_early(there, going):
        raise refused(f"{event.draws} draws are counted, but it should be {counted}")
    part = at_a_stop if early and not there.sequential else below
    judged = Judged.of(
        Counts(event.draws, *counts),
        part(real(there.error)),
        limits_of(budget),
        there.digits,
        None if going is None else going.together,
    )
    vacuous = there.verdict is SampleVerdict.VACUOUS if going is None else going.vacuous
    if unfinished and (judged.exceeded or not early):
        raise refused("it is unfinished, but nothing is left to do")
    follows = judged.bounds() if unfinished else judged.as_fields(vacuous=vacuous)
    for name, value in follows.items():
        reported, computed = as_document(getattr(there, name)), as_document(value)
        if reported != computed:
            raise refused(f"its counts make {name} {computed or 'none'}, not {reported or 'none'}")


def _may_end_early(there: SampleReport, going: Going | None) -> bool:
    """Tell whether bounds may come from fewer draws than were asked for."""
    enough = going is not None and len(going.chunks) >= LEAST_CHUNKS
    return enough and there.verdict in (SampleVerdict.EXCEEDS, SampleVerdict.UNFINISHED)


def _judge_compared(there: SampleReport) -> None:
    """Refuse the verdict of a comparison that does not follow from its counts."""

    def refused(why: str) -> ParameterError:
        return ParameterError("resume", f"dpaudit cannot have written this report: {why}")

    if there.event or there.budget or there.epsilon or there.delta or there.selected:
        raise refused(
            "it was compared with another mechanism, so it cannot have an event or a budget"
        )
    if there.verdict is SampleVerdict.UNFINISHED:
        if there.comparisons or there.tolerance:
            raise refused("it is unfinished, but has distances")
        return
    if there.kept or len(there.comparisons) != there.datasets:
        raise refused("it is finished, but does not compare all datasets")
    try:
        settings = below(real(there.error)), there.datasets, there.digits
        again = [recomputed(comparison, *settings) for comparison in there.comparisons]
        compared = list(map(nearness, again))
    except ValueError as error:
        raise refused(str(error)) from None
    if again != list(there.comparisons):
        raise refused("its p-values or distances are not those of its counts")
    follows = compared_verdict(compared, below(real(there.error)))
    farthest = max(float(real(comparison.distance or "0")) for comparison in again)
    if follows is not there.verdict or float(real(there.tolerance or "0")) != farthest:
        raise refused(f"its numbers make it {follows.value}")


def _counted(there: SampleReport) -> int:
    return there.draws - selection_size(there.draws)


def going_on(there: SampleReport | None, source: Source) -> Going | None:
    """Return the counts of an earlier run, and give the digests of its draws to the source.

    Raises:
        ParameterError: where that cannot be read, or is not of this source.
    """
    if there is None:
        return None
    going, digests = _kept(there)
    try:
        _check_source(there, going, digests, source)
    except ValueError as error:
        raise _unreadable(error) from None
    source.repeats.digests |= digests
    source.repeats.evidence = going.evidence
    return going


def _kept(there: SampleReport) -> tuple[Going, dict[str, str]]:
    try:
        return _read(there)
    except ValueError as error:
        raise _unreadable(error) from None


def _unreadable(error: ValueError) -> ParameterError:
    why = " ".join(str(error).split())[:200]
    return ParameterError("resume", f"the saved state of its run cannot be read ({why})")


def _read(there: SampleReport) -> tuple[Going, dict[str, str]]:
    """Return what was counted, and which digests were seen where.

    Raises ``ValueError`` for what no run with these settings has written.
    """
    try:
        content = json.loads(there.kept)
        (first, second), (event, vacuous), seen = (
            content["ranks"],
            _event_in(content),
            content["seen"],
        )
        chunks = [Together(*chunk) for chunk in content["chunks"]]
        places = [
            CellCounts(Chunk(*chunk), *map(tuple, cells)) for chunk, *cells in content["places"]
        ]
        evidence = float.fromhex(content["evidence"])
        words, digests = event.words(), list(seen.items())
        # What this code has written reads back to the same text; anything else was edited.
        written_so = content["evidence"] == evidence.hex() and content["event"] == coded(event)
    except (ArithmeticError, AttributeError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    whole = [first, second, *(part for chunk in chunks for part in chunk)]
    whole += [part for place in places for row in place for part in row]
    # By type, since True is an int and no count.
    if not all(type(part) is int and part >= 0 for part in whole):
        raise ValueError("a count is not a number")
    if first == second or not max(first, second) < there.datasets or not isinstance(vacuous, bool):
        raise ValueError("it has no event of two datasets")
    if not _are_places(chunks, places) or not _is_planned(there, list(map(sum, chunks))):
        raise ValueError("its chunks are not those that a run draws")
    if not (written_so and isfinite(evidence) and evidence >= 0):
        raise ValueError("its evidence, or its event, is invalid")
    if not all(is_digest(digest) and isinstance(at, str) for digest, at in digests):
        raise ValueError("a digest is invalid")
    going = Going(Chosen(first, second, event), vacuous, chunks, places, evidence)
    reported, all_ = there.event, going.together
    counts = sum(all_), all_.both + all_.first, all_.both + all_.second
    if (
        reported is None
        or _counts_of(reported) != counts
        or as_document(words) != as_document(reported.words)
    ):
        raise ValueError("its event and counts are not those of the report")
    return going, dict(digests)


def _event_in(content: Any) -> tuple[Event, Any]:
    """Return the event that was kept and whether all draws were the same, as it is written.

    Raises ``ValueError`` for what is no event, or has other parts.
    """
    if set(content) != _PARTS:
        raise ValueError("its saved state has the wrong parts")
    return event_of(content["event"]), content["vacuous"]


def _counts_of(event: EventFound) -> tuple[int, int, int]:
    return event.draws, event.count_x, event.count_y


def _is_planned(there: SampleReport, sizes: list[int]) -> bool:
    """Tell whether chunks have the sizes that a run draws, from the first on.

    A run that went on to more draws has them by several plans, each of at most two sizes and a last
    chunk of fewer; none is more than those of the plan of most draws.
    """
    counted = _counted(there)
    plan = sizes_of(counted, "process")  # whose chunks are the largest
    if not sizes or sizes in (plan[: len(sizes)], sizes_of(counted)[: len(sizes)]):
        return bool(sizes)
    fits = min(sizes) > 0 and max(sizes) <= max(plan) and sum(sizes) <= sum(plan)
    return there.sequential and fits and len(set(sizes)) <= 3 * (there.repeated + 1)


def _are_places(chunks: list[Together], places: list[CellCounts]) -> bool:
    """Tell whether counts by cell are those of chunks, in the kinds of chunks that there are."""
    return len(chunks) == len(places) and all(
        (place.chunk.size, sum(place.first), sum(place.second))
        == (sum(chunk), chunk.both + chunk.first, chunk.both + chunk.second)
        and len(place.first) == len(place.second) == CELLS
        and place.chunk.kind <= LONG
        and place.chunk.apart <= place.chunk.size
        for chunk, place in zip(chunks, places, strict=True)
    )


def _check_source(
    there: SampleReport, going: Going, digests: Mapping[str, str], source: Source
) -> None:
    """Raise ``ValueError`` for what was not kept of this source, and for digests that lack.

    A chunk without a digest of its own is one that was drawn before.  How surprising that was is at
    least how surprising it is by the event alone, and has to be in the evidence.
    """
    ranks = {dataset: rank for rank, dataset in enumerate(source.datasets)}
    listed = source.sampler.adjacency().pairs(there.n)
    pairs = {(ranks[x], ranks[y]) for x, y in listed}
    two, event = (going.chosen.first, going.chosen.second), there.event
    if not {two, two[::-1]} & pairs:
        raise ValueError("its datasets are not neighbours")
    if event is None or [as_document(event.x), as_document(event.y)] != [
        as_document(source.datasets[rank]) for rank in two
    ]:
        raise ValueError("its datasets are not those of the report")
    chunks = [place.chunk for place in going.places]
    grown = there.sequential and there.repeated > 0  # by several plans
    if not grown and chunks != plan_of(_counted(there), source.style)[: len(chunks)]:
        raise ValueError("its chunks do not match the calls of a run")
    places, evidence = set(digests.values()), 0.0
    for index, chunk in enumerate(going.chunks):
        for rank, only in zip(two, (chunk.first, chunk.second), strict=True):
            if source.place(rank, 1, index) not in places:
                surprise = _surprise(sum(chunk), chunk.both + only)
                evidence += max(surprise - 2 * log(len(digests) + _DROPPED), 0.0)
    lowest = min(min(pair) for pair in pairs)
    if source.place(lowest, 0, 0) not in places or evidence > going.evidence + _ROUNDING:
        raise ValueError("digests of its chunks are missing")


def _surprise(draws: int, inside: int) -> float:
    """Return minus the log of the probability of draws that are in an event or not, in order."""
    return sum(count * log(draws / count) for count in (inside, draws - inside) if count)

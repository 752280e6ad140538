"""From a sampler and how many draws to its report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.arithmetic import ARRAY_ERRORS
from dpaudit.audit.measure import described
from dpaudit.audit.workers import executors_for
from dpaudit.errors import LawError, LoadError, ParameterError
from dpaudit.mechanisms.loading import spec_of
from dpaudit.mechanisms.user import FiniteMechanism
from dpaudit.notices import StaysHereWarning, notice
from dpaudit.results import EventFound, SampleReport, SampleVerdict
from dpaudit.sampling.audit import audit_pairs, checked_counts, selection_size
from dpaudit.sampling.calls import sizes_of
from dpaudit.sampling.draws import Source
from dpaudit.sampling.independence import LEAST_CHUNKS
from dpaudit.sampling.law_comparison import compared
from dpaudit.sampling.state import goes_on, going_on, written
from dpaudit.sampling.verdicts import (
    Judged,
    at_a_stop,
    below,
    contradicted,
    limits_of,
    spare,
)
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.mechanisms.base import Budget, Mechanism
    from dpaudit.numbers.real import Real
    from dpaudit.sampling.audit import Going
    from dpaudit.sampling.joint import Counts
    from dpaudit.sampling.sampler import Sampler
    from dpaudit.sampling.sequential import Together

__all__ = ["DEFAULT_DIGITS", "MOST_DIGITS", "SamplerSettings", "run_sample"]

DEFAULT_DIGITS = 4
MOST_DIGITS = 12
"""Largest number of digits of a lower bound that can be asked for: the bound is a float."""

_MOST_PAIRS = 10_000


@dataclass(frozen=True)
class SamplerSettings:
    """Request for the audit of a sampler."""

    n: int
    draws: int
    error: Real
    seed: int
    budget: Budget | None
    jobs: int = 1
    against: Mechanism[Any] | None = None
    digits: int = DEFAULT_DIGITS
    sequential: bool = False
    """True to stop as soon as the budget is contradicted."""
    learned: str = ""
    """The library, with its version, that learns events; empty where none is learned."""
    resumed: SampleReport | None = None
    """Report of an earlier run with the same settings, to go on from; None to begin anew."""
    no_law: str = ""
    """Reason why no law was derived, where that was tried."""


def run_sample(
    sampler: Sampler,
    settings: SamplerSettings,
    progress: Callable[[int], None] = lambda draws: None,
    save: Callable[[Callable[[], SampleReport]], None] = lambda report: None,
) -> SampleReport:
    """Draw, and return what is certain, but for the error probability.

    Args:
        sampler: what is drawn from.
        settings: the question and its settings.
        progress: told how many draws more there are.
        save: told after every chunk of both sides how to make a report that can go on from there.

    Raises:
        KeyboardInterrupt: where it is stopped before anything could be kept.
        LawError: for draws that repeat, and for datasets without neighbours.
        ParameterError: for several processes that would draw the same.
    """
    relation = sampler.adjacency()
    datasets = list(sampler.relation.listing(settings.n))
    ranks = {dataset: rank for rank, dataset in enumerate(datasets)}
    some = islice(relation.pairs(settings.n), _MOST_PAIRS + 1)
    pairs = [(ranks[x], ranks[y]) for x, y in some]
    sized = sampler.default_size is None
    where = f"{sampler.name} at n = {settings.n}" if sized else sampler.name
    if not pairs and settings.against is None:
        raise LawError(f"{where}: no two datasets are neighbours")
    if len(pairs) > _MOST_PAIRS:
        raise LawError(
            f"{where}: more than {_MOST_PAIRS} pairs of neighbours, which is the limit; give "
            "fewer datasets"
        )
    if settings.against is not None:
        _check_datasets(sampler, settings.against, datasets, settings.n)
    # As the sampler's file has left them: it draws under its own settings.
    theirs = np.geterr()
    with (
        np.errstate(**ARRAY_ERRORS),
        executors_for(_processes(sampler, settings.jobs)) as executors,
    ):
        source = Source(sampler, datasets, settings.seed, executors, progress, theirs)
        reproducible = source.reproducible()
        if settings.jobs > 1 and not reproducible:
            raise ParameterError(
                "jobs",
                f"jobs = {settings.jobs}: {sampler.name} does not draw from the rng that it "
                "receives, so several processes might draw the same; give --jobs 1",
            )
        report: dict[str, Any] = {
            "schema": "dpaudit.sample/1",
            "version": __version__,
            "mechanism": described(sampler),
            "loaded": sampler.loaded_from,
            "n": settings.n,
            "sized": sized,
            "relation": relation.name,
            "datasets": len(datasets),
            "pairs": len(pairs),
            "draws": settings.draws,
            "error": str(settings.error),
            "seed": settings.seed,
            "reproducible": reproducible,
            "digits": settings.digits,
            "sequential": settings.sequential,
            "learned": settings.learned,
            "no_law": settings.no_law,
        }
        if settings.resumed is not None:
            law = settings.against
            held_to: dict[str, Any] = {"budget": settings.budget}
            if law is not None:
                held_to = {"budget": None, "against": law.name}
            if not goes_on(settings.resumed, report | held_to):
                return settings.resumed
            if not reproducible and not sampler.begins_anew:
                raise ParameterError(
                    "resume",
                    f"{sampler.name} uses randomness that dpaudit does not control: it may "
                    "repeat draws that are already counted; start again, without --resume",
                )
            report["repeated"] = settings.resumed.repeated + 1
        if settings.against is not None:
            return compared(source, settings.against, report, settings.resumed, save)
        return _audited(source, settings, pairs, report, save)


def _looks(settings: SamplerSettings, report: dict[str, Any]) -> int:
    """Return the number of drift tests that could be made, which share the error probability.

    A run may stop after each of its chunks; the k-th that goes on has a part of 1/(k(k + 1)).
    """
    runs: int = report.get("repeated", 0) + 1
    return len(sizes_of(settings.draws)) * runs * (runs + 1)


def _processes(sampler: Sampler, jobs: int) -> int:
    """Return how many processes draw: one, and a notice, where no other can find the sampler."""
    if jobs > 1:
        try:
            spec_of(sampler)
        except LoadError as error:
            notice(str(error), StaysHereWarning)
            return 1
    return jobs


def _check_datasets(sampler: Sampler, law: Mechanism[Any], datasets: list[Any], n: int) -> None:
    """Raise ``LawError`` for datasets that a law which lists its own does not have."""
    if not isinstance(law, FiniteMechanism):
        return  # it has laws of kinds of datasets, and refuses others
    theirs = set(law.relation.listing(n))
    for dataset in datasets:
        if dataset not in theirs:
            raise LawError(
                f"{law.name} has no dataset {dataset!r}: the datasets of {sampler.name} are not "
                f"those of {law.name}"
            )


def _audited(
    source: Source,
    settings: SamplerSettings,
    pairs: list[tuple[int, int]],
    report: dict[str, Any],
    save: Callable[[Callable[[], SampleReport]], None],
) -> SampleReport:
    budget, alpha = settings.budget, below(settings.error)
    if budget is None:
        raise ParameterError(
            "budget", f"{source.sampler.name} states no budget; give --budget EPS[,DELTA]"
        )
    epsilon, delta = limits_of(budget)
    earlier, selected = going_on(settings.resumed, source), selection_size(settings.draws)
    last: list[Going] = [] if earlier is None else [earlier]
    counted = settings.draws - selection_size(settings.draws)
    drift = spare(settings.error) if settings.sequential else spare(settings.error) / 2
    looks = _looks(settings, report) if settings.sequential else 1
    if settings.resumed is not None:
        selected = settings.resumed.selected
        source.progress(sum(earlier.together) if earlier is not None else 0)

    def stops(counts: Together) -> bool:
        return settings.sequential and contradicted(counts, alpha, epsilon, delta)

    def report_of(going: Going, **more: Any) -> SampleReport:
        counts, chosen = going.together, going.chosen
        event = EventFound(
            words=chosen.event.words(),
            x=source.datasets[chosen.first],
            y=source.datasets[chosen.second],
            draws=sum(counts),
            count_x=counts.both + counts.first,
            count_y=counts.both + counts.second,
        )
        return SampleReport(**report, budget=budget, selected=selected, event=event, **more)

    def unfinished(going: Going, **bounds: str) -> SampleReport:
        for echo in going.echoes:
            echo.look()
        state = written(going, source)
        return report_of(going, verdict=SampleVerdict.UNFINISHED, kept=state, **bounds)

    def stopped(going: Going) -> SampleReport:
        del going.places[len(going.chunks) :]  # of a chunk that was being noted
        if len(going.chunks) < LEAST_CHUNKS:
            return unfinished(going)
        together = going.together
        if sum(together) == counted:
            return ended(going, checked_counts(source, going, drift / looks), together)
        part = alpha if settings.sequential else at_a_stop(settings.error)
        share = drift if settings.sequential else at_a_stop(settings.error)
        counts = checked_counts(source, going, share / _looks(settings, report))
        so_far = Judged.of(counts, part, (epsilon, delta), settings.digits, together)
        if so_far.exceeded:
            return report_of(
                going, kept=written(going, source), **so_far.as_fields(vacuous=going.vacuous)
            )
        return unfinished(going, **so_far.bounds())

    def ended(going: Going, counts: Counts, together: Together) -> SampleReport:
        in_order = together if settings.sequential else None
        judged = Judged.of(counts, alpha, (epsilon, delta), settings.digits, in_order)
        state = written(going, source) if settings.sequential else ""
        return report_of(going, kept=state, **judged.as_fields(vacuous=going.vacuous))

    def keep(going: Going) -> None:
        last[:] = [going]
        save(partial(unfinished, going))

    try:
        outcome = audit_pairs(
            *(source, pairs, settings.draws, alpha, delta),
            learned=bool(settings.learned),
            drift=drift,
            looks=looks,
            stops=stops,
            earlier=earlier,
            keep=keep,
        )
    except KeyboardInterrupt:
        if not last:
            raise
        so_far = stopped(last[0])
        ends = sum(last[0].together) == counted and so_far.verdict is not SampleVerdict.UNFINISHED
        if not so_far.kept and not ends:
            raise  # it has neither an answer nor what it could go on from
        return so_far
    return ended(last[0], outcome.counts, outcome.together)

"""Measuring mechanisms at sizes: what every command with a sweep does with its tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.audit.workers import executor_beside
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, exit_for
from dpaudit.cli.isolated import quietly
from dpaudit.cli.reading import (
    check_feasible,
    read_data,
    read_rows,
    read_tasks,
    with_data,
)
from dpaudit.cli.run import exit_when_stopped, plot_name, read_workers, run_tasks
from dpaudit.data.columns import Column
from dpaudit.report.render import render
from dpaudit.report.views import plot_of
from dpaudit.results import Verdict, worst_verdict

if TYPE_CHECKING:
    from dpaudit.audit.runner import Task
    from dpaudit.cli.request import SweepRequest


__all__ = ["Ask", "measure"]

_DRAWING = "dpaudit.report.figures.sheet"
"""Module that all figures need, which takes as long to load as many a sweep."""

Ask = Callable[[list["Task"], "Column | None"], list["Task"]]
"""Makes tasks those of a measure; it is told the data of a file, if any."""


def measure(
    names: tuple[str, ...],
    request: SweepRequest,
    command: str,
    ask: Ask,
    drawn: Callable[[Sequence[tuple[Task, Any]]], Sequence[Any]] = lambda done: (),
) -> int:
    """Sweep mechanisms, write the report and the plot, and return the exit code.

    What an earlier run has finished is kept, as ``--resume`` asks; what is finished is saved every
    few seconds where it can be resumed from.

    Args:
        names: the mechanisms.
        request: what the options say.
        command: what files that are not named are named after.
        ask: makes tasks those of the command's measure.
        drawn: what else the plot is given, made from tasks and their reports.
    """
    data = read_data(request)
    with quietly():
        read = read_tasks(names, with_data(request, data))
        tasks = [task.as_measured() for task in ask(read, data)]
    check_feasible(data, tasks)
    workers = read_workers(request.jobs, request.dask)
    unasked = "" if _is_one_point(tasks) else plot_name(command, tasks)
    destination = Destination.read(request, unasked)
    shown = None if data is None else data.document

    def reported(found: Sequence[Sequence[Any]]) -> list[Any]:
        return [task.report(results) for task, results in zip(tasks, found, strict=True)]

    def save(found: Sequence[Sequence[Any]]) -> None:
        destination.save(render(reported(found), "json", shown))

    with executor_beside(_DRAWING) if destination.plots else nullcontext() as artist:
        with quietly():
            found, interrupted = run_tasks(
                tasks,
                workers,
                kept=_kept(destination.resumed(request.resume), tasks),
                save=save if destination.saves() else None,
            )
            reports = reported(found)
            text = render(reports, request.form, shown, read_rows(request))
        done = [(task, one) for task, one in zip(tasks, reports, strict=True) if one.results]
        plot = None
        if done:  # the figure names sizes without a result
            plot = partial(plot_of, reports, *drawn(done))
        destination.write(text, plot, artist)
    code, stopped = _exit(reports)
    return exit_when_stopped(stopped) if interrupted else code


def _is_one_point(tasks: Sequence[Task]) -> bool:
    """Tell whether a figure would show no more than one size of one mechanism."""
    first, *others = tasks
    one_size = first.sizes[0] == first.sizes[-1]  # there may be millions
    return not others and first.measure.over_sizes and one_size


def _exit(reports: Sequence[Any]) -> tuple[Exit, Exit]:
    """Return the exit code, and the one of a run that was cut short by its time cap."""
    if hasattr(reports[0], "verdict"):
        code = exit_for(worst_verdict([_outcome(report) for report in reports]))
        return code, code
    undecided = any(report.undecided or not getattr(report, "decided", True) for report in reports)
    return (Exit.UNDECIDED if undecided else Exit.WITHIN), Exit.UNDECIDED


def _outcome(report: Any) -> Verdict:
    """Return the verdict; of an audit without a budget, whether it says what ε is."""
    if report.verdict is None:
        return Verdict.WITHIN if report.enclosed else Verdict.UNDECIDED
    verdict: Verdict = report.verdict
    return verdict


def _kept(path: Path | None, tasks: Sequence[Task]) -> list[list[Any]]:
    if path is None:
        return []
    from dpaudit.report.resume import Asked, resume

    return resume(path, [Asked(t.measure, t.mechanism, t.sizes, t.plan) for t in tasks])

"""Measuring mechanisms at sizes: what every command with a sweep does with its tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
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
from dpaudit.cli.run import WorkerPool, exit_when_stopped, plot_name, run_tasks
from dpaudit.report.render import render
from dpaudit.report.views import plot_of
from dpaudit.results import worst_verdict

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.cli.run import Task
    from dpaudit.data.columns import Column

__all__ = ["Ask", "measure"]

_DRAWING = "dpaudit.report.figures.sheet"
"""What all figures need, which takes as long to load as many a sweep."""

Ask = Callable[[list["Task"], "Column | None"], list["Task"]]
"""Makes tasks those of a measure; it is told the data of a file, if any."""


def measure(
    names: tuple[str, ...],
    given: Mapping[str, Any],
    command: str,
    ask: Ask,
    drawn: Callable[[Sequence[tuple[Task, Any]]], Sequence[Any]] = lambda done: (),
    **instead: Any,
) -> int:
    """Sweep mechanisms, write the report and the plot, and return the exit code.

    What an earlier run has finished is kept, as ``--resume`` asks; what is finished is saved every
    few seconds where it can be resumed from.

    Args:
        names: the mechanisms.
        given: what the options say.
        command: what files that are not named are named after.
        ask: makes tasks those of the command's measure.
        drawn: what else the plot is given, made from tasks and their reports.
        instead: what is taken for some options, whatever they say.
    """
    data = read_data(given)
    with quietly():
        read = read_tasks(names, with_data({**given, **instead}, data))
        tasks = [_as_measured(task) for task in ask(read, data)]
    check_feasible(data, tasks)
    pool = WorkerPool.read(given)
    destination = Destination.read(given, plot_name(command, tasks))
    shown = None if data is None else data.document

    def reported(found: Sequence[Sequence[Any]]) -> list[Any]:
        return [task.report(results) for task, results in zip(tasks, found, strict=True)]

    def save(found: Sequence[Sequence[Any]]) -> None:
        destination.save(render(reported(found), "json", shown))

    with executor_beside(_DRAWING) if destination.plots else nullcontext() as artist:
        with quietly():
            found, interrupted = run_tasks(
                tasks,
                pool,
                kept=_kept(destination.resumed(given.get("resume")), tasks),
                save=save if destination.saves() else None,
            )
            reports = reported(found)
            text = render(reports, given["form"], shown, read_rows(given))
        done = [(task, one) for task, one in zip(tasks, reports, strict=True) if one.results]
        plot = None
        if done:  # the figure names sizes without a result
            plot = partial(plot_of, reports, *drawn(done))
        destination.write(text, plot, artist)
    code, stopped = _exit(reports)
    return exit_when_stopped(stopped) if interrupted else code


def _as_measured(task: Task) -> Task:
    return replace(task, mechanism=task.measure.subject(task.mechanism, task.plan))


def _exit(reports: Sequence[Any]) -> tuple[Exit, Exit]:
    """Return the exit code, and the one of a run that was cut short by its time cap."""
    if hasattr(reports[0], "verdict"):
        code = exit_for(worst_verdict(report.verdict for report in reports))
        return code, code
    undecided = any(report.undecided or not getattr(report, "decided", True) for report in reports)
    return (Exit.UNDECIDED if undecided else Exit.WITHIN), Exit.UNDECIDED


def _kept(path: Path | None, tasks: Sequence[Task]) -> list[list[Any]]:
    if path is None:
        return []
    from dpaudit.report.resume import Asked, resume

    return resume(path, [Asked(t.measure, t.mechanism, t.sizes, t.plan) for t in tasks])

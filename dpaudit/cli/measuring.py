"""Measuring mechanisms at sizes: what every command with a sweep does with its tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.audit.workers import executor_beside, processors
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
from dpaudit.machine import sharing
from dpaudit.report.render import AUDIT_FORMS, below, render
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
    *,
    further: Callable[[Sequence[Task], Sequence[Any]], Sequence[str]] = lambda tasks, reports: (),
) -> int:
    """Sweep mechanisms, write the report and the plot, and return the exit code.

    With ``--resume`` the finished results of an earlier run are kept.  Finished results are saved
    every few seconds if the report is one that can be resumed from.

    Args:
        names: the mechanisms.
        request: the options.
        command: name of the command, which default names of files start with.
        ask: makes tasks those of the command's measure.
        drawn: further arguments of the figure, made from tasks and their reports.
        further: lines below the text that people read, made from tasks and their reports.

    Returns:
        The exit code.
    """
    data = read_data(request)
    workers = read_workers(request.jobs, request.dask)
    jobs = 1 if workers.dask else workers.jobs or processors()
    with quietly(), sharing(jobs):  # a user's module may print while it is imported
        read = read_tasks(names, with_data(request, data))
        tasks = [task.as_measured() for task in ask(read, data)]
    check_feasible(data, tasks)
    unasked = "" if _is_one_point(tasks) else plot_name(command, tasks)
    destination = Destination.read(request, unasked, AUDIT_FORMS)
    data_document = None if data is None else data.document

    def reported(results_of_tasks: Sequence[Sequence[Any]]) -> list[Any]:
        return [task.report(results) for task, results in zip(tasks, results_of_tasks, strict=True)]

    def save(results_of_tasks: Sequence[Sequence[Any]]) -> None:
        destination.save(render(reported(results_of_tasks), "json", data_document))

    with executor_beside(_DRAWING) if destination.plots else nullcontext() as artist:
        with quietly():
            results_of_tasks, interrupted = run_tasks(
                tasks,
                workers,
                finished=_finished(destination.resumed(request.resume), tasks),
                save=save if destination.saves() else None,
            )
            reports = reported(results_of_tasks)
            text = render(reports, request.form, data_document, read_rows(request))
            if request.form == "text" and not interrupted:
                text += below(further(tasks, reports))
            pages = _further(destination, tasks, reports, data_document)
        done = [
            (task, report) for task, report in zip(tasks, reports, strict=True) if report.results
        ]
        plot = None
        if done:  # the figure names sizes without a result
            plot = partial(plot_of, reports, *drawn(done))
        destination.write(text, plot, artist, pages)
    code, stopped = _exit(reports)
    return exit_when_stopped(stopped) if interrupted else code


def _further(
    destination: Destination, tasks: Sequence[Task], reports: Sequence[Any], data: Any
) -> list[tuple[Path, bytes]]:
    """Return the files that ``--report`` asks for, with their content."""
    if not destination.reports:
        return []
    from dpaudit.cli.pages import further_reports, pictures_of  # a page is rarely asked for

    return further_reports(destination, pictures_of(tasks, reports), data)


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
    """Return the verdict; without a budget ``within`` if ε is enclosed, else ``undecided``."""
    if report.verdict is None:
        return Verdict.WITHIN if report.enclosed else Verdict.UNDECIDED
    verdict: Verdict = report.verdict
    return verdict


def _finished(path: Path | None, tasks: Sequence[Task]) -> list[list[Any]]:
    if path is None:
        return []
    from dpaudit.report.resume import ResumedQuestion, resume

    return resume(path, [ResumedQuestion(t.measure, t.mechanism, t.sizes, t.plan) for t in tasks])

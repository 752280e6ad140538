"""Measuring mechanisms at sizes: what every command with a sweep does with its tasks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit.cli.contained import quietly
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, exit_for
from dpaudit.cli.naming import plot_name
from dpaudit.cli.run import Workforce, exit_when_stopped, run_tasks
from dpaudit.report.data import data_document
from dpaudit.report.render import render
from dpaudit.results import worst_verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from dpaudit.cli.run import Task
    from dpaudit.data.columns import Column

__all__ = ["measure"]


def measure(
    tasks: Sequence[Task],
    given: Mapping[str, Any],
    name: str,
    plot: Callable[[Sequence[Any]], Figure] | None,
    data: Column | None = None,
) -> int:
    """Sweep the tasks, write the report and the plot, and return the exit code.

    What an earlier run has finished is kept, as ``--resume`` asks; what is finished is saved every
    few seconds where it can be resumed from.
    """
    workforce = Workforce.read(given)
    asked = given if plot is not None else {**given, "no_plot": True}
    destination = Destination.read(asked, plot_name(name, tasks))
    shown = data_document(data)

    def reported(found: Sequence[Sequence[Any]]) -> list[Any]:
        return [task.report(results) for task, results in zip(tasks, found, strict=True)]

    def save(found: Sequence[Sequence[Any]]) -> None:
        destination.save(render(reported(found), "json", shown))

    with quietly():
        found, interrupted = run_tasks(
            tasks,
            workforce,
            kept=_kept(destination.resumed(given.get("resume")), tasks),
            save=save if destination.saves() else None,
        )
        reports = reported(found)
        text = render(reports, given["form"], shown)
    plotted = [report for report in reports if report.results]
    destination.write(text, partial(plot, plotted) if plot is not None and plotted else None)
    code, stopped = _exit(reports)
    return exit_when_stopped(stopped) if interrupted else code


def _exit(reports: Sequence[Any]) -> tuple[Exit, Exit]:
    """Return the exit code, and the one of a run that was cut short by its time cap."""
    if hasattr(reports[0], "verdict"):
        code = exit_for(worst_verdict(report.verdict for report in reports))
        return code, code
    undecided = any(report.undecided for report in reports)
    return (Exit.UNDECIDED if undecided else Exit.WITHIN), Exit.UNDECIDED


def _kept(path: Path | None, tasks: Sequence[Task]) -> list[list[Any]]:
    if path is None:
        return []
    from dpaudit.report.resume import Asked, resume

    return resume(path, [Asked(t.measure, t.mechanism, t.sizes, t.plan) for t in tasks])

"""Running tasks with a progress bar, and keeping what is finished when interrupted."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dpaudit.audit.sweep import estimated_work
from dpaudit.audit.workers import MAX_JOBS, executor_for, worthwhile_jobs
from dpaudit.errors import OutputError, ParameterError
from dpaudit.report.files import check_writable, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from matplotlib.figure import Figure

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["RESULTS", "Destination", "Task", "read_jobs", "run_tasks"]

RESULTS = Path("dpaudit-results")
"""Where plots go when no file is named."""

_ENTRIES_WORTH_A_BAR = 300_000

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Task:
    """One mechanism at some sizes."""

    mechanism: Mechanism[Any]
    sizes: tuple[int, ...]
    plan: Plan

    @property
    def work(self) -> int:
        """About how many entries the task looks at."""
        return estimated_work(self.mechanism, self.sizes, self.plan)

    @property
    def pairs(self) -> int:
        """How many pairs there are at all sizes, before any restriction."""
        relation = self.mechanism.adjacency(self.plan.adjacency)
        return sum(relation.pair_count(n) for n in self.sizes)


def run_tasks(
    tasks: Sequence[Task],
    jobs: int | None,
    sweep: Callable[..., Iterator[ResultT]],
) -> tuple[list[list[ResultT]], bool]:
    """Return what each task found, and whether Ctrl-C cut the run short.

    ``jobs`` None stands for as many workers as pay off; ``sweep`` is
    :func:`dpaudit.audit.sweep.sweep` or ``sweep_curves``.
    """
    found: list[list[ResultT]] = [[] for _ in tasks]
    work = sum(task.work for task in tasks)
    workers = jobs or worthwhile_jobs(work, max(len(task.sizes) for task in tasks))
    try:
        with executor_for(workers) as executor, _progress(tasks, work) as tick:
            for task, results in zip(tasks, found, strict=True):
                _collect(task, results, sweep, executor, tick)
    except KeyboardInterrupt:
        if not any(found):
            raise
        return found, True
    return found, False


def _collect(
    task: Task,
    results: list[ResultT],
    sweep: Callable[..., Iterator[ResultT]],
    executor: Executor | None,
    tick: Callable[[int], None],
) -> None:
    for result in sweep(task.mechanism, task.sizes, task.plan, executor=executor, tick=tick):
        results.append(result)  # noqa: PERF402  (an interrupted loop keeps what it has appended)


def read_jobs(given: str | None) -> int | None:
    """Return the number of workers asked for, None if left open; ``ParameterError`` for others."""
    if given is None:
        return None
    if not given.isdecimal() or not given.isascii() or not 1 <= int(given[:9]) <= MAX_JOBS:
        raise ParameterError("jobs", f"jobs = {given}: must be a whole number from 1 to {MAX_JOBS}")
    return int(given)


@contextmanager
def _progress(tasks: Sequence[Task], work: int) -> Iterator[Callable[[int], None]]:
    """Show pairs done and time left on stderr, if it is a terminal and the work is long."""
    if work < _ENTRIES_WORTH_A_BAR or not sys.stderr.isatty():
        yield lambda pairs: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("pairs"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        names = ", ".join(dict.fromkeys(task.mechanism.name for task in tasks))
        line = bar.add_task(names, total=sum(task.pairs for task in tasks))
        yield lambda pairs: bar.advance(line, pairs)


@dataclass(frozen=True)
class Destination:
    """Where a command's report and plots go, checked before any work is done."""

    form: str
    output: Path | None
    plots: tuple[Path, ...]

    @staticmethod
    def read(given: Mapping[str, Any], default_plot: str) -> Destination:
        """Return the destinations, or raise a ``UsageError`` for one that cannot be written."""
        from dpaudit.report.files import check_plot_suffix

        plots = tuple(Path(name) for name in given["plots"])
        if plots and given["no_plot"]:
            raise ParameterError("plot", "--plot and --no-plot contradict each other; give one")
        output = None if given["output"] is None else Path(given["output"])
        for path in plots:
            check_plot_suffix(path)
        for path in (*plots, *([] if output is None else [output])):
            check_writable(path)
        if len(set(plots) | {output}) != len(plots) + 1:
            raise ParameterError("output", "the same file is named twice")
        if not plots and not given["no_plot"] and given["form"] == "text":
            plots = (_results_folder() / f"{default_plot}.png",)
            check_writable(plots[0])
        return Destination(given["form"], output, plots)

    def write(self, report: bytes, figure: Callable[[], Figure]) -> None:
        """Write the plots, then the report (to stdout if no file is named)."""
        if self.plots:
            from dpaudit.report.figures import save_figure

            drawn = figure()
            for path in self.plots:
                save_figure(drawn, path)
        if self.output is not None:
            write_whole(self.output, report)
        else:
            sys.stdout.buffer.write(report)
            for path in self.plots:
                click.echo(f"plot: {path}", err=self.form != "text")
        sys.stdout.buffer.flush()


def _results_folder() -> Path:
    try:
        RESULTS.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(RESULTS, error.strerror or str(error)) from None
    return RESULTS

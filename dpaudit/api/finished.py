"""What every finished piece of work offers: a table, JSON, a figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dpaudit.audit.sweep import sweep, useful_workers
from dpaudit.audit.workers import check_jobs, executor_for
from dpaudit.errors import PrecisionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from dpaudit.audit.measure import Measure
    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.results import UndecidedSize

__all__ = ["Finished", "only_result", "swept"]


ResultT = TypeVar("ResultT")
ReportT = TypeVar("ReportT")


def only_result(results: Sequence[ResultT], undecided: Sequence[UndecidedSize]) -> ResultT:
    """Return the result of the only size; ``ValueError`` if there are more.

    Raises ``PrecisionError`` if something could not be enclosed at the precision cap.
    """
    if not results and len(undecided) == 1:
        raise PrecisionError(undecided[0].reason)
    if len(results) != 1:
        raise ValueError(f"{len(results)} sizes were audited; look into .results")
    return results[0]


def swept(
    measure: Measure[Any, ReportT],
    mechanism: Mechanism[Any],
    sizes: tuple[int, ...],
    plan: Plan,
    jobs: int,
) -> ReportT:
    """Return the report of a measure of a mechanism at ``sizes``, worked at by ``jobs`` processes.

    Raises ``DomainError`` for a number of processes that makes no sense.
    """
    workers = useful_workers(measure, mechanism, sizes, plan, check_jobs(jobs))
    with executor_for(workers) as executor:
        found = list(sweep(measure, mechanism, sizes, plan, executor=executor, workers=workers))
    return measure.report(mechanism, sizes, plan, found)


class Finished(ABC):
    """A finished report with its ways out: a table, JSON, a figure."""

    @property
    @abstractmethod
    def report(self) -> Any:
        """All findings, as they stand in the document."""

    @abstractmethod
    def figure(self) -> Figure:
        """Return the figure."""

    def to_json(self) -> str:
        """Return the JSON document."""
        from dpaudit.report.render import render

        return render([self.report], "json").decode()

    def __str__(self) -> str:
        """Return the table."""
        from dpaudit.report.render import render

        return render([self.report], "text").decode()

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return the figure, and save it to ``path`` (.png, .svg or .pdf) if given."""
        from dpaudit.report.figures import save_figure

        figure = self.figure()
        if path is not None:
            save_figure(figure, Path(path))
        return figure

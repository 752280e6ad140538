"""What every finished piece of work offers: its report, a table, JSON, a figure."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dpaudit.audit.room import check_room
from dpaudit.audit.sweep import sweep, useful_workers
from dpaudit.audit.workers import check_jobs, executor_for
from dpaudit.errors import LoadError, ParameterError, PrecisionError
from dpaudit.mechanisms.loading import spec_of
from dpaudit.results import Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from dpaudit.audit.measure import Measure
    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.results import Audit, CalibrationReport, MeasuredAudit, Verdict

__all__ = ["Audited", "Finished", "Judged", "Sizes", "swept"]


ReportT = TypeVar("ReportT")


def swept(
    measure: Measure[Any, ReportT],
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    jobs: int,
) -> ReportT:
    """Return the report of a measure of a mechanism at ``sizes``, worked at by ``jobs`` processes.

    Raises ``DomainError`` for a number of processes that makes no sense, and ``TooLargeError``
    before anything is allocated for what there is no memory for.
    """
    mechanism = measure.subject(mechanism, plan)
    spec = None
    if check_jobs(jobs) > 1:
        with suppress(LoadError):  # which is said where it matters
            spec = spec_of(mechanism)  # before its laws are asked for: an object may count that
    check_room(measure, mechanism, sizes, plan)
    workers = useful_workers(measure, mechanism, sizes, plan, jobs)
    if workers > 1:
        check_room(measure, mechanism, sizes, plan, workers)
    with executor_for(workers) as executor:
        swept_over = sweep(
            measure, mechanism, sizes, plan, executor=executor, workers=workers, spec=spec
        )
        found = list(swept_over)
    return measure.report(mechanism, sizes, plan, found)


@dataclass(frozen=True)
class Finished(Generic[ReportT]):
    """A finished report with its ways out: a table, JSON, CSV, Markdown, a figure."""

    report: ReportT
    """All findings, as they stand in the document."""

    def rendered(self, form: str) -> str:
        """Return the report as ``text``, ``json``, ``csv`` or ``markdown``."""
        from dpaudit.report.render import render

        return render([self.report], form).decode()

    def to_json(self) -> str:
        """Return the JSON document."""
        return self.rendered("json")

    def to_csv(self) -> str:
        """Return the report as CSV."""
        return self.rendered("csv")

    def __str__(self) -> str:
        """Return the table."""
        return self.rendered("text")

    def figure(self) -> Figure:
        """Return the figure.  Raises ``ParameterError`` where there is none."""
        from dpaudit.report.views import view_of

        view = view_of(self.report)
        if not view.figure:
            raise ParameterError("plot", f"a {type(self.report).__name__} has no figure")
        return view.plot([self.report])

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return the figure, and save it to ``path`` (.png, .svg or .pdf) if given."""
        from dpaudit.report.figures import save_figure

        figure = self.figure()
        if path is not None:
            save_figure(figure, Path(path))
        return figure


SweptT = TypeVar("SweptT", bound=Report[Any])
ResultT = TypeVar("ResultT")


class Sizes(Finished[SweptT], Generic[SweptT, ResultT]):
    """A finished sweep over sizes."""

    @property
    def audit(self) -> SweptT:
        """All findings."""
        return self.report

    @property
    def results(self) -> tuple[ResultT, ...]:
        """One result for each finished size, in increasing order of n."""
        return self.report.results


JudgedT = TypeVar("JudgedT", bound="Audit | MeasuredAudit | CalibrationReport")


class Judged(Sizes[JudgedT, ResultT]):
    """A finished sweep over sizes that are held to a budget."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all sizes."""
        return self.report.verdict


AuditedT = TypeVar("AuditedT", bound="Audit | MeasuredAudit")


class Audited(Judged[AuditedT, ResultT]):
    """A finished audit; of one size, properties are that size's."""

    @property
    def only(self) -> ResultT:
        """The result of the only size; ``ValueError`` if there are more.

        Raises ``PrecisionError`` if something could not be enclosed at the precision cap.
        """
        without = self.report.undecided
        if not self.results and len(without) == 1:
            raise PrecisionError(without[0].reason)
        if len(self.results) != 1:
            raise ValueError(f"{len(self.results)} sizes were audited; look into .results")
        return self.results[0]

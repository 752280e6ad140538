"""Base of all finished work: its report, a table, JSON, a figure."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from dpaudit.audit.runner import Task, Workers, prepare
from dpaudit.audit.workers import check_jobs
from dpaudit.errors import MissingExtraError, ParameterError, PrecisionError
from dpaudit.results import (
    Audit,
    CalibrationReport,
    IntervalAudit,
    MeasuredAudit,
    Report,
    ReportList,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from dpaudit.audit.measure import Measure
    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["Audited", "Finished", "Framed", "Judged", "Sizes", "swept", "swept_together"]


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
    (report,) = swept_together([(measure, mechanism, plan)], sizes, jobs)
    return report


def swept_together(
    measured: Sequence[tuple[Measure[Any, ReportT], Mechanism[Any], Plan]],
    sizes: Sequence[int],
    jobs: int,
) -> list[ReportT]:
    """Return the reports of several measures of mechanisms at ``sizes``, computed together.

    Raises what :func:`swept` does.
    """
    check_jobs(jobs)
    tasks = [
        Task(mechanism, sizes, plan, measure).as_measured() for measure, mechanism, plan in measured
    ]
    results_of_tasks = prepare(tasks, Workers(jobs)).collected()
    return [task.report(results) for task, results in zip(tasks, results_of_tasks, strict=True)]


class Framed:
    """Base of results whose rows can be read as data frames."""

    def rendered(self, form: str) -> str:
        """Return the report as ``text``, ``json``, ``csv`` or ``markdown``."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the rows of the CSV as a pandas data frame.

        Whole numbers are integers, ends of intervals floats that are rounded outward: down where
        the column is ``…_lower``, up where it is ``…_upper``.

        Raises:
            MissingExtraError: without pandas.
        """
        from dpaudit.report.notebook import columns_of

        return _library("pandas").DataFrame(columns_of(self.to_csv()))

    def to_polars(self) -> Any:
        """Return the rows of the CSV as a polars data frame, typed as by :meth:`to_pandas`.

        Raises:
            MissingExtraError: without polars.
        """
        from dpaudit.report.notebook import columns_of

        return _library("polars").DataFrame(columns_of(self.to_csv()))

    def to_json(self) -> str:
        """Return the JSON document."""
        return self.rendered("json")

    def to_csv(self) -> str:
        """Return the rows as CSV."""
        return self.rendered("csv")


@dataclass(frozen=True, repr=False)
class Finished(Framed, Generic[ReportT]):
    """A finished report; it can be exported as a table, JSON, CSV, Markdown or a figure."""

    report: ReportT
    """All findings, as in the JSON document."""

    @property
    def reports(self) -> tuple[Any, ...]:
        """The reports of the result: one, or one for each mechanism."""
        return self.report.reports if isinstance(self.report, ReportList) else (self.report,)

    def rendered(self, form: str) -> str:
        """Return the report as ``text`` (with every row), ``json``, ``csv`` or ``markdown``."""
        from dpaudit.report.render import render

        return render(self.reports, form).decode()

    def __repr__(self) -> str:
        """Return one line: what was asked, and what was found."""
        from dpaudit.report.notebook import line

        return line(self)

    def _repr_html_(self) -> str:
        """Return the tables and the figure, for a notebook."""
        from dpaudit.report.notebook import html

        return html(self)

    def __str__(self) -> str:
        """Return the table: of a long sweep the first rows, the worst and the last."""
        from dpaudit.report.fitting import SHOWN_ROWS
        from dpaudit.report.render import render

        return render(self.reports, "text", rows=SHOWN_ROWS).decode()

    def figure(self) -> Figure:
        """Return the figure; ``ParameterError`` for a kind of report without one."""
        from dpaudit.report.views import view_of

        view = view_of(self.reports[0])
        if not view.figure:
            raise ParameterError("plot", "this kind of report has no figure")
        return view.plot(self.reports)

    def plot(
        self, path: str | Path | None = None, *, width: Literal["page", "column"] = "page"
    ) -> Figure:
        """Return the figure, and save it if ``path`` is given.

        Args:
            path: the file to write: .svg, .pdf or .png; without a suffix, .svg.  The caption of an
                SVG or PDF is written beside it, in NAME.caption.txt.
            width: the width of a page, or of one column of two; in a column, the plot has no title,
                and the caption, which has it, is written beside every file.

        Returns:
            The figure, of matplotlib.

        Raises:
            OutputError: for another suffix, or where the file cannot be written.
        """
        from dpaudit.report.figures.sheet import save_figure
        from dpaudit.report.figures.style import WIDTHS, of_width

        if width not in WIDTHS:
            raise ParameterError("width", f"width = {width!r}: must be {' or '.join(WIDTHS)}")
        with of_width(width):
            figure = self.figure()
            if path is not None:
                save_figure(figure, Path(path))
        return figure


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(name, "frames") from None


SweptT = TypeVar("SweptT", bound=Report[Any])
ResultT = TypeVar("ResultT")


class Sizes(Finished[SweptT], Generic[SweptT, ResultT]):
    """Result of a question asked at one or more sizes n."""

    @property
    def audit(self) -> SweptT:
        """The whole report, as in the JSON document."""
        return self.report

    @property
    def results(self) -> tuple[ResultT, ...]:
        """One result for each finished size, in increasing order of n."""
        return self.report.results


JudgedT = TypeVar("JudgedT", bound="MeasuredAudit | CalibrationReport | IntervalAudit")


class Judged(Sizes[JudgedT, ResultT]):
    """Result of a question that compares every size with a budget."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all sizes."""
        return self.report.verdict


AuditedT = TypeVar("AuditedT", bound="Audit | MeasuredAudit")


class Audited(Sizes[AuditedT, ResultT]):
    """Result of an audit; for a single size, its properties are the values of that size."""

    @property
    def only(self) -> ResultT:
        """The result of the only size; ``ValueError`` if several sizes were audited.

        Raises ``PrecisionError`` if something could not be enclosed at the precision cap.
        """
        without = self.report.undecided
        if not self.results and len(without) == 1:
            raise PrecisionError(without[0].reason)
        if len(self.results) != 1:
            raise ValueError(f"{len(self.results)} sizes were audited; read .results instead")
        return self.results[0]

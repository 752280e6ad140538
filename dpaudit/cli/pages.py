"""Further reports of an audit, that ``--report`` asks for; the page among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.exits import ARGUMENTS
from dpaudit.errors import DpauditError
from dpaudit.report.render import render as rendered
from dpaudit.report.view import view_of

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.audit.runner import Task
    from dpaudit.cli.destination import Destination
    from dpaudit.report.formats.chart import Chart
    from dpaudit.report.formats.html import Picture
    from dpaudit.results import Data

__all__ = ["further_reports", "pages_of", "pictures_of"]


def further_reports(
    destination: Destination,
    pictures: Sequence[Picture],
    data: Data | None = None,
    render: Callable[[str], bytes] | None = None,
) -> list[tuple[Path, bytes]]:
    """Return the files of further reports with their content, all made before any is written.

    Args:
        destination: which forms go to which files.
        pictures: the reports, with what their charts are drawn from.
        data: what they were made at, if that is a file.
        render: writes the reports in a form other than a page; by default as their views do.
    """
    from dpaudit.report.formats.audit_page import audit_html

    reports: list[Any] = [picture.report for picture in pictures]
    context = click.get_current_context()
    words = [str(context.info_name), *context.meta[ARGUMENTS]]
    written = render or (lambda form: rendered(reports, form, data))
    return [
        (file, audit_html(pictures, words) if form == "html" else written(form))
        for form, file in destination.reports
    ]


def pages_of(
    destination: Destination,
    titled: Sequence[tuple[str, Any]],
    render: Callable[[str], bytes] | None = None,
    charts: Callable[[], Sequence[Chart]] = tuple,
) -> list[tuple[Path, bytes]]:
    """Return the files of further reports that are drawn from what they say, and from charts.

    Args:
        destination: which forms go to which files.
        titled: the reports, each with the name of what it is about.
        render: as for :func:`further_reports`.
        charts: returns the further charts of each report.
    """
    if not destination.reports:
        return []
    from dpaudit.report.formats.html import Picture  # a page is rarely asked for

    drawn = charts() if any(form == "html" for form, _ in destination.reports) else ()
    pictures = [Picture(*one, charts=drawn) for one in titled]
    return further_reports(destination, pictures, render=render)


def pictures_of(tasks: Sequence[Task], reports: Sequence[Any]) -> list[Picture]:
    """Return reports with the events that their charts are drawn from, where these are known."""
    return [_picture(task, report) for task, report in zip(tasks, reports, strict=True)]


def _picture(task: Task, report: Any) -> Picture:
    from dpaudit.audit.curve import worst_events
    from dpaudit.report.formats.html import Picture

    sizes = [result.n for result in report.results]
    if len(report.sizes) > 1 or not sizes or not view_of(report).charts(report, ()).profile:
        return Picture(report.mechanism, report)
    with suppress(DpauditError):  # a curve that cannot be listed is not drawn
        events = worst_events(task.mechanism, sizes[0], task.plan)
        return Picture(report.mechanism, report, events, sizes[0])
    return Picture(report.mechanism, report)

"""Further reports of an audit, that ``--report`` asks for; the page among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.exits import ARGUMENTS
from dpaudit.report.render import render

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.cli.destination import Destination
    from dpaudit.report.formats.html import Picture
    from dpaudit.results import Data

__all__ = ["further_reports"]


def further_reports(
    destination: Destination, pictures: Sequence[Picture], data: Data | None = None
) -> list[tuple[Path, bytes]]:
    """Return the files of further reports with their content, all made before any is written.

    Args:
        destination: which forms go to which files.
        pictures: the reports, with what their charts are drawn from.
        data: what they were made at, if that is a file.
    """
    from dpaudit.report.formats.audit_page import audit_html

    reports: list[Any] = [picture.report for picture in pictures]
    context = click.get_current_context()
    words = [str(context.info_name), *context.meta[ARGUMENTS]]
    return [
        (file, audit_html(pictures, words) if form == "html" else render(reports, form, data))
        for form, file in destination.reports
    ]

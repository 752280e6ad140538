"""What was reproduced of the notes, as JSON, text and CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from dpaudit.fingerprint import fingerprint
from dpaudit.notes.reproduce.targets import decided
from dpaudit.report.table import printable
from dpaudit.results import Failed, PrintedOutcome, ReproductionReport
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.notes.reproduce.findings import Item

__all__ = [
    "MARKS",
    "item_csv",
    "render_text",
    "reproduction_document",
    "verdict_of",
]

MARKS = {
    PrintedOutcome.REPRODUCED: "✓",
    PrintedOutcome.NOT_REPRODUCED: "✗",
    PrintedOutcome.UNDECIDED: "?",
    PrintedOutcome.SHOWN: "·",
}
"""The outcomes as marks."""


def verdict_of(found: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    """Return the verdict over all targets."""
    return "decided" if not missing and all(map(decided, found)) else "undecided"


def reproduction_document(
    found: Sequence[Item | Failed], missing: Sequence[str]
) -> ReproductionReport:
    """Return the document of what was found."""
    return ReproductionReport(
        schema="dpaudit.reproduce/1",
        version=__version__,
        fingerprint=fingerprint(),
        verdict=verdict_of(found, missing),
        items=tuple(one.report for one in found if not isinstance(one, Failed)),
        undecided=tuple(one for one in found if isinstance(one, Failed)),
        missing=tuple(missing),
    )


def render_text(found: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    """Return a line for each target, and below it one for each number and statement."""
    lines = []
    for one in found:
        if isinstance(one, Failed):
            lines.append(f"{one.id}: undecided: {one.reason}")
            continue
        lines.append(f"{one.line()} ({one.place})")
        lines += [f"  {MARKS[check.outcome]} {check.line()}" for check in one.checks]
    lines += [f"{name}: not computed" for name in missing]
    return "\n".join(map(printable, lines)) + "\n"


def item_csv(item: Item) -> bytes:
    """Return the numbers of an item as CSV with a header line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(item.table.header)
    writer.writerows(item.table.rows)
    return stream.getvalue().encode()

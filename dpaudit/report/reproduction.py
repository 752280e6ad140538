"""What was reproduced of the notes, as JSON, text and CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import msgspec

from dpaudit.exact.enclosure import Enclosure
from dpaudit.report.text import printable
from dpaudit.reproduce.findings import Outcome
from dpaudit.reproduce.run import Failed, decided
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.reproduce.findings import Check, Item

__all__ = [
    "MARKS",
    "ReproductionDocument",
    "item_csv",
    "render_text",
    "reproduction_document",
    "verdict_of",
]

MARKS = {
    Outcome.REPRODUCED: "✓",
    Outcome.NOT_REPRODUCED: "✗",
    Outcome.UNDECIDED: "?",
    Outcome.SHOWN: "·",
}
"""The outcomes as marks."""


class CheckDocument(msgspec.Struct):
    """One printed number or statement."""

    what: str
    printed: str
    verdict: str
    """``reproduced``, ``not reproduced`` or ``undecided``."""
    reading: str
    """The reading that gives it, or the nearest one."""
    digits: int | None
    """How many significant digits are reproduced; None for a statement."""
    value: Enclosure | None
    why: str


class ItemDocument(msgspec.Struct):
    """One table, caption or figure."""

    id: str
    title: str
    place: str
    verdict: str
    """As of a check, or ``reproduced in part``."""
    reading: list[str]
    digits: int | None
    """The least number of digits of its reproduced numbers, None without numbers."""
    checks: list[CheckDocument]
    remarks: list[str]
    csv: str
    """The file with its numbers, in the folder of the page."""
    picture: str


class FailedDocument(msgspec.Struct):
    """A target without a finding, and why."""

    id: str
    place: str
    reason: str


class ReproductionDocument(msgspec.Struct, omit_defaults=True):
    """What was reproduced."""

    schema: str
    version: str
    verdict: str
    """``decided``, or ``undecided`` where a target is, or is missing."""
    items: list[ItemDocument]
    undecided: list[FailedDocument]
    missing: list[str]
    """The targets that were not computed."""
    sha256: str = ""


def verdict_of(found: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    """Return the verdict over all targets."""
    return "decided" if not missing and all(map(decided, found)) else "undecided"


def reproduction_document(
    found: Sequence[Item | Failed], missing: Sequence[str]
) -> ReproductionDocument:
    """Return the document of what was found."""
    return ReproductionDocument(
        schema="dpaudit.reproduce/1",
        version=__version__,
        verdict=verdict_of(found, missing),
        items=[_item(one) for one in found if not isinstance(one, Failed)],
        undecided=[
            FailedDocument(one.id, one.place, one.reason)
            for one in found
            if isinstance(one, Failed)
        ],
        missing=list(missing),
    )


def _item(item: Item) -> ItemDocument:
    digits = [check.digits for check in item.checks if check.digits]
    return ItemDocument(
        id=item.id,
        title=item.title,
        place=item.place,
        verdict=item.verdict,
        reading=list(item.readings),
        digits=min(digits) if digits else None,
        checks=[_check(check) for check in item.checks],
        remarks=list(item.remarks),
        csv=f"{item.id}.csv",
        picture=f"{item.id}.png",
    )


def _check(check: Check) -> CheckDocument:
    return CheckDocument(
        what=check.what,
        printed=check.printed,
        verdict=check.outcome.value,
        reading=check.reading,
        digits=check.digits,
        value=check.value,
        why=check.why,
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

"""How a gate's report is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from dpaudit.report.table import MOST_SHOWN, printable, shortened
from dpaudit.report.view import Block, Row, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.results import GateDocument

__all__ = ["GATE"]

_LONGEST_MESSAGE = 2000


def _blocks(report: GateDocument) -> Iterator[Block]:
    entries = _presentable(report).entries()
    rows = [["pass" if passed else "FAIL", *cells] for passed, *cells in entries]
    failed = sum(row[0] == "FAIL" for row in rows)
    checked = f"{len(rows)} checked, {f'{failed} failed' if failed else 'all passed'}"
    total = f"{report.verdict.value}: {checked} ({report.config})"
    yield Block(header=("", "what", "found", "how"), rows=rows, notes=[total])


def _lines(report: GateDocument) -> Iterator[Row]:
    for passed, title, found, message in report.entries():
        yield {
            "passed": str(passed).lower(),
            "what": title,
            "found": found,
            "how": message,
        }


def _shown(text: str, most: int = MOST_SHOWN) -> str:
    return shortened(printable(text), most)


def _presentable(report: GateDocument) -> GateDocument:
    """Return the report with texts of one line that move no cursor and have an end."""
    return replace(
        report,
        mechanisms=tuple(
            replace(
                one,
                title=_shown(one.title),
                mechanism=_shown(one.mechanism),
                message=_shown(one.message, _LONGEST_MESSAGE),
            )
            for one in report.mechanisms
        ),
        claims=tuple(
            replace(one, id=_shown(one.id), message=_shown(one.message, _LONGEST_MESSAGE))
            for one in report.claims
        ),
    )


GATE = View(
    blocks=_blocks,
    columns=lambda report: ("passed", "what", "found", "how"),
    lines=_lines,
    forms={
        "junit": "junit:gate_junit",
        "sarif": "sarif:gate_sarif",
        "annotations": "annotations:gate_annotations",
        "html": "html:gate_html",
    },
    presentable=_presentable,
)

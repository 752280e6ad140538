"""How a gate's report is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.report.view import Block, Row, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.results import GateDocument

__all__ = ["GATE"]


def _blocks(report: GateDocument) -> Iterator[Block]:
    rows = [["pass" if passed else "FAIL", *cells] for passed, *cells in report.entries()]
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
)

"""How a gate's report, and checks of conformance, are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.report.view import Block, Row, View
from dpaudit.results import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.results import ConformanceReport, GateDocument

__all__ = ["CONFORMANCE", "GATE"]


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
        "annotations": "sarif:gate_annotations",
        "html": "html:gate_html",
    },
)


_WORDS = {Status.PASSED: "pass", Status.FAILED: "FAIL", Status.NOT_REACHED: "-"}


def _blocks_of_conformances(report: ConformanceReport) -> Iterator[Block]:
    for one in report.mechanisms:
        rows = [[_WORDS[check.status], check.name, check.message] for check in one.checks]
        found = [check.status for check in one.checks]
        left = found.count(Status.NOT_REACHED)
        counted = f"{found.count(Status.FAILED)} failed" + (f", {left} not reached" if left else "")
        verdict = "conforms" if one.conforms else f"does not conform: {counted}"
        source = "" if one.loaded is None else f", from {one.loaded.reference}"
        heading = f"{one.mechanism}{source}; n = {', '.join(map(str, one.sizes))}"
        yield Block(heading, ("", "check", "what"), rows, [verdict])


def _lines_of_conformances(report: ConformanceReport) -> Iterator[Row]:
    for one in report.mechanisms:
        for check in one.checks:
            yield {
                "mechanism": one.mechanism,
                "sizes": ",".join(map(str, one.sizes)),
                "check": check.name,
                "status": check.status.value,
                "message": check.message,
            }


CONFORMANCE = View(
    blocks=_blocks_of_conformances,
    columns=lambda report: ("mechanism", "sizes", "check", "status", "message"),
    lines=_lines_of_conformances,
)

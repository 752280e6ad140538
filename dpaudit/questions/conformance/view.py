"""View of checks that something is a mechanism at all."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit import results
from dpaudit.report.view import Block, Row, View

__all__ = ["CONFORMANCE"]


_WORDS = {
    results.Status.PASSED: "pass",
    results.Status.FAILED: "FAIL",
    results.Status.NOT_REACHED: "-",
}


def _blocks_of_conformances(report: results.ConformanceReport) -> Iterator[Block]:
    for one in report.mechanisms:
        rows = [[_WORDS[check.status], check.name, check.message] for check in one.checks]
        found = [check.status for check in one.checks]
        left = found.count(results.Status.NOT_REACHED)
        counted = f"{found.count(results.Status.FAILED)} failed" + (
            f", {left} not reached" if left else ""
        )
        verdict = "conforms" if one.conforms else f"does not conform: {counted}"
        source = "" if one.loaded is None else f", from {one.loaded.reference}"
        heading = f"{one.mechanism}{source}; n = {', '.join(map(str, one.sizes))}"
        yield Block(heading, ("", "check", "what"), rows, [verdict], whole=True)


def _lines_of_conformances(report: results.ConformanceReport) -> Iterator[Row]:
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

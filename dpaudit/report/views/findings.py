"""Views of gates and of rechecks."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from dpaudit import results
from dpaudit.recheck.findings import UNBOUND, VerificationDocument, verification_rows
from dpaudit.report import table
from dpaudit.report.view import Block, Row, View
from dpaudit.report.views.differences import conclusion, difference_blocks

__all__ = ["GATE", "VERIFICATION"]


_LONGEST_MESSAGE = 2000
_GATE = ("passed", "what", "found", "how")


def _blocks(report: results.GateDocument) -> Iterator[Block]:
    entries = _presentable(report).entries()
    rows = [["pass" if passed else "FAIL", *cells] for passed, *cells in entries]
    drawn, failed = report.drawn, report.failed
    counted = [f"{drawn} passed by draws alone"] * (drawn > 0) + [f"{failed} failed"] * (failed > 0)
    checked = f"{len(rows)} checked, {', '.join(counted) or 'all passed'}"
    total = f"{report.verdict.value}: {checked} ({report.config})"
    yield Block(header=("", *_GATE[1:]), rows=rows, notes=[total], whole=True)
    if report.baseline is not None:
        yield from difference_blocks(report.baseline)


def _lines(report: results.GateDocument) -> Iterator[Row]:
    for passed, *cells in report.entries():
        yield dict(zip(_GATE, (str(passed).lower(), *cells), strict=True))
    older = report.baseline
    if older is not None:
        kept = str(not report.got_worse).lower()
        row = (kept, older.old.name, older.verdict.value, conclusion(older))
        yield dict(zip(_GATE, row, strict=True))


def _shown(text: str, most: int = table.MOST_SHOWN) -> str:
    return table.shortened(table.printable(text), most)


def _presentable(report: results.GateDocument) -> results.GateDocument:
    """Return the report with texts of one line that move no cursor and have an end."""
    return replace(
        report,
        mechanisms=tuple(
            replace(
                finding,
                title=_shown(finding.title),
                mechanism=_shown(finding.mechanism),
                message=_shown(finding.message, _LONGEST_MESSAGE),
            )
            for finding in report.mechanisms
        ),
        claims=tuple(
            replace(
                finding, id=_shown(finding.id), message=_shown(finding.message, _LONGEST_MESSAGE)
            )
            for finding in report.claims
        ),
    )


GATE = View(
    blocks=_blocks,
    columns=lambda report: _GATE,
    lines=_lines,
    figure="dpaudit.report.figures.gates:plot_gate",
    forms={
        "junit": "dpaudit.report.formats.ci:gate_junit",
        "sarif": "dpaudit.report.formats.ci:gate_sarif",
        "annotations": "dpaudit.report.formats.ci:gate_annotations",
        "html": "dpaudit.report.formats.html:gate_html",
    },
    presentable=_presentable,
)


_VERIFICATION = ("what", "where", "count", "message")


def _blocks_of_verifications(report: VerificationDocument) -> Iterator[Block]:
    rows = verification_rows(report)
    yield Block(f"{report.report}: {report.verdict}", _VERIFICATION, rows, [UNBOUND], whole=True)


VERIFICATION = View(
    blocks=_blocks_of_verifications,
    columns=lambda found: _VERIFICATION,
    lines=lambda found: (
        dict(zip(_VERIFICATION, row, strict=True)) for row in verification_rows(found)
    ),
)

"""The gate's report as Markdown, for a job summary, and as GitHub annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.results.gates import GateDocument

__all__ = ["gate_annotations", "gate_markdown"]


def gate_markdown(document: GateDocument) -> str:
    """Return the report as a Markdown table under a heading."""
    rows = [(one.passed, one.title, one.kind, one.message) for one in document.mechanisms]
    rows += [(one.passed, one.id, one.found, one.message) for one in document.claims]
    failed = sum(not row[0] for row in rows)
    lines = [
        f"## dpaudit {document.version}: {_cell(document.config)} is {document.verdict.value}",
        "",
        f"{len(rows)} checked, {failed} failed",
        "",
        "| | what | found | how |",
        "|---|---|---|---|",
    ]
    for passed, *cells in rows:
        lines.append(f"| {'✓' if passed else '✗'} | {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def gate_annotations(document: GateDocument) -> str:
    """Return one ``::error`` workflow command for each failure, at the mechanism's definition."""
    lines = []
    for one in document.mechanisms:
        if not one.passed:
            where = one.location
            file, line = (where.file, where.line) if where else (document.config, 1)
            place = f"file={_property(file)},line={line}"
            lines.append(f"::error {place},title={_property(one.title)}::{_data(one.message)}")
    for claim in document.claims:
        if not claim.passed:
            place = f"file={_property(document.config)}"
            lines.append(f"::error {place},title={_property(claim.id)}::{_data(claim.message)}")
    return "".join(f"{line}\n" for line in lines)


def _cell(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(escaped.split())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

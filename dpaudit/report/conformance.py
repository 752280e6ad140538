"""What a conformance check found, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dpaudit.audit.conformance_result import CHECKS, Conformance, Status
from dpaudit.report.text import aligned_table, markdown_table
from dpaudit.results import Source
from dpaudit.results.documents import encode
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "ConformanceDocument",
    "ConformancesDocument",
    "conformance_document",
    "render_conformance",
]

_WORDS = {Status.PASSED: "pass", Status.FAILED: "FAIL", Status.NOT_REACHED: "-"}


class CheckDocument(msgspec.Struct):
    """What one check found."""

    check: str
    about: str
    status: str
    message: str


class ConformanceDocument(msgspec.Struct, omit_defaults=True):
    """What is wrong with a mechanism as one, if anything is."""

    mechanism: str
    sizes: list[int]
    conforms: bool
    checks: list[CheckDocument]
    loaded: Source | None = None


class ConformancesDocument(msgspec.Struct):
    """What is wrong with mechanisms, if anything is."""

    schema: str
    version: str
    conforms: bool
    mechanisms: list[ConformanceDocument]


def conformance_document(
    found: Sequence[tuple[Mechanism[object], Conformance]],
) -> ConformancesDocument:
    """Return the document of the mechanisms with what was found of each."""
    return ConformancesDocument(
        schema="dpaudit.conformance/1",
        version=__version__,
        conforms=all(result.conforms for _, result in found),
        mechanisms=[_document(mechanism, result) for mechanism, result in found],
    )


def _document(mechanism: Mechanism[object], result: Conformance) -> ConformanceDocument:
    return ConformanceDocument(
        mechanism=result.mechanism,
        sizes=list(result.sizes),
        conforms=result.conforms,
        checks=[
            CheckDocument(check.name, CHECKS[check.name], check.status.value, check.message)
            for check in result.checks
        ],
        loaded=mechanism.loaded_from,
    )


def render_conformance(found: Sequence[tuple[Mechanism[object], Conformance]], form: str) -> bytes:
    """Return what was found as ``text``, ``markdown`` or ``json``."""
    if form == "json":
        return encode(conformance_document(found))
    table = markdown_table if form == "markdown" else aligned_table
    blocks = []
    for mechanism, result in found:
        rows = [[_WORDS[check.status], check.name, check.message] for check in result.checks]
        failed, left = (
            sum(check.status is status for check in result.checks)
            for status in (Status.FAILED, Status.NOT_REACHED)
        )
        counted = f"{failed} failed" + (f", {left} not reached" if left else "")
        verdict = "conforms" if result.conforms else f"does not conform: {counted}"
        source = mechanism.loaded_from
        origin = "" if source is None else f", from {source.reference}"
        sizes = ", ".join(map(str, result.sizes))
        heading = f"{result.mechanism}{origin}; n = {sizes}"
        blocks.append("\n".join([heading, "", table(["", "check", "what"], rows), "", verdict]))
    return ("\n\n".join(blocks) + "\n").encode()

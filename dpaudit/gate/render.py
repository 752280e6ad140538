"""The gate's report in the form that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.results.gates import GateDocument

__all__ = ["FORMS", "render"]

FORMS = ("text", "json", "junit", "sarif", "markdown", "annotations", "html")
"""The forms of a report."""


def render(document: GateDocument, form: str) -> bytes:
    """Return ``document`` in one of :data:`FORMS`."""
    if form == "json":
        from dpaudit.results.documents import encode

        return encode(document)
    if form == "junit":
        from dpaudit.gate.junit import gate_junit

        return gate_junit(document)
    if form == "sarif":
        from dpaudit.gate.sarif import gate_sarif

        return gate_sarif(document)
    if form in ("markdown", "annotations"):
        from dpaudit.gate.markdown import gate_annotations, gate_markdown

        return (gate_markdown if form == "markdown" else gate_annotations)(document).encode()
    if form == "html":
        from dpaudit.gate.html import gate_html

        return gate_html(document).encode()
    from dpaudit.gate.text import gate_text

    return gate_text(document).encode()

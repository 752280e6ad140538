"""The gate's report as GitHub annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.results import GateDocument

__all__ = ["gate_annotations"]


def gate_annotations(document: GateDocument) -> bytes:
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
    return "".join(f"{line}\n" for line in lines).encode()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

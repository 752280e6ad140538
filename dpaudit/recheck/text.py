"""A recheck in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.recheck.verification import VerificationDocument

__all__ = ["verification_text"]

_SHOWN = 20
UNBOUND = (
    "a report proves its numbers, not that the mechanism, the budget and the sizes in it are the "
    "ones you mean"
)


def verification_text(document: VerificationDocument) -> str:
    """Return what was rechecked, what is contradicted, and what was taken from the report."""
    lines = [f"{document.report}: {document.verdict}"]
    if document.rechecked:
        lines.append("rechecked, and agrees")
        width = max(map(len, document.rechecked))
        lines += [f"  {kind:<{width}}  {n}" for kind, n in document.rechecked.items()]
    for title, entries in (
        ("contradicted", document.disagreements),
        ("not rechecked", document.unconfirmed),
    ):
        if entries:
            lines.append(title)
            lines += [f"  {entry.where}: {entry.message}" for entry in entries[:_SHOWN]]
            if len(entries) > _SHOWN:
                lines.append(f"  and {len(entries) - _SHOWN} more")
    if document.taken:
        lines += ["taken from the report", *(f"  {what}" for what in document.taken)]
    lines.append(UNBOUND)
    return "\n".join(lines) + "\n"

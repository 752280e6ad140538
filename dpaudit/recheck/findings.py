"""Findings of a recheck: as the document ``dpaudit.verification/1``, in words, and as errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from dpaudit.errors import UsageError
from dpaudit.results import Verdict
from dpaudit.results.brief import Brief

__all__ = [
    "UNBOUND",
    "Disagreement",
    "Findings",
    "NotAReportError",
    "UnknownDefinitionError",
    "VerificationDocument",
    "verification_rows",
    "verification_text",
    "worst",
]

_SHOWN = 20
UNBOUND = (
    "a report proves its numbers, not that the mechanism, the budget and the sizes in it are the "
    "ones you mean"
)


def worst(verdicts: Iterable[Verdict | None]) -> Verdict:
    """Return the worst verdict: exceeds, then undecided; a missing one counts as undecided."""
    distinct = set(verdicts)
    if Verdict.EXCEEDS in distinct:
        return Verdict.EXCEEDS
    return Verdict.WITHIN if distinct == {Verdict.WITHIN} else Verdict.UNDECIDED


class NotAReportError(UsageError):
    """A file that is no report, or has a field that does not belong there."""


class UnknownDefinitionError(Exception):
    """A mechanism, or a reading of one, that is not defined here a second time."""


class Disagreement(Brief, msgspec.Struct):
    """A statement of a report that the recheck contradicts."""

    where: str
    message: str


class VerificationDocument(msgspec.Struct):
    """Verdict on a report, with the number of statements rechecked and every disagreement."""

    schema: str
    version: str
    report: str
    """The name of the file."""
    report_sha256: str
    """Of the file as it was read."""
    verdict: str
    """``accepted`` if everything that can be rechecked holds, ``rejected`` if something does not,
    ``unconfirmed`` if nothing is contradicted, but a part could not be rechecked at all."""
    rechecked: dict[str, int]
    """Number of statements that were recomputed and agree, by kind."""
    disagreements: list[Disagreement]
    unconfirmed: list[Disagreement]
    """Statements that could not be rechecked, each with the reason."""
    taken: list[str]
    """Statements that were taken from the report unchecked, in words."""
    bound: list[str]
    """Requirements that the report was compared with: ``budget``, ``n``, ``config``."""

    def __repr__(self) -> str:
        """Return the report and what became of it, in one line."""
        counts = f"{sum(self.rechecked.values())} rechecked, {len(self.disagreements)} contradicted"
        return f"<VerificationDocument of {self.report}: {self.verdict}; {counts}>"


class Findings:
    """Findings of a recheck so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.rechecked: Counter[str] = Counter()
        self.disagreements: list[Disagreement] = []
        self.unconfirmed: list[Disagreement] = []
        self.taken: dict[str, None] = {}

    def expect(self, agrees: bool, kind: str, where: str, message: str) -> None:
        """Count a statement that agrees under its ``kind``; else note the ``message``."""
        if agrees:
            self.rechecked[kind] += 1
        else:
            self.disagreements.append(Disagreement(where, message))

    def unknown(self, where: str, message: str) -> None:
        """Note what could not be rechecked, once."""
        entry = Disagreement(where, message)
        if entry not in self.unconfirmed:
            self.unconfirmed.append(entry)

    def take(self, what: str) -> None:
        """Note what is taken from the report."""
        self.taken[what] = None

    @property
    def verdict(self) -> str:
        """The verdict on the report."""
        if self.disagreements:
            return "rejected"
        return "unconfirmed" if self.unconfirmed or not self.rechecked else "accepted"


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


def verification_rows(document: VerificationDocument) -> list[tuple[str, str, str, str]]:
    """Return a row for each finding: what it is, where, how many statements, in words."""
    rows = [("verdict", document.report, "", document.verdict)]
    rows += [("rechecked", kind, str(count), "") for kind, count in document.rechecked.items()]
    for what, entries in (
        ("contradicted", document.disagreements),
        ("not rechecked", document.unconfirmed),
    ):
        rows += [(what, entry.where, "", entry.message) for entry in entries]
    rows += [("taken from the report", "", "", what) for what in document.taken]
    return rows

"""Comparison of two reports of one kind: numbers that moved, verdicts that flipped.

A number has moved only if its two intervals have no number in common; nothing is said of two
intervals that have one.  A verdict that is missing in the new report counts as worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from dpaudit import results
from dpaudit.errors import DpauditError, PrecisionError
from dpaudit.fingerprint import fingerprint
from dpaudit.numbers.real import parse_written
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.reading import is_sealed, read_report
from dpaudit.report.changes import Comparison
from dpaudit.report.statements import question_of, statements, subject_of, title_of
from dpaudit.results.documents import as_document, documents, from_document
from dpaudit.version import __version__

__all__ = ["Read", "compare", "compare_with_gate", "read"]


class Read(NamedTuple):
    """A report with the file that it was read from."""

    file: results.ComparedFile
    document: Any

    @property
    def parts(self) -> tuple[Any, ...]:
        """The reports in it: those of a list, the entries of a gate, or the one that it is."""
        if isinstance(self.document, results.GateDocument):
            return self.document.mechanisms
        return (
            self.document.reports
            if isinstance(self.document, results.ReportList)
            else (self.document,)
        )

    @property
    def kind(self) -> str:
        """Schema of the reports."""
        listed = isinstance(self.document, results.ReportList) and self.document.reports
        return str(listed[0].schema if listed else self.document.schema)


def read(path: Path) -> Read:
    """Return the report at ``path``.

    Raises:
        NotAReportError: for a file that is no report, was changed after it was written, has
            verdicts that contradict its numbers, or is of a kind that is not compared.
    """
    content, digest = read_report(path)
    schema = content.get("schema")
    kind = documents().get(schema) if isinstance(schema, str) else None
    try:
        if kind is None:
            raise NotAReportError(f"schema {schema!r:.60} does not belong to a report of dpaudit")
        if not is_sealed(content):
            raise NotAReportError(
                "its SHA-256 does not match its content, so it was changed after it was written"
            )
        document: Any = from_document(content, kind, parse_written)
        found = Read(
            results.ComparedFile(
                name=path.name,
                file_sha256=digest,
                version=document.version,
                fingerprint=document.fingerprint,
            ),
            document,
        )
        for report in found.parts:
            _check(report.report if isinstance(document, results.GateDocument) else report)
        return found
    except (DpauditError, ArithmeticError, AttributeError, ValueError, RecursionError) as error:
        raise NotAReportError(f"{path}: {' '.join(str(error).split())[:300]}") from None


def _check(report: Any) -> None:
    """Refuse a report that is not compared, or one with a verdict that contradicts its number."""
    if report is None:
        return
    if not hasattr(report, "described") or isinstance(report, results.IntervalCurveReport):
        raise NotAReportError(f"reports with the schema {report.schema} cannot be compared")
    statements(report)
    if isinstance(report, (results.Audit, results.MeasuredAudit)) and report.budget is not None:
        judged: Any = report.judged
        for size in report.results:
            if _contradicts(size.verdict, judged(size), report.limit):
                raise NotAReportError(
                    f"the verdict on {report.mechanism} at n = {size.n} contradicts its numbers"
                )


def _contradicts(verdict: results.Verdict | None, judged: results.Enclosure, limit: Any) -> bool:
    """Tell whether a number is certainly on the other side of the budget than its verdict says."""
    try:
        exceeds = bool(judged > limit)
    except PrecisionError:
        return False
    return verdict is (results.Verdict.WITHIN if exceeds else results.Verdict.EXCEEDS)


def compare(old: Read, new: Read) -> results.Difference:
    """Return the differences of two reports.

    Raises:
        NotAReportError: for reports of different kinds, or without anything in them.
    """
    if old.kind != new.kind:
        raise NotAReportError(
            f"{old.file.name} has the schema {old.kind} and {new.file.name} {new.kind}; compare "
            "two reports of the same kind"
        )
    for one in (old, new):
        if not one.parts and not getattr(one.document, "claims", ()):
            raise NotAReportError(f"{one.file.name} has nothing to compare")
    comparison = Comparison()
    if isinstance(old.document, results.GateDocument):
        _compare_gates(comparison, old.document, new.document)
    else:
        for before, after in _matched(old.parts, new.parts, (_asked, subject_of)):
            comparison.reports(before, after, title_of(before or after))
    changes = sorted(comparison.changes, key=lambda change: change.standing != "worse")
    worse = any(change.standing == "worse" for change in changes)
    return results.Difference(
        schema="dpaudit.diff/1",
        version=__version__,
        compared=old.kind,
        old=old.file,
        new=new.file,
        verdict=results.DifferenceVerdict.WORSE if worse else results.DifferenceVerdict.NO_WORSE,
        changes=tuple(changes),
        agreeing=comparison.agreeing,
        kept=comparison.kept,
        sources=tuple(dict.fromkeys(comparison.sources)),
    )


def compare_with_gate(old: Read, gate: results.GateDocument) -> results.Difference:
    """Return the differences of a gate that has just ended from an older report of it.

    Raises:
        NotAReportError: for an older report of another kind, or without anything in it.
    """
    written = from_document(as_document(gate), results.GateDocument, parse_written)
    file = results.ComparedFile(
        name="this gate", file_sha256="", version=gate.version, fingerprint=fingerprint()
    )
    return compare(old, Read(file, written))


def _asked(report: Any) -> str:
    return subject_of(report) + repr(sorted(question_of(report).items()))


def _matched(
    old: Sequence[Any], new: Sequence[Any], keys: Sequence[Callable[[Any], str]]
) -> Iterator[tuple[Any, Any]]:
    """Pair parts of two documents by the first of ``keys`` that matches; None stands for no part.

    Those that share a key are paired in their order.
    """
    pairs: dict[int, int] = {}
    for key in keys:
        waiting: dict[str, list[int]] = {}
        for place, part in enumerate(new):
            if place not in pairs.values():
                waiting.setdefault(key(part), []).append(place)
        for place, part in enumerate(old):
            if place not in pairs and waiting.get(key(part)):
                pairs[place] = waiting[key(part)].pop(0)
    for place, part in enumerate(old):
        yield part, new[pairs[place]] if place in pairs else None
    yield from ((None, part) for place, part in enumerate(new) if place not in pairs.values())


def _compare_gates(
    comparison: Comparison, old: results.GateDocument, new: results.GateDocument
) -> None:
    """Compare the entries and claims of two gates, and their verdicts."""
    keys = (attrgetter("title"), attrgetter("mechanism"))
    for before, after in _matched(old.mechanisms, new.mechanisms, keys):
        title = (before or after).title
        if before is None or after is None:
            comparison.alone(title, *(one and one.kind.value for one in (before, after)))
            continue
        bounds = [{"bounds": ", ".join(map(_bound, one.bounds))} for one in (before, after)]
        comparison.asked(title, *bounds)
        if before.report is not None or after.report is not None:
            comparison.reports(before.report, after.report, title)
        comparison.verdict(title, before.kind.value, after.kind.value)
    for claim, now in _matched(old.claims, new.claims, (attrgetter("id"),)):
        title = (claim or now).id
        if claim is None or now is None:
            comparison.alone(title, *(one and one.found for one in (claim, now)))
            continue
        comparison.asked(title, {"expected": claim.expected}, {"expected": now.expected})
        comparison.claim(title, claim, now)
    comparison.verdict("the gate", old.verdict.value, new.verdict.value)


def _bound(bound: Any) -> str:
    return str(bound.limit) if bound.at is None else f"{bound.limit} at {bound.at}"

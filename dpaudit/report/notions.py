"""Audits in a notion of privacy as JSON, CSV, text and Markdown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.audit.result import worst_verdict
from dpaudit.exact.enclosure import decimal_text
from dpaudit.fingerprint import fingerprint
from dpaudit.report.documents import (
    BudgetDocument,
    Interval,
    SourceDocument,
    UndecidedDocument,
    encode,
    plain,
    source_document,
)
from dpaudit.report.table import (
    compact,
    dataset_text,
    headline,
    parameters_of,
    parameters_text,
    provenance,
    relation_text,
    sizes_text,
    unfinished,
)
from dpaudit.report.text import aligned_table, markdown_table
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.notions.result import NotionAudit, NotionResult, NotionSubject, NotionWitness

__all__ = ["NotionDocument", "NotionsDocument", "notion_document", "render_notions"]


class NotionWitnessDocument(msgspec.Struct, omit_defaults=True):
    """The worst pair: what is measured is of the law at ``x`` against the law at ``y``.

    ``order`` and the errors of a test are rounded, for reading; ``output`` is given where the
    value is a largest loss or infinite.
    """

    x: Any
    y: Any
    output: Any = None
    order: str | None = None
    type_one: str | None = None
    type_two: str | None = None


class NotionSizeDocument(msgspec.Struct, omit_defaults=True):
    """The audit at one size."""

    n: int
    datasets: int
    pairs: int
    pairs_covered: int
    outputs: int | str
    value: Interval
    witness: NotionWitnessDocument
    verdict: str
    reason: str = ""


class NotionNameDocument(msgspec.Struct, omit_defaults=True):
    """What is measured: ``order`` belongs to renyi, ``epsilon`` to approximate."""

    name: str
    symbol: str
    order: str | None = None
    epsilon: str | None = None


class NotionDocument(msgspec.Struct, omit_defaults=True):
    """The audit of one mechanism in one notion over one or more sizes."""

    schema: str
    version: str
    mechanism: dict[str, Any]
    stated: BudgetDocument | None
    notion: NotionNameDocument
    budget: str
    budget_implied: bool
    adjacency: str
    at: str | None
    digits: int
    verdict: str
    sizes: list[int]
    """Those that were asked for."""
    results: list[NotionSizeDocument]
    missing: list[int]
    undecided: list[UndecidedDocument]
    loaded: SourceDocument | None = None
    adjacency_defaulted: bool = False
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class NotionsDocument(msgspec.Struct, omit_defaults=True):
    """Audits of several mechanisms."""

    schema: str
    verdict: str
    audits: list[NotionDocument]
    sha256: str = ""


def notion_document(audits: Sequence[NotionAudit]) -> NotionDocument | NotionsDocument:
    """Return the document of one audit, or of several."""
    documents = [_document(audit) for audit in audits]
    if len(documents) == 1:
        return documents[0]
    verdict = worst_verdict(audit.verdict for audit in audits)
    return NotionsDocument("dpaudit.notions/1", verdict.value, documents)


def _document(audit: NotionAudit) -> NotionDocument:
    subject = audit.subject
    return NotionDocument(
        schema="dpaudit.notion/1",
        version=__version__,
        fingerprint=fingerprint(),
        mechanism={"name": subject.mechanism, **subject.parameters},
        stated=None if subject.stated is None else BudgetDocument(*subject.stated),
        notion=NotionNameDocument(
            subject.notion, subject.symbol, subject.order, subject.budget_epsilon
        ),
        budget=subject.budget,
        budget_implied=subject.implied,
        adjacency=subject.adjacency,
        at=subject.at,
        digits=subject.digits,
        verdict=audit.verdict.value,
        sizes=list(audit.sizes),
        results=[_size(result) for result in audit.results],
        missing=list(audit.missing),
        undecided=[UndecidedDocument(size.n, size.reason) for size in audit.undecided],
        loaded=source_document(subject.loaded),
        adjacency_defaulted=subject.adjacency_defaulted,
        epsilon_unit=subject.epsilon_unit,
    )


def _size(result: NotionResult) -> NotionSizeDocument:
    value, witness = result.value, result.witness
    return NotionSizeDocument(
        n=result.n,
        datasets=result.datasets,
        pairs=result.pairs,
        pairs_covered=result.pairs_covered,
        outputs="infinite" if result.outputs is None else result.outputs,
        value=Interval(decimal_text(value.lower), decimal_text(value.upper), value.exact),
        witness=NotionWitnessDocument(
            plain(witness.x),
            plain(witness.y),
            plain(witness.output),
            witness.order,
            witness.type_one,
            witness.type_two,
        ),
        verdict=result.verdict.value,
        reason=result.reason,
    )


def render_notions(audits: Sequence[NotionAudit], form: str) -> bytes:
    """Return the audits as ``text``, ``json``, ``csv`` or ``markdown``."""
    if form == "json":
        return encode(notion_document(audits))
    if form == "csv":
        return _csv(audits).encode()
    return ("\n\n".join(_block(audit, form) for audit in audits) + "\n").encode()


def _block(audit: NotionAudit, form: str) -> str:
    header = ["n", "pairs", "outputs", audit.subject.label, "verdict", "worst pair"]
    rows = [_row(result, audit.subject.digits) for result in audit.results]
    title = headline(audit.subject, audit.subject.notion)
    notes = [*_summary(audit), *provenance(audit.subject)]
    if form == "markdown":
        body = markdown_table(header, rows)
        return "\n".join([f"**{title}**", "", body, "", *(f"- {line}" for line in notes)])
    return "\n".join([title, "", aligned_table(header, rows), "", *notes])


def _row(result: NotionResult, digits: int) -> list[str]:
    witness = result.witness
    return [
        str(result.n),
        str(result.pairs_covered),
        "∞" if result.outputs is None else str(result.outputs),
        compact(result.value.rounded(digits)),
        result.verdict.value,
        f"{dataset_text(witness.x)} / {dataset_text(witness.y)}{_where(witness)}",
    ]


def _where(witness: NotionWitness) -> str:
    if witness.output is not None:
        return f" → {dataset_text(witness.output)}"
    if witness.order is not None:
        return ", α → 1" if witness.order == "1" else f", α ≈ {witness.order}"
    if witness.type_one is not None:
        return f", errors {witness.type_one} and {witness.type_two}"
    return ""


def _summary(audit: NotionAudit) -> list[str]:
    subject, lines = audit.subject, []
    if audit.results:
        worst = max(audit.results, key=lambda result: (result.value.upper, -result.n))
        sizes = sizes_text([result.n for result in audit.results])
        pairs = sum(result.pairs_covered for result in audit.results)
        implied = ""
        if subject.implied and subject.stated is not None:
            implied = f" (implied by ε = {subject.stated[0]})"
        lines.append(
            f"{audit.verdict.value}: {subject.label} ≤ {subject.budget}{implied} at {sizes}, "
            f"{pairs} pairs, both directions, every output"
        )
        largest = compact(worst.value.rounded(subject.digits))
        lines.append(f"largest {subject.label}: {largest} at n = {worst.n}")
        lines.extend(f"n = {r.n} undecided: {r.reason}" for r in audit.results if r.reason)
    return [*lines, *unfinished(audit)]


_COLUMNS = [
    *("mechanism", "parameters", "adjacency", "at", "notion", "order", "epsilon"),
    *("n", "datasets", "pairs", "pairs_covered", "outputs"),
    *("value_lower", "value_upper", "value_exact", "budget"),
    *("witness_x", "witness_y", "witness_output", "witness_order"),
    *("witness_type_one", "witness_type_two", "verdict", "reason"),
]


def _csv(audits: Sequence[NotionAudit]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, _COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for audit in audits:
        subject = _subject_cells(audit.subject)
        writer.writerows(subject | _result_cells(result) for result in audit.results)
        for size in audit.undecided:
            unknown = {"n": str(size.n), "verdict": "undecided", "reason": size.reason}
            writer.writerow(subject | unknown)
    return stream.getvalue()


def _subject_cells(subject: NotionSubject) -> dict[str, str]:
    return {
        "mechanism": subject.mechanism,
        "parameters": parameters_text(parameters_of(subject), "=", ";"),
        "adjacency": relation_text(subject),
        "at": subject.at or "",
        "notion": subject.notion,
        "order": subject.order or "",
        "epsilon": subject.budget_epsilon or "",
        "budget": subject.budget,
    }


def _result_cells(result: NotionResult) -> dict[str, str]:
    witness, value = result.witness, result.value
    return {
        "n": str(result.n),
        "datasets": str(result.datasets),
        "pairs": str(result.pairs),
        "pairs_covered": str(result.pairs_covered),
        "outputs": "infinite" if result.outputs is None else str(result.outputs),
        **_interval_cells(value),
        "witness_x": dataset_text(witness.x),
        "witness_y": dataset_text(witness.y),
        "witness_output": "" if witness.output is None else dataset_text(witness.output),
        "witness_order": witness.order or "",
        "witness_type_one": witness.type_one or "",
        "witness_type_two": witness.type_two or "",
        "verdict": result.verdict.value,
        "reason": result.reason,
    }


def _interval_cells(value: Enclosure) -> dict[str, str]:
    return {
        "value_lower": decimal_text(value.lower),
        "value_upper": decimal_text(value.upper),
        "value_exact": value.exact or "",
    }

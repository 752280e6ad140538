"""Trade-off functions as JSON, CSV, text and Markdown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.report.documents import (
    BudgetDocument,
    Interval,
    SourceDocument,
    UndecidedDocument,
    VertexDocument,
    encode,
    interval_document,
    plain,
    subject_fields,
    vertex_document,
)
from dpaudit.report.table import (
    compact,
    dataset_text,
    headline,
    provenance,
    relation_text,
    unfinished,
)
from dpaudit.report.text import aligned_table, markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.notions.tradeoff_sweep import Tradeoff, TradeoffAudit

__all__ = ["TradeoffDocument", "TradeoffsDocument", "render_tradeoffs"]


class TypeTwoDocument(msgspec.Struct, omit_defaults=True):
    """The smallest type II error at one type I error."""

    type_one: str
    lower: str
    upper: str
    exact: str | None = None


class TradeoffAtSize(msgspec.Struct):
    """f at one size: through the points (q, 2^scale_bits − p)/2^scale_bits, linear in between.

    With the vertices of ``upper`` that is a bound of f from below, with those of ``lower`` one
    from above; ``mu`` is the smallest μ with f ≥ G_μ, met by the law at ``x`` against ``y``.
    """

    n: int
    pairs: int
    mu: Interval
    x: Any
    y: Any
    values: list[TypeTwoDocument]
    scale_bits: int
    upper: list[VertexDocument]
    lower: list[VertexDocument]


class TradeoffDocument(msgspec.Struct, omit_defaults=True):
    """The trade-off functions of one mechanism over one or more sizes."""

    schema: str
    version: str
    mechanism: dict[str, Any]
    stated: BudgetDocument | None
    adjacency: str
    at: str | None
    digits: int
    sizes: list[int]
    """Those that were asked for."""
    results: list[TradeoffAtSize]
    missing: list[int]
    undecided: list[UndecidedDocument]
    loaded: SourceDocument | None = None
    adjacency_defaulted: bool = False
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class TradeoffsDocument(msgspec.Struct, omit_defaults=True):
    """The trade-off functions of several mechanisms."""

    schema: str
    audits: list[TradeoffDocument]
    sha256: str = ""


def render_tradeoffs(audits: Sequence[TradeoffAudit], form: str) -> bytes:
    """Return the audits as ``text``, ``json``, ``csv`` or ``markdown``."""
    if form == "json":
        documents = [_document(audit) for audit in audits]
        single = len(documents) == 1
        return encode(
            documents[0] if single else TradeoffsDocument("dpaudit.tradeoffs/1", documents)
        )
    if form == "csv":
        return _csv(audits).encode()
    return ("\n\n".join(_block(audit, form) for audit in audits) + "\n").encode()


def _document(audit: TradeoffAudit) -> TradeoffDocument:
    fields = subject_fields(audit.subject)
    del fields["budget"]
    return TradeoffDocument(
        schema="dpaudit.tradeoff/1",
        sizes=list(audit.sizes),
        results=[_size(result) for result in audit.results],
        missing=list(audit.missing),
        undecided=[UndecidedDocument(size.n, size.reason) for size in audit.undecided],
        **fields,
    )


def _size(result: Tradeoff) -> TradeoffAtSize:
    return TradeoffAtSize(
        n=result.n,
        pairs=result.pairs,
        mu=interval_document(result.mu),
        x=plain(result.witness.x),
        y=plain(result.witness.y),
        values=[
            TypeTwoDocument(str(at.type_one), *at.value.texts(), at.value.exact)
            for at in result.values
        ],
        scale_bits=result.curve.bits,
        upper=[vertex_document(vertex) for vertex in result.curve.upper],
        lower=[vertex_document(vertex) for vertex in result.curve.lower],
    )


def _block(audit: TradeoffAudit, form: str) -> str:
    asked = audit.results[0].values if audit.results else ()
    header = ["n", "pairs", "μ", *(f"f({at.type_one})" for at in asked), "worst pair"]
    rows = [
        [
            str(result.n),
            str(result.pairs),
            compact(result.mu),
            *(compact(at.value) for at in result.values),
            f"{dataset_text(result.witness.x)} / {dataset_text(result.witness.y)}",
        ]
        for result in audit.results
    ]
    title = f"trade-off function of {headline(audit.subject)}"
    notes = [*unfinished(audit), *provenance(audit.subject)]
    markdown = form == "markdown"
    table = (markdown_table if markdown else aligned_table)(header, rows)
    lines = [f"**{title}**" if markdown else title, "", table]
    if notes:
        lines += ["", *(f"- {note}" if markdown else note for note in notes)]
    return "\n".join(lines)


def _csv(audits: Sequence[TradeoffAudit]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [
            "mechanism",
            "adjacency",
            "n",
            "pairs",
            "mu_lower",
            "mu_upper",
            "type_one",
            "type_two_lower",
            "type_two_upper",
        ]
    )
    for audit in audits:
        for result in audit.results:
            first = [audit.subject.mechanism, relation_text(audit.subject)]
            first += [str(result.n), str(result.pairs), *result.mu.texts()]
            for at in result.values:
                writer.writerow([*first, str(at.type_one), *at.value.texts()])
    return stream.getvalue()

"""The JSON documents: their schemas as typed structs, and audits turned into them.

Every number is a decimal string rounded outward, infinity is ``"inf"``, closed forms are text that
``dpaudit.exact.real`` reads back.  A document is stable under its schema name.

A document that is written ends with its ``sha256``: the SHA-256 of the rest, written as JSON with
sorted keys and without spaces (``json.dumps(…, sort_keys=True, ensure_ascii=False,
separators=(",", ":"))``) in UTF-8.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.audit.result import (
    Audit,
    DeltaAt,
    SizeResult,
    Source,
    Subject,
    Witness,
    worst_verdict,
)
from dpaudit.fingerprint import fingerprint
from dpaudit.report.data import DataDocument  # noqa: TC001  (msgspec reads the annotations)
from dpaudit.report.table import value_text
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from dpaudit.audit.curve import CurveAudit, PrivacyCurve, Vertex
    from dpaudit.exact.enclosure import Enclosure

__all__ = [
    "AuditDocument",
    "AuditsDocument",
    "BudgetDocument",
    "CurveAtSize",
    "CurveDocument",
    "CurvesDocument",
    "DeltaPoint",
    "Interval",
    "SizeDocument",
    "SourceDocument",
    "UndecidedDocument",
    "VertexDocument",
    "WitnessDocument",
    "audit_document",
    "curve_document",
    "encode",
    "interval_document",
    "plain",
    "seal_of",
    "size_document",
    "source_document",
    "subject_fields",
]


class Interval(msgspec.Struct, omit_defaults=True):
    """An interval [lower, upper] that contains the true value; ``exact`` where it is known."""

    lower: str
    upper: str
    exact: str | None = None


class DeltaPoint(msgspec.Struct, omit_defaults=True):
    """δ(ε) and the pair it is attained at, with the event {output : loss > ε}."""

    epsilon: str
    lower: str
    upper: str
    exact: str | None = None
    x: Any = None
    y: Any = None


class WitnessDocument(msgspec.Struct):
    """``output`` is e^loss times likelier on ``x`` than on ``y``."""

    x: Any
    y: Any
    output: Any
    loss: Interval


class BudgetDocument(msgspec.Struct):
    """A pair (ε, δ) in closed form."""

    epsilon: str
    delta: str


class SizeDocument(msgspec.Struct, omit_defaults=True):
    """The audit at one size."""

    n: int
    datasets: int
    pairs: int
    pairs_covered: int
    outputs: int | str
    epsilon: Interval
    delta: DeltaPoint
    curve: list[DeltaPoint]
    witness: WitnessDocument
    verdict: str
    reason: str = ""


class UndecidedDocument(msgspec.Struct):
    """A size without a result, and why."""

    n: int
    reason: str


class SourceDocument(msgspec.Struct):
    """Where a mechanism that is not one of the package was loaded from."""

    reference: str
    """``path.py:name``, ``package.module:name`` or an entry point, as it was given."""
    sha256: str
    """The SHA-256 of the file that defines it; empty where there is no such file."""


class AuditDocument(msgspec.Struct, omit_defaults=True):
    """The audit of one mechanism over one or more sizes."""

    schema: str
    version: str
    mechanism: dict[str, Any]
    stated: BudgetDocument | None
    budget: BudgetDocument
    adjacency: str
    at: str | None
    digits: int
    verdict: str
    sizes: list[int]
    """Those that were asked for."""
    results: list[SizeDocument]
    missing: list[int]
    undecided: list[UndecidedDocument]
    data: DataDocument | None = None
    loaded: SourceDocument | None = None
    adjacency_defaulted: bool = False
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    sha256: str = ""


class AuditsDocument(msgspec.Struct, omit_defaults=True):
    """Audits of several mechanisms."""

    schema: str
    verdict: str
    audits: list[AuditDocument]
    data: DataDocument | None = None
    sha256: str = ""


class VertexDocument(msgspec.Struct, omit_defaults=True):
    """An event of so many outputs: q and p are its probabilities times 2^scale_bits."""

    q: str
    p: str
    outputs: int = 0
    x: Any = None
    y: Any = None


class CurveAtSize(msgspec.Struct):
    """The whole curve at one size: δ(ε) = max over vertices of (p − e^ε·q)/2^scale_bits.

    With the vertices of ``upper`` that is a bound from above at every ε, with those of ``lower``
    one from below.
    """

    n: int
    pairs: int
    values: list[DeltaPoint]
    scale_bits: int
    upper: list[VertexDocument]
    lower: list[VertexDocument]


class CurveDocument(msgspec.Struct, omit_defaults=True):
    """The privacy curves of one mechanism over one or more sizes."""

    schema: str
    version: str
    mechanism: dict[str, Any]
    stated: BudgetDocument | None
    budget: BudgetDocument
    adjacency: str
    at: str | None
    digits: int
    sizes: list[int]
    """Those that were asked for."""
    curves: list[CurveAtSize]
    missing: list[int]
    undecided: list[UndecidedDocument]
    loaded: SourceDocument | None = None
    adjacency_defaulted: bool = False
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class CurvesDocument(msgspec.Struct, omit_defaults=True):
    """The privacy curves of several mechanisms."""

    schema: str
    audits: list[CurveDocument]
    sha256: str = ""


def audit_document(
    audits: Sequence[Audit], data: DataDocument | None = None
) -> AuditDocument | AuditsDocument:
    """Return the document of one audit, or of several; ``data`` is what they were made at."""
    documents = [
        AuditDocument(
            schema="dpaudit.audit/1",
            verdict=audit.verdict.value,
            sizes=list(audit.sizes),
            results=[size_document(result) for result in audit.results],
            missing=list(audit.missing),
            undecided=[UndecidedDocument(size.n, size.reason) for size in audit.undecided],
            **subject_fields(audit.subject),
        )
        for audit in audits
    ]
    if len(documents) == 1:
        documents[0].data = data
        return documents[0]
    verdict = worst_verdict(audit.verdict for audit in audits)
    return AuditsDocument("dpaudit.audits/1", verdict.value, documents, data)


def curve_document(audits: Sequence[CurveAudit]) -> CurveDocument | CurvesDocument:
    """Return the document of one mechanism's curves, or of several."""
    documents = [
        CurveDocument(
            schema="dpaudit.curve/1",
            sizes=list(audit.sizes),
            curves=[
                _curve(curve, values)
                for curve, values in zip(audit.curves, audit.values, strict=True)
            ],
            missing=list(audit.missing),
            undecided=[UndecidedDocument(size.n, size.reason) for size in audit.undecided],
            **subject_fields(audit.subject),
        )
        for audit in audits
    ]
    return documents[0] if len(documents) == 1 else CurvesDocument("dpaudit.curves/1", documents)


def encode(document: object) -> bytes:
    """Return a document as indented JSON with a final line break, sealed if it has a place for it.

    Documents inside others are not sealed themselves.
    """
    if hasattr(document, "sha256"):
        content = msgspec.to_builtins(document)
        content.pop("sha256", None)
        document = {**content, "sha256": seal_of(content)}
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def seal_of(content: dict[str, Any]) -> str:
    """Return the SHA-256 that a document with this ``content``, itself left out, ends with."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def source_document(source: Source | None) -> SourceDocument | None:
    """Return where a mechanism was loaded from; None for one of the package."""
    return None if source is None else SourceDocument(source.reference, source.sha256)


def subject_fields(subject: Subject) -> dict[str, Any]:
    """Return the fields of a document that say what was audited, and by which version."""
    return {
        "version": __version__,
        "fingerprint": fingerprint(),
        "mechanism": {"name": subject.mechanism, **subject.parameters},
        "stated": None if subject.stated is None else BudgetDocument(*subject.stated),
        "budget": BudgetDocument(*subject.budget),
        "adjacency": subject.adjacency,
        "at": subject.at,
        "digits": subject.digits,
        "loaded": source_document(subject.loaded),
        "adjacency_defaulted": subject.adjacency_defaulted,
        "epsilon_unit": subject.epsilon_unit,
    }


def size_document(result: SizeResult) -> SizeDocument:
    """Return the audit of one size as it stands in a document."""
    return SizeDocument(
        n=result.n,
        datasets=result.datasets,
        pairs=result.pairs,
        pairs_covered=result.pairs_covered,
        outputs="infinite" if result.outputs is None else result.outputs,
        epsilon=interval_document(result.epsilon),
        delta=_delta(result.delta),
        curve=[_delta(point) for point in result.curve],
        witness=_witness(result.witness),
        verdict=result.verdict.value,
        reason=result.reason,
    )


def interval_document(interval: Enclosure) -> Interval:
    """Return an interval as it stands in a document."""
    return Interval(*interval.texts(), interval.exact)


def _delta(point: DeltaAt) -> DeltaPoint:
    value = point.value
    return DeltaPoint(point.epsilon, *value.texts(), value.exact, plain(point.x), plain(point.y))


def _witness(witness: Witness) -> WitnessDocument:
    return WitnessDocument(
        plain(witness.x),
        plain(witness.y),
        plain(witness.output),
        interval_document(witness.loss),
    )


def _curve(curve: PrivacyCurve, values: Sequence[DeltaAt]) -> CurveAtSize:
    return CurveAtSize(
        n=curve.n,
        pairs=curve.pairs,
        values=[_delta(point) for point in values],
        scale_bits=curve.bits,
        upper=[vertex_document(vertex) for vertex in curve.upper],
        lower=[vertex_document(vertex) for vertex in curve.lower],
    )


def vertex_document(vertex: Vertex) -> VertexDocument:
    """Return a vertex of a hull as it stands in a document."""
    return VertexDocument(
        str(vertex.q), str(vertex.p), vertex.outputs, plain(vertex.x), plain(vertex.y)
    )


def plain(value: Hashable) -> object:
    """Return a dataset or an output as JSON shows it: lists, numbers, text."""
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    if value is None or isinstance(value, bool):
        return value
    if type(value) is int and abs(value) < 2**63:
        return value
    return value_text(value).encode(errors="backslashreplace").decode()

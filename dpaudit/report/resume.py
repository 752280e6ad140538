"""Reading a JSON report back, so that the sweep that wrote it can go on where it stopped.

What is read back renders to the bytes it was read from.  A report is taken only if it says that it
answers the same questions about the same mechanism, and was written by the same version.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from dpaudit.audit.curve import PrivacyCurve, Vertex
from dpaudit.audit.result import DeltaAt, SizeResult, UndecidedSize, Verdict, Witness
from dpaudit.audit.sweep import subject_of
from dpaudit.errors import ParameterError, ResumeError
from dpaudit.exact.enclosure import Enclosure
from dpaudit.notices import notice
from dpaudit.report.documents import (
    AuditDocument,
    AuditsDocument,
    CurveAtSize,
    CurveDocument,
    CurvesDocument,
    DeltaPoint,
    Interval,
    SizeDocument,
    VertexDocument,
    seal_of,
    subject_fields,
)
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from pathlib import Path

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["Question", "resume_audits", "resume_curves"]

Question: TypeAlias = "tuple[Mechanism[Any], Sequence[int], Plan]"
"""A mechanism, the sizes asked for, and the plan."""

DocumentT = TypeVar("DocumentT", AuditDocument, CurveDocument)


def resume_audits(
    path: Path, questions: Sequence[Question]
) -> list[list[SizeResult | UndecidedSize]]:
    """Return what the report of ``check`` at ``path`` has found, one list for each question.

    Raises ``ResumeError`` if it is no such report, or answers other questions.
    """
    found: list[list[SizeResult | UndecidedSize]] = []
    content = _content(path)
    documents = _documents(path, content, AuditDocument, AuditsDocument, questions)
    for document, (_, sizes, plan) in zip(documents, questions, strict=True):
        asked = [str(epsilon) for epsilon in plan.at_eps]
        for result in document.results:
            _match(path, "at-eps", [point.epsilon for point in result.curve], asked)
        results = [_read(path, _size, result) for result in document.results]
        found.append([*results, *_undecided(document)])
        _check_sizes(path, [result.n for result in found[-1]], sizes)
    _check_seal(path, content)
    return found


def resume_curves(
    path: Path, questions: Sequence[Question]
) -> list[list[PrivacyCurve | UndecidedSize]]:
    """Return what the report of ``curve`` at ``path`` has found; see :func:`resume_audits`."""
    found: list[list[PrivacyCurve | UndecidedSize]] = []
    content = _content(path)
    documents = _documents(path, content, CurveDocument, CurvesDocument, questions)
    for document, (_, sizes, plan) in zip(documents, questions, strict=True):
        asked = list(map(str, sorted({plan.budget.epsilon, *plan.at_eps}, key=float)))
        for curve in document.curves:
            _match(path, "at-eps", [point.epsilon for point in curve.values], asked)
        curves = [_read(path, _curve, curve) for curve in document.curves]
        found.append([*curves, *_undecided(document)])
        _check_sizes(path, [curve.n for curve in found[-1]], sizes)
    _check_seal(path, content)
    return found


class _Head(msgspec.Struct):
    schema: str
    version: str = ""
    audits: list[_Head] = []


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise ResumeError(path, getattr(error, "strerror", None) or str(error)) from None


def _check_seal(path: Path, content: bytes) -> None:
    """Refuse a report that was changed: what it has found is taken without a second look."""
    try:
        document = json.loads(content)
        sealed = document.pop("sha256", None) == seal_of(document)
    except (ValueError, RecursionError):  # text that is not Unicode, or nested too deeply
        sealed = False
    if not sealed:
        raise ResumeError(
            path, "it was changed after it was written: it does not have the SHA-256 it ends with"
        )


def _documents(
    path: Path,
    content: bytes,
    single: type[DocumentT],
    several: type[AuditsDocument | CurvesDocument],
    questions: Sequence[Question],
) -> Sequence[DocumentT]:
    """Return the documents at ``path``, one for each question and matching it."""
    head = _decoded(path, content, _Head)
    wanted = "audit" if single is AuditDocument else "curve"
    names = {f"dpaudit.{wanted}/1": single, f"dpaudit.{wanted}s/1": several}
    if head.schema not in names:
        raise ResumeError(path, f"its schema is {head.schema!r}, not {' or '.join(names)}")
    for version in [part.version for part in head.audits] or [head.version]:
        if version != __version__:
            raise ResumeError(
                path, f"it was written by dpaudit {version or '?'}, this is dpaudit {__version__}"
            )
    decoded: Any = _decoded(path, content, names[head.schema])
    documents: Sequence[DocumentT] = decoded.audits if head.audits else [decoded]
    if len(documents) != len(questions):
        raise ResumeError(
            path, f"it is about {len(documents)} mechanisms, the command about {len(questions)}"
        )
    document: AuditDocument | CurveDocument
    for document, (mechanism, sizes, plan) in zip(documents, questions, strict=True):
        asked = subject_fields(subject_of(mechanism, plan))
        parameters: dict[str, Any] = asked.pop("mechanism")
        for name in dict.fromkeys([*parameters, *document.mechanism]):
            _match(path, name, document.mechanism.get(name), parameters.get(name))
        document.adjacency = _relation(document.adjacency, mechanism, sizes)
        for name, value in asked.items():
            _match(path, name, getattr(document, name), value)
    return documents


def _decoded(path: Path, content: bytes, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ResumeError(path, f"it is not a JSON report of dpaudit ({error})") from None


def _relation(given: str, mechanism: Mechanism[Any], sizes: Sequence[int]) -> str:
    """Return what the relation of a report is called now.

    Raises ``AmbiguousRelationError`` for an old name that has two readings at one of the ``sizes``.
    """
    try:
        relation = mechanism.adjacency(given)
    except ParameterError:
        return given
    if relation.notice:
        for n in sizes:
            relation.check_reading(n)
        notice(relation.notice)
    return relation.name


_CALLED = {"name": "the mechanism", "stated": "the stated budget", "loaded": "where it is from"}


def _match(path: Path, name: str, there: object, here: object) -> None:
    if there != here:
        name = _CALLED.get(name, name)
        raise ResumeError(path, f"{name} is {_text(there)} there and {_text(here)} here")


def _text(value: object) -> str:
    if isinstance(value, msgspec.Struct):
        return f"({', '.join(map(str, msgspec.structs.astuple(value)))})"
    if isinstance(value, list):
        return ",".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _check_sizes(path: Path, found: Sequence[int], asked: Sequence[int]) -> None:
    for n in found:
        if n not in asked:
            raise ResumeError(path, f"it has a result at n = {n}, which is not asked for")
    if len(set(found)) != len(found):
        raise ResumeError(path, "it has two results at the same n")


def _undecided(document: AuditDocument | CurveDocument) -> list[UndecidedSize]:
    return [UndecidedSize(size.n, size.reason) for size in document.undecided]


def _read(path: Path, read: Any, document: SizeDocument | CurveAtSize) -> Any:
    try:
        return read(document)
    except (ValueError, InvalidOperation):
        raise ResumeError(path, f"the result at n = {document.n} is not readable") from None


def _size(document: SizeDocument) -> SizeResult:
    witness = document.witness
    return SizeResult(
        n=document.n,
        datasets=document.datasets,
        pairs=document.pairs,
        pairs_covered=document.pairs_covered,
        outputs=None if document.outputs == "infinite" else int(document.outputs),
        epsilon=_interval(document.epsilon),
        delta=_delta(document.delta),
        curve=tuple(_delta(point) for point in document.curve),
        witness=Witness(
            _value(witness.x), _value(witness.y), _value(witness.output), _interval(witness.loss)
        ),
        verdict=Verdict(document.verdict),
        reason=document.reason,
    )


def _interval(interval: Interval | DeltaPoint) -> Enclosure:
    lower, upper = Decimal(interval.lower), Decimal(interval.upper)
    if not 0 <= lower <= upper:
        raise ValueError(f"{lower} to {upper} is not an interval")
    return Enclosure(lower, upper, interval.exact)


def _delta(point: DeltaPoint) -> DeltaAt:
    return DeltaAt(point.epsilon, _interval(point), _value(point.x), _value(point.y))


def _curve(document: CurveAtSize) -> PrivacyCurve:
    return PrivacyCurve(
        n=document.n,
        pairs=document.pairs,
        bits=document.scale_bits,
        upper=tuple(_vertex(vertex) for vertex in document.upper),
        lower=tuple(_vertex(vertex) for vertex in document.lower),
    )


def _vertex(vertex: VertexDocument) -> Vertex:
    x, y = _value(vertex.x), _value(vertex.y)
    return Vertex(int(vertex.q), int(vertex.p), x, y, vertex.outputs)


def _value(value: Any) -> Hashable:
    """Return a dataset or an output as it was before it became JSON: lists were tuples."""
    if isinstance(value, list):
        return tuple(_value(part) for part in value)
    hashable: Hashable = value
    return hashable

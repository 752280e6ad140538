"""Reading a JSON report back, so that the sweep that wrote it can go on where it stopped.

What is read back renders to the bytes it was read from.  A report is taken only if it says that it
answers the same questions about the same mechanism, and was written by the same code; its verdicts
have to be those that follow from its numbers.
"""

from __future__ import annotations

import json
from decimal import InvalidOperation
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from dpaudit.audit.plan import Pairs
from dpaudit.audit.result import SizeResult, UndecidedSize
from dpaudit.audit.standing import judged_again
from dpaudit.audit.sweep import subject_of
from dpaudit.errors import DpauditError, ParameterError, ResumeError
from dpaudit.fingerprint import fingerprint
from dpaudit.notices import notice
from dpaudit.report.documents import (
    AuditDocument,
    AuditsDocument,
    CurveAtSize,
    CurveDocument,
    CurvesDocument,
    SizeDocument,
    seal_of,
    subject_fields,
)
from dpaudit.report.reread import curve_result, size_result
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dpaudit.audit.curve import PrivacyCurve
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
        read = [_read(path, size_result, result) for result in document.results]
        found.append([*read, *_undecided(document)])
        _check_sizes(path, [result.n for result in found[-1]], sizes)
    _check_seal(path, content)
    for results, (mechanism, _, plan) in zip(found, questions, strict=True):
        for one in results:
            if isinstance(one, SizeResult):
                _judge(path, one, mechanism, plan)
    return found


def _judge(path: Path, result: SizeResult, mechanism: Mechanism[Any], plan: Plan) -> None:
    """Refuse a verdict that does not follow from its numbers."""
    try:
        pairs = Pairs(mechanism, result.n, plan).expected
        judged = judged_again(result, plan.budget, pairs).verdict
    except (ValueError, DpauditError) as error:
        raise ResumeError(path, f"the result at n = {result.n} is none: {error}") from None
    if judged is not result.verdict:
        raise ResumeError(
            path,
            f"the numbers at n = {result.n} make it {judged.value}, not {result.verdict.value}",
        )


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
        curves = [_read(path, curve_result, curve) for curve in document.curves]
        found.append([*curves, *_undecided(document)])
        _check_sizes(path, [curve.n for curve in found[-1]], sizes)
    _check_seal(path, content)
    return found


class _Head(msgspec.Struct):
    schema: str
    version: str = ""
    fingerprint: str = ""
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
    for part in head.audits or [head]:
        if part.version != __version__:
            written = f"it was written by dpaudit {part.version or '?'}"
            raise ResumeError(path, f"{written}, this is dpaudit {__version__}")
        if part.fingerprint != fingerprint() or not fingerprint():
            raise ResumeError(
                path,
                f"it was written by other code ({part.fingerprint or 'not recorded which'}), this "
                f"is {fingerprint() or 'not known'}; begin anew",
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
    except (ValueError, InvalidOperation, DpauditError):
        raise ResumeError(path, f"the result at n = {document.n} is not readable") from None

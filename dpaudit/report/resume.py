"""Reading a JSON report back, so that the sweep that wrote it can go on where it stopped.

A report that is read back renders to the same bytes.  It is accepted only if it answers the same
questions about the same mechanism, was written by the same code, and its verdicts follow from its
numbers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from dpaudit.audit.plan import Pairs, Plan
from dpaudit.data.files import open_regular
from dpaudit.errors import DpauditError, ParameterError, ResumeError
from dpaudit.fingerprint import fingerprint
from dpaudit.notices import notice
from dpaudit.numbers.real import parse_written
from dpaudit.results import SampleReport
from dpaudit.results.documents import asked_of, from_document, seal_of
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dpaudit.audit.measure import Measure
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["ResumedQuestion", "resume", "resume_sample"]

_CALLED = {"name": "mechanism", "stated": "stated budget", "loaded": "source"}


class ResumedQuestion(NamedTuple):
    """Question about one mechanism that a report must answer before its sweep can go on."""

    measure: Measure[Any, Any]
    mechanism: Mechanism[Any]
    sizes: Sequence[int]
    plan: Plan


def resume(path: Path, questions: Sequence[ResumedQuestion]) -> list[list[Any]]:
    """Return the results of the report at ``path``, one list for each question.

    Results at sizes that were stopped before all pairs were covered are left out.

    Raises ``ResumeError`` if it is no such report, or answers other questions.
    """
    document = _read(path)
    # Empty reports have every field that says what is asked: these are compared below.
    empty = [
        question.measure.report(question.mechanism, (), question.plan, ()) for question in questions
    ]
    parts = _parts(path, document, empty)
    results = []
    for part, question, expected in zip(parts, questions, empty, strict=True):
        report = _decoded(path, part, type(expected))
        report = replace(report, adjacency=_relation(report.adjacency, question))
        there, here = asked_of(report), asked_of(expected)
        for name in dict.fromkeys([*here["mechanism"], *there["mechanism"]]):
            _match(path, name, there["mechanism"].get(name), here["mechanism"].get(name))
        for name in dict.fromkeys([*here, *there]):
            if name not in ("mechanism", "schema", "version", "fingerprint"):
                _match(path, name, there.get(name), here.get(name))
        for result in report.results:
            _judge(path, result, question)
            points = question.measure.points_of(result)
            _match(
                path,
                "at-eps",
                list(map(str, points)),
                list(map(str, question.measure.points(question.plan))),
            )
            if not _was_stopped(result):
                deltas = [str(point.delta) for point in getattr(result, "at_delta", ())]
                _match(path, "at-delta", deltas, list(map(str, question.plan.at_delta)))
        finished = [point for point in report.results if not _was_stopped(point)]
        results.append([*finished, *report.without_result])
        _check_sizes(path, [result.n for result in results[-1]], question.sizes)
    return results


def resume_sample(path: Path) -> SampleReport:
    """Return the audit of a sampler at ``path``.

    Before it goes on, :func:`dpaudit.sampling.state.goes_on` compares it with the question, and its
    verdict and bounds with those that follow from its counts.

    Raises ``ResumeError`` if it is none, or was written by other code.
    """
    document = _read(path)
    if document.get("schema") != "dpaudit.sample/1":
        raise ResumeError(path, f"its schema is {document.get('schema')!r}, not dpaudit.sample/1")
    _check_written(path, document)
    _check_seal(path, document)
    report: SampleReport = _decoded(path, document, SampleReport)
    return replace(report, sha256="")  # it is sealed anew when it is written


def _was_stopped(result: Any) -> bool:
    """Tell whether not all pairs of a size were covered, so that it is to be audited again."""
    pairs: Any = getattr(result, "pairs", None)
    return bool(getattr(result, "pairs_covered", pairs) != pairs)


def _relation(name: str, question: ResumedQuestion) -> str:
    """Return the present name of the relation of a report.

    Raises ``AmbiguousRelationError`` for an old name that has two readings at one of the sizes.
    """
    try:
        relation = question.mechanism.adjacency(name)
    except ParameterError:
        return name
    if relation.notice:
        for n in question.sizes:
            relation.check_reading(n)
        notice(relation.notice)
    return relation.name


def _judge(path: Path, result: Any, question: ResumedQuestion) -> None:
    """Refuse a verdict that does not follow from its numbers."""
    try:
        pairs = Pairs(question.mechanism, result.n, question.plan).expected
        judged = question.measure.judged(result, question.plan, pairs)
    except (ValueError, DpauditError) as error:
        raise ResumeError(path, f"the result at n = {result.n} is invalid: {error}") from None
    reported, follows = getattr(result, "verdict", None), getattr(judged, "verdict", None)
    if reported is not None and follows is not None and follows is not reported:
        raise ResumeError(
            path,
            f"by its numbers at n = {result.n} the verdict is {follows.value}, but it says "
            f"{reported.value}",
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        with open_regular(path) as file:
            document = json.loads(file.read().decode())
    except (ValueError, RecursionError) as error:
        raise ResumeError(path, f"it is not a JSON report of dpaudit ({error})") from None
    except OSError as error:
        raise ResumeError(path, error.strerror or str(error)) from None
    if not isinstance(document, dict):
        raise ResumeError(path, "it is not a JSON report of dpaudit")
    return document


def _parts(path: Path, document: dict[str, Any], empty: Sequence[Any]) -> list[Any]:
    """Return the documents at ``path``, one for each question."""
    single, several = empty[0].schema, "dpaudit.reports/1"
    schema = document.get("schema")
    if schema not in (single, several):
        raise ResumeError(path, f"its schema is {schema!r}, not {single} or {several}")
    parts = [document] if schema == single else document.get("reports")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise ResumeError(path, "it is not a JSON report of dpaudit")
    for part in parts:
        if part.get("schema") != single:
            raise ResumeError(
                path, f"its reports have the schema {part.get('schema')!r}, not {single}"
            )
        _check_written(path, part)
    _check_seal(path, document)
    if len(parts) != len(empty):
        raise ResumeError(
            path, f"it is about {len(parts)} mechanisms, the command about {len(empty)}"
        )
    return parts


def _check_written(path: Path, part: dict[str, Any]) -> None:
    """Refuse a report that another version, or other code, has written."""
    if part.get("version") != __version__:
        written = f"it was written by dpaudit {part.get('version') or '?'}"
        raise ResumeError(path, f"{written}, this is dpaudit {__version__}")
    if part.get("fingerprint") != fingerprint() or not fingerprint():
        raise ResumeError(
            path,
            "other code of dpaudit wrote it (fingerprint "
            f"{part.get('fingerprint') or 'not recorded'}, this is "
            f"{fingerprint() or 'unknown'}); start again, without --resume",
        )


def _check_seal(path: Path, document: dict[str, Any]) -> None:
    try:
        sealed = document.get("sha256") == seal_of(document)
    except UnicodeEncodeError:  # text that is not Unicode
        sealed = False
    if not sealed:
        raise ResumeError(
            path, "its SHA-256 does not match its content, so it was changed after it was written"
        )


def _decoded(path: Path, part: dict[str, Any], kind: type[Any]) -> Any:
    try:
        return from_document(part, kind, parse_written)
    except (msgspec.ValidationError, DpauditError, RecursionError) as error:
        raise ResumeError(path, f"it is not a JSON report of dpaudit ({error})") from None


def _match(path: Path, name: str, there: object, here: object) -> None:
    if there != here:
        name = _CALLED.get(name, name)
        raise ResumeError(
            path,
            f"the report has {name} = {_text(there)}, the command asks for {_text(here)}; --resume "
            "needs the same settings",
        )


def _text(value: object) -> str:
    if isinstance(value, dict):
        return f"({', '.join(map(str, value.values()))})"
    if isinstance(value, list):
        return ",".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _check_sizes(path: Path, reported: Sequence[int], requested: Sequence[int]) -> None:
    for n in reported:
        if n not in requested:
            raise ResumeError(
                path, f"it has a result at n = {n}, which the command does not ask for"
            )
    if len(set(reported)) != len(reported):
        raise ResumeError(path, "it has two results for the same n")

"""Results as JSON documents and back, the types of all documents, and their published schemas.

Every number is a decimal string rounded outward, infinity is ``"inf"``, a number in closed form is
text that reads back exactly.  A document is stable under its schema name.

A document that is written ends with its ``sha256``: the SHA-256 of the document without this
field, as JSON with sorted keys and without spaces (``json.dumps(…, sort_keys=True,
ensure_ascii=False, separators=(",", ":"))``) in UTF-8.

The schemas lie in ``schemas/`` beside this file, one a document: what ``dpaudit schema`` prints is
what is published with the package, and a change of a document is a change of a file that anyone can
see.  A test compares each with what its type gives.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import inspect
import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from importlib.resources import files
from typing import Any, TypeVar

import msgspec

from dpaudit import results
from dpaudit.errors import LawError, ParameterError, nearest, one_line
from dpaudit.question import forms, measures
from dpaudit.results import catalogue
from dpaudit.results.values import (
    AnyDocument,
    ClosedForm,
    Natural,
    decimal_text,
    holds_set,
    steady_repr,
)

__all__ = [
    "OTHERS",
    "as_document",
    "asked_of",
    "decode",
    "documents",
    "encode",
    "from_document",
    "full_name",
    "json_schema",
    "published",
    "schema",
    "schema_text",
    "seal_of",
    "value_text",
]


ResultT = TypeVar("ResultT")
_ENDS = {"lower", "upper"}
_DECIMAL = re.compile(r"inf|\d{1,30000}(\.\d{1,30000})?([eE][+-]?\d{1,9})?", re.ASCII)
_LARGEST_EXPONENT = 13_000  # no end of an interval is printed beyond


def as_document(result: Any) -> Any:
    """Return a result as JSON shows it: objects, lists, texts, whole numbers, true, false, null.

    Fields that have their defaults are left out where the result's type says so.
    """
    if isinstance(result, msgspec.Struct):
        kind = result.__struct_config__
        return ({kind.tag_field: kind.tag} if kind.tag_field else {}) | {
            field.encode_name: as_document(value)
            for field in _fields(type(result))
            for value in [getattr(result, field.name)]
            if not (result.__struct_config__.omit_defaults and _is_default(field, value))
        }
    if isinstance(result, dict):
        return {str(key): as_document(value) for key, value in result.items()}
    if isinstance(result, (tuple, list)):
        return [as_document(part) for part in result]
    if isinstance(result, enum.Enum):
        return result.value
    if isinstance(result, Decimal):
        return decimal_text(result)
    if result is None or isinstance(result, bool):
        return result
    if isinstance(result, Natural):
        return str(result)
    if type(result) is int:
        return result
    # A lone surrogate has no UTF-8, and is escaped.
    return value_text(result).encode(errors="backslashreplace").decode()


_fields = functools.cache(msgspec.structs.fields)  # which reads annotations anew each time


def value_text(value: object) -> str:
    """Return the text of a value, the same in every process: members of a set are sorted.

    >>> value_text(frozenset({"b", "a"}))
    '{a, b}'
    """
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(value_text, value)))}}}"
    try:
        return steady_repr(value) if holds_set(value) else str(value)
    except ValueError as error:
        raise LawError(f"an output cannot be shown: {one_line(error)}") from None


def _is_default(field: msgspec.structs.FieldInfo, value: Any) -> bool:
    if field.default is not msgspec.NODEFAULT:
        # By type as well: 0 and False are equal, and written differently.
        same_type = type(value) is type(field.default)
        return value is field.default or (same_type and bool(value == field.default))
    return field.default_factory is not msgspec.NODEFAULT and not value


def from_document(
    document: Any, result_type: type[ResultT], number: Callable[[str], ClosedForm]
) -> ResultT:
    """Return what a document says as a result of the type ``result_type``.

    Args:
        document: what JSON shows; its lists in datasets and outputs become tuples.
        result_type: the type of the result.
        number: reads a number in closed form; what it raises is passed on.

    Raises:
        msgspec.ValidationError: for a document that does not fit, or would not be written so.
    """

    def hook(kind: type[Any], value: Any) -> Any:
        if kind is AnyDocument:
            return msgspec.convert(value, _type_of(value), dec_hook=hook)
        if not isinstance(value, str):
            raise msgspec.ValidationError("Expected `str`")
        if kind is ClosedForm:
            return number(value)
        if kind is Natural and value.isascii() and value.isdecimal():
            return Natural(value)
        raise msgspec.ValidationError(f"{value!r} is no {kind.__name__}")

    return msgspec.convert(_frozen(document), result_type, dec_hook=hook)


def _type_of(document: Any) -> type[Any]:
    """Return the type of a report inside another document, told by its schema."""
    schema = document.get("schema") if isinstance(document, dict) else None
    kind: type[Any] | None = documents().get(schema) if isinstance(schema, str) else None
    if kind is None or not issubclass(kind, AnyDocument):
        raise msgspec.ValidationError(f"{schema!r:.60} is the schema of no report inside another")
    return kind


def _frozen(document: Any, *, parameters: bool = False) -> Any:
    """Return a document with tuples for its lists: as they were before they became JSON.

    The ends of intervals have to be decimals as they are printed, of a size that is printed; a
    mechanism may have ``parameters`` of the same names.
    """
    if isinstance(document, (list, tuple)):
        return tuple(map(_frozen, document))
    if isinstance(document, dict):
        for name in () if parameters else _ENDS & document.keys():
            _check_end(document[name])
        return {
            key: _frozen(value, parameters=key == "mechanism") for key, value in document.items()
        }
    if isinstance(document, float):
        raise msgspec.ValidationError(f"{document!r} is a float, which no report has")
    return document


def _check_end(text: Any) -> None:
    """Refuse what is neither a decimal as it is printed nor a list, which hulls have there."""
    if isinstance(text, (list, tuple)):
        return
    if not isinstance(text, str):
        raise msgspec.ValidationError(f"{text!r} is the end of an interval, but it must be text")
    if _DECIMAL.fullmatch(text) is None:
        raise msgspec.ValidationError(f"{text[:40]!r} is not a decimal number")
    end = Decimal(text)
    if end.is_finite() and end and abs(end.adjusted()) > _LARGEST_EXPONENT:
        raise msgspec.ValidationError(f"{text[:40]!r} is beyond what is printed")


FOUND = (
    *("results", "curves", "missing", "undecided", "uncalibrated", "verdict", "data", "sha256"),
    *("decided", "sizes", "semantics", "interposed", "not_as_run", "monotone", "paths", "rest"),
    *("real_runs", "unseen_mass"),
)
"""The fields of a report that hold what was found, how, or at which sizes."""


def asked_of(report: Any) -> dict[str, Any]:
    """Return the question that a report answers: its document without the fields of results."""
    parts = {name: getattr(report, name) for name in report.__struct_fields__}
    empty = {name: () for name, value in parts.items() if isinstance(value, tuple)}
    document: dict[str, Any] = as_document(msgspec.structs.replace(report, **empty))
    return {name: value for name, value in document.items() if name not in FOUND}


def encode(result: Any) -> bytes:
    """Return a result as indented JSON with a final line break, sealed if it has a place for it.

    Documents inside others are not sealed themselves.
    """
    document = as_document(result)
    if hasattr(result, "sha256"):
        document.pop("sha256", None)
        document["sha256"] = seal_of(document)
    text = _dumped(document)
    return msgspec.json.format(text.encode(), indent=2) + b"\n"


def _dumped(document: Any, **how: Any) -> str:
    """Return a document as JSON, with whole numbers of as many digits as Python writes."""
    try:
        return json.dumps(document, ensure_ascii=False, **how)
    except ValueError as error:
        raise LawError(f"an output cannot be shown: {one_line(error)}") from None


def decode(
    content: bytes, result_type: type[ResultT], number: Callable[[str], ClosedForm]
) -> ResultT:
    """Return the result that ``content`` is the document of; see :func:`from_document`."""
    return from_document(msgspec.json.decode(content), result_type, number)


def seal_of(content: dict[str, Any]) -> str:
    """Return the SHA-256 that a document with this ``content`` ends with, itself left out."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    # One text for one content, however it was indented.
    text = _dumped(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


_ANY = "one of the reports that dpaudit schema lists, told by its schema"


def json_schema(result_type: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a document."""

    def hook(kind: type[Any]) -> dict[str, Any]:
        if kind is AnyDocument:
            return {"type": "object", "required": ["schema"], "description": _ANY}
        meaning = {ClosedForm: "a number in closed form", Natural: "a whole number"}[kind]
        return {"type": "string", "description": meaning}

    schema: dict[str, Any] = _dedented(msgspec.json.schema(result_type, schema_hook=hook))
    return schema


def _dedented(schema: Any) -> Any:
    """Return a schema with the docstrings in it as Python 3.13 has them, without their indent."""
    if isinstance(schema, list):
        return [_dedented(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: inspect.cleandoc(value)
        if key == "description" and isinstance(value, str)
        else _dedented(value)
        for key, value in schema.items()
    }


_OF_NO_QUESTION: dict[str, Any] = {
    "dpaudit.certificate/1": results.Certificate,
    "dpaudit.claims/1": results.ClaimsReport,
    "dpaudit.statement/1": results.StatementQuestion,
    "dpaudit.statement-verdict/1": results.StatementResult,
    "dpaudit.kernel/1": results.KernelReport,
    "dpaudit.reproduce/1": results.ReproductionReport,
    "dpaudit.trust/1": results.TrustReport,
    "dpaudit.estimates/1": results.AccountDocument,
    "dpaudit.reports/1": results.ReportList,
    "dpaudit.gate/1": results.GateDocument,
    "dpaudit.diff/1": results.Difference,
    "dpaudit.mechanisms/1": catalogue.MechanismList,
    "dpaudit.mechanism/1": catalogue.MechanismPage,
    "dpaudit.loaded/1": catalogue.LoadedMechanism,
    "dpaudit.claim-list/1": catalogue.ClaimList,
    "dpaudit.targets/1": catalogue.TargetList,
}
"""Documents that answer no question about a mechanism, by the names of their schemas."""


@functools.cache
def documents() -> Mapping[str, Any]:
    """Return the types of all documents by the names of their schemas."""
    answers = {form.schema: kind for kind, form in forms().items() if form.published}
    return answers | _OF_NO_QUESTION


OTHERS = ("dpaudit.gate-config/1", "dpaudit.verification/1")
"""Schemas that are published too: a gate's configuration, and what the rechecker says."""


def published(name: str) -> bytes:
    """Return the JSON Schema that is published under ``name``.

    Where the folder of a question was added, its document has no file yet, and that of a gate's
    configuration has not its measure: these are made of the table.
    """
    stem, _, _ = name.removeprefix("dpaudit.").partition("/")
    file = files("dpaudit.results") / "schemas" / f"{stem}.json"
    if not file.is_file():
        return schema_text(documents()[name])
    content = msgspec.json.decode(file.read_bytes())
    measure = content["$defs"].get("Entry", {}).get("properties", {}).get("measure")
    if measure is None or measure["enum"] == [*measures()]:
        return file.read_bytes()
    measure["enum"] = [*measures()]
    return _schema_text(content)


def _schema_text(schema: Any) -> bytes:
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


def schema_text(kind: type[Any]) -> bytes:
    """Return the JSON Schema of a type of document as it is published."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **json_schema(kind)}
    return _schema_text(schema)


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document, such as a report of :func:`dpaudit.check`.

    Args:
        name: name of the document, such as ``"audit"`` or ``"dpaudit.audit/1"``; ``dpaudit schema``
            lists them.

    Returns:
        The schema, as Python objects of its JSON.

    Raises:
        ParameterError: for an unknown name.

    >>> sorted(schema("audit"))[:2]
    ['$defs', '$ref']
    """
    document: dict[str, Any] = msgspec.json.decode(published(full_name(name)))
    return document


def full_name(name: str) -> str:
    """Return the name of a schema that is given with or without ``dpaudit.`` and version.

    Raises ``ParameterError`` for one that no document has.
    """
    names = [*documents(), *OTHERS]
    for full in names:
        if name in (full, full.removeprefix("dpaudit.")[:-2]):
            return full
    raise ParameterError("schema", f"no report has the schema {name!r}; {nearest(name, names)}")

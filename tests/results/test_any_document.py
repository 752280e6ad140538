"""A field that holds any report: read by the schema in it, written as it is, never nested twice."""

from collections.abc import Callable
from typing import Any

import jsonschema
import msgspec
import pytest

import dpaudit
from dpaudit.numbers.real import parse_written
from dpaudit.results import AnyDocument, Document
from dpaudit.results.documents import (
    as_document,
    decode,
    documents,
    encode,
    from_document,
    json_schema,
    schema,
    seal_of,
)


class Holder(Document, frozen=True, kw_only=True):
    """A document that holds reports."""

    report: AnyDocument | None = None
    """One."""
    reports: tuple[AnyDocument, ...] = ()
    """More."""
    sha256: str = ""
    """The seal."""


INSIDE = {
    *("dpaudit.audit/1", "dpaudit.notion/1", "dpaudit.curve/1", "dpaudit.tradeoff/1"),
    *("dpaudit.calibration/1", "dpaudit.accuracy/2", "dpaudit.account/2", "dpaudit.sample/1"),
    *("dpaudit.interval/1", "dpaudit.interval-curve/1"),
}
REPORTS: dict[str, Callable[[], Any]] = {
    "dpaudit.audit/1": lambda: dpaudit.check("EHDS", n=3).report,
    "dpaudit.curve/1": lambda: dpaudit.curve("EHDS", n=3).report,
    "dpaudit.account/2": lambda: dpaudit.account("RR", n=1, compose=3, at_delta=["1/1000"]).reports[
        0
    ],
}


def read(document: Any) -> Holder:
    return from_document(document, Holder, parse_written)


def test_reports_of_one_mechanism_may_be_inside_others_and_nothing_else() -> None:
    kinds = {name: kind for name, kind in documents().items() if isinstance(kind, type)}
    assert {name for name, kind in kinds.items() if issubclass(kind, AnyDocument)} == INSIDE


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_inside_another_reads_back_and_has_no_seal(name: str) -> None:
    report = REPORTS[name]()
    assert report.schema == name
    held = Holder(report=report, reports=(report, report))
    written = encode(held)
    found = decode(written, Holder, parse_written)
    assert type(found.report) is documents()[name]
    assert [type(one) for one in found.reports] == [documents()[name]] * 2
    assert encode(found) == written
    document = msgspec.json.decode(written)
    assert document["sha256"] == seal_of(document)
    assert "sha256" not in document["report"]
    assert document["report"] == as_document(report)


@pytest.mark.parametrize(
    "report",
    [
        *({}, [], "dpaudit.audit/1", 1, {"schema": None}, {"schema": ["dpaudit.audit/1"]}),
        *({"schema": name} for name in [*documents(), "dpaudit.audit/9", "dpaudit.verification/1"]),
    ],
)
def test_what_is_no_report_is_refused(report: Any) -> None:
    for document in ({"report": report}, {"reports": [report]}):
        with pytest.raises(msgspec.ValidationError):
            read(document)


def test_a_report_inside_is_held_to_what_reports_are_held_to() -> None:
    document = as_document(REPORTS["dpaudit.audit/1"]())
    assert read({"report": document}).report is not None
    for changed in (
        {**document, "surplus": 1},
        {**document, "digits": 1.5},
        {**document, "digits": "12"},
        {**document, "schema": "dpaudit.curve/1"},
        {**document, "mechanism": {}},
        {**document, "results": [{**document["results"][0], "epsilon": {"lower": 1, "upper": 2}}]},
    ):
        with pytest.raises(msgspec.ValidationError):
            read({"report": changed})


def test_a_holder_is_held_by_nothing() -> None:
    held = as_document(Holder(report=REPORTS["dpaudit.audit/1"]()))
    with pytest.raises(msgspec.ValidationError):
        read({"report": held})
    with pytest.raises(msgspec.ValidationError):
        read({"report": {**held, "schema": "dpaudit.audit/1"}})


def test_its_schema_names_no_report_and_is_fulfilled_by_each() -> None:
    found = json_schema(Holder)
    assert "Audit" not in str(found)
    report = as_document(REPORTS["dpaudit.audit/1"]())
    jsonschema.validate({"report": report, "reports": [report]}, found)
    jsonschema.validate(report, schema(report["schema"]))
    refused: list[Any] = [{"report": {}}, {"report": []}, {"reports": [{}]}]
    for wrong in refused:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, found)

"""The gate's failures at the definitions of mechanisms: SARIF 2.1.0 (OASIS), GitHub annotations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dpaudit.results import Kind

if TYPE_CHECKING:
    from dpaudit.results import GateDocument, Location

__all__ = ["SARIF_SCHEMA", "gate_annotations", "gate_sarif"]


SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
"""The schema's name, as the standard wants it in every file."""

_RULES = {
    Kind.EXCEEDS: ("BudgetExceeded", "The privacy loss certainly exceeds the stated budget."),
    Kind.TIE: ("EqualToBudget", "The realised ε is the budget, which this gate does not allow."),
    Kind.UNDECIDED: ("NotDecided", "The realised privacy loss is not told from the budget."),
    Kind.TIME_CAP: ("NotFinished", "The audit did not finish in time."),
    Kind.NOT_LOADED: ("MechanismNotLoaded", "The mechanism could not be loaded."),
    Kind.BROKEN: ("NoMechanism", "The laws or neighbours are not what they must be."),
    Kind.CRASHED: (
        "ProcessEnded",
        "The process of the audit ended without a result.",
    ),
}
"""Names are not those of the ids: ids are for machines, and stay (SARIF1001)."""


def gate_sarif(document: GateDocument) -> bytes:
    """Return the failures as SARIF results, each at the definition of its mechanism."""
    rules = [
        {
            "id": _rule(kind),
            "name": name,
            "shortDescription": {"text": text},
        }
        for kind, (name, text) in _RULES.items()
    ]
    rules.append(
        {
            "id": "claim",
            "name": "VerdictChanged",
            "shortDescription": {"text": "A claim has not the verdict that is expected of it."},
        }
    )
    indices = {rule["id"]: index for index, rule in enumerate(rules)}
    results = [
        _result(indices, _rule(one.kind), f"{one.title}: {one.message}", document, one.location)
        for one in document.mechanisms
        if not one.passed
    ]
    results += [
        _result(indices, "claim", f"{one.id}: {one.message}", document, None)
        for one in document.claims
        if not one.passed
    ]
    log = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "dpaudit",
                        "version": document.version,
                        "semanticVersion": document.version,
                        "rules": rules,
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return (json.dumps(log, indent=2, ensure_ascii=False) + "\n").encode()


def _rule(kind: Kind) -> str:
    return kind.value.replace(" ", "-")


def _result(
    indices: dict[Any, int],
    rule: str,
    text: str,
    document: GateDocument,
    location: Location | None,
) -> dict[str, Any]:
    """Return one result; without a location of its own it points to the configuration."""
    file, line = (location.file, location.line) if location else (document.config, 1)
    return {
        "ruleId": rule,
        "ruleIndex": indices[rule],
        "level": "error",
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(file)},
                    "region": {"startLine": max(1, line)},
                }
            }
        ],
    }


def _uri(file: str) -> str:
    from urllib.parse import quote

    return quote(file)


def gate_annotations(document: GateDocument) -> bytes:
    """Return one ``::error`` workflow command for each failure, at the mechanism's definition."""
    lines = []
    for one in document.mechanisms:
        if not one.passed:
            where = one.location
            file, line = (where.file, where.line) if where else (document.config, 1)
            place = f"file={_property(file)},line={line}"
            lines.append(f"::error {place},title={_property(one.title)}::{_data(one.message)}")
    for claim in document.claims:
        if not claim.passed:
            place = f"file={_property(document.config)}"
            lines.append(f"::error {place},title={_property(claim.id)}::{_data(claim.message)}")
    return "".join(f"{line}\n" for line in lines).encode()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

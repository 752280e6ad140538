"""The gate's report for CI systems: JUnit XML, SARIF 2.1.0 (OASIS) and GitHub annotations."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from dpaudit.report.views.differences import conclusion, worse_lines
from dpaudit.results import Finding, GateDocument

__all__ = ["SARIF_SCHEMA", "gate_annotations", "gate_junit", "gate_sarif"]


SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
"""The schema's name, as the standard wants it in every file."""

_RULES = {
    "exceeds": ("BudgetExceeded", "The privacy loss certainly exceeds the stated budget."),
    "tie": (
        "EqualToBudget",
        "The realised ε equals the budget, and this gate treats a tie as a failure.",
    ),
    "differs": (
        "LawDiffers",
        "The draws contradict the stated output distribution (wrong with at most the error "
        "probability).",
    ),
    "too few draws": ("TooFewDraws", "The entry has too few draws to conclude anything."),
    "vacuous": (
        "AllDrawsAlike",
        "Every draw of the sampler is the same, or no event distinguishes the datasets.",
    ),
    "undecided": ("NotDecided", "The interval of the realised privacy loss contains the budget."),
    "time cap": ("NotFinished", "The audit did not finish in time."),
    "memory cap": ("TooLarge", "The audit needs more memory than its limit."),
    "not loaded": ("MechanismNotLoaded", "The mechanism could not be loaded."),
    "broken": ("NoMechanism", "The output probabilities or the neighbours are invalid."),
    "crashed": ("ProcessEnded", "The process of the audit ended without a result."),
    "worse": ("WorseThanBaseline", "Something is worse than in the report of the older gate."),
    "claim": ("VerdictChanged", "A claim does not have the expected verdict."),
}
"""By the kind of a finding.  Names are not the ids, which are for machines and stay (SARIF1001)."""


def gate_sarif(document: GateDocument) -> bytes:
    """Return the failures as SARIF results, each at the definition of its mechanism."""
    rules = [
        {"id": rule.replace(" ", "-"), "name": name, "shortDescription": {"text": text}}
        for rule, (name, text) in _RULES.items()
    ]
    results = [
        _result(
            finding.kind.value, f"{finding.title}: {finding.message}", *_place(finding, document)
        )
        for finding in document.mechanisms
        if not finding.passed
    ]
    results += [
        _result("claim", f"{claim.id}: {claim.message}", document.config, 1)
        for claim in document.claims
        if not claim.passed
    ]
    results += [
        _result("worse", f"{title}: {message}", document.config, 1)
        for title, message in _worse(document)
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


def _worse(document: GateDocument) -> list[tuple[str, str]]:
    return [] if document.baseline is None else list(worse_lines(document.baseline))


def _place(finding: Finding, document: GateDocument) -> tuple[str, int]:
    """Return where a mechanism is defined; without a place of its own, the configuration."""
    location = finding.location
    return (location.file, location.line) if location else (document.config, 1)


def _result(kind: str, text: str, file: str, line: int) -> dict[str, Any]:
    physical = {"artifactLocation": {"uri": quote(file)}, "region": {"startLine": max(1, line)}}
    return {
        "ruleId": kind.replace(" ", "-"),
        "ruleIndex": list(_RULES).index(kind),
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": physical}],
    }


def gate_annotations(document: GateDocument) -> bytes:
    """Return one ``::error`` workflow command for each failure, at the mechanism's definition."""
    lines = []
    for finding in document.mechanisms:
        if not finding.passed:
            file, line = _place(finding, document)
            place = f"file={_property(file)},line={line}"
            lines.append(
                f"::error {place},title={_property(finding.title)}::{_data(finding.message)}"
            )
    for claim in document.claims:
        if not claim.passed:
            place = f"file={_property(document.config)}"
            lines.append(f"::error {place},title={_property(claim.id)}::{_data(claim.message)}")
    for title, message in _worse(document):
        place = f"file={_property(document.config)}"
        lines.append(f"::error {place},title={_property(title)}::{_data(message)}")
    return "".join(f"{line}\n" for line in lines).encode()


# The escapes of GitHub's own @actions/core: without them a message could start another command.
def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_ERRORS = ("not loaded", "broken", "crashed", "time cap", "memory cap", "unknown", "failed")
"""Outcomes that are no finding about privacy but prevent one: errors, not failures."""


def gate_junit(document: GateDocument) -> bytes:
    """Return the report as JUnit XML.

    The form is the one that CI systems share: ``testsuites``, ``testsuite``, ``testcase`` with a
    ``failure`` or an ``error``.  No times and no host names: the same findings, the same bytes.
    """
    suites = ElementTree.Element("testsuites", name="dpaudit gate")
    cases = [
        (
            "mechanisms",
            finding.title,
            finding.mechanism,
            finding.kind.value,
            finding.passed,
            finding.message,
        )
        for finding in document.mechanisms
    ] + [
        ("claims", claim.id, "claim", claim.found, claim.passed, claim.message)
        for claim in document.claims
    ]
    cases += [
        ("baseline", title, "baseline", "worse", False, message)
        for title, message in _worse(document)
    ]
    older = document.baseline
    if older is not None and not document.got_worse:
        cases.append(("baseline", older.old.name, "baseline", "no worse", True, conclusion(older)))
    total = {"tests": 0, "failures": 0, "errors": 0}
    for name in ("mechanisms", "claims", "baseline"):
        chosen = [case for case in cases if case[0] == name]
        if not chosen:
            continue
        suite = ElementTree.SubElement(suites, "testsuite", name=f"dpaudit.{name}")
        count = {"tests": len(chosen), "failures": 0, "errors": 0}
        for _, title, group, kind, passed, message in chosen:
            case = ElementTree.SubElement(
                suite, "testcase", name=_clean(title), classname=f"dpaudit.{_clean(group)}"
            )
            if passed:
                ElementTree.SubElement(case, "system-out").text = _clean(message)
                continue
            outcome = "error" if kind in _ERRORS else "failure"
            count[f"{outcome}s"] += 1
            problem = ElementTree.SubElement(
                case, outcome, message=_clean(message), type=_clean(kind)
            )
            problem.text = _clean(f"{title}: {message}")
        for key, number in count.items():
            suite.set(key, str(number))
            total[key] += number
        suite.set("skipped", "0")
    for key, number in total.items():
        suites.set(key, str(number))
    ElementTree.indent(suites)
    body: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def _clean(text: str) -> str:
    """Return ``text`` without the characters that XML 1.0 does not have."""
    return "".join(
        c
        if c in "\t\n\r" or "\x20" <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff"
        else "\ufffd"
        for c in text
    )

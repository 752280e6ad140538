"""The gate's report as JUnit XML, one test case for each entry and claim."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from dpaudit.results import GateDocument

__all__ = ["gate_junit"]

_ERRORS = ("not loaded", "broken", "crashed", "time cap", "unknown", "failed")
"""What is no finding about privacy but keeps it from being found: an error, not a failure."""


def gate_junit(document: GateDocument) -> bytes:
    """Return the report as JUnit XML.

    The form is the one that CI systems share: ``testsuites``, ``testsuite``, ``testcase`` with a
    ``failure`` or an ``error``.  No times and no host names: the same findings, the same bytes.
    """
    suites = ElementTree.Element("testsuites", name="dpaudit gate")
    cases = [
        ("mechanisms", one.title, one.mechanism, one.kind.value, one.passed, one.message)
        for one in document.mechanisms
    ] + [("claims", one.id, "claim", one.found, one.passed, one.message) for one in document.claims]
    total = {"tests": 0, "failures": 0, "errors": 0}
    for name in ("mechanisms", "claims"):
        chosen = [case for case in cases if case[0] == name]
        if not chosen:
            continue
        suite = ElementTree.SubElement(suites, "testsuite", name=f"dpaudit.{name}")
        count = {"tests": len(chosen), "failures": 0, "errors": 0}
        for _, title, group, kind, passed, message in chosen:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                name=_clean(title),
                classname=f"dpaudit.{_clean(group)}",
            )
            if passed:
                ElementTree.SubElement(case, "system-out").text = _clean(message)
                continue
            wrong = "error" if kind in _ERRORS else "failure"
            count[f"{wrong}s"] += 1
            found = ElementTree.SubElement(case, wrong, message=_clean(message), type=_clean(kind))
            found.text = _clean(f"{title}: {message}")
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

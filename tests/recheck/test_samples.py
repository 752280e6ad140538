"""Entries about samplers, changed and sealed anew: nothing false is accepted of a gate's report."""

import json
from collections.abc import Iterator
from math import log, nextafter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dpaudit.gate.run import run_gate
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.joint import JointTest
from dpaudit.results import SampleReport, SampleVerdict
from dpaudit.results.documents import encode
from dpaudit.sampling import joint
from tests.gate.test_sample_entries import FILE
from tests.recheck.sealing import Document, verdict

NAMED = """
@finite_mechanism(name="truth", **BITS)
def renamed(answer):
    return {answer: "3/4", 1 - answer: "1/4"}

@sampler(**BITS)
def alone(answer, size, rng):
    rng = np.random.default_rng()
    return np.where(rng.random(size) < 0.75, answer, 1 - answer)
"""
ENTRIES = {
    "exceeds": '"own.py:leaking"\ndraws = 2000\nbudget = "ln(3)"\nn = 1',
    "not refuted": '"own.py:respond"\ndraws = 2000\nbudget = ["ln(3)", "1/100"]\nn = [7]',
    "too few draws": '"own.py:respond"\ndraws = 20\nbudget = "ln(3)"\nn = "7..7"',
    "vacuous": '"own.py:constant"\ndraws = 2000\nbudget = "ln(3)"\nn = 1',
    "conforms": '"own.py:respond"\ndraws = 200000\nagainst = "own.py:law"\nn = 1',
    "differs": '"own.py:leaking"\ndraws = 2000\nagainst = "own.py:law"\nn = 1',
    "far": '"own.py:respond"\ndraws = 2000\nagainst = "own.py:law"\nn = 1',
}
PASS = ("not refuted", "conforms")
TAKEN = {
    "relation",
    "mechanism.name",
    "mechanism.p",
    "loaded.sha256",
    "fingerprint",
    "version",
    "event.words",
    "event.x",
    "event.y",
    "comparisons.0.dataset",
    "comparisons.0.worst",
    "comparisons.0.binned",
    "comparisons.0.outputs",
    "comparisons.0.p_value",
    "comparisons.0.distance",
}
"""What a sampler alone knows: where a change of it is no contradiction, it is taken on trust."""


@pytest.fixture(scope="module")
def gates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Document]]:
    found = {}
    for name, lines in ENTRIES.items():
        folder = tmp_path_factory.mktemp("gate")
        (folder / "own.py").write_text(FILE + NAMED)
        config = folder / "dpaudit.toml"
        config.write_text(f'[[mechanism]]\nmeasure = "sample"\nmechanism = {lines}\n')
        found[name] = config, json.loads(encode(run_gate(config)))
    return found


def said(config: Path, document: Document) -> str:
    try:
        return verdict(config.parent, document, config=config)
    except NotAReportError:
        return "no report"


def changed(document: Document, **fields: Any) -> Document:
    """Return a report with other fields of its audit, and all that follows from a verdict."""
    copy: Document = json.loads(json.dumps(document))
    (finding,) = copy["mechanisms"]
    for path, to in fields.items():
        *parts, last = path.split(".")
        part: Any = finding["sample"]
        for one in parts:
            part = part[int(one)] if isinstance(part, list) else part[one]
        part[int(last) if isinstance(part, list) else last] = to
    kind = finding["sample"]["verdict"]
    finding["kind"], finding["passed"] = kind, kind in PASS
    failing = "exceeds" if kind in ("exceeds", "differs") else "undecided"
    copy["verdict"] = "not refuted" if kind in PASS else failing
    return copy


def leaves(part: Any, kind: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a document with its path, those that are left out as well."""
    if isinstance(part, dict):
        left_out = {}
        if kind is not None:
            left_out = {one.name: one.default for one in msgspec.structs.fields(kind)}
        for name in dict.fromkeys((*part, *left_out)):
            value = part.get(name, left_out.get(name))
            if value is not None and value is not msgspec.NODEFAULT:
                yield from leaves(value, None, f"{path}{name}.")
    elif isinstance(part, (list, tuple)):
        yield path[:-1], list(part)
        for place, value in enumerate(part[:1]):
            yield from leaves(value, None, f"{path}{place}.")
    else:
        yield path[:-1], part


def mutants(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [one for one in (0, 1, value + 1, value * 7 + 3, 10**7) if one != value]
    if isinstance(value, list):
        return [value[:-1], [*value, *value[:1]]] if value else []
    if value in {one.value for one in SampleVerdict}:
        return [one.value for one in SampleVerdict if one.value != value]
    return [one for one in ("", "-1", "5", "1/1000", "other", f"{value}1") if one != value]


@pytest.mark.parametrize("name", ENTRIES)
def test_nothing_else_is_accepted(name: str, gates: dict[str, tuple[Path, Document]]) -> None:
    config, document = gates[name]
    kind = "too few draws" if name == "far" else name
    (finding,) = document["mechanisms"]
    assert finding["kind"] == kind, finding["message"]
    assert said(config, document) == "accepted"
    accepted = []
    for path, value in leaves(finding["sample"], SampleReport):
        for to in mutants(value):
            if said(config, changed(document, **{path: to})) == "accepted":
                accepted.append((path, value, to))
    false = [one for one in accepted if one[0] not in TAKEN]
    assert not false

"""Entries about samplers, changed and sealed anew: nothing false is accepted of a gate's report."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from math import comb, exp, log
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from dpaudit.gate.config import read_config
from dpaudit.gate.requests import EntryRequest
from dpaudit.mechanisms.loading import load
from dpaudit.mechanisms.references import reference
from dpaudit.questions.sample.gate import judged, sampled, with_errors
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.joint import JointTest
from dpaudit.results import SampleReport, SampleVerdict
from dpaudit.results.documents import encode
from dpaudit.results.gates import Finding, GateDocument, GateVerdict
from dpaudit.sampling import joint
from dpaudit.version import __version__
from tests.campaigns import part
from tests.gate.test_sample_entries import FILE, answered
from tests.made_once import made_once
from tests.recheck.sealing import Document, verdict

MORE = """
@finite_mechanism(name="truth", **BITS)
def renamed(answer):
    return {answer: "3/4", 1 - answer: "1/4"}

@sampler(**BITS)
def told(answer, size, rng):
    return np.where(rng.random(size) < 0.3 * answer, 7, respond.function(answer, size, rng))

@sampler(**BITS)
def alone(answer, size, rng):
    return respond.function(answer, size, np.random.default_rng())
"""
ENTRIES: dict[str, dict[str, Any]] = {
    "exceeds": {"mechanism": "own.py:told", "budget": "ln(3)"},
    "not refuted": {"mechanism": "own.py:respond", "budget": ["ln(3)", "1/100"], "n": [7]},
    "too few draws": {"mechanism": "own.py:respond", "budget": "1", "n": "7..7", "draws": 20},
    "vacuous": {"mechanism": "own.py:constant", "budget": "ln(3)"},
    "conforms": {"mechanism": "own.py:respond", "against": "own.py:law", "draws": 200_000},
    "differs": {"mechanism": "own.py:told", "against": "own.py:law"},
    "far": {"mechanism": "own.py:respond", "against": "own.py:law"},
}
COMMON = {"measure": "sample", "n": 1, "draws": 2000}
PASS = ("not refuted", "conforms")
TAKEN = {
    "sized",  # how sizes are shown
    "no_law",  # why a function was drawn from, in words
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
    "comparisons.0.cells.0.output",
}
"""What a sampler alone knows: where a change of it is no contradiction, it is taken on trust."""
TAKEN_OF = {
    "conforms": {"pairs"},
    "differs": {"pairs"},
    "far": {"pairs"},
    "exceeds": {"datasets"},
    "not refuted": {"datasets"},
    "too few draws": {"datasets", "event.count_x", "event.count_y"},
    "vacuous": {"datasets", "event.count_x", "event.count_y"},
}
"""The same of some entries: without a bound counts say little, and some datasets have no pair."""


def gate_of(folder: Path, given: dict[str, Any]) -> tuple[Path, Document]:
    """Return a configuration of one entry with the report of its gate, made in this process."""
    folder.mkdir(exist_ok=True)
    (folder / "own.py").write_text(FILE + MORE)
    path = folder / "dpaudit.toml"
    lines = (f"{key} = {json.dumps(value)}\n" for key, value in (COMMON | given).items())
    path.write_text("[[mechanism]]\n" + "".join(lines))
    config = read_config(path)
    (entry,) = with_errors(config.mechanisms)
    spec = reference(entry.mechanism, {}, folder)
    told = answered(EntryRequest(entry, config, spec), sampled(load(spec), entry, folder))
    kind, message = judged(told)
    finding = Finding(
        title=entry.title,
        mechanism=entry.mechanism,
        kind=kind,
        passed=kind.passes,
        message=message,
        location=None,
        report=told,
    )
    gate = GateDocument(
        schema="dpaudit.gate/1",
        version=__version__,
        config=path.name,
        config_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        verdict=GateVerdict(verdict_of(kind.value)),
        mechanisms=(finding,),
        claims=(),
    )
    return path, changed(json.loads(encode(gate)))


@pytest.fixture(scope="module")
def gates(kept: Path) -> dict[str, tuple[Path, Document]]:
    def make(folder: Path) -> None:
        for name, given in ENTRIES.items():
            config, document = gate_of(folder / name, given)
            config.with_name("gate.json").write_text(json.dumps(document))

    folder = made_once(kept, "gates of samplers", make)
    return {
        name: (
            folder / name / "dpaudit.toml",
            json.loads((folder / name / "gate.json").read_text()),
        )
        for name in ENTRIES
    }


def said(config: Path, document: Document) -> str:
    try:
        return verdict(config.parent, document, config=config)
    except NotAReportError:
        return "no report"


def changed(document: Document, fields: dict[str, Any] | None = None) -> Document:
    """Return a report with other fields of its audit, and all that follows from a verdict."""
    copy: Document = json.loads(json.dumps(document))
    (finding,) = copy["mechanisms"]
    for path, to in (fields or {}).items():
        *parts, last = path.split(".")
        part: Any = finding["report"]
        for one in parts:
            part = part[int(one)] if isinstance(part, list) else part[one]
        part[int(last) if isinstance(part, list) else last] = to
    kind = finding["report"]["verdict"]
    finding["kind"], finding["passed"] = kind, kind in PASS
    copy["verdict"] = verdict_of(kind)
    return copy


def verdict_of(kind: str) -> str:
    failing = "exceeds" if kind in ("exceeds", "differs") else "undecided"
    return "not refuted" if kind in PASS else failing


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
        return [one for one in (0, 1, value + 50, value * 7 + 3, 10**7) if one != value]
    if isinstance(value, list):
        return [value[:-1], [*value, *value[:1]]] if value else []
    if value in {one.value for one in SampleVerdict}:
        return [one.value for one in SampleVerdict if one.value != value]
    texts = ["", "-1", "5", "1/1000", "other", f"{value}x"]
    with suppress(ValueError):
        texts.append(f"{float(value) * 1.05:.7g}")
    return [one for one in texts if one != value]


@pytest.mark.parametrize("name", ENTRIES)
def test_no_field_is_changed_unseen(name: str, gates: dict[str, tuple[Path, Document]]) -> None:
    config, document = gates[name]
    (finding,) = document["mechanisms"]
    assert finding["kind"] == ("too few draws" if name == "far" else name), finding["message"]
    assert said(config, document) == "accepted"
    changes = [
        (path, value, to)
        for path, value in leaves(finding["report"], SampleReport)
        for to in mutants(value)
    ]
    accepted = [
        (path, value, to)
        for path, value, to in changes[:: part(1, 18)]
        if said(config, changed(document, {path: to})) == "accepted"
    ]
    taken = TAKEN | TAKEN_OF[name]
    assert not [one for one in accepted if one[0] not in taken]


@pytest.mark.parametrize(
    ("name", "lie"),
    [
        ("exceeds", {"verdict": "not refuted", "epsilon": ""}),
        ("exceeds", {"verdict": "not refuted", "epsilon": "1.0986"}),
        ("exceeds", {"verdict": "not refuted", "epsilon": "1.098612", "delta": ""}),
        ("exceeds", {"verdict": "vacuous"}),
        ("exceeds", {"event.count_x": 410, "event.count_y": 136}),
        ("exceeds", {"event.draws": 1, "event.count_x": 1, "event.count_y": 0}),
        ("exceeds", {"datasets": 1, "pairs": 0}),
        ("exceeds", {"selected": 99_999}),
        ("not refuted", {"event.count_x": 1600, "event.count_y": 0}),
        ("not refuted", {"verdict": "exceeds", "epsilon": "1.2"}),
        ("not refuted", {"verdict": "exceeds", "epsilon": "1.0987"}),
        ("not refuted", {"digits": 1}),
        ("not refuted", {"reproducible": False}),
        ("not refuted", {"budget.delta": "-1"}),
        ("vacuous", {"verdict": "not refuted"}),
        ("differs", {"verdict": "conforms"}),
        ("differs", {"comparisons.0.p_value": "5"}),
        ("conforms", {"comparisons.0.p_value": "x"}),
        ("conforms", {"comparisons.0.distance": "-1"}),
        ("conforms", {"comparisons.0.distance": "", "comparisons.1.distance": "", "tolerance": ""}),
        ("conforms", {"comparisons.0.draws": 1}),
        ("conforms", {"against": "Laplace"}),
    ],
)
def test_what_an_attacker_tried(
    name: str, lie: dict[str, Any], gates: dict[str, tuple[Path, Document]]
) -> None:
    config, document = gates[name]
    assert said(config, changed(document, lie)) != "accepted"


def test_a_dataset_less(gates: dict[str, tuple[Path, Document]]) -> None:
    config, document = gates["conforms"]
    (first, _) = document["mechanisms"][0]["report"]["comparisons"]
    lie = {"comparisons": [first], "datasets": 1, "tolerance": first["distance"]}
    assert said(config, changed(document, lie)) == "rejected"


def test_a_law_by_another_name_is_not_told(tmp_path: Path) -> None:
    given = {"mechanism": "own.py:respond", "against": "own.py:renamed"}
    assert said(*gate_of(tmp_path, given)) == "unconfirmed"


def test_randomness_of_its_own_is_told(tmp_path: Path) -> None:
    config, document = gate_of(tmp_path, {"mechanism": "own.py:alone"})
    (finding,) = document["mechanisms"]
    assert "it gave different outputs for the same seed, so it uses" in finding["message"]
    assert said(config, document) == "accepted"
    assert said(config, changed(document, {"reproducible": True})) == "rejected"


@pytest.mark.parametrize(
    ("draws", "counts", "alpha", "kind", "other"),
    [
        (16, (16, 0), 1e-9, "epsilon", 0.001),
        (100, (54, 2), 1e-6, "epsilon", 0.0),
        (1600, (235, 33), 1e-10, "epsilon", 0.0),
        (1600, (235, 33), 1e-10, "delta", 0.1),
        (1600, (746, 490), 1e-6, "epsilon", 0.001),
        (1600, (1600, 1254), 1e-6, "delta", 0.1),
        (1600, (1600, 518), 1e-9, "epsilon", 0.0),
    ],
)
def test_both_tests_agree(
    draws: int, counts: tuple[int, int], alpha: float, kind: Any, other: float
) -> None:
    """The first bounds from above what the second computes: by a little, and never by less."""
    bound = joint.JointTest(joint.Counts(draws, *counts), alpha, kind, other).bound()
    again = JointTest(draws, counts, alpha, kind, other)
    assert again.ratio(bound) <= 1
    assert again.ratio(bound + 2e-4 * max(bound, 1e-3)) >= 0.5
    assert again.ratio(bound * 1.3) > 1


def test_a_hair_above_the_budget_is_no_excess() -> None:
    test = JointTest(80_000, (60_107, 20_035), 1e-9, "epsilon", 0.0)
    assert test.ratio(log(3), enough=1.0) > 1
    assert test.ratio(0.9) <= 1


def test_too_many_draws_are_not_summed_again() -> None:
    with pytest.raises(UnknownDefinitionError, match="no second way to sum"):
        JointTest(10**10, (8 * 10**9, 10**9), 1e-9, "epsilon", 0.0)


def test_few_draws_by_every_result() -> None:
    """Summed over all results of few draws, at one pair after another."""
    draws, counts, alpha, value = 9, (9, 1), 1e-2, 0.25
    test = JointTest(draws, counts, alpha, "epsilon", 0.0)
    both = [(float(a), float(b)) for a in range(draws + 1) for b in range(draws + 1)]
    first, second = (np.array(column) for column in zip(*both, strict=True))
    order = joint.orders(draws, (first, second), test.kappa, "epsilon", 0.0)
    far = [pair for pair, one in zip(both, order, strict=True) if one >= test.order - 1e-9]

    def mass(p: float, k: float) -> float:
        return float(comb(draws, int(k)) * p**k * (1 - p) ** (draws - k))

    def at(q: float) -> float:
        return sum(mass(exp(value) * q, a) * mass(q, b) for a, b in far)

    ends = test.low, min(test.high, exp(-value))
    most = max(at(ends[0] + (ends[1] - ends[0]) * i / 4000) for i in range(4001))
    assert test.ratio(value) == pytest.approx(most / test.target, rel=1e-5)

"""Entries that hold a curve, a trade-off function or a calibration to a bound of their own."""

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import dpaudit
from dpaudit.gate.config import read_config
from dpaudit.gate.messages import read_message
from dpaudit.gate.run import run_gate
from dpaudit.gate.work import tell
from dpaudit.mechanisms.references import reference
from dpaudit.numbers.real import parse_written
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.verify import verify
from dpaudit.report.render import render
from dpaudit.results import GateDocument
from dpaudit.results.documents import decode, encode, seal_of

ENTRY = '[[mechanism]]\nmechanism = "{}"\nn = {}\nmeasure = "{}"\n{}\n'


def found(folder: Path, config: str) -> list[tuple[str, str]]:
    path = folder / "dpaudit.toml"
    path.write_text(config)
    return [(one.kind.value, one.message) for one in run_gate(path, jobs=2).mechanisms]


def test_a_curve_is_held_to_every_point(tmp_path: Path) -> None:
    value = dpaudit.curve("EHDS", 10, at_eps=["1/10"]).results[0].values[0]
    assert str(value.epsilon) == "1/10"
    above, below = f'"{value.upper}"', f'"{value.lower - value.width}"'
    config = ENTRY.format("EHDS", 10, "curve", f'budget = [["1/10", {above}], ["4/5", 0]]')
    config += ENTRY.format("EHDS", 10, "curve", f'budget = [["4/5", 0], ["1/10", {below}]]')
    within, exceeds = found(tmp_path, config)
    assert within == ("within", f"δ(1/10) ≤ {value.upper}, budget {value.upper}")
    assert exceeds[0] == "exceeds"
    assert f"realised δ(1/10) ≥ {value.lower}, budget " in exceeds[1]


def bound(number: object) -> str:
    return str(dpaudit.check_notion("EHDS", 3, "kl", budget=str(number)).audit.budget)


def test_a_trade_off_function_is_held_to_a_gaussian_one(tmp_path: Path) -> None:
    mu = dpaudit.tradeoff("LSHist", 10).results[0].mu
    config = ENTRY.format("LSHist", 10, "tradeoff", f'budget = "{mu.upper}"')
    config += ENTRY.format("LSHist", 10, "tradeoff", f'budget = "{mu.lower - mu.width}"')
    within, exceeds = found(tmp_path, config)
    assert within[0] == "within"
    assert exceeds[0] == "exceeds"
    assert f"with (0,10) against (1,9): realised μ ≥ {mu.lower}" in exceeds[1]


def test_a_calibration_is_held_to_a_nominal_epsilon(tmp_path: Path) -> None:
    config = "".join(
        ENTRY.format("LSDim", 6, "calibrate", f'nominal = "{nominal}"')
        for nominal in ("1.6", "1.600000005", "1.60000001")
    )
    assert found(tmp_path, config) == [
        ("within", "the nominal ε 1.6 keeps the budget, and at least 8/5 is required"),
        (
            "undecided",
            "at n = 6: the largest safe nominal ε found is 1.6, and no value up to "
            "320000001/200000000 is known to "
            "fail",
        ),
        (
            "exceeds",
            "at n = 6: the nominal ε 1.60000001 exceeds the budget, and at least "
            "160000001/100000000 is required",
        ),
    ]


OWN = """
from fractions import Fraction

class Tunable:
    neighbours, datasets, normalised = "all", ["no", "yes"], False

    def __init__(self, epsilon):
        self.epsilon = self.budget = epsilon

    def law(self, answer):
        other = "no" if answer == "yes" else "yes"
        return {answer: f"exp({Fraction(str(self.epsilon)) / 2})", other: "1"}
"""


CONFIG = "".join(
    [
        ENTRY.format("EHDS", '"9,10"', "curve", 'budget = [["1/10", "1/10"], ["1/5", "1/100"]]'),
        ENTRY.format("LSHist", 4, "tradeoff", "budget = 1"),
        ENTRY.format("LSDim", 6, "calibrate", 'budget = "1/2"\nnominal = "9/10"'),
        ENTRY.format("own.py:Tunable", 1, "calibrate", 'nominal = "9/10"')
        + 'parameters = { epsilon = "1/2" }\n',
        ENTRY.format("own.py:Tunable", 1, "curve", 'budget = ["1/5", "1/100"]')
        + 'parameters = { epsilon = "1/2" }\n',
    ]
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "own.py").write_text(OWN)
    (folder / "dpaudit.toml").write_text(CONFIG)
    (folder / "gate.json").write_bytes(encode(run_gate(folder / "dpaudit.toml", 2, curves=True)))
    return folder


def rechecked(project: Path, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    from dpaudit.api.rechecks import own_mechanisms

    monkeypatch.chdir(project)
    document["sha256"] = seal_of(document)
    (project / "changed.json").write_text(json.dumps(document))
    requirements = Requirements(config=project / "dpaudit.toml")
    return verify(project / "changed.json", own_mechanisms(["own.py:Tunable"]), requirements)


def test_they_are_rechecked_a_users_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads((project / "gate.json").read_text())
    kinds = [one["kind"] for one in document["mechanisms"]]
    assert kinds == ["within", "within", "within", "within", "exceeds"]
    answer = rechecked(project, document, monkeypatch)
    assert answer.verdict == "accepted", (answer.disagreements, answer.unconfirmed)


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("place", range(5))
def test_a_bound_or_a_kind_that_is_changed_is_contradicted(
    place: int, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads((project / "gate.json").read_text())
    raised = copy.deepcopy(document)
    raised["mechanisms"][place]["bounds"][0]["limit"] = "1/3"
    assert rechecked(project, raised, monkeypatch).verdict == "rejected"
    finding = document["mechanisms"][place]
    finding["kind"] = "exceeds" if finding["kind"] == "within" else "within"
    finding["passed"] = finding["kind"] == "within"
    assert rechecked(project, document, monkeypatch).verdict == "rejected"


@pytest.mark.parametrize("form", ["text", "junit", "sarif", "markdown", "annotations", "html"])
def test_they_are_in_every_report(form: str, project: Path) -> None:
    document = decode((project / "gate.json").read_bytes(), GateDocument, parse_written)
    page = render([document], form).decode()
    assert "own.py" in page
    if form == "html":
        assert "Trade-off function of LSHist" in page
        assert "Realised δ of EHDS at every ε" in page


def test_a_process_that_lies_about_its_numbers_is_not_believed(project: Path) -> None:
    config = read_config(project / "dpaudit.toml")
    schemas = ("dpaudit.curve/1", "dpaudit.tradeoff/1", "dpaudit.calibration/1")
    said: list[bytes] = []
    for entry in config.mechanisms[: len(schemas)]:
        spec = reference(entry.mechanism, entry.parameters, project)
        tell(said.append, spec, entry, config, False)
    for place, schema in enumerate(schemas):
        entry = config.mechanisms[place]
        spec = reference(entry.mechanism, entry.parameters, project)
        told = msgspec.json.decode(said[place])
        assert read_message(said[place], entry, config, spec).kind.value in ("within", "exceeds")
        lies: list[Any] = []
        report = told["report"]
        assert report["schema"] == schema
        (size, *_) = report["curves" if "curves" in report else "results"]
        if schema == "dpaudit.calibration/1":
            lies = [("nominal", "9"), ("failing", size["nominal"]), ("failing", "9" * 900)]
            lies += [("realised", size["exceeded"]), ("n", 7)]
        else:
            zero = [{**one, "lower": "0", "upper": "0"} for one in size["values"]]
            lies = [("values", zero), ("values", []), ("pairs", 1), ("scale_bits", 10**9)]
            lies += [("upper", []), ("n", 3)]
        for name, value in lies:
            before = size[name]
            size[name] = value
            with pytest.raises(ValueError, match=r"."):
                read_message(msgspec.json.encode(told), entry, config, spec)
            size[name] = before
        for other in {*schemas, "dpaudit.audit/1", "dpaudit.reports/1", "dpaudit.gate/1"} - {
            schema
        }:
            lying = {**told, "report": {**report, "schema": other}}
            with pytest.raises(ValueError, match=r"."):
                read_message(msgspec.json.encode(lying), entry, config, spec)
        for other_said in {*said} - {said[place]}:
            with pytest.raises(ValueError, match="it is not the audit that the entry asks for"):
                read_message(other_said, entry, config, spec)

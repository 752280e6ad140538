"""An ε in bits stays one: nominal and budget in one unit, which every document states."""

import json
from pathlib import Path
from typing import Any

import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.mechanisms.base import UNITS, in_nats
from dpaudit.mechanisms.parameters import ChoiceParameter
from dpaudit.mechanisms.registry import mechanism_class, mechanism_names
from dpaudit.numbers.real import ZERO, real
from dpaudit.recheck.verify import verify
from dpaudit.results import Budget
from dpaudit.results.documents import seal_of

BASES = [
    (name, base)
    for name in mechanism_names()
    for parameter in mechanism_class(name).parameters
    if isinstance(parameter, ChoiceParameter) and parameter.name == "base"
    for base, _ in parameter.choices
]
UNIT = {"e": "nats", "2": "bits", "mixed": "bits"}


def test_there_are_mechanisms_with_a_base() -> None:
    assert {name for name, _ in BASES} >= {"RR", "kRR", "Geometric", "TruncatedGeometric"}
    assert {base for _, base in BASES} == set(UNIT)


@pytest.mark.parametrize(("name", "base"), BASES)
def test_what_is_stated_is_the_nominal_epsilon_in_nats(name: str, base: str) -> None:
    subject = dpaudit.mechanism(name, eps="3/2", base=base)
    assert subject.epsilon_unit == UNIT[base]
    assert subject.nominal.epsilon == in_nats(real("3/2"), subject.epsilon_unit)


@pytest.mark.parametrize(("name", "base"), BASES)
def test_a_calibration_ends_where_it_began(name: str, base: str) -> None:
    """A mechanism that realises what it states has nothing to gain, whatever its unit."""
    found = dpaudit.calibrate(name, 1, eps=1, base=base, tolerance="1e-2")
    (size,) = found.results
    subject = found.calibration
    assert subject.parameters["epsilon"] == "1"
    assert subject.budget == Budget(UNITS[UNIT[base]], ZERO)
    assert size.before.epsilon == dpaudit.check(name, 1, eps=1, base=base).epsilon
    if base == "mixed":  # probabilities by e^ε, held to ε·ln(2)
        assert 0.68 < float(size.gain.lower) <= float(size.gain.upper) < 0.7
    else:
        assert (size.nominal, str(size.gain.exact)) == ("1", "1")
    again = dpaudit.check(name, 1, eps=size.nominal, base=base, budget=subject.budget.epsilon)
    assert again.verdict == "within"


def test_a_budget_in_nats_gives_a_nominal_epsilon_in_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [
        "Geometric",
        "--n",
        "3",
        "--budget",
        "1",
        "--base",
        "2",
        "--tolerance",
        "1e-3",
        "--no-plot",
    ]
    assert invoke(["calibrate", *given]) == 0
    text = capfd.readouterr().out
    assert text.startswith("calibrated: Geometric (epsilon = 1/ln(2) bits, base = 2); ")
    assert "keep ε = 1, and" in text
    assert "   1.442" in text


@pytest.mark.wrong_on_purpose
def test_every_document_states_the_unit_and_verify_looks_at_it(tmp_path: Path) -> None:
    given: dict[str, Any] = {"eps": "1", "base": "2"}
    documents = {
        "check": dpaudit.check("kRR", 1, **given).to_json(),
        "curve": dpaudit.curve("kRR", 1, **given).to_json(),
        "calibrate": dpaudit.calibrate("kRR", 1, tolerance="1e-2", **given).to_json(),
        "notion": dpaudit.check_notion("kRR", 1, "pure", **given).to_json(),
    }
    for command, text in documents.items():
        document = json.loads(text)
        assert document["epsilon_unit"] == "bits", command
        budget = document["budget"]
        assert (budget if command == "notion" else budget["epsilon"]) == "ln(2)", command
        path = tmp_path / f"{command}.json"
        for unit, disagreements in (("bits", False), ("nats", True)):
            document["epsilon_unit"] = unit
            path.write_text(json.dumps({**document, "sha256": seal_of(document)}))
            assert bool(verify(path).disagreements) is disagreements, (command, unit)


@pytest.mark.parametrize(("name", "base"), BASES)
def test_a_hunt_compares_in_nats(name: str, base: str) -> None:
    found = dpaudit.hunt(name, {"eps": ["1", "2"]}, n=1, base=base)
    assert found.worst is not None
    assert found.worst.ratio is not None
    assert found.worst.audit.epsilon_unit == UNIT[base]
    if base == "mixed":
        assert found.finding == "exceeds"
        assert float(found.worst.ratio.lower) > 1.44
    else:
        assert found.finding == "none-found"
        assert found.worst.ratio.exact == 1


@pytest.mark.parametrize("base", UNIT)
def test_an_account_and_a_gate_compare_in_nats(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dpaudit.toml").write_text(
        '[[mechanism]]\nmechanism = "RR"\nn = 1\n'
        f'parameters = {{ epsilon = "1", base = "{base}" }}\n'
    )
    assert invoke(["gate", "--format", "json"]) == (1 if base == "mixed" else 0)
    audit = json.loads(capfd.readouterr().out)["mechanisms"][0]["report"]
    assert (
        invoke(["account", "RR", "--n", "1", "--eps", "1", "--base", base, "--format", "json"]) == 0
    )
    account = json.loads(capfd.readouterr().out)
    for document in (audit, account):
        assert document.get("epsilon_unit", "nats") == UNIT[base]
        assert document["stated"]["epsilon"] == str(UNITS[UNIT[base]])
    assert real(account["rows"][-1]["delta"]["epsilon"]) == UNITS[UNIT[base]]

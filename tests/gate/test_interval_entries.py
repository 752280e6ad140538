"""Entries of a gate with an interval of ε: held at every ε, refused where they make no sense."""

import json
from pathlib import Path
from typing import Any

import pytest

from dpaudit.cli.main import invoke
from dpaudit.recheck.binding import Meant
from dpaudit.recheck.verify import verify

ENTRY = '[[mechanism]]\nmechanism = "{}"\nn = {}\ninterval = "{}"\n{}\n'


def gate(
    capfd: pytest.CaptureFixture[str], folder: Path, *entries: str
) -> tuple[int, dict[str, Any]]:
    (folder / "dpaudit.toml").write_text("\n".join(entries))
    code = invoke(["gate", "--config", str(folder / "dpaudit.toml"), "--format", "json"])
    told = capfd.readouterr()
    assert told.out, told.err
    (folder / "gate.json").write_text(told.out)
    return code, json.loads(told.out)


def test_a_budget_that_is_the_nominal_epsilon_is_held_at_every_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, told = gate(
        capfd,
        tmp_path,
        ENTRY.format("EHDS", '"4..6"', "1/10..2", 'budget = "epsilon"'),
        ENTRY.format("LSHist", 3, "1/10..2", ""),
        ENTRY.format("LSHist", 3, "1/10..1", "budget = 1"),
    )
    assert code == 0
    assert [one["kind"] for one in told["mechanisms"]] == ["within"] * 3
    report = told["mechanisms"][0]["interval"]
    assert report["schema"] == "dpaudit.interval/1"
    assert report["kept"] == [{"first": "0.1", "last": "2"}]
    assert all(one["audit"] is None for one in told["mechanisms"])
    found = verify(tmp_path / "gate.json")
    assert found.verdict == "accepted", found
    assert found.rechecked["realised ε at points"] >= 3
    meant = Meant(config=tmp_path / "dpaudit.toml")
    held = verify(tmp_path / "gate.json", meant=meant)
    assert not held.disagreements
    assert held.rechecked["intervals asked for"] == 3
    (tmp_path / "dpaudit.toml").write_text(ENTRY.format("EHDS", '"4..6"', "1/10..3", ""))
    assert verify(tmp_path / "gate.json", meant=meant).disagreements


def test_what_exceeds_at_one_epsilon_fails_the_gate(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, told = gate(capfd, tmp_path, ENTRY.format("EHDS", 5, "1/10..2", 'budget = "1/5"'), "")
    assert code == 1
    (found,) = told["mechanisms"]
    assert found["kind"] == "exceeds"
    assert "at the nominal ε" in found["message"]


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        ('interval = "2..1"', "FIRST..LAST"),
        ('interval = "1"', "FIRST..LAST"),
        ('interval = "1..2"\nparameters = { epsilon = "1" }', "give no epsilon"),
        ('interval = "1..2"\nnotion = "kl"', "no notion"),
        ('interval = "1..2"\nmeasure = "curve"\nbudget = [1, 0]', "no other measure"),
        ('interval = "1..2"\nat = "2,3"', "no dataset"),
        ('budget = "epsilon"', "epsilon"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    rest: str, why: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "dpaudit.toml"
    path.write_text(f'[[mechanism]]\nmechanism = "EHDS"\nn = 5\n{rest}\n')
    assert invoke(["gate", "--config", str(path)]) == 2
    told = capfd.readouterr().err
    assert why in told
    assert len(told.splitlines()) == 1

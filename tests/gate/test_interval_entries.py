"""Entries of a gate with an interval of ε: held at every ε, refused where they make no sense."""

import json
from pathlib import Path
from typing import Any

import pytest

from dpaudit.cli.main import invoke
from dpaudit.recheck.binding import Requirements
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
    report = told["mechanisms"][0]["report"]
    assert report["schema"] == "dpaudit.interval/1"
    assert report["kept"] == [{"first": "0.1", "last": "2"}]
    assert {one["report"]["schema"] for one in told["mechanisms"]} == {"dpaudit.interval/1"}
    found = verify(tmp_path / "gate.json")
    assert found.verdict == "accepted", found
    assert found.rechecked["realised ε at points"] >= 3
    requirements = Requirements(config=tmp_path / "dpaudit.toml")
    held = verify(tmp_path / "gate.json", requirements=requirements)
    assert held.verdict == "accepted", held
    assert held.rechecked["intervals asked for"] == 3
    (tmp_path / "dpaudit.toml").write_text(ENTRY.format("EHDS", '"4..6"', "1/10..3", ""))
    assert verify(tmp_path / "gate.json", requirements=requirements).disagreements


def test_a_budget_with_delta_is_held_over_the_width_of_noise(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with_delta = 'budget = ["1", "1/100"]'
    entries = [
        ENTRY.format("SVT5", 2, "1/10..1", ""),
        ENTRY.format("Gaussian", 1, "sigma = 2..10", with_delta),
        ENTRY.format("DiscreteGaussian", 2, "sigma = 1..3", with_delta),
    ]
    code, told = gate(capfd, tmp_path, *entries)
    assert code == 1
    assert [one["kind"] for one in told["mechanisms"]] == ["exceeds", "within", "exceeds"]
    assert "realised δ(1) ≥ 0.0" in told["mechanisms"][2]["message"]
    assert verify(tmp_path / "gate.json").verdict == "accepted"
    path = tmp_path / "dpaudit.toml"
    for some in (entries, entries[:1]):  # the first has no finite share
        path.write_text("\n".join(some))
        assert invoke(["gate", "--config", str(path), "--plot", str(tmp_path / "g.svg")]) == 1
        shown = capfd.readouterr().out
        assert some is not entries or "realised ε or δ / budget ≤ 0." in shown


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
        ('interval = "1..2"\nparameters = { epsilon = "1" }', "leave epsilon out"),
        ('interval = "1..2"\nnotion = "kl"', "cannot be combined with notion"),
        ('interval = "1..2"\nmeasure = "curve"\nbudget = [1, 0]', "it does not apply to measure ="),
        ('interval = "1..2"\nat = "2,3"', "leave out at"),
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


@pytest.mark.parametrize(
    ("interval", "more", "categories"),
    [
        ("gamma = 1/2..2", "", 2),
        ("prior = 1/2..2", "", 2),
        ("prior = 1/2..2,1/2..2,1/2..2", "", 3),
        ("prior = 1/2..2", "parameters = { k = 3 }", 3),
        ("gamma = 1/2..2", 'budget = "4/5"', 2),
    ],
)
def test_an_honest_gate_of_other_parameters_is_not_contradicted(
    interval: str, more: str, categories: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, told = gate(capfd, tmp_path, ENTRY.format("EHDS", 2, interval, more))
    assert code == 0
    report = told["mechanisms"][0]["report"]
    assert len(report["mechanism"]["prior"]) == categories
    requirements = Requirements(config=tmp_path / "dpaudit.toml")
    held = verify(tmp_path / "gate.json", requirements=requirements)
    assert held.verdict == "accepted", held
    other = ENTRY.format("EHDS", 2, interval, 'budget = "3/5"')
    (tmp_path / "dpaudit.toml").write_text(other)
    found = verify(tmp_path / "gate.json", requirements=requirements).disagreements
    assert any("the budget is" in one.message for one in found)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('"EHDS"', '"EHDL"', "it lists EHDL"),
        ("n = 3", "n = 4", "the sizes are not"),
        ('gamma = "1/2"', 'gamma = "1"', "gamma is 1/2, not 1"),
        ("k = 3", "k = 2", "prior is"),
        ("k = 3", 'prior = "1,1,2"', "prior is"),
        ("k = 3", 'k = 3, epsilon = "1"', "epsilon is 0.1, not 1"),
        ("label = ", "# ", "it is called"),
        ("budget = 2", 'adjacency = "histogram-add-remove"\nbudget = 2', "the adjacency is"),
        ("budget = 2", "digits = 20\nbudget = 2", "have 12 digits"),
        ("budget = 2", 'measure = "curve"\nbudget = 2', "the measure is not"),
        ("budget = 2", 'at = "2,1,0"\nbudget = 2', "the pairs around"),
        ("budget = 2", "compose = 3\nbudget = 2", "is not an account of runs"),
        ("budget = 2", 'notion = "kl"\nbudget = 2', "the notion is not"),
        ("budget = 2", "budget = 1", "the budget is"),
    ],
)
def test_every_option_of_an_entry_with_an_interval_is_held_to_its_report(
    before: str, after: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    more = 'budget = 2\nlabel = "three cells"\nparameters = { gamma = "1/2", k = 3 }'
    entry = ENTRY.format("EHDS", 3, "1/10..1/2", more)
    code, _ = gate(capfd, tmp_path, entry)
    assert code == 0
    path = tmp_path / "dpaudit.toml"
    held = verify(tmp_path / "gate.json", requirements=Requirements(config=path))
    assert held.verdict == "accepted", held
    assert before in entry
    path.write_text(entry.replace(before, after))
    found = verify(tmp_path / "gate.json", requirements=Requirements(config=path)).disagreements
    assert any(told in one.message for one in found), found


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (("MH", 2, "delta = 1/2..3", "budget = 1"), "must be at least 0 and less than 1"),
        (("EHDS", 2, "delta = 1/10..1/2", ""), "EHDS has no parameter delta"),
        (("EHDS", 2, "= 1..2", ""), "may be an interval FIRST..LAST"),
        (("EHDS", 2, "sigma = 1..2", "budget = 1"), "EHDS has no parameter sigma"),
        (("EHDS", 2, "truth = 1..2", ""), "may be an interval FIRST..LAST"),
        (("EHDS", 2, "prior = 1..2,1..2", "parameters = { k = 3 }"), "2 parameters but k = 3"),
        (("EHDS", 2, "prior = 1..2", 'parameters = { k = "x" }'), "k = 'x' is not a number"),
    ],
)
def test_an_interval_that_cannot_be_is_one_line(
    entry: tuple[str, int, str, str], why: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dpaudit.toml").write_text(ENTRY.format(*entry))
    assert invoke(["gate", "--config", str(tmp_path / "dpaudit.toml")]) == 2
    told = capfd.readouterr().err
    assert why in told
    assert len(told.splitlines()) == 1

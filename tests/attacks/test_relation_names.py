"""Words for relations: what may mean two is refused everywhere, old names and defaults are said.

A mechanism of a user's comes in by many ways, and each asks which neighbours are meant.
"""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dpaudit import check, curve, hunt
from dpaudit.cli.main import invoke
from dpaudit.errors import AmbiguousRelationError
from dpaudit.gate.config import read_config
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.notices import OldNameWarning
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of
from dpaudit.testing import assert_private

pytestmark = pytest.mark.wrong_on_purpose

BITS = list(product((0, 1), repeat=2))
OWN = """
from dpaudit.mechanisms.user import finite_mechanism

class Told:
    normalised = False

    def __init__(self, epsilon="1", unused=1):
        self.epsilon, self.budget = epsilon, epsilon

    def law(self, x):
        return {r: f"exp({sum(a == b for a, b in zip(x, r))}*({self.epsilon}))" for r in self.all}

class Bits(Told):
    all = datasets = [(0, 0), (0, 1), (1, 0), (1, 1)]

class Texts(Told):
    all = datasets = ["00", "01", "10", "11"]

class OldTexts(Texts):
    neighbours = "substitution"

class OldBits(Bits):
    neighbours = "substitution"
"""
CONFIG = '[[mechanism]]\nmechanism = "own.py:{name}"\nbudget = 1\n{more}'

COMMANDS = [
    "check {own} --no-plot",
    "check {own} --no-plot --at 0,1",
    "check {own} --no-plot --adjacency substitution",
    "check {own} --no-plot --notion zcdp --budget 1/2",
    "check {own} --conformance",
    "curve {own} --no-plot",
    "tradeoff {own} --no-plot",
    "account {own} --n 1 --compose 2",
    "hunt {own} --over epsilon=1/2..1 --n 1 --evaluations 3",
    "gate",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path


def one_hot(neighbours: Any, datasets: Any = BITS) -> FiniteMechanism:
    """Randomise every cell with ε = 1, as if a record changed one of them."""

    @finite_mechanism(budget=1, datasets=datasets, neighbours=neighbours, normalised=False)
    def cells(counts: Any) -> dict[Any, str]:
        return {
            told: f"exp({sum(a == b for a, b in zip(counts, told, strict=True))})"
            for told in product((0, 1), repeat=2)
        }

    return cells


def change(text: str, folder: Path, **fields: Any) -> Path:
    document = json.loads(text)
    document.update(fields)
    document["sha256"] = seal_of(document)
    path = folder / "report.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("command", "name"), [*((command, "Bits") for command in COMMANDS), (COMMANDS[0], "OldBits")]
)
def test_relations_every_command_refuses_two_readings(
    command: str, name: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if command == "gate":
        (folder / "dpaudit.toml").write_text(CONFIG.format(name=name, more=""))
    before = {path.name for path in folder.iterdir()}
    code = invoke(command.format(own=f"own.py:{name}").split())
    told = capfd.readouterr()
    if command == "gate":  # a faulty plug-in fails alone
        said = told.out
        assert code == 3, said
    else:
        said = told.err.strip()
        assert code == 2, said
        assert len(said.splitlines()) == 1
        assert said.startswith("dpaudit: ")
    assert "one-entry" in said
    assert "histogram-substitution" in said
    assert {path.name for path in folder.iterdir()} - {"__pycache__"} == before


@pytest.mark.parametrize("call", [check, curve, assert_private])
def test_relations_every_function_refuses_two_readings(
    call: Callable[..., Any], folder: Path
) -> None:
    with pytest.raises(AmbiguousRelationError, match=r"one-entry .* or histogram-substitution"):
        call("own.py:Bits")
    with pytest.raises(AmbiguousRelationError):
        hunt("own.py:Bits", {"epsilon": "1/2..1"}, n=1, evaluations=2)


# -- old names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("EHDS", "substitution", "histogram-substitution"),
        ("LSHist", "add-remove", "histogram-add-remove"),
        ("Geometric", "substitution", "histogram-substitution"),
        ("NoisyHistogram", "add-remove", "histogram-add-remove"),
        ("RR", "substitution", "all"),
        ("kRR", "any two values", "all"),
    ],
)
def test_relations_old_names_of_built_in_mechanisms(
    name: str, old: str, new: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    n = "1" if new == "all" else "3"
    asked = ["check", name, "--n", n, "--no-plot", "--adjacency", old]
    invoke(asked)
    shown = capfd.readouterr()
    assert f"{new}, all pairs" in shown.out
    assert shown.err == f"dpaudit: adjacency = {old} is read as {new}\n"
    with pytest.warns(OldNameWarning, match=f"read as {new}"):
        report = check(name, int(n), adjacency=old).to_json()
    assert json.loads(report)["adjacency"] == new
    path = change(report, folder, adjacency=old)
    found = verify(path)
    assert found.verdict == "accepted"
    assert f"that adjacency = {old} means {new}" in found.taken
    invoke([*asked, "--format", "json", "--resume", str(path), "--output", "again.json"])
    assert (folder / "again.json").read_text() == report
    other = verify(change(report, folder, adjacency="one-entry"))
    assert other.verdict == "rejected"
    assert "the mechanism has" in other.disagreements[0].message


def test_relations_old_names_of_a_parameter(folder: Path) -> None:
    with pytest.warns(OldNameWarning, match="read as histogram-substitution"):
        found = check("NoisyHistogram", 3, neighbours="substitution")
    assert found.audit.parameters["neighbours"] == found.audit.adjacency
    document = json.loads(found.to_json())
    old = {**document["mechanism"], "neighbours": "substitution"}
    assert verify(change(found.to_json(), folder, mechanism=old)).verdict == "accepted"


def test_relations_old_names_of_texts(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["check", "own.py:OldTexts", "--no-plot", "--format", "json"]) == 0
    shown = capfd.readouterr()
    assert shown.err == "dpaudit: neighbours = substitution is read as one-entry\n"
    document = json.loads(shown.out)
    assert document["adjacency"] == "one-entry"
    assert "adjacency_defaulted" not in document
    path = change(shown.out, folder, adjacency="substitution")
    assert invoke(["verify", str(path), "--own", "own.py:OldTexts"]) == 0
    assert "substitution means one-entry" in capfd.readouterr().out
    more = 'adjacency = "substitution"\n'
    (folder / "dpaudit.toml").write_text(CONFIG.format(name="Texts", more=more))
    assert read_config(folder / "dpaudit.toml").mechanisms[0].adjacency == "substitution"
    assert invoke(["gate", "--report", "json=gate.json"]) == 0
    asked = ["verify", "gate.json", "--own", "own.py:Texts", "--config", "dpaudit.toml"]
    assert invoke(asked) == 0, capfd.readouterr()


def test_relations_one_sign_is_read_again(tmp_path: Path) -> None:
    for name in ("RNMLaplace", "SVT1"):
        report = check(name, "2..3", adjacency="unit-moves-one-sign").to_json()
        assert verify(change(report, tmp_path), all_pairs=True).verdict == "accepted"
        assert verify(change(report, tmp_path, adjacency="unit-moves")).verdict == "rejected"


# -- a default is said so --------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "json"])
@pytest.mark.parametrize(
    "command",
    [
        "check {own} --no-plot",
        "check {own} --no-plot --notion zcdp --budget 1/2",
        "curve {own} --no-plot",
        "tradeoff {own} --no-plot",
    ],
)
def test_relations_reports_say_that_nobody_named_one(
    command: str, form: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = [*command.format(own="own.py:Texts").split(), "--format", form]
    for more, defaulted in (([], True), (["--adjacency", "one-entry"], False)):
        assert invoke([*asked, *more]) == 0
        shown = capfd.readouterr().out
        assert "one-entry" in shown
        assert ("one-entry (by default)" in shown) is (defaulted and form != "json")
        assert ('"adjacency_defaulted": true' in shown) is (defaulted and form == "json")


def test_relations_verify_refuses_two_readings(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    report = check("own.py:Bits", adjacency="one-entry").to_json()
    change(report, folder, adjacency="substitution")
    assert invoke(["verify", "report.json", "--own", "own.py:Bits"]) == 2
    said = capfd.readouterr().err
    assert "one-entry" in said
    assert "histogram-substitution" in said


def test_relations_gates_say_that_nobody_named_one(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "dpaudit.toml").write_text(CONFIG.format(name="Texts", more=""))
    forms = ("json", "html", "junit", "markdown", "sarif")
    reports = [part for form in forms for part in ("--report", f"{form}=gate.{form}")]
    invoke(["gate", *reports])
    texts = {form: (folder / f"gate.{form}").read_text() for form in forms}
    texts["text"] = capfd.readouterr().out
    for form, text in texts.items():
        if form not in ("sarif", "junit"):  # which list what failed
            assert "neighbours: one-entry, by default" in text, form
    named = one_hot("one-entry", ["00", "01", "10", "11"])
    assert not check(named, budget=2).audit.adjacency_defaulted
    by_default = check("own.py:Texts")
    assert by_default.audit.adjacency_defaulted
    with pytest.raises(AssertionError, match="neighbours: one-entry, by default"):
        assert_private("own.py:Texts", budget="1/2")
    path = change(check("EHDS", 2).to_json(), folder, adjacency_defaulted=True)
    assert "not a default" in verify(path).disagreements[0].message

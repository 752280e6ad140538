"""Plain functions in the gate: what they are called with, and which readings of them pass."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.gate.config import Entry, GateConfig
from dpaudit.gate.functions import as_call
from dpaudit.gate.messages import EntryMessage, read_message
from dpaudit.gate.run import run_gate
from dpaudit.mechanisms.references import reference
from dpaudit.results import Audit
from dpaudit.results.documents import encode

SERVICE = """\
import random

import numpy as np

rng = np.random.default_rng()


def noisy_count(people, eps=1.0):
    return int(max(0, round(people + rng.laplace(scale=1 / eps))))


def answer(smokes):
    return smokes if random.random() < 0.75 else 1 - smokes


def mean(incomes):
    return round((sum(incomes) + rng.laplace(scale=10)) / len(incomes), 1)


def told(row):
    return row["smokes"] ^ (random.random() < 0.25)


def _hidden(people):
    return people


def pair(left, right):
    return left


@staticmethod
def decorated(people):
    return people
"""

COUNT = """
[[mechanism]]
mechanism = "service.py:noisy_count"
inputs = [0, 1, 2, 3]
neighbours = "adjacent"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "service.py").write_text(SERVICE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def findings(project: Path, config: str) -> dict[str, tuple[str, str]]:
    (project / "dpaudit.toml").write_text(config)
    found = run_gate(project / "dpaudit.toml", jobs=2)
    return {one.title: (one.kind.value, one.message) for one in found.mechanisms}


def test_functions_are_held_to_their_budgets_in_the_readings_that_may_pass(project: Path) -> None:
    found = findings(
        project,
        f"""
{COUNT}accepts = ["as run", "ideal"]
budget = [1, "1e-12"]
{COUNT}label = "floats"
only = "as run"
budget = 1
{COUNT}label = "two runs"
only = "ideal"
measure = "account"
compose = 2
budget = [2, "1e-9"]
{COUNT}label = "too small"
only = "ideal"
budget = "0.99"

[[mechanism]]
mechanism = "service.py:answer"
inputs = "0, 1"
accepts = ["ideal", "as run"]
budget = "ln(3)"

[[mechanism]]
mechanism = "service.py:mean"
inputs = [[1.5, 2], [1.5, 10]]
accepts = ["ideal"]
budget = "4/5"

[[mechanism]]
mechanism = "service.py:told"
inputs = [{{ smokes = true, name = "a" }}, {{ smokes = false, name = "a" }}]
only = "as-run"
budget = "ln(3)"
""",
    )
    kinds = {title: kind for title, (kind, _) in found.items()}
    assert kinds == {
        "service.py:noisy_count": "within",
        "floats": "exceeds",
        "two runs": "within",
        "too small": "exceeds",
        "service.py:answer": "within",
        "service.py:mean": "within",
        "service.py:told": "within",
    }
    assert found["service.py:noisy_count"][1].endswith("; as run")
    assert found["service.py:answer"][1] == "ε = ln(3) exactly (1.09861…), budget ln(3); as run"
    assert found["floats"][1].endswith("realised ε is infinite, budget 1; as run")
    assert found["service.py:mean"][1] == "ε = 4/5 exactly (0.8), budget 4/5; ideal"
    assert found["two runs"][1].endswith("; ideal")


FUNCTION = '[[mechanism]]\nmechanism = "service.py:answer"\nbudget = 2\n'

MALFORMED = {
    "no reading": ("inputs = [0, 1]", "inputs: name the accepted readings of the function"),
    "none accepted": ("inputs = [0, 1]\naccepts = []", "accepts"),
    "no such reading": ('inputs = [0, 1]\nonly = "drawn"', "only"),
    "both": ('inputs = [0, 1]\nonly = "ideal"\naccepts = ["ideal"]', "give one"),
    "no inputs": ('inputs = []\nonly = "ideal"', "inputs: list at least two datasets"),
    "one input": ('inputs = [0]\nonly = "ideal"', "at least two"),
    "a date": (
        'inputs = [2026-01-01, 2026-01-02]\nonly = "ideal"',
        "is not a text, number, list or table",
    ),
    "no number": ('inputs = [nan, 1]\nonly = "ideal"', "is not a text, number, list or table"),
    "a table": (
        'inputs = { first = 0 }\nonly = "ideal"',
        "list at least two datasets for the function, such as",
    ),
    "neighbours alone": (
        'neighbours = "all"',
        "neighbours is for a plain function with inputs; for a",
    ),
    "a reading alone": ('only = "ideal"', "only and accepts are for a plain function with inputs"),
    "a sample": (
        'inputs = [0, 1]\nonly = "ideal"\nmeasure = "sample"',
        "leave out only and accepts",
    ),
    "is already a key of the entry": (
        'inputs = [0, 1]\nonly = "ideal"\nparameters = { inputs = "0,1" }',
        "is already a key of the entry",
    ),
    "a parameter": (
        'inputs = [0, 1]\nonly = "ideal"\nparameters = { only = "as-run" }',
        "is already a key of the entry",
    ),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_keys_that_make_no_sense_are_one_line(
    project: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more, message = MALFORMED[name]
    (project / "dpaudit.toml").write_text(f"{FUNCTION}{more}\n")
    assert invoke(["gate"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "dpaudit.toml: mechanism[0]." in told
    assert message in told


def test_a_mechanism_of_the_package_has_no_inputs(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "dpaudit.toml").write_text(
        '[[mechanism]]\nmechanism = "EHDS"\nn = 10\ninputs = [0, 1]\nonly = "ideal"\n'
    )
    assert invoke(["gate"]) == 2
    assert "py:name, has inputs; leave inputs out for a built-in" in capsys.readouterr().err


def test_a_reading_that_is_not_accepted_passes_nothing(project: Path) -> None:
    """The gate compares the reading that a report states with those that the entry accepts."""
    (project / "dpaudit.toml").write_text(f'{COUNT}only = "ideal"\nbudget = 1\n')
    (found,) = run_gate(project / "dpaudit.toml").mechanisms
    audit = found.report
    assert isinstance(audit, Audit)

    def read(only: str, **changes: Any) -> str:
        entry = as_call(
            Entry(
                mechanism="service.py:noisy_count",
                inputs=[0, 1, 2, 3],
                neighbours="adjacent",
                budget=1,
                only=only,  # type: ignore[arg-type]
            )
        )
        config = GateConfig(mechanisms=[entry])
        spec = reference(entry.mechanism, entry.parameters, project)
        said = encode(EntryMessage(report=replace(audit, **changes)))
        return read_message(bytes(said), entry, config, spec).kind.value

    assert read("ideal") == "within"
    described = dict(audit.described)
    with pytest.raises(ValueError, match="its only is ideal, not as-run"):
        read("as run")
    del described["only"]
    for semantics in ("ideal", None):
        with pytest.raises(ValueError, match="does not say unambiguously"):
            read("as run", described=described, semantics=semantics)
    with pytest.raises(ValueError, match="does not accept"):
        read("ideal", described=described, semantics="as run")


def test_a_configuration_is_started_from_the_functions_of_a_file(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["gate", "--init", "service.py"]) == 0
    text = (project / "dpaudit.toml").read_text()
    names = [
        line.split(":")[1][:-1] for line in text.splitlines() if line.startswith("mechanism =")
    ]
    assert names == ["noisy_count", "answer", "mean", "told"]
    capsys.readouterr()
    assert invoke(["gate"]) == 2
    assert "mechanism[0].inputs: list at least two datasets" in capsys.readouterr().err
    entry = (
        text.split("\n\n")[1].replace("inputs = []  ", "inputs = [0, 1]").replace('"1" ', '"2" ')
    )
    (project / "dpaudit.toml").write_text(entry)
    assert invoke(["gate"]) == 0


@pytest.mark.parametrize("text", ["", "def two(left, right):\n    pass\n", "def (\n", "\0"])
def test_a_file_without_functions_starts_nothing(
    project: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "other.py").write_text(text)
    assert invoke(["gate", "--init", "other.py"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (project / "dpaudit.toml").exists()


def test_a_report_of_functions_is_held_to_its_configuration(project: Path) -> None:
    config = f"""
{COUNT}only = "ideal"
budget = 1

[[mechanism]]
mechanism = "service.py:told"
inputs = [{{ smokes = true, name = "a" }}, {{ smokes = false, name = "a" }}]
only = "as-run"
budget = "ln(3)"

[[mechanism]]
mechanism = "service.py:answer"
inputs = [0, 1]
measure = "sample"
draws = 20000
budget = "ln(3)"
"""
    path = project / "dpaudit.toml"
    path.write_text(config)
    report = project / "gate.json"
    report.write_bytes(encode(run_gate(path, jobs=2)))
    found = dpaudit.verify(report, config=path)
    assert not found.disagreements
    for before, after, message in (
        ('only = "ideal"', 'only = "as run"', "it was read ideal, not as-run"),
        ("inputs = [0, 1, 2, 3]", "inputs = [0, 1, 2]", "inputs is 0, 1, 2, 3, not 0, 1, 2"),
        ('neighbours = "adjacent"', 'neighbours = "all"', "neighbours is adjacent, not all"),
        ('only = "as-run"', 'only = "ideal"', "it was read as-run, not ideal"),
        ("smokes = true, name", "smokes = 1, name", "inputs is {"),
        ("inputs = [0, 1]\n", "inputs = [0, 2]\n", "inputs is"),
        ('measure = "sample"\ndraws = 20000\n', 'only = "as run"\n', "it lists"),
    ):
        assert before in config
        path.write_text(config.replace(before, after))
        found = dpaudit.verify(report, config=path)
        assert any(message in one.message for one in found.disagreements), after

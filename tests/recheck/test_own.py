"""``dpaudit verify`` on mechanisms of users: loaded when asked, from the same file, within caps."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dpaudit.cli import verify_command
from dpaudit.cli.main import invoke
from dpaudit.results.documents import seal_of

pytestmark = pytest.mark.wrong_on_purpose


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands run where they are called, quickly; other tests run them as users do."""
    monkeypatch.setattr(verify_command, "contained_run", lambda *own, **caps: None)


OWN = """
from dpaudit.mechanisms.user import finite_mechanism

@finite_mechanism(budget="ln(3)", datasets=[(0, 0), (0, 1), (1, 1)], neighbours="one-entry")
def survey(bits):
    return {"few": "3/4", "many": "1/4"} if sum(bits) < 1 else {"few": "1/4", "many": "3/4"}
"""


def test_own_mechanisms_are_loaded_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    Path("dpaudit.toml").write_text('[[mechanism]]\nmechanism = "own.py:survey"\nn = 1\n')
    assert invoke(["gate", "--report", "json=gate.json"]) == 0
    assert invoke(["verify", "gate.json"]) == 3
    assert (
        "verify needs the code of survey: give its file with --own path.py:survey"
        in capsys.readouterr().out
    )
    accepting = ["verify", "gate.json", "--own", "own.py:survey", "--all-pairs"]
    assert invoke(accepting) == 0
    Path("own.py").write_text(OWN.replace("3/4", "5/8").replace('"1/4"', '"3/8"'))
    capsys.readouterr()
    assert invoke(accepting) == 3  # neither for nor against a report of another file
    assert "another file" in capsys.readouterr().out


SPAN = """
class Span:
    budget, neighbours, datasets = "2", "all", ["no", "yes"]

    def __init__(self, lower: int = -1, upper: int = 1):
        self.lower, self.upper = lower, upper

    def law(self, answer):
        return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}
"""


def test_parameters_may_be_called_as_the_ends_of_an_interval_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("span.py").write_text(SPAN)
    asked = ["check", "span.py:Span", "--set", "lower=-2", "--format", "json"]
    with monkeypatch.context() as here:
        here.setattr("dpaudit.cli.isolated.is_contained", lambda: True)
        assert invoke([*asked, "--output", "report.json"]) == 0
        assert invoke([*asked, "--output", "again.json", "--resume", "report.json"]) == 0
    assert Path("report.json").read_bytes() == Path("again.json").read_bytes()
    assert invoke(["verify", "report.json", "--own", "span.py:Span"]) == 0


LARGE = """
class Large:
    budget, neighbours, datasets = "2", "all", ["no", "yes"]

    def law(self, answer):
        space = bytearray(1 << 30)
        return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its memory")
def test_a_recheck_has_so_much_memory_and_no_more(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dpaudit", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    (tmp_path / "large.py").write_text(LARGE)
    told = ("--format", "json", "--output", "report.json")
    assert run("check", "large.py:Large", *told).returncode == 0
    asked = ("verify", "report.json", "--own", "large.py:Large")
    assert run(*asked).returncode == 0
    capped = run(*asked, "--memory-cap", "512")
    assert capped.returncode == 3
    assert "its law raised MemoryError" in capped.stdout
    refused = run(*asked, "--memory-cap", "1")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


TUNABLE = """
from fractions import Fraction

class Tunable:
    neighbours, datasets, normalised = "all", ["no", "yes"], False

    def __init__(self, epsilon):
        self.epsilon = self.budget = epsilon

    def law(self, answer):
        other = "no" if answer == "yes" else "yes"
        return {answer: f"exp({Fraction(str(self.epsilon)) / 2})", other: "1"}
"""


def test_a_calibration_of_a_users_mechanism_is_confirmed_with_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(TUNABLE)
    asked = ["calibrate", "own.py:Tunable", "--n", "1", "--eps", "1/2", "--format", "json"]
    with monkeypatch.context() as here:
        here.setattr("dpaudit.cli.isolated.is_contained", lambda: True)
        assert invoke([*asked, "--tolerance", "1e-3", "--output", "report.json"]) == 0
    assert invoke(["verify", "report.json"]) == 3
    assert "verify needs the code of Tunable" in capfd.readouterr().out
    assert invoke(["verify", "report.json", "--own", "own.py:Tunable"]) == 0
    document = json.loads(Path("report.json").read_text())
    audit = document["results"][0]["realised"]
    audit["epsilon"] = {"lower": "0.4", "upper": "0.4"}
    audit["witness"]["loss"] = audit["epsilon"]
    document["sha256"] = seal_of(document)
    Path("report.json").write_text(json.dumps(document))
    assert invoke(["verify", "report.json", "--own", "own.py:Tunable"]) == 1

"""A question is one folder: one that is put into a copy of the package is asked everywhere."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import dpaudit

HERE = Path(__file__).parent
FOLDER = HERE / "expected_loss"
PACKAGE = Path(dpaudit.__file__).parent


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package and one folder more among its questions."""
    folder = tmp_path_factory.mktemp("package")
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "dpaudit", ignore=without)
    shutil.copytree(FOLDER, folder / "dpaudit/questions/expected_loss", ignore=without)
    return folder


def run(copy: Path, where: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the copy in place of the package."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )


def asked(copy: Path, where: Path, *words: str) -> str:
    """Return what the command says, which has to end well."""
    done = run(copy, where, "-m", "dpaudit", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_folder_is_all_that_is_added(copy: Path) -> None:
    ours = {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")}
    theirs = {path.relative_to(copy / "dpaudit") for path in copy.rglob("*.py")}
    added = Path("questions/expected_loss")
    assert theirs - ours == {added / path.name for path in FOLDER.glob("*.py")}
    texts = [path.read_text() for path in PACKAGE.rglob("*.py")]
    assert not [text for text in texts if "expected-loss" in text or "expected_loss" in text]


def test_it_is_a_command_with_its_own_option(copy: Path, tmp_path: Path) -> None:
    commands = " ".join(asked(copy, tmp_path, "--help").split())
    assert "expected-loss The largest expected privacy loss" in commands
    page = asked(copy, tmp_path, "expected-loss", "--help")
    assert "--unit UNIT" in page
    assert "--at-eps" not in page
    table = asked(copy, tmp_path, "expected-loss", "LSHist", "--n", "3,4", "--no-plot")
    assert "0.22026841435311(1..2)" in table  # what check --notion kl says
    refused = run(
        copy, tmp_path, "-m", "dpaudit", "expected-loss", "LSHist", "--n", "3", "--unit", "x"
    )
    assert (refused.returncode, refused.stderr) == (2, "dpaudit: unit = x: must be nats or bits\n")


def test_it_has_every_form_and_a_figure(copy: Path, tmp_path: Path) -> None:
    words = ("expected-loss", "LSHist", "--n", "3..5", "--plot", "figure.svg", "--format")
    assert asked(copy, tmp_path, *words, "csv").startswith("mechanism,")
    assert "<svg" in (tmp_path / "figure.svg").read_text()
    assert "| n |" in asked(copy, tmp_path, *words, "markdown")


@pytest.mark.wrong_on_purpose
def test_its_document_has_a_schema_and_is_resumed_but_not_rechecked(
    copy: Path, tmp_path: Path
) -> None:
    words = ("expected-loss", "LSHist", "--n", "3,4", "--format", "json")
    text = asked(copy, tmp_path, *words)
    schema = json.loads(asked(copy, tmp_path, "schema", "expected-loss"))
    jsonschema.validate(json.loads(text), schema)
    assert "dpaudit.expected-loss/1" in asked(copy, tmp_path, "schema").split()
    asked(copy, tmp_path, *words[:3], "3", *words[4:], "--output", "report.json")
    again = asked(copy, tmp_path, *words, "--resume", "report.json")
    assert again == text
    (tmp_path / "report.json").write_text(text)
    refused = run(copy, tmp_path, "-m", "dpaudit", "verify", "report.json")
    assert refused.returncode == 2
    assert "'dpaudit.expected-loss/1' cannot be rechecked" in refused.stderr
    both = asked(copy, tmp_path, "expected-loss", "LSHist", "LSDim", *words[2:])
    assert json.loads(both)["schema"] == "dpaudit.reports/1"


def test_it_is_a_function(copy: Path, tmp_path: Path) -> None:
    program = """
import dpaudit, inspect
found = dpaudit.expected_loss("LSHist", 3, unit="bits")
print(found.results[0].loss, "expected_loss" in dir(dpaudit))
print(inspect.signature(dpaudit.expected_loss))
print("unit: The unit: nats or bits." in dpaudit.expected_loss.__doc__)
"""
    done = run(copy, tmp_path, "-c", program)
    assert done.stderr == ""
    found, signature, documented = done.stdout.splitlines()
    assert found == "[0.317780149051708, 0.317780149051711] True"
    assert signature.startswith("(name, n=None, *, unit='nats', adjacency=None, ")
    assert documented == "True"


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize(("budget", "code"), [("1/2", 0), ("1/5", 1)])
def test_it_is_a_measure_of_the_gate(copy: Path, tmp_path: Path, budget: str, code: int) -> None:
    entry = '[[mechanism]]\nmechanism = "LSHist"\nn = "3,4"\nmeasure = "expected-loss"\n'
    (tmp_path / "dpaudit.toml").write_text(f'{entry}budget = "{budget}"\n')
    words = ("gate", "--report", "json=gate.json", "--report", "html=gate.html", "--plot", "g.svg")
    done = run(copy, tmp_path, "-m", "dpaudit", *words)
    assert done.returncode == code, done.stderr
    (finding,) = json.loads((tmp_path / "gate.json").read_text())["mechanisms"]
    assert finding["report"]["schema"] == "dpaudit.expected-loss/1"
    assert "expected loss" in finding["message"]
    page = (tmp_path / "gate.html").read_text()
    assert "Realised expected loss of LSHist by number of records" in page
    assert 'class="budget"' in page
    measures = json.loads(asked(copy, tmp_path, "schema", "gate-config"))
    assert "expected-loss" in json.dumps(measures)


def test_its_keys_are_held_to_its_own_measure(copy: Path, tmp_path: Path) -> None:
    entry = '[[mechanism]]\nmechanism = "LSHist"\nn = 3\nmeasure = "expected-loss"\n'
    (tmp_path / "dpaudit.toml").write_text(f"{entry}budget = 1\ncompose = 2\n")
    done = run(copy, tmp_path, "-m", "dpaudit", "gate")
    assert done.returncode == 2
    assert (
        "mechanism[0].compose: compose, sample-rate, direction and width apply only to"
        in done.stderr
    )


def test_it_is_in_the_page_of_commands(copy: Path, tmp_path: Path) -> None:
    root = HERE.parents[1]
    program = "from tests.commands_page import *; print(with_rows(PAGE.read_text()))"
    where = {**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{root}"}
    page = subprocess.run(
        [sys.executable, "-c", program],
        env=where,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "| `dpaudit expected-loss MECHANISM... --n SIZES` | The largest expected" in page

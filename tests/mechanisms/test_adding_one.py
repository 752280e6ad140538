"""A mechanism is one file: one that is put into a copy of the package is there everywhere."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import dpaudit

PACKAGE = Path(dpaudit.__file__).resolve().parent
ROOT = Path(__file__).resolve().parents[2]

CLASSIC = '''"""One of three values, the true one so many times as likely as each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dpaudit.numbers.real import ONE, ZERO, Real, rational
from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.mechanisms.base import Budget
from dpaudit.mechanisms.classics.base import LocalMechanism
from dpaudit.mechanisms.parameters import PositiveParameter

__all__ = ["Spinner"]

ROW = ("spun", "Spinner")


@dataclass(frozen=True)
class Spinner(LocalMechanism):
    """A spinner of three fields."""

    odds: Real

    name: ClassVar = "Spinner"
    source: ClassVar = "a toy shop"
    definition: ClassVar = "P(x) = w/(2 + w), P(r) = 1/(2 + w), r ≠ x; one user, n = 1"
    guarantee: ClassVar = "ln(w)-differentially private"
    parameters: ClassVar = (PositiveParameter("odds", "how likely it is", "3", "easy"),)

    @property
    def stated(self):
        return Budget(self.odds.ln(), ZERO)

    @property
    def values_of_a_user(self):
        return range(3)

    def draw(self, dataset, size, rng):
        weight = float(self.odds)
        lie = rng.random(size) >= weight / (2 + weight)
        return (dataset + lie * rng.integers(1, 3, size=size)) % 3

    def law(self, dataset):
        shown = {field: self.odds if field == dataset else ONE for field in range(3)}
        return IndependentLaw((Table(shown, rational(2) + self.odds),), bare=True)
'''

DEFINITION = '''

class Spinner(OneUser):
    """Three values."""

    defaults: ClassVar = {"odds": "3"}
    numbers = ("odds",)

    def stated(self):
        return mp.log(self.number("odds")), mpf(0)

    def values(self):
        return range(3)

    def read(self, shown):
        return whole_number(shown)

    def output_count(self, n):
        return 3

    def probability(self, dataset, output):
        if output not in self.values():
            return mpf(0)
        return (self.number("odds") if output == dataset else 1) / (2 + self.number("odds"))

    def masses(self, x, y):
        return [self.probabilities(x, y, output) for output in self.values()]
'''

PLUGIN = '''from fractions import Fraction


class Spinner:
    """One of three values, the true one so many times as likely as each other."""

    datasets, neighbours, normalised = [0, 1, 2], "all", False

    def __init__(self, odds=Fraction(3)):
        self.budget, self.odds = f"ln({odds})", odds

    def law(self, value):
        return {shown: self.odds if shown == value else 1 for shown in range(3)}
'''

ONLY = ("dpaudit", "tests", "docs", "pyproject.toml", "README.md", "CONTRIBUTING.md")
"""What is copied."""


def run(copy: Path, where: Path, *words: str) -> "subprocess.CompletedProcess[str]":
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
    assert (done.returncode, done.stderr) == (0, ""), (words, done.stderr, done.stdout)
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package and its tests, and one mechanism more."""
    folder = tmp_path_factory.mktemp("copy")
    without = shutil.ignore_patterns("__pycache__", "mutation", "benchmarks")
    for name in ONLY:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=without)
        else:
            shutil.copy(ROOT / name, folder)
    (folder / "dpaudit/mechanisms/classics/spinner.py").write_text(CLASSIC)
    return folder


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install a package with one mechanism of one file, as far as entry points go."""
    site = tmp_path_factory.mktemp("site")
    info = site / "toys-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[dpaudit.mechanisms]\nspinner = toys:Spinner\n")
    (site / "toys.py").write_text(PLUGIN)
    return site


@pytest.mark.parametrize(("kind", "name"), [("copy", "Spinner"), ("plugin", "spinner")])
def test_every_command_takes_it(
    kind: str, name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path = request.getfixturevalue(kind)
    assert name in asked(path, tmp_path, "list")
    assert "odds" in asked(path, tmp_path, "show", name)
    odds = ("--odds", "2") if kind == "copy" else ("--set", "odds=2")
    json_of = ("--format", "json", "--jobs", "2")
    report = json.loads(asked(path, tmp_path, "check", name, *odds, *json_of))
    assert report["results"][0]["epsilon"]["exact"] == "ln(2)"
    schema = json.loads(asked(path, tmp_path, "schema", "dpaudit.audit/1"))
    jsonschema.Draft202012Validator(schema).validate(report)
    over = ("--over", "odds=2..4", "--budget", "2", "--evaluations", "30", "--n", "1")
    hunted = json.loads(asked(path, tmp_path, "hunt", name, *over, "--no-plot", *json_of[:2]))
    assert hunted["worst"]["parameters"] == {"odds": "4"}
    (tmp_path / "dpaudit.toml").write_text(f'[[mechanism]]\nmechanism = "{name}"\nn = 1\n')
    asked(path, tmp_path, "gate", "--report", "json=gate.json")
    (finding,) = json.loads((tmp_path / "gate.json").read_text())["mechanisms"]
    assert finding["report"]["results"][0]["epsilon"]["exact"] == "ln(3)"
    program = f"import dpaudit; print(dpaudit.check('{name}', 1, odds='5').epsilon.exact)"
    assert run(path, tmp_path, "-c", program).stdout == "ln(5)\n"


def test_the_file_is_all_that_is_added(copy: Path) -> None:
    ours = {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")}
    theirs = {path.relative_to(copy / "dpaudit") for path in (copy / "dpaudit").rglob("*.py")}
    assert theirs - ours == {Path("mechanisms/classics/spinner.py")}


def test_it_has_a_group_of_its_own_and_is_sampled(copy: Path, tmp_path: Path) -> None:
    listed = json.loads(asked(copy, tmp_path, "list", "--format", "json"))["mechanisms"]
    assert [one["group"] for one in listed if one["mechanism"] == "Spinner"] == ["spun"]
    program = (
        "import numpy, dpaudit; made = dpaudit.mechanism('Spinner', odds=9)\n"
        "print(made.sample(1, 20000, numpy.random.default_rng(1)).count(1))"
    )
    assert abs(int(run(copy, tmp_path, "-c", program).stdout) - 20000 * 9 / 11) < 400


def test_a_recheck_does_not_know_it_until_it_is_defined_again(copy: Path, tmp_path: Path) -> None:
    asked(copy, tmp_path, "check", "Spinner", "--format", "json", "--output", "report.json")
    refused = run(copy, tmp_path, "-m", "dpaudit", "verify", "report.json")
    assert refused.returncode != 0
    assert "verify has no definition of its own of Spinner" in refused.stdout + refused.stderr
    again = tmp_path / "again"
    shutil.copytree(copy / "dpaudit", again / "dpaudit")
    with (again / "dpaudit/recheck/one_user.py").open("a") as file:
        file.write(DEFINITION)
    assert "accepted" in asked(again, tmp_path, "verify", "report.json", "--all-pairs")


def test_tests_say_which_files_are_left(copy: Path) -> None:
    """Each in a line of its own; and every file of tests can still be collected."""
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/mechanisms/test_table.py")
    done = run(copy, copy, *words)
    failed = {
        line.partition(" - ")[0].rpartition("::")[2]
        for line in done.stdout.splitlines()
        if line.startswith("FAILED ")
    }
    assert failed == {
        "test_a_mechanism_is_defined_a_second_time[Spinner]",
        "test_a_classic_has_an_oracle[Spinner]",
        "test_the_page_has_a_row_for_each",
        "test_the_recorded_lists_have_each",
    }
    for named in (
        "dpaudit/recheck/one_user.py, ",
        "tests/oracles/classics.py: add",
        "python -m tests.classics_page",
        "python -m tests.golden.corpus list",
    ):
        assert named in done.stdout
    paths = [
        str(path)
        for path in (copy / "tests").rglob("test_*.py")
        if re.search(r"mechanism_(classes|groups|names)|ORACLES", path.read_text())
    ]
    assert len(paths) > 8
    collected = run(copy, copy, *words[:-1], "--collect-only", *paths)
    assert collected.returncode == 0, collected.stdout[-2000:]


def test_the_page_of_classics_has_it(copy: Path) -> None:
    program = "from tests.classics_page import *; print(with_table(PAGE.read_text()))"
    row = "| `Spinner` | `--odds 3` | ln(w)-differentially private |  |"
    assert row in run(copy, copy, "-c", program).stdout

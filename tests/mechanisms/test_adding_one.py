"""What it takes to add a mechanism, counted: every command finds it in a registry of one line."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dpaudit

PACKAGE = Path(dpaudit.__file__).resolve().parent

CLASSIC = '''"""One of three values, the true one e^ε times as likely as each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dpaudit.numbers.real import ONE, ZERO, Real, rational
from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.mechanisms.base import Budget
from dpaudit.mechanisms.classics.base import EPSILON, LocalMechanism

__all__ = ["Spinner"]


@dataclass(frozen=True)
class Spinner(LocalMechanism):
    """A spinner of three fields."""

    epsilon: Real

    name: ClassVar = "Spinner"
    source: ClassVar = "a toy shop"
    definition: ClassVar = "P(x) = e^ε/(2 + e^ε), P(r) = 1/(2 + e^ε), r ≠ x; one user, n = 1"
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (EPSILON,)

    @property
    def stated(self):
        return Budget(self.epsilon, ZERO)

    @property
    def values_of_a_user(self):
        return range(3)

    def draw(self, dataset, size, rng):
        return rng.integers(3, size=size)

    def law(self, dataset):
        true = self.epsilon.exp()
        shown = {field: true if field == dataset else ONE for field in range(3)}
        return IndependentLaw((Table(shown, rational(2) + true),), bare=True)
'''

DEFINITION = """
class Spinner(one_user.KRR):
    def __init__(self, given):
        super().__init__(dict(given, k="3", truth="calibrated", base="e"))


_KNOWN[Spinner] = {"epsilon": "4/5"}

"""

PLUGIN = '''from fractions import Fraction


class Spinner:
    """One of three values, the true one e^ε times as likely as each other."""

    datasets, neighbours, normalised = [0, 1, 2], "all", False

    def __init__(self, epsilon=Fraction(4, 5)):
        self.budget, self.weight = epsilon, f"exp({epsilon})"

    def law(self, value):
        return {shown: self.weight if shown == value else 1 for shown in range(3)}
'''


def classic(folder: Path) -> tuple[str, Path]:
    """Add a mechanism to a copy of the package; return its name and where the copy is."""
    copy = shutil.copytree(
        PACKAGE, folder / "copy" / "dpaudit", ignore=shutil.ignore_patterns("*.pyc")
    )
    (copy / "mechanisms/classics/spinner.py").write_text(CLASSIC)
    group = '    ("randomised by each user", "dpaudit.mechanisms.classics.'
    row = f'{group}spinner", "Spinner"),\n'
    changes = {
        Path("mechanisms/registry.py"): (f'{group}rappor"', f'{row}{group}rappor"'),
        Path("recheck/registry.py"): ("_DEFINITIONS = {", f"{DEFINITION}_DEFINITIONS = {{"),
    }
    for name, (before, after) in changes.items():
        source = (copy / name).read_text()
        assert source.count(before) == 1
        (copy / name).write_text(source.replace(before, after))
    assert 1 + len(changes) <= 3, "product files touched"
    return "Spinner", copy.parent


def plugin(folder: Path) -> tuple[str, Path]:
    """Install a package with one mechanism of one file, as far as entry points go."""
    site = folder / "site"
    info = site / "toys-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[dpaudit.mechanisms]\nspinner = toys:Spinner\n")
    (site / "toys.py").write_text(PLUGIN)
    return "spinner", site


@pytest.mark.parametrize("add", [classic, plugin])
def test_a_mechanism_is_added_in_at_most_three_files(tmp_path: Path, add: Any) -> None:
    name, path = add(tmp_path)
    own = [] if add is classic else ["--own", name]

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "dpaudit", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), (words, done.stderr, done.stdout)
        return done.stdout

    assert name in run("list")
    assert "epsilon" in run("show", name)
    report = run("check", name, "--eps", "ln(2)", "--format", "json", "--jobs", "2")
    assert json.loads(report)["results"][0]["epsilon"]["exact"] == "ln(2)"
    schema = json.loads(run("schema", "dpaudit.audit/1"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(report))
    (tmp_path / "report.json").write_text(report)
    assert "accepted" in run("verify", "report.json", "--all-pairs", *own)
    calibrated = json.loads(run("calibrate", name, "--budget", "1/2", "--format", "json"))
    assert calibrated["results"][0]["nominal"] == "0.5"
    over = ("--over", "epsilon=1/4..1/2", "--budget", "1/2", "--evaluations", "30")
    hunted = run("hunt", name, "--n", "1", *over, "--format", "json", "--no-plot")
    assert json.loads(hunted)["worst"]["parameters"] == {"epsilon": "1/2"}

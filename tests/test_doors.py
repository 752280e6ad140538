"""From a bare folder to a verdict: few commands, few lines, and a next step at every stumble."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke
from tests.pages import ROOT
from tests.stopwatch import DOORS, LINES, Door


def test_there_are_three_doors() -> None:
    assert [door.title.partition(":")[0] for door in DOORS] == [
        "First way in",
        "Second way in",
        "Third way in",
    ]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.title.partition(":")[0])
def test_a_door_takes_few_commands_and_lines(door: Door) -> None:
    """What they print is compared by the test of the pages, and CI holds a watch to them."""
    assert door.short
    assert re.search(r"^(within|exceeds): ", door.text, re.MULTILINE)
    assert "python -m tests.stopwatch" in (ROOT / ".ci" / "run").read_text()


def test_a_long_way_is_no_door() -> None:
    assert not Door("", "$ a\n$ b\n$ c\n", {}).short
    assert not Door("", "$ a\n", {"f": "x\n" * (LINES + 1)}).short
    assert not Door("", "nothing is typed", {}).short


KINDS = {
    "mechanism": "check mine.py:mine --no-plot",
    "program": "check mine.py:mine --no-plot",
    "gate": "gate --config mine.toml",
    "claim": "prove --from mine.py mine",
}


@pytest.mark.parametrize("kind", KINDS)
def test_new_writes_what_has_a_verdict_and_a_test_that_passes(kind: str, tmp_path: Path) -> None:
    """Two commands and no line: ``new``, and the one that it names."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )

    written = run("dpaudit", "new", kind, "mine")
    assert written.returncode == 0, written.stderr
    assert f"next: dpaudit {KINDS[kind].removesuffix(' --no-plot')}\n" in written.stdout
    verdict = run("dpaudit", *KINDS[kind].split())
    assert verdict.returncode == 0, verdict.stderr
    assert re.search(r"within|proved", verdict.stdout)
    tested = run("pytest", "-q", "-p", "no:cacheprovider", "test_mine.py")
    assert tested.returncode == 0, tested.stdout
    assert "1 passed" in tested.stdout


def test_new_leaves_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_mine.py").write_text("kept")
    assert invoke(["new", "program", "mine"]) == 2
    assert capsys.readouterr().err == (
        "dpaudit: cannot write test_mine.py: it already exists; give another name\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["test_mine.py"]
    assert (tmp_path / "test_mine.py").read_text() == "kept"


@pytest.mark.parametrize(
    ("words", "step"),
    [
        ("hunt EHDS", "as --over prior=1/10..10"),
        ("verify", "with --format json --output FILE"),
        ("gate", "dpaudit gate --init writes one"),
        ("chek EHDS", "did you mean check"),
        ("check EHDS", "the sizes are missing; give --n, such as 10..180"),
    ],
)
def test_what_is_missing_is_named_with_an_example(
    words: str,
    step: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(words.split()) == 2
    told = capfd.readouterr().err
    assert step in told
    first, *further = told.splitlines()
    assert step in first
    assert all(line.startswith("    dpaudit check ") for line in further[1::2])


def test_help_is_a_word_too(capfd: pytest.CaptureFixture[str]) -> None:
    """As for git, and many others."""
    for words in (["help"], ["help", "check"], ["help", "check", "EHDS"]):
        assert invoke(words) == 0
        asked = capfd.readouterr().out
        assert invoke([*words[1:], "--help"]) == 0
        assert capfd.readouterr().out == asked


@pytest.mark.parametrize("name", ["1x", "def", "../x", "a-b", "é", ""])
def test_new_refuses_what_is_no_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["new", "mechanism", name]) == 2
    assert "use letters, digits and _" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


STUMBLES = """
from dpaudit import finite_mechanism, program

LAW = {"a": "1/2", "b": "1/2"}


@finite_mechanism(datasets=["a", "b"], neighbours="all")
def nothing_stated(x):
    return LAW


@finite_mechanism(datasets=["a", "b"], neighbours="all", budget=1)
def floats(x):
    return {"a": 0.1 + 0.2, "b": 0.7}


@finite_mechanism(datasets=[(0, 1), (1, 0)], budget=1)
def tuples(x):
    return LAW


@finite_mechanism(datasets=lambda n: range(n + 1), neighbours="all", budget=1)
def sized(x):
    return LAW


def bare(x):
    return LAW


@program(datasets=[0, 1], neighbours="all", budget=1)
def no_source(x):
    return x
"""


@pytest.mark.parametrize(
    ("words", "step"),
    [
        ("", "`dpaudit new mechanism NAME` writes one to start from"),
        ("mine.py", "name the mechanism or function in it: mine.py:NAME"),
        ("mine", "write mine.py:NAME"),
        ("mine.py:bare", "bare needs x: give the inputs to compare"),
        ("mine.py:nothing_stated --notion kl", "give one (--budget)"),
        ("mine.py:floats", 'write fractions, or texts such as "3/10"'),
        (
            "mine.py:floats --set p=1",
            "parameters are the arguments of a class, or those of a program",
        ),
        ("mine.py:tuples", "write one-entry (two sequences"),
        ("mine.py:sized", "the sizes are missing; give --n, such as 10..180"),
        ("mine.py:no_source", "def program(data, random)"),
        ("--call mine:bare", "--call needs its datasets: --inputs 0..3 or --inputs a,b,c"),
    ],
)
def test_errors_at_the_stumbling_places_say_the_next_step(
    words: str,
    step: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(STUMBLES)
    assert invoke(["check", *words.split(), "--no-plot"]) == 2
    told = capfd.readouterr().err
    assert step in told
    first, *further = told.splitlines()
    assert step in first
    assert all(line.startswith("    dpaudit check ") for line in further[1::2])

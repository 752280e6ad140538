"""A gate beside its baseline: it gets worse where a verdict does, and never better for it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.results.documents import seal_of

MECHANISM = """
from pathlib import Path

from dpaudit import finite_mechanism

Path("loaded").touch()


@finite_mechanism(budget="ln(3)", datasets=["yes", "no"], neighbours="all")
def answer(truth):
    return {truth: "LAW", "no" if truth == "yes" else "yes": f"{100 - int('LAW'[:-4])}/100"}
"""
ENTRY = """
[[mechanism]]
mechanism = "own.py:answer"
n = 1
"""
SECOND = f'{ENTRY}label = "second"\n'
UNDECIDED = f"{ENTRY}time-cap = 0.001\n"
BASELINE = ["gate", "--format", "json", "--output", "old.json"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(percent: int, config: str) -> None:
    Path("own.py").write_text(MECHANISM.replace("LAW", f"{percent}/100"))
    Path("dpaudit.toml").write_text(config)


def said(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Return the exit code, and what is printed."""
    capfd.readouterr()
    code = invoke(["gate", *words])
    shown = capfd.readouterr()
    return code, shown.out + shown.err


CASES = {
    "nothing changed": ((75, ENTRY), (75, ENTRY), 0, 0),
    "a number moved": ((60, ENTRY), (70, ENTRY), 0, 0),
    "a verdict got worse": ((75, ENTRY), (80, ENTRY), 1, 1),
    "an entry is gone": ((75, ENTRY + SECOND), (75, ENTRY), 0, 1),
    "an entry is new": ((75, ENTRY), (75, ENTRY + SECOND), 0, 0),
    "a budget was relaxed": ((75, ENTRY), (75, f"{ENTRY}budget = 5\n"), 0, 1),
    "it fails as it did": ((80, ENTRY), (80, ENTRY), 1, 1),
    "it fails less": ((80, ENTRY + SECOND), (80, ENTRY + SECOND + "budget = 5\n"), 1, 1),
    "no longer decided": ((75, ENTRY), (75, UNDECIDED), 3, 1),
    "better, and not decided": ((80, ENTRY), (80, UNDECIDED), 3, 1),
    "undecided as it was": ((75, UNDECIDED), (75, UNDECIDED), 3, 3),
}
"""Law and configuration of the baseline and of the gate, its exit codes without and with it."""


@pytest.mark.parametrize("case", CASES)
def test_the_exit_code_is_worse_or_the_same(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    old, new, alone, beside = CASES[case]
    write(*old)
    invoke(BASELINE)
    write(*new)
    assert said(capfd)[0] == alone
    code, text = said(capfd, "--baseline", "old.json")
    assert code == beside
    severity = [0, 3, 1]  # passed, undecided, failed
    assert severity.index(code) >= severity.index(alone)
    verdict = dpaudit.run_gate("dpaudit.toml", baseline="old.json").baseline
    assert verdict is not None
    assert verdict.verdict.value in text
    assert "(old.json, this gate)" in " ".join(text.split())
    if alone == 0:
        assert (verdict.verdict == "worse") is (code == 1)


def test_the_key_names_a_file_beside_the_configuration(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(75, ENTRY)
    invoke(BASELINE)
    write(75, f'baseline = "old.json"\n{ENTRY}budget = 2\n')
    assert said(capfd)[0] == 1
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    code, text = said(capfd, "--config", str(tmp_path / "dpaudit.toml"))
    assert (code, "asked otherwise, worse" in text) == (1, True)


CHECK = ["check", "RR", "--n", "1", "--no-plot", "--format", "json", "--output", "bad.json"]
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "missing": (lambda: None, "cannot be read"),
    "a folder": (lambda: Path("bad.json").mkdir(), "cannot be read"),
    "empty": (lambda: Path("bad.json").touch(), "is not JSON"),
    "a report of another kind": (lambda: invoke(CHECK), "dpaudit.audit/1 is not that of a gate"),
    "changed by hand": (lambda: changed(seal=False), "changed after it was written"),
    "a contradiction": (lambda: changed(seal=True), "contradicts its numbers"),
    "of another gate": (lambda: other(ENTRY.replace("own.py:answer", "RR")), "another gate"),
    "of nothing": (lambda: emptied("claims"), "another gate"),
}


def changed(*, seal: bool) -> None:
    document = json.loads(Path("old.json").read_text())
    document["mechanisms"][0]["report"]["results"][0]["verdict"] = "exceeds"
    if seal:
        document["sha256"] = seal_of(document)
    Path("bad.json").write_text(json.dumps(document))


def emptied(left: str) -> None:
    document: dict[str, Any] = json.loads(Path("old.json").read_text())
    document |= {"mechanisms": [], left: [], "verdict": "undecided"}
    document["sha256"] = seal_of(document)
    Path("bad.json").write_text(json.dumps(document))


def other(config: str) -> None:
    Path("other.toml").write_text(config)
    invoke(["gate", "--config", "other.toml", "--format", "json", "--output", "bad.json"])


@pytest.mark.wrong_on_purpose  # reports are changed, to be refused
@pytest.mark.parametrize("key", [False, True], ids=["option", "key"])
@pytest.mark.parametrize("case", REFUSED)
def test_a_baseline_that_is_none_ends_the_gate_before_anything_is_checked(
    case: str, key: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    make, reason = REFUSED[case]
    write(75, ENTRY)
    assert invoke(BASELINE) == 0
    make()
    Path("loaded").unlink()
    if key:
        write(75, f'baseline = "bad.json"\n{ENTRY}')
    words = [] if key else ["--baseline", "bad.json"]
    code, text = said(capfd, *words, "--report", "html=page.html")
    assert (code, text.count("\n")) == (2, 1)
    assert reason in text
    assert ("dpaudit.toml" if key else "--baseline") in text
    assert not Path("loaded").exists()
    assert not Path("page.html").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_baseline_that_may_not_be_read(capfd: pytest.CaptureFixture[str]) -> None:
    write(75, ENTRY)
    invoke(BASELINE)
    Path("old.json").chmod(0)
    assert said(capfd, "--baseline", "old.json")[0] == 2


@pytest.mark.parametrize("key", [False, True], ids=["option", "key"])
def test_the_baseline_is_not_written_over(key: bool, capfd: pytest.CaptureFixture[str]) -> None:
    write(75, ENTRY)
    invoke(BASELINE)
    kept = Path("old.json").read_bytes()
    write(75, f'baseline = "old.json"\n{ENTRY}' if key else ENTRY)
    words = [] if key else ["--baseline", "old.json"]
    code, text = said(capfd, *BASELINE[1:], *words)
    assert (code, "this command reads that file" in text) == (2, True)
    assert Path("old.json").read_bytes() == kept


def test_every_form_says_what_got_worse(capfd: pytest.CaptureFixture[str]) -> None:
    write(75, ENTRY + SECOND)
    invoke(BASELINE)
    write(75, ENTRY)
    forms = ("json", "junit", "sarif", "markdown", "annotations", "html")
    for name in ("gone", "same"):
        reports = [f"--report={form}={name}.{form}" for form in forms]
        assert said(capfd, "--baseline", "old.json", *reports)[0] == (name == "gone")
        write(75, ENTRY + SECOND)
    gone = {form: Path(f"gone.{form}").read_text() for form in forms}
    same = {form: Path(f"same.{form}").read_text() for form in forms}
    assert all("second" in text for text in gone.values())
    assert 'failures="1"' in gone["junit"]
    assert 'failures="0"' in same["junit"]
    assert "no worse" in same["junit"]
    assert [one["ruleId"] for one in json.loads(gone["sarif"])["runs"][0]["results"]] == ["worse"]
    assert json.loads(same["sarif"])["runs"][0]["results"] == []
    assert gone["annotations"].startswith("::error file=dpaudit.toml,title=second::")
    assert same["annotations"] == ""
    assert "worse than in old.json</span>" in gone["html"]
    assert '<span class="bad">' in gone["html"].partition("</h1>")[0]
    assert '<span class="good">' in same["html"].partition("</h1>")[0]
    assert json.loads(gone["json"])["baseline"]["verdict"] == "worse"


@pytest.mark.wrong_on_purpose  # a report is changed, to be rejected
def test_the_recheck_looks_at_the_baseline(capfd: pytest.CaptureFixture[str]) -> None:
    known, second = (text.replace("own.py:answer", "RR") for text in (ENTRY, SECOND))
    write(75, known + second)
    invoke(BASELINE)
    write(75, f'baseline = "old.json"\n{known}')
    report = ["--format", "json", "--output", "new.json"]
    assert invoke(["gate", *report]) == 1
    verify = ["verify", "new.json", "--config", "dpaudit.toml"]
    assert invoke(verify) == 0
    assert "dpaudit diff compares again" in " ".join(capfd.readouterr().out.split())
    document = json.loads(Path("new.json").read_text())
    for change, reason in (("no worse", "its changes make it worse"), (None, "not compared")):
        if change is None:
            del document["baseline"]
        else:
            document["baseline"]["verdict"] = change
        document["sha256"] = seal_of(document)
        Path("new.json").write_text(json.dumps(document))
        assert invoke(verify) == 1
        assert reason in " ".join(capfd.readouterr().out.split())

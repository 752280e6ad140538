"""The command ``dpaudit verify``: what it says, and what it refuses in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from dpaudit import check
from dpaudit.cli import verify_command
from dpaudit.cli.main import invoke
from dpaudit.recheck.verify import RECHECKED
from dpaudit.results.documents import documents

pytestmark = pytest.mark.wrong_on_purpose

AUDIT = check("EHDS", n="9,10", at_eps=["0.1"]).to_json()


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands run where they are called, quickly; other tests run them as users do."""
    monkeypatch.setattr(verify_command, "contained_run", lambda *own, **caps: None)


def test_the_schemas_that_are_rechecked_are_printed_from_one_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert invoke(["verify", "--schemas"]) == 0
    printed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert printed == list(RECHECKED)
    assert set(printed) <= set(documents())


def test_the_command_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    path.write_text(AUDIT)
    assert invoke(["verify", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "report.json: accepted" in shown
    assert "taken from the report" in shown
    assert "losses at witnesses      2" in shown
    assert invoke(["verify", str(path), "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "dpaudit.verification/1"
    assert answer["verdict"] == "accepted"
    path.write_text(AUDIT.replace('"within"', '"exceeds"'))
    assert invoke(["verify", str(path)]) == 1
    assert "contradicted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", "not an object"),
        (b"{}", "schema None cannot be rechecked"),
        (b'{"schema": "dpaudit.claims/1"}', "cannot be rechecked"),
        (b'{"schema": "dpaudit.audit/1"}', "missing required field"),
        (b'{"schema": "dpaudit.reports/1", "version": "9", "reports": 3}', "Expected `array`"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_report_is_one_line(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    assert invoke(["verify", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("digits",), 10**9),
        (("digits",), -1),
        (("results", 0, "n"), -5),
        (("results", 0, "n"), 10**12),
        (("results", 0, "epsilon", "lower"), "NaN"),
        (("results", 0, "epsilon", "lower"), "1e999999999999"),
        (("results", 0, "epsilon", "lower"), "__import__('os')"),
        (("budget", "epsilon"), "9^9^9^9"),
        (("budget", "epsilon"), "exp(exp(exp(99)))"),
        (("budget", "epsilon"), "open('x')"),
        (("budget", "epsilon"), "1/0"),
        (("budget", "epsilon"), "1e999999999"),
        (("results", 0, "surplus"), 1),
        (("at",), "a,b"),
    ],
)
def test_nonsense_in_a_report_is_one_line(
    place: tuple[Any, ...], value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(AUDIT)
    part = document
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document))
    assert invoke(["verify", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1

"""Files that are cut off, changed, in another encoding or nested too deeply: one line, no pass."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpaudit.cli.main import invoke

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Run the command line in a folder with a file of each kind."""
    monkeypatch.chdir(tmp_path)

    def run_in_folder(*arguments: str) -> tuple[int, str, str]:
        code = invoke(list(arguments))
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    Path("dpaudit.toml").write_text('[[mechanism]]\nmechanism = "EHDS"\nn = 3\n')
    for command in ("check EHDS --n 3 --format json --output report.json", "prove acc-tight"):
        record = ["--record", "ledger.json"] if command.startswith("prove") else []
        assert run_in_folder(*command.split(), *record)[0] == 0
    return run_in_folder


COMMANDS = {
    "report.json": ("verify damaged", "check EHDS --n 3 --no-plot --resume damaged"),
    "ledger.json": ("prove acc-tight --ledger damaged",),
    "dpaudit.toml": ("gate --config damaged",),
}

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[:-5],
    "twice": lambda content: content + content + b"\n}",
    "UTF-16": lambda content: content.decode().encode("utf-16"),
    "Latin-1": lambda content: "ü".encode("latin-1") + content,
    "binary": lambda content: bytes(range(256)) * 9,
    "10 MB": lambda content: b"x" * 10_000_000,
    "a deep list": lambda content: b"[" * 100_000,
    "a deep object": lambda content: b'{"a":' * 100_000,
    "null": lambda content: b"null",
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_damaged_file_is_refused_in_one_line(run: Run, name: str, damage: str) -> None:
    Path("damaged").write_bytes(DAMAGE[damage](Path(name).read_bytes()))
    for command in COMMANDS[name]:
        code, out, err = run(*command.split())
        assert (code, out) == (2, "")
        assert err.startswith("dpaudit: ")
        assert len(err) < 1100
        assert err[:-1].isprintable()


@pytest.mark.parametrize("prior", [[], [0, 0], None, "x", {}])
def test_a_report_about_parameters_that_make_no_sense_is_none(run: Run, prior: Any) -> None:
    document = json.loads(Path("report.json").read_text())
    document["mechanism"]["prior"] = prior
    Path("report.json").write_text(json.dumps(document))
    code, _, err = run("verify", "report.json")
    assert code in (1, 2)  # rejected, or none at all
    assert "internal" not in err


def test_a_report_with_text_that_is_not_unicode_is_none(run: Run) -> None:
    text = Path("report.json").read_text().replace('"all pairs"', '"\\ud800"')
    Path("report.json").write_text(text.replace('"histogram-substitution"', '"\\ud800"'))
    for command in COMMANDS["report.json"]:
        code, out, err = run(*command.replace("damaged", "report.json").split())
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1


def test_a_verdict_changed_by_hand_is_not_continued(run: Run) -> None:
    exceeds = ["check", "LSDim", "--n", "3", "--budget", "1/100", "--no-plot", "--format", "json"]
    code, out, _ = run(*exceeds)
    assert code == 1
    Path("changed.json").write_text(out.replace('"exceeds"', '"within"'))
    code, out, err = run(*exceeds, "--resume", "changed.json")
    assert (code, out) == (2, "")
    assert "it was changed after it was written" in err
    document = json.loads(Path("changed.json").read_text())
    del document["sha256"]
    Path("changed.json").write_text(json.dumps(document))
    assert run(*exceeds, "--resume", "changed.json")[0] == 2


def test_a_claim_cannot_be_recorded_twice(run: Run) -> None:
    ledger = json.loads(Path("ledger.json").read_text())
    ledger["claims"] += ledger["claims"]
    Path("ledger.json").write_text(json.dumps(ledger))
    code, out, err = run("prove", "acc-tight", "--ledger", "ledger.json")
    assert (code, out) == (2, "")
    assert "'acc-tight' is in it twice" in err

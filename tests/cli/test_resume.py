"""``--resume``: an interrupted sweep goes on where it stopped, to the same bytes."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.curve import Curves
from dpaudit.cli.main import invoke
from dpaudit.fingerprint import fingerprint
from dpaudit.results.documents import seal_of
from dpaudit.version import __version__
from tests.interrupts import heeding_interrupts

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Run the command line in an empty folder; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_in_folder(*arguments: str) -> tuple[int, str, str]:
        code = invoke(list(arguments))
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run_in_folder


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The sizes that are computed, in order; the computation itself is the real one."""
    sizes: list[int] = []
    for measure in (EpsilonDelta, Curves):
        real: Any = measure.at_size

        def spy(self: Any, mechanism: Any, n: int, *rest: Any, _real: Any = real) -> Any:
            sizes.append(n)
            return _real(self, mechanism, n, *rest)

        monkeypatch.setattr(measure, "at_size", spy)
    return iter([sizes])


def unfinish(path: Path, sizes: set[int]) -> None:
    """Turn a report into that of a run which was interrupted before it finished ``sizes``."""
    document = json.loads(path.read_text())
    for audit in document.get("reports", [document]):
        found = "results" if "results" in audit else "curves"
        for part in (found, "undecided"):
            audit["missing"] += [entry["n"] for entry in audit[part] if entry["n"] in sizes]
            audit[part] = [entry for entry in audit[part] if entry["n"] not in sizes]
        audit["missing"].sort()
    document["sha256"] = seal_of(document)
    path.write_text(json.dumps(document))


COMMANDS = [
    "check EHDS --n 5..30..5 --at-eps 1/10,0 --prior 1/2,3",
    "check MH --n 5..30..5 --divisor 1",
    "check LSHist LSDim --n 5..30..5 --eps ln(3) --at-eps 1",
    "check LSHist --n 5..30..5 --adjacency histogram-add-remove",
    "check NotesLaplace --n 5..30..5",
    "check EHDS --n 5..30..5 --prior 1e400,1e400",
    "check EHD --n 5..30..5 --at uniform",
    "curve MH --n 5..30..5 --divisor 1",
    "curve LSHist EHDL --n 5..30..5 --at-eps 1/7",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_resumed_run_ends_with_the_same_bytes_and_repeats_nothing(
    run: Run, computed: Iterator[list[int]], command: str
) -> None:
    sizes = next(computed)
    arguments = (*command.split(), "--format", "json", "--output", "report.json", "--jobs", "1")
    code, _, _ = run(*arguments)
    whole = Path("report.json").read_bytes()
    unfinish(Path("report.json"), {10, 30})
    sizes.clear()
    assert run(*arguments, "--resume") == (code, "", "")
    assert set(sizes) == {10, 30}
    assert Path("report.json").read_bytes() == whole
    sizes.clear()
    for form in ("text", "csv", "markdown"):  # every form, from what was read back alone
        other = (*command.split(), "--format", form, "--no-plot")
        assert run(*other, "--resume", "report.json") == run(*other)[:1] + run(*other)[1:]


def test_nothing_is_computed_again_where_nothing_is_left(
    run: Run, computed: Iterator[list[int]]
) -> None:
    sizes = next(computed)
    _, whole, _ = run("check", "EHDS", "--n", "5,6", "--format", "json")
    Path("report.json").write_text(whole)
    sizes.clear()
    code, out, err = run(
        *("check", "EHDS", "--n", "5,6", "--format", "json", "--resume", "report.json")
    )
    assert (code, out, err, sizes) == (0, whole, "", [])
    _, longer, _ = run("check", "EHDS", "--n", "5..7", "--format", "json")
    sizes.clear()
    assert run("check", "EHDS", "--n", "5..7", "--format", "json", "--resume", "report.json") == (
        *(0, longer),
        "",
    )
    assert sizes == [7]


def test_without_a_file_yet_the_run_begins(run: Run) -> None:
    arguments = ("check", "EHDS", "--n", "5,6", "--format", "json", "--output", "report.json")
    assert run(*arguments, "--resume") == (0, "", "")
    assert json.loads(Path("report.json").read_text())["missing"] == []


BASE = "check EHDS --n 5,6 --format json"
MISMATCHES = {
    "check EHDS --n 5,6 --eps 1": "epsilon = 4/5, the command asks for 1",
    "check EHDS --n 5,6 --gamma 2": "gamma = 1, the command asks for 2",
    "check EHDS --n 5,6 --prior 1,2": "prior = 1,1, the command asks for 1,2",
    "check EHDL --n 5,6": "mechanism = EHDS, the command asks for EHDL",
    "check EHDS --n 5,6 --budget 1/2": "budget = (4/5, 0), the command asks for (1/2, 0)",
    "check EHDS --n 5,6 --adjacency histogram-add-remove": (
        "adjacency = histogram-substitution, the command asks for histogram-add-remove"
    ),
    "check EHDS --n 5,6 --digits 13": "digits = 12, the command asks for 13",
    "check EHDS --n 5,6 --at uniform": "at = none, the command asks for uniform",
    "check EHDS --n 5,6 --at-eps 1/3": "at-eps = none, the command asks for 1/3",
    "check EHDS --n 5": "it has a result at n = 6, which the command does not ask for",
    "check EHDS MH --n 5,6": "it is about 1 mechanisms, the command about 2",
    "curve EHDS --n 5,6": "its schema is 'dpaudit.audit/1'",
}


@pytest.mark.parametrize("command", MISMATCHES)
def test_a_report_about_something_else_is_refused(run: Run, command: str) -> None:
    Path("report.json").write_text(run(*BASE.split())[1])
    before = Path("report.json").read_bytes()
    code, out, err = run(
        *command.split(), "--format", "json", "--output", "report.json", "--resume"
    )
    assert (code, out) == (2, "")
    assert err.startswith("dpaudit: cannot resume from report.json: ")
    assert MISMATCHES[command] in err
    assert err.count("\n") == 1
    assert Path("report.json").read_bytes() == before


def test_a_list_of_other_reports_is_refused(run: Run) -> None:
    run("check", "EHDS", "MH", "--n", "5", "--format", "json", "--output", "report.json")
    code, out, err = run(
        *("curve", "EHDS", "MH", "--n", "5", "--format", "json", "--resume", "report.json")
    )
    assert (code, out) == (2, "")
    assert "its reports have the schema 'dpaudit.audit/1', not dpaudit.curve/1" in err


BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
    "empty": (lambda text: "", "not a JSON report"),
    "cut off": (lambda text: text[: len(text) // 2], "not a JSON report"),
    "no object": (lambda text: "[1, 2]", "not a JSON report"),
    "another version": (
        lambda text: text.replace(f'"version": "{__version__}"', '"version": "0.0.1"'),
        f"it was written by dpaudit 0.0.1, this is dpaudit {__version__}",
    ),
    "no version": (
        lambda text: text.replace(f'"version": "{__version__}",', ""),
        f"it was written by dpaudit ?, this is dpaudit {__version__}",
    ),
    "other code": (
        lambda text: text.replace(fingerprint(), "dpaudit 0.1.0 0123456789abcdef; python-flint 0"),
        "wrote it (fingerprint dpaudit 0.1.0 0123456789abcdef; python-flint 0, this is ",
    ),
    "from before there were fingerprints": (
        lambda text: re.sub(r' "fingerprint": ".*",\n', "", text),
        "other code of dpaudit wrote it (fingerprint not recorded, this is dpaudit",
    ),
    "a field is missing": (
        lambda text: text.replace('"pairs_covered"', '"pairs"'),
        "changed after",
    ),
    "no verdict": (lambda text: text.replace("within", "fine"), "changed after"),
    "no number": (lambda text: text.replace('"lower": "0', '"lower": "O'), "changed after"),
    "upside down": (
        lambda text: text.replace('"lower": "0.', '"lower": "9.'),
        "it was changed after",
    ),
    "not a number": (
        lambda text: text.replace('"upper": "0', '"upper": "nan'),
        "it was changed after",
    ),
    "changed by hand": (
        lambda text: text.replace('"pairs_covered": 5', '"pairs_covered": 4'),
        "it was changed after it was written",
    ),
    "no seal": (lambda text: text.replace('"sha256"', '"sha"'), "changed after"),
    "twice": (lambda text: text.replace('"n": 6', '"n": 5'), "changed after"),
}


@pytest.mark.parametrize("damage", BROKEN)
def test_a_damaged_report_is_refused(run: Run, damage: str) -> None:
    change, reason = BROKEN[damage]
    text = run(*BASE.split())[1]
    Path("report.json").write_text(change(text))
    assert change(text) != text
    code, out, err = run(*BASE.split(), "--resume", "report.json")
    assert (code, out) == (2, "")
    assert err.startswith("dpaudit: cannot resume from report.json: ")
    assert reason in err
    assert err.count("\n") == 1


def resealed(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a report and seal it anew, as anyone can."""
    document = json.loads(path.read_text())
    change(document)
    document["sha256"] = seal_of(document)
    path.write_text(json.dumps(document))


FORGED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "verdict": (
        lambda found: found["results"][0].update(verdict="within"),
        "by its numbers at n = 5 the verdict is exceeds, but it says within",
    ),
    "pairs": (
        lambda found: found["results"][0].update(pairs=4, pairs_covered=4),
        "there are 5 pairs at n = 5, not 4",
    ),
    "ε beside δ": (
        lambda found: found["results"][0]["epsilon"].update(lower="0.1", upper="0.1"),
        "if ε is within the budget, δ must be 0",
    ),
    "δ beside ε": (
        lambda found: found["results"][0]["delta"].update(lower="0", upper="0", exact="0"),
        "if ε is above the budget, δ must be above 0",
    ),
    "not in the interval": (
        lambda found: found["results"][0]["epsilon"].update(exact="1/10"),
        "n = 5 is invalid",
    ),
    "upside down": (
        lambda found: found["results"][0]["epsilon"].update(lower="9"),
        "n = 5 is invalid",
    ),
    "no number": (
        lambda found: found["results"][0]["epsilon"].update(lower="O.5"),
        "'O.5' is not a decimal number",
    ),
    "no verdict": (
        lambda found: found["results"][0].update(verdict="fine"),
        "Invalid enum value 'fine'",
    ),
    "a field is missing": (
        lambda found: found["results"][0].pop("pairs_covered"),
        "missing required field `pairs_covered`",
    ),
    "twice": (
        lambda found: found["results"].append(found["results"][-1]),
        "it has two results for the same n",
    ),
    "no JSON number": (
        lambda found: found["results"][0]["epsilon"].update(upper="9e9999999"),
        "beyond what is printed",
    ),
    "an unknown field": (lambda found: found["results"][0].update(surplus=1), "surplus"),
}


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("forged", FORGED)
def test_a_report_that_is_changed_and_sealed_anew_is_judged_again(run: Run, forged: str) -> None:
    """Line 11: ``within`` beside ε > budget was carried over, exit code 0."""
    change, reason = FORGED[forged]
    command = ("check", "MH", "--divisor", "1", "--n", "5,6", "--format", "json")
    Path("report.json").write_text(run(*command)[1])
    resealed(Path("report.json"), change)
    code, out, err = run(*command, "--resume", "report.json")
    assert (code, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1


def test_resume_needs_a_report(run: Run, tmp_path: Path) -> None:
    for arguments, reason in (
        (("--resume",), "--resume needs the JSON report to continue: --resume"),
        (
            ("--output", "report.txt", "--resume"),
            "--resume needs the JSON report to continue: --resume",
        ),
        (("--resume", "nowhere.json"), "cannot resume from nowhere.json: No such file"),
        (("--resume", "."), "cannot resume from .: Is a directory"),
    ):
        code, out, err = run("check", "EHDS", "--n", "5", "--no-plot", *arguments)
        assert (code, out) == (2, "")
        assert reason in err
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_resumes_to_the_bytes_of_one_that_is_not(
    run: Run, tmp_path: Path, ending: signal.Signals
) -> None:
    """Interrupted, or killed without warning: what is finished was saved on the way."""
    command = ("check", "EHDS", "--n", "200..320", "--engine", "ball", "--format", "json")
    with heeding_interrupts():
        process = subprocess.Popen(
            [sys.executable, "-m", "dpaudit", *command, "--jobs", "1", "--output", "report.json"],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
        )
    report = tmp_path / "report.json"
    while not report.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(ending)
    process.communicate(timeout=60)
    assert process.returncode == (130 if ending is signal.SIGINT else -signal.SIGKILL)
    partial = json.loads(report.read_text())
    assert partial["results"]
    assert partial["missing"]
    assert partial["verdict"] == "undecided"
    resumed = ("check", "EHDS", "--n", "200..320", "--format", "json", "--jobs", "1")
    assert run(*resumed, "--output", "report.json", "--resume") == (0, "", "")
    assert report.read_text() == run(*resumed)[1]


def test_a_worker_that_is_killed_is_one_line_and_what_is_finished_is_kept(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "dpaudit", "check", "EHDS", "--n", "300..420"),
            *("--engine", "ball", "--jobs", "2", "--format", "json", "--output", "report.json"),
        ],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "report.json").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.kill(grandchildren(process.pid)[0], signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.count("\n")) == (70, 1)
    assert "a worker process was killed" in err
    assert json.loads((tmp_path / "report.json").read_text())["results"]


def grandchildren(pid: int) -> list[int]:
    """The workers: the children of the process that forks them, which is a child of ``pid``."""

    def children(of: int) -> list[int]:
        listed = Path(f"/proc/{of}/task/{of}/children").read_text()
        return [int(child) for child in listed.split()]

    return [worker for child in children(pid) for worker in children(child)]


def test_a_terminal_sees_pairs_done_and_time_left(tmp_path: Path) -> None:
    """One long size moves the bar while it is screened; stdout stays clean."""
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "dpaudit", "check", "EHDS", "--n", "12000", "--jobs", "1"),
            *("--format", "json"),
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(main)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out)["results"][0]["pairs_covered"] == 12000
    text = shown.decode()
    steps = [int(step) for step in re.findall(r"(\d+)/12000", text)]
    assert "EHDS" in text
    assert "pairs" in text
    assert re.search(r"\d:\d\d:\d\d", text)
    assert len({step for step in steps if 0 < step < 12000}) >= 3
    assert steps == sorted(steps)

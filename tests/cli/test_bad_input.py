"""Whatever is given: one short line, nothing on stdout, and never a pass that was not earned."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke
from dpaudit.results.documents import seal_of
from tests.interrupts import heeding_interrupts

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Run the command line in a folder of its own; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_in_folder(*arguments: str) -> tuple[int, str, str]:
        code = invoke(list(arguments))
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run_in_folder


@pytest.mark.parametrize("given", ["a\nb", "a\tb", "\udcff", "\x1b[31mred", "9" * 5000, "ü☃"])
@pytest.mark.parametrize("option", ["jobs", "time-cap", "n", "at", "budget", "format", "output"])
def test_what_is_given_is_told_on_one_short_line(run: Run, option: str, given: str) -> None:
    given = f"nowhere/{given}" if option == "output" else given
    code, out, err = run("check", "EHDS", "--no-plot", "--n", "3", f"--{option}", given)
    assert (code, out) == (2, "")
    assert err.startswith("dpaudit: ")
    assert err[:-1].isprintable()
    assert len(err) < 1100


@pytest.mark.parametrize("command", ["check EHDS --output", "gate --report", "prove --output"])
def test_a_name_longer_than_files_have_is_refused(run: Run, command: str) -> None:
    name = f"{'json=' if command.startswith('gate') else ''}{'x' * 300}"
    code, out, err = run(*command.split(), name, *(["--n", "3"] if "EHDS" in command else []))
    assert (code, out) == (2, "")
    assert "File name too long" in err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "check EHDS --n 3 --output a.png --plot {here}/a.png",
        "check EHDS --n 3 --plot ./a.png --plot sub/../a.png",
        "hunt EHDL --over n=2..5 --no-plot --points a --output {here}/a",
        "gate --report json=a --report html=sub/../a",
        "prove acc-tight --output a --record {here}/a",
    ],
)
def test_the_same_file_by_two_names_is_refused(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "sub").mkdir()
    code, out, err = run(*command.format(here=tmp_path).split())
    assert (code, out) == (2, "")
    assert "two options name the same file; give two different files" in err
    assert [path.name for path in tmp_path.iterdir()] == ["sub"]


def test_the_name_of_a_relation_cannot_be_empty(run: Run) -> None:
    code, out, err = run("check", "EHDS", "--n", "3", "--adjacency", "", "--no-plot")
    assert (code, out) == (2, "")
    assert "no adjacency ''" in err


OWN = """
import os
import subprocess
import sys


class Writing:
    budget, datasets = "ln(3)", [0, 1, 2]
    neighbours = [(0, 1)]

    def law(self, bit):
        print("noise")
        os.write(1, b"noise of a library\\n")
        subprocess.run([sys.executable, "-c", "print('noise of a process')"])
        return {0: 1} if bit == 2 else {bit: "3/4", 1 - bit: "1/4"}


class Ending(Writing):
    def law(self, bit):
        os._exit(0)


class Aborting(Writing):
    def law(self, bit):
        os.abort()


class Sleeping(Writing):
    def law(self, bit):
        import time

        time.sleep(1000)
"""


@pytest.fixture
def own(tmp_path: Path) -> None:
    """Write mechanisms that misbehave, a configuration and claims."""
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "dpaudit.toml").write_text('[[mechanism]]\nmechanism = "own.py:Writing"\n')
    (tmp_path / "ends.py").write_text("import os\nos._exit(0)\n")
    (tmp_path / "sleeps.py").write_text("import time\ntime.sleep(1000)\n")
    (tmp_path / "prints.py").write_text(
        "import os\nprint('noise')\nos.write(1, b'noise of a library')\nCLAIMS = []\n"
    )


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "command",
    [
        "check own.py:Writing --format json --no-plot",
        "check own.py:Writing --notion renyi --order 2 --format json --no-plot",
        "curve own.py:Writing --format json --no-plot",
        "tradeoff own.py:Writing --format json --no-plot",
        "account own.py:Writing --n 1 --format json",
        "gate --format json",
        "verify report.json --own own.py:Writing --format json",
        "prove acc-tight --from prints.py --format json",
    ],
)
def test_what_a_users_code_and_its_libraries_write_is_kept_out_of_every_report(
    run: Run, command: str
) -> None:
    if command.startswith("verify"):
        report = ("--format", "json", "--no-plot", "--output", "report.json")
        assert run("check", "own.py:Writing", *report)[0] == 0
    code, out, err = run(*command.split())
    assert code in (0, 3)
    assert isinstance(json.loads(out), dict)
    assert "noise of a library" in err


@pytest.mark.usefixtures("own")
def test_a_mechanism_that_ends_the_process_is_not_verified(run: Run) -> None:
    report = ("--format", "json", "--no-plot", "--output", "report.json")
    assert run("check", "own.py:Writing", *report)[0] == 0
    for name, how in (("Ending", "code 0"), ("Aborting", "signal 6")):
        text = Path("report.json").read_text().replace("Writing", name)
        Path(f"{name}.json").write_text(text)
        code, out, err = run("verify", f"{name}.json", "--own", f"own.py:{name}")
        assert (code, out) == (2, "")
        assert err == f"dpaudit: the audited code ended the process of the audit ({how})\n"
    document = json.loads(Path("report.json").read_text().replace("Writing", "Sleeping"))
    document["sha256"] = seal_of(document)
    Path("slow.json").write_text(json.dumps(document))
    code, out, err = run("verify", "slow.json", "--own", "own.py:Sleeping", "--time-cap", "5")
    assert (code, err) == (3, "")
    assert "the time cap was reached: what is left was not rechecked" in out


@pytest.mark.usefixtures("own")
def test_claims_that_end_the_process_or_sleep_are_not_decided(run: Run) -> None:
    code, out, err = run("prove", "acc-tight", "--from", "ends.py")
    assert (code, out) == (2, "")
    assert err == "dpaudit: the audited code ended the process of the audit (code 0)\n"
    code, out, err = run("prove", "acc-tight", "--from", "sleeps.py", "--time-cap", "1")
    assert (code, out) == (3, "")
    assert err.startswith("dpaudit: time cap: nothing was finished after 1 s")
    assert len(err.splitlines()) == 1


@pytest.mark.usefixtures("own")
def test_a_dataset_without_neighbours_is_not_audited(run: Run) -> None:
    code, out, err = run("check", "own.py:Writing", "--at", "2", "--no-plot")
    assert (code, out) == (2, "")
    assert err == "dpaudit: at = 2: it has no neighbours at n = 1\n"


def test_an_empty_module_is_told_to_be(run: Run) -> None:
    Path("empty.py").write_text("")
    code, _, err = run("check", "empty.py:A", "--no-plot")
    assert (code, err) == (2, "dpaudit: empty.py:A: empty.py has no A; it contains no mechanism\n")


COMMANDS = ("", "--help", "list", "show EHDS", "schema", "check EHDS --n 3 --no-plot --format csv")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path, command: str) -> None:
    for redirect, reason in ((">&-", "it is closed"), (">/dev/full", "No space left on device")):
        found = _in_shell(f"{command} {redirect}", tmp_path)
        assert found.returncode == 2
        expected = f"dpaudit: cannot write to the standard output: {reason}\n"
        assert found.stderr.decode() == expected
    assert _in_shell(f"{command} <&- 2>&- >&-", tmp_path).returncode == 2
    expected_code = 0 if command else 2
    assert _in_shell(f"{command} <&- 2>&-", tmp_path).returncode == expected_code


def test_a_report_that_goes_to_a_file_needs_no_standard_output(tmp_path: Path) -> None:
    command = "check EHDS --n 3 --no-plot --format json --output report.json >&- <&-"
    found = _in_shell(command, tmp_path)
    assert (found.returncode, found.stderr) == (0, b"")
    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == "within"


def test_a_complaint_that_nobody_reads_keeps_its_exit_code(tmp_path: Path) -> None:
    assert _in_shell("check NONE --n 3 2>/dev/full", tmp_path).returncode == 2


def _in_shell(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    whole = f"exec {sys.executable} -m dpaudit {command}"
    return subprocess.run(["sh", "-c", whole], cwd=folder, capture_output=True, check=False)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_ended_run_keeps_what_is_finished_and_ends_its_workers(
    tmp_path: Path, ending: signal.Signals
) -> None:
    """The sizes that are under way take far longer than the run may."""
    command = "check EHDS --n 150,151,152,3000,3001 --engine ball --jobs 2 --format json"
    with heeding_interrupts():
        process = subprocess.Popen(
            [sys.executable, "-m", "dpaudit", *command.split(), "--output", "report.json"],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    time.sleep(2)
    process.send_signal(ending)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.startswith(b"dpaudit: interrupted; ")
    left = ["pgrep", "-s", str(process.pid)]
    for _ in range(100):
        if not subprocess.run(left, check=False, capture_output=True).stdout:
            return
        time.sleep(0.1)
    raise AssertionError("workers are left")


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("check EHDS --n 3 --n 4", "--n is given twice"),
        ("check LSDim --n 3 --budget 1/100 --budget=5", "--budget is given twice"),
        ("gate --config a --config b", "--config is given twice"),
        ("check EHDS --conformance --budget 1/100", "cannot be combined with --budget"),
        ("check EHDS --conformance --notion pure", "cannot be combined with --notion"),
        ("check EHDS --conformance --n 3 --plot a.png", "cannot be combined with --plot"),
        ("check kRR --plot-width column", "no plot is drawn; give --plot FILE too"),
        (
            "check EHDS --n 3..4 --no-plot --plot-width column",
            "no plot is drawn; give --plot FILE too",
        ),
        (
            "account EHDS --n 3 --plot-width column",
            "dpaudit plots, and accepts several values of --compose",
        ),
        (
            "account EHDS --n 3 --at-eps 1 --plot-width column",
            "no plot is drawn; give --plot FILE too",
        ),
        ("prove --list --record ledger.json", "--list checks nothing; leave out --record"),
        ("gate dpaudit.toml", "[OPTIONS]; a configuration is named by --config FILE"),
        ("schema check gate", "(gate); usage: dpaudit schema [OPTIONS] [NAME]"),
    ],
)
def test_nothing_that_is_asked_for_is_passed_over(run: Run, command: str, complaint: str) -> None:
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    assert complaint in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "command",
    [
        "calibrate EHDS --n 3 --gamma 1e400",
        "accuracy EHDS --at 2,1 --gamma 1e400",
        "check MH --n 26 --eps 1e-300",
    ],
)
def test_parameters_beyond_floats_are_answered(run: Run, command: str) -> None:
    code, _, err = run(*command.split(), "--no-plot")
    assert code in (0, 3)
    assert err == ""


@pytest.mark.parametrize(
    "command",
    [
        "check MH --n 5,6 --eps 1e400",
        "check LSHist --n 5 --eps 1e307",
        "curve LSHist --n 5 --eps 1e400",
        "curve LSHist --n 5 --eps 800",
    ],
)
def test_what_floats_cannot_hold_is_drawn_at_the_edge(run: Run, command: str) -> None:
    code, _, err = run(*command.split(), "--plot", "a.svg")
    assert (code, err) == (0, "")
    assert Path("a.svg").read_text().startswith("<?xml")


def test_a_reader_that_goes_away_ends_every_command_quietly(tmp_path: Path) -> None:
    for command in COMMANDS:
        with subprocess.Popen(
            [sys.executable, "-m", "dpaudit", *command.split()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
        ) as process:
            assert process.stdout is not None
            process.stdout.close()
            assert process.stderr is not None
            assert process.stderr.read() == b""
            assert process.wait() == (0 if command else 2)


@pytest.mark.parametrize(
    "command",
    [
        "gate --report json=dpaudit.toml",
        "gate --output dpaudit.toml --format json",
        "gate --config ./dpaudit.toml --plot other.svg --output dpaudit.toml",
        "check own.py:honest --no-plot --output own.py",
        "check EHDS --data data.csv --column x --no-plot --output ./data.csv",
        "verify report.json --output report.json",
    ],
)
def test_what_is_read_is_not_written_over(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    own = """from dpaudit import finite_mechanism
@finite_mechanism(budget=1, datasets=[0, 1], neighbours="all")
def honest(bit):
    return {0: "1/2", 1: "1/2"}
"""
    texts = {"own.py": own, "data.csv": "x\n0\n1\n", "dpaudit.toml": "#", "report.json": "{}"}
    for name, text in texts.items():
        Path(name).write_text(text)
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    assert err.endswith("this command reads that file; choose another file for the output\n")
    left = {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}
    assert left == texts

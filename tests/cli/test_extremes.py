"""Numbers out of all proportion, and mechanisms that misbehave: one clear line, and an end."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke

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


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("calibrate EHDS --n 3 --eps 1e400", "must lie between 1e-300 and 1e+300"),
        ("calibrate EHDS --n 3 --budget 1,1e-400", "must lie between 1e-300 and 1e+300"),
        ("account LSHist --n 3 --epsilon-grid 1e400", "must lie between 1e-300 and 1e+300"),
        ("account LSHist --n 3 --eps 1e400", "must lie between 1e-300 and 1e+300"),
        ("account LSHist --n 3 --eps 1e-400", "must lie between 1e-300 and 1e+300"),
        ("check EHDS --n 3 --k 99999999999999999999", "from 2 to 100000"),
    ],
)
def test_numbers_out_of_proportion_are_refused_in_one_line(
    run: Run, command: str, complaint: str
) -> None:
    plot = [] if command.startswith("account") else ["--no-plot"]
    code, out, err = run(*command.split(), *plot)
    assert (code, out) == (2, "")
    assert complaint in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("option", ["--eps", "--realised"])
def test_an_error_at_a_realised_epsilon_beyond_floats_is_undecided(run: Run, option: str) -> None:
    code, out, err = run("accuracy", "EHDS", "--at", "2,3", option, "1e400", "--no-plot")
    assert (code, err) == (3, "")
    assert "must lie between 1e-300 and 1e+300" in out


@pytest.mark.parametrize("budget", ["1e-400", "1,1e-400"])
def test_a_hunt_against_a_budget_beyond_floats_is_undecided(run: Run, budget: str) -> None:
    code, _, err = run(
        *("hunt", "EHDS", "--n", "3", "--over", "eps=1..2", "--evaluations", "4"),
        *("--budget", budget, "--no-plot"),
    )
    assert (code, err) == (3, "")


def test_a_curve_at_a_huge_epsilon_comes_to_an_end(run: Run) -> None:
    code, out, err = run("curve", "EHDS", "--n", "3", "--at-eps", "1e400", "--no-plot")
    assert (code, err) == (0, "")
    assert "δ(1e400)" in out


@pytest.mark.parametrize("epsilon", ["1e400", "1e9"])
def test_a_gaussian_fit_of_nearly_no_privacy_is_bounded_from_below(run: Run, epsilon: str) -> None:
    code, out, err = run("tradeoff", "LSHist", "--n", "3", "--eps", epsilon, "--no-plot")
    assert (code, err) == (0, "")
    assert re.search(r"\[\d+\.\d+, inf\]", out)


OWN = """
import os
import time


class Sleeping:
    budget, datasets = "ln(3)", [0, 1]

    def __init__(self, epsilon: str = "1", p: str = "3/4"):
        self.epsilon, self.p = epsilon, p

    def law(self, bit):
        time.sleep(1000)


class Ending(Sleeping):
    def law(self, bit):
        os._exit(0)


class Printing(Sleeping):
    def law(self, bit):
        print("noise")
        return {bit: self.p, 1 - bit: "1/4"}
"""

COMMANDS = {
    "check": ["--no-plot"],
    "curve": ["--no-plot"],
    "tradeoff": ["--no-plot"],
    "account": ["--n", "1"],
    "accuracy": ["--at", "1,2", "--no-plot"],
    "hunt": ["--n", "1", "--over", "epsilon=1,2", "--no-plot"],
}


@pytest.fixture
def own(tmp_path: Path) -> None:
    """Write mechanisms that misbehave."""
    (tmp_path / "own.py").write_text(OWN)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "accuracy"])
def test_every_command_ends_a_mechanism_that_sleeps(run: Run, command: str) -> None:
    code, out, err = run(command, "own.py:Sleeping", *COMMANDS[command], "--time-cap", "1")
    assert (code, out) == (3, "")
    assert err.startswith("dpaudit: time cap: nothing was finished after ")
    assert len(err.splitlines()) == 1


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "accuracy"])
def test_no_command_takes_an_early_end_for_an_answer(run: Run, command: str) -> None:
    code, out, err = run(command, "own.py:Ending", *COMMANDS[command])
    assert (code, out) == (2, "")
    assert err == "dpaudit: the audited code ended the process of the audit (code 0)\n"


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "accuracy"])
def test_what_a_mechanism_prints_is_kept_out_of_every_report(run: Run, command: str) -> None:
    form = ["--format", "json"]
    code, out, err = run(command, "own.py:Printing", *COMMANDS[command], *form)
    assert code in (0, 1)
    assert out.startswith("{")
    assert "noise" not in out
    assert "noise" in err


def test_a_slow_comparison_of_errors_ends_at_its_time_cap(run: Run) -> None:
    code, out, err = run("accuracy", "EHDS", "--at", "9000,9000", "--no-plot", "--time-cap", "0.5")
    assert (code, out) == (3, "")
    assert err.startswith("dpaudit: time cap: nothing was finished after 0.5 s")

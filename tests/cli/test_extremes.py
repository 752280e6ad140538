"""Numbers out of all proportion, and mechanisms that misbehave: one clear line, and an end."""

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
def test_a_gaussian_fit_of_nearly_no_privacy_is_undecided(run: Run, epsilon: str) -> None:
    code, out, err = run("tradeoff", "LSHist", "--n", "3", "--eps", epsilon, "--no-plot")
    assert (code, err) == (3, "")
    assert "too near 0" in out

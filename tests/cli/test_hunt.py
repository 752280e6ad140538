"""``dpaudit hunt``: what it prints, writes and exits with."""

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from dpaudit.cli.main import invoke
from dpaudit.numbers.real import real
from dpaudit.results import HuntReport
from dpaudit.results.documents import as_document, decode
from tests.interrupts import heeding_interrupts

Run = Callable[..., tuple[int, str, str]]

FEW = ("--evaluations", "60", "--no-plot")

OWN = """
from fractions import Fraction

from dpaudit.mechanisms.user import finite_mechanism


def response(p="1/2"):
    x = Fraction(p)
    keep = Fraction(3, 4) + max(Fraction(0), Fraction(1, 100) - abs(x - Fraction(1, 3)) / 10)

    @finite_mechanism(datasets=[0, 1], budget="ln(3)")
    def randomised(bit):
        return {bit: keep, 1 - bit: 1 - keep}

    return randomised


def raising(p="1/2"):
    raise RuntimeError("no such luck")


def unbalanced(p="1/2"):
    @finite_mechanism(datasets=[0, 1], budget="ln(3)")
    def law(bit):
        return {bit: "3/4", 1 - bit: p}

    return law


def wrong(p="1/2"):
    return 17
"""


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Run the command line in a folder with a mechanism; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)

    def run_in_folder(*arguments: str) -> tuple[int, str, str]:
        code = invoke(list(arguments))
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run_in_folder


def test_the_promised_command_finds_a_certified_violation(run: Run, tmp_path: Path) -> None:
    code, out, err = run(
        *("hunt", "EHDL", "--over", "prior=1/100..1", "--over", "n=2..300", "--eps", "0.8")
    )
    assert (code, err) == (1, "")
    assert "worst point     prior = 1/100, n = 300\n" in out
    assert "exceeds: a certified violation of the budget" in out
    assert "plot: dpaudit-results/hunt-EHDL.png" in out
    plot = tmp_path / "dpaudit-results" / "hunt-EHDL.png"
    assert plot.read_bytes().startswith(b"\x89PNG")
    replay = next(line for line in out.splitlines() if line.startswith("replay"))
    program, *arguments = shlex.split(replay.removeprefix("replay"))
    assert program == "dpaudit"
    code, out, _ = run(*arguments, "--no-plot")
    assert code == 1
    assert "0.87512173753678(2..3)" in out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("EHD --over prior=1/20..1 --over n=2..12", 1),
        ("EHD --over prior=1/20..1 --over n=2..12 --gs computed", 0),
        ("EHDS --over prior=1/20..1 --over n=2..12", 0),
        ("MH --over prior=1/20..1 --over n=2..12", 0),
        ("MH --over prior=1/20..1 --over n=2..12 --divisor 1", 1),
        ("MH --over divisor=1,2 --over n=2..12 --budget 2", 0),
        ("LSHist --over eps=1/10..3 --n 4", 0),
        ("LSHist --over eps=1/10..3 --n 4 --adjacency histogram-add-remove", 1),
        ("EHDL --over n=90000,100000 --time-cap 1", 3),
        ("EHDS --over k=2..4 --n 4", 0),
        ("EHDS --over gamma=1..9..2 --n 4 --k 3 --prior 1/2 --at uniform", 0),
        ("EHDL --over prior=1/2..2 --n 4 --set eps=1/2 --set divisor=1", 1),
        ("own.py:response --over p=0..1 --n 1", 1),
        ("own.py:response --over p=0..1/5 --n 1", 0),
    ],
)
def test_exit_codes(run: Run, arguments: str, code: int) -> None:
    found, out, err = run("hunt", *arguments.split(), *FEW)
    assert (found, err) == (code, "")
    assert ("no proof that there is none" in out) == (code == 0)


def test_the_json_document_fits_its_schema(run: Run, tmp_path: Path) -> None:
    _, published, _ = run("schema", "hunt")
    for arguments in (
        "EHD --over prior=1/20..1 --over n=2..12",
        "MH --over prior=1/20..1 --over n=2..12 --divisor 1 --budget 1,1/100",
        "EHDL --over n=90000,100000 --time-cap 1",
        "LSHist --over eps=1/10..3 --n 4 --adjacency histogram-add-remove",
    ):
        _, out, err = run("hunt", *arguments.split(), *FEW, "--format", "json")
        assert err == ""
        jsonschema.validate(json.loads(out), json.loads(published))
        decoded = decode(out.encode(), HuntReport, real)
        assert as_document(decoded) == json.loads(out)
    assert not (tmp_path / "dpaudit-results").exists()


def test_json_says_what_was_searched_and_found(run: Run) -> None:
    arguments = ("hunt", "EHD", "--over", "prior=1/20..1", "--over", "n=2..12", *FEW)
    code, out, _ = run(*arguments, "--format", "json")
    document = json.loads(out)
    assert code == 1
    assert document["schema"] == "dpaudit.hunt/1"
    assert document["searched"] == [
        {"name": "prior", "values": "1/20..1", "scale": "logarithmic"},
        {"name": "n", "values": "2..12", "scale": "linear"},
    ]
    assert document["verdict"] == "exceeds"
    worst = document["worst"]
    assert worst["parameters"] == {"prior": "1/20", "n": "5"}
    assert worst["ratio"] == {"lower": "1.02861677692931", "upper": "1.02861677692932"}
    assert worst["audit"]["schema"] == "dpaudit.audit/1"
    assert worst["audit"]["results"][0]["witness"]["output"] == [0, 5]
    assert worst["replay"] == "dpaudit check EHD --n 5 --eps 4/5 --prior 1/20,1/20 --gs quoted"


def test_the_table_holds_every_point(run: Run, tmp_path: Path) -> None:
    arguments = ("hunt", "MH", "--over", "prior=1/20..1", "--over", "n=2..12", *FEW)
    _, out, _ = run(*arguments, "--points", "points.csv", "--format", "json")
    text = (tmp_path / "points.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == json.loads(out)["evaluated"]
    assert list(rows[0]) == ["prior", "n", "epsilon_over_budget", "delta_over_budget", "reason"]
    assert all(0 < float(row["epsilon_over_budget"]) < 1 for row in rows)
    _, out, _ = run(*arguments, "--format", "csv")
    assert out == text


def test_plots_are_written_where_they_are_wanted(run: Run, tmp_path: Path) -> None:
    arguments = ["EHDL", "--over", "n=2..20", "--evaluations", "60"]
    _, first, _ = run("hunt", *arguments, "--plot", "a.svg", "--plot", "a.pdf")
    assert "plot: a.svg" in first
    svg = (tmp_path / "a.svg").read_bytes()
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    run("hunt", *arguments, "--plot", "a.svg")
    assert (tmp_path / "a.svg").read_bytes() == svg


def test_an_own_mechanism_is_hunted(run: Run) -> None:
    code, out, _ = run("hunt", "own.py:response", "--over", "p=0..1", "--n", "1", "--no-plot")
    assert code == 1
    assert "worst point     p = 1/3" in out
    assert "replay          dpaudit check own.py:response --n 1 --set p=1/3" in out


BAD = [
    ("EHDL", "--over is missing: give the parameters to search, such"),
    ("EHLD --over n=2..3", "no mechanism is called 'EHLD'; did you mean EHD"),
    ("EHDL --over n", "write the parameter, = and its values"),
    ("EHDL --over n=", "a value is missing"),
    ("EHDL --over n=9..2", "the range runs backwards; did you mean 2..9?"),
    ("EHDL --over n=2..x", "'x' is not a number"),
    ("EHDL --over n=2..1e30", "must be a whole number from 1 to 10000000"),
    ("EHDL --over prior=1/100..1", "the size is missing; give --n 50"),
    ("EHDL --over prior=0..1 --n 5", "prior = 0: must be"),
    ("EHDL --over prior=1..1e400 --n 5", "must be 0, or from 10^-300 to 10^300"),
    ("EHDL --over proir=1/100..1 --n 5", "EHDL has no parameter proir; did you mean prior"),
    ("EHDL --over gamma=1..2 --n 5", "EHDL has no parameter gamma"),
    ("EHDL --over n=2..5 --gamma 1", "EHDL has no parameter gamma"),
    ("EHDL --over n=2..5 --n 5", "n is both fixed and searched"),
    ("EHDL --over eps=1..2 --eps 1 --n 5", "epsilon is both fixed and searched"),
    ("EHDL --over n=2..5 --over n=3..4", "n is searched twice"),
    ("EHDL --over prior=1..2 --n 5..9", "must be one whole number; to search, give --over n=5..9"),
    ("EHDL --over prior=1..2 --n five", "n = five: must be one whole number"),
    ("EHDL --over prior=1..2 --n 0", "n = 0: a size must be"),
    ("EHDL --over prior=1..2 --n 5 --k 1", "k = 1: must be a whole number from 2 to 100000"),
    ("EHDL --over prior=1..2 --n 5 --k x", "k = x: must be one whole number"),
    ("EHDL --over k=2,3 --n 5 --prior 1,1", "the prior has 2 parameters but k = 3"),
    ("EHDL --over n=2..5 --eps 0", "epsilon = 0: must be"),
    ("EHDL --over n=2..5 --eps 0.4,0.8", "is not a number"),
    ("EHDL --over n=2..5 --divisor 0", "divisor = 0: must be a number greater than 0"),
    ("EHDL --over n=2..5 --budget 1,2", "budget delta = 2"),
    ("EHDL --over n=2..5 --seed -1", "seed = -1: must be a whole number"),
    ("EHDL --over n=2..5 --seed x", "not a valid integer"),
    ("EHDL --over n=2..5 --evaluations 0", "evaluations = 0: must be a whole number"),
    ("EHDL --over n=2..5 --evaluations 1e3", "not a valid integer"),
    ("EHDL --over n=2..5 --time-cap 0", "time-cap = 0: must be a number of seconds"),
    ("EHDL --over n=2..5 --time-cap -1", "time-cap = -1: must be a number of seconds"),
    ("EHDL --over n=2..5 --time-cap 1e99", "time-cap = 1e99: must be a number of seconds"),
    ("EHDL --over n=2..5 --time-cap soon", "time-cap = 'soon' is not a number"),
    ("EHDL --over n=2..5 --digits 0", "digits = 0"),
    ("EHDL --over n=2..5 --at 9,9", "not a dataset of EHDL at n = 2"),
    ("EHDL --over n=2..5 --adjacency friends", "no adjacency 'friends'"),
    ("EHDL --over n=2..5 --engine steam", "'steam' is not one of"),
    ("EHDL --over n=2..5 --set divisor", "--set divisor: must be NAME=VALUE"),
    ("EHDL --over n=2..5 --set n=4", "--set n=4: give --n 4"),
    ("EHDL --over n=2..5 --set divisor=1 --divisor 1", "divisor is given twice"),
    ("EHDL --over n=2..5 --json", "there is no --json; here it is --format json"),
    ("EHDL --over n=2..5 --plot a.gif", "a plot file must end in"),
    ("EHDL --over n=2..5 --plot a.png --no-plot", "contradict each other"),
    ("EHDL --over n=2..5 --points nowhere/a.csv", "cannot write nowhere/a.csv"),
    (
        "EHDL --over n=2..5 --points a --output a",
        "two options name the same file; give two different files",
    ),
    ("own.py:absent --over n=2..5", "own.py has no absent"),
    ("gone.py:absent --over n=2..5", "there is no file gone.py"),
    ("own.py:response --over q=0..1 --n 1", "response has no parameter q; known: p"),
    ("own.py:raising --over p=0..1 --n 1", "it raised RuntimeError: no such luck"),
    ("own.py:wrong --over p=0..1 --n 1", "it returned an int, not a mechanism"),
    ("own.py:unbalanced --over p=0..1 --n 1", "law at 0: "),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input_gets_one_clear_line(
    run: Run, tmp_path: Path, arguments: str, message: str
) -> None:
    code, out, err = run("hunt", *arguments.split())
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert len(err) < 500
    left = {path.name for path in tmp_path.rglob("*")} - {"own.py", "__pycache__"}
    assert not {name for name in left if not name.startswith("own.")}


def test_ctrl_c_reports_the_worst_found_so_far(tmp_path: Path) -> None:
    with heeding_interrupts():
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "dpaudit", "hunt", "EHDL", "--over", "prior=1/100..1"),
                *("--over", "n=2..300", "--evaluations", "1000000", "--time-cap", "1000"),
                *("--format", "json", "--output", "report.json"),
            ],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    time.sleep(5)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"interrupted; the worst point found is reported" in err
    document = json.loads((tmp_path / "report.json").read_text())
    assert document["stopped"] == "the search was interrupted"
    assert document["worst"]["parameters"] == {"prior": "1/100", "n": "300"}
    assert document["verdict"] == "exceeds"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_help_shows_the_exit_codes_of_a_hunt(run: Run) -> None:
    code, out, _ = run("hunt", "--help")
    assert code == 0
    assert "no violation was found, which is no proof that there is none" in out

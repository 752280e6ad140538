"""``dpaudit check``: what it prints, writes and exits with."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.cli.main import invoke
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


def test_the_main_job_prints_a_table_and_writes_a_plot(run: Run, tmp_path: Path) -> None:
    code, out, err = run("check", "EHDS", "--n", "10..40")
    assert (code, err) == (0, "")
    assert 11 <= len(re.findall(r"^ *\d+ +\d+ +\d+ +0\.\d+\(", out, re.MULTILINE)) <= 12
    assert "within: ε = 4/5 at n = 10..40 (31 sizes), 775 pairs" in out
    plot = tmp_path / "dpaudit-results" / "check-EHDS-n10-40.png"
    assert f"plot: {plot.relative_to(tmp_path)}" in out
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "drawn"),
    [
        ("check EHDS --n 10", []),
        ("check EHDS --n 10,10", []),
        ("check RR", []),
        ("check EHDS --n 5 --notion zcdp", []),
        ("calibrate MH --n 5 --tolerance 1/10", []),
        ("check EHDS --n 5,6", ["check-EHDS-n5-6.png"]),
        ("check EHDS --n 5,6 --no-plot", []),
        ("check EHDS MH --n 5", ["check-EHDS-MH-n5.png"]),
        ("check EHDS --n 5 --eps 1/2..1", ["check-EHDS-n5.png"]),
        ("curve EHDS --n 5", ["curve-EHDS-n5.png"]),
        ("check EHDS --n 5 --plot one.svg", ["one.caption.txt", "one.svg"]),
    ],
)
def test_a_figure_that_would_be_one_point_is_drawn_where_it_is_asked_for(
    run: Run, tmp_path: Path, words: str, drawn: list[str]
) -> None:
    code, out, err = run(*words.split())
    assert (code, err) == (0, "")
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == drawn
    assert ("plot: " in out) is bool(drawn)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_several_begin_with_the_worst_verdict_and_where_it_is(run: Run, form: str) -> None:
    """It ended with "within", of the mechanism named last, and exit code 1."""
    code, out, _ = run("check", "MH", "EHDS", "--divisor", "1", "--n", "5,60", "--format", form)
    assert code == 1
    assert out.splitlines()[0].removeprefix("- ") == (
        "overall exceeds: 1 of 2: MH (epsilon = 4/5, prior = 1,1, delta = 1/2000, divisor = 1, "
        "count = n+1, smoothing = neighbour) at n = 5..60 (2 sizes)"
    )
    code, out, _ = run("check", "EHD", "EHDS", "--n", "5,8", "--prior", "1/20,1/20", "--no-plot")
    assert code == 1
    assert out.startswith("overall exceeds: 1 of 2: EHD (")
    code, out, _ = run("check", "LSHist", "EHDS", "--n", "4", "--no-plot")
    assert (code, out.splitlines()[0]) == (0, "overall within: all 2")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("EHDS --n 10", 0),
        ("MH --n 20 --divisor 1", 1),
        ("EHD --n 5 --prior 1/20,1/20", 1),
        ("EHD --n 5 --prior 1/20,1/20 --gs computed", 0),
        ("EHD --n 8 --prior 1,2,1 --eps 2 --budget 1", 3),
        ("LSHist --n 3 --eps ln(3)", 0),
        ("LSHist --n 3 --adjacency histogram-add-remove", 1),
        ("EHDL MH --n 10,20 --divisor 1", 1),
        ("EHDS --n 12 --at uniform", 0),
        ("EHDS --at 3,4", 0),
        ("EHDS --n 3,30 --prior 1e400,1e400", 3),
    ],
)
def test_exit_codes(run: Run, arguments: str, code: int) -> None:
    assert run("check", *arguments.split(), "--no-plot")[0] == code


def test_json_holds_what_the_contract_names(run: Run, tmp_path: Path) -> None:
    code, out, err = run("check", "EHDS", "--n", "10", "--format", "json", "--at-eps", "1/5,0")
    assert (code, err) == (0, "")
    assert list(tmp_path.iterdir()) == []
    document = json.loads(out)
    assert document["schema"] == "dpaudit.audit/1"
    assert document["mechanism"] == {
        "name": "EHDS",
        "epsilon": "4/5",
        "prior": ["1", "1"],
        "gamma": "1",
    }
    assert document["budget"] == document["stated"] == {"epsilon": "4/5", "delta": "0"}
    assert document["verdict"] == "within"
    (result,) = document["results"]
    assert (result["n"], result["datasets"], result["pairs"], result["pairs_covered"]) == (
        *(10, 11, 10),
        10,
    )
    assert result["epsilon"] == {"lower": "0.254484628194758", "upper": "0.254484628194759"}
    assert result["delta"]["lower"] == result["delta"]["upper"] == "0"
    assert [point["epsilon"] for point in result["curve"]] == ["1/5", "0"]
    assert result["witness"]["x"] == [0, 10]
    assert result["witness"]["y"] == [1, 9]
    assert result["witness"]["output"] == [0, 10]
    assert result["verdict"] == "within"


def test_infinity_is_a_string_with_its_output(run: Run) -> None:
    code, out, _ = run(
        "check", "LSHist", "--n", "3", "--adjacency", "histogram-add-remove", "--format", "json"
    )
    (result,) = json.loads(out)["results"]
    assert code == 1
    assert result["epsilon"] == {"lower": "inf", "upper": "inf"}
    assert result["witness"]["output"] == [0, 3]


def test_csv_and_json_hold_the_same_numbers(run: Run) -> None:
    arguments = ("check", "EHDS", "LSDim", "--n", "5..9..2", "--gamma", "1,2", "--at-eps", "1/10")
    _, table, _ = run(*arguments, "--format", "csv")
    _, text, _ = run(*arguments, "--format", "json")
    rows = list(csv.DictReader(io.StringIO(table)))
    documents = json.loads(text)
    assert documents["schema"] == "dpaudit.reports/1"
    results = [result for audit in documents["reports"] for result in audit["results"]]
    assert len(rows) == len(results) == 9
    for row, result in zip(rows, results, strict=True):
        assert row["epsilon_lower"] == result["epsilon"]["lower"]
        assert row["delta_upper_1"] == result["curve"][0]["upper"]
        assert row["verdict"] == result["verdict"]
        assert row["witness_x"] == "({})".format(",".join(map(str, result["witness"]["x"])))


def test_markdown(run: Run) -> None:
    _, out, _ = run("check", "LSHist", "--n", "4", "--format", "markdown")
    assert "| n | pairs | outputs | realised ε | δ(4/5) | verdict | worst pair → output |" in out
    assert "| 4 | 4 | 5 | 4/5 exactly | 0 exactly | within |" in out


def test_digits(run: Run) -> None:
    _, out, _ = run("check", "EHDS", "--n", "10", "--digits", "40", "--format", "json")
    epsilon = json.loads(out)["results"][0]["epsilon"]
    assert 0 < Decimal(epsilon["upper"]) - Decimal(epsilon["lower"]) <= Decimal("1e-40")


def test_output_and_plots_go_to_the_named_files(run: Run, tmp_path: Path) -> None:
    code, out, err = run(
        *("check", "EHDS", "--n", "10", "--output", "report.json", "--format", "json"),
        *("--plot", "a.svg", "--plot", "b.pdf"),
    )
    assert (code, out, err) == (0, "", "")
    written = ["a.caption.txt", "a.svg", "b.caption.txt", "b.pdf", "report.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == written
    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == "within"


BAD = {
    "check EHSD --n 10": "did you mean EHD or EHDS",
    "check EHDS --n 0": "n = 0",
    "check EHDS --n 180..10": "did you mean 10..180?",
    "check EHDS --n 10..": "not a list of sizes",
    "check EHDS": "the sizes are missing; give --n, such as 10",
    "check": "missing argument MECHANISM: a name that `dpaudit list` shows",
    "check EHDS --n 10 --prior 0,1": "prior = 0",
    "check EHDS --n 10 --prior 1,-1": "prior = -1",
    "check EHDS --n 10 --prior 1": "two or more rationals",
    "check EHDS --n 10 --prior pi,1": "must be rational",
    "check EHDS --n 10 --prior 1,,1": "prior = ''",
    "check EHDS --n 10 --prior 1,1,1 --k 2": "must agree",
    "check EHDS --n 10 --k 1": "a whole number from 2",
    "check EHDS --n 10 --eps 0": "epsilon = 0",
    "check EHDS --n 10 --eps -1": "epsilon = -1",
    "check EHDS --n 10 --eps 0.8.1": "epsilon = '0.8.1' is not a number",
    "check EHDS --n 10 --eps __import__('os')": "is not a number",
    "check EHDS --n 10 --eps nan": "is not a number",
    "check EHDS --n 10 --eps 1/0": "must not be zero",
    "check MH --n 10 --delta 1": "less than 1",
    "check MH --n 10 --delta -0.1": "delta = -1/10",
    "check MH --n 10 --delta 0": "greater than 0",
    "check EHDS --n 10 --delta 0.1": "a budget is given as --budget",
    "check EHDS --n 10 --gamma 0": "gamma = 0",
    "check EHDS --n 10 --gamma -2": "gamma = -2",
    "check EHDS --n 10 --divisor 2": "EHDL, MH have it",
    "check EHDL --n 10 --divisor 0": "divisor = 0: must be a number greater than 0",
    "check EHDS --n 10 --budget 1,2,3": "EPS or EPS,DELTA",
    "check EHDS --n 10 --budget 1,1": "budget delta = 1",
    "check EHDS --n 10 --budget 0": "budget epsilon = 0",
    "check EHDS --n 10 --at 5,6": "sum to n",
    "check EHDS --n 10 --at 5,5,0": "sum to n",
    "check EHDS --n 10 --at 5,x": "must be counts such as 5,5, the value",
    "check EHDS --n 10,11 --at 5,5": "at n = 11",
    "check EHDS --n 10 --at-eps -1": "at-eps = -1",
    "check EHDS --n 10 --adjacency near": "known: histogram-substitution, histogram-add-remove",
    "check EHDS --n 10 --digits 0": "digits = 0",
    "check EHDS --n 10 --digits x": "not a valid integer",
    "check EHDS --n 10 --jobs 0": "jobs = 0",
    "check EHDS --n 10 --jobs many": "jobs = many",
    "check EHDS --n 10 --jobs 2 --dask 127.0.0.1:1": "give one",
    "check EHDS --n 10 --engine abacus": "is not one of 'screen', 'ball'",
    "check EHDS --n 10 --format yaml": "is not one of",
    "check EHDS --n 10 --output missing/report.txt": "cannot write missing/report.txt",
    "check EHDS --n 10 --output .": "it is a folder; give the name of a file",
    "check EHDS --n 10 --plot plot.gif": ".png, .svg, .pdf",
    "check EHDS --n 10 --plot missing/plot.png": "cannot write missing/plot.png",
    "check EHDS --n 10 --plot plot.png --no-plot": "contradict",
    "check EHDS --n 10 --output plot.png --plot plot.png": "two options name the same file",
    "check EHDS --n 10 --frobnicate": "No such option",
    "curve EHDS --n 0": "n = 0",
    "show EHSD": "did you mean",
    "schema nonsense": "no report has the schema",
    "chekc EHDS --n 10": "did you mean check",
}


@pytest.mark.parametrize("command", BAD)
def test_bad_input_gets_one_line_and_no_file(run: Run, tmp_path: Path, command: str) -> None:
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    assert err.startswith("dpaudit: ")
    assert err.count("\n") == 1
    assert BAD[command] in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_an_internal_error_is_neither_a_finding_nor_bad_input(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(EpsilonDelta, "at_size", fail)
    code, out, err = run("check", "EHDS", "--n", "10", "--no-plot")
    assert (code, out) == (70, "")
    assert "internal error: RuntimeError: planted" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_sweep_keeps_what_it_finished(tmp_path: Path, jobs: str) -> None:
    """Ctrl-C in the middle of a long sweep: exit 130, and a report of the finished sizes."""
    with heeding_interrupts():
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "dpaudit", "check", "EHDS", "--n", "2..30,2000000"),
                *("--jobs", jobs, "--format", "json", "--output", "report.json"),
            ],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    time.sleep(4)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    document = json.loads((tmp_path / "report.json").read_text())
    finished = [result["n"] for result in document["results"]]
    assert finished == list(range(2, 31))
    assert document["missing"] == [2000000]
    assert document["verdict"] == "undecided"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    command = f"{sys.executable} -m dpaudit check EHDS --n 2..60 --no-plot | head -n 1"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("EHDS")
    assert found.stderr == ""

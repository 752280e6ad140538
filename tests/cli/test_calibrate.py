"""``dpaudit calibrate``, and ``--data`` of calibrate and check: output, files and exit codes."""

import csv
import io
import json
import math
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dpaudit.cli.main import invoke
from dpaudit.questions.calibrate.size import calibrate_size
from dpaudit.results.documents import documents, json_schema

Run = Callable[..., tuple[int, str, str]]
PENGUINS = str(Path(__file__).parent.parent / "data" / "files" / "penguins.csv")


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


def test_the_main_job(run: Run, tmp_path: Path) -> None:
    code, out, err = run("calibrate", "EHDS", "--n", "100", "--eps", "0.8", "--plot", "safe.png")
    assert (code, err) == (0, "")
    row = re.search(r"^100 +100 +(\S+) +(\S+) +(\S+) +0\.79999999\d+\(", out, re.MULTILINE)
    assert row is not None
    safe, failing = Fraction(row[1]), Fraction(row[2])
    assert 0 < failing - safe <= Fraction(1, 10**6)
    assert Fraction(row[3]) <= safe / Fraction(4, 5)
    assert (
        "within: with each nominal ε in the table, the mechanism is certified to keep ε = 4/5"
        in out
    )
    assert "18 larger nominal ε were tried" in out
    assert (tmp_path / "safe.png").read_bytes().startswith(b"\x89PNG")


def test_json_follows_its_schema(run: Run) -> None:
    code, out, err = run("calibrate", "MH", "--n", "10,12", "--format", "json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["schema"] == "dpaudit.calibration/1"
    jsonschema.validate(document, json_schema(documents()["dpaudit.calibration/1"]))
    assert run("schema", "calibration")[0] == 0
    assert document["budget"] == {"epsilon": "4/5", "delta": "1/2000"}
    assert document["mechanism"]["epsilon"] == "4/5"
    for size in document["results"]:
        assert size["verdict"] == size["realised"]["verdict"] == "within"
        assert size["exceeded"]["verdict"] == "exceeds"
        assert Decimal(size["realised"]["delta"]["upper"]) <= Decimal("0.0005")
        assert Decimal(size["exceeded"]["delta"]["lower"]) > Decimal("0.0005")
        assert Decimal(size["error"]["ratio"]["upper"]) < 1
        assert size["beyond"]["tried"] == size["beyond"]["exceeding"]


def test_several_budgets_and_mechanisms(run: Run) -> None:
    code, out, _ = run(
        "calibrate", "EHDS", "LSDim", "--n", "8", "--eps", "0.5,0.8", "--format", "json"
    )
    document = json.loads(out)
    assert (code, document["schema"]) == (0, "dpaudit.reports/1")
    jsonschema.validate(document, json_schema(documents()["dpaudit.reports/1"]))
    found = [c["results"][0]["nominal"] for c in document["reports"]]
    assert found[2:] == ["1", "1.6"]
    budgets = [c["budget"]["epsilon"] for c in document["reports"]]
    assert budgets == ["1/2", "4/5", "1/2", "4/5"]


def test_without_a_posterior_nothing_is_said_of_its_error(run: Run) -> None:
    code, out, _ = run("calibrate", "kRR", "--n", "1", "--budget", "1", "--no-plot")
    assert code == 0
    assert "H(BI(x), z)" not in out
    assert "mean H" not in out
    assert "no mean error: kRR has no posterior to compare with" in out
    assert (
        "mean H is the mean Hellinger error E[H(BI(x), z)]"
        in run("calibrate", "EHDS", "--n", "3", "--no-plot")[1]
    )


def test_csv_and_markdown(run: Run, tmp_path: Path) -> None:
    code, _, _ = run("calibrate", "EHDS", "--n", "8..10", "--format", "csv", "--output", "c.csv")
    assert code == 0
    lines = list(csv.DictReader(io.StringIO((tmp_path / "c.csv").read_text())))
    assert [line["n"] for line in lines] == ["8", "9", "10"]
    for line in lines:
        assert (
            Decimal(line["epsilon_upper"])
            <= Decimal("0.8")
            < Decimal(line["failing_epsilon_lower"])
        )
        assert line["verdict"] == "within"
    code, out, _ = run("calibrate", "EHDS", "--n", "8", "--format", "markdown")
    assert code == 0
    assert out.startswith("**calibrated: EHDS")
    assert "| n | pairs | nominal ε |" in out


def test_the_figure_of_a_sweep(run: Run, tmp_path: Path) -> None:
    code, _, _ = run(
        *("calibrate", "EHDS", "NotesLaplace", "--n", "4..8", "--format", "csv"),
        *("--plot", "c.svg", "--plot", "c.pdf"),
    )
    assert code == 0
    text = (tmp_path / "c.svg").read_text()
    for words in ("Calibrated nominal ε", "data size n", "mean H", "calibrated (after)"):
        assert words in text
    assert (tmp_path / "c.pdf").read_bytes().startswith(b"%PDF")
    assert run("calibrate", "NotesLaplace", "--n", "4", "--plot", "n.svg")[0] == 0
    assert "mean H" not in (tmp_path / "n.svg").read_text()


BAD_FOR_BOTH = [
    ("EHDS --column c", "--column applies only to --data FILE"),
    ("EHDS --data absent.csv", "absent.csv: No such file or directory"),
    ("EHDS --data {p} --column sexx", "there is no column 'sexx'; did you mean sex?"),
    ("EHDS --data {p} --column sex", "11 of 344 values"),
    ("EHDS --data {p} --column species --n 8", "--n and --data contradict each other"),
    ("EHDS --data {p} --column species --at 1,2", "--at and --data contradict each other"),
    ("EHDS --data {p} --column species --k 2", "k = 2: the column has 3 categories"),
    ("EHDS --data {p} --column species --prior 1,1", "has 2 parameters but k = 3"),
    ("EHDS --data {p} --column species --categories a", "1 given, allowed are 2 to 256"),
    (
        "EHDS --data {p} --column species --categories Adelie,Chinstrap,Gentoo,King",
        "EHDS has 6903565 candidates at n = 344 and k = 4, and the limit is 250000",
    ),
]
BAD_FOR_CALIBRATE = [
    ("EHDS", "the sizes are missing; give --n, such as 10"),
    ("EHDS --n 8 --tolerance 0", "tolerance = 0: must be a rational from 1e-20 to 1/10"),
    ("EHDS --n 8 --eps 1 --budget 1", "with --budget, calibrate searches the mechanism"),
    ("EHDS --n 8 --eps 1 --budget 1", "leave --eps out"),
    ("EHDS --n 8 --set epsilon=1 --budget 1", "leave --set epsilon= out"),
    ("EHDS --n 8 --set eps=1 --budget 1", "leave --set epsilon= out"),
    ("EHDS --n 8 --eps -1", "must be a number greater than 0"),
    ("EHDS --n 8 --delta 0.1", "EHDS has no such parameter"),
    ("EHSD --n 8", "did you mean EHD or EHDS"),
    ("EHDS --n 8 --at-eps 1", "No such option"),
]


@pytest.mark.parametrize(
    ("command", "arguments", "complaint"),
    [
        *(("check", *bad) for bad in BAD_FOR_BOTH),
        *(("calibrate", *bad) for bad in (*BAD_FOR_BOTH, *BAD_FOR_CALIBRATE)),
    ],
)
def test_bad_input_gets_one_line(
    run: Run, tmp_path: Path, command: str, arguments: str, complaint: str
) -> None:
    code, out, err = run(command, *arguments.format(p=PENGUINS).split(), "--output", "out.txt")
    assert (code, out) == (2, "")
    assert err.startswith("dpaudit: ")
    assert err.count("\n") == 1
    assert complaint in err
    assert list(tmp_path.iterdir()) == []


def test_a_check_at_real_data(run: Run) -> None:
    options = ("--data", PENGUINS, "--column", "sex", "--missing", "drop")
    code, out, err = run("check", "EHDS", *options, "--no-plot")
    assert (code, err) == (0, "")
    assert out.startswith(
        "data: penguins.csv, column sex: 333 records, 2 categories\n"
        "counts, in this order: female 165, male 168\n"
        "missing values: 11, left out\n\n"
    )
    assert "2 pairs, both directions" in out
    document = json.loads(run("check", "EHDS", *options, "--format", "json")[1])
    jsonschema.validate(document, json_schema(documents()["dpaudit.audit/1"]))
    assert document["data"]["counts"] == [165, 168]
    by_hand = json.loads(run("check", "EHDS", "--at", "165,168", "--format", "json")[1])
    assert "data" not in by_hand
    assert by_hand["results"] == document["results"]
    everything = json.loads(run("check", "EHDS", *options, "--pairs", "all", "--format", "json")[1])
    assert everything["results"][0]["pairs_covered"] == 333
    assert everything["at"] is None


def test_three_categories_of_real_data(run: Run, tmp_path: Path) -> None:
    header, *rows = Path(PENGUINS).read_text().splitlines()
    (tmp_path / "some.csv").write_text("\n".join((header, *rows[::6])))
    code, out, _ = run(
        *("check", "EHDS", "--data", "some.csv", "--column", "species", "--format", "json")
    )
    (result,) = json.loads(out)["results"]
    outputs = math.comb(len(rows[::6]) + 2, 2)
    assert (code, result["pairs"], result["pairs_covered"], result["outputs"]) == (0, 6, 6, outputs)


def test_a_calibration_at_real_data(run: Run) -> None:
    options = ("--data", PENGUINS, "--column", "sex", "--missing", "drop", "--format", "json")
    here = json.loads(run("calibrate", "EHDS", *options)[1])
    everywhere = json.loads(run("calibrate", "EHDS", *options, "--pairs", "all")[1])
    jsonschema.validate(here, json_schema(documents()["dpaudit.calibration/1"]))
    assert here["data"] == everywhere["data"]
    assert here["at"] == "165,168"
    near, far = here["results"][0], everywhere["results"][0]
    assert near["error"]["dataset"] == far["error"]["dataset"] == [165, 168]
    assert near["error"]["before"] == far["error"]["before"]
    assert Fraction(near["nominal"]) > Fraction(far["nominal"]) > Fraction(4, 5)
    text = run("calibrate", "EHDS", *options[:-2], "--no-plot")[1]
    assert "only pairs that contain these data were audited: the" in text
    assert "x = (165,168)" in text


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            "LSHist --n 3 --adjacency histogram-add-remove",
            1,
            "n = 3 exceeds: every nominal ε tried from",
        ),
        ("EHDS --n 3 --prior 1e400,1e400", 3, "n = 3 undecided: no nominal ε tried from"),
        ("EHDL --n 6 --at uniform", 0, "within: with each nominal ε in the table"),
        ("EHDS LSDim --n 3 --adjacency histogram-add-remove", 1, "exceeds"),
    ],
)
def test_exit_codes(run: Run, arguments: str, code: int, said: str) -> None:
    found, out, err = run("calibrate", *arguments.split(), "--no-plot")
    assert (found, err) == (code, "")
    assert said in out


def test_an_interrupted_sweep_reports_what_it_finished(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Any:
        if given[1] == 7:
            raise KeyboardInterrupt
        return calibrate_size(*given)

    monkeypatch.setattr("dpaudit.questions.calibrate.sweep.calibrate_size", interrupted)
    code, out, err = run("calibrate", "EHDS", "--n", "5..9", "--format", "json", "--jobs", "1")
    assert (code, err) == (130, "dpaudit: interrupted; what was finished is reported\n")
    document = json.loads(out)
    assert [size["n"] for size in document["results"]] == [5, 6]
    assert (document["missing"], document["verdict"]) == ([7, 8, 9], "undecided")


def test_a_report_at_real_data_can_be_resumed(run: Run, tmp_path: Path) -> None:
    options = ("--data", PENGUINS, "--column", "island", "--format", "json")
    assert run("check", "LSDim", *options, "--output", "first.json")[0] == 0
    resume = ("--resume", "first.json", "--output", "second.json")
    assert run("check", "LSDim", *options, *resume)[0] == 0
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes()

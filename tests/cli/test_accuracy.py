"""``dpaudit accuracy``: what it prints, writes and exits with."""

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from jsonschema import validate

from dpaudit.cli.main import invoke

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


def accuracy(run: Run, arguments: str) -> tuple[int, str, str]:
    return run("accuracy", *arguments.split())


def test_the_main_job_prints_both_comparisons_and_writes_a_plot(run: Run, tmp_path: Path) -> None:
    code, out, err = accuracy(run, "EHDS MH LSHist NotesLaplace --at 20,30")
    assert (code, err) == (0, "")
    assert "equal nominal ε" in out
    assert "equal realised ε" in out
    assert len(re.findall(r"^(?:EHDS|MH|LSHist|NotesLaplace) +\d", out, re.MULTILINE)) == 8
    assert "NotesLaplace, clamped: counts are clamped to [0, n]" in out
    plot = tmp_path / "dpaudit-results" / "accuracy-EHDS-MH-LSHist-NotesLaplace-n50.png"
    assert f"plot: {plot.relative_to(tmp_path)}" in out
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_json_fits_its_schema_and_holds_the_table_of_the_notes(run: Run) -> None:
    code, out, err = accuracy(
        run,
        "EHDL NotesLaplace --at 4,4 --divisor 1 --rounding toward-zero --outside furthest "
        "--equal nominal --law distance --tail 1/2 --format json",
    )
    assert (code, err) == (0, "")
    document = json.loads(out)
    validate(document, json.loads(run("schema", "reports")[1]))
    schema = json.loads(run("schema", "accuracy")[1])
    for report in document["reports"]:
        validate(report, schema)
    assert document["schema"] == "dpaudit.reports/1"
    assert [report["decided"] for report in document["reports"]] == [True, True]
    found = [report["results"][0] for report in document["reports"]]
    exponential, laplace = found
    assert [group["steps"] for group in exponential["law"]] == [[0], [1], [2], [3], [4]]
    assert exponential["law"][0]["probability"]["lower"].startswith("0.37924298483")
    assert laplace["law"][0]["probability"]["lower"].startswith("0.329679953964")
    assert laplace["law"][-1]["steps"] == []
    for result in found:
        assert "realised" not in result or result["realised"] is None
        (tail,) = result["tails"]
        chances = [
            Decimal(group["probability"]["lower"])
            for group in result["law"]
            if Decimal(group["error"]["lower"]) >= Decimal("0.5")
        ]
        assert abs(sum(chances) - Decimal(tail["lower"])) < Decimal("1e-8")


def test_realised_epsilons_in_json_are_within_the_target(run: Run) -> None:
    code, out, _ = accuracy(run, "EHDS MH --at 9,6 --equal realised --realised 1/2 --format json")
    assert code == 0
    for report in json.loads(out)["reports"]:
        (result,) = report["results"]
        low, high = (Decimal(result["realised"][end]) for end in ("lower", "upper"))
        assert Decimal("0.499999") <= low <= high <= Decimal("0.5")
        assert report["target"] == "1/2"
        assert result["nominal"] != report["mechanism"]["epsilon"] == "4/5"


def test_csv_has_one_line_for_each_mechanism_and_comparison(run: Run) -> None:
    code, out, _ = accuracy(run, "EHDS LSHist --at 5,5 --tail 0.25 --format csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["mechanism"], row["equal"]) for row in rows] == [
        *(("EHDS", "nominal"), ("LSHist", "nominal")),
        *(("EHDS", "realised"), ("LSHist", "realised")),
    ]
    for row in rows:
        for name in ("realised_epsilon", "mean", "variance", "quantile_1/2", "tail_1/4"):
            assert Decimal(row[f"{name}_lower"]) <= Decimal(row[f"{name}_upper"])
        assert row["decided"] == "true"


def test_csv_of_the_law_adds_up(run: Run) -> None:
    for law in ("distance", "steps"):
        code, out, _ = accuracy(
            run, f"EHDS --at 3,3,3 --equal nominal --law {law} --format csv --digits 12"
        )
        assert code == 0
        rows = list(csv.DictReader(io.StringIO(out)))
        total = sum((Decimal(row["probability_lower"]) for row in rows), Decimal(0))
        assert abs(total - 1) < Decimal("1e-10")


def test_markdown_is_tables(run: Run) -> None:
    code, out, _ = accuracy(run, "LSHist --at 3,4 --format markdown --law steps --metric l1")
    assert code == 0
    assert "| mechanism | nominal ε |" in out
    assert "LSHist, by steps" in out


def test_unknown_steps_are_said_so(run: Run) -> None:
    code, out, _ = accuracy(
        run, "NotesLaplace --at 4,4 --coordinates all --metric l1 --law steps --equal nominal"
    )
    assert code == 0
    assert "dpaudit does not know the steps between these outputs" in out


def test_plots_of_every_kind(run: Run, tmp_path: Path) -> None:
    every = "EHD EHDL EHDS MH LSZhang LSDim LSHist NotesLaplace"
    for index, rest in enumerate(
        (
            f"{every} --at 4,5 --metric l1",
            f"{every} --at 4,5 --equal nominal",
            "MH --at 4,5 --eps 1/2,1,2 --equal nominal",
            "EHDS --at 3,3,3 --equal realised",
            "EHDS LSHist --at 3,4 --eps 1/2,1",
            "NotesLaplace LSHist --at 3,4 --sample 300 --seed 2",
        )
    ):
        name = f"plot{index}.svg"
        code, _, err = accuracy(run, f"{rest} --plot {name}")
        assert (code, err) == (0, "")
        assert "<svg" in (tmp_path / name).read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("EHDS", "the dataset is missing; give --at COUNTS or --data FILE"),
        ("EHDS --at 5", "two or more counts"),
        ("EHDS --at 4,-4", "two or more counts"),
        ("EHDS --at four,4", "two or more counts"),
        ("EHDS --at 0,0", "add up to at least 1"),
        ("EHDS --at 4,4,4 --prior 1,1", "2 numbers"),
        ("EHDS --at uniform", "the sizes are missing; give --n, such as 10"),
        ("EHDS --at 4,4 --n 9", "not a dataset of EHDS at n = 9"),
        ("EHDX --at 4,4", "did you mean"),
        ("EHDS --at 4,4 --outside printed", "no meaning for hellinger"),
        ("LSHist --at 4,4 --metric l1 --outside furthest", "no meaning for l1"),
        ("EHDS --at 4,4 --tail x", "tail = 'x'"),
        ("EHDS --at 4,4 --tail -1", "at least 0"),
        ("EHDS --at 4,4 --equal nominal --realised 1", "contradict"),
        ("EHDS --at 4,4 --realised 0", "greater than 0"),
        ("EHDS --at 4,4 --digits 0", "digits = 0"),
        ("EHDS --at 4,4 --divisor 1", "EHDS has no such parameter"),
        ("EHDS --at 4,4 --metric kl", "'kl' is not one of"),
        ("EHDS --at 4,4 --output /nonexistent/x", "cannot write"),
    ],
)
def test_bad_input_is_one_clear_line(
    run: Run, tmp_path: Path, arguments: str, message: str
) -> None:
    code, out, err = accuracy(run, arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_listed_is_reported_and_the_rest_goes_on(run: Run) -> None:
    code, out, _ = accuracy(
        run, "LSDim EHDL --at 2,2,2,2,2,2,2 --equal nominal --no-plot --metric l1 --format json"
    )
    document = json.loads(out)
    assert code == 3
    without, done = document["reports"]
    assert (without["decided"], done["decided"]) == (False, True)
    assert "outputs would have to be listed" in without["undecided"][0]["reason"]


PENGUINS = Path(__file__).parent.parent / "data" / "files" / "penguins.csv"


def test_a_column_of_a_file_is_the_data(run: Run) -> None:
    code, out, _ = accuracy(
        run, f"LSDim --data {PENGUINS} --column species --equal nominal --format json"
    )
    document = json.loads(out)
    assert (code, document["at"]) == (0, "152,68,124")
    assert document["data"]["categories"] == ["Adelie", "Chinstrap", "Gentoo"]
    code, out, _ = accuracy(
        run, f"EHDS --data {PENGUINS} --column sex --missing drop --equal nominal"
    )
    assert code == 0
    assert out.startswith("data: penguins.csv, column sex: 333 records, 2 categories")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("EHDS", "the dataset is missing; give --at COUNTS or --data FILE"),
        (f"EHDS --data {PENGUINS} --column sex", "11 of 344 values of column 'sex' are missing"),
        (f"EHDS --data {PENGUINS} --column sx", "did you mean sex"),
        (f"EHDS --data {PENGUINS} --column species --at 1,2", "contradict each other"),
        ("EHDS --at 3,4 --column sex", "--column applies only to --data FILE"),
        ("EHDS --data nowhere.csv", "nowhere.csv"),
    ],
)
def test_bad_data_is_one_line(run: Run, arguments: str, said: str) -> None:
    code, out, err = accuracy(run, arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err

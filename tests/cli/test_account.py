"""``dpaudit account``: the table, JSON, CSV and what is refused."""

import csv
import io
import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke
from dpaudit.numbers.real import real
from dpaudit.results import AccountDocument
from dpaudit.results.documents import decode


def run(capfd: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert invoke(["account", *arguments]) == code
    sys.stdout.flush()
    captured = capfd.readouterr()
    if code == 2:
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        return captured.err
    assert captured.err == ""
    return captured.out


def test_the_table_names_everything(capfd: pytest.CaptureFixture[str]) -> None:
    out = run(capfd, "EHDS", "--n", "10", "--compose", "2")
    assert "2 runs on the same data" in out
    assert "adaptive ≤" in out
    assert "pessimistic" in out
    assert out.count("\n") >= 9


def test_the_head_of_sampled_runs_names_their_neighbours_and_the_dataset(
    capfd: pytest.CaptureFixture[str],
) -> None:
    asked = ("Gaussian", "--n", "3", "--sample-rate", "1/10", "--at-delta", "1e-5")
    head = run(capfd, *asked).splitlines()[0]
    assert head.endswith("; one record added or removed")
    assert "histogram-substitution" not in head
    at = run(capfd, *asked, "--at", "1,2").splitlines()[0]
    assert at == f"{head}, pairs that contain 1,2 data"


def test_json_fits_its_published_schema(capfd: pytest.CaptureFixture[str]) -> None:
    out = run(
        capfd, "LSHist", "--n", "10", "--epsilon-grid", "0..4/5..1/5,ln(2)", "--format", "json"
    )
    document = decode(out.encode(), AccountDocument, real)
    assert document.schema == "dpaudit.estimates/1"
    assert [str(row.delta.epsilon) for row in document.rows] == [
        "0",
        "1/5",
        "2/5",
        "3/5",
        "4/5",
        "ln(2)",
    ]
    jsonschema = pytest.importorskip("jsonschema")
    assert invoke(["schema", "estimates"]) == 0
    sys.stdout.flush()
    jsonschema.validate(json.loads(out), json.loads(capfd.readouterr().out))
    for row in document.rows:
        assert row.adaptive_upper is not None
        assert row.pessimistic is not None
        assert row.delta.lower <= row.delta.upper <= Decimal(row.adaptive_upper)
        low = Decimal(row.pessimistic.estimate) < row.delta.lower
        assert (row.pessimistic.standing == "below") is low


def test_csv_has_a_line_for_each_epsilon(capfd: pytest.CaptureFixture[str]) -> None:
    out = run(capfd, "MH", "--n", "6", "--format", "csv", "--epsilon-grid", "0,1/2")
    lines = list(csv.DictReader(io.StringIO(out)))
    assert [line["epsilon"] for line in lines] == ["0", "1/2"]
    assert lines[0]["mechanism"] == "MH"
    assert run(capfd, "MH", "--n", "6", "--format", "csv", "--epsilon-grid", "0,1/2") == out


def test_a_mechanism_of_ones_own(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from dpaudit.mechanisms.user import finite_mechanism\n"
        "@finite_mechanism(datasets=[0, 1])\n"
        "def response(bit):\n"
        "    return {bit: '3/4', 1 - bit: '1/4'}\n"
    )
    name = f"{file}:response"
    out = run(
        capfd, name, "--n", "1", "--epsilon-grid", "ln(2)", "--format", "json", "--compose", "3"
    )
    assert json.loads(out)["rows"][0]["delta"]["exact"] == "17/32"  # (27 - 2 + 3·(9 - 6)) / 64
    assert "states no ε" in run(capfd, name, "--n", "1", code=2)


def test_laws_with_nothing_in_common_are_composed(capfd: pytest.CaptureFixture[str]) -> None:
    """All mass at an infinite loss leaves nothing for the library's cut of tails."""
    settings = ("--n", "4", "--adjacency", "histogram-add-remove", "--compose", "2")
    found = json.loads(run(capfd, "EHDS", *settings, "--epsilon-grid", "1/2", "--format", "json"))
    (row,) = found["rows"]
    assert float(row["pessimistic"]["estimate"]) == pytest.approx(1, rel=1e-9)


def test_a_refusal_leaves_what_is_certain(capfd: pytest.CaptureFixture[str]) -> None:
    """Runs too many to compose: the adaptive bound, the estimates and one run's δ stay."""
    found = json.loads(
        run(
            capfd,
            "EHDS",
            "--n",
            "60",
            "--compose",
            "9",
            "--epsilon-grid",
            "1/5",
            "--format",
            "json",
            code=3,
        )
    )
    (row,) = found["rows"]
    assert found["composed"] is False
    assert "a pair with 61 different privacy losses" in found["refused"][0]
    assert 0 < float(row["delta"]["lower"]) < float(row["adaptive_upper"]) < 1
    assert row["delta"]["upper"] == "1"
    assert float(row["optimistic"]["estimate"]) <= float(row["adaptive_upper"])
    assert row["ratio"] is None


def test_a_discrete_gaussian_has_an_account(capfd: pytest.CaptureFixture[str]) -> None:
    """Its tail, which no list ends, is a tail to dp-accounting as well, and not ln 0."""
    ask = (
        "DiscreteGaussian",
        "--n",
        "1",
        "--epsilon-grid",
        "1/2,1",
        "--compose",
        "2",
        "--format",
        "json",
    )
    found = json.loads(run(capfd, *ask))
    assert "refused" not in found
    for row in found["rows"]:
        certified = float(row["delta"]["lower"])
        for name in ("pessimistic", "optimistic", "dominating"):
            assert float(row[name]["estimate"]) == pytest.approx(certified, rel=0.01)


def test_an_estimate_that_fails_leaves_the_rest(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ("LSHist", "--n", "4", "--epsilon-grid", "1/2", "--format", "json")
    whole = json.loads(run(capfd, *ask))["rows"][0]

    def fails(*arguments: object, **options: object) -> None:
        raise ValueError("cannot convert float NaN to integer")

    monkeypatch.setattr("dpaudit.questions.account.export.pair_distribution", fails)
    found = json.loads(run(capfd, *ask))
    (row,) = found["rows"]
    assert found["refused"] == [
        "no estimate for the worst pair: dp-accounting cannot estimate these output "
        "distributions in floats (ValueError: cannot convert float NaN to integer)"
    ]
    assert row["pessimistic"] is row["optimistic"] is row["ratio"] is None
    for name in ("delta", "dominating", "adaptive_upper"):
        assert row[name] == whole[name]


def test_without_estimates_no_other_library_is_needed(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    ask = ("LSHist", "--n", "4", "--epsilon-grid", "1/2", "--no-estimates")
    assert "There are no estimates." in run(capfd, *ask)
    (line,) = csv.DictReader(io.StringIO(run(capfd, *ask, "--format", "csv")))
    assert (line["pessimistic"], line["dominating_standing"]) == ("", "")
    assert float(line["adaptive_upper"]) > 0


SETS = """
from itertools import combinations
from dpaudit import finite_mechanism
FRUIT = ["apple", "fig", "pear", "plum"]
BASKETS = [frozenset(some) for size in range(4) for some in combinations(FRUIT, size)]

def law(basket):
    return {fruit: 1 + len(basket) ** 2 * (fruit in basket) for fruit in basket | set(FRUIT)}

of_sets = finite_mechanism(
    datasets=set(BASKETS), neighbours=lambda x, y: len(x ^ y) == 1, budget=3, normalised=False
)(law)
of_tuples = finite_mechanism(
    datasets={(basket, 1) for basket in BASKETS}, neighbours="all", budget=3, normalised=False
)(lambda x: law(x[0]))
"""


@pytest.mark.parametrize("name", ["of_sets", "of_tuples"])
def test_an_account_of_sets_is_the_same_in_every_process(name: str, tmp_path: Path) -> None:
    """Ties between sets, whose own order is another one under each PYTHONHASHSEED."""
    (tmp_path / "own.py").write_text(SETS)
    ask = ["account", f"own.py:{name}", "--n", "1", "--epsilon-grid", "0,1/2", "--no-estimates"]
    for form in ("json", "text"):
        reports = {
            subprocess.run(
                [sys.executable, "-m", "dpaudit", *ask, "--format", form],
                cwd=tmp_path,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
            for seed in ("1", "2", "3")
        }
        assert len(reports) == 1


def test_output_goes_to_a_file_whole(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "account.json"
    assert run(capfd, "LSHist", "--n", "5", "--format", "json", "--output", str(path)) == ""
    assert json.loads(path.read_text())["n"] == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["LSHist", "--n", "5", "--compose", "0"], "must be a whole number of at least 1"),
        (["LSHist", "--n", "5", "--compose", "x"], "compose = x"),
        (["LSHist", "--n", "5,6"], "n = 5,6: must be one whole number"),
        (["LSHist", "--n", "5", "--epsilon-grid", "0..1"], "FIRST..LAST..STEP"),
        (["LSHist", "--n", "5", "--epsilon-grid", "1..0..1/2"], "FIRST ≤ LAST"),
        (["LSHist", "--n", "5", "--epsilon-grid", "0..1..1e-9"], "fewer than"),
        (["LSHist", "--n", "5", "--epsilon-grid=-1"], "must be at least 0"),
        (["LSHist", "--n", "5", "--epsilon-grid", "os.system"], "is not a number"),
        (["LSHist", "--n", "5", "--discretisation", "0"], "from 1e-9 to 1"),
        (["LSHist", "--n", "5", "--csv"], "there is no --csv; here it is --format csv"),
        (["LSHist", "--n", "5", "--gamma", "1"], "has no parameter gamma"),
        (["LSHits", "--n", "5"], "did you mean LSHist"),
        (["EHDS", "--n", "5", "--output", "/nowhere/at/all"], "cannot write"),
    ],
)
def test_bad_input_gets_one_line(
    capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in run(capfd, *arguments, code=2)

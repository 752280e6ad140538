"""Categories and priors of a data file, as the command line names them."""

import json
import sys
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke

DATA = 'c\n10\n9\n9\n"two\nlines"\nNA\n'


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(DATA)
    Path("numbers.csv").write_text("c\n10\n9\n9\nNA\n")


def run(
    capfd: pytest.CaptureFixture[str], file: str, *arguments: str, code: int = 0
) -> tuple[str, str]:
    ask = ["check", "EHDS", "--data", file, *arguments, "--no-plot", "--format", "json"]
    assert invoke(ask) == code
    sys.stdout.flush()
    captured = capfd.readouterr()
    return captured.out, captured.err


@pytest.mark.parametrize("listed", ["9,10,two\nlines", '9,10,"two\nlines"'])
def test_a_category_that_holds_a_line_break_is_named(
    listed: str, capfd: pytest.CaptureFixture[str]
) -> None:
    out, _ = run(capfd, "data.csv", "--missing", "drop", "--categories", listed)
    assert json.loads(out)["data"]["categories"] == ["9", "10", "two\nlines"]
    assert json.loads(out)["data"]["counts"] == [2, 1, 1]


def test_categories_that_are_no_csv_are_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    out, err = run(capfd, "data.csv", "--categories", '"a"b,c', code=2)
    assert out == ""
    assert err.count("\n") == 1
    assert 'is written as in CSV: "a,b"' in err


def test_a_prior_goes_to_its_categories_by_name(capfd: pytest.CaptureFixture[str]) -> None:
    ask = ("numbers.csv", "--missing", "category")
    by_name, quiet = run(capfd, *ask, "--prior", "(missing)=3,10=1/2,9=2")
    by_place, said = run(capfd, *ask, "--prior", "2,1/2,3")
    assert by_name == by_place
    assert json.loads(by_name)["mechanism"]["prior"] == ["2", "1/2", "3"]
    assert quiet == ""
    assert said == (
        "dpaudit: the prior assigns numbers to the categories in this order: 9=2, 10=1/2, "
        "(missing)=3\n"
    )
    assert run(capfd, *ask, "--prior", "2,2,2")[1] == ""


def test_a_prior_keeps_its_categories_when_missing_values_are_one(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """With --missing category the order was that of text, and 10 came before 9."""
    found = [
        json.loads(run(capfd, "numbers.csv", "--missing", how, "--prior", prior)[0])
        for how, prior in (("drop", "2,1/2"), ("category", "2,1/2,1"))
    ]
    pairs = [
        dict(zip(one["data"]["categories"], one["mechanism"]["prior"], strict=True))
        for one in found
    ]
    assert pairs[0].items() <= pairs[1].items()


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("9=1,9=2", "'9': is named twice"),
        ("9=1,11=2", "'11': did you mean 10?"),
        ("9=1", "it has no number for the category '10'"),
        ("9=1,10=x", "is not a number"),
    ],
)
def test_priors_by_name_that_do_not_fit(
    prior: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    _, err = run(capfd, "numbers.csv", "--missing", "drop", "--prior", prior, code=2)
    assert err.count("\n") == 1
    assert message in err

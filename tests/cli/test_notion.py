"""``dpaudit check --notion``: what it prints, writes and exits with."""

import csv
import io
import json
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest

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


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("EHDS --n 10 --notion zcdp --budget 1/8", 0),
        ("EHDS --n 10 --notion zcdp", 0),
        ("EHDS --n 10 --notion zcdp --budget 1/1000", 1),
        ("LSHist --n 5 --notion renyi --order inf", 0),
        ("LSHist NotesLaplace --n 3,5 --notion renyi --order 3/2", 0),
        ("EHDS --n 4 --notion gdp --budget 1 --adjacency histogram-add-remove", 1),
        ("MH --n 5 --notion approximate", 0),
        ("LSHist --n 4 --notion tv --budget 1/100 --at uniform", 1),
    ],
)
def test_exit_codes(run: Run, arguments: str, code: int, tmp_path: Path) -> None:
    found, out, err = run("check", *arguments.split())
    assert (found, err) == (code, "")
    assert ("exceeds: " if code else "within: ") in out
    assert not list(tmp_path.glob("*.*"))


@pytest.mark.parametrize(
    "arguments",
    [
        "EHDS --n 10 --notion zdcp",
        "EHDS --n 10 --notion renyi",
        "EHDS --n 10 --order 2",
        "EHDS --n 10 --notion gdp",
        "EHDS --n 10 --notion zcdp --budget 0",
        "EHDS --n 10 --notion zcdp --at-eps 1",
        "EHDS --n 10 --notion zcdp --resume x.json",
        "EHDL --n 10 --notion kl",
        "EHDS --n 10 --notion tv --budget 2",
    ],
)
def test_nonsense_is_one_line(run: Run, arguments: str, tmp_path: Path) -> None:
    code, out, err = run("check", *arguments.split())
    assert (code, out) == (2, "")
    assert err.startswith("dpaudit: ")
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("*.*"))


@pytest.mark.parametrize("several", [False, True])
def test_json_keeps_its_schema(run: Run, several: bool) -> None:
    names = ["EHDS", "NotesLaplace"] if several else ["NotesLaplace"]
    code, out, _ = run(
        *("check", *names, "--n", "3,4", "--notion", "zcdp", "--budget", "1/8", "--format", "json")
    )
    assert code == 0
    document = json.loads(out)
    name = "reports" if several else "notion"
    assert document["schema"] == f"dpaudit.{name}/1"
    _, schema, _ = run("schema", name)
    jsonschema.Draft202012Validator(json.loads(schema)).validate(document)
    one = document["reports"][1] if several else document
    _, schema, _ = run("schema", "notion")
    jsonschema.Draft202012Validator(json.loads(schema)).validate(one)
    assert one["notion"] == {"name": "zcdp", "symbol": "ρ"}
    result = one["results"][0]
    assert result["outputs"] == "infinite"
    assert result["value"]["exact"] == "1/5 - exp(-2/5)/5"
    assert result["witness"]["order"] == "1"
    lower, upper = (Decimal(result["value"][end]) for end in ("lower", "upper"))
    assert lower <= upper <= lower + Decimal("1e-12")


def test_csv_and_markdown_hold_the_same_numbers(run: Run) -> None:
    arguments = ("check", "EHDS", "--n", "3..5", "--notion", "gdp", "--budget", "1")
    _, text, _ = run(*arguments, "--format", "json")
    _, table, _ = run(*arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    results = json.loads(text)["results"]
    assert [row["value_lower"] for row in rows] == [r["value"]["lower"] for r in results]
    assert [row["witness_type_one"] for row in rows] == [r["witness"]["type_one"] for r in results]
    code, markdown, _ = run(*arguments, "--format", "markdown")
    assert code == 0
    assert markdown.count("| within |") == 3


def test_a_report_goes_to_a_file(run: Run, tmp_path: Path) -> None:
    arguments = ("check", "EHDS", "--n", "3", "--notion", "kl", "--format", "json")
    _, shown, _ = run(*arguments)
    code, out, _ = run(*arguments, "--output", "kl.json")
    assert (code, out) == (0, "")
    assert (tmp_path / "kl.json").read_text() == shown

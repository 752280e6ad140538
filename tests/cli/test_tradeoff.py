"""``dpaudit tradeoff``: what it prints, writes and exits with."""

import json
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit import curve
from dpaudit.cli.main import invoke
from dpaudit.laws.tradeoff import tradeoff_points, type_two
from dpaudit.mechanisms.user import finite_mechanism
from tests.notions import oracle
from tests.notions.test_measures import Pair, laws

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


def test_it_prints_a_table_and_writes_a_plot(run: Run, tmp_path: Path) -> None:
    code, out, err = run("tradeoff", "EHDS", "--n", "10", "--at-type-one", "1/20,1/2")
    assert (code, err) == (0, "")
    assert "f(1/20)" in out
    plot = tmp_path / "dpaudit-results" / "tradeoff-EHDS-n10.png"
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_several_are_drawn_together(run: Run, tmp_path: Path) -> None:
    code, _, err = run("tradeoff", "LSHist", "EHD", "--n", "3,5", "--plot", "all.svg")
    assert (code, err) == (0, "")
    drawn = (tmp_path / "all.svg").read_text()
    assert "LSHist" in drawn
    assert "n = 5" in drawn


@pytest.mark.parametrize("n", ["1", "2", "5", "20"])
@pytest.mark.parametrize("sigma", ["1", "3"])
def test_a_discrete_gaussian_has_a_trade_off_function(run: Run, n: str, sigma: str) -> None:
    """f is enclosed; only its μ, whose events have no end, is known from below alone."""
    ask = ("tradeoff", "DiscreteGaussian", "--n", n, "--sigma", sigma, "--no-plot")
    code, out, err = run(*ask, "--format", "json", "--output", "made.json")
    assert (code, out, err) == (0, "", "")
    (size,) = json.loads(Path("made.json").read_text())["results"]
    assert size["mu"]["upper"] == "inf"
    assert 0.9 < float(size["mu"]["lower"]) * float(sigma) < 1.2  # about the μ of N(0, σ²)
    for at in size["values"]:
        assert Fraction(at["upper"]) - Fraction(at["lower"]) < Fraction(1, 10**14)
    assert invoke(["verify", "made.json"]) == 0


@pytest.mark.parametrize("several", [False, True])
def test_json_keeps_its_schema(run: Run, several: bool) -> None:
    names = ["EHDS", "LSHist"] if several else ["LSHist"]
    code, out, _ = run("tradeoff", *names, "--n", "3", "--format", "json")
    assert code == 0
    name = "reports" if several else "tradeoff"
    _, schema, _ = run("schema", name)
    document = json.loads(out)
    assert document["schema"] == f"dpaudit.{name}/1"
    jsonschema.Draft202012Validator(json.loads(schema)).validate(document)


@pytest.mark.parametrize(
    "arguments",
    [
        "EHDS --n 3 --at-type-one 2",
        "EHDS --n 3 --at-type-one x",
        "EHDS --n 3 --budget 1",
        "EHDS --n 3 --at-eps 1",
        "EHDS",
    ],
)
def test_nonsense_is_one_line(run: Run, arguments: str, tmp_path: Path) -> None:
    code, out, err = run("tradeoff", *arguments.split())
    assert (code, out) == (2, "")
    assert err.startswith("dpaudit: ")
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@given(laws(), st.lists(st.fractions(0, 1, max_denominator=50), min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_one_pair_has_the_convex_hull_of_both_directions(
    pair: Pair, levels: list[Fraction]
) -> None:
    """Below both T(P, Q) and T(Q, P), and on the hull of their corners."""
    p, q = pair

    @finite_mechanism(datasets=[0, 1], budget=1)
    def law(dataset: int) -> Mapping[Any, Any]:
        return dict(enumerate(q if dataset else p))

    found = curve(law, 1).curves[0]
    corners = tradeoff_points(found.lower, found.scale_bits)
    for a in levels:
        value = type_two(found, a, 12)
        both = min(oracle.tradeoff(p, q, a), oracle.tradeoff(q, p, a))
        assert Fraction(value.lower) <= both + Fraction(1, 10**12)
        assert value.is_tight(12)
    slack = Fraction(1, 10**12)
    for a, b in corners:
        assert b >= min(oracle.tradeoff(p, q, a), oracle.tradeoff(q, p, a)) - slack

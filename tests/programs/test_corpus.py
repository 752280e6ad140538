"""The corpus: figures that are known in closed form, or that others computed."""

from fractions import Fraction
from pathlib import Path

import pytest

import dpaudit
from dpaudit.numbers.real import real
from dpaudit.results import Verdict
from tests.programs.corpus import programs as corpus
from tests.programs.corpus.__main__ import BEGIN, END, OPEN, ROWS, Row, certified, line

BY_NAME = {(row.name, row.n): row for row in ROWS}


@pytest.mark.parametrize(
    ("name", "lower", "upper"),
    [
        ("ReportNoisyMax1", "0.0946149052", "0.0946149053"),
        ("SparseVectorTechnique1", "0.088525767", "0.088525769"),
    ],
)
def test_the_figures_given_for_calibration_come_out(name: str, lower: str, upper: str) -> None:
    found, _ = certified(BY_NAME[name, 1])
    (result,) = found.results
    assert found.verdict is Verdict.WITHIN
    assert Fraction(lower) < Fraction(result.epsilon.lower)
    assert Fraction(result.epsilon.upper) < Fraction(upper)


def test_closed_forms_and_infinities_come_out() -> None:
    found, _ = certified(BY_NAME["TruncatedGeometricMechanism", 1])
    assert found.results[0].epsilon.exact == real("ln(9/8)")
    found, _ = certified(BY_NAME["SparseVectorTechnique5", 1])
    assert found.results[0].epsilon.lower.is_infinite()
    assert found.results[0].witness.output == (False, *(True,) * 9)


def test_gaussian_comparisons_are_certified_to_ten_digits() -> None:
    one = corpus.on_bits("between", "1/2", corpus.third_between_gaussian)
    found = dpaudit.check(one, n=3, digits=10)
    assert found.verdict is Verdict.WITHIN
    assert 0 < found.results[0].epsilon.width < Fraction(1, 10**9)


PAGE = (Path(__file__).parents[2] / "docs" / "programs_corpus.md").read_text()


def told(row: Row) -> list[str]:
    """Return the cells of the page's line for a row."""
    (found,) = (line for line in PAGE.splitlines() if line.startswith(f"| {row.name} | {row.n} |"))
    return [cell.strip() for cell in found.split("|")[1:-1]]


def test_the_page_holds_every_row_and_says_which_are_open() -> None:
    assert PAGE.index(BEGIN) < PAGE.index(END)
    for row in ROWS:
        assert told(row)[7] == row.published
    for name in OPEN:
        assert f"*{name}*" in PAGE


@pytest.mark.parametrize(
    "name",
    ["LaplaceMechanism", "LaplaceFixed", "NoisyHist2", "PrefixSum", "partialsum", "badsmartsum",
     "SVT-Laplace-Leaky-4", "SVT-Laplace-Leaky-5", "TruncatedGeometricMechanism"],
)  # fmt: skip
def test_a_part_of_the_page_comes_out_again(name: str) -> None:
    row = next(row for row in ROWS if row.name == name)
    again = [cell.strip() for cell in line(row, 600).split("|")[1:-1]]
    assert again[:6] == told(row)[:6]  # all but the seconds

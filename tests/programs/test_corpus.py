"""The corpus: figures that are known in closed form, or that others computed."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.numbers.real import real
from dpaudit.results import Verdict
from tests.programs.corpus import programs as corpus
from tests.programs.corpus.__main__ import ROWS, certified

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

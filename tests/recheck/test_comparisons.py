"""The recheck of comparisons with laws: tails and distances from the definition."""

from fractions import Fraction
from math import comb

import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit.recheck.comparisons import _distance, _p_value, _tail, _wrong
from dpaudit.results.samples import Comparison
from dpaudit.sampling.binomial import at_least
from tests.sampling import subjects


@pytest.mark.parametrize("chance", [Fraction(0), Fraction(1, 7), Fraction(3, 4), Fraction(1)])
@pytest.mark.parametrize("draws", [1, 9, 40])
def test_tails_are_those_of_the_definition(draws: int, chance: Fraction) -> None:
    for count in range(draws + 2):
        terms = (
            comb(draws, j) * chance**j * (1 - chance) ** (draws - j)
            for j in range(count, draws + 1)
        )
        assert _tail(draws, chance, count) == pytest.approx(float(sum(terms)), rel=1e-12)


@pytest.mark.parametrize("count", [700_000, 749_000, 750_500, 752_000, 755_000])
def test_tails_are_below_what_the_audit_bounds_them_by(count: int) -> None:
    tail = _tail(10**6, Fraction(3, 4), count)
    assert tail <= at_least(10**6, 0.75, count) * (1 + 1e-12)
    assert tail >= at_least(10**6, 0.75, count) * (1 - 1e-6)


@pytest.fixture(scope="module")
def compared() -> Comparison:
    found = dpaudit.sample(subjects.response, draws=20_000, error="1e-6", against=subjects.law)
    first, _ = found.report.comparisons
    return first


def test_counts_make_the_numbers_that_a_report_tells(compared: Comparison) -> None:
    assert _wrong(compared) == ""
    assert sum(cell.count for cell in compared.cells) == compared.draws
    assert _p_value(compared, 2) == pytest.approx(float(compared.p_value), rel=1e-5)
    error = Fraction(3, 4 * 10**6)  # a quarter is for tests of whether draws have one law
    assert _distance(compared, 2, error) == pytest.approx(float(compared.distance), rel=1e-5)


def test_draws_that_the_law_has_none_of_speak_against_it(compared: Comparison) -> None:
    first, second = compared.cells
    fewer = replace(compared, cells=(replace(first, count=first.count - 10), second))
    assert _p_value(fewer, 2) == 0
    assert _distance(fewer, 2, Fraction(1, 10**6)) > float(compared.distance)


def test_cells_of_no_law_and_of_no_draws_are_told(compared: Comparison) -> None:
    first, second = compared.cells
    for cells, said in (
        ((first,), "outputs, not"),
        ((first, replace(second, high="2")), "invalid bounds"),
        ((first, replace(second, low="0", high="0")), "do not add up"),
        ((first, replace(second, count=10**6)), "more than it draws"),
    ):
        assert said in _wrong(replace(compared, cells=cells))

"""Continuous draws that are rounded: floor, ceil, round, int, clamped to finitely many numbers."""

import math
import operator
from fractions import Fraction
from typing import Any

import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import real

PAIR: dict[str, Any] = {"datasets": [0, 1], "neighbours": "all"}


def cdf(x: float, scale: float) -> float:
    return math.exp(x / scale) / 2 if x < 0 else 1 - math.exp(-x / scale) / 2


@pytest.mark.parametrize(
    ("rounding", "shift", "up"),
    [(math.floor, 0.0, 1), (math.ceil, -1.0, 1), (round, -0.5, 1)],
    ids=["floor", "ceil", "round"],
)
def test_a_rounded_draw_has_the_law_of_its_cells(rounding: Any, shift: float, up: int) -> None:
    def body(x: int, random: Any) -> int:
        found: int = max(-3, min(3, rounding(x + random.laplace(2))))
        return found

    law = program(**PAIR)(body).law(1)
    assert law.keys() == set(range(-3, 4))
    for k in range(-2, 3):
        expected = cdf(k + shift + up - 1, 2) - cdf(k + shift - 1, 2)
        assert float(law[k]) == pytest.approx(expected, abs=1e-12)


def test_toward_zero_and_multiples_and_remainders_of_cells() -> None:
    def body(x: int, random: Any) -> tuple[Any, ...]:
        value = random.uniform(-2, 2)
        return int(value), 16 * round(value), abs(math.floor(value)) % 2, value // 1

    law = program(**PAIR)(body).law(0)
    found = {}
    for output, mass in law.items():
        found[output] = mass.as_fraction()
    whole = {
        (math.trunc(v), 16 * math.floor(v + 0.5), abs(math.floor(v)) % 2, math.floor(v))
        for v in (k / 8 + 0.01 for k in range(-16, 16))
    }
    assert found.keys() == whole
    assert sum(found.values()) == 1
    assert set(found.values()) == {Fraction(1, 8)}


def test_the_snapped_laplace_keeps_less_than_its_budget_loses() -> None:
    def body(x: int, random: Any) -> Any:
        return max(-100, min(100, 16 * round((x + random.laplace(10)) / 16)))

    with precision(64):
        one = program(**PAIR)(body)
    result = dpaudit.check(one, n=1, budget="1/10").results[0]
    assert result.epsilon.exact == real("1/10")


def test_a_rounded_number_without_an_end_is_refused() -> None:
    one = program(**PAIR)(lambda x, random: round(x + random.laplace(1)))
    with pytest.raises(LawError, match="unbounded"):
        one.law(0)


@pytest.mark.parametrize("slot", ["lt", "le", "gt", "ge"])
@pytest.mark.parametrize("factor", [Fraction(3, 2), Fraction(-3, 2), Fraction(-1)])
@pytest.mark.parametrize("limit", [Fraction(5, 2), Fraction(-3), Fraction(1, 3)])
def test_multiples_of_a_rounded_draw_are_compared_exactly(
    slot: str, factor: Fraction, limit: Fraction
) -> None:
    """Against the same event as a set of whole numbers."""
    compare = getattr(operator, slot)

    def body(x: int, random: Any) -> Any:
        return compare(factor * math.floor(random.laplace(2)) + 1, limit)

    law = program(**PAIR)(body).law(0)
    holds = [k for k in range(-200, 200) if compare(factor * k + 1, limit)]
    expected = sum(cdf(k + 1, 2) - cdf(k, 2) for k in holds)
    assert float(law[True]) == pytest.approx(expected, abs=1e-12)

"""Programs that tell an unknown number from a known one, and leak at few numbers: all refused.

What stands for a number is no number to compiled code, and raises what numbers do not.  Where the
output differs at one number of a million, no known number that is tried shows it; what is done
then does.
"""

import array
import decimal
import json
import math
import operator
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpaudit import program
from dpaudit.errors import LawError

DATA: dict[str, Any] = {"datasets": [0, 1], "neighbours": "all", "budget": 1}


def raises(call: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def tell(x: Any) -> bool:
        try:
            call(x)
        except (TypeError, AttributeError, ValueError, decimal.InvalidOperation):
            return True
        return False

    return tell


TELLS: dict[str, Callable[[Any], Any]] = {
    "a sum with a complex number": raises(lambda x: x + 1j),
    "float's own sum": lambda x: float.__add__(1.0, x) is NotImplemented,
    "float's own comparison": lambda x: float.__lt__(0.5, x) is NotImplemented,
    "int's own sum": lambda x: int.__add__(1, x) is NotImplemented,
    "the text of compiled code": raises(float.hex),
    "a bit": raises(lambda x: x & 1),
    "a bit, by a function": raises(lambda x: operator.xor(x, 1)),
    "a shift": raises(lambda x: x << 1),
    "an attribute": lambda x: hasattr(x, "__or__") or hasattr(x, "__slots__"),
    "the size": lambda x: sys.getsizeof(x) == sys.getsizeof(0.5),
    "the size of its own": lambda x: x.__sizeof__() == (1).__sizeof__(),
    "an array": lambda x: np.array([x]).dtype == object,
    "a test of NumPy": raises(np.isnan),
    "JSON": raises(json.dumps),
    "Decimal": raises(decimal.Decimal),
    "an array of Python": raises(lambda x: array.array("d", [x])),
    "a whole number's bits": raises(lambda x: x.bit_length()),
    "math": raises(math.isqrt),
}


def law_or_refusal(body: Any, **more: Any) -> Any:
    try:
        return {str(output) for output in program(**DATA, **more)(body).law(1)}
    except LawError as error:
        return "refused" if "\n" not in str(error) else str(error)


@pytest.mark.parametrize("expected", [True, False])
@pytest.mark.parametrize("tell", TELLS)
def test_what_is_told_apart_and_matters_at_few_numbers_is_not_passed_over(
    tell: str, expected: bool
) -> None:
    """Refused, or with the output that a leak at few numbers makes."""

    def as_float(x: int) -> int:
        drawn = random.random()
        return x if bool(TELLS[tell](drawn)) == expected and 0.3137 < drawn < 0.31370001 else 0

    def as_whole(x: int) -> int:
        drawn = random.randrange(10**6)
        return x if bool(TELLS[tell](drawn)) == expected and drawn == 771_234 else 0

    def ideal(x: int, source: Any) -> int:
        drawn = source.geometric(Fraction(1, 2))
        return x if bool(TELLS[tell](drawn)) == expected and drawn == 7 else 0

    for body, drawn in ((as_float, 0.3137), (as_whole, 771_234)):
        true = {"0", "1"} if bool(TELLS[tell](drawn)) == expected else {"0"}
        assert law_or_refusal(body, as_run=True) in (true, "refused")
    true = {"0", "1"} if bool(TELLS[tell](7)) == expected else {"0"}
    assert law_or_refusal(ideal) in (true, "refused")


def test_what_is_kept_from_the_first_run_is_no_difference() -> None:
    """A table that is made when it is first needed: later runs take fewer steps."""
    table: dict[int, int] = {}

    def body(x: int) -> int:
        if not table:
            table.update({n: n * n for n in range(4)})
        return table[random.randrange(4)] + (random.random() < 0.5)

    assert law_or_refusal(body, as_run=True) == {"0", "1", "2", "4", "5", "9", "10"}


def test_whole_numbers_have_their_bits_and_quotients_of_floats() -> None:
    def bits(x: int) -> tuple[int, ...]:
        drawn = random.randrange(1000)
        return drawn & 1, (drawn | 6) >> 1 & 1, ~drawn % 2, divmod(7, drawn + 8)[0], drawn // 500

    def ratio(x: int) -> bool:
        return random.randrange(1000) / 3 == 1 / 3

    assert program(**DATA, as_run=True)(bits).law(0) == program(**DATA)(
        lambda x, source: bits_of(source.integers(1000))
    ).law(0)
    assert str(program(**DATA, as_run=True)(ratio).law(0)[True]) == "1/1000"


def bits_of(drawn: Any) -> tuple[int, ...]:
    return drawn & 1, (drawn | 6) >> 1 & 1, ~drawn % 2, divmod(7, drawn + 8)[0], drawn // 500


@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_whole_numbers_of_numpy_that_go_round_are_refused(kind: Any) -> None:
    top = 1 << (62 if kind is np.int64 else 30)

    def body(x: int) -> bool:
        drawn = np.random.default_rng().integers(0, top, endpoint=True, dtype=kind)
        return bool(4 * drawn < 0) and x == 1

    def small(x: int) -> bool:
        return bool(3 * np.random.default_rng().integers(0, 1 << 20, dtype=kind) < 9)

    assert law_or_refusal(body, as_run=True) == "refused"
    assert law_or_refusal(small, as_run=True) == {"True", "False"}


COMPLEX: list[Callable[[int], Any]] = [
    lambda x: random.random() * 1j,
    lambda x: json.dumps(random.random()),
    lambda x: json.dumps(random.randrange(10**6)),
]


@pytest.mark.parametrize("body", COMPLEX)
def test_what_stands_for_a_number_is_not_named_by_its_class(body: Callable[[int], Any]) -> None:
    with pytest.raises(LawError) as raised:
        program(**DATA, as_run=True)(body).law(0)
    assert "RunFloat" not in str(raised.value)
    assert "Whole" not in str(raised.value)

"""``float`` of a random float, as run: the same float, which code rounds or compares."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.mechanisms.user_laws import frozen


def law(function: Callable[[int], Any], dataset: int = 1) -> dict[Any, str]:
    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True, real_runs=50)(function)
    return {output: str(mass) for output, mass in made.law(dataset).items()}


def noisy(bit: int) -> Any:
    return np.float64(bit) + np.random.default_rng().laplace()


PAIRS: dict[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
    "compared": (lambda bit: float(noisy(bit)) > 0.5, lambda bit: bool(noisy(bit) > 0.5)),
    "rounded": (lambda bit: round(float(noisy(bit))), lambda bit: round(noisy(bit))),
    "divided": (
        lambda bit: round(float(noisy(bit) / 4)),
        lambda bit: round(noisy(bit) / 4),
    ),
    "cut": (lambda bit: int(float(noisy(bit)) * 2), lambda bit: int(noisy(bit) * 2)),
    "mapped": (
        lambda bit: [x > 0.5 for x in map(float, [noisy(bit)])],
        lambda bit: [bool(noisy(bit) > 0.5)],
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_float_of_a_random_float_changes_no_law(name: str) -> None:
    with_float, without = PAIRS[name]
    assert law(with_float) == law(without)


def test_numpy_and_python_round_to_digits_each_in_its_own_way() -> None:
    """Of 2.675, which is below its middle, NumPy makes 2.68."""

    def to_digits() -> Any:
        return np.float64(5.0) * np.random.default_rng().random()

    python = law(lambda bit: round(float(to_digits()), 2) + 0.0)
    numpy = law(lambda bit: round(to_digits(), 2) + 0.0)
    assert python.keys() == numpy.keys()
    assert python != numpy


class Metres(float):
    """A subclass that was made before the run."""


def used_otherwise(bit: int) -> Any:
    class Feet(float):
        def half(self) -> float:
            return self / 2

    def inner(x: float | None = None, y: list[float] | None = None) -> Any:
        return x

    draw = float(noisy(bit))
    match draw:
        case float():
            matched = True
        case _:
            matched = False
    return (
        draw > 0.5,
        matched,
        isinstance(draw, float),
        type(draw) is float,
        float("inf") > draw,
        float(),  # noqa: UP018
        float("1.5"),
        float.fromhex("0x1p3"),
        float.__name__,
        repr(float),
        np.zeros(2, dtype=float).dtype.name,
        np.asarray([1, 2], dtype=float).tolist(),
        isinstance(Feet(2.0), Feet) and Feet(3.0).half(),
        type(Metres(2)).__name__,
        Metres(2.0),
        inner(1.0),
        {float: "yes"}[type(draw)],
        issubclass(bool, float),
    )


def test_float_is_used_otherwise_as_before() -> None:
    (after, _), *more = [(output[1:], output[0]) for output in law(used_otherwise)]
    assert [one for one, _ in more] == [after]
    assert repr(after) == repr(frozen(used_otherwise(1))[1:])


def reason(function: Callable[[int], Any]) -> str:
    with pytest.raises(LawError) as refused:
        law(function)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_float_with_too_many_values_is_refused_with_what_to_write() -> None:
    def salary(bit: int) -> float:
        return float(np.float64(bit) + np.random.default_rng().laplace(scale=230_000.0))

    assert "more than 4096 values is returned" in reason(salary)
    assert "e.g. 10_000 * round(x / 10_000)" in reason(salary)
    assert len(law(lambda bit: 10_000 * round(salary(bit) / 10_000))) < 4096
    rounded = reason(lambda bit: round(salary(bit), 2))
    assert "values after rounding to 2 digits is returned" in rounded
    assert "; round more coarsely, so" in rounded
    text = reason(lambda bit: str(noisy(bit)))
    assert text.startswith("test_float_conversions.py:")
    assert "is used, as text" in text
    assert "e.g. round(x, 2)" in text
    assert len(law(lambda bit: round(float(noisy(bit)), 1) + 0.0)) < 4096


DIFFERENT: dict[str, tuple[Any, Any, str]] = {
    "zeros": (0.0, -0.0, "-0.0; add 0.0 to the output"),
    "zeros in a tuple": ((1, 0.0), (1, -0.0), "add 0.0 to the output"),
    "kinds": (1, True, "of types "),
    "kinds in a list": ([2, 1], [2, 1.0], "return plain values of one type"),
    "kinds in a mapping": ({"a": 1}, {"a": True}, "return plain values of one type"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_equal_outputs_that_differ_are_shown_with_what_differs(name: str) -> None:
    first, second, said = DIFFERENT[name]
    found = reason(lambda bit: first if np.random.random() < 0.5 else second)
    assert said in found
    shown = found.partition("one: ")[2].partition(";")[0]
    assert " and " in shown

"""Sub-samplers that are no function of arguments and draws: refused, or derived anew."""

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from dpaudit import program
from dpaudit.errors import LawError

KEPT: list[int] = []


class Counter:
    made = 0

    def __init__(self) -> None:
        self.drawn = 0

    def draw(self, source: Any) -> bool | None:
        self.drawn += 1
        return coin(source)


def coin(source: Any) -> bool | None:
    return True if source.bernoulli(Fraction(9, 10)) else None


def in_a_closure(random: Any) -> int:
    kept: list[int] = []

    def attempt(source: Any) -> bool | None:
        kept.append(1)
        return coin(source)

    random.until(attempt)
    return len(kept)


def through_a_method(random: Any) -> int:
    kept: list[int] = []
    add = kept.append

    def attempt(source: Any) -> bool | None:
        add(1)
        return coin(source)

    random.until(attempt)
    return len(kept)


def in_a_global(random: Any) -> int:
    KEPT.clear()

    def attempt(source: Any) -> bool | None:
        KEPT.append(1)
        return coin(source)

    random.until(attempt)
    return len(KEPT)


def in_a_class(random: Any) -> int:
    Counter.made = 0

    def attempt(source: Any) -> bool | None:
        Counter.made += 1
        return coin(source)

    random.until(attempt)
    return Counter.made


def in_an_object(random: Any) -> int:
    counter = Counter()
    random.until(counter.draw)
    return counter.drawn


def in_a_function(random: Any) -> int:
    def attempt(source: Any) -> bool | None:
        attempt.count = getattr(attempt, "count", 0) + 1  # type: ignore[attr-defined]
        return coin(source)

    random.until(attempt)
    return int(attempt.count)  # type: ignore[attr-defined]


def in_a_variable(random: Any) -> bool:
    seen = False

    def sampler(source: Any) -> None:
        nonlocal seen
        seen = source.bernoulli(Fraction(9, 10))

    random.sub(sampler)
    return seen


def from_an_iterator(made: Callable[[], Iterator[int]]) -> Callable[[Any], int]:
    def body(random: Any) -> int:
        numbers = made()

        def attempt(source: Any) -> bool | None:
            next(numbers)
            return coin(source)

        random.until(attempt)
        return next(numbers)

    return body


CHANGE: list[Callable[[Any], Any]] = [
    in_a_closure,
    through_a_method,
    in_a_global,
    in_a_class,
    in_an_object,
    in_a_function,
    in_a_variable,
    from_an_iterator(itertools.count),
    from_an_iterator(lambda: iter(range(10**6))),
    from_an_iterator(lambda: (n for n in range(10**6))),
]


@pytest.mark.parametrize("body", CHANGE)
def test_what_a_sub_sampler_changes_outside_of_it_is_refused(body: Callable[[Any], Any]) -> None:
    one = program(datasets=[0, 1], neighbours="all")(lambda x, random: body(random))
    with pytest.raises(
        LawError,
        match=r"a function of random\.sub (changes something|holds a random gen)|it changes",
    ):
        one.law(0)


def test_a_sub_sampler_is_derived_for_what_its_closure_holds() -> None:
    """The variable of the loop changes between two calls of one function."""

    def body(x: int, random: Any) -> tuple[bool, ...]:
        def step(source: Any) -> bool:
            return bool(source.integers(8) == 7 and source.bernoulli(Fraction(1, 2 + 50 * i * x)))

        found = []
        for i in range(2):  # noqa: B007  (the sampler reads it)
            found.append(random.sub(step))  # noqa: PERF401
        return tuple(found)

    one = program(datasets=[0, 1], neighbours="all")(body)
    assert [str(one.law(x)[False, True]) for x in (0, 1)] == ["15/256", "15/6656"]

"""Programs that leak once in 65,536 runs or less, through draws that compiled code makes.

A run that is repeated does not show that, and a profiling hook sees calls of Python code alone.
"""

import functools
import itertools
import operator
import os
import random as python_random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError

GENERATOR = np.random.default_rng(3)
TWISTER = python_random.Random(4)
PARTIAL = functools.partial(os.urandom, 2)
STREAM = map(os.urandom, itertools.repeat(2))
TABLE = {"draw": os.urandom}
LONG_TABLE: list[Any] = [os.urandom, *([i] for i in range(3000))]
ENDLESS_TABLE: list[Any] = []
"""Filled while this file is tried: audits look through all objects of their process."""
ZERO = b"\0\0"


def helper() -> bool:
    return next(map(os.urandom, [2])) == ZERO


class Holder:
    twister = TWISTER

    def leaks(self) -> bool:
        return next(map(self.twister.getrandbits, [20])) == 0


HOLDER = Holder()


def through_map() -> bool:
    return next(map(os.urandom, [2])) == ZERO


def through_a_partial_call() -> bool:
    return bool(PARTIAL() == ZERO)


def through_a_stream() -> bool:
    return next(STREAM) == ZERO


def through_a_numpy_generator() -> bool:
    return bool(next(map(GENERATOR.random, [None])) < 1e-5)


def through_a_generator() -> bool:
    return next(map(TWISTER.getrandbits, [20])) == 0


def through_an_import_inside() -> bool:
    from os import urandom

    return next(iter(functools.partial(urandom, 2), 1)) == ZERO


def through_a_module_inside() -> bool:
    import time as clock

    return next(iter(clock.time_ns, -1)) % (1 << 20) == 0


def through_a_helper() -> bool:
    return helper()


def through_a_table() -> bool:
    return next(map(TABLE["draw"], [2])) == ZERO


def through_a_long_table() -> bool:
    return bool(next(map(LONG_TABLE[0], [2])) == ZERO)


def through_a_table_that_is_not_read_to_its_end() -> bool:
    return bool(next(map(ENDLESS_TABLE[0], [2])) == ZERO)


def through_an_attribute() -> bool:
    return HOLDER.leaks()


def through_a_method_caller() -> bool:
    return bool(operator.methodcaller("getrandbits", 20)(TWISTER) == 0)


def through_an_address() -> bool:
    return id(object()) % (1 << 20) == 16


def through_a_closure() -> Callable[[], bool]:
    draw = os.urandom

    def leaks() -> bool:
        return next(map(draw, [2])) == ZERO

    return leaks


LEAKS = [through_map, through_a_partial_call, through_a_stream, through_a_numpy_generator,
         through_a_generator, through_an_import_inside, through_a_module_inside, through_a_helper,
         through_a_table, through_a_long_table, through_a_table_that_is_not_read_to_its_end,
         through_an_attribute, through_a_method_caller, through_an_address,
         through_a_closure()]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _endless_table() -> Iterator[None]:
    ENDLESS_TABLE.extend([os.urandom, *([i] for i in range(100_000))])
    yield
    ENDLESS_TABLE.clear()


def audited(body: Callable[[int, Any], Any]) -> Any:
    return dpaudit.check(program(datasets=[0, 1], neighbours="all", budget=1, name="body")(body))


@pytest.mark.parametrize("leaks", LEAKS, ids=lambda one: one.__name__)
def test_what_compiled_code_would_draw_is_refused(leaks: Callable[[], bool]) -> None:
    with pytest.raises(LawError, match=r"it passes|it uses id"):
        audited(lambda x, random: x if leaks() else 0)


@pytest.mark.parametrize(
    "body",
    [
        lambda x, random: (
            max(0, min(3, x + random.discrete_laplace(1) + int(time.time() * 0)))
            if x > 5
            else random.bernoulli("1/2")
        ),
        lambda x, random: (
            sorted([x + random.laplace(2), random.laplace(2)], key=float.__neg__)[0]
            if x > 5
            else max(map(abs, [1, 2]))
        ),
        lambda x, random: random.choice([0, 1]),
    ],
)
def test_what_is_named_and_called_is_left_to_what_watches_calls(body: Any) -> None:
    assert audited(body).results[0].pairs_covered == 1

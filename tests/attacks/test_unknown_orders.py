# ruff: noqa: C416, C420, PLC0208, RUF005, RUF015, SIM300  (written as in programs)
"""Programs whose answer depends on the order of a set, which is another in each process."""

import collections
import contextvars
import copy
import enum
import functools
import heapq
import io
import itertools
import logging
import marshal
import operator
import pickle
import pprint
import random
import statistics
import string
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpaudit.errors import LawError
from tests.attacks.test_hidden_numbers import READINGS, check_is_known


class Plain:
    """A class with no text and no hash of its own."""


class Colour(enum.Enum):
    RED, GREEN = 1, 2


class Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name == other.name

    def __repr__(self) -> str:
        return self.name


class Own(set[str]):
    pass


THING = Plain()
NAMES = {"a", "b", "c"}
FROZEN = frozenset(NAMES)
NO_WEIGHTS: dict[str, float] = {}
WEIGHTS = {"a": 0.1, "b": 0.2, "c": 0.3}
LOGGER = logging.getLogger("of a program")


def unpacked() -> Any:
    first, _, _ = NAMES
    return first


def looped() -> Any:
    for name in NAMES:
        return name
    return ""


def extended() -> Any:
    kept: list[str] = []
    kept += NAMES
    return kept[0]


def filled() -> Any:
    table: dict[str, int] = {}
    table.update({name: 1 for name in NAMES})
    return next(iter(table))


def first_missing() -> Any:
    try:
        return all(NO_WEIGHTS[name] for name in NAMES)
    except KeyError as error:
        return str(error)


def pickled() -> Any:
    file = io.BytesIO()
    pickle.Pickler(file).dump(NAMES)
    return file.getvalue()


def weakly() -> Any:
    first, second = Plain(), Plain()
    return next(iter(weakref.WeakSet([first, second]))) is first


def of_a_context() -> Any:
    first, second = contextvars.ContextVar[int]("a"), contextvars.ContextVar[int]("b")
    context = contextvars.copy_context()
    context.run(first.set, 1)
    context.run(second.set, 2)
    return [one.name for one in context]


def as_arguments(*given: str) -> Any:
    return given


def captured() -> Any:
    text = io.StringIO()
    print(NAMES, file=text)
    return text.getvalue()


ORDERS: dict[str, Callable[[], Any]] = {
    "a list of objects": lambda: list({Plain(), THING})[0] is THING,
    "next": lambda: next(iter({"a", "b"})),
    "a comprehension": lambda: [name for name in {"a", "b", "c"}],
    "min by a key": lambda: min(NAMES, key=len),
    "max by a key": lambda: max(NAMES, key=len),
    "sorted by a key": lambda: sorted(NAMES, key=len),
    "pop": lambda: set(NAMES).pop(),
    "join": lambda: "".join(NAMES),
    "pickle": lambda: pickle.dumps(NAMES),
    "an old pickle": lambda: pickle.dumps(NAMES, protocol=2),
    "a frozen pickle": lambda: pickle.dumps(FROZEN),
    "a pickler": pickled,
    "marshal": lambda: marshal.dumps(NAMES),
    "str": lambda: str(NAMES),
    "an f-string": lambda: f"{NAMES}",
    "print": captured,
    "fromkeys": lambda: list(dict.fromkeys(NAMES)),
    "ordered fromkeys": lambda: list(collections.OrderedDict.fromkeys(NAMES)),
    "Counter": lambda: list(collections.Counter(NAMES)),
    "choice": lambda: random.choice(list(NAMES)),
    "unpacked": unpacked,
    "a loop": looped,
    "+=": extended,
    "a dictionary": filled,
    "a tuple": lambda: tuple(NAMES),
    "a star": lambda: [*NAMES],
    "arguments": lambda: as_arguments(*NAMES),
    "members": lambda: [one.name for one in list({Colour.RED, Colour.GREEN})],
    "tuples": lambda: list({("a", 1), ("b", 2)}),
    "frozen": lambda: list(FROZEN),
    "a hash of its own": lambda: [one.name for one in list({Named("a"), Named("b")})],
    "a subclass": lambda: list(Own(NAMES)),
    "zip": lambda: next(zip(NAMES, [1, 2, 3], strict=True)),
    "map": lambda: next(map(str, NAMES)),
    "enumerate": lambda: next(enumerate(NAMES)),
    "reduce": lambda: functools.reduce(operator.add, NAMES),
    "mode": lambda: statistics.mode(NAMES),
    "nsmallest": lambda: heapq.nsmallest(1, NAMES, key=len),
    "deque": lambda: collections.deque(NAMES)[0],
    "chain": lambda: next(itertools.chain.from_iterable([NAMES])),
    "__reduce_ex__": lambda: NAMES.__reduce_ex__(2),
    "a computed name": lambda: next(operator.methodcaller("__iter__")(NAMES)),
    "nan": lambda: str(list({float("nan"), float("nan"), 1.0})),
    "nothing": lambda: list({None, 1, 2})[0],
    "keys": lambda: list({"a": 1, "b": 2}.keys() & NAMES),
    "sum": lambda: sum({("a",), ("b",)}, ()),
    "sum of floats": lambda: sum(WEIGHTS[name] for name in NAMES),
    "classes": lambda: [one.__name__ for one in list({int, str})],
    "Template": lambda: string.Template("$a").substitute(a=NAMES),
    "pprint": lambda: pprint.pformat({Named("a"), Named("b")}),
    "an error": first_missing,
    "a weak set": weakly,
    "a context": of_a_context,
    "a copy": lambda: list(copy.deepcopy(NAMES)),
    "an array": lambda: np.fromiter(NAMES, "U1")[0],
    "an index": lambda: pd.Index(list(NAMES))[0],
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_refused(name: str, reading: Callable[..., Any]) -> None:
    order = ORDERS[name]
    with pytest.raises(LawError, match=r"test_unknown_orders.py:\d+: it uses|it uses marshal"):
        reading(lambda x: x if order() == 12 else 0).law(1)


def of_small_numbers(x: int) -> Any:
    total = 0
    for one in {1, 2, x}:
        total = 10 * total + one
    return total, list({5, x}), {3, x}.pop(), sum({1, 2, x})


def printed(x: int) -> Any:
    print(THING)
    print(f"{THING!r} in {NAMES}", "and", THING, file=sys.stderr)
    LOGGER.warning("%s in %s", THING, NAMES)
    LOGGER.info(f"{THING} in {NAMES}")
    return x


ORDINARY: dict[str, Callable[[int], Any]] = {
    "sorted": lambda x: sorted({"b", "a", str(x)}) + sorted(NAMES - {"a"}),
    "sorted tuples": lambda x: sorted({("b", x), ("a", 1)}, reverse=True),
    "membership": lambda x: "a" in NAMES and str(x) not in NAMES,
    "operations": lambda x: len(NAMES | {str(x)}) + len(NAMES & FROZEN) + len(NAMES ^ {"a"}),
    "comparisons": lambda x: NAMES == {"a", str(x)} or FROZEN.issubset(NAMES) or NAMES >= FROZEN,
    "least and greatest": lambda x: min(NAMES) + max(NAMES) + str(x),
    "any": lambda x: any(name in "abc" for name in NAMES) and all(NAMES),
    "a set of a set": lambda x: len({name for name in NAMES if name != "a"}) + x,
    "a copy": lambda x: len(copy.deepcopy(NAMES)) + len(set(NAMES)) + x,
    "small numbers": of_small_numbers,
    "floats": lambda x: list({1.5, 2.5, float(x)}),
    "one entry": lambda x: list({"a"}) + [x],
    "no order of keys": lambda x: len({"a": x}.keys() & NAMES),
    "printed": printed,
    "isin": lambda x: int(pd.Series(["a", "z"]).isin(NAMES).sum()) + x,
    "columns": lambda x: pd.DataFrame({"a": [1], "b": [x]})["b"].tolist(),
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", ORDINARY)
@pytest.mark.usefixtures("capsys")
def test_what_shows_no_order_is_let_be(name: str, reading: Callable[..., Any]) -> None:
    check_is_known(ORDINARY[name], reading)


@pytest.mark.parametrize("reading", READINGS)
def test_a_set_is_an_output(reading: Callable[..., Any]) -> None:
    assert set(reading(lambda x: FROZEN if random.random() < 0.5 else x).law(1)) == {FROZEN, 1}


def test_slots_are_given_back() -> None:
    before = [vars(cls)[name] for cls, name in SLOTS]

    class Made:
        pass

    made: list[type] = []

    def body(x: int) -> int:
        class Inside:
            pass

        made[:] = [Inside]
        return x

    with pytest.raises(LawError):
        READINGS[0](body).law(1)
    assert [vars(cls)[name] for cls, name in SLOTS] == before
    assert "__init__" not in vars(np.ndarray)
    assert {made[0].__hash__, Made.__hash__} == {object.__hash__}
    assert {made[0]: 1, made[0](): 2}


SLOTS: list[tuple[type, str]] = [
    (set, "__iter__"),
    (frozenset, "__iter__"),
    (set, "pop"),
    (dict, "fromkeys"),
    (object, "__hash__"),
    (str, "__hash__"),
    (object, "__repr__"),
    (pickle.Pickler, "dump"),
]
"""Methods that are replaced while a program is explored."""

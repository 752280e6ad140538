"""Programs as run whose clocks, addresses and generators are called from compiled code alone.

Each leaks in so few runs that no repeated run shows it.
"""

import _random
import builtins
import collections
import datetime
import functools
import heapq
import itertools
import operator
import random
import ssl
import time
import uuid
from collections.abc import Callable
from time import time_ns as bound_early
from typing import Any

import pytest

from dpaudit import program
from dpaudit.errors import LawError

LOW = _random.Random(5)
HELD = [(_random.Random(6),)]
BOUND = _random.Random(9).random
METHOD = _random.Random.random
STREAM = iter(_random.Random(3).random, 2)
MAKER: Any = collections.defaultdict
TABLE = {"clock": [time.time_ns]}


class Kept:
    low, clock = _random.Random(8), time.perf_counter_ns


def in_a_default(low: Any = LOW) -> Any:
    return next(iter(low.random, 2)) < 1e-5


def a_clock_in_a_default(clock: Any = time.time_ns) -> Any:
    return next(iter(clock, -1)) % 2**20 == 0


def of_its_own_class() -> bool:
    class Own(_random.Random):
        pass

    return next(iter(Own().random, 2)) < 1e-5


def called(function: Any, *given: Any) -> Any:
    return next(itertools.starmap(function, [given]))


LEAKS: dict[str, Callable[[], Any]] = {
    "a global": lambda: next(iter(LOW.random, 2)) < 1e-5,
    "a map": lambda: next(map(LOW.getrandbits, [20])) == 0,
    "a partial call": lambda: next(iter(functools.partial(LOW.getrandbits, 20), -1)) == 0,
    "a tuple in a list": lambda: next(iter(HELD[0][0].random, 2)) < 1e-5,
    "a class": lambda: next(iter(Kept.low.random, 2)) < 1e-5,
    "a default": in_a_default,
    "bound before": lambda: next(iter(BOUND, 2)) < 1e-5,
    "a method of the class": lambda: next(map(METHOD, [LOW])) < 1e-5,
    "an iterator": lambda: next(STREAM) < 1e-5,
    "a base class": lambda: next(iter(random.Random.__mro__[1]().random, 2)) < 1e-5,
    "a method by name": lambda: operator.methodcaller("random")(LOW) < 1e-5,
    "a class of its own": of_its_own_class,
    "RAND_bytes": lambda: called(operator.methodcaller("RAND_bytes", 3), ssl) == bytes(3),
    "time_ns": lambda: called(operator.methodcaller("time_ns"), time) % 2**20 == 0,
    "an attribute": lambda: called(called(operator.attrgetter("time_ns"), time)) % 2**20 == 0,
    "an item": lambda: called(operator.itemgetter("time_ns")(vars(time))) % 2**20 == 0,
    "bound early": lambda: called(bound_early) % 2**20 == 0,
    "a clock in a default": a_clock_in_a_default,
    "a clock in a table": lambda: called(TABLE["clock"][0]) % 2**20 == 0,
    "a clock in a class": lambda: called(Kept.clock) % 2**20 == 0,
    "a factory": lambda: MAKER(time.time_ns)[0] % 2**20 == 0,
    "now": lambda: called(datetime.datetime.now).microsecond == 5,
    "now by name": lambda: operator.methodcaller("now")(datetime.datetime).microsecond == 5,
    "uuid1": lambda: uuid.uuid1().int % 2**20 == 5,
    "id": lambda: called(id, object()) % 2**20 == 16,
    "id by name": lambda: operator.methodcaller("id", [])(builtins) % 2**20 == 16,
    "id as a key": lambda: heapq.nsmallest(1, [[], []], key=id) == [[1]],
    "hash": lambda: called(hash, object()) % 2**20 == 16,
    "hash of a tuple": lambda: hash((object(), 1)) % 2**20 == 16,
    "__hash__": lambda: object().__hash__() % 2**20 == 16,
    "repr": lambda: called(repr, object()).endswith("abcd0>"),
    "str": lambda: "".join(map(str, [object()])).endswith("abcd0>"),
    "format": lambda: called("{}".format, object()).endswith("abcd0>"),
    "an f-string": lambda: f"{[object()]}".endswith("abcd0>]"),
    "a text that is converted": lambda: f"{object()!r}".endswith("abcd0>"),
}


@pytest.mark.parametrize("name", LEAKS)
def test_what_compiled_code_calls_is_refused(name: str) -> None:
    leaks = LEAKS[name]
    one = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(
        lambda x: x if leaks() else 0
    )
    with pytest.raises(LawError, match=r"it uses|it holds|it may use"):
        one.law(0)


ORDINARY: dict[str, Callable[[int], Any]] = {
    "texts": lambda x: "-".join(map(str, [x, "a", 1.5, None, (x,)])) + f"{x!r:>4} {[x]} %s" % x,
    "types": lambda x: type(str(x)) is str and {str: x}[type(str(x))] == x,
    "hashes": lambda x: hash((x, 1.5)) == hash((x, 1.5)),
    "keys": lambda x: sorted([("b", x), ("a", 1)], key=operator.itemgetter(0)),
    "reduced": lambda x: functools.reduce(operator.add, [x, 1, 2]),
    "dates": lambda x: str(datetime.datetime(2020, 1, 1) + datetime.timedelta(days=x)),
}


@pytest.mark.parametrize("name", ORDINARY)
def test_what_draws_from_nowhere_is_not_refused(name: str) -> None:
    body = ORDINARY[name]
    one = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(
        lambda x: str(body(x)) if random.random() < 0.5 else ""
    )
    assert set(one.law(1)) == {"", str(body(1))}

"""Programs that find an unknown number of the process: an address, a hash, a clock, a device.

Each leaks its data in so few runs that no repeated run shows it: what it uses must be refused.
"""

import array
import collections
import contextvars
import dataclasses
import datetime
import enum
import functools
import gc
import io
import itertools
import json
import operator
import os
import pathlib
import pprint
import random
import reprlib
import socket
import string
import sys
import threading
import time
import traceback
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.programs.rungs import on_rung


class Plain:
    """A class with no text and no hash of its own."""


THING = Plain()
END = "abcd0>"
SPECIFICATION = "%r"
TABLE: dict[Any, str] = {}
HELD: list[Callable[[object], int]] = [id]


def of_an_error() -> str:
    try:
        return str(TABLE[THING])
    except KeyError as error:
        return str(error)


def of_a_trace() -> str:
    try:
        raise ValueError(THING)
    except ValueError:
        return traceback.format_exc()


def printed() -> str:
    text = io.StringIO()
    print(THING, file=text)
    return text.getvalue().strip()


def in_a_dataclass() -> str:
    return str(dataclasses.make_dataclass("Made", ["thing"])(THING))


TEXTS: dict[str, Callable[[], Any]] = {
    "pprint": lambda: pprint.pformat(THING),
    "Template": lambda: string.Template("$a").substitute(a=THING),
    "operator.mod": lambda: operator.mod("%s", THING),
    "json": lambda: json.dumps([THING], default=repr),
    "%": lambda: "%s" % [THING][0],  # noqa: UP031
    "% of a name": lambda: SPECIFICATION % THING,
    "% of bytes": lambda: b"%r" % THING,
    "an f-string": lambda: f"{[THING][0]!r}",
    "format": lambda: "{}".format([THING]),  # noqa: UP032
    "a computed name": lambda: operator.methodcaller("".join(["__re", "pr__"]))(THING),
    "its own method": lambda: THING.__repr__() + "",
    "KeyError": of_an_error,
    "traceback": of_a_trace,
    "print": printed,
    "reprlib": lambda: reprlib.repr(THING),
    "a dataclass": in_a_dataclass,
    "a namespace": lambda: str(types.SimpleNamespace(a=THING)),
    "an array": lambda: str(np.array([THING], dtype=object)),
    "an array of texts": lambda: np.array([THING], dtype=object).astype(str)[0],
    "a series": lambda: pd.Series([THING]).astype(str)[0],
    "a function": lambda: pprint.pformat(of_a_trace),
    "a partial call": lambda: pprint.pformat(functools.partial(of_a_trace)),
    "a generator": lambda: pprint.pformat(one for one in [1]),
    "a method of a list": lambda: pprint.pformat([].append),
    "code": lambda: pprint.pformat(of_a_trace.__code__),
    "a lock": lambda: pprint.pformat(threading.Lock()),
    "an iterator": lambda: pprint.pformat(iter([])),
    "a weak reference": lambda: pprint.pformat(weakref.ref(THING)),
    "a view": lambda: pprint.pformat(memoryview(b"a")),
    "a variable": lambda: pprint.pformat(contextvars.ContextVar("a")),
}
"""Texts that show an address, by who makes them."""


class Colour(enum.Enum):
    RED = 1


NUMBERS: dict[str, Callable[[], Any]] = {
    "hash of a text": lambda: hash("abc"),
    "hash of bytes": lambda: hash(b"abc"),
    "hash of a tuple": lambda: hash((1, ("abc",))),
    "hash of a date": lambda: hash(datetime.date(2000, 1, 1)),
    "hash of a member": lambda: hash(Colour.RED),
    "hash of nothing": lambda: hash(None) if sys.version_info < (3, 12) else hash(Plain),
    "hash of a weak reference": lambda: hash(weakref.ref(THING)),
    "id": lambda: next(map(HELD[0], [THING])),
    "an array's place": lambda: np.zeros(3).__array_interface__["data"][0],
    "a buffer's place": lambda: array.array("d", [1]).buffer_info()[0],
    "references": lambda: next(map(sys.getrefcount, [None])),
    "referrers": lambda: len(gc.get_referrers(THING)),
    "blocks": lambda: next(itertools.starmap(sys.getallocatedblocks, [()])),
    "the process": lambda: next(itertools.starmap(os.getpid, [()])),
    "times": lambda: next(itertools.starmap(os.times, [()])).elapsed,
    "now": lambda: next(map(pd.Timestamp.now, [None])).microsecond,
    "NumPy's now": lambda: np.datetime64("now").astype(int),
    "NumPy's now in a list": lambda: np.array(["now"], dtype="M8[s]").astype(int)[0],
    "a file's time": lambda: os.stat("/").st_mtime_ns,
    "a file's time by path": lambda: os.path.getmtime("/"),
    "free blocks": lambda: os.statvfs("/").f_bfree,
    "a descriptor": lambda: os.open(os.devnull, os.O_RDONLY),
    "a socket": lambda: socket.socket().fileno(),
    "uptime": lambda: len(open("/proc/uptime").read(3)),  # noqa: SIM115
    "uptime by path": lambda: len(pathlib.Path("/proc/uptime").read_text()),
    "a raw file": lambda: io.FileIO("/dev/urandom").read(3)[0],
    "a raw clock": lambda: len(io.FileIO("/proc/uptime").read()),
    "a folder": lambda: len(os.listdir("/")[0]),
}
"""Unknown numbers, by where they come from."""


def shows(text: Callable[[], Any]) -> Callable[[], bool]:
    return lambda: str(text()).endswith(END)


def is_rare(number: Callable[[], Any]) -> Callable[[], bool]:
    return lambda: bool(number() % 2**40 == 16)


LEAKS: dict[str, Callable[[], bool]] = {
    **{name: shows(text) for name, text in TEXTS.items()},
    **{name: is_rare(number) for name, number in NUMBERS.items()},
}


def as_run(body: Callable[[Any], Any]) -> Any:
    return program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(body)


def ideal(body: Callable[[Any], Any]) -> Any:
    return on_rung(body, "ideal", datasets=[0, 1], neighbours="all", name="leak")


READINGS = (as_run, ideal)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", LEAKS)
def test_an_unknown_number_is_refused(name: str, reading: Callable[..., Any]) -> None:
    leaks = LEAKS[name]
    with pytest.raises(LawError, match=r"it uses|it may use|it holds"):
        reading(lambda x: x if leaks() else 0).law(1)


@dataclasses.dataclass(frozen=True)
class Record:
    name: str
    count: int


Pair = collections.namedtuple("Pair", "name count")


class Shown:
    def __repr__(self) -> str:
        return "Shown()"


class Keyed:
    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keyed) and self.name == other.name

    def __hash__(self) -> int:
        return hash((self.name, 1))


def counted(x: int) -> Any:
    return collections.Counter({Keyed("a"): x, Keyed("b"): 1})[Keyed("a")]


def raised(x: int) -> Any:
    try:
        raise ValueError(f"no {x!r} in {[1, 2]}")
    except ValueError as error:
        return str(error)


def by_method(x: int) -> Any:
    return {THING: x, len: 1, Plain: 2}[THING] + {THING.__eq__: x}[THING.__eq__]


def read(x: int) -> Any:
    return pathlib.Path(__file__).read_text()[:3] + str(os.path.exists("/proc")) + str(x)


ORDINARY: dict[str, Callable[[int], Any]] = {
    "texts": lambda x: "-".join(map(str, [x, "a", 1.5, None, (x,)])) + f"{x!r:>4} {[x]} %s" % x,
    "a dataclass": lambda x: f"{Record('a', x)} {Record('a', x) == Record('a', 1)}",
    "a dataclass as a key": lambda x: {Record("a", 1): x}[Record("a", 1)],
    "a named tuple": lambda x: f"{Pair('a', x)!r}",
    "a member": lambda x: f"{Colour.RED} {Colour.RED!r} {Colour(1).name} {x}",
    "a text of its own": lambda x: f"{Shown()} {[Shown()]} {x}",
    "a hash of its own": counted,
    "an exception": raised,
    "classes": lambda x: f"{Plain} {len} {Plain.__name__} {x}",
    "pprint": lambda x: pprint.pformat({"a": [x, (1.5, None)]}),
    "json": lambda x: json.dumps({"a": [x, 1.5, None]}),
    "hashes": lambda x: hash((x, 1.5)) == hash((x, 1.5)),
    "objects as keys": by_method,
    "a set": lambda x: sorted({"b", "a", str(x)}),
    "a file": read,
    "an array": lambda x: f"{np.array([x, 1.5])} {np.float64(x)!r} {np.empty(0)}",
    "a series": lambda x: f"{pd.Series([x, 2]).astype(str).tolist()} {pd.Series(['a', 'b'])}",
    "partial": lambda x: functools.partial(operator.add, x)(1),
    "a date": lambda x: str(datetime.date(2020, 1, 1 + x)),
}


def check_is_known(body: Callable[[int], Any], reading: Callable[..., Any]) -> None:
    """Check that a program has its law where its answer is a text of what is known."""
    law = reading(lambda x: str(body(x)) if random.random() < 0.5 else "").law(1)
    assert set(law) == {"", str(body(1))}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", ORDINARY)
def test_what_is_known_is_not_refused(name: str, reading: Callable[..., Any]) -> None:
    check_is_known(ORDINARY[name], reading)


def in_a_finaliser() -> int:
    class Timed:
        def __del__(self) -> None:
            SEEN.append(time.time_ns())

    Timed()
    return SEEN.pop() if SEEN else 0


SEEN: list[int] = []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("reading", READINGS)
def test_what_a_finaliser_uses_is_refused_quietly(
    reading: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(LawError, match=r"it uses time\.time_ns"):
        reading(lambda x: x if in_a_finaliser() % 2**20 == 16 else 0).law(1)
    assert capfd.readouterr().err == ""


def test_a_class_made_in_a_run_has_its_own_text_afterwards() -> None:
    kept: list[type] = []

    def body(x: int) -> int:
        class Made:
            pass

        kept[:] = [Made]
        return x ^ (random.random() < 0.5)

    with pytest.raises(LawError, match="every call changes kept"):
        as_run(body).law(1)
    assert repr(kept[0]()).endswith(">")
    assert object.__repr__ is vars(object)["__repr__"]
    assert type(object.__repr__) is types.WrapperDescriptorType

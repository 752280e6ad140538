# ruff: noqa: PLW0108, RUF005  (each is written as a program writes it)
"""Programs that find an unknown number by a library: NumPy, pandas, polars, SQLite and others."""

import array
import asyncio
import concurrent.futures
import decimal
import functools
import gc
import hashlib
import hmac
import io
import logging
import operator
import os
import pathlib
import pprint
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import tracemalloc
import types
import unittest.mock
import uuid
import weakref
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import sympy

from dpaudit.errors import LawError
from dpaudit.programs.guarding.slots import addresses_refused
from tests.attacks.test_hidden_numbers import READINGS, check_is_known

pc_random: Any = vars(pc)["random"]


class Plain:
    """A class with no text and no hash of its own."""


THING = Plain()
HASH, NOW = "".join(["__ha", "sh__"]), "".join(["n", "ow"])
SQL = sqlite3.connect(":memory:")


def asked(query: str, *given: Any) -> Any:
    return SQL.execute(query, *given).fetchone()[0]


def of_a_cursor() -> Any:
    with sqlite3.connect(":memory:") as own:
        return own.cursor().execute("select randomblob(3)").fetchone()[0]


def number_of_a_file() -> Any:
    with open(__file__) as file:
        return file.fileno()


def logged() -> Any:
    text = io.StringIO()
    logger = logging.Logger("own")
    logger.addHandler(logging.StreamHandler(text))
    logger.warning("%s", THING)
    return text.getvalue()


def heard() -> Any:
    times: list[float] = []

    class Hearing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            times.append(record.created)

    logger = logging.Logger("own")
    logger.addHandler(Hearing())
    logger.warning("now")
    return times[0]


def table() -> Any:
    return pl.DataFrame({"a": [1, 2, 3]})


NUMBERS: dict[str, Callable[[], Any]] = {
    "sample of polars": lambda: pl.Series([1, 2, 3]).sample(1)[0],
    "shuffle of polars": lambda: pl.Series([1, 2, 3]).shuffle()[0],
    "rows of polars": lambda: table().sample(1)["a"][0],
    "an expression of polars": lambda: table().select(pl.col("a").shuffle())["a"][0],
    "lists of polars": lambda: pl.Series([[1, 2, 3]]).list.sample(1)[0][0],
    "iterdir": lambda: next(pathlib.Path("/").iterdir()).name,
    "Path.stat": lambda: pathlib.Path("/").stat().st_mtime_ns,
    "Path.glob": lambda: next(pathlib.Path("/").glob("*")).name,
    "disk_usage": lambda: shutil.disk_usage("/").free,
    "sysconf": lambda: os.sysconf("SC_AVPHYS_PAGES"),
    "empty": lambda: np.empty(3)[0],
    "empty_like": lambda: np.empty_like(np.zeros(3))[0],
    "ndarray": lambda: np.ndarray((3,))[0],
    "recarray": lambda: np.recarray((3,), formats=["f8"])[0],
    "chararray": lambda: np.char.chararray((3,))[0],
    "a masked array": lambda: np.ma.empty(3)[0],
    "a date": lambda: np.datetime64(NOW, "us").astype(int),
    "an array's address": lambda: np.lib.array_utils.byte_bounds(np.zeros(1))[0],
    "addresses in bytes": lambda: np.array([THING], dtype=object).tobytes(),
    "text of a function": lambda: pprint.pformat(np.sum),
    "text of Cython": lambda: repr(pd.api.types.is_scalar),
    "hash by its name": lambda: operator.methodcaller(HASH)(THING),
    "hash of a text by its name": lambda: operator.methodcaller(HASH)("abc"),
    "hash by getattr": lambda: getattr(THING, HASH)(),
    "hash by attrgetter": lambda: operator.attrgetter(HASH)("abc")(),
    "hash of object": lambda: vars(object)[HASH](THING),
    "hash of a path": lambda: hash(pathlib.Path("/a")),
    "hash of code": lambda: hash(table.__code__),
    "hash of nan": lambda: hash(float("nan")),
    "hash of a decimal nan": lambda: hash(decimal.Decimal("nan")),
    "hash of NumPy's type": lambda: hash(np.dtype("f8")),
    "hash of a symbol": lambda: hash(sympy.Symbol("x")),
    "random of SQLite": lambda: asked("select random()"),
    "a cursor": of_a_cursor,
    "time of SQLite": lambda: asked("select datetime('now')"),
    "time as an argument": lambda: asked("select datetime(?)", ("now",)),
    "a timestamp of SQLite": lambda: asked("select current_timestamp"),
    "number of a file": number_of_a_file,
    "number of a thread": lambda: threading.current_thread().ident,
    "number of the main thread": lambda: threading.main_thread().native_id,
    "text of a thread": lambda: repr(threading.current_thread()),
    "text of weak values": lambda: repr(weakref.WeakValueDictionary()),
    "text of a future": lambda: repr(concurrent.futures.Future[int]()),
    "text of a lock": lambda: repr(asyncio.Lock()),
    "text of an event": lambda: repr(threading.Event()),
    "text of a hash": lambda: repr(hashlib.sha256()),
    "text of a code": lambda: repr(hmac.new(b"a", b"b", "sha256")),
    "text of an element": lambda: repr(ElementTree.Element("a")),
    "text of a mock": lambda: repr(unittest.mock.Mock()),
    "text of a namespace": lambda: str(types.SimpleNamespace(a=THING)),
    "text of a static method": lambda: repr(staticmethod(table)),
    "text of a cache": lambda: repr(functools.lru_cache(table)),
    "an arrow's address": lambda: pa.py_buffer(b"abc").address,
    "random of Arrow": lambda: pc_random(1)[0].as_py(),
    "the collector": gc.collect,
    "traced memory": lambda: tracemalloc.get_traced_memory()[0],
    "frames": lambda: next(iter(sys._current_frames())),
    "a temporary name": lambda: tempfile.mktemp(),
    "a logged address": logged,
    "a logged time": heard,
    "a record": lambda: logging.makeLogRecord({}).created,
    "a terminal": lambda: os.openpty()[0],
    "the clock in a file": lambda: np.loadtxt("/proc/uptime")[0],
    "the clock by pandas": lambda: len(pd.read_csv("/proc/uptime", header=None).to_string()),
    "a buffer by a computed name": lambda: getattr(array.array("d", [1]), "buffer_" + "info")(),
    "the time of pandas": lambda: pd.Timestamp(NOW).microsecond,
    "uuid": lambda: uuid.uuid1().int,
}
"""Unknown numbers, by where they come from."""


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", NUMBERS)
def test_an_unknown_number_is_refused(name: str, reading: Callable[..., Any]) -> None:
    number = NUMBERS[name]
    with pytest.raises(LawError, match=r"it uses|it may use|it holds"):
        reading(lambda x: x if number() == -12 else 0).law(1)


def in_sqlite(x: int) -> Any:
    with sqlite3.connect(":memory:") as own:
        own.execute("create table kept (a)")
        own.executemany("insert into kept values (?)", [(x,), (2,)])
        return own.execute("select sum(a), upper('a') from kept order by 1").fetchall()


ORDINARY: dict[str, Callable[[int], Any]] = {
    "SQLite": in_sqlite,
    "arrays": lambda x: [
        np.full(2, x).tolist(),
        np.ones(2).tolist(),
        np.linspace(0, x, 3).tolist(),
    ],
    "arrays of objects": lambda x: np.empty(2, dtype=object).tolist() + [x],
    "bytes": lambda x: np.array([x]).tobytes(),
    "a buffer": lambda x: np.ndarray((1,), buffer=np.array([1.5])).tolist() + [x],
    "dates": lambda x: str(np.datetime64("2020-01-01") + np.timedelta64(x, "D")),
    "polars": lambda x: pl.DataFrame({"a": [x, 2]}).select(pl.col("a").sum())["a"].to_list(),
    "frames": lambda x: pd.DataFrame({"a": [x, 2]}).groupby("a").size().tolist(),
    "paths": lambda x: pathlib.Path(__file__).exists() and pathlib.Path("a", str(x)).name,
    "hashes": lambda x: hash((x, 1.5)) == hash((x, np.float64(1.5))),
    "sha256": lambda x: hashlib.sha256(str(x).encode()).hexdigest(),
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", ORDINARY)
def test_what_is_known_is_not_refused(name: str, reading: Callable[..., Any]) -> None:
    check_is_known(ORDINARY[name], reading)


@pytest.mark.parametrize("seeded", ["random", "numpy.random"])
def test_a_seed_is_refused_where_tests_run(seeded: str) -> None:
    sys.modules[seeded].seed(7)
    draws = {"random": random.random, "numpy.random": np.random.random_sample}[seeded]
    with pytest.raises(LawError, match="has a fixed seed"):
        READINGS[0](lambda x: vars(sys.modules[seeded])[draws.__name__]() < 0.5).law(1)


def test_what_is_imported_while_datasets_are_explored_is_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The block around all datasets of an audit begins before a program's imports."""
    cls = vars(sys.modules["polars._plr"])["PyDataFrame"]
    real = vars(cls)["sample_n"]
    later = sys.modules["polars._plr"]
    with monkeypatch.context() as without:
        without.delitem(sys.modules, "polars._plr")
        with addresses_refused():
            assert vars(cls)["sample_n"] is real
            sys.modules["polars._plr"] = later
            for _ in range(2):  # at each dataset
                with addresses_refused():
                    assert vars(cls)["sample_n"] is not real
                assert vars(cls)["sample_n"] is real
    with addresses_refused():
        assert vars(cls)["sample_n"] is not real
    assert vars(cls)["sample_n"] is real

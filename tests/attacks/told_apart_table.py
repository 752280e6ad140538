# ruff: noqa: B009, PLW0108, SIM202, SIM300, UP031  (each is written as an attack writes it)
"""Programs that an unknown number may be told from a known one by, with their true laws.

Each row is a whole program.  Most give their dataset away where something is true of a draw, at a
few numbers out of many; what is true of which is found out by asking known numbers, one by one.
The rest hand arguments to NumPy and Python that these take at one dataset and not at the other.

``dpaudit.programs.unknowns.kinds.FAILS_CLOSED.off()`` lets them be told apart.
"""

import array
import bisect
import datetime
import decimal
import enum
import functools
import math
import operator
import os
import random
import secrets
import sys
import warnings
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["ROWS", "Row"]

VIP = np.array([17, 23, 42])
Law = dict[Any, Fraction]


@dataclass(frozen=True)
class Row:
    """A program, and what it gives."""

    name: str
    function: Callable[..., Any]
    """Called with a dataset; with a source of randomness as well if it is ``ideal``."""
    laws: dict[int, Law] = field(repr=False)
    """The true law at every dataset."""
    ideal: bool = False
    takes_arguments: bool = False
    """Whether it is about arguments of NumPy's, and what differs is not what is drawn."""

    @property
    def datasets(self) -> list[int]:
        """All datasets, each a neighbour of the others."""
        return list(self.laws)

    @property
    def delta(self) -> Fraction:
        """The δ for ε = ∞: the most that one dataset gives and another never does."""
        laws = self.laws.values()
        return max(
            sum((p for output, p in one.items() if output not in other), Fraction(0))
            for one in laws
            for other in laws
        )


class Loud(int):
    """A number that is equal to others by a rule of its own."""

    def __eq__(self, other: object) -> bool:
        return other == int(self) + 1

    __hash__ = int.__hash__


class Room(enum.IntEnum):
    """Numbers with names."""

    SEVEN = 7


class Badge:
    """Something that compares itself with numbers."""

    def __eq__(self, other: object) -> bool:
        return bool(other == 7)

    __hash__ = object.__hash__


class Unlike:
    """Something that tells by a rule of its own what it differs from."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return bool(other != 7)

    __hash__ = object.__hash__


def matched(k: Any) -> bool:
    match k:
        case 7 | 17:
            return True
        case 7.5:
            return True
    return False


@functools.singledispatch
def dispatched(k: Any) -> bool:
    return False


@dispatched.register(int)
@dispatched.register(np.integer)
def _(k: Any) -> bool:
    return bool(k == 7)


EQUALS_SEVEN = (7).__eq__
SEVEN = 7
TRUE_AT: dict[str, Callable[[Any], Any]] = {
    # NumPy's arrays, on either side
    "in an array": lambda k: k in VIP,
    "any equal": lambda k: np.any(k == VIP),
    "equal to any": lambda k: np.any(VIP == k),
    "all different": lambda k: not np.all(VIP != k),
    "different from all": lambda k: not np.all(k != VIP),
    "below": lambda k: np.sum(k < VIP) == 2,
    "above": lambda k: np.sum(k >= VIP) == 2,
    "array below": lambda k: np.sum(VIP < k) == 2,
    "array above": lambda k: np.sum(VIP >= k) == 2,
    "an array of floats": lambda k: k in np.array([17.0, 23.5]),
    "an array of small floats": lambda k: k in np.array([17.0, 23.5], dtype=np.float32),
    "an array of bytes": lambda k: k in np.array([17, 23], dtype=np.uint8),
    "an array of complex numbers": lambda k: k in np.array([17 + 0j, 1j]),
    "an array of objects": lambda k: k in np.array([17, None, "a"], dtype=object),
    "an array of texts": lambda k: k in np.array(["17", "a"]),
    "an array of one": lambda k: bool(np.array([17]) == k),
    "an array without axes": lambda k: bool(np.array(17) == k),
    "a masked array": lambda k: bool(np.any(np.ma.array([17, 23], mask=[False, True]) == k)),
    "a matrix": lambda k: k in np.arange(6).reshape(2, 3),
    "isin": lambda k: bool(np.isin(k, VIP)),
    "isin, a list": lambda k: bool(np.isin([k], [17, 23]).any()),
    "isin, inverted": lambda k: not bool(np.isin(k, VIP, invert=True)),
    "equal": lambda k: bool(np.equal(VIP, k).any()),
    "not_equal": lambda k: not bool(np.not_equal(k, VIP).all()),
    "less": lambda k: np.less(VIP, k).sum() == 1,
    "greater_equal": lambda k: np.greater_equal(k, VIP).sum() == 1,
    "searchsorted": lambda k: np.searchsorted(VIP, k) == 1,
    "digitize": lambda k: np.digitize(k, VIP) == 1,
    "where": lambda k: int(np.where(VIP == k, 1, 0).sum()),
    "where, itself": lambda k: int(np.where(np.array([True, False]), k, 0)[0]) == 7,
    "nonzero": lambda k: len(np.flatnonzero(VIP == k)),
    "array_equal": lambda k: np.array_equal(k, 7),
    "isclose": lambda k: bool(np.isclose(k, 7)),
    "clip": lambda k: int(np.clip(k, 7, 8)) == 7,
    "minimum": lambda k: int(np.minimum(k, 8)) == 7,
    "a sum": lambda k: 24 in VIP + k,
    "a difference": lambda k: 0 in VIP - k,
    "an argument of maximum": lambda k: int(np.argmax(VIP == k)) == 1,
    "count_nonzero": lambda k: np.count_nonzero(VIP == k),
    "unique": lambda k: len(np.unique([k, 7])) == 1,
    "a mask": lambda k: len(VIP[VIP == k]),
    # Other numbers
    "a complex number": lambda k: k == 7 + 0j,
    "a complex number, left": lambda k: 7 + 0j == k,
    "not a complex number": lambda k: not k != 7 + 0j,
    "in complex numbers": lambda k: k in [1j, 7 + 0j],
    "a set of complex numbers": lambda k: k in {1j, 7 + 0j},
    "NumPy's complex": lambda k: k == np.complex128(7),
    "NumPy's int": lambda k: np.int64(7) == k,
    "NumPy's small float": lambda k: k == np.float32(7),
    "NumPy's half float": lambda k: np.float16(7) == k,
    "NumPy's long float": lambda k: k == np.longdouble(7),
    "Decimal": lambda k: k == Decimal(7),
    "Decimal, left": lambda k: Decimal(7) == k,
    "Decimal, between": lambda k: Decimal("6.5") < k < Decimal("7.5"),
    "in Decimals": lambda k: k in [Decimal("7.00")],
    "Fraction": lambda k: Fraction(14, 2) == k,
    "Fraction, between": lambda k: Fraction(13, 2) < k < Fraction(15, 2),
    "a number with a rule of its own": lambda k: k == Loud(6),
    "a number with a name": lambda k: k == Room.SEVEN,
    "an object with a rule of its own": lambda k: k == Badge(),
    "different by a rule of its own": lambda k: not k != Unlike(),
    "in objects": lambda k: k in [None, "7", Badge()],
    # Containers
    "a list": lambda k: k in [None, "7", 7],
    "a tuple": lambda k: (1, k) == (1, 7),
    "a list of lists": lambda k: [k] in [[7], [17]],
    "a set": lambda k: k in {7, 17},
    "a dictionary": lambda k: {7: 1, 17: 1}.get(k, 0),
    "a dictionary's values": lambda k: k in {1: 7}.values(),
    "a dictionary's key": lambda k: {k: 1}.get(7, 0),
    "a counter": lambda k: Counter([k])[7],
    "a range": lambda k: k in range(7, 100, 1000),
    "a queue": lambda k: k in deque([7, 17]),
    "an array of Python's": lambda k: k in array.array("i", [7, 17]),
    "memory": lambda k: k in memoryview(b"\x07\x11"),
    "count": lambda k: [7, 17].count(k),
    "index": lambda k: [k, 7].index(7) == 0,
    "bisect": lambda k: bisect.bisect_left([6, 7, 8], k) == 1,
    "insort": lambda k: sorted([6, 7, 8, k]).index(k) == 1 and k == 7,
    "sorted": lambda k: sorted([k, 7, 8], key=lambda one: one != 7)[1] == 7,
    "a maximum": lambda k: max([k, 7]) == 7 and min([k, 7]) == 7,
    "match": matched,
    "singledispatch": dispatched,
    "lru_cache": functools.lru_cache(lambda k: k == 7),
    # Functions
    "operator.eq": lambda k: operator.eq(7, k),
    "operator.contains": lambda k: operator.contains([7], k),
    "operator.countOf": lambda k: operator.countOf([7], k),
    "operator.indexOf": lambda k: operator.indexOf([k, 7], 7) == 0,
    "map": lambda k: any(map(operator.eq, [7], [k])),
    "a text": lambda k: f"{k}" == "7",
    "a text of a text": lambda k: "%s" % (k,) == "7",
    "a bit": lambda k: k & 1 and k < 8 and k > 6,
    "divmod": lambda k: divmod(k, 50) == (0, 7),
    "a power": lambda k: pow(k, 2) == 49,
    "the size of an object": lambda k: sys.getsizeof(k - 7) != sys.getsizeof(1),
    # Identity, and slots by their name
    "is not": lambda k: not (k is not SEVEN),
    "is, left": lambda k: SEVEN is k,
    "is of a name of its own": lambda k, seven=7: k is seven,  # type: ignore[misc]
    "is a name": lambda k: k is SEVEN,
    "any is": lambda k: any(k is one for one in [7, 17]),
    "is of a sum": lambda k: (k - 7) is (SEVEN - 7),
    "operator.is_": lambda k: operator.is_(k, 7),
    "map of operator.is_": lambda k: any(map(operator.is_, [k], [7])),
    "a slot": lambda k: (7).__eq__(k) is True,
    "a slot, true": lambda k: (6).__lt__(k) and (8).__gt__(k),
    "a slot of the class": lambda k: int.__eq__(7, k) is True,
    "a slot of the float": lambda k: float.__eq__(7.0, k) is True,
    "a slot, mapped": lambda k: any(map((7).__eq__, [k])),
    "a slot, filtered": lambda k: list(filter((7).__eq__, [k])),
    "a slot, bound before": lambda k: any(map(EQUALS_SEVEN, [k])),
    "a slot, in part": lambda k: functools.partial((7).__eq__)(k),
    "a slot by methodcaller": lambda k: operator.methodcaller("__eq__", k)(7),
    "a slot by getattr": lambda k: getattr(7, "__eq__")(k),
    "a slot of NumPy's": lambda k: np.int64(7).__eq__(k),
    "a slot of a fraction": lambda k: Fraction(7).__eq__(k) is True,
    "a slot of a decimal": lambda k: Decimal(7).__eq__(k) is True,
    # Times
    "a time": lambda k: datetime.timedelta(days=1) * k == datetime.timedelta(days=7),
    "no time": lambda k: k == datetime.timedelta(days=7) or k == 7,
    # pandas
    "a series": lambda k: bool((pd.Series([17, 23]) == k).any()),
    "a series, right": lambda k: bool((k == pd.Series([17, 23])).any()),
    "a series of floats": lambda k: bool((k >= pd.Series([17.0, 23.5])).sum() == 1),
    "a series of categories": lambda k: bool((pd.Series([17, 23], dtype="category") == k).any()),
    "categories, right": lambda k: bool((k == pd.Series([17, 23], dtype="category")).any()),
    "a series with nothing": lambda k: bool((pd.Series([17, None], dtype="Int64") == k).any()),
    "nothing, right": lambda k: bool((k == pd.Series([17, None], dtype="Int64")).any()),
    "isin, pandas": lambda k: bool(pd.Series([k]).isin([7, 17])[0]),
    "isin, pandas, right": lambda k: bool(pd.Series([7, 17]).isin([k]).any()),
    "an index": lambda k: k in pd.Index([7, 17]),
    "an index, equal": lambda k: bool((pd.Index([7, 17]) == k).any()),
    "a frame": lambda k: bool((pd.DataFrame({"a": [7], "b": [17]}) == k).any().any()),
    "a frame, right": lambda k: bool((k == pd.DataFrame({"a": [7], "b": [17]})).any().any()),
    "values": lambda k: k in pd.Series([7, 17]).values,
    "between": lambda k: bool(pd.Series([7]).between(k, k).any()),
}  # fmt: skip
"""What is true of a whole number, at few: of 0, …, 99, or of 0, …, 199."""


def _given_away(
    name: str, asked: Callable[[Any], Any], draw: Callable[[], Any], values: list[Any]
) -> Row | None:
    """Return the program that gives its dataset away where something is true of a draw."""
    try:
        count = sum(bool(asked(one)) for one in values)
    except (TypeError, ValueError, IndexError, decimal.InvalidOperation):
        return None  # which a known number raises as well
    chance = Fraction(count, len(values))

    def function(x: int) -> int:
        return x if asked(draw()) else -1

    laws = {x: {x: chance, -1: 1 - chance} for x in (0, 1)}
    return Row(name, function, laws)


def _ideal(name: str, asked: Callable[[Any], Any]) -> Row | None:
    """Return the same of a draw of 0, 1, 2, … with probabilities 1/2, 1/4, 1/8, …."""
    try:
        held = [k for k in range(200) if asked(k)]
        beyond = bool(asked(10**6))
    except (TypeError, ValueError, IndexError, OverflowError, decimal.InvalidOperation):
        return None
    chance = sum((Fraction(1, 2 << k) for k in held), Fraction(beyond, 1 << 200))

    def function(x: int, source: Any) -> int:
        return x if asked(source.geometric("1/2")) else -1

    return Row(name, function, {x: {x: chance, -1: 1 - chance} for x in (0, 1)}, ideal=True)


def _rows_of_draws() -> list[Row]:
    found: list[Row | None] = []
    for name, asked in TRUE_AT.items():
        numpy = [np.int64(k) for k in range(200)]
        found += [
            _given_away(f"{name}: randrange", asked, lambda: random.randrange(100), [*range(100)]),
            _given_away(
                f"{name}: integers", asked, lambda: np.random.default_rng().integers(200), numpy
            ),
            _ideal(f"{name}: geometric", asked),
        ]
    return [row for row in found if row is not None]


ROUNDED: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "a float": (2**53, lambda k: k == 2.0**53),
    "a float, left": (2**53, lambda k: 2.0**53 == k),
    "at most a float": (2**53, lambda k: k <= 2.0**53),
    "above a float": (2**53, lambda k: k > 2.0**53),
    "below a float": (2**53, lambda k: k < 2.0**53 + 4),
    "at least a float": (2**53, lambda k: k >= 2.0**53 + 4),
    "not a float": (2**53, lambda k: k != 2.0**53 + 4),
    "NumPy's float": (2**53, lambda k: k == np.float64(2**53)),
    "an array of floats": (2**53, lambda k: k in np.array([2.0**53, 1.0])),
    "an array of floats, equal": (2**53, lambda k: bool((np.array([2.0**53]) == k)[0])),
    "searchsorted": (2**53, lambda k: int(np.searchsorted(np.array([1.0, 2.0**53]), k)) == 1),
    "a small float": (2**24, lambda k: k == np.float32(2**24)),
    "an array of small floats": (2**24, lambda k: k in np.array([2**24], dtype=np.float32)),
    "a half float": (2**11, lambda k: k == np.float16(2**11)),
    "a whole number": (2**53, lambda k: k == 2**53),
    "NumPy's whole number": (2**53, lambda k: k == np.int64(2**53)),
    "a Decimal": (2**53, lambda k: k == Decimal(2**53)),
    "a Fraction": (2**53, lambda k: k < Fraction(2**54 + 3, 2)),
    "a complex number": (2**53, lambda k: k == complex(2**53)),
}
"""What is true of whole numbers about a power of two, where floats lie further apart than they."""


def _integers(low: int, high: int) -> Any:
    return np.random.default_rng().integers(low, high)


def _randrange(low: int, high: int) -> int:
    return random.randrange(low, high)


def _rounded() -> list[Row]:
    found: list[Row | None] = []
    for name, (about, asked) in ROUNDED.items():
        low, high = about - 100, about + 100
        found += [
            _given_away(
                f"{name}, rounded: integers",
                asked,
                functools.partial(_integers, low, high),
                [np.int64(k) for k in range(low, high)],
            ),
            _given_away(
                f"{name}, rounded: randrange",
                asked,
                functools.partial(_randrange, low, high),
                [*range(low, high)],
            ),
        ]
    return [row for row in found if row is not None]


HALF = Fraction(1, 2)
OF_FLOATS: dict[str, tuple[Callable[[Any], Any], Fraction]] = {
    "a slot is true": (lambda u: (0.5).__lt__(u) is True, HALF - Fraction(1, 2**53)),
    "a slot, mapped": (lambda u: any(map((0.5).__le__, [u])), HALF),
    "a slot of the class": (lambda u: float.__ge__(0.25, u), Fraction(2**51 + 1, 2**53)),
    "a slot of int": (lambda u: int(u * 4).__eq__(3) is True, Fraction(1, 4)),
    "a complex number": (lambda u: (u > 0.5) + 0j == 1, HALF - Fraction(1, 2**53)),
    "an array": (lambda u: np.any(np.array([0.5, 2.0]) == u), Fraction(1, 2**53)),
    "in an array": (lambda u: u in np.array([0.5, 2.0]), Fraction(1, 2**53)),
    "above an array": (lambda u: (np.array([0.25, 0.5]) <= u).sum() == 1, Fraction(1, 4)),
    "below an array": (lambda u: (u < np.array([0.25, 0.5])).sum() == 1, Fraction(1, 4)),
    "searchsorted": (
        lambda u: np.searchsorted(np.array([0.25, 0.5]), u, side="right") == 1,
        Fraction(1, 4),
    ),
    "an array of large numbers": (
        lambda u: u * 2.0**54 == np.array([2**53 + 1]),
        Fraction(1, 2**53),
    ),
    "large numbers, left": (
        lambda u: np.array([2**53 + 1]) == u * 2.0**54,
        Fraction(1, 2**53),
    ),
    "a large number": (lambda u: u * 2.0**54 == np.int64(2**53 + 1), Fraction(1, 2**53)),
    "a large number of Python's": (lambda u: u * 2.0**54 == 2**53 + 1, Fraction(0)),
    "a Fraction": (lambda u: u < Fraction(1, 4), Fraction(1, 4)),
    "a Decimal": (lambda u: u < Decimal("0.25"), Fraction(1, 4)),
    "a Decimal, left": (lambda u: Decimal("0.25") > u, Fraction(1, 4)),
    "clip": (lambda u: np.clip(u, 0.25, 0.5) == 0.25, Fraction(2**51 + 1, 2**53)),
    "maximum": (lambda u: np.maximum(u, 0.25) == 0.25, Fraction(2**51 + 1, 2**53)),
    "a series": (lambda u: bool((pd.Series([0.25, 0.5]) <= u).sum() == 1), Fraction(1, 4)),
    "is": (lambda u: u is HALF, Fraction(0)),
}


def _of_floats() -> list[Row]:
    def row(name: str, asked: Callable[[Any], Any], chance: Fraction, draw: Any) -> Row:
        def function(x: int) -> int:
            return x if asked(draw()) else -1

        laws = {x: {out: p for out, p in ((x, chance), (-1, 1 - chance)) if p} for x in (0, 1)}
        return Row(name, function, laws)

    found = [row(f"{name}: random", *one, random.random) for name, one in OF_FLOATS.items()]
    for name, (asked, chance) in OF_FLOATS.items():
        known = Fraction(1, 2**53) if name == "a large number of Python's" else chance
        found.append(row(f"{name}: float64", asked, known, lambda: np.random.random(1)[0]))
    return found


# What NumPy and Python take and do not


def _taken(call: Callable[[Any, int], Any], made: Callable[[], Any]) -> Callable[[int], str]:
    def function(n: int) -> str:
        source = made()
        try:
            call(source, n)
        except Exception as error:
            return type(error).__name__
        return "taken"

    return function


CALLS: dict[str, Callable[[Any, int], Any]] = {
    "a size": lambda r, n: r.random(n - 1),
    "a size of a sum": lambda r, n: r.laplace(0, 1, n - 1),
    "a size of uniforms": lambda r, n: r.uniform(0, 1, size=n - 1),
    "a size of gumbel": lambda r, n: r.gumbel(size=n - 1),
    "a size of logistic": lambda r, n: r.logistic(0, 1, n - 1),
    "a size of a choice": lambda r, n: r.choice(3, n - 1),
    "a size of geometric": lambda r, n: r.geometric(0.5, n - 1),
    "a size of binomial": lambda r, n: r.binomial(2, 0.5, n - 1),
    "a size in a tuple": lambda r, n: r.random((1, n - 1)),
    "a size that is a float": lambda r, n: r.random((2, 2.0)[n]),
    "a size that is a text": lambda r, n: r.random((2, "2")[n]),
    "a size that is a list": lambda r, n: r.random(([2], [2.0])[n]),
    "a size that is true": lambda r, n: r.random((2, True)[n]),
    "a size that is nothing": lambda r, n: r.uniform(0, 1, (2, ())[n]),
    "a size of an array": lambda r, n: r.random(np.array([2, 2 - 3 * n])),
    "a type": lambda r, n: r.random(1, **({} if n else {"dtype": np.float64})),
    "a type that is none": lambda r, n: r.random(1, dtype=(np.float64, int)[n]),
    "an out": lambda r, n: r.random(**({"out": None} if n else {})),
    "an axis": lambda r, n: r.shuffle([1, 2], **({"axis": 0} if n else {})),
    "an axis that is not there": lambda r, n: r.shuffle(np.arange(2), **({"axis": 1} if n else {})),
    "a permutation along an axis": lambda r, n: r.permutation(2, **({"axis": 0} if n else {})),
    "a permutation of a float": lambda r, n: r.permutation((2, 2.5)[n]),
    "a permutation of a text": lambda r, n: r.permutation(([1, 2], "ab")[n]),
    "a shuffle of a tuple": lambda r, n: r.shuffle(([1, 2], (1, 2))[n]),
    "a shuffle of a text": lambda r, n: r.shuffle(([1, 2], "ab")[n]),
    "a shuffle of a number": lambda r, n: r.shuffle(([1, 2], 2)[n]),
    "a shuffle of what is fixed": lambda r, n: r.shuffle(fixed(n)),
    "a choice shuffled": lambda r, n: r.choice(3, 2, False, **({"shuffle": False} if n else {})),
    "a choice along an axis": lambda r, n: r.choice(3, **({"axis": 0} if n else {})),
    "a choice of nothing": lambda r, n: r.choice(([1], [])[n]),
    "none of nothing": lambda r, n: r.choice(([1], [])[n], 0),
    "a choice of a float": lambda r, n: r.choice((2, 2.0)[n]),
    "a choice of a text": lambda r, n: r.choice((2, "ab")[n]),
    "a choice of rows": lambda r, n: r.choice(([1, 2], [[1, 2]])[n]),
    "a choice of none": lambda r, n: r.choice((2, None)[n]),
    "too many": lambda r, n: r.choice(2, 2 + n, replace=False),
    "too many of those that may be": lambda r, n: r.choice(2, 1 + n, False, [1.0, 0.0]),
    "weights": lambda r, n: r.choice(2, p=[0.5, 0.5 + n / 10**6]),
    "weights of the sum": lambda r, n: r.choice(2, p=[0.5, 0.5 + n * 1.2e-8]),
    "small weights": lambda r, n: r.choice(2, p=np.array([0.5, 0.5001], (float, np.float32)[n])),
    "half weights": lambda r, n: r.choice(2, p=np.array([0.5, 0.51], (float, np.float16)[n])),
    "weights too many": lambda r, n: r.choice(2, p=[0.5] * (2 + n)),
    "weights below 0": lambda r, n: r.choice(2, p=([0.5, 0.5], [1.5, -0.5])[n]),
    "weights that are none": lambda r, n: r.choice(2, p=([0.5, 0.5], [float("nan")] * 2)[n]),
    "weights of texts": lambda r, n: r.choice(2, p=([0.5, 0.5], ["0.5", "0.5"])[n]),
    "weights in rows": lambda r, n: r.choice(2, p=([0.5, 0.5], [[0.5, 0.5]])[n]),
    "a name": lambda r, n: r.laplace(**({"scale": 1.0} if n else {"spread": 1.0})),
    "one more": lambda r, n: r.uniform(0, 1, None, *([None] * n)),
    "a scale of a text": lambda r, n: r.laplace(0, (1, "a")[n]),
    "a scale below 0": lambda r, n: r.laplace(0, 1 - 2 * n),
    "a complex scale": lambda r, n: r.laplace(0, (1, 1j)[n]),
    "a scale of none": lambda r, n: r.laplace(0, (1, None)[n]),
    "an array of scales": lambda r, n: r.laplace(0, (1, [-1.0])[n]),
    "a probability of a list": lambda r, n: r.geometric((0.5, [1.5])[n]),
    "a count of a float": lambda r, n: r.binomial((2, 2.5)[n], 0.5),
}  # fmt: skip
OF_THE_OLD: dict[str, Callable[[Any, int], Any]] = {
    "rand": lambda r, n: r.rand(n - 1),
    "rand of a float": lambda r, n: r.rand((2, 2.0)[n]),
    "rand of a tuple": lambda r, n: r.rand(*((2,), ((2,),))[n]),
    "randint, its size": lambda r, n: r.randint(5, size=n - 1),
    "randint, a text": lambda r, n: r.randint((5, "5")[n]),
    "randint, a type": lambda r, n: r.randint(5, dtype=(int, float)[n]),
    "randint, its end": lambda r, n: r.randint(0, 5, **({"endpoint": True} if n else {})),
    "randint of lists": lambda r, n: r.randint([5, 5 - 9 * n]),
    "exponential, its size": lambda r, n: r.exponential(1, n - 1),
    "exponential, a name": lambda r, n: r.exponential(**({"mean": 1} if n else {})),
    "standard_exponential, its size": lambda r, n: r.standard_exponential(n - 1),
    "random_sample, its size": lambda r, n: r.random_sample(n - 1),
    "ranf, its size": lambda r, n: r.ranf(n - 1),
    "bytes": lambda r, n: r.bytes((1, -1)[n]),
    "bytes of a float": lambda r, n: r.bytes((1, 1.0)[n]),
}
OF_THE_NEW: dict[str, Callable[[Any, int], Any]] = {
    "integers, its size": lambda r, n: r.integers(5, size=n - 1),
    "integers, a text": lambda r, n: r.integers((5, "5")[n]),
    "integers, a type": lambda r, n: r.integers(5, dtype=(int, float)[n]),
    "integers, the end": lambda r, n: r.integers(n, 0, endpoint=True),
    "integers, a name": lambda r, n: r.integers(**({"high": 5, "low": 0} if n else {"high": 5})),
    "a small type": lambda r, n: r.random(1, dtype=("float64", "float16")[n]),
    "a generator of nothing": lambda r, n: np.random.Generator() if n else r.random(),  # type: ignore[call-arg]
}


OF_PYTHON: dict[str, Callable[[Any, int], Any]] = {
    "bits below 0": lambda r, n: r.getrandbits(3 - 4 * n),
    "bits of a float": lambda r, n: r.getrandbits((3, 3.0)[n]),
    "bits of a text": lambda r, n: r.getrandbits((3, "3")[n]),
    "bits by name": lambda r, n: r.getrandbits(**({"k": 3} if n else {})),
    "bits of NumPy": lambda r, n: r.getrandbits(np.int64(3 + 60 * n)),
    "random of a number": lambda r, n: r.random(*([1] * n)),
    "a range of nothing": lambda r, n: r.randrange(1 - n),
    "a choice of nothing": lambda r, n: r.choice([1] * (1 - n)),
    "a sample too large": lambda r, n: r.sample([1], 1 + n),
    "random bytes below 0": lambda r, n: r.randbytes(1 - 2 * n),
    "bytes of the system": lambda r, n: os.urandom((1, -1)[n]),
    "bytes of the system, none": lambda r, n: os.urandom((0, 0.0)[n]),  # type: ignore[arg-type]
    "bytes of the system, by name": lambda r, n: os.urandom(**({"size": 1} if n else {"n": 1})),  # type: ignore[call-arg]
    "secret bits": lambda r, n: secrets.randbits((3, "3")[n]),  # type: ignore[arg-type]
    "a logarithm of three": lambda r, n: math.log(1 + r.random(), *[2.0] * (1 + n)),
    "a root by name": lambda r, n: math.sqrt(**({"x": r.random()} if n else {})),  # type: ignore[call-arg]
    "a power of 0": lambda r, n: math.pow(r.random() * (1 - n) + 1 - n, -1),
    "a power of a text": lambda r, n: math.pow(r.random(), (1, "1")[n]),  # type: ignore[arg-type]
}


def fixed(n: int) -> Any:
    found = np.arange(3)
    found.flags.writeable = not n
    return found


def _calls() -> list[Row]:
    """Return programs that give away whether arguments are taken; real functions are asked here."""
    found = []
    libraries: dict[str, tuple[Callable[[], Any], dict[str, Callable[[Any, int], Any]]]] = {
        "numpy.random": (lambda: np.random, CALLS | OF_THE_OLD),
        "Generator": (lambda: np.random.default_rng(), CALLS | OF_THE_NEW),
        "Python": (lambda: random, OF_PYTHON),
    }
    for library, (made, calls) in libraries.items():
        for name, call in calls.items():
            function = _taken(call, made)
            laws = {n: {function(n): Fraction(1)} for n in (0, 1)}
            found.append(Row(f"{name}: {library}", function, laws, takes_arguments=True))
    return found


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the numbers that are asked here make some
    ROWS: list[Row] = [*_rows_of_draws(), *_rounded(), *_of_floats(), *_calls()]

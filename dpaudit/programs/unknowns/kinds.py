"""The kinds of values that an unknown number may meet, and what is known of each.

Python and NumPy take what they do not know for no number: a slot of ``int`` returns
``NotImplemented``, which is true; what is left is a comparison of identities, which is False for
every number that the unknown may be.  So a kind that is not listed here is never answered for.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from types import FunctionType
from typing import Any

__all__ = [
    "ASKING",
    "BINARY",
    "FAILS_CLOSED",
    "OPERATORS",
    "PLAIN",
    "SLOTS",
    "SLOT_OF",
    "SWAPPED",
    "Switch",
    "answers_itself",
    "is_array",
    "is_never_equal",
    "kind_of_number",
    "numpy_numbers",
]


class Switch:
    """Switch of the refusals by unknown numbers of operations that they do not know."""

    def __init__(self) -> None:
        """Begin with it on."""
        self.on = True

    def __bool__(self) -> bool:
        """Tell whether it is on."""
        return self.on

    @contextmanager
    def off(self) -> Iterator[None]:
        """Let what is not known be answered by Python's and NumPy's defaults, as a test of them."""
        before, self.on = self.on, False
        try:
            yield
        finally:
            self.on = before


FAILS_CLOSED = Switch()
"""For tests alone: off, a program may tell an unknown number from a known one, so that it can be
shown that something else finds it out."""

SWAPPED = {"__lt__": "__gt__", "__le__": "__ge__", "__eq__": "__eq__", "__ne__": "__ne__"}
"""Methods that the right operand of a comparison is asked for, by those of the left."""
SWAPPED |= {swapped: name for name, swapped in SWAPPED.items()}
_SUMS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul", "and", "or",
    "xor", "lshift", "rshift",
)  # fmt: skip
BINARY = frozenset(SWAPPED) | {f"__{name}__" for name in _SUMS} | {f"__r{name}__" for name in _SUMS}
SLOTS = frozenset(
    {*BINARY, "__neg__", "__pos__", "__abs__", "__invert__", "__bool__", "__hash__"}
    | {f"__{name}__" for name in ("int", "float", "index", "trunc", "floor", "ceil", "round")}
)
"""Methods that operators and built-in functions ask of a number."""

OPERATORS: dict[str, tuple[Callable[..., Any], bool]] = {
    slot: (getattr(operator, slot), False)
    for slot in SLOTS - {"__hash__"}
    if hasattr(operator, slot)
}
OPERATORS |= {
    slot: (getattr(operator, slot.replace("__r", "__", 1)), True)
    for slot in SLOTS
    if slot not in OPERATORS and hasattr(operator, slot.replace("__r", "__", 1))
}
"""Function of each operator, and True if the other operand comes first."""
SLOT_OF = {
    "equal": "__eq__", "not_equal": "__ne__", "less": "__lt__", "less_equal": "__le__",
    "greater": "__gt__", "greater_equal": "__ge__", "add": "__add__", "subtract": "__sub__",
    "multiply": "__mul__", "divide": "__truediv__", "true_divide": "__truediv__",
    "floor_divide": "__floordiv__", "remainder": "__mod__", "power": "__pow__",
    "negative": "__neg__", "positive": "__pos__", "absolute": "__abs__", "fabs": "__abs__",
}  # fmt: skip
"""The operator that each function of NumPy is, number by number."""
ASKING = frozenset(
    """
    where isin any all sum max min amax amin array_equal concatenate stack hstack vstack append
    round around ravel reshape atleast_1d broadcast_to full_like count_nonzero shape ndim size
    """.split()  # noqa: SIM905
)
"""The functions of NumPy that ask numbers what operators ask, and nothing else."""

PLAIN = "plain"
"""A number of Python's own, of which everything is exact."""
_NUMBERS: tuple[type, ...] = (bool, int, float, Fraction, Decimal)
_OF_NUMPY = frozenset(
    """
    bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 longlong ulonglong intp uintp
    float16 float32 float64
    """.split()  # noqa: SIM905
)
_NO_NUMBERS: tuple[type, ...] = (
    str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice, deque, date, datetime,
    time, timedelta, type(None),
)  # fmt: skip
_NEVER_EQUAL = {kind.__eq__ for kind in (object, *_NO_NUMBERS)}


@lru_cache(maxsize=1)
def numpy_numbers() -> frozenset[type]:
    """Return NumPy's types of numbers that are followed; it is loaded for that."""
    import numpy as np

    return frozenset(getattr(np, name) for name in _OF_NUMPY if hasattr(np, name))


def kind_of_number(value: Any) -> str:
    """Return ``PLAIN`` for one of Python's numbers, the name of NumPy's; empty for no number.

    A class of a program's own that compares or calculates otherwise than its base is none.

    >>> kind_of_number(True), kind_of_number(1j)
    ('plain', '')
    """
    kind: Any = type(value)
    return _kind(kind)


@lru_cache(maxsize=1 << 10)
def _kind(kind: type) -> str:
    if kind.__module__ == "numpy":
        return kind.__name__ if kind.__name__ in _OF_NUMPY else ""
    for base in _NUMBERS:
        if issubclass(kind, base):
            same = all(getattr(kind, name, None) == getattr(base, name, None) for name in SLOTS)
            return PLAIN if same else ""
    return ""


@lru_cache(maxsize=1 << 10)
def is_never_equal(kind: type) -> bool:
    """Tell whether no number is equal to something of a kind: texts, lists, what has no ``==``."""
    return kind.__eq__ in _NEVER_EQUAL


@lru_cache(maxsize=1 << 10)
def answers_itself(kind: type, name: str) -> bool:
    """Tell whether a class has a method, written in Python, that is asked where a number is not.

    What that does with an unknown number is followed in turn.
    """
    asked = SWAPPED.get(name) or name.replace("__", "__r", 1)
    return isinstance(getattr(kind, asked, None), FunctionType) and not issubclass(kind, _NUMBERS)


def is_array(value: Any) -> bool:
    """Tell whether a value is an array of NumPy's own class, of numbers or of objects."""
    kind = type(value)
    if (kind.__module__, kind.__name__) != ("numpy", "ndarray"):
        return False
    dtype = value.dtype
    return dtype.kind == "O" or _kind(dtype.type) != ""

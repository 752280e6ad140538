"""Refusal of the order of a set whose entries have another hash in each process.

The hash of a text depends on a secret of the process, and that of most objects on their address.
What asks a set for its entries one after the other asks the slots of ``set`` and ``frozenset``
that are replaced while a program is explored.  What shows no order is let be: ``sorted``, ``min``,
``any``, operations of two sets, and loops of these that call nothing.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from threading import get_ident
from types import FrameType
from typing import Any

from dpaudit.programs.guarding.addresses import REFUSING, has_known_hash
from dpaudit.programs.guarding.consumers import Call, call_at, call_of_generator, step_at
from dpaudit.programs.guarding.devices import is_called_by
from dpaudit.programs.guarding.guards import is_own, is_program
from dpaudit.programs.guarding.printing import is_printed

__all__ = ["ORDERS", "check_order"]

_OF_A_SET = (
    "the order of a set of texts or objects, which is another in each process (sorted has one "
    "that stays)"
)
_ORDERED = frozenset({str, bytes, int, bool, Fraction, Decimal})
"""Types of which two values are equal, or one is less than the other."""
_ANY_ORDER: tuple[Any, ...] = (builtins.any, builtins.all, set, frozenset)
_SORTING: tuple[Any, ...] = (builtins.sorted, builtins.min, builtins.max)
_OF_SETS = {"&", "|", "^", "-", "&=", "|=", "^=", "-="}
_COPYING, _SORTS = "copy.py", ("pprint.py", "reprlib.py")
"""Files of Python's that make another set of a set, and that sort one if they can."""
_INSTALLED = "site-packages"
_ANY_ORDER_OF_LIBRARIES = ("isin", "is_in", "drop")
"""Functions of installed libraries that make nothing of the order of a set."""
_ENTRIES: dict[type, Callable[[Any], Any]] = {set: set.__iter__, frozenset: frozenset.__iter__}


def _kind_of(entry: Any) -> Any:
    """Return a type of which all values have an order; None for an entry without one."""
    if type(entry) is tuple:
        kinds = tuple(map(_kind_of, entry))
        return None if None in kinds else kinds
    return type(entry) if type(entry) in _ORDERED else None


def _shows_no_order(frame: FrameType, entries: list[Any]) -> bool:
    """Tell whether the instruction that runs gives the same for entries in any order."""
    step = step_at(frame)
    if step is None:
        return False
    if step.opname == "BINARY_OP":
        return step.argrepr in _OF_SETS
    if step.opname in ("COMPARE_OP", "SET_UPDATE"):
        return True
    if step.opname == "GET_ITER":
        call = call_of_generator(frame)
        plain = all(type(one) in _ORDERED for one in entries)
        return plain and (call == "<setcomp>" or (isinstance(call, Call) and _is_any(call)))
    call = call_at(frame)
    if call is None or call.method:
        return is_printed(frame)
    if _is_any(call):
        return all(type(one) in _ORDERED for one in entries)
    sorts = any(call.function is one for one in _SORTING) and "key" not in call.named
    if sorts and call.arguments - len(call.named) == 1 and _have_order(entries):
        return True
    return is_printed(frame)


def _have_order(entries: list[Any]) -> bool:
    """Tell whether all entries are of one type of which any two have an order."""
    kinds = set(map(_kind_of, entries))
    return len(kinds) == 1 and None not in kinds


def _is_any(call: Call) -> bool:
    return any(call.function is one for one in _ANY_ORDER) and call.arguments == 1


def check_order(entries: Any, frame: FrameType | None) -> None:
    """Refuse a program that asks for the order of a set, in a frame.

    Args:
        entries: the set.
        frame: what asks for it.
    """
    refuse = REFUSING[-1]
    if refuse is None or frame is None or not is_called_by(frame, is_program):
        return
    listed = list(_ENTRIES[set if isinstance(entries, set) else frozenset](entries))
    if all(map(has_known_hash, listed)):
        return
    if not _is_harmless(entries, listed, frame):
        refuse(_OF_A_SET)


def _is_harmless(entries: Any, listed: list[Any], frame: FrameType) -> bool:
    """Tell whether code that asks for the order of a set makes nothing of it."""
    file = frame.f_code.co_filename
    if is_own(file):
        return _shows_no_order(frame, listed)
    if _INSTALLED in file:  # whose own sets show no order
        return frame.f_code.co_name in _ANY_ORDER_OF_LIBRARIES or not _is_of_program(entries, frame)
    if file.endswith(_COPYING) or (file.endswith(_SORTS) and _have_order(listed)):
        return True
    return is_printed(frame)


def _is_of_program(entries: Any, frame: FrameType | None) -> bool:
    """Tell whether a program's own code has a set in a variable, while a library iterates."""
    while frame is not None:
        code = frame.f_code
        if is_own(code.co_filename):
            known = frame.f_globals
            values = (known[name] for name in code.co_names if name in known)
            held = (*frame.f_locals.values(), *values, *code.co_consts)
            return any(entries is one for one in held)
        frame = frame.f_back
    return False


def _iterating(real: Callable[..., Any], thread: int) -> Callable[..., Any]:
    """Return what begins to iterate over a set."""
    size = len

    def __iter__(self: Any) -> Any:  # noqa: N807  (it is the method)
        if REFUSING[-1] is not None and size(self) > 1 and get_ident() == thread:
            check_order(self, sys._getframe(1))
        return real(self)

    return __iter__


def _popping(real: Callable[..., Any], thread: int) -> Callable[..., Any]:
    """Return what takes the first entry of a set."""

    def pop(self: Any) -> Any:
        if REFUSING[-1] is not None and len(self) > 1 and get_ident() == thread:
            check_order(self, sys._getframe(1))
        return real(self)

    return pop


def _of_keys(real: Any, thread: int) -> Any:
    """Return what makes a dictionary of keys, which reads a set without its slots."""
    del thread

    def fromkeys(cls: Any, keys: Any, /, *value: Any) -> Any:
        if REFUSING[-1] is not None and isinstance(keys, (set, frozenset)) and len(keys) > 1:
            check_order(keys, sys._getframe(1))
        return real.__get__(None, cls)(keys, *value)

    return classmethod(fromkeys)


ORDERS: tuple[tuple[type, str, Callable[..., Any]], ...] = (
    (set, "__iter__", _iterating),
    (frozenset, "__iter__", _iterating),
    (set, "pop", _popping),
    (dict, "fromkeys", _of_keys),
)
"""Methods that are replaced, each with what makes its replacement."""

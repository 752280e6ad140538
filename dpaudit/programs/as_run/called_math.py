"""Functions of ``math`` of floats that may not be known.

That the C library's logarithms, exponentials and powers never fall where they should rise is
assumed, and said in the report; square roots are correctly rounded.
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from dpaudit.programs.as_run.floats import RunFloat
from dpaudit.programs.as_run.tables import table_of
from dpaudit.programs.guarding.guards import unheard

__all__ = ["REPLACED", "log", "log1p"]


def _rising(name: str, lowest: float | None = None, *, open_end: bool = True) -> Callable[..., Any]:
    """Return ``math.name`` for floats that may not be known; it raises below ``lowest``."""
    real = getattr(math, name)

    def function(x: Any, /) -> Any:
        return unheard(followed, x) if type(x) is RunFloat else real(x)

    def followed(x: Any) -> Any:
        if lowest is not None and (x <= lowest if open_end else x < lowest):
            raise ValueError("math domain error")
        return x._apply(f"math.{name}", real, assumed="" if name == "sqrt" else name)

    function.__name__ = name
    return function


log1p = _rising("log1p", -1.0)
_log = _rising("log", 0.0)


def log(x: Any, /, *base: Any) -> Any:
    """Return the logarithm, of any base."""
    if not isinstance(x, RunFloat) or len(base) > 1:
        return _LOG(x, *base)
    return _log(x) / _LOG(*base) if base else _log(x)


_LOG, _POW, _FABS = math.log, math.pow, math.fabs


def power(x: Any, y: Any, /) -> Any:
    """Return a power."""
    if isinstance(x, RunFloat) and not isinstance(y, RunFloat) and y < 0 and x == 0:
        raise ValueError("math domain error")
    if isinstance(x, RunFloat) or isinstance(y, RunFloat):
        return x ** float(y) if isinstance(x, RunFloat) else float(x) ** y
    return _POW(x, y)


def fabs(x: Any, /) -> Any:
    """Return the absolute value."""
    return abs(x) if isinstance(x, RunFloat) else _FABS(x)


_BISECT = bisect_right
_NUMBERS: frozenset[type] = frozenset({int, float})
_LARGEST = 1 << 53


def looked_up(a: Any, x: Any, /, lo: Any = 0, hi: Any = None, **named: Any) -> Any:
    """Return where ``bisect_right`` would insert a float that may not be known, by one decision."""
    if type(x) is RunFloat and not named and type(a) in (list, tuple) and type(lo) is int:
        last = len(a) if hi is None else hi
        ends = a[lo:last] if type(last) is int and 0 <= lo <= last <= len(a) else ()
        if ends and _NUMBERS.issuperset(map(type, ends)):
            return unheard(_in_table, a, x, lo, ends)
    return _BISECT(a, x, lo, hi, **named)


def _in_table(a: Any, x: RunFloat, lo: int, ends: Any) -> Any:
    exact = all(type(end) is float or abs(end) <= _LARGEST for end in ends)
    if not exact or not all(map(operator.le, (ends[0], *ends), ends)):
        return _BISECT(a, x, lo, lo + len(ends))  # nan is not in order, not even with itself
    return lo + x._cell(table_of(ends))


REPLACED: dict[Any, Callable[..., Any]] = {
    math.log: log,
    math.log1p: log1p,
    math.log2: _rising("log2", 0.0),
    math.log10: _rising("log10", 0.0),
    math.exp: _rising("exp"),
    math.expm1: _rising("expm1"),
    math.sqrt: _rising("sqrt", 0.0, open_end=False),
    math.tanh: _rising("tanh"),
    math.atan: _rising("atan"),
    math.pow: power,
    math.fabs: fabs,
    bisect_right: looked_up,
}
"""Stand-ins for functions of ``math``, and for ``bisect``, while a program is explored."""

"""Functions of ``math`` of floats that may not be known.

That the C library's logarithms, exponentials and powers never fall where they should rise is
assumed, and said in the report; square roots are correctly rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpaudit.programs.as_run.floats import RunFloat

__all__ = ["REPLACED", "log", "log1p"]


def _rising(name: str, lowest: float | None = None, *, open_end: bool = True) -> Callable[..., Any]:
    """Return ``math.name`` for floats that may not be known; it raises below ``lowest``."""
    real = getattr(math, name)

    def function(x: Any, /) -> Any:
        if not isinstance(x, RunFloat):
            return real(x)
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
}
"""Stand-ins for functions of ``math`` while a program is explored."""

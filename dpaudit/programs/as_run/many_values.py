"""Refusal of a random float whose values are too many to be listed, with what to write instead."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.programs.as_run.curves import MOST_VALUES, Curve, Span

__all__ = ["too_many_values"]

_ROUNDINGS = ("round", "numpy.round")
_TO_WHOLE = ("numpy.floor", "numpy.ceil", "numpy.rint", "numpy.trunc")


def too_many_values(curve: Curve, span: Span, *, returned: bool) -> str:
    """Return what is wrong with a float that has more than ``MOST_VALUES`` values.

    Args:
        curve: the float, as a function of its draw.
        span: where the draw lies.
        returned: whether it is returned, or used before the function ends.
    """
    what = "is returned" if returned else "is used, as text, as a key or in compiled code"
    values = f"more than {MOST_VALUES} values"
    verb = "round"
    if (left := _rounded(curve, span)) is not None:
        digits, count = left
        values = f"up to {count:,} values after rounding to {digits} digits"
        verb = "round more coarsely"
    return (
        f"a random float with {values} {what}, and dpaudit lists at most {MOST_VALUES}; {verb}, so "
        f"that at most {MOST_VALUES} values remain, e.g. {_coarse(curve, span)}"
    )


def _rounded(curve: Curve, span: Span) -> tuple[int, int] | None:
    """Return to how many digits a float was rounded last, and how many values that leaves at most.

    None for one that was not rounded.  What a function makes of it has no more values.
    """
    step: Any = curve
    while isinstance(step, Curve):
        name = next((part for part in step.key if isinstance(part, str)), "")
        digits = step.key[-1] if name in _ROUNDINGS else 0 if name in _TO_WHOLE else None
        if isinstance(digits, int):
            width = _width(step, span)
            return None if width is None else (digits, math.floor(width * 10.0**digits) + 1)
        step = step.key[0]
    return None


def _width(curve: Curve, span: Span) -> float | None:
    """Return how far a float's ends are apart; None where that is no finite number."""
    first, last = curve.ends(span)
    width = abs(float(last) - float(first))
    return width if math.isfinite(width) else None


def _coarse(curve: Curve, span: Span) -> str:
    """Return an expression that leaves few enough values of ``x``, in the range that it has."""
    width = _width(curve, span)
    if not width:
        return "round(min(max(x, low), high))"
    power = math.ceil(math.log10(width / (MOST_VALUES - 2)))
    if power > 0:
        step = f"{10**power:_}"
        return f"{step} * round(x / {step})"
    return f"round(x, {-power})" if power else "round(x)"

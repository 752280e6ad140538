"""Conversions of draws that ``int`` and ``float`` would decide."""

from __future__ import annotations

from typing import Any

from dpaudit.programs.unknowns.rounded import Rounded
from dpaudit.programs.unknowns.unknown import Unknown
from dpaudit.programs.unknowns.unknown_whole import Whole

__all__ = ["float_value", "whole_part"]


def whole_part(x: Any) -> Any:
    """Return int(x) of an unknown number, which stays open where it is not decided."""
    found = x.__trunc__() if isinstance(x, Unknown) else x
    if isinstance(found, Rounded):
        return found.as_int()
    if isinstance(found, Whole):
        return found.of_kind(int)
    return int(found)


def float_value(x: Any) -> Any:
    """Return float(x) of an unknown number."""
    if isinstance(x, Rounded):
        return x.as_float()
    return x if isinstance(x, Unknown) else float(x)

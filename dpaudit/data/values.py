"""Values of categories as text: which are whole numbers, and the order that they have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MAX_DIGITS", "ordered", "whole_number"]

MAX_DIGITS = 640
"""Longer whole numbers are not read: Python reads so many digits whatever limit is set."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMERAL = re.compile(r"[+-]*[0-9]+")
"""A whole number, or what has too many signs for one."""
_SHOWN = 20


def whole_number(text: str) -> int:
    """Return the whole number that a value is; ``ValueError`` says what is wrong with others.

    >>> whole_number("-12"), whole_number("+3")
    (-12, 3)
    """
    quoted = repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}…"
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{quoted}, which is not a whole number: write at most one sign, as in -1")
    if (digits := len(text.lstrip("+-"))) > MAX_DIGITS:
        raise ValueError(
            f"{quoted}, a whole number of {digits} digits; at most {MAX_DIGITS} are allowed"
        )
    return int(text)


def ordered(values: Iterable[str], last: str) -> list[str]:
    """Return values in order: as numbers if all are written as whole numbers, else as text.

    The value ``last`` comes last, so that it moves no other.  Raises ``ValueError`` for values that
    are all written as whole numbers, and one of which is none.

    >>> ordered(["10", "9", "(missing)"], "(missing)")
    ['9', '10', '(missing)']
    """
    distinct = sorted(set(values) - {last})
    if all(map(_NUMERAL.fullmatch, distinct)):
        distinct.sort(key=lambda value: (whole_number(value), value))
    return [*distinct, *(value for value in values if value == last)]

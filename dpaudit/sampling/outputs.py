"""Outputs made comparable: those of a sampler and those of a law, by the same rules.

What does not equal itself, has no hash, or is no output at all but an exception is shown as a word;
a set has no order.  None of these equals a text or a tuple that a sampler might return.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import isfinite, isnan
from typing import Any

import numpy as np

__all__ = ["Members", "Word", "key", "plain", "same", "text"]


class Word(str):
    """A word for what is no text; it equals no text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is a word, and the same."""
        return type(other) is Word and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Tell whether the other is no word, or another."""
        return not self == other

    def __hash__(self) -> int:
        """Return a hash that differs from that of the text."""
        return hash((Word, str(self)))


class Members(tuple[str, ...]):
    """The members of a set, in an order, after the word ``set``; it equals no tuple."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is a set with the same members."""
        return type(other) is Members and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Tell whether the other is no set, or another."""
        return not self == other

    def __hash__(self) -> int:
        """Return a hash that differs from that of the tuple."""
        return hash((Members, tuple(self)))


def text(value: Any) -> str:
    """Return the repr of a value, without addresses: which one it has is no output."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def plain(value: Any) -> Any:
    """Return a value without arrays, lists and sets."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return tuple(map(plain, value.tolist())) if value.ndim else plain(value.item())
    if isinstance(value, (set, frozenset)):  # whose order is no output
        return Members(("set", *sorted({text(_member(plain(one))) for one in value})))
    if isinstance(value, (Word, Members)):
        return value
    return tuple(map(plain, value)) if isinstance(value, (list, tuple)) else value


def _member(value: Any) -> Any:
    """Return a member of a set so that equal numbers have one repr."""
    if isinstance(value, Members):
        return value
    if isinstance(value, tuple):
        return tuple(map(_member, value))
    if isinstance(value, (int, Fraction)) or (isinstance(value, float) and isfinite(value)):
        exact = Fraction(value)
        return exact.numerator if exact.denominator == 1 else exact
    return value


def key(value: Any) -> Any:
    """Return something hashable for a plain value; what does not equal itself is a word."""
    if isinstance(value, (Word, Members)):
        return value
    try:
        hash(value)
    except TypeError:
        return Word(text(value))
    if isinstance(value, tuple):
        return tuple(map(key, value))
    return Word("nan") if isinstance(value, float) and isnan(value) else value


def same(value: Any) -> Any:
    """Return a key as outputs of laws are: a whole number is no float."""
    if isinstance(value, Members):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return tuple(map(same, value)) if isinstance(value, tuple) else value

"""Outputs made comparable: those of a sampler and those of a law, by the same rules.

What does not equal itself, has no hash, or is no output at all but an exception is shown as a word;
a set has no order.  None of these equals a text or a tuple that a sampler might return.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np

from dpaudit.errors import without_addresses

__all__ = [
    "Members",
    "Word",
    "key",
    "leaves",
    "nearest",
    "pattern",
    "plain",
    "same",
    "text",
    "words_of",
]

_NUMBERS = (int, float, Fraction, Decimal)


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
    return without_addresses(repr(value))


def plain(value: Any) -> Any:
    """Return a value without arrays, lists and sets."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return tuple(map(plain, value.tolist())) if value.ndim else plain(value.item())
    if isinstance(value, (set, frozenset)):  # whose order is no output
        return Members(("set", *sorted({text(_member(plain(member))) for member in value})))
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


def leaves(value: Any) -> tuple[Any, ...]:
    """Return the entries of a plain value, those of tuples in it one after the other.

    >>> leaves((1, (2, "a"))), leaves(3)
    ((1, 2, 'a'), (3,))
    """
    if not isinstance(value, tuple) or isinstance(value, Members):
        return (value,)
    if not any(isinstance(part, tuple) for part in value):
        return value
    return tuple(leaf for part in value for leaf in leaves(part))


def nearest(value: Any) -> float:
    """Return the float nearest to a number, infinite beyond all floats; nan for what is none.

    >>> nearest(2**60 + 1), nearest(-(10**400)), nearest("2")
    (1.152921504606847e+18, -inf, nan)
    """
    if not isinstance(value, _NUMBERS):
        return nan
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
    except ValueError:  # of a signalling nan
        return nan


def pattern(value: Any) -> Any:
    """Return a plain value without its numbers, and without the digits of its texts.

    >>> pattern((1.5, "a12-b")), pattern(10**400)
    (('number', "'a#-b'"), 'number')
    """
    if isinstance(value, tuple):
        return tuple(map(_pattern, value))
    return _pattern(value)


def _pattern(value: Any) -> str:
    number = isinstance(value, _NUMBERS) and not isinstance(value, bool)
    if number and not (isinstance(value, float) and not isfinite(value)):
        return "number"
    return re.sub(r"\d+", "#", text(value))


def words_of(value: Any) -> str:
    """Return the text that a plain value is, or shows; that of its entries with blanks between.

    >>> words_of(("yes", 1)), words_of(b"no")
    ('yes 1', 'no')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, tuple):
        return " ".join(map(words_of, value))
    return text(value)

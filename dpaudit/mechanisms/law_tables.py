"""Comparison of two tables of laws that a user's function gave, and their rational weights."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any

from dpaudit.errors import NumberSyntaxError
from dpaudit.laws.quotients import Quotients
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import Number, Real, real

__all__ = ["Table", "given_alike", "may_be_same_law", "quotients", "read_number", "same_law"]

Table = Mapping[Hashable, Real | Ball]
"""Outputs with their probabilities, read exactly."""

_EXACTLY_COMPARED = frozenset({int, str, float})
"""Types of which two equal numbers are read as the same."""
_PLAIN_TEXT = re.compile(r"(\d{1,40})(?:/(\d{1,40})|\.(\d{1,40}))?", re.ASCII)


@lru_cache(maxsize=4096, typed=True)
def read_number(weight: Number) -> Real:
    """Return a number read exactly, as :func:`~dpaudit.numbers.real.real` does."""
    return real(weight)


def quotients(weights: Mapping[Any, Any]) -> Quotients | None:
    """Return a table whose weights are all rational; None for any other, and for what is wrong."""
    if type(weights) is not dict:
        weights = dict(weights.items())
    values = weights.values()
    kinds = set(map(type, values))
    pairs: Iterable[tuple[int, int]]
    try:
        if len(kinds) == 1:
            pairs = map(_READERS.get(kinds.pop(), _other), values)
        else:
            pairs = (_READERS.get(type(weight), _other)(weight) for weight in values)
        return Quotients(dict(zip(weights, pairs, strict=True)))
    except (_NotRational, NumberSyntaxError, TypeError):
        return None


class _NotRational(Exception):  # noqa: N818  (an answer, not a failure)
    """A weight is no rational number."""


def _of_text(text: str) -> tuple[int, int]:
    found = _PLAIN_TEXT.fullmatch(text)
    if found is None:
        return _other(text)
    whole, below, decimals = found.groups()
    if below is not None:
        return Fraction(int(whole), int(below)).as_integer_ratio() if int(below) else _other(text)
    if decimals is None:
        return int(whole), 1
    return Fraction(int(whole + decimals), 10 ** len(decimals)).as_integer_ratio()


def _of_float(number: float) -> tuple[int, int]:
    return Decimal(repr(number)).as_integer_ratio() if isfinite(number) else _other(number)


def _other(weight: Any) -> tuple[int, int]:
    found = None if isinstance(weight, Ball) else read_number(weight).as_fraction()
    if found is None:
        raise _NotRational
    return found.as_integer_ratio()


_READERS: dict[type, Callable[[Any], tuple[int, int]]] = {
    int: int.as_integer_ratio,
    Fraction: Fraction.as_integer_ratio,
    float: _of_float,
    str: _of_text,
}


def given_alike(first: Any, second: Any) -> bool:
    """Tell whether two laws are certain to be read as the same, from what a function gave.

    False says nothing: only whole numbers, texts and floats are compared before they are read.
    """
    if type(first) is not dict or type(second) is not dict:
        return False
    kinds = list(map(type, first.values()))
    return (
        _EXACTLY_COMPARED.issuperset(kinds)
        and kinds == list(map(type, second.values()))
        and list(first.items()) == list(second.items())
    )


def same_law(first: Table, second: Table) -> bool:
    """Tell whether two tables are the same, weight for weight."""
    if isinstance(first, Quotients) and isinstance(second, Quotients):
        return first.pairs == second.pairs
    if first.keys() != second.keys():
        return False
    for output, weight in first.items():
        other = second[output]
        if isinstance(weight, Real) or isinstance(other, Real):
            if weight != other:
                return False
        elif not (weight.mid() == other.mid() and weight.rad() == other.rad()):
            return False
    return True


def may_be_same_law(first: Table, second: Table) -> bool:
    """Tell whether two tables may be one law: the same outputs, with balls that overlap."""
    if first.keys() != second.keys():
        return False
    for output, weight in first.items():
        here, other = (
            one.ball() if isinstance(one, Real) else one for one in (weight, second[output])
        )
        if not here.overlaps(other):
            return False
    return True

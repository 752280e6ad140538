"""Intervals of parameters as they are asked for: in options, in Python, in configurations."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.base import CATEGORIES
from dpaudit.mechanisms.parameters import (
    MARK,
    OVER_INTERVALS,
    intervals_among,
    is_interval,
    read_number,
)

__all__ = [
    "TAKEN",
    "Interval",
    "end_of",
    "interval_among",
    "read_interval",
    "read_named_interval",
]

TAKEN = "only eps, gamma, delta, prior, scale or sigma may be an interval FIRST..LAST"
_ALLOWED = "must be FIRST..LAST, two rational numbers with 0 < FIRST < LAST"

Interval = tuple[Fraction, Fraction]
"""A closed interval of nominal ε, or of another parameter."""


def read_interval(text: str, name: str = "eps") -> Interval:
    """Return the interval that ``text`` writes; ``UsageError``, about ``name``, for anything else.

    That of a prior is written once, for two categories, or as often as there are categories.

    >>> read_interval("1/10..2")
    (Fraction(1, 10), Fraction(2, 1))
    >>> read_interval("1/2..1,1/2..1,1/2..1", "prior")
    (Fraction(1, 2), Fraction(1, 1))
    """
    if name == "prior" and len(set(text.split(","))) == 1:
        text = text.split(",", maxsplit=1)[0]
    first, _, last = text.partition(MARK)
    if not is_interval(text) or "," in text or is_interval(last):
        alike = ", the same for every category" if name == "prior" else "; give a single one"
        raise ParameterError(name, f"{name} = {text}: an interval {_ALLOWED}{alike}")
    ends = [read_number(end, name).as_fraction() for end in (first, last)]
    low, high = ends
    if low is None or high is None or not 0 < low < high:
        raise DomainError(name, text, _ALLOWED)
    return low, high


def read_named_interval(text: str) -> tuple[str, Interval]:
    """Return the parameter and its interval that ``text`` writes, of ε where it names none.

    >>> read_named_interval("gamma = 1/2..2")
    ('gamma', (Fraction(1, 2), Fraction(2, 1)))
    """
    name, equals, interval = map(str.strip, text.partition("="))
    if not equals or name in ("eps", "epsilon"):
        return "epsilon", read_interval(interval if equals else name)
    if name not in OVER_INTERVALS:
        raise ParameterError("interval", f"{text.strip()}: {TAKEN}")
    return name, read_interval(interval, name)


def interval_among(parameters: Mapping[str, object]) -> tuple[str, Interval] | None:
    """Return the name and the interval of the parameter that is one; None if no parameter is.

    Raises ``UsageError`` for several, and for text that is no interval.
    """
    names = intervals_among(parameters)
    if not names:
        return None
    name = names[0]
    option = "eps" if name == "epsilon" else name
    if len(names) > 1:
        raise ParameterError(
            option,
            f"{' and '.join(names)}: only one parameter may be an interval; give numbers for the "
            "others",
        )
    return name, read_interval(str(parameters[name]), option)


def end_of(name: str, text: object, interval: Interval, k: object = None) -> str:
    """Return the end of an interval that a mechanism is made with, as text.

    It is the last ε, but the first value of any other parameter: the smallest δ is the strictest.

    Args:
        name: of the parameter.
        text: the interval as given; for a prior one for each category.
        interval: the interval.
        k: the number of categories, where it is given.
    """
    end = str(interval[name == "epsilon"])
    if name != "prior":
        return end
    several = str(text).count(",") + 1
    if several == 1:
        several = 2 if k is None else CATEGORIES.read(k)
    return ",".join([end] * several)

"""The values of terms that are rational arithmetic, exactly and without functions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.lists import entry

if TYPE_CHECKING:
    from dpaudit.claims.terms import Term

__all__ = ["ARITHMETIC", "MOST_CASES", "exact"]

MOST_CASES = 20_000
"""Largest number of values of a bound variable that are enumerated."""

_MOST_POWER = 400

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}

_COMPARED: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "same": operator.eq,
    "at_most": operator.le,
}


def exact(term: Term, at: Mapping[str, Fraction]) -> Fraction | None:
    """Return the value of a term that is rational arithmetic, or None where it is not."""
    match term.head:
        case "number":
            return Fraction(term.value)
        case "name":
            return at.get(str(term.value))
        case "entry" | "sum":
            return _exact_sum(term, at) if term.head == "sum" else _exact_entry(term, at)
        case "neg" | "+" | "-" | "*" | "/" | "^" | "abs" | "same" | "at_most":
            found = []
            for arg in term.args:
                known = exact(arg, at)
                if known is None:
                    return None
                found.append(known)
        case _:
            return None
    match term.head:
        case "neg":
            return -found[0]
        case "abs":
            return abs(found[0])
        case "same" | "at_most" as head:
            return Fraction(_COMPARED[head](found[0], found[1]))
        case "^":
            small = found[1].denominator == 1 and 0 <= found[1] <= _MOST_POWER
            return found[0] ** int(found[1]) if small else None
        case "/" if not found[1]:
            return None
    value = ARITHMETIC[term.head](found[0], found[1])
    return Fraction(value)


def _exact_entry(term: Term, at: Mapping[str, Fraction]) -> Fraction | None:
    number, index = at.get(str(term.args[0].value)), exact(term.args[1], at)
    return None if number is None or index is None else entry(number, index)


def _exact_sum(term: Term, at: Mapping[str, Fraction]) -> Fraction | None:
    index, low, high, body = term.args
    first, last = exact(low, at), exact(high, at)
    if first is None or last is None or first.denominator * last.denominator > 1:
        return None
    total = Fraction(0)
    for i in range(int(first), int(min(last, first + MOST_CASES)) + 1):
        part = exact(body, {**at, str(index.value): Fraction(i)})
        if part is None:
            return None
        total += part
    return total if last - first < MOST_CASES else None

"""Comparison of two tables of laws that a user's function gave."""

from __future__ import annotations

from collections.abc import Hashable

from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import Real

__all__ = ["Table", "may_be_same_law", "same_law"]

Table = dict[Hashable, Real | Ball]
"""Outputs with their probabilities, read exactly."""


def same_law(first: Table, second: Table) -> bool:
    """Tell whether two tables are the same, weight for weight."""
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

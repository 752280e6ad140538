"""The measure of trade-off functions, as the command, the function and the gate ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.notions.tradeoff_sweep import Tradeoffs, read_type_one

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.numbers.real import Number

__all__ = ["tradeoffs_at"]


def tradeoffs_at(at_type_one: Iterable[Number] | str) -> Tradeoffs:
    """Return the measure at these type I errors, also as a text like ``"1/10,1/2"``.

    Raises ``DomainError`` for one that is not rational from 0 to 1.
    """
    return Tradeoffs(read_type_one(at_type_one))

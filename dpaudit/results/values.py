"""The values that results are made of: budgets, verdicts, whole numbers of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dpaudit.exact.enclosure import Enclosure, decimal_text
from dpaudit.exact.real import ZERO, Real
from dpaudit.worded import Worded

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "INFINITE",
    "Budget",
    "Enclosure",
    "Natural",
    "Real",
    "Result",
    "Verdict",
    "decimal_text",
    "worst_verdict",
]

INFINITE = "infinite"
"""How many outputs there are where they do not end."""


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a result, with a line for each field; equal if all fields are."""


class Natural(int):
    """A whole number that may be too long for a number of JSON: documents have it as text."""


class Budget(msgspec.Struct, frozen=True):
    """A pair (ε, δ): P(S) ≤ e^ε·Q(S) + δ for all events S and neighbouring laws P and Q."""

    epsilon: Real
    """ε > 0."""
    delta: Real = msgspec.field(default_factory=lambda: ZERO)
    """δ in [0, 1); 0 for pure differential privacy."""

    @property
    def is_pure(self) -> bool:
        """Whether δ is 0."""
        return self.delta == ZERO

    def __str__(self) -> str:
        """Return the budget as text."""
        return f"ε = {self.epsilon}" if self.is_pure else f"({self.epsilon}, {self.delta})"


class Verdict(Worded):
    """How a mechanism stands to its budget.  It is deliberately not usable as a bool."""

    WITHIN = "within"
    """The certified upper end is at most the budget; a tie counts only if decided exactly."""
    EXCEEDS = "exceeds"
    """The certified lower end is above the budget, and a witness shows it."""
    UNDECIDED = "undecided"
    """The interval straddles the budget at the precision cap, or coverage was incomplete."""


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of the ``verdicts``: exceeds, then undecided (also if there are none)."""
    found = set(verdicts)
    if Verdict.EXCEEDS in found:
        return Verdict.EXCEEDS
    return Verdict.WITHIN if found == {Verdict.WITHIN} else Verdict.UNDECIDED

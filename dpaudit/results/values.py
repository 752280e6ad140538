"""The values that results are made of: exact numbers, enclosures, budgets and verdicts."""

from __future__ import annotations

import enum
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "INFINITE",
    "Budget",
    "Enclosure",
    "Exact",
    "Result",
    "Verdict",
    "decimal_text",
    "worst_verdict",
]

INFINITE = "infinite"
"""How many outputs there are where they do not end."""


class Exact:
    """A real number in closed form.

    What can be computed with it depends on who reads it: an audit reads
    :class:`dpaudit.exact.real.Real`, a recheck the text alone.
    """

    __slots__ = ()


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a result, with a line for each field; equal if all fields are."""


class Enclosure(msgspec.Struct, frozen=True, omit_defaults=True):
    """An interval [lower, upper] that contains the true value, and its closed form where known.

    ``lower`` and ``upper`` are decimals rounded outward; infinity is ``Decimal('Infinity')``.
    """

    lower: Decimal
    """A number certainly not above the true value."""
    upper: Decimal
    """A number certainly not below the true value."""
    exact: Exact | None = None
    """The true value in closed form, where it is known exactly."""

    @property
    def width(self) -> Decimal:
        """Return upper − lower (0 for an infinite value)."""
        return Decimal(0) if self.lower == self.upper else self.upper - self.lower

    def is_tight(self, digits: int) -> bool:
        """Tell whether the interval is at most 10^−digits wide."""
        return self.width <= Decimal(1).scaleb(-digits)

    @property
    def midpoint(self) -> float:
        """Return a float near the middle, for plots."""
        return float(self.lower / 2 + self.upper / 2)

    def texts(self) -> tuple[str, str]:
        """Return the two ends as text, for tables."""
        return decimal_text(self.lower), decimal_text(self.upper)

    def __contains__(self, value: Decimal | Fraction | int | str) -> bool:
        """Tell whether the interval contains an exactly given ``value``."""
        if isinstance(value, Decimal) and value.is_infinite():
            return value > 0 and self.upper.is_infinite()
        number = Fraction(value)
        below = self.lower.is_infinite() is False and Fraction(self.lower) <= number
        return below and (self.upper.is_infinite() or number <= Fraction(self.upper))

    def __str__(self) -> str:
        """Return the number, or the interval."""
        if self.lower == self.upper:
            return decimal_text(self.lower)
        return f"[{decimal_text(self.lower)}, {decimal_text(self.upper)}]"


def decimal_text(value: Decimal) -> str:
    """Return ``value`` as a decimal string; infinity is ``inf``.

    >>> decimal_text(Decimal("0.50")), decimal_text(Decimal("Infinity"))
    ('0.50', 'inf')
    """
    return "inf" if value.is_infinite() else str(value)


class Budget(msgspec.Struct, frozen=True):
    """A pair (ε, δ): P(S) ≤ e^ε·Q(S) + δ for all events S and neighbouring laws P and Q."""

    epsilon: Exact
    """ε > 0."""
    delta: Exact
    """δ in [0, 1); 0 for pure differential privacy."""


class Verdict(enum.Enum):
    """How a mechanism stands to its budget.  It is deliberately not usable as a bool."""

    WITHIN = "within"
    """The certified upper end is at most the budget; a tie counts only if decided exactly."""
    EXCEEDS = "exceeds"
    """The certified lower end is above the budget, and a witness shows it."""
    UNDECIDED = "undecided"
    """The interval straddles the budget at the precision cap, or coverage was incomplete."""

    def __bool__(self) -> bool:
        """Refuse: a verdict must never fall through an ``if``."""
        raise TypeError("a Verdict is not a bool; compare it with a member of Verdict")


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of the ``verdicts``: exceeds, then undecided (also if there are none)."""
    found = set(verdicts)
    if Verdict.EXCEEDS in found:
        return Verdict.EXCEEDS
    return Verdict.WITHIN if found == {Verdict.WITHIN} else Verdict.UNDECIDED

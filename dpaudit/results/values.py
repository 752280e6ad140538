"""The values that results are made of: numbers, intervals, budgets, verdicts.

Nothing here computes with numbers in closed form, so that whoever reads a report decides what they
are read as: :class:`dpaudit.numbers.real.Real` where audits are made, the text itself where they
are looked at a second time.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import msgspec

from dpaudit.arithmetic import DECIMALS
from dpaudit.closed import ClosedForm
from dpaudit.results.brief import Brief
from dpaudit.results.comparing import Comparable, float_down, float_up
from dpaudit.worded import Worded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.numbers.closed_form import Real

__all__ = [
    "GUARD_DIGITS",
    "INFINITE",
    "LARGEST_N",
    "AnyDocument",
    "Budget",
    "ClosedForm",
    "Count",
    "Digits",
    "Document",
    "Enclosure",
    "Natural",
    "Parameters",
    "Real",
    "Result",
    "Size",
    "UnseenMass",
    "Verdict",
    "decimal_text",
    "holds_set",
    "steady_repr",
    "worst_verdict",
]

INFINITE = "infinite"
"""Number of outputs of a law with infinitely many."""

GUARD_DIGITS = 3
"""Decimals kept beyond the digits asked for, so that rounding outward does not spoil them."""

Count = Annotated[int, msgspec.Meta(ge=0)]
"""Number of items, at least 0."""
LARGEST_N = 10_000_000
Size = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_N)]
"""A number n of records, of users or of queries."""
UnseenMass = Annotated[str, msgspec.Meta(pattern=r"^(0|1|0\.[0-9]+)$")]
"""A probability, as a decimal that is rounded up."""

Digits = Annotated[int, msgspec.Meta(ge=1, le=1000)]
"""Number of digits of intervals."""
Parameters = dict[str, str | list[str]]
"""A mechanism's name and its parameters, as text that reads back exactly."""


if not TYPE_CHECKING:
    Real = ClosedForm


class Result(Brief, msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A part of a result, with a line for each field; equal if all fields are."""


class Document(Result, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A whole result: its ``repr`` is a line, however much is in it."""

    def __repr__(self) -> str:
        """Return the name of the document and its verdict."""
        verdict = getattr(self, "verdict", None)
        verdict_text = "" if verdict is None else f": {getattr(verdict, 'value', verdict)}"
        return f"<{type(self).__name__} ({getattr(self, 'schema', '')}){verdict_text}>"


class AnyDocument:
    """Base of the reports that another document may hold, told by their ``schema``.

    A field of this type is read as the type that :func:`dpaudit.results.documents.documents` has
    for the ``schema`` in it.  No document with such a field is one of them, so that nothing is
    nested more than once.
    """

    __slots__ = ()
    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""


class Natural(int):
    """A whole number that may be too long for a number of JSON: documents have it as text."""


class Enclosure(
    Comparable, Brief, msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An interval [lower, upper] that contains the true value, and its closed form where known.

    ``lower`` and ``upper`` are decimals rounded outward; infinity is ``Decimal('Infinity')``.
    """

    lower: Decimal
    """A number certainly not above the true value."""
    upper: Decimal
    """A number certainly not below the true value."""
    exact: Real | None = None
    """The true value in closed form, where it is known exactly."""

    @property
    def width(self) -> Decimal:
        """Return upper − lower (0 for an infinite value)."""
        return Decimal(0) if self.lower == self.upper else DECIMALS.subtract(self.upper, self.lower)

    def is_tight(self, digits: int) -> bool:
        """Tell whether the interval is at most 10^−digits wide."""
        return self.width <= Decimal((0, (1,), -digits))

    def is_sharp(self, digits: int) -> bool:
        """Tell whether no narrower interval of so many digits would contain the number.

        Its ends are then the two such decimals next to the number, whoever computed it, and how.

        >>> Enclosure(Decimal("0.333333"), Decimal("0.333334")).is_sharp(3)
        True
        >>> Enclosure(Decimal("0.333333"), Decimal("0.333335")).is_sharp(3)
        False
        """
        if self.exact is not None or self.lower == self.upper:
            return True
        if self.upper.is_infinite() or not self.lower:
            return False
        whole = max(0, self.lower.adjusted() + 1)
        return Context(prec=digits + GUARD_DIGITS + whole).next_plus(self.lower) >= self.upper

    def without_noise(self, places: int) -> Enclosure:
        """Return the interval, rounded outward to the digits that say how wide it is.

        A radius is known to some nine digits, the last of which depend on the order of operations:
        seven are kept, and no more than so many decimal ``places``.

        >>> wide = Enclosure(Decimal("0.1234567890123"), Decimal("0.1234999999999"))
        >>> print(wide.without_noise(99))
        [0.12345678901, 0.12350000000]
        """
        if self.exact is not None or self.upper.is_infinite() or not self.width:
            return self
        least = max(-places, self.width.adjusted() - 6)
        if least >= 0:
            return self
        context = Context(prec=max(0, self.upper.adjusted()) - least + 2)
        return Enclosure(
            _coarser(self.lower, Decimal((0, (1,), least)), ROUND_FLOOR, context),
            _coarser(self.upper, Decimal((0, (1,), least)), ROUND_CEILING, context),
        )

    def rounded(self, digits: int) -> Enclosure:
        """Return the interval rounded outward to so many digits, which it may exceed by far."""
        lower = _fewer(self.lower, digits, ROUND_FLOOR)
        return Enclosure(lower, _fewer(self.upper, digits, ROUND_CEILING), self.exact)

    def float_down(self) -> float:
        """Return the largest float that is not above the lower end."""
        return float_down(self.lower)

    def float_up(self) -> float:
        """Return the smallest float that is not below the upper end."""
        return float_up(self.upper)

    @property
    def midpoint(self) -> float:
        """Return a float near the middle, for plots."""
        return float(DECIMALS.add(DECIMALS.divide(self.lower, 2), DECIMALS.divide(self.upper, 2)))

    def texts(self) -> tuple[str, str]:
        """Return the two ends as text, for documents and tables."""
        return decimal_text(self.lower), decimal_text(self.upper)

    def __contains__(self, value: Decimal | Fraction | int | str) -> bool:
        """Tell whether the interval contains an exactly given ``value``."""
        if isinstance(value, Decimal) and value.is_infinite():
            return value > 0 and self.upper.is_infinite()
        number = Fraction(value)
        below = self.lower.is_infinite() is False and Fraction(self.lower) <= number
        return below and (self.upper.is_infinite() or number <= Fraction(self.upper))

    def __str__(self) -> str:
        """Return the closed form, or the interval."""
        if self.lower == self.upper:
            return decimal_text(self.lower)
        return f"[{decimal_text(self.lower)}, {decimal_text(self.upper)}]"


def decimal_text(value: Decimal) -> str:
    """Return ``value`` as a decimal string; infinity is ``inf``.

    >>> decimal_text(Decimal("0.50")), decimal_text(Decimal("Infinity"))
    ('0.50', 'inf')
    """
    return "inf" if value.is_infinite() else DECIMALS.to_sci_string(value)


def _coarser(end: Decimal, step: Decimal, rounding: str, context: Context) -> Decimal:
    """Return ``end`` rounded to a multiple of ``step``, as it is where it is one."""
    rounded = end.quantize(step, rounding=rounding, context=context)
    return end if rounded == end else rounded or Decimal(0)


def _fewer(value: Decimal, digits: int, rounding: str) -> Decimal:
    """Return ``value`` rounded to so many digits and a few, those above 1 not counted."""
    if value.is_infinite():
        return value
    whole = max(0, value.adjusted() + 1)
    return Context(prec=digits + GUARD_DIGITS + whole, rounding=rounding).plus(value)


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pair (ε, δ): P(S) ≤ e^ε·Q(S) + δ for all events S and neighbouring laws P and Q."""

    epsilon: Real
    """ε > 0."""
    delta: Real
    """δ in [0, 1); 0 for pure differential privacy."""

    @property
    def is_pure(self) -> bool:
        """True if δ is 0."""
        return self.delta.is_zero

    def __str__(self) -> str:
        """Return the budget as text."""
        return f"ε = {self.epsilon}" if self.is_pure else f"({self.epsilon}, {self.delta})"


class Verdict(Worded):
    """Verdict on a mechanism and its budget; it cannot be used as a bool."""

    WITHIN = "within"
    """The certified upper end is at most the budget; a tie counts only if decided exactly."""
    EXCEEDS = "exceeds"
    """The certified lower end is above the budget, and a witness shows it."""
    UNDECIDED = "undecided"
    """The interval straddles the budget at the precision cap, or coverage was incomplete."""


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of the ``verdicts``: exceeds, then undecided (also if there are none)."""
    distinct = set(verdicts)
    if Verdict.EXCEEDS in distinct:
        return Verdict.EXCEEDS
    return Verdict.WITHIN if distinct == {Verdict.WITHIN} else Verdict.UNDECIDED


def holds_set(value: object) -> bool:
    """Tell whether a value is a set, or holds one, and so has another order in every process.

    >>> holds_set((1, frozenset("ab"))), holds_set((1, "ab"))
    (True, False)
    """
    if isinstance(value, dict):
        return any(map(holds_set, value.items()))
    return isinstance(value, (set, frozenset)) or (
        isinstance(value, (tuple, list)) and any(map(holds_set, value))
    )


def steady_repr(value: object) -> str:
    """Return the ``repr`` of a value with the members of sets sorted: one text in every process.

    >>> steady_repr((frozenset({"b", "a"}), 1))
    "({'a', 'b'}, 1)"
    """
    if not holds_set(value):
        return repr(value)
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(steady_repr, value)))}}}"
    if isinstance(value, dict):
        parts = [f"{steady_repr(key)}: {steady_repr(entry)}" for key, entry in value.items()]
        return f"{{{', '.join(parts)}}}"
    assert isinstance(value, (tuple, list))
    inside = ", ".join(map(steady_repr, value))
    if isinstance(value, list):
        return f"[{inside}]"
    return f"({inside}{',' * (len(value) == 1)})"

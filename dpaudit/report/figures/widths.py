"""Widths of the intervals of a figure, gathered and put in words for its caption.

Every interval that a figure draws is noted here on its way, so that the caption claims what was
drawn and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from dpaudit.results import Enclosure, decimal_text

__all__ = [
    "HIGHEST",
    "SEEN",
    "Known",
    "between",
    "interval",
    "listed",
    "reach",
    "rounded_up",
    "superscript",
    "width_text",
]

SEEN = 1 / 1000
"""Visible share of a panel's height: no panel has more than a thousand pixels."""

HIGHEST = 1e300
"""Largest value drawn at its own place: axes need room in floats."""

_NARROW = Decimal("0.001")
_LISTED = 4


@dataclass
class Known:
    """Widths of the intervals of one figure, by the quantity that they bound."""

    widest: dict[str, Decimal] = field(default_factory=dict)
    """The widest of those with two ends."""
    said: dict[str, list[str]] = field(default_factory=dict)
    """Values that are unbounded, or unknown, each with its places."""
    barred: bool = False
    """True if some of the intervals are wide enough to be seen."""
    named: bool = False
    """True if other series are exact or unknown, so that a single width needs a name too."""

    def note(self, quantity: str, value: Enclosure, where: str = "") -> Enclosure:
        """Note an interval, and return it."""
        if value.upper.is_infinite():
            if value.lower.is_finite():
                self.say("no upper end" if value.lower else "not known", where)
        else:
            self.widest[quantity] = max(self.widest.get(quantity, Decimal(0)), value.width)
        return value

    def say(self, statement: str, where: str) -> None:
        """Note that a ``statement`` is true at some place."""
        places = self.said.setdefault(statement, [])
        if where not in places:
            places.append(where)

    def clauses(self) -> list[str]:
        """Return the clauses of the caption about the noted intervals."""
        by_text: dict[str, list[str]] = {}
        for quantity, width in self.widest.items():
            by_text.setdefault(width_text(width), []).append(quantity)
        several = self.named or len(by_text) > 1
        parts = [
            f"{', '.join(quantities)} {text}" if several else text
            for text, quantities in by_text.items()
        ]
        if self.barred:
            parts.append("bars and bands hold the true value")
        return parts + listed(self.said)


def width_text(width: Decimal) -> str:
    """Return the words of a caption for intervals of at most this ``width``.

    >>> width_text(Decimal("3.2e-13")), width_text(Decimal("0.4101")), width_text(Decimal(0))
    ('certified to 10⁻¹²', 'known to intervals up to 0.42 wide', 'exact')
    """
    if not width:
        return "exact"
    if width > _NARROW:
        return f"known to intervals up to {rounded_up(width)} wide"
    exponent = width.adjusted()
    return f"certified to 10{superscript(exponent + (width > Decimal((0, (1,), exponent))))}"


def rounded_up(value: Decimal, digits: int = 2) -> str:
    """Return a few digits of a number that is not smaller.

    >>> rounded_up(Decimal("0.4101")), rounded_up(Decimal("1.234E-13"))
    ('0.42', '1.3E-13')
    """
    return decimal_text(Context(prec=digits, rounding=ROUND_CEILING).plus(value))


def reach(values: Iterable[Enclosure], *, above: float = -math.inf) -> list[float]:
    """Return the ends that an axis has to hold: the finite ones that are larger than ``above``."""
    ends = (float(end) for value in values for end in (value.lower, value.upper))
    return [min(end, HIGHEST) for end in ends if above < end < math.inf]


def listed(places_by_word: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a clause for each word with the first few of the places that it is said of.

    >>> listed({"undecided": ["n = 4", "n = 5"], "open": [""]})
    ['undecided: n = 4, 5', 'open']
    """
    clauses = []
    for word, every in places_by_word.items():
        places = [place for place in every if place]
        named = ", ".join(places[:_LISTED]).replace(", n = ", ", ")
        clauses.append(f"{word}: {named}{', …' * (len(places) > _LISTED)}" if places else word)
    return clauses


def superscript(exponent: int) -> str:
    """Return ``exponent`` in raised digits."""
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def between(low: Fraction, high: Fraction) -> Decimal:
    """Return the width of an interval with such ends, rounded up; 0 where they have crossed."""
    width = max(Fraction(0), high - low)
    context = Context(prec=6, rounding=ROUND_CEILING)
    return context.divide(Decimal(width.numerator), Decimal(width.denominator))


def interval(low: float, high: float) -> Enclosure:
    """Return the interval between two floats that bound something."""
    return Enclosure(Decimal.from_float(low), Decimal.from_float(high))

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
    """The intervals of one figure, by what they are of."""

    widest: dict[str, Decimal] = field(default_factory=dict)
    """The widest of those with two ends."""
    said: dict[str, list[str]] = field(default_factory=dict)
    """Values that are unbounded, or unknown, each with its places."""
    barred: bool = False
    """True if some of the intervals are wide enough to be seen."""
    named: bool = False
    """True if other series are exact or unknown, so that a single width needs a name too."""

    def note(self, what: str, value: Enclosure, where: str = "") -> Enclosure:
        """Note an interval, and return it."""
        if value.upper.is_infinite():
            if value.lower.is_finite():
                self.say("no upper end" if value.lower else "not known", where)
        else:
            self.widest[what] = max(self.widest.get(what, Decimal(0)), value.width)
        return value

    def say(self, what: str, where: str) -> None:
        """Note that ``what`` is so at some place."""
        places = self.said.setdefault(what, [])
        if where not in places:
            places.append(where)

    def clauses(self) -> list[str]:
        """Return what the caption says of it."""
        by_text: dict[str, list[str]] = {}
        for what, width in self.widest.items():
            by_text.setdefault(width_text(width), []).append(what)
        several = self.named or len(by_text) > 1
        found = [f"{', '.join(of)} {text}" if several else text for text, of in by_text.items()]
        if self.barred:
            found.append("bars and bands hold the true value")
        return found + listed(self.said)


def width_text(width: Decimal) -> str:
    """Return what intervals of at most this ``width`` are called.

    >>> width_text(Decimal("3.2e-13")), width_text(Decimal("0.4101")), width_text(Decimal(0))
    ('certified to 10⁻¹²', 'known to intervals up to 0.42 wide', 'exact')
    """
    if not width:
        return "exact"
    if width > _NARROW:
        return f"known to intervals up to {rounded_up(width)} wide"
    exponent = width.adjusted()
    return f"certified to 10{superscript(exponent + (width > Decimal(1).scaleb(exponent)))}"


def rounded_up(value: Decimal, digits: int = 2) -> str:
    """Return a few digits of a number that is not smaller.

    >>> rounded_up(Decimal("0.4101")), rounded_up(Decimal("1.234E-13"))
    ('0.42', '1.3E-13')
    """
    return decimal_text(Context(prec=digits, rounding=ROUND_CEILING).plus(value))


def reach(values: Iterable[Enclosure], *, above: float = -math.inf) -> list[float]:
    """Return the ends that an axis has to hold: those that are finite, and ``above`` something."""
    ends = (float(end) for value in values for end in (value.lower, value.upper))
    return [min(end, HIGHEST) for end in ends if above < end < math.inf]


def listed(found: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a clause for each word with the first few of the places that it is said of.

    >>> listed({"undecided": ["n = 4", "n = 5"], "open": [""]})
    ['undecided: n = 4, 5', 'open']
    """
    clauses = []
    for what, every in found.items():
        places = [place for place in every if place]
        shown = ", ".join(places[:_LISTED]).replace(", n = ", ", ")
        clauses.append(f"{what}: {shown}{', …' * (len(places) > _LISTED)}" if places else what)
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
    return Enclosure(Decimal(low), Decimal(high))

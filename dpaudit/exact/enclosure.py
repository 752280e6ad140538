"""Intervals of decimals that provably contain a real number: what leaves the program."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from dpaudit.exact.ball import PRECISION_CAP, bits_for_digits, precision
from dpaudit.exact.closed_form import Real  # noqa: TC001  (msgspec reads the annotations)
from dpaudit.exact.parse import MAX_LENGTH

if TYPE_CHECKING:
    from dpaudit.exact.ball import Ball

__all__ = ["GUARD_DIGITS", "Enclosure", "decimal_text", "enclose", "enclose_real", "unit_interval"]

GUARD_DIGITS = 3
"""Decimals kept beyond the digits asked for, so that rounding outward does not spoil them."""

_SMALLEST_EXPONENT = -40_000  # 2^-40000 is printed as an upper bound of 1E-12000
_LARGEST_EXPONENT = 40_000  # and 2^40000 as a lower bound of 1E+12000


class Enclosure(msgspec.Struct, frozen=True, omit_defaults=True):
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
        return Decimal(0) if self.lower == self.upper else self.upper - self.lower

    def is_tight(self, digits: int) -> bool:
        """Tell whether the interval is at most 10^−digits wide."""
        return self.width <= Decimal(1).scaleb(-digits)

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
            _coarser(self.lower, Decimal(1).scaleb(least), ROUND_FLOOR, context),
            _coarser(self.upper, Decimal(1).scaleb(least), ROUND_CEILING, context),
        )

    def rounded(self, digits: int) -> Enclosure:
        """Return the interval rounded outward to so many digits, which it may exceed by far."""
        lower = _fewer(self.lower, digits, ROUND_FLOOR)
        return Enclosure(lower, _fewer(self.upper, digits, ROUND_CEILING), self.exact)

    @property
    def midpoint(self) -> float:
        """Return a float near the middle, for plots."""
        return float(self.lower / 2 + self.upper / 2)

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


def _coarser(end: Decimal, step: Decimal, rounding: str, context: Context) -> Decimal:
    """Return ``end`` rounded to a multiple of ``step``, as it is where it is one."""
    rounded = end.quantize(step, rounding=rounding, context=context)
    return end if rounded == end else rounded or Decimal(0)


def decimal_text(value: Decimal) -> str:
    """Return ``value`` as a decimal string; infinity is ``inf``.

    >>> decimal_text(Decimal("0.50")), decimal_text(Decimal("Infinity"))
    ('0.50', 'inf')
    """
    return "inf" if value.is_infinite() else str(value)


def _round(value: Fraction, digits: int, rounding: str) -> Decimal:
    """Return ``value`` rounded in the given direction to ``digits`` + 3 digits after the point.

    Below 1 the digits count from the first significant one.
    """
    if not value:
        return Decimal(0)
    whole = Decimal(abs(value.numerator) // value.denominator).adjusted() + 1
    whole = whole if abs(value) >= 1 else 0
    context = Context(prec=digits + GUARD_DIGITS + whole, rounding=rounding)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _fewer(value: Decimal, digits: int, rounding: str) -> Decimal:
    """Return ``value`` as :func:`_round` would have rounded it."""
    if value.is_infinite():
        return value
    whole = max(0, value.adjusted() + 1)
    return Context(prec=digits + GUARD_DIGITS + whole, rounding=rounding).plus(value)


def enclose(x: Ball, digits: int) -> Enclosure:
    """Return the decimal interval of a non-negative quantity known by the ball ``x``.

    The quantity is known to be ≥ 0 (a divergence, a probability), so a negative lower end is 0.

    >>> from dpaudit.exact.real import real
    >>> print(enclose(real("1/3").ball(), 6))
    [0.333333333, 0.333333334]
    """
    if not x.is_finite():
        infinite = Decimal("Infinity")
        return Enclosure(infinite if x.is_exact() else Decimal(0), infinite)
    return Enclosure(
        max(Decimal(0), _bound(x.lower(), digits, ROUND_FLOOR)),
        max(Decimal(0), _bound(x.upper(), digits, ROUND_CEILING)),
    )


def _bound(end: Ball, digits: int, rounding: str) -> Decimal:
    mantissa, exponent = (int(part) for part in end.man_exp())
    if mantissa and exponent < _SMALLEST_EXPONENT - mantissa.bit_length():
        below = rounding == ROUND_FLOOR
        return Decimal(0) if below == (mantissa > 0) else Decimal((mantissa < 0, (1,), -12_000))
    if mantissa and exponent > _LARGEST_EXPONENT:
        below = rounding == ROUND_FLOOR
        if below == (mantissa > 0):
            return Decimal((mantissa < 0, (1,), 12_000))
        return Decimal("Infinity" if mantissa > 0 else "-Infinity")
    power = Fraction(2) ** exponent
    return _round(mantissa * power, digits, rounding)


def enclose_real(value: Real, digits: int) -> Enclosure:
    """Return the decimal interval of an exactly known non-negative real, with its closed form.

    A closed form too long to be read back is left out.

    >>> from dpaudit.exact.real import real
    >>> print(enclose_real(real("4/5"), 12), enclose_real(real("ln(3)"), 6))
    0.8 [1.098612288, 1.098612289]
    """
    rational = value.as_fraction()
    if rational is not None:
        interval = Enclosure(
            _round(rational, digits, ROUND_FLOOR), _round(rational, digits, ROUND_CEILING)
        )
    else:
        bits = bits_for_digits(digits + GUARD_DIGITS + 8)
        while True:  # terms that nearly cancel take more bits than the digits of their sum
            with precision(bits):
                interval = enclose(value.ball(), digits)
            if interval.is_tight(digits) or bits >= PRECISION_CAP:
                break
            bits *= 2
    text = str(value)
    return Enclosure(interval.lower, interval.upper, value if len(text) <= MAX_LENGTH else None)


def unit_interval(interval: Enclosure) -> Enclosure:
    """Return the part of ``interval`` in [0, 1]: a probability is known to lie there."""
    one = Decimal(1)
    return Enclosure(min(interval.lower, one), min(interval.upper, one), interval.exact)

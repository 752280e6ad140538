"""Intervals of decimals that provably contain a real number: what leaves the program."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from dpaudit.numbers.ball import PRECISION_CAP, Ball, bits_for_digits, precision
from dpaudit.numbers.closed_form import Real
from dpaudit.numbers.real import MAX_LENGTH
from dpaudit.results.values import GUARD_DIGITS, Enclosure, decimal_text

__all__ = [
    "GUARD_DIGITS",
    "Enclosure",
    "decimal_text",
    "enclose",
    "enclose_real",
    "exact_decimal",
    "unit_interval",
]

_SMALLEST_EXPONENT = -40_000  # 2^-40000 is printed as an upper bound of 1E-12000
_LARGEST_EXPONENT = 40_000  # and 2^40000 as a lower bound of 1E+12000


def exact_decimal(whole: int, places: int) -> Decimal:
    """Return whole·10^−places in all its digits: arithmetic of decimals would round to 28.

    >>> exact_decimal(25, 3), exact_decimal(0, 3), len(str(exact_decimal(10**40 + 1, 2)))
    (Decimal('0.025'), Decimal('0'), 42)
    """
    return Decimal(f"{whole}E-{places}") if whole else Decimal(0)


def _round(numerator: int, denominator: int, digits: int, rounding: str) -> Decimal:
    """Return a quotient rounded in the given direction to ``digits`` + 3 digits after the point.

    Below 1 the digits count from the first significant one.
    """
    if not numerator:
        return Decimal(0)
    whole = abs(numerator) // denominator
    before = Decimal(whole).adjusted() + 1 if whole else 0
    context = Context(prec=digits + GUARD_DIGITS + before, rounding=rounding)
    return context.divide(Decimal(numerator), Decimal(denominator))


def enclose(x: Ball, digits: int) -> Enclosure:
    """Return the decimal interval of a non-negative quantity known by the ball ``x``.

    The quantity is known to be ≥ 0 (a divergence, a probability), so a negative lower end is 0.

    >>> from dpaudit.numbers.real import real
    >>> print(enclose(real("1/3").ball(), 6))
    [0.333333333, 0.333333334]
    """
    if not x.is_finite():
        # A ball that is no number bounds nothing; only the exact +∞ is one.
        infinite = Decimal("Infinity")
        return Enclosure(infinite if x > 0 and x.is_exact() else Decimal(0), infinite)
    return Enclosure(
        max(Decimal(0), _bound(x.lower(), digits, ROUND_FLOOR)),
        max(Decimal(0), _bound(x.upper(), digits, ROUND_CEILING)),
    )


def _bound(end: Ball, digits: int, rounding: str) -> Decimal:
    mantissa, exponent = (int(part) for part in end.man_exp())
    # No decimal is so small or so large: the next one outward is.
    if mantissa and exponent < _SMALLEST_EXPONENT - mantissa.bit_length():
        below = rounding == ROUND_FLOOR
        return Decimal(0) if below == (mantissa > 0) else Decimal((mantissa < 0, (1,), -12_000))
    if mantissa and exponent > _LARGEST_EXPONENT:
        below = rounding == ROUND_FLOOR
        if below == (mantissa > 0):
            return Decimal((mantissa < 0, (1,), 12_000))
        return Decimal("Infinity" if mantissa > 0 else "-Infinity")
    return _round(mantissa << max(exponent, 0), 1 << max(-exponent, 0), digits, rounding)


def enclose_real(value: Real, digits: int) -> Enclosure:
    """Return the decimal interval of an exactly known non-negative real, with its closed form.

    A closed form too long to be read back is left out.

    >>> from dpaudit.numbers.real import real
    >>> print(enclose_real(real("4/5"), 12), enclose_real(real("ln(3)"), 6))
    0.8 [1.098612288, 1.098612289]
    """
    rational = value.as_fraction()
    if rational is not None:
        quotient = rational.numerator, rational.denominator
        interval = Enclosure(
            _round(*quotient, digits, ROUND_FLOOR), _round(*quotient, digits, ROUND_CEILING)
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

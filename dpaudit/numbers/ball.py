"""Balls: real numbers with a rigorous error bound, and the one place that compares them.

A :data:`Ball` is a midpoint with a radius (Johansson 2017, "Arb: efficient arbitrary-precision
midpoint-radius interval arithmetic"); every operation returns a ball that contains the true result
for all inputs contained in the operands.  ``x < y`` on balls answers ``False`` for "unknown", so
no code outside this module uses a comparison of balls as a truth value: it asks :func:`sign`,
:func:`certainly_less` or :func:`decide_sign`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import __FLINT_VERSION__, ctx, fmpq, fmpz
from flint import arb as Ball  # noqa: N812  (Arb is the library; a ball is what it is)

from dpaudit.errors import PrecisionError
from dpaudit.worded import Worded

__all__ = [
    "FACTORED_BITS",
    "PRECISION_CAP",
    "Ball",
    "PrecisionNeeded",
    "Sign",
    "ball",
    "bits_for_digits",
    "certainly_less",
    "certainly_less_or_equal",
    "contenders",
    "decide_sign",
    "factorise",
    "fixed_point",
    "fixed_point_below",
    "flint_version",
    "gamma",
    "infinite_ball",
    "integer_power",
    "log_gamma",
    "lower_fraction",
    "maximum",
    "minimum",
    "nonnegative",
    "pi_ball",
    "precision",
    "quotient",
    "rational_log",
    "sign",
    "upper_fraction",
    "working_digits",
    "working_precision",
]

DEFAULT_PRECISION = 128
"""Working precision, in bits, where nothing else is asked for."""

PRECISION_CAP = 4096
"""Working precision, in bits, at which an undecided comparison is reported as undecided."""


FACTORED_BITS = 160
"""Integers of more bits are not factored."""


_MOST_BITS = 1 << 24
"""Rationals of more bits are not written out."""

_TOO_LONG = "a number is too large, or too near 0, to be written out"


class PrecisionNeeded(ArithmeticError):  # noqa: N818  (a request, answered by trying again)
    """A computation asks to be repeated with more bits; whoever set the precision answers it."""


class Sign(Worded):
    """Sign of a real number, as far as it is certain.  It is deliberately not usable as a bool."""

    NEGATIVE = "certainly below zero"
    ZERO = "exactly zero"
    POSITIVE = "certainly above zero"
    UNDECIDED = "not separated from zero"


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with ``bits`` bits of working precision inside the block, and restore it after.

    >>> before = working_precision()
    >>> with precision(200):
    ...     working_precision()
    200
    >>> working_precision() == before
    True
    """
    before: int = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def flint_version() -> str:
    """Return the version of the library that computes with balls."""
    return str(__FLINT_VERSION__)


def working_precision() -> int:
    """Return the working precision in force, in bits."""
    return int(ctx.prec)


def bits_for_digits(digits: int) -> int:
    """Return how many bits resolve ``digits`` decimal digits, with room for a long computation."""
    return int(digits * 3.3219280948873626) + 32


def working_digits() -> int:
    """Return how many decimal digits the working precision resolves."""
    return working_precision() * 30103 // 100_000


def ball(value: int | Fraction) -> Ball:
    """Return the ball of an exact rational at the working precision.

    >>> str(ball(Fraction(1, 4)))
    '0.250000000000000'
    """
    if isinstance(value, int):
        return Ball(fmpz(value))
    return Ball(fmpq(value.numerator, value.denominator))


def quotient(numerator: int, denominator: int) -> Ball:
    """Return the ball of ``numerator``/``denominator``, of which no Fraction is made.

    >>> str(quotient(2, 8))
    '0.250000000000000'
    """
    return Ball(fmpq(numerator, denominator))


def pi_ball() -> Ball:
    """Return the ball of π at the working precision."""
    return Ball.pi()


def gamma(argument: Fraction) -> Ball:
    """Return the ball of Γ(``argument``) for a rational argument > 0.

    >>> gamma(Fraction(5)).unique_fmpz()
    24
    """
    return Ball.gamma_fmpq(fmpq(argument.numerator, argument.denominator))


def log_gamma(argument: Fraction) -> Ball:
    """Return the ball of lnΓ(``argument``) for a rational argument > 0.

    >>> log_gamma(Fraction(1)).is_zero()
    True
    """
    return ball(argument).lgamma()


def integer_power(x: Ball, exponent: int) -> Ball:
    """Return x^``exponent`` for a whole exponent, by multiplication.

    The library's own power takes the way over a logarithm where the midpoint of ``x`` is 0.

    >>> integer_power(Ball(0, 1), 2).is_finite(), integer_power(ball(2), -2) == ball(Fraction(1, 4))
    (True, True)
    """
    result = Ball(1)
    for bit in bin(abs(exponent))[2:]:
        result = result * result * x if bit == "1" else result * result
    return result if exponent >= 0 else 1 / result


def rational_log(argument: Fraction) -> Ball:
    """Return the ball of ln(``argument``) for a rational argument > 0.

    >>> rational_log(Fraction(1)).is_zero()
    True
    """
    return ball(argument).log()


def infinite_ball() -> Ball:
    """Return the exact ball +∞."""
    return Ball.pos_inf()


def lower_fraction(x: Ball) -> Fraction:
    """Return an exact rational that is certainly not above ``x`` (``x`` finite)."""
    return _exact_fraction(x.lower())


def upper_fraction(x: Ball) -> Fraction:
    """Return an exact rational that is certainly not below ``x`` (``x`` finite)."""
    return _exact_fraction(x.upper())


def _exact_fraction(x: Ball) -> Fraction:
    if not x.is_finite():
        raise ValueError(f"no rational bounds {x}")
    mantissa, exponent = x.man_exp()
    power = int(exponent)
    # 2^power would fill the memory.
    if abs(power) > _MOST_BITS:
        raise PrecisionError(_TOO_LONG)
    if power >= 0:
        return Fraction(int(mantissa) << power)
    return Fraction(int(mantissa), 1 << -power)


def fixed_point(x: Ball, bits: int) -> tuple[int, int]:
    """Return integers a ≤ 2^bits·x ≤ b, for every number in the finite ball ``x``.

    >>> fixed_point(ball(Fraction(1, 3)), 4)
    (5, 6)
    """
    # ⌈x⌉ = −⌊−x⌋.
    return fixed_point_below(x, bits), -fixed_point_below(-x, bits)


def fixed_point_below(x: Ball, bits: int) -> int:
    """Return an integer a ≤ 2^bits·x, for every number in the finite ball ``x``."""
    mantissa, exponent = x.lower().man_exp()
    return _shifted(int(mantissa), int(exponent) + bits)


def _shifted(mantissa: int, places: int) -> int:
    """Return ⌊mantissa·2^places⌋."""
    if mantissa and places > _MOST_BITS:
        raise PrecisionError(_TOO_LONG)
    # A shift to the right rounds down, of negative numbers as well.
    return mantissa << places if places >= 0 else mantissa >> -places


def sign(x: Ball) -> Sign:
    """Return what the ball ``x`` shows of the sign of the number it contains.

    >>> sign(ball(-3)), sign(ball(0))
    (<Sign.NEGATIVE: 'certainly below zero'>, <Sign.ZERO: 'exactly zero'>)
    >>> sign(Ball(0, 1))
    <Sign.UNDECIDED: 'not separated from zero'>
    """
    if x > 0:
        return Sign.POSITIVE
    if x < 0:
        return Sign.NEGATIVE
    if x.is_zero():
        return Sign.ZERO
    return Sign.UNDECIDED


def certainly_less(x: Ball, y: Ball) -> bool:
    """Tell whether every number in ``x`` lies below every number in ``y``.

    ``False`` means "not certain", never "not less": use it only where doubt is harmless, as in
    keeping a candidate that might be the largest.
    """
    return bool(x < y)


def certainly_less_or_equal(x: Ball, y: Ball) -> bool:
    """Tell whether every number in ``x`` is at most every number in ``y``; ``False`` is doubt."""
    return bool(x <= y)


def decide_sign(evaluate: Callable[[], Ball], *, start: int = 64, cap: int = PRECISION_CAP) -> Sign:
    """Return the sign of the number that ``evaluate`` encloses, raising the precision until known.

    ``evaluate`` is called inside :func:`precision` blocks of ``start``, 2·``start``, … up to
    ``cap`` bits.  A number that is zero without its balls being exact stays
    :attr:`Sign.UNDECIDED`: no precision decides a tie.

    >>> decide_sign(lambda: pi_ball() - ball(Fraction(355, 113)))
    <Sign.NEGATIVE: 'certainly below zero'>
    >>> decide_sign(lambda: ball(2).sqrt() ** 2 - 2, cap=256)
    <Sign.UNDECIDED: 'not separated from zero'>
    """
    bits = start
    while True:
        with precision(min(bits, cap)):
            found = sign(evaluate())
        if found is not Sign.UNDECIDED or bits >= cap:
            return found
        bits *= 2


def maximum(balls: Iterable[Ball]) -> Ball:
    """Return a ball that contains the maximum of the numbers in ``balls`` (at least one)."""
    iterator = iter(balls)
    largest = next(iterator)
    for other in iterator:
        largest = largest.max(other)
    return largest


def minimum(balls: Iterable[Ball]) -> Ball:
    """Return a ball that contains the minimum of the numbers in ``balls`` (at least one)."""
    iterator = iter(balls)
    smallest = next(iterator)
    for other in iterator:
        smallest = smallest.min(other)
    return smallest


def contenders(balls: list[Ball], *, largest: bool = True) -> list[int]:
    """Return the indices whose ball could hold the maximum (or the minimum), in order.

    An index is left out only if its ball lies certainly beyond some other ball of the list, so
    the maximum over the contenders is the maximum over all.

    >>> contenders([ball(1), Ball(3, 1), ball(3), Ball(0, 1)])
    [1, 2]
    >>> contenders([ball(1), Ball(3, 1), ball(3), Ball(0, 1)], largest=False)
    [0, 3]
    """
    if largest:
        # Any element would be sound; that with the highest midpoint leaves most of them out.
        threshold = max(balls, key=float).lower()
        return [index for index, x in enumerate(balls) if not x < threshold]
    threshold = min(balls, key=float).upper()
    return [index for index, x in enumerate(balls) if not x > threshold]


def nonnegative(x: Ball) -> Ball:
    """Return a ball that contains max(0, ·) of the numbers in ``x``."""
    return x.max(Ball(0))


def factorise(number: int) -> tuple[tuple[int, int], ...]:
    """Return ``number`` ≥ 1 as ((factor, power), …) in increasing order.

    Numbers of more than :data:`FACTORED_BITS` bits are not factored but returned as one factor;
    that loses no soundness, only the recognition that, say, two logarithms of huge integers are
    related.

    >>> factorise(360)
    ((2, 3), (3, 2), (5, 1))
    """
    if number == 1:
        return ()
    if number.bit_length() > FACTORED_BITS:
        return ((number, 1),)
    return tuple((int(factor), int(power)) for factor, power in sorted(fmpz(number).factor()))

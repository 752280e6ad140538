"""Words about guesses and trainings on canaries: subsets, digits, any training, any guesses."""

from __future__ import annotations

from fractions import Fraction
from math import comb, floor
from typing import Any

from dpaudit.claims.elementary import Function, Undefined
from dpaudit.claims.evaluate import exact_integer
from dpaudit.numbers.ball import PrecisionNeeded
from dpaudit.numbers.real import Real, rational

__all__ = ["CANARIES"]

_EXAMPLES = 2
"""Canaries that the training of the example tells apart."""
_WORLDS, _OUTPUTS = 2**_EXAMPLES, 3**_EXAMPLES
"""Beyond these the example is left undecided: there are 2^m worlds."""


def _choose(n: Any, k: Any) -> Real:
    size, part = exact_integer(n), exact_integer(k)
    if min(size, part) < 0:
        raise Undefined("a number of things below 0")
    return rational(comb(size, part))


def _choose_again(n: Any, k: Any) -> Any:
    from mpmath import binomial

    return binomial(n, k)


def _digit(base: Any, number: Any, place: Any) -> Real:
    b, t, i = (exact_integer(value) for value in (base, number, place))
    if b < 1 or t < 0 or i < 0:
        raise Undefined("a digit of a number, or at a place, below 0")
    return rational(t // b**i % b)


def _digit_again(base: Any, number: Any, place: Any) -> Any:
    from mpmath import mpf

    left = int(number)
    for _ in range(int(place)):
        left //= int(base)
    return mpf(left % int(base))


def _rounded_down(value: Any) -> int:
    q = value.as_fraction() if isinstance(value, Real) else None
    if q is None:
        raise PrecisionNeeded
    return floor(q)


def _guess_at(t: int, i: int) -> int:
    """Return the guess of the example: digit i of t in base 3 for the first two canaries."""
    return t // 3**i % 3 if 0 <= i < _EXAMPLES and 0 <= t < _OUTPUTS else 2


def _chance_at(s: int, t: int) -> Fraction:
    """Return a chance of the example: either bit told right with probability 3/4."""
    if not 0 <= t < _OUTPUTS:
        return Fraction(0)
    chance = Fraction(1)
    for i in range(_EXAMPLES):
        told = _guess_at(t, i)
        chance *= 0 if told == 2 else Fraction(3 if told == (s >> i & 1) else 1, 4)
    return chance


def _chance(s: Any, t: Any) -> Real:
    world, output = _rounded_down(s), _rounded_down(t)
    if world >= _WORLDS or output >= _OUTPUTS:
        raise PrecisionNeeded
    return rational(_chance_at(world, output))


def _chance_again(s: Any, t: Any) -> Any:
    from mpmath import mpf

    found = _chance_at(floor(s), floor(t))
    return mpf(found.numerator) / found.denominator


def _guess(t: Any, i: Any) -> Real:
    return rational(_guess_at(_rounded_down(t), _rounded_down(i)))


CANARIES = (
    Function(
        "choose",
        "how many subsets of k things n things have: choose(n, k)",
        (2, 2),
        _choose,
        _choose_again,
        ("natural", "natural"),
    ),
    Function(
        "digit",
        "the digit of t before b^i in base b: digit(b, t, i)",
        (3, 3),
        _digit,
        _digit_again,
        ("size", "natural", "natural"),
    ),
    Function(
        "chance",
        "how likely any training gives the output t where the canaries of the bits of s are in: "
        "chance(s, t); evaluated at one of them",
        (2, 2),
        _chance,
        _chance_again,
        ("real", "real"),
        example=True,
    ),
    Function(
        "guess",
        "any guess about canary i from the output t, 0 for out, 1 for in, none otherwise: "
        "guess(t, i); evaluated at one of them",
        (2, 2),
        _guess,
        lambda t, i: _guess_at(floor(t), floor(i)),
        ("real", "real"),
        example=True,
    ),
)
"""The words, beside those of the notes."""

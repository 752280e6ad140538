"""The source of randomness of a program that is run for real: exact draws of the system's bits.

A draw of any exact probability compares that with a number between 0 and 1 of which one bit after
the other is drawn, until the comparison is certain; nothing is rounded.
"""

from __future__ import annotations

import math
import secrets
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from dpaudit.errors import DomainError, ParameterError
from dpaudit.numbers.ball import Sign, ball, certainly_less, precision
from dpaudit.numbers.real import ONE, ZERO, Number, Real, add_up, order, rational, real
from dpaudit.programs.exploring.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Drawn"]

ItemT = TypeVar("ItemT")


class _Fraction:
    """A number between 0 and 1, each alike, of which bits are drawn as they are needed."""

    def __init__(self) -> None:
        self.bits = 0
        self.digits = 0

    def below(self, bound: Real) -> bool:
        """Tell whether the number lies below ``bound``."""
        known = bound.as_fraction()
        while True:
            self.digits = self.digits << 64 | secrets.randbits(64)
            self.bits += 64
            low, high = Fraction(self.digits, 1 << self.bits), Fraction(1, 1 << self.bits)
            if known is not None:
                if low + high <= known:
                    return True
                if low >= known:
                    return False
                continue
            with precision(self.bits + 64):
                limit = bound.ball()
                if certainly_less(ball(low + high), limit):
                    return True
                if certainly_less(limit, ball(low)):
                    return False


class Drawn(Source):
    """The source that draws for real."""

    def bernoulli(self, p: Number) -> bool:
        chance = real(p)
        if not _at_least(chance, ZERO) or not _at_least(ONE, chance):
            raise DomainError("p", p, "must lie between 0 and 1")
        return _Fraction().below(chance)

    def integers(self, n: int) -> int:
        if n < 1:
            raise DomainError("n", n, "must be at least 1")
        return secrets.randbelow(n)

    def choice(self, items: Iterable[ItemT], weights: Iterable[Number] | None = None) -> ItemT:
        listed = list(items)
        if weights is None:
            return listed[self.integers(len(listed))]
        read = [real(weight) for weight in weights]
        if len(read) != len(listed) or not all(_at_least(weight, ZERO) for weight in read):
            raise ParameterError("weights", "choice needs one weight for each item, none below 0")
        total, so_far, drawn = add_up(read), ZERO, _Fraction()
        for item, weight in zip(listed[:-1], read, strict=False):
            so_far += weight
            if drawn.below(so_far / total):
                return item
        return listed[-1]

    def geometric(self, p: Number) -> int:
        chance = real(p)
        if chance == ZERO:
            raise DomainError("p", p, "must be positive")
        count = 0
        while not self.bernoulli(chance):
            count += 1
        return count

    def discrete_laplace(self, scale: Number) -> int:
        t = (-ONE / _positive("scale", scale)).exp()
        while True:
            size = self.geometric(ONE - t)
            negative = secrets.randbits(1)
            if size or not negative:
                return -size if negative else size

    def discrete_gaussian(self, sd: Number) -> int:
        """Draw by rejection from a discrete Laplace (Canonne, Kamath and Steinke 2020, Alg. 3)."""
        variance = _positive("sd", sd) ** 2
        scale = rational(math.floor(float(real(sd))) + 1)
        while True:
            k = self.discrete_laplace(scale)
            away = rational(abs(k)) - variance / scale
            if self.bernoulli((-(away**2) / (rational(2) * variance)).exp()):
                return k

    def laplace(self, scale: Number, *, grid: Number | None = None) -> Any:
        _refuse("laplace")

    def exponential(self, mean: Number, *, grid: Number | None = None) -> Any:
        _refuse("exponential")

    def uniform(self, low: Number = 0, high: Number = 1, *, grid: Number | None = None) -> Any:
        _refuse("uniform")

    def gumbel(self, scale: Number, *, grid: Number | None = None) -> Any:
        _refuse("gumbel")

    def gaussian(self, sd: Number, *, grid: Number | None = None) -> Any:
        _refuse("gaussian")


def _refuse(kind: str) -> NoReturn:
    raise ParameterError(
        kind,
        f"no computer can draw exact continuous noise, so {kind} works only in an audit; to run "
        "the program, draw discrete noise, such as discrete_laplace",
    )


def _at_least(above: Real, below: Real) -> bool:
    return order(above, below) is not Sign.NEGATIVE


def _positive(name: str, value: Number) -> Real:
    found = real(value)
    if order(found, ZERO) is not Sign.POSITIVE:
        raise DomainError(name, value, "must be positive")
    return found

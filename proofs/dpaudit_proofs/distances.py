"""H of two Dirichlet laws: in closed form where Γ has one, in balls, and in mpmath."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpaudit.claims.elementary import Undefined
from dpaudit.numbers.ball import Ball, ball, working_precision
from dpaudit.numbers.real import PI, Real, rational
from dpaudit_proofs import definitions

__all__ = ["distance", "distance_again", "distance_enclosed", "fractions_of", "parameters_of"]


def fractions_of(values: tuple[Any, ...]) -> tuple[Fraction, ...]:
    """Return two or more rational numbers; ``Undefined`` for anything else."""
    found = [v.as_fraction() if isinstance(v, Real) else None for v in values]
    if len(found) < 2 or any(q is None for q in found):
        raise Undefined("parameters are two or more rational numbers")
    return tuple(q for q in found if q is not None)


def parameters_of(values: tuple[Any, ...]) -> tuple[Fraction, ...]:
    """Return the parameters of a Dirichlet law; ``Undefined`` for anything else."""
    found = fractions_of(values)
    if min(found) <= 0:
        raise Undefined("a parameter of a Dirichlet law is not above 0")
    return found


def _squared_gamma_ratio(s: Fraction, t: Fraction) -> tuple[Fraction, int] | None:
    """Return q and p, Γ((s + t)/2)²/(Γ(s)·Γ(t)) = q·πᵖ, for half-integers up to 40; else None.

    s, t and their mean are whole numbers and halves, so that s and t are both the one or the other.
    """
    found, power = Fraction(1), 0
    for q, times in (((s + t) / 2, 2), (s, -1), (t, -1)):
        if (2 * q).denominator != 1 or q > 40:
            return None
        at = Fraction(1) if q.denominator == 1 else Fraction(1, 2)
        power += times * (q.denominator - 1)
        value = Fraction(1)
        while at < q:
            value, at = value * at, at + 1
        found *= value**times
    return found, power // 2


def distance(left: tuple[Any, ...], right: tuple[Any, ...]) -> Any:
    """Return H in closed form, or in balls of the working precision."""
    a, b = parameters_of(left), parameters_of(right)
    if len(a) != len(b):
        raise Undefined("two laws of different orders")
    if a == b:
        return rational(0)
    closed = _closed_distance(a, b) if sum(a) == sum(b) else None
    return _enclosed_distance(a, b, working_precision()) if closed is None else closed


def distance_enclosed(left: tuple[Any, ...], right: tuple[Any, ...]) -> Any:
    """Return H in balls of the working precision."""
    a, b = parameters_of(left), parameters_of(right)
    if len(a) != len(b):
        raise Undefined("two laws of different orders")
    return rational(0) if a == b else _enclosed_distance(a, b, working_precision())


@lru_cache(maxsize=1 << 16)
def _closed_distance(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> Real | None:
    """Return H for parameters of one sum where every Γ in it has a closed form; else None."""
    square, power = Fraction(1), 0
    for s, t in zip(a, b, strict=True):
        factor = (Fraction(1), 0) if s == t else _squared_gamma_ratio(s, t)
        if factor is None:
            return None
        square, power = square * factor[0], power + factor[1]
    return (rational(1) - (rational(square) * PI ** Fraction(power)).sqrt()).sqrt()


@lru_cache(maxsize=1 << 16)
def _enclosed_distance(a: tuple[Fraction, ...], b: tuple[Fraction, ...], bits: int) -> Ball:
    """Return H in balls of the working precision, which is ``bits``."""

    def term(s: Fraction, t: Fraction) -> Ball:
        middle, first, second = (ball(q).lgamma() for q in ((s + t) / 2, s, t))
        return middle - (first + second) / 2

    pairs = sorted((min(p), max(p)) for p in zip(a, b, strict=True))
    one, other = sum(a, Fraction(0)), sum(b, Fraction(0))
    totals = term(min(one, other), max(one, other))
    return (1 - (sum((term(s, t) for s, t in pairs), ball(0)) - totals).exp()).sqrt()


def distance_again(left: tuple[Any, ...], right: tuple[Any, ...]) -> Any:
    """Return H in mpmath."""
    return definitions.hellinger(left, right) if tuple(left) != tuple(right) else 0 * left[0]

"""Evaluating terms at a point: in closed forms and balls, and a second time in mpmath.

A proposition is certainly true, certainly false, or undecided: a ball is never a bool.  What is not
defined at the point (a divisor 0, the root of a negative number) is an error of its own.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

from dpaudit.claims.elementary import (
    BITS,
    Function,
    Undefined,
    as_ball,
    compared,
    is_short,
    mp_sign,
    sign_of,
)
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.rationals import ARITHMETIC, MOST_CASES, exact
from dpaudit.claims.terms import BINDERS, RELATIONS, Term
from dpaudit.claims.vocabulary import vocabulary
from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, precision
from dpaudit.numbers.real import Real, rational

__all__ = ["certain", "confirmed", "exact_integer"]

Point = Mapping[str, Fraction]

_MP_DIGITS = 50


def exact_integer(value: Any) -> int:
    """Return a whole number that was computed exactly; ``FormulaError`` for any other value."""
    q = value.as_fraction() if isinstance(value, Real) else value
    if not isinstance(q, Fraction) or q.denominator != 1:
        raise FormulaError(f"a whole number is needed, not {value}")
    return int(q)


class _Numbers(ABC):
    """Arithmetic for evaluation: in balls or in mpmath."""

    @abstractmethod
    def number(self, q: Fraction) -> Any:
        """Return a rational."""

    @abstractmethod
    def arithmetic(self, head: str, left: Any, right: Any) -> Any:
        """Return left + right, and so on."""

    @abstractmethod
    def power(self, base: Any, exponent: int) -> Any:
        """Return a whole power."""

    @abstractmethod
    def relation(self, left: Any, right: Any) -> Sign:
        """Return the sign of left − right as far as it is certain."""

    @abstractmethod
    def function(self, function: Function, args: list[Any]) -> Any:
        """Return the value of a function."""


class _Balls(_Numbers):
    def number(self, q: Fraction) -> Any:
        return rational(q)

    def arithmetic(self, head: str, left: Any, right: Any) -> Any:
        if head == "/" and sign_of(right) is Sign.ZERO:
            raise Undefined("a divisor is 0")
        if isinstance(left, Real) and isinstance(right, Real) and is_short(left, right):
            return ARITHMETIC[head](left, right)
        return ARITHMETIC[head](as_ball(left), as_ball(right))

    def power(self, base: Any, exponent: int) -> Any:
        if exponent < 0 and sign_of(base) is Sign.ZERO:
            raise Undefined("a divisor is 0")
        if isinstance(base, Real) and is_short(base) and abs(exponent) < 64:
            return base**exponent
        return as_ball(base) ** exponent

    def relation(self, left: Any, right: Any) -> Sign:
        return compared(left, right)

    def function(self, function: Function, args: list[Any]) -> Any:
        return function.balls(*args)


class _Enclosures(_Balls):
    """Rationals and balls alone: fast, and undecided at ties, which closed forms decide."""

    def arithmetic(self, head: str, left: Any, right: Any) -> Any:
        if _is_rational(left) and _is_rational(right):
            return super().arithmetic(head, left, right)
        return _finite(ARITHMETIC[head](as_ball(left), as_ball(right)))

    def power(self, base: Any, exponent: int) -> Any:
        if _is_rational(base):
            return super().power(base, exponent)
        return _finite(as_ball(base) ** exponent)

    def relation(self, left: Any, right: Any) -> Sign:
        if _is_rational(left) and _is_rational(right):
            return compared(left, right)
        return sign_of(as_ball(left) - as_ball(right))

    def function(self, function: Function, args: list[Any]) -> Any:
        found = (function.quick or function.balls)(*args)
        return found if _is_rational(found) else _finite(as_ball(found))


def _is_rational(value: Any) -> bool:
    return isinstance(value, Real) and value.as_fraction() is not None


def _finite(value: Ball) -> Ball:
    """Return a ball; ``PrecisionNeeded`` for one that may have no value at all."""
    if not value.is_finite():
        raise PrecisionNeeded
    return value


class _Mpmath(_Numbers):
    def number(self, q: Fraction) -> Any:
        from mpmath import mpf

        return mpf(q.numerator) / q.denominator

    def arithmetic(self, head: str, left: Any, right: Any) -> Any:
        if head == "/" and not right:
            raise Undefined("a divisor is 0")
        return ARITHMETIC[head](left, right)

    def power(self, base: Any, exponent: int) -> Any:
        return base**exponent

    def relation(self, left: Any, right: Any) -> Sign:
        return mp_sign(left - right)

    def function(self, function: Function, args: list[Any]) -> Any:
        return function.again(*args)


def _value(term: Term, at: Mapping[str, Fraction], numbers: _Numbers) -> Any:
    if term.head not in ("text", "tuple", "each") and (q := exact(term, at)) is not None:
        return numbers.number(q)
    match term.head:
        case "number":
            assert isinstance(term.value, Fraction)
            return numbers.number(term.value)
        case "name":
            if term.value == "pi":
                return numbers.function(vocabulary().functions["pi"], [])
            return numbers.number(at[str(term.value)])
        case "text":
            return term.value
        case "tuple":
            return tuple(_value(arg, at, numbers) for arg in term.args)
        case "each":
            return tuple(_value(term.args[3], inner, numbers) for inner in _range(term, at))
        case "neg":
            zero = numbers.number(Fraction(0))
            return numbers.arithmetic("-", zero, _value(term.args[0], at, numbers))
        case "^":
            return numbers.power(_value(term.args[0], at, numbers), _whole(term.args[1], at))
        case "+" | "-" | "*" | "/" as head:
            left, right = (_value(arg, at, numbers) for arg in term.args)
            return numbers.arithmetic(head, left, right)
        case "sum" | "largest" | "least":
            return _over_range(term, at, numbers)
        case head if head in vocabulary().functions:
            args = [_value(arg, at, numbers) for arg in term.args]
            return numbers.function(vocabulary().functions[head], args)
    raise FormulaError(f"{term} is not a number")


def _whole(term: Term, at: Point) -> int:
    return exact_integer(_value(term, at, _Balls()))


def _range(term: Term, at: Point) -> Iterator[dict[str, Fraction]]:
    low, high = (_whole(arg, at) for arg in term.args[1:3])
    if high - low > MOST_CASES:
        raise PrecisionNeeded  # too many cases to look at: undecided
    name = str(term.args[0].value)
    return ({**at, name: Fraction(i)} for i in range(low, high + 1))


def _over_range(term: Term, at: Point, numbers: _Numbers) -> Any:
    values = [_value(term.args[3], inner, numbers) for inner in _range(term, at)]
    if term.head == "sum":
        total = numbers.number(Fraction(0))
        for value in values:
            total = numbers.arithmetic("+", total, value)
        return total
    if not values:
        raise Undefined(f"{term} is over nothing")
    wanted = "max" if term.head == "largest" else "min"
    return numbers.function(vocabulary().functions[wanted], values)


_EXACTLY: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

_MET = {
    "<": {Sign.NEGATIVE},
    "<=": {Sign.NEGATIVE, Sign.ZERO},
    ">": {Sign.POSITIVE},
    ">=": {Sign.POSITIVE, Sign.ZERO},
    "==": {Sign.ZERO},
    "!=": {Sign.NEGATIVE, Sign.POSITIVE},
}


def _truth(term: Term, at: Point, numbers: _Numbers) -> bool | None:
    match term.head:
        case "not":
            inner = _truth(term.args[0], at, numbers)
            return None if inner is None else not inner
        case "and" | "all":
            return _all(term, at, numbers)
        case "or" | "any":
            found = [not t if t is not None else None for t in _parts(term, at, numbers)]
            return None if (every := _meet(found)) is None else not every
        case head if head in RELATIONS:
            sides = [exact(arg, at) for arg in term.args]
            if sides[0] is not None and sides[1] is not None:
                return _EXACTLY[head](sides[0], sides[1])
            left, right = (_value(arg, at, numbers) for arg in term.args)
            found_sign = numbers.relation(left, right)
            return None if found_sign is Sign.UNDECIDED else found_sign in _MET[head]
    raise FormulaError(f"{term} is not a proposition")


def _all(term: Term, at: Point, numbers: _Numbers) -> bool | None:
    return _meet(_parts(term, at, numbers))


def _parts(term: Term, at: Point, numbers: _Numbers) -> list[bool | None]:
    """Return the truth of every part; those after a decision need not be defined."""
    if term.head in BINDERS:
        body = term.args[3]
        cases: Iterable[tuple[Term, Point]] = ((body, inner) for inner in _range(term, at))
    else:
        cases = [(arg, dict(at)) for arg in term.args]
    deciding = term.head in ("or", "any")
    found: list[bool | None] = []
    for part, inner in cases:
        found.append(_truth(part, inner, numbers))
        if found[-1] is deciding:
            break
    return found


def _meet(found: list[bool | None]) -> bool | None:
    if any(truth is False for truth in found):
        return False
    return None if any(truth is None for truth in found) else True


def certain(proposition: Term, at: Point) -> bool | None:
    """Return whether ``proposition`` is certainly true or certainly false at a point, or None.

    Raises ``Undefined`` where it has no meaning at the point.
    """
    with suppress(ArithmeticError, PrecisionError), precision(BITS[0]):
        if (quick := _truth(proposition, at, _Enclosures())) is not None:
            return quick
    for bits in BITS:
        try:
            with precision(bits):
                found = _truth(proposition, at, _Balls())
        except (PrecisionError, PrecisionNeeded):
            continue
        if found is not None:
            return found
    return None


def confirmed(proposition: Term, at: Point) -> bool | None:
    """Return what balls are certain of and mpmath finds again; None if they do not agree."""
    from mpmath import mp

    first = certain(proposition, at)
    if first is None:
        return None
    with mp.workdps(_MP_DIGITS):
        second = _truth(proposition, at, _Mpmath())
    return first if first is second else None

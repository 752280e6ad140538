"""The functions that every statement may use: in closed forms and balls, and in mpmath."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.claims.polynomial import FormulaError
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, sign
from dpaudit.numbers.real import PI, Real, rational

__all__ = [
    "BITS",
    "ELEMENTARY",
    "Function",
    "Undefined",
    "as_ball",
    "compared",
    "is_short",
    "mp_sign",
    "sign_of",
]


BITS = (64, 256, 1024)

_MOST_TERMS = 12


@dataclass(frozen=True)
class Function:
    """A function of statements, defined twice: in balls, and in mpmath from the definitions."""

    name: str
    meaning: str
    """Meaning of the function and its arguments, in one line."""
    arity: tuple[int, int]
    """The least and the largest number of arguments."""
    balls: Callable[..., Any]
    """Takes closed forms, balls, tuples and texts; returns a closed form or a ball."""
    again: Callable[..., Any]
    """The same in mpmath."""
    takes: tuple[str, ...] = ()
    """Types of the arguments, if not any number: ``parameters`` (a list of numbers > 0), ``counts``
    (of whole numbers ≥ 0), ``records`` (counts that are not all 0), ``size`` (a whole number ≥ 1),
    ``natural`` (one ≥ 0), ``positive``, ``rate`` (≥ 0) or ``real``."""
    quick: Callable[..., Any] | None = None
    """The same in balls alone, where that is faster: undecided at ties."""
    example: bool = False
    """It stands for every function: a statement is about all of them, so that the values of this
    one can refute and never prove."""


class Undefined(ArithmeticError):  # noqa: N818  (a value that does not exist, not a fault)
    """A term has no value at the point."""


def is_short(*numbers: Real) -> bool:
    """Return whether closed forms are short enough to go on with."""
    return all(len(number.coordinates()) <= _MOST_TERMS for number in numbers)


def as_ball(value: Any) -> Ball:
    """Return a value as a ball."""
    found: Ball = value.ball() if isinstance(value, Real) else value
    if not isinstance(found, Ball):
        raise FormulaError("a number is needed")
    return found


def sign_of(value: Any) -> Sign:
    """Return the sign of a value as far as it is certain."""
    if isinstance(value, Real):
        return value.sign(BITS[-1])
    return sign(as_ball(value))


_MP_NOISE = "1e-40"


def mp_sign(difference: Any) -> Sign:
    """Return the sign of a difference of numbers of mpmath; what rounding leaves of 0 is 0."""
    from mpmath import mpf

    if abs(difference) < mpf(_MP_NOISE):
        return Sign.ZERO
    return Sign.POSITIVE if difference > 0 else Sign.NEGATIVE


_CLOSED = {"sqrt": _MOST_TERMS, "exp": 2, "log": 1}
"""Up to how many terms an argument gives a closed form; others, balls."""


def compared(left: Any, right: Any) -> Sign:
    """Return the sign of left − right as far as it is certain."""
    if isinstance(left, Real) and isinstance(right, Real) and is_short(left, right):
        return (left - right).sign(BITS[-1])
    return sign_of(as_ball(left) - as_ball(right))


def _real_function(
    name: str, closed: Callable[[Real], Real], domain: Callable[[Any], bool]
) -> Callable[[Any], Any]:
    def apply(argument: Any) -> Any:
        found = sign_of(argument)
        if found is not Sign.UNDECIDED and not domain(found):
            raise Undefined(f"{name} of {argument}")
        if isinstance(argument, Real) and len(argument.coordinates()) <= _CLOSED[name]:
            return closed(argument)
        return getattr(as_ball(argument), name)()

    return apply


def _enclosed(name: str) -> Callable[[Any], Any]:
    def apply(argument: Any) -> Any:
        return getattr(as_ball(argument), name)()

    return apply


def _mp_function(name: str) -> Callable[[Any], Any]:
    def apply(argument: Any) -> Any:
        import mpmath

        return getattr(mpmath, name)(argument)

    return apply


def _extreme(largest: bool) -> Callable[..., Any]:
    wanted = Sign.POSITIVE if largest else Sign.NEGATIVE

    def apply(*values: Any) -> Any:
        best = values[0]
        for value in values[1:]:
            found = compared(value, best)
            if found is Sign.UNDECIDED:
                a, b = as_ball(value), as_ball(best)
                best = a.max(b) if largest else a.min(b)
            elif found is wanted:
                best = value
        return best

    return apply


def _same(left: Any, right: Any) -> Any:
    if (found := compared(left, right)) is Sign.UNDECIDED:
        raise PrecisionNeeded
    return rational(int(found is Sign.ZERO))


def _at_most(left: Any, right: Any) -> Any:
    if (found := compared(left, right)) is Sign.UNDECIDED:
        raise PrecisionNeeded
    return rational(int(found is not Sign.POSITIVE))


def _mp_same(left: Any, right: Any) -> int:
    return int(mp_sign(left - right) is Sign.ZERO)


def _mp_at_most(left: Any, right: Any) -> int:
    return int(mp_sign(left - right) is not Sign.POSITIVE)


def _absolute(value: Any) -> Any:
    found = sign_of(value)
    if found is Sign.UNDECIDED:
        return abs(as_ball(value))
    return -value if found is Sign.NEGATIVE else value


def _gamma(argument: Any) -> Any:
    """Return Γ, in closed form at small integers and half-integers, for an argument > 0."""
    if sign_of(argument) in (Sign.NEGATIVE, Sign.ZERO):
        raise Undefined(f"Γ of {argument}")
    q = argument.as_fraction() if isinstance(argument, Real) else None
    if q is None or q.denominator > 2 or q > 60:
        return as_ball(argument).gamma()
    value, s = (rational(1), Fraction(1)) if q.denominator == 1 else (PI.sqrt(), Fraction(1, 2))
    while s < q:
        value, s = value * rational(s), s + 1
    return value


def _anywhere(found: Sign) -> bool:
    return True


def _positive(found: Sign) -> bool:
    return found is Sign.POSITIVE


ELEMENTARY = (
    Function("pi", "π", (0, 0), lambda: PI, lambda: +_mp_function_pi()),
    Function(
        "sqrt",
        "the square root",
        (1, 1),
        _real_function("sqrt", Real.sqrt, lambda s: s is not Sign.NEGATIVE),
        _mp_function("sqrt"),
        quick=_enclosed("sqrt"),
    ),
    Function(
        "exp",
        "e^s",
        (1, 1),
        _real_function("exp", Real.exp, _anywhere),
        _mp_function("exp"),
        quick=_enclosed("exp"),
    ),
    Function(
        "log",
        "the natural logarithm",
        (1, 1),
        _real_function("log", Real.ln, _positive),
        _mp_function("log"),
        quick=_enclosed("log"),
    ),
    Function("gamma", "Γ of an argument > 0", (1, 1), _gamma, _mp_function("gamma")),
    Function("abs", "the absolute value", (1, 1), _absolute, abs),
    Function("max", "the largest", (1, 10**6), _extreme(True), lambda *v: max(v)),
    Function("same", "1 if both are equal, else 0", (2, 2), _same, _mp_same),
    Function(
        "at_most",
        "1 if the first is at most the second, else 0",
        (2, 2),
        _at_most,
        _mp_at_most,
    ),
    Function("min", "the least", (1, 10**6), _extreme(False), lambda *v: min(v)),
)
"""The engine's own functions."""


def _mp_function_pi() -> Any:
    from mpmath import mp

    return mp.pi

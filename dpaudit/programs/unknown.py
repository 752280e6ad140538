"""Numbers that are not known: what a program holds instead of what it drew.

A :class:`Real unknown <Unknown>` is an affine combination of continuous draws, a
:class:`whole one <Whole>` of one countable draw.  Comparing one is a decision of the run; affine
arithmetic makes another; whatever else a program does with one is refused.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, cast

from dpaudit.numbers.real import Real, real

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.programs.run import Run, Terms
    from dpaudit.programs.wholes import Support

__all__ = ["Unknown", "Whole", "known_number"]


def known_number(run: Run, value: object) -> Fraction | None:
    """Return a number that a program knows, exactly; None for what is no number."""
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if isinstance(value, (float, Decimal)):
        if not math.isfinite(value):
            run.refuse(f"{value} meets an unknown number")
        return real(value).as_fraction()
    if isinstance(value, Real):
        found = value.as_fraction()
        if found is None:
            run.refuse(f"an unknown number meets {value}, which is not rational")
        return found
    if hasattr(value, "item") and getattr(value, "shape", None) == ():  # one of NumPy's scalars
        return known_number(run, cast("Any", value).item())
    return None


def _refusing(what: str) -> Callable[..., NoReturn]:
    def refuse(self: _Lazy, *given: object, **named: object) -> NoReturn:
        self._run.refuse(f"{what} of an unknown number is not followed")

    return refuse


class _Lazy:
    """What real and whole unknowns have in common: whatever is not followed is refused."""

    __slots__ = ("_run",)
    __array_ufunc__ = None
    _run: Run

    def __getattr__(self, name: str) -> Any:
        """Refuse attributes that a number may have; say plainly that others are not there."""
        if name.startswith("__"):
            raise AttributeError(name)
        self._run.refuse(f"an unknown number is used as something else ({name})")

    __pow__ = __rpow__ = _refusing("a power")
    __rtruediv__ = _refusing("the reciprocal")
    __rfloordiv__ = __rmod__ = __rdivmod__ = _refusing("the reciprocal")
    __matmul__ = __rmatmul__ = __imatmul__ = _refusing("a matrix product")
    __complex__ = _refusing("the complex value")
    __str__ = __format__ = __bytes__ = _refusing("the text")
    __repr__ = _refusing("the text")
    __reduce__ = __reduce_ex__ = _refusing("the pickle")  # type: ignore[assignment]
    __copy__ = lambda self: self  # noqa: E731
    __deepcopy__ = lambda self, memo: self  # noqa: E731


class Unknown(_Lazy):
    """An affine combination Σ a·x + c of continuous draws; it is never a whole number."""

    __slots__ = ("_constant", "_terms")

    def __init__(self, run: Run, terms: Terms, constant: Fraction) -> None:
        """Take the coefficient of each draw, none of them 0."""
        self._run, self._terms, self._constant = run, terms, constant

    def _plus(self, other: object, sign: int) -> Any:
        if isinstance(other, Unknown):
            total = dict(self._terms)
            for node, a in other._terms:
                total[node] = total.get(node, Fraction(0)) + sign * a
            terms = tuple(sorted((node, a) for node, a in total.items() if a))
            return Unknown(self._run, terms, self._constant + sign * other._constant)
        if isinstance(other, Whole):
            other = other._fixed()
        number = known_number(self._run, other)
        if number is None:
            return NotImplemented
        return Unknown(self._run, self._terms, self._constant + sign * number)

    def _times(self, factor: Fraction) -> Any:
        if not factor:
            return 0
        terms = tuple((node, a * factor) for node, a in self._terms)
        return Unknown(self._run, terms, self._constant * factor)

    def __add__(self, other: object) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: object) -> Any:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Any:
        return self._times(Fraction(-1))

    def __pos__(self) -> Unknown:
        return self

    def __mul__(self, other: object) -> Any:
        if isinstance(other, Whole):
            other = other._fixed()
        if isinstance(other, Unknown):
            self._run.refuse("a product of two unknown numbers is not followed")
        number = known_number(self._run, other)
        return NotImplemented if number is None else self._times(number)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, Whole):
            other = other._fixed()
        if isinstance(other, Unknown):
            self._run.refuse("a quotient of two unknown numbers is not followed")
        number = known_number(self._run, other)
        return NotImplemented if number is None else self._times(1 / number)

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def _below(self, other: object) -> bool:
        rest = self - other  # type: ignore[operator]
        if not rest._terms:
            return bool(rest._constant < 0)
        return self._run.is_below(rest._terms, -rest._constant)

    def _is_constant(self, other: object) -> bool | None:
        """Tell whether the difference to ``other`` is a number, and that 0; None if it is none."""
        rest = self - other  # type: ignore[operator]
        return None if rest._terms else not rest._constant

    def _comparable(self, other: object) -> bool:
        return isinstance(other, _Lazy) or known_number(self._run, other) is not None

    def __lt__(self, other: object) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other > 0
        return self._below(other) if self._comparable(other) else NotImplemented

    def __ge__(self, other: object) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other < 0
        return not self._below(other) if self._comparable(other) else NotImplemented

    def __gt__(self, other: object) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other < 0
        if not self._comparable(other):
            return NotImplemented
        return not self._is_constant(other) and not self._below(other)

    def __le__(self, other: object) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other > 0
        if not self._comparable(other):
            return NotImplemented
        return bool(self._is_constant(other)) or self._below(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return False
        if not self._comparable(other):
            return NotImplemented
        return bool(self._is_constant(other))  # a density gives no single number a probability

    def __hash__(self) -> int:
        return self._run.refuse("an unknown number is used as a key, or is put into a set")

    def __bool__(self) -> bool:
        return True  # but for a null set

    def __floor__(self) -> Any:
        return self._floored()

    def _floored(self) -> int:
        """Decide the floor of an unknown that lies between two numbers."""
        return self._run.refuse("rounding an unknown number is not followed yet")

    __ceil__ = __trunc__ = __round__ = __int__ = __index__ = __floor__
    __floordiv__ = __mod__ = __divmod__ = _refusing("a remainder")
    __float__ = _refusing("the float value")


class Whole(_Lazy):
    """A whole number a·Z + c, Z a countable draw."""

    __slots__ = ("_constant", "_factor", "_number")

    def __init__(self, run: Run, number: int, factor: int = 1, constant: int = 0) -> None:
        """Take the ``number`` of the draw, the factor, not 0, and the constant."""
        self._run, self._number, self._factor, self._constant = run, number, factor, constant

    def _fixed(self) -> int:
        """Decide the value, which must have ends."""
        return self._factor * self._run.fix(self._number) + self._constant

    def _value(self) -> int | None:
        """Return the value where it is known by now."""
        support = self._run.supports[self._number]
        if len(support) == 1 and support[0][0] is not None and support[0][0] == support[0][1]:
            return self._factor * support[0][0] + self._constant
        return None

    def _affine(self, factor: int, constant: int) -> Any:
        if not factor:
            return constant
        return Whole(self._run, self._number, factor, constant)

    def __add__(self, other: object) -> Any:
        if isinstance(other, int):
            return self._affine(self._factor, self._constant + other)
        if isinstance(other, Whole) and other._number == self._number:
            return self._affine(self._factor + other._factor, self._constant + other._constant)
        return self._known(other) + other

    def __radd__(self, other: object) -> Any:
        return self + other

    def __neg__(self) -> Any:
        return self._affine(-self._factor, -self._constant)

    def __pos__(self) -> Whole:
        return self

    def __sub__(self, other: object) -> Any:
        if isinstance(other, (int, Whole)):
            return self + -other
        return self._known(other) - other

    def __rsub__(self, other: object) -> Any:
        return -self + other

    def __mul__(self, other: object) -> Any:
        if isinstance(other, int):
            return self._affine(self._factor * other, self._constant * other)
        return self._known(other) * other

    def __rmul__(self, other: object) -> Any:
        return self * other

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def _known(self, other: object) -> Any:
        """Return the value, to calculate with ``other``."""
        bounded = all(None not in interval for interval in self._run.supports[self._number])
        if not bounded and isinstance(other, Whole):
            self._run.refuse("two whole numbers without an end are added or compared")
        return self._fixed()

    def __truediv__(self, other: object) -> Any:
        return Fraction(self._fixed()) / cast("Any", other)

    def __floordiv__(self, other: object) -> Any:
        return self._fixed() // cast("Any", other)

    def __mod__(self, other: object) -> Any:
        return self._fixed() % cast("Any", other)

    def __divmod__(self, other: object) -> Any:
        return divmod(self._fixed(), cast("Any", other))

    def _compared(self, other: object, asked: str) -> bool:
        """Decide whether self is less than, at most, equal to … ``other``."""
        if isinstance(other, float) and math.isinf(other):
            return (
                (other > 0)
                if asked in ("<", "<=")
                else (other < 0)
                if asked in (">", ">=")
                else False
            )
        if isinstance(other, Whole):
            if other._number == self._number:
                rest = self - other
                return rest._compared(0, asked) if isinstance(rest, Whole) else _ASKED[asked](rest)
            mine = all(None not in one for one in self._run.supports[self._number])
            if not mine:
                other = other._known(self)
            else:
                return bool(_MIRRORED[asked](other, self._fixed()))
        if isinstance(other, Unknown):
            return bool(_MIRRORED[asked](other, self._fixed()))
        number = known_number(self._run, other)
        if number is None:
            return NotImplemented
        target = (number - self._constant) / self._factor  # a·Z + c ? number
        if asked == "==":
            if target.denominator != 1:
                return False
            whole = int(target)
            part: Support = ((whole, whole),)
        else:
            downwards = (asked in ("<", "<=")) == (self._factor > 0)
            strict = asked in ("<", ">")
            if downwards:
                part = ((None, math.ceil(target) - 1 if strict else math.floor(target)),)
            else:
                part = ((math.floor(target) + 1 if strict else math.ceil(target), None),)
        return self._run.split(self._number, part, (asked, number, self._factor, self._constant))

    def __lt__(self, other: object) -> bool:
        return self._compared(other, "<")

    def __le__(self, other: object) -> bool:
        return self._compared(other, "<=")

    def __gt__(self, other: object) -> bool:
        return self._compared(other, ">")

    def __ge__(self, other: object) -> bool:
        return self._compared(other, ">=")

    def __eq__(self, other: object) -> bool:
        return self._compared(other, "==")

    def __bool__(self) -> bool:
        return not self._compared(0, "==")

    def __hash__(self) -> int:
        return hash(self._fixed())

    def __index__(self) -> int:
        return self._fixed()

    __int__ = __trunc__ = __floor__ = __ceil__ = __index__

    def __round__(self, digits: int = 0) -> int:
        return self._fixed()

    def __str__(self) -> str:
        return str(self._fixed())

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self._fixed(), spec)

    def __pow__(self, power: Any) -> Any:
        return self._fixed() ** power

    def __rpow__(self, base: Any) -> Any:
        return base ** self._fixed()

    def __rtruediv__(self, above: Any) -> Any:
        return above / Fraction(self._fixed())

    def __rfloordiv__(self, above: Any) -> Any:
        return above // self._fixed()

    def __rmod__(self, above: Any) -> Any:
        return above % self._fixed()

    def __float__(self) -> float:
        return float(self._fixed())


_ASKED: dict[str, Callable[[Any], bool]] = {
    "<": lambda rest: rest < 0,
    "<=": lambda rest: rest <= 0,
    ">": lambda rest: rest > 0,
    ">=": lambda rest: rest >= 0,
    "==": lambda rest: rest == 0,
}
_MIRRORED: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda other, mine: other > mine,
    "<=": lambda other, mine: other >= mine,
    ">": lambda other, mine: other < mine,
    ">=": lambda other, mine: other <= mine,
    "==": lambda other, mine: other == mine,
}

"""What all unknown numbers have in common: whatever is not followed is refused."""

from __future__ import annotations

import math
import sys
from abc import ABCMeta
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, cast

from dpaudit.numbers.real import Real, real
from dpaudit.programs.guards import is_program

if TYPE_CHECKING:
    from dpaudit.programs.run import Run

__all__ = ["Lazy", "known_number", "refusing"]


def known_number(run: Run, value: object) -> Fraction | None:
    """Return a number that a program knows, exactly; None for what is no number."""
    if type(value) is Fraction:
        return value
    if type(value) is not int:
        run.plain = False
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


def refusing(what: str) -> Any:
    """Return a method that refuses to follow what it does."""

    def refuse(self: Lazy, *given: object, **named: object) -> NoReturn:
        self._run.refuse(f"{what} of an unknown number is not followed")

    return refuse


def _class_asked_for(self: Lazy) -> type:
    """Return what a number stands for, to a program that asks with isinstance.

    To all others, the engine and Python's own modules, it is what it is.  Numbers that are tried
    later show only at some of their values that a program took an unknown for no number.
    """
    frame = sys._getframe(1)
    if frame.f_code is ABCMeta.__instancecheck__.__code__ and frame.f_back is not None:
        frame = frame.f_back
    return self._stands_for() if is_program(frame.f_code.co_filename) else type(self)


class Lazy:
    """A number that a program holds and that is not known."""

    __slots__ = ("_run",)
    __array_ufunc__ = None
    __class__: Any = property(_class_asked_for)
    _run: Run

    def _stands_for(self) -> type:
        """Return the class of the numbers that it may be."""
        return type(self)

    def __getattr__(self, name: str) -> Any:
        """Refuse attributes that a number may have; say plainly that others are not there."""
        if name.startswith("__"):
            raise AttributeError(name)
        self._run.refuse(f"an unknown number is used as something else ({name})")

    def _same_run(self, other: Lazy) -> None:
        """Refuse to calculate with a draw of another run."""
        if other._run is not self._run:
            self._run.refuse(
                "a draw is used by a sub-sampler, or after the run, that did not draw it"
            )

    def _fixed(self) -> Any:
        """Return the number as far as it can be decided: itself where it is real."""
        raise NotImplementedError

    __pow__ = __rpow__ = refusing("a power")
    __rtruediv__ = refusing("the reciprocal")
    __rfloordiv__ = __rmod__ = __rdivmod__ = refusing("the reciprocal")
    __matmul__ = __rmatmul__ = __imatmul__ = refusing("a matrix product")
    __complex__ = refusing("the complex value")
    __str__ = __format__ = __bytes__ = refusing("the text")
    __repr__ = refusing("the text")
    __reduce__ = __reduce_ex__ = refusing("the pickle")
    __copy__ = lambda self: self  # noqa: E731
    __deepcopy__ = lambda self, memo: self  # noqa: E731

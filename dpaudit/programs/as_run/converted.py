# ruff: noqa: D105  (the operators and functions mean what they do of floats)
"""What floats that are not known are made into: whole numbers, text, and what NumPy does."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dpaudit.programs.lazy import Lazy

if TYPE_CHECKING:
    from dpaudit.programs.as_run.curves import Curve

__all__ = ["Converted"]


class Converted(Lazy):
    """A float that rises or falls with one draw, and the functions of one float."""

    __slots__ = ()
    _curve: Curve
    _rises: bool
    _numpy: bool

    def _stands_for(self) -> type:
        if not self._numpy:
            return float
        import numpy as np

        return np.float64

    def _made(self, curve: Curve, *, rises: bool, numpy: bool = False) -> Any:
        """Return what a function of its curve is."""
        raise NotImplementedError

    def _known(self, other: object) -> tuple[Any, bool]:
        """Return a known number, and whether it is NumPy's."""
        raise NotImplementedError

    def _sign(self) -> int:
        """Decide the sign."""
        raise NotImplementedError

    def _infinite(self) -> bool:
        """Tell whether it may be infinite."""
        raise NotImplementedError

    def _apply(
        self, name: str, function: Callable[[Any], Any], *, assumed: str = "", numpy: bool = False
    ) -> Any:
        """Return what a function that rises gives."""
        curve = self._curve.then(name, function, assumed=assumed)
        return self._made(curve, rises=self._rises, numpy=numpy)

    # Powers

    def __pow__(self, power: Any) -> Any:
        if isinstance(power, Lazy):
            power = power._fixed()
        known, numpy = self._known(power)
        if known is NotImplemented:
            return NotImplemented
        if self._numpy or numpy or math.isnan(known):
            self._run.refuse("a power of a float of NumPy is not followed")
        if known < 0 and not self:
            raise ZeroDivisionError("0.0 cannot be raised to a negative power")
        if self._sign() < 0:
            self._run.refuse("a power of a negative float is not followed")
        curve = self._curve.then("**", lambda value: value**known, known, assumed="pow")
        return self._made(curve, rises=self._rises == (known >= 0))

    def __rpow__(self, base: Any) -> Any:
        known, numpy = self._known(base)
        if known is NotImplemented:
            return NotImplemented
        if self._numpy or numpy or not known > 0:
            self._run.refuse("such a power is not followed")
        curve = self._curve.then("r**", lambda value: known**value, known, assumed="pow")
        return self._made(curve, rises=self._rises == (known >= 1))

    # Whole numbers and the like

    def _whole(self, name: str, function: Callable[[Any], Any]) -> Any:
        if self._infinite():
            self._run.refuse("an infinite float is made a whole number")
        return self._made(self._curve.then(name, function), rises=self._rises)._fixed()

    def __floor__(self) -> Any:
        return self._whole("floor", math.floor)

    def __ceil__(self) -> Any:
        return self._whole("ceil", math.ceil)

    def __trunc__(self) -> Any:
        return self._whole("trunc", math.trunc)

    __int__ = __trunc__

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:
            return self._whole("round", round)
        return self._made(
            self._curve.then("round", lambda value: round(value, digits), digits),
            rises=self._rises,
        )

    def __float__(self) -> float:
        return float(self._fixed())

    def is_integer(self) -> bool:
        return bool(self._fixed().is_integer())

    def __str__(self) -> str:
        return str(self._fixed())

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self._fixed(), spec)

    # NumPy

    def __array_ufunc__(  # type: ignore[override]
        self, ufunc: Any, method: str, *given: Any, **named: Any
    ) -> Any:
        import numpy as np

        if method != "__call__" or named.get("out") is not None:
            self._run.refuse(f"numpy.{ufunc.__name__} with {method} or out is not followed")
        found = ufunc(*(_as_objects(np, one) for one in given), **named)
        return found[()] if isinstance(found, np.ndarray) and found.ndim == 0 else found

    def _numpy_function(self, name: str) -> Any:
        import numpy as np

        function = getattr(np, name)

        def value(of: float) -> float:
            with np.errstate(all="ignore"):
                return float(function(np.float64(of)))

        return self._apply(f"numpy.{name}", value, assumed=f"numpy.{name}", numpy=True)

    def log(self) -> Any:
        return self._numpy_function("log")

    def log2(self) -> Any:
        return self._numpy_function("log2")

    def log10(self) -> Any:
        return self._numpy_function("log10")

    def log1p(self) -> Any:
        return self._numpy_function("log1p")

    def exp(self) -> Any:
        return self._numpy_function("exp")

    def expm1(self) -> Any:
        return self._numpy_function("expm1")

    def sqrt(self) -> Any:
        return self._apply("sqrt", math.sqrt, numpy=True)

    def floor(self) -> Any:
        return self._apply("numpy.floor", lambda value: float(math.floor(value)), numpy=True)

    def ceil(self) -> Any:
        return self._apply("numpy.ceil", lambda value: float(math.ceil(value)), numpy=True)

    def rint(self) -> Any:
        return self._apply("numpy.rint", lambda value: float(round(value)), numpy=True)

    def trunc(self) -> Any:
        return self._apply("numpy.trunc", lambda value: float(math.trunc(value)), numpy=True)


def _as_objects(np: Any, one: Any) -> Any:
    """Return an operand of one of NumPy's functions as an array of objects."""
    if isinstance(one, np.ndarray) and one.dtype != object:
        if one.dtype not in (np.float64, np.int64, np.bool_):
            raise TypeError(f"a draw meets an array of {one.dtype}")
        return one.astype(object)
    if isinstance(one, Lazy):
        box = np.empty((), dtype=object)
        box[()] = one
        return box
    return one

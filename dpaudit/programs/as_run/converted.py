# ruff: noqa: D105  (the operators and functions mean what they do of floats)
"""Conversions of unknown floats: to whole numbers, to text, and by NumPy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit.programs.guarding.refusal import frame_of_program
from dpaudit.programs.unknowns.kinds import PLAIN, kind_of_number
from dpaudit.programs.unknowns.lazy import Lazy

if TYPE_CHECKING:
    from dpaudit.programs.as_run.curves import Curve

__all__ = ["Converted"]


class Converted(Lazy):
    """A float that rises or falls with one draw, and the functions of one float."""

    __slots__ = ()
    _functions = frozenset(
        "log log2 log10 log1p exp expm1 sqrt floor ceil rint trunc sign".split()  # noqa: SIM905
    )
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

    def _known(self, other: Any) -> tuple[Any, bool]:
        """Return a known number as the operation takes it, and whether it is NumPy's."""
        kind = kind_of_number(other)
        if kind and kind != PLAIN:
            if kind in ("float16", "float32"):
                self._run.refuse(
                    f"a random float is combined with a {kind} of NumPy, which dpaudit cannot "
                    "follow; use float64"
                )
            return float(other.item()), True  # as NumPy makes a whole number one
        if not kind or isinstance(other, Decimal):
            return NotImplemented, False
        if self._numpy and isinstance(other, int):
            try:
                return float(other), False
            except OverflowError:
                self._run.refuse(
                    "a random float is combined with a whole number that is too large for a float"
                )
        return other, False

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
            return self._met(power, "__pow__")
        if self._numpy or numpy or math.isnan(known):
            self._run.refuse("dpaudit cannot follow a power of a random float of NumPy")
        if known < 0 and not self:
            raise ZeroDivisionError("0.0 cannot be raised to a negative power")
        if self._sign() < 0:
            self._run.refuse("dpaudit cannot follow a power of a negative random float")
        curve = self._curve.then("**", lambda value: value**known, known, assumed="pow")
        return self._made(curve, rises=self._rises == (known >= 0))

    def __rpow__(self, base: Any) -> Any:
        known, numpy = self._known(base)
        if known is NotImplemented:
            return self._met(base, "__rpow__")
        if self._numpy or numpy or not known > 0:
            self._run.refuse("dpaudit cannot follow such a power")
        curve = self._curve.then("r**", lambda value: known**value, known, assumed="pow")
        return self._made(curve, rises=self._rises == (known >= 1))

    # Whole numbers and the like

    def _whole(self, name: str, function: Callable[[Any], Any]) -> Any:
        if self._infinite():
            self._run.refuse("an infinite float is converted to a whole number")
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
        # NumPy multiplies, rounds and divides, which gives other floats than Python.
        name, function = ("numpy.round", _of_numpy) if self._numpy else ("round", _of_python)
        curve = self._curve.then(name, partial(function, digits), digits)
        return self._made(curve, rises=self._rises)

    def __float__(self) -> float:
        return float(self._fixed())

    def is_integer(self) -> bool:
        return bool(self._fixed().is_integer())

    def _value(self) -> Any:
        return self._stands_for()(self._fixed())

    def __str__(self) -> str:
        return str(self._value())

    def __repr__(self) -> str:
        return repr(self._value())

    def __format__(self, spec: str) -> str:
        return format(self._value(), spec)

    # NumPy

    def _numpy_function(self, name: str, least: float | None = None) -> Any:
        """Return what a function of NumPy's gives, which is no number below its ``least`` one."""
        import numpy as np

        function = getattr(np, name)
        if least is not None and self < least:  # type: ignore[operator]
            if np.geterr()["invalid"] != "warn":  # but says nothing, or raises
                return function(np.float64(least - 1.0))
            _warn_at_the_program(f"invalid value encountered in {name}")
            return np.float64(math.nan)

        def value(of: float) -> float:
            with np.errstate(all="ignore"):
                return float(function(np.float64(of)))

        return self._apply(f"numpy.{name}", value, assumed=f"numpy.{name}", numpy=True)

    def log(self) -> Any:
        return self._numpy_function("log", 0.0)

    def log2(self) -> Any:
        return self._numpy_function("log2", 0.0)

    def log10(self) -> Any:
        return self._numpy_function("log10", 0.0)

    def log1p(self) -> Any:
        return self._numpy_function("log1p", -1.0)

    def exp(self) -> Any:
        return self._numpy_function("exp")

    def expm1(self) -> Any:
        return self._numpy_function("expm1")

    def sqrt(self) -> Any:
        if self < 0.0:  # type: ignore[operator]
            return self._numpy_function("sqrt", 0.0)
        return self._apply("sqrt", math.sqrt, numpy=True)

    def floor(self) -> Any:
        return self._apply("numpy.floor", lambda value: float(math.floor(value)), numpy=True)

    def ceil(self) -> Any:
        return self._apply("numpy.ceil", lambda value: float(math.ceil(value)), numpy=True)

    def rint(self) -> Any:
        return self._apply("numpy.rint", lambda value: float(round(value)), numpy=True)

    def sign(self) -> Any:
        return self._apply("numpy.sign", lambda value: float((value > 0) - (value < 0)), numpy=True)

    def trunc(self) -> Any:
        return self._apply("numpy.trunc", lambda value: float(math.trunc(value)), numpy=True)


def _of_python(digits: int, value: float) -> float:
    return round(value, digits)


def _of_numpy(digits: int, value: float) -> float:
    import numpy as np

    return float(round(np.float64(value), digits))


def _warn_at_the_program(text: str) -> None:
    """Warn as NumPy does, of the line of the program and not of the engine's."""
    frame = frame_of_program()
    if frame is not None:
        names, line = frame.f_globals, frame.f_lineno
        registry = names.setdefault("__warningregistry__", {})
        warnings.warn_explicit(
            text, RuntimeWarning, frame.f_code.co_filename, line, registry=registry
        )

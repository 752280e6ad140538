"""Settings of the process that a call may leave changed for later ones, and for dpaudit.

They are no object that code refers to: :mod:`dpaudit.programs.guarding.state` does not reach them.
Each is a row here, by the name that a refusal gives it.
"""

from __future__ import annotations

import decimal
import locale
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from dpaudit.mechanisms.references import working_folder

__all__ = ["ProcessSettings"]


class _Setting(NamedTuple):
    name: str
    read: Callable[[], Any]
    """Return what can be compared, and what ``restore`` takes."""
    restore: Callable[[Any], object]


def _decimal_fields() -> tuple[Any, ...]:
    context = decimal.getcontext()
    traps = tuple(signal for signal, is_set in context.traps.items() if is_set)
    limits = context.prec, context.Emin, context.Emax
    return (*limits, context.rounding, context.capitals, context.clamp, traps)


def _set_decimal_fields(fields: tuple[Any, ...]) -> None:
    prec, low, high, rounding, capitals, clamp, traps = fields
    decimal.setcontext(decimal.Context(prec, rounding, low, high, capitals, clamp, [], list(traps)))


def _of_numpy(name: str) -> Callable[[], Any]:
    def read() -> Any:
        numpy = sys.modules.get("numpy")
        return None if numpy is None else getattr(numpy, name, dict)()

    return read


def _set_numpy(name: str) -> Callable[[Any], object]:
    return lambda fields: getattr(sys.modules["numpy"], name)(**fields)


def _set_filters(filters: tuple[Any, ...]) -> None:
    warnings.resetwarnings()  # it also empties the memory of warnings that were shown
    warnings.filters[:] = filters  # type: ignore[index]


_SETTINGS = (
    _Setting("the working directory", working_folder, os.chdir),
    _Setting("the context of decimal", _decimal_fields, _set_decimal_fields),
    _Setting("numpy.geterr()", _of_numpy("geterr"), _set_numpy("seterr")),
    _Setting("numpy.get_printoptions()", _of_numpy("get_printoptions"),
             _set_numpy("set_printoptions")),
    _Setting("the filters of warnings", lambda: tuple(warnings.filters), _set_filters),
    _Setting("sys.getrecursionlimit()", sys.getrecursionlimit, sys.setrecursionlimit),
    _Setting("the locale", lambda: locale.setlocale(locale.LC_ALL),
             lambda name: locale.setlocale(locale.LC_ALL, name)),
)  # fmt: skip


class ProcessSettings:
    """The settings of this process as they were when they were read."""

    def __init__(self) -> None:
        """Read them."""
        self._values = [setting.read() for setting in _SETTINGS]

    def changed(self) -> str | None:
        """Return the name of a setting that is another now; None if none is."""
        for setting, before in zip(_SETTINGS, self._values, strict=True):
            # NumPy is read as None until it is imported, which changes no setting.
            if before is not None and setting.read() != before:
                return setting.name
        return None

    def restore(self) -> None:
        """Set what is another now as it was."""
        for setting, before in zip(_SETTINGS, self._values, strict=True):
            if before and setting.read() != before:
                setting.restore(before)

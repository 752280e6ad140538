"""Mechanisms: their interface, those of the notes, the classics, and loading of your own.

``dpaudit.mechanisms`` is this package once something has imported it, and a function as long as
nothing has.  So the package can be called: ``dpaudit.mechanisms()`` lists the names either way.
"""

from __future__ import annotations

import sys
from types import ModuleType

__all__: list[str] = []


class _Callable(ModuleType):
    """A module that is called as the function of its name in ``dpaudit``."""

    def __call__(self) -> list[str]:
        """Return the names of all mechanisms."""
        from dpaudit.mechanisms.registry import mechanism_names

        return mechanism_names()


sys.modules[__name__].__class__ = _Callable

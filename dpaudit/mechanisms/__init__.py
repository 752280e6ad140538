"""Mechanisms: their interface, those of the notes, the classics, and loading of your own.

``dpaudit.mechanisms()`` lists the names of all mechanisms. It works whether Python has imported
this package or not, because the package itself can be called.
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

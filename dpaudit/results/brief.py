"""Short texts of large values: what a notebook, a traceback or a failed assertion shows of them."""

from __future__ import annotations

import reprlib
from dataclasses import fields, is_dataclass
from typing import Any

__all__ = ["LONGEST", "Brief", "brief"]

LONGEST = 200
"""Largest number of characters of the ``repr`` of a public object."""

_PARTS = reprlib.Repr()
_PARTS.maxlevel, _PARTS.maxtuple, _PARTS.maxlist, _PARTS.maxdict = 2, 2, 2, 3
_PARTS.maxstring, _PARTS.maxother = 40, 60


def brief(value: Any) -> str:
    """Return the name of a value's class, and as many of its fields as fit, each shortened."""
    names = (
        [attribute.name for attribute in fields(value)]
        if is_dataclass(value)
        else value.__struct_fields__
    )
    text = f"{type(value).__name__}("
    for index, name in enumerate(names):
        part = f"{', ' * bool(index)}{name}={_PARTS.repr(getattr(value, name))}"
        if len(text) + len(part) > LONGEST - 4:
            return f"{text}{', ' * bool(index)}…)"
        text += part
    return f"{text})"


class Brief:
    """Base of values whose ``repr`` is a short text, however many items they hold.

    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Long(Brief):
    ...     name: str
    ...     values: tuple[int, ...]
    >>> Long("a", (1, 2, 3, 4))
    Long(name='a', values=(1, 2, ...))
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the class and as many fields as fit on a line or two."""
        return brief(self)

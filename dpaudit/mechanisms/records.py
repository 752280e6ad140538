"""Dataclasses that a function returns, as tuples that are compared field by field.

A dataclass may leave fields out of its ``==``, may have no hash, and its ``==`` is code that runs
wherever outputs are compared.  A tuple of its fields, of a class of its own, has none of that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

__all__ = ["recorded"]

RecordT = TypeVar("RecordT", bound="_Record")


class _Record(tuple[Any, ...]):
    """The fields of a dataclass, in their order; each dataclass has a subclass."""

    __slots__ = ()
    names: tuple[str, ...] = ()

    @classmethod
    def _make(cls: type[RecordT], parts: Iterable[Any]) -> RecordT:
        """Return a record of other parts, as a named tuple does."""
        return cls(parts)

    def __repr__(self) -> str:
        """Show the dataclass as Python does."""
        shown = (f"{name}={part!r}" for name, part in zip(self.names, self, strict=True))
        return f"{type(self).__name__}({', '.join(shown)})"


def recorded(value: Any) -> Any:
    """Return a dataclass as a record of its fields, and any other value itself.

    So is a dataclass that has attributes beside its fields: they can be seen, and would be lost.

    >>> from dataclasses import make_dataclass
    >>> recorded(make_dataclass("Release", ["count"])(3))
    Release(count=3)
    """
    kind = type(value)
    if not is_dataclass(kind) or isinstance(value, tuple) or kind.__module__.startswith("dpaudit."):
        return value  # the package's own stand for what a run raised, and for what is open
    record = _record_of(kind)
    others = vars(value).keys() - set(record.names) if hasattr(value, "__dict__") else set()
    if others or not all(hasattr(value, name) for name in record.names):
        return value
    return record(getattr(value, name) for name in record.names)


@cache
def _record_of(kind: type) -> type[_Record]:
    names = tuple(field.name for field in fields(kind))
    attributes = {"__slots__": (), "names": names, "__module__": kind.__module__}
    return type(kind.__name__, (_Record,), attributes)

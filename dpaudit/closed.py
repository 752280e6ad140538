"""The base of numbers in closed form: what documents have as text that reads back exactly."""

from __future__ import annotations

__all__ = ["ClosedForm"]


class ClosedForm:
    """A number in closed form; its text reads back exactly, and that of zero is ``0``."""

    __slots__ = ()

    @property
    def is_zero(self) -> bool:
        """Whether this is 0."""
        return str(self) == "0"

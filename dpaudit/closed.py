"""The base of numbers in closed form: what documents have as text that reads back exactly."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["ClosedForm"]


class ClosedForm:
    """A number in closed form; its text reads back exactly, and that of zero is ``0``."""

    __slots__ = ()

    @property
    def is_zero(self) -> bool:
        """True if this is 0."""
        return str(self) == "0"

    def standing(self, other: ClosedForm | Fraction) -> int:
        """Return 1, 0 or −1 as this is certainly above ``other``, equal, or below.

        Raises ``PrecisionError`` where no precision tells.
        """
        raise NotImplementedError

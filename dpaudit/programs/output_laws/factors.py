"""The law of one whole number of an output: a multiple of a countable draw, and a constant."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.numbers.real import ONE, ZERO, Real, rational
from dpaudit.programs.unknowns.wholes import WholeDraw, chance, intersection

if TYPE_CHECKING:
    from collections.abc import Hashable

    from dpaudit.programs.unknowns.wholes import Interval, Support
    from dpaudit.programs.zones.integrals import Weight

__all__ = ["Factor"]


class Factor(NamedTuple):
    """The law of one place: a·Z + c with Z in a support, or the number c itself (no draw)."""

    draw: WholeDraw | None
    support: Support
    a: Any
    """A whole number, not 0, or a fraction where the place is a float."""
    c: Any

    def times(self, unit: int) -> Factor:
        """Return the law of the number multiplied by ``unit``, which makes it whole."""
        return self._replace(a=int(self.a * unit), c=int(self.c * unit))

    def mass(self, cell: Interval) -> Weight:
        """Return the probability that it lies in a ``cell``."""
        if self.draw is None:
            return ONE if _holds(cell, self.c) else ZERO
        inside = intersection(self.support, (self._of_draw(cell),))
        return chance(self.draw, inside) if inside else ZERO

    def _of_draw(self, cell: Interval) -> Interval:
        """Return between which numbers Z lies where a·Z + c lies in a cell."""
        low, high = cell if self.a > 0 else (cell[1], cell[0])
        first = None if low is None else Fraction(low - self.c, self.a)
        last = None if high is None else Fraction(high - self.c, self.a)
        return None if first is None else -(-first // 1), None if last is None else last // 1

    def starts(self) -> set[int]:
        """Return where its law begins to be another function."""
        if self.draw is None:
            return {self.c, self.c + 1}
        found = set()
        kinks: tuple[Interval, ...] = ((0, None),) if self.draw.kind == "discrete_laplace" else ()
        if self.draw.wrapping is not None:
            base, _, c = self.draw.wrapping
            kinks = ((c, c),) if base.rounding is not None else ((c, None),)
        if self.draw.rounding is not None:
            # The numbers in which the density has its peak, and those that an end cuts, are alone.
            cuts = (cut for cut in self.draw.rounding[1:] if cut is not None)
            kinks = tuple((math.floor(cut), math.floor(cut)) for cut in cuts)
        if self.normal() is not None:
            middle = math.floor(self.mean())
            found |= {middle - (middle - self.c) % abs(self.a)}  # of the lattice
        for low, high in (*self.support, *kinks):
            ends = [None if end is None else self.a * end + self.c for end in (low, high)]
            first, last = ends if self.a > 0 else ends[::-1]
            found |= {first} if first is not None else set()
            found |= {last + 1} if last is not None else set()
        return found

    def normal(self) -> tuple[str, Real] | None:
        """Return which normal noise it has, and of what width; None for other noise."""
        if self.draw is None:
            return None
        if self.draw.kind == "discrete_gaussian":
            return self.draw.kind, self.draw.parameter
        if self.draw.rounding is not None and self.draw.rounding[0].kind == "gaussian":
            noise = self.draw.rounding[0]
            return noise.kind, noise.scale * rational(abs(noise.factor))
        return None

    def mean(self) -> Fraction:
        """Return the mean of normal noise here, less what rounding adds to all of one lattice."""
        assert self.draw is not None
        shift = 0 if self.draw.rounding is None else self.draw.rounding[1]
        return Fraction(self.a * shift + self.c)

    def width(self) -> float:
        """Return about the standard deviation of normal noise here."""
        found = self.normal()
        assert found is not None
        return float(found[1]) * abs(int(self.a))

    def is_alike(self, other: Factor) -> bool:
        """Tell whether both have normal noise of one width on one lattice."""
        kind = self.normal()
        return kind is not None and (kind, self.a, self.c % self.a) == (
            other.normal(),
            other.a,
            other.c % other.a,
        )

    def is_geometric(self) -> bool:
        """Tell whether it is geometric between its starts."""
        if self.draw is None:
            return False
        kind = self.draw.kind if self.draw.rounding is None else self.draw.rounding[0].kind
        return kind in ("geometric", "discrete_laplace", "laplace", "exponential")

    def wrapped(self) -> Hashable:
        """Return which noise and modulus it has, if it is a remainder; else None.

        Two remainders of one kind have a quotient (A·s + B)/(C·s + D), s = t^(2k), between starts,
        which rises or falls.
        """
        if self.draw is None or self.draw.wrapping is None:
            return None
        base = self.draw.wrapping[0]
        ratio = base.tail_ratio()
        return (ratio, self.draw.parameter, self.a, self.c) if ratio is not None else None

    def lattice(self) -> tuple[Any, Any]:
        """Return the distance of its numbers, and one of them less a multiple of that."""
        return abs(self.a), self.c % abs(self.a)

    def shape(self, cell: Interval) -> Hashable:
        """Return what its law is on a cell without a start inside, up to a factor."""
        assert self.draw is not None
        lattice = self.lattice()
        upward = self.a > 0
        if self.draw.kind == "geometric":
            return ONE - self.draw.parameter, upward, lattice
        if self.draw.kind == "discrete_laplace":
            low = self._of_draw(cell)[0]
            falls = low is not None and low >= 0
            return (-ONE / self.draw.parameter).exp(), upward == falls, lattice
        if self.draw.rounding is not None:
            draw, shift, _, _ = self.draw.rounding
            low = self._of_draw(cell)[0]
            if draw.kind in ("laplace", "exponential"):
                scale = draw.scale * rational(abs(draw.factor))
                falls = (low is not None and low >= shift) or draw.kind == "exponential"
                falls = falls if draw.factor > 0 or draw.kind == "laplace" else not falls
                return (-ONE / scale).exp(), upward == falls, lattice
            if draw.kind == "uniform":
                return "flat", lattice
        return ("flat", lattice) if self.draw.kind == "integers" else (self.draw, self.a, self.c)


def _holds(cell: Interval, number: int) -> bool:
    low, high = cell
    return (low is None or low <= number) and (high is None or number <= high)

"""Laws as functions of the nominal ε: what an audit of every ε between two numbers asks of them.

An audit over an interval looks at no ε in particular.  It asks for two lines between which the
realised ε lies at *every* nominal ε of a piece, and cuts pieces until the lines are near enough.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

__all__ = ["UNKNOWN_LINES", "Ends", "EpsilonFamily", "Lines"]

Ends = tuple[Fraction | float, Fraction | float]
"""The values of a line at the first and the last ε of a piece; a float is infinite."""


class Lines(NamedTuple):
    """Two lines over the nominal ε of one piece, with the realised ε between them."""

    lower: Ends
    """The realised ε is on the line through these or above, at every ε of the piece.

    One of them may be below 0: raised to 0 alone it would raise the line in between."""
    upper: Ends
    """And on this one or below."""
    slope: Fraction | None = None
    """Ratio of realised to nominal ε, if it is known to be exactly constant on the piece."""


UNKNOWN_LINES = Lines((Fraction(0), Fraction(0)), (math.inf, math.inf))
"""Trivial lines, which enclose the realised ε of every mechanism."""


class EpsilonFamily(ABC):
    """The laws of all datasets of one size under every nominal ε > 0, all else fixed."""

    pairs: int
    """Number of unordered pairs covered by :meth:`lines`, in both directions, at every output."""

    @abstractmethod
    def lines(self, low: Fraction, high: Fraction) -> Lines:
        """Return lines that enclose the realised ε at every nominal ε from low > 0 to high > low.

        A piece that is too long for the bounds gives lines that are far apart: shorter pieces
        give better ones.
        """

    def bends(self, low: Fraction, high: Fraction) -> Iterable[float]:
        """Return some ε near which to cut the piece that :meth:`lines` was last asked about.

        Lines fit worst around a bend of what they enclose.  These are floats that nothing rests on.
        """
        return ()

"""Supplies of the uniforms and whole numbers that a program draws: one explores, one replays.

Library calls are written once, over a supply (:mod:`dpaudit.programs.as_run.numpy_calls` and its
neighbours).  One supply explores; one reads the raw words of a real generator, to tell what a real
run drew.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from dpaudit.numbers.real import rational
from dpaudit.programs.as_run.curves import UNIT, WORDS, Curve, Span
from dpaudit.programs.as_run.floats import RunFloat
from dpaudit.programs.as_run.tables import Table, chosen_from, cumulative, table_of
from dpaudit.programs.exploring.run import MOST_WAYS
from dpaudit.programs.unknowns.unknown_whole import Whole
from dpaudit.programs.unknowns.wholes import WholeDraw

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.unknowns.wholes import Support

__all__ = ["NUMPY", "SHARED", "SYSTEM", "Asked", "Drawing", "Exploring", "Stream", "Supply"]

_EAGER = 64
"""A whole number of at most so many values is decided when it is drawn."""

ALL: Span = (0, WORDS - 1)

Stream = str
"""The name of a stream of raw words: :data:`SHARED`, :data:`NUMPY` or :data:`SYSTEM`; ``python 0``,
``numpy 1``, … for the generators that a run makes, in their order."""
SHARED = "python"
"""Python's shared generator."""
NUMPY = "numpy"
"""NumPy's shared generator."""
SYSTEM = "system"
"""The operating system's bytes."""


class Supply:
    """Uniforms k/2⁵³ and whole numbers, each alike, as a library call asks for them."""

    def unit(self, span: Span = ALL, *, numpy: bool = False) -> float:
        """Return k/2⁵³ with k in ``span``: others are drawn again."""
        raise NotImplementedError

    def below(self, n: int, how: str = "") -> int:
        """Return one of 0, …, n − 1; ``how`` names the rejection that a generator does."""
        raise NotImplementedError

    def bits(self, k: int) -> int:
        """Return one of 0, …, 2^k − 1."""
        raise NotImplementedError

    def first_of_permutation(self, length: int, count: int, how: str) -> list[int]:
        """Return the first ``count`` entries of a permutation of 0, …, ``length`` − 1."""
        raise NotImplementedError

    def cut(self, kind: str, weights: Any) -> Any:
        """Return the cumulative weights of a choice, for :meth:`index`.

        Args:
            kind: class of the generator.
            weights: the weights, as an array.
        """
        return cumulative(weights)

    def index(self, ends: Any, uniform: float) -> int:
        """Return how many of ``ends``, an array in increasing order, are at most ``uniform``."""
        return bisect_right(ends, uniform)

    def refuse(self, reason: str) -> Any:
        """Refuse a call that is not followed."""
        raise NotImplementedError


Primitive = tuple[Any, ...]


@dataclass
class Asked:
    """One draw of a run: from how many, and what came of it."""

    count: int
    value: int = 0
    """The value, where it was decided at once."""
    number: int | None = None
    """The number of the draw in the run, where it was not."""
    stream: Stream = SHARED
    """Stream of its raw words."""
    primitive: Primitive = ("bits", 0)
    """Primitive that makes it of raw words: a method of :class:`Supply`, and its arguments."""
    looked_up: bool = False
    """True if nothing is seen of it but its cell among the cumulative weights of a choice."""


@lru_cache(maxsize=1 << 10)
def _draw(count: int) -> tuple[WholeDraw, Support]:
    """Return the draw of one of so many numbers, and where it lies."""
    draw = WholeDraw("integers", rational(count))
    return draw, draw.support()


MOST_DRAWS = 30_000
"""Largest number of draws of a run that are decided later."""


class Exploring(Supply):
    """Draws that are not known, of one run of an exploration."""

    def __init__(self, run: Run) -> None:
        """Draw for ``run``."""
        run.as_run = True
        self.run = run
        self.asked: list[Asked] = []
        self._open: list[Asked] = []
        """Those that were not decided at once, by their number."""
        self.stream: Stream = SHARED
        """Stream of the draws of the call that is under way."""
        self._made = 0

    def new_stream(self, kind: Stream) -> Stream:
        """Return the name of the stream of a generator that the run makes now."""
        self._made += 1
        return f"{kind} {self._made - 1}"

    def _ask(self, one: Asked) -> None:
        self.asked.append(one)
        self.run.drawn += 1

    def _new(self, count: int, primitive: Primitive) -> int:
        self.run.check_open()
        draw, support = _draw(count)
        number = len(self.run.wholes)
        if number >= MOST_DRAWS:
            self.run.refuse(
                f"dpaudit cannot follow a run that draws more than {MOST_DRAWS} numbers"
            )
        self.run.wholes.append(draw)
        self.run.supports.append(support)
        one = Asked(count, 0, number, self.stream, primitive)
        self._ask(one)
        self._open.append(one)
        return number

    def unit(self, span: Span = ALL, *, numpy: bool = False) -> float:
        low, high = span
        number = self._new(high - low + 1, ("unit", span))
        curve = UNIT
        if low:
            curve = Curve(lambda k: (k + low) * 2.0**-53, ("k/2^53 from", low), frozenset())
        return cast("float", RunFloat(self.run, number, curve, numpy=numpy))

    def below(self, n: int, how: str = "") -> int:
        if isinstance(n, Whole):
            n = n._fixed()
        return self._below(n, ("below", n, how))

    def _below(self, n: int, primitive: Primitive) -> int:
        if n > _EAGER:
            return cast("int", Whole(self.run, self._new(n, primitive)))
        self.run.check_open()
        taken = self.run.draw_finite(("below", n), n) if n > 1 else 0
        self.run.weight *= rational(Fraction(1, n))
        self._ask(Asked(n, taken, None, self.stream, primitive))
        return taken

    def bits(self, k: int) -> int:
        return self._below(1 << k, ("bits", k))

    def first_of_permutation(self, length: int, count: int, how: str) -> list[int]:
        # All first entries are alike, in any order: those after them are not drawn.
        if not count:  # a library permutes all the same, of which nothing is seen
            self._below(1, ("first", length, 0, 0, how))
        left = list(range(length))
        return [
            left.pop(int(self._below(len(left), ("first", length, place, count, how))))
            for place in range(count)
        ]

    def cut(self, kind: str, weights: Any) -> Any:
        return chosen_from(kind, weights)

    def index(self, ends: Any, uniform: float) -> int:
        table = ends if type(ends) is Table else table_of(ends.tolist())
        if not isinstance(uniform, RunFloat):
            return bisect_right(table.ends, uniform)
        if len(table.ends) > MOST_WAYS:
            self.refuse(
                f"dpaudit cannot follow a weighted choice among more than {MOST_WAYS} items"
            )
        if table.kind:
            self._open[uniform._number].looked_up = True
        return uniform._cell(table)

    def refuse(self, reason: str) -> Any:
        self.run.refuse(reason)


class Drawing(Supply):
    """The raw words of a generator, turned into draws just as its library does."""

    def __init__(self, word32: Callable[[], int], word64: Callable[[], int] | None = None) -> None:
        """Read from functions that give the next raw word of 32, or of 64, bits.

        Without the second, two words of 32 bits make one, the first its upper half.
        """
        self._word32 = word32
        self._has_64 = word64 is not None
        self._word64 = word64 or (lambda: word32() << 32 | word32())

    def unit(self, span: Span = ALL, *, numpy: bool = False) -> float:
        return self.unit_word(span) * 2.0**-53

    def unit_word(self, span: Span) -> int:
        """Return the k of the next uniform k·2⁻⁵³ whose k is in ``span``."""
        low, high = span
        while not low <= (k := self._unit_word()) <= high:
            pass
        return k

    def _unit_word(self) -> int:
        if self._has_64:
            return self._word64() >> 11
        return (self._word32() >> 5 << 26) + (self._word32() >> 6)

    def bits(self, k: int) -> int:
        """Return k bits as Python's generator does: whole words, the last cut short."""
        found = shift = 0
        while k > 0:
            word = self._word32()
            found |= (word >> 32 - k if k < 32 else word) << shift
            shift, k = shift + 32, k - 32
        return found

    def below(self, n: int, how: str = "") -> int:
        if how == "python":
            k = n.bit_length()
            while (found := self.bits(k)) >= n:
                pass
            return found
        if n == 1:
            return 0
        size = 32 if n <= 1 << 32 else 64
        word = self._word32 if size == 32 else self._word64
        if n == 1 << size:
            return word()
        if how == "masked":
            mask = (1 << (n - 1).bit_length()) - 1
            while (found := word() & mask) >= n:
                pass
            return found
        return _lemire(word, n, size)

    def first_of_permutation(self, length: int, count: int, how: str) -> list[int]:
        found = list(range(length))
        for i in reversed(range(1, length)):
            j = self.below(i + 1, how)
            found[i], found[j] = found[j], found[i]
        return found[:count]

    def refuse(self, reason: str) -> Any:
        raise NotImplementedError(reason)


def _lemire(word: Callable[[], int], n: int, size: int) -> int:
    """Return one of 0, …, n − 1 from words of ``size`` bits (Lemire 2019, Alg. 5)."""
    full = 1 << size
    product = word() * n
    if product % full < n:
        threshold = (full - n) % n
        while product % full < threshold:
            product = word() * n
    return product >> size

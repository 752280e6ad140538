"""Where the uniforms and the whole numbers of a program come from: three supplies of one kind.

Library calls are written once, over a supply (:mod:`dpaudit.programs.as_run.legacy` and its
neighbours).  One supply explores; one replays a path with real floats; one, for the tests, reads
the raw words of a real generator.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from dpaudit.numbers.real import rational
from dpaudit.programs.as_run.curves import MOST_VALUES, UNIT, WORDS, Curve, Span
from dpaudit.programs.as_run.floats import RunFloat
from dpaudit.programs.unknown_whole import Whole
from dpaudit.programs.wholes import WholeDraw

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.programs.run import Run

__all__ = ["Drawing", "Exploring", "Replaying", "Supply"]

_EAGER = 64
"""A whole number of at most so many values is decided when it is drawn."""

ALL: Span = (0, WORDS - 1)


class Supply:
    """Uniforms k/2⁵³ and whole numbers, each alike, as a library call asks for them."""

    raw = False
    """Whether the words of a real generator are read, and all that it reads are to be."""

    def unit(self, span: Span = ALL, *, numpy: bool = False) -> float:
        """Return k/2⁵³ with k in ``span``: others are drawn again."""
        raise NotImplementedError

    def below(self, n: int, how: str = "") -> int:
        """Return one of 0, …, n − 1; ``how`` names the rejection that a generator does."""
        raise NotImplementedError

    def bits(self, k: int) -> int:
        """Return one of 0, …, 2^k − 1."""
        raise NotImplementedError

    def index(self, ends: Sequence[float], uniform: float) -> int:
        """Return how many of ``ends``, in increasing order, are at most ``uniform``."""
        return bisect_right(ends, uniform)

    def refuse(self, reason: str) -> Any:
        """Refuse a call that is not followed."""
        raise NotImplementedError


@dataclass
class Asked:
    """One draw of a run: from how many, and what came of it."""

    count: int
    value: int = 0
    """The value, where it was decided at once."""
    number: int | None = None
    """The number of the draw in the run, where it was not."""


@lru_cache(maxsize=1 << 10)
def _draw(count: int) -> WholeDraw:
    return WholeDraw("integers", rational(count))


MOST_DRAWS = 30_000
"""How many numbers a run may draw that are decided later."""


class Exploring(Supply):
    """Draws that are not known, of one run of an exploration."""

    def __init__(self, run: Run) -> None:
        """Draw for ``run``."""
        run.as_run = True
        self.run = run
        self.asked: list[Asked] = []
        self.assumed: set[str] = set()

    def _new(self, count: int) -> int:
        self.run.check_open()
        draw = _draw(count)
        number = len(self.run.wholes)
        if number >= MOST_DRAWS:
            self.run.refuse(f"a run that draws more than {MOST_DRAWS} numbers is not followed")
        self.run.wholes.append(draw)
        self.run.supports.append(draw.support())
        self.asked.append(Asked(count, number=number))
        return number

    def unit(self, span: Span = ALL, *, numpy: bool = False) -> float:
        low, high = span
        number = self._new(high - low + 1)
        curve = UNIT
        if low:
            curve = Curve(lambda k: (k + low) * 2.0**-53, ("k/2^53 from", low), frozenset())
        return cast("float", RunFloat(self.run, number, curve, numpy=numpy))

    def below(self, n: int, how: str = "") -> int:
        if isinstance(n, Whole):
            n = n._fixed()
        if n > _EAGER:
            return cast("int", Whole(self.run, self._new(n)))
        self.run.check_open()
        taken = self.run.draw_finite(("below", n), n) if n > 1 else 0
        self.run.weight *= rational(Fraction(1, n))
        self.asked.append(Asked(n, taken))
        return taken

    def bits(self, k: int) -> int:
        return self.below(1 << k)

    def index(self, ends: Sequence[float], uniform: float) -> int:
        if not isinstance(uniform, RunFloat):
            return bisect_right(ends, uniform)
        known = tuple(map(float, ends))
        if len(known) > MOST_VALUES:
            self.refuse(f"a choice among more than {MOST_VALUES}")
        name = ("search", *(end.hex() for end in known))
        found = uniform._curve.then("search", lambda value: bisect_right(known, value), name)
        return int(uniform._made(found, rises=uniform._rises)._fixed())

    def refuse(self, reason: str) -> Any:
        self.run.refuse(reason)


class Replaying(Supply):
    """The draws of a path that was explored, as real floats and whole numbers.

    Of what is left open, one end is taken after the other.
    """

    def __init__(self, asked: Sequence[Asked], run: Run, changed: str, *, first: int) -> None:
        """Replay what ``run`` asked for; ``changed`` is refused if anything else is."""
        self._left = list(reversed(asked))
        self._run = run
        self._changed = changed
        self._turn = first
        self.refusal: BaseException | None = None
        self.left_open = False

    def _next(self, count: int) -> int:
        if not self._left or self._left[-1].count != count:
            self.refuse(self._changed)
        one = self._left.pop()
        if one.number is None:
            return one.value
        support = self._run.supports[one.number]
        self.left_open = True
        self._turn += 1
        value = support[0][0] if self._turn % 2 else support[-1][1]
        assert value is not None
        return value

    def unit(self, span: Span = ALL, *, numpy: bool = False) -> float:
        low, high = span
        return (low + self._next(high - low + 1)) * 2.0**-53

    def below(self, n: int, how: str = "") -> int:
        return self._next(n)

    def bits(self, k: int) -> int:
        return self._next(1 << k)

    def finished(self) -> None:
        """Refuse a path of which not all was drawn."""
        if self._left:
            self.refuse(self._changed)

    def refuse(self, reason: str) -> Any:
        from dpaudit.programs.refusal import Refused

        self.refusal = Refused(reason)
        raise self.refusal


class Drawing(Supply):
    """The raw words of a generator, turned into draws just as its library does."""

    raw = True

    def __init__(self, word32: Callable[[], int], word64: Callable[[], int] | None = None) -> None:
        """Read from functions that give the next raw word of 32, or of 64, bits.

        Without the second, two words of 32 bits make one, the first its upper half.
        """
        self._word32 = word32
        self._has_64 = word64 is not None
        self._word64 = word64 or (lambda: word32() << 32 | word32())

    def unit(self, span: Span = ALL, *, numpy: bool = False) -> float:
        low, high = span
        while True:
            if self._has_64:
                k = self._word64() >> 11
            else:
                k = (self._word32() >> 5 << 26) + (self._word32() >> 6)
            if low <= k <= high:
                return k * 2.0**-53

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

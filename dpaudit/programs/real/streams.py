"""Raw streams whose words are known: what a real run draws from, and what tells what it drew.

Nothing else of Python's and NumPy's generators is replaced.  A stream gives random words, or first
some that were chosen: :mod:`dpaudit.programs.real.raw_words` says which words make which draw.
"""

from __future__ import annotations

import _random
import random
from collections.abc import Sequence
from typing import Any

from dpaudit.programs.as_run.supply import Drawing

__all__ = ["BytesStream", "Entry", "MersenneStream", "OtherDrawsError", "Stream", "TypedStream"]

Entry = Any
"""A raw word: a number of 32 bits, some bytes, or a ``(kind, number)`` of NumPy's."""
_STATE = 624
"""Number of words that a state of the Mersenne Twister gives before it is made anew."""


class OtherDrawsError(Exception):
    """The real code read its raw words otherwise than was derived."""


class Stream:
    """One stream of raw words."""

    reader: Drawing
    """Reads again what a run read, draw by draw."""

    def begin(self, chosen: Sequence[Entry]) -> None:
        """Begin a run, which is given the ``chosen`` words first."""
        raise NotImplementedError

    def check_ended(self) -> None:
        """Raise ``OtherDrawsError`` unless all that the run read was read again."""
        raise NotImplementedError

    def forget(self) -> None:
        """Leave what the run read that was not read again."""


class MersenneStream(Stream):
    """A generator of Python's own, whose state is set; more words than a state are set anew."""

    def __init__(self, generator: _random.Random, source: _random.Random) -> None:
        """Take the generator, and the source of random words."""
        self._generator, self._source = generator, source
        self._twin = random.Random(0)
        self._together = False
        self._chosen: Sequence[Entry] = ()
        self._set = self._read = 0
        self._rest = tuple(source.getrandbits(32) for _ in range(_STATE))
        self.reader = Drawing(self._word)

    def begin(self, chosen: Sequence[Entry]) -> None:
        self._chosen = chosen
        self._set = self._read = 0
        if chosen:
            self._choose(0)
            self._together = True
        elif not self._together:
            seed = self._source.getrandbits(64)
            _random.Random.seed(self._generator, seed)
            _random.Random.seed(self._twin, seed)
            self._together = True
        self._generator.gauss_next = None  # type: ignore[attr-defined]

    def _choose(self, place: int) -> None:
        """Let the generator give the chosen words from a place on, and others after them."""
        words = tuple(map(_untempered, self._chosen[place : place + _STATE]))
        state = (*words, *self._rest[len(words) :], 0)
        _random.Random.setstate(self._generator, state)
        _random.Random.setstate(self._twin, state)
        self._set = place

    def renew(self) -> None:
        """Let the generator give the chosen words that follow, once it has given half a state.

        It is asked before every call of its own, so that no call sees the end of a state.
        """
        used = _random.Random.getstate(self._generator)[-1]
        place = self._set + used
        if (
            used >= _STATE // 2
            and place < len(self._chosen)
            and self._set + _STATE < len(self._chosen)
        ):
            self._choose(place)

    def _word(self) -> int:
        if self._read < self._set:  # before the state was set the last time
            self._read += 1
            return int(self._chosen[self._read - 1])
        return self._twin.getrandbits(32)

    def check_ended(self) -> None:
        if self._generator.getrandbits(32) != self._word():
            raise OtherDrawsError

    def forget(self) -> None:
        self._together = False

    def is_own(self, function: Any) -> bool:
        """Tell whether a built-in function is a draw of this generator, of more than a state."""
        return len(self._chosen) > _STATE and (
            getattr(function, "__self__", None) is self._generator
        )


def _untempered(word: int) -> int:
    """Return the word of a state whose output is this one (Matsumoto, Nishimura 1998, eq. 2.2-2.5).

    >>> generator = random.Random()
    >>> generator.setstate((3, (*map(_untempered, range(624)), 0), None))
    >>> [generator.getrandbits(32) for _ in range(4)]
    [0, 1, 2, 3]
    """
    word ^= word >> 18
    word ^= word << 15 & 0xEFC60000
    found = word
    for _ in range(4):
        found = word ^ (found << 7 & 0x9D2C5680)
    word = found
    found = word ^ word >> 11
    return word ^ found >> 11


class BytesStream(Stream):
    """The operating system's bytes."""

    def __init__(self, source: _random.Random) -> None:
        """Take the source of random bytes."""
        self._source = source
        self._chosen: list[bytes] = []
        self._read: list[bytes] = []
        self._next = 0
        self.reader = _BytesReader(self)

    def begin(self, chosen: Sequence[Entry]) -> None:
        self._chosen, self._read, self._next = [*chosen][::-1], [], 0

    def urandom(self, size: int) -> bytes:
        """Return so many bytes, as ``os.urandom`` does."""
        found = None
        if self._chosen:
            found = self._chosen.pop()
            if len(found) != size:
                self._chosen.clear()
                found = None
        if found is None:
            found = self._source.getrandbits(8 * size).to_bytes(size, "big") if size else b""
        if size:
            self._read.append(found)
        return found

    def again(self, size: int) -> bytes:
        """Return the next bytes that the run read, which must be as many."""
        if self._next >= len(self._read) or len(self._read[self._next]) != size:
            raise OtherDrawsError
        self._next += 1
        return self._read[self._next - 1]

    def check_ended(self) -> None:
        if self._next != len(self._read):
            raise OtherDrawsError


class _BytesReader(Drawing):
    """Reads bytes as ``random.SystemRandom`` does."""

    def __init__(self, stream: BytesStream) -> None:
        super().__init__(_no_word)
        self._stream = stream

    def _unit_word(self) -> int:
        return int.from_bytes(self._stream.again(7), "big") >> 3

    def bits(self, k: int) -> int:
        size = (k + 7) // 8
        return int.from_bytes(self._stream.again(size), "big") >> size * 8 - k


def _no_word() -> int:
    raise OtherDrawsError


class TypedStream(Stream):
    """A bit generator of NumPy's, asked for uniforms and for words of 32 and of 64 bits."""

    def __init__(self, source: _random.Random) -> None:
        """Take the source of random words."""
        self._source = source
        self._chosen: list[Entry] = []
        self._read: list[Entry] = []
        self._next = 0
        self.reader = _TypedReader(self)

    def begin(self, chosen: Sequence[Entry]) -> None:
        self._chosen, self._read, self._next = [*chosen][::-1], [], 0

    def word(self, bits: int) -> int:
        """Return a word of so many bits: 53 stand for a uniform."""
        if self._chosen:
            kind, found = self._chosen.pop()
            if kind == bits:
                self._read.append((bits, found))
                return int(found)
            self._chosen.clear()
        found = self._source.getrandbits(bits)
        self._read.append((bits, found))
        return found

    def again(self, bits: int) -> int:
        """Return the next word that the run read, which must be of as many bits."""
        if self._next >= len(self._read) or self._read[self._next][0] != bits:
            raise OtherDrawsError
        self._next += 1
        return int(self._read[self._next - 1][1])

    def check_ended(self) -> None:
        if self._next != len(self._read):
            raise OtherDrawsError


class _TypedReader(Drawing):
    """Reads words as NumPy's distributions do."""

    def __init__(self, stream: TypedStream) -> None:
        super().__init__(lambda: stream.again(32), lambda: stream.again(64))
        self._stream = stream

    def _unit_word(self) -> int:
        return self._stream.again(53)

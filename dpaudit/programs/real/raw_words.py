"""Raw words that make a draw of a chosen value, as each library reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.programs.as_run.supply import NUMPY, SYSTEM

if TYPE_CHECKING:
    from _random import Random
    from collections.abc import Sequence

    from dpaudit.programs.as_run.supply import Asked
    from dpaudit.programs.real.streams import Entry

__all__ = ["chosen_words"]


def chosen_words(
    asked: Sequence[Asked], values: Sequence[int], junk: Random
) -> dict[str, list[Entry]]:
    """Return the raw words of every stream that make these draws.

    Args:
        asked: the draws of a path, in order.
        values: the value of each.
        junk: gives the bits that do not matter.
    """
    found: dict[str, list[Entry]] = {}
    for place, (one, value) in enumerate(zip(asked, values, strict=True)):
        stream = found.setdefault(one.stream, [])
        kind = one.stream.partition(" ")[0]
        name, *given = one.primitive
        if name == "first":  # all that a permutation draws is drawn at once
            length, first, count, how = given
            if not first:
                entries = values[place : place + count]
                stream += _permutation(length, entries, how, junk)
        elif kind == NUMPY:
            stream += _numpy(name, given, value, junk)
        elif kind == SYSTEM:
            stream += _system(name, given, value, junk)
        else:
            stream += _python(name, given, value, junk)
    return found


def _python(name: str, given: Sequence[Any], value: int, junk: Random) -> list[Entry]:
    """Return words of the Mersenne Twister, as Python reads them."""
    if name == "unit":
        k = given[0][0] + value
        high, low = k >> 26, k & (1 << 26) - 1
        return [high << 5 | junk.getrandbits(5), low << 6 | junk.getrandbits(6)]
    left = given[0].bit_length() if name == "below" else given[0]
    words = []
    while left > 0:
        word = value & 0xFFFFFFFF
        value >>= 32
        if left < 32:
            word = word << 32 - left | junk.getrandbits(32 - left)
        words.append(word)
        left -= 32
    return words


def _system(name: str, given: Sequence[Any], value: int, junk: Random) -> list[Entry]:
    """Return bytes, as ``random.SystemRandom`` reads them."""
    if name == "unit":
        return [(value << 3 | junk.getrandbits(3)).to_bytes(7, "big")]
    bits = given[0].bit_length() if name == "below" else given[0]
    size = (bits + 7) // 8
    rest = size * 8 - bits
    word = value << rest | (junk.getrandbits(rest) if rest else 0)
    return [word.to_bytes(size, "big")]


def _numpy(name: str, given: Sequence[Any], value: int, junk: Random) -> list[Entry]:
    """Return words as NumPy's distributions read them."""
    if name == "unit":
        return [(53, given[0][0] + value)]
    if name == "bits":
        return [(given[0], value)]
    n, how = given
    if n == 1:
        return []
    size = 32 if n <= 1 << 32 else 64
    full = 1 << size
    if n == full:
        return [(size, value)]
    if how == "masked":
        used = (n - 1).bit_length()
        return [(size, junk.getrandbits(size - used) << used | value if used < size else value)]
    # Lemire 2019, Alg. 5: the upper half of word·n is the value; few lower halves are rejected.
    first, last = -(-value * full // n), -(-(value + 1) * full // n) - 1
    word = first + junk.getrandbits(64) % (last - first + 1)
    if word * n % full < (full - n) % n:
        word = word + 1 if word < last else word - 1
    return [(size, word)]


def _permutation(length: int, places: Sequence[int], how: str, junk: Random) -> list[Entry]:
    """Return the words of a permutation whose first entries are at these places of what is left."""
    left = list(range(length))
    wanted = [left.pop(place) for place in places]
    while left:
        wanted.append(left.pop(junk.getrandbits(64) % len(left)))
    found, words = list(range(length)), []
    for i in reversed(range(1, length)):
        j = found.index(wanted[i])
        found[i], found[j] = found[j], found[i]
        words += _numpy("below", (i + 1, how), j, junk)
    return words

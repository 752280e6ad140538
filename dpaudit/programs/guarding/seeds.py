"""Search for the seed of a Mersenne Twister in its state.

A generator with a seed that somebody chose repeats its draws, so they can be predicted.  Its state
tells whether that is so.  ``init_by_array`` of Matsumoto and Nishimura (2002), with which Python
and NumPy seed it, mixes the words of the seed into 624 words, in turn, by steps that can be undone:
a short seed shows as words that repeat.  What was drawn since is undone as well, up to about
10,000 words.
"""

from __future__ import annotations

import _random
import random
import sys
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha512
from typing import Any

__all__ = ["SAFE_BITS", "bits_of", "has_chosen_seed", "seeded_state"]

SAFE_BITS = 64
"""A seed of more random bits is tried by nobody."""
_WORDS, _SHIFT = 624, 397
_MASK, _UPPER, _LOWER = 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF
_TWIST = 0x9908B0DF
_FIRST_SEED, _FIRST, _SECOND, _LINEAR = 19650218, 1664525, 1566083941, 1812433253
_MOST_TWISTS = 16
"""So often 624 words were drawn at most."""
_SHORT = 2
"""A seed of more words is tried by nobody, unless it is made of a text."""
_LONGEST_TEXT = 16
"""Largest number of bytes of a text that is taken as chosen."""
_HASH = 64
"""Bytes that Python adds to a text that is a seed: its SHA-512."""


def _mixed(word: int) -> int:
    return word ^ (word >> 30)


def _filled(seed: int) -> list[int]:
    """Return the state that one word as a seed gives (``init_genrand``)."""
    state = [seed & _MASK]
    for place in range(1, _WORDS):
        state.append((_LINEAR * _mixed(state[-1]) + place) & _MASK)
    return state


_BEFORE = _filled(_FIRST_SEED)


def _before_twist(state: Sequence[int]) -> list[int]:
    """Return the state before the last 624 words, without 31 bits of no use of its first word."""
    words = list(state)
    for place in reversed(range(_WORDS)):
        upper = words[place] ^ words[(place + _SHIFT) % _WORDS]
        lower = words[place - 1] ^ words[(place + _SHIFT - 1) % _WORDS]
        bit = lower >> 31
        upper = (upper ^ _TWIST) if upper >> 31 else upper
        lower = (lower ^ _TWIST) if bit else lower
        words[place] = ((upper << 1) & _UPPER) | ((lower << 1) & _LOWER) | bit
    return words


def _word(state: Sequence[int], place: int) -> int:
    """Return what the seed added at a place, 4 to 623, of the state that it gave."""
    second = [
        ((state[at] + at) & _MASK) ^ ((_mixed(state[at - 1]) * _SECOND) & _MASK)
        for at in (place - 1, place)
    ]
    return (second[1] - (_BEFORE[place] ^ ((_mixed(second[0]) * _FIRST) & _MASK))) & _MASK


def _seed_of(state: Sequence[int]) -> list[int] | None:
    """Return the words of a seed that gave a state; None for a long seed, or another state."""
    last = _word(state, _WORDS - 1)
    longest = (_LONGEST_TEXT + _HASH) // 4
    for length in range(1, longest + 1):
        if _word(state, _WORDS - 1 - length) != last:
            continue
        added = [_word(state, place) for place in range(4, _WORDS)]
        if added[length:] == added[:-length]:
            # A place has the word of the number before, and that number was added to it.
            return [(added[(number - 3) % length] - number) & _MASK for number in range(length)]
    return None


@lru_cache(maxsize=64)
def _is_chosen(state: tuple[int, ...]) -> bool:
    """Tell whether the state of a generator comes from a seed that somebody may have chosen.

    Args:
        state: its 624 words.
    """
    words: Sequence[int] = state
    for _ in range(_MOST_TWISTS + 1):
        if all(
            words[place] == (_LINEAR * _mixed(words[place - 1]) + place) & _MASK
            for place in range(2, _WORDS)
        ):
            return True  # one word, as RandomState(42) is seeded
        seed = _seed_of(words)
        if seed is not None and (len(seed) <= _SHORT or _is_text(seed)):
            return True
        words = _before_twist(words)
    return False


def _is_text(seed: Sequence[int]) -> bool:
    """Tell whether a seed is a text followed by its hash, as Python makes it."""
    number = sum(word << (32 * place) for place, word in enumerate(seed))
    content = number.to_bytes(4 * len(seed), "big").lstrip(b"\0")
    return sha512(content[:-_HASH]).digest() == content[-_HASH:]


def _words_of(generator: Any) -> tuple[int, ...] | None:
    """Return the state of a Mersenne Twister; None for another generator."""
    if isinstance(generator, random.SystemRandom):
        return None
    if isinstance(generator, random.Random):
        return _random.Random.getstate(generator)[:_WORDS]
    bits = bits_of(generator)
    state = getattr(bits, "state", {}).get("state", {})
    return tuple(map(int, state["key"])) if "key" in state else None


def has_chosen_seed(generator: Any) -> bool:
    """Tell whether a generator has a seed that somebody may have chosen.

    The state of a Mersenne Twister tells that, and the seed sequence of NumPy's others.
    """
    words = _words_of(generator)
    entropy = _entropy(generator)  # NumPy draws 128 bits; None is a seed that is not known
    is_short = entropy is not None and _bits(entropy) <= SAFE_BITS
    return is_short or (words is not None and _is_chosen(words))


def bits_of(generator: Any) -> Any:
    """Return what gives a generator of NumPy's its bits; None for any other object."""
    return getattr(generator, "_bit_generator", None) or getattr(generator, "bit_generator", None)


def _entropy(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return None
    bits = bits_of(generator)
    return getattr(getattr(bits, "seed_seq", None), "entropy", None)


def _bits(entropy: Any) -> int:
    """Return the number of bits of a number, or of all numbers of a sequence; 0 for a text."""
    if isinstance(entropy, str):
        return 0
    try:
        return sum(map(_bits, entropy))
    except TypeError:
        return int(entropy).bit_length()


def seeded_state(generator: Any, seed: int) -> dict[str, Any]:
    """Return the state that a ``RandomState`` has after ``seed``, for its ``set_state``.

    The method ``seed`` itself drops the seed sequence of the bit generator for good, and with it
    what shows that nobody chose its seed.
    """
    bits = bits_of(generator)
    if type(bits).__name__ == "MT19937":
        state: dict[str, Any] = (
            sys.modules["numpy.random.mtrand"].RandomState(seed).get_state(legacy=False)
        )
        return state
    return {**type(bits)(seed).state, "has_gauss": 0, "gauss": 0.0}

"""Coins that say which canaries are in a training set, from a seed alone."""

from __future__ import annotations

import hashlib

__all__ = ["coins"]

_BITS = 256


def coins(seed: str, count: int) -> str:
    """Return so many coins as text: ``1`` for a canary that is in, ``0`` for one that is out.

    They are the bits, the highest first, of the SHA-256 of ``dpaudit.inclusion/1``, the seed and
    the number of the block, from 0, on three lines of UTF-8 without a last line break.

    >>> coins("7", 16)
    '1100111110000111'
    """
    blocks = []
    for block in range(-(-count // _BITS)):
        digest = hashlib.sha256(f"dpaudit.inclusion/1\n{seed}\n{block}".encode()).digest()
        blocks.append(f"{int.from_bytes(digest, 'big'):0{_BITS}b}")
    return "".join(blocks)[:count]

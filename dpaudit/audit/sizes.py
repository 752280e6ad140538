"""Lists of data sizes: ``10..180``, ``10..180..10``, ``10,20,40`` and their combinations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

from dpaudit.errors import SizeError

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["MAX_SIZE", "read_sizes", "sizes_of"]

MAX_SIZE = 10_000_000
MAX_SIZES = 1_000_000
_ALLOWED = "allowed are sizes of at least 1 as N, FIRST..LAST, FIRST..LAST..STEP, joined by commas"
_RANGE = re.compile(r"(\d{1,12})\.\.(\d{1,12})(?:\.\.(\d{1,12}))?", re.ASCII)


def read_sizes(given: str | int | Iterable[int]) -> tuple[int, ...]:
    """Return the sizes in increasing order without repetition; ``SizeError`` for nonsense.

    >>> read_sizes("10..180..50"), read_sizes("40,10,20"), read_sizes(5)
    ((10, 60, 110, 160), (10, 20, 40), (5,))
    """
    if isinstance(given, str):
        parts = [part.strip() for part in given.split(",")]
        ranges = [_part(part, given) for part in parts]
        if sum(map(len, ranges)) > MAX_SIZES:
            raise SizeError(f"n lists more than {MAX_SIZES} sizes; {_ALLOWED}")
        sizes = [_whole(size) for sizes in ranges for size in sizes]
    elif isinstance(given, Iterable) and not isinstance(given, (bytes, bytearray)):
        sizes = [_whole(size) for size in given]
    else:
        sizes = [_whole(given)]
    if not sizes:
        raise SizeError(f"no sizes are given; {_ALLOWED}")
    return tuple(sorted(set(sizes)))


def _whole(size: object) -> int:
    """Return a size given as a whole number, NumPy's included."""
    whole = int(size) if isinstance(size, Integral) and not isinstance(size, bool) else 0
    if not 1 <= whole <= MAX_SIZE:
        raise SizeError(f"n = {size}: a size must be a whole number from 1 to {MAX_SIZE}")
    return whole


def sizes_of(mechanism: Mechanism[Any], given: str | int | Iterable[int] | None) -> tuple[int, ...]:
    """Return the sizes given, or the one that ``mechanism`` means if none is."""
    if given is None and mechanism.default_size is None:
        raise SizeError(f"n is needed: the datasets of {mechanism.name} depend on it")
    return read_sizes(mechanism.default_size or 1 if given is None else given)


def _part(part: str, given: str) -> Sequence[int]:
    if re.fullmatch(r"\d{1,12}", part, re.ASCII):
        return [int(part)]
    match = _RANGE.fullmatch(part)
    if match is None:
        raise SizeError(f"n = {given!r} is not a list of sizes; {_ALLOWED}")
    first, last, step = (int(number or 1) for number in match.groups())
    if first > last:
        raise SizeError(f"n = {part}: the range runs backwards; did you mean {last}..{first}?")
    if step < 1 or not 1 <= first <= last <= MAX_SIZE:
        raise SizeError(f"n = {part}: sizes must lie from 1 to {MAX_SIZE}, the step at least 1")
    return range(first, last + 1, step)

"""The functions of ``numpy.random`` and of a ``Generator``, where they differ from one another."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.programs.as_run import called_math
from dpaudit.programs.as_run.numpy_arguments import asking_first
from dpaudit.programs.as_run.numpy_calls import Calls
from dpaudit.programs.unknowns.unknown_whole import Whole

__all__ = ["NewCalls", "OldCalls"]

_TAIL = 10_000


class OldCalls(Calls):
    """The functions of ``numpy.random`` and of a ``RandomState``."""

    how = "masked"

    def _name_of(self, name: str) -> str:
        return "random_sample" if name in ("ranf", "sample") and type(self) is OldCalls else name

    def _log_rest(self, chance: float) -> float:
        return math.log(1.0 - chance)

    def random(self, size: Any = None) -> Any:
        return self._random(size)

    random_sample = ranf = sample = random

    def rand(self, *shape: int) -> Any:
        return self._random(shape or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        return _integers(self, low, high, size, dtype)

    def bytes(self, length: int) -> bytes:
        supply = self._supply()
        words = [int(supply.bits(32)) for _ in range((length - 1) // 4 + 1)]
        return b"".join(word.to_bytes(4, "little") for word in words)[:length]

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        (mean,) = self._scalars(scale=scale)
        supply = self._supply()

        def draw() -> Any:
            return mean * -called_math.log(1.0 - supply.unit(numpy=size is not None))

        return self._filled(size, draw)

    def standard_exponential(self, size: Any = None) -> Any:
        return self.exponential(1.0, size)

    def _geometric_by_inversion(self, chance: float) -> int:
        u = self._supply().unit()
        found: int = math.ceil(called_math.log1p(-u) / math.log1p(-chance))
        return found

    def _without(self, length: int, count: int, *, shuffle: bool) -> list[int]:
        return self._supply().first_of_permutation(length, count, "masked")


class NewCalls(Calls):
    """The functions of a ``Generator``."""

    how = "lemire"
    kind = "Generator"

    def random(self, size: Any = None, dtype: Any = float, out: Any = None) -> Any:
        import numpy as np

        if out is not None or np.dtype(dtype) != np.float64:
            self._refuse("dpaudit cannot follow random with out or another type than float64")
        return self._random(size)

    def _binomial(self, count: int, chance: float) -> int:
        return super()._binomial(count, chance) if count and chance else 0

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = int, endpoint: bool = False
    ) -> Any:
        return _integers(self, low, high, size, dtype, endpoint=endpoint)

    def permuted(self, x: Any, *, axis: Any = None, out: Any = None) -> Any:
        return self._refuse("dpaudit cannot follow permuted")

    def _geometric_by_inversion(self, chance: float) -> int:
        return int(self._refuse("dpaudit cannot follow geometric with p below 1/3"))

    def _without(self, length: int, count: int, *, shuffle: bool) -> list[int]:
        supply = self._supply()
        if length > _TAIL and count > length // (50 if shuffle else 20):
            found = list(range(length))
            for i, j in self._swaps(length, max(length - count, 1)):
                found[i], found[j] = found[j], found[i]
            return found[length - count :]
        found = []
        for j in range(length - count, length):  # Floyd's algorithm
            value = int(supply.below(j + 1, self.how))
            found.append(j if value in found else value)
        if shuffle:
            for i, j in self._swaps(count):
                found[i], found[j] = found[j], found[i]
        return found


def _integers(
    calls: Calls, low: Any, high: Any, size: Any, dtype: Any, *, endpoint: bool = False
) -> Any:
    """Return whole numbers from ``low``, to ``high`` or below it."""
    import numpy as np

    if np.dtype(dtype) not in (np.dtype(np.int64), np.dtype(np.int32)):
        calls._refuse(
            f"dpaudit cannot follow random whole numbers of type {np.dtype(dtype)}; use int64 "
            "or int32"
        )
    calls._scalars(low=low, high=0 if high is None else high)
    kinds = (int, float, np.integer, np.floating, type(None))
    if not all(isinstance(one, kinds) for one in (low, high)):
        calls._refuse("dpaudit cannot follow random whole numbers whose ends are not plain numbers")
    # NumPy cuts the decimals of floats off, where it takes them at all.
    first, last = (0, int(low)) if high is None else (int(low), int(high))
    count = last - first + endpoint
    supply = calls._supply()
    plain = size is None and calls.how == "masked" and dtype is int
    kind = int if plain else np.dtype(dtype).type

    def draw() -> Any:
        found: Any = first + supply.below(count, calls.how)
        return found.of_kind(kind) if isinstance(found, Whole) else found

    found = calls._filled(size, draw, int)
    if size is None:
        return kind(found) if type(found) is int else found
    return found if found.dtype == object else found.astype(dtype)


for _cls in (OldCalls, NewCalls):
    for _name in dir(_cls):
        if not _name.startswith("_") and callable(getattr(_cls, _name)):
            setattr(_cls, _name, asking_first(_name, getattr(_cls, _name)))

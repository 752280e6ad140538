"""The algorithms of ``numpy.random`` that are followed, over a supply of uniforms and integers.

Each is the library's own, step by step; the tests hold them to the real ones on raw streams.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dpaudit.programs.as_run import called_math
from dpaudit.programs.as_run.curves import WORDS
from dpaudit.programs.as_run.numpy_arguments import remember_the_real_ones
from dpaudit.programs.as_run.tables import cumulative
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED

if TYPE_CHECKING:
    from dpaudit.programs.as_run.supply import Supply

__all__ = ["Calls", "remember_the_real_ones"]

_KNOWN = (int, float)


class Calls:
    """Algorithms that both kinds of NumPy's generators share."""

    how = ""
    """Method by which a whole number is kept below a bound."""
    kind = "RandomState"
    """NumPy's own class."""
    _shape: tuple[int, ...] = ()
    """The shape that NumPy gives what was asked for last."""

    def __init__(self, supply: Callable[[], Supply]) -> None:
        """Draw from what ``supply`` gives, at each call anew."""
        self._supply = supply

    def _refuse(self, reason: str) -> Any:
        """Refuse a call that is not followed."""
        return self._supply().refuse(f"numpy.random: {reason}")

    def _name_of(self, name: str) -> str:
        """Return what NumPy's class calls a method."""
        return name

    def _filled(self, size: Any, draw: Callable[[], Any], dtype: type = float) -> Any:
        """Return an array of ``size`` filled by ``draw``, or one draw for None."""
        import numpy as np

        if size is None:
            return draw()
        shape = self._shape
        if not FAILS_CLOSED:
            shape = tuple(map(int, size if hasattr(size, "__iter__") else (size,)))
        values = [draw() for _ in range(math.prod(shape))]
        plain = all(type(value) in _KNOWN for value in values)
        found: Any = np.empty(len(values), dtype=dtype if plain else object)
        for place, value in enumerate(values):
            found[place] = value
        return found.reshape(shape)

    def _scalars(self, **given: Any) -> list[float]:
        """Return arguments as floats; arrays of them are not followed."""
        found = []
        for name, value in given.items():
            if getattr(value, "shape", ()) != () or isinstance(value, (list, tuple)):
                self._refuse(f"dpaudit cannot follow {name} as an array")
            found.append(float(value))
        return found

    def _random(self, size: Any = None) -> Any:
        supply = self._supply()
        return self._filled(size, lambda: supply.unit(numpy=size is not None))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        first, last = self._scalars(low=low, high=high)
        supply = self._supply()
        width = last - first
        return self._filled(size, lambda: first + width * supply.unit(numpy=size is not None))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        centre, width = self._scalars(loc=loc, scale=scale)
        supply = self._supply()

        def draw() -> Any:
            u = supply.unit((1, WORDS - 1), numpy=size is not None)
            if u >= 0.5:
                return centre - width * called_math.log(2.0 - u - u)
            return centre + width * called_math.log(u + u)

        return self._filled(size, draw)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        centre, width = self._scalars(loc=loc, scale=scale)
        supply = self._supply()

        def draw() -> Any:
            u = 1.0 - supply.unit((1, WORDS - 1), numpy=size is not None)
            return centre - width * called_math.log(-called_math.log(u))

        return self._filled(size, draw)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        centre, width = self._scalars(loc=loc, scale=scale)
        supply = self._supply()

        def draw() -> Any:
            u = supply.unit((1, WORDS - 1), numpy=size is not None)
            return centre + width * called_math.log(u / (1.0 - u))

        return self._filled(size, draw)

    def geometric(self, p: Any, size: Any = None) -> Any:
        (chance,) = self._scalars(p=p)
        return self._filled(size, lambda: self._geometric(chance), int)

    def _geometric(self, chance: float) -> int:
        if chance < 1 / 3:
            return self._geometric_by_inversion(chance)
        u = self._supply().unit()
        count, total, product, rest = 1, chance, chance, 1.0 - chance
        while u > total:
            product *= rest
            if total + product == total:
                self._refuse("geometric may never end")
            total += product
            count += 1
        return count

    def _geometric_by_inversion(self, chance: float) -> int:
        raise NotImplementedError

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        for value in (n, p):
            self._scalars(argument=value)
        count, chance = int(n), float(p)
        return self._filled(size, lambda: self._binomial(count, chance), int)

    def _binomial(self, count: int, chance: float) -> int:
        few = chance if chance <= 0.5 else 1.0 - chance
        if few * count > 30.0:
            self._refuse("dpaudit cannot follow binomial with n·p above 30")
        found = self._by_inversion(count, few)
        return found if chance <= 0.5 else count - found

    def _log_rest(self, chance: float) -> float:
        return math.log1p(-chance)

    def _by_inversion(self, count: int, chance: float) -> int:
        first = math.exp(count * self._log_rest(chance))
        last = _last_step(count, chance, first)
        found = _steps(self._supply().unit((0, last)), count, chance, first)
        assert found is not None
        return found

    def shuffle(self, x: Any, axis: int = 0) -> None:
        if axis != 0:
            self._refuse("dpaudit cannot follow shuffle along another axis")
        for i, j in self._swaps(len(x), how="masked"):
            if hasattr(x, "ndim") and (x.ndim > 1 or x.dtype.names):  # whose parts are views
                x[[i, j]] = x[[j, i]]
            else:
                x[i], x[j] = x[j], x[i]

    def _swaps(self, n: int, first: int = 1, how: str = "lemire") -> Iterator[tuple[int, int]]:
        supply = self._supply()
        for i in reversed(range(first, n)):
            yield i, int(supply.below(i + 1, how))

    def permutation(self, x: Any, axis: int = 0) -> Any:
        import numpy as np

        if axis != 0:
            self._refuse("dpaudit cannot follow permutation along another axis")
        if isinstance(x, (int, np.integer)):
            found = np.arange(x)
            self.shuffle(found)
            return found
        given = np.asarray(x)
        order = np.arange(len(given))
        self.shuffle(order)
        return given[order]

    def choice(
        self, a: Any, size: Any = None, replace: Any = True, p: Any = None, *more: Any, **named: Any
    ) -> Any:
        import numpy as np

        if more or {*named} - {"shuffle", "axis"} or named.get("axis", 0) != 0:
            self._refuse("dpaudit cannot follow choice along another axis")
        pool = np.asarray(a) if not isinstance(a, (int, np.integer)) else None
        if pool is not None and pool.ndim != 1:
            self._refuse("dpaudit cannot follow choice from other than one dimension")
        length = int(a) if pool is None else len(pool)
        p = None if p is None else _weights(p, length)
        shape = self._shape if FAILS_CLOSED else () if size is None else size
        count = int(np.prod(shape, dtype=np.int64)) if shape != () else 1
        if not length:  # then nothing is taken
            where = []
        elif replace:
            where = self._with_replacement(length, count, p)
        elif p is None:
            where = self._without(length, count, shuffle=named.get("shuffle", True))
        else:
            where = self._weighted_without(count, p)
        if size is None:
            return where[0] if pool is None else pool[where[0]]
        found = np.asarray(where, dtype=np.int64).reshape(shape)
        return found if pool is None else pool[found]

    def _with_replacement(self, length: int, count: int, p: Any) -> list[int]:
        supply = self._supply()
        if p is None:
            return [int(supply.below(length, self.how)) for _ in range(count)]
        ends = supply.cut(self.kind, p)
        return [supply.index(ends, u) for u in [supply.unit() for _ in range(count)]]

    def _weighted_without(self, count: int, p: Any) -> list[int]:
        supply, p, found = self._supply(), p.copy(), list[int]()
        while len(found) < count:
            drawn = [supply.unit() for _ in range(count - len(found))]
            p[found] = 0
            ends = cumulative(p)
            found += dict.fromkeys(supply.index(ends, u) for u in drawn)
        return found

    def _without(self, length: int, count: int, *, shuffle: bool) -> list[int]:
        raise NotImplementedError


def _steps(u: Any, count: int, chance: float, first: float) -> int | None:
    """Return how far a uniform goes in a binomial by inversion; None where another is drawn.

    Args:
        u: the uniform.
        count: how many trials there are.
        chance: the probability of each, at most 1/2.
        first: the probability of none.
    """
    rest = 1.0 - chance
    mean = count * chance
    most = int(min(count, mean + 10.0 * math.sqrt(mean * rest + 1)))
    place, left = 0, first
    while u > left:
        place += 1
        if place > most:
            return None
        u = u - left
        left = ((count - place + 1) * chance * left) / (place * rest)
    return place


@lru_cache(maxsize=1 << 10)
def _last_step(count: int, chance: float, first: float) -> int:
    """Return the last k whose uniform does not go too far: none after it is kept."""
    low, high = 0, WORDS
    while low < high:
        middle = (low + high) // 2
        if _steps(middle * 2.0**-53, count, chance, first) is None:
            high = middle
        else:
            low = middle + 1
    return low - 1


def _weights(p: Any, length: int) -> Any:
    """Return the probabilities of a choice, which NumPy took."""
    import numpy as np

    found = np.asarray(p, dtype=np.float64)
    if FAILS_CLOSED:
        return found
    if found.ndim != 1 or found.size != length:
        raise ValueError("'a' and 'p' must have same size")
    if not np.all(found >= 0) or abs(math.fsum(found) - 1.0) > 1e-8:
        raise ValueError("probabilities are not non-negative, or do not sum to 1")
    return found

"""Calls of ``random`` and ``numpy.random`` as draws of the exact distributions that they name.

A float that a call is given stands for the simplest fraction that rounds to it, ``1 / 0.3`` for
10/3, and so does one that a draw meets.  What no distribution of a source is (Poisson, gamma, beta,
…) is refused.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from dpaudit.programs.as_run.numpy_arguments import asking_first
from dpaudit.programs.as_run.numpy_calls import Calls
from dpaudit.programs.as_run.numpy_kinds import NewCalls, OldCalls
from dpaudit.programs.as_run.supply import ALL, SHARED, Stream, Supply
from dpaudit.programs.guarding.seeds import SAFE_BITS
from dpaudit.programs.simplest import simplest
from dpaudit.programs.unknowns.lazy import Lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.programs.as_run.curves import Span
    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.exploring.source import Source

__all__ = [
    "ASKING",
    "DrawnSeed",
    "IdealNewCalls",
    "IdealOldCalls",
    "IdealSupply",
]

_MOST_TRIALS = 1000
"""A binomial draw of more trials is not listed."""


def number(value: Any) -> Any:
    """Return an argument of a call as an exact number; what is no number as it is."""
    plain = value.item() if hasattr(value, "item") and not isinstance(value, Lazy) else value
    if isinstance(plain, float):
        return simplest(plain)
    return plain


class DrawnSeed(int):
    """A whole number of so many random bits that what it seeds draws as if nothing were known."""


ASKING: list[Any] = []
"""The sources that are asked for a draw now, inside of which nothing is stood in for."""


class _Asked:
    """A source whose own calls of random functions are real ones."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._source, name)

        def called(*given: Any) -> Any:
            ASKING.append(self._source)
            try:
                return method(*given)
            finally:
                ASKING.pop()

        return called


class IdealSupply(Supply):
    """Supply of ideal draws: those of the source of one run."""

    def __init__(self, source: Source) -> None:
        """Draw from ``source``."""
        self.source: Source = cast("Source", _Asked(source))
        self._run: Run = cast("Any", source)._run
        self._run.has_floats = True
        self.stream: Stream = SHARED

    def new_stream(self, kind: Stream) -> Stream:
        """Return where the draws of a new generator come from: the same source."""
        return kind

    def unit(self, span: Span = ALL, *, numpy: bool = False) -> float:
        found: float = self.source.random()
        return found

    def below(self, n: int, how: str = "") -> int:
        if isinstance(n, Lazy):
            n = n._fixed()
        return self.source.integers(int(n)) if n > 1 else 0

    def bits(self, k: int) -> int:
        found = self.source.bits(int(k)) if k else 0
        return DrawnSeed(found) if type(found) is int and k >= SAFE_BITS else found

    def first_of_permutation(self, length: int, count: int, how: str) -> list[int]:
        left = list(range(length))
        return [left.pop(int(self.below(len(left)))) for _ in range(count)]

    def choice(self, weights: Sequence[Any]) -> int:
        """Return the index of one of ``weights``, each in proportion to itself."""
        return self.source.choice(range(len(weights)), [number(one) for one in weights])

    def refuse(self, reason: str) -> Any:
        return self._run.refuse(reason)

    def laplace(self, centre: Any, scale: Any) -> Any:
        """Return ``centre`` plus Laplace noise."""
        return centre + self.source.laplace(scale) if (scale := number(scale)) else centre

    def normal(self, centre: Any, sd: Any) -> Any:
        """Return ``centre`` plus normal noise."""
        return centre + self.source.gaussian(sd) if (sd := number(sd)) else centre

    def gumbel(self, centre: Any, scale: Any) -> Any:
        """Return ``centre`` plus Gumbel noise."""
        return centre + self.source.gumbel(scale) if (scale := number(scale)) else centre

    def logistic(self, centre: Any, scale: Any) -> Any:
        """Return ``centre`` plus logistic noise, which is a difference of Gumbel draws."""
        scale = number(scale)
        return centre + self.source.gumbel(scale) - self.source.gumbel(scale) if scale else centre

    def exponential(self, mean: Any) -> Any:
        """Return an exponential draw."""
        return self.source.exponential(mean) if (mean := number(mean)) else 0.0

    def uniform(self, low: Any, high: Any) -> Any:
        """Return a draw between two numbers."""
        return low + number(high - low) * self.source.random()


class IdealCalls(Calls):
    """Ideal draws of NumPy's generators of both kinds."""

    def _spread(self, size: Any, draw: Callable[..., Any], *given: Any) -> Any:
        """Return a draw for these arguments, or an array of draws of the shape that NumPy gives."""
        import numpy as np

        shape = self._shape
        if shape == () and size is None:
            return draw(*given)
        spread = [np.broadcast_to(np.asarray(one, dtype=object), shape) for one in given]
        found = np.empty(shape, dtype=object)
        for place in np.ndindex(*shape):
            found[place] = draw(*(one[place] for one in spread))
        values = found.reshape(-1).tolist()
        for kind in (float, int):
            if values and all(type(value) is kind for value in values):
                return found.astype(kind)
        from dpaudit.programs.plain.arrays import OpenArray  # NumPy is loaded here

        return found.view(OpenArray)

    def _ideal(self) -> IdealSupply:
        supply = self._supply()
        assert isinstance(supply, IdealSupply)
        return supply

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._spread(size, self._ideal().laplace, loc, scale)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._spread(size, self._ideal().normal, loc, scale)

    def standard_normal(self, size: Any = None, dtype: Any = float, out: Any = None) -> Any:
        if out is not None:
            self._refuse("dpaudit cannot follow standard_normal with out")
        return self._spread(size, self._ideal().normal, 0.0, 1.0)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._spread(size, self._ideal().gumbel, loc, scale)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._spread(size, self._ideal().logistic, loc, scale)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self._spread(size, self._ideal().exponential, scale)

    def standard_exponential(self, size: Any = None) -> Any:
        return self._spread(size, self._ideal().exponential, 1.0)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self._spread(size, self._ideal().uniform, low, high)

    def geometric(self, p: Any, size: Any = None) -> Any:
        supply = self._ideal()
        return self._spread(size, lambda chance: 1 + supply.source.geometric(number(chance)), p)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._spread(size, self._of_trials, n, p)

    def _of_trials(self, count: Any, chance: Any) -> int:
        count, chance = int(count), Fraction(number(chance))
        if count > _MOST_TRIALS:
            self._refuse(f"dpaudit cannot follow binomial with more than {_MOST_TRIALS} trials")
        weights = [
            math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(count + 1)
        ]
        return self._ideal().choice(weights)

    def _with_replacement(self, length: int, count: int, p: Any) -> list[int]:
        supply = self._ideal()
        if p is None:
            return [int(supply.below(length)) for _ in range(count)]
        weights = [number(one) for one in p]
        return [supply.choice(weights) for _ in range(count)]

    def _weighted_without(self, count: int, p: Any) -> list[int]:
        left, found = [number(one) for one in p], list[int]()
        for _ in range(count):
            found.append(self._ideal().choice(left))
            left[found[-1]] = Fraction(0)
        return found


for _name, _method in list(vars(IdealCalls).items()):
    if not _name.startswith("_"):
        setattr(IdealCalls, _name, asking_first(_name, _method))


class IdealOldCalls(IdealCalls, OldCalls):
    """The functions of ``numpy.random`` and of a ``RandomState``."""

    def randn(self, *shape: int) -> Any:
        self._shape = tuple(map(int, shape))
        return self._spread(shape or None, self._ideal().normal, 0.0, 1.0)


class IdealNewCalls(IdealCalls, NewCalls):
    """The functions of a ``Generator``."""

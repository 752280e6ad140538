"""Exact integer noise: distributions to add to a count, clamp, threshold or put in a tuple.

``noise.geometric("1/2") + count`` is an output distribution with infinite support: ``law(dataset)``
of your own mechanism may return it, or one made from it. Every probability is a closed form.

>>> law = (geometric("ln(2)") + 1).clamped(0, 2)
>>> [(output, str(law[output])) for output in range(3)]
[(0, '1/3'), (1, '1/3'), (2, '1/3')]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product as combinations
from math import prod
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError, ParameterError
from dpaudit.laws.explicit import WrittenLaw
from dpaudit.numbers.real import ONE, Number, Real, real
from dpaudit.programs.zones.integrals import plus
from dpaudit.programs.zones.integrals import product as multiplied

if TYPE_CHECKING:
    from dpaudit.laws.explicit import OpenLaw
    from dpaudit.mechanisms.user_laws import Table
    from dpaudit.numbers.ball import Ball
    from dpaudit.programs.exploring.source import Source
    from dpaudit.programs.output_laws.derived import Explorer

__all__ = [
    "Noise", "bernoulli", "convolve", "discrete_gaussian", "geometric", "integers", "product",
]  # fmt: skip

_MOST = 100_000
"""So many outputs a law may list."""
_MOST_KEPT = 1 << 12


@dataclass(frozen=True, eq=True)
class Noise(Mapping[Hashable, Any], WrittenLaw):
    """The law of a whole number, or of a tuple: a mapping output → probability, where it ends."""

    kind: str
    given: tuple[Hashable, ...]
    """Parameters: numbers, and other noise."""

    def __add__(self, number: int) -> Noise:
        """Return the law of the number plus another, known one."""
        return Noise("plus", (self, _whole("number", number)))

    __radd__ = __add__

    def __sub__(self, number: int) -> Noise:
        """Return the law of the number minus another, known one."""
        return self + -_whole("number", number)

    def __mul__(self, factor: int) -> Noise:
        """Return the law of a multiple."""
        return Noise("times", (self, _whole("factor", factor)))

    __rmul__ = __mul__

    def clamped(self, low: int, high: int) -> Noise:
        """Return the law of the number with all below ``low``, and above ``high``, moved there."""
        if _whole("low", low) > _whole("high", high):
            raise ParameterError("high", f"high = {high}: must be at least low, {low}")
        return Noise("clamped", (self, low, high))

    def threshold(self, least: int, below: int | None = 0) -> Noise:
        """Return the law of the number where it is at least ``least``, and of ``below`` if not."""
        shown = None if below is None else _whole("below", below)
        return Noise("threshold", (self, _whole("least", least), shown))

    def draw(self, source: Source) -> Any:
        """Return one draw."""
        return _DRAWS[self.kind](source, *self.given)

    def written(self) -> Table | OpenLaw:
        """Return the table, or the law where that has no end; ``LawError`` for neither."""
        return _written(self)

    def __getitem__(self, output: Hashable) -> Any:
        """Return the probability of an output."""
        return _table(self)[output]

    def __iter__(self) -> Iterator[Hashable]:
        """Iterate over the outputs."""
        return iter(_table(self))

    def __len__(self) -> int:
        """Return how many outputs there are."""
        return len(_table(self))


def geometric(epsilon: Number) -> Noise:
    """Return two-sided geometric noise: k with probability in proportion to e^(−ε·|k|)."""
    return Noise("geometric", (_positive("epsilon", epsilon),))


def discrete_gaussian(sd: Number) -> Noise:
    """Return discrete Gaussian noise: k with probability in proportion to e^(−k²/(2·sd²))."""
    return Noise("discrete_gaussian", (_positive("sd", sd),))


def integers(low: int, high: int) -> Noise:
    """Return the law of the whole numbers from ``low`` to ``high``, each alike."""
    if _whole("low", low) > _whole("high", high):
        raise ParameterError("high", f"high = {high}: must be at least low, {low}")
    return Noise("integers", (low, high))


def bernoulli(p: Number) -> Noise:
    """Return the law of 1 with probability ``p``, and else 0."""
    return Noise("bernoulli", (real(p),))


def product(*parts: Noise) -> Noise:
    """Return the law of independent parts as a tuple."""
    return Noise("product", _parts(parts))


def convolve(*parts: Noise) -> Noise:
    """Return the law of the sum of independent parts; at most one of them may have no end."""
    return Noise("convolve", _parts(parts))


_DRAWS: dict[str, Callable[..., Any]] = {
    "geometric": lambda source, epsilon: source.discrete_laplace(ONE / epsilon),
    "discrete_gaussian": lambda source, sd: source.discrete_gaussian(sd),
    "integers": lambda source, low, high: low + source.integers(high - low + 1),
    "bernoulli": lambda source, p: int(source.bernoulli(p)),
    "plus": lambda source, noise, number: noise.draw(source) + number,
    "times": lambda source, noise, factor: noise.draw(source) * factor,
    "clamped": lambda source, noise, low, high: min(max(noise.draw(source), low), high),
    "threshold": lambda source, noise, least, below: (
        x if (x := noise.draw(source)) >= least else below
    ),
    "product": lambda source, *parts: tuple(part.draw(source) for part in parts),
    "convolve": lambda source, *parts: sum(_known_or_open(source, part) for part in parts),
}
"""Functions that draw noise, by kind."""


def _known_or_open(source: Source, noise: Noise) -> Any:
    """Return a draw that can be added to another one: the number itself, where it is listed."""
    found = _written(noise)
    if isinstance(found, dict):
        weights = [weight for weight in found.values() if isinstance(weight, Real)]
        if len(weights) == len(found):
            return source.choice(list(found), weights)
    return noise.draw(source)


def _parts(parts: tuple[Noise, ...]) -> tuple[Noise, ...]:
    for part in parts:
        if not isinstance(part, Noise):
            raise ParameterError("parts", f"{part!r} is not noise of dpaudit.noise")
    return parts


def _whole(name: str, value: Any) -> int:
    if type(value) is not int:
        raise ParameterError(name, f"{name} = {value!r}: must be a whole number")
    return value


def _positive(name: str, value: Number) -> Real:
    found = real(value)
    if not float(found) > 0 and found.sign().name != "POSITIVE":
        raise ParameterError(name, f"{name} = {value}: must be above 0")
    return found


_known: dict[Noise, Table] = {}
"""Tables that are exact, and so the same at any precision."""


def _written(noise: Noise) -> Table | OpenLaw:
    if noise in _known:
        return _known[noise]
    found = _of_parts(noise) if noise.kind in ("product", "convolve") else None
    if found is None:
        explorer = _explorer(noise)
        open_ = explorer.open_law(None)
        if open_ is not None:
            return open_
        found = dict(explorer.masses(None))
    if all(isinstance(weight, Real) for weight in found.values()):
        if len(_known) >= _MOST_KEPT:
            _known.clear()
        _known[noise] = found
    return found


@lru_cache(maxsize=1 << 10)
def _explorer(noise: Noise) -> Explorer:
    from dpaudit.programs.output_laws.derived import Explorer

    return Explorer(lambda _, source: noise.draw(source), (), _MOST)


def _of_parts(noise: Noise) -> Table | None:
    """Return the table of independent parts, where each of them is one."""
    tables = [_written(part) for part in noise.given if isinstance(part, Noise)]
    listed = [table for table in tables if isinstance(table, dict)]
    if noise.kind == "convolve" and len(listed) < len(tables) - 1:
        raise LawError("two parts of a sum are unbounded; clamp one")
    if len(listed) < len(tables):
        return None
    if (count := prod(map(len, listed))) > _MOST:
        raise LawError(f"independent parts make {count} outputs, and the limit is {_MOST}")
    found: dict[Hashable, Real | Ball] = {}
    for chosen in combinations(*(table.items() for table in listed)):
        outputs: Any = tuple(output for output, _ in chosen)
        output = outputs if noise.kind == "product" else sum(outputs)
        weight = chosen[0][1] if chosen else ONE
        for _, other in chosen[1:]:
            weight = multiplied(weight, other)
        found[output] = plus(found[output], weight) if output in found else weight
    return found


def _table(noise: Noise) -> Table:
    found = _written(noise)
    if not isinstance(found, dict):
        raise LawError("unbounded outputs cannot be listed in a table; clamp them")
    return found

"""Every path run once more with known numbers, and outputs held to what they were.

A program that tells an unknown number from a known one (by its type, say) does not do then what it
did while it was explored: it decides or gives out something else, or asks for other draws.  Whole
numbers are given as Python's; continuous draws as Fractions from inside of the path's zone, and
once more as floats, where no decision of the path is so close that rounding may change it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from dpaudit.errors import DpauditError
from dpaudit.mechanisms.user_laws import Mapped, alike, plain_number
from dpaudit.numbers.real import ONE, Number, Real, rational, real
from dpaudit.programs.guarding.guards import PLAIN_NUMBERS, unseen, unwatched
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.output_laws.printed_draws import Decimals, Place, with_places
from dpaudit.programs.system_source import Drawn
from dpaudit.programs.unknowns.image import add_made, place_bases
from dpaudit.programs.unknowns.noises import Draw, draw_of
from dpaudit.programs.unknowns.unknown import Unknown
from dpaudit.programs.unknowns.unknown_whole import Whole
from dpaudit.programs.zones.regions import Given
from dpaudit.programs.zones.zones import ORIGIN, closure

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.zones.zones import Edge, Edges

__all__ = ["Known", "agrees", "expected_at", "point_inside", "tells_apart"]

ItemT = TypeVar("ItemT")

_CLOSE = Fraction(1, 10**6)
"""Floats this close to one another may compare otherwise than the numbers they stand for."""
_read_once = lru_cache(maxsize=1 << 12, typed=True)(real)
"""A second reading of the numbers that are drawn with, to which the explored one is held."""
_LARGE = 10**15
_FAR = 1009


class Known(Drawn):
    """The draws of a path that was explored, as numbers; of what is open, some that lie in it."""

    def __init__(
        self, explored: Run, run: Run, changed: str, point: tuple[Fraction, ...], kind: type
    ) -> None:
        """Give again, in ``run``, what an ``explored`` one was given.

        ``changed`` is refused if anything else is asked for.  Continuous draws are the ``point``,
        as numbers of this ``kind``.
        """
        self._left = explored.gave[::-1]
        self._explored, self._run, self._changed = explored, run, changed
        self._point, self._kind = point, kind

    def _next(self, asked: Hashable) -> Any:
        if not self._left or self._left[-1][0] != asked:
            self._run.refuse(self._changed)
        _, found = self._left.pop()
        if isinstance(found, Whole):
            return number_of(self._explored, found._number)
        if isinstance(found, Unknown):
            ((node, _),) = found._terms
            return self._kind(self._point[node])
        return found

    def finished(self) -> None:
        """Refuse a path of which not all was drawn."""
        if self._left:
            raise Refused(self._changed, inside=False)

    def _read(self, value: Number) -> Real:
        if type(value) is Fraction:
            return rational(value)
        try:
            return _read_once(value) if type(value) in (str, float, int) else real(value)
        except (DpauditError, TypeError):
            self._run.refuse(self._changed)

    def _draw(self, kind: str, scale: Number) -> Draw:
        if type(scale) is Fraction:
            return draw_of(kind, *scale.as_integer_ratio())
        return Draw(kind, self._read(scale))

    def bernoulli(self, p: Number) -> bool:
        found: bool = self._next(("bernoulli", self._read(p)))
        return found

    def integers(self, n: int) -> int:
        found: int = self._next(("integers", n))
        return found

    def choice(self, items: Iterable[ItemT], weights: Iterable[Number] | None = None) -> ItemT:
        listed = list(items)
        if weights is None:
            return listed[self.integers(len(listed))]
        place: int = self._next(("choice", tuple(map(self._read, weights))))
        if place >= len(listed):
            self._run.refuse(self._changed)
        return listed[place]

    def sub(self, sampler: Any, *given: Any, outcomes: Any = None) -> Any:
        return self._of_sampler(sampler, given, outcomes, renewed=False)

    def until(self, attempt: Any, *given: Any, outcomes: Any = None) -> Any:
        return self._of_sampler(attempt, given, outcomes, renewed=True)

    def _of_sampler(self, sampler: Any, given: Any, outcomes: Any, *, renewed: bool) -> Any:
        assert self._explored.samplers is not None
        listed = None if outcomes is None else tuple(outcomes)
        law = self._explored.samplers(sampler, given, listed, renewed=renewed)
        return self._next(("sampler", law))

    def geometric(self, p: Number) -> int:
        found: int = self._next(("geometric", self._read(p)))
        return found

    def discrete_laplace(self, scale: Number) -> int:
        found: int = self._next(("discrete_laplace", self._read(scale)))
        return found

    def discrete_gaussian(self, sd: Number) -> int:
        found: int = self._next(("discrete_gaussian", self._read(sd)))
        return found

    def laplace(self, scale: Number, *, grid: Number | None = None) -> Any:
        return self._next(self._draw("laplace", scale))

    def exponential(self, mean: Number, *, grid: Number | None = None) -> Any:
        return self._next(self._draw("exponential", mean))

    def gumbel(self, scale: Number, *, grid: Number | None = None) -> Any:
        return self._next(self._draw("gumbel", scale))

    def gaussian(self, sd: Number, *, grid: Number | None = None) -> Any:
        return self._next(self._draw("gaussian", sd))

    def uniform(self, low: Number = 0, high: Number = 1, *, grid: Number | None = None) -> Any:
        ends = self._read(low).as_fraction(), self._read(high).as_fraction()
        return self._next(Draw("uniform", ONE, ends))  # type: ignore[arg-type]


_KNOWN = PLAIN_NUMBERS | {str, Real}
for _name in ("bernoulli", "integers", "geometric", "discrete_laplace", "discrete_gaussian",
              "laplace", "exponential", "uniform", "gumbel", "gaussian"):  # fmt: skip
    setattr(Known, _name, unwatched(_KNOWN, getattr(Known, _name)))


def number_of(run: Run, number: int) -> int:
    """Return one of the numbers that a countable draw may be at the end of a run.

    Where there is no end it is as often a far one: what tells numbers apart may ask for large ones.
    """
    for one in run.made:
        if number in one.bases:
            return one.placed(number_of(run, one.number))[number]
    support = run.supports[number]
    low, high = support[(number + len(support)) % len(support)]
    far = 0 if (number + len(run.decisions)) % 2 else _FAR
    if low is None:
        return far if high is None else high - far
    return low + far if high is None else low if number % 2 else high


def tells_apart(
    run: Run, output: Hashable, again: Callable[[Callable[[Run], Known]], Hashable], changed: str
) -> bool:
    """Tell whether a path gives something else with known numbers than it did with unknown ones.

    Args:
        run: the path as it was explored.
        output: what it gave.
        again: runs the program with the source that is made for a run, and returns what it gives.
        changed: what is refused where it asks for other draws.
    """
    point = point_inside(run.zone, len(run.draws))
    drawn = point
    if run.rescaled:
        drawn = tuple(x / scale for x, scale in zip(point, run.scales, strict=True))
    if run.images:
        drawn = place_bases(run.images, drawn)
    kinds: list[type] = [] if run.has_floats else [Fraction]
    floats = not run.images or all(float(x) or not x for x in drawn)
    if drawn and floats and _is_clear(run.zone, point):
        kinds.append(float)
    for kind in kinds:
        found = again(lambda new, kind=kind: Known(run, new, changed, drawn, kind))  # type: ignore[misc]
        if not agrees(found, _expected(run, output, drawn)):
            return True
    return False


@unseen
def point_inside(zone: Mapping[Edge, Fraction], count: int) -> tuple[Fraction, ...]:
    """Return a point inside a zone of so many unknowns, in no particular position."""
    edges: Edges = dict(zone)
    for attempt in range(2):
        found: dict[int, Fraction] = {ORIGIN: Fraction(0)}
        below: dict[int, list[tuple[int, Fraction]]] = {}
        above: dict[int, list[tuple[int, Fraction]]] = {}
        for (u, v), c in edges.items():
            above.setdefault(u, []).append((v, c))
            below.setdefault(v, []).append((u, c))
        for node in range(count):
            lows = [found[u] - c for u, c in below.get(node, ()) if u in found]
            highs = [found[v] + c for v, c in above.get(node, ()) if v in found]
            low, high = max(lows, default=None), min(highs, default=None)
            if low is not None and high is not None and low >= high:
                break
            found[node] = _between(low, high, node)
        else:
            return tuple(found[node] for node in range(count))
        assert not attempt, "a path has no inside"
        edges = closure(edges)  # in which what is chosen for some can be completed for all
    raise AssertionError(zone)


def _between(low: Fraction | None, high: Fraction | None, node: int) -> Fraction:
    """Return a number between two, at a place that hardly any two nodes share."""
    place = _place(node)
    if low is None:
        return 2 * place - 1 if high is None else high - place
    return low + place if high is None else low + place * (high - low)


@lru_cache(maxsize=1 << 10)
def _place(node: int) -> Fraction:
    return Fraction(200_003 + (node * 371_057) % 600_000, 1_000_003)


@unseen
def _is_clear(zone: Mapping[Edge, Fraction], point: tuple[Fraction, ...]) -> bool:
    """Tell whether a point lies so far inside of a zone that floats of it do as well."""
    try:
        values = {ORIGIN: 0.0, **dict(enumerate(map(_float, point)))}
        bounds = [_float(c) for c in zone.values()]
    except OverflowError:
        return False
    if any(abs(x) >= _LARGE for x in (*bounds, *values.values())):
        return False
    close = float(_CLOSE)
    return all(  # in floats, whose rounding is far below what counts as close
        c - values[u] + values[v] > close * (1 + abs(values[u]) + abs(values[v]))
        for (u, v), c in zip(zone, bounds, strict=True)
    )


def _float(x: Fraction) -> float:
    over, under = x.as_integer_ratio()
    return over / under


def _expected(run: Run, output: Hashable, drawn: tuple[Fraction, ...]) -> Hashable:
    """Return the output of a path with its open numbers as :class:`Known` gives them."""
    wholes = {}
    if isinstance(output, Given):
        wholes = {one.number: number_of(run, one.number) for one in output.counts}
        for image in run.images:
            if image.kind == "floor":
                wholes[image.number] = image.value(dict(enumerate(drawn)))
        add_made(run.made, wholes)
    return expected_at(output, dict(enumerate(drawn)), wholes)


def expected_at(
    output: Hashable, reals: Mapping[int, Fraction], wholes: Mapping[int, int]
) -> Hashable:
    """Return what a path gives out where its open draws have these values."""
    if not isinstance(output, Given):
        return output

    def value(place: Place) -> int | Fraction:
        if output.forms:
            form = output.forms[place.index]
            return sum((a * reals[node] for node, a in form.terms), form.constant)
        one = output.counts[place.index]
        return one.factor * wholes[one.number] + one.constant

    found: Hashable = with_places(output.fixed, value)
    return found


def agrees(found: Any, expected: Any, *, strict: bool = False) -> bool:
    """Tell whether two outputs are the same, but for the rounding of floats.

    It is ``strict`` about what is a whole number and what a float of the same value.
    """
    if found is expected and type(found) in (bool, type(None)):
        return True
    found = plain_number(found)
    kinds = (type(found), type(expected))
    if kinds[1] is Fraction and kinds[0] in (int, float, Fraction):
        if kinds[0] is not float:
            return bool(found == expected)
        return math.isfinite(found) and abs(Fraction(found) - expected) <= _CLOSE * (
            1 + abs(expected)
        )
    if kinds[1] is Decimals:
        return kinds[0] is not int and agrees(found, Fraction(expected.number))
    if kinds[1] is int and kinds[0] in (float, Fraction):
        return bool(found == expected) and not strict
    if isinstance(expected, tuple) and kinds[0] is kinds[1]:
        return len(found) == len(expected) and all(
            agrees(one, other, strict=strict) for one, other in zip(found, expected, strict=True)
        )
    if kinds == (Mapped, Mapped):
        return agrees(found.items, expected.items, strict=strict)
    return alike(found, expected)

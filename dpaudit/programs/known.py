"""Every path of whole and finite draws run once more with known numbers, and outputs held apart.

A program that tells an unknown number from a known one (by its type, say) does not do then what it
did while it was explored.  Outputs that are equal count as one, so they have to be the same.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from dpaudit.errors import one_line
from dpaudit.programs.printed import Place, with_places
from dpaudit.programs.refusal import Refused
from dpaudit.programs.regions import Given
from dpaudit.programs.source import Source
from dpaudit.programs.unknown_whole import Whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from dpaudit.numbers.real import Number
    from dpaudit.programs.run import Run

__all__ = ["Known", "expected", "hold_apart"]

ItemT = TypeVar("ItemT")

_PLAIN = (int, str, bool, bytes, type(None), float, complex, Fraction, Decimal)


class Known(Source):
    """The draws of a path that was explored, as numbers; of what is open, one end or the other."""

    def __init__(self, run: Run, changed: str) -> None:
        """Give again what ``run`` was given; ``changed`` is refused if anything else is asked."""
        self._left = list(reversed(run.gave))
        self._run, self._changed = run, changed

    def _next(self) -> Any:
        if not self._left:
            raise Refused(self._changed)
        found = self._left.pop()
        return number_of(self._run, found._number) if isinstance(found, Whole) else found

    def finished(self) -> None:
        """Refuse a path of which not all was drawn."""
        if self._left:
            raise Refused(self._changed, inside=False)

    def bernoulli(self, p: Number) -> bool:
        return bool(self._next())

    def integers(self, n: int) -> int:
        return int(self._next())

    def choice(self, items: Iterable[ItemT], weights: Iterable[Number] | None = None) -> ItemT:
        listed = list(items)
        place = self._next()
        if not isinstance(place, int) or place >= len(listed):
            raise Refused(self._changed)
        return listed[place]

    def sub(self, sampler: Any, *given: Any, outcomes: Any = None) -> Any:
        return self._next()

    def until(self, attempt: Any, *given: Any, outcomes: Any = None) -> Any:
        return self._next()

    def geometric(self, p: Number) -> int:
        return int(self._next())

    def discrete_laplace(self, scale: Number) -> int:
        return int(self._next())

    def discrete_gaussian(self, sd: Number) -> int:
        return int(self._next())


def number_of(run: Run, number: int) -> int:
    """Return one of the numbers that a countable draw may be at the end of a run."""
    support = run.supports[number]
    low, high = support[(number + len(support)) % len(support)]
    if low is None:
        return 0 if high is None else high
    return low if high is None or number % 2 else high


def expected(run: Run, output: Hashable) -> Hashable:
    """Return the output of a path with its open numbers as :class:`Known` gives them."""
    if not isinstance(output, Given):
        return output

    def value(place: Place) -> int:
        one = output.counts[place.index]
        return one.factor * number_of(run, one.number) + one.constant

    found: Hashable = with_places(output.fixed, value)
    return found


def hold_apart(known: dict[Hashable, Hashable], outputs: Iterable[Hashable]) -> None:
    """Refuse outputs that are equal and not the same; ``known`` remembers how each looks."""
    for output in outputs:
        look = _look(output)
        if known.setdefault(output, look) != look:
            raise Refused(
                f"two outputs are equal and not the same, so that they would count as one: "
                f"{_text(output)}; give plain values of one type",
                inside=False,
            )


def _text(output: Hashable) -> str:
    try:
        return repr(output)[:80]
    except Exception as error:
        return one_line(error)


def _look(value: Any) -> Hashable:
    """Return what there is to see of a value, types included."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, repr(value)
    if isinstance(value, tuple):
        return kind, tuple(map(_look, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(_look, value))
    if is_dataclass(value):
        return kind, tuple(_look(getattr(value, one.name, None)) for one in fields(value))
    held = dict(getattr(value, "__dict__", {}))
    for one in kind.__mro__:
        slots = getattr(one, "__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            held[name] = getattr(value, name, None)
    return kind, _text(value), tuple((name, _look(held[name])) for name in sorted(held))

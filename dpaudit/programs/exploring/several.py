# ruff: noqa: D105  (the operators mean what they do of numbers)
"""Numbers of a dataset while many datasets are explored together: one number for each of them.

Sums with known numbers and multiples stay open, as shifts of what is drawn; whatever decides
something (a comparison, an index, a float) goes on with those of the datasets for which it comes
out alike, and with the others on paths of their own.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.programs.exploring.shifts import Entries, Shift, Shifting
from dpaudit.programs.guarding.guards import PLAIN_NUMBERS, unwatched
from dpaudit.programs.unknowns.lazy import Lazy, refusing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.programs.exploring.run import Run

__all__ = ["KNOWN", "Several", "several"]


class Several(Shifting, Lazy):
    """An affine combination Σ a·entry + c of the entries of whichever dataset it is."""

    __slots__ = ("_constant", "_entries", "_whole")
    _by_value = True

    def __init__(
        self, run: Run, entries: Entries, constant: int | Fraction, *, whole: bool
    ) -> None:
        """Take the coefficient of each entry, none of them 0; ``whole`` is an ``int``."""
        self._run, self._entries = run, entries
        self._constant, self._whole = constant, whole

    def at(self, dataset: Sequence[int]) -> Any:
        """Return the number at one dataset."""
        found = self._constant
        for place, a in self._entries:
            found += a * dataset[place]
        return found if self._whole else Fraction(found)

    def shift(self) -> Several:
        """Return the number as a Fraction, whatever type it has in the program."""
        if not self._whole:
            return self
        return Several(self._run, self._entries, self._constant, whole=False)

    def negated(self) -> Several:
        """Return −self."""
        entries = tuple([(place, -a) for place, a in self._entries])
        return Several(self._run, entries, -self._constant, whole=self._whole)

    def key(self) -> Shift:
        """Return what tells it from others."""
        return Shift(self._entries, self._constant)

    def _fixed(self) -> Any:
        """Go on with datasets at which it is one number, and return that."""
        self._run.plain = False
        return self._run.alike(self.at)

    def _asked(self, other: object, asked: Callable[[Any, Any], Any]) -> Any:
        """Go on with datasets at which something comes out alike, and return that."""
        if asked not in _COMPARISONS or type(other) is float:
            self._run.plain = False
        if isinstance(other, Several):
            self._same_run(other)
            return self._run.alike(lambda data: asked(self.at(data), other.at(data)))
        if type(other) in PLAIN_NUMBERS:
            return self._run.alike(lambda data: asked(self.at(data), other))
        return NotImplemented if isinstance(other, Lazy) else asked(self._fixed(), other)

    def plus(self, other: Any, sign: int) -> Any:
        """Return self ± other, by the ``sign``."""
        if isinstance(other, Several):
            self._same_run(other)
            total = dict(self._entries)
            for place, a in other._entries:
                total[place] = total.get(place, 0) + sign * a
            entries = tuple(sorted((place, a) for place, a in total.items() if a))
            constant, whole = self._constant + sign * other._constant, other._whole
        elif type(other) in _EXACT:
            entries, constant = self._entries, self._constant + sign * other
            whole = type(other) is not Fraction
        elif isinstance(other, Lazy):
            return NotImplemented
        else:
            found = self._fixed()
            return found + other if sign > 0 else found - other
        return _made(self._run, entries, constant, whole=whole and self._whole)

    def __add__(self, other: Any) -> Any:
        return self.plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, Lazy):
            return NotImplemented
        return -self + other if type(other) in _EXACT else other - self._fixed()  # -0.0 - 0

    def __neg__(self) -> Any:
        return self.negated()

    def __pos__(self) -> Several:
        return self

    def __mul__(self, other: Any) -> Any:
        if type(other) is list:  # which repeats itself, and in place where that is asked for
            return NotImplemented
        if type(other) not in _EXACT:
            found = self._fixed()
            return found * (other._fixed() if isinstance(other, Several) else other)
        entries = tuple((place, a * other) for place, a in self._entries if other)
        whole = self._whole and type(other) is not Fraction
        return _made(self._run, entries, self._constant * other, whole=whole)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is Fraction or (type(other) is int and not self._whole):
            return self * (1 / Fraction(other)) if other else self._fixed() / other
        return self._asked(other, operator.truediv)

    def __abs__(self) -> Any:
        return -self if self._asked(0, operator.lt) else self

    def __bool__(self) -> bool:
        return bool(self._run.alike(lambda data: bool(self.at(data))))

    def __hash__(self) -> int:
        return self._run.refuse(
            "a number that depends on the dataset is used as a key, or put into a set"
        )

    def __float__(self) -> float:
        return float(self._fixed())

    def __int__(self) -> int:
        return int(self._fixed())

    def __index__(self) -> int:
        return operator.index(self._fixed())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._fixed(), digits)

    __trunc__ = __floor__ = __ceil__ = refusing("the rounded value")


_EXACT = {int, bool, Fraction}
_COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def _made(run: Run, entries: Entries, constant: int | Fraction, *, whole: bool) -> Any:
    if entries:
        return Several(run, entries, constant, whole=whole)
    return constant if whole else Fraction(constant)


def _asking(asked: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: self._asked(other, asked)


for _name in ("lt", "le", "gt", "ge", "eq", "ne", "floordiv", "mod"):
    setattr(Several, f"__{_name}__", _asking(getattr(operator, _name)))
KNOWN: set[type] = {*PLAIN_NUMBERS, Several}
"""Types that they meet without being watched; real unknown numbers are added where those are."""
for _name in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
              "__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__neg__"):  # fmt: skip
    setattr(Several, _name, unwatched(KNOWN, getattr(Several, _name)))


def several(run: Run, known: Sequence[int | None]) -> tuple[Any, ...]:
    """Return a dataset that stands for many; entries that are the same in all of them are known."""
    return tuple(
        Several(run, ((place, 1),), 0, whole=True) if one is None else one
        for place, one in enumerate(known)
    )

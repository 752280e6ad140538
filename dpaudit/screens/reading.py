"""Laws read one at a time into a table of floats, one row for each output.

Rational probabilities are in the table at once.  Others become balls, of which each closed form is
rounded once: their columns are numbers until all are known.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpaudit.numbers.ball import Ball, Sign, ball, sign
from dpaudit.numbers.floats import SLACK, UNIT
from dpaudit.screens.bounds import NotScreened, check_room
from dpaudit.screens.rationals import Rationals

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from dpaudit.laws.law import Law, Listed

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

__all__ = ["Column", "Numbers", "Read", "read_laws"]

_TINY = 2.0**-1000
_LARGEST_POWER = 640.0  # a logarithm whose exponential is a normal float, and so are products


class Column(NamedTuple):
    """Probabilities of one dataset that are numbered."""

    place: int
    """The column of the dataset."""
    rows: Places
    numbers: NDArray[np.int64]
    """The number of each; equal ones have equal numbers."""


@dataclass(frozen=True)
class Read:
    """Laws in floats, as far as they are rational."""

    masses: Floats
    """The probabilities, one column for each dataset; 0 where they are not rational."""
    listed: list[Column]
    """Columns of probabilities that are not rational."""
    numbers: Numbers
    """Those probabilities."""
    large: list[Column]
    """Rational ones that equal floats do not show to be equal; their numbers are no others'."""

    @property
    def any_rational(self) -> bool:
        """Tell whether there is a column that is rational."""
        return len(self.listed) < int(self.masses.shape[1])


def read_laws(laws: Iterable[Law], order: Fraction | None, datasets: int) -> Read:
    """Read the laws at the working precision; see :class:`~dpaudit.screens.tables.FloatTables`.

    Nothing is held of a law but its column.
    """
    rows, numbers, rationals = _Rows(), Numbers(order), Rationals()
    listed: list[Column] = []
    large: list[Column] = []
    table: Floats = np.zeros((0, 0))
    count = checked = 0
    for law in laws:
        quotients = None if order is not None else law.quotients()
        found = rationals.add(quotients)
        if quotients is None or found is None:
            given = law.listed()
            if given is None:
                raise NotScreened("outputs that cannot be listed have no table")
            listed.append(Column(count, rows.of_outputs(given.outputs), numbers.of_law(given)))
        else:
            outputs = rows.of_outputs(list(quotients))
        count += 1
        columns = max(count, datasets)
        entries = len(rows.known) * columns
        if entries > checked + (checked >> 6):  # to ask what memory is left takes a while
            check_room(entries)
            checked = entries
        table = _with_room(table, len(rows.known), columns)
        if found is not None:
            table[outputs, count - 1] = found.masses
            if len(found.large):
                places = found.first + np.arange(len(found.large))
                large.append(Column(count - 1, outputs[found.large], places))
    known = rationals.numbered(numbers.count)
    large = [one._replace(numbers=known[one.numbers]) for one in large]
    return Read(table[: len(rows.known), :count], listed, numbers, large)


def _with_room(table: Floats, rows: int, columns: int) -> Floats:
    """Return a table with what stands in another one, and 0 elsewhere, of at least this shape.

    Where it grows it does by a quarter at least, as it is copied.
    """
    if rows <= table.shape[0] and columns <= table.shape[1]:
        return table
    shape = [
        wanted if not old else max(wanted, old + (old >> 2)) if wanted > old else old
        for wanted, old in zip((rows, columns), table.shape, strict=True)
    ]
    grown = np.zeros(shape)
    grown[: table.shape[0], : table.shape[1]] = table
    return grown


class _Rows:
    """The outputs of all laws, each a row of the tables."""

    def __init__(self) -> None:
        self.known: dict[Hashable, int] = {}
        self._last: Sequence[Hashable] = ()
        self._places: Places = np.empty(0, dtype=np.intp)

    def of_outputs(self, outputs: Sequence[Hashable]) -> Places:
        """Return the rows of the outputs of a law, which often are those of the law before it."""
        if outputs != self._last:
            known = self.known
            rows = [known.setdefault(output, len(known)) for output in outputs]
            self._last, self._places = outputs, np.array(rows, dtype=np.intp)
        return self._places


class Numbers:
    """Different probabilities as floats, each with its error, number 0 being 0."""

    def __init__(self, order: Fraction | None) -> None:
        """Begin with 0; with an ``order`` powers are rounded as well."""
        self.order = order
        self.count = 1
        zero = (-np.inf, 0.0, *(() if order is None else (0.0, np.inf)))
        self._columns = [array("d", (value, 0.0)) for value in zero]
        self._kinds: dict[Hashable, int] = {}

    def of_law(self, listed: Listed) -> NDArray[np.int64]:
        """Return the numbers of the probabilities of a law, those that are new added."""
        found = []
        for index, key in enumerate(listed.keys):
            # A ball without a closed form is equal to no other: it gets a number of its own.
            kind = self.count if key is None else self._kinds.setdefault(key, self.count)
            if kind == self.count:
                self._add(listed.ball(index))
            found.append(kind)
        return np.array(found, dtype=np.int64)

    def _add(self, mass: Ball) -> None:
        """Add one probability, which is to be certainly positive."""
        if sign(mass) is not Sign.POSITIVE:
            raise NotScreened("a probability is not certainly positive")
        log = mass.log()
        numbers = [log, mass]
        if self.order is not None:
            if float(self.order) * abs(float(log)) > _LARGEST_POWER:
                raise NotScreened("powers this large or this small need interval arithmetic")
            numbers += [(ball(power) * log).exp() for power in (self.order, 1 - self.order)]
        for column, number in zip(self._columns, numbers, strict=True):
            column.extend(_float(number))
        self.count += 1

    def column(self, place: int) -> tuple[Floats, Floats]:
        """Return numbers and errors: logarithms, probabilities, or their powers α and 1 − α."""
        values, errors = np.array(self._columns[place]).reshape(-1, 2).T.copy()
        return values, errors


def _float(x: Ball) -> tuple[float, float]:
    """Return a float near the finite ball ``x``, and how far from any number of it."""
    value, radius = float(x), float(x.rad())
    if not (np.isfinite(value) and np.isfinite(radius)):
        raise NotScreened("a probability is beyond the range of floats")
    return value, SLACK * (radius + 2.01 * UNIT * abs(value) + _TINY)

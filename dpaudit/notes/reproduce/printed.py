"""Printed numbers: inputs of the comparison, never of a computation.

A printed number is reproduced by a value v if v rounds to it: |v − printed| is certainly less than
half a unit of the last printed digit.  The tables are those of N §3.4.1 and L §4.3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dpaudit.accuracy.listing import enclosed
from dpaudit.data.histograms import Counts
from dpaudit.notes.reproduce.findings import PrintedCheck, PrintedOutcome
from dpaudit.numbers.ball import Ball, Sign, ball, certainly_less, precision, sign

__all__ = [
    "BETA",
    "BITS",
    "CENTRE",
    "DIGITS",
    "EDGE",
    "Candidate",
    "PrintedTable",
    "Row",
    "check_number",
    "half_unit",
    "rounds_to",
    "significant_digits",
]


BITS = 192
"""The working precision of comparisons."""
DIGITS = 12
"""Digits of the values that are shown."""

Candidate = tuple[str, Ball]
"""A reading and its value."""


def significant_digits(text: str) -> int:
    """Return how many significant digits ``text`` shows; 0 for a zero.

    >>> significant_digits("0.0431193490585"), significant_digits("3.05988187701e-09")
    (12, 12)
    """
    return len(Decimal(text).as_tuple().digits) if Decimal(text) else 0


def half_unit(text: str) -> Fraction:
    """Return half a unit of the last digit of a printed number.

    >>> half_unit("0.25"), half_unit("3.0e-2")
    (Fraction(1, 200), Fraction(1, 2000))
    """
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int)
    return Fraction(10) ** exponent / 2


def rounds_to(value: Ball, text: str) -> PrintedOutcome:
    """Decide whether ``value`` rounds to the printed ``text``."""
    with precision(BITS):
        margin = ball(half_unit(text)) - abs(value - ball(Fraction(text)))
        side = sign(margin)
    if side is Sign.UNDECIDED:
        return PrintedOutcome.UNDECIDED
    return PrintedOutcome.REPRODUCED if side is Sign.POSITIVE else PrintedOutcome.NOT_REPRODUCED


def check_number(
    what: str,
    printed: str,
    candidates: Sequence[Candidate],
    *,
    why: str | Callable[[str], str] = "",
    note: str = "",
) -> PrintedCheck:
    """Return which of the ``candidates``, in order, gives the ``printed`` number.

    ``why`` is the reason to give if none does, or a function from the nearest reading to it;
    ``note`` what to add if one does.
    """
    outcomes = [rounds_to(value, printed) for _, value in candidates]
    for (reading, value), outcome in zip(candidates, outcomes, strict=True):
        if outcome is PrintedOutcome.REPRODUCED:
            digits = significant_digits(printed)
            interval = enclosed(value, DIGITS)
            return PrintedCheck(what, printed, outcome, reading, digits, interval, note)
    reading, value = _nearest(printed, candidates)
    undecided = PrintedOutcome.UNDECIDED in outcomes
    return PrintedCheck(
        what,
        printed,
        PrintedOutcome.UNDECIDED if undecided else PrintedOutcome.NOT_REPRODUCED,
        reading,
        None,
        enclosed(value, DIGITS),
        why if isinstance(why, str) else why(reading),
    )


def _nearest(printed: str, candidates: Sequence[Candidate]) -> Candidate:
    with precision(BITS):
        distances = [abs(value - ball(Fraction(printed))) for _, value in candidates]
        best = 0
        for index, distance in enumerate(distances):
            if certainly_less(distance, distances[best]):
                best = index
    return candidates[best]


@dataclass(frozen=True)
class Row:
    """A printed row."""

    distance: str
    steps: str
    """Empty where the notes print dots."""
    exponential: str
    laplace: str

    @property
    def printed(self) -> dict[str, str]:
        """Printed numbers, by column."""
        return {"exponential": self.exponential, "laplace": self.laplace}


@dataclass(frozen=True)
class PrintedTable:
    """A printed table, an input of the comparison."""

    id: str
    posterior: str
    place: str
    dataset: Counts
    rows: tuple[Row, ...]


BETA = PrintedTable(
    "table-beta",
    "beta(5,5)",
    "N §3.4.1, first table; L §4.3.1, first table",
    (4, 4),
    (
        Row("0.83737258593", "4", "0.0431193490585", "0.066561234758"),
        Row("0.662174391701", "3", "0.0785621424847", "0.0992976939175"),
        Row("0.457635865026", "2", "0.158265808563", "0.148134752205"),
        Row("0.233629480709", "1", "0.340809715054", "0.220991081918"),
        Row("0.0", "0", "0.37924298484", "0.329679953964"),
    ),
)
CENTRE = PrintedTable(
    "table-20-20-20",
    "DL(21,21,21)",
    "L §4.3.1, second table; N §3.4.1, second table (there with the data as (20, 20))",
    (20, 20, 20),
    (
        Row("0.999999984481", "", "0.000149705644585", "3.05988187701e-09"),
        Row("0.187421762881", "2", "0.0548161224677", "0.0285774941516"),
        Row("0.110122822057", "1", "0.192227323562", "0.170131188571"),
        Row("0.0", "0", "0.0713016293602", "0.108688872046"),
    ),
)
EDGE = PrintedTable(
    "table-1-1-1-50",
    "DL(2,2,2,51)",
    "L §4.3.1, third table",
    (1, 1, 1, 50),
    (
        Row("0.999999999998", "", "0.000213865923868", "6.16388940464e-11"),
        Row("0.340503311163", "2", "0.000388935212208", "0.0360289071389"),
        Row("0.249722620018", "1", "0.000464587461035", "0.0360289071389"),
        Row("0.0", "0", "0.000252512987228", "0.0358325423325"),
    ),
)

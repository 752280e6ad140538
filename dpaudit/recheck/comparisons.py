"""The recheck of a sampler held to a law: what follows from its counts and bounds of the law.

Binomial tails are summed here once more, from the term at the count outwards, and the distance is
added up from the definition.  What a report does not tell (counts in more outputs than it keeps) is
taken as it stands, as are the bounds of the law: both sums have to be able to be 1.
"""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt
from typing import TYPE_CHECKING

from mpmath import mp, mpf
from msgspec import structs

from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.numbers import rational

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.results import SampleReport
    from dpaudit.results.samples import Cell, Comparison

__all__ = ["check_cells", "check_places"]

_MOST_CELLS = 1024
"""A report keeps the counts of so many outputs."""
_DIGITS = 40
_NOTHING = 1e-18
_ROUNDING = 1e-6
_UNDERFLOW = 1e-290
_LOOSE = 2
"""Upper bounds of tails have been found up to 1.6 times as large as the tail itself."""
_OTHERS = "all others"
_THIRDS = 3
"""The last places are those of the run."""


def _bounds(cell: Cell) -> tuple[Fraction, Fraction]:
    try:
        low, high = (Fraction(float(rational(end))) for end in (cell.low, cell.high))
    except (ArithmeticError, ValueError) as error:
        raise UnknownDefinitionError(f"{cell.output[:40]} has no probability") from error
    return low, high


def check_cells(
    report: SampleReport,
    one: Comparison,
    told: tuple[float, float],
    error: Fraction,
    expect: Callable[[bool | None, str], None],
) -> None:
    """Check that a p-value and a distance follow from counts, where a report tells them."""
    if not one.cells:
        many = one.outputs > _MOST_CELLS
        expect(True if many else None, "it does not tell what it counted")
        return
    if wrong := _wrong(one):
        expect(False, wrong)
        return
    more = 1 + 2 / 10 ** (report.digits + 2)  # as far as they are rounded
    p_value = _p_value(one, report.datasets)
    fits = p_value * (1 - _ROUNDING) <= told[0] <= max(_LOOSE * p_value * more, _UNDERFLOW)
    expect(fits, f"its counts show a p-value of {p_value:.6g}, not {one.p_value or 0}")
    distance = _distance(one, report.datasets, error)
    fits = distance * (1 - _ROUNDING) <= told[1] <= distance * (more + _ROUNDING)
    expect(fits, f"its counts show a distance of {distance:.6g}, not {one.distance}")


def check_places(
    report: SampleReport,
    one: Comparison,
    error: Fraction,
    expect: Callable[[bool | None, str], None],
) -> None:
    """Check the distances of draws from each place in calls, and in the run, where told."""
    if not one.cells or _wrong(one):
        return
    own, run = one.places[:-_THIRDS], one.places[-_THIRDS:]
    every = all(sum(place.draws for place in part) == one.draws for part in (own, run))
    every &= all(len(cell.places) == len(one.places) for cell in one.cells)
    fits = every and all(
        sum(cell.places[: len(own)]) == sum(cell.places[len(own) :]) == cell.count
        for cell in one.cells
    )
    expect(fits, "its places do not share out its draws")
    if not fits:
        return
    more = 1 + 2 / 10 ** (report.digits + 2)
    for at, place in enumerate(one.places):
        cells = [structs.replace(cell, count=cell.places[at]) for cell in one.cells]
        alone = structs.replace(one, draws=place.draws, cells=tuple(cells))
        if _strange(alone) < 0:
            expect(False, f"{place.words} have more outputs than draws")
            continue
        told = float(rational(place.distance))
        distance = 1.0
        if place.draws:
            distance = _distance(alone, len(one.places) * report.datasets, error)
        fits = distance * (1 - _ROUNDING) <= told <= distance * (more + _ROUNDING)
        expect(fits, f"{place.words} show a distance of {distance:.6g}, not {place.distance}")


def _wrong(one: Comparison) -> str:
    """Return what is wrong with the cells of a comparison; nothing for those of some law."""
    if len(one.cells) != one.outputs:
        return f"it counts {len(one.cells)} outputs, not {one.outputs}"
    bounds = [_bounds(cell) for cell in one.cells]
    if not all(0 <= low <= high <= 1 for low, high in bounds):
        return "its law has bounds that are none"
    if not sum(low for low, _ in bounds) <= 1 <= sum(high for _, high in bounds):
        return "the probabilities of its law do not add up to 1"
    if sum(cell.count for cell in one.cells) > one.draws:
        return "it counts more than it draws"
    return ""


def _strange(one: Comparison) -> int:
    """Return how many draws are what the law has none of."""
    return one.draws - sum(cell.count for cell in one.cells)


def _p_value(one: Comparison, datasets: int) -> float:
    """Return the smallest p-value of a comparison's outputs, all datasets and outputs counted."""
    least = 1.0
    for cell in one.cells:
        low, high = _bounds(cell)
        above = _tail(one.draws, high, cell.count)
        below = _tail(one.draws, 1 - low, one.draws - cell.count)
        least = min(least, 2 * above, 2 * below)
    if strange := _strange(one):
        known = sum((_bounds(cell)[0] for cell in one.cells), Fraction(0))
        unknown = max(1 - known, Fraction(0))
        least = min(least, _tail(one.draws, unknown, strange))
    return min(1.0, least * (len(one.cells) + 1) * datasets)


def _distance(one: Comparison, datasets: int, error: Fraction) -> float:
    """Return the upper bound of the total variation distance that a comparison's counts give."""
    apart = rest = Fraction(0)
    for cell in one.cells:
        low, high = _bounds(cell)
        frequency = Fraction(cell.count, one.draws)
        apart += max(frequency - low, high - frequency, Fraction(0))
        rest += high if cell.output == _OTHERS else 0
    apart = (apart + Fraction(_strange(one), one.draws)) / 2
    shared = (len(one.cells) + 1) * log(2) + log(datasets / float(error))
    return min(1.0, float(apart + rest) + sqrt(shared / (2 * one.draws)))


def _tail(draws: int, chance: Fraction, count: int) -> float:
    """Return P(B ≥ count) for B ~ Bin(draws, chance), summed outwards from the count."""
    if count <= 0:
        return 1.0
    if chance <= 0 or count > draws:
        return 0.0
    if chance >= 1:
        return 1.0
    if count < draws * chance:
        return 1.0 - _tail(draws, 1 - chance, draws - count + 1)
    with mp.workdps(_DIGITS):
        p, q = (mpf(part.numerator) / part.denominator for part in (chance, 1 - chance))
        parts = (draws + 1, count + 1, draws - count + 1)
        whole, here, left = (mp.loggamma(part) for part in parts)
        logarithm = whole - here - left + count * mp.log(p) + (draws - count) * mp.log(q)
        term, odds = float(mp.exp(logarithm)), float(p / q)
    total = 0.0
    while term > _NOTHING * total:
        total += term
        term *= (draws - count) / (count + 1) * odds
        count += 1
    return total

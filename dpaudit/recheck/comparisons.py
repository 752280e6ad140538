"""The recheck of a sampler held to a law: what follows from its counts and bounds of the law.

Binomial tails are summed here once more, from the term at the count outwards, and the distance is
added up from the definition.  What a report does not tell (counts in more outputs than it keeps) is
taken as it stands, as are the bounds of the law: both sums have to be able to be 1.
"""

from __future__ import annotations

import re
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

__all__ = ["check_cells", "check_places", "check_strange"]

_MOST_CELLS = 1024
"""A report keeps the counts of so many outputs."""
_DIGITS = 40
_NOTHING = 1e-18
_ROUNDING = 1e-6
_UNDERFLOW = 1e-290
_LOOSE = 2
"""Upper bounds of tails have been found up to 1.6 times as large as the tail itself."""
_OTHERS = "all others"
_RUN = tuple(f"the {part} third of the run" for part in ("first", "second", "last"))
_CALLS = (
    ("single calls", "first halves of longer calls", "last halves of longer calls"),
    ("first halves of calls", "last halves of calls"),
    tuple(f"{part} thirds of series of calls" for part in ("first", "second", "last")),
)
"""Of samplers that return many outputs, of commands, of samplers that return one."""
_WHOLE = {*_RUN, *_CALLS[2], "single calls"}
"""Places whose draws `sample` also tests against the law, each as one set."""
_WATCHED = 16
"""In each set, `sample` tests the 16 commonest outputs, and all others together."""
_FEWEST_SETS, _MOST_SETS = 40, 4096
"""Least and largest number of sets of draws: by place, by time, and one for each process."""
_TRIED = 48 * 256
"""So many draws at most, of the first calls of all, are compared and not counted."""
_ELSE = "another output"
_SET = re.compile(r"(?P<draws>.+?): (?P<output>.+): (?P<count>\d+) of (?P<size>\d+)", re.DOTALL)


def _bounds(cell: Cell) -> tuple[Fraction, Fraction]:
    try:
        low, high = (Fraction(float(rational(end))) for end in (cell.low, cell.high))
    except (ArithmeticError, ValueError) as error:
        raise UnknownDefinitionError(f"{cell.output[:40]} has no probability") from error
    return low, high


def check_cells(
    report: SampleReport,
    comparison: Comparison,
    claimed: tuple[float, float],
    error: Fraction,
    expect: Callable[[bool | None, str], None],
) -> None:
    """Check that a p-value and a distance follow from counts, where a report tells them."""
    if not comparison.cells:
        many = comparison.outputs > _MOST_CELLS
        expect(True if many else None, "it does not say what it counted")
        return
    if wrong := _wrong(comparison):
        expect(False, wrong)
        return
    more = 1 + 2 / 10 ** (report.digits + 2)  # as far as they are rounded
    p_value = _p_value(comparison, report.datasets)
    fits = p_value * (1 - _ROUNDING) <= claimed[0] <= max(_LOOSE * p_value * more, _UNDERFLOW)
    expect(fits, f"its counts show a p-value of {p_value:.6g}, not {comparison.p_value or 0}")
    distance = _distance(comparison, report.datasets, error)
    fits = distance * (1 - _ROUNDING) <= claimed[1] <= distance * (more + _ROUNDING)
    expect(fits, f"its counts show a distance of {distance:.6g}, not {comparison.distance}")


def check_places(
    report: SampleReport,
    comparison: Comparison,
    error: Fraction,
    expect: Callable[[bool | None, str], None],
) -> None:
    """Check the distances of draws from each place in calls, and in the run, where told."""
    own, run = comparison.places[: -len(_RUN)], comparison.places[-len(_RUN) :]
    words = tuple(tuple(place.words for place in part) for part in (own, run))
    if words[0] not in _CALLS or words[1] != _RUN:
        expect(False, "its places are not those of calls and of the run")
        return
    if not comparison.cells or _wrong(comparison):
        return
    every = all(sum(place.draws for place in part) == comparison.draws for part in (own, run))
    every &= all(len(cell.places) == len(comparison.places) for cell in comparison.cells)
    fits = every and all(
        sum(cell.places[: len(own)]) == sum(cell.places[len(own) :]) == cell.count
        for cell in comparison.cells
    )
    expect(fits, "the draws of its places do not add up to its draws")
    if not fits:
        return
    more = 1 + 2 / 10 ** (report.digits + 2)
    for at, place in enumerate(comparison.places):
        cells = [structs.replace(cell, count=cell.places[at]) for cell in comparison.cells]
        alone = structs.replace(comparison, draws=place.draws, cells=tuple(cells))
        if _strange(alone) < 0:
            expect(False, f"{place.words} have more outputs than draws")
            continue
        claimed = float(rational(place.distance))
        distance = 1.0
        if place.draws:
            distance = _distance(alone, len(comparison.places) * report.datasets, error)
        fits = distance * (1 - _ROUNDING) <= claimed <= distance * (more + _ROUNDING)
        expect(fits, f"{place.words} show a distance of {distance:.6g}, not {place.distance}")


def check_strange(
    report: SampleReport, comparison: Comparison, expect: Callable[[bool | None, str], None]
) -> None:
    """Check the p-value of the set of draws that speaks most against the law.

    How many sets there are follows from what is not in the report, so that it is bounded on both
    sides.  What places contradict by themselves has to be in it.
    """
    drift, match = float(rational(comparison.drift or "0")), _SET.fullmatch(comparison.strange)
    if bool(comparison.strange) != (drift < 1) or bool(comparison.strange) != bool(match):
        expect(False, f"no draws {comparison.strange!r} show a p-value of {comparison.drift or 0}")
        return
    if not comparison.cells or _wrong(comparison):
        return
    tests = 2 * report.datasets * (min(len(comparison.cells), _WATCHED) + 1)
    most = tests * _MOST_SETS * _LOOSE * (1 + 2 / 10 ** (report.digits + 2))
    if match is not None:
        tail = _tail_of(comparison, match)
        least = tail * tests * _FEWEST_SETS * (1 - _ROUNDING)
        fits = tail <= 1 and least <= drift <= max(tail * most, _UNDERFLOW)
        expect(fits, f"no {comparison.strange} show a p-value of {comparison.drift or 0}")
    watched = sorted(comparison.cells, key=lambda cell: -_bounds(cell)[1])[:_WATCHED]
    for at, place in enumerate(comparison.places):
        if place.words not in _WHOLE or not place.draws:
            continue
        for cell in watched:
            if len(cell.places) != len(comparison.places):
                return  # which is told of the places
            bound = max(_two_tails(place.draws, _bounds(cell), cell.places[at]) * most, _UNDERFLOW)
            expect(
                drift <= bound, f"{place.words} contradict its law more than by {comparison.drift}"
            )


def _tail_of(comparison: Comparison, match: re.Match[str]) -> float:
    """Return an upper bound of the probability of these draws; 2 where they cannot be."""
    count, size = int(match["count"]), int(match["size"])
    ends, drawn = None, comparison.draws
    for cell in comparison.cells:
        if cell.output == match["output"]:
            ends, drawn = _bounds(cell), cell.count
    if ends is None and match["output"] == _ELSE:
        watched = sorted(map(_bounds, comparison.cells), key=lambda ends: -ends[1])[:_WATCHED]
        low, high = (sum((ends[end] for ends in watched), Fraction(0)) for end in (0, 1))
        ends = max(1 - high, Fraction(0)), min(max(1 - low, Fraction(0)), Fraction(1))
    possible = count <= size <= comparison.draws + _TRIED and count <= drawn + _TRIED
    return _two_tails(size, ends, count) if ends is not None and possible else 2.0


def _two_tails(draws: int, bounds: tuple[Fraction, Fraction], count: int) -> float:
    """Return the smaller of the probabilities of so many draws or more, and of so many or fewer."""
    low, high = bounds
    return min(_tail(draws, high, count), _tail(draws, 1 - low, draws - count))


def _wrong(comparison: Comparison) -> str:
    """Return what is wrong with the cells of a comparison; nothing for those of some law."""
    if len(comparison.cells) != comparison.outputs:
        return f"it counts {len(comparison.cells)} outputs, not {comparison.outputs}"
    bounds = [_bounds(cell) for cell in comparison.cells]
    if not all(0 <= low <= high <= 1 for low, high in bounds):
        return "its output distribution has invalid bounds"
    if not sum(low for low, _ in bounds) <= 1 <= sum(high for _, high in bounds):
        return "the probabilities of its output distribution do not add up to 1"
    if sum(cell.count for cell in comparison.cells) > comparison.draws:
        return "it counts more than it draws"
    return ""


def _strange(comparison: Comparison) -> int:
    """Return the number of draws that have probability 0 in the law."""
    return comparison.draws - sum(cell.count for cell in comparison.cells)


def _p_value(comparison: Comparison, datasets: int) -> float:
    """Return the smallest p-value of a comparison's outputs, all datasets and outputs counted."""
    least = 1.0
    for cell in comparison.cells:
        low, high = _bounds(cell)
        above = _tail(comparison.draws, high, cell.count)
        below = _tail(comparison.draws, 1 - low, comparison.draws - cell.count)
        least = min(least, 2 * above, 2 * below)
    if strange := _strange(comparison):
        listed = sum((_bounds(cell)[0] for cell in comparison.cells), Fraction(0))
        unknown = max(1 - listed, Fraction(0))
        least = min(least, _tail(comparison.draws, unknown, strange))
    return min(1.0, least * (len(comparison.cells) + 1) * datasets)


def _distance(comparison: Comparison, datasets: int, error: Fraction) -> float:
    """Return the upper bound of the total variation distance that a comparison's counts give."""
    apart = rest = Fraction(0)
    for cell in comparison.cells:
        low, high = _bounds(cell)
        frequency = Fraction(cell.count, comparison.draws)
        apart += max(frequency - low, high - frequency, Fraction(0))
        rest += high if cell.output == _OTHERS else 0
    apart = (apart + Fraction(_strange(comparison), comparison.draws)) / 2
    shared = (len(comparison.cells) + 1) * log(2) + log(datasets / float(error))
    return min(1.0, float(apart + rest) + sqrt(shared / (2 * comparison.draws)))


def _tail(draws: int, chance: Fraction, count: int) -> float:
    """Return P(B ≥ count) for B ~ Bin(draws, chance), summed outwards from the count."""
    if count <= 0:
        return 1.0
    if chance <= 0 or count > draws:
        return 0.0
    if chance >= 1:
        return 1.0
    # Below the mean the complement is the shorter sum.
    if count < draws * chance:
        return 1.0 - _tail(draws, 1 - chance, draws - count + 1)
    with mp.workdps(_DIGITS):
        p, q = (mpf(part.numerator) / part.denominator for part in (chance, 1 - chance))
        parts = (draws + 1, count + 1, draws - count + 1)
        whole, here, left = (mp.loggamma(part) for part in parts)
        # The first term in many decimals, since logarithms of factorials cancel.
        logarithm = whole - here - left + count * mp.log(p) + (draws - count) * mp.log(q)
        term, odds = float(mp.exp(logarithm)), float(p / q)
    total = 0.0
    while term > _NOTHING * total:
        total += term
        term *= (draws - count) / (count + 1) * odds
        count += 1
    return total

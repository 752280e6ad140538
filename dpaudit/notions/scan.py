"""All pairs of one size in one notion: which may be the worst, enclosed ever more tightly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpaudit.laws.law import LawCache
from dpaudit.notions.notion import Notion, PairOfLaws, Value
from dpaudit.numbers.ball import Ball, PrecisionNeeded, certainly_less, maximum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from fractions import Fraction

    from dpaudit.laws.law import OutputLaws
    from dpaudit.notions.losses import ExactMasses

__all__ = ["Candidate", "Examined", "examine", "refine"]


@dataclass
class Candidate:
    """One direction of a pair that may be the worst."""

    x: Any
    y: Any
    value: Value | None
    """What was measured, None where the precision did not do."""
    masses: ExactMasses | None = None
    """All masses in closed form."""


@dataclass
class Examined:
    """What looking at all pairs has left."""

    covered: int
    """How many pairs there were."""
    candidates: list[Candidate]
    """The directions that may hold the largest value."""


@dataclass
class _Pass:
    """One pass over pairs at one precision."""

    notion: Notion
    tolerance: Fraction | None
    """How wide the enclosure of a supremum may be; None for a rough one."""
    known: dict[ExactMasses, Value] = field(default_factory=dict)
    """What equal masses have given before."""

    def directions(
        self, laws: PairOfLaws, left: Any, right: Any, floor: Ball | None
    ) -> Iterator[Candidate]:
        """Yield a candidate for each direction that has to be looked at."""
        notion = self.notion
        for forward in (True, False) if notion.directed else (True,):
            x, y = (left, right) if forward else (right, left)
            value = notion.known(laws, forward=forward)
            if value is not None:
                yield Candidate(x, y, value)
                continue
            try:
                masses = laws.losses(forward=forward).exact if notion.sums_losses else None
                value = None if masses is None else self.known.get(masses)
                if value is None:
                    value = notion.measure(
                        laws, forward=forward, tolerance=self.tolerance, floor=floor
                    )
                    if masses is not None:
                        self.known[masses] = value
            except PrecisionNeeded:
                yield Candidate(x, y, None)
            else:
                yield Candidate(x, y, value, masses)


def examine(
    book: OutputLaws[Any],
    pairs: Iterable[tuple[Any, Any]],
    notion: Notion,
    progress: Callable[[int], None],
) -> Examined:
    """Return how many pairs there are, and the directions that may hold the largest value."""
    cache, one_pass = LawCache(book), _Pass(notion, None)
    kept: list[Candidate] = []
    floor = _first_floor(book, pairs, notion)
    covered = 0
    for left, right in pairs:
        laws = PairOfLaws(cache.first(left).divergence_from(cache.law(right)))
        for one in one_pass.directions(laws, left, right, floor):
            if one.value is None:
                kept.append(one)
                continue
            found = one.value.ball
            if floor is not None and certainly_less(found, floor):
                continue
            kept.append(one)
            if floor is None or certainly_less(floor, found.lower()):
                floor = found.lower()
        covered += 1
        progress(1)
    if not kept:
        raise ValueError("there are no pairs to look at")
    return Examined(covered, [one for one in kept if not _is_below(one, floor)])


def _first_floor(
    book: OutputLaws[Any], pairs: Iterable[tuple[Any, Any]], notion: Notion
) -> Ball | None:
    """Return a number that the largest value is certainly not below, where that is cheap."""
    if not notion.has_lower_bound:
        return None
    cache = LawCache(book)
    floor: Ball | None = None
    for left, right in pairs:
        laws = PairOfLaws(cache.first(left).divergence_from(cache.law(right)))
        for forward in (True, False):
            try:
                known = notion.known(laws, forward=forward)
                found = (
                    notion.lower_bound(laws.losses(forward=forward))
                    if known is None
                    else known.ball
                )
            except PrecisionNeeded:
                continue
            if floor is None or certainly_less(floor, found.lower()):
                floor = found.lower()
    return floor


def _is_below(one: Candidate, floor: Ball | None) -> bool:
    return one.value is not None and floor is not None and certainly_less(one.value.ball, floor)


def refine(
    book: OutputLaws[Any], candidates: list[Candidate], notion: Notion, tolerance: Fraction
) -> list[Candidate]:
    """Return the candidates that remain when all are tightly enclosed."""
    cache, one_pass = LawCache(book), _Pass(notion, tolerance)
    found = []
    for one in candidates:
        laws = PairOfLaws(cache.first(one.x).divergence_from(cache.law(one.y)))
        found.append(next(one_pass.directions(laws, one.x, one.y, None)))
    best = [one.value.ball.lower() for one in found if one.value is not None]
    floor = maximum(best) if best else None
    return [one for one in found if not _is_below(one, floor)]

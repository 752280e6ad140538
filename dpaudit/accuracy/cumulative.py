"""Cumulative probabilities of a listed law: where they reach a level, by balls or exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.exact.ball import Ball, Sign, ball, sign

if TYPE_CHECKING:
    from dpaudit.accuracy.listing import Listing
    from dpaudit.exact.real import Real

__all__ = ["bracket", "is_whole", "settled", "tail"]


def bracket(listing: Listing, p: Real) -> tuple[int, int | None]:
    """Return the first and the last cell that may be the quantile (None: beyond all of them)."""
    target, rest = p.ball(), listing.remainder.mass
    total, first = ball(0), None
    cells = listing.cells
    for index, cell in enumerate(cells):
        total += cell.mass
        if first is None and sign(total + rest - target) is not Sign.NEGATIVE:
            first = index
        if sign(total - target) in (Sign.POSITIVE, Sign.ZERO):
            assert first is not None
            return first, index
    if first is None:
        first = len(cells) - 1
    return first, len(cells) - 1 if is_whole(listing) else None


def is_whole(listing: Listing) -> bool:
    """Tell whether nothing is left out of the cells."""
    return listing.remainder.mass.is_zero()


def settled(listing: Listing, p: Real, first: int, last: int | None) -> tuple[int, int | None]:
    """Return the bracket after asking closed forms whether cumulative probabilities reach p."""
    if not is_whole(listing) and not listing.remainder.least:
        return first, last
    end = len(listing.cells) - 1 if last is None else last
    for index in range(first, end):
        exact = listing.exact_mass(listing.cells[: index + 1])
        found = Sign.UNDECIDED if exact is None else (exact - p).sign()
        if found is Sign.UNDECIDED:
            return index, last
        if found is not Sign.NEGATIVE:
            return index, index
        first = index + 1
    return first, last


def tail(listing: Listing, threshold: Real) -> Ball:
    """Return P(error ≥ ``threshold``); a ball of both answers where a tie cannot be told."""
    bound = threshold.ball()
    total = listing.remainder.mass
    everything = is_whole(listing)
    for cell in listing.cells:
        found = sign(cell.value - bound)
        if found is Sign.UNDECIDED:
            exact = cell.exact()
            found = Sign.UNDECIDED if exact is None else (exact - threshold).sign()
        if found in (Sign.POSITIVE, Sign.ZERO):
            total += cell.mass
            continue
        everything = False
        if found is Sign.UNDECIDED:
            total += ball(0).union(cell.mass)
    return ball(1) if everything else total

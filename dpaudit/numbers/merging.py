"""Cells of privacy losses merged over the points between them: the side below of a lattice."""

from __future__ import annotations

from collections.abc import Sequence

from dpaudit.numbers.ball import Ball, fixed_point

__all__ = ["GUARD", "merged"]

GUARD = 64
"""Bits that constants have beyond those of the masses."""


def merged(
    needs: Sequence[int],
    gives: Sequence[int],
    rate: Ball,
    kept: tuple[Sequence[int], Ball],
    bits: int,
) -> list[int]:
    """Return the masses on lattice points of cells merged over the points between them.

    Cell i lies between the points i and i + 1.  A fraction s of it merged with a fraction t of cell
    i + 1 has a loss of at least the point i + 1 where t·gives[i + 1] ≥ s·needs[i]·rate; then A is
    lowered to B·e^loss, that is s·kept[i]·width + t·kept[i + 1].  What finds no partner goes down
    to its own point i, A lowered to kept[i].  Fractions are whole numbers over 2^bits here, so that
    a cell is never used more than once.

    Partners are sought from both ends, where each chain damps its own errors (densities that grow
    on the way), up to the cell of the largest mass.

    Args:
        needs: for each cell an upper bound of what its whole, moved up, needs, in units of
            ``gives`` after multiplication with ``rate``.
        gives: a lower bound of what its whole, moved down, gives.
        rate: see above; at most its upper end counts.
        kept: a lower bound of B·e^(loss of its lower point), and e^(distance of two points).
        bits: the scale of ``kept``.
    """
    count, (masses_kept, width) = len(needs), kept
    if not count:
        return []
    unit = 1 << bits
    scale = bits + GUARD
    growth = fixed_point(rate, GUARD)[1]
    widened = fixed_point(width, scale)[0]
    peak = max(range(count), key=lambda i: masses_kept[i])
    down = [0] * count  # the fraction of each cell that is merged over its lower point
    up = [0] * count  # over its upper point
    for i in range(1, peak + 1):
        up[i - 1], down[i] = _partners(unit - down[i - 1], unit, needs[i - 1] * growth, gives[i])
    for i in range(count - 1, peak, -1):
        # Both chains end at the cell of the largest mass, which has a whole to give once.
        limit = unit - (down[i - 1] if i - 1 == peak else 0)
        wanted = unit - up[i]
        up[i - 1], down[i] = _fitted(limit, wanted, needs[i - 1] * growth, gives[i])
    masses = [0] * (count + 1)
    for i in range(count):
        if masses_kept[i]:
            # What is rounded off stays at the lower point: no mass is lost.
            moved = masses_kept[i] * up[i] >> bits
            masses[i] += masses_kept[i] - moved
            masses[i + 1] += (moved * widened) >> scale
    return masses


def _partners(limit: int, most: int, need: int, give: int) -> tuple[int, int]:
    """Return s ≤ limit as large as t ≤ most allows, and t, with t·give·2^GUARD ≥ s·need."""
    if not need:
        return limit, 0
    if not give:
        return 0, 0
    # Rounded up: a partner has to give enough.
    t = -(-limit * need // (give << GUARD))
    if t <= most:
        return limit, t
    return (most * give << GUARD) // need, most


def _fitted(limit: int, wanted: int, need: int, give: int) -> tuple[int, int]:
    """Return s ≤ limit and t ≤ wanted, t as large as s allows, with t·give·2^GUARD ≥ s·need."""
    if not need:
        return limit, 0
    s = min(limit, (wanted * give << GUARD) // need)
    return s, -(-s * need // (give << GUARD)) if s else 0

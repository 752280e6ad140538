"""The counts of a comparison as a report keeps them, and what follows from them once more."""

from __future__ import annotations

from decimal import ROUND_CEILING
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dpaudit.results.samples import Cell, Comparison
from dpaudit.sampling.law_test import TINY, Others, Partition, compare
from dpaudit.sampling.verdicts import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["THIRDS", "outputs_of", "recomputed"]

THIRDS = 3
"""So many of the places, the last, are those of the run."""
_MOST_CELLS = 1024


def outputs_of(
    counts: Mapping[Any, int], partition: Partition, places: Sequence[Mapping[Any, int]] = ()
) -> tuple[Cell, ...]:
    """Return what was counted of each output, for reports; nothing of too many."""
    if len(partition.law) > _MOST_CELLS:
        return ()
    return tuple(
        Cell(
            output=repr(output) if partition.bins is None else partition.bins.words(output),
            low=repr(low),
            high=repr(high),
            count=counts.get(output, 0),
            places=tuple(place.get(output, 0) for place in places),
        )
        for output, (low, high) in partition.law.items()
    )


def recomputed(comparison: Comparison, error: float, datasets: int, digits: int) -> Comparison:
    """Return a comparison with the p-value and distances that follow from its counts.

    A comparison with too many outputs to list is returned unchanged.  Raises ``ValueError`` if no
    draws, or no law, can have given the cells.
    """
    if not comparison.cells and comparison.outputs > _MOST_CELLS:
        return comparison
    law = {rank: (float(cell.low), float(cell.high)) for rank, cell in enumerate(comparison.cells)}
    counts = {rank: cell.count for rank, cell in enumerate(comparison.cells)}
    strange = comparison.draws - sum(counts.values())
    ordered = all(0 <= low <= high <= 1 for low, high in law.values())
    fits = all(len(cell.places) == len(comparison.places) for cell in comparison.cells)
    if not (ordered and strange >= 0 and len(law) == comparison.outputs and fits):
        raise ValueError("its sets of outputs belong to no draws, or to no output distribution")
    least, most = (sum(Fraction(bounds[end]) for bounds in law.values()) for end in (0, 1))
    if not least <= 1 <= most:
        raise ValueError("its probabilities do not add up to 1")
    others = [rank for rank, cell in enumerate(comparison.cells) if cell.output == repr(Others())]
    rest = sum(law[rank][1] for rank in others) or (TINY if others else 0.0)
    counted = counts | ({-1: strange} if strange else {})
    places = []
    for at, place in enumerate(comparison.places):
        inside = {rank: cell.places[at] for rank, cell in enumerate(comparison.cells)}
        beside = place.draws - sum(inside.values())
        if not 0 <= beside <= strange:
            raise ValueError("its places have the wrong draws")
        places.append(inside | ({-1: beside} if beside else {}))
    for part in (places[:-THIRDS], places[-THIRDS:]):  # of calls, and of the run
        if any(sum(p.get(rank, 0) for p in part) != count for rank, count in counted.items()):
            raise ValueError("its places do not have all draws")
    compared = compare(
        counted, Partition(law, None, rest), comparison.draws, error, datasets, places=places
    )
    again = tuple(
        structs.replace(place, distance=shown(distance, ROUND_CEILING, digits))
        for place, distance in zip(comparison.places, compared.places, strict=True)
    )
    return structs.replace(
        comparison,
        p_value=shown(compared.p_value, ROUND_CEILING, digits),
        distance=shown(compared.distance, ROUND_CEILING, digits),
        places=again,
    )

"""What a run gives out: values, and places for the draws that are left open in them."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from dpaudit.programs.lazy import Lazy
from dpaudit.programs.printed import Form, OpenWhole, Place
from dpaudit.programs.regions import Given
from dpaudit.programs.unknown import Unknown
from dpaudit.programs.unknown_whole import Whole
from dpaudit.programs.wholes import size

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from dpaudit.programs.run import Run

__all__ = ["given"]

_MOST_LISTED = 4096
"""Whole numbers in an output are decided, one by one, where they make at most so many outputs."""


def given(run: Run, output: Any) -> Hashable:
    """Return an output without unknown numbers, or a :class:`Given` with places for them.

    Real numbers are places.  Whole ones are decided, where they are few, and places otherwise.
    ``TypeError`` for an output that cannot be hashed.
    """
    forms: list[Form] = []
    counts: list[OpenWhole] = []
    found = _known(run, output, forms, counts if run.opens and _left_open(run, output) else None)
    hash(found)
    if forms and counts:
        run.refuse("a whole number without an end is given out beside a real number")
    return Given(found, tuple(forms), tuple(counts)) if forms or counts else found


def _wholes(output: Any) -> Iterator[Whole]:
    if isinstance(output, Whole):
        yield output
    elif isinstance(output, (list, tuple)):
        for part in output:
            yield from _wholes(part)


def _left_open(run: Run, output: Any) -> bool:
    """Tell whether the whole numbers of an output are too many to be decided."""
    wholes = list(_wholes(output))
    sizes = [size(run.supports[one._number]) for one in wholes]
    known = [one for one in sizes if one is not None]
    open_ = len(known) < len(sizes) or prod(known) > _MOST_LISTED
    if open_ and len({one._number for one in wholes}) < len(wholes):
        run.refuse("a whole number without an end, or with many values, is given out twice")
    return open_


def _known(run: Run, output: Any, forms: list[Form], counts: list[OpenWhole] | None) -> Any:
    """Return an output with places; what stands in them is added to ``forms`` or ``counts``."""
    if isinstance(output, Unknown):
        forms.append(Form(output._terms, output._constant))
        return Place(len(forms) - 1)
    if isinstance(output, Whole) and counts is not None:
        counts.append(OpenWhole(output._number, output._factor, output._constant))
        return Place(len(counts) - 1)
    if isinstance(output, Lazy):
        return output._fixed()
    if isinstance(output, (list, tuple)):
        parts = [_known(run, part, forms, counts) for part in output]
        if type(output) in (list, tuple):
            return tuple(parts)
        if hasattr(output, "_make"):
            return output._make(parts)
    if isinstance(output, (set, frozenset)):
        return frozenset(_known(run, part, forms, None) for part in output)
    return output

"""Where a program gives each of its outputs: regions of draws, joined where they fill a zone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.programs.printed import Counted, Form, Printed, framed, planes
from dpaudit.programs.zones import Edge, closure, covers

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real
    from dpaudit.programs.noises import Draw
    from dpaudit.programs.printed import Frame, OpenWhole
    from dpaudit.programs.run import Run
    from dpaudit.programs.subsamplers import Enclosed
    from dpaudit.programs.wholes import Support, WholeDraw

__all__ = ["Given", "Region", "Seen", "key_of", "regions_of", "trails_of"]


@dataclass(frozen=True, slots=True)
class Region:
    """The draws of some paths: what was decided about the finite ones, and where others lie."""

    weight: Real
    """The probability of the finite draws."""
    draws: tuple[Draw, ...]
    zone: frozenset[tuple[Edge, Fraction]]
    """Where the continuous draws lie."""
    wholes: tuple[tuple[WholeDraw | Enclosed, Support], ...]
    """Where the countable draws lie."""
    forms: tuple[Form, ...] = ()
    """The coordinates of an output with continuous draws in it."""
    frame: Frame = ()
    """What the coordinates are of its places."""
    counts: tuple[OpenWhole, ...] = ()
    """The countable draws in an output that leaves some open."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a run gives out that has draws in it: continuous ones, or countable ones left open."""

    fixed: Hashable
    forms: tuple[Form, ...]
    counts: tuple[OpenWhole, ...] = ()


Seen = tuple[tuple[int, ...], "Run", Hashable]
"""The decisions of a path, its run, and what it gives."""


def regions_of(seen: list[Seen]) -> dict[Hashable, list[Region]]:
    """Return where each output is given, with regions joined that fill a zone together."""
    found: dict[Hashable, dict[Any, list[dict[Edge, Fraction]]]] = {}
    for _, run, given in seen:
        output, forms, counts = key_of(given)
        wholes = tuple(zip(run.wholes, run.supports, strict=True))
        frame: Frame = ()
        if isinstance(output, Printed):
            frame, forms = framed(forms)
            forms = tuple(form.rescaled(run.scales) for form in forms)
        # Regions of one key differ in their zones alone, so that these are disjoint.
        key = (
            *(tuple(run.draws), wholes, run.weight, forms, frame, counts),
            *(tuple(run.finite), tuple(run.scales)),
        )
        found.setdefault(output, defaultdict(list))[key].append(run.zone)
    return {
        output: [
            Region(weight, draws, frozenset(zone.items()), wholes, forms, frame, counts)
            for (draws, wholes, weight, forms, frame, counts, *_), zones in groups.items()
            for zone in _joined(zones)
        ]
        for output, groups in found.items()
    }


def trails_of(seen: list[Seen]) -> dict[Hashable, tuple[int, ...]]:
    """Return the decisions of one path to each output."""
    return {key_of(given)[0]: taken for taken, _, given in reversed(seen)}


def key_of(given: Hashable) -> tuple[Hashable, tuple[Form, ...], tuple[OpenWhole, ...]]:
    """Return what is fixed of an output, and what stands in its places."""
    if not isinstance(given, Given):
        return given, (), ()
    if given.counts:
        return Counted(given.fixed), (), given.counts
    return *planes(given.fixed, given.forms), ()


def _joined(zones: list[dict[Edge, Fraction]]) -> list[dict[Edge, Fraction]]:
    """Return one zone for all, where they fill one together, else the zones themselves."""
    if len(zones) < 2:
        return zones
    zones = [closure(zone) for zone in zones]
    hull = dict(zones[0])
    for zone in zones[1:]:
        hull = {edge: max(c, zone[edge]) for edge, c in hull.items() if edge in zone}
    return [hull] if covers(zones, hull) else zones

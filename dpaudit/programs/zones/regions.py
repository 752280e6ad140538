"""Regions of draws in which a program gives each output, joined where they fill a zone."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dpaudit.programs.exploring.estimates import told
from dpaudit.programs.output_laws.printed_draws import Counted, Form, Printed, framed, planes
from dpaudit.programs.unknowns.noises import Draws
from dpaudit.programs.zones.zones import Edge, Edges, closure, covers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dpaudit.numbers.real import Real
    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.exploring.subsamplers import Enclosed
    from dpaudit.programs.output_laws.printed_draws import Frame, OpenWhole
    from dpaudit.programs.unknowns.noises import Draw
    from dpaudit.programs.unknowns.wholes import Support, WholeDraw

__all__ = [
    "Alike", "Given", "Key", "Region", "Seen", "alike_of", "key_of", "region_of", "regions_of",
    "share_of",
]  # fmt: skip


class Region(NamedTuple):
    """The draws of some paths: what was decided about the finite ones, and where others lie."""

    weight: Real
    """The probability of the finite draws."""
    draws: tuple[Draw, ...]
    edges: tuple[Edge, ...]
    """Pairs of continuous draws that are compared."""
    numbers: tuple[Fraction, ...]
    """The number of each edge: where these draws lie."""
    wholes: tuple[tuple[WholeDraw | Enclosed, Support], ...]
    """Countable draws, each with the set it lies in."""
    forms: tuple[Form, ...] = ()
    """The coordinates of an output with continuous draws in it."""
    frame: Frame = ()
    """Coordinates as affine forms of its places."""
    counts: tuple[OpenWhole, ...] = ()
    """The countable draws in an output that leaves some open."""

    @property
    def placed(self) -> tuple[tuple[Draw, ...], tuple[Edge, ...], tuple[Fraction, ...]]:
        """The continuous draws, and their edges with the numbers of these."""
        return self[1:4]

    @property
    def zone(self) -> Edges:
        """Bounds of the continuous draws, by edge."""
        return dict(zip(self.edges, self.numbers, strict=True))


@dataclass(frozen=True, slots=True)
class Given:
    """Output with draws in it: continuous ones, or countable ones left open."""

    fixed: Hashable
    forms: tuple[Form, ...]
    counts: tuple[OpenWhole, ...] = ()


Seen = tuple[tuple[int, ...], "Run", Hashable]
"""The decisions of a path, its run, and what it gives."""
Key = tuple[Hashable, tuple[Form, ...], tuple["OpenWhole", ...]]
"""Fixed part of an output, with the forms and whole numbers in its places."""


Alike = tuple[tuple[int, ...], tuple[Fraction, ...]]
"""Further marks of a region: the decisions about finite draws, and the units of others."""


def regions_of(
    paths: Iterable[tuple[Hashable, Region, Alike]],
) -> dict[Hashable, list[Region]]:
    """Return where each output is given, with regions joined that fill a zone together."""
    found: dict[Hashable, list[tuple[Region, Alike]]] = {}
    for output, region, alike in paths:
        found.setdefault(output, []).append((region, alike))
    return {
        output: [regions[0][0]] if len(regions) == 1 else list(_regions(regions))
        for output, regions in found.items()
    }


def alike_of(run: Run) -> Alike:
    """Return what tells the region of a path apart, beside what it is."""
    return tuple(run.finite), tuple(run.scales)


def region_of(run: Run, key: Key) -> Region:
    """Return the region of a path, with what :func:`key_of` says of its output."""
    output, forms, counts = key
    frame: Frame = ()
    if isinstance(output, Printed):
        frame, forms = framed(forms)
        if run.rescaled:
            forms = tuple(form.rescaled(run.scales) for form in forms)
    wholes = tuple(zip(run.wholes, run.supports, strict=True))
    zone = run.weighed()
    edges, numbers = tuple(zone), tuple(zone.values())
    return Region(run.weight, Draws(run.draws), edges, numbers, wholes, forms, frame, counts)


def _regions(paths: Sequence[tuple[Region, Alike]]) -> Iterator[Region]:
    groups: dict[Any, list[Region]] = {}
    for one, alike in paths:
        # Regions of one group differ in their zones alone, so that these are disjoint.
        groups.setdefault((one._replace(edges=(), numbers=()), alike), []).append(one)
    for (alike_region, _), regions in groups.items():
        for zone in _joined([region.zone for region in regions]):
            yield alike_region._replace(edges=tuple(zone), numbers=tuple(zone.values()))


def key_of(given: Hashable) -> Key:
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
    filled = itertools.count(1)

    def one_more() -> None:
        told(next(filled), len(zones), "paths joined")

    return [hull] if covers(zones, hull, one_more) else zones


def share_of(region: Region) -> Fraction:
    """Return the probability of a region of whole numbers, each alike."""
    weight = region.weight.as_fraction()
    assert weight is not None
    over = under = 1
    for draw, support in region.wholes:
        over *= sum(high - low + 1 for low, high in support if low is not None and high is not None)
        under *= cast("WholeDraw", draw).count
    return weight * over / under

"""Where a program gives each of its outputs: regions of draws, joined where they fill a zone."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.programs.printed import Counted, Form, Printed, framed, planes
from dpaudit.programs.zones import Edge, Edges, closure, covers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.numbers.real import Real
    from dpaudit.programs.noises import Draw
    from dpaudit.programs.printed import Frame, OpenWhole
    from dpaudit.programs.run import Run
    from dpaudit.programs.subsamplers import Enclosed
    from dpaudit.programs.wholes import Support, WholeDraw

__all__ = ["Given", "Key", "Region", "Seen", "key_of", "regions_of", "trails_of"]


@dataclass(frozen=True, slots=True)
class Region:
    """The draws of some paths: what was decided about the finite ones, and where others lie."""

    weight: Real
    """The probability of the finite draws."""
    draws: tuple[Draw, ...]
    edges: tuple[Edge, ...]
    """Which of the continuous draws are compared, and with which."""
    numbers: tuple[Fraction, ...]
    """The number of each edge: where these draws lie."""
    wholes: tuple[tuple[WholeDraw | Enclosed, Support], ...]
    """Where the countable draws lie."""
    forms: tuple[Form, ...] = ()
    """The coordinates of an output with continuous draws in it."""
    frame: Frame = ()
    """What the coordinates are of its places."""
    counts: tuple[OpenWhole, ...] = ()
    """The countable draws in an output that leaves some open."""

    @property
    def zone(self) -> Edges:
        """Where the continuous draws lie."""
        return dict(zip(self.edges, self.numbers, strict=True))


@dataclass(frozen=True, slots=True)
class Given:
    """What a run gives out that has draws in it: continuous ones, or countable ones left open."""

    fixed: Hashable
    forms: tuple[Form, ...]
    counts: tuple[OpenWhole, ...] = ()


Seen = tuple[tuple[int, ...], "Run", Hashable]
"""The decisions of a path, its run, and what it gives."""
Key = tuple[Hashable, tuple[Form, ...], tuple["OpenWhole", ...]]
"""What is fixed of an output, and what stands in its places."""


def regions_of(seen: Sequence[Seen], keys: Sequence[Key]) -> dict[Hashable, list[Region]]:
    """Return where each output is given, with regions joined that fill a zone together.

    ``keys`` are what :func:`key_of` says of each path.
    """
    found: dict[Hashable, list[tuple[Run, Key]]] = {}
    for (_, run, _), key in zip(seen, keys, strict=True):
        found.setdefault(key[0], []).append((run, key))
    return {
        output: [_region(*paths[0])] if len(paths) == 1 else list(_regions(paths))
        for output, paths in found.items()
    }


def _region(run: Run, key: Key) -> Region:
    output, forms, counts = key
    frame: Frame = ()
    if isinstance(output, Printed):
        frame, forms = framed(forms)
        if run.rescaled:
            forms = tuple(form.rescaled(run.scales) for form in forms)
    wholes = tuple(zip(run.wholes, run.supports, strict=True))
    edges, numbers = run.edges or tuple(run.zone), tuple(run.zone.values())
    return Region(run.weight, tuple(run.draws), edges, numbers, wholes, forms, frame, counts)


def _regions(paths: Sequence[tuple[Run, Key]]) -> Iterator[Region]:
    groups: dict[Any, list[Region]] = {}
    for run, key in paths:
        one = _region(run, key)
        # Regions of one group differ in their zones alone, so that these are disjoint.
        alike = replace(one, edges=(), numbers=()), tuple(run.finite), tuple(run.scales)
        groups.setdefault(alike, []).append(one)
    for (alike, *_), regions in groups.items():
        for zone in _joined([region.zone for region in regions]):
            yield replace(alike, edges=tuple(zone), numbers=tuple(zone.values()))


def trails_of(seen: Sequence[Seen], keys: Sequence[Key]) -> dict[Hashable, tuple[int, ...]]:
    """Return the decisions of one path to each output."""
    found: dict[Hashable, tuple[int, ...]] = {}
    for (taken, _, _), (output, *_) in zip(seen, keys, strict=True):
        found.setdefault(output, taken)
    return found


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
    return [hull] if covers(zones, hull) else zones

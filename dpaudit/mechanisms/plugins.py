"""Mechanisms that installed packages offer, as entry points of the group ``dpaudit.mechanisms``.

    [project.entry-points."dpaudit.mechanisms"]
    my-mechanism = "my_package.my_module:my_mechanism"

Nothing is imported to list them; one that cannot be imported is found out when it is asked for, and
disturbs no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points

__all__ = ["GROUP", "Offer", "offers"]

GROUP = "dpaudit.mechanisms"
"""The entry-point group."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One mechanism that an installed package offers."""

    name: str
    """What it is called."""
    target: str
    """``package.module:name``."""
    package: str
    """The distribution that offers it, with its version."""


def offers() -> list[Offer]:
    """Return what is offered, sorted by name."""
    found = {
        Offer(
            point.name,
            point.value.replace(" ", ""),
            f"{point.dist.name} {point.dist.version}" if point.dist else "",
        )
        for point in entry_points(group=GROUP)
    }
    return sorted(found, key=lambda offer: (offer.name.lower(), offer.name, offer.package))

"""The options of ``dpaudit hunt``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.cli.request import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HuntRequest"]


@dataclass(frozen=True, kw_only=True)
class HuntRequest(WriteRequest):
    """Options of a search for the parameters at which a mechanism is least private."""

    parameters: Mapping[str, str]
    """Parameters that are not searched, as texts."""
    over: tuple[str, ...]
    """Parameters that are searched, with their values."""
    size: str | None
    """Number of records."""
    k: str | None
    """Number of categories."""
    budget: str | None
    """Budget that realised ε, or δ, is compared with."""
    at: str | None
    """The data that pairs have to contain."""
    adjacency: str | None
    """The neighbouring relation."""
    digits: int
    """Intervals of the certified audit are at most 10^−digits wide."""
    engine: str
    """Engine that visits pairs."""
    seed: int
    """Seed of the search."""
    evaluations: int
    """Largest number of points that are looked at."""
    time_cap: str
    """Seconds that the search may take."""
    table: str | None
    """File for every point, as CSV."""

"""The options of ``dpaudit sample``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.cli.request import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SampleRequest"]


@dataclass(frozen=True, kw_only=True)
class SampleRequest(WriteRequest):
    """Options of an audit by draws."""

    parameters: Mapping[str, str]
    """Parameters of the sampler, as texts."""
    size: int | None
    """Number of records."""
    draws: str
    """Largest number of draws of each dataset."""
    error: str
    """Largest probability that an excess, or a difference, is reported wrongly."""
    budget: str | None
    """Budget that the verdict is about."""
    against: str | None
    """Mechanism whose law the sampler is held to."""
    seed: int
    """Seed of the draws."""
    jobs: int
    """Number of processes that draw."""
    sequential: bool
    """True if draws stop as soon as they contradict the budget."""
    events: str
    """Events that are looked at: ``features``, or ``learned`` as well."""
    digits: int
    """Digits of a lower bound that are searched for."""

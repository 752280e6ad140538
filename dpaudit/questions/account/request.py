"""The options of ``dpaudit account``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.cli.request import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AccountRequest", "TrainingRequest"]


@dataclass(frozen=True, kw_only=True)
class TrainingRequest(WriteRequest):
    """Options that say what a run of DP-SGD is."""

    noise_multiplier: str | None
    """σ: the deviation of the noise in clipping norms."""
    batch_size: int | None
    """Expected number of examples in a batch."""
    dataset_size: int | None
    """Number of examples."""
    epochs: str | None
    """Number of passes over the data."""
    steps: int | None
    """Number of batches, in place of ``epochs``."""
    of_epsilon: str | None
    """The ε at which δ is wanted."""
    sampling: str | None
    """The draw of the batches: poisson, shuffle, fixed or allocation."""


@dataclass(frozen=True, kw_only=True)
class AccountRequest(TrainingRequest):
    """Options of an account of many runs."""

    parameters: Mapping[str, str]
    """Parameters of the mechanism, as texts."""
    size: str | None
    """Number of records."""
    k: int | None
    """Number of categories."""
    at_delta: str | None
    """The δ at which ε of all runs is wanted."""
    at_eps: str | None
    """The ε at which δ of all runs is wanted."""
    sample_rate: str | None
    """Probability with which each run sees a record."""
    direction: str | None
    """Neighbours of runs on samples: add, remove or both."""
    then: tuple[str, ...]
    """Runs of further mechanisms on the same data."""
    width: str | None
    """Width that intervals may have."""
    budget: str | None
    """Budget of all runs together."""
    solve: str | None
    """Quantity that is sought so that the budget is kept."""
    grid: str | None
    """The ε at which δ is compared with dp-accounting."""
    compose: str
    """Numbers of runs."""
    discretisation: str
    """Step of dp-accounting's grid of losses."""
    estimates: bool
    """True if dp-accounting is asked."""
    at: str | None
    """The data that pairs have to contain."""
    adjacency: str | None
    """The neighbouring relation."""
    digits: int
    """Intervals of the comparison are at most 10^−digits wide."""

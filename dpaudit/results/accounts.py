"""Certified accounts: ε at δ and δ at ε of many runs, as intervals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import msgspec

from dpaudit.results.audits import Described, Source
from dpaudit.results.values import (
    Budget,
    Count,
    Enclosure,
    Parameters,
    Real,
    Result,
    Size,
    Verdict,
)

__all__ = ["CertifiedAccount", "DeltaRow", "Direction", "EpsilonRow", "Part", "Solution", "Sought"]

Direction = Literal["add", "remove", "both"]
"""Which neighbours sampled runs are held to."""

Sought = Literal["sigma", "scale", "q", "steps"]
"""What can be sought for a budget."""


class _Row(Result, frozen=True, kw_only=True):
    x: Any = None
    """The dataset of the numerator at the worst pair; None where the pair is no two datasets."""
    y: Any = None
    """The dataset of the denominator."""
    direction: Literal["add", "remove"] | None = None
    """The worst direction of subsampling."""
    adaptive_upper: Decimal | None = None
    """A bound from above for adaptive runs; None where there is none."""
    method: Literal["closed form", "exact", "lattice", "contour"]
    """How the interval was found at the worst pair."""


class EpsilonRow(_Row, frozen=True, kw_only=True, tag_field="given", tag="delta"):
    """The smallest ε ≥ 0 with δ(ε) ≤ δ, the largest over the pairs, of all runs on one dataset."""

    delta: Real
    """δ."""
    epsilon: Enclosure
    """ε."""


class DeltaRow(_Row, frozen=True, kw_only=True, tag_field="given", tag="epsilon"):
    """δ(ε), the largest over the pairs, of all runs on one dataset."""

    epsilon: Real
    """ε."""
    delta: Enclosure
    """δ."""


class Part(Result, frozen=True, kw_only=True):
    """Runs of another mechanism on the same data."""

    described: Parameters = msgspec.field(name="mechanism")
    """The mechanism's name and its parameters, as text that reads back exactly."""
    stated: Budget | None = None
    """The budget that one run states, or None."""
    loaded: Source | None = None
    """Where the mechanism was loaded from; None for one of the package."""
    compose: Count
    """The number of its runs."""
    sample_rate: Real | None = None
    """The rate of Poisson subsampling before each run; None for none."""


class Solution(Result, frozen=True, kw_only=True):
    """What was sought for a budget, and the value beside it that fails."""

    parameter: Sought
    """What was sought."""
    value: Decimal
    """The smallest noise, largest rate or most runs that certainly keep the budget."""
    failing: Decimal
    """The next value."""
    failing_delta: Enclosure
    """δ there, at the budget's ε."""
    failing_verdict: Verdict
    """Whether the budget is exceeded there, or that is not decided."""


class CertifiedAccount(Described, Result, frozen=True, kw_only=True):
    """What many runs of one mechanism at one size keep, from both sides."""

    schema: str
    """``dpaudit.account/2``."""
    version: str
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    described: Parameters = msgspec.field(name="mechanism")
    """The mechanism's name and its parameters, as text that reads back exactly."""
    stated: Budget | None
    """The budget that one run states, or None."""
    adjacency: str
    """The neighbouring relation."""
    adjacency_defaulted: bool = False
    at: str | None = None
    """The datasets the pairs had to contain; None for all pairs."""
    epsilon_unit: str = "nats"
    loaded: Source | None = None
    """Where the mechanism was loaded from; None for one of the package."""
    n: Size
    """The size."""
    pairs: Count
    """How many unordered pairs are covered."""
    compose: Count
    """The number of runs."""
    then: tuple[Part, ...] = ()
    """Runs of other mechanisms on the same data."""
    sample_rate: Real | None = None
    """The rate of Poisson subsampling before each run; None for none."""
    direction: Direction | None = None
    """The directions that are covered with subsampling."""
    width: Real
    """How wide intervals of ε may be, and 100th parts of δ in proportion."""
    rows: tuple[EpsilonRow | DeltaRow, ...]
    """One for each δ and each ε that was asked for."""
    budget: Budget | None = None
    """What all runs are held to."""
    verdict: Verdict | None = None
    """Whether they keep it; None without a budget."""
    solved: Solution | None = None
    """What was sought for the budget; None for nothing."""
    unmet: bool = False
    """Whether some interval is wider than it should be."""
    interrupted: bool = False
    """Whether the intervals are the best of a run that was interrupted."""
    refused: tuple[str, ...] = ()
    """What could not be said, and why."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""

    @property
    def digits(self) -> int:
        """How many digits of the numbers are shown."""
        return 17

    @property
    def sizes(self) -> tuple[int, ...]:
        """The only size."""
        return (self.n,)

    @property
    def results(self) -> tuple[CertifiedAccount, ...]:
        """What was found at each size, which is this."""
        return (self,)

    @property
    def missing(self) -> tuple[int, ...]:
        """The sizes without a result: none."""
        return ()

    @property
    def without_result(self) -> tuple[Any, ...]:
        """The sizes at which nothing could be enclosed: none."""
        return ()

    @property
    def judged(self) -> DeltaRow:
        """The row of the budget; ``ValueError`` where there is none, or there are several."""
        found = [
            row
            for row in self.rows
            if isinstance(row, DeltaRow)
            and self.budget is not None
            and row.epsilon == self.budget.epsilon
        ]
        if len(found) != 1:
            raise ValueError("its budget has no row")
        return found[0]

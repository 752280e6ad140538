"""Certified accounts: ε at δ and δ at ε of many runs, as intervals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import msgspec

from dpaudit.results.audits import Described, Source
from dpaudit.results.values import (
    AnyDocument,
    Budget,
    Count,
    Enclosure,
    Parameters,
    Real,
    Result,
    Size,
    Verdict,
)

__all__ = [
    "NEIGHBOURS",
    "Batches",
    "CertifiedAccount",
    "DeltaRow",
    "Direction",
    "EpsilonRow",
    "MatrixRelease",
    "Part",
    "Solution",
    "Sought",
    "Training",
]

Direction = Literal["add", "remove", "both", "substitution"]
"""Neighbours in a Poisson-subsampled run: a record added, removed, both of these, or replaced."""

Sought = Literal["sigma", "scale", "q", "steps"]
"""Parameters that can be solved for under a budget."""


class _Row(Result, frozen=True, kw_only=True):
    x: Any = None
    """The dataset of the numerator at the worst pair; None where the pair is no two datasets."""
    y: Any = None
    """The dataset of the denominator."""
    direction: Literal["add", "remove", "substitution"] | None = None
    """The worst direction of subsampling."""
    adaptive_upper: Decimal | None = None
    """A bound from above for adaptive runs; None where there is none."""
    method: Literal["closed form", "exact", "lattice", "contour", "bounds"]
    """Method that gave the interval at the worst pair."""


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
    """File and reference the mechanism was loaded from; None for a mechanism of the package."""
    compose: Count
    """The number of its runs."""
    sample_rate: Real | None = None
    """The rate of Poisson subsampling before each run; None for none."""


class Solution(Result, frozen=True, kw_only=True):
    """Value of one parameter that keeps a budget, and the next value, which does not."""

    parameter: Sought
    """Name of the parameter that was solved for."""
    value: Decimal
    """The smallest noise, largest rate or most runs that certainly keep the budget."""
    failing: Decimal
    """The next value."""
    failing_delta: Enclosure
    """δ there, at the budget's ε."""
    failing_verdict: Verdict
    """Verdict at the failing value: ``exceeds`` or ``undecided``."""


NEIGHBOURS = {
    "add or remove": "one example added or removed",
    "substitution": "one example replaced",
    "zero out": "one example replaced by one whose gradient is 0",
}
"""Neighbouring datasets of a training in words, by the name of the relation."""


class Batches(Result, frozen=True, kw_only=True):
    """Batches that are no Poisson samples, whose runs are bounded from both sides."""

    sampling: Literal["shuffle", "fixed", "allocation"]
    """The draw of batches: of a shuffled epoch, of a fixed size anew at each step, or each example
    put into one batch of an epoch at random."""
    relation: Literal["add or remove", "substitution", "zero out"]
    """Neighbours: an example added or removed, replaced, or replaced by one of gradient 0."""
    of: Count = 1
    """Number of batches of an epoch."""
    whole: Count = 1
    """Number of whole epochs, which the lower ends are of."""
    most: Count = 1
    """Largest number of batches that hold one example, which the upper ends are of."""


class Training(Result, frozen=True, kw_only=True):
    """The training that an account was read from, and what its own accountant claims."""

    source: Literal["opacus", "dp-accounting", "settings"]
    """Form of what was read: an accountant's history, an event, or settings of a training."""
    sha256: str = ""
    """SHA-256 of the file; empty for an object of Python."""
    claimed: Budget | None = None
    """The ε that another accountant gave at a δ."""
    claim_verdict: Verdict | None = None
    """``exceeds`` if the training certainly breaks the claim, ``within`` if it keeps it."""
    remarks: tuple[str, ...] = ()
    """Readings of the file that were chosen, and what of it was not read."""


class MatrixRelease(Result, frozen=True, kw_only=True):
    """A matrix mechanism: C·x plus normal noise, x the clipped gradients of each step.

    It is accounted for as one Gaussian mechanism of μ = sensitivity/noise multiplier.
    """

    relation: Literal["zero out"] = "zero out"
    """Neighbours: all contributions of one user replaced by 0."""
    steps: Count
    """T, the number of rows and columns of the strategy matrix C."""
    noise_multiplier: Real
    """σ, the standard deviation of each number of the noise, in clipping norms."""
    max_participations: Count
    """k, the largest number of steps in which one user takes part."""
    min_sep: Count
    """b, the number of steps between two of these: at least, or exactly in fixed epochs."""
    participation: Literal["min-sep", "fixed-epoch"]
    """Steps of a user at least b apart (min-sep), or exactly b apart (fixed-epoch)."""
    sensitivity: Enclosure
    """The largest ‖C u‖ over contributions u of one user, each of norm at most 1."""
    pattern: tuple[Count, ...]
    """Steps, from 0, of a user who reaches the lower end."""
    signs: tuple[Literal[-1, 1], ...]
    """The contribution in each of them: this sign times one unit vector."""
    bound: Literal["toeplitz", "orthogonal", "neighbours", "search", "rows", "patterns"]
    """Method of the upper end."""
    triangular: bool
    """True if C is lower triangular: gradients may then depend on earlier outputs."""
    path: str = ""
    """File of the strategy, as it was given; empty for an array."""
    sha256: str = ""
    """SHA-256 of the file; empty for an array."""


class CertifiedAccount(Described, Result, AnyDocument, frozen=True, kw_only=True):
    """Certified privacy account of the composition of many runs at one size."""

    schema: str
    """``dpaudit.account/2``."""
    version: str
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
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
    """File and reference the mechanism was loaded from; None for a mechanism of the package."""
    n: Size
    """The size."""
    pairs: Count
    """Number of unordered pairs covered."""
    compose: Count
    """The number of runs."""
    then: tuple[Part, ...] = ()
    """Runs of other mechanisms on the same data."""
    sample_rate: Real | None = None
    """The rate of Poisson subsampling before each run; None for none."""
    direction: Direction | None = None
    """The directions that are covered with subsampling."""
    width: Real
    """Largest accepted width of an interval of ε. An interval of δ may be 100·width·δ wide."""
    relative: bool = False
    """True if ``width`` is in proportion: of ε itself, and of δ."""
    batches: Batches | None = None
    """Batches that are no Poisson samples; None if they are, or every run is on all data."""
    matrix: MatrixRelease | None = None
    """The matrix mechanism whose noise is this Gaussian mechanism's; None for other runs."""
    training: Training | None = None
    """The training that the runs were read from; None where they were given."""
    rows: tuple[EpsilonRow | DeltaRow, ...]
    """One for each δ and each ε that was asked for."""
    budget: Budget | None = None
    """Budget that the composition of all runs is compared with."""
    verdict: Verdict | None = None
    """Verdict on the composition of all runs; None without a budget."""
    solved: Solution | None = None
    """Result of solving for a parameter under the budget; None if none was solved for."""
    unmet: bool = False
    """True if some interval is wider than the accepted width."""
    interrupted: bool = False
    """True if it was interrupted, or its time was up; the intervals are the best until then."""
    refused: tuple[str, ...] = ()
    """Questions left unanswered, each with the reason."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""

    @property
    def digits(self) -> int:
        """Number of digits shown of each number."""
        return 17

    @property
    def sizes(self) -> tuple[int, ...]:
        """The only size."""
        return (self.n,)

    @property
    def results(self) -> tuple[CertifiedAccount, ...]:
        """This account alone, as the results by size of other reports."""
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
        if self.budget is None:
            raise ValueError("its budget has no row")
        return self.delta_row(self.budget.epsilon)

    def delta_row(self, epsilon: Real) -> DeltaRow:
        """Return the row of δ at an ε; ``ValueError`` where there is none, or there are several."""
        rows = [r for r in self.rows if isinstance(r, DeltaRow) and r.epsilon == epsilon]
        if len(rows) != 1:
            raise ValueError(f"δ at ε = {epsilon} has no row")
        return rows[0]

"""Results at many ε: hulls of events in integers, and δ(ε) of runs on the same data.

An account shows δ(ε) beside what another library estimates.
"""

from __future__ import annotations

from typing import Any

import msgspec

from dpaudit.results.audits import DeltaAt, EpsilonAt, Report, Source, UndecidedSize
from dpaudit.results.brief import Brief
from dpaudit.results.values import (
    Budget,
    Count,
    Digits,
    Enclosure,
    Natural,
    Parameters,
    Real,
    Result,
    Size,
)

__all__ = [
    "AccountDocument",
    "CurveReport",
    "EstimateDocument",
    "Hulls",
    "PrivacyCurve",
    "RowDocument",
    "Tradeoff",
    "TradeoffReport",
    "TypeTwoAt",
    "Vertex",
]


class Vertex(Result, frozen=True):
    """An event with its probabilities, as integers at the scale 2^scale_bits of its curve."""

    q: Natural
    """2^scale_bits·Q(event), Q the law at ``y``."""
    p: Natural
    """2^scale_bits·P(event), P the law at ``x``."""
    outputs: Count = 0
    """Number of outputs (or ranges of equal loss) in the event, by decreasing loss."""
    x: Any = None
    """The dataset of the numerator; None for the empty event."""
    y: Any = None
    """The dataset of the denominator."""


class Hulls(Result, frozen=True):
    """The worst events over all covered pairs, both directions, at one size.

    At every ε, and at every type I error, the truth lies between what the two hulls give.
    """

    n: Size
    """The size."""
    pairs: Count
    """Number of unordered pairs covered."""
    scale_bits: Count
    """The scale of the vertices."""
    upper: tuple[Vertex, ...]
    """The hull of events with P moved up and Q down, by increasing q."""
    lower: tuple[Vertex, ...]
    """The hull of events with P moved down and Q up, by increasing q."""


class PrivacyCurve(Hulls, frozen=True, kw_only=True):
    """ε ↦ δ(ε) over all covered pairs, both directions, at one size."""

    values: tuple[DeltaAt, ...] = ()
    """δ at the ε that were asked for, and at the budget's."""
    at_delta: tuple[EpsilonAt, ...] = ()
    """The smallest ε at each δ that was asked for."""


class CurveReport(Report[PrivacyCurve], frozen=True, kw_only=True):
    """The privacy curves of one mechanism at one or more sizes."""

    results: tuple[PrivacyCurve, ...] = msgspec.field(name="curves")
    """One curve for each finished size, in increasing order of n."""
    budget: Budget | None
    """The budget (ε, δ), at whose ε δ is given; None where none is stated or given."""
    undecided: tuple[UndecidedSize, ...]
    """Sizes that were finished without a result, in increasing order of n."""


class TypeTwoAt(Enclosure, frozen=True, kw_only=True):
    """The smallest type II error at one type I error."""

    type_one: Real
    """The type I error, in [0, 1]."""


class Tradeoff(Hulls, frozen=True, kw_only=True):
    """The trade-off function f at one size.

    f goes through the points (q, 2^scale_bits − p)/2^scale_bits, linear in between.  With the
    vertices of ``upper`` that is a bound of f from below, with those of ``lower`` one from above.
    """

    mu: Enclosure
    """The smallest μ with f ≥ G_μ; without an upper end where only events with an end bound it."""
    x: Any
    """The dataset whose law, against that at ``y``, needs it."""
    y: Any
    """The other dataset."""
    values: tuple[TypeTwoAt, ...]
    """f at the type I errors that were asked for."""


class TradeoffReport(Report[Tradeoff], frozen=True, kw_only=True):
    """The trade-off functions of one mechanism at one or more sizes."""

    undecided: tuple[UndecidedSize, ...]
    """Sizes that were finished without a result, in increasing order of n."""


class EstimateDocument(Brief, msgspec.Struct, forbid_unknown_fields=True):
    """One of dp-accounting's answers; the float in its shortest form."""

    estimate: str
    standing: str
    """above, within or below the certified interval; taken exactly."""
    difference: str
    """Distance above (+) or below (-) the interval, to 4 digits; 0 if within."""


class RowDocument(Brief, msgspec.Struct, forbid_unknown_fields=True):
    """One ε: what is certified and what dp-accounting estimates."""

    delta: DeltaAt
    """The certified δ(ε) and the pair it is attained at; from δ of one run to 1 if not composed."""
    pessimistic: EstimateDocument | None
    """For the worst pair, losses rounded up: meant to be above; null where there is none."""
    optimistic: EstimateDocument | None
    """For the worst pair, losses rounded down: meant to be below."""
    dominating: EstimateDocument | None
    """For the dominating pair of all pairs, losses rounded up: meant to be above."""
    adaptive_upper: str | None
    """A certified upper bound for adaptive composition; null where there is none."""
    ratio: str | None
    """pessimistic / certified δ(ε); null where that may be 0."""
    below: bool
    """True if an estimate that is meant to be an upper bound is below the certified value."""


class AccountDocument(
    Brief, msgspec.Struct, omit_defaults=True, kw_only=True, forbid_unknown_fields=True
):
    """The comparison of one mechanism at one size."""

    schema: str
    version: str
    described: Parameters = msgspec.field(name="mechanism")
    stated: Budget | None
    adjacency: str
    at: str | None
    digits: Digits
    n: Size
    pairs: Count
    compose: Count
    discretisation: str
    epsilon: Enclosure
    """The realised ε of so many runs."""
    below: Count
    """Number of rows with an estimate below the value that it is meant to bound from above."""
    rows: list[RowDocument]
    composed: bool = True
    """True if the runs were composed exactly."""
    refused: list[str] = []
    """Questions left unanswered, each with the reason."""
    loaded: Source | None = None
    adjacency_defaulted: bool = False
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""

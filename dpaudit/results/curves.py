"""Privacy curves and trade-off functions, as hulls of events in integers."""

from __future__ import annotations

from typing import Any

import msgspec

from dpaudit.results.audits import DeltaAt, Report, UndecidedSize
from dpaudit.results.values import Budget, Count, Enclosure, Natural, Real, Result, Size

__all__ = [
    "CurveReport",
    "Hulls",
    "PrivacyCurve",
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
    """How many outputs (or ranges of equal loss), by decreasing loss, the event consists of."""
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
    """How many unordered pairs are covered."""
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


class CurveReport(Report[PrivacyCurve], frozen=True, kw_only=True):
    """The privacy curves of one mechanism at one or more sizes."""

    results: tuple[PrivacyCurve, ...] = msgspec.field(name="curves")
    """One curve for each finished size, in increasing order of n."""
    budget: Budget
    """The budget (ε, δ); δ is given at its ε."""
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

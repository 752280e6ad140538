"""Privacy curves and trade-off functions."""

from __future__ import annotations

from typing import Any

from dpaudit.results.audits import DeltaAt, Report
from dpaudit.results.values import Budget, Enclosure, Exact, Result

__all__ = ["Curve", "CurveReport", "Tradeoff", "TradeoffReport", "TypeTwoAt", "Vertex"]


class Vertex(Result, frozen=True):
    """An event with its probabilities, as integers at the scale 2^scale_bits of its curve."""

    q: int
    """2^scale_bits·Q(event), Q the law at ``y``."""
    p: int
    """2^scale_bits·P(event), P the law at ``x``."""
    outputs: int = 0
    """How many outputs (or ranges of equal loss), by decreasing loss, the event consists of."""
    x: Any = None
    """The dataset of the numerator; None for the empty event."""
    y: Any = None
    """The dataset of the denominator."""


class Curve(Result, frozen=True):
    """ε ↦ δ(ε) over all covered pairs, both directions, at one size.

    The hulls are in integers: with the vertices of ``upper`` a bound from above, with those of
    ``lower`` one from below; see :mod:`dpaudit.audit.curve`.
    """

    n: int
    """The size."""
    pairs: int
    """How many unordered pairs the curve covers."""
    values: tuple[DeltaAt, ...]
    """δ at the ε that were asked for."""
    scale_bits: int
    """The scale of the vertices."""
    upper: tuple[Vertex, ...]
    """The hull that bounds the curve from above, by increasing q."""
    lower: tuple[Vertex, ...]
    """The hull that bounds the curve from below, by increasing q."""


class CurveReport(Report[Curve], frozen=True, kw_only=True):
    """The privacy curves of one mechanism at one or more sizes."""

    budget: Budget
    """The budget (ε, δ); δ is given at its ε."""


class TypeTwoAt(Enclosure, frozen=True, kw_only=True):
    """The smallest type II error at one type I error."""

    type_one: Exact
    """The type I error, in [0, 1]."""


class Tradeoff(Result, frozen=True):
    """The trade-off function f at one size.

    f goes through the points (q, 2^scale_bits − p)/2^scale_bits, linear in between.  With the
    vertices of ``upper`` that is a bound of f from below, with those of ``lower`` one from above.
    """

    n: int
    """The size."""
    pairs: int
    """How many unordered pairs it covers."""
    mu: Enclosure
    """The smallest μ with f ≥ G_μ, met by the law at ``x`` against ``y``."""
    x: Any
    y: Any
    values: tuple[TypeTwoAt, ...]
    """f at the type I errors that were asked for."""
    scale_bits: int
    """The scale of the vertices."""
    upper: tuple[Vertex, ...]
    lower: tuple[Vertex, ...]


class TradeoffReport(Report[Tradeoff], frozen=True):
    """The trade-off functions of one mechanism at one or more sizes."""

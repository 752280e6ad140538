"""A dominating pair from a certified privacy curve: the one pair that is sound for composition.

A pair (P, Q) dominates a mechanism if its hockey-stick divergence H_α at every α ≥ 0 is at least
that of every two neighbouring datasets, in either order (Zhu, Dong and Wang 2022, "Optimal
accounting of differential privacy via characteristic function").  Products of dominating pairs
dominate adaptive compositions; the worst pair of neighbours at one ε does not in general.

The certified curve of :mod:`dpaudit.audit.curve` has an upper hull: a concave chain of points
(Q(S), P(S)) that lies on or above those of all events of all pairs in both directions.  Its edges,
read as outputs with masses (Δp, Δq), are two probability distributions whose hockey-stick
divergence is the largest p − α·q over the hull, hence at least that of every pair.  All of this is
done in integers, at the curve's scale.

Pairs that a screen has left out are never the worst at α ≥ 1, and so nowhere: the relation is
symmetric, and H_α(P‖Q) = α·H_{1/α}(Q‖P) + 1 − α carries what holds at 1/α over to α.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from dpaudit.errors import LawError
from dpaudit.exact.ball import Ball, ball, nonnegative, precision
from dpaudit.laws.law import Mass

if TYPE_CHECKING:
    from dpaudit.exact.real import Real
    from dpaudit.results import PrivacyCurve

__all__ = ["DominatingPair", "Edge", "dominating_pair"]


@dataclass(frozen=True, slots=True)
class Edge:
    """One output of the dominating pair, its masses times 2^bits."""

    p: int
    """2^bits·P."""
    q: int
    """2^bits·Q; 0 for the output of infinite loss."""


@dataclass(frozen=True)
class DominatingPair:
    """Two distributions on a few outputs, by strictly decreasing likelihood ratio P/Q.

    Both add up to exactly 1.  δ(ε) of the pair is at least the realised δ(ε) at every ε.
    """

    bits: int
    """The scale of the masses."""
    edges: tuple[Edge, ...]
    """The outputs."""

    def hockey_stick(self, epsilon: Real) -> Mass:
        """Return Σ (P − e^ε·Q)₊, at the working precision."""
        factor = epsilon.ball().exp()
        total = sum((nonnegative(ball(e.p) - factor * e.q) for e in self.edges), Ball(0))
        return Mass(total / (Ball(1) * (1 << self.bits)), None)

    def losses(self) -> list[tuple[Ball, int]]:
        """Return (loss, 2^bits·P) of every output of finite loss that P can produce."""
        with precision(self.bits + 64):
            return [
                ((ball(edge.p) / edge.q).log(), edge.p) for edge in self.edges if edge.p and edge.q
            ]

    @property
    def infinite(self) -> int:
        """2^bits times the mass of P on outputs of infinite loss."""
        return sum(edge.p for edge in self.edges if not edge.q)


def dominating_pair(curve: PrivacyCurve) -> DominatingPair:
    """Return the dominating pair of the upper hull of ``curve``.

    Masses in the hull are rounded outward, so it may pass p = 1; there it is cut, and what is left
    of Q becomes an output that P lacks.
    """
    unit = 1 << curve.scale_bits
    points = [(0, 0)] + [(vertex.q, vertex.p) for vertex in curve.upper]
    edges = []
    for (q0, p0), (q1, p1) in pairwise(points):
        if p1 <= p0:
            continue
        if p1 < unit:
            edges.append(Edge(p1 - p0, q1 - q0))
            continue
        # The smaller q of the cut is the outward side: the same p for less q.
        width = (unit - p0) * (q1 - q0) // (p1 - p0)
        if p0 < unit:
            edges.append(Edge(unit - p0, width))
        break
    held = sum(edge.q for edge in edges)
    if sum(edge.p for edge in edges) != unit or held > unit:
        raise LawError("the outputs that the laws list do not add up to probability 1")
    return DominatingPair(
        curve.scale_bits, (*edges, *([Edge(0, unit - held)] if held < unit else []))
    )

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

A certified upper bound on δ(ε) of k adaptive runs, from a dominating pair.

k copies of a dominating pair dominate every adaptive composition of k runs, whatever neighbouring
datasets the runs see (Zhu, Dong and Wang 2022).  The copies are composed exactly where few outputs
allow it.  Else losses are first moved *up* onto a grid, which keeps the pair dominating: an output
of mass p and loss L becomes one of mass p and loss L′ ≥ L, for which Q needs p·e^(−L′) only, and
what Q has left goes where P has nothing.  On the grid

    δ(ε) = P(loss = ∞) + Σ over grid points L′ > ε of p(L′)·(1 − e^(ε−L′)),

which grows with every p, so masses are kept as integers at a scale of 2^bits and rounded up.  There
is no floating point in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from dpaudit.errors import LawError
from dpaudit.laws.law import Mass
from dpaudit.numbers.ball import Ball, ball, nonnegative, precision, upper_fraction
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.laurent import convolve_rounded_up
from dpaudit.numbers.real import Real
from dpaudit.questions.account.composition import compose, joint_bound
from dpaudit.questions.account.outcomes import LossClass, Outcomes, unit_vectors
from dpaudit.questions.account.sources import Listed
from dpaudit.results import PrivacyCurve

__all__ = [
    "EXACT_LIMIT",
    "GRID_POINTS",
    "DominatingPair",
    "Edge",
    "adaptive_upper",
    "dominating_pair",
    "dominating_source",
    "on_a_grid",
]


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
        raise LawError("the listed output probabilities do not add up to 1")
    return DominatingPair(
        curve.scale_bits, (*edges, *([Edge(0, unit - held)] if held < unit else []))
    )


EXACT_LIMIT = 10_000
"""Joint losses up to which the pair is composed without a grid."""

GRID_POINTS = 100_000
"""Number of grid points for the losses of all runs."""

_GRID_BITS = 160


def adaptive_upper(
    pair: DominatingPair, runs: int, epsilons: Iterable[Real], digits: int
) -> list[Decimal]:
    """Return, for each ε, a number certainly not below δ(ε) of ``runs`` adaptive runs."""
    exact = _outcomes(pair)
    with precision(max(pair.bits, _GRID_BITS) + 32 + runs.bit_length()):
        if joint_bound(exact, runs) <= EXACT_LIMIT:
            composed = compose(exact, runs)
            bounds = [composed.hockey_stick(e, forward=True).ball for e in epsilons]
        else:
            grid = on_a_grid(pair, runs)
            bounds = [grid.upper(e) for e in epsilons]
        return [min(Decimal(1), enclose(bound, digits).upper) for bound in bounds]


def dominating_source(pair: DominatingPair) -> Listed:
    """Return the dominating pair as a source of lattices, in its own direction."""
    return Listed(_outcomes(pair), forward=True)


def _outcomes(pair: DominatingPair) -> Outcomes:
    unit = 1 << pair.bits
    finite = [edge for edge in pair.edges if edge.p and edge.q]
    vectors = unit_vectors(len(finite))
    common = math.gcd(unit, *(mass for edge in finite for mass in (edge.p, edge.q)))
    return Outcomes(
        "rational",
        unit // common,
        tuple(
            LossClass(edge.p // common, edge.q // common, vector)
            for edge, vector in zip(finite, vectors, strict=True)
        ),
        ball(Fraction(pair.infinite, unit)),
        Ball(0),
    )


@dataclass(frozen=True)
class _Grid:
    """The loss distribution of k runs on a grid, rounded up."""

    step: Fraction
    first: int
    """The grid point of the first mass, in steps."""
    masses: list[int]
    """2^bits times the mass of each grid point, rounded up."""
    bits: int
    infinite: Fraction
    """The mass of loss +∞."""

    def upper(self, epsilon: Real) -> Ball:
        """Return a ball whose upper end is not below δ(ε), at the working precision."""
        shrink = (-ball(self.step)).exp()
        factor = (epsilon.ball() - ball(self.first * self.step)).exp()
        total = Ball(0)
        for mass in self.masses:
            if mass:
                total += nonnegative(1 - factor) * mass
            factor *= shrink
        return total / (Ball(1) * (1 << self.bits)) + ball(self.infinite)


def on_a_grid(pair: DominatingPair, runs: int) -> _Grid:
    """Return the distribution of the losses of ``runs`` runs, on about :data:`GRID_POINTS`."""
    losses = [(upper_fraction(loss), p) for loss, p in pair.losses()]
    low, high = min(losses)[0], max(losses)[0]
    step = _rounded_up((high - low) * runs / GRID_POINTS or Fraction(1, GRID_POINTS))
    first = math.ceil(low / step)
    one = [0] * (math.ceil(high / step) - first + 1)
    for loss, p in losses:
        one[math.ceil(loss / step) - first] += -(-(p << _GRID_BITS) >> pair.bits)
    result = one
    for bit in bin(runs)[3:]:
        result = convolve_rounded_up(result, result, _GRID_BITS)
        if bit == "1":
            result = convolve_rounded_up(result, one, _GRID_BITS)
    infinite = 1 - (1 - Fraction(pair.infinite, 1 << pair.bits)) ** runs
    return _Grid(step, first * runs, result, _GRID_BITS, infinite)


def _rounded_up(step: Fraction) -> Fraction:
    """Return ``step`` > 0 rounded up to 16 bits, so that its multiples stay short."""
    power = Fraction(2) ** (math.floor(math.log2(step)) - 16)
    return math.ceil(step / power) * power

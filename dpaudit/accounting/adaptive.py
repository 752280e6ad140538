"""A certified upper bound on δ(ε) of k adaptive runs, from a dominating pair.

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
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.accounting.composition import compose, joint_bound
from dpaudit.accounting.outcomes import Outcome, Outcomes, unit_vectors
from dpaudit.exact.ball import Ball, ball, nonnegative, precision, upper_fraction
from dpaudit.exact.convolution import convolve_rounded_up
from dpaudit.exact.enclosure import enclose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.accounting.dominating import DominatingPair
    from dpaudit.exact.real import Real

__all__ = ["EXACT_LIMIT", "GRID_POINTS", "adaptive_upper", "on_a_grid"]

EXACT_LIMIT = 10_000
"""Joint losses up to which the pair is composed without a grid."""

GRID_POINTS = 100_000
"""How many grid points the losses of all runs are spread over."""

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


def _outcomes(pair: DominatingPair) -> Outcomes:
    unit = 1 << pair.bits
    finite = [edge for edge in pair.edges if edge.p and edge.q]
    vectors = unit_vectors(len(finite))
    return Outcomes(
        "rational",
        unit,
        tuple(Outcome(e.p, e.q, vector) for e, vector in zip(finite, vectors, strict=True)),
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

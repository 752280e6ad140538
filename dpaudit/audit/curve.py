"""The whole privacy curve ε ↦ δ(ε) of a mechanism at one size, as an exact object.

For one pair, δ(ε) = max over events S of P(S) − e^ε·Q(S), attained at S = {loss > ε}.  Sorting the
outputs by their loss makes those events prefixes, so the pair's curve is given by the points
(Q(S), P(S)) of the prefixes, a concave chain from (0, 0) to (1, 1); it is piecewise linear in e^ε
with the losses as breakpoints.  Over all pairs, both directions, the curve is given by the upper
concave hull of all chains, which is the pairs' common trade-off function as well.

Probabilities are balls.  Two hulls are built in integers, at a scale of 2^bits: one from
probabilities moved outward (P up, Q down), one from probabilities moved inward.  All further
arithmetic on them is exact, so at *every* ε the true δ(ε) lies between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.audit.laws import LawCache
from dpaudit.audit.plan import WORTH_A_SCREEN, Pairs
from dpaudit.audit.result import DeltaAt, Subject, UndecidedSize
from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import (
    Ball,
    PrecisionNeeded,
    ball,
    bits_for_digits,
    fixed_point,
    maximum,
    precision,
)
from dpaudit.exact.enclosure import GUARD_DIGITS, Enclosure, enclose, unit_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from dpaudit.audit.plan import Plan
    from dpaudit.exact.real import Real
    from dpaudit.laws.law import LawBook
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["CurveAudit", "PrivacyCurve", "Vertex", "privacy_curve"]


class Vertex(NamedTuple):
    """An event with its probabilities, as integers at the scale 2^bits of its curve."""

    q: int
    """2^bits·Q(event), Q the law at ``y``."""
    p: int
    """2^bits·P(event), P the law at ``x``."""
    x: Hashable
    """The dataset of the numerator; None for the empty event."""
    y: Hashable
    """The dataset of the denominator."""
    outputs: int
    """How many outputs (or ranges of equal loss), by decreasing loss, the event consists of."""


EMPTY_EVENT = Vertex(0, 0, None, None, 0)


@dataclass(frozen=True)
class PrivacyCurve:
    """ε ↦ δ(ε) over all covered pairs, both directions, at one size."""

    n: int
    """The size."""
    pairs: int
    """How many unordered pairs the curve covers."""
    bits: int
    """The scale of the vertices."""
    upper: tuple[Vertex, ...]
    """The hull that bounds the curve from above, by increasing q."""
    lower: tuple[Vertex, ...]
    """The hull that bounds the curve from below, by increasing q."""

    def delta(self, epsilon: Real, digits: int) -> DeltaAt:
        """Return δ(ε) with the pair that is worst there."""
        with precision(self.bits):
            scale = Ball(1) / (Ball(1) * (1 << self.bits))
            factor = epsilon.ball().exp()
            from_above = maximum((v.p - factor * v.q) * scale for v in self.upper)
            values = [(v.p - factor * v.q) * scale for v in self.lower]
            from_below = maximum(values)
            best = self.lower[max(range(len(values)), key=lambda index: float(values[index]))]
            value = unit_interval(
                Enclosure(enclose(from_below, digits).lower, enclose(from_above, digits).upper)
            )
        return DeltaAt(str(epsilon), value, best.x, best.y)

    def breakpoints(self) -> Iterator[float]:
        """Iterate over the ε at which the worst event changes, in decreasing order (as floats)."""
        with precision(64):
            for left, right in zip(self.lower, self.lower[1:], strict=False):
                if right.q > left.q and right.p > left.p:
                    yield float((ball(right.p - left.p) / ball(right.q - left.q)).log())


@dataclass(frozen=True)
class CurveAudit:
    """The privacy curves of one mechanism at one or more sizes."""

    subject: Subject
    """What was audited."""
    epsilons: tuple[str, ...]
    """The ε at which values are given, in closed form."""
    sizes: tuple[int, ...]
    """The sizes that were asked for, in increasing order."""
    curves: tuple[PrivacyCurve, ...]
    """One curve for each finished size, in increasing order of n."""
    values: tuple[tuple[DeltaAt, ...], ...]
    """δ at each of ``epsilons``, for each curve."""
    missing: tuple[int, ...] = ()
    """Sizes that were asked for and not finished."""
    undecided: tuple[UndecidedSize, ...] = ()
    """Sizes that were finished without a curve, in increasing order of n."""


def _chain(atoms: Iterable[tuple[int, int]], x: Hashable, y: Hashable) -> list[Vertex]:
    """Return the prefix events of ``atoms`` (p, q) sorted by p/q from the largest."""

    def by_ratio(left: tuple[int, int], right: tuple[int, int]) -> int:
        return right[0] * left[1] - left[0] * right[1]

    ordered = sorted((atom for atom in atoms if atom[0] > 0), key=cmp_to_key(by_ratio))
    chain: list[Vertex] = []
    p_total = q_total = 0
    for outputs, (p, q) in enumerate(ordered, start=1):
        p_total += p
        q_total += q
        chain.append(Vertex(q_total, p_total, x, y, outputs))
    return chain


def _hull(points: list[Vertex]) -> list[Vertex]:
    """Return the vertices of the upper concave hull, by increasing q."""
    hull: list[Vertex] = []
    for point in sorted(points, key=lambda v: (v.q, v.p)):
        if hull and hull[-1].q == point.q:
            if hull[-1].p == point.p:
                continue
            hull.pop()
        while len(hull) >= 2 and _not_above(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _not_above(left: Vertex, middle: Vertex, right: Vertex) -> bool:
    """Tell whether ``middle`` lies on or below the line from ``left`` to ``right``."""
    return (middle.p - left.p) * (right.q - left.q) <= (right.p - left.p) * (middle.q - left.q)


def privacy_curve(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    tick: Callable[[int], None] = lambda pairs: None,
) -> PrivacyCurve:
    """Return the privacy curve of ``mechanism`` at size ``n`` over all pairs of ``plan``.

    As in an audit, pairs that are certainly never the worst are screened out in floats.  The
    precision is raised until δ is enclosed to within 10^−digits at every ε of the plan.
    """
    pairs = Pairs(mechanism, n, plan)
    screened = None
    if plan.engine == "screen" and pairs.expected >= WORTH_A_SCREEN:
        from dpaudit.audit.screen import curve_pairs

        screened = curve_pairs(mechanism, pairs, tick)
    if screened is not None:
        tick = _ignore
    bits = bits_for_digits(plan.digits + GUARD_DIGITS) + 16
    cap = max(plan.precision_cap, 4 * bits)
    while True:
        try:
            with precision(bits):
                if screened is None:
                    curve = _build(mechanism.laws(), pairs, pairs.n, bits, tick)
                else:
                    curve = _build(screened.book, screened.pairs, pairs.n, bits, tick)
                    curve = replace(curve, pairs=screened.covered)
        except PrecisionNeeded as request:
            if bits >= cap:
                raise PrecisionError(f"{mechanism.name} at n = {n}: {request}") from None
        else:
            asked = (plan.budget.epsilon, *plan.at_eps)
            values = [curve.delta(epsilon, plan.digits).value for epsilon in asked]
            if bits >= cap or all(value.is_tight(plan.digits) for value in values):
                return curve
        bits = min(2 * bits, cap)
        tick = _ignore


def _ignore(pairs: int) -> None:
    """Count nothing: a pair that is looked at again at a higher precision is not a new pair."""


def _build(
    book: LawBook[Any],
    pairs: Iterable[tuple[Any, Any]],
    n: int,
    bits: int,
    tick: Callable[[int], None],
) -> PrivacyCurve:
    cache = LawCache(book)
    upper, lower = [EMPTY_EVENT], [EMPTY_EVENT]
    covered = 0
    for left, right in pairs:
        divergence = cache.first(left).versus(cache.law(right))
        for forward, (x, y) in ((True, (left, right)), (False, (right, left))):
            bounds = [
                (fixed_point(atom.p, bits), fixed_point(atom.q, bits))
                for atom in divergence.atoms(forward=forward)
            ]
            upper = _hull(upper + _chain(((p[1], max(q[0], 0)) for p, q in bounds), x, y))
            lower = _hull(lower + _chain(((p[0], q[1]) for p, q in bounds), x, y))
        covered += 1
        tick(1)
    return PrivacyCurve(n, covered, bits, tuple(upper), tuple(lower))

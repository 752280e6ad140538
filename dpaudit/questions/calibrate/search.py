"""The largest whole number that passes: a bracket, narrowed by a guided bisection.

What is searched is an integer grid of nominal ε.  A probe says of one grid point whether it is
certified within the budget, and about by how much: the amount only guides where to look next
(regula falsi with the Illinois weights, and a halving whenever that stalls), the verdicts alone
decide.

Nothing assumes that passing is monotone: the result is a point that passes and a point next to it
that does not.  For M_H the realised δ at a fixed ε falls and rises again as the nominal ε grows
(its β changes with it), so that a safe nominal ε may lie beyond a failing one, and some are tried
there.  Whether a larger one fails costs little to certify: one pair that is beyond the budget is
enough, and the worst pair of the failing nominal ε usually is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from dpaudit.accuracy import error_law
from dpaudit.data.histograms import Counts
from dpaudit.errors import UsageError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, precision
from dpaudit.numbers.real import Real, order
from dpaudit.results import Enclosure, SizeResult

if TYPE_CHECKING:
    from dpaudit.audit.plan import Plan
    from dpaudit.laws.law import OutputLaws
    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "MOST_OUTPUTS",
    "MULTIPLES",
    "Bracket",
    "Probed",
    "find_bracket",
    "mean_error",
    "narrow",
    "witness_exceeds",
]


_FARTHEST = 1 << 20  # times the start, up or down
_FIRST_STEP, _LONGEST_STEP = 1.02, 16.0
_STALLED = 3
MOST_OUTPUTS = 250_000
"""Of a law with more, no mean error is computed."""


@dataclass(frozen=True, slots=True)
class Probed:
    """Result of a probe at one grid point."""

    passes: bool
    """True if the point is certified within; False for a certified failure and for doubt."""
    margin: float
    """About how far within, in any unit that is continuous; below 0 beyond; nan where unknown."""
    ratio: float
    """About what multiple of the point would just pass; nan where unknown."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A grid point that passes, and a larger one that does not; None where none was met."""

    passing: int | None
    failing: int | None


def find_bracket(probe: Callable[[int], Probed], start: int) -> Bracket:
    """Return a bracket around a change of verdict, looking up or down from ``start`` ≥ 1."""
    first = probe(start)
    point, probed, least = start, first, _FIRST_STEP
    if first.passes:
        while point <= start * _FARTHEST:
            further = max(point + 1, int(point * _step(probed.ratio, least)))
            least = _longer(least)
            next_probed = probe(further)
            if not next_probed.passes:
                return Bracket(point, further)
            point, probed = further, next_probed
        return Bracket(point, None)
    while point > max(1, start // _FARTHEST):
        below = 1 / probed.ratio if probed.ratio else nan
        nearer = max(1, min(point - 1, int(point / _step(below, least))))
        least = _longer(least)
        next_probed = probe(nearer)
        if next_probed.passes:
            return Bracket(nearer, point)
        point, probed = nearer, next_probed
    return Bracket(None, point)


def _step(ratio: float, least: float) -> float:
    """Return the factor of a step: a little more than ``wanted``, and at least ``least``."""
    return min(max(1.02 * ratio, least), _LONGEST_STEP) if isfinite(ratio) else max(2.0, least)


def _longer(least: float) -> float:
    return min(1 + 2 * (least - 1), _LONGEST_STEP)


def narrow(probe: Callable[[int], Probed], passing: int, failing: int) -> Bracket:
    """Return the bracket of two adjacent points, from a wider one.

    >>> narrow(lambda i: Probed(i * i <= 200, 200 - i * i, float("nan")), 1, 1000)
    Bracket(passing=14, failing=15)
    """
    low, high = probe(passing).margin, probe(failing).margin
    stalled, last = 0, None
    while failing - passing > 1:
        width = failing - passing
        middle = passing + width // 2
        if stalled < _STALLED and isfinite(low) and isfinite(high) and low >= 0 > high:
            middle = passing + int(width * (low / (low - high)))
        middle = min(max(middle, passing + 1), failing - 1)
        probed = probe(middle)
        if probed.passes:
            passing, low = middle, probed.margin
            high = high / 2 if last is True else high
        else:
            failing, high = middle, probed.margin
            low = low / 2 if last is False else low
        last = probed.passes
        stalled = 0 if 2 * (failing - passing) <= width else (stalled + 1) % (_STALLED + 1)
    return Bracket(passing, failing)


MULTIPLES = (
    *(1 + Fraction(step, 200) for step in range(1, 13)),
    *(Fraction(step, 100) for step in (108, 112, 120, 135, 150, 200)),
)
"""The multiples of a safe nominal ε that are tried beyond it: half a per cent apart at first."""


def output_laws(mechanism: Mechanism[Any], n: int) -> OutputLaws[Any]:
    """Return the laws; where they can be had for single datasets, nothing else is computed."""
    from dpaudit.screens.bounds import NotScreened

    try:
        floats = mechanism.screen(n)
    except NotScreened:
        floats = None
    return mechanism.laws() if floats is None else floats.book()


def witness_exceeds(mechanism: Mechanism[Any], plan: Plan, failed: SizeResult) -> bool:
    """Tell whether the worst pair of a failed audit certainly exceeds the budget here as well.

    ``False`` is doubt: then every pair has to be looked at.
    """
    pure = plan.held_to.is_pure
    worst = failed.witness if pure else failed.delta_held
    if worst.x is None:
        return False
    try:
        with precision(balls.bits_for_digits(plan.digits)):
            laws = output_laws(mechanism, failed.n)
            divergence = laws.law(worst.x).divergence_from(laws.law(worst.y))
            if pure:
                loss = divergence.max_loss(forward=True)
                return _above(loss.ball, loss.exact, plan.held_to.epsilon)
            mass = divergence.hockey_stick(plan.held_to.epsilon, forward=True)
            return _above(mass.ball, mass.exact, plan.held_to.delta)
    except PrecisionNeeded:
        return False


def mean_error(mechanism: Mechanism[Any], dataset: Counts, digits: int) -> Enclosure:
    """Return the mean Hellinger error E[H(BI(x), z)] at ``dataset``, at most 10^−digits wide.

    BI(x) = Dir(α + c) is the posterior of the data and z = Dir(α + r) that of the output r
    (N §3.2).

    Raises:
        UsageError: for a mechanism without posteriors, or with too many outputs to be listed.
        PrecisionError: where it cannot be enclosed so tightly.
    """
    outputs = mechanism.output_count(sum(dataset))
    if outputs is None:
        raise UsageError(
            f"{mechanism.name} prints counts below 0, which have no posterior; dpaudit accuracy "
            "can treat them with --outside"
        )
    if outputs > MOST_OUTPUTS:
        raise UsageError(
            f"{mechanism.name} has {outputs} outputs here; the limit is {MOST_OUTPUTS}"
        )
    return error_law(mechanism, dataset, digits=digits).mean()


def _above(value: Ball, exact: Real | None, bound: Real) -> bool:
    if exact is not None:
        return order(exact, bound) is Sign.POSITIVE
    return balls.certainly_less(bound.ball(), value)

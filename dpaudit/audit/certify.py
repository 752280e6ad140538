"""The audit of one size in ε and δ: every pair, both directions, every output, and the verdict."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from dpaudit import results
from dpaudit.audit.at_delta import digits_for, epsilon_at
from dpaudit.audit.interrupted import from_below, pairs_at_hand
from dpaudit.audit.losses import HockeyStick, LossOrBound
from dpaudit.audit.maximum import Maximum, Printed, more_bits_help, printed, printed_best
from dpaudit.audit.measure import Measure, Progress, Stopped, ignore
from dpaudit.audit.plan import DELTA_WITHOUT_BUDGET, Pairs, Plan, pairs_planned
from dpaudit.audit.scan import Scan, scan_size
from dpaudit.audit.verdicts import NOT_ENCLOSED, judged_again, side, sized
from dpaudit.data.adjacency import Substitution
from dpaudit.errors import PrecisionError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.enclosure import unit_interval
from dpaudit.numbers.real import Real, order, real

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.audit.quantity import Candidate, Quantity
    from dpaudit.audit.screen import Share
    from dpaudit.mechanisms.base import Mechanism


__all__ = [
    "EpsilonDelta",
    "Known",
    "audit_size",
    "delta_at",
    "epsilons_at",
    "is_short",
    "screened_entries",
    "with_epsilon_at",
]

_OF_A_REST = (
    "some probability is not assigned to any output, so ε is only bounded from below; a budget "
    "(ε, δ) with δ > 0 can still be decided"
)
GRANULE = real("1e-12")
"""An excess of δ of at most so much is attributed to the rounding of floats."""

# Measured on one core, in seconds: what a screened size, each of its datasets and each of its
# entries costs, and what an entry costs in balls.
_SCREENED_SIZE, _SCREENED_DATASET, _SCREENED_ENTRY, _BALL_ENTRY = 1e-3, 1.2e-5, 2e-8, 2e-6


class EpsilonDelta(Measure[results.SizeResult, results.Audit]):
    """The realised ε, and the realised δ at the budget's ε, held to the budget if there is one."""

    schema = "dpaudit.audit/1"
    document = results.Audit
    sized = results.SizeResult
    over_sizes = True

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> results.SizeResult:
        return self.shared(mechanism, n, plan, progress, None)

    def shared(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress, share: Share | None
    ) -> results.SizeResult:
        passes: list[Scan] = []
        try:
            result = audit_size(mechanism, n, plan, progress, share, passes=passes)
        except KeyboardInterrupt:
            stopped = _from_below(mechanism, n, plan, passes)
            if stopped is None:
                raise
            raise Stopped(stopped) from None
        known = Known(result.curve, result.epsilon.upper)
        return replace(result, at_delta=epsilons_at(mechanism, n, plan, known, share))

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        relation = mechanism.adjacency(plan.adjacency)
        entries = screened_entries(mechanism, n, plan)
        if entries is None:
            return _BALL_ENTRY * pairs_planned(mechanism, n, plan) * mechanism.entries(n)
        datasets = relation.dataset_count(n)
        return _SCREENED_SIZE + _SCREENED_DATASET * datasets + _SCREENED_ENTRY * entries

    def points(self, plan: Plan) -> Sequence[Real]:
        return plan.at_eps

    def points_of(self, result: results.SizeResult) -> Sequence[Real]:
        return [point.epsilon for point in result.curve]

    def judged(
        self, result: results.SizeResult, plan: Plan, pairs: int | None
    ) -> results.SizeResult:
        return judged_again(result, plan.budget, pairs)

    def can_be_shared(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> bool:
        return screened_entries(mechanism, n, plan) is not None

    def fields(self, plan: Plan, known: dict[str, Any]) -> dict[str, Any]:
        if plan.budget is None:
            return {"budget": None, "verdict": None}
        found = known["results"]
        if known.get("semantics") == "as run" or known.get("interposed"):
            found = tuple(_with_excess(result, plan.budget) for result in found)
        return {"budget": plan.budget, "verdict": self.verdict(known), "results": found}


class Known(NamedTuple):
    """δ(ε) as far as it is known before ε at a δ is looked for."""

    points: Sequence[results.DeltaAt]
    """δ(ε) at some ε."""
    most: Decimal | None = None
    """An ε at which δ(ε) is 0; None where none is known."""
    read: Callable[[Real, int], results.DeltaAt] | None = None
    """Gives δ at an ε to so many digits, or less well enclosed, without an audit."""


def epsilons_at(
    mechanism: Mechanism[Any], n: int, plan: Plan, known: Known, share: Share | None = None
) -> tuple[results.EpsilonAt, ...]:
    """Return the smallest ε at each δ of the plan, from audits of one size at other ε."""
    return tuple(
        _epsilon_at(mechanism, n, plan, delta, known=known, share=share) for delta in plan.at_delta
    )


def _epsilon_at(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    delta: Real,
    *,
    known: Known,
    share: Share | None,
) -> results.EpsilonAt:
    digits = plan.digits if plan.digits_at_delta is None else plan.digits_at_delta
    fine = digits_for(delta, digits)

    def audit(epsilons: Sequence[Real]) -> results.SizeResult:
        asked = dataclasses.replace(
            plan, budget=None, at_eps=tuple(epsilons), at_delta=(), digits=fine
        )
        return audit_size(mechanism, n, asked, share=share)

    def ask(epsilons: Sequence[Real]) -> Sequence[results.DeltaAt]:
        points = [] if known.read is None else [known.read(one, fine) for one in epsilons]
        # A point of a curve may be too wide to say on which side of δ it lies.
        told = [point for point in points if side(point, delta) is not Sign.UNDECIDED]
        at_hand = {point.epsilon for point in told}
        left = [one for one in epsilons if one not in at_hand]
        return [*told, *audit(left).curve] if left else told

    found = epsilon_at(delta, digits, ask, known.points, known.most)
    # Every ε that was tried is too small; at the largest loss δ is 0.
    if found.below is None and known.most is None:
        most = audit(()).epsilon.upper
        found = epsilon_at(delta, digits, ask, found.points, most)
    return found


def _with_excess(result: results.SizeResult, budget: results.Budget) -> results.SizeResult:
    """Return the result of a program as run with the class of its excess, if it has one."""
    # From the upper end: an excess is small if all that it may be is.
    beyond = real(str(result.delta_held.upper)) - budget.delta
    small = order(beyond, GRANULE) is not Sign.POSITIVE
    granular = result.verdict is results.Verdict.EXCEEDS and small
    return replace(result, excess="granularity" if granular else "")


def screened_entries(mechanism: Mechanism[Any], n: int, plan: Plan) -> int | None:
    """Return about how many numbers a screen of one size looks at; None where there is none."""
    if plan.engine != "screen" or plan.at is not None:
        return None
    if not isinstance(mechanism.adjacency(plan.adjacency), Substitution):
        return None
    return mechanism.screened_entries(n)


_FEW_SECONDS = 0.1
FEW_DIGITS = 6
"""Digits of an ε at a δ that nobody asked for."""


def is_short(mechanism: Mechanism[Any], n: int, plan: Plan) -> bool:
    """Tell whether an audit is short enough to be repeated at other ε without being asked."""
    return EpsilonDelta().seconds(mechanism, n, plan) <= _FEW_SECONDS


def with_epsilon_at(mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan) -> Plan:
    """Return a plan without a budget that asks for ε at a usual δ, where that is no long work."""
    if plan.budget is not None or plan.at_delta or len(sizes) != 1:
        return plan
    if not is_short(mechanism, sizes[0], plan):
        return plan
    few = min(plan.digits, FEW_DIGITS)
    return dataclasses.replace(plan, at_delta=(real(DELTA_WITHOUT_BUDGET),), digits_at_delta=few)


def audit_size(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    progress: Callable[[int], None] = ignore,
    share: Share | None = None,
    *,
    passes: list[Scan] | None = None,
) -> results.SizeResult:
    """Return the certified audit of ``mechanism`` at size ``n``.

    Bits are added until every interval is at most 10^−digits wide, or no narrower than before, and
    the verdict is decided; or up to the plan's cap, where an undecided verdict says why.  A plan
    without a budget asks for the intervals alone.
    ``passes`` is given every pass over the pairs, for whoever stops the audit.
    ``progress`` is told of pairs that have been covered.  With ``share`` other processes compute
    the screen; the findings are the same.
    """
    quantities = _quantities(plan)
    before: tuple[list[Decimal], list[Decimal]] = ([], [])

    def conclude(found: Scan, pairs: Pairs) -> tuple[results.SizeResult, bool]:
        nonlocal before
        shown = _Shown.of(found, plan)
        result = _conclude(mechanism, pairs, plan, found, shown)
        told = zip(_intervals(result), shown.stay_wide, strict=True)
        wide = [one.width for one, stays in told if not (stays or one.is_tight(plan.digits))]
        unknown = any(width >= 1 for width in wide)  # so far nothing tells how wide they are
        latest = (wide, shown.open_widths)
        narrower, before = unknown or any(map(more_bits_help, before, latest)), latest
        undecided = result.verdict is results.Verdict.UNDECIDED
        for_good = found.open and shown.stay_wide[1]  # a rest is as large at any precision
        return result, not narrower and (for_good or not undecided)

    return scan_size(
        mechanism, n, plan, quantities, conclude, progress=progress, share=share, passes=passes
    )


def _quantities(plan: Plan) -> list[Quantity]:
    return [LossOrBound(), *map(HockeyStick, _epsilons(plan))]


def _epsilons(plan: Plan) -> tuple[Real, ...]:
    """Return the ε at which δ is wanted: the budget's first, if there is one."""
    return plan.at_eps if plan.budget is None else (plan.budget.epsilon, *plan.at_eps)


def _from_below(
    mechanism: Mechanism[Any], n: int, plan: Plan, passes: list[Scan]
) -> results.SizeResult | None:
    """Return the audit of a size that was stopped: lower bounds; None where nothing is known."""
    known = mechanism.laws_at_hand()
    if known is None:
        return None
    found = passes[-1] if passes else None
    if found is None or found.maxima[0] is None:
        found = pairs_at_hand(mechanism, n, plan, _quantities(plan), known)
    if found.maxima[0] is None:
        return None
    pairs = Pairs(mechanism, n, plan)
    # A pair that was not enclosed for some quantity is not covered.
    found.covered -= len({place for place, *_ in found.unenclosed})
    found.unenclosed.clear()  # what is known from below does not need them
    with balls.precision(balls.bits_for_digits(plan.digits + results.GUARD_DIGITS)):
        result = _conclude(mechanism, pairs, plan, found, _Shown.of(found, plan))
    if result.complete:
        return result
    most = Decimal(1)
    bounded = replace(
        result,
        epsilon=from_below(result.epsilon),
        delta=None if result.delta is None else replace(result.delta, upper=most, exact=None),
        curve=tuple(replace(one, upper=most, exact=None) for one in result.curve),
    )
    # A lower bound above the budget stays above it, whatever the other pairs have.
    if result.verdict is results.Verdict.EXCEEDS:
        return bounded
    reason = f"it was stopped when {found.covered} of {pairs.expected} pairs were covered"
    undecided = None if result.verdict is None else results.Verdict.UNDECIDED
    return replace(bounded, verdict=undecided, reason=reason)


def _intervals(result: results.SizeResult) -> list[results.Enclosure]:
    return [result.epsilon, *result.deltas]


class _Shown(NamedTuple):
    """The numbers of a scan as they are printed."""

    epsilon: Printed
    deltas: list[Printed]
    loss: Printed
    stay_wide: list[bool]
    """For ε and each δ, True if more bits certainly do not halve the width of its interval."""

    @classmethod
    def of(cls, found: Scan, plan: Plan) -> _Shown:
        digits, budget = plan.digits, plan.budget
        epsilon, *deltas = map(found.largest, range(len(found.maxima)))
        # So many digits that a verdict follows from them, where there is one.
        bounds: list[Real | None] = [None] * len(found.maxima)
        if budget is not None:
            bounds[:2] = budget.epsilon, budget.delta
        first, *others = (
            printed(one, digits, bound)
            for one, bound in zip((epsilon, *deltas), bounds, strict=True)
        )
        return cls(
            first,
            others,
            printed_best(epsilon, digits),
            [_stays_wide(one) for one in (epsilon, *deltas)],
        )

    @property
    def open_widths(self) -> list[Decimal]:
        """Widths of the intervals that a higher precision might still narrow."""
        told = zip((self.epsilon, *self.deltas, self.loss), [*self.stay_wide, False], strict=True)
        return [one.interval.width for one, stays in told if not (stays or one.sharp)]


def _stays_wide(largest: Maximum[Any]) -> bool:
    found = [one.value for one in largest.tags if one is not None]  # no pair has the least, 0
    return bool(found) and all(one.stays_wide for one in found)


def _conclude(
    mechanism: Mechanism[Any], pairs: Pairs, plan: Plan, found: Scan, shown: _Shown
) -> results.SizeResult:
    deltas = [
        _delta_at(at, value.interval, found.largest(index).tag)
        for index, (at, value) in enumerate(
            zip(_epsilons(plan), shown.deltas, strict=True), start=1
        )
    ]
    worst = found.largest().tag
    bounded = from_below if found.open else _unchanged
    untold = f"{bounded(found.largest().enclosure(plan.digits))} and the budget {plan.budget}"
    verdict = None if plan.budget is None else _verdict(found, plan.budget)
    fields = sized(mechanism, pairs, found.covered, verdict, untold)
    if found.open and fields["verdict"] is results.Verdict.UNDECIDED:
        fields["reason"] = _OF_A_REST
    first, others = (None, deltas) if plan.budget is None else (deltas[0], deltas[1:])
    result = results.SizeResult(
        epsilon=bounded(shown.epsilon.interval),
        delta=first,
        curve=tuple(others),
        witness=results.Witness(
            worst.x,
            worst.y,
            worst.value.output,
            bounded(shown.loss.interval),
            mechanism.path_to(worst.x, worst.value.output),
        ),
        **fields,
    )
    if plan.budget is None and result.complete and not result.enclosed:
        return replace(result, reason=_OF_A_REST if found.open else NOT_ENCLOSED)
    return result


def _unchanged(interval: results.Enclosure) -> results.Enclosure:
    return interval


def delta_at(epsilon: Real, delta: Maximum[Candidate | None], digits: int) -> results.DeltaAt:
    """Return the δ(ε) that a running maximum has come to."""
    return _delta_at(epsilon, delta.enclosure(digits), delta.tag)


def _delta_at(epsilon: Real, value: results.Enclosure, worst: Candidate | None) -> results.DeltaAt:
    value = unit_interval(value)
    x, y = (None, None) if worst is None else (worst.x, worst.y)
    return results.DeltaAt(value.lower, value.upper, value.exact, epsilon=epsilon, x=x, y=y)


def _verdict(found: Scan, budget: results.Budget) -> results.Verdict:
    """Return the verdict that the largest loss or the largest δ decides.

    The loss is at most ε exactly if δ(ε) is 0, so either of the two is enough; one that is open
    above is never known to be.
    """
    pure = _compare(found.largest(), budget.epsilon)
    if found.open and pure is not Sign.POSITIVE:
        pure = Sign.UNDECIDED
    if pure in (Sign.NEGATIVE, Sign.ZERO):
        return results.Verdict.WITHIN
    sign: Sign = pure
    if not budget.is_pure or pure is Sign.UNDECIDED:
        sign = _compare(found.largest(1), budget.delta)
    if sign is Sign.POSITIVE:
        return results.Verdict.EXCEEDS
    return results.Verdict.UNDECIDED if sign is Sign.UNDECIDED else results.Verdict.WITHIN


def _compare(largest: Maximum[Any], bound: Real) -> Sign:
    """Return the sign of maximum − bound: exact, or certain, or undecided."""
    if largest.exact is not None:
        try:
            return order(largest.exact, bound)
        except PrecisionError:  # perhaps one number in two forms
            return Sign.UNDECIDED
    limit = bound.ball()
    # Below needs all that may be the maximum; above needs one that certainly is.
    if balls.certainly_less_or_equal(largest.bound, limit):
        return Sign.NEGATIVE
    return Sign.POSITIVE if balls.certainly_less(limit, largest.best) else Sign.UNDECIDED

"""The audit of one size: every pair, both directions, every output, certified in balls.

:func:`scan` is the certifying tier: it needs nothing of a mechanism but its laws and looks at
whatever pairs it is given.  Where a mechanism has laws in floats, :mod:`dpaudit.audit.screen` looks
at all pairs first and hands over only those that can still hold a maximum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.audit.maximum import Maximum, Printed, more_bits_help, printed, printed_best
from dpaudit.audit.measure import Measure, derived, head, split, verdict_of
from dpaudit.audit.plan import WORTH_A_SCREEN, Pairs
from dpaudit.audit.standing import judged_again
from dpaudit.data.adjacency import Substitution
from dpaudit.errors import PrecisionError
from dpaudit.laws.law import LawCache
from dpaudit.numbers.ball import (
    Ball,
    PrecisionNeeded,
    Sign,
    bits_for_digits,
    certainly_less,
    certainly_less_or_equal,
    precision,
    working_precision,
)
from dpaudit.numbers.enclosure import GUARD_DIGITS, Enclosure, unit_interval
from dpaudit.numbers.real import ZERO, Real, order
from dpaudit.results import Audit, DeltaAt, SizeResult, Verdict, Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from decimal import Decimal

    from dpaudit.audit.plan import Plan
    from dpaudit.audit.screen import Share
    from dpaudit.laws.law import Loss, OutputLaws
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.results import Budget, UndecidedSize

__all__ = ["EpsilonDelta", "audit_size", "delta_at", "scan", "screened_entries"]

PairT = tuple[Any, Any]

# Measured on one core, in seconds: what a screened size, each of its datasets and each of its
# entries costs, and what an entry costs in balls.
_SCREENED_SIZE, _SCREENED_DATASET, _SCREENED_ENTRY, _BALL_ENTRY = 1e-3, 1.2e-5, 2e-8, 2e-6


class EpsilonDelta(Measure[SizeResult, Audit]):
    """The realised ε, and the realised δ at the budget's ε, held to the budget."""

    schema = "dpaudit.audit/1"
    sized = SizeResult

    def at_size(
        self,
        mechanism: Mechanism[Any],
        n: int,
        plan: Plan,
        progress: Callable[[int], None] = lambda pairs: None,
        share: Share | None = None,
    ) -> SizeResult:
        return audit_size(mechanism, n, plan, progress, share)

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        relation = mechanism.adjacency(plan.adjacency)
        entries = screened_entries(mechanism, n, plan)
        if entries is None:
            return _BALL_ENTRY * relation.pair_count(n) * mechanism.entries(n)
        datasets = relation.dataset_count(n)
        return _SCREENED_SIZE + _SCREENED_DATASET * datasets + _SCREENED_ENTRY * entries

    def points(self, plan: Plan) -> Sequence[Real]:
        return plan.at_eps

    def points_of(self, result: SizeResult) -> Sequence[Real]:
        return [point.epsilon for point in result.curve]

    def judged(self, result: SizeResult, plan: Plan, pairs: int | None) -> SizeResult:
        return judged_again(result, plan.budget, pairs)

    def can_be_shared(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> bool:
        return screened_entries(mechanism, n, plan) is not None

    def report(
        self,
        mechanism: Mechanism[Any],
        sizes: Sequence[int],
        plan: Plan,
        found: Iterable[SizeResult | UndecidedSize],
    ) -> Audit:
        parts = split(sizes, found, SizeResult)
        return Audit(
            schema=self.schema,
            budget=plan.budget,
            verdict=verdict_of(parts),
            **head(mechanism, plan),
            **derived(mechanism, parts["results"]),
            **parts,
        )


def screened_entries(mechanism: Mechanism[Any], n: int, plan: Plan) -> int | None:
    """Return about how many numbers a screen of one size looks at; None where there is none."""
    if plan.engine != "screen" or plan.at is not None:
        return None
    if not isinstance(mechanism.adjacency(plan.adjacency), Substitution):
        return None
    return mechanism.screened_entries(n)


@dataclass
class Scan:
    """The maxima over the pairs of one pass at one precision."""

    epsilon: Maximum[tuple[Any, Any, Hashable]]
    """The largest loss, tagged (x, y, output)."""
    deltas: list[Maximum[PairT | None]]
    """The largest δ at each ε asked for, tagged (x, y), or None while it is 0."""
    covered: int
    """How many pairs were looked at."""


def scan(
    book: OutputLaws[Any],
    pairs: Iterable[PairT],
    epsilons: tuple[Real, ...],
    progress: Callable[[int], None],
) -> Scan:
    """Return the largest loss, and the largest δ at each of ``epsilons``, over ``pairs``.

    Both directions of every pair count, at every output.  The result is enclosed at the working
    precision; ``progress(1)`` is called for each pair.
    """
    cache = LawCache(book)
    largest: Maximum[tuple[Any, Any, Hashable]] | None = None
    deltas: list[Maximum[PairT | None]] = [Maximum(Ball(0), ZERO, None) for _ in epsilons]
    covered = 0
    for left, right in pairs:
        divergence = cache.first(left).divergence_from(cache.law(right))
        for forward, (x, y) in ((True, (left, right)), (False, (right, left))):
            loss = divergence.max_loss(forward=forward)
            if largest is None:
                largest = Maximum(loss.ball, loss.exact, (x, y, loss.output))
            else:
                largest.add(loss.ball, loss.exact, (x, y, loss.output))
            for epsilon, delta in zip(epsilons, deltas, strict=True):
                if not _certainly_within(loss, epsilon):
                    mass = divergence.hockey_stick(epsilon, forward=forward)
                    delta.add(mass.ball, mass.exact, (x, y))
        covered += 1
        progress(1)
    if largest is None:
        raise ValueError("there are no pairs to look at")
    return Scan(largest, deltas, covered)


def _certainly_within(loss: Loss, epsilon: Real) -> bool:
    """Tell whether the loss is certainly at most ε, so that it adds nothing to δ(ε)."""
    if loss.exact is not None:
        try:
            return order(loss.exact, epsilon) is not Sign.POSITIVE
        except PrecisionError:
            return False
    return certainly_less_or_equal(loss.ball, epsilon.ball())


def audit_size(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    progress: Callable[[int], None] = lambda pairs: None,
    share: Share | None = None,
) -> SizeResult:
    """Return the certified audit of ``mechanism`` at size ``n``.

    All pairs are screened in floats where the mechanism and the plan allow it, and what the screen
    leaves, else every pair, is looked at in balls.  The precision is raised until every interval is
    at most 10^−digits wide and the verdict is decided, or until the plan's cap, where an undecided
    verdict is reported with its reason.  ``progress`` is told of pairs that have been covered.
    With ``share`` other processes compute the screen; the findings are the same.
    """
    pairs = Pairs(mechanism, n, plan)
    epsilons = (plan.budget.epsilon, *plan.at_eps)
    screened = None
    told = _Progress(progress)
    if plan.engine == "screen" and (pairs.only is not None or pairs.expected >= WORTH_A_SCREEN):
        from dpaudit.audit.screen import screened_pairs

        screened = screened_pairs(mechanism, pairs, epsilons, told, share)
    if told.pairs:
        progress = _ignore
    bits = bits_for_digits(plan.digits + GUARD_DIGITS)
    cap = max(plan.precision_cap, 4 * bits)
    open_before: list[Decimal] = []
    while True:
        last = bits >= cap
        try:
            with precision(bits):
                if screened is None:
                    found = scan(mechanism.laws(), pairs, epsilons, progress)
                else:
                    found = scan(screened.book, screened.pairs, epsilons, progress)
                    found.covered = screened.covered
                shown = _Shown.of(found, plan)
                result = _conclude(mechanism, pairs, plan, found, shown)
        except PrecisionNeeded as request:
            if last:
                raise PrecisionError(
                    f"{mechanism.name} at n = {n}: {request} ({bits} bits)"
                ) from None
        else:
            widths = shown.open_widths
            tight = all(interval.is_tight(plan.digits) for interval in _intervals(result))
            settled = tight and result.verdict is not Verdict.UNDECIDED
            if last or (settled and not more_bits_help(open_before, widths)):
                return result
            open_before = widths
        bits = min(2 * bits, cap)
        progress = _ignore


class _Progress:
    """Passes ticks on and counts them."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self.progress = progress
        self.pairs = 0

    def __call__(self, pairs: int) -> None:
        self.pairs += pairs
        self.progress(pairs)


def _ignore(pairs: int) -> None:
    """Count nothing: a pair that is looked at again at a higher precision is not a new pair."""


def _intervals(result: SizeResult) -> list[Enclosure]:
    return [result.epsilon, result.delta, *result.curve]


class _Shown(NamedTuple):
    """The numbers of a scan as they are printed."""

    epsilon: Printed
    deltas: list[Printed]
    loss: Printed

    @classmethod
    def of(cls, found: Scan, plan: Plan) -> _Shown:
        digits = plan.digits
        first, *others = found.deltas
        return cls(
            printed(found.epsilon, digits, plan.budget.epsilon),
            [
                printed(first, digits, plan.budget.delta),
                *(printed(delta, digits) for delta in others),
            ],
            printed_best(found.epsilon, digits),
        )

    @property
    def open_widths(self) -> list[Decimal]:
        """How wide the intervals are that other balls of the same numbers might not have given."""
        shown = (self.epsilon, *self.deltas, self.loss)
        return [one.interval.width for one in shown if not one.sharp]


def _conclude(
    mechanism: Mechanism[Any], pairs: Pairs, plan: Plan, found: Scan, shown: _Shown
) -> SizeResult:
    deltas = [
        _delta_at(at, value.interval, delta.tag)
        for at, value, delta in zip(
            (plan.budget.epsilon, *plan.at_eps), shown.deltas, found.deltas, strict=True
        )
    ]
    x, y, output = found.epsilon.tag
    verdict, reason = _verdict(found, plan.budget), ""
    expected = pairs.expected
    if found.covered != expected and verdict is Verdict.WITHIN:
        verdict = Verdict.UNDECIDED
        reason = f"{found.covered} of {expected} pairs were covered"
    elif verdict is Verdict.UNDECIDED:
        reason = (
            f"{found.epsilon.enclosure(plan.digits)} and the budget {plan.budget} are not told "
            f"apart by balls of {working_precision()} bits: a tie, or nearly one"
        )
    outputs = mechanism.output_count(pairs.n)
    return SizeResult(
        n=pairs.n,
        datasets=pairs.datasets,
        pairs=expected,
        pairs_covered=found.covered,
        outputs="infinite" if outputs is None else outputs,
        epsilon=shown.epsilon.interval,
        delta=deltas[0],
        curve=tuple(deltas[1:]),
        witness=Witness(x, y, output, shown.loss.interval),
        verdict=verdict,
        reason=reason,
    )


def delta_at(epsilon: Real, delta: Maximum[PairT | None], digits: int) -> DeltaAt:
    """Return the δ(ε) that a running maximum has come to."""
    return _delta_at(epsilon, delta.enclosure(digits), delta.tag)


def _delta_at(epsilon: Real, value: Enclosure, worst: PairT | None) -> DeltaAt:
    value, (x, y) = unit_interval(value), worst or (None, None)
    return DeltaAt(value.lower, value.upper, value.exact, epsilon=epsilon, x=x, y=y)


def _verdict(found: Scan, budget: Budget) -> Verdict:
    """Return the verdict that the largest loss or the largest δ decides.

    The loss is at most ε exactly if δ(ε) is 0, so either of the two is enough.
    """
    pure = _compare(found.epsilon, budget.epsilon)
    if pure in (Sign.NEGATIVE, Sign.ZERO):
        return Verdict.WITHIN
    sign: Sign = pure
    if not budget.is_pure or pure is Sign.UNDECIDED:
        sign = _compare(found.deltas[0], budget.delta)
    if sign is Sign.POSITIVE:
        return Verdict.EXCEEDS
    return Verdict.UNDECIDED if sign is Sign.UNDECIDED else Verdict.WITHIN


def _compare(largest: Maximum[Any], bound: Real) -> Sign:
    """Return the sign of maximum − bound: exact, or certain, or undecided."""
    if largest.exact is not None:
        try:
            return order(largest.exact, bound)
        except PrecisionError:  # perhaps one number in two forms
            return Sign.UNDECIDED
    limit = bound.ball()
    if certainly_less_or_equal(largest.bound, limit):
        return Sign.NEGATIVE
    return Sign.POSITIVE if certainly_less(limit, largest.best) else Sign.UNDECIDED

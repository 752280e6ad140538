"""The audit of one size: every pair, both directions, every output, certified in balls.

:func:`scan` is the certifying tier: it needs nothing of a mechanism but its laws and looks at
whatever pairs it is given.  Where a mechanism has laws in floats, :mod:`dpaudit.audit.screen` looks
at all pairs first and hands over only those that can still hold a maximum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.audit.largest import Largest
from dpaudit.audit.laws import LawCache
from dpaudit.audit.plan import WORTH_A_SCREEN, Pairs
from dpaudit.audit.result import DeltaAt, SizeResult, Verdict, Witness
from dpaudit.audit.standing import equal_to, side
from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import (
    Ball,
    PrecisionNeeded,
    Sign,
    bits_for_digits,
    certainly_less,
    certainly_less_or_equal,
    precision,
    working_digits,
    working_precision,
)
from dpaudit.exact.enclosure import GUARD_DIGITS, Enclosure, enclose, unit_interval
from dpaudit.exact.real import ZERO, Real, order

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from dpaudit.audit.plan import Plan
    from dpaudit.audit.screen import Share
    from dpaudit.laws.law import LawBook, Loss
    from dpaudit.mechanisms.base import Budget, Mechanism

__all__ = ["audit_size", "scan"]

PairT = tuple[Any, Any]


@dataclass
class Scan:
    """The maxima over the pairs of one pass at one precision."""

    epsilon: Largest[tuple[Any, Any, Hashable]]
    """The largest loss, tagged (x, y, output)."""
    deltas: list[Largest[PairT | None]]
    """The largest δ at each ε asked for, tagged (x, y), or None while it is 0."""
    covered: int
    """How many pairs were looked at."""


def scan(
    book: LawBook[Any],
    pairs: Iterable[PairT],
    epsilons: tuple[Real, ...],
    tick: Callable[[int], None],
) -> Scan:
    """Return the largest loss, and the largest δ at each of ``epsilons``, over ``pairs``.

    Both directions of every pair count, at every output.  The result is enclosed at the working
    precision; ``tick(1)`` is called for each pair.
    """
    cache = LawCache(book)
    largest: Largest[tuple[Any, Any, Hashable]] | None = None
    deltas: list[Largest[PairT | None]] = [Largest(Ball(0), ZERO, Ball(0), None) for _ in epsilons]
    covered = 0
    for left, right in pairs:
        divergence = cache.first(left).versus(cache.law(right))
        for forward, (x, y) in ((True, (left, right)), (False, (right, left))):
            loss = divergence.max_loss(forward=forward)
            if largest is None:
                largest = Largest(loss.ball, loss.exact, loss.ball, (x, y, loss.output))
            else:
                largest.add(loss.ball, loss.exact, (x, y, loss.output))
            for epsilon, delta in zip(epsilons, deltas, strict=True):
                if not _certainly_within(loss, epsilon):
                    mass = divergence.hockey_stick(epsilon, forward=forward)
                    delta.add(mass.ball, mass.exact, (x, y))
        covered += 1
        tick(1)
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
    tick: Callable[[int], None] = lambda pairs: None,
    share: Share | None = None,
) -> SizeResult:
    """Return the certified audit of ``mechanism`` at size ``n``.

    All pairs are screened in floats where the mechanism and the plan allow it, and what the screen
    leaves, else every pair, is looked at in balls.  The precision is raised until every interval is
    at most 10^−digits wide and the verdict is decided, or until the plan's cap, where an undecided
    verdict is reported with its reason.  ``tick`` is told of pairs that have been covered.  With
    ``share`` other processes compute the screen; the findings are the same.
    """
    pairs = Pairs(mechanism, n, plan)
    epsilons = (plan.budget.epsilon, *plan.at_eps)
    screened = None
    told = _Told(tick)
    if plan.engine == "screen" and (pairs.only is not None or pairs.expected >= WORTH_A_SCREEN):
        from dpaudit.audit.screen import contenders

        screened = contenders(mechanism, pairs, epsilons, told, share)
    if told.pairs:
        tick = _ignore
    bits = bits_for_digits(plan.digits + GUARD_DIGITS)
    cap = max(plan.precision_cap, 4 * bits)
    while True:
        last = bits >= cap
        try:
            with precision(bits):
                if screened is None:
                    found = scan(mechanism.laws(), pairs, epsilons, tick)
                else:
                    found = scan(screened.book, screened.pairs, epsilons, tick)
                    found.covered = screened.covered
                result = _conclude(mechanism, pairs, plan, found)
        except PrecisionNeeded as request:
            if last:
                raise PrecisionError(
                    f"{mechanism.name} at n = {n}: {request} ({bits} bits)"
                ) from None
        else:
            tight = all(interval.is_tight(plan.digits) for interval in _intervals(result))
            if last or (tight and result.verdict is not Verdict.UNDECIDED):
                return result
        bits = min(2 * bits, cap)
        tick = _ignore


class _Told:
    """Passes ticks on and counts them."""

    def __init__(self, tick: Callable[[int], None]) -> None:
        self.tick = tick
        self.pairs = 0

    def __call__(self, pairs: int) -> None:
        self.pairs += pairs
        self.tick(pairs)


def _ignore(pairs: int) -> None:
    """Count nothing: a pair that is looked at again at a higher precision is not a new pair."""


def _intervals(result: SizeResult) -> list[Enclosure]:
    return [result.epsilon, result.delta.value, *(point.value for point in result.curve)]


def _conclude(mechanism: Mechanism[Any], pairs: Pairs, plan: Plan, found: Scan) -> SizeResult:
    epsilon = _told_apart(found.epsilon, plan.digits, plan.budget.epsilon)
    values = [
        _told_apart(found.deltas[0], plan.digits, plan.budget.delta),
        *(delta.enclosure(plan.digits) for delta in found.deltas[1:]),
    ]
    deltas = [
        DeltaAt(str(at), unit_interval(value), *(delta.tag or (None, None)))
        for at, value, delta in zip(
            (plan.budget.epsilon, *plan.at_eps), values, found.deltas, strict=True
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
    return SizeResult(
        n=pairs.n,
        datasets=pairs.datasets,
        pairs=expected,
        pairs_covered=found.covered,
        outputs=mechanism.output_count(pairs.n),
        epsilon=epsilon,
        delta=deltas[0],
        curve=tuple(deltas[1:]),
        witness=Witness(x, y, output, _best(found.epsilon, plan.digits)),
        verdict=verdict,
        reason=reason,
    )


def _told_apart(largest: Largest[Any], digits: int, bound: Real) -> Enclosure:
    """Return an enclosure that tells the maximum from ``bound`` by itself, if anything known does.

    The verdict then follows from what is printed.
    """
    interval = largest.enclosure(digits)
    if side(interval, bound) is not Sign.UNDECIDED:
        return interval
    longest = largest.enclosure(max(digits, working_digits()))
    for fewer in range(digits + 1, working_digits() + 1):  # what more digits there are is noise
        rounded = longest.rounded(fewer - GUARD_DIGITS)
        if side(rounded, bound) is not Sign.UNDECIDED:
            return rounded
    known = longest.rounded(max(digits, 3 * working_digits() // 4))  # how near a tie it is
    return equal_to(known, largest.exact, bound)


def _best(largest: Largest[Any], digits: int) -> Enclosure:
    return enclose(largest.best, digits) if largest.exact is None else largest.enclosure(digits)


def _verdict(found: Scan, budget: Budget) -> Verdict:
    """Return the verdict that the largest loss or the largest δ decides.

    The loss is at most ε exactly if δ(ε) is 0, so either of the two is enough.
    """
    pure = _compare(found.epsilon, budget.epsilon)
    if pure in (Sign.NEGATIVE, Sign.ZERO):
        return Verdict.WITHIN
    sign: Sign = pure
    if budget.delta != ZERO or pure is Sign.UNDECIDED:
        sign = _compare(found.deltas[0], budget.delta)
    if sign is Sign.POSITIVE:
        return Verdict.EXCEEDS
    return Verdict.UNDECIDED if sign is Sign.UNDECIDED else Verdict.WITHIN


def _compare(largest: Largest[Any], bound: Real) -> Sign:
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

"""The recheck of certified accounts: δ of so many runs at each row's pair, by other arithmetic.

A value by a closed form, brute force or a contour integral confirms a row that has it.  Ends that δ
certainly lies between contradict a row, and confirm one only where they are as narrow as it is:
what merely overlaps says nothing.  An ε is checked by δ at both ends of its interval.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec
from mpmath import mp, mpf

from dpaudit.recheck.agreement import compare, end, printed_places, well_formed
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.known_deltas import (
    DeltaBounds,
    Ends,
    confirms,
    deltas_at,
    hold,
    printed_unit,
)
from dpaudit.recheck.matrices import check_matrix
from dpaudit.recheck.numbers import fraction, order, same_number, shown_digits, value
from dpaudit.recheck.runs import Runs, runs_of
from dpaudit.recheck.subject import Recheck
from dpaudit.results import CertifiedAccount, DeltaRow, Enclosure, EpsilonRow, Solution, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from dpaudit.closed import ClosedForm
    from dpaudit.recheck.options import RecheckOptions


__all__ = ["BOUNDED", "check_certified"]

TAKEN = "that no other pair exceeds the upper ends, and the bounds for adaptive runs"
HOW = "how it was computed: by which method, how narrow it was asked for, whether it ended early"
BOUNDED = "bounds of batches that are not Poisson samples are not computed a second time"
READ = "what was read of the training's file, and what its own accountant said"
PLAN = "that the value found is the best one: only the value next to it is checked"
_BESIDE = 30
"""An end of an ε at which δ becomes 0 is looked at this many digits beyond those it has."""
_ENOUGH = 8
"""Times the digits that a claim is first looked at with: numbers are compared with more."""
_HUGE = 10**6  # where a row's infinite ε is looked at


def check_certified(account: CertifiedAccount, findings: Findings, options: RecheckOptions) -> None:
    """Recheck a certified account and note in ``findings`` what agrees and what does not."""
    recheck = Recheck(account, findings, options, upper_ends=TAKEN)
    recheck.head()
    findings.take(HOW)
    ((_, where),) = recheck.sizes_at([account])
    if account.compose < 1:
        raise NotAReportError(f"compose = {account.compose}: must be at least 1")
    if not order(account.width, "0") > 0 >= order(account.width, "1"):
        raise NotAReportError(f"width = {account.width}: must be greater than 0 and at most 1")
    if not account.rows:
        raise NotAReportError("an account has no rows")
    judged = _judged(recheck, account, where)
    for row in account.rows:
        interval = row.epsilon if isinstance(row, EpsilonRow) else row.delta
        message = f"{interval} is not an interval"
        if isinstance(row, DeltaRow) and not _finite(interval):
            raise NotAReportError(message)
        recheck.expect(
            well_formed(interval, None) and _closed(interval), "intervals", where, message
        )
        if row.direction != account.direction != "both" or row.direction is not None:
            same = account.direction in (row.direction, "both")
            message = f"a row of direction {row.direction} in an account of {account.direction}"
            recheck.expect(same, "directions", where, message)
        bound, lower = row.adaptive_upper, interval.lower
        message = "the bound for adaptive runs is below what runs on the same data reach"
        recheck.expect(bound is None or bound >= lower, "order of bounds", where, message)
    _check_claim(recheck, account, where)
    if _is_bounded(recheck, account, where):
        return
    if recheck.coverage(account.n, None, account.pairs, where):
        for row in account.rows:
            verdict = account.verdict if row is judged else None
            recheck.attempt(where, _check_row, recheck, account, row, verdict, where)
            if account.direction == "both" and row.direction is not None:
                recheck.attempt(where, _check_other, recheck, account, row, where)
        if account.solved is not None:
            recheck.attempt(where, _check_solved, recheck, account, account.solved, judged, where)


def _is_bounded(recheck: Recheck, account: CertifiedAccount, where: str) -> bool:
    """Recheck a matrix mechanism with its rows, and tell whether rows have no second account."""
    if account.matrix is not None:
        recheck.attempt(where, check_matrix, recheck, account, where)
        return True
    bounded = any(row.method == "bounds" for row in account.rows)
    if bounded:
        recheck.findings.unknown(where, BOUNDED)
    return bounded


def _check_claim(recheck: Recheck, account: CertifiedAccount, where: str) -> None:
    """Check the verdict on what a training's own accountant said, against the row of its ε."""
    training = account.training
    if training is None:
        return
    recheck.findings.take(READ)
    if training.claimed is None:
        recheck.expect(training.claim_verdict is None, "claims", where, "nothing is claimed")
        return
    with mp.workdps(recheck.dps):
        row = next(
            (
                row
                for row in account.rows
                if not isinstance(row, EpsilonRow)
                and same_number(row.epsilon, training.claimed.epsilon)
            ),
            None,
        )
        if row is None:
            raise NotAReportError("what is claimed has no row")
        expected = _verdict_on(row.delta, training.claimed.delta)
    message = f"the interval and the claim make it {expected.value}"
    recheck.expect(training.claim_verdict is expected, "claims", where, message)


def _finite(interval: Enclosure) -> bool:
    return interval.lower.is_finite() and interval.upper.is_finite()


def _closed(interval: Enclosure) -> bool:
    """Tell whether a closed form, where there is one, lies in its interval."""
    if interval.exact is None:
        return True
    return (
        order(str(interval.lower), interval.exact)
        <= 0
        <= order(str(interval.upper), interval.exact)
    )


def _judged(recheck: Recheck, account: CertifiedAccount, where: str) -> DeltaRow | None:
    """Check the verdict against the row of the budget, and return that."""
    if account.budget is None:
        recheck.expect(account.verdict is None, "verdicts", where, "there is no budget")
        return None
    with mp.workdps(recheck.dps):
        row = next(
            (
                row
                for row in account.rows
                if not isinstance(row, EpsilonRow)
                and same_number(row.epsilon, account.budget.epsilon)
            ),
            None,
        )
        if row is None:
            raise NotAReportError("the budget has no row")
        expected = _verdict_on(row.delta, account.budget.delta)
    message = f"the interval and the budget make it {expected.value}"
    recheck.expect(account.verdict is expected, "verdicts", where, message)
    return row


def _verdict_on(delta: Enclosure, budget: ClosedForm) -> Verdict:
    return {"above": Verdict.EXCEEDS, "unknown": Verdict.UNDECIDED}.get(
        compare(delta, budget), Verdict.WITHIN
    )


def _number(bound: Fraction | None, infinite: int = 0) -> mpf:
    return fraction(Fraction(infinite) if bound is None else bound)


def _places(*numbers: mpf) -> int:
    """Return how many zeros the smallest positive number has behind the point."""
    return max((int(-mp.log10(number)) for number in numbers if 0 < number < 1), default=0)


def _delta_bounds(
    recheck: Recheck, runs: Runs, epsilon: Callable[[], mpf], claim: tuple[mpf, mpf], printed: int
) -> DeltaBounds:
    """Bound δ at an ε where a ``claim`` has two ends with so many printed decimals."""
    low, high = claim
    width = (high - low) / high if high > 0 else mpf(1)
    places = _places(low, high)
    return deltas_at(runs, epsilon, recheck.dps, places=places, printed=printed, width=width)


def _check_row(
    recheck: Recheck,
    account: CertifiedAccount,
    row: EpsilonRow | DeltaRow,
    verdict: Verdict | None,
    where: str,
) -> None:
    runs = runs_of(recheck, account, row, where)
    if runs is None:
        return
    if isinstance(row, EpsilonRow):
        for bound, above in ((row.epsilon.lower, False), (row.epsilon.upper, True)):
            place = end(bound)
            # An end at 0 or ∞ claims nothing on its side.
            if (place is None and above) or (place == 0 and not above):
                continue
            _check_end(recheck, row, runs, bound, where, above=above)
        return
    interval = row.delta
    printed = printed_places(interval.lower, interval.upper, interval.exact or "0")
    with mp.workdps(_ENOUGH * (recheck.dps + printed)):
        low, high = _number(end(interval.lower)), _number(end(interval.upper))
        bounds = _delta_bounds(recheck, runs, lambda: value(row.epsilon), (low, high), printed)
        exact = None if interval.exact is None else value(interval.exact)
        unit = printed_unit(interval.lower, interval.upper)

        def off(ends: Ends) -> bool:
            apart = ends[1] < low or high < ends[0]
            return apart or not (exact is None or ends[0] <= exact <= ends[1])

        confirmed = hold(
            *(recheck, bounds, (f"δ({row.epsilon})", "δ", f"not in {interval}"), where),
            off=off,
            holds=lambda ends: confirms(ends, low, high, unit),
        )
        if confirmed and verdict in (Verdict.WITHIN, Verdict.EXCEEDS):
            assert account.budget is not None
            direct = bounds.tight if runs.delta is not None else None
            if _decides(bounds, direct, interval, account.budget.delta, verdict):
                recheck.expect(True, "verdicts by δ", where, "")
            else:
                message = f"δ({row.epsilon}) is too near {account.budget.delta} for its verdict"
                recheck.findings.unknown(where, message)


def _decides(
    bounds: DeltaBounds,
    direct: Ends | None,
    interval: Enclosure,
    budget: ClosedForm,
    verdict: Verdict,
) -> bool:
    """Tell whether ends around δ are on the side of a budget that a verdict says.

    What is the budget itself, to all digits that are computed ``direct``, is within it where the
    claim is too.
    """
    limit, equal = value(budget), compare(interval, budget) in ("equal", "at most")
    for ends in bounds.all:
        least, most = ends
        if verdict is Verdict.EXCEEDS and least > limit:
            return True
        equals = equal and ends is direct and least <= limit
        if verdict is Verdict.WITHIN and (most <= limit or equals):
            return True
    return False


def _check_other(recheck: Recheck, account: CertifiedAccount, row: Any, where: str) -> None:
    """Check that the other direction certainly does not exceed the upper end of a row."""
    opposite = msgspec.structs.replace(
        row, direction="add" if row.direction == "remove" else "remove"
    )
    runs, is_epsilon = runs_of(recheck, account, opposite, where), isinstance(row, EpsilonRow)
    top = end(row.epsilon.upper if is_epsilon else row.delta.upper)
    if runs is not None and top is not None:
        at: Callable[[], mpf] = lambda: _number(top) if is_epsilon else value(row.epsilon)  # noqa: E731
        with mp.workdps(_ENOUGH * recheck.dps):
            most = value(row.delta) if is_epsilon else _number(top)
            bounds = _delta_bounds(recheck, runs, at, (most, most), 0)
            message = f"δ({shown_digits(at(), 9)}) is larger in direction {opposite.direction}"
            recheck.expect(
                all(ends[0] <= most for ends in bounds.all), "directions", where, message
            )


def _check_end(
    recheck: Recheck, row: EpsilonRow, runs: Runs, bound: Decimal, where: str, *, above: bool
) -> None:
    """Check that δ at an end of an interval of ε is on its side of the δ that was given."""
    printed = printed_places(bound, row.delta)
    nothing = same_number(row.delta, "0")
    if nothing and runs.delta is None:
        raise UnknownDefinitionError(f"δ({bound}) = 0 is not confirmed by integrals")
    printed += _BESIDE if nothing else 0

    def place() -> mpf:
        """Return the end, or what is just beside it: the largest loss itself may be the end."""
        at, beside = _number(end(bound), _HUGE), mpf(10) ** -printed if nothing else 0
        return at + at * (beside if above else -beside)

    with mp.workdps(_ENOUGH * (recheck.dps + printed)):
        limit = value(row.delta)
        bounds = _delta_bounds(recheck, runs, place, (limit, limit), printed)

        def off(ends: Ends) -> bool:
            least, most = ends
            return least > limit if above else most < limit or (nothing and most == 0)

        def holds(ends: Ends) -> bool:
            least, most = ends
            inside = most <= limit if above else least >= limit
            # What no digits tell from it is δ itself, where so many are computed.
            return inside or (runs.delta is not None and ends is bounds.tight)

        otherwise = f"which is certainly not on the side of {row.delta} for an end of {row.epsilon}"
        what = f"δ({shown_digits(place(), 9)})"
        words = what, "ε at δ", otherwise
        hold(recheck, bounds, words, where, off=off, holds=holds)


def _check_solved(
    recheck: Recheck,
    account: CertifiedAccount,
    solved: Solution,
    judged: DeltaRow | None,
    where: str,
) -> None:
    """Check the value that was sought, and that the one beside it does not keep the budget."""
    if account.budget is None or judged is None:
        raise NotAReportError("a value was searched for, but there is no budget")
    recheck.findings.take(PLAN)
    name, best, beside = solved.parameter, solved.value, solved.failing
    if not (best.is_finite() and beside.is_finite() and best > 0 and beside > 0):
        raise NotAReportError(f"solved: {best} and {beside} are not values of {name}")
    if not _finite(solved.failing_delta):
        raise NotAReportError(f"solved.failing_delta: {solved.failing_delta} is not an interval")
    step = Fraction(1) if name == "steps" else Fraction(10) ** (best.adjusted() - 3)
    current: Any = account.compose
    if name != "steps":
        current = account.sample_rate if name == "q" else account.described.get(name)
        if current is None or isinstance(current, list):
            raise NotAReportError(f"solved.parameter = {name}, which the account does not have")
    kind = "values that were sought"
    message = f"solved.value is {best}, and the account is of {name} = {current}"
    recheck.expect(same_number(str(current), str(best)), kind, where, message)
    message = f"the account at the value found is {account.verdict}"
    recheck.expect(account.verdict is Verdict.WITHIN, kind, where, message)
    off = Fraction(beside) - Fraction(best)
    off = -off if name in ("sigma", "scale") else off
    near = off == 1 if name == "steps" else 0 < off <= step
    message = f"solved.failing is {beside}, which is not next to {best} where the budget fails"
    recheck.expect(near, kind, where, message)
    interval, verdict = solved.failing_delta, solved.failing_verdict
    expected = _verdict_on(interval, account.budget.delta)
    fits = expected is verdict is not Verdict.WITHIN and well_formed(interval, None)
    message = (
        f"solved.failing_verdict is {verdict.value}, and the interval makes it {expected.value}"
    )
    recheck.expect(fits and _closed(interval), kind, where, message)
    if not near or not fits:
        return
    changed: dict[str, Any] = {"described": {**account.described, name: str(beside)}}
    if name == "steps":
        changed = {"compose": int(beside)}
    elif name == "q":
        changed = {"sample_rate": beside}
    failing = msgspec.structs.replace(account, **changed, stated=None, verdict=verdict)
    row = msgspec.structs.replace(judged, delta=interval)
    there = f"{where}, {name} = {beside}"
    again = Recheck(failing, recheck.findings, recheck.options, upper_ends=TAKEN)
    recheck.attempt(there, _check_row, again, failing, row, verdict, there)

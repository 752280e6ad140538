"""The recheck of certified accounts: δ of so many runs at each row's pair, by other arithmetic.

A value by a closed form, brute force or a contour integral confirms a row that has it.  Ends that δ
certainly lies between contradict a row, and confirm one only where they are as narrow as it is:
what merely overlaps says nothing.  An ε is checked by δ at both ends of its interval.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from mpmath import mp, mpf

from dpaudit.recheck.agreement import end, well_formed
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.numbers import fraction, value
from dpaudit.recheck.runs import CERTAIN_DIGITS, Runs, runs_of
from dpaudit.recheck.subject import Recheck
from dpaudit.results import CertifiedAccount, DeltaRow, Enclosure, EpsilonRow, Solution, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.closed import ClosedForm
    from dpaudit.recheck.how import How


__all__ = ["check_certified"]

TAKEN = "that no other pair exceeds the upper ends, and the bounds for adaptive runs"
HOW = "how it was computed: by which method, how narrow it was asked for, whether it ended early"
PLAN = "that the value that was sought is the best one: the value beside it alone is looked at"
_DIGITS = 25
_SLACK, _LITTLE = mpf(10) ** -7, mpf(10) ** -15
"""How far an integral, and what is computed directly, may be off, in proportion."""
_NARROW = mpf(10) ** -3
"""How much wider than a row, in proportion, certain ends may be that confirm it."""
_HUGE = 10**6  # where a row's infinite ε is looked at


def check_certified(account: CertifiedAccount, found: Findings, how: How) -> None:
    """Recheck a certified account and note in ``found`` what agrees and what does not."""
    recheck = Recheck(account, found, how, upper_ends=TAKEN)
    recheck.head()
    found.take(HOW)
    ((_, where),) = recheck.sizes_at([account])
    if account.compose < 1:
        raise NotAReportError(f"compose = {account.compose}: must be at least 1")
    if not account.rows:
        raise NotAReportError("an account has no rows")
    judged = _judged(recheck, account, where)
    for row in account.rows:
        interval = row.epsilon if isinstance(row, EpsilonRow) else row.delta
        message = f"{interval} is no interval"
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
    if recheck.coverage(account.n, None, account.pairs, where):
        for row in account.rows:
            verdict = account.verdict if row is judged else None
            recheck.attempt(where, _check_row, recheck, account, row, verdict, where)
            if account.direction == "both" and row.direction is not None:
                recheck.attempt(where, _check_other, recheck, account, row, where)
        if account.solved is not None:
            recheck.attempt(where, _check_solved, recheck, account, account.solved, judged, where)


def _finite(interval: Enclosure) -> bool:
    return interval.lower.is_finite() and interval.upper.is_finite()


def _closed(interval: Enclosure) -> bool:
    """Tell whether a closed form, where there is one, lies in its interval."""
    if interval.exact is None:
        return True
    with mp.workdps(CERTAIN_DIGITS):
        at, slack = value(interval.exact), 1 + _LITTLE
        low, high = end(interval.lower), end(interval.upper)
        above = low is not None and fraction(low) <= at * slack
        return bool(above and (high is None or at <= fraction(high) * slack))


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
                and value(row.epsilon) == value(account.budget.epsilon)
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
    low, high, wanted = end(delta.lower), end(delta.upper), value(budget)
    if high is not None and fraction(high) <= wanted:
        return Verdict.WITHIN
    if low is not None and fraction(low) > wanted:
        return Verdict.EXCEEDS
    return Verdict.UNDECIDED


class _Known(NamedTuple):
    """What is known of δ at one ε."""

    tight: tuple[mpf, mpf] | None
    """Around a value."""
    certain: tuple[mpf, mpf] | None
    """Between certain ends."""
    why: str
    """Why there is no value."""

    @property
    def all(self) -> list[tuple[mpf, mpf]]:
        return [one for one in (self.tight, self.certain) if one is not None]


def _known(recheck: Recheck, runs: Runs, epsilon: Callable[[], mpf], places: int) -> _Known:
    """Look at δ at an ε, of which the report has a number with so many zeros behind the point."""
    tight = certain = None
    why = ""
    try:
        tight = _tight(recheck, runs, epsilon, places)
    except UnknownDefinitionError as error:
        why = str(error)
    if runs.spectrum is not None:
        try:
            with mp.workdps(CERTAIN_DIGITS):
                certain = runs.spectrum.delta(epsilon())
        except UnknownDefinitionError as error:
            why = why or str(error)
    return _Known(tight, certain, why)


def _tight(
    recheck: Recheck, runs: Runs, epsilon: Callable[[], mpf], places: int
) -> tuple[mpf, mpf]:
    """Return two numbers around δ, as near to each other in proportion as the arithmetic allows."""
    if not runs.direct:
        with mp.workdps(_DIGITS + places):
            at = runs.delta(epsilon())
            if not at > 0:
                raise UnknownDefinitionError(
                    "the integral over moments of the loss is not positive"
                )
            return at * (1 - _SLACK), at * (1 + _SLACK)
    dps, at = recheck.dps + 2 * places, mpf(0)
    for _ in range(3):
        with mp.workdps(dps):
            at = runs.delta(epsilon())
            if at == 0 or at > mpf(10) ** (50 - dps):
                return at * (1 - _LITTLE), at * (1 + _LITTLE)
        dps *= 2
    return mpf(0), mpf(0)  # what is left of 0, however many digits there are


def _number(bound: Fraction | None, infinite: int = 0) -> mpf:
    return fraction(Fraction(infinite) if bound is None else bound)


def _places(*numbers: mpf) -> int:
    """Return how many zeros the smallest positive number has behind the point."""
    return max((int(-mp.log10(one)) for one in numbers if 0 < one < 1), default=0)


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
            if (place is None and above) or (place == 0 and not above):
                continue
            _check_end(recheck, row, runs, _number(place, _HUGE), where, above=above)
        return
    low, high = _number(end(row.delta.lower)), _number(end(row.delta.upper))
    known = _known(recheck, runs, lambda: value(row.epsilon), _places(low, high))
    for kind, ends in (("δ", known.tight), ("δ by Fourier transforms", known.certain)):
        if ends is not None and not (ends[0] <= high and low <= ends[1]):
            message = (
                f"δ({row.epsilon}) is from {mp.nstr(ends[0], 9)} to {mp.nstr(ends[1], 9)}, "
                f"not in {row.delta}"
            )
            recheck.expect(False, kind, where, message)
            return
    certain = known.certain
    narrow = certain is not None and (
        low * (1 - _NARROW) <= certain[0] and certain[1] <= high * (1 + _NARROW)
    )
    if known.tight is None and not narrow:
        recheck.found.unknown(where, _unsaid(f"δ({row.epsilon})", known))
        return
    if known.tight is not None:
        recheck.expect(True, "δ", where, "")
    if certain is not None:
        recheck.expect(True, "δ by Fourier transforms", where, "")
    if verdict in (Verdict.WITHIN, Verdict.EXCEEDS):
        assert account.budget is not None
        wanted = value(account.budget.delta)
        slack = 1 + (2 * _LITTLE if runs.direct else 0)  # equal to a budget is within
        decided = any(
            most <= wanted * slack if verdict is Verdict.WITHIN else least * slack > wanted
            for least, most in known.all
        )
        if decided:
            recheck.expect(True, "verdicts by δ", where, "")
        else:
            message = f"δ({row.epsilon}) is too near {account.budget.delta} for its verdict"
            recheck.found.unknown(where, message)


def _check_other(recheck: Recheck, account: CertifiedAccount, row: Any, where: str) -> None:
    """Check that the other direction certainly does not exceed the upper end of a row."""
    other = msgspec.structs.replace(row, direction="add" if row.direction == "remove" else "remove")
    runs, given = runs_of(recheck, account, other, where), isinstance(row, EpsilonRow)
    top = end(row.epsilon.upper if given else row.delta.upper)
    if runs is not None and top is not None:
        at, most = (_number(top), value(row.delta)) if given else (value(row.epsilon), _number(top))
        known = _known(recheck, runs, lambda: at, _places(most))
        message = f"δ({mp.nstr(at, 9)}) is larger in direction {other.direction}"
        recheck.expect(all(one[0] <= most for one in known.all), "directions", where, message)


def _unsaid(what: str, known: _Known) -> str:
    ends = (
        ""
        if known.certain is None
        else (f"; it is from {mp.nstr(known.certain[0], 5)} to {mp.nstr(known.certain[1], 5)}")
    )
    return f"{what}: {known.why or 'it is too near'}{ends}, which is too wide to confirm it"


def _check_end(
    recheck: Recheck, row: EpsilonRow, runs: Runs, place: mpf, where: str, *, above: bool
) -> None:
    """Check that δ at an end of an interval of ε is on its side of the δ that was given."""
    wanted, sign, shown = value(row.delta), 1 if above else -1, mp.nstr(place, 9)
    nothing = wanted == 0
    if nothing and not runs.direct:
        raise UnknownDefinitionError(f"δ({shown}) = 0 is not confirmed by integrals")
    near = place * (1 + sign * _SLACK) if nothing else place
    known = _known(recheck, runs, lambda: near, _places(wanted))
    message = (
        f"δ at an end of {row.epsilon} is certainly not on the side of {row.delta}: at {shown} "
    )
    for kind, ends in (("ε at δ", known.tight), ("δ by Fourier transforms", known.certain)):
        if ends is not None:
            off = ends[0] > wanted if above else ends[1] < wanted or (nothing and ends[1] == 0)
            if off:
                recheck.expect(False, kind, where, message + f"it is {mp.nstr(ends[0], 9)}")
                return
    if known.tight is not None:
        recheck.expect(True, "ε at δ", where, "")
        return
    certain = known.certain
    if certain is not None and runs.spectrum is not None:
        with mp.workdps(CERTAIN_DIGITS):
            certain = runs.spectrum.delta(place * (1 + sign * _NARROW))
        if certain[1] <= wanted if above else certain[0] >= wanted:
            recheck.expect(True, "δ by Fourier transforms", where, "")
            return
    recheck.found.unknown(where, _unsaid(f"δ({shown})", known))


def _check_solved(
    recheck: Recheck,
    account: CertifiedAccount,
    solved: Solution,
    judged: DeltaRow | None,
    where: str,
) -> None:
    """Check the value that was sought, and that the one beside it does not keep the budget."""
    if account.budget is None or judged is None:
        raise NotAReportError("a value was sought, and there is no budget")
    recheck.found.take(PLAN)
    name, best, beside = solved.parameter, solved.value, solved.failing
    if not (best.is_finite() and beside.is_finite() and best > 0 and beside > 0):
        raise NotAReportError(f"solved: {best} and {beside} are no values of {name}")
    if not _finite(solved.failing_delta):
        raise NotAReportError(f"solved.failing_delta: {solved.failing_delta} is no interval")
    number = _number(end(best))
    if name == "steps":
        given, step = mpf(account.compose), mpf(1)
    else:
        form = account.sample_rate if name == "q" else account.described.get(name)
        if form is None or isinstance(form, list):
            raise NotAReportError(f"solved.parameter = {name}, which the account does not have")
        given, step = value(form), mpf(10) ** (best.adjusted() - 3)
    kind = "values that were sought"
    message = f"solved.value is {best}, and the account is of {name} = {mp.nstr(given, 15)}"
    recheck.expect(bool(given == number), kind, where, message)
    message = f"the account of the value that was sought is {account.verdict}"
    recheck.expect(account.verdict is Verdict.WITHIN, kind, where, message)
    off = _number(end(beside)) - number
    off = -off if name in ("sigma", "scale") else off
    near = off == 1 if name == "steps" else 0 < off <= step * (1 + _LITTLE)
    message = f"solved.failing is {beside}, which is not next to {best} where the budget fails"
    recheck.expect(bool(near), kind, where, message)
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
    other = msgspec.structs.replace(account, **changed, stated=None, verdict=verdict)
    row = msgspec.structs.replace(judged, delta=interval)
    there = f"{where}, {name} = {beside}"
    again = Recheck(other, recheck.found, recheck.how, upper_ends=TAKEN)
    recheck.attempt(there, _check_row, again, other, row, verdict, there)

"""The recheck of certified accounts: δ of so many runs at each row's pair, by other arithmetic.

Runs of few joint losses are composed by brute force, Gaussian runs have their closed form, and all
others are looked at by a contour integral over the moments of one run's loss.  An ε is checked by
δ at both ends of its interval.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.accounts import Composition
from dpaudit.recheck.agreement import end, well_formed
from dpaudit.recheck.continuous import ContinuousNoise, Gaussian
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.inversion import delta_of_runs
from dpaudit.recheck.numbers import fraction, value
from dpaudit.recheck.subject import Recheck
from dpaudit.results import Verdict
from dpaudit.results.accounts import EpsilonRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.subject import How
    from dpaudit.results.accounts import CertifiedAccount, DeltaRow

__all__ = ["check_certified"]

TAKEN = "that no other pair exceeds the upper ends, and the bounds for adaptive runs"
HOW = "how it was computed: by which method, how narrow it was asked for, whether it ended early"
_DIGITS = 25
_SLACK = mpf(10) ** -7
"""How far the second arithmetic may be off, in proportion."""
PLAN = "that the parameter beside the one that was sought for a budget does not keep it"
_CELLS = 8
_REACH = 12


def check_certified(account: CertifiedAccount, found: Findings, how: How) -> None:
    """Recheck a certified account and note in ``found`` what agrees and what does not."""
    recheck = Recheck(account, found, how, upper_ends=TAKEN)
    recheck.head()
    found.take(HOW)
    if account.solved is not None:
        found.take(PLAN)
    ((_, where),) = recheck.sizes_at([account])
    if account.compose < 1:
        raise NotAReportError(f"compose = {account.compose}: must be at least 1")
    if not account.rows:
        raise NotAReportError("an account has no rows")
    _check_verdict(recheck, account, where)
    for row in account.rows:
        interval = row.epsilon if isinstance(row, EpsilonRow) else row.delta
        message = f"{interval} is no interval"
        recheck.expect(well_formed(interval, None), "intervals", where, message)
        bound, lower = row.adaptive_upper, interval.lower
        message = "the bound for adaptive runs is below what runs on the same data reach"
        recheck.expect(bound is None or bound >= lower, "order of bounds", where, message)
    if recheck.coverage(account.n, None, account.pairs, where):
        for row in account.rows:
            recheck.attempt(where, _check_row, recheck, account, row, where)


def _check_verdict(recheck: Recheck, account: CertifiedAccount, where: str) -> None:
    if account.budget is None:
        recheck.expect(account.verdict is None, "verdicts", where, "there is no budget")
        return
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
        low, high = end(row.delta.lower), end(row.delta.upper)
        wanted = value(account.budget.delta)
        if high is not None and fraction(high) <= wanted:
            expected = Verdict.WITHIN
        elif low is not None and fraction(low) > wanted:
            expected = Verdict.EXCEEDS
        else:
            expected = Verdict.UNDECIDED
    message = f"the interval and the budget make it {expected.value}"
    recheck.expect(account.verdict is expected, "verdicts", where, message)


def _check_row(
    recheck: Recheck, account: CertifiedAccount, row: EpsilonRow | DeltaRow, where: str
) -> None:
    delta = _delta(recheck, account, row, where)
    if delta is None:
        return
    with mp.workdps(_DIGITS):
        if not isinstance(row, EpsilonRow):
            at = delta(value(row.epsilon))
            low, high = end(row.delta.lower), end(row.delta.upper)
            assert low is not None
            assert high is not None
            holds = fraction(low) * (1 - _SLACK) <= at <= fraction(high) * (1 + _SLACK)
            holds = holds or abs(at) < mpf(10) ** -20 > fraction(low)
            message = f"δ({row.epsilon}) is {mp.nstr(at, 12)} there, not in {row.delta}"
            recheck.expect(bool(holds), "δ", where, message)
            return
        wanted = value(row.delta)
        for bound, above in ((row.epsilon.lower, False), (row.epsilon.upper, True)):
            place = end(bound)
            if place is None or (place == 0 and not above):
                continue
            at = delta(fraction(place))
            holds = at <= wanted * (1 + _SLACK) if above else at >= wanted * (1 - _SLACK)
            message = f"δ({bound}) is {mp.nstr(at, 12)} there, for δ = {row.delta}"
            recheck.expect(bool(holds), "ε at δ", where, message)


def _delta(
    recheck: Recheck, account: CertifiedAccount, row: EpsilonRow | DeltaRow, where: str
) -> Callable[[mpf], mpf] | None:
    """Return δ(ε) of the runs at the pair of a row, by whichever way there is."""
    definition, runs = recheck.defined, account.compose
    if row.direction is not None:
        if account.sample_rate is None or not isinstance(definition, ContinuousNoise):
            raise NotAReportError("a row has a direction, and nothing is sampled")
        rate = value(account.sample_rate)
        if not 0 < rate < 1:
            raise NotAReportError(f"sample_rate = {account.sample_rate}: must be within (0, 1)")
        moment = _sampled(definition, rate, remove=row.direction == "remove")
        return lambda epsilon: delta_of_runs(moment, runs, epsilon)
    pair = recheck.pair((row.x, row.y), account.n, where)
    if pair is None:
        return None
    x, y = pair
    if runs == 1:
        return lambda epsilon: definition.delta(x, y, epsilon)
    if isinstance(definition, Gaussian):
        return lambda epsilon: definition.delta_of_runs(abs(x[0] - y[0]), runs, epsilon)
    if isinstance(definition, ContinuousNoise):
        distance = [2 * definition.largest_loss(x, y)]
        return lambda epsilon: delta_of_runs(definition.moment, runs, epsilon, distances=distance)
    masses = definition.masses(x, y)
    try:
        return Composition(masses, runs, mp.dps - 30).delta
    except UnknownDefinitionError:
        lacking = [p for p, q in masses if q == 0 < p]
        if lacking:
            raise
        both = [(p, mp.log(p / q)) for p, q in masses if p > 0]

        def moment(z: Any) -> Any:
            return mp.fsum(p * mp.exp(z * loss) for p, loss in both)

        losses = sorted(loss for _, loss in both)
        apart = [b - a for a, b in pairwise(losses) if b - a > mpf(10) ** -9]
        return lambda epsilon: delta_of_runs(moment, runs, epsilon, distances=apart)


def _sampled(definition: ContinuousNoise, rate: mpf, *, remove: bool) -> Callable[[Any], Any]:
    """Return E e^(zL) of one subsampled run, by the trapezoidal rule over the output."""
    if not isinstance(definition, Gaussian):
        raise UnknownDefinitionError("sampled runs are computed again for Gaussian noise alone")
    sigma = definition.number("sigma")

    @lru_cache
    def table(reach: int) -> list[tuple[mpf, mpf]]:
        first = -int(mp.ceil(_REACH * sigma)) * _CELLS
        step, found = sigma / _CELLS, []
        last = int(mp.ceil((reach + 2) / step)) + _REACH * _CELLS
        for place in range(int(first / sigma), last + 1):
            x = place * step
            weight = mp.npdf(x, 0, sigma) * step
            found.append((weight, mp.log1p(rate * mp.expm1((2 * x - 1) / (2 * sigma**2)))))
        return found

    def moment(z: Any) -> Any:
        power = z + 1 if remove else -z
        reach = max(0, int(mp.ceil(mp.re(power)))) if remove else 0
        if reach > 4000:
            return mp.inf
        return mp.fsum(w * mp.exp(power * loss) for w, loss in table(reach))

    return moment

"""The recheck of accounts: δ(ε) of so many runs at its pair, and how the estimates stand to it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.compositions import Composition, standing
from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.intervals import contains, show, well_formed
from dpaudit.recheck.numbers import decimal, value
from dpaudit.recheck.reports import Interval
from dpaudit.recheck.subject import SLACK_DIGITS, Recheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dpaudit.recheck.further_reports import Account, Estimate, Row
    from dpaudit.recheck.known import OwnMechanism
    from dpaudit.recheck.verification import Findings

__all__ = ["check_account"]

ESTIMATES = "what dp-accounting estimates, and the bounds for adaptive composition"
LARGEST = (
    "that no pair exceeds the upper ends of δ, and the realised ε of the runs "
    "(--all-pairs computes them again)"
)
_MOST_RUNS = 10_000


def check_account(
    account: Account,
    own: Sequence[OwnMechanism],
    found: Findings,
    *,
    all_pairs: bool = False,
    tick: Callable[[str], None] = lambda what: None,
) -> None:
    """Recheck an account and note in ``found`` what agrees and what does not."""
    recheck = Recheck(account, own, found, all_pairs=all_pairs, tick=tick, upper_ends=LARGEST)
    found.take(ESTIMATES)
    recheck.head()
    if not 1 <= account.compose <= _MOST_RUNS:
        raise NotAReportError(f"compose = {account.compose}: must be from 1 to {_MOST_RUNS}")
    where = f"{recheck.name} at n = {account.n}"
    tick(where)
    for row in account.rows:
        _check_estimates(recheck, row, where)
    below = sum(row.below for row in account.rows)
    message = f"{below} rows have an estimate below the interval, not {account.below}"
    found.expect(below == account.below, "numbers of rows below", where, message)
    _check_width(recheck, account.epsilon, where)
    recheck.bounds(where)
    if recheck.coverage(account.n, None, account.pairs, where):
        try:
            _Runs(recheck, account).check(where)
        except UnknownDefinitionError as error:
            found.unknown(where, str(error))


def _check_width(recheck: Recheck, epsilon: Interval, where: str) -> None:
    """Check that the realised ε of k runs is as narrow as k times that of one run may be."""
    runs = recheck.subject.compose
    lower, upper = decimal(epsilon.lower), decimal(epsilon.upper)
    narrow = well_formed(epsilon, None if upper is not None else recheck.subject.digits)
    if lower is not None and upper is not None and not recheck.from_bounds():
        width = max(Fraction(runs), upper) / 10**recheck.subject.digits
        narrow = narrow and upper - lower <= width
    message = f"{show(epsilon)} is no interval of the width that is promised"
    recheck.found.expect(narrow, "intervals", where, message)


def _check_estimates(recheck: Recheck, row: Row, where: str) -> None:
    """Check how the estimates stand to the interval, exactly, and what is said of the bound."""
    found, at = recheck.found, f"{where}, ε = {row.delta.epsilon}"
    lower, upper = decimal(row.delta.lower), decimal(row.delta.upper)
    bound = decimal(row.adaptive_upper)
    if lower is None or upper is None or bound is None:
        raise NotAReportError("a δ is infinite")
    below = False
    for name in ("pessimistic", "optimistic", "dominating"):
        shown: Estimate = getattr(row, name)
        stands, off = standing(Fraction(_float(shown.estimate)), lower, upper)
        below = below or (stands == "below" and name != "optimistic")
        difference = f"{Decimal(off.numerator) / Decimal(off.denominator):+.3e}" if off else "0"
        agrees = (shown.standing, shown.difference) == (stands, difference)
        message = f"the {name} estimate is {stands} by {difference}"
        found.expect(agrees, "standings of estimates", at, message)
    message = "the row does not say whether an estimate is below the interval"
    found.expect(row.below is below, "standings of estimates", at, message)
    estimate = Decimal(_float(row.pessimistic.estimate))
    ratio = f"{estimate / Decimal(row.delta.lower):.9g}" if lower else None
    found.expect(row.ratio == ratio, "ratios", at, f"the ratio is {ratio}, not {row.ratio}")
    message = "the bound for adaptive composition is below that of runs on the same data"
    found.expect(bound >= lower, "order of bounds", at, message)
    narrow = well_formed(row.delta.interval, recheck.subject.digits) or recheck.from_bounds()
    message = f"{show(row.delta.interval)} is no interval of the width that is promised"
    found.expect(narrow, "intervals", at, message)


def _float(shown: str) -> float:
    """Return a float of a report, in its shortest form, that is finite."""
    try:
        estimate = float(shown)
    except ValueError:
        estimate = inf
    if not isfinite(estimate) or repr(estimate) != shown:
        raise NotAReportError(f"{shown[:40]!r} is no float")
    return estimate


class _Runs:
    """δ(ε) of the runs by pairs, composed once for each."""

    def __init__(self, recheck: Recheck, account: Account) -> None:
        self.recheck, self.account = recheck, account
        self.composed: dict[tuple[Any, Any], Composition] = {}

    def check(self, where: str) -> None:
        """Check the rows at their pairs, and over all pairs if that is asked for."""
        for row in self.account.rows:
            self._check_row(row, where)
        if self.recheck.all_pairs:
            self._check_all_pairs(where)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        definition, subject = self.recheck.definition, self.recheck.subject
        assert definition is not None
        for pair in definition.pairs(self.account.n, self.recheck.relation, subject.at):
            yield from (pair, pair[::-1])

    def loss(self, pair: tuple[Any, Any]) -> mpf:
        """Return the largest loss of the runs."""
        assert self.recheck.definition is not None
        return self.account.compose * self.recheck.definition.largest_loss(*pair)

    def delta(self, pair: tuple[Any, Any], epsilon: mpf) -> mpf:
        """Return δ(ε) of the runs."""
        definition = self.recheck.definition
        assert definition is not None
        if self.account.compose == 1:
            return definition.delta(*pair, epsilon)
        if pair not in self.composed:
            masses, digits = definition.masses(*pair), self.recheck.subject.digits + 15
            self.composed[pair] = Composition(masses, self.account.compose, digits)
        return self.composed[pair].delta(epsilon)

    def _check_row(self, row: Row, where: str) -> None:
        recheck, point = self.recheck, row.delta
        if point.x is None:
            upper = decimal(point.upper)
            zero = upper is not None and upper <= Fraction(1, 10**recheck.subject.digits)
            recheck.found.expect(zero, "δ", where, "δ has no pair, and is not 0")
            return
        pair = recheck.pair((point.x, point.y), self.account.n, where)
        if pair is None:
            return
        with mp.workdps(recheck.dps):
            loss, epsilon = self.loss(pair), recheck.attained(self.account.epsilon)
            upper_end = Interval("0", epsilon.upper)
            slack = mpf(10) ** -(recheck.subject.digits + SLACK_DIGITS)
            reached = mp.isinf(loss) and epsilon.upper == "inf"
            reached = reached or contains(upper_end, loss, slack * max(1, loss))
            message = f"{self.account.compose} times the loss at a pair is {mp.nstr(loss, 20)}"
            recheck.found.expect(reached, "losses at pairs", where, message)
            delta = self.delta(pair, value(point.epsilon))
            interval = recheck.attained(point.interval)
            message = f"δ({point.epsilon}) is {mp.nstr(delta, 20)} there, not in {show(interval)}"
            recheck.found.expect(recheck.inside(delta, interval), "δ", where, message)

    def _check_all_pairs(self, where: str) -> None:
        recheck, account = self.recheck, self.account
        with mp.workdps(recheck.dps):
            largest = max((self.loss(pair) for pair in self.pairs()), default=mpf(0))
            message = f"over all pairs ε is {mp.nstr(largest, 20)}, not in {show(account.epsilon)}"
            inside = recheck.inside(largest, account.epsilon)
            recheck.found.expect(inside, "realised ε over all pairs", where, message)
            for row in account.rows:
                epsilon, interval = value(row.delta.epsilon), row.delta.interval
                delta = max((self.delta(pair, epsilon) for pair in self.pairs()), default=mpf(0))
                message = f"over all pairs δ({row.delta.epsilon}) is {mp.nstr(delta, 20)}"
                inside = recheck.inside(delta, interval)
                recheck.found.expect(inside, "δ over all pairs", where, message)

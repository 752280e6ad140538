"""The recheck of accounts: δ(ε) of so many runs at its pair, and how the estimates stand to it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import comb, inf, isfinite
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.arithmetic import DECIMALS, formatted
from dpaudit.recheck.agreement import end, well_formed
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.numbers import decimal, shown_digits, value
from dpaudit.recheck.subject import Recheck, has_pair
from dpaudit.results import AccountDocument, Enclosure, EstimateDocument, RowDocument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.recheck.options import RecheckOptions


__all__ = ["TOO_MANY", "Composition", "check_account", "together"]

ESTIMATES = "the estimates of dp-accounting, and the bounds for adaptive composition"
LARGEST = (
    "that no pair exceeds the upper ends of δ, and the realised ε of the runs "
    "(--all-pairs computes them again)"
)
TOO_MANY = "there are too many joint losses to compute again"
_MOST_RUNS = 10_000
_MOST_LOSSES = 200_000
_KEPT = 8
_FEW_PAIRS = 16
_UNTOLD = 30
"""Losses that agree in all but so many of the digits in force are one."""

Mass = tuple[mpf, mpf]


def check_account(account: AccountDocument, findings: Findings, options: RecheckOptions) -> None:
    """Recheck an account and note in ``findings`` what agrees and what does not."""
    recheck = Recheck(account, findings, options, upper_ends=LARGEST)
    findings.take(ESTIMATES)
    recheck.head()
    if not 1 <= account.compose <= _MOST_RUNS:
        raise NotAReportError(f"compose = {account.compose}: must be from 1 to {_MOST_RUNS}")
    ((_, where),) = recheck.sizes_at([account])
    for row in account.rows:
        _check_estimates(recheck, row, where)
    if account.refused or not account.composed:
        findings.take(f"why {account.compose} runs were not composed exactly")
    below = sum(row.below for row in account.rows)
    message = f"{below} rows have an estimate below the interval, not {account.below}"
    recheck.expect(below == account.below, "numbers of rows below", where, message)
    _check_width(recheck, account.epsilon, where)
    recheck.bounds(where)
    if recheck.coverage(account.n, None, account.pairs, where):
        recheck.attempt(where, _Runs(recheck, account).check, where)


def _check_width(recheck: Recheck, epsilon: Enclosure, where: str) -> None:
    """Check that the realised ε of k runs is as narrow as k times that of one run may be."""
    runs = recheck.subject.compose
    lower, upper = end(epsilon.lower), end(epsilon.upper)
    narrow = well_formed(epsilon, None if upper is not None else recheck.subject.digits)
    if lower is not None and upper is not None and not recheck.from_bounds():
        width = max(Fraction(runs), upper) / 10**recheck.subject.digits
        narrow = narrow and upper - lower <= width
    message = f"{epsilon} is not an interval as narrow as the report promises"
    recheck.expect(narrow, "intervals", where, message)


def _check_estimates(recheck: Recheck, row: RowDocument, where: str) -> None:
    """Check how the estimates stand to the interval, exactly, and what is said of the bound."""
    at = f"{where}, ε = {row.delta.epsilon}"
    lower, upper = end(row.delta.lower), end(row.delta.upper)
    bound = None if row.adaptive_upper is None else decimal(row.adaptive_upper)
    composed: bool = recheck.subject.composed
    if lower is None or upper is None or (bound is None and row.adaptive_upper is not None):
        raise NotAReportError("a δ is infinite")
    below = False
    for name in ("pessimistic", "optimistic", "dominating"):
        estimate: EstimateDocument | None = getattr(row, name)
        if estimate is None:
            continue
        stands, off = standing(Fraction(_float(estimate.estimate)), lower, upper)
        # An optimistic estimate may lie below: it claims to be no upper bound.
        below = below or (stands == "below" and name != "optimistic")
        difference = (
            formatted(DECIMALS.divide(off.numerator, off.denominator), "+.3e") if off else "0"
        )
        agrees = (estimate.standing, estimate.difference) == (stands, difference)
        message = f"the {name} estimate is {stands} by {difference}"
        recheck.expect(agrees, "standings of estimates", at, message)
    message = "the row does not say whether an estimate is below the interval"
    recheck.expect(row.below is below, "standings of estimates", at, message)
    ratio = None
    if lower and composed and row.pessimistic is not None:
        pessimistic = Decimal.from_float(_float(row.pessimistic.estimate))
        ratio = formatted(DECIMALS.divide(pessimistic, row.delta.lower), ".9g")
    recheck.expect(row.ratio == ratio, "ratios", at, f"the ratio is {ratio}, not {row.ratio}")
    message = "the bound for adaptive composition is below that of runs on the same data"
    recheck.expect(bound is None or bound >= lower, "order of bounds", at, message)
    recheck.narrow(row.delta, at, required=composed and not recheck.from_bounds())


def _float(text: str) -> float:
    """Return a float of a report, in its shortest form, that is finite."""
    try:
        estimate = float(text)
    except ValueError:
        estimate = inf
    if not isfinite(estimate) or repr(estimate) != text:
        raise NotAReportError(f"{text[:40]!r} is no float")
    return estimate


class _Runs:
    """δ(ε) of the runs by pairs, composed once for each."""

    def __init__(self, recheck: Recheck, account: AccountDocument) -> None:
        self.recheck, self.account = recheck, account
        self.composed: dict[tuple[Any, Any, int], Composition] = {}
        self.runs = account.compose if account.composed else 1

    def check(self, where: str) -> None:
        """Check the rows at their pairs, and over all pairs if that is asked for."""
        for row in self.account.rows:
            self._check_row(row, where)
        if self.recheck.options.all_pairs:
            self._check_all_pairs(where)

    def loss(self, pair: tuple[Any, Any]) -> mpf:
        """Return the largest loss of the runs."""
        return self.account.compose * self.recheck.defined.largest_loss(*pair)

    def delta(self, pair: tuple[Any, Any], epsilon: mpf) -> mpf:
        """Return δ(ε) of the runs."""
        definition = self.recheck.defined
        if self.runs == 1:
            return definition.delta(*pair, epsilon)
        key = (*pair, mp.dps)
        if key not in self.composed:
            if len(self.composed) >= _KEPT:
                self.composed.clear()
            masses = definition.masses(*pair)
            self.composed[key] = Composition(masses, self.runs, mp.dps - _UNTOLD)
        return self.composed[key].delta(epsilon)

    def _check_row(self, row: RowDocument, where: str) -> None:
        recheck, point = self.recheck, row.delta
        if not has_pair(point):
            if self.account.composed:
                recheck.zero(point, where)
                for pair in self._pairs_for_zero(where):
                    self._check_at(row, pair, where)
            return
        witness = recheck.pair((point.x, point.y), self.account.n, where)
        if witness is not None:
            self._check_at(row, witness, where)

    def _pairs_for_zero(self, where: str) -> list[tuple[Any, Any]]:
        """Return pairs at which a δ without one has to be 0: those of other rows, else a few."""
        recheck, n = self.recheck, self.account.n
        points = {(str(row.delta.x), str(row.delta.y)): row.delta for row in self.account.rows}
        candidates = [recheck.pair((d.x, d.y), n, where) for d in points.values() if has_pair(d)]
        pairs = [pair for pair in candidates if pair is not None]
        if not pairs:
            pairs = list(recheck.both_ways(n))
            pairs = pairs[:: 1 + len(pairs) // _FEW_PAIRS]
        return pairs

    def _check_at(self, row: RowDocument, pair: tuple[Any, Any], where: str) -> None:
        """Check the loss of the runs, and their δ, at a pair."""
        recheck, point = self.recheck, row.delta
        highest = recheck.attained(self.account.epsilon).upper
        below = Enclosure(Decimal(0), highest)
        (loss,), (reached,) = recheck.agree(lambda: [self.loss(pair)], [below])
        reached = reached or (mp.isinf(loss) and highest.is_infinite())
        message = f"{self.account.compose} times the loss at a pair is {shown_digits(loss, 20)}"
        recheck.expect(reached, "losses at pairs", where, message)
        interval = recheck.attained(point)
        (delta,), (inside,) = recheck.agree(
            lambda: [self.delta(pair, value(point.epsilon))], [interval]
        )
        message = f"δ({point.epsilon}) is {shown_digits(delta, 20)} there, not in {interval}"
        recheck.expect(inside, "δ", where, message)

    def _check_all_pairs(self, where: str) -> None:
        recheck, account = self.recheck, self.account
        pairs = list(recheck.both_ways(account.n))

        def losses() -> list[mpf]:
            return [max(map(self.loss, pairs), default=mpf(0))]

        def deltas() -> list[mpf]:
            at = [value(row.delta.epsilon) for row in account.rows]
            largest = [mpf(0)] * len(at)
            for pair in pairs:
                there = [self.delta(pair, epsilon) for epsilon in at]
                largest = list(map(max, largest, there))
            return largest

        recheck.over_all_pairs("realised ε", losses, [account.epsilon], where)
        recheck.over_all_pairs("δ", deltas, [row.delta for row in account.rows], where)


class Composition:
    """The joint law of k runs under Pᵏ and Qᵏ, by classes of equal loss.

    The loss of k runs is the sum of their losses.  Where there are few multisets of k outcomes, all
    are gone through; else the joint law is built one run at a time, and sums that agree to many
    digits are one entry.  Merging two entries whose losses differ by h changes δ by less than h.
    """

    def __init__(self, masses: list[Mass], runs: int, digits: int) -> None:
        """Compose ``runs`` runs with ``masses``; losses that agree to ``digits`` digits are one.

        Raises ``UnknownDefinitionError`` where there are too many.
        """
        self._digits = digits
        finite = _merged([mass for mass in masses if min(mass) > 0], digits)
        # Rounding may lift the sum above 1.
        impossible = min(mp.fsum(p for p, q in masses if q == 0), mpf(1))
        # 1 − (1 − p)^k cancels for small p if it is written so.
        self.lacking = -mp.expm1(runs * mp.log1p(-impossible))
        self.masses: list[Mass]
        """Of each joint loss that is finite."""
        if comb(runs + max(len(finite), 1) - 1, runs) * max(len(finite), 1) <= _MOST_LOSSES:
            self.masses = list(_multisets(finite, runs))
        else:
            self.masses = self._step_by_step(finite, runs)

    def delta(self, epsilon: mpf) -> mpf:
        """Return Σ (Pᵏ − e^ε·Qᵏ)₊; what differs in no digit that is left is equal."""
        factor = mp.exp(epsilon)
        least = factor * (1 + mpf(10) ** -self._digits)
        inside = mp.fsum(p - factor * q for p, q in self.masses if p > least * q)
        return inside + self.lacking

    def _step_by_step(self, finite: list[Mass], runs: int) -> list[Mass]:
        joint, work = finite, 0
        for _ in range(runs - 1):
            work += len(joint) * len(finite)
            if work > _MOST_LOSSES:
                raise UnknownDefinitionError(TOO_MANY)
            joint = _merged([(p * a, q * b) for p, q in joint for a, b in finite], self._digits)
        return joint


def together(parts: list[Composition]) -> Composition:
    """Return the joint law of runs of different mechanisms.

    Raises ``UnknownDefinitionError`` where there are too many joint losses.
    """
    first, *others = parts
    for other in others:
        if len(first.masses) * len(other.masses) > _MOST_LOSSES:
            raise UnknownDefinitionError(TOO_MANY)
        first.masses = [(p * a, q * b) for p, q in first.masses for a, b in other.masses]
        first.lacking = 1 - (1 - first.lacking) * (1 - other.lacking)
    return first


def _merged(masses: list[Mass], digits: int) -> list[Mass]:
    """Return the masses by classes of a loss that is the same to so many digits."""
    unit, classes = mpf(10) ** digits, dict[int, Mass]()
    for p, q in masses:
        # Equal losses that were computed in two ways differ in their last digits.
        key = int(mp.nint(mp.log(p / q) * unit))
        a, b = classes.get(key, (mpf(0), mpf(0)))
        classes[key] = (a + p, b + q)
    return list(classes.values())


def _multisets(finite: list[Mass], runs: int) -> Iterator[Mass]:
    """Give the masses of every multiset of ``runs`` outcomes."""
    if not finite:
        return
    (p, q), *rest = finite
    if not rest:
        yield p**runs, q**runs
        return
    for count in range(runs + 1):
        ways = mpf(comb(runs, count))
        first = ways * p**count, ways * q**count
        for a, b in _multisets(rest, runs - count):
            yield first[0] * a, first[1] * b


def standing(estimate: Fraction, lower: Fraction, upper: Fraction) -> tuple[str, Fraction]:
    """Return where an estimate stands to [lower, upper], and how far above or below it is."""
    if estimate >= upper:
        return "above", estimate - upper
    return ("below", estimate - lower) if estimate < lower else ("within", Fraction(0))

"""The recheck of an audit: every size, its coverage, its witness, its δ and its verdict."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.known import definition_of
from dpaudit.recheck.numbers import decimal, fraction, value
from dpaudit.recheck.reports import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.reports import Audit, Delta, Size
    from dpaudit.recheck.verification import Findings

__all__ = [
    "SLACK_DIGITS",
    "SPARE_DIGITS",
    "Recheck",
    "at_same_value",
    "check_audit",
    "contains",
    "well_formed",
]

SPARE_DIGITS = 45
"""Decimals that a recheck computes with beyond those of the report."""
SLACK_DIGITS = 6
"""A value may miss an interval by 10^−(digits + this), a thousandth of its last printed digit."""
_MOST_DIGITS = 1000
_LARGEST_N = 1_000_000
_MOST_DATASETS = 5_000_000
DATA = "that the file of the data has these counts"
UPPER_ENDS = (
    "that no pair exceeds the upper ends of realised ε and δ (--all-pairs computes them again)"
)


class Recheck:
    """One mechanism of a report, with what it is checked against."""

    def __init__(
        self,
        subject: Any,
        own: Mapping[str, Definition],
        found: Findings,
        *,
        all_pairs: bool,
        tick: Callable[[str], None],
    ) -> None:
        """Find the definition; without one only what a report says of itself is checked."""
        self.subject = subject
        self.found = found
        self.all_pairs = all_pairs
        self.tick = tick
        self.name = str(subject.mechanism.get("name"))
        self.definition: Definition | None = None
        if not 1 <= subject.digits <= _MOST_DIGITS:
            raise NotAReportError(f"digits = {subject.digits}: must be from 1 to {_MOST_DIGITS}")
        self.dps = subject.digits + SPARE_DIGITS
        with mp.workdps(self.dps):
            try:
                self.definition = definition_of(subject.mechanism, own)
            except UnknownDefinitionError as error:
                found.unknown(self.name, str(error))
            else:
                self.dps += self.definition.digits_lost
        found.take(UPPER_ENDS) if not all_pairs else None

    def head(self) -> None:
        """Check what is stated, and the sizes."""
        with mp.workdps(self.dps):
            if self.definition is not None:
                stated, given = self.definition.stated(), self.subject.stated
                same = (stated is None) is (given is None)
                if stated is not None and given is not None:
                    same = at_same_value(value(given.epsilon), stated[0]) and at_same_value(
                        value(given.delta), stated[1]
                    )
                self.found.expect(same, "stated budgets", self.name, "the source states another")

    def sizes(self, finished: list[int]) -> None:
        """Check that no size occurs twice and that finished sizes are in order."""
        others = [*self.subject.missing, *(size.n for size in self.subject.undecided)]
        once = len({*finished, *others}) == len(finished) + len(others)
        self.found.expect(
            once and finished == sorted(finished),
            "lists of sizes",
            self.name,
            "a size occurs twice, or sizes are out of order",
        )

    def dataset(self, shown: Any, n: int, where: str) -> Any:
        """Return a dataset, or None with a disagreement noted."""
        assert self.definition is not None
        try:
            return self.definition.dataset(shown, n)
        except (ValueError, TypeError) as error:
            self.found.expect(False, "datasets", where, str(error))
            return None

    def pair(self, shown: tuple[Any, Any], n: int, where: str) -> tuple[Any, Any] | None:
        """Return a pair of neighbours, or None with a disagreement noted."""
        assert self.definition is not None
        x, y = (self.dataset(one, n, where) for one in shown)
        if x is None or y is None:
            return None
        near = self.definition.adjacent(x, y, n, self.subject.adjacency)
        if near and self.subject.at is not None:
            near = (x, y) in self.around(n) or (y, x) in self.around(n)
        self.found.expect(near, "neighbours", where, f"{shown[0]} and {shown[1]} are no such pair")
        return (x, y) if near else None

    def around(self, n: int) -> set[tuple[Any, Any]]:
        """Return the pairs that contain the dataset asked for."""
        assert self.definition is not None
        return set(self.definition.pairs(n, self.subject.adjacency, self.subject.at))

    def coverage(self, n: int, datasets: int | None, pairs: int, where: str) -> bool:
        """Check the numbers of datasets and pairs; tell whether there is a definition to go on."""
        if self.definition is None:
            return False
        if not 1 <= n <= _LARGEST_N:
            raise NotAReportError(f"n = {n}: must be from 1 to {_LARGEST_N}")
        try:
            expected = self.definition.counts(n, self.subject.adjacency, self.subject.at)
        except UnknownDefinitionError as error:
            self.found.unknown(where, str(error))
            return False
        except ValueError as error:
            raise NotAReportError(f"at = {self.subject.at}: {error}") from None
        if datasets is not None:
            message = f"there are {expected[0]} datasets, not {datasets}"
            self.found.expect(datasets == expected[0], "numbers of datasets", where, message)
        message = f"there are {expected[1]} pairs, not {pairs}"
        self.found.expect(pairs == expected[1], "numbers of pairs", where, message)
        if expected[0] > _MOST_DATASETS:
            self.found.unknown(where, f"{expected[0]} datasets are too many to go through again")
            return False
        return True

    def from_bounds(self) -> bool:
        """Tell whether upper ends come of a bound that has no second definition."""
        return self.definition is not None and bool(self.definition.density_bound)

    def delta(self, point: Delta, n: int, where: str, other: tuple[Any, Any] | None) -> None:
        """Check δ(ε) at its pair; where it is 0 at every pair, at ``other``."""
        assert self.definition is not None
        shown = other if point.x is None else (point.x, point.y)
        pair = None if shown is None else self.pair(shown, n, where)
        if pair is None:
            return
        with mp.workdps(self.dps):
            delta = self.definition.delta(*pair, value(point.epsilon))
        if 0 < delta < mpf(10) ** -10:  # a small one is wanted to as many digits as a large one
            with mp.workdps(self.dps + 2 * int(-mp.log10(delta))):
                delta = self.definition.delta(*pair, value(point.epsilon))
        interval = point.interval
        if self.from_bounds() and interval.exact is None:
            interval = Interval("0", interval.upper)
        message = f"δ({point.epsilon}) is {mp.nstr(delta, 20)} there, not in {show(interval)}"
        self.found.expect(self.inside(delta, interval, relative=True), "δ", where, message)
        if point.x is None:
            upper = decimal(interval.upper)
            zero = upper is not None and upper <= Fraction(1, 10**self.subject.digits)
            self.found.expect(zero, "δ", where, "δ has no pair, and is not 0")

    def inside(self, computed: mpf, interval: Interval, *, relative: bool = False) -> bool:
        """Tell whether a value lies in an interval, and is its closed form where there is one."""
        with mp.workdps(self.dps):
            slack = mpf(10) ** -(self.subject.digits + SLACK_DIGITS)
            if mp.isinf(computed):
                return interval.lower == "inf" and interval.upper == "inf"
            if relative or computed > 1:
                slack = slack * computed + mpf(10) ** -(self.dps - 5)
            inside = contains(interval, computed, slack)
            if interval.exact is not None:
                inside = inside and abs(value(interval.exact) - computed) <= slack
            return inside


def check_audit(
    audit: Audit,
    own: Mapping[str, Definition],
    found: Findings,
    *,
    all_pairs: bool = False,
    tick: Callable[[str], None] = lambda what: None,
) -> None:
    """Recheck an audit and note in ``found`` what agrees and what does not."""
    recheck = Recheck(audit, own, found, all_pairs=all_pairs, tick=tick)
    recheck.head()
    recheck.sizes([size.n for size in audit.results])
    if audit.data is not None:
        found.take(DATA)
        data = audit.data
        given = ",".join(map(str, data.counts))
        agrees = sum(data.counts) == data.n and len(data.counts) == len(data.categories)
        agrees = agrees and audit.at in (None, given)
        found.expect(agrees, "counts of data", recheck.name, "the counts are not those of the data")
    for size in audit.results:
        where = f"{recheck.name} at n = {size.n}"
        tick(where)
        _check_shape(recheck, size, where)
        exceeds = False
        if recheck.coverage(size.n, size.datasets, size.pairs, where):
            try:
                exceeds = _check_findings(recheck, size, where)
            except UnknownDefinitionError as error:
                found.unknown(where, str(error))
        if recheck.definition is not None and recheck.from_bounds():
            found.unknown(where, recheck.definition.density_bound)
        _check_verdict(recheck, size, where, exceeds=exceeds)
    worst = {size.verdict for size in audit.results}
    if audit.missing or audit.undecided:
        worst.add("undecided")
    expected = next((v for v in ("exceeds", "undecided", "within") if v in worst), "undecided")
    message = f"the sizes make it {expected}, not {audit.verdict}"
    found.expect(audit.verdict == expected, "verdicts", recheck.name, message)


def _check_shape(recheck: Recheck, size: Size, where: str) -> None:
    """Check that intervals are intervals, as narrow as the report says."""
    found = [size.epsilon, *(point.interval for point in (size.delta, *size.curve))]
    decided = size.verdict != "undecided"
    narrow = decided and not recheck.from_bounds()
    for interval, close in ((size.witness.loss, decided), *((one, narrow) for one in found)):
        recheck.found.expect(
            well_formed(interval, recheck.subject.digits if close else None),
            "intervals",
            where,
            f"{show(interval)} is no interval of the width that is promised",
        )
    covered = size.pairs_covered == size.pairs
    recheck.found.expect(
        covered or size.verdict == "undecided",
        "coverage",
        where,
        f"{size.pairs_covered} of {size.pairs} pairs were covered, which decides nothing",
    )
    with mp.workdps(recheck.dps):
        same = at_same_value(value(size.delta.epsilon), value(recheck.subject.budget.epsilon))
    recheck.found.expect(same, "budgets", where, "δ is not given at the ε of the budget")


def _check_findings(recheck: Recheck, size: Size, where: str) -> bool:
    """Compute witness, δ and outputs again; tell whether the budget is exceeded at the witness."""
    definition, found = recheck.definition, recheck.found
    assert definition is not None
    outputs = definition.output_count(size.n)
    told = "infinite" if outputs is None else outputs
    found.expect(
        size.outputs == told, "numbers of outputs", where, f"there are {told}, not {size.outputs}"
    )
    witness = size.witness
    pair = recheck.pair((witness.x, witness.y), size.n, where)
    exceeds = False
    if pair is not None:
        with mp.workdps(recheck.dps):
            try:
                output = definition.output(witness.output)
            except ValueError as error:
                found.expect(False, "outputs", where, str(error))
                return False
            p, q = definition.probabilities(*pair, output)
            loss = mp.nan if p == 0 else mp.inf if q == 0 else mp.log(p / q)
            shown = mp.nstr(loss, 20)
            inside = p > 0 and recheck.inside(loss, witness.loss)
            message = f"the loss is {shown}, not in {show(witness.loss)}"
            found.expect(inside, "losses at witnesses", where, message)
            message = f"the loss of the witness, {shown}, is not in {show(size.epsilon)}"
            whole = size.epsilon
            if recheck.from_bounds() and whole.exact is None:
                whole = Interval("0", whole.upper)
            inside = p > 0 and recheck.inside(loss, whole)
            found.expect(inside, "realised ε at witnesses", where, message)
            budget = recheck.subject.budget
            exceeds = p > 0 and value(budget.delta) == 0 and loss > value(budget.epsilon)
    for point in (size.delta, *size.curve):
        recheck.delta(point, size.n, where, (witness.x, witness.y))
    if recheck.all_pairs:
        _check_all_pairs(recheck, size, where)
    return bool(exceeds)


def _check_all_pairs(recheck: Recheck, size: Size, where: str) -> None:
    """Compute the largest loss and the largest δ over all pairs, both ways, once more."""
    definition = recheck.definition
    assert definition is not None
    points = (size.delta, *size.curve)
    with mp.workdps(recheck.dps):
        largest, deltas = mp.ninf, [mpf(0) for _ in points]
        epsilons = [value(point.epsilon) for point in points]
        for pair in definition.pairs(size.n, recheck.subject.adjacency, recheck.subject.at):
            for x, y in (pair, pair[::-1]):
                largest = max(largest, definition.largest_loss(x, y))
                for index, epsilon in enumerate(epsilons):
                    deltas[index] = max(deltas[index], definition.delta(x, y, epsilon))
        message = f"over all pairs ε is {mp.nstr(largest, 20)}, not in {show(size.epsilon)}"
        inside = recheck.inside(largest, size.epsilon)
        recheck.found.expect(inside, "realised ε over all pairs", where, message)
        for point, delta in zip(points, deltas, strict=True):
            inside = recheck.inside(delta, point.interval, relative=True)
            message = f"over all pairs δ({point.epsilon}) is {mp.nstr(delta, 20)}"
            recheck.found.expect(inside, "δ over all pairs", where, message)


# -- verdicts --------------------------------------------------------------------------------------


def _check_verdict(recheck: Recheck, size: Size, where: str, *, exceeds: bool) -> None:
    with mp.workdps(recheck.dps):
        expected = _verdict(size, recheck.subject.budget.epsilon, recheck.subject.budget.delta)
    if size.pairs_covered != size.pairs and expected == "within":
        expected = "undecided"
    if expected == "undecided" and size.verdict == "exceeds" and exceeds:
        expected = "exceeds"
    if expected == "undecided" and size.verdict == "within":
        recheck.found.unknown(where, "the printed digits do not tell the budget and ε apart")
        return
    recheck.found.expect(
        size.verdict == expected,
        "verdicts",
        where,
        f"the intervals and the budget make it {expected}, not {size.verdict}",
    )


def _verdict(size: Size, epsilon: str, delta: str) -> str:
    pure = _compare(size.epsilon, value(epsilon))
    if pure in ("below", "equal"):
        return "within"
    found = pure if value(delta) == 0 else _compare(size.delta.interval, value(delta))
    return {"above": "exceeds", "unknown": "undecided"}.get(found, "within")


def _compare(interval: Interval, bound: mpf) -> str:
    if interval.exact is not None:
        difference = value(interval.exact) - bound
        if at_same_value(difference + bound, bound):
            return "equal"
        return "below" if difference < 0 else "above"
    lower, upper = decimal(interval.lower), decimal(interval.upper)
    if upper is not None and fraction(upper) <= bound:
        return "below"
    return "above" if lower is None or fraction(lower) > bound else "unknown"


# -- intervals -------------------------------------------------------------------------------------


def at_same_value(left: mpf, right: mpf) -> bool:
    """Tell whether two closed forms agree to all digits but the last ten."""
    return bool(abs(left - right) <= mpf(10) ** (10 - mp.dps) * max(1, abs(right)))


def well_formed(interval: Interval, digits: int | None) -> bool:
    """Tell whether the ends are in order and, if ``digits`` is given, close enough.

    Above 1 the digits count from the first one: no precision is spent on the rest of 10^400.
    """
    lower, upper = decimal(interval.lower), decimal(interval.upper)
    if lower is None or upper is None:
        return upper is None and (lower is None or digits is None)
    width = max(Fraction(1), upper) / 10 ** (digits or 0)
    return 0 <= lower <= upper and (digits is None or upper - lower <= width)


def contains(interval: Interval, computed: mpf, slack: mpf) -> bool:
    """Tell whether a finite value lies in the interval, or no further outside than ``slack``."""
    lower, upper = decimal(interval.lower), decimal(interval.upper)
    above = lower is not None and fraction(lower) - slack <= computed
    return bool(above and (upper is None or computed <= fraction(upper) + slack))


def show(interval: Interval) -> str:
    """Return an interval as text."""
    if interval.lower == interval.upper:
        return interval.lower
    return f"[{interval.lower}, {interval.upper}]"

"""The recheck of an audit: every size, its coverage, its witness, its δ and its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.failures import UnknownDefinitionError
from dpaudit.recheck.intervals import compare, show, well_formed
from dpaudit.recheck.numbers import order, same_number, value
from dpaudit.recheck.subject import MESSAGES, SIDES, Recheck

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.recheck.known import OwnMechanism
    from dpaudit.recheck.reports import Audit, Data, Size
    from dpaudit.recheck.verification import Findings

__all__ = ["DATA", "check_audit", "check_data", "check_size"]

DATA = "that the file of the data has these counts"


def check_audit(
    audit: Audit,
    own: Sequence[OwnMechanism],
    found: Findings,
    *,
    all_pairs: bool = False,
    tick: Callable[[str], None] = lambda what: None,
) -> None:
    """Recheck an audit and note in ``found`` what agrees and what does not."""
    recheck = Recheck(audit, own, found, all_pairs=all_pairs, tick=tick)
    recheck.head()
    recheck.sizes([size.n for size in audit.results])
    recheck.questions([[point.epsilon for point in size.curve] for size in audit.results])
    check_data(recheck, audit.data)
    for size in audit.results:
        check_size(recheck, size, f"{recheck.name} at n = {size.n}")
    recheck.verdict(audit.verdict, [size.verdict for size in audit.results])


def check_data(recheck: Recheck, data: Data | None) -> None:
    """Check that the counts of a column of data are those that pairs were restricted to."""
    if data is None:
        return
    recheck.found.take(DATA)
    given = ",".join(map(str, data.counts))
    agrees = sum(data.counts) == data.n and len(data.counts) == len(data.categories)
    agrees = agrees and recheck.subject.at in (None, given)
    message = "the counts are not those of the data"
    recheck.found.expect(agrees, "counts of data", recheck.name, message)


def check_size(recheck: Recheck, size: Size, where: str) -> None:
    """Recheck the audit of one size."""
    recheck.tick(where)
    if size.reason:
        recheck.found.take(MESSAGES)
    _check_shape(recheck, size, where)
    sides = _Sides(None, None)
    if recheck.coverage(size.n, size.datasets, size.pairs, where):
        try:
            sides = _check_findings(recheck, size, where)
        except UnknownDefinitionError as error:
            recheck.found.unknown(where, str(error))
    recheck.bounds(where)
    _check_verdict(recheck, size, where, sides)


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
    same = same_number(size.delta.epsilon, recheck.subject.budget.epsilon)
    recheck.found.expect(same, "budgets", where, "δ is not given at the ε of the budget")


class _Sides(NamedTuple):
    """The sides of the budget's ε and δ that what was computed lies on; None where nothing was."""

    epsilon: int | None
    delta: int | None


def _check_findings(recheck: Recheck, size: Size, where: str) -> _Sides:
    """Compute witness, δ and outputs again; return how they stand to the budget."""
    definition, found = recheck.definition, recheck.found
    assert definition is not None
    outputs = definition.output_count(size.n)
    told = "infinite" if outputs is None else outputs
    found.expect(
        size.outputs == told, "numbers of outputs", where, f"there are {told}, not {size.outputs}"
    )
    witness = size.witness
    pair = recheck.pair((witness.x, witness.y), size.n, where)
    side = None
    if pair is not None:
        try:
            output = definition.output(witness.output)
        except ValueError as error:
            found.expect(False, "outputs", where, str(error))
            return _Sides(None, None)

        def loss_there() -> mpf:
            p, q = definition.probabilities(*pair, output)
            return mp.nan if p == 0 else mp.inf if q == 0 else mp.log(p / q)

        intervals = [witness.loss, recheck.attained(size.epsilon)]
        (loss, _), (at_witness, realised) = recheck.agree(lambda: [loss_there()] * 2, intervals)
        shown = mp.nstr(loss, 20)
        message = f"the loss is {shown}, not in {show(witness.loss)}"
        found.expect(at_witness, "losses at witnesses", where, message)
        message = f"the loss of the witness, {shown}, is not in {show(size.epsilon)}"
        found.expect(realised, "realised ε at witnesses", where, message)
        bound = recheck.subject.budget.epsilon
        told = compare(size.epsilon, bound)
        side = recheck.stands(told, size.verdict, loss, loss_there, bound)
    for point in (size.delta, *size.curve):
        recheck.delta(point, size.n, where, (witness.x, witness.y))
    if recheck.all_pairs:
        _check_all_pairs(recheck, size, where)
    return _Sides(side, _side_of_delta(recheck, size, where))


def _side_of_delta(recheck: Recheck, size: Size, where: str) -> int | None:
    """Return the side of the budget's δ that δ lies on at its pair, or at the witness."""
    definition, budget, point = recheck.definition, recheck.subject.budget, size.delta
    at = (size.witness.x, size.witness.y) if point.x is None else (point.x, point.y)
    if definition is None or order(budget.delta, "0") == 0:
        return None
    x, y = (recheck.dataset(shown, size.n, where) for shown in at)
    if x is None or y is None:
        return None

    def delta_there() -> mpf:
        return definition.delta(x, y, value(budget.epsilon))

    with mp.workdps(recheck.dps):
        there = delta_there()
    told = compare(point.interval, budget.delta)
    return recheck.stands(told, size.verdict, there, delta_there, budget.delta)


def _check_all_pairs(recheck: Recheck, size: Size, where: str) -> None:
    """Compute the largest loss and the largest δ over all pairs, both ways, once more."""
    definition = recheck.definition
    assert definition is not None
    points = (size.delta, *size.curve)

    def maxima() -> list[mpf]:
        largest, deltas = mp.ninf, [mpf(0) for _ in points]
        epsilons = [value(point.epsilon) for point in points]
        for pair in definition.pairs(size.n, recheck.relation, recheck.subject.at):
            for x, y in (pair, pair[::-1]):
                largest = max(largest, definition.largest_loss(x, y))
                for index, epsilon in enumerate(epsilons):
                    deltas[index] = max(deltas[index], definition.delta(x, y, epsilon))
        return [largest, *deltas]

    intervals = [size.epsilon, *(point.interval for point in points)]
    found, (inside, *others) = recheck.agree(maxima, intervals, again=False)
    message = f"over all pairs ε is {mp.nstr(found[0], 20)}, not in {show(size.epsilon)}"
    recheck.found.expect(inside, "realised ε over all pairs", where, message)
    for point, delta, inside in zip(points, found[1:], others, strict=True):
        message = f"over all pairs δ({point.epsilon}) is {mp.nstr(delta, 20)}"
        recheck.found.expect(inside, "δ over all pairs", where, message)


def _check_verdict(recheck: Recheck, size: Size, where: str, sides: _Sides) -> None:
    budget = recheck.subject.budget
    expected = _verdict(size, budget.epsilon, budget.delta)
    for symbol, interval, bound, side in (
        ("ε", size.epsilon, budget.epsilon, sides.epsilon),
        ("δ", size.delta.interval, budget.delta, sides.delta),
    ):
        # The sides are of the numbers themselves: near a budget, an interval may say anything.
        if side is not None and side not in SIDES.get(compare(interval, bound), (side,)):
            where_it_is = {1: "above", 0: "not told from", -1: "below"}[side]
            message = f"{symbol} is {where_it_is} its budget {bound}, whatever the interval says"
            recheck.found.expect(False, "verdicts", where, message)
    if size.pairs_covered != size.pairs and expected == "within":
        expected = "undecided"
    at_witness = sides.epsilon if sides.delta is None else sides.delta
    untold = size.verdict == "within" or (size.verdict == "exceeds" and at_witness == 1)
    if expected == "undecided" and untold:
        recheck.found.unknown(where, "the printed digits do not tell the budget and ε apart")
        return
    recheck.found.expect(
        size.verdict == expected,
        "verdicts",
        where,
        f"the intervals and the budget make it {expected}, not {size.verdict}",
    )


def _verdict(size: Size, epsilon: str, delta: str) -> str:
    """Return what ε or δ decides: the loss is at most ε exactly if δ(ε) is 0."""
    pure = compare(size.epsilon, epsilon)
    if pure in ("below", "at most", "equal"):
        return "within"
    found = pure
    if pure == "unknown" or value(delta) != 0:
        found = compare(size.delta.interval, delta)
    return {"above": "exceeds", "unknown": "undecided"}.get(found, "within")

"""The recheck of an audit: every size, its coverage, its witness, its δ and its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit.recheck.numbers import at_same_value, compare, value
from dpaudit.recheck.subject import Recheck
from dpaudit.results import Verdict

if TYPE_CHECKING:
    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.subject import How
    from dpaudit.results import Audit, SizeResult

__all__ = ["check_audit", "check_size"]


def check_audit(audit: Audit, found: Findings, how: How) -> None:
    """Recheck an audit and note in ``found`` what agrees and what does not."""
    recheck = Recheck(audit, found, how)
    recheck.head()
    recheck.sizes(audit.undecided)
    recheck.questions([[str(point.epsilon) for point in size.curve] for size in audit.results])
    for size, where in recheck.sizes_at(audit.results):
        check_size(recheck, size, where)
    recheck.verdict(audit.undecided)


def check_size(recheck: Recheck, size: SizeResult, where: str) -> None:
    """Recheck the audit of one size."""
    decided = size.verdict is not Verdict.UNDECIDED
    recheck.narrow(size.witness.loss, where, wanted=decided)
    for interval in (size.epsilon, size.delta, *size.curve):
        recheck.narrow(interval, where, wanted=decided and not recheck.from_bounds())
    recheck.covered(size, where)
    budget = recheck.subject.budget
    with mp.workdps(recheck.dps):
        same = at_same_value(value(size.delta.epsilon), value(budget.epsilon))
    recheck.expect(same, "budgets", where, "δ is not given at the ε of the budget")
    losses: list[mpf] = []
    if recheck.coverage(size.n, size.datasets, size.pairs, where):
        recheck.attempt(where, _check_findings, recheck, size, where, losses)
    recheck.bounds(where)
    with mp.workdps(recheck.dps):
        side = _side(size, recheck)
        pure = value(budget.delta) == 0
        if side == "unknown" and pure and any(loss > value(budget.epsilon) for loss in losses):
            side = "above" if size.verdict is Verdict.EXCEEDS else side
    recheck.judge(size, side, where, doubted=(Verdict.WITHIN,))


def _check_findings(recheck: Recheck, size: SizeResult, where: str, losses: list[mpf]) -> None:
    """Compute witness, δ and outputs again; add the loss of the witness to ``losses``."""
    definition, witness = recheck.definition, size.witness
    assert definition is not None
    recheck.outputs(size, where)
    pair = recheck.pair((witness.x, witness.y), size.n, where)
    if pair is not None:
        try:
            output = definition.output(witness.output)
        except ValueError as error:
            recheck.expect(False, "outputs", where, str(error))
            return
        p, q = definition.probabilities(*pair, output)
        loss = mp.nan if p == 0 else mp.inf if q == 0 else mp.log(p / q)
        shown = mp.nstr(loss, 20)
        inside = p > 0 and recheck.inside(loss, witness.loss)
        message = f"the loss is {shown}, not in {witness.loss}"
        recheck.expect(inside, "losses at witnesses", where, message)
        inside = p > 0 and recheck.inside(loss, recheck.attained(size.epsilon))
        message = f"the loss of the witness, {shown}, is not in {size.epsilon}"
        recheck.expect(inside, "realised ε at witnesses", where, message)
        losses += [loss] if p > 0 else []
    points = (size.delta, *size.curve)
    for point in points:
        recheck.delta(point, size.n, where, (witness.x, witness.y))
    if not recheck.how.all_pairs:
        return
    largest, deltas = mp.ninf, [mpf(0) for _ in points]
    for x, y in recheck.both_ways(size.n):
        largest = max(largest, definition.largest_loss(x, y))
        for index, point in enumerate(points):
            deltas[index] = max(deltas[index], definition.delta(x, y, value(point.epsilon)))
    recheck.over_all_pairs("realised ε", largest, size.epsilon, where)
    for point, delta in zip(points, deltas, strict=True):
        recheck.over_all_pairs("δ", delta, point, where, at=f"({point.epsilon})", relative=True)


def _side(size: SizeResult, recheck: Recheck) -> str:
    """Return where ε or δ lies: the loss is at most ε exactly if δ(ε) is 0."""
    budget = recheck.subject.budget
    side = compare(size.epsilon, budget.epsilon)
    if side in ("above", "unknown") and (side == "unknown" or value(budget.delta) != 0):
        side = compare(size.delta, budget.delta)
    return side

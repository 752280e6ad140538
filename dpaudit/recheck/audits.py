"""The recheck of an audit: every size, its coverage, its witness, its δ and its verdict."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit.recheck.agreement import compare
from dpaudit.recheck.numbers import Form, order, same_number, shown_digits, value
from dpaudit.recheck.subject import Recheck, delta_questions, has_pair
from dpaudit.results import Audit, Budget, Enclosure, SizeResult, Verdict

if TYPE_CHECKING:
    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.options import RecheckOptions
    from dpaudit.recheck.subject import Pair

    Sides = dict[str, int | None]

__all__ = ["check_audit", "check_size"]

_NOTHING = Decimal(0)


def check_audit(audit: Audit, findings: Findings, options: RecheckOptions) -> None:
    """Recheck an audit and note in ``findings`` what agrees and what does not."""
    recheck = Recheck(audit, findings, options)
    recheck.head()
    recheck.sizes()
    recheck.questions(
        [
            [*(str(point.epsilon) for point in size.curve), *delta_questions(size)]
            for size in audit.results
        ]
    )
    for size, where in recheck.sizes_at(audit.results):
        check_size(recheck, size, where)
    if audit.budget is not None:
        recheck.verdict()
        return
    message = "the mechanism states a budget, but the report compares it with none"
    recheck.expect(audit.stated is None, "budgets", recheck.name, message)
    message = "it has a verdict, but no budget"
    recheck.expect(audit.verdict is None, "verdicts", recheck.name, message)


def check_size(recheck: Recheck, size: SizeResult, where: str) -> None:
    """Recheck the audit of one size."""
    recheck.whole = size.complete
    decided = size.verdict is not Verdict.UNDECIDED and recheck.whole and not recheck.open
    recheck.narrow(size.witness.loss, where, required=decided)
    for interval in (size.epsilon, *size.deltas):
        recheck.narrow(interval, where, required=decided and not recheck.from_bounds())
    budget: Budget | None = recheck.subject.budget
    if budget is not None:
        recheck.covered(size, where, (Verdict.UNDECIDED, Verdict.EXCEEDS))
    if not recheck.whole:  # pairs that were not looked at leave everything above open
        most = [Decimal("Infinity"), *[Decimal(1)] * len(size.deltas)]
        ends = [enclosure.upper for enclosure in (size.epsilon, *size.deltas)]
        message = "it has upper ends, but not all pairs were covered"
        recheck.expect(ends == most, "coverage", where, message)
    if budget is None:
        _check_without_budget(recheck, size, where)
    elif size.delta is None:
        recheck.expect(False, "budgets", where, "no δ is given at the ε of the budget")
        return
    else:
        same = same_number(size.delta.epsilon, budget.epsilon)
        recheck.expect(same, "budgets", where, "δ is not given at the ε of the budget")
    sides: Sides = {}
    if recheck.open:
        message = "some probability is not assigned to any output (a rest), but ε has an upper end"
        recheck.expect(size.epsilon.upper.is_infinite(), "intervals", where, message)
    elif recheck.coverage(size.n, size.datasets, size.pairs, where):
        recheck.attempt(where, _check_findings, recheck, size, where, sides)
        if recheck.from_bounds():
            recheck.attempt(where, _check_bounds, recheck, size, where)
    if budget is not None:
        _check_verdict(recheck, size, where, budget, sides)


def _check_without_budget(recheck: Recheck, size: SizeResult, where: str) -> None:
    """Check that there is no verdict and no δ, and a reason just where ε is not enclosed."""
    message = "it has a verdict, but no budget"
    recheck.expect(size.verdict is None and not size.excess, "verdicts", where, message)
    message = "it has δ at the ε of a budget, but no budget"
    recheck.expect(size.delta is None, "budgets", where, message)
    message = "it must give a reason if ε has no interval, and only then"
    recheck.expect(bool(size.reason) is not size.enclosed, "coverage", where, message)


def _check_findings(recheck: Recheck, size: SizeResult, where: str, sides: Sides) -> None:
    """Compute witness, δ and outputs again; note in ``sides`` how ε and δ stand to the budget."""
    definition, witness = recheck.defined, size.witness
    recheck.outputs(size, where)
    pair = recheck.pair((witness.x, witness.y), size.n, where)
    if pair is not None:
        try:
            output = definition.output(witness.output)
        except ValueError as error:
            recheck.expect(False, "outputs", where, str(error))
            return

        def loss_there() -> mpf:
            p, q = definition.probabilities(*pair, output)
            # nan lies in no interval: an output that P cannot give witnesses nothing.
            return mp.nan if p == 0 else mp.inf if q == 0 else mp.log(p / q)

        intervals = [witness.loss, recheck.attained(size.epsilon)]
        (loss, _), (at_witness, realised) = recheck.agree(lambda: [loss_there()] * 2, intervals)
        digits = shown_digits(loss, 20)
        message = f"the loss is {digits}, not in {witness.loss}"
        recheck.expect(at_witness, "losses at witnesses", where, message)
        message = f"the loss of the witness, {digits}, is not in {size.epsilon}"
        recheck.expect(realised, "realised ε at witnesses", where, message)
        if recheck.subject.budget is not None:
            bound = recheck.subject.budget.epsilon
            standing = compare(size.epsilon, bound)
            sides["ε"] = recheck.stands(standing, size.verdict, loss, loss_there, bound)
    at, budget = (witness.x, witness.y), recheck.subject.budget
    for claim in size.at_delta:
        recheck.epsilon_at(claim, size.n, where, at)
    deltas = [recheck.delta(point, size.n, where, at) for point in size.deltas]
    if budget is not None and deltas[0] is not None and order(budget.delta, "0") != 0:
        standing = compare(size.delta_held, budget.delta)
        sides["δ"] = recheck.stands(standing, size.verdict, *deltas[0], budget.delta)
    if recheck.options.all_pairs:
        _check_all_pairs(recheck, size, where)


def _check_bounds(recheck: Recheck, size: SizeResult, where: str) -> None:
    """Check intervals with a bound for an upper end: an output attains at least the lower end.

    Both ends are checked at the pair shown.  Over all pairs, the upper end is checked against their
    bounds; the lower end was checked before.  Pairs that are not looked at confirm nothing.
    """
    definition = recheck.definition
    assert definition is not None
    everywhere = list(recheck.both_ways(size.n)) if recheck.options.all_pairs else []

    def attained(way: Pair, at: Form | None) -> mpf:
        return definition.largest_loss(*way) if at is None else definition.delta(*way, value(at))

    def bound(way: Pair, at: Form | None) -> mpf:
        most = definition.loss_bound(*way)
        return most if at is None else max(mpf(0), -mp.expm1(value(at) - most))

    def confirmed(interval: Enclosure, reported: Pair, at: Form | None) -> bool:
        pair = recheck.pair(reported, size.n, where)
        if pair is None:
            return False
        lower, upper = (
            Enclosure(interval.lower, Decimal("inf")),
            Enclosure(_NOTHING, interval.upper),
        )
        ways = everywhere or [pair]
        below = recheck.agree(lambda: [max(bound(way, at) for way in ways)], [upper])
        if everywhere:
            return below[1][0]
        return below[1][0] and recheck.agree(lambda: [attained(pair, at)], [lower])[1][0]

    witness = size.witness.x, size.witness.y
    holds = confirmed(size.epsilon, witness, None)
    for point in size.deltas:
        reported = (point.x, point.y) if has_pair(point) else witness
        holds = holds and confirmed(point, reported, point.epsilon)
    if holds:
        recheck.expect(True, "bounds on densities", where, "")
    else:
        recheck.findings.unknown(where, definition.density_bound)


def _check_all_pairs(recheck: Recheck, size: SizeResult, where: str) -> None:
    """Compute the largest loss and the largest δ over all pairs, both ways, once more."""
    definition = recheck.defined
    points = (*size.deltas, *(point for claim in size.at_delta for point in claim.points))
    pairs = list(recheck.both_ways(size.n))
    recheck.over_all_pairs(
        "realised ε",
        lambda: [max((definition.largest_loss(*pair) for pair in pairs), default=mp.ninf)],
        [size.epsilon],
        where,
    )
    recheck.deltas_over_all_pairs(points, size.n, where)


def _check_verdict(
    recheck: Recheck, size: SizeResult, where: str, budget: Budget, sides: Sides
) -> None:
    """Check the verdict: the loss is at most ε exactly if δ(ε) is 0, so either may decide."""
    delta_held = size.delta_held
    standing = compare(size.epsilon, budget.epsilon)
    for symbol, interval, bound in (
        ("ε", size.epsilon, budget.epsilon),
        ("δ", delta_held, budget.delta),
    ):
        recheck.beside(symbol, compare(interval, bound), sides.get(symbol), bound, where)
    if standing in ("above", "unknown") and (standing == "unknown" or value(budget.delta) != 0):
        # With δ > 0 a loss above ε is allowed where δ(ε) is at most δ.
        standing = compare(delta_held, budget.delta)
    delta = sides.get("δ")
    exceeds = (sides.get("ε") if delta is None else delta) == 1
    doubted = (Verdict.WITHIN, Verdict.EXCEEDS) if exceeds else (Verdict.WITHIN,)
    recheck.judge(size, standing, where, doubted=doubted)
    subject = recheck.subject
    as_run = getattr(subject, "semantics", None) == "as run" or getattr(subject, "interposed", ())
    if as_run or size.excess:
        small = mpf(str(delta_held.upper)) - value(budget.delta) <= mpf(10) ** -12
        granular = bool(as_run) and small and size.verdict is Verdict.EXCEEDS
        message = "granularity is an excess as run whose δ is at most 10⁻¹² above the budget"
        recheck.expect((size.excess == "granularity") == granular, "excesses", where, message)

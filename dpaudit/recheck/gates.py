"""The recheck of a gate's report: what became of every entry, from its audit and its rules."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp

from dpaudit import results
from dpaudit.recheck.accuracies import check_accuracy
from dpaudit.recheck.agreement import compare, end
from dpaudit.recheck.audits import check_audit
from dpaudit.recheck.calibrations import check_calibration
from dpaudit.recheck.certified import check_certified
from dpaudit.recheck.curves import check_curve, check_tradeoff
from dpaudit.recheck.entry_requests import file_of
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError, worst
from dpaudit.recheck.intervals import check_interval
from dpaudit.recheck.notions import check_notion
from dpaudit.recheck.numbers import exactly, fraction, order, same_number, value
from dpaudit.recheck.options import MESSAGES, RecheckOptions
from dpaudit.recheck.samples import check_errors, check_sample
from dpaudit.results.words import same_mechanism

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.closed import ClosedForm


__all__ = ["BASELINE", "CHECKS", "LEAST_CAP", "check_gate", "expected_kind"]

_KINDS = {
    "within": ("within",),
    "tie accepted": ("undecided",),
    "exceeds": ("exceeds",),
    "tie": ("within",),
    "undecided": ("undecided", None),
    "time cap": (None,),
    "memory cap": (None,),
    "not loaded": (None,),
    "broken": (None,),
    "crashed": (None,),
    **dict.fromkeys(("not refuted", "conforms", "differs", "too few draws", "vacuous"), ()),
}
"""The verdict of the audit, if there is one, that each kind of finding goes with."""
_DRAWN = ("not refuted", "conforms")
_PASSING = ("within", "tie accepted", *_DRAWN)
_FAILING = ("exceeds", "tie", "differs")
_UNDECIDED_CLAIMS = ("undecided", "failed", "unknown", "time cap", "crashed")
_ENOUGH = 60
LEAST_CAP = 64
"""The precision cap, in bits, that every configuration has at least."""
CLAIMS = "the verdicts of claims (dpaudit prove replays their evidence)"
BASELINE = "the report that the gate was compared with (dpaudit diff compares again)"
EVENTS = "the events that a gate's figures are drawn from"


CHECKS: dict[str, Callable[..., None]] = {
    "dpaudit.audit/1": check_audit,
    "dpaudit.notion/1": check_notion,
    "dpaudit.curve/1": check_curve,
    "dpaudit.tradeoff/1": check_tradeoff,
    "dpaudit.calibration/1": check_calibration,
    "dpaudit.accuracy/2": check_accuracy,
    "dpaudit.interval/1": check_interval,
    "dpaudit.account/2": check_certified,
    "dpaudit.sample/1": check_sample,
}
"""Functions that recheck the report of a finding, by its schema."""


def check_gate(gate: results.GateDocument, findings: Findings, options: RecheckOptions) -> None:
    """Recheck a gate's report and note in ``findings`` what agrees and what does not."""
    findings.take(MESSAGES)
    check_errors(gate.mechanisms, findings)
    for finding in gate.mechanisms:
        _check_finding(finding, findings)
        if finding.events:
            findings.take(EVENTS)
        if finding.report is not None:
            CHECKS[finding.report.schema](finding.report, findings, options)
    for claim in gate.claims:
        findings.take(CLAIMS)
        passes = claim.found == claim.expected and claim.found not in _UNDECIDED_CLAIMS
        message = f"{claim.found} where {claim.expected} is expected"
        findings.expect(claim.passed is passes, "claims judged", claim.id, message)
    if gate.baseline is not None:
        _check_baseline(gate.baseline, findings)
    expected = _verdict(gate)
    message = f"the findings make it {expected.value}, not {gate.verdict.value}"
    findings.expect(gate.verdict is expected, "verdicts", gate.config, message)


def _check_baseline(baseline: results.Difference, findings: Findings) -> None:
    """Check that the verdict beside a baseline is that of the changes."""
    findings.take(BASELINE)
    worse = any(change.standing == "worse" for change in baseline.changes)
    expected = results.DifferenceVerdict.WORSE if worse else results.DifferenceVerdict.NO_WORSE
    message = f"its changes make it {expected.value}, not {baseline.verdict.value}"
    findings.expect(baseline.verdict is expected, "baselines compared", baseline.old.name, message)


def _check_finding(finding: results.Finding, findings: Findings) -> None:
    """Check that a finding goes with its audit, its events and its mechanism."""

    def expect(holds: bool, message: str) -> None:
        findings.expect(holds, "findings", finding.title, message)

    if isinstance(finding.report, results.SampleReport):
        _check_drawn(finding, finding.report, expect)
        return
    audit = finding.report if isinstance(finding.report, results.Reported) else None
    verdict = None
    if audit is not None:
        try:
            verdict = _verdict_of(finding).value
        except UnknownDefinitionError as error:
            findings.unknown(finding.title, str(error))
            return
    kind = finding.kind.value
    fits = verdict in _KINDS.get(kind, ())
    expect(fits, f"{kind} contradicts an audit that is {verdict}")
    sizes = [] if audit is None else [size.n for size in audit.results]
    drawn = finding.events_n in sizes if finding.events else finding.events_n == 0
    expect(drawn, f"events are shown for n = {finding.events_n}, which was not audited")
    passes = kind in _PASSING
    outcome = "passed" if finding.passed else "failed"
    expect(finding.passed is passes, f"{kind} is shown as {outcome}")
    if audit is None:
        return
    name = str(audit.described.get("name"))
    name = name if audit.loaded is None else audit.loaded.reference
    same = finding.mechanism == name
    if file_of(audit) is not None:
        same = name == "Gaussian"  # --config compares its file
    elif audit.loaded is None:
        same = same_mechanism(finding.mechanism, name)
    expect(same, f"the audit is of {name}, not of {finding.mechanism}")
    if kind == "tie accepted":
        expect(not _unfinished(audit), "a tie is accepted, but not every size has a result")
        for row in _rows(finding):
            if row.verdict is results.Verdict.UNDECIDED:
                message = f"at n = {row.n} the interval is too wide for an accepted tie"
                expect(_is_near(row, audit.digits), message)
    if kind == "tie":
        try:
            tie = any(map(_is_exact_tie, _rows(finding)))
            expect(tie, "no size realises exactly the budget")
        except UnknownDefinitionError as error:
            findings.unknown(finding.title, str(error))


def _check_drawn(
    finding: results.Finding, sample: results.SampleReport, expect: Callable[..., None]
) -> None:
    """Check that a finding goes with its audit by draws."""
    kind = finding.kind.value
    expect(not finding.events, "it has events, which an entry with draws cannot have")
    expect(kind == sample.verdict.value, f"{kind} is no audit that is {sample.verdict.value}")
    outcome = "passed" if finding.passed else "failed"
    expect(finding.passed is (kind in _DRAWN), f"{kind} is shown as {outcome}")
    name = None if sample.loaded is None else sample.loaded.reference
    expect(name == finding.mechanism, f"the audit is of {name}, not of {finding.mechanism}")


def _verdict(gate: results.GateDocument) -> results.GateVerdict:
    if not gate.mechanisms and not gate.claims:
        return results.GateVerdict.UNDECIDED
    failing = [finding.kind.value for finding in gate.mechanisms if not finding.passed]
    claims = [claim.found for claim in gate.claims if not claim.passed]
    if not failing and not claims:
        drawn = any(finding.kind.value in _DRAWN for finding in gate.mechanisms)
        return results.GateVerdict.NOT_REFUTED if drawn else results.GateVerdict.WITHIN
    certain = any(kind in _FAILING for kind in failing)
    certain = certain or any(verdict not in _UNDECIDED_CLAIMS for verdict in claims)
    return results.GateVerdict.EXCEEDS if certain else results.GateVerdict.UNDECIDED


def expected_kind(finding: results.Finding, *, ties: str, fail_on: str, precision_cap: int) -> str:
    """Return the kind of finding that an entry's audit comes to.

    Args:
        finding: with its audit.
        ties: ``accept`` or ``fail``, of the entry.
        fail_on: ``undecided`` or ``tie``, of the configuration.
        precision_cap: bits; what is undecided there, and no wider than that, is a tie.

    Raises:
        UnknownDefinitionError: where the printed digits do not tell a tie from none.
    """
    report: Any = finding.report
    rows = _rows(finding)
    # One certain excess decides, whatever else is unfinished.
    if any(row.verdict is results.Verdict.EXCEEDS for row in rows):
        return "exceeds"
    if _unfinished(report) or not rows:
        return "undecided"
    undecided = [row for row in rows if row.verdict is results.Verdict.UNDECIDED]
    if undecided:
        near = all(_is_near(row, report.digits, precision_cap) for row in undecided)
        return "tie accepted" if ties == "accept" and near else "undecided"
    if fail_on == "tie" and any(map(_is_exact_tie, rows)):
        return "tie"
    return "within"


class _Row(NamedTuple):
    """One number of a report, what it is held to, and how it stands."""

    n: int
    interval: results.Enclosure | None
    """None for a nominal ε, which is no tie with anything."""
    budget: ClosedForm
    covered: bool
    """True if all pairs were covered at a point, so that the number may be a tie."""
    verdict: results.Verdict


def _rows(finding: results.Finding) -> list[_Row]:
    """Return every number that is held to something, with the verdict that follows.

    Raises ``UnknownDefinitionError`` for a curve that is not read where it has a bound.
    """
    report: Any = finding.report
    if isinstance(report, results.CertifiedAccount):
        if report.budget is None:
            return []
        return _account_rows(report, report.budget)
    if isinstance(report, results.IntervalAudit):
        # Its kind follows from its verdict: no piece of it is a tie.
        limit = report.budget.delta
        return [_Row(size.n, None, limit, size.complete, size.verdict) for size in report.results]
    if isinstance(report, results.CurveReport):
        return [
            _at_most(size.n, _delta_at(size, bound), bound.limit)
            for size in report.results
            for bound in finding.bounds
        ]
    limits = [bound.limit for bound in finding.bounds]
    if isinstance(report, results.TradeoffReport):
        return [_at_most(size.n, size.mu, limit) for size in report.results for limit in limits]
    if isinstance(report, results.AccuracyReport):
        return [_at_most(size.n, size.mean, limit) for size in report.results for limit in limits]
    if isinstance(report, results.CalibrationReport):
        return [_at_least(size, limit) for size in report.results for limit in limits]
    return [
        _Row(size.n, *_judged(report, size), size.complete, size.verdict) for size in report.results
    ]


def _account_rows(account: results.CertifiedAccount, budget: results.Budget) -> list[_Row]:
    """Return δ at the ε of the budget, and at the ε that a training's own accountant claims."""
    claimed = None if account.training is None else account.training.claimed
    rows = []
    for limit in (budget, claimed):
        if limit is None:
            continue
        deltas = [
            row
            for row in account.rows
            if isinstance(row, results.DeltaRow) and same_number(row.epsilon, limit.epsilon)
        ]
        if not deltas:
            raise NotAReportError(f"δ at ε = {limit.epsilon} has no row")
        row = _at_most(account.n, deltas[0].delta, limit.delta)
        rows.append(row._replace(covered=deltas[0].method in ("closed form", "exact")))
    return rows


def _at_most(n: int, interval: results.Enclosure, limit: ClosedForm) -> _Row:
    standing = compare(interval, limit)
    verdicts = {"above": results.Verdict.EXCEEDS, "unknown": results.Verdict.UNDECIDED}
    return _Row(n, interval, limit, True, verdicts.get(standing, results.Verdict.WITHIN))


def _at_least(size: results.CalibratedSize, limit: ClosedForm) -> _Row:
    """Return how the safe nominal ε stands: too small where a failing one is no larger either."""
    verdict = results.Verdict.UNDECIDED
    if order(size.nominal, limit) >= 0:
        verdict = results.Verdict.WITHIN
    elif size.failing is not None and order(size.failing, limit) <= 0:
        verdict = results.Verdict.EXCEEDS
    return _Row(size.n, None, limit, False, verdict)


def _delta_at(size: results.PrivacyCurve, bound: results.Bound) -> results.Enclosure:
    for point in size.values:
        if bound.at is not None and same_number(point.epsilon, bound.at):
            return point
    raise UnknownDefinitionError(f"the curve at n = {size.n} is not read at {bound.at}")


def _verdict_of(finding: results.Finding) -> results.Verdict:
    """Return the verdict on what an entry came to: that of an audit, or what follows from bounds.

    Numbers that are held to nothing are within nothing.
    """
    report: Any = finding.report
    if isinstance(report, (results.Audit, results.MeasuredAudit)):
        verdict: results.Verdict | None = report.verdict
        return worst([verdict])
    verdicts = [row.verdict for row in _rows(finding)]
    return worst([*verdicts, *([results.Verdict.UNDECIDED] if _unfinished(report) else [])])


def _unfinished(report: Any) -> bool:
    """Tell whether a size has no result."""
    return bool(report.missing or report.without_result)


def _is_near(row: _Row, digits: int, precision_cap: int = LEAST_CAP) -> bool:
    """Tell whether only the last digits of a budget are in doubt.

    All pairs were covered, and the interval is around the budget, at most 10^−digits of it wide,
    and as narrow as balls at the precision cap are.  Nothing is nearly 0 without being 0.
    """
    if not row.covered or row.interval is None or compare(row.interval, row.budget) != "unknown":
        return False
    lower, upper = end(row.interval.lower), end(row.interval.upper)
    if lower is None or upper is None:
        return False
    most = min(Fraction(1, 10**digits), Fraction(1, 2 ** (precision_cap // 4)))
    limit = exactly(row.budget)
    if limit is not None:
        return limit > 0 and upper - lower <= limit * most
    with mp.workdps(digits + _ENOUGH):
        return bool(fraction(upper - lower) <= value(row.budget) * fraction(most))


def _is_exact_tie(row: _Row) -> bool:
    if row.interval is None:
        return False
    if row.interval.exact is not None:
        return same_number(row.interval.exact, row.budget)
    if row.interval.upper.is_finite() and same_number(str(row.interval.upper), row.budget):
        raise UnknownDefinitionError(
            "the printed digits do not show whether it is exactly its budget, which fails here"
        )
    return False


def _judged(
    audit: results.Audit | results.MeasuredAudit, size: Any
) -> tuple[results.Enclosure, ClosedForm]:
    """Return what the budget of an audit is about at ``size``, and what it may be at most."""
    if isinstance(audit, results.MeasuredAudit):
        return size.value, audit.budget
    budget = audit.budget
    if budget is None:
        raise NotAReportError("an entry of a gate is compared with a budget; this one has none")
    if same_number(budget.delta, "0"):
        return size.epsilon, budget.epsilon
    return size.delta_held, budget.delta

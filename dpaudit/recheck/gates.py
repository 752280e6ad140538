"""The recheck of a gate's report: what became of every entry, from its audit and its rules."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.recheck.agreement import compare, end
from dpaudit.recheck.audits import check_audit
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.notions import check_notion
from dpaudit.recheck.numbers import exactly, fraction, same_number, value
from dpaudit.recheck.subject import MESSAGES
from dpaudit.results import Verdict

if TYPE_CHECKING:
    from dpaudit.closed import ClosedForm
    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.subject import How
    from dpaudit.results import Enclosure
    from dpaudit.results.gates import Finding, GateDocument

__all__ = ["LEAST_CAP", "check_gate", "expected_kind", "is_near"]

_KINDS = {
    "within": ("within",),
    "tie accepted": ("undecided",),
    "exceeds": ("exceeds",),
    "tie": ("within",),
    "undecided": ("undecided", None),
    "time cap": (None,),
    "not loaded": (None,),
    "broken": (None,),
    "crashed": (None,),
}
"""The verdict of the audit, if there is one, that each kind of finding goes with."""
_PASSING = ("within", "tie accepted")
_UNDECIDED_CLAIMS = ("undecided", "failed", "unknown", "time cap", "crashed")
_ENOUGH = 60
LEAST_CAP = 64
"""The precision cap, in bits, that every configuration has at least."""
CLAIMS = "the verdicts of claims (dpaudit prove replays their evidence)"
EVENTS = "the events that a gate's figures are drawn from"


def check_gate(gate: GateDocument, found: Findings, how: How) -> None:
    """Recheck a gate's report and note in ``found`` what agrees and what does not."""
    found.take(MESSAGES)
    for finding in gate.mechanisms:
        _check_finding(finding, found)
        if finding.events:
            found.take(EVENTS)
        if finding.audit is not None:
            check_audit(finding.audit, found, how)
        if finding.notion is not None:
            check_notion(finding.notion, found, how)
    for claim in gate.claims:
        found.take(CLAIMS)
        passes = claim.found == claim.expected and claim.found not in _UNDECIDED_CLAIMS
        message = f"{claim.found} where {claim.expected} is expected"
        found.expect(claim.passed is passes, "claims judged", claim.id, message)
    expected = _verdict(gate)
    message = f"the findings make it {expected.value}, not {gate.verdict.value}"
    found.expect(gate.verdict is expected, "verdicts", gate.config, message)


def _check_finding(finding: Finding, found: Findings) -> None:
    """Check that a finding goes with its audit, its events and its mechanism."""

    def expect(holds: bool, message: str) -> None:
        found.expect(holds, "findings", finding.title, message)

    audit = finding.audit or finding.notion
    verdict = None if audit is None else audit.verdict.value
    expect(finding.audit is None or finding.notion is None, "it has two audits")
    kind = finding.kind.value
    fits = verdict in _KINDS.get(kind, ())
    expect(fits, f"{kind} does not go with an audit that is {verdict}")
    sizes = [] if audit is None else [size.n for size in audit.results]
    drawn = finding.events_n in sizes if finding.events else finding.events_n == 0
    expect(drawn, f"events are shown for n = {finding.events_n}, which was not audited")
    passes = kind in _PASSING
    shown = "passed" if finding.passed else "failed"
    expect(finding.passed is passes, f"{kind} is shown as {shown}")
    if audit is None:
        return
    name = str(audit.described.get("name"))
    name = name if audit.loaded is None else audit.loaded.reference
    same = finding.mechanism == name
    if audit.loaded is None:
        same = finding.mechanism.lower() == name.lower()
    expect(same, f"the audit is of {name}, not of {finding.mechanism}")
    if kind == "tie accepted":
        undecided = [one for one in audit.results if one.verdict is Verdict.UNDECIDED]
        finished = not audit.missing and not audit.undecided
        expect(finished, "a tie is accepted, and not every size has a result")
        for one in undecided:
            message = f"at n = {one.n} more than the last digits of its budget are in doubt"
            expect(is_near(finding, one), message)
    if kind == "tie":
        try:
            tie = any(_is_exact_tie(finding, one) for one in audit.results)
            expect(tie, "no size realises exactly the budget")
        except UnknownDefinitionError as error:
            found.unknown(finding.title, str(error))


def _verdict(gate: GateDocument) -> Verdict:
    if not gate.mechanisms and not gate.claims:
        return Verdict.UNDECIDED
    failing = [finding.kind.value for finding in gate.mechanisms if not finding.passed]
    claims = [claim.found for claim in gate.claims if not claim.passed]
    if not failing and not claims:
        return Verdict.WITHIN
    certain = any(kind in ("exceeds", "tie") for kind in failing)
    certain = certain or any(verdict not in _UNDECIDED_CLAIMS for verdict in claims)
    return Verdict.EXCEEDS if certain else Verdict.UNDECIDED


def expected_kind(finding: Finding, *, ties: str, fail_on: str, precision_cap: int) -> str:
    """Return the kind of finding that an entry's audit comes to.

    Args:
        finding: with its audit.
        ties: ``accept`` or ``fail``, of the entry.
        fail_on: ``undecided`` or ``tie``, of the configuration.
        precision_cap: bits; what is undecided there, and no wider than that, is a tie.

    Raises:
        UnknownDefinitionError: where the printed digits do not tell a tie from none.
    """
    audit: Any = finding.audit or finding.notion
    verdicts = [size.verdict for size in audit.results]
    if Verdict.EXCEEDS in verdicts:
        return "exceeds"
    if audit.missing or audit.undecided or not verdicts:
        return "undecided"
    undecided = [size for size in audit.results if size.verdict is Verdict.UNDECIDED]
    if undecided:
        near = all(is_near(finding, size, precision_cap) for size in undecided)
        return "tie accepted" if ties == "accept" and near else "undecided"
    if fail_on == "tie" and any(_is_exact_tie(finding, size) for size in audit.results):
        return "tie"
    return "within"


def is_near(finding: Finding, size: Any, precision_cap: int = LEAST_CAP) -> bool:
    """Tell whether only the last digits of a budget are in doubt at ``size``.

    All pairs were covered, and the interval is around the budget, at most 10^−digits of it wide,
    and as narrow as balls at the precision cap are.  Nothing is nearly 0 without being 0.
    """
    audit: Any = finding.audit or finding.notion
    interval, budget = _judged(finding, size)
    lower, upper = end(interval.lower), end(interval.upper)
    around = size.pairs_covered == size.pairs and compare(interval, budget) == "unknown"
    if not around or lower is None or upper is None:
        return False
    most = min(Fraction(1, 10**audit.digits), Fraction(1, 2 ** (precision_cap // 4)))
    limit = exactly(budget)
    if limit is not None:
        return limit > 0 and upper - lower <= limit * most
    with mp.workdps(audit.digits + _ENOUGH):
        return bool(fraction(upper - lower) <= value(budget) * fraction(most))


def _is_exact_tie(finding: Finding, size: Any) -> bool:
    interval, budget = _judged(finding, size)
    if interval.exact is not None:
        return same_number(interval.exact, budget)
    if interval.upper.is_finite() and same_number(str(interval.upper), budget):
        raise UnknownDefinitionError(
            "the printed digits do not tell whether it is exactly its budget, which fails here"
        )
    return False


def _judged(finding: Finding, size: Any) -> tuple[Enclosure, ClosedForm]:
    """Return what the budget is about at ``size``, and what it may be at most."""
    if finding.notion is not None:
        return size.value, finding.notion.budget
    assert finding.audit is not None
    budget = finding.audit.budget
    if same_number(budget.delta, "0"):
        return size.epsilon, budget.epsilon
    return size.delta, budget.delta

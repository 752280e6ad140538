"""The recheck of a gate's report: what became of each entry, from its audit and its budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.recheck.audits import check_audit
from dpaudit.recheck.configurations import check_configuration
from dpaudit.recheck.judged import is_near
from dpaudit.recheck.notions import check_notion
from dpaudit.recheck.subject import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dpaudit.recheck.further_reports import Gate, GateFinding, Notion
    from dpaudit.recheck.known import OwnMechanism
    from dpaudit.recheck.reports import Audit
    from dpaudit.recheck.verification import Findings

__all__ = ["check_gate"]

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
CLAIMS = "the verdicts of claims (dpaudit prove replays their evidence)"
EVENTS = "the events that a gate's figures are drawn from"
CONFIG = "the gate's configuration (--config compares with the file)"


def check_gate(
    gate: Gate,
    own: Sequence[OwnMechanism],
    found: Findings,
    config: Path | None,
    *,
    all_pairs: bool = False,
    tick: Callable[[str], None] = lambda what: None,
) -> None:
    """Recheck a gate's report, and with ``config`` that it answers that configuration."""
    found.take(MESSAGES)
    for finding in gate.mechanisms:
        _check_finding(finding, found)
        if finding.events:
            found.take(EVENTS)
        audit = finding.audit or finding.notion
        if audit is not None:
            _check_named(finding, audit, found)
        if finding.audit is not None:
            check_audit(finding.audit, own, found, all_pairs=all_pairs, tick=tick)
        if finding.notion is not None:
            check_notion(finding.notion, own, found, all_pairs=all_pairs, tick=tick)
    for claim in gate.claims:
        found.take(CLAIMS)
        passes = claim.found == claim.expected and claim.found not in _UNDECIDED_CLAIMS
        message = f"{claim.found} where {claim.expected} is expected"
        found.expect(claim.passed is passes, "claims judged", claim.id, message)
    expected = _verdict(gate)
    message = f"the findings make it {expected}, not {gate.verdict}"
    found.expect(gate.verdict == expected, "verdicts", gate.config, message)
    if config is None:
        found.take(CONFIG)
    else:
        check_configuration(gate, config, own, found)


def _check_finding(finding: GateFinding, found: Findings) -> None:
    audit = finding.audit or finding.notion
    verdict = None if audit is None else audit.verdict
    both = finding.audit is not None and finding.notion is not None
    found.expect(not both, "findings", finding.title, "it has two audits")
    fits = finding.kind in _KINDS and verdict in _KINDS[finding.kind]
    message = f"{finding.kind} does not go with an audit that is {verdict}"
    found.expect(fits, "findings", finding.title, message)
    if finding.kind == "tie accepted" and audit is not None:
        undecided = [size for size in audit.results if size.verdict == "undecided"]
        near = undecided and all(is_near(finding, size) for size in undecided)
        near = near and not audit.missing and not audit.undecided
        message = "more than the last digits of its budget are in doubt"
        found.expect(bool(near), "findings", finding.title, message)
    sizes = [] if audit is None else [size.n for size in audit.results]
    drawn = finding.events_n in sizes if finding.events else finding.events_n == 0
    message = f"events are shown for n = {finding.events_n}, which was not audited"
    found.expect(drawn, "findings", finding.title, message)
    passes = finding.kind in _PASSING
    message = f"{finding.kind} is shown as {'passed' if finding.passed else 'failed'}"
    found.expect(finding.passed is passes, "findings", finding.title, message)


def _check_named(finding: GateFinding, audit: Audit | Notion, found: Findings) -> None:
    """Check that an entry is called as the mechanism that was audited for it."""
    name = audit.mechanism.get("name") if audit.loaded is None else audit.loaded.reference
    same = finding.mechanism == name
    if audit.loaded is None:
        same = finding.mechanism.lower() == str(name).lower()
    message = f"the audit is of {name}, not of {finding.mechanism}"
    found.expect(same, "findings", finding.title, message)


def _verdict(gate: Gate) -> str:
    if not gate.mechanisms and not gate.claims:
        return "undecided"
    failing = [finding.kind for finding in gate.mechanisms if not finding.passed]
    claims = [claim.found for claim in gate.claims if not claim.passed]
    if not failing and not claims:
        return "within"
    certain = any(kind in ("exceeds", "tie") for kind in failing)
    certain = certain or any(verdict not in _UNDECIDED_CLAIMS for verdict in claims)
    return "exceeds" if certain else "undecided"

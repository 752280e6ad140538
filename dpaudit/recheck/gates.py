"""The recheck of a gate's report: every entry by its audit, and by the configuration it answers."""

from __future__ import annotations

import hashlib
import tomllib
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.recheck.audits import check_audit
from dpaudit.recheck.binding import sizes_of
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.notions import check_notion
from dpaudit.recheck.numbers import at_same_value, compare, end, fraction, value
from dpaudit.recheck.relations import OLD_OF_HISTOGRAMS, OLD_OF_ONE_USER, OLD_OF_SEQUENCES
from dpaudit.recheck.subject import MESSAGES
from dpaudit.results import Audit, Enclosure, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.subject import How
    from dpaudit.results import MeasuredAudit
    from dpaudit.results.gates import Finding, GateDocument
    from dpaudit.results.values import ClosedForm

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
_LEAST_CAP, _USUAL_CAP = 64, 1024
"""The precision cap that every configuration may have at least, and what it is if not given."""
CLAIMS = "the verdicts of claims (dpaudit prove replays their evidence)"
EVENTS = "the events that a gate's figures are drawn from"
CONFIG = "the gate's configuration (--config compares with the file)"


def check_gate(gate: GateDocument, found: Findings, how: How, config: Path | None) -> None:
    """Recheck a gate's report, and with ``config`` that it answers that configuration."""
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
    if config is None:
        found.take(CONFIG)
    else:
        _check_configuration(gate, config, found)


def _check_finding(finding: Finding, found: Findings) -> None:
    """Check that a finding goes with its audit, its events and its mechanism."""

    def expect(holds: bool, message: str) -> None:
        found.expect(holds, "findings", finding.title, message)

    audit = finding.audit or finding.notion
    verdict = None if audit is None else audit.verdict.value
    expect(finding.audit is None or finding.notion is None, "it has two audits")
    fits = finding.kind in _KINDS and verdict in _KINDS[finding.kind]
    expect(fits, f"{finding.kind} does not go with an audit that is {verdict}")
    sizes = [] if audit is None else [size.n for size in audit.results]
    drawn = finding.events_n in sizes if finding.events else finding.events_n == 0
    expect(drawn, f"events are shown for n = {finding.events_n}, which was not audited")
    passes = finding.kind in _PASSING
    shown = "passed" if finding.passed else "failed"
    expect(finding.passed is passes, f"{finding.kind} is shown as {shown}")
    if audit is None:
        return
    name = str(audit.described.get("name"))
    name = name if audit.loaded is None else audit.loaded.reference
    same = finding.mechanism == name
    if audit.loaded is None:
        same = finding.mechanism.lower() == name.lower()
    expect(same, f"the audit is of {name}, not of {finding.mechanism}")
    if finding.kind == "tie accepted":
        _check_ties(finding, audit, found, _LEAST_CAP)
    if finding.kind == "tie":
        expect(_is_exact_tie(audit), "no size realises exactly the budget")


def _check_ties(
    finding: Finding, audit: Audit | MeasuredAudit, found: Findings, precision_cap: int
) -> None:
    """Check that an accepted tie is one: at every undecided size, as near as the cap can tell."""
    finished = not audit.missing and not audit.undecided
    message = "a tie is accepted, and not every size has a result"
    found.expect(finished, "accepted ties", finding.title, message)
    for size in audit.results:
        if size.verdict is Verdict.UNDECIDED:
            covered = size.pairs_covered == size.pairs
            near = covered and _is_near(audit, _judged(audit, size), precision_cap)
            message = f"at n = {size.n} more than the budget's last digits is in doubt"
            found.expect(near, "accepted ties", finding.title, message)


def _is_near(audit: Audit | MeasuredAudit, judged: Enclosure, precision_cap: int) -> bool:
    """Tell whether an interval around the budget is narrow enough, by the size of the budget.

    It has to be at most 10^−digits of the budget wide, and as narrow as balls at the precision cap
    are, 2^−(cap/4).  Nothing is nearly 0 without being 0.
    """
    budget, lower, upper = _limit(audit), end(judged.lower), end(judged.upper)
    if lower is None or upper is None:
        return False
    most = min(Fraction(1, 10**audit.digits), Fraction(1, 2 ** (precision_cap // 4)))
    with mp.workdps(60):
        inside = compare(judged, budget) == "unknown"
        return inside and bool(fraction(upper - lower) <= value(budget) * fraction(most))


def _is_exact_tie(audit: Audit | MeasuredAudit) -> bool:
    """Tell whether some size realises exactly the budget."""
    with mp.workdps(60):
        return any(
            compare(_judged(audit, size), _limit(audit)) == "equal" for size in audit.results
        )


def _judged(audit: Audit | MeasuredAudit, size: Any) -> Enclosure:
    """Return what the budget is about: ε, δ where the budget has one, or the notion's value."""
    if not isinstance(audit, Audit):
        found: Enclosure = size.value
        return found
    pure: Enclosure = size.epsilon if value(audit.budget.delta) == 0 else size.delta
    return pure


def _limit(audit: Audit | MeasuredAudit) -> ClosedForm:
    """Return what that may be at most."""
    if not isinstance(audit, Audit):
        return audit.budget
    return audit.budget.epsilon if value(audit.budget.delta) == 0 else audit.budget.delta


def _verdict(gate: GateDocument) -> Verdict:
    if not gate.mechanisms and not gate.claims:
        return Verdict.UNDECIDED
    failing = [finding.kind for finding in gate.mechanisms if not finding.passed]
    claims = [claim.found for claim in gate.claims if not claim.passed]
    if not failing and not claims:
        return Verdict.WITHIN
    certain = any(kind in ("exceeds", "tie") for kind in failing)
    certain = certain or any(verdict not in _UNDECIDED_CLAIMS for verdict in claims)
    return Verdict.EXCEEDS if certain else Verdict.UNDECIDED


# -- the configuration


def _check_configuration(gate: GateDocument, path: Path, found: Findings) -> None:
    """Check that every entry of the file at ``path`` was answered, and every claim."""
    content, table = _read(path)
    digest = hashlib.sha256(content).hexdigest()
    message = "the file is not the one that was checked (another SHA-256)"
    found.expect(gate.config_sha256 == digest, "configuration", str(path), message)
    entries, claims = table.get("mechanism", []), table.get("claims", {})
    if (
        not isinstance(entries, list)
        or not all(isinstance(entry, dict) for entry in entries)
        or not isinstance(claims, dict)
    ):
        raise NotAReportError(f"{path} is no configuration of a gate")
    names = [str(entry.get("mechanism")) for entry in entries]
    answered = [finding.mechanism for finding in gate.mechanisms]
    message = f"it lists {', '.join(names)}; the report answers {', '.join(answered)}"
    found.expect(names == answered, "entries", str(path), message)
    with mp.workdps(60):
        for entry, finding in zip(entries, gate.mechanisms, strict=False):
            _check_entry(entry, finding, table, found)
    for pattern, verdict in claims.items():
        # Several patterns may match one claim: each has to be answered, not alone.
        fits = any(
            claim.expected == verdict
            for claim in gate.claims
            if claim.id == pattern or fnmatchcase(claim.id, pattern)
        )
        found.expect(fits, "claims asked for", pattern, f"no claim is held to {verdict}")


def _read(path: Path) -> tuple[bytes, dict[str, Any]]:
    try:
        content = path.read_bytes()
        table: dict[str, Any] = tomllib.loads(content.decode(), parse_float=Decimal)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise NotAReportError(f"{path} cannot be read as a configuration: {error}") from None
    if path.name == "pyproject.toml":
        tools = table.get("tool")
        table = tools.get("dpaudit", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise NotAReportError(f"{path} is no configuration of a gate")
    return content, table


def _check_entry(
    entry: dict[str, Any], finding: Finding, table: dict[str, Any], found: Findings
) -> None:
    audit = finding.audit or finding.notion
    if audit is None:
        return
    done = {*(s.n for s in audit.results), *audit.missing, *(s.n for s in audit.undecided)}
    message = f"the sizes are not those of n = {entry.get('n')}"
    # Where no size is asked for, there is one, which only the mechanism knows.
    fits = len(done) == 1 if entry.get("n") is None else done == sizes_of(entry["n"])
    found.expect(fits, "sizes asked for", finding.title, message)
    message = f"the budget is not {entry.get('budget')}"
    same = _same_budget(entry.get("budget"), audit)
    found.expect(same, "budgets asked for", finding.title, message)
    notion = None if isinstance(audit, Audit) else audit.notion
    for key, given in (
        ("notion", notion and notion.name),
        ("order", notion and notion.order),
    ):
        wanted = entry.get(key)
        fits = given is None if wanted is None else given is not None and _same(wanted, given)
        found.expect(fits, f"{key}s asked for", finding.title, f"the {key} is not {wanted}")
    if finding.kind == "tie accepted":
        message = "the entry does not accept ties"
        found.expect(entry.get("ties") == "accept", "accepted ties", finding.title, message)
        cap = entry.get("precision-cap", table.get("precision-cap", _USUAL_CAP))
        _check_ties(finding, audit, found, cap if isinstance(cap, int) else _USUAL_CAP)
    if finding.kind == "tie" or table.get("fail-on") == "tie":
        fails = table.get("fail-on") == "tie" and _is_exact_tie(audit)
        message = "fail-on and the realised values do not make it what it is found to be"
        fits = (finding.kind == "tie") is (fails and finding.kind in ("tie", "within"))
        found.expect(fits, "ties", finding.title, message)
    if entry.get("adjacency") is not None:
        old = (OLD_OF_SEQUENCES,) if audit.loaded else (OLD_OF_HISTOGRAMS, OLD_OF_ONE_USER)
        asked = str(entry["adjacency"])
        fits = audit.adjacency in (asked, *(names.get(asked) for names in old))
        message = f"the adjacency is not {entry['adjacency']}"
        found.expect(fits, "adjacencies asked for", finding.title, message)
    _check_parameters(entry.get("parameters", {}), audit, finding.title, found)


def _check_parameters(
    wanted: Any, audit: Audit | MeasuredAudit, title: str, found: Findings
) -> None:
    for name, asked in wanted.items() if isinstance(wanted, dict) else ():
        given = audit.described.get(name)
        if name == "k" and given is None and isinstance(audit.described.get("prior"), list):
            given = str(len(audit.described["prior"]))
        message = f"{name} is {given}, not {asked}"
        found.expect(_same(asked, given), "parameters asked for", title, message)


def _same(asked: Any, given: Any) -> bool:
    """Tell whether two parameters are equal, as numbers or else as text."""
    left, right = _parts(asked), _parts(given)
    return len(left) == len(right) and all(map(_equal, left, right))


def _parts(parameter: Any) -> list[str]:
    if isinstance(parameter, str):
        return parameter.split(",")
    return [str(part) for part in (parameter if isinstance(parameter, list) else [parameter])]


def _equal(left: str, right: str) -> bool:
    if left == right:
        return True
    try:
        return at_same_value(value(left), value(right))
    except NotAReportError:
        return False


def _same_budget(asked: Any, audit: Audit | MeasuredAudit) -> bool:
    if isinstance(audit, Audit):
        if asked is None:
            return audit.stated is not None and audit.stated == audit.budget
        return _same([*_parts(asked), "0"][:2], [audit.budget.epsilon, audit.budget.delta])
    if asked is None:
        return audit.budget_implied
    epsilon = audit.notion.epsilon
    given = [audit.budget] if epsilon is None else [epsilon, audit.budget]
    return not audit.budget_implied and _same(asked, given)

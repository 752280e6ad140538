"""The recheck of a gate's report: what became of each entry, from its audit and its budget."""

from __future__ import annotations

import hashlib
import re
import tomllib
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.recheck.audits import check_audit
from dpaudit.recheck.failures import NotAReportError
from dpaudit.recheck.intervals import at_same_value
from dpaudit.recheck.numbers import value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.reports import Gate, GateFinding
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
MESSAGES = "messages in words"


def check_gate(
    gate: Gate,
    own: Mapping[str, Definition],
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
        if finding.audit is not None:
            definitions = {**own}
            if finding.mechanism in own:
                definitions[str(finding.audit.mechanism.get("name"))] = own[finding.mechanism]
            check_audit(finding.audit, definitions, found, all_pairs=all_pairs, tick=tick)
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
        _check_config(gate, config, found)


def _check_finding(finding: GateFinding, found: Findings) -> None:
    verdict = None if finding.audit is None else finding.audit.verdict
    fits = finding.kind in _KINDS and verdict in _KINDS[finding.kind]
    message = f"{finding.kind} does not go with an audit that is {verdict}"
    found.expect(fits, "findings", finding.title, message)
    passes = finding.kind in _PASSING
    message = f"{finding.kind} is shown as {'passed' if finding.passed else 'failed'}"
    found.expect(finding.passed is passes, "findings", finding.title, message)


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


# -- the configuration -----------------------------------------------------------------------------


def _check_config(gate: Gate, path: Path, found: Findings) -> None:
    """Check that every entry of the file was answered: its sizes, its budget, its claims."""
    try:
        content = path.read_bytes()
        table = tomllib.loads(content.decode(), parse_float=Decimal)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise NotAReportError(f"{path} cannot be read as a configuration: {error}") from None
    digest = hashlib.sha256(content).hexdigest()
    message = "the file is not the one that was checked (another SHA-256)"
    found.expect(gate.config_sha256 == digest, "configuration", str(path), message)
    table = table.get("tool", {}).get("dpaudit", {}) if path.name == "pyproject.toml" else table
    entries = table.get("mechanism", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise NotAReportError(f"{path} is no configuration of a gate")
    names = [str(entry.get("mechanism")) for entry in entries]
    answered = [finding.mechanism for finding in gate.mechanisms]
    message = f"it lists {', '.join(names)}; the report answers {', '.join(answered)}"
    found.expect(names == answered, "entries", str(path), message)
    for entry, finding in zip(entries, gate.mechanisms, strict=False):
        _check_entry(entry, finding, found)


def _check_entry(entry: dict[str, Any], finding: GateFinding, found: Findings) -> None:
    audit = finding.audit
    if audit is None:
        return
    done = {*(s.n for s in audit.results), *audit.missing, *(s.n for s in audit.undecided)}
    wanted = _sizes(entry.get("n"))
    message = f"the sizes are not those of n = {entry.get('n')}"
    found.expect(done == wanted, "sizes asked for", finding.title, message)
    budget = entry.get("budget")
    if budget is None:
        same = audit.stated is not None and audit.stated == audit.budget
    else:
        parts = [str(part) for part in (budget if isinstance(budget, list) else [budget])]
        given = [audit.budget.epsilon, audit.budget.delta]
        with mp.workdps(60):
            pairs = zip([*parts, "0"][:2], given, strict=True)
            same = all(at_same_value(value(one), value(other)) for one, other in pairs)
    found.expect(same, "budgets asked for", finding.title, f"the budget is not {budget}")


def _sizes(n: Any) -> set[int]:
    if isinstance(n, int):
        return {n}
    if isinstance(n, list):
        return {int(size) for size in n}
    sizes: set[int] = set()
    for part in str(n).split(","):
        first, last, step = (*map(int, re.split(r"\.\.", part.strip())), None, None)[:3]
        sizes |= set(range(first or 0, (last or first or 0) + 1, step or 1))
    return sizes

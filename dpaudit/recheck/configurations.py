"""Whether a gate's report answers a configuration: its entries, sizes, budgets and claims."""

from __future__ import annotations

import hashlib
import re
import tomllib
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.recheck.failures import NotAReportError
from dpaudit.recheck.intervals import at_same_value
from dpaudit.recheck.numbers import value
from dpaudit.recheck.relations import OLD_OF_HISTOGRAMS, OLD_OF_ONE_USER, OLD_OF_SEQUENCES

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.recheck.further_reports import Gate, GateFinding, Notion
    from dpaudit.recheck.reports import Audit
    from dpaudit.recheck.verification import Findings

__all__ = ["check_configuration", "sizes_of"]

_LARGEST_N = 1_000_000


def check_configuration(gate: Gate, path: Path, found: Findings) -> None:
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
            _check_entry(entry, finding, found)
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


def _check_entry(entry: dict[str, Any], finding: GateFinding, found: Findings) -> None:
    audit = finding.audit or finding.notion
    if audit is None:
        return
    done = {*(s.n for s in audit.results), *audit.missing, *(s.n for s in audit.undecided)}
    message = f"the sizes are not those of n = {entry.get('n')}"
    # Where no size is asked for, there is one, which only the mechanism knows.
    fits = len(done) == 1 if entry.get("n") is None else done == sizes_of(entry["n"])
    found.expect(fits, "sizes asked for", finding.title, message)
    same = _same_budget(entry.get("budget"), finding)
    message = f"the budget is not {entry.get('budget')}"
    found.expect(same, "budgets asked for", finding.title, message)
    for key, given in (("notion", _notion(finding)), ("order", _order(finding))):
        wanted = entry.get(key)
        fits = given is None if wanted is None else given is not None and _same(wanted, given)
        found.expect(fits, f"{key}s asked for", finding.title, f"the {key} is not {wanted}")
    if entry.get("adjacency") is not None:
        old = (OLD_OF_SEQUENCES,) if audit.loaded else (OLD_OF_HISTOGRAMS, OLD_OF_ONE_USER)
        asked = str(entry["adjacency"])
        fits = audit.adjacency in (asked, *(names.get(asked) for names in old))
        message = f"the adjacency is not {entry['adjacency']}"
        found.expect(fits, "adjacencies asked for", finding.title, message)
    _check_parameters(entry.get("parameters", {}), audit, finding.title, found)


def _check_parameters(wanted: Any, audit: Audit | Notion, title: str, found: Findings) -> None:
    for name, asked in wanted.items() if isinstance(wanted, dict) else ():
        given = audit.mechanism.get(name)
        if name == "k" and given is None and isinstance(audit.mechanism.get("prior"), list):
            given = str(len(audit.mechanism["prior"]))
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


def _same_budget(asked: Any, finding: GateFinding) -> bool:
    parts = _parts(asked)
    if finding.notion is not None:
        notion = finding.notion
        if asked is None:
            return notion.budget_implied
        given = [notion.budget]
        if notion.notion.epsilon is not None:
            given = [notion.notion.epsilon, notion.budget]
        return not notion.budget_implied and _same(parts, given)
    audit = finding.audit
    assert audit is not None
    if asked is None:
        return audit.stated is not None and audit.stated == audit.budget
    return _same([*parts, "0"][:2], [audit.budget.epsilon, audit.budget.delta])


def _notion(finding: GateFinding) -> str | None:
    return None if finding.notion is None else finding.notion.notion.name


def _order(finding: GateFinding) -> str | None:
    return None if finding.notion is None else finding.notion.notion.order


def sizes_of(n: Any) -> set[int]:
    """Return the sizes of a list such as ``10..20``; ``NotAReportError`` for what is none."""
    if isinstance(n, int):
        return {n}
    if isinstance(n, list):
        return {size for size in n if isinstance(size, int)}
    sizes: set[int] = set()
    for part in str(n).split(","):
        if not re.fullmatch(r"\s*[0-9]{1,12}(\.\.[0-9]{1,12}){0,2}\s*", part):
            raise NotAReportError(f"n = {n} is not a list of sizes")
        numbers = [int(number) for number in part.split("..")]
        first, last = numbers[0], numbers[min(1, len(numbers) - 1)]
        step = numbers[2] if len(numbers) > 2 else 1
        if not 1 <= first <= last <= _LARGEST_N:
            raise NotAReportError(f"n = {n}: sizes must be from 1 to {_LARGEST_N}, in order")
        sizes |= set(range(first, last + 1, max(1, step)))
    return sizes

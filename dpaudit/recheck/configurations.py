"""Comparison of a gate's report with its configuration: entries, sizes, budgets and claims."""

from __future__ import annotations

import hashlib
import tomllib
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from dpaudit.recheck.entry_requests import OF_THE_SUBJECT, Asked
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.gates import LEAST_CAP, expected_kind
from dpaudit.recheck.intervals import differences_of_interval
from dpaudit.recheck.registry import same_parameter
from dpaudit.recheck.samples import DRAWS, differences_of_sample
from dpaudit.results import CertifiedAccount, IntervalAudit, SampleReport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from dpaudit.recheck.user_mechanisms import OwnMechanism
    from dpaudit.results import GateDocument


__all__ = ["CONFIG", "check_configuration"]

CONFIG = "the gate's configuration (--config compares with the file)"
CAPS = "that no entry took longer, or more bits, than its caps (time-cap, precision-cap)"
PATTERNS = "which claims a pattern stands for"


def check_configuration(
    gate: GateDocument, path: Path, own: Sequence[OwnMechanism], found: Findings
) -> None:
    """Check that every entry of the file at ``path`` was answered, and every claim.

    Raises ``NotAReportError`` for a file that is no configuration.
    """
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
    _options(table, _OF_THE_WHOLE, str(path))
    for entry in entries:
        _options(entry, _OF_ENTRIES, f"an entry of {path}")
    entries = [_as_call(entry) for entry in entries]
    names = [str(entry.get("mechanism")) for entry in entries]
    answered = [finding.mechanism for finding in gate.mechanisms]
    message = f"it lists {', '.join(names)}; the report answers {', '.join(answered)}"
    found.expect(names == answered, "entries", str(path), message)
    for entry, finding in zip(entries, gate.mechanisms, strict=False):
        _check_entry(Asked(entry, table, finding, own, found))
    found.take(CAPS)
    for pattern, verdict in claims.items():
        if any(sign in pattern for sign in "*?["):
            found.take(PATTERNS)
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


_CALL, _DRAWS, _COMMAND = "call ", "draws of ", "command "
"""Prefixes of references to what a plain function, or a command, stands for."""


def _as_call(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of a plain function as that of the call, or the draws, which it means."""
    if "inputs" not in entry:
        return entry
    name, parameters = str(entry.get("mechanism")), entry.get("parameters", {})
    if not isinstance(parameters, dict):
        raise NotAReportError("parameters of an entry must be a table")
    kind = _DRAWS if entry.get("measure") == "sample" else _CALL
    given = {"inputs": _written(entry["inputs"])}
    if "neighbours" in entry:
        given["neighbours"] = str(entry["neighbours"])
    return {
        **entry,
        "mechanism": name if name.startswith((_CALL, _DRAWS, _COMMAND)) else kind + name,
        "label": entry.get("label") or name,
        "parameters": {**parameters, **given},
    }


def _written(inputs: Any, inside: bool = False) -> str:
    """Return inputs as a text: a list without its brackets, its values in Python's form."""
    if isinstance(inputs, str):
        return repr(inputs) if inside else inputs
    if isinstance(inputs, list):
        parts = ", ".join(_written(one, inside=True) for one in inputs)
        return f"[{parts}]" if inside else parts
    if isinstance(inputs, dict):
        pairs = (f"{key!r}: {_written(part, inside=True)}" for key, part in inputs.items())
        return f"{{{', '.join(pairs)}}}"
    return str(inputs)


def _check_function(asked: Asked) -> None:
    """Check what a plain function was called with, and that its reading is one that may pass."""
    entry, given = asked.entry, asked.described
    readings = entry.get("accepts", [entry["only"]] if "only" in entry else None)
    if "inputs" not in entry:
        asked.expect(readings is None, "readings asked for", "it is no plain function")
        return
    for key in ("inputs", "neighbours"):
        wanted = entry["parameters"].get(key, given.get(key))
        message = f"{key} is {given.get(key)}, not {wanted}"
        asked.expect(given.get(key) == wanted, "parameters asked for", message)
    read = given.get("only", "as-run")
    told = getattr(asked.audit, "semantics", None)
    same = told is None or str(told).replace(" ", "-") == read
    listed = [str(one).replace(" ", "-") for one in readings or ()]
    message = f"it was read {read}, not {' or '.join(listed)}"
    asked.expect(same and read in listed, "readings asked for", message)


def _options(table: dict[str, Any], known: Mapping[str, object], where: str) -> None:
    """Raise ``NotAReportError`` for an option that a gate does not have: it would refuse it."""
    for key in table:
        if key not in known:
            raise NotAReportError(f"{where} has an option {key[:40]!r}, which no gate has")


def _check_runs(asked: Asked) -> None:
    """Check how many runs an account is of, and on which samples."""
    account, entry = asked.audit, asked.entry
    given = [entry.get(name) for name in ("compose", "sample-rate", "direction", "width")]
    if not isinstance(account, CertifiedAccount):
        none = given == [None] * len(given)
        asked.expect(none, "runs asked for", "it is no account of runs")
        return
    runs, rate, direction, width = given
    same = account.compose == runs and (rate is None) is (account.sample_rate is None)
    same = same and (rate is None or same_parameter(rate, account.sample_rate))
    way = None if rate is None else direction or "both"
    same = same and account.direction == way and same_parameter(width or "1e-5", account.width)
    same = same and not account.then and account.solved is None
    asked.expect(same, "runs asked for", f"it is no account of {runs} such runs")


def _check_digits(asked: Asked) -> None:
    if isinstance(asked.audit, CertifiedAccount):
        return  # its width is asked for
    digits = asked.get("digits")  # a gate may be asked for more
    message = f"the intervals have {asked.audit.digits} digits, fewer than {digits}"
    asked.expect(asked.audit.digits >= digits, "digits asked for", message)


def _check_kind(asked: Asked) -> None:
    """Check what becomes of the audit under the rules for ties, of the entry and of the whole."""
    ties, fail_on, cap = (asked.get(option) for option in ("ties", "fail-on", "precision-cap"))
    if ties not in ("fail", "accept") or fail_on not in ("undecided", "tie"):
        raise NotAReportError(f"there is no rule ties = {ties}, fail-on = {fail_on}")
    if type(cap) is not int or not LEAST_CAP <= cap <= 65_536:
        raise NotAReportError(f"precision-cap = {cap}: must be from {LEAST_CAP} to 65536")
    try:
        expected = expected_kind(asked.finding, ties=ties, fail_on=fail_on, precision_cap=cap)
    except UnknownDefinitionError as error:
        asked.found.unknown(asked.finding.title, str(error))
        return
    kind = asked.finding.kind.value
    message = f"by ties = {ties}, fail-on = {fail_on} the entry comes to {expected}, not {kind}"
    asked.expect(kind == expected, "rules for ties", message)


def _check_interval(asked: Asked) -> None:
    """Check which interval was asked for, and which budget."""
    report = asked.audit if isinstance(asked.audit, IntervalAudit) else None
    for fits, kind, message in differences_of_interval(report, asked.entry):
        asked.expect(fits, kind, message)


_OF_ENTRIES: dict[str, Callable[[Asked], None] | str] = {
    **OF_THE_SUBJECT,
    "interval": _check_interval,
    "compose": _check_runs,
    "sample-rate": _check_runs,
    "direction": _check_runs,
    "width": _check_runs,
    **dict.fromkeys(("draws", "error", "against", "seed", "events"), DRAWS),
    **dict.fromkeys(("inputs", "neighbours", "only", "accepts"), _check_function),
    "ties": _check_kind,
    "digits": _check_digits,
    "time-cap": CAPS,
    "memory-cap": CAPS,
    "precision-cap": CAPS,
}
"""Every option of an entry: how it is checked, or what of it is taken from the report."""
_OF_THE_WHOLE: dict[str, Callable[[Asked], None] | str] = {
    "mechanism": OF_THE_SUBJECT["at"],
    "claims": PATTERNS,
    "fail-on": _check_kind,
    "digits": _check_digits,
    "time-cap": CAPS,
    "memory-cap": CAPS,
    "precision-cap": CAPS,
}
"""The same for the options of the whole."""


def _check_entry(asked: Asked) -> None:
    if isinstance(asked.finding.report, SampleReport):
        entries = asked.settings.get("mechanism", [])
        for fits, kind, message in differences_of_sample(asked.finding, asked.entry, entries):
            if fits is None:
                asked.found.unknown(asked.finding.title, message)
            else:
                asked.expect(fits, kind, message)
        return
    if asked.finding.report is None:
        message = f"without an audit it is {asked.finding.kind.value}"
        asked.expect(not asked.finding.passed, "rules for ties", message)
        return
    for check in dict.fromkeys((*_OF_ENTRIES.values(), *_OF_THE_WHOLE.values())):
        if not isinstance(check, str):
            check(asked)

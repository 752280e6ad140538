"""Comparison of a gate's report with its configuration: entries, sizes, budgets and claims."""

from __future__ import annotations

import hashlib
import tomllib
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from dpaudit.recheck.entry_requests import (
    OF_THE_SUBJECT,
    EntryComparison,
    matrix_of,
    training_of,
)
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.gates import BASELINE, LEAST_CAP, expected_kind
from dpaudit.recheck.intervals import differences_of_interval
from dpaudit.recheck.numbers import rational
from dpaudit.recheck.registry import same_parameter
from dpaudit.recheck.samples import DRAWS, differences_of_sample
from dpaudit.results import CertifiedAccount, IntervalAudit, MatrixRelease, SampleReport

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
    gate: GateDocument, path: Path, own: Sequence[OwnMechanism], findings: Findings
) -> None:
    """Check that every entry of the file at ``path`` was answered, and every claim.

    Raises ``NotAReportError`` for a file that is no configuration.
    """
    content, table = _read(path)
    digest = hashlib.sha256(content).hexdigest()
    message = "the file is not the one that was checked (another SHA-256)"
    findings.expect(gate.config_sha256 == digest, "configuration", str(path), message)
    entries, claims = table.get("mechanism", []), table.get("claims", {})
    if (
        not isinstance(entries, list)
        or not all(isinstance(entry, dict) for entry in entries)
        or not isinstance(claims, dict)
    ):
        raise NotAReportError(f"{path} is not a configuration of a gate")
    _options(table, _OF_THE_WHOLE, str(path))
    for entry in entries:
        _options(entry, _OF_ENTRIES, f"an entry of {path}")
    entries = [_as_call(entry) for entry in entries]
    if "baseline" in table:
        message = f"it was not compared with the baseline {table['baseline']}"
        findings.expect(gate.baseline is not None, "configuration", str(path), message)
    names = [str(entry.get("mechanism")) for entry in entries]
    answered = [finding.mechanism for finding in gate.mechanisms]
    message = f"it lists {', '.join(names)}; the report answers {', '.join(answered)}"
    findings.expect(names == answered, "entries", str(path), message)
    for entry, finding in zip(entries, gate.mechanisms, strict=False):
        _check_entry(EntryComparison(entry, table, finding, own, findings, path.parent))
    findings.take(CAPS)
    for pattern, verdict in claims.items():
        if any(sign in pattern for sign in "*?["):
            findings.take(PATTERNS)
        # Several patterns may match one claim: each has to be answered, not alone.
        fits = any(
            claim.expected == verdict
            for claim in gate.claims
            if claim.id == pattern or fnmatchcase(claim.id, pattern)
        )
        findings.expect(
            fits, "claims asked for", pattern, f"no claim can be expected to be {verdict}"
        )


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
        raise NotAReportError(f"{path} is not a configuration of a gate")
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
    arguments = {"inputs": _written(entry["inputs"])}
    if "neighbours" in entry:
        arguments["neighbours"] = str(entry["neighbours"])
    return {
        **entry,
        "mechanism": name if name.startswith((_CALL, _DRAWS, _COMMAND)) else kind + name,
        "label": entry.get("label") or name,
        "parameters": {**parameters, **arguments},
    }


def _written(inputs: Any, inside: bool = False) -> str:
    """Return inputs as a text: a list without its brackets, its values in Python's form."""
    if isinstance(inputs, str):
        return repr(inputs) if inside else inputs
    if isinstance(inputs, list):
        parts = ", ".join(_written(entry, inside=True) for entry in inputs)
        return f"[{parts}]" if inside else parts
    if isinstance(inputs, dict):
        pairs = (f"{key!r}: {_written(part, inside=True)}" for key, part in inputs.items())
        return f"{{{', '.join(pairs)}}}"
    return str(inputs)


def _check_function(comparison: EntryComparison) -> None:
    """Check what a plain function was called with, and that its reading is one that may pass."""
    entry, reported = comparison.entry, comparison.described
    readings = entry.get("accepts", [entry["only"]] if "only" in entry else None)
    if "inputs" not in entry:
        comparison.expect(readings is None, "readings asked for", "it is not a plain function")
        return
    for key in ("inputs", "neighbours"):
        expected = entry["parameters"].get(key, reported.get(key))
        message = f"{key} is {reported.get(key)}, not {expected}"
        comparison.expect(reported.get(key) == expected, "parameters asked for", message)
    read = reported.get("only", "as-run")
    semantics = getattr(comparison.audit, "semantics", None)
    same = semantics is None or str(semantics).replace(" ", "-") == read
    listed = [str(reading).replace(" ", "-") for reading in readings or ()]
    message = f"it was read {read}, not {' or '.join(listed)}"
    comparison.expect(same and read in listed, "readings asked for", message)


def _options(table: dict[str, Any], allowed: Mapping[str, object], where: str) -> None:
    """Raise ``NotAReportError`` for an option that a gate does not have: it would refuse it."""
    for key in table:
        if key not in allowed:
            raise NotAReportError(f"{where} has an option {key[:40]!r}, which no gate has")


_OF_RUNS = ("compose", "sample-rate", "direction", "width")
_OF_MATRICES = ("noise-multiplier", "max-participations", "min-sep", "participation")
"""Keys of entries about matrix mechanisms."""


def _check_runs(comparison: EntryComparison) -> None:
    """Check how many runs an account is of, and on which samples."""
    account, entry = comparison.audit, comparison.entry
    requested = [entry.get(name) for name in _OF_RUNS]
    if not isinstance(account, CertifiedAccount):
        none = not any(key in entry for key in (*_OF_RUNS, "sampling", *_OF_MATRICES))
        comparison.expect(none, "runs asked for", "it is not an account of runs")
        return
    if (release := matrix_of(account)) is not None:
        _check_matrix(comparison, account, release)
        return
    none = not any(key in entry for key in _OF_MATRICES)
    comparison.expect(none, "runs asked for", "it is not an account of a matrix mechanism")
    if training_of(account) is not None:
        _check_training(comparison, account)
        return
    runs, rate, direction, width = requested
    same = account.compose == runs and (rate is None) is (account.sample_rate is None)
    same = same and (rate is None or same_parameter(rate, account.sample_rate))
    way = None if rate is None else direction or "both"
    same = same and account.direction == way and same_parameter(width or "1e-5", account.width)
    same = same and not account.then and account.solved is None and "sampling" not in entry
    comparison.expect(same, "runs asked for", f"it is not an account of {runs} such runs")


def _check_training(comparison: EntryComparison, account: CertifiedAccount) -> None:
    """Check the batches, the neighbours and the width that an account of a training is of."""
    entry = comparison.entry
    sampling, direction = entry.get("sampling"), entry.get("direction")
    way = "poisson" if account.batches is None else account.batches.sampling
    message = f"batches are {way}, not {sampling}"
    comparison.expect(sampling in (None, way), "runs asked for", message)
    sampled = account.sample_rate is not None
    same = account.direction == ((direction or "both") if sampled else None)
    comparison.expect(same, "runs asked for", f"the direction is not {direction}")
    _check_width(comparison, account)


def _check_matrix(
    comparison: EntryComparison, account: CertifiedAccount, release: MatrixRelease
) -> None:
    """Check the noise, the participation and the width that an account of a matrix is of."""
    entry = comparison.entry
    noise, most, separation, schema = (entry.get(key) for key in _OF_MATRICES)
    foreign = [key for key in (*_OF_RUNS[:-1], "sampling") if key in entry]
    message = f"a matrix mechanism has no {', '.join(foreign)}"
    comparison.expect(not foreign, "runs asked for", message)
    message = f"the noise multiplier is {release.noise_multiplier}, not {noise}"
    same = noise is not None and same_parameter(noise, str(release.noise_multiplier))
    comparison.expect(same, "runs asked for", message)
    requested = (most, separation, schema or "min-sep")
    reported = (release.max_participations, release.min_sep, release.participation)
    message = f"the participation is {reported}, not {requested}"
    comparison.expect(requested == reported, "runs asked for", message)
    _check_width(comparison, account)


def _check_width(comparison: EntryComparison, account: CertifiedAccount) -> None:
    """Check the accepted width of an account of a file, and that nothing was solved for."""
    text = str(comparison.entry.get("width") or "1%").strip()
    relative = text.endswith("%")
    share = [text[:-1], "100"] if relative else [text, "1"]
    try:
        fits = rational(share[0]) / rational(share[1]) == rational(str(account.width))
    except ValueError:
        fits = not relative and same_parameter(text, account.width)
    fits &= account.relative is relative and account.solved is None
    comparison.expect(fits, "runs asked for", f"the width is not {text}")


def _check_digits(comparison: EntryComparison) -> None:
    if isinstance(comparison.audit, CertifiedAccount):
        return  # its width is asked for
    digits = comparison.get("digits")  # a gate may be asked for more
    message = f"the intervals have {comparison.audit.digits} digits, fewer than {digits}"
    comparison.expect(comparison.audit.digits >= digits, "digits asked for", message)


def _check_kind(comparison: EntryComparison) -> None:
    """Check what becomes of the audit under the rules for ties, of the entry and of the whole."""
    ties, fail_on, cap = (comparison.get(option) for option in ("ties", "fail-on", "precision-cap"))
    if ties not in ("fail", "accept") or fail_on not in ("undecided", "tie"):
        raise NotAReportError(f"there is no rule ties = {ties}, fail-on = {fail_on}")
    if type(cap) is not int or not LEAST_CAP <= cap <= 65_536:
        raise NotAReportError(f"precision-cap = {cap}: must be from {LEAST_CAP} to 65536")
    try:
        expected = expected_kind(comparison.finding, ties=ties, fail_on=fail_on, precision_cap=cap)
    except UnknownDefinitionError as error:
        comparison.findings.unknown(comparison.finding.title, str(error))
        return
    kind = comparison.finding.kind.value
    message = (
        f"by ties = {ties}, fail-on = {fail_on} the outcome of the entry is {expected}, not {kind}"
    )
    comparison.expect(kind == expected, "rules for ties", message)


def _check_interval(comparison: EntryComparison) -> None:
    """Check which interval was asked for, and which budget."""
    report = comparison.audit if isinstance(comparison.audit, IntervalAudit) else None
    for fits, kind, message in differences_of_interval(report, comparison.entry):
        comparison.expect(fits, kind, message)


_OF_ENTRIES: dict[str, Callable[[EntryComparison], None] | str] = {
    **OF_THE_SUBJECT,
    "interval": _check_interval,
    "compose": _check_runs,
    "sample-rate": _check_runs,
    "direction": _check_runs,
    "width": _check_runs,
    "sampling": _check_runs,
    **dict.fromkeys(_OF_MATRICES, _check_runs),
    **dict.fromkeys(("draws", "error", "against", "seed", "events"), DRAWS),
    **dict.fromkeys(("inputs", "neighbours", "only", "accepts"), _check_function),
    "ties": _check_kind,
    "digits": _check_digits,
    "time-cap": CAPS,
    "memory-cap": CAPS,
    "precision-cap": CAPS,
}
"""Every option of an entry: how it is checked, or what of it is taken from the report."""
_OF_THE_WHOLE: dict[str, Callable[[EntryComparison], None] | str] = {
    "mechanism": OF_THE_SUBJECT["at"],
    "claims": PATTERNS,
    "fail-on": _check_kind,
    "baseline": BASELINE,
    "digits": _check_digits,
    "time-cap": CAPS,
    "memory-cap": CAPS,
    "precision-cap": CAPS,
}
"""The same for the options of the whole."""


def _check_entry(comparison: EntryComparison) -> None:
    if isinstance(comparison.finding.report, SampleReport):
        entries = comparison.settings.get("mechanism", [])
        for fits, kind, message in differences_of_sample(
            comparison.finding, comparison.entry, entries
        ):
            if fits is None:
                comparison.findings.unknown(comparison.finding.title, message)
            else:
                comparison.expect(fits, kind, message)
        return
    if comparison.finding.report is None:
        message = f"without an audit it is {comparison.finding.kind.value}"
        comparison.expect(not comparison.finding.passed, "rules for ties", message)
        return
    for check in dict.fromkeys((*_OF_ENTRIES.values(), *_OF_THE_WHOLE.values())):
        if not isinstance(check, str):
            check(comparison)

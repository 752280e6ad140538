"""Whether a gate's report answers a configuration: its entries, sizes, budgets and claims."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.recheck.binding import same_budget, sizes_of
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.gates import CHECKS, LEAST_CAP, NOT_HELD, expected_kind
from dpaudit.recheck.histograms import WORDS_OF_HISTOGRAMS, WORDS_OF_ONE_USER, WORDS_OF_SEQUENCES
from dpaudit.recheck.intervals import differences_of_interval
from dpaudit.recheck.registry import DEFAULTS, definition_of, differences, parts_of, same_parameter
from dpaudit.recheck.samples import DRAWS, differences_of_sample
from dpaudit.recheck.user_mechanisms import own_of
from dpaudit.results import CalibrationReport
from dpaudit.results.words import same_mechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.user_mechanisms import OwnMechanism
    from dpaudit.results import Reported
    from dpaudit.results.gates import Finding, GateDocument

__all__ = ["CONFIG", "check_configuration"]

_ENOUGH = 60
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
    names = [str(entry.get("mechanism")) for entry in entries]
    answered = [finding.mechanism for finding in gate.mechanisms]
    message = f"it lists {', '.join(names)}; the report answers {', '.join(answered)}"
    found.expect(names == answered, "entries", str(path), message)
    for entry, finding in zip(entries, gate.mechanisms, strict=False):
        _check_entry(_Asked(entry, table, finding, own, found))
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


def _options(table: dict[str, Any], known: Mapping[str, object], where: str) -> None:
    """Raise ``NotAReportError`` for an option that a gate does not have: it would refuse it."""
    for key in table:
        if key not in known:
            raise NotAReportError(f"{where} has an option {key[:40]!r}, which no gate has")


@dataclass(frozen=True)
class _Asked:
    """One entry of a configuration, with the settings of the whole, and what answers it."""

    entry: dict[str, Any]
    settings: dict[str, Any]
    finding: Finding
    own: Sequence[OwnMechanism]
    found: Findings

    @property
    def audit(self) -> Reported:
        """What the entry came to."""
        audit = self.finding.report
        assert audit is not None
        return audit

    def get(self, option: str) -> Any:
        """Return an option: the entry's, else that of the whole, else its default."""
        return self.entry.get(option, self.settings.get(option, _DEFAULTS.get(option)))

    def expect(self, agrees: bool, kind: str, message: str) -> None:
        """Count an option that is answered, or note that it is not."""
        self.found.expect(agrees, kind, self.finding.title, message)


def _check_mechanism(asked: _Asked) -> None:
    """Check that a mechanism of the package is not one that was loaded from elsewhere."""
    name = str(asked.entry.get("mechanism"))
    built_in = any(same_mechanism(name, known) for known in DEFAULTS)
    message = f"{name} is {'' if built_in else 'not '}a mechanism of the package"
    asked.expect(built_in is (asked.audit.loaded is None), "mechanisms asked for", message)


def _check_label(asked: _Asked) -> None:
    title = asked.entry.get("label") or asked.entry.get("mechanism")
    message = f"it is called {asked.finding.title}, not {title}"
    asked.expect(asked.finding.title == title, "labels asked for", message)


def _check_sizes(asked: _Asked) -> None:
    """Check the sizes; where none is asked for, the datasets do not depend on it, and it is 1."""
    audit, n = asked.audit, asked.entry.get("n")
    without: tuple[Any, ...] = (
        audit.uncalibrated if isinstance(audit, CalibrationReport) else audit.undecided
    )
    done = {*(s.n for s in audit.results), *audit.missing, *(s.n for s in without)}
    message = f"the sizes are not those of n = {n}"
    meant = {1} if n is None else sizes_of(n)
    if n is None and done != meant and _counts(asked) is not None:
        meant = {sum(_counts(asked) or ())}
    fits = done == meant
    asked.expect(fits, "sizes asked for", message)


def _counts(asked: _Asked) -> list[int] | None:
    """Return the counts of the data that an entry names; None where it names none by counts."""
    at = asked.entry.get("at")
    parts = at.split(",") if isinstance(at, str) else at
    if not isinstance(parts, list) or not all(str(part).strip().isdecimal() for part in parts):
        return None
    return [int(part) for part in parts]


def _check_scope(asked: _Asked) -> None:
    """Check that an entry was answered over the pairs it means, and not at a file."""
    audit, at = asked.audit, asked.entry.get("at")
    counts = _counts(asked)
    wanted = at if counts is None else ",".join(map(str, counts))
    where = "all pairs" if wanted is None else f"those around {wanted}"
    message = f"the pairs around {audit.at} were audited, not {where}"
    asked.expect(audit.at == wanted, "audits over all pairs", message)
    message = "it was answered for the data of a file"
    asked.expect(getattr(audit, "data", None) is None, "audits over all pairs", message)


def _check_budget(asked: _Asked) -> None:
    budget = asked.entry.get("budget")
    same = same_budget(budget, asked.audit, asked.finding.bounds)
    asked.expect(same, "budgets asked for", f"the budget is not {budget}")


def _check_measure(asked: _Asked) -> None:
    wanted = asked.entry.get("measure", "check")
    held = {"calibrate": "calibration"}.get(wanted, wanted)
    report = asked.finding.audit or asked.finding.notion
    if wanted != "check":
        report = getattr(asked.finding, held) if held in CHECKS else None
    asked.expect(report is not None, "measures asked for", f"the measure is not {wanted}")


def _check_bounds(asked: _Asked) -> None:
    """Check what the numbers of a report without a verdict are held to."""
    finding, budget = asked.finding, asked.entry.get("budget")
    wanted: list[list[Any]] = []
    if finding.curve is not None:
        several = isinstance(budget, list) and isinstance(budget[0], list)
        wanted = list(budget or []) if several else [parts_of(budget)]
    elif finding.tradeoff is not None or finding.accuracy is not None:
        wanted = [[budget]]
    elif finding.calibration is not None:
        wanted = [[asked.entry.get("nominal")]]
    given = [
        [bound.limit] if bound.at is None else [bound.at, bound.limit] for bound in finding.bounds
    ]
    same = len(wanted) == len(given) and all(map(same_parameter, wanted, given))
    asked.expect(same, "bounds asked for", "the bounds are not those of the entry")


def _check_metric(asked: _Asked) -> None:
    """Check which error was asked for, of mechanisms as they are given and in no other reading."""
    report, wanted = asked.finding.accuracy, asked.entry.get("metric")
    told = None if report is None else (report.metric, report.equal, report.outside, report.by)
    meant = None if report is None else (wanted or "hellinger", "nominal", None, "")
    asked.expect(told == meant, "metrics asked for", f"the metric is not {wanted}")


def _check_notion(asked: _Asked) -> None:
    notion = None if asked.finding.notion is None else asked.finding.notion.notion.name
    wanted = asked.entry.get("notion")
    asked.expect(notion == wanted, "notions asked for", f"the notion is not {wanted}")


def _check_order(asked: _Asked) -> None:
    notion, wanted = asked.finding.notion, asked.entry.get("order")
    given = None if notion is None else notion.notion.order
    fits = given is None if wanted is None else given is not None and same_parameter(wanted, given)
    asked.expect(fits, "orders asked for", f"the order is not {wanted}")


def _check_adjacency(asked: _Asked) -> None:
    """Check the relation, the mechanism's own where an entry names none."""
    audit, wanted = asked.audit, asked.entry.get("adjacency")
    defaulted = False
    old = (WORDS_OF_SEQUENCES,) if audit.loaded else (WORDS_OF_HISTOGRAMS, WORDS_OF_ONE_USER)
    names = [str(wanted), *(names[str(wanted)] for names in old if str(wanted) in names)]
    if wanted is None:
        definition = _definition(asked)
        if definition is None:
            return
        name, defaulted = definition.default_relation()
        names = [name]
    message = f"the adjacency is {audit.adjacency}, not {' or '.join(names)}"
    fits = audit.adjacency in names and audit.adjacency_defaulted is defaulted
    asked.expect(fits, "adjacencies asked for", message)


def _definition(asked: _Asked) -> Definition | None:
    """Return the definition of what was audited; without one nothing is accepted in any case."""
    with mp.workdps(_ENOUGH):
        try:
            return definition_of(asked.audit.described, asked.own, asked.audit.loaded)
        except UnknownDefinitionError as error:
            asked.found.unknown(asked.finding.title, str(error))
            return None


def _check_parameters(asked: _Asked) -> None:
    """Check the parameters of an entry, and that those it leaves out have their defaults."""
    audit, wanted = asked.audit, asked.entry.get("parameters", {})
    name = str(audit.described.get("name"))
    given = {key: part for key, part in audit.described.items() if key != "name"}
    if not isinstance(wanted, dict):
        raise NotAReportError("parameters of an entry must be a table")
    if isinstance(audit, CalibrationReport):  # it is the nominal ε of the budget, which is checked
        wanted = {**wanted, "epsilon": given.get("epsilon")}
    wrong: list[str] = []
    if audit.loaded is None:
        if name not in DEFAULTS:
            return  # there is no definition of it, which is noted
        wrong = differences(name, wanted, given)
    else:
        try:
            made = own_of(name, audit.loaded, asked.own).shown(wanted)
        except UnknownDefinitionError as error:
            asked.found.unknown(asked.finding.title, str(error))
            return
        for key in sorted({*made, *given}):
            if made.get(key) != given.get(key):
                wrong.append(f"{key} is {given.get(key)}, not {made.get(key)}")
    asked.expect(not wrong, "parameters asked for", "; ".join(wrong))


def _check_runs(asked: _Asked) -> None:
    """Check how many runs an account is of, and on which samples."""
    account, entry = asked.finding.account, asked.entry
    given = [entry.get(name) for name in ("compose", "sample-rate", "direction", "width")]
    if account is None:
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


def _check_digits(asked: _Asked) -> None:
    if asked.finding.account is not None:
        return  # its width is asked for
    digits = asked.get("digits")  # a gate may be asked for more
    message = f"the intervals have {asked.audit.digits} digits, fewer than {digits}"
    asked.expect(asked.audit.digits >= digits, "digits asked for", message)


def _check_kind(asked: _Asked) -> None:
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


def _check_interval(asked: _Asked) -> None:
    """Check which interval was asked for, and which budget."""
    report = asked.finding.interval
    for fits, kind, message in differences_of_interval(report, asked.entry):
        asked.expect(fits, kind, message)
    if report is not None:
        asked.found.unknown(asked.finding.title, NOT_HELD)


_DEFAULTS = {"digits": 12, "precision-cap": 1024, "ties": "fail", "fail-on": "undecided"}
"""What options that have one are where they are left out."""
_OF_ENTRIES: dict[str, Callable[[_Asked], None] | str] = {
    "mechanism": _check_mechanism,
    "label": _check_label,
    "n": _check_sizes,
    "measure": _check_measure,
    "budget": _check_budget,
    "nominal": _check_bounds,
    "at": _check_scope,
    "metric": _check_metric,
    "notion": _check_notion,
    "order": _check_order,
    "interval": _check_interval,
    "compose": _check_runs,
    "sample-rate": _check_runs,
    "direction": _check_runs,
    "width": _check_runs,
    **dict.fromkeys(("draws", "error", "against", "seed"), DRAWS),
    "parameters": _check_parameters,
    "adjacency": _check_adjacency,
    "ties": _check_kind,
    "digits": _check_digits,
    "time-cap": CAPS,
    "memory-cap": CAPS,
    "precision-cap": CAPS,
}
"""Every option of an entry: how it is checked, or what of it is taken from the report."""
_OF_THE_WHOLE: dict[str, Callable[[_Asked], None] | str] = {
    "mechanism": _check_scope,
    "claims": PATTERNS,
    "fail-on": _check_kind,
    "digits": _check_digits,
    "time-cap": CAPS,
    "memory-cap": CAPS,
    "precision-cap": CAPS,
}
"""The same for the options of the whole."""


def _check_entry(asked: _Asked) -> None:
    if asked.finding.sample is not None:
        entries = asked.settings.get("mechanism", [])
        for fits, kind, message in differences_of_sample(asked.finding, asked.entry, entries):
            asked.expect(fits, kind, message)
        return
    if asked.finding.report is None:
        message = f"without an audit it is {asked.finding.kind.value}"
        asked.expect(not asked.finding.passed, "rules for ties", message)
        return
    if asked.finding.interval is not None:
        _check_interval(asked)
        return
    for check in dict.fromkeys((*_OF_ENTRIES.values(), *_OF_THE_WHOLE.values())):
        if not isinstance(check, str):
            check(asked)

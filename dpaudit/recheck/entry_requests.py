"""Comparison of one entry of a gate's configuration with the report that answers it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.recheck.binding import same_budget, sizes_of
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.histograms import WORDS_OF_HISTOGRAMS, WORDS_OF_ONE_USER, WORDS_OF_SEQUENCES
from dpaudit.recheck.interval_points import described_at
from dpaudit.recheck.registry import DEFAULTS, definition_of, differences, parts_of, same_parameter
from dpaudit.recheck.user_mechanisms import OwnMechanism, own_of
from dpaudit.results import (
    AccuracyReport,
    CalibrationReport,
    CertifiedAccount,
    CurveReport,
    Finding,
    IntervalAudit,
    MatrixRelease,
    MeasuredAudit,
    Reported,
    TradeoffReport,
    Training,
)
from dpaudit.results.words import same_mechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from dpaudit.recheck.definition import Definition


__all__ = ["OF_THE_SUBJECT", "EntryComparison", "file_of", "matrix_of", "training_of"]

_ENOUGH = 60
_DEFAULTS = {"digits": 12, "precision-cap": 1024, "ties": "fail", "fail-on": "undecided"}
"""Defaults of the options that have one."""


@dataclass(frozen=True)
class EntryComparison:
    """One entry of a configuration, the settings of the whole, and the finding that answers."""

    entry: dict[str, Any]
    settings: dict[str, Any]
    finding: Finding
    own: Sequence[OwnMechanism]
    findings: Findings
    folder: Path
    """Folder of the configuration, which its paths are relative to."""

    @property
    def audit(self) -> Reported:
        """Report that answers the entry."""
        audit = self.finding.report
        assert isinstance(audit, Reported)
        return audit

    @property
    def described(self) -> dict[str, Any]:
        """Mechanism and parameters that the report describes; of an interval, at its first end."""
        audit = self.audit
        if isinstance(audit, IntervalAudit):
            return described_at(audit, audit.epsilon.first)
        return dict(audit.described)

    def get(self, option: str) -> Any:
        """Return an option: the entry's, else that of the whole, else its default."""
        return self.entry.get(option, self.settings.get(option, _DEFAULTS.get(option)))

    def expect(self, agrees: bool, kind: str, message: str) -> None:
        """Count an option that is answered, or note that it is not."""
        self.findings.expect(agrees, kind, self.finding.title, message)


def training_of(audit: Reported) -> Training | None:
    """Return the training that an account was read from, None for any other report."""
    return audit.training if isinstance(audit, CertifiedAccount) else None


def matrix_of(audit: Reported) -> MatrixRelease | None:
    """Return the matrix mechanism that an account is of, None for any other report."""
    return audit.matrix if isinstance(audit, CertifiedAccount) else None


def file_of(audit: Reported) -> Training | MatrixRelease | None:
    """Return what was read from the file that an entry names; None for a mechanism's report."""
    return training_of(audit) or matrix_of(audit)


def _check_mechanism(comparison: EntryComparison) -> None:
    """Check that a mechanism of the package is not one that was loaded from elsewhere."""
    name = str(comparison.entry.get("mechanism"))
    if (content := file_of(comparison.audit)) is not None:
        try:
            digest = hashlib.sha256((comparison.folder / name).read_bytes()).hexdigest()
        except (OSError, ValueError) as error:
            reason = f"the file {name} cannot be read: {error}"
            comparison.findings.unknown(comparison.finding.title, reason)
            return
        message = f"{name} is not the file that was read (another SHA-256)"
        comparison.expect(content.sha256 == digest, "mechanisms asked for", message)
        return
    built_in = any(same_mechanism(name, defined) for defined in DEFAULTS)
    message = f"{name} is {'' if built_in else 'not '}a mechanism of the package"
    comparison.expect(
        built_in is (comparison.audit.loaded is None), "mechanisms asked for", message
    )


def _check_label(comparison: EntryComparison) -> None:
    title = comparison.entry.get("label") or comparison.entry.get("mechanism")
    message = f"it is called {comparison.finding.title}, not {title}"
    comparison.expect(comparison.finding.title == title, "labels asked for", message)


def _check_sizes(comparison: EntryComparison) -> None:
    """Check the sizes; where none is asked for, the datasets do not depend on it, and it is 1."""
    audit, n = comparison.audit, comparison.entry.get("n")
    sized: tuple[Any, ...] = (*audit.results, *audit.without_result)
    done = {*(size.n for size in sized), *audit.missing}
    message = f"the sizes are not those of n = {n}"
    sizes = {1} if n is None else sizes_of(n)
    if n is None and done != sizes and _counts(comparison) is not None:
        sizes = {sum(_counts(comparison) or ())}
    fits = done == sizes
    comparison.expect(fits, "sizes asked for", message)


def _counts(comparison: EntryComparison) -> list[int] | None:
    """Return the counts of the data that an entry names; None where it names none by counts."""
    at = comparison.entry.get("at")
    parts = at.split(",") if isinstance(at, str) else at
    if not isinstance(parts, list) or not all(str(part).strip().isdecimal() for part in parts):
        return None
    return [int(part) for part in parts]


def _check_scope(comparison: EntryComparison) -> None:
    """Check that an entry was answered over the pairs it means, and not at a file."""
    audit, at = comparison.audit, comparison.entry.get("at")
    counts = _counts(comparison)
    requested = at if counts is None else ",".join(map(str, counts))
    where = "all pairs" if requested is None else f"those around {requested}"
    message = f"the pairs around {audit.at} were audited, not {where}"
    comparison.expect(audit.at == requested, "audits over all pairs", message)
    message = "it was answered for the data of a file"
    comparison.expect(getattr(audit, "data", None) is None, "audits over all pairs", message)


def _check_budget(comparison: EntryComparison) -> None:
    if isinstance(comparison.audit, IntervalAudit):
        return  # it is held with the interval
    budget = comparison.entry.get("budget")
    same = same_budget(budget, comparison.audit, comparison.finding.bounds)
    comparison.expect(same, "budgets asked for", f"the budget is not {budget}")


_SCHEMAS = {
    "check": ("dpaudit.audit/1", "dpaudit.notion/1", "dpaudit.interval/1"),
    "curve": ("dpaudit.curve/1",),
    "tradeoff": ("dpaudit.tradeoff/1",),
    "calibrate": ("dpaudit.calibration/1",),
    "accuracy": ("dpaudit.accuracy/2",),
    "account": ("dpaudit.account/2",),
    "account-run": ("dpaudit.account/2",),
    "account-matrix": ("dpaudit.account/2",),
}
"""Schemas of the reports that answer a measure."""


def _check_measure(comparison: EntryComparison) -> None:
    requested = comparison.entry.get("measure", "check")
    fits = comparison.audit.schema in _SCHEMAS.get(requested, ())
    fits &= (training_of(comparison.audit) is not None) is (requested == "account-run")
    fits &= (matrix_of(comparison.audit) is not None) is (requested == "account-matrix")
    comparison.expect(fits, "measures asked for", f"the measure is not {requested}")


def _check_bounds(comparison: EntryComparison) -> None:
    """Check that a report without a verdict has the bounds of its entry."""
    finding, budget = comparison.finding, comparison.entry.get("budget")
    requested: list[list[Any]] = []
    if isinstance(comparison.audit, CurveReport):
        several = isinstance(budget, list) and isinstance(budget[0], list)
        requested = list(budget or []) if several else [parts_of(budget)]
    elif isinstance(comparison.audit, (TradeoffReport, AccuracyReport)):
        requested = [[budget]]
    elif isinstance(comparison.audit, CalibrationReport):
        requested = [[comparison.entry.get("nominal")]]
    reported = [
        [bound.limit] if bound.at is None else [bound.at, bound.limit] for bound in finding.bounds
    ]
    same = len(requested) == len(reported) and all(map(same_parameter, requested, reported))
    comparison.expect(same, "bounds asked for", "the bounds are not those of the entry")


def _check_metric(comparison: EntryComparison) -> None:
    """Check which error was asked for, of mechanisms as they are given and in no other reading."""
    report, requested = comparison.audit, comparison.entry.get("metric")
    reported, expected = None, None
    if isinstance(report, AccuracyReport):
        reported = (report.metric, report.equal, report.outside, report.by)
        expected = (requested or "hellinger", "nominal", None, "")
    comparison.expect(reported == expected, "metrics asked for", f"the metric is not {requested}")


def _check_notion(comparison: EntryComparison) -> None:
    notion = comparison.audit.notion.name if isinstance(comparison.audit, MeasuredAudit) else None
    requested = comparison.entry.get("notion")
    comparison.expect(notion == requested, "notions asked for", f"the notion is not {requested}")


def _check_order(comparison: EntryComparison) -> None:
    requested = comparison.entry.get("order")
    reported = (
        comparison.audit.notion.order if isinstance(comparison.audit, MeasuredAudit) else None
    )
    fits = (
        reported is None
        if requested is None
        else reported is not None and same_parameter(requested, reported)
    )
    comparison.expect(fits, "orders asked for", f"the order is not {requested}")


def _check_adjacency(comparison: EntryComparison) -> None:
    """Check the relation, the mechanism's own where an entry names none."""
    audit, requested = comparison.audit, comparison.entry.get("adjacency")
    defaulted = False
    old = (WORDS_OF_SEQUENCES,) if audit.loaded else (WORDS_OF_HISTOGRAMS, WORDS_OF_ONE_USER)
    names = [str(requested), *(names[str(requested)] for names in old if str(requested) in names)]
    if requested is None:
        definition = _definition(comparison)
        if definition is None:
            return
        name, defaulted = definition.default_relation()
        names = [name]
    message = f"the adjacency is {audit.adjacency}, not {' or '.join(names)}"
    fits = audit.adjacency in names and audit.adjacency_defaulted is defaulted
    comparison.expect(fits, "adjacencies asked for", message)


def _definition(comparison: EntryComparison) -> Definition | None:
    """Return the definition of what was audited; without one nothing is accepted in any case."""
    with mp.workdps(_ENOUGH):
        try:
            return definition_of(comparison.described, comparison.own, comparison.audit.loaded)
        except UnknownDefinitionError as error:
            comparison.findings.unknown(comparison.finding.title, str(error))
            return None


def _check_parameters(comparison: EntryComparison) -> None:
    """Check the parameters of an entry, and that those it leaves out have their defaults."""
    audit, requested = comparison.audit, comparison.entry.get("parameters", {})
    reported = comparison.described
    name = str(reported.pop("name", None))
    if not isinstance(requested, dict):
        raise NotAReportError("parameters of an entry must be a table")
    if file_of(audit) is not None:
        comparison.expect(not requested, "parameters asked for", "a file has none")
        return  # they are those of its file
    if isinstance(audit, CalibrationReport):  # it is the nominal ε of the budget, which is checked
        requested = {**requested, "epsilon": reported.get("epsilon")}
    if isinstance(audit, IntervalAudit):  # the interval is checked on its own
        requested = {audit.parameter: reported.get(audit.parameter), **requested}
    wrong: list[str] = []
    if audit.loaded is None:
        if name not in DEFAULTS:
            return  # there is no definition of it, which is noted
        wrong = differences(name, requested, reported)
    else:
        try:
            expected = own_of(name, audit.loaded, comparison.own).shown(requested)
        except UnknownDefinitionError as error:
            comparison.findings.unknown(comparison.finding.title, str(error))
            return
        for key in sorted({*expected, *reported}):
            if expected.get(key) != reported.get(key):
                wrong.append(f"{key} is {reported.get(key)}, not {expected.get(key)}")
    comparison.expect(not wrong, "parameters asked for", "; ".join(wrong))


OF_THE_SUBJECT: Mapping[str, Callable[[EntryComparison], None]] = {
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
    "parameters": _check_parameters,
    "adjacency": _check_adjacency,
}
"""Checks of the options that choose subject, measure and bounds, by option."""

"""Verifying a report: its seal, and everything in it that can be computed a second time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp

from dpaudit import results
from dpaudit.errors import TimeCapReached
from dpaudit.recheck.accounts import check_account
from dpaudit.recheck.accuracies import check_accuracy
from dpaudit.recheck.audits import check_audit
from dpaudit.recheck.binding import Requirements, check_requirements
from dpaudit.recheck.calibrations import check_calibration
from dpaudit.recheck.canaries import check_canaries
from dpaudit.recheck.canary_plans import (
    check_canary_needs,
    check_canary_plan,
    check_inclusion,
)
from dpaudit.recheck.certified import check_certified
from dpaudit.recheck.configurations import CONFIG, check_configuration
from dpaudit.recheck.curves import check_curve, check_tradeoff
from dpaudit.recheck.findings import (
    Findings,
    NotAReportError,
    UnknownDefinitionError,
    VerificationDocument,
    worst,
)
from dpaudit.recheck.gates import CHECKS, check_gate
from dpaudit.recheck.hunts import check_hunt
from dpaudit.recheck.interval_curves import check_interval_curve
from dpaudit.recheck.intervals import check_interval
from dpaudit.recheck.notions import check_notion
from dpaudit.recheck.options import RecheckOptions
from dpaudit.recheck.reading import as_result, check_room, is_sealed, read_report
from dpaudit.recheck.samplers import check_sampler
from dpaudit.recheck.subject import check_data
from dpaudit.results.documents import documents
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.recheck.user_mechanisms import OwnMechanism

__all__ = ["RECHECKED", "schemas_text", "verify"]


class Rechecked(NamedTuple):
    """A schema whose reports are rechecked."""

    result: Any
    """Type that a report of the schema is read as."""
    check: Callable[..., None]
    """Function that rechecks one report."""
    what: str
    """Statements that are recomputed, in words."""


_AUDIT = "losses, ε and δ at the witnesses, every δ asked for, coverage, verdicts"
_CURVE = "both probabilities of every event, both hulls, every δ shown"
_NOTION = "the value at the worst pair, implied budgets, coverage, verdicts"
_TRADEOFF = "both probabilities of every event, both hulls, every error shown, μ"
_CALIBRATION = "the audits at three nominal ε, gains, mean errors, verdicts"
_ACCOUNT = "δ of the composed runs at the reported pair, and its comparison with the estimates"
_CERTIFIED = "δ of all runs at each row's pair, by transforms, moments or brute force, the verdict"
_REPORTS = "every report in it, each as one alone; the verdict on all of them"
_GATE = "every audit, curve and calibration, the outcome of every entry, ties, the configuration"
_HUNT = "the audit of the worst point, its ratio, where points lie, the verdict; not the search"
_INTERVAL = "that pieces cover the interval, their verdicts, what is kept, ε at points, witnesses"
_LINES = "that pieces cover the interval, δ at points over all pairs, and at worst pairs"
_SAMPLE = "the verdict and the bounds that follow from its counts, by another test; not the draws"
_CANARIES = "both ends of each bound on ε or μ from the counts, the verdict; not the guesses"
_PLAN = "both ends of each bound on ε, right guesses from shares, the best number of guesses"
_NEEDS = "that this number of canaries is enough, and none of the hundred smaller numbers"
_INCLUSION = "every coin, from the seed; not that it was written before the training"
_ACCURACY = "means, variances, quantiles, tails and laws of errors, whether all are decided"


def check_reports(
    document: results.ReportList, findings: Findings, options: RecheckOptions
) -> None:
    """Recheck every report of a list, each as one alone, and the verdict on all of them."""
    parts: Sequence[Any] = document.reports
    if not parts:
        raise NotAReportError("it holds no report")
    schema = parts[0].schema
    kind = RECHECKED.get(schema)
    if kind is None or isinstance(parts[0], results.SampleReport):
        raise NotAReportError(f"reports with the schema {schema!r:.60} are not listed")
    _check_inner([(schema, part) for part in parts])
    check_room(parts, options.own, all_pairs=options.all_pairs)
    for part in parts:
        check_data(document.data, part.at, _name(part), findings)
        _checked(kind.check, findings, _name(part), part, findings, options)
    _check_worst(document.verdict, parts, findings, document.schema)


_OF_CANARIES = (
    results.CanaryReport,
    results.CanaryPlan,
    results.CanaryNeeds,
    results.InclusionManifest,
)
"""Documents without a mechanism."""
_ROWS: dict[str, tuple[Any, ...]] = {
    "dpaudit.audit/1": (check_audit, _AUDIT),
    "dpaudit.curve/1": (check_curve, _CURVE),
    "dpaudit.notion/1": (check_notion, _NOTION),
    "dpaudit.tradeoff/1": (check_tradeoff, _TRADEOFF),
    "dpaudit.calibration/1": (check_calibration, _CALIBRATION),
    "dpaudit.canaries/1": (check_canaries, _CANARIES),
    "dpaudit.canary-plan/1": (check_canary_plan, _PLAN),
    "dpaudit.canary-needs/1": (check_canary_needs, _NEEDS),
    "dpaudit.inclusion/1": (check_inclusion, _INCLUSION),
    "dpaudit.estimates/1": (check_account, _ACCOUNT),
    "dpaudit.account/2": (check_certified, _CERTIFIED),
    "dpaudit.reports/1": (check_reports, _REPORTS),
    "dpaudit.gate/1": (check_gate, _GATE),
    "dpaudit.interval/1": (check_interval, _INTERVAL),
    "dpaudit.interval-curve/1": (check_interval_curve, _LINES),
    "dpaudit.hunt/1": (check_hunt, _HUNT),
    "dpaudit.sample/1": (check_sampler, _SAMPLE),
    "dpaudit.accuracy/2": (check_accuracy, _ACCURACY),
}
RECHECKED = {name: Rechecked(documents()[name], *row) for name, row in _ROWS.items()}
"""The schemas whose reports are rechecked, by name; reports of all others are refused."""

_FAILURES = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError),
    *(ValueError, mp.NoConvergence),
)
"""Errors that impossible numbers in a report may cause: they confirm nothing."""


def schemas_text() -> str:
    """Return the schemas that are rechecked, one a line, with what is computed again."""
    width = max(map(len, RECHECKED))
    return "".join(f"{name:<{width}}  {kind.what}\n" for name, kind in RECHECKED.items())


def verify(
    path: str | Path,
    own: Sequence[OwnMechanism] = (),
    requirements: Requirements | None = None,
    *,
    all_pairs: bool = False,
    progress: Callable[[str], None] = lambda what: None,
) -> VerificationDocument:
    """Recheck the report at ``path`` from the definitions, in mpmath.

    Args:
        path: a JSON report with one of the schemas of :data:`RECHECKED`.
        own: mechanisms of users; those the report is about are made with its parameters.
        requirements: the budget, sizes and configuration that it has to answer; None for any.
        all_pairs: True to recompute the maxima over all pairs, and not only the values at the
            witnesses.
        progress: called with the name of the part that is rechecked next.

    Returns:
        What became of it; where time or memory is up, what had been found until then.

    Raises:
        NotAReportError: for a file that is no such report, or has what no report can have.
        TooLargeError: for what there is no memory for.

    Example: ``dpaudit.verify("report.json").verdict == "accepted"``
    """
    path = Path(path)
    content, digest = read_report(path)
    requirements, findings = requirements or Requirements(), Findings()
    try:
        folder = Path() if requirements.config is None else requirements.config.parent
        options = RecheckOptions(own, all_pairs, folder, progress)
        _check(content, requirements, findings, options)
    except NotAReportError as error:
        raise NotAReportError(f"{path}: {error}") from None
    except (TimeCapReached, MemoryError) as error:
        # Contradictions count as they are; the rest is unconfirmed and never accepted.
        cap = "memory" if isinstance(error, MemoryError) else "time"
        findings.unknown(path.name, f"the {cap} cap was reached: what is left was not rechecked")
    return VerificationDocument(
        schema="dpaudit.verification/1",
        version=__version__,
        report=path.name,
        report_sha256=digest,
        verdict=findings.verdict,
        rechecked=dict(sorted(findings.rechecked.items())),
        disagreements=findings.disagreements,
        unconfirmed=findings.unconfirmed,
        taken=list(findings.taken),
        bound=requirements.stated(),
    )


def _check(
    content: dict[str, Any], requirements: Requirements, findings: Findings, options: RecheckOptions
) -> None:
    schema = content.get("schema")
    kind = RECHECKED.get(schema) if isinstance(schema, str) else None
    if kind is None:
        names = ", ".join(RECHECKED)
        raise NotAReportError(f"schema {schema!r} cannot be rechecked; known are {names}")
    gate = kind.result is results.GateDocument
    if requirements.config is not None and not gate:
        raise NotAReportError("--config belongs to the report of a gate, which this is not")
    sealed = is_sealed(content)
    findings.expect(
        sealed,
        "seals",
        str(schema),
        "the SHA-256 at the end of the report does not match its content",
    )
    document = as_result(content, kind.result)
    _check_version(document.version)
    parts: list[Any]
    if isinstance(document, results.ReportList):
        parts = list(document.reports)
        kind.check(document, findings, options)
    elif gate:
        inner = [finding.report for finding in document.mechanisms if finding.report is not None]
        for part in inner:
            if part.schema not in CHECKS:
                raise NotAReportError(f"no entry of a gate can have a report {part.schema!r:.60}")
        _check_inner([(part.schema, part) for part in inner])
        # What was drawn has no definition that could be looked at.
        parts = [part for part in inner if not isinstance(part, results.SampleReport)]
        check_room(parts, options.own, all_pairs=options.all_pairs)
        _checked(kind.check, findings, document.config, document, findings, options)
        if requirements.config is None:
            findings.take(CONFIG)
        else:
            where = (document, requirements.config, options.own, findings)
            _checked(check_configuration, findings, document.config, *where)
    else:
        parts = _audits_in(document)
        if not parts and (requirements.budget is not None or requirements.n is not None):
            raise NotAReportError(
                "--budget and --n apply only to a report of audits; this one has none"
            )
        if kind.result is not results.SampleReport:  # which has no definition to look at
            check_room(parts, options.own, all_pairs=options.all_pairs)
        _checked(kind.check, findings, _name(document), document, findings, options)
    check_requirements(requirements, parts, findings, gate=gate)


def _audits_in(document: Any) -> list[Any]:
    """Return the audits in a document of one report: with a mechanism, sizes and a budget."""
    if isinstance(document, _OF_CANARIES):
        return []
    if not isinstance(document, results.HuntReport):
        return [document]
    parts = [] if document.worst is None else [document.worst.audit]
    _check_inner([("dpaudit.audit/1", part) for part in parts])
    return parts


def _name(part: Any) -> str:
    described = getattr(part, "described", {"name": part.schema})
    return str(described.get("name"))


def _check_version(version: str) -> None:
    """Refuse what another version wrote: its fields may mean something else."""
    if version != __version__:
        raise NotAReportError(
            f"it was written by dpaudit {version[:40] or '?'}; this is dpaudit {__version__}, "
            "which rechecks its own reports"
        )


def _check_inner(parts: list[tuple[str, Any]]) -> None:
    """Refuse a report inside another that is of another kind, or has a seal of its own."""
    for schema, part in parts:
        if part.schema != schema:
            raise NotAReportError(f"an inner report has the schema {part.schema!r}, not {schema}")
        if part.sha256:
            raise NotAReportError("an inner report has a SHA-256: only the whole is sealed")
        _check_version(part.version)


def _checked(check: Callable[..., None], findings: Findings, where: str, *arguments: Any) -> None:
    """Run a check; numbers that nothing can be computed from are noted as unconfirmed."""
    try:
        check(*arguments)
    except UnknownDefinitionError as error:
        findings.unknown(where, str(error))
    except _FAILURES as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        findings.unknown(where, f"it cannot be computed again ({what})")


def _check_worst(
    verdict: results.Verdict | None, parts: Sequence[Any], findings: Findings, where: str
) -> None:
    """Check the verdict on several reports, which exists exactly if each has one.

    One audit without a budget leaves all of them without a verdict.
    """
    judged = [part.verdict for part in parts if getattr(part, "verdict", None) is not None]
    if any(isinstance(part, results.Audit) and part.verdict is None for part in parts):
        judged = []
    if (verdict is None) is bool(judged):
        raise NotAReportError("it must have a verdict if its reports have one, and only then")
    if verdict is not None:
        expected = worst(judged)
        message = f"the audits make it {expected.value}, not {verdict.value}"
        findings.expect(verdict is expected, "verdicts", where, message)

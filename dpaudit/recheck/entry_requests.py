"""Comparison of one entry of a gate's configuration with the report that answers it."""

from __future__ import annotations

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
    CurveReport,
    Finding,
    IntervalAudit,
    MeasuredAudit,
    Reported,
    TradeoffReport,
)
from dpaudit.results.words import same_mechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.recheck.definition import Definition


__all__ = ["OF_THE_SUBJECT", "Asked"]

_ENOUGH = 60
_DEFAULTS = {"digits": 12, "precision-cap": 1024, "ties": "fail", "fail-on": "undecided"}
"""Defaults of the options that have one."""


@dataclass(frozen=True)
class Asked:
    """One entry of a configuration, with the settings of the whole, and what answers it."""

    entry: dict[str, Any]
    settings: dict[str, Any]
    finding: Finding
    own: Sequence[OwnMechanism]
    found: Findings

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
        self.found.expect(agrees, kind, self.finding.title, message)


def _check_mechanism(asked: Asked) -> None:
    """Check that a mechanism of the package is not one that was loaded from elsewhere."""
    name = str(asked.entry.get("mechanism"))
    built_in = any(same_mechanism(name, known) for known in DEFAULTS)
    message = f"{name} is {'' if built_in else 'not '}a mechanism of the package"
    asked.expect(built_in is (asked.audit.loaded is None), "mechanisms asked for", message)


def _check_label(asked: Asked) -> None:
    title = asked.entry.get("label") or asked.entry.get("mechanism")
    message = f"it is called {asked.finding.title}, not {title}"
    asked.expect(asked.finding.title == title, "labels asked for", message)


def _check_sizes(asked: Asked) -> None:
    """Check the sizes; where none is asked for, the datasets do not depend on it, and it is 1."""
    audit, n = asked.audit, asked.entry.get("n")
    sized: tuple[Any, ...] = (*audit.results, *audit.without_result)
    done = {*(one.n for one in sized), *audit.missing}
    message = f"the sizes are not those of n = {n}"
    meant = {1} if n is None else sizes_of(n)
    if n is None and done != meant and _counts(asked) is not None:
        meant = {sum(_counts(asked) or ())}
    fits = done == meant
    asked.expect(fits, "sizes asked for", message)


def _counts(asked: Asked) -> list[int] | None:
    """Return the counts of the data that an entry names; None where it names none by counts."""
    at = asked.entry.get("at")
    parts = at.split(",") if isinstance(at, str) else at
    if not isinstance(parts, list) or not all(str(part).strip().isdecimal() for part in parts):
        return None
    return [int(part) for part in parts]


def _check_scope(asked: Asked) -> None:
    """Check that an entry was answered over the pairs it means, and not at a file."""
    audit, at = asked.audit, asked.entry.get("at")
    counts = _counts(asked)
    wanted = at if counts is None else ",".join(map(str, counts))
    where = "all pairs" if wanted is None else f"those around {wanted}"
    message = f"the pairs around {audit.at} were audited, not {where}"
    asked.expect(audit.at == wanted, "audits over all pairs", message)
    message = "it was answered for the data of a file"
    asked.expect(getattr(audit, "data", None) is None, "audits over all pairs", message)


def _check_budget(asked: Asked) -> None:
    if isinstance(asked.audit, IntervalAudit):
        return  # it is held with the interval
    budget = asked.entry.get("budget")
    same = same_budget(budget, asked.audit, asked.finding.bounds)
    asked.expect(same, "budgets asked for", f"the budget is not {budget}")


_SCHEMAS = {
    "check": ("dpaudit.audit/1", "dpaudit.notion/1", "dpaudit.interval/1"),
    "curve": ("dpaudit.curve/1",),
    "tradeoff": ("dpaudit.tradeoff/1",),
    "calibrate": ("dpaudit.calibration/1",),
    "accuracy": ("dpaudit.accuracy/2",),
    "account": ("dpaudit.account/2",),
}
"""Schemas of the reports that answer a measure."""


def _check_measure(asked: Asked) -> None:
    wanted = asked.entry.get("measure", "check")
    fits = asked.audit.schema in _SCHEMAS.get(wanted, ())
    asked.expect(fits, "measures asked for", f"the measure is not {wanted}")


def _check_bounds(asked: Asked) -> None:
    """Check what the numbers of a report without a verdict are held to."""
    finding, budget = asked.finding, asked.entry.get("budget")
    wanted: list[list[Any]] = []
    if isinstance(asked.audit, CurveReport):
        several = isinstance(budget, list) and isinstance(budget[0], list)
        wanted = list(budget or []) if several else [parts_of(budget)]
    elif isinstance(asked.audit, (TradeoffReport, AccuracyReport)):
        wanted = [[budget]]
    elif isinstance(asked.audit, CalibrationReport):
        wanted = [[asked.entry.get("nominal")]]
    given = [
        [bound.limit] if bound.at is None else [bound.at, bound.limit] for bound in finding.bounds
    ]
    same = len(wanted) == len(given) and all(map(same_parameter, wanted, given))
    asked.expect(same, "bounds asked for", "the bounds are not those of the entry")


def _check_metric(asked: Asked) -> None:
    """Check which error was asked for, of mechanisms as they are given and in no other reading."""
    report, wanted = asked.audit, asked.entry.get("metric")
    told, meant = None, None
    if isinstance(report, AccuracyReport):
        told = (report.metric, report.equal, report.outside, report.by)
        meant = (wanted or "hellinger", "nominal", None, "")
    asked.expect(told == meant, "metrics asked for", f"the metric is not {wanted}")


def _check_notion(asked: Asked) -> None:
    notion = asked.audit.notion.name if isinstance(asked.audit, MeasuredAudit) else None
    wanted = asked.entry.get("notion")
    asked.expect(notion == wanted, "notions asked for", f"the notion is not {wanted}")


def _check_order(asked: Asked) -> None:
    wanted = asked.entry.get("order")
    given = asked.audit.notion.order if isinstance(asked.audit, MeasuredAudit) else None
    fits = given is None if wanted is None else given is not None and same_parameter(wanted, given)
    asked.expect(fits, "orders asked for", f"the order is not {wanted}")


def _check_adjacency(asked: Asked) -> None:
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


def _definition(asked: Asked) -> Definition | None:
    """Return the definition of what was audited; without one nothing is accepted in any case."""
    with mp.workdps(_ENOUGH):
        try:
            return definition_of(asked.described, asked.own, asked.audit.loaded)
        except UnknownDefinitionError as error:
            asked.found.unknown(asked.finding.title, str(error))
            return None


def _check_parameters(asked: Asked) -> None:
    """Check the parameters of an entry, and that those it leaves out have their defaults."""
    audit, wanted = asked.audit, asked.entry.get("parameters", {})
    given = asked.described
    name = str(given.pop("name", None))
    if not isinstance(wanted, dict):
        raise NotAReportError("parameters of an entry must be a table")
    if isinstance(audit, CalibrationReport):  # it is the nominal ε of the budget, which is checked
        wanted = {**wanted, "epsilon": given.get("epsilon")}
    if isinstance(audit, IntervalAudit):  # the interval is checked on its own
        wanted = {audit.parameter: given.get(audit.parameter), **wanted}
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


OF_THE_SUBJECT: Mapping[str, Callable[[Asked], None]] = {
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

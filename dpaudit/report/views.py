"""How each report is shown: its title, its table, what stands below it, and its lines of CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

from dpaudit.exact.enclosure import decimal_text
from dpaudit.report.table import (
    budget_text,
    compact,
    coverage_cells,
    dataset_text,
    ends,
    headline,
    interval_cells,
    not_finished,
    outputs_text,
    sizes_text,
)
from dpaudit.results import (
    Audit,
    CalibrationReport,
    CurveReport,
    MeasuredAudit,
    TradeoffReport,
)

if TYPE_CHECKING:
    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.results import (
        CalibratedSize,
        DeltaAt,
        MeasuredSize,
        MeasuredWitness,
        Report,
        SizeResult,
        Tradeoff,
    )

__all__ = ["VIEWS", "View", "view_of"]

Row = dict[str, str]


@dataclass(frozen=True)
class View:
    """What a kind of report looks like."""

    several: str
    """The schema of a document of several."""
    table: Callable[[Any], tuple[list[str], list[list[str]]]]
    """The column names, and a row of texts for each size."""
    notes: Callable[[Any], list[str]]
    """The lines below the table."""
    columns: tuple[str, ...]
    """The columns of the CSV, after those that say what was audited."""
    lines: Callable[[Any], Iterator[Row]]
    """The lines of the CSV, as far as they are not empty."""
    title: Callable[[Any], str] = headline
    """The line above the table."""


def view_of(report: Report[Any]) -> View:
    """Return how a report is shown."""
    return VIEWS[type(report)]


_COVERAGE = ("n", "datasets", "pairs", "pairs_covered", "outputs")
_DELTA = ("epsilon", "delta_lower", "delta_upper")


# Audits in ε and δ.


def _audit_table(audit: Audit) -> tuple[list[str], list[list[str]]]:
    at = [f"δ({point.epsilon})" for point in audit.results[0].curve] if audit.results else []
    delta = f"δ({audit.budget.epsilon})"
    header = ["n", "pairs", "outputs", "realised ε", delta, *at, "verdict", "worst pair → output"]
    return header, [_audit_row(result, audit.digits) for result in audit.results]


def _audit_row(result: SizeResult, digits: int) -> list[str]:
    witness = result.witness
    return [
        str(result.n),
        str(result.pairs_covered),
        outputs_text(result),
        compact(result.epsilon.rounded(digits)),
        compact(result.delta.value.rounded(digits)),
        *map(compact, result.curve),
        result.verdict.value,
        f"{dataset_text(witness.x)} / {dataset_text(witness.y)} → {dataset_text(witness.output)}",
    ]


def _audit_notes(audit: Audit) -> list[str]:
    lines = []
    if audit.results:
        worst = max(audit.results, key=lambda result: (result.epsilon.upper, -result.n))
        lines = [
            f"{audit.verdict.value}: {budget_text(audit)} {_extent(audit.results)}",
            f"largest realised ε: {compact(worst.epsilon.rounded(audit.digits))} at n = {worst.n}",
            *(f"n = {r.n} undecided: {r.reason}" for r in audit.results if r.reason),
        ]
    return [*lines, *_unfinished(audit)]


def _extent(results: Any) -> str:
    """Return at which sizes, and over how many pairs, something was found."""
    pairs = sum(result.pairs_covered for result in results)
    sizes = sizes_text([result.n for result in results])
    return f"at {sizes}, {pairs} pairs, both directions, every output"


def _unfinished(report: Any) -> list[str]:
    """Return a line for each size without a result, and one for those that were not finished."""
    return [
        *(f"undecided: {size.reason}" for size in report.undecided),
        *not_finished(report.missing),
    ]


def _audit_lines(audit: Audit) -> Iterator[Row]:
    budget = {"budget_epsilon": str(audit.budget.epsilon), "budget_delta": str(audit.budget.delta)}
    for result in audit.results:
        witness = result.witness
        cells = {
            **coverage_cells(result),
            **interval_cells("epsilon", result.epsilon),
            **budget,
            **interval_cells("delta", result.delta),
            "witness_x": dataset_text(witness.x),
            "witness_y": dataset_text(witness.y),
            "witness_output": dataset_text(witness.output),
            **ends("loss", witness.loss),
            "verdict": result.verdict.value,
            "reason": result.reason,
        }
        for index, point in enumerate(result.curve, start=1):
            cells |= {f"{name}_{index}": cell for name, cell in _delta_cells(point).items()}
        yield cells
    for row in _undecided_lines(audit):
        yield budget | row


def _delta_cells(point: DeltaAt) -> Row:
    return {"epsilon": str(point.epsilon), **ends("delta", point)}


def _undecided_lines(report: Any) -> Iterator[Row]:
    for size in report.undecided:
        yield {"n": str(size.n), "verdict": "undecided", "reason": size.reason}


# Audits in another measure.


def _measured_title(audit: MeasuredAudit) -> str:
    return headline(audit, audit.notion.name)


def _measured_table(audit: MeasuredAudit) -> tuple[list[str], list[list[str]]]:
    header = ["n", "pairs", "outputs", audit.label, "verdict", "worst pair"]
    return header, [_measured_row(result, audit.digits) for result in audit.results]


def _measured_row(result: MeasuredSize, digits: int) -> list[str]:
    witness = result.witness
    return [
        str(result.n),
        str(result.pairs_covered),
        outputs_text(result),
        compact(result.value.rounded(digits)),
        result.verdict.value,
        f"{dataset_text(witness.x)} / {dataset_text(witness.y)}{_where(witness)}",
    ]


def _where(witness: MeasuredWitness) -> str:
    if witness.output is not None:
        return f" → {dataset_text(witness.output)}"
    if witness.order is not None:
        return ", α → 1" if witness.order == "1" else f", α ≈ {witness.order}"
    if witness.type_one is not None:
        return f", errors {witness.type_one} and {witness.type_two}"
    return ""


def _measured_notes(audit: MeasuredAudit) -> list[str]:
    lines = []
    if audit.results:
        worst = max(audit.results, key=lambda result: (result.value.upper, -result.n))
        implied = ""
        if audit.budget_implied and audit.stated is not None:
            implied = f" (implied by ε = {audit.stated.epsilon})"
        lines = [
            f"{audit.verdict.value}: {audit.label} ≤ {audit.budget}{implied} "
            f"{_extent(audit.results)}",
            f"largest {audit.label}: {compact(worst.value.rounded(audit.digits))} at n = {worst.n}",
            *(f"n = {r.n} undecided: {r.reason}" for r in audit.results if r.reason),
        ]
    return [*lines, *_unfinished(audit)]


def _measured_lines(audit: MeasuredAudit) -> Iterator[Row]:
    epsilon = audit.notion.epsilon
    asked = {
        "notion": audit.notion.name,
        "order": audit.notion.order or "",
        "epsilon": "" if epsilon is None else str(epsilon),
        "budget": str(audit.budget),
    }
    for result in audit.results:
        witness = result.witness
        yield asked | {
            **coverage_cells(result),
            **interval_cells("value", result.value),
            "witness_x": dataset_text(witness.x),
            "witness_y": dataset_text(witness.y),
            "witness_output": "" if witness.output is None else dataset_text(witness.output),
            "witness_order": witness.order or "",
            "witness_type_one": witness.type_one or "",
            "witness_type_two": witness.type_two or "",
            "verdict": result.verdict.value,
            "reason": result.reason,
        }
    for row in _undecided_lines(audit):
        yield asked | row


# Privacy curves and trade-off functions.


def _curve_table(report: CurveReport) -> tuple[list[str], list[list[str]]]:
    asked = report.results[0].values if report.results else ()
    header = ["n", "pairs", *(f"δ({point.epsilon})" for point in asked)]
    rows = [
        [str(curve.n), str(curve.pairs), *map(compact, curve.values)] for curve in report.results
    ]
    return header, rows


def _curve_lines(report: CurveReport) -> Iterator[Row]:
    for curve in report.results:
        for point in curve.values:
            worst = {} if point.x is None else {"x": dataset_text(point.x)}
            worst |= {} if point.y is None else {"y": dataset_text(point.y)}
            yield {"n": str(curve.n), "pairs": str(curve.pairs), **_delta_cells(point), **worst}


def _tradeoff_title(report: TradeoffReport) -> str:
    return f"trade-off function of {headline(report)}"


def _tradeoff_table(report: TradeoffReport) -> tuple[list[str], list[list[str]]]:
    asked = report.results[0].values if report.results else ()
    header = ["n", "pairs", "μ", *(f"f({at.type_one})" for at in asked), "worst pair"]
    return header, [_tradeoff_row(result) for result in report.results]


def _tradeoff_row(result: Tradeoff) -> list[str]:
    pair = f"{dataset_text(result.x)} / {dataset_text(result.y)}"
    return [str(result.n), str(result.pairs), *map(compact, (result.mu, *result.values)), pair]


def _tradeoff_lines(report: TradeoffReport) -> Iterator[Row]:
    for result in report.results:
        for at in result.values:
            yield {
                "n": str(result.n),
                "pairs": str(result.pairs),
                **ends("mu", result.mu),
                "type_one": str(at.type_one),
                **ends("type_two", at),
            }


# Calibrations.


def _calibration_title(report: CalibrationReport) -> str:
    return f"calibrated: {headline(report)}"


def _calibration_table(report: CalibrationReport) -> tuple[list[str], list[list[str]]]:
    delta = [] if report.budget.is_pure else [f"realised δ({report.budget.epsilon})"]
    header = ["n", "pairs", "nominal ε", "fails at", "gain", "realised ε", *delta]
    header += ["mean H before", "mean H after", "after/before"]
    return header, [_calibration_row(size, delta=bool(delta)) for size in report.results]


def _calibration_row(size: CalibratedSize, *, delta: bool) -> list[str]:
    realised, error = size.realised, size.error
    return [
        str(size.n),
        str(realised.pairs_covered),
        size.nominal,
        size.failing or "none found",
        decimal_text(Context(prec=7, rounding=ROUND_FLOOR).plus(size.gain.lower)),
        compact(realised.epsilon),
        *([compact(realised.delta)] if delta else []),
        *(map(_short, (error.before, error.after, error.ratio)) if error else ("", "", "")),
    ]


def _short(interval: Enclosure) -> str:
    """Return an interval to seven digits: its middle, marked as rounded unless it is exact."""
    if interval.lower == interval.upper and len(decimal_text(interval.lower)) <= 9:
        return decimal_text(interval.lower)
    return f"{interval.midpoint:.7g}"


def _calibration_notes(report: CalibrationReport) -> list[str]:
    lines = []
    if report.results:
        lines += [
            _calibration_verdict(report),
            *_beyond(report),
            f"gain is over the nominal ε of the budget, rounded down; mean H is E[H(BI(x), z)] at "
            f"{_places(report)} before, at that ε, and after, rounded (the intervals are in "
            "the JSON and the CSV)",
        ]
        if report.at is not None:
            lines.append(
                "only pairs that contain these data were looked at: a nominal ε chosen so says "
                "nothing about other data, and depends on these"
            )
    lines += [f"n = {size.n}: {size.note}" for size in report.results if size.note]
    reasons = {size.no_error for size in report.results if size.no_error}
    lines += [f"no mean error: {reason}" for reason in sorted(reasons)]
    lines += [f"n = {s.n} {s.verdict.value}: {s.reason}" for s in report.uncalibrated]
    return [*lines, *not_finished(report.missing)]


def _calibration_verdict(report: CalibrationReport) -> str:
    budget = report.budget
    shown = str(budget) if budget.is_pure else f"(ε, δ) = {budget}"
    whole = not report.uncalibrated and not report.missing
    every = "every" if whole else "not every size has a safe nominal ε; each"
    named = all(size.failing for size in report.results)
    fails = "the one it fails at" if named else "the one it fails at, where one is named,"
    return (
        f"{report.verdict.value}: {every} nominal ε above is certified to keep {shown}, and "
        f"{fails} to exceed it, over the pairs named, both directions, every output"
    )


def _beyond(report: CalibrationReport) -> list[str]:
    beyond = [size.beyond for size in report.results if size.beyond is not None]
    if not beyond:
        return []
    tried, exceeding = (sum(b.tried for b in beyond), sum(b.exceeding for b in beyond))
    found = "all exceed it" if tried == exceeding else f"{exceeding} of them exceed it"
    return [
        f"realised privacy need not be monotone in the nominal ε: {tried} larger nominal ε were "
        f"tried, up to twice the failing one, and {found}; between those nothing is certified"
    ]


def _places(report: CalibrationReport) -> str:
    if len(report.results) > 1:
        return "uniform data"
    error = report.results[0].error
    return "x" if error is None else f"x = {dataset_text(error.dataset)}"


def _calibration_lines(report: CalibrationReport) -> Iterator[Row]:
    budget = report.budget
    asked = {"budget_epsilon": str(budget.epsilon), "budget_delta": str(budget.delta)}
    for size in report.results:
        realised, failed, error = size.realised, size.exceeded, size.error
        cells = {
            "n": str(size.n),
            "pairs": str(realised.pairs),
            "pairs_covered": str(realised.pairs_covered),
            "nominal": size.nominal,
            "failing": size.failing or "",
            "audits": str(size.audits),
            "verdict": size.verdict.value,
            "reason": size.note,
            **ends("gain", size.gain),
            **ends("before_epsilon", size.before.epsilon),
            **ends("epsilon", realised.epsilon),
            **ends("delta", realised.delta),
        }
        if failed is not None:
            cells |= ends("failing_epsilon", failed.epsilon) | ends("failing_delta", failed.delta)
        if error is not None:
            cells |= {"error_dataset": dataset_text(error.dataset)}
            cells |= ends("error_before", error.before) | ends("error_after", error.after)
            cells |= ends("error_ratio", error.ratio)
        yield asked | cells
    for none in report.uncalibrated:
        yield asked | {"n": str(none.n), "verdict": none.verdict.value, "reason": none.reason}


def _pair_of_ends(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}_{end}" for name in names for end in ("lower", "upper"))


VIEWS: dict[type[Any], View] = {
    Audit: View(
        several="dpaudit.audits/1",
        table=_audit_table,
        notes=_audit_notes,
        columns=(
            *_COVERAGE,
            *("epsilon_lower", "epsilon_upper", "epsilon_exact"),
            *("budget_epsilon", "budget_delta", "delta_lower", "delta_upper", "delta_exact"),
            *("witness_x", "witness_y", "witness_output", "loss_lower", "loss_upper"),
            *("verdict", "reason"),
        ),
        lines=_audit_lines,
    ),
    MeasuredAudit: View(
        several="dpaudit.notions/1",
        title=_measured_title,
        table=_measured_table,
        notes=_measured_notes,
        columns=(
            *("notion", "order", "epsilon", *_COVERAGE),
            *("value_lower", "value_upper", "value_exact", "budget"),
            *("witness_x", "witness_y", "witness_output", "witness_order"),
            *("witness_type_one", "witness_type_two", "verdict", "reason"),
        ),
        lines=_measured_lines,
    ),
    CurveReport: View(
        several="dpaudit.curves/1",
        table=_curve_table,
        notes=_unfinished,
        columns=("n", "pairs", *_DELTA, "x", "y"),
        lines=_curve_lines,
    ),
    TradeoffReport: View(
        several="dpaudit.tradeoffs/1",
        title=_tradeoff_title,
        table=_tradeoff_table,
        notes=_unfinished,
        columns=("n", "pairs", *_pair_of_ends("mu"), "type_one", *_pair_of_ends("type_two")),
        lines=_tradeoff_lines,
    ),
    CalibrationReport: View(
        several="dpaudit.calibrations/1",
        title=_calibration_title,
        table=_calibration_table,
        notes=_calibration_notes,
        columns=(
            *("n", "pairs", "pairs_covered", "budget_epsilon", "budget_delta"),
            *("nominal", "failing", *_pair_of_ends("gain"), "audits"),
            *_pair_of_ends("before_epsilon", "epsilon", "delta"),
            *_pair_of_ends("failing_epsilon", "failing_delta"),
            *("error_dataset", *_pair_of_ends("error_before", "error_after", "error_ratio")),
            *("verdict", "reason"),
        ),
        lines=_calibration_lines,
    ),
}
"""How each kind of report is shown; a new measure adds a row."""

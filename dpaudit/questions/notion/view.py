"""View of an audit in a notion of privacy other than ε and δ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpaudit import results
from dpaudit.audit.verdicts import short_number
from dpaudit.report import table
from dpaudit.report.audited import covered_cells, reasons_of, summary_of
from dpaudit.report.table import compact, dataset_text, pair_text
from dpaudit.report.view import COVERAGE, Charts, Row, sized_view, undecided_lines

__all__ = ["MEASURED_AUDIT"]


def _measured_title(audit: results.MeasuredAudit) -> str:
    return table.headline(audit, audit.notion.name)


def _measured_table(audit: results.MeasuredAudit) -> tuple[list[str], list[list[str]]]:
    header = ["n", "pairs", "outputs", audit.label, "verdict", "worst pair"]
    return header, [_measured_row(result, audit.digits) for result in audit.results]


def _measured_row(result: results.MeasuredSize, digits: int) -> list[str]:
    return [
        *covered_cells(result),
        compact(result.value.rounded(digits)),
        result.verdict.value,
        f"{pair_text(result.witness)}{_where(result.witness)}",
    ]


def _where(witness: results.MeasuredWitness) -> str:
    if witness.output is not None:
        return f" → {dataset_text(witness.output)}"
    if witness.order is not None:
        return ", α → 1" if witness.order == "1" else f", α ≈ {witness.order}"
    if witness.type_one is not None:
        return f", errors {witness.type_one} and {witness.type_two}"
    return ""


def _measured_summary(audit: results.MeasuredAudit) -> tuple[list[str], int | None]:
    implied = ""
    if audit.budget_implied and audit.stated is not None:
        implied = f" (implied by ε = {short_number(audit.stated.epsilon)})"
    return summary_of(
        audit,
        f"{audit.label} ≤ {short_number(audit.budget)}{implied}",
        audit.label,
        lambda size: size.value,
        lambda worst: f"{pair_text(worst.witness)}{_where(worst.witness)}",
    )


def _measured_lines(audit: results.MeasuredAudit) -> Iterator[Row]:
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
            **table.coverage_cells(result),
            **table.interval_cells("value", result.value),
            "witness_x": dataset_text(witness.x),
            "witness_y": dataset_text(witness.y),
            "witness_output": "" if witness.output is None else dataset_text(witness.output),
            "witness_order": witness.order or "",
            "witness_type_one": witness.type_one or "",
            "witness_type_two": witness.type_two or "",
            "verdict": result.verdict.value,
            "reason": result.reason,
        }
    for row in undecided_lines(audit):
        yield asked | row


def _measured_charts(audit: results.MeasuredAudit, bounds: Sequence[results.Bound]) -> Charts:
    values = [(result.n, result.value) for result in audit.results]
    return Charts(symbol=audit.notion.symbol, values=values, limit=audit.budget)


MEASURED_AUDIT = sized_view(
    charts=_measured_charts,
    figure="dpaudit.questions.check.figure:plot_measured",
    title=_measured_title,
    table=_measured_table,
    notes=reasons_of,
    summary=_measured_summary,
    columns=(
        *("notion", "order", "epsilon", *COVERAGE),
        *("value_lower", "value_upper", "value_exact", "budget"),
        *("witness_x", "witness_y", "witness_output", "witness_order"),
        *("witness_type_one", "witness_type_two", "verdict", "reason"),
    ),
    lines=_measured_lines,
)

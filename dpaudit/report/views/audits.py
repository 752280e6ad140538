"""Views of audits in ε and δ or another measure, and of curves and trade-off functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dpaudit import results
from dpaudit.report import table
from dpaudit.report.table import compact, dataset_text, ends, pair_text
from dpaudit.report.view import COVERAGE, Row, pair_of_ends, sized_view, undecided_lines, unfinished

__all__ = ["AUDIT", "CURVE", "MEASURED_AUDIT", "TRADEOFF"]


def _audit_table(audit: results.Audit) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows; without a budget there is no verdict, and no column of it."""
    first = audit.results[0] if audit.results else None
    at = [] if first is None else [f"δ({point.epsilon})" for point in first.curve]
    at += [] if first is None else [f"ε at δ = {found.delta}" for found in first.at_delta]
    verdict = []
    if audit.budget is not None:
        at, verdict = [f"δ({audit.budget.epsilon})", *at], ["verdict"]
    header = ["n", "pairs", "outputs", "realised ε", *at, *verdict, "worst pair → output"]
    return header, [_audit_row(result, audit.digits) for result in audit.results]


def _covered(result: results.Coverage) -> list[str]:
    return [str(result.n), str(result.pairs_covered), table.outputs_text(result)]


def _audit_row(result: results.SizeResult, digits: int) -> list[str]:
    return [
        *_covered(result),
        compact(result.epsilon.rounded(digits)),
        *([] if result.delta is None else [compact(result.delta.value.rounded(digits))]),
        *map(compact, result.curve),
        *(compact(found.value.rounded(digits)) for found in result.at_delta),
        *([] if result.verdict is None else [result.verdict.value]),
        f"{pair_text(result.witness)} → {dataset_text(result.witness.output)}",
    ]


def _audit_summary(audit: results.Audit) -> tuple[list[str], int | None]:
    if audit.budget is None:
        return _without_budget(audit)
    lines, place = _summary(
        audit,
        table.budget_text(audit),
        "realised ε",
        lambda size: size.epsilon,
        lambda worst: f"{pair_text(worst.witness)} → {dataset_text(worst.witness.output)}",
    )
    return [*lines, *_both_hold(audit, audit.budget)], place


def _both_hold(audit: results.Audit, budget: results.Budget) -> list[str]:
    """Return how a budget is kept whose ε is below the realised one; nothing for other audits."""
    deltas = [size.delta.value for size in audit.results if size.delta is not None]
    largest = max(deltas, key=lambda delta: delta.upper, default=None)
    if audit.verdict is not results.Verdict.WITHIN or largest is None or not largest.lower:
        return []
    return [
        "both are true: losses above the budget's ε are so rare that δ is "
        f"{compact(largest.rounded(audit.digits))} there, and {budget.delta} is allowed"
    ]


def _without_budget(audit: results.Audit) -> tuple[list[str], int | None]:
    """Return what is said where nothing is held to a budget: what ε is, or that it is not known."""
    if not audit.results:
        return [], None
    place = _place_of_worst(audit, lambda size: size.epsilon)
    worst = audit.results[place]
    pairs = sum(result.pairs_covered for result in audit.results)
    sizes = table.sizes_text([result.n for result in audit.results])
    covered = f"covered: {sizes}, {pairs} pairs, both directions, every output"
    about = "ε" if len(audit.sizes) == 1 else f"the largest ε, at n = {worst.n},"
    epsilon = compact(worst.epsilon.rounded(audit.digits))
    found = f"{about} is {'infinite' if worst.epsilon.lower.is_infinite() else epsilon}"
    if not audit.enclosed:
        found = f"{about} is not known, but at least {worst.epsilon.texts()[0]}"
    for one in worst.at_delta:
        least = f"at least {one.texts()[0]}"
        value = least if one.upper.is_infinite() else compact(one.value.rounded(audit.digits))
        found += f", and {value} at δ = {one.delta}"
    return [
        f"no budget is stated: {found}; compare it with one by --budget",
        covered,
        f"worst pair: {pair_text(worst.witness)} → {dataset_text(worst.witness.output)}",
    ], place


def _audit_notes(audit: results.Audit) -> list[str]:
    lines = _notes(audit)
    if audit.results:
        worst = audit.results[_place_of_worst(audit, lambda size: size.epsilon)]
        lines += [f"path: {', '.join(worst.witness.path)}"] * bool(worst.witness.path)
    granular = [result.n for result in audit.results if result.excess]
    if granular:
        lines.append(
            f"granularity: at {table.sizes_text(granular)} the excess comes from the rounding of "
            f"floats; δ({audit.held_to.epsilon}) is at most 10⁻¹² above the budget, and "
            f"--budget {_with_grain(audit.held_to)} accepts that"
        )
    return lines


def _with_grain(budget: results.Budget) -> str:
    """Return a budget of 10⁻¹² more of δ, as the command line takes it."""
    if budget.is_pure:
        return f'"{budget.epsilon}, 1e-12"'
    return f'"{budget.epsilon}, {budget.delta} + 1e-12"'


def _summary(
    audit: Any,
    kept: str,
    label: str,
    value: Callable[[Any], results.Enclosure],
    where: Callable[[Any], str],
) -> tuple[list[str], int | None]:
    """Return the verdict about what is ``kept``, the largest ``value``, and its row."""
    if not audit.results:
        return [], None
    place = _place_of_worst(audit, value)
    worst = audit.results[place]
    pairs = sum(result.pairs_covered for result in audit.results)
    sizes = table.sizes_text([result.n for result in audit.results])
    largest = compact(value(worst).rounded(audit.digits))
    return [
        f"{audit.verdict.value}: {kept} at {sizes}, {pairs} pairs, both directions, every output",
        f"largest {label}: {largest} at n = {worst.n}, {where(worst)}",
    ], place


def _place_of_worst(audit: Any, value: Callable[[Any], results.Enclosure]) -> int:
    sizes = audit.results
    return max(range(len(sizes)), key=lambda i: (value(sizes[i]).upper, -sizes[i].n))


def _notes(audit: Any) -> list[str]:
    """Return what is undecided or not enclosed, or was not finished."""
    reasons = [
        f"n = {r.n} {'not enclosed' if r.verdict is None else 'undecided'}: {r.reason}"
        for r in audit.results
        if r.reason
    ]
    return [*reasons, *unfinished(audit)]


def _audit_lines(audit: results.Audit) -> Iterator[Row]:
    budget = {}
    if audit.budget is not None:
        epsilon, delta = str(audit.budget.epsilon), str(audit.budget.delta)
        budget = {"budget_epsilon": epsilon, "budget_delta": delta}
    for result in audit.results:
        witness = result.witness
        cells = {
            **table.coverage_cells(result),
            **table.interval_cells("epsilon", result.epsilon),
            **budget,
            **({} if result.delta is None else table.interval_cells("delta", result.delta)),
            "witness_x": dataset_text(witness.x),
            "witness_y": dataset_text(witness.y),
            "witness_output": dataset_text(witness.output),
            **ends("loss", witness.loss),
            "verdict": "" if result.verdict is None else result.verdict.value,
            "reason": result.reason,
        }
        for index, point in enumerate(result.curve, start=1):
            cells |= {f"{name}_{index}": cell for name, cell in table.delta_cells(point).items()}
        for index, found in enumerate(result.at_delta, start=1):
            cells |= {f"at_delta_{index}": str(found.delta), **ends(f"epsilon_at_{index}", found)}
        yield cells
    for row in undecided_lines(audit):
        yield budget | row | ({"verdict": ""} if audit.budget is None else {})


def _measured_title(audit: results.MeasuredAudit) -> str:
    return table.headline(audit, audit.notion.name)


def _measured_table(audit: results.MeasuredAudit) -> tuple[list[str], list[list[str]]]:
    header = ["n", "pairs", "outputs", audit.label, "verdict", "worst pair"]
    return header, [_measured_row(result, audit.digits) for result in audit.results]


def _measured_row(result: results.MeasuredSize, digits: int) -> list[str]:
    return [
        *_covered(result),
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
        implied = f" (implied by ε = {audit.stated.epsilon})"
    return _summary(
        audit,
        f"{audit.label} ≤ {audit.budget}{implied}",
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


AUDIT = sized_view(
    figure="dpaudit.report.figures.realised:plot_realised",
    table=_audit_table,
    notes=_audit_notes,
    summary=_audit_summary,
    columns=(
        *COVERAGE,
        *("epsilon_lower", "epsilon_upper", "epsilon_exact"),
        *("budget_epsilon", "budget_delta", "delta_lower", "delta_upper", "delta_exact"),
        *("witness_x", "witness_y", "witness_output", "loss_lower", "loss_upper"),
        *("verdict", "reason"),
    ),
    lines=_audit_lines,
)
MEASURED_AUDIT = sized_view(
    figure="dpaudit.report.figures.realised:plot_measured",
    title=_measured_title,
    table=_measured_table,
    notes=_notes,
    summary=_measured_summary,
    columns=(
        *("notion", "order", "epsilon", *COVERAGE),
        *("value_lower", "value_upper", "value_exact", "budget"),
        *("witness_x", "witness_y", "witness_output", "witness_order"),
        *("witness_type_one", "witness_type_two", "verdict", "reason"),
    ),
    lines=_measured_lines,
)


def _curve_table(report: results.CurveReport) -> tuple[list[str], list[list[str]]]:
    asked = report.results[0].values if report.results else ()
    header = ["n", "pairs", *(f"δ({point.epsilon})" for point in asked)]
    rows = [
        [str(curve.n), str(curve.pairs), *map(compact, curve.values)] for curve in report.results
    ]
    return header, rows


def _curve_lines(report: results.CurveReport) -> Iterator[Row]:
    for curve in report.results:
        for point in curve.values:
            worst = {} if point.x is None else {"x": dataset_text(point.x)}
            worst |= {} if point.y is None else {"y": dataset_text(point.y)}
            yield {
                "n": str(curve.n),
                "pairs": str(curve.pairs),
                **table.delta_cells(point),
                **worst,
            }


def _tradeoff_title(report: results.TradeoffReport) -> str:
    return f"trade-off function of {table.headline(report)}"


def _tradeoff_table(report: results.TradeoffReport) -> tuple[list[str], list[list[str]]]:
    asked = report.results[0].values if report.results else ()
    header = ["n", "pairs", "μ", *(f"f({at.type_one})" for at in asked), "worst pair"]
    return header, [_tradeoff_row(result) for result in report.results]


def _tradeoff_row(result: results.Tradeoff) -> list[str]:
    shown = map(compact, (result.mu, *result.values))
    return [str(result.n), str(result.pairs), *shown, pair_text(result)]


def _tradeoff_lines(report: results.TradeoffReport) -> Iterator[Row]:
    for result in report.results:
        for at in result.values:
            yield {
                "n": str(result.n),
                "pairs": str(result.pairs),
                **ends("mu", result.mu),
                "type_one": str(at.type_one),
                **ends("type_two", at),
            }


CURVE = sized_view(
    figure="dpaudit.report.figures.curves:plot_curves",
    table=_curve_table,
    columns=("n", "pairs", "epsilon", *pair_of_ends("delta"), "x", "y"),
    lines=_curve_lines,
)
TRADEOFF = sized_view(
    figure="dpaudit.report.figures.curves:plot_tradeoffs",
    title=_tradeoff_title,
    table=_tradeoff_table,
    columns=("n", "pairs", *pair_of_ends("mu"), "type_one", *pair_of_ends("type_two")),
    lines=_tradeoff_lines,
)

"""View of an audit in ε and δ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, Context, Decimal

from dpaudit import results
from dpaudit.audit.verdicts import is_limit, short_number
from dpaudit.report import table
from dpaudit.report.audited import (
    are_inputs,
    coverage_text,
    covered_cells,
    place_of_worst,
    reasons_of,
    summary_of,
)
from dpaudit.report.table import compact, dataset_text, ends, pair_text, valued
from dpaudit.report.view import COVERAGE, Charts, Row, sized_view, undecided_lines
from dpaudit.results import decimal_text

__all__ = ["AUDIT", "is_infinite"]


def _audit_table(audit: results.Audit) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows; without a budget there is no verdict, and no column of it."""
    first = audit.results[0] if audit.results else None
    at = [] if first is None else [f"δ({short_number(point.epsilon)})" for point in first.curve]
    at += [] if first is None else table.at_delta_header(first.at_delta)
    verdict = []
    if audit.budget is not None:
        at, verdict = [f"δ({short_number(audit.budget.epsilon)})", *at], ["verdict"]
    header = ["n", "pairs", "outputs", "realised ε", *at, *verdict, "worst pair → output"]
    return header, [_audit_row(result, audit.digits) for result in audit.results]


def _audit_row(result: results.SizeResult, digits: int) -> list[str]:
    return [
        *covered_cells(result),
        compact(result.epsilon.rounded(digits)),
        *([] if result.delta is None else [compact(result.delta.value.rounded(digits))]),
        *map(compact, result.curve),
        *table.at_delta_row(result.at_delta, digits),
        *([] if result.verdict is None else [result.verdict.value]),
        f"{pair_text(result.witness)} → {dataset_text(result.witness.output)}",
    ]


def _audit_summary(audit: results.Audit) -> tuple[list[str], int | None]:
    if audit.budget is None:
        return _without_budget(audit)
    lines, place = summary_of(
        audit,
        table.budget_text(audit),
        "realised ε",
        lambda size: size.epsilon,
        lambda worst: f"{pair_text(worst.witness)} → {dataset_text(worst.witness.output)}",
    )
    over = [result for result in audit.results if result.verdict is results.Verdict.EXCEEDS]
    if over and all(result.excess for result in over):
        lines[0] = lines[0].replace("exceeds:", "exceeds, by the rounding of floats alone:", 1)
    return [*lines, *_tells_nothing(audit), *_both_hold(audit, audit.budget)], place


def _tells_nothing(audit: results.Audit) -> list[str]:
    """Return a line on inputs at which a function has one law: no budget is tried by them."""
    if not audit.results or not are_inputs(audit):
        return []
    if any(size.epsilon.upper for size in audit.results):
        return []
    return [
        "the output distribution is the same at each of these inputs, so they test no budget; "
        "give inputs that change the answer"
    ]


def _both_hold(audit: results.Audit, budget: results.Budget) -> list[str]:
    """Return how a budget is kept whose ε is below the realised one; nothing for other audits."""
    deltas = [size.delta.value for size in audit.results if size.delta is not None]
    largest = max(deltas, key=lambda delta: delta.upper, default=None)
    if audit.verdict is not results.Verdict.WITHIN or largest is None or not largest.lower:
        return []
    return [
        "the realised ε is above the budget's ε, and the budget is still kept: at the budget's ε, "
        f"δ is {compact(largest.rounded(audit.digits))}, and the budget allows {budget.delta}"
    ]


def _without_budget(audit: results.Audit) -> tuple[list[str], int | None]:
    """Return lines on an audit without a budget: what ε is, or that it is not known."""
    if not audit.results:
        return [], None
    place = place_of_worst(audit, lambda size: size.epsilon)
    worst = audit.results[place]
    covered = f"covered: {coverage_text(audit)}"
    about = "ε" if len(audit.sizes) == 1 else f"the largest ε, at n = {worst.n},"
    epsilon = valued(worst.epsilon.rounded(audit.digits))
    found = f"{about} is {'infinite' if worst.epsilon.lower.is_infinite() else epsilon}"
    if not audit.enclosed:
        found = f"{about} is unknown, but at least {worst.epsilon.texts()[0]}"
    for one in worst.at_delta:
        least = f"at least {one.texts()[0]}"
        value = least if one.upper.is_infinite() else compact(one.value.rounded(audit.digits))
        found += f", and {value} at δ = {one.delta}"
    return [
        f"no budget is stated: {found}; give --budget to compare it with one",
        covered,
        f"worst pair: {pair_text(worst.witness)} → {dataset_text(worst.witness.output)}",
    ], place


def _audit_notes(audit: results.Audit) -> list[str]:
    lines = reasons_of(audit)
    if audit.results:
        worst = audit.results[place_of_worst(audit, lambda size: size.epsilon)]
        lines += [f"path: {', '.join(worst.witness.path)}"] * bool(worst.witness.path)
    granular = [result.n for result in audit.results if result.excess]
    if granular:
        lines.append(
            f"granularity: at {table.sizes_text(granular)} the excess comes from the rounding of "
            f"floats; δ({short_number(audit.held_to.epsilon)}) is at most 10⁻¹² above the budget, "
            f"and --budget {_with_grain(audit.held_to)} accepts that"
        )
    elif is_infinite(audit) and are_inputs(audit):
        lines += _with_delta(audit)
    return lines


def is_infinite(audit: results.Audit) -> bool:
    """Tell whether the ε of an audit is infinite: the loss of its outputs has no bound."""
    return any(result.epsilon.lower.is_infinite() for result in audit.results)


def _with_delta(audit: results.Audit) -> list[str]:
    """Return the budget with a δ that is kept, where one without δ cannot be."""
    budget, deltas = audit.budget, [size.delta for size in audit.results]
    if budget is None or not budget.is_pure:
        return []
    largest = max(Decimal(1) if delta is None else delta.upper for delta in deltas)
    shown = Context(prec=3, rounding=ROUND_CEILING).plus(largest)
    if not shown < 1:
        return []
    return [
        "ε is infinite: no finite number bounds the privacy loss of all outputs; "
        f'--budget "{budget.epsilon}, {decimal_text(shown)}" is kept, because the δ there is '
        "enough for the outputs with a larger loss"
    ]


def _with_grain(budget: results.Budget) -> str:
    """Return a budget of 10⁻¹² more of δ, as the command line takes it."""
    if budget.is_pure:
        return f'"{budget.epsilon}, 1e-12"'
    return f'"{budget.epsilon}, {budget.delta} + 1e-12"'


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
        yield cells | table.at_delta_cells(result.at_delta)
    for row in undecided_lines(audit):
        yield budget | row | ({"verdict": ""} if audit.budget is None else {})


def _audit_charts(audit: results.Audit, bounds: Sequence[results.Bound]) -> Charts:
    limit = None if audit.budget is None else audit.budget.epsilon
    values = [(result.n, result.epsilon) for result in audit.results]
    return Charts(symbol="ε", values=values, limit=limit, profile=True, epsilon=limit)


def _audit_witness(audit: results.Audit) -> list[str]:
    """Return the worst output of the worst pair as a sentence."""
    if not audit.results:
        return []
    worst = audit.results[place_of_worst(audit, lambda size: size.epsilon)].witness
    x, y, output = map(dataset_text, (worst.x, worst.y, worst.output))
    if worst.loss.lower.is_infinite() and is_limit(worst.output):
        found = [f"The loss of {x} against {y} grows without bound as {output}."]
    elif worst.loss.lower.is_infinite():
        found = [f"{x} can give the output {output}, and its neighbour {y} never does."]
    else:
        lower, upper = worst.loss.texts()
        loss = lower if lower == upper else f"from {lower} to {upper}"
        found = [
            f"{x} and {y} are neighbours, and the output {output} tells them apart best: its "
            f"probability at {x} is e^loss times that at {y}, where the loss is {loss}."
        ]
    return found + [f"The draws that lead to it: {', '.join(worst.path)}."] * bool(worst.path)


AUDIT = sized_view(
    figure="dpaudit.questions.check.figure:plot_realised",
    charts=_audit_charts,
    witness=_audit_witness,
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

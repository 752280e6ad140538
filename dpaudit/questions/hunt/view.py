"""Views of a hunt, and of the points that it looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dpaudit import results
from dpaudit.report import table
from dpaudit.report.view import Block, Charts, Row, Series, View, view_of

__all__ = ["HUNT", "POINTS"]


def _blocks_of_hunts(hunt: results.HuntReport) -> Iterator[Block]:
    searched = ", ".join(f"{one.name} = {one.values}" for one in hunt.searched)
    fixed = table.parameters_text(hunt.fixed)
    title = f"{hunt.mechanism}{f' ({fixed})' if fixed else ''}; searched {searched}"
    if hunt.worst is None:
        yield Block(title, notes=[_conclusion(hunt), *_left_out(hunt)])
        return
    items = _items(hunt, hunt.worst)
    width = max(map(len, items))
    yield Block(title, notes=[f"{name:<{width}}   {value}" for name, value in items.items()])
    yield Block(notes=[_conclusion(hunt), *_left_out(hunt)])


def _items(hunt: results.HuntReport, worst: results.WorstPoint) -> dict[str, str]:
    audit = worst.audit
    items = {"worst point": table.parameters_text(worst.parameters)}
    for result in audit.results:
        witness = result.witness
        items["realised ε"] = table.compact(result.epsilon)
        if hunt.measure == "delta":
            delta = result.delta_held
            items[f"δ({delta.epsilon})"] = table.compact(delta.value)
        items["budget"] = table.budget_text(audit)
        if worst.ratio is not None:
            symbol = "δ" if hunt.measure == "delta" else "ε"
            items[f"{symbol} over budget"] = table.compact(worst.ratio)
        if result.verdict is not None:
            reason = f": {result.reason}" if result.reason else ""
            items["verdict"] = f"{result.verdict.value}{reason}"
        items["witness"] = f"{table.pair_text(witness)} → {table.dataset_text(witness.output)}"
        items["neighbours"] = table.relation_text(audit)
    if not audit.results:
        items["undecided"] = audit.undecided[0].reason
    return items | {"replay": worst.replay}


def _conclusion(hunt: results.HuntReport) -> str:
    looked = f"{hunt.evaluated} points tried, {hunt.stopped}; seed {hunt.seed}"
    if hunt.verdict is results.HuntVerdict.EXCEEDS:
        return f"exceeds: a certified violation of the budget ({looked})"
    if hunt.verdict is results.HuntVerdict.UNDECIDED:
        return f"undecided: no certified violation, but some points are undecided ({looked})"
    return f"no violation was found, which is no proof that there is none ({looked})"


def _left_out(hunt: results.HuntReport) -> list[str]:
    lines = []
    if hunt.uncertified:
        lines.append(
            f"not certified: {hunt.uncertified} points whose scores are too close to the worst "
            f"one or to the budget, {hunt.unsettled} of which may exceed the budget"
        )
    for costly, what in ((True, "skipped as too slow"), (False, "not enclosed")):
        points = [point for point in hunt.unevaluated if point.costly is costly]
        if points:
            first = table.parameters_text(points[0].parameters)
            lines.append(f"{what}: {len(points)} points, such as {first}: {points[0].reason}")
    return lines


def _lines_of_hunts(found: results.HuntPoints) -> Iterator[Row]:
    for point in found.points:
        yield {
            **dict(zip(found.names, point.values, strict=True)),
            "epsilon_over_budget": _number(point.epsilon),
            "delta_over_budget": _number(point.delta),
            "reason": point.reason,
        }


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return "inf" if math.isinf(value) else repr(value)


def _charts_of_hunts(hunt: results.HuntReport, bounds: Sequence[results.Bound]) -> Charts:
    """Return realised ε, or δ, of the worst point beside its budget."""
    if hunt.worst is None or not hunt.worst.audit.results:
        return Charts()
    (result,), budget = hunt.worst.audit.results, hunt.worst.audit.held_to
    symbol, limit = "ε", budget.epsilon
    value: results.Enclosure = result.epsilon
    if hunt.measure == "delta":
        symbol, value, limit = "δ", result.delta_held, budget.delta
    at = table.parameters_text(hunt.worst.parameters)
    series = Series(
        title=f"Realised {symbol} at the worst point",
        across="records n",
        up=f"realised {symbol}",
        points=[(result.n, value)],
        limit=limit,
        says=f"Realised {symbol} at the worst point, {at}",
    )
    return Charts(series=[series])


def _witness_of_hunts(hunt: results.HuntReport) -> Sequence[str]:
    if hunt.worst is None:
        return []
    at = table.parameters_text(hunt.worst.parameters)
    found = view_of(hunt.worst.audit).witness(hunt.worst.audit)
    return [f"At {at}: {text}" for text in found]


HUNT = View(blocks=_blocks_of_hunts, charts=_charts_of_hunts, witness=_witness_of_hunts)


POINTS = View(
    blocks=lambda found: (),
    columns=lambda found: (*found.names, "epsilon_over_budget", "delta_over_budget", "reason"),
    lines=_lines_of_hunts,
)

"""Views of gates, checks of conformance, hunts, and the points of a search."""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec.structs import replace

from dpaudit import results
from dpaudit.recheck.findings import UNBOUND, VerificationDocument, verification_rows
from dpaudit.report import table
from dpaudit.report.view import Block, Row, View

__all__ = ["CONFORMANCE", "GATE", "HUNT", "POINTS", "VERIFICATION"]


_LONGEST_MESSAGE = 2000
_GATE = ("passed", "what", "found", "how")


def _blocks(report: results.GateDocument) -> Iterator[Block]:
    entries = _presentable(report).entries()
    rows = [["pass" if passed else "FAIL", *cells] for passed, *cells in entries]
    drawn, failed = report.drawn, report.failed
    counted = [f"{drawn} passed by draws alone"] * (drawn > 0) + [f"{failed} failed"] * (failed > 0)
    checked = f"{len(rows)} checked, {', '.join(counted) or 'all passed'}"
    total = f"{report.verdict.value}: {checked} ({report.config})"
    yield Block(header=("", *_GATE[1:]), rows=rows, notes=[total], whole=True)


def _lines(report: results.GateDocument) -> Iterator[Row]:
    for passed, *cells in report.entries():
        yield dict(zip(_GATE, (str(passed).lower(), *cells), strict=True))


def _shown(text: str, most: int = table.MOST_SHOWN) -> str:
    return table.shortened(table.printable(text), most)


def _presentable(report: results.GateDocument) -> results.GateDocument:
    """Return the report with texts of one line that move no cursor and have an end."""
    return replace(
        report,
        mechanisms=tuple(
            replace(
                one,
                title=_shown(one.title),
                mechanism=_shown(one.mechanism),
                message=_shown(one.message, _LONGEST_MESSAGE),
            )
            for one in report.mechanisms
        ),
        claims=tuple(
            replace(one, id=_shown(one.id), message=_shown(one.message, _LONGEST_MESSAGE))
            for one in report.claims
        ),
    )


GATE = View(
    blocks=_blocks,
    columns=lambda report: _GATE,
    lines=_lines,
    figure="dpaudit.report.figures.gates:plot_gate",
    forms={
        "junit": "dpaudit.report.formats.ci:gate_junit",
        "sarif": "dpaudit.report.formats.ci:gate_sarif",
        "annotations": "dpaudit.report.formats.ci:gate_annotations",
        "html": "dpaudit.report.formats.html:gate_html",
    },
    presentable=_presentable,
)


_VERIFICATION = ("what", "where", "count", "message")


def _blocks_of_verifications(found: VerificationDocument) -> Iterator[Block]:
    rows = verification_rows(found)
    yield Block(f"{found.report}: {found.verdict}", _VERIFICATION, rows, [UNBOUND], whole=True)


VERIFICATION = View(
    blocks=_blocks_of_verifications,
    columns=lambda found: _VERIFICATION,
    lines=lambda found: (
        dict(zip(_VERIFICATION, row, strict=True)) for row in verification_rows(found)
    ),
)


_WORDS = {
    results.Status.PASSED: "pass",
    results.Status.FAILED: "FAIL",
    results.Status.NOT_REACHED: "-",
}


def _blocks_of_conformances(report: results.ConformanceReport) -> Iterator[Block]:
    for one in report.mechanisms:
        rows = [[_WORDS[check.status], check.name, check.message] for check in one.checks]
        found = [check.status for check in one.checks]
        left = found.count(results.Status.NOT_REACHED)
        counted = f"{found.count(results.Status.FAILED)} failed" + (
            f", {left} not reached" if left else ""
        )
        verdict = "conforms" if one.conforms else f"does not conform: {counted}"
        source = "" if one.loaded is None else f", from {one.loaded.reference}"
        heading = f"{one.mechanism}{source}; n = {', '.join(map(str, one.sizes))}"
        yield Block(heading, ("", "check", "what"), rows, [verdict], whole=True)


def _lines_of_conformances(report: results.ConformanceReport) -> Iterator[Row]:
    for one in report.mechanisms:
        for check in one.checks:
            yield {
                "mechanism": one.mechanism,
                "sizes": ",".join(map(str, one.sizes)),
                "check": check.name,
                "status": check.status.value,
                "message": check.message,
            }


CONFORMANCE = View(
    blocks=_blocks_of_conformances,
    columns=lambda report: ("mechanism", "sizes", "check", "status", "message"),
    lines=_lines_of_conformances,
)


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
    looked = f"{hunt.evaluated} points looked at, {hunt.stopped}; seed {hunt.seed}"
    if hunt.verdict is results.HuntVerdict.EXCEEDS:
        return f"exceeds: a certified violation of the budget ({looked})"
    if hunt.verdict is results.HuntVerdict.UNDECIDED:
        return f"undecided: no certified violation, and not every question is answered ({looked})"
    return f"none found, which is no proof that there is none ({looked})"


def _left_out(hunt: results.HuntReport) -> list[str]:
    lines = []
    if hunt.uncertified:
        lines.append(
            f"not certified: {hunt.uncertified} points whose scores are not told from the worst or "
            f"from the budget, {hunt.unsettled} of which may exceed it"
        )
    for costly, what in ((True, "left out as too long"), (False, "not enclosed")):
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


HUNT = View(blocks=_blocks_of_hunts)
POINTS = View(
    blocks=lambda found: (),
    columns=lambda found: (*found.names, "epsilon_over_budget", "delta_over_budget", "reason"),
    lines=_lines_of_hunts,
)

"""View of accuracy: mechanisms side by side, at equal nominal and at equal realised ε."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpaudit.report.comparison import Compared, Comparison, side_by_side
from dpaudit.report.table import compact, ends, not_finished, parameters_text, provenance
from dpaudit.report.view import Block, Charts, Row, View, pair_of_ends
from dpaudit.results import EQUAL, OUTSIDE, AccuracyReport, Bound

__all__ = ["ACCURACY"]

_METRICS = {
    "hellinger": "H(posterior of the output, posterior of the data)",
    "l1": "‖output − data‖₁",
}
"""The errors in words."""

_PERCENTS = {"1/20": "5%", "1/4": "25%", "1/2": "median", "3/4": "75%", "19/20": "95%"}
_SUBJECT = ("mechanism", "parameters", "equal", "at", "metric", "outside")


def _blocks(report: Comparison) -> Iterator[Block]:
    at = ", ".join(map(str, report.at))
    yield Block(f"error {_METRICS[report.metric]} at ({at}), n = {report.n}")
    for equal, meaning in EQUAL.items():
        here = [one for one in report.results if one.equal == equal]
        without = [one for one in report.undecided if one.equal == equal]
        if here or without:
            reasons = [f"undecided: {_label(report, one)}: {one.reason}" for one in without]
            header, rows = _summary(report, here) if here else ([], [])
            yield Block(f"equal {equal} ε: {meaning}", header, rows, reasons)
        if report.by:
            for one in here:
                yield _law(_label(report, one), one, report.by)
    yield Block(notes=_notes(report))


def _summary(report: Comparison, here: Sequence[Compared]) -> tuple[list[str], list[list[str]]]:
    first = here[0]
    header = [
        *("mechanism", "nominal ε", "realised ε", "mean"),
        *(_PERCENTS.get(str(q.level), str(q.level)) for q in first.quantiles),
        *(f"P(≥ {tail.threshold})" for tail in first.tails),
    ]
    rows = [
        [
            _label(report, one),
            _nominal(one),
            "" if one.realised is None else compact(one.realised),
            compact(one.mean),
            *(compact(q) + ("" if q.decided else " undecided") for q in one.quantiles),
            *map(compact, one.tails),
        ]
        for one in here
    ]
    kept = [i for i, name in enumerate(header) if name != "realised ε" or any(r[i] for r in rows)]
    return [header[i] for i in kept], [[row[i] for i in kept] for row in rows]


def _nominal(one: Compared) -> str:
    """Return the nominal ε in closed form, or rounded where that is long."""
    text = "" if one.nominal is None else str(one.nominal)
    return text if one.nominal is None or len(text) <= 8 else f"{float(one.nominal):.9f}…"


def _law(label: str, one: Compared, by: str) -> Block:
    if not one.law:
        return Block(f"{label}, by {by}: dpaudit does not know the steps between these outputs")
    rows = [
        [",".join(map(str, group.steps)) or "-", compact(group.error), compact(group.probability)]
        for group in one.law
    ]
    rest = one.remainder
    beyond = rest if rest is not None and rest.upper else None
    notes = [] if beyond is None else [f"larger errors, or not listed: {compact(beyond)}"]
    return Block(f"{label}, by {by}", ["steps", "error", "probability"], rows, notes)


def _label(report: Comparison, one: Compared) -> str:
    """Return a name for a finding: with the parameters in which two of one name differ."""
    mine = one.described
    found: list[Compared] = [*report.results, *report.undecided]
    others = [other.described for other in found if other.equal == one.equal]
    alike = [other for other in others if other["name"] == mine["name"]]
    differing = [
        key
        for key, value in mine.items()
        if key != "epsilon" and any(other.get(key) != value for other in alike)
    ]
    return ", ".join([str(mine["name"]), *(f"{key} = {mine[key]}" for key in differing)])


def _notes(report: Comparison) -> list[str]:
    readings = {(o.described["name"], o.outside) for o in report.results if o.outside is not None}
    lines = [f"{name}, {reading}: {OUTSIDE[reading]}" for name, reading in sorted(readings)]
    for equal in EQUAL:
        here = [one for one in report.results if one.equal == equal]
        budgets = {str(one.nominal) for one in here}
        comparable = len(here) > 1 and len({one.n for one in here}) == 1
        if comparable and (equal == "realised" or len(budgets) == 1):
            lines.append(_best(here, equal))
    missing = sorted({n for one in report.reports for n in one.missing})
    return [*lines, *not_finished(missing), *_sources(report)]


def _sources(report: Comparison) -> list[str]:
    return list(dict.fromkeys(line for one in report.reports for line in provenance(one)))


def _best(here: Sequence[Compared], equal: str) -> str:
    """Return which mechanism has the smallest mean error, where that is certain."""
    best = min(here, key=lambda one: one.mean.upper)
    beaten = all(one is best or one.mean.lower > best.mean.upper for one in here)
    if not beaten:
        return (
            f"smallest mean at equal {equal} ε: undecided, because intervals overlap at these "
            "digits"
        )
    return f"smallest mean at equal {equal} ε: {best.described['name']}, {compact(best.mean)}"


def _columns(report: Comparison) -> Sequence[str]:
    if report.by:
        return (*_SUBJECT, "steps", *pair_of_ends("error", "probability"), "outputs")
    first = report.results[0] if report.results else None
    names = [
        *("realised_epsilon", "mean", "variance"),
        *(f"quantile_{q.level}" for q in (first.quantiles if first else ())),
        *(f"tail_{tail.threshold}" for tail in (first.tails if first else ())),
    ]
    return (*_SUBJECT, *pair_of_ends(*names), "decided", "reason")


def _lines(report: Comparison) -> Iterator[Row]:
    if report.by:
        for one in report.results:
            for group in one.law:
                yield {
                    **_subject(report, one),
                    "steps": ";".join(map(str, group.steps)),
                    **ends("error", group.error),
                    **ends("probability", group.probability),
                    "outputs": str(group.outputs or ""),
                }
        return
    for one in report.results:
        cells = ends("mean", one.mean) | ends("variance", one.variance)
        cells |= {} if one.realised is None else ends("realised_epsilon", one.realised)
        for q in one.quantiles:
            cells |= ends(f"quantile_{q.level}", q)
        for tail in one.tails:
            cells |= ends(f"tail_{tail.threshold}", tail)
        yield _subject(report, one) | cells | {"decided": str(one.decided).lower()}
    for without in report.undecided:
        yield _subject(report, without) | {"decided": "false", "reason": without.reason}


def _subject(report: Comparison, one: Compared) -> Row:
    named: dict[str, Any] = dict(one.described)
    cells = (
        named.pop("name"),
        parameters_text(named, "=", ";"),
        one.equal,
        ",".join(map(str, report.at)),
        report.metric,
        "" if one in report.undecided else one.outside or "",
    )
    return dict(zip(_SUBJECT, cells, strict=True))


def _charts(report: AccuracyReport, bounds: Sequence[Bound]) -> Charts:
    values = [(result.n, result.mean) for result in report.results]
    return Charts(symbol="mean error", values=values, limit=bounds[0].limit if bounds else None)


ACCURACY = View(
    charts=_charts,
    blocks=_blocks,
    columns=_columns,
    lines=_lines,
    figure="dpaudit.questions.accuracy.figure:plot_accuracy",
    together=side_by_side,
)

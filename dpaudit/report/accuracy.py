"""Comparisons of accuracy as text, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from dpaudit.accuracy.compare import EQUAL, Accuracy, Unanswered
from dpaudit.accuracy.outputs import OUTSIDE
from dpaudit.report.accuracy_documents import (
    Found,
    accuracy_document,
    law_lines,
    mechanism_fields,
)
from dpaudit.report.data import data_document
from dpaudit.report.render import data_heading
from dpaudit.report.table import compact, parameters_text
from dpaudit.report.text import aligned_table, markdown_table
from dpaudit.results.documents import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dpaudit.accuracy.compare import Question
    from dpaudit.data.columns import Column

__all__ = ["render_accuracy"]

METRICS = {
    "hellinger": "H(posterior of the output, posterior of the data)",
    "l1": "‖output − data‖₁",
}
"""The errors in words."""


def render_accuracy(
    found: Sequence[Found],
    question: Question,
    form: str,
    law: str | None = None,
    data: Column | None = None,
) -> bytes:
    """Return the comparison in one of the forms of a report; ``data`` is the column it is about.

    ``law`` adds the whole law of each error, by ``distance`` or by ``steps``; as CSV, instead.
    """
    if form == "json":
        return encode(accuracy_document(found, question, law, data_document(data)))
    if form == "csv":
        return (_csv(found, question) if law is None else _law_csv(found, question, law)).encode()
    page = _page(found, question, law, markdown=form == "markdown").encode()
    return data_heading(data_document(data), form) + page


# -- CSV ---------------------------------------------------------------------------------------


def _csv(found: Sequence[Found], question: Question) -> str:
    answered = [one for one in found if isinstance(one, Accuracy)]
    levels = [str(q.level) for q in answered[0].quantiles] if answered else []
    tails = [t for t, _ in answered[0].tails] if answered else []
    names = [
        *("realised_epsilon", "mean", "variance"),
        *(f"quantile_{level}" for level in levels),
        *(f"tail_{t}" for t in tails),
    ]
    ends = [f"{name}_{end}" for name in names for end in ("lower", "upper")]

    def lines() -> Iterator[list[str]]:
        yield [*_SUBJECT, *ends, "decided", "reason"]
        for one in found:
            if isinstance(one, Unanswered):
                yield [*_subject(one, question), *[""] * len(ends), "false", one.reason]
                continue
            realised = ("", "") if one.realised is None else one.realised.texts()
            values = [one.mean, one.variance, *(q.value for q in one.quantiles)]
            values += [value for _, value in one.tails]
            cells = [end for value in values for end in value.texts()]
            yield [*_subject(one, question), *realised, *cells, str(one.decided).lower(), ""]

    return _written(lines())


def _law_csv(found: Sequence[Found], question: Question, law: str) -> str:
    def lines() -> Iterator[list[str]]:
        ends = [f"{name}_{end}" for name in ("error", "probability") for end in ("lower", "upper")]
        yield [*_SUBJECT, "steps", *ends, "outputs"]
        for one in found:
            if isinstance(one, Accuracy):
                for steps, error, probability, outputs in law_lines(one, law):
                    shown = ";".join(map(str, steps))
                    cells = [*error.texts(), *probability.texts()]
                    yield [*_subject(one, question), shown, *cells, str(outputs or "")]

    return _written(lines())


_SUBJECT = ["mechanism", "parameters", "equal", "at", "metric", "outside"]


def _subject(one: Found, question: Question) -> list[str]:
    named = mechanism_fields(one)
    name = named.pop("name")
    parameters = parameters_text(named, "=", ";")
    outside = one.outside if isinstance(one, Accuracy) else question.outside
    at = ",".join(map(str, question.dataset))
    return [name, parameters, one.equal, at, question.metric, outside or ""]


def _written(lines: Iterator[list[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue()


# -- tables ------------------------------------------------------------------------------------


def _page(found: Sequence[Found], question: Question, law: str | None, *, markdown: bool) -> str:
    table = markdown_table if markdown else aligned_table
    at = f"({', '.join(map(str, question.dataset))})"
    heading = f"error {METRICS[question.metric]} at {at}, n = {question.n}"
    blocks = [f"**{heading}**" if markdown else heading]
    labels = _labels(found)
    for equal in EQUAL:
        here = [
            (label, one) for label, one in zip(labels, found, strict=True) if one.equal == equal
        ]
        if not here:
            continue
        answered = [(label, one) for label, one in here if isinstance(one, Accuracy)]
        title = f"equal {equal} ε: {EQUAL[equal]}"
        blocks.append(f"### {title}" if markdown else title)
        if answered:
            blocks.append(table(*_summary(answered)))
        reasons = [
            f"undecided: {label}: {one.reason}"
            for label, one in here
            if isinstance(one, Unanswered)
        ]
        blocks += ["\n".join(reasons)] if reasons else []
        if law is not None:
            for label, one in answered:
                blocks.append(_law_block(label, one, law, table))
    blocks += _notes(found)
    return "\n\n".join(blocks) + "\n"


def _summary(answered: Sequence[tuple[str, Accuracy]]) -> tuple[list[str], list[list[str]]]:
    first = answered[0][1]
    header = [
        *("mechanism", "nominal ε", "realised ε", "mean"),
        *(_percent(str(q.level)) for q in first.quantiles),
        *(f"P(≥ {t})" for t, _ in first.tails),
    ]
    rows = [
        [
            label,
            _nominal(one),
            "" if one.realised is None else compact(one.realised),
            compact(one.mean),
            *(compact(q.value) + ("" if q.decided else " undecided") for q in one.quantiles),
            *(compact(value) for _, value in one.tails),
        ]
        for label, one in answered
    ]
    kept = [i for i, name in enumerate(header) if name != "realised ε" or any(r[i] for r in rows)]
    return [header[i] for i in kept], [[row[i] for i in kept] for row in rows]


def _percent(level: str) -> str:
    return {"1/20": "5%", "1/4": "25%", "1/2": "median", "3/4": "75%", "19/20": "95%"}.get(
        level, level
    )


def _nominal(one: Accuracy) -> str:
    """Return the nominal ε in closed form, or rounded where that is long."""
    text = one.parameters.get("epsilon", "")
    assert isinstance(text, str)
    if len(text) <= 8:
        return text
    return f"{float(one.law.mechanism.values()['epsilon']):.9f}…"


def _law_block(
    label: str, one: Accuracy, law: str, table: Callable[[list[str], list[list[str]]], str]
) -> str:
    rows = [
        [",".join(map(str, steps)) or "-", compact(error), compact(probability)]
        for steps, error, probability, _ in law_lines(one, law)
    ]
    if not rows:
        return f"{label}, by {law}: the steps of these outputs are not known"
    lines = f"{label}, by {law}\n\n{table(['steps', 'error', 'probability'], rows)}"
    remainder = one.law.remainder
    if remainder.upper:
        lines += f"\nlarger errors, or not listed: {compact(remainder)}"
    return lines


def _labels(found: Sequence[Found]) -> list[str]:
    """Return a name for each finding: with the parameters in which two of one name differ."""
    labels = []
    for one in found:
        mine = mechanism_fields(one)
        others = [mechanism_fields(other) for other in found if other.equal == one.equal]
        alike = [other for other in others if other["name"] == mine["name"]]
        differing = [
            key
            for key, value in mine.items()
            if key != "epsilon" and any(other.get(key) != value for other in alike)
        ]
        shown = [f"{key} = {mine[key]}" for key in differing]
        labels.append(", ".join([str(mine["name"]), *shown]))
    return labels


def _notes(found: Sequence[Found]) -> list[str]:
    lines = []
    answered = [one for one in found if isinstance(one, Accuracy)]
    readings = {(one.name, one.outside) for one in answered if one.outside is not None}
    lines += [f"{name}, {reading}: {OUTSIDE[reading]}" for name, reading in sorted(readings)]
    for equal in EQUAL:
        here = [one for one in answered if one.equal == equal]
        budgets = {str(one.parameters.get("epsilon")) for one in here}
        if len(here) > 1 and (equal == "realised" or len(budgets) == 1):
            lines.append(_best(here, equal))
    return ["\n".join(lines)] if lines else []


def _best(here: Sequence[Accuracy], equal: str) -> str:
    """Return which mechanism has the smallest mean error, where that is certain."""
    best = min(here, key=lambda one: one.mean.upper)
    beaten = all(one is best or one.mean.lower > best.mean.upper for one in here)
    if not beaten:
        return f"smallest mean at equal {equal} ε: not told apart to these digits"
    return f"smallest mean at equal {equal} ε: {best.name}, {compact(best.mean)}"

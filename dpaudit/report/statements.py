"""Statements of a report that a later report may contradict: its question, numbers and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import msgspec

from dpaudit import results
from dpaudit.report.table import MOST_SHOWN, parameters_of, parameters_text, shortened
from dpaudit.report.view import without_sizes
from dpaudit.results.documents import as_document
from dpaudit.worded import Worded

__all__ = [
    "READING",
    "STATED",
    "Covered",
    "Kept",
    "Statement",
    "Word",
    "question_of",
    "statements",
    "subject_of",
    "title_of",
]

READING = "reading"
"""Name of the semantics of a program's draws: ``as run`` is stronger than ``ideal``."""


class Word(NamedTuple):
    """A verdict, or another word that is better or worse than others."""

    text: str


class Kept(NamedTuple):
    """Closed intervals of a parameter at which a budget is certainly kept."""

    intervals: tuple[tuple[Fraction, Fraction], ...]

    @property
    def text(self) -> str:
        """The intervals, as people write them."""
        return ", ".join(f"[{low}, {high}]" for low, high in self.intervals) or "none"


class Covered(NamedTuple):
    """Number of unordered pairs of neighbours that were looked at: fewer are a weaker check."""

    pairs: int

    @property
    def text(self) -> str:
        """The number in digits."""
        return str(self.pairs)


Statement: TypeAlias = results.Enclosure | Word | Kept | Covered

STATED = "stated budget"
"""Name of the budget that a mechanism states, which may be another one than it is held to."""

_QUESTION = {
    "budget": "budget",
    "stated": STATED,
    "adjacency": "adjacency",
    "at": "datasets",
    "notion": "notion",
    "metric": "metric",
    "outside": "outside",
    "equal": "equal",
    "target": "target",
    "parameter": "parameter",
    "epsilon": "interval",
    "compose": "runs",
    "then": "further runs",
    "sample_rate": "sample rate",
    "direction": "direction",
    "against": "law",
}
"""Fields that a report repeats of its question, with their names here."""

_NAMES = {
    "epsilon": "ε",
    "mean": "mean error",
    "mu": "μ",
    "realised": "realised ε",
}
"""Names of numbers that are called otherwise than their fields."""

_LEFT_OUT = {
    *("witness", "exceeded", "beyond", "law", "remainder", "upper", "lower", "pieces", "points"),
    *("stretches", "budget", "stated", "loaded", "data", "then", "event", "comparisons", "x", "y"),
    *("results", "undecided", "uncalibrated", "kept", "notion"),
}
"""Fields with evidence for the numbers beside them, or with the question."""

_INFINITE, _ONE = Decimal("Infinity"), Decimal(1)


def title_of(report: Any) -> str:
    """Return a mechanism with its parameters."""
    described = dict(report.described)
    name = str(described.pop("name"))
    if hasattr(report, "epsilon_unit") and hasattr(report, "parameters"):
        described = parameters_of(report)
    told = parameters_text(described)
    return shortened(f"{name} ({told})" if told else name, MOST_SHOWN)


def subject_of(report: Any) -> str:
    """Return the mechanism with all its parameters; one that was solved for has no value."""
    described = dict(report.described)
    solved = getattr(report, "solved", None)
    if solved is not None:
        described[solved.parameter] = "solved for"
    return repr(sorted(described.items()))


def question_of(report: Any) -> dict[str, str]:
    """Return the question that a report answers, but for mechanism and sizes, as texts.

    Parts that are None are left out.
    """
    fields = {name: getattr(report, field, None) for field, name in _QUESTION.items()}
    fields["adjacency"] = getattr(report, "adjacency", None) or getattr(report, "relation", None)
    question = {
        name: _text(value)
        for name, value in fields.items()
        if value is not None and not (isinstance(value, (str, tuple)) and not value)
    }
    if not isinstance(getattr(report, "epsilon", None), results.NominalEpsilon):
        question.pop("interval", None)
    return question


def _text(part: Any) -> str:
    if isinstance(part, (results.Budget, results.IntervalBudget)):
        return str(part)
    if isinstance(part, tuple):
        return "; ".join(map(_text, part))
    document = as_document(part)
    return ", ".join(map(str, document.values())) if isinstance(document, dict) else str(document)


def statements(report: Any) -> dict[str, dict[str, Statement]]:
    """Return the numbers and verdicts of a report by their place and name.

    The place is a size, or empty for what is said of all of them.
    """
    whole: dict[str, Statement] = {}
    told = {"": whole}
    names = {"value": report.label} if isinstance(report, results.MeasuredAudit) else {}
    if getattr(report, "semantics", None) is not None:
        whole[READING] = Word(report.semantics)
    if hasattr(report, "kept") and not isinstance(report.kept, str):
        ends = tuple((Fraction(one.first), Fraction(one.last)) for one in report.kept)
        whole[f"{report.parameter} that keep the budget"] = Kept(ends)
    if not hasattr(report, "results"):
        told[f"n = {report.n}"] = _covered(report) | dict(_inside(report, names))
        told[f"n = {report.n}"] |= dict(_drawn(report))
        return told
    whole |= {name: value for name, value in _inside(report, names) if isinstance(value, Word)}
    for size in report.results:
        told[_place(report, size)] = _covered(size) | dict(_inside(size, names))
    judged = getattr(report, "verdict", None) is not None
    for size in report.without_result:
        verdict = getattr(size, "verdict", None)
        word = "undecided" if verdict is None else verdict.value
        told[_place(report, size)] = {"verdict": Word(word)} if judged else {}
    return told


def _place(report: Any, size: Any) -> str:
    return "all pairs" if without_sizes(report) else f"n = {size.n}"


def _covered(part: Any) -> dict[str, Statement]:
    """Return the number of pairs that a part of a report covers, if it counts them."""
    pairs = getattr(part, "pairs_covered", getattr(part, "pairs", None))
    return {"pairs covered": Covered(pairs)} if isinstance(pairs, int) else {}


def _inside(part: Any, names: dict[str, str], prefix: str = "") -> Iterator[tuple[str, Statement]]:
    """Iterate over the numbers and verdicts in a part of a report, with their names."""
    if isinstance(part, results.CalibratedSize):
        ends = Decimal(part.nominal), _INFINITE if part.failing is None else Decimal(part.failing)
        yield f"{prefix}safe nominal ε", results.Enclosure(*ends)
    if isinstance(part, results.Solution):
        ends = min(part.value, part.failing), max(part.value, part.failing)
        yield f"{prefix}solved {part.parameter}", results.Enclosure(*ends)
        return
    if isinstance(part, results.EpsilonRow):
        yield f"{prefix}ε at δ = {part.delta}", part.epsilon
        return
    if isinstance(part, results.DeltaRow):
        yield f"{prefix}δ({part.epsilon})", part.delta
        return
    for field in part.__struct_fields__:
        value = getattr(part, field)
        for one in value if isinstance(value, tuple) else (value,):
            if field not in _LEFT_OUT:
                yield from _statement(one, field, names, prefix)


def _statement(
    value: Any, field: str, names: dict[str, str], prefix: str
) -> Iterator[tuple[str, Statement]]:
    plain = field.replace("_", " ")
    if isinstance(value, results.Enclosure):
        yield prefix + _called(value, names.get(field) or _NAMES.get(field, plain)), value
    elif isinstance(value, Worded):
        yield prefix + plain, Word(str(value.value))
    elif isinstance(value, (results.EpsilonRow, results.DeltaRow, results.Solution)):
        yield from _inside(value, names)
    elif isinstance(value, msgspec.Struct):
        yield from _inside(value, names, f"{prefix}{plain}: ")


def _called(value: results.Enclosure, name: str) -> str:
    """Return the name of a number, with the argument that it is the value at."""
    match value:
        case results.DeltaAt():
            return f"δ({value.epsilon})"
        case results.EpsilonAt():
            return f"ε at δ = {value.delta}"
        case results.TypeTwoAt():
            return f"type II error at {value.type_one}"
        case results.QuantileAt():
            return f"quantile {value.level}"
        case results.TailAt():
            return f"P(error ≥ {value.threshold})"
    return name


def _drawn(report: Any) -> Iterator[tuple[str, Statement]]:
    """Iterate over the bounds that draws have given: from below on ε and δ, above on a distance."""
    if isinstance(report, results.SampleReport):
        for text, name, most in ((report.epsilon, "ε", _INFINITE), (report.delta, "δ", _ONE)):
            if text:
                yield name, results.Enclosure(Decimal(text), most)
        if report.tolerance:
            yield "distance", results.Enclosure(Decimal(0), Decimal(report.tolerance))

"""Hunts as reports: text for people, a JSON document, and CSV of every point."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

import msgspec

from dpaudit.exact.enclosure import Enclosure
from dpaudit.exact.real import real
from dpaudit.hunting.result import Finding
from dpaudit.report.render import marked
from dpaudit.report.table import budget_text, compact, dataset_text, relation_text
from dpaudit.results import Audit, Budget
from dpaudit.results.documents import encode
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.hunting.result import HuntResult, Worst
    from dpaudit.results import SizeResult

__all__ = ["HUNT_FORMS", "HuntDocument", "render_hunt"]

HUNT_FORMS = ("text", "json", "csv")
"""The forms of a hunt's report."""


class DimensionDocument(msgspec.Struct):
    """One searched parameter: a range or a list as it can be asked for, and its scale."""

    name: str
    values: str
    scale: str


class UnevaluatedDocument(msgspec.Struct):
    """A point that could not be looked at, and why."""

    parameters: dict[str, str]
    reason: str


class WorstDocument(msgspec.Struct):
    """The worst point found: its certified audit, and the command that replays it."""

    parameters: dict[str, str]
    ratio: Enclosure | None
    audit: Audit
    replay: str


class HuntDocument(msgspec.Struct):
    """A hunt: what was searched, how far, and the worst point found.

    ``verdict`` is ``exceeds`` for a certified violation, ``none-found`` where the worst point is
    certified within its budget (which says nothing of points that were not looked at), or
    ``undecided``.  ``ratio`` is of ε, or of δ where the budget has one, as ``measure`` says.
    """

    schema: str
    version: str
    mechanism: str
    searched: list[DimensionDocument]
    fixed: dict[str, str]
    budget: Budget | None
    measure: str
    seed: int
    evaluations: int
    time_cap: str
    stopped: str
    verdict: str
    worst: WorstDocument | None
    evaluated: int
    unevaluated: list[UnevaluatedDocument]
    certified: int
    """How many points were audited in full."""
    uncertified: int
    """How many were not that their scores do not tell from the budget, or from the worst."""


def render_hunt(hunt: HuntResult, form: str) -> bytes:
    """Return the hunt in one of :data:`HUNT_FORMS`."""
    if form == "json":
        return encode(_document(hunt))
    return (_csv(hunt) if form == "csv" else _text(hunt)).encode()


def _document(hunt: HuntResult) -> HuntDocument:
    return HuntDocument(
        schema="dpaudit.hunt/1",
        version=__version__,
        mechanism=hunt.mechanism,
        searched=[
            DimensionDocument(d.name, d.text, "logarithmic" if d.logarithmic else "linear")
            for d in hunt.space.dimensions
        ],
        fixed=hunt.fixed,
        budget=None if hunt.budget is None else Budget(*map(real, hunt.budget)),
        measure=hunt.measure,
        seed=hunt.limits.seed,
        evaluations=hunt.limits.evaluations,
        time_cap=f"{hunt.limits.seconds:g}",
        stopped=hunt.stopped.value,
        verdict=hunt.finding.value,
        worst=None if hunt.worst is None else _worst(hunt.worst),
        evaluated=len(hunt.evaluated),
        unevaluated=[
            UnevaluatedDocument(_texts(hunt.space.named(point.point)), point.reason)
            for point in hunt.unevaluated
        ],
        certified=hunt.certified,
        uncertified=hunt.uncertified,
    )


def _worst(worst: Worst) -> WorstDocument:
    return WorstDocument(
        parameters=_texts(worst.parameters),
        ratio=worst.ratio,
        audit=marked(worst.audit),
        replay=worst.replay,
    )


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def _csv(hunt: HuntResult) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = [dimension.name for dimension in hunt.space.dimensions]
    writer.writerow([*names, "epsilon_over_budget", "delta_over_budget", "reason"])
    for found in hunt.evaluated:
        score = found.score
        delta = "" if score.delta is None else _number(score.delta)
        writer.writerow([*map(str, found.point), _number(score.epsilon), delta, ""])
    for missing in hunt.unevaluated:
        writer.writerow([*map(str, missing.point), "", "", missing.reason])
    return stream.getvalue()


def _number(value: float) -> str:
    return "inf" if math.isinf(value) else repr(value)


def _text(hunt: HuntResult) -> str:
    searched = ", ".join(f"{d.name} = {d.text}" for d in hunt.space.dimensions)
    fixed = ", ".join(f"{name} = {value}" for name, value in hunt.fixed.items())
    lines = [f"{hunt.mechanism}{f' ({fixed})' if fixed else ''}; searched {searched}", ""]
    if hunt.worst is not None:
        lines += [*_worst_lines(hunt, hunt.worst), ""]
    lines += [_conclusion(hunt), *_left_out(hunt)]
    return "\n".join(lines) + "\n"


def _worst_lines(hunt: HuntResult, worst: Worst) -> list[str]:
    items = {"worst point": ", ".join(f"{name} = {v}" for name, v in worst.parameters.items())}
    if worst.audit.results:
        items |= _certified(hunt, worst, worst.audit.results[0])
        items["neighbours"] = relation_text(worst.audit)
    else:
        items["undecided"] = worst.audit.undecided[0].reason
    items["replay"] = worst.replay
    width = max(map(len, items))
    return [f"{name:<{width}}   {value}" for name, value in items.items()]


def _certified(hunt: HuntResult, worst: Worst, result: SizeResult) -> dict[str, str]:
    witness = result.witness
    symbol = "δ" if hunt.measure == "delta" else "ε"
    items = {"realised ε": compact(result.epsilon)}
    if hunt.measure == "delta":
        items[f"δ({result.delta.epsilon})"] = compact(result.delta.value)
    items["budget"] = budget_text(worst.audit)
    if worst.ratio is not None:
        items[f"{symbol} over budget"] = compact(worst.ratio)
    items["verdict"] = f"{result.verdict.value}{f': {result.reason}' if result.reason else ''}"
    items["witness"] = (
        f"{dataset_text(witness.x)} / {dataset_text(witness.y)} → {dataset_text(witness.output)}"
    )
    return items


def _conclusion(hunt: HuntResult) -> str:
    looked = (
        f"{len(hunt.evaluated)} points looked at, {hunt.stopped.value}; seed {hunt.limits.seed}"
    )
    if hunt.finding is Finding.EXCEEDS:
        return f"exceeds: a certified violation of the budget ({looked})"
    if hunt.finding is Finding.UNDECIDED:
        return f"undecided: no certified violation, and not every question is answered ({looked})"
    return f"none found, which is no proof that there is none ({looked})"


def _left_out(hunt: HuntResult) -> list[str]:
    lines = []
    if hunt.uncertified:
        lines.append(
            f"not certified: {hunt.uncertified} points whose scores are not told from the worst or "
            f"from the budget, {hunt.unsettled} of which may exceed it"
        )
    for costly, what in ((True, "left out as too long"), (False, "not enclosed")):
        points = [point for point in hunt.unevaluated if point.costly is costly]
        if points:
            first = ", ".join(f"{n} = {v}" for n, v in hunt.space.named(points[0].point).items())
            lines.append(f"{what}: {len(points)} points, such as {first}: {points[0].reason}")
    return lines

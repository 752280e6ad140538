"""Audits as CSV: one line for each size, every number as in the JSON."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from dpaudit.audit.result import Audit
from dpaudit.report.table import dataset_text, parameters_of, parameters_text, relation_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.audit.curve import CurveAudit
    from dpaudit.audit.result import DeltaAt, SizeResult, Subject, UndecidedSize

__all__ = ["render_csv", "subject_cells"]

_SUBJECT = ["mechanism", "parameters", "adjacency", "at"]
_DELTA = ["epsilon", "delta_lower", "delta_upper"]
_SIZE = [
    *("n", "datasets", "pairs", "pairs_covered", "outputs"),
    *("epsilon_lower", "epsilon_upper", "epsilon_exact"),
    *("budget_epsilon", "budget_delta", "delta_lower", "delta_upper", "delta_exact"),
    *("witness_x", "witness_y", "witness_output", "loss_lower", "loss_upper"),
    *("verdict", "reason"),
]


def render_csv(audits: Sequence[Audit | CurveAudit]) -> str:
    """Return the audits as CSV with a header line.

    An audit asked for δ at further ε has three more columns for each of them; a curve has one line
    for each size and ε.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    first = audits[0]
    if isinstance(first, Audit):
        asked = first.results[0].curve if first.results else ()
        further = [f"{name}_{index}" for index in range(1, len(asked) + 1) for name in _DELTA]
        writer.writerow([*_SUBJECT, *_SIZE, *further])
    else:
        writer.writerow([*_SUBJECT, "n", "pairs", *_DELTA, "x", "y"])
    for audit in audits:
        subject = subject_cells(audit.subject)
        if isinstance(audit, Audit):
            budget = list(audit.subject.budget)
            writer.writerows([*subject, *_size(result, budget)] for result in audit.results)
            writer.writerows([*subject, *_undecided(size, budget)] for size in audit.undecided)
        else:
            writer.writerows([*subject, *line] for line in _curve_lines(audit))
    return stream.getvalue()


def subject_cells(subject: Subject) -> list[str]:
    """Return the mechanism, its parameters, the relation and the restriction, as cells."""
    parameters = parameters_text(parameters_of(subject), "=", ";")
    return [subject.mechanism, parameters, relation_text(subject), subject.at or ""]


def _size(result: SizeResult, budget: list[str]) -> list[str]:
    witness, epsilon, delta = result.witness, result.epsilon, result.delta.value
    return [
        *map(str, (result.n, result.datasets, result.pairs, result.pairs_covered)),
        "infinite" if result.outputs is None else str(result.outputs),
        *(*epsilon.texts(), epsilon.exact or ""),
        *budget,
        *(*delta.texts(), delta.exact or ""),
        *map(dataset_text, (witness.x, witness.y, witness.output)),
        *witness.loss.texts(),
        *(result.verdict.value, result.reason),
        *(text for point in result.curve for text in _delta(point)),
    ]


def _undecided(size: UndecidedSize, budget: list[str]) -> list[str]:
    known = dict(zip(("budget_epsilon", "budget_delta"), budget, strict=True))
    known |= {"n": str(size.n), "verdict": "undecided", "reason": size.reason}
    return [known.get(name, "") for name in _SIZE]


def _delta(point: DeltaAt) -> list[str]:
    return [point.epsilon, *point.value.texts()]


def _curve_lines(audit: CurveAudit) -> Iterator[list[str]]:
    for curve, values in zip(audit.curves, audit.values, strict=True):
        for point in values:
            pair = ["" if side is None else dataset_text(side) for side in (point.x, point.y)]
            yield [str(curve.n), str(curve.pairs), *_delta(point), *pair]

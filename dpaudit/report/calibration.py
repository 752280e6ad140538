"""Calibrations as JSON, text and Markdown."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.audit.result import worst_verdict
from dpaudit.calibration.result import CalibratedSize, Calibration, ErrorChange
from dpaudit.exact.enclosure import Enclosure, decimal_text
from dpaudit.report.data import DataDocument, data_document
from dpaudit.report.documents import (
    BudgetDocument,
    Interval,
    SizeDocument,
    SourceDocument,
    encode,
    interval_document,
    size_document,
    subject_fields,
)
from dpaudit.report.render import data_heading
from dpaudit.report.table import compact, dataset_text, headline, not_finished
from dpaudit.report.text import aligned_table, markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.data.columns import Column

__all__ = [
    "CalibrationDocument",
    "CalibrationsDocument",
    "calibration_document",
    "render_calibrations",
]


class ErrorDocument(msgspec.Struct):
    """The mean Hellinger error E[H(BI(x), z)] at ``dataset``, before and after."""

    dataset: Any
    before: Interval
    after: Interval
    ratio: Interval


class BeyondDocument(msgspec.Struct):
    """How many nominal ε above the failing one were tried, and are certified to exceed."""

    tried: int
    exceeding: int
    up_to: str


class CalibratedDocument(msgspec.Struct, omit_defaults=True):
    """The calibration at one size.

    ``nominal`` is certified to keep the budget, ``failing`` (null if none was found) is certified
    to exceed it; above it nothing is said but what was tried ``beyond``.  ``before`` is the audit
    at the nominal ε of the budget; ``realised`` and ``exceeded`` at ``nominal`` and ``failing``.
    """

    n: int
    nominal: str
    failing: str | None
    gain: Interval
    audits: int
    before: SizeDocument
    realised: SizeDocument
    exceeded: SizeDocument | None
    error: ErrorDocument | None
    beyond: BeyondDocument | None
    verdict: str
    note: str = ""
    no_error: str = ""


class UncalibratedDocument(msgspec.Struct):
    """A size without a safe nominal ε, and why."""

    n: int
    verdict: str
    reason: str


class CalibrationDocument(msgspec.Struct, omit_defaults=True):
    """The calibration of one mechanism over one or more sizes.

    ``mechanism`` is the mechanism as it is before, at the nominal ε of the budget.
    """

    schema: str
    version: str
    mechanism: dict[str, Any]
    stated: BudgetDocument | None
    budget: BudgetDocument
    adjacency: str
    at: str | None
    digits: int
    tolerance: str
    verdict: str
    sizes: list[int]
    """Those that were asked for."""
    results: list[CalibratedDocument]
    uncalibrated: list[UncalibratedDocument]
    missing: list[int]
    data: DataDocument | None = None
    loaded: SourceDocument | None = None
    adjacency_defaulted: bool = False
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class CalibrationsDocument(msgspec.Struct, omit_defaults=True):
    """The calibrations of several mechanisms."""

    schema: str
    verdict: str
    calibrations: list[CalibrationDocument]
    data: DataDocument | None = None
    sha256: str = ""


def calibration_document(
    found: Sequence[Calibration], data: DataDocument | None = None
) -> CalibrationDocument | CalibrationsDocument:
    """Return the document of one calibration, or of several; ``data`` is what they are about."""
    documents = [
        CalibrationDocument(
            schema="dpaudit.calibration/1",
            tolerance=calibration.tolerance,
            verdict=calibration.verdict.value,
            sizes=list(calibration.sizes),
            results=[_size(size) for size in calibration.results],
            uncalibrated=[
                UncalibratedDocument(size.n, size.verdict.value, size.reason)
                for size in calibration.uncalibrated
            ],
            missing=list(calibration.missing),
            **subject_fields(calibration.subject),
        )
        for calibration in found
    ]
    if len(documents) == 1:
        documents[0].data = data
        return documents[0]
    verdict = worst_verdict(calibration.verdict for calibration in found)
    return CalibrationsDocument("dpaudit.calibrations/1", verdict.value, documents, data)


def _size(size: CalibratedSize) -> CalibratedDocument:
    error = size.error
    return CalibratedDocument(
        n=size.n,
        nominal=size.nominal,
        failing=size.failing,
        gain=interval_document(size.gain),
        audits=size.audits,
        before=size_document(size.before),
        realised=size_document(size.realised),
        exceeded=None if size.exceeded is None else size_document(size.exceeded),
        error=_error(error) if isinstance(error, ErrorChange) else None,
        beyond=None
        if size.beyond is None
        else BeyondDocument(size.beyond.tried, size.beyond.exceeding, size.beyond.up_to),
        verdict=size.verdict.value,
        note=size.note,
        no_error="" if isinstance(error, ErrorChange) else error.reason,
    )


def _error(error: ErrorChange) -> ErrorDocument:
    return ErrorDocument(
        list(error.dataset),
        interval_document(error.before),
        interval_document(error.after),
        interval_document(error.ratio),
    )


def render_calibrations(
    found: Sequence[Calibration], form: str, data: Column | None = None
) -> bytes:
    """Return calibrations as ``text``, ``json``, ``csv`` or ``markdown``."""
    if form == "json":
        return encode(calibration_document(found, data_document(data)))
    if form == "csv":
        from dpaudit.report.calibration_csv import render_calibration_csv

        return render_calibration_csv(found).encode()
    blocks = [_block(calibration, markdown=form == "markdown") for calibration in found]
    return data_heading(data, form) + ("\n\n".join(blocks) + "\n").encode()


_HEADER = ["n", "pairs", "nominal ε", "fails at", "gain", "realised ε"]
_ERRORS = ["mean H before", "mean H after", "after/before"]


def _block(calibration: Calibration, *, markdown: bool) -> str:
    delta = calibration.subject.budget[1] != "0"
    epsilon = calibration.subject.budget[0]
    header = [*_HEADER, *([f"realised δ({epsilon})"] if delta else []), *_ERRORS]
    rows = [_row(size, delta=delta) for size in calibration.results]
    title = f"calibrated: {headline(calibration.subject)}"
    notes = _notes(calibration)
    if markdown:
        table = [markdown_table(header, rows), ""] if rows else []
        return "\n".join([f"**{title}**", "", *table, *(f"- {line}" for line in notes)])
    table = [aligned_table(header, rows), ""] if rows else []
    return "\n".join([title, "", *table, *notes])


def _row(size: CalibratedSize, *, delta: bool) -> list[str]:
    realised = size.realised
    return [
        str(size.n),
        str(realised.pairs_covered),
        size.nominal,
        size.failing or "none found",
        _rounded_down(size.gain),
        compact(realised.epsilon),
        *([compact(realised.delta.value)] if delta else []),
        *(
            [_short(size.error.before), _short(size.error.after), _short(size.error.ratio)]
            if isinstance(size.error, ErrorChange)
            else ["", "", ""]
        ),
    ]


def _short(interval: Enclosure) -> str:
    """Return an interval to seven digits: its middle, marked as rounded unless it is exact."""
    if interval.lower == interval.upper and len(decimal_text(interval.lower)) <= 9:
        return decimal_text(interval.lower)
    return f"{interval.midpoint:.7g}"


def _rounded_down(interval: Enclosure) -> str:
    lower = Context(prec=7, rounding=ROUND_FLOOR).plus(interval.lower)
    return decimal_text(lower)


def _notes(calibration: Calibration) -> list[str]:
    epsilon, delta = calibration.subject.budget
    budget = f"ε = {epsilon}" if delta == "0" else f"(ε, δ) = ({epsilon}, {delta})"
    lines = []
    if calibration.results:
        lines += [
            _verdict(calibration, budget),
            *_beyond(calibration),
            f"gain is over the nominal ε of the budget, rounded down; mean H is E[H(BI(x), z)] at "
            f"{_places(calibration)} before, at that ε, and after, rounded (the intervals are in "
            "the JSON and the CSV)",
        ]
        if calibration.subject.at is not None:
            lines.append(
                "only pairs that contain these data were looked at: a nominal ε chosen so says "
                "nothing about other data, and depends on these"
            )
    lines += [f"n = {size.n}: {size.note}" for size in calibration.results if size.note]
    reasons = {s.error.reason for s in calibration.results if not isinstance(s.error, ErrorChange)}
    lines += [f"no mean error: {reason}" for reason in sorted(reasons)]
    lines += [f"n = {s.n} {s.verdict.value}: {s.reason}" for s in calibration.uncalibrated]
    return [*lines, *not_finished(calibration.missing)]


def _verdict(calibration: Calibration, budget: str) -> str:
    whole = not calibration.uncalibrated and not calibration.missing
    every = "every" if whole else "not every size has a safe nominal ε; each"
    named = all(size.failing for size in calibration.results)
    fails = "the one it fails at" if named else "the one it fails at, where one is named,"
    return (
        f"{calibration.verdict.value}: {every} nominal ε above is certified to keep {budget}, and "
        f"{fails} to exceed it, over the pairs named, both directions, every output"
    )


def _beyond(calibration: Calibration) -> list[str]:
    beyond = [size.beyond for size in calibration.results if size.beyond is not None]
    if not beyond:
        return []
    tried, exceeding = (sum(b.tried for b in beyond), sum(b.exceeding for b in beyond))
    found = "all exceed it" if tried == exceeding else f"{exceeding} of them exceed it"
    return [
        f"realised privacy need not be monotone in the nominal ε: {tried} larger nominal ε were "
        f"tried, up to twice the failing one, and {found}; between those nothing is certified"
    ]


def _places(calibration: Calibration) -> str:
    if len(calibration.results) > 1:
        return "uniform data"
    error = calibration.results[0].error
    return f"x = {dataset_text(error.dataset)}" if isinstance(error, ErrorChange) else "x"

"""View of calibrations."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR, Context

from dpaudit.audit.verdicts import short_number
from dpaudit.report.table import compact, dataset_text, ends, headline, not_finished
from dpaudit.report.view import Row, pair_of_ends, sized_view
from dpaudit.results import CalibratedSize, CalibrationReport, Enclosure, decimal_text

__all__ = ["CALIBRATION"]


def _calibration_title(report: CalibrationReport) -> str:
    return f"calibrated: {headline(report)}"


def _calibration_table(report: CalibrationReport) -> tuple[list[str], list[list[str]]]:
    delta = [] if report.budget.is_pure else [f"realised δ({short_number(report.budget.epsilon)})"]
    header = ["n", "pairs", "nominal ε", "fails at", "gain", "realised ε", *delta]
    errors = any(size.error is not None for size in report.results)
    header += ["mean H before", "mean H after", "after/before"] if errors else []
    rows = [_calibration_row(size, delta=bool(delta), errors=errors) for size in report.results]
    return header, rows


def _calibration_row(size: CalibratedSize, *, delta: bool, errors: bool) -> list[str]:
    realised, error = size.realised, size.error
    return [
        str(size.n),
        str(realised.pairs_covered),
        size.nominal,
        size.failing or "none found",
        decimal_text(Context(prec=7, rounding=ROUND_FLOOR).plus(size.gain.lower)),
        compact(realised.epsilon),
        *([compact(realised.delta_held)] if delta else []),
        *(map(_short, (error.before, error.after, error.ratio)) if error else [""] * 3 * errors),
    ]


def _short(interval: Enclosure) -> str:
    """Return an interval to seven digits: its middle, marked as rounded unless it is exact."""
    if interval.lower == interval.upper and len(decimal_text(interval.lower)) <= 9:
        return decimal_text(interval.lower)
    return f"{interval.midpoint:.7g}"


def _calibration_summary(report: CalibrationReport) -> tuple[list[str], int | None]:
    """Return the verdict, and the row of the smallest gain."""
    if not report.results:
        return [], None
    gains = [size.gain.lower for size in report.results]
    return [_calibration_verdict(report)], gains.index(min(gains))


def _calibration_notes(report: CalibrationReport) -> list[str]:
    lines = []
    if report.results:
        lines += [
            *_beyond(report),
            "gain: the calibrated nominal ε divided by the nominal ε before, rounded down"
            + _of_errors(report),
        ]
        if report.at is not None:
            lines.append(
                "only pairs that contain these data were audited: the nominal ε depends on these "
                "data, and says nothing about others"
            )
    lines += [f"n = {size.n}: {size.note}" for size in report.results if size.note]
    reasons = {size.no_error for size in report.results if size.no_error}
    lines += [f"no mean error: {reason}" for reason in sorted(reasons)]
    lines += [f"n = {s.n} {s.verdict.value}: {s.reason}" for s in report.uncalibrated]
    return [*lines, *not_finished(report.missing)]


def _of_errors(report: CalibrationReport) -> str:
    """Return what the columns of the mean error are, where there is one."""
    if all(size.error is None for size in report.results):
        return ""
    return (
        f"; mean H is the mean Hellinger error E[H(BI(x), z)] at {_places(report)}, with that "
        "nominal ε (before) and with the calibrated one (after), rounded (the intervals are "
        "in the JSON and the CSV)"
    )


def _calibration_verdict(report: CalibrationReport) -> str:
    budget = report.budget
    shown = str(budget) if budget.is_pure else f"(ε, δ) = {budget}"
    whole = not report.uncalibrated and not report.missing
    some = "" if whole else "some sizes have no safe nominal ε; "
    return (
        f"{report.verdict.value}: {some}with each nominal ε in the table, the mechanism is "
        f"certified to keep {shown}, and with each value under “fails at” to exceed it, over the "
        "listed pairs, both directions, every output"
    )


def _beyond(report: CalibrationReport) -> list[str]:
    beyond = [size.beyond for size in report.results if size.beyond is not None]
    if not beyond:
        return []
    tried, exceeding = (sum(b.tried for b in beyond), sum(b.exceeding for b in beyond))
    found = "all exceed it" if tried == exceeding else f"{exceeding} of them exceed it"
    return [
        f"the realised ε need not grow with the nominal ε: {tried} larger nominal ε were tried, "
        f"up to twice the failing one, and {found}; between these nothing is certified"
    ]


def _places(report: CalibrationReport) -> str:
    if len(report.results) > 1:
        return "uniform data"
    error = report.results[0].error
    return "x" if error is None else f"x = {dataset_text(error.dataset)}"


def _calibration_lines(report: CalibrationReport) -> Iterator[Row]:
    budget = report.budget
    asked = {"budget_epsilon": str(budget.epsilon), "budget_delta": str(budget.delta)}
    for size in report.results:
        realised, failed, error = size.realised, size.exceeded, size.error
        cells = {
            "n": str(size.n),
            "pairs": str(realised.pairs),
            "pairs_covered": str(realised.pairs_covered),
            "nominal": size.nominal,
            "failing": size.failing or "",
            "audits": str(size.audits),
            "verdict": size.verdict.value,
            "reason": size.note,
            **ends("gain", size.gain),
            **ends("before_epsilon", size.before.epsilon),
            **ends("epsilon", realised.epsilon),
            **ends("delta", realised.delta_held),
        }
        if failed is not None:
            cells |= ends("failing_epsilon", failed.epsilon)
            cells |= ends("failing_delta", failed.delta_held)
        if error is not None:
            cells |= {"error_dataset": dataset_text(error.dataset)}
            cells |= ends("error_before", error.before) | ends("error_after", error.after)
            cells |= ends("error_ratio", error.ratio)
        yield asked | cells
    for none in report.uncalibrated:
        yield asked | {"n": str(none.n), "verdict": none.verdict.value, "reason": none.reason}


CALIBRATION = sized_view(
    figure="dpaudit.questions.calibrate.figure:plot_calibrated",
    title=_calibration_title,
    table=_calibration_table,
    notes=_calibration_notes,
    summary=_calibration_summary,
    columns=(
        *("n", "pairs", "pairs_covered", "budget_epsilon", "budget_delta"),
        *("nominal", "failing", *pair_of_ends("gain"), "audits"),
        *pair_of_ends("before_epsilon", "epsilon", "delta"),
        *pair_of_ends("failing_epsilon", "failing_delta"),
        *("error_dataset", *pair_of_ends("error_before", "error_after", "error_ratio")),
        *("verdict", "reason"),
    ),
    lines=_calibration_lines,
)

"""Calibrations as CSV: one line for each size, every interval with both ends."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from dpaudit.calibration.result import CalibratedSize, Calibration, ErrorChange
from dpaudit.report.csv import subject_cells
from dpaudit.report.table import dataset_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.exact.enclosure import Enclosure

__all__ = ["render_calibration_csv"]

_COLUMNS = [
    *("n", "pairs", "pairs_covered", "budget_epsilon", "budget_delta"),
    *("nominal", "failing", "gain_lower", "gain_upper", "audits"),
    *("before_epsilon_lower", "before_epsilon_upper"),
    *("epsilon_lower", "epsilon_upper", "delta_lower", "delta_upper"),
    *("failing_epsilon_lower", "failing_epsilon_upper"),
    *("failing_delta_lower", "failing_delta_upper"),
    *("error_dataset", "error_before_lower", "error_before_upper"),
    *("error_after_lower", "error_after_upper", "error_ratio_lower", "error_ratio_upper"),
    *("verdict", "reason"),
]


def render_calibration_csv(found: Sequence[Calibration]) -> str:
    """Return calibrations as CSV with a header line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["mechanism", "parameters", "adjacency", "at", *_COLUMNS])
    for calibration in found:
        subject = subject_cells(calibration.subject)
        budget = dict(
            zip(("budget_epsilon", "budget_delta"), calibration.subject.budget, strict=True)
        )
        lines = [_cells(size) for size in calibration.results]
        lines += [
            {"n": str(s.n), "verdict": s.verdict.value, "reason": s.reason}
            for s in calibration.uncalibrated
        ]
        writer.writerows(
            [*subject, *({**budget, **line}.get(name, "") for name in _COLUMNS)] for line in lines
        )
    return stream.getvalue()


def _cells(size: CalibratedSize) -> dict[str, str]:
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
        **_ends("gain", size.gain),
        **_ends("before_epsilon", size.before.epsilon),
        **_ends("epsilon", realised.epsilon),
        **_ends("delta", realised.delta.value),
    }
    if failed is not None:
        cells |= _ends("failing_epsilon", failed.epsilon)
        cells |= _ends("failing_delta", failed.delta.value)
    if isinstance(error, ErrorChange):
        cells["error_dataset"] = dataset_text(error.dataset)
        cells |= _ends("error_before", error.before)
        cells |= _ends("error_after", error.after)
        cells |= _ends("error_ratio", error.ratio)
    return cells


def _ends(name: str, interval: Enclosure) -> dict[str, str]:
    lower, upper = interval.texts()
    return {f"{name}_lower": lower, f"{name}_upper": upper}

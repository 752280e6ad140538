"""Errors of mechanisms side by side: what their table and their figure are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.results import Accuracy, AccuracyReport, Parameters, UndecidedSize

__all__ = ["Compared", "Comparison", "side_by_side"]


class Compared:
    """The error of one mechanism at one size, or why there is none, with what it is about."""

    def __init__(self, report: AccuracyReport, result: Accuracy | UndecidedSize) -> None:
        """Describe the mechanism, with the size where there are several, and the ε it ran with."""
        self.equal = report.equal
        self.described: Parameters = dict(report.described)
        if len(report.sizes) > 1:
            self.described["n"] = str(result.n)
        if report.equal == "realised" and not isinstance(result, UndecidedSize):
            self.described["epsilon"] = str(result.nominal)
        self._result = result

    def __getattr__(self, name: str) -> Any:
        """Return a field of the result."""
        return getattr(self._result, name)


@dataclass(frozen=True)
class Comparison:
    """Mechanisms side by side, in the order they were asked for."""

    reports: Sequence[AccuracyReport]
    results: tuple[Compared, ...]
    """Accuracy of each mechanism at each size, with its report."""
    undecided: tuple[Compared, ...]
    """Mechanisms, or sizes of them, without a finding."""
    metric: str
    """``hellinger`` or ``l1``."""
    by: str
    """Grouping of the listed laws, ``distance`` or ``steps``; empty if laws are not listed."""
    at: tuple[int | str, ...]
    """The counts of the dataset, or ``uniform``."""
    n: str
    """The sizes."""


def side_by_side(reports: Sequence[AccuracyReport]) -> Comparison:
    """Return reports about one dataset, or the same sizes, as one comparison."""
    first = reports[0]
    sizes = first.sizes
    several = f"{sizes[0]}..{sizes[-1]}" if len(sizes) > 1 else ""
    at = str(first.at).split(",")
    return Comparison(
        reports=reports,
        results=tuple(Compared(report, result) for report in reports for result in report.results),
        undecided=tuple(
            Compared(report, result) for report in reports for result in report.undecided
        ),
        metric=first.metric,
        by=first.by,
        at=tuple(at),
        n=several or "".join(map(str, sizes)),
    )

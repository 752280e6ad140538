"""N Fig. 2: the local sensitivity is attained where the candidate is the correct answer.

For every candidate r the figure shows max over neighbours x′ of |H(x, r) − H(x′, r)|.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpaudit.accuracy.listing import enclosed
from dpaudit.data.adjacency import substitutes
from dpaudit.data.histograms import Counts, Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.reproduce.findings import Item, PrintedCheck, PrintedOutcome, Table
from dpaudit.notes.reproduce.printed import BITS, DIGITS
from dpaudit.numbers.ball import Ball, certainly_less, maximum, precision
from dpaudit.report.figures.side_by_side import Lines, LineSeries

__all__ = ["reproduce_local_sensitivity"]

_CASES: tuple[tuple[tuple[int, ...], Counts], ...] = (
    ((1, 1), (10, 10)),
    ((1, 1), (4, 16)),
    ((7, 4), (10, 10)),
    ((1, 1, 1), (5, 5, 5)),
    ((7, 4, 5), (3, 2, 10)),
)
"""Priors and data: the notes print none beside the figure."""


@dataclass(frozen=True)
class _Case:
    prior: tuple[int, ...]
    dataset: Counts
    values: dict[Counts, Ball]
    """max over x′ of |H(x, r) − H(x′, r)| by candidate r."""
    near: tuple[Counts, ...]
    """The neighbours x′."""
    sensitivity: Ball
    """LS(x) = max over x′ of H(x, x′)."""

    @property
    def name(self) -> str:
        """The prior and the data as text."""
        prior, counts = (",".join(map(str, part)) for part in (self.prior, self.dataset))
        return f"prior ({prior}), x = ({counts})"


def _case(prior: tuple[int, ...], dataset: Counts) -> _Case:
    metric = HellingerMetric(tuple(map(Fraction, prior)))
    near = tuple(substitutes(dataset))
    rows = zip(metric.row(dataset), *map(metric.row, near), strict=True)
    values = [maximum(abs(here - there) for there in others) for here, *others in rows]
    candidates = Histograms(sum(dataset), len(dataset))
    sensitivity = maximum(metric.between(dataset, x) for x in near)
    return _Case(prior, dataset, dict(zip(candidates, values, strict=True)), near, sensitivity)


def _check(case: _Case) -> PrintedCheck:
    """Decide that every candidate but x and its neighbours stays certainly below LS(x)."""
    what = f"{case.name}: the maximum over r is at r = BI(x)"
    others = [v for r, v in case.values.items() if r not in (case.dataset, *case.near)]
    below = all(certainly_less(value, case.sensitivity) for value in others)
    none_above = not any(certainly_less(case.sensitivity, v) for v in case.values.values())
    # LS(x) and the value at the centre are both max over x′ of H(x, x′)
    same = not certainly_less(case.values[case.dataset], case.sensitivity)
    if below and none_above and same:
        interval = enclosed(case.sensitivity, DIGITS)
        return PrintedCheck(
            what,
            "max at r = BI(x)",
            PrintedOutcome.REPRODUCED,
            "LS(x) = max over x′ of H(x, x′) (N §4.1)",
            value=interval,
            why=f"LS(x) = {interval}; every candidate but x and its neighbours is certainly below",
        )
    return PrintedCheck(
        what,
        "max at r = BI(x)",
        PrintedOutcome.UNDECIDED,
        "",
        why=("the two cannot be distinguished"),
    )


def reproduce_local_sensitivity() -> Item:
    """Return the maxima over neighbours for every candidate, and where they are largest."""
    with precision(BITS):
        cases = [_case(*case) for case in _CASES]
        checks = [_check(case) for case in cases]
        lines = [
            (case.name, ",".join(map(str, r)), *enclosed(value, DIGITS).texts())
            for case in cases
            for r, value in case.values.items()
        ]
        panels = [_panel(case) for case in cases if len(case.prior) == 2]
    return Item(
        "fig-2",
        "The reduction of the local sensitivity, candidate by candidate",
        "N §4.1, Fig. 2; L §4.1",
        tuple(checks),
        Table(("case", "candidate", "lower", "upper"), tuple(lines)),
        tuple(panels),
        (
            "The notes print neither prior nor data beside the figure; these were taken. At r = x′ "
            "the difference is H(x, x′) too, so the maximum is attained at the neighbours that "
            "attain LS(x) as well as at BI(x).",
        ),
        ("no ε: a distance between posteriors alone",),
    )


def _panel(case: _Case) -> Lines:
    values = tuple(enclosed(value, DIGITS) for value in case.values.values())
    first = tuple(float(case.prior[0] + r[0]) for r in case.values)
    return Lines(
        case.name,
        "first parameter of the candidate r",
        "max over x′ of |H(x, r) − H(x′, r)|",
        (LineSeries("by candidate", first, values),),
        level=(float(case.sensitivity), "LS(x)"),
    )

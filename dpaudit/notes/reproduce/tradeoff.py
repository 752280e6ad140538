"""N Fig. 7 to 10: the error by dimension, by data variance, by prior, and by both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.notes.reproduce.crossover import two_series
from dpaudit.notes.reproduce.findings import Item, PrintedCheck, boxes_table
from dpaudit.notes.reproduce.readings import (
    DEFINED,
    Reading,
    Setting,
)
from dpaudit.notes.reproduce.statements import (
    mean_below,
    outcome_of,
)
from dpaudit.notes.reproduce.trends import (
    LAPLACE,
    OURS,
    Finding,
    Laws,
    changes_once,
    check_everywhere,
    data_text,
    laws_of,
    lines_of,
    means_text,
    monotone,
    remarks,
    signs_are,
)
from dpaudit.numbers.ball import Sign, decide_sign, working_precision

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.numbers.ball import Ball

__all__ = [
    "reproduce_dimensions",
    "reproduce_prior",
    "reproduce_prior_variance",
    "reproduce_variance",
]

# -- Fig. 7 ----------------------------------------------------------------------------------------

_DIMENSIONS = (2, 3, 4)
_PER_CATEGORY = range(1, 8)


def reproduce_dimensions() -> Item:
    """Return the errors by dimension and data size (Fig. 7)."""
    grid = {(k, c): Setting((c,) * k) for k in _DIMENSIONS for c in _PER_CATEGORY}
    found = laws_of(grid.values())
    checks = [
        check_everywhere(
            f"{c} record(s) a category: the error of {name} grows with the dimension, k = 2, 3, 4",
            found,
            monotone([grid[k, c] for k in _DIMENSIONS], which, grows=True),
        )
        for c in _PER_CATEGORY
        for which, name in ((OURS, "ours"), (LAPLACE, "Laplace"))
    ]
    checks += [
        check_everywhere(
            f"k = {k}: Laplace beats ours as the data size grows (1 to 7 records a category)",
            found,
            signs_are([grid[k, c] for c in _PER_CATEGORY], changes_once(Sign.POSITIVE)),
        )
        for k in _DIMENSIONS
    ]
    checks += [
        check_everywhere(
            f"{c} record(s) a category: who is ahead is not affected by the dimension",
            found,
            signs_are([grid[k, c] for k in _DIMENSIONS], lambda signs: len(set(signs)) == 1),
        )
        for c in _PER_CATEGORY
    ]
    panel = two_series(
        "Uniform data, 2 to 4 dimensions",
        "data",
        {data_text(at): found[DEFINED][at] for (_, c), at in grid.items() if c in (1, 2, 4, 5, 6)},
    )
    return Item(
        "fig-7",
        "Hellinger error by dimension and data size",
        "N §4.3.2, Fig. 7",
        tuple(checks),
        boxes_table(lines_of(found, data_text)),
        (panel,),
        remarks("The notes do not list the data: 1 to 7 records in each of 2 to 4 categories."),
    )


# -- Fig. 8 ----------------------------------------------------------------------------------------

_SIZES = (8, 10, 12, 20)


def reproduce_variance() -> Item:
    """Return the errors by data variance (Fig. 8)."""
    rows = {n: [Setting((c, n - c)) for c in range(n // 2 + 1)] for n in _SIZES}
    found = laws_of(at for row in rows.values() for at in row)
    checks = []
    for n, row in rows.items():
        name = f"n = {n}, from {data_text(row[0])} to {data_text(row[-1])}"
        checks += [
            check_everywhere(
                f"{name}: ours gets better as the data get uniform",
                found,
                monotone(row, OURS, grows=False),
            ),
            check_everywhere(
                f"{name}: Laplace gets worse as the data get uniform",
                found,
                monotone(row, LAPLACE, grows=True),
            ),
            check_everywhere(
                f"{name}: ours beats Laplace on the more uniform data",
                found,
                signs_are(row, changes_once(Sign.NEGATIVE)),
            ),
        ]
    panels = [
        two_series(f"n = {n}", "data", {data_text(at): found[DEFINED][at] for at in row})
        for n, row in rows.items()
    ]
    return Item(
        "fig-8",
        "Hellinger error by data variance",
        "N §4.3.3, Fig. 8",
        tuple(checks),
        boxes_table(lines_of(found, data_text)),
        tuple(panels),
        remarks(
            "The notes do not list the data: all data of 8, 10, 12 and 20 records, "
            "prior (1,1). What holds depends on the size."
        ),
    )


# -- Fig. 9 ----------------------------------------------------------------------------------------

_SCALES = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)


def _prior_text(at: Setting) -> str:
    return f"({','.join(map(str, at.prior))})"


def reproduce_prior() -> Item:
    """Return the errors by prior at the data [5,5,5] (Fig. 9)."""
    row = [Setting((5, 5, 5), (a, a, a)) for a in _SCALES]
    found = laws_of(row)
    checks = [
        check_everywhere(
            "at the prior (1,1,1) Laplace beats ours at [5,5,5]",
            found,
            signs_are(row[:1], lambda signs: signs == [Sign.NEGATIVE]),
        ),
        check_everywhere(
            "ours gets better and better as the prior grows",
            found,
            monotone(row, OURS, grows=False),
        ),
        check_everywhere(
            f"ours beats Laplace finally, priors (a,a,a), a = {', '.join(map(str, _SCALES))}",
            found,
            signs_are(row, changes_once(Sign.NEGATIVE)),
        ),
    ]
    panel = two_series("x = (5,5,5)", "prior", {_prior_text(at): found[DEFINED][at] for at in row})
    return Item(
        "fig-9",
        "Hellinger error by prior at [5,5,5]",
        "N §4.3.4, Fig. 9",
        tuple(checks),
        boxes_table(lines_of(found, _prior_text)),
        (panel,),
        remarks("The notes do not list the priors: (a,a,a) with growing a."),
    )


# -- Fig. 10 ---------------------------------------------------------------------------------------

_PRIORS = (1, 2, 4, 8, 16)
_DATA = {8: ((0, 8), (2, 6), (4, 4)), 20: ((0, 20), (5, 15), (10, 10))}


def reproduce_prior_variance() -> Item:
    """Return the errors by prior and data variance (Fig. 10)."""
    grids = {
        n: {(a, x): Setting(x, (a, a)) for a in _PRIORS for x in data} for n, data in _DATA.items()
    }
    found = laws_of(at for grid in grids.values() for at in grid.values())
    checks = [
        check
        for n, grid in grids.items()
        for check in (
            *(_by_variance(n, a, [grid[a, x] for x in _DATA[n]], found) for a in _PRIORS),
            *(_by_prior([grid[a, x] for a in _PRIORS], found) for x in _DATA[n]),
        )
    ]
    panels = [
        two_series(
            f"{n} records",
            "prior, data",
            {f"{_prior_text(at)}\n{data_text(at)}": found[DEFINED][at] for at in grid.values()},
        )
        for n, grid in grids.items()
    ]
    return Item(
        "fig-10",
        "Hellinger error by prior and data variance",
        "N §4.3.5, Fig. 10",
        tuple(check for pair in checks for check in pair),
        boxes_table(lines_of(found, lambda at: f"{_prior_text(at)} {data_text(at)}")),
        tuple(panels),
        remarks(
            "The notes list neither priors nor data, and the caption of Fig. 10 repeats that of "
            "Fig. 2; taken: priors (a,a), a = 1 to 16, and 8 and 20 records. That Laplace noise is "
            "not “improving continuously and significantly” is read in two ways: its error does "
            "not get smaller, and it gets smaller by a smaller factor than ours."
        ),
    )


def _by_variance(
    n: int, a: int, row: Sequence[Setting], found: dict[Reading, Laws]
) -> tuple[PrintedCheck, PrintedCheck]:
    ends = [row[0], row[-1]]
    where = f"n = {n}, prior ({a},{a})"
    return (
        check_everywhere(
            f"{where}: ours does better on uniform data than on edge data",
            found,
            monotone(ends, OURS, grows=False),
        ),
        check_everywhere(
            f"{where}: Laplace does better on edge data than on uniform data",
            found,
            monotone(ends, LAPLACE, grows=True),
        ),
    )


def _by_prior(column: Sequence[Setting], found: dict[Reading, Laws]) -> tuple[PrintedCheck, ...]:
    name = data_text(column[0])
    return (
        check_everywhere(
            f"{name}: ours improves as the prior grows",
            found,
            monotone(column, OURS, grows=False),
        ),
        check_everywhere(
            f"{name}: Laplace does not improve as the prior grows",
            found,
            _does_not_improve(column),
        ),
        check_everywhere(
            f"{name}: ours improves by a larger factor than Laplace as the prior grows",
            found,
            _improves_more(column),
        ),
    )


def _improves_more(column: Sequence[Setting]) -> Callable[[Laws], Finding]:
    """Decide that our mean falls by a larger factor than Laplace's, between the end priors."""

    def holds(laws: Laws) -> Finding:
        (ours_first, other_first), (ours_last, other_last) = laws[column[0]], laws[column[-1]]

        def gain() -> Ball:
            bits = working_precision()
            kept = ours_last.mean_ball(bits) * other_first.mean_ball(bits)
            return ours_first.mean_ball(bits) * other_last.mean_ball(bits) - kept

        factors = [
            first.mean().midpoint / last.mean().midpoint
            for first, last in ((ours_first, ours_last), (other_first, other_last))
        ]
        text = f"factors {factors[0]:.3g} (ours), {factors[1]:.3g} (Laplace)"
        return outcome_of(decide_sign(gain, start=96, cap=768)), text

    return holds


def _does_not_improve(column: Sequence[Setting]) -> Callable[[Laws], Finding]:
    """Decide that Laplace's mean is not smaller at the largest prior than at the smallest."""

    def holds(laws: Laws) -> Finding:
        chosen = [laws[at][LAPLACE] for at in column]
        return mean_below(chosen[0], chosen[-1]), f"means {means_text(chosen)}"

    return holds

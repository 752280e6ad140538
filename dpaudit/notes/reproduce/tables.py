"""The three tables of N §3.4.1 and L §4.3.1: probabilities by Hellinger distance / steps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial

from dpaudit.accuracy.law import ErrorLaw, error_law
from dpaudit.accuracy.listing import Group, enclosed
from dpaudit.data.histograms import Counts
from dpaudit.notes.reproduce.findings import Item, PrintedCheck, PrintedOutcome, Table
from dpaudit.notes.reproduce.printed import (
    BITS,
    Candidate,
    PrintedTable,
    Row,
    check_number,
    rounds_to,
)
from dpaudit.notes.reproduce.readings import build
from dpaudit.numbers.ball import Ball, ball, precision
from dpaudit.numbers.real import real
from dpaudit.report.figures.side_by_side import Lines, LineSeries

__all__ = ["reproduce_table"]

_DIGITS = 28
_EPSILON = "4/5"


_LOCAL = "exp(−ε·H/LS(x)): the local sensitivity, without the 2 (not Def. 2.1)"
_ZERO = "noise rounded toward zero (not the floor of §3.1)"
_ORDERED = "L's formula with 1/(|S_noise|!·2^|L_noise/0|)"

Column = tuple[str, ErrorLaw, Callable[[Group], Ball]]
"""A reading of a column: its name, the law, and the probability of one of its groups."""


def _mass(group: Group) -> Ball:
    return group.probability_ball


def _exponential(dataset: Counts) -> list[Column]:
    prior = (1,) * len(dataset)

    def law(name: str, **parameters: object) -> ErrorLaw:
        settings = {"prior": prior, "epsilon": _EPSILON, **parameters}
        return error_law(build(name, **settings), dataset, digits=_DIGITS)

    smooth = law("MH")
    return [
        (_LOCAL, law("EHDL", divisor="1"), _mass),
        ("M_H without the 2 (N §3.3)", law("MH", divisor="1"), _mass),
        ("M_H (N Def. 2.1)", smooth, _mass),
        (
            "the display of §3.4.1, with the 2 in the denominator alone",
            smooth,
            _as_displayed(smooth),
        ),
        ("the mechanism with local sensitivity (N §2.2)", law("EHDL"), _mass),
    ]


def _as_displayed(law: ErrorLaw) -> Callable[[Group], Ball]:
    """Return N §3.4.1's display: Σ exp(−ε·c/S) / Σ exp(−ε·H/(2·S)).

    With p = N·w/Z for N outputs of weight w = exp(−ε·c/(2·S)) and Z = 1/P(H = 0) that is
    p²/(N·P(0)).
    """
    nothing = law.groups[0].probability_ball

    def displayed(group: Group) -> Ball:
        p = group.probability_ball
        return p * p / (nothing * len(group.outputs))

    return displayed


def _laplace(dataset: Counts) -> list[Column]:
    prior = (1,) * len(dataset)

    def law(rounding: str) -> ErrorLaw:
        mechanism = build("NotesLaplace", prior=prior, epsilon=_EPSILON, rounding=rounding)
        return error_law(mechanism, dataset, outside="furthest", digits=_DIGITS)

    toward_zero = law("toward-zero")
    return [
        (_ZERO, toward_zero, _mass),
        ("noise ⌊Y⌋ (N §3.1, §3.4.1)", law("floor"), _mass),
        (_ORDERED, toward_zero, lambda group: _ordered(group, dataset)),
    ]


def _ordered(group: Group, dataset: Counts) -> Ball:
    """Return the probability of a group by L's formula, S_noise counting a noise of 0."""
    t = (-real(_EPSILON) / real(2)).exp().ball()
    total = ball(0)
    for output in group.outputs:
        noise = [abs(r - c) for r, c in zip(output[:-1], dataset[:-1], strict=True)]
        halves = 2 ** sum(1 for j in noise if j)
        product = ball(Fraction(1, factorial(len(set(noise))) * halves))
        for j in noise:
            product *= t**j * (1 - t)
        total += product
    return total


def reproduce_table(table: PrintedTable) -> Item:
    """Return the checks of every number of a printed table."""
    columns = {"exponential": _exponential(table.dataset), "laplace": _laplace(table.dataset)}
    checks: list[PrintedCheck] = []
    lines: list[tuple[str, ...]] = []
    with precision(BITS):
        for row in table.rows:
            checks += _row_checks(table, row, columns)
            lines += _row_lines(row, columns)
        panel = _panel(table, columns)
    header = ("distance", "column", "reading", "printed", "outputs", "lower", "upper")
    return Item(
        table.id,
        f"Probabilities by distance and steps at {table.posterior}",
        table.place,
        tuple(checks),
        Table(header, tuple(lines)),
        (panel,),
        _REMARKS,
        (
            "ε = 0.8",
            "flat prior",
            "δ = 0.0005 (M_H as defined)",
            f"left: {_LOCAL}",
            f"right: {_ZERO}",
        ),
    )


_REMARKS = (
    "The flat prior and ε = 0.8; the notes print no δ beside the tables. The Laplace column is not "
    "clamped: it does not add up to 1.",
    f"Left column: {_LOCAL}; right column: {_ZERO}.",
)


def _matching(law: ErrorLaw, distance: str) -> list[Group]:
    if not Fraction(distance):
        return [law.groups[0]]
    near = [
        group
        for group in law.groups
        if abs(float(group.cell.value) - float(distance)) < 1e-9
        and rounds_to(group.cell.value, distance) is not PrintedOutcome.NOT_REPRODUCED
    ]
    return [group for group in near if group.outputs]


def _row_checks(
    table: PrintedTable, row: Row, columns: dict[str, list[Column]]
) -> list[PrintedCheck]:
    law = columns["exponential"][0][1]
    groups = _matching(law, row.distance)
    label = f"H = {row.distance}"
    checks = [_distance_check(row, groups)]
    if row.steps:
        checks.append(_steps_check(row, groups[0]))
    if len(groups) > 1:
        return [*checks, *_shared_row(label, columns, row)]
    for column, text in row.printed.items():
        candidates = [
            (name, value(_matching(law, row.distance)[0])) for name, law, value in columns[column]
        ]
        what = f"{label}, {_COLUMN[column]}"
        checks.append(check_number(what, text, candidates, why="no reading of the column gives it"))
    return checks


_COLUMN = {"exponential": "our exponential mechanism", "laplace": "Laplace mechanism"}


def _distance_check(row: Row, groups: list[Group]) -> PrintedCheck:
    what = f"the distance {row.distance}"
    if len(groups) == 1:
        members = ", ".join(map(_counts, groups[0].outputs[:3]))
        more = f" and {len(groups[0].outputs) - 3} more" if len(groups[0].outputs) > 3 else ""
        note = f"the outputs {members}{more}"
    else:
        candidates = sum(len(group.outputs) for group in groups)
        note = f"{len(groups)} different distances, of {candidates} candidates, are printed so"
    distances = [("H between the posteriors (A §1)", groups[0].cell.value)]
    return check_number(what, row.distance, distances, note=note)


def _counts(counts: Counts) -> str:
    return f"({','.join(map(str, counts))})"


def _steps_check(row: Row, group: Group) -> PrintedCheck:
    what, steps = f"H = {row.distance}, steps {row.steps}", ", ".join(map(str, group.steps))
    if group.steps == (int(row.steps),):
        return PrintedCheck(what, row.steps, PrintedOutcome.REPRODUCED, "records moved")
    return PrintedCheck(
        what,
        row.steps,
        PrintedOutcome.NOT_REPRODUCED,
        "records moved",
        why=f"the candidates are {steps} record(s) away; the table numbers the distances",
    )


def _shared_row(label: str, columns: dict[str, list[Column]], row: Row) -> list[PrintedCheck]:
    """Return what is found of a row whose distance belongs to many groups of candidates."""
    holders: dict[str, Holders] = {}
    checks = []
    for column, text in row.printed.items():
        name, law, value = columns[column][0]
        groups = _matching(law, row.distance)
        good = [g for g in groups if rounds_to(value(g), text) is PrintedOutcome.REPRODUCED]
        holders[column] = {tuple(sorted(g.outputs)) for g in good}
        candidates: list[Candidate] = [(name, value(g)) for g in good or groups]
        what = f"{label}, {_COLUMN[column]}"
        sizes = sorted({len(g.outputs) for g in good})
        example = _counts(good[0].outputs[0]) if good else ""
        note = (
            f"{len(good)} of {len(groups)} groups of candidates printed so, of "
            f"{' or '.join(map(str, sizes))} candidates, such as {example} and its permutations"
        )
        checks.append(check_number(what, text, candidates, note=note))
    what = f"{label}, both columns of the same candidates"
    return [*checks, _same_candidates(what, *(holders[column] for column in row.printed))]


Holders = set[tuple[Counts, ...]]
"""Groups of candidates that have a printed entry."""


def _same_candidates(what: str, exponential: Holders, laplace: Holders) -> PrintedCheck:
    if exponential & laplace:
        reading = "the plain product, in both columns"
        return PrintedCheck(what, "one row", PrintedOutcome.REPRODUCED, reading)
    left, right = _examples(exponential), _examples(laplace)
    return PrintedCheck(
        what,
        "one row",
        PrintedOutcome.NOT_REPRODUCED,
        "one group of candidates for both columns",
        why=f"the row mixes two candidates: the left entry belongs to {left}, the right one to "
        f"{right}, and no group has both",
    )


def _examples(groups: Holders) -> str:
    some = sorted(group[-1] for group in groups)
    counts = ", ".join(map(_counts, some[:3]))
    return f"{counts}{' …' if len(some) > 3 else ''} (and permutations)" if some else "nothing"


def _row_lines(row: Row, columns: dict[str, list[Column]]) -> list[tuple[str, ...]]:
    return [
        (
            row.distance,
            column,
            name,
            printed,
            " ".join(_counts(output) for output in group.outputs),
            *enclosed(value(group), 12).texts(),
        )
        for column, printed in row.printed.items()
        for name, law, value in columns[column]
        for group in _matching(law, row.distance)
    ]


def _panel(table: PrintedTable, columns: dict[str, list[Column]]) -> Lines:
    chosen = [columns["exponential"][0], columns["exponential"][2], columns["laplace"][0]]
    series = []
    for label, (_, law, value) in zip(
        ("printed left: exp(−ε·H/LS(x))", "M_H (N Def. 2.1)", "printed right: Laplace"),
        chosen,
        strict=True,
    ):
        groups = [group for group in law.groups if group.outputs]
        series.append(
            LineSeries(
                label,
                tuple(group.distance.midpoint for group in groups),
                tuple(enclosed(value(group), _DIGITS) for group in groups),
            )
        )
    return Lines(
        f"{table.posterior}: probability of each distance",
        "Hellinger distance from the correct answer",
        "probability",
        tuple(series),
        logarithmic=len(table.dataset) > 2,
    )

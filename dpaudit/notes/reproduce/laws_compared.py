"""L's figures at (49,49), (20,20,20), (20,20,20,20) and (1,1,1,77): boxes, and laws by distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpaudit.accuracy.listing import enclosed
from dpaudit.notes.reproduce.findings import (
    Item,
    PrintedCheck,
    PrintedOutcome,
    Table,
    box_of,
    check_statement,
    mean_below,
    show_statement,
)
from dpaudit.notes.reproduce.four_mechanisms import VAGUE_REMARK
from dpaudit.notes.reproduce.readings import (
    BY_LOCAL,
    BY_TABLES,
    DEFINED,
    Reading,
    Setting,
    laplace_law,
    ours_law,
)
from dpaudit.numbers.ball import Sign, precision, sign
from dpaudit.report.figures.drawn import Boxes, BoxSeries, Lines, LineSeries

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.accuracy.law import ErrorLaw
    from dpaudit.accuracy.listing import Group
    from dpaudit.data.histograms import Counts

__all__ = ["LAW_FIGURES", "LawFigure", "reproduce_laws"]

_DELTA = "1/200000"  # L prints 0.000005
_READINGS = (DEFINED, BY_TABLES, BY_LOCAL)
_BITS = 128
_MOST_DRAWN = 400

Pair = tuple["ErrorLaw", "ErrorLaw"]


@dataclass(frozen=True)
class LawFigure:
    """A figure of L: its data, and what the text says of it."""

    id: str
    dataset: Counts
    ahead: str
    """Who has the smaller mean error: ``ours`` or ``Laplace``."""
    slightly: bool | None
    """Whether the text calls the difference slight (True), obvious (False), or neither."""
    good_answers: str
    """Whose good answers, at few steps, are likelier, as far as the text says."""


LAW_FIGURES = (
    LawFigure("fig-49-49", (49, 49), "ours", None, "ours"),
    LawFigure("fig-20-20-20", (20, 20, 20), "Laplace", True, "some of each"),
    LawFigure("fig-20-20-20-20", (20, 20, 20, 20), "Laplace", False, "mostly Laplace"),
    LawFigure("fig-1-1-1-77", (1, 1, 1, 77), "Laplace", False, "Laplace"),
)


def reproduce_laws(figure: LawFigure) -> Item:
    """Return the boxes and the law by distance of a figure."""
    at = Setting(figure.dataset, delta=_DELTA)
    clamped = {reading: _pair(reading, at) for reading in _READINGS}
    listed = {
        reading: (ours, _candidates_law(reading, at)) for reading, (ours, _) in clamped.items()
    }
    checks = _mean_checks(figure, clamped)
    if figure.good_answers:
        checks.append(_good_check(figure, listed))
    if figure.good_answers == "ours":
        named = [(reading.name, _bad_text(pair)) for reading, pair in listed.items()]
        checks.append(show_statement("the bad answers with lower probability", "bad", named))
    shown = ",".join(map(str, figure.dataset))
    return Item(
        figure.id,
        f"Error and law by distance at ({shown})",
        "L §4.3.2",
        tuple(checks),
        _table(clamped, listed),
        (_boxes(clamped), _laws_panel(listed)),
        (
            "Flat prior, ε = 0.8, δ = 0.000005. The law by distance counts candidates only, as "
            "the tables do; the boxes are of the whole error, negative counts clamped.",
            VAGUE_REMARK,
            *(f"{r.name}: {r.meaning}." for r in _READINGS),
        ),
    )


def _pair(reading: Reading, at: Setting) -> Pair:
    return ours_law(reading, at), laplace_law(reading, at)


def _candidates_law(reading: Reading, at: Setting) -> ErrorLaw:
    return laplace_law(replace(reading, outside="furthest"), at)


# -- the means -------------------------------------------------------------------------------------


def _mean_checks(figure: LawFigure, found: dict[Reading, Pair]) -> list[PrintedCheck]:
    def ahead(pair: Pair) -> PrintedOutcome:
        return mean_below(*(pair if figure.ahead == "ours" else pair[::-1]))

    loser = "Laplace" if figure.ahead == "ours" else "ours"
    statement = f"{figure.ahead} is more accurate on average than {loser}"
    checks = [_statement(statement, found, ahead)]
    if figure.slightly is not None:
        how = "slightly" if figure.slightly else "obviously"
        named = [(reading.name, _means(pair)) for reading, pair in found.items()]
        checks.append(show_statement(f"{how} so", how, named))
    return checks


def _means(pair: Pair) -> str:
    ours, laplace = (law.mean().midpoint for law in pair)
    return f"means {ours:.4g} (ours), {laplace:.4g} (Laplace), ratio {ours / laplace:.3g}"


def _statement(
    statement: str, found: dict[Reading, Pair], holds: Callable[[Pair], PrintedOutcome]
) -> PrintedCheck:
    findings = [
        (
            reading.name,
            holds(pair),
            _means(pair),
        )
        for reading, pair in found.items()
    ]
    return check_statement(statement, statement, findings)


# -- the laws by distance --------------------------------------------------------------------------


def _by_outputs(law: ErrorLaw) -> dict[Counts, Group]:
    return {group.outputs[0]: group for group in law.groups if group.outputs}


def _good_check(figure: LawFigure, listed: dict[Reading, Pair]) -> PrintedCheck:
    """Decide whose answers are likelier at the three nearest distances, 0 among them."""
    wanted = figure.good_answers
    statement = {
        "ours": "ours outputs the good answers with higher probability (the three nearest)",
        "Laplace": "Laplace outputs the good answers with higher probability (the three nearest)",
        "some of each": "Laplace has higher probabilities on some good answers, lower on others "
        "(the three nearest)",
        "mostly Laplace": "Laplace outputs most of the good answers with higher probability (two "
        "of the three nearest, or all)",
    }[wanted]
    findings = []
    for reading, (ours, laplace) in listed.items():
        winners = _nearest_winners(ours, laplace)
        shown = f"likelier by {', '.join(winners)}"
        if "?" in winners:
            findings.append((reading.name, PrintedOutcome.UNDECIDED, shown))
            continue
        outcome = (
            PrintedOutcome.REPRODUCED
            if _as_wanted(wanted, winners)
            else PrintedOutcome.NOT_REPRODUCED
        )
        findings.append((reading.name, outcome, shown))
    return check_statement(statement, statement, findings)


def _as_wanted(wanted: str, winners: list[str]) -> bool:
    if wanted == "some of each":
        return len(set(winners)) == 2
    if wanted == "mostly Laplace":
        return 2 * winners.count("Laplace") > len(winners)
    return set(winners) == {wanted}


def _bad_text(pair: Pair) -> str:
    """Return what either gives to all but the three nearest distances, and to the furthest."""
    ours, laplace = pair
    theirs = _by_outputs(laplace)
    groups = [group for group in ours.groups if group.outputs]
    far = [float(groups[-1].probability_ball)]
    far.append(float(theirs[groups[-1].outputs[0]].probability_ball))
    near = [sum(float(group.probability_ball) for group in groups[:3])]
    near.append(sum(float(theirs[group.outputs[0]].probability_ball) for group in groups[:3]))
    return (
        f"all but the three nearest {1 - near[0]:.4g} (ours), {1 - near[1]:.4g} (Laplace); the "
        f"furthest {far[0]:.3g} (ours), {far[1]:.3g} (Laplace)"
    )


def _nearest_winners(ours: ErrorLaw, laplace: ErrorLaw) -> list[str]:
    theirs = _by_outputs(laplace)
    winners = []
    with precision(_BITS):
        for group in [group for group in ours.groups if group.outputs][:3]:
            other = theirs[group.outputs[0]]
            found = sign(group.probability_ball - other.probability_ball)
            winners.append({Sign.POSITIVE: "ours", Sign.NEGATIVE: "Laplace"}.get(found, "?"))
    return winners


def _table(clamped: dict[Reading, Pair], listed: dict[Reading, Pair]) -> Table:
    lines = []
    for reading, pair in clamped.items():
        for label, law in zip(("ours", "Laplace"), pair, strict=True):
            lines.append((reading.name, label, "mean", "", "", *law.mean().texts()))
    with precision(_BITS):
        for reading, pair in listed.items():
            for label, law in zip(("ours", "Laplace"), pair, strict=True):
                groups = [group for group in law.groups if group.outputs]
                lines += [
                    (
                        reading.name,
                        label,
                        "probability",
                        f"{float(group.cell.value):.12g}",
                        str(len(group.outputs)),
                        *enclosed(group.probability_ball, 9).texts(),
                    )
                    for group in groups[:_MOST_DRAWN]
                ]
    header = ("reading", "mechanism", "what", "distance", "outputs", "lower", "upper")
    return Table(header, tuple(lines))


def _boxes(clamped: dict[Reading, Pair]) -> Boxes:
    return Boxes(
        "(a) Hellinger error",
        "reading",
        "Hellinger error",
        tuple(reading.name for reading in clamped),
        tuple(
            BoxSeries(label, tuple(box_of(pair[index]) for pair in clamped.values()))
            for index, label in enumerate(("our exponential mechanism", "Laplace mechanism"))
        ),
    )


def _laws_panel(listed: dict[Reading, Pair]) -> Lines:
    ours_defined, _ = listed[DEFINED]
    ours_tables, laplace = listed[BY_LOCAL]
    return Lines(
        "(b) probability by distance",
        "Hellinger distance from the correct answer",
        "probability",
        tuple(
            _series(label, law)
            for label, law in (
                ("ours, as the tables compute", ours_tables),
                ("ours, as defined", ours_defined),
                ("Laplace, rounded toward zero", laplace),
            )
        ),
        logarithmic=True,
    )


def _series(label: str, law: ErrorLaw) -> LineSeries:
    """Return the law as a curve; with many distances, in as many classes as can be seen."""
    points = [
        (float(group.cell.value), float(group.probability_ball))
        for group in law.groups
        if group.outputs
    ]
    if len(points) > _MOST_DRAWN:
        classes: dict[int, float] = {}
        for distance, mass in points:
            place = min(int(100 * distance), 99)
            classes[place] = classes.get(place, 0.0) + mass
        points = [((place + 0.5) / 100, mass) for place, mass in sorted(classes.items())]
        label = f"{label}, classes of 0.01"
    return LineSeries(label, tuple(x for x, _ in points), tuple(y for _, y in points))

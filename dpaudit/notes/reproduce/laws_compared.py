"""L's figures at (49,49), (20,20,20), (20,20,20,20) and (1,1,1,77): boxes, and laws by distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dpaudit.accuracy.law import ErrorLaw
from dpaudit.accuracy.listing import Group, enclosed
from dpaudit.data.histograms import Counts
from dpaudit.notes.reproduce import findings, readings
from dpaudit.notes.reproduce.findings import Finding, Item, PrintedCheck, PrintedOutcome, Table
from dpaudit.notes.reproduce.four_mechanisms import GS, LAPLACE, LS, SS, VAGUE_REMARK
from dpaudit.notes.reproduce.readings import Pair, Reading, Setting
from dpaudit.numbers.ball import Ball, Sign, precision, sign
from dpaudit.report.figures.side_by_side import Lines, LineSeries

__all__ = ["LAW_FIGURES", "LawFigure", "reproduce_laws"]

_DELTA = "1/200000"  # L prints 0.000005
_FOUR = (readings.DEFINED, readings.BY_TABLES)
_READINGS = (*_FOUR, readings.BY_LOCAL)
_BITS = 128
_MOST_DRAWN = 400

Pairs = dict[Reading, Pair]
FourLaws = dict[Reading, dict[str, ErrorLaw]]


@dataclass(frozen=True)
class LawFigure:
    """A figure of L: its data, and what the text says of it."""

    id: str
    dataset: Counts
    ahead: str
    """Mechanism with the smaller mean error, by the text: ``ours`` or ``Laplace``."""
    slightly: bool | None
    """True if the text calls the difference slight, False if obvious; None if neither."""
    good_answers: str
    """Whose good answers, at few steps, are likelier, as far as the text says."""
    others_too: bool = False
    """True if the text says that Laplace beats all three exponential mechanisms."""


LAW_FIGURES = (
    LawFigure("fig-49-49", (49, 49), "ours", None, "ours"),
    LawFigure("fig-20-20-20", (20, 20, 20), "Laplace", True, "some of each"),
    LawFigure("fig-20-20-20-20", (20, 20, 20, 20), "Laplace", False, "mostly Laplace"),
    LawFigure("fig-1-1-1-77", (1, 1, 1, 77), "Laplace", False, "Laplace", others_too=True),
)


_GOOD_ANSWERS = {
    "ours": "ours outputs the good answers with higher probability (the three nearest)",
    "Laplace": "Laplace outputs the good answers with higher probability (the three nearest)",
    "some of each": "Laplace has higher probabilities on some good answers, lower on others (the "
    "three nearest)",
    "mostly Laplace": "Laplace outputs most of the good answers with higher probability (two of "
    "the three nearest, or all)",
}


def reproduce_laws(figure: LawFigure) -> Item:
    """Return the boxes and the law by distance of a figure."""
    at = Setting(figure.dataset, delta=_DELTA)
    four = {reading: readings.four_laws(reading, at) for reading in _FOUR}
    clamped = {reading: (laws[SS], laws[LAPLACE]) for reading, laws in four.items()}
    # without the 2, the exponential mechanism with LS(x) is ours as the tables compute
    clamped[readings.BY_LOCAL] = (four[readings.BY_TABLES][LS], four[readings.BY_TABLES][LAPLACE])
    listed = {
        reading: (ours, readings.laplace_law(replace(reading, outside="furthest"), at))
        for reading, (ours, _) in clamped.items()
    }
    checks = _mean_checks(figure, clamped)
    if figure.others_too:
        checks += [_beaten(name, four) for name in (LS, GS)]
    good = figure.good_answers
    checks.append(_check(_GOOD_ANSWERS[good], listed, lambda pair: _good_answers(good, *pair)))
    if good == "ours":
        texts = {reading: _bad_text(*pair) for reading, pair in listed.items()}
        what = "the bad answers with lower probability"
        checks.append(findings.show_statement(what, "bad", texts))
    by_reading = {reading.name: laws for reading, laws in four.items()}
    boxes = findings.box_panel("(a) Hellinger error", "mechanism", at.metric, by_reading)
    return Item(
        figure.id,
        f"Error and law by distance at ({','.join(map(str, figure.dataset))})",
        "L §4.3.2",
        tuple(checks),
        _table(four, listed),
        (boxes, _laws_panel(listed)),
        (
            "Flat prior, ε = 0.8, δ = 0.000005. The boxes of (a) are of the whole error, noisy "
            "counts clamped to [0, n]. The law by distance of (b) is not clamped and counts "
            "candidates only, as the tables do: what Laplace noise puts elsewhere is missing.",
            VAGUE_REMARK,
            *readings.meanings(*_READINGS),
        ),
        (
            *readings.settings_drawn([at]),
            *(f"reading {reading.name}: {reading.meaning}" for reading in _READINGS),
            f"(a): {readings.CLAMPED}",
            "(b): nothing is clamped, candidates alone are counted",
        ),
    )


def _check(statement: str, pairs: Pairs, holds: Callable[[Pair], Finding]) -> PrintedCheck:
    decided = {reading.name: holds(pair) for reading, pair in pairs.items()}
    return findings.check_statement(statement, statement, decided)


def _mean_checks(figure: LawFigure, pairs: Pairs) -> list[PrintedCheck]:
    ours_first = figure.ahead == "ours"

    def ahead(pair: Pair) -> Finding:
        return findings.mean_below(*(pair if ours_first else pair[::-1])), _means(pair)

    loser = "Laplace" if ours_first else "ours"
    checks = [_check(f"{figure.ahead} is more accurate on average than {loser}", pairs, ahead)]
    if figure.slightly is not None:
        how = "slightly" if figure.slightly else "obviously"
        texts = {reading: _means(pair) for reading, pair in pairs.items()}
        checks.append(findings.show_statement(f"{how} so", how, texts))
    return checks


def _beaten(name: str, four: FourLaws) -> PrintedCheck:
    """Return the check that Laplace has the smaller mean error than a mechanism."""
    statement = f"Laplace is more accurate on average than {name}"
    decided = {
        reading.name: (
            findings.mean_below(laws[LAPLACE], laws[name]),
            f"means {laws[name].mean().midpoint:.4g} ({name}), "
            f"{laws[LAPLACE].mean().midpoint:.4g} (Laplace)",
        )
        for reading, laws in four.items()
    }
    return findings.check_statement(statement, statement, decided)


def _means(pair: Pair) -> str:
    ours, laplace = (law.mean().midpoint for law in pair)
    return f"means {ours:.4g} (ours), {laplace:.4g} (Laplace), ratio {ours / laplace:.3g}"


def _listed(law: ErrorLaw) -> list[Group]:
    """Return the groups whose outputs are listed: those at the same distances in every law."""
    return [group for group in law.groups if group.outputs]


def _side_by_side(ours: ErrorLaw, laplace: ErrorLaw) -> list[tuple[Group, Group]]:
    """Return the groups of both laws by increasing distance."""
    theirs = {group.outputs[0]: group for group in _listed(laplace)}
    return [(group, theirs[group.outputs[0]]) for group in _listed(ours)]


def _good_answers(expected: str, ours: ErrorLaw, laplace: ErrorLaw) -> Finding:
    """Decide whose answers are likelier at the three nearest distances, 0 among them."""
    names = {Sign.POSITIVE: "ours", Sign.NEGATIVE: "Laplace"}
    with precision(_BITS):
        signs = [
            sign(ours_group.probability_ball - laplace_group.probability_ball)
            for ours_group, laplace_group in _side_by_side(ours, laplace)[:3]
        ]
    winners = [names.get(difference, "?") for difference in signs]
    text = f"likelier by {', '.join(winners)}"
    if "?" in winners:
        return PrintedOutcome.UNDECIDED, text
    return findings.fulfilled(_as_wanted(expected, winners)), text


def _as_wanted(expected: str, winners: list[str]) -> bool:
    if expected == "some of each":
        return len(set(winners)) == 2
    if expected == "mostly Laplace":
        return 2 * winners.count("Laplace") > len(winners)
    return set(winners) == {expected}


def _bad_text(ours: ErrorLaw, laplace: ErrorLaw) -> str:
    """Return what either gives to all but the three nearest distances, and to the furthest."""
    masses = [
        [float(group.probability_ball) for group in pair] for pair in _side_by_side(ours, laplace)
    ]
    near, near_laplace = map(sum, zip(*masses[:3], strict=True))
    return (
        f"all but the three nearest {1 - near:.4g} (ours), {1 - near_laplace:.4g} (Laplace); the "
        f"furthest {masses[-1][0]:.3g} (ours), {masses[-1][1]:.3g} (Laplace)"
    )


def _table(four: FourLaws, listed: Pairs) -> Table:
    lines = [
        (reading.name, label, "mean", "", "", *law.mean().texts())
        for reading, laws in four.items()
        for label, law in laws.items()
    ]
    with precision(_BITS):
        lines += [
            (
                place,
                label,
                "probability",
                f"{float(group.cell.value):.12g}",
                str(len(group.outputs)),
                *enclosed(group.probability_ball, 9).texts(),
            )
            for reading, pair in listed.items()
            for place, label, law in findings.pair_lines(reading.name, pair)
            for group in _listed(law)[:_MOST_DRAWN]
        ]
    header = ("reading", "mechanism", "what", "distance", "outputs", "lower", "upper")
    return Table(header, tuple(lines))


def _laws_panel(listed: Pairs) -> Lines:
    ours_defined, _ = listed[readings.DEFINED]
    ours_tables, laplace = listed[readings.BY_LOCAL]
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
    points = [(float(group.cell.value), group.probability_ball) for group in _listed(law)]
    if len(points) > _MOST_DRAWN:
        classes: dict[int, Ball] = {}
        with precision(_BITS):
            for distance, mass in points:
                place = min(int(100 * distance), 99)
                classes[place] = classes[place] + mass if place in classes else mass
        points = [((place + 0.5) / 100, mass) for place, mass in sorted(classes.items())]
        label = f"{label}, classes of 0.01"
    return LineSeries(label, tuple(x for x, _ in points), tuple(enclosed(y, 9) for _, y in points))

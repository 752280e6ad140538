"""N Fig. 3 to 5: the error of the four mechanisms at one dataset each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpaudit.accuracy.law import ErrorLaw
from dpaudit.notes.reproduce import findings, readings
from dpaudit.notes.reproduce.findings import Item, PrintedCheck, PrintedOutcome, mean_below
from dpaudit.report.figures.side_by_side import Boxes

__all__ = ["FIGURES", "GS", "LAPLACE", "LS", "SS", "VAGUE_REMARK", "Figure", "reproduce_four"]

_READINGS = (readings.DEFINED, readings.BY_TABLES)

Laws = dict[str, ErrorLaw]
Test = tuple[str, Callable[[Laws], PrintedOutcome] | None, tuple[str, str]]
"""A statement, how it is decided, and the two mechanisms whose means are shown for it."""

SS, LS, GS, LAPLACE = "ExpoMech of SS", "ExpoMech of LS", "ExpoMech of GS", "LaplaceMech"


@dataclass(frozen=True)
class Figure:
    """A figure of box plots of four mechanisms."""

    id: str
    title: str
    place: str
    settings: tuple[readings.Setting, ...]
    tests: tuple[Test, ...]
    remark: str
    """Further choices made where the notes are silent."""


def _smaller(what: str, first: str, second: str) -> Test:
    """Return the statement that the mean error of the ``first`` mechanism is smaller."""
    return what, lambda laws: mean_below(laws[first], laws[second]), (first, second)


_BETTER = _smaller("SS is more accurate than Laplace", SS, LAPLACE)
_GLOBAL = _smaller("SS is much more accurate than GS", SS, GS)
_LOCAL_TOO = _smaller("LS is much more accurate than GS", LS, GS)
_SIMILAR: Test = ("SS and LS have similar accuracy", None, (SS, LS))
_SLIGHT: Test = ("SS is only slightly more accurate than Laplace", None, (SS, LAPLACE))
_CLOSE: Test = ("SS and Laplace are very close", None, (SS, LAPLACE))

VAGUE_REMARK = (
    "The notes give no number for “close”, “similar”, “slightly” or “obviously”: such statements "
    "are shown with the ratio of the means, and not judged. “Much more” is decided as “more”."
)

_UNNAMED = "The notes do not name the data: uniform data were taken."

FIGURES = (
    Figure(
        "fig-3",
        "Four mechanisms, prior beta(7,4), n = 500 and 300, ε = 0.5",
        "N §4.2, Fig. 3",
        (
            readings.Setting((250, 250), (7, 4), epsilon="1/2"),
            readings.Setting((150, 150), (7, 4), epsilon="1/2"),
        ),
        (_BETTER, _SLIGHT, _GLOBAL),
        "No δ is printed here: 0.0005 was taken, as in N §4.3.",
    ),
    Figure(
        "fig-4",
        "Four mechanisms, prior DL(7,4,5), n = 100 and 120, ε = 0.8",
        "N §4.2, Fig. 4",
        (
            readings.Setting((34, 33, 33), (7, 4, 5), delta="4/5"),
            readings.Setting((40, 40, 40), (7, 4, 5), delta="4/5"),
        ),
        (_BETTER, _CLOSE, _SIMILAR, _GLOBAL, _LOCAL_TOO),
        "δ = 0.8, as the captions print it; their numbers are the target captions.",
    ),
    Figure(
        "fig-5",
        "Four mechanisms by Hellinger distance and by ℓ1, prior DL(7,4,5), n = 150",
        "N §4.2, Fig. 5",
        (
            readings.Setting((50, 50, 50), (7, 4, 5), delta="4/5"),
            readings.Setting((50, 50, 50), (7, 4, 5), delta="4/5", metric="l1"),
        ),
        (_BETTER, _CLOSE, _SIMILAR, _GLOBAL, _LOCAL_TOO),
        "δ = 0.8, as the caption prints it; ℓ1 is that of the counts as printed.",
    ),
)


def reproduce_four(figure: Figure) -> Item:
    """Return the boxes of a figure and the checks of the text about it."""
    checks: list[PrintedCheck] = []
    lines: list[tuple[str, str, ErrorLaw]] = []
    panels: list[Boxes] = []
    for at in figure.settings:
        laws_of_readings = {reading: readings.four_laws(reading, at) for reading in _READINGS}
        counts = ",".join(map(str, at.dataset))
        where = f"x = ({counts}), {'ℓ1' if at.metric == 'l1' else 'Hellinger'}"
        for statement, holds, compared in figure.tests:
            what = f"{where}: {statement}"
            texts = {reading: _means(laws, compared) for reading, laws in laws_of_readings.items()}
            if holds is None:
                checks.append(findings.show_statement(what, statement, texts))
                continue
            decided = {r.name: (holds(laws), texts[r]) for r, laws in laws_of_readings.items()}
            checks.append(findings.check_statement(what, statement, decided))
        for reading, laws in laws_of_readings.items():
            lines += [(f"{where}; {reading.name}", label, law) for label, law in laws.items()]
        named = {reading.name: laws for reading, laws in laws_of_readings.items()}
        panels.append(findings.box_panel(where, "mechanism", at.metric, named))
    return Item(
        figure.id,
        figure.title,
        figure.place,
        tuple(checks),
        findings.boxes_table(lines),
        tuple(panels),
        (_UNNAMED, figure.remark, VAGUE_REMARK, *readings.meanings(*_READINGS)),
        (
            *readings.settings_drawn(figure.settings),
            *(f"reading {r.name}: {r.meaning}" for r in _READINGS),
            *_clamping(figure),
        ),
    )


def _clamping(figure: Figure) -> list[str]:
    """Return the treatment of negative counts, by panel where it differs."""
    if all(at.metric == "hellinger" for at in figure.settings):
        return [readings.CLAMPED]
    return [f"Hellinger: {readings.CLAMPED}", f"ℓ1: {readings.NOT_CLAMPED}"]


def _means(laws: Laws, names: tuple[str, str]) -> str:
    """Return the means of two mechanisms as text, to four digits."""
    means = [laws[name].mean().midpoint for name in names]
    texts = [f"mean of {name} {mean:.4g}" for name, mean in zip(names, means, strict=True)]
    return f"{', '.join(texts)}, ratio {means[0] / means[1]:.3g}"

"""Statements about the error along a row of settings, decided in every reading of the notes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dpaudit.notes.reproduce.findings import PrintedCheck, PrintedOutcome
from dpaudit.notes.reproduce.readings import (
    BY_TABLES,
    DEFINED,
    Reading,
    Setting,
    laplace_law,
    ours_law,
)
from dpaudit.notes.reproduce.statements import all_hold, check_statement, mean_below, sign_of_gain
from dpaudit.numbers.ball import Sign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dpaudit.accuracy.law import ErrorLaw

__all__ = [
    "LAPLACE",
    "OURS",
    "Finding",
    "Laws",
    "Pair",
    "changes_once",
    "check_everywhere",
    "data_text",
    "laws_of",
    "lines_of",
    "means_text",
    "monotone",
    "remarks",
    "signs_are",
]

_READINGS = (DEFINED, BY_TABLES)
OURS = 0
LAPLACE = 1

Pair = tuple["ErrorLaw", "ErrorLaw"]
Laws = dict[Setting, Pair]
Finding = tuple[PrintedOutcome, str]


def laws_of(settings: Iterable[Setting]) -> dict[Reading, Laws]:
    """Return the error laws of both mechanisms at ``settings``, in every reading."""
    settings = list(settings)
    return {
        reading: {at: (ours_law(reading, at), laplace_law(reading, at)) for at in settings}
        for reading in _READINGS
    }


def check_everywhere(
    statement: str, found: dict[Reading, Laws], holds: Callable[[Laws], Finding]
) -> PrintedCheck:
    """Return the check of a statement that ``holds`` decides in each reading."""
    findings = [(reading.name, *holds(laws)) for reading, laws in found.items()]
    return check_statement(statement, statement, findings)


def _grows(laws: Sequence[ErrorLaw]) -> PrintedOutcome:
    """Decide that the means grow strictly along ``laws``."""
    return all_hold(mean_below(low, high) for low, high in pairwise(laws))


def means_text(laws: Sequence[ErrorLaw]) -> str:
    """Return the means of ``laws``, about."""
    return ", ".join(f"{law.mean().midpoint:.4g}" for law in laws)


def monotone(along: Sequence[Setting], which: int, *, grows: bool) -> Callable[[Laws], Finding]:
    """Return whether the means of one mechanism grow, or fall, strictly along some settings."""

    def holds(laws: Laws) -> Finding:
        chosen = [laws[at][which] for at in along]
        return _grows(chosen if grows else chosen[::-1]), f"means {means_text(chosen)}"

    return holds


def signs_are(
    along: Sequence[Setting], wanted: Callable[[list[Sign]], bool]
) -> Callable[[Laws], Finding]:
    """Return whether the winners along some settings are as ``wanted``."""

    def holds(laws: Laws) -> Finding:
        signs = [sign_of_gain(*laws[at]) for at in along]
        shown = ", ".join(
            {Sign.POSITIVE: "ours", Sign.NEGATIVE: "Laplace"}.get(s, "?") for s in signs
        )
        if Sign.UNDECIDED in signs:
            return PrintedOutcome.UNDECIDED, shown
        good = wanted(signs)
        return (
            PrintedOutcome.REPRODUCED if good else PrintedOutcome.NOT_REPRODUCED,
            f"ahead: {shown}",
        )

    return holds


def changes_once(first: Sign) -> Callable[[list[Sign]], bool]:
    """Return the test that the winner changes exactly once, from ``first``."""

    def wanted(signs: list[Sign]) -> bool:
        changes = sum(a is not b for a, b in pairwise(signs))
        return changes == 1 and signs[0] is first

    return wanted


def data_text(at: Setting) -> str:
    """Return the data of a setting as text."""
    return f"({','.join(map(str, at.dataset))})"


def lines_of(
    found: dict[Reading, Laws], place: Callable[[Setting], str]
) -> list[tuple[str, str, ErrorLaw]]:
    """Return the lines of a table of all laws, each named by its ``place``."""
    return [
        (f"{place(at)}; {reading.name}", label, law)
        for reading, laws in found.items()
        for at, pair in laws.items()
        for label, law in zip(("ours", "Laplace"), pair, strict=True)
    ]


def remarks(*more: str) -> tuple[str, ...]:
    """Return what is said below a figure: ``more``, what is drawn, and the readings."""
    meanings = [f"{reading.name}: {reading.meaning}." for reading in _READINGS]
    drawn = f"Drawn: {DEFINED.name}. ε = 0.8 and δ = 0.0005."
    return (*more, drawn, *meanings)

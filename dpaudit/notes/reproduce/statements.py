"""Statements about figures: comparisons that a reading fulfils or not, decided in balls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.notes.reproduce.findings import PrintedCheck, PrintedOutcome
from dpaudit.numbers.ball import Sign, decide_sign, working_precision

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.accuracy.law import ErrorLaw
    from dpaudit.numbers.ball import Ball

__all__ = [
    "all_hold",
    "check_statement",
    "mean_below",
    "outcome_of",
    "show_statement",
    "sign_of_gain",
]

_START, _CAP = 96, 768


def sign_of_gain(ours: ErrorLaw, other: ErrorLaw) -> Sign:
    """Return the sign of the mean error of ``other`` less that of ``ours``."""

    def gain() -> Ball:
        bits = working_precision()
        return other.mean_ball(bits) - ours.mean_ball(bits)

    return decide_sign(gain, start=_START, cap=_CAP)


def mean_below(ours: ErrorLaw, other: ErrorLaw) -> PrintedOutcome:
    """Decide whether the mean error of ``ours`` is smaller."""
    return outcome_of(sign_of_gain(ours, other))


def outcome_of(sign: Sign) -> PrintedOutcome:
    """Return that a statement holds if what has this sign is positive."""
    if sign is Sign.UNDECIDED:
        return PrintedOutcome.UNDECIDED
    return PrintedOutcome.REPRODUCED if sign is Sign.POSITIVE else PrintedOutcome.NOT_REPRODUCED


def all_hold(outcomes: Iterable[PrintedOutcome]) -> PrintedOutcome:
    """Return whether all hold; one that certainly does not decides."""
    found = set(outcomes)
    for outcome in (PrintedOutcome.NOT_REPRODUCED, PrintedOutcome.UNDECIDED):
        if outcome in found:
            return outcome
    return PrintedOutcome.REPRODUCED


def show_statement(what: str, printed: str, shown: Sequence[tuple[str, str]]) -> PrintedCheck:
    """Return a statement whose words name no number, with what each reading makes of it."""
    texts = "; ".join(f"{reading}: {text}" for reading, text in shown)
    return PrintedCheck(what, printed, PrintedOutcome.SHOWN, "", why=f"no number is named; {texts}")


def check_statement(
    what: str,
    printed: str,
    findings: Sequence[tuple[str, PrintedOutcome, str]],
) -> PrintedCheck:
    """Return whether some reading fulfils a statement; ``findings`` are (reading, whether, what).

    All readings that do are named.  What was found by the others is the reason why they do not.
    """
    good = [reading for reading, outcome, _ in findings if outcome is PrintedOutcome.REPRODUCED]
    others = [
        (r, text) for r, outcome, text in findings if outcome is not PrintedOutcome.REPRODUCED
    ]
    against = "; ".join(f"{reading}: {text}" for reading, text in others if text)
    if good:
        kept = "; ".join(f"not by {r}: {text}" if text else f"not by {r}" for r, text in others)
        found = [text for r, o, text in findings if o is PrintedOutcome.REPRODUCED and text]
        tried = f"{len(good)} of {len(findings)} readings tried"
        shown = "; ".join([tried, *dict.fromkeys(found), *([kept] if kept else [])])
        return PrintedCheck(
            what,
            printed,
            PrintedOutcome.REPRODUCED,
            " | ".join(good),
            why=shown,
            readings=tuple(good),
        )
    undecided = any(outcome is PrintedOutcome.UNDECIDED for _, outcome, _ in findings)
    outcome = PrintedOutcome.UNDECIDED if undecided else PrintedOutcome.NOT_REPRODUCED
    return PrintedCheck(what, printed, outcome, "", why=against)

"""Statements about figures: comparisons that a reading fulfils or not, decided in balls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.notes.reproduce.findings import Check, Outcome
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


def mean_below(ours: ErrorLaw, other: ErrorLaw) -> Outcome:
    """Decide whether the mean error of ``ours`` is smaller."""
    return outcome_of(sign_of_gain(ours, other))


def outcome_of(sign: Sign) -> Outcome:
    """Return that a statement holds if what has this sign is positive."""
    if sign is Sign.UNDECIDED:
        return Outcome.UNDECIDED
    return Outcome.REPRODUCED if sign is Sign.POSITIVE else Outcome.NOT_REPRODUCED


def all_hold(outcomes: Iterable[Outcome]) -> Outcome:
    """Return whether all hold; one that certainly does not decides."""
    found = set(outcomes)
    for outcome in (Outcome.NOT_REPRODUCED, Outcome.UNDECIDED):
        if outcome in found:
            return outcome
    return Outcome.REPRODUCED


def show_statement(what: str, printed: str, shown: Sequence[tuple[str, str]]) -> Check:
    """Return a statement whose words name no number, with what each reading makes of it."""
    texts = "; ".join(f"{reading}: {text}" for reading, text in shown)
    return Check(what, printed, Outcome.SHOWN, "", why=f"no number is named; {texts}")


def check_statement(
    what: str,
    printed: str,
    findings: Sequence[tuple[str, Outcome, str]],
) -> Check:
    """Return whether some reading fulfils a statement; ``findings`` are (reading, whether, what).

    All readings that do are named.  What was found by the others is the reason why they do not.
    """
    good = [reading for reading, outcome, _ in findings if outcome is Outcome.REPRODUCED]
    others = [(r, text) for r, outcome, text in findings if outcome is not Outcome.REPRODUCED]
    against = "; ".join(f"{reading}: {text}" for reading, text in others if text)
    if good:
        kept = "; ".join(f"not by {r}: {text}" if text else f"not by {r}" for r, text in others)
        found = [text for r, o, text in findings if o is Outcome.REPRODUCED and text]
        tried = f"{len(good)} of {len(findings)} readings tried"
        shown = "; ".join([tried, *dict.fromkeys(found), *([kept] if kept else [])])
        return Check(
            what,
            printed,
            Outcome.REPRODUCED,
            " | ".join(good),
            why=shown,
            readings=tuple(good),
        )
    undecided = any(outcome is Outcome.UNDECIDED for _, outcome, _ in findings)
    outcome = Outcome.UNDECIDED if undecided else Outcome.NOT_REPRODUCED
    return Check(what, printed, outcome, "", why=against)

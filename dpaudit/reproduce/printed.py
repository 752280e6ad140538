"""Printed numbers: inputs of the comparison, never of a computation.

A printed number is reproduced by a value v if v rounds to it: |v − printed| is certainly less than
half a unit of the last printed digit.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.accuracy.findings import enclosed
from dpaudit.exact.ball import Ball, Sign, ball, certainly_less, precision, sign
from dpaudit.reproduce.findings import Check, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "BITS",
    "DIGITS",
    "Candidate",
    "check_number",
    "half_unit",
    "rounds_to",
    "significant_digits",
]

BITS = 192
"""The working precision of comparisons."""
DIGITS = 12
"""Digits of the values that are shown."""

Candidate = tuple[str, Ball]
"""A reading and its value."""


def significant_digits(text: str) -> int:
    """Return how many significant digits ``text`` shows; 0 for a zero.

    >>> significant_digits("0.0431193490585"), significant_digits("3.05988187701e-09")
    (12, 12)
    """
    return len(Decimal(text).as_tuple().digits) if Decimal(text) else 0


def half_unit(text: str) -> Fraction:
    """Return half a unit of the last digit of a printed number.

    >>> half_unit("0.25"), half_unit("3.0e-2")
    (Fraction(1, 200), Fraction(1, 2000))
    """
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int)
    return Fraction(10) ** exponent / 2


def rounds_to(value: Ball, text: str) -> Outcome:
    """Decide whether ``value`` rounds to the printed ``text``."""
    with precision(BITS):
        margin = ball(half_unit(text)) - abs(value - ball(Fraction(text)))
        found = sign(margin)
    if found is Sign.UNDECIDED:
        return Outcome.UNDECIDED
    return Outcome.REPRODUCED if found is Sign.POSITIVE else Outcome.NOT_REPRODUCED


def check_number(
    what: str,
    printed: str,
    candidates: Sequence[Candidate],
    *,
    why: str | Callable[[str], str] = "",
    note: str = "",
) -> Check:
    """Return which of the ``candidates``, in order, gives the ``printed`` number.

    ``why`` is the reason to give if none does, or a function from the nearest reading to it;
    ``note`` what to add if one does.
    """
    outcomes = [rounds_to(value, printed) for _, value in candidates]
    for (reading, value), outcome in zip(candidates, outcomes, strict=True):
        if outcome is Outcome.REPRODUCED:
            digits = significant_digits(printed)
            shown = enclosed(value, DIGITS)
            return Check(what, printed, outcome, reading, digits, shown, note)
    reading, value = _nearest(printed, candidates)
    undecided = Outcome.UNDECIDED in outcomes
    return Check(
        what,
        printed,
        Outcome.UNDECIDED if undecided else Outcome.NOT_REPRODUCED,
        reading,
        None,
        enclosed(value, DIGITS),
        why if isinstance(why, str) else why(reading),
    )


def _nearest(printed: str, candidates: Sequence[Candidate]) -> Candidate:
    with precision(BITS):
        best, distance = candidates[0], abs(candidates[0][1] - ball(Fraction(printed)))
        for candidate in candidates[1:]:
            other = abs(candidate[1] - ball(Fraction(printed)))
            if certainly_less(other, distance):
                best, distance = candidate, other
    return best

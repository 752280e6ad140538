"""The Python interface of plans: ``dpaudit.plan_canaries`` tells what right guesses would show.

canaries, shares of right guesses → the bound of one run for each number of guesses → report
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.api.finished import Finished
from dpaudit.api.plans import one_or_several
from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_number
from dpaudit.questions.canaries.function import MOST_DIGITS
from dpaudit.questions.canaries.inputs import read_questions
from dpaudit.questions.canaries.one_run import LARGEST_M, Guesses, largest_refuted
from dpaudit.results import CanaryPlan, PlannedBounds, PlannedSize
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction
    from typing import Any

    from dpaudit.numbers.real import Number, Real

__all__ = [
    "DEFAULT_SHARES",
    "CanaryPlanned",
    "plan_canaries",
    "planned_sizes",
    "read_shares",
    "right_guesses",
]

DEFAULT_SHARES = ("1", "9/10", "3/4", "3/5")
"""Shares of right guesses that a plan tells about by default."""
_DIGITS = 4
_MOST_SHARES = 20
_FIRST = (1, 2, 5)


@dataclass(frozen=True, repr=False)
class CanaryPlanned(Finished[CanaryPlan]):
    """Result of :func:`plan_canaries`; exports: text, JSON, CSV, Markdown, a figure."""

    @property
    def bounds(self) -> tuple[PlannedBounds, ...]:
        """The bounds on ε, for each share, δ and level."""
        return self.report.bounds


def plan_canaries(
    canaries: int,
    *,
    delta: Number | Sequence[Number] = 0,
    level: Number | Sequence[Number] = "1/20",
    shares: Number | Sequence[Number] = DEFAULT_SHARES,
    guesses: int | Sequence[int] | None = None,
    digits: int | None = None,
) -> CanaryPlanned:
    """Compute before a training which ε its audit could refute, for each number of guesses.

    Perfect guesses give the largest bound that any audit with these canaries can give. A plan
    therefore shows before the training whether there are enough canaries.

    Args:
        canaries: number of canaries, each in with probability 1/2.
        delta: δ in [0, 1), or several.
        level: largest probability, in (0, 1), of refuting an ε that is true, or several.
        shares: assumed shares of right guesses, in (0, 1]; by default all, 90 %, 75 % and 60 %.
        guesses: numbers of guesses; by default 10, 20, 50 and so on, up to all canaries.
        digits: number of decimals of bounds, by default 4.

    Returns:
        The report: for each share, δ and level the bound on ε for each number of guesses, and the
        number with the largest bound.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    >>> plan = plan_canaries(1000, delta="1e-5", shares=1)
    >>> print(plan.bounds[0].best, plan.bounds[0].sizes[-1].epsilon.lower)
    1000 5.8090
    """
    digits = _DIGITS if digits is None else digits
    if not 1 <= digits <= MOST_DIGITS:
        raise DomainError("digits", digits, f"must be from 1 to {MOST_DIGITS}")
    if isinstance(canaries, bool) or not isinstance(canaries, int):
        raise DomainError("canaries", canaries, "must be a whole number")
    if not 1 <= canaries <= LARGEST_M:
        raise DomainError("canaries", canaries, f"must be from 1 to {LARGEST_M}")
    deltas, levels, _ = read_questions(delta, level, None)
    stated = read_shares(shares)
    if guesses is None:
        sizes = planned_sizes(canaries, [share for _, share in stated])
    else:
        sizes = tuple(sorted({_size(one, canaries) for one in one_or_several(guesses)}))
    if not sizes:
        raise ParameterError("guesses", "the number of guesses is missing; give one or several")
    return CanaryPlanned(
        CanaryPlan(
            schema="dpaudit.canary-plan/1",
            version=__version__,
            canaries=canaries,
            digits=digits,
            bounds=tuple(
                _planned(canaries, sizes, share, (d, a), digits)
                for d in deltas
                for a in levels
                for share in stated
            ),
        )
    )


def read_shares(shares: Number | Sequence[Number]) -> list[tuple[Real, Fraction]]:
    """Return shares of right guesses, as they were written and exactly.

    Raises ``UsageError`` for shares that are not in (0, 1], and for none or too many of them.
    """
    stated = [_share(one) for one in one_or_several(shares)]
    if not 1 <= len(stated) <= _MOST_SHARES:
        raise ParameterError("shares", f"{len(stated)} shares: give 1 to {_MOST_SHARES}")
    return stated


def _share(given: Any) -> tuple[Real, Fraction]:
    number = read_number(given, "shares")
    share = number.as_fraction()
    if share is None or not 0 < share <= 1:
        raise DomainError("shares", given, "must be a fraction or decimal above 0, at most 1")
    return number, share


def _size(given: Any, canaries: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= canaries:
        raise DomainError("guesses", given, f"must be from 1 to the {canaries} canaries")
    return given


def _planned(
    canaries: int,
    sizes: tuple[int, ...],
    share: tuple[Real, Fraction],
    question: tuple[Real, Real],
    digits: int,
) -> PlannedBounds:
    delta, level = question
    found = []
    for size in sizes:
        right = right_guesses(share[1], size)
        epsilon = largest_refuted(Guesses(canaries, size, right), delta, level, digits)
        found.append(PlannedSize(guesses=size, right=right, epsilon=epsilon))
    best = max(found, key=lambda one: one.epsilon.lower)
    return PlannedBounds(
        share=share[0],
        delta=delta,
        level=level,
        sizes=tuple(found),
        best=best.guesses if best.epsilon.lower else None,
    )


def right_guesses(share: Fraction, guesses: int) -> int:
    """Return how many of so many guesses are right: the share, rounded down."""
    return math.floor(share * guesses)


def planned_sizes(canaries: int, shares: Sequence[Fraction]) -> tuple[int, ...]:
    """Return the numbers of guesses that a plan tells about, increasing.

    They are 10, 20, 50, 100 and so on, all canaries, and for each share two of the last: the
    fewest guesses with as many right ones as all canaries give, and the most guesses of which the
    share is a whole number.  At the same share more guesses refute more, but rounding the number
    of right ones down costs up to one of them.

    Args:
        canaries: m.
        shares: shares of right guesses, in (0, 1].

    >>> from fractions import Fraction
    >>> planned_sizes(101, [Fraction(1), Fraction(3, 4)])
    (10, 20, 50, 100, 101)
    """
    sizes = {canaries}
    for power in range(1, len(str(canaries))):
        sizes |= {first * 10**power for first in _FIRST}
    sizes |= {math.ceil(right_guesses(share, canaries) / share) for share in shares}
    sizes |= {canaries - canaries % share.denominator for share in shares}
    return tuple(sorted(size for size in sizes if 1 <= size <= canaries))

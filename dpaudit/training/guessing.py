"""Guesses from scores: the highest are guessed to be in, the lowest to be out."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from dpaudit.errors import DomainError, ParameterError
from dpaudit.training.one_run import LARGEST_M, Guesses

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DIRECTIONS", "guessed"]

DIRECTIONS = ("higher", "lower")
"""Directions of scores: the scores that mean that a canary was in are higher, or lower."""
_UNFAIR = 1e-6


def guessed(
    scores: Iterable[Any] | None,
    member: Iterable[Any] | None,
    guesses: int | None,
    direction: str = DIRECTIONS[0],
) -> Guesses:
    """Return how many of the guesses by scores are right.

    Args:
        scores: a score for each canary.
        member: whether each was in.
        guesses: how many are guessed, fixed before the scores are seen.
        direction: which scores mean that a canary was in.

    Raises:
        UsageError: for lists of other lengths, scores that are no numbers, a number of guesses that
            splits equal scores, or members that fair coins hardly ever give.
    """
    if scores is None or member is None:
        missing = "scores" if scores is None else "member"
        raise ParameterError(missing, f"{missing} is missing: scores and member go together")
    if direction not in DIRECTIONS:
        raise ParameterError("direction", f"direction = {direction}: must be higher or lower")
    points = [_score(one, place) for place, one in enumerate(scores, 1)]
    inside = [_member(one, place) for place, one in enumerate(member, 1)]
    if len(points) != len(inside):
        raise ParameterError(
            "member", f"there are {len(points)} scores and {len(inside)} members; give as many"
        )
    if not 1 <= len(points) <= LARGEST_M:
        raise ParameterError("scores", f"there are {len(points)} scores; give 1 to {LARGEST_M}")
    _check_fair(sum(inside), len(inside))
    if guesses is None:
        raise ParameterError(
            "guesses",
            "guesses is missing: how many canaries are guessed, fixed before scores are seen",
        )
    if isinstance(guesses, bool) or not isinstance(guesses, int) or not 1 <= guesses <= len(points):
        raise DomainError("guesses", guesses, f"must be from 1 to the {len(points)} canaries")
    sign = 1 if direction == DIRECTIONS[0] else -1
    ranked = sorted(zip((sign * one for one in points), inside, strict=True), key=itemgetter(0))
    out, within = guesses // 2, guesses - guesses // 2
    for cut in {out, len(ranked) - within} - {0, len(ranked)}:
        if ranked[cut - 1][0] == ranked[cut][0]:
            raise ParameterError(
                "guesses",
                f"guesses = {guesses} splits canaries with the same score "
                f"({sign * ranked[cut][0]:g}); break ties before scores are compared with members",
            )
    right = sum(not one for _, one in ranked[:out])
    right += sum(one for _, one in ranked[len(ranked) - within :])
    return Guesses(len(ranked), guesses, right)


def _score(given: Any, place: int) -> float:
    try:
        score = float(given)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("scores", f"score {place} is {given!r}, and no number") from None
    if math.isnan(score):
        raise ParameterError("scores", f"score {place} is NaN; give every canary a number")
    return score


def _member(given: Any, place: int) -> bool:
    given = given.item() if hasattr(given, "item") else given  # of an array, or of a tensor
    for wanted, words in ((True, ("1", "true", "in")), (False, ("0", "false", "out"))):
        if str(given).strip().lower() in (*words, *(f"{word}.0" for word in words[:1])):
            return wanted
    raise ParameterError(
        "member", f"member {place} is {given!r}; it must be 1 or 0, true or false, in or out"
    )


def _check_fair(inside: int, total: int) -> None:
    """Refuse numbers of members that fair coins give with probability 10⁻⁶ at most (Hoeffding)."""
    if abs(inside - total / 2) > math.sqrt(total / 2 * math.log(2 / _UNFAIR)):
        raise ParameterError(
            "member",
            f"{inside} of {total} canaries were in, which fair coins hardly ever give: each has to "
            "be in with probability 1/2",
        )

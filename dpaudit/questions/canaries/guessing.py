"""Guesses from scores: the highest are guessed to be in, the lowest to be out."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.errors import DomainError, ParameterError
from dpaudit.questions.canaries.design import PLAIN, Design
from dpaudit.questions.canaries.one_run import LARGEST_M, Guesses
from dpaudit.questions.canaries.unequal_coins import counted_coins
from dpaudit.results.brief import Brief

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

__all__ = [
    "DIRECTIONS",
    "GroupedScores",
    "check_number",
    "chosen",
    "guessed",
    "guesses_of",
    "in_order",
    "matched",
    "median_of",
    "ranked",
    "read_members",
    "read_scores",
]

DIRECTIONS = ("higher", "lower")
"""Directions of scores: the scores that mean that a canary was in are higher, or lower."""
_UNFAIR = 1e-6


@dataclass(frozen=True, repr=False, eq=False)
class GroupedScores(Brief):
    """Scores of an audit, as they are compared with members; a higher one means "in".

    With a matching there is a score for each pair: of its first canary less the second.
    """

    points: tuple[float, ...]
    """A score for each canary, or pair."""
    inside: tuple[bool, ...]
    """True if the canary was in; of a pair, if its first canary was."""
    negated: bool = False
    """True if the sign is not that of the user's scores, of which lower ones mean "in"."""
    chances: tuple[Fraction, ...] | None = None
    """The probability of each canary to be in; None where all are 1/2."""

    @cached_property
    def total(self) -> Counter[Fraction]:
        """The number of canaries with each probability; empty where all are 1/2."""
        return Counter(self.chances or ())

    def group(self, inside: bool) -> NDArray[np.float64]:
        """Return the scores of those that were in, or of the others, in increasing order."""
        values = np.array(self.points)[np.array(self.inside) == inside]
        found: NDArray[np.float64] = np.sort(values)
        return found


def read_scores(
    scores: Iterable[Any] | None,
    member: Iterable[Any] | None,
    direction: str = DIRECTIONS[0],
) -> tuple[list[float], list[bool]]:
    """Return scores, of which higher ones mean "in", and who was in.

    Args:
        scores: a score for each canary.
        member: whether each was in.
        direction: which scores mean that a canary was in.

    Raises:
        UsageError: for lists of other lengths, scores that are no numbers, or members that
            are neither in nor out.
    """
    if scores is None or member is None:
        missing = "scores" if scores is None else "member"
        raise ParameterError(missing, f"{missing} is missing: give both scores and member")
    if direction not in DIRECTIONS:
        raise ParameterError("direction", f"direction = {direction}: must be higher or lower")
    points = [_score(one, place) for place, one in enumerate(scores, 1)]
    inside = read_members(member)
    if len(points) != len(inside):
        raise ParameterError(
            "member",
            f"there are {len(points)} scores and {len(inside)} members; give one member for "
            "each score",
        )
    if not 1 <= len(points) <= LARGEST_M:
        raise ParameterError("scores", f"there are {len(points)} scores; give 1 to {LARGEST_M}")
    sign = 1 if direction == DIRECTIONS[0] else -1
    return [sign * one for one in points], inside


def read_members(member: Iterable[Any]) -> list[bool]:
    """Return who was in; ``UsageError`` for what says neither in nor out."""
    return [_member(one, place) for place, one in enumerate(member, 1)]


def matched(
    points: list[float], inside: list[bool], seed: int | str
) -> tuple[list[float], list[bool]]:
    """Return a score for each pair of a random matching, and whether the first of it was in.

    Each canary that was in is matched with one that was out, until one of the two groups has no
    more.  Given the matching, it is a fair coin which of a pair was in, if all sets of as many
    canaries are equally likely to be in.  The score is the difference of the two, the first canary
    in the list less the second, and does not depend on which of them was in.

    Args:
        points: a score for each canary; higher ones mean "in".
        inside: whether each was in.
        seed: of the matching, chosen before the scores are seen.

    Raises:
        ParameterError: if all canaries were in, or none.

    >>> matched([3.0, 1.0], [True, False], 7)
    ([2.0], [True])
    """
    groups = [
        [place for place, one in enumerate(inside) if one is wanted] for wanted in (True, False)
    ]
    if not all(groups):
        words = "in" if groups[0] else "out"
        raise ParameterError(
            "matching", f"all {len(inside)} canaries were {words}; a matching needs both kinds"
        )
    rng = random.Random(f"dpaudit.matching/1\n{seed}")
    for group in groups:
        rng.shuffle(group)
    pairs = sorted(tuple(sorted(pair)) for pair in zip(*groups, strict=False))
    gaps = [
        0.0 if points[first] == points[second] else points[first] - points[second]
        for first, second in pairs
    ]
    return gaps, [inside[first] for first, _ in pairs]


def guessed(
    points: Sequence[float],
    inside: Sequence[bool],
    guesses: int,
    design: Design = PLAIN,
    order: Sequence[int] | None = None,
) -> Guesses:
    """Return how many guesses are right: half of them the highest scores, half the lowest.

    If every guess is "in", all of them are the highest scores.

    Args:
        points: a score for each canary; higher ones mean "in".
        inside: whether each was in.
        guesses: how many are guessed, fixed before the scores are seen.
        design: which guesses are made.
        order: what :func:`in_order` returns, where it is known.

    Raises:
        UsageError: for a number of guesses that cannot be, or that splits equal scores.
    """
    within, out = chosen(points, guesses, design, order)
    right = sum(inside[place] for place in within) + sum(not inside[place] for place in out)
    return Guesses(len(points), guesses, right, design)


def guesses_of(
    scores: GroupedScores, guesses: int, design: Design, order: Sequence[int] | None = None
) -> Guesses:
    """Return what :func:`guessed` does, with the probabilities of the canaries in the design."""
    if scores.chances is not None:
        places = chosen(scores.points, guesses, design, order)
        coins = counted_coins(scores.chances, *places, total=scores.total)
        design = replace(design, coins=coins)
    return guessed(scores.points, scores.inside, guesses, design, order)


def in_order(points: Sequence[float]) -> list[int]:
    """Return the places of the scores, the lowest score first."""
    return sorted(range(len(points)), key=points.__getitem__)


def chosen(
    points: Sequence[float],
    guesses: int,
    design: Design = PLAIN,
    order: Sequence[int] | None = None,
) -> tuple[Sequence[int], Sequence[int]]:
    """Return the places of the canaries that are guessed to be in, and of those guessed to be out.

    They depend on the scores alone.  Arguments and errors are those of :func:`guessed`.
    """
    if isinstance(guesses, bool) or not isinstance(guesses, int) or not 1 <= guesses <= len(points):
        raise DomainError("guesses", guesses, f"must be from 1 to the {len(points)} canaries")
    ordered = in_order(points) if order is None else order
    out = 0 if design.one_sided else guesses // 2
    within = len(points) - (guesses - out)
    for cut in {out, within} - {0, len(ordered)}:
        if points[ordered[cut - 1]] == points[ordered[cut]]:
            raise ParameterError(
                "guesses",
                f"guesses = {guesses} splits canaries that have the same score; break ties "
                "before you compare scores with members, or leave --guesses out",
            )
    return ordered[within:], ordered[:out]


def ranked(
    points: Sequence[float],
    inside: Sequence[bool],
    sizes: tuple[int, ...],
    design: Design = PLAIN,
) -> list[int]:
    """Return how many of the surest guesses are right, for each number of guesses.

    The surest are the scores farthest from the median, above it "in" and below it "out", and a
    score that is the median is no guess; if every guess is "in", they are the highest scores.
    Where equal distances, or scores, meet at the border of so many guesses, those are not guessed.
    All that are not guessed count as errors, whoever was in.

    Args:
        points: a score for each canary; higher ones mean "in".
        inside: whether each was in.
        sizes: numbers of guesses, each at most the number of canaries.
        design: which guesses are made.
    """
    scores = np.array(points)
    if design.one_sided:
        order = np.argsort(-scores, kind="stable")
        return _right_among(scores[order], np.array(inside)[order], sizes)
    median = median_of(np.sort(scores))
    with np.errstate(invalid="ignore"):  # between −∞ and ∞ there is no median, and no guess
        distance = np.where(scores == median, 0.0, np.abs(scores - median))
    distance = np.nan_to_num(distance, nan=0.0, posinf=np.inf)
    order = np.argsort(-distance, kind="stable")
    far = distance[order]
    right = ((scores > median) == np.array(inside))[order] & (far > 0)
    return _right_among(far, right, sizes)


def _right_among(
    falling: NDArray[np.float64], right: NDArray[np.bool_], sizes: tuple[int, ...]
) -> list[int]:
    """Return how many of the first guesses are right, without those that tie at the border."""
    found = np.concatenate([[0], np.cumsum(right)])
    counts = []
    for size in sizes:
        taken = size
        if size < len(falling) and falling[size] == falling[size - 1]:
            taken = int(np.searchsorted(-falling, -falling[size], side="left"))
        counts.append(int(found[taken]))
    return counts


def median_of(ordered: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the median of scores in increasing order; NaN between −∞ and ∞."""
    low, high = float(ordered[(len(ordered) - 1) // 2]), float(ordered[len(ordered) // 2])
    return low if low == high else low / 2 + high / 2


def _score(given: Any, place: int) -> float:
    try:
        score = float(given)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            "scores", f"score {place} is {given!r}, which is not a number"
        ) from None
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


def check_number(inside: int, total: int, expected: float) -> None:
    """Refuse a number of members that coins give with probability 10⁻⁶ at most (Hoeffding).

    Args:
        inside: how many canaries were in.
        total: how many there are.
        expected: how many were to be in on average.
    """
    if abs(inside - expected) > math.sqrt(total / 2 * math.log(2 / _UNFAIR)):
        coins, assumed = "fair coins", "with probability 1/2"
        if 2 * expected != total:
            coins, assumed = "coins with these probabilities", "with its stated probability"
        raise ParameterError(
            "member",
            f"{inside} of {total} canaries were in, which {coins} almost never produce; the "
            f"audit assumes that each was in {assumed}",
        )

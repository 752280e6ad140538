"""Inputs of audits by canaries: what is allowed together, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.api.plans import one_or_several
from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_budget, read_budget_delta, read_number
from dpaudit.notices import HalfInWarning, notice
from dpaudit.questions.canaries.design import Coins, Design
from dpaudit.questions.canaries.guessing import read_members
from dpaudit.questions.canaries.inclusion import Inclusion, read_inclusion
from dpaudit.questions.canaries.one_run import LARGEST_M, Guesses

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from dpaudit.numbers.real import Real
    from dpaudit.results import Budget

__all__ = [
    "Asked",
    "check_matching",
    "counted_guesses",
    "design_of_all",
    "members_of_manifest",
    "notice_half",
    "read_design",
    "read_questions",
]

Asked = tuple["list[Real]", "list[Real]", "Budget | None"]
"""Each δ, each level, and the budget of a verdict."""

_FEWEST_HALVED = 20
"""Of fewer canaries coins put exactly half in too often for a word."""
_WITHOUT_ONE_SIDED = {
    "matching": "guesses of a matching say which of two canaries was in, so leave --one-sided out",
    "counts": "guesses about trainings with and without one canary are of both kinds, so leave "
    "--one-sided out",
}
MOST_IN_GROUP = 100_000
"""Larger groups are a mistake."""
_WITHOUT_GROUP = {
    "counts": "trainings with and without one canary have no groups; leave --group out",
    "profile": "a profile is tested only for single examples; leave --group or --profile out",
}
_ONE_NUMBER = (
    "the bound over many numbers of guesses needs equal odds; give --guesses R, fixed before you "
    "see the scores, or one probability with --one-sided"
)
_WITHOUT_PROBABILITY = {
    "inclusion": "the coins of a manifest are fair; leave --probability or --inclusion out",
    "matching": "a matching is for a number of canaries that was fixed beforehand; leave "
    "--probability or --matching out",
    "counts": "trainings with and without one canary have no coins; leave --probability out",
    "profile": "a profile is tested only with fair coins; leave --probability or --profile out",
}


def read_design(
    *, one_sided: bool, group: int, probability: Any, further: Mapping[str, Any]
) -> Design:
    """Return the coins and guesses of an audit, as far as no scores are needed.

    Args:
        one_sided: True if every guess is "in".
        group: how many examples a coin decided for.
        probability: of canaries to be in, or None.
        further: the other arguments of :func:`dpaudit.canaries`, by name.

    Raises:
        UsageError: for designs of which no bound is proved.
    """
    if not isinstance(one_sided, bool):
        raise ParameterError("one_sided", f"one_sided = {one_sided!r:.40}: must be True or False")
    if isinstance(group, bool) or not isinstance(group, int) or not 1 <= group <= MOST_IN_GROUP:
        raise DomainError("group", group, f"must be a whole number from 1 to {MOST_IN_GROUP}")
    excluded = (
        ("one_sided", one_sided, _WITHOUT_ONE_SIDED),
        ("group", group > 1, _WITHOUT_GROUP),
        ("probability", probability is not None, _WITHOUT_PROBABILITY),
    )
    for option, is_given, reasons in excluded:
        for name, reason in reasons.items():
            if is_given and further[name] is not None:
                raise ParameterError(option, reason)
    if probability is not None and further["guesses"] is None and not one_sided:
        raise ParameterError("probability", _ONE_NUMBER)
    if probability is not None and further["scores"] is None and not one_sided:
        raise ParameterError(
            "probability",
            'the bound depends on which guesses were "in"; with --probability give scores, or '
            "--one-sided",
        )
    return Design(one_sided=one_sided, group=group)


def design_of_all(chances: Sequence[Fraction], design: Design) -> Design:
    """Return the design with one probability, where many numbers of guesses "in" are tried.

    Raises ``UsageError`` if the probabilities of the canaries differ.
    """
    if len(set(chances)) > 1:
        raise ParameterError("probability", _ONE_NUMBER)
    coins = Coins(chances[0], len(chances), 0, 0)
    most = replace(design, coins=(coins,)).most_guesses(len(chances))
    return replace(design, coins=(replace(coins, guessed_in=most),))


def check_matching(matching: int | str | None, scores: Any, inclusion: Any) -> None:
    """Refuse a matching of what is not matched: counts, and canaries of independent coins."""
    if matching is None:
        return
    if scores is None:
        raise ParameterError("matching", "a matching pairs canaries by their scores; give scores")
    if inclusion is not None:
        raise ParameterError(
            "matching",
            "the coins of a manifest are independent, and need no matching; leave --matching out",
        )
    if not isinstance(matching, (int, str)) or isinstance(matching, bool) or not str(matching):
        raise ParameterError("matching", f"matching = {matching!r:.40}: must be a seed, such as 1")


def read_questions(delta: Any, level: Any, budget: Any) -> Asked:
    """Return the δ, the levels and the budget that a bound is about; ``UsageError`` for others."""
    deltas = [read_budget_delta(one) for one in _several(delta)]
    levels = [_level(one) for one in _several(level)]
    if budget is not None and len(levels) > 1:
        raise ParameterError(
            "level", "a verdict needs a single level; give one level, or leave the budget out"
        )
    return deltas, levels, None if budget is None else read_budget(budget)


def notice_half(inside: Sequence[bool]) -> None:
    """Say what does not hold where half of the canaries may be in by design, not by coins."""
    if len(inside) >= _FEWEST_HALVED and 2 * sum(inside) == len(inside):
        notice(
            f"exactly half of the {len(inside)} canaries are in; if this number was fixed "
            "beforehand, instead of a coin for each canary, the bound does not hold; a matching "
            "(--matching SEED) gives one that does",
            HalfInWarning,
        )


def members_of_manifest(
    scores: Any, member: Any, inclusion: Inclusion | str | os.PathLike[str]
) -> tuple[list[bool], str]:
    """Return who was in by a manifest, and its SHA-256."""
    if scores is None:
        raise ParameterError(
            "inclusion",
            "an inclusion lists the members, but the scores are missing; give scores too",
        )
    found = inclusion if isinstance(inclusion, Inclusion) else read_inclusion(inclusion)
    stated = found.member if member is None else read_members(member)
    for place, (one, other) in enumerate(zip(stated, found.member, strict=False), 1):
        if one != other:
            words = ("in", "out") if one else ("out", "in")
            raise ParameterError(
                "member",
                f"member {place} is {words[0]}, and the manifest says {words[1]}; scores must be "
                "in the order of the manifest",
            )
    if len(stated) != len(found.member):
        raise ParameterError(
            "member",
            f"there are {len(stated)} members, and the manifest has {len(found.member)}",
        )
    return list(found.member), found.sha256


def _several(given: Any) -> list[Any]:
    found: list[Any] = list(one_or_several(given))
    if not found:
        raise ParameterError("delta", "δ or the level is missing; give one or several of each")
    return found


def _level(given: Any) -> Real:
    number = read_number(given, "level")
    if not 0 < float(number) < 1:
        raise DomainError("level", given, "must be between 0 and 1")
    return number


def counted_guesses(
    canaries: int | None, guesses: int | None, right: int | None, design: Design
) -> Guesses:
    """Return the counts that are given, or raise ``UsageError``."""
    counts = {"canaries": canaries, "guesses": guesses, "right": right}
    for name, count in counts.items():
        if count is None:
            raise ParameterError(
                name, f"{name} is missing: give canaries, guesses and right, or scores"
            )
        if isinstance(count, bool) or not isinstance(count, int):
            raise DomainError(name, count, "must be a whole number")
    assert canaries is not None
    assert guesses is not None
    assert right is not None
    if not 1 <= canaries <= LARGEST_M:
        raise DomainError("canaries", canaries, f"must be from 1 to {LARGEST_M}")
    if not 1 <= guesses <= canaries:
        raise DomainError("guesses", guesses, f"must be from 1 to the {canaries} canaries")
    if not 0 <= right <= guesses:
        raise DomainError("right", right, f"must be from 0 to the {guesses} guesses")
    return Guesses(canaries, guesses, right, design)

"""The Python interface of audits by canaries: ``dpaudit.canaries`` bounds ε from right guesses.

counts, or scores, with a fixed number of guesses or all → a bound for every training → report
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Finished
from dpaudit.api.plans import one_or_several
from dpaudit.audit.plan import DEFAULT_DIGITS
from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_budget, read_budget_delta, read_number
from dpaudit.notices import HalfInWarning, notice
from dpaudit.questions.canaries.all_sizes import (
    Ranked,
    largest_refuted_by_all,
    refuted_by_all,
    sizes_tried,
)
from dpaudit.questions.canaries.counts import report_rates
from dpaudit.questions.canaries.design import Design
from dpaudit.questions.canaries.guessing import (
    guessed,
    matched,
    ranked,
    read_members,
    read_scores,
)
from dpaudit.questions.canaries.inclusion import Inclusion, read_inclusion
from dpaudit.questions.canaries.one_run import LARGEST_M, Guesses, is_refuted, largest_refuted
from dpaudit.questions.canaries.profiles import MOST_DIGITS_OF_MU, VERDICTS, audit_profile
from dpaudit.results import (
    Budget,
    CanaryBound,
    CanaryReport,
    CanaryVerdict,
    SizeTried,
)
from dpaudit.version import __version__

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from dpaudit.numbers.real import Number, Real

__all__ = ["MOST_DIGITS", "CanaryAudit", "canaries", "read_questions"]

_FEWEST_HALVED = 20
"""Of fewer canaries coins put exactly half in too often for a word."""

MOST_DIGITS, MOST_DIGITS_OF_RATES = 30, 9
"""Most digits after the point of a bound on ε: of one number of guesses, and of all else."""


@dataclass(frozen=True)
class _Sources:
    """Scores, coins and guesses of a report on one run."""

    scores_sha256: str
    inclusion_sha256: str
    matching: str
    design: Design

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of the report."""
        return {
            "schema": "dpaudit.canaries/1",
            "version": __version__,
            "scores_sha256": self.scores_sha256,
            "inclusion_sha256": self.inclusion_sha256,
            "matching": self.matching,
            "one_sided": self.design.one_sided,
        }


@dataclass(frozen=True, repr=False)
class CanaryAudit(Finished[CanaryReport]):
    """Result of :func:`canaries`: bounds on ε; exports: text, JSON, CSV, Markdown."""

    @property
    def verdict(self) -> CanaryVerdict | None:
        """Verdict on the budget; None without a budget."""
        return self.report.verdict

    @property
    def bounds(self) -> tuple[CanaryBound, ...]:
        """The bounds on ε, one for each δ and level."""
        return self.report.bounds


def canaries(
    scores: Iterable[float] | None = None,
    member: Iterable[object] | None = None,
    *,
    inclusion: Inclusion | str | os.PathLike[str] | None = None,
    canaries: int | None = None,
    guesses: int | None = None,
    right: int | None = None,
    counts: str | Mapping[str, int] | None = None,
    delta: Number | Sequence[Number] = 0,
    level: Number | Sequence[Number] = "1/20",
    budget: Number | Sequence[Number] | None = None,
    profile: str | None = None,
    direction: str = "higher",
    matching: int | str | None = None,
    one_sided: bool = False,
    digits: int | None = None,
    scores_sha256: str = "",
) -> CanaryAudit:
    """Bound the ε of one training run from below, by right guesses about its canaries.

    Each canary has to be in the training set with probability 1/2, independently of all others.
    For a fixed number of guesses the bound is the sharp one: some (ε, δ)-DP training attains it.
    With scores and no number of guesses, a fixed list of numbers is tried, from a few guesses to
    all canaries, and the error probability ``level`` covers all of them together.

    Args:
        scores: a score for each canary, computed only from what the training publishes.
        member: for each canary, True or 1 if it was in, and False or 0 if not.
        inclusion: the manifest of :func:`dpaudit.plan_inclusion`, or its file, instead of
            ``member``. Scores must be in its order; ``member``, if given too, must agree with it.
        canaries: number of canaries; with scores, leave it out.
        guesses: number of guesses, fixed before you see the scores: half of them guess that the
            canaries with the highest scores were in, the other half that those with the lowest were
            out. None, with scores, tries many numbers, the scores farthest from the median first.
        right: number of right guesses; with scores, leave it out.
        counts: instead of all these, counts from trainings with and without one canary: a rule says
            "with" for ``tp`` of ``of`` trainings with it, and for ``fp`` of ``of`` trainings
            without it. ``in`` and ``out`` replace ``of`` where the two numbers differ. As text:
            ``"tp=600,fp=20,of=1000"``.
        delta: δ in [0, 1), or several.
        level: largest probability, in (0, 1), of refuting an ε that is true, or several.
        budget: the budget ε, or (ε, δ), to test; it needs a single level.
        profile: a claim to test instead of a budget: ``"mu=1.5"`` says that the training is
            1.5-GDP. The result has the largest refuted μ for each level. It needs a fixed number of
            guesses.
        matching: the seed of a random matching, for a number of canaries in the training that was
            fixed beforehand, all sets of that number equally likely. Each canary that was in is
            matched with one that was out, and guesses say which of a pair was in. ε and δ are then
            for one replaced example. Choose the seed before you see the scores, and only one.
        one_sided: True to guess only that canaries were in: those with the ``guesses`` highest
            scores, or many numbers of the highest. The bound then rests on one direction of DP
            alone, and half as much is added for δ.
        direction: ``"higher"`` if higher scores mean that a canary was in, otherwise ``"lower"``.
        digits: number of decimals of bounds; by default 12, but 9 with ``counts`` and where many
            numbers of guesses are tried.
        scores_sha256: the SHA-256 of the file of the scores, kept in the report.

    Returns:
        The report: its bounds, and with a budget or a profile the verdict ``exceeds`` or ``not
        refuted``.  It is never ``within``.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    >>> audit = canaries(canaries=1000, guesses=100, right=75, delta="1e-4")
    >>> print(audit.bounds[0].epsilon.lower)
    0.695126017639
    """
    inclusion_sha256 = ""
    _check_matching(matching, scores, inclusion)
    design = _design(one_sided, matching, counts)
    if inclusion is not None:
        member, inclusion_sha256 = _read_members(scores, member, inclusion)
    tries_all = scores is not None and member is not None and guesses is None
    most = MOST_DIGITS_OF_RATES if tries_all or counts is not None else MOST_DIGITS
    digits = min(DEFAULT_DIGITS, most) if digits is None else digits
    if not 1 <= digits <= most:
        raise DomainError("digits", digits, f"must be from 1 to {most}")
    if profile is not None and (tries_all or counts is not None):
        raise ParameterError(
            "profile",
            "a profile is tested with one number of guesses, fixed before the scores are "
            "seen, and without guesses several numbers are tried; give guesses",
        )
    sources = _Sources(
        scores_sha256, inclusion_sha256, "" if matching is None else str(matching), design
    )
    if counts is not None:
        if any(one is not None for one in (scores, member, canaries, guesses, right)):
            raise ParameterError(
                "counts",
                "counts come from trainings with and without one canary; leave out scores, "
                "member, canaries, guesses and right",
            )
        report = report_rates(counts, read_questions(delta, level, budget), digits)
        return CanaryAudit(report)
    if scores is not None or member is not None:
        if canaries is not None or right is not None:
            raise ParameterError(
                "scores",
                "scores already determine the number of canaries and of right guesses; leave "
                "canaries and right out",
            )
        points, inside = read_scores(scores, member, direction, fair=matching is None)
        points, inside = _paired(points, inside, matching, inclusion_sha256)
        if guesses is None:
            asked = read_questions(delta, level, budget)
            return _of_all(points, inside, asked, digits, sources)
        seen = guessed(points, inside, guesses, design)
    else:
        seen = _counted(canaries, guesses, right, design)
    deltas, levels, stated = read_questions(delta, level, budget)
    verdict = tested = None
    if profile is not None:
        if budget is not None:
            raise ParameterError(
                "profile", "a verdict is about one claim; give a budget or a profile, not both"
            )
        tested, verdict = audit_profile(seen, profile, levels, min(digits, MOST_DIGITS_OF_MU))
    if stated is not None:
        refuted = is_refuted(seen, stated.epsilon, stated.delta, levels[0])
        verdict = VERDICTS[refuted]
    bounds = tuple(
        CanaryBound(delta=d, level=a, epsilon=largest_refuted(seen, d, a, digits))
        for d in deltas
        for a in levels
    )
    return CanaryAudit(
        CanaryReport(
            **sources.fields,
            canaries=seen.canaries,
            guesses=seen.guesses,
            right=seen.right,
            digits=digits,
            bounds=bounds,
            budget=stated,
            profile=tested,
            verdict=verdict,
        )
    )


def _design(one_sided: bool, matching: Any, counts: Any) -> Design:
    """Return what the coins decide, and which guesses are made; ``UsageError`` for bad input."""
    if not isinstance(one_sided, bool):
        raise ParameterError("one_sided", f"one_sided = {one_sided!r:.40}: must be True or False")
    if one_sided and (matching is not None or counts is not None):
        kind = (
            "of a matching say which of two canaries was in"
            if matching is not None
            else ("about trainings with and without one canary are of both kinds")
        )
        raise ParameterError("one_sided", f"guesses {kind}, so leave --one-sided out")
    return Design(one_sided=one_sided)


def _paired(
    points: list[float], inside: list[bool], matching: int | str | None, manifest: str
) -> tuple[list[float], list[bool]]:
    """Return the pairs of a matching, or canaries of fair coins as they are."""
    if matching is not None:
        return matched(points, inside, matching)
    _notice_half(inside, manifest)
    return points, inside


def _check_matching(matching: int | str | None, scores: Any, inclusion: Any) -> None:
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


def read_questions(
    delta: Any, level: Any, budget: Any
) -> tuple[list[Real], list[Real], Budget | None]:
    """Return the δ, the levels and the budget that a bound is about; ``UsageError`` for others."""
    deltas = [read_budget_delta(one) for one in _several(delta)]
    levels = [_level(one) for one in _several(level)]
    if budget is not None and len(levels) > 1:
        raise ParameterError(
            "level", "a verdict needs a single level; give one level, or leave the budget out"
        )
    return deltas, levels, None if budget is None else read_budget(budget)


def _notice_half(inside: Sequence[bool], manifest: str) -> None:
    """Say what does not hold where half of the canaries may be in by design, not by coins."""
    if not manifest and len(inside) >= _FEWEST_HALVED and 2 * sum(inside) == len(inside):
        notice(
            f"exactly half of the {len(inside)} canaries are in; if this number was fixed "
            "beforehand, instead of a coin for each canary, the bound does not hold; a matching "
            "(--matching SEED) gives one that does",
            HalfInWarning,
        )


def _read_members(
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


def _of_all(
    points: list[float],
    inside: list[bool],
    asked: tuple[list[Real], list[Real], Budget | None],
    digits: int,
    sources: _Sources,
) -> CanaryAudit:
    """Return what scores refute where every number of guesses is tried."""
    deltas, levels, stated = asked
    design = sources.design

    def tried(delta: Real, level: Real) -> Ranked:
        sizes = sizes_tried(len(points), delta, level, design)
        return Ranked(len(points), sizes, tuple(ranked(points, inside, sizes, design)), design)

    verdict = None
    if stated is not None:
        if all(str(one) != str(stated.delta) for one in deltas):
            deltas = [*deltas, stated.delta]  # the counts that a verdict rests on are in the report
        seen = tried(stated.delta, levels[0])
        verdict = VERDICTS[refuted_by_all(seen, stated.epsilon, stated.delta, levels[0])]
    bounds = []
    for d in deltas:
        for a in levels:
            seen = tried(d, a)
            found = largest_refuted_by_all(seen, d, a, digits)
            pairs = zip(seen.sizes, seen.right, strict=True)
            sizes = tuple(SizeTried(guesses=size, right=right) for size, right in pairs)
            bounds.append(CanaryBound(delta=d, level=a, epsilon=found, sizes=sizes))
    most = design.most_guesses(len(points))
    return CanaryAudit(
        CanaryReport(
            **sources.fields,
            canaries=len(points),
            guesses=most,
            right=ranked(points, inside, (most,), design)[0],
            digits=digits,
            bounds=tuple(bounds),
            budget=stated,
            verdict=verdict,
        )
    )


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


def _counted(
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

"""The Python interface of audits by canaries: ``dpaudit.canaries`` bounds ε from right guesses.

counts, or scores, with a fixed number of guesses or all → a bound for every training → report
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Finished
from dpaudit.audit.plan import DEFAULT_DIGITS
from dpaudit.errors import DomainError, ParameterError
from dpaudit.questions.canaries.all_sizes import (
    Ranked,
    largest_refuted_by_all,
    refuted_by_all,
    sizes_tried,
)
from dpaudit.questions.canaries.counts import report_rates
from dpaudit.questions.canaries.guessing import (
    DIRECTIONS,
    GroupedScores,
    check_number,
    guesses_of,
    matched,
    ranked,
    read_scores,
)
from dpaudit.questions.canaries.inputs import (
    Asked,
    check_matching,
    counted_guesses,
    design_of_all,
    members_of_manifest,
    notice_half,
    read_design,
    read_questions,
)
from dpaudit.questions.canaries.one_run import Guesses, is_refuted, largest_refuted
from dpaudit.questions.canaries.profiles import MOST_DIGITS_OF_MU, VERDICTS, audit_profile
from dpaudit.questions.canaries.unequal_coins import counted_coins, read_probabilities
from dpaudit.results import (
    CanaryBound,
    CanaryReport,
    CanaryVerdict,
    SizeTried,
)
from dpaudit.version import __version__

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from matplotlib.figure import Figure

    from dpaudit.numbers.real import Number, Real
    from dpaudit.questions.canaries.design import Design
    from dpaudit.questions.canaries.inclusion import Inclusion

__all__ = ["MOST_DIGITS", "CanaryAudit", "canaries"]

MOST_DIGITS, MOST_DIGITS_OF_RATES = 30, 9
"""Most digits after the point of a bound on ε: of one number of guesses, and of all else."""


@dataclass(frozen=True)
class _Sources:
    """Sources of the scores and members of one run."""

    scores_sha256: str
    inclusion_sha256: str
    matching: str

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of the report."""
        return {
            "schema": "dpaudit.canaries/1",
            "version": __version__,
            "scores_sha256": self.scores_sha256,
            "inclusion_sha256": self.inclusion_sha256,
            "matching": self.matching,
        }


@dataclass(frozen=True, repr=False)
class CanaryAudit(Finished[CanaryReport]):
    """Result of :func:`canaries`: bounds on ε; exports: text, JSON, CSV, Markdown, a figure."""

    scores: GroupedScores | None = field(default=None, compare=False)
    """The scores, for the figure alone; None for an audit of counts.  No export contains them."""

    @property
    def verdict(self) -> CanaryVerdict | None:
        """Verdict on the budget; None without a budget."""
        return self.report.verdict

    @property
    def bounds(self) -> tuple[CanaryBound, ...]:
        """The bounds on ε, one for each δ and level."""
        return self.report.bounds

    def figure(self) -> Figure:
        """Return the figure: with scores the bound by number of guesses, the ROC, a histogram."""
        from dpaudit.report.views import view_of

        return view_of(self.report).plot(self.reports, self.scores)


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
    group: int = 1,
    probability: Number | Sequence[Number] | None = None,
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
        group: number of examples that each coin decided for, such as copies of a canary. Each
            score, and each member, is then for a group. ``epsilon`` of a bound is for one
            example, and ``group_epsilon`` for a group.
        probability: the probability of each canary to be in the training set, independently of all
            others, or one for all; by default 1/2. It needs a fixed number of guesses, except one
            for all with ``one_sided``.
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
    further = {
        "scores": scores,
        "guesses": guesses,
        "counts": counts,
        "profile": profile,
        "matching": matching,
        "inclusion": inclusion,
    }
    check_matching(matching, scores, inclusion)
    design = read_design(one_sided=one_sided, group=group, probability=probability, further=further)
    inclusion_sha256 = ""
    if inclusion is not None:
        member, inclusion_sha256 = members_of_manifest(scores, member, inclusion)
    tries_all = scores is not None and member is not None and guesses is None
    most = MOST_DIGITS_OF_RATES if tries_all or counts is not None else MOST_DIGITS
    digits = _read_digits(digits, most)
    if profile is not None and (tries_all or counts is not None):
        raise ParameterError(
            "profile",
            "a profile is tested with one number of guesses, fixed before the scores are "
            "seen, and without guesses several numbers are tried; give guesses",
        )
    if counts is not None:
        if any(one is not None for one in (scores, member, canaries, guesses, right)):
            raise ParameterError(
                "counts",
                "counts come from trainings with and without one canary; leave out scores, "
                "member, canaries, guesses and right",
            )
        return CanaryAudit(report_rates(counts, read_questions(delta, level, budget), digits))
    sources = _Sources(scores_sha256, inclusion_sha256, "" if matching is None else str(matching))
    if scores is None and member is None:
        seen = counted_guesses(canaries, guesses, right, design)
        if (chances := read_probabilities(probability, seen.canaries)) is not None:
            if len(set(chances)) > 1:
                raise ParameterError(
                    "probability",
                    "counts do not tell which canaries were guessed; with different probabilities "
                    "give scores",
                )
            coins = counted_coins(chances, range(seen.guesses), ())
            seen = replace(seen, design=replace(design, coins=coins))
        asked = read_questions(delta, level, budget)
        return _of_fixed(seen, asked, profile, digits, sources)
    if canaries is not None or right is not None:
        raise ParameterError(
            "scores",
            "scores already determine the number of canaries and of right guesses; leave "
            "canaries and right out",
        )
    points, inside = read_scores(scores, member, direction)
    if matching is not None:
        points, inside = matched(points, inside, matching)
    scored = GroupedScores(
        tuple(points),
        tuple(inside),
        direction != DIRECTIONS[0],
        _read_chances(inside, matching, probability, sources),
    )
    if guesses is None:
        if scored.chances is not None:
            design = design_of_all(scored.chances, design)
        return _of_all(scored, design, read_questions(delta, level, budget), digits, sources)
    seen = guesses_of(scored, guesses, design)
    asked = read_questions(delta, level, budget)
    return replace(_of_fixed(seen, asked, profile, digits, sources), scores=scored)


def _read_digits(digits: int | None, most: int) -> int:
    digits = min(DEFAULT_DIGITS, most) if digits is None else digits
    if not 1 <= digits <= most:
        raise DomainError("digits", digits, f"must be from 1 to {most}")
    return digits


def _read_chances(
    inside: Sequence[bool], matching: int | str | None, probability: Any, sources: _Sources
) -> tuple[Fraction, ...] | None:
    """Return the probability of each canary to be in, after a look at how many were.

    None is for fair coins, and for the pairs of a matching.
    """
    if matching is not None:
        return None
    chances = read_probabilities(probability, len(inside))
    expected = len(inside) / 2 if chances is None else float(sum(chances))
    check_number(sum(inside), len(inside), expected)
    if chances is None and not sources.inclusion_sha256:
        notice_half(inside)
    return None if chances is None else tuple(chances)


def _of_fixed(
    seen: Guesses, asked: Asked, profile: str | None, digits: int, sources: _Sources
) -> CanaryAudit:
    """Return what a number of guesses refutes that was fixed beforehand."""
    deltas, levels, stated = asked
    verdict = tested = None
    if profile is not None:
        if stated is not None:
            raise ParameterError(
                "profile", "a verdict is about one claim; give a budget or a profile, not both"
            )
        tested, verdict = audit_profile(seen, profile, levels, min(digits, MOST_DIGITS_OF_MU))
    if stated is not None:
        verdict = VERDICTS[is_refuted(seen, stated.epsilon, stated.delta, levels[0])]
    single = None
    if seen.design.group > 1:
        single = replace(seen, design=seen.design.of_single_examples)
    return CanaryAudit(
        CanaryReport(
            **sources.fields,
            **seen.design.fields,
            canaries=seen.canaries,
            guesses=seen.guesses,
            right=seen.right,
            digits=digits,
            bounds=tuple(
                CanaryBound(
                    delta=d,
                    level=a,
                    epsilon=largest_refuted(seen, d, a, digits),
                    group_epsilon=None if single is None else largest_refuted(single, d, a, digits),
                )
                for d in deltas
                for a in levels
            ),
            budget=stated,
            profile=tested,
            verdict=verdict,
        )
    )


def _of_all(
    scored: GroupedScores, design: Design, asked: Asked, digits: int, sources: _Sources
) -> CanaryAudit:
    """Return what scores refute where every number of guesses is tried."""
    deltas, levels, stated = asked
    points, inside = scored.points, scored.inside

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
            of_group = None
            if design.group > 1:
                single = replace(seen, design=design.of_single_examples)
                of_group = largest_refuted_by_all(single, d, a, digits)
            bounds.append(
                CanaryBound(delta=d, level=a, epsilon=found, group_epsilon=of_group, sizes=sizes)
            )
    most = design.most_guesses(len(points))
    return CanaryAudit(
        CanaryReport(
            **sources.fields,
            **design.fields,
            canaries=len(points),
            guesses=most,
            right=ranked(points, inside, (most,), design)[0],
            digits=digits,
            bounds=tuple(bounds),
            budget=stated,
            verdict=verdict,
        ),
        scored,
    )

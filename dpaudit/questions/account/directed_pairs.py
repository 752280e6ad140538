"""The directed pairs of an account: of listed and of continuous laws, and those of samples."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from dpaudit.audit.scan import compared
from dpaudit.errors import ParameterError
from dpaudit.laws.shifted import GaussianDivergence
from dpaudit.numbers.ball import precision
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.real import ONE, ZERO, Real, rational
from dpaudit.questions.account.candidates import BITS, DIGITS, MANY, SHORT, Candidate
from dpaudit.questions.account.composition import compose, joint_bound
from dpaudit.questions.account.exact import ClosedBand, ExactBand, Joint, MeasuredBand
from dpaudit.questions.account.known_moments import DrawnMoments, JointMoments, moments_of
from dpaudit.questions.account.moments import ListedMoments
from dpaudit.questions.account.outcomes import Outcomes, outcomes
from dpaudit.questions.account.sources import Listed, Source, Spread, source_of
from dpaudit.questions.account.subsampling import replaced, subsampled, turned_at_zero
from dpaudit.results import Enclosure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from dpaudit.audit.plan import Pairs
    from dpaudit.laws.law import Divergence, LossMeasure
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.questions.account.lattices import Effort
    from dpaudit.questions.account.moments import Moments

__all__ = ["SUBSTITUTIONS", "candidates", "sampled_candidates"]


def candidates(
    subject: Mechanism[Any],
    pairs: Pairs,
    runs: int,
    sampled: tuple[Real | None, str],
    effort: Effort,
) -> Iterator[Candidate]:
    """Give every directed pair, comparisons that are alike once."""
    seen: set[Divergence] = set()
    rate, direction = sampled
    with precision(BITS):
        for laws in compared(subject.laws(), pairs):
            divergence = laws.divergence
            if divergence.symmetric and divergence in seen:
                continue
            if divergence.symmetric:
                seen.add(divergence)
            if rate is not None:
                yield from sampled_candidates(
                    [(subject, runs, rate, divergence)], direction, effort
                )
                continue
            one = None if divergence.symmetric else outcomes(divergence)
            for forward in (True,) if divergence.symmetric else (True, False):
                x, y = (laws.left, laws.right) if forward else (laws.right, laws.left)
                exact, source = _exactly(divergence, one, runs, forward=forward), None
                if exact is None:
                    source = source_of(divergence, forward=forward, listed=one)
                most = divergence.max_loss(forward=forward)
                whole = None if most.exact is None else most.exact * rational(runs)
                ends = enclose(most.ball * runs, DIGITS)
                moments = None
                if isinstance(source, Listed) and source.starts(runs) < runs:
                    moments = ListedMoments(source.one, source.forward)
                yield Candidate(
                    x,
                    y,
                    None,
                    source,
                    exact,
                    whole,
                    effort,
                    ends.upper,
                    ends.lower,
                    moments,
                    one=one,
                )


def sampled_candidates(
    parts: Sequence[tuple[Mechanism[Any], int, Real | None, Divergence]],
    direction: str,
    effort: Effort,
) -> Iterator[Candidate]:
    """Give the dominating pair of Poisson samples of each direction.

    Args:
        parts: each mechanism with how many runs it has, its rate and a pair of its laws; runs of
            one mechanism are composed by the candidate, those of several are one run of all.
        direction: ``add``, ``remove`` or ``both``.
        effort: how finely lattices are computed at first.

    Raises:
        ParameterError: for a mechanism whose dominating pairs are not known.
    """
    for way in ("remove", "add") if direction == "both" else (direction,):
        remove: bool = way == "remove"
        substituted = way in SUBSTITUTIONS
        most: Real | None = ZERO
        sources: list[tuple[Source, int]] = []
        known: list[tuple[Moments, int]] = []
        for subject, runs, rate, divergence in parts:
            measure = divergence.loss_measure(forward=True)
            if measure is None or not divergence.symmetric or rate is None:
                raise _refused_sampling(subject)
            if substituted:
                pair = _substituted(divergence, measure, rate, way)
                sources.append((Spread(pair), runs))
                known.append((DrawnMoments(pair), runs))
                most = None
                continue
            whole = rate == ONE  # every record is in every sample
            sources.append(
                (Spread(measure if whole else subsampled(measure, rate, remove=remove)), runs)
            )
            moments = moments_of(divergence, sampled=None if whole else (rate, remove))
            known += [] if moments is None else [(moments, runs)]
            largest = divergence.max_loss(forward=True).exact
            one = _largest_sampled(largest, rate, runs, remove=remove)
            most = None if most is None or one is None else most + one
        alone = len(parts) == 1
        source = sources[0][0] if alone else Joint(tuple(sources))
        found = planned_by = exact = None
        if alone and isinstance(source, Spread) and parts[0][1] == 1:
            exact = MeasuredBand(parts[0][3], source.measure)
        if len(known) == len(parts):
            if sum(runs for _, runs in sources) > MANY and not substituted:
                found = known[0][0] if alone else JointMoments(tuple(known))
            elif alone:
                planned_by = known[0][0]
        ends = Enclosure(Decimal("Infinity"), Decimal("Infinity"))
        if most is not None:
            ends = enclose(most.ball(), DIGITS)
        yield Candidate(
            None,
            None,
            way,
            source,
            exact,
            most,
            effort,
            ends.upper,
            ends.lower,
            found,
            planned_by=planned_by,
        )


SUBSTITUTIONS = ("substitution", "substitution of a fixed size")
"""Directions of a record that is replaced, in Poisson samples and in samples of a fixed size."""


def _substituted(divergence: Divergence, measure: LossMeasure, rate: Real, way: str) -> LossMeasure:
    """Return the pair that bounds a record's replacement; ``ParameterError`` for other noise."""
    if not isinstance(divergence, GaussianDivergence) or rate == ONE:
        raise ParameterError(
            "adjacency",
            "with sampling, dpaudit certifies a replaced record only for Gaussian noise; leave "
            "adjacency out",
        )
    if way == SUBSTITUTIONS[0]:
        return replaced(divergence.shift, rate)
    return turned_at_zero(subsampled(measure, rate, remove=True))


def _refused_sampling(subject: Mechanism[Any]) -> ParameterError:
    """Return the error that says of which mechanisms samples are certified."""
    return ParameterError(
        "sample-rate",
        f"{subject.name}: subsampling is certified only for Gaussian and Laplace with a record "
        "added or removed, because only their dominating pairs are known in both directions",
    )


def _largest_sampled(largest: Real | None, rate: Real, runs: int, *, remove: bool) -> Real | None:
    """Return the largest loss of all sampled runs, None for infinity.

    It is ln(1 − q + q·e^s) for a record that is removed, s the largest loss of one run, and
    −ln(1 − q + q·e^(−s)) for one that is added.
    """
    if remove or rate == ONE:  # without samples both directions are alike
        one = None if largest is None else (ONE - rate + rate * largest.exp()).ln()
    else:
        least = ZERO if largest is None else (-largest).exp()
        one = -(ONE - rate + rate * least).ln()
    return None if one is None else one * rational(runs)


def _exactly(
    divergence: Divergence, one: Outcomes | None, runs: int, *, forward: bool
) -> ClosedBand | ExactBand | None:
    if one is None:
        closed = divergence if runs == 1 else divergence.of_runs(runs)
        return None if closed is None else ClosedBand(closed)
    if not one.finite or joint_bound(one, runs) <= SHORT:
        return ExactBand(compose(one, runs), forward)
    return None

"""Selection of the directed pairs of an account, and upper bounds for adaptive runs by all pairs.

Pairs that another dominates, or that fall short, are left out.  Adaptive runs may have any
neighbours, in either direction, in each run: products of dominating pairs dominate their
composition (Zhu, Dong and Wang 2022).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter
from typing import TYPE_CHECKING

from dpaudit.audit.curve import privacy_curve
from dpaudit.audit.plan import Pairs, Plan
from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Ball, Sign, precision
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.real import ZERO, Real, order, rational, real
from dpaudit.questions.account.candidates import BITS, DIGITS, SHORT, Candidate, Given
from dpaudit.questions.account.composition import compose, joint_bound
from dpaudit.questions.account.contour import ContourBand
from dpaudit.questions.account.dominating import dominating_pair, dominating_source
from dpaudit.questions.account.exact import ExactBand, Joint
from dpaudit.questions.account.joint import Run
from dpaudit.questions.account.lattices import Effort, composed
from dpaudit.questions.account.moments import ListedMoments, slack_of
from dpaudit.questions.account.outcomes import Outcomes, outcomes
from dpaudit.questions.account.sources import Listed, Source, source_of
from dpaudit.results import Enclosure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.laws.law import Divergence


__all__ = ["adaptive_bounds", "both_ways", "falls_short", "first_look", "slack_both_ways"]

_MANY_PAIRS, _COARSE = 4, 1e-2
_ROUGH, _JUST_BELOW = (0.1, 1e-2), 1 - 1e-9
_NEAR = 3  # so many pairs of the next larger bounds may dominate one


def both_ways(ways: list[Candidate], runs: int) -> Real | None:
    """Return the slack with which the first pair dominates all, in either direction, or None.

    There is none for one pair that is alike in both directions, and for samples, as a record is
    added in all runs or removed in all.
    """
    if len(ways) == 1 or all(one.direction is not None for one in ways):
        return ZERO
    first = ways[0].one
    return None if len(ways) > 2 or first is None else slack_both_ways(first, runs)


def slack_both_ways(one: Outcomes, runs: int) -> Real | None:
    """Return the slack with which a pair dominates itself turned round in all runs, or None."""
    if one.kind != "ball":
        sides = Counter((x.p, x.q) for x in one.finite)
        if sides == Counter((x.q, x.p) for x in one.finite):
            return ZERO
    forward, back = (ListedMoments(one, forward) for forward in (True, False))
    return slack_of(runs) if forward.dominates(back) else None


def first_look(ways: list[Candidate], runs: int, asked: list[Given]) -> None:
    """Enclose what is asked of the pairs that may be the worst, and leave the others out.

    Of many pairs, those come first whose Chernoff bounds are large.  One that another dominates in
    every run is dropped, and one whose bounds are below what was found is not looked at; so is the
    second direction of runs on samples.
    """
    listed = [one for one in ways if isinstance(one.moments, ListedMoments)]
    if len(listed) > _MANY_PAIRS:
        for one in listed:
            one.effort = replace(one.effort, inflation=max(one.effort.inflation, _COARSE))
    bounded = [one for one in ways if one.moments is not None]
    if len(bounded) > _MANY_PAIRS and ("delta", ZERO) not in asked:
        for one in bounded:
            one.bound(runs, asked)
        ways.sort(
            key=lambda one: [one.found[given].upper.copy_negate() for given in asked if one.found]
        )
        before: list[Candidate] = []
        for one in list(ways):
            if any(other.stands_for(one, runs) for other in before[-_NEAR:]):
                ways.remove(one)
            else:
                before.append(one)
    best: dict[Given, Decimal] = dict.fromkeys(asked, Decimal(0))
    for one in ways:
        if any(other.is_on_lattice for other in ways):
            # An inversion of the other direction takes few places, and long for each of them.
            one.leave_line()
        if one.direction is not None and all(best.values()):
            one.bound(runs, asked)
        # Planning may have noted some of what is asked, and not the rest.
        if any(given not in one.found or one.found[given].upper >= best[given] for given in asked):
            if falls_short(one, runs, best):
                continue
            one.look(runs, asked, _tops(ways, one, asked) if all(best.values()) else None)
        best = {given: max(best[given], one.found[given].lower) for given in asked}


def _tops(ways: list[Candidate], one: Candidate, asked: list[Given]) -> dict[Given, Decimal] | None:
    """Return the upper ends that the other direction of sampled runs has, None if it has not all.

    A direction that is no larger than these need not be known better.
    """
    others = [other.found for other in ways if other is not one and other.direction is not None]
    if not all(any(given in found for found in others) for given in asked):
        return None
    return {given: max(found[given].upper for found in others if given in found) for given in asked}


def falls_short(one: Candidate, runs: int, best: dict[Given, Decimal]) -> bool:
    """Tell whether the pair is certainly nowhere as large as what was found, and note it.

    δ(ε) just below the best ε shows that, on a line that smooths much.
    """
    if one.moments is None or any(not least or least.is_infinite() for least in best.values()):
        return False
    for accuracy in _ROUGH:
        line, noted = ContourBand(one.moments, runs, accuracy), dict[Given, Decimal]()
        for given, least in best.items():
            kind, value = given
            at = nextafter(float(value.ball()), -inf)
            if kind == "delta":
                at = float(least) * _JUST_BELOW
            try:
                most = enclose(line.at_most(at) + one.slack.ball(), DIGITS).upper
            except PrecisionError:
                return False
            if kind == "epsilon":
                if most < least and order(rational(Fraction(at)), value) in (
                    Sign.NEGATIVE,
                    Sign.ZERO,
                ):
                    noted[given] = most
            elif order(real(most), value) in (Sign.NEGATIVE, Sign.ZERO) and at < float(least):
                noted[given] = enclose(Ball(at), DIGITS).upper
        if len(noted) == len(best) and all(noted[given] < best[given] for given in noted):
            for given, upper in noted.items():
                known = one.found.get(given)
                high = upper if known is None else min(known.upper, upper)
                one.found[given] = Enclosure(Decimal(0), high)
            return True
    return False


def adaptive_bounds(
    parts: Sequence[tuple[Run, Plan]],
    n: int,
    asked: Sequence[Given],
    ways: list[Candidate],
    effort: Effort,
) -> list[Decimal]:
    """Return what no adaptive runs exceed, at each ε and δ that is asked for.

    One pair that dominates itself turned round bounds what adaptive runs see, and so do samples, as
    a record is added in all runs or removed in all.  Else a dominating pair is made of all pairs
    and directions: runs may see one pair in one direction, then in the other.

    Args:
        parts: the runs, each with its plan.
        n: the size.
        asked: what is asked for.
        ways: the directed pairs, with what was found.
        effort: how finely lattices are computed.

    Raises:
        LawError, PrecisionError: where there is no such bound.
    """
    (first, _), *others = parts
    if first.rate is not None or not others:
        slack = ZERO if first.rate is not None else both_ways(ways, first.runs)
    else:
        each = [_slack(run, n, plan) for run, plan in parts]
        slack = None if None in each else sum((one for one in each if one is not None), ZERO)
    if slack is not None:
        chosen = ways if slack == ZERO else ways[:1]
        return [max(one.adaptive(given, slack) for one in chosen) for given in asked]
    with precision(BITS):
        sources: list[tuple[Source, int]] = []
        for run, plan in parts:
            divergence = _only(run, n, plan)
            if divergence is not None and divergence.symmetric:
                source = source_of(divergence, forward=True)
            else:
                source = dominating_source(dominating_pair(privacy_curve(run.subject, n, plan)))
            sources.append((source, run.runs))
        if others:
            return _bounds(Joint(tuple(sources)), 1, asked, effort)
        return _bounds(sources[0][0], first.runs, asked, effort)


def _only(run: Run, n: int, plan: Plan) -> Divergence | None:
    """Return the only pair of a mechanism, None where there are more."""
    pairs = Pairs(run.subject, n, plan)
    if pairs.expected != 1:
        return None
    ((x, y),) = pairs
    laws = run.subject.laws()
    return laws.law(x).divergence_from(laws.law(y))


def _slack(run: Run, n: int, plan: Plan) -> Real | None:
    """Return the slack with which the only pair of a mechanism dominates itself turned round."""
    with precision(BITS):
        divergence = _only(run, n, plan)
        if divergence is None or divergence.symmetric:
            return None if divergence is None else ZERO
        return slack_both_ways(outcomes(divergence), run.runs)


def _bounds(source: Source, runs: int, asked: Sequence[Given], effort: Effort) -> list[Decimal]:
    exact = lattice = None
    if isinstance(source, Listed) and joint_bound(source.one, runs) <= SHORT:
        exact = ExactBand(compose(source.one, runs), forward=True)
    else:
        lattice = composed(source, runs, effort, above=True)
    found: list[Decimal] = []
    for kind, value in asked:
        if exact is not None:
            at = exact.epsilon(value)[1] if kind == "delta" else exact.mass(value).ball
        else:
            assert lattice is not None
            at = lattice.epsilon(value) if kind == "delta" else lattice.delta(value)
        upper = enclose(at, DIGITS).upper
        found.append(upper if kind == "delta" else min(upper, Decimal(1)))
    return found

"""Bounds from above for adaptive runs: any neighbours, in either direction, in each run.

Products of dominating pairs dominate adaptive compositions (Zhu, Dong and Wang 2022).
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from dpaudit.accounting.candidates import BITS, DIGITS, SHORT, Candidate, Given
from dpaudit.accounting.composition import compose, joint_bound
from dpaudit.accounting.dominating import dominating_pair, dominating_source
from dpaudit.accounting.exactly import ExactBand
from dpaudit.accounting.joint import Run
from dpaudit.accounting.lattices import Effort, composed
from dpaudit.accounting.leaving_out import both_ways, slack_both_ways
from dpaudit.accounting.outcomes import outcomes
from dpaudit.accounting.product import Joint
from dpaudit.accounting.sources import Listed, Source, source_of
from dpaudit.audit.curve import privacy_curve
from dpaudit.audit.plan import Pairs
from dpaudit.numbers.ball import precision
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.real import ZERO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.plan import Plan
    from dpaudit.laws.law import Divergence
    from dpaudit.numbers.real import Real

__all__ = ["adaptive_bounds"]


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

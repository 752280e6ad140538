"""Runs of different mechanisms on the same data, as one directed pair that is run once.

The laws of all runs are independent, so that the pair of a composition is the product of the pairs
of its parts: lattices of each are composed on their own, put onto one lattice where their steps
differ, and multiplied; moments are multiplied too.  Few joint losses are one short list.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.audit.scan import compared
from dpaudit.errors import ParameterError
from dpaudit.laws.shifted import GaussianDivergence
from dpaudit.numbers.ball import Ball, ball, precision
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.real import ZERO, Real, rational
from dpaudit.questions.account.candidates import BITS, DIGITS, MANY, SHORT, Candidate
from dpaudit.questions.account.composition import CLOSED_LIMIT, Composed, compose, joint_bound
from dpaudit.questions.account.directed_pairs import sampled_candidates
from dpaudit.questions.account.exact import ClosedBand, ExactBand, Joint
from dpaudit.questions.account.known_moments import JointMoments, moments_of
from dpaudit.questions.account.lattices import Effort
from dpaudit.questions.account.outcomes import LossClass, Outcomes, outcomes
from dpaudit.questions.account.sources import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.audit.plan import Pairs
    from dpaudit.laws.law import Divergence
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["Run", "joint_candidates"]


class Run(NamedTuple):
    """Runs of one mechanism, to compose with others by :func:`dpaudit.account`.

    >>> import dpaudit
    >>> part = dpaudit.Run(dpaudit.mechanism("Laplace", scale=5), 2)
    >>> (row,) = dpaudit.account("Laplace", scale=5, at_eps=["3/5"], then=[part]).rows
    >>> print(row.delta.upper)
    0
    """

    subject: Mechanism[Any]
    """The mechanism."""
    runs: int
    """Number of runs of it, on the same data."""
    rate: Real | None = None
    """Probability with which each record takes part in a run (Poisson); None if all do."""


def joint_candidates(
    parts: Sequence[Run], pairs: Sequence[Pairs], direction: str, effort: Effort
) -> Iterator[Candidate]:
    """Give every directed pair of a composition, to be run once.

    Args:
        parts: the mechanisms, in the order of their runs.
        pairs: the pairs of each; they are the same for all.
        direction: ``add``, ``remove`` or ``both``, for runs on samples.
        effort: how finely lattices are computed at first.

    Raises:
        ParameterError: for mechanisms of different data, and samples that are not certified.
    """
    sampled = [one.rate is not None for one in parts]
    if any(sampled) and not all(sampled):
        raise ParameterError(
            "sample-rate",
            "some runs use samples and some all data, and these have different neighbouring "
            "datasets; give sample-rate for all runs or for none",
        )
    listed = list(pairs[0])
    for one, theirs in zip(parts[1:], pairs[1:], strict=True):
        if {frozenset(pair) for pair in theirs} != {frozenset(pair) for pair in listed}:
            raise ParameterError(
                "then",
                f"{one.subject.name} has different pairs of datasets from "
                f"{parts[0].subject.name} at this size; runs on the same data need the same pairs",
            )
    seen: set[tuple[Divergence, ...]] = set()
    with precision(BITS):
        for laws in zip(*(compared(one.subject.laws(), listed) for one in parts), strict=True):
            found = tuple(one.divergence for one in laws)
            alike = all(one.symmetric for one in found)
            if alike and found in seen:
                continue
            seen |= {found} if alike else set()
            if any(sampled):
                each = [(*one, divergence) for one, divergence in zip(parts, found, strict=True)]
                yield from sampled_candidates(each, direction, effort)
                continue
            for forward in (True,) if alike else (True, False):
                x, y = laws[0].left, laws[0].right
                ends = (x, y) if forward else (y, x)
                yield _candidate(parts, found, ends, forward, effort)


def _candidate(
    parts: Sequence[Run],
    found: tuple[Divergence, ...],
    ends: tuple[Any, Any],
    forward: bool,
    effort: Effort,
) -> Candidate:
    exact = _exactly(parts, found, forward=forward)
    losses = [one.max_loss(forward=forward) for one in found]
    known = [loss.exact for loss in losses]
    runs = [one.runs for one in parts]
    most: Real | None = ZERO
    for value, times in zip(known, runs, strict=True):
        most = None if most is None or value is None else most + value * rational(times)
    total = sum((loss.ball * times for loss, times in zip(losses, runs, strict=True)), Ball(0))
    bounds = enclose(total, DIGITS)
    source, moments = None, None
    if exact is None:
        sources = [source_of(one, forward=forward) for one in found]
        source = Joint(tuple(zip(sources, runs, strict=True)))
        each = [moments_of(one, forward=forward) for one in found]
        normal = any(isinstance(one, GaussianDivergence) for one in found)
        if source.regrids and (normal or sum(runs) > MANY) and all(each):
            moments = JointMoments(tuple((m, k) for m, k in zip(each, runs, strict=True) if m))
    return Candidate(*ends, None, source, exact, most, effort, bounds.upper, bounds.lower, moments)


def _exactly(
    parts: Sequence[Run], found: tuple[Divergence, ...], *, forward: bool
) -> ClosedBand | ExactBand | None:
    """Return the curve of all runs in closed form, or of a short list, or None."""
    if all(isinstance(one, GaussianDivergence) for one in found):
        squares = ZERO
        for one, run in zip(found, parts, strict=True):
            assert isinstance(one, GaussianDivergence)
            squares += one.shift * one.shift * rational(run.runs)
        return ClosedBand(GaussianDivergence(squares.sqrt()))
    if any(one.loss_measure(forward=forward) is not None for one in found):
        return None
    listed = [outcomes(one) for one in found]
    counts = [joint_bound(one, run.runs) for one, run in zip(listed, parts, strict=True)]
    if all(one.finite for one in listed) and prod(counts) > SHORT:
        return None
    tables = [compose(one, run.runs) for one, run in zip(listed, parts, strict=True)]
    return ExactBand(_product(tables), forward)


def _product(tables: Sequence[Composed]) -> Composed:
    """Return the joint law of independent runs as that of one run."""
    kinds = {one.one.kind for one in tables}
    count = prod(len(one.table) for one in tables)
    if kinds == {"rational"}:
        unit = prod(one.one.unit**one.runs for one in tables)
        kind, sides = "rational", [one.table for one in tables]
    elif kinds <= {"closed"} and count <= CLOSED_LIMIT:
        unit, kind, sides = 1, "closed", [one.table for one in tables]
    else:
        unit, kind, sides = 1, "ball", [_as_balls(one) for one in tables]
    table = tuple(
        (prod((p for p, _ in both), start=_one(kind)), prod((q for _, q in both), start=_one(kind)))
        for both in product(*sides)
    )
    lacking = []
    for side in (0, 1):
        held, both = Ball(1), Ball(1)
        for one in tables:
            some = sum((one.one.ball((x.p, x.q)[side]) for x in one.one.finite), Ball(0))
            held *= some**one.runs
            both *= (some + (one.one.only_p, one.one.only_q)[side]) ** one.runs
        lacking.append(both - held)
    finite = tuple(LossClass(p, q, (place,)) for place, (p, q) in enumerate(table))
    return Composed(Outcomes(kind, unit, finite, *lacking), 1, table)  # type: ignore[arg-type]


def _one(kind: str) -> Any:
    return 1 if kind == "rational" else rational(1) if kind == "closed" else Ball(1)


def _as_balls(one: Composed) -> tuple[tuple[Any, Any], ...]:
    if one.one.kind == "ball":
        return one.table
    if one.one.kind == "closed":
        return tuple((p.ball(), q.ball()) for p, q in one.table)
    unit = ball(Fraction(1, one.one.unit**one.runs))
    return tuple((unit * p, unit * q) for p, q in one.table)

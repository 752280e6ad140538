"""Certified accounts: ε at δ and δ at ε of many runs on the same data, over every pair.

Each directed pair is composed on its own and enclosed from both sides; what is reported is the
largest over the pairs.  A pair whose upper ends lie certainly below another's lower ends is left
out of what follows.  The rest is composed again, more finely, until intervals are narrow enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import frexp
from operator import index
from typing import Any

import numpy as np

from dpaudit import results
from dpaudit.arithmetic import ARRAY_ERRORS
from dpaudit.audit.measure import head
from dpaudit.audit.plan import Pairs
from dpaudit.audit.room import check_room
from dpaudit.audit.workers import time_is_up
from dpaudit.errors import DomainError, LawError, ParameterError, PrecisionError, counted
from dpaudit.laws.law import largest
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.parameters import read_budget_delta, read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, Number, Real, order, real
from dpaudit.questions.account.candidates import Candidate, Given
from dpaudit.questions.account.directed_pairs import candidates
from dpaudit.questions.account.effort import DirectedPairs, check_composition
from dpaudit.questions.account.export import accounting_plan, one_size
from dpaudit.questions.account.joint import Run, joint_candidates
from dpaudit.questions.account.lattices import Effort
from dpaudit.questions.account.pair_selection import adaptive_bounds
from dpaudit.questions.account.refining import refine, verdict_of

__all__ = [
    "DEFAULT_WIDTH",
    "MAX_RUNS",
    "certified_account",
    "part_of",
    "read_accepted",
    "read_points",
    "read_rate",
    "read_runs",
    "read_width",
]

DEFAULT_WIDTH = "1e-5"
"""Default of the largest accepted width of intervals of ε."""

MAX_RUNS = 10**9
"""More runs than this are refused."""

_TINIEST = 1e-300
"""The smallest δ for which the work is planned in floats."""
_FIRST = 2  # directed pairs that show what composing takes
_FINEST = Fraction(1, 10**12)
_AT = ("at-delta", "at-eps")


@np.errstate(**ARRAY_ERRORS)
def certified_account(
    subject: Mechanism[Any],
    n: int,
    runs: int,
    *,
    at_delta: Sequence[Number] = (),
    at_eps: Sequence[Number] = (),
    sample_rate: Number | None = None,
    direction: results.Direction = "both",
    width: Number = DEFAULT_WIDTH,
    budget: results.Budget | None = None,
    adjacency: str | None = None,
    at: Any = None,
    adaptive: bool = True,
    then: Sequence[Run] = (),
    decide: bool = False,
) -> results.CertifiedAccount:
    """Return ε at each δ, and δ at each ε, of ``runs`` runs of ``subject`` on the same data.

    Args:
        subject: a mechanism of the package or a user's.
        n: the size.
        runs: how many independent runs, from 1 to :data:`MAX_RUNS`.
        at_delta: the δ, from 0 and below 1.
        at_eps: the ε, at least 0.
        sample_rate: the probability with which each record takes part in a run (Poisson); only for
            continuous noise, whose dominating pairs in both directions are known.
        direction: ``add``, ``remove`` or ``both``: the neighbours of a subsampled run.
        width: largest accepted width of an interval of ε; an interval of δ may be 100·width·δ
            wide. A percentage, such as ``"1%"``, is relative to ε, or to δ.
        budget: the budget of all runs together.
        adjacency: the neighbouring relation; by default the mechanism's own.
        at: only pairs that contain this dataset, or ``"uniform"`` data.
        adaptive: whether a bound for adaptive runs is looked for.
        then: runs of other mechanisms on the same data, after (or among) these.
        decide: whether intervals at the budget may be as wide as its verdict allows.

    Raises:
        ParameterError, DomainError, SizeError: for what is not allowed.
        LawError, PrecisionError: for laws that cannot be composed.
    """
    asked = _asked(at_delta, at_eps, budget)
    wanted, relative = read_accepted(width)
    size = one_size(n)
    runs = read_runs(runs, "compose")
    rate = None if sample_rate is None else read_rate(sample_rate)
    parts = [Run(subject, runs, rate), *(_run(one) for one in then)]
    _check_relation(parts, adjacency)
    plans = [accounting_plan(one.subject, adjacency=adjacency, at=at) for one in parts]
    together = list(zip(parts, plans, strict=True))
    plan, pairs = plans[0], [Pairs(one.subject, size, its) for one, its in together]
    effort = _effort(asked, wanted, budget if decide else None, relative=relative)
    refused: list[str] = []
    for run, its in together:
        check_room(DirectedPairs(adaptive=adaptive), run.subject, (size,), its)
    if then:
        coming = joint_candidates(parts, pairs, direction, effort)
    else:
        coming = candidates(subject, pairs[0], runs, (rate, direction), effort)
    times = 1 if then else runs  # runs of different mechanisms are one run of all of them
    ways = list[Candidate]()
    for one in coming:
        if len(ways) < _FIRST:
            name = ", ".join(run.subject.name for run in parts)
            check_composition(one, times, asked, float(wanted), name=name, pairs=pairs[0].expected)
        ways.append(one)
    interrupted, unmet = False, list[str]()
    try:
        unmet = refine(ways, times, asked, wanted, budget, decide=decide, relative=relative)
    except KeyboardInterrupt:
        interrupted = True
        refused.append(f"{_ended()}; these are the best intervals so far")
        missed = [one for one in ways if len(one.found) < len(asked)]
        if missed:
            count = f"{len(missed)} of {counted(len(ways), 'directed pair')}"
            refused.append(
                f"{count} have no interval yet; the widest possible one is assumed for them"
            )
        for one in missed:
            one.suppose(asked)
    refused += unmet
    bounds: list[Decimal | None] = [None] * len(asked)
    if adaptive and not interrupted:
        try:
            bounds = [*adaptive_bounds(together, size, asked, ways, effort)]
        except (LawError, PrecisionError) as error:
            refused.append(f"no bound for adaptive runs: {error}")
        except KeyboardInterrupt:
            interrupted = True
            refused.append(f"{_ended()} before bounds for adaptive runs were found")
    rows = tuple(_row(given, ways, up) for given, up in zip(asked, bounds, strict=True))
    about = head(subject, plan)
    del about["digits"]
    return results.CertifiedAccount(
        schema="dpaudit.account/2",
        n=size,
        pairs=pairs[0].expected,
        compose=runs,
        then=tuple(part_of(one) for one in parts[1:]),
        sample_rate=rate,
        direction=None if rate is None else direction,
        width=wanted,
        relative=relative,
        rows=rows,
        budget=budget,
        verdict=None if budget is None else _verdict(budget, rows),
        unmet=bool(unmet),
        interrupted=interrupted,
        refused=tuple(refused),
        **about,
    )


def _ended() -> str:
    """Return in words why an account was cut short."""
    return "time cap reached" if time_is_up() else "interrupted"


def _effort(
    asked: Sequence[Given], wanted: Real, decided: results.Budget | None, *, relative: bool
) -> Effort:
    """Return what the first look takes: for all that is asked, or to decide about a budget."""
    if decided is None:
        smallest = min([float(v) for kind, v in asked if kind == "delta" and float(v)] + [1e-12])
    else:
        smallest = max(float(decided.delta.ball()), _TINIEST)
    part = Fraction(float(wanted)) / 100  # of δ, given away by tails
    if not relative:
        part = min(Fraction(1, 10**6), part)
    return Effort(float(wanted), Fraction(smallest) * part, 128 + _extra_bits(smallest))


def _check_relation(parts: Sequence[Run], adjacency: str | None) -> None:
    """Refuse a relation where any run sees samples: its neighbours are those of one relation."""
    if adjacency is not None and any(one.rate is not None for one in parts):
        raise ParameterError(
            "adjacency",
            "with sampling, neighbouring datasets differ by one added or removed record, and no "
            "other relation is computed; leave adjacency out",
        )


def _asked(
    at_delta: Sequence[Number], at_eps: Sequence[Number], budget: results.Budget | None
) -> list[Given]:
    deltas, epsilons = read_points(at_delta, at_eps)
    asked: list[Given] = [("delta", delta) for delta in deltas]
    asked += [("epsilon", epsilon) for epsilon in epsilons]
    if budget is not None:
        asked.append(("epsilon", budget.epsilon))
    if not asked:
        raise ParameterError(
            "at-delta", "no ε or δ is given to compute at; give --at-delta, --at-eps or both"
        )
    return list(dict.fromkeys(asked))


def read_points(
    deltas: Iterable[Number], epsilons: Iterable[Number], names: tuple[str, str] = _AT
) -> tuple[list[Real], list[Real]]:
    """Return the δ and the ε of an account; ``DomainError`` under the ``names`` of their options.

    >>> read_points(["1e-5"], [])
    ([real('1/100000')], [])
    """
    delta_name, epsilon_name = names
    read = [read_number(epsilon, epsilon_name) for epsilon in epsilons]
    for epsilon in read:
        if epsilon.sign() is Sign.NEGATIVE:
            raise DomainError(epsilon_name, epsilon, "must be at least 0")
    return [read_budget_delta(delta, delta_name) for delta in deltas], read


def read_width(given: Number) -> Real:
    """Return how wide intervals may be; ``ParameterError`` for what is no such number."""
    number = read_number(given, "width")
    if order(number, real(_FINEST)) is Sign.NEGATIVE or (number - ONE).sign() is Sign.POSITIVE:
        raise ParameterError("width", f"width = {number}: must be from 1e-12 to 1")
    return number


def read_accepted(given: Number) -> tuple[Real, bool]:
    """Return how wide intervals may be, and whether that is a share of what they hold.

    >>> read_accepted("1%")
    (real('1/100'), True)
    """
    if isinstance(given, str) and given.rstrip().endswith("%"):
        share = read_number(given.rstrip()[:-1], "width") * real(Fraction(1, 100))
        return read_width(share), True
    return read_width(given), False


def read_runs(given: object, parameter: str) -> int:
    """Return how many runs; ``ParameterError`` for what is no such number."""
    runs = index(given) if hasattr(given, "__index__") and not isinstance(given, bool) else 0
    if not 1 <= runs <= MAX_RUNS:
        raise ParameterError(parameter, f"compose = {given}: must be from 1 to {MAX_RUNS}")
    return runs


def _run(given: object) -> Run:
    if not (isinstance(given, Run) and isinstance(given.subject, Mechanism)):
        raise ParameterError("then", "then: must be a list of dpaudit.Run(mechanism, runs, rate)")
    runs = read_runs(given.runs, "then")
    return Run(given.subject, runs, None if given.rate is None else read_rate(given.rate))


def part_of(run: Run) -> results.Part:
    """Return further runs of an account as its report has them."""
    about = head(run.subject, accounting_plan(run.subject))
    known = {name: about[name] for name in ("described", "loaded") if name in about}
    return results.Part(compose=run.runs, sample_rate=run.rate, stated=about["stated"], **known)


def read_rate(given: Number) -> Real:
    """Return the rate of samples; ``ParameterError`` for what is none."""
    number = read_number(given, "sample-rate")
    if number.sign() is not Sign.POSITIVE or (ONE - number).sign() is Sign.NEGATIVE:
        raise ParameterError(
            "sample-rate", f"sample-rate = {number}: must be greater than 0 and at most 1"
        )
    return number


def _extra_bits(smallest: float) -> int:
    """Return how many bits tinier δ take beyond those for 1e-20."""
    return max(0, -frexp(smallest)[1] - 66)


def _row(
    given: Given, candidates: list[Candidate], bound: Decimal | None
) -> results.EpsilonRow | results.DeltaRow:
    kind, value = given
    worst = max(candidates, key=lambda one: one.found[given].lower)
    low, high = worst.found[given].lower, max(one.found[given].upper for one in candidates)
    close = [(one, one.found[given].exact) for one in candidates if one.found[given].upper >= low]
    exact = [(one, known) for one, known in close if known is not None]
    if low < high and len(exact) == len(close):  # ends alone do not tell which is the largest
        worst, *doubtful = largest(exact)
        known = None if doubtful else worst.found[given].exact
    else:
        known = worst.found[given].exact if low == high else None
    interval = results.Enclosure(low, high, known)
    about: dict[str, Any] = {
        "x": worst.x,
        "y": worst.y,
        "direction": worst.direction,
        "adaptive_upper": bound,
        "method": worst.method(given),
    }
    if kind == "delta":
        return results.EpsilonRow(delta=value, epsilon=interval, **about)
    return results.DeltaRow(epsilon=value, delta=interval, **about)


def _verdict(
    budget: results.Budget, rows: Sequence[results.EpsilonRow | results.DeltaRow]
) -> results.Verdict:
    for row in rows:
        if isinstance(row, results.DeltaRow) and row.epsilon == budget.epsilon:
            return verdict_of(budget, row.delta)
    raise AssertionError("the budget has a row")

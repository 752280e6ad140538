"""Certified accounts: ε at δ and δ at ε of many runs on the same data, over every pair.

Each directed pair is composed on its own and enclosed from both sides; what is reported is the
largest over the pairs.  A pair whose upper ends lie certainly below another's lower ends is left
out of what follows.  The rest is composed again, more finely, until intervals are narrow enough.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import frexp
from typing import TYPE_CHECKING, Any

from dpaudit.accounting.candidates import (
    BITS,
    DIGITS,
    SHORT,
    Candidate,
    Given,
    both_ways,
    candidates,
    first_look,
)
from dpaudit.accounting.composition import compose, joint_bound
from dpaudit.accounting.dominating import dominating_pair, dominating_source
from dpaudit.accounting.exactly import ExactBand
from dpaudit.accounting.export import accounting_plan
from dpaudit.accounting.foreseen import DirectedPairs, check_composition
from dpaudit.accounting.lattices import Effort, composed
from dpaudit.audit.curve import privacy_curve
from dpaudit.audit.measure import head
from dpaudit.audit.plan import Pairs, read_sizes
from dpaudit.audit.room import check_room
from dpaudit.errors import LawError, ParameterError, PrecisionError, SizeError
from dpaudit.laws.law import largest
from dpaudit.mechanisms.parameters import read_budget_delta, read_number
from dpaudit.numbers.ball import Sign, certainly_less, certainly_less_or_equal, precision
from dpaudit.numbers.enclosure import Enclosure, enclose
from dpaudit.numbers.real import ONE, ZERO, Real, order, real
from dpaudit.results.accounts import CertifiedAccount, DeltaRow, EpsilonRow
from dpaudit.results.values import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.mechanisms.base import Budget, Mechanism
    from dpaudit.numbers.real import Number
    from dpaudit.results import PrivacyCurve
    from dpaudit.results.accounts import Direction

__all__ = ["DEFAULT_WIDTH", "MAX_RUNS", "certified_account"]

DEFAULT_WIDTH = "1e-5"
"""How wide intervals of ε may be if nothing else is said."""

MAX_RUNS = 10**9
"""More runs than this are refused."""

_FIRST = 2  # directed pairs that show what composing takes
_ROUNDS = 8
_NEGLIGIBLE = Decimal("1e-25")
_FINEST = Fraction(1, 10**12)


def certified_account(
    subject: Mechanism[Any],
    n: int,
    runs: int,
    *,
    at_delta: Sequence[Number] = (),
    at_eps: Sequence[Number] = (),
    sample_rate: Number | None = None,
    direction: Direction = "both",
    width: Number = DEFAULT_WIDTH,
    budget: Budget | None = None,
    adjacency: str | None = None,
    at: Any = None,
    adaptive: bool = True,
) -> CertifiedAccount:
    """Return ε at each δ, and δ at each ε, of ``runs`` runs of ``subject`` on the same data.

    Args:
        subject: a mechanism of the package or a user's.
        n: the size.
        runs: how many independent runs, from 1 to :data:`MAX_RUNS`.
        at_delta: the δ, from 0 and below 1.
        at_eps: the ε, at least 0.
        sample_rate: the probability with which each record takes part in a run (Poisson); only for
            continuous noise, whose dominating pairs in both directions are known.
        direction: ``add``, ``remove`` or ``both``: which neighbours a subsampled run is held to.
        width: how wide an interval of ε may be, and 1/100 of that of δ in proportion.
        budget: what all runs are held to.
        adjacency: the neighbouring relation; by default the mechanism's own.
        at: only pairs that contain this dataset, or ``"uniform"`` data.
        adaptive: whether a bound for adaptive runs is looked for.

    Raises:
        ParameterError, DomainError, SizeError: for what is not allowed.
        LawError, PrecisionError: for laws that cannot be composed.
    """
    asked = _asked(at_delta, at_eps, budget)
    wanted = _width(width)
    (size,) = _one_size(n)
    if isinstance(runs, bool) or not 1 <= runs <= MAX_RUNS:
        raise ParameterError("compose", f"compose = {runs}: must be from 1 to {MAX_RUNS}")
    plan = accounting_plan(subject, adjacency=adjacency, at=at)
    pairs = Pairs(subject, size, plan)
    smallest = min([float(v) for kind, v in asked if kind == "delta" and float(v)] + [1e-12])
    effort = Effort(float(wanted), Fraction(smallest) / 10**6, 128 + _extra_bits(smallest))
    refused: list[str] = []
    rate = None if sample_rate is None else _rate(sample_rate)
    check_room(DirectedPairs(adaptive=adaptive), subject, (size,), plan)
    ways = list[Candidate]()
    for one in candidates(subject, pairs, runs, (rate, direction), effort):
        if len(ways) < _FIRST:
            check_composition(
                one, runs, asked, float(wanted), name=subject.name, pairs=pairs.expected
            )
        ways.append(one)
    slack = both_ways(ways, runs)
    interrupted, unmet = False, list[str]()
    try:
        unmet = _refine(ways, runs, asked, wanted, budget)
    except KeyboardInterrupt:
        interrupted = True
        refused.append("interrupted; these are the best intervals so far")
        missed = [one for one in ways if len(one.found) < len(asked)]
        if missed:
            refused.append(f"{len(missed)} of {len(ways)} directed pairs were not looked at")
        for one in missed:
            one.suppose(asked)
    refused += unmet
    bounds: list[Decimal | None] = [None] * len(asked)
    if adaptive and not interrupted:
        try:
            bounds = _adaptive(
                lambda: privacy_curve(subject, size, plan), runs, asked, ways, effort, slack=slack
            )
        except (LawError, PrecisionError) as error:
            refused.append(f"no bound for adaptive runs: {error}")
    rows = tuple(_row(given, ways, up) for given, up in zip(asked, bounds, strict=True))
    about = head(subject, plan)
    del about["digits"]
    return CertifiedAccount(
        schema="dpaudit.account/2",
        n=size,
        pairs=pairs.expected,
        compose=runs,
        sample_rate=rate,
        direction=None if rate is None else direction,
        width=wanted,
        rows=rows,
        budget=budget,
        verdict=None if budget is None else _verdict(budget, rows),
        unmet=bool(unmet),
        interrupted=interrupted,
        refused=tuple(refused),
        **about,
    )


def _one_size(n: int) -> Sequence[int]:
    sizes = read_sizes(n)
    if len(sizes) != 1:
        raise SizeError(f"n = {n}: an account is of one size")
    return sizes


def _asked(
    at_delta: Sequence[Number], at_eps: Sequence[Number], budget: Budget | None
) -> list[Given]:
    asked: list[Given] = [("delta", read_budget_delta(delta, "at-delta")) for delta in at_delta]
    for epsilon in at_eps:
        number = read_number(epsilon, "at-eps")
        if number.sign() is Sign.NEGATIVE:
            raise ParameterError("at-eps", f"at-eps = {number}: must be at least 0")
        asked.append(("epsilon", number))
    if budget is not None:
        asked.append(("epsilon", budget.epsilon))
    if not asked:
        raise ParameterError("at-delta", "nothing is asked for; give --at-delta, --at-eps or both")
    return list(dict.fromkeys(asked))


def _width(given: Number) -> Real:
    number = read_number(given, "width")
    if order(number, real(_FINEST)) is Sign.NEGATIVE or (number - ONE).sign() is Sign.POSITIVE:
        raise ParameterError("width", f"width = {number}: must be from 1e-12 to 1")
    return number


def _rate(given: Number) -> Real:
    number = read_number(given, "sample-rate")
    if number.sign() is not Sign.POSITIVE or (ONE - number).sign() is not Sign.POSITIVE:
        raise ParameterError(
            "sample-rate", f"sample-rate = {number}: must be greater than 0 and less than 1"
        )
    return number


def _extra_bits(smallest: float) -> int:
    """Return how many bits tinier δ take beyond those for 1e-20."""
    return max(0, -frexp(smallest)[1] - 66)


def _refine(
    candidates: list[Candidate],
    runs: int,
    asked: list[Given],
    wanted: Real,
    budget: Budget | None,
) -> list[str]:
    """Compose again until intervals are narrow; return what could not be met."""
    finest = Fraction(float(wanted))
    first_look(candidates, runs, asked)
    for _ in range(_ROUNDS):
        _leave_out(candidates, asked)
        coarse = []
        for one in candidates:
            if one.left or one.exact is not None:
                continue
            ratios = {given: _excess(candidates, one, given, finest, budget) for given in asked}
            wide = [given for given, ratio in ratios.items() if ratio > 1]
            if wide:
                coarse.append((one, max(ratios.values()), wide))
        if not coarse:
            return []
        try:
            for one, ratio, wide in coarse:
                one.effort = one.effort.finer(max(1e-3, 0.7 / float(ratio)))
                one.look(runs, wide if one.moments is not None else asked)
        except PrecisionError as error:
            return [f"intervals are wider than {wanted}: {error}"]
    return [f"intervals are wider than {wanted}: the effort for less was given up"]


def _excess(
    candidates: list[Candidate],
    one: Candidate,
    given: Given,
    finest: Fraction,
    budget: Budget | None,
) -> Fraction:
    """Return by how much an interval of a pair is too wide, at most a hundred million."""
    interval = one.found[given]
    best = max(other.found[given].lower for other in candidates)
    if interval.upper < best or interval.lower == interval.upper:
        return Fraction(0)
    if interval.upper.is_infinite():
        return Fraction(100)
    allowed = finest
    if given[0] == "epsilon":
        if interval.upper < _NEGLIGIBLE:
            return Fraction(0)
        allowed = 100 * finest * Fraction(interval.upper)
    most = Fraction(interval.width) / allowed
    asked_of = budget is not None and given == ("epsilon", budget.epsilon)
    if asked_of and budget is not None and _verdict_of(budget, interval) is Verdict.UNDECIDED:
        most = max(most, Fraction(10))
    return min(most, Fraction(10**8))


def _leave_out(candidates: list[Candidate], asked: list[Given]) -> None:
    """Leave out the pairs that are certainly nowhere the worst."""
    best = {given: max(one.found[given].lower for one in candidates) for given in asked}
    for one in candidates:
        one.left = all(one.found[given].upper < best[given] for given in asked)
        if one.left:
            one.lattice = None


def _row(given: Given, candidates: list[Candidate], bound: Decimal | None) -> EpsilonRow | DeltaRow:
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
    interval = Enclosure(low, high, known)
    about: dict[str, Any] = {
        "x": worst.x,
        "y": worst.y,
        "direction": worst.direction,
        "adaptive_upper": bound,
        "method": worst.method,
    }
    if kind == "delta":
        return EpsilonRow(delta=value, epsilon=interval, **about)
    return DeltaRow(epsilon=value, delta=interval, **about)


def _adaptive(
    whole: Callable[[], PrivacyCurve],
    runs: int,
    asked: list[Given],
    candidates: list[Candidate],
    effort: Effort,
    *,
    slack: Real | None,
) -> list[Decimal | None]:
    """Return bounds from above for adaptive runs.

    One pair that dominates itself turned round bounds what adaptive runs see; ``slack`` says how
    nearly.  Else a dominating pair is made of all pairs and directions: runs may see one pair in
    one direction, then in the other.
    """
    if slack is not None:
        ways = candidates if slack == ZERO else candidates[:1]
        return [max(one.adaptive(given, slack) for one in ways) for given in asked]
    with precision(BITS):
        source = dominating_source(dominating_pair(whole()))
        short = joint_bound(source.one, runs) <= SHORT
        exact = ExactBand(compose(source.one, runs), forward=True) if short else None
        lattice = None if short else composed(source, runs, effort, above=True)
        found: list[Decimal | None] = []
        for kind, value in asked:
            if exact is not None:
                at = exact.epsilon(value)[1] if kind == "delta" else exact.mass(value).ball
            else:
                assert lattice is not None
                at = lattice.epsilon(value) if kind == "delta" else lattice.delta(value)
            upper = enclose(at, DIGITS).upper
            found.append(upper if kind == "delta" else min(upper, Decimal(1)))
        return found


def _verdict(budget: Budget, rows: Sequence[EpsilonRow | DeltaRow]) -> Verdict:
    for row in rows:
        if isinstance(row, DeltaRow) and row.epsilon == budget.epsilon:
            return _verdict_of(budget, row.delta)
    raise AssertionError("the budget has a row")


def _verdict_of(budget: Budget, delta: Enclosure) -> Verdict:
    if delta.exact is not None:
        found = order(delta.exact, budget.delta)
        if found is not Sign.UNDECIDED:
            return Verdict.EXCEEDS if found is Sign.POSITIVE else Verdict.WITHIN
    with precision(BITS):
        wanted = budget.delta.ball()
        if certainly_less_or_equal(real(delta.upper).ball(), wanted):
            return Verdict.WITHIN
        if certainly_less(wanted, real(delta.lower).ball()):
            return Verdict.EXCEEDS
    return Verdict.UNDECIDED

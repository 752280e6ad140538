"""Pairs composed again, more finely, until intervals are narrow or a verdict is told."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Sign, certainly_less, certainly_less_or_equal, precision
from dpaudit.numbers.real import Real, order, rational
from dpaudit.questions.account.candidates import BITS, NEGLIGIBLE, Candidate, Given
from dpaudit.questions.account.pair_selection import first_look
from dpaudit.results import Budget, Enclosure, Verdict

__all__ = ["refine", "verdict_of"]

_ROUNDS = 8


def refine(
    candidates: list[Candidate],
    runs: int,
    asked: list[Given],
    wanted: Real,
    budget: Budget | None,
    *,
    decide: bool = False,
    relative: bool = False,
) -> list[str]:
    """Compose again until intervals are narrow; return what could not be met.

    With ``decide`` they are narrow enough where they tell whether the budget is kept, with
    ``relative`` where they are at most the share ``wanted`` of their upper ends.
    """
    finest = Fraction(float(wanted))
    accepted = f"{100 * float(wanted):g} %" if relative else f"{wanted}"
    if decide and budget is not None and _are_bounded(candidates, runs, asked, budget):
        return []
    _aim(candidates, runs, asked, float(wanted), relative=relative)
    first_look(candidates, runs, asked)
    for _ in range(_ROUNDS):
        _leave_out(candidates, asked)
        coarse = []
        for one in candidates:
            if one.left or one.exact is not None:
                continue
            ratios = {
                given: Fraction(0)
                if decide and budget is not None and _is_decided(candidates, one, given, budget)
                else _excess(candidates, one, given, (finest, relative), budget)
                for given in asked
            }
            wide = [given for given, ratio in ratios.items() if ratio > 1]
            if wide:
                coarse.append((one, max(ratios.values()), wide))
        if not coarse:
            return []
        try:
            for one, ratio, wide in coarse:
                one.effort = one.effort.finer(max(1e-3, 0.7 / float(ratio)))
                given = wide if one.moments is not None else asked
                try:
                    one.look(runs, given)
                except PrecisionError:
                    if budget is None or not (_is_open(candidates, budget) and one.lengthen()):
                        raise
                    one.look(runs, given)
        except PrecisionError as error:
            return [f"intervals are wider than {accepted}: {error}"]
    return [
        f"intervals are wider than {accepted}: dpaudit gave up narrowing them; accept a larger "
        "--width"
    ]


def _aim(
    candidates: list[Candidate], runs: int, asked: list[Given], wanted: float, *, relative: bool
) -> None:
    """Choose how each pair is looked at first."""
    for one in candidates:
        if relative:
            one.aim(runs, asked, wanted)
        elif one.plans(asked):
            one.aim(runs, asked, 100 * wanted)


def _is_open(candidates: list[Candidate], budget: Budget) -> bool:
    """Tell whether the budget is neither kept nor exceeded for certain."""
    given = ("epsilon", budget.epsilon)
    known = [one.found[given] for one in candidates]
    together = Enclosure(max(one.lower for one in known), max(one.upper for one in known))
    return verdict_of(budget, together) is Verdict.UNDECIDED


def _are_bounded(
    candidates: list[Candidate], runs: int, asked: list[Given], budget: Budget
) -> bool:
    """Tell whether Chernoff's bounds, which take no time, show that all pairs keep a budget."""
    for one in candidates:
        one.bound(runs, asked)
    known = [one.found[given] for one in candidates for given in asked if given in one.found]
    kept = all(verdict_of(budget, interval) is Verdict.WITHIN for interval in known)
    if kept and len(known) == len(candidates) * len(asked):
        return True
    for one in candidates:
        one.found.clear()
    return False


def _is_decided(candidates: list[Candidate], one: Candidate, given: Given, budget: Budget) -> bool:
    """Tell whether more of a pair changes nothing in whether the budget is kept."""
    if given != ("epsilon", budget.epsilon):
        return False
    if verdict_of(budget, one.found[given]) is not Verdict.UNDECIDED:
        return True
    found = (verdict_of(budget, other.found[given]) for other in candidates)
    return any(verdict is Verdict.EXCEEDS for verdict in found)


def _excess(
    candidates: list[Candidate],
    one: Candidate,
    given: Given,
    finest: tuple[Fraction, bool],
    budget: Budget | None,
) -> Fraction:
    """Return by how much an interval of a pair is too wide, at most a hundred million."""
    interval = one.found[given]
    best = max(other.found[given].lower for other in candidates)
    if interval.upper < best or interval.lower == interval.upper:
        return Fraction(0)
    if interval.upper.is_infinite():
        return Fraction(100)
    allowed, relative = finest
    if relative:
        allowed = max(allowed * Fraction(interval.upper), Fraction(NEGLIGIBLE))
    elif given[0] == "epsilon":
        allowed = max(100 * allowed * Fraction(interval.upper), Fraction(NEGLIGIBLE))
    width = interval.width
    if given[0] == "epsilon" and one.direction is not None:
        # of a direction of sampled runs, what lies below the other does not matter
        width = interval.upper - max(best, interval.lower)
    most = Fraction(width) / allowed
    asked_of = budget is not None and given == ("epsilon", budget.epsilon)
    if asked_of and budget is not None and verdict_of(budget, interval) is Verdict.UNDECIDED:
        most = max(most, Fraction(10))
    return min(most, Fraction(10**8))


def _leave_out(candidates: list[Candidate], asked: list[Given]) -> None:
    """Leave out the pairs that are certainly nowhere the worst."""
    best = {given: max(one.found[given].lower for one in candidates) for given in asked}
    for one in candidates:
        one.left = all(one.found[given].upper < best[given] for given in asked)
        if one.left:
            one.lattice = None


def verdict_of(budget: Budget, delta: Enclosure) -> Verdict:
    """Return whether an interval of δ at the budget's ε keeps the budget."""
    if delta.exact is not None:
        found = order(delta.exact, budget.delta)
        if found is not Sign.UNDECIDED:
            return Verdict.EXCEEDS if found is Sign.POSITIVE else Verdict.WITHIN
    with precision(BITS):
        wanted = budget.delta.ball()
        if certainly_less_or_equal(rational(Fraction(delta.upper)).ball(), wanted):
            return Verdict.WITHIN
        if certainly_less(wanted, rational(Fraction(delta.lower)).ball()):
            return Verdict.EXCEEDS
    return Verdict.UNDECIDED

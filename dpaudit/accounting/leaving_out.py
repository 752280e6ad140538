"""Which directed pairs are looked at: those that another dominates, or that fall short, are not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter
from typing import TYPE_CHECKING

from dpaudit.accounting.candidates import DIGITS, Candidate, Given
from dpaudit.accounting.contour import ContourBand
from dpaudit.accounting.moments import ListedMoments, slack_of
from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Ball, Sign
from dpaudit.numbers.enclosure import Enclosure, enclose
from dpaudit.numbers.real import ZERO, Real, order, rational, real

if TYPE_CHECKING:
    from dpaudit.accounting.outcomes import Outcomes

__all__ = ["both_ways", "falls_short", "first_look", "slack_both_ways"]

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
    every run is dropped, and one whose bounds are below what was found is not looked at.
    """
    listed = [one for one in ways if isinstance(one.moments, ListedMoments)]
    if len(listed) > _MANY_PAIRS:
        for one in listed:
            one.effort = replace(one.effort, inflation=max(one.effort.inflation, _COARSE))
    bounded = [one for one in ways if one.moments is not None]
    if len(bounded) > _MANY_PAIRS and ("delta", ZERO) not in asked:
        for one in bounded:
            one.bound(runs, asked)
        ways.sort(key=lambda one: [-one.found[given].upper for given in asked if one.found])
        before: list[Candidate] = []
        for one in list(ways):
            if any(other.stands_for(one, runs) for other in before[-_NEAR:]):
                ways.remove(one)
            else:
                before.append(one)
    best: dict[Given, Decimal] = dict.fromkeys(asked, Decimal(0))
    for one in ways:
        if not one.found or any(one.found[given].upper >= best[given] for given in asked):
            if falls_short(one, runs, best):
                continue
            one.look(runs, asked)
        best = {given: max(best[given], one.found[given].lower) for given in asked}


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

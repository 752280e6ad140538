"""Which pairs are left out: those whose upper ends are below what was certainly found elsewhere."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import dpaudit
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import ZERO, real
from dpaudit.questions.account import pair_selection
from dpaudit.questions.account.candidates import Given

AT_HALF: Given = ("epsilon", real("1/2"))
AT_DELTA: Given = ("delta", real("1/3"))


class Pair:
    """A pair of which only what was found counts."""

    slack = ZERO

    direction = None
    is_on_lattice = False

    def __init__(self, before: Enclosure | None, after: Enclosure, moments: object = None) -> None:
        self.found = {} if before is None else {AT_HALF: before}
        self.after, self.looked, self.moments = after, False, moments

    def look(self, runs: int, asked: object, best: object = None) -> None:
        self.looked, self.found = True, {AT_HALF: self.after}


def between(low: str, high: str) -> Enclosure:
    return Enclosure(Decimal(low), Decimal(high))


def test_a_pair_that_may_be_the_worst_is_looked_at() -> None:
    """Its upper end is above what was certainly found, and below what was perhaps."""
    first = Pair(None, between("0.5", "0.7"))
    second = Pair(between("0.1", "0.6"), between("0.5", "0.55"))
    ways: Any = [first, second]
    pair_selection.first_look(ways, 1, [AT_HALF])
    assert second.looked


@pytest.mark.parametrize(
    ("most", "given", "short"),
    [
        (Ball(0.4, 0.2), AT_HALF, False),
        (Ball(0.4, 0.01), AT_HALF, True),
        (Ball(1e-9, 1e-12), AT_DELTA, True),
    ],
)
def test_a_pair_falls_short_by_its_upper_end(
    most: Ball, given: Given, short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Line:
        def __init__(self, *_: object) -> None: ...

        def at_most(self, at: float) -> Ball:
            return most

    monkeypatch.setattr(pair_selection, "ContourBand", Line)
    one: Any = Pair(None, between("0", "1"), moments=object())
    best = {given: Decimal("0.5")}
    assert pair_selection.falls_short(one, 1, best) is short
    if not short:
        return
    noted = one.found[given].upper
    at = 0.5 * pair_selection._JUST_BELOW
    assert Fraction(noted) >= (Fraction(at) if given == AT_DELTA else Fraction(41, 100))
    one.found = {given: between("0", "0.42")}
    assert pair_selection.falls_short(one, 1, best)
    assert one.found[given].upper == min(noted, Decimal("0.42"))


@pytest.mark.parametrize(
    ("name", "given"),
    [("kRR", {"k": 3}), ("LSHist", {"n": 4}), ("RR", {}), ("Laplace", {"scale": 2})],
)
def test_adaptive_runs_lose_no_more_where_one_pair_dominates(
    name: str, given: dict[str, Any]
) -> None:
    """The worst pair dominates all others here, so that seeing earlier outputs gives nothing."""
    for row in dpaudit.account(name, compose=3, at_eps=["1/2", "1"], **given).rows:
        assert row.adaptive_upper is not None
        assert row.delta.lower <= row.adaptive_upper <= row.delta.upper * (1 + Decimal("1e-9"))

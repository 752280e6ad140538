"""Functions of accounts that round, hit on their own with numbers at which the rounding shows."""

from decimal import Decimal
from fractions import Fraction
from math import nextafter
from typing import Any

import pytest

from dpaudit.api.plans import mechanism
from dpaudit.audit.plan import Pairs
from dpaudit.laws.law import Atom
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.numbers.ball import Ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import rational
from dpaudit.questions.account import candidates, dominating, refining
from dpaudit.questions.account.comparison import float_below
from dpaudit.questions.account.dominating import DominatingPair, Edge, adaptive_upper, on_a_grid
from dpaudit.questions.account.export import (
    _place,
    accounting_plan,
    dominating_distribution,
    pair_distribution,
)
from dpaudit.questions.account.joint import Run, joint_candidates
from dpaudit.questions.account.lattices import Effort
from dpaudit.results.values import Verdict
from tests.accounting.random import convolved, hockey_stick

EFFORT = Effort(0.3, Fraction(1, 10**6))


def test_a_bound_on_the_grid_is_an_upper_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dominating, "EXACT_LIMIT", 0)
    monkeypatch.setattr(dominating, "GRID_POINTS", 5000)
    pair = DominatingPair(3, (Edge(5, 2), Edge(2, 3), Edge(1, 3)))
    masses = [(Fraction(e.p, 8), Fraction(e.q, 8)) for e in pair.edges]
    orders = [Fraction(1), Fraction(3, 2), Fraction(7, 2)]
    for digits in (1, 2, 3):  # so few that an end rounded the wrong way is far off
        bounds = adaptive_upper(pair, 3, [rational(order).ln() for order in orders], digits)
        for order, bound in zip(orders, bounds, strict=True):
            truth = hockey_stick(convolved(masses, 3), order)
            assert truth <= Fraction(bound) <= truth + Fraction(2, 10**digits)


def test_masses_finer_than_the_grid_are_rounded_up() -> None:
    bits = dominating._GRID_BITS + 2
    unit = 1 << bits
    pair = DominatingPair(bits, (Edge(unit - 1, unit // 3), Edge(1, unit - unit // 3)))
    grid = on_a_grid(pair, 1)
    held = [Fraction(mass, 1 << grid.bits) for mass in grid.masses if mass]
    assert held == [Fraction(1, 1 << grid.bits), Fraction(1)]


def test_the_mass_of_infinite_loss_is_handed_over_rounded_up() -> None:
    bits = 60
    unit, lost = 1 << bits, (1 << 58) + 1  # the float next to it is below it
    pair = DominatingPair(bits, (Edge(lost, 0), Edge(unit - lost, unit)))
    given = dominating_distribution(pair, 1e-3)._pmf_remove._infinity_mass
    assert float(Fraction(lost, unit)) < Fraction(given) <= Fraction(lost + 100, unit)


def test_runs_of_two_kinds_have_their_largest_loss_between_what_is_noted_of_it() -> None:
    """An irrational sum, which no decimal is."""
    parts = [Run(mechanism("RR", epsilon="sqrt(2)"), 1), Run(mechanism("RR", epsilon="1/7"), 3)]
    pairs = [Pairs(one.subject, 1, accounting_plan(one.subject)) for one in parts]
    found: list[Any] = list(joint_candidates(parts, pairs, "both", EFFORT))
    assert found
    for one in found:
        with precision(candidates.BITS):
            low, high = lower_fraction(one.most.ball()), upper_fraction(one.most.ball())
        assert Fraction(one.attained) < low < high < Fraction(one.cap)
        assert Fraction(one.cap) - Fraction(one.attained) < Fraction(1, 10**14)


def test_losses_known_to_eight_bits_go_up_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = DominatingPair(5, (Edge(20, 7), Edge(9, 10), Edge(3, 15)))
    masses = [(Fraction(e.p, 32), Fraction(e.q, 32)) for e in pair.edges]
    monkeypatch.setattr(dominating, "precision", lambda bits: precision(8))
    grid = on_a_grid(pair, 1)
    with precision(200):
        for order in (Fraction(1, 2), Fraction(1), Fraction(2)):
            truth = hockey_stick(masses, order)
            assert truth <= lower_fraction(grid.upper(rational(order).ln())) <= truth * 2


def test_a_loss_has_a_place_whose_float_is_not_below_it() -> None:
    for loss in (Ball(1, 0.1), Ball(-1, 0.1), Ball(0.3, 1e-3)):
        place = _place(loss, 1e-3)
        assert upper_fraction(loss) <= Fraction(place * 1e-3)
        assert Fraction((place - 2) * 1e-3) < upper_fraction(loss)


def test_mass_that_may_be_missing_counts_as_missing() -> None:
    class Rough:
        def atoms(self, *, forward: bool) -> list[Atom]:
            masses = [(Ball(0.5, 0.01), Ball(0.25)), (Ball(0.5, 0.01), Ball(0.75))]
            return [
                Atom(*((p, q) if forward else (q, p)), key) for key, (p, q) in enumerate(masses)
            ]

    rough: Any = Rough()
    lost = pair_distribution(rough, 1e-3).get_delta_for_epsilon(30.0)
    assert lost == pytest.approx(0.02, abs=1e-3)


def test_the_float_of_an_epsilon_just_below_a_float_is_the_one_before() -> None:
    assert float_below(rational(1 - Fraction(1, 1 << 200))) == nextafter(1.0, 0.0)


def test_a_pair_that_may_be_the_worst_is_looked_at_again() -> None:
    given = ("epsilon", rational(1))

    def one(low: str, high: str) -> candidates.Candidate:
        made = candidates.Candidate(0, 1, None, None, None, None, EFFORT)
        made.found[given] = Enclosure(Decimal(low), Decimal(high))
        return made

    pairs = [one("0.3", "0.4"), one("0.1", "0.35"), one("0.1", "0.2")]
    refining._leave_out(pairs, [given])
    assert [pair.left for pair in pairs] == [False, False, True]


def test_a_delta_is_narrow_enough_beside_its_upper_end() -> None:
    given = ("epsilon", rational(1))
    made = candidates.Candidate(0, 1, None, None, None, None, EFFORT)
    finest = Fraction(1, 10**5)
    for high, enough in (("1.0010005e-12", True), ("1.0010015e-12", False)):
        made.found[given] = Enclosure(Decimal("1e-12"), Decimal(high))
        assert (refining._excess([made], made, given, (finest, False), None) <= 1) is enough


def test_a_budget_inside_of_an_interval_is_neither_kept_nor_exceeded() -> None:
    budget = read_budget(["1", "1/4"])
    verdicts = {
        ("0.1", "0.2"): Verdict.WITHIN,
        ("0.1", "0.25"): Verdict.WITHIN,
        ("0.2", "0.3"): Verdict.UNDECIDED,
        ("0.25", "0.3"): Verdict.UNDECIDED,
        ("0.3", "0.4"): Verdict.EXCEEDS,
    }
    for (low, high), expected in verdicts.items():
        assert refining.verdict_of(budget, Enclosure(Decimal(low), Decimal(high))) is expected

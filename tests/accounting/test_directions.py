"""Accounts computed with so few bits that every rounding shows, held to exact convolutions."""

import importlib
import pkgutil
import random
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from math import log
from typing import Any

import pytest

import dpaudit.questions.account
from dpaudit.api.plans import mechanism
from dpaudit.audit.plan import Pairs
from dpaudit.laws.shifted import LaplaceDivergence
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers.ball import Ball, ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import ZERO, rational, real
from dpaudit.questions.account import (
    candidates,
    certified,
    directed_pairs,
    moments,
    pair_selection,
    sources,
)
from dpaudit.questions.account.certified import certified_account
from dpaudit.questions.account.composition import Composed
from dpaudit.questions.account.exact import ExactBand
from dpaudit.questions.account.export import accounting_plan
from dpaudit.questions.account.lattices import Effort
from dpaudit.questions.account.outcomes import LossClass, Outcomes, unit_vectors
from dpaudit.results.accounts import CertifiedAccount, EpsilonRow
from tests.accounting.random import convolved, hockey_stick

BITS = 22
DELTAS = [Fraction(1, 3), Fraction(1, 50), Fraction(1, 1000)]
ORDERS = [Fraction(1), Fraction(13, 10), Fraction(4)]
WAYS = ("exact", "lattice", "contour")


@pytest.fixture
def few_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing in accounts compute with more than :data:`BITS` bits."""
    for info in pkgutil.iter_modules(dpaudit.questions.account.__path__):
        module = importlib.import_module(f"dpaudit.questions.account.{info.name}")
        if hasattr(module, "precision"):
            monkeypatch.setattr(module, "precision", lambda bits: precision(min(bits, BITS)))
    monkeypatch.setattr(certified, "_extra_bits", lambda smallest: BITS - 128)


def _laws(dice: random.Random, datasets: int) -> list[list[Fraction]]:
    count = dice.randint(2, 4)
    found = []
    for _ in range(datasets):
        weights = [dice.choice([0, 1, 2, 3, 5, 8, 40]) for _ in range(count)]
        weights[0] = weights[0] or 1
        found.append([Fraction(one, sum(weights)) for one in weights])
    return found


def _subject(laws: list[list[Fraction]]) -> Any:
    @finite_mechanism(budget="1", datasets=range(len(laws)), neighbours="all")
    def one(x: int) -> dict[int, Fraction]:
        return {place: mass for place, mass in enumerate(laws[x]) if mass}

    return one


def _account(seed: int) -> tuple[CertifiedAccount, list[list[tuple[Fraction, Fraction]]]]:
    dice = random.Random(seed)
    laws, runs = _laws(dice, dice.randint(2, 4)), dice.randint(2, 6)
    if seed % 4 == 1:  # a pair that dominates itself turned round
        laws = [laws[0], laws[0][::-1]]
    joint = [convolved(list(zip(p, q, strict=True)), runs) for p, q in permutations(laws, 2)]
    found = certified_account(
        _subject(laws),
        1,
        runs,
        at_delta=DELTAS,
        at_eps=[rational(order).ln() for order in ORDERS],
        width="1/2",
    )
    return found, joint


def _wrong(found: CertifiedAccount, joint: list[list[tuple[Fraction, Fraction]]]) -> bool:
    """Tell whether an interval does not contain the largest value over the pairs."""

    def largest(order: Fraction) -> Fraction:
        return max(hockey_stick(one, order) for one in joint)

    orders = iter(ORDERS)
    for row in found.rows:
        if not isinstance(row, EpsilonRow):
            truth = largest(next(orders))
            bounds = [row.delta.upper, row.adaptive_upper or row.delta.upper]
            if Fraction(row.delta.lower) > truth or any(Fraction(x) < truth for x in bounds):
                return True
            continue
        delta = row.delta.as_fraction()
        assert delta is not None
        with precision(400):
            for end in (row.epsilon.upper, row.adaptive_upper):
                if end is not None and end.is_finite():
                    order = upper_fraction(ball(Fraction(end)).exp())
                    if largest(order) > delta:
                        return True
            low = row.epsilon.lower
            order = Fraction(10) ** 50
            if low.is_finite():
                order = lower_fraction(ball(Fraction(low)).exp())
            if low > 0 and largest(order) < delta:
                return True
    return False


@pytest.mark.parametrize("way", WAYS)
def test_every_way_contains_the_truth_with_few_bits(
    way: str, few_bits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way != "exact":
        monkeypatch.setattr(directed_pairs, "SHORT", 0)
        monkeypatch.setattr(pair_selection, "SHORT", 0)
        monkeypatch.setattr(sources, "JOINT", 1 if way == "contour" else 4)
    methods: list[str] = []
    for seed in range(8):
        found, joint = _account(seed)
        assert not _wrong(found, joint), seed
        methods += [row.method for row in found.rows]
    assert methods.count(way) > len(methods) / 5


@pytest.mark.parametrize("way", ["exact", "lattice"])
def test_slack_goes_to_the_side_of_a_bound(
    way: str, few_bits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pair that dominates another but for η bounds its ε at δ by its own at δ − η."""
    if way == "lattice":
        monkeypatch.setattr(directed_pairs, "SHORT", 0)
        monkeypatch.setattr(sources, "JOINT", 4)
    slack, asked = rational(Fraction(1, 100)), [("delta", rational(Fraction(1, 20)))]
    asked.append(("epsilon", rational(Fraction(13, 10)).ln()))
    for seed in range(8):
        dice = random.Random(seed)
        laws, runs = _laws(dice, 2), dice.randint(2, 6)
        subject = _subject(laws)
        pairs = Pairs(subject, 1, accounting_plan(subject))
        effort = Effort(0.3, Fraction(1, 10**6), BITS)
        (one, _) = directed_pairs.candidates(subject, pairs, runs, (None, "both"), effort)
        one.moments = None
        one.look(runs, asked)
        joint = convolved(list(zip(*laws, strict=True)), runs)
        epsilon, delta = (one.adaptive(given, slack) for given in asked)
        truth = hockey_stick(joint, ORDERS[1]) + Fraction(1, 100)
        assert Fraction(delta) >= min(Fraction(1), truth)
        if epsilon.is_finite():
            with precision(400):
                order = upper_fraction(ball(Fraction(epsilon)).exp())
            assert hockey_stick(joint, order) <= Fraction(1, 25)


def test_no_end_falls_short_of_what_tiny_deltas_leave(few_bits: None) -> None:
    """At a tiny δ, ε is next to the largest loss, whose upper end it is held to."""
    laws = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    (row,) = certified_account(_subject(laws), 1, 3, at_delta=["1e-12"], width="1/2").rows
    assert isinstance(row, EpsilonRow)
    with precision(400):
        order = upper_fraction(ball(Fraction(row.epsilon.upper)).exp())
    joint = convolved(list(zip(*laws, strict=True)), 3)
    assert hockey_stick(joint, order) <= Fraction(1, 10**12)


def test_masses_that_are_known_as_balls_go_to_their_sides() -> None:
    """Every law within the balls has its ε between both ends."""
    masses = [(0.6, 0.2), (0.4, 0.8)]
    finite = tuple(
        LossClass(Ball(p, 1e-3), Ball(q, 1e-3), (place,)) for place, (p, q) in enumerate(masses)
    )
    table = tuple((one.p, one.q) for one in finite)
    joint = Composed(Outcomes("ball", 1, finite, Ball(0), Ball(0)), 1, table)
    low, high = ExactBand(joint, True).epsilon(rational(Fraction(1, 10)))
    assert float(low) <= log(0.499 / 0.201) + 1e-12
    assert float(high) >= log(0.501 / 0.199) - 1e-12
    assert float(high) - float(low) < 0.1


def test_pairs_that_nearly_dominate_others_stand_for_them_with_what_that_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(directed_pairs, "SHORT", 0)
    monkeypatch.setattr(sources, "JOINT", 1)
    monkeypatch.setattr(pair_selection, "_MANY_PAIRS", 1)
    monkeypatch.setattr(moments, "_CLOSE", 9)
    for seed in range(8):
        assert not _wrong(*_account(seed)), seed


@pytest.mark.parametrize(
    ("first", "second", "step"),
    [
        ([29, 32, 39], [25, 25, 50], "1/10"),  # neighbours that are merged; one law is exact
        ([250, 250, 500], [220, 192, 588], "1/10"),  # the other law is exact
        ([37, 91], [32, 96], "73/500"),  # both are exact; a loss just below a point
    ],
)
def test_masses_rounded_to_eight_bits_go_to_the_side_of_their_lattice(
    first: list[int], second: list[int], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "precision", lambda bits: precision(8))
    finite = tuple(map(LossClass, first, second, unit_vectors(len(first))))
    one = sources.Listed(Outcomes("rational", sum(first), finite, Ball(0), Ball(0)), True)
    truth = Fraction(sum(max(p - q, 0) for p, q in zip(first, second, strict=True)), sum(first))
    tails = (Fraction(0), Fraction(0))
    low, high = (
        one.block(1, Fraction(step), tails, 64, above=above).delta(ZERO) for above in (False, True)
    )
    assert upper_fraction(low) <= truth <= lower_fraction(high)
    assert upper_fraction(high) - lower_fraction(low) < Fraction(1, 10)


def test_the_largest_loss_is_between_what_is_noted_of_it() -> None:
    subject = _subject([[Fraction(3, 4), Fraction(1, 4)], [Fraction(2, 3), Fraction(1, 3)]])
    pairs = Pairs(subject, 1, accounting_plan(subject))
    effort = Effort(0.3, Fraction(1, 10**6))
    found = list(directed_pairs.candidates(subject, pairs, 7, (None, "both"), effort))
    law, rate = LaplaceDivergence(real(1)), real("1/10")
    sampled = [(mechanism("Laplace"), 7, rate, law)]
    with precision(candidates.BITS):
        found += directed_pairs.sampled_candidates(sampled, "both", effort)
    assert len(found) == 4
    for one in found:
        assert one.most is not None
        with precision(400):
            largest = one.most.ball()
            low, high = lower_fraction(largest), upper_fraction(largest)
        assert Fraction(one.attained) <= high
        assert low <= Fraction(one.cap)
        assert Fraction(one.cap) - Fraction(one.attained) < Fraction(1, 10**14)


def test_a_value_is_not_exact_while_another_pair_may_exceed_it() -> None:
    given = ("epsilon", real(1))

    def one(low: str, high: str, known: Any = None) -> candidates.Candidate:
        made = candidates.Candidate(0, 1, None, None, None, None, Effort(1e-3, Fraction(1, 10**6)))
        made.found[given] = Enclosure(Decimal(low), Decimal(high), known)
        return made

    row = certified._row(given, [one("0.33", "0.34", real("1/3")), one("0.32", "0.35")], None)
    assert not isinstance(row, EpsilonRow)
    assert row.delta == Enclosure(Decimal("0.33"), Decimal("0.35"))

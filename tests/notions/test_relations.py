"""What holds between notions: order, processing, composition, conversions."""

import itertools
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.laws.losses import Losses
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import ZERO
from tests.enclosing import ends
from tests.notions.test_measures import Pair, explicit, laws, losses, mu, rho

SLACK = Fraction(1, 10**30)


@given(laws(), st.lists(st.fractions(2, 40, max_denominator=8), min_size=2, max_size=4))
@settings(max_examples=40, deadline=None)
def test_renyi_grows_with_the_order_from_kl_to_the_largest_loss(
    pair: Pair, orders: list[Fraction]
) -> None:
    p, q = pair
    with precision(160):
        found = losses(p, q)
        largest = explicit(p).divergence_from(explicit(q)).max_loss(forward=True).ball
        chain = [found.kullback_leibler(), *(found.renyi(a) for a in sorted(orders)), largest]
        for lower, upper in itertools.pairwise(chain):
            assert ends(lower)[0] <= ends(upper)[1] + SLACK


@given(laws(), st.data())
@settings(max_examples=40, deadline=None)
def test_processing_never_adds_to_anything(pair: Pair, data: st.DataObject) -> None:
    """Outputs are merged by a random map onto fewer."""
    p, q = pair
    labels = [data.draw(st.integers(0, 2)) for _ in p]
    merged: Pair = ([Fraction(0)] * 3, [Fraction(0)] * 3)
    for label, a, b in zip(labels, p, q, strict=True):
        merged[0][label] += a
        merged[1][label] += b
    with precision(160):
        before, after = losses(p, q), losses(*merged)
        assert ends(after.kullback_leibler())[0] <= ends(before.kullback_leibler())[1] + SLACK
        order = Fraction(5, 2)
        assert ends(after.renyi(order))[0] <= ends(before.renyi(order))[1] + SLACK
        assert ends(rho(*merged).ball)[0] <= ends(rho(p, q).ball)[1] + SLACK
        assert ends(mu(*merged))[0] <= ends(mu(p, q))[1] + SLACK


@given(laws(outputs=4), laws(outputs=3))
@settings(max_examples=30, deadline=None)
def test_divergences_of_independent_pairs_add_up(first: Pair, second: Pair) -> None:
    p = [a * b for a in first[0] for b in second[0]]
    q = [a * b for a in first[1] for b in second[1]]
    with precision(160):
        for order in (Fraction(3, 2), Fraction(4)):
            both = losses(p, q).renyi(order)
            apart = losses(*first).renyi(order) + losses(*second).renyi(order)
            assert abs(ends(both - apart)[0]) < SLACK
        together = ends(rho(p, q).ball)[0]
        assert together <= ends(rho(*first).ball)[1] + ends(rho(*second).ball)[1] + SLACK


@given(laws())
@settings(max_examples=40, deadline=None)
def test_conversions_between_notions(pair: Pair) -> None:
    """ε-DP gives ε²/2-zCDP; Pinsker; μ-GDP gives μ²/2-zCDP; TV ≤ 2Φ(μ/2) − 1 ≤ μ/√(2π)."""
    p, q = pair
    with precision(160):
        versus = explicit(p).divergence_from(explicit(q))
        epsilon = max(ends(versus.max_loss(forward=way).ball)[1] for way in (True, False))
        tv = versus.hockey_stick(ZERO, forward=True).ball
        kl = losses(p, q).kullback_leibler()
        concentrated, gaussian = rho(p, q).ball, mu(p, q)
        assert ends(concentrated)[0] <= epsilon**2 / 2 + SLACK
        assert 2 * ends(tv)[0] ** 2 <= ends(kl)[1] + SLACK
        assert ends(concentrated)[0] <= ends(gaussian)[1] ** 2 / 2 + SLACK
        assert ends(tv)[0] <= ends(gaussian)[1] * Fraction(39895, 100000) + SLACK


@given(laws())
@settings(max_examples=30, deadline=None)
def test_losses_are_one_list_read_both_ways(pair: Pair) -> None:
    p, q = pair
    with precision(160):
        there = Losses.of(explicit(p).divergence_from(explicit(q)), forward=False)
        assert there.exact == losses(q, p).exact

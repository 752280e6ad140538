"""What is measured of two finite laws, against the definitions in mpmath."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.losses import Losses, exact_kullback_leibler, exact_renyi
from dpaudit.laws.tradeoff import gaussian_fit
from dpaudit.numbers.ball import Ball, certainly_less, precision
from dpaudit.numbers.real import real
from dpaudit.questions.notion.concentrated import Supremum, concentrated
from tests.campaigns import part
from tests.enclosing import assert_encloses, ends, width_of
from tests.notions import oracle

TIGHT = Fraction(1, 10**25)

Pair = tuple[list[Fraction], list[Fraction]]


@st.composite
def laws(draw: st.DrawFn, *, outputs: int = 6, largest: int = 60) -> Pair:
    """Two laws on the same outputs; where a mass is 0, on both sides."""
    size = draw(st.integers(2, outputs))
    weights = st.lists(st.integers(1, largest), min_size=size, max_size=size)
    p, q = draw(weights), draw(weights)
    return [Fraction(w, sum(p)) for w in p], [Fraction(w, sum(q)) for w in q]


def explicit(masses: list[Fraction]) -> ExplicitLaw:
    return ExplicitLaw({index: real(mass) for index, mass in enumerate(masses)})


def losses(p: list[Fraction], q: list[Fraction], *, forward: bool = True) -> Losses:
    return Losses.of(explicit(p).divergence_from(explicit(q)), forward=forward)


def rho(p: list[Fraction], q: list[Fraction], **given_: Any) -> Supremum:
    return concentrated(losses(p, q), Fraction(1, 10**30), **given_)


def mu(p: list[Fraction], q: list[Fraction]) -> Ball:
    return gaussian_fit(losses(p, q), losses(p, q, forward=False)).ball


@given(laws(), st.fractions(min_value=Fraction(11, 10), max_value=30, max_denominator=12))
@settings(max_examples=60, deadline=None)
def test_renyi_is_the_definition(pair: Pair, order: Fraction) -> None:
    with precision(160), mp.workdps(oracle.DIGITS):
        found = losses(*pair)
        truth = oracle.renyi(*pair, order)
        assert_encloses(found.renyi(order), truth, width=TIGHT)
        if order.denominator <= 3 and order <= 8:
            assert found.exact is not None
            exact = exact_renyi(found.exact, order)
            assert exact is not None
            assert_encloses(exact.ball(), truth, width=TIGHT)


@given(laws())
@settings(max_examples=60, deadline=None)
def test_kl_is_the_definition_in_balls_and_in_closed_form(pair: Pair) -> None:
    with precision(160), mp.workdps(oracle.DIGITS):
        found = losses(*pair)
        assert found.exact is not None
        truth = oracle.kl(*pair)
        assert_encloses(found.kullback_leibler(), truth, width=TIGHT)
        assert_encloses(exact_kullback_leibler(found.exact).ball(), truth, width=TIGHT)


ORDERS = [
    *(1 + Fraction(k, 64) for k in range(1, 256)),
    *(Fraction(k, 4) for k in range(20, 400)),
    *(Fraction(10**k) for k in range(2, 5)),
]


@given(laws())
@settings(max_examples=part(40, 10), deadline=None)
def test_no_order_exceeds_the_supremum_and_one_attains_it(pair: Pair) -> None:
    p, q = pair
    with precision(160), mp.workdps(oracle.DIGITS):
        found = rho(p, q)
        if p == q:
            assert_encloses(found.ball, Fraction(0), width=TIGHT)
            return
        assert width_of(found.ball) <= TIGHT
        lower, upper = ends(found.ball)
        assert oracle.supremum_on(p, q, ORDERS) <= oracle.mp_of(upper)
        assert oracle.kl(p, q) <= oracle.mp_of(upper) + mpf(10) ** -40
        assert found.order is not None
        there = (
            oracle.kl(p, q)
            if found.order == 1
            else oracle.renyi(p, q, found.order) / oracle.mp_of(found.order)
        )
        assert there >= oracle.mp_of(lower) - mpf(10) ** -28


def test_a_supremum_between_orders_is_found() -> None:
    """A rare output with a large loss: the best order is neither 1 nor large."""
    p = [Fraction(1, 1000), Fraction(999, 1000)]
    q = [Fraction(1, 100000), Fraction(99999, 100000)]
    with precision(200), mp.workdps(oracle.DIGITS):
        found = rho(p, q)
        assert found.order is not None
        assert 1 < found.order < 100
        assert not found.at_one
        best = mp.findroot(
            lambda a: mp.diff(
                lambda b: (
                    mp.log(
                        sum(
                            oracle.mp_of(x) ** b * oracle.mp_of(y) ** (1 - b)
                            for x, y in zip(p, q, strict=True)
                        )
                    )
                    / (b * (b - 1))
                ),
                a,
            ),
            float(found.order),
        )
        truth = oracle.renyi(p, q, Fraction(str(mp.nstr(best, 40)))) / best
        assert_encloses(found.ball, truth, width=TIGHT, slack=Fraction(1, 10**28))


@given(laws(outputs=5))
@settings(max_examples=30, deadline=None)
def test_a_floor_never_hides_a_larger_value(pair: Pair) -> None:
    p, q = pair
    with precision(128):
        truth = rho(p, q).ball
        low, high = ends(truth)
        for floor in (low / 2, low, 2 * high + 1):
            rough = concentrated(losses(p, q), None, floor=real(floor).ball())
            assert ends(rough.ball)[0] <= high
            assert ends(rough.ball)[1] >= low


@given(laws())
@settings(max_examples=part(60, 15), deadline=None)
def test_gaussian_fit_is_the_worst_of_all_events(pair: Pair) -> None:
    p, q = pair
    with precision(160), mp.workdps(oracle.DIGITS):
        found = gaussian_fit(losses(p, q), losses(p, q, forward=False))
        assert_encloses(found.ball, oracle.gaussian(p, q), width=TIGHT)
        assert_encloses(mu(q, p), oracle.gaussian(p, q), width=TIGHT)
        if p != q:
            assert found.type_one is not None
            assert found.type_two is not None
            slack = Fraction(1, 10**30)
            assert abs(oracle.tradeoff(p, q, found.type_one) - found.type_two) < slack


@given(laws(largest=2))
@settings(max_examples=40, deadline=None)
def test_ratios_that_tie_are_no_trouble_at_low_precision(pair: Pair) -> None:
    """At 40 bits a third is rounded, and equal ratios come in any order."""
    p, q = pair
    with mp.workdps(oracle.DIGITS):
        truth = oracle.gaussian(p, q)
        with precision(40):
            found = mu(p, q)
        assert_encloses(found, truth, width=Fraction(1, 10**6))


def test_an_output_of_one_side_only_is_infinite_in_every_notion() -> None:
    p = [Fraction(1, 2), Fraction(1, 2), Fraction(0)]
    q = [Fraction(1, 2), Fraction(0), Fraction(1, 2)]
    with precision(100):
        found = losses(p, q)
        assert found.infinite
        assert found.impossible == 1
        values = [found.kullback_leibler(), found.renyi(Fraction(2)), rho(p, q).ball, mu(p, q)]
        for value in values:
            assert value.is_exact()
            assert not value.is_finite()
            assert certainly_less(Ball(10) ** 100, value)


@pytest.mark.parametrize("tiny", [Fraction(1, 10**30), Fraction(1, 10**400)])
def test_tails_beyond_floats_are_kept(tiny: Fraction) -> None:
    p = [tiny, 1 - tiny]
    q = [3 * tiny, 1 - 3 * tiny]
    with precision(200), mp.workdps(460):
        truth = oracle.gaussian(p, q)
        found = mu(p, q)
        assert_encloses(found, truth, width=Fraction(1, 10**10), slack=Fraction(1, 10**30))

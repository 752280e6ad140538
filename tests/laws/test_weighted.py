"""Weighted laws against a plain sum over their outputs in mpmath."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpaudit.laws.weighted import WeightedLaw
from dpaudit.numbers.ball import Ball, PrecisionNeeded, ball, precision
from dpaudit.numbers.real import real
from tests.enclosing import assert_encloses, overlap
from tests.oracles.setting import DIGITS

NARROW = Fraction(1, 10**40)
WEIGHTS = st.fractions(-30, 5, max_denominator=20)
Weights = dict[int, Fraction]


def straightforward(weights: Weights) -> dict[int, mpf]:
    with mp.workdps(DIGITS):
        masses = {r: mp.exp(mpf(w.numerator) / w.denominator) for r, w in weights.items()}
        total = mp.fsum(masses.values())
        return {r: mass / total for r, mass in masses.items()}


def law_of(weights: Weights, space: list[int] | None = None) -> WeightedLaw:
    listed = list(weights) if space is None else space
    return WeightedLaw(listed, [ball(weights[r]) for r in listed])


def check(left: Weights, right: Weights, epsilon: Fraction, *, shared: bool) -> None:
    p, q = straightforward(left), straightforward(right)
    with precision(256), mp.workdps(DIGITS):
        one = law_of(left)
        other = law_of(right, one.space if shared else None)  # type: ignore[arg-type]
        divergence = one.divergence_from(other)
        for forward, (top, bottom) in ((True, (p, q)), (False, (q, p))):
            loss = divergence.max_loss(forward=forward)
            if any(r not in bottom for r in top):
                assert loss.infinite
                assert loss.output in top
                assert loss.output not in bottom
            else:
                truth = max(mp.log(top[r] / bottom[r]) for r in top)
                assert_encloses(loss.ball, truth, width=NARROW)
                again = divergence.loss_at(loss.output, forward=forward)
                assert overlap(again.ball, loss.ball)
                assert_encloses(again.ball, truth, width=NARROW)
            factor = mp.exp(mpf(epsilon.numerator) / epsilon.denominator)
            delta = mp.fsum(max(m - factor * bottom.get(r, 0), mpf(0)) for r, m in top.items())
            stick = divergence.hockey_stick(real(epsilon), forward=forward)
            assert_encloses(stick.ball, delta, width=NARROW)
            atoms = list(divergence.atoms(forward=forward))
            assert [atom.output for atom in atoms] == list(top if not shared else p)
            for atom in atoms:
                assert isinstance(atom.output, int)
                assert_encloses(atom.p, top[atom.output], width=NARROW)
                assert_encloses(atom.q, bottom.get(atom.output, mpf(0)), width=NARROW)
            assert_encloses(sum((a.p for a in atoms), ball(0)), Fraction(1), width=NARROW)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(WEIGHTS, WEIGHTS), min_size=1, max_size=8),
    st.fractions(-3, 6, max_denominator=10),
)
def test_laws_over_one_space(pairs: list[tuple[Fraction, Fraction]], epsilon: Fraction) -> None:
    left = {i: w for i, (w, _) in enumerate(pairs)}
    right = {i: w for i, (_, w) in enumerate(pairs)}
    check(left, right, epsilon, shared=True)
    check(left, right, epsilon, shared=False)


@settings(max_examples=60)
@given(
    st.dictionaries(st.integers(0, 5), WEIGHTS, min_size=1),
    st.dictionaries(st.integers(0, 5), WEIGHTS, min_size=1),
    st.fractions(-3, 6, max_denominator=10),
)
def test_laws_over_different_spaces(left: Weights, right: Weights, epsilon: Fraction) -> None:
    if left.keys() != right.keys():
        check(left, right, epsilon, shared=False)


def test_the_same_outputs_in_another_order_are_matched() -> None:
    weights = {0: Fraction(1), 1: Fraction(2), 2: Fraction(-1)}
    one, other = law_of(weights), law_of(weights, [2, 0, 1])
    loss = one.divergence_from(other).max_loss(forward=True)
    assert_encloses(loss.ball, Fraction(0), width=Fraction(1, 10**10))


def test_a_single_wrong_output_is_the_witness() -> None:
    weights = {r: Fraction(0) for r in range(50)}
    with precision(128):
        divergence = law_of(weights | {17: Fraction(1)}).divergence_from(law_of(weights))
        assert divergence.max_loss(forward=True).output == 17
        assert divergence.max_loss(forward=False).output != 17


def test_outputs_outside_the_space() -> None:
    law = law_of({0: Fraction(1), 1: Fraction(2)})
    assert law.probability(5).ball.is_zero()
    assert law.log_probability(5) is None
    assert law.output_count() == 2
    with pytest.raises(ValueError, match="is not"):
        law.divergence_from(law).loss_at(5, forward=True)


@pytest.mark.parametrize("weights", [[Ball("nan"), ball(0)], [Ball(0, 10**30)]])
def test_an_unknown_normaliser_asks_for_precision(weights: list[Ball]) -> None:
    with pytest.raises(PrecisionNeeded):
        WeightedLaw(range(len(weights)), weights)

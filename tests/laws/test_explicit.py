"""Laws written out: weights are compared as they are given, and divided by their total once."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from mpmath import exp, log, mp, mpf

from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.numbers import closed_form
from dpaudit.numbers.ball import Ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.real import Real, real
from tests.enclosing import fraction_of

if TYPE_CHECKING:
    from collections.abc import Hashable


def _exponentials(count: int, seed: int) -> ExplicitLaw:
    rng = random.Random(seed)
    weights: dict[Hashable, Real | Ball] = {
        r: real(f"exp(-{rng.randint(1, 9 * count)}/100)") for r in range(count)
    }
    return ExplicitLaw(weights, normalised=False)


def _products(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the products of terms that comparing two laws of so many weights takes."""
    made: list[Any] = []
    multiply = closed_form._multiply

    def counting(*given: Any) -> Real:
        made.append(given)
        return multiply(*given)

    with monkeypatch.context() as patch:
        patch.setattr(closed_form, "_multiply", counting)
        divergence = _exponentials(count, 1).divergence_from(_exponentials(count, 2))
        for forward in (True, False):
            divergence.max_loss(forward=forward)
            divergence.hockey_stick(real("1/10"), forward=forward)
    return len(made)


def test_the_work_grows_like_the_number_of_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _products(160, monkeypatch) < 3 * _products(80, monkeypatch)


@pytest.mark.parametrize("seed", range(6))
def test_weights_and_probabilities_give_the_same_numbers(seed: int) -> None:
    rng = random.Random(seed)
    powers = [[Fraction(rng.randint(0, 40), 7) for _ in range(6)] for _ in range(2)]
    p, q = (
        ExplicitLaw({r: real(f"exp(-{a})") for r, a in enumerate(side)}, normalised=False)
        for side in powers
    )
    with mp.workdps(50), precision(160):
        numbers = [[exp(-mpf(a.numerator) / a.denominator) for a in side] for side in powers]
        masses = [[w / sum(side) for w in side] for side in numbers]
        for forward in (True, False):
            a, b = masses if forward else masses[::-1]
            loss = p.divergence_from(q).max_loss(forward=forward)
            assert loss.exact is not None
            _encloses(loss.ball, max(log(x / y) for x, y in zip(a, b, strict=True)))
            delta = p.divergence_from(q).hockey_stick(real("1/10"), forward=forward)
            assert delta.exact is not None
            truth = sum(max(0, x - exp(mpf(1) / 10) * y) for x, y in zip(a, b, strict=True))
            _encloses(delta.ball, truth)
            _encloses(delta.exact.ball(), truth)
        for output, mass in enumerate(masses[0]):
            _encloses(p.probability(output).ball, mass)


def _encloses(ball: Ball, truth: mpf) -> None:
    slack = Fraction(1, 10**40)
    assert lower_fraction(ball) - slack <= fraction_of(truth) <= upper_fraction(ball) + slack
    assert upper_fraction(ball) - lower_fraction(ball) < Fraction(1, 10**30)


def test_a_law_lists_its_outputs_with_what_is_equal() -> None:
    weights: dict[Hashable, Real | Ball] = {"a": real("1/4"), "b": real("1/4"), "c": Ball(0.5)}
    listed = ExplicitLaw(weights).listed()
    assert listed.outputs == ["a", "b", "c"]
    assert listed.keys[0] == listed.keys[1] is not None
    assert listed.keys[2] is None  # two balls that look the same need not be one number
    assert [float(listed.ball(index)) for index in range(3)] == [0.25, 0.25, 0.5]


@pytest.mark.parametrize("seed", range(8))
def test_outputs_of_the_same_probabilities_count_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    kinds = [(rng.randint(1, 3), rng.randint(0, 3)) for _ in range(3)]
    sides = [kinds[rng.randrange(3)] for _ in range(30)]
    totals = [sum(side[i] for side in sides) or 1 for i in (0, 1)]
    masses = [[Fraction(side[i], totals[i]) for side in sides] for i in (0, 1)]
    if not any(masses[1]):
        masses[1][0] = Fraction(1)
    p, q = (ExplicitLaw({r: real(w) for r, w in enumerate(side)}) for side in masses)
    for factor in (1, 2, Fraction(1, 3)):
        found = p.divergence_from(q).hockey_stick(real(factor).ln(), forward=True)
        truth = sum(max(Fraction(0), a - factor * b) for a, b in zip(*masses, strict=True))
        assert found.exact == truth
        assert lower_fraction(found.ball) <= truth <= upper_fraction(found.ball)
    loss = p.divergence_from(q).max_loss(forward=True)
    ratios = {r: a / b for r, (a, b) in enumerate(zip(*masses, strict=True)) if a and b}
    if any(a and not b for a, b in zip(*masses, strict=True)):
        assert loss.infinite
    else:
        assert loss.exact == real(max(ratios.values())).ln()
        assert loss.output == max(ratios, key=lambda r: ratios[r])  # the first of them

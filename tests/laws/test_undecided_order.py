"""A loss that no precision tells from ε is one output summed in balls, not a size that is lost."""

from __future__ import annotations

from typing import Any

import pytest

import dpaudit
from dpaudit.errors import PrecisionError
from dpaudit.laws import law as laws
from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.laws.tabulated import TabulatedDivergence
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.laurent import Laurent
from dpaudit.numbers.real import ONE, Real, order, real
from dpaudit.results import Verdict

A, B = "(1 + exp(-1))", "(2 + exp(-1))"
ONE_FORM = f"(40*ln{A} + 26*ln{B})/60"
ANOTHER = f"(13*ln({A}^2*{B}^2) + 2*ln({A}^7))/60"


def test_the_two_forms_are_one_number_that_no_precision_shows() -> None:
    with pytest.raises(PrecisionError):
        order(real(ONE_FORM), real(ANOTHER))
    assert abs(float(real(ONE_FORM)) - float(real(ANOTHER))) < 1e-15


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("SUE", 1),
        ("kRR", 1),
        ("LSHist", 5),
        ("Geometric", 3),
    ],
)
def test_a_tie_in_two_forms_is_undecided_with_its_width(name: str, n: int) -> None:
    found = dpaudit.check(name, n, eps=ONE_FORM, budget=ANOTHER)
    assert found.verdict is Verdict.UNDECIDED
    assert not found.audit.undecided
    result = found.only
    assert result.epsilon.upper - result.epsilon.lower < 1e-12
    assert abs(result.epsilon.midpoint - float(real(ANOTHER))) < 1e-12
    assert result.delta_held.value.lower == 0
    assert result.delta_held.value.upper < 1e-200


def _never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(left: Real, right: Real) -> Any:
        raise PrecisionError("not told apart")

    monkeypatch.setattr(laws, "order", raising)


def test_a_largest_loss_that_is_not_told_is_a_ball_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    _never_told(monkeypatch)
    p = IndependentLaw((Table({0: real("3"), 1: real("2"), 2: ONE}),))
    q = IndependentLaw((Table({0: ONE, 1: real("2"), 2: real("3")}),))
    for forward in (True, False):
        loss = p.divergence_from(q).max_loss(forward=forward)
        assert loss.exact is None
        assert loss.ball.contains(real("ln(3)").ball())
    one, t = Laurent.monomial(1, 0), Laurent.monomial(1, 1)
    loss = TabulatedDivergence({(0,): t, (1,): one}, {(0,): one, (1,): t}, ONE).max_loss(
        forward=True
    )
    assert (loss.exact, loss.output) == (None, (0,))
    assert loss.ball.overlaps(Ball(1))
    assert laws.largest((x, real(x)) for x in ("1/2", "2", "1")) == ["1/2", "2", "1"]

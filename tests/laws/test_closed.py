"""Closed-form laws against explicit ones, and what is said of printed noisy numbers."""

from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf, quad

from dpaudit.api import mechanism
from dpaudit.errors import ParameterError
from dpaudit.laws.closed import ClosedLaw
from dpaudit.laws.density_cells import CellLaw
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import real
from dpaudit.questions.check.function import check
from dpaudit.questions.curve.function import curve
from tests.enclosing import overlap
from tests.oracles.selection import laplace


def explicit(law: ClosedLaw) -> ExplicitLaw:
    return ExplicitLaw({output: mass.exact or mass.ball for output, mass in law.masses.items()})


@settings(max_examples=15)
@given(
    st.sampled_from(["RNMLaplace", "RNMExponential", "RNMGumbel", "SVT1", "SVT5", "SVT6"]),
    st.sampled_from(list(product((-1, 0, 1), repeat=2))),
    st.sampled_from(list(product((-1, 0, 1), repeat=2))),
    st.sampled_from(["0", "1/20", "1/4"]),
    st.booleans(),
)
def test_divergences_are_those_of_the_written_out_laws(
    name: str, x: tuple[int, int], y: tuple[int, int], at: str, forward: bool
) -> None:
    with precision(128):
        book = mechanism(name, eps="1/2").laws()
        p, q = book.law(x), book.law(y)
        assert isinstance(p, ClosedLaw)
        assert isinstance(q, ClosedLaw)
        mine, theirs = p.divergence_from(q), explicit(p).divergence_from(explicit(q))
        loss, other = mine.max_loss(forward=forward), theirs.max_loss(forward=forward)
        assert loss.infinite is other.infinite
        if not loss.infinite:
            assert overlap(loss.ball, other.ball)
            assert loss.exact is None or overlap(loss.exact.ball(), other.ball)
        delta = mine.hockey_stick(real(at), forward=forward)
        assert overlap(delta.ball, theirs.hockey_stick(real(at), forward=forward).ball)
        assert {a.output for a in mine.atoms(forward=forward)} == {
            a.output for a in theirs.atoms(forward=forward)
        }
        for output in (p if forward else q).masses:
            one = mine.loss_at(output, forward=forward)
            assert one.infinite is theirs.loss_at(output, forward=forward).infinite


def test_printed_answers_cost_what_every_query_costs() -> None:
    """Alg. 3 spends n·ε/(2c), without bound in n; its cells attain that exactly."""
    for n, spent in ((3, "3/20"), (5, "1/4"), (7, "7/20")):
        found = check("SVT3", n, eps="1/10", adjacency="patterns", digits=8).only
        assert found.epsilon.exact == real(spent)
        assert found.verdict == "exceeds"


def test_a_printed_maximum_costs_what_every_query_costs() -> None:
    found = check("RNMLaplaceValue", 5, eps="1/10", adjacency="patterns", digits=8).only
    assert found.verdict == "exceeds"
    assert Decimal("0.24999999") < found.epsilon.lower <= Decimal("0.25") <= found.epsilon.upper
    assert found.epsilon.upper < Decimal("0.25000001")


def test_no_curve_is_drawn_of_a_density() -> None:
    with pytest.raises(ParameterError, match="the output is continuous"):
        curve("SVT3", 2)


SCALE = mpf(4)
"""2c/ε for c = 1 and ε = 1/2; the threshold's noise has the same scale."""


def density(answers: tuple[int, int], a: mpf) -> mpf:
    """The density of ⊥ and then the number a, in Alg. 3 with T = 0."""
    f, below = laplace(SCALE)
    points = [-mp.inf, *sorted({z for z in (mpf(-1), mpf(0), mpf(1)) if z < a}), a]
    return f(a - answers[1]) * quad(lambda z: f(z) * below(z - answers[0]), points)


@pytest.mark.parametrize("x", [(0, 0), (1, -1)])
@pytest.mark.parametrize("y", [(1, 0), (0, -1), (1, 1), (0, 1), (-1, 0)])
def test_the_ball_spans_the_density_ratios(x: tuple[int, int], y: tuple[int, int]) -> None:
    if x == y or max(abs(a - b) for a, b in zip(x, y, strict=True)) > 1:
        return
    with precision(128):
        book = mechanism("SVT3", eps="1/2").laws()
        law = book.law(x)
        assert isinstance(law, CellLaw)
        loss = law.divergence_from(book.law(y)).max_loss(forward=True)
    with mp.workdps(15):
        ratios = [
            mp.log(density(x, a) / density(y, a))
            for a in map(mpf, ("-6", "-1", "-0.4", "0", "0.7", "1", "5"))
        ]
    assert float(max(ratios)) <= float(loss.ball.upper()) + 1e-9

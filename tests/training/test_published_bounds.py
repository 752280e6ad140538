"""The table of bounds of published methods: against the formulas again, in many digits."""

import random
from fractions import Fraction
from math import exp, log

import pytest
from mpmath import mp, mpf

from dpaudit.numbers.real import real
from dpaudit.questions.canaries.one_run import Guesses, is_refuted
from tests.benchmarks import one_run_bounds
from tests.benchmarks.one_run_bounds import CASES, Case, recursion_refutes
from tests.sampling import recorded


def masses(r: int, epsilon: mpf) -> list[mpf]:
    """Binomial masses with probability e^ε/(1 + e^ε), from the largest number down by ratios."""
    odds = mp.exp(epsilon)
    found = [(odds / (1 + odds)) ** r]
    for k in range(r, 0, -1):
        found.append(found[-1] * k / (odds * (r - k + 1)))
    return found[::-1]


def corollary(case: Case, epsilon: mpf, delta: mpf) -> mpf:
    """β + 2mδ·max_i P[v > W ≥ v − i]/i, from plain sums."""
    mass, v = masses(case.guesses, epsilon), case.right
    below, most = mpf(0), mpf(0)
    for i in range(1, v + 1):
        below += mass[v - i]
        most = max(most, below / i)
    return mp.fsum(mass[v:]) + 2 * case.canaries * delta * most


def sharp(case: Case, epsilon: mpf, delta: mpf) -> mpf:
    mass, v = masses(case.guesses, epsilon), case.right
    beta = mp.fsum(mass[v:])
    return beta + case.canaries * delta * beta * (1 - beta) / (v * mass[v])


def recursion(case: Case, epsilon: mpf, delta: mpf) -> mpf:
    """The recursion's probability, at the level of the table: its sum over r/m, times the level."""
    odds, m, r = mp.exp(epsilon), case.canaries, case.guesses
    level = mpf(1) / 20
    right, wrong = level * case.right / m, level * (r - case.right) / m
    for i in range(case.right - 1, -1, -1):
        more = max(wrong, (right - delta) / odds, 1 - delta - odds * (1 - right))
        right, wrong = right + mpf(i) / (r - i) * (more - wrong), more
    return level * (right + wrong) * m / r


def test_the_page_shows_the_table_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert one_run_bounds.main([]) == 0
    made = capsys.readouterr().out.strip()
    assert recorded.part("one-run", one_run_bounds.PAGE).strip() == made


def test_every_bound_of_the_page_is_the_last_refuted_decimal() -> None:
    """At the bound a formula is at most the level, and at the next decimal above it."""
    rows = recorded.rows("one-run", one_run_bounds.PAGE)
    with mp.workdps(60):
        level, step = mpf(1) / 20, mpf(10) ** -6
        for case, row in zip(CASES, rows, strict=True):
            delta = mpf(str(case.delta))
            assert row["m"] == f"{case.canaries:,}"
            assert row["right"] == f"{case.right:,}"
            for name, formula, at in (
                ("Corollary 5.4", corollary, delta),
                ("**dpaudit**", sharp, delta),
                ("**dpaudit**, δ = 0", sharp, mpf(0)),
            ):
                bound = mpf(row[name])
                assert formula(case, bound, at) <= level < formula(case, bound + step, at), name
            bound = mpf(row["recursion"])
            # The recursion refutes an ε by a sum that is too large, which falls as ε grows.
            refutes = [recursion(case, one, delta) > level for one in (bound, bound + step)]
            assert refutes == [True, False]


def test_the_recursion_never_refutes_more_than_the_sharp_bound() -> None:
    """The sharp bound is attained, so a valid method cannot refute what it does not."""
    choose = random.Random(1129)
    tried = 0
    for _ in range(400):
        m = choose.randint(2, 400)
        r = choose.randint(1, m)
        v = choose.randint((r + 1) // 2, r)
        delta = choose.choice([0.0, 1e-5, 1e-3])
        epsilon = choose.randint(0, 40) / 10
        if recursion_refutes(Case(m, r, v, delta), epsilon):
            tried += 1
            stated = real(str(Fraction(epsilon).limit_denominator(10)))
            assert is_refuted(Guesses(m, r, v), stated, real(str(delta)), real("1/20"))
    assert tried > 50


def test_the_recursion_is_the_binomial_tail_if_all_are_right_and_nothing_is_added() -> None:
    for r, epsilon in ((10, 0.4), (30, 1.5), (100, 3.0)):
        border = -log(0.05) / r  # (E/(1 + E))^r is the level at ε = −ln(e^border − 1)
        at = -log(exp(border) - 1)
        assert recursion_refutes(Case(3 * r, r, r, 0.0), at - 1e-6)
        assert not recursion_refutes(Case(3 * r, r, r, 0.0), at + 1e-6)
        assert recursion_refutes(Case(3 * r, r, r, 0.0), epsilon) == (epsilon < at)

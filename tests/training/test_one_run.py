"""The one-run bound: published figures, all small mechanisms, other arithmetic, attainment."""

import random
from decimal import Decimal
from fractions import Fraction
from math import comb

import pytest
from mpmath import mp, mpf
from scipy.optimize import linprog

from dpaudit.numbers.ball import ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.real import real
from dpaudit.questions.canaries.one_run import Guesses, is_refuted, largest_refuted, p_value
from tests.training.small_mechanisms import at_least, guess_vectors, largest_probability


def exact(m: int, r: int, v: int, odds: Fraction, delta: Fraction) -> Fraction:
    """The bound in rational arithmetic, at E = odds."""
    weights = [comb(r, k) * odds**k / (1 + odds) ** r for k in range(r + 1)]
    beta = sum(weights[v:], Fraction(0))
    return beta + m * delta * beta * (1 - beta) / (v * weights[v])


@pytest.mark.parametrize(
    ("m", "r", "v", "delta", "epsilon"),
    [
        (1000, 100, 75, "1e-4", "0.6951"),
        (1000, 100, 75, "0", "0.7022"),
        (1000, 100, 100, "1e-3", "3.4232"),
        (1000, 100, 100, "0", "3.4930"),
        (10_000, 200, 200, "1e-4", "4.1604"),
        (10_000, 200, 200, "0", "4.1936"),
        (100_000, 1000, 1000, "1e-6", "5.8084"),
        (100_000, 1000, 1000, "0", "5.8091"),
    ],
)
def test_known_bounds(m: int, r: int, v: int, delta: str, epsilon: str) -> None:
    found = largest_refuted(Guesses(m, r, v), real(delta), real("1/20"), 12)
    assert f"{found.lower:.4f}" == f"{found.upper:.4f}" == epsilon


def test_the_bound_is_that_of_rational_arithmetic() -> None:
    choose = random.Random(1123)
    for _ in range(300):
        m = choose.randint(1, 60)
        r = choose.randint(1, m)
        v = choose.randint(1, r)
        odds = Fraction(choose.randint(10, 100), 10)
        delta = Fraction(choose.choice([0, 1, 3]), 1000)
        with precision(192):
            found = p_value(Guesses(m, r, v), ball(odds).log(), real(delta))
            wanted = exact(m, r, v, odds, delta)
            assert lower_fraction(found) <= wanted <= upper_fraction(found)
            assert upper_fraction(found) - lower_fraction(found) < wanted / 2**100


def symmetric(m: int, r: int, v: int, odds: float, delta: float) -> float:
    """The most that a law p of the errors allows, by a linear program: no formula of ours.

    Its constraints are those of differential privacy, averaged over canaries, in both directions.
    """
    count = r + 1
    # Variables: p_0 … p_r, and the positive parts of both directions.
    objective = [-1.0 if k <= r - v else 0.0 for k in range(count)] + [0.0] * (2 * r)
    upper: list[list[float]] = []
    for k in range(r):
        forward, backward = [0.0] * (count + 2 * r), [0.0] * (count + 2 * r)
        forward[k], forward[k + 1], forward[count + k] = r - k, -odds * (k + 1), -1
        backward[k + 1], backward[k], backward[count + r + k] = k + 1, -odds * (r - k), -1
        upper += [forward, backward]
    sums = [0.0] * count + [1.0] * (2 * r)
    found = linprog(
        objective,
        A_ub=[*upper, sums],
        b_ub=[0.0] * (2 * r) + [m * delta],
        A_eq=[[1.0] * count + [0.0] * (2 * r)],
        b_eq=[1.0],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.success
    return float(-found.fun)


def test_the_bound_is_the_optimum_of_the_symmetric_program() -> None:
    choose = random.Random(7)
    for _ in range(150):
        m = choose.randint(1, 40)
        r = choose.randint(1, min(m, 20))
        v = choose.randint(1, r)
        odds = Fraction(choose.randint(10, 60), 10)
        delta = Fraction(choose.choice([0, 1, 5, 20]), 1000)
        wanted = min(1.0, float(exact(m, r, v, odds, delta)))
        assert symmetric(m, r, v, float(odds), float(delta)) == pytest.approx(wanted, abs=1e-7)


def test_ends_are_neighbouring_decimals_on_both_sides_of_the_level() -> None:
    choose = random.Random(11)
    with mp.workdps(60):
        for _ in range(60):
            m = choose.randint(1, 6000)
            r = choose.randint(1, m)
            v = choose.randint(r // 2, r)
            delta = choose.choice(["0", "1e-5", "1e-9"])
            level = choose.choice(["1/20", "1e-3", "1e-6"])
            found = largest_refuted(Guesses(m, r, v), real(delta), real(level), 12)
            if not found.upper:
                least = _in_mpmath(m, r, v, mpf(0), delta)
                assert least >= mpf(Fraction(level).numerator) / Fraction(level).denominator
                continue
            assert (found.upper - found.lower).as_tuple()[1:] == ((1,), -12)
            limit = mpf(Fraction(level).numerator) / Fraction(level).denominator
            assert _in_mpmath(m, r, v, mpf(str(found.lower)), delta) <= limit
            assert _in_mpmath(m, r, v, mpf(str(found.upper)), delta) >= limit


def _in_mpmath(m: int, r: int, v: int, epsilon: mpf, delta: str) -> mpf:
    """The bound by the recursion of its proof, and a plain sum."""
    if not v:
        return mpf(1)
    odds = mp.exp(epsilon)
    term = (1 / (1 + odds)) ** r
    weights = [term]
    for k in range(r):
        term = term * odds * (r - k) / (k + 1)
        weights.append(term)
    beta = mp.fsum(weights[v:])
    price = mpf(0)
    for k in range(r - v + 1):
        price = ((1 - beta) + odds * k * price) / (r - k)
    return beta + m * mpf(delta) * price


def test_it_grows_with_everything_but_right_guesses() -> None:
    base = Guesses(200, 50, 40)

    def lower(seen: Guesses, delta: str = "1e-4", level: str = "1/20") -> Decimal:
        return largest_refuted(seen, real(delta), real(level), 12).lower

    assert lower(Guesses(300, 50, 40)) < lower(base) < lower(Guesses(200, 50, 41))
    assert lower(Guesses(200, 51, 40)) < lower(base)
    assert lower(base, delta="1e-3") < lower(base) < lower(base, level="1/10")


def test_a_tie_at_zero_is_enclosed() -> None:
    found = largest_refuted(Guesses(1, 1, 1), real(0), real("1/2"), 12)
    assert 0 in found
    assert found.is_tight(12)
    assert is_refuted(Guesses(1, 1, 1), real(0), real(0), real("51/100")) is True
    assert is_refuted(Guesses(1, 1, 1), real(0), real(0), real("49/100")) is False


@pytest.mark.parametrize("m", [1, 2, 3])
def test_no_mechanism_of_few_canaries_is_above_the_bound(m: int) -> None:
    """A program over all mechanisms: a law of guesses for each set of members."""
    choose = random.Random(m)
    for _ in range(8):
        r = choose.randint(1, m)
        v = choose.randint(1, r)
        odds, delta = Fraction(choose.randint(10, 40), 10), Fraction(choose.randint(0, 8), 50)
        wanted = min(1.0, float(exact(m, r, v, odds, delta)))
        found = largest_probability(guess_vectors(m, r), at_least(v), float(odds), float(delta))
        assert found == pytest.approx(wanted, abs=1e-7)

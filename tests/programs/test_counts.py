"""Outputs with whole numbers that have no end: noisy counts that nothing clamps."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.numbers.ball import Ball, precision
from dpaudit.programs.program import Program

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
FAR = 60


def step(x: int, y: int) -> bool:
    return abs(x - y) == 1


def on_counts(function: Callable[..., Any]) -> Program:
    return program(datasets=range(4), neighbours=step, budget=HALF)(function)


@on_counts
def count(true: int, random: Any) -> Any:
    return true + random.discrete_laplace(2)


@on_counts
def at_least_0(true: int, random: Any) -> Any:
    return max(0, true + random.discrete_laplace(2))


@on_counts
def mirrored(true: int, random: Any) -> Any:
    return 3 * (true - random.discrete_laplace(2)) + 1


@on_counts
def mixed(true: int, random: Any) -> Any:
    if random.bernoulli(TENTH):
        return 7
    if random.bernoulli(HALF):
        return true + random.discrete_laplace(2)
    return 2 * true - random.discrete_laplace(2)


@on_counts
def labelled(true: int, random: Any) -> Any:
    noisy = true + random.discrete_laplace(2)
    return ("low", 0) if noisy < 1 else ("high", noisy)


@on_counts
def one_sided(true: int, random: Any) -> Any:
    return true + random.geometric(HALF)


@on_counts
def beside_a_gaussian(true: int, random: Any) -> Any:
    return random.discrete_gaussian(3), true + random.discrete_laplace(2)


def noise(k: int) -> Any:
    t = mpmath.exp(mpmath.mpf(-1) / 2)
    return (1 - t) / (1 + t) * t ** abs(k)


def law(program: Program, x: int) -> dict[Any, Any]:
    """Return the law by its definition, far tails left out."""
    found: dict[Any, Any] = {}

    def put(output: Any, mass: Any) -> None:
        found[output] = found.get(output, 0) + mass

    for k in range(-FAR, FAR + 1):
        if program is count or program is beside_a_gaussian:
            put(x + k, noise(k))
        elif program is at_least_0:
            put(max(0, x + k), noise(k))
        elif program is mirrored:
            put(3 * (x - k) + 1, noise(k))
        elif program is labelled:
            put(("low", 0) if x + k < 1 else ("high", x + k), noise(k))
        elif program is one_sided and k >= 0:
            put(x + k, mpmath.mpf(2) ** (-k - 1))
        elif program is mixed:
            put(x + k, noise(k) * mpmath.mpf(9) / 20)
            put(2 * x - k, noise(k) * mpmath.mpf(9) / 20)
            if not k:
                put(7, mpmath.mpf(1) / 10)
    return found


PROGRAMS = [count, at_least_0, mirrored, mixed, labelled, one_sided, beside_a_gaussian]


@pytest.mark.parametrize("one", PROGRAMS, ids=lambda one: one.name)
def test_the_law_of_an_endless_count_is_that_of_its_definition(one: Program) -> None:
    (result,) = dpaudit.check(one, at_eps=["1/5", "1"]).results
    assert str(result.outputs) == "infinite"
    losses, deltas = [], {"1/5": mpmath.mpf(0), "1": mpmath.mpf(0)}
    for x, y in product(range(4), repeat=2):
        if step(x, y):
            p, q = law(one, x), law(one, y)
            near = [k for k in p if abs(k if isinstance(k, int) else k[1]) < FAR // 2]
            losses += [mpmath.log(p[k] / q[k]) if k in q else mpmath.inf for k in near]
            for eps, before in deltas.items():
                factor = mpmath.exp(mpmath.mpf(Fraction(eps).numerator) / Fraction(eps).denominator)
                excess = mpmath.fsum(max(p[k] - factor * q.get(k, 0), mpmath.mpf(0)) for k in p)
                deltas[eps] = max(before, excess)
    assert float(result.epsilon.upper) == pytest.approx(float(max(losses)), abs=1e-12)
    for point, wanted in zip(result.curve, deltas, strict=True):
        assert float(point.value.upper) == pytest.approx(float(deltas[wanted]), abs=1e-9)


def test_a_tie_of_an_endless_count_is_exact() -> None:
    (result,) = dpaudit.check(count).results
    assert str(result.epsilon) == "0.5"
    assert result.verdict == "within"
    assert dpaudit.check(count, budget="1/2 - 1e-30").verdict == "exceeds"


def test_a_histogram_of_endless_counts_is_cut_where_the_data_differ() -> None:
    @program(datasets=[(0,) * 30, (1,) + (0,) * 29], neighbours="all", budget=HALF)
    def histogram(counts: tuple[int, ...], random: Any) -> Any:
        return tuple(one + random.discrete_laplace(2) for one in counts)

    (result,) = dpaudit.check(histogram).results
    assert str(result.epsilon) == "0.5"
    assert result.witness is not None
    assert result.witness.output[1:] == ("any",) * 29


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (lambda x, random: random.discrete_laplace(1 + x), "decay at different rates"),
        (
            lambda x, random: (x + random.discrete_gaussian(3), x - random.discrete_gaussian(3)),
            "with discrete Gaussian noise",
        ),
        (lambda x, random: (z := random.discrete_laplace(2), z + x), "returned twice"),
        (
            lambda x, random: (random.discrete_laplace(2), random.laplace(2)),
            "an unbounded whole number is returned together with a",
        ),
    ],
)
def test_endless_counts_that_are_not_compared_are_refused(
    body: Callable[..., Any], reason: str
) -> None:
    with pytest.raises(LawError, match=reason):
        dpaudit.check(program(datasets=[0, 1], neighbours="all", budget=1, name="one")(body))


def test_a_count_that_is_endless_at_one_dataset_alone_is_compared() -> None:
    @program(datasets=[0, 1], neighbours="all", budget=1)
    def sometimes(x: int, random: Any) -> Any:
        return random.discrete_laplace(1) if x else 0

    (result,) = dpaudit.check(sometimes).results
    assert str(result.epsilon) == "inf"
    t = mpmath.exp(-1)  # only 0 is possible at both
    wanted = max(1 - (1 - t) / (1 + t), 1 - mpmath.e * (1 - t) / (1 + t))
    assert float(result.delta_held.value.upper) == pytest.approx(float(wanted), abs=1e-12)


@pytest.mark.parametrize("far", [10**6, 10**9])
def test_a_geometric_number_far_out_is_a_ball(far: int) -> None:
    """(1 − p)^far, exactly, would have millions of digits."""
    one = program(datasets=[0], neighbours=[])(
        lambda x, random: (n := random.geometric(Fraction(1, far))) >= far or n == far - 1
    )
    p = mpmath.mpf(1) / far
    with mpmath.workdps(40), precision(100):
        mass = one.law(0)[True]
        wanted = mpmath.exp((far - 1) * mpmath.log1p(-p))
        assert isinstance(mass, Ball)
        assert mass.rad() < 1e-25
        assert abs(mpmath.mpf(str(mass.mid()).split()[0].strip("[")) - wanted) < 1e-12


def test_a_sum_over_too_many_numbers_is_refused() -> None:
    one = program(datasets=[0], neighbours=[])(
        lambda x, random: bool(random.discrete_gaussian(10**8) >= 0)
    )
    with pytest.raises(LawError, match=r"needs a sum of more than [0-9]+ terms"):
        one.law(0)

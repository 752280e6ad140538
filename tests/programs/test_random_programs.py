"""Random small programs, held to oracles that know nothing of paths: a part of the command."""

from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest

from dpaudit.errors import LawError
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.real import rational
from dpaudit.programs.exploring.explore import explore
from dpaudit.programs.program import program
from tests.campaigns import part
from tests.programs.printed_numbers import printing
from tests.programs.random import Floats, agree, comparing, finite
from tests.programs.random_as_run import as_run
from tests.programs.random_containers import containers

RUNS = 3000


@pytest.mark.parametrize("seed", range(60))
def test_programs_of_finite_draws_have_the_law_that_enumeration_gives(seed: int) -> None:
    finite(seed)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kinds", [["laplace", "exponential", "uniform"], ["gaussian"]])
def test_programs_of_continuous_draws_agree_with_samples(seed: int, kinds: list[str]) -> None:
    comparing(seed, kinds, RUNS)


@pytest.mark.parametrize("seed", range(24))
def test_programs_that_print_numbers_have_the_density_that_quadrature_gives(seed: int) -> None:
    printing(seed)


def test_programs_as_run_have_the_law_of_what_they_do() -> None:
    refused = 0
    count = part(40, 6)
    for seed in range(count):
        try:
            as_run(seed, agree, RUNS)
        except LawError:
            refused += 1
    assert refused < 0.6 * count


@pytest.mark.filterwarnings("ignore")  # NumPy warns of some comparisons
def test_programs_as_run_with_containers_and_errors_have_the_law_of_what_they_do() -> None:
    refused = 0
    count = part(24, 4)
    for seed in range(count):
        try:
            containers(seed, agree, RUNS)
        except LawError:
            refused += 1
    assert refused <= count / 4


def test_counts_that_are_outside_are_seen() -> None:
    law = {0: rational(Fraction(1, 4)), 1: rational(Fraction(3, 4))}
    agree(law, {0: 25_300, 1: 74_700}, 100_000)
    for counts in ({0: 26_000, 1: 74_000}, {0: 25_000, 1: 74_999, 2: 1}):
        with pytest.raises(AssertionError):
            agree(law, counts, 100_000)


def in_a_circle(dataset: int, random: Any) -> tuple[bool, ...]:
    """Compare in a circle, so that no tree of differences is left."""
    low, high = random.laplace(1), 1 + random.laplace(2)
    found = []
    for shift in (0, Fraction(1, 2)):
        value = shift + random.laplace(1)
        found += [bool(value > low), bool(value < high)]
    return tuple(found)


def test_comparisons_in_a_circle_agree_with_samples() -> None:
    one = program(datasets=[0, 1], neighbours="all")(in_a_circle)
    source = Floats(1)
    sampled: dict[Any, int] = defaultdict(int)
    for _ in range(RUNS):
        sampled[in_a_circle(0, source)] += 1
    assert all(not isinstance(mass, Ball) for mass in one.law(0).values())
    agree(one.law(0), sampled, RUNS)


def test_orders_of_draws_that_are_alike_are_all_alike() -> None:
    for kind in ("laplace", "exponential", "uniform"):

        def ranks(dataset: int, random: Any, kind: str = kind) -> tuple[int, ...]:
            values = (
                [getattr(random, kind)(1) for _ in range(4)]
                if kind != "uniform"
                else [random.uniform(0, 1) for _ in range(4)]
            )
            return tuple(sorted(range(4), key=lambda i: values[i]))

        one = program(datasets=[0, 1], neighbours="all")(ranks)
        assert len(one.law(0)) == 24
        assert {str(mass) for mass in one.law(0).values()} == {"1/24"}


def test_the_discrete_gaussian_is_the_classic() -> None:
    def body(dataset: int, random: Any) -> int:
        drawn: int = random.discrete_gaussian(Fraction(3, 2))
        return max(-2, min(2, drawn))

    one = program(datasets=[0, 1], neighbours="all")(body)
    with precision(100):
        weights = {k: (-Ball(k * k) / Ball(4.5)).exp() for k in range(-60, 61)}
        total = sum(weights.values(), Ball(0))
        expected = {k: weights[k] / total for k in (-1, 0, 1)}
        expected[2] = expected[-2] = sum((weights[k] for k in range(2, 61)), Ball(0)) / total
        law = one.law(0)
        assert law.keys() == expected.keys()
        for output, mass in law.items():
            assert isinstance(mass, Ball)
            assert mass.overlaps(expected[output])
            assert mass.rad() < 1e-20


def test_the_two_signs_of_a_draw_count_twice() -> None:
    def body(dataset: int, random: Any) -> bool:
        return bool(random.laplace(2) > abs(random.laplace(1)))

    one = program(datasets=[0, 1], neighbours="all")(body)
    assert {output: str(mass) for output, mass in one.law(0).items()} == {True: "1/3", False: "2/3"}


def test_regions_that_fill_a_zone_are_joined() -> None:
    def largest(random: Any) -> int:
        values = [random.laplace(1) for _ in range(6)]
        return max(range(6), key=lambda i: values[i])

    found = explore(largest, 100)
    assert found.paths == 32
    assert [len(regions) for regions in found.regions.values()] == [1] * 6

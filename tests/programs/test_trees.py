"""Probabilities of trees of comparisons, and the products of independent ones."""

import random
from fractions import Fraction
from itertools import pairwise

import pytest

from dpaudit.numbers.real import ONE, Real
from dpaudit.programs.unknowns.noises import draw_of
from dpaudit.programs.zones import integrals
from dpaudit.programs.zones.shapes import leaf_of
from dpaudit.programs.zones.trees import End, Leaf, Link, Tree, mass, mirrored

NONE = Fraction(0), Fraction(0)


def leaf(rng: random.Random) -> Leaf:
    kind = rng.choice(["laplace", "exponential", "uniform"])
    if kind == "uniform":
        return Leaf(kind, Fraction(0), (Fraction(-1), Fraction(rng.randint(1, 3))))
    rate = Fraction(rng.randint(1, 4), 2)
    return Leaf(kind, -rate if kind == "exponential" and rng.random() < 0.5 else rate, NONE)


def ends(rng: random.Random) -> tuple[End, End]:
    low, high = sorted(rng.sample([Fraction(k, 2) for k in range(-4, 5)], 2))
    return (low,) if rng.random() < 0.5 else (), (high,) if rng.random() < 0.5 else ()


def tree(rng: random.Random, depth: int = 2) -> Tree:
    count = rng.randint(0, 2) if depth else 0
    links = [Link(*ends(rng), tree(rng, depth - 1)) for _ in range(count)]
    return Tree(leaf(rng), *ends(rng), tuple(sorted(links)))


@pytest.mark.parametrize("seed", range(5))
def test_numbers_with_the_other_sign_have_the_same_probability(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        one = tree(rng)
        assert mirrored(mirrored(one)) == one
        assert mass(mirrored(one)) == mass(one)


def test_draws_with_the_other_sign_are_mirrored_leaves() -> None:
    for kind in ("laplace", "exponential"):
        draw = draw_of(kind, 3, 2)
        one, other = (Tree(leaf_of(d, ONE), (), (), ()) for d in (draw, draw.times(Fraction(-1))))
        assert mirrored(one) == other


def test_products_of_exponential_sums_are_those_of_closed_forms() -> None:
    rng = random.Random(7)
    found: list[Real] = []
    while len(found) < 12:
        one = integrals._value(tree(rng), ONE)
        if one.term_count() > 1:
            found.append(one)
    for left, right in pairwise(found):
        assert integrals.product(left, right) == left * right

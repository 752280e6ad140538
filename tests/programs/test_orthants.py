"""Few Gaussian comparisons without integrals of integrals: other ways to the same numbers."""

from fractions import Fraction
from itertools import permutations

import pytest

import dpaudit
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.real import ONE
from dpaudit.programs.zones import quadrature
from dpaudit.programs.zones.orthants import comparisons, orthants
from dpaudit.programs.zones.trees import Leaf, Link, Tree
from tests.programs.corpus import programs as corpus

NONE = Fraction(0), Fraction(0)


def gaussian(sd: int, *links: Link, low: tuple[int, ...] = (), high: tuple[int, ...] = ()) -> Tree:
    ends = tuple(map(Fraction, low)), tuple(map(Fraction, high))
    return Tree(Leaf("gaussian", Fraction(1, sd), NONE), *ends, links)


def link(tree: Tree, low: float | None = None, high: float | None = None) -> Link:
    below, above = (() if end is None else (Fraction(end),) for end in (low, high))
    return Link(below, above, tree)


def as_orthants(tree: Tree) -> Ball:
    found = orthants(*comparisons(tree))
    assert found is not None
    return found


def chain(sds: tuple[int, ...], highs: tuple[float, ...]) -> Tree:
    """Return x₁ − x₀ < h₁, x₂ − x₁ < h₂, …"""
    tree = gaussian(sds[-1])
    for sd, high in zip(sds[-2::-1], highs[::-1], strict=True):
        tree = gaussian(sd, link(tree, high=high))
    return tree


STARS = [
    gaussian(4, link(gaussian(8), high=1), link(gaussian(8), low=-1)),
    gaussian(2, link(gaussian(1), -1, 2), link(gaussian(3), high=0.5), link(gaussian(2), low=1)),
    gaussian(1, link(gaussian(5), -3, 0), link(gaussian(1), -1, 1), low=(-1,), high=(2,)),
    gaussian(3, link(gaussian(1, low=(-1,)), high=3)),
    gaussian(1, low=(0,), high=(1,)),
]


@pytest.mark.parametrize("star", STARS)
def test_stars_are_what_one_integral_over_their_centre_gives(
    star: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    with precision(90):
        found = as_orthants(star)
        monkeypatch.setattr(quadrature, "_as_orthants", lambda _: None)
        quadrature._integral.cache_clear()
        eliminated = quadrature.integral(star, ONE)
        quadrature._integral.cache_clear()
        assert found.overlaps(eliminated)
        assert found.rad() < 1e-20


def test_one_order_of_four_alike_is_one_of_24() -> None:
    with precision(90):
        found = as_orthants(chain((3, 3, 3, 3), (0, 0, 0)))
        assert (24 * found).contains(1)
    assert found.rad() < 1e-20


def test_all_orders_of_four_that_are_not_alike_add_up_to_1() -> None:
    with precision(90):
        total = sum((as_orthants(chain(sds, (0, 0, 0))) for sds in permutations((1, 2, 3, 5))),
                    Ball(0))  # fmt: skip
    assert total.contains(1)
    assert total.rad() < 1e-18


def test_one_more_comparison_and_its_opposite_add_up() -> None:
    sds, ends = (2, 1, 4), (0.5, -1)
    with precision(90):
        parts = Ball(0)
        for end in ({"high": -2}, {"low": -2}):
            tail = gaussian(4, link(gaussian(1), **end))
            tree = gaussian(2, link(gaussian(1, link(tail, high=-1)), high=0.5))
            parts += as_orthants(tree)
        assert parts.overlaps(as_orthants(chain(sds, ends)))
        assert parts.rad() < 1e-20


def test_comparisons_that_depend_on_one_another_are_left_to_integrals() -> None:
    # x₀ < 1, x₁ < 2 and x₁ − x₀ < 1: the third is the difference of the others
    given = gaussian(1, link(gaussian(1, high=(2,)), high=1), high=(1,))
    assert orthants(*comparisons(given)) is None
    with precision(64):
        found = quadrature.integral(given, ONE)
    assert 0.6 < float(found) < 0.84


@pytest.mark.parametrize("n", [1, 2])
def test_a_range_between_gaussian_ends_takes_no_integral_of_an_integral(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("an integral of an integral")

    monkeypatch.setattr(quadrature, "_nested", refuse)
    one = corpus.on_bits("range", ("1/2", "0.01"), corpus.in_range_gaussian)
    found = dpaudit.check(one, n=n, digits=10).results[0]
    if n == 1:
        assert found.epsilon.upper < Fraction(1, 10**30)  # x and 1 − x are mirrored: 0
    else:
        assert Fraction("0.0043335825210") < Fraction(found.epsilon.lower)
        assert Fraction(found.epsilon.upper) < Fraction("0.0043335825211")

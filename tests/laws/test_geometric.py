"""Pieces of rounded Laplace noise against differences of its distribution function."""

from fractions import Fraction
from itertools import product

import pytest

from dpaudit.laws.geometric import (
    GeometricLaw,
    Run,
    clamped_floor,
    compare_laws,
    floor,
    toward_zero,
)
from dpaudit.numbers.laurent import LAURENT_ONE, LAURENT_ZERO, Laurent

T = Fraction(1, 3)
WINDOW = range(-12, 20)


def value(polynomial: Laurent) -> Fraction:
    return sum((q * T**power for power, q in polynomial.terms), Fraction(0))


def below(end: int) -> Fraction:
    """P(Y < end) = P(Y ≤ end) for Laplace noise with e^(−1/b) = T and an integer end."""
    return T**-end / 2 if end <= 0 else 1 - T**end / 2


def floor_mass(count: int, r: int) -> Fraction:
    return below(r + 1 - count) - below(r - count)


def toward_zero_mass(count: int, r: int) -> Fraction:
    noise = r - count
    low, high = (noise - 1 if noise <= 0 else noise), (noise + 1 if noise >= 0 else noise)
    return below(high) - below(low)


def clamped_mass(count: int, n: int, r: int) -> Fraction:
    if not 0 <= r <= n:
        return Fraction(0)
    upper = Fraction(1) if r == n else below(r + 1 - count)
    return upper - (below(r - count) if r > 0 else 0)


def total(law: GeometricLaw) -> Laurent:
    """The mass of every piece, endless ones included."""
    found = LAURENT_ZERO
    for piece in law.pieces:
        found += piece.mass(piece.first, piece.last)
    return found


CLAMPED = [(count, n) for n in range(1, 9) for count in range(n + 1)]
LAWS = [
    *[clamped_floor(count, 6) for count in range(7)],
    *[floor(count) for count in range(5)],
    *[toward_zero(count) for count in range(5)],
    clamped_floor(3, 7),
    clamped_floor(0, 1),
    clamped_floor(1, 1),
]


@pytest.mark.parametrize(("count", "n"), CLAMPED)
def test_clamped_noise(count: int, n: int) -> None:
    law = clamped_floor(count, n)
    assert total(law) == LAURENT_ONE
    assert sum((law.mass(r) for r in range(n + 1)), LAURENT_ZERO) == LAURENT_ONE
    assert list(law.support()) == list(range(n + 1))
    assert law.size == n + 1
    assert [value(law.mass(r)) for r in WINDOW] == [clamped_mass(count, n, r) for r in WINDOW]
    assert not law.mass(law.centre).is_zero()


@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize(
    ("law_at", "mass_at"), [(floor, floor_mass), (toward_zero, toward_zero_mass)]
)
def test_unclamped_noise(law_at: object, mass_at: object, count: int) -> None:
    assert callable(law_at)
    assert callable(mass_at)
    law: GeometricLaw = law_at(count)
    assert total(law) == LAURENT_ONE
    assert [value(law.mass(r)) for r in WINDOW] == [mass_at(count, r) for r in WINDOW]
    assert law.size is None
    with pytest.raises(ValueError, match="infinitely many"):
        list(law.support())
    assert not law.mass(law.centre).is_zero()


@pytest.mark.parametrize(("first", "last"), [(3, 3), (3, 9), (5, None)])
def test_the_mass_of_part_of_a_run_is_the_sum_over_it(first: int, last: int | None) -> None:
    rising = Run(None, -3, Fraction(1, 2), 1, -1)
    falling = Run(3, None, Fraction(1, 2), -1, 1)
    end = 60 if last is None else last
    expected = sum((floor_mass(-1, r) for r in range(first, end + 1)), Fraction(0))
    slack = Fraction(0) if last is not None else T ** (60 - 5)
    mirrored = (None if last is None else -last, -first)
    for mass in (falling.mass(first, last), rising.mass(*mirrored)):
        found = value(mass)
        assert expected <= found <= expected + slack


@pytest.mark.parametrize(("p", "q"), list(product(LAWS, repeat=2)))
def test_ranges_partition_the_supports_and_have_one_ratio(p: GeometricLaw, q: GeometricLaw) -> None:
    ranges = compare_laws(p, q)
    for r in WINDOW:
        here = [
            part
            for part in ranges
            if (part.first is None or part.first <= r) and (part.last is None or r <= part.last)
        ]
        a, b = value(p.mass(r)), value(q.mass(r))
        assert len(here) == (1 if a or b else 0)
        for part in here:
            assert (part.left is None) == (a == 0)
            assert (part.right is None) == (b == 0)
            if a and b:
                found = part.ratio
                assert found is not None
                above, beneath = value(found.above), value(found.below)
                assert found.coefficient * T**found.power * above / beneath == a / b
            else:
                assert part.ratio is None
            assert part.first is None or part.first <= part.output
            assert part.last is None or part.output <= part.last
    assert sum((part.p for part in ranges), LAURENT_ZERO) == LAURENT_ONE
    assert sum((part.q for part in ranges), LAURENT_ZERO) == LAURENT_ONE


def test_ranges_do_not_grow_with_the_support() -> None:
    assert len(compare_laws(floor(10**9), floor(10**9 + 1))) == 3
    assert len(compare_laws(clamped_floor(500, 10**6), clamped_floor(501, 10**6))) <= 6

"""Lattices with masses of four bits and no others, on their side of exact fractions."""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from flint import fmpz_poly

from dpaudit.numbers import lattice, loss_cells, merging
from dpaudit.numbers.ball import Ball, ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.lattice import LossLattice
from dpaudit.numbers.loss_cells import Cell, lattice_of_cells
from dpaudit.numbers.real import ZERO, rational

BITS = 4
UNIT = 1 << BITS
RATIOS = [Fraction(9, 8), Fraction(3, 2), Fraction(2), Fraction(5)]
"""e^step, so that all masses of Q are fractions."""

Atoms = list[tuple[Fraction, Fraction]]


@pytest.fixture(autouse=True)
def no_guard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let constants have the bits of masses, and balls enough that they are no wider."""
    for module in (lattice, loss_cells, merging):
        monkeypatch.setattr(module, "GUARD", 0)
    for module in (lattice, loss_cells):
        monkeypatch.setattr(module, "precision", lambda bits: precision(100))
    with precision(100):
        yield


def made(dice: random.Random, ratio: Fraction, above: bool) -> LossLattice:
    masses = [dice.choice([0, 1, 2, 3, 5, 8, 15]) for _ in range(dice.randint(1, 6))]
    masses[-1] = masses[-1] or 1
    step = rational(ratio).ln()
    lost = dice.randint(0, 5)
    return LossLattice(above, BITS, step, ZERO, dice.randint(-3, 2), fmpz_poly(masses), lost)


def atoms(one: LossLattice, ratio: Fraction) -> Atoms:
    found = [
        (Fraction(int(mass), UNIT), Fraction(int(mass), UNIT) / ratio ** (one.first + place))
        for place, mass in enumerate(one.masses.coeffs())
    ]
    return [*found, (Fraction(one.infinite, UNIT), Fraction(0))]


def divergence(pair: Atoms, order: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - order * q) for p, q in pair), Fraction(0))


def wrong(before: Atoms, after: Atoms, *, above: bool) -> bool:
    """Tell whether H of one is on the wrong side of the other: both are linear between ratios."""
    orders = {p / q for p, q in (*before, *after) if q} | {Fraction(0)}
    orders.add(2 * max(orders))
    differences = (divergence(after, a) - divergence(before, a) for a in orders)
    return any(one < 0 if above else one > 0 for one in differences)


@pytest.mark.parametrize("guard", [0, 64])
@pytest.mark.parametrize("above", [True, False])
def test_products_and_coarser_lattices_keep_their_side(
    above: bool, guard: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "GUARD", guard)  # without, partners pay so much that all else fits
    dice = random.Random(1)
    for _ in range(300):
        ratio = dice.choice(RATIOS)
        one, other = made(dice, ratio, above), made(dice, ratio, above)
        both = product(atoms(one, ratio), atoms(other, ratio))
        joint = [(p * a, q * b) for (p, q), (a, b) in both]
        assert not wrong(joint, atoms(one.times(other), ratio), above=above)
        coarser = atoms(one.coarsened(), ratio * ratio)
        assert not wrong(atoms(one, ratio), coarser, above=above)


@pytest.mark.parametrize("above", [True, False])
def test_the_mass_of_infinite_loss_is_rounded_once(above: bool) -> None:
    dice = random.Random(2)
    for _ in range(50):
        one, other = made(dice, Fraction(2), above), made(dice, Fraction(2), above)
        mine, theirs = one.infinite + one.total, other.infinite + other.total
        truth = Fraction(mine * theirs - one.total * other.total, UNIT)
        found = one.times(other).infinite
        assert truth <= found < truth + 1 if above else truth - 1 < found <= truth


@pytest.mark.parametrize("above", [True, False])
def test_delta_of_a_lattice_is_on_its_side(above: bool) -> None:
    dice = random.Random(3)
    for _ in range(150):
        ratio = dice.choice(RATIOS)
        one = made(dice, ratio, above)
        order = Fraction(dice.randint(10, 80), 10)
        truth = divergence(atoms(one, ratio), order)
        found = one.delta(rational(order).ln())
        assert truth <= upper_fraction(found) if above else lower_fraction(found) <= truth


def _cells(dice: random.Random, ratio: Fraction) -> tuple[list[Cell], Atoms]:
    """Return cells whose masses are whole numbers, so that no rounding of them hides others."""
    cells, pair = [], []
    for index in range(dice.randint(-2, 0), dice.randint(1, 3)):
        # P-mass d + u with the share u on the upper point: Q has (d + u/ratio)/ratio^index
        d, u = (Fraction(dice.choice([0, 1, 2, 3, 5, 8]), UNIT) for _ in range(2))
        p, q = d + u, (d + u / ratio) / ratio**index
        if p:
            pair.append((p, q))
            cells.append(Cell(index, ball(p), ball(q)))
    return cells, pair


@pytest.mark.parametrize("above", [True, False])
def test_cells_and_what_lies_beside_them_go_to_their_side(above: bool) -> None:
    dice, wide = random.Random(4), Ball(0.3 / UNIT, 0.2 / UNIT)
    end = upper_fraction(wide) if above else lower_fraction(wide)
    for _ in range(600):
        ratio = dice.choice(RATIOS)
        cells, pair = _cells(dice, ratio)
        if not cells:
            continue
        first, last = cells[0].index, cells[-1].index
        left, right, point, lost = (dice.choice([Ball(0), wide]) for _ in range(4))
        beside = [
            (left, ratio ** -(first - 1)),
            (right, ratio ** -(last + 2)),
            (point, ratio**-first),
            (lost, Fraction(0)),
        ]
        if above:  # all of it may be infinite
            beside[1:2] = [(right, Fraction(0))]
            beside.pop()
        pair += [(end, end * factor) for mass, factor in beside if mass is wide]
        found = lattice_of_cells(
            cells,
            rational(ratio).ln(),
            BITS,
            above=above,
            left=left,
            right=right,
            infinite=lost,
            points={first: point},
        )
        assert not wrong(pair, atoms(found, ratio), above=above)


def test_two_cells_that_just_pay_for_each_other_lie_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "GUARD", 64)
    ratio = Fraction(3, 2)
    little = Fraction(1, 1000)
    for d, u, more in product(range(1, 7), range(3), range(2, 10)):
        # what is needed, given and kept is next to a whole number, on the side that is free
        low = (Fraction(d) - little, Fraction(u) + 2 * little)
        high = (-(more / ratio) % 1 + little, Fraction(more) + little)
        shares = [(a / UNIT, b / UNIT) for a, b in (low, high)]
        pair = [(a + b, (a + b / ratio) / ratio**index) for index, (a, b) in enumerate(shares)]
        found = lattice_of_cells(
            [Cell(index, ball(p), ball(q)) for index, (p, q) in enumerate(pair)],
            rational(ratio).ln(),
            BITS,
            above=False,
            left=Ball(0),
            right=Ball(0),
        )
        assert not wrong(pair, atoms(found, ratio), above=False)


def test_masses_beside_cells_are_rounded_by_their_outer_ends() -> None:
    """One cell of whole masses, and a unit and a half, or two units and a half, beside it."""
    cells, step, wide = [Cell(0, Ball(0.5), Ball(0.5))], rational(2).ln(), Ball(2, 0.6) / UNIT
    for above, expected in ((True, 3), (False, 1)):

        def total(above: bool = above, **beside: Any) -> tuple[int, int]:
            given: dict[str, Any] = {"left": Ball(0), "right": Ball(0), **beside}
            found = lattice_of_cells(cells, step, BITS, above=above, **given)
            return found.total, found.infinite

        held, nothing = total()
        assert nothing == 0
        assert total(points={0: wide})[0] == held + expected
        if above:
            assert total(left=wide)[0] == held + expected
            assert total(right=wide)[1] == expected
        else:
            assert total(right=wide)[0] == held + expected
            assert total(infinite=wide)[1] == expected


def test_partners_have_what_they_pay_for() -> None:
    for limit, most, need, give in product(range(9), range(9), range(7), range(7)):
        for s, t in (
            merging._partners(limit, most, need, give),
            merging._fitted(limit, most, need, give),
        ):
            assert 0 <= s <= limit
            assert 0 <= t <= most
            assert t * give >= s * need


@pytest.mark.parametrize("rate", [Ball(1.9, 0.1), Ball(2)])
@pytest.mark.parametrize("width", [Ball(2.1, 0.1), Ball(2)])
def test_merged_cells_lie_below(rate: Ball, width: Ball) -> None:
    """Points are twice as far apart in e^loss, which is in both balls."""
    dice = random.Random(5)
    for _ in range(2000):
        count = dice.randint(1, 3)
        downs, ups = ([dice.choice([0, 1, 2, 3, 5, 8]) for _ in range(count)] for _ in range(2))
        kept = [d + u // 2 for d, u in zip(downs, ups, strict=True)]
        before = [
            (Fraction(d + u), (d + Fraction(u, 2)) / 2**i)
            for i, (d, u) in enumerate(zip(downs, ups, strict=True))
        ]
        masses = merging.merged(downs, ups, rate, (kept, width), BITS)
        after = [(Fraction(mass), Fraction(mass) / 2**i) for i, mass in enumerate(masses)]
        assert not wrong(before, after, above=False)

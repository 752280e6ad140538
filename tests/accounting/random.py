"""Random laws, composed on lattices and exactly: ``python -m tests.accounting.random``.

The truth is a convolution in fractions.  Lattices are made with few bits, so that every rounding
counts, from cells (laws of any losses) or points (losses that are multiples of one number), are
multiplied, coarsened and cut as often as the dice say, and have to stay on their side at every
order a = e^ε that is looked at, and at every δ.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

from dpaudit.numbers import loss_cells
from dpaudit.numbers.ball import Ball, ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.real import ZERO, rational

__all__ = ["check", "checks", "main"]

_TINY = Fraction(1, 1 << 180)

Masses = list[tuple[Fraction, Fraction]]


def convolved(law: Masses, runs: int) -> Masses:
    """Return the masses of ``runs`` runs, those of one loss together, without those P lacks."""
    joint: Masses = [(Fraction(1), Fraction(1))]
    for _ in range(runs):
        merged: dict[Fraction, tuple[Fraction, Fraction]] = {}
        for p, q in joint:
            for a, b in law:
                if p * a:
                    key = q * b / (p * a)
                    known = merged.get(key, (Fraction(0), Fraction(0)))
                    merged[key] = (known[0] + p * a, known[1] + q * b)
        joint = list(merged.values())
    return joint


def hockey_stick(joint: Masses, order: Fraction) -> Fraction:
    """Return Σ (P − a·Q)₊."""
    return sum((max(Fraction(0), p - order * q) for p, q in joint), Fraction(0))


@dataclass
class Outcome:
    """What one law showed."""

    outside: bool
    coarsened: int


def _law(dice: random.Random) -> Masses:
    count = dice.randint(2, 4)
    sides = []
    for _ in range(2):
        weights = [dice.choice([0, 1, 1, 2, 3, 5, 8, 40]) for _ in range(count)]
        if not any(weights):
            weights[0] = 1
        sides.append([Fraction(weight, sum(weights)) for weight in weights])
    return list(zip(*sides, strict=True))


def _spaced_law(dice: random.Random) -> tuple[Masses, Fraction]:
    """Return a law whose losses are multiples of ln(r), with Q as what fits P, and r."""
    ratio = Fraction(dice.randint(3, 9), 2)
    weights = {dice.randint(-2, 2): dice.randint(1, 9) for _ in range(3)}
    total = sum(weights.values())
    law = [(Fraction(w, total), Fraction(w, total) / ratio**place) for place, w in weights.items()]
    return law, ratio


def check(engine: Any, seed: int, *, coarse: bool = False) -> Outcome:
    """Compose one random law with ``engine``, the module of lattices, and hold it to the truth."""
    dice = random.Random(seed)
    runs = dice.randint(2, 6)
    bits = dice.choice([8, 12, 24, 128])
    if dice.random() < 0.3 and not coarse:
        law, ratio = _spaced_law(dice)
        made = _of_points(engine, law, ratio, bits)
    else:
        law = _law(dice)
        made = _of_cells(engine, law, Fraction(dice.randint(1, 40), 64), bits)
    joint = convolved(law, runs)
    outside, count = False, 0
    for above, lattice in made:
        found = lattice
        for _ in range(runs - 1):
            more = lattice
            while dice.random() < (0.9 if coarse else 0.3) and len(found) > 2 and count < 6:
                found, count = found.coarsened(), count + 1
            while float(more.step) < 0.9 * float(found.step):
                more = more.coarsened()
            found = found.times(more)
            if dice.random() < 0.5:
                most = (1 << bits) // 20
                found = found.windowed(dice.randint(0, most), dice.randint(0, most))
        outside = outside or not _holds(found, joint, above, dice)
    return Outcome(outside, count)


def _of_cells(engine: Any, law: Masses, step: Fraction, bits: int) -> Iterator[tuple[bool, Any]]:
    both = [(p, q) for p, q in law if p and q]
    lacking = sum((p for p, q in law if p and not q), Fraction(0))
    for above in (True, False):
        with precision(bits + 160):
            h = ball(step)
            cells: dict[int, Any] = {}
            atoms = [(ball(p), ball(q)) for p, q in both]
            for index, cell in engine.cells_of(atoms, h, above=above):
                known = cells.get(index, engine.Cell(index, Ball(0), Ball(0)))
                cells[index] = engine.Cell(index, known.p + cell.p, known.q + cell.q)
            if not cells:
                continue
            yield (
                above,
                engine.lattice_of_cells(
                    list(cells.values()),
                    rational(step),
                    bits,
                    above=above,
                    left=Ball(0),
                    right=ball(lacking) if above else Ball(0),
                    infinite=ball(lacking),
                ),
            )


def _of_points(engine: Any, law: Masses, ratio: Fraction, bits: int) -> Iterator[tuple[bool, Any]]:
    with precision(bits + 160):
        step = rational(ratio).ln()
        points: dict[int, Ball] = {}
        for p, q in law:
            place, power = 0, p / q
            while power > 1:
                place, power = place + 1, power / ratio
            while power < 1:
                place, power = place - 1, power * ratio
            points[place] = points.get(place, Ball(0)) + ball(p)
        for above in (True, False):
            lattice = engine.lattice_of_points(
                points, step, ZERO, bits, above=above, infinite=Ball(0), complete=True
            )
            yield above, lattice


def _holds(lattice: Any, joint: Masses, above: bool, dice: random.Random) -> bool:
    for _ in range(6):
        order = Fraction(dice.randint(20, 200), 20)
        truth = hockey_stick(joint, order)
        with precision(320):
            found = lattice.delta(rational(order).ln())
            if above and upper_fraction(found) < truth - _TINY:
                return False
            if not above and lower_fraction(found) > truth + _TINY:
                return False
    for _ in range(4):
        delta = Fraction(dice.randint(1, 99), 100) ** dice.choice([1, 3])
        with precision(320):
            found = lattice.epsilon(rational(delta))
            if above and not found.is_finite():
                continue
            if not found.is_finite():
                if hockey_stick(joint, Fraction(10) ** 40) < delta - _TINY:
                    return False
                continue
            end = upper_fraction(found) if above else lower_fraction(found)
            factor = ball(end).exp()
            truth_low = hockey_stick(joint, upper_fraction(factor))
            truth_high = hockey_stick(joint, lower_fraction(factor))
            if above and truth_low > delta + _TINY:
                return False
            if not above and end > 0 and truth_high < delta - _TINY:
                return False
    return True


def checks(engine: ModuleType, count: int, *, start: int = 0, coarse: bool = False) -> list[int]:
    """Return the seeds of the laws that came out on the wrong side."""
    return [
        seed for seed in range(start, start + count) if check(engine, seed, coarse=coarse).outside
    ]


def main(arguments: list[str]) -> int:
    """Check so many laws, and a tenth of them with coarsening forced; tell what was outside."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    plain = checks(loss_cells, given.count, start=given.seed)
    forced = checks(loss_cells, given.count // 10, start=given.seed, coarse=True)
    print(f"{given.count} laws: {len(plain)} outside {plain[:9]}")
    print(f"{given.count // 10} laws with coarsening forced: {len(forced)} outside {forced[:9]}")
    return 1 if plain or forced else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

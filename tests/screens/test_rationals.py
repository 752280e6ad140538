"""Floats of rational probabilities, against mpmath; tables of them, against those of balls."""

import random
from fractions import Fraction
from itertools import combinations

import mpmath
import numpy as np
import pytest

from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.quotients import Quotients
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import rational, real
from dpaudit.screens.bounds import Bound
from dpaudit.screens.candidates import candidate_pairs
from dpaudit.screens.rationals import Rationals, rational_floats
from dpaudit.screens.tables import FloatTables, PairChunk

_MOST = 2**63 - 1


def _some_pairs() -> list[tuple[int, int]]:
    rng = random.Random(5)
    pairs = [
        (1, 1),
        (1, 2),
        (1, 3),
        (1, _MOST),
        (_MOST - 1, _MOST),
        (_MOST, _MOST),
        (2**53 + 1, _MOST),
    ]
    for bits in range(2, 63):
        below = rng.randint(2 ** (bits - 1), 2**bits)
        pairs += [(rng.randint(1, below), below), (below - 1, below), (1, below)]
    return pairs


def test_floats_of_quotients_are_within_their_bounds() -> None:
    pairs = _some_pairs()
    (log, log_error), (mass, mass_error) = rational_floats(np.array(pairs).T)
    with mpmath.workdps(60):
        for place, (above, below) in enumerate(pairs):
            true = mpmath.log(mpmath.mpf(above) / below)
            assert abs(mpmath.mpf(float(log[place])) - true) <= float(log_error[place])
            off = abs(Fraction(float(mass[place])) - Fraction(above, below))
            assert off <= Fraction(float(mass_error[place]))
    assert log_error.max() < 1e-13


def test_equal_quotients_have_one_number() -> None:
    numbers = Rationals()
    assert numbers.add(None) is None
    assert numbers.add({"a": (1, 2**63)}) is None
    first = numbers.add({"a": (1, 2), "b": (1, 3)})
    second = numbers.add({"b": (1, 2), "c": (1, 4), "d": (1, 4)})
    assert first is not None
    assert second is not None
    found, pairs = numbers.numbered(10)
    kinds = found[-1 - np.concatenate((first, second))].tolist()
    assert pairs[:, np.array(kinds) - 10].T.tolist() == [[1, 2], [1, 3], [1, 2], [1, 4], [1, 4]]
    assert sorted(set(kinds)) == [10, 11, 12]


def _laws(seed: int, *, normalised: bool, long: bool) -> list[dict[object, tuple[int, int]]]:
    rng = random.Random(seed)
    most = 10**30 if long else 9
    laws: list[dict[object, tuple[int, int]]] = []
    for _ in range(12):
        weights = [rng.randint(1, most) for _ in range(rng.randint(2, 4))]
        total = sum(weights) if normalised else rng.randint(1, 99)
        laws.append({o: Fraction(w, total).as_integer_ratio() for o, w in enumerate(weights)})
    return laws


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_tables_of_quotients_are_those_of_balls(seed: int, normalised: bool, long: bool) -> None:
    """The same ties and the same numbers, to within both errors, hold the same candidates."""
    given = _laws(seed, normalised=normalised, long=long)
    mixed = [
        Quotients(table)
        if place % 2
        else {o: rational(Fraction(*pair)) for o, pair in table.items()}
        for place, table in enumerate(given)
    ]
    closed = [{o: rational(Fraction(*pair)) for o, pair in table.items()} for table in given]
    with precision(96):
        made = [
            FloatTables([ExplicitLaw(one, normalised=normalised) for one in laws])
            for laws in ([Quotients(table) for table in given], mixed, closed)
        ]
    quick, _, plain = made
    left, right = np.array(list(combinations(range(len(given)), 2))).T
    chunk = PairChunk(0, left, right)
    bounds = [Bound("loss"), Bound("delta", real("1/3")), Bound("kl")]
    expected = [best.lower for best in candidate_pairs(plain, [chunk], bounds)]
    for tables in made:
        assert tables.full == plain.full
        there = plain.masses > 0
        assert ((tables.masses > 0) == there).all()
        logs = [np.where(there, one.logs, 0.0) for one in (tables, plain)]
        assert (np.abs(logs[0] - logs[1]) <= tables.log_error + plain.log_error).all()
        off = np.abs(tables.masses - plain.masses).sum(axis=0)
        assert (off <= tables.mass_error + plain.mass_error).all()
        found = candidate_pairs(tables, [chunk], bounds)
        for best, lower in zip(found, expected, strict=True):
            assert best.lower == pytest.approx(lower, abs=1e-12)
            assert best.numbers
    if normalised and not long:
        ties = [len(set(quick.patterns(chunk))), len(set(plain.patterns(chunk)))]
        assert ties[0] == ties[1]

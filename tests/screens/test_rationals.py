"""Floats of rational probabilities, against mpmath; tables of them, against those of balls."""

import random
import tracemalloc
from collections.abc import Hashable, Iterator
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
from dpaudit.screens.rationals import Rationals, logarithms
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
    rounded = Rationals().add(dict(enumerate(pairs)))
    assert rounded is not None
    log, error = logarithms(rounded.masses)
    with mpmath.workdps(60):
        for place, (above, below) in enumerate(pairs):
            true = mpmath.log(mpmath.mpf(above) / below)
            assert abs(mpmath.mpf(float(log[place])) - true) <= float(error[place])
            mass = Fraction(float(rounded.masses[place]))
            assert abs(mass - Fraction(above, below)) <= mass * Fraction(1, 2**53)
    assert error.max() < 1e-13


def test_whole_numbers_are_kept_where_floats_are_not_enough() -> None:
    numbers = Rationals()
    assert numbers.add(None) is None
    assert numbers.add({"a": (1, 2**63)}) is None
    first = numbers.add({"a": (2**61, 2**62), "b": (1, 3), "c": (2**40, 3 * 2**40 + 1)})
    second = numbers.add({"a": (2**39, 3 * 2**39 + 1), "b": (2**40, 3 * 2**40 + 1), "d": (1, 2)})
    assert first is not None
    assert second is not None
    assert (first.large.tolist(), second.large.tolist()) == ([2], [0, 1])
    assert (first.first, second.first) == (0, 1)
    one, other, same = numbers.numbered(10).tolist()
    assert one == same != other
    assert min(one, other) == 10


def test_floats_tell_quotients_of_small_numbers_apart() -> None:
    """Neighbours in a Farey sequence are as near to each other as two quotients can be."""
    rng = random.Random(3)
    most = 2**26 - 1
    for _ in range(2000):
        below = rng.randint(most // 2, most)
        above = rng.randint(1, below)
        if Fraction(above, below).denominator != below:
            continue
        # the largest other denominator d with c·below − above·d = 1
        other = pow(-above, -1, below) if below > 1 else 1
        near = (above * other + 1) // below
        assert near * below - above * other == 1
        rounded = Rationals().add({"p": (above, below), "q": (near, other), "r": (above, below)})
        assert rounded is not None
        p, q, r = rounded.masses.tolist()
        assert p == r != q
        assert not len(rounded.large)


def _laws(seed: int, *, normalised: bool, most: int) -> list[dict[object, tuple[int, int]]]:
    rng = random.Random(seed)
    laws: list[dict[object, tuple[int, int]]] = []
    for _ in range(12):
        weights = [rng.randint(1, most) for _ in range(rng.randint(2, 4))]
        total = sum(weights) if normalised else rng.randint(1, 99)
        laws.append({o: Fraction(w, total).as_integer_ratio() for o, w in enumerate(weights)})
    return laws


@pytest.mark.parametrize("few", [0, 1 << 13])
@pytest.mark.parametrize("most", [9, 2**40, 10**30])
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_tables_of_quotients_are_those_of_balls(
    seed: int, normalised: bool, most: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same ties and the same numbers, to within both errors, hold the same candidates."""
    monkeypatch.setattr("dpaudit.screens.tables._FEW", few)
    given = _laws(seed, normalised=normalised, most=most)
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
    if normalised and most == 9:
        ties = [len(set(quick.patterns(chunk))), len(set(plain.patterns(chunk)))]
        assert ties[0] == ties[1]


@pytest.mark.parametrize("few", [0, 1 << 13])
@pytest.mark.parametrize("seed", range(8))
def test_equal_keys_are_equal_probabilities(
    seed: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpaudit.screens.tables._FEW", few)
    rng = random.Random(seed)
    near = [Fraction(2**40 + i, 3 * 2**40 + 7) for i in range(3)]
    near += [Fraction(2**58 + i, 3 * 2**58 + 7) for i in range(3)]  # one float for all three
    near += [Fraction(1, 3), Fraction(1, 4), Fraction(1, 10**20)]
    laws: list[dict[object, Fraction]] = []
    for _ in range(9):
        some = rng.sample(near, 2)
        laws.append({"a": some[0], "b": some[1], "rest": 1 - some[0] - some[1]})
    given = [Quotients({o: p.as_integer_ratio() for o, p in law.items()}) for law in laws]
    with precision(96):
        tables = FloatTables([ExplicitLaw(one) for one in given])
        tables.number(few or None)
    known: dict[float, Fraction] = {}
    for x, law in enumerate(laws):
        for row, output in enumerate(("a", "b", "rest")):
            assert known.setdefault(float(tables.keys[row, x]), law[output]) == law[output]
    assert len({float(mass) for mass in map(float, near)}) < len(near)


def _many(datasets: int, outputs: int) -> Iterator[ExplicitLaw]:
    """Iterate over laws of which hardly two probabilities are equal."""
    for x in range(datasets):
        weights = [1000 + (x * 7919 + r * r * 104729) % 997 for r in range(outputs)]
        total = sum(weights)
        pairs: dict[Hashable, tuple[int, int]] = {
            r: Fraction(w, total).as_integer_ratio() for r, w in enumerate(weights)
        }
        yield ExplicitLaw(Quotients(pairs))


def test_tables_and_a_screen_take_three_times_the_matrix_at_most() -> None:
    datasets, outputs = 250, 1000
    left, right = np.array(list(combinations(range(datasets), 2))[:4000]).T
    chunks = [PairChunk(i, left[i : i + 15], right[i : i + 15]) for i in range(0, 4000, 15)]
    bounds = [Bound("loss"), Bound("delta", real("1/2"))]
    candidate_pairs(FloatTables(_many(20, 10)), [PairChunk(0, left[:9], right[:9])], bounds)
    tracemalloc.start()
    try:
        tables = FloatTables(_many(datasets, outputs), datasets=datasets)
        assert len(chunks[0].left) <= tables.pairs_at_once
        candidate_pairs(tables, chunks, bounds)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= 3 * 8 * datasets * outputs

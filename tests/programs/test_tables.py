"""Tables of cumulative weights: their cells are those of the real functions, bit for bit."""

import bisect
import itertools
import math
import random
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.machine import Deadline
from dpaudit.programs.as_run import tables
from dpaudit.programs.as_run.curves import UNIT, WORDS, Curve
from dpaudit.programs.as_run.supply import Exploring
from dpaudit.programs.as_run.tables import Table, chosen_from
from dpaudit.programs.exploring.run import Run
from dpaudit.programs.real.installed import real_generator
from tests.campaigns import part

ALL = (0, WORDS - 1)
KINDS = ("RandomState", "Generator")
Cells = tuple[tuple[int, tuple[int, int]], ...]


def law(function: Callable[..., Any], **more: Any) -> dict[Any, Fraction]:
    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True, **more)(function)
    masses = {output: mass.as_fraction() for output, mass in made.law(0).items()}
    found = {output: mass for output, mass in masses.items() if mass is not None}
    assert len(found) == len(masses)
    assert sum(found.values()) == 1
    return found


def reason(function: Callable[..., Any]) -> str:
    with pytest.raises(LawError) as refused:
        law(function)
    return str(refused.value)


def halved(index: Callable[[Sequence[int]], Sequence[int]], count: int) -> Cells:
    """Return the cells of a function of k that never falls, each end found by halving."""
    low, high = [0] * count, [WORDS] * count
    while any(first < last for first, last in zip(low, high, strict=True)):
        middle = [(first + last) // 2 for first, last in zip(low, high, strict=True)]
        there = index([min(k, WORDS - 1) for k in middle])
        for place in range(count):  # where the index is first above the place
            if low[place] >= high[place]:
                continue
            if there[place] > place:
                high[place] = middle[place]
            else:
                low[place] = middle[place] + 1
    starts = [0, *low]
    return tuple(
        (place, (first, last - 1))
        for place, (first, last) in enumerate(itertools.pairwise([*starts, WORDS]))
        if first < last
    )


def weights(parts: Sequence[float]) -> Any:
    found = np.asarray(parts, dtype=float)
    return found / found.sum()


PARTS = st.lists(
    st.one_of(
        st.just(0.0),
        st.floats(1e-300, 1.0),
        st.sampled_from((1.0, 0.1, 1 / 3, 2.0**-53, 2.0**-60, 5e-324)),
    ),
    min_size=1,
    max_size=12,
).filter(lambda parts: sum(parts) > 1e-290)


@given(PARTS, st.sampled_from(KINDS), st.sampled_from((0.0, 1e-9, -1e-9)))
@settings(max_examples=60, deadline=None)
def test_the_cells_of_a_choice_are_those_of_numpy(
    parts: list[float], kind: str, off: float
) -> None:
    """Zero weights, ties among their sums, and sums that are not 1 in floats."""
    p = weights(parts)
    p[p.argmax()] += off
    if not p.max() > 0 or abs(math.fsum(p) - 1) > 1e-8:
        return

    def index(ks: Sequence[int]) -> list[int]:
        generator = real_generator(kind, ks)
        return [int(one) for one in generator.choice(len(p), size=len(ks), p=p)]

    assert chosen_from(kind, p).cells(UNIT, ALL, rises=True) == halved(index, len(p) - 1)


def test_the_generators_that_tables_are_held_to_give_the_chosen_uniforms() -> None:
    ks = [0, 1, WORDS - 1, 12345678901234, WORDS // 3]
    for kind in KINDS:
        assert [*real_generator(kind, ks).random(len(ks))] == [k * 2.0**-53 for k in ks]


@given(PARTS, st.sampled_from((1, 3.7, 1e-3, 1e300)))
@settings(max_examples=part(40, 8), deadline=None)
def test_the_cells_of_choices_are_those_of_python(parts: list[float], scale: float) -> None:
    scaled = [part * scale for part in parts]
    sums = [*itertools.accumulate(scaled)]
    if not 0 < sums[-1] < math.inf:
        return

    class Fed(random.Random):
        k = 0

        def random(self) -> float:
            return self.k * 2.0**-53

    def index(ks: Sequence[int]) -> list[int]:
        found = []
        for k in ks:
            generator = Fed()
            generator.k = k
            found += generator.choices(range(len(scaled)), scaled)
        return found

    cells = halved(index, len(scaled) - 1)
    expected = {place: Fraction(high - low + 1, WORDS) for place, (low, high) in cells}
    assert law(lambda _: random.choices(range(len(scaled)), scaled)[0]) == expected


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=8),
    st.floats(-4, 4),
    st.floats(-2, 2),
)
@settings(max_examples=60, deadline=None)
def test_any_monotone_float_is_looked_up_as_bisect_does(
    ends: list[float], factor: float, shift: float
) -> None:
    ends.sort()

    def value(k: int) -> float:
        return k * 2.0**-53 * factor + shift

    curve = Curve(value, ("a test", factor, shift), frozenset())
    cells = Table(ends, tuple(ends)).cells(curve, ALL, rises=factor >= 0)
    assert cells[0][1][0] == 0
    assert cells[-1][1][1] == WORDS - 1
    for index, (low, high) in cells:
        assert [bisect.bisect_right(ends, value(k)) for k in (low, high)] == [index, index]
    for (_, (_, before)), (_, (after, _)) in itertools.pairwise(cells):
        assert after == before + 1
    assert len({index for index, _ in cells}) == len(cells)


def test_a_choice_is_one_decision_however_many_items_there_are() -> None:
    run = Run(())
    supply = Exploring(run)
    p = weights([1.0, *(0.0,) * 10, *(k + 1.0 for k in range(989))])
    supply.index(supply.cut("RandomState", p), supply.unit())
    (decision,) = run.decisions
    assert decision.ways == np.count_nonzero(p)


def test_bisect_looks_up_floats_that_fall_and_slices() -> None:
    sums = (0.1, 0.1, 0.25, 0.7, 1)
    found = law(lambda _: bisect.bisect(sums, 1 - random.random(), 1, 4))
    # the least k of which 1 - k·2⁻⁵³ is below an end
    turns = [math.floor((1 - Fraction(end)) * WORDS) + 1 for end in sums[1:4]]
    masses = [WORDS - turns[0], turns[0] - turns[1], turns[1] - turns[2], turns[2]]
    assert found == {1 + place: Fraction(mass, WORDS) for place, mass in enumerate(masses)}


def test_other_numbers_are_looked_up_as_bisect_does() -> None:
    thirds = [Fraction(1, 3), Fraction(2, 3)]
    beyond = [-math.inf, -1e300, 0, 0.25, 1, 1e300, math.inf]
    for sums in (
        [0.5, 0.2, 0.9],
        [0.25, math.nan, 0.5],
        [math.nan],
        thirds,
        beyond,
        [2**60, 2**70],
    ):
        found = law(lambda _, sums=sums: bisect.bisect(sums, random.random()))
        for output, mass in found.items():
            ks = (
                k
                for k in range(0, WORDS, WORDS // 4096)
                if bisect.bisect(sums, k / WORDS) == output
            )
            assert abs(sum(1 for _ in ks) / 4096 - mass) < 1e-3


def test_a_table_is_that_of_the_weights_as_they_are_at_the_call() -> None:
    p = np.array([0.5, 0.5, 0.0])

    def twice(_: int) -> tuple[int, int]:
        p[:] = 0.5, 0.5, 0.0
        first = np.random.choice(3, p=p)
        p[:] = 0.0, 0.25, 0.75
        return int(first), int(np.random.choice(3, p=p))

    quarter = Fraction(1, 8)
    assert law(twice) == {
        (first, second): quarter * (1 + 2 * (second - 1)) for first in (0, 1) for second in (1, 2)
    }


def test_weights_that_numpy_refuses_are_refused_after_others_were_taken() -> None:
    def wrong(_: int) -> int:
        np.random.choice(2, p=[0.5, 0.5])
        return int(np.random.choice(2, p=[0.5, 0.6]))

    (raised,) = law(wrong)
    assert "probabilities do not sum to 1" in str(raised)


def test_what_weights_do_is_watched() -> None:
    class Weight:
        def __float__(self) -> float:
            return 0.5 + 0 * time.time()

    def timed(_: int) -> int:
        heavy: Any = [Weight(), 0.5]
        return int(np.random.choice(2, p=heavy))

    assert "time.time" in reason(timed)


def test_what_stands_in_the_shared_generator_is_watched() -> None:
    def timed(_: int) -> bool:
        shared = vars(random._inst)
        shared["random"] = lambda: 0.5 + 0 * time.time()
        try:
            return random.random() < 0.5
        finally:
            del shared["random"]

    assert "time.time" in reason(timed)


@pytest.mark.parametrize("kind", KINDS)
def test_sums_that_are_not_numpys_are_found_out(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def otherwise(given: Any) -> Any:
        ends = np.asarray(given).cumsum() / np.asarray(given).sum()
        ends[0] = np.nextafter(ends[0], 1)
        return ends

    monkeypatch.setattr(tables, "cumulative", otherwise)
    p = np.array([0.7, 0.2, 0.1]) + 0

    def chosen(_: int) -> int:
        made: Any = np.random if kind == "RandomState" else np.random.default_rng()
        return int(made.choice(3, p=p))

    tables._TABLES.clear()
    try:
        assert "s choice with these weights takes a different item than" in reason(chosen)
    finally:
        tables._TABLES.clear()


def test_code_that_does_otherwise_at_one_item_is_found_out() -> None:
    p = weights([1.0] * 300)
    real: list[int] = []

    def sly(_: int) -> int:
        found = int(np.random.choice(300, p=p))
        real.append(found)
        return -1 if found == 123 and real.count(123) > 1 else found

    assert reason(sly)


def test_a_deadline_passes_when_its_time_is_used() -> None:
    assert not Deadline(1e9).passed()
    assert Deadline(0).passed()
    assert Deadline(-1).passed()

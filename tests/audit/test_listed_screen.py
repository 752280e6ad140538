"""Laws that are listed are screened whatever they are, and what is left are few pairs."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dpaudit import check
from dpaudit.audit import scan as scanning
from dpaudit.audit.plan import Pairs, Plan
from dpaudit.audit.screen import NumberedPairs, screened_pairs
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.numbers.ball import lower_fraction, precision, upper_fraction
from dpaudit.numbers.real import real
from dpaudit.results import Budget, Verdict
from dpaudit.screens.bounds import Bound, NotScreened
from dpaudit.screens.candidates import candidate_pairs
from dpaudit.screens.tables import FloatTables, PairChunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _randomised_response(count: int) -> FiniteMechanism:
    def law(x: int) -> dict[int, Fraction]:
        return {r: Fraction(1 + 2 * (r == x), count + 2) for r in range(count)}

    return finite_mechanism(datasets=range(count), neighbours="all", budget="ln(3)")(law)


def _counted(mechanism: FiniteMechanism, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, int]:
    """Return the result, and how many pairs were looked at in balls."""
    looked: list[int] = []
    scan = scanning.scan

    def counting(*given: Any, **more: Any) -> Any:
        found = scan(*given, **more)
        looked.append(found.covered)
        return found

    monkeypatch.setattr(scanning, "scan", counting)
    return check(mechanism).only, max(looked)


def test_of_pairs_that_tie_one_is_left_for_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    result, looked = _counted(_randomised_response(30), monkeypatch)
    assert looked == 1
    assert result.pairs == result.pairs_covered == 435
    assert result.verdict is Verdict.WITHIN
    assert result.epsilon.exact == real("ln(3)")
    assert (result.witness.x, result.witness.y, result.witness.output) == (0, 1, 0)


def test_an_impossible_output_leaves_one_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = finite_mechanism(datasets=range(40), neighbours="all", budget="1")(lambda x: {x: 1})
    result, looked = _counted(subject, monkeypatch)
    assert looked <= 2
    assert result.epsilon.lower.is_infinite()
    assert (result.witness.x, result.witness.y, result.witness.output) == (0, 1, 0)


def test_a_hair_is_left_to_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pairs nearer to each other than floats tell, every one is looked at."""

    def law(x: int) -> dict[str, Fraction]:
        hair = Fraction(x * (37 - x), 10**30)
        return {"a": Fraction(1, 2) + hair, "b": Fraction(1, 2) - hair}

    subject = finite_mechanism(datasets=range(37), neighbours="all", budget="1e-20")(law)
    result, looked = _counted(subject, monkeypatch)
    assert looked > 100
    assert {result.witness.x, result.witness.y} == {0, 18}
    loss = result.epsilon.exact
    assert loss is not None
    assert loss == real("ln((1/2 + 342e-30)/(1/2))") or result.witness.output == "b"


def test_any_two_of_many_datasets_are_never_listed() -> None:
    relation = _randomised_response(100_000).adjacency()
    assert relation.pair_count(1) == 4_999_950_000
    pairs: Iterator[Any] = relation.pairs(1)
    assert next(pairs) == (0, 1)


@pytest.mark.parametrize("count", [2, 3, 7, 24])
def test_pairs_are_numbered_in_the_order_of_the_relation(count: int) -> None:
    plan = Plan(Budget(real("1"), real("0")))
    pairs = Pairs(_randomised_response(count), 1, plan)
    numbered = NumberedPairs(pairs)
    listed = list(combinations(range(count), 2))
    assert [numbered[number] for number in range(numbered.count)] == listed == list(pairs)
    chunks = list(numbered.chunks(5))
    assert [chunk.first for chunk in chunks] == list(range(0, len(listed), 5))
    joined = [np.concatenate([chunk[side] for chunk in chunks]).tolist() for side in (1, 2)]
    assert list(zip(*joined, strict=True)) == listed


_WEIGHTS: list[Callable[[random.Random], str]] = [
    lambda rng: f"exp(-{rng.randint(0, 3000)}/{rng.randint(1, 9)})",
    lambda rng: str(Fraction(rng.randint(1, 10**9), rng.randint(1, 10**9))),
    lambda rng: f"1 + 1e-{rng.randint(10, 40)}",
    lambda rng: f"1e-{rng.randint(1, 320)}",
]


@pytest.mark.parametrize("seed", range(12))
def test_floats_are_within_their_bounds_of_balls(seed: int) -> None:
    rng = random.Random(seed)
    laws = [
        ExplicitLaw({r: real(rng.choice(_WEIGHTS)(rng)) for r in range(5)}, normalised=False)
        for _ in range(6)
    ]
    with precision(96):
        tables = FloatTables(laws)
    left, right = np.array(list(combinations(range(6), 2))).T
    chunk = PairChunk(0, left, right)
    difference = tables.differences(chunk)
    epsilon = real("1/3")
    with precision(128):
        factor = float(epsilon.exp().ball())
    deltas, error = tables.deltas(chunk, factor)
    with precision(4000):
        for place, (x, y) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            divergence = laws[x].divergence_from(laws[y])
            bound = Fraction(float(tables.log_error[x] + tables.log_error[y]))
            for row in range(5):
                loss = divergence.loss_at(row, forward=True).ball
                found = Fraction(float(difference[row, place]))
                assert found - bound <= lower_fraction(loss)
                assert upper_fraction(loss) <= found + bound
                assert bound < Fraction(1, 10**9)
            both = [divergence.hockey_stick(epsilon, forward=way).ball for way in (True, False)]
            delta, within = Fraction(float(deltas[place])), Fraction(float(error[place]))
            largest = both[0].max(both[1])
            assert delta - within <= lower_fraction(largest)
            assert upper_fraction(largest) <= delta + within
            assert within < Fraction(1, 10**12)


def test_what_floats_cannot_hold_is_left_to_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    laws = [ExplicitLaw({0: real("1")}), ExplicitLaw({0: real("1/2"), 1: real("1/2")})]
    monkeypatch.setattr("dpaudit.screens.bounds.MOST_ENTRIES", 3)
    with pytest.raises(NotScreened, match="large"):
        FloatTables(laws)
    subject = _randomised_response(25)
    plan = Plan(Budget(real("1"), real("0")))
    bounds = [Bound("loss"), Bound("delta", plan.held_to.epsilon)]
    assert screened_pairs(subject, Pairs(subject, 1, plan), bounds) is None
    assert check(subject).only.epsilon.exact == real("ln(3)")


def test_every_pair_is_told_of() -> None:
    laws = [ExplicitLaw({0: real(f"{i}/9"), 1: real(f"{9 - i}/9")}) for i in range(1, 9)]
    with precision(96):
        tables = FloatTables(laws)
    told: list[int] = []
    left, right = np.array(list(combinations(range(8), 2))).T
    chunks = [PairChunk(i, left[i : i + 3], right[i : i + 3]) for i in range(0, len(left), 3)]
    bounds = [Bound("loss"), Bound("delta", real("1")), Bound("delta", real("400"))]
    found = [max(best.numbers) for best in candidate_pairs(tables, chunks, bounds, told.append)[:2]]
    assert sum(told) == 28
    assert (int(left[found[-1]]), int(right[found[-1]])) in {(0, 7)}

"""Relations that are taken for one another: each name means one, and what may mean two is refused.

On tuples of whole numbers "one record is replaced" has two readings, and either one passes what the
other rejects.  A mechanism made for one relation must fail under every other that has more pairs.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from dpaudit import check
from dpaudit.data import neighbouring
from dpaudit.data.neighbouring import are_counts
from dpaudit.errors import AmbiguousRelationError, LawError, ParameterError
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.mechanisms.user_laws import frozen, thawed
from dpaudit.recheck import histograms as recheck_relations
from dpaudit.results import Verdict
from tests.pages import PAGES

RELATIONS = {
    name: relation
    for name, relation in neighbouring.RELATIONS.items()
    if name not in ("adjacent", "one-key")  # which are of numbers and of mappings
}
Tuples = list[tuple[int, ...]]
BITS: Tuples = list(product((0, 1), repeat=2))
SPACE: Tuples = [(), *product(range(3), repeat=1), *product(range(3), repeat=2), (0, 0, 1)]


def one_hot(neighbours: Any, datasets: Any = BITS) -> FiniteMechanism:
    """Randomise every cell with ε = 1, as if a record changed one of them."""

    @finite_mechanism(budget=1, datasets=datasets, neighbours=neighbours, normalised=False)
    def cells(counts: Any) -> dict[Any, str]:
        return {
            told: f"exp({sum(a == b for a, b in zip(counts, told, strict=True))})"
            for told in product((0, 1), repeat=2)
        }

    return cells


def count(neighbours: Any, most: int = 4) -> FiniteMechanism:
    """Release one count with an error that decays so that one record more or less costs ε = 1."""

    @finite_mechanism(
        budget=1, datasets=[(c,) for c in range(most)], neighbours=neighbours, normalised=False
    )
    def counted(counts: Any) -> dict[int, str]:
        return {r: f"exp(-{abs(counts[0] - r)}/2)" for r in range(most)}

    return counted


@pytest.mark.parametrize("bare", [None, "substitution", "add-remove"])
def test_relations_a_histogram_calibrated_for_one_cell_does_not_pass(bare: str | None) -> None:
    with pytest.raises(AmbiguousRelationError, match=r"histogram-(substitution|add-remove) \("):
        check(one_hot(bare))
    assert str(check(one_hot("one-entry")).epsilon.exact) == "1"
    found = check(one_hot("histogram-substitution"))
    assert (found.verdict, str(found.epsilon.exact)) == (Verdict.EXCEEDS, "2")
    assert {found.witness.x, found.witness.y} == {(0, 1), (1, 0)}


@pytest.mark.parametrize("bare", [None, "substitution", "add-remove"])
def test_relations_a_correct_count_is_not_accused(bare: str | None) -> None:
    with pytest.raises(AmbiguousRelationError):
        check(count(bare))
    assert check(count("histogram-add-remove")).verdict is Verdict.WITHIN
    assert check(count("one-entry")).verdict is Verdict.EXCEEDS  # 0 against 3 is asked for


# -- every relation against every other ------------------------------------------------------------


def moves(a: Any, b: Any) -> list[int]:
    return [s - t for s, t in zip(a, b, strict=True)] if len(a) == len(b) else []


ONE_SIGN: list[set[int]] = [{1}, {-1}, {0, 1}, {0, -1}]
BOTH_SIGNS: list[set[int]] = [{1, -1}, {0, 1, -1}]
MEANINGS: dict[str, Callable[[Any, Any], bool]] = {
    "one-entry": lambda a, b: len([m for m in moves(a, b) if m]) == 1,
    "histogram-substitution": lambda a, b: sorted(m for m in moves(a, b) if m) == [-1, 1],
    "histogram-add-remove": lambda a, b: [abs(m) for m in moves(a, b) if m] == [1],
    "sequence-add-remove": lambda a, b: any(
        short in [long[:i] + long[i + 1 :] for i in range(len(long))]
        for short, long in ((a, b), (b, a))
    ),
    "multiset-add-remove": lambda a, b: any(
        sorted(short) in [sorted(long[:i] + long[i + 1 :]) for i in range(len(long))]
        for short, long in ((a, b), (b, a))
    ),
    "unit-moves": lambda a, b: a != b and set(moves(a, b)) in ONE_SIGN + BOTH_SIGNS,
    "unit-moves-one-sign": lambda a, b: a != b and set(moves(a, b)) in ONE_SIGN,
    "all": lambda a, b: a != b,
}


def pairs(name: str) -> list[tuple[Any, Any]]:
    return [pair for pair in combinations(SPACE, 2) if MEANINGS[name](*pair)]


OTHERS = [
    (made, asked, next(pair for pair in pairs(asked) if pair not in pairs(made)))
    for made, asked in product(RELATIONS, repeat=2)
    if set(pairs(asked)) - set(pairs(made))
]


def test_relations_all_names_are_attacked() -> None:
    assert set(MEANINGS) == set(RELATIONS)
    assert set(neighbouring.RELATIONS) == set(recheck_relations.RELATIONS)
    inside = {(a, b) for a, b in product(RELATIONS, repeat=2) if set(pairs(b)) <= set(pairs(a))}
    assert inside - {(a, a) for a in RELATIONS} - {("all", b) for b in RELATIONS} == {
        ("unit-moves", "unit-moves-one-sign"),
        ("unit-moves", "histogram-substitution"),
        ("unit-moves", "histogram-add-remove"),
        ("unit-moves-one-sign", "histogram-add-remove"),
        ("one-entry", "histogram-add-remove"),
        ("multiset-add-remove", "sequence-add-remove"),
    }
    assert len(OTHERS) == 8 * 8 - len(inside)


@pytest.mark.parametrize(("made", "asked", "pair"), OTHERS, ids=str)
def test_relations_what_keeps_one_fails_another(made: str, asked: str, pair: Any) -> None:
    """ln 2 to all others, ln 3 between two datasets that only the other relation compares."""
    chances = dict(zip(pair, (Fraction(3, 4), Fraction(1, 4)), strict=True))

    def law(dataset: Any) -> dict[bool, Fraction]:
        chance = chances.get(dataset, Fraction(1, 2))
        return {True: chance, False: 1 - chance}

    def audited(name: str) -> Any:
        return check(finite_mechanism(budget="ln(2)", datasets=SPACE, neighbours=name)(law))

    assert audited(made).verdict is Verdict.WITHIN
    found = audited(asked)
    assert (found.verdict, str(found.epsilon.exact)) == (Verdict.EXCEEDS, "ln(3)")
    assert {found.witness.x, found.witness.y} == set(pair)


@pytest.mark.parametrize("name", neighbouring.RELATIONS)
def test_relations_are_written_down(name: str) -> None:
    meaning = neighbouring.RELATIONS[name].meaning
    assert f"| `{name}` | {meaning} |" in PAGES["docs/own-mechanisms.md"]


@pytest.mark.parametrize("name", RELATIONS)
def test_relations_are_symmetric_and_defined_twice(name: str) -> None:
    for left, right in product(SPACE, repeat=2):
        expected = MEANINGS[name](left, right)
        for definition in (RELATIONS[name].adjacent, recheck_relations.RELATIONS[name]):
            assert definition(left, right) == definition(right, left) == expected


@pytest.mark.parametrize(
    ("name", "left", "right", "are"),
    [
        ("adjacent", 1.05, 0.05, True),
        ("adjacent", 1.05, 0.04, False),
        ("adjacent", float("inf"), float("inf"), False),
        ("adjacent", float("inf"), 0, False),
        ("adjacent", float("nan"), 0, False),
        ("adjacent(5/2)", 0, 2.5, True),
        ("adjacent(5/2)", 0, Fraction(5, 2) + Fraction(1, 10**30), False),
        ("adjacent(5/2)", 3, 3, False),
        ("adjacent", np.uint8(0), np.uint8(1), True),
        ("adjacent(5/2)", np.float32(0), np.float32(2.5), True),
        ("unit-moves", (np.uint8(0), np.uint8(7)), (np.uint8(1), np.uint8(6)), True),
        ("unit-moves", (np.uint8(0),), (np.uint8(255),), False),
        ("multiset-add-remove", frozenset("ab"), frozenset("b"), True),
        ("multiset-add-remove", frozenset("ab"), frozenset("bc"), False),
        ("multiset-add-remove", ("a", "b", "a"), ("a", "a"), True),
        ("multiset-add-remove", ("a", "b", "a"), ("b", "b"), False),
    ],
)
def test_relations_of_numbers_and_records(name: str, left: Any, right: Any, are: bool) -> None:
    relation = neighbouring.by_name(name)
    assert relation is not None
    for definition in (relation.adjacent, recheck_relations.relation_called(name)):
        assert definition is not None
        assert definition(left, right) is definition(right, left) is are


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("adjacent(2.50)", "adjacent(5/2)"),
        ("adjacent( 10 )", "adjacent(10)"),
        ("adjacent(1.0)", "adjacent"),
        ("adjacent(0)", None),
        ("adjacent(-1)", None),
        ("adjacent(1/0)", None),
        ("adjacent(1e9)", None),
        ("adjacent()", None),
    ],
)
def test_relations_with_a_number_have_one_name(given: str, name: str | None) -> None:
    relation = neighbouring.by_name(given)
    assert (relation and relation.name) == name
    if name is not None:
        assert recheck_relations.relation_called(name) is not None
        assert neighbouring.by_name(name) is neighbouring.by_name(name)
        assert neighbouring.read_relation(given)[0].name == name


@pytest.mark.parametrize("name", ["adjacent(2.5)", "adjacent(02)", "adjacent(4/2)", "adjacent(0)"])
def test_relations_with_a_number_have_no_other_name_in_reports(name: str) -> None:
    assert recheck_relations.relation_called(name) is None


# -- which datasets need a choice ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("datasets", "counts"),
    [
        (BITS, True),
        ([(2, 0), (1, 1)], True),
        ([(1.0, 0.0), (0.0, 1.0)], True),
        ([(Fraction(2), 0), (1, 1)], True),
        ([(), (0,), (1,)], True),
        ([(0, 2), "nobody"], True),
        ([(True, 3), (False, 3)], True),
        ([(True, False), (False, False)], False),
        ([(0, None), (0, 1)], False),
        ([("a", 1), ("b", 1)], False),
        ([(0.5, 1), (0, 1)], False),
        ([(float("nan"), 0), (0, 0)], False),
        ([()], False),
        (["00", "01"], False),
        ([0, 1, 2], False),
    ],
)
def test_relations_tuples_of_whole_numbers_need_one(datasets: list[Any], counts: bool) -> None:
    assert are_counts(datasets) is counts
    assert recheck_relations.may_be_histograms(datasets) is counts

    def law(dataset: Any) -> dict[int, str]:
        return {0: "1/2", 1: "1/2"}

    sized = finite_mechanism(budget=1, datasets=lambda n: datasets)(law)
    for made in (finite_mechanism(budget=1, datasets=datasets)(law), sized):
        refused = False
        try:
            found = check(made, 1)
        except AmbiguousRelationError:
            refused = True
        except LawError:  # no neighbours, or none by the default of what depends on n
            continue
        assert refused is counts
        if not counts:
            assert found.audit.adjacency_defaulted


def test_relations_histograms_are_of_whole_numbers() -> None:
    for datasets in (["00", "01"], [(True, False), (False, True)], [(-1, 1), (0, 0)]):
        with pytest.raises(LawError, match="tuples of whole numbers ≥ 0"):
            check(one_hot("histogram-substitution", datasets))


def test_relations_nobody_named_may_be_asked_for() -> None:
    made = one_hot(None)
    assert check(made, adjacency="one-entry").verdict is Verdict.WITHIN
    found = check(made, adjacency="histogram-substitution")
    assert found.verdict is Verdict.EXCEEDS
    assert not found.audit.adjacency_defaulted
    with pytest.raises(AmbiguousRelationError):
        check(made, adjacency="substitution")
    with pytest.raises(
        ParameterError, match="its own neighbours, one-entry, and accepts no others"
    ):
        check(one_hot("one-entry"), adjacency="histogram-substitution")


def votes(counts: dict[str, int]) -> int:
    """Return the votes for one option, with noise for one vote more or less."""
    return counts.get("a", 0) + random.choice([-1, 0, 1])


MAPPINGS = [{"a": a, "b": b} for a in range(3) for b in range(2)]


def one_vote(left: dict[str, int], right: dict[str, int]) -> bool:
    return sum(abs(left[key] - right[key]) for key in left) == 1


def test_mappings_of_counts_have_the_relations_of_histograms() -> None:
    """By name, by a function of the mappings themselves, and as a list of pairs: the same pairs."""
    pairs = [pair for pair in combinations(MAPPINGS, 2) if one_vote(*pair)]
    found: list[Any] = [
        check(votes, inputs=MAPPINGS, neighbours=neighbours, budget=1)
        for neighbours in ("histogram-add-remove", one_vote, pairs)
    ]
    assert {one.report.results[0].pairs for one in found} == {len(pairs)}
    for neighbours in (one_vote, pairs):
        drawn: Any = check(votes, inputs=MAPPINGS, neighbours=neighbours, budget=1, only="drawn")
        assert one_vote(*map(thawed, (drawn.report.event.x, drawn.report.event.y)))


def test_a_key_that_is_left_out_counts_nothing() -> None:
    adjacent = neighbouring.HISTOGRAM_ADD_REMOVE.adjacent
    substituted = neighbouring.HISTOGRAM_SUBSTITUTION.adjacent
    for left, right in combinations(map(frozen, [{}, {"a": 0}, {"a": 1}, {"a": 1, "b": 1}]), 2):
        mine, other = (dict(one.items) for one in (left, right))
        moved = [mine.get(key, 0) - other.get(key, 0) for key in "ab"]
        assert adjacent(left, right) == (sum(map(abs, moved)) == 1)
        assert substituted(left, right) == (sorted(moved) == [-1, 1])
    assert not adjacent(frozen({"a": 1}), (0,))


def test_counts_in_mappings_are_whole_and_not_negative() -> None:
    for strange in ({"a": -1}, {"a": 0.5}, {"a": True}, {"a": "x"}):
        with pytest.raises(LawError, match="is for histograms"):
            check(len, inputs=[{"a": 2}, strange], neighbours="histogram-add-remove")


def test_three_mappings_of_counts_are_asked_for_one_count() -> None:
    with pytest.raises(ParameterError, match="histogram-add-remove"):
        check(votes, inputs=MAPPINGS, budget=1)

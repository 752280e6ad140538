"""Mechanisms of one's own: relations, laws, parameters, references."""

import pickle
import re
import sys
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpaudit import check, mechanism
from dpaudit.data.neighbouring import RELATIONS, meant
from dpaudit.errors import LawError, LoadError, ParameterError, UnknownMechanismError
from dpaudit.mechanisms.arguments import read_arguments
from dpaudit.mechanisms.listed_datasets import ListedDatasets
from dpaudit.mechanisms.loading import find_mechanism, load, load_mechanism, spec_of
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism, own_mechanism
from dpaudit.mechanisms.user_laws import OwnLaws, frozen, thawed
from dpaudit.numbers.real import Real, real
from dpaudit.recheck.histograms import RELATIONS as RECHECKED
from dpaudit.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

SPACES = st.lists(
    st.lists(st.integers(-1, 2), max_size=4).map(tuple), min_size=1, max_size=25, unique=True
)


ONE_SIGN = ({0, 1}, {1}, {0, -1}, {-1})


@given(SPACES, st.sampled_from(sorted({*RELATIONS} - {"adjacent", "one-key"})))
def test_pairs_found_fast_are_those_of_the_definition(
    space: list[tuple[int, ...]], name: str
) -> None:
    holds: dict[str, Callable[[Any, Any], bool]] = {
        "all": lambda a, b: True,
        "one-entry": lambda a, b: (
            len(a) == len(b) and len([1 for s, t in zip(a, b, strict=True) if s != t]) == 1
        ),
        "sequence-add-remove": lambda a, b: (
            b in [a[:i] + a[i + 1 :] for i in range(len(a))]
            or a in [b[:i] + b[i + 1 :] for i in range(len(b))]
        ),
        "multiset-add-remove": lambda a, b: any(
            sorted(short) == sorted(long[:i] + long[i + 1 :])
            for short, long in ((a, b), (b, a))
            for i in range(len(long))
        ),
        "unit-moves": lambda a, b: (
            len(a) == len(b) and max(abs(s - t) for s, t in zip(a, b, strict=True)) <= 1
        ),
        "unit-moves-one-sign": lambda a, b: (
            len(a) == len(b) and {s - t for s, t in zip(a, b, strict=True)} in ONE_SIGN
        ),
        "histogram-substitution": lambda a, b: (
            len(a) == len(b)
            and sum(a) == sum(b)
            and sum(abs(s - t) for s, t in zip(a, b, strict=True)) == 2
        ),
        "histogram-add-remove": lambda a, b: (
            len(a) == len(b) and sum(abs(s - t) for s, t in zip(a, b, strict=True)) == 1
        ),
    }
    if name.startswith("histogram"):
        space = [dataset for dataset in space if min(dataset, default=0) >= 0]
        assume(space)
    expected = [pair for pair in combinations(space, 2) if holds[name](*pair)]
    relation = ListedDatasets(name, lambda n: space)
    if expected:
        assert list(relation.pairs(1)) == expected
        assert relation.pair_count(1) == len(expected)
    else:
        with pytest.raises(LawError, match="no two datasets are neighbours"):
            relation.pair_count(1)
    for a, b in product(space, repeat=2):
        assert relation.adjacent(a, b) == relation.adjacent(b, a) == (a != b and holds[name](a, b))


@given(st.lists(st.integers(-4, 4) | st.fractions(-3, 3), min_size=2, max_size=9, unique=True))
def test_numbers_are_adjacent_that_differ_by_at_most_one(space: list[Any]) -> None:
    relation = ListedDatasets("adjacent", lambda n: space)
    expected = [(a, b) for a, b in combinations(space, 2) if max(a, b) - min(a, b) <= 1]
    if expected:
        assert list(relation.pairs(1)) == expected
    for a, b in product(space, repeat=2):
        near = RECHECKED["adjacent"](a, b)
        assert (
            relation.adjacent(a, b)
            == relation.adjacent(b, a)
            == near
            == (a != b and abs(a - b) <= 1)
        )


MAPPINGS = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), max_size=3), min_size=2, max_size=8
)


@given(MAPPINGS)
def test_mappings_differ_in_the_value_of_one_key(space: list[dict[str, int]]) -> None:
    relation = ListedDatasets("one-key", lambda n: list(dict.fromkeys(map(frozen, space))))
    for a, b in product(space, repeat=2):
        near = a.keys() == b.keys() and sum(a[key] != b[key] for key in a) == 1
        assert relation.adjacent(frozen(a), frozen(b)) == near
        assert RECHECKED["one-key"](frozen(a), frozen(b)) == near


VALUES = st.recursive(
    st.integers() | st.text() | st.booleans() | st.none() | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.sets(st.integers(), max_size=3)
        | st.tuples(inner, inner)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_what_is_frozen_is_thawed_as_it_was(value: Any) -> None:
    kept = frozen(value)
    hash(kept)
    again = thawed(kept)
    assert again == value
    assert _typed(again) == _typed(value)


def _typed(value: Any) -> Any:
    """Return a value with its types, which tell True from 1: sets have no order to be held to."""
    if isinstance(value, dict):
        return dict, [(key, _typed(one)) for key, one in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [_typed(one) for one in value]
    return type(value), sorted(value) if isinstance(value, set) else repr(value)


@pytest.mark.parametrize(
    ("name", "space", "others"),
    [
        (
            "unit-moves",
            [0, 1],
            "numbers, but 0 is not one of these; for such datasets there are adj",
        ),
        ("adjacent", [(0,), (1,)], "numbers, but (0,) is not one of these"),
        ("one-key", [0, 1], "mappings, but 0 is not one of these"),
        ("one-entry", [0, 1], "tuples, lists or texts, but 0 is not one of these"),
    ],
)
def test_a_relation_says_what_it_is_a_relation_on(name: str, space: Any, others: str) -> None:
    with pytest.raises(LawError, match=re.escape(others)):
        ListedDatasets(name, lambda n: space).pair_count(1)


def test_no_relation_is_assumed_of_three_inputs() -> None:
    assert meant([0, 5]) == meant(["a", "b", "c"]) == "all"
    for space, names in (
        ([0, 1, 2], ["adjacent", "all"]),
        ([(0, 1), (1, 1), (0, 0)], ["one-entry", "histogram-add-remove", "unit-moves", "all"]),
        ([frozen({"a": 1}), frozen({"a": 2}), frozen({"a": 3})], ["one-key", "all"]),
    ):
        with pytest.raises(ParameterError, match="which inputs are neighbours") as refused:
            meant(space)
        assert all(f" {name} (" in str(refused.value) for name in names)


def listed(*pairs: Any, space: Any = (0, 1, 2)) -> ListedDatasets:
    return ListedDatasets("listed", lambda n: space, pairs=pairs)


def test_listed_pairs_are_pairs_of_datasets() -> None:
    assert list(listed((1, 0), (1, 2), (0, 1)).pairs(1)) == [(0, 1), (1, 2)]
    for pairs, message in (
        ([(0, 3)], "3 is not among the datasets"),
        ([(1, 1)], "its own neighbour"),
        ([(0, 1, 2)], "not a pair"),
        ([(0, [1])], "not hashable"),
        ([(7, 8)], "no two datasets are neighbours"),
    ):
        with pytest.raises(LawError, match=message):
            listed(*pairs).pair_count(1)


def test_a_set_of_datasets_has_one_order_everywhere() -> None:
    relation = ListedDatasets("all", lambda n: {"c", "a", "b"})
    assert relation.datasets(1) == ["a", "b", "c"]


def coin(p: Any) -> FiniteMechanism:
    @finite_mechanism(budget="ln(3)", datasets=[0, 1])
    def told(bit: int) -> dict[int, Any]:
        return {bit: p, 1 - bit: 1 - p}

    return told


@given(st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_randomised_response_is_decided_exactly(p: Fraction) -> None:
    """The oracle: ε = |ln(p/(1−p))|, and a tie with ln 3 at p = 3/4 and at p = 1/4."""
    found = check(coin(p))
    ratio = max(p / (1 - p), (1 - p) / p)
    assert found.verdict is (Verdict.WITHIN if ratio <= 3 else Verdict.EXCEEDS)
    assert found.epsilon.exact == real(ratio).ln()


def test_the_tie_and_the_excess() -> None:
    assert check(coin(Fraction(3, 4))).verdict is Verdict.WITHIN
    assert check(coin(Fraction(3, 4) + Fraction(1, 10**40))).verdict is Verdict.EXCEEDS
    over = check(coin(Fraction(76, 100)))
    assert over.verdict is Verdict.EXCEEDS
    assert (over.witness.x, over.witness.y, over.witness.output) == (0, 1, 0)
    assert str(over.epsilon.exact) == "ln(19/6)"


def test_weights_may_be_divided_by_their_sum() -> None:
    class Weighted:
        budget, datasets, normalised = "ln(3)", (0, 1), False

        def law(self, bit: int) -> dict[int, Any]:
            return {bit: "3*exp(-1/2)", 1 - bit: "exp(-1/2)"}

    found = check(own_mechanism(Weighted()))
    assert (found.verdict, str(found.epsilon.exact)) == (Verdict.WITHIN, "ln(3)")


class Votes:
    """Is the sum positive?  The laws of all in one call."""

    budget, neighbours = "ln(3)", "unit-moves"

    def __init__(self) -> None:
        self.calls = 0

    def datasets(self, n: int) -> list[tuple[int, ...]]:
        return list(product((-1, 0, 1), repeat=n))

    def law(self, votes: tuple[int, ...]) -> dict[bool, str]:
        return {sum(votes) > 0: "3/4", sum(votes) <= 0: "1/4"}

    def laws(self, many: list[tuple[int, ...]]) -> list[dict[bool, str]]:
        self.calls += 1
        return [self.law(votes) for votes in many]


def test_laws_of_many_are_asked_for_in_few_calls() -> None:
    votes = Votes()
    found = check(own_mechanism(votes), 6)
    assert (found.only.datasets, str(found.epsilon.exact)) == (729, "ln(3)")
    assert votes.calls <= 2 * 2 * 3 + 4  # twice for each 256 datasets, at two precisions at most


def test_laws_of_many_are_held_to_the_law_of_one() -> None:
    class Other(Votes):
        def laws(self, many: list[tuple[int, ...]]) -> list[dict[bool, str]]:
            return [{True: "1/2", False: "1/2"} for _ in many]

    class Fewer(Votes):
        def laws(self, many: list[tuple[int, ...]]) -> list[dict[bool, str]]:
            return super().laws(many)[1:]

    class Fickle(Votes):
        def laws(self, many: list[tuple[int, ...]]) -> list[dict[bool, str]]:
            self.calls += 1
            return [{True: f"1/{self.calls + 1}", False: f"1-1/{self.calls + 1}"} for _ in many]

    for kind, message in (
        (Other, "laws.. and law"),
        (Fewer, "returned 8 output distributions"),
        (Fickle, "different"),
    ):
        with pytest.raises(LawError, match=message):
            check(own_mechanism(kind()), 2)


def test_an_exact_law_is_what_it_was_before() -> None:
    """A function that changes its mind only later is found out when it is asked again."""
    calls: list[int] = []

    def law(bit: int) -> dict[int, str]:
        calls.append(bit)
        return {0: "1/2", 1: "1/2"} if len(calls) <= 4 else {0: "1/3", 1: "2/3"}

    seen: dict[Any, Any] = {}
    for bit in (0, 1):
        OwnLaws("late", law, seen=seen).law(bit)
    with pytest.raises(LawError, match="two different output distributions"):
        OwnLaws("late", law, seen=seen).law(0)


def test_arguments_arrive_exactly() -> None:
    def make(
        *,
        p: Fraction,
        k: int = 1,
        rate: "Real | str" = "",
        label: str = "",
        loud: bool = False,
        x: Any = 0,
    ) -> None: ...

    given_texts = {"p": "0.76", "k": "4", "label": "1/2", "loud": "yes", "x": "ln(3)"}
    assert read_arguments("make", make, given_texts) == {
        "p": Fraction(19, 25),
        "k": 4,
        "label": "1/2",
        "loud": True,
        "x": real("ln(3)"),
    }
    assert read_arguments("make", make, {"p": 1, "x": "6/3"})["x"] == 2
    for texts, message in (
        ({}, "make needs p: give the inputs"),
        ({"p": "ln(3)"}, "must be a rational number"),
        ({"p": "1", "k": "1/2"}, "must be a whole number"),
        ({"p": "1", "loud": "maybe"}, "must be true or false"),
        ({"p": "1", "q": "2"}, "has no parameter q; known"),
    ):
        with pytest.raises(ParameterError, match=message):
            read_arguments("make", make, texts)


SOURCE = """
from fractions import Fraction
class Coin:
    budget, datasets, neighbours = "ln(3)", ("yes", "no"), "all"
    def __init__(self, p: Fraction = Fraction(3, 4)):
        self.p = p
    def law(self, answer):
        return {answer: self.p, "no" if answer == "yes" else "yes": 1 - self.p}
coin = Coin()
def make(p=1):
    return Coin(p)
def fails():
    raise OSError("no disk")
def number():
    return 5
nothing = 5
"""


def test_what_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "coins.py").write_text(SOURCE)
    for name in ("coins.py:Coin", "coins.py:coin", "coins:Coin"):
        assert check(name).epsilon.exact == real("ln(3)")
    assert check("coins.py:make", p="76/100").verdict is Verdict.EXCEEDS
    assert mechanism("coins.py:Coin", p=0.5).values() == {"p": Fraction(1, 2)}
    for name, message in (
        ("coins.py:fails", "raised OSError: no disk"),
        ("coins.py:number", "returned an int, not a mechanism: it has no law"),
        ("coins.py:nothing", "an int is not a mechanism"),
        ("coins.py:Cion", "did you mean coin"),
        ("absent.py:Coin", "no file absent.py"),
        ("absent:Coin", "ModuleNotFoundError"),
        ("coins.py:coin.x", "allowed are"),
    ):
        with pytest.raises(LoadError, match=message):
            load_mechanism(name, {})
    with pytest.raises(LoadError, match="takes no parameters"):
        load_mechanism("coins.py:coin", {"p": 1})
    with pytest.raises(LoadError, match=r"write coins\.py:NAME"):
        load_mechanism("coins", {})
    with pytest.raises(UnknownMechanismError):
        load_mechanism("no_file", {})


def test_it_travels_by_reference_and_is_held_to_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "coins.py").write_text(SOURCE)
    made = find_mechanism("coins.py:Coin", tmp_path).build({"p": "2/3"})
    packed = pickle.dumps(spec_of(made))
    assert len(packed) < 1000
    again = load(pickle.loads(packed))
    assert again.values() == {"p": Fraction(2, 3)}
    assert again.spec == made.spec
    load.cache_clear()  # as in another process
    (tmp_path / "coins.py").write_text(SOURCE + "\n")
    with pytest.raises(LoadError, match="its file has changed"):
        load(pickle.loads(packed))


def test_one_mechanism_under_two_names_is_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "one.py").write_text(
        "from dpaudit.mechanisms.user import finite_mechanism as f\n"
        "@f(budget=1, datasets=[0, 1])\ndef a(x): return {0: 1}\nb = a\n"
    )
    first, second = (load_mechanism(f"one.py:{name}", {}, tmp_path) for name in "ab")
    assert (spec_of(first).reference, spec_of(second).reference) == ("one.py:a", "one.py:b")


@finite_mechanism(budget="ln(3)", datasets=lambda n: list(product("ab", repeat=n)))
def words(word: tuple[str, ...]) -> dict[str, Any]:
    return {word[0]: "3/4", "b" if word[0] == "a" else "a": "1/4"}


def test_mechanisms_of_a_module_travel_to_workers() -> None:
    assert spec_of(words).reference == f"{__name__}:words"
    copy = load(spec_of(own_mechanism(Votes())))
    assert (copy.name, copy.stated) == ("Votes", own_mechanism(Votes()).stated)
    for subjects in ([words, words], [own_mechanism(Votes()), own_mechanism(Votes())]):
        pairs = zip(subjects, (1, 2), strict=True)
        alone, shared = (check(subject, "1..3", jobs=jobs) for subject, jobs in pairs)
        assert alone.to_json() == shared.to_json()


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (lambda bit: {[bit]: 1}, "an output is not hashable"),
        (lambda bit: {bit: len(bit)}, "raised TypeError: object of type 'int' has no len"),
    ],
)
def test_what_a_law_raises_is_told_apart(law: Any, message: str) -> None:
    broken = finite_mechanism(budget=1, datasets=[0, 1])(law)
    with pytest.raises(LawError, match=message):
        check(broken)

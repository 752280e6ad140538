"""The neighbouring relations by name: each is defined here once, for every kind of mechanism.

Sequences and histograms are both tuples, and a dataset of whole numbers may be either.  "One record
is replaced" is another relation on the one than on the other: (3, 0, 1) and (2, 1, 1) are
neighbours as histograms and not as sequences, (0, 3) and (9, 3) the other way round.  So the names
say what they are about, and the field's words, ``replace-one`` and ``bounded``, ``add-remove`` and
``unbounded``, which do not, are read only where what they mean is certain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb
from numbers import Real
from typing import Any, TypeVar

from dpaudit.errors import ParameterError, Remedy, counted, nearest

__all__ = [
    "ADJACENT",
    "ALL",
    "HISTOGRAM_ADD_REMOVE",
    "HISTOGRAM_SUBSTITUTION",
    "MULTISET_ADD_REMOVE",
    "ONE_ENTRY",
    "ONE_KEY",
    "RELATIONS",
    "SEQUENCE_ADD_REMOVE",
    "UNIT_MOVES",
    "UNIT_MOVES_ONE_SIGN",
    "WORDS_OF_HISTOGRAMS",
    "WORDS_OF_ONE_USER",
    "WORDS_OF_SEQUENCES",
    "are_counts",
    "by_name",
    "is_histogram",
    "meant",
    "read_name",
    "read_relation",
    "related",
    "relations_on",
]


@dataclass(frozen=True, slots=True)
class Relation:
    """A symmetric relation that no dataset has to itself."""

    name: str
    """Name on the command line and in reports."""
    meaning: str
    """Condition for two datasets to be neighbours, in one line."""
    adjacent: Callable[[Any, Any], bool]
    """Function that returns True for two datasets that are neighbours."""
    of: str = ""
    """Description of the datasets that the relation is defined on; empty for all."""
    holds: Callable[[Any], bool] = lambda dataset: True
    """Function that returns True for a dataset that the relation is defined on."""


def _differ_by_at_most(most: Fraction) -> Callable[[Any, Any], bool]:
    def adjacent(left: Any, right: Any) -> bool:
        return bool(left != right and -most <= _exact(left) - _exact(right) <= most)

    return adjacent


def _exact(number: Any) -> Any:
    """Return a number as a fraction; an infinity, and what is no number, as a float.

    A float is taken for the decimal that it is written as: 1.05 and 0.05 differ by 1.
    """
    number = _plain(number)
    try:
        return Fraction(str(number)) if isinstance(number, float) else Fraction(number)
    except (ValueError, OverflowError):
        return float(number)
    except TypeError:  # of NumPy's other floats
        return _exact(float(number))


def _one_key(left: Any, right: Any) -> bool:
    mine, other = dict(left.items), dict(right.items)
    return mine.keys() == other.keys() and sum(mine[key] != other[key] for key in mine) == 1


def _is_number(dataset: object) -> bool:
    return isinstance(dataset, (Real, Decimal)) and not isinstance(dataset, bool)


def _has_entries(dataset: object) -> bool:
    return isinstance(dataset, (tuple, str))


def _has_records(dataset: object) -> bool:
    return isinstance(dataset, (tuple, str, frozenset))


def _has_numbers(dataset: object) -> bool:
    return isinstance(dataset, tuple) and all(map(_is_number, dataset))


def _is_mapping(dataset: object) -> bool:
    return not callable(getattr(dataset, "items", None)) and hasattr(dataset, "items")


def _plain(number: Any) -> Any:
    """Return a number of NumPy's as one of Python's: of the former 0 − 1 may be 255."""
    return number.item() if type(number).__module__ == "numpy" else number


def _all(left: Any, right: Any) -> bool:
    return bool(left != right)


def _one_entry(left: Any, right: Any) -> bool:
    return len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1


def _sequence_add_remove(left: Any, right: Any) -> bool:
    short, long = sorted((tuple(left), tuple(right)), key=len)
    return len(long) == len(short) + 1 and any(
        long[:place] + long[place + 1 :] == short for place in range(len(long))
    )


def _multiset_add_remove(left: Any, right: Any) -> bool:
    mine, other = Counter(left), Counter(right)
    return ((mine - other).total(), (other - mine).total()) in ((0, 1), (1, 0))


def _moves(left: Any, right: Any) -> list[Any]:
    """Return by how much the entries that differ do, in increasing order; none if lengths do.

    A key that a mapping of counts does not have counts nothing.
    """
    if _is_mapping(left) and _is_mapping(right):
        mine, other = dict(left.items), dict(right.items)
        keys = mine.keys() | other.keys()
        left, right = ([counts.get(key, 0) for key in keys] for counts in (mine, other))
    elif _is_mapping(left) or _is_mapping(right) or len(left) != len(right):
        return []
    return sorted(_plain(a) - _plain(b) for a, b in zip(left, right, strict=True) if a != b)


def _histogram_substitution(left: Any, right: Any) -> bool:
    return _moves(left, right) == [-1, 1]


def _histogram_add_remove(left: Any, right: Any) -> bool:
    return _moves(left, right) in ([-1], [1])


def _unit_moves(left: Any, right: Any) -> bool:
    return _within(_moves(left, right), -1, 1)


def _unit_moves_one_sign(left: Any, right: Any) -> bool:
    moves = _moves(left, right)
    return _within(moves, -1, 0) or _within(moves, 0, 1)


def _within(moves: list[Any], low: int, high: int) -> bool:
    """Tell whether there are ``moves``, in order, and all lie between ``low`` and ``high``."""
    return bool(moves) and bool(low <= moves[0] and moves[-1] <= high)


_SEQUENCES = "tuples, lists or texts"
_VECTORS = "tuples or lists of numbers"

ADJACENT = Relation(
    "adjacent", "two numbers differ by at most 1", _differ_by_at_most(Fraction(1)), "numbers",
    _is_number,
)  # fmt: skip
ONE_KEY = Relation(
    "one-key", "two mappings with the same keys differ in one value", _one_key, "mappings",
    _is_mapping,
)  # fmt: skip
ONE_ENTRY = Relation(
    "one-entry",
    "two sequences of the same length differ in one entry, by any amount",
    _one_entry,
    _SEQUENCES,
    _has_entries,
)
HISTOGRAM_SUBSTITUTION = Relation(
    "histogram-substitution",
    "one unit of count moves from one category to another, c' = c - e_i + e_j",
    _histogram_substitution,
)
HISTOGRAM_ADD_REMOVE = Relation(
    "histogram-add-remove", "one count changes by one, c' = c + e_j", _histogram_add_remove
)
SEQUENCE_ADD_REMOVE = Relation(
    "sequence-add-remove",
    "one sequence is the other with one entry left out",
    _sequence_add_remove,
    _SEQUENCES,
    _has_entries,
)
MULTISET_ADD_REMOVE = Relation(
    "multiset-add-remove",
    "one collection of records is the other with one record left out, in any order",
    _multiset_add_remove,
    "tuples, lists, texts or sets",
    _has_records,
)
UNIT_MOVES = Relation(
    "unit-moves", "every entry differs by at most 1", _unit_moves, _VECTORS, _has_numbers
)
UNIT_MOVES_ONE_SIGN = Relation(
    "unit-moves-one-sign",
    "every entry differs by at most 1, all in the same direction",
    _unit_moves_one_sign,
    _VECTORS,
    _has_numbers,
)
ALL = Relation("all", "any two different datasets", _all)

RELATIONS: dict[str, Relation] = {
    relation.name: relation
    for relation in (
        ONE_ENTRY,
        HISTOGRAM_SUBSTITUTION,
        HISTOGRAM_ADD_REMOVE,
        SEQUENCE_ADD_REMOVE,
        MULTISET_ADD_REMOVE,
        UNIT_MOVES,
        UNIT_MOVES_ONE_SIGN,
        ADJACENT,
        ONE_KEY,
        ALL,
    )
}
"""The relations by name, but for those with a number in it; :func:`by_name` has these too."""

_WITHIN = re.compile(r"adjacent\(\s*(\d{1,30}(?:/\d{1,30}|\.\d{1,30})?)\s*\)", re.ASCII)


@lru_cache(maxsize=256)
def by_name(name: str) -> Relation | None:
    """Return the relation that is called ``name``; None if there is none.

    ``adjacent(c)`` is of numbers that differ by at most c > 0, a decimal or a fraction.

    >>> by_name("adjacent(2.5)").meaning
    'two numbers differ by at most 5/2'
    """
    match = _WITHIN.fullmatch(name)
    if match is None:
        return RELATIONS.get(name)
    try:
        most = Fraction(match[1])
    except ZeroDivisionError:
        return None
    if most == 1:
        return ADJACENT
    if not most:
        return None
    return Relation(
        f"adjacent({most})",
        f"two numbers differ by at most {most}",
        _differ_by_at_most(most),
        ADJACENT.of,
        ADJACENT.holds,
    )


def relations_on(datasets: Iterable[object]) -> list[Relation]:
    """Return the relations that such datasets may be in; those of counts only on counts."""
    listed = list(datasets)
    return [
        relation
        for relation in RELATIONS.values()
        if all(map(relation.holds, listed))
        and (not relation.name.startswith("histogram") or all(map(is_histogram, listed)))
    ]


def meant(datasets: Sequence[object]) -> str:
    """Return the relation of a function's inputs where none is named: two are neighbours.

    Raises ``ParameterError`` for three and more, of which not all pairs need be, with a remedy for
    each relation in which any are.  Words are values of one person, of which any two are.
    """
    if len(datasets) < 3 or all(
        isinstance(dataset, (str, bool, type(None))) for dataset in datasets
    ):
        return ALL.name
    raise _choice("which inputs are neighbours?", datasets)


def related(datasets: Sequence[object], name: str | None) -> str:
    """Return the name of the relation between inputs, by default the one that is :func:`meant`.

    Raises ``ParameterError`` where none is meant, and for a relation that no two inputs are in.
    """
    if name is None:
        return meant(datasets)
    relation = by_name(WORDS_OF_SEQUENCES.get(name, name))
    if relation is None or not 1 < len(datasets) <= _MOST_TRIED:
        return name  # whoever makes the relation says what is wrong
    counts = not relation.name.startswith("histogram") or all(map(is_histogram, datasets))
    fits = counts and all(map(relation.holds, datasets))
    if fits and not _pairs_of(relation, datasets):
        raise _choice(f"no two of the inputs are neighbours by {name};", datasets)
    return name


_MOST_TRIED = 200
"""Of more inputs, pairs are not listed here."""


def _choice(question: str, datasets: Sequence[Any]) -> ParameterError:
    """Return the error that names each relation in which some of the inputs are neighbours.

    Those that leave no input alone come first, since a list of inputs is written for its pairs.
    """
    tried = datasets[:_MOST_TRIED]
    ranked: list[tuple[tuple[bool, int, int], Relation, str]] = []
    for place, relation in enumerate([*relations_on(datasets), *_at_the_least_distance(datasets)]):
        if pairs := _pairs_of(relation, tried):
            alone = len(tried) - len({number for pair in pairs for number in pair})
            left, right = (_shown(tried[number]) for number in pairs[0])
            most = counted(comb(len(tried), 2), "pair")
            meaning = f"{relation.meaning}: {len(pairs)} of {most}, as {left} and {right}"
            ranked.append(((relation is ALL, alone, place), relation, meaning))
    ranked.sort(key=lambda item: item[0])
    named = "; ".join(f"{relation.name} ({meaning})" for _, relation, meaning in ranked)
    remedies = [
        Remedy((("--neighbours", relation.name),), meaning) for _, relation, meaning in ranked
    ]
    return ParameterError(
        "neighbours", f"{question} give the name of a relation: {named}"
    ).remedied(*remedies, brief=f"{question} run the command that is meant")


def _pairs_of(relation: Relation, datasets: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the places of the inputs that are neighbours."""
    return [
        (left, right)
        for left, right in combinations(range(len(datasets)), 2)
        if relation.adjacent(datasets[left], datasets[right])
    ]


def _shown(dataset: object) -> str:
    """Return an input as a few characters."""
    text = repr(list(dataset) if type(dataset) is tuple else dataset)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_LONGEST = 40


def _at_the_least_distance(datasets: Sequence[Any]) -> list[Relation]:
    """Return the relation of numbers as far apart as the first and the one nearest to it."""
    if not all(map(_is_number, datasets)):
        return []
    apart = [abs(_exact(number) - _exact(datasets[0])) for number in datasets[1:]]
    relation = by_name(f"adjacent({min(apart)})")
    return [relation] if relation is not None and min(apart) > 1 else []


_REPLACED = ("substitution", "substitute", "replace-one", "change-one", "bounded")
_ADDED = ("add-remove", "add/remove", "add-remove-one", "unbounded")

WORDS_OF_HISTOGRAMS: dict[str, str] = {
    **dict.fromkeys(_REPLACED, HISTOGRAM_SUBSTITUTION.name),
    **dict.fromkeys(_ADDED, HISTOGRAM_ADD_REMOVE.name),
}
"""The field's words, and what they mean of counts."""
WORDS_OF_SEQUENCES: dict[str, str] = {
    **dict.fromkeys(_REPLACED, ONE_ENTRY.name),
    **dict.fromkeys(_ADDED, SEQUENCE_ADD_REMOVE.name),
}
"""Relations of sequences, by the field's words."""
WORDS_OF_ONE_USER: dict[str, str] = dict.fromkeys(("any two values", *_REPLACED), ALL.name)
"""Relations of one user's value, by the field's words."""

NamedT = TypeVar("NamedT")


def read_name(
    name: str, names: Mapping[str, NamedT], words: Mapping[str, str], what: str = "adjacency"
) -> tuple[NamedT, str]:
    """Return the entry of ``names`` that a ``name`` means, and a notice for one of ``words``.

    The notice is empty for a present name.
    Raises ``ParameterError`` for an unknown name.
    """
    reading = f"{what} = {name} is read as {words[name]}" if name in words else ""
    name = words.get(name, name)
    if name not in names:
        raise ParameterError(what, f"no adjacency {name!r}; {nearest(name, names)}")
    return names[name], reading


def read_relation(name: str) -> tuple[Relation, str]:
    """Return the relation of listed datasets that a ``name`` means, and a notice as of a word.

    Raises ``ParameterError`` for an unknown name.
    """
    relation = by_name(name)
    if relation is not None:
        return relation, ""
    return read_name(name, RELATIONS, WORDS_OF_SEQUENCES, "neighbours")


def are_counts(datasets: Iterable[object]) -> bool:
    """Tell whether ``datasets`` may be histograms: whether their tuples are of whole numbers.

    Sequences of whole numbers look the same, bits among them, so that only their author knows.
    A float or a fraction counts by its value.  A tuple of nothing but truth values is a sequence: a
    truth value is no count.

    >>> are_counts([(0, 1), (1, 0)]), are_counts([(0, 1), (0, None)]), are_counts([(True, False)])
    (True, False, False)
    """
    tuples = [dataset for dataset in datasets if isinstance(dataset, tuple) and dataset]
    return any(type(entry) is not bool for dataset in tuples for entry in dataset) and all(
        _is_whole(entry) for dataset in tuples for entry in dataset
    )


def is_histogram(dataset: object) -> bool:
    """Tell whether a dataset is a tuple, or the values of a mapping, of whole numbers ≥ 0.

    A truth value is no count.
    """
    entries: Any = dataset
    if _is_mapping(dataset):
        entries = [entry for _, entry in entries.items]
    elif not isinstance(dataset, tuple):
        return False
    return all(not isinstance(entry, bool) and _is_whole(entry) and entry >= 0 for entry in entries)


def _is_whole(entry: Any) -> bool:
    if not isinstance(entry, (Real, Decimal)):
        return False
    number: Any = entry
    try:
        return bool(int(number) == number)
    except (ValueError, OverflowError):  # not a number, or infinite
        return False

"""Neighbouring relations by name, histograms, and the mechanisms over them, a second time.

Two tuples of one length are compared by their differences, two of other lengths by what they begin
and end with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, pairwise
from math import isfinite
from typing import Any, ClassVar

from dpaudit.recheck.definition import Parametrised, hold
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.numbers import rational, whole_numbers, whole_tuple

__all__ = [
    "ADD_REMOVE",
    "RELATIONS",
    "SUBSTITUTION",
    "WORDS_OF_HISTOGRAMS",
    "WORDS_OF_ONE_USER",
    "WORDS_OF_SEQUENCES",
    "Counts",
    "OverCounts",
    "OverHistograms",
    "all_pairs",
    "are_neighbours",
    "balanced",
    "dataset_count",
    "histograms",
    "may_be_histograms",
    "neighbours",
    "pair_count",
    "relation_called",
]


def _apart(x: Any, y: Any) -> list[Any]:
    """Return the differences of two datasets of one length, 0 among them; else nothing."""
    if len(x) != len(y):
        return []
    return [_own(there) - _own(here) for here, there in zip(x, y, strict=True)]


def _own(number: Any) -> Any:
    """Return a number of Python's: those of NumPy's overflow."""
    return number.item() if hasattr(number, "item") else number


def _begin(x: Sequence[Any], y: Sequence[Any]) -> int:
    """Return how many entries two sequences have in common at the beginning."""
    common = 0
    while common < min(len(x), len(y)) and x[common] == y[common]:
        common += 1
    return common


def _one_entry(x: Any, y: Any) -> bool:
    place = _begin(x, y)
    return len(x) == len(y) > place and x[place + 1 :] == y[place + 1 :]


def _sequence_add_remove(x: Any, y: Any) -> bool:
    if len(x) > len(y):
        x, y = y, x
    place = _begin(x, y)
    return len(y) == len(x) + 1 and x[place:] == y[place + 1 :]


def _histogram_substitution(x: Any, y: Any) -> bool:
    moved = _apart(x, y)
    return bool(sum(map(abs, moved)) == 2 and sum(moved) == 0 and max(moved) == 1)


def _histogram_add_remove(x: Any, y: Any) -> bool:
    moved = _apart(x, y)
    return sum(map(abs, moved)) == 1 and 1 in map(abs, moved)


def _unit_moves(x: Any, y: Any) -> bool:
    moved = _apart(x, y)
    return any(moved) and max(map(abs, moved)) <= 1


def _unit_moves_one_sign(x: Any, y: Any) -> bool:
    moved = _apart(x, y)
    return _unit_moves(x, y) and (min(moved) >= 0 or max(moved) <= 0)


def _apart_by_at_most(most: Fraction, x: Any, y: Any) -> bool:
    if x == y:
        return False
    low, high = sorted(map(_own, (x, y)))
    if not isfinite(low) or not isfinite(high):
        return False
    # Floats are the decimals that they are written as.
    return Fraction(str(high)) <= Fraction(str(low)) + most


def _multiset_add_remove(x: Any, y: Any) -> bool:
    short, long = sorted((list(x), list(y)), key=len)
    if len(long) != len(short) + 1:
        return False
    for record in short:
        if record not in long:
            return False
        long.remove(record)
    return True


def _one_key(x: Any, y: Any) -> bool:
    mine, other = sorted(x.items, key=repr), sorted(y.items, key=repr)
    same_keys = [key for key, _ in mine] == [key for key, _ in other]
    return same_keys and sum(a != b for (_, a), (_, b) in zip(mine, other, strict=True)) == 1


RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "one-entry": _one_entry,
    "histogram-substitution": _histogram_substitution,
    "histogram-add-remove": _histogram_add_remove,
    "sequence-add-remove": _sequence_add_remove,
    "multiset-add-remove": _multiset_add_remove,
    "unit-moves": _unit_moves,
    "unit-moves-one-sign": _unit_moves_one_sign,
    "adjacent": partial(_apart_by_at_most, Fraction(1)),
    "one-key": _one_key,
    "all": lambda x, y: bool(x != y),
}
"""Functions that return True for two datasets that are neighbours, by name of the relation."""


def relation_called(name: str) -> Callable[[Any, Any], bool] | None:
    """Return the function of a relation, ``adjacent(5/2)`` among them; None for an unknown name."""
    within = re.fullmatch(r"adjacent\(([1-9][0-9]{0,30}(?:/[1-9][0-9]{0,30})?)\)", name, re.ASCII)
    if within is None:
        return RELATIONS.get(name)
    most = Fraction(within[1])
    return partial(_apart_by_at_most, most) if str(most) == within[1] else None


_REPLACED = ("substitution", "substitute", "replace-one", "change-one", "bounded")
_ADDED = ("add-remove", "add/remove", "add-remove-one", "unbounded")
WORDS_OF_HISTOGRAMS = {
    **dict.fromkeys(_REPLACED, "histogram-substitution"),
    **dict.fromkeys(_ADDED, "histogram-add-remove"),
}
WORDS_OF_SEQUENCES = {
    **dict.fromkeys(_REPLACED, "one-entry"),
    **dict.fromkeys(_ADDED, "sequence-add-remove"),
}
WORDS_OF_ONE_USER = dict.fromkeys(("any two values", *_REPLACED), "all")


def may_be_histograms(datasets: Iterable[Any]) -> bool:
    """Tell whether tuples of whole numbers are all the tuples among ``datasets``.

    Old names have two readings there.  Tuples of truth values alone are sequences.
    """
    entries = [entry for x in datasets if isinstance(x, tuple) for entry in x]
    if all(isinstance(entry, bool) for entry in entries):
        return False
    try:
        return all(not isinstance(entry, str) and entry % 1 == 0 for entry in entries)
    except (TypeError, ArithmeticError):
        return False


Counts = tuple[int, ...]
SUBSTITUTION = "histogram-substitution"
"""One unit of count moves from one category to another."""
ADD_REMOVE = "histogram-add-remove"
"""One count changes by one."""


def histograms(n: int, k: int) -> Iterator[Counts]:
    """Iterate over the histograms of ``n`` records in ``k`` categories: where k − 1 bars stand.

    >>> list(histograms(1, 3))
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    for bars in combinations(range(n + k - 1), k - 1):
        ends = (-1, *bars, n + k - 1)
        yield tuple(right - left - 1 for left, right in pairwise(ends))


@cache
def _histogram_count(n: int, k: int) -> int:
    """Return how many there are: one more category takes any part of the records."""
    ways = [1] * (n + 1)
    for _ in range(k - 1):
        for total in range(1, n + 1):
            ways[total] += ways[total - 1]
    return ways[n]


def dataset_count(relation: str, n: int, k: int) -> int:
    """Return how many datasets the pairs at size ``n`` are drawn from."""
    here = _histogram_count(n, k)
    return here if relation == SUBSTITUTION else here + _histogram_count(n + 1, k)


def pair_count(relation: str, n: int, k: int) -> int:
    """Return how many unordered neighbouring pairs there are at size ``n``.

    Substitution: what n − 1 records are the same, times which two categories the other record
    differs by.  Add/remove: a dataset of n records, times what is added.
    """
    if relation == SUBSTITUTION:
        return _histogram_count(n - 1, k) * (k * (k - 1) // 2)
    return _histogram_count(n, k) * k


def neighbours(relation: str, n: int, counts: Counts) -> Iterator[Counts]:
    """Iterate over the neighbours of ``counts`` among the pairs at size ``n``."""
    places = range(len(counts))

    def moved(*steps: tuple[int, int]) -> Counts:
        result = list(counts)
        for place, step in steps:
            result[place] += step
        return tuple(result)

    if relation == SUBSTITUTION:
        for source in places:
            for target in places:
                if counts[source] and target != source:
                    yield moved((source, -1), (target, 1))
    elif sum(counts) == n:
        yield from (moved((place, 1)) for place in places)
    else:
        yield from (moved((place, -1)) for place in places if counts[place])


def all_pairs(relation: str, n: int, k: int) -> Iterator[tuple[Counts, Counts]]:
    """Iterate over the unordered pairs at size ``n``, each once."""
    for counts in histograms(n, k):
        for other in neighbours(relation, n, counts):
            if relation != SUBSTITUTION or counts < other:
                yield counts, other


def are_neighbours(relation: str, n: int, left: Counts, right: Counts) -> bool:
    """Tell whether two histograms are a pair at size ``n``."""
    sizes = {sum(left), sum(right)}
    if sizes != ({n} if relation == SUBSTITUTION else {n, n + 1}):
        return False
    return right in set(neighbours(relation, n, left))


def balanced(n: int, k: int) -> list[Counts]:
    """Return the histograms whose counts differ by at most one."""
    low, extra = divmod(n, k)
    return [
        tuple(low + (place in chosen) for place in range(k))
        for chosen in combinations(range(k), extra)
    ]


# -- mechanisms


class OverCounts(Parametrised):
    """A mechanism on the histograms of ``k`` categories."""

    k: int
    relations = (SUBSTITUTION, ADD_REMOVE)
    old_relations: ClassVar = WORDS_OF_HISTOGRAMS

    def dataset(self, reported: Any, n: int) -> Counts:
        counts = whole_tuple(reported, "counts")
        if len(counts) != self.k or min(counts) < 0:
            raise ValueError(f"{reported} is not a histogram of {self.k} categories")
        return counts

    def output(self, reported: Any) -> Any:
        return whole_tuple(reported, "counts")

    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        if relation not in (SUBSTITUTION, ADD_REMOVE):
            raise UnknownDefinitionError(f"histograms have no neighbours by {relation}")
        datasets = dataset_count(relation, n, self.k)
        if at is None:
            return datasets, pair_count(relation, n, self.k)
        return datasets, len(self.pairs(n, relation, at))

    def adjacent(self, x: Counts, y: Counts, n: int, relation: str) -> bool:
        return are_neighbours(relation, n, x, y)

    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Counts, Counts]]:
        if at is None:
            return list(all_pairs(relation, n, self.k))
        only = self.chosen(n, at)
        around = {frozenset((x, y)) for x in only for y in neighbours(relation, n, x)}
        return [(min(pair), max(pair)) for pair in around]

    def chosen(self, n: int, at: str) -> list[Counts]:
        """Return the datasets that pairs were restricted to."""
        if at == "uniform":
            return balanced(n, self.k)
        return [whole_numbers(at)]


class OverHistograms(OverCounts):
    """A mechanism of the notes, with the parameters of a Dirichlet prior."""

    others = ("prior",)

    def outputs(self, n: int) -> Iterable[Counts]:
        """Return the outputs of a dataset of size ``n``, each with a posterior of its own."""
        raise UnknownDefinitionError("the outputs have no posterior")

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        prior = parameters["prior"]
        try:
            self.prior = tuple(rational(part) for part in prior)
        except ValueError:
            self.prior = ()
        self.k = len(self.prior)
        good = isinstance(prior, list) and self.k >= 2 and min(self.prior) > 0
        hold(good, "the prior is not a list of two or more positive fractions")
        self.digits_lost = 3 * len(str(int(max(self.prior))))  # lnΓ of large numbers, subtracted

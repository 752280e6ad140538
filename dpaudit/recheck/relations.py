"""The neighbouring relations by name, written down a second time, and what they were called once.

Two tuples of one length are compared by their differences, two of other lengths by what they begin
and end with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "OLD_OF_HISTOGRAMS",
    "OLD_OF_ONE_USER",
    "OLD_OF_SEQUENCES",
    "RELATIONS",
    "may_be_histograms",
]


def _apart(x: Any, y: Any) -> list[Any]:
    """Return the differences of two datasets of one length, 0 among them; else nothing."""
    return [there - here for here, there in zip(x, y, strict=True)] if len(x) == len(y) else []


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


RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "one-entry": _one_entry,
    "histogram-substitution": _histogram_substitution,
    "histogram-add-remove": _histogram_add_remove,
    "sequence-add-remove": _sequence_add_remove,
    "unit-moves": _unit_moves,
    "unit-moves-one-sign": _unit_moves_one_sign,
    "all": lambda x, y: bool(x != y),
}
"""Whether two datasets are neighbours, by the name of the relation."""

OLD_OF_HISTOGRAMS = {
    "substitution": "histogram-substitution",
    "add-remove": "histogram-add-remove",
}
OLD_OF_SEQUENCES = {"substitution": "one-entry", "add-remove": "sequence-add-remove"}
OLD_OF_ONE_USER = {"substitution": "all", "any two values": "all"}


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

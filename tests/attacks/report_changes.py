"""What can be done to one leaf of a report."""

from __future__ import annotations

import copy
import json
from decimal import Context, Decimal, InvalidOperation
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "MOVES",
    "TWICE",
    "Document",
    "Place",
    "at_place",
    "changes",
    "intervals",
    "is_interval",
    "leaves",
    "moved",
    "moved_interval",
]

Place = tuple[Any, ...]
Document = dict[str, Any]

TWICE = "\0twice"
"""What a key ends with that is to be written as if it did not."""


def leaves(value: Any, at: Place = ()) -> Iterator[Place]:
    """Iterate over the places of a document, inner ones too, but for its seal."""
    yield at
    parts = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else parts:
        if at or key not in ("sha256", "schema"):
            yield from leaves(part, (*at, key))


def at_place(document: Any, place: Place) -> Any:
    """What lies at a place."""
    for key in place:
        document = document[key]
    return document


def _nudged(text: str, by: int) -> str | None:
    digits = [place for place, letter in enumerate(text.partition("E")[0]) if letter.isdecimal()]
    if not digits:
        return None
    place = digits[-1]
    return f"{text[:place]}{(int(text[place]) + by) % 10}{text[place + 1 :]}"


MOVES = tuple(Decimal(sign).scaleb(-places) for places in (18, 21, 25, 30) for sign in (1, -1))
"""How far numbers are moved, in proportion: no tolerance may hide that."""
_EXACTLY = Context(prec=200)
_MOVED = ("lower", "upper", "exact")


def moved(text: str, by: Decimal) -> str:
    """A number that is another by so small a part of itself; 0, which has none, by so much."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return f"({text})*(1 + {by})" if by > 0 else f"({text})*(1 - {-by})"
    return str(_EXACTLY.add(number, _EXACTLY.multiply(number or Decimal(1), by)))


def moved_interval(interval: Document, by: Decimal) -> Document:
    """An interval with both ends, and its closed form, moved by as small a part of themselves."""
    ends = {key: moved(interval[key], by) for key in _MOVED if interval.get(key) is not None}
    return {**interval, **ends}


def is_interval(part: Any) -> bool:
    """Whether a part is an interval with finite ends that are texts."""
    ends = [part.get(end) for end in _MOVED[:2]] if isinstance(part, dict) else [None]
    return all(isinstance(end, str) and end != "inf" for end in ends)


def intervals(document: Any) -> Iterator[Place]:
    """Iterate over the places of such intervals."""
    for place in leaves(document):
        if is_interval(at_place(document, place)):
            yield place


_TEXTS = ("0", "1", "-1/2000", "9", "inf", "nan", "1e-4000", "1e4000", "", "within", "9^9^9", "٣")


def _texts(document: Document, place: Place) -> list[Any]:
    """What a text may become, at its place."""
    old = at_place(document, place)
    new: list[Any] = [_nudged(old, 1), _nudged(old, -1), f"-{old}", f"{old}1", f"2*({old})"]
    new += [*_TEXTS, f"{old} + 0", old.swapcase(), 0]
    beside = at_place(document, place[:-1])
    others = beside.values() if isinstance(beside, dict) else beside
    new += [one for one in others if isinstance(one, str)]
    if {*_MOVED} & {*place[-2:]} and old != "inf":  # ends of intervals, and of lines
        new += [moved(old, by) for by in MOVES]
    return new


def _values(document: Document, place: Place) -> list[Any]:
    """What may stand at a place instead."""
    old = at_place(document, place)
    new: list[Any] = [None, [], {}, True, 0.5, 10**30]
    if isinstance(old, bool):
        return [*new, not old, int(old)]
    if isinstance(old, int):
        new += [old + 1, old - 1, -old, -5, 0, 2 * old + 3, str(old), float(old), 10**6, 10**12]
    elif isinstance(old, str):
        new += _texts(document, place)
    elif isinstance(old, list):
        for i in range(len(old)):
            new += [old[:i] + old[i + 1 :], [*old, old[i]], [*old[:i], *old[i:][::-1]]]
        new.append([*old, 1])
    return new


def changes(document: Document, place: Place) -> Iterator[tuple[str, Callable[[Document], None]]]:
    """Iterate over what can be done to one place: a name, and the change."""
    old = at_place(document, place)

    def put(new: Any) -> Callable[[Document], None]:
        def change(mutant: Document) -> None:
            at_place(mutant, place[:-1])[place[-1]] = copy.deepcopy(new)

        return change

    for value in _values(document, place) if place else []:
        if value != old or type(value) is not type(old):
            yield f"→ {json.dumps(value)[:60]}", put(value)
    if is_interval(old):
        for by in MOVES:
            yield f"moved by {by}", put(moved_interval(old, by))
    if isinstance(old, dict):
        for key in old:
            if not place and key in ("sha256", "schema"):
                continue
            for name, done in (("without", _drop), ("another", _rename), ("twice", _double)):
                yield f"{name} {key}", partial(_apply, done, place, key)
        yield "a surplus key", partial(_apply, _add, place, "surplus")


def _apply(done: Callable[[Document, str], None], place: Place, key: str, mutant: Document) -> None:
    done(at_place(mutant, place), key)


def _drop(part: Document, key: str) -> None:
    del part[key]


def _add(part: Document, key: str) -> None:
    part[key] = 1


def _rename(part: Document, key: str) -> None:
    part[f"{key}s"] = part.pop(key)


def _double(part: Document, key: str) -> None:
    """Give a key twice: readers differ in which of the two they take."""
    part[f"{key}{TWICE}"] = part[key]
    part[key] = "other"

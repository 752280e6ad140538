"""What can be done to one leaf of a report."""

from __future__ import annotations

import copy
import json
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["TWICE", "Document", "Place", "at_place", "changes", "leaves"]

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


_TEXTS = ("0", "1", "-1/2000", "9", "inf", "nan", "1e-4000", "1e4000", "", "within", "9^9^9", "٣")


def changes(document: Document, place: Place) -> Iterator[tuple[str, Callable[[Document], None]]]:
    """Iterate over what can be done to one place: a name, and the change."""
    old = at_place(document, place)

    def put(new: Any) -> Callable[[Document], None]:
        def change(mutant: Document) -> None:
            at_place(mutant, place[:-1])[place[-1]] = copy.deepcopy(new)

        return change

    new: list[Any] = [None, [], {}, True, 0.5, 10**30]
    if isinstance(old, bool):
        new += [not old, int(old)]
    elif isinstance(old, int):
        new += [old + 1, old - 1, -old, -5, 0, 2 * old + 3, str(old), float(old), 10**12]
    elif isinstance(old, str):
        new += [_nudged(old, 1), _nudged(old, -1), f"-{old}", f"{old}1", f"2*({old})", *_TEXTS]
        new += [f"{old} + 0", old.swapcase(), 0]
        beside = at_place(document, place[:-1])
        others = beside.values() if isinstance(beside, dict) else beside
        new += [one for one in others if isinstance(one, str)]
    elif isinstance(old, list):
        for i in range(len(old)):
            new += [old[:i] + old[i + 1 :], [*old, old[i]], [*old[:i], *old[i:][::-1]]]
        new.append([*old, 1])
    for value in new if place else []:
        if value != old or type(value) is not type(old):
            yield f"→ {json.dumps(value)[:60]}", put(value)
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

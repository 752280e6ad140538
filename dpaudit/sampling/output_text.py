"""Events and outputs as text that reads back: their types with them, and nothing evaluated."""

from __future__ import annotations

import json
from dataclasses import fields
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.sampling.events import HalfLine, OneOf
from dpaudit.sampling.features import Feature, Part
from dpaudit.sampling.outputs import Members, Word

if TYPE_CHECKING:
    from dpaudit.sampling.events import Event

__all__ = ["coded", "decoded", "event_of"]

_EVENTS: dict[str, Any] = {
    "half-line": HalfLine, "one of": OneOf, "feature": Feature, "part": Part,
}  # fmt: skip
_LISTED = ("coordinate", "step", "twos")
"""Kinds of features of one entry."""
_STEPS = 2**20
_MOST_WEIGHT = 2.0**20


def event_of(content: Any) -> Event:
    """Return the event that JSON describes; ``ValueError`` for anything else."""
    event = decoded(content)
    if not isinstance(event, (HalfLine, OneOf)):
        raise ValueError("it has no event of two datasets")
    flags, feature = [event.scalar], event.feature
    numbers: list[Any] = []
    if feature is not None and not _is_feature(feature, scalar=event.scalar):
        raise ValueError("its event is invalid")
    if isinstance(event, HalfLine):
        flags, numbers = [*flags, event.above], [*numbers, event.bound]
        fits = feature is not None
    else:
        flags, numbers = [*flags, event.patterns], [*numbers, *event.edges]
        fits = type(event.values) is frozenset and len(event.values) > 0
        fits &= all(low < high for low, high in pairwise(event.edges))
        if feature is not None:
            places = range(len(event.edges) + 1)
            fits &= all(type(value) is int and value in places for value in event.values)
    if not fits or not all(type(flag) is bool for flag in flags) or not _are_numbers(numbers):
        raise ValueError("its event is invalid")
    return event


def _is_feature(feature: Any, *, scalar: bool, inner: bool = False) -> bool:
    """Tell whether a feature is one that a run looks at; those within a score have no parts."""
    if not isinstance(feature, Feature) or bool(feature.parts) is not (feature.kind == "learned"):
        return False
    listed = feature.kind in _LISTED and not scalar  # of several entries: no other has one
    if type(feature.index) is not int or feature.index < 0 or (feature.index and not listed):
        return False
    if inner and feature.parts:
        return False
    return _are_numbers(feature.weights) and all(
        _is_part(part, scalar=scalar) for part in feature.parts
    )


def _is_part(part: Any, *, scalar: bool) -> bool:
    if not isinstance(part, Part) or not _is_feature(part.feature, scalar=scalar, inner=True):
        return False
    edges, weights = part.edges, part.weights
    return (
        _are_numbers([*edges, *weights])
        and all(low < high for low, high in pairwise(edges))
        and len(weights) == len(edges) + 2
        and all(
            abs(weight) <= _MOST_WEIGHT and (weight * _STEPS).is_integer() for weight in weights
        )
    )


def _are_numbers(numbers: Any) -> bool:
    return all(type(number) is float and not isnan(number) for number in numbers)


def coded(value: Any) -> Any:
    """Return JSON that tells a value and its type; ``TypeError`` for types that have none."""
    for name, kind in _EVENTS.items():
        if isinstance(value, kind):
            return [
                name,
                {
                    attribute.name: coded(getattr(value, attribute.name))
                    for attribute in fields(value)
                },
            ]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Word):
        return ["word", str(value)]
    if isinstance(value, Members):
        return ["members", list(value)]
    if isinstance(value, (tuple, frozenset)):
        parts = [coded(part) for part in value]
        # Sorted, since a set has another order in every process.
        return ["set", sorted(parts, key=json.dumps)] if type(value) is frozenset else ["", parts]
    plain: dict[type, Any] = {bool: bool, str: str, int: str, float: float.hex}
    if value is None or type(value) in plain:
        return [type(value).__name__, None if value is None else plain[type(value)](value)]
    raise TypeError(f"{type(value).__name__} cannot be written as text and read back")


def decoded(content: Any) -> Any:
    """Return the value that :func:`coded` has written."""
    name, value = content
    if name in _EVENTS:
        return _EVENTS[name](**{key: decoded(part) for key, part in value.items()})
    if name in ("", "set"):
        return (tuple if not name else frozenset)(map(decoded, value))
    kinds: dict[str, Any] = {
        "word": Word, "members": Members, "bool": bool, "str": str, "int": int,
        "float": float.fromhex, "NoneType": lambda none: None,
    }  # fmt: skip
    return kinds[name](value)

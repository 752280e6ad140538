"""Relations between datasets as their author wrote them, for datasets that are hashable."""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps
from typing import Any

from dpaudit.mechanisms.user_laws import frozen, thawed

__all__ = ["on_thawed"]


def on_thawed(neighbours: Any) -> Any:
    """Return a relation between datasets as their author gave them, for datasets :func:`frozen`.

    A function is called with lists and mappings again, and listed pairs are frozen; a name stays.
    """
    if neighbours is None or isinstance(neighbours, str):
        return neighbours
    if callable(neighbours):

        @wraps(neighbours)
        def related(left: Any, right: Any) -> Any:
            return neighbours(thawed(left), thawed(right))

        return related
    if isinstance(neighbours, Iterable):
        return [frozen(pair) if isinstance(pair, (tuple, list)) else pair for pair in neighbours]
    return neighbours

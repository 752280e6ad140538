"""Cells of a choice, held to NumPy's own function of the same weights."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dpaudit.programs.as_run.curves import UNIT, WORDS
from dpaudit.programs.as_run.tables import Table
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.real.installed import real_generator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.programs.real.tree import Leaf

__all__ = ["check_choices"]

_OTHERWISE = (
    "NumPy's choice with these weights takes a different item than derived, so the derived "
    "distribution is not used"
)


def check_choices(leaves: Iterable[Leaf]) -> None:
    """Hold the cells of all choices of some paths to what NumPy takes at both ends of each.

    Raises:
        Refused: where it takes another item.
    """
    found: dict[Table, None] = {}
    for leaf in leaves:
        for decision in leaf.run.decisions:
            asked = decision.asked
            if type(asked) is tuple and type(asked[-1]) is Table and asked[-1].kind:
                found[asked[-1]] = None
    for table in found:
        _check(table)


def _check(table: Table) -> None:
    cells = table.cells(UNIT, (0, WORDS - 1), rises=True)
    uniforms = [k for _, span in cells for k in span]
    if _taken(table, uniforms) != [index for index, _ in cells for _ in range(2)]:
        raise Refused(_OTHERWISE, inside=False)


def _taken(table: Table, uniforms: list[int]) -> list[int] | None:
    """Return what NumPy takes at these uniforms; None where it refuses the weights.

    How far their sum may be from 1 depends on their type, which is as short as they allow here.
    """
    for name in ("float64", "float32", "float16"):
        weights = table.weights.astype(name)
        if (weights.astype("float64") != table.weights).any():
            break
        generator: Any = real_generator(table.kind, uniforms)
        with suppress(ValueError):
            found: list[int] = generator.choice(
                len(weights), size=len(uniforms), p=weights
            ).tolist()
            return found
    return None

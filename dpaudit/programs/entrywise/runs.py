"""Holding the law of independent entries to real runs of the whole, unchanged program.

The draws of a run are taken in their order along the paths of one entry after the other.  All must
be used up, and the output must be what these paths say of every entry.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

from dpaudit.mechanisms.user_laws import alike
from dpaudit.programs.entrywise.joined import exceeds
from dpaudit.programs.real.counted import RealRuns, fewest
from dpaudit.programs.real.ideal import (
    Drew,
    Held,
    outcomes_of,
    singles_of,
    supports_of,
    values_of,
)
from dpaudit.programs.real.masses import check_ideal
from dpaudit.programs.real.points import every, in_turn
from dpaudit.programs.real.streams import OtherDrawsError
from dpaudit.programs.real.tree import Leaf, tree_of
from dpaudit.progress import ended

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from fractions import Fraction

    from dpaudit.programs.entrywise.joined import Joined, Piece
    from dpaudit.programs.real.effort import Effort

__all__ = ["hold_joined"]

_MOST_CHOSEN = 5_000
_MOST_OF_A_PIECE = 500


class _Drawn(Drew):
    """The draws of a real run, along the paths of all entries."""

    def __init__(self, joined: Joined, parts: Sequence[tuple[Leaf, Drew]]) -> None:
        self._joined, self.parts = joined, parts

    def lies_on(self, leaf: Leaf, dataset: tuple[int, ...]) -> bool:
        return all(drew.lies_on(own, dataset) for own, drew in self.parts)

    def agree(self, output: Any, leaf: Leaf) -> bool:
        return alike(output, self.expected(leaf))

    def expected(self, leaf: Leaf) -> Hashable:
        return self._joined.output_of([own.output for own, _ in self.parts])


class _Held(Held):
    """Real runs of a program with independent entries."""

    def __init__(self, body: Callable[[Any], Any], joined: Joined, effort: Effort) -> None:
        distinct = {id(piece): piece for piece in joined.pieces}
        leaves = [leaf for piece in distinct.values() for leaf in piece.leaves]
        super().__init__(body, leaves[:1], (), effort, strict=False)
        for leaf in leaves:
            check_ideal(leaf)
        self._joined = joined
        self._trees = {
            key: (tree_of(piece.leaves), max(len(leaf.asked) for leaf in piece.leaves))
            for key, piece in distinct.items()
        }

    def _found(self, source: Any) -> tuple[Leaf, Drew]:
        gave, parts, place = source.gave, list[tuple[Leaf, Drew]](), 0
        for piece in self._joined.pieces:
            tree, longest = self._trees[id(piece)]
            leaf, drew = self.along(tree, gave[place : place + longest], strict=False)
            drew.gave = gave[place : place + len(leaf.asked)]
            place += len(leaf.asked)
            parts.append((leaf, drew))
        if place != len(gave):
            raise OtherDrawsError
        return parts[0][0], _Drawn(self._joined, parts)

    def _is_close(self, leaf: Leaf, drew: Drew) -> bool:
        assert isinstance(drew, _Drawn)
        trees = (self._trees[id(piece)][0] for piece in self._joined.pieces)
        return any(
            any(tree.is_close(own, one)) for tree, (one, own) in zip(trees, drew.parts, strict=True)
        )


def hold_joined(
    body: Callable[[Any], Any],
    joined: Joined,
    constants: Callable[[], Sequence[int | float | Fraction]],
    effort: Effort,
) -> RealRuns:
    """Run the unchanged program on known numbers, and compare outputs with its entries' paths.

    Args:
        body: runs the unchanged program once, with a source.
        joined: the paths of its entries.
        constants: gives the numbers that its code holds.
        effort: how many runs there are.

    Raises:
        Refused: where it gives something else than was derived, or draws otherwise.
    """
    held = _Held(body, joined, effort)
    outcomes = [sum(map(outcomes_of, piece.leaves)) for piece in joined.pieces]
    exhaustive = not exceeds(outcomes, joined.most_listed)
    held.expected = effort.wanted
    chosen = 0
    if exhaustive:
        for parts in itertools.product(*map(_every, joined.pieces)):
            held.run([value for part in parts for value in part])
            chosen += 1
    runs = sum(1 for _ in effort.times(exhaustive=exhaustive) if held.run() or True)
    if not exhaustive:
        chosen = _where_code_looks(held, joined, constants(), effort)
    ended()
    whole = RealRuns(runs, chosen, exhaustive)
    return fewest([whole, *(piece.real for piece in joined.pieces)])


def _every(piece: Piece) -> list[list[Any]]:
    """Return all values of the draws of an entry."""
    return [
        values_of(leaf, point)
        for leaf in piece.leaves
        for point in every(list(supports_of(leaf).values()))
    ]


def _where_code_looks(
    held: _Held,
    joined: Joined,
    constants: Sequence[int | float | Fraction],
    effort: Effort,
) -> int:
    """Run every path of every entry where its code may do otherwise, all entries at once."""
    end = time.process_time() + effort.allowed / 2
    listed: dict[int, list[list[Any]]] = {}
    for piece in joined.pieces:
        if id(piece) not in listed:
            turns = in_turn([singles_of(leaf, constants, held.rng) for leaf in piece.leaves])
            listed[id(piece)] = list(itertools.islice(turns, _MOST_OF_A_PIECE))
    for count in range(min(_MOST_CHOSEN, max(map(len, listed.values())))):
        if time.process_time() > end:
            return count
        values = list[Any]()
        for place, piece in enumerate(joined.pieces):
            own = listed[id(piece)]
            if not own:
                break  # the others are random
            values += own[(count + place) % len(own)]
        held.run(values)
    return min(_MOST_CHOSEN, max(map(len, listed.values())))

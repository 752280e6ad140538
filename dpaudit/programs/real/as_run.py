"""Holding the law of a program as run to real runs of its unchanged code."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpaudit.machine import Deadline
from dpaudit.mechanisms.user_laws import alike
from dpaudit.programs.as_run.curves import WORDS
from dpaudit.programs.exploring.estimates import explored_now
from dpaudit.programs.exploring.outputs import Raised, limit, outcome
from dpaudit.programs.exploring.run import Run
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.real.choices import check_choices
from dpaudit.programs.real.counted import DEFAULT_RUNS, RealRuns
from dpaudit.programs.real.effort import OTHER_DRAWS, Effort, disagreement
from dpaudit.programs.real.installed import RawStreams, raw_streams
from dpaudit.programs.real.masses import OUTSIDE, NotDerived, check_as_run
from dpaudit.programs.real.points import (
    MOST_OUTCOMES,
    clipped,
    ends,
    every,
    in_turn,
    outcomes,
    random_value,
    singles,
)
from dpaudit.programs.real.raw_words import chosen_words
from dpaudit.programs.real.streams import OtherDrawsError
from dpaudit.programs.real.tree import Leaf, NotDerivedError, lies_in, tree_of
from dpaudit.progress import ended, step

if TYPE_CHECKING:
    import _random
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from dpaudit.programs.as_run.supply import Asked

__all__ = ["hold_to_real_runs"]

_MOST_CHOSEN = 20_000
_NOTHING: AbstractContextManager[None] = nullcontext()
_BY_DEFAULT = Effort()
_RANDOM_OF_PATH = 8
"""So many random points of a path are run as well, that improbable paths are seen too."""


@dataclass
class _Read:
    """The draws of a real run, read again from its raw words."""

    streams: RawStreams
    values: list[int] = field(default_factory=list)
    numbered: list[int] = field(default_factory=list)
    """The values of those that exploring left open, by their number."""
    permuted: list[int] = field(default_factory=list)
    """Rest of a permutation that was drawn at once."""

    def taken(self, place: int, leaf: Leaf) -> int:
        self.go_on(place + 1, leaf)
        return self.values[place]

    def whole(self, number: int, drawn: int, leaf: Leaf) -> int:
        if len(self.values) < drawn:
            self.go_on(drawn, leaf)
        return self.numbered[number]

    def real(self, node: int, drawn: int, leaf: Leaf) -> Fraction:
        raise OtherDrawsError

    def lies_on(self, leaf: Leaf) -> bool:
        """Tell whether all draws lie where those of a path do."""
        if not all(map(lies_in, leaf.run.supports, self.numbered)):
            return False
        decided = len(self.values) - len(self.numbered)
        return not decided or all(
            one.number is not None or one.value == value
            for one, value in zip(leaf.asked, self.values, strict=True)
        )

    def go_on(self, count: int, leaf: Leaf) -> None:
        """Read the first ``count`` draws, as a path asked for them."""
        values, numbered = self.values, self.numbered
        one: Asked
        for one in leaf.asked[len(values) : count]:
            value = self._read(one)
            values.append(value)
            if one.number is not None:
                numbered.append(value)

    def _read(self, one: Asked) -> int:
        try:
            reader = self.streams[one.stream].reader
        except KeyError:
            raise OtherDrawsError from None
        name, *given = one.primitive
        if name == "unit":
            (span,) = given
            return reader.unit_word(span) - int(span[0])
        if name == "first":
            length, place, count, how = given
            if not place:
                left = list(range(length))
                self.permuted = []
                for value in reader.first_of_permutation(length, count, how):
                    self.permuted.append(left.index(value))
                    left.remove(value)
            return self.permuted[place] if count else 0
        return int(getattr(reader, name)(*given))


class _Held:
    """Real runs of one program at one dataset."""

    def __init__(
        self,
        call: Callable[[], Any],
        plain: Callable[[Any], Any],
        leaves: Sequence[Leaf],
        effort: Effort = _BY_DEFAULT,
    ) -> None:
        self._call, self._plain = call, plain
        check_as_run(leaves)
        self._tree = tree_of(leaves)
        self._not_derived = NotDerived(leaves, effort.runs or DEFAULT_RUNS)
        self._unused = Run(())
        self._runs, self.expected = 0, 0
        self._what = f"real runs of {explored_now()}"
        self.streams = RawStreams(int.from_bytes(os.urandom(16), "big"))

    def run(self, asked: Sequence[Asked] = (), values: Sequence[int] = ()) -> Leaf | None:
        """Run the program once, with draws of these values first, and hold it to its path.

        Returns:
            The path; None for one that was not followed.

        Raises:
            Refused: where the program gives something else than was derived.
        """
        self._runs += 1
        step(self._runs, max(self.expected, self._runs), self._what)
        streams = self.streams
        streams.begin(chosen_words(asked, values, self.junk) if asked else None)
        with streams.renewed() if streams.is_long else _NOTHING:
            output = outcome(self._unused, self._once)
        if streams.trouble:
            raise streams.trouble[0]
        read = _Read(streams)
        leaf: Leaf | None = None
        try:
            leaf = self._tree.find(read)
            read.go_on(len(leaf.asked), leaf)
            streams.check_ended()
        except NotDerivedError:
            streams.forget()
            self._not_derived.count(random=not asked)
            return None
        except (OtherDrawsError, IndexError):
            raise Refused(OTHER_DRAWS, inside=False) from None
        if not read.lies_on(leaf):
            raise Refused(OUTSIDE, inside=False)
        if not alike(output, leaf.output):
            if isinstance(leaf.output, Raised):
                raise limit(leaf.run, leaf.output)
            raise Refused(_disagreement(leaf, read.values, output), inside=False)
        return leaf

    def _once(self) -> Any:
        return self._plain(self._call())

    @property
    def junk(self) -> _random.Random:
        """The source of random words."""
        return self.streams.source


def hold_to_real_runs(
    call: Callable[[], Any],
    plain: Callable[[Any], Any],
    leaves: Sequence[Leaf],
    constants: Callable[[], Sequence[int | float | Fraction]],
    effort: Effort,
    *,
    earlier: Mapping[str, Any] = MappingProxyType({}),
) -> RealRuns:
    """Run a program for real, and hold what it gives out to the paths that were derived.

    Args:
        call: runs the unchanged program once.
        plain: makes its output what a path gives out.
        leaves: the paths.
        constants: gives the numbers that its code holds.
        effort: how many runs there are.
        earlier: the generators that were created before, by the names of their streams.

    Raises:
        Refused: where a real run gives something else than was derived.
    """
    check_choices(leaves)
    held = _Held(call, plain, leaves, effort)
    held.streams.earlier.update(earlier)
    with raw_streams(held.streams):
        count = sum(outcomes(_supports(leaf), MOST_OUTCOMES) for leaf in leaves)
        held.expected = 2 * len(leaves) + effort.wanted + (count if count <= MOST_OUTCOMES else 0)
        chosen = _every_path(held, leaves)
        endless = leaves[0].run.follows
        exhaustive = not endless and count <= MOST_OUTCOMES and _all_outcomes(held, leaves)
        if exhaustive:
            chosen += count
        runs = sum(1 for _ in effort.times(exhaustive=exhaustive) if held.run() or True)
        if not exhaustive:
            chosen += _where_code_looks(held, leaves, constants(), effort)
    ended()
    return RealRuns(runs, chosen, exhaustive)


def _supports(leaf: Leaf) -> list[Any]:
    return [clipped(one) for one in leaf.run.supports]


def _values(leaf: Leaf, numbered: Sequence[int]) -> list[int]:
    """Return the values of all draws of a path, with these for those that are open."""
    return [one.value if one.number is None else numbered[one.number] for one in leaf.asked]


def _every_path(held: _Held, leaves: Sequence[Leaf]) -> int:
    """Run every path at both ends of what it leaves open, the last one first.

    Of a path that saw of its draws their cells alone, at one of the ends by turns: that both give
    this cell is seen of the real choice.
    """
    count = 0
    for leaf in reversed(leaves):  # each run comes after others than when it was explored
        points = ends(_supports(leaf))
        if _is_looked_up(leaf):
            points = [points[count % len(points)]]
        for point in points:
            held.run(leaf.asked, _values(leaf, point))
            count += 1
    return count


def _is_looked_up(leaf: Leaf) -> bool:
    """Tell whether nothing is seen of the draws of a path but their cells."""
    return all(one.looked_up for one in leaf.asked)


def _all_outcomes(held: _Held, leaves: Sequence[Leaf]) -> bool:
    """Run every outcome of the draws; tell whether each was seen to come."""
    return all(
        held.run(leaf.asked, _values(leaf, point)) is leaf
        for leaf in leaves
        for point in every(_supports(leaf))
    )


def _where_code_looks(
    held: _Held,
    leaves: Sequence[Leaf],
    constants: Sequence[int | float | Fraction],
    effort: Effort,
) -> int:
    """Run every path at single values where its code may do otherwise, as far as the time goes."""
    end = Deadline(effort.allowed / 2)
    count = 0
    left = [leaf for leaf in leaves if not _is_looked_up(leaf)]
    for leaf, values in in_turn([_singles(leaf, constants, held.junk) for leaf in left]):
        if count >= _MOST_CHOSEN or end.passed():
            return count
        held.run(leaf.asked, values)
        count += 1
    return count


def _singles(
    leaf: Leaf, constants: Sequence[int | float | Fraction], junk: _random.Random
) -> Iterator[tuple[Leaf, list[int]]]:
    supports = _supports(leaf)
    uniform = [one.primitive[0] == "unit" for one in leaf.asked if one.number is not None]
    for point in singles(supports, constants, uniform, junk):
        yield leaf, _values(leaf, point)
    for _ in range(_RANDOM_OF_PATH):
        yield leaf, _values(leaf, [random_value(one, junk) for one in supports])


def _disagreement(leaf: Leaf, values: Sequence[int], output: Hashable) -> str:
    """Say which draws of a real run gave what, and what was derived."""
    draws = ", ".join(map(_shown, leaf.asked[:_SHOWN], values))
    more = ", …" if len(leaf.asked) > _SHOWN else ""
    return disagreement(f"{draws}{more}", output, leaf.output)


_SHOWN = 6


def _shown(one: Asked, value: int) -> str:
    return repr((one.primitive[1][0] + value) / WORDS) if one.primitive[0] == "unit" else str(value)

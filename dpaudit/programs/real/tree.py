"""The paths of a program as a tree of decisions, along which known draws find their path.

Exploring derives, for every path, which draws take it and what it gives out.  A real run has draws
whose values are known: going down the tree with them tells what was derived for this very run.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from dpaudit.programs.exploring.run import DATASETS
from dpaudit.programs.exploring.shifts import at

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from dpaudit.programs.exploring.run import Run, Test
    from dpaudit.programs.unknowns.wholes import Support

__all__ = ["Draws", "Leaf", "Node", "NotDerivedError", "lies_in", "tree_of"]


class NotDerivedError(Exception):
    """Draws of a path that exploring did not follow, as it was too improbable."""


class Draws(Protocol):
    """The values of the draws of one run, which are told apart as a path goes on."""

    def taken(self, place: int, leaf: Leaf) -> int:
        """Return which way the finite draw at this place among all draws took."""

    def whole(self, number: int, drawn: int, leaf: Leaf) -> int:
        """Return the value of a countable draw, of the first ``drawn`` draws."""

    def real(self, node: int, drawn: int, leaf: Leaf) -> float | Fraction:
        """Return the value of a continuous draw, of the first ``drawn`` draws."""


@dataclass(eq=False)
class Leaf:
    """A path that was derived."""

    run: Run
    output: Hashable
    """Output of the path."""
    asked: Sequence[Any] = ()
    """Requests to the source, in order."""


@dataclass(eq=False)
class Node:
    """A decision, or the end of a path."""

    leaf: Leaf
    """The path that ends here, or any one of those that go on: all drew the same so far."""
    test: Test | None = None
    """Decision; None at the end of a path."""
    ways: dict[int, Node] = field(default_factory=dict)
    floats: tuple[tuple[tuple[int, float], ...], float] | None = None
    """The terms and the bound of a comparison, as floats."""
    starts: Sequence[int] = ()
    """The least values of the parts between which a monotone float is decided."""

    def find(self, draws: Draws) -> Leaf:
        """Return the path that these draws take.

        Raises:
            NotDerivedError: for a path that was not followed to its end.
        """
        node = self
        while (test := node.test) is not None:
            if test.kind == "split":  # most are
                value = draws.whole(test.number, test.drawn, node.leaf)
                way = 0 if lies_in(test.what, value) else 1
            elif node.starts:
                value = draws.whole(test.number, test.drawn, node.leaf)
                way = bisect_right(node.starts, value) - 1
            else:
                quick = node._quickly(draws) if node.floats is not None else None
                way = _way(test, draws, node.leaf) if quick is None else quick
            found = node.ways.get(way)
            if found is None:
                raise NotDerivedError
            node = found
        return node.leaf

    def _quickly(self, draws: Draws) -> int | None:
        """Return the way at a comparison as floats tell it; None where they are too close."""
        assert self.floats is not None
        assert self.test is not None
        terms, c = self.floats
        drawn, leaf = self.test.drawn, self.leaf
        total, scale = -c, 1 + abs(c)
        for number, a in terms:
            part = a * draws.real(number, drawn, leaf)
            total += part
            scale += abs(part)
        if abs(total) > _FLOAT_CLOSE * scale:
            return 0 if total < 0 else 1
        return None

    def is_close(self, draws: Draws, leaf: Leaf) -> Iterator[bool]:
        """Yield for each comparison on the way whether floats may decide it otherwise."""
        node = self
        while node.test is not None:
            if node.test.kind == "below":
                terms, c = node.test.what
                drawn = node.test.drawn
                parts = [a * Fraction(draws.real(number, drawn, leaf)) for number, a in terms]
                yield abs(sum(parts) - c) <= _CLOSE * (1 + abs(c) + sum(map(abs, parts)))
            node = node.ways[_way(node.test, draws, leaf)]


_CLOSE = Fraction(1, 10**9)
_FLOAT_CLOSE = 1e-9
_LARGEST = 10**200


def tree_of(leaves: Iterable[Leaf], dataset: tuple[int, ...] = ()) -> Node:
    """Return the tree of paths.

    Args:
        leaves: the paths, at least one.
        dataset: the entries of the dataset, where some numbers are shifts of many of them.
    """
    root: Node | None = None
    for leaf in leaves:
        if root is None:
            root = Node(leaf)
        node = root
        run = leaf.run
        for test, decision in zip(run.tests, run.decisions, strict=True):
            if test.kind == DATASETS:  # decided by the dataset, and not by a draw
                continue
            if node.test is None:
                node.test = _at(test, dataset)
                node.floats = _floats(node.test)
                node.starts = _starts(node.test)
            following = node.ways.get(decision.taken)
            if following is None:
                following = node.ways[decision.taken] = Node(leaf)
            node = following
        node.leaf = leaf
    assert root is not None
    return root


def _at(test: Test, dataset: tuple[int, ...]) -> Test:
    if test.kind != "below" or not dataset:
        return test
    terms, c = test.what
    return test._replace(what=(terms, at(c, dataset)))


def _floats(test: Test) -> tuple[tuple[tuple[int, float], ...], float] | None:
    if test.kind != "below":
        return None
    terms, c = test.what
    if any(abs(one) > _LARGEST for one in (c, *(a for _, a in terms))):
        return None
    return tuple((number, float(a)) for number, a in terms), float(c)


def _way(test: Test, draws: Draws, leaf: Leaf) -> int:
    """Return which way draws take at a decision."""
    kind, number, what, drawn = test
    if kind == "finite":
        return draws.taken(number, leaf)
    if kind == "below":
        terms, c = what
        return 0 if sum(a * Fraction(draws.real(node, drawn, leaf)) for node, a in terms) < c else 1
    value = draws.whole(number, drawn, leaf)
    if kind == "split":
        return 0 if lies_in(what, value) else 1
    if kind == "fix":
        below = 0
        for low, high in what:
            if value <= high:
                return int(below + value - low)
            below += high - low + 1
        raise NotDerivedError
    return bisect_right(_starts(test), value) - 1


def _starts(test: Test) -> list[int]:
    """Return where the parts of a monotone float begin, in increasing order."""
    return [span[0] for _, span in test.what] if test.kind == "parts" else []


def lies_in(support: Support, value: int) -> bool:
    """Tell whether a whole number lies in a support."""
    for low, high in support:  # no generator: every real run asks this of every draw
        if (low is None or low <= value) and (high is None or value <= high):
            return True
    return False

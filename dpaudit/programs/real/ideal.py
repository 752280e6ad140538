"""Holding the ideal law of a program to real runs: its code on Python's own ints and floats."""

from __future__ import annotations

import math
import os
import random as python_random
import time
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dpaudit.mechanisms.user_laws import alike
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import ZERO, Real
from dpaudit.programs.exploring.estimates import explored_now
from dpaudit.programs.exploring.known import Known, agrees, expected_at, point_inside
from dpaudit.programs.exploring.outputs import outcome
from dpaudit.programs.exploring.run import Run
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.output_laws.printed_draws import Place
from dpaudit.programs.real.counted import DEFAULT_RUNS, RealRuns
from dpaudit.programs.real.draws import random_draw
from dpaudit.programs.real.effort import OTHER_DRAWS, Effort, brief, disagreement
from dpaudit.programs.real.masses import OUTSIDE, NotDerived, check_ideal, is_inside
from dpaudit.programs.real.points import MOST_OUTCOMES, clipped, every, in_turn, outcomes, singles
from dpaudit.programs.real.streams import OtherDrawsError
from dpaudit.programs.real.tree import Leaf, Node, NotDerivedError, tree_of
from dpaudit.programs.unknowns.image import add_made, image_values, place_bases
from dpaudit.programs.unknowns.lazy import Lazy
from dpaudit.programs.unknowns.unknown import Unknown
from dpaudit.programs.unknowns.unknown_whole import Whole
from dpaudit.programs.unknowns.wholes import WholeDraw, chance, nearest
from dpaudit.programs.zones.regions import Given
from dpaudit.progress import ended, step

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence


__all__ = ["Drew", "Held", "hold_ideal", "outcomes_of", "singles_of", "supports_of", "values_of"]

Body = Callable[[Any], Any]
Value = Any
_MOST_CHOSEN = 5_000
_CLOSE = 1e-9
_PLAIN = {int, str, bool, type(None)}
_NESTED = "sampler"


class _Source(Known):
    """A source that gives numbers: the ``chosen`` ones first, then random ones of the same laws."""

    def __init__(
        self, rng: python_random.Random, chosen: Sequence[Value], samplers: Any, *, exact: bool
    ) -> None:
        self._rng, self._samplers, self.exact = rng, samplers, exact
        self._run, self._changed = Run(()), OTHER_DRAWS
        self._chosen = [*chosen][::-1]
        self.gave: list[tuple[Hashable, Value]] = []

    def _next(self, asked: Hashable) -> Value:
        value = self._chosen.pop() if self._chosen else random_draw(asked, self._rng)
        self.gave.append((asked, value))
        if self.exact and type(value) is float:
            return Fraction(value)
        return value

    # Written a second time: what exploring and real runs share, real runs do not hold to anything.

    def permutation(self, items: Iterable[Value]) -> list[Value]:
        left, found = list(items), list[Value]()
        for count in range(len(left), 0, -1):
            found += [left.pop(self.integers(count))]
        return found

    def bits(self, k: int) -> int:
        return self.integers(2**k)

    def random(self) -> Value:
        return self.uniform(0, 1)

    def _of_sampler(self, sampler: Any, given: Any, outcomes: Any, *, renewed: bool) -> Any:
        if self._chosen:
            found = self._chosen.pop()
        else:  # for real, with draws that are its own
            own = _Source(self._rng, (), self._samplers, exact=False)
            found = _drawn(own, sampler, given, outcomes, renewed=renewed)
        self.gave.append(((_NESTED,), found))
        return found


def _drawn(source: Any, sampler: Any, given: Any, outcomes: Any, *, renewed: bool) -> Any:
    """Return what a sub-sampler gives for real."""
    found = sampler(source, *given)
    while renewed and found is None:
        found = sampler(source, *given)
    if outcomes is None:
        return found
    listed = list(outcomes)
    return found if found in listed else listed[-1]


class Drew:
    """The draws of a real run, beside what a path asked for."""

    def __init__(self, gave: Sequence[tuple[Hashable, Value]], *, strict: bool = False) -> None:
        """Take the draws; ``strict`` is about floats and whole numbers of one value."""
        self.gave, self._strict = gave, strict
        self._known = 0
        self.wholes: dict[int, int] = {}
        self.reals: dict[int, float | Fraction] = {}

    def taken(self, place: int, leaf: Leaf) -> int:
        self.go_on(place + 1, leaf)
        (asked, _), (_, value) = leaf.asked[place], self.gave[place]
        kind = asked[0]
        if kind == "bernoulli":
            return 0 if value else 1
        if kind == "choice":
            return [index for index, one in enumerate(asked[1]) if one != ZERO].index(value)
        if kind == _NESTED:
            ways = [index for index, one in enumerate(asked[1]) if alike(one.value, value)]
            if not ways:
                raise OtherDrawsError
            return ways[0]
        return int(value)

    def whole(self, number: int, drawn: int, leaf: Leaf) -> int:
        self.go_on(drawn, leaf)
        if number not in self.wholes:
            self._make(number, drawn, leaf)
        return self.wholes[number]

    def _make(self, number: int, drawn: int, leaf: Leaf) -> None:
        """Add a draw that a path makes of others."""
        for image in leaf.run.images:
            if image.kind == "floor" and image.number == number:
                bases = {base: self.real(base, drawn, leaf) for base, _ in image.terms}
                self.wholes[number] = image.value(bases)
        for one in leaf.run.made:
            if one.number == number:
                own = {base: self.whole(base, drawn, leaf) for base in one.bases}
                self.wholes[number] = one.value(own)

    def real(self, node: int, drawn: int, leaf: Leaf) -> float | Fraction:
        if self._known < drawn:
            self.go_on(drawn, leaf)
        # Another path may have another image of the same number.
        for image in leaf.run.images:
            if image.kind != "floor" and image.number == node:
                bases = {base: self.real(base, drawn, leaf) for base, _ in image.terms}
                return image.value(bases)  # type: ignore[no-any-return]
        return self.reals[node]

    def add_images(self, leaf: Leaf) -> None:
        """Add the draws that a path makes of those that it asked for."""
        image_values(leaf.run.images, self.reals, self.wholes)
        add_made(leaf.run.made, self.wholes)

    def lies_on(self, leaf: Leaf, dataset: tuple[int, ...]) -> bool:
        """Tell whether all draws lie where those of a path do, but for rounding."""
        return is_inside(leaf.run, self.wholes, self.reals, dataset) and all(
            isinstance(value, Lazy) or value is drawn or alike(value, drawn)
            for (_, value), (_, drawn) in zip(leaf.asked, self.gave, strict=True)
        )

    def agree(self, output: Any, leaf: Leaf) -> bool:
        """Tell whether a path gives this out at these draws."""
        expected = leaf.output
        if not isinstance(expected, Given):
            kind = type(output)
            plain = kind is type(expected) and kind in _PLAIN
            if plain:
                return bool(output == expected)
            return agrees(output, expected, strict=self._strict)
        if type(expected.fixed) is Place and expected.forms and type(output) is float:
            form = expected.forms[0]
            found = math.fsum(float(a) * self.reals[node] for node, a in form.terms)
            if abs(found + float(form.constant) - output) <= _CLOSE * (1 + abs(output)):
                return True
        return agrees(output, self.expected(leaf), strict=self._strict)

    def expected(self, leaf: Leaf) -> Hashable:
        """Return what a path gives out at these draws."""
        reals = {node: Fraction(value) for node, value in self.reals.items()}
        return expected_at(leaf.output, reals, self.wholes)

    def go_on(self, count: int, leaf: Leaf) -> None:
        """Put the first ``count`` draws beside those of a path."""
        while self._known < count:
            if self._known >= len(self.gave):
                raise OtherDrawsError
            (asked, given), (real_asked, value) = leaf.asked[self._known], self.gave[self._known]
            self._known += 1
            if (
                asked is not real_asked
                and asked != real_asked
                and (asked[0], real_asked) != (_NESTED, (_NESTED,))
            ):
                raise OtherDrawsError
            if isinstance(given, Whole):
                self.wholes[given._number] = value
            elif isinstance(given, Unknown):
                ((node, _),) = given._terms
                self.reals[node] = value


class Held:
    """Real runs of one body."""

    def __init__(
        self,
        body: Body,
        leaves: Sequence[Leaf],
        dataset: tuple[int, ...],
        effort: Effort,
        *,
        strict: bool,
    ) -> None:
        """Take the body and its paths, as :func:`hold_ideal` does."""
        self._body, self._strict = body, strict
        for leaf in leaves:
            check_ideal(leaf)
        self._tree, self._dataset = tree_of(leaves, dataset), dataset
        self._not_derived = NotDerived(leaves, effort.runs or DEFAULT_RUNS)
        self._unused = Run(())
        self._runs, self.expected = 0, 0
        self._what = f"real runs of {explored_now()}"
        self.rng = python_random.Random(int.from_bytes(os.urandom(16), "big"))
        self._samplers = leaves[0].run.samplers

    def _once(self, chosen: Sequence[Value], *, exact: bool) -> tuple[_Source, Hashable]:
        source = _Source(self.rng, chosen, self._samplers, exact=exact)
        return source, outcome(self._unused, lambda: self._body(source))

    def run(self, chosen: Sequence[Value] = ()) -> Leaf | None:
        """Run the body once, with these draws first, and hold it to its path.

        Returns:
            The path; None for one that was not followed.

        Raises:
            Refused: where it gives something else than was derived.
        """
        self._runs += 1
        step(self._runs, max(self.expected, self._runs), self._what)
        source, output = self._once(chosen, exact=False)
        try:
            leaf, drew = self._found(source)
        except NotDerivedError:
            if self._only_rounding(source):
                return None
            self._not_derived.count(random=not chosen)
            return None
        except OtherDrawsError:
            if self._only_rounding(source):
                return None
            raise Refused(OTHER_DRAWS, inside=False) from None
        if not drew.lies_on(leaf, self._dataset):
            raise Refused(OUTSIDE, inside=False)
        if not drew.agree(output, leaf) and not self._only_rounding(source):
            raise Refused(_told(source, output, drew.expected(leaf)), inside=False)
        return leaf

    def _found(self, source: _Source) -> tuple[Leaf, Drew]:
        """Return the path of a run, and its draws.

        Raises:
            NotDerivedError: for a path that was not followed to its end.
            OtherDrawsError: where the run asked for other draws than its path.
        """
        strict = self._strict and not source.exact
        leaf, drew = self.along(self._tree, source.gave, strict=strict)
        if len(leaf.asked) != len(source.gave):
            raise OtherDrawsError
        return leaf, drew

    @staticmethod
    def along(
        tree: Node, gave: Sequence[tuple[Hashable, Value]], *, strict: bool
    ) -> tuple[Leaf, Drew]:
        """Return the path of a tree that the first of these draws take, and the draws."""
        drew = Drew(gave, strict=strict)
        try:
            leaf = tree.find(drew)
            drew.go_on(len(leaf.asked), leaf)
            drew.add_images(leaf)
        except (IndexError, ValueError):
            raise OtherDrawsError from None
        return leaf, drew

    def _only_rounding(self, source: _Source) -> bool:
        """Tell whether a decision was so close that rounding may have changed it, and did.

        The same draws are calculated with exactly then, and must give what was derived for them.
        """
        if not any(type(value) is float for _, value in source.gave):
            return False
        exact, output = self._once([value for _, value in source.gave], exact=True)
        try:
            leaf, drew = self._found(exact)
        except (NotDerivedError, OtherDrawsError):
            return False
        return self._is_close(leaf, drew) and drew.agree(output, leaf)

    def _is_close(self, leaf: Leaf, drew: Drew) -> bool:
        """Tell whether rounding may change a decision on the way."""
        return any(self._tree.is_close(drew, leaf))


def hold_ideal(
    body: Body,
    leaves: Sequence[Leaf],
    constants: Callable[[], Sequence[int | float | Fraction]],
    effort: Effort,
    dataset: tuple[int, ...] = (),
    *,
    strict: bool = False,
) -> RealRuns:
    """Run a program on known numbers, and hold what it gives out to the paths that were derived.

    Args:
        body: runs the unchanged program once, with a source.
        leaves: the paths.
        constants: gives the numbers that its code holds.
        effort: how many runs there are.
        dataset: the entries of the dataset, where some numbers are shifts of many of them.
        strict: whether a float is another output than a whole number of the same value.

    Raises:
        Refused: where it gives something else than was derived.
    """
    held = Held(body, leaves, dataset, effort, strict=strict)
    count = sum(outcomes_of(leaf) for leaf in leaves)
    held.expected = effort.wanted + (count if count <= MOST_OUTCOMES else 0)
    chosen = 0
    endless = leaves[0].run.follows
    exhaustive = (
        not endless
        and count <= MOST_OUTCOMES
        and all(
            held.run(values_of(leaf, point)) is leaf
            for leaf in leaves
            for point in every(list(supports_of(leaf).values()))
        )
    )
    if exhaustive:
        chosen = count
    runs = sum(1 for _ in effort.times(exhaustive=exhaustive) if held.run() or True)
    if not exhaustive:
        chosen += _where_code_looks(held, leaves, constants(), effort)
    ended()
    return RealRuns(runs, chosen, exhaustive)


def supports_of(leaf: Leaf) -> dict[int, Any]:
    """Return where the countable draws of a path lie, by their number."""
    numbers = [one._number for _, one in leaf.asked if isinstance(one, Whole)]
    run = leaf.run
    return {number: _but_for_a_rest(run.wholes[number], run.supports[number]) for number in numbers}


@lru_cache(maxsize=1 << 10)
def _but_for_a_rest(draw: Any, support: Any) -> Any:
    """Return where a countable draw lies, cut where no more than about 10⁻⁹ is left, or far out."""
    low, high = support[0][0], support[-1][1]
    inner = [end for part in support for end in part if end is not None]
    if isinstance(draw, WholeDraw) and (low is None or high is None):
        size = 1
        with precision(64):
            while size < _FAR and any(
                float(_chance(draw, tail)) > _REST for tail in _tails(low, high, inner, size)
            ):
                size *= 2
        if size < _FAR:
            first, last = min(inner, default=0) - size, max(inner, default=0) + size
            support = tuple(
                (first if a is None else a, last if b is None else b) for a, b in support
            )
    return clipped(support)


def _tails(low: int | None, high: int | None, inner: list[int], size: int) -> Iterator[Any]:
    """Yield what lies further than ``size`` beyond the inner ends, where there is no end."""
    if low is None:
        yield ((None, min(inner, default=0) - size - 1),)
    if high is None:
        yield ((max(inner, default=0) + size + 1, None),)


def _chance(draw: WholeDraw, support: Any) -> Any:
    found = chance(draw, support)
    return found.ball() if isinstance(found, Real) else found


_FAR, _REST = 1 << 10, 1e-9


def outcomes_of(leaf: Leaf) -> int:
    """Return how many outcomes the draws of a path have; too many where there is no end."""
    run = leaf.run
    endless = any(None in part for one in run.supports for part in one)
    if run.draws or endless:
        return MOST_OUTCOMES + 1
    return outcomes(list(supports_of(leaf).values()), MOST_OUTCOMES)


def values_of(leaf: Leaf, point: Sequence[int]) -> list[Value]:
    """Return the values of all draws of a path, with these for its countable ones."""
    run = leaf.run
    wholes = dict(zip(supports_of(leaf), point, strict=True))
    for one in run.made:
        if all(base in wholes for base in one.bases):
            wholes[one.number] = nearest(run.supports[one.number], one.value(wholes))
    for one in reversed(run.made):
        if all(base in wholes for base in one.bases):
            wholes |= one.placed(wholes[one.number])
    reals = point_inside(run.zone, len(run.draws))
    reals = place_bases(run.images, [x / scale for x, scale in zip(reals, run.scales, strict=True)])
    found: list[Value] = []
    for _, one in leaf.asked:
        if isinstance(one, Whole):
            found.append(wholes[one._number])
        elif isinstance(one, Unknown):
            ((node, _),) = one._terms
            found.append(float(reals[node]))
        else:
            found.append(one)
    return found


def _where_code_looks(
    held: Held,
    leaves: Sequence[Leaf],
    constants: Sequence[int | float | Fraction],
    effort: Effort,
) -> int:
    """Run every path where its code may do otherwise, as far as the time goes."""
    end = time.process_time() + effort.allowed / 2
    count = 0
    for values in in_turn([singles_of(leaf, constants, held.rng) for leaf in leaves]):
        if count >= _MOST_CHOSEN or time.process_time() > end:
            return count
        held.run(values)
        count += 1
    return count


def singles_of(
    leaf: Leaf, constants: Sequence[int | float | Fraction], rng: python_random.Random
) -> Iterator[list[Value]]:
    """Yield the draws at which a path is tried: ends, constants of the code, random ones."""
    supports = list(supports_of(leaf).values())
    for point in singles(supports, constants, [False] * len(supports), rng):
        values = values_of(leaf, point)
        if not leaf.run.images or all(type(one) is not float or one for one in values):
            yield values  # a draw that no float is small enough for is none of a real run


def _told(source: _Source, output: Hashable, expected: Hashable) -> str:
    """Say which draws of a real run gave what, and what was derived."""
    draws = ", ".join(brief(value) for _, value in source.gave[:_SHOWN])
    more = ", …" if len(source.gave) > _SHOWN else ""
    return disagreement(f"{draws}{more}", output, expected)


_SHOWN = 6

"""The law of an error at one precision: outputs of equal error merged, and in order.

Cumulative probabilities of a listed law: where they reach a level, by balls or exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.accuracy.l1_noise import Remainder
from dpaudit.accuracy.metrics import steps_between
from dpaudit.errors import LawError
from dpaudit.numbers.ball import (
    Ball,
    Sign,
    ball,
    certainly_less,
    fixed_point,
    sign,
    working_precision,
)
from dpaudit.numbers.real import ONE, Real, rational

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from dpaudit.accuracy.l1_noise import NoiseErrors
    from dpaudit.accuracy.metrics import Metric
    from dpaudit.accuracy.outputs import Outputs
    from dpaudit.data.histograms import Counts

__all__ = [
    "Cell",
    "Listing",
    "Part",
    "bracket",
    "is_whole",
    "list_noise",
    "list_outputs",
    "settled",
    "tail",
]


NOTHING = Remainder(ball(0), ball(0), ball(0))


@dataclass(frozen=True)
class Part:
    """The outputs of a group that are equally many steps away."""

    steps: int
    mass: Ball
    outputs: tuple[Counts, ...]


@dataclass(frozen=True)
class Cell:
    """Outputs of equal error."""

    value: Ball
    """The error."""
    mass: Ball
    """Their probability."""
    parts: tuple[Part, ...]
    """The outputs by their number of steps; empty for outputs that are not listed one by one."""
    exact: Callable[[], Real | None]
    """The error in closed form, where it has one."""
    merged: bool = False
    """Whether the errors in it could not be told apart, nor shown to be equal."""


@dataclass(frozen=True)
class Listing:
    """All errors in increasing order with their probabilities, at one precision."""

    cells: tuple[Cell, ...]
    remainder: Remainder
    exact_mass: Callable[[Sequence[Cell]], Real | None]
    """The exact probability of some cells, where it is known."""
    separated: bool
    """Whether every two cells were told apart."""

    def is_tight(self, digits: int) -> bool:
        """Tell whether every error and probability is known to about 10^−digits."""
        limit = ball(Fraction(1, 4 * 10**digits))
        return all(
            certainly_less(cell.value.rad(), limit) and certainly_less(cell.mass.rad(), limit)
            for cell in self.cells
        )

    def mean(self) -> Ball:
        """Return the mean error."""
        return sum((cell.mass * cell.value for cell in self.cells), self.remainder.first)

    def second_moment(self) -> Ball:
        """Return the mean of the squared error."""
        squares = (cell.mass * cell.value * cell.value for cell in self.cells)
        return sum(squares, self.remainder.second)


def list_outputs(outputs: Outputs, metric: Metric, dataset: Counts) -> Listing:
    """Return the law of the error of ``outputs``, at the working precision."""
    found: _Found = {}
    for output, mass in outputs.listed:
        by_steps = found.setdefault(metric.key(output), {})
        steps = steps_between(dataset, output)
        if steps not in by_steps:
            by_steps[steps] = _Collected()
        by_steps[steps].add(output, mass)
    cells, separated = _in_order(found, metric)
    remainder = outputs.remainder or NOTHING
    rest = 1 - sum((cell.mass for cell in cells), ball(0)) - remainder.mass
    if outputs.furthest:
        cells.append(Cell(ball(1), rest, (), lambda: ONE))
    elif sign(rest) in (Sign.POSITIVE, Sign.NEGATIVE):
        raise LawError("the probabilities of the outputs do not add up to 1")
    return Listing(tuple(cells), remainder, _exact_mass(outputs), separated)


def list_noise(found: NoiseErrors) -> Listing:
    """Return the law of the ℓ1 error of noise that is not clamped."""
    stride = found.stride

    def cell(m: int, mass: Ball) -> Cell:
        parts = (Part(m, mass, ()),) if stride == 2 else ()
        return Cell(ball(stride * m), mass, parts, lambda: rational(stride * m))

    def exact_mass(cells: Sequence[Cell]) -> Real | None:
        if found.exact is None:
            return None
        return found.exact(stride * index for index in range(len(cells)))

    cells = tuple(cell(m, mass) for m, mass in enumerate(found.masses))
    return Listing(cells, found.remainder, exact_mass, separated=True)


def _exact_mass(outputs: Outputs) -> Callable[[Sequence[Cell]], Real | None]:
    exact = outputs.exact

    def exact_mass(cells: Sequence[Cell]) -> Real | None:
        if exact is None or not all(cell.parts for cell in cells):
            return None
        total = exact(r for cell in cells for part in cell.parts for r in part.outputs)
        return total if outputs.exact_total is ONE else total / outputs.exact_total

    return exact_mass


class _Collected:
    """Outputs with one key and equally many steps."""

    def __init__(self) -> None:
        self.mass = ball(0)
        self.outputs: list[Counts] = []

    def add(self, output: Counts, mass: Ball) -> None:
        self.mass += mass
        self.outputs.append(output)


_Found = dict["Hashable", dict[int, _Collected]]
"""What is collected, by the key of an error and by how many steps outputs are away."""


def _in_order(found: _Found, metric: Metric) -> tuple[list[Cell], bool]:
    """Return the cells in increasing order, and whether all of them were told apart."""
    bits = working_precision()
    ordered = sorted(
        (*fixed_point(metric.order(key), bits), index, key) for index, key in enumerate(found)
    )
    cells: list[Cell] = []
    separated = True
    cluster: list[Hashable] = []
    reach = 0
    for low, high, _, key in ordered:
        if cluster and low > reach:
            separated &= _close(cluster, found, metric, cells)
            cluster = []
        reach = max(reach, high) if cluster else high
        cluster.append(key)
    separated &= _close(cluster, found, metric, cells)
    return cells, separated


def _close(
    cluster: list[Hashable],
    found: _Found,
    metric: Metric,
    cells: list[Cell],
) -> bool:
    """Add the cell of keys whose balls overlap; return whether all of them are equal."""
    equal = all(metric.differ(cluster[0], key) is False for key in cluster[1:])
    parts: dict[int, list[_Collected]] = {}
    for key in cluster:
        for steps, collected in found[key].items():
            parts.setdefault(steps, []).append(collected)
    value = metric.value(cluster[0])
    for key in cluster[1:]:
        value = metric.value(key) if equal else value.union(metric.value(key))
    cells.append(
        Cell(
            value,
            sum((one.mass for key in cluster for one in found[key].values()), ball(0)),
            tuple(_part(steps, parts[steps]) for steps in sorted(parts)),
            _exact_value(metric, cluster[0] if equal else None),
            merged=not equal,
        )
    )
    return equal


def _part(steps: int, collected: Iterable[_Collected]) -> Part:
    mass, outputs = ball(0), []
    for some in collected:
        mass += some.mass
        outputs += some.outputs
    return Part(steps, mass, tuple(outputs))


def _exact_value(metric: Metric, key: Hashable | None) -> Callable[[], Real | None]:
    return lambda: None if key is None else metric.exact(key)


def bracket(listing: Listing, p: Real) -> tuple[int, int | None]:
    """Return the first and the last cell that may be the quantile (None: beyond all of them)."""
    target, rest = p.ball(), listing.remainder.mass
    total, first = ball(0), None
    cells = listing.cells
    for index, cell in enumerate(cells):
        total += cell.mass
        if first is None and sign(total + rest - target) is not Sign.NEGATIVE:
            first = index
        if sign(total - target) in (Sign.POSITIVE, Sign.ZERO):
            assert first is not None
            return first, index
    if first is None:
        first = len(cells) - 1
    return first, len(cells) - 1 if is_whole(listing) else None


def is_whole(listing: Listing) -> bool:
    """Tell whether nothing is left out of the cells."""
    return listing.remainder.mass.is_zero()


def settled(listing: Listing, p: Real, first: int, last: int | None) -> tuple[int, int | None]:
    """Return the bracket after asking closed forms whether cumulative probabilities reach p."""
    if not is_whole(listing) and not listing.remainder.least:
        return first, last
    end = len(listing.cells) - 1 if last is None else last
    for index in range(first, end):
        exact = listing.exact_mass(listing.cells[: index + 1])
        found = Sign.UNDECIDED if exact is None else (exact - p).sign()
        if found is Sign.UNDECIDED:
            return index, last
        if found is not Sign.NEGATIVE:
            return index, index
        first = index + 1
    return first, last


def tail(listing: Listing, threshold: Real) -> Ball:
    """Return P(error ≥ ``threshold``); a ball of both answers where a tie cannot be told."""
    bound = threshold.ball()
    total = listing.remainder.mass
    everything = is_whole(listing)
    for cell in listing.cells:
        found = sign(cell.value - bound)
        if found is Sign.UNDECIDED:
            exact = cell.exact()
            found = Sign.UNDECIDED if exact is None else (exact - threshold).sign()
        if found in (Sign.POSITIVE, Sign.ZERO):
            total += cell.mass
            continue
        everything = False
        if found is Sign.UNDECIDED:
            total += ball(0).union(cell.mass)
    return ball(1) if everything else total

"""The law of an error at one precision: outputs of equal error merged, and in order.

A listing says where cumulative probabilities reach a level, by balls or exactly; its groups and
steps say the same in decimal intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.accuracy.l1_noise import NoiseErrors, Remainder
from dpaudit.accuracy.metrics import Metric, steps_between
from dpaudit.data.histograms import Counts
from dpaudit.errors import LawError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, Sign, ball, precision, sign
from dpaudit.numbers.enclosure import enclose, unit_interval
from dpaudit.numbers.real import ONE, Real, rational
from dpaudit.results import Enclosure

if TYPE_CHECKING:
    from dpaudit.accuracy.outputs import Outputs

__all__ = ["Cell", "Group", "Listing", "Steps", "enclosed", "list_noise", "list_outputs"]


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
    """True if its errors could be neither told apart nor shown to be equal."""


@dataclass(frozen=True)
class Listing:
    """All errors in increasing order with their probabilities, at one precision."""

    cells: tuple[Cell, ...]
    remainder: Remainder
    exact_mass: Callable[[Sequence[Cell]], Real | None]
    """The exact probability of some cells, where it is known."""
    separated: bool
    """True if every two cells were told apart."""

    def is_tight(self, digits: int) -> bool:
        """Tell whether every error and probability is known to about 10^−digits."""
        limit = ball(Fraction(1, 4 * 10**digits))
        return all(
            balls.certainly_less(cell.value.rad(), limit)
            and balls.certainly_less(cell.mass.rad(), limit)
            for cell in self.cells
        )

    def mean(self) -> Ball:
        """Return the mean error."""
        return sum((cell.mass * cell.value for cell in self.cells), self.remainder.first)

    def second_moment(self) -> Ball:
        """Return the mean of the squared error."""
        squares = (cell.mass * cell.value * cell.value for cell in self.cells)
        return sum(squares, self.remainder.second)

    def bracket(self, p: Real) -> tuple[int, int | None]:
        """Return the first and the last cell that may be the quantile; None is beyond all."""
        target, rest = p.ball(), self.remainder.mass
        total, first = ball(0), None
        cells = self.cells
        for index, cell in enumerate(cells):
            total += cell.mass
            if first is None and sign(total + rest - target) is not Sign.NEGATIVE:
                first = index
            if sign(total - target) in (Sign.POSITIVE, Sign.ZERO):
                assert first is not None
                return first, index
        if first is None:
            first = len(cells) - 1
        return first, len(cells) - 1 if self.is_whole else None

    @property
    def is_whole(self) -> bool:
        """True if the cells leave nothing out."""
        return self.remainder.mass.is_zero()

    def settled(self, p: Real, first: int, last: int | None) -> tuple[int, int | None]:
        """Return the bracket after asking closed forms whether cumulative probabilities reach p."""
        if not self.is_whole and not self.remainder.least:
            return first, last
        end = len(self.cells) - 1 if last is None else last
        for index in range(first, end):
            exact = self.exact_mass(self.cells[: index + 1])
            side = Sign.UNDECIDED if exact is None else (exact - p).sign()
            if side is Sign.UNDECIDED:
                return index, last
            if side is not Sign.NEGATIVE:
                return index, index
            first = index + 1
        return first, last

    def tail(self, threshold: Real) -> Ball:
        """Return P(error ≥ ``threshold``); a ball of both answers where a tie cannot be told."""
        bound = threshold.ball()
        total = self.remainder.mass
        everything = self.is_whole
        for cell in self.cells:
            side = sign(cell.value - bound)
            if side is Sign.UNDECIDED:
                exact = cell.exact()
                side = Sign.UNDECIDED if exact is None else (exact - threshold).sign()
            if side in (Sign.POSITIVE, Sign.ZERO):
                total += cell.mass
                continue
            everything = False
            if side is Sign.UNDECIDED:
                total += ball(0).union(cell.mass)
        return ball(1) if everything else total


def list_outputs(outputs: Outputs, metric: Metric, dataset: Counts) -> Listing:
    """Return the law of the error of ``outputs``, at the working precision."""
    collected: _Found = {}
    for output, mass in outputs.listed:
        by_steps = collected.setdefault(metric.key(output), {})
        steps = steps_between(dataset, output)
        if steps not in by_steps:
            by_steps[steps] = _Collected()
        by_steps[steps].add(output, mass)
    cells, separated = _in_order(collected, metric)
    remainder = outputs.remainder or NOTHING
    rest = 1 - sum((cell.mass for cell in cells), ball(0)) - remainder.mass
    if outputs.furthest:
        cells.append(Cell(ball(1), rest, (), lambda: ONE))
    elif sign(rest) in (Sign.POSITIVE, Sign.NEGATIVE):
        raise LawError("the probabilities of the outputs do not add up to 1")
    return Listing(tuple(cells), remainder, _exact_mass(outputs), separated)


def list_noise(noise: NoiseErrors) -> Listing:
    """Return the law of the ℓ1 error of noise that is not clamped."""
    stride = noise.stride

    def cell(m: int, mass: Ball) -> Cell:
        parts = (Part(m, mass, ()),) if stride == 2 else ()
        return Cell(ball(stride * m), mass, parts, lambda: rational(stride * m))

    def exact_mass(cells: Sequence[Cell]) -> Real | None:
        if noise.exact is None:
            return None
        return noise.exact(stride * index for index in range(len(cells)))

    cells = tuple(cell(m, mass) for m, mass in enumerate(noise.masses))
    return Listing(cells, noise.remainder, exact_mass, separated=True)


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
"""Outputs collected so far, by the key of the error and by the number of steps."""


def _in_order(collected: _Found, metric: Metric) -> tuple[list[Cell], bool]:
    """Return the cells in increasing order, and whether all of them were told apart."""
    bits = balls.working_precision()
    ordered = sorted(
        (*balls.fixed_point(metric.order(key), bits), index, key)
        for index, key in enumerate(collected)
    )
    cells: list[Cell] = []
    separated = True
    cluster: list[Hashable] = []
    reach = 0
    for low, high, _, key in ordered:
        if cluster and low > reach:
            separated &= _close(cluster, collected, metric, cells)
            cluster = []
        reach = max(reach, high) if cluster else high
        cluster.append(key)
    separated &= _close(cluster, collected, metric, cells)
    return cells, separated


def _close(cluster: list[Hashable], found: _Found, metric: Metric, cells: list[Cell]) -> bool:
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
            sum((outputs.mass for key in cluster for outputs in found[key].values()), ball(0)),
            tuple(_part(steps, parts[steps]) for steps in sorted(parts)),
            _exact_value(metric, cluster[0] if equal else None),
            merged=not equal,
        )
    )
    return equal


def _part(steps: int, collected: Iterable[_Collected]) -> Part:
    mass, outputs = ball(0), []
    for outputs_of_key in collected:
        mass += outputs_of_key.mass
        outputs += outputs_of_key.outputs
    return Part(steps, mass, tuple(outputs))


def _exact_value(metric: Metric, key: Hashable | None) -> Callable[[], Real | None]:
    return lambda: None if key is None else metric.exact(key)


def enclosed(x: Ball, digits: int) -> Enclosure:
    """Return ``x`` in decimals, at a precision that does not widen it."""
    with precision(balls.bits_for_digits(digits) + 64):
        return enclose(x, digits)


@dataclass(frozen=True)
class Group:
    """Outputs of exactly equal error."""

    cell: Cell
    """The group in balls, with its outputs."""
    digits: int

    @property
    def distance(self) -> Enclosure:
        """The error."""
        return enclosed(self.cell.value, self.digits)

    @property
    def exact(self) -> Real | None:
        """The error in closed form, where it has one: for the prior 1, 1, say."""
        return self.cell.exact()

    @property
    def probability(self) -> Enclosure:
        """The probability of the group."""
        return unit_interval(enclosed(self.cell.mass, self.digits))

    @property
    def probability_ball(self) -> Ball:
        """The probability of the group as a ball."""
        return self.cell.mass

    @property
    def steps(self) -> tuple[int, ...]:
        """Distinct distances of its outputs from the truth, in steps (N §3.4.1).

        Empty for outputs that have no posterior, and where only their number is known.
        """
        return tuple(part.steps for part in self.cell.parts)

    @property
    def outputs(self) -> tuple[Counts, ...]:
        """The outputs, where they are listed."""
        return tuple(output for part in self.cell.parts for output in part.outputs)


@dataclass(frozen=True)
class Steps:
    """Outputs that are equally many steps away."""

    steps: int
    probability: Enclosure
    nearest: Enclosure
    """The smallest error among them."""
    furthest: Enclosure
    """The largest error among them."""

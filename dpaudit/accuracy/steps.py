"""What the law of an error says: groups of outputs, steps and quantiles, in decimal intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.numbers.ball import Ball, bits_for_digits, precision
from dpaudit.numbers.enclosure import Enclosure, enclose, unit_interval

if TYPE_CHECKING:
    from dpaudit.accuracy.listing import Cell
    from dpaudit.data.histograms import Counts
    from dpaudit.numbers.real import Real

__all__ = ["Group", "Steps", "enclosed"]


def enclosed(x: Ball, digits: int) -> Enclosure:
    """Return ``x`` in decimals, at a precision that does not widen it."""
    with precision(bits_for_digits(digits) + 64):
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
        """How many steps away its outputs are, each number once (N §3.4.1).

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

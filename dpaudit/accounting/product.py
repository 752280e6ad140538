"""The product of directed pairs: runs of different mechanisms as one source of lattices."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.accounting.lattices import Effort, composed, multiplied
from dpaudit.accounting.sources import OnLattice, Source
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.loss_cells import on_step
from dpaudit.numbers.real import Real, order, rational

if TYPE_CHECKING:
    from fractions import Fraction

    from dpaudit.numbers.lattice import LossLattice

__all__ = ["Joint"]


@dataclass(frozen=True)
class Joint(Source):
    """The product of directed pairs, each so many times."""

    parts: tuple[tuple[Source, int], ...]

    @property
    def regrids(self) -> bool:
        return self._common is None

    @property
    def _common(self) -> Real | None:
        """The step of all parts, where they are on lattices of one step."""
        steps = [source.step for source, _ in self.parts if isinstance(source, OnLattice)]
        same = all(order(step, steps[0]) is Sign.ZERO for step in steps)
        return steps[0] if len(steps) == len(self.parts) and same else None

    @property
    def spacing(self) -> float:
        step = self._common
        return 1.0 if step is None else float(step)

    def starts(self, runs: int) -> int:
        """Return 1: all runs are one."""
        return 1

    def drawn(self) -> tuple[Any, Any]:
        mean = variance = 0.0
        for source, runs in self.parts:
            weights, losses = source.drawn()
            weights /= weights.sum()
            middle = float(weights @ losses)
            mean += runs * middle
            variance += runs * float(weights @ (losses - middle) ** 2)
        places = np.linspace(-10.0, 10.0, 400)
        return np.exp(-places * places / 2) / 20, mean + sqrt(variance) * places

    def block(
        self, runs: int, step: Fraction, tails: tuple[Fraction, Fraction], bits: int, *, above: bool
    ) -> LossLattice:
        if runs != 1:
            raise ValueError("a composition of several mechanisms is run once")
        count = len(self.parts)
        effort = Effort(float(step) ** 2 / (3 * count), tails[1] / count, bits)
        made = [composed(source, times, effort, above=above) for source, times in self.parts]
        if self._common is None:
            width = rational(step / (2 * count))
            made = [on_step(one, width) for one in made]
        return multiplied(made, effort, regrids=self._common is None)

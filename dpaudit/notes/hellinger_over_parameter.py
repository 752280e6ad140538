"""The mechanisms scored by Hellinger distance for every γ, δ, ε or symmetric prior of an interval.

The same definitions that serve one audit are evaluated with the parameter as a number that varies
(:mod:`dpaudit.numbers.varying`): sensitivities, smoothing, distances and normalisers with it.

Of δ the law of a dataset is worked out on a piece when a pair that may be the worst there has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from math import comb
from operator import add
from typing import Any

from dpaudit.data.adjacency import later_substitutes
from dpaudit.data.histograms import Counts, Histograms
from dpaudit.laws.deltas_over import Abscissa, DeltaFamily, Found
from dpaudit.laws.over_parameter import VaryingFamily
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import Ball, certainly_less_or_equal
from dpaudit.numbers.varying import Varying, shares
from dpaudit.screens.bounds import NotScreened

__all__ = ["HellingerDeltas", "hellinger_over_parameter"]

_MOST_LOSSES = 1 << 18


def hellinger_over_parameter(mechanism: Any, parameter: str, n: int) -> VaryingFamily:
    """Return the losses at size ``n`` as functions of a parameter of a mechanism so scored.

    A prior is that of all categories alike.  ``NotScreened`` for sizes with too many losses.
    """
    space, pairs = _followed(mechanism, parameter, n)

    def losses(value: Varying) -> Iterator[Varying | Ball]:
        varied = _varied(mechanism, parameter, value)
        metric = HellingerMetric(varied.prior)
        factors = varied.factors(n)
        weights: list[list[Any]] = [
            [factor * distance for distance in metric.row(counts)]
            for counts, factor in zip(space, factors, strict=True)
        ]
        logs: list[Any] = [
            reduce(add, [(-weight).exp() for weight in row]).log() for row in weights
        ]
        for x, counts in enumerate(space):
            for y in map(space.rank, later_substitutes(counts)):
                apart = logs[y] - logs[x]
                for at_x, at_y in zip(weights[x], weights[y], strict=True):
                    loss = at_y - at_x + apart
                    yield loss
                    yield -loss

    return VaryingFamily(losses, pairs)


def _followed(mechanism: Any, parameter: str, n: int) -> tuple[Histograms, int]:
    """Return the datasets and the number of pairs; ``NotScreened`` for too many losses."""
    k = mechanism.k
    space = Histograms(n, k)
    pairs = comb(n + k - 2, k - 1) * comb(k, 2)
    if 2 * pairs * len(space) > _MOST_LOSSES:
        raise NotScreened(
            f"{pairs} pairs with {len(space)} outputs are more losses than the {_MOST_LOSSES} that "
            f"are followed over an interval of {parameter}"
        )
    return space, pairs


def _varied(mechanism: Any, parameter: str, value: Varying) -> Any:
    """Return the mechanism with a parameter that varies."""
    varying: Any = (value,) * mechanism.k if parameter == "prior" else value
    return replace(mechanism, **{parameter: varying})


class HellingerDeltas(DeltaFamily):
    """δ at size n of a mechanism so scored, as ε, γ, δ of M_H or a symmetric prior makes it."""

    def __init__(self, mechanism: Any, parameter: str, n: int) -> None:
        """Take the mechanism and the parameter; ``NotScreened`` for sizes with too many losses."""
        self.mechanism, self.parameter, self.n = mechanism, parameter, n
        self.space, self.pairs = _followed(mechanism, parameter, n)
        self.ways: Sequence[tuple[Counts, Counts]] = [
            way
            for counts in self.space
            for neighbour in later_substitutes(counts)
            for way in ((counts, neighbour), (neighbour, counts))
        ]
        self._distances: dict[Counts, list[Any]] = {}

    def on(self, parameter: Varying) -> Found:
        varied = _varied(self.mechanism, self.parameter, parameter)
        factors = varied.factors(self.n)
        row = HellingerMetric(varied.prior).row if self.parameter == "prior" else self._row
        laws: dict[Counts, list[Varying]] = {}
        raised: dict[tuple[Counts, Abscissa], list[Varying]] = {}

        def law(counts: Counts) -> list[Varying]:
            if counts not in laws:
                factor = factors[self.space.rank(counts)]
                moving = 0 * parameter - factor  # as a Varying, where the factor is a plain ball
                laws[counts] = shares([moving * distance for distance in row(counts)])
            return laws[counts]

        def delta(index: int, at: Abscissa) -> Varying:
            x, y = self.ways[index]
            if (y, at) not in raised:
                factor = at.over(parameter).exp()
                raised[y, at] = [p * factor for p in law(y)]
            return _excess(law(x), raised[y, at], 0 * parameter)

        return delta

    def _row(self, counts: Counts) -> list[Any]:
        """Return the distances, where no prior moves them."""
        if counts not in self._distances:
            self._distances[counts] = list(HellingerMetric(self.mechanism.prior).row(counts))
        return self._distances[counts]


def _excess(above: list[Varying], below: list[Varying], nothing: Varying) -> Varying:
    """Return Σ (a − b)₊."""
    zero = Ball(0)
    total = nothing
    for a, b in zip(above, below, strict=True):
        more = a - b
        if not certainly_less_or_equal(more.range, zero):
            total = total + more.max(zero)
    return total

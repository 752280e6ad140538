"""The mechanisms scored by Hellinger distance for every γ, δ, ε or symmetric prior of an interval.

The same definitions that serve one audit are evaluated with the parameter as a number that varies
(:mod:`dpaudit.numbers.varying`): sensitivities, smoothing, distances and normalisers with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from math import comb
from operator import add
from typing import TYPE_CHECKING, Any

from dpaudit.data.adjacency import later_substitutes
from dpaudit.data.histograms import Histograms
from dpaudit.laws.over_parameter import VaryingFamily
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.screens.bounds import NotScreened

if TYPE_CHECKING:
    from dpaudit.numbers.ball import Ball
    from dpaudit.numbers.varying import Varying

__all__ = ["hellinger_over_parameter"]

_MOST_LOSSES = 1 << 18


def hellinger_over_parameter(mechanism: Any, parameter: str, n: int) -> VaryingFamily:
    """Return the losses at size ``n`` as functions of a parameter of a mechanism so scored.

    A prior is that of all categories alike.  ``NotScreened`` for sizes with too many losses.
    """
    k = mechanism.k
    space = Histograms(n, k)
    pairs = comb(n + k - 2, k - 1) * comb(k, 2)
    if 2 * pairs * len(space) > _MOST_LOSSES:
        raise NotScreened(
            f"{pairs} pairs with {len(space)} outputs are more losses than the {_MOST_LOSSES} that "
            f"are followed over an interval of {parameter}"
        )

    def losses(value: Varying) -> Iterator[Varying | Ball]:
        given: Any = (value,) * k if parameter == "prior" else value
        varied = replace(mechanism, **{parameter: given})
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

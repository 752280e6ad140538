"""Stars of Gumbel draws of one scale: the exponential mechanism in another guise.

With u = e^(−κx) a Gumbel draw x of rate κ is exponential, and c + x is the largest of several with
the probability w/Σw, w = e^(κc).  Whatever lies above the centre is taken out by inclusion and
exclusion.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from dpaudit.numbers.real import ONE, Real, add_up, rational
from dpaudit.programs.refusal import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from dpaudit.programs.noises import Draw
    from dpaudit.programs.trees import End
    from dpaudit.programs.zones import Edge

__all__ = ["gumbel_star"]


def gumbel_star(
    draws: Sequence[Draw],
    root: int,
    bounds: Mapping[int, tuple[End, End]],
    edges: Mapping[Edge, Fraction],
) -> Real:
    """Return the probability of a star of Gumbel draws; ``Refused`` for any other tree."""
    scales = {draws[node].scale * rational(draws[node].factor) for node in bounds}
    if len(scales) > 1 or any(draws[node].factor < 0 for node in bounds):
        raise Refused(
            "Gumbel draws of different scales, or mirrored ones, are compared", inside=False
        )
    if any(end for ends in bounds.values() for end in ends):
        raise Refused(
            "a Gumbel draw is compared with a number as well as with another one", inside=False
        )
    (scale,) = scales
    below: list[Real] = []
    above: list[Real] = []
    for (u, v), c in edges.items():
        if root not in (u, v) or (v, u) in edges:
            raise Refused(
                "comparisons of Gumbel draws do not all have one draw in common", inside=False
            )
        # x_child ≤ root + c has the probability e^(−w·u) where u = e^(−κ·root), w = e^(−κ·c).
        if v == root:
            below.append((rational(-c) / scale).exp())
        else:
            above.append((rational(c) / scale).exp())
    base = add_up([ONE, *below])
    return add_up(
        rational((-1) ** size) / add_up([base, *some])
        for size in range(len(above) + 1)
        for some in combinations(above, size)
    )

"""Check that the probability derived for a path is that of its draws.

Real runs show what draws give.  What the draws of a path weigh is found here a second time, from
what was asked of the source alone; and every real run must lie in the part of the draws that its
path was taken to have.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from dpaudit.numbers.real import ONE, Real, add_up, complement, rational
from dpaudit.programs.exploring.shifts import at
from dpaudit.programs.exploring.subsamplers import Enclosed
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.real.tree import lies_in
from dpaudit.programs.unknowns.unknown import Unknown
from dpaudit.programs.unknowns.unknown_whole import Whole
from dpaudit.programs.unknowns.wholes import WholeDraw, size
from dpaudit.programs.zones.zones import ORIGIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.programs.as_run.supply import Asked
    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.real.tree import Leaf

__all__ = ["OUTSIDE", "NotDerived", "check_as_run", "check_ideal", "is_inside"]

OUTSIDE = (
    "a real run took a path that its draws should not lead to, so the derived output "
    "distribution is wrong or incomplete and is not used"
)
_OTHERWISE = Refused(
    "the recomputed probabilities of the paths do not match the derived output distribution, so "
    "it is not used",
    inside=False,
)
_CLOSE = 1e-9


class NotDerived:
    """Allowance for runs that take a path that was not followed.

    Of a program without an end, at most 10⁻⁶ of the mass is not followed: five of 20,724 random
    runs take such a path with a probability below 10⁻¹⁰.  Any other program has no such path.
    """

    def __init__(self, leaves: Sequence[Leaf], runs: int) -> None:
        """Take the paths, and how many random runs are made at most."""
        self._endless = leaves[0].run.follows
        self._left = 4 + runs // 10**5

    def count(self, *, random: bool) -> None:
        """Count such a run, which has random draws or chosen ones.

        Raises:
            Refused: where it is one too many.
        """
        self._left -= random
        if self._left < 0 or not self._endless:
            raise Refused(OUTSIDE, inside=False)


def check_as_run(leaves: Sequence[Leaf]) -> None:
    """Refuse a program as run of which a path has another weight than the draws it asked for.

    Raises:
        Refused: where one has, and where together they do not make 1.
    """
    total = sum((_mass(leaf) for leaf in leaves), Fraction(0))
    if total > 1 or (total < 1 and not leaves[0].run.follows):
        raise _OTHERWISE


def _mass(leaf: Leaf) -> Fraction:
    """Return the probability of a path, whose weight is checked."""
    run, asked = leaf.run, leaf.asked
    decided = prod([_count(one) for one in asked if one.number is None])
    if run.weight != (ONE if decided == 1 else rational(Fraction(1, decided))):
        raise _OTHERWISE
    left = [one for one in asked if one.number is not None]
    counts = [_count(one) for one in left]
    if [one.number for one in left] != list(range(len(run.wholes))) or any(
        draw is not _drawn(count) and draw != _drawn(count)
        for count, draw in zip(counts, run.wholes, strict=True)
    ):
        raise _OTHERWISE
    possible = prod([size(support) or 0 for support in run.supports])
    return Fraction(possible, decided * prod(counts))


@lru_cache(maxsize=1 << 10)
def _drawn(count: int) -> WholeDraw:
    return WholeDraw("integers", rational(count))


def _count(asked: Asked) -> int:
    """Return of how many values a draw has each alike."""
    name, *given = asked.primitive
    if name == "unit":
        ((low, high),) = given
        return int(high - low + 1)
    if name == "bits":
        return int(1 << given[0])
    if name == "first":
        length, place, count, _ = given
        return int(length - place if count else 1)
    return int(given[0])


def check_ideal(leaf: Leaf) -> None:
    """Refuse a path of an ideal program whose weight is not what it asked for.

    Raises:
        Refused: where it is not.
    """
    run = leaf.run
    weight = ONE
    for asked, value in leaf.asked:
        if isinstance(value, Unknown):
            ((node, _),) = value._terms
            right = run.draws[node] == asked.times(run.scales[node])
        elif isinstance(value, Whole):
            right = run.wholes[value._number] == _whole(asked)
        else:
            right = True
            weight *= _share(asked, value)
        if not right:
            raise _OTHERWISE
    if run.weight != weight:
        raise _OTHERWISE


def _whole(asked: Any) -> WholeDraw:
    kind, parameter = asked
    if kind == "sampler":
        listed = sorted((one.value, one.weight) for one in parameter)
        return WholeDraw("table", ONE, tuple(listed))
    return WholeDraw(kind, rational(parameter) if kind == "integers" else parameter)


def _share(asked: Any, value: Any) -> Real:
    """Return the probability of the value of a finite draw; 1 where it is an interval."""
    kind, parameter = asked
    if kind == "bernoulli":
        return parameter if value else complement(parameter)
    if kind == "integers":
        return rational(Fraction(1, parameter))
    if kind == "choice":
        total = add_up(parameter)
        share: Real = parameter[value]
        return share if total == ONE else share / total
    if kind == "sampler":
        (found,) = [one.weight for one in parameter if one.value is value]
        return ONE if isinstance(found, Enclosed) else found
    return ONE


def is_inside(
    run: Run, wholes: Mapping[int, int], reals: Mapping[int, Any], dataset: tuple[int, ...]
) -> bool:
    """Tell whether draws lie where those of a path do, but for rounding.

    Args:
        run: the path.
        wholes: the countable draws, by their number.
        reals: the continuous draws, by their number.
        dataset: the entries of the dataset, where bounds are shifts of many of them.
    """
    if not all(lies_in(run.supports[number], value) for number, value in wholes.items()):
        return False
    values = {node: float(value) * float(run.scales[node]) for node, value in reals.items()}
    values[ORIGIN] = 0.0
    for (u, v), c in run.zone.items():
        bound = float(at(c, dataset) if dataset else c)
        left, right = values[u], values[v]
        if left - right - bound > _CLOSE * (1 + abs(left) + abs(right) + abs(bound)):
            return False
    return True

"""Countable draws that a run makes of others: differences of two, and remainders.

For independent Z and Z' with P(Z ≥ k) = t^k the difference is k with probability
(1 − t)/(1 + t)·t^|k| (Inusah and Kozubowski 2006).  A remainder of ±Z + c has the sum of the
probabilities of all numbers that leave it, in closed form where both tails of Z are geometric.  The
draws behind are *spent*: nothing more is decided about them, and what is made takes their place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.numbers.real import ONE, rational
from dpaudit.programs.unknowns.image import Difference, Remainder
from dpaudit.programs.unknowns.wholes import WholeDraw

if TYPE_CHECKING:
    from dpaudit.programs.exploring.run import Run

__all__ = ["difference_of", "remainder_of"]


def difference_of(run: Run, first: int, second: int) -> int | None:
    """Return the number of the draw that is the difference of two; None where it is none."""
    for one in run.made:
        if isinstance(one, Difference) and one.bases == (first, second):
            return one.number
    draw, other = run.wholes[first], run.wholes[second]
    if draw != other or not (_is_open(run, first) and _is_open(run, second)):
        return None
    assert isinstance(draw, WholeDraw)
    if draw.kind != "geometric" or draw.parameter == ONE:
        return None
    scale = -ONE / (ONE - draw.parameter).ln()
    number = run.draw_whole(WholeDraw("discrete_laplace", scale))
    run.made.append(Difference(first, second, number))
    return number


def remainder_of(run: Run, base: int, factor: int, constant: int, modulus: int) -> int | None:
    """Return the number of the draw (factor·Z + constant) mod ``modulus``; None for others.

    The factor is ±1.  Both tails of Z are geometric, and nothing was decided about it.
    """
    for one in run.made:
        if one[:-1] == (base, factor, constant, modulus):
            return one.number
    draw = run.wholes[base]
    if modulus < 2 or abs(factor) != 1 or not _is_open(run, base):
        return None
    assert isinstance(draw, WholeDraw)
    if draw.tail_ratio() is None:
        return None
    wrapping = draw, factor, constant % modulus
    number = run.draw_whole(WholeDraw("wrapped", rational(modulus), wrapping=wrapping))
    run.made.append(Remainder(base, factor, constant, modulus, number))
    return number


def _is_open(run: Run, number: int) -> bool:
    """Tell whether nothing was decided about a draw, and nothing made of it."""
    draw = run.wholes[number]
    if run.as_run or run.datasets or not isinstance(draw, WholeDraw):
        return False
    return run.supports[number] == draw.support() and not run.is_spent(number)

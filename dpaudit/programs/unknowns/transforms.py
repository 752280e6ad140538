"""Draws that are functions of other draws: sums, logarithms, and noise that was rounded.

The logarithm of a uniform draw is an exponential draw, that of an exponential draw a Gumbel one,
and the difference of two exponential draws of one scale is Laplace noise (Devroye 1986, §II.2 and
§IX.6.3).  With the polar coordinates of Box and Muller (1958), √(2e)·cos(2πu) is a normal draw.  So
a program that computes noise from simpler draws has a law in closed form: the draws it began with
are *spent*, and their image takes their place.  Nothing more is decided about a spent draw, since
it is no longer independent of its image.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dpaudit.numbers.real import ONE
from dpaudit.programs.exploring.shifts import UNIT
from dpaudit.programs.unknowns.image import Image
from dpaudit.programs.unknowns.noises import Draw
from dpaudit.programs.unknowns.wholes import WholeDraw
from dpaudit.programs.zones.zones import ORIGIN

if TYPE_CHECKING:
    from dpaudit.programs.exploring.run import Run, Terms

__all__ = ["logarithm", "polar", "rounded_down", "united"]

_NOT_FOLLOWED = "dpaudit cannot follow this logarithm of a random draw"


class Sum(Protocol):
    """An unknown number Σ a·x + c of continuous draws."""

    _run: Run
    _terms: Terms
    _constant: Any


SumT = TypeVar("SumT", bound=Sum)


def _is_alone(run: Run, node: int) -> bool:
    """Tell whether a draw was compared with no other, and has no image."""
    return node not in run.spent and not any(node in e and ORIGIN not in e for e in run.zone)


def _is_untouched(run: Run, node: int) -> bool:
    """Tell whether nothing at all was decided about a draw."""
    low, high = run.draws[node].support()
    bounds = run.zone.get((ORIGIN, node)), run.zone.get((node, ORIGIN))
    return _is_alone(run, node) and bounds == (None if low is None else -low, high)


def _mean(run: Run, node: int, a: Fraction) -> Fraction | None:
    """Return the mean of a times an exponential draw that is untouched; None for any other."""
    draw = run.draws[node]
    scale = draw.scale.as_fraction()
    if draw.kind != "exponential" or scale is None or not _is_untouched(run, node):
        return None
    return Fraction(a * scale * draw.factor / run.scales[node])


def _made(run: Run, kind: str, terms: Terms, c: Fraction) -> int | None:
    """Return the number of an image that was made before; None where it was not."""
    return next((image.number for image in run.images if image[:3] == (kind, terms, c)), None)


def _new(run: Run, kind: str, terms: Terms, c: Fraction, draw: Draw) -> int:
    """Return the number of the continuous draw that is the image of others."""
    known = _made(run, kind, terms, c)
    if known is not None:
        return known
    number = run.draw(draw)
    run.images.append(Image(kind, terms, c, number))
    run.spent.update(node for node, _ in terms)
    run.plain = False
    return number


def logarithm(x: Sum) -> Any:
    """Return ln x, for an x that is uniform on (0, 1) or a standard exponential draw.

    Raises:
        Refused: for any other x: its logarithm has no law here.
    """
    run, terms, c = x._run, x._terms, x._constant
    run.check_open()
    if len(terms) != 1:
        run.refuse(_NOT_FOLLOWED)
    ((node, a),) = terms
    draw = run.draws[node]
    if _made(run, "log", terms, c) is None:
        low, high = run.bounds(terms, c)
        uniform = draw.kind == "uniform" and low == 0 and high == 1 and _is_alone(run, node)
        if not uniform and (c or _mean(run, node, a) != 1):
            run.refuse(_NOT_FOLLOWED)
    kind = "exponential" if draw.kind == "uniform" else "gumbel"
    number = _new(run, "log", terms, c, Draw(kind, ONE))
    kind_of_number: Any = type(x)
    return kind_of_number(run, ((number, -UNIT),), Fraction(0))


def united(x: SumT) -> SumT:
    """Return a sum with Laplace draws in place of differences of exponential ones of one scale."""
    run = x._run
    left, terms = list(x._terms), list[tuple[int, Fraction]]()
    while left:
        node, a = left.pop(0)
        mean = _mean(run, node, a)
        opposite = (one for one in left if mean is not None and _mean(run, *one) == -mean)
        united_before = (
            one for one in left if _made(run, "sum", ((node, a), one), Fraction(0)) is not None
        )
        other = next(opposite, None) or next(united_before, None)
        if other is None:
            terms.append((node, a))
            continue
        left.remove(other)
        pair = ((node, a), other)
        draw = Draw("laplace", ONE, factor=abs(mean or UNIT))
        terms.append((_new(run, "sum", pair, Fraction(0), draw), UNIT))
    kind: Any = type(x)
    found: SumT = kind(run, tuple(sorted(terms)), x._constant)
    return found


def polar(kind: str, radius: tuple[int, Fraction], angle: tuple[int, Fraction], run: Run) -> int:
    """Return the number of the normal draw √(2e)·cos(2πu), or of that with the sine.

    Args:
        kind: ``cos`` or ``sin``.
        radius: the standard exponential draw e.
        angle: the draw u, uniform on (0, 1).
        run: whose draws they are.
    """
    (e, _), (u, _) = radius, angle
    terms = (e, UNIT), (u, UNIT)
    fresh = _is_untouched(run, e) and _is_untouched(run, u)
    made = (_made(run, one, terms, Fraction(0)) for one in ("cos", "sin"))
    if not fresh and all(one is None for one in made):
        run.refuse("dpaudit cannot follow a product of two random draws")
    return _new(run, kind, terms, Fraction(0), Draw("gaussian", ONE))


def rounded_down(x: Sum) -> tuple[int, int] | None:
    """Return the number of a countable draw Z, and k, so that ⌊x⌋ is Z + k.

    The draw that ``x`` is made of is spent.  None where ⌊x⌋ is no such draw by itself.
    """
    x = united(x)
    run = x._run
    if len(x._terms) != 1 or run.datasets:
        return None
    ((node, a),) = x._terms
    if not _is_alone(run, node):
        return None
    whole = math.floor(x._constant)
    shift = x._constant - whole
    low, high = run.bounds(x._terms, shift)
    draw = run.draws[node].times(a / run.scales[node])
    number = run.draw_whole(WholeDraw("rounded", ONE, rounding=(draw, shift, low, high)))
    run.images.append(Image("floor", x._terms, shift, number))
    run.spent.add(node)
    run.counted.add(node)
    return number, whole

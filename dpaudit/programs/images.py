"""Draws that are functions of other draws: logarithms, and noise that was rounded.

The logarithm of a uniform draw is an exponential draw, and the logarithm of an exponential draw a
Gumbel one (Devroye 1986, §II.2).  So a program that computes noise by inverting a distribution
function has a law in closed form: the draw it began with is *spent*, and its image takes its place.
Nothing more is decided about a spent draw, since it is no longer independent of its image.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.numbers.real import ONE
from dpaudit.programs.noises import Draw
from dpaudit.programs.shifts import UNIT
from dpaudit.programs.wholes import WholeDraw
from dpaudit.programs.zones import ORIGIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.programs.run import Run
    from dpaudit.programs.unknown import Unknown

__all__ = ["Image", "image_values", "logarithm", "place_bases", "rounded_down"]

_NOT_FOLLOWED = "the logarithm of such a number is not followed"
_LEAST = math.ldexp(1, -1000)


class Image(NamedTuple):
    """A draw that a run makes of another: −ln(a·x + c), or the whole part of a·x + c."""

    base: int
    """The number of the draw x."""
    a: Fraction
    c: Fraction
    node: int | None = None
    """The number of the continuous draw that −ln(a·x + c) is."""
    whole: int | None = None
    """The number of the countable draw that ⌊a·x + c⌋ is."""

    def value(self, x: Any) -> Any:
        """Return the image at ``x``."""
        at = self.a * x + self.c
        if self.whole is not None:
            return math.floor(at)
        return -math.log(max(at, _LEAST))  # a float may have rounded to 0

    def base_at(self, image: Fraction) -> Fraction:
        """Return the x of which a continuous ``image`` is made, as closely as floats tell."""
        return (Fraction(math.exp(-float(image))) - self.c) / self.a


def logarithm(x: Unknown) -> Any:
    """Return ln x, for an x that is uniform on (0, 1) or a standard exponential draw.

    Raises:
        Refused: for any other x: its logarithm has no law here.
    """
    run = x._run
    run.check_open()
    if len(x._terms) != 1:
        run.refuse(_NOT_FOLLOWED)
    ((node, a),) = x._terms
    c = x._constant
    for image in run.images:
        if image[:3] == (node, a, c) and image.node is not None:
            return type(x)(run, ((image.node, -UNIT),), Fraction(0))
    draw = run.draws[node]
    low, high = run.bounds(x._terms, c)
    is_alone = not any(node in edge and ORIGIN not in edge for edge in run.zone)
    uniform = draw.kind == "uniform" and low == 0 and high == 1
    scaled = draw.scale.as_fraction()
    exponential = (
        draw.kind == "exponential"
        and scaled is not None
        and a * scaled * draw.factor == run.scales[node]
        and c == low == 0
        and high is None
    )
    if not is_alone or not (uniform or exponential) or node in run.spent:
        run.refuse(_NOT_FOLLOWED)
    new = run.draw(Draw("exponential" if uniform else "gumbel", ONE))
    run.images.append(Image(node, a, c, node=new))
    run.spent.add(node)
    run.plain = False
    return type(x)(run, ((new, -UNIT),), Fraction(0))


def rounded_down(x: Unknown) -> int | None:
    """Return the number of the countable draw that ⌊x⌋ is; None where it is none by itself.

    The draw that ``x`` is made of is spent.
    """
    run = x._run
    if len(x._terms) != 1:
        return None
    ((node, a),) = x._terms
    is_alone = not any(node in edge and ORIGIN not in edge for edge in run.zone)
    if not is_alone or node in run.spent or run.datasets:
        return None
    shift = x._constant - math.floor(x._constant)
    low, high = run.bounds(x._terms, shift)
    draw = run.draws[node].times(a / run.scales[node])
    whole = run.draw_whole(WholeDraw("rounded", ONE, rounding=(draw, shift, low, high)))
    run.images.append(Image(node, a, shift, whole=whole))
    run.spent.add(node)
    run.counted.add(node)
    return whole


def image_values(
    images: Sequence[Image], reals: dict[int, Any], wholes: dict[int, int]
) -> None:
    """Add the images of the draws in ``reals``: they were made one after the other."""
    for image in images:
        value = image.value(reals[image.base])
        if image.whole is not None:
            wholes[image.whole] = value
        elif image.node is not None:
            reals[image.node] = value


def place_bases(images: Sequence[Image], point: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return a point of all draws in which each base is where its image says."""
    found = list(point)
    for image in reversed(images):
        if image.node is not None:
            found[image.base] = image.base_at(found[image.node])
    return tuple(found)

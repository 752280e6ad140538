"""δ(ε) of many runs between two certain ends: lattices of losses and Fourier transforms.

Nothing is shared with what makes an account: one grid for all runs, the discrete Fourier transform
of Arb, in complex balls with bounds of its errors, a power of each frequency, and a bound for what
a circle wraps around.  With cells [jh, (j + 1)h] of a pair (P, Q):

* *Above*, a cell (A, B) is split onto its two points so that both masses stay.
* *Below*, parts of neighbouring cells are merged over the point between them: the upper one has
  more P than e^(jh) times its Q, the lower one less, and as much of the lower one goes up as the
  part of the upper one pays for.  What is left goes down, P lowered to what the point asks for.
* A sum of k losses is computed modulo N points.  What lies outside the N points around its mean
  is at most M(c)ᵏ·e^(−cR) on the right, and the like on the left (Chernoff), and counts on each
  side against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, sqrt
from operator import mul
from typing import Any

from mpmath import mpf

from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.losses import Atoms, Losses, ball, number_of, with_bits

__all__ = ["Spectrum"]

_POINTS = 1 << 16
_SPREADS = 14.0


@dataclass(frozen=True)
class Spectrum:
    """All runs of some pairs."""

    parts: Sequence[Losses]

    @property
    def _alone(self) -> Atoms | None:
        """The atoms of the only part, which the points of its lattice hold."""
        return self.parts[0].atoms if len(self.parts) == 1 else None

    @cached_property
    def _offset(self) -> Any:
        """The loss of all runs at the point 0."""
        atoms = self._alone
        return ball(mpf(0)) if atoms is None else ball(atoms.low) * self.parts[0].runs

    @cached_property
    def _mean(self) -> float:
        """About the mean of the loss of all runs, from the point 0 on."""
        return sum(part.runs * part.mean for part in self.parts) - float(self._offset)

    @cached_property
    def _grid(self) -> tuple[Any, int]:
        """The step, and the first of the points that are kept."""
        from flint import arb

        deviation = sqrt(sum(part.runs * part.deviation**2 for part in self.parts))
        reach = max(
            2 * _SPREADS * deviation + 1e-9,
            *(2.2 * (part.window[1] - part.window[0]) for part in self.parts),
        )
        spacings = [part.spacing for part in self.parts]
        step = arb(reach / _POINTS)
        if spacings[0] is not None and all(part == spacings[0] for part in spacings):
            step = ball(spacings[0])
            if float(step) * _POINTS < reach:
                raise UnknownDefinitionError("the losses need too many points of a grid")
        elif self._alone is not None:
            reach = ball(self._alone.high) - ball(self._alone.low)
            step = reach / max(1, int(float(reach) / float(step)))
        return step, round(self._mean / float(step)) - _POINTS // 2

    @cached_property
    def _sides(self) -> tuple[Any, Any]:
        return self._side(above=False), self._side(above=True)

    def delta(self, epsilon: mpf) -> tuple[mpf, mpf]:
        """Return two numbers that δ(ε) certainly lies between."""
        with with_bits():
            low, high = self._sides
            at = ball(epsilon) - self._offset
            if self._alone is not None:
                last = ball(self._alone.high) * self.parts[0].runs - self._offset
                if at > last:  # there is no larger loss
                    return mpf(0), mpf(0)
            # Rounded outwards: δ lies between these for certain.
            least, most = low(at).lower(), high(at).upper()
            return max(number_of(least), mpf(0)), min(number_of(most), mpf(1))

    def _side(self, *, above: bool) -> Callable[[Any], Any]:
        """Return δ as a function of ε, on one side."""
        from flint import acb, arb

        step, first = self._grid
        transform: Any = None
        finite, moments = arb(1), [arb(1), arb(1)]
        ends = [step * first, step * (first + _POINTS)]
        placed = [
            _points(part, step, above=above, alone=len(self.parts) == 1) for part in self.parts
        ]
        powers = [self._power([points for points, _ in placed], end, step) for end in ends]
        for part, (points, lost) in zip(self.parts, placed, strict=True):
            circle = [acb(0)] * _POINTS
            for index, mass in points.items():
                # Points beyond the circle wrap around; Chernoff's bound pays for them below.
                circle[index % _POINTS] += mass
            turned = [x**part.runs for x in acb.dft(circle)]
            transform = turned if transform is None else list(map(mul, transform, turned))
            for side, power in enumerate(powers):
                terms = (m * (power * step * index).exp() for index, m in points.items())
                moments[side] *= sum(terms, arb(0)) ** part.runs
            finite *= (1 - lost) ** part.runs
        outside = sum(
            (x * (-c * end).exp() for x, c, end in zip(moments, powers, ends, strict=True)), arb(0)
        )
        inverse = [x.real for x in acb.dft(transform, inverse=True)]
        masses = [inverse[(first + place) % _POINTS] for place in range(_POINTS)]
        return _curve(masses, step, first, 1 - finite + (outside if above else -outside))

    def _power(self, placed: Sequence[dict[int, Any]], end: Any, step: Any) -> Any:
        """Return a good c for Chernoff's bound at an end; floats choose it and prove nothing."""
        from flint import arb

        h, far = float(step), float(end)
        floats = [[(i * h, float(m.upper())) for i, m in points.items()] for points in placed]
        sign = 1.0 if far > self._mean else -1.0

        def size(c: float) -> float:
            try:
                each = (
                    part.runs * log(sum(m * exp(c * x) for x, m in points))
                    for part, points in zip(self.parts, floats, strict=True)
                )
                return sum(each) - c * far
            except (OverflowError, ValueError):
                return float("inf")

        scale = sign / (h * _POINTS)  # what is good for small losses is large
        return arb(min((scale * 2.0 ** (i / 2) for i in range(4, 26)), key=size))


def _points(losses: Losses, step: Any, *, above: bool, alone: bool) -> tuple[dict[int, Any], Any]:
    """Return the P-masses of points of one run, and the P-mass of infinite loss."""
    if losses.atoms is not None and losses.between is not None and alone:
        # with Q times e^low, losses are counted from the smallest one on, which is the point 0
        count = round(float(ball(losses.atoms.high - losses.atoms.low) / step))
        more = ball(losses.atoms.low).exp()
        shifted = {place: (p, q * more) for place, (p, q) in enumerate(losses.between(count))}
        points = split(shifted, step) if above else merged(shifted, step)
        for place, (p, _) in zip((0, count), losses.atoms.masses, strict=True):
            points[place] += ball(p)
        return points, ball(losses.infinite)
    cells, left, right = losses.cells(step, *losses.window)
    if losses.spacing is not None and alone:  # each loss is a point of the lattice
        points = {index: p for index, (p, _) in cells.items()}
    else:
        points = split(cells, step) if above else merged(cells, step)
    lost = ball(losses.infinite)
    if above:
        points[min(points)] += left
        lost += right
    return points, lost


def _curve(masses: list[Any], step: Any, first: int, more: Any) -> Callable[[Any], Any]:
    """Return ε ↦ Σ m·(1 − e^(ε − loss))₊ + more."""
    from flint import arb

    # Sums from the right, so that δ at any ε takes one product.
    whole, weighted = [arb(0)], [arb(0)]
    for place in range(len(masses) - 1, -1, -1):
        whole.append(whole[-1] + masses[place])
        weighted.append(weighted[-1] + masses[place] * (-step * (first + place)).exp())
    whole.reverse()
    weighted.reverse()

    def delta(epsilon: Any) -> Any:
        start = int((epsilon / step).floor().unique_fmpz() or float(epsilon / step)) - first
        best = arb(0)
        for near in range(start - 1, start + 3):  # any first point gives at most δ, the right one δ
            place = min(max(near, 0), len(masses))
            best = best.max(whole[place] - epsilon.exp() * weighted[place])
        return best + more

    return delta


def split(cells: dict[int, tuple[Any, Any]], step: Any) -> dict[int, Any]:
    """Return P-masses on points, above: both masses of a cell stay."""
    shrink = 1 - (-step).exp()
    points: dict[int, Any] = {}
    for index, (p, q) in cells.items():
        up = (p - q * (step * index).exp()) / shrink
        points[index] = points.get(index, 0) + p - up
        points[index + 1] = points.get(index + 1, 0) + up
    return points


def merged(cells: dict[int, tuple[Any, Any]], step: Any) -> dict[int, Any]:
    """Return P-masses on points, below: parts of neighbours are merged over the point between."""
    places = sorted(cells)
    peak = max(places, key=lambda place: float(cells[place][0]))
    unit, zero = ball(1), ball(0)
    up, down = dict.fromkeys(places, zero), dict.fromkeys(places, zero)

    def shares(place: int) -> tuple[Any, Any]:
        """Return what the cell before lacks at a point, and what the cell has over there."""
        factor = (step * place).exp()
        (p, q), (more_p, more_q) = cells[place - 1], cells[place]
        lacks, over = factor * q - p, more_p - factor * more_q
        return _positive(lacks).upper(), _positive(over).lower()

    def fitted(most_up: Any, most_down: Any, place: int) -> None:
        lacks, over = shares(place)
        part = most_up if not lacks > 0 else (most_down * over / lacks).lower()
        # Rounded down, and the part that pays for it up: the bound stays below δ.
        part = part.min(most_up).lower()
        up[place - 1] = part
        down[place] = (part * lacks / over).upper() if part * lacks > 0 else zero

    inner = [place for place in places if place - 1 in cells]
    for place in (each for each in inner if each <= peak):
        fitted((unit - down[place - 1]).lower(), unit, place)
    for place in (each for each in reversed(inner) if each > peak):
        room = down[place - 1] if place - 1 == peak else zero
        fitted((unit - room).lower(), (unit - up[place]).lower(), place)
    points: dict[int, Any] = {}
    for place, (_, q) in cells.items():
        low, high = (step * place).exp(), (step * (place + 1)).exp()
        points[place + 1] = points.get(place + 1, zero) + up[place] * high * q
        points[place] = points.get(place, zero) + (1 - up[place]) * low * q
    return {place: _positive(mass) for place, mass in points.items()}


def _positive(x: Any) -> Any:
    return x.max(ball(0))

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

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, sqrt
from operator import mul
from typing import Any, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.continuous import Gaussian
from dpaudit.recheck.findings import UnknownDefinitionError

__all__ = ["Losses", "Spectrum", "below_of", "continuous", "listed"]

_POINTS = 1 << 16
_BITS = 192
_SPREADS = 14.0
_SAME = mpf(10) ** -20
_NOTHING, _FAR = 1e-26, 120.0
Below = Callable[[Any], tuple[Any, Any]]


class Losses(NamedTuple):
    """One run of a pair of laws, and how often it is run."""

    runs: int
    cells: Callable[[Any, float, float], tuple[dict[int, tuple[Any, Any]], Any, Any]]
    """Gives, of a step and a window of losses: P- and Q-mass by cell, P-mass to the left, to the
    right."""
    infinite: Any
    """The P-mass of infinite loss."""
    spacing: mpf | None
    """The step of the losses, where they are multiples of one number."""
    mean: float
    deviation: float
    window: tuple[float, float]
    """Where losses of one run lie, but for next to nothing."""
    end: mpf | None = None
    """A loss s with half of P, as −s has half of Q: s is then a multiple of the step."""


def listed(masses: Sequence[tuple[mpf, mpf]], runs: int) -> Losses:
    """Return the losses of a pair whose outputs are listed, by both masses of each."""
    both = [(p, q, mp.log(p / q)) for p, q in masses if p > 0 and q > 0]
    losses = sorted({loss for _, _, loss in both})
    spacing = _spacing(losses)

    def cells(h: Any, left: float, right: float) -> tuple[dict[int, tuple[Any, Any]], Any, Any]:
        found: dict[int, tuple[Any, Any]] = {}
        for p, q, loss in both:
            place = loss / _number(h)
            index = int(mp.nint(place)) if spacing is not None else int(mp.floor(place))
            a, b = found.get(index, (_ball(0), _ball(0)))
            found[index] = (a + _ball(p), b + _ball(q))
        return found, _ball(0), _ball(0)

    mean = mp.fsum(p * loss for p, _, loss in both)
    square = mp.fsum(p * (loss - mean) ** 2 for p, _, loss in both)
    infinite = mp.fsum(p for p, q in masses if q == 0)
    ends = (float(losses[0]), float(losses[-1]))
    return Losses(runs, cells, infinite, spacing, float(mean), float(mp.sqrt(square)), ends)


def continuous(below: Below, runs: int, *, turned: bool = False, end: mpf | None = None) -> Losses:
    """Return the losses of a pair of which ``below`` tells the masses of P and Q up to a loss.

    ``turned`` exchanges the two laws; ``end`` is the largest loss, if half of P has it.
    """

    def cells(h: Any, left: float, right: float) -> tuple[dict[int, tuple[Any, Any]], Any, Any]:
        if turned:
            left, right = -right, -left
        first, last = int(left // float(h)) - 1, int(right // float(h)) + 2
        ends = [below(h * place) for place in range(first, last + 1)]
        found: dict[int, tuple[Any, Any]] = {}
        for place in range(first, last):
            (p, q), (p_next, q_next) = ends[place - first], ends[place - first + 1]
            if turned:
                found[-place - 1] = (q_next - q, p_next - p)
            else:
                found[place] = (p_next - p, q_next - q)
        side = 1 if turned else 0
        tails = [ends[0][side], 1 - ends[-1][side]]
        return (found, *(tails[::-1] if turned else tails))

    ends = _ends(below, turned=turned)
    mean, deviation = _floats(below, ends, turned=turned)
    return Losses(runs, cells, mpf(0), None, mean, deviation, ends, end)


@dataclass(frozen=True)
class Spectrum:
    """All runs of some pairs."""

    parts: Sequence[Losses]

    @cached_property
    def _grid(self) -> tuple[Any, int]:
        """The step, and the first of the points that are kept."""
        from flint import arb

        mean = sum(one.runs * one.mean for one in self.parts)
        deviation = sqrt(sum(one.runs * one.deviation**2 for one in self.parts))
        reach = max(
            2 * _SPREADS * deviation + 1e-9,
            *(2.2 * (one.window[1] - one.window[0]) for one in self.parts),
        )
        spacings = [one.spacing for one in self.parts]
        step = arb(reach / _POINTS)
        if spacings[0] is not None and all(one == spacings[0] for one in spacings):
            step = _ball(spacings[0])
            if float(step) * _POINTS < reach:
                raise UnknownDefinitionError("the losses take too many points of a lattice")
        elif len(self.parts) == 1 and self.parts[0].end is not None:
            last = _ball(self.parts[0].end)
            step = last / max(1, int(float(last) / float(step)))
        return step, round(mean / float(step)) - _POINTS // 2

    @cached_property
    def _sides(self) -> tuple[Any, Any]:
        return self._side(above=False), self._side(above=True)

    def delta(self, epsilon: mpf) -> tuple[mpf, mpf]:
        """Return two numbers that δ(ε) certainly lies between."""
        with _bits():
            low, high = self._sides
            least, most = low(_ball(epsilon)).lower(), high(_ball(epsilon)).upper()
            return max(_number(least), mpf(0)), min(_number(most), mpf(1))

    def _side(self, *, above: bool) -> Callable[[Any], Any]:
        """Return δ as a function of ε, on one side."""
        from flint import acb, arb

        step, first = self._grid
        transform: Any = None
        held, moments = arb(1), [arb(1), arb(1)]
        ends = [step * first, step * (first + _POINTS)]
        placed = [_points(one, step, above=above, alone=len(self.parts) == 1) for one in self.parts]
        powers = [self._power([points for points, _ in placed], end, step) for end in ends]
        for one, (points, lost) in zip(self.parts, placed, strict=True):
            circle = [acb(0)] * _POINTS
            for index, mass in points.items():
                circle[index % _POINTS] += mass
            turned = [x**one.runs for x in acb.dft(circle)]
            transform = turned if transform is None else list(map(mul, transform, turned))
            for side, power in enumerate(powers):
                terms = (m * (power * step * index).exp() for index, m in points.items())
                moments[side] *= sum(terms, arb(0)) ** one.runs
            held *= (1 - lost) ** one.runs
        outside = sum(
            (x * (-c * end).exp() for x, c, end in zip(moments, powers, ends, strict=True)), arb(0)
        )
        found = [x.real for x in acb.dft(transform, inverse=True)]
        masses = [found[(first + place) % _POINTS] for place in range(_POINTS)]
        return _curve(masses, step, first, 1 - held + (outside if above else -outside))

    def _power(self, placed: Sequence[dict[int, Any]], end: Any, step: Any) -> Any:
        """Return a good c for Chernoff's bound at an end; floats choose it and prove nothing."""
        from flint import arb

        h, far = float(step), float(end)
        floats = [[(i * h, float(m)) for i, m in points.items()] for points in placed]
        sign = 1.0 if far > sum(one.runs * one.mean for one in self.parts) else -1.0

        def size(c: float) -> float:
            try:
                each = (
                    one.runs * log(sum(m * exp(c * x) for x, m in points))
                    for one, points in zip(self.parts, floats, strict=True)
                )
                return sum(each) - c * far
            except (OverflowError, ValueError):
                return float("inf")

        return arb(min((sign * 2.0 ** (i / 2) for i in range(-6, 16)), key=size))


def _points(one: Losses, step: Any, *, above: bool, alone: bool) -> tuple[dict[int, Any], Any]:
    """Return the P-masses of points of one run, and the P-mass of infinite loss."""
    cells, left, right = one.cells(step, *one.window)
    atoms: dict[int, Any] = {}
    if one.spacing is not None and alone:  # each loss is a point of the lattice
        points = {index: p for index, (p, _) in cells.items()}
    else:
        if (
            one.end is not None and alone
        ):  # what is at ±s, the ends of two cells, is no part of them
            last, half = round(one.end / _number(step)), _ball(mpf(1) / 2)
            other = half * (-step * last).exp()
            p, q = cells[last - 1]
            cells[last - 1] = (p - half, q - other)
            del cells[-last - 1]
            atoms = {last: half, -last: other}
        points = split(cells, step) if above else merged(cells, step)
    for index, mass in atoms.items():
        points[index] = points.get(index, _ball(0)) + mass
    lost = _ball(one.infinite)
    if above:
        points[min(points)] += left
        lost += right
    return points, lost


def _curve(masses: list[Any], step: Any, first: int, more: Any) -> Callable[[Any], Any]:
    """Return ε ↦ Σ m·(1 − e^(ε − loss))₊ + more."""
    from flint import arb

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


@contextmanager
def _bits() -> Iterator[None]:
    from flint import ctx

    before = ctx.prec
    ctx.prec = _BITS
    try:
        yield
    finally:
        ctx.prec = before


def split(cells: dict[int, tuple[Any, Any]], step: Any) -> dict[int, Any]:
    """Return P-masses on points, above: both masses of a cell stay."""
    shrink = 1 - (-step).exp()
    found: dict[int, Any] = {}
    for index, (p, q) in cells.items():
        up = (p - q * (step * index).exp()) / shrink
        found[index] = found.get(index, 0) + p - up
        found[index + 1] = found.get(index + 1, 0) + up
    return found


def merged(cells: dict[int, tuple[Any, Any]], step: Any) -> dict[int, Any]:
    """Return P-masses on points, below: parts of neighbours are merged over the point between."""
    places = sorted(cells)
    peak = max(places, key=lambda place: float(cells[place][0]))
    one, none = _ball(1), _ball(0)
    up, down = dict.fromkeys(places, none), dict.fromkeys(places, none)

    def shares(place: int) -> tuple[Any, Any]:
        """Return what the cell before lacks at a point, and what the cell has over there."""
        factor = (step * place).exp()
        (p, q), (more_p, more_q) = cells[place - 1], cells[place]
        lacks, over = factor * q - p, more_p - factor * more_q
        return _positive(lacks).upper(), _positive(over).lower()

    def fitted(most_up: Any, most_down: Any, place: int) -> None:
        lacks, over = shares(place)
        part = most_up if not lacks > 0 else (most_down * over / lacks).lower()
        part = part.min(most_up).lower()
        up[place - 1] = part
        down[place] = (part * lacks / over).upper() if part * lacks > 0 else none

    inner = [place for place in places if place - 1 in cells]
    for place in (each for each in inner if each <= peak):
        fitted((one - down[place - 1]).lower(), one, place)
    for place in (each for each in reversed(inner) if each > peak):
        room = down[place - 1] if place - 1 == peak else none
        fitted((one - room).lower(), (one - up[place]).lower(), place)
    found: dict[int, Any] = {}
    for place, (_, q) in cells.items():
        low, high = (step * place).exp(), (step * (place + 1)).exp()
        found[place + 1] = found.get(place + 1, none) + up[place] * high * q
        found[place] = found.get(place, none) + (1 - up[place]) * low * q
    return {place: _positive(mass) for place, mass in found.items()}


def below_of(definition: Any, shift: int, rate: mpf | None) -> Below:
    """Return what P and Q have up to a loss: noise ``shift`` apart, on samples if there is a rate.

    With A and B the noise around ``shift`` and 0, and L = ln(dA/dB), the pair is (A, B), or
    ((1 − q)B + qA, B) whose loss ln(1 − q + q·e^L) grows with L.
    """
    from flint import arb

    with _bits():
        width = _ball(definition.number("sigma" if isinstance(definition, Gaussian) else "scale"))
        q = arb(1) if rate is None else _ball(rate)

    def whole(loss: Any) -> tuple[Any, Any]:
        if isinstance(definition, Gaussian):
            place = loss * width * width / shift + arb(shift) / 2
            return tuple(_normal((place - at) / width) for at in (shift, 0))
        if loss < -shift / width:
            return arb(0), arb(0)
        if not loss < shift / width:
            return arb(1), arb(1)
        place = (loss * width + shift) / 2
        return ((place - shift) / width).exp() / 2, 1 - (-place / width).exp() / 2

    def below(loss: Any) -> tuple[Any, Any]:
        if rate is None:
            return whole(loss)
        part = (loss.expm1() + q) / q
        if part <= 0:
            return arb(0), arb(0)
        if not part > 0:
            a, b = whole(part.upper().log())
            a, b = arb(0).union(a), arb(0).union(b)
        else:
            a, b = whole(part.log())
        return (1 - q) * b + q * a, b

    return below


def _normal(x: Any) -> Any:
    from flint import arb

    return (-x / arb(2).sqrt()).erfc() / 2


def _ends(below: Below, *, turned: bool) -> tuple[float, float]:
    """Return where the losses of P begin and end, but for next to nothing."""
    side, found = (1 if turned else 0), []
    for left in (True, False):

        def nothing(loss: float, left: bool = left) -> bool:
            mass = below(_ball(mpf(loss)))[side]
            return float((mass if left else 1 - mass).upper()) < _NOTHING

        near, far = (_FAR, -_FAR) if left else (-_FAR, _FAR)
        for _ in range(50):
            middle = (near + far) / 2
            near, far = (near, middle) if nothing(middle) else (middle, far)
        found.append(far)
    return (-found[1], -found[0]) if turned else (found[0], found[1])


def _floats(below: Below, ends: tuple[float, float], *, turned: bool) -> tuple[float, float]:
    """Return mean and standard deviation of the loss, in floats."""
    side, sign = (1, -1.0) if turned else (0, 1.0)
    low, high = sorted((sign * ends[0], sign * ends[1]))
    places = [low + (high - low) * i / 4000 for i in range(4001)]
    masses = [float(below(_ball(mpf(place)))[side]) for place in places]
    cells = [
        (b - a, sign * (x + y) / 2)
        for a, b, x, y in zip(masses, masses[1:], places, places[1:], strict=False)
    ]
    mean = sum(m * x for m, x in cells)
    return mean, sqrt(sum(m * (x - mean) ** 2 for m, x in cells))


def _spacing(losses: list[mpf]) -> mpf | None:
    """Return a number that losses are multiples of, to many digits; None where there is none."""
    step = max((abs(loss) for loss in losses), default=mpf(0))
    for loss in losses:
        rest = abs(loss)
        while rest > _SAME:  # Euclid
            step, rest = rest, step - rest * mp.floor(step / rest + _SAME)
            if step < mpf(10) ** -4:
                return None
    return step if step > 0 else None


def _positive(x: Any) -> Any:
    return x.max(_ball(0))


def _ball(x: Any) -> Any:
    """Return a ball around a number of mpmath, which is right to nearly all of its digits."""
    from flint import arb, fmpz

    if isinstance(x, arb):
        return x
    sign, man, exponent, _ = mpf(x)._mpf_
    middle = arb((fmpz(int(-man if sign else man)), fmpz(exponent)))
    return middle + arb(0, abs(middle).upper() * arb(2) ** (20 - mp.prec)) if man else middle


def _number(x: Any) -> mpf:
    man, exponent = x.mid().man_exp()
    return mp.ldexp(mpf(int(man)), int(exponent))

"""Privacy losses of one run, in balls of Arb: what both laws of a pair have in cells of losses.

A pair is known by a list of outputs, or by what both laws have up to each loss.  Mean, deviation
and window are floats: they choose a grid and prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import sqrt
from typing import Any, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.continuous import Gaussian

__all__ = [
    "Atoms",
    "Losses",
    "atoms_of",
    "ball",
    "below_of",
    "continuous",
    "listed",
    "number_of",
    "replaced_below",
    "with_bits",
]

_BITS = 192
_SAME = mpf(10) ** -30
_NOTHING, _FAR = 1e-26, 120.0
Below = Callable[[Any], tuple[Any, Any]]


class Atoms(NamedTuple):
    """Atoms at the smallest and the largest loss, beside densities between them."""

    low: mpf
    """The smallest loss."""
    high: mpf
    """The largest one."""
    masses: tuple[tuple[mpf, mpf], tuple[mpf, mpf]]
    """Masses under P and Q, of the smallest loss first."""

    def turned(self) -> Atoms:
        """Return those of Q and P."""
        (p, q), (more_p, more_q) = self.masses
        return Atoms(-self.high, -self.low, ((more_q, more_p), (q, p)))


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
    """Interval that contains the losses of one run, but for negligible mass."""
    atoms: Atoms | None = None
    """Atoms at the ends; None if their mass is small."""
    between: Callable[[int], list[tuple[Any, Any]]] | None = None
    """Gives P- and Q-mass in so many equal cells from one atom to the other, both left out."""


def listed(masses: Sequence[tuple[mpf, mpf]], runs: int) -> Losses:
    """Return the losses of a pair whose outputs are listed, by both masses of each."""
    both = [(p, q, mp.log(p / q)) for p, q in masses if p > 0 and q > 0]
    losses = sorted({loss for _, _, loss in both})
    spacing = _spacing(losses)

    def cells(h: Any, left: float, right: float) -> tuple[dict[int, tuple[Any, Any]], Any, Any]:
        by_cell: dict[int, tuple[Any, Any]] = {}
        for p, q, loss in both:
            place = loss / number_of(h)
            index = int(mp.nint(place)) if spacing is not None else int(mp.floor(place))
            a, b = by_cell.get(index, (ball(0), ball(0)))
            by_cell[index] = (a + ball(p), b + ball(q))
        return by_cell, ball(0), ball(0)

    mean = mp.fsum(p * loss for p, _, loss in both)
    square = mp.fsum(p * (loss - mean) ** 2 for p, _, loss in both)
    infinite = mp.fsum(p for p, q in masses if q == 0)
    ends = (float(losses[0]), float(losses[-1]))
    return Losses(runs, cells, infinite, spacing, float(mean), float(mp.sqrt(square)), ends)


def continuous(
    below: Below, runs: int, *, turned: bool = False, atoms: Atoms | None = None
) -> Losses:
    """Return the losses of a pair of which ``below`` tells the masses of P and Q up to a loss.

    ``turned`` exchanges the two laws; ``atoms`` are those of P and Q before.
    """

    def cells(h: Any, left: float, right: float) -> tuple[dict[int, tuple[Any, Any]], Any, Any]:
        if turned:
            left, right = -right, -left
        first, last = int(left // float(h)) - 1, int(right // float(h)) + 2
        ends = [below(h * place) for place in range(first, last + 1)]
        by_cell: dict[int, tuple[Any, Any]] = {}
        for place in range(first, last):
            (p, q), (p_next, q_next) = ends[place - first], ends[place - first + 1]
            if turned:
                by_cell[-place - 1] = (q_next - q, p_next - p)
            else:
                by_cell[place] = (p_next - p, q_next - q)
        side = 1 if turned else 0
        tails = [ends[0][side], 1 - ends[-1][side]]
        return (by_cell, *(tails[::-1] if turned else tails))

    with with_bits():  # with fewer, what is next to nothing is not told from a rounding
        ends = _ends(below, turned=turned)
        mean, deviation = _floats(below, ends, turned=turned)
    if atoms is None:
        return Losses(runs, cells, mpf(0), None, mean, deviation, ends)
    present = atoms

    def between(count: int) -> list[tuple[Any, Any]]:
        low, high = ball(present.low), ball(present.high)
        inner = [below(low + (high - low) * place / count) for place in range(1, count)]
        before, after = (tuple(map(ball, masses)) for masses in present.masses)
        points = [before, *inner, (1 - after[0], 1 - after[1])]
        inner_masses = [(p - a, q - b) for (a, b), (p, q) in pairwise(points)]
        return [(q, p) for p, q in reversed(inner_masses)] if turned else inner_masses

    oriented = atoms.turned() if turned else atoms
    return Losses(runs, cells, mpf(0), None, mean, deviation, ends, oriented, between)


def atoms_of(definition: Any, shift: int, rate: mpf | None) -> Atoms | None:
    """Return the atoms of the pair of :func:`below_of`, None where it has none."""
    if isinstance(definition, Gaussian):
        return None
    s, q = shift / definition.number("scale"), mpf(1) if rate is None else rate
    ends, small = [], mp.exp(-s) / 2
    for loss, a, b in ((-s, small, mpf(1) / 2), (s, mpf(1) / 2, small)):
        ends.append((mp.log1p(q * mp.expm1(loss)), ((1 - q) * b + q * a, b)))
    (low, first), (high, last) = ends
    return Atoms(low, high, (first, last))


def below_of(definition: Any, shift: int, rate: mpf | None) -> Below:
    """Return what P and Q have up to a loss: noise ``shift`` apart, on samples if there is a rate.

    With A and B the noise around ``shift`` and 0, and L = ln(dA/dB), the pair is (A, B), or
    ((1 − q)B + qA, B) whose loss ln(1 − q + q·e^L) grows with L.
    """
    from flint import arb

    with with_bits(max(_BITS, mp.prec)):
        width = ball(definition.number("sigma" if isinstance(definition, Gaussian) else "scale"))
        q = arb(1) if rate is None else ball(rate)

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
        # A ball that may be 0 has no logarithm: what holds on either side is united.
        if not part > 0:
            a, b = whole(part.upper().log())
            a, b = arb(0).union(a), arb(0).union(b)
        else:
            a, b = whole(part.log())
        return (1 - q) * b + q * a, b

    return below


def replaced_below(definition: Gaussian, rate: mpf) -> Below:
    """Return what (1 − q)·N(0) + q·N(1) has up to a loss, against (1 − q)·N(0) + q·N(−1).

    With y = e^(x/σ²) the ratio of densities is (a + b·y)/(a + b/y), b = q·e^(−1/(2σ²)), which is r
    where b·y² + a·(1 − r)·y − r·b = 0.
    """
    with with_bits(max(_BITS, mp.prec)):
        sigma, q = ball(definition.number("sigma")), ball(rate)

    def below(loss: Any) -> tuple[Any, Any]:
        a, b, ratio = 1 - q, q * (-1 / (2 * sigma * sigma)).exp(), loss.exp()
        half = a * (1 - ratio) / 2
        root = (half * half + b * b * ratio).sqrt()
        y = b * ratio / (half + root) if half > 0 else (root - half) / b
        place = y.log() * sigma * sigma
        p, middle, other = (_normal((place - at) / sigma) for at in (1, 0, -1))
        return a * middle + q * p, a * middle + q * other

    return below


def _normal(x: Any) -> Any:
    from flint import arb

    return (-x / arb(2).sqrt()).erfc() / 2


def _ends(below: Below, *, turned: bool) -> tuple[float, float]:
    """Return where the losses of P begin and end, but for next to nothing."""
    side, ends = (1 if turned else 0), []
    for left in (True, False):

        def nothing(loss: float, left: bool = left) -> bool:
            mass = below(ball(mpf(loss)))[side]
            return float((mass if left else 1 - mass).upper()) < _NOTHING

        near, far = (_FAR, -_FAR) if left else (-_FAR, _FAR)
        for _ in range(50):
            middle = (near + far) / 2
            # `far` keeps next to nothing beyond it, so that a window errs towards too wide.
            near, far = (near, middle) if nothing(middle) else (middle, far)
        ends.append(far)
    return (-ends[1], -ends[0]) if turned else (ends[0], ends[1])


def _floats(below: Below, ends: tuple[float, float], *, turned: bool) -> tuple[float, float]:
    """Return mean and standard deviation of the loss, in floats."""
    side, sign = (1, -1.0) if turned else (0, 1.0)
    low, high = sorted((sign * ends[0], sign * ends[1]))
    places = [low + (high - low) * i / 4000 for i in range(4001)]
    masses = [float(below(ball(mpf(place)))[side]) for place in places]
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


@contextmanager
def with_bits(bits: int = _BITS) -> Iterator[None]:
    """Compute balls with so many bits: by default enough for all of a spectrum."""
    from flint import ctx

    # flint's precision is global.
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(x: Any) -> Any:
    """Return a ball around a number of mpmath, which is right to nearly all of its digits."""
    from flint import arb, fmpz

    if isinstance(x, arb):
        return x
    sign, man, exponent, _ = mpf(x)._mpf_
    # The last bits of mpmath's number may be wrong: 20 of them make the radius.
    middle = arb((fmpz(int(-man if sign else man)), fmpz(exponent)))
    return middle + arb(0, abs(middle).upper() * arb(2) ** (20 - mp.prec)) if man else middle


def number_of(x: Any) -> mpf:
    """Return the middle of a ball, exactly."""
    man, exponent = x.mid().man_exp()
    return mp.ldexp(mpf(int(man)), int(exponent))

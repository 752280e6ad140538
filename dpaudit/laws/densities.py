"""Laws whose outputs are fixed in some places and have a density in others.

What is fixed of an output (:class:`Fixed`) has a probability, and given that the numbers in its
places have a density: a product of independent parts, or a mixture.  The largest loss is that of
the worst fixed part, where the suprema of the parts add up.  δ is a sum over the fixed parts,
exact in balls where the two densities differ in one part alone, or in Gaussian parts; between two
bounds that are close where they differ in two or three, and a wide interval elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from dpaudit.errors import LawError, PrecisionError
from dpaudit.laws.bells import Bell, excess_of_shift
from dpaudit.laws.explicit import ExplicitLaw, OpenLaw
from dpaudit.laws.independent import log_ratio
from dpaudit.laws.law import (
    EXACT_FROM,
    Atom,
    Divergence,
    Law,
    Loss,
    Mass,
    NotListedError,
    against,
    infinite_loss,
)
from dpaudit.laws.mixed import excess_of_parts, peak_of_parts
from dpaudit.laws.parts import Line
from dpaudit.laws.products import MOST_PAIRS, Curve, excess_of_product
from dpaudit.laws.shifted import known_of_shift
from dpaudit.laws.suprema import Peak, exact_ratio
from dpaudit.machine import uncollected
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign
from dpaudit.numbers.real import ZERO, Real, order

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from dpaudit.laws.parts import Part, Term


__all__ = ["DensityLaw"]

_ENCLOSED = 1e-9
"""An interval that is relatively narrower is a number that is enclosed, and no two bounds."""
_FARTHEST, _MARGIN = 12.0, 1e-9
"""Losses at which the curve of a pair is looked at: up to so many, and a little beyond its ends."""
Weight = Real | Ball
FoundT = TypeVar("FoundT")


class DensityLaw(OpenLaw):
    """Fixed parts with their probabilities, and the densities of what they leave open."""

    def __init__(
        self,
        masses: Mapping[Hashable, Weight],
        terms: Mapping[Hashable, Sequence[Term]],
        shown: Callable[[Hashable, Sequence[str]], Hashable],
    ) -> None:
        """Take the probability of each fixed part, and a mixture for each that leaves something.

        ``shown`` gives the output of a fixed part with texts for its coordinates.
        """
        self.masses = ExplicitLaw(masses)
        self.terms = {key: tuple(found) for key, found in terms.items()}
        self.shown = shown

    def beside(self, law: ExplicitLaw) -> DensityLaw:
        return DensityLaw(law.weights, {}, self.shown)

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another law of the same mechanism."""
        if isinstance(other, ExplicitLaw):
            other = self.beside(other)
        if not isinstance(other, DensityLaw):
            raise LawError(
                "one dataset gives a continuous output and its neighbour does not; dpaudit "
                "cannot compare these"
            )
        return _DensityDivergence(self, other)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of a fixed part."""
        return self.masses.probability(output)

    def output_count(self) -> int | None:
        """Return None where there is a density."""
        return None if self.terms else self.masses.output_count()


class _DensityDivergence(Divergence):
    def __init__(self, p: DensityLaw, q: DensityLaw) -> None:
        self.p, self.q = p, q
        self._compared: dict[tuple[Hashable, bool], _Compared] = {}

    def _sides(self, *, forward: bool) -> tuple[DensityLaw, DensityLaw]:
        return (self.p, self.q) if forward else (self.q, self.p)

    def _of(self, key: Hashable, *, forward: bool) -> _Compared:
        if (key, forward) not in self._compared:
            p, q = self._sides(forward=forward)
            if key not in p.terms and key not in q.terms:
                found = _Compared(p.masses.mass(key), q.masses.mass(key), ())
            else:
                masses = p.masses.mass(key), q.masses.mass(key)
                found = _mixtures(p.terms.get(key, ()), q.terms.get(key, ()), *map(_ball, masses))
            self._compared[key, forward] = found
        return self._compared[key, forward]

    @uncollected()
    def max_loss(self, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        for key, weight in p.masses.weights.items():
            if key not in q.masses.weights:
                if isinstance(weight, Ball) and balls.sign(weight) is not Sign.POSITIVE:
                    raise PrecisionNeeded(
                        "a probability cannot be distinguished from 0 at this precision"
                    )
                return infinite_loss(self._shown(key, None))
        keys = list(p.masses.weights)
        found = [self._of(key, forward=forward) for key in keys]
        for key, one in zip(keys, found, strict=True):
            if any(peak.infinite for peak in one.peaks):
                return infinite_loss(self._shown(key, one))
        best = balls.contenders([one.loss for one in found])
        bound = balls.maximum(found[index].loss for index in best)
        exact = _largest_exactly([found[index] for index in best])
        if exact is not None:
            index, number = exact
            return Loss(number.ball(), number, self._shown(keys[best[index]], found[best[index]]))
        # Which is the largest is open: the narrowest is shown, and the bound covers all.
        index = min(best, key=lambda i: float(found[i].loss.rad()))
        return Loss(bound, None, self._shown(keys[index], found[index]))

    def _shown(self, key: Hashable, one: _Compared | None) -> Hashable:
        texts: list[str] = []
        if one is not None:
            for peak, group in zip(one.peaks, one.groups, strict=False):
                for place in group:
                    texts += ["any"] * (place + 1 - len(texts))
                    texts[place] = peak.where
        return self.p.shown(key, texts)

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        for key in p.masses.weights:
            one = self._of(key, forward=forward) if key in q.masses.weights else None
            if self._shown(key, one) == output:
                if one is None or any(peak.infinite for peak in one.peaks):
                    return infinite_loss(output)
                exact = one.exact()
                return Loss(one.loss, exact, output)
        raise ValueError(f"{output} is not an output on this side")

    @uncollected()
    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p, q = self._sides(forward=forward)
        factor = epsilon.exp().ball()
        total, gap = Ball(0), Ball(0)
        for key, weight in p.masses.weights.items():
            if key not in q.masses.weights:
                # Q has nothing there to take away.
                total += _ball(weight)
                continue
            one = self._of(key, forward=forward)
            if one.is_at_most(epsilon):
                continue
            masses = _ball(weight), _ball(q.masses.mass(key))
            found = one.excess(factor, epsilon.ball(), masses)
            total += found.ball
            if found.gap is not None:
                gap += found.gap
        return Mass(total, None, gap)

    @property
    def lists_atoms(self) -> bool:  # type: ignore[override]
        return not (self.p.terms or self.q.terms)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        if not self.lists_atoms:
            raise NotListedError
        masses = self.p.masses.divergence_from(self.q.masses)
        for atom in masses.atoms(forward=forward):
            yield replace(atom, output=self.p.shown(atom.output, ()))

    def known(self, notion: str, order: Fraction | None, *, forward: bool) -> Mass | None:
        """Return the closed forms of normal noise of one σ on every number of the output."""
        (key, *others) = self.p.masses.weights
        if others or list(self.q.masses.weights) != [key]:
            return None
        found = self._of(key, forward=forward)
        squares = [left.squared_shift(right) for left, right in found.pairs]
        if found.floor is not None or not squares or None in squares:
            return None
        square = sum((one for one in squares if one is not None), ZERO)
        return known_of_shift(square.sqrt(), notion, order)


@dataclass
class _Compared:
    """Two densities of one fixed part: weights, and the parts in which they differ."""

    p: Weight
    q: Weight
    pairs: tuple[tuple[Part, Part], ...]
    same: tuple[Part, ...] = ()
    """The parts that are the same on both sides."""
    groups: tuple[tuple[int, ...], ...] = ()
    floor: Ball | None = None
    """Lower bound of the supremum, if the parts give an upper bound alone; else None."""

    def __post_init__(self) -> None:
        self.peaks = [_peak(*pair) for pair in self.pairs]
        self.loss = (_ball(self.p) / _ball(self.q)).log()
        for peak in self.peaks:
            self.loss += peak.ball
        if not self.loss.is_finite() and not any(peak.infinite for peak in self.peaks):
            raise PrecisionNeeded("a probability cannot be distinguished from 0 at this precision")

    def exact(self) -> Real | None:
        """Return the loss in closed form, where it has a short one or many bits are asked for."""
        if self.floor is not None or not isinstance(self.p, Real) or not isinstance(self.q, Real):
            return None
        total = ZERO if self.p == self.q else None
        if total is None:
            quotient = self.p.monomial_quotient(self.q)
            if quotient is None and balls.working_precision() < EXACT_FROM:
                return None
            total = log_ratio(self.p, self.q)
        for peak, (part, _) in zip(self.peaks, self.pairs, strict=True):
            rate = getattr(part, "rate", None)
            if peak.forms is None or rate is None:
                return None
            loss = exact_ratio(*peak.forms, rate)
            if loss is None:
                return None
            total += loss
        return total

    def is_at_most(self, epsilon: Real) -> bool:
        """Tell whether the largest loss is certainly at most ε; a tie is decided exactly."""
        bound = epsilon.ball()
        if not self.pairs or balls.certainly_less(bound, self.loss):
            return False
        if balls.certainly_less_or_equal(self.loss, bound):
            return True
        exact = self.exact()
        return exact is not None and against(exact, epsilon) in (Sign.NEGATIVE, Sign.ZERO)

    def excess(self, factor: Ball, epsilon: Ball, masses: tuple[Ball, Ball]) -> Mass:
        """Return what P has over e^ε·Q."""
        p, q = _ball(self.p), _ball(self.q)
        if not self.pairs:
            return Mass(balls.nonnegative(masses[0] - factor * masses[1]))
        if len(self.pairs) == 1 and self.floor is None:
            left, right = self.pairs[0]
            found = _excess(left, right, factor * q / p)
            if found is not None:
                return Mass(prod((part.mass() for part in self.same), start=p * found))
        if len(self.pairs) > 1 and self.floor is None:
            several = _excess_of_several(self.pairs, factor * q / p)
            if several is not None:
                whole = prod((part.mass() for part in self.same), start=p * several)
                return Mass(whole, None, _width(whole))
        share = -(epsilon - self.loss.upper()).expm1()
        most = balls.nonnegative(share) if share.is_finite() else Ball(1)
        least = balls.nonnegative(masses[0] - factor * masses[1])
        highest = masses[0] * most.min(Ball(1))
        return Mass(least.lower().union(highest), None, (highest - least).lower())


def _width(interval: Ball) -> Ball | None:
    """Return how far apart two bounds are; None for one number that is enclosed."""
    width = interval.upper() - interval.lower()
    return width.lower() if float(width) > _ENCLOSED * float(interval.mid()) else None


def _excess_of_several(pairs: Sequence[tuple[Part, Part]], factor: Ball) -> Ball | None:
    """Return ∫ (Πp − factor·Πq)₊ of independent pairs; None where it is not bounded.

    Gaussian pairs of two means make one: the sum of squares of their distances, in standard
    deviations, is the square of its distance.
    """
    curves: list[Curve] = []
    squares: list[Real] = []
    whole = Ball(1)
    for left, right in pairs:
        square = left.squared_shift(right)
        if square is not None:
            squares.append(square)
            continue
        masses = left.mass(), right.mass()
        whole, factor = whole * masses[0], factor * masses[1] / masses[0]
        curves.append(_curve(left, right, masses))
    if len(curves) + bool(squares) > MOST_PAIRS:
        return None
    if squares:
        distance = sum(squares[1:], squares[0]).ball().sqrt()
        curves.append(Curve(lambda a: excess_of_shift(distance, a), (0.0, 0.0)))
    found = excess_of_product(curves, factor)
    return None if found is None else whole * found


def _curve(left: Part, right: Part, masses: tuple[Ball, Ball]) -> Curve:
    """Return the curve of one pair, each divided by its mass."""
    scale = masses[0] / masses[1]

    def value(a: Ball) -> Ball | None:
        found = _excess(left, right, a * scale)
        return None if found is None else found / masses[0]

    moved = -float(scale.log().mid())
    peaks = _peak(right, left), _peak(left, right)
    ends = [float(peak.ball.mid()) for peak in peaks]
    low, high = max(-ends[0], -_FARTHEST) + moved, min(ends[1], _FARTHEST) + moved
    margin = _MARGIN * (1 + abs(low) + abs(high))
    return Curve(value, (low - margin, high + margin), is_open=ends[1] > _FARTHEST)


def _mixtures(p: tuple[Term, ...], q: tuple[Term, ...], p_mass: Ball, q_mass: Ball) -> _Compared:
    """Return the comparison of two mixtures: exact for one term each, else what bounds it."""
    if len(p) == len(q) == 1:
        return _terms(p[0], q[0])
    if len(p) != len(q):
        raise LawError("dpaudit cannot compare mixtures of densities in several dimensions")
    # A quotient of sums is at most the largest quotient of the parts, and at least that of masses.
    parts = [_terms(one, other) for one, other in zip(p, q, strict=True)]
    if any(peak.infinite for part in parts for peak in part.peaks):
        raise LawError("dpaudit cannot compare mixtures of densities in several dimensions")
    found = max(parts, key=lambda one: float(one.loss))
    found.floor = (p_mass / q_mass).log()
    found.loss = balls.maximum(part.loss for part in parts).union(found.floor)
    return found


def _terms(p: Term, q: Term) -> _Compared:
    if p.groups != q.groups or p.frame != q.frame:
        raise LawError(
            "the numbers in an output depend on each other differently at two neighbouring "
            "datasets; dpaudit cannot compare such densities"
        )
    pairs, groups, same = [], [], []
    for left, right, group in zip(p.parts, q.parts, p.groups, strict=True):
        if left == right:
            same.append(left)
        else:
            pairs.append((left, right))
            groups.append(group)
    return _Compared(p.weight, q.weight, tuple(pairs), tuple(same), tuple(groups))


_FOUND: dict[tuple[Any, ...], Any] = {}
"""Cached results for two parts; equal parts recur with other datasets."""


def _once(left: Part, right: Part, at: tuple[int, ...], find: Callable[[], FoundT]) -> FoundT:
    key = balls.working_precision(), left, right, at
    if key not in _FOUND:
        # Bounded: what is forgotten is computed again.
        if len(_FOUND) > 1 << 13:
            _FOUND.clear()
        _FOUND[key] = find()
    found: FoundT = _FOUND[key]
    return found


def _peak(left: Part, right: Part) -> Peak:
    find = left.peak if _alike(left, right) else partial(peak_of_parts, left)
    return _once(left, right, (), lambda: find(right))


def _excess(left: Part, right: Part, factor: Ball) -> Ball | None:
    # The ball itself, bit by bit: balls are no keys.
    at = tuple(map(int, (*factor.mid().man_exp(), *factor.rad().man_exp())))
    find = left.excess if _alike(left, right) else partial(excess_of_parts, left)
    return _once(left, right, at, lambda: find(right, factor))


def _alike(left: Part, right: Part) -> bool:
    """Tell whether two densities have forms that are compared directly."""
    if isinstance(left, Line) and isinstance(right, Line):
        return left.rate == right.rate
    if isinstance(left, Bell) and isinstance(right, Bell):
        return left.variance == right.variance
    return type(left) is type(right)


def _largest_exactly(found: list[_Compared]) -> tuple[int, Real] | None:
    best: tuple[int, Real] | None = None
    for index, one in enumerate(found):
        exact = one.exact()
        if exact is None:
            return None
        try:
            if best is None or order(exact, best[1]) is Sign.POSITIVE:
                best = index, exact
        except PrecisionError:
            return None
    return best


def _ball(weight: Any) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight

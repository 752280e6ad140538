"""Bounds on δ over an interval of a parameter: on each piece, δ lies between two lines.

At an ε′ that is fixed, or is r times the nominal ε, δ of one pair in one direction is the sum over
outputs of (P_x − e^(ε′)·P_y)₊.  Each summand is a :class:`~dpaudit.numbers.varying.Varying`: its
value in the middle of the piece and a ball of the slopes of all its chords.  Their sum has lines
around it as losses have (:mod:`dpaudit.laws.over_parameter`); the largest of all pairs has them
from the largest ends above, and from one pair below.

A pair whose upper line lies below what another certainly reaches, at both ends, is not looked at
again inside the piece.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from dpaudit.errors import PrecisionError
from dpaudit.laws.geometric import GeometricLaw, compare_laws
from dpaudit.laws.over_epsilon import Ends, Lines
from dpaudit.laws.over_parameter import lines_of_largest
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded
from dpaudit.numbers.expsum import ExpSum
from dpaudit.numbers.laurent import Laurent
from dpaudit.numbers.real import Real, rational
from dpaudit.numbers.varying import Varying

__all__ = [
    "Abscissa",
    "Ask",
    "ClosedDeltas",
    "DeltaFamily",
    "Found",
    "PairForms",
    "WorstDelta",
    "deltas_of_counts",
]

_BITS = 96
_MOST_OUTPUTS = 1 << 13

Way = tuple[Hashable, Hashable]
"""The datasets of the numerator and of the denominator."""


@dataclass(frozen=True)
class Abscissa:
    """An ε′ at which δ is asked for: a fixed one, or so many times the nominal ε."""

    ratio: Fraction | None = None
    """ε′ over the nominal ε; None for a fixed ε′."""
    epsilon: Real | None = None
    """The fixed ε′ in nats; None for one that moves with the nominal ε."""

    def at(self, parameter: Fraction) -> Real:
        """Return ε′ at one nominal ε."""
        if self.epsilon is not None:
            return self.epsilon
        assert self.ratio is not None, "one of the two is given"
        return rational(self.ratio * parameter)

    def over(self, parameter: Varying) -> Varying | Ball:
        """Return ε′ as a function of the parameter."""
        if self.epsilon is not None:
            return self.epsilon.ball()
        assert self.ratio is not None, "one of the two is given"
        return parameter * self.ratio


class WorstDelta(NamedTuple):
    """Enclosure of the largest δ on one piece."""

    lines: Lines
    """It lies between these."""
    way: int
    """Number of the pair and direction that gives the lower line; −1 if none is known."""
    left: Sequence[int]
    """Numbers of the pairs and directions that may have the largest δ somewhere in the piece."""


Found = Callable[[int, Abscissa], Varying | Ball]
"""Gives δ of one way round of one pair, on the piece that it was made for."""

Ask = Callable[[Abscissa, Sequence[int]], WorstDelta]
"""Encloses the largest δ at an ε′ over some of the ways, on the piece that it was made for."""

_UNKNOWN = Lines((Fraction(0), Fraction(0)), (Fraction(1), Fraction(1)))


class DeltaFamily(ABC):
    """δ of all pairs of one size, as a parameter makes it."""

    pairs: int
    """Number of unordered pairs covered, in both directions and at every output."""
    ways: Sequence[Way]
    """Both directions of all pairs that are not known to be like another."""

    @abstractmethod
    def on(self, parameter: Varying) -> Found:
        """Return what gives δ on the piece of a parameter; laws are worked out when asked for."""

    def piece(self, low: Fraction, high: Fraction) -> Ask:
        """Return what encloses δ on a piece, at any ε′, over some of the ways."""
        with balls.precision(_BITS):
            parameter = Varying.parameter(low, high)
            try:
                found: Found | None = self.on(parameter)
            except PrecisionNeeded:  # the piece is too long for a definition to be followed
                found = None

        def lines(at: Abscissa, among: Sequence[int]) -> WorstDelta:
            if found is None:
                return WorstDelta(_UNKNOWN, -1, among)
            with balls.precision(_BITS):
                try:
                    values = (found(index, at) for index in among)
                    around, place, tops = lines_of_largest(values, low, high)
                except PrecisionNeeded:
                    return WorstDelta(_UNKNOWN, -1, among)
            if place < 0:
                return WorstDelta(_UNKNOWN, -1, among)
            left = [i for i, top in zip(among, tops, strict=True) if _reaches(top, around.lower)]
            return WorstDelta(around, among[place], left)

        return lines


def _reaches(top: Ends, reached: Ends) -> bool:
    return any(end >= other for end, other in zip(top, reached, strict=True))


class PairForms(NamedTuple):
    """Two laws in closed form, output by output, or range by range of equal loss."""

    x: Hashable
    y: Hashable
    masses: tuple[tuple[ExpSum, ExpSum, ExpSum], ...]
    """A, B and N with P_x = A/N and P_y = B/N; N > 0."""

    def reversed(self) -> PairForms:
        """Return the pair the other way round."""
        return PairForms(self.y, self.x, tuple((b, a, n) for a, b, n in self.masses))

    def merged(self) -> PairForms:
        """Return the pair with outputs of one loss put together, where that is a single term.

        P_x − e^(ε′)·P_y has one sign on all of them, so that their positive parts add up.
        """
        found: dict[object, tuple[ExpSum, ExpSum, ExpSum]] = {}
        for a, b, n in self.masses:
            ratio = None if b.is_zero() else a.monomial_quotient(b)
            key = (a, b, n) if ratio is None else (ratio, n)
            before = found.get(key)
            found[key] = (a, b, n) if before is None else (before[0] + a, before[1] + b, n)
        return PairForms(self.x, self.y, tuple(found.values()))


class ClosedDeltas(DeltaFamily):
    """Laws whose probabilities are exponential sums in λ: formal, for every λ at once.

    Where ε′ is a multiple of λ, A − e^(ε′)·B is a formal sum too; one without terms is exactly 0.
    """

    def __init__(
        self,
        laws: Iterable[PairForms],
        pairs: int,
        rate: Callable[[Varying], Varying],
        multiple: Fraction | None = None,
    ) -> None:
        """Take the laws, how many pairs have them, λ of the parameter, and λ/ε where that is.

        ``PrecisionError`` for more outputs than are followed.
        """
        self.pairs, self.rate, self.multiple = pairs, rate, multiple
        once: dict[object, PairForms] = {}
        for one in laws:
            short = one.merged()
            for way in (short, short.reversed()):
                once.setdefault(frozenset(Counter(way.masses).items()), way)
        self.laws = list(once.values())
        outputs = sum(len(one.masses) for one in self.laws)
        if outputs > _MOST_OUTPUTS:
            raise PrecisionError(
                f"{len(self.laws)} pairs and directions have {outputs} outputs, more than the "
                f"{_MOST_OUTPUTS} whose δ is followed over an interval"
            )
        self.ways = [(one.x, one.y) for one in self.laws]
        self._formal: dict[tuple[int, Fraction], list[tuple[ExpSum, ExpSum]]] = {}

    def on(self, parameter: Varying) -> Found:
        values = _Sums(self.rate(parameter))

        def found(index: int, at: Abscissa) -> Varying | Ball:
            total = 0 * parameter
            if at.ratio is None:
                factor = at.over(parameter).exp()
                for a, b, n in self.laws[index].masses:
                    excess = values.of(a) - values.of(b) * factor
                    if not balls.certainly_less_or_equal(excess.range, Ball(0)):
                        total = total + excess.max(Ball(0)) / values.of(n)
                return total
            for form, n in self._excesses(index, at.ratio):
                positive = values.positive(form)
                if positive is not None:
                    total = total + positive / values.of(n)
            return total

        return found

    def _excesses(self, index: int, ratio: Fraction) -> list[tuple[ExpSum, ExpSum]]:
        """Return A − e^(ε′)·B and N for every output of one way where that is not exactly 0."""
        if (index, ratio) not in self._formal:
            assert self.multiple is not None, "a proportion is of the nominal ε"
            power = -ratio / self.multiple
            forms = [(a - b.times(1, s=power), n) for a, b, n in self.laws[index].masses]
            self._formal[index, ratio] = [one for one in forms if not one[0].is_zero()]
        return self._formal[index, ratio]


class _Sums:
    """Exponential sums of a λ that varies."""

    def __init__(self, rate: Varying) -> None:
        self.rate = rate
        self._parts: dict[ExpSum, Varying | None] = {}
        self._powers: dict[tuple[int, Fraction], Varying] = {}
        self._held: dict[ExpSum, Varying] = {}

    def of(self, form: ExpSum) -> Varying:
        if form not in self._held:
            total = 0 * self.rate
            for power, q in form.terms.items():
                total = total + self._power(*power) * q
            self._held[form] = total
        return self._held[form]

    def positive(self, form: ExpSum) -> Varying | None:
        """Return the positive part of a sum; None where it is certainly nowhere above 0."""
        if form not in self._parts:
            value = self.of(form)
            below = balls.certainly_less_or_equal(value.range, Ball(0))
            self._parts[form] = None if below else value.max(Ball(0))
        return self._parts[form]

    def _power(self, j: int, s: Fraction) -> Varying:
        if (j, s) not in self._powers:
            found = (self.rate * -s).exp()
            if j:
                value, slope = self.rate.at_middle, self.rate.range
                risen = Varying(
                    balls.integer_power(value, j),
                    self.rate.slope * balls.integer_power(slope, j - 1) * j,
                    self.rate.reach,
                )
                found = found * risen
            self._powers[j, s] = found
        return self._powers[j, s]


def deltas_of_counts(
    laws: Sequence[GeometricLaw],
    n: int,
    total: Laurent,
    rate: Fraction | Callable[[Varying], Varying],
) -> ClosedDeltas:
    """Return δ of noisy counts of n records.

    Args:
        laws: those of the counts 0, 1, …; as many as are not known to be like others.
        n: how many records there are.
        total: what the masses of a law add up to.
        rate: λ/ε, or λ as a function of another parameter.
    """
    below = _expsum(total)
    forms = [
        PairForms(
            (count, n - count),
            (count + 1, n - count - 1),
            tuple((_expsum(part.p), _expsum(part.q), below) for part in compare_laws(p, q)),
        )
        for count, (p, q) in enumerate(pairwise(laws))
    ]
    if isinstance(rate, Fraction):
        multiple = rate
        return ClosedDeltas(forms, n, lambda epsilon: epsilon * multiple, multiple)
    return ClosedDeltas(forms, n, rate)


def _expsum(masses: Laurent) -> ExpSum:
    return ExpSum({(0, Fraction(power)): Fraction(q) for power, q in masses.terms})

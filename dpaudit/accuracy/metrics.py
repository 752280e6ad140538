"""Metrics of errors: the Hellinger distance of posteriors, and the ℓ1 distance of counts.

An error has a *key* that costs little: outputs with equal keys have exactly equal errors.  Keys are
then told apart by balls of a quantity that orders the errors, and where balls overlap by an exact
form.

Equal Hellinger distances of posteriors are recognised by the exact form of (1 − H²)².  With s =
min(a, b), d = |a − b| a whole number, and (s)ₘ = s(s + 1)…(s + m − 1),

    G(a, b)² = Γ((a + b)/2)² / (Γ(a)·Γ(b)) = ((s)_h)²/(s)_d · W(s + h)^(d mod 2),
    h = ⌊d/2⌋,   W(z) = (Γ(z + ½)/Γ(z))²,

and W(z) = (z − ½)²/W(z − ½) leads every W back to one with 0 < z ≤ ½, where W(½) = 1/π.  So
(1 − H²)² is a rational times powers of such W.  Equal forms are equal numbers.  Forms with the same
W and different rationals are different numbers, and so are those in which no W but W(½) occurs: π
is transcendental.  Of other pairs the form does not tell.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import sub

from dpaudit.data.histograms import Counts
from dpaudit.numbers.ball import Ball, ball, gamma
from dpaudit.numbers.real import ONE, PI, Real, rational

__all__ = [
    "METRICS",
    "HellingerDistance",
    "L1Distance",
    "Metric",
    "coordinate_form",
    "metric_of",
    "steps_between",
    "total_form",
]


_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class SquaredAffinity:
    """coefficient · Π W(z)^power, 0 < z ≤ ½."""

    coefficient: Fraction
    powers: tuple[tuple[Fraction, int], ...] = ()
    """Pairs (z, power) in increasing order of z, no power 0."""

    def __mul__(self, factor: SquaredAffinity) -> SquaredAffinity:
        """Return the product."""
        powers = dict(self.powers)
        for z, power in factor.powers:
            powers[z] = powers.get(z, 0) + power
        return SquaredAffinity(
            self.coefficient * factor.coefficient,
            tuple(sorted((z, power) for z, power in powers.items() if power)),
        )

    def inverse(self) -> SquaredAffinity:
        """Return the reciprocal."""
        return SquaredAffinity(1 / self.coefficient, tuple((z, -power) for z, power in self.powers))

    def differs_from(self, other: SquaredAffinity) -> bool | None:
        """Tell whether the numbers differ; None where the forms do not tell."""
        if self.powers == other.powers:
            return self.coefficient != other.coefficient
        only_pi = {z for z, _ in (*self.powers, *other.powers)} == {_HALF}
        return True if only_pi else None

    def root(self) -> Real | None:
        """Return the square root in closed form, or None where a W is left that has none."""
        value = rational(self.coefficient).sqrt()
        for z, power in self.powers:
            if z != _HALF:
                return None
            value *= PI ** (-(power // 2))
            if power % 2:
                value /= PI.sqrt()
        return value


def coordinate_form(s: Fraction, d: int) -> SquaredAffinity:
    """Return G(s, s + d)² for ``s`` > 0 and ``d`` ≥ 0.

    >>> print(coordinate_form(Fraction(1), 1).root())
    sqrt(pi)/2
    """
    h = d // 2
    form = SquaredAffinity(_rising(s, h) ** 2 / _rising(s, d))
    return form * _gamma_quotient(s + h) if d % 2 else form


def total_form(s: Fraction, d: int) -> SquaredAffinity:
    """Return Γ(s)·Γ(s + d)/Γ(s + d/2)², what totals ``d`` apart contribute."""
    return coordinate_form(s, d).inverse()


def _rising(s: Fraction, m: int) -> Fraction:
    numerator = 1
    for i in range(m):
        numerator *= s.numerator + i * s.denominator
    return Fraction(numerator, s.denominator**m)


@lru_cache(maxsize=4096)
def _gamma_quotient(z: Fraction) -> SquaredAffinity:
    """Return W(z) with the argument led back to (0, ½]."""
    coefficient, power = Fraction(1), 1
    while z > _HALF:
        z -= _HALF
        coefficient = coefficient * z**2 if power > 0 else coefficient / z**2
        power = -power
    return SquaredAffinity(coefficient, ((z, power),))


METRICS = ("hellinger", "l1")
"""The names of the errors."""


class Metric(ABC):
    """The error of outputs at one dataset, with balls at the precision it was made in."""

    @abstractmethod
    def key(self, output: Counts) -> Hashable:
        """Return what the error depends on."""

    @abstractmethod
    def order(self, key: Hashable) -> Ball:
        """Return a ball of a number that grows strictly with the error."""

    @abstractmethod
    def value(self, key: Hashable) -> Ball:
        """Return a ball of the error."""

    @abstractmethod
    def differ(self, first: Hashable, second: Hashable) -> bool | None:
        """Tell whether two errors differ, exactly; None where that is not known."""

    @abstractmethod
    def exact(self, key: Hashable) -> Real | None:
        """Return the error in closed form, where it has one."""


class L1Distance(Metric):
    """‖r − c‖₁, a whole number (N §4.2, Fig. 5)."""

    def __init__(self, dataset: Counts) -> None:
        """Take the counts of the dataset."""
        self.dataset = dataset

    def key(self, output: Counts) -> int:
        return sum(abs(r - c) for r, c in zip(output, self.dataset, strict=True))

    def order(self, key: Hashable) -> Ball:
        assert isinstance(key, int)
        return ball(key)

    value = order

    def differ(self, first: Hashable, second: Hashable) -> bool:
        return first != second

    def exact(self, key: Hashable) -> Real:
        assert isinstance(key, int)
        return rational(key)


class HellingerDistance(Metric):
    """H(Dir(α + c), Dir(α + r)) for whole numbers r with α + r > 0, of any total.

    The totals need not agree (LSZhang prints counts that do not add up to n), so that

        (1 − H²)² = Π G(αᵢ + cᵢ, αᵢ + rᵢ)² / G(A + n, A + m)²,  A = Σα, n = Σc, m = Σr.

    Errors are ordered by t = −ln(1 − H²), which tells those near 1 apart.
    """

    def __init__(self, prior: tuple[Fraction, ...], dataset: Counts) -> None:
        """Take the prior and the counts of the dataset."""
        self.dataset = dataset
        self.prior = prior
        self.total = sum(dataset)
        self._ids: list[dict[int, int]] = [{} for _ in prior]
        self._pairs: dict[tuple[Fraction, int], int] = {}
        self._affinities: list[Ball] = []
        self._totals: dict[int, Ball] = {}

    def key(self, output: Counts) -> tuple[int, ...]:
        moved = []
        for index, (r, c) in enumerate(zip(output, self.dataset, strict=True)):
            if r != c:
                number = self._ids[index].get(r)
                moved.append(self._new(index, r) if number is None else number)
        moved.sort()
        return (sum(output), *moved)

    def _new(self, index: int, r: int) -> int:
        """Number the pair of parameters that coordinate ``index`` compares at count ``r``."""
        c = self.dataset[index]
        pair = self.prior[index] + min(c, r), abs(c - r)
        number = self._pairs.setdefault(pair, len(self._pairs))
        if number == len(self._affinities):
            self._affinities.append(_affinity(*pair))
        self._ids[index][r] = number
        return number

    def _affinity(self, key: Hashable) -> Ball:
        assert isinstance(key, tuple)
        affinity = ball(1)
        for number in key[1:]:
            affinity *= self._affinities[number]
        if key[0] != self.total:
            if key[0] not in self._totals:
                self._totals[key[0]] = 1 / _affinity(*self._total_pair(key[0]))
            affinity *= self._totals[key[0]]
        return affinity

    def _total_pair(self, total: int) -> tuple[Fraction, int]:
        return sum(self.prior, Fraction(0)) + min(total, self.total), abs(total - self.total)

    def order(self, key: Hashable) -> Ball:
        return ball(0) if self._is_zero(key) else -self._affinity(key).log()

    def value(self, key: Hashable) -> Ball:
        return ball(0) if self._is_zero(key) else (1 - self._affinity(key)).sqrt()

    def _is_zero(self, key: Hashable) -> bool:
        return key == (self.total,)

    def differ(self, first: Hashable, second: Hashable) -> bool | None:
        return self.form(first).differs_from(self.form(second))

    def form(self, key: Hashable) -> SquaredAffinity:
        """Return (1 − H²)² in exact form."""
        assert isinstance(key, tuple)
        pairs = list(self._pairs)
        form = SquaredAffinity(Fraction(1))
        for number in key[1:]:
            form *= coordinate_form(*pairs[number])
        return form if key[0] == self.total else form * total_form(*self._total_pair(key[0]))

    def exact(self, key: Hashable) -> Real | None:
        affinity = self.form(key).root()
        return None if affinity is None else (ONE - affinity).sqrt()


def _affinity(s: Fraction, d: int) -> Ball:
    """Return G(s, s + d)."""
    return gamma(s + Fraction(d, 2)) * (gamma(s) * gamma(s + d)).rsqrt()


def metric_of(metric: str, prior: tuple[Fraction, ...]) -> Callable[[Counts], Metric]:
    """Return what makes the error called ``metric`` at a dataset."""
    if metric == "l1":
        return L1Distance
    return lambda dataset: HellingerDistance(prior, dataset)


def steps_between(dataset: Counts, output: Counts) -> int:
    """Return how many records are moved, or added or removed, from one to the other.

    With equal totals that is ½·‖output − dataset‖₁, the steps of N §3.4.1.

    >>> steps_between((4, 4), (6, 2)), steps_between((4, 4), (3, 0))
    (2, 5)
    """
    moved: int = sum(map(abs, map(sub, output, dataset)))
    return (moved + abs(sum(output) - sum(dataset))) // 2

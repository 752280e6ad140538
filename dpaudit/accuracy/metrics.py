"""How wrong an output is: the Hellinger distance of posteriors, and the ℓ1 distance of counts.

An error has a *key* that costs little: outputs with equal keys have exactly equal errors.  Keys are
then told apart by balls of a quantity that orders the errors, and where balls overlap by an exact
form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.accuracy.squared_affinity import SquaredAffinity, coordinate_form, total_form
from dpaudit.numbers.ball import Ball, ball, gamma
from dpaudit.numbers.real import ONE, Real, rational

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from dpaudit.data.histograms import Counts

__all__ = ["METRICS", "HellingerDistance", "L1Distance", "Metric", "metric_of", "steps_between"]

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
    def differ(self, left: Hashable, right: Hashable) -> bool | None:
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

    def differ(self, left: Hashable, right: Hashable) -> bool:
        return left != right

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
                known = self._ids[index].get(r)
                moved.append(self._new(index, r) if known is None else known)
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

    def differ(self, left: Hashable, right: Hashable) -> bool | None:
        return self.form(left).differs_from(self.form(right))

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
    up = sum(max(r - c, 0) for r, c in zip(output, dataset, strict=True))
    down = sum(max(c - r, 0) for r, c in zip(output, dataset, strict=True))
    return max(up, down)

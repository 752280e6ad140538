"""Randomised response, over two answers (Warner 1965) and over k (Kairouz et al. 2014)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, exp
from typing import TYPE_CHECKING, ClassVar

from dpaudit.errors import ParameterError
from dpaudit.laws.closed_over_epsilon import ClosedFamily
from dpaudit.laws.deltas_over import ClosedDeltas, DeltaFamily, PairForms
from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.mechanisms.classics import base as classic
from dpaudit.mechanisms.parameters import ChoiceParameter
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.expsum import ExpSum
from dpaudit.numbers.real import ONE, Real, complement, rational

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from dpaudit.laws.over_epsilon import EpsilonFamily


__all__ = ["KRR", "RR"]

ROW = ("randomised by each user", "RR kRR")

TRUTH = classic.CalibratedParameter(
    "truth",
    "the probability of the true answer",
    classic.CALIBRATED,
    "the definition computes it from ε",
)


class RandomisedAnswer(classic.CountsInBase, classic.LocalMechanism):
    """A mechanism that shows one of the values that a user may have."""

    @abstractmethod
    def table(self, value: int) -> Table:
        """Return the law of the answer of a user who has ``value``."""

    def law(self, dataset: int) -> IndependentLaw:
        return IndependentLaw((_table(self, dataset),), bare=True)


def _told_apart(k: int) -> ClosedFamily:
    """Return the family of answers with weights e^ε for the true one, 1 for each of the others."""
    true, false = ExpSum.term(1, s=-1), ExpSum.term(1)
    losses = [(true, false), (false, true), *([(false, false)] if k > 2 else [])]
    return ClosedFamily(losses, Fraction(1), comb(k, 2))


def _deltas_apart(k: int) -> ClosedDeltas:
    """Return δ of the same: all pairs of values are alike."""
    true, false = ExpSum.term(1, s=-1), ExpSum.term(1)
    total = true + ExpSum.term(k - 1)
    masses = [(true, false, total), (false, true, total)]
    masses += [(ExpSum.term(k - 2), ExpSum.term(k - 2), total)] if k > 2 else []
    return ClosedDeltas([PairForms(0, 1, tuple(masses))], comb(k, 2), lambda one: one, Fraction(1))


@lru_cache(maxsize=1 << 12)
def _table(mechanism: RandomisedAnswer, value: int) -> Table:
    return mechanism.table(value)


@dataclass(frozen=True)
class RR(RandomisedAnswer):
    """Randomised response: one yes/no answer, true more often than not."""

    epsilon: Real
    truth: Real | str
    coin: str
    base: str

    name: ClassVar = "RR"
    source: ClassVar = (
        'Warner 1965, "Randomized response"; with two coins, Dwork and Roth 2014, §3.2'
    )
    definition: ClassVar = "P(x) = e^ε/(1 + e^ε), P(1 − x) = 1/(1 + e^ε); one user, n = 1"
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (
        classic.EPSILON,
        TRUTH,
        ChoiceParameter(
            "coin",
            "the fair second coin, which answers where the first does not tell the truth",
            "tossed",
            "it is what the definition says",
            (
                ("tossed", "it is tossed every time it is needed"),
                ("left", "a mistake: it is never tossed, and always says 1"),
            ),
        ),
        classic.BASE,
    )

    def __post_init__(self) -> None:
        """Refuse a truth that two coins cannot give."""
        if self.coin == "left" and (self._spread()).sign() is not Sign.POSITIVE:
            raise ParameterError(
                "truth", f"truth = {self.truth}: must be above 1/2 for two coins (coin = left)"
            )

    @property
    def values_of_a_user(self) -> Sequence[int]:
        return (0, 1)

    def draw(self, dataset: int, size: int, rng: Generator) -> NDArray[np.int64]:
        true, _, total = self._answers()
        truth = float(true) / float(total)
        if truth < 0.5:  # one coin, which lies more often than not
            told = classic.toss(truth, size, rng)
            return dataset * told + (1 - dataset) * ~told
        told = classic.toss(2 * truth - 1, size, rng)
        coin = 1 if self.coin == "left" else classic.toss(0.5, size, rng)
        return dataset * told + coin * ~told

    def _answers(self) -> tuple[Real, Real, Real]:
        """Return the weights of the true and the false answer, and their sum."""
        if isinstance(self.truth, Real):
            return self.truth, complement(self.truth), ONE
        weight = self.rate.exp()
        return weight, ONE, ONE + weight

    def _spread(self) -> Real:
        """Return the weight with which the first coin tells the truth."""
        true, false, _ = self._answers()
        return true - false

    def table(self, value: int) -> Table:
        true, false, total = self._answers()
        if self.coin == "left":  # the second coin always says 1
            if value == 1:
                return Table({1: total}, total)
            return Table({0: self._spread(), 1: rational(2) * false}, total)
        return Table({value: true, 1 - value: false}, total)

    def over_epsilon(self, n: int) -> EpsilonFamily | None:
        calibrated = self.truth == classic.CALIBRATED and self.coin == "tossed"
        return _told_apart(2) if calibrated and self.base == "e" else None

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        known = parameter == "epsilon" and self.over_epsilon(n) is not None
        return _deltas_apart(2) if known else None


@dataclass(frozen=True)
class KRR(RandomisedAnswer):
    """k-ary randomised response: the true one of k values, or any of the others alike."""

    pairs_alike: ClassVar = True
    epsilon: Real
    k: int
    truth: Real | str
    base: str

    name: ClassVar = "kRR"
    source: ClassVar = (
        'Kairouz, Oh and Viswanath 2014, "Extremal mechanisms for local differential privacy"'
    )
    definition: ClassVar = (
        "P(x) = e^ε/(k − 1 + e^ε), P(r) = 1/(k − 1 + e^ε), r ≠ x; one user, n = 1"
    )
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (classic.EPSILON, classic.VALUES, TRUTH, classic.BASE)

    @property
    def values_of_a_user(self) -> Sequence[int]:
        return range(self.k)

    def draw(self, dataset: int, size: int, rng: Generator) -> NDArray[np.int64]:
        if isinstance(self.truth, Real):
            truth = float(self.truth)
        else:
            weight = exp(float(self.rate))
            truth = weight / (self.k - 1 + weight)
        lie = ~classic.toss(truth, size, rng)
        return (dataset + lie * (1 + rng.integers(self.k - 1, size=size))) % self.k

    def table(self, value: int) -> Table:
        others = rational(self.k - 1)
        if isinstance(self.truth, Real):
            true, false, total = self.truth, complement(self.truth) / others, ONE
        else:
            weight = self.rate.exp()
            true, false, total = weight, ONE, others + weight
        return Table({other: true if other == value else false for other in range(self.k)}, total)

    def over_epsilon(self, n: int) -> EpsilonFamily | None:
        calibrated = self.truth == classic.CALIBRATED
        return _told_apart(self.k) if calibrated and self.base == "e" else None

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        known = parameter == "epsilon" and self.over_epsilon(n) is not None
        return _deltas_apart(self.k) if known else None

"""RAPPOR: a Bloom filter whose bits are randomised for good, and again for each report.

Erlingsson, Pihur and Korolova 2014, "RAPPOR: Randomized aggregatable privacy-preserving ordinal
response".  A value sets h of the bits of a Bloom filter.  The permanent response keeps a bit with
probability 1 − f, and else makes it 1 or 0 by a fair coin; each report shows a permanent 1 as 1
with probability q, a permanent 0 with probability p.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, ClassVar, Self

from dpaudit.errors import ParameterError
from dpaudit.laws.independent import IndependentLaw, Table, log_ratio
from dpaudit.mechanisms.classics import unary_encoding as encoding
from dpaudit.mechanisms.classics.base import LocalMechanism, UnitParameter
from dpaudit.mechanisms.parameters import (
    ChoiceParameter,
    PositiveParameter,
    ProbabilityParameter,
    WholeParameter,
)
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, ZERO, Real, rational
from dpaudit.results import Budget

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from dpaudit.laws.explicit import ExplicitLaw
    from dpaudit.mechanisms.classics.unary_encoding import Bits


__all__ = ["RAPPOR", "PermanentRAPPOR", "longitudinal_epsilon"]

ROW = ("randomised by each user", "RAPPOR PermanentRAPPOR")

MAX_VALUES = 300
"""Largest number of values of a user that can all be audited, if their pairs differ."""
MAX_VALUES_ALIKE = 1000
"""Largest number of values if all pairs are alike."""

F = ProbabilityParameter(
    "f",
    "the probability that the permanent response replaces a bit by a fair coin",
    "1/2",
    "as in the paper's simulations",
)
HASHES = WholeParameter(
    "hashes",
    "h, how many bits of the Bloom filter a value sets",
    "2",
    "as in the paper's simulations",
    1,
    1000,
)
BITS = WholeParameter(
    "bits",
    "the number of bits of the Bloom filter",
    "8",
    "bits that neither value sets add no privacy loss, so a few bits are enough",
    2,
    4096,
)
INPUTS = ChoiceParameter(
    "inputs",
    "which values a user may have",
    "disjoint",
    "values that share bits differ in fewer bits; no pair has a larger loss than a disjoint one",
    (
        ("disjoint", "two, that set h bits each and none in common"),
        ("all", "all that set one to h bits, since hashes may collide"),
    ),
)


EPSILON = PositiveParameter(
    "epsilon",
    "ε∞, the ε of the permanent response, in place of f: f = 2/(1 + e^(ε/(2h))), from ε∞ = "
    "2h·ln((1 − f/2)/(f/2)) (Erlingsson et al. 2014, Theorem 1)",
    "that of f",
    "f is the paper's parameter",
)


@dataclass(frozen=True)
class BloomFilter(LocalMechanism):
    """A mechanism that randomises the bits of a Bloom filter."""

    f: Real
    hashes: int
    bits: int
    inputs: str

    shorthands: ClassVar = (EPSILON,)

    @classmethod
    def build(cls, given: Mapping[str, object]) -> Self:
        """Return the mechanism; ``epsilon`` stands for the f that gives this ε∞."""
        given = dict(given)
        epsilon = given.pop("epsilon", None)
        if epsilon is not None:
            if "f" in given:
                raise ParameterError(
                    "epsilon", f"epsilon = {epsilon}: f follows from epsilon; give one of the two"
                )
            rate = EPSILON.read(epsilon)
            hashes = HASHES.read(given.get(HASHES.name, HASHES.default))
            odds = (rate / rational(2 * hashes)).exp()
            given["f"] = rational(2) / (ONE + odds)
        return super().build(given)

    def __post_init__(self) -> None:
        """Refuse a filter that is too small, or a list of values that is too long."""
        if self.inputs == "disjoint" and self.bits < 2 * self.hashes:
            raise ParameterError(
                "bits",
                f"bits = {self.bits}: two values that set {self.hashes} bits each, none in "
                f"common, need at least {2 * self.hashes}",
            )
        if self.bits <= self.hashes:
            raise ParameterError(
                "hashes", f"hashes = {self.hashes}: must be below the number of bits, {self.bits}"
            )
        if self.inputs == "all":
            count = sum(comb(self.bits, size) for size in range(1, self.hashes + 1))
            most = MAX_VALUES_ALIKE if self.has_alike_pairs else MAX_VALUES
            if count > most:
                raise ParameterError(
                    "inputs",
                    f"inputs = all: {count} possible Bloom filters of {self.bits} bits with 1 to "
                    f"{self.hashes} ones; the limit is {most}; inputs = disjoint has no limit, and "
                    "no pair of values loses more",
                )

    @property
    def has_alike_pairs(self) -> bool:
        """True if every value sets one bit: to rename values then moves bits."""
        return self.hashes == 1

    @property
    def values_of_a_user(self) -> Sequence[Bits]:
        if self.inputs == "disjoint":
            first = range(self.hashes)
            return [self._bits(first), self._bits(range(self.hashes, 2 * self.hashes))]
        return [
            self._bits(chosen)
            for size in range(1, self.hashes + 1)
            for chosen in combinations(range(self.bits), size)
        ]

    def _bits(self, chosen: Sequence[int]) -> Bits:
        return tuple(int(index in chosen) for index in range(self.bits))

    def entries(self, n: int) -> int:
        return (self.hashes + 1) ** 2


def _permanent(f: Real, bit: int) -> tuple[Real, Real, Real]:
    """Return the weights of a permanent 1 and a permanent 0 of ``bit``, and their sum.

    They are 1 − f/2 and f/2 times 2/f, so that their quotient is e^(ε∞/2h) itself where f was
    computed from ε∞.
    """
    total = rational(2) / f
    return (total - ONE, ONE, total) if bit else (ONE, total - ONE, total)


@dataclass(frozen=True)
class PermanentRAPPOR(BloomFilter):
    """RAPPOR's permanent response: what all reports together can give away, and one-time RAPPOR."""

    coin: str

    name: ClassVar = "PermanentRAPPOR"
    source: ClassVar = "Erlingsson, Pihur and Korolova 2014, §2; §3.1, Theorem 1"
    definition: ClassVar = (
        "each of the bits of a Bloom filter is kept with probability 1 − f, else a fair coin; "
        "one user, n = 1"
    )
    guarantee: ClassVar = "ε∞-differentially private, ε∞ = 2h·ln((1 − f/2)/(f/2)), for any reports"
    parameters: ClassVar = (F, HASHES, BITS, INPUTS, encoding.COIN)

    def __post_init__(self) -> None:
        """Refuse a law that is too long to be written out."""
        super().__post_init__()
        if self.coin == "left":
            encoding.check_shared_bits(self.bits, "bits")

    @property
    def stated(self) -> Budget:
        return Budget(longitudinal_epsilon(self.f, self.hashes), ZERO)

    def draw(self, dataset: Bits, size: int, rng: Generator) -> NDArray[np.int64]:
        f = float(self.f)
        if self.coin == "left":
            return encoding.shared_coin_bits(dataset, 1 - f, size, rng)
        return encoding.randomised_bits([dataset] * size, 1 - f / 2, f / 2, rng)

    def law(self, dataset: Bits) -> IndependentLaw | ExplicitLaw:
        if self.coin == "left":
            return encoding.shared_coin_law(dataset, ONE - self.f, self.f)
        one, zero = (encoding.bit_table(*_permanent(self.f, bit)) for bit in (1, 0))
        return encoding.bitwise_law(dataset, one, zero)


@dataclass(frozen=True)
class RAPPOR(BloomFilter):
    """RAPPOR's reports: the permanent response, randomised again for every report."""

    p: Real
    q: Real
    reports: int

    name: ClassVar = "RAPPOR"
    source: ClassVar = "Erlingsson, Pihur and Korolova 2014, §2; §3.2, Theorem 2"
    definition: ClassVar = (
        "a permanent bit B′ (as PermanentRAPPOR) is shown as 1 with probability q if it is 1, "
        "p if it is 0; several reports show, for each bit, how often it is 1; one user, n = 1"
    )
    guarantee: ClassVar = (
        "one report: ε₁ = h·ln(q*(1 − p*)/(p*(1 − q*))), q* = f(p + q)/2 + (1 − f)q, "
        "p* = f(p + q)/2 + (1 − f)p; several: ε∞ of PermanentRAPPOR"
    )
    parameters: ClassVar = (
        F,
        HASHES,
        BITS,
        INPUTS,
        UnitParameter(
            "p",
            "the probability that a permanent 0 is shown as 1",
            "1/2",
            "as in the paper's simulations",
        ),
        UnitParameter(
            "q",
            "the probability that a permanent 1 is shown as 1",
            "3/4",
            "as in the paper's simulations",
        ),
        WholeParameter(
            "reports",
            "how many reports of one value the adversary sees",
            "1",
            "the stated ε₁ is for one report",
            1,
            64,
        ),
    )

    def __post_init__(self) -> None:
        """Refuse reports that show a 0 as 1 as often as a 1."""
        super().__post_init__()
        if (self.q - self.p).sign() is not Sign.POSITIVE:
            raise ParameterError(
                "q", f"q = {self.q}: must be above p = {self.p}, so that a 1 is shown more often"
            )

    @property
    def stated(self) -> Budget:
        if self.reports > 1:
            return Budget(longitudinal_epsilon(self.f, self.hashes), ZERO)
        one, zero = (self.report(bit) for bit in (1, 0))
        shown = log_ratio(one.probability(1), zero.probability(1))
        hidden = log_ratio(zero.probability(0), one.probability(0))
        return Budget(rational(self.hashes) * (shown + hidden), ZERO)

    def draw(self, dataset: Bits, size: int, rng: Generator) -> NDArray[np.int64]:
        f, p, q = float(self.f), float(self.p), float(self.q)
        permanent = encoding.randomised_bits([dataset] * size, 1 - f / 2, f / 2, rng)
        shown = permanent * 0
        for _ in range(self.reports):
            shown += encoding.randomised_bits(permanent, q, p, rng)
        return shown

    def law(self, dataset: Bits) -> IndependentLaw:
        return encoding.bitwise_law(dataset, self.report(1), self.report(0))

    def report(self, bit: int) -> Table:
        """Return the law of how often a ``bit`` is reported as 1."""
        return _report(self.f, self.p, self.q, self.reports, bit)


@lru_cache(maxsize=1 << 8)
def _report(f: Real, p: Real, q: Real, reports: int, bit: int) -> Table:
    one, zero, total = _permanent(f, bit)
    weights: dict[Hashable, Real] = {
        ones: rational(comb(reports, ones))
        * (
            one * q**ones * (ONE - q) ** (reports - ones)
            + zero * p**ones * (ONE - p) ** (reports - ones)
        )
        for ones in range(reports + 1)
    }
    return Table(weights, total)


def longitudinal_epsilon(f: Real, hashes: int) -> Real:
    """Return ε∞ = 2h·ln((1 − f/2)/(f/2)) (Erlingsson et al. 2014, Theorem 1).

    >>> print(longitudinal_epsilon(rational(1) / rational(2), 2))
    4*ln(3)
    """
    kept, turned, _ = _permanent(f, 1)
    return rational(2 * hashes) * log_ratio(kept, turned)

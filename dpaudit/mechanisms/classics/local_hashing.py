"""Local hashing: a user draws a hash function, and answers with its value in few buckets.

Wang, Blocki, Li and Jha 2017, "Locally differentially private protocols for frequency estimation"
(USENIX Security), §4.4: the report is ⟨H, y⟩, with H from a universal family, and y the bucket
H(x) randomised as by kRR.  Optimal local hashing has about e^ε + 1 buckets, binary local hashing 2.

The paper leaves the family open.  Here it is that of Carter and Wegman 1979, "Universal classes of
hash functions", which is universal and short to report: H(x) = ((a·x + b) mod p) mod g, with
1 ≤ a < p and 0 ≤ b < p, where p is the least prime that is at least k and g.  For two values x ≠ y
the pair (a·x + b, a·y + b) mod p takes every pair of different numbers below p once.  So the
collisions of any two values are equally many, and all pairs of values are alike.  The pair (0, 1)
is always in two buckets, so some function separates the two values, and the mechanism realises
exactly its ε.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, product
from math import exp, isqrt
from typing import TYPE_CHECKING, ClassVar

from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms import parameters
from dpaudit.mechanisms.classics import base as classic
from dpaudit.mechanisms.classics.supporting import Kind, SupportMechanism
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import Real, order, rational

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["BLH", "OLH", "LocalHashing"]

ROW = ("randomised by each user", "OLH BLH")

MOST_BUCKETS = 10**6


@dataclass(frozen=True, slots=True)
class BucketsParameter(parameters.Parameter):
    """A whole number of at least two, or the one that the definition makes of ε."""

    def read(self, value: object) -> int | str:
        if value == classic.CALIBRATED:
            return classic.CALIBRATED
        whole = parameters.WholeParameter(self.name, "", "", "", 2, MOST_BUCKETS)
        try:
            return whole.read(value)
        except DomainError:
            raise DomainError(self.name, value, f"must be {self.allowed}") from None

    @property
    def allowed(self) -> str:
        return f"a whole number from 2 to {MOST_BUCKETS}, or {classic.CALIBRATED}"


@lru_cache(maxsize=1 << 8)
def _best_buckets(epsilon: Real) -> int:
    """Return ⌊e^ε + 1/2⌋ + 1, at most ``MOST_BUCKETS``."""
    if order(epsilon, rational(MOST_BUCKETS).ln()) is not Sign.NEGATIVE:
        return MOST_BUCKETS
    odds = epsilon.exp()
    nearest = round(float(odds))
    for whole in (nearest - 1, nearest, nearest + 1):
        below, above = (order(odds, rational(2 * whole + step) / rational(2)) for step in (-1, 1))
        if below in (Sign.ZERO, Sign.POSITIVE) and above is Sign.NEGATIVE:
            return min(whole + 1, MOST_BUCKETS)
    raise ParameterError(
        "g", f"the whole number nearest to e^ε is undecided for ε = {epsilon}; give --g"
    )


@lru_cache(maxsize=1 << 8)
def _least_prime(least: int) -> int:
    return next(
        number
        for number in count(max(least, 2))
        if all(number % divisor for divisor in range(2, isqrt(number) + 1))
    )


@dataclass(frozen=True)
class LocalHashing(SupportMechanism):
    """A hash function drawn by the user, and the bucket of the value, randomised."""

    @property
    @abstractmethod
    def buckets(self) -> int:
        """The number g of buckets."""

    @property
    def prime(self) -> int:
        """The least prime that is at least k and g."""
        return _least_prime(max(self.k, self.buckets))

    def _bucket(self, a: int, b: int, value: int) -> int:
        return (a * value + b) % self.prime % self.buckets

    def supports(self, output: Hashable, value: int) -> bool:
        assert isinstance(output, tuple)
        a, b, bucket = output
        return bool(self._bucket(a, b, value) == bucket)

    def is_output(self, output: Hashable) -> bool:
        if not isinstance(output, tuple) or len(output) != 3:
            return False
        ends = (range(1, self.prime), range(self.prime), range(self.buckets))
        pairs = zip(output, ends, strict=True)
        return all(type(number) is int and number in allowed for number, allowed in pairs)

    def kinds(self, x: int, y: int) -> dict[Kind, tuple[int, Hashable]]:
        p, g = self.prime, self.buckets
        functions = p * (p - 1)
        if x == y:
            return {
                (True, True): (functions, (1, 0, self._bucket(1, 0, x))),
                (False, False): (functions * (g - 1), (1, 0, (self._bucket(1, 0, x) + 1) % g)),
            }
        full, more = divmod(p, g)  # so many buckets have one number more than the others
        alike = more * (full + 1) * full + (g - more) * full * (full - 1)
        apart = self._function(x, y, 1)
        found: dict[Kind, tuple[int, Hashable]] = {}
        if alike:
            found[True, True] = alike, (*self._function(x, y, g), 0)
        found[True, False] = functions - alike, (*apart, 0)
        found[False, True] = functions - alike, (*apart, 1)
        if neither := functions * (g - 2) + alike:
            example = (*apart, 2) if g > 2 else (*self._function(x, y, g), 1)
            found[False, False] = neither, example
        return found

    def _function(self, x: int, y: int, target: int) -> tuple[int, int]:
        """Return a and b of the function that takes x to 0 and y to ``target``, before mod g."""
        p = self.prime
        a = target * pow(y - x, -1, p) % p
        return a, -a * x % p

    def all_outputs(self) -> Iterator[Hashable]:
        return product(range(1, self.prime), range(self.prime), range(self.buckets))

    def draw(self, dataset: int, size: int, rng: Generator) -> NDArray[np.int64]:
        import numpy as np

        p, g = self.prime, self.buckets
        a, b = rng.integers(1, p, size=size), rng.integers(p, size=size)
        weight = exp(float(self.epsilon))
        lies = ~classic.toss(weight / (weight + g - 1), size, rng)
        hashed = (a * dataset + b) % p % g
        shown = (hashed + lies * rng.integers(1, g, size=size)) % g
        return np.stack([a, b, shown], axis=1)


_SOURCE = (
    'Wang, Blocki, Li and Jha 2017, "Locally differentially private protocols for frequency '
    'estimation", §4.4; the hash functions of Carter and Wegman 1979, "Universal classes of hash '
    'functions"'
)
_FAMILY = (
    "H(v) = ((a·v + b) mod p) mod g, 1 ≤ a < p and 0 ≤ b < p drawn uniformly, p the least prime "
    "that is at least k and g; the output is (a, b, r) with P(r = H(x)) = e^ε/(e^ε + g − 1), every "
    "other r of g is equally likely"
)


@dataclass(frozen=True)
class OLH(LocalHashing):
    """Optimal local hashing: about e^ε + 1 buckets."""

    g: int | str

    name: ClassVar = "OLH"
    source: ClassVar = _SOURCE
    definition: ClassVar = f"{_FAMILY}; one user, n = 1"
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (
        classic.EPSILON,
        classic.VALUES,
        BucketsParameter(
            "g",
            "the number of buckets; calibrated is the whole number nearest to e^ε + 1, at most "
            f"{MOST_BUCKETS}",
            classic.CALIBRATED,
            "it has the least variance",
        ),
    )

    @property
    def buckets(self) -> int:
        return _best_buckets(self.epsilon) if isinstance(self.g, str) else self.g


@dataclass(frozen=True)
class BLH(LocalHashing):
    """Binary local hashing: two buckets."""

    name: ClassVar = "BLH"
    source: ClassVar = _SOURCE
    definition: ClassVar = f"{_FAMILY}; g = 2; one user, n = 1"
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (classic.EPSILON, classic.VALUES)

    @property
    def buckets(self) -> int:
        return 2

"""Randomised response, subset selection, Hadamard response and local hashing a second time.

The dataset is the value of one user, and any two values are neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb, isqrt
from typing import Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.definition import BASES, CALIBRATED, OfBase, Parametrised, hold
from dpaudit.recheck.histograms import WORDS_OF_ONE_USER
from dpaudit.recheck.numbers import order, whole_numbers, whole_tuple

__all__ = ["BLH", "COINS", "KRR", "OLH", "RR", "HadamardResponse", "OneUser", "SubsetSelection"]

COINS = ("tossed", "left")


def whole_number(shown: Any) -> int:
    """Return a whole number as it is; ``ValueError`` for anything else."""
    if type(shown) is not int:
        raise ValueError(f"{shown} is not a whole number")
    return shown


class OneUser(Parametrised):
    """Base of mechanisms of one user: there is one size, 1, and one relation."""

    relations = ("all",)
    old_relations: ClassVar = WORDS_OF_ONE_USER

    def check_coin(self, name: str) -> None:
        """Hold a probability above 1/2: the first of two coins is to tell the truth at times."""
        text = self.parameters[name]
        hold(text == CALIBRATED or order(text, "1/2") > 0, f"{name} is not above 1/2")

    @abstractmethod
    def values(self) -> Sequence[Any]:
        """Return all values that a user may have."""

    @abstractmethod
    def read(self, reported: Any) -> Any:
        """Return a value, or an output, that a report shows so."""

    def dataset(self, reported: Any, n: int) -> Any:
        value = self.read(reported)
        if n != 1 or value not in self.values():
            raise ValueError(f"{reported} is not a value of one user, n = {n}")
        return value

    def output(self, reported: Any) -> Any:
        return self.read(reported)

    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        datasets = len(self.values())
        return datasets, comb(datasets, 2) if at is None else len(self.pairs(n, relation, at))

    def adjacent(self, x: Any, y: Any, n: int, relation: str) -> bool:
        return bool(x != y)

    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Any, Any]]:
        every = list(combinations(self.values(), 2))
        if at is None:
            return every
        if at == "uniform":
            raise ValueError("one user has no uniform data")
        numbers = whole_numbers(at)
        only = numbers[0] if len(numbers) == 1 and isinstance(self.values()[0], int) else numbers
        return [pair for pair in every if only in pair]


class _Response(OfBase, OneUser):
    """One of k values, the true one more likely than the others."""

    def read(self, shown: Any) -> int:
        return whole_number(shown)

    def values(self) -> Sequence[int]:
        return range(self.size)

    def output_count(self, n: int) -> int:
        return self.size

    @property
    def size(self) -> int:
        """k."""
        return self.whole("k")

    def answers(self) -> tuple[mpf, mpf]:
        """Return the probabilities of the true value and of another."""
        others, truth = self.size - 1, self.chance("truth")
        if truth is not None:
            return truth, (1 - truth) / others
        odds = mp.exp(self.run_with)
        return odds / (odds + others), 1 / (odds + others)


class RR(_Response):
    """Two answers."""

    defaults: ClassVar = {"epsilon": "4/5", "truth": "calibrated", "coin": "tossed", "base": "e"}
    numbers = ("epsilon", "truth")
    derived = ("truth",)
    readings: ClassVar = {"coin": COINS, "base": BASES}

    size = 2

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        if self.reading("coin") == "left":
            self.check_coin("truth")

    def probability(self, dataset: int, output: int) -> mpf:
        if output not in (0, 1):
            return mpf(0)
        true, false = self.answers()
        if self.reading("coin") == "tossed":
            return true if output == dataset else false
        truthful = true - false  # else the second coin answers, and it lies there showing 1
        return (truthful if output == dataset else 0) + (1 - truthful if output == 1 else 0)

    def masses(self, x: int, y: int) -> list[tuple[mpf, mpf]]:
        return [self.probabilities(x, y, output) for output in (0, 1)]


class KRR(_Response):
    """k answers."""

    defaults: ClassVar = {"epsilon": "4/5", "k": "4", "truth": "calibrated", "base": "e"}
    called: ClassVar = "kRR"
    numbers = ("epsilon", "truth")
    derived = ("truth",)
    wholes: ClassVar = {"k": (2, 1000)}
    readings: ClassVar = {"base": BASES}

    def probability(self, dataset: int, output: int) -> mpf:
        true, false = self.answers()
        return mpf(0) if output not in self.values() else true if output == dataset else false

    def masses(self, x: int, y: int) -> list[tuple[mpf, mpf]]:
        true, false = self.answers()
        if x == y:
            return [(mpf(1), mpf(1))]
        rest = (self.size - 2) * false
        return [(true, false), (false, true), *([(rest, rest)] if self.size > 2 else [])]


class SubsetSelection(OneUser):
    """A set of d of k values, e^ε times as likely if it has the true one (Ye and Barg 2018)."""

    defaults: ClassVar = {"epsilon": "4/5", "k": "4", "subset": "2"}
    wholes: ClassVar = {"k": (2, 1000), "subset": (1, 999)}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        self.k, self.d = self.whole("k"), self.whole("subset")
        hold(self.d < self.k, "subset is not below k")

    def values(self) -> Sequence[int]:
        return range(self.k)

    def read(self, shown: Any) -> int:
        return whole_number(shown)

    def output(self, shown: Any) -> tuple[int, ...]:
        return whole_tuple(shown, "values")

    def output_count(self, n: int) -> int:
        return comb(self.k, self.d)

    def chances(self) -> tuple[mpf, mpf]:
        """Return the probabilities of a set without the true value, and of one with it."""
        odds = mp.exp(self.number("epsilon"))
        total = comb(self.k - 1, self.d) + comb(self.k - 1, self.d - 1) * odds
        return 1 / total, odds / total

    def probability(self, dataset: int, output: tuple[int, ...]) -> mpf:
        is_output = sorted(set(output) & set(self.values())) == list(output)
        return self.chances()[dataset in output] if len(output) == self.d * is_output else mpf(0)

    def masses(self, x: int, y: int) -> list[tuple[mpf, mpf]]:
        chances = self.chances()
        others = self.k - len({x, y})
        kinds = [(p, q) for p in (False, True) for q in (False, True) if x != y or p == q]
        sizes = [self.d - (int(p) if x == y else p + q) for p, q in kinds]
        ways = [comb(others, size) if size >= 0 else 0 for size in sizes]
        return [(w * chances[p], w * chances[q]) for w, (p, q) in zip(ways, kinds, strict=True)]


class HadamardResponse(OneUser):
    """One of 2^m answers; those with an even number of common ones are likelier (Acharya 2019)."""

    defaults: ClassVar = {"epsilon": "4/5", "k": "4"}
    wholes: ClassVar = {"k": (2, 1000)}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        self.k, self.answers = self.whole("k"), 2
        while self.answers <= self.k:
            self.answers *= 2

    def values(self) -> Sequence[int]:
        return range(self.k)

    def read(self, shown: Any) -> int:
        return whole_number(shown)

    def output_count(self, n: int) -> int:
        return self.answers

    def probability(self, dataset: int, output: int) -> mpf:
        if not 0 <= output < self.answers:
            return mpf(0)
        odds = mp.exp(self.number("epsilon"))
        common = bin((dataset + 1) & output).count("1")
        return (1 if common % 2 else odds) / (self.answers // 2 * (1 + odds))

    def masses(self, x: int, y: int) -> list[tuple[mpf, mpf]]:
        return [self.probabilities(x, y, output) for output in range(self.answers)]


class _LocalHashing(OneUser):
    """⟨a, b, r⟩: a function of Carter and Wegman's family, and a randomised bucket of the value."""

    @property
    def k(self) -> int:
        """Number of values."""
        return self.whole("k")

    @property
    @abstractmethod
    def buckets(self) -> int:
        """g."""

    @property
    def prime(self) -> int:
        """The least prime that is neither below k nor below g."""
        number = max(self.k, self.buckets)
        while any(number % part == 0 for part in range(2, isqrt(number) + 1)):
            number += 1
        return number

    def values(self) -> Sequence[int]:
        return range(self.k)

    def read(self, shown: Any) -> int:
        return whole_number(shown)

    def output(self, shown: Any) -> tuple[int, ...]:
        return whole_tuple(shown, "numbers")

    def output_count(self, n: int) -> int:
        return self.prime * (self.prime - 1) * self.buckets

    def chances(self) -> tuple[mpf, mpf]:
        """Return the probabilities of the bucket of the value, and of each other bucket."""
        odds = mp.exp(self.number("epsilon"))
        return odds / (odds + self.buckets - 1), 1 / (odds + self.buckets - 1)

    def probability(self, dataset: int, output: tuple[int, ...]) -> mpf:
        p, g = self.prime, self.buckets
        if len(output) != 3:
            return mpf(0)
        a, b, shown = output
        if not (0 < a < p and 0 <= b < p and 0 <= shown < g):
            return mpf(0)
        true, false = self.chances()
        return (true if (a * dataset + b) % p % g == shown else false) / (p * (p - 1))

    def masses(self, x: int, y: int) -> list[tuple[mpf, mpf]]:
        """Return the probabilities by which of the two values the function takes to the bucket.

        a·x + b and a·y + b are different, and take every pair of different residues once.
        """
        p, g = self.prime, self.buckets
        true, false = self.chances()
        if x == y:
            return [(mpf(1), mpf(1))]
        sizes = [p // g + 1] * (p % g) + [p // g] * (g - p % g)
        alike = mpf(sum(size * (size - 1) for size in sizes)) / (p * (p - 1))
        apart = 1 - alike
        others = alike * (g - 1) + apart * (g - 2)
        return [
            (alike * true, alike * true),
            (apart * true, apart * false),
            (apart * false, apart * true),
            (others * false, others * false),
        ]


_HASHED: dict[str, tuple[int, int]] = {"k": (2, 1000)}
_MOST_BUCKETS = 10**6


class BLH(_LocalHashing):
    """Two buckets (Wang, Blocki, Li and Jha 2017)."""

    defaults: ClassVar = {"epsilon": "4/5", "k": "4"}
    wholes: ClassVar = _HASHED

    buckets = 2


class OLH(_LocalHashing):
    """About e^ε + 1 buckets (Wang, Blocki, Li and Jha 2017)."""

    defaults: ClassVar = {"epsilon": "4/5", "k": "4", "g": "calibrated"}
    wholes: ClassVar = _HASHED
    others = ("g",)

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        if parameters["g"] == CALIBRATED:
            self._buckets = self._nearest()
        else:
            self._buckets = self._whole("g", 2, _MOST_BUCKETS)

    @property
    def buckets(self) -> int:
        return self._buckets

    def _nearest(self) -> int:
        """Return the whole number nearest to e^ε + 1, the larger of two, at most a million."""
        text = str(self.parameters["epsilon"])
        low, high = 2, _MOST_BUCKETS
        while low < high:  # e^ε ≥ g − 3/2 holds up to the largest g
            middle = (low + high + 1) // 2
            if order(text, f"ln({2 * middle - 3}/2)") >= 0:
                low = middle
            else:
                high = middle - 1
        return low

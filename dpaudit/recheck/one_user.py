"""Randomised response and unary encodings a second time: every probability is a product of coins.

Warner 1965; Kairouz, Oh and Viswanath 2014; Wang, Blocki, Li and Jha 2017.  The dataset is the
value of one user, and any two values are neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.coins import Bits, Level, independent_masses, shared_coin
from dpaudit.recheck.failures import UnknownDefinitionError
from dpaudit.recheck.numbers import order, whole_numbers
from dpaudit.recheck.parametrised import CALIBRATED, Parametrised, hold
from dpaudit.recheck.relations import OLD_OF_ONE_USER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["KRR", "MOST_SHARED", "OUE", "RR", "SUE", "OfBits", "OneUser"]

_BASES = ("e", "2", "mixed")
_COINS = ("tossed", "left")
MOST_SHARED = 12


class OneUser(Parametrised):
    """What each user does alone: there is one size, 1, and one relation."""

    relations = ("all",)
    old_relations: ClassVar = OLD_OF_ONE_USER

    def told_by_a_coin(self, name: str) -> None:
        """Hold a probability above 1/2: the first of two coins is to tell the truth at times."""
        shown = self.parameters[name]
        hold(shown == CALIBRATED or order(shown, "1/2") > 0, f"{name} is not above 1/2")

    @abstractmethod
    def values(self) -> Sequence[Any]:
        """Return all values that a user may have."""

    @abstractmethod
    def read(self, shown: Any) -> Any:
        """Return a value, or an output, that a report shows so."""

    def dataset(self, shown: Any, n: int) -> Any:
        found = self.read(shown)
        if n != 1 or found not in self.values():
            raise ValueError(f"{shown} is no value of one user, n = {n}")
        return found

    def output(self, shown: Any) -> Any:
        return self.read(shown)

    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        datasets = len(self.values())
        return datasets, comb(datasets, 2) if at is None else len(self.pairs(n, relation, at))

    def adjacent(self, x: Any, y: Any, n: int, relation: str) -> bool:
        return bool(x != y)

    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Any, Any]]:
        found = list(combinations(self.values(), 2))
        if at is None:
            return found
        if at == "uniform":
            raise ValueError("one user has no uniform data")
        only = whole_numbers(at)
        return [pair for pair in found if only in pair]


class _Response(OneUser):
    """One of k values, the true one more likely than the others."""

    def read(self, shown: Any) -> int:
        if type(shown) is not int:
            raise ValueError(f"{shown} is no whole number")
        return shown

    def values(self) -> Sequence[int]:
        return range(self.size)

    def output_count(self, n: int) -> int:
        return self.size

    @property
    def size(self) -> int:
        """k."""
        return self.whole("k")

    def stated(self) -> tuple[mpf, mpf]:
        bits = self.reading("base") != "e"
        return self.number("epsilon") * (mp.log(2) if bits else 1), mpf(0)

    @property
    def odds(self) -> mpf:
        """The true value against one other, where ε gives it."""
        bits = self.reading("base") == "2"
        return mp.exp(self.number("epsilon") * (mp.log(2) if bits else 1))

    def answers(self) -> tuple[mpf, mpf]:
        """Return the probabilities of the true value and of another."""
        others, truth = self.size - 1, self.chance("truth")
        if truth is not None:
            return truth, (1 - truth) / others
        return self.odds / (self.odds + others), 1 / (self.odds + others)


class RR(_Response):
    """Two answers."""

    numbers = ("epsilon", "truth")
    derived = ("truth",)
    readings: ClassVar = {"coin": _COINS, "base": _BASES}

    size = 2

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        if self.reading("coin") == "left":
            self.told_by_a_coin("truth")

    def probability(self, dataset: int, output: int) -> mpf:
        if output not in (0, 1):
            return mpf(0)
        true, false = self.answers()
        if self.reading("coin") == "tossed":
            return true if output == dataset else false
        told = true - false  # else the second coin answers, and it lies there showing 1
        return (told if output == dataset else 0) + (1 - told if output == 1 else 0)

    def masses(self, x: int, y: int) -> list[tuple[mpf, mpf]]:
        return [self.probabilities(x, y, output) for output in (0, 1)]


class KRR(_Response):
    """k answers."""

    numbers = ("epsilon", "truth")
    derived = ("truth",)
    wholes: ClassVar = {"k": (2, 300)}
    readings: ClassVar = {"base": _BASES}

    def probability(self, dataset: int, output: int) -> mpf:
        true, false = self.answers()
        return mpf(0) if output not in self.values() else true if output == dataset else false

    def masses(self, x: int, y: int) -> list[tuple[mpf, mpf]]:
        true, false = self.answers()
        if x == y:
            return [(mpf(1), mpf(1))]
        rest = (self.size - 2) * false
        return [(true, false), (false, true), *([(rest, rest)] if self.size > 2 else [])]


class OfBits(OneUser):
    """A value written as bits; every bit is randomised alone, or all share one coin by mistake."""

    def read(self, shown: Any) -> Bits:
        if not isinstance(shown, list) or not all(type(bit) is int for bit in shown):
            raise ValueError(f"{shown} is no list of bits")
        return tuple(shown)

    @abstractmethod
    def levels(self, bit: int) -> Level:
        """Return the probability of what is shown of a ``bit``: 0, 1, … times 1."""

    def shared(self) -> tuple[mpf, mpf] | None:
        """Return the chances that a bit is kept, and that the shared coin replaces it."""
        return None

    @property
    @abstractmethod
    def length(self) -> int:
        """How many bits there are."""

    def probability(self, dataset: Bits, output: Bits) -> mpf:
        if len(output) != self.length:
            return mpf(0)
        shared = self.shared()
        if shared is not None:
            return shared_coin(dataset, output, *shared)
        levels = (self.levels(0), self.levels(1))
        if not all(0 <= shown < len(levels[0]) for shown in output):
            return mpf(0)
        return mp.fprod(levels[bit][shown] for bit, shown in zip(dataset, output, strict=True))

    def masses(self, x: Bits, y: Bits) -> list[tuple[mpf, mpf]]:
        shared = self.shared()
        if shared is None:
            return independent_masses(x, y, self.levels(1), self.levels(0))
        return [self.probabilities(x, y, output) for output in self._outputs()]

    def largest_loss(self, x: Bits, y: Bits) -> mpf:
        if self.shared() is not None:
            return super().largest_loss(x, y)
        one, zero = self.levels(1), self.levels(0)
        falls, rises = (
            sum(pair == step for pair in zip(x, y, strict=True)) for step in ((1, 0), (0, 1))
        )
        largest: mpf = falls * _largest(one, zero) + rises * _largest(zero, one)
        return largest

    def output_count(self, n: int) -> int:
        if self.shared() is None:
            strings: int = sum(chance > 0 for chance in self.levels(0)) ** self.length
            return strings
        first = self.values()[0]
        return sum(self.probability(first, output) > 0 for output in self._outputs())

    def _outputs(self) -> list[Bits]:
        places = range(self.length)
        return [tuple(number >> place & 1 for place in places) for number in range(2**self.length)]


def _largest(p: Level, q: Level) -> mpf:
    ratios = [(a / b if b > 0 else mp.inf) for a, b in zip(p, q, strict=True) if a > 0]
    return mp.log(max(ratios))


class _Unary(OfBits):
    """One of k bits is 1."""

    wholes: ClassVar = {"k": (2, 300)}

    @property
    def length(self) -> int:
        return self.whole("k")

    def values(self) -> list[Bits]:
        return [tuple(int(i == one) for i in range(self.length)) for one in range(self.length)]


class SUE(_Unary):
    """Both kinds of bits are kept with one probability."""

    numbers = ("epsilon", "p")
    derived = ("p",)
    readings: ClassVar = {"coin": _COINS}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        if self.reading("coin") == "left":
            self.told_by_a_coin("p")
            hold(self.length <= MOST_SHARED, f"at most {MOST_SHARED} bits share a coin")

    def kept(self) -> tuple[mpf, mpf]:
        """Return the probabilities that a bit is kept and that it is turned."""
        p, odds = self.chance("p"), mp.exp(self.number("epsilon") / 2)
        return (odds / (odds + 1), 1 / (odds + 1)) if p is None else (p, 1 - p)

    def levels(self, bit: int) -> Level:
        kept, turned = self.kept()
        return (turned, kept) if bit else (kept, turned)

    def shared(self) -> tuple[mpf, mpf] | None:
        if self.reading("coin") == "tossed":
            return None
        kept, turned = self.kept()
        return kept - turned, 2 * turned


class OUE(_Unary):
    """A 1 is shown by a fair coin unless told otherwise."""

    numbers = ("epsilon", "p", "q")
    derived = ("q",)

    def levels(self, bit: int) -> Level:
        p, q = self.chance("p"), self.chance("q")
        if p is None:
            raise UnknownDefinitionError(f"p is not {CALIBRATED} in an optimised unary encoding")
        if bit:
            return 1 - p, p
        odds = mp.exp(self.number("epsilon"))
        return (odds / (odds + 1), 1 / (odds + 1)) if q is None else (1 - q, q)

"""Bits shown by coins a second time: unary encodings and RAPPOR; probabilities are products.

Wang, Blocki, Li and Jha 2017; Erlingsson, Pihur and Korolova 2014, §2 and §3.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import comb, factorial, prod
from typing import Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.definition import CALIBRATED, hold
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.numbers import order, whole_tuple
from dpaudit.recheck.one_user import COINS, OneUser

__all__ = ["OUE", "RAPPOR", "SUE", "PermanentRAPPOR"]

Bits = tuple[int, ...]
Level = tuple[mpf, ...]
"""The probabilities that 0, 1, … times 1 is shown of a bit."""

_MOST_MASSES = 1_000_000
_MOST_SHARED = 12
_MOST_VALUES, _MOST_VALUES_ALIKE = 300, 1000


def shared_coin(bits: Bits, output: Bits, kept: mpf, coin: mpf) -> mpf:
    """Return P(output) where a bit is kept, or replaced by a fair coin that all bits share."""
    total = mpf(0)
    for face in (0, 1):
        chances = (
            kept * (answer == bit) + coin * (answer == face)
            for bit, answer in zip(bits, output, strict=True)
        )
        total += mp.fprod(chances) / 2
    return total


def independent_masses(x: Bits, y: Bits, one: Level, zero: Level) -> list[tuple[mpf, mpf]]:
    """Return (P_x, P_y) by how often each level is shown of the bits that differ.

    The bits that are equal have the same law on both sides, and add nothing.
    """
    falls = sum(a > b for a, b in zip(x, y, strict=True))
    rises = sum(a < b for a, b in zip(x, y, strict=True))
    # Counted before they are listed.
    ways = comb(falls + len(one) - 1, falls) * comb(rises + len(one) - 1, rises)
    if ways > _MOST_MASSES:
        raise UnknownDefinitionError(f"{ways} different losses are too many to list")
    return [
        (first[0] * second[1], first[1] * second[0])
        for first in _grouped(falls, one, zero)
        for second in _grouped(rises, one, zero)
    ]


def _grouped(count: int, one: Level, zero: Level) -> list[tuple[mpf, mpf]]:
    """Return the probabilities of what ``count`` bits show, if they are all 1 and if all 0."""
    groups = []
    for often in _compositions(count, len(one)):
        ways = factorial(count) // prod(map(factorial, often))
        groups.append(
            (
                ways * mp.fprod(p**times for p, times in zip(one, often, strict=True)),
                ways * mp.fprod(p**times for p, times in zip(zero, often, strict=True)),
            )
        )
    return groups


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Iterate over the ways to write ``total`` as so many counts."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


_FILTER = {"f": "1/2", "hashes": "2", "bits": "8", "inputs": "disjoint"}


class OfBits(OneUser):
    """A value written as bits; every bit is randomised alone, or all share one coin by mistake."""

    def read(self, reported: Any) -> Bits:
        return whole_tuple(reported, "bits")

    @abstractmethod
    def levels(self, bit: int) -> Level:
        """Return the probability of what is shown of a ``bit``: 0, 1, … times 1."""

    def shared(self) -> tuple[mpf, mpf] | None:
        """Return the chances that a bit is kept, and that the shared coin replaces it."""
        return None

    @property
    @abstractmethod
    def length(self) -> int:
        """Number of bits."""

    def probability(self, dataset: Bits, output: Bits) -> mpf:
        if len(output) != self.length:
            return mpf(0)
        shared = self.shared()
        if shared is not None:
            return shared_coin(dataset, output, *shared)
        levels = (self.levels(0), self.levels(1))
        if not all(0 <= level < len(levels[0]) for level in output):
            return mpf(0)
        return mp.fprod(levels[bit][level] for bit, level in zip(dataset, output, strict=True))

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

    wholes: ClassVar = {"k": (2, 1000)}

    @property
    def length(self) -> int:
        return self.whole("k")

    def values(self) -> list[Bits]:
        return [tuple(int(i == place) for i in range(self.length)) for place in range(self.length)]


class SUE(_Unary):
    """Both kinds of bits are kept with one probability."""

    defaults: ClassVar = {"epsilon": "4/5", "k": "4", "p": "calibrated", "coin": "tossed"}
    numbers = ("epsilon", "p")
    derived = ("p",)
    readings: ClassVar = {"coin": COINS}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        if self.reading("coin") == "left":
            self.check_coin("p")
            hold(self.length <= _MOST_SHARED, f"at most {_MOST_SHARED} bits share a coin")

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

    defaults: ClassVar = {"epsilon": "4/5", "k": "4", "p": "1/2", "q": "calibrated"}
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


class _Filter(OfBits):
    """The bits of a Bloom filter, of which a value sets some."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        hold(self.whole("hashes") < self.length, "there are too few bits")
        self._values = self._listed()

    @classmethod
    def spelled_out(cls, requested: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a request; ``epsilon`` stands for f = 2/(1 + e^(ε∞/2h))."""
        found = dict(requested)
        if "epsilon" in found and "f" not in found:
            epsilon = found.pop("epsilon")
            hashes = found.get("hashes", cls.defaults["hashes"])
            found["f"] = f"2/(1+exp(({epsilon})/(2*({hashes}))))"
        return found

    @property
    def length(self) -> int:
        return self.whole("bits")

    def values(self) -> list[Bits]:
        return self._values

    def _listed(self) -> list[Bits]:
        hashes, places = self.whole("hashes"), range(self.length)
        if self.reading("inputs") == "disjoint":
            hold(2 * hashes <= self.length, "two values without a common bit do not fit")
            starts = (0, hashes)
            return [tuple(int(s <= i < s + hashes) for i in places) for s in starts]
        many = sum(comb(self.length, size) for size in range(1, hashes + 1))
        most = _MOST_VALUES_ALIKE if hashes == 1 else _MOST_VALUES
        hold(many <= most, "there are too many values to list")
        return [
            tuple(int(i in chosen) for i in places)
            for size in range(1, hashes + 1)
            for chosen in combinations(places, size)
        ]

    def permanent(self, bit: int) -> mpf:
        """Return the probability that the permanent response of ``bit`` is 1."""
        half = self.number("f") / 2
        return 1 - half if bit else half

    def forever(self) -> tuple[mpf, mpf]:
        """Return ε∞ = 2h·ln((1 − f/2)/(f/2)) (Theorem 1)."""
        ratio = self.permanent(1) / self.permanent(0)
        return 2 * self.whole("hashes") * mp.log(ratio), mpf(0)


class PermanentRAPPOR(_Filter):
    """The permanent response."""

    defaults: ClassVar = {**_FILTER, "coin": "tossed"}
    numbers = ("f",)
    wholes: ClassVar = {"hashes": (1, 1000), "bits": (2, 4096)}
    readings: ClassVar = {"inputs": ("disjoint", "all"), "coin": COINS}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        few = self.length <= _MOST_SHARED or self.reading("coin") == "tossed"
        hold(few, f"at most {_MOST_SHARED} bits share a coin")

    def stated(self) -> tuple[mpf, mpf]:
        return self.forever()

    def levels(self, bit: int) -> Level:
        return 1 - self.permanent(bit), self.permanent(bit)

    def shared(self) -> tuple[mpf, mpf] | None:
        f = self.number("f")
        return None if self.reading("coin") == "tossed" else (1 - f, f)


class RAPPOR(_Filter):
    """Reports of the permanent response, each randomised again."""

    defaults: ClassVar = {**_FILTER, "p": "1/2", "q": "3/4", "reports": "1"}
    numbers = ("f", "p", "q")
    closed = ("p", "q")
    wholes: ClassVar = {"hashes": (1, 1000), "bits": (2, 4096), "reports": (1, 64)}
    readings: ClassVar = {"inputs": ("disjoint", "all")}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        hold(order(parameters["p"], parameters["q"]) < 0, "p is not below q")

    def stated(self) -> tuple[mpf, mpf]:
        if self.whole("reports") > 1:
            return self.forever()
        one, zero = self.answer_chance(1), self.answer_chance(0)
        return self.whole("hashes") * mp.log(one * (1 - zero) / (zero * (1 - one))), mpf(0)

    def answer_chance(self, bit: int) -> mpf:
        """Return q* for a 1 and p* for a 0 (§3.2)."""
        f, p, q = map(self.number, ("f", "p", "q"))
        return f * (p + q) / 2 + (1 - f) * (q if bit else p)

    def levels(self, bit: int) -> Level:
        reports, set_chance = self.whole("reports"), self.permanent(bit)
        return tuple(
            comb(reports, times)
            * mp.fsum(
                chance * answer**times * (1 - answer) ** (reports - times)
                for chance, answer in (
                    (set_chance, self.number("q")),
                    (1 - set_chance, self.number("p")),
                )
            )
            for times in range(reports + 1)
        )

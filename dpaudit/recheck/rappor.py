"""RAPPOR a second time, from Erlingsson, Pihur and Korolova 2014, §2 and §3."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.numbers import order
from dpaudit.recheck.one_user import MOST_SHARED, OfBits
from dpaudit.recheck.parametrised import hold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.recheck.coins import Bits, Level

__all__ = ["RAPPOR", "PermanentRAPPOR"]

_MOST_VALUES = 300


class _Filter(OfBits):
    """The bits of a Bloom filter, of which a value sets some."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        hold(self.whole("hashes") < self.length, "there are too few bits")
        self._values = self._listed()

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
        hold(many <= _MOST_VALUES, "there are too many values to list")
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

    numbers = ("f",)
    wholes: ClassVar = {"hashes": (1, 1000), "bits": (2, 4096)}
    readings: ClassVar = {"inputs": ("disjoint", "all"), "coin": ("tossed", "left")}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        few = self.length <= MOST_SHARED or self.reading("coin") == "tossed"
        hold(few, f"at most {MOST_SHARED} bits share a coin")

    def stated(self) -> tuple[mpf, mpf]:
        return self.forever()

    def levels(self, bit: int) -> Level:
        return 1 - self.permanent(bit), self.permanent(bit)

    def shared(self) -> tuple[mpf, mpf] | None:
        f = self.number("f")
        return None if self.reading("coin") == "tossed" else (1 - f, f)


class RAPPOR(_Filter):
    """Reports of the permanent response, each randomised again."""

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
        one, zero = self.seen(1), self.seen(0)
        return self.whole("hashes") * mp.log(one * (1 - zero) / (zero * (1 - one))), mpf(0)

    def seen(self, bit: int) -> mpf:
        """Return q* for a 1 and p* for a 0 (§3.2)."""
        f, p, q = map(self.number, ("f", "p", "q"))
        return f * (p + q) / 2 + (1 - f) * (q if bit else p)

    def levels(self, bit: int) -> Level:
        reports, one = self.whole("reports"), self.permanent(bit)
        return tuple(
            comb(reports, times)
            * mp.fsum(
                chance * shown**times * (1 - shown) ** (reports - times)
                for chance, shown in ((one, self.number("q")), (1 - one, self.number("p")))
            )
            for times in range(reports + 1)
        )

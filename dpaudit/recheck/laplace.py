"""LSZhang, LSDim, LSHist and the Laplace mechanism of N a second time (A Alg. 1–3; N §3.1; L).

Every probability is that of a range of Y ~ Lap(b) between integers.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.failures import UnknownDefinitionError
from dpaudit.recheck.integer_ranges import IntegerNoise
from dpaudit.recheck.over_histograms import OverHistograms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.recheck.histograms import Counts

__all__ = ["LSDim", "LSHist", "LSZhang", "NotesLaplace"]

_MOST_OUTPUTS = 1_000_000


class _Laplace(IntegerNoise, OverHistograms):
    """All four: rounded noise of scale 1/rate on the first ``noisy`` counts."""

    clamped = True

    @property
    def noisy(self) -> int:
        """How many counts get noise."""
        return self.k if self.parameters.get("coordinates") == "all" else self.k - 1

    @property
    def last_tells_n(self) -> bool:
        """Whether what is printed behind the noisy counts depends on n."""
        return self.noisy < self.k

    @property
    def rate(self) -> mpf:
        """1/b."""
        raise NotImplementedError

    def last(self, first: Counts, n: int) -> Counts:
        """Return what is printed behind the noisy counts."""
        return (min(max(n - sum(first), 0), n),)

    def output_count(self, n: int) -> int | None:
        return int((n + 1) ** self.noisy) if self.clamped else None

    def outputs(self, n: int) -> Iterable[Counts]:
        if not self.clamped:
            return super().outputs(n)
        firsts = product(range(n + 1), repeat=self.noisy)
        return (first + self.last(first, n) for first in firsts)

    def probability(self, dataset: Counts, output: Counts) -> mpf:
        n, first = sum(dataset), output[: self.noisy]
        if len(first) < self.noisy or first + self.last(first, n) != output:
            return mpf(0)
        ranges = zip(dataset, first, strict=False)
        return mp.fprod(self.mass(count, n, (r, r + 1)) for count, r in ranges)

    def masses(self, x: Counts, y: Counts) -> list[tuple[mpf, mpf]]:
        n, m = sum(x), sum(y)
        if n != m and self.last_tells_n:
            return self._listed(x, y)
        columns = [
            [(self.mass(a, n, part), self.mass(b, m, part)) for part in self.ranges(a, n, b, m)]
            for a, b in zip(x[: self.noisy], y, strict=False)
            if a != b or (self.clamped and n != m)
        ]
        return [
            (mp.fprod(p for p, _ in chosen), mp.fprod(q for _, q in chosen))
            for chosen in product(*columns)
        ]

    def _listed(self, x: Counts, y: Counts) -> list[tuple[mpf, mpf]]:
        """Return the masses output by output, where what is printed last depends on n."""
        if not self.clamped:
            return [(mpf(1), mpf(0)), (mpf(0), mpf(1))]  # the printed counts add up to n
        if (max(sum(x), sum(y)) + 1) ** self.noisy > _MOST_OUTPUTS:
            raise UnknownDefinitionError("there are too many outputs to list")
        outputs = {
            first + self.last(first, n)
            for n in (sum(x), sum(y))
            for first in product(range(n + 1), repeat=self.noisy)
        }
        return [(self.probability(x, r), self.probability(y, r)) for r in outputs]

    def tail(self, start: int) -> mpf:
        return mp.exp(-self.rate * start) / 2

    def below(self, end: int) -> mpf:
        return mp.exp(self.rate * end) / 2


class LSZhang(_Laplace):
    """A Alg. 1."""

    readings: ClassVar = {"coordinates": ("printed", "all")}
    last_tells_n = False

    @property
    def rate(self) -> mpf:
        return self.number("epsilon") / 2

    def last(self, first: Counts, n: int) -> Counts:
        return () if self.noisy == self.k else (0,)


class LSDim(_Laplace):
    """A Alg. 2."""

    @property
    def rate(self) -> mpf:
        return self.number("epsilon") / self.k


class LSHist(_Laplace):
    """A Alg. 3."""

    @property
    def rate(self) -> mpf:
        return self.number("epsilon") / (1 if self.k == 2 else 2)


class NotesLaplace(_Laplace):
    """N §3.1, §3.4.1; L."""

    readings: ClassVar = {"coordinates": ("printed", "all"), "rounding": ("floor", "toward-zero")}
    clamped = False

    def output(self, shown: Any) -> Counts:
        # Where the printed counts add up to n, a report of two sizes names no single output.
        return () if str(shown).startswith("any output") else super().output(shown)

    def probabilities(self, x: Counts, y: Counts, output: Counts) -> tuple[mpf, mpf]:
        if output == ():
            return mpf(1), mpf(0 if self.last_tells_n and sum(x) != sum(y) else 1)
        return super().probabilities(x, y, output)

    def below(self, end: int) -> mpf:
        """Return P(noise < end) for end ≤ 0; rounded toward zero it takes a whole unit more."""
        whole = self.reading("rounding") == "toward-zero"
        return mp.exp(self.rate * (end - whole)) / 2

    @property
    def rate(self) -> mpf:
        return self.number("epsilon") / 2

    def last(self, first: Counts, n: int) -> Counts:
        return () if self.noisy == self.k else (n - sum(first),)

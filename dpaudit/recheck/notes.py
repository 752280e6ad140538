"""The mechanisms of the notes a second time.

EHD, EHDL, EHDS and M_H (A §1, Alg. 4–6; N §2, Def. 2.1): P(r) ∝ exp(−ε·H(x, r)/(m·S(x))) over the
posteriors r = α + c of n records, where H is the Hellinger distance of Dirichlet distributions,
H² = 1 − B((a + b)/2)/√(B(a)·B(b)), and S one of four sensitivities.  The local one is the largest
distance to a neighbour, by the triangle inequality.

LSZhang, LSDim, LSHist and the Laplace mechanism (A Alg. 1–3; N §3.1; L): every probability is that
of a range of Y ~ Lap(b) between integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.definition import Listed, Shown
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.histograms import (
    SUBSTITUTION,
    Counts,
    OverHistograms,
    dataset_count,
    histograms,
    neighbours,
)
from dpaudit.recheck.noisy_counts import IntegerNoise
from dpaudit.recheck.numbers import fraction

__all__ = ["EHD", "EHDL", "EHDS", "MH", "LSDim", "LSHist", "LSZhang", "NotesLaplace", "log_gamma"]

_MOST_OUTPUTS = 1_000_000


def log_gamma(x: mpf) -> mpf:
    """Return lnΓ(x) for x > 0; below 1 from Γ(x + 1) = x·Γ(x), which is quick at 10^−4000 too."""
    return mp.loggamma(x) if x >= 1 else mp.loggamma(x + 1) - mp.log(x)


_DEFAULTS: Mapping[str, Shown] = {"epsilon": "4/5", "prior": ["1", "1"]}


class _Exponential(Listed, OverHistograms):
    """All four: they differ by :meth:`divisor` alone."""

    laws_kept = 8

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        self._cached_at = 0
        self._laws: dict[Counts, dict[Counts, mpf]] = {}
        self._local: dict[int, dict[Counts, mpf]] = {}
        self._gammas: dict[tuple[int, int], mpf] = {}

    def divisor(self, x: Counts) -> mpf:
        """Return m·S(x)."""
        raise NotImplementedError

    def output_count(self, n: int) -> int:
        return dataset_count(SUBSTITUTION, n, self.k)

    def outputs(self, n: int) -> Iterable[Counts]:
        return histograms(n, self.k)

    def law(self, x: Counts) -> dict[Counts, mpf]:
        """Return the whole output law at ``x``."""
        self._refresh()
        if x not in self._laws:
            while len(self._laws) >= self.laws_kept:
                del self._laws[next(iter(self._laws))]
            rate = -self.number("epsilon") / self.divisor(x)
            weights = {r: mp.exp(rate * self.distance(x, r)) for r in histograms(sum(x), self.k)}
            total = mp.fsum(weights.values())
            self._laws[x] = {r: weight / total for r, weight in weights.items()}
        return self._laws[x]

    def distance(self, c: Counts, r: Counts) -> mpf:
        """Return H(α + c, α + r) for two histograms of one size; the sizes' Γ cancel."""
        log_affinity = mpf(0)
        for i, (here, there) in enumerate(zip(c, r, strict=True)):
            if here != there:
                ends = self._log_gamma(i, 2 * here) + self._log_gamma(i, 2 * there)
                log_affinity += self._log_gamma(i, here + there) - ends / 2
        # 1 − affinity would cancel for posteriors that are near.
        return mp.sqrt(-mp.expm1(log_affinity))

    def local(self, n: int) -> dict[Counts, mpf]:
        """Return LS(x) for every histogram x of ``n`` records."""
        self._refresh()
        if n not in self._local:
            sensitivities: dict[Counts, mpf] = {}
            for x in histograms(n, self.k):
                for y in neighbours(SUBSTITUTION, n, x):
                    if x < y:
                        step = self.distance(x, y)
                        sensitivities[x] = max(sensitivities.get(x, mpf(0)), step)
                        sensitivities[y] = max(sensitivities.get(y, mpf(0)), step)
            self._local = {n: sensitivities}
        return self._local[n]

    def smoothed(self, x: Counts, term: Callable[[mpf, int], mpf]) -> mpf:
        """Return max over x′ of term(LS(x′), d(x, x′)), d the number of substituted records."""
        return max(
            term(ls, sum(abs(a - b) for a, b in zip(x, other, strict=True)) // 2)
            for other, ls in self.local(sum(x)).items()
        )

    def _log_gamma(self, i: int, halves: int) -> mpf:
        """Return lnΓ(α_i + halves/2)."""
        if (i, halves) not in self._gammas:
            argument = fraction(self.prior[i]) + mpf(halves) / 2
            self._gammas[i, halves] = log_gamma(argument)
        return self._gammas[i, halves]

    def _refresh(self) -> None:
        """Forget what was computed at another precision."""
        if self._cached_at != mp.prec:
            self._cached_at = mp.prec
            self._laws, self._local, self._gammas = {}, {}, {}


class EHD(_Exponential):
    """A Alg. 4."""

    defaults: ClassVar = {**_DEFAULTS, "gs": "quoted"}
    readings: ClassVar = {"gs": ("quoted", "computed")}

    def divisor(self, x: Counts) -> mpf:
        if self.reading("gs") == "quoted":
            return 2 * mp.sqrt(1 - mp.pi / 4)
        return 2 * max(self.local(sum(x)).values())


class EHDL(_Exponential):
    """A Alg. 5."""

    defaults: ClassVar = {**_DEFAULTS, "divisor": "2"}
    numbers = ("epsilon", "divisor")

    def stated(self) -> None:
        return None

    def divisor(self, x: Counts) -> mpf:
        return self.number("divisor") * self.local(sum(x))[x]


class EHDS(_Exponential):
    """A Alg. 6."""

    defaults: ClassVar = {**_DEFAULTS, "gamma": "1"}
    numbers = ("epsilon", "gamma")

    def divisor(self, x: Counts) -> mpf:
        gamma = self.number("gamma")
        return 2 * (1 + gamma) * self.smoothed(x, lambda ls, d: 1 / (1 / ls + gamma * d))


class MH(_Exponential):
    """N Def. 2.1, β after N §2.3.1."""

    defaults: ClassVar = {
        **_DEFAULTS,
        "delta": "1/2000",
        "divisor": "2",
        "count": "n+1",
        "smoothing": "neighbour",
    }
    numbers = ("epsilon", "delta", "divisor")
    readings: ClassVar = {
        "count": ("n", "n+1", "candidates"),
        "smoothing": ("neighbour", "own"),
    }

    def stated(self) -> tuple[mpf, mpf]:
        return self.number("epsilon"), self.number("delta")

    def divisor(self, x: Counts) -> mpf:
        multiple = self.number("divisor")
        if self.reading("smoothing") == "own":
            return multiple * self.local(sum(x))[x]
        beta = self.beta(sum(x))
        return multiple * self.smoothed(x, lambda ls, d: ls * mp.exp(-beta * d))

    def beta(self, n: int) -> mpf:
        """Return β = ln(1 − ε/(2·ln(δ/(2·count))))."""
        candidates = dataset_count(SUBSTITUTION, n, self.k)
        count = {"n": n, "n+1": n + 1, "candidates": candidates}[self.reading("count")]
        inner = mp.log(self.number("delta") / (2 * count))
        return mp.log(1 - self.number("epsilon") / (2 * inner))


# -- noise on counts


class _Laplace(IntegerNoise, OverHistograms):
    """All four: rounded noise of scale 1/rate."""

    clamped = True

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        self.noisy = self.k if self.parameters.get("coordinates") == "all" else self.k - 1

    @property
    def last_tells_n(self) -> bool:
        """True if the count printed after the noisy ones depends on n."""
        return self.noisy < self.k

    @property
    def rate(self) -> mpf:
        """1/b."""
        return self.number("epsilon") / 2

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
        return super().masses(x, y)

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

    defaults: ClassVar = {**_DEFAULTS, "coordinates": "printed"}
    readings: ClassVar = {"coordinates": ("printed", "all")}
    last_tells_n = False

    def last(self, first: Counts, n: int) -> Counts:
        return () if self.noisy == self.k else (0,)


class LSDim(_Laplace):
    """A Alg. 2."""

    defaults: ClassVar = _DEFAULTS

    @property
    def rate(self) -> mpf:
        return self.number("epsilon") / self.k


class LSHist(_Laplace):
    """A Alg. 3."""

    defaults: ClassVar = _DEFAULTS

    @property
    def rate(self) -> mpf:
        return self.number("epsilon") / (1 if self.k == 2 else 2)


class NotesLaplace(_Laplace):
    """N §3.1, §3.4.1; L."""

    defaults: ClassVar = {**_DEFAULTS, "coordinates": "printed", "rounding": "floor"}
    readings: ClassVar = {"coordinates": ("printed", "all"), "rounding": ("floor", "toward-zero")}
    clamped = False

    def output(self, reported: Any) -> Counts:
        # Where the printed counts add up to n, a report of two sizes names no single output.
        return () if str(reported).startswith("any output") else super().output(reported)

    def probabilities(self, x: Counts, y: Counts, output: Counts) -> tuple[mpf, mpf]:
        if output == ():
            return mpf(1), mpf(0 if self.last_tells_n and sum(x) != sum(y) else 1)
        return super().probabilities(x, y, output)

    def below(self, end: int) -> mpf:
        """Return P(noise < end) for end ≤ 0; rounded toward zero it takes a whole unit more."""
        whole = self.reading("rounding") == "toward-zero"
        return mp.exp(self.rate * (end - whole)) / 2

    def last(self, first: Counts, n: int) -> Counts:
        return () if self.noisy == self.k else (n - sum(first),)

"""EHD, EHDL, EHDS and M_H a second time, from A §1, Alg. 4–6 and N §2, Def. 2.1.

P(r) ∝ exp(−ε·H(x, r)/(m·S(x))) over the posteriors r = α + c of n records, where H is the Hellinger
distance of Dirichlet distributions, H² = 1 − B((a + b)/2)/√(B(a)·B(b)), and S one of four
sensitivities.  The local one is the largest distance to a neighbour, by the triangle inequality.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.histograms import SUBSTITUTION, Counts, dataset_count, histograms, neighbours
from dpaudit.recheck.numbers import fraction
from dpaudit.recheck.over_histograms import OverHistograms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["EHD", "EHDL", "EHDS", "MH", "log_gamma"]

_KEPT = 8


def log_gamma(x: mpf) -> mpf:
    """Return lnΓ(x) for x > 0; below 1 from Γ(x + 1) = x·Γ(x), which is quick at 10^−4000 too."""
    return mp.loggamma(x) if x >= 1 else mp.loggamma(x + 1) - mp.log(x)


class _Exponential(OverHistograms):
    """All four: they differ by :meth:`divisor` alone."""

    lists_outputs = True

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

    def probability(self, dataset: Counts, output: Counts) -> mpf:
        return self.law(dataset).get(output, mpf(0))

    def masses(self, x: Counts, y: Counts) -> list[tuple[mpf, mpf]]:
        p, q = self.law(x), self.law(y)
        return [(p.get(r, mpf(0)), q.get(r, mpf(0))) for r in {**p, **q}]

    def output_count(self, n: int) -> int:
        return dataset_count(SUBSTITUTION, n, self.k)

    def outputs(self, n: int) -> Iterable[Counts]:
        return histograms(n, self.k)

    def law(self, x: Counts) -> dict[Counts, mpf]:
        """Return the whole output law at ``x``."""
        self._refresh()
        if x not in self._laws:
            while len(self._laws) >= _KEPT:
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
        return mp.sqrt(-mp.expm1(log_affinity))

    def local(self, n: int) -> dict[Counts, mpf]:
        """Return LS(x) for every histogram x of ``n`` records."""
        self._refresh()
        if n not in self._local:
            found: dict[Counts, mpf] = {}
            for x in histograms(n, self.k):
                for y in neighbours(SUBSTITUTION, n, x):
                    if x < y:
                        step = self.distance(x, y)
                        found[x] = max(found.get(x, mpf(0)), step)
                        found[y] = max(found.get(y, mpf(0)), step)
            self._local = {n: found}
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

    readings: ClassVar = {"gs": ("quoted", "computed")}

    def divisor(self, x: Counts) -> mpf:
        if self.reading("gs") == "quoted":
            return 2 * mp.sqrt(1 - mp.pi / 4)
        return 2 * max(self.local(sum(x)).values())


class EHDL(_Exponential):
    """A Alg. 5."""

    readings: ClassVar = {"divisor": ("1", "2")}

    def stated(self) -> None:
        return None

    def divisor(self, x: Counts) -> mpf:
        return int(self.reading("divisor")) * self.local(sum(x))[x]


class EHDS(_Exponential):
    """A Alg. 6."""

    numbers = ("epsilon", "gamma")

    def divisor(self, x: Counts) -> mpf:
        gamma = self.number("gamma")
        return 2 * (1 + gamma) * self.smoothed(x, lambda ls, d: 1 / (1 / ls + gamma * d))


class MH(_Exponential):
    """N Def. 2.1, β after N §2.3.1."""

    numbers = ("epsilon", "delta")
    readings: ClassVar = {
        "divisor": ("1", "2"),
        "count": ("n", "n+1", "candidates"),
        "smoothing": ("neighbour", "own"),
    }

    def stated(self) -> tuple[mpf, mpf]:
        return self.number("epsilon"), self.number("delta")

    def divisor(self, x: Counts) -> mpf:
        multiple = int(self.reading("divisor"))
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

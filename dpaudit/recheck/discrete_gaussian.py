"""The discrete Gaussian mechanism again, by direct summation (Canonne et al. 2020, Def. 1)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.histograms import OverCounts

if TYPE_CHECKING:
    from dpaudit.recheck.histograms import Counts

__all__ = ["DiscreteGaussian"]

_MOST_TERMS = 200_000
_ENDS = {"r → −∞": -1, "r → ∞": 1}
"""What a report shows where the loss grows without end."""


class DiscreteGaussian(OverCounts):
    """A count with noise P(Z = z) ∝ e^(−z²/(2σ²))."""

    numbers = ("sigma", "delta")
    k = 2

    def stated(self) -> tuple[mpf, mpf]:
        rho, delta = 1 / (2 * self.number("sigma") ** 2), self.number("delta")
        return rho + 2 * mp.sqrt(rho * -mp.log(delta)), delta

    def output_count(self, n: int) -> None:
        return None

    def output(self, shown: Any) -> Any:
        return shown if isinstance(shown, str) and shown in _ENDS else super().output(shown)

    def probability(self, dataset: Counts, output: Any) -> mpf:
        if len(output) != 1:
            return mpf(0)
        return self._weight(output[0] - dataset[0]) / _total(self.number("sigma"), mp.prec)

    def probabilities(self, x: Counts, y: Counts, output: Any) -> tuple[mpf, mpf]:
        """Return P_x and P_y; towards an end the larger against the other, which vanishes."""
        if not isinstance(output, str):
            return super().probabilities(x, y, output)
        return (mpf(1), mpf(0)) if (x[0] - y[0]) * _ENDS[output] > 0 else (mpf(0), mpf(1))

    def masses(self, x: Counts, y: Counts) -> list[tuple[mpf, mpf]]:
        """Return the probabilities of the integers where they are above 10^−dps."""
        reach = _reach(self.number("sigma"))
        low, high = min(x[0], y[0]) - reach, max(x[0], y[0]) + reach
        return [self.probabilities(x, y, (r,)) for r in range(low, high + 1)]

    def largest_loss(self, x: Counts, y: Counts) -> mpf:
        return mpf(0) if x[0] == y[0] else mp.inf

    def delta(self, x: Counts, y: Counts, epsilon: mpf) -> mpf:
        """Sum from the first output whose loss is above ε, which grows towards one side."""
        shift = abs(x[0] - y[0])
        if shift == 0:
            return max(mpf(0), 1 - mp.exp(epsilon))
        step, sigma, factor = (1 if x[0] > y[0] else -1), self.number("sigma"), mp.exp(epsilon)
        first = int(mp.ceil(epsilon * sigma**2 / shift - mpf(shift) / 2)) - 1
        total = mpf(0)
        for z in range(first, max(first, 0) + _reach(sigma) + 1):
            p, q = self.probabilities(x, y, (x[0] + step * z,))
            total += max(p - factor * q, mpf(0))
        return total

    def power_sum(self, x: Counts, y: Counts, order: mpf) -> mpf:
        """Return Σ P_x^α·P_y^(1 − α), whose terms are largest at α·x + (1 − α)·y."""
        sigma = self.number("sigma")
        centre, reach = int(mp.nint(order * x[0] + (1 - order) * y[0])), _reach(sigma)
        terms = (
            mp.exp(-(order * (r - x[0]) ** 2 + (1 - order) * (r - y[0]) ** 2) / (2 * sigma**2))
            for r in range(centre - reach, centre + reach + 1)
        )
        return mp.fsum(terms) / _total(sigma, mp.prec)

    def _weight(self, z: int) -> mpf:
        return mp.exp(-(mpf(z) ** 2) / (2 * self.number("sigma") ** 2))


def _reach(sigma: mpf) -> int:
    """Return a distance where e^(−z²/(2σ²)) is below 10^−dps."""
    reach = int(sigma * mp.sqrt(2 * (mp.dps + 10) * mp.log(10))) + 2
    if reach > _MOST_TERMS:
        raise UnknownDefinitionError("too many outputs to add up")
    return reach


@lru_cache(maxsize=64)
def _total(sigma: mpf, prec: int) -> mpf:
    """Return Σ e^(−z²/(2σ²)) over all integers, at ``prec`` bits."""
    terms = (mp.exp(-(mpf(z) ** 2) / (2 * sigma**2)) for z in range(1, _reach(sigma) + 1))
    return 1 + 2 * mp.fsum(terms)

"""Counts with continuous noise a second time: the Gaussian and the Laplace mechanism.

Dwork, McSherry, Nissim and Smith 2006; Balle and Wang 2018, Theorem 8.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.histograms import Counts, OverCounts

__all__ = ["ContinuousNoise", "Gaussian", "Laplace"]

_ENDS = {"r → −∞": -1, "r → ∞": 1}
"""Texts for the ends at which the loss is unbounded, with the sign of the end."""


class ContinuousNoise(OverCounts):
    """Real-valued noise on a count; probabilities of numbers stand for densities."""

    k = 2
    has_density = True

    def output_count(self, n: int) -> None:
        return None

    def masses(self, x: Counts, y: Counts) -> list[tuple[mpf, mpf]]:
        raise UnknownDefinitionError("continuous noise has no list of outputs")

    @abstractmethod
    def moment(self, z: Any) -> Any:
        """Return E e^(z·L) under P, L the loss of one run of counts that differ by 1."""

    @abstractmethod
    def density(self, place: mpf) -> mpf:
        """Return the density of the noise."""

    @abstractmethod
    def tail(self, place: mpf) -> mpf:
        """Return the probability of noise above ``place``."""

    def best_event(self, x: Counts, y: Counts) -> tuple[mpf, mpf]:
        """Search the threshold between both counts that asks for the largest μ.

        Φ⁻¹(Q) − Φ⁻¹(P) of {r > threshold} has one maximum there: a golden section finds it, whose
        value has twice the digits of its place.
        """
        shift = mpf(abs(x[0] - y[0]))

        def event(place: mpf) -> tuple[mpf, mpf]:
            return self.tail(place), self.tail(place - shift)

        def needed(place: mpf) -> mpf:
            p, q = event(place)
            return mp.erfinv(2 * q - 1) - mp.erfinv(2 * p - 1)

        low, high, golden = mpf(0), shift, (mp.sqrt(5) - 1) / 2
        while high - low > shift * mpf(10) ** -(mp.dps // 2 + 2):
            left, right = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, right) if needed(left) >= needed(right) else (left, high)
        return event((low + high) / 2)

    def probability(self, dataset: Counts, output: Any) -> mpf:
        return self.density(mpf(output[0]) - dataset[0]) if len(output) == 1 else mpf(0)


class Gaussian(ContinuousNoise):
    """A count with normal noise."""

    defaults: ClassVar = {"sigma": "2", "delta": "1/100000"}
    numbers = ("sigma", "delta")

    def stated(self) -> tuple[mpf, mpf]:
        rho, delta = 1 / (2 * self.number("sigma") ** 2), self.number("delta")
        return rho + 2 * mp.sqrt(rho * -mp.log(delta)), delta

    def output(self, reported: Any) -> Any:
        return (
            reported
            if isinstance(reported, str) and reported in _ENDS
            else super().output(reported)
        )

    def density(self, place: mpf) -> mpf:
        return mp.npdf(place, 0, self.number("sigma"))

    def tail(self, place: mpf) -> mpf:
        return mp.erfc(place / (self.number("sigma") * mp.sqrt(2))) / 2

    def best_event(self, x: Counts, y: Counts) -> tuple[mpf, mpf]:
        """Take the middle: every threshold asks for the same μ."""
        half = mpf(abs(x[0] - y[0])) / 2
        return self.tail(half), self.tail(-half)

    def probabilities(self, x: Counts, y: Counts, output: Any) -> tuple[mpf, mpf]:
        """Return densities; towards an end the larger against the other, which vanishes."""
        if not isinstance(output, str):
            return super().probabilities(x, y, output)
        return (mpf(1), mpf(0)) if (x[0] - y[0]) * _ENDS[output] > 0 else (mpf(0), mpf(1))

    def largest_loss(self, x: Counts, y: Counts) -> mpf:
        return mpf(0) if x[0] == y[0] else mp.inf

    def delta(self, x: Counts, y: Counts, epsilon: mpf) -> mpf:
        return self.delta_of_runs(abs(x[0] - y[0]), 1, epsilon)

    def delta_of_runs(self, shift: int, runs: int, epsilon: mpf) -> mpf:
        """Return δ(ε) of so many runs, from the complementary error function."""
        mu = mp.sqrt(runs) * shift / self.number("sigma")
        if mu == 0:
            return max(mpf(0), 1 - mp.exp(epsilon))
        root = mp.sqrt(2)
        # erfc keeps the digits of a tail that 1 − Φ would lose.
        near, far = (epsilon / mu - mu / 2) / root, (epsilon / mu + mu / 2) / root
        return (mp.erfc(near) - mp.exp(epsilon) * mp.erfc(far)) / 2

    def power_sum(self, x: Counts, y: Counts, order: mpf) -> mpf:
        mu = (x[0] - y[0]) / self.number("sigma")
        return mp.exp(order * (order - 1) * mu**2 / 2)

    def moment(self, z: Any) -> Any:
        return mp.exp(z * (z + 1) / (2 * self.number("sigma") ** 2))


class Laplace(ContinuousNoise):
    """A count with Laplace noise."""

    defaults: ClassVar = {"scale": "5/4"}
    numbers = ("scale",)

    def stated(self) -> tuple[mpf, mpf]:
        return 1 / self.number("scale"), mpf(0)

    def density(self, place: mpf) -> mpf:
        scale = self.number("scale")
        return mp.exp(-abs(place) / scale) / (2 * scale)

    def tail(self, place: mpf) -> mpf:
        far = mp.exp(-abs(place) / self.number("scale")) / 2
        return far if place > 0 else 1 - far

    def largest_loss(self, x: Counts, y: Counts) -> mpf:
        return abs(x[0] - y[0]) / self.number("scale")

    def delta(self, x: Counts, y: Counts, epsilon: mpf) -> mpf:
        loss = self.largest_loss(x, y)
        if epsilon >= loss:
            return mpf(0)
        return -mp.expm1(epsilon if epsilon < -loss else (epsilon - loss) / 2)

    def power_sum(self, x: Counts, y: Counts, order: mpf) -> mpf:
        loss = self.largest_loss(x, y)
        growth, decay = mp.exp((order - 1) * loss), mp.exp(-order * loss)
        return (order * growth + (order - 1) * decay) / (2 * order - 1)

    def moment(self, z: Any) -> Any:
        s = 1 / self.number("scale")
        return ((z + 1) * mp.exp(z * s) + z * mp.exp(-(z + 1) * s)) / (2 * z + 1)

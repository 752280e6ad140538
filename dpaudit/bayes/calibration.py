"""What calibrates a mechanism: the sensitivity S(x) in its exponent.

Here in balls for all datasets of a size; :mod:`dpaudit.bayes.float_calibration` has the same in
floats, and in balls at single datasets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.bayes.sensitivity import (
    beta_smooth_sensitivities,
    gamma_smooth_sensitivities,
    global_sensitivity,
    local_sensitivities,
)
from dpaudit.data.histograms import Histograms

if TYPE_CHECKING:
    from fractions import Fraction

    from dpaudit.exact.ball import Ball
    from dpaudit.exact.real import Real

__all__ = [
    "BetaSmooth",
    "Calibration",
    "FixedSensitivity",
    "GammaSmooth",
    "GlobalSensitivity",
    "LocalSensitivity",
]


class Calibration(ABC):
    """A sensitivity S(x) > 0 for every dataset of a size."""

    @abstractmethod
    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        """Return S for every histogram of ``n`` records, at the working precision."""


@dataclass(frozen=True)
class FixedSensitivity(Calibration):
    """One number for all datasets and sizes."""

    value: Real

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        return [self.value.ball()] * len(Histograms(n, len(prior)))


@dataclass(frozen=True)
class GlobalSensitivity(Calibration):
    """GS = max over x of LS(x)."""

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        return [global_sensitivity(prior, n)] * len(Histograms(n, len(prior)))


@dataclass(frozen=True)
class LocalSensitivity(Calibration):
    """LS(x) itself."""

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        return local_sensitivities(prior, n)


@dataclass(frozen=True)
class GammaSmooth(Calibration):
    """S_γ(x) = max over x′ of 1/(1/LS(x′) + γ·d(x, x′))."""

    gamma: Real

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        space = Histograms(n, len(prior))
        return gamma_smooth_sensitivities(local_sensitivities(prior, n), self.gamma.ball(), space)


@dataclass(frozen=True)
class BetaSmooth(Calibration):
    """S_β(x) = max over x′ of LS(x′)·e^(−β·d(x, x′))."""

    beta: Real

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        space = Histograms(n, len(prior))
        return beta_smooth_sensitivities(local_sensitivities(prior, n), self.beta.ball(), space)

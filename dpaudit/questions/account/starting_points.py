"""About which noise, rate or number of runs keeps a budget, in floats that prove nothing.

A search that begins close by looks at few values.  δ of Poisson-sampled Gaussian runs is guessed by
one fast Fourier transform of their losses on a lattice.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from math import exp, log

import numpy as np

from dpaudit.arithmetic import formatted
from dpaudit.errors import ParameterError
from dpaudit.numbers.real import real
from dpaudit.questions.account.moments import SampledGaussianMoments

__all__ = ["guess", "guessed_delta"]

_POINTS = 1 << 15
_NATS = 20.0  # beyond −ln δ, of what a lattice leaves out
_HALVINGS = 30
_DIGITS = 4


def guessed_delta(sigma: float, rate: float, runs: int, epsilon: float, nats: float) -> float:
    """Return about δ(ε) of runs of normal noise ``sigma`` on samples, a record added or removed.

    ``nats`` is about −ln δ, for which the lattice is made.

    >>> 1e-6 < guessed_delta(1.0, 0.01, 1000, 2.0, 12.0) < 1e-5
    True
    """
    most = 0.0
    for remove in (True, False):
        one = SampledGaussianMoments(real(Fraction(1 / sigma)), real(Fraction(rate)), remove)
        weights, losses = one.drawn
        low, high = one.ends(runs, nats + _NATS)
        step = max(high - low, 1e-12) / (_POINTS - 2)
        places = np.floor(losses / step)
        part = losses / step - places
        masses = np.zeros(_POINTS)
        index = places.astype(np.int64) % _POINTS
        np.add.at(masses, index, weights * (1 - part))
        np.add.at(masses, (index + 1) % _POINTS, weights * part)
        total = np.fft.irfft(np.fft.rfft(masses / masses.sum()) ** runs, _POINTS)
        first = int(np.floor(low / step))
        loss = step * (first + (np.arange(_POINTS) - first) % _POINTS)
        most = max(most, float(total @ np.maximum(-np.expm1(np.minimum(epsilon - loss, 0.0)), 0)))
    return most


def guess(
    sought: str,
    epsilon: float,
    delta: float,
    *,
    sigma: float | None,
    rate: float | None,
    runs: int | None,
) -> Decimal:
    """Return about the noise, rate or number of runs that just keeps (ε, δ).

    Args:
        sought: ``sigma``, ``q`` or ``steps``, whose own argument below is not looked at.
        epsilon: ε.
        delta: δ, between 0 and 1.
        sigma: the standard deviation of the noise, in units of the sensitivity.
        rate: the rate of samples.
        runs: how many runs.

    Raises:
        ParameterError: for an ε or a δ that floats do not hold.
    """
    if not (0 < delta < 1 and 0 <= epsilon < 1e4):
        raise ParameterError("solve", f"budget {epsilon:g}, {delta:g}: needs 0 < δ < 1, ε < 10000")
    values: dict[str, Callable[[float], tuple[float, float, int]]] = {
        "sigma": lambda x: (x, rate or 1.0, runs or 1),
        "q": lambda x: (sigma or 1.0, x, runs or 1),
        "steps": lambda x: (sigma or 1.0, rate or 1.0, round(x)),
    }
    ends = {"sigma": (0.05, 1e5), "q": (1e-9, 0.9999), "steps": (1.0, 1e8)}[sought]
    low, high = log(ends[0]), log(ends[1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        try:
            with np.errstate(all="ignore"):
                held = guessed_delta(*values[sought](exp(middle)), epsilon, -log(delta)) <= delta
        except (ArithmeticError, ValueError, IndexError):
            held = sought != "sigma" and middle < log(ends[0]) + 1
        if held is (sought == "sigma"):
            high = middle
        else:
            low = middle
    found = Decimal(repr(exp(middle)))
    if sought == "steps":
        return max(Decimal(1), found.to_integral_value(ROUND_HALF_EVEN))
    return Decimal(formatted(found, f".{_DIGITS - 1}e"))

"""Trainings whose μ is known: one step of gradient descent with the Gaussian mechanism.

The model is a softmax regression from 0.  The gradient of each example is clipped to norm 1, all
are summed, and normal noise of deviation 1/μ is added.  One example more or less moves the sum by
at most 1, so the step is μ-GDP, and no better.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.benchmarks.canary_draws import Bools, Floats

__all__ = ["Training", "epsilon_of_gaussian", "random_training"]

_CLASSES = 5


def epsilon_of_gaussian(mu: float, delta: float) -> float:
    """Return the smallest ε at which a training that is μ-GDP, and no better, is (ε, δ)-DP.

    δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) (Balle and Wang 2018).
    """

    def excess(epsilon: float) -> float:
        first, second = norm.cdf(mu / 2 - epsilon / mu), norm.logcdf(-mu / 2 - epsilon / mu)
        return float(first - exp(epsilon + second) - delta)

    return float(brentq(excess, 0, mu * mu + 40 * mu)) if excess(0) > 0 else 0.0


@dataclass(frozen=True)
class Training:
    """One run, audited by gradients."""

    mu: float
    scores: Floats
    """For each canary the part of the noisy sum along its gradient."""
    member: Bools


def _clipped_gradients(features: Floats, labels: NDArray[np.int64]) -> Floats:
    """Return the gradient of each example's loss at weights of 0, at most 1 long."""
    errors = np.full((len(labels), _CLASSES), 1 / _CLASSES) - np.eye(_CLASSES)[labels]
    gradients = np.einsum("ij,ik->ijk", features, errors).reshape(len(labels), -1)
    lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
    return np.asarray(gradients / np.maximum(lengths, 1))


def random_training(seed: int, noise: float = 1.0) -> Training:
    """Train once, with a random μ, number of canaries and features.

    With ``noise`` other than 1 the training adds so much of the noise that its μ needs.

    Half of the trainings have canaries each with a feature of its own, which are the easiest to
    guess about: their scores are apart by μ deviations of their noise.
    """
    rng = np.random.default_rng(seed)
    mu, canaries = float(np.exp(rng.uniform(np.log(0.05), np.log(4)))), int(rng.integers(100, 601))
    examples = int(rng.integers(50, 400))
    size = canaries if seed % 2 else int(rng.integers(40, 400))
    features = rng.normal(size=(examples + canaries, size))
    if seed % 2:
        features[:examples] *= 0.1
        features[examples:] = 2 * np.eye(canaries)
    gradients = _clipped_gradients(features, rng.integers(_CLASSES, size=len(features)))
    member = rng.integers(2, size=canaries).astype(bool)
    whole = gradients[:examples].sum(axis=0)
    released = whole + gradients[examples:][member].sum(axis=0)
    released += rng.normal(size=released.shape) * noise / mu
    return Training(mu, gradients[examples:] @ (released - whole), member)

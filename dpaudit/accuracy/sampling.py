"""Sampled errors, for box plots as the notes draw them (N §4); no certified number needs them.

Draws are in floats with NumPy's generators; the same seed gives the same draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.accuracy.law import ErrorLaw, error_law
from dpaudit.accuracy.metrics import metric_of
from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.base import HistogramMechanism, Mechanism
from dpaudit.numbers.ball import precision

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray


__all__ = ["errors_of_draws", "sample_errors", "sample_outputs"]

_MOST_ROUNDS = 200


def sample_errors(
    mechanism: Mechanism[Any],
    dataset: Sequence[int],
    size: int,
    seed: int,
    *,
    metric: str = "hellinger",
    outside: str | None = None,
) -> NDArray[np.float64]:
    """Draw outputs and return their errors, in floats: for plots, as the notes draw them.

    Args:
        mechanism: one of the notes', or any whose outputs are counts.
        dataset: the counts of the categories; their sum is n ≥ 1.
        size: how many outputs are drawn.
        seed: where the randomness comes from; the same seed gives the same draws.
        metric: as in :func:`~dpaudit.accuracy.law.error_law`.
        outside: the same.

    Returns:
        The error of each output, in the order drawn.

    Raises:
        UsageError: for anything that is not allowed.

    >>> from dpaudit.api import mechanism
    >>> sample_errors(mechanism("LSHist"), (4, 4), 4, seed=1, metric="l1").tolist()
    [0.0, 4.0, 4.0, 4.0]
    """
    law = error_law(mechanism, dataset, metric, outside=outside)
    return errors_of_draws(law, sample_outputs(law, size, seed))


def sample_outputs(law: ErrorLaw, size: int, seed: int) -> NDArray[np.int64]:
    """Draw ``size`` outputs of the mechanism of ``law``, one a row, in its reading of ``outside``.

    Outputs with which no posterior exists are returned as they are printed.
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise DomainError("size", size, "must be a whole number of at least 1")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise DomainError("seed", seed, "must be a whole number of at least 0")
    mechanism = law.mechanism
    if not isinstance(mechanism, HistogramMechanism):
        raise ParameterError("sample", f"{mechanism.name} has no sampler of counts")
    rng = np.random.default_rng(seed)
    n = sum(law.dataset)
    endless = mechanism.output_count(n) is None
    if endless and law.outside == "redrawn":
        return _redrawn(mechanism, law, size, rng)
    drawn = mechanism.draw(law.dataset, size, rng)
    return _clamped(mechanism, drawn, n) if endless and law.outside == "clamped" else drawn


def _clamped(mechanism: HistogramMechanism, drawn: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    clamped = np.clip(drawn, 0, n)
    if getattr(mechanism, "completion", "none") == "rest":
        clamped[:, -1] = np.maximum(n - clamped[:, :-1].sum(axis=1), 0)
    return clamped


def _redrawn(
    mechanism: HistogramMechanism, law: ErrorLaw, size: int, rng: Generator
) -> NDArray[np.int64]:
    inside: list[NDArray[np.int64]] = []
    missing = size
    for _ in range(_MOST_ROUNDS):
        drawn = mechanism.draw(law.dataset, 2 * missing + 16, rng)
        good = drawn[(drawn >= 0).all(axis=1)][:missing]
        inside.append(good)
        missing -= len(good)
        if not missing:
            return np.concatenate(inside)
    raise ParameterError("outside", "redrawn: hardly any noise leaves the counts at 0 or above")


def errors_of_draws(law: ErrorLaw, outputs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the errors of drawn ``outputs``, in floats.  Equal outputs are measured once."""
    prior = getattr(law.mechanism, "prior", ())
    rows, inverse = np.unique(outputs, axis=0, return_inverse=True)
    with precision(64):
        metric = metric_of(law.metric, prior)(law.dataset)
        values = [
            1.0
            if law.metric == "hellinger"
            and any(alpha + r <= 0 for alpha, r in zip(prior, row, strict=True))
            else float(metric.value(metric.key(tuple(row))))
            for row in rows.tolist()
        ]
    return np.array(values)[inverse.reshape(-1)]

"""DP-SGD in the words of those who train: noise multiplier, batch size, dataset size, epochs.

A run of DP-SGD is T steps of the Gaussian mechanism of sensitivity 1, each on a Poisson sample: an
example is in a batch with probability q = batch size/dataset size, independently of all else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.arithmetic import DECIMALS
from dpaudit.errors import DomainError, ParameterError, counted
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import order, real

if TYPE_CHECKING:
    from dpaudit.results import Sought

__all__ = [
    "DPSGD",
    "DPSGD_WIDTH",
    "SAMPLINGS",
    "SOUGHT",
    "TrainingRun",
    "Words",
    "read_training",
    "told",
]

DPSGD = "dpsgd"
"""Name that stands for a run of DP-SGD in place of a mechanism."""

DPSGD_WIDTH = "1%"
"""Default of the largest accepted width of intervals: a share of ε, or of δ."""


@dataclass(frozen=True)
class TrainingRun:
    """A run of DP-SGD as an account takes it."""

    sigma: str
    """The noise multiplier: the standard deviation of the noise over the clipping norm."""
    sample_rate: Fraction
    """The probability with which an example is in a batch."""
    steps: int
    """Number of batches."""

    def __str__(self) -> str:
        """Return what is accounted for, and what is not, in words."""
        return (
            f"DP-SGD: {counted(self.steps, 'step')}, Poisson samples with q = {self.sample_rate}, "
            f"noise multiplier {self.sigma}; neighbours: one example added or removed; not "
            "covered: shuffled or fixed-size batches, and choices made on the same data, such as "
            "hyperparameters"
        )


@dataclass(frozen=True)
class Words:
    """A run of DP-SGD in the words of those who train; None for what is not known."""

    noise_multiplier: str | None = None
    """The standard deviation of the noise over the clipping norm."""
    batch_size: int | None = None
    """The expected number of examples in a batch."""
    dataset_size: int | None = None
    """Number of examples."""
    epochs: str | None = None
    """Number of passes through the dataset; its steps are rounded up."""
    steps: int | None = None
    """Number of batches, in the place of ``epochs``."""
    sample_rate: str | None = None
    """q, in the place of batch and dataset size."""


_LEAST_NOISE = real("1/10")

SOUGHT: dict[str, Sought] = {
    "noise-multiplier": "sigma",
    "epochs": "steps",
    "batch-size": "q",
}
"""Names of what can be sought, and the parameter of the account that each is."""


SAMPLINGS = ("poisson", "shuffle", "fixed", "allocation")
"""Ways in which batches are drawn."""


def told(sought: str, value: Decimal, run: TrainingRun, dataset_size: int | None) -> str:
    """Return what was found, in the words of those who train."""
    if sought == "noise-multiplier":
        return f"the smallest noise multiplier found to keep the budget is {value}"
    if sought == "epochs":
        rate = run.sample_rate
        passes = DECIMALS.divide(DECIMALS.multiply(value, rate.numerator), rate.denominator)
        shown = DECIMALS.normalize(passes.quantize(Decimal("0.0001"), ROUND_FLOOR, DECIMALS))
        return f"the budget allows {counted(int(value), 'step')}, or {shown:f} epochs"
    assert dataset_size is not None
    size = math.floor(Fraction(value) * dataset_size)
    if not size:
        return (
            "no batch size keeps the budget: even one example is too many, as a sampling rate "
            f"of at most {value} is needed"
        )
    batches = f"batches of {counted(size, 'example')}"
    return f"the budget allows {batches}: {size}/{dataset_size} is at most {value}"


def read_training(
    *,
    noise_multiplier: str | None,
    batch_size: int | None,
    dataset_size: int | None,
    epochs: str | None,
    steps: int | None,
    sample_rate: str | None,
) -> TrainingRun:
    """Return the run that is meant.

    Args:
        noise_multiplier: the standard deviation of the noise divided by the clipping norm.
        batch_size: the expected number of examples in a batch.
        dataset_size: number of examples in the dataset.
        epochs: passes over the dataset; the number of steps is rounded up.
        steps: number of batches, instead of ``epochs``.
        sample_rate: the sampling rate q, instead of batch and dataset size.

    Raises:
        UsageError: for a value that is missing, given twice, or impossible.

    >>> read_training(noise_multiplier="1.1", batch_size=256, dataset_size=60000, epochs="15",
    ...               steps=None, sample_rate=None).steps
    3516
    """
    if noise_multiplier is None:
        solved = "--solve noise-multiplier --epsilon 2 finds the smallest that keeps ε = 2"
        raise ParameterError("noise-multiplier", f"give --noise-multiplier, such as 1.1; {solved}")
    # One step that has the example loses some 1/(2σ²) nats: below, lattices of losses have no room.
    if order(read_number(noise_multiplier, "noise-multiplier"), _LEAST_NOISE) is Sign.NEGATIVE:
        raise DomainError(
            "noise-multiplier",
            noise_multiplier,
            "must be at least 0.1; below that, ε is in the thousands and dpaudit does not "
            "compute it",
        )
    rate = _rate(batch_size, dataset_size, sample_rate)
    if (epochs is None) == (steps is None):
        raise ParameterError("steps", "give exactly one of --epochs and --steps")
    if steps is None:
        passes = read_number(epochs, "epochs").as_fraction()
        if passes is None or passes <= 0:
            raise DomainError("epochs", epochs, "must be a number above 0")
        steps = math.ceil(passes / rate)
    if steps < 1:
        raise DomainError("steps", steps, "must be at least 1")
    return TrainingRun(noise_multiplier, rate, steps)


def _rate(batch_size: int | None, dataset_size: int | None, sample_rate: str | None) -> Fraction:
    if sample_rate is not None:
        if batch_size is not None or dataset_size is not None:
            raise ParameterError(
                "sample-rate",
                "give either --sample-rate, or --batch-size and --dataset-size, not both",
            )
        rate = read_number(sample_rate, "sample-rate").as_fraction()
        if rate is None or not 0 < rate <= 1:
            raise DomainError("sample-rate", sample_rate, "must be above 0 and at most 1")
        return rate
    if batch_size is None or dataset_size is None:
        raise ParameterError(
            "batch-size",
            "give --batch-size and --dataset-size, or --sample-rate, such as 256/60000",
        )
    if not 1 <= batch_size <= dataset_size:
        raise DomainError("batch-size", batch_size, f"must be from 1 to {dataset_size}")
    return Fraction(batch_size, dataset_size)

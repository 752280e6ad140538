"""The exact mean Hellinger error E[H(BI(x), z)] of a mechanism at one dataset.

BI(x) = Dir(α + c) is the posterior of the data and z = Dir(α + r) that of the output r (N §3.2).
The mean is a finite sum over the outputs, in balls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.bayes.dirichlet import HellingerMetric
from dpaudit.calibration.beyond import law_book
from dpaudit.calibration.result import NoError
from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import (
    PRECISION_CAP,
    Ball,
    PrecisionNeeded,
    ball,
    bits_for_digits,
    log_gamma,
    nonnegative,
    precision,
)
from dpaudit.exact.enclosure import GUARD_DIGITS, Enclosure, enclose, unit_interval
from dpaudit.laws.product import ProductLaw
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.mechanisms.base import HistogramMechanism

if TYPE_CHECKING:
    from fractions import Fraction

    from dpaudit.data.histograms import Counts
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["hellinger_between", "mean_error", "mean_error_ball"]

_MOST_OUTPUTS = 100_000


def mean_error(mechanism: Mechanism[Any], dataset: Counts, digits: int) -> Enclosure | NoError:
    """Return E[H(BI(x), z)] at ``dataset``, at most 10^−digits wide, or why there is none.

    Raises ``PrecisionError`` where it cannot be enclosed so tightly.
    """
    if not isinstance(mechanism, HistogramMechanism):
        return NoError(f"{mechanism.name} has no posterior to compare with")
    bits = bits_for_digits(digits + GUARD_DIGITS)
    while bits <= PRECISION_CAP:
        try:
            with precision(bits):
                found = mean_error_ball(mechanism, dataset)
                if isinstance(found, NoError):
                    return found
                interval = unit_interval(enclose(found, digits))
        except PrecisionNeeded:
            pass
        else:
            if interval.is_tight(digits):
                return interval
        bits *= 2
    raise PrecisionError(f"the mean error of {mechanism.name} at {dataset} is not enclosed")


def mean_error_ball(mechanism: HistogramMechanism, dataset: Counts) -> Ball | NoError:
    """Return the ball of E[H(BI(x), z)] at the working precision, or why there is none."""
    law = law_book(mechanism, sum(dataset)).law(dataset)
    if isinstance(law, WeightedLaw):
        distances = HellingerMetric(mechanism.prior).row(dataset)
        total = Ball(0)
        for probability, distance in zip(law.probabilities, distances, strict=True):
            total += probability * distance
        return total
    if not isinstance(law, ProductLaw):
        return NoError(f"the outputs of {mechanism.name} are not counts")
    outputs = law.output_count()
    if outputs is None:
        return NoError(f"{mechanism.name} prints counts below 0, which have no posterior")
    if outputs > _MOST_OUTPUTS:
        return NoError(f"{mechanism.name} has {outputs} outputs here, above {_MOST_OUTPUTS}")
    total = Ball(0)
    for output, mass in (law.table() or {}).items():
        total += mass.at(law.rate).ball() * hellinger_between(mechanism.prior, dataset, output)
    return total


def hellinger_between(prior: tuple[Fraction, ...], left: Counts, right: Counts) -> Ball:
    """Return the ball of H(Dir(α + left), Dir(α + right)), whatever the totals of the counts.

    1 − H² = B((a + b)/2)/√(B(a)·B(b)) with the multivariate beta function B (A §1).

    >>> from fractions import Fraction
    >>> with precision(64):
    ...     hellinger_between((Fraction(1), Fraction(1)), (4, 4), (5, 3)).str(12, radius=False)
    '0.233629480709'
    """
    if left == right:
        return ball(0)
    a = [alpha + count for alpha, count in zip(prior, left, strict=True)]
    b = [alpha + count for alpha, count in zip(prior, right, strict=True)]
    middle = [(s + t) / 2 for s, t in zip(a, b, strict=True)]
    exponent = _log_beta(middle) - (_log_beta(a) + _log_beta(b)) / 2
    return nonnegative(1 - exponent.exp()).sqrt()


def _log_beta(parameters: list[Fraction]) -> Ball:
    total = sum((log_gamma(parameter) for parameter in parameters), Ball(0))
    return total - log_gamma(sum(parameters, start=parameters[0] * 0))

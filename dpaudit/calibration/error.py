"""The exact mean Hellinger error E[H(BI(x), z)] of a mechanism at one dataset.

BI(x) = Dir(α + c) is the posterior of the data and z = Dir(α + r) that of the output r (N §3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.accuracy import error_law
from dpaudit.errors import UsageError
from dpaudit.mechanisms.base import HistogramMechanism, Mechanism

if TYPE_CHECKING:
    from dpaudit.data.histograms import Counts
    from dpaudit.numbers.enclosure import Enclosure

__all__ = ["NoError", "mean_error"]

_MOST_OUTPUTS = 250_000


@dataclass(frozen=True)
class NoError:
    """No mean error, and why."""

    reason: str


def mean_error(mechanism: Mechanism[Any], dataset: Counts, digits: int) -> Enclosure | NoError:
    """Return E[H(BI(x), z)] at ``dataset``, at most 10^−digits wide, or why there is none.

    Raises ``PrecisionError`` where it cannot be enclosed so tightly.
    """
    if not isinstance(mechanism, HistogramMechanism):
        return NoError(f"{mechanism.name} has no posterior to compare with")
    outputs = mechanism.output_count(sum(dataset))
    if outputs is None:
        return NoError(
            f"{mechanism.name} prints counts below 0, which have no posterior (dpaudit accuracy "
            "has readings of them)"
        )
    if outputs > _MOST_OUTPUTS:
        return NoError(f"{mechanism.name} has {outputs} outputs here, above {_MOST_OUTPUTS}")
    try:
        return error_law(mechanism, dataset, "hellinger", digits=digits).mean()
    except UsageError as error:
        return NoError(str(error))

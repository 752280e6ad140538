"""A sampler held to a law: certified p-values, and an upper bound of the total variation distance.

*Differs.*  At each dataset, with n draws, every output o of the law has a count that is
Bin(n, P(o)) if the sampler draws from it.  Twice the smaller tail, times the number of outputs and
of datasets, is a p-value (Bonferroni); so is the tail of all outputs that the law has none of.

*Conforms.*  The distance between the law and the sampler is at most that between the law and the
frequencies, plus that between these and the sampler.  Over k outputs the latter exceeds

    √((k·ln 2 + ln(1/α)) / (2n))

with a probability of at most α: a bound of Hoeffding for each of the 2^k events.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import log, nextafter, sqrt
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError
from dpaudit.numbers.ball import lower_fraction, precision, upper_fraction
from dpaudit.sampling.binomial import at_least, at_most, rounded_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.laws.law import Law
    from dpaudit.sampling.draws import Batch

__all__ = ["Compared", "compare", "count_outputs", "probabilities_of"]

_MOST_OUTPUTS = 100_000
_BITS = 128


@dataclass(frozen=True)
class Compared:
    """What was found at one dataset."""

    outputs: int
    worst: str
    p_value: float
    """An upper bound, over the outputs of this dataset."""
    distance: float
    """An upper bound of the total variation distance, but for the error probability."""


def count_outputs(batch: Batch) -> Counter[Any]:
    """Return how often each output was drawn."""
    return Counter(map(_same, batch.keys()))


def _same(value: Any) -> Any:
    """Return a value as outputs of laws are: a whole number is no float."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return tuple(map(_same, value)) if isinstance(value, tuple) else value


def probabilities_of(law: Law, dataset: Any) -> dict[Any, tuple[float, float]]:
    """Return a lower and an upper bound of every probability of a law.

    Raises:
        LawError: for a law without an end, or of too many outputs.
    """
    count = law.output_count()
    if count is None or count > _MOST_OUTPUTS:
        raise LawError(
            f"the law at {dataset} has {count or 'endlessly many'} outputs: a comparison needs a "
            f"law of at most {_MOST_OUTPUTS}"
        )
    found = {}
    with precision(_BITS):
        listed = law.listed()
        if listed is None:
            raise LawError(f"the law at {dataset} cannot be listed output by output")
        for index, output in enumerate(listed.outputs):
            ball = listed.ball(index)
            low, high = lower_fraction(ball), upper_fraction(ball)
            bounds = -rounded_up(-low), rounded_up(high)
            found[_same(output)] = (max(bounds[0], 0.0), min(bounds[1], 1.0))
    return found


def compare(
    counts: Mapping[Any, int],
    law: Mapping[Any, tuple[float, float]],
    draws: int,
    error: float,
    datasets: int,
) -> Compared:
    """Compare what was drawn at one dataset with its law.

    Args:
        counts: how often each output was drawn.
        law: bounds of every probability.
        draws: how many draws there were.
        error: the error probability of everything, over all datasets.
        datasets: over how many datasets it is shared.
    """
    tests = (len(law) + 1) * datasets
    worst, least = "", 1.0
    for output, (low, high) in law.items():
        seen = counts.get(output, 0)
        tail = min(at_least(draws, high, seen), at_most(draws, low, seen))
        if min(1.0, 2 * tail) < least or not worst:
            worst, least = f"{output!r}: {seen} of {draws}", min(1.0, 2 * tail)
    strange = [output for output in counts if output not in law]
    if strange:
        most = sum((Fraction(low) for low, _ in law.values()), Fraction(0))
        beyond = at_least(
            draws, rounded_up(max(1 - most, Fraction(0))), sum(counts[o] for o in strange)
        )
        if beyond <= least:
            worst = f"{len(strange)} outputs that the law has not, as {strange[0]!r}"
            least = beyond
    apart = _distance(counts, law, draws)
    spread = sqrt((len(law) + 1) * log(2) + log(datasets / error)) / sqrt(2 * draws)
    distance = min(1.0, nextafter((apart + spread) * (1 + 1e-12), 2.0))
    return Compared(len(law), worst, min(1.0, least * tests), distance)


def _distance(
    counts: Mapping[Any, int], law: Mapping[Any, tuple[float, float]], draws: int
) -> float:
    """Return an upper bound of the distance between the frequencies and the law."""
    total = Fraction(0)
    for output, (low, high) in law.items():
        frequency = Fraction(counts.get(output, 0), draws)
        total += max(frequency - Fraction(low), Fraction(high) - frequency, Fraction(0))
    strange = sum(count for output, count in counts.items() if output not in law)
    return rounded_up((total + Fraction(strange, draws)) / 2)

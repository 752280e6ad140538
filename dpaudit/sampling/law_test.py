"""A sampler held to a law: certified p-values, and an upper bound of the total variation distance.

*Differs.*  At each dataset, with n draws, every output o of the law has a count that is
Bin(n, P(o)) if the sampler draws from it.  Twice the smaller tail, times the number of outputs and
of datasets, is a p-value (Bonferroni); so is the tail of all outputs that the law has none of.

*Conforms.*  The distance between the law and the sampler is at most that between the law and the
frequencies, plus that between these and the sampler.  Over k outputs the latter exceeds

    √((k·ln 2 + ln(1/α)) / (2n))

with a probability of at most α: a bound of Hoeffding for each of the 2^k events.

*Laws that are no list.*  The outputs that a first part of the draws has are compared one by one,
all others as one, whose probability under the law is added to the distance: two laws that share out
the rest otherwise are at most that much further apart.

*Laws with a density.*  A first part of the draws gives the ends of bins; what is compared is in
which bin a draw is, and the distance is that of the bins.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import log, nextafter, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.errors import DpauditError, LawError
from dpaudit.laws.law import LineLaw
from dpaudit.numbers.ball import Ball, certainly_less, lower_fraction, precision, upper_fraction
from dpaudit.sampling.binomial import at_least, at_most, rounded_up
from dpaudit.sampling.outputs import key, plain, same

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.laws.law import Law, Listed
    from dpaudit.sampling.batches import Batch

__all__ = [
    "TINY",
    "Binning",
    "Bins",
    "Compared",
    "Others",
    "Partition",
    "choice_of",
    "compare",
    "keys_of",
    "partition",
    "rest_of",
]

_MOST_OUTPUTS = 100_000
_MOST_SEEN = 1_000
"""Of a law without an end so many outputs are compared one by one."""
_BINS = 32
_BITS = 128
TINY = 1e-300
"""Used instead of 0 for the probability of all outputs that are not listed."""


@dataclass(frozen=True)
class Compared:
    """Comparison of the draws at one dataset with a law."""

    outputs: int
    worst: str
    p_value: float
    """An upper bound, over the outputs of this dataset."""
    distance: float
    """An upper bound of the total variation distance, but for the error probability."""
    binned: bool
    """True if the distance is that of bins."""
    places: tuple[float, ...] = ()
    """The same bounds of draws from each place alone, but for a third of the error probability."""


@dataclass(frozen=True)
class Bins:
    """Intervals of one number, that is all an output has."""

    edges: tuple[float, ...]

    def words(self, place: int) -> str:
        """Return what a bin is."""
        ends = (float("-inf"), *self.edges, float("inf"))
        return f"[{ends[place]!r}, {ends[place + 1]!r})"


@dataclass(frozen=True)
class Others:
    """All outputs that are not told apart, as one."""

    def __repr__(self) -> str:
        """Return what reports call it."""
        return "all others"


@dataclass(frozen=True)
class Binning:
    """Outputs and bins, chosen on the first draws, to compare others in; empty for a listed law."""

    outputs: tuple[Any, ...] = ()
    """Outputs that are compared one by one."""
    edges: tuple[float, ...] = ()
    """The ends of bins."""
    spent: int = 0
    """Number of draws used to choose them."""


@dataclass(frozen=True)
class Partition:
    """Partition of the outputs at one dataset, with bounds of its law."""

    law: Mapping[Any, tuple[float, float]]
    """Bounds of every probability."""
    bins: Bins | None = None
    """The bins, where there are some."""
    rest: float = 0.0
    """An upper bound of the probability of what is not told apart."""
    spent: int = 0
    """Number of draws used to choose the partition."""


def keys_of(batch: Batch, partition: Partition) -> list[Any]:
    """Return what each draw counts as: the output, or the bin in which it is."""
    if partition.bins is None:
        keys = list(map(same, batch.keys))
        # Of a law that lists all, any other output is one that it excludes.
        if not partition.rest:
            return keys
        return [key if key in partition.law else Others() for key in keys]
    _check_line(batch)
    places = np.searchsorted(partition.bins.edges, batch.numbers[:, 0], "right")
    bin_numbers: list[Any] = places.tolist()
    return bin_numbers


def choice_of(law: Law, dataset: Any, first: Callable[[], Batch]) -> Binning:
    """Return the outputs or bins to count draws in; ``first`` gives draws that are not compared.

    Raises:
        LawError: for a law that cannot be summed over sets of outputs.
    """
    if _listed(law) is not None:
        return Binning()
    batch = first()
    if isinstance(law, LineLaw):
        inner = np.linspace(0, 1, _BINS + 1)[1:-1]
        _check_line(batch)
        edges = np.unique(np.quantile(batch.numbers[:, 0], inner, method="inverted_cdf"))
        cuts = [float(edge) for edge in edges if np.isfinite(edge)]
        return Binning(edges=tuple(cuts), spent=len(batch))
    outputs = [output for output, _ in Counter(map(same, batch.keys)).most_common(_MOST_SEEN)]
    return Binning(tuple(outputs), spent=len(batch))


def partition(law: Law, dataset: Any, binning: Binning) -> Partition:
    """Return the law of the outputs or bins that draws are counted in.

    Raises:
        LawError: for outputs of which the law gives none a probability.
    """
    with precision(_BITS):
        listed = _listed(law)
        if listed is not None:
            table: dict[Any, tuple[float, float]] = {}
            for rank, output in enumerate(listed.outputs):
                _add(table, same(key(plain(output))), _bounds(listed.ball(rank)))
            return Partition(table)
        if isinstance(law, LineLaw):
            below = [Ball(0), *(law.below(Fraction(edge)) for edge in binning.edges), Ball(1)]
            masses = (_bounds(after - before) for before, after in pairwise(below))
            return Partition(dict(enumerate(masses)), Bins(binning.edges), spent=binning.spent)
        probabilities = {output: _bounds(_probability(law, output)) for output in binning.outputs}
    probabilities = {output: bounds for output, bounds in probabilities.items() if bounds[1] > 0}
    if not probabilities:
        raise LawError(
            f"the output distribution at {dataset} assigns no probability to any drawn output; "
            "round the draws to bins, and compare them with the distribution of the bins"
        )
    most = max(
        1 - sum((Fraction(low) for low, _ in probabilities.values()), Fraction(0)), Fraction(0)
    )
    least = max(
        1 - sum((Fraction(high) for _, high in probabilities.values()), Fraction(0)), Fraction(0)
    )
    rest = rounded_up(most)
    probabilities[Others()] = max(-rounded_up(-least), 0.0), rest
    return Partition(probabilities, None, rest or TINY, binning.spent)


def _listed(law: Law) -> Listed | None:
    """Return the list of a law's outputs; None for too many, and for a law that lists none."""
    count = law.output_count()
    return law.listed() if count is not None and count <= _MOST_OUTPUTS else None


def _check_line(batch: Batch) -> None:
    if batch.numbers.shape[1] != 1 or np.isnan(batch.numbers).any():
        raise LawError(
            "the output distribution lists single numbers, but a drawn output is not a number"
        )


def _add(table: dict[Any, tuple[float, float]], output: Any, bounds: tuple[float, float]) -> None:
    """Add the probability of an output to those that draws do not tell it from."""
    if output in table:
        low, high = (
            sum(map(Fraction, pair), Fraction(0))
            for pair in zip(table[output], bounds, strict=True)
        )
        bounds = max(-rounded_up(-low), 0.0), min(rounded_up(high), 1.0)
    table[output] = bounds


def _bounds(ball: Ball) -> tuple[float, float]:
    low, high = -rounded_up(-lower_fraction(ball)), rounded_up(upper_fraction(ball))
    return max(low, 0.0), min(high, 1.0)


def _probability(law: Law, output: Any) -> Ball:
    """Return the probability of what was drawn, which may be nothing that the law knows."""
    # A law of one coordinate may have tuples of one.
    for form in (output, (output,)):
        try:
            probability = law.probability(form).ball
        except (TypeError, ValueError, DpauditError):
            continue
        if certainly_less(Ball(0), probability):
            return probability
    return Ball(0)


def compare(
    counts: Mapping[Any, int],
    partition: Partition,
    draws: int,
    error: float,
    datasets: int,
    *,
    places: Sequence[Mapping[Any, int]] = (),
) -> Compared:
    """Compare what was drawn at one dataset with its law.

    Args:
        counts: how often each output was drawn.
        places: the same, of the draws from each place.
        partition: the outputs or bins that draws were counted in, with their law.
        draws: how many draws there were.
        error: the error probability of everything, over all datasets.
        datasets: over how many datasets it is shared.
    """
    law = partition.law
    tests = (len(law) + 1) * datasets
    worst, least = "", 1.0
    for output, (low, high) in law.items():
        count = counts.get(output, 0)
        tail = min(at_least(draws, high, count), at_most(draws, low, count))
        if min(1.0, 2 * tail) < least or not worst:
            words = partition.bins.words(output) if partition.bins is not None else repr(output)
            worst, least = f"{words}: {count} of {draws}", min(1.0, 2 * tail)
    strange = [output for output in counts if output not in law]
    if strange:
        most = sum((Fraction(low) for low, _ in law.values()), Fraction(0))
        beyond = at_least(
            draws, rounded_up(max(1 - most, Fraction(0))), sum(counts[o] for o in strange)
        )
        if beyond <= least:
            worst = (
                f"{len(strange)} outputs that the distribution does not have, such as "
                f"{strange[0]!r}"
            )
            least = beyond
    distance = _bounded(counts, partition, draws, datasets / error)
    own = [
        _bounded(p, partition, sum(p.values()), 3 * len(places) * datasets / error) for p in places
    ]
    binned = partition.bins is not None
    return Compared(len(law), worst, min(1.0, least * tests), distance, binned, tuple(own))


def rest_of(partition: Partition, some: Sequence[Any]) -> tuple[float, float]:
    """Return bounds of the probability of all outputs but some."""
    low, high = (
        sum((Fraction(partition.law[output][end]) for output in some), Fraction(0))
        for end in (0, 1)
    )
    return max(-rounded_up(high - 1), 0.0), min(rounded_up(max(1 - low, Fraction(0))), 1.0)


def _bounded(counts: Mapping[Any, int], partition: Partition, draws: int, odds: float) -> float:
    """Return an upper bound of the distance, wrong with a probability of at most 1/odds."""
    if not draws:
        return 1.0
    apart = _distance(counts, partition.law, draws)
    spread = sqrt((len(partition.law) + 1) * log(2) + log(odds)) / sqrt(2 * draws)
    # Rounded up: the distance is an upper bound.
    return min(1.0, nextafter((apart + spread + partition.rest) * (1 + 1e-12), 2.0))


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

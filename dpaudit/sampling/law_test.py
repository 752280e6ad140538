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
    "Bins",
    "Compared",
    "Others",
    "Partition",
    "Told",
    "choice_of",
    "compare",
    "partition",
    "rest_of",
    "told_apart",
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
class Told:
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


def told_apart(batch: Batch, partition: Partition) -> list[Any]:
    """Return what each draw counts as: the output, or the bin in which it is."""
    if partition.bins is None:
        keys = list(map(same, batch.keys))
        if not partition.rest:
            return keys
        return [key if key in partition.law else Others() for key in keys]
    _check_line(batch)
    places = np.searchsorted(partition.bins.edges, batch.numbers[:, 0], "right")
    found: list[Any] = places.tolist()
    return found


def choice_of(law: Law, dataset: Any, first: Callable[[], Batch]) -> Told:
    """Return what draws are told apart by; ``first`` gives draws that are not compared.

    Raises:
        LawError: for a law that cannot be summed over sets of outputs.
    """
    if _listed(law) is not None:
        return Told()
    batch = first()
    if isinstance(law, LineLaw):
        inner = np.linspace(0, 1, _BINS + 1)[1:-1]
        _check_line(batch)
        edges = np.unique(np.quantile(batch.numbers[:, 0], inner, method="inverted_cdf"))
        cuts = [float(edge) for edge in edges if np.isfinite(edge)]
        return Told(edges=tuple(cuts), spent=len(batch))
    seen = [output for output, _ in Counter(map(same, batch.keys)).most_common(_MOST_SEEN)]
    return Told(tuple(seen), spent=len(batch))


def partition(law: Law, dataset: Any, told: Told) -> Partition:
    """Return the law of what draws are told apart by.

    Raises:
        LawError: for outputs of which the law gives none a probability.
    """
    with precision(_BITS):
        listed = _listed(law)
        if listed is not None:
            found: dict[Any, tuple[float, float]] = {}
            for rank, output in enumerate(listed.outputs):
                _add(found, same(key(plain(output))), _bounds(listed.ball(rank)))
            return Partition(found)
        if isinstance(law, LineLaw):
            below = [Ball(0), *(law.below(Fraction(edge)) for edge in told.edges), Ball(1)]
            masses = (_bounds(after - before) for before, after in pairwise(below))
            return Partition(dict(enumerate(masses)), Bins(told.edges), spent=told.spent)
        known = {output: _bounds(_probability(law, output)) for output in told.outputs}
    known = {output: bounds for output, bounds in known.items() if bounds[1] > 0}
    if not known:
        raise LawError(
            f"the law at {dataset} gives no output that was drawn a probability: bin what is drawn "
            "and compare it with a law of bins"
        )
    most = max(1 - sum((Fraction(low) for low, _ in known.values()), Fraction(0)), Fraction(0))
    least = max(1 - sum((Fraction(high) for _, high in known.values()), Fraction(0)), Fraction(0))
    rest = rounded_up(most)
    known[Others()] = max(-rounded_up(-least), 0.0), rest
    return Partition(known, None, rest or TINY, told.spent)


def _listed(law: Law) -> Listed | None:
    """Return the list of a law's outputs; None for too many, and for a law that lists none."""
    count = law.output_count()
    return law.listed() if count is not None and count <= _MOST_OUTPUTS else None


def _check_line(batch: Batch) -> None:
    if batch.numbers.shape[1] != 1 or np.isnan(batch.numbers).any():
        raise LawError("the law is of one number, and an output is something else")


def _add(found: dict[Any, tuple[float, float]], output: Any, bounds: tuple[float, float]) -> None:
    """Add the probability of an output to those that draws do not tell it from."""
    if output in found:
        low, high = (
            sum(map(Fraction, pair), Fraction(0))
            for pair in zip(found[output], bounds, strict=True)
        )
        bounds = max(-rounded_up(-low), 0.0), min(rounded_up(high), 1.0)
    found[output] = bounds


def _bounds(ball: Ball) -> tuple[float, float]:
    low, high = -rounded_up(-lower_fraction(ball)), rounded_up(upper_fraction(ball))
    return max(low, 0.0), min(high, 1.0)


def _probability(law: Law, output: Any) -> Ball:
    """Return the probability of what was drawn, which may be nothing that the law knows."""
    for form in (output, (output,)):
        try:
            found = law.probability(form).ball
        except (TypeError, ValueError, DpauditError):
            continue
        if certainly_less(Ball(0), found):
            return found
    return Ball(0)


def compare(
    counts: Mapping[Any, int],
    told: Partition,
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
        told: what the draws were told apart by, with its law.
        draws: how many draws there were.
        error: the error probability of everything, over all datasets.
        datasets: over how many datasets it is shared.
    """
    law = told.law
    tests = (len(law) + 1) * datasets
    worst, least = "", 1.0
    for output, (low, high) in law.items():
        seen = counts.get(output, 0)
        tail = min(at_least(draws, high, seen), at_most(draws, low, seen))
        if min(1.0, 2 * tail) < least or not worst:
            words = told.bins.words(output) if told.bins is not None else repr(output)
            worst, least = f"{words}: {seen} of {draws}", min(1.0, 2 * tail)
    strange = [output for output in counts if output not in law]
    if strange:
        most = sum((Fraction(low) for low, _ in law.values()), Fraction(0))
        beyond = at_least(
            draws, rounded_up(max(1 - most, Fraction(0))), sum(counts[o] for o in strange)
        )
        if beyond <= least:
            worst = f"{len(strange)} outputs that the law has not, as {strange[0]!r}"
            least = beyond
    distance = _bounded(counts, told, draws, datasets / error)
    own = [_bounded(p, told, sum(p.values()), 3 * len(places) * datasets / error) for p in places]
    binned = told.bins is not None
    return Compared(len(law), worst, min(1.0, least * tests), distance, binned, tuple(own))


def rest_of(told: Partition, some: Sequence[Any]) -> tuple[float, float]:
    """Return bounds of the probability of all outputs but some."""
    low, high = (sum((Fraction(told.law[one][end]) for one in some), Fraction(0)) for end in (0, 1))
    return max(-rounded_up(high - 1), 0.0), min(rounded_up(max(1 - low, Fraction(0))), 1.0)


def _bounded(counts: Mapping[Any, int], told: Partition, draws: int, odds: float) -> float:
    """Return an upper bound of the distance, wrong with a probability of at most 1/odds."""
    if not draws:
        return 1.0
    apart = _distance(counts, told.law, draws)
    spread = sqrt((len(told.law) + 1) * log(2) + log(odds)) / sqrt(2 * draws)
    return min(1.0, nextafter((apart + spread + told.rest) * (1 + 1e-12), 2.0))


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

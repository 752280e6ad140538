"""Estimates of the memory and time of a command before it runs.

The one table of how many bytes each engine holds for each number at its peak, from what its code
allocates.  ``python -m tests.estimates`` holds it against what processes really take.

=========  =====================================================================================
engine     what it holds, of D datasets, R outputs, k categories, S histograms of n − 1 records
=========  =====================================================================================
structure  arrays over the histograms and over the C(k, 2)·S moves between them
tables     two floats and a number for each of R·D probabilities, and each different one once
balls      a window of laws, R balls each; of Hellinger laws all affinities of a coordinate too
laws       what a screen leaves: the balls of a few laws
directed   of accounts: the masses of every pair, and what bounds its runs, in both directions
patterns   of a curve of listed laws: what tells each pair apart, 16·R bytes
listing    of an error: R outputs with distance and probability
grid       of dp-accounting, for several runs: what lies between the largest losses
=========  =====================================================================================

A process of its own works on one size, so that the largest counts; each worker takes as much again.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from math import comb, inf
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.audit.plan import WORTH_A_SCREEN, Pairs, Plan
from dpaudit.machine import INTERPRETER, amount, available, duration
from dpaudit.numbers.ball import bits_for_digits
from dpaudit.results import GUARD_DIGITS
from dpaudit.screens.bounds import (
    BALL_BYTES,
    ENTRY_BYTES,
    EXACT_BYTES,
    NUMBERED_BYTES,
    RATIONAL_BYTES,
    SMALL_BITS,
    SMALL_BYTES,
    NotScreened,
)
from dpaudit.screens.bounds import check_room as check_tables

if TYPE_CHECKING:
    from dpaudit.audit.measure import Foreseen, Needs
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["BALL", "OWN_OUTPUT", "SIZE", "Estimate", "estimate", "grid_bytes", "listing_bytes"]

_FLOAT = 8
BALL = 80
"""A ball of two words, its place in a list, and what is not used there."""
_LISTS = 4  # of a number for each output, while two laws in balls are compared
_AFFINITIES = 8  # lists of a number for each count, while two laws of two categories are made
_CELLS = 1 << 20  # of one table of sums: dpaudit.notes.float_metric
OWN_OUTPUT = 300  # an output of a law written out: its entry in a table, and its ball
_LISTED_PAIR = 300  # a pair of a user's datasets, while the pairs are found
SIZE = 12_000  # a finished size in a report, and the line about it
_VERTEX = 1_000  # of a curve, in both hulls, in a report and as text
_OUTCOME = 1_900  # of a pair: its masses, also as balls of each direction, losses and moments
_FEW_OUTCOMES = 3  # of laws in closed form, whose outputs are merged where their losses agree
_GRID_POINT = 175  # of dp-accounting's distributions of a pair, in both directions, while composed
_TAILS = 8.4  # standard deviations beyond which it cuts them
_LISTED_OUTPUT = 1_200  # of an error: counts, distance, probability and where they are collected
_MERGED_OUTPUT = 280  # its counts, and what a probability takes on its way
_WAITING = 22 << 20  # of the process that waits for the one with a user's code (RssAnon)


@dataclass(frozen=True)
class Estimate:
    """Estimate of the memory and time of one size in one process."""

    what: str
    """The mechanism and the size."""
    counts: str
    """Numbers of datasets, pairs and outputs, in words."""
    bytes: int
    """The peak of the memory."""
    seconds: float
    """About how long it takes one process."""

    def __str__(self) -> str:
        """Return it as a line."""
        took = f"{amount(self.bytes)}, {duration(self.seconds)} in one process"
        return f"{self.what}: {self.counts}; about {took}"


class _Shape(NamedTuple):
    """Dimensions that determine how many numbers are held."""

    n: int
    k: int
    datasets: int
    pairs: int
    around: int
    """The pairs around the only datasets that are asked about; 0 where all are."""
    found: int
    """The pairs that are found one by one, and held."""
    outputs: int
    """Of one law, 0 where they are not listed."""
    kinds: int
    """Different probabilities in closed form, over all laws; 0 where they are balls."""
    bits: int
    """Those of the whole numbers that probabilities are quotients of; 0 where they are none."""
    symmetric: bool
    """True if some categories are interchangeable."""
    priors: int
    """Different parameters of the prior."""
    structured: bool
    ball: int
    """Bytes of a ball, and of its place in a list."""


def _structure(s: _Shape, *, looked_at: bool = True) -> int:
    """Return the peak of :mod:`dpaudit.screens.exponents` over Hellinger distances.

    Where no pair is ``looked_at`` in floats, they only say which sensitivities matter.
    """
    shared, moves = comb(s.n + s.k - 2, s.k - 1), comb(s.k, 2)
    tables, cells, largest = _sum_tables(s.n, s.k)
    kept = _FLOAT * ((s.k + 3 * tables + 8) * s.datasets + 2 * cells) + 250 * (2 * s.n + 1)
    rows = _FLOAT * 22 * s.datasets  # what probabilities δ looks at, eight of them kept
    making = _FLOAT * (6 * largest + 4 * s.datasets) if s.k > 2 else 0
    kept += _FLOAT * s.k * shared if s.k > 2 else 0
    if not looked_at:
        return kept + max(making, _laws(s))
    if s.k == 2:
        return kept + max(_FLOAT * 16 * shared, rows, _laws(s))
    orbits = (20 * moves + 2 * s.k + 4) if s.symmetric else 14 * moves
    found = _FLOAT * 4 * moves * shared
    return kept + max(making, _FLOAT * orbits * shared, found + rows, found + _laws(s))


def _sum_tables(n: int, k: int) -> tuple[int, int, int]:
    """Return how many tables of sums there are, their cells, and those of the largest."""
    radix, width = 2 * n + 1, k - 1
    if k == 2 or radix**width <= _CELLS:
        return 1, radix**width, radix**width
    while width > 1 and radix**width > _CELLS:
        width -= 1
    whole, rest = divmod(k, width)
    cells = whole * radix**width + (radix**rest if rest else 0)
    return whole + bool(rest), cells, radix**width


def _laws(s: _Shape) -> int:
    """Return what the laws of a few pairs in balls take, and what is made of them.

    Laws of listed pairs are dropped after their last.
    """
    if not s.structured:
        return 4 * OWN_OUTPUT * s.outputs
    lists = _LISTS + 2 + (_AFFINITIES if s.k == 2 else 0)
    return lists * s.ball * s.outputs


def _tables(s: _Shape, *, powers: bool = False) -> int:
    """Return the peak of :class:`dpaudit.screens.tables.FloatTables`, and of the pairs."""
    entries = s.datasets * s.outputs
    if s.bits and not powers:
        held = entries * (SMALL_BYTES if s.bits <= SMALL_BITS else RATIONAL_BYTES)
    else:
        held = entries * ENTRY_BYTES
        held += s.kinds * EXACT_BYTES if s.kinds else entries * BALL_BYTES
    more = 2 * (_FLOAT * entries + BALL_BYTES * (s.kinds or entries) // 2) if powers else 0
    return held + more + s.found * 16 + _affinities(s) + _laws(s)


def _affinities(s: _Shape) -> int:
    """Return what the affinities of Hellinger laws take that are all made in balls."""
    return s.priors * (s.n + 1) ** 2 * s.ball if s.structured else 0


def _has_room(entries: int) -> bool:
    with suppress(NotScreened):
        check_tables(entries)
        return True
    return False


def _balls(s: _Shape) -> int:
    """Return what a scan of all pairs in balls takes: the laws of the pairs not yet done with."""
    if not s.structured:  # each law is kept from its first pair to its last
        return (s.datasets + 4) * OWN_OUTPUT * s.outputs
    window = comb(s.n + s.k - 2, s.k - 2)
    neighbours = 0 if s.k == 2 else 40 * s.k * (s.k - 1) * s.datasets
    return _affinities(s) + neighbours + (window + 4) * s.ball * s.outputs + 3 * s.ball * s.datasets


def listing_bytes(outputs: int, digits: int, *, few_errors: bool = False) -> int:
    """Return what the law of an error with so many outputs takes, the interpreter apart.

    Of ``few_errors`` the outputs are all that is held: distances and probabilities are collected.
    """
    each = _MERGED_OUTPUT if few_errors else _LISTED_OUTPUT
    return outputs * (each + 4 * (_ball(digits) - BALL))


def grid_bytes(epsilon: float, runs: int, step: float) -> int:
    """Return what dp-accounting takes to compose ``runs`` of a largest loss on a grid of losses.

    It holds a float for each point between the losses that all runs together can have, or hardly
    exceed, and transforms them; one run is a list.
    """
    if runs == 1 or not epsilon < inf:
        return 0
    likely = _TAILS * epsilon * runs**0.5 + runs * epsilon * epsilon / 2
    return int(_GRID_POINT * 2 * min(runs * epsilon, likely) / step)


def _ball(digits: int) -> int:
    bits = bits_for_digits(digits + GUARD_DIGITS)
    return BALL if bits <= 128 else BALL + 24 + 8 * (bits // 64 + 1)


def _shape(mechanism: Mechanism[Any], n: int, plan: Plan, needs: Needs) -> _Shape:
    relation = mechanism.adjacency(plan.adjacency)
    structured = mechanism.screened_entries(n) is not None
    k = int(getattr(mechanism, "k", 0) or 0)
    prior = Counter(getattr(mechanism, "prior", ()))
    datasets = relation.dataset_count(n)
    pairs, found = relation.expected_pairs(n)
    outputs, kinds, more, bits = mechanism.listed_outputs(n)
    return _Shape(
        n=n,
        k=k,
        datasets=datasets,
        pairs=pairs,
        around=0 if plan.at is None or needs.everywhere else Pairs(mechanism, n, plan).expected,
        found=found,
        outputs=outputs,
        kinds=min(kinds + more * (datasets - 1), outputs * datasets),
        bits=bits,
        symmetric=any(count > 1 for count in prior.values()),
        priors=len(prior),
        structured=structured,
        ball=_ball(plan.digits),
    )


def _peak(s: _Shape, needs: Needs, plan: Plan) -> int:
    """Return the peak of what is held at one size, but for a list of all outputs."""
    if not needs.pairs:
        return _laws(s)
    if (plan.at is not None and not needs.everywhere) or s.pairs < WORTH_A_SCREEN:
        return _structure(s, looked_at=False) if s.structured else _laws(s)
    screened = plan.engine == "screen"
    found = []
    if screened and s.structured and needs.structure:
        found.append(_structure(s))
    if not found or needs.tables:
        room = screened and bool(s.outputs) and _has_room(s.datasets * s.outputs)
        found.append(_tables(s, powers=needs.powers) if room else _balls(s))
        if needs.patterns and room and not s.structured:
            found[-1] += NUMBERED_BYTES * s.outputs * s.datasets + 8 * s.outputs * s.pairs
    return max(found)


def estimate(measure: Foreseen, mechanism: Mechanism[Any], n: int, plan: Plan) -> Estimate:
    """Return what a ``measure`` of a ``mechanism`` takes at size ``n``, in one process.

    Raises:
        DpauditError: for a mechanism that has no law or no datasets at that size.
    """
    needs = measure.needs
    s = _shape(mechanism, n, plan, needs)
    held = _peak(s, needs, plan) + _LISTED_PAIR * s.found
    if needs.listing:
        count = mechanism.output_count(n) or 0
        if count <= needs.listing:
            held = max(held, listing_bytes(count, plan.digits, few_errors=needs.few_errors))
    if needs.patterns:
        held += _VERTEX * s.outputs
    if needs.directed:
        outcomes = min(s.outputs, _FEW_OUTCOMES) if s.kinds else s.outputs
        held += _OUTCOME * outcomes * (s.around or s.pairs)
    seconds = inf
    if not mechanism.names_datasets or held < available():  # else the pairs would be listed for it
        with suppress(OverflowError):
            seconds = measure.seconds(mechanism, n, plan)
    where = f"n = {n:,}" + (f", k = {s.k}" if s.k else "")
    outputs = f", {s.outputs:,} outputs" if s.outputs else ""
    return Estimate(
        what=f"{mechanism.name} at {where}",
        counts=f"{s.datasets:,} datasets, {s.around or s.pairs:,} pairs{outputs}",
        bytes=INTERPRETER + held + (_WAITING if mechanism.loaded_from is not None else 0),
        seconds=seconds,
    )

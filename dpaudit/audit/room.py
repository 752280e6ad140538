"""Refusal of commands that need more memory than there is, before they take it.

Everything that takes much memory asks here first, with what :mod:`dpaudit.audit.estimate` says, and
is refused with one line: how much it takes, how much there is, and what would fit.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from dpaudit import machine
from dpaudit.audit.estimate import BALL, OWN_OUTPUT, SIZE, Estimate, estimate, listing_bytes
from dpaudit.errors import DpauditError, LawError, SizeError
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.machine import INTERPRETER, available, duration
from dpaudit.numbers.ball import PrecisionNeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.audit.measure import Foreseen
    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "MOST_LISTED",
    "check_laws",
    "check_listing",
    "check_room",
    "largest_below",
    "workers_that_fit",
]

MOST_LISTED = 4_000_000
"""More outputs than this are not listed one by one, whatever the memory."""


def check_room(
    measure: Foreseen,
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    workers: int = 1,
    *,
    elsewhere: bool = False,
) -> Estimate | None:
    """Return what the largest of ``sizes`` takes; None where that cannot be told beforehand.

    The laws of a user's mechanism are asked for at the smallest size alone: what larger ones take
    is told when their turn comes.  This is the first look at them, so that what is wrong here is
    wrong: a law that gets better when it is asked for again is none.

    Args:
        measure: what is asked.
        mechanism: of what.
        sizes: at which sizes, in increasing order.
        plan: how.
        workers: how many processes of this machine each take as much.
        elsewhere: whether other machines do the work, whose memory is not known here.

    Raises:
        TooLargeError: where there is not so much memory, saying how much and what would fit.
        LawError: where what a mechanism gives is no law, or changes when it is asked for again.
    """
    own = mechanism.names_datasets
    n = sizes[0] if own else sizes[-1]
    found = _first_look(measure, mechanism, n, plan)
    if found is None:
        return None
    # This process waits beside its workers.
    in_all = found.bytes * workers + (INTERPRETER if workers > 1 else 0)
    if not elsewhere:
        fits = partial(_fitting, measure, mechanism, sizes, plan, workers)
        machine.require(in_all, _asked(found, workers), fits)
    reports = INTERPRETER + SIZE * len(sizes)
    machine.require(
        reports,
        f"the report on {len(sizes):,} sizes of {mechanism.name}",
        lambda: f"about {max(1, (available() - INTERPRETER) // SIZE):,} sizes fit",
    )
    return found


def _first_look(
    measure: Foreseen, mechanism: Mechanism[Any], n: int, plan: Plan
) -> Estimate | None:
    """Return what one size takes; None where the run itself says what is wrong.

    That is so only of what is wrong again at a second look.
    """
    try:
        return estimate(measure, mechanism, n, plan)
    except LawError:
        raise
    except (DpauditError, PrecisionNeeded) as error:
        before = error
    try:
        estimate(measure, mechanism, n, plan)
    except (DpauditError, PrecisionNeeded):
        return None
    raise LawError(
        f"{mechanism.name}: {before}; a second attempt succeeded, so the mechanism does not give "
        "the same answers each time"
    )


def _asked(found: Estimate, workers: int) -> str:
    times = f" in {workers} processes" if workers > 1 else ""
    seconds = "" if found.seconds == inf else f", {duration(found.seconds)}"
    return f"{found.what}: {found.counts}{seconds};{times} it"


def _fitting(
    measure: Foreseen,
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    workers: int,
) -> str:
    """Return what would fit: the largest size, or one process."""
    if mechanism.names_datasets or isinstance(plan.at, tuple):
        return ""  # other sizes are other laws, or have not the dataset that is asked about
    room = (available() - (INTERPRETER if workers > 1 else 0)) // workers

    def needed(n: int) -> int:
        return estimate(measure, mechanism, n, plan).bytes

    largest = largest_below(needed, room, sizes[-1])
    if workers > 1 and needed(sizes[-1]) <= available():
        return "--jobs 1 fits"
    return f"n ≤ {largest:,} fits" if largest else ""


def largest_below(needed: Callable[[int], int], room: int, most: int) -> int:
    """Return the largest n from 1 to ``most`` that is ``needed`` at most ``room``; 0 for none.

    ``needed`` does not decrease.

    >>> largest_below(lambda n: n * n, 50, 1000)
    7
    """
    low, high = 0, most
    while low < high:
        # Rounded up, so that ``low = middle`` is progress.
        middle = (low + high + 1) // 2
        low, high = (middle, high) if needed(middle) <= room else (low, middle - 1)
    return low


def workers_that_fit(held: int, workers: int) -> int:
    """Return for how many of so many workers there is memory, ``held`` bytes each; one at least."""
    return max(1, min(workers, (available() - INTERPRETER) // max(held, 1)))


def check_listing(outputs: int | None, digits: int = 12, *, few_errors: bool = False) -> None:
    """Raise ``UsageError`` for more outputs than are listed one by one; None is endlessly many.

    Args:
        outputs: how many there are.
        digits: to how many digits their errors are wanted.
        few_errors: whether the errors are whole numbers of records, not distances of their own.

    Raises:
        SizeError: for more than are ever listed.
        TooLargeError: for more than there is memory for.
    """
    if outputs is None:
        return
    if outputs > MOST_LISTED:
        raise SizeError(
            f"{outputs} outputs would have to be listed, and the limit is {MOST_LISTED}; take "
            "fewer records or categories"
        )
    machine.require(
        INTERPRETER + listing_bytes(outputs, digits, few_errors=few_errors),
        f"{outputs:,} outputs are listed, which",
    )


def check_laws(held: Mapping[Any, Any]) -> None:
    """Raise ``TooLargeError`` where laws take more memory than there is.

    ``held`` are those whose pairs are not done with, by dataset.
    """
    outputs = sum(law.output_count() for law in held.values())
    weighted = all(isinstance(law, WeightedLaw) for law in held.values())
    machine.require(
        INTERPRETER + (BALL if weighted else OWN_OUTPUT) * outputs,
        f"{len(held):,} output distributions with {outputs:,} outputs, more than was "
        "estimated: keeping them",
    )

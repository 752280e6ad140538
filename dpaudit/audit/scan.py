"""The one loop over pairs of datasets: what is measured of them, and where it is largest.

A scan looks at both directions of every pair and keeps, for each quantity, the directions that may
hold its maximum.  What is certainly not the largest is left aside, and the rest is looked at again
in more bits, until the result is settled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from dpaudit.audit.maximum import Maximum
from dpaudit.audit.measure import ignore
from dpaudit.audit.plan import WORTH_A_SCREEN, Pairs, Plan
from dpaudit.audit.quantity import Candidate, Limits, PairOfLaws, Quantity, Value
from dpaudit.audit.room import check_laws
from dpaudit.errors import PrecisionError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded
from dpaudit.results import GUARD_DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dpaudit.audit.screen import CandidatePairs, Share
    from dpaudit.laws.law import Law, OutputLaws
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["Scan", "compared", "raising_precision", "scan", "scan_size"]

ResultT = TypeVar("ResultT")

_LOOK = 1 << 19
"""After so many outputs of laws, the memory of those that are held is looked at."""


@dataclass
class Scan:
    """The maxima over the pairs of one pass at one precision."""

    maxima: list[Maximum[Any] | None]
    """The largest value of each quantity, tagged with a :class:`Candidate`."""
    covered: int = 0
    """Number of pairs visited."""
    unenclosed: dict[tuple[int, tuple[Any, Any], bool, int], PrecisionNeeded] = field(
        default_factory=dict
    )
    """The directions of which the precision did not do for a quantity, by its number."""
    open: bool = False
    """True if some value is a lower bound alone."""

    def largest(self, index: int = 0) -> Maximum[Any]:
        """Return the largest value of a quantity, by its number.

        Raises:
            PrecisionNeeded: where some pair that may have it is not enclosed.
            ValueError: where there were no pairs.
        """
        for request in self.unenclosed.values():
            raise request
        found = self.maxima[index]
        if found is None:
            raise ValueError("there are no pairs to look at")
        return found

    def left(self) -> Left:
        """Return what may hold a maximum still."""
        pairs: dict[int, tuple[Any, Any]] = {}
        wanted = set()
        for place, ends, forward, index in self.unenclosed:
            pairs[place] = ends
            wanted.add((place, forward, index))
        for index, maximum in enumerate(self.maxima):
            for one in () if maximum is None else maximum.tags:
                if isinstance(one, Candidate):
                    pairs[one.place] = one.ends
                    wanted.add((one.place, one.forward, index))
        return Left(sorted(pairs.items(), key=lambda item: item[0]), wanted)


class Left(NamedTuple):
    """The pairs that are left after a pass, with their places in it."""

    pairs: list[tuple[int, tuple[Any, Any]]]
    wanted: set[tuple[int, bool, int]]
    """The place, direction and number of the quantity of what is still to be looked at."""


def compared(book: OutputLaws[Any], pairs: Iterable[tuple[Any, Any]]) -> Iterator[PairOfLaws]:
    """Iterate over pairs, each with its laws side by side, at the working precision.

    Of pairs that are listed, a dataset is dropped after its last.  Else one that has been first is
    dropped when the next one is: with pairs in lexicographic order it is not needed again, and the
    working set stays a window of rows.  (Were it needed again, it would be computed again.)  Laws
    of listed outputs are counted as they come.
    """
    laws: dict[Any, Law] = {}
    current: Any = None
    counted = 0
    last: dict[Any, int] = {}
    if isinstance(pairs, list):
        last = {dataset: place for place, ends in enumerate(pairs) for dataset in ends}
    for place, (left, right) in enumerate(pairs):
        if left != current and not last:
            laws.pop(current, None)
        current = left
        for dataset in (left, right):
            if dataset not in laws:
                laws[dataset] = law = book.law(dataset)
                if isinstance(law, (ExplicitLaw, WeightedLaw)):
                    before, counted = counted, counted + law.output_count()
                    if counted // _LOOK > before // _LOOK:
                        check_laws(laws)
                # Else this name would hold the law after its last pair.
                del law
        yield PairOfLaws(laws[left].divergence_from(laws[right]), left, right)
        for dataset in (left, right):
            if last.get(dataset) == place:
                laws.pop(dataset, None)


def scan(
    book: OutputLaws[Any],
    pairs: Iterable[tuple[Any, Any]] | Left,
    quantities: Sequence[Quantity],
    progress: Callable[[int], None],
    *,
    tolerance: Fraction | None = None,
    floors: list[Ball | None] | None = None,
    passes: list[Scan] | None = None,
) -> Scan:
    """Return the largest value of each of the ``quantities`` over ``pairs``.

    Both directions of every pair count, at every output.  The result is enclosed at the working
    precision.

    Args:
        book: the laws.
        pairs: the pairs, or what a scan at a lower precision has left of them.
        quantities: what is measured.
        progress: told of each pair.
        tolerance: how wide the enclosure of a supremum may be; None for a rough one.
        floors: what the maxima are certainly not below, where that is known; it is raised.
        passes: what is returned is put here first, for whoever stops the scan.
    """
    wanted = None
    places: Iterator[int] = iter(range(1 << 62))
    if isinstance(pairs, Left):
        places, wanted = iter([place for place, _ in pairs.pairs]), pairs.wanted
        pairs = [ends for _, ends in pairs.pairs]
    found = Scan([quantity.least() for quantity in quantities])
    if passes is not None:
        passes.append(found)
    each = pairs.each if isinstance(pairs, Pairs) else 1
    known: list[dict[Any, Value | None]] = [{} for _ in quantities]
    for laws in compared(book, pairs):  # no zip: it would keep the last two laws for the next two
        place = next(places)
        for forward in (True, False):
            for index, quantity in enumerate(quantities):
                # A symmetric quantity is the same in both directions.
                if not (forward or quantity.directed):
                    continue
                if wanted is not None and (place, forward, index) not in wanted:
                    continue
                largest, floor = found.maxima[index], floors[index] if floors else None
                try:
                    value, key = _value(
                        quantity, laws, forward, known[index], Limits(tolerance, floor)
                    )
                except PrecisionNeeded as request:
                    here = (place, (laws.left, laws.right), forward, index)
                    found.unenclosed[here] = request.with_traceback(None)  # that holds the laws
                    continue
                found.open = found.open or (value is not None and value.open)
                if value is None or (floor is not None and balls.certainly_less(value.ball, floor)):
                    continue
                tag = Candidate(place, (laws.left, laws.right), forward, value, key)
                if largest is None:
                    found.maxima[index] = Maximum(value.ball, value.exact, tag)
                else:
                    largest.add(value.ball, value.exact, tag)
                if floors and floor is not None and balls.certainly_less(floor, value.ball.lower()):
                    floors[index] = value.ball.lower()
        found.covered += each
        progress(each)
        del laws
    return found


def _value(
    quantity: Quantity,
    laws: PairOfLaws,
    forward: bool,
    known: dict[Any, Value | None],
    limits: Limits,
) -> tuple[Value | None, Any]:
    """Return what is measured, with its key; directions of one key are measured once."""
    value = quantity.known(laws, forward=forward)
    if value is not None:
        return value, None
    key = quantity.key(laws, forward=forward)
    if key is None or key not in known:
        value = quantity.measure(laws, forward=forward, limits=limits)
        if key is None:
            return value, None
        known[key] = value
    return known[key], key


def raising_precision(
    attempt: Callable[[], tuple[ResultT, bool]], plan: Plan, where: str, spare: int = 0
) -> ResultT:
    """Return the first result of ``attempt`` that it says is settled, at ever more bits.

    At the plan's cap any result is returned.

    Args:
        attempt: gives a result at the working precision, and whether it is settled.
        plan: how many digits are wanted, and the cap.
        where: what is looked at, for messages.
        spare: bits beyond those that the digits need.

    Raises:
        PrecisionError: where there is no result at the cap.
    """
    bits = balls.bits_for_digits(plan.digits + GUARD_DIGITS) + spare
    # Many digits begin above the cap of a few.
    cap = max(plan.precision_cap, 4 * bits)
    while True:
        try:
            with balls.precision(bits):
                result, settled = attempt()
        except PrecisionNeeded as request:
            if bits >= cap:
                raise PrecisionError(f"{where}: {request} ({bits} bits)") from None
        else:
            if settled or bits >= cap:
                return result
        bits = min(2 * bits, cap)


def scan_size(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    quantities: Sequence[Quantity],
    conclude: Callable[[Scan, Pairs], tuple[ResultT, bool]],
    *,
    progress: Callable[[int], None] = ignore,
    share: Share | None = None,
    spare: int = 0,
    passes: list[Scan] | None = None,
) -> ResultT:
    """Return what ``conclude`` makes of the largest ``quantities`` over all pairs of one size.

    All pairs are screened in floats where the quantities and the plan allow it, and what the screen
    leaves, else every pair, is looked at in balls.

    Args:
        mechanism: what is audited.
        n: the size.
        plan: which pairs, to how many digits, by which engine.
        quantities: what is measured of each pair.
        conclude: makes a result of a scan at the working precision, and says whether it is settled.
        progress: told of pairs that have been covered.
        share: has other processes compute the screen; the findings are the same.
        spare: bits beyond those that the digits need.
        passes: is given every pass over the pairs when it begins, for whoever stops the scan.

    Raises:
        PrecisionError: where something cannot be enclosed at all.
    """
    pairs = Pairs(mechanism, n, plan)
    told = _Progress(progress)
    screened = _screened(mechanism, pairs, plan, quantities, progress=told, share=share)
    work: Iterable[tuple[Any, Any]] | Left = pairs if screened is None else screened.pairs
    covered = None if screened is None else screened.covered
    tell = ignore if told.pairs else progress
    before: Scan | None = None
    opened = False

    def attempt() -> tuple[ResultT, bool]:
        nonlocal work, covered, tell, before, opened
        # More bits are for what may hold a maximum still, or was not enclosed.
        work, before = work if before is None else before.left(), None
        book = mechanism.laws() if screened is None else screened.book
        # Finer with every bit, else a supremum would stay as wide at any precision.
        tolerance = min(
            Fraction(1, 10 ** (plan.digits + GUARD_DIGITS)),
            Fraction(1, 1 << balls.working_precision() // 2),
        )
        # Pairs are counted in the first pass alone.
        told, tell = tell, ignore
        if not isinstance(work, Left) and any(one.below is not None for one in quantities):
            roughly = scan(book, work, quantities, told, floors=_floors(book, work, quantities))
            covered = roughly.covered if covered is None else covered
            work, told = roughly.left(), ignore
        first = None if isinstance(work, Left) else passes
        before = scan(book, work, quantities, told, tolerance=tolerance, passes=first)
        before.open = opened = before.open or opened
        covered = before.covered = before.covered if covered is None else covered
        return conclude(before, pairs)

    return raising_precision(attempt, plan, f"{mechanism.name} at n = {n}", spare)


def _screened(
    mechanism: Mechanism[Any],
    pairs: Pairs,
    plan: Plan,
    quantities: Sequence[Quantity],
    *,
    progress: Callable[[int], None],
    share: Share | None,
) -> CandidatePairs | None:
    few = pairs.only is None and pairs.visited < WORTH_A_SCREEN
    if plan.engine != "screen" or few or pairs.alike:  # of one pair a screen leaves nothing out
        return None
    bounds = [bound for bound in (one.bound() for one in quantities) if bound is not None]
    # One quantity without a bound in floats needs every pair in balls.
    if len(bounds) < len(quantities):
        return None
    from dpaudit.audit.screen import screened_pairs

    return screened_pairs(mechanism, pairs, bounds, progress, share)


def _floors(
    book: OutputLaws[Any], pairs: Iterable[tuple[Any, Any]], quantities: Sequence[Quantity]
) -> list[Ball | None]:
    """Return what the maxima are certainly not below, where that is cheap."""
    lower = [quantity.below or quantity for quantity in quantities]
    found = scan(book, pairs, lower, ignore)
    return [None if one is None else one.floor for one in found.maxima]


class _Progress:
    """Passes ticks on and counts them."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self.progress = progress
        self.pairs = 0

    def __call__(self, pairs: int) -> None:
        self.pairs += pairs
        self.progress(pairs)

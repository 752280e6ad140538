"""The law of the error of a mechanism at one dataset: mean, variance, quantiles, tails, by steps.

Everything is enclosed to the digits asked for, at whatever precision that takes.  A quantile is the
smallest error h with P(error ≤ h) ≥ p; where a cumulative probability cannot be told from p, by
balls or by closed forms, the quantile is reported as undecided, with an interval that holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpaudit.accuracy.l1_noise import noise_errors
from dpaudit.accuracy.listing import Cell, Group, Listing, Steps, enclosed, list_noise, list_outputs
from dpaudit.accuracy.metrics import METRICS, metric_of
from dpaudit.accuracy.outputs import listed_outputs
from dpaudit.audit.room import check_listing
from dpaudit.data.histograms import Counts
from dpaudit.errors import DomainError, ParameterError, PrecisionError, SizeError, nearest
from dpaudit.laws.product import ProductLaw
from dpaudit.mechanisms.classics.base import LocalMechanism
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, ball, precision
from dpaudit.numbers.enclosure import enclose, unit_interval
from dpaudit.numbers.real import ONE, Number, Real
from dpaudit.results import OUTSIDE, Enclosure, ErrorGroup, QuantileAt

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["ErrorLaw", "check_counted", "default_outside", "error_law"]

_CAP = 4096


@dataclass(frozen=True)
class ErrorLaw:
    """The exact law of an error; made by :func:`error_law`."""

    mechanism: Mechanism[Any]
    dataset: Counts
    metric: str
    """``hellinger`` or ``l1``."""
    outside: str
    """Treatment of counts outside [0, n], one of :data:`dpaudit.accuracy.outputs.OUTSIDE`."""
    digits: int
    """Intervals are at most 10^−digits wide."""

    @cached_property
    def _listings(self) -> dict[int, Listing]:
        return {}

    @cached_property
    def _quantiles(self) -> dict[Real, QuantileAt]:
        return {}

    def listing(self, bits: int) -> Listing:
        """Return the law in balls at a precision of ``bits``."""
        if bits not in self._listings:
            with precision(bits):
                self._listings[bits] = self._list()
        return self._listings[bits]

    def _list(self) -> Listing:
        count = self.mechanism.output_count(sum(self.dataset))
        few = self.metric == "l1"
        check_listing(count, self.digits, few_errors=few)
        law = self.mechanism.law_at(self.dataset)
        endless = isinstance(law, ProductLaw) and law.output_count() is None
        if self.outside == "printed" and isinstance(law, ProductLaw) and endless:
            return list_noise(noise_errors(law))
        prior = getattr(self.mechanism, "prior", ())
        outputs = listed_outputs(law, self.dataset, prior, self.outside, few_errors=few)
        return list_outputs(outputs, metric_of(self.metric, prior)(self.dataset), self.dataset)

    @property
    def least_bits(self) -> int:
        """The precision that is tried first: a comparison that starts there lists no law twice."""
        return balls.bits_for_digits(self.digits) + 32

    @cached_property
    def _start(self) -> int:
        """The precision at which all errors are told apart, as far as they can be."""
        bits = self.least_bits
        while bits < _CAP:
            try:
                listing = self.listing(bits)
                if listing.separated and listing.is_tight(self.digits):
                    break
            except PrecisionNeeded:
                pass
            bits *= 2
        return bits

    def _refined(self, evaluate: Callable[[Listing], Ball]) -> Ball:
        """Return a quantity as a ball that is at most 10^−digits wide."""
        bits = self._start
        while True:
            with precision(bits):
                value = evaluate(self.listing(bits))
                if enclose(value, self.digits).is_tight(self.digits):
                    return value
            if bits >= _CAP:
                raise PrecisionError(f"not enclosed to {self.digits} digits by {_CAP} bits")
            bits *= 2

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The groups in balls."""
        return self.listing(self._start).cells

    @property
    def groups(self) -> tuple[Group, ...]:
        """The errors in increasing order; those of an endless law up to where little is left."""
        return tuple(Group(cell, self.digits) for cell in self.cells)

    @property
    def remainder(self) -> Enclosure:
        """The probability of errors that are not among the groups."""
        return unit_interval(enclosed(self.listing(self._start).remainder.mass, self.digits))

    def mean(self) -> Enclosure:
        """Return the mean error."""
        return enclosed(self._refined(Listing.mean), self.digits)

    def mean_ball(self, bits: int) -> Ball:
        """Return the mean error as a ball computed with ``bits``, for comparisons."""
        with precision(bits):
            return self.listing(bits).mean()

    def variance(self) -> Enclosure:
        """Return the variance of the error."""

        def evaluate(listing: Listing) -> Ball:
            mean = listing.mean()
            return balls.nonnegative(listing.second_moment() - mean * mean)

        return enclosed(self._refined(evaluate), self.digits)

    @property
    def knows_steps(self) -> bool:
        """True if :meth:`by_steps` has an answer."""
        return any(cell.parts for cell in self.cells)

    def by_steps(self) -> tuple[Steps, ...]:
        """Return the law by the number of steps, as N §3.4.1 intends it.

        Raises ``ParameterError`` where the steps of outputs are not known.
        """
        collected: dict[int, tuple[Ball, list[Cell]]] = {}
        with precision(self._start):
            for cell in self.cells:
                for part in cell.parts:
                    mass, cells = collected.setdefault(part.steps, (ball(0), []))
                    collected[part.steps] = mass + part.mass, [*cells[:1], cell]
            if not collected:
                raise ParameterError(
                    "outside", "dpaudit does not know the steps between these outputs"
                )
            return tuple(
                Steps(
                    steps,
                    unit_interval(enclosed(mass, self.digits)),
                    Group(cells[0], self.digits).distance,
                    Group(cells[-1], self.digits).distance,
                )
                for steps, (mass, cells) in sorted(collected.items())
            )

    def listed(self, by: str) -> tuple[ErrorGroup, ...]:
        """Return the whole law by ``distance`` or by ``steps``; nothing where those are unknown."""
        if by == "distance":
            return tuple(
                ErrorGroup(
                    group.steps, group.distance, group.probability, len(group.outputs) or None
                )
                for group in self.groups
            )
        return tuple(
            ErrorGroup(
                (one.steps,),
                Enclosure(one.nearest.lower, one.furthest.upper),
                one.probability,
                None,
            )
            for one in (self.by_steps() if self.knows_steps else ())
        )

    def tail(self, threshold: Number) -> Enclosure:
        """Return P(error ≥ ``threshold``), a tie with an error counted in.

        Where a tie cannot be told, the interval contains both answers.
        """
        t = read_number(threshold, "threshold")
        probability = self._refined(lambda listing: listing.tail(t))
        return unit_interval(enclosed(probability, self.digits))

    def quantile(self, level: Number) -> QuantileAt:
        """Return the smallest error h with P(error ≤ h) ≥ ``level``, for 0 < level ≤ 1."""
        p = read_number(level, "quantile")
        if p.sign() is not Sign.POSITIVE or (p - ONE).sign() not in (Sign.NEGATIVE, Sign.ZERO):
            raise DomainError("quantile", p, "must be greater than 0 and at most 1")
        if p not in self._quantiles:
            self._quantiles[p] = self._largest() if p == ONE else self._at_level(p)
        return self._quantiles[p]

    def _at_level(self, p: Real) -> QuantileAt:
        bits = self._start
        while True:
            with precision(bits):
                listing = self.listing(bits)
                first, last = listing.bracket(p)
                if first != last and bits >= _CAP // 4:
                    first, last = listing.settled(p, first, last)
                if first == last or bits >= _CAP // 4:
                    return self._quantile(listing, p, first, last)
            bits *= 2

    def _largest(self) -> QuantileAt:
        listing = self.listing(self._start)
        last = len(listing.cells) - 1
        if not listing.is_whole and listing.cells[last].parts:
            raise DomainError("quantile", ONE, "must be below 1: no error is the largest")
        return self._quantile(listing, ONE, last, last)

    def _quantile(self, listing: Listing, p: Real, first: int, last: int | None) -> QuantileAt:
        low = Group(listing.cells[first], self.digits).distance
        if last is None:
            raise PrecisionError(f"the quantile {p} is beyond the listed errors")
        high = Group(listing.cells[last], self.digits).distance
        decided = first == last and not listing.cells[first].merged
        exact = low.exact if first == last else None
        return QuantileAt(low.lower, high.upper, exact, level=p, decided=decided)


def default_outside(metric: str) -> str:
    """Return the reading of counts outside [0, n] that is taken if none is given.

    The ℓ1 error of N §4.2 needs no reading: it is that of the printed counts.  A posterior needs
    counts that are not negative, and N does not say how they come about: A clamps.
    """
    return "printed" if metric == "l1" else "clamped"


def error_law(
    mechanism: Mechanism[Any],
    dataset: Sequence[int],
    metric: str = "hellinger",
    *,
    outside: str | None = None,
    digits: int = 12,
) -> ErrorLaw:
    """Return the exact law of the error of ``mechanism`` at the counts ``dataset``.

    Args:
        mechanism: one of the notes', or any whose outputs are counts.
        dataset: the counts of the categories; their sum is n ≥ 1.
        metric: ``"hellinger"``, H between the posteriors of output and data (N §3.2, §3.3), or
            ``"l1"``, ‖output − data‖₁ (N §4.2).
        outside: what becomes of negative counts, one of
            :data:`dpaudit.accuracy.outputs.OUTSIDE`; it matters for NotesLaplace only.
        digits: intervals are at most 10^−digits wide.

    Returns:
        The law; its numbers are computed when they are asked for.

    Raises:
        UsageError: for anything that is not allowed.

    >>> from dpaudit.api import mechanism
    >>> law = error_law(mechanism("EHDL", divisor=1), (4, 4))
    >>> for group in law.groups[:2]:
    ...     print(group.steps, group.distance, group.probability)
    (0,) 0 [0.379242984839813, 0.379242984839814]
    (1,) [0.233629480708875, 0.233629480708876] [0.340809715053593, 0.340809715053594]
    >>> print(law.mean())
    [0.240180106689698, 0.240180106689699]
    """
    check_counted(type(mechanism))
    if metric not in METRICS:
        raise ParameterError("metric", f"metric = {metric!r}: {nearest(str(metric), METRICS)}")
    reading = default_outside(metric) if outside is None else outside
    if reading not in OUTSIDE:
        raise ParameterError("outside", f"outside = {reading!r}: {nearest(str(reading), OUTSIDE)}")
    unusable = {"hellinger": "printed", "l1": "furthest"}[metric]
    if reading == unusable:
        others = ", ".join(name for name in OUTSIDE if name != unusable)
        raise ParameterError(
            "outside", f"outside = {reading}: has no meaning for {metric}; allowed are {others}"
        )
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= 1000:
        raise DomainError("digits", digits, "must be a whole number from 1 to 1000")
    if metric == "hellinger" and not getattr(mechanism, "prior", ()):
        raise ParameterError(
            "metric", f"{mechanism.name} has no prior, so it has no posteriors; choose --metric l1"
        )
    counts = _checked(mechanism, dataset)
    return ErrorLaw(mechanism, counts, metric, reading, digits)


def check_counted(cls: type[Mechanism[Any]]) -> None:
    """Raise ``ParameterError`` for mechanisms of one user's value: they release no counts."""
    if issubclass(cls, LocalMechanism):
        raise ParameterError(
            "mechanism",
            f"{cls.name} randomises the value of one user, and accuracy computes the error of "
            "released counts; use dpaudit check or dpaudit curve",
        )


def _checked(mechanism: Mechanism[Any], dataset: Sequence[int]) -> Counts:
    """Return the counts of a dataset of the mechanism; ``SizeError`` for others."""
    counts = tuple(dataset)
    whole = all(isinstance(count, int) and not isinstance(count, bool) for count in counts)
    n = sum(counts) if whole else 0
    if n < 1 or counts not in mechanism.adjacency().datasets(n):
        k = getattr(mechanism, "k", None)
        at = f"at = {','.join(map(str, counts))}"
        if k is None:
            raise SizeError(f"{at}: no dataset of {mechanism.name}; the error is that of counts")
        raise SizeError(
            f"{at}: {mechanism.name} takes {k} counts (one for each prior parameter), whole "
            "numbers ≥ 0 with a sum of at least 1"
        )
    return counts

"""A directed pair of an account, with the way in which its runs are enclosed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import log, sqrt
from typing import TYPE_CHECKING, Any

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Ball, Sign, integer_power, nonnegative, precision
from dpaudit.numbers.enclosure import enclose, enclose_real, unit_interval
from dpaudit.numbers.lattice_power import MOST_PLACES
from dpaudit.numbers.real import ZERO, Real, order, rational
from dpaudit.questions.account.contour import ContourBand
from dpaudit.questions.account.exact import ClosedBand, ExactBand
from dpaudit.questions.account.lattices import Band, Effort, band, composed
from dpaudit.questions.account.moments import (
    ListedMoments,
    Moments,
    SampledGaussianMoments,
    slack_of,
)
from dpaudit.questions.account.outcomes import Outcomes
from dpaudit.questions.account.planned import (
    FAR_PLACES,
    SECOND_PLACES,
    by_events,
    composed_within,
    planned,
)
from dpaudit.questions.account.sources import Source, Spread
from dpaudit.results import Enclosure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dpaudit.numbers.lattice import LossLattice

__all__ = [
    "BITS",
    "DIGITS",
    "MANY",
    "NEGLIGIBLE",
    "SHORT",
    "Candidate",
    "Given",
]

BITS = 320
"""The working precision of what is not on a lattice."""

DIGITS = 17
"""Number of digits shown."""

SHORT = 2000
"""Joint losses up to which runs are composed without a lattice."""

MANY = 120
"""More sampled runs than this are looked at by an inversion rather than on lattices."""


NEGLIGIBLE = Decimal("1e-22")
"""Width of an interval of δ that is always narrow enough, however small δ is."""

_SPREAD = 3.0
"""By how much more than the mean a step may cost, from both sides."""

_ROUGH = 0.07
"""The width of cells of large losses, as a share of them, for intervals of 100 % of ε."""

_SPREAD_OUT = 0.05
"""From this variance of the loss of all runs on, inversions take few places."""

_FEW_PLACES = 200
"""Up to so many places an inversion is little work, however the losses are spread."""

_SHORT_WINDOW = 4_000_000
"""For shares of what is asked, longer windows than this leave an inversion as the first choice."""

_FAR_SHARE = 0.02
"""The width of an interval of a δ that is next to nothing, over δ, where that is little work."""

_UNKNOWN = 1e-2
"""About an ε, for a first look where nothing tells."""

_OF_DELTA = Fraction(1, 10**6)
"""The share of δ(ε) that cut tails may cost."""

_BEYOND = 1.5
"""Share by which lattices of one run reach further than they have to."""

Given = tuple[str, Real]
"""``delta`` or ``epsilon``, and its value."""


@dataclass
class Candidate:
    """One directed pair."""

    x: Any
    y: Any
    direction: Any
    source: Source | None
    exact: ClosedBand | ExactBand | None
    most: Real | None
    """The largest loss of all runs, where it is known exactly."""
    effort: Effort
    cap: Decimal = Decimal("Infinity")
    """Upper bound of the loss of all runs."""
    attained: Decimal = Decimal(0)
    """A lower bound of their largest loss."""
    moments: Moments | None = None
    """Moments for the inversion of a transform; None if lattices are better."""
    planned_by: Moments | None = None
    """Moments that tell how fine lattices have to be, where no transform is inverted."""
    lattice: Band | ContourBand | None = None
    one: Outcomes | None = None
    """The outcomes of one run, of a pair whose outputs are listed."""
    slack: Real = ZERO
    """Upper bound of the excess of δ at pairs that this one stands for."""
    left: bool = False
    """True if the pair is certainly nowhere the worst."""
    found: dict[Given, Enclosure] = field(default_factory=dict)
    settled: dict[Given, Enclosure | None] = field(default_factory=dict)
    """Answers that take no composition, of what was looked at; None for nothing."""
    share: float | None = None
    """The width of intervals of δ over their upper ends, where lattices are planned for it."""

    def method(self, given: Given) -> Any:
        """Return the name of the way in which an answer was computed."""
        if self.exact is None and self.direction is not None and self._known(given) is not None:
            return "closed form"
        if self.exact is None:
            return "lattice" if self.moments is None else "contour"
        return "closed form" if isinstance(self.exact, ClosedBand) else "exact"

    def look(
        self, runs: int, asked: Iterable[Given], best: dict[Given, Decimal] | None = None
    ) -> None:
        """Enclose what is asked of the pair at its effort; where it is below ``best``, from above.

        ``best`` is a lower bound of the largest of all pairs.
        """
        asked = self.settle(runs, asked)
        if not asked:
            return
        if self.is_on_lattice and self._look_planned(runs, asked, best):
            return
        if self.moments is not None:
            self.lattice = ContourBand(self.moments, runs, self.effort.inflation)
            try:
                self._note(asked)
                return
            except PrecisionError:
                if self.direction is not None:
                    self._plan_lattices(runs, asked)
                    self.planned_by = self.moments
                self.moments = None
                if self.is_on_lattice and self._look_planned(runs, asked, best):
                    return
        if self.exact is None:
            self.lattice = band(self._in_reach(runs, asked), runs, self.effort)
        self._note(asked)

    def _look_planned(
        self, runs: int, asked: Sequence[Given], best: dict[Given, Decimal] | None
    ) -> bool:
        """Enclose δ on a lattice that is planned for it, and tell whether there is one."""
        first = self.effort.step is None
        if first and not self._plan(runs, asked, best):
            if best is not None:
                self.bound(runs, asked)  # all that is little work
            return best is not None
        make = composed_within if first else composed
        assert self.source is not None
        try:
            above = make(self.source, runs, self.effort, above=True)
            self._note_above(above, asked)
            if best is not None and all(self.found[one].upper <= best[one] for one in asked):
                return True
            # what is too long above is too long below
            effort = replace(self.effort, step=above.step.as_fraction())
            below = make(self.source, runs, effort, above=False)
        except PrecisionError:
            if not first:
                raise
            self._unplan(runs)
            return False
        self.lattice = Band(below, above)
        self._note(asked)
        return True

    def _plan(self, runs: int, asked: Sequence[Given], best: dict[Given, Decimal] | None) -> bool:
        """Plan a lattice for δ, and tell whether there is one."""
        assert self.share is not None
        enough = None if best is None else [best[given] for given in asked]
        values = [value for _, value in asked]
        found = planned(
            self.source,
            self.planned_by,
            runs,
            values,
            share=self.share,
            effort=self.effort,
            enough=enough,
        )
        if found is None:
            self._unplan(runs)
            return False
        self.source, self.effort = found
        if best is not None:
            self.effort = replace(self.effort, places=SECOND_PLACES)
        return True

    def _unplan(self, runs: int) -> None:
        """Go back to what is done where nothing is planned."""
        self.share, self.effort = None, replace(self.effort, step=None)
        if runs > MANY:
            self.moments = self.planned_by

    def _note_above(self, above: LossLattice, asked: Iterable[Given]) -> None:
        """Note what a lattice above says of δ."""
        for given in asked:
            with precision(BITS):
                high = enclose(above.delta(given[1]), DIGITS).upper
            known = self.found.get(given, Enclosure(Decimal(0), Decimal(1)))
            self.found[given] = Enclosure(known.lower, min(known.upper, high))

    def _in_reach(self, runs: int, asked: Sequence[Given]) -> Source:
        """Return the source without losses of one run that all others cannot make up for.

        Where no loss of k runs is above m, one below ε − m·(k − 1)/k adds nothing to δ(ε).  What is
        cut from lattices on either side is chosen here, and any choice is sound.
        """
        assert self.source is not None
        if self.direction is None or any(kind == "delta" for kind, _ in asked):
            return self.source
        moments = self.moments or self.planned_by
        if moments is not None:
            line = ContourBand(moments, runs, self.effort.inflation)
            least = Fraction(min(line.about(value) for _, value in asked)) * _OF_DELTA
            tail = max(least, Fraction(1, 1 << (self.effort.bits - 16)))
            self.effort = replace(self.effort, tail=min(self.effort.tail, tail))
        if self.most is None or not isinstance(self.source, Spread):
            return self.source
        most = float(self.most)
        gap = most - min(float(value) for _, value in asked)
        self.effort = replace(self.effort, in_reach=True)
        return replace(self.source, floor=most / runs - _BEYOND * gap)

    def plans(self, asked: Iterable[Given]) -> bool:
        """Tell whether lattices may be planned for all that is asked."""
        moments = self.moments or self.planned_by
        deltas = all(kind == "epsilon" for kind, _ in asked)
        return deltas and isinstance(moments, SampledGaussianMoments) and self.exact is None

    def aim(self, runs: int, asked: Iterable[Given], share: float) -> None:
        """Choose the effort of the first look for intervals as wide as a share of what they hold.

        Without moments nothing is known of how large that is, and a later look has to be finer.
        """
        asked = self.settle(runs, asked)
        if self.plans(asked):
            self.share = share
        widths = [gap for _, _, gap in self._planned(runs, asked, share)]
        inflation = min(widths, default=share * _UNKNOWN)
        self.effort = replace(self.effort, inflation=inflation)
        if self.planned_by is not None:
            self._plan_lattices(runs, asked)
            return
        if self.moments is None or self.direction is None:
            return
        if self.share is not None and self.moments.is_far_reaching:
            self.leave_line()
            return
        if self._line_is_short(runs, asked):
            return
        if self._is_sparse(runs):
            if self.share is not None:
                self.leave_line()
                return
            before = self.effort
            self._plan_lattices(runs, asked)
            step = sqrt(6 * self.effort.inflation / runs)
            low, high = self.moments.ends(runs, -log(self.effort.tail))
            if high - low <= _SHORT_WINDOW * step:
                self.moments, self.planned_by = None, self.moments
            else:
                self.effort = before

    def leave_line(self) -> None:
        """Look for δ on a planned lattice, if at all possible, rather than by an inversion."""
        if self.share is not None and self.moments is not None:
            self.moments, self.planned_by = None, self.moments

    def lengthen(self) -> bool:
        """Allow a planned lattice all points that there may be, and tell whether these are more."""
        more = self.effort.step is not None and self.effort.places < MOST_PLACES
        if more:
            self.effort = replace(self.effort, places=MOST_PLACES)
        return more

    @property
    def is_on_lattice(self) -> bool:
        """True if δ is looked for on a planned lattice."""
        return self.share is not None and self.moments is None

    def _is_sparse(self, runs: int) -> bool:
        """Tell whether few runs have a loss that matters, so that inversions are slow."""
        assert self.moments is not None
        return self.moments.is_steep or runs * self.moments.variance() < _SPREAD_OUT

    def _line_is_short(self, runs: int, asked: Iterable[Given]) -> bool:
        """Tell whether an inversion takes few places for all that is asked."""
        assert self.moments is not None
        line = ContourBand(self.moments, runs, self.effort.inflation)
        try:
            return all(
                line.places(
                    delta=value if kind == "delta" else None,
                    epsilon=None if kind == "delta" else value,
                )
                <= _FEW_PLACES
                for kind, value in asked
            )
        except (PrecisionError, ArithmeticError, ValueError):
            return False

    def _plan_lattices(self, runs: int, asked: Iterable[Given]) -> None:
        """Choose steps that keep to the width of ε that an inversion would have had.

        A cell of width h adds at most c(c + 1)·h²/8 to ln M(c).  Where rare losses alone matter,
        c says little, and a change of the variance in proportion is what is allowed.
        """
        moments = self.moments or self.planned_by
        assert moments is not None
        variance = runs * moments.variance()
        inflation, rough = self.effort.inflation, 1.0
        for power, at, gap in self._planned(runs, asked, None):
            share = gap / max(at, gap)
            inflation = min(inflation, gap / (power + 1) / _SPREAD, share * variance / 2)
            rough = min(rough, _ROUGH * sqrt(share))
        self.effort = replace(self.effort, inflation=inflation, rough=rough if rough < 1 else 0.0)

    def _planned(
        self, runs: int, asked: Iterable[Given], share: float | None
    ) -> list[tuple[float, float, float]]:
        moments = self.moments or self.planned_by
        if moments is None:
            return []
        line, found = ContourBand(moments, runs, self.effort.inflation), []
        for kind, value in asked:
            try:
                found.append(
                    line.planned(
                        delta=value if kind == "delta" else None,
                        epsilon=None if kind == "delta" else value,
                        share=share,
                    )
                )
            except (PrecisionError, ArithmeticError, ValueError):
                continue
        return found

    def adaptive(self, given: Given, slack: Real) -> Decimal:
        """Return what the pair bounds with ``slack``, of which none is what was found."""
        upper, (kind, value) = self.found[given].upper, given
        if slack == ZERO:
            return upper
        if self.left:
            return self.cap if kind == "delta" else Decimal(1)
        with precision(BITS):
            if kind == "delta":
                return enclose((self.exact or self._band()).epsilon(value - slack)[1], DIGITS).upper
            return min(
                enclose(rational(Fraction(upper)).ball() + slack.ball(), DIGITS).upper, Decimal(1)
            )

    def settle(self, runs: int, asked: Iterable[Given]) -> list[Given]:
        """Note what takes no composition of sampled runs; return what does.

        That is δ at an ε that no loss reaches, or is so rarely above that bounds of δ are next to
        nothing: such an ε is far out on a tail, where lattices are long beyond all use.
        """
        if self.direction is None or self.exact is not None:
            return list(asked)
        left = []
        for given in asked:
            known = self._known(given)
            if known is None and given[0] == "epsilon":
                if given not in self.settled:
                    self.settled[given] = self._far(runs, given[1])
                known = self.settled[given]
            if known is None:
                left.append(given)
            else:
                self.found[given] = known
        return left

    def _far(self, runs: int, epsilon: Real) -> Enclosure | None:
        """Return δ(ε) where bounds show that it is next to nothing, else None."""
        most = self._at_most(runs, epsilon)
        if most > NEGLIGIBLE:
            return None
        low, high = by_events(self.source, runs, epsilon, DIGITS), most
        for ends in self._far_ends(runs, epsilon):
            with precision(BITS), suppress(PrecisionError):
                below, above = ends()
                low = max(low, enclose(below, DIGITS).lower)
                high = min(high, enclose(above, DIGITS).upper)
            if low > high / 2:
                break
        return Enclosure(low, high)

    def _far_ends(self, runs: int, epsilon: Real) -> Iterator[Callable[[], tuple[Ball, Ball]]]:
        """Give ways to enclose a δ(ε) that is next to nothing which are little work."""
        moments = self.moments or self.planned_by
        if self.moments is not None and not self._is_sparse(runs):
            line = ContourBand(self.moments, runs, self.effort.inflation)
            if self._line_is_short(runs, [("epsilon", epsilon)]):
                yield partial(line.delta, epsilon)
        if self.direction == "remove":
            found = planned(
                self.source, moments, runs, [epsilon], share=_FAR_SHARE, effort=self.effort
            )
            if found is not None:
                source, effort = found[0], replace(found[1], places=FAR_PLACES)
                yield lambda: band(source, runs, effort).delta(epsilon)

    def _at_most(self, runs: int, epsilon: Real) -> Decimal:
        """Return an upper bound of δ(ε) of sampled runs that is little work, at most 1.

        Losses of k runs are above ε together only if one is above ε/k.  Where none is above m/k, so
        that k together are never above m, each is then above ε − m·(k − 1)/k, and 1 − e^(ε − m) is
        the most that δ(ε) takes of that probability.
        """
        found = Decimal(1)
        if isinstance(self.source, Spread):
            with precision(BITS):
                at = epsilon.ball()
                bounds = [self.source.above(at / runs) * runs]
                if self.most is not None:
                    most = self.most.ball()
                    part = nonnegative(-(at - most).expm1())
                    each = nonnegative(self.source.above(at - most * (runs - 1) / runs))
                    bounds.append(part * integer_power(each, runs))
                found = min(found, *(enclose(bound, DIGITS).upper for bound in bounds))
        moments = self.moments or self.planned_by
        if moments is not None:
            line = ContourBand(moments, runs, self.effort.inflation)
            found = min(found, self._chernoff(line, ("epsilon", epsilon)))
        return found

    def _chernoff(self, line: ContourBand, given: Given) -> Decimal:
        """Return Chernoff's bound of ε or δ, or what nothing exceeds."""
        kind, value = given
        try:
            high = line.chernoff(
                delta=value if kind == "delta" else None,
                epsilon=None if kind == "delta" else value,
            )
        except PrecisionError:
            high = Ball.pos_inf()
        return min(enclose(high, DIGITS).upper, self.cap if kind == "delta" else Decimal(1))

    def bound(self, runs: int, asked: Iterable[Given]) -> None:
        """Note Chernoff's bounds, which cost next to nothing."""
        moments = self.moments or self.planned_by
        missing = [given for given in asked if given not in self.found]
        if moments is None or not missing:
            return
        line = ContourBand(moments, runs, self.effort.inflation)
        for given in missing:
            self.found[given] = Enclosure(Decimal(0), self._chernoff(line, given))

    def stands_for(self, other: Candidate, runs: int) -> bool:
        """Tell whether this pair certainly dominates another but for a tiny slack, and note it."""
        mine, theirs = self.moments, other.moments
        if not (isinstance(mine, ListedMoments) and isinstance(theirs, ListedMoments)):
            return False
        if not mine.dominates(theirs):
            return False
        self.slack, self.cap = slack_of(runs), max(self.cap, other.cap)
        if self.most is not None and (
            other.most is None or order(other.most, self.most) not in (Sign.ZERO, Sign.NEGATIVE)
        ):
            self.most = None
        return True

    def suppose(self, asked: Iterable[Given]) -> None:
        """Note what is true of any pair where nothing was found."""
        for given in asked:
            most = self.cap if given[0] == "delta" else Decimal(1)
            self.found.setdefault(given, Enclosure(Decimal(0), most))

    def _note(self, asked: Iterable[Given]) -> None:
        for given in asked:
            known = self.found.get(given)
            new = self._enclosed(given)
            if known is not None and new.exact is None:
                new = Enclosure(max(known.lower, new.lower), min(known.upper, new.upper))
            self.found[given] = new

    def _known(self, given: Given) -> Enclosure | None:
        """Return what the largest loss of all runs says alone; None if it says nothing."""
        kind, value = given
        if self.most is not None:
            if kind == "epsilon" and order(value, self.most) in (Sign.ZERO, Sign.POSITIVE):
                return enclose_real(ZERO, DIGITS)
            if kind == "delta" and value == ZERO:
                return enclose_real(self.most, DIGITS)
        if kind == "delta" and value == ZERO:
            return Enclosure(self.attained, self.cap)
        return None

    def _enclosed(self, given: Given) -> Enclosure:
        known = self._known(given)
        if known is not None:
            return known
        kind, value = given
        digits = DIGITS if self.exact is None else 2 * DIGITS
        with precision(BITS):
            if kind == "delta":
                low, high = (self.exact or self._band()).epsilon(value)
                if self.slack != ZERO:
                    high = self._band().epsilon(value - self.slack)[1]
                upper = min(enclose(high, digits).upper, self.cap)
                return Enclosure(enclose(low, digits).lower, upper)
            if self.exact is not None:
                mass = self.exact.mass(value)
                if mass.exact is not None:
                    return unit_interval(enclose_real(mass.exact, digits))
                return unit_interval(enclose(mass.ball, digits))
            low, high = self._band().delta(value)
            high += self.slack.ball()
            return unit_interval(Enclosure(enclose(low, digits).lower, enclose(high, digits).upper))

    def _band(self) -> Band | ContourBand:
        assert self.lattice is not None
        return self.lattice

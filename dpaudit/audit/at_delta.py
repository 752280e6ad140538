"""The smallest ε at a δ, between two ε at which δ(ε) is known.

δ(ε) falls as ε grows.  Where δ(a) > δ ≥ δ(b), the smallest ε at which δ(ε) is at most δ lies above
a and is at most b, so that an audit at the two, in decimals, is a proof of the interval.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.audit.plan import MAX_DIGITS
from dpaudit.audit.verdicts import side
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.enclosure import exact_decimal
from dpaudit.numbers.real import Real, rational
from dpaudit.results import DeltaAt, EpsilonAt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["digits_for", "epsilon_at"]

_OUTWARD = tuple(map(Fraction, (1, 2, 4, 8, 16, 64, 256)))
_INWARD = tuple(map(Fraction, ("1", "1/2", "1/4", "1/8", "0")))
"""The ε that are tried first, two at a time, from 1 in the direction where the one that is wanted
must be; one that is larger than all of them is not enclosed from above."""
_PLACES_OF_FIRST = 3
_MOST_PASSES = 60
_SPARE_DIGITS = 4
_NEAR = 1e-6
"""Two logarithms of δ nearer than this are interpolated exactly, as δ itself."""


def digits_for(delta: Real, digits: int) -> int:
    """Return to how many digits δ(ε) is wanted where ε is wanted to so many."""
    size = -math.log10(max(float(delta), 1e-300))
    return min(MAX_DIGITS, digits + _SPARE_DIGITS + math.ceil(size))


def epsilon_at(
    delta: Real,
    digits: int,
    ask: Callable[[Sequence[Real]], Sequence[DeltaAt]],
    known: Sequence[DeltaAt] = (),
    most: Decimal | None = None,
) -> EpsilonAt:
    """Return the smallest ε at which δ(ε) is at most ``delta``.

    Args:
        delta: above 0 and below 1.
        digits: the interval is at most 10^−digits wide, where δ(ε) is enclosed well enough.
        ask: gives δ(ε) at some ε.
        known: δ(ε) where it is known already; ε that are no decimals are passed over.
        most: an ε at which δ(ε) is known to be 0, if there is one.
    """
    search = _Search(delta)
    search.learn([one for one in known if _is_decimal(one.epsilon)])
    last: tuple[Fraction, ...] = ()
    if most is not None and most.is_finite() and most > _OUTWARD[-1]:
        # Rounded up: δ is 0 beyond ``most`` as well.
        last = (Fraction(math.ceil(Fraction(most) * 10**_PLACES_OF_FIRST), 10**_PLACES_OF_FIRST),)
    for outward in (_OUTWARD, last, _INWARD):
        for place in range(0, len(outward), 2):
            if points := search.beyond(outward[place : place + 2]):
                search.learn(ask(list(map(rational, points))))
    idle = 0
    for _ in range(_MOST_PASSES):
        gap = search.gap
        if gap is None or gap <= Fraction(1, 10**digits) or idle > 1:
            break
        search.learn(ask(list(map(rational, search.next_points(digits)))))
        # A δ(ε) that is not enclosed well enough to tell decides nothing, however often.
        idle = idle + 1 if search.gap == gap else 0
    return search.found(digits)


class _Search:
    """The two ε between which the one that is wanted lies."""

    def __init__(self, delta: Real) -> None:
        self.delta = delta
        self.above: DeltaAt | None = None
        self.below: DeltaAt | None = None

    def learn(self, points: Sequence[DeltaAt]) -> None:
        """Move the two ends to these points; a δ(ε) whose interval contains δ moves neither."""
        for point in points:
            epsilon, sign = _epsilon(point), side(point, self.delta)
            if sign is Sign.POSITIVE and (self.above is None or epsilon > _epsilon(self.above)):
                self.above = point
            if sign in (Sign.NEGATIVE, Sign.ZERO) and (
                self.below is None or epsilon < _epsilon(self.below)
            ):
                self.below = point

    def beyond(self, points: Sequence[Fraction]) -> list[Fraction]:
        """Return those of some points that tell more while the wanted ε is open on their side."""
        if self.above is not None and self.below is not None:
            return []
        low = Fraction(-1) if self.above is None else _epsilon(self.above)
        return [
            one
            for one in points
            if low < one and (self.below is None or one < _epsilon(self.below))
        ]

    @property
    def gap(self) -> Fraction | None:
        """Distance of the two; None where there are not two, and no more to look for."""
        if self.above is None or self.below is None:
            return None
        return _epsilon(self.below) - _epsilon(self.above)

    def next_points(self, digits: int) -> list[Fraction]:
        """Return decimals between the two: their middle, and some where a line through both leads.

        ln δ(ε) is near to a line between two ε that are near to each other.
        """
        assert self.above is not None
        assert self.below is not None
        low, high = _epsilon(self.above), _epsilon(self.below)
        places = min(digits, math.ceil(-math.log10(high - low)) + 2)
        unit = Fraction(1, 10 ** max(places, 1))
        middle = (low + high) / 2
        wanted = [middle, (low + middle) / 2, (middle + high) / 2]
        share = self._share()
        if share is not None:
            near = low + (high - low) * share
            wanted = [middle, near - unit, near, near + unit]
        points = {unit * round(one / unit) for one in wanted}
        return sorted(one for one in points if low < one < high)

    def _share(self) -> Fraction | None:
        """Return at what share of the way the wanted ε is about; None where nothing tells."""
        assert self.above is not None
        assert self.below is not None
        ends = self.above.upper, self.below.upper
        logs = [_log(float(one)) for one in (ends[0], float(self.delta), ends[1])]
        if logs[0] - logs[2] > _NEAR and logs[2] > -math.inf:
            return Fraction(min(max((logs[0] - logs[1]) / (logs[0] - logs[2]), 0.0), 1.0))
        exact = self.delta.as_fraction()  # floats would not tell the three apart
        if exact is None or not ends[0] > ends[1] > 0:
            return None
        share = (Fraction(ends[0]) - exact) / (Fraction(ends[0]) - Fraction(ends[1]))
        return min(max(share, Fraction(0)), Fraction(1))

    def found(self, digits: int) -> EpsilonAt:
        """Return what is known, in so many decimals or those of the first that were tried."""
        places = max(digits, _PLACES_OF_FIRST)

        def decimal(point: DeltaAt) -> Decimal:
            # Exact: no ε that is tried has more places.
            return exact_decimal(int(_epsilon(point) * 10**places), places)

        lower = Decimal(0) if self.above is None else decimal(self.above)
        upper = Decimal("Infinity") if self.below is None else decimal(self.below)
        return EpsilonAt(lower, upper, delta=self.delta, above=self.above, below=self.below)


def _is_decimal(x: Real) -> bool:
    """Tell whether a number has as few decimals as those that are tried first."""
    found = x.as_fraction()
    return found is not None and (found * 10**_PLACES_OF_FIRST).denominator == 1


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _epsilon(point: DeltaAt) -> Fraction:
    found = point.epsilon.as_fraction()
    assert found is not None, "every ε that is tried is a decimal"
    return found

"""Comparison of recomputed values with a report's intervals and verdicts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp, mpf

from dpaudit.closed import ClosedForm
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.numbers import (
    Form,
    exactly,
    finest,
    fraction,
    order,
    shown_digits,
    sign_of,
    value,
)
from dpaudit.results import Enclosure, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "NOISE",
    "SLACK_DIGITS",
    "Agreement",
    "Span",
    "at_same_value",
    "compare",
    "contains",
    "end",
    "printed_places",
    "well_formed",
]


class Span(NamedTuple):
    """An interval with ends that are fractions, where a report has lines; None is infinity."""

    lower: Fraction | None
    upper: Fraction | None
    exact: None = None


def end(bound: Decimal | Fraction | None) -> Fraction | None:
    """Return an end of an interval exactly; None for infinity."""
    infinite = bound is None or (isinstance(bound, Decimal) and bound.is_infinite())
    return None if bound is None or infinite else Fraction(bound)


def at_same_value(left: mpf, right: mpf) -> bool:
    """Tell whether a closed form is a computed value, to all digits but the last fifteen.

    ``right`` may be what is left of a difference that is 0; only 0 itself is the same as that.
    """
    error = mpf(10) ** (15 - mp.dps)
    if left == 0:
        return bool(abs(right) <= error)
    return bool(abs(left - right) <= error * abs(left))


def well_formed(interval: Enclosure, digits: int | None) -> bool:
    """Tell whether the ends are in order and, if ``digits`` is given, close enough.

    Above 1 the digits count from the first one: no precision is spent on the rest of 10^400.
    """
    lower, upper = end(interval.lower), end(interval.upper)
    if lower is None or upper is None:
        return upper is None and (lower is None or digits is None)
    width = max(Fraction(1), upper) / 10 ** (digits or 0)
    return 0 <= lower <= upper and (digits is None or upper - lower <= width)


def contains(interval: Enclosure | Span, computed: mpf, slack: mpf) -> bool:
    """Tell whether a finite value lies in the interval, or no further outside than ``slack``."""
    lower, upper = end(interval.lower), end(interval.upper)
    above = lower is not None and fraction(lower) - slack <= computed
    return bool(above and (upper is None or computed <= fraction(upper) + slack))


def printed_places(*numbers: Form | Decimal | Fraction | None) -> int:
    """Return how many decimals the numbers of a claim have, the small terms of closed forms too."""
    places = [0]
    for number in numbers:
        if isinstance(number, str | ClosedForm):
            places.append(finest(number))
        elif isinstance(number, Fraction):
            places.append(len(str(number.denominator)) - 1)
        elif number is not None and number.is_finite():
            places.append(-int(number.as_tuple().exponent))
    return max(places)


def compare(interval: Enclosure, bound: Form) -> str:
    """Return where it lies: ``below``, ``at most``, ``equal``, ``above`` or ``unknown``.

    Rationals are compared exactly; of others, what no precision tells apart is equal as a closed
    form, and unknown as the end of an interval.
    """
    if interval.exact is not None:
        return ("equal", "above", "below")[order(interval.exact, bound)]
    upper = "unknown" if interval.upper.is_infinite() else _side(interval.upper, bound)
    if upper in ("below", "equal"):
        return "below" if upper == "below" else "at most"
    above = interval.lower.is_infinite() or _side(interval.lower, bound) == "above"
    return "above" if above else "unknown"


def _side(bound_of: Decimal, bound: Form) -> str:
    """Return where the end of an interval lies; it is a rational number, and the bound may not."""
    sign = order(str(bound_of), bound)
    if sign == 0 and exactly(bound) is None:
        return "unknown"
    return ("equal", "above", "below")[sign]


NOISE = 15
"""Decimals lost to rounding: a value that is 0 is computed as less than 10^−(decimals − this)."""
SLACK_DIGITS = 30
"""A value may miss an interval by 10^−(digits + this), which is what may be lost computing it."""
_SIDES = {"below": (-1,), "at most": (-1, 0), "above": (1,)}
"""The sides of a budget that what is computed again may lie on, by what its interval tells."""
_ATTEMPTS, _FEW = 4, 8
_GUARD = 10
"""Digits beyond those that are printed, to which a value has to be known."""
_MOST_DIGITS = 16_000


class Agreement:
    """Values that are computed as precisely as they need to be compared with a report."""

    subject: Any
    """Result that is rechecked, with the ``digits`` of its intervals."""
    dps: int
    """Decimals that values of ordinary size are computed with."""
    lost: int
    """Decimals of these that a definition loses in any case."""
    expect: Callable[[bool, str, str, str], None]
    """Counts a statement that agrees, by its kind; else notes where it is, and a message."""

    def agree(
        self, compute: Callable[[], Sequence[mpf]], intervals: Sequence[Enclosure | Span]
    ) -> tuple[Sequence[mpf], list[bool]]:
        """Compute values as precisely as needed, and tell which lie in their intervals.

        A small value is the difference of large ones and takes decimals in proportion: its interval
        says how many, or else a first computation.  The printed digits of an interval and of its
        closed form take decimals too.  A value contradicts its interval only if more decimals give
        the same value; it counts as a rounding of 0 only if more decimals give another.

        Args:
            compute: gives the values at the working precision.
            intervals: where they have to lie, the same number.
        """
        ends = [end(bound) for span in intervals for bound in (span.lower, span.upper)]
        places = max((_places(fraction(bound)) for bound in ends if bound), default=0)
        claims = [part for span in intervals for part in (span.lower, span.upper, span.exact)]
        printed = max(printed_places(*claims), self.subject.digits + _GUARD)
        dps = max(self.dps + 2 * places, printed + places + NOISE + _GUARD + self.lost)
        before: Sequence[mpf] = ()
        for _ in range(_ATTEMPTS):
            if dps > _MOST_DIGITS:
                raise UnknownDefinitionError("its values are too small to be computed again")
            with mp.workdps(dps):
                values = compute()
                near = mpf(10) ** -(printed + _GUARD)
                pairs = zip(before or [mp.nan] * len(values), values, strict=True)
                apart = [mpf(0) if a == b else abs(a - b) for a, b in pairs]
                sizes = map(abs, values)
                same = [bool(gap <= near * size) for gap, size in zip(apart, sizes, strict=True)]
                # Two precisions that agree bound the error; else the usual slack has to do.
                inside = [
                    self.inside(number, interval, near, gap)
                    if agrees
                    else self.inside(number, interval)
                    for number, interval, gap, agrees in zip(
                        values, intervals, apart, same, strict=True
                    )
                ]
                small = [_places(number) for number in values]
            nothing = any(zeros > dps - NOISE for zeros in small) or any(
                number == 0 and end(interval.upper) != 0
                for number, interval in zip(values, intervals, strict=True)
            )
            least = max((zeros for zeros in small if zeros <= dps - NOISE), default=0)
            # The values are smaller than the interval said: more decimals, whatever agrees so far.
            if self.dps + 2 * least > dps:
                dps = self.dps + 2 * least + 10
            elif all(same) or (all(inside) and (before or not nothing)):
                break
            else:
                dps *= 2
            before = values
        return values, inside

    def stands(
        self,
        standing: str,
        verdict: Verdict | None,
        computed: mpf,
        compute: Callable[[], mpf],
        bound: ClosedForm,
    ) -> int | None:
        """Return the side of a bound that a value lies on: 1 above, −1 below, 0 if none tells.

        None where nothing depends on it: the ``standing`` of the interval is equal to the bound,
        or unknown while the ``verdict`` does not say that it exceeds.
        """
        if (
            standing == "equal"
            or (standing == "unknown" and verdict is not Verdict.EXCEEDS)
            or mp.isnan(computed)
        ):
            return None
        with mp.workdps(self.dps):
            off = computed - value(bound)
            near = mpf(10) ** -(self.subject.digits + SLACK_DIGITS // 2) * value(bound)
            # Clearly on one side: no further digits are needed.
            if not mp.isfinite(off) or abs(off) > near:
                return int(mp.sign(off))
        dps = self.dps + 2 * _places(computed)
        return sign_of(lambda: compute() - value(bound), dps, of=1)

    def inside(
        self,
        computed: mpf,
        interval: Enclosure | Span,
        near: mpf = mp.inf,
        apart: mpf = mp.zero,
    ) -> bool:
        """Tell whether a value lies in an interval, and is its closed form where there is one.

        Numbers about 1 that add up to it lose :data:`NOISE` decimals of those in force, and smaller
        ones more: a value that fewer decimals gave but for ``apart`` is off by no more than that.
        One that is known to be off by no more than ``near``, in proportion, may miss by no more.
        """
        with mp.workdps(max(self.dps, mp.dps)):
            if mp.isinf(computed):
                return end(interval.upper) is None
            size = abs(computed)
            slack = max(apart, max(size, mpf(1)) * mpf(10) ** (NOISE + self.lost - mp.dps))
            slack = min(slack, near * size) if size else slack
            inside = contains(interval, computed, slack)
            if interval.exact is not None:
                inside = inside and bool(abs(value(interval.exact) - computed) <= slack)
            return inside

    def beside(self, symbol: str, standing: str, side: int | None, bound: Any, where: str) -> None:
        """Check that a value lies on the ``side`` of its budget that its interval says.

        The sides are of the numbers themselves: near a budget, an interval may say anything.
        """
        if side is not None and side not in _SIDES.get(standing, (side,)):
            there = {1: "above", 0: "indistinguishable from", -1: "below"}[side]
            message = f"{symbol} is {there} its budget {bound}, whatever the interval says"
            self.expect(False, "verdicts", where, message)

    def over_all_pairs(
        self,
        kind: str,
        compute: Callable[[], Sequence[mpf]],
        intervals: Sequence[Enclosure],
        where: str,
    ) -> None:
        """Check intervals against the largest values over all pairs."""
        maxima, inside = self.agree(compute, intervals)
        for largest, interval, agrees in zip(maxima, intervals, inside, strict=True):
            message = f"{kind} over all pairs: {shown_digits(largest, 20)}, not in {interval}"
            self.expect(agrees, f"{kind} over all pairs", where, message)


def _places(number: mpf) -> int:
    """Return how many zeros a number has behind the point, 0 for a few and for 0 itself."""
    if not mp.isfinite(number) or number == 0:
        return 0
    zeros = int(-mp.log10(abs(number)))
    return zeros if zeros > _FEW else 0

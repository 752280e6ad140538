"""Bounds around δ of many runs at one ε, as near as a claim needs.

A number that is computed twice, the second time more precisely, is off by no more than the two are
apart.  So ends around it come of the arithmetic itself, and no claim is let off by a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.agreement import NOISE
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.numbers import shown_digits
from dpaudit.recheck.runs import CERTAIN_DIGITS, Runs

if TYPE_CHECKING:
    from decimal import Decimal

    from dpaudit.recheck.subject import Recheck

__all__ = ["DeltaBounds", "Ends", "confirms", "deltas_at", "hold", "printed_unit"]

Ends = tuple[mpf, mpf]

_BEYOND = 35
"""Digits that are computed beyond those that a claim has."""
_SETTLED = 20
"""Digits that agree at single and double precision, for a value above rounding noise."""
_DOUBLINGS = 3
_FEWEST, _MOST = 12, 60
"""Digits that an integral over moments is computed to: what its claim needs, in these limits."""
_MUCH_NARROWER = 1000
_MOST_DIGITS = 8000


class DeltaBounds(NamedTuple):
    """Bounds of δ at one ε."""

    tight: Ends | None
    """Around a value."""
    certain: Ends | None
    """Between certain ends."""
    why: str
    """Reason for the lack of a value."""

    @property
    def all(self) -> list[Ends]:
        return [ends for ends in (self.tight, self.certain) if ends is not None]


def deltas_at(
    runs: Runs, epsilon: Callable[[], mpf], dps: int, *, places: int, printed: int, width: mpf
) -> DeltaBounds:
    """Bound δ at one ε, by a value and by certain ends.

    Args:
        runs: the methods that give δ.
        epsilon: gives ε at the working precision.
        dps: how many decimals values of ordinary size are computed with.
        places: how many zeros the claim about δ has behind the point.
        printed: how many decimals it has.
        width: how wide it is, in proportion.
    """
    tight = certain = None
    why = ""
    try:
        if runs.delta is not None:
            first = max(dps + 2 * places, printed + places + _BEYOND)
            tight = _computed(runs.delta, epsilon, first)
        else:
            tight = _integrated(runs, epsilon, places, width)
    except UnknownDefinitionError as error:
        why = str(error)
    # Beside a value too: the two computations are independent of each other.
    if runs.spectrum is not None:
        try:
            with mp.workdps(CERTAIN_DIGITS):
                certain = runs.spectrum.delta(epsilon())
        except UnknownDefinitionError as error:
            why = why or str(error)
    return DeltaBounds(tight, certain, why)


def _computed(delta: Callable[[mpf], mpf], epsilon: Callable[[], mpf], dps: int) -> Ends:
    """Return two numbers around δ, which is computed until twice the decimals give the same.

    What is left of 0 is another number at every precision: nothing below it is told from 0.
    """
    with mp.workdps(dps):
        before = delta(epsilon())
    for _ in range(_DOUBLINGS):
        if 2 * dps > _MOST_DIGITS:
            raise UnknownDefinitionError("δ is too small to be computed again")
        with mp.workdps(2 * dps):
            at = delta(epsilon())
            apart = abs(at - before)
            if apart <= abs(at) * mpf(10) ** -_SETTLED:
                error = apart + abs(at) * mpf(10) ** (NOISE - dps)
                return at - error, at + error
        before, dps = at, 2 * dps
    return -abs(at), abs(at)


def _integrated(runs: Runs, epsilon: Callable[[], mpf], places: int, width: mpf) -> Ends:
    assert runs.integral is not None
    needed = _MOST if width <= 0 else 3 - int(mp.floor(mp.log10(width)))
    digits = min(max(needed, _FEWEST), _MOST)
    with mp.workdps(digits + NOISE + places):
        at, error = runs.integral(epsilon(), digits)
        if not at > error:
            raise UnknownDefinitionError("the integral over moments of the loss is not positive")
        return at - error, at + error


def confirms(ends: Ends, low: mpf, high: mpf, unit: mpf) -> bool:
    """Tell whether ends around a value lie inside those of a claim, to the digits printed.

    Ends that are much nearer to each other than the last digit of the claim are one number: it may
    be an end of the claim.
    """
    if low <= ends[0] and ends[1] <= high:
        return True
    apart = ends[1] < low or high < ends[0]
    return bool(not apart and (ends[1] - ends[0]) * _MUCH_NARROWER <= unit)


def hold(
    recheck: Recheck,
    bounds: DeltaBounds,
    words: tuple[str, str, str],
    where: str,
    *,
    off: Callable[[Ends], bool],
    holds: Callable[[Ends], bool],
) -> bool:
    """Compare a claim with the bounds of δ: a number that is ``off`` contradicts it.

    Returns whether one ``holds``, which confirms it; where none does, nothing is said.  The
    ``words`` are what δ is called, the kind of the claim, and what contradicts it.
    """
    what, kind, otherwise = words
    kinds = [(kind, bounds.tight), ("δ by Fourier transforms", bounds.certain)]
    numbers = [(name, ends) for name, ends in kinds if ends is not None]
    for name, ends in numbers:
        # One certain disagreement counts, whatever confirms the claim otherwise.
        if off(ends):
            recheck.expect(False, name, where, f"{what} is {_between(ends)}, {otherwise}")
            return False
    confirmed = [name for name, ends in numbers if holds(ends)]
    if not confirmed:
        recheck.findings.unknown(where, _unsaid(what, bounds))
    for name in confirmed:
        recheck.expect(True, name, where, "")
    return bool(confirmed)


def _between(ends: Ends) -> str:
    return f"from {shown_digits(ends[0], 9)} to {shown_digits(ends[1], 9)}"


def _unsaid(what: str, bounds: DeltaBounds) -> str:
    ends = bounds.tight or bounds.certain
    text = "" if ends is None else f"; it is {_between(ends)}"
    return f"{what}: {bounds.why or 'it is too near'}{text}, which is too wide to confirm it"


def printed_unit(*ends: Decimal) -> mpf:
    """Return one of the last digit that decimals are printed to."""
    exponents = [bound.as_tuple().exponent for bound in ends if bound.is_finite()]
    return mpf(10) ** min((place for place in exponents if isinstance(place, int)), default=0)

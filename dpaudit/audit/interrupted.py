"""Sound intervals from an audit that is interrupted within a size.

The pairs that were looked at bound what is realised from below; from above nothing does until all
of them were.
"""

from __future__ import annotations

import time
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from dpaudit.audit.measure import ignore
from dpaudit.audit.plan import Pairs, Plan
from dpaudit.audit.scan import Scan, scan
from dpaudit.numbers.ball import PrecisionNeeded, bits_for_digits, precision
from dpaudit.results import GUARD_DIGITS, Enclosure

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dpaudit.audit.quantity import Quantity
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["from_below", "pairs_at_hand"]

_ENDLESS = Decimal("Infinity")
_SECONDS = 2.0
"""Seconds that an interrupted audit may spend on pairs whose laws it has."""


def pairs_at_hand(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    quantities: Sequence[Quantity],
    known: Collection[Any],
) -> Scan:
    """Return the maxima over some of the pairs of datasets whose laws are ``known`` already.

    For an audit that was stopped while laws were derived, or in a screen, which knows of no pair
    what it contributes.  It takes no more than a few seconds.
    """
    passes = [Scan([quantity.least() for quantity in quantities])]
    if len(known) < 2:
        return passes[0]
    end = time.monotonic() + _SECONDS
    pairs = Pairs(mechanism, n, plan)
    some = (pair for pair in pairs if pair[0] in known and pair[1] in known)
    with precision(bits_for_digits(plan.digits + GUARD_DIGITS)):
        try:
            soon = takewhile(lambda _: time.monotonic() < end, some)
            scan(mechanism.laws(), soon, quantities, ignore, passes=passes)
        # What was enclosed before bounds the maximum from below all the same.
        except PrecisionNeeded:
            pass
    return passes[-1]


def from_below(interval: Enclosure) -> Enclosure:
    """Return what is known of a number of which the interval of some lower bound is known."""
    return interval if interval.lower.is_infinite() else Enclosure(interval.lower, _ENDLESS)

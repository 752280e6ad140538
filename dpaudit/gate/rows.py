"""Rows of a gate: a number of a report, the limit that it has, and the verdict that follows."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, NamedTuple

from dpaudit import results
from dpaudit.arithmetic import DECIMALS
from dpaudit.audit.verdicts import bound_in_words, excess_in_words, in_words, side, standing
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import Real
from dpaudit.report.table import first_digits

__all__ = [
    "SHARE_DIGITS",
    "Row",
    "audited_row",
    "bounded_row",
    "pair_in_words",
    "quotient",
]


class Row(NamedTuple):
    """One number of a report and its limit."""

    n: int
    """The size."""
    verdict: results.Verdict
    """Verdict on the number."""
    reason: str
    """Reason for an undecided verdict; empty otherwise."""
    label: str
    """Name of the number."""
    value: results.Enclosure
    """The number."""
    limit: Real
    """Largest value allowed; for a nominal ε, the smallest."""
    covered: bool
    """True if all pairs were covered at a point: a number not told from the limit may be a tie."""
    excess: str
    """In words: by how much it exceeds, and where; empty where it does not."""
    close: Decimal
    """The larger, the closer to the limit."""

    def share(self) -> results.Enclosure:
        """Return the share of its limit that it uses."""
        return quotient(self.value, enclose_real(self.limit, SHARE_DIGITS))

    def kept(self) -> str:
        """Return in words how it keeps its limit."""
        exact = self.value.exact
        if exact is not None and len(str(exact)) <= _LONGEST_EXACT:
            digits = first_digits(self.value)
            shortened = f" ({digits})" if digits not in ("", str(exact)) else ""
            limit = str(exact) if str(self.limit) == str(exact) else bound_in_words(self.limit)
            return f"{self.label} = {exact} exactly{shortened}, budget {limit}"
        return f"{self.label} ≤ {self.value.upper}, budget {bound_in_words(self.limit)}"


_LONGEST_EXACT = 40
"""A longer closed form tells a reader less than its digits."""

SHARE_DIGITS = 12


def quotient(value: results.Enclosure, limit: results.Enclosure) -> results.Enclosure:
    """Return an interval of value / of, rounded outward; 0 / 0 is 0, for nothing is used."""
    if not value.upper:
        return results.Enclosure(Decimal(0), Decimal(0))
    infinite = Decimal("Infinity")
    down, up = (Context(prec=SHARE_DIGITS + 3, rounding=r) for r in (ROUND_FLOOR, ROUND_CEILING))
    certain = value.lower.is_infinite() or (bool(value.lower) and not limit.upper)
    return results.Enclosure(
        infinite
        if certain
        else down.divide(value.lower, limit.upper)
        if limit.upper
        else Decimal(0),
        up.divide(value.upper, limit.lower)
        if limit.lower and value.upper.is_finite()
        else infinite,
    )


def audited_row(audit: Any, result: Any) -> Row:
    """Return the row of one size of an audit, which has a verdict of its own."""
    value = audit.judged(result)
    return Row(
        result.n,
        result.verdict,
        result.reason,
        audit.label,
        value,
        audit.limit,
        result.complete,
        excess_in_words(audit, result) if result.verdict is results.Verdict.EXCEEDS else "",
        value.upper,
    )


def pair_in_words(worst: Any) -> str:
    """Return two neighbours in words."""
    return f"{in_words(worst.x)} against {in_words(worst.y)}"


def bounded_row(n: int, label: str, value: results.Enclosure, limit: Real, worst: str) -> Row:
    """Return the row of a number that may be ``limit`` at most, with the verdict that follows."""
    verdict = standing(side(value, limit))
    where = f"at n = {n}, with {worst}"
    excess = f"{where}: realised {label} ≥ {value.lower}, budget {limit}"
    if value.lower.is_infinite():
        excess = f"{where}: realised {label} is infinite, budget {limit}"
    close = (
        DECIMALS.subtract(value.upper, Decimal.from_float(float(limit)))
        if value.upper.is_finite()
        else value.upper
    )
    reason = (
        f"its interval [{value.lower}, {value.upper}] contains {limit}, so {label} is undecided"
    )
    undecided = verdict is results.Verdict.UNDECIDED
    return Row(n, verdict, reason * undecided, label, value, limit, True, excess, close)

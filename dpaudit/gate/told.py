"""What the process of an entry told: read as numbers about that entry, and judged here.

The process runs code that nobody here has read, so no word of it is believed: not what was asked,
not whether it passed.  What was asked is the entry's; a kind of failure is taken, as it passes
nothing; and of an audit the numbers are taken that are numbers, at every size that was asked for
and at no other.  Code that makes up such numbers is not seen through: it is trusted code.

What becomes of an audit under the rules of its entry.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.audit.standing import default_in_words, excess_in_words
from dpaudit.errors import DpauditError, PrecisionError
from dpaudit.gate.asked import Asked, clean
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ZERO, order, parse_written, rational
from dpaudit.results import (
    Audit,
    Event,
    Finding,
    Kind,
    Location,
    MeasuredAudit,
    SizeResult,
    Verdict,
)
from dpaudit.results.documents import decode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.mechanisms.spec import Spec
    from dpaudit.numbers.enclosure import Enclosure
    from dpaudit.numbers.real import Real
    from dpaudit.results import MeasuredSize

__all__ = ["MOST_EVENTS", "Told", "judge", "read_told", "without_audit", "worst"]


_LONGEST_EXACT = 40
"""A longer closed form tells a reader less than its digits."""


def judge(audit: Audit | MeasuredAudit, entry: Entry, config: GateConfig) -> tuple[Kind, str]:
    """Return what becomes of an audit under the rules of its entry, with the reason in words."""
    kind, reason = _judge(audit, entry, config)
    return kind, reason + default_in_words(audit)


def _judge(audit: Any, entry: Entry, config: GateConfig) -> tuple[Kind, str]:
    results: tuple[SizeResult | MeasuredSize, ...] = audit.results
    exceeding = [r for r in results if r.verdict is Verdict.EXCEEDS]
    if exceeding:
        return Kind.EXCEEDS, excess_in_words(audit, worst(audit, exceeding))
    if audit.missing:
        return Kind.UNDECIDED, f"sizes that were not finished: {list(audit.missing)}"
    if audit.undecided:
        size = audit.undecided[0]
        return Kind.UNDECIDED, f"at n = {size.n}: {size.reason}"
    undecided = [r for r in results if r.verdict is Verdict.UNDECIDED]
    if undecided:
        first = undecided[0]
        cap = entry.precision_cap or config.precision_cap
        if entry.ties == "accept" and all(_is_tie(audit, r, cap) for r in undecided):
            sizes = ", ".join(str(r.n) for r in undecided)
            return Kind.TIE_ACCEPTED, f"not told from its budget at n = {sizes}, as accepted"
        return Kind.UNDECIDED, f"at n = {first.n}: {first.reason}"
    if not results:
        return Kind.UNDECIDED, "nothing was checked"
    if config.fail_on == "tie":
        for result in results:
            if _exactly_the_budget(audit, result):
                return (
                    Kind.TIE,
                    f"at n = {result.n} the realised {audit.label} is exactly the budget",
                )
    largest = audit.judged(worst(audit, results))
    if largest.exact is not None and len(str(largest.exact)) <= _LONGEST_EXACT:
        return Kind.WITHIN, f"{audit.label} = {largest.exact} exactly, budget {audit.limit}"
    return Kind.WITHIN, f"{audit.label} ≤ {largest.upper}, budget {audit.limit}"


def worst(audit: Any, results: Sequence[Any]) -> Any:
    """Return the worst of some results; None of none."""
    return max(results, key=lambda result: audit.judged(result).upper, default=None)


def _is_tie(audit: Any, result: Any, precision_cap: int) -> bool:
    """Tell whether only the budget's last digits are in doubt, at the precision cap.

    That is so if all pairs were covered and the interval around the budget is at most 10^−digits of
    it wide, and as narrow as balls at the precision cap are: one that the mechanism's own
    probabilities keep wider is no tie.  Nothing is nearly 0 without being 0.
    """
    value: Enclosure = audit.judged(result)
    if result.pairs_covered != result.pairs or value.upper.is_infinite():
        return False
    most = min(Fraction(1, 10**audit.digits), Fraction(1, 2 ** (precision_cap // 4)))
    width = rational(Fraction(value.upper) - Fraction(value.lower))
    budget: Real = audit.limit
    try:
        return budget != ZERO and order(width, budget * rational(most)) is not Sign.POSITIVE
    except PrecisionError:
        return False


def _exactly_the_budget(audit: Any, result: Any) -> bool:
    exact = audit.judged(result).exact
    return exact is not None and order(exact, audit.limit) is Sign.ZERO


MOST_EVENTS = 400
_FAILURES = (Kind.BROKEN, Kind.NOT_LOADED, Kind.UNDECIDED)
"""What a process may say became of its entry; none of them passes."""


class Told(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The one message of a process: a failure, or an audit."""

    failure: Kind | None = None
    """One that does not pass, where it came to no audit."""
    message: str = ""
    """What failed, in words."""
    location: Location | None = None
    """Where the mechanism is defined."""
    audit: Audit | None = None
    """The audit, in ε and δ."""
    notion: MeasuredAudit | None = None
    """The audit, in the notion that the entry names."""
    events: tuple[Event, ...] = ()
    """The worst events at one size, for drawing."""
    events_n: int = 0
    """That size."""


def read_told(said: bytes, entry: Entry, config: GateConfig, spec: Spec) -> Finding:
    """Return what became of an entry, from what its process ``said`` about ``spec``.

    Raises ``ValueError`` for anything but one failure, or one audit of this entry.
    """
    try:
        told = decode(said, Told, parse_written)
    except (msgspec.MsgspecError, DpauditError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it is not one message ({error})") from None
    location = _location(told.location)
    if told.failure is not None:
        kind = told.failure
        if kind not in _FAILURES or told.audit is not None or told.notion is not None:
            raise ValueError("it is neither a failure nor an audit")
        return without_audit(entry, kind, clean(told.message), location)
    try:
        audit = _audit_of(told, entry, config, spec)
    except DpauditError as error:  # a number that is none, a mechanism that is not allowed
        raise ValueError(str(error)) from None
    kind, message = judge(audit, entry, config)
    events, events_n = _events(told, [result.n for result in audit.results])
    return Finding(
        title=entry.title,
        mechanism=entry.mechanism,
        kind=kind,
        passed=kind.passes,
        message=message,
        location=location,
        audit=audit if isinstance(audit, Audit) else None,
        notion=None if isinstance(audit, Audit) else audit,
        events=events,
        events_n=events_n,
    )


def without_audit(
    entry: Entry, kind: Kind, message: str, location: Location | None = None
) -> Finding:
    """Return the finding of an entry that came to no audit."""
    return Finding(
        title=entry.title,
        mechanism=entry.mechanism,
        kind=kind,
        passed=False,
        message=message,
        location=location,
        audit=None,
    )


def _audit_of(told: Told, entry: Entry, config: GateConfig, spec: Spec) -> Audit | MeasuredAudit:
    """Return the audit of an entry, with the verdicts that follow from its numbers."""
    audit = told.audit if entry.notion is None else told.notion
    if audit is None or (told.audit is not None and told.notion is not None):
        raise ValueError("it is no audit of what the entry asks")
    return Asked(entry, config, spec).answer(audit)


def _location(told: Location | None) -> Location | None:
    """Return where a mechanism is defined, if that is a place in a project."""
    if told is None:
        return None
    inside = not told.file.startswith("/") and ".." not in Path(told.file).parts
    if not inside or told.file != clean(told.file) or not 0 <= told.line <= 10**7:
        raise ValueError("its location is none")
    return told


def _events(told: Told, sizes: list[int]) -> tuple[tuple[Event, ...], int]:
    """Return the events to draw: pairs of probabilities at a size that was audited."""
    if not told.events:
        return (), 0
    flat = [float(part) for event in told.events for part in event]
    if told.events_n not in sizes or len(told.events) > MOST_EVENTS + 2:
        raise ValueError("its events are those of no size")
    if not all(0 <= part <= 1 + 1e-6 for part in flat):
        raise ValueError("its events have no probabilities")
    return told.events, told.events_n

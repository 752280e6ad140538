"""Parse and check the message of an entry's process; only its numbers are used.

The process runs code that nobody here has read, so neither its question nor its verdict is
believed.  The question comes from the entry, and the verdict is derived here.  A failure is
accepted as reported, for it passes nothing.  An audit must have its numbers at exactly the sizes
that the entry asks for.  Code that invents plausible numbers is not detected: it is trusted code.

:func:`judge` applies the rules of the entry to the numbers.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit import results
from dpaudit.audit.curve import MOST_EVENTS
from dpaudit.audit.verdicts import default_in_words
from dpaudit.errors import DpauditError, PrecisionError
from dpaudit.gate.entries import entry_question
from dpaudit.gate.functions import reading_of, rungs_of
from dpaudit.gate.requests import EntryRequest, clean
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ZERO, order, parse_written, rational
from dpaudit.report.table import without_size
from dpaudit.results.documents import decode
from dpaudit.results.values import AnyDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.gate.rows import Row
    from dpaudit.mechanisms.spec import Spec


__all__ = ["EntryMessage", "closest", "finding", "judge", "read_message"]


def judge(
    report: results.Reported, rows: Sequence[Row], entry: Entry, config: GateConfig
) -> tuple[results.Kind, str]:
    """Return what becomes of a report under the rules of its entry, with the reason in words."""
    kind, reason = _judge(report, rows, entry, config)
    if entry.n is None and entry.at is None:  # its datasets have no size
        reason = without_size(reason)
    read = f"; {reading_of(report)}".replace("-", " ") if rungs_of(entry) is not None else ""
    return kind, reason + read + default_in_words(report)


def _judge(
    report: results.Reported, rows: Sequence[Row], entry: Entry, config: GateConfig
) -> tuple[results.Kind, str]:
    exceeding = [row for row in rows if row.verdict is results.Verdict.EXCEEDS]
    if exceeding:
        return results.Kind.EXCEEDS, closest(exceeding).excess
    if report.missing:
        return results.Kind.UNDECIDED, f"unfinished sizes: {list(report.missing)}"
    for size in report.without_result:
        return results.Kind.UNDECIDED, f"at n = {size.n}: {size.reason}"
    undecided = [row for row in rows if row.verdict is results.Verdict.UNDECIDED]
    if undecided:
        cap = entry.precision_cap or config.precision_cap
        if entry.ties == "accept" and all(_is_tie(row, report.digits, cap) for row in undecided):
            sizes = ", ".join(dict.fromkeys(str(row.n) for row in undecided))
            return (
                results.Kind.TIE_ACCEPTED,
                f"too close to its budget at n = {sizes} to be decided, as accepted",
            )
        return results.Kind.UNDECIDED, f"at n = {undecided[0].n}: {undecided[0].reason}"
    if not rows:
        return results.Kind.UNDECIDED, "nothing was checked"
    if config.fail_on == "tie":
        for row in rows:
            if row.value.exact is not None and order(row.value.exact, row.limit) is Sign.ZERO:
                return (
                    results.Kind.TIE,
                    f"at n = {row.n} the realised {row.label} is exactly the budget",
                )
    return results.Kind.WITHIN, closest(rows).kept()


def closest(rows: Sequence[Row]) -> Row:
    """Return the row that is closest to its limit, or furthest beyond it."""
    return max(rows, key=lambda row: row.close)


def _is_tie(row: Row, digits: int, precision_cap: int) -> bool:
    """Tell whether only the budget's last digits are in doubt, at the precision cap.

    That is so if all pairs were covered and the interval around the budget is at most 10^−digits of
    it wide, and as narrow as balls at the precision cap are: one that the mechanism's own
    probabilities keep wider is no tie.  Nothing is nearly 0 without being 0.
    """
    if not row.covered or row.value.upper.is_infinite():
        return False
    # A quarter of the precision is left to the arithmetic of the laws; a wider ball has a reason.
    most = min(Fraction(1, 10**digits), Fraction(1, 2 ** (precision_cap // 4)))
    width = rational(Fraction(row.value.upper) - Fraction(row.value.lower))
    try:
        least = row.limit * rational(most)
        return row.limit != ZERO and order(width, least) is not Sign.POSITIVE
    except PrecisionError:
        return False


_FAILURES = (
    results.Kind.BROKEN,
    results.Kind.MEMORY_CAP,
    results.Kind.NOT_LOADED,
    results.Kind.UNDECIDED,
)
"""Outcomes that a process may report for its entry; none of them passes."""


class EntryMessage(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The one message of a process: a failure, or an audit."""

    failure: results.Kind | None = None
    """One that does not pass, where it came to no audit."""
    message: str = ""
    """Description of the failure; empty without one."""
    location: results.Location | None = None
    """File and line of the mechanism's definition."""
    report: AnyDocument | None = None
    """The report, if it came to one."""
    events: tuple[results.Event, ...] = ()
    """The worst events at one size, for drawing."""
    events_n: int = 0
    """That size."""


def read_message(line: bytes, entry: Entry, config: GateConfig, spec: Spec) -> results.Finding:
    """Return the finding of an entry, from the ``line`` that its process sent about ``spec``.

    Raises ``ValueError`` for anything but one failure, or one audit of this entry.
    """
    try:
        answer = decode(line, EntryMessage, parse_written)
    except (msgspec.MsgspecError, DpauditError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it is not one message ({error})") from None
    location = _location(answer.location)
    if answer.failure is not None:
        kind = answer.failure
        if kind not in _FAILURES or answer.report is not None:
            raise ValueError("it is neither a failure nor the report of an audit")
        return finding(entry, kind, clean(answer.message), location)
    question = entry_question(entry)
    if answer.report is None or answer.report.schema != question.schema:
        raise ValueError("it is not the audit that the entry asks for")
    # The verdict is derived again from the numbers: a report cannot pass by saying that it does.
    request = EntryRequest(entry, config, spec)
    untrusted: Any = answer.report
    try:
        if question.counts_draws:
            report, kind, message = question.judged(request.renamed(untrusted), entry)
            return finding(entry, kind, clean(message), location, report=report)
        report, bounds = request.answer(untrusted), question.bounds(entry)
        rows = question.rows(report, bounds)
    except DpauditError as error:  # a number that is none, a mechanism that is not allowed
        raise ValueError(str(error)) from None
    kind, message = judge(report, rows, entry, config)
    events, events_n = _events(answer, [result.n for result in report.results])
    return finding(
        entry,
        kind,
        message,
        location,
        report=report,
        bounds=bounds,
        events=events,
        events_n=events_n,
    )


def finding(
    entry: Entry,
    kind: results.Kind,
    message: str,
    location: results.Location | None = None,
    **details: Any,
) -> results.Finding:
    """Return the finding of an entry; ``details`` are its report, bounds and events if it has some.

    One that passes must have a report.
    """
    return results.Finding(
        title=entry.title,
        mechanism=entry.mechanism,
        kind=kind,
        passed=kind.passes,
        message=message,
        location=location,
        **{"report": None, **details},
    )


def _location(location: results.Location | None) -> results.Location | None:
    """Return where a mechanism is defined; ``ValueError`` for a file outside of the project."""
    if location is None:
        return None
    inside = not location.file.startswith("/") and ".." not in Path(location.file).parts
    if not inside or location.file != clean(location.file) or not 0 <= location.line <= 10**7:
        raise ValueError("its location is invalid")
    return location


def _events(message: EntryMessage, sizes: list[int]) -> tuple[tuple[results.Event, ...], int]:
    """Return the events to draw and their size; ``ValueError`` for any but pairs of probabilities.

    Their size must be one that was audited.
    """
    if not message.events:
        return (), 0
    flat = [float(part) for event in message.events for part in event]
    if message.events_n not in sizes or len(message.events) > MOST_EVENTS + 2:
        raise ValueError("its events belong to no audited size")
    # Rounded to nine digits, a sum of probabilities may be slightly above 1.
    if not all(0 <= part <= 1 + 1e-6 for part in flat):
        raise ValueError("its events have invalid probabilities")
    return message.events, message.events_n

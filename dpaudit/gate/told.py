"""What the process of an entry told: read as numbers about that entry, and judged here.

The process runs code that nobody here has read, so no word of it is believed: not what was asked,
not whether it passed.  What was asked is the entry's; a kind of failure is taken, as it passes
nothing; and of an audit the numbers are taken that are numbers, at every size that was asked for
and at no other.  Code that makes up such numbers is not seen through: it is trusted code.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dpaudit.errors import DpauditError
from dpaudit.exact.parse import parse_written
from dpaudit.gate.asked import Asked, clean
from dpaudit.gate.judge import judge
from dpaudit.results import Audit, Event, Finding, Kind, Location, MeasuredAudit
from dpaudit.results.documents import decode

if TYPE_CHECKING:
    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.mechanisms.spec import Spec

__all__ = ["MOST_EVENTS", "Told", "read_told", "without_audit"]

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

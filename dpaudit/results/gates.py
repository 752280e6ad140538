"""What a gate finds: what became of each entry and claim, and of all of them together."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

import msgspec

from dpaudit.results.audits import Audit, MeasuredAudit
from dpaudit.results.calibrations import CalibrationReport
from dpaudit.results.curves import CurveReport, TradeoffReport
from dpaudit.results.values import Count, Real, Result, Verdict
from dpaudit.worded import Worded

__all__ = [
    "Bound",
    "ClaimFinding",
    "Event",
    "Finding",
    "GateDocument",
    "Kind",
    "Location",
    "Reported",
]

Event = tuple[Decimal, Decimal]
"""The probabilities (Q(S), P(S)) of an event S, rounded: for drawing alone."""


class Kind(Worded):
    """What became of one entry."""

    WITHIN = "within"
    """Certainly within its budget at every size, exact ties included."""
    TIE_ACCEPTED = "tie accepted"
    """Within, but for a tie that balls cannot decide and that the entry accepts."""
    EXCEEDS = "exceeds"
    """Certainly above its budget, with a witness."""
    TIE = "tie"
    """Exactly the budget, which ``fail-on = "tie"`` does not allow."""
    UNDECIDED = "undecided"
    """Not told from the budget, or not all pairs were covered."""
    TIME_CAP = "time cap"
    """Not finished in time."""
    NOT_LOADED = "not loaded"
    """The mechanism could not be loaded, or its parameters are not allowed."""
    BROKEN = "broken"
    """The mechanism is none: laws that do not add up, an asymmetric relation, an exception."""
    CRASHED = "crashed"
    """The process that audited it ended without a result."""

    @property
    def passes(self) -> bool:
        """Tell whether an entry of this kind passes; all but two kinds fail."""
        return self in (Kind.WITHIN, Kind.TIE_ACCEPTED)


class Location(Result, frozen=True):
    """Where something is defined."""

    file: str
    """Relative to the configuration's folder where it lies inside, else a module's name."""
    line: Count
    """The line, from 1."""


class Bound(Result, frozen=True):
    """What the numbers of a report that states no verdict are held to."""

    limit: Real
    """δ, or μ, at most; a nominal ε at least."""
    at: Real | None = None
    """The ε that δ is of."""


Reported: TypeAlias = Audit | MeasuredAudit | CurveReport | TradeoffReport | CalibrationReport
"""What an entry may come to."""


class Finding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What became of one mechanism."""

    title: str
    """What the entry calls it."""
    mechanism: str
    """Its name, as the entry has it."""
    kind: Kind
    """What became of it."""
    passed: bool
    """Whether its kind passes."""
    message: str
    """In words: by how much, and where."""
    location: Location | None
    """Where the mechanism is defined."""
    audit: Audit | None
    """The audit, if it came to one."""
    notion: MeasuredAudit | None = None
    """The audit, if it came to one, of an entry that names a notion of privacy."""
    curve: CurveReport | None = None
    """The privacy curves, if it came to them, of an entry with ``measure = "curve"``."""
    tradeoff: TradeoffReport | None = None
    """The trade-off functions of an entry with ``measure = "tradeoff"``."""
    calibration: CalibrationReport | None = None
    """The calibration of an entry with ``measure = "calibrate"``."""
    bounds: tuple[Bound, ...] = ()
    """What those three are held to."""
    events: tuple[Event, ...] = ()
    """The worst events at one size; empty if not wanted."""
    events_n: Count = 0
    """The size they are for: that of the largest realised ε; 0 for none."""

    @property
    def report(self) -> Reported | None:
        """What the entry came to, whatever its measure; None if it came to nothing."""
        return self.audit or self.notion or self.curve or self.tradeoff or self.calibration

    @property
    def reports(self) -> int:
        """How many reports it has: at most one, where it was not tampered with."""
        each = (self.audit, self.notion, self.curve, self.tradeoff, self.calibration)
        return sum(one is not None for one in each)


class ClaimFinding(Result, frozen=True, kw_only=True):
    """What became of one claim."""

    id: str
    """The claim, or the pattern that means none."""
    expected: str
    """The verdict that it must keep."""
    found: str
    """The verdict that was found, or why there is none."""
    passed: bool
    """Whether it is the expected one."""
    message: str
    """In words."""


class GateDocument(Result, frozen=True, kw_only=True):
    """What a gate found."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    config: str
    """The name of the configuration file."""
    config_sha256: str
    """The SHA-256 of that file."""
    verdict: Verdict
    """``within`` if everything passed, ``exceeds`` if a budget or a claim fails for certain, else
    ``undecided``."""
    mechanisms: tuple[Finding, ...]
    """What became of each entry, in their order."""
    claims: tuple[ClaimFinding, ...]
    """What became of each claim."""
    sha256: str = ""
    """The SHA-256 of the rest, in what is written."""

    def entries(self) -> list[tuple[bool, str, str, str]]:
        """Return for each entry and claim whether it passed, its title, what became of it, how."""
        return [
            *((one.passed, one.title, one.kind.value, one.message) for one in self.mechanisms),
            *((one.passed, one.id, one.found, one.message) for one in self.claims),
        ]

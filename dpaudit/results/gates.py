"""What a gate finds, as the document ``dpaudit.gate/1``."""

from __future__ import annotations

import msgspec

from dpaudit.results.audits import Audit, MeasuredAudit
from dpaudit.results.values import Count, Verdict
from dpaudit.worded import Worded

__all__ = ["ClaimFinding", "Finding", "GateDocument", "Kind", "Location"]


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


class Location(msgspec.Struct, forbid_unknown_fields=True):
    """Where something is defined."""

    file: str
    """Relative to the configuration's folder where it lies inside, else a module's name."""
    line: Count


class Finding(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What became of one mechanism."""

    title: str
    mechanism: str
    kind: str
    """A value of :class:`Kind`."""
    passed: bool
    message: str
    """In words: by how much, and where."""
    location: Location | None
    """Where the mechanism is defined."""
    audit: Audit | None
    """The audit, if it came to one."""
    notion: MeasuredAudit | None = None
    """The audit, if it came to one, of an entry that names a notion of privacy."""
    events: list[tuple[str, str]] = []
    """The worst events (Q(S), P(S)) at one size, as decimals for drawing; empty if not wanted."""
    events_n: Count = 0
    """The size they are for: that of the largest realised ε."""


class ClaimFinding(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What became of one claim."""

    id: str
    expected: str
    found: str
    passed: bool
    message: str


class GateDocument(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a gate found."""

    schema: str
    version: str
    """The version of dpaudit."""
    config: str
    """The name of the configuration file."""
    config_sha256: str
    verdict: Verdict
    """``within`` if everything passed, ``exceeds`` if a budget or a claim fails for certain, else
    ``undecided``."""
    mechanisms: list[Finding]
    claims: list[ClaimFinding]
    sha256: str = ""
    """Of the rest; see :mod:`dpaudit.results.documents`."""

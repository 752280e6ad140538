"""What a gate finds of each entry and claim, and a check of conformance of each mechanism."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

import msgspec

from dpaudit.results.accounts import CertifiedAccount
from dpaudit.results.accuracies import AccuracyReport
from dpaudit.results.audits import Audit, MeasuredAudit, Source
from dpaudit.results.brief import Brief
from dpaudit.results.calibrations import CalibrationReport
from dpaudit.results.curves import CurveReport, TradeoffReport
from dpaudit.results.intervals import IntervalAudit
from dpaudit.results.samples import SampleReport
from dpaudit.results.values import Count, Document, Real, Result
from dpaudit.worded import Worded

__all__ = [
    "CHECKS",
    "Bound",
    "CheckResult",
    "ClaimFinding",
    "Conformance",
    "ConformanceReport",
    "Event",
    "Finding",
    "GateDocument",
    "GateVerdict",
    "Kind",
    "Location",
    "Reported",
    "Status",
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
    NOT_REFUTED = "not refuted"
    """A sampler whose draws do not contradict its budget, which proves nothing."""
    CONFORMS = "conforms"
    """A sampler whose draws do not contradict a law, at most so far from it."""
    DIFFERS = "differs"
    """A sampler of another law than it is held to, but for the error probability."""
    TOO_FEW = "too few draws"
    """No draws of so few could have said anything."""
    VACUOUS = "vacuous"
    """Every draw of a sampler is the same, or its event tells none apart."""
    TIE = "tie"
    """Exactly the budget, which ``fail-on = "tie"`` does not allow."""
    UNDECIDED = "undecided"
    """Not told from the budget, or not all pairs were covered."""
    TIME_CAP = "time cap"
    """Not finished in time."""
    MEMORY_CAP = "memory cap"
    """Needs more memory than there is, or than it may have."""
    NOT_LOADED = "not loaded"
    """The mechanism could not be loaded, or its parameters are not allowed."""
    BROKEN = "broken"
    """The mechanism is none: laws that do not add up, an asymmetric relation, an exception."""
    CRASHED = "crashed"
    """The process that audited it ended without a result."""

    @property
    def passes(self) -> bool:
        """Tell whether an entry of this kind passes; all but four kinds fail."""
        return self in (Kind.WITHIN, Kind.TIE_ACCEPTED) or self.statistical

    @property
    def statistical(self) -> bool:
        """Tell whether it passes for what was drawn, and not for certain."""
        return self in (Kind.NOT_REFUTED, Kind.CONFORMS)


class GateVerdict(Worded):
    """What a gate comes to."""

    WITHIN = "within"
    """Everything passed, and all of it for certain."""
    NOT_REFUTED = "not refuted"
    """Everything passed, some of it for draws that contradict nothing, which proves nothing."""
    EXCEEDS = "exceeds"
    """A budget, a law or a claim fails: for certain or, of a sampler, but for its error."""
    UNDECIDED = "undecided"
    """Nothing fails so, and something did not pass; or nothing was checked."""


class Location(Result, frozen=True):
    """Where something is defined."""

    file: str
    """Relative to the configuration's folder where it lies inside, else a module's name."""
    line: Count
    """The line, from 1."""


class Bound(Result, frozen=True):
    """What the numbers of a report that states no verdict are held to."""

    limit: Real
    """δ, or μ, or a mean error, at most; a nominal ε at least."""
    at: Real | None = None
    """The ε that δ is of."""


Reported: TypeAlias = (
    Audit
    | MeasuredAudit
    | CurveReport
    | TradeoffReport
    | CalibrationReport
    | AccuracyReport
    | IntervalAudit
    | CertifiedAccount
)
"""What an entry may come to, but for draws of a sampler."""


class Finding(Brief, msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
    accuracy: AccuracyReport | None = None
    """The errors of an entry with ``measure = "accuracy"``."""
    interval: IntervalAudit | None = None
    """The audit of an entry with an ``interval``."""
    account: CertifiedAccount | None = None
    """The account of an entry with ``measure = "account"``."""
    sample: SampleReport | None = None
    """The audit of a sampler by its draws, of an entry with ``measure = "sample"``."""
    bounds: tuple[Bound, ...] = ()
    """What those four are held to."""
    events: tuple[Event, ...] = ()
    """The worst events at one size; empty if not wanted."""
    events_n: Count = 0
    """The size they are for: that of the largest realised ε; 0 for none."""

    @property
    def report(self) -> Reported | None:
        """What the entry came to, whatever its measure; None for nothing, and for draws."""
        return next(iter(self._each()), None)

    @property
    def reports(self) -> int:
        """How many reports it has: at most one, where it was not tampered with."""
        return len(self._each())

    def _each(self) -> list[Reported]:
        found = (
            *(self.audit, self.notion, self.curve),
            *(self.tradeoff, self.calibration, self.accuracy, self.interval, self.account),
        )
        return [one for one in found if one is not None]


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


class GateDocument(Document, frozen=True, kw_only=True):
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
    verdict: GateVerdict
    """``within`` if everything passed for certain, ``not refuted`` if everything passed,
    ``exceeds`` if a budget, a law or a claim fails, else ``undecided``."""
    mechanisms: tuple[Finding, ...]
    """What became of each entry, in their order."""
    claims: tuple[ClaimFinding, ...]
    """What became of each claim."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""

    def entries(self) -> list[tuple[bool, str, str, str]]:
        """Return for each entry and claim whether it passed, its title, what became of it, how."""
        return [
            *((one.passed, one.title, one.kind.value, one.message) for one in self.mechanisms),
            *((one.passed, one.id, one.found, one.message) for one in self.claims),
        ]

    @property
    def drawn(self) -> int:
        """How many entries pass because draws refute nothing, which is not for certain."""
        return sum(one.passed and one.kind.statistical for one in self.mechanisms)

    @property
    def failed(self) -> int:
        """How many entries and claims fail."""
        return sum(not passed for passed, *_ in self.entries())


CHECKS = {
    "budget": "a budget is stated",
    "datasets": "there are datasets, hashable, none twice, the same whenever they are listed",
    "neighbours": "the neighbouring relation is symmetric and pairs different datasets",
    "laws": "every dataset has a law: a table of outputs, without an exception",
    "probabilities": "every probability is a number, none is negative",
    "sums": "the probabilities add up to 1",
    "stable": "a law is the same whenever it is asked for",
    "many": "laws() agrees with law()",
    "texts": "datasets and outputs are told apart by their texts",
    "processes": "the mechanism and its values travel to worker processes",
    "speed": "an audit ends within the time cap",
}
"""The checks in their order, with what each is about."""


class Status(Worded):
    """How a check ended."""

    PASSED = "passed"
    """Nothing is wrong."""
    FAILED = "failed"
    """Something is wrong, and the message says what and where."""
    NOT_REACHED = "not reached"
    """An earlier failure, or the end of the time, left nothing to check."""


class CheckResult(Result, frozen=True):
    """What one check found."""

    name: str = msgspec.field(name="check")
    """One of :data:`CHECKS`."""
    about: str
    """What it is about."""
    status: Status
    """How it ended."""
    message: str
    """What was seen, or what is wrong and where."""


class Conformance(Result, frozen=True):
    """What all checks found of one mechanism."""

    mechanism: str
    """Its name."""
    sizes: tuple[int, ...]
    """The sizes looked at."""
    conforms: bool
    """Whether every check was passed."""
    checks: tuple[CheckResult, ...]
    """One for each of :data:`CHECKS` that concerns the mechanism."""
    loaded: Source | None = None
    """Where the mechanism was loaded from; None for one of the package."""


class ConformanceReport(Document, frozen=True, kw_only=True):
    """What is wrong with mechanisms, if anything is."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    conforms: bool
    """Whether all of them passed every check."""
    mechanisms: tuple[Conformance, ...]
    """What was found of each."""

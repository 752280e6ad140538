"""Results of a gate for each entry and claim, and of checks of conformance of mechanisms."""

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
from dpaudit.results.differences import Difference, DifferenceVerdict
from dpaudit.results.intervals import IntervalAudit
from dpaudit.results.values import AnyDocument, Count, Document, Real, Result
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
    """Outcome of one entry of a gate."""

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
    """Verdict of a whole gate."""

    WITHIN = "within"
    """Everything passed, and all of it for certain."""
    NOT_REFUTED = "not refuted"
    """Everything passed, some of it for draws that contradict nothing, which proves nothing."""
    EXCEEDS = "exceeds"
    """A budget, a law or a claim fails: for certain or, of a sampler, but for its error."""
    UNDECIDED = "undecided"
    """Nothing fails so, and something did not pass; or nothing was checked."""


class Location(Result, frozen=True):
    """File and line of a definition."""

    file: str
    """Relative to the configuration's folder where it lies inside, else a module's name."""
    line: Count
    """The line, from 1."""


class Bound(Result, frozen=True):
    """Limit that a gate sets on the numbers of a report without a verdict of its own."""

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
"""Report of an entry; draws of a sampler have another type."""


class Finding(Brief, msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Outcome of one entry of a gate, with its report."""

    title: str
    """Title of the entry."""
    mechanism: str
    """Its name, as the entry has it."""
    kind: Kind
    """Kind of outcome."""
    passed: bool
    """True if outcomes of its kind pass."""
    message: str
    """In words: by how much, and where."""
    location: Location | None
    """File and line of the mechanism's definition; None if unknown."""
    report: AnyDocument | None
    """Report of the entry, of the kind that its measure asks for; None if it came to none."""
    bounds: tuple[Bound, ...] = ()
    """Limits on the numbers of a report without a verdict of its own."""
    events: tuple[Event, ...] = ()
    """The worst events at one size; empty if not wanted."""
    events_n: Count = 0
    """The size they are for: that of the largest realised ε; 0 for none."""


class ClaimFinding(Result, frozen=True, kw_only=True):
    """Outcome of one claim of a gate."""

    id: str
    """The claim, or the pattern that means none."""
    expected: str
    """The verdict that it must keep."""
    found: str
    """The verdict that was found, or why there is none."""
    passed: bool
    """True if the verdict found is the expected one."""
    message: str
    """In words."""


class GateDocument(Document, frozen=True, kw_only=True):
    """Outcome of a gate: a verdict for each entry and claim, and for the whole."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    config: str
    """The name of the configuration file."""
    config_sha256: str
    """The SHA-256 of that file."""
    commit: str = ""
    """Commit of the repository that it lies in, if any; files may have been changed since."""
    verdict: GateVerdict
    """``within`` if everything passed for certain, ``not refuted`` if everything passed,
    ``exceeds`` if a budget, a law or a claim fails, else ``undecided``."""
    mechanisms: tuple[Finding, ...]
    """Outcome of each entry, in their order."""
    claims: tuple[ClaimFinding, ...]
    """Outcome of each claim."""
    baseline: Difference | None = None
    """Differences from the report of an older gate; None without a baseline. A verdict that got
    worse fails the gate, whatever ``verdict`` is."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""

    def entries(self) -> list[tuple[bool, str, str, str]]:
        """Return for each entry and claim: whether it passed, its title, outcome and message."""
        return [
            *(
                (entry.passed, entry.title, entry.kind.value, entry.message)
                for entry in self.mechanisms
            ),
            *((entry.passed, entry.id, entry.found, entry.message) for entry in self.claims),
        ]

    @property
    def got_worse(self) -> bool:
        """True if something is worse than in the baseline."""
        return self.baseline is not None and self.baseline.verdict is DifferenceVerdict.WORSE

    @property
    def drawn(self) -> int:
        """Number of entries that pass only because draws refute nothing, which proves nothing."""
        return sum(entry.passed and entry.kind.statistical for entry in self.mechanisms)

    @property
    def failed(self) -> int:
        """Number of entries and claims that do not pass."""
        return sum(not passed for passed, *_ in self.entries())

    def counted(self) -> list[str]:
        """Return in words how many entries and claims fail, and of what kind the others are."""
        passed = [entry.kind for entry in self.mechanisms if entry.passed]
        certified, ties = passed.count(Kind.WITHIN), passed.count(Kind.TIE_ACCEPTED)
        claims = sum(entry.passed for entry in self.claims)
        counts = (
            (self.failed, f"{self.failed} of {len(self.entries())} fail"),
            (certified, f"{certified} of {len(self.mechanisms)} certified"),
            (ties, f"{ties} with an accepted tie"),
            (self.drawn, f"{self.drawn} passed by draws alone"),
            (claims, f"{claims} of {len(self.claims)} claims as expected"),
        )
        return [text for count, text in counts if count]

    @property
    def failures_first(self) -> tuple[Finding, ...]:
        """Outcome of each entry, those that fail first, otherwise in their order."""
        return tuple(sorted(self.mechanisms, key=lambda one: one.passed))


CHECKS = {
    "budget": "a budget is stated",
    "datasets": "there are datasets, hashable, none twice, the same whenever they are listed",
    "neighbours": "the neighbouring relation is symmetric and pairs different datasets",
    "laws": "every dataset has an output distribution: a table of outputs, without an exception",
    "probabilities": "every probability is a number, none is negative",
    "sums": "the probabilities add up to 1",
    "stable": "two calls give the same output distribution",
    "many": "laws() agrees with law()",
    "texts": "different datasets, and different outputs, have different texts",
    "processes": "the mechanism and its values can be sent to worker processes",
    "speed": "an audit ends within the time cap",
}
"""The checks in their order, with what each is about."""


class Status(Worded):
    """Status of a check after it has ended."""

    PASSED = "passed"
    """Nothing is wrong."""
    FAILED = "failed"
    """Something is wrong, and the message says what and where."""
    NOT_REACHED = "not reached"
    """An earlier failure, or the end of the time, left nothing to check."""


class CheckResult(Result, frozen=True):
    """Result of one check of conformance."""

    name: str = msgspec.field(name="check")
    """One of :data:`CHECKS`."""
    about: str
    """Property that is checked, in words."""
    status: Status
    """Status after the check ended."""
    message: str
    """Observation, or the defect and its place."""


class Conformance(Result, frozen=True):
    """Results of all checks of conformance of one mechanism."""

    mechanism: str
    """Its name."""
    sizes: tuple[int, ...]
    """The sizes looked at."""
    conforms: bool
    """True if every check was passed."""
    checks: tuple[CheckResult, ...]
    """One for each of :data:`CHECKS` that concerns the mechanism."""
    loaded: Source | None = None
    """File and reference the mechanism was loaded from; None for a mechanism of the package."""


class ConformanceReport(Document, frozen=True, kw_only=True):
    """Checks of conformance of one or more mechanisms."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    conforms: bool
    """True if every mechanism passed every check."""
    mechanisms: tuple[Conformance, ...]
    """Results for each mechanism."""

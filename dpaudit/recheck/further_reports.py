"""Reports of notions, trade-off functions, calibrations, accounts and gates, as they have to be."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dpaudit.recheck.reports import (
    Audit,
    Count,
    Data,
    Delta,
    Interval,
    MechanismReport,
    N,
    Size,
    Source,
    Strict,
    Subject,
    Undecided,
    Verdict,
    Vertex,
)

__all__ = [
    "Account",
    "Calibrated",
    "Calibration",
    "Calibrations",
    "ErrorChange",
    "Estimate",
    "Gate",
    "GateClaim",
    "GateFinding",
    "Notion",
    "NotionSize",
    "NotionWitness",
    "Notions",
    "Row",
    "SizedTradeoff",
    "Tradeoff",
    "Tradeoffs",
    "TypeTwo",
]


class NotionWitness(Strict):
    """The worst pair in a notion, with what belongs to it there."""

    x: Any
    y: Any
    output: Any = None
    order: str | None = None
    type_one: str | None = None
    type_two: str | None = None


class NotionSize(Strict):
    """The audit in a notion at one size."""

    n: N
    datasets: Count
    pairs: Count
    pairs_covered: Count
    outputs: Count | Literal["infinite"]
    value: Interval
    witness: NotionWitness
    verdict: Verdict
    reason: str = ""


class NotionName(Strict):
    """What is measured."""

    name: str
    symbol: str
    order: str | None = None
    epsilon: str | None = None


class Notion(MechanismReport):
    """The audit of one mechanism in one notion."""

    notion: NotionName
    budget: str
    budget_implied: bool
    verdict: Verdict
    sizes: list[N]
    results: list[NotionSize]
    missing: list[N]
    undecided: list[Undecided]
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class Notions(Strict):
    """Audits of several mechanisms."""

    schema: str
    verdict: Verdict
    audits: list[Notion]
    sha256: str = ""


class TypeTwo(Strict):
    """The smallest type II error at a type I error."""

    type_one: str
    lower: str
    upper: str
    exact: str | None = None

    @property
    def interval(self) -> Interval:
        """The interval alone."""
        return Interval(self.lower, self.upper, self.exact)


class SizedTradeoff(Strict):
    """A trade-off function at one size."""

    n: N
    pairs: Count
    mu: Interval
    x: Any
    y: Any
    values: list[TypeTwo]
    scale_bits: int
    upper: list[Vertex]
    lower: list[Vertex]


class Tradeoff(MechanismReport):
    """The trade-off functions of one mechanism."""

    sizes: list[N]
    results: list[SizedTradeoff]
    missing: list[N]
    undecided: list[Undecided]
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class Tradeoffs(Strict):
    """The trade-off functions of several mechanisms."""

    schema: str
    audits: list[Tradeoff]
    sha256: str = ""


class ErrorChange(Strict):
    """The mean Hellinger error at a dataset, before and after."""

    dataset: Any
    before: Interval
    after: Interval
    ratio: Interval


class Beyond(Strict):
    """What was tried beyond a failing nominal ε."""

    tried: Count
    exceeding: Count
    up_to: str


class Calibrated(Strict):
    """The calibration at one size."""

    n: N
    nominal: str
    failing: str | None
    gain: Interval
    audits: Count
    before: Size
    realised: Size
    exceeded: Size | None
    error: ErrorChange | None
    beyond: Beyond | None
    verdict: Verdict
    note: str = ""
    no_error: str = ""


class Uncalibrated(Strict):
    """A size without a safe nominal ε."""

    n: N
    verdict: Verdict
    reason: str


class Calibration(Subject):
    """The calibration of one mechanism."""

    tolerance: str
    verdict: Verdict
    sizes: list[N]
    results: list[Calibrated]
    uncalibrated: list[Uncalibrated]
    missing: list[N]
    data: Data | None = None
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""

    @property
    def undecided(self) -> list[Uncalibrated]:
        """The sizes without a result."""
        return self.uncalibrated


class Calibrations(Strict):
    """The calibrations of several mechanisms."""

    schema: str
    verdict: Verdict
    calibrations: list[Calibration]
    data: Data | None = None
    sha256: str = ""


class Estimate(Strict):
    """What another library estimates, beside the certified interval."""

    estimate: str
    standing: str
    difference: str


class Row(Strict):
    """One ε of an account."""

    delta: Delta
    pessimistic: Estimate
    optimistic: Estimate
    dominating: Estimate
    adaptive_upper: str
    ratio: str | None
    below: bool


class Account(MechanismReport):
    """The account of runs of one mechanism at one size."""

    n: N
    pairs: Count
    compose: Count
    discretisation: str
    epsilon: Interval
    below: Count
    rows: list[Row]
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class Location(Strict):
    """Where a mechanism is defined."""

    file: str
    line: Count


class GateFinding(Strict):
    """What became of one entry of a gate."""

    title: str
    mechanism: str
    kind: str
    passed: bool
    message: str
    location: Location | None
    audit: Audit | None
    notion: Notion | None = None
    events: list[tuple[str, str]] = msgspec.field(default_factory=list)
    events_n: Count = 0


class GateClaim(Strict):
    """What became of one claim."""

    id: str
    expected: str
    found: str
    passed: bool
    message: str


class Gate(Strict):
    """A gate's report."""

    schema: str
    version: str
    config: str
    config_sha256: str
    verdict: Verdict
    mechanisms: list[GateFinding]
    claims: list[GateClaim]
    sha256: str = ""

"""Reports of notions, trade-off functions, calibrations, accounts and gates, as they have to be."""

from __future__ import annotations

from typing import Any

import msgspec

from dpaudit.recheck.reports import (
    Audit,
    Data,
    Delta,
    Interval,
    MechanismReport,
    Size,
    Source,
    Strict,
    Subject,
    Undecided,
    Vertex,
)

__all__ = [
    "Account",
    "Calibrated",
    "Calibration",
    "ErrorChange",
    "Estimate",
    "Gate",
    "GateClaim",
    "GateFinding",
    "Notion",
    "NotionSize",
    "NotionWitness",
    "Row",
    "SizedTradeoff",
    "Tradeoff",
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

    n: int
    datasets: int
    pairs: int
    pairs_covered: int
    outputs: int | str
    value: Interval
    witness: NotionWitness
    verdict: str
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
    verdict: str
    results: list[NotionSize]
    missing: list[int]
    undecided: list[Undecided]
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
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

    n: int
    pairs: int
    mu: Interval
    x: Any
    y: Any
    values: list[TypeTwo]
    scale_bits: int
    upper: list[Vertex]
    lower: list[Vertex]


class Tradeoff(MechanismReport):
    """The trade-off functions of one mechanism."""

    results: list[SizedTradeoff]
    missing: list[int]
    undecided: list[Undecided]
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class ErrorChange(Strict):
    """The mean Hellinger error at a dataset, before and after."""

    dataset: Any
    before: Interval
    after: Interval
    ratio: Interval


class Beyond(Strict):
    """What was tried beyond a failing nominal ε."""

    tried: int
    exceeding: int
    up_to: str


class Calibrated(Strict):
    """The calibration at one size."""

    n: int
    nominal: str
    failing: str | None
    gain: Interval
    audits: int
    before: Size
    realised: Size
    exceeded: Size | None
    error: ErrorChange | None
    beyond: Beyond | None
    verdict: str
    note: str = ""
    no_error: str = ""


class Uncalibrated(Strict):
    """A size without a safe nominal ε."""

    n: int
    verdict: str
    reason: str


class Calibration(Subject):
    """The calibration of one mechanism."""

    tolerance: str
    verdict: str
    results: list[Calibrated]
    uncalibrated: list[Uncalibrated]
    missing: list[int]
    data: Data | None = None
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""

    @property
    def undecided(self) -> list[Uncalibrated]:
        """The sizes without a result."""
        return self.uncalibrated


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

    n: int
    pairs: int
    compose: int
    discretisation: str
    epsilon: Interval
    below: int
    rows: list[Row]
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class GateFinding(Strict):
    """What became of one entry of a gate."""

    title: str
    mechanism: str
    kind: str
    passed: bool
    message: str
    location: dict[str, Any] | None
    audit: Audit | None
    notion: Notion | None = None
    events: list[tuple[str, str]] = msgspec.field(default_factory=list)
    events_n: int = 0


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
    verdict: str
    mechanisms: list[GateFinding]
    claims: list[GateClaim]
    sha256: str = ""

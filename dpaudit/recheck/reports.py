"""Reading a report: the fields of its schema written down a second time, and its seal."""

from __future__ import annotations

import hashlib
import json
from typing import Any, TypeVar

import msgspec

from dpaudit.recheck.failures import NotAReportError

__all__ = [
    "Account",
    "Audit",
    "Budget",
    "Calibrated",
    "Calibration",
    "Curve",
    "Data",
    "Delta",
    "ErrorChange",
    "Estimate",
    "Gate",
    "GateClaim",
    "GateFinding",
    "Interval",
    "Notion",
    "NotionName",
    "NotionSize",
    "NotionWitness",
    "Row",
    "Size",
    "SizedCurve",
    "SizedTradeoff",
    "Source",
    "Tradeoff",
    "TypeTwo",
    "Vertex",
    "Witness",
    "as_type",
    "seal_of",
]

StructT = TypeVar("StructT")


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    pass


class Interval(_Strict):
    """[lower, upper], or a closed form."""

    lower: str
    upper: str
    exact: str | None = None


class Delta(_Strict):
    """δ(ε) at a pair."""

    epsilon: str
    lower: str
    upper: str
    exact: str | None = None
    x: Any = None
    y: Any = None

    @property
    def interval(self) -> Interval:
        """The interval alone."""
        return Interval(self.lower, self.upper, self.exact)


class Witness(_Strict):
    """A pair, an output and its loss."""

    x: Any
    y: Any
    output: Any
    loss: Interval


class Budget(_Strict):
    """(ε, δ)."""

    epsilon: str
    delta: str


class Size(_Strict):
    """The audit at one size."""

    n: int
    datasets: int
    pairs: int
    pairs_covered: int
    outputs: int | str
    epsilon: Interval
    delta: Delta
    curve: list[Delta]
    witness: Witness
    verdict: str
    reason: str = ""


class Undecided(_Strict):
    """A size without a result."""

    n: int
    reason: str


class Source(_Strict):
    """Where a mechanism of a user's was loaded from."""

    reference: str
    sha256: str


class _Mechanism(_Strict):
    schema: str
    version: str
    mechanism: dict[str, Any]
    stated: Budget | None
    adjacency: str
    at: str | None
    digits: int


class _Subject(_Mechanism):
    budget: Budget


class Data(_Strict):
    """The counts of a column of a file."""

    file: str
    column: str
    n: int
    categories: list[str]
    counts: list[int]
    missing: int
    dropped: int


class Audit(_Subject):
    """An audit of one mechanism."""

    verdict: str
    results: list[Size]
    missing: list[int]
    undecided: list[Undecided]
    data: Data | None = None
    loaded: Source | None = None
    sha256: str = ""


class Vertex(_Strict):
    """An event and its two probabilities."""

    q: str
    p: str
    outputs: int = 0
    x: Any = None
    y: Any = None


class SizedCurve(_Strict):
    """A privacy curve at one size."""

    n: int
    pairs: int
    values: list[Delta]
    scale_bits: int
    upper: list[Vertex]
    lower: list[Vertex]


class Curve(_Subject):
    """The privacy curves of one mechanism."""

    curves: list[SizedCurve]
    missing: list[int]
    undecided: list[Undecided]
    loaded: Source | None = None
    sha256: str = ""


class NotionWitness(_Strict):
    """The worst pair in a notion, with what belongs to it there."""

    x: Any
    y: Any
    output: Any = None
    order: str | None = None
    type_one: str | None = None
    type_two: str | None = None


class NotionSize(_Strict):
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


class NotionName(_Strict):
    """What is measured."""

    name: str
    symbol: str
    order: str | None = None
    epsilon: str | None = None


class Notion(_Mechanism):
    """The audit of one mechanism in one notion."""

    notion: NotionName
    budget: str
    budget_implied: bool
    verdict: str
    results: list[NotionSize]
    missing: list[int]
    undecided: list[Undecided]
    loaded: Source | None = None
    sha256: str = ""


class TypeTwo(_Strict):
    """The smallest type II error at a type I error."""

    type_one: str
    lower: str
    upper: str
    exact: str | None = None

    @property
    def interval(self) -> Interval:
        """The interval alone."""
        return Interval(self.lower, self.upper, self.exact)


class SizedTradeoff(_Strict):
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


class Tradeoff(_Mechanism):
    """The trade-off functions of one mechanism."""

    results: list[SizedTradeoff]
    missing: list[int]
    undecided: list[Undecided]
    loaded: Source | None = None
    sha256: str = ""


class ErrorChange(_Strict):
    """The mean Hellinger error at a dataset, before and after."""

    dataset: Any
    before: Interval
    after: Interval
    ratio: Interval


class Beyond(_Strict):
    """What was tried beyond a failing nominal ε."""

    tried: int
    exceeding: int
    up_to: str


class Calibrated(_Strict):
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


class Uncalibrated(_Strict):
    """A size without a safe nominal ε."""

    n: int
    verdict: str
    reason: str


class Calibration(_Subject):
    """The calibration of one mechanism."""

    tolerance: str
    verdict: str
    results: list[Calibrated]
    uncalibrated: list[Uncalibrated]
    missing: list[int]
    data: Data | None = None
    loaded: Source | None = None
    sha256: str = ""

    @property
    def undecided(self) -> list[Uncalibrated]:
        """The sizes without a result."""
        return self.uncalibrated


class Estimate(_Strict):
    """What another library estimates, beside the certified interval."""

    estimate: str
    standing: str
    difference: str


class Row(_Strict):
    """One ε of an account."""

    delta: Delta
    pessimistic: Estimate
    optimistic: Estimate
    dominating: Estimate
    adaptive_upper: str
    ratio: str | None
    below: bool


class Account(_Mechanism):
    """The account of runs of one mechanism at one size."""

    n: int
    pairs: int
    compose: int
    discretisation: str
    epsilon: Interval
    below: int
    rows: list[Row]
    loaded: Source | None = None
    sha256: str = ""


class GateFinding(_Strict):
    """What became of one entry of a gate."""

    title: str
    mechanism: str
    kind: str
    passed: bool
    message: str
    location: dict[str, Any] | None
    audit: Audit | None
    events: list[tuple[str, str]] = []
    events_n: int = 0


class GateClaim(_Strict):
    """What became of one claim."""

    id: str
    expected: str
    found: str
    passed: bool
    message: str


class Gate(_Strict):
    """A gate's report."""

    schema: str
    version: str
    config: str
    config_sha256: str
    verdict: str
    mechanisms: list[GateFinding]
    claims: list[GateClaim]
    sha256: str = ""


def as_type(content: dict[str, Any], wanted: type[StructT]) -> StructT:
    """Return the content of a report as ``wanted``; ``NotAReportError`` says what does not fit."""
    try:
        return msgspec.convert(content, wanted)
    except msgspec.ValidationError as error:
        raise NotAReportError(f"it is no report of this version: {error}") from None


def seal_of(content: dict[str, Any]) -> str:
    """Return the SHA-256 that a report with this content has to end with."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()

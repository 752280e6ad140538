"""Reading a report: the fields of its schema written down a second time, and its seal."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from dpaudit.recheck.failures import NotAReportError

__all__ = [
    "LARGEST_N",
    "Audit",
    "Audits",
    "Budget",
    "Count",
    "Curve",
    "Curves",
    "Data",
    "Delta",
    "Interval",
    "MechanismReport",
    "N",
    "Parameters",
    "Size",
    "SizedCurve",
    "Source",
    "Strict",
    "Subject",
    "Undecided",
    "Verdict",
    "Vertex",
    "Witness",
    "as_type",
    "seal_of",
]

StructT = TypeVar("StructT")
Verdict = Literal["within", "exceeds", "undecided"]
Count = Annotated[int, msgspec.Meta(ge=0)]
"""How many there are of something."""
LARGEST_N = 10_000_000
N = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_N)]
"""A size."""
Digits = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Parameters = dict[str, str | list[str]]
"""A mechanism: its name, and its parameters as text."""


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    """A part of a report with no fields but these."""


class Interval(Strict):
    """[lower, upper], or a closed form."""

    lower: str
    upper: str
    exact: str | None = None


class Delta(Strict):
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


class Witness(Strict):
    """A pair, an output and its loss."""

    x: Any
    y: Any
    output: Any
    loss: Interval


class Budget(Strict):
    """(ε, δ)."""

    epsilon: str
    delta: str


class Size(Strict):
    """The audit at one size."""

    n: N
    datasets: Count
    pairs: Count
    pairs_covered: Count
    outputs: Count | Literal["infinite"]
    epsilon: Interval
    delta: Delta
    curve: list[Delta]
    witness: Witness
    verdict: Verdict
    reason: str = ""


class Undecided(Strict):
    """A size without a result."""

    n: N
    reason: str


class Source(Strict):
    """Where a mechanism of a user's was loaded from."""

    reference: str
    sha256: str


class MechanismReport(Strict, kw_only=True):
    """A report about one mechanism."""

    schema: str
    version: str
    mechanism: Parameters
    stated: Budget | None
    adjacency: str
    at: str | None
    digits: Digits
    adjacency_defaulted: bool = False


class Subject(MechanismReport):
    """One that is held to (ε, δ)."""

    budget: Budget


class Data(Strict):
    """The counts of a column of a file."""

    file: str
    column: str
    n: Count
    categories: list[str]
    counts: list[Count]
    missing: Count
    dropped: Count


class Audit(Subject):
    """An audit of one mechanism."""

    verdict: Verdict
    sizes: list[N]
    results: list[Size]
    missing: list[N]
    undecided: list[Undecided]
    data: Data | None = None
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class Vertex(Strict):
    """An event and its two probabilities."""

    q: str
    p: str
    outputs: Count = 0
    x: Any = None
    y: Any = None


class SizedCurve(Strict):
    """A privacy curve at one size."""

    n: N
    pairs: Count
    values: list[Delta]
    scale_bits: int
    upper: list[Vertex]
    lower: list[Vertex]


class Curve(Subject):
    """The privacy curves of one mechanism."""

    sizes: list[N]
    curves: list[SizedCurve]
    missing: list[N]
    undecided: list[Undecided]
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""


class Audits(Strict):
    """Audits of several mechanisms."""

    schema: str
    verdict: Verdict
    audits: list[Audit]
    data: Data | None = None
    sha256: str = ""


class Curves(Strict):
    """The privacy curves of several mechanisms."""

    schema: str
    audits: list[Curve]
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

"""Reading a report: the fields of its schema written down a second time, and its seal."""

from __future__ import annotations

import hashlib
import json
from typing import Any, TypeVar

import msgspec

from dpaudit.recheck.failures import NotAReportError

__all__ = [
    "Audit",
    "Budget",
    "Curve",
    "Data",
    "Delta",
    "Interval",
    "MechanismReport",
    "Size",
    "SizedCurve",
    "Source",
    "Strict",
    "Subject",
    "Undecided",
    "Vertex",
    "Witness",
    "as_type",
    "seal_of",
]

StructT = TypeVar("StructT")


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


class Undecided(Strict):
    """A size without a result."""

    n: int
    reason: str


class Source(Strict):
    """Where a mechanism of a user's was loaded from."""

    reference: str
    sha256: str


class MechanismReport(Strict, kw_only=True):
    """A report about one mechanism."""

    schema: str
    version: str
    mechanism: dict[str, Any]
    stated: Budget | None
    adjacency: str
    at: str | None
    digits: int
    adjacency_defaulted: bool = False


class Subject(MechanismReport):
    """One that is held to (ε, δ)."""

    budget: Budget


class Data(Strict):
    """The counts of a column of a file."""

    file: str
    column: str
    n: int
    categories: list[str]
    counts: list[int]
    missing: int
    dropped: int


class Audit(Subject):
    """An audit of one mechanism."""

    verdict: str
    results: list[Size]
    missing: list[int]
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
    outputs: int = 0
    x: Any = None
    y: Any = None


class SizedCurve(Strict):
    """A privacy curve at one size."""

    n: int
    pairs: int
    values: list[Delta]
    scale_bits: int
    upper: list[Vertex]
    lower: list[Vertex]


class Curve(Subject):
    """The privacy curves of one mechanism."""

    curves: list[SizedCurve]
    missing: list[int]
    undecided: list[Undecided]
    loaded: Source | None = None
    epsilon_unit: str = "nats"
    fingerprint: str = ""
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

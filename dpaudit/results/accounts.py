"""What an account finds: δ(ε) of runs on the same data, beside what another library estimates."""

from __future__ import annotations

import msgspec

from dpaudit.results.audits import DeltaAt, Source
from dpaudit.results.values import Budget, Count, Digits, Enclosure, Parameters, Size

__all__ = ["AccountDocument", "EstimateDocument", "RowDocument"]


class EstimateDocument(msgspec.Struct, forbid_unknown_fields=True):
    """One of dp-accounting's answers; the float in its shortest form."""

    estimate: str
    standing: str
    """above, within or below the certified interval; taken exactly."""
    difference: str
    """How far above (+) or below (-) the interval it is, to 4 digits; 0 if within."""


class RowDocument(msgspec.Struct, forbid_unknown_fields=True):
    """One ε: what is certified and what dp-accounting estimates."""

    delta: DeltaAt
    """The certified δ(ε) and the pair it is attained at; from δ of one run to 1 if not composed."""
    pessimistic: EstimateDocument | None
    """For the worst pair, losses rounded up: meant to be above; null where there is none."""
    optimistic: EstimateDocument | None
    """For the worst pair, losses rounded down: meant to be below."""
    dominating: EstimateDocument | None
    """For the dominating pair of all pairs, losses rounded up: meant to be above."""
    adaptive_upper: str | None
    """A certified upper bound for adaptive composition; null where there is none."""
    ratio: str | None
    """pessimistic / certified δ(ε); null where that may be 0."""
    below: bool
    """Whether an estimate that is meant to be above is below."""


class AccountDocument(msgspec.Struct, omit_defaults=True, kw_only=True, forbid_unknown_fields=True):
    """The comparison of one mechanism at one size."""

    schema: str
    version: str
    described: Parameters = msgspec.field(name="mechanism")
    stated: Budget | None
    adjacency: str
    at: str | None
    digits: Digits
    n: Size
    pairs: Count
    compose: Count
    discretisation: str
    epsilon: Enclosure
    """The realised ε of so many runs."""
    below: Count
    """How many rows have an estimate meant to be above that is below."""
    rows: list[RowDocument]
    composed: bool = True
    """Whether the runs were composed exactly."""
    refused: list[str] = []
    """What could not be said, and why."""
    loaded: Source | None = None
    adjacency_defaulted: bool = False
    epsilon_unit: str = "nats"
    fingerprint: str = ""
    sha256: str = ""

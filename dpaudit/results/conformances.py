"""What a check of conformance finds: one entry for each check, with what was seen or is wrong."""

from __future__ import annotations

import msgspec

from dpaudit.results.audits import Source
from dpaudit.results.values import Result
from dpaudit.worded import Worded

__all__ = ["CHECKS", "CheckResult", "Conformance", "ConformanceReport", "Status"]

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


class ConformanceReport(Result, frozen=True, kw_only=True):
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

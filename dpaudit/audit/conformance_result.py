"""What a check of conformance found: one entry for each check, with what was seen or is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpaudit.worded import Worded

__all__ = ["CHECKS", "Check", "Conformance", "Findings", "Status"]

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


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found."""

    name: str
    """One of :data:`CHECKS`."""
    status: Status
    """How it ended."""
    message: str
    """What was seen, or what is wrong and where."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """What all checks found."""

    mechanism: str
    """Its name."""
    sizes: tuple[int, ...]
    """The sizes looked at."""
    checks: tuple[Check, ...]
    """One for each of :data:`CHECKS` that concerns the mechanism."""

    @property
    def conforms(self) -> bool:
        """Whether every check was passed."""
        return all(check.status is Status.PASSED for check in self.checks)


@dataclass
class Findings:
    """What goes wrong where, as it is found."""

    failures: dict[str, list[str]] = field(default_factory=dict)
    """What is wrong, for each check, in the order it was met."""
    notes: dict[str, str] = field(default_factory=dict)
    """What is worth saying about a check that is passed."""
    completed: set[str] = field(default_factory=set)
    """The checks that have looked at everything."""
    doing: str = ""
    """What is waited for."""

    def complete(self, *checks: str) -> None:
        """Note that ``checks`` have looked at everything there is at this size."""
        self.completed.update(checks)

    def fail(self, check: str, message: str) -> None:
        """Note one thing that is wrong."""
        self.failures.setdefault(check, []).append(message)

    def check(self, name: str) -> Check:
        """Return what was found by the check of that ``name``."""
        if found := self.failures.get(name):
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            return Check(name, Status.FAILED, found[0] + more)
        if name not in self.completed:
            return Check(name, Status.NOT_REACHED, "left unchecked")
        return Check(name, Status.PASSED, self.notes.get(name, ""))

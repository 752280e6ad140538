"""What checks of conformance come upon, as they go."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpaudit.results import CHECKS, CheckResult, Status

__all__ = ["Findings"]


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

    def check(self, name: str) -> CheckResult:
        """Return what was found by the check of that ``name``."""
        if found := self.failures.get(name):
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            return CheckResult(name, CHECKS[name], Status.FAILED, found[0] + more)
        if name not in self.completed:
            return CheckResult(name, CHECKS[name], Status.NOT_REACHED, "left unchecked")
        return CheckResult(name, CHECKS[name], Status.PASSED, self.notes.get(name, ""))

"""Evidence by exhaustion: a certified sweep over finitely many cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Role, Settings, Status

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Sweep"]


@dataclass(frozen=True, kw_only=True)
class Sweep(Evidence):
    """Every case up to a stated bound, each decided by balls or exactly.

    ``run`` returns how many cases there are and the first that fails (empty if none does); it
    raises if a case cannot be decided.
    """

    kind: ClassVar[str] = "exhaustive audit"

    bound: str
    """The cases, in words: "n = 1..200, all x"."""
    run: Callable[[], tuple[int, str]]
    """Decides every case."""
    role: Role = Role.VERIFIES

    def check(self, settings: Settings) -> EvidenceResult:
        cases, failure = self.run()
        if failure:
            return EvidenceResult(Status.FAILS, f"fails at {failure}")
        if cases == 0:
            return EvidenceResult(Status.FAILS, "no case was checked")
        return EvidenceResult(Status.HOLDS, f"{cases} cases, {self.bound}")

    def explain(self) -> str:
        return f"every case of {self.bound}"

"""Algebraic evidence: identities that a computer algebra system simplifies to zero."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Settings, Status

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Identity"]


@dataclass(frozen=True, kw_only=True)
class Identity(Evidence):
    """A chain of equal expressions: every two consecutive ones differ by zero.

    ``chain`` returns the expressions (sympy, on positive symbols); gamma functions are reduced by
    their recurrence.  ``shown`` is the same chain as text.
    """

    kind: ClassVar[str] = "algebra"

    chain: Callable[[], list[Any]]
    """Builds the expressions; sympy is imported inside."""
    shown: tuple[str, ...]
    """The expressions as a reader sees them, one for each of the chain."""

    def check(self, settings: Settings) -> EvidenceResult:
        import sympy

        expressions = self.chain()
        if len(expressions) != len(self.shown) or len(expressions) < 2:
            return EvidenceResult(Status.FAILS, "the chain is not the one that is shown")
        for index, (left, right) in enumerate(pairwise(expressions)):
            difference = sympy.simplify(sympy.gammasimp(sympy.expand_func(left - right)))
            if difference == 0:
                continue
            quotient = sympy.simplify(sympy.gammasimp(sympy.powsimp(left / right, force=True)))
            if quotient != 1:
                detail = f"step {index + 1} of {len(expressions) - 1} leaves {difference}"
                return EvidenceResult(Status.UNDECIDED, detail)
        return EvidenceResult(Status.HOLDS, f"{len(expressions) - 1} steps simplify to 0")

    def explain(self) -> str:
        return "\n  = ".join(self.shown)

"""Counterexamples and exact facts: certified in balls, and again in mpmath from the definitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Role, Settings, Status
from dpaudit.numbers.ball import Sign, decide_sign
from dpaudit.numbers.real import Real

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.numbers.ball import Ball

__all__ = ["MPMATH_DIGITS", "Counterexample", "Fact"]

MPMATH_DIGITS = 50
"""Decimal digits of the second evaluation."""

_NOISE = "1e-40"


@dataclass(frozen=True, kw_only=True)
class Fact(Evidence):
    """A margin that is certainly positive at exact ``parameters``.

    ``margin`` evaluates it in balls at the working precision (or as a closed form), ``again`` in
    mpmath, from the definitions and without the package's own numerics.  With ``tie`` the margin
    is exactly zero instead, which only a closed form can show.
    """

    kind: ClassVar[str] = "certified value"

    parameters: Mapping[str, str]
    """The exact parameters, as text."""
    shows: str
    """The inequality (or, with ``tie``, the equality) that holds there, as text."""
    margin: Callable[[], Ball | Real]
    """Left minus right of ``shows``, in balls or in closed form."""
    again: Callable[[], Any]
    """The same in mpmath."""
    tie: bool = False
    """Whether the two sides are equal."""

    def check(self, settings: Settings) -> EvidenceResult:
        from mpmath import mp, mpf, nstr

        value = self.margin()
        found = (
            value.sign()
            if isinstance(value, Real)
            else decide_sign(self._ball, start=128, cap=4096)
        )
        with mp.workdps(MPMATH_DIGITS):
            second = mpf(self.again())
            agrees = abs(second) < mpf(_NOISE) if self.tie else second > mpf(_NOISE)
            shown = nstr(second, 12)
        where = ", ".join(f"{name} = {text}" for name, text in self.parameters.items())
        detail = f"{where}: {self.shows}, by {'0 exactly' if self.tie else shown}"
        wanted = Sign.ZERO if self.tie else Sign.POSITIVE
        if found is wanted and agrees:
            return EvidenceResult(Status.HOLDS, detail)
        if found is Sign.UNDECIDED:
            return EvidenceResult(Status.UNDECIDED, f"{detail}; the balls do not decide it")
        return EvidenceResult(
            Status.FAILS, f"{where}: the balls say {found.value}, mpmath says {shown}"
        )

    def _ball(self) -> Ball:
        value = self.margin()
        return value.ball() if isinstance(value, Real) else value

    def explain(self) -> str:
        where = ", ".join(f"{name} = {text}" for name, text in self.parameters.items())
        return f"at {where}: {self.shows}"


@dataclass(frozen=True, kw_only=True)
class Counterexample(Fact):
    """Exact parameters of the stated domain at which the claim is false."""

    kind: ClassVar[str] = "counterexample"

    role: Role = Role.REFUTES

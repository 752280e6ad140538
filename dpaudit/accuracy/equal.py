"""Mechanisms at one realised ε: the nominal ε that makes it so, certified.

What a mechanism is told to keep and what it realises differ, so at one nominal ε mechanisms are not
compared fairly.  Here every one of them gets the nominal ε whose realised ε, over all pairs of
neighbouring datasets of the size, is certified to be at most the target and close below it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.plan import Plan
from dpaudit.audit.sweep import sweep
from dpaudit.errors import ParameterError, PrecisionError
from dpaudit.mechanisms.parameters import usable_float
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ZERO, Real, real
from dpaudit.results import Budget, Enclosure, SizeResult, Verdict

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["TOLERANCE", "Calibrated", "Realised", "at_realised", "realised"]

TOLERANCE = Fraction(1, 10**6)
"""The realised ε is at most this far below the target."""

_MOST_AUDITS = 80
_GRID = 10**12  # nominal ε tried are multiples of 1/_GRID
_DIGITS = 10
_DEFAULT = Plan(Budget(ZERO, ZERO))


@dataclass(frozen=True)
class Realised:
    """Realised ε from an audit over all pairs, with its comparison with a budget (ε, 0)."""

    epsilon: Enclosure
    within: bool
    """True if the realised ε is certified to be at most the budget, ties decided exactly."""


@dataclass(frozen=True)
class Calibrated:
    """A mechanism whose realised ε is certified to be at most the target."""

    mechanism: Mechanism[Any]
    nominal: Real
    """The ε it is run with."""
    realised: Enclosure
    """Its realised ε at the size."""


def realised(mechanism: Mechanism[Any], n: int, budget: Real, plan: Plan | None = None) -> Realised:
    """Return the realised ε at size ``n`` over all pairs, and whether it keeps ``budget``.

    ``plan`` names the neighbours and the engine.  Raises ``PrecisionError`` where the realised ε
    cannot be enclosed.
    """
    pure = replace(plan or _DEFAULT, budget=Budget(budget, ZERO), at=None, digits=_DIGITS)
    (size,) = sweep(EpsilonDelta(), mechanism, (n,), pure)
    if not isinstance(size, SizeResult):
        raise PrecisionError(size.reason)
    return Realised(size.epsilon, size.verdict is Verdict.WITHIN)


def at_realised(
    mechanism: Mechanism[Any], n: int, target: Real, plan: Plan | None = None
) -> Calibrated:
    """Return the mechanism with the nominal ε whose realised ε at ``n`` comes up to ``target``.

    ``plan`` names the neighbours and the engine.  The realised ε is certified to be at most the
    target, and at most :data:`TOLERANCE` below it.  Raises ``ParameterError`` where no nominal ε
    does that: the mechanism has none, or what it realises leaps over the target.
    """
    if "epsilon" not in mechanism.values():
        raise ParameterError("epsilon", f"{mechanism.name} has no parameter ε to be set")
    search = _Search(mechanism, n, target, plan)
    return search.run()


class _Search:
    """The search for the nominal ε: false position between a safe value and an unsafe one."""

    def __init__(self, mechanism: Mechanism[Any], n: int, target: Real, plan: Plan | None) -> None:
        self.mechanism = mechanism
        self.n = n
        self.target = target
        self.plan = plan
        self.aim = usable_float(target, "realised")
        self.safe: tuple[float, float] | None = None
        self.unsafe: tuple[float, float] | None = None
        self.audits = 0

    def run(self) -> Calibrated:
        outcome = self._try(self.target)
        if isinstance(outcome, Calibrated):
            return outcome
        proportional = outcome.epsilon.exact
        if proportional is not None:  # noise whose realised ε is a multiple of the nominal one
            again = self._try(self.target * self.target / real(proportional))
            if isinstance(again, Calibrated):
                return again
        while self.audits < _MOST_AUDITS:
            outcome = self._try(real(self._next()))
            if isinstance(outcome, Calibrated):
                return outcome
            if self._exhausted():
                break
        raise ParameterError(
            "realised",
            f"{self.mechanism.name}: no nominal ε was found at n = {self.n} with a realised ε "
            f"between {self.target} - {float(TOLERANCE):g} and {self.target}",
        )

    def _try(self, nominal: Real) -> Calibrated | Realised:
        self.audits += 1
        candidate = replace(self.mechanism, epsilon=nominal)  # type: ignore[call-arg]
        outcome = realised(candidate, self.n, self.target, self.plan)
        if outcome.within and self._is_near(outcome.epsilon):
            return Calibrated(candidate, nominal, outcome.epsilon)
        at = float(nominal), float(outcome.epsilon.upper)
        if outcome.within:
            self.safe = at if self.safe is None else max(self.safe, at)
        else:
            self.unsafe = at if self.unsafe is None else min(self.unsafe, at)
        return outcome

    def _is_near(self, epsilon: Enclosure) -> bool:
        missing = self.target - real(TOLERANCE) - real(epsilon.lower)
        return missing.sign() in (Sign.NEGATIVE, Sign.ZERO)

    def _next(self) -> Fraction:
        """Return the next nominal ε to try."""
        if self.unsafe is None:
            assert self.safe is not None
            x, y = self.safe
            return _on_grid(x * min(2.0, max(1.02 * self.aim / y, 1.05) if y else 2.0))
        if self.safe is None:
            x, y = self.unsafe
            return _on_grid(x * max(0.5 if y == float("inf") else 0.98 * self.aim / y, 0.01))
        (low, below), (high, above) = self.safe, self.unsafe
        share = 0.5
        if above < float("inf"):
            share = (self.aim - float(TOLERANCE) / 2 - below) / (above - below)
        if self.audits % 3 == 0:  # lest one end never moves
            share = min(max(share, 0.25), 0.75)
        return _on_grid(low + (high - low) * min(max(share, 0.001), 0.999))

    def _exhausted(self) -> bool:
        if self.safe is None or self.unsafe is None:
            return False
        return self.unsafe[0] - self.safe[0] <= 4 / _GRID


def _on_grid(x: float) -> Fraction:
    return max(Fraction(int(x * _GRID), _GRID), Fraction(1, _GRID))

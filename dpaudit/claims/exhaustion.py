"""Evidence by the values of a typed statement: at one point, or at every point up to a bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Role, Settings, Status
from dpaudit.claims.evaluate import Undefined, confirmed
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import all_cases, contains, formula_text, place, read
from dpaudit.results.claims import Statement

__all__ = ["Exhaustion", "Witness", "restricted"]


def restricted(statement: Statement, further: tuple[str, ...]) -> Statement:
    """Return the statement on the part of its domain where ``further`` holds as well."""
    return Statement(
        quantifier=statement.quantifier,
        variables=statement.variables,
        domain=(*statement.domain, *further),
        proposition=statement.proposition,
    )


@dataclass(frozen=True, kw_only=True)
class Witness(Evidence):
    """A point that decides a typed statement: ∀ is false there, or ∃ true.

    The engine evaluates the statement itself, in balls and in mpmath, and holds the point to the
    domain.
    """

    kind: ClassVar[str] = "witness"

    of: Statement
    """The statement."""
    at: Mapping[str, str]
    """A rational value for every variable."""
    role: Role = Role.REFUTES

    def point(self) -> dict[str, Fraction]:
        """Return the point; ``FormulaError`` where a value is no rational number."""
        try:
            return {name: Fraction(text) for name, text in self.at.items()}
        except (ValueError, ZeroDivisionError):
            raise FormulaError(f"{dict(self.at)} is no point of rational numbers") from None

    def check(self, settings: Settings) -> EvidenceResult:
        try:
            parsed, at = read(self.of), self.point()
            if not contains(parsed, at):
                return EvidenceResult(Status.FAILS, f"{place(at)} is not in the domain")
            found = confirmed(parsed.proposition, at)
        except (FormulaError, Undefined) as error:
            return EvidenceResult(Status.FAILS, str(error))
        if found is None:
            return EvidenceResult(Status.UNDECIDED, f"not decided at {place(at)}")
        detail = f"{'true' if found else 'false'} at {place(at)}"
        return EvidenceResult(Status.HOLDS if found is not parsed.forall else Status.FAILS, detail)

    def explain(self) -> str:
        return f"{formula_text(self.of)}\nis evaluated at {place(self.point())}"


@dataclass(frozen=True, kw_only=True)
class Exhaustion(Evidence):
    """A typed statement, true at every point of its domain that lies within bounds.

    The cases are derived from the statement: the bounds make its domain finite, and the engine
    evaluates the proposition at every point, in balls and in mpmath.
    """

    kind: ClassVar[str] = "exhaustion"

    of: Statement
    """The statement."""
    bounds: tuple[str, ...] = ()
    """What makes its domain finite."""
    role: Role = Role.VERIFIES

    def states(self) -> Statement:
        """Return the statement within the bounds."""
        return restricted(self.of, self.bounds)

    def failure(self, statement: Statement) -> str:
        """Return why another statement is not true in every case within the bounds, or nothing."""
        parsed = read(restricted(statement, self.bounds))
        cases = all_cases(parsed)
        if not cases or not parsed.forall:
            return "there is no case" if cases == [] else "the bounds leave infinitely many cases"
        for at in cases:
            try:
                found = confirmed(parsed.proposition, at)
            except Undefined as error:
                return f"it has no meaning at {place(at)}: {error}"
            if found is not True:
                return f"it is {'false' if found is False else 'not decided'} at {place(at)}"
        return ""

    def check(self, settings: Settings) -> EvidenceResult:
        try:
            failure = self.failure(self.of)
        except FormulaError as error:
            failure = str(error)
        if failure:
            return EvidenceResult(Status.FAILS, failure)
        return EvidenceResult(Status.HOLDS, f"true in every case: {', '.join(self.bounds)}")

    def explain(self) -> str:
        return f"every case of: {formula_text(self.states())}"

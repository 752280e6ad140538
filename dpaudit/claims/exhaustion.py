"""Evidence by the values of a typed statement at every point up to a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Role, Settings, Status
from dpaudit.claims.elementary import Undefined
from dpaudit.claims.evaluate import confirmed
from dpaudit.claims.points import all_cases, place
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import formula_text, read
from dpaudit.claims.vocabulary import by_example
from dpaudit.results.claims import Statement

__all__ = ["Exhaustion", "restricted"]


def restricted(statement: Statement, further: tuple[str, ...]) -> Statement:
    """Return the statement on the part of its domain where ``further`` holds as well."""
    return Statement(
        quantifier=statement.quantifier,
        variables=statement.variables,
        domain=(*statement.domain, *further),
        proposition=statement.proposition,
    )


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
    """Conditions that make its domain finite."""
    role: Role = Role.VERIFIES

    def states(self) -> Statement:
        """Return the statement within the bounds."""
        return restricted(self.of, self.bounds)

    def failure(self, statement: Statement) -> str:
        """Return why another statement is not true in every case within the bounds, or nothing."""
        parsed = read(restricted(statement, self.bounds))
        if by_example(*parsed.domain, parsed.proposition):
            return "it is about every function, and a case is about one"
        cases = all_cases(parsed)
        if not cases or not parsed.forall:
            return (
                "there is no case"
                if cases == []
                else "the bounds do not leave finitely many certain cases"
            )
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

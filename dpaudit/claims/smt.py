"""Proofs by SMT solvers: the negation of the statement is unsatisfiable over the reals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Settings, Status
from dpaudit.claims.formula import names_in, smt_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SOLVERS", "SMTProof"]


@dataclass(frozen=True, kw_only=True)
class SMTProof(Evidence):
    """``goal`` follows from ``hypotheses`` for all real values of the variables.

    With ``satisfiable`` it is the other way round: hypotheses and goal are shown to hold together
    somewhere, which is how a printed implication is shown not to follow.
    """

    kind: ClassVar[str] = "SMT"

    goal: str
    """The formula that is proved."""
    hypotheses: tuple[str, ...] = ()
    """The formulas it is proved from."""
    satisfiable: bool = False
    """Whether hypotheses and goal are to be satisfiable, instead of the goal following."""

    def smt_lib(self) -> str:
        """Return the query in SMT-LIB 2; ``unsat`` is the proof (``sat`` if ``satisfiable``)."""
        names = names_in(self.goal, *self.hypotheses)
        wanted = smt_of(self.goal) if self.satisfiable else f"(not {smt_of(self.goal)})"
        lines = [
            f"; {self.title}",
            "(set-logic QF_NRA)",
            *(f"(declare-fun {name} () Real)" for name in names),
            *(f"(assert {smt_of(hypothesis)})" for hypothesis in self.hypotheses),
            f"(assert {wanted})",
            "(check-sat)",
        ]
        return "\n".join(lines) + "\n"

    def check(self, settings: Settings) -> EvidenceResult:
        wanted = "sat" if self.satisfiable else "unsat"
        answers = {
            name: SOLVERS[name](self.smt_lib(), settings.timeout_seconds)
            for name in settings.solvers
        }
        detail = ", ".join(f"{name}: {answer}" for name, answer in answers.items())
        if all(answer == wanted for answer in answers.values()):
            return EvidenceResult(Status.HOLDS, detail)
        wrong = any(answer in ("sat", "unsat") and answer != wanted for answer in answers.values())
        return EvidenceResult(Status.FAILS if wrong else Status.UNDECIDED, detail)

    def explain(self) -> str:
        given = "; ".join(self.hypotheses)
        if self.satisfiable:
            return f"satisfiable together: {given}; {self.goal}"
        names = ", ".join(names_in(self.goal, *self.hypotheses))
        return f"for all real {names}: {given} ⟹ {self.goal}"


def _z3(text: str, timeout_seconds: float) -> str:
    import z3

    solver = z3.Solver()
    solver.set("timeout", int(timeout_seconds * 1000))
    solver.from_string(text)
    answer = solver.check()
    if answer == z3.unknown:
        return f"unknown ({solver.reason_unknown()})"
    return str(answer)


def _cvc5(text: str, timeout_seconds: float) -> str:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(int(timeout_seconds * 1000)))
    solver.setOption("nl-cov", "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    symbols = parser.getSymbolManager()
    answer = "unknown"
    while not (command := parser.nextCommand()).isNull():
        answer = command.invoke(solver, symbols).strip() or answer
    return answer


SOLVERS: dict[str, Callable[[str, float], str]] = {"z3": _z3, "cvc5": _cvc5}
"""The solvers by name: SMT-LIB text and a time limit to ``sat``, ``unsat`` or a reason."""

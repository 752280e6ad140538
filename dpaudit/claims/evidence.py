"""The kinds of evidence that a machine checks, but for certificates of positivity.

* Counterexamples and exact facts are certified in balls, and again in mpmath from the definitions.
* Identities are simplified to zero by a computer algebra system.
* A sweep is certified over finitely many cases, all there are.
* SMT solvers find the negation of a statement unsatisfiable over the reals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Role, Settings, Status
from dpaudit.claims.polynomial import names_in, smt_of
from dpaudit.numbers.ball import Ball, Sign, decide_sign
from dpaudit.numbers.real import Real
from dpaudit.results.claims import Statement, Variable

__all__ = ["MPMATH_DIGITS", "SOLVERS", "Counterexample", "Fact", "Identity", "SMTProof", "Sweep"]


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
    """True if the claim is that the two sides are equal."""

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

        expressions = [sympy.sympify(one, strict=True) for one in self.chain()]
        if len(expressions) != len(self.shown) or len(expressions) < 2:
            return EvidenceResult(Status.FAILS, "the chain is not the one that is shown")
        for index, (left, right) in enumerate(pairwise(expressions)):
            if where := _differ(left, right):
                return EvidenceResult(Status.FAILS, f"step {index + 1} is false at {where}")
            difference = sympy.simplify(sympy.gammasimp(sympy.expand_func(left - right)))
            if difference == 0:
                continue
            # the signs of symbols are left aside here, which the points above have looked at
            quotient = sympy.simplify(sympy.gammasimp(sympy.powsimp(left / right, force=True)))
            if quotient != 1:
                detail = f"step {index + 1} of {len(expressions) - 1} leaves {difference}"
                return EvidenceResult(Status.UNDECIDED, detail)
        checked = " = ".join(map(str, expressions))
        return EvidenceResult(
            Status.HOLDS, f"{len(expressions) - 1} steps simplify to 0; checked: {checked}"
        )

    def explain(self) -> str:
        return "\n  = ".join(self.shown)


_POINTS = (Fraction(7, 5), Fraction(-12, 7), Fraction(5, 2), Fraction(-3, 11), Fraction(17, 4))


def _differ(left: Any, right: Any) -> str:
    """Return a point that the symbols' signs allow where two expressions differ, or nothing."""
    import sympy

    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    turns = [[_POINTS[(turn + i) % len(_POINTS)] for i in range(len(symbols))] for turn in range(5)]
    turns.append([-abs(q) for q in turns[0]])  # where roots of products come apart
    for values in turns:
        at = {}
        for i, (symbol, q) in enumerate(zip(symbols, values, strict=True)):
            size = sympy.Integer(2 + i) if symbol.is_integer else sympy.Rational(q)
            at[symbol] = abs(size) if symbol.is_nonnegative else size
        one, other = (sympy.N(side.subs(at), 30) for side in (left, right))
        if not (one.is_number and other.is_number and one.is_finite and other.is_finite):
            continue
        if abs(one - other) > abs(one) * 1e-12 + 1e-12:
            return ", ".join(f"{symbol} = {value}" for symbol, value in at.items())
    return ""


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
        if cases <= 0:
            return EvidenceResult(Status.FAILS, "no case was checked")
        return EvidenceResult(Status.HOLDS, f"{cases} cases, {self.bound}")

    def explain(self) -> str:
        return f"every case of {self.bound}"


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
    """True if hypotheses and goal are to be satisfiable, instead of the goal following."""

    def smt_lib(self) -> str:
        """Return the query in SMT-LIB 2; ``unsat`` is the proof (``sat`` if ``satisfiable``)."""
        names = names_in(self.goal, *self.hypotheses)
        wanted = smt_of(self.goal) if self.satisfiable else f"(not {smt_of(self.goal)})"
        lines = [
            f"; {' '.join(self.title.split())}",
            "(set-logic QF_NRA)",
            *(f"(declare-fun {name} () Real)" for name in names),
            *(f"(assert {smt_of(hypothesis)})" for hypothesis in self.hypotheses),
            f"(assert {wanted})",
            "(check-sat)",
        ]
        return "\n".join(lines) + "\n"

    def states(self) -> Statement | None:
        """Return the implication as a typed statement over the reals; None where none is proved."""
        if self.satisfiable:
            return None
        names = names_in(self.goal, *self.hypotheses)
        variables = tuple(Variable(name, "real") for name in names)
        return Statement(variables=variables, domain=self.hypotheses, proposition=self.goal)

    def check(self, settings: Settings) -> EvidenceResult:
        if self.hypotheses and not self.satisfiable:
            given = replace(
                self, goal=" and ".join(f"({h})" for h in self.hypotheses), hypotheses=()
            )
            if _z3(replace(given, satisfiable=True).smt_lib(), settings.timeout_seconds) == "unsat":
                return EvidenceResult(Status.FAILS, "the hypotheses contradict each other")
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

"""Arithmetic of derivations: a solver finds that propositions contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dpaudit.claims.atoms import Atoms
from dpaudit.claims.evidence import SOLVERS
from dpaudit.claims.polynomial import FormulaError, Polynomial
from dpaudit.claims.terms import RELATIONS, Term

if TYPE_CHECKING:
    from dpaudit.claims.claim import Settings
    from dpaudit.claims.statement import Read

__all__ = ["contradiction", "has_point"]


class _Query:
    """A query to a solver: do these propositions contradict each other?"""

    def __init__(self, sorts: Mapping[str, str], *, linear: bool) -> None:
        self.sorts = sorts
        self.linear = linear
        self.atoms = Atoms()
        self.declared: dict[str, str] = {}
        self.monomials: dict[tuple[tuple[str, int], ...], str] = {}
        self.asserted: list[str] = []

    def add(self, proposition: Term) -> None:
        self.asserted.append(self.text(proposition))

    def text(self, term: Term) -> str:
        match term.head:
            case "and" | "or" as head:
                return f"({head} {' '.join(self.text(arg) for arg in term.args)})"
            case "not":
                return f"(not {self.text(term.args[0])})"
            case head if head in RELATIONS:
                difference = self.atoms.polynomial(term.args[0]) - self.atoms.polynomial(
                    term.args[1]
                )
                smt = {"==": "=", "!=": "distinct"}.get(head, head)
                return f"({smt} {self.number(difference)} 0.0)"
            case head if head in ("all", "any"):
                name = self.atoms.atom(term)
                return f"(= {self.named(name)} 1.0)"
        raise FormulaError(f"{term} is not a proposition")

    def number(self, polynomial: Polynomial) -> str:
        parts = []
        for monomial, q in polynomial.terms:
            size = f"(/ {abs(q.numerator)}.0 {q.denominator}.0)"
            coefficient = size if q > 0 else f"(- {size})"
            parts.append(f"(* {coefficient} {self.product(monomial)})" if monomial else coefficient)
        return f"(+ {' '.join(parts)})" if len(parts) > 1 else (parts or ["0.0"])[0]

    def product(self, monomial: tuple[tuple[str, int], ...]) -> str:
        factors = [self.named(name) for name, power in monomial for _ in range(power)]
        if len(factors) == 1:
            return factors[0]
        if not self.linear:
            return f"(* {' '.join(factors)})"
        if monomial not in self.monomials:
            self.monomials[monomial] = f"m{len(self.monomials)}_"
            self.declared[self.monomials[monomial]] = "Real"
        return self.monomials[monomial]

    def named(self, name: str) -> str:
        whole = self.sorts.get(name, "real") != "real"
        smt = f"v_{name}"
        self.declared[smt] = "Int" if whole else "Real"
        return f"(to_real {smt})" if whole else smt

    def refuted(self, settings: Settings) -> bool | None:
        """Return whether every solver finds a contradiction; None if one gives up."""
        done = 0
        while done < len(self.atoms.known):  # what is known of an atom may name further ones
            self.add(self.atoms.known[done])
            done += 1
        whole = "Int" in self.declared.values()
        logic = "ALL" if whole else "QF_LRA" if self.linear else "QF_NRA"
        lines = [f"(set-logic {logic})"]
        lines += [f"(declare-fun {name} () {sort})" for name, sort in self.declared.items()]
        lines += [f"(assert {text})" for text in self.asserted]
        text = "\n".join([*lines, "(check-sat)"]) + "\n"
        answers = {SOLVERS[name](text, settings.timeout_seconds) for name in settings.solvers}
        return True if answers == {"unsat"} else False if "sat" in answers else None


def contradiction(
    propositions: Sequence[Term], sorts: Mapping[str, str], settings: Settings, *, products: bool
) -> bool:
    """Return whether the propositions certainly contradict each other."""
    ways: list[tuple[bool, Mapping[str, str]]] = [(True, sorts)]
    if products:
        ways.append((False, {}))
        ways += [(False, sorts)] if any(sort != "real" for sort in sorts.values()) else []
    for linear, kept in ways:
        query = _Query(kept, linear=linear)
        for proposition in propositions:
            query.add(proposition)
        if query.refuted(settings) is True:
            return True
    return False


def has_point(parsed: Read, settings: Settings) -> bool:
    """Return whether a solver finds a point of a domain that is polynomial."""
    query = _Query(dict(parsed.sorts), linear=False)
    for part in parsed.domain:
        query.add(part)
    return not query.atoms.names and query.refuted(settings) is False

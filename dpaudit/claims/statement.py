"""Typed statements: read and printed.

A statement is data (:class:`dpaudit.results.claims.Statement`).  What is printed of it, what is
evaluated and what a derivation is held to are all made from that one object.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dpaudit.claims.meaning import check_term
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.terms import Term, parse, shown
from dpaudit.claims.vocabulary import vocabulary
from dpaudit.results.claims import Statement, Variable

__all__ = ["Read", "domain_text", "exists", "forall", "formula_text", "read"]

_NAMES = 10

_SORTS = {"real": "ℝ", "integer": "ℤ", "natural": "ℕ", "reals": "ℝ^ℤ", "integers": "ℤ^ℤ"}


@dataclass(frozen=True)
class Read:
    """A statement as terms."""

    forall: bool
    sorts: tuple[tuple[str, str], ...]
    """Names and sorts of the variables."""
    domain: tuple[Term, ...]
    """Conditions on the variables, that naturals are ≥ 0 included."""
    proposition: Term

    @property
    def names(self) -> list[str]:
        """The variables in order."""
        return [name for name, _ in self.sorts]


@lru_cache(maxsize=4096)
def read(statement: Statement) -> Read:
    """Return a statement as terms; ``FormulaError`` for one that is not well formed."""
    texts = (*statement.domain, statement.proposition)
    plain = type(statement) is Statement and all(type(text) is str for text in texts)
    if not plain or any(type(v) is not Variable for v in statement.variables):
        raise FormulaError("a statement is made of plain texts and variables")
    if statement.quantifier not in ("forall", "exists"):
        raise FormulaError(f"{statement.quantifier!r} is no quantifier: forall or exists")
    if unknown := [v.sort for v in statement.variables if v.sort not in _SORTS]:
        raise FormulaError(f"{unknown[0]!r} is no sort: {', '.join(_SORTS)}")
    names = [variable.name for variable in statement.variables]
    for name in names:
        plain = name.isascii() and name.isidentifier() and not name.startswith("_")
        if not plain or name == "pi" or name in vocabulary().functions:
            raise FormulaError(f"{name!r} cannot be the name of a variable")
    if len(set(names)) < len(names):
        raise FormulaError("a variable is quantified twice")
    if len(names) > _NAMES:
        raise FormulaError(f"a statement has at most {_NAMES} variables, not {len(names)}")
    terms = [parse(text) for text in (*statement.domain, statement.proposition)]
    sorts = tuple((v.name, v.sort) for v in statement.variables)
    for term in terms:
        check_term(term, proposition=True, sorts=dict(sorts))
    naturals = [parse(f"{v.name} >= 0") for v in statement.variables if v.sort == "natural"]
    return Read(statement.quantifier == "forall", sorts, (*naturals, *terms[:-1]), terms[-1])


def _variables(text: str) -> tuple[Variable, ...]:
    found = []
    for part in filter(None, (p.split() for p in text.split(","))):
        sort, *names = part
        found += [Variable(name, sort) for name in names]  # type: ignore[arg-type]
    return tuple(found)


def forall(variables: str, *domain: str, holds: str) -> Statement:
    """Return a universal statement.

    >>> print(formula_text(forall("real a b", "a > b", holds="a >= b")))
    ∀ a ∈ ℝ, b ∈ ℝ, a > b: a ≥ b
    """
    return Statement(variables=_variables(variables), domain=domain, proposition=holds)


def exists(variables: str, *domain: str, where: str) -> Statement:
    """Return an existential statement."""
    return Statement(
        quantifier="exists", variables=_variables(variables), domain=domain, proposition=where
    )


def domain_text(statement: Statement) -> str:
    """Return the domain as it is printed: generated, never typed beside the statement."""
    found = [f"{v.name} ∈ {_SORTS[v.sort]}" for v in statement.variables]
    found += [shown(parse(text)) for text in statement.domain]
    return ", ".join(found) or "no variables"


def formula_text(statement: Statement) -> str:
    """Return the whole statement as it is printed."""
    proposition = shown(parse(statement.proposition))
    if not statement.variables:
        return proposition
    sign = "∀" if statement.quantifier == "forall" else "∃"
    return f"{sign} {domain_text(statement)}: {proposition}"

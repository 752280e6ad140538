"""Propositions at values of their variables: those that equations give, and those of ``all``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.claims.meaning import is_whole
from dpaudit.claims.terms import Term, substitute

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dpaudit.claims.statement import Read

__all__ = ["at_one", "solved_for", "without_all"]


def solved_for(parsed: Read) -> dict[str, Term]:
    """Return the terms that equations ``variable == term`` of the domain give for variables."""
    values: dict[str, Term] = {}
    sorts = dict(parsed.sorts)
    for part in parsed.domain:
        if part.head != "==" or part.args[0].head != "name":
            continue
        name, term = str(part.args[0].value), substitute(part.args[1], values)
        fits = sorts.get(name) == "real" or is_whole(term, sorts)
        if name in sorts and name not in values and name not in term.free() and fits:
            values = {other: substitute(t, {name: term}) for other, t in values.items()}
            values[name] = term
    return values


def without_all(goal: Term, sorts: Mapping[str, str]) -> tuple[dict[str, str], list[Term]]:
    """Return new whole variables for those that ``all`` binds, their ranges, and the body."""
    bound: dict[str, str] = {}
    found: list[Term] = []
    while goal.head == "all":
        index, low, high, body = goal.args
        name = f"bound{len(bound)}_"
        while name in sorts:
            name += "_"
        bound[name] = "integer"
        here = Term("name", value=name)
        found += [Term("<=", (low, here)), Term("<=", (here, high))]
        goal = substitute(body, {str(index.value): here})
    return bound, [*found, goal]


def at_one(part: Term, name: str) -> Iterator[Term]:
    """Iterate over what a proposition that begins with ``all`` says of one whole number."""
    if part.head == "all":
        index, low, high, body = part.args
        here = Term("name", value=name)
        outside = (Term("<", (here, low)), Term("<", (high, here)))
        yield Term("or", (*outside, substitute(body, {str(index.value): here})))

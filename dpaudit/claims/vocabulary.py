"""The functions that statements may use, and what may be taken for granted of them.

The engine's own are below.  A package that offers claims (entry-point group ``dpaudit.claims``) may
add to them in a module ``vocabulary`` beside its claims: ``FUNCTIONS`` and ``FACTS``.  A file of
claims cannot: what a word means is not for the one to say who claims something of it.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from dpaudit.claims.elementary import ELEMENTARY, Function
from dpaudit.results.claims import Statement, Variable

if TYPE_CHECKING:
    from dpaudit.claims.terms import Term

__all__ = ["Function", "Vocabulary", "by_example", "claims_packages", "vocabulary"]


@dataclass(frozen=True)
class Vocabulary:
    """Functions by name, and true statements about them by name."""

    functions: dict[str, Function]
    facts: dict[str, Statement]
    """Facts that derivations may use without proof: definitions and well-known properties."""


def claims_packages(group: str = "dpaudit.claims") -> list[str]:
    """Return the packages whose modules offer claims."""
    found = []
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        spec = None if point.attr else importlib.util.find_spec(point.module)
        if spec is not None and spec.submodule_search_locations is not None:
            found.append(point.module)
    return found


def _positive(*names: str) -> tuple[str, ...]:
    return tuple(f"{name} > 0" for name in names)


def _reals(*names: str) -> tuple[Variable, ...]:
    return tuple(Variable(name, "real") for name in names)


_FACTS = {
    "gamma-recurrence": Statement(
        variables=_reals("s"),
        domain=_positive("s"),
        proposition="gamma(s + 1) == s*gamma(s)",
    ),
    "gamma-log-convex": Statement(
        variables=_reals("s", "t"),
        domain=_positive("s", "t"),
        proposition="gamma((s + t)/2)^2 <= gamma(s)*gamma(t)",
    ),
    "sqrt-increases": Statement(
        variables=_reals("s", "t"),
        domain=("0 <= s", "s < t"),
        proposition="sqrt(s) < sqrt(t)",
    ),
    "exp-increases": Statement(
        variables=_reals("s", "t"),
        domain=("s < t",),
        proposition="exp(s) < exp(t)",
    ),
    "exp-sum": Statement(variables=_reals("s", "t"), proposition="exp(s + t) == exp(s)*exp(t)"),
    "exp-tangent": Statement(variables=_reals("s"), proposition="exp(s) >= 1 + s"),
    "log-increases": Statement(
        variables=_reals("s", "t"),
        domain=("0 < s", "s < t"),
        proposition="log(s) < log(t)",
    ),
    "log-exp": Statement(variables=_reals("s"), proposition="log(exp(s)) == s"),
    "exp-log": Statement(
        variables=_reals("s"), domain=_positive("s"), proposition="exp(log(s)) == s"
    ),
    "log-product": Statement(
        variables=_reals("s", "t"),
        domain=_positive("s", "t"),
        proposition="log(s*t) == log(s) + log(t)",
    ),
}


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """Return the engine's functions and facts and those of installed packages of claims."""
    functions = {function.name: function for function in ELEMENTARY}
    facts = dict(_FACTS)
    for package in claims_packages():
        name = f"{package}.vocabulary"
        if importlib.util.find_spec(name) is None:
            continue
        module = importlib.import_module(name)
        offered: Sequence[Function] = module.FUNCTIONS
        for function in offered:
            if function.name in functions:
                raise ValueError(f"{name} defines {function.name} a second time")
            functions[function.name] = function
        for title, fact in module.FACTS.items():
            if title in facts:
                raise ValueError(f"{name} states {title} a second time")
            facts[title] = fact
    return Vocabulary(functions, facts)


def by_example(*terms: Term) -> bool:
    """Return whether terms have a function that stands for every function."""
    known = vocabulary().functions
    heads = {part.head for term in terms for part in term.walk()}
    return any(head in known and known[head].example for head in heads)

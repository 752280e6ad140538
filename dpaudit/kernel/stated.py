"""Typed statements as propositions of Coq: what a theorem has to say to be about a claim.

The file ``Stated`` of a development is made from the typed statements whenever it is needed, and
never kept: a definition for each statement, another for what is left of it on the smaller domain
of the claim, and one for what contradicts it.  Functions are those of the file ``Words``, which
says what each means; Γ is a function G that is given by its properties.

Coq's functions are total.  That a statement has a meaning all over its domain is not said by the
theorem; the engine's own check says it, which ``kernel`` presupposes (``checked`` includes it).
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from dpaudit.claims.claim import ClaimVerdict, Grade, Role, Settings, Status, checked
from dpaudit.claims.deciding import by_roles, decide_statement
from dpaudit.claims.derivation import refused, undefined
from dpaudit.claims.elementary import Undefined
from dpaudit.claims.evaluate import certain
from dpaudit.claims.exhaustion import restricted
from dpaudit.claims.points import contains, points
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import read
from dpaudit.errors import ParameterError
from dpaudit.results import KernelClaim, KernelTheorem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dpaudit.claims.claim import Claim
    from dpaudit.claims.terms import Term
    from dpaudit.results.claims import Statement

__all__ = ["KINDS", "coq_name", "graded", "proposition_of", "stated_file", "wanted_type"]

KINDS = {"proves": "", "proves on": "_smaller", "disproves": "_false"}
"""Relations of a theorem to a typed statement, each with the suffix of its definition's name."""

_ANY = dict.fromkeys(("score", "chance", "guess"), "R -> R -> R")
"""Functions that a statement is about whichever they are."""

_WORDS = {"exp": "exp", "log": "ln", "sqrt": "sqrt", "abs": "Rabs"} | {
    name: name
    for name in ("same", "at_most", "F_lap", "P_clamp", "candidates", "choose", "digit", *_ANY)
}

_OF_GAMMA = {
    "gamma": "G",
    "H": "distance G",
    "LS": "local_sensitivity G",
    "GS": "global_sensitivity G",
    "S_gamma": "gamma_smooth G",
    "S_beta": "beta_smooth G",
    "P_exp": "exponential G",
}

_TRIPLES = {"H": "distance3 G", "LS": "local_sensitivity3 G", "P_exp": "exponential3 G"}
"""The same words about lists of three."""

_LISTS = {
    "H": "distance_k G",
    "LS": "local_k G",
    "GS": "global_k G",
    "S_gamma": "gamma_smooth_k G",
    "S_beta": "beta_smooth_k G",
    "P_exp": "exponential_k G",
    "NL": "normaliser_k G",
    "P_far": "far_k G",
}
"""The same words about lists of any length, which ``each`` gives."""

_OPERATORS = {"+": "+", "-": "-", "*": "*", "/": "/"}

_RELATIONS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}

_SORTS = {
    "real": "R",
    "integer": "Z",
    "natural": "Z",
    "reals": "Z -> R",
    "integers": "Z -> Z",
}


def coq_name(claim_id: str) -> str:
    """Return the name of a claim's statement in Coq."""
    return re.sub(r"\W", "_", f"s_{claim_id}", flags=re.ASCII)


def proposition_of(statement: Statement) -> tuple[str, bool]:
    """Return a statement as a proposition of Coq, and whether it is about a function G.

    Raises:
        FormulaError: for a statement with words that have no translation.
    """
    parsed = read(statement)
    whole = {name for name, sort in parsed.sorts if sort not in ("real", "reals")}
    parts = [_text(part, whole) for part in parsed.domain]
    said = _text(parsed.proposition, whole)
    binders = " ".join(f"({_variable(name)} : {_SORTS[sort]})" for name, sort in parsed.sorts)
    if parsed.forall:
        text = " ->\n  ".join([*parts, said])
        text = f"forall {binders},\n  {text}" if binders else text
    else:
        text = " /\\\n  ".join([*parts, said])
        text = f"exists {binders},\n  {text}" if binders else text
    heads = {part.head for term in (*parsed.domain, parsed.proposition) for part in term.walk()}
    for name in sorted(heads & _ANY.keys()):
        text = f"forall {name} : {_ANY[name]},\n  {text}"
    return text, bool(heads & (_OF_GAMMA.keys() | _LISTS.keys()))


def _variable(name: str) -> str:
    return f"v_{name}"


def _text(term: Term, whole: set[str]) -> str:
    def inner(*terms: Term) -> list[str]:
        return [_text(one, whole) for one in terms]

    match term.head:
        case "number":
            return f"({Fraction(term.value)})"
        case "name":
            name = "PI" if term.value == "pi" else _variable(str(term.value))
            return f"(IZR {name})" if term.value in whole else name
        case "neg":
            return f"(- {inner(*term.args)[0]})"
        case "^" if term.args[1].head == "number":
            return f"({inner(term.args[0])[0]} ^ {Fraction(term.args[1].value)})"
        case "^":
            return f"(power {' '.join(inner(*term.args))})"
        case "and" | "or":
            sign = " /\\ " if term.head == "and" else " \\/ "
            return f"({sign.join(inner(*term.args))})"
        case "not":
            return f"(~ {inner(*term.args)[0]})"
        case "max" | "min" as head:
            return reduce(lambda x, y: f"(R{head} {x} {y})", inner(*term.args))
        case "all" | "any":
            return _bound(term, whole)
        case head if head in _OPERATORS or head in _RELATIONS:
            left, right = inner(*term.args)
            return f"({left} {(_OPERATORS | _RELATIONS)[head]} {right})"
        case "entry" | "sum" | "each":
            return _over_list(term, whole)
        case head if head in _WORDS or head in _OF_GAMMA or head in _LISTS:
            return _applied(term, whole)
    raise FormulaError(f"{term} is not written for Coq")


def _applied(term: Term, whole: set[str]) -> str:
    """Return a function of numbers and lists: of two or three numbers, or as ``each`` gives."""
    if any(arg.head == "each" for arg in term.args):
        if term.head not in _LISTS or any(arg.head == "tuple" for arg in term.args):
            raise FormulaError(f"{term} is not written for Coq: a list")
        return f"({_LISTS[term.head]} {' '.join(_text(arg, whole) for arg in term.args)})"
    lists = [arg.args if arg.head == "tuple" else (arg,) for arg in term.args]
    longest = max(map(len, lists))
    if term.head not in _WORDS | _OF_GAMMA:
        raise FormulaError(f"{term} is not written for Coq: no list of {longest}")
    if longest > 3 or (longest == 3 and term.head not in _TRIPLES):
        raise FormulaError(f"{term} is not written for Coq: a list of {longest}")
    values = [_text(part, whole) for parts in lists for part in parts]
    word = _TRIPLES[term.head] if longest == 3 else (_WORDS | _OF_GAMMA)[term.head]
    return f"({word} {' '.join(values)})"


def _over_list(term: Term, whole: set[str]) -> str:
    """Return an entry of a list, or a sum or a list of the values over a range."""
    if term.head == "entry":
        of, at = term.args
        if at.head != "name" or at.value not in whole:
            raise FormulaError(f"{term} is not written for Coq: an entry at no variable")
        found = f"({_variable(str(of.value))} {_variable(str(at.value))})"
        return f"(IZR {found})" if of.value in whole else found
    index, low, high, body = term.args
    name = str(index.value)
    over = f"(fun {_variable(name)} : Z => {_text(body, whole | {name})})"
    word = "range_sum" if term.head == "sum" else "entries"
    return f"({word} {_text(low, whole)} {_text(high, whole)} {over})"


def _bound(term: Term, whole: set[str]) -> str:
    index, low, high, body = term.args
    name = str(index.value)
    within = whole | {name}
    if name in low.free() | high.free():
        raise FormulaError(f"{term} is not written for Coq: {name} is another outside")
    here = f"(IZR {_variable(name)})"
    ends = f"{_text(low, whole)} <= {here} <= {_text(high, whole)}"
    said = _text(body, within)
    if term.head == "all":
        return f"(forall {_variable(name)} : Z, {ends} -> {said})"
    return f"(exists {_variable(name)} : Z, {ends} /\\ {said})"


def _definitions(claim: Claim) -> list[tuple[str, str, bool]]:
    """Return name, proposition and whether G occurs, of what theorems may say of a claim."""
    assert claim.typed is not None
    name = coq_name(claim.id)
    text, gamma = proposition_of(claim.typed)
    found = [(name, text, gamma), (name + KINDS["disproves"], f"~ ({text})", gamma)]
    if claim.holds_on:
        smaller = restricted(claim.typed, claim.holds_on)
        found.append((name + KINDS["proves on"], *proposition_of(smaller)))
    return found


def stated_file(claims: Iterable[Claim]) -> str:
    """Return the file of the statements that can be written for Coq.

    Raises:
        ParameterError: where two claims would have the same name.
    """
    lines = [
        "(** The typed statements of the claims: made from them, and not to be edited. *)",
        "Require Import Reals.",
        "From dpaudit Require Import Words.",
        "Open Scope R_scope.",
    ]
    taken: set[str] = set()
    for claim in claims:
        if claim.typed is None:
            continue
        try:
            definitions = _definitions(claim)
        except FormulaError:
            continue
        for name, text, gamma in definitions:
            if name in taken:
                raise ParameterError("kernel", f"two statements are called {name} in Coq")
            taken.add(name)
            of = "forall G : R -> R, is_gamma G ->\n  " if gamma else ""
            lines += ["", f"Definition {name} : Prop :=\n  {of}{text}."]
    return "\n".join(lines) + "\n"


def wanted_type(claim_id: str, kind: str) -> str:
    """Return the type that a theorem has to have to say this of a claim."""
    return f"dpaudit.Stated.{coq_name(claim_id)}{KINDS[kind]}"


_LOOKED_AT = 6

_NEEDED = {
    ClaimVerdict.PROVED: {"proves"},
    ClaimVerdict.REFUTED: {"disproves"},
    ClaimVerdict.HOLDS_ON: {"proves on", "disproves"},
}


def _seen(statement: Statement, given: Iterable[Mapping[str, str]]) -> bool:
    """Return whether points of a domain are found, and the statement is false at none of them.

    A theorem about an empty domain says nothing; one that a value contradicts has other words.
    """
    parsed = read(statement)
    own = [{name: Fraction(text) for name, text in at.items()} for at in given]
    found = [*(at for at in own if contains(parsed, at)), *points(parsed, _LOOKED_AT)]
    try:
        return bool(found) and all(certain(parsed.proposition, at) is not False for at in found)
    except (Undefined, ZeroDivisionError):
        return False


def _meant(claim: Claim, verdict: ClaimVerdict, settings: Settings) -> bool:
    """Return whether the engine sees that the statement has a meaning where the verdict needs it.

    That is all over its domain; one that is false needs it at a point alone, where the engine
    itself sees that it is false, and on the smaller domain if it holds there.
    """
    if claim.typed is None or claim.ambiguous or claim.typed.quantifier != "forall":
        return False
    pieces = [piece for piece in claim.evidence if not refused(piece, settings)]

    def everywhere(statement: Statement) -> bool:
        if not _seen(statement, claim.points):
            return False
        if not undefined(statement, (), settings):
            return True
        holding = [p for p in pieces if checked(p, settings).status is Status.HOLDS]
        return not undefined(statement, holding, settings)

    if verdict is ClaimVerdict.PROVED:
        return everywhere(claim.typed)
    if verdict is ClaimVerdict.HOLDS_ON and not everywhere(restricted(claim.typed, claim.holds_on)):
        return False
    found = decide_statement(claim.typed, (), settings, claim.points)
    return found.verdict is ClaimVerdict.REFUTED or everywhere(claim.typed)


def graded(
    claims: Iterable[Claim], theorems: Sequence[KernelTheorem], settings: Settings
) -> tuple[KernelClaim, ...]:
    """Return the claims whose verdict accepted theorems say, of statements that mean something.

    What the theorems say has to be what the evidence says, if it holds: the evidence itself is not
    asked, but for what shows that the statement has a meaning all over its domain.

    Args:
        claims: the claims.
        theorems: what Coq said of the theorems about them, just now.
        settings: how a meaning is shown.
    """
    found: list[KernelClaim] = []
    for claim in claims:
        said = {t.relation: t for t in theorems if t.claim == claim.id and t.accepted}
        if not said.keys() & KINDS.keys():
            continue
        verdict = by_roles(claim)
        if {piece.role for piece in claim.evidence} <= {Role.LEMMA, Role.ILLUSTRATES}:
            verdict = ClaimVerdict.PROVED  # it says nothing by its roles: the theorem has to
        needed = _NEEDED.get(verdict)
        if needed is None or not needed <= said.keys() or not _meant(claim, verdict, settings):
            continue
        axioms = {axiom for kind in needed for axiom in (*said[kind].axioms, *said[kind].open)}
        found.append(
            KernelClaim(
                id=claim.id,
                verdict=verdict.value,
                grade=Grade.KERNEL.value,
                axioms=tuple(sorted(axioms)),
            )
        )
    return tuple(found)

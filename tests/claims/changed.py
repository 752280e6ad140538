"""Typed statements changed: false, most of them, or weaker; and whether one is false somewhere."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import cycle, islice

from mpmath import mp

from dpaudit.claims import evaluate
from dpaudit.claims.claim import Settings
from dpaudit.claims.lists import examples
from dpaudit.claims.meaning import OF_LISTS
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import Read, read
from dpaudit.claims.terms import Term, parse, substitute
from dpaudit.results.claims import Statement, Variable

__all__ = [
    "PATIENT",
    "QUICK",
    "Points",
    "changed",
    "false_somewhere",
    "falsified",
    "negated",
    "weakened",
]

QUICK = Settings(timeout_seconds=3)

PATIENT = Settings(timeout_seconds=30)

Points = Sequence[Mapping[str, str]]

RELATIONS = {"<": ">", ">": "<", "<=": ">", ">=": "<", "==": "<", "!=": "=="}


def changed(statement: Statement, **changes: object) -> Statement:
    """Return the statement with other values of some fields."""
    fields = {name: getattr(statement, name) for name in statement.__struct_fields__}
    return Statement(**{**fields, **changes})


def _replaced(term: Term, number: int, change: Term) -> Term:
    """Return the term with its ``number``-th part, in the order of ``walk``, replaced."""
    at = -1

    def visit(part: Term) -> Term:
        nonlocal at
        at += 1
        if at == number:
            at += sum(1 for _ in part.walk()) - 1
            return change
        return Term(part.head, tuple(map(visit, part.args)), part.value)

    return visit(term)


def _changed(term: Term) -> Iterator[tuple[str, Term]]:
    for number, part in enumerate(term.walk()):
        if part.head == "number":
            up = Term("number", value=Fraction(part.value) + 1)
            yield "constant", _replaced(term, number, up)
        elif part.head in ("+", "-"):
            other = "-" if part.head == "+" else "+"
            yield "sign", _replaced(term, number, Term(other, part.args))
        elif part.head in RELATIONS:
            yield "relation", _replaced(term, number, Term(RELATIONS[part.head], part.args))


def negated(statement: Statement) -> Statement:
    """Return the statement that is true where another is false."""
    other = "exists" if statement.quantifier == "forall" else "forall"
    return changed(statement, quantifier=other, proposition=f"not ({statement.proposition})")


def falsified(statement: Statement, most: int = 24) -> list[tuple[str, Statement]]:
    """Return at most so many mutants of a statement, of all kinds in turn; most are false."""
    found: list[tuple[str, Statement]] = []
    found.append(("negated", changed(statement, proposition=f"not ({statement.proposition})")))
    if statement.variables:
        found.append(("quantifier", negated(statement)))
    for number in range(len(statement.domain)):
        rest = statement.domain[:number] + statement.domain[number + 1 :]
        found.append(("domain", changed(statement, domain=rest)))
        turned = (*rest, f"not ({statement.domain[number]})")
        found.append(("domain", changed(statement, domain=turned)))
    inside = _changed(parse(statement.proposition))
    found += [(kind, changed(statement, proposition=str(t))) for kind, t in inside]
    return spread(found, most)


def spread(mutants: list[tuple[str, Statement]], most: int) -> list[tuple[str, Statement]]:
    """Return at most so many mutants: kinds in turn, and from all over those of each kind."""
    kinds: dict[str, list[Statement]] = {}
    for kind, mutant in mutants:
        kinds.setdefault(kind, []).append(mutant)
    share = dict.fromkeys(kinds, 0)
    for kind in islice(cycle(kinds), len(mutants) * len(kinds)):
        if sum(share.values()) < most and share[kind] < len(kinds[kind]):
            share[kind] += 1
    return [
        (kind, own[number * len(own) // share[kind]])
        for kind, own in kinds.items()
        for number in range(share[kind])
    ]


def weakened(statement: Statement, most: int = 24) -> list[tuple[str, Statement]]:
    """Return at most so many statements that follow from a universal one, of all kinds in turn."""
    found: list[tuple[str, Statement]] = []
    numbers = [v for v in statement.variables if v.sort not in OF_LISTS]
    for variable in numbers:
        for less in (f"{variable.name} >= 3 or {variable.name} <= 1", f"{variable.name} != 13/4"):
            smaller = changed(statement, domain=(*statement.domain, less))
            found.append(("smaller domain", smaller))
    proposition = parse(statement.proposition)
    found += [(kind, changed(statement, proposition=str(t))) for kind, t in _looser(proposition)]
    if numbers:
        either = Term("or", (proposition, parse(f"{numbers[0].name} > 5")))
        found.append(("looser", changed(statement, proposition=str(either))))
        names = {v.name: f"v{i}" for i, v in enumerate(statement.variables)}
        values = {old: Term("name", value=new) for old, new in names.items()}
        renamed = Statement(
            quantifier=statement.quantifier,
            variables=tuple(Variable(names[v.name], v.sort) for v in statement.variables),
            domain=tuple(str(substitute(parse(d), values)) for d in statement.domain),
            proposition=str(substitute(proposition, values)),
        )
        found.append(("renamed", renamed))
        less = f"{names[numbers[0].name]} <= 2 or {names[numbers[0].name]} >= 7/3"
        found.append(("renamed", changed(renamed, domain=(*renamed.domain, less))))
    return spread(found, most)


def _looser(proposition: Term) -> Iterator[tuple[str, Term]]:
    """Iterate over what follows from a proposition by the form that it has."""
    if proposition.head == "and":
        yield from (("a part", part) for part in proposition.args)
    if proposition.head not in RELATIONS or proposition.head == "!=":
        return
    left, right = proposition.args
    if proposition.head == "==":
        yield from (("not both", Term(head, proposition.args)) for head in ("<=", ">="))
    below = proposition.head in ("<", "<=", "==")
    head = "<=" if proposition.head == "==" else proposition.head
    for slack in (Fraction(1, 7), Fraction(5, 2)):
        more = Term("+", (right if below else left, Term("number", value=slack)))
        yield "constant", Term(head, (left, more) if below else (more, right))
    if proposition.head != "==":
        yield "not strict", Term("<=" if below else ">=", proposition.args)


def false_somewhere(statement: Statement, tries: int = 400, near: Points = ()) -> bool:
    """Return whether mpmath finds a universal statement false at a random point of its domain.

    Half of the points keep some of the values of a point that is named in ``near``.
    """
    parsed: Read = read(statement)
    rng = random.Random(str(statement))
    known = [{k: Fraction(v) for k, v in at.items()} for at in near]
    for number in range(tries if parsed.sorts else 1):
        at = {name: _drawn(sort, rng) for name, sort in parsed.sorts}
        if known and number % 2:
            kept = rng.choice(known)
            at |= {name: kept[name] for name in at if name in kept and rng.random() < 0.7}
        if all(_false_at(parsed, at, digits) for digits in (40, 600)):  # rounding is not falsity
            return True
    return False


def _false_at(parsed: Read, at: dict[str, Fraction], digits: int) -> bool:
    try:
        with mp.workdps(digits):
            inside = all(_again(part, at) for part in parsed.domain)
            return inside and not _again(parsed.proposition, at)
    except (ArithmeticError, ValueError, TypeError, IndexError, FormulaError):  # without a meaning
        return False


def _drawn(sort: str, rng: random.Random) -> Fraction:
    if sort in OF_LISTS:
        return rng.choice(examples(sort))
    if sort == "real":
        return Fraction(rng.randint(-20, 60), rng.randint(1, 20))
    return Fraction(rng.randint(0, 9))


def _again(term: Term, at: dict[str, Fraction]) -> bool:
    return evaluate._truth(term, at, evaluate._Mpmath()) is True

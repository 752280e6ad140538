"""Mutants of typed statements and of evidence, held to the engine.

``python -m tests.claims.mutants --statements`` makes every checked claim false or weaker in its
typed statement, keeps the evidence, and says what is proved; ``--evidence`` changes hypotheses,
goals, shifts and boxes, and asks whether what survives still entails the statement.  With
``--resume FILE`` a run that was interrupted goes on where it was.

Whether a mutant that is proved is true is looked up apart from the engine's own samples: at random
points of its domain, in mpmath alone.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from mpmath import mp

from dpaudit.claims import evaluate
from dpaudit.claims.certificate import BoxCertificate, OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, ClaimVerdict, Evidence, Grade, Settings, Status, checked
from dpaudit.claims.deciding import decide_statement
from dpaudit.claims.derivation import Derivation, entailed
from dpaudit.claims.discover import discover
from dpaudit.claims.evidence import SMTProof
from dpaudit.claims.exhaustion import restricted
from dpaudit.claims.lists import examples
from dpaudit.claims.meaning import OF_LISTS
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import Read, read
from dpaudit.claims.terms import Term, parse, substitute
from dpaudit.results.claims import Statement, Variable

QUICK = Settings(timeout_seconds=3)

PATIENT = Settings(timeout_seconds=30)

RELATIONS = {"<": ">", ">": "<", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}


def typed_claims(patterns: tuple[str, ...] = ()) -> list[Claim]:
    """Return the claims with a typed statement, those of ``patterns`` alone if there are any."""
    claims = [item.claim for item in discover().values()]
    return [c for c in claims if c.typed is not None and (not patterns or c.id in patterns)]


def _with(statement: Statement, **changes: object) -> Statement:
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


def falsified(statement: Statement, most: int = 12) -> list[tuple[str, Statement]]:
    """Return mutants of a statement, spread over all kinds; most of them are false."""
    found: list[tuple[str, Statement]] = []
    other = "exists" if statement.quantifier == "forall" else "forall"
    found.append(("negated", _with(statement, proposition=f"not ({statement.proposition})")))
    if statement.variables:
        swapped = _with(statement, quantifier=other, proposition=f"not ({statement.proposition})")
        found.append(("quantifier", swapped))
    for number in range(len(statement.domain)):
        rest = statement.domain[:number] + statement.domain[number + 1 :]
        found.append(("domain", _with(statement, domain=rest)))
        turned = (*rest, f"not ({statement.domain[number]})")
        found.append(("domain", _with(statement, domain=turned)))
    inside = list(_changed(parse(statement.proposition)))
    step = max(1, len(inside) // most)
    found += [(kind, _with(statement, proposition=str(t))) for kind, t in inside[::step]]
    return found


def weakened(statement: Statement) -> list[tuple[str, Statement]]:
    """Return statements that follow from a universal one: smaller, looser, renamed."""
    found: list[tuple[str, Statement]] = []
    numbers = [v for v in statement.variables if v.sort not in OF_LISTS]
    for variable in numbers:
        for less in (f"{variable.name} >= 3 or {variable.name} <= 1", f"{variable.name} != 13/4"):
            smaller = _with(statement, domain=(*statement.domain, less))
            found.append(("smaller domain", smaller))
    proposition = parse(statement.proposition)
    found += [(kind, _with(statement, proposition=str(t))) for kind, t in _looser(proposition)]
    if numbers:
        either = Term("or", (proposition, parse(f"{numbers[0].name} > 5")))
        found.append(("looser", _with(statement, proposition=str(either))))
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
        found.append(("renamed", _with(renamed, domain=(*renamed.domain, less))))
    return found


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


def false_somewhere(statement: Statement, tries: int = 400) -> bool:
    """Return whether mpmath finds a universal statement false at a random point of its domain."""
    parsed: Read = read(statement)
    rng = random.Random(str(statement))
    for _ in range(tries if parsed.sorts else 1):
        at = {name: _drawn(sort, rng) for name, sort in parsed.sorts}
        if all(_false_at(parsed, at, digits) for digits in (40, 600)):  # rounding is not falsity
            return True
    return False


def _false_at(parsed: Read, at: dict[str, Fraction], digits: int) -> bool:
    try:
        with mp.workdps(digits):
            inside = all(_again(part, at) for part in parsed.domain)
            return inside and not _again(parsed.proposition, at)
    except (ArithmeticError, ValueError, FormulaError):
        return False


def _drawn(sort: str, rng: random.Random) -> Fraction:
    if sort in OF_LISTS:
        return rng.choice(examples(sort))
    if sort == "real":
        return Fraction(rng.randint(-20, 60), rng.randint(1, 20))
    return Fraction(rng.randint(0, 9))


def _again(term: Term, at: dict[str, Fraction]) -> bool:
    return evaluate._truth(term, at, evaluate._Mpmath()) is True


def held(claim: Claim) -> Statement | None:
    """Return the universal statement that the evidence of a claim proves, if it does."""
    assert claim.typed is not None
    for statement in (claim.typed, restricted(claim.typed, claim.holds_on)):
        found = decide_statement(statement, claim.evidence, QUICK, claim.points)
        if found.verdict is ClaimVerdict.PROVED and statement.quantifier == "forall":
            return statement
    return None


def statement_mutants(claim: Claim, most: int = 12) -> Counter[str]:
    """Return what became of the mutants of a statement; lines about what went wrong are printed."""
    counts: Counter[str] = Counter(claims=1)
    assert claim.typed is not None
    for kind, mutant in falsified(restricted(claim.typed, claim.holds_on), most):
        found = decide_statement(mutant, claim.evidence, QUICK)
        counts["mutants"] += 1
        counts[f"mutants {found.verdict.value}"] += 1
        if found.verdict is ClaimVerdict.PROVED and mutant.quantifier == "forall":
            assert found.grade is Grade.CHECKED
            if false_somewhere(mutant):
                counts["false and proved"] += 1
                print(f"{claim.id}: {kind}: {mutant.domain} {mutant.proposition}")
    counts["claims with fewer than five mutants"] = int(counts["mutants"] < 5)
    statement = held(claim)
    for kind, weaker in weakened(statement) if statement is not None else ():
        found = decide_statement(weaker, claim.evidence, QUICK)
        if found.verdict is ClaimVerdict.UNDECIDED:  # by a solver that had too little time
            found = decide_statement(weaker, claim.evidence, PATIENT)
        counts["weakenings"] += 1
        if found.verdict is ClaimVerdict.PROVED:
            counts["weakenings decided"] += 1
        else:
            print(f"{claim.id}: {kind} is {found.verdict.value}: {found.reason}")
    return counts


def _texts(text: str) -> Iterator[str]:
    for match in re.finditer(r"\d+", text):
        yield f"{text[: match.start()]}{int(match.group()) + 1}{text[match.end() :]}"
    for match in re.finditer(r" [+-] ", text):
        sign = " - " if match.group() == " + " else " + "
        yield f"{text[: match.start()]}{sign}{text[match.end() :]}"


def evidence_of(piece: Evidence) -> Iterator[Evidence]:
    """Iterate over mutants of one piece of evidence."""
    match piece:
        case SMTProof():
            yield from (replace(piece, goal=text) for text in _texts(piece.goal))
            for number, hypothesis in enumerate(piece.hypotheses):
                rest = piece.hypotheses[:number] + piece.hypotheses[number + 1 :]
                yield replace(piece, hypotheses=rest)
                yield from (replace(piece, hypotheses=(*rest, t)) for t in _texts(hypothesis))
        case OrthantCertificate():
            yield from (replace(piece, positive=text) for text in _texts(piece.positive))
            for name, shift in piece.shift.items():
                for text in _texts(shift):
                    yield replace(piece, shift={**piece.shift, name: text})
        case SumOfProducts():
            yield from (replace(piece, goal=text) for text in _texts(piece.goal))
        case BoxCertificate():
            yield from (replace(piece, positive=text) for text in _texts(piece.positive))
            for name, (low, high) in piece.box.items():
                yield replace(piece, box={**piece.box, name: (high, low)})
                yield replace(piece, box={**piece.box, name: (low, f"{Fraction(high) + 1}")})
        case Derivation():
            for text in _texts(piece.proves.proposition):
                yield replace(piece, proves=_with(piece.proves, proposition=text))
            for number in range(len(piece.proves.domain)):
                rest = piece.proves.domain[:number] + piece.proves.domain[number + 1 :]
                yield replace(piece, proves=_with(piece.proves, domain=rest))
            for number in range(len(piece.uses)):
                yield replace(piece, uses=piece.uses[:number] + piece.uses[number + 1 :])


def evidence_mutants(claim: Claim) -> Counter[str]:
    """Return what became of mutants of evidence; one that holds must state what is true."""
    counts: Counter[str] = Counter(claims=1)
    for piece in claim.evidence:
        for mutant in evidence_of(piece):
            counts["mutants"] += 1
            try:
                survives = checked(mutant, QUICK).status is Status.HOLDS
            except (FormulaError, ValueError, ZeroDivisionError):
                survives = False
            stated = mutant.states() if survives else None
            if stated is None or not _readable(stated):
                counts["refused"] += 1
                continue
            counts["survive"] += 1
            if false_somewhere(stated, 100):
                counts["false and held"] += 1
                print(f"{claim.id}: {mutant.title}: {stated.domain} {stated.proposition}")
            counts[f"survive: {_standing(claim, piece, mutant)}"] += 1
    return counts


def _standing(claim: Claim, piece: Evidence, mutant: Evidence) -> str:
    """Return what the engine makes of evidence that was changed, and holds."""
    stated = piece.states()
    if stated is not None and not entailed(stated, [mutant], QUICK):
        return "it entails what it was made from"
    if claim.typed is None:
        return "it states something weaker, of a claim that is argued"
    others = tuple(mutant if one is piece else one for one in claim.evidence)
    smaller = restricted(claim.typed, claim.holds_on)
    if decide_statement(smaller, others, QUICK, claim.points).verdict is ClaimVerdict.PROVED:
        return "with it the statement is entailed"
    return "with it the statement is not proved"


def _readable(statement: Statement) -> bool:
    try:
        return bool(read(statement))
    except FormulaError:
        return False


def counted(
    what: str, claims: list[Claim], kept: Path | None, over: Callable[[Claim], Counter[str]]
) -> Counter[str]:
    """Return the counts of claims added up; those that a file keeps are not made again."""
    known = {}
    for line in kept.read_text().splitlines() if kept and kept.exists() else ():
        row = json.loads(line)
        known[row["what"], row["claim"]] = Counter(row["counts"])
    total: Counter[str] = Counter()
    for claim in claims:
        counts = known.get((what, claim.id))
        if counts is None:
            started = time.monotonic()
            counts = over(claim)
            seconds = round(time.monotonic() - started, 1)
            if kept:
                row = {"what": what, "claim": claim.id, "seconds": seconds, "counts": counts}
                with kept.open("a") as file:
                    file.write(f"{json.dumps(row)}\n")
        total += counts
    return total


def main(arguments: list[str]) -> int:
    """Run what is asked for, print the counts, and say whether any mutant passed wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--evidence", action="store_true")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="a line for each claim done")
    parser.add_argument("claims", nargs="*", metavar="ID")
    asked = parser.parse_args(arguments)
    patterns = tuple(asked.claims)
    total: Counter[str] = Counter()
    if asked.statements:
        total += counted("statement", typed_claims(patterns), asked.resume, statement_mutants)
    if asked.evidence:
        claims = [item.claim for item in discover().values()]
        claims = [c for c in claims if not patterns or c.id in patterns]
        total += counted("evidence", claims, asked.resume, evidence_mutants)
    for name, count in total.items():
        print(f"{count:6} {name}")
    return int(bool(total["false and proved"] or total["false and held"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

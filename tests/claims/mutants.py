"""Mutants of typed statements and of evidence, held to the engine.

``python -m tests.claims.mutants --statements`` makes every checked claim false or weaker in its
typed statement, keeps the evidence, and says what is proved; ``--evidence`` changes hypotheses,
goals, shifts and boxes, and asks whether what survives still entails the statement; ``--kernel
DIR`` holds false statements to the theorems about claims, by Coq.  With ``--resume FILE`` a run
that was interrupted goes on where it was.

Whether a mutant that is proved is true is looked up apart from the engine's own samples: at random
points of its domain, in mpmath alone.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from fractions import Fraction
from functools import partial
from io import StringIO
from pathlib import Path

from dpaudit.claims.certificate import BoxCertificate, OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, ClaimVerdict, Evidence, Status, checked
from dpaudit.claims.deciding import decide_statement
from dpaudit.claims.derivation import Derivation, entailed
from dpaudit.claims.discover import discover
from dpaudit.claims.evidence import SMTProof
from dpaudit.claims.exhaustion import restricted
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import formula_text, read
from dpaudit.kernel.record import recorded, sources_of
from dpaudit.results.claims import Statement
from tests.claims import kernel_mutants
from tests.claims.changed import (
    PATIENT,
    QUICK,
    Points,
    changed,
    false_somewhere,
    falsified,
    negated,
    weakened,
)

WRONG = ("false and proved", "true and refuted", "false and held", "false and accepted")


def typed_claims(patterns: tuple[str, ...] = ()) -> list[Claim]:
    """Return the claims with a typed statement, those of ``patterns`` alone if there are any."""
    claims = [item.claim for item in discover().values()]
    return [c for c in claims if c.typed is not None and (not patterns or c.id in patterns)]


def held(claim: Claim) -> Statement | None:
    """Return the universal statement that the evidence of a claim proves, if it does."""
    assert claim.typed is not None
    for statement in (claim.typed, restricted(claim.typed, claim.holds_on)):
        found = decide_statement(statement, claim.evidence, QUICK, claim.points)
        if found.verdict is ClaimVerdict.PROVED and statement.quantifier == "forall":
            return statement
    return None


def statement_mutants(claim: Claim, most: int = 24) -> Counter[str]:
    """Return what became of the mutants of a statement; lines about what went wrong are printed."""
    counts: Counter[str] = Counter(claims=1)
    assert claim.typed is not None
    for kind, mutant in falsified(restricted(claim.typed, claim.holds_on), most):
        found = decide_statement(mutant, claim.evidence, QUICK, claim.points)
        counts["mutants"] += 1
        counts[f"mutants {found.verdict.value}"] += 1
        counts[f"{kind}: {found.verdict.value}"] += 1
        if found.verdict is ClaimVerdict.PROVED and mutant.quantifier == "forall":
            counts["universal mutants proved"] += 1
            print(f"{claim.id}: {kind}: proved: {formula_text(mutant)}")
        if wrong := wrongly(found.verdict, mutant, claim.points):
            counts[wrong] += 1
            print(f"{claim.id}: {kind}: {wrong}: {formula_text(mutant)}")
    counts["claims with fewer than five mutants"] = int(counts["mutants"] < 5)
    statement = held(claim)
    for kind, weaker in weakened(statement, most) if statement is not None else ():
        found = decide_statement(weaker, claim.evidence, QUICK)
        if found.verdict is ClaimVerdict.UNDECIDED:  # by a solver that had too little time
            found = decide_statement(weaker, claim.evidence, PATIENT)
        counts["weakenings"] += 1
        counts[f"weaker, {kind}: {found.verdict.value}"] += 1
        if found.verdict is ClaimVerdict.PROVED:
            counts["weakenings decided"] += 1
        else:
            print(f"{claim.id}: {kind} is {found.verdict.value}: {found.reason}")
    return counts


def wrongly(verdict: ClaimVerdict, mutant: Statement, near: Points) -> str:
    """Return what is wrong with a verdict, by points apart from those of the engine, or nothing."""
    if verdict is ClaimVerdict.PROVED and mutant.quantifier == "forall":
        return "false and proved" if false_somewhere(mutant, near=near) else ""
    if verdict is ClaimVerdict.REFUTED and mutant.quantifier == "exists":
        never = negated(mutant)
        return "true and refuted" if false_somewhere(never, near=near) else ""
    return ""


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
                yield replace(piece, proves=changed(piece.proves, proposition=text))
            for number in range(len(piece.proves.domain)):
                rest = piece.proves.domain[:number] + piece.proves.domain[number + 1 :]
                yield replace(piece, proves=changed(piece.proves, domain=rest))
            for number in range(len(piece.uses)):
                yield replace(piece, uses=piece.uses[:number] + piece.uses[number + 1 :])


def evidence_mutants(claim: Claim) -> Counter[str]:
    """Return what became of mutants of evidence; one that holds must state what is true."""
    counts: Counter[str] = Counter(claims=1)
    for piece in claim.evidence:
        for mutant in evidence_of(piece):
            counts["mutants"] += 1
            counts[f"of {piece.kind}"] += 1
            try:
                survives = checked(mutant, QUICK).status is Status.HOLDS
            except (FormulaError, ValueError, ZeroDivisionError):
                survives = False
            stated = mutant.states() if survives else None
            if stated is None or not _readable(stated):
                counts["refused"] += 1
                continue
            counts["survive"] += 1
            counts[f"of {piece.kind}: survive"] += 1
            if false_somewhere(stated, 100):
                counts["false and held"] += 1
                print(f"{claim.id}: {mutant.title}: {stated.domain} {stated.proposition}")
            standing = _standing(claim, piece, mutant)
            counts[f"survive: {standing}"] += 1
            if standing != "it entails what it was made from":
                print(f"{claim.id}: {piece.kind}: {standing}: {formula_text(stated)}")
    return counts


def _standing(claim: Claim, piece: Evidence, mutant: Evidence) -> str:
    """Return what the engine makes of evidence that was changed, and holds."""
    stated = piece.states()
    if stated is not None and not entailed(stated, [mutant], QUICK):
        return "it entails what it was made from"
    if claim.typed is None:
        return "it states something weaker, of a claim that evidence does not prove"
    others = tuple(mutant if one is piece else one for one in claim.evidence)
    smaller = restricted(claim.typed, claim.holds_on)

    def proved(evidence: tuple[Evidence, ...]) -> bool:
        found = decide_statement(smaller, evidence, QUICK, claim.points)
        return found.verdict is ClaimVerdict.PROVED

    if proved(others):
        return "with it the statement is entailed"
    if proved(claim.evidence):
        return "with it the statement is not proved any more"
    return "it states something weaker, of a claim that evidence does not prove"


def _readable(statement: Statement) -> bool:
    try:
        return bool(read(statement))
    except FormulaError:
        return False


def counted(
    what: str, claims: list[Claim], kept: Path | None, over: Callable[[Claim], Counter[str]]
) -> Counter[str]:
    """Return and print the counts of claims added up; those that a file keeps are not made anew."""
    known = {}
    for line in kept.read_text().splitlines() if kept and kept.exists() else ():
        row = json.loads(line)
        known[row["what"], row["claim"]] = row
    total: Counter[str] = Counter()
    for claim in claims:
        row = known.get((what, claim.id))
        if row is None:
            started = time.monotonic()
            with redirect_stdout(StringIO()) as said:
                counts = over(claim)
            seconds = round(time.monotonic() - started, 1)
            row = {"what": what, "claim": claim.id, "seconds": seconds, "counts": counts}
            row["said"] = said.getvalue().splitlines()
            if kept:
                with kept.open("a") as file:
                    file.write(f"{json.dumps(row)}\n")
        print(*row["said"], sep="\n", end="\n" * bool(row["said"]), flush=True)
        total += Counter(row["counts"])
    for name, count in sorted(total.items()):
        print(f"{what}: {count:6} {name}")
    return total


def kernel(patterns: tuple[str, ...], asked: argparse.Namespace) -> Counter[str]:
    """Return the counts of the theorems about claims that are of grade ``kernel`` on record."""
    known = discover()
    items = [item for item in known.values() if not patterns or item.claim.id in patterns]
    texts = sources_of(known, known.values())
    graded = recorded(known, items)
    kernel_mutants.compiled(texts, asked.kernel)
    claims = [item.claim for item in items if item.claim.id in graded]
    over = partial(kernel_mutants.kernel_mutants, texts=texts, build=asked.kernel, most=asked.most)
    weaker = partial(kernel_mutants.theorem_weakenings, texts=texts, most=asked.most)
    total = counted("kernel", claims, asked.resume, over)
    return total + counted("theorem", claims, asked.resume, weaker)


def main(arguments: list[str]) -> int:
    """Run what is asked for, print the counts, and say whether any mutant passed wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--evidence", action="store_true")
    parser.add_argument("--kernel", type=Path, metavar="DIR", help="where Coq files are compiled")
    parser.add_argument("--most", type=int, default=24, help="mutants of one statement")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="a line for each claim done")
    parser.add_argument("claims", nargs="*", metavar="ID")
    asked = parser.parse_args(arguments)
    patterns = tuple(asked.claims)
    total: Counter[str] = Counter()
    if asked.statements:
        over = partial(statement_mutants, most=asked.most)
        total += counted("statement", typed_claims(patterns), asked.resume, over)
    if asked.kernel:
        total += kernel(patterns, asked)
    if asked.evidence:
        claims = [item.claim for item in discover().values()]
        claims = [c for c in claims if not patterns or c.id in patterns]
        total += counted("evidence", claims, asked.resume, evidence_mutants)
    return int(any(total[wrong] for wrong in WRONG))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

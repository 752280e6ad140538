"""Mutants of typed statements, held to the theorems about them: Coq must refuse what is false.

A theorem's statement is made from the typed statement of its claim.  Here it is made from a mutant,
and the proof is kept.  What Coq accepts all the same is looked up apart from it, at points.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from dpaudit.claims.claim import Claim, ClaimVerdict, Evidence, EvidenceResult, Role, Status
from dpaudit.claims.deciding import decide_statement
from dpaudit.claims.exhaustion import restricted
from dpaudit.claims.statement import formula_text
from dpaudit.kernel import development
from dpaudit.kernel.stated import KINDS, coq_name, graded, stated_file
from dpaudit.results import KernelTheorem
from dpaudit.results.claims import Statement
from tests.claims.changed import QUICK, false_somewhere, falsified, negated, weakened

SECONDS = 20
"""How long Coq may take over one theorem."""


@dataclass(frozen=True)
class Proof:
    """A theorem about a claim as it is written."""

    relation: str
    """What it says of the typed statement: one of :data:`dpaudit.kernel.stated.KINDS`."""
    file: str
    text: str
    """From ``Proof`` to ``Qed``."""
    header: str
    """What its file imports and opens."""

    def of(self, claim: Claim) -> Statement:
        """Return the statement of the claim that it proves or disproves."""
        assert claim.typed is not None
        return restricted(claim.typed, claim.holds_on if self.relation == "proves on" else ())


_HEADER = re.compile(
    r"^(?:(?:From \w+ )?(?:Require )?Import [\w\s]+|Open Scope \w+)\.", re.MULTILINE
)

_THEOREM = r"^\(\* {}: {} \*\)\n\w+ [\w']+ : \w+\.\s+(Proof\..*?Qed\.)$"


def proofs_of(claim: Claim, texts: Mapping[str, str]) -> Iterator[Proof]:
    """Iterate over the theorems that decide a typed statement, in the files of a development."""
    for relation in KINDS:
        said = re.compile(_THEOREM.format(relation, re.escape(claim.id)), re.MULTILINE | re.DOTALL)
        for file, text in texts.items():
            if found := said.search(text):
                header = "\n".join(_HEADER.findall(text))
                yield Proof(relation, file, found[1], header)


def compiled(texts: Mapping[str, str], folder: Path) -> None:
    """Compile a development in a folder, but for what was compiled there of the same files."""
    old = {path.stem: path.read_text() for path in folder.glob("*.v")}
    if {name: old.get(name) for name in texts} != dict(texts):
        for path in folder.glob("*.vo"):
            path.unlink()
        development.write(texts, folder)
    for line in (folder / "_CoqProject").read_text().splitlines()[1:]:
        if not (folder / line).with_suffix(".vo").exists():
            command = ["coqc", "-q", "-Q", ".", "dpaudit", line]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)


def module_of(claim: Claim, proof: Proof, mutant: Statement, number: int) -> str | None:
    """Return a module in which the theorem is about a mutant; None if Coq has no words for it."""
    text = stated_file([replace(claim, typed=mutant, holds_on=())])
    _, *definitions = text.split("\nDefinition ")
    name = coq_name(claim.id)
    if proof.relation == "proves on":
        definitions = [re.sub(rf"^{name} :", f"{name}_smaller :", one) for one in definitions]
    if not definitions:
        return None
    own = "".join(f"Definition {one.strip()}\n" for one in definitions)
    return (
        f"Module M{number}.\nModule S.\n{own}End S.\nImport S.\n"
        f"Theorem mutant : S.{name}{KINDS[proof.relation]}.\n{proof.text}\nEnd M{number}.\n"
    )


def accepted(proof: Proof, modules: Mapping[int, str], build: Path) -> tuple[set[int], set[int]]:
    """Return which modules Coq accepts, and over which it takes too long."""
    lines = [proof.header, f"From dpaudit Require Import {proof.file}."]
    with tempfile.TemporaryDirectory() as name:
        for number, text in modules.items():
            Path(name, f"m{number}.v").write_text(text)
            lines += [f'Timeout {SECONDS} Load "m{number}".', f"Check M{number}.mutant."]
        done = subprocess.run(
            ["coqtop", "-q", "-Q", str(build.resolve()), "dpaudit"],
            cwd=name,
            input="\n".join(lines),
            capture_output=True,
            text=True,
            check=False,
        )
    said = set(map(int, re.findall(r"^M(\d+)\.mutant$", done.stdout, re.MULTILINE)))
    late = re.findall(r'Load "m(\d+)"\.\n> \^+\nError:\s+Timeout!', done.stderr)
    return said, set(map(int, late))


def standing(claim: Claim, proof: Proof, mutant: Statement) -> str:
    """Return what is seen of a theorem about a mutant that Coq accepted, apart from Coq."""
    theorem = negated(mutant) if proof.relation == "disproves" else mutant
    if theorem.quantifier == "exists":
        seen = false_somewhere(negated(theorem), near=claim.points)
        seen = seen or decide_statement(theorem, (), QUICK, claim.points).verdict in (
            ClaimVerdict.PROVED,
        )
        return "true at a point" if seen else "at no point seen to be true"
    if false_somewhere(theorem, 2000, claim.points):
        return "false"
    return "false at no point"


def keeps_grade(claim: Claim, proof: Proof, mutant: Statement) -> bool:
    """Return whether a mutant whose theorem was accepted would have the grade ``kernel``."""
    proves = proof.relation != "disproves"
    role = Role.LEMMA if proves else Role.REFUTES
    evidence = tuple(replace(piece, role=role, domain="") for piece in claim.evidence)
    theorem = KernelTheorem(
        claim=claim.id,
        relation="proves" if proves else "disproves",
        theorem=f"{proof.file}.mutant",
        accepted=True,
        axioms=(),
        open=(),
        seconds=0,
        reason="",
    )
    changed = replace(claim, typed=mutant, holds_on=(), evidence=evidence)
    return bool(graded([changed], [theorem], QUICK))


@dataclass(frozen=True, kw_only=True)
class Accepted(Evidence):
    """What a theorem that Coq accepted says, as evidence: it is not asked again."""

    kind: ClassVar[str] = "theorem"

    of: Statement

    def states(self) -> Statement:
        return self.of

    def check(self, settings: object) -> EvidenceResult:
        return EvidenceResult(Status.HOLDS, "on record")

    def explain(self) -> str:
        return formula_text(self.of)


TRUSTING = replace(QUICK, trusted=(f"{Accepted.__module__}:Accepted",))


def kernel_mutants(
    claim: Claim, texts: Mapping[str, str], build: Path, most: int = 10
) -> Counter[str]:
    """Return what Coq made of mutants of the theorems about a claim; what it accepts is printed."""
    counts: Counter[str] = Counter({"claims": 1})
    for proof in proofs_of(claim, texts):
        statement = proof.of(claim)
        changed = [("as it is", statement), *falsified(statement, most)]
        modules = {
            number: text
            for number, (_, mutant) in enumerate(changed)
            if (text := module_of(claim, proof, mutant, number)) is not None
        }
        said, late = accepted(proof, modules, build)
        counts["theorems"] += 1
        counts["theorems as they are accepted"] += 0 in said
        if 0 not in said:
            print(f"{claim.id}: {proof.relation}: Coq does not accept the theorem as it is")
        for number, (kind, mutant) in enumerate(changed[1:], 1):
            counts["mutants"] += 1
            what = "accepted" if number in said else "too late" if number in late else "refused"
            if number not in modules:
                what = "not written for Coq"
            counts[what] += 1
            counts[f"{kind}: {what}"] += 1
            if number in said:
                seen = standing(claim, proof, mutant)
                counts[f"accepted: {seen}"] += 1
                counts["false and accepted"] += seen == "false"
                grade = "kernel" if keeps_grade(claim, proof, mutant) else "no grade"
                counts[f"accepted: {grade}"] += 1
                text = formula_text(mutant)
                print(f"{claim.id}: {proof.relation}: {kind}: {seen}: {grade}: {text}")
    return counts


def theorem_weakenings(claim: Claim, texts: Mapping[str, str], most: int = 6) -> Counter[str]:
    """Return how many statements that follow from theorems are decided with these as lemmas.

    They are held first to the evidence of the claim alone, and then to the theorem beside it.
    """
    counts: Counter[str] = Counter({"claims": 1})
    for proof in proofs_of(claim, texts):
        statement = proof.of(claim)
        if proof.relation == "disproves" or statement.quantifier != "forall":
            continue
        theorem = Accepted(title="a theorem", of=statement)
        for kind, weaker in weakened(statement, most):
            counts["weakenings of theorems"] += 1
            found = decide_statement(weaker, claim.evidence, TRUSTING, claim.points)
            counts[f"by evidence alone: {found.verdict.value}"] += 1
            if found.verdict is ClaimVerdict.UNDECIDED:
                pieces = [theorem, *claim.evidence]
                found = decide_statement(weaker, pieces, TRUSTING, claim.points)
            counts[f"with the theorem: {found.verdict.value}"] += 1
            counts[f"weaker, {kind}: {found.verdict.value}"] += 1
            if found.verdict is not ClaimVerdict.PROVED:
                print(f"{claim.id}: {kind} is {found.verdict.value}: {found.reason}")
    return counts

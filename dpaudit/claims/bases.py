"""Assumptions behind a verdict on a claim: the checkers of its evidence, and unproved facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.claims.certificate import BoxCertificate, OrthantCertificate, SumOfProducts
from dpaudit.claims.derivation import Derivation
from dpaudit.claims.evidence import Fact, Identity, SMTProof, Sweep
from dpaudit.claims.exhaustion import Exhaustion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.claims.claim import Claim, Evidence

__all__ = [
    "BALLS",
    "ENGINE_CODE",
    "MPMATH",
    "OWN_CODE",
    "PROSE",
    "RATIONALS",
    "SMT",
    "SYMPY",
    "rests_on",
]

SMT = "an SMT solver"
SYMPY = "sympy"
MPMATH = "mpmath"
BALLS = "ball arithmetic"
RATIONALS = "exact rational arithmetic"
ENGINE_CODE = "the engine's rules of inference"
OWN_CODE = "code of the claim"
PROSE = "prose"

_OF = (
    (Derivation, (ENGINE_CODE, RATIONALS, SMT)),
    (SMTProof, (SMT,)),
    (Identity, (SYMPY, OWN_CODE)),
    (Fact, (BALLS, MPMATH, OWN_CODE)),
    (Sweep, (OWN_CODE,)),
    (Exhaustion, (BALLS, MPMATH)),
    ((BoxCertificate, OrthantCertificate, SumOfProducts), (RATIONALS,)),
)


def rests_on(claim: Claim, grade: str) -> tuple[str, ...]:
    """Return what the verdict on a claim of this grade rests on, each once.

    A checked verdict rests on evidence that states what it proves, and on values of the statement;
    every other one on all of its evidence, and on prose.
    """
    found: list[str] = [BALLS, MPMATH] if claim.typed is not None else []
    for piece in claim.evidence:
        if grade != "checked" or piece.states() is not None:
            found += _bases(piece)
    if grade in ("argued", ""):
        found.append(PROSE)
    return tuple(dict.fromkeys(found))


def _bases(piece: Evidence) -> Iterator[str]:
    for kinds, bases in _OF:
        if isinstance(piece, kinds):
            yield from bases
    if isinstance(piece, Derivation):
        for use in piece.uses:
            if isinstance(use.of, str):
                yield f"fact {use.of}"
            else:
                yield from _bases(use.of)

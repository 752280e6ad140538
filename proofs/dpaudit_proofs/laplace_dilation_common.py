"""What the steps of D's proof of the dilation property (D §4.1) have in common."""

from __future__ import annotations

from mpmath import log

from dpaudit.claims.claim import Claim, Evidence, Role
from dpaudit.claims.evidence import Fact
from dpaudit.numbers.real import ONE, Real, real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.typed_masses import MASSES
from dpaudit_proofs.typed_refuted import REFUTED
from dpaudit_proofs.typed_steps import DILATION

__all__ = ["ALLOWED", "CASE_1", "CASE_2", "EVERYWHERE", "SMALL", "ball_mass", "step"]

EVERYWHERE = "all ε > 0, 0 < δ < 1"
CASE_1 = f"{EVERYWHERE}, 0 < λ ≤ β = ε/(2·ln(3/δ))"
CASE_2 = f"{EVERYWHERE}, −β ≤ λ < 0, β = ε/(2·ln(3/δ))"
SMALL = {"ε": "4/5", "δ": "1/2000", "λ": "-1/25"}
"""A point of case 2: ε/(2·ln(3/δ)) = 0.0459… > 1/25."""


def step(
    number_of_step: int,
    statement: str,
    formula: str,
    domain: str,
    *evidence: Evidence,
    source: str = "",
    derivation: str = "",
    repaired: str = "",
) -> Claim:
    """Return step ``number_of_step``, of case 1 up to step 8 and of case 2 from there on."""
    name = f"lap-dilation-{number_of_step}"
    fields, further = (DILATION | MASSES).get(number_of_step, (REFUTED.get(name, {}), ()))
    return Claim(
        id=name,
        source=source or f"D §4.1, case {1 if number_of_step <= 8 else 2}",
        step_of="lap-dilation",
        statement=statement,
        formula=formula,
        domain=domain,
        evidence=(*evidence, *further),
        derivation=derivation,
        repaired=repaired,
        **fields,
    )


def ball_mass(radius: Real) -> Real:
    """Return P(|z| < radius)."""
    return ONE - (-radius).exp()


ALLOWED = Fact(
    title="that |λ| is allowed",
    role=Role.LEMMA,
    parameters=SMALL,
    shows="ε/(2·ln(3/δ)) > |λ|",
    margin=lambda: real("2/5") / real("ln(6000)") - real("1/25"),
    again=lambda: number("2/5") / log(6000) - number("1/25"),
)

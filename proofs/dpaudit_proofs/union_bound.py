"""The bound on several noises at once that L §3.1 keeps in a comment.

For m noises Y_i ~ Lap(2/ε) it goes from P[Σ |Y_i| ≥ m·t] to P[max |Y_i| ≥ t] at t =
ln(m/γ)·2/ε, and puts that equal to γ.  The first step is right: a sum of m numbers is at most m
times the largest.  The last is the union bound, and independent noises stay strictly below it:
1 − (1 − γ/m)^m < γ for m ≥ 2.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import real
from dpaudit_proofs.definitions import number

__all__ = ["CLAIMS"]


def _again() -> Any:
    from mpmath import exp, log

    tail = exp(-log(4))  # e^(−tε/2) at t = ln(2/γ)·2/ε, γ = 1/2
    return number("1/2") - (1 - (1 - tail) ** 2)


CLAIMS = (
    Claim(
        id="lap-union",
        typed=forall(
            "real eps g",
            "eps > 0",
            "g > 0",
            "g < 1",
            holds="1 - (2*F_lap(2/eps, 2*log(2/g)/eps) - 1)^2 == g",
        ),
        points=({"eps": "4/5", "g": "1/2"},),
        source="L §3.1, a comment in the source",
        statement="for m noises the largest is at least ln(m/γ)·2/ε with probability γ, here m = 2",
        formula="P[max |Y_i| ≥ ln(m/γ)·2/ε] = γ",
        domain="ε > 0, 0 < γ < 1, m = 2 independent noises Y_i ~ Lap(2/ε)",
        evidence=(
            Counterexample(
                title="two noises",
                parameters={"m": "2", "γ": "1/2", "ε": "4/5"},
                shows="γ > 1 − (1 − γ/2)²",
                margin=lambda: real("1/2") - real("7/16"),
                again=_again,
            ),
            SMTProof(
                title="1 − (1 − γ/2)² < γ for every γ > 0",
                role=Role.ILLUSTRATES,
                hypotheses=("0 < g and g < 1",),
                goal="1 - (1 - g/2)^2 < g",
            ),
        ),
        repaired="≤ γ, by the union bound: P[|Y_i| ≥ ln(m/γ)·2/ε] = γ/m for each (lap-tail), and "
        "independent noises give 1 − (1 − γ/m)^m.",
        derivation="The line before it is right: Σ |Y_i| ≤ m·max |Y_i|, so the event on the left "
        "is contained in that on the right.",
    ),
)

"""Case 1 (λ > 0) of the printed proof of the dilation property of Laplace noise (D §4.1).

h(z) = ½·e^(−|z|), h′(z) = e^λ·h(e^λ·z), P(z ∈ e^λ·S) = ∫_S h′.  The property bounds ∫_S h by
∫_S h′, up to the factor e^(ε/2) and δ/2.  Case 1 bounds the other quotient, ∫_S h′ by ∫_S h, and
ends in ε/2 where e^(ε/2) is meant.  An event G like that of case 2 is what λ > 0 would need: there
h/h′ is unbounded, and only δ/2 can pay for the tail.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import exp, inf, log

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.numbers.real import ONE, real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.laplace_dilation_common import ALLOWED, CASE_1, EVERYWHERE, ball_mass, step
from dpaudit_proofs.laplace_dilation_facts import LOG_OF_3, dilated_tail, mass

__all__ = ["CLAIMS"]


def _substitution() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, symbols

    dilation = symbols("lambda", real=True)
    p, q, z = symbols("p q z", positive=True)
    r = e(dilation)
    return [integrate(e(-z) / 2, (z, r * p, r * q)), integrate(r * e(-r * z) / 2, (z, p, q))]


_TAIL_MARGIN, _TAIL_AGAIN = dilated_tail(Fraction(10), Fraction(1, 2000), 3, Fraction(1, 4000))

CLAIMS = (
    step(
        1,
        "h(e^λ·z) < h(z)",
        "∀ λ > 0, ∀ z: ½·e^(−|e^λ·z|) < ½·e^(−|z|)",
        "all λ > 0, all real z",
        Counterexample(
            title="both are ½ at z = 0",
            parameters={"λ": "1", "z": "0"},
            shows="h(e^λ·0) = h(0)",
            margin=lambda: real("exp(-exp(1)*0)/2 - exp(-0)/2"),
            again=lambda: exp(-exp(1) * 0) / 2 - exp(number(0)) / 2,
            tie=True,
        ),
        OrthantCertificate(
            title="|e^λ·z| > |z|, with r = e^λ > 1 and |z| > 0",
            domain="z ≠ 0",
            positive="r*z - z",
            shift={"r": "1 + s", "z": "t"},
            positive_variables=("s", "t"),
        ),
        derivation="e^(−·) is strictly decreasing.  Nothing depends on the single point.",
        repaired="h(e^λ·z) ≤ h(z), with equality at z = 0 alone.",
    ),
    step(
        2,
        "P(z ∈ e^λ·S) is the integral of e^λ·h(e^λ·z) over S",
        "∫_(e^λ·S) ½·e^(−|z|) dz = ∫_S ½·e^(−|e^λ·z|)·e^λ dz",
        "all real λ, all measurable S",
        Identity(
            title="the substitution, for intervals on one side of 0",
            chain=_substitution,
            shown=("∫_(e^λ·p)^(e^λ·q) ½·e^(−z) dz", "∫_p^q e^λ·½·e^(−e^λ·z) dz"),
        ),
        derivation="Two measures that agree on all intervals on either side of 0 (h is even) agree "
        "on all measurable sets.  The quotient by P(z ∈ S) needs P(z ∈ S) > 0.",
    ),
    step(
        3,
        "the quotient of the two integrals is the quotient of the integrands",
        "∀ S, ∀ z: P(z ∈ e^λ·S)/P(z ∈ S) = e^(−|e^λ·z|)·e^λ/e^(−|z|)",
        "all λ ≠ 0, all S with P(z ∈ S) > 0, all z ∈ S (the right side has z free)",
        Counterexample(
            title="case 1: S = [0, ln 2] dilated by 2, against z = 0",
            parameters={"λ": "ln 2", "S": "[0, ln 2]", "z": "0"},
            shows="P(z ∈ e^λ·S)/P(z ∈ S) = 3/2 < 2 = e^λ·h(e^λ·0)/h(0)",
            margin=lambda: real(2) - ball_mass(real("2*ln(2)")) / ball_mass(real("ln(2)")),
            again=lambda: 2 - mass(0, 2 * log(2)) / mass(0, log(2)),
        ),
        Counterexample(
            title="case 2: S = [0, 2·ln 2] dilated by 1/2, against z = 0",
            parameters={"λ": "−ln 2", "S": "[0, 2·ln 2]", "z": "0"},
            shows="P(z ∈ e^λ·S)/P(z ∈ S) = 2/3 > 1/2 = e^λ·h(e^λ·0)/h(0)",
            margin=lambda: (
                ball_mass(real("ln(2)")) / ball_mass(real("2*ln(2)")) - real(Fraction(1, 2))
            ),
            again=lambda: mass(0, log(2)) / mass(0, 2 * log(2)) - number("1/2"),
        ),
        source="D §4.1, case 1 and again case 2",
        derivation="The left side is a number, the right side a function of z that is constant on "
        "no set of positive probability: it fails for every S and λ ≠ 0 at some z ∈ S.",
        repaired="The quotient of the integrals lies between the infimum and the supremum over S "
        "of the quotient of the integrands.",
    ),
    step(
        4,
        "the quotient of the densities is at most e^λ",
        "∀ λ > 0, ∀ z: e^λ·h(e^λ·z)/h(z) ≤ e^λ, so its logarithm is ≤ λ",
        "all λ > 0, all real z",
        OrthantCertificate(
            title="the logarithm is λ − |z|(r − 1) ≤ λ, with r = e^λ ≥ 1",
            positive="r*z - z",
            shift={"r": "1 + s", "z": "t"},
            strict=False,
        ),
    ),
    step(
        5,
        "λ ≤ β = ε/(2·ln(3/δ)) and δ < 1 give λ ≤ ε/2",
        "∀ ε > 0, ∀ δ ∈ (0,1): λ ≤ ε/(2·ln(3/δ)) ⟹ λ ≤ ε/2",
        f"{EVERYWHERE}, all λ > 0",
        SMTProof(
            title="with K = ln(3/δ) > 1",
            hypotheses=("K > 1", "l > 0", "2*K*l <= e"),
            goal="2*l <= e",
        ),
        LOG_OF_3,
    ),
    step(
        6,
        "the same with the other printed β",
        "∀ ε > 0, ∀ δ ∈ (0,1): λ ≤ ε/(2·ln(2/δ)) ⟹ λ ≤ ε/2",
        f"{EVERYWHERE}, all λ > 0",
        Counterexample(
            title="ln(2/δ) is below 1 for δ near 1",
            parameters={"ε": "4/5", "δ": "9/10", "λ": "ε/(2·ln(2/δ))"},
            shows="λ > ε/2",
            margin=lambda: real("2/5") / real("ln(20/9)") - real("2/5"),
            again=lambda: number("2/5") / log(number("20/9")) - number("2/5"),
        ),
        SMTProof(
            title="with L = ln(2/δ) ≥ 1",
            domain="δ ≤ 2/e",
            hypotheses=("L >= 1", "l > 0", "2*L*l <= e"),
            goal="2*l <= e",
        ),
        derivation="D offers both β and argues with the first.  For the second the conclusion "
        "holds for all λ ≤ β exactly if ln(2/δ) ≥ 1.",
        repaired="For the second β, δ ≤ 2/e is needed.",
    ),
    step(
        7,
        "the quotient of the probabilities is at most ε/2",
        "∀ S, ∀ 0 < λ ≤ β: P(z ∈ e^λ·S)/P(z ∈ S) ≤ ε/2",
        f"{CASE_1}, all S with P(z ∈ S) > 0",
        Counterexample(
            title="S = ℝ, at every λ and every ε < 2",
            parameters={"ε": "4/5", "δ": "1/2000", "λ": "1/25", "S": "ℝ"},
            shows="P(z ∈ e^λ·S)/P(z ∈ S) = 1 > ε/2",
            margin=lambda: ONE - real("2/5"),
            again=lambda: (mass(-inf, 0) + mass(0, inf)) / (2 * mass(0, inf)) - number("2/5"),
        ),
        ALLOWED,
        SMTProof(
            title="the quotient q is at most e^λ = R ≤ B = e^β (step 4, integrated)",
            domain="exactly e^β ≤ ε/2",
            hypotheses=("q <= R", "R <= B", "2*B <= e"),
            goal="2*q <= e",
        ),
        SMTProof(
            title="and comes as near to R = e^λ as one likes: above any c < R for S = [−w, w], "
            "w = (R − c)/R² (P1 = P(z ∈ e^λ·S), P2 = P(z ∈ S), x − x²/2 ≤ 1 − e^(−x) ≤ x)",
            role=Role.LEMMA,
            hypotheses=(
                "R > c and c > 0",
                "w*R^2 == R - c",
                "P1 >= R*w - R^2*w^2/2",
                "0 < P2 and P2 <= w",
            ),
            goal="P1 > c*P2",
        ),
        Fact(
            title="that some ε and δ are within",
            role=Role.ILLUSTRATES,
            parameters={"ε": "10", "δ": "1/2000"},
            shows="ε/2 > e^β",
            margin=lambda: real(5) - (real(5) / real("ln(6000)")).exp(),
            again=lambda: 5 - exp(5 / log(6000)),
        ),
        derivation="The logarithm was bounded by ε/2; the quotient is at most e^(ε/2).  The "
        "printed bound holds for all S and λ only where e^β ≤ ε/2, so for no ε ≤ 2 and, where δ is "
        "near 1, for no ε at all: e^(a/ln 3) > a for every a.",
        repaired="P(z ∈ e^λ·S) ≤ e^λ·P(z ∈ S) ≤ e^(ε/2)·P(z ∈ S) for 0 < λ ≤ ε/2.",
    ),
    step(
        8,
        "the bound on P(z ∈ e^λ·S)/P(z ∈ S) settles the dilation property for λ > 0",
        "(∀ S: P(z ∈ e^λ·S) ≤ e^(ε/2)·P(z ∈ S)) ⟹ (∀ S: P(z ∈ S) ≤ e^(ε/2)·P(z ∈ e^λ·S) + δ/2)",
        CASE_1,
        Counterexample(
            title="the bound holds for every S (step 7, repaired), the property fails for a tail",
            parameters={
                "ε": "10",
                "δ": "1/2000",
                "λ": "ε/(2·ln(3/δ))",
                "S": "{|z| > (λ + ε/2)/(e^λ − 1)}",
            },
            shows="P(z ∈ S) > e^(ε/2)·P(z ∈ e^λ·S) + δ/2",
            margin=_TAIL_MARGIN,
            again=_TAIL_AGAIN,
        ),
        LOG_OF_3,
        derivation="It bounds the wrong quotient.  The needed one, h/h′ = e^(|z|(e^λ − 1) − λ), is "
        "unbounded, and only the δ/2, which case 1 never uses, can pay for its tail.  So the "
        "premise, true for all λ ≤ ε/2 (and ln(3/δ) > 1 gives that), decides nothing; the "
        "conclusion holds exactly where (1 − e^(−λ))·exp(−(λ + ε/2)/(e^λ − 1)) ≤ δ/2.",
        repaired="The property for λ > 0 holds where lap-dilation says, on other grounds.",
    ),
)

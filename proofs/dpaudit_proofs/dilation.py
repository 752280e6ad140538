"""The dilation property of M_H (N §2.3.3, Lemma 2.2) and the steps of its proof.

With t = e^λ and a score u = −H ≤ 0, the log-ratio of h(s) = exp(ε·s/(2S))/NL at u and at t·u is

    ln(h(u)/h(t·u)) = (ε/2)·u(1 − t)/S.

* λ ≤ 0: u(1 − t) ≤ 0, and the log-ratio is at most 0.
* λ > 0 and u ≥ S/(1 − t): u(1 − t) ≤ S, and the log-ratio is at most ε/2.  This is the event that
  the proof needs; it prints the opposite one, on which the log-ratio is at least ε/2.
* λ > 0 and u < S/(1 − t), with t ≤ e^β = 1 − ε/(2ℓ), ℓ = ln(δ/(2(n + 1))) < 0: then
  ε·u/(2S) < ℓ, so exp(ε·u/(2S)) < δ/(2(n + 1)), and the n + 1 candidates together have at most
  δ/2, because NL ≥ 1 (the true output has weight 1).

So the lemma holds for the formula h.  It does not hold for the probabilities of scores that it is
printed for, since e^λ·c is in general not the score of any candidate.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import ONE, real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.derived_exponentials import BETA_POSITIVE, LARGE_BUDGET
from dpaudit_proofs.scores import BETA, DATA, SENSITIVITY_POSITIVE, as_many, probability
from dpaudit_proofs.smooth_mechanism import Law, Setting, both

__all__ = ["CLAIMS", "FAR", "FLAT_SETTINGS", "NEAR", "NEGATIVE"]

NEGATIVE = SMTProof(
    title="t ≤ 1: the log-ratio is at most 0",
    role=Role.LEMMA,
    hypotheses=("0 < t and t <= 1", "u <= 0", "S > 0", "epsilon >= 0", "2*S*X == epsilon*u*(1-t)"),
    goal="X <= 0",
)

NEAR = SMTProof(
    title="t > 1 and u ≥ S/(1 − t): the log-ratio is at most ε/2",
    role=Role.LEMMA,
    hypotheses=(
        "t > 1 and S > 0 and epsilon >= 0",
        "q*(1 - t) == S and u >= q",
        "2*S*X == epsilon*u*(1 - t)",
    ),
    goal="X <= epsilon/2",
)

FAR = SMTProof(
    title="1 < t ≤ e^β and u ≤ S/(1 − t): ε·u/(2S) ≤ ℓ",
    role=Role.LEMMA,
    hypotheses=(
        "l < 0 and epsilon > 0 and 2*l*B == 2*l - epsilon",
        "1 < t and t <= B",
        "S > 0 and q*(1 - t) == S and u <= q",
        "2*S*X == epsilon*u",
    ),
    goal="X <= l",
)

_SUMMED = SMTProof(
    title="near candidates have h ≤ e^(ε/2)·h(e^λ·), m ≤ n + 1 far ones have h ≤ δ/(2(n + 1)) each",
    hypotheses=(
        "n >= 1 and 0 <= m and m <= n + 1 and delta > 0 and E >= 1",
        "near <= E*a",
        "2*(n + 1)*far <= m*delta",
        "a >= 0 and b >= 0",
    ),
    goal="near + far <= E*(a + b) + delta/2",
)
"""near, far: the sums of h over either kind; a, b: those of h at e^λ times the score."""

_COUNTED = SMTProof(
    title="m candidates have score c, N ≥ m have e^λ·c: the printed inequality",
    hypotheses=(
        "n >= 1 and 0 <= m and m <= n + 1 and N >= m",
        "h > 0 and g > 0 and E >= 1 and delta > 0",
        "h <= E*g or 2*(n + 1)*h <= delta",
    ),
    goal="m*h <= E*(N*g) + delta/2",
    domain="e^λ·c is the score of at least as many candidates as c",
)


def _no_such_score(law: Law) -> Any:
    return law.mass((2, 0), (0, 2)) - law.delta / 2


def _rate_above(law: Law) -> Any:
    return law.rate - (law.epsilon * 0 + 101) / 100


def _probability(law: Law) -> Any:
    return law.mass((1, 1))


_NOTES = Setting(n=2, epsilon="4/5", delta="1/2000")
_NOWHERE = both(_NOTES, _no_such_score, (1, 1))
_ALLOWED = both(_NOTES, _rate_above, (1, 1))
_POSITIVE = both(_NOTES, _probability, (1, 1))

FLAT_SETTINGS = "prior (1,1), k = 2, all n ≥ 1, all x"

_NEAR = "H((a + c, b + n - c), (a + r, b + n - r))"
_H_AT = "P_exp(eps/(2*s), (a, b), (c, n - c), (r, n - r))"
"""h(u) at u = −H(x, r); h(e^λ·u) is h(u)·exp(ε·(e^λ − 1)·u/(2S)).  The largest T has every
candidate with h(u) > e^(ε/2)·h(e^λ·u)."""

CLAIMS = (
    Claim(
        id="dilation-literal",
        typed=forall(
            "real eps delta l s, natural n c",
            "eps > 0",
            *DATA[1:],
            f"l <= {BETA}",
            holds=f"{probability('s')} <= exp(eps/2)*{probability('exp(l)*s')} + delta/2",
        ),
        holds_on=(as_many("s", "exp(l)*s"),),
        points=({"eps": "4/5", "delta": "1/2000", "l": "0", "s": "0", "n": "2", "c": "1"},),
        source="N §2.3.3, Lemma 2.2",
        statement="P(u = c) ≤ e^(ε/2)·P(u = e^λ·c) + δ/2 for the mechanism M_H and λ < |β|",
        formula="∀ x, c, λ < |β|, β ≤ ln(1 − ε/(2·ln(δ/(2(n+1))))): "
        "P(u(z, x) = c) ≤ e^(ε/2)·P(u(z, x) = e^λ·c) + δ/2,  z ~ M_H(x)",
        domain=f"{FLAT_SETTINGS}; ε > 0, 0 < δ < 1; β the given value, λ < β",
        evidence=(
            Counterexample(
                title="no candidate has the score e^λ·c",
                parameters={
                    **_NOTES.parameters,
                    "x": "(1,1)",
                    "c": "−H(x, (2,0))",
                    "λ": "ln(101/100)",
                },
                shows="P(u = c) > δ/2 = e^(ε/2)·P(u = e^λ·c) + δ/2",
                margin=_NOWHERE[0],
                again=_NOWHERE[1],
            ),
            Fact(
                title="that λ is below β",
                role=Role.LEMMA,
                parameters={**_NOTES.parameters, "λ": "ln(101/100)"},
                shows="e^β > e^λ",
                margin=_ALLOWED[0],
                again=_ALLOWED[1],
            ),
            NEGATIVE,
            NEAR,
            FAR,
            _COUNTED,
            SENSITIVITY_POSITIVE,
        ),
        derivation="At n = 2 the scores of x = (1,1) are 0 and c = −H(x, (2,0)) = −H(x, (0,2)), "
        "and e^λ·c is neither for any λ ≠ 0.  Where e^λ·c is a score, P(u = c) = m·h(c) and "
        "P(u = e^λ·c) = N·h(e^λ·c), and the property of h (dilation-density) carries over if "
        "N ≥ m.  The hypothesis λ < |β| with β ≤ … should be λ ≤ β: a very negative β would allow "
        "any λ, though the mechanism is calibrated with the value given.",
        repaired="h(c) ≤ e^(ε/2)·h(e^λ·c) + δ/2 for c ≤ 0 and λ ≤ β, h the formula of the density.",
    ),
    Claim(
        id="dilation-density",
        typed=forall(
            "real a b eps delta l s, natural n c",
            "a > 0",
            "b > 0",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "s > 0",
            "n >= 1",
            "c <= n",
            "l <= log(1 - eps/(2*log(delta/(2*(n + 1)))))",
            holds=f"sum(r, 0, n, max(0, {_H_AT} - exp(eps/2)*({_H_AT}*exp(eps*(1 - exp(l))*"
            f"{_NEAR}/(2*s))))) <= delta/2",
        ),
        source="N §2.3.3, proof of Lemma 2.2",
        statement="the formula h(s) = exp(εs/(2S(x)))/NL(x) has the dilation property, also summed "
        "over any set of candidates",
        formula="∀ x, λ ≤ β, T ⊆ R: Σ_{r ∈ T} h(u_r) ≤ e^(ε/2)·Σ_{r ∈ T} h(e^λ·u_r) + δ/2,  "
        "u_r = −H(x, r)",
        domain="every prior, k = 2, n ≥ 1, x; ε > 0, 0 < δ < 1; any S(x) > 0; λ ≤ β (for k > 2: "
        "T of at most n + 1 candidates)",
        evidence=(BETA_POSITIVE, NEGATIVE, NEAR, FAR, _SUMMED),
        derivation="Every candidate r is near (h(u_r) ≤ e^(ε/2)·h(e^λ·u_r), from the log-ratio) "
        "or far, and then h(u_r) = exp(ε·u_r/(2S))/NL ≤ e^ℓ = δ/(2(n + 1)), since NL ≥ 1: the true "
        "output contributes exp(0).  The far ones together have at most (n + 1)·δ/(2(n + 1)).  "
        "With "
        "the 2 that N prints in front of h, one far candidate still has at "
        "most δ/(n + 1) ≤ δ/2.",
    ),
    Claim(
        id="dilation-negative-1",
        typed=forall(
            "real l",
            "l < 0",
            holds="1 < exp(l)",
        ),
        source="N §2.3.3, proof of Lemma 2.2, λ < 0",
        statement="for λ < 0, 1 < e^λ",
        formula="∀ λ < 0: 1 < e^λ",
        domain="all λ < 0",
        step_of="dilation-literal",
        evidence=(
            Counterexample(
                title="it is the other way round",
                parameters={"λ": "−1"},
                shows="1 > e^λ",
                margin=lambda: ONE - real("exp(-1)"),
                again=lambda: 1 - _exp(-1),
            ),
        ),
        derivation="exp is increasing and e^0 = 1: the statement is false for every λ < 0.",
        repaired="For λ < 0, e^λ < 1 (and e^λ·c ≥ c, as c ≤ 0).",
    ),
    Claim(
        id="dilation-negative-2",
        typed=forall(
            "real l c s eps",
            "l < 0",
            "c <= 0",
            "s > 0",
            "eps > 0",
            holds="exp(eps*c/(2*s))/exp(eps*exp(l)*c/(2*s)) <= eps/2",
        ),
        holds_on=("eps >= 2",),
        source="N §2.3.3, proof of Lemma 2.2, λ < 0",
        statement="for λ < 0 the ratio h(c)/h(e^λ·c) is at most ε/2",
        formula="∀ λ < 0, c ≤ 0: exp(εc/(2S))/exp(ε·e^λ·c/(2S)) ≤ ε/2",
        domain="all λ < 0, scores c ≤ 0, S > 0, ε > 0",
        step_of="dilation-literal",
        evidence=(
            LARGE_BUDGET,
            Counterexample(
                title="at c = 0, the score of the true output, the ratio is 1",
                parameters={"c": "0", "ε": "4/5", "λ": "−1"},
                shows="e^0 > ε/2",
                margin=lambda: real(0).exp() - real("2/5"),
                again=lambda: _exp(0) - number("2/5"),
            ),
            NEGATIVE,
            SMTProof(
                title="a ratio of at most 1 is at most ε/2 for ε ≥ 2",
                hypotheses=("R <= 1", "epsilon >= 2"),
                goal="R <= epsilon/2",
                domain="ε ≥ 2",
            ),
        ),
        derivation="The log-ratio (ε/2)·c(1 − e^λ)/S is at most 0, so the ratio is at most 1, and "
        "it is 1 at c = 0 for every mechanism: it is at most ε/2 for all c exactly if ε ≥ 2.",
        repaired="The log-ratio is at most 0 ≤ ε/2; the ratio is at most 1.",
    ),
    Claim(
        id="dilation-negative-3",
        typed=forall(
            "real l u s eps",
            "l < 0",
            "u <= 0",
            "s > 0",
            "eps > 0",
            holds="eps/2*u*(1 - exp(l))/s < 0",
        ),
        source="N §2.3.3, “Detail proof”, λ < 0 (the display that should follow is empty; also L)",
        statement="for λ < 0 the left hand side is always smaller than 0 and the right hand side "
        "greater than 0",
        formula="Of the lemma: P(u = c) < 0.  Of the inequality the case λ > 0 goes on to: "
        "u(z, x) < 0 < S(x)/(1 − e^λ) for every z.  Of the log-ratio: (ε/2)·u(1 − e^λ)/S < 0 < ε/2",
        domain="all λ < 0, all x, every output z of M_H(x)",
        step_of="dilation-literal",
        evidence=(
            Counterexample(
                title="sides of the lemma: the left one is a probability",
                parameters={**_NOTES.parameters, "x": "(1,1)", "c": "0"},
                shows="P(u = 0) > 0",
                margin=_POSITIVE[0],
                again=_POSITIVE[1],
            ),
            Counterexample(
                title="sides of the other two: u = 0 at the true output, which has probability > 0",
                parameters={"z": "BI(x)"},
                shows="u(BI(x), x) = −H(BI(x), BI(x)) = 0, not below 0",
                margin=lambda: real(0),
                again=lambda: -number(0),
                tie=True,
            ),
            NEGATIVE,
        ),
        derivation="Which inequality has these sides is not printed; the statement is false of "
        "all three that occur.  What the case λ < 0 needs is true: the log-ratio is at most 0.",
        repaired="u(z, x) ≤ 0 < S(x)/(1 − e^λ), so the log-ratio is at most 0 (0 at z = BI(x)).",
    ),
)


def _exp(power: int) -> Any:
    from mpmath import exp

    return exp(power)

"""The sliding property of M_H (N §2.3.2, Lemma 2.1).

As printed the lemma is about probabilities of scores, P(u = ŝ) against P(u = ŝ + Δ), for a Δ it
says nothing about.  Three things are missing, and each has a counterexample: ŝ + Δ must be a score
that some candidate has; as many candidates must have it as have ŝ; and Δ ≥ −S(x), which the proof
assumes.  What the proof computes with is not a probability but the formula

    h(s) = exp(ε·s/(2·S(x)))/NL(x),

defined for every real s.  For it h(ŝ)/h(ŝ + Δ) = exp(−ε·Δ/(2·S(x))) ≤ e^(ε/2) whenever Δ ≥ −S(x):
the property holds, without δ.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, SMTProof
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import SLIDING
from dpaudit_proofs.scores import DATA, SENSITIVITY, SENSITIVITY_POSITIVE, as_many, probability
from dpaudit_proofs.smooth_mechanism import Law, Setting, both

__all__ = ["CLAIMS", "SLIDES"]

SLIDES = SumOfProducts(
    title="−εΔ ≤ ε·S for Δ ≥ −S: the log-ratio −εΔ/(2S) is at most ε/2",
    goal="epsilon*S + epsilon*D",
    hypotheses=("epsilon", "D + S"),
    products=(("1", ("epsilon", "D + S")),),
)

_COUNTED = SMTProof(
    title="N(ŝ) ≤ N(ŝ + Δ) and h(ŝ) ≤ e^(ε/2)·h(ŝ + Δ) give the printed inequality",
    hypotheses=(
        "0 <= m and m <= N",
        "0 < h and h <= E*g",
        "p == m*h",
        "q == N*g",
        "E >= 1 and g > 0 and delta >= 0",
    ),
    goal="p <= E*q + delta/2",
    domain="Δ ≥ −S(x), and ŝ + Δ is the score of at least as many candidates as ŝ (for one: "
    "P(z = r) ≤ e^(ε/2)·P(z = r′) whenever u(r′) ≥ u(r) − S(x))",
)
"""m = N(ŝ), N = N(ŝ + Δ), h and g the densities there, E = e^(ε/2)."""


def _root(law: Law) -> Any:
    """Return e^(ε/2)."""
    return law.exp(law.epsilon / 2)


def _no_such_score(law: Law) -> Any:
    return law.mass((1, 1)) - law.delta / 2


def _more_candidates(law: Law) -> Any:
    pair = law.mass((2, 0), (0, 2))
    return pair - _root(law) * law.mass((1, 1)) - law.delta / 2


def _too_far(law: Law) -> Any:
    return law.mass((2, 0)) - _root(law) * law.mass((0, 2)) - law.delta / 2


def _farther_than_sensitivity(law: Law) -> Any:
    return law.distance[(0, 2)] - law.sensitivity


_NOTES = Setting(n=2, epsilon="4/5", delta="1/2000")
_HALF = Setting(n=2, epsilon="1/2", delta="1/2000")
_TEN = Setting(n=2, epsilon="10", delta="1/2000")
_NOWHERE = both(_NOTES, _no_such_score, (1, 1))
_TWICE = both(_HALF, _more_candidates, (1, 1))
_AWAY = both(_TEN, _too_far, (2, 0))
_BEYOND = both(_TEN, _farther_than_sensitivity, (2, 0))

CLAIMS = (
    Claim(
        id="sliding-literal",
        typed=forall(
            "real eps delta s d, natural n c",
            *DATA,
            holds=f"{probability('s')} <= exp(eps/2)*{probability('s + d')} + delta/2",
        ),
        holds_on=(f"d >= -{SENSITIVITY}", as_many("s", "s + d")),
        points=(
            {"eps": "4/5", "delta": "1/2000", "s": "0", "d": "1", "n": "2", "c": "1"},
            {"eps": "4/5", "delta": "1/2000", "s": "0", "d": "0", "n": "2", "c": "1"},
        ),
        source="N §2.3.2, Lemma 2.1",
        statement="P(u = ŝ) ≤ e^(ε/2)·P(u = Δ + ŝ) + δ/2 for the mechanism M_H",
        formula="∀ x, ŝ, Δ: P(u(r, x) = ŝ) ≤ e^(ε/2)·P(u(r, x) = ŝ + Δ) + δ/2,  r ~ M_H(x)",
        domain="prior (1,1), k = 2, all n, ε ≥ 0, 0 < δ < 1, all x; ŝ and Δ are not restricted in "
        "the lemma (Δ ≥ −S(x) in its proof)",
        evidence=(
            Counterexample(
                title="ŝ + Δ need not be a score: no candidate has u = 1",
                parameters={**_NOTES.parameters, "x": "(1,1)", "ŝ": "0", "Δ": "1"},
                shows="P(u = 0) > δ/2 = e^(ε/2)·P(u = 1) + δ/2",
                margin=_NOWHERE[0],
                again=_NOWHERE[1],
            ),
            Counterexample(
                title="two candidates have ŝ, one has ŝ + Δ, and Δ ≥ −S(x)",
                parameters={
                    **_HALF.parameters,
                    "x": "(1,1)",
                    "ŝ": "−H(x, (2,0)) = −H(x, (0,2))",
                    "Δ": "−ŝ",
                },
                shows="P(u = ŝ) > e^(ε/2)·P(u = 0) + δ/2",
                margin=_TWICE[0],
                again=_TWICE[1],
            ),
            Counterexample(
                title="one candidate has either score, and Δ < −S(x)",
                parameters={**_TEN.parameters, "x": "(2,0)", "ŝ": "0", "Δ": "−H(x, (0,2))"},
                shows="P(u = 0) > e^(ε/2)·P(u = Δ) + δ/2",
                margin=_AWAY[0],
                again=_AWAY[1],
            ),
            Fact(
                title="there Δ is below −S(x) indeed",
                role=Role.LEMMA,
                parameters={**_TEN.parameters, "x": "(2,0)"},
                shows="H(x, (0,2)) > S(x)",
                margin=_BEYOND[0],
                again=_BEYOND[1],
            ),
            SumOfProducts(
                title=SLIDES.title,
                role=Role.LEMMA,
                goal=SLIDES.goal,
                hypotheses=SLIDES.hypotheses,
                products=SLIDES.products,
            ),
            _COUNTED,
            SENSITIVITY_POSITIVE,
        ),
        derivation="P(u = s) = N(s)·h(s), N(s) the number of candidates with score s, and "
        "h(ŝ) = e^(−εΔ/(2S))·h(ŝ + Δ) ≤ e^(ε/2)·h(ŝ + Δ) for Δ ≥ −S(x), as exp is monotone and "
        "S(x) > 0.  At n = 2 under the prior (1,1) the scores of x = (1,1) are 0 and −H, the "
        "latter twice (exchange the coordinates).  In the proof of Lemma 2.3 neither side's "
        "number is under control: a shifted score is in general no score at all, and its Δ "
        "depends on the candidate.",
        repaired="h(ŝ) ≤ e^(ε/2)·h(ŝ + Δ) for Δ ≥ −S(x), h the formula of the density; "
        "P(z = r) ≤ e^(ε/2)·P(z = r′) whenever u(r′) ≥ u(r) − S(x).",
    ),
    Claim(
        id="sliding-density",
        typed=forall(
            "real s d S N eps delta",
            "eps >= 0",
            "delta >= 0",
            "S > 0",
            "N > 0",
            "d >= -S",
            holds="exp(eps*s/(2*S))/N <= exp(eps/2)*(exp(eps*(s + d)/(2*S))/N) + delta/2",
        ),
        source="N §2.3.2, proof of Lemma 2.1",
        statement="the formula h(s) = exp(εs/(2S(x)))/NL(x) has the sliding property for Δ ≥ −S(x)",
        formula="∀ x, ∀ ŝ ∈ ℝ, ∀ Δ ≥ −S(x): h(ŝ) ≤ e^(ε/2)·h(ŝ + Δ) + δ/2",
        domain="every prior, k ≥ 2, n ≥ 1, x; ε ≥ 0, δ ≥ 0; any S(x) > 0",
        evidence=(
            SLIDING,
            SLIDES,
        ),
        derivation="h(ŝ)/h(ŝ + Δ) = exp(−εΔ/(2S(x))); multiply the certificate, ε(S + Δ) ≥ 0, by "
        "1/(2S(x)) > 0 and take exponentials.  The term δ/2 is not needed.",
    ),
)

"""Lemma 2.3 over an interval of ε, the pairs at which it is elementary at every prior, and the
exact domain of Lemma 2.1 as printed.

For neighbours with S(y) ≤ S(x), D = H(x, y), κ = 1/S(y) − 1/S(x) ≥ 0:

    H(y, r)/S(y) − H(x, r)/S(x) = (H(y, r) − H(x, r))/S(x) + κ·H(y, r)

lies between −D/S(x) and D/S(x) + κ.  So the spread is at most 2D/S(x) + κ, and where that is at
most 2 the pair loses at most ε.  It is far below 2 where S(x) is carried over from the edge, and
the mechanism is the one with local sensitivity where S = LS.  Between the two D/S(x) is near 1.
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit import check_interval
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import SMTProof, Sweep
from dpaudit.claims.statement import forall
from dpaudit.results import Verdict
from dpaudit_proofs.derived_exponentials import EQUAL_EXP, EXP_MONOTONE, lemma
from dpaudit_proofs.local_flat import LOSS
from dpaudit_proofs.neighbours import PRIOR, X, Y, neighbours, private

__all__ = ["CLAIMS"]

_LARGEST = 60

_SCALED = lemma(
    "a positive factor keeps the order",
    forall("real p q f", "f > 0", holds="(p > q or p*f <= q*f) and (p <= q or p*f > q*f)"),
)

_SPREAD = SMTProof(
    title="−D/S(x) ≤ H(y, r)/S(y) − H(x, r)/S(x) ≤ D/S(x) + κ",
    role=Role.LEMMA,
    hypotheses=(
        "fx > 0 and kappa >= 0 and fy == fx + kappa",
        "0 <= hx and hx <= 1 and 0 <= hy and hy <= 1 and D >= 0",
        "hy <= hx + D and hx <= hy + D",
    ),
    goal="-(D*fx) <= fy*hy - fx*hx and fy*hy - fx*hx <= D*fx + kappa",
)
"""fx, fy: 1/S."""


_DIVIDED = SMTProof(
    title="the spread is at most 2 + κ ≤ m",
    hypotheses=(
        "fx > 0 and D >= 0 and D*fx <= 1 and kappa >= 0 and m >= 2 + kappa",
        "-(D*fx) <= least and most <= D*fx + kappa",
    ),
    goal="most - least <= m",
)

_LOCAL = [f"LS({PRIOR}, {counts})" for counts in (X, Y)]


def _every_epsilon() -> tuple[int, str]:
    """Hold M_H to each nominal ε of an interval."""
    found = check_interval("MH", n=f"1..{_LARGEST}", eps="1/10..2", delta="1/2000")
    for size in found.results:
        if size.verdict is not Verdict.WITHIN:
            return len(found.results), f"n = {size.n}: {size.verdict.value}"
        for piece in size.pieces:
            ends = zip((piece.first, piece.last), piece.upper, strict=True)
            if not all(Fraction(high) <= Fraction(7, 10) * Fraction(e) for e, high in ends):
                return len(found.results), f"n = {size.n}, ε from {piece.first} to {piece.last}"
    return len(found.results), ""


_LOG = "log(m/k)"
_RATE = "(1 + D/S)/2"
_HERE, _THERE = (f"exp(eps*{score}/(2*S))" for score in ("s", "(s + D)"))
_SLIDES = f"m*({_HERE}/Z) <= exp(eps/2)*(k*({_THERE}/Z))"
_SCORES = ("m >= 1", "k >= 1", "S > 0", "Z > 0", "eps > 0")

_EXACT = forall(
    "natural m k, real s D S Z eps",
    *_SCORES,
    holds=f"(m > k or D < -S or {_SLIDES}) and "
    f"(m <= k or eps*(1 + abs({_RATE})) > {_LOG}/2 or not {_SLIDES}) and "
    f"(m > k or D >= -S or eps*(-({_RATE})) <= 1 - {_LOG} or not {_SLIDES})",
)
"""Where m ≤ k and Δ ≥ −S it holds at every ε; else it fails at every small, or every large one."""

_QUOTIENT = lemma(
    "m/k is positive, and at most 1 if m ≤ k",
    forall(
        "natural m k",
        "m >= 1",
        "k >= 1",
        holds="m/k > 0 and (m/k)*k == m and (m > k or m/k <= 1) and (m <= k or m/k > 1)",
    ),
)

_LOGARITHM = lemma(
    "the sign of the logarithm",
    forall(
        "natural m k",
        "m >= 1",
        "k >= 1",
        holds=f"(m > k or {_LOG} <= 0) and (m <= k or {_LOG} > 0) and exp({_LOG})*k == m",
    ),
    Use(_QUOTIENT),
    Use("log-increases", {"s": "1", "t": "m/k"}),
    Use("log-increases", {"s": "m/k", "t": "1"}),
    Use("exp-log", {"s": "m/k"}),
    Use(
        lemma("equal logarithms", forall("real s t", "s > 0", "s == t", holds="log(s) == log(t)")),
        {"s": "m/k", "t": "1"},
    ),
)

_COMPARED = lemma(
    "the inequality says that ln(m/k) is at most ε·κ",
    forall(
        "natural m k, real s D S Z eps",
        *_SCORES,
        holds=f"({_LOG} > eps*({_RATE}) or {_SLIDES}) and "
        f"({_LOG} <= eps*({_RATE}) or not {_SLIDES})",
    ),
    Use(_LOGARITHM),
    Use(
        lemma(
            "the exponents",
            forall(
                "real s D S eps",
                "S > 0",
                holds=f"eps/2 + eps*(s + D)/(2*S) == eps*s/(2*S) + eps*({_RATE})",
            ),
        )
    ),
    Use("exp-sum", {"s": "eps/2", "t": "eps*(s + D)/(2*S)"}),
    Use("exp-sum", {"s": "eps*s/(2*S)", "t": f"eps*({_RATE})"}),
    Use(EQUAL_EXP, {"s": "eps/2 + eps*(s + D)/(2*S)", "t": f"eps*s/(2*S) + eps*({_RATE})"}),
    Use(EXP_MONOTONE, {"s": _LOG, "t": f"eps*({_RATE})"}),
    Use("exp-increases", {"s": f"eps*({_RATE})", "t": _LOG}),
    Use(
        lemma(
            "without the normaliser",
            forall(
                "real m k a b c x y Z",
                "m > 0",
                "k > 0",
                "a > 0",
                "Z > 0",
                "x*k == m",
                "c*b == a*y",
                holds="(x > y or m*(a/Z) <= c*(k*(b/Z))) and "
                "(x <= y or not m*(a/Z) <= c*(k*(b/Z)))",
            ),
            Use(
                lemma(
                    "a quotient is a product",
                    forall(
                        "real a b c k m Z",
                        "Z > 0",
                        holds="m*(a/Z) == m*a*(1/Z) and c*(k*(b/Z)) == k*(c*b)*(1/Z) and 1/Z > 0",
                    ),
                )
            ),
            Use(_SCALED, {"p": "x", "q": "y", "f": "k*a*(1/Z)"}),
            Use(
                lemma(
                    "a product of three",
                    forall("real p q r", "p > 0", "q > 0", "r > 0", holds="p*q*r > 0"),
                ),
                {"p": "k", "q": "a", "r": "1/Z"},
            ),
            Use(
                lemma(
                    "both sides",
                    forall(
                        "real m k a b c x y i",
                        "x*k == m",
                        "c*b == a*y",
                        holds="m*a*i == x*(k*a*i) and k*(c*b)*i == y*(k*a*i)",
                    ),
                ),
                {"i": "1/Z"},
            ),
        ),
        {
            "a": _HERE,
            "b": _THERE,
            "c": "exp(eps/2)",
            "x": f"exp({_LOG})",
            "y": f"exp(eps*({_RATE}))",
        },
    ),
)

_EXACTLY = Derivation(
    title="it holds at every ε exactly where m ≤ m′ and Δ ≥ −S",
    proves=_EXACT,
    uses=(
        Use(_COMPARED),
        Use(_LOGARITHM),
        Use(
            lemma(
                "the sign of κ",
                forall(
                    "real D S",
                    "S > 0",
                    holds=f"(D < -S or {_RATE} >= 0) and (D >= -S or {_RATE} < 0)",
                ),
            )
        ),
        Use(
            lemma(
                "its product with ε",
                forall(
                    "real eps r L",
                    "eps > 0",
                    holds="(r < 0 or L > 0 or L <= eps*r) and "
                    "(L <= 0 or eps*(1 + abs(r)) > L/2 or L > eps*r) and "
                    "(r >= 0 or eps*(-r) <= 1 - L or L > eps*r)",
                ),
            ),
            {"r": _RATE, "L": _LOG},
        ),
    ),
)

CLAIMS = (
    Claim(
        id="lemma-2.3-interval",
        source="N §2.3.4, Lemma 2.3, at every ε between two numbers",
        statement="M_H loses at most 0.7·ε at every real ε from 1/10 to 2",
        formula="∀ x ~ y, r ∈ R, 1/10 ≤ ε ≤ 2: P_x(r) ≤ e^(0.7·ε)·P_y(r)",
        domain="k = 2, prior (1,1), δ = 1/2000, 1/10 ≤ ε ≤ 2, all n ≥ 1",
        evidence=(
            Sweep(
                title="audits over the whole interval of ε",
                bound=f"n = 1..{_LARGEST}, all pairs, every ε from 1/10 to 2",
                domain=f"every ε from 1/10 to 2, n = 1..{_LARGEST}",
                run=_every_epsilon,
            ),
        ),
        derivation="Certified further by the command check MH --n 10..180 --eps 1/10..2.  For "
        "all n lemma-2.3 has ε itself in place of 0.7·ε.",
    ),
    Claim(
        id="lemma-2.3-pairs",
        source="N §2.3.4, Lemma 2.3: pairs for which it can be proved at all n and priors",
        statement="M_H loses at most ε at every pair with 2·H(x, y)/S(x) + 1/S(y) − 1/S(x) ≤ 2, "
        "S(y) ≤ S(x); at the flat prior also where S = LS at both",
        formula="∀ x ~ y, S(y) ≤ S(x), 2·H(x, y)/S(x) + 1/S(y) − 1/S(x) ≤ 2, ∀ r ∈ R: "
        "P_x(r) ≤ e^ε·P_y(r) and P_y(r) ≤ e^ε·P_x(r)",
        domain="every prior, k ≥ 2, n ≥ 1, ε > 0, any S > 0 with these bounds; for S = LS the "
        "prior (1,1), k = 2",
        evidence=(_SPREAD, LOSS),
        derivation="The spread of the exponents' differences over r is at most 2 (SPREAD), and "
        "LOSS makes it a loss of at most (ε/2)·2.  Where S = LS at x and y, P_x and P_y are those "
        "of the mechanism with local sensitivity (em-local-flat).  Between the two, where LS "
        "takes over from the sensitivity of the edge, H(x, y)/S(x) is near 1, and the normalisers "
        "have to be compared: lemma-2.3-large does so at the flat prior.",
    ),
    Claim(
        id="em-divisor",
        typed=neighbours(
            "eps > 0",
            f"m >= 2 + abs(1/{_LOCAL[0]} - 1/{_LOCAL[1]})",
            variables="real eps m",
            outputs=True,
            holds=private(*(f"eps/(m*{sensitivity})" for sensitivity in _LOCAL)),
        ),
        source="beside N §2.2 and A Alg. 5: the mechanism with local sensitivity, repaired",
        statement="EHDL is ε-differentially private with the divisor 2 + K in place of 2, where K "
        "is at least the largest |1/LS(x) − 1/LS(y)| of neighbours",
        formula="∀ x ~ y, r ∈ R, m ≥ 2 + |1/LS(x) − 1/LS(y)|: P_x(r) ≤ e^ε·P_y(r), "
        "P_z(r) ∝ exp(−ε·H(z, r)/(m·LS(z)))",
        domain="k ≥ 2, every prior, all n ≥ 1, ε > 0; so for any S ≥ LS in place of LS",
        evidence=(_SPREAD, _DIVIDED, LOSS),
        derivation="As lemma-2.3-pairs: the exponents over ε/m differ, over r, by a spread of at "
        "most 2 + κ, κ = |1/LS(x) − 1/LS(y)|, because H(x, y) ≤ LS at both; LOSS makes that a "
        "loss of at most (ε/m)·(2 + κ).",
    ),
    Claim(
        id="sliding-literal-exact",
        typed=_EXACT,
        source="N §2.3.2, Lemma 2.1 as printed: the exact domain",
        statement="P(u = ŝ) ≤ e^(ε/2)·P(u = Δ + ŝ) + δ/2 holds for every ε > 0 and δ > 0 at a "
        "given S(x) exactly where Δ ≥ −S(x) and Δ + ŝ is the score of at least as many candidates",
        formula="m·e^(εŝ/(2S))/NL ≤ e^(ε/2)·m′·e^(ε(ŝ + Δ)/(2S))/NL for all ε > 0 ⟺ "
        "m ≤ m′ and Δ ≥ −S; m, m′ ≥ 1 the numbers of candidates with the two scores",
        domain="every prior, k, n, x; scores ŝ and ŝ + Δ that occur; S(x) > 0 fixed",
        evidence=(
            _EXACTLY,
            SMTProof(
                title="L ≤ ε·κ for all ε > 0 if L ≤ 0 and κ ≥ 0 …",
                hypotheses=("e > 0 and L <= 0 and kappa >= 0",),
                goal="L <= e*kappa",
            ),
            SMTProof(
                title="… and not for small ε if L > 0",
                hypotheses=("e > 0 and L > 0 and 2*e*kappa <= L",),
                goal="not L <= e*kappa",
            ),
            SMTProof(
                title="… nor for large ε if κ < 0",
                hypotheses=("e > 0 and kappa < 0 and e*(-kappa) > -L",),
                goal="not L <= e*kappa",
            ),
        ),
        derivation="If it holds for every δ > 0 it holds without δ/2, and the other way round.  "
        "Take logarithms: L = ln(m/m′) ≤ (ε/2)(1 + Δ/S) = ε·κ, where NL cancels.  A score "
        "ŝ + Δ that does not occur (m′ = 0) has P = 0 against P(u = ŝ) > 0 and fails for small "
        "δ.  So the sufficient domain of sliding-literal is the exact one, over all ε and δ; at "
        "one ε and δ more can hold, as wherever P(u = ŝ) ≤ δ/2.  For dilation-literal no such "
        "exact form is given: its factor 1 + (e^λ − 1)·c/S falls below 0 at far candidates, "
        "where δ/2 has to pay and the normaliser does not cancel.  The lower bounds of A Thm 4.5 "
        "hold exactly where Z < n at k = 0; for k ≥ 1 their domains are sufficient.",
    ),
)

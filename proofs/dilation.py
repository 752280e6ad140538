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
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.claims.smt import SMTProof
from dpaudit.exact.real import ONE, real
from proofs.definitions import number
from proofs.smooth_mechanism import Law, Setting, both

__all__ = ["ACCURATE", "CLAIMS", "FAR", "NEAR", "NEGATIVE"]

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

ACCURATE = SMTProof(
    title="numerator ≤ |R|·T, denominator ≥ |R_OPT|·O > 0: the quotient is at most |R|T/(|R_OPT|O)",
    hypotheses=("0 <= a and a <= N*T", "d >= M*O and M*O > 0", "P*d == a", "Q*M*O == N*T"),
    goal="P <= Q",
)


def _log_ratio(law: Law) -> Any:
    """Return u(1 − e^λ)/S − 1 at λ = ln 2 and u = −H(x, (0,2))."""
    return law.distance[(0, 2)] / law.sensitivity - 1


def _no_such_score(law: Law) -> Any:
    return law.mass((2, 0), (0, 2)) - law.delta / 2


def _rate_above(law: Law) -> Any:
    return law.rate - (law.epsilon * 0 + 101) / 100


def _rate_above_two(law: Law) -> Any:
    return law.rate - 2


def _far(law: Law) -> Any:
    """Return P(u ≤ S/(1 − e^β))."""
    return law.far_mass(law.sensitivity / (law.rate - 1))


def _printed_event(law: Law) -> Any:
    return 1 - law.delta / 2 - _far(law)


def _bound_is_larger(law: Law) -> Any:
    """Return (n + 1)·exp(ε/(2(1 − e^β))) − P(u ≤ S/(1 − e^β))."""
    return 3 * law.exp(law.epsilon / (2 * (1 - law.rate))) - _far(law)


def _probability(law: Law) -> Any:
    return law.mass((1, 1))


_NOTES = Setting(n=2, epsilon="4/5", delta="1/2000")
_TEN = Setting(n=2, epsilon="10", delta="1/2")
_NOWHERE = both(_NOTES, _no_such_score, (1, 1))
_ALLOWED = both(_NOTES, _rate_above, (1, 1))
_WRONG_WAY = both(_TEN, _log_ratio, (2, 0))
_ALLOWED_TWO = both(_TEN, _rate_above_two, (2, 0))
_EVENT = both(_NOTES, _printed_event, (1, 1))
_EVENT_TEN = both(_TEN, _printed_event, (2, 0))
_STRICT = both(_NOTES, _bound_is_larger, (1, 1))
_STRICT_TEN = both(_TEN, _bound_is_larger, (2, 0))
_POSITIVE = both(_NOTES, _probability, (1, 1))

_FLAT = "prior (1,1), k = 2, all n ≥ 1, all x"

CLAIMS = (
    Claim(
        id="dilation-literal",
        source="N §2.3.3, Lemma 2.2",
        statement="P(u = c) ≤ e^(ε/2)·P(u = e^λ·c) + δ/2 for the mechanism M_H and λ < |β|",
        formula="∀ x, c, λ < |β|, β ≤ ln(1 − ε/(2·ln(δ/(2(n+1))))): "
        "P(u(z, x) = c) ≤ e^(ε/2)·P(u(z, x) = e^λ·c) + δ/2,  z ~ M_H(x)",
        domain=f"{_FLAT}; ε > 0, 0 < δ < 1; β the given value, λ < β",
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
        source="N §2.3.3, proof of Lemma 2.2",
        statement="the formula h(s) = exp(εs/(2S(x)))/NL(x) has the dilation property, also summed "
        "over any set of candidates",
        formula="∀ x, λ ≤ β, T ⊆ R: Σ_{r ∈ T} h(u_r) ≤ e^(ε/2)·Σ_{r ∈ T} h(e^λ·u_r) + δ/2,  "
        "u_r = −H(x, r)",
        domain="every prior, k = 2, n ≥ 1, x; ε > 0, 0 < δ < 1; any S(x) > 0; λ ≤ β (for k > 2: "
        "T of at most n + 1 candidates)",
        evidence=(NEGATIVE, NEAR, FAR, _SUMMED),
        derivation="Every candidate r is near (h(u_r) ≤ e^(ε/2)·h(e^λ·u_r), from the log-ratio) "
        "or far, and then h(u_r) = exp(ε·u_r/(2S))/NL ≤ e^ℓ = δ/(2(n + 1)), since NL ≥ 1: the true "
        "output contributes exp(0).  The far ones together have at most (n + 1)·δ/(2(n + 1)).  "
        "With "
        "the 2 that N prints in front of h, one far candidate still has at "
        "most δ/(n + 1) ≤ δ/2.",
    ),
    Claim(
        id="dilation-negative-1",
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
        source="N §2.3.3, proof of Lemma 2.2, λ < 0",
        statement="for λ < 0 the ratio h(c)/h(e^λ·c) is at most ε/2",
        formula="∀ λ < 0, c ≤ 0: exp(εc/(2S))/exp(ε·e^λ·c/(2S)) ≤ ε/2",
        domain="all λ < 0, scores c ≤ 0, S > 0, ε > 0",
        step_of="dilation-literal",
        evidence=(
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
    Claim(
        id="dilation-event",
        source="N §2.3.3, proof of Lemma 2.2, λ > 0",
        statement="under the event G = {u ≤ S(x)/(1 − e^λ)} the log-ratio is at most ε/2",
        formula="∀ λ > 0, u ≤ S/(1 − e^λ): (ε/2)·u(1 − e^λ)/S ≤ ε/2",
        domain=f"{_FLAT}; ε > 0, 0 < δ < 1, 0 < λ ≤ β, scores u of candidates",
        step_of="dilation-literal",
        evidence=(
            Counterexample(
                title="u = −H(x, (0,2)) lies in G, and its log-ratio is larger",
                parameters={**_TEN.parameters, "x": "(2,0)", "λ": "ln 2"},
                shows="u(1 − e^λ)/S = H(x, (0,2))/S > 1 (so u < S/(1 − e^λ) = −S as well)",
                margin=_WRONG_WAY[0],
                again=_WRONG_WAY[1],
            ),
            Fact(
                title="that λ is below β",
                role=Role.LEMMA,
                parameters={**_TEN.parameters, "λ": "ln 2"},
                shows="e^β > e^λ = 2",
                margin=_ALLOWED_TWO[0],
                again=_ALLOWED_TWO[1],
            ),
            SMTProof(
                title="on G the log-ratio is at least ε/2",
                role=Role.ILLUSTRATES,
                hypotheses=(
                    "t > 1 and S > 0 and epsilon >= 0",
                    "q*(1 - t) == S and u <= q",
                    "2*S*X == epsilon*u*(1 - t)",
                ),
                goal="X >= epsilon/2",
            ),
            NEAR,
        ),
        derivation="1 − e^λ < 0: multiplying u ≤ S/(1 − e^λ) by it turns the inequality round.  "
        "The printed statement holds only where u = S/(1 − e^λ) exactly.",
        repaired="G must be {u ≥ S(x)/(1 − e^λ)}; what the accuracy property then bounds by δ/2 "
        "is the probability of its complement.",
    ),
    Claim(
        id="dilation-event-mass",
        source="N §2.3.3, proof of Lemma 2.2, λ > 0",
        statement="the probability of G is 1 − δ/2",
        formula="P(u(z, x) ≤ S(x)/(1 − e^λ)) = 1 − δ/2",
        domain=f"{_FLAT}; ε > 0, 0 < δ < 1, 0 < λ ≤ β",
        step_of="dilation-literal",
        evidence=(
            Counterexample(
                title="at the notes' ε and δ it is 0: no candidate is so far away",
                parameters={**_NOTES.parameters, "x": "(1,1)", "λ": "β"},
                shows="1 − δ/2 > P(G) = 0",
                margin=_EVENT[0],
                again=_EVENT[1],
            ),
            Counterexample(
                title="where it is not 0",
                parameters={**_TEN.parameters, "x": "(2,0)", "λ": "β"},
                shows="1 − δ/2 > P(G)",
                margin=_EVENT_TEN[0],
                again=_EVENT_TEN[1],
            ),
        ),
        derivation="The proof's own bound says P(G) ≤ δ/2 < 1 − δ/2: the equality fails always.  "
        "Of the complement only an inequality is known (accuracy-equality).",
        repaired="P(u ≥ S(x)/(1 − e^λ)) ≥ 1 − δ/2 for 0 < λ ≤ β.",
    ),
    Claim(
        id="accuracy-property",
        source="N §2.3.3, “accuracy property of exponential mechanism”",
        statement="P(u ≤ t) is at most |R|·exp(εt/(2S)) over |R_OPT|·exp(ε·OPT/(2S))",
        formula="∀ x, t: P(u(z, x) ≤ t) ≤ |R|·exp(εt/(2S))/(|R_OPT|·exp(ε·OPT/(2S)))",
        domain="every finite R and score u, x, S(x) > 0, ε ≥ 0, real t (S/(1 − e^λ) in the notes)",
        step_of="dilation-literal",
        evidence=(ACCURATE,),
        derivation="P(u ≤ t) = a/d with a = Σ_{u_r ≤ t} exp(ε·u_r/(2S)), d = NL.  Every term of a "
        "is at most T = exp(εt/(2S)), and there are at most N = |R|; d contains the M = |R_OPT| "
        "terms O = exp(ε·OPT/(2S)), all others being positive (McSherry and Talwar 2007).",
    ),
    Claim(
        id="accuracy-equality",
        source="N §2.3.3, the display after “then we have”",
        statement="P(u ≤ S/(1 − e^λ)) equals (n + 1)·exp(ε/(2(1 − e^λ)))",
        formula="P(u(z, x) ≤ S(x)/(1 − e^λ)) = (n + 1)·exp(ε/(2(1 − e^λ)))",
        domain=f"{_FLAT}; ε > 0, 0 < δ < 1, 0 < λ ≤ β",
        step_of="dilation-literal",
        evidence=(
            Counterexample(
                title="at the notes' ε and δ the left side is 0 and the right side δ/2",
                parameters={**_NOTES.parameters, "x": "(1,1)", "λ": "β"},
                shows="(n + 1)·exp(ε/(2(1 − e^β))) > P(u ≤ S/(1 − e^β))",
                margin=_STRICT[0],
                again=_STRICT[1],
            ),
            Counterexample(
                title="where the left side is not 0",
                parameters={**_TEN.parameters, "x": "(2,0)", "λ": "β"},
                shows="(n + 1)·exp(ε/(2(1 − e^β))) > P(u ≤ S/(1 − e^β)) > 0",
                margin=_STRICT_TEN[0],
                again=_STRICT_TEN[1],
            ),
            SMTProof(
                title="it is never an equality: the true output is not among the n + 1 terms",
                role=Role.ILLUSTRATES,
                hypotheses=("n >= 1 and T > 0", "0 <= a and a <= n*T", "d >= 1", "P*d == a"),
                goal="P < (n + 1)*T",
            ),
        ),
        derivation="The accuracy property gives ≤, and of the n + 1 candidates at most n have "
        "u ≤ S/(1 − e^λ) < 0: the inequality is strict for every x, ε, δ and λ > 0.",
        repaired="P(u ≤ S(x)/(1 − e^λ)) < (n + 1)·exp(ε/(2(1 − e^λ))) for λ > 0.",
    ),
)


def _exp(power: int) -> Any:
    from mpmath import exp

    return exp(power)

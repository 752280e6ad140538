"""The events in the proof of the dilation property, and the accuracy bound it uses (N §2.3.3).

For λ > 0 the proof puts G = {u ≤ S/(1 − e^λ)}.  Since 1 − e^λ < 0, u(1 − e^λ) ≥ S on G: the
log-ratio is at least ε/2 there, where at most ε/2 is claimed.  What is needed is the opposite
event, and the bound of the exponential mechanism's accuracy on P(G): the true output has weight 1
and is not in G, so fewer than n + 1 candidates are, each of weight at most exp(ε/(2(1 − e^λ))).
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, SMTProof
from dpaudit.claims.statement import forall
from dpaudit_proofs.dilation import FLAT_SETTINGS, NEAR
from dpaudit_proofs.smooth_mechanism import Law, Setting, both
from dpaudit_proofs.typed_events import TAIL
from dpaudit_proofs.typed_refuted import REFUTED

__all__ = ["ACCURATE", "CLAIMS"]

ACCURATE = SMTProof(
    title="numerator ≤ |R|·T, denominator ≥ |R_OPT|·O > 0: the quotient is at most |R|T/(|R_OPT|O)",
    hypotheses=("0 <= a and a <= N*T", "d >= M*O and M*O > 0", "P*d == a", "Q*M*O == N*T"),
    goal="P <= Q",
)


def _log_ratio(law: Law) -> Any:
    """Return u(1 − e^λ)/S − 1 at λ = ln 2 and u = −H(x, (0,2))."""
    return law.distance[(0, 2)] / law.sensitivity - 1


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


_NOTES = Setting(n=2, epsilon="4/5", delta="1/2000")
_TEN = Setting(n=2, epsilon="10", delta="1/2")
_WRONG_WAY = both(_TEN, _log_ratio, (2, 0))
_ALLOWED_TWO = both(_TEN, _rate_above_two, (2, 0))
_EVENT = both(_NOTES, _printed_event, (1, 1))
_EVENT_TEN = both(_TEN, _printed_event, (2, 0))
_STRICT = both(_NOTES, _bound_is_larger, (1, 1))
_STRICT_TEN = both(_TEN, _bound_is_larger, (2, 0))

CLAIMS = (
    Claim(
        id="dilation-event",
        typed=forall(
            "real eps delta e, natural n c r",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "n >= 1",
            "c <= n",
            "r <= n",
            "e > 1",
            "e <= 1 - eps/(2*log(delta/(2*(n + 1))))",
            "-H((c + 1, n - c + 1), (r + 1, n - r + 1)) <= S_beta((1, 1), log(1 - "
            "eps/(2*log(delta/(2*(n + 1))))), (c, n - c))/(1 - e)",
            holds="-eps/2*H((c + 1, n - c + 1), (r + 1, n - r + 1))*(1 - e)/S_beta((1, 1), "
            "log(1 - eps/(2*log(delta/(2*(n + 1))))), (c, n - c)) <= eps/2",
        ),
        points=({"eps": "10", "delta": "1/2", "e": "2", "n": "2", "c": "2", "r": "0"},),
        source="N §2.3.3, proof of Lemma 2.2, λ > 0",
        statement="under the event G = {u ≤ S(x)/(1 − e^λ)} the log-ratio is at most ε/2",
        formula="∀ λ > 0, u ≤ S/(1 − e^λ): (ε/2)·u(1 − e^λ)/S ≤ ε/2",
        domain=f"{FLAT_SETTINGS}; ε > 0, 0 < δ < 1, 0 < λ ≤ β, scores u of candidates",
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
        **REFUTED["dilation-event-mass"],
        source="N §2.3.3, proof of Lemma 2.2, λ > 0",
        statement="the probability of G is 1 − δ/2",
        formula="P(u(z, x) ≤ S(x)/(1 − e^λ)) = 1 − δ/2",
        domain=f"{FLAT_SETTINGS}; ε > 0, 0 < δ < 1, 0 < λ ≤ β",
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
        typed=TAIL,
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
        **REFUTED["accuracy-equality"],
        source="N §2.3.3, the display after “then we have”",
        statement="P(u ≤ S/(1 − e^λ)) equals (n + 1)·exp(ε/(2(1 − e^λ)))",
        formula="P(u(z, x) ≤ S(x)/(1 − e^λ)) = (n + 1)·exp(ε/(2(1 − e^λ)))",
        domain=f"{FLAT_SETTINGS}; ε > 0, 0 < δ < 1, 0 < λ ≤ β",
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

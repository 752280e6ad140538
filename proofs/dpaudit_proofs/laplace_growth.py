"""How fast consecutive distances grow (k = 2), and what Theorem 4.4 of A says of γ.

Consecutive distances never differ by more than a constant factor.  With u = a, v = b − 1 for the
posterior (a, b) of x, and G(s)² = Γ(s + ½)²/(Γ(s)·Γ(s + 1)),

    H(x, x+1)² = 1 − G(u)·G(v),        H(x+1, x+2)² = 1 − G(u + 1)·G(v − 1),
    s/(s + ½) < G(s)² < s/(s + ¼)      for all s > 0.

For the two bounds: by the recurrence of Γ, G(s)²·(s + ¼)/s increases and G(s)²·(s + ½)/s decreases
when s grows by 1, and both tend to 1.  Writing p = 1 − G(u)², q = 1 − G(v)² and P, Q for u + 1 and
v − 1, and because (p + q)/4 ≤ 1 − √((1 − p)(1 − q)) ≤ p + q,

    H(x+1, x+2)² ≤ P + Q ≤ 1/(2u + 3) + 1/(2v − 1)
                 ≤ 5·(1/(4u + 1) + 1/(4v + 1)) ≤ 5·(p + q) ≤ 20·H(x, x+1)²,

for every prior; exchanging the parameters gives the same the other way round.  So K = 9/2 > √20
bounds the factor.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import ONE, real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.derived_noise import GROWTH_RATE

__all__ = ["ABOVE_ONE_HALF", "BELOW_ONE_QUARTER", "CLAIMS", "GROWTH", "RECURRENCE"]

FLAT = (Fraction(1), Fraction(1))

GROWTH = Fraction(9, 2)
"""K: H(x+1, x+2)/H(x, x+1) and its reciprocal are at most this, for every prior."""


def _ratio() -> list[Any]:
    from sympy import Rational, gamma, symbols

    s = symbols("s", positive=True)
    half = Rational(1, 2)

    def squared(z: Any) -> Any:
        return gamma(z + half) ** 2 / (gamma(z) * gamma(z + 1))

    return [squared(s + 1) / squared(s), (s + half) ** 2 / (s * (s + 1))]


def _gamma_identity() -> list[Any]:
    from sympy import exp, log, symbols

    f = symbols("f", real=True)
    epsilon = symbols("epsilon", positive=True)
    return [log(1 / exp(-f * epsilon)) / epsilon, f]


def _e_to_minus_16() -> Any:
    from mpmath import exp

    return exp(-number("10") * 2 * number("4/5"))


def _e_to_epsilon_less_one() -> Any:
    from mpmath import exp

    return exp(number("4/5")) - 1


RECURRENCE = Identity(
    title="G(s + 1)²/G(s)² is rational",
    role=Role.LEMMA,
    chain=_ratio,
    shown=("G(s + 1)²/G(s)²", "(s + ½)²/(s(s + 1))"),
)

BELOW_ONE_QUARTER = OrthantCertificate(
    title="G(s)²·(s + ¼)/s increases, to its limit 1: G(s)² < s/(s + ¼)",
    role=Role.LEMMA,
    positive="(s + 1/2)^2*(s + 5/4) - (s + 1)^2*(s + 1/4)",
    shift={"s": "s"},
)

ABOVE_ONE_HALF = OrthantCertificate(
    title="G(s)²·(s + ½)/s decreases, to its limit 1: G(s)² > s/(s + ½)",
    role=Role.LEMMA,
    positive="(s + 1)^2*(s + 1/2) - (s + 1/2)^2*(s + 3/2)",
    shift={"s": "s"},
)

_BOUNDED = (
    RECURRENCE,
    BELOW_ONE_QUARTER,
    ABOVE_ONE_HALF,
    SMTProof(
        title="(p + q)/4 ≤ 1 − r ≤ p + q for r = √((1 − p)(1 − q))",
        role=Role.LEMMA,
        hypotheses=("0 < p and p < 1", "0 < q and q < 1", "r >= 0", "r^2 == (1 - p)*(1 - q)"),
        goal="p + q <= 4*(1 - r) and 1 - r <= p + q",
    ),
    OrthantCertificate(
        title="5/(4v + 1) ≥ 1/(2v − 1) for v ≥ 1",
        role=Role.LEMMA,
        positive="5*(2*v - 1) - (4*v + 1)",
        shift={"v": "1 + s"},
        strict=False,
    ),
    OrthantCertificate(
        title="5/(4u + 1) ≥ 1/(2u + 3) for u ≥ 0",
        role=Role.LEMMA,
        positive="5*(2*u + 3) - (4*u + 1)",
        shift={"u": "u"},
    ),
    SMTProof(
        title="so h′ ≤ K·h for the two distances: h′² ≤ P + Q ≤ 5(p + q), p + q ≤ 4·h²",
        hypotheses=("h > 0", "g > 0", "g^2 <= T", "T <= 5*w", "w <= 4*h^2"),
        goal="g <= 9/2*h",
    ),
)

_NEXT = "H((a + c, b + n - c), (a + c + 1, b + n - c - 1))"
_AFTER = "H((a + c + 1, b + n - c - 1), (a + c + 2, b + n - c - 2))"

CLAIMS = (
    Claim(
        id="thm-4.1-growth",
        typed=forall(
            "real a b, natural n c",
            "a > 0",
            "b > 0",
            "c + 2 <= n",
            holds=f"2*{_NEXT} <= 9*{_AFTER} and 2*{_AFTER} <= 9*{_NEXT}",
        ),
        source="new; A Thm 4.1, Thm 4.3",
        statement="consecutive distances differ by a factor of at most 9/2",
        formula="2/9 ≤ H(x+1, x+2)/H(x, x+1) ≤ 9/2",
        domain="k = 2, all n ≥ 2, priors α > 0, and x for which x + 2 exists",
        evidence=_BOUNDED,
        derivation="(1) The bounds on G: f(s) = G(s)²·(s + ¼)/s has f(s) < f(s + 1) < … → 1, "
        "since Γ(s + ½)/(Γ(s)·√s) → 1 (Stirling), so f < 1; likewise for ½ from above. Hence "
        "1/(4s + 1) < 1 − G(s)² < 1/(2s + 1). (2) h = H(x, x+1) and g = H(x+1, x+2) as in the "
        "module's text: u > 0, and v > 1 as x + 2 exists; g ≤ K·h. Exchanging the parameters maps "
        "the pair to itself the other way round, so h ≤ K·g too.",
    ),
    Claim(
        id="thm-4.4",
        typed=forall(
            "real eps f k C",
            "eps > 0",
            "k >= 0",
            "C >= 0",
            "abs(f) <= C*k",
            holds="abs(log(1/exp(-f*eps))/eps) <= C*k",
        ),
        source="A Thm 4.4",
        statement="for γ = e^(O(k)·ε), lg(1/γ)/ε is O(k)",
        formula="γ = e^(−f·ε), |f| ≤ C·k ⟹ |ln(1/γ)/ε| ≤ C·k",
        domain="all ε > 0, k, C ≥ 0, real f, either sign of the exponent",
        evidence=(
            GROWTH_RATE,
            Identity(
                title="ln(1/e^(−fε))/ε = f",
                chain=_gamma_identity,
                shown=("ln(1/e^(−f·ε))/ε", "f"),
            ),
        ),
        derivation="It says no more than that ln undoes exp: the content would be that such a γ "
        "is reached (thm-4.4-step). Another base of lg changes C only.",
    ),
    Claim(
        id="thm-4.4-gamma",
        typed=forall(
            "real eps f",
            "eps > 0",
            "f > 0",
            holds="exp(f*eps) < 1",
        ),
        source="A Thm 4.4, γ = e^(O(k)ε); A Thm 4.2, γ = e^(O(ε))",
        statement="γ = e^(O(k)·ε) is a probability of failure, 0 < γ < 1",
        formula="γ = e^(f·ε) < 1 for f = O(k), f > 0",
        domain="all ε > 0, k ≥ 1; O(k) a number > 0, as in the proof's own |Lap(0, 1/ε)| < O(k)",
        step_of="thm-4.4",
        evidence=(
            Counterexample(
                title="1 − γ is negative, and P ≥ 1 − γ asserts nothing",
                parameters={"ε": "4/5", "k": "1", "O(k)": "1"},
                shows="γ = e^(O(k)·ε) > 1",
                margin=lambda: real("4/5").exp() - ONE,
                again=_e_to_epsilon_less_one,
            ),
        ),
        repaired="γ = e^(−O(k)·ε), as the proof of Thm 4.4 has it; γ = e^(−ε) in that of Thm 4.2.",
        derivation="e^z ≥ 1 + z > 1 for every z > 0, so it fails throughout. Only if O(k) may be "
        "negative does the statement contain what the proofs use.",
    ),
    Claim(
        id="thm-4.4-event",
        source="A Thm 4.4, proof, first display",
        statement="P[H < t] is at most 1 − e^(−O(k)ε), k being the steps that stay closer than t",
        formula="∃ C (depending on ε alone) ∀ n, x, t: P[H(DirP(x), LSHist(x)) < t] ≤ "
        "1 − e^(−C·k·ε), k the largest number of steps with H(x, x±k) < t",
        domain="k = 2 categories, all n ≥ 1, priors α > 0, x, ε > 0, t > 0",
        step_of="thm-4.4",
        evidence=(
            Counterexample(
                title="t = 1 is above all distances, and no C will do",
                parameters={"ε": "4/5", "n": "4", "x": "(2,2)", "t": "1", "k": "2"},
                shows="P[H < 1] = 1 > 1 − e^(−C·k·ε), here at C = 10",
                margin=lambda: real("exp(-16)"),
                again=_e_to_minus_16,
            ),
            SMTProof(
                title="if an output at an end is at t or beyond, P[Y < −k] or P[Y ≥ k + 1], both "
                "at least ½·e^(−(k+1)ε) = E/2, is left out; F = e^(−Ckε), C = 2 + (ln 2)/ε",
                domain="t at most the largest distance H(x, ·), and k ≥ 1",
                hypotheses=("P <= 1 - E/2", "2*F <= E"),
                goal="P <= 1 - F",
            ),
        ),
        derivation="Distances are below 1, so P[H < 1] = 1 whatever e^(−Ckε) > 0 is. Otherwise, as "
        "the distance grows with the steps on either side (thm-4.2-equality), everything beyond k "
        "steps on the side of that end is left out. C·k·ε ≥ (k + 1)·ε + ln 2 for k ≥ 1. At k = 0 "
        "the bound is 0, and P[H < t] ≥ P[LSHist(x) = x] > 0.",
        repaired="P[H < t] ≤ 1 − ½·e^(−(k+1)ε) for t up to the largest distance.",
    ),
    Claim(
        id="thm-4.4-step",
        typed=forall(
            "real p eps C, natural k",
            "p >= 0",
            "p <= 1",
            "eps > 0",
            "C > 0",
            "p <= 1 - exp(-C*k*eps)",
            holds="p >= 1 - exp(-C*k*eps)",
        ),
        points=({"p": "0", "eps": "4/5", "C": "1", "k": "1"},),
        source="A Thm 4.4, proof",
        statement="from P[H < t] ≤ 1 − e^(−O(k)ε) it follows that P[H < t] ≥ 1 − γ with γ = "
        "e^(−O(k)ε)",
        formula="P[H < t] ≤ 1 − e^(−O(k)ε), γ = e^(−O(k)ε) ⟹ P[H < t] ≥ 1 − γ",
        domain="all ε > 0, k, t",
        step_of="thm-4.4",
        evidence=(
            SMTProof(
                title="the premises hold with P[H < t] below 1 − γ: the inequality points the "
                "wrong way",
                role=Role.GAP,
                hypotheses=("0 <= P and P <= 1 - e", "0 < e and e < 1", "g == e"),
                goal="P < 1 - g",
                satisfiable=True,
            ),
        ),
        repaired="If every output for noise |Y| < K is closer than t, P[H < t] ≥ P[|Y| < K] = "
        "1 − e^(−Kε), so γ = e^(−Kε) will do.",
        derivation="An upper bound on P[H < t] gives none on ELap. With ≥ in place of ≤ the step "
        "is the inclusion of one event in another.",
    ),
)

"""Theorems 4.1, 4.3 and 4.4 of A for k = 2: the error of LSHist is a bounded multiple of LS(x).

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
bounds the factor, H(x, x±j) ≤ LS(x)·(1 + K + … + K^(j−1)), and LSHist takes more than
J = ⌈ln(1/γ)/ε⌉ steps with probability at most γ, whatever n is.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.bayes.dirichlet import HellingerMetric
from dpaudit.claims.algebra import Identity
from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.claims.smt import SMTProof
from dpaudit.exact.real import ONE, real
from proofs.definitions import local_sensitivity, number, posterior_distance

if TYPE_CHECKING:
    from dpaudit.exact.ball import Ball

__all__ = ["CLAIMS", "GROWTH"]

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


def _e_to_epsilon_less_one() -> Any:
    from mpmath import exp

    return exp(number("4/5")) - 1


def _two_steps() -> Fact:
    x, one_up, one_down, two_up = (3, 2), (4, 1), (2, 3), (5, 0)

    def margin() -> Ball:
        metric = HellingerMetric(FLAT)
        worst = metric.between(x, one_up).max(metric.between(x, one_down))
        return metric.between(x, two_up) - 2 * worst

    return Fact(
        title="two steps can be farther than 2·LS(x): LS grows towards the edge",
        role=Role.ILLUSTRATES,
        parameters={"prior": "(1,1)", "n": "5", "x": "(3,2)"},
        shows="H(x, (5,0)) > 2·LS(x)",
        margin=margin,
        again=lambda: posterior_distance(FLAT, x, two_up) - 2 * local_sensitivity(FLAT, x),
    )


_BOUNDED = (
    Identity(
        title="G(s + 1)²/G(s)² is rational",
        role=Role.LEMMA,
        chain=_ratio,
        shown=("G(s + 1)²/G(s)²", "(s + ½)²/(s(s + 1))"),
    ),
    OrthantCertificate(
        title="G(s)²·(s + ¼)/s increases",
        role=Role.LEMMA,
        positive="(s + 1/2)^2*(s + 5/4) - (s + 1)^2*(s + 1/4)",
        shift={"s": "s"},
    ),
    OrthantCertificate(
        title="G(s)²·(s + ½)/s decreases",
        role=Role.LEMMA,
        positive="(s + 1)^2*(s + 1/2) - (s + 1/2)^2*(s + 3/2)",
        shift={"s": "s"},
    ),
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
    SumOfProducts(
        title="P(−J ≤ Y < J + 1) = 1 − ½(T + tT) ≥ 1 − T, T = t^J ≤ γ",
        goal="T - (T + t*T)/2",
        hypotheses=("T", "1 - t"),
        products=(("1/2", ("T", "1 - t")),),
    ),
)

CLAIMS = (
    Claim(
        id="thm-4.1",
        source="A Thm 4.1",
        statement="ELap(x)/(ε·LS(x)) is O(1) in the data size n ≥ 2",
        formula="∀ ε > 0, 0 < γ < 1 ∃ C ∀ n, α, x: inf{t : P[H(DirP(x), LSHist(x)) < t] ≥ 1 − γ} "
        "≤ C·ε·LS(x);  C = (K^J − 1)/((K − 1)·ε), K = 9/2, J = ⌈ln(1/γ)/ε⌉",
        domain="k = 2 (Beta, as the proofs of A §4 have it), all n ≥ 1, priors α > 0, x; ε > 0 and "
        "0 < γ < 1 fixed, which A leaves open",
        evidence=_BOUNDED,
        derivation="(1) The bounds on G: f(s) = G(s)²·(s + ¼)/s has f(s) < f(s + 1) < … → 1, "
        "since Γ(s + ½)/(Γ(s)·√s) → 1 (Stirling), so f < 1; likewise for ½ from above. Hence "
        "1/(4s + 1) < 1 − G(s)² < 1/(2s + 1). (2) h = H(x, x+1) and g = H(x+1, x+2) as in the "
        "module's text: u > 0, and v > 1 as x + 2 exists; g ≤ K·h. Exchanging the parameters maps "
        "the pair to itself the other way round, so h ≤ K·g too. (3) By the triangle inequality "
        "H(x, x+j) ≤ h·(1 + K + … + K^(j−1)) with h = H(x, x+1) ≤ LS(x), and the same to the left. "
        "(4) If −J ≤ Y < J + 1, the clamped output is a candidate at most J steps away; by the "
        "density of Y this has probability 1 − ½(t^J + t^(J+1)) ≥ 1 − γ. So every t above "
        "LS(x)·(K^J − 1)/(K − 1) will do.  For k ≥ 3 LSHist can print parameters that do not "
        "add up to those of any posterior, and nothing is decided here.",
    ),
    Claim(
        id="thm-4.3",
        source="A Thm 4.3",
        statement="ELap(x)/max_{|k| ≤ lg(1/γ)/ε} H(Beta(α, β), Beta(α + k, n − ⌊α + k⌋)) is at "
        "most Σ_{|k| ≤ lg(1/γ)/ε} LS(x)/LS(x), which is to give a constant upper bound",
        domain="k = 2, all n, x, ε, γ",
        ambiguous="The display starts with ≤ and nothing to the left of it, the summand does not "
        "depend on the index k (a real number, as Beta(α + k, …) has it), and the distribution in "
        "the maximum is no candidate (cor-4.4.1-notation).",
        readings=(
            "As printed, with LSHist's output for noise k in the maximum, lg = ln, ELap the "
            "infimum and the sum over whole k: true but empty. |Y| ≤ ln(1/γ)/ε has probability "
            "1 − γ, so ELap(x) is at most the maximum; the quotient is ≤ 1 and the sum counts "
            "k = 0 at least. Nothing relates either to LS(x).",
            "With the maximum over LS(x) as the middle term and H(x, x+k) ≤ |k|·LS(x) as the "
            "reason, one LS(x) for each step: that inequality is false (the certified value "
            "below), since the steps towards the edge are longer than LS(x). With all 2⌊·⌋ + 1 "
            "terms of the sum instead of |k| it is left open.",
            "That ELap(x)/(ε·LS(x)) has an upper bound that depends on ε and γ alone: true, "
            "thm-4.1, with a constant that grows exponentially in lg(1/γ)/ε instead of linearly.",
        ),
        evidence=(_two_steps(),),
    ),
    Claim(
        id="thm-4.4",
        source="A Thm 4.4",
        statement="for γ = e^(O(k)·ε), lg(1/γ)/ε is O(k)",
        formula="γ = e^(−f·ε), |f| ≤ C·k ⟹ |ln(1/γ)/ε| ≤ C·k",
        domain="all ε > 0, k, C ≥ 0, real f, either sign of the exponent",
        evidence=(
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
        id="thm-4.4-step",
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

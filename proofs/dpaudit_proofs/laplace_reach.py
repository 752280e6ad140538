"""Theorem 4.3 of A for k = 2: j steps take a posterior at most (2j − 1)·LS(x) away.

Let x have the posterior (a, b), and y the posterior (a − j, b + j), u = a − j > 0; steps to the
other side are the same with the parameters exchanged.  −ln(1 − H(x, y)²) = D_j(u) + D_j(b) with

    D_j(s) = ½·[ln Γ(s) + ln Γ(s + j)] − ln Γ(s + j/2) = ½·∫₀^j min(τ, j − τ)·ψ′(s + τ) dτ,
    1/s < ψ′(s) < 1/(s − ½)                                     (ψ′(s) = Σ 1/(s + i)², telescoped),

and LS(x)² ≥ 1 − e^(−d), d = D₁(u + j − 1) + D₁(b), the distance one step in that direction.  With
M = (2j − 1)² the claim is 1 − e^(−D_j(u) − D_j(b)) ≤ M·(1 − e^(−d)).  ψ′ falls, so D_j(b) is at
most j²·D₁(b) ≤ M·D₁(b).  For j ≥ 3 either of two things settles it, whatever b is:

* D_j(u) ≤ M·D₁(u + j − 1), because 1 − e^(−M·d) ≤ M·(1 − e^(−d)) (Bernoulli).  For c = u − ½ ≥ 0,
  D_j(u) < (3/16)·j²/(c + j/2), as τ/(c + τ) grows with τ, and D₁(u + j − 1) ≥ ⅛·ψ′(c + j)
  > ⅛/(c + j), as ψ′ is convex.  That is enough if c·(5j² − 8j + 2) + j·(j² − 4j + 1) ≥ 0.
* M·(1 − e^(−D₁(u+j−1))) ≥ 1, as the left side is at most 1.  With s = u + j − 1 the bracket is
  1 − G(s) > 1/(8s + 2), G(s)² < s/(s + ¼) as in :mod:`dpaudit_proofs.laplace_growth`.

For j ≥ 4 the first covers u ≥ ½ and the second u ≤ ½; for j = 3 the first u ≥ ⅞, the second u ≤ ⅞.
For j = 2, where 2j − 1 = 3 is nearly attained (u → 0, b → ∞: 1 against 1.012), the affinities are
algebraic or bounded by G² < s/(s + ¼), and a polynomial in u and b remains.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import exp

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.real import ONE, real
from dpaudit_proofs.definitions import local_sensitivity, number, posterior_distance
from dpaudit_proofs.laplace_accuracy import TAIL
from dpaudit_proofs.laplace_growth import BELOW_ONE_QUARTER, RECURRENCE
from dpaudit_proofs.laplace_outputs import EPSILON, FARTHER, mass, mass_again
from dpaudit_proofs.typed_rounded import QUANTILE, WHOLE

if TYPE_CHECKING:
    from dpaudit.numbers.ball import Ball

__all__ = ["AWAY_FROM_ONE", "CLAIMS", "REACH", "TELESCOPES", "TWO_STEPS"]

FLAT = (Fraction(1), Fraction(1))
_BINARY = "k = 2 categories, all n ≥ 1, priors α > 0, x (edges included), ε > 0, 0 < γ < 1"


def _two_steps() -> Counterexample:
    x, one_up, one_down, two_up = (3, 2), (4, 1), (2, 3), (5, 0)

    def margin() -> Ball:
        metric = HellingerMetric(FLAT)
        worst = metric.between(x, one_up).max(metric.between(x, one_down))
        return metric.between(x, two_up) - 2 * worst

    return Counterexample(
        title="two steps can be farther than 2·LS(x): LS grows towards the edge",
        parameters={"prior": "(1,1)", "n": "5", "x": "(3,2)", "j": "2"},
        shows="H(x, (5,0)) > 2·LS(x)",
        margin=margin,
        again=lambda: posterior_distance(FLAT, x, two_up) - 2 * local_sensitivity(FLAT, x),
    )


def _half_a_step() -> Counterexample:
    x, near = (2, 2), ((1, 3), (2, 2), (3, 1))
    return Counterexample(
        title="at K = 3/2: x and its two neighbours, at the distance LS(x), are not likely enough",
        parameters={"prior": "(1,1)", "n": "4", "x": "(2,2)", "ε": EPSILON, "γ": "e^(−3ε/2)"},
        shows="1 − γ > P[H ≤ LS(x)] = P[LSHist(x) ∈ {(1,3), (2,2), (3,1)}]",
        margin=lambda: ONE - real("exp(-6/5)") - mass(x, near),
        again=lambda: 1 - exp(number("-6/5")) - mass_again(x, near),
    )


def _two_step_affinity() -> list[Any]:
    from sympy import gamma, symbols

    s = symbols("s", positive=True)
    return [gamma(s + 1) ** 2 / (gamma(s) * gamma(s + 2)), s / (s + 1)]


TWO_STEPS = OrthantCertificate(
    title="j = 2: 81·A₁² ≤ 64 + 17·A₂² ≤ (8 + A₂)², A₁² ≤ (u + 1)(u + 2)²/((u + 3/2)²(u + 9/4))"
    "·b/(b + ¼), A₂² = u·b/((u + 1)(b + 1)); so 1 − A₂ ≤ 9·(1 − A₁)",
    positive="(64*(u + 1)*(b + 1) + 17*u*b)*(u + 3/2)^2*(u + 9/4)*(b + 1/4) "
    "- 81*(u + 1)^2*(u + 2)^2*b*(b + 1)",
    shift={"u": "u", "b": "b"},
    strict=False,
)

AWAY_FROM_ONE = SMTProof(
    title="1 − G(s) ≥ 1/(8s + 2) from G(s)² ≤ s/(s + ¼), with d = 1 − G",
    role=Role.LEMMA,
    hypotheses=("s > 0", "0 <= d and d <= 1", "(1 - d)^2*(4*s + 1) <= 4*s"),
    goal="d*(8*s + 2) >= 1",
)

TELESCOPES = SMTProof(
    title="1/z² lies between 1/z − 1/(z + 1) and 1/(z − ½) − 1/(z + ½), z = s + i",
    role=Role.LEMMA,
    hypotheses=("z > 0",),
    goal="z^2 < z*(z + 1) and z^2 > (z - 1/2)*(z + 1/2)",
)

REACH = (
    TWO_STEPS,
    Identity(
        title="the affinity of two steps is algebraic: A₂² is the product of this at u and at b",
        role=Role.LEMMA,
        chain=_two_step_affinity,
        shown=("Γ(s + 1)²/(Γ(s)·Γ(s + 2))", "s/(s + 1)"),
    ),
    RECURRENCE,
    BELOW_ONE_QUARTER,
    SumOfProducts(
        title="(8 + A₂)² ≥ 64 + 17·A₂² for 0 ≤ A₂ ≤ 1",
        role=Role.LEMMA,
        goal="(8 + A)^2 - 64 - 17*A^2",
        hypotheses=("A", "1 - A"),
        products=(("16", ("A", "1 - A")),),
    ),
    OrthantCertificate(
        title="j ≥ 4, u ≥ ½: D_j(u) ≤ (2j − 1)²·D₁(u + j − 1), c = u − ½",
        role=Role.LEMMA,
        positive="(2*j - 1)^2*(2*c + j) - 3*j^2*(c + j)",
        shift={"c": "c", "j": "4 + i"},
    ),
    OrthantCertificate(
        title="j ≥ 4, u ≤ ½: (2j − 1)²·(1 − G(u + j − 1)) ≥ 1",
        role=Role.LEMMA,
        positive="(2*j - 1)^2 - 8*(1/2 + j - 1) - 2",
        shift={"j": "4 + i"},
    ),
    OrthantCertificate(
        title="j = 3, u ≥ ⅞: D₃(u) ≤ 25·D₁(u + 2), c = u − ½ ≥ ⅜",
        role=Role.LEMMA,
        positive="25*(2*c + 3) - 27*(c + 3)",
        shift={"c": "3/8 + s"},
    ),
    SMTProof(
        title="j = 3, u ≤ ⅞: 25·(1 − G(u + 2)) ≥ 1",
        role=Role.LEMMA,
        hypotheses=("0 < u and 8*u <= 7",),
        goal="25 >= 8*(u + 2) + 2",
    ),
    AWAY_FROM_ONE,
    TELESCOPES,
)

CLAIMS = (
    Claim(
        id="thm-4.3",
        source="A Thm 4.3",
        statement="ELap(x)/max_{|k| ≤ lg(1/γ)/ε} H(Beta(α, β), Beta(α + k, n − ⌊α + k⌋)) is at "
        "most Σ_{|k| ≤ lg(1/γ)/ε} LS(x)/LS(x), which is to give a constant upper bound",
        domain="k = 2, all n, x, ε, γ",
        ambiguous="The display starts with ≤ and nothing to the left of it, its fractions are not "
        "told apart, the summand does not depend on the index k (a real number, as Beta(α + k, …) "
        "has it), and the distribution in the maximum is no candidate (cor-4.4.1-notation).",
        readings=(
            "As printed, with LSHist's output for noise k in the maximum, lg = ln, ELap the "
            "infimum and the sum over whole k: true but empty. ELap(x) is at most the maximum "
            "(thm-4.3-quantile), so the quotient is ≤ 1 and the sum counts k = 0 at least. Nothing "
            "relates either to LS(x).",
            "As a chain over LS(x), ELap(x)/LS(x) ≤ max/LS(x) ≤ Σ LS(x)/LS(x) over whole k: true, "
            "thm-4.3-quantile and thm-4.3-sum. The bound 2⌊ln(1/γ)/ε⌋ + 1 does not depend on n, x "
            "or the prior; it is a constant only for fixed ε and γ.",
            "The same with one LS(x) for each step, H(x, x±j) ≤ j·LS(x), as the reason: false, "
            "thm-4.3-steps; the steps towards the edge are longer than LS(x).",
            "The same with a maximum over whole k only, which leaves out the step that the floor "
            "adds downwards: its first ≤ is false (thm-4.3-whole), its second true.",
        ),
        evidence=(replace(_two_steps(), role=Role.ILLUSTRATES),),
    ),
    Claim(
        id="thm-4.3-quantile",
        typed=QUANTILE,
        source="A Thm 4.3, read as ELap(x) ≤ max over the noise",
        step_of="thm-4.3",
        statement="ELap(x) is at most the largest distance of LSHist's output for noise "
        "|k| ≤ ln(1/γ)/ε",
        formula="inf{s : P[H(DirP(x), LSHist(x)) < s] ≥ 1 − γ} ≤ max{H(x, output for Y = k) : k "
        "real, |k| ≤ ln(1/γ)/ε}",
        domain=_BINARY,
        evidence=(
            SMTProof(
                title="P[H < s] ≥ P[|Y| ≤ ln(1/γ)/ε] = 1 − γ for every s above the maximum",
                hypotheses=("P >= Q", "Q == 1 - T", "T == g"),
                goal="P >= 1 - g",
            ),
            replace(TAIL, role=Role.LEMMA),
        ),
        derivation="|Y| ≤ ln(1/γ)/ε puts the output among those of the maximum, so the event lies "
        "in {H < s}; its probability is 1 − e^(−ln(1/γ)) = 1 − γ (the tail, at b = ln(1/γ)). A "
        "smaller base of lg makes the bound larger (lg = log₂ is true too).",
    ),
    Claim(
        id="thm-4.3-whole",
        typed=WHOLE,
        holds_on=("K == J",),
        points=(
            {"a": "1", "b": "1", "eps": "1", "K": "3/2", "s": "1/2", "n": "4", "c": "2", "J": "1"},
        ),
        source="A Thm 4.3, the same with whole k",
        step_of="thm-4.3",
        statement="the same with the maximum over whole k, |k| ≤ ln(1/γ)/ε, the output for noise k "
        "being k steps away",
        formula="inf{s : P[H(DirP(x), LSHist(x)) < s] ≥ 1 − γ} ≤ max{H(x, x+k) : k ∈ ℤ, |k| ≤ "
        "ln(1/γ)/ε, x+k a dataset}",
        domain=_BINARY,
        evidence=(
            _half_a_step(),
            FARTHER,
            SumOfProducts(
                title="where J = ln(1/γ)/ε is whole, P(−J ≤ Y < J + 1) = 1 − ½(γ + tγ) ≥ 1 − γ",
                domain="ln(1/γ)/ε whole",
                goal="g - (g + t*g)/2",
                hypotheses=("g", "1 - t"),
                products=(("1/2", ("g", "1 - t")),),
            ),
        ),
        derivation="At balanced data all other candidates are farther than LS(x), so every s just "
        "above the maximum LS(x) has P[H < s] < 1 − γ. LSHist rounds down: of |Y| ≤ K the "
        "outputs are −⌈K⌉, …, ⌊K⌋ steps away.",
        repaired="With −⌈K⌉ ≤ k ≤ ⌊K⌋, K = ln(1/γ)/ε.",
    ),
    Claim(
        id="thm-4.3-steps",
        typed=forall(
            "real a b, natural n c j",
            "a > 0",
            "b > 0",
            "j >= 1",
            "n >= 1",
            "c + j <= n",
            holds="H((a + c, b + n - c), (a + c + j, b + n - c - j)) <= j*LS((a, b), (c, n - c))",
        ),
        points=({"a": "1", "b": "1", "n": "5", "c": "3", "j": "2"},),
        source="A Thm 4.3, the summands LS(x), read as one for each step",
        step_of="thm-4.3",
        statement="j steps take the posterior at most j·LS(x) away",
        formula="∀ j ≥ 1: H(x, x±j) ≤ j·LS(x)",
        domain="k = 2, all n ≥ 1, priors α > 0, x, and j for which x ± j is a dataset",
        evidence=(_two_steps(),),
        derivation="LS(x) is the larger of the two distances one step away; the steps beyond, "
        "towards the edge, are longer still (I-general).",
        repaired="H(x, x±j) ≤ (2j − 1)·LS(x): thm-4.3-reach.",
    ),
    Claim(
        id="thm-4.3-reach",
        source="new; A Thm 4.3",
        statement="j steps take the posterior at most (2j − 1)·LS(x) away",
        formula="∀ j ≥ 1: H(x, x±j) ≤ (2j − 1)·LS(x)",
        domain="k = 2, all n ≥ 1, priors α > 0, x, and j for which x ± j is a dataset",
        evidence=REACH,
        derivation="j = 1 is a neighbour. For j ≥ 2 see the module's text: M·(1 − e^(−d)) ≥ "
        "1 − e^(−M·d) for M ≥ 1 is Bernoulli's (1 − y)^M ≥ 1 − M·y at y = 1 − e^(−d); D_j(b) ≤ "
        "j²·D₁(b) by τ = jσ and because ψ′ falls; with ψ′(u + τ) < 1/(c + τ) the first half of the "
        "integral is at most (j/2)·(j/2)/(c + j/2) and the second at most (j²/8)/(c + j/2). For "
        "j = 2, LS(x)² ≥ 1 − A₁ and H² = 1 − A₂, and A₁ = G(u + 1)·G(b) with G(u + 1)² = "
        "G(u + 2)²·(u + 1)(u + 2)/(u + 3/2)² ≤ (u + 1)(u + 2)²/((u + 3/2)²(u + 9/4)).",
    ),
    Claim(
        id="thm-4.3-sum",
        source="A Thm 4.3, read as max over the noise ≤ Σ LS(x)",
        step_of="thm-4.3",
        statement="the largest distance of LSHist's output for noise |k| ≤ K = ln(1/γ)/ε is at "
        "most one LS(x) for each whole k with |k| ≤ K",
        formula="max{H(x, output for Y = k) : k real, |k| ≤ K} ≤ Σ_{k ∈ ℤ, |k| ≤ K} LS(x) = "
        "(2⌊K⌋ + 1)·LS(x)",
        domain=_BINARY,
        evidence=(
            *REACH,
            SMTProof(
                title="the output is at most J = ⌈K⌉ ≤ F + 1 steps away, F = ⌊K⌋: 2J − 1 ≤ 2F + 1",
                role=Role.LEMMA,
                hypotheses=("F <= K and K < F + 1", "J >= K and J < K + 1", "J <= F + 1"),
                goal="2*J - 1 <= 2*F + 1",
            ),
        ),
        derivation="The floor of k is between −⌈K⌉ and ⌊K⌋, and clamping moves the output no "
        "farther away; so it is x (H = 0) or 1 ≤ j ≤ ⌈K⌉ ≤ ⌊K⌋ + 1 steps away, and thm-4.3-reach "
        "gives (2j − 1)·LS(x). With thm-4.3-quantile ELap(x) ≤ (2⌊ln(1/γ)/ε⌋ + 1)·LS(x): thm-4.1 "
        "for k = 2, with this constant.",
    ),
)

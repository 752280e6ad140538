"""What A §4 concludes from its error measure for k = 2: Theorem 4.2, step by step.

LSHist at x prints ⌊c₁ + Y⌋ clamped, Y ~ Lap(1/ε); with t = e^(−ε) the outputs x, x + 1 and x − 1
have, away from the edges, the probabilities ½(1 − t), ½(t − t²) and ½(1 − t).  The floor makes the
law lopsided: one step down is as likely as none, one step up is not.

ELap(x) is a quantile of H(x, LSHist(x)): inf{s : P(H < s) ≥ 1 − γ}.  P(H < s) counts the outputs
*below* s, so it jumps just behind a distance that is attained and never at it: whatever s has
P(H < s) ≥ 1 − γ, some smaller s′ has it too.  "<" where "≤" is meant is also what is wrong with
the first step of Theorem 4.2: at s = LS(x) the neighbour that attains LS(x) is left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import ONE, real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.derived_noise import LOOSER
from dpaudit_proofs.laplace_accuracy import BELOW, STAYS_NEAR, WITHIN
from dpaudit_proofs.laplace_growth import ABOVE_ONE_HALF, RECURRENCE
from dpaudit_proofs.laplace_outputs import (
    BALANCED_LOW,
    FARTHER,
    HIGH,
    NEARER,
    TIE,
    closer_again,
    closer_than_ls,
    decay,
    decay_again,
    mass,
    mass_again,
    parameters,
)
from dpaudit_proofs.typed_refuted import REFUTED
from dpaudit_proofs.typed_rounded import NEAREST

if TYPE_CHECKING:
    from dpaudit.data.histograms import Counts

__all__ = ["CLAIMS"]


def _too_rare(title: str, x: Counts) -> Counterexample:
    half = real("1/2")
    return Counterexample(
        title=title,
        parameters=parameters(x),
        shows="1 − ½(e^(−ε) + e^(−2ε)) > P[H(DirP(x), LSHist(x)) < LS(x)]",
        margin=lambda: ONE - half * (decay(1) + decay(2)) - mass(x, closer_than_ls(x)),
        again=lambda: 1 - (decay_again(1) + decay_again(2)) / 2 - mass_again(x, closer_again(x)),
    )


def _zero_at_the_edge() -> Counterexample:
    x = (0, 4)
    return Counterexample(
        title="at the edge (0,4) no step at all is likely enough: ELap(x) = 0",
        parameters=parameters(x, γ="e^(−ε)"),
        shows="P[H = 0] > 1 − e^(−ε)",
        margin=lambda: mass(x, (x,)) - (ONE - decay(1)),
        again=lambda: mass_again(x, (x,)) - (1 - decay_again(1)),
    )


_BINARY = "k = 2 categories, all n ≥ 2, priors α > 0, x, ε > 0"
_LEFT = "2 ≤ a < b (left of balance, prior ≥ 1) and 1 ≤ c₁ ≤ n − 2, all ε > 0"

_LEFT_LOW = SumOfProducts(
    title="P[H < LS] = ½(1 − t²) < 1 − t, of x and x + 1: no s ≤ LS(x) will do",
    domain=_LEFT,
    goal="(1 - t) - (1 - t^2)/2",
    hypotheses=("1 - t",),
    products=(("1/2", ("1 - t", "1 - t")),),
    strict=True,
    positive=("1 - t",),
)

_TWO_TO_THE_CENTRE = (
    RECURRENCE,
    ABOVE_ONE_HALF,
    OrthantCertificate(
        title="G(a − 1)² > (a − 1)/(a − ½) ≥ a/(a + 1) for a ≥ 2",
        role=Role.LEMMA,
        positive="(a - 1)*(a + 1) - a*(a - 1/2)",
        shift={"a": "2 + s"},
        strict=False,
    ),
    OrthantCertificate(
        title="G(b)² > b/(b + ½) > (b − 2)/(b − 1) for b > 2",
        role=Role.LEMMA,
        positive="b*(b - 1) - (b - 2)*(b + 1/2)",
        shift={"b": "2 + s"},
    ),
)


CLAIMS = (
    Claim(
        id="thm-4.1-minimum",
        source="A Thm 4.1, the definition of ELap; A Thm 4.3, Cor. 4.4.1",
        statement="there is a smallest t with P[H(DirP(x), LSHist(x)) < t] ≥ 1 − γ",
        formula="ELap(x) = min{t : P[H(DirP(x), LSHist(x)) < t] ≥ 1 − γ} exists",
        domain="k = 2, all n ≥ 1, priors α > 0, x, ε > 0, 0 < γ < 1",
        step_of="thm-4.1",
        evidence=(
            Counterexample(
                title="at (3,1) every t > h = H(x, (2,2)) will do, and h will not",
                parameters=parameters((3, 1), γ="e^(−ε)"),
                shows="1 − γ > P[H < h] = P[LSHist(x) = x]",
                margin=lambda: ONE - decay(1) - mass((3, 1), ((3, 1),)),
                again=lambda: 1 - decay_again(1) - mass_again((3, 1), ((3, 1),)),
            ),
            TIE,
            replace(NEARER, title="of the two neighbours (2,2) is the nearer", role=Role.LEMMA),
            FARTHER,
            SMTProof(
                title="if t will do and h < t is the largest distance attained below t, (h + t)/2 "
                "will do",
                role=Role.LEMMA,
                hypotheses=("h < t", "2*s == h + t"),
                goal="h < s and s < t",
            ),
        ),
        repaired="ELap(x) = inf{t : P[H < t] ≥ 1 − γ} = min{t : P[H ≤ t] ≥ 1 − γ}.",
        derivation="At (3,1) only x itself is closer than (2,2): (4,0) and, by the certificate, "
        "(1,3) and (0,4) are farther. The minimum never exists: P[H < s] = P[H < t] for s between "
        "h and t, and some distance h ≥ 0 is attained below t because P[H < t] ≥ 1 − γ > 0. "
        "“arg(min …)” and “arg min_t” of a set of conditions on t have no meaning of their own; "
        "the infimum is what the proofs use.",
    ),
    Claim(
        id="thm-4.2",
        source="A Thm 4.2",
        statement="ELap(x)/(ε·LS(x)) is O(ε)",
        formula="∃ C ∀ ε > 0, n ≥ 2, x: ELap(x)/(ε·LS(x)) ≤ C·ε at γ = e^(−ε)",
        domain=_BINARY,
        evidence=(
            Counterexample(
                title="the quotient 1/ε that the proof arrives at, against C = 100",
                parameters={"n": "2", "x": "(1,1)", "ε": "1/101", "C": "100"},
                shows="1/ε > C·ε",
                margin=lambda: ONE / real("1/101") - real(100) * real("1/101"),
                again=lambda: 1 / number("1/101") - 100 * number("1/101"),
            ),
            OrthantCertificate(
                title="for every C ≥ 0: 1/ε > C·ε at ε = 1/(C + 1), multiplied by C + 1",
                role=Role.REFUTES,
                positive="(C + 1)^2 - C",
                shift={"C": "C"},
            ),
            replace(BALANCED_LOW, role=Role.LEMMA, domain=""),
        ),
        repaired="ELap(x)/(ε·LS(x)) ≤ 1/ε at γ = e^(−ε), for every n, x and prior (thm-4.2-upper): "
        "it is O(1) in n and O(1/ε) in ε.",
        derivation="At the balanced x = (1,1) both neighbours are at the distance LS(x), so P[H < "
        "LS(x)] = ½(1 − e^(−ε)) < 1 − γ (the products) and ELap(x) ≥ LS(x): the quotient is 1/ε, "
        "which no C·ε bounds as ε → 0. Away from 0, for ε ≥ ε₀, 1/ε ≤ ε/ε₀² is true. If "
        "ε is held fixed and n alone varies, as Thm 4.1 has it, O(ε) says no "
        "more than O(1), and that is true.",
    ),
    Claim(
        id="thm-4.2-strict",
        **REFUTED["thm-4.2-strict"],
        source="A Thm 4.2, proof, ≥",
        statement="LSHist lands strictly within LS(x) with probability at least "
        "1 − ½(e^(−ε) + e^(−2ε))",
        formula="P[H(DirP(x), LSHist(x)) < LS(x)] ≥ 1 − ½(e^(−ε) + e^(−2ε))",
        domain=_BINARY,
        step_of="thm-4.2",
        evidence=(
            _too_rare("away from the edges: the neighbour that attains LS is left out", (3, 1)),
            _too_rare("at the edge, where half of the noise leaves x", (4, 0)),
            SumOfProducts(
                title="balanced data: 1 − ½(t + t²) > ½(1 − t) = P[H < LS] for every ε",
                role=Role.LEMMA,
                goal="1 - (t + t^2)/2 - (1 - t)/2",
                hypotheses=("1 - t", "1 + t"),
                products=(("1/2", ("1 - t", "1 + t")),),
                strict=True,
                positive=("1 - t", "1 + t"),
            ),
            SumOfProducts(
                title="at x = (0, n) it holds: P[H = 0] = P(Y < 1) = 1 − ½t",
                role=Role.LEMMA,
                goal="(1 - t/2) - (1 - (t + t^2)/2)",
                hypotheses=("t",),
                products=(("1/2", ("t", "t")),),
            ),
        ),
        repaired="P[H ≤ LS(x)] ≥ 1 − ½(e^(−ε) + e^(−2ε)), with ≤ as in Cor. 4.4.1 "
        "(cor-4.4.1-probability). The strict form holds at x = (0, n), where P[H = 0] = "
        "1 − ½e^(−ε).",
        derivation="Some neighbour attains LS(x), so {H < LS(x)} does not contain all three steps "
        "−1, 0, 1. At balanced data both neighbours attain it and only x itself is left.",
    ),
    Claim(
        id="thm-4.2-looser",
        typed=forall(
            "real eps",
            "eps > 0",
            holds="1 - (exp(-eps) + exp(-2*eps))/2 > 1 - exp(-eps)",
        ),
        source="A Thm 4.2, proof, >; A Cor. 4.5.3, proof",
        statement="1 − ½(e^(−ε) + e^(−2ε)) > 1 − e^(−ε)",
        formula="∀ ε > 0: 1 − ½(e^(−ε) + e^(−2ε)) > 1 − e^(−ε)",
        domain="all ε > 0",
        step_of="thm-4.2",
        evidence=(
            LOOSER,
            BELOW,
        ),
        derivation="With t = e^(−ε) ∈ (0, 1) the difference is t − ½(t + t²) = ½t(1 − t).",
    ),
    Claim(
        id="thm-4.2-upper",
        typed=NEAREST,
        source="A Thm 4.2, proof, last display, read as ≤",
        statement="at γ = e^(−ε) the quotient ELap(x)/(ε·LS(x)) is at most 1/ε",
        formula="inf{t : P[H < t] ≥ 1 − e^(−ε)} ≤ LS(x)",
        domain="k = 2 categories, all n ≥ 1, priors α > 0, x (edges included), ε > 0",
        step_of="thm-4.2",
        evidence=(replace(HIGH, role=Role.PROVES), STAYS_NEAR, WITHIN),
        derivation="For every s > LS(x), P[H < s] ≥ P[H ≤ LS(x)] ≥ P(−1 ≤ Y < 2) "
        "(cor-4.4.1-probability).",
    ),
    Claim(
        id="thm-4.2-equality",
        source="A Thm 4.2, proof, last display",
        statement="at γ = e^(−ε) the quotient ELap(x)/(ε·LS(x)) equals 1/ε, that is ELap(x) = "
        "LS(x)",
        formula="inf{t : P[H < t] ≥ 1 − e^(−ε)} = LS(x)",
        domain=_BINARY,
        step_of="thm-4.2",
        evidence=(
            TIE,
            NEARER,
            _zero_at_the_edge(),
            BALANCED_LOW,
            _LEFT_LOW,
            HIGH,
            *_TWO_TO_THE_CENTRE,
            FARTHER,
        ),
        repaired="ELap(x) ≤ LS(x) for all x (thm-4.2-upper); for the prior (1,1) with equality at "
        "all 1 ≤ c₁ ≤ n/2.",
        derivation="Every s > LS(x) will do (thm-4.2-upper); the question is what is closer than "
        "LS(x). Where a = b both neighbours are at the distance LS(x) (steps-distance) and all "
        "other candidates farther, so {H < LS(x)} = {x}, of probability ½(1 − t). Farther: the "
        "square of A(j + 1)/A(j), A(j) the affinity 1 − H² of (a, b) and (a + j, b − j), is at "
        "most (a + j/2)(b − j − 1)/((a + j)(b − j/2 − 1)), because w − ½ ≤ (Γ(w + ½)/Γ(w))² ≤ w "
        "(Γ is log-convex) at w = a + j/2 for the upper and w = b − (j + 1)/2 for the lower bound; "
        "the certificate shows that this is below 1 (b > j + 1, as j + 1 steps exist). Left of "
        "balance LS(x) = H(x, x−1) > H(x, x+1) (I-general), and x + 2 is farther than x − 1: its "
        "squared affinity is a/(a + 1)·(b − 2)/(b − 1), that of x − 1 is G(a − 1)²·G(b)², with "
        "s/(s + ½) < G(s)² = Γ(s + ½)²/(Γ(s)Γ(s + 1)). So {H < LS(x)} = {x, x + 1}, of probability "
        "½(1 − t) + ½(t − t²). Right of balance x and the nearer neighbour x − 1 already have "
        "probability ½(1 − t) + ½(1 − t) = 1 − γ: no equality there for any ε. At c₁ = 0 ELap is "
        "0, at c₁ = n it is LS(x) for ε > ln 2 and 0 otherwise.",
    ),
)

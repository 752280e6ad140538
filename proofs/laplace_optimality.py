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

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.bayes.dirichlet import HellingerMetric
from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.claims.smt import SMTProof
from dpaudit.data.histograms import Histograms
from dpaudit.exact.ball import Sign, sign
from dpaudit.exact.real import ONE, ZERO, Real, real
from dpaudit.mechanisms.laplace_histogram import LSHist
from proofs.definitions import candidates, local_sensitivity, neighbours, number, posterior_distance
from proofs.laplace_accuracy import BELOW

if TYPE_CHECKING:
    from collections.abc import Collection

    from dpaudit.data.histograms import Counts
    from dpaudit.exact.ball import Ball

__all__ = ["CLAIMS", "FARTHER", "closer_than_ls", "mass", "mass_again"]

FLAT = (Fraction(1), Fraction(1))
EPSILON = "4/5"


def mass(x: Counts, outputs: Collection[Counts]) -> Real:
    """Return P(LSHist(x) ∈ outputs) in closed form."""
    law = LSHist.build({"epsilon": EPSILON, "prior": FLAT}).laws().law(x)
    total = ZERO
    for r in outputs:
        exact = law.probability(r).exact
        assert exact is not None, "the laws of rounded Laplace noise have closed forms"
        total += exact
    return total


def mass_again(x: Counts, outputs: Collection[Counts]) -> Any:
    """Return the same from the distribution function of the noise, in mpmath."""
    from mpmath import exp, inf, mpf

    n, epsilon = sum(x), number(EPSILON)

    def below(y: Any) -> Any:
        return exp(epsilon * y) / 2 if y <= 0 else 1 - exp(-epsilon * y) / 2

    def interval(m: int) -> Any:
        low, high = -inf if m == 0 else m - x[0], inf if m == n else m + 1 - x[0]
        return below(mpf(high)) - below(mpf(low))

    return sum(interval(m) for m, _ in outputs)


def closer_than_ls(x: Counts) -> list[Counts]:
    """Return the candidates with H(x, r) < LS(x), each comparison certain.

    LS(x) is the largest distance to a neighbour, so r is closer exactly if some neighbour other
    than r itself is farther away than r.
    """
    metric, n = HellingerMetric(FLAT), sum(x)

    def farther(y: Counts, r: Counts) -> bool:
        found = sign(metric.between(x, y) - metric.between(x, r))
        if found is Sign.UNDECIDED:
            raise ArithmeticError(f"{y} and {r} are not told apart by their distance from {x}")
        return found is Sign.POSITIVE

    near = [tuple(y) for y in neighbours(x)]
    return [r for r in Histograms(n, 2) if any(y != r and farther(y, r) for y in near)]


def _closer_again(x: Counts) -> list[Counts]:
    from mpmath import mpf

    worst = local_sensitivity(FLAT, x) - mpf("1e-30")
    return [r for r in candidates(sum(x), 2) if posterior_distance(FLAT, x, r) < worst]


def _parameters(x: Counts, **others: str) -> dict[str, str]:
    return {"prior": "(1,1)", "n": str(sum(x)), "x": "({},{})".format(*x), "ε": EPSILON, **others}


def _decay(power: int) -> Real:
    return (real(-power) * real(EPSILON)).exp()


def _decay_again(power: int) -> Any:
    from mpmath import exp

    return exp(-power * number(EPSILON))


def _too_rare(title: str, x: Counts) -> Counterexample:
    half = real("1/2")
    return Counterexample(
        title=title,
        parameters=_parameters(x),
        shows="1 − ½(e^(−ε) + e^(−2ε)) > P[H(DirP(x), LSHist(x)) < LS(x)]",
        margin=lambda: ONE - half * (_decay(1) + _decay(2)) - mass(x, closer_than_ls(x)),
        again=lambda: 1 - (_decay_again(1) + _decay_again(2)) / 2 - mass_again(x, _closer_again(x)),
    )


def _nearer_neighbour() -> tuple[Fact, Counterexample]:
    """At x = (3, 1) the outputs x and (2, 2) alone have probability 1 − e^(−ε)."""
    x, near, far = (3, 1), (2, 2), (4, 0)

    def margin() -> Ball:
        metric = HellingerMetric(FLAT)
        return metric.between(x, far) - metric.between(x, near)

    tie = Fact(
        title="at (3,1), zero or one step down already has probability 1 − γ, exactly",
        role=Role.LEMMA,
        parameters=_parameters(x, γ="e^(−ε)"),
        shows="P[LSHist(x) ∈ {(3,1), (2,2)}] = 1 − e^(−ε)",
        margin=lambda: mass(x, (x, near)) - (ONE - _decay(1)),
        again=lambda: mass_again(x, (x, near)) - (1 - _decay_again(1)),
        tie=True,
    )
    nearer = Counterexample(
        title="and that neighbour is nearer than the other: ELap(x) ≤ H(x, (2,2)) < LS(x)",
        parameters=_parameters(x, γ="e^(−ε)"),
        shows="LS(x) = H(x, (4,0)) > H(x, (2,2))",
        margin=margin,
        again=lambda: local_sensitivity(FLAT, x) - posterior_distance(FLAT, x, near),
    )
    return tie, nearer


def _zero_at_the_edge() -> Counterexample:
    x = (0, 4)
    return Counterexample(
        title="at the edge (0,4) no step at all is likely enough: ELap(x) = 0",
        parameters=_parameters(x, γ="e^(−ε)"),
        shows="P[H = 0] > 1 − e^(−ε)",
        margin=lambda: mass(x, (x,)) - (ONE - _decay(1)),
        again=lambda: mass_again(x, (x,)) - (1 - _decay_again(1)),
    )


FARTHER = OrthantCertificate(
    title="(a + j/2)(b − j − 1) < (a + j)(b − j/2 − 1): j + 1 steps are farther than j, j ≥ 1",
    role=Role.LEMMA,
    positive="(a + j)*(b - j/2 - 1) - (a + j/2)*(b - j - 1)",
    shift={"a": "a", "j": "j", "b": "j + 1 + s"},
    positive_variables=("a", "j"),
)

_BALANCED = "posterior parameters a = b and 1 ≤ c₁ ≤ n − 1, all ε > 0 (balanced data, flat prior)"
_BINARY = "k = 2 categories, all n ≥ 2, priors α > 0, x, ε > 0"
_TIE, _NEARER = _nearer_neighbour()

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
                parameters=_parameters((3, 1), γ="e^(−ε)"),
                shows="1 − γ > P[H < h] = P[LSHist(x) = x]",
                margin=lambda: ONE - _decay(1) - mass((3, 1), ((3, 1),)),
                again=lambda: 1 - _decay_again(1) - mass_again((3, 1), ((3, 1),)),
            ),
            _TIE,
            SMTProof(
                title="if t will do and h < t is the largest distance attained below t, (h + t)/2 "
                "will do",
                role=Role.LEMMA,
                hypotheses=("h < t", "2*s == h + t"),
                goal="h < s and s < t",
            ),
        ),
        repaired="ELap(x) = inf{t : P[H < t] ≥ 1 − γ} = min{t : P[H ≤ t] ≥ 1 − γ}.",
        derivation="It never exists: P[H < s] = P[H < t] for s between h and t, and some distance "
        "h ≥ 0 is attained below t because P[H < t] ≥ 1 − γ > 0. “arg(min …)” and “arg min_t” of a "
        "set of conditions on t have no meaning of their own; the infimum is what the proofs use.",
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
        ),
        repaired="ELap(x)/(ε·LS(x)) ≤ 1/ε at γ = e^(−ε), for every n, x and prior: it is O(1) in n "
        "and O(1/ε) in ε.",
        derivation="At balanced data the quotient is exactly 1/ε (thm-4.2-equality), which no C·ε "
        "bounds as ε → 0. If ε is held fixed and n alone varies, as Thm 4.1 has it, O(ε) says no "
        "more than O(1), and that is true.",
    ),
    Claim(
        id="thm-4.2-strict",
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
        ),
        repaired="P[H ≤ LS(x)] ≥ 1 − ½(e^(−ε) + e^(−2ε)), with ≤ as in Cor. 4.4.1 "
        "(cor-4.4.1-probability). The strict form holds at x = (0, n), where P[H = 0] = "
        "1 − ½e^(−ε).",
        derivation="Some neighbour attains LS(x), so {H < LS(x)} does not contain all three steps "
        "−1, 0, 1. At balanced data both neighbours attain it and only x itself is left.",
    ),
    Claim(
        id="thm-4.2-looser",
        source="A Thm 4.2, proof, >; A Cor. 4.5.3, proof",
        statement="1 − ½(e^(−ε) + e^(−2ε)) > 1 − e^(−ε)",
        formula="∀ ε > 0: 1 − ½(e^(−ε) + e^(−2ε)) > 1 − e^(−ε)",
        domain="all ε > 0",
        step_of="thm-4.2",
        evidence=(BELOW,),
        derivation="With t = e^(−ε) ∈ (0, 1) the difference is t − ½(t + t²) = ½t(1 − t).",
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
            _TIE,
            _NEARER,
            _zero_at_the_edge(),
            SumOfProducts(
                title="P[H < LS] = ½(1 − t) < 1 − t = 1 − γ: no s ≤ LS(x) will do",
                domain=_BALANCED,
                goal="(1 - t) - (1 - t)/2",
                hypotheses=("1 - t",),
                products=(("1/2", ("1 - t",)),),
                strict=True,
                positive=("1 - t",),
            ),
            SumOfProducts(
                title="P[H ≤ LS] ≥ 1 − ½(t + t²) > 1 − t: every s > LS(x) will do",
                domain=_BALANCED,
                goal="1 - (t + t^2)/2 - (1 - t)",
                hypotheses=("t", "1 - t"),
                products=(("1/2", ("t", "1 - t")),),
                strict=True,
                positive=("t", "1 - t"),
            ),
            FARTHER,
        ),
        repaired="ELap(x) ≤ LS(x) for all x, with equality at balanced data.",
        derivation="Where a = b both neighbours are at the distance LS(x) (steps-distance) and all "
        "other candidates farther, so {H < LS(x)} = {x}, of probability ½(1 − t). Farther: the "
        "square of A(j + 1)/A(j), A(j) the affinity 1 − H² of (a, b) and (a + j, b − j), is at "
        "most (a + j/2)(b − j − 1)/((a + j)(b − j/2 − 1)), because w − ½ ≤ (Γ(w + ½)/Γ(w))² ≤ w "
        "(Γ is log-convex) at w = a + j/2 for the upper and w = b − (j + 1)/2 for the lower bound; "
        "the certificate shows that this is below 1 (b > j + 1, as j + 1 steps exist). Right of "
        "balance x and the nearer neighbour x − 1 already have probability ½(1 − t) + ½(1 − t).",
    ),
)

"""The printed proof of the dilation property of Laplace noise (D §4.1), step by step.

h(z) = ½·e^(−|z|), h′(z) = e^λ·h(e^λ·z), P(z ∈ e^λ·S) = ∫_S h′.  The property bounds ∫_S h by
∫_S h′, up to the factor e^(ε/2) and δ/2.

Case 1 (λ > 0, steps 1 to 8) bounds the other quotient, ∫_S h′ by ∫_S h, and ends in ε/2 where
e^(ε/2) is meant.  Case 2 (λ < 0, steps 9 to 17) bounds h′ by e^(|z||λ|)·h and then exchanges the
two names: that inequality belongs to the dilation by the other sign, and it fails near 0.  What the
exchange is needed for is true with the first printed β all the same: for λ < 0, h ≤ e^|λ|·h′
everywhere, without any event G.  The event is needed for λ > 0, where the proof has none.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import exp, inf, log

from dpaudit.claims.algebra import Identity
from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Evidence, Role
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.claims.smt import SMTProof
from dpaudit.exact.real import ONE, real
from proofs.definitions import number
from proofs.laplace_dilation import EXP_ABOVE_TANGENT, QUANTILE, dilated_tail, mass

if TYPE_CHECKING:
    from dpaudit.exact.real import Real

__all__ = ["CLAIMS"]

EVERYWHERE = "all ε > 0, 0 < δ < 1"
CASE_1 = f"{EVERYWHERE}, 0 < λ ≤ β = ε/(2·ln(3/δ))"
CASE_2 = f"{EVERYWHERE}, −β ≤ λ < 0, β = ε/(2·ln(3/δ))"
SMALL = {"ε": "4/5", "δ": "1/2000", "λ": "-1/25"}
"""A point of case 2: ε/(2·ln(3/δ)) = 0.0459… > 1/25."""


def _step(
    number_of_step: int,
    statement: str,
    formula: str,
    domain: str,
    *evidence: Evidence,
    derivation: str = "",
    repaired: str = "",
) -> Claim:
    return Claim(
        id=f"lap-dilation-{number_of_step}",
        source=f"D §4.1, case {1 if number_of_step <= 8 else 2}",
        step_of="lap-dilation",
        statement=statement,
        formula=formula,
        domain=domain,
        evidence=evidence,
        derivation=derivation,
        repaired=repaired,
    )


def _ball_mass(radius: Real) -> Real:
    """Return P(|z| < radius)."""
    return ONE - (-radius).exp()


def _substitution() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, symbols

    dilation = symbols("lambda", real=True)
    p, q, z = symbols("p q z", positive=True)
    r = e(dilation)
    return [integrate(e(-z) / 2, (z, r * p, r * q)), integrate(r * e(-r * z) / 2, (z, p, q))]


def _pointwise() -> list[Any]:
    from sympy import exp as e
    from sympy import symbols

    dilation = symbols("lambda", real=True)
    z = symbols("z", nonnegative=True)
    r = e(dilation)
    return [r * e(-r * z) / e(-z), r * e(z * (1 - r))]


_TAIL_MARGIN, _TAIL_AGAIN = dilated_tail(Fraction(10), Fraction(1, 2000), 3, Fraction(1, 4000))

ALLOWED = Fact(
    title="that |λ| is allowed",
    role=Role.LEMMA,
    parameters=SMALL,
    shows="ε/(2·ln(3/δ)) > |λ|",
    margin=lambda: real("2/5") / real("ln(6000)") - real("1/25"),
    again=lambda: number("2/5") / log(6000) - number("1/25"),
)

LOG_OF_3 = Fact(
    title="ln(3/δ) > ln 3 > 1 for δ < 1",
    role=Role.LEMMA,
    parameters={"δ": "1"},
    shows="ln 3 > 1",
    margin=lambda: real("ln(3) - 1"),
    again=lambda: log(3) - 1,
)

CASE_ONE = (
    _step(
        1,
        "h(e^λ·z) < h(z)",
        "∀ λ > 0, ∀ z: ½·e^(−|e^λ·z|) < ½·e^(−|z|)",
        "all λ > 0, all real z",
        Counterexample(
            title="both are ½ at z = 0",
            parameters={"λ": "1", "z": "0"},
            shows="h(e^λ·0) = h(0)",
            margin=lambda: real("exp(-exp(1)*0)/2 - exp(-0)/2"),
            again=lambda: exp(-exp(1) * 0) / 2 - exp(number(0)) / 2,
            tie=True,
        ),
        OrthantCertificate(
            title="|e^λ·z| > |z|, with r = e^λ > 1 and |z| > 0",
            domain="z ≠ 0",
            positive="r*z - z",
            shift={"r": "1 + s", "z": "t"},
            positive_variables=("s", "t"),
        ),
        derivation="e^(−·) is strictly decreasing.  Nothing depends on the single point.",
        repaired="h(e^λ·z) ≤ h(z), with equality at z = 0 alone.",
    ),
    _step(
        2,
        "P(z ∈ e^λ·S) is the integral of e^λ·h(e^λ·z) over S",
        "∫_(e^λ·S) ½·e^(−|z|) dz = ∫_S ½·e^(−|e^λ·z|)·e^λ dz",
        "all real λ, all measurable S",
        Identity(
            title="the substitution, for intervals on one side of 0",
            chain=_substitution,
            shown=("∫_(e^λ·p)^(e^λ·q) ½·e^(−z) dz", "∫_p^q e^λ·½·e^(−e^λ·z) dz"),
        ),
        derivation="Two measures that agree on all intervals on either side of 0 (h is even) agree "
        "on all measurable sets.  The quotient by P(z ∈ S) needs P(z ∈ S) > 0.",
    ),
    _step(
        3,
        "the quotient of the two integrals is the quotient of the integrands",
        "∀ S, ∀ z: P(z ∈ e^λ·S)/P(z ∈ S) = e^(−|e^λ·z|)·e^λ/e^(−|z|)",
        "all λ > 0, all S with P(z ∈ S) > 0, all z ∈ S (the right side has z free)",
        Counterexample(
            title="S = [0, ln 2] dilated by 2, against z = 0",
            parameters={"λ": "ln 2", "S": "[0, ln 2]", "z": "0"},
            shows="P(z ∈ e^λ·S)/P(z ∈ S) = 3/2 < 2 = e^λ·h(e^λ·0)/h(0)",
            margin=lambda: real(2) - _ball_mass(real("2*ln(2)")) / _ball_mass(real("ln(2)")),
            again=lambda: 2 - mass(0, 2 * log(2)) / mass(0, log(2)),
        ),
        derivation="The left side is a number, the right side a function of z.  Step 9 repeats it "
        "for λ < 0.",
        repaired="The quotient of the integrals lies between the infimum and the supremum over S "
        "of the quotient of the integrands.",
    ),
    _step(
        4,
        "the quotient of the densities is at most e^λ",
        "∀ λ > 0, ∀ z: e^λ·h(e^λ·z)/h(z) ≤ e^λ, so its logarithm is ≤ λ",
        "all λ > 0, all real z",
        OrthantCertificate(
            title="the logarithm is λ − |z|(r − 1) ≤ λ, with r = e^λ ≥ 1",
            positive="r*z - z",
            shift={"r": "1 + s", "z": "t"},
            strict=False,
        ),
    ),
    _step(
        5,
        "λ ≤ β = ε/(2·ln(3/δ)) and δ < 1 give λ ≤ ε/2",
        "∀ ε > 0, ∀ δ ∈ (0,1): λ ≤ ε/(2·ln(3/δ)) ⟹ λ ≤ ε/2",
        f"{EVERYWHERE}, all λ > 0",
        SMTProof(
            title="with K = ln(3/δ) > 1",
            hypotheses=("K > 1", "l > 0", "2*K*l <= e"),
            goal="2*l <= e",
        ),
        LOG_OF_3,
    ),
    _step(
        6,
        "the same with the other printed β",
        "∀ ε > 0, ∀ δ ∈ (0,1): λ ≤ ε/(2·ln(2/δ)) ⟹ λ ≤ ε/2",
        f"{EVERYWHERE}, all λ > 0",
        Counterexample(
            title="ln(2/δ) is below 1 for δ near 1",
            parameters={"ε": "4/5", "δ": "9/10", "λ": "ε/(2·ln(2/δ))"},
            shows="λ > ε/2",
            margin=lambda: real("2/5") / real("ln(20/9)") - real("2/5"),
            again=lambda: number("2/5") / log(number("20/9")) - number("2/5"),
        ),
        SMTProof(
            title="with L = ln(2/δ) ≥ 1",
            domain="δ ≤ 2/e",
            hypotheses=("L >= 1", "l > 0", "2*L*l <= e"),
            goal="2*l <= e",
        ),
        derivation="D offers both β and argues with the first.  For the second the conclusion "
        "holds for all λ ≤ β exactly if ln(2/δ) ≥ 1.",
        repaired="For the second β, δ ≤ 2/e is needed.",
    ),
    _step(
        7,
        "the quotient of the probabilities is at most ε/2",
        "∀ S, ∀ 0 < λ ≤ β: P(z ∈ e^λ·S)/P(z ∈ S) ≤ ε/2",
        f"{CASE_1}, all S with P(z ∈ S) > 0",
        Counterexample(
            title="S = ℝ, at every λ and every ε < 2",
            parameters={"ε": "4/5", "δ": "1/2000", "λ": "1/25", "S": "ℝ"},
            shows="P(z ∈ e^λ·S)/P(z ∈ S) = 1 > ε/2",
            margin=lambda: ONE - real("2/5"),
            again=lambda: (mass(-inf, 0) + mass(0, inf)) / (2 * mass(0, inf)) - number("2/5"),
        ),
        ALLOWED,
        derivation="The logarithm was bounded by ε/2; the quotient is at most e^(ε/2).  As the "
        "quotient of small sets around 0 comes near e^λ, the printed bound needs e^β ≤ ε/2.",
        repaired="P(z ∈ e^λ·S) ≤ e^λ·P(z ∈ S) ≤ e^(ε/2)·P(z ∈ S) for 0 < λ ≤ ε/2.",
    ),
    _step(
        8,
        "the bound on P(z ∈ e^λ·S)/P(z ∈ S) settles the dilation property for λ > 0",
        "(∀ S: P(z ∈ e^λ·S) ≤ e^(ε/2)·P(z ∈ S)) ⟹ (∀ S: P(z ∈ S) ≤ e^(ε/2)·P(z ∈ e^λ·S) + δ/2)",
        CASE_1,
        Counterexample(
            title="the bound holds for every S (step 7, repaired), the property fails for a tail",
            role=Role.GAP,
            parameters={
                "ε": "10",
                "δ": "1/2000",
                "λ": "ε/(2·ln(3/δ))",
                "S": "{|z| > (λ + ε/2)/(e^λ − 1)}",
            },
            shows="P(z ∈ S) > e^(ε/2)·P(z ∈ e^λ·S) + δ/2",
            margin=_TAIL_MARGIN,
            again=_TAIL_AGAIN,
        ),
        LOG_OF_3,
        derivation="It bounds the wrong quotient.  The needed one, h/h′ = e^(|z|(e^λ − 1) − λ), is "
        "unbounded, and only the δ/2, which case 1 never uses, can pay for its tail.  The "
        "conclusion does hold for moderate ε: lap-dilation.",
    ),
)


def _near_zero(radius: str, dilation: str, log_factor: str) -> tuple[Any, Any]:
    """Return P_h(S) − e^log_factor·P_h′(S) for S = [−radius, radius]."""
    w, scale, allowed = real(radius), real(dilation).exp(), real(log_factor)

    def margin() -> Real:
        return _ball_mass(w) - allowed.exp() * _ball_mass(scale * w)

    def again() -> Any:
        end, factor = number(radius), exp(number(dilation))
        return 2 * mass(0, end) - exp(number(log_factor)) * 2 * mass(0, factor * end)

    return margin, again


_SMALL_SET = _near_zero("1/4", "-1/25", "1/100")
_SECOND_RATE = _near_zero("1/100", "-1/2", "2/5")

CASE_TWO = (
    _step(
        9,
        "the quotient of the densities",
        "∀ z: e^λ·h(e^λ·z)/h(z) = e^λ·e^(|z|(1 − e^λ))",
        "all real λ, all real z",
        Identity(
            title="for z ≥ 0; both sides are even in z",
            chain=_pointwise,
            shown=("e^λ·e^(−e^λ·z)/e^(−z)", "e^λ·e^(z(1 − e^λ))"),
        ),
        derivation="That it is also the quotient of the probabilities, as printed before it, is "
        "step 3 again.",
    ),
    _step(
        10,
        "1 − e^λ ≤ |λ|",
        "∀ λ < 0: 1 − e^λ ≤ −λ",
        "all λ < 0",
        Identity(
            title=EXP_ABOVE_TANGENT.title,
            chain=EXP_ABOVE_TANGENT.chain,
            shown=EXP_ABOVE_TANGENT.shown,
        ),
    ),
    _step(
        11,
        "the logarithm of the quotient is at most λ + |z||λ|, and so at most |z||λ|",
        "∀ λ < 0, ∀ z: ln(h′(z)/h(z)) ≤ λ + |z||λ| ≤ |z||λ|",
        "all λ < 0, all real z",
        SMTProof(
            title="from step 10, with E = e^λ",
            hypotheses=("l < 0", "z >= 0", "E >= 1 + l"),
            goal="l + z*(1 - E) <= l - z*l and l - z*l <= -z*l",
        ),
        EXP_ABOVE_TANGENT,
    ),
    _step(
        12,
        "h and h′ may be exchanged in h′(z) ≤ e^(|z||λ|)·h(z)",
        "∀ −β ≤ λ < 0, ∀ z: h(z) ≤ e^(|z||λ|)·h′(z)",
        f"{CASE_2}, all real z",
        Counterexample(
            title="at z = 0",
            parameters={**SMALL, "z": "0"},
            shows="h(0) = ½ > ½·e^λ = e^0·h′(0)",
            margin=lambda: real("1/2 - exp(-1/25)/2"),
            again=lambda: exp(number(0)) / 2 - exp(number("-1/25")) * exp(number(0)) / 2,
        ),
        ALLOWED,
        SMTProof(
            title="away from 0, with m = |λ|, E = e^λ < 1: ln(h/h′) = m − |z|(1 − E)",
            domain="exactly |z| ≥ |λ|/(|λ| + 1 − e^λ); in particular |z| ≥ 1",
            hypotheses=("m > 0", "0 < E and E < 1", "z >= 0"),
            goal="(z*(m + 1 - E) >= m or m - z*(1 - E) > z*m) and "
            "(z < 1 or z*(m + 1 - E) >= m) and "
            "(z*(m + 1 - E) < m or m - z*(1 - E) <= z*m)",
        ),
        derivation="h is h′ dilated by −λ: the exchange yields the inequality for the other sign, "
        "not this one.",
        repaired="h(z) ≤ e^|λ|·h′(z) for every z, λ < 0.",
    ),
    _step(
        13,
        "the exchanged inequality carries over to probabilities, under the factor e^(|z||λ|)",
        "∀ S, ∀ w ≥ sup_S |z|: P_h(S) ≤ e^(w|λ|)·P_h′(S) = e^(w|λ|)·P(z ∈ e^λ·S)",
        f"{CASE_2}, all bounded measurable S (the printed factor has z free; w is the most it can "
        "be on S)",
        Counterexample(
            title="S = [−1/4, 1/4]",
            parameters={**SMALL, "S": "[-1/4, 1/4]", "w": "1/4"},
            shows="P_h(S) > e^(1/100)·P_h′(S)",
            margin=_SMALL_SET[0],
            again=_SMALL_SET[1],
        ),
        ALLOWED,
        SMTProof(
            title="pointwise h ≤ e^(|z||λ|)·h′ ≤ e^(w|λ|)·h′ where |z| ≥ 1",
            domain="S within |z| ≥ 1",
            hypotheses=("m > 0", "0 < E and E < 1", "z >= 1", "w >= z"),
            goal="m - z*(1 - E) <= w*m",
        ),
        repaired="P_h(S) ≤ e^|λ|·P_h′(S) for every S, λ < 0.",
    ),
    _step(
        14,
        "under G = {|z| ≤ ln(2/δ)} the exponent is at most ε/2",
        "|z| ≤ ln(2/δ) ⟹ |z||λ| ≤ ln(2/δ)·|λ| ≤ ln(2/δ)·β ≤ ln(2/δ)·ε/(2·ln(3/δ)) ≤ ε/2",
        CASE_2,
        SMTProof(
            title="with L = ln(2/δ) ≤ K = ln(3/δ), m = |λ| ≤ b = ε/(2K)",
            hypotheses=("0 < L and L <= K", "0 <= z and z <= L", "0 < m and m <= b", "2*K*b == e"),
            goal="z*m <= L*m and L*m <= L*b and 2*L*b <= e",
        ),
        derivation="With β = ε/(2·ln(2/δ)) the third inequality is false, but L·β = ε/2 outright.",
    ),
    _step(
        15,
        "P(|z| > ln(2/δ)) = δ/2",
        "∀ δ ∈ (0,1): P(|z| > ln(2/δ)) = e^(−ln(2/δ)) = δ/2",
        "0 < δ < 1 (in fact δ < 2)",
        Identity(title=QUANTILE.title + ", at c = 2", chain=QUANTILE.chain, shown=QUANTILE.shown),
    ),
    _step(
        16,
        "P_h(S ∩ G) ≤ e^(ε/2)·P_h′(S ∩ G)",
        "∀ S, ∀ −β ≤ λ < 0: P_h(S ∩ G) ≤ e^(ε/2)·P_h′(S ∩ G)",
        f"{EVERYWHERE}, β either of the two printed, ε/(2·ln(3/δ)) and ε/(2·ln(2/δ))",
        Counterexample(
            title="near 0 for the second β and δ near 1",
            parameters={"ε": "4/5", "δ": "9/10", "λ": "-1/2", "S": "[-1/100, 1/100]"},
            shows="P_h(S ∩ G) > e^(ε/2)·P_h′(S ∩ G)",
            margin=_SECOND_RATE[0],
            again=_SECOND_RATE[1],
        ),
        Fact(
            title="that λ is allowed there, and that S is within G",
            role=Role.LEMMA,
            parameters={"ε": "4/5", "δ": "9/10"},
            shows="ε/(2·ln(2/δ)) > 1/2 (and ln(2/δ) > 1/2 > 1/100)",
            margin=lambda: real("2/5") / real("ln(20/9)") - real("1/2"),
            again=lambda: number("2/5") / log(number("20/9")) - number("1/2"),
        ),
        SMTProof(
            title="ln(h/h′) = m − |z|(1 − E) ≤ m ≤ ε/2 where m = |λ| ≤ ε/2",
            domain="β = ε/(2·ln(3/δ)); β = ε/(2·ln(2/δ)) and δ ≤ 2/e",
            hypotheses=("0 < m and m <= a", "0 < E and E < 1", "z >= 0"),
            goal="m - z*(1 - E) <= a",
        ),
        LOG_OF_3,
        derivation="|λ| ≤ ε/2 is step 5 for the first β and step 6 for the second.  The printed "
        "reason, steps 12 and 13, is false; the conclusion needs neither G nor δ.",
        repaired="P_h(S) ≤ e^(ε/2)·P_h′(S) for every S, whenever −ε/2 ≤ λ < 0.",
    ),
    _step(
        17,
        "steps 15 and 16 together give the property for this λ",
        "P_h(S) ≤ P_h(S ∩ G) + P_h(Ḡ) ≤ e^(ε/2)·P_h′(S ∩ G) + δ/2 ≤ e^(ε/2)·P_h′(S) + δ/2",
        f"{EVERYWHERE}, every S for which step 16 holds",
        SMTProof(
            title="by addition, with g = e^(ε/2) > 0",
            hypotheses=(
                "P <= PG + PC",
                "2*PC == d",
                "PG <= g*QG",
                "QG <= Q",
                "g > 0",
            ),
            goal="2*P <= 2*g*QG + d and 2*g*QG + d <= 2*g*Q + d",
        ),
        derivation="Both probabilities of the first line are under h, where P(Ḡ) = δ/2 (step 15).",
    ),
)

CLAIMS = (*CASE_ONE, *CASE_TWO)

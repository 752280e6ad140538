"""Case 2 (λ < 0) of the printed proof of the dilation property of Laplace noise (D §4.1).

With h′(z) = e^λ·h(e^λ·z), case 2 bounds h′ by e^(|z||λ|)·h and then exchanges the two names: that
inequality belongs to the dilation by the other sign, and it fails near 0.  What the exchange is
needed for is true with the first printed β all the same: for λ < 0, h ≤ e^|λ|·h′ everywhere,
without any event G (lap-dilation-negative).
"""

from __future__ import annotations

from typing import Any

from mpmath import exp, log

from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.numbers.real import Real, real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.laplace_dilation_common import (
    ALLOWED,
    CASE_2,
    EVERYWHERE,
    SMALL,
    ball_mass,
    step,
)
from dpaudit_proofs.laplace_dilation_facts import EXP_ABOVE_TANGENT, LOG_OF_3, QUANTILE, mass

__all__ = ["CLAIMS"]


def _pointwise() -> list[Any]:
    from sympy import exp as e
    from sympy import symbols

    dilation = symbols("lambda", real=True)
    z = symbols("z", nonnegative=True)
    r = e(dilation)
    return [r * e(-r * z) / e(-z), r * e(z * (1 - r))]


def _near_zero(radius: str, dilation: str, log_factor: str) -> tuple[Any, Any]:
    """Return P_h(S) − e^log_factor·P_h′(S) for S = [−radius, radius]."""
    w, scale, allowed = real(radius), real(dilation).exp(), real(log_factor)

    def margin() -> Real:
        return ball_mass(w) - allowed.exp() * ball_mass(scale * w)

    def again() -> Any:
        end, factor = number(radius), exp(number(dilation))
        return 2 * mass(0, end) - exp(number(log_factor)) * 2 * mass(0, factor * end)

    return margin, again


_SMALL_SET = _near_zero("1/4", "-1/25", "1/100")
_SECOND_RATE = _near_zero("1/100", "-1/2", "2/5")

CLAIMS = (
    step(
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
    step(
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
    step(
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
    step(
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
    step(
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
            title="ln(h/h′) = m − |z|(1 − E) ≤ m ≤ w·m where w ≥ 1, at every z",
            domain="exactly w ≥ 1",
            hypotheses=("m > 0", "0 < E and E < 1", "z >= 0", "w >= 1"),
            goal="m - z*(1 - E) <= w*m",
        ),
        SMTProof(
            title="below w = 1 it fails for every λ, on S = [−s, s] with s small (p = P_h(S), "
            "q = P_h′(S), g = e^(w|λ|) < 1/E, x − x²/2 ≤ 1 − e^(−x) ≤ x)",
            role=Role.LEMMA,
            hypotheses=(
                "0 < E and E < 1",
                "0 < g and g*E < 1",
                "0 < s and s <= 1 - g*E",
                "p >= s - s^2/2",
                "0 < q and q <= E*s",
            ),
            goal="p > g*q",
        ),
        derivation="Pointwise h ≤ e^|λ|·h′, with equality at 0; so e^(w|λ|) is enough for every S "
        "exactly if w ≥ 1, although the pointwise step 12 then still fails near 0.",
        repaired="P_h(S) ≤ e^|λ|·P_h′(S) for every S, λ < 0.",
    ),
    step(
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
    step(
        15,
        "P(|z| > ln(2/δ)) = δ/2",
        "∀ δ ∈ (0,1): P(|z| > ln(2/δ)) = e^(−ln(2/δ)) = δ/2",
        "0 < δ < 1 (in fact δ < 2)",
        Identity(title=QUANTILE.title + ", at c = 2", chain=QUANTILE.chain, shown=QUANTILE.shown),
    ),
    step(
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
    step(
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

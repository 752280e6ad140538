"""How far from the true posterior the exponential mechanisms land: the bounds of N §3.2 and §3.3.

All of them draw r with probability w(r)/NL, w(r) = exp(−f·H(x, r)), f = ε over twice (or once) a
sensitivity.  The candidate r = BI(x) has H = 0 and w = 1, so NL ≥ 1.  The event H ≥ c has m ≤ |R|
candidates, each with w ≤ q = exp(−f·c).  Hence P·NL ≤ m·q ≤ |R|·q, whatever f > 0 is: the tail
bounds hold if the *same* f stands in the law and in the bound; N §3.3 puts 2f into the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, SMTProof
from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.hellinger_exponential import MH
from dpaudit.numbers.ball import Ball, Sign, ball, sign
from dpaudit_proofs import definitions
from dpaudit_proofs.typed_events import BEST, GLOBAL, NORMALISED, SCALED
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS", "COUNTED", "UNION", "Place", "ball_exp", "excess", "weights"]

FLAT = (Fraction(1), Fraction(1))


@dataclass(frozen=True)
class Place:
    """M_H at one dataset: N Def. 2.1 with either divisor, flat prior, both ways of computing."""

    counts: tuple[int, int]
    epsilon: Fraction = Fraction(4, 5)
    delta: Fraction = Fraction(1, 2000)

    def parameters(self, **others: str) -> dict[str, str]:
        """Return the exact parameters as text."""
        return {
            "prior": "(1,1)",
            "n": str(sum(self.counts)),
            "x": "({},{})".format(*self.counts),
            "ε": str(self.epsilon),
            "δ": str(self.delta),
            **others,
        }

    def law(self) -> tuple[Ball, list[Ball]]:
        """Return ε/S_β(x) and H(x, r) for every candidate r, in balls."""
        n = sum(self.counts)
        mechanism = MH.build({"epsilon": self.epsilon, "delta": self.delta, "divisor": "1"})
        factor = mechanism.factors(n)[Histograms(n, 2).rank(self.counts)]
        return factor, HellingerMetric(FLAT).row(self.counts)

    def law_again(self) -> tuple[Any, list[Any]]:
        """Return the same from the definitions, in mpmath."""
        from mpmath import exp

        n, distance = sum(self.counts), definitions.posterior_distance
        epsilon, delta = definitions.number(self.epsilon), definitions.number(self.delta)
        beta = definitions.beta_rate(epsilon, delta, n + 1)
        histograms = [(c, n - c) for c in range(n + 1)]
        smooth = max(  # LS is the larger of the distances to the two neighbours
            distance(FLAT, left, right) * exp(-beta * definitions.hamming(self.counts, y))
            for left, right in pairwise(histograms)
            for y in (left, right)
        )
        return epsilon / smooth, [distance(FLAT, self.counts, r) for r in histograms]


def _reaches(distance: Any, c: Fraction) -> bool:
    """Tell whether H ≥ c, where H is clear of c; balls are never told apart by a guess."""
    if isinstance(distance, Ball):
        found = sign(distance - ball(c))
        if found in (Sign.ZERO, Sign.UNDECIDED):
            raise ArithmeticError(f"the distance {distance} is not clear of {c}")
        return found is Sign.POSITIVE
    return bool(distance > definitions.number(c))


def weights(factor: Any, distances: list[Any], exp: Callable[[Any], Any]) -> Any:
    """Return Σ exp(−factor·H), in balls or in mpmath according to ``exp``."""
    return sum(exp(-factor * h) for h in distances)


def ball_exp(z: Ball) -> Ball:
    """Return e^z."""
    return z.exp()


def excess(
    place: Place, c: Fraction, bound: str, normaliser: str
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return P(H ≥ c) under N Def. 2.1 minus what N §3.3 prints for it, in balls and in mpmath.

    ``bound`` is "sum" (the first formula) or "union" (the second).  ``normaliser`` is the divisor
    inside NL_x: "2" as N §2.3.2 defines it, "1" like the printed numerators, or "none" for NL_x
    replaced by 1.
    """

    def value(factor: Any, distances: list[Any], exp: Callable[[Any], Any], at: Any) -> Any:
        far = [h for h in distances if _reaches(h, c)]
        exact = weights(factor / 2, far, exp) / weights(factor / 2, distances, exp)
        numerator = (
            weights(factor, far, exp) if bound == "sum" else len(distances) * exp(-factor * at)
        )
        if normaliser == "none":
            return exact - numerator
        return exact - numerator / weights(factor / int(normaliser), distances, exp)

    def margin() -> Ball:
        found: Ball = value(*place.law(), ball_exp, ball(c))
        return found

    def again() -> Any:
        from mpmath import exp

        return value(*place.law_again(), exp, definitions.number(c))

    return margin, again


def _refutation(
    title: str, shows: str, place: Place, c: str, how: tuple[str, str]
) -> Counterexample:
    margin, again = excess(place, Fraction(c), *how)
    return Counterexample(
        title=title, parameters=place.parameters(c=c), shows=shows, margin=margin, again=again
    )


UNION = SumOfProducts(
    title="|R|·q ≥ P·NL where m ≤ |R| candidates of weight ≤ q make up the event",
    role=Role.LEMMA,
    goal="R*q - P*NL",
    hypotheses=("R - m", "q", "m*q - P*NL"),
    products=(("1", ("R - m", "q")), ("1", ("m*q - P*NL",))),
)

MATCHED = SumOfProducts(
    title="P ≤ |R|·exp(−f·c)/NL for every factor f, multiplied by NL > 0",
    goal=UNION.goal,
    hypotheses=UNION.hypotheses,
    products=UNION.products,
)

COUNTED = SMTProof(
    title="a sum of m + 1 weights ≤ q is ≤ (m + 1)·q: the induction step of Σ w ≤ m·q",
    role=Role.LEMMA,
    hypotheses=("W <= m*q", "w <= q"),
    goal="W + w <= (m + 1)*q",
)

CLAIMS = (
    Claim(
        id="acc-global",
        typed=GLOBAL,
        source="N §3.2",
        statement="the exponential mechanism with global sensitivity lands at distance c or more "
        "with probability at most |R|·exp(−εc/(2Δ_g))",
        formula="∀ n, k, α, x, ε > 0, c: P[H(BI(x), z) ≥ c] ≤ |R|·exp(−εc/(2Δ_g))",
        domain="all n ≥ 1, k ≥ 2, priors α > 0, x, ε > 0 and real c; any number > 0 as Δ_g",
        evidence=(
            COUNTED,
            SumOfProducts(
                title="P ≤ |R|·q, from P·NL ≤ m·q, m ≤ |R| and NL ≥ 1",
                goal="R*q - P",
                hypotheses=("R - m", "q", "m*q - P*NL", "P", "NL - 1"),
                products=(
                    ("1", ("R - m", "q")),
                    ("1", ("m*q - P*NL",)),
                    ("1", ("P", "NL - 1")),
                ),
            ),
        ),
        derivation="q = exp(−εc/(2Δ_g)); a candidate with H ≥ c has weight ≤ q by the monotonicity "
        "of exp, there are m ≤ |R| of them, and r = BI(x) alone gives NL ≥ 1. Neither a property "
        "of Δ_g nor of H is used, so the constant √(1 − π/4) of A serves as well. The formula "
        "names M_H; for M_H itself (S_β(x) in the law, Δ_g in the bound) it holds too, since "
        "S_β(x) ≤ Δ_g makes its own bound smaller.",
    ),
    Claim(
        id="acc-global-opt",
        typed=BEST,
        source="N §3.2",
        statement="the best score is 0 and exactly one candidate has it",
        formula="OPT = min_r H(BI(x), r) = 0, |R_OPT| = 1",
        domain="all n ≥ 1, k ≥ 2, priors α > 0, x",
        step_of="acc-global",
        evidence=(
            SumOfProducts(
                title="(p + q)/2 − √(pq) = ½(√p − √q)², with u = √p, v = √q",
                goal="(u^2 + v^2)/2 - u*v",
                hypotheses=(),
                products=(("1/2", ("square(u - v)",)),),
            ),
        ),
        derivation="Integrated over the simplex the identity is H² = ½·∫(√p − √q)² ≥ 0, and this "
        "is 0 only if the continuous densities p and q agree everywhere inside. The densities of "
        "Dir(a) and Dir(b) have the ratio const·Π ξᵢ^(aᵢ − bᵢ); with Σaᵢ = Σbᵢ it is constant on "
        "the simplex only for a = b (let one ξᵢ tend to 0 where aᵢ ≠ bᵢ). Different histograms "
        "give different parameters, so r = BI(x) is the only candidate with H = 0.",
    ),
    Claim(
        id="acc-tight",
        **REFUTED["acc-tight"],
        source="N §3.3, first bound",
        statement="P[H ≥ c] under M_H equals the sum of exp(−ε·H/S(x))/NL_x over the candidates "
        "with H ≥ c",
        formula="P[H(BI(x), z) ≥ c] = Σ_{H(BI(x), z) ≥ c} exp(−ε·H(BI(x), z)/S(x))/NL_x",
        domain="M_H of N Def. 2.1: all n, x, ε > 0, δ, c; NL_x as N §2.3.2 defines it (with 2S) "
        "or with the printed numerators (with S)",
        evidence=(
            _refutation(
                "NL_x as defined: at beta(5,5) of N §3.4.1, three steps or more",
                "P[H ≥ c] > Σ exp(−εH/S)/Σ_r exp(−εH/(2S))",
                Place((4, 4)),
                "1/2",
                ("sum", "2"),
            ),
            _refutation(
                "NL_x with the exponent of the numerators: the same place",
                "P[H ≥ c] > Σ exp(−εH/S)/Σ_r exp(−εH/S)",
                Place((4, 4)),
                "1/2",
                ("sum", "1"),
            ),
            SumOfProducts(
                title="with NL_x as defined every printed term is too small: w² < w for 0 < w < 1",
                role=Role.LEMMA,
                goal="w - w^2",
                hypotheses=("w", "1 - w"),
                products=(("1", ("w", "1 - w")),),
                strict=True,
                positive=("w", "1 - w"),
            ),
        ),
        repaired="P[H ≥ c] = Σ exp(−ε·H/(2S(x)))/NL_x with NL_x = Σ_r exp(−ε·H/(2S(x))); or all "
        "three exponents without the 2, for the mechanism that the tables of N §3.4.1 use: either "
        "is the additivity of probability.",
        derivation="The factor 2 of Def. 2.1 is missing. With NL_x as defined the formula is false "
        "for every c ≤ max H: candidates with H > 0 occur on both sides, with w = exp(−εH/(2S)) "
        "on the left and w² on the right.",
    ),
    Claim(
        id="acc-second",
        **REFUTED["acc-second"],
        source="N §3.3, second bound",
        statement="P[H ≥ c] under M_H is at most |R|·exp(−εc/S(x))/NL_x",
        formula="P[H(BI(x), z) ≥ c] ≤ |R|·exp(−εc/S(x))/NL_x",
        domain="M_H of N Def. 2.1: all n, x, ε > 0, δ, c; NL_x as N §2.3.2 defines it (with 2S) "
        "or with the printed numerators (with S)",
        evidence=(
            *(
                _refutation(
                    f"NL_x with divisor {normaliser}, {where}",
                    f"P[H ≥ c] > |R|·exp(−εc/S)/NL_x, NL_x = Σ_r exp(−εH/({normaliser}·S))",
                    place,
                    c,
                    ("union", normaliser),
                )
                for where, place, c in (
                    ("one record", Place((0, 1), epsilon=Fraction(2)), "9/20"),
                    ("the notes' own ε and δ", Place((50, 50)), "49/50"),
                )
                for normaliser in ("2", "1")
            ),
        ),
        repaired="P[H ≥ c] ≤ |R|·exp(−εc/(2S(x)))/NL_x for Def. 2.1 (acc-second-matched).",
        derivation="The bound is a union bound with the square of the weight that it should have: "
        "far out that square is smaller than any factor |R| can make up for.",
    ),
    Claim(
        id="acc-second-matched",
        typed=SCALED,
        source="new (N §3.3, second bound, with one exponent throughout)",
        statement="the second bound holds when law, bound and NL_x have the same exponent: ε/(2S) "
        "as in Def. 2.1, or ε/S as in the tables",
        formula="∀ f > 0: P[r] ∝ exp(−f·H(x, r)) ⟹ P[H ≥ c] ≤ |R|·exp(−f·c)/NL_x",
        domain="all n ≥ 1, k ≥ 2, priors α > 0, x, real c, f > 0",
        evidence=(NORMALISED, COUNTED, MATCHED),
        derivation="As acc-global, without replacing NL_x by 1. It is looser than the exact sum, "
        "as N says, and never looser than acc-global's form of it, since NL_x ≥ 1.",
    ),
)

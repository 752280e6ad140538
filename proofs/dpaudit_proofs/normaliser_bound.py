"""A lower bound on the normaliser that depends on n alone: the open question of N §3.3.

NL_x = Σ_r w(r), w(r) = exp(−ε·H(x, r)/(2·S_β(x))).  Along a shortest path x = y₀, y₁, …, y_d = r
every step is between neighbours, so by the triangle inequality

    H(x, r) ≤ Σ_{i<d} H(yᵢ, yᵢ₊₁) ≤ Σ_{i<d} LS(yᵢ) ≤ S_β(x)·Σ_{i<d} e^(βi) = S_β(x)·g_d,

because S_β(x) ≥ LS(yᵢ)·e^(−βi).  So w(r) ≥ a_d with a_d = exp(−(ε/2)·g_d), a decreasing sequence
in which neither x nor the prior occurs.  And the ball of radius j around *any* x holds at least
C(j + k − 1, k − 1) histograms: remove j records from x in a fixed way and add back any multiset of
j.  At a corner there are no more, so NL is at least its value for those counts (Abel summation):

    N(n) = Σ_{j=0}^n C(j + k − 2, k − 2)·a_j.

With β = ln(1 + ε/(2L)), L = ln(2(n + 1)/δ), the exponent is (ε/2)·g_j = L·((1 + ε/(2L))^j − 1).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Fact, Identity
from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.hellinger_exponential import MH
from dpaudit.numbers.ball import Ball, ball
from dpaudit.numbers.real import real
from dpaudit_proofs import definitions
from dpaudit_proofs.accuracy_bounds import COUNTED, UNION, Place, ball_exp, excess, weights

__all__ = ["CLAIMS", "normaliser_bound", "normaliser_bound_again"]


def normaliser_bound(n: int, place: Place) -> Ball:
    """Return N(n) for k = 2, in balls."""
    logarithm = (real(2 * (n + 1)) / real(place.delta)).ln().ball()
    growth = 1 + ball(place.epsilon) / (2 * logarithm)
    return sum(((-logarithm * (growth**j - 1)).exp() for j in range(n + 1)), Ball(0))


def normaliser_bound_again(n: int, place: Place) -> Any:
    """Return N(n) for k = 2 as Σ exp(−(ε/2)·Σ_{i<j} e^(βi)), in mpmath."""
    from mpmath import exp, mpf

    epsilon, delta = definitions.number(place.epsilon), definitions.number(place.delta)
    beta = definitions.beta_rate(epsilon, delta, n + 1)
    total, inner = mpf(0), mpf(0)
    for j in range(n + 1):
        total += exp(-epsilon / 2 * inner)
        inner += exp(beta * j)
    return total


def _tightness(counts: tuple[int, int], ratio: str) -> Fact:
    place, n = Place(counts), sum(counts)

    def margin() -> Ball:
        factor, distances = place.law()
        normaliser: Ball = weights(factor / 2, distances, ball_exp)
        return ball(Fraction(ratio)) * normaliser_bound(n, place) - normaliser

    def again() -> Any:
        from mpmath import exp

        factor, distances = place.law_again()
        normaliser = weights(factor / 2, distances, exp)
        return definitions.number(ratio) * normaliser_bound_again(n, place) - normaliser

    return Fact(
        title=f"at n = {n} the bound is within a factor {ratio} of the best possible one",
        role=Role.ILLUSTRATES,
        parameters=place.parameters(),
        shows=f"NL_x < {ratio}·N({n})",
        margin=margin,
        again=again,
    )


_LARGE = Fraction(10**7)


def _over_all_priors(n: int, ratio: str) -> Fact:
    """At the corner, under a huge flat prior, the normaliser is nearly as small as N(n)."""
    prior, corner = (_LARGE, _LARGE), (n, 0)
    epsilon, delta = Fraction(4, 5), Fraction(1, 2000)

    def margin() -> Ball:
        mechanism = MH.build({"epsilon": epsilon, "delta": delta, "prior": [str(_LARGE)] * 2})
        factor = mechanism.factors(n)[Histograms(n, 2).rank(corner)]
        normaliser: Ball = weights(factor, HellingerMetric(prior).row(corner), ball_exp)
        return ball(Fraction(ratio)) * normaliser_bound(n, Place(corner)) - normaliser

    def again() -> Any:
        from mpmath import exp

        number, distance = definitions.number, definitions.posterior_distance
        beta = definitions.beta_rate(number(epsilon), number(delta), n + 1)
        smooth = max(
            distance(prior, left, right) * exp(-beta * (n - y[0]))
            for left, right in pairwise([(c, n - c) for c in range(n + 1)])
            for y in (left, right)
        )
        factor = number(epsilon) / (2 * smooth)
        distances = [distance(prior, corner, (c, n - c)) for c in range(n + 1)]
        bound = normaliser_bound_again(n, Place(corner))
        return number(ratio) * bound - weights(factor, distances, exp)

    return Fact(
        title=f"over all priors N({n}) is within a factor {ratio} of the best possible",
        role=Role.ILLUSTRATES,
        parameters={
            "prior": "(10⁷, 10⁷)",
            "n": str(n),
            "x": str(corner),
            "ε": "4/5",
            "δ": "1/2000",
        },
        shows=f"NL_x < {ratio}·N({n})",
        margin=margin,
        again=again,
    )


def _not_even_one() -> Fact:
    place, c = Place((0, 1), epsilon=Fraction(3)), Fraction(9, 20)
    margin, again = excess(place, c, "union", "none")
    return Fact(
        title="with the printed exponent and Def. 2.1 not even N(n) = 1 would do",
        role=Role.ILLUSTRATES,
        parameters=place.parameters(c=str(c)),
        shows="P(H ≥ c) > |R|·exp(−εc/S(x))",
        margin=margin,
        again=again,
    )


def _geometric() -> list[Any]:
    from sympy import symbols

    e, power = symbols("E P", positive=True)  # P = E^j
    return [(power - 1) / (e - 1) + power, (e * power - 1) / (e - 1)]


def _exponent() -> list[Any]:
    from sympy import symbols

    power, epsilon, logarithm = symbols("P epsilon L", positive=True)
    return [
        epsilon / 2 * (power - 1) / (epsilon / (2 * logarithm)),
        logarithm * (power - 1),
    ]


CLAIMS = (
    Claim(
        id="acc-N",
        source="N §3.3, third bound (an open question there)",
        statement="there is a normaliser bound that depends on the data through their number "
        "alone: P[H ≥ c] ≤ |R|·exp(−εc/(2S(x)))/N(n)",
        formula="N(n) = Σ_{j=0}^n C(j + k − 2, k − 2)·exp(−(ε/2)·(e^(βj) − 1)/(e^β − 1)) ≤ NL_x "
        "for every x; for k = 2: N(n) = Σ_{j=0}^n (δ/(2(n + 1)))^((1 + ε/(2L))^j − 1), "
        "L = ln(2(n + 1)/δ)",
        domain="M_H: all n ≥ 1, k ≥ 2, priors α > 0, x, c, ε > 0, 0 < δ < 1, any β > 0; for the "
        "divisor 1 of the tables with ε in place of ε/2, which is the bound as printed",
        evidence=(
            SumOfProducts(
                title="one step further along a path: H ≤ S·g and h ≤ S·e^(βi) add up",
                role=Role.LEMMA,
                goal="S*(g + t) - H2",
                hypotheses=("S*g - H1", "S*t - h", "H1 + h - H2"),
                products=(
                    ("1", ("S*g - H1",)),
                    ("1", ("S*t - h",)),
                    ("1", ("H1 + h - H2",)),
                ),
            ),
            Identity(
                title="g_(j+1) = g_j + e^(βj) for g_j = (E^j − 1)/(E − 1), E = e^β",
                role=Role.LEMMA,
                chain=_geometric,
                shown=("(E^j − 1)/(E − 1) + E^j", "(E·E^j − 1)/(E − 1)"),
            ),
            Identity(
                title="with e^β − 1 = ε/(2L) the exponent (ε/2)·g_j is L·(E^j − 1)",
                role=Role.LEMMA,
                chain=_exponent,
                shown=("(ε/2)·(E^j − 1)/(ε/(2L))", "L·(E^j − 1)"),
            ),
            SumOfProducts(
                title="Abel summation: D ≥ a₁·X₁ gives D + a₂·(X₂ − X₁) ≥ a₂·X₂ if a₁ ≥ a₂, X₁ ≥ 0",
                goal="D + a2*(X2 - X1) - a2*X2",
                hypotheses=("D - a1*X1", "a1 - a2", "X1"),
                products=(("1", ("D - a1*X1",)), ("1", ("a1 - a2", "X1"))),
            ),
            UNION,
            COUNTED,
            _tightness((10, 0), "9/5"),
            _tightness((50, 50), "11/5"),
            _over_all_priors(10, "21/20"),
            _over_all_priors(100, "21/20"),
            _not_even_one(),
        ),
        derivation="Write d for the Hamming distance of a candidate from x; a shortest path stays "
        "among histograms of n. (1) H(x, r) ≤ S(x)·g_d by induction along it (first lemma; "
        "H(yᵢ, yᵢ₊₁) ≤ LS(yᵢ) is the definition of LS at r = yᵢ, and LS(yᵢ) ≤ e^(βi)·S(x) that of "
        "S_β). (2) So w(r) ≥ a_d, a_j = exp(−(ε/2)·g_j), which decreases in j. (3) Let B_j count "
        "the histograms within distance j of x and C_j = C(j + k − 1, k − 1). B_j ≥ C_j: fix y ≤ x "
        "with n − j records; the C_j histograms y + w, w any multiset of j records, differ from "
        "one another and are within distance j of x. (4) D_j = Σ_{i≤j} a_i·((B_i − B_{i−1}) − "
        "(C_i − C_{i−1})) satisfies D_j ≥ a_j·(B_j − C_j) ≥ 0 by induction (Abel summation, "
        "X_j = B_j − C_j). (5) Hence NL_x ≥ Σ a_j·(B_j − B_{j−1}) ≥ Σ a_j·(C_j − C_{j−1}) = N(n), "
        "as C_j − C_{j−1} = C(j + k − 2, k − 2), and the union bound P·NL_x ≤ |R|·q finishes it.\n"
        "How tight it is, for k = 2: N(1) = NL_x, as S_β = H(x, x′) at n = 1, so no larger N is "
        "possible there. As the prior (t, t) grows, H(x, r)² ~ d²/(4t): all steps become equal, "
        "S_β(x)/H(x, x′) → 1 and NL at the corner tends to U(n) = Σ_{j=0}^n e^(−εj/2). A bound for "
        "all priors lies below U(n), and N(n) is not far from it: 1.05·N(n) > NL at the prior "
        "(10⁷, 10⁷), and since g_j → j as n → ∞ (β → 0), N(n) and U(n) have the same limit "
        "1/(1 − e^(−ε/2)). For the prior (1,1) alone the least NL is about "
        "1.8, 3.6 and 2.1 times N(n) at n = 10, 50 and 100, for the notes' ε and δ.\n"
        "N depends on ε, δ and k besides n, all fixed before the data are seen. S_β is N's; with "
        "L's S(x) = LS(x), which is not smooth, step (1) is not to be had. The last fact is why "
        "the exponent must be matched: over Def. 2.1, P can exceed even |R|·exp(−εc/S).",
    ),
)

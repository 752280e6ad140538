"""A Cor. 4.5.1 and 4.5.2: from which data size on is LSHist more accurate than EHD?

Two categories, t = e^(−ε), T = t^k, c = 2·GS = √(4 − π) and q = e^(−ε/c), the smallest weight EHD
can give (H ≤ 1).  For data where the candidates within τ are exactly those of at most k steps on
either side, as far as there are any:

    P_LSHist ≥ 1 − ½·T·(1 + t)            (clamping only adds)
    P_EHD    ≤ m/(m + (n + 1 − m)·q),     m = 2k + 1 candidates at most, of weight at most 1.

The corollaries rest on the false upper bound of A Thm 4.5 (e^(−ε) in place of q < e^(−ε)), so their
proofs fail; the first survives on these data all the same, because the second line above keeps the
numerator in the denominator.  The explicit thresholds are what is decided here; the headlines with
O(·) are in :mod:`dpaudit_proofs.corollary_readings`, Cor. 4.5.3 in
:mod:`dpaudit_proofs.good_outputs`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim
from dpaudit.claims.evidence import SMTProof
from dpaudit.notes.dirichlet import AffinityTable
from dpaudit.numbers.ball import Ball, ball, minimum, working_precision
from dpaudit.numbers.real import real
from dpaudit_proofs.accuracy_laws import (
    FLAT,
    Prior,
    at,
    chance,
    chance_again,
    clamped,
    clamped_again,
    distance_again,
    ehd_factor,
    ehd_factor_again,
    near,
    near_again,
)
from dpaudit_proofs.definitions import number
from dpaudit_proofs.typed_near import WITHIN_TAU

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS", "MANY", "MANY_EPSILON"]

Data = tuple[int, int]

MANY = 10**7
"""The size of the counterexample to Cor. 4.5.1."""
MANY_EPSILON = "15"
"""Its ε."""
_LISTED = 40
_STEPS = "the candidates within τ are exactly those of at most k steps on either side"


def _many_margin() -> Ball:
    """Return the smallest of the margins at x = (1, n − 1), τ = 3/10, from bounds free of b.

    The affinity to the candidate j steps away is G(2, 2 + j)·G(b, b − j), G(b, b − j) ≤ 1, and
    G(b, b − 1)² ≥ (b − 1)/(b − ½), since ln Γ is convex.
    """
    tau, n, s = ball(Fraction(3, 10)), MANY, ehd_factor(MANY_EPSILON)
    first = AffinityTable(Fraction(1), working_precision()).row(1, _LISTED + 1)
    at_least = [(1 - g).sqrt() for g in first]  # H from 1 to the first count of the index
    reach = (1 - first[2] * (ball(n - 1) / ball(Fraction(2 * n - 1, 2))).sqrt()).sqrt()
    others = sum(((-s * h).exp() for h in (at_least[0], *at_least[3:])), ball(0))
    others += n * (-s * at_least[-1]).exp()
    t = (-real(MANY_EPSILON).ball()).exp()
    laplace = clamped(1, n, MANY_EPSILON, [1, 2]).ball()
    return minimum(
        [
            n * t * (1 - t) - 3,
            tau - reach,
            at_least[0] - tau,
            at_least[3] - tau,
            1 / (1 + others) - laplace,
        ]
    )


def _many_again() -> Any:
    from mpmath import exp

    tau, n, s = number("3/10"), MANY, ehd_factor_again(MANY_EPSILON)
    away = {r: distance_again(FLAT, (1, n - 1), (r, n - r)) for r in (0, *range(2, _LISTED + 2))}
    weights = {r: exp(-s * h) for r, h in away.items()}
    others = sum(weights.values()) - weights[2] + n * weights[_LISTED + 1]
    t = exp(-number(MANY_EPSILON))
    exponential = (1 + weights[2]) / (1 + weights[2] + others)
    return min(
        n * t * (1 - t) - 3,
        tau - away[2],
        away[0] - tau,
        away[3] - tau,
        exponential - clamped_again(1, n, MANY_EPSILON, [1, 2]),
    )


def _small(
    prior: Prior, x: Data, tau: str, epsilon: str
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return min(2k·t + 1 − n·(1 − ½(T + T·t)), P_LSHist − P_EHD): against Cor. 4.5.2."""
    n, level = sum(x), Fraction(tau)

    def margin() -> Ball:
        firsts = near(prior, x, level)
        k = max(abs(first - x[0]) for first in firsts)
        t = (-real(epsilon).ball()).exp()
        premise = 2 * k * t + 1 - n * (1 - (t**k + t ** (k + 1)) / 2)
        exponential = chance(prior, x, ehd_factor(epsilon), firsts)
        return minimum([premise, clamped(x[0], n, epsilon, firsts).ball() - exponential])

    def again() -> Any:
        from mpmath import exp

        firsts = near_again(prior, x, level)
        k = max(abs(first - x[0]) for first in firsts)
        t = exp(-number(epsilon))
        premise = 2 * k * t + 1 - n * (1 - (t**k + t ** (k + 1)) / 2)
        exponential = chance_again(prior, x, ehd_factor_again(epsilon), firsts)
        return min(premise, clamped_again(x[0], n, epsilon, firsts) - exponential)

    return margin, again


_LARGE = (Fraction(100), Fraction(100))

CLAIMS = (
    Claim(
        id="cor-4.5.1",
        source="A Cor. 4.5.1",
        statement="LSHist is more accurate than EHD, P_LSHist[H < τ] > P_EHD[H < τ], for "
        "n > (2k + 1)/(e^(−ε)·(1 − e^(−kε))); k is the largest |k′| within τ, as in A Thm 4.5",
        formula="∀ x, τ, ε, k ≥ 1: n > (2k+1)/(t(1 − t^k)) ⟹ P_LSHist > P_EHD",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0",
        evidence=(
            at(
                "one step outward is further than one step inward, so LSHist gets half at most",
                "n > 3/(t(1 − t)) and H(x, x+1) < τ < H(x, x−1), H(x, x+2), and "
                "P_EHD > P_LSHist = ½(1 − t²)",
                {
                    "prior": "(1, 1)",
                    "x": "(1, n − 1)",
                    "n": f"{MANY}",
                    "τ": "3/10",
                    "ε": MANY_EPSILON,
                    "k": "1",
                },
                (_many_margin, _many_again),
            ),
            SMTProof(
                title="m/(m + (n + 1 − m)q) < 1 − ½T(1 + t) from n·t·(1 − T) > m and q ≥ t²",
                domain=f"data where {_STEPS}, as far as there are any",
                hypotheses=(
                    "0 < t",
                    "t < 1",
                    "0 < T",
                    "T <= t",
                    "m >= 3",
                    "n*t*(1 - T) > m",
                    "q >= t^2",
                ),
                goal="m*T*(1 + t)/2 < (n - m + 1)*q*(1 - T*(1 + t)/2)",
            ),
        ),
        derivation="m = 2k + 1 ≥ 3 (for k = 0 the threshold is 1/0 and nothing is claimed), T ≤ t, "
        "and q = t^(1/c) ≥ t² as c² = 4 − π ≥ 1/4.  At most m candidates are within τ and at least "
        "n + 1 − m are not, each of weight at least q, so P_EHD ≤ m/(m + (n + 1 − m)q); P_LSHist "
        "is at least 1 − ½T(1 + t).  Clearing denominators gives the goal.  In the counterexample "
        "the far candidates, though 10⁷, weigh less than x alone: n·q < 0.94; those more than 40 "
        "steps away weigh at most what the 40th does, as H grows with the steps.",
    ),
    Claim(
        id="cor-4.5.2",
        **WITHIN_TAU["cor-4.5.2"],
        source="A Cor. 4.5.2",
        statement="EHD is more accurate than LSHist, P_EHD[H < τ] > P_LSHist[H < τ], for "
        "n < (2k·e^(−ε) + 1)/(1 − ½(e^(−kε) + e^(−(k+1)ε)))",
        formula="∀ x, τ, ε: n·(1 − ½(t^k + t^(k+1))) < 2k·t + 1 ⟹ P_EHD > P_LSHist",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0",
        evidence=(
            at(
                "balanced data under an informative prior: EHD is almost uniform",
                "n < (2kt + 1)/(1 − ½(t^k + t^(k+1))) and P_EHD < P_LSHist, k = 0",
                {"prior": "(100, 100)", "x": "(1, 1)", "τ": "1/100", "ε": "2"},
                _small(_LARGE, (1, 1), "1/100", "2"),
            ),
            at(
                "data at the edge under the flat prior: clamping helps LSHist",
                "n < (2kt + 1)/(1 − ½(t^k + t^(k+1))) and P_EHD < P_LSHist, k = 0",
                {"prior": "(1, 1)", "x": "(0, 2)", "τ": "1/4", "ε": "4/5"},
                _small(FLAT, (0, 2), "1/4", "4/5"),
            ),
            SumOfProducts(
                title="W/Z > L from n·L < 2k·t + 1, W ≥ 2k·t + 1 and Z ≤ n",
                domain=f"data where {_STEPS}, all of which exist, k < min(c₁, c₂), τ ≤ √(4 − π) "
                "and EHD's normaliser is at most n",
                goal="W - L*Z",
                hypotheses=("2*k*t + 1 - n*L", "W - 2*k*t - 1", "L", "n - Z"),
                products=(
                    ("1", ("2*k*t + 1 - n*L",)),
                    ("1", ("W - 2*k*t - 1",)),
                    ("1", ("L", "n - Z")),
                ),
                strict=True,
                positive=("2*k*t + 1 - n*L",),
            ),
        ),
        derivation="On the named domain P_LSHist is L = 1 − ½(t^k + t^(k+1)) exactly, and P_EHD = "
        "W/Z with W ≥ 1 + 2k·t, as H < τ ≤ 2·GS.  The condition Z ≤ n is what the printed lower "
        "bound takes for granted (thm-4.5-EHD-lower-count).",
    ),
)

"""A Cor. 4.5.1 to 4.5.3 as their headlines read: with O(·), and for more than two categories.

:mod:`dpaudit_proofs.thresholds` and :mod:`dpaudit_proofs.good_outputs` decide the explicit
thresholds of the printed proofs.  The headlines say less and more: O(·) allows a constant factor,
which makes the first two true of data where the explicit thresholds are not enough; and Cor. 4.5.3,
unlike the others, is stated for Dirichlet posteriors.  Letters as in those modules: t = e^(−ε), T =
t^k, c = 2·GS = √(4 − π), q = e^(−ε/c), m = 2k + 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim
from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import Ball, ball, minimum
from dpaudit.numbers.real import real
from dpaudit_proofs.accuracy_laws import (
    FLAT,
    at,
    chance,
    chance_again,
    clamped,
    clamped_again,
    ehd_factor,
    ehd_factor_again,
    near,
    near_again,
)
from dpaudit_proofs.definitions import histograms, number, posterior_distance
from dpaudit_proofs.theorem_four_five_upper import TWO_GS_ABOVE
from dpaudit_proofs.typed_near import BELOW_1, WITHIN_TAU
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS"]

Margin = tuple["Callable[[], Ball]", "Callable[[], Any]"]


def _half_of_the_threshold(x: tuple[int, int], tau: str, epsilon: str) -> Margin:
    """Return the smaller of 2k·t + 1 − 2n·(1 − ½(T + T·t)) and P_LSHist − P_EHD; prior (1, 1)."""
    n, level = sum(x), Fraction(tau)

    def margin() -> Ball:
        firsts = near(FLAT, x, level)
        k = max(abs(first - x[0]) for first in firsts)
        t = (-real(epsilon).ball()).exp()
        premise = 2 * k * t + 1 - 2 * n * (1 - (t**k + t ** (k + 1)) / 2)
        exponential = chance(FLAT, x, ehd_factor(epsilon), firsts)
        return minimum([premise, clamped(x[0], n, epsilon, firsts).ball() - exponential])

    def again() -> Any:
        from mpmath import exp

        firsts = near_again(FLAT, x, level)
        k = max(abs(first - x[0]) for first in firsts)
        t = exp(-number(epsilon))
        premise = 2 * k * t + 1 - 2 * n * (1 - (t**k + t ** (k + 1)) / 2)
        exponential = chance_again(FLAT, x, ehd_factor_again(epsilon), firsts)
        return min(premise, clamped_again(x[0], n, epsilon, firsts) - exponential)

    return margin, again


_FLAT_THREE = (Fraction(1),) * 3
_CENTRE = (6, 6, 6)
_SMALL_EPSILON = "1/4"


def _is_good(r: tuple[int, ...]) -> bool:
    """Tell whether ``r`` is the centre or one of its six neighbours."""
    return sum(abs(a - b) for a, b in zip(r, _CENTRE, strict=True)) <= 2


def _three_margin() -> Ball:
    """Return the smallest margin against Cor. 4.5.3 at (6, 6, 6), ε = 1/4.

    They are those of n > 3/(q(1 − t)), of R_g being the centre and its neighbours, and of
    P_EHD[R_g] > P_LSHist[R_g], where LSHist has noise of scale 2/ε on the first two counts.
    """
    n, s = sum(_CENTRE), ehd_factor(_SMALL_EPSILON)
    t, q = (-real(_SMALL_EPSILON).ball()).exp(), (-s).exp()
    row = dict(zip(Histograms(n, 3), HellingerMetric(_FLAT_THREE).row(_CENTRE), strict=True))
    reach = HellingerMetric(_FLAT_THREE).between(_CENTRE, (7, 5, 6))
    weights = {r: (-s * h).exp() for r, h in row.items()}
    good = [r for r in row if _is_good(r)]
    exponential = sum((weights[r] for r in good), ball(0)) / sum(weights.values(), ball(0))
    rate = str(Fraction(_SMALL_EPSILON) / 2)
    one = {j: clamped(6, n, rate, [j]).ball() for j in (5, 6, 7)}
    laplace = sum((one[r[0]] * one[r[1]] for r in good), ball(0))
    outside = [h - reach for r, h in row.items() if not _is_good(r)]
    return minimum([n * q * (1 - t) - 3, *outside, exponential - laplace])


def _three_again() -> Any:
    from mpmath import exp

    n, s = sum(_CENTRE), ehd_factor_again(_SMALL_EPSILON)
    t, q = exp(-number(_SMALL_EPSILON)), exp(-s)
    row = {r: posterior_distance(_FLAT_THREE, _CENTRE, r) for r in histograms(n, 3)}
    reach = row[7, 5, 6]
    good = [r for r in row if _is_good(r)]
    exponential = sum(exp(-s * row[r]) for r in good) / sum(exp(-s * h) for h in row.values())
    rate = str(Fraction(_SMALL_EPSILON) / 2)
    laplace = sum(
        clamped_again(6, n, rate, [r[0]]) * clamped_again(6, n, rate, [r[1]]) for r in good
    )
    outside = [h - reach for r, h in row.items() if not _is_good(r)]
    return min(n * q * (1 - t) - 3, *outside, exponential - laplace)


CLAIMS = (
    Claim(
        id="cor-4.5.1-order",
        **WITHIN_TAU["cor-4.5.1-order"],
        source="A Cor. 4.5.1, the headline with O(·), ε in a bounded range",
        statement="for ε ≤ E there is a constant C, free of x, τ, k and the prior, such that "
        "LSHist is more accurate than EHD for n ≥ C·(2k + 1)·e^ε/(1 − e^(−ε))",
        formula="∀ E > 0: C = 2·e^(2E/25) has ∀ x, τ, k ≥ 0, 0 < ε ≤ E: n ≥ C·(2k + 1)·e^ε/(1 − t) "
        "⟹ P_LSHist[H < τ] > P_EHD[H < τ]",
        domain="two categories, all data, all priors, all τ > 0 and E > 0",
        evidence=(
            BELOW_1,
            TWO_GS_ABOVE,
            SumOfProducts(
                title="N/Z < P from N ≤ m, Z ≥ 1 + n·q, P ≥ u/2, u = 1 − t and n·q·u ≥ 2m",
                goal="2*P*Z - 2*N",
                hypotheses=("u", "2*P - u", "Z", "Z - 1 - n*q", "n*q*u - 2*m", "m - N"),
                products=(
                    ("1", ("u",)),
                    ("1", ("2*P - u", "Z")),
                    ("1", ("u", "Z - 1 - n*q")),
                    ("1", ("n*q*u - 2*m",)),
                    ("2", ("m - N",)),
                ),
                strict=True,
                positive=("u",),
            ),
        ),
        derivation="LSHist puts out x itself if 0 ≤ Y < 1, so P_LSHist ≥ ½(1 − t) whatever the "
        "data and τ; and at most m candidates are within τ, N their weight.  By the lemma 1/c is "
        "below 27/25, so q·e^ε ≥ e^(−2E/25) and n·q·(1 − t) ≥ C·m·e^(−2E/25) = 2m.  So data whose "
        "two sides differ, which break the explicit threshold (cor-4.5.1), need only a constant "
        "more.  For E = 1 it is C < 2.17.  One C for all ε there is not: q·e^ε → 0.",
    ),
    Claim(
        id="cor-4.5.2-order",
        **WITHIN_TAU["cor-4.5.2-order"],
        source="A Cor. 4.5.2, the headline with O(·), half of the explicit threshold",
        statement="EHD is more accurate than LSHist, P_EHD[H < τ] > P_LSHist[H < τ], for "
        "n ≤ ½·(2k·e^(−ε) + 1)/(1 − ½(e^(−kε) + e^(−(k+1)ε)))",
        formula="∀ x, τ, ε: 2n·(1 − ½(t^k + t^(k+1))) ≤ 2k·t + 1 ⟹ P_EHD > P_LSHist",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0",
        evidence=(
            at(
                "data at the edge: clamping helps LSHist, and does so for any constant",
                "2n·(1 − ½(t^k + t^(k+1))) < 2k·t + 1 and P_EHD < P_LSHist, k = 0",
                {"prior": "(1, 1)", "x": "(0, 2)", "τ": "1/4", "ε": "1/4"},
                _half_of_the_threshold((0, 2), "1/4", "1/4"),
            ),
            SumOfProducts(
                title="W/Z > L from 2n·L ≤ 2k·t + 1, W ≥ 2k·t + 1, Z < n + 1 and n ≥ 1",
                domain="data where the candidates within τ are exactly those of at most k steps on "
                "either side, all of which exist, k < min(c₁, c₂) and τ ≤ √(4 − π)",
                goal="W - L*Z",
                hypotheses=("L", "n + 1 - Z", "n - 1", "W - 2*k*t - 1", "2*k*t + 1 - 2*n*L"),
                products=(
                    ("1", ("L", "n + 1 - Z")),
                    ("1", ("L", "n - 1")),
                    ("1", ("W - 2*k*t - 1",)),
                    ("1", ("2*k*t + 1 - 2*n*L",)),
                ),
                strict=True,
                positive=("L", "n + 1 - Z"),
            ),
        ),
        derivation="As cor-4.5.2, with Z < n + 1 ≤ 2n, which is always so, in place of Z ≤ n: the "
        "n for n + 1 of the printed bound costs a factor of 2 at most.  At x = (0, 2), k = 0, "
        "P_LSHist = 1 − ½t > ½, and every multiple of the threshold is above 2 for small ε.",
    ),
    Claim(
        id="cor-4.5.3-dirichlet",
        **REFUTED["cor-4.5.3-dirichlet"],
        source="A Cor. 4.5.3, stated with DirP(x)",
        statement="with R_g = {r : H(x, r) ≤ LS(x)}, P[LSHist(x) ∈ R_g] > P[EHD(x) ∈ R_g] for "
        "n > 3/(e^(−ε/c)·(1 − e^(−ε))), c = 2√(1 − π/4), for three categories too",
        formula="∀ x, ε: n·q·(1 − t) > 3 ⟹ P_LSHist[R_g] > P_EHD[R_g], |X| = 3",
        domain="three categories, all data, prior (1, 1, 1), all ε > 0",
        evidence=(
            at(
                "small ε: two noises of twice the scale must both be small",
                "n > 3/(q(1 − t)), R_g is x and its six neighbours, and P_EHD[R_g] > P_LSHist[R_g]",
                {"prior": "(1, 1, 1)", "x": str(_CENTRE), "ε": _SMALL_EPSILON},
                (_three_margin, _three_again),
            ),
        ),
        derivation="Its proof counts three good outputs and n candidates, as for two categories.  "
        "With three, R_g has up to seven, and LSHist adds noise of scale 2/ε to two counts: as "
        "ε → 0 at the threshold, P_LSHist[R_g] is near 7·(ε/4)² but P_EHD[R_g] near 7·2/n² = "
        "14·(ε/3)².",
        repaired="For two categories, cor-4.5.3.",
    ),
)

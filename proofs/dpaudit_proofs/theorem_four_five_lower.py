"""A Thm 4.5, lower bounds on P[H(x, output) < τ] for the exponential mechanisms EHD and EHDL.

Both mechanisms are P(r) ∝ e^(−s·H(x, r)), with s = ε/(2·GS), GS = √(1 − π/4), for EHD and
s = ε/(2·LS(x)) for EHDL.  Write k for the largest number of steps at which some candidate is
within τ (as printed), W for the sum of the weights of the candidates within τ, Z for the sum of
all n + 1 weights; the probability is W/Z.  What is certain of W and Z, for H < 1:

* at most 2k + 1 candidates are within τ, so W ≤ 2k + 1, and Z ≥ 1 + n·e^(−s);
* if the k steps on both sides are within τ, W ≥ 1 + 2k·e^(−sτ);
* Z ≤ 1 + n·e^(−sh) ≤ 1 + n, h being the distance to the nearest other candidate.

The notes have n where Z has n + 1 terms, and replace e^(−ε/(2·GS)) by e^(−ε), as if 2·GS ≥ 1.  But
(2·GS)² = 4 − π < 1: the replacement makes an upper bound smaller, and is the wrong way round.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import AffinityTable
from dpaudit.numbers.ball import ball, working_precision
from dpaudit.numbers.real import real
from dpaudit_proofs.accuracy_laws import (
    FLAT,
    at,
    chance,
    chance_again,
    ehd_factor,
    ehd_factor_again,
    ehdl_factor,
    ehdl_factor_again,
    exponent_step,
    furthest,
    near,
    near_again,
    normaliser,
    normaliser_again,
)
from dpaudit_proofs.definitions import number
from dpaudit_proofs.derived_noise import NEAR
from dpaudit_proofs.typed_near import LOCAL_ABOVE_0, WITHIN_TAU

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.ball import Ball

__all__ = ["CLAIMS"]
_K = "k the largest |k′| with H(Beta(α, β), Beta(α + k′, β − k′)) < τ"
_ALL = "two categories, all data, all priors, all ε > 0 and τ > 0"
_BOTH = "data where the k steps on both sides exist and are within τ"
_FEW = (
    "and n·(1 − e^(−s·h)) > 1, h the distance from x to the nearest other candidate (then the "
    "normaliser is below n)"
)


def _lower(
    mechanism: str, x: tuple[int, int], tau: str, epsilon: str
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return (2k·e^(−ε) + 1)/n − P[H < τ] for EHD, with e^(−ε/(2·LS)) for EHDL; prior (1, 1)."""
    n, level = sum(x), Fraction(tau)

    def margin() -> Ball:
        firsts = near(FLAT, x, level)
        ehd = mechanism == "EHD"
        factor = ehd_factor(epsilon) if ehd else ehdl_factor(FLAT, x, epsilon)
        smallest = (-(real(epsilon).ball() if ehd else factor)).exp()
        printed = (2 * furthest(x, firsts) * smallest + 1) / n
        return printed - chance(FLAT, x, factor, firsts)

    def again() -> Any:
        from mpmath import exp

        firsts = near_again(FLAT, x, level)
        ehd = mechanism == "EHD"
        factor = ehd_factor_again(epsilon) if ehd else ehdl_factor_again(FLAT, x, epsilon)
        smallest = exp(-(number(epsilon) if ehd else factor))
        printed = (2 * furthest(x, firsts) * smallest + 1) / n
        return printed - chance_again(FLAT, x, factor, firsts)

    return margin, again


def _lower_proof(title: str, domain: str) -> tuple[SumOfProducts, SumOfProducts]:
    """Return W/Z > (2k·E + 1)/n from W ≥ 1 + 2k·E and Z < n, with Z < n as a lemma."""
    return (
        SumOfProducts(
            title="Z < n: with g = e^(−s·h), Z ≤ 1 + n·g and n·(1 − g) > 1",
            role=Role.LEMMA,
            goal="n - Z",
            hypotheses=("n - n*g - 1", "1 + n*g - Z"),
            products=(("1", ("n - n*g - 1",)), ("1", ("1 + n*g - Z",))),
            strict=True,
            positive=("n - n*g - 1",),
        ),
        SumOfProducts(
            title=title,
            domain=domain,
            goal="n*W - (2*k*E + 1)*Z",
            hypotheses=("2*k*E + 1", "n - Z", "n", "W - 2*k*E - 1"),
            products=(("1", ("2*k*E + 1", "n - Z")), ("1", ("n", "W - 2*k*E - 1"))),
            strict=True,
            positive=("2*k*E + 1", "n - Z"),
        ),
    )


def _count_margin() -> Ball:
    return normaliser(FLAT, (1, 1), ehd_factor("4/5")) - 2


def _count_again() -> Any:
    return normaliser_again(FLAT, (1, 1), ehd_factor_again("4/5")) - 2


def _edge_margin() -> Ball:
    affinity = AffinityTable(Fraction(1), working_precision()).row(0, 1)[1]
    return 1 - affinity - ball(Fraction(1, 9))


def _edge_again() -> Any:
    from mpmath import mpf, pi, sqrt

    return 1 - sqrt(pi) / 2 - mpf(1) / 9


CLAIMS = (
    Claim(
        id="thm-4.5-EHD-lower",
        **WITHIN_TAU["thm-4.5-EHD-lower"],
        source="A Thm 4.5, third line",
        statement="(2k·e^(−ε) + 1)/n < P[H(x, EHD(x)) < τ]; " + _K,
        formula="∀ x, τ, ε: (2k·e^(−ε) + 1)/n < W/Z",
        domain=_ALL,
        evidence=(
            at(
                "two records, the notes' own ε: three candidates share what is divided by two",
                "1/n > P[EHD(x) = x], k = 0",
                {"prior": "(1, 1)", "x": "(1, 1)", "τ": "1/4", "ε": "4/5"},
                _lower("EHD", (1, 1), "1/4", "4/5"),
            ),
            at(
                "any n, if ε is small",
                "(2e^(−ε) + 1)/n > P[H < τ], k = 1",
                {"prior": "(1, 1)", "x": "(4, 4)", "τ": "3/10", "ε": "1/10"},
                _lower("EHD", (4, 4), "3/10", "1/10"),
            ),
            at(
                "data at the edge: only one side has k steps",
                "(2k·e^(−ε) + 1)/n > P[H < τ], k = 5",
                {"prior": "(1, 1)", "x": "(0, 10)", "τ": "9/10", "ε": "2/5"},
                _lower("EHD", (0, 10), "9/10", "2/5"),
            ),
            *_lower_proof(
                "W/Z > (2k·E + 1)/n with E = e^(−ε) ≤ e^(−ετ/(2·GS))",
                f"{_BOTH}, τ ≤ 2·GS, {_FEW}, s = ε/(2·GS)",
            ),
        ),
        derivation="For τ ≤ 2·GS every weight within τ is above e^(−ε), so W ≥ 1 + 2k·e^(−ε).  As "
        "ε → 0 all weights tend to 1 and P to (2k + 1)/(n + 1), which is below the printed bound's "
        "limit (2k + 1)/n; at k = 0 the bound holds exactly where Z < n.",
        repaired="(2k·e^(−ετ/(2·GS)) + 1)/(n + 1) < P for all n ≥ 1 and ε > 0 where the k steps on "
        "both sides exist and are within τ (W ≥ 1 + 2k·e^(−sτ), Z < n + 1).",
    ),
    Claim(
        id="thm-4.5-EHD-lower-count",
        typed=forall(
            "real a b eps, natural n c",
            "a > 0",
            "b > 0",
            "eps > 0",
            "n >= 1",
            "c <= n",
            holds="sum(r, 0, n, exp(-eps*H((a + c, b + n - c), (a + r, b + n - r))/(2*sqrt(1 - "
            "pi/4)))) <= n",
        ),
        holds_on=(
            "all(r, 0, n, r == c or n*(1 - exp(-eps*H((a + c, b + n - c), (a + r, b + n - r))/"
            "(2*sqrt(1 - pi/4)))) > 1)",
        ),
        points=({"a": "1", "b": "1", "eps": "4/5", "n": "2", "c": "1"},),
        source="A Thm 4.5, proof",
        step_of="thm-4.5-EHD-lower",
        statement="the normaliser of EHD is at most n·exp(0)",
        formula="∀ x, ε: Σ_r e^(−ε·H(x, r)/(2·GS)) ≤ n",
        domain="two categories, all data, all priors, all ε > 0",
        evidence=(
            at(
                "there are n + 1 candidates",
                "Z > n",
                {"prior": "(1, 1)", "x": "(1, 1)", "ε": "4/5"},
                (_count_margin, _count_again),
            ),
            SumOfProducts(
                title="Z < n: with g = e^(−s·h), Z ≤ 1 + n·g and n·(1 − g) > 1",
                domain="n·(1 − e^(−s·h)) > 1, h the distance to the nearest other candidate",
                goal="n - Z",
                hypotheses=("n - n*g - 1", "1 + n*g - Z"),
                products=(("1", ("n - n*g - 1",)), ("1", ("1 + n*g - Z",))),
                strict=True,
                positive=("n - n*g - 1",),
            ),
        ),
        repaired="Z < n + 1.",
    ),
    Claim(
        id="thm-4.5-EHD-lower-step",
        typed=forall(
            "real eps tau",
            "eps > 0",
            "tau > 0",
            "tau <= 1",
            holds="exp(-eps*tau/(2*sqrt(1 - pi/4))) > exp(-eps)",
        ),
        holds_on=("tau < 2*sqrt(1 - pi/4)",),
        source="A Thm 4.5, proof, last step of the lower bound",
        step_of="thm-4.5-EHD-lower",
        statement="(2k·e^(−ετ/(2·GS)) + 1)/n > (2k·e^(−ε) + 1)/n",
        formula="∀ k, n, ε, τ: e^(−ετ/(2·GS)) > e^(−ε)",
        domain="k ≥ 1, n ≥ 1, ε > 0, 0 < τ ≤ 1",
        evidence=(
            NEAR,
            at(
                "it fails at τ = 1, because 2·GS < 1",
                "e^(−ετ/(2·GS)) < e^(−ε)",
                {"τ": "1", "ε": "4/5"},
                exponent_step("1", "4/5"),
            ),
            SumOfProducts(
                title="the exponents: ε > ετ/c for τ < c = 2·GS, times c",
                domain="τ < 2·√(1 − π/4) = 0.9265…",
                goal="e*c - e*t",
                hypotheses=("e", "c - t"),
                products=(("1", ("e", "c - t")),),
                strict=True,
                positive=("e", "c - t"),
            ),
        ),
        derivation="e^(−·) falls, so the step is ετ/(2·GS) < ε.",
    ),
    Claim(
        id="thm-4.5-EHDL-lower",
        **WITHIN_TAU["thm-4.5-EHDL-lower"],
        source="A Thm 4.5, fourth line",
        statement="(2k·e^(−ε/(2·LS(x))) + 1)/n < P[H(x, EHDL(x)) < τ]; " + _K,
        formula="∀ x, τ, ε: (2k·e^(−ε/(2·LS(x))) + 1)/n < W/Z",
        domain=_ALL,
        evidence=(
            LOCAL_ABOVE_0,
            at(
                "two records, the notes' own ε",
                "1/n > P[EHDL(x) = x], k = 0",
                {"prior": "(1, 1)", "x": "(1, 1)", "τ": "1/4", "ε": "4/5"},
                _lower("EHDL", (1, 1), "1/4", "4/5"),
            ),
            at(
                "small ε",
                "(2e^(−ε/(2·LS)) + 1)/n > P[H < τ], k = 1",
                {"prior": "(1, 1)", "x": "(4, 4)", "τ": "3/10", "ε": "1/100"},
                _lower("EHDL", (4, 4), "3/10", "1/100"),
            ),
            *_lower_proof(
                "W/Z > (2k·E + 1)/n with E = e^(−ε/(2·LS(x)))",
                f"{_BOTH}, {_FEW}, s = ε/(2·LS(x)); where h = LS(x), as at balanced data of even n "
                "under a symmetric prior, that is n·(1 − e^(−ε/2)) > 1",
            ),
        ),
        derivation="H < 1, so every weight is at least E and W ≥ 1 + 2k·E.  The printed proof "
        "calls the mechanism EHD here and again takes n for the n + 1 candidates.",
        repaired="(2k·e^(−ε/(2·LS(x))) + 1)/(n + 1) < P for all n ≥ 1 and ε > 0 where the k steps "
        "on both sides exist and are within τ.",
    ),
    Claim(
        id="thm-4.5-LS-limit",
        source="A Thm 4.5, last remark of its proof",
        step_of="thm-4.5-EHDL-lower",
        statement="LS(x) → 0 as n → ∞, so e^(−ε/(2·LS(x))) has no lower bound but 0",
        formula="∀ x₁, x₂, … with n → ∞: LS(xₙ) → 0",
        domain="two categories, all data, all priors",
        evidence=(
            at(
                "at the edge LS stays above 1/3, and e^(−ε/(2·LS)) above e^(−3ε/2), for every n",
                "LS(x)² ≥ 1 − G(1, 2) = 1 − √π/2 > 1/9",
                {"prior": "(1, 1)", "x": "(0, n)"},
                (_edge_margin, _edge_again),
            ),
            SumOfProducts(
                title="H² = 1 − g·h is at most (1 − g) + (1 − h)",
                domain="data for which both posterior parameters grow without bound, such as "
                "balanced data",
                goal="(1 - g) + (1 - h) - (1 - g*h)",
                hypotheses=("1 - g", "1 - h"),
                products=(("1", ("1 - g", "1 - h")),),
            ),
        ),
        derivation="From (0, n) to (1, n − 1) the affinity is G(1, 2)·G(n + 1, n) ≤ G(1, 2).  In "
        "general a step has the affinity g·h with g = G(s, s + 1), and ln Γ being convex gives "
        "g ≥ g² ≥ s/(s + ½), so 1 − g ≤ 1/(2s + 1); likewise h.  Here s and its fellow are at "
        "least the smaller posterior parameter less 1.",
        repaired="LS(x) → 0 if both posterior parameters grow without bound.",
    ),
)

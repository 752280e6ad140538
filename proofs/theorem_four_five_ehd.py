"""A Thm 4.5, the exponential half: P[H(x, output) < τ] for EHD and EHDL.

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
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.claims.smt import SMTProof
from dpaudit.exact.ball import Ball, ball
from dpaudit.exact.real import ONE, PI, Real, rational, real
from dpaudit.mechanisms.hellinger_exponential import QUOTED_GLOBAL_SENSITIVITY
from proofs.accuracy_laws import (
    FLAT,
    chance,
    chance_again,
    ehd_factor,
    ehd_factor_again,
    ehdl_factor,
    ehdl_factor_again,
    near,
    near_again,
    normaliser,
    normaliser_again,
)
from proofs.definitions import number

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS", "TWO_GS_BELOW_ONE", "UPPER", "exponent_step"]

_K = "k the largest |k′| with H(Beta(α, β), Beta(α + k′, β − k′)) < τ"
_ALL = "two categories, all data, all priors, all ε > 0 and τ > 0"
_BOTH = "data where the k steps on both sides exist and are within τ"
_FEW = (
    "and n·(1 − e^(−s·h)) > 1, h the distance from x to the nearest other candidate (then the "
    "normaliser is below n)"
)


def _literal_k(x: tuple[int, int], firsts: list[int]) -> int:
    return max(abs(first - x[0]) for first in firsts)


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
        printed = (2 * _literal_k(x, firsts) * smallest + 1) / n
        return printed - chance(FLAT, x, factor, firsts)

    def again() -> Any:
        from mpmath import exp

        firsts = near_again(FLAT, x, level)
        ehd = mechanism == "EHD"
        factor = ehd_factor_again(epsilon) if ehd else ehdl_factor_again(FLAT, x, epsilon)
        smallest = exp(-(number(epsilon) if ehd else factor))
        printed = (2 * _literal_k(x, firsts) * smallest + 1) / n
        return printed - chance_again(FLAT, x, factor, firsts)

    return margin, again


def _upper(
    x: tuple[int, int], tau: str, epsilon: str
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return P[H < τ] − (2k + 1)/(n·e^(−ε)) for EHD, prior (1, 1)."""
    n, level = sum(x), Fraction(tau)

    def margin() -> Ball:
        firsts = near(FLAT, x, level)
        printed = (2 * _literal_k(x, firsts) + 1) * real(epsilon).ball().exp() / n
        return chance(FLAT, x, ehd_factor(epsilon), firsts) - printed

    def again() -> Any:
        from mpmath import exp

        firsts = near_again(FLAT, x, level)
        printed = (2 * _literal_k(x, firsts) + 1) * exp(number(epsilon)) / n
        return chance_again(FLAT, x, ehd_factor_again(epsilon), firsts) - printed

    return margin, again


def _at(
    title: str,
    shows: str,
    parameters: dict[str, str],
    functions: tuple[Callable[[], Ball | Real], Callable[[], Any]],
) -> Counterexample:
    margin, again = functions
    return Counterexample(
        title=title, shows=shows, parameters=parameters, margin=margin, again=again
    )


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


UPPER = SumOfProducts(
    title="W/Z < (2k + 1)/(n·q) from W ≤ 2k + 1 and Z ≥ 1 + n·q",
    goal="(2*k + 1)*Z - W*n*q",
    hypotheses=("2*k + 1", "Z - 1 - n*q", "2*k + 1 - W", "n", "q"),
    products=(
        ("1", ("2*k + 1",)),
        ("1", ("2*k + 1", "Z - 1 - n*q")),
        ("1", ("2*k + 1 - W", "n", "q")),
    ),
    strict=True,
    positive=("2*k + 1",),
)
"""The upper bound, with q the smallest weight."""


def _one_minus_square() -> Any:
    from mpmath import pi, sqrt

    return 1 - (2 * sqrt(1 - pi / 4)) ** 2


TWO_GS_BELOW_ONE = Fact(
    title="2·GS < 1, since (2·GS)² = 4 − π",
    role=Role.LEMMA,
    parameters={"GS": "√(1 − π/4)"},
    shows="1 − (4 − π) > 0",
    margin=lambda: ONE - (real(2) * QUOTED_GLOBAL_SENSITIVITY) ** 2,
    again=_one_minus_square,
)


def _two_gs_floor_again() -> Any:
    from mpmath import mpf, pi, sqrt

    return (2 * sqrt(1 - pi / 4)) ** 2 - (mpf(25) / 27) ** 2


def _count_margin() -> Ball:
    return normaliser(FLAT, (1, 1), ehd_factor("4/5")) - 2


def _count_again() -> Any:
    return normaliser_again(FLAT, (1, 1), ehd_factor_again("4/5")) - 2


def exponent_step(tau: str, epsilon: str) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return e^(−ε) − e^(−ετ/(2·GS))."""

    def margin() -> Ball:
        return (-real(epsilon).ball()).exp() - (-ehd_factor(epsilon) * ball(Fraction(tau))).exp()

    def again() -> Any:
        from mpmath import exp

        return exp(-number(epsilon)) - exp(-ehd_factor_again(epsilon) * number(tau))

    return margin, again


CLAIMS = (
    Claim(
        id="thm-4.5-EHD-lower",
        source="A Thm 4.5, third line",
        statement="(2k·e^(−ε) + 1)/n < P[H(x, EHD(x)) < τ]; " + _K,
        formula="∀ x, τ, ε: (2k·e^(−ε) + 1)/n < W/Z",
        domain=_ALL,
        evidence=(
            _at(
                "two records, the notes' own ε: three candidates share what is divided by two",
                "1/n > P[EHD(x) = x], k = 0",
                {"prior": "(1, 1)", "x": "(1, 1)", "τ": "1/4", "ε": "4/5"},
                _lower("EHD", (1, 1), "1/4", "4/5"),
            ),
            _at(
                "any n, if ε is small",
                "(2e^(−ε) + 1)/n > P[H < τ], k = 1",
                {"prior": "(1, 1)", "x": "(4, 4)", "τ": "3/10", "ε": "1/10"},
                _lower("EHD", (4, 4), "3/10", "1/10"),
            ),
            _at(
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
        source="A Thm 4.5, proof",
        step_of="thm-4.5-EHD-lower",
        statement="the normaliser of EHD is at most n·exp(0)",
        formula="∀ x, ε: Σ_r e^(−ε·H(x, r)/(2·GS)) ≤ n",
        domain="two categories, all data, all priors, all ε > 0",
        evidence=(
            _at(
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
        source="A Thm 4.5, proof, last step of the lower bound",
        step_of="thm-4.5-EHD-lower",
        statement="(2k·e^(−ετ/(2·GS)) + 1)/n > (2k·e^(−ε) + 1)/n",
        formula="∀ k, n, ε, τ: e^(−ετ/(2·GS)) > e^(−ε)",
        domain="k ≥ 1, n ≥ 1, ε > 0, 0 < τ ≤ 1",
        evidence=(
            _at(
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
        id="thm-4.5-EHD-upper",
        source="A Thm 4.5, third line",
        statement="P[H(x, EHD(x)) < τ] < (2k + 1)/(n·e^(−ε)); " + _K,
        formula="∀ x, τ, ε: W/Z < (2k + 1)·e^ε/n",
        domain=_ALL,
        evidence=(
            _at(
                "at the edge, with the notes' own ε",
                "P[EHD(x) = x] > e^ε/n, k = 0",
                {"prior": "(1, 1)", "x": "(0, 100)", "τ": "1/4", "ε": "4/5"},
                _upper((0, 100), "1/4", "4/5"),
            ),
            _at(
                "at balanced data",
                "P[EHD(x) = x] > e^ε/n, k = 0",
                {"prior": "(1, 1)", "x": "(500, 500)", "τ": "1/100", "ε": "3/10"},
                _upper((500, 500), "1/100", "3/10"),
            ),
            Fact(
                title="2·GS > 25/27",
                role=Role.LEMMA,
                parameters={"GS": "√(1 − π/4)"},
                shows="4 − π > (25/27)²",
                margin=lambda: real(4) - PI - rational(Fraction(625, 729)),
                again=_two_gs_floor_again,
            ),
            SMTProof(
                title="n·(t − q) < 1 for n ≤ 35, with t = z^25 and q ≥ z^27, z = e^(−ε/25)",
                role=Role.LEMMA,
                hypotheses=("0 < z", "z < 1"),
                goal="35*z^25*(1 - z^2) < 1",
            ),
            SumOfProducts(
                title="W/Z < (2k + 1)/(n·t) from W ≤ 2k + 1, Z ≥ 1 + n·q and n·(t − q) < 1",
                domain="n ≤ 35",
                goal="(2*k + 1)*Z - W*n*t",
                hypotheses=("2*k + 1", "1 - n*t + n*q", "Z - 1 - n*q", "2*k + 1 - W", "n", "t"),
                products=(
                    ("1", ("2*k + 1", "1 - n*t + n*q")),
                    ("1", ("2*k + 1", "Z - 1 - n*q")),
                    ("1", ("2*k + 1 - W", "n", "t")),
                ),
                strict=True,
                positive=("2*k + 1", "1 - n*t + n*q"),
            ),
            SumOfProducts(
                title="the same from Z ≥ 1 + n·t, which every H(x, r) ≤ 2·GS gives",
                domain="data with every candidate at a distance of at most 2·√(1 − π/4)",
                goal="(2*k + 1)*Z - W*n*t",
                hypotheses=("2*k + 1", "Z - 1 - n*t", "2*k + 1 - W", "n", "t"),
                products=(
                    ("1", ("2*k + 1",)),
                    ("1", ("2*k + 1", "Z - 1 - n*t")),
                    ("1", ("2*k + 1 - W", "n", "t")),
                ),
                strict=True,
                positive=("2*k + 1",),
            ),
        ),
        derivation="With t = e^(−ε) and q = e^(−ε/(2·GS)): far candidates (H near 1) have weight "
        "near q < t, so for many of them Z falls below n·t.  By the lemma 1/(2·GS) < 27/25, hence "
        "q ≥ t^(27/25).",
        repaired="P < (2k + 1)/(n·e^(−ε/(2·GS))), for all data, n, ε, τ (next claim).",
    ),
    Claim(
        id="thm-4.5-EHD-upper-chain",
        source="A Thm 4.5, proof, upper bound up to its third line",
        step_of="thm-4.5-EHD-upper",
        statement="P[H(x, EHD(x)) < τ] ≤ (2k + 1)/(n·e^(−ε/(2·GS)))",
        formula="∀ x, τ, ε: W/Z ≤ (2k + 1)/(n·e^(−ε/(2·GS)))",
        domain=_ALL,
        evidence=(UPPER,),
        derivation="At most 2k + 1 candidates lie within τ, each of weight at most 1; x itself has "
        "weight 1 and the n others at least q = e^(−ε/(2·GS)), as H ≤ 1.  It is even strict.",
    ),
    Claim(
        id="thm-4.5-EHD-step",
        source="A Thm 4.5, proof, last step of the upper bound",
        step_of="thm-4.5-EHD-upper",
        statement="(2k + 1)/(n·e^(−ε/(2·GS))) < (2k + 1)/(n·e^(−ε)), GS = √(1 − π/4)",
        formula="∀ ε > 0: e^(−ε/(2·GS)) > e^(−ε)",
        domain="all ε > 0, k ≥ 0, n ≥ 1",
        evidence=(
            _at(
                "it is the other way round",
                "e^(−ε/(2·GS)) < e^(−ε)",
                {"ε": "4/5"},
                exponent_step("1", "4/5"),
            ),
            TWO_GS_BELOW_ONE,
        ),
        derivation="2·GS = √(4 − π) < 1, so ε/(2·GS) > ε: the step is false for every ε > 0, not "
        "only here.",
        repaired="(2k + 1)/(n·e^(−ε)) < (2k + 1)/(n·e^(−ε/(2·GS))).",
    ),
    Claim(
        id="thm-4.5-EHDL-lower",
        source="A Thm 4.5, fourth line",
        statement="(2k·e^(−ε/(2·LS(x))) + 1)/n < P[H(x, EHDL(x)) < τ]; " + _K,
        formula="∀ x, τ, ε: (2k·e^(−ε/(2·LS(x))) + 1)/n < W/Z",
        domain=_ALL,
        evidence=(
            _at(
                "two records, the notes' own ε",
                "1/n > P[EHDL(x) = x], k = 0",
                {"prior": "(1, 1)", "x": "(1, 1)", "τ": "1/4", "ε": "4/5"},
                _lower("EHDL", (1, 1), "1/4", "4/5"),
            ),
            _at(
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
        id="thm-4.5-EHDL-upper",
        source="A Thm 4.5, fourth line",
        statement="P[H(x, EHDL(x)) < τ] < (2k + 1)/(n·e^(−ε/(2·LS(x)))); " + _K,
        formula="∀ x, τ, ε: W/Z < (2k + 1)/(n·e^(−ε/(2·LS(x))))",
        domain=_ALL,
        evidence=(UPPER,),
        derivation="As for EHD with q = e^(−ε/(2·LS(x))): W ≤ 2k + 1 and Z ≥ 1 + n·q.  LS enters "
        "as it is and nothing is replaced, so the printed bound stands.",
    ),
)

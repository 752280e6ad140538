"""A Thm 4.5, upper bounds on P[H(x, output) < τ] for EHD and EHDL.

W, Z, k and s as in :mod:`dpaudit_proofs.theorem_four_five_lower`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Fact, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.hellinger_exponential import QUOTED_GLOBAL_SENSITIVITY
from dpaudit.numbers.real import ONE, PI, rational, real
from dpaudit_proofs.accuracy_laws import (
    FLAT,
    at,
    chance,
    chance_again,
    ehd_factor,
    ehd_factor_again,
    exponent_step,
    furthest,
    near,
    near_again,
)
from dpaudit_proofs.definitions import number
from dpaudit_proofs.typed_near import LOCAL_ABOVE_0, WITHIN_TAU

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.ball import Ball

__all__ = ["CLAIMS", "TWO_GS_ABOVE", "TWO_GS_BELOW_ONE", "UPPER"]
_K = "k the largest |k′| with H(Beta(α, β), Beta(α + k′, β − k′)) < τ"
_ALL = "two categories, all data, all priors, all ε > 0 and τ > 0"


def _upper(
    x: tuple[int, int], tau: str, epsilon: str
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return P[H < τ] − (2k + 1)/(n·e^(−ε)) for EHD, prior (1, 1)."""
    n, level = sum(x), Fraction(tau)

    def margin() -> Ball:
        firsts = near(FLAT, x, level)
        printed = (2 * furthest(x, firsts) + 1) * real(epsilon).ball().exp() / n
        return chance(FLAT, x, ehd_factor(epsilon), firsts) - printed

    def again() -> Any:
        from mpmath import exp

        firsts = near_again(FLAT, x, level)
        printed = (2 * furthest(x, firsts) + 1) * exp(number(epsilon)) / n
        return chance_again(FLAT, x, ehd_factor_again(epsilon), firsts) - printed

    return margin, again


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


TWO_GS_ABOVE = Fact(
    title="2·GS > 25/27",
    role=Role.LEMMA,
    parameters={"GS": "√(1 − π/4)"},
    shows="4 − π > (25/27)²",
    margin=lambda: real(4) - PI - rational(Fraction(625, 729)),
    again=_two_gs_floor_again,
)

CLAIMS = (
    Claim(
        id="thm-4.5-EHD-upper",
        source="A Thm 4.5, third line",
        statement="P[H(x, EHD(x)) < τ] < (2k + 1)/(n·e^(−ε)); " + _K,
        formula="∀ x, τ, ε: W/Z < (2k + 1)·e^ε/n",
        domain=_ALL,
        evidence=(
            at(
                "at the edge, with the notes' own ε",
                "P[EHD(x) = x] > e^ε/n, k = 0",
                {"prior": "(1, 1)", "x": "(0, 100)", "τ": "1/4", "ε": "4/5"},
                _upper((0, 100), "1/4", "4/5"),
            ),
            at(
                "at balanced data",
                "P[EHD(x) = x] > e^ε/n, k = 0",
                {"prior": "(1, 1)", "x": "(500, 500)", "τ": "1/100", "ε": "3/10"},
                _upper((500, 500), "1/100", "3/10"),
            ),
            TWO_GS_ABOVE,
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
        **WITHIN_TAU["thm-4.5-EHD-upper-chain"],
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
        typed=forall(
            "real eps",
            "eps > 0",
            holds="exp(-eps/(2*sqrt(1 - pi/4))) > exp(-eps)",
        ),
        source="A Thm 4.5, proof, last step of the upper bound",
        step_of="thm-4.5-EHD-upper",
        statement="(2k + 1)/(n·e^(−ε/(2·GS))) < (2k + 1)/(n·e^(−ε)), GS = √(1 − π/4)",
        formula="∀ ε > 0: e^(−ε/(2·GS)) > e^(−ε)",
        domain="all ε > 0, k ≥ 0, n ≥ 1",
        evidence=(
            at(
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
        id="thm-4.5-EHDL-upper",
        **WITHIN_TAU["thm-4.5-EHDL-upper"],
        source="A Thm 4.5, fourth line",
        statement="P[H(x, EHDL(x)) < τ] < (2k + 1)/(n·e^(−ε/(2·LS(x)))); " + _K,
        formula="∀ x, τ, ε: W/Z < (2k + 1)/(n·e^(−ε/(2·LS(x))))",
        domain=_ALL,
        evidence=(
            LOCAL_ABOVE_0,
            UPPER,
        ),
        derivation="As for EHD with q = e^(−ε/(2·LS(x))): W ≤ 2k + 1 and Z ≥ 1 + n·q.  LS enters "
        "as it is and nothing is replaced, so the printed bound stands.",
    ),
)

"""A Thm 4.5, LSZhang: P[H(x, output) < τ] for noise of twice the scale, on both counts or on one.

As in :mod:`dpaudit_proofs.theorem_four_five`, whose integral for −ln(1 − H²) is used again: with
noise on both counts the outputs need not have n records, and {H < τ} is a region of the plane.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Identity
from dpaudit.numbers.real import ONE, real
from dpaudit_proofs.accuracy_laws import (
    FLAT,
    at,
    certainly_below,
    clamped,
    clamped_again,
    distance,
    distance_again,
    furthest,
    near,
    near_again,
)
from dpaudit_proofs.definitions import number
from dpaudit_proofs.theorem_four_five import READING, power_again, tail_again, tail_formula
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.ball import Ball


__all__ = ["CLAIMS"]


def _zhang(
    x: tuple[int, int], tau: str, epsilon: str, *, bound: bool, sign: int
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return the same for LSZhang with noise on both counts, prior (1, 1)."""
    n, level = sum(x), Fraction(tau)
    rate = str(Fraction(epsilon) / 2)

    def margin() -> Ball:
        k = furthest(x, near(FLAT, x, level))
        first, second = ([clamped(c, n, rate, [r]).ball() for r in range(n + 1)] for c in x)
        printed = (ONE - (-real(rate)).exp() ** k if bound else tail_formula(rate, k)).ball() ** 2
        total = -printed
        for i, p in enumerate(first):
            for j, q in enumerate(second):
                if certainly_below(distance(FLAT, x, (i, j)), level):
                    total += p * q
        return sign * total

    def again() -> Any:
        k = furthest(x, near_again(FLAT, x, level))
        inside = sum(
            clamped_again(x[0], n, rate, [i]) * clamped_again(x[1], n, rate, [j])
            for i in range(n + 1)
            for j in range(n + 1)
            if distance_again(FLAT, x, (i, j)) < number(tau)
        )
        printed = power_again(rate, k) if bound else tail_again(rate, k)
        return sign * (inside - printed**2)

    return margin, again


def _kernel_chain() -> list[Any]:
    from sympy import symbols

    y, w = symbols("y w", positive=True)
    return [
        ((1 - 1 / y) ** 2 - (y - 1) ** 2) / (1 - w**2) + (y - 1) ** 2 / (1 - w),
        (y - 1) ** 2 * (1 / y**2 + w) / (1 - w**2),
    ]


CLAIMS = (
    Claim(
        id="thm-4.5-LSZhang-equality",
        **REFUTED["thm-4.5-LSZhang-equality"],
        source="A Thm 4.5, first line",
        statement="P[H(x, LSZhang(x)) < τ] = (1 − ½(e^(−kε/2) + e^(−(k+1)ε/2)))²; " + READING,
        formula="∀ x, τ, ε: P[H < τ] = (1 − ½(e^(−kε/2) + e^(−(k+1)ε/2)))²",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0; LSZhang with noise on "
        "both counts, or on the first with the second completed to n − r₁",
        evidence=(
            at(
                "noise on both counts: {H < τ} is not the square |i|, |j| ≤ k",
                "P[H < τ] > (1 − ½(e^(−ε/2) + e^(−ε)))², k = 1",
                {"prior": "(1, 1)", "x": "(4, 4)", "τ": "3/10", "ε": "4/5", "noise": "both counts"},
                _zhang((4, 4), "3/10", "4/5", bound=False, sign=1),
            ),
            Counterexample(
                title="noise on the first count alone, as Alg. 1 has it: nothing is squared",
                parameters={"prior": "(1, 1)", "x": "(4, 4)", "τ": "3/10", "ε": "4/5"},
                shows="P[H < τ] = 1 − ½(u + u²) > (1 − ½(u + u²))², u = e^(−ε/2), k = 1",
                margin=lambda: (
                    clamped(4, 8, "2/5", near(FLAT, (4, 4), Fraction(3, 10)))
                    - tail_formula("2/5", 1) ** 2
                ),
                again=lambda: (
                    clamped_again(4, 8, "2/5", near_again(FLAT, (4, 4), Fraction(3, 10)))
                    - tail_again("2/5", 1) ** 2
                ),
            ),
        ),
        derivation="Alg. 1 as printed leaves the second parameter at 0, so its output is no "
        "distribution and has no Hellinger distance.  With noise (i, j) on both counts the outputs "
        "need not have n records, and {H < τ} is a region around the diagonal: Beta(6, 6) and "
        "Beta(7, 7) are close to Beta(5, 5).",
        repaired="P ≥ (1 − ½(e^(−kε/2) + e^(−(k+1)ε/2)))² at balanced data under a symmetric prior "
        "(next claim); equality with the power 1 if only the first count gets noise.",
    ),
    Claim(
        id="thm-4.5-LSZhang-bound",
        source="A Thm 4.5, first line",
        statement="P[H(x, LSZhang(x)) < τ] ≥ (1 − e^(−kε/2))²; " + READING,
        formula="∀ x, τ, ε: P[H < τ] ≥ (1 − e^(−kε/2))²",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0; LSZhang with noise on "
        "both counts",
        evidence=(
            at(
                "off balance, k counted on the nearer side",
                "P[H < τ] < (1 − e^(−kε/2))², k = 1",
                {"prior": "(1, 1)", "x": "(1, 9)", "τ": "7/25", "ε": "5", "noise": "both counts"},
                _zhang((1, 9), "7/25", "5", bound=True, sign=-1),
            ),
            Identity(
                title="the integrand of φ_a(l) + φ_2a(−2l) − φ_a(−l) is a square times a positive",
                role=Role.LEMMA,
                chain=_kernel_chain,
                shown=(
                    "((1 − 1/y)² − (y − 1)²)/(1 − w²) + (y − 1)²/(1 − w)",
                    "(y − 1)²·(1/y² + w)/(1 − w²)",
                ),
            ),
            SumOfProducts(
                title="(1 − ½(U + U·u))² ≥ (1 − U)² for U = u^k",
                domain="balanced data under a symmetric prior (a = b)",
                goal="(1 - (U + U*u)/2)^2 - (1 - U)^2",
                hypotheses=("U", "1 - U", "1 - u"),
                products=(("1", ("U", "1 - u", "1 - U")), ("1/4", ("U", "U", "1 - u", "1 - u"))),
            ),
        ),
        derivation="At a = b the whole square |i|, |j| ≤ k lies in {H < τ}, so P is at least the "
        "square of P(−k ≤ Y < k + 1) (clamping adds).  For: with g_a = e^(−φ_a) the affinity of "
        "Beta(a + i, b + j) is g_a(i)·g_b(j)/g_N(i + j), and g is at most 1 and falls with |·| on "
        "either side, with g_a(−s) ≤ g_a(s).  If i ≥ 0 or j ≥ 0 this is at least g_a(k)·g_a(−k), "
        "the affinity of the two candidates k steps away, which is above 1 − τ².  If i = −m and "
        "j = −l, both negative, say m ≥ l: g_a(−m) ≥ g_a(−k), g_2a(−m − l) ≤ g_2a(−2l), "
        "g_a(k) ≤ g_a(l), so it is enough that φ_a(−l) ≤ φ_a(l) + φ_2a(−2l).  Put y = e^(lu/2) and "
        "w = e^(−u/2); with u halved in the last integral, the difference of the two sides is "
        "½∫e^(−au)/u times the expression of the identity, which is ≥ 0.",
        repaired="With k the number of steps that are within τ on both sides.  If only the first "
        "count gets noise, P ≥ 1 − e^(−kε/2) there, hence also its square.",
    ),
)

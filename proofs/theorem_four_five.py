"""A Thm 4.5, the Laplace half: P[H(x, output) < τ] for LSHist and LSZhang.

Two categories; a, b are the posterior parameters of x = (c₁, c₂), N = a + b, and the candidate j
steps away is Beta(a + j, b − j).  What the proofs rest on:

* **H grows with the number of steps, on either side.**  With the integral of ln Γ,

      φ_a(s) = ½·ln Γ(a) + ½·ln Γ(a + s) − ln Γ(a + s/2)
             = ½·∫₀^∞ e^(−au)·(1 − e^(−su/2))² / (u·(1 − e^(−u))) du ≥ 0,

  −ln(1 − H²) is φ_a(j) + φ_b(−j), and both terms grow with |j|.  So the candidates with H < τ are
  those from k₋ steps on one side to k₊ on the other.
* **The printed k** is the largest |k′| with H < τ, that is max(k₋, k₊).  The theorem's formulas are
  those of "k steps on both sides", which is another thing: for x off balance, k₋ ≠ k₊.
* **The noise.**  ⌊c₁ + Y⌋ lies from −k₋ to k₊ steps from c₁ exactly if −k₋ ≤ Y < k₊ + 1; where
  k₋ = c₁ or k₊ = c₂, clamping adds the tail behind it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.algebra import Identity
from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.exact.real import ONE, Real, rational, real
from proofs.accuracy_laws import (
    FLAT,
    certainly_below,
    clamped,
    clamped_again,
    distance,
    distance_again,
    near,
    near_again,
)
from proofs.definitions import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.exact.ball import Ball

__all__ = ["CLAIMS", "MONOTONE", "RAW_NOISE", "STEPS_BOUND", "tail_formula"]

HALF = Fraction(1, 2)

MONOTONE = (
    "H grows with the number of steps on either side, since −ln(1 − H²) = φ_a(j) + φ_b(−j) with "
    "φ_a(s) = ½∫e^(−au)(1 − e^(−su/2))²/(u(1 − e^(−u)))du, so {H < τ} is a run of candidates from "
    "k₋ steps on one side to k₊ on the other, and the printed k is max(k₋, k₊)."
)


def tail_formula(rate: str, k: int) -> Real:
    """Return 1 − ½(e^(−k·rate) + e^(−(k + 1)·rate)) in closed form."""
    t = (-real(rate)).exp()
    return ONE - rational(HALF) * (t**k + t ** (k + 1))


def _tail_again(rate: str, k: int) -> Any:
    from mpmath import exp

    s = number(rate)
    return 1 - (exp(-k * s) + exp(-(k + 1) * s)) / 2


def _power_again(rate: str, k: int) -> Any:
    from mpmath import exp

    return 1 - exp(-k * number(rate))


def _largest(x: tuple[int, int], firsts: list[int]) -> int:
    return max(abs(first - x[0]) for first in firsts)


def _hist(
    x: tuple[int, int], tau: str, epsilon: str, *, bound: bool, sign: int
) -> tuple[Callable[[], Real], Callable[[], Any]]:
    """Return sign·(P[H < τ] − the printed formula or bound) for LSHist, prior (1, 1)."""
    n, level = sum(x), Fraction(tau)

    def margin() -> Real:
        firsts = near(FLAT, x, level)
        k = _largest(x, firsts)
        printed = ONE - (-real(epsilon)).exp() ** k if bound else tail_formula(epsilon, k)
        return rational(sign) * (clamped(x[0], n, epsilon, firsts) - printed)

    def again() -> Any:
        firsts = near_again(FLAT, x, level)
        k = _largest(x, firsts)
        printed = _power_again(epsilon, k) if bound else _tail_again(epsilon, k)
        return sign * (clamped_again(x[0], n, epsilon, firsts) - printed)

    return margin, again


def _zhang(
    x: tuple[int, int], tau: str, epsilon: str, *, bound: bool, sign: int
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return the same for LSZhang with noise on both counts, prior (1, 1)."""
    n, level = sum(x), Fraction(tau)
    rate = str(Fraction(epsilon) / 2)

    def margin() -> Ball:
        k = _largest(x, near(FLAT, x, level))
        first, second = ([clamped(c, n, rate, [r]).ball() for r in range(n + 1)] for c in x)
        printed = (ONE - (-real(rate)).exp() ** k if bound else tail_formula(rate, k)).ball() ** 2
        total = -printed
        for i, p in enumerate(first):
            for j, q in enumerate(second):
                if certainly_below(distance(FLAT, x, (i, j)), level):
                    total += p * q
        return sign * total

    def again() -> Any:
        k = _largest(x, near_again(FLAT, x, level))
        inside = sum(
            clamped_again(x[0], n, rate, [i]) * clamped_again(x[1], n, rate, [j])
            for i in range(n + 1)
            for j in range(n + 1)
            if distance_again(FLAT, x, (i, j)) < number(tau)
        )
        printed = _power_again(rate, k) if bound else _tail_again(rate, k)
        return sign * (inside - printed**2)

    return margin, again


def _counterexample(
    title: str,
    shows: str,
    parameters: dict[str, str],
    functions: tuple[Callable[[], Ball | Real], Callable[[], Any]],
) -> Counterexample:
    margin, again = functions
    return Counterexample(
        title=title, shows=shows, parameters=parameters, margin=margin, again=again
    )


def _noise_chain() -> list[Any]:
    from sympy import exp, integrate, symbols

    k, y, e = symbols("k y epsilon", positive=True)
    density = e / 2 * exp(-e * y)
    return [
        integrate(density, (y, 0, k)) + integrate(density, (y, 0, k + 1)),
        1 - (exp(-k * e) + exp(-(k + 1) * e)) / 2,
    ]


def _noise(domain: str) -> Identity:
    return Identity(
        title="P(−k ≤ Y < k + 1) for Y ~ Lap(1/ε), from the density",
        domain=domain,
        chain=_noise_chain,
        shown=("∫₋ₖ^(k+1) (ε/2)·e^(−ε|y|) dy", "1 − ½(e^(−kε) + e^(−(k+1)ε))"),
    )


RAW_NOISE = "LSHist(x) read as the noise Y before it is rounded down"
SAME_STEPS = (
    "data with exactly the candidates of at most k steps on both sides at distance < τ, and "
    "k < min(c₁, c₂), so that nothing is clamped into the event (balanced data of even n under a "
    "symmetric prior, for every τ that leaves out some candidate)"
)
STEPS_BOUND = (
    "data with every candidate of at most k steps, on either side as far as there are any, at "
    "distance < τ (balanced data of even n under a symmetric prior: every τ)"
)

_BOUND = SumOfProducts(
    title="½(T + T·t) ≤ T for T = t^k: the formula is at least the bound",
    domain=STEPS_BOUND,
    goal="(1 - (T + T*t)/2) - (1 - T)",
    hypotheses=("T", "1 - t"),
    products=(("1/2", ("T", "1 - t")),),
)


def _kernel_chain() -> list[Any]:
    from sympy import symbols

    y, w = symbols("y w", positive=True)
    return [
        ((1 - 1 / y) ** 2 - (y - 1) ** 2) / (1 - w**2) + (y - 1) ** 2 / (1 - w),
        (y - 1) ** 2 * (1 / y**2 + w) / (1 - w**2),
    ]


def _claim_candidates() -> Claim:
    return Claim(
        id="thm-4.5-candidates",
        source="A Thm 4.5 (also Thm 4.3, 4.4, Cor. 4.4.1)",
        statement="the posterior k′ steps from Beta(α, β) is Beta(α + k′, n − ⌊α + k′⌋)",
        formula="∀ k′: Beta(α + k′, n − ⌊α + k′⌋) is k′ steps from the posterior Beta(α, β)",
        domain="all data of n ≥ 1 records, all priors",
        evidence=(
            _counterexample(
                "at k′ = 0 it is not the posterior itself",
                "H(Beta(6, 6), Beta(6, 10 − 6)) > 0",
                {"prior": "(1, 1)", "n": "10", "x": "(5, 5)", "k′": "0"},
                (lambda: distance(FLAT, (5, 5), (5, 3)), _candidate_again),
            ),
        ),
        repaired="Beta(α + k′, β − k′); the printed second parameter is that with α + β, not n, "
        "before the minus sign.  All other claims are read so.",
        derivation="Posterior parameters add up to n and the prior's total, so n − ⌊α⌋ is too "
        "small by that total already at k′ = 0.",
    )


def _candidate_again() -> Any:
    from proofs.definitions import hellinger

    return hellinger((6, 6), (6, 4))


_READING = (
    "Beta(α, β) is the posterior of x, the candidate k′ steps away is Beta(α + k′, β − k′), and k "
    "is the largest |k′| with H < τ, as printed"
)

CLAIMS = (
    _claim_candidates(),
    Claim(
        id="thm-4.5-LSHist-equality",
        source="A Thm 4.5, second line",
        statement="P[H(x, LSHist(x)) < τ] = 1 − ½(e^(−kε) + e^(−(k+1)ε)); " + _READING,
        formula="∀ x, τ, ε: P[H < τ] = 1 − ½(e^(−kε) + e^(−(k+1)ε)), k = max{|k′| : H(k′) < τ}",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0",
        evidence=(
            _counterexample(
                "at the edge one side is clamped: the chance is larger",
                "P[H < τ] > 1 − ½(e^(−kε) + e^(−(k+1)ε)) with k = 1",
                {"prior": "(1, 1)", "x": "(0, 10)", "τ": "3/5", "ε": "4/5"},
                _hist((0, 10), "3/5", "4/5", bound=False, sign=1),
            ),
            _counterexample(
                "off balance the two sides differ: the chance is smaller",
                "P[H < τ] < 1 − ½(e^(−kε) + e^(−(k+1)ε)) with k = 1 (k₋ = 0, k₊ = 1)",
                {"prior": "(1, 1)", "x": "(1, 9)", "τ": "7/25", "ε": "4/5"},
                _hist((1, 9), "7/25", "4/5", bound=False, sign=-1),
            ),
            _counterexample(
                "balanced data: once every candidate is within τ the chance is 1",
                "P[H < τ] = 1 > 1 − ½(e^(−kε) + e^(−(k+1)ε)) with k = 5",
                {"prior": "(1, 1)", "x": "(5, 5)", "τ": "1", "ε": "4/5"},
                _hist((5, 5), "1", "4/5", bound=False, sign=1),
            ),
            _noise(SAME_STEPS),
            Fact(
                title="an instance, exactly",
                role=Role.ILLUSTRATES,
                parameters={"prior": "(1, 1)", "x": "(5, 5)", "τ": "1/2", "ε": "4/5"},
                shows="P[H < τ] = 1 − ½(e^(−2ε) + e^(−3ε))",
                tie=True,
                margin=_hist((5, 5), "1/2", "4/5", bound=False, sign=1)[0],
                again=_hist((5, 5), "1/2", "4/5", bound=False, sign=1)[1],
            ),
        ),
        derivation=MONOTONE + "  ⌊c₁ + Y⌋ is from −k to k steps away iff −k ≤ Y < k + 1, as c₁ is "
        "whole.  With 0 < c₁ − k and c₁ + k < n no clamped value lies in the event.  k = 0 gives "
        "½(1 − e^(−ε)), the chance of 0 ≤ Y < 1: rounding down leaves x alone for one sign only.",
        repaired="P = 1 − ½·[k₋ < c₁]·e^(−k₋ε) − ½·[k₊ < c₂]·e^(−(k₊+1)ε) for all data.",
    ),
    Claim(
        id="thm-4.5-LSHist-bound",
        source="A Thm 4.5, second line",
        statement="P[H(x, LSHist(x)) < τ] ≥ 1 − e^(−kε); " + _READING,
        formula="∀ x, τ, ε: P[H < τ] ≥ 1 − e^(−kε), k = max{|k′| : H(k′) < τ}",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0",
        evidence=(
            _counterexample(
                "one step towards the centre is near, one step outward is not",
                "P[H < τ] = ½(1 − e^(−2ε)) < 1 − e^(−kε) with k = 1",
                {"prior": "(1, 1)", "x": "(4, 6)", "τ": "43/200", "ε": "4/5"},
                _hist((4, 6), "43/200", "4/5", bound=True, sign=-1),
            ),
            _BOUND,
        ),
        derivation=MONOTONE + "  On the named domain the event holds all candidates of at most k "
        "steps that exist, and clamping only adds to it, so P ≥ P(−k ≤ Y < k + 1) = "
        "1 − ½(T + T·t) with t = e^(−ε) ∈ (0, 1), T = t^k ∈ (0, 1].  For k = 0 the bound is 0.",
    ),
    Claim(
        id="thm-4.5-LSHist-event",
        source="A Thm 4.5, proof",
        step_of="thm-4.5-LSHist-equality",
        statement="P[H(x, LSHist(x)) < τ] = P[−k < LSHist(x) ≤ k + 1], LSHist(x) standing for the "
        "output's distance in steps from x",
        formula="P[H < τ] = P[−k < J ≤ k + 1], J = (output's first count) − c₁",
        domain="two categories, data where exactly k steps on both sides are within τ, all ε > 0",
        evidence=(
            Counterexample(
                title="the whole numbers in (−k, k + 1] are not those from −k to k",
                parameters={"prior": "(1, 1)", "x": "(5, 5)", "τ": "3/10", "ε": "4/5", "k": "1"},
                shows="P[H < τ] = P[−1 ≤ J ≤ 1] > P[0 ≤ J ≤ 2] = P[−k < J ≤ k + 1]",
                margin=lambda: (
                    clamped(5, 10, "4/5", near(FLAT, (5, 5), Fraction(3, 10)))
                    - clamped(5, 10, "4/5", [5, 6, 7])
                ),
                again=lambda: (
                    clamped_again(5, 10, "4/5", near_again(FLAT, (5, 5), Fraction(3, 10)))
                    - clamped_again(5, 10, "4/5", [5, 6, 7])
                ),
            ),
            _noise(RAW_NOISE),
        ),
        derivation="For the noise Y itself, which has a density, P[−k < Y ≤ k + 1] = "
        "P[−k ≤ Y < k + 1] = P[−k ≤ ⌊Y⌋ ≤ k], and that is the event.",
        repaired="P[H < τ] = P[−k ≤ J ≤ k] = P[−k ≤ Y < k + 1].",
    ),
    Claim(
        id="thm-4.5-LSZhang-equality",
        source="A Thm 4.5, first line",
        statement="P[H(x, LSZhang(x)) < τ] = (1 − ½(e^(−kε/2) + e^(−(k+1)ε/2)))²; " + _READING,
        formula="∀ x, τ, ε: P[H < τ] = (1 − ½(e^(−kε/2) + e^(−(k+1)ε/2)))²",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0; LSZhang with noise on "
        "both counts, or on the first with the second completed to n − r₁",
        evidence=(
            _counterexample(
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
                    - _tail_again("2/5", 1) ** 2
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
        statement="P[H(x, LSZhang(x)) < τ] ≥ (1 − e^(−kε/2))²; " + _READING,
        formula="∀ x, τ, ε: P[H < τ] ≥ (1 − e^(−kε/2))²",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0; LSZhang with noise on "
        "both counts",
        evidence=(
            _counterexample(
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

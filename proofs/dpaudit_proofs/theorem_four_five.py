"""A Thm 4.5, LSHist: P[H(x, output) < τ] for noise on one count.

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

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import ONE, Real, rational, real
from dpaudit_proofs.accuracy_laws import (
    FLAT,
    at,
    clamped,
    clamped_again,
    distance,
    furthest,
    near,
    near_again,
)
from dpaudit_proofs.definitions import number
from dpaudit_proofs.typed_near import WITHIN_TAU

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["CLAIMS", "MONOTONE", "READING", "power_again", "tail_again", "tail_formula"]

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


def tail_again(rate: str, k: int) -> Any:
    """Return the same in mpmath."""
    from mpmath import exp

    s = number(rate)
    return 1 - (exp(-k * s) + exp(-(k + 1) * s)) / 2


def power_again(rate: str, k: int) -> Any:
    """Return 1 − e^(−k·rate) in mpmath."""
    from mpmath import exp

    return 1 - exp(-k * number(rate))


def _hist(
    x: tuple[int, int], tau: str, epsilon: str, *, bound: bool, sign: int
) -> tuple[Callable[[], Real], Callable[[], Any]]:
    """Return sign·(P[H < τ] − the printed formula or bound) for LSHist, prior (1, 1)."""
    n, level = sum(x), Fraction(tau)

    def margin() -> Real:
        firsts = near(FLAT, x, level)
        k = furthest(x, firsts)
        printed = ONE - (-real(epsilon)).exp() ** k if bound else tail_formula(epsilon, k)
        return rational(sign) * (clamped(x[0], n, epsilon, firsts) - printed)

    def again() -> Any:
        firsts = near_again(FLAT, x, level)
        k = furthest(x, firsts)
        printed = power_again(epsilon, k) if bound else tail_again(epsilon, k)
        return sign * (clamped_again(x[0], n, epsilon, firsts) - printed)

    return margin, again


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


_RAW_NOISE = "LSHist(x) read as the noise Y before it is rounded down"
_SAME_STEPS = (
    "data with exactly the candidates of at most k steps on both sides at distance < τ, and "
    "k < min(c₁, c₂), so that nothing is clamped into the event (balanced data of even n under a "
    "symmetric prior, for every τ that leaves out some candidate)"
)
_STEPS_BOUND = (
    "data with every candidate of at most k steps, on either side as far as there are any, at "
    "distance < τ (balanced data of even n under a symmetric prior: every τ)"
)

_BOUND = SumOfProducts(
    title="½(T + T·t) ≤ T for T = t^k: the formula is at least the bound",
    domain=_STEPS_BOUND,
    goal="(1 - (T + T*t)/2) - (1 - T)",
    hypotheses=("T", "1 - t"),
    products=(("1/2", ("T", "1 - t")),),
)


def _claim_candidates() -> Claim:
    return Claim(
        id="thm-4.5-candidates",
        typed=forall(
            "natural n c",
            "c + 2 <= n",
            holds="H((c + 1, n - c + 1), (c + 1, n - c - 1)) == 0",
        ),
        points=({"n": "10", "c": "5"},),
        source="A Thm 4.5 (also Thm 4.3, 4.4, Cor. 4.4.1)",
        statement="the posterior k′ steps from Beta(α, β) is Beta(α + k′, n − ⌊α + k′⌋)",
        formula="∀ k′: Beta(α + k′, n − ⌊α + k′⌋) is k′ steps from the posterior Beta(α, β)",
        domain="all data of n ≥ 1 records, all priors",
        evidence=(
            at(
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
    from dpaudit_proofs.definitions import hellinger

    return hellinger((6, 6), (6, 4))


READING = (
    "Beta(α, β) is the posterior of x, the candidate k′ steps away is Beta(α + k′, β − k′), and k "
    "is the largest |k′| with H < τ, as printed"
)

CLAIMS = (
    _claim_candidates(),
    Claim(
        id="thm-4.5-LSHist-equality",
        **WITHIN_TAU["thm-4.5-LSHist-equality"],
        source="A Thm 4.5, second line",
        statement="P[H(x, LSHist(x)) < τ] = 1 − ½(e^(−kε) + e^(−(k+1)ε)); " + READING,
        formula="∀ x, τ, ε: P[H < τ] = 1 − ½(e^(−kε) + e^(−(k+1)ε)), k = max{|k′| : H(k′) < τ}",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0",
        evidence=(
            at(
                "at the edge one side is clamped: the chance is larger",
                "P[H < τ] > 1 − ½(e^(−kε) + e^(−(k+1)ε)) with k = 1",
                {"prior": "(1, 1)", "x": "(0, 10)", "τ": "3/5", "ε": "4/5"},
                _hist((0, 10), "3/5", "4/5", bound=False, sign=1),
            ),
            at(
                "off balance the two sides differ: the chance is smaller",
                "P[H < τ] < 1 − ½(e^(−kε) + e^(−(k+1)ε)) with k = 1 (k₋ = 0, k₊ = 1)",
                {"prior": "(1, 1)", "x": "(1, 9)", "τ": "7/25", "ε": "4/5"},
                _hist((1, 9), "7/25", "4/5", bound=False, sign=-1),
            ),
            at(
                "balanced data: once every candidate is within τ the chance is 1",
                "P[H < τ] = 1 > 1 − ½(e^(−kε) + e^(−(k+1)ε)) with k = 5",
                {"prior": "(1, 1)", "x": "(5, 5)", "τ": "1", "ε": "4/5"},
                _hist((5, 5), "1", "4/5", bound=False, sign=1),
            ),
            _noise(_SAME_STEPS),
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
        **WITHIN_TAU["thm-4.5-LSHist-bound"],
        source="A Thm 4.5, second line",
        statement="P[H(x, LSHist(x)) < τ] ≥ 1 − e^(−kε); " + READING,
        formula="∀ x, τ, ε: P[H < τ] ≥ 1 − e^(−kε), k = max{|k′| : H(k′) < τ}",
        domain="two categories, all data, all priors, all ε > 0 and τ > 0",
        evidence=(
            at(
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
            _noise(_RAW_NOISE),
        ),
        derivation="For the noise Y itself, which has a density, P[−k < Y ≤ k + 1] = "
        "P[−k ≤ Y < k + 1] = P[−k ≤ ⌊Y⌋ ≤ k], and that is the event.",
        repaired="P[H < τ] = P[−k ≤ J ≤ k] = P[−k ≤ Y < k + 1].",
    ),
)

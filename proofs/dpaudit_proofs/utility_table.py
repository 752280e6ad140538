"""The utility table that closes A: what its expressions can mean, and the k they are made from.

Every entry comes from solving "P[H < τ] ≥ 1 − δ" for the number of steps k and then bounding the
distance at k steps.  The first half can be checked: the k of LSHist and LSZhang are right, that of
EHD has the sign of its exponent wrong.  The second half cannot be checked as printed: O(·) stands
inside a root, behind a minus sign and under a power.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof, Sweep
from dpaudit.claims.statement import forall
from dpaudit.numbers.ball import Ball, minimum
from dpaudit.numbers.real import Real, real
from dpaudit_proofs.accuracy_laws import clamped, clamped_again
from dpaudit_proofs.definitions import number
from dpaudit_proofs.derived_noise import STEPS, STEPS_ZHANG
from dpaudit_proofs.inverted_row import (
    INVERTED_TO,
    fraction_of_a_step,
    fraction_of_a_step_again,
    inverted,
    outward,
    outward_again,
)

__all__ = ["CLAIMS", "kullback_leibler_again"]

_SOURCE = "A, the table after Cor. 4.5.3"


def _hist_chain() -> list[Any]:
    from sympy import exp, log, symbols

    d, e = symbols("delta epsilon", positive=True)
    return [1 - exp(-e * (log(1 / d) / e)), 1 - d]


def _zhang_chain() -> list[Any]:
    from sympy import symbols

    s = symbols("s", positive=True)
    d = 1 - s**2
    return [2 - d - 2 * s, (1 - s) ** 2]


def _ehd_chain() -> list[Any]:
    from sympy import exp, symbols

    n, d, e = symbols("n delta epsilon", positive=True)
    k = (n - d * n - 1) / 2 * exp(e)
    return [(2 * k * exp(-e) + 1) / n, 1 - d]


def _ehd_margin() -> Real:
    """Return 1 − δ − (2k·e^(−ε) + 1)/n with the printed k at n = 100, δ = 1/10, ε = 4/5."""
    return real("9/10 - (89*exp(-8/5) + 1)/100")


def _ehd_again() -> Any:
    from mpmath import exp

    n, d, e = 100, number("1/10"), number("4/5")
    k = (n - d * n - 1) / 2 * exp(-e)
    return 1 - d - (2 * k * exp(-e) + 1) / n


def _ehd_upper_margin() -> Real:
    """Return (2k + 1)/(n·e^(−ε)) − (1 − δ) with the printed k at the same place."""
    return real("(89*exp(-4/5) + 1)*exp(4/5)/100 - 9/10")


def _ehd_upper_again() -> Any:
    from mpmath import exp

    n, d, e = 100, number("1/10"), number("4/5")
    k = (n - d * n - 1) / 2 * exp(-e)
    return (2 * k + 1) / (n * exp(-e)) - (1 - d)


def _printed_base_margin() -> Ball:
    """Return ((n + L)/(n − L))^(L/2) − 1 at n = 100, ε = 4/5, δ = 1/20."""
    steps = real("5/4*ln(20)").ball()
    return ((100 + steps) / (100 - steps)) ** (steps / 2) - 1


def _printed_base_again() -> Any:
    from mpmath import log

    steps = log(20) / number("4/5")
    return ((100 + steps) / (100 - steps)) ** (steps / 2) - 1


def kullback_leibler_again(left: tuple[int, int], right: tuple[int, int]) -> Any:
    """Return KL(Beta(left) ‖ Beta(right)) from the definition."""
    from mpmath import beta, digamma, log

    (a, b), (c, d) = left, right
    shift = (a - c) * digamma(a) + (b - d) * digamma(b) + (c - a + d - b) * digamma(a + b)
    return log(beta(c, d) / beta(a, b)) + shift


def _kl_margin() -> Ball:
    """Return the margins by which n = 2, x = (2, 0), ε = 1/100, δ = 2/5 breaks the entry."""
    printed = real("8*ln(2)*(1 - exp(-1/50)) + sqrt(-8*ln(2)*ln(2/5))")
    return minimum(
        [
            (real(3) - printed).ball(),
            (clamped(2, 2, "1/100", [0]) - real("2/5")).ball(),
        ]
    )


def _kl_again() -> Any:
    from mpmath import exp, log, sqrt

    scale = 4 * 2 * log(2)
    printed = scale * (1 - exp(-2 * number("1/100"))) + sqrt(-scale * log(number("2/5")))
    return min(
        kullback_leibler_again((3, 1), (1, 3)) - printed,
        clamped_again(2, 2, "1/100", [0]) - number("2/5"),
    )


CLAIMS = (
    Claim(
        id="utility-table-LSHist-k",
        typed=forall(
            "real eps delta",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            holds="1 - exp(-(log(1/delta)/eps)*eps) == 1 - delta",
        ),
        source=f"{_SOURCE}, row LSHist",
        step_of="utility-table-H",
        statement="1 − e^(−kε) = 1 − δ at k = ln(1/δ)/ε, the steps of the row LSHist",
        formula="∀ ε > 0, 0 < δ < 1: 1 − e^(−ε·ln(1/δ)/ε) = 1 − δ",
        domain="all ε > 0, 0 < δ < 1",
        evidence=(
            STEPS,
            Identity(
                title="inserting k", chain=_hist_chain, shown=("1 − e^(−ε·(ln(1/δ)/ε))", "1 − δ")
            ),
        ),
    ),
    Claim(
        id="utility-table-LSZhang-k",
        typed=forall(
            "real eps delta",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            holds="(1 - exp(-(log(1/(2 - delta - 2*sqrt(1 - delta)))/eps)*eps/2))^2 == 1 - delta",
        ),
        source=f"{_SOURCE}, row LSZhang",
        step_of="utility-table-H",
        statement="(1 − e^(−kε/2))² = 1 − δ at k = ln(1/(2 − δ − 2√(1 − δ)))/ε, the steps of the "
        "row LSZhang",
        formula="∀ ε > 0, 0 < δ < 1: e^(−kε) = 2 − δ − 2√(1 − δ) = (1 − √(1 − δ))²",
        domain="all ε > 0, 0 < δ < 1",
        evidence=(
            STEPS_ZHANG,
            Identity(
                title="the argument of the logarithm is a square, with s = √(1 − δ)",
                chain=_zhang_chain,
                shown=("2 − (1 − s²) − 2s", "(1 − s)²"),
            ),
        ),
        derivation="e^(−kε/2) is then 1 − s, so (1 − e^(−kε/2))² = s² = 1 − δ.",
    ),
    Claim(
        id="utility-table-EHD-k",
        typed=forall(
            "real eps delta, natural n",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "n >= 2",
            holds="(2*((n - delta*n - 1)/2*exp(-eps))*exp(-eps) + 1)/n == 1 - delta",
        ),
        source=f"{_SOURCE}, row EHD",
        step_of="utility-table-H",
        statement="(2k·e^(−ε) + 1)/n = 1 − δ at k = (n − δn − 1)/2·e^(−ε), the steps of the row "
        "EHD",
        formula="∀ n, ε > 0, 0 < δ < 1: k = ½(n − δn − 1)·e^(−ε) ⟹ (2k·e^(−ε) + 1)/n = 1 − δ",
        domain="all n ≥ 2, ε > 0, 0 < δ < 1",
        evidence=(
            Counterexample(
                title="the exponent has the wrong sign",
                parameters={"n": "100", "δ": "1/10", "ε": "4/5"},
                shows="(2k·e^(−ε) + 1)/n < 1 − δ",
                margin=_ehd_margin,
                again=_ehd_again,
            ),
            Fact(
                title="nor does the printed k invert the upper bound of Thm 4.5",
                role=Role.ILLUSTRATES,
                parameters={"n": "100", "δ": "1/10", "ε": "4/5"},
                shows="(2k + 1)/(n·e^(−ε)) > 1 − δ",
                margin=_ehd_upper_margin,
                again=_ehd_upper_again,
            ),
            Identity(
                title="with e^(+ε) it is right",
                role=Role.LEMMA,
                chain=_ehd_chain,
                shown=("(2·½(n − δn − 1)e^ε·e^(−ε) + 1)/n", "1 − δ"),
            ),
        ),
        repaired="k = (n − δn − 1)/2·e^ε.  (The bound it inverts is itself false as printed: "
        "thm-4.5-EHD-lower.)",
    ),
    Claim(
        id="utility-table-H",
        source=f"{_SOURCE}, column H",
        statement="with probability at most δ the distance H exceeds √(1 − O((n + L)/(n − L))^p), "
        "L the steps and p = L/2 for LSHist and LSZhang, p = L for EHD",
        formula="P[H(x, output) > √(1 − O(((n + L)/(n − L))^p))] ≤ δ",
        domain="two categories, all n, ε, δ",
        ambiguous="O(·) stands for an unnamed positive factor inside 1 − O(·): a larger factor "
        "makes the expression smaller and then imaginary, so it bounds nothing; nor is it said "
        "whether the power is inside it, and for which data the row is meant",
        readings=(
            "factor 1, base as printed: (n + L)/(n − L) > 1 for 0 < L < n, so the radicand is "
            "1 − (…)^p ≤ 0 and the root is not real",
            "any other constant factor C: the radicand is positive only while C is below "
            "((n − L)/(n + L))^p, which depends on n, ε and δ",
            "base inverted, factor 1: H at k steps from balance is at most "
            f"√(1 − ((n − k)/(n + k))^(k/2)) for the prior (1, 1), even n ≤ {INVERTED_TO}, "
            "1 ≤ k ≤ n/2: certified, and the likely intention.  The row of LSHist then holds at "
            "such data with L rounded up to k whole steps (P[more than k] ≤ ½(t^k + t^(k+1)) ≤ δ), "
            "but neither with L as printed nor off balance",
            "EHD: its L is that of the wrong sign (utility-table-EHD-k)",
        ),
        evidence=(
            SumOfProducts(
                title="the printed base is above 1: (n + L) − (n − L) > 0",
                role=Role.ILLUSTRATES,
                goal="(n + L) - (n - L)",
                hypotheses=("L",),
                products=(("2", ("L",)),),
                strict=True,
                positive=("L",),
            ),
            Fact(
                title="the radicand of the row LSHist, factor 1",
                role=Role.ILLUSTRATES,
                parameters={"n": "100", "ε": "4/5", "δ": "1/20"},
                shows="((n + L)/(n − L))^(L/2) > 1",
                margin=_printed_base_margin,
                again=_printed_base_again,
            ),
            Fact(
                title="inverted, balanced data: L below one step leaves only x itself",
                role=Role.ILLUSTRATES,
                parameters={"prior": "(1, 1)", "x": "(1, 1)", "ε": "2", "δ": "1/2"},
                shows="H(x, 1 step)² > 1 − ((n − L)/(n + L))^(L/2), P[r ≠ x] = ½(1 + e^(−2)) > δ",
                margin=fraction_of_a_step,
                again=fraction_of_a_step_again,
            ),
            Fact(
                title="inverted, off balance, L rounded up to 1: the step outward is further",
                role=Role.ILLUSTRATES,
                parameters={"prior": "(1, 1)", "x": "(1, 9)", "ε": "1", "δ": "2/5"},
                shows="H(x, (0, 10))² > 1 − (9/11)^½ and P[r = (0, 10)] = ½ > δ",
                margin=outward,
                again=outward_again,
            ),
            Sweep(
                title="the inverted base bounds the distance at k steps",
                role=Role.ILLUSTRATES,
                bound=f"prior (1, 1), even n = 2..{INVERTED_TO}, balanced data, 1 ≤ k ≤ n/2",
                run=inverted,
            ),
        ),
    ),
    Claim(
        id="utility-table-KL",
        source=f"{_SOURCE}, column KL",
        statement="with probability at most δ the divergence KL exceeds O(4n ln n)·[1 − e^(−nε)] + "
        "√(−O(4n ln n)·ln δ) for LSHist, with 8n ln n and e^(−nε/2) for LSZhang; EHD has no entry",
        formula="P[KL > O(4n ln n)(1 − e^(−nε)) + √(O(4n ln n)·ln(1/δ))] ≤ δ",
        domain="two categories, all n, ε, δ",
        ambiguous="neither the direction of KL is given nor what the factors behind O(·) may "
        "depend on: with factors free to depend on ε the entry says nothing of the mechanism, with "
        "uniform ones it is false",
        readings=(
            "factor 1: false at n = 2, where the entry is 2.36 for ε = 1/100 and δ = 2/5, while "
            "KL = 3 has the chance ½·e^(−ε) > δ (and at n = 1 the entry is 0)",
            "any factor C that is the same for all n, ε and δ: false.  At x = (n, 0) the output "
            "(0, n) has the chance ½·e^(−(n−1)ε) > 2/5 for small ε, and KL(Beta(n+1, 1), "
            "Beta(1, n+1)) = n·(1 + ½ + … + 1/n) ≥ n ln n, in either direction; the entry stays "
            "below n ln n once n ln n ≥ 2C' and 1 − e^(−nε) ≤ 1/(4C'), C' = 4C",
            "a factor that may depend on ε and the prior, n ≥ 2: true of every mechanism with "
            "these outputs, as no KL between them exceeds a multiple of n ln n and "
            "1 − e^(−nε) ≥ 1 − e^(−ε)",
        ),
        evidence=(
            Fact(
                title="factor 1 fails at two records, in either direction of KL",
                role=Role.ILLUSTRATES,
                parameters={"prior": "(1, 1)", "x": "(2, 0)", "ε": "1/100", "δ": "2/5"},
                shows="KL(Beta(3, 1), Beta(1, 3)) = 3 is above the entry, and P[r = (0, 2)] > δ",
                margin=_kl_margin,
                again=_kl_again,
            ),
            SMTProof(
                title="no uniform factor: C·M·h + √(C·M·l) < M = n ln n, l = ln(5/2) < 23/25",
                role=Role.ILLUSTRATES,
                hypotheses=(
                    "C > 0",
                    "M >= 2*C",
                    "h > 0",
                    "4*C*h <= 1",
                    "0 < l",
                    "l < 23/25",
                    "r >= 0",
                    "r^2 == C*M*l",
                ),
                goal="C*M*h + r < M",
            ),
        ),
    ),
)

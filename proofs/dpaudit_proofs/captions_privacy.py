"""“(0.8,0.8)-DP” in the captions of N Fig. 4 and 5: the exponential mechanism with S_β.

The captions print a β that is not that of N §2.3.1 (beta-captions), and at n = 150 one that belongs
to n = 120, so Lemma 2.3 does not speak of them even if it is granted.  What they claim is true all
the same, because δ = 0.8 is so large.  That the other two labels, “0.8-DP” and “Non-Private”, are
right is em-global-captions and em-local-captions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Fact, Identity
from dpaudit.notes.sensitivity import local_sensitivities
from dpaudit.numbers.ball import Ball, ball, minimum
from dpaudit.numbers.real import real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.sensitivity_captions import CAPTION_PRIOR, CAPTIONS

__all__ = ["CLAIMS"]


def _margin(n: int, beta: str) -> Ball:
    """Return ln 5 − ε·(e^β − 1)/min LS."""
    smallest = minimum(local_sensitivities(CAPTION_PRIOR, n))
    excess = ball(Fraction(4, 5)) * (real(beta).ball().exp() - 1) / smallest
    return real("ln(5)").ball() - excess


def _again(n: int, beta: str) -> Any:
    """Return the same, LS(x) being √(1 − the least product of two steps)."""
    from mpmath import exp, gamma, log, mpf, sqrt

    def step(s: Any) -> Any:
        return gamma(s + mpf(1) / 2) / sqrt(gamma(s) * gamma(s + 1))

    steps = [[step(int(a) + c - 1) for c in range(n + 2)] for a in CAPTION_PRIOR]
    largest = max(
        min(steps[i][x[i]] * steps[j][x[j] + 1] for i, j in permutations(range(3), 2) if x[i])
        for a in range(n + 1)
        for b in range(n + 1 - a)
        for x in [(a, b, n - a - b)]
    )
    return log(5) - number("4/5") * (exp(number(beta)) - 1) / sqrt(1 - largest)


def _difference() -> list[Any]:
    from sympy import symbols

    a, b, s, r = symbols("a b S R", positive=True)
    return [a / s - b / r, (a - b) / s + b * (r / s - 1) / r]


def _least(of: Any) -> Any:
    return lambda: of([(_margin if of is minimum else _again)(n, beta) for n, beta, *_ in CAPTIONS])


CLAIMS = (
    Claim(
        id="captions-smooth-dp",
        source="N Fig. 4 (a), (b), Fig. 5; L (the same figures)",
        statement="at the prior DL(7,4,5) and n = 100, 120, 150 the mechanism with the smooth "
        "sensitivity of the printed β is (0.8, 0.8)-differentially private",
        formula="∀ x ~ y, T ⊆ R: P_x(T) ≤ e^(4/5)·P_y(T) + 4/5",
        domain="P_x(r) ∝ exp(−ε·H(x, r)/(2·S_β(x))), prior (7,4,5), ε = 4/5, β = 0.0699407108115 "
        "at n = 100 and 0.0677791100173 at n = 120 and 150",
        evidence=(
            Identity(
                title="how far the scores of x and y are apart, with a = H(x, r), b = H(y, r)",
                role=Role.LEMMA,
                chain=_difference,
                shown=("a/S − b/R", "(a − b)/S + b·(R/S − 1)/R, S = S_β(x), R = S_β(y)"),
            ),
            Fact(
                title="the loss beyond ε is below ln 5, at the least of the three sizes",
                role=Role.PROVES,
                parameters={"n": "100, 120, 150", "ε": "4/5", "β": "as printed"},
                shows="ln 5 > ε·(e^β − 1)/min LS",
                margin=_least(minimum),
                again=_least(min),
            ),
        ),
        derivation="|a − b| ≤ H(x, y) ≤ LS(x) ≤ S_β(x), e^(−β) ≤ R/S ≤ e^β (smooth-sensitivity), "
        "b ≤ 1 and R ≥ min LS =: l, so the scores differ by at most 1 + (e^β − 1)/l =: v.  "
        "Numerators and normalisers each change by a factor of at most e^(εv/2), so P_x(T) ≤ "
        "e^(εv)·P_y(T) and P_x(T) − e^ε·P_y(T) ≤ (1 − e^(ε − εv))·P_x(T) ≤ 1 − e^(−ε(e^β − 1)/l), "
        "which by the fact is below 1 − 1/5.  At n = 100 that is 0.511…, at n = 150 it is 0.563….",
    ),
)

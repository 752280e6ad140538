"""The proof of D §1.1.2 as E prints it: its third, fifth and sixth line, which have lost letters.

E has the weight of y where D has that of x, N_x in both places of a quotient, and 2Δ_g where the
normaliser N_x belongs.  What its lines say as they stand is decided here; what they were is
:mod:`dpaudit_proofs.global_argument`.

At n = 1, x = r = (1,0), y = (0,1) and the flat prior Δ_g is H(x, y) = √(1 − π/4): the weights are 1
and w = e^(−ε/2), both normalisers 1 + w.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpaudit.claims.claim import Claim
from dpaudit.claims.evidence import Counterexample
from dpaudit.claims.statement import forall
from dpaudit.numbers.ball import Ball, ball
from dpaudit_proofs.definitions import number
from dpaudit_proofs.exponential_privacy import PRIORS
from dpaudit_proofs.flat_limits import quoted, quoted_again

__all__ = ["CLAIMS"]

_GS = "GS((a, b), n)"
_DOMAIN = ("a > 0", "b > 0", "eps > 0", "c + 1 <= n", "r <= n")
_VARIABLES = "real a b eps, natural n c r"
_AT = ({"a": "1", "b": "1", "eps": "4/5", "n": "1", "c": "0", "r": "0"},)


def _law(c: str) -> str:
    """Return the probability of r at c ones of n."""
    return f"P_exp(eps/(2*{_GS}), (a, b), ({c}, n - ({c})), (r, n - r))"


def _near(c: str, r: str) -> str:
    return f"H((a + {c}, b + n - ({c})), (a + {r}, b + n - {r}))"


def _total(c: str) -> str:
    return f"sum(j, 0, n, exp(-eps*{_near(c, 'j')}/(2*{_GS})))"


_RATIO = f"{_law('c')}/{_law('c + 1')}"
_FACTOR = f"exp(eps*({_near('c + 1', 'r')} - {_near('c', 'r')})/(2*{_GS}))"


def _counterexample(
    title: str, shows: str, margin: Callable[[Any, Any, Any], Any]
) -> Counterexample:
    """Return one at n = 1 and ε = 4/5; ``margin`` takes e^(ε/2), N and 2Δ_g."""

    def in_balls() -> Ball:
        root = ball(Fraction(2, 5)).exp()
        found: Ball = margin(root, 1 + 1 / root, 2 * quoted())
        return found

    def again() -> Any:
        from mpmath import exp

        root = exp(number("2/5"))
        return margin(root, 1 + 1 / root, 2 * quoted_again())

    return Counterexample(
        title=title,
        parameters={"prior": "(1,1)", "n": "1", "ε": "4/5", "x = r": "(1,0)", "y": "(0,1)"},
        shows=shows,
        margin=in_balls,
        again=again,
    )


CLAIMS = (
    Claim(
        id="em-global-step-2-E",
        typed=forall(_VARIABLES, *_DOMAIN, holds=f"{_RATIO} == {_law('c + 1')}"),
        points=_AT,
        source="E §1.1.2, third line",
        step_of="em-global-dp",
        statement="The ratio is (w_y(r)/Σ w_y(r′))·(Σ w_x(r′)/Σ w_x(r′))",
        formula="P_x(r)/P_y(r) = (w_y(r)/N_y)·(N_x/N_x)",
        domain=PRIORS,
        evidence=(
            _counterexample(
                "the printed product is P_y(r) alone",
                "P_x(r)/P_y(r) > P_y(r)",
                lambda root, total, _: root - 1 / (root * total),
            ),
        ),
        repaired="P_x(r)/P_y(r) = (w_x(r)/w_y(r))·(N_y/N_x).",
        derivation="Each sum is over 2Δ_g in print, which cancels here.",
    ),
    Claim(
        id="em-global-step-3-E",
        typed=forall(
            _VARIABLES, *_DOMAIN, holds=f"{_RATIO} == {_FACTOR}*{_total('c + 1')}/(2*{_GS})"
        ),
        points=_AT,
        source="E §1.1.2, fourth and fifth line",
        step_of="em-global-dp",
        statement="The ratio is exp(ε(u(x, r) − u(y, r))/(2Δ_g))·Σ w_y(r′)/(2Δ_g)",
        formula="P_x(r)/P_y(r) = exp(ε(u(x, r) − u(y, r))/(2Δ_g))·N_y/(2Δ_g)",
        domain=PRIORS,
        evidence=(
            _counterexample(
                "2Δ_g is smaller than the normaliser it stands for",
                "e^(ε/2)·N_y/(2Δ_g) > P_x(r)/P_y(r)",
                lambda root, total, twice: root * total / twice - root,
            ),
        ),
        repaired="The quotient is N_y/N_x (em-global-step-3).",
    ),
    Claim(
        id="em-global-step-4-E",
        typed=forall(
            _VARIABLES, *_DOMAIN, holds=f"exp(eps/2)*exp(eps/2)*{_total('c')}/(2*{_GS}) == exp(eps)"
        ),
        points=_AT,
        source="E §1.1.2, sixth and seventh line",
        step_of="em-global-dp",
        statement="e^(ε/2)·e^(ε/2)·Σ w_x(r′)/(2Δ_g) is e^ε",
        formula="e^(ε/2)·e^(ε/2)·N_x/(2Δ_g) = e^ε",
        domain=PRIORS,
        evidence=(
            _counterexample(
                "N_x is above 2Δ_g",
                "e^ε·N_x/(2Δ_g) > e^ε",
                lambda root, total, twice: root * root * (total / twice - 1),
            ),
        ),
        repaired="The quotient is N_x/N_x = 1 (em-global-step-4).",
    ),
)

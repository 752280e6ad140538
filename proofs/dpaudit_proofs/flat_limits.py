"""The realised ε at the flat prior on two categories as n grows, and bounds for all n.

P_x(r) ∝ e^(−u_x·H(x, r)), R = {0, …, n} by the first count, H_c the limit of H(c, c + 1) as n → ∞:
√(1 − g(c + 1)), g(s) = Γ(s + ½)/√(Γ(s)·Γ(s + 1)).  Near an edge almost all outputs are far away:

    (n + 1)·e^(−u) ≤ Z_x ≤ (n + 1)·e^(−u)·(1 + (e^u − 1)·σ_n),   σ_n = (1 + 2√(π(n + 1)))/(n + 1),

as e^(−uH) ≤ e^(−u) + (1 − e^(−u))·(1 − H) by convexity, 1 − H ≤ 1 − H² = A(x, r), and
A(x, r) ≤ e^(−(x − r)²/(4(n + 1))), of which the sum over r is at most 1 + ∫.  The last holds as
ψ′(z) ≥ 1/z: −ln G(s, t) ≥ (s − t)²/(8·max(s, t)) for either coordinate, all parameters being at
most n + 1.  So ln(Z_y/Z_x) = u_x − u_y up to ln(1 + (e^u − 1)·σ_n), which is O(1/√n).

* *EHD*, u = ε/(2q), q = √(1 − π/4), for all pairs: the realised ε tends to u·H₀.
* *EHDS and EHDL*: the loss of y = c + 1 against x = c at r = y is u_x·H(x, y) + u_y − u_x in the
  limit, a lower bound.  At c fixed it is the limit of this pair; pairs at larger c, also where
  neither near nor far outputs decide Z, are bounded in :mod:`dpaudit_proofs.every_size`.
* *EHDS for all n, k and priors*: f = 1/S_γ is γ-Lipschitz, so f_y·H(y, r) − f_x·H(x, r) lies
  between −1 and 1 + γ where f_y ≥ f_x, a spread of 2 + γ where the theorem allows 2 + 2γ.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Fact, SMTProof, Sweep
from dpaudit.numbers.ball import Ball, ball, pi_ball
from dpaudit.questions.check.function import check
from dpaudit_proofs.definitions import number
from dpaudit_proofs.every_size import BEYOND, FORMULAS, limits_reached
from dpaudit_proofs.local_flat import LOSS
from dpaudit_proofs.neighbours import SMOOTH_POSITIVE
from dpaudit_proofs.typed_privacy import SLACK

__all__ = ["CLAIMS", "NORMALISER", "quoted", "quoted_again"]

NORMALISER = SMTProof(
    title="Z_y/Z_x ≤ 1 + (e^u − 1)·S/N from N·w ≤ Z ≤ N·w + (1 − w)·S",
    hypotheses=(
        "N > 0 and 0 < w and w <= 1 and S >= 0 and v*w == 1",
        "Zx >= N*w and Zy <= N*w + (1 - w)*S",
    ),
    goal="Zy*N <= Zx*(N + (v - 1)*S)",
)
"""v = e^u, w = e^(−u): Z_y/Z_x ≤ 1 + (e^u − 1)·S/N."""

_CONVEX = SMTProof(
    title="1 − H ≤ 1 − H² for 0 ≤ H ≤ 1",
    role=Role.LEMMA,
    hypotheses=("0 <= h and h <= 1",),
    goal="1 - h <= 1 - h^2",
)

_SPREAD = SMTProof(
    title="−1 ≤ f_y·h_y − f_x·h_x ≤ 1 + γ where f_x ≤ f_y ≤ f_x + γ",
    hypotheses=(
        "0 < fx and fx <= fy and fy <= fx + g and g >= 0",
        "0 <= hx and hx <= 1 and 0 <= hy and hy <= 1 and D >= 0 and fx*D <= 1",
        "hy <= hx + D and hx <= hy + D",
    ),
    goal="-1 <= fy*hy - fx*hx and fy*hy - fx*hx <= 1 + g",
)


def _limit_distance(c: int) -> Ball:
    """Return H_c in balls."""
    s = Fraction(c + 1)
    first, second, third = (ball(q).lgamma() for q in (s + Fraction(1, 2), s, s + 1))
    return (1 - (first - (second + third) / 2).exp()).sqrt()


def _limit_distance_again(c: int) -> Any:
    from mpmath import gamma, mpf, sqrt

    s = mpf(c + 1)
    return sqrt(1 - gamma(s + mpf(1) / 2) / sqrt(gamma(s) * gamma(s + 1)))


def _ehd(distance: Callable[[int], Any], root: Any) -> Any:
    return distance(0) / (2 * root)


def _ehdl(distance: Callable[[int], Any]) -> Any:
    near, far = distance(0), distance(1)
    return (far / near + 1 / far - 1 / near) / 2


def _ehds(distance: Callable[[int], Any]) -> Any:
    first = 1 / distance(0) + 1
    return (first * distance(2) + 1 / distance(2) - first) / 4


def _close(
    title: str, text: str, value: Callable[[], Ball], again: Callable[[], Any], sign: int
) -> Fact:
    """Return that a constant lies on one side of a decimal."""
    return Fact(
        title=title,
        role=Role.LEMMA,
        parameters={"c": text},
        shows="the constant is " + ("more than c" if sign > 0 else "less than c"),
        margin=lambda: sign * (value() - ball(Fraction(text))),
        again=lambda: sign * (again() - number(text)),
    )


def quoted() -> Ball:
    """Return √(1 − π/4)."""
    return (1 - pi_ball() / 4).sqrt()


def quoted_again() -> Any:
    """Return √(1 − π/4) in mpmath."""
    from mpmath import pi, sqrt

    return sqrt(1 - pi / 4)


def _both(
    name: str, low: str, high: str, value: Callable[[], Ball], again: Callable[[], Any]
) -> tuple[Fact, Fact]:
    return (
        _close(f"{name}: from below", low, value, again, 1),
        _close(f"{name}: from above", high, value, again, -1),
    )


_PARTNERS = Fact(
    title="1/H₂ < 1/H₀ + 2, so that S_γ at (3, n − 3) is its own LS",
    role=Role.LEMMA,
    parameters={"γ": "1"},
    shows="1/H₀ + 2 > 1/H₂",
    margin=lambda: 1 / _limit_distance(0) + 2 - 1 / _limit_distance(2),
    again=lambda: 1 / _limit_distance_again(0) + 2 - 1 / _limit_distance_again(2),
)
_PARTNERS_BEFORE = Fact(
    title="1/H₁ > 1/H₀ + 1, so that S_γ at (2, n − 2) is that of its neighbour's LS",
    role=Role.LEMMA,
    parameters={"γ": "1"},
    shows="1/H₁ > 1/H₀ + 1",
    margin=lambda: 1 / _limit_distance(1) - 1 / _limit_distance(0) - 1,
    again=lambda: 1 / _limit_distance_again(1) - 1 / _limit_distance_again(0) - 1,
)


def _near_limit(name: str, least: str, most: str) -> tuple[int, str]:
    """Hold audits at ε = 4/5 and large n between multiples of ε."""
    sizes = (1000, 2000, 5000)
    for n in sizes:
        (found,) = check(name, n).results
        low, high = (Fraction(text) * Fraction(4, 5) for text in (least, most))
        if not low <= Fraction(found.epsilon.lower) <= Fraction(found.epsilon.upper) <= high:
            return len(sizes), f"n = {n}: {found.epsilon}"
    return len(sizes), ""


CLAIMS = (
    Claim(
        id="EHDS-slack",
        typed=SLACK,
        source="A Thm 3.1, with A Alg. 6: what EHDS keeps beside ε",
        statement="EHDS is ε·(2 + γ)/(2 + 2γ)-differentially private: 3ε/4 at the notes' γ = 1",
        formula="P_x(r) ∝ exp(−ε·H(x, r)/(2(1 + γ)·S_γ(x))): P_x(r) ≤ e^(ε(2+γ)/(2+2γ))·P_y(r) "
        "for all neighbours x, y and r ∈ R",
        domain="every prior α > 0, n ≥ 1, k ≥ 2, ε > 0, γ > 0",
        evidence=(SMOOTH_POSITIVE, _SPREAD, LOSS),
        derivation="f = 1/S_γ is γ-Lipschitz (gamma-smooth-lipschitz), and f_x·D ≤ 1 as D = "
        "H(x, y) ≤ LS(x) ≤ S_γ(x).  Let f_x ≤ f_y.  f_y·H(y, r) − f_x·H(x, r) lies between −1 and "
        "1 + γ for every r (SPREAD), so its largest and smallest value are at most 2 + γ apart.  "
        "The loss in either direction is at most ε/(2(1 + γ)) times that (LOSS: k ≤ w_x/w_y ≤ "
        "k·e for all r, here with e^(ε(2+γ)/(2+2γ)) for e).  So a nominal ε of 4/3 of a budget "
        "keeps it for all n, k and priors at γ = 1.",
    ),
    Claim(
        id="limit-EHD",
        source="N's next step; EHD with GS = √(1 − π/4) at the flat prior",
        statement="the realised ε of EHD tends to ½·√((1 − √π/2)/(1 − π/4))·ε = 0.36406…·ε",
        formula="|realised(n) − u·D_n| ≤ ln(1 + (e^u − 1)·σ_n), u = ε/(2√(1 − π/4)), "
        "D_n = √(1 − (√π/2)·g(n)), σ_n = (1 + 2√(π(n + 1)))/(n + 1)",
        domain="prior (1,1), k = 2, all n ≥ 1, ε > 0",
        evidence=(
            _CONVEX,
            *_both(
                "the limit",
                "0.36405",
                "0.36407",
                lambda: _ehd(_limit_distance, quoted()),
                lambda: _ehd(_limit_distance_again, quoted_again()),
            ),
            NORMALISER,
        ),
        derivation="(1) Every pair has D ≤ D_n (gs-formula; g(1) = √π/2), so a loss is at most "
        "u·D_n + ln(Z_y/Z_x), and the outermost pair reaches u·D_n + ln(Z_y/Z_x) at r = x.  "
        "(2) e^(−uh) is convex in h, so it is at most w + (1 − w)(1 − h), w = e^(−u); and at least "
        "w.  1 − h ≤ 1 − h² = A.  Summed over r: N·w ≤ Z ≤ N·w + (1 − w)·S, N = n + 1, S = Σ A.  "
        "(3) ψ′(z) = Σ 1/(z + m)² ≥ ∫ = 1/z.  A function with f″ ≥ 1/M on an interval from s to t "
        "has ½f(s) + ½f(t) − f((s + t)/2) ≥ (s − t)²/(8M): with f = lnΓ, M = n + 1 and both "
        "coordinates A ≤ e^(−(x − r)²/(4(n + 1))).  (4) Σ over all whole j of e^(−j²/T) ≤ 1 + "
        "√(πT), T = 4(n + 1): S ≤ 1 + 2√(π(n + 1)).  (5) So |ln(Z_y/Z_x)| ≤ ln(1 + (e^u − 1)·σ_n) "
        "for every pair.  g(n) → 1.  It is far from the limit at small n: 0.53·ε at n = 3.",
    ),
    Claim(
        id="limit-EHDS-below",
        source="N's next step; EHDS at the flat prior, γ = 1",
        statement="the realised ε of EHDS has a limit inferior of at least 0.44887·ε",
        formula="lim inf realised(n) ≥ ¼·(f₂·H₂ + 1/H₂ − f₂)·ε, f₂ = 1/H₀ + 1",
        domain="prior (1,1), k = 2, γ = 1, ε > 0",
        evidence=(
            _CONVEX,
            _PARTNERS,
            _PARTNERS_BEFORE,
            *_both(
                "the pair of (2, n − 2) and (3, n − 3)",
                "0.44887",
                "0.44888",
                lambda: _ehds(_limit_distance),
                lambda: _ehds(_limit_distance_again),
            ),
            NORMALISER,
        ),
        derivation="x = (2, n − 2), y = (3, n − 3), r = y: the loss of y against x is u_x·H(x, y) "
        "+ ln(Z_x/Z_y), and Z_x ≥ N·e^(−u_x), Z_y ≤ N·e^(−u_y)·(1 + (e^(u_y) − 1)·σ_n) as in "
        "limit-EHD.  For large n, LS of c = 0, 1, 2, 3 tends to H₀, H₀, H₁, H₂, and 1/S_γ(x) = min "
        "over x′ of 1/LS(x′) + d(x, x′) to f₂ and to 1/H₂ (the two facts; all other x′ are "
        "farther or have a smaller LS).  u = (ε/4)/S_γ.  The rate is O(1/√n) + O(1/n).",
    ),
    Claim(
        id="limit-EHDS",
        source="N's next step; EHDS at the flat prior, γ = 1",
        statement="that is the limit, and nothing realises more for large n",
        formula="lim realised(n) = ¼·(f₂·H₂ + 1/H₂ − f₂)·ε; the nominal ε that keeps a budget for "
        "all large n is about 2.2 times the budget",
        domain="prior (1,1), k = 2, γ = 1, all large n, ε > 0",
        evidence=(
            NORMALISER,
            FORMULAS,
            BEYOND,
            limits_reached("EHDS"),
            Sweep(
                title="at ε = 4/5 within 1.5 % of it",
                role=Role.ILLUSTRATES,
                bound="ε = 4/5, n = 1000, 2000, 5000, all pairs",
                run=lambda: _near_limit("EHDS", "0.443", "0.449"),
            ),
        ),
        derivation="Below: limit-EHDS-below.  Above: the pairs c < 58 tend to at most "
        "¼·(f_y·H_c + max(f_x − f_y, 0))·ε, at the rate ln(1 + (e^u − 1)·σ_n), u ≤ 5.4·ε, and what "
        "f and H(c, c + 1) are off their limits, O(1/n).  From c = 58 on a pair loses at most "
        "¼·(1.79 + o(1))·ε at every n ≥ 51, by shifting dataset and output together "
        "(dpaudit_proofs.joint_shift and every_size), o(1) being O(1/n).  For all n: sup-EHDS "
        "at the flat prior, EHDS-slack at every other.",
    ),
    Claim(
        id="limit-EHDL-below",
        source="N's next step; EHDL at the flat prior",
        statement="the realised ε of EHDL has a limit inferior of at least 0.92179·ε, and is at "
        "most ε at every n",
        formula="lim inf realised(n) ≥ ½·(H₁/H₀ + 1/H₁ − 1/H₀)·ε",
        domain="prior (1,1), k = 2, ε > 0",
        evidence=(
            _CONVEX,
            *_both(
                "the pair of (1, n − 1) and (2, n − 2)",
                "0.92179",
                "0.9218",
                lambda: _ehdl(_limit_distance),
                lambda: _ehdl(_limit_distance_again),
            ),
            NORMALISER,
        ),
        derivation="As limit-EHDS-below with u = ε/(2·LS), LS of 1 and 2 tending to H₀ and H₁.  "
        "That ε is never exceeded is em-local-flat: so a budget is kept for all n by the nominal ε "
        "that it is, and by none beyond 1.0849 times that.",
    ),
    Claim(
        id="limit-EHDL",
        source="N's next step; EHDL at the flat prior",
        statement="that is the limit",
        formula="lim realised(n) = ½·(H₁/H₀ + 1/H₁ − 1/H₀)·ε",
        domain="prior (1,1), k = 2, ε > 0",
        evidence=(
            NORMALISER,
            FORMULAS,
            BEYOND,
            limits_reached("EHDL"),
            Sweep(
                title="at ε = 4/5 within 1.5 % of it",
                role=Role.ILLUSTRATES,
                bound="ε = 4/5, n = 1000, 2000, 5000, all pairs",
                run=lambda: _near_limit("EHDL", "0.91", "0.922"),
            ),
        ),
        derivation="Below: limit-EHDL-below.  Above: as limit-EHDS with f = 1/LS and ½·ε, u ≤ "
        "10.8·ε; from c = 58 on a pair loses at most ½·(1.84 + o(1))·ε.  At every n: ε "
        "(em-local-flat).",
    ),
)

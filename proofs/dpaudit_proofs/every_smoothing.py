"""M_H loses at most ε at every n ≥ 51, whatever ε, δ and β > 0 are: prior (1,1), k = 2.

x = c, y = c + 1 ≤ (n + 1)/2 by the first count (other pairs are mirror images), f = 1/S_β,
P_x(r) ∝ e^(−κ·f_x·H(x, r)), κ = ε/2.  LS falls towards the middle (Statements I and II), so S_β
does, and ρ = f_y − f_x ≥ 0.  D = H(x, y) ≤ LS(y) ≤ S(y), so f_y·D ≤ 1.

* *ρ has a bound without β.*  Let τ = LS(y)/LS(x′) for the x′ < y whose sensitivity S takes at y,
  or at x where S(y) = LS(y).  Then S(y)/S(x) ≥ τ^(1/(y − x′)) (``OWN``, ``SMOOTHED``): where β is
  large S is LS, which falls slowly; where it is small S is that of the edge, which falls by e^(−β).
  With the limits of joint_shift ρ ≤ (1 − (H_c/H_(x′−1))^(1/(y − x′)))/H_c for some x′ < y.
* *x against y.*  f_y·H(y, r) − f_x·H(x, r) ≤ f_y·D·√(1 − h²/2) + ρ·h ≤ √(1 + 2ρ²), h = H(x, r),
  by the angles of smooth_privacy (``ANGLE``).  Shift r to r + 1: Z_y less its term r = 0 is at most
  e^(κm)·(Z_x − w_x(n)), m the largest f_x·(H(x, r) − H(y, r + 1)) − ρ·H(y, r + 1), or 0.  Both are
  convex in ρ, so that the ends ρ = 0 and the largest one suffice.
* *The term r = 0.*  It is at most e^(κE)·w_x(n), E = f_x·(1 − H(y, 0)), and w_x(n) ≤ Z_x/(n + 1)
  (``FORMULAS`` of every_size); the cost over κ grows with κ and is taken at κ = 2.  From κ = 2 on
  the term is at most e^(−κ) ≤ e^(−κ)·Z_x, since S(y) ≤ LS(0) = H(0, 1) ≤ H(y, 0) (``BEST``).
* *y against x.*  f_x·H(x, r) − f_y·H(y, r) ≤ f_x·D ≤ S(y)/S(x) = 1 − ρ/f_y, and Z_x ≤ e^(κM)·Z_y
  with M the largest ρ·H(y, r + 1) + f_x·(H(y, r + 1) − H(x, r)), or ρ, for the term r = n.  The
  distance shrinks along the shift but for what the second coordinate adds.

Both sums have to be below 2.
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import SMTProof, Sweep
from dpaudit.numbers.ball import Ball, ball, certainly_less, maximum, precision
from dpaudit_proofs.joint_shift import (
    BITS,
    FAR,
    NEAR,
    SMALLEST,
    edge_distance,
    far_shift,
    limit_distance,
    root,
    shift,
    shifted,
)

__all__ = ["EVIDENCE", "losses", "rise"]

_LATE = 2
"""κ from which the term r = 0 is compared with Z_x ≥ 1."""

OWN = SMTProof(
    title="S(y)/S(x) ≥ τ^(1/(y − x′)) where S(y) = LS(y)",
    role=Role.LEMMA,
    hypotheses=("d >= 1 and l >= 0 and b > 0", "b*d >= l and s == l - b*(d - 1)"),
    goal="s*d <= l",
)
"""s = ln(S(x)/S(y)), l = −ln τ, d = y − x′, b = β; S(x) = LS(x′)·e^(−β(d − 1))."""

SMOOTHED = SMTProof(
    title="S(y)/S(x) ≥ τ^(1/(y − x′)) where S(y) = LS(x′)·e^(−β(y − x′)) > LS(y)",
    role=Role.LEMMA,
    hypotheses=("d >= 1 and b > 0", "b*d <= l and s <= b"),
    goal="s*d <= l",
)

ANGLE = SumOfProducts(
    title="f_y·H(y, r) − f_x·H(x, r) ≤ √(1 + 2ρ²), squared",
    role=Role.LEMMA,
    goal="(1 + 2*rho^2)*(c^2 + h^2/2) - (A*c + rho*h)^2",
    hypotheses=("1 - A", "1 + A"),
    products=(
        ("1", ("1 - A", "1 + A", "square(c)")),
        ("1/2", ("1 - A", "1 + A", "square(h)")),
        ("1/2", ("square(A*h - 2*rho*c)",)),
    ),
)
"""A = f_y·D ≤ 1, c = √(1 − h²/2), so that c² + h²/2 = 1."""

BEST = SMTProof(
    title="Z_y ≤ e^m·Z_x + v and Z_x ≥ 1 give Z_y ≤ e^m·(1 + v)·Z_x",
    role=Role.LEMMA,
    hypotheses=("Zx >= 1 and em >= 1 and v >= 0", "Zy <= em*Zx + v"),
    goal="Zy <= em*(1 + v)*Zx",
)

SHARE = SMTProof(
    title="f_x·D ≤ 1 − ρ/f_y",
    role=Role.LEMMA,
    hypotheses=("fx > 0 and rho >= 0 and fy == fx + rho", "D*fy <= 1"),
    goal="fx*D*fy <= fy - rho",
)


def _factor(z: int) -> Ball:
    """Return a bound of 1/LS(z)."""
    return 1 / limit_distance(max(z - 1, 0))


def rise(c: int) -> Ball:
    """Return a bound of ρ at the pair c ≤ 1000."""
    steepest = root(c + 1)
    return _factor(c + 1) * steepest / (1 + steepest)


def _edge(c: int) -> Ball:
    """Return a bound of what the term r = 0 costs over κ, at every κ."""
    e = _factor(c) * (1 - edge_distance(c))
    share = ball(max(SMALLEST, 2 * c + 1) + 1)
    early = (1 + ((_LATE * e).exp() - 1) / share).log() / _LATE
    late = (1 + ball(-_LATE).exp()).log() / _LATE
    return early.max(late)


def losses(c: int) -> tuple[Ball, Ball]:
    """Return bounds over κ of what the pair c ≤ 1000 loses: x against y, and y against x."""
    rho, factor = rise(c), _factor(c)
    if c < NEAR:
        cells = list(shifted(c))
        far = factor * far_shift(c)
        kept = maximum([far, *(factor * cell.moved() - rho * cell.after() for cell in cells)])
        grown = maximum([far, *(factor * cell.grown() for cell in cells)])
    else:
        kept = grown = factor * shift(c)
    ends = 1 + factor * shift(c), (1 + 2 * rho * rho).sqrt() + kept
    return maximum(ends) + _edge(c), 1 + rho * (1 - 1 / _factor(c + 1)) + grown


def _pairs() -> tuple[int, str]:
    with precision(BITS):
        for c in range(FAR):
            if not all(certainly_less(loss, ball(2)) for loss in losses(c)):
                return c + 1, f"c = {c}: {losses(c)}"
    return FAR, ""


def _beyond() -> tuple[int, str]:
    """Compare with 2 what ``BEYOND`` leaves from c = 1000 on: √(1 + 2ρ²) ≤ 1 + ρ for ρ ≤ 2."""
    with precision(BITS):
        forward = 1 + ball(Fraction(3, 4)) + _edge(FAR)
        return 1, "" if certainly_less(forward, ball(2)) else f"x against y: {forward}"


EVIDENCE = (
    OWN,
    SMOOTHED,
    ANGLE,
    SHARE,
    BEST,
    Sweep(
        title="both directions lose less than 2κ = ε",
        bound="pairs c = 0..999, at every n ≥ 51, ε, δ and β at once",
        role=Role.PROVES,
        run=_pairs,
    ),
    Sweep(
        title="beyond c = 999 as well, where ρ + D_c·f_x ≤ 3/4",
        bound="the formulas at c = 1000",
        role=Role.LEMMA,
        run=_beyond,
    ),
)

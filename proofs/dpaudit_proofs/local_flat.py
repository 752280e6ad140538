"""The mechanism with local sensitivity is ε-private after all at the flat prior on two categories.

Write f = 1/LS and v_x(r) = f(x)·H(x, r), so that P_x(r) ∝ exp(−(ε/2)·v_x(r)).  The loss of a pair
is at most ε/2 times the spread max − min over r of v_y(r) − v_x(r), whatever ε is (``LOSS``).  The
spread is at most 2: for n ≤ 160 every case is decided in balls; let n ≥ 161.

Let x = (c, n − c), y = (c + 1, …), and 2c + 1 ≥ n, the other pairs being mirror images; H_c is the
distance of c and c + 1.  By Statements I and II the H_c grow outwards, LS(x) = H_c for n/2 ≤ c < n.
If 2c + 1 = n or c = n − 1, LS(x) = LS(y) ≥ H(x, y), and by the triangle inequality |v_y − v_x| ≤ 1.
Otherwise put D = H_c, D₊ = H_{c+1}, q = D/D₊ < 1, h = H(y, r), h′ = H(x, r); then

    v_y(r) − v_x(r) = (q·h − h′)/D ≤ q  (``ABOVE``),   and   h′ ≤ q·h + (2 − q)·D            (**)

makes it ≥ −(2 − q), so that the spread is at most 2.  (**) for h < D is the triangle inequality
(``NEAR``).  For h ≥ D it takes more, as LS changes quickly near the edge.  Let a = c + 1 and
b = n − c + 1 be the parameters at x, a ≥ b ≥ 3, G(s) = Γ(s + ½)/√(Γ(s)·Γ(s + 1)) and w = D².

* b ≥ 5: D² = 1 − G(a)·G(b − 1) ≤ 1/30, so (*) of :mod:`dpaudit_proofs.bhattacharyya` bounds h′, and
  1 − q ≤ K·w (:mod:`dpaudit_proofs.flat_steps`) turns it into (**) (``FAR``).
* b = 3 and 4: r ≤ c has h ≥ h′, and h′ − q·h ≤ 1 − q ≤ (2 − q)·D; the one or two r ≥ c + 2 have
  affinities in closed form; a ≥ 159, so that all is near the limit a → ∞ (``EDGE``).
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Sweep
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import (
    Ball,
    PrecisionNeeded,
    ball,
    certainly_less,
    maximum,
    minimum,
    precision,
)
from dpaudit_proofs.bhattacharyya import DEFECT, METRIC, RATE
from dpaudit_proofs.exponential_privacy import AFFINITY_GROWS, AFFINITY_RECURRENCE, Counts
from dpaudit_proofs.flat_steps import EDGE, GROWTH, LOWER, UPPER
from dpaudit_proofs.statement_one import GROWS

__all__ = ["CLAIMS", "spread"]

LARGEST = 160
"""The n up to which every case is decided in balls."""


def spread(prior: tuple[Fraction, Fraction], n: int, c: int) -> Ball:
    """Return the ball of max − min over r of v_y(r) − v_x(r), x = (c, n − c), y = (c + 1, …)."""
    metric = HellingerMetric(prior)
    x, y = (c, n - c), (c + 1, n - c - 1)

    def scaled(z: Counts) -> list[Ball]:
        near = [(z[0] + m, z[1] - m) for m in (1, -1) if 0 <= z[0] + m <= n]
        sensitivity = maximum(metric.between(z, other) for other in near)
        return [distance / sensitivity for distance in metric.row(z)]

    differences = [b - a for a, b in zip(scaled(x), scaled(y), strict=True)]
    return maximum(differences) - minimum(differences)


def _sweep(largest: int) -> tuple[int, str]:
    """Decide spread ≤ 2 for all pairs at the flat prior, n ≤ ``largest``.

    The outermost pair is decided without the spread: LS(0, n) = H(x, y) = LS(1, n − 1), as soon as
    H(x, y) is at least the distance to (2, n − 2), and with equal f the triangle inequality gives
    |v_y − v_x| ≤ 1.  At n = 2 the two distances are equal by symmetry.
    """
    flat = (Fraction(1), Fraction(1))
    cases = 0
    with precision(96):
        metric = HellingerMetric(flat)
        for n in range(1, largest + 1):
            for c in range((n + 1) // 2):  # the other pairs are mirror images
                cases += 1
                if c == 0:
                    inner = n > 2 and not certainly_less(
                        metric.between((1, n - 1), (2, n - 2)), metric.between((0, n), (1, n - 1))
                    )
                    if inner:
                        raise PrecisionNeeded(f"LS(1, {n - 1}) is not decided")
                    continue
                found = spread(flat, n, c)
                if certainly_less(ball(Fraction(2)), found):
                    return cases, f"n = {n}, x = ({c}, {n - c})"
                if not certainly_less(found, ball(Fraction(2))):
                    raise PrecisionNeeded(f"the spread at n = {n}, c = {c} is not told from 2")
    return cases, ""


# -- from the spread to the loss ---------------------------------------------------------------

LOSS = SumOfProducts(
    title="k ≤ w_x/w_y ≤ k·e^ε for all candidates gives P_x(r) ≤ e^ε·P_y(r), here times k",
    goal="k*(e*wy*Nx - wx*Ny)",
    hypotheses=("Nx", "wx", "k*e*wy - wx", "Nx - k*Ny"),
    products=(("1", ("Nx", "k*e*wy - wx")), ("1", ("wx", "Nx - k*Ny"))),
)

ABOVE = SumOfProducts(
    title="(q·h − h′)/D ≤ q, times D, from the triangle inequality h ≤ D + h′",
    role=Role.LEMMA,
    goal="q*D - (q*h - hx)",
    hypotheses=("q", "1 - q", "hx", "D + hx - h"),
    products=(("1", ("q", "D + hx - h")), ("1", ("1 - q", "hx"))),
)

NEAR = SumOfProducts(
    title="(**) for h ≤ D, from the triangle inequality h′ ≤ D + h",
    role=Role.LEMMA,
    goal="q*h + (2 - q)*D - hx",
    hypotheses=("D + h - hx", "1 - q", "D - h"),
    products=(("1", ("D + h - hx",)), ("1", ("1 - q", "D - h"))),
)

FAR = SumOfProducts(
    title="(**) for h ≥ D, from (*) and 1 − q ≤ K·D²",
    role=Role.LEMMA,
    goal="q*h + (2 - q)*D - hx",
    hypotheses=(f"D + h - {RATE}*D^2*(h - D) - hx", "h - D", f"{RATE}*D^2 - (1 - q)"),
    products=(
        ("1", (f"D + h - {RATE}*D^2*(h - D) - hx",)),
        ("1", ("h - D", f"{RATE}*D^2 - (1 - q)")),
    ),
)

CLAIMS = (
    Claim(
        id="em-local-flat",
        source="beside N §2.2, “non differential privacy”: the notes' own prior",
        statement="At the prior (1,1) on two categories the mechanism with local sensitivity meets "
        "ε after all, for every ε",
        formula="P_x(r) ∝ exp(−ε·H(x, r)/(2·LS(x))): P_x(r) ≤ e^ε·P_y(r) for all neighbours x, y "
        "and r ∈ R",
        domain="prior (1,1), k = 2, all n ≥ 1, all ε > 0",
        evidence=(
            Sweep(
                title="the spread of v_y − v_x is at most 2 up to n = 160",
                role=Role.LEMMA,
                domain=f"n ≤ {LARGEST}",
                bound=f"n = 1..{LARGEST}, all pairs up to mirror images, all outputs",
                run=lambda: _sweep(LARGEST),
            ),
            GROWS,
            AFFINITY_RECURRENCE,
            AFFINITY_GROWS,
            *METRIC,
            *DEFECT,
            LOWER,
            UPPER,
            *GROWTH,
            *EDGE,
            ABOVE,
            NEAR,
            FAR,
            LOSS,
        ),
        derivation="(1) Spread to loss: with k = exp((ε/2)·min(v_y − v_x)) a spread of at most 2 "
        "is k ≤ w_x/w_y ≤ k·e^ε for all candidates; summed, N_x ≥ k·N_y, and LOSS gives "
        "P_x(r) ≤ e^ε·P_y(r).  Exchanging x and y only changes the sign of v_y − v_x.  "
        "(2) n ≤ 160: every pair, in balls.  (3) n ≥ 161, 2c + 1 ≥ n (the rest by mirroring).  "
        "II-right: LS(x) = H(x, x+1) for n/2 ≤ c < n, LS = H(x, x−1) at c = n, and I-right: the "
        "H_c grow, so q < 1.  The pairs 2c + 1 = n and c = n − 1 have LS(x) = LS(y) ≥ H(x, y): the "
        "spread is at most 2 by the triangle inequality.  For all others c ≥ n/2, c + 2 ≤ n, that "
        "is a ≥ b ≥ 3: ABOVE, and (**) for every r.  (4) r with h = H(y, r) < D: NEAR.  "
        "(5) b ≥ 5 and h ≥ D: a + b = n + 2 ≥ 163, so a ≥ 81, G(b − 1) ≥ G(4) and w ≤ 1/30.  "
        "w ≥ 1 − √(1 − z) as G(a) ≤ 1 and G(u)² ≤ 1 − z; 1 − κ ≤ 1 − √(1 − 1/(2u − 1)²), as "
        "κ² ≥ B/(B + ¼) and 4B + 1 = (2u − 1)².  GROWTH gives 1 − q ≤ K·w, and FAR with (*) of the "
        "module bhattacharyya gives (**).  (6) b = 3 and 4: n ≥ 161 means a ≥ 159.  For r ≤ c "
        "every coordinate of x lies between those of r and y, so h′ ≤ h and "
        "h′ − q·h ≤ (1 − q)·h′ ≤ 1 − q.  r = c + 1 has h = 0.  r = c + 2: h = D₊, "
        "(1 − h′²)² = a(b − 2)/((a + 1)(b − 1)).  r = c + 3 = n, b = 4: "
        "(1 − h²)² = (a + 1)/(2(a + 2)) and (1 − h′²)² = "
        "G(a)²·(a + ½)²/((a + 1)(a + 2))·G(1)²·(3/2)²/6.  These are all candidates.  The bounds on "
        "G(s)² follow from its recurrence and G(s) → 1.  The spread is exactly 2 for the outermost "
        "pair and tends to 2 near the middle, so the factor of ε cannot be improved this way.  "
        "Without the 2 in the exponent ε is exceeded at n = 2 already (em-local-not-dp).",
    ),
)

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

* b ≥ 5: D² = 1 − G(a)·G(b − 1) ≤ 1/30, so (*) of :mod:`proofs.bhattacharyya` bounds h′, and
  1 − q ≤ K·w turns it into (**) (``FAR``).  For the latter, 1 − D₊² = κ·(1 − w) with
  κ² = (A + ¼)·B/((B + ¼)·A) ≥ B/(B + ¼) = 1 − 1/(2u − 1)², A = a(a + 1), B = (b − 1)(b − 2),
  u = b − 1 (Statement I's ratio), and w ≥ 1 − G(u); what remains is a polynomial in u ≥ 4
  (``GROWTH``).
* b = 3 and 4: r ≤ c has h ≥ h′, and h′ − q·h ≤ 1 − q ≤ (2 − q)·D; the one or two r ≥ c + 2 have
  affinities in closed form; a ≥ 159, so that all is near the limit a → ∞ (``EDGE``).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.bayes.dirichlet import HellingerMetric
from dpaudit.claims.algebra import Identity
from dpaudit.claims.bernstein import BoxCertificate
from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.smt import SMTProof
from dpaudit.claims.sweep import Sweep
from dpaudit.exact.ball import (
    Ball,
    PrecisionNeeded,
    ball,
    certainly_less,
    maximum,
    minimum,
    precision,
)
from proofs.bhattacharyya import DEFECT, METRIC, RATE
from proofs.exponential_privacy import AFFINITY_GROWS, AFFINITY_RECURRENCE, Counts
from proofs.statement_one import GROWS, RATIO

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

# -- bounds on G, and b ≥ 5 --------------------------------------------------------------------

_LOWER = OrthantCertificate(
    title="G(s)² > 1 − 1/(4s): G(s)²·s/(s − ¼) decreases to 1",
    role=Role.LEMMA,
    positive="s^2*(s + 3/4) - (s + 1/2)^2*(s - 1/4)",
    shift={"s": "s"},
)

_UPPER = OrthantCertificate(
    title="G(u)² < 1 − z, z = (320u + 133)/N, N = 1280u² + 692u + 133, for u ≥ 4: G(u)²/(1 − z) "
    "increases to 1",
    role=Role.LEMMA,
    positive="(u + 1/2)^2*(1280*(u + 1)^2 + 692*(u + 1) + 133)*(320*u + 93)"
    " - (u + 1)^2*(1280*u^2 + 692*u + 133)*(320*u + 413)",
    shift={"u": "4 + s"},
)

_ROOT_ABOVE = OrthantCertificate(
    title="√(1 − z) ≤ 1 − z/2 − z²/8, so w ≥ z/2 + z²/8 where G(u)² ≤ 1 − z",
    role=Role.LEMMA,
    positive="(1 - z/2 - z^2/8)^2 - (1 - z)",
    shift={"z": "z"},
    strict=False,
)

_ROOT_BELOW = BoxCertificate(
    title="√(1 − z) ≥ 1 − z/2 − z²/8 − z³/8, so 1 − κ ≤ z/2 + z²/8 + z³/8, z = 1/(2u − 1)²",
    role=Role.LEMMA,
    positive="(1 - z) - (1 - z/2 - z^2/8 - z^3/8)^2",
    box={"z": ("0", "1/49")},
)

_N = "(1280*u^2 + 692*u + 133)"
_TOP = f"((320*u + 133)*(4*{_N} + 320*u + 133))"
"""w ≥ TOP/(8·N²): z/2 + z²/8 with z = (320u + 133)/N."""
_O = "((2*u - 1)^2)"
_LAMBDA = f"(4*{_O}^2 + {_O} + 1)"
"""1 − κ ≤ LAMBDA/(8·O³)."""


def _needed(w: str, loss: str) -> str:
    """Return the inequality that makes 1 − q ≤ K·w, of w and 1 − κ as polynomials."""
    return f"{RATE}*{w}^2*(2 - {RATE}*{w}) >= {loss}*(1 - {w})*(1 - {RATE}*{w})^2"


GROWTH = (
    RATIO,
    _ROOT_ABOVE,
    _ROOT_BELOW,
    OrthantCertificate(
        title="K·w²(2 − K·w) ≥ (1 − κ)(1 − w)(1 − K·w)² at these bounds, u ≥ 4, cleared",
        role=Role.LEMMA,
        positive=f"{RATE}*{_TOP}^2*(16*{_N}^2 - {RATE}*{_TOP})*8*{_O}^3"
        f" - {_LAMBDA}*(8*{_N}^2 - {_TOP})*(8*{_N}^2 - {RATE}*{_TOP})^2",
        shift={"u": "4 + s"},
    ),
    SMTProof(
        title="and so at every larger w ≤ 1/30 and smaller 1 − κ",
        role=Role.LEMMA,
        hypotheses=(
            "0 < v and v <= w and w <= 1/30",
            "0 <= m and m <= l and l <= 1",
            _needed("v", "l"),
        ),
        goal=_needed("w", "m"),
    ),
    SMTProof(
        title="it is D ≥ D₊·(1 − K·w), that is 1 − q ≤ K·w",
        role=Role.LEMMA,
        hypotheses=(
            "0 < w and w <= 1/30 and 0 <= m and m <= 1",
            "d > 0 and d^2 == w",
            "e > 0 and e^2 == w + m*(1 - w)",
            _needed("w", "m"),
        ),
        goal=f"d >= e*(1 - {RATE}*w)",
    ),
)

# -- b = 3 and 4 -------------------------------------------------------------------------------


def _value(s: int, value: str) -> Identity:
    """Return the identity G(s)² = value·π."""

    def chain() -> list[Any]:
        from sympy import Rational, gamma, pi

        half = Rational(1, 2)
        return [gamma(s + half) ** 2 / (gamma(s) * gamma(s + 1)), Rational(value) * pi]

    return Identity(
        title=f"G({s})²", role=Role.LEMMA, chain=chain, shown=(f"G({s})²", f"{value}·π")
    )


_VALUES = {1: "1/4", 2: "9/32", 3: "75/256", 4: "1225/4096"}


def _two_steps() -> list[Any]:
    from sympy import gamma, symbols

    s = symbols("s", positive=True)
    return [gamma(s + 1) ** 2 / (gamma(s) * gamma(s + 2)), s / (s + 1)]


def _three_steps() -> list[Any]:
    from sympy import Rational, gamma, symbols

    s = symbols("s", positive=True)
    half = Rational(1, 2)
    one = gamma(s + half) ** 2 / (gamma(s) * gamma(s + 1))
    three = gamma(s + 3 * half) ** 2 / (gamma(s) * gamma(s + 3))
    return [three, one * (s + half) ** 2 / ((s + 1) * (s + 2))]


_PI = "31415/10000 < pi and pi < 31416/10000"
_NEAR_ONE = "0 < g and g < 1 and g^2 >= 1 - 1/636"
"""G(s) for s ≥ 159."""


def _distance(name: str, s: int, low: str, high: str) -> SMTProof:
    """Return bounds on a distance d² = 1 − g·G(s), for g = G(a), a ≥ 159."""
    return SMTProof(
        title=f"{name} (G({s})) lies between {low} and {high}",
        role=Role.LEMMA,
        hypotheses=(
            _PI,
            _NEAR_ONE,
            f"s > 0 and s^2 == {_VALUES[s]}*pi",
            "d > 0 and d^2 == 1 - g*s",
        ),
        goal=f"{low} <= d and d <= {high}",
    )


_B3 = ("2449/10000 <= d and d <= 2466/10000", "3372/10000 <= e and e <= 3385/10000", "a >= 159")
_B4 = ("2015/10000 <= d and d <= 2035/10000", "2449/10000 <= e and e <= 2466/10000", "a >= 159")


def _inside(b: int, given: tuple[str, ...]) -> SMTProof:
    return SMTProof(
        title=f"b = {b}, r ≤ c: 1 − q ≤ (2 − q)·D, times D₊",
        role=Role.LEMMA,
        hypotheses=given,
        goal="e - d <= (2*e - d)*d",
    )


def _next(b: int, given: tuple[str, ...], affinity: str) -> SMTProof:
    return SMTProof(
        title=f"b = {b}, r = c + 2, where h = D₊: h′ ≤ D + (2 − q)·D, times D₊",
        role=Role.LEMMA,
        hypotheses=(*given, "p > 0", affinity, "hx > 0 and hx^2 == 1 - p"),
        goal="hx*e <= d*e + (2*e - d)*d",
    )


EDGE = (
    *(_value(s, value) for s, value in _VALUES.items()),
    SMTProof(
        title="w = 1 − G(a)·G(b − 1) ≤ 1/30 for a ≥ 81, b ≥ 5",
        role=Role.LEMMA,
        hypotheses=(
            _PI,
            "s > 0 and s^2 == 1225/4096*pi",
            "g > 0 and g^2 >= 1 - 1/324",
            "t >= s",
            "w == 1 - g*t",
        ),
        goal="w <= 1/30",
    ),
    Identity(
        title="the affinity of two steps in one coordinate",
        role=Role.LEMMA,
        chain=_two_steps,
        shown=("Γ(s + 1)²/(Γ(s)·Γ(s + 2))", "s/(s + 1)"),
    ),
    Identity(
        title="the affinity of three steps in one coordinate",
        role=Role.LEMMA,
        chain=_three_steps,
        shown=("Γ(s + 3/2)²/(Γ(s)·Γ(s + 3))", "G(s)²·(s + ½)²/((s + 1)(s + 2))"),
    ),
    _distance("D₊ at b = 3", 1, "3372/10000", "3385/10000"),
    _distance("D at b = 3, D₊ at b = 4", 2, "2449/10000", "2466/10000"),
    _distance("D at b = 4", 3, "2015/10000", "2035/10000"),
    _inside(3, _B3),
    _inside(4, _B4),
    _next(3, _B3, "2*p^2*(a + 1) == a"),
    _next(4, _B4, "3*p^2*(a + 1) == 2*a"),
    OrthantCertificate(
        title="(a + ½)² ≥ 0.987·(a + 1)(a + 2) for a ≥ 159",
        role=Role.LEMMA,
        positive="(a + 1/2)^2 - 987/1000*(a + 1)*(a + 2)",
        shift={"a": "159 + s"},
    ),
    SMTProof(
        title="1 − √½ ≥ 0.29289, which h² exceeds at b = 4, r = c + 3",
        role=Role.LEMMA,
        hypotheses=("p > 0", "p^2 <= 1/2"),
        goal="1 - p >= 29289/100000",
    ),
    SMTProof(
        title="b = 4, r = c + 3: h′ ≤ q·h + (2 − q)·D, times D₊",
        role=Role.LEMMA,
        hypotheses=(
            *_B4,
            _PI,
            "h > 0 and h^2 >= 29289/100000",
            "p > 0 and p^2 >= 987/1000*(1 - 1/636)*3/32*pi",
            "hx > 0 and hx^2 == 1 - p",
        ),
        goal="hx*e <= d*h + (2*e - d)*d",
    ),
)

CLAIMS = (
    Claim(
        id="em-local-flat",
        source="beside N §2.2, “non differential privacy”: the notes' own prior",
        statement="At the prior (1,1) on two categories the mechanism with local sensitivity meets "
        "ε after all, for every ε",
        formula="P_x(r) ≤ e^ε·P_y(r) for all neighbours x, y and r ∈ R",
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
            _LOWER,
            _UPPER,
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
        "pair and tends to 2 near the middle, so the factor of ε cannot be improved this way.",
    ),
)

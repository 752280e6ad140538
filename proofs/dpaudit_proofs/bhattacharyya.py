"""√(−ln(1 − H²)) is a metric too, and what that says about H: triangles are flatter than they look.

**The metric.**  Totals being equal, the affinity 1 − H² of Dir(a) and Dir(b) is the product over
the coordinates of G(s, t) = Γ((s + t)/2)/√(Γ(s)·Γ(t)).  By the recurrence of Γ

    G(s, t)/G(s + 1, t + 1) = √(s·t)/((s + t)/2) = 1/cosh(½·ln(s/t)),       G(s + m, t + m) → 1,

so −ln(1 − H²) is the sum over the coordinates and m = 0, 1, … of ℓ(v)², ℓ(v) = √(ln cosh v),
v = ½·ln((s + m)/(t + m)).  ℓ is even, 0 at 0 and increasing; it is concave on v ≥ 0, as
2·ln cosh v ≤ sinh² v (ln z ≤ z − 1 at z = cosh² v).  So ℓ(v + v′) ≤ ℓ(v) + ℓ(v′), whatever the
signs; v adds up along x, y, z; and by Minkowski's inequality the root of the sum of squares,
ρ = √(−ln(1 − H²)), satisfies the triangle inequality (``METRIC``).  Each |v| grows with the
distance from s to t, so if every coordinate of y lies between those of x and z, H(x, z) ≥ H(x, y).

**The defect.**  Let D = H(x, y), h = H(y, r), D ≤ h, D² ≤ 1/30, K = 427/100.  Then

    H(x, r) ≤ M = D + h − K·D²·(h − D).                                              (*)

With θ = D/h, y = h², A = 1 + θ, X = K·y·θ²(1 − θ): M = √y·(A − X).  If M ≥ 1, (*) is trivial.  Else
ρ(x, r)² ≤ (ρ(x, y) + ρ(y, r))² ≤ (1 + 1/θ)·ρ(x, y)² + (1 + θ)·ρ(y, r)², and (*) follows from

    F(y) = (1 + 1/θ)·ln(1 − θ²y) + (1 + θ)·ln(1 − y) − ln(1 − M²) ≥ 0.

At fixed θ, F(0) = 0, M² grows with y (its derivative is (A − X)(A − 3X), ``INCREASING``), so it
stays below 1 on the way, and there F′ has the sign of

    (A − X)(A − 3X)(1 − θ²y)(1 − y) − A²(1 − θy)(1 − M²),

which is ≥ 0 on {0 ≤ y ≤ 1, 0 ≤ θ ≤ 1, θ²y ≤ 1/30} (``DEFECT``).
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.certificate import BoxCertificate
from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Identity, SMTProof

__all__ = ["DEFECT", "INCREASING", "METRIC", "RATE"]

RATE = "427/100"
"""K of (*)."""


def _factor() -> list[Any]:
    from sympy import gamma, symbols

    s, t = symbols("s t", positive=True)

    def squared(a: Any, b: Any) -> Any:
        return gamma((a + b) / 2) ** 2 / (gamma(a) * gamma(b))

    return [squared(s, t) / squared(s + 1, t + 1), s * t / ((s + t) / 2) ** 2]


def _cosh() -> list[Any]:
    from sympy import symbols

    p, q = symbols("p q", positive=True)  # p² = s, q² = t, so that e^v = p/q
    return [((p / q + q / p) / 2) ** 2, ((p**2 + q**2) / 2) ** 2 / (p**2 * q**2)]


def _curvature() -> list[Any]:
    from sympy import cosh, diff, log, sinh, sqrt, symbols

    v = symbols("v", positive=True)
    level = log(cosh(v))
    below = 4 * level * sqrt(level) * cosh(v) ** 2
    return [diff(sqrt(level), v, 2), (2 * level - sinh(v) ** 2) / below]


METRIC = (
    Identity(
        title="affinities of consecutive parameters differ by a ratio of two means",
        role=Role.LEMMA,
        chain=_factor,
        shown=("(G(s, t) / G(s + 1, t + 1))²", "s·t / ((s + t)/2)²"),
    ),
    Identity(
        title="the ratio is 1/cosh² of v = ½·ln(s/t), with s = p², t = q²",
        role=Role.LEMMA,
        chain=_cosh,
        shown=("cosh² v = ((p/q + q/p)/2)²", "((p² + q²)/2)² / (p²·q²)"),
    ),
    Identity(
        title="the curvature of ℓ(v) = √(ln cosh v)",
        role=Role.LEMMA,
        chain=_curvature,
        shown=("ℓ″(v)", "(2·ln cosh v − sinh² v) / (4·(ln cosh v)^(3/2)·cosh² v)"),
    ),
    SMTProof(
        title="it is negative: 2·ln cosh v = ln z ≤ z − 1 = sinh² v, z = cosh² v",
        role=Role.LEMMA,
        hypotheses=("z > 1", "z == 1 + sinh2", "lnz <= z - 1", "two_ln_cosh == lnz"),
        goal="two_ln_cosh - sinh2 <= 0",
    ),
)

_X = f"({RATE}*y*t^2*(1 - t))"
_XW = f"({RATE}*w*(1 - t))"
_SIGN = (
    f"((1 + t) - {_X})*((1 + t) - 3*{_X})*(1 - t^2*y)*(1 - y)"
    f" - (1 + t)^2*(1 - t*y)*(1 - y*((1 + t) - {_X})^2)"
)
_SIGN_W = (
    f"t*((1 + t) - {_XW})*((1 + t) - 3*{_XW})*(1 - w)*(t^2 - w)"
    f" - (1 + t)^2*(t - w)*(t^2 - w*((1 + t) - {_XW})^2)"
)


def _derivative() -> list[Any]:
    from sympy import diff, log, symbols

    y, t, k = symbols("y theta K", positive=True)
    a, x = 1 + t, k * y * t**2 * (1 - t)
    left = 1 - y * (a - x) ** 2
    level = a / t * log(1 - t**2 * y) + a * log(1 - y) - log(left)
    sign = (a - x) * (a - 3 * x) * (1 - t**2 * y) * (1 - y) - a**2 * (1 - t * y) * left
    return [diff(level, y), sign / ((1 - t**2 * y) * (1 - y) * left)]


def _in_w() -> list[Any]:
    from sympy import sympify

    in_y, in_w = (sympify(text.replace("^", "**"), rational=True) for text in (_SIGN, _SIGN_W))
    w, t = sympify("w"), sympify("t")
    return [t**3 * in_y.subs("y", w / t**2), in_w]


INCREASING = BoxCertificate(
    title="A − 3X > 0, with w = D² = θ²y: y·(A − X)² grows with y",
    role=Role.LEMMA,
    positive=f"(1 + t) - 3*{_XW}",
    box={"w": ("0", "1/30"), "t": ("0", "1")},
    strict=True,
)

DEFECT = (
    Identity(
        title="the derivative of F",
        role=Role.LEMMA,
        chain=_derivative,
        shown=(
            "F′(y)",
            "((A − X)(A − 3X)(1 − θ²y)(1 − y) − A²(1 − θy)(1 − M²)) / ((1 − θ²y)(1 − y)(1 − M²))",
        ),
    ),
    BoxCertificate(
        title="F′ ≥ 0 for θ ≤ 183/1000",
        role=Role.LEMMA,
        positive=_SIGN,
        box={"y": ("0", "1"), "t": ("0", "183/1000")},
    ),
    Identity(
        title="the same times θ³, with y = w/θ²",
        role=Role.LEMMA,
        chain=_in_w,
        shown=("θ³·(…)", "(…) as a polynomial in w and θ"),
    ),
    BoxCertificate(
        title="F′ ≥ 0 for θ ≥ 183/1000, w ≤ 1/30",
        role=Role.LEMMA,
        positive=_SIGN_W,
        box={"w": ("0", "1/30"), "t": ("183/1000", "1")},
    ),
    INCREASING,
)

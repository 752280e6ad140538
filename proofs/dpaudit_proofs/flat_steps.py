"""How fast distances grow towards the edge, for :mod:`dpaudit_proofs.local_flat`: bounds on 1 − q.

The notation is that of :mod:`dpaudit_proofs.local_flat`: a ≥ b are the parameters at x, D and D₊
the lengths of the steps from x to y = x + 1 and from there to x + 2, q = D/D₊, w = D².

**b ≥ 5** (``GROWTH``).  Statement I's ratio is 1 − D₊² = κ·(1 − w) with
κ² = (A + ¼)·B/((B + ¼)·A) ≥ B/(B + ¼) = 1 − 1/(2u − 1)², where A = a(a + 1), B = (b − 1)(b − 2),
u = b − 1; and w ≥ 1 − G(u), as G(a) ≤ 1.  So 1 − q ≤ K·w, which is
K·w²(2 − K·w) ≥ (1 − κ)(1 − w)(1 − K·w)², becomes a polynomial inequality in u ≥ 4: the left side
grows with w, the right side falls.

**b = 3 and 4, a ≥ 159** (``EDGE``).  d = D, e = D₊, hx = h′ in the formulas.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.certificate import BoxCertificate, OrthantCertificate
from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Identity, SMTProof
from dpaudit_proofs.bhattacharyya import RATE
from dpaudit_proofs.statement_one import RATIO

__all__ = ["EDGE", "GROWTH", "LOWER", "UPPER"]

# -- bounds on G, and b ≥ 5 --------------------------------------------------------------------

LOWER = OrthantCertificate(
    title="G(s)² > 1 − 1/(4s): G(s)²·s/(s − ¼) decreases to 1",
    role=Role.LEMMA,
    positive="s^2*(s + 3/4) - (s + 1/2)^2*(s - 1/4)",
    shift={"s": "s"},
)

UPPER = OrthantCertificate(
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

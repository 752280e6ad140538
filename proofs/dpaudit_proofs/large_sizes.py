"""What spares an audit at a million records almost all entries, as claims.

:mod:`dpaudit.notes.hellinger_large` looks at few outputs of each pair and at few distances of each
normaliser.  Two facts allow that.

* *The worst output* (``large-worst-output``).  For factors u_x, u_y ≥ 0 and distances h_x, h_y of
  an output, h_y ≤ h_x + D and h_x ≤ 1: u_y·h_y − u_x·h_x ≤ u_y·D + max(u_y − u_x, 0).  The output x
  itself has u_y·D.
* *Distances grow on either side* (``large-monotone``).  With s = p + j and t = q − j, going from
  (s, t) to (s + 1, t − 1) multiplies the squared affinity to (p, q) by

      (Γ(z + ½)/Γ(z))²·(Γ(z′ − ½)/Γ(z′))²·(t − 1)/s,    z = p + j/2, z′ = q − j/2,

  and Γ(z + ½)² ≤ z·Γ(z)², Γ(z′ − ½)² ≤ Γ(z′)²/(z′ − 1) by log-convexity, while z ≤ s and
  z′ − 1 ≥ t − 1.

``large-losses`` puts them together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dpaudit.api import mechanism
from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import Sweep
from dpaudit.claims.statement import forall
from dpaudit.notes.hellinger_large import losses_by_structure
from dpaudit.screens.exponents import screen_losses

__all__ = ["CLAIMS", "MONOTONE"]

_LARGEST = 60

_NEAR = "H((p, q), (p + j, q - j))"
_FAR = "H((p, q), (p + j + 1, q - j - 1))"
_X, _Y = "gamma(p + j/2)", "gamma(p + j/2 + 1/2)"
_U, _V = "gamma(q - j/2)", "gamma(q - j/2 - 1/2)"
_DOMAIN = ("p > 0", "j >= 0", "q > j + 1")

_NEAR_USE = Use("hellinger", {"a": "p", "b": "q", "c": "p + j", "d": "q - j"})
_FAR_USE = Use("hellinger", {"a": "p", "b": "q", "c": "p + j + 1", "d": "q - j - 1"})

_HALF_UP = Derivation(
    title="Γ(z + ½)² ≤ z·Γ(z)²",
    role=Role.LEMMA,
    proves=forall("real z", "z > 0", holds="gamma(z + 1/2)^2 <= z*gamma(z)^2 and gamma(z) > 0"),
    uses=(
        Use("gamma-log-convex", {"s": "z", "t": "z + 1"}),
        Use("gamma-recurrence", {"s": "z"}),
    ),
)

_HALF_DOWN = Derivation(
    title="(z − 1)·Γ(z − ½)² ≤ Γ(z)²",
    role=Role.LEMMA,
    proves=forall("real z", "z > 1", holds="(z - 1)*gamma(z - 1/2)^2 <= gamma(z)^2"),
    uses=(
        Use("gamma-log-convex", {"s": "z - 1", "t": "z"}),
        Use("gamma-recurrence", {"s": "z - 1"}),
    ),
)

_RATIO = Derivation(
    title="the squared affinities of the two candidates have a quotient without Γ(s), Γ(t)",
    role=Role.LEMMA,
    proves=forall(
        "real p q j",
        *_DOMAIN,
        holds=f"(1 - {_FAR}^2)^2*(p + j)*{_X}^2*{_U}^2 == "
        f"(1 - {_NEAR}^2)^2*(q - j - 1)*{_Y}^2*{_V}^2",
    ),
    uses=(_NEAR_USE, _FAR_USE),
)

_PRODUCTS = Derivation(
    title="w·Y·V ≤ s·X·U from Y ≤ z·X and m·V ≤ U, z ≤ s, w ≤ m",
    role=Role.LEMMA,
    proves=forall(
        "real X Y U V z s w m",
        "X >= 0",
        "Y >= 0",
        "U >= 0",
        "V >= 0",
        "w >= 0",
        "w <= m",
        "z <= s",
        "Y <= z*X",
        "m*V <= U",
        holds="w*Y*V <= s*X*U",
    ),
)

_ORDER = Derivation(
    title="x²·A = y²·B with 0 < A and B ≤ A makes y no smaller than x, both ≥ 0",
    role=Role.LEMMA,
    proves=forall(
        "real x y A B",
        "x >= 0",
        "y >= 0",
        "A > 0",
        "B <= A",
        "x^2*A == y^2*B",
        holds="x <= y",
    ),
)

_DISTANCE = Derivation(
    title="the smaller affinity belongs to the larger distance",
    role=Role.LEMMA,
    proves=forall("real g h", "g >= 0", "h >= 0", "1 - h^2 <= 1 - g^2", holds="g <= h"),
)

_A, _B = f"(p + j)*{_X}^2*{_U}^2", f"(q - j - 1)*{_Y}^2*{_V}^2"

MONOTONE = Derivation(
    title="distances grow with the number of steps to one side",
    role=Role.LEMMA,
    proves=forall("real p q j", *_DOMAIN, holds=f"{_NEAR} <= {_FAR}"),
    uses=(
        Use(_HALF_UP, {"z": "p + j/2"}),
        Use(_HALF_DOWN, {"z": "q - j/2"}),
        Use(_HALF_UP, {"z": "q - j/2"}),
        Use(
            _PRODUCTS,
            {
                "X": f"{_X}^2",
                "Y": f"{_Y}^2",
                "U": f"{_U}^2",
                "V": f"{_V}^2",
                "z": "p + j/2",
                "s": "p + j",
                "w": "q - j - 1",
                "m": "q - j/2 - 1",
            },
        ),
        Use(_RATIO),
        _NEAR_USE,
        _FAR_USE,
        Use(_ORDER, {"x": f"1 - {_FAR}^2", "y": f"1 - {_NEAR}^2", "A": _A, "B": _B}),
        Use(_DISTANCE, {"g": _NEAR, "h": _FAR}),
    ),
)

_WORST = SumOfProducts(
    title="u_y·D + m − u_y·h_y + u_x·h_x is a sum of products of what is ≥ 0",
    role=Role.LEMMA,
    goal="uy*d + m - uy*hy + ux*hx",
    hypotheses=("uy", "hx + d - hy", "hx", "m - uy + ux", "m", "1 - hx"),
    products=(
        ("1", ("uy", "hx + d - hy")),
        ("1", ("hx", "m - uy + ux")),
        ("1", ("m", "1 - hx")),
    ),
)


def _enclosed() -> tuple[int, str]:
    """Hold the bounds by structure against a look at every entry."""
    cases = 0
    for name, prior in (("EHDS", "1,1"), ("EHD", "1,1"), ("EHDL", "1/10,3")):
        for n in range(1, _LARGEST + 1):
            screen: Any = mechanism(name, prior=prior).screen(n)
            found = losses_by_structure(screen, screen.floats.metric, screen.factors)
            every = screen_losses(screen)
            cases += n
            inside = (every.lower <= found.upper) & (found.lower <= every.upper)
            if found.covered != n or not np.all(inside):
                return cases, f"{name}, prior ({prior}), n = {n}"
    return cases, ""


CLAIMS = (
    Claim(
        id="large-worst-output",
        typed=forall(
            "real ux uy hx hy d m",
            "ux >= 0",
            "uy >= 0",
            "hx >= 0",
            "hx <= 1",
            "hy <= hx + d",
            "m >= 0",
            "m >= uy - ux",
            holds="uy*hy - ux*hx <= uy*d + m",
        ),
        source="new; what an audit at large sizes rests on",
        statement="an output loses at most u_y·H(x, y) + max(u_y − u_x, 0) before normalising",
        domain="all real factors ≥ 0, distances at most 1 with the triangle inequality",
        evidence=(_WORST,),
        derivation="u_y·h_y ≤ u_y·h_x + u_y·D, and (u_y − u_x)·h_x ≤ m as 0 ≤ h_x ≤ 1.",
    ),
    Claim(
        id="large-monotone",
        typed=MONOTONE.proves,
        source="new; what an audit at large sizes rests on",
        statement="the distance of a posterior to the candidates grows with the steps to one side",
        domain="all real parameters p > 0, j ≥ 0, q > j + 1",
        evidence=(MONOTONE,),
        derivation="j steps to the right of (p, q) and one more.  To the left it is the same with "
        "the two parameters exchanged.",
    ),
    Claim(
        id="large-losses",
        source="new; what an audit at large sizes rests on",
        statement="the largest loss of every pair of neighbours at any n follows from few entries",
        formula="k = 2, P_x(r) = e^(−u_x·H(x, r))/Z_x, x ~ y: max over r of ln(P_x(r)/P_y(r)) lies "
        "between u_y·H(x, y) + ln(Z_y/Z_x) and that plus max(u_y − u_x, 0); and for distances "
        "0 = d₀ < d₁ < … on either side Z_x lies between 1 + Σ (dᵢ − dᵢ₋₁)·w(dᵢ) and "
        "1 + Σ (dᵢ − dᵢ₋₁)·w(dᵢ₋₁ + [dᵢ = dᵢ₋₁ + 1]), w(d) the weight d steps away",
        domain="k = 2, every prior, n ≥ 1, all factors u > 0",
        evidence=(
            MONOTONE,
            replace(_WORST, role=Role.PROVES),
            Sweep(
                title="the bounds in floats hold what a look at every entry finds",
                role=Role.ILLUSTRATES,
                bound=f"EHDS, EHD, EHDL, n = 1..{_LARGEST}, all pairs",
                run=_enclosed,
            ),
        ),
        derivation="ln(P_x(r)/P_y(r)) = u_y·H(y, r) − u_x·H(x, r) + ln(Z_y/Z_x).  At r = x the "
        "first two are u_y·H(x, y); elsewhere the second piece of evidence bounds them.  Weights "
        "fall with the steps on either side (MONOTONE), so the dᵢ − dᵢ₋₁ outputs beyond dᵢ₋₁ and "
        "up to dᵢ have weights between w(dᵢ) and w(dᵢ₋₁).  Where u_y ≤ u_x the two bounds of the "
        "loss meet; of a pair with u_y > u_x the other direction has them meet.  So all pairs are "
        "bounded by a few hundred entries each, and those that can hold the maximum are then "
        "looked at at every output, in balls.  The argument needs two categories (outputs in "
        "order) and a largest pair that stands out: for M_H the pairs in the middle lose nearly "
        "the same, and every entry is looked at.",
    ),
)

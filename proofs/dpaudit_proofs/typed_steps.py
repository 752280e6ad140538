"""Typed statements of the numbered steps: of the local-sensitivity argument, and of dilation.

The case that the first considers is stated at n = 1 and three categories where a point of it
refutes a step; a step that holds is stated for any numbers in that place, which is more.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.derivation import Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import (
    DILATED_LOG,
    DILATED_RATIO,
    DILATED_UP,
    HALF_BUDGET,
    LINEAR,
    lemma,
)
from dpaudit_proofs.derived_noise import QUANTILE_HALF
from dpaudit_proofs.typed_events import LEAST_AND_LARGEST

__all__ = ["CASE", "DILATION", "EM_LOCAL", "THREE", "TWO"]

_YX = "H((a, b + 1, d), (a + 1, b, d))"
CASE = (
    "a > 0",
    "b > 0",
    "d > 0",
    f"{_YX} >= H((a, b + 1, d), (a, b, d + 1))",
    f"{_YX} < H((a + 1, b, d), (a, b, d + 1))",
)
"""The case at one record of three categories: x, y, and z the third candidate."""
_SX, _SY = "LS((a, b, d), (1, 0, 0))", "LS((a, b, d), (0, 1, 0))"
_POINT: dict[str, str] = {"a": "1", "b": "3", "d": "2"}
_AT = ({**_POINT, "eps": "4/5"},)
_ORDERED = ("0 < sy", "sy < sx")

EM_LOCAL: dict[int, dict[str, Any]] = {
    4: {
        "typed": LEAST_AND_LARGEST,
        "points": ({"N": "2", "r": "2", "x": "5", "y": "1", "sx": "10", "sy": "8", "eps": "1"},),
    },
    5: {
        "typed": forall(
            "real ux uy sx sy eps k",
            *_ORDERED,
            "eps > 0",
            "k >= 1",
            holds="k*exp(eps*(ux + uy)/(2*sx))/(k*exp(eps*(uy + ux)/(2*sy))) == "
            "exp(eps/2*((ux + uy)/sx - (ux + uy)/sy))",
        )
    },
    6: {
        "typed": forall(
            "real best ux uy sy",
            "best == 0",
            "ux <= 0",
            "ux >= best",
            "sy == ux - uy",
            holds="ux == 0 and sy == -uy",
        )
    },
    7: {"typed": forall("real sx sy", *_ORDERED, holds="-sx < sy")},
    8: {"typed": forall("real sx sy", *_ORDERED, holds="sx - sy < 2*sx")},
    9: {"typed": forall("real sx sy", *_ORDERED, holds="-sy*(sy - sx) < 2*sx*sy")},
    10: {"typed": forall("real sx sy uy", *_ORDERED, "uy == -sy", holds="uy*(sy - sx) < 2*sx*sy")},
    11: {
        "typed": forall("real a b d", *CASE, holds=f"-{_YX}/{_SX} + {_YX}/{_SY} > 2"),
        "points": (_POINT,),
    },
    12: {
        "typed": forall(
            "real a b d eps",
            *CASE,
            "eps > 0",
            holds=f"exp(eps/2*(-{_YX}/{_SY} + {_YX}/{_SX})) > exp(eps)",
        ),
        "points": _AT,
    },
    13: {
        "typed": forall(
            "real a b d eps",
            *CASE,
            "eps > 0",
            holds=f"P_exp(eps/(2*{_SX}), (a, b, d), (1, 0, 0), (1, 0, 0)) > "
            f"exp(eps)*P_exp(eps/(2*{_SY}), (a, b, d), (0, 1, 0), (1, 0, 0))",
        ),
        "points": _AT,
    },
}
"""Fields of the claims by the number of the step."""

_BELOW = lemma(
    "|e·z| > |z| for e > 1, z ≠ 0",
    forall("real e z", "e > 1", "z != 0", holds="-abs(e*z) < -abs(z)"),
)

_NARROWER = lemma(
    "the dilated density is below the density",
    forall(
        "real l z",
        "l > 0",
        "z != 0",
        holds="exp(-abs(exp(l)*z))/2 < exp(-abs(z))/2",
    ),
    Use("exp-increases", {"s": "0", "t": "l"}),
    Use(_BELOW, {"e": "exp(l)"}),
    Use("exp-increases", {"s": "-abs(exp(l)*z)", "t": "-abs(z)"}),
)

_AT_MOST = lemma(
    "the ratio is at most e^λ",
    forall("real l z", "l > 0", holds="exp(l)*exp(-abs(exp(l)*z))/exp(-abs(z)) <= exp(l)"),
    Use(DILATED_RATIO),
    Use(DILATED_UP),
)


def _budget(number: int, *domain: str) -> Any:
    return lemma(
        f"λ ≤ ε/(2·ln({number}/δ)) gives λ ≤ ε/2 where {number}/δ ≥ e",
        forall(
            "real eps delta l",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "l > 0",
            f"l <= eps/(2*log({number}/delta))",
            *domain,
            holds="l <= eps/2",
        ),
        Use(lemma("e < 3", forall("", holds="exp(1) < 3"))),
        Use(
            lemma(
                f"{number}/δ ≥ e",
                forall(
                    "real delta e",
                    "delta > 0",
                    "delta < 1",
                    "e > 0",
                    f"delta*e <= {number}",
                    holds=f"{number}/delta >= e and {number}/delta > 1",
                ),
            ),
            {"e": "exp(1)"},
        ),
        Use(
            lemma("a product", forall("real d e", "d > 0", "d < 1", "e > 0", holds="d*e < e")),
            {"d": "delta", "e": "exp(1)"},
        ),
        Use("log-increases", {"s": "exp(1)", "t": f"{number}/delta"}),
        Use("log-increases", {"s": "1", "t": f"{number}/delta"}),
        Use("log-exp", {"s": "1"}),
        Use(
            lemma("equal", forall("real s t", "s > 0", "s == t", holds="log(s) == log(t)")),
            {"s": "exp(1)", "t": f"{number}/delta"},
        ),
        Use(HALF_BUDGET, {"s": f"log({number}/delta)"}),
    )


THREE, TWO = _budget(3), _budget(2, "delta*exp(1) <= 2")

_INSIDE = (
    "abs(z)*abs(l) <= log(2/delta)*abs(l) and "
    "log(2/delta)*abs(l) <= log(2/delta)*(eps/(2*log(3/delta))) and "
    "log(2/delta)*(eps/(2*log(3/delta))) <= eps/2"
)

_WITHIN = lemma(
    "|z||λ| ≤ L·|λ| ≤ L·ε/(2·K) ≤ ε/2 for 0 < L < K",
    forall(
        "real eps l z L K",
        "eps > 0",
        "0 < L",
        "L < K",
        "l < 0",
        "-l <= eps/(2*K)",
        "abs(z) <= L",
        holds="abs(z)*abs(l) <= L*abs(l) and L*abs(l) <= L*(eps/(2*K)) and L*(eps/(2*K)) <= eps/2",
    ),
    Use(
        lemma(
            "a product",
            forall("real p q r", "r >= 0", "p <= q", holds="p*r <= q*r"),
        ),
        {"p": "abs(z)", "q": "L", "r": "abs(l)"},
    ),
    Use(
        lemma(
            "half of the budget",
            forall("real e L K", "e > 0", "0 < L", "L < K", holds="L*(e/(2*K)) <= e/2"),
        ),
        {"e": "eps"},
    ),
)

_LEVELS = lemma(
    "|z||λ| stays within half of the budget where |z| ≤ ln(2/δ)",
    forall(
        "real eps delta l z",
        "eps > 0",
        "delta > 0",
        "delta < 1",
        "l < 0",
        "-l <= eps/(2*log(3/delta))",
        "abs(z) <= log(2/delta)",
        holds=_INSIDE,
    ),
    Use(
        lemma(
            "levels",
            forall(
                "real delta",
                "delta > 0",
                "delta < 1",
                holds="2/delta > 1 and 3/delta > 2/delta",
            ),
        )
    ),
    Use("log-increases", {"s": "1", "t": "2/delta"}),
    Use("log-increases", {"s": "2/delta", "t": "3/delta"}),
    Use(_WITHIN, {"L": "log(2/delta)", "K": "log(3/delta)"}),
)

DILATION: dict[int, tuple[dict[str, Any], tuple[Any, ...]]] = {
    12: (
        {
            "typed": forall(
                "real eps delta l z",
                "eps > 0",
                "delta > 0",
                "delta < 1",
                "l < 0",
                "-l*(2*log(3/delta)) <= eps",
                holds="exp(-abs(z))/2 <= exp(abs(z)*abs(l))*(exp(l)*exp(-abs(exp(l)*z))/2)",
            ),
            "holds_on": ("abs(z)*(abs(l) + 1 - exp(l)) >= abs(l)",),
            "points": ({"eps": "4/5", "delta": "1/2", "l": "-1/10", "z": "0"},),
        },
        (),
    ),
    17: (
        {  # p, pg, po of S, of S and G, of S without G; outside G no more than δ/2
            "typed": forall(
                "real eps delta p pg po q qg",
                "p == pg + po",
                "po <= delta/2",
                "qg <= q",
                "pg <= exp(eps/2)*qg",
                holds="p <= exp(eps/2)*qg + delta/2 and p <= exp(eps/2)*q + delta/2",
            ),
        },
        (),
    ),
    1: (
        {
            "typed": forall("real l z", "l > 0", holds="exp(-abs(exp(l)*z))/2 < exp(-abs(z))/2"),
            "holds_on": ("z != 0",),
            "points": ({"l": "1", "z": "0"},),
        },
        (_NARROWER,),
    ),
    3: (
        {  # of the intervals among the sets
            "typed": forall(
                "real l a b z",
                "l != 0",
                "a < b",
                "a <= z",
                "z <= b",
                holds="(F_lap(1, exp(l)*b) - F_lap(1, exp(l)*a))/(F_lap(1, b) - F_lap(1, a)) == "
                "exp(-abs(exp(l)*z))*exp(l)/exp(-abs(z))",
            ),
            "points": ({"l": "1", "a": "0", "b": "1", "z": "0"},),
        },
        (),
    ),
    4: (
        {
            "typed": forall(
                "real l z",
                "l > 0",
                holds="exp(l)*exp(-abs(exp(l)*z))/exp(-abs(z)) <= exp(l)",
            )
        },
        (_AT_MOST,),
    ),
    5: (
        {
            "typed": forall(
                "real eps delta l",
                "eps > 0",
                "delta > 0",
                "delta < 1",
                "l > 0",
                "l <= eps/(2*log(3/delta))",
                holds="l <= eps/2",
            )
        },
        (THREE,),
    ),
    6: (
        {
            "typed": forall(
                "real eps delta l",
                "eps > 0",
                "delta > 0",
                "delta < 1",
                "l > 0",
                "l <= eps/(2*log(2/delta))",
                holds="l <= eps/2",
            ),
            "holds_on": ("delta*exp(1) <= 2",),
            "points": ({"eps": "4/5", "delta": "9/10", "l": "1/2"},),
        },
        (TWO,),
    ),
    9: (
        {
            "typed": forall(
                "real l z",
                holds="exp(l)*exp(-abs(exp(l)*z))/exp(-abs(z)) == exp(l)*exp(abs(z)*(1 - exp(l)))",
            )
        },
        (DILATED_RATIO,),
    ),
    10: ({"typed": forall("real l", "l < 0", holds="1 - exp(l) <= -l")}, (LINEAR,)),
    11: (
        {
            "typed": forall(
                "real l z",
                "l < 0",
                holds="l + abs(z)*(1 - exp(l)) <= l + abs(z)*abs(l) and "
                "l + abs(z)*abs(l) <= abs(z)*abs(l)",
            )
        },
        (DILATED_LOG,),
    ),
    14: (
        {
            "typed": forall(
                "real eps delta l z",
                "eps > 0",
                "delta > 0",
                "delta < 1",
                "l < 0",
                "-l <= eps/(2*log(3/delta))",
                "abs(z) <= log(2/delta)",
                holds=_INSIDE,
            )
        },
        (_LEVELS,),
    ),
    15: (
        {
            "typed": forall(
                "real delta",
                "delta > 0",
                "delta < 1",
                holds="1 - (F_lap(1, log(2/delta)) - F_lap(1, -log(2/delta))) == delta/2",
            )
        },
        (QUANTILE_HALF,),
    ),
}
"""Fields of the claims, and further evidence, by the number of the step."""

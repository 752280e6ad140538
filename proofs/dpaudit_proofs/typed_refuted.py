"""Typed statements that are false at a point: of accuracy, of events, of steps of proofs.

A claim about any number of categories, any prior or any event is stated here for two categories (or
three), a prior of as many parameters, or an event of one kind, wherever a point of that refutes it.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.statement import forall
from dpaudit_proofs.typed_settings import ANY, BUDGET, DATA, FLAT, NOTES, PRIOR, floored, over, tail
from dpaudit_proofs.typed_steps import CASE
from dpaudit_proofs.typed_tables import TABLES

__all__ = ["REFUTED"]

# -- accuracy (N §2.3.3, §3.3, §3.4.2) -------------------------------------------------------------

_S = ANY.smooth()
_WEIGHT = f"exp(-eps*{ANY.distance()}/{_S})"
_HALF_WEIGHT = f"exp(-eps*{ANY.distance()}/(2*{_S}))"
_M_H = tail(ANY, f"eps/(2*{_S})")
_UNION = f"(n + 1)*exp(-eps*t/{_S})"

_EVENT = over(
    f"at_most(-{FLAT.distance()}, {FLAT.smooth()}/(1 - e))*{FLAT.law(f'eps/(2*{FLAT.smooth()})')}"
)
_EVENT_DOMAIN = (*BUDGET, *DATA, "e > 1", "e <= 1 - eps/(2*log(delta/(2*(n + 1))))")
_EVENT_AT = (
    {**NOTES, "e": "26/25", "n": "2", "c": "1"},
    {"eps": "10", "delta": "1/2", "e": "3", "n": "2", "c": "2"},
)
"""e: e^λ, at most e^β."""

_ACCURACY: dict[str, dict[str, Any]] = {
    "acc-tight": {
        "typed": forall(
            "real a b eps delta t, natural n c",
            *PRIOR,
            *BUDGET,
            *DATA,
            holds=" or ".join(
                f"{_M_H} == {over(f'at_most(t, {ANY.distance()})*{_WEIGHT}')}/{over(each)}"
                for each in (_HALF_WEIGHT, _WEIGHT)
            ),
        ),
        "points": ({**NOTES, "a": "1", "b": "1", "t": "1/2", "n": "8", "c": "4"},),
    },
    "acc-second": {
        "typed": forall(
            "real a b eps delta t, natural n c",
            *PRIOR,
            *BUDGET,
            *DATA,
            holds=" or ".join(
                f"{_M_H} <= {_UNION}/{over(each)}" for each in (_HALF_WEIGHT, _WEIGHT)
            ),
        ),
        "points": (
            {"a": "1", "b": "1", "eps": "2", "delta": "1/2000", "t": "9/20", "n": "1", "c": "0"},
        ),
    },
    "acc-sensitivity-direction": {
        "typed": forall(
            "real a b eps s larger t, natural n c",
            *PRIOR,
            "eps > 0",
            "s > 0",
            "larger > s",
            *DATA,
            holds=f"{tail(ANY, 'eps/(2*larger)')} < {tail(ANY, 'eps/(2*s)')}",
        ),
        "points": (
            {
                "a": "1",
                "b": "1",
                "eps": "4/5",
                "s": "1/4",
                "larger": "1/2",
                "t": "1/2",
                "n": "8",
                "c": "4",
            },
        ),
    },
    "dilation-event-mass": {
        "typed": forall(
            "real eps delta e, natural n c",
            *_EVENT_DOMAIN,
            holds=f"{_EVENT} == 1 - delta/2",
        ),
        "points": _EVENT_AT,
    },
    "accuracy-equality": {
        "typed": forall(
            "real eps delta e, natural n c",
            *_EVENT_DOMAIN,
            holds=f"{_EVENT} == (n + 1)*exp(eps/(2*(1 - e)))",
        ),
        "points": _EVENT_AT,
    },
}

# -- the proofs of Lemma 2.3 (N §2.3.4), of dilation (D §4.1), and of A Thm 3.1, 4.2 ---------------


def _other(x: str) -> str:
    """Return the law of M_H at the first count x."""
    return FLAT.law(f"eps/(2*{FLAT.smooth(x)})", x)


_NORMALISERS = [
    over(f"exp(-eps*{FLAT.distance(x)}/(2*{FLAT.smooth(x)}))") for x in ("c", "(c - 1)")
]
_U_1 = f"({FLAT.distance()} - {FLAT.distance('(c - 1)')})/{FLAT.smooth()}"
_U_3 = (
    f"(-{FLAT.distance('(c - 1)', 's')} + {_U_1})*({FLAT.smooth()}/{FLAT.smooth('(c - 1)')})*"
    f"log({_NORMALISERS[0]}/{_NORMALISERS[1]})"
)

_THE_THREE = ("(a + 1, b, d)", "(a, b + 1, d)", "(a, b, d + 1)")
_UX, _UY = ([f"-H({x}, {r})" for r in _THE_THREE] for x in _THE_THREE[:2])
_SX, _SY = ("LS((a, b, d), (1, 0, 0))", "LS((a, b, d), (0, 1, 0))")


def _summed(*exponents: str) -> str:
    """Return the sum of e to eps/2 times each exponent."""
    return f"({' + '.join(f'exp(eps/2*({exponent}))' for exponent in exponents)})"


_QUOTIENTS = (
    _summed(*(f"{_UX[0]}/{_SX} + {u}/{_SY}" for u in _UY)),
    _summed(*(f"{_UY[0]}/{_SY} + {u}/{_SX}" for u in _UX)),
    _summed(*(f"({_UX[0]} + {u})/{_SX}" for u in _UY)),
    _summed(*(f"({_UY[0]} + {u})/{_SY}" for u in _UX)),
)
"""The numerator and denominator of the quotient of laws at r = x, and of what it is replaced by."""

_EHD = [
    f"P_exp(eps/(2*sqrt(1 - pi/4)), (s, s), ({x}, n - {x}), (r, n - r))" for x in ("c", "(c + 1)")
]

_PROOFS: dict[str, dict[str, Any]] = {
    "lemma-2.3-sets": {  # S: the r with z[r] ≥ 1
        "typed": forall(
            "real eps delta, natural n c, integers z",
            *BUDGET,
            *DATA,
            holds="2*"
            + over(f"at_most(1, z[r])*{_other('c')}")
            + " == "
            + over(
                f"min(1, sum(s, 0, n, at_most(1, z[s])*same({FLAT.distance()}, "
                f"{FLAT.distance(r='s')})))*{_other('c')}"
            ),
        ),
        "points": ({**NOTES, "n": "2", "c": "1", "z": "0"},),
    },
    "lemma-2.3-U3": {  # U: the score of s at y, which has a record moved; U₂ = U + U₁
        "typed": forall(
            "real eps delta, natural n c s",
            *BUDGET,
            "c >= 1",
            "c <= n",
            "s <= n",
            holds=over(f"same(-{FLAT.distance()}, {_U_3})*{_other('c')}")
            + " == "
            + over(
                f"same({FLAT.distance('(c - 1)')}, {FLAT.distance('(c - 1)', 's')})*"
                f"{_other('(c - 1)')}"
            ),
        ),
        "points": ({**NOTES, "n": "2", "c": "2", "s": "1"},),
    },
    "em-local-step-3": {
        "typed": forall(
            "real a b d eps",
            *CASE,
            "eps > 0",
            holds=f"{_QUOTIENTS[0]}/{_QUOTIENTS[1]} > {_QUOTIENTS[2]}/{_QUOTIENTS[3]}",
        ),
        "points": ({"a": "1", "b": "3", "d": "2", "eps": "4/5"},),
    },
    "lap-dilation-8": {  # the bound, e^λ for every S, and S = {|z| > t}
        "typed": forall(
            "real eps delta l t",
            *BUDGET,
            "l > 0",
            "l <= eps/(2*log(3/delta))",
            "exp(l) <= exp(eps/2)",
            "t >= 0",
            holds="2*F_lap(1, -t) <= exp(eps/2)*(2*F_lap(1, -exp(l)*t)) + delta/2",
        ),
        "points": ({"eps": "10", "delta": "1/2000", "l": "57/100", "t": "29/4"},),
    },
    "thm-3.1-EHD-one-record-suffices": {
        "typed": forall(
            "real s eps, natural n c r",
            "s > 0",
            "eps > 0",
            "c + 1 <= n",
            "r <= n",
            "gamma(s + 1/2)^2/(gamma(s)*gamma(s + 1)) >= pi - 3",
            holds=f"{_EHD[0]} <= exp(eps)*{_EHD[1]} and {_EHD[1]} <= exp(eps)*{_EHD[0]}",
        ),
        "points": ({"s": "69/1000", "eps": "1/100", "n": "5", "c": "0", "r": "0"},),
    },
    "thm-4.2-strict": {
        "typed": forall(
            "real a b eps, natural n c",
            *PRIOR,
            "eps > 0",
            "n >= 2",
            "c <= n",
            holds=over(
                f"(1 - at_most({ANY.local()}, {ANY.distance()}))*{floored('1/eps', 'c', 'r')}"
            )
            + " >= 1 - (exp(-eps) + exp(-2*eps))/2",
        ),
        "points": ({"a": "1", "b": "1", "eps": "4/5", "n": "4", "c": "3"},),
    },
}

REFUTED = {**_ACCURACY, **_PROOFS, **TABLES}
"""Fields of the claims by id."""

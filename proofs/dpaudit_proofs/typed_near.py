"""Typed statements of A Thm 4.5 and its corollaries: the chance that an output is within τ.

k is as printed, the largest number of steps from x of a candidate with H < τ: no candidate beyond k
steps is within τ, and one at k steps is.  Variables: t for τ, c for the first count of x.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.derivation import Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import lemma
from dpaudit_proofs.typed_settings import ANY, DATA, PRIOR, floored, over

__all__ = ["BELOW_1", "LOCAL_ABOVE_0", "WITHIN_TAU"]

_H, _LS = ANY.distance(), ANY.local()
_GS = "sqrt(1 - pi/4)"
_VARIABLES = "real a b eps t, natural n c k"
_DOMAIN = (
    *PRIOR,
    "eps > 0",
    "t > 0",
    *DATA,
    f"all(r, 0, n, abs(r - c) <= k or t <= {_H})",
    f"any(r, 0, n, abs(r - c) == k and {_H} < t)",
)


def _near(law: str) -> str:
    """Return P[H < τ]."""
    return over(f"(1 - at_most(t, {_H}))*{law}")


_EHD, _EHDL = (_near(ANY.law(f"eps/(2*{s})")) for s in (_GS, _LS))
_LSHIST = _near(floored("1/eps", "c", "r"))
_FORMULA = "1 - (exp(-k*eps) + exp(-(k + 1)*eps))/2"

LOCAL_ABOVE_0 = lemma(
    "LS(x) > 0",
    forall("real a b, natural n c", *PRIOR, *DATA, holds=f"{_LS} > 0"),
    Use("local-sensitivity-positive", {"x": "c", "y": "n - c"}),
)

BELOW_1 = lemma(
    "e^(−ε) < 1",
    forall("real eps", "eps > 0", holds="exp(-eps) < 1"),
    Use("exp-increases", {"s": "-eps", "t": "0"}),
)

_WITHIN = f"all(r, 0, n, abs(r - c) > k or {_H} < t)"
_BOTH_SIDES = ("c >= k", "c + k <= n", _WITHIN)
_UNCLAMPED = ("c > k", "c + k < n", _WITHIN)


def _below_n(s: str) -> str:
    """Return n·(1 − e^(−f·h)) > 1 for the distance h of every other candidate, f = ε/(2s)."""
    return f"all(r, 0, n, r == c or n*(1 - exp(-(eps/(2*{s})*{_H}))) > 1)"


_ONE_RECORD = {"a": "1", "b": "1", "eps": "4/5", "t": "1/10", "n": "1", "c": "0", "k": "0"}
_BALANCED = {"a": "1", "b": "1", "eps": "4/5", "t": "3/10", "n": "8", "c": "4", "k": "1"}
_NEAREST = {**_BALANCED, "t": "1/10", "k": "0"}
_AT = (_ONE_RECORD, _BALANCED)

WITHIN_TAU: dict[str, dict[str, Any]] = {
    "thm-4.5-EHD-upper-chain": {
        "typed": forall(
            _VARIABLES, *_DOMAIN, holds=f"{_EHD} <= (2*k + 1)/(n*exp(-(eps/(2*{_GS}))))"
        ),
        "points": _AT,
    },
    "thm-4.5-EHDL-upper": {
        "typed": forall(
            _VARIABLES, *_DOMAIN, holds=f"{_EHDL} < (2*k + 1)/(n*exp(-(eps/(2*{_LS}))))"
        ),
        "points": _AT,
    },
    "thm-4.5-EHD-lower": {
        "typed": forall(_VARIABLES, *_DOMAIN, holds=f"(2*k*exp(-eps) + 1)/n < {_EHD}"),
        "holds_on": (*_BOTH_SIDES, f"t <= 2*{_GS}", _below_n(_GS)),
        "points": (_ONE_RECORD, {**_BALANCED, "eps": "4"}),
    },
    "thm-4.5-EHDL-lower": {
        "typed": forall(_VARIABLES, *_DOMAIN, holds=f"(2*k*exp(-(eps/(2*{_LS}))) + 1)/n < {_EHDL}"),
        "holds_on": (*_BOTH_SIDES, _below_n(_LS)),
        "points": (_ONE_RECORD, {**_BALANCED, "eps": "4"}),
    },
    "thm-4.5-LSHist-equality": {
        "typed": forall(_VARIABLES, *_DOMAIN, holds=f"{_LSHIST} == {_FORMULA}"),
        "holds_on": _UNCLAMPED,
        "points": _AT,
    },
    "thm-4.5-LSHist-bound": {
        "typed": forall(_VARIABLES, *_DOMAIN, holds=f"{_LSHIST} >= 1 - exp(-k*eps)"),
        "holds_on": (_WITHIN,),
        "points": (
            {**_BALANCED, "b": "2", "eps": "1", "t": "9/25", "n": "2", "c": "1"},
            *_AT,
        ),
    },
    "cor-4.5.1-order": {
        "typed": forall(
            _VARIABLES.replace("t,", "t most,"),
            *_DOMAIN,
            "eps <= most",
            "n >= 2*exp(2*most/25)*(2*k + 1)*exp(eps)/(1 - exp(-eps))",
            holds=f"{_LSHIST} > {_EHD}",
        ),
        "points": ({**_BALANCED, "most": "1", "eps": "1", "t": "1/100", "n": "40", "k": "0"},),
    },
    "cor-4.5.2": {
        "typed": forall(
            _VARIABLES, *_DOMAIN, f"n*({_FORMULA}) < 2*k*exp(-eps) + 1", holds=f"{_EHD} > {_LSHIST}"
        ),
        "holds_on": (
            *_UNCLAMPED,
            f"t <= 2*{_GS}",
            over(f"exp(-(eps/(2*{_GS})*{_H}))") + " <= n",
        ),
        "points": (
            _ONE_RECORD,
            {**_BALANCED, "eps": "17/25", "t": "1/10", "n": "4", "c": "2", "k": "0"},
        ),
    },
    "cor-4.5.2-order": {
        "typed": forall(
            _VARIABLES,
            *_DOMAIN,
            f"2*n*({_FORMULA}) <= 2*k*exp(-eps) + 1",
            holds=f"{_EHD} > {_LSHIST}",
        ),
        "holds_on": (*_UNCLAMPED, f"t <= 2*{_GS}"),
        "points": (
            _ONE_RECORD,
            {**_BALANCED, "eps": "1/4", "t": "1/10", "n": "2", "c": "1", "k": "0"},
        ),
    },
}
"""Fields of the claims by id."""

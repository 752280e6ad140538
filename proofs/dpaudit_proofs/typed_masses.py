"""Typed statements of the steps about sets, in the argument for dilation (D §4.1).

A set is an interval there.  A bound without δ that holds of the masses of all intervals (of all
those within another one) holds of all measurable sets, since both sides are measures; and an
interval at which it fails is a set at which it fails.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.derivation import Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import EXP_MONOTONE, lemma
from dpaudit_proofs.derived_masses import CHANGED, SHRUNK, STRETCHED, mass
from dpaudit_proofs.typed_steps import THREE, TWO

__all__ = ["MASSES"]

_NOISES = ("eps > 0", "delta > 0", "delta < 1")
_FIRST, _SECOND = (f"eps/(2*log({number}/delta))" for number in (3, 2))
_HERE, _DILATED = mass("a", "b"), mass("exp(l)*a", "exp(l)*b")

_UNIT = lemma(
    "an interval has some mass",
    forall("real a b", "a < b", holds="F_lap(1, a) < F_lap(1, b)"),
    *(
        use
        for t in "ab"
        for use in (
            Use("laplace-left", {"s": "1", "t": t}),
            Use("laplace-right", {"s": "1", "t": t}),
        )
    ),
    Use(lemma("division by 1", forall("real t", holds="t/1 == t")), {"t": "a"}),
    Use(lemma("division by 1", forall("real t", holds="t/1 == t")), {"t": "b"}),
    Use("exp-increases", {"s": "a/1", "t": "b/1"}),
    Use("exp-increases", {"s": "-b/1", "t": "-a/1"}),
    Use("exp-increases", {"s": "a/1", "t": "0"}),
    Use("exp-increases", {"s": "-b/1", "t": "0"}),
)

_LEVELS = lemma(
    "both logarithms are above 0",
    forall("real delta", "delta > 0", "delta < 1", holds="log(3/delta) > 0 and log(2/delta) > 0"),
    Use(
        lemma(
            "3/δ > 1",
            forall("real delta", "delta > 0", "delta < 1", holds="3/delta > 1 and 2/delta > 1"),
        )
    ),
    Use("log-increases", {"s": "1", "t": "3/delta"}),
    Use("log-increases", {"s": "1", "t": "2/delta"}),
)

_SEVENTH_DOMAIN = (*_NOISES, "l > 0", f"l <= {_FIRST}", "a < b")
_SEVENTH = f"{_DILATED}/{_HERE} <= eps/2"
_WITHIN = f"exp({_FIRST}) <= eps/2"

_QUOTIENT = lemma(
    "the quotient is at most e^λ ≤ e^β ≤ ε/2",
    forall("real eps delta l a b", *_SEVENTH_DOMAIN, _WITHIN, holds=_SEVENTH),
    Use(_LEVELS),
    Use(_UNIT),
    Use(STRETCHED),
    Use(EXP_MONOTONE, {"s": "l", "t": _FIRST}),
    Use(
        lemma(
            "a quotient",
            forall("real p q e f", "q > 0", "p <= e*q", "e <= f", holds="p/q <= f"),
            Use(
                lemma("a product", forall("real q e f", "q > 0", "e <= f", holds="e*q <= f*q")),
            ),
        ),
        {"p": _DILATED, "q": _HERE, "e": "exp(l)", "f": "eps/2"},
    ),
)

_GROWN = lemma(
    "dilated mass does not fall",
    forall("real e a b", "e > 0", "a <= b", holds="e*a <= e*b"),
)

_NONNEGATIVE = lemma(
    "the dilated interval has mass",
    forall("real l a b", "a <= b", holds=f"{_DILATED} >= 0"),
    Use(_GROWN, {"e": "exp(l)"}),
    Use(_UNIT, {"a": "exp(l)*a", "b": "exp(l)*b"}),
    Use(
        lemma("equal arguments", forall("real s t", "s == t", holds="F_lap(1, s) == F_lap(1, t)")),
        {"s": "exp(l)*a", "t": "exp(l)*b"},
    ),
)

_FACTOR = lemma(
    "a larger factor",
    forall("real p e f q", "q >= 0", "p <= e*q", "e <= f", holds="p <= f*q"),
)

_THIRTEENTH = (
    *_NOISES,
    "l < 0",
    f"-l <= {_FIRST}",
    "a <= b",
    "abs(a) <= w",
    "abs(b) <= w",
)
_EXCHANGED = f"{_HERE} <= exp(w*abs(l))*{_DILATED}"

_FROM_ONE = lemma(
    "e^|λ| is enough, so e^(w·|λ|) is for w ≥ 1",
    forall("real eps delta l a b w", *_THIRTEENTH, "w >= 1", holds=_EXCHANGED),
    Use(_LEVELS),
    Use(SHRUNK),
    Use(_NONNEGATIVE),
    Use(lemma("the exponent", forall("real l w", "l < 0", "w >= 1", holds="-l <= w*abs(l)"))),
    Use(EXP_MONOTONE, {"s": "-l", "t": "w*abs(l)"}),
    Use(_FACTOR, {"p": _HERE, "e": "exp(-l)", "f": "exp(w*abs(l))", "q": _DILATED}),
)

_SIXTEENTH = (
    *_NOISES,
    "l < 0",
    f"-l <= {_FIRST} or -l <= {_SECOND}",
    "a <= b",
    "abs(a) <= log(2/delta)",
    "abs(b) <= log(2/delta)",
)
_BUDGETED = f"{_HERE} <= exp(eps/2)*{_DILATED}"
_SMALL = f"-l <= {_FIRST} or delta*exp(1) <= 2"

_HALF = lemma(
    "|λ| ≤ ε/2, so e^|λ| ≤ e^(ε/2)",
    forall("real eps delta l a b", *_SIXTEENTH, _SMALL, holds=_BUDGETED),
    Use(_LEVELS),
    Use(SHRUNK),
    Use(_NONNEGATIVE),
    Use(THREE, {"l": "-l"}),
    Use(TWO, {"l": "-l"}),
    Use(EXP_MONOTONE, {"s": "-l", "t": "eps/2"}),
    Use(_FACTOR, {"p": _HERE, "e": "exp(-l)", "f": "exp(eps/2)", "q": _DILATED}),
)

MASSES: dict[int, tuple[dict[str, Any], tuple[Any, ...]]] = {
    2: (
        {  # ½·e^(−|e^λ·z|)·e^λ is the density of noise of scale e^(−λ)
            "typed": forall(
                "real l a b",
                "a <= b",
                holds=f"{_DILATED} == {mass('a', 'b', 'exp(-l)')}",
            )
        },
        (CHANGED,),
    ),
    7: (
        {
            "typed": forall("real eps delta l a b", *_SEVENTH_DOMAIN, holds=_SEVENTH),
            "holds_on": (_WITHIN,),
            "points": (
                {"eps": "4/5", "delta": "1/2000", "l": "1/25", "a": "-30", "b": "30"},
                {"eps": "10", "delta": "1/2000", "l": "1/25", "a": "-1", "b": "1"},
            ),
        },
        (_QUOTIENT,),
    ),
    13: (
        {  # P(z ∈ e^λ·S) is P_h′(S), by step 2
            "typed": forall("real eps delta l a b w", *_THIRTEENTH, holds=_EXCHANGED),
            "holds_on": ("w >= 1",),
            "points": (
                {
                    "eps": "4/5",
                    "delta": "1/2000",
                    "l": "-1/25",
                    "a": "-1/4",
                    "b": "1/4",
                    "w": "1/4",
                },
            ),
        },
        (_FROM_ONE,),
    ),
    16: (
        {
            "typed": forall("real eps delta l a b", *_SIXTEENTH, holds=_BUDGETED),
            "holds_on": (_SMALL,),
            "points": ({"eps": "4/5", "delta": "9/10", "l": "-1/2", "a": "-1/100", "b": "1/100"},),
        },
        (_HALF,),
    ),
}
"""Fields of the claims, and further evidence, by the number of the step."""

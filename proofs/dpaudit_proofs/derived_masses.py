"""Derivations about the masses of intervals under the Laplace density, dilated by e^λ.

Two measures of which one is at most a multiple of the other on every interval are so on every
measurable set: a bound without δ of all intervals is one of all sets.
"""

from __future__ import annotations

from dpaudit.claims.derivation import Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import EQUAL_EXP, EXP_MONOTONE, lemma

__all__ = ["CHANGED", "MASS", "POINTWISE", "SHRUNK", "STRETCHED", "mass"]


def mass(low: str, high: str, scale: str = "1") -> str:
    """Return P(low ≤ Y < high) for Laplace noise Y."""
    return f"(F_lap({scale}, {high}) - F_lap({scale}, {low}))"


_PRODUCT = lemma(
    "a product of what is ≥ 0", forall("real p q", "p >= 0", "q >= 0", holds="p*q >= 0")
)

_CONVEX = lemma(
    "e^((1 − E)·d) ≤ (1 − E)·e^d + E, by tangents at (1 − E)·d",
    forall(
        "real E d",
        "E >= 0",
        "E <= 1",
        holds="exp((1 - E)*d) <= (1 - E)*exp(d) + E",
    ),
    Use("exp-tangent", {"s": "E*d"}),
    Use("exp-tangent", {"s": "-((1 - E)*d)"}),
    Use("exp-sum", {"s": "(1 - E)*d", "t": "E*d"}),
    Use("exp-sum", {"s": "(1 - E)*d", "t": "-((1 - E)*d)"}),
    Use(
        lemma(
            "the mean of two tangents",
            forall(
                "real E d u v w",
                "E >= 0",
                "E <= 1",
                "u > 0",
                "v >= 1 + E*d",
                "w >= 1 - (1 - E)*d",
                "u*w == 1",
                holds="u <= (1 - E)*(u*v) + E",
            ),
            Use(_PRODUCT, {"p": "(1 - E)*u", "q": "v - 1 - E*d"}),
            Use(_PRODUCT, {"p": "E*u", "q": "w - 1 + (1 - E)*d"}),
            Use(_PRODUCT, {"p": "1 - E", "q": "u"}),
            Use(_PRODUCT, {"p": "E", "q": "u"}),
        ),
        {"u": "exp((1 - E)*d)", "v": "exp(E*d)", "w": "exp(-((1 - E)*d))"},
    ),
)

_LEFT = lemma(
    "E·(e^b − e^a) ≤ e^(Eb) − e^(Ea) for a ≤ b ≤ 0, E ≤ 1",
    forall(
        "real E a b",
        "E > 0",
        "E <= 1",
        "a <= b",
        "b <= 0",
        holds="E*(exp(b) - exp(a)) <= exp(E*b) - exp(E*a)",
    ),
    Use(_CONVEX, {"d": "b - a"}),
    Use("exp-sum", {"s": "a", "t": "b - a"}),
    Use("exp-sum", {"s": "a", "t": "(1 - E)*(b - a)"}),
    Use("exp-sum", {"s": "E*a", "t": "E*(b - a)"}),
    Use("exp-sum", {"s": "a + (1 - E)*(b - a)", "t": "E*(b - a)"}),
    Use(
        lemma(
            "the exponents",
            forall(
                "real E a b",
                "E > 0",
                "E <= 1",
                "a <= b",
                "b <= 0",
                holds="a + (1 - E)*(b - a) <= E*a and E*(b - a) >= 0",
            ),
            Use(_PRODUCT, {"p": "1 - E", "q": "-b"}),
            Use(_PRODUCT, {"p": "E", "q": "b - a"}),
        )
    ),
    Use(EXP_MONOTONE, {"s": "a + (1 - E)*(b - a)", "t": "E*a"}),
    Use(EXP_MONOTONE, {"s": "0", "t": "E*(b - a)"}),
    Use(
        _PRODUCT,
        {"p": "exp(E*a) - exp(a + (1 - E)*(b - a))", "q": "exp(E*(b - a)) - 1"},
    ),
    Use(
        _PRODUCT,
        {"p": "exp(a)", "q": "(1 - E)*exp(b - a) + E - exp((1 - E)*(b - a))"},
    ),
)

_ONE = lemma("division by 1", forall("real t", holds="t/1 == t"))


def _noise(*terms: str) -> tuple[Use, ...]:
    """Return what F_lap(1, t) and F_lap(1, E·t) are at these terms."""
    found: list[Use] = []
    for t in terms:
        for at in (t, f"E*({t})"):
            found += [
                Use("laplace-left", {"s": "1", "t": at}),
                Use("laplace-right", {"s": "1", "t": at}),
                Use(EQUAL_EXP, {"s": f"({at})/1", "t": at}),
                Use(EQUAL_EXP, {"s": f"-({at})/1", "t": f"-({at})"}),
                Use(_ONE, {"t": at}),
                Use(_ONE, {"t": f"-({at})"}),
            ]
        found.append(Use(_SIGN, {"t": t}))
    return tuple(found)


_SIGN = lemma(
    "E·t has the sign of t",
    forall(
        "real E t",
        "E > 0",
        holds="(t > 0 or E*t <= 0) and (t < 0 or E*t >= 0)",
    ),
)

_NEGATIVE = lemma(
    "left of 0",
    forall(
        "real E a b",
        "E > 0",
        "E <= 1",
        "a <= b",
        "b <= 0",
        holds=f"E*{mass('a', 'b')} <= {mass('E*a', 'E*b')}",
    ),
    *_noise("a", "b"),
    Use(_LEFT),
)

_POSITIVE = lemma(
    "right of 0",
    forall(
        "real E a b",
        "E > 0",
        "E <= 1",
        "a <= b",
        "a >= 0",
        holds=f"E*{mass('a', 'b')} <= {mass('E*a', 'E*b')}",
    ),
    *_noise("a", "b"),
    Use(_LEFT, {"a": "-b", "b": "-a"}),
)

MASS = lemma(
    "E·P(a ≤ z < b) ≤ P(Ea ≤ z < Eb) for 0 < E ≤ 1",
    forall(
        "real E a b",
        "E > 0",
        "E <= 1",
        "a <= b",
        holds=f"E*{mass('a', 'b')} <= {mass('E*a', 'E*b')}",
    ),
    Use(_NEGATIVE),
    Use(_POSITIVE),
    Use(_NEGATIVE, {"b": "0"}),
    Use(_POSITIVE, {"a": "0"}),
)

_EXP_UNIT = lemma(
    "e^λ lies between 0 and 1 for λ ≤ 0, and e^(−λ) is its inverse",
    forall("real l", "l <= 0", holds="exp(l) <= 1 and exp(l)*exp(-l) == 1"),
    Use(EXP_MONOTONE, {"s": "l", "t": "0"}),
    Use("exp-sum", {"s": "l", "t": "-l"}),
)

SHRUNK = lemma(
    "P(S) ≤ e^|λ|·P(e^λ·S) for λ ≤ 0",
    forall(
        "real l a b",
        "l <= 0",
        "a <= b",
        holds=f"{mass('a', 'b')} <= exp(-l)*{mass('exp(l)*a', 'exp(l)*b')}",
    ),
    Use(_EXP_UNIT),
    Use(MASS, {"E": "exp(l)"}),
    Use(
        _PRODUCT,
        {
            "p": "exp(-l)",
            "q": f"{mass('exp(l)*a', 'exp(l)*b')} - exp(l)*{mass('a', 'b')}",
        },
    ),
)

_BACK = lemma(
    "e^(−λ)·(e^λ·t) = t",
    forall("real e f t", "e*f == 1", holds="f*(e*t) == t"),
)

_SAME_NOISE = lemma(
    "equal arguments", forall("real s t", "s == t", holds="F_lap(1, s) == F_lap(1, t)")
)

STRETCHED = lemma(
    "P(e^λ·S) ≤ e^λ·P(S) for λ ≥ 0",
    forall(
        "real l a b",
        "l >= 0",
        "a <= b",
        holds=f"{mass('exp(l)*a', 'exp(l)*b')} <= exp(l)*{mass('a', 'b')}",
    ),
    Use(_EXP_UNIT, {"l": "-l"}),
    Use(lemma("twice the sign", forall("real l", holds="-(-l) == l"))),
    Use(
        lemma("an ordered dilation", forall("real e a b", "e > 0", "a <= b", holds="e*a <= e*b")),
        {"e": "exp(l)"},
    ),
    Use(SHRUNK, {"l": "-l", "a": "exp(l)*a", "b": "exp(l)*b"}),
    *(
        use
        for t in "ab"
        for use in (
            Use(_BACK, {"e": "exp(l)", "f": "exp(-l)", "t": t}),
            Use(_SAME_NOISE, {"s": f"exp(-l)*(exp(l)*{t})", "t": t}),
        )
    ),
)

POINTWISE = lemma(
    "P(z < e^λ·t) is P(Y < t) for noise of scale e^(−λ)",
    forall("real l t", holds="F_lap(1, exp(l)*t) == F_lap(exp(-l), t)"),
    Use("exp-sum", {"s": "l", "t": "-l"}),
    Use(
        lemma(
            "division by the inverse",
            forall("real e f t", "f > 0", "e*f == 1", holds="t/f == e*t/1 and -t/f == -(e*t)/1"),
        ),
        {"e": "exp(l)", "f": "exp(-l)"},
    ),
    Use(_SIGN, {"E": "exp(l)"}),
    Use("laplace-left", {"s": "1", "t": "exp(l)*t"}),
    Use("laplace-right", {"s": "1", "t": "exp(l)*t"}),
    Use("laplace-left", {"s": "exp(-l)"}),
    Use("laplace-right", {"s": "exp(-l)"}),
    Use(EQUAL_EXP, {"s": "t/exp(-l)", "t": "exp(l)*t/1"}),
    Use(EQUAL_EXP, {"s": "-t/exp(-l)", "t": "-(exp(l)*t)/1"}),
)

CHANGED = lemma(
    "an interval, dilated by e^λ",
    forall(
        "real l a b",
        "a <= b",
        holds=f"{mass('exp(l)*a', 'exp(l)*b')} == {mass('a', 'b', 'exp(-l)')}",
    ),
    Use(POINTWISE, {"t": "a"}),
    Use(POINTWISE, {"t": "b"}),
)

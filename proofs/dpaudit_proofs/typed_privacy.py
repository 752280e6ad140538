"""Typed statements about the exponential mechanisms on any number of categories."""

from __future__ import annotations

from dpaudit.claims.claim import Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import LOG_NEGATIVE, QUOTIENT_NEGATIVE
from dpaudit_proofs.neighbours import PRIOR, R, X, Y, neighbours
from dpaudit_proofs.scores import BETA

__all__ = ["BEYOND", "BEYOND_MEANT", "BEYOND_POINT", "CAPTIONS", "NUMERATOR", "SLACK"]

_P, _Q = (
    f"P_exp(eps/(2*(1 + g)*S_gamma({PRIOR}, g, {counts})), {PRIOR}, {counts}, {R})"
    for counts in (X, Y)
)

SLACK = neighbours(
    "eps > 0",
    "g > 0",
    variables="real eps g",
    outputs=True,
    holds=f"{_P} <= exp(eps*(2 + g)/(2 + 2*g))*{_Q}",
)
"""EHDS loses at most ε·(2 + γ)/(2 + 2γ)."""

_X = "each(i, 1, k, x[i])"
_DATA = (
    "k >= 2",
    "n >= 1",
    "all(i, 1, k, x[i] >= 0)",
    "sum(i, 1, k, x[i]) == n",
    "all(i, 1, k, a[i] > 0)",
)
_FACTOR = "eps/(2*sqrt(1 - pi/4))"

NUMERATOR = forall(
    "natural k n m, integers x r, reals a, real eps",
    *_DATA,
    "all(i, 1, k, r[i] >= 0)",
    "sum(i, 1, k, r[i]) == n",
    "eps > 0",
    "m <= 1",
    holds=f"(m == 1 or candidates(k, n)*P_exp({_FACTOR}, {PRIOR}, {_X}, {R}) == 1) and "
    f"(m == 0 or P_far({_FACTOR}, {PRIOR}, {_X}, 0) == 1)",
)
"""m = 0: the sum over r of the quotient with r′ in its numerator, |R| times one number; m = 1: with
r, the sum of all probabilities, those of the outputs with H ≥ 0."""

_BEYOND_DOMAIN = (
    "natural k n, integers x, reals a, real eps delta l S",
    *_DATA,
    "eps > 0",
    "delta > 0",
    "delta < 1",
    "l > 0",
    f"l <= {BETA}",
    "S > 0",
)

BEYOND = forall(
    *_BEYOND_DOMAIN,
    holds="candidates(k, n)*exp(eps/(2*(1 - exp(l)))) <= delta/2 and "
    f"P_far(eps/(2*S), {PRIOR}, {_X}, S/(exp(l) - 1)) <= delta/2",
)
"""|R|·exp(ε/(2(1 − e^λ))) ≤ δ/2, and P(u ≤ S/(1 − e^λ)) ≤ δ/2, for S(x) any number above 0."""

BEYOND_POINT = {
    "k": "3",
    "n": "1",
    "x": "2",
    "a": "0",
    "eps": "4/5",
    "delta": "1/2",
    "l": "1759/10000",
    "S": "1",
}
"""Three candidates where β counts two; x is (1, 0, 0), every parameter 1."""

_LOG = "log(delta/(2*(n + 1)))"

BEYOND_MEANT = Derivation(
    title="e^λ is above 1, and what is in β has a logarithm",
    role=Role.LEMMA,
    proves=forall(
        "natural n, real eps delta l",
        "n >= 1",
        "eps > 0",
        "delta > 0",
        "delta < 1",
        "l > 0",
        holds=f"exp(l) > 1 and {_LOG} < 0 and 1 - eps/(2*{_LOG}) > 0 and delta/(2*(n + 1)) > 0",
    ),
    uses=(
        Use(LOG_NEGATIVE),
        Use(QUOTIENT_NEGATIVE, {"s": "eps", "t": _LOG}),
        Use("exp-increases", {"s": "0", "t": "l"}),
    ),
)


def _three(first: str, second: str, third: str, further: str = "") -> str:
    """Return a list of three numbers, with something added to every one."""
    parts = f"{first}*same(i, 1) + {second}*same(i, 2) + {third}*same(i, 3)"
    return f"each(i, 1, 3, {parts}{further})"


def _caption(moved: str) -> str:
    """Return the probability of (u, v, w) at (c, d, e) with one more record in a category."""
    lists = (_three("7", "4", "5"), _three("c", "d", "e", f" + same(i, {moved})"), _three(*"uvw"))
    return f"P_exp(4/5/(2*(239992747797/10^12)), {', '.join(lists)})"


CAPTIONS = forall(
    "natural n c d e p q u v w",
    "n == 100 or n == 120 or n == 150",
    "c + d + e + 1 == n",
    *(bound for moved in "pq" for bound in (f"{moved} >= 1", f"{moved} <= 3")),
    "u + v + w == n",
    holds=f"{_caption('p')} <= exp(4/5)*{_caption('q')}",
)
"""The prior is (7, 4, 5); neighbours share c, d and e records of the three categories."""

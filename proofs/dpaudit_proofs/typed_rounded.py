"""Typed statements about Laplace noise that is rounded down and clamped to 0 … n (A Alg. 1 to 3).

An output of k counts has the probability of its noisy counts: they are independent, each above 0,
and their product is written as exp of a sum of logarithms.  A last count that is computed from the
others belongs to them.  What bounds every output bounds every event.
"""

from __future__ import annotations

from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall
from dpaudit.results.claims import Statement
from dpaudit_proofs.derived_exponentials import lemma
from dpaudit_proofs.neighbours import neighbours

__all__ = [
    "CLOSER",
    "LIKELY",
    "NEAREST",
    "QUANTILE",
    "SCALES",
    "WHOLE",
    "private_noise",
]

SCALES = {"LSZhang": "2/eps", "LSDim": "k/eps", "LSHist": "(2 - same(k, 2))/eps"}
"""The scale of the noise of each mechanism; LSHist's is 1/ε for k = 2 and 2/ε else."""

_POSITIVE = Derivation(
    title="every scale is above 0",
    proves=forall(
        "natural k, real eps",
        "k >= 2",
        "eps > 0",
        holds=" and ".join(f"{scale} > 0" for scale in SCALES.values()),
    ),
    uses=(
        Use(
            lemma("a quotient", forall("real p q", "p > 0", "q > 0", holds="p/q > 0")),
            {"p": "2 - same(k, 2)", "q": "eps"},
        ),
        Use(
            lemma("a quotient", forall("real p q", "p > 0", "q > 0", holds="p/q > 0")),
            {"p": "k", "q": "eps"},
        ),
    ),
)


def private_noise(name: str, noisy: str) -> tuple[Statement, Derivation]:
    """Return that a mechanism with noise on the first counts is ε-private, and that it means that.

    Args:
        name: one of :data:`SCALES`.
        noisy: how many counts get noise.
    """
    scale = SCALES[name]
    x, y = (
        f"sum(i, 1, {noisy}, log(P_clamp({scale}, n, z[i] + same(i, {moved}), r[i])))"
        for moved in "pq"
    )
    domain = ("eps > 0", f"all(i, 1, {noisy}, r[i] >= 0 and r[i] <= n)")
    defined = " and ".join(
        f"all(i, 1, {noisy}, P_clamp({scale}, n, z[i] + same(i, {moved}), r[i]) > 0)"
        for moved in "pq"
    )
    statement = forall(
        "natural k, integers z, natural p q n, integers r, real eps",
        *neighbours(holds="1 == 1").domain[:-1],
        *domain,
        holds=f"exp({x}) <= exp(eps)*exp({y})",
    )
    meaning = Derivation(
        title="every probability is above 0",
        proves=Statement(
            variables=statement.variables, domain=statement.domain, proposition=defined
        ),
        uses=(
            Use(_POSITIVE),
            *(Use("clamped-all-positive", {"s": scale, "m": noisy, "p": moved}) for moved in "pq"),
        ),
    )
    return statement, meaning


_H = "H((a + c, b + n - c), (a + r, b + n - r))"
_LS = "LS((a, b), (c, n - c))"
_DATA = ("a > 0", "b > 0", "eps > 0", "n >= 1", "c <= n")
_GAMMA = "(exp(-eps) + exp(-2*eps))/2"


def _sum(weight: str) -> str:
    """Return P[an event] of LSHist at k = 2, ``weight`` being 1 at the outputs in it and else 0."""
    return f"sum(r, 0, n, P_clamp(1/eps, n, c, r)*{weight})"


_BELOW_S = f"(1 - same(max({_H}, s), {_H}))"
"""1 where H < s."""

LIKELY = forall(
    "real a b eps, natural n c",
    *_DATA,
    holds=f"{_sum(f'same(max({_H}, {_LS}), {_LS})')} >= 1 - {_GAMMA}",
)
"""P[H ≤ LS(x)] ≥ 1 − ½(e^(−ε) + e^(−2ε))."""

NEAREST = forall(
    "real a b eps s, natural n c",
    *_DATA,
    f"s > {_LS}",
    holds=f"{_sum(_BELOW_S)} >= 1 - exp(-eps)",
)
"""inf{s : P[H < s] ≥ 1 − γ} ≤ LS(x): every s above LS(x) is one of these."""

CLOSER = forall(
    "real a b eps s, natural n c",
    *_DATA,
    f"s > {_LS}",
    holds=f"{_sum(_BELOW_S)} >= 1 - {_GAMMA} and log(2/(exp(-eps) + exp(-2*eps)))/eps > 1",
)
"""The same at γ = ½(e^(−ε) + e^(−2ε)), and 1 < ln(2/(e^(−ε) + e^(−2ε)))/ε."""

_QUANTILE_DOMAIN = ("real a b eps K s, natural n c", *_DATA, "K > 0")

QUANTILE = forall(
    *_QUANTILE_DOMAIN,
    f"all(r, 0, n, r - c > K or r + 1 - c <= -K or {_H} < s)",
    holds=f"{_sum(_BELOW_S)} >= 1 - exp(-K*eps)",
)
"""K = ln(1/γ)/ε.  The output is r for the noises k from r − c to below r + 1 − c (and beyond, at
r = 0 and r = n); some |k| ≤ K is among them unless the domain says that none is."""

WHOLE = forall(
    "real a b eps K s, natural n c J",
    *_DATA,
    "K > 0",
    "J <= K",
    "K < J + 1",
    f"all(r, 0, n, r - c > K or c - r > K or {_H} < s)",
    holds=f"{_sum(_BELOW_S)} >= 1 - exp(-K*eps)",
)
"""The same with the outputs a whole k away, |k| ≤ K."""

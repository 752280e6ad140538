"""The words in which claims about the scores of M_H's outputs are typed (N §2.3.2, §2.3.3).

P(u = s) is the sum of the probabilities of the candidates r with −H(x, r) = s.
"""

from __future__ import annotations

from dpaudit.claims.claim import Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import BETA_POSITIVE, LOG_NEGATIVE

__all__ = ["BETA", "DATA", "LAW", "SENSITIVITY", "SENSITIVITY_POSITIVE", "as_many", "probability"]

BETA = "log(1 - eps/(2*log(delta/(2*(n + 1)))))"
"""The β of M_H."""

SENSITIVITY = f"S_beta((1, 1), {BETA}, (c, n - c))"
"""S(x)."""

DATA = ("eps >= 0", "delta > 0", "delta < 1", "n >= 1", "c <= n")
"""Two categories under the prior (1, 1), with c of n records in the first of them."""

LAW = f"P_exp(eps/(2*{SENSITIVITY}), (1, 1), (c, n - c), (r, n - r))"
"""The probability of r, of M_H at x."""


def _has(score: str) -> str:
    return f"same(-H((1 + c, 1 + n - c), (1 + r, 1 + n - r)), {score})"


def probability(score: str) -> str:
    """Return the probability that an output of M_H has a score."""
    return f"sum(r, 0, n, {LAW}*{_has(score)})"


def as_many(score: str, other: str) -> str:
    """Return that another score is that of at least as many candidates."""
    return f"sum(r, 0, n, {_has(score)}) <= sum(r, 0, n, {_has(other)})"


_BETA_NONNEGATIVE = Derivation(
    title="β is 0 or more",
    role=Role.LEMMA,
    proves=forall(
        "real eps delta, natural n",
        "eps >= 0",
        "delta > 0",
        "delta < 1",
        "n >= 1",
        holds=f"{BETA} >= 0",
    ),
    uses=(Use(LOG_NEGATIVE, {"eps": "1"}), Use(BETA_POSITIVE)),
)

SENSITIVITY_POSITIVE = Derivation(
    title="S(x) is above 0",
    role=Role.LEMMA,
    proves=forall("real eps delta, natural n c", *DATA, holds=f"{SENSITIVITY} > 0"),
    uses=(
        Use(LOG_NEGATIVE, {"eps": "1"}),
        Use(_BETA_NONNEGATIVE),
        Use("beta-smooth-positive", {"a": "1", "b": "1", "beta": BETA, "x": "c", "y": "n - c"}),
    ),
)

"""The affinity of one coordinate when a record comes or goes: g, its growth and its concavity.

Let a record move from category i to category j, with p = αᵢ + cᵢ − 1 and q = αⱼ + cⱼ the smaller
of the two parameters in each coordinate.  The affinity of the two posteriors is g(p)·g(q) with

    g(s) = G(s, s + 1) = Γ(s + ½)/√(Γ(s)·Γ(s + 1)),     g(s)² / g(s + 1)² = s(s + 1)/(s + ½)².

Γ is log-convex, so s/(s + ½) ≤ g(s)² ≤ 1 and g(s + N) → 1: g(s)² is the infinite product of
h(s + j), j ≥ 0, where h(t) = t(t + 1)/(t + ½)².  What holds for h factor by factor holds for g, on
all of s > 0 and not only along integer steps:

* h increases with s, hence so does g;
* h(s + u)·h(s + u + v) > h(s)·h(s + 2u + v), hence of two pairs with the same sum the one closer
  together has the larger g(p)·g(q).
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Identity
from dpaudit_proofs.basics import symbols_above_zero

__all__ = ["LIMIT", "STEP_CONCAVE", "STEP_INCREASES", "STEP_RECURRENCE"]


def _recurrence() -> list[Any]:
    from sympy import Rational, gamma

    s = symbols_above_zero("s")
    half = Rational(1, 2)

    def square(t: Any) -> Any:
        return gamma(t + half) ** 2 / (gamma(t) * gamma(t + 1))

    return [square(s) / square(s + 1), s * (s + 1) / (s + half) ** 2]


STEP_RECURRENCE = Identity(
    title="g(s)² is h(s)·g(s + 1)²",
    role=Role.LEMMA,
    chain=_recurrence,
    shown=("g(s)² / g(s + 1)²", "h(s) = s(s + 1)/(s + ½)²"),
)

STEP_INCREASES = OrthantCertificate(
    title="h increases on s > 0, and with it the product g² of all h(s + j)",
    role=Role.LEMMA,
    positive="(s + u)*(s + u + 1)*(s + 1/2)^2 - s*(s + 1)*(s + u + 1/2)^2",
    shift={"s": "s", "u": "u"},
    positive_variables=("s", "u"),
)

STEP_CONCAVE = OrthantCertificate(
    title="h(s + u)·h(s + u + v) > h(s)·h(s + 2u + v), and with h the product g²",
    role=Role.LEMMA,
    positive="(s + u)*(s + u + 1)*(s + u + v)*(s + u + v + 1)*(s + 1/2)^2*(s + 2*u + v + 1/2)^2"
    " - s*(s + 1)*(s + 2*u + v)*(s + 2*u + v + 1)*(s + u + 1/2)^2*(s + u + v + 1/2)^2",
    shift={"s": "s", "u": "u", "v": "v"},
    positive_variables=("s", "u"),
)

LIMIT = (
    "Write g(s) = Γ(s + ½)/√(Γ(s)·Γ(s + 1)) and h(t) = t(t + 1)/(t + ½)²; then g(s)² = "
    "h(s)·g(s + 1)².  Log-convexity gives Γ(s + ½)² ≤ Γ(s)·Γ(s + 1) and Γ(s + 1)² ≤ "
    "Γ(s + ½)·Γ(s + 3/2) = (s + ½)·Γ(s + ½)², hence s/(s + ½) ≤ g(s)² ≤ 1 and "
    "g(s + N) → 1.  So g(s)² is the product of "
    "all h(s + j), and what the certificates say of h factor by factor holds for g²."
)
"""Why h decides about g."""

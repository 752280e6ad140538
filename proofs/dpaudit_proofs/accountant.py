"""What keeps a side of a composition: one atom of ∫ (dP − a·dQ)₊ at a time.

With H(a) = ∫ (dP − a·dQ)₊, an atom of the masses (x, y) adds (x − a·y)₊.  Sums and integrals of
what holds atom by atom, and a product that is put together of one atom of the other pair at a time,
keep it; so these lines are what lattices of privacy losses rest on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.claims.claim import Claim
from dpaudit.claims.evidence import SMTProof
from dpaudit.claims.statement import forall

if TYPE_CHECKING:
    from dpaudit.results.claims import Statement

__all__ = ["CLAIMS"]


def _claim(name: str, source: str, statement: str, typed: Statement) -> Claim:
    return Claim(
        id=f"accountant-{name}",
        source=source,
        statement=statement,
        domain="all masses and all orders a ≥ 0",
        typed=typed,
        evidence=(SMTProof(title=statement, hypotheses=typed.domain, goal=typed.proposition),),
    )


def _part(name: str, value: str) -> tuple[str, str]:
    """Return that ``name`` is the positive part of ``value``."""
    return f"{name} >= 0 and {name} >= {value}", f"{name} == 0 or {name} == {value}"


_DOROSHENKO = "Doroshenko et al. 2022, §3"
_ZHU = "Zhu, Dong and Wang 2022, Thm. 11"

CLAIMS = (
    _claim(
        "merge",
        _DOROSHENKO,
        "two atoms merged have at most the hockey-stick divergence of both; split, at least",
        forall(
            "real a x y u v both first second",
            "a >= 0",
            *_part("both", "x + u - a*(y + v)"),
            *_part("first", "x - a*y"),
            *_part("second", "u - a*v"),
            holds="both <= first + second",
        ),
    ),
    _claim(
        "round",
        _DOROSHENKO,
        "a larger mass of P, or a smaller one of Q, raises the hockey-stick divergence",
        forall(
            "real a x y u v less more",
            "a >= 0",
            "x <= u",
            "y >= v",
            *_part("less", "x - a*y"),
            *_part("more", "u - a*v"),
            holds="less <= more",
        ),
    ),
    _claim(
        "truncate",
        _DOROSHENKO,
        "an atom is worth at least nothing, and at most its whole mass at infinite loss",
        forall(
            "real a x y part",
            "a >= 0",
            "x >= 0",
            "y >= 0",
            *_part("part", "x - a*y"),
            holds="part >= 0 and part <= x",
        ),
    ),
    _claim(
        "product",
        "Dong, Roth and Su 2022, Lemma C.1; Zhu, Dong and Wang 2022, Thm. 10",
        "an atom (r, s) of another pair turns the divergence at a into r times that at a·s/r, "
        "which keeps every order of two pairs",
        forall(
            "real a b r s x y whole part",
            "a >= 0",
            "r > 0",
            "s >= 0",
            "b*r == a*s",
            *_part("whole", "r*x - a*s*y"),
            *_part("part", "x - b*y"),
            holds="whole == r*part",
        ),
    ),
    _claim(
        "sample-remove",
        _ZHU,
        "the pair of a sample with a record removed, at a, is q times the pair at 1 + (a − 1)/q",
        forall(
            "real a b q x y whole part",
            "q > 0",
            "q <= 1",
            "b*q == q + a - 1",
            *_part("whole", "(1 - q)*y + q*x - a*y"),
            *_part("part", "x - b*y"),
            holds="whole == q*part",
        ),
    ),
    _claim(
        "sample-add",
        _ZHU,
        "the pair of a sample with a record added, at a, is 1 − a(1 − q) times the pair turned "
        "round at a·q/(1 − a(1 − q))",
        forall(
            "real a b q c x y whole part",
            "q > 0",
            "q <= 1",
            "c == 1 - a*(1 - q)",
            "c > 0",
            "b*c == a*q",
            *_part("whole", "y - a*((1 - q)*y + q*x)"),
            *_part("part", "y - b*x"),
            holds="whole == c*part",
        ),
    ),
)

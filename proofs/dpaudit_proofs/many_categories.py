"""The metric of Dirichlet laws with any number of categories."""

from __future__ import annotations

from dataclasses import replace

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.statement import forall
from dpaudit_proofs.basics import TRIANGLE

__all__ = ["CLAIMS"]

_A, _B, _C = (f"each(i, 1, k, {name}[i])" for name in "abc")

CLAIMS = (
    Claim(
        id="hellinger-metric",
        typed=forall(
            "natural k, reals a b c",
            "k >= 2",
            *(f"all(i, 1, k, {name}[i] > 0)" for name in "abc"),
            *(f"sum(i, 1, k, a[i]) == sum(i, 1, k, {name}[i])" for name in "bc"),
            holds=f"0 <= H({_A}, {_B}) and H({_A}, {_B}) <= 1 and H({_A}, {_A}) == 0 and "
            f"H({_A}, {_B}) == H({_B}, {_A}) and "
            f"H({_A}, {_B}) <= H({_A}, {_C}) + H({_C}, {_B})",
        ),
        source="A §1 (H is called a metric); N §4.1, D §2.2.2 use it",
        statement="the Hellinger distance of Dirichlet laws of one total is symmetric, at most 1, "
        "0 from a law to itself, and obeys the triangle inequality",
        domain="any number of categories, all positive parameters of one total",
        evidence=(replace(TRIANGLE, role=Role.PROVES),),
        derivation="Affinities ∫√(f·g) are inner products of the square roots of densities, which "
        "are unit vectors; H is their distance, divided by √2.",
    ),
)

"""The global sensitivity in closed form, and the constant √(1 − π/4) that is printed for it.

Let a record move from category i to category j, with p = αᵢ + cᵢ − 1 and q = αⱼ + cⱼ the smaller
of the two parameters in each coordinate.  The affinity of the two posteriors is g(p)·g(q), where g
increases and of two pairs with the same sum the one closer together has the larger product
(:mod:`dpaudit_proofs.step_affinity`).  So the distance is largest where p and q are smallest, and
for a given sum furthest apart.

With three or more categories, or one record, p and q can be the two smallest prior parameters at
once: cᵢ = 1 and cⱼ = 0, and the other records go elsewhere.  With two categories
p + q = α₁ + α₂ + n − 1 is fixed, and p ranges from α₁ to α₁ + n − 1.  Hence

    GS = √(1 − g(α₍₁₎)·g(α₍₂₎))            for k ≥ 3, and for n = 1,
    GS = √(1 − g(α₍₁₎)·g(α₍₂₎ + n − 1))    for k = 2,

α₍₁₎ ≤ α₍₂₎ being the two smallest prior parameters.  The printed constant has
g(1)² = Γ(3/2)²/(Γ(1)·Γ(2)) = π/4 in it, the value for two parameters 1.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.sensitivity import global_sensitivity
from dpaudit.numbers.ball import Ball, pi_ball
from dpaudit.numbers.real import PI, Real, rational
from dpaudit_proofs.basics import REDUCTION
from dpaudit_proofs.definitions import candidates, local_sensitivity
from dpaudit_proofs.step_affinity import LIMIT, STEP_CONCAVE, STEP_INCREASES, STEP_RECURRENCE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS"]

Prior = tuple[Fraction, ...]
Margin = tuple["Callable[[], Ball | Real]", "Callable[[], Any]"]


def _at_one() -> list[Any]:
    from sympy import Rational, gamma, pi

    return [gamma(Rational(3, 2)) ** 2 / (gamma(1) * gamma(2)), pi / 4]


_AT_ONE = Identity(
    title="g(1)² = π/4",
    role=Role.LEMMA,
    chain=_at_one,
    shown=("Γ(3/2)² / (Γ(1)·Γ(2))", "π/4"),
)

_REDUCTION = replace(REDUCTION, role=Role.LEMMA)


def _against_constant(prior: Prior, n: int, sign: int) -> Margin:
    """Return sign·(GS − √(1 − π/4)), in balls and in mpmath."""

    def margin() -> Ball:
        return sign * (global_sensitivity(prior, n) - (1 - pi_ball() / 4).sqrt())

    def again() -> Any:
        from mpmath import pi, sqrt

        computed = max(local_sensitivity(prior, x) for x in candidates(n, len(prior)))
        return sign * (computed - sqrt(1 - pi / 4))

    return margin, again


def _flat_square() -> Real:
    """Return H² of Dir(2, 1, …) and Dir(1, 2, …), minus 1 − π/4."""
    root = PI.sqrt() / rational(2)  # Γ(3/2), while Γ(1) = Γ(2) = 1
    return rational(1) - root * root - (rational(1) - PI / rational(4))


def _counter(prior: tuple[str, ...], n: int, sign: int, *, title: str) -> Counterexample:
    margin, again = _against_constant(tuple(map(Fraction, prior)), n, sign)
    return Counterexample(
        title=title,
        parameters={"prior": f"({', '.join(prior)})", "n": str(n)},
        shows=f"GS {'>' if sign > 0 else '<'} √(1 − π/4)",
        margin=margin,
        again=again,
    )


_SMALL_PRIOR = _counter(("1/20", "1/20"), 1, 1, title="below 1 the constant is exceeded, n = 1 …")
_SMALL_PRIOR_5 = _counter(("1/20", "1/20"), 5, 1, title="… and n = 5")

FORMULA = Claim(
    id="gs-formula",
    source="new; N §2.1, A §1, for any prior",
    statement="GS = √(1 − g(α₍₁₎)·g(α₍₂₎)) for k ≥ 3, with the two smallest prior parameters, and "
    "GS = √(1 − g(α₍₁₎)·g(α₍₂₎ + n − 1)) for k = 2; g(s) = Γ(s + ½)/√(Γ(s)Γ(s + 1))",
    formula="∀ k ≥ 2, n ≥ 1, α > 0: max over x of LS(x) = √(1 − g(α₍₁₎)·g(α₍₂₎ + e)), e = n − 1 if "
    "k = 2 and e = 0 if k ≥ 3",
    domain="all k ≥ 2, n ≥ 1 and real α > 0",
    evidence=(
        _REDUCTION,
        STEP_RECURRENCE,
        STEP_INCREASES,
        STEP_CONCAVE,
        SMTProof(
            title="k = 2: all pairs p, q lie within α₍₁₎ and α₍₂₎ + n − 1 and have their sum",
            role=Role.LEMMA,
            hypotheses=(
                "0 < alpha and alpha <= beta",
                "i >= 0 and i <= n - 1",
                "p == alpha + i and q == beta + n - 1 - i",
            ),
            goal="p + q == alpha + (beta + n - 1) and p >= alpha and q >= alpha "
            "and p <= beta + n - 1 and q <= beta + n - 1",
        ),
        SMTProof(
            title="k ≥ 3: g(p)·g(q) ≥ f₁·f₂ for the two smallest f₁ ≤ f₂ of the numbers g(αᵢ)",
            hypotheses=(
                "0 < f1 and f1 <= f2",
                "gp >= gi and gq >= gj",
                "(gi >= f1 and gj >= f2) or (gi >= f2 and gj >= f1)",
            ),
            goal="gp*gq >= f1*f2 and (not (gp == f1 and gq == f2) or gp*gq == f1*f2)",
        ),
    ),
    derivation=f"{LIMIT}  By ls-reduction, GS is the largest H of two neighbours; theirs is "
    "√(1 − g(p)·g(q)), p = αᵢ + cᵢ − 1 ≥ αᵢ, q = αⱼ + cⱼ ≥ αⱼ, i ≠ j.\n"
    "k ≥ 3: g(p) ≥ g(αᵢ) and g(q) ≥ g(αⱼ), of two different categories, so their product is at "
    "least that of the two smallest.  It is attained: cᵢ = 1 and cⱼ = 0 in these two, and n − 1 "
    "records in a third.\n"
    "k = 2: p + q is fixed, and the pair furthest apart has the smallest product (second "
    "certificate).  "
    "That is α₍₁₎ with α₍₂₎ + n − 1, attained where the one record of the smaller parameter's "
    "category moves to the n − 1 others.  At n = 1 the two forms agree.",
)

_JEFFREYS = _against_constant((Fraction(1, 2), Fraction(1, 2)), 9, -1)

CONSTANT = Claim(
    id="gs-constant",
    typed=forall(
        "real a b, natural n",
        "a > 0",
        "b > 0",
        "n >= 1",
        holds="GS((a, b), n) == sqrt(1 - pi/4)",
    ),
    holds_on=("a == 1", "b == 1", "n == 1"),
    points=({"a": "1", "b": "1", "n": "2"},),
    source="A §1",
    statement="the global sensitivity of the Hellinger distance is √(1 − π/4)",
    formula="∀ k ≥ 2, n ≥ 1, α > 0: max over x of LS(x) = √(1 − π/4)",
    domain="all k ≥ 2, n ≥ 1 and α > 0 (no restriction is printed)",
    evidence=(
        _counter(("1", "1"), 2, -1, title="k = 2: it is smaller from n = 2 on"),
        _counter(("2", "2"), 1, -1, title="larger priors: it is smaller"),
        _SMALL_PRIOR,
        _SMALL_PRIOR_5,
        _REDUCTION,
        STEP_RECURRENCE,
        STEP_INCREASES,
        _AT_ONE,
        SMTProof(
            title="g(p)·g(q) is smallest at p = q = 1, where it is π/4 (f = g(1), F = π/4)",
            hypotheses=("f > 0", "f*f == F", "gp >= f", "gq >= f"),
            goal="gp*gq >= F and (not (gp == f and gq == f) or gp*gq == F)",
            domain="α ≥ 1 in every coordinate and = 1 in two of them, and k ≥ 3 or n = 1",
        ),
        Fact(
            title="the extreme pair, in closed form",
            role=Role.ILLUSTRATES,
            parameters={"α": "1 in both coordinates", "counts": "(1, 0) and (0, 1)"},
            shows="H² = 1 − π/4",
            margin=_flat_square,
            again=lambda: (
                local_sensitivity((Fraction(1), Fraction(1)), (1, 0)) ** 2 - 1 + _pi_quarter()
            ),
            tie=True,
        ),
    ),
    derivation=f"{LIMIT}  With all αᵢ ≥ 1 every affinity g(p)·g(q) of neighbours has p, q ≥ 1, so "
    "it is at least g(1)² = π/4, with equality iff p = q = 1: two coordinates with α = 1 must have "
    "the counts (1, 0).  Such a dataset exists iff there is a third category for the other n − 1 "
    "records, or n = 1.  Among priors ≥ 1 this is the exact domain.  With a parameter below 1 the "
    "constant is right only by coincidence, g(α₍₁₎)·g(α₍₂₎ + e) = π/4 (gs-formula).",
    repaired="GS = √(1 − g(α₍₁₎)·g(α₍₂₎ + e)), g(s) = Γ(s + ½)/√(Γ(s)Γ(s + 1)), e = n − 1 for k = "
    "2 and e = 0 for k ≥ 3 (gs-formula).  This is √(1 − π/4) when the two smallest parameters are "
    "1 and k ≥ 3 or n = 1; it is less for all other α ≥ 1, and for k = 2 and n ≥ 2.",
)


def _pi_quarter() -> Any:
    from mpmath import pi

    return pi / 4


UPPER_BOUND = Claim(
    id="gs-constant-bound",
    typed=forall(
        "real a b, natural n",
        "a > 0",
        "b > 0",
        "n >= 1",
        holds="GS((a, b), n) <= sqrt(1 - pi/4)",
    ),
    holds_on=("a >= 1", "b >= 1"),
    points=({"a": "1/20", "b": "1/20", "n": "1"},),
    source="A §1 with A Alg. 4 (the mechanism needs GS as an upper bound only)",
    statement="√(1 − π/4) is an upper bound of the global sensitivity",
    formula="∀ k ≥ 2, n ≥ 1, α > 0: max over x of LS(x) ≤ √(1 − π/4)",
    domain="all k ≥ 2, n ≥ 1 and α > 0 (no restriction is printed)",
    evidence=(
        _SMALL_PRIOR,
        _SMALL_PRIOR_5,
        _counter(("9/10", "9/10", "4"), 2, 1, title="k = 3, two parameters just below 1"),
        _counter(("1/2", "1/2"), 8, 1, title="Jeffreys' prior: exceeded up to n = 8 …"),
        Fact(
            title="… and not from n = 9 on (GS falls with n)",
            role=Role.ILLUSTRATES,
            parameters={"prior": "(1/2, 1/2)", "n": "9"},
            shows="GS < √(1 − π/4)",
            margin=_JEFFREYS[0],
            again=_JEFFREYS[1],
        ),
        _REDUCTION,
        STEP_RECURRENCE,
        STEP_INCREASES,
        _AT_ONE,
        SMTProof(
            title="g(p), g(q) ≥ f = g(1) > 0 give 1 − g(p)·g(q) ≤ 1 − π/4 (F = π/4)",
            hypotheses=("f > 0", "f*f == F", "gp >= f", "gq >= f"),
            goal="1 - gp*gq <= 1 - F",
            domain="α ≥ 1 in every coordinate, all k ≥ 2 and n ≥ 1",
        ),
    ),
    derivation=f"{LIMIT}  If every αᵢ ≥ 1 then p, q ≥ 1 for every pair of neighbours.\n"
    "In general the constant is an upper bound iff g(α₍₁₎)·g(α₍₂₎ + e) ≥ π/4, e = n − 1 for k = 2 "
    "and e = 0 for k ≥ 3 (gs-formula).  So for k ≥ 3 it fails as soon as two parameters are below "
    "1.  For k = 2 it can hold below 1 from some n on, as under Jeffreys' prior (½, ½) from n = 9 "
    "on; but where g(α₍₁₎) ≤ π/4, as for 1/20, it fails at every n, since the other factor is "
    "below 1.",
    repaired="for α ≥ 1 in every coordinate; exactly for g(α₍₁₎)·g(α₍₂₎ + e) ≥ π/4",
)

CLAIMS = (FORMULA, CONSTANT, UPPER_BOUND)

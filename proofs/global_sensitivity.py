"""The constant √(1 − π/4) that is printed for the global sensitivity, and a figure in a caption.

Let a record move from category i to category j, with p = αᵢ + cᵢ − 1 and q = αⱼ + cⱼ the smaller
of the two parameters in each coordinate.  The affinity of the two posteriors is g(p)·g(q) with

    g(s) = G(s, s + 1) = Γ(s + ½)/√(Γ(s)·Γ(s + 1)),     g(s)² / g(s + 1)² = s(s + 1)/(s + ½)².

Γ is log-convex, so s/(s + ½) ≤ g(s)² ≤ 1 and g(s + N) → 1: g(s)² is the infinite product of
h(s + j), j ≥ 0, where h(t) = t(t + 1)/(t + ½)².  Every factor increases with s, hence so does g, on
all of s > 0 and not only along integer steps.  So the distance is largest where p and q are
smallest.  They are the two smallest prior parameters where cᵢ = 1 and cⱼ = 0 can be had, that is
for k ≥ 3 at every n (the other records go elsewhere) and for k = 2 at n = 1:

    GS = √(1 − g(α₍₁₎)·g(α₍₂₎)),   and   g(1)² = Γ(3/2)²/(Γ(1)·Γ(2)) = π/4.

For k = 2 and n ≥ 2 one has p + q = α₁ + α₂ + n − 1, and GS is smaller than that.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.bayes.sensitivity import global_sensitivity
from dpaudit.claims.algebra import Identity
from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.claims.smt import SMTProof
from dpaudit.exact.ball import Ball, ball, gamma, pi_ball
from dpaudit.exact.real import PI, Real, rational
from proofs.basics import REDUCTION, symbols_above_zero
from proofs.definitions import candidates, local_sensitivity, number

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS", "STEP_INCREASES", "STEP_RECURRENCE"]

Prior = tuple[Fraction, ...]
Margin = tuple["Callable[[], Ball | Real]", "Callable[[], Any]"]


def _recurrence() -> list[Any]:
    from sympy import Rational, gamma

    s = symbols_above_zero("s")
    half = Rational(1, 2)

    def square(t: Any) -> Any:
        return gamma(t + half) ** 2 / (gamma(t) * gamma(t + 1))

    return [square(s) / square(s + 1), s * (s + 1) / (s + half) ** 2]


def _at_one() -> list[Any]:
    from sympy import Rational, gamma, pi

    return [gamma(Rational(3, 2)) ** 2 / (gamma(1) * gamma(2)), pi / 4]


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

_AT_ONE = Identity(
    title="g(1)² = π/4",
    role=Role.LEMMA,
    chain=_at_one,
    shown=("Γ(3/2)² / (Γ(1)·Γ(2))", "π/4"),
)

_REDUCTION = replace(REDUCTION, role=Role.LEMMA)

_LIMIT = (
    "Log-convexity gives Γ(s + ½)² ≤ Γ(s)·Γ(s + 1) and Γ(s + 1)² ≤ Γ(s + ½)·Γ(s + 3/2) = "
    "(s + ½)·Γ(s + ½)², hence s/(s + ½) ≤ g(s)² ≤ 1 and g(s + N) → 1.  So g(s)² is the product of "
    "all h(s + j), and it increases because every factor does."
)


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

CONSTANT = Claim(
    id="gs-constant",
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
    derivation=f"{_LIMIT}  With all αᵢ ≥ 1 every affinity g(p)·g(q) of neighbours has p, q ≥ 1, so "
    "it is at least g(1)² = π/4, with equality iff p = q = 1: two coordinates with α = 1 must have "
    "the counts (1, 0).  Such a dataset exists iff there is a third category for the other n − 1 "
    "records, or n = 1.  Among priors ≥ 1 this is the exact domain.  In general "
    "GS = √(1 − g(α₍₁₎)·g(α₍₂₎)) for k ≥ 3 or n = 1, with the two smallest parameters.",
    repaired="GS = √(1 − g(α₍₁₎)·g(α₍₂₎)), g(s) = Γ(s + ½)/√(Γ(s)Γ(s + 1)), for k ≥ 3 or n = 1; "
    "this is √(1 − π/4) when the two smallest parameters are 1, less when all are ≥ 1 and at most "
    "one is 1.  For k = 2 and n ≥ 2 it is √(1 − min over c of g(α₁ + c)·g(α₂ + n − 1 − c)), which "
    "is below √(1 − π/4) for α ≥ 1.",
)


def _pi_quarter() -> Any:
    from mpmath import pi

    return pi / 4


UPPER_BOUND = Claim(
    id="gs-constant-bound",
    source="A §1 with A Alg. 4 (the mechanism needs GS as an upper bound only)",
    statement="√(1 − π/4) is an upper bound of the global sensitivity",
    formula="∀ k ≥ 2, n ≥ 1, α > 0: max over x of LS(x) ≤ √(1 − π/4)",
    domain="all k ≥ 2, n ≥ 1 and α > 0 (no restriction is printed)",
    evidence=(
        _SMALL_PRIOR,
        _SMALL_PRIOR_5,
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
    derivation=f"{_LIMIT}  If every αᵢ ≥ 1 then p, q ≥ 1 for every pair of neighbours.  Below 1 "
    "the constant fails at every n as soon as one parameter has g(αᵢ) ≤ π/4 (αᵢ = 1/20 is one): "
    "move the only record of that category, and the other factor is below 1.",
    repaired="for α ≥ 1 in every coordinate",
)


# -- the caption ----------------------------------------------------------------------------------

CAPTION_PRIOR = (Fraction(7), Fraction(4), Fraction(5))
PRINTED = Fraction("0.239992747797")
_HALF_UNIT = Fraction(1, 2 * 10**12)


def _step(s: int) -> Ball:
    return gamma(s + Fraction(1, 2)) / (gamma(Fraction(s)) * gamma(Fraction(s + 1))).sqrt()


def _step_again(s: int) -> Any:
    from mpmath import gamma, mpf, sqrt

    return gamma(s + mpf(1) / 2) / sqrt(gamma(s) * gamma(s + 1))


def _caption_excess(n: int) -> Margin:
    """Return by how much the printed figure, its rounding allowed for, exceeds GS at ``n``."""

    def margin() -> Ball:
        return ball(PRINTED - _HALF_UNIT) - global_sensitivity(CAPTION_PRIOR, n)

    def again() -> Any:
        from mpmath import sqrt

        first, second, third = ([_step_again(int(a) + c) for c in range(n)] for a in CAPTION_PRIOR)
        smallest = min(
            left[c] * right[d]
            for left, right in ((first, second), (first, third), (second, third))
            for c in range(n)
            for d in range(n - c)
        )
        return number(PRINTED - _HALF_UNIT) - sqrt(1 - smallest)

    return margin, again


def _caption_counter(n: int) -> Counterexample:
    margin, again = _caption_excess(n)
    return Counterexample(
        title=f"GS is smaller at n = {n}",
        parameters={"prior": "DL(7, 4, 5)", "n": str(n)},
        shows="GS < 0.239992747797 − 5·10⁻¹³",
        margin=margin,
        again=again,
    )


def _value_rounds(p: int, q: int, printed: Fraction) -> Margin:
    """Return ½·10⁻¹² − |√(1 − g(p)g(q)) − printed|."""

    def margin() -> Ball:
        return ball(_HALF_UNIT) - abs((1 - _step(p) * _step(q)).sqrt() - ball(printed))

    def again() -> Any:
        from mpmath import sqrt

        value = sqrt(1 - _step_again(p) * _step_again(q))
        return number(_HALF_UNIT) - abs(value - number(printed))

    return margin, again


_ORIGIN = _value_rounds(7, 3, PRINTED)
_TRUE = _value_rounds(4, 5, Fraction("0.233629480709"))

CAPTION = Claim(
    id="gs-caption",
    source="N Fig. 4 (a), (b), Fig. 5",
    statement="0.239992747797 is the global sensitivity for the prior DL(7, 4, 5) at n = 100, 120 "
    "and 150",
    formula="α = (7, 4, 5), n ∈ {100, 120, 150}: GS = 0.239992747797, rounded to its digits",
    domain="prior DL(7, 4, 5), n = 100, 120, 150",
    evidence=(
        _caption_counter(100),
        _caption_counter(120),
        _caption_counter(150),
        STEP_RECURRENCE,
        STEP_INCREASES,
        Fact(
            title="the true value, the same for every n ≥ 1",
            role=Role.ILLUSTRATES,
            parameters={"α₂": "4", "α₃": "5", "counts": "(…, 1, 0) and (…, 0, 1)"},
            shows="GS = √(1 − g(4)·g(5)) = 0.233629480709, rounded",
            margin=_TRUE[0],
            again=_TRUE[1],
        ),
        Fact(
            title="where the figure comes from",
            role=Role.ILLUSTRATES,
            parameters={"left": "DL(7, 4, 5)", "right": "DL(8, 3, 5)"},
            shows="H = √(1 − g(7)·g(3)) = 0.239992747797, rounded",
            margin=_ORIGIN[0],
            again=_ORIGIN[1],
        ),
    ),
    derivation="GS does not depend on n for k = 3: it is √(1 − g(4)·g(5)).  The printed figure is "
    "the distance from the prior itself to DL(8, 3, 5), one unit moved from the second parameter "
    "of the prior.  That parameter of a posterior is never below α₂ = 4, so no dataset has it.  "
    "The figure is an upper bound, so a mechanism calibrated with it is private, with more noise "
    "than needed.",
    repaired="GS = 0.233629480709 (rounded) for DL(7, 4, 5) and every n ≥ 1",
)


# -- larger priors --------------------------------------------------------------------------------

LARGER = Claim(
    id="ls-larger-parameters",
    source="N §3.4.2",
    statement="the local sensitivity decreases when the two parameters of a beta posterior get "
    "larger",
    formula="k = 2, ∀ priors 0 < α ≤ α′, counts c ≤ c′, not both equal: LS of c under α > LS of c′ "
    "under α′",
    domain="k = 2, n ≥ 1; more records added to those of x, a larger prior (by any real amount), "
    "or both",
    evidence=(
        STEP_RECURRENCE,
        STEP_INCREASES,
        _REDUCTION,
        SMTProof(
            title="one record more: every affinity of y is above the smallest one m of x",
            hypotheses=("0 < p and p < q and q < r", "0 < u and u < v"),
            goal="(not (m <= p*v and m <= q*u) or (q*v > m and r*u > m))"
            " and (not m <= q*u or (q*v > m and r*u > m)) and (not m <= p*v or q*v > m)",
        ),
        SMTProof(
            title="a larger prior: every affinity grows with its factors",
            hypotheses=("0 < p and 0 < u", "p <= P and u <= U", "p < P or u < U"),
            goal="P*U > p*u",
        ),
    ),
    derivation=f"{_LIMIT}  Let (a, b) be the parameters of x and p, q, r = g(a − 1), g(a), g(a + "
    "1), u, v = g(b − 1), g(b).  The neighbours of x have the affinities p·v (if c₁ > 0) and q·u "
    "(if c₂ > 0), those of x with one more record of the first kind q·v and (if c₂ > 0) r·u.  The "
    "three parts of the goal are c₁, c₂ > 0, then c₁ = 0, then c₂ = 0.  More records: step by "
    "step; a larger prior moves p and u, q and v up, and no neighbour comes or goes.",
)

CLAIMS = (CONSTANT, UPPER_BOUND, CAPTION, LARGER)

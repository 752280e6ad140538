"""Statement I: distances between consecutive posteriors grow away from the balanced dataset.

Let (a, b) be the posterior parameters of x, and (a + 1, b − 1), (a + 2, b − 2) those of x + 1 and
x + 2.  The totals agree, so the affinity 1 − H² of x and x + 1 is

    A(a, b) = Γ(a + ½)·Γ(b − ½) / √(Γ(a)·Γ(a + 1)·Γ(b)·Γ(b − 1)),

and by the recurrence of Γ consecutive affinities differ by an algebraic factor,

    A(a + 1, b − 1)/A(a, b) = (a + ½)/(b − 3/2) · √((b − 1)(b − 2)/(a(a + 1))).

H grows where this is below 1.  With A = a(a + 1) and B = (b − 1)(b − 2) the square of the factor is
(A + ¼)·B / ((B + ¼)·A), so it is below 1 exactly where B < A, and that is b < a + 2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.bayes.dirichlet import HellingerMetric
from dpaudit.claims.algebra import Identity
from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.counterexample import Counterexample
from dpaudit.claims.smt import SMTProof
from proofs.definitions import posterior_distance

if TYPE_CHECKING:
    from dpaudit.exact.ball import Ball

__all__ = ["CLAIMS", "GROWS", "RATIO"]

FLAT = (Fraction(1), Fraction(1))


def _ratio() -> list[Any]:
    from sympy import Rational, gamma, sqrt, symbols

    a, c = symbols("a c", positive=True)
    b = c + 2  # b > 2: two more units can be moved
    half = Rational(1, 2)

    def affinity(p: Any, q: Any) -> Any:
        between = gamma(p + half) * gamma(q - half)
        return between / sqrt(gamma(p) * gamma(p + 1) * gamma(q) * gamma(q - 1))

    return [
        (affinity(a + 1, b - 1) / affinity(a, b)) ** 2,
        (a + half) ** 2 / (b - 3 * half) ** 2 * (b - 1) * (b - 2) / (a * (a + 1)),
    ]


RATIO = Identity(
    title="consecutive affinities differ by an algebraic factor",
    role=Role.LEMMA,
    chain=_ratio,
    shown=(
        "(A(a + 1, b − 1) / A(a, b))²",
        "(a + ½)²·(b − 1)(b − 2) / ((b − 3/2)²·a(a + 1))",
    ),
)

GROWS = OrthantCertificate(
    title="the factor is below 1 where 2 < b < a + 2 and a > 0",
    positive="(b - 3/2)^2*a*(a + 1) - (a + 1/2)^2*(b - 1)*(b - 2)",
    shift={"a": "s + t", "b": "2 + s"},
    positive_variables=("s", "t"),
)

FALLS = OrthantCertificate(
    title="the factor is above 1 where b > a + 2 and a > 0",
    positive="(a + 1/2)^2*(b - 1)*(b - 2) - (b - 3/2)^2*a*(a + 1)",
    shift={"a": "s", "b": "2 + s + t"},
    positive_variables=("s", "t"),
)


def _difference(n: int, first: int, sign: int) -> tuple[Any, Any]:
    """Return sign·(H(x+1, x+2) − H(x, x+1)) at c₁ = first, in balls and in mpmath."""
    x, y, z = ((first + step, n - first - step) for step in range(3))

    def margin() -> Ball:
        metric = HellingerMetric(FLAT)
        return sign * (metric.between(y, z) - metric.between(x, y))

    def again() -> Any:
        return sign * (posterior_distance(FLAT, y, z) - posterior_distance(FLAT, x, y))

    return margin, again


_AT_CENTRE = _difference(4, 2, 1)

CLAIMS = (
    Claim(
        id="I-right",
        source="D §2.1, Statement I (x > x₀); E §2.1 (x ≥ x₀)",
        statement="H(x, x+1) < H(x+1, x+2) for every x to the right of the balanced dataset x₀, "
        "x₀ included",
        formula="∀ n, ∀ c₁ ≥ ⌊n/2⌋, c₁ + 2 ≤ n: H(Beta(a, b), Beta(a+1, b−1)) < "
        "H(Beta(a+1, b−1), Beta(a+2, b−2)),  a = c₁ + 1, b = n − c₁ + 1",
        domain="prior (1,1), all n ≥ 2, all x ≥ x₀ for which x + 2 exists; both balanced datasets "
        "for odd n",
        evidence=(
            RATIO,
            GROWS,
            SMTProof(
                title="x ≥ x₀ implies b < a + 2",
                role=Role.LEMMA,
                hypotheses=("a == c + 1", "b == n - c + 1", "2*c >= n - 1", "c + 2 <= n", "c >= 0"),
                goal="2 < b and b < a + 2 and a > 0",
            ),
        ),
        derivation="Both documents are right, E's form included: the claim is b < a + 2, that is "
        "2·c₁ > n − 2, which holds from one dataset left of the balanced one onwards.",
    ),
    Claim(
        id="I-left",
        source="D, E §2.1, Statement I, second half",
        statement="H(x, x+1) > H(x+1, x+2) for all x ≤ x₀",
        formula="∀ n, ∀ c₁ ≤ ⌈n/2⌉, c₁ + 2 ≤ n: H(x, x+1) > H(x+1, x+2)",
        domain="prior (1,1), all n, all x ≤ x₀ for which x + 2 exists",
        evidence=(
            Counterexample(
                title="it fails at the balanced dataset itself",
                parameters={"n": "4", "x": "(2,2)"},
                shows="H(x, x+1) < H(x+1, x+2)",
                margin=_AT_CENTRE[0],
                again=_AT_CENTRE[1],
            ),
            RATIO,
            OrthantCertificate(
                title=FALLS.title,
                positive=FALLS.positive,
                shift=FALLS.shift,
                positive_variables=FALLS.positive_variables,
                domain="prior (1,1), 2·c₁ < n − 2: all x at least two steps left of balance",
            ),
        ),
        repaired="H(x, x+1) > H(x+1, x+2) exactly where b > a + 2, i.e. c₁ < n/2 − 1; the two are "
        "equal at c₁ = n/2 − 1 (n even), and the order is reversed from there on.",
        derivation="The mirror image of the first half is H(x, x−1) > … for x ≤ x₀, not this: the "
        "pair (x+1, x+2) may lie across the centre.",
    ),
)

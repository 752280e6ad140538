"""Statement I: distances between consecutive posteriors grow away from the balanced dataset.

Let (a, b) be the posterior parameters of x, and (a + 1, b − 1), (a + 2, b − 2) those of x + 1 and
x + 2.  The totals agree, so the affinity 1 − H² of x and x + 1 is

    A(a, b) = Γ(a + ½)·Γ(b − ½) / √(Γ(a)·Γ(a + 1)·Γ(b)·Γ(b − 1)),

and by the recurrence of Γ consecutive affinities differ by an algebraic factor,

    A(a + 1, b − 1)/A(a, b) = (a + ½)/(b − 3/2) · √((b − 1)(b − 2)/(a(a + 1))).

H grows where this is below 1.  With A = a(a + 1) and B = (b − 1)(b − 2) the square of the factor is
(A + ¼)·B / ((B + ¼)·A), so it minus 1 is

    (B − A)/(4·(B + ¼)·A) = (b − a − 2)(a + b − 1) / (4·(b − 3/2)²·a(a + 1)),

and has the sign of b − a − 2.  Nothing here needs integers: with a prior (α, β) one has a = α + c₁,
b = β + n − c₁, b ≥ β + 2 where x + 2 exists, and the turning point is 2·c₁ = n − 2 + β − α.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.real import PI, Real, rational
from dpaudit_proofs.definitions import posterior_distance
from dpaudit_proofs.derived_steps import GENERAL_PROPOSITION, ONE_GENERAL, ONE_LEFT, ONE_RIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.ball import Ball

__all__ = [
    "CLAIMS",
    "FALLS",
    "FLAT",
    "GROWS",
    "RATIO",
    "TURNING",
    "affinity_of_step",
    "difference",
    "exact_step_affinity",
]

FLAT = (Fraction(1), Fraction(1))


def affinity_of_step(a: Any, b: Any) -> Any:
    """Return A(a, b) = 1 − H² between Beta(a, b) and Beta(a + 1, b − 1), in sympy."""
    from sympy import Rational, gamma, sqrt

    half = Rational(1, 2)
    return (
        gamma(a + half) * gamma(b - half) / sqrt(gamma(a) * gamma(a + 1) * gamma(b) * gamma(b - 1))
    )


def _squared_factor() -> tuple[Any, Any, Any]:
    from sympy import symbols

    a, c = symbols("a c", positive=True)
    b = c + 2  # b > 2: two more units can be moved
    return a, b, (affinity_of_step(a + 1, b - 1) / affinity_of_step(a, b)) ** 2


def _ratio() -> list[Any]:
    from sympy import Rational

    a, b, square = _squared_factor()
    half = Rational(1, 2)
    return [square, (a + half) ** 2 / (b - 3 * half) ** 2 * (b - 1) * (b - 2) / (a * (a + 1))]


def _turning() -> list[Any]:
    from sympy import Rational

    a, b, square = _squared_factor()
    below = 4 * (b - Rational(3, 2)) ** 2 * a * (a + 1)
    return [square - 1, (b - a - 2) * (a + b - 1) / below]


RATIO = Identity(
    title="consecutive affinities differ by an algebraic factor",
    role=Role.LEMMA,
    chain=_ratio,
    shown=(
        "(A(a + 1, b − 1) / A(a, b))²",
        "(a + ½)²·(b − 1)(b − 2) / ((b − 3/2)²·a(a + 1))",
    ),
)

TURNING = Identity(
    title="the squared factor minus 1 has the sign of b − a − 2",
    role=Role.LEMMA,
    chain=_turning,
    shown=(
        "(A(a + 1, b − 1) / A(a, b))² − 1",
        "(b − a − 2)(a + b − 1) / (4·(b − 3/2)²·a(a + 1))",
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


def difference(
    n: int, first: int, sign: int, prior: tuple[Fraction, Fraction] = FLAT
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return sign·(H(x+1, x+2) − H(x, x+1)) at c₁ = first, in balls and in mpmath."""
    x, y, z = ((first + step, n - first - step) for step in range(3))

    def margin() -> Ball:
        metric = HellingerMetric(prior)
        return sign * (metric.between(y, z) - metric.between(x, y))

    def again() -> Any:
        return sign * (posterior_distance(prior, y, z) - posterior_distance(prior, x, y))

    return margin, again


def exact_step_affinity(a: int, b: int) -> Real:
    """Return A(a, b) in closed form, for integers a ≥ 1 and b ≥ 2.

    >>> print(exact_step_affinity(1, 2))
    pi/4
    """

    def step(s: int) -> Real:
        """Return Γ(s + ½)/√(Γ(s)Γ(s + 1)), from its value √π/2 at s = 1 on."""
        square = Fraction(1)
        for t in range(1, s):  # the square grows by (t + ½)²/(t(t + 1))
            square *= Fraction((2 * t + 1) ** 2, 4 * t * (t + 1))
        return (rational(square) * PI).sqrt() / rational(2)

    return step(a) * step(b - 1)


def _tie(n: int) -> Counterexample:
    first = n // 2 - 1

    def margin() -> Real:
        a, b = first + 1, n - first + 1
        return exact_step_affinity(a, b) - exact_step_affinity(a + 1, b - 1)

    return Counterexample(
        title=f"a tie one step left of the balanced dataset, n = {n}",
        parameters={"n": str(n), "x": f"({first}, {n - first})"},
        shows="H(x, x+1) = H(x+1, x+2)",
        margin=margin,
        again=difference(n, first, 1)[1],
        tie=True,
    )


def _reversed(n: int, first: int) -> Counterexample:
    margin, again = difference(n, first, 1)
    return Counterexample(
        title=f"reversed at a balanced dataset, n = {n}",
        parameters={"n": str(n), "x": f"({first}, {n - first})"},
        shows="H(x, x+1) < H(x+1, x+2)",
        margin=margin,
        again=again,
    )


RIGHT = Claim(
    id="I-right",
    typed=forall(
        "integer n c",
        "n >= 2",
        "2*c >= n - 1",
        "c + 2 <= n",
        holds="H((c + 1, n - c + 1), (c + 2, n - c)) < H((c + 2, n - c), (c + 3, n - c - 1))",
    ),
    source="D §2.1, Statement I (x > x₀); E §2.1 (x ≥ x₀)",
    statement="H(x, x+1) < H(x+1, x+2) for every x to the right of the balanced dataset x₀, "
    "x₀ included",
    formula="∀ n, ∀ c₁ ≥ ⌊n/2⌋, c₁ + 2 ≤ n: H(Beta(a, b), Beta(a+1, b−1)) < "
    "H(Beta(a+1, b−1), Beta(a+2, b−2)),  a = c₁ + 1, b = n − c₁ + 1",
    domain="prior (1,1), all n ≥ 2, all x ≥ x₀ for which x + 2 exists; both balanced datasets "
    "for odd n",
    evidence=(
        ONE_RIGHT,
        RATIO,
        GROWS,
        SMTProof(
            title="x ≥ x₀ implies b < a + 2",
            role=Role.LEMMA,
            hypotheses=("a == c + 1", "b == n - c + 1", "2*c >= n - 1", "c + 2 <= n", "c >= 0"),
            goal="2 < b and b < a + 2 and a > 0",
        ),
    ),
    derivation="H(x, x+1) < H(x+1, x+2) iff A(a + 1, b − 1) < A(a, b), that is where the factor of "
    "the first lemma is below 1, and by the certificate it is for 2 < b < a + 2.  x ≥ x₀ means "
    "2·c₁ ≥ n − 1, hence b − a = n − 2·c₁ ≤ 1 (last lemma).\n"
    "So both documents are right, E's form with x = x₀ included, for odd n at both balanced "
    "datasets.  One step further left, for even n, the two distances are equal.",
)

LEFT = Claim(
    id="I-left",
    typed=forall(
        "integer n c",
        "n >= 2",
        "c >= 0",
        "2*c <= n + 1",
        "c + 2 <= n",
        holds="H((c + 1, n - c + 1), (c + 2, n - c)) > H((c + 2, n - c), (c + 3, n - c - 1))",
    ),
    holds_on=("2*c < n - 2",),
    points=(
        {"n": "4", "c": "2"},
        {"n": "3", "c": "1"},
    ),
    source="D, E §2.1, Statement I, second half",
    statement="H(x, x+1) > H(x+1, x+2) for all x ≤ x₀",
    formula="∀ n, ∀ c₁ ≤ ⌈n/2⌉, c₁ + 2 ≤ n: H(x, x+1) > H(x+1, x+2)",
    domain="prior (1,1), all n ≥ 2, all x ≤ x₀ for which x + 2 exists; both balanced datasets for "
    "odd n",
    evidence=(
        ONE_LEFT,
        _reversed(4, 2),
        _reversed(3, 1),
        _reversed(5, 2),
        _reversed(5, 3),
        _tie(2),
        _tie(6),
        RATIO,
        TURNING,
        SMTProof(
            title="2·c₁ is below, at or above n − 2 as b is above, at or below a + 2",
            role=Role.LEMMA,
            hypotheses=("a == c + 1", "b == n - c + 1", "c >= 0", "c + 2 <= n"),
            goal="a > 0 and b > 2 and a + b - 1 > 0 and (not 2*c < n - 2 or b > a + 2) "
            "and (not 2*c == n - 2 or b == a + 2) and (not 2*c > n - 2 or b < a + 2)",
        ),
        replace(
            FALLS,
            title="H(x, x+1) > H(x+1, x+2) where b > a + 2: the factor is above 1",
            domain="prior (1,1), 2·c₁ < n − 2: all x left of x₀, for even n without the nearest",
        ),
        replace(
            GROWS,
            title="H(x, x+1) < H(x+1, x+2) where b < a + 2: reversed at every x₀ that has an x + 2",
            role=Role.REFUTES,
            domain="prior (1,1), 2·c₁ > n − 2",
        ),
    ),
    repaired="H(x, x+1) > H(x+1, x+2) exactly for c₁ < n/2 − 1; the two are equal at c₁ = n/2 − 1 "
    "(n even), and the order is reversed for c₁ > n/2 − 1.  The mirror image of the first half is "
    "H(x, x−1) < H(x−1, x−2) for all x ≤ x₀ for which x − 2 exists.",
    derivation="Proof.  Let a = c₁ + 1, b = n − c₁ + 1 be the parameters of BI(x); x + 2 exists, "
    "so a > 0 and b > 2.\n"
    "(1) 1 − H(x, x+1)² = A(a, b) and 1 − H(x+1, x+2)² = A(a + 1, b − 1), where A(a, b) = "
    "Γ(a + ½)Γ(b − ½)/√(Γ(a)Γ(a + 1)Γ(b)Γ(b − 1)): the Γ of the totals cancel.  Hence "
    "H(x, x+1) > H(x+1, x+2) iff the factor A(a + 1, b − 1)/A(a, b) is above 1.\n"
    "(2) By Γ(s + 1) = s·Γ(s) the square of the factor is (a + ½)²(b − 1)(b − 2) / "
    "((b − 3/2)²a(a + 1)), and it minus 1 is (b − a − 2)(a + b − 1) over the positive number "
    "4(b − 3/2)²a(a + 1).\n"
    "(3) a + b − 1 = n + 1 > 0, so the difference H(x, x+1) − H(x+1, x+2) has the sign of "
    "b − a − 2 = n − 2 − 2·c₁.\n"
    "Where it holds: c₁ < n/2 − 1.  Where it fails: for even n at c₁ = n/2 − 1, one step left of "
    "balance, where x and x + 2 are mirror images and the distances are equal, and at c₁ = n/2 "
    "(n ≥ 4); for odd n at both balanced datasets, c₁ = (n − 1)/2 (n ≥ 3) and c₁ = (n + 1)/2 "
    "(n ≥ 5).  So it fails for every n ≥ 2; for n = 2 at the only x there is.\n"
    "Where the error comes from: exchanging the categories turns x + 1 into x − 1, and the first "
    "half into H(x, x−1) < H(x−1, x−2) for x ≤ x₀, not into the printed line (I-symmetry).",
)


def _general_example(prior: tuple[str, str], n: int, first: int, sign: int, *, title: str) -> Fact:
    alpha, beta = map(Fraction, prior)
    margin, again = difference(n, first, sign, (alpha, beta))
    return Fact(
        title=title,
        role=Role.ILLUSTRATES,
        parameters={"prior": f"({', '.join(prior)})", "n": str(n), "x": f"({first}, {n - first})"},
        shows=f"H(x, x+1) {'<' if sign > 0 else '>'} H(x+1, x+2)",
        margin=margin,
        again=again,
    )


GENERAL = Claim(
    id="I-general",
    typed=forall(
        "real alpha beta, natural n c",
        "alpha > 0",
        "beta > 0",
        "c + 2 <= n",
        holds=GENERAL_PROPOSITION,
    ),
    source="new; D, E §2.1, Statement I for any prior",
    statement="with the prior (α, β), H(x+1, x+2) − H(x, x+1) has the sign of "
    "2·c₁ − (n − 2 + β − α)",
    formula="∀ α, β > 0 real, ∀ n, ∀ c₁ ≥ 0, c₁ + 2 ≤ n: sgn(H(x+1, x+2) − H(x, x+1)) = "
    "sgn(2·c₁ − (n − 2 + β − α))",
    domain="k = 2, all real α, β > 0, all n ≥ 2, all x for which x + 2 exists",
    evidence=(
        ONE_GENERAL,
        RATIO,
        replace(TURNING, role=Role.PROVES),
        SMTProof(
            title="the other factors are positive, and b − a − 2 = n − 2 + β − α − 2·c₁",
            role=Role.LEMMA,
            hypotheses=(
                "alpha > 0 and beta > 0",
                "c >= 0 and c + 2 <= n",
                "a == alpha + c and b == beta + n - c",
            ),
            goal="b > 2 and a + b - 1 > 0 and (b - 3/2)^2*a*(a + 1) > 0 "
            "and b - a - 2 == n - 2 + beta - alpha - 2*c",
        ),
        replace(GROWS, role=Role.LEMMA),
        replace(FALLS, role=Role.LEMMA),
        _general_example(
            ("1/2", "7/2"), 6, 3, -1, title="prior (½, 7/2), n = 6: falling up to c₁ = 3 …"
        ),
        _general_example(("1/2", "7/2"), 6, 4, 1, title="… and growing from c₁ = 4 on"),
        _general_example(
            ("9", "1"), 4, 0, 1, title="prior (9, 1), n = 4: growing from the first dataset on"
        ),
    ),
    derivation="A' = A(a + 1, b − 1) is below A = A(a, b) where (A'/A)² − 1 < 0, and H = √(1 − A). "
    " In terms of the posteriors: the distance grows from x on iff b < a + 2.  The turning point "
    "lies where the posterior, not the data, is balanced; with β − α > n − 2 every step falls, "
    "with α − β > n − 2 every step grows.",
)

CLAIMS = (RIGHT, LEFT, GENERAL)

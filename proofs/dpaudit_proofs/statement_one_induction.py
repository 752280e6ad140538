"""The printed proof of Statement I: its induction step, line by line (D §2.2.1; E).

The induction runs over m, x = x₀ + m, with Beta(n/2 + 1 + m, n/2 + 1 − m) for x.  In the terms of
:mod:`dpaudit_proofs.statement_one`, a = n/2 + 1 + m and b = n/2 + 1 − m.

* The numerators are rewritten rightly, by B(p, q + 1) = B(p + 1, q)·q/p.  The denominators have two
  beta functions each, so that two factors are needed under the root; one is printed on the left,
  and on the right one where none is due.
* The factors are then dropped on both sides.  What is left has equal denominators and is false for
  every n and m, since B(p, q) < B(p + 1, q − 1) to the right of the centre.
* The last line has the wrong denominator on the right: its radicand is negative.

The conclusion holds all the same, by the criterion b < a + 2 of ``I-right``.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.ball import Ball, ball, gamma
from dpaudit_proofs.basics import symbols_above_zero
from dpaudit_proofs.definitions import number
from dpaudit_proofs.statement_one import GROWS, RATIO
from dpaudit_proofs.step_affinity import STEP_RECURRENCE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS"]

Margin = tuple["Callable[[], Ball]", "Callable[[], Any]"]
"""One side of a printed line, in balls and in mpmath."""


def _beta(p: Fraction, q: Fraction) -> Ball:
    return gamma(p) * gamma(q) / gamma(p + q)


def _half(n: int) -> Fraction:
    return Fraction(n, 2)


def _beta_again(p: Fraction, q: Fraction) -> Any:
    from mpmath import beta

    return beta(number(p), number(q))


def _quotient(
    top: tuple[Fraction, Fraction],
    below: tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]],
    factor: Fraction,
    root_factor: Fraction,
) -> Margin:
    """Return B(top)·factor / √(B(below₁)·B(below₂)·root_factor), in balls and in mpmath."""

    def margin() -> Ball:
        product = _beta(*below[0]) * _beta(*below[1]) * ball(root_factor)
        return _beta(*top) * ball(factor) / product.sqrt()

    def again() -> Any:
        from mpmath import sqrt

        product = _beta_again(*below[0]) * _beta_again(*below[1]) * number(root_factor)
        return _beta_again(*top) * number(factor) / sqrt(product)

    return margin, again


def _affinity(n: int, m: int) -> Margin:
    """Return the affinity of x₀ + m and x₀ + m + 1."""
    a, b = _half(n) + 1 + m, _half(n) + 1 - m
    one = Fraction(1)
    return _quotient((a + one / 2, b - one / 2), ((a, b), (a + 1, b - 1)), one, one)


def _printed_left(n: int, m: int, *, factors: bool) -> Margin:
    """Return the left side of the induction step, with its printed factors or without."""
    a, b = _half(n) + 1 + m, _half(n) + 1 - m
    half = Fraction(1, 2)
    return _quotient(
        (a + 3 * half, b - 3 * half),
        ((a + 1, b - 1), (a + 2, b - 2)),
        Fraction(n - 2 * m - 1, n + 2 * m + 3) if factors else Fraction(1),
        Fraction(n - 2 * m, n + 2 * m + 2) if factors else Fraction(1),
    )


def _printed_right(n: int, m: int, *, factors: bool) -> Margin:
    """Return the right side of the induction step, with its printed factors or without."""
    a, b = _half(n) + 1 + m, _half(n) + 1 - m
    half = Fraction(1, 2)
    return _quotient(
        (a + 5 * half, b - 5 * half),
        ((a + 1, b - 1), (a + 2, b - 2)),
        Fraction(n - 2 * m - 3, n + 2 * m + 5) if factors else Fraction(1),
        Fraction(n - 2 * m - 2, n + 2 * m + 6) if factors else Fraction(1),
    )


def _counter(greater: Margin, smaller: Margin, *, n: int, m: int, title: str, shows: str) -> Any:
    return Counterexample(
        title=title,
        parameters={"n": str(n), "m": str(m)},
        shows=shows,
        margin=lambda: greater[0]() - smaller[0](),
        again=lambda: greater[1]() - smaller[1](),
    )


def _true_factors() -> list[Any]:
    from sympy import gamma

    m, t = symbols_above_zero("m t")
    n = 2 * m + 4 + t
    a, b = n / 2 + 1 + m, n / 2 + 1 - m

    def beta(p: Any, q: Any) -> Any:
        return gamma(p) * gamma(q) / gamma(p + q)

    before = beta(a, b) * beta(a + 1, b - 1)
    after = beta(a + 1, b - 1) * beta(a + 2, b - 2)
    return [
        before / after,
        (n - 2 * m) / (n + 2 * m + 2) * ((n - 2 * m - 2) / (n + 2 * m + 4)),
    ]


_N, _M = 8, 0

_UNDER_ROOT = (
    "gamma(n/2 + 2 + m)*gamma(n/2 - m)/gamma(n + 2)*"
    "(gamma(n/2 + 3 + m)*gamma(n/2 - m - 1)/gamma(n + 2))"
)
_LEFT = (
    "gamma((n + 2*m + 5)/2)*gamma((n - 2*m - 1)/2)/gamma(n + 2)*((n - 2*m - 1)/(n + 2*m + 3))"
    f"/sqrt({_UNDER_ROOT}*((n - 2*m)/(n + 2*m + 2)))"
)
_RIGHT = (
    "gamma((n + 2*m + 7)/2)*gamma((n - 2*m - 3)/2)/gamma(n + 2)*((n - 2*m - 3)/(n + 2*m + 5))"
    f"/sqrt({_UNDER_ROOT}*((n - 2*m - 2)/(n + 2*m + 6)))"
)
"""The sides of the printed inequality, with the printed factors."""

FACTORS = Claim(
    id="I-induction-factors",
    typed=forall(
        "natural h n m",
        "n == 2*h",
        "n >= 2*m + 6",
        holds=f"{_LEFT} == 1 - H((n/2 + 1 + m, n/2 + 1 - m), (n/2 + 2 + m, n/2 - m))^2 and "
        f"{_RIGHT} == 1 - H((n/2 + 2 + m, n/2 - m), (n/2 + 3 + m, n/2 - 1 - m))^2",
    ),
    points=({"h": "4", "n": "8", "m": "0"},),
    source="D §2.2.1, case 2; E",
    statement="the two sides of the inequality for m are rewritten with the factors "
    "(n−2m−1)/(n+2m+3) over √((n−2m)/(n+2m+2)) on the left and (n−2m−3)/(n+2m+5) over "
    "√((n−2m−2)/(n+2m+6)) on the right, the denominators being those of m + 1 on both sides",
    formula="A(x₀+m, x₀+m+1) = B((n+2m+5)/2, (n−2m−1)/2)·(n−2m−1)/(n+2m+3) / "
    "√(B(n/2+2+m, n/2−m)·B(n/2+3+m, n/2−m−1)·(n−2m)/(n+2m+2)), and likewise on the right",
    domain="prior (1,1), even n, m ≥ 0, n ≥ 2m + 6 (so that x₀ + m + 3 exists)",
    step_of="I-right",
    evidence=(
        _counter(
            _affinity(_N, _M),
            _printed_left(_N, _M, factors=True),
            n=_N,
            m=_M,
            title="the left side is not the affinity it replaces",
            shows="A(x₀+m, x₀+m+1) > the printed left side",
        ),
        _counter(
            _printed_right(_N, _M, factors=True),
            _affinity(_N, _M + 1),
            n=_N,
            m=_M,
            title="the right side is not the affinity it replaces",
            shows="the printed right side > A(x₀+m+1, x₀+m+2)",
        ),
        Identity(
            title="the factor that is due under the left root",
            role=Role.ILLUSTRATES,
            chain=_true_factors,
            shown=(
                "B(n/2+1+m, n/2+1−m)·B(n/2+2+m, n/2−m) / (B(n/2+2+m, n/2−m)·B(n/2+3+m, n/2−m−1))",
                "(n−2m)/(n+2m+2) · (n−2m−2)/(n+2m+4)",
            ),
        ),
    ),
    derivation="The factors of the numerators are right.  On the left both beta functions under "
    "the root change, and the second factor (n−2m−2)/(n+2m+4) is missing; on the right the two "
    "printed beta functions are those of the affinity itself, and no factor is due.  So the "
    "printed left side is the affinity times √((n−2m−2)/(n+2m+4)) < 1, the printed right side the "
    "affinity times √((n+2m+6)/(n−2m−2)) > 1: neither is an equality for any n and m.",
    repaired="left: (n−2m−1)/(n+2m+3) over √((n−2m)(n−2m−2)/((n+2m+2)(n+2m+4))); right: "
    "(n−2m−3)/(n+2m+5) over 1",
)

KNOWN = Claim(
    id="I-induction-known",
    typed=forall("natural h n m", "n == 2*h", "n >= 2*m + 6", holds=f"{_LEFT} > {_RIGHT}"),
    points=({"h": "4", "n": "8", "m": "0"},),
    source="D §2.2.1, case 2, the first displayed inequality; E",
    statement="the inequality with the printed factors is what is known from m",
    formula="left side with the printed factors > right side with the printed factors",
    domain=FACTORS.domain,
    step_of="I-right",
    evidence=(
        _counter(
            _printed_right(_N, _M, factors=True),
            _printed_left(_N, _M, factors=True),
            n=_N,
            m=_M,
            title="the printed inequality is false at n = 8, m = 0 …",
            shows="the printed left side < the printed right side",
        ),
        OrthantCertificate(
            title="… and for every n and m",
            role=Role.REFUTES,
            positive="(a + 1/2)^2*(b - 1)*(a + 2) - (b - 3/2)^2*a*(b - 2)",
            shift={"b": "2 + s", "a": "2 + s + t"},
            positive_variables=("s", "t"),
        ),
    ),
    derivation="With a = n/2 + 1 + m, b = n/2 + 1 − m the squared quotient of the printed sides is "
    "that of the affinities, (b − 3/2)²a(a + 1)/((a + ½)²(b − 1)(b − 2)), times (b − 2)²/((a + 1)"
    "(a + 2)).  It is below 1 iff the polynomial is positive, and a ≥ b > 2.",
    repaired="with the repaired factors it is A(x₀+m, x₀+m+1) > A(x₀+m+1, x₀+m+2)",
)


def _dropped_quotient() -> list[Any]:
    from sympy import gamma

    m, t = symbols_above_zero("m t")
    n = 2 * m + 4 + t
    p, q = (n + 2 * m + 5) / 2, (n - 2 * m - 1) / 2

    def beta(left: Any, right: Any) -> Any:
        return gamma(left) * gamma(right) / gamma(left + right)

    return [beta(p, q) / beta(p + 1, q - 1), (n - 2 * m - 3) / (n + 2 * m + 5)]


DROPPED = Claim(
    id="I-induction-dropped",
    typed=forall(
        "natural h n m",
        "n == 2*h",
        "n >= 2*m + 6",
        holds="gamma((n + 2*m + 5)/2)*gamma((n - 2*m - 1)/2)/gamma(n + 2)/sqrt((gamma(n/2 "
        "+ 2 + m)*gamma(n/2 - m)/gamma(n + 2))*(gamma(n/2 + 3 + m)*gamma(n/2 - m - "
        "1)/gamma(n + 2))) > gamma((n + 2*m + 7)/2)*gamma((n - 2*m - 3)/2)/gamma(n + "
        "2)/sqrt((gamma(n/2 + 2 + m)*gamma(n/2 - m)/gamma(n + 2))*(gamma(n/2 + 3 + "
        "m)*gamma(n/2 - m - 1)/gamma(n + 2)))",
    ),
    points=({"h": "4", "n": "8", "m": "0"},),
    source="D §2.2.1, case 2, the second displayed inequality; E",
    statement="the same inequality without the factors",
    formula="B((n+2m+5)/2, (n−2m−1)/2) / √(B(n/2+2+m, n/2−m)·B(n/2+3+m, n/2−m−1)) > "
    "B((n+2m+7)/2, (n−2m−3)/2) / √(the same)",
    domain=FACTORS.domain,
    step_of="I-right",
    evidence=(
        _counter(
            _printed_right(_N, _M, factors=False),
            _printed_left(_N, _M, factors=False),
            n=_N,
            m=_M,
            title="it is false at n = 8, m = 0 …",
            shows="the left side < the right side",
        ),
        Identity(
            title="… and for every n and m: left over right is below 1",
            role=Role.ILLUSTRATES,
            chain=_dropped_quotient,
            shown=(
                "B((n+2m+5)/2, (n−2m−1)/2) / B((n+2m+7)/2, (n−2m−3)/2)",
                "(n−2m−3)/(n+2m+5)",
            ),
        ),
    ),
    derivation="The denominators agree, and (n−2m−3)/(n+2m+5) < 1.",
    repaired="A(x₀+m+1, x₀+m+2) > A(x₀+m+2, x₀+m+3), with the denominators of its own on the "
    "right: √(B(n/2+3+m, n/2−m−1)·B(n/2+4+m, n/2−m−2))",
)

_ONE = Fraction(1)

DISTANCE = Claim(
    id="I-induction-distance",
    typed=forall(
        "natural h n m",
        "n == 2*h",
        "n >= 2*m + 6",
        holds="1 - gamma((n + 2*m + 7)/2)*gamma((n - 2*m - 3)/2)/gamma(n + "
        "2)/sqrt((gamma(n/2 + 2 + m)*gamma(n/2 - m)/gamma(n + 2))*(gamma(n/2 + 3 + "
        "m)*gamma(n/2 - m - 1)/gamma(n + 2))) == H((n/2 + m + 3, n/2 - 1 - m), (n/2 "
        "+ m + 4, n/2 - m - 2))^2",
    ),
    points=({"h": "4", "n": "8", "m": "0"},),
    source="D §2.2.1, case 2, the last two displayed inequalities; E",
    statement="the right side of the last line but one is the Hellinger distance of x₀+m+2 and "
    "x₀+m+3",
    formula="1 − B((n+2m+7)/2, (n−2m−3)/2)/√(B(n/2+2+m, n/2−m)·B(n/2+3+m, n/2−m−1)) = "
    "H(Beta(n/2+m+3, n/2−1−m), Beta(n/2+m+4, n/2−m−2))²",
    domain=FACTORS.domain,
    step_of="I-right",
    evidence=(
        _counter(
            _printed_right(_N, _M, factors=False),
            (lambda: ball(_ONE), lambda: 1),
            n=_N,
            m=_M,
            title="the printed radicand is negative at n = 8, m = 0 …",
            shows="the printed quotient > 1, so that its root is no distance",
        ),
        STEP_RECURRENCE,
        OrthantCertificate(
            title="… and for every n and m",
            role=Role.ILLUSTRATES,
            positive="s^2*(s - 1) - (s + 1/2)*(t + 1/2)*(t + 1)",
            shift={"t": "1 + u", "s": "6 + u + w"},
        ),
    ),
    derivation="Let s = n/2 + m + 3 and t = n/2 − m − 2, so s ≥ t + 5.  The affinity of x₀+m+2 and "
    "x₀+m+3 is g(s)·g(t), its square at least s·t/((s + ½)(t + ½)) (Γ is log-convex, see "
    "``step_affinity``).  The printed quotient has B(s−1, t+2) where B(s+1, t) belongs, which "
    "multiplies the square by s(s−1)/((t+1)t): it is at least s²(s−1)/((s+½)(t+½)(t+1)) > 1.",
    repaired="with √(B(n/2+3+m, n/2−m−1)·B(n/2+4+m, n/2−m−2)) below",
)

STEP = Claim(
    id="I-induction-step",
    typed=forall(
        "natural n h m, real L R",
        "n == 2*h",
        "n >= 2*m + 6",
        "L > 0",
        "R > 0",
        "L*((n - 2*m - 1)/(n + 2*m + 3))/sqrt((n - 2*m)/(n + 2*m + 2)) > "
        "R*((n - 2*m - 3)/(n + 2*m + 5))/sqrt((n - 2*m - 2)/(n + 2*m + 6))",
        holds="L > R",
    ),
    points=({"n": "6", "h": "3", "m": "0", "L": "9/10", "R": "1"},),
    source="D §2.2.1, case 2; E",
    statement="if the inequality holds at x = x₀ + m, it holds at x = x₀ + m + 1, by the printed "
    "lines",
    formula="L·f₁/√g₁ > R·f₂/√g₂ ⟹ L > R, with the printed factors f₁, g₁ of the left and f₂, g₂ "
    "of the right side",
    domain=FACTORS.domain,
    step_of="I-right",
    evidence=(
        SMTProof(
            title="the factors may not be dropped: premise and negated conclusion agree (l = L², "
            "r = R²)",
            role=Role.GAP,
            hypotheses=(
                "l > 0 and r > 0",
                "n == 8 and m == 0",
                "l*(n - 2*m - 1)^2*(n + 2*m + 2)*(n + 2*m + 5)^2*(n - 2*m - 2) > "
                "r*(n - 2*m - 3)^2*(n + 2*m + 6)*(n + 2*m + 3)^2*(n - 2*m)",
            ),
            goal="l <= r",
            satisfiable=True,
        ),
        OrthantCertificate(
            title="f₁/√g₁ > f₂/√g₂ for every n and m (N = n − 2m ≥ 6, M = n + 2m ≥ N)",
            role=Role.ILLUSTRATES,
            positive="(N - 1)^2*(N - 2)*(M + 5)^2*(M + 2) - (N - 3)^2*N*(M + 3)^2*(M + 6)",
            shift={"N": "6 + s", "M": "6 + s + t"},
        ),
        RATIO,
        replace(GROWS, role=Role.LEMMA),
    ),
    derivation="The step would need f₁/√g₁ ≤ f₂/√g₂, and the opposite holds: the factor on the "
    "left is the larger one.  Neither the premise nor the conclusion of the printed lines is true "
    "(I-induction-known, I-induction-dropped).  The inequality for m + 1 is true, but not by "
    "induction: it is the criterion b < a + 2 at a + 1, b − 1 (I-right).",
    repaired="no induction is needed: H(x, x+1) < H(x+1, x+2) iff b < a + 2, and b − a falls with "
    "x",
)


CLAIMS = (FACTORS, KNOWN, DROPPED, DISTANCE, STEP)

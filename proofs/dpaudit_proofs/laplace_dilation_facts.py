"""Where Laplace noise has the dilation property (D §4.1): the facts that decide it exactly.

Let h(z) = ½·e^(−|z|), a = ε/2, γ = e^a, and h′(z) = e^λ·h(e^λ·z), so that P(z ∈ e^λ·S) = ∫_S h′.
The property asks of every measurable S and every |λ| ≤ β that ∫_S h − γ·∫_S h′ ≤ δ/2.  For a given
λ the left side is largest for S = {h > γ·h′}; with r = e^|λ| > 1 that set and its value are

    λ > 0:  |z| > ln(γr)/(r − 1),            D₊(γ, r) = (1 − 1/r)·(γr)^(−1/(r−1))
    λ < 0:  |z| < r·ln(r/γ)/(r − 1), γ < r,  D₋(γ, r) = 1 − γ + (r − 1)·(γ/r)^(r/(r−1))

and D₋ = 0 for γ ≥ r.  Three facts reduce the property to one number:

1. D₊ and D₋ grow with r, so |λ| = β is the worst: for fixed S = {|z| > w}, P(z ∈ e^λ·S) = e^(−rw)
   falls with r, and for S = {|z| < w}, λ < 0, so does 1 − e^(−w/r).
2. D₋ ≤ D₊.  They are equal at γ = 1, D₋ = 0 < D₊ at γ = r, and d = D₊ − D₋ has, in
   u = γ^(1/(r−1)) and R = r^(1/(r−1)), the derivative d′(γ) = φ(u) = 1 − u/R − (uR)^(−r).  φ is
   concave, φ(1) = (R − 1 − 1/r)/R ≥ 0 and φ(R) < 0: d first grows, then falls, and is ≥ 0 at both
   ends.
3. So the property holds for (ε, δ, β) exactly where D₊ ≤ δ/2 at r = e^β:

    (1 − e^(−β))·exp(−(β + ε/2)/(e^β − 1)) ≤ δ/2.                                      (*)

For β = ε/(2L), L = ln(2/δ), that is a ≤ A(β) with A = N/G, N = β/(e^β − 1) − ln(1 − e^(−β)) and
G = 1/β − 1/(e^β − 1).  A falls strictly (from ∞ to 0), so a larger δ is worse at the same ε, and
A(a/ln 2) > a at a = 34/25 settles every δ < 1 and every ε ≤ 68/25 = 2.72 at once.

That A falls: N·E ≤ β + 1 for E = e^β − 1, because ln(1 + 1/E) ≤ 1/E; and A′ < 0 then follows from
β²(E + 1)² > (1 + β)·E², i.e. from g(β) = β/√(1 + β) − 1 + e^(−β) > 0; g(0) = 0 and g′ > 0, because
e^β ≥ 1 + β.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import exp, inf, log, quad

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Fact, Identity, SMTProof
from dpaudit.numbers.ball import ball
from dpaudit.numbers.real import real
from dpaudit_proofs.definitions import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.ball import Ball

__all__ = [
    "AT_THE_END",
    "CRITERION_DOMAIN",
    "EXP_ABOVE_TANGENT",
    "LARGEST_WHEN_SHRINKING",
    "LOG_OF_3",
    "NO_SET_BEATS",
    "QUANTILE",
    "SETTLES_SMALL_EPSILON",
    "WORST_DILATION",
    "criterion",
    "dilated_tail",
    "mass",
    "worst_value",
]


def dilated_tail(
    epsilon: Fraction, delta: Fraction, quantile: int, allowed: Fraction
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return P(S) − e^(ε/2)·P(e^λ·S) − ``allowed`` at the worst λ and S, in balls and in mpmath.

    λ = β = ε/(2·ln(``quantile``/δ)) and S = {|z| > (λ + ε/2)/(e^λ − 1)}.
    """

    def margin() -> Ball:
        a = ball(epsilon / 2)
        rate = a / ball(quantile / delta).log()
        start = (rate + a) / rate.expm1()
        return (-start).exp() - (a - rate.exp() * start).exp() - ball(allowed)

    def again() -> Any:
        a = number(epsilon) / 2
        rate = a / log(quantile / number(delta))
        start = (rate + a) / (exp(rate) - 1)
        dilated = 2 * mass(exp(rate) * start, inf)
        return 2 * mass(start, inf) - exp(a) * dilated - number(allowed)

    return margin, again


def mass(low: Any, high: Any) -> Any:
    """Return ∫ h over an interval on one side of 0, numerically."""
    return quad(lambda z: exp(-abs(z)) / 2, [low, high])


def worst_value(epsilon: Fraction, delta: Fraction, quantile: int) -> Ball:
    """Return the left side of (*), with β = ε/(2·ln(``quantile``/δ))."""
    a = ball(epsilon / 2)
    rate = a / ball(quantile / delta).log()
    return -(-rate).expm1() * (-(rate + a) / rate.expm1()).exp()


def _tangent() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, symbols

    x = symbols("x", real=True, nonzero=True)
    s = symbols("s", positive=True)
    return [e(x) - 1 - x, x**2 * integrate((1 - s) * e(s * x), (s, 0, 1))]


EXP_ABOVE_TANGENT = Identity(
    title="e^x ≥ 1 + x for every real x: what is left is an integral of something positive",
    role=Role.LEMMA,
    chain=_tangent,
    shown=("e^x − 1 − x", "x²·∫₀¹ (1 − s)·e^(sx) ds"),
)


def _upper_value() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, log, oo, symbols

    z, w, g, q = symbols("z w g q", positive=True)  # q = 1/(r − 1)
    r = 1 + 1 / q
    start = q * log(g * r)
    over_tail = integrate(e(-z), (z, w, oo)) - g * r * integrate(e(-r * z), (z, w, oo))
    return [over_tail.subs(w, start), e(-start) - g * e(-r * start), (1 - 1 / r) * (g * r) ** (-q)]


def _lower_value() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, log, symbols

    z, w, g, q = symbols("z w g q", positive=True)
    r = 1 + 1 / q
    end = (1 + q) * log(r / g)
    inside = integrate(e(-z), (z, 0, w)) - g / r * integrate(e(-z / r), (z, 0, w))
    return [inside.subs(w, end), 1 - g + (r - 1) * (g / r) ** (1 + q)]


def _slope() -> list[Any]:
    from sympy import diff, symbols

    g, q = symbols("g q", positive=True)
    r = 1 + 1 / q
    difference = (1 - 1 / r) * (g * r) ** (-q) - (1 - g + (r - 1) * (g / r) ** (1 + q))
    return [diff(difference, g), 1 - (g / r) ** q - (g * r) ** (-1 - q)]


def _bend() -> list[Any]:
    from sympy import diff, symbols

    u, r, root = symbols("u r R", positive=True)
    slope = 1 - u / root - (u * root) ** (-r)
    return [diff(slope, u, 2), -r * (r + 1) * root ** (-r) * u ** (-r - 2)]


def _slopes_of_ratio(part: int) -> Callable[[], list[Any]]:
    def chain() -> list[Any]:
        from sympy import diff, log, symbols
        from sympy import exp as e

        b = symbols("b", positive=True)
        grown = e(b) - 1
        if part == 0:
            return [diff(b / grown - log(1 - e(-b)), b), -b * e(b) / grown**2]
        return [diff(1 / b - 1 / grown, b), -(grown**2 - b**2 * e(b)) / (b * grown) ** 2]

    return chain


def _slope_of_g() -> list[Any]:
    from sympy import diff, sqrt, symbols
    from sympy import exp as e

    b = symbols("b", positive=True)
    s = sqrt(1 + b)
    return [diff(b / s - 1 + e(-b), b), ((s**2 + 1) / 2 * e(b) - s**3) / (s**3 * e(b))]


def _quantile() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, log, oo, symbols

    z = symbols("z", real=True)
    c, d = symbols("c d", positive=True)
    return [2 * integrate(e(-z) / 2, (z, log(c / d), oo)), d / c]


QUANTILE = Identity(
    title="the tail of |z| beyond ln(c/δ), for c > δ",
    role=Role.LEMMA,
    chain=_quantile,
    shown=("P(|z| > ln(c/δ)) = 2·∫_(ln(c/δ))^∞ ½·e^(−z) dz", "δ/c"),
)

CRITERION_DOMAIN = "exactly the (ε, δ) with (1 − e^(−β))·exp(−(β + ε/2)/(e^β − 1)) ≤ δ/2"


LARGEST_WHEN_SHRINKING = Identity(
    title="λ < 0: the largest difference, at S = {|z| < r·ln(r/γ)/(r − 1)}",
    role=Role.LEMMA,
    chain=_lower_value,
    shown=(
        "∫_S (e^(−z) − (γ/r)·e^(−z/r)) dz",
        "D₋(γ, r) = 1 − γ + (r − 1)·(γ/r)^(r/(r−1))",
    ),
)

NO_SET_BEATS = SMTProof(
    title="no S beats {h > γ·h′}: pointwise, for any indicator s of S",
    role=Role.LEMMA,
    hypotheses=("0 <= s and s <= 1", "p >= h - g*k and p >= 0"),
    goal="s*(h - g*k) <= p",
)

WORST_DILATION = SumOfProducts(
    title="|λ| = β is the worst: the dilated mass m falls from m₁ to m₂, S being fixed",
    role=Role.LEMMA,
    goal="(p - g*m2) - (p - g*m1)",
    hypotheses=("g", "m1 - m2"),
    products=(("1", ("g", "m1 - m2")),),
)


def criterion(domain: str) -> tuple[Any, ...]:
    """Return the evidence for facts 1 to 3 of the module's docstring."""
    return (
        Identity(
            title="λ > 0: the largest difference, at S = {|z| > ln(γr)/(r − 1)}",
            domain=domain,
            chain=_upper_value,
            shown=(
                "∫_S (e^(−z) − γr·e^(−rz)) dz",
                "e^(−w) − γ·e^(−rw), w = ln(γr)/(r − 1)",
                "D₊(γ, r) = (1 − 1/r)·(γr)^(−1/(r−1))",
            ),
        ),
        LARGEST_WHEN_SHRINKING,
        NO_SET_BEATS,
        WORST_DILATION,
        Identity(
            title="D₊ − D₋ has the derivative φ in γ",
            role=Role.LEMMA,
            chain=_slope,
            shown=("d/dγ (D₊ − D₋)", "1 − (γ/r)^(1/(r−1)) − (γr)^(−r/(r−1)) = φ(u)"),
        ),
        Identity(
            title="φ is concave in u",
            role=Role.LEMMA,
            chain=_bend,
            shown=("φ″(u)", "−r(r + 1)·R^(−r)·u^(−r−2)"),
        ),
        SumOfProducts(
            title="φ(1) ≥ 0: r·ln r ≥ (r − 1)·ln(r + 1), from the tangent of ln at r taken at 1 "
            "and at r + 1 (l = ln r, m = ln(r + 1))",
            role=Role.LEMMA,
            goal="r*(r*l - (r - 1)*m)",
            hypotheses=("r*l + 1 - r", "r*(l - m) + 1", "r - 1"),
            products=(
                ("1", ("r*l + 1 - r",)),
                ("1", ("r - 1", "r*(l - m) + 1")),
            ),
        ),
        EXP_ABOVE_TANGENT,
    )


SETTLES_SMALL_EPSILON = (
    Identity(
        title="the derivative of N",
        role=Role.LEMMA,
        chain=_slopes_of_ratio(0),
        shown=("N′(β)", "−β·e^β/(e^β − 1)²"),
    ),
    Identity(
        title="the derivative of G",
        role=Role.LEMMA,
        chain=_slopes_of_ratio(1),
        shown=("G′(β)", "−(E² − β²(E + 1))/(βE)², E = e^β − 1"),
    ),
    Identity(
        title="the derivative of g, with s = √(1 + β)",
        role=Role.LEMMA,
        chain=_slope_of_g,
        shown=("g′(β)", "(½(s² + 1)·e^β − s³)/(s³·e^β)"),
    ),
    OrthantCertificate(
        title="g′ > 0 where s > 1 and X = e^β ≥ 1 + β = s²",
        role=Role.LEMMA,
        positive="(s^2 + 1)/2*X - s^3",
        shift={"s": "1 + x", "X": "(1 + x)^2 + y"},
        positive_variables=("x",),
    ),
    SMTProof(
        title="A′ < 0, i.e. −G′·N < −N′·G (times β²E³, with M = N·E)",
        domain="every δ < 1 for every ε ≤ 2.72",
        hypotheses=(
            "b > 0",
            "E > b",
            "M > 0 and M <= b + 1",
            "b^2*(E + 1)^2 > (1 + b)*E^2",
        ),
        goal="M*(E^2 - b^2*(E + 1)) < b^2*(E + 1)*(E - b)",
    ),
)


def _ratio_margin() -> Ball:
    a = ball(Fraction(34, 25))
    rate = a / ball(2).log()
    above = rate / rate.expm1() - (-(-rate).expm1()).log()
    return above / (1 / rate - 1 / rate.expm1()) - a


def _ratio_again() -> Any:
    a = number("34/25")
    rate = a / log(2)
    above = rate / (exp(rate) - 1) - log(1 - exp(-rate))
    return above / (1 / rate - 1 / (exp(rate) - 1)) - a


AT_THE_END = Fact(
    title="the worst end, δ → 1 at ε = 2.72",
    role=Role.LEMMA,
    parameters={"a = ε/2": "34/25", "δ": "1"},
    shows="A(a/ln 2) > a",
    margin=_ratio_margin,
    again=_ratio_again,
)

LOG_OF_3 = Fact(
    title="ln(3/δ) > ln 3 > 1 for δ < 1",
    role=Role.LEMMA,
    parameters={"δ": "1"},
    shows="ln 3 > 1",
    margin=lambda: real("ln(3) - 1"),
    again=lambda: log(3) - 1,
)

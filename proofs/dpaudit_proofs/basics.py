"""Basics: the Dirichlet density, the posterior, the Hellinger distance, and what LS reduces to.

Dir(a) is the law on the simplex with the density Π ξᵢ^(aᵢ − 1) / B(a), B(a) = Π Γ(aᵢ) / Γ(Σ aᵢ)
being the integral of the numerator (Dirichlet's integral).  Everything here is algebra of
exponents under that integral:

* the printed density has the exponents one too high, so it integrates to B(a + 1)/B(a) < 1;
* a likelihood Π ξᵢ^cᵢ moves the exponents by c, and the result is again of the family;
* √(f·g) for Dir(a), Dir(b) has the exponents (a + b)/2 − 1, so the affinity is
  B((a + b)/2)/√(B(a)·B(b)) and H² is 1 minus it;
* H is 1/√2 times the distance of √f and √g in L², so it is a metric, and a triangle with the sides
  h(x, r), h(x′, r), h(x, x′) reduces the local sensitivity to distances of neighbours.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import Ball, ball, gamma
from dpaudit_proofs.definitions import hellinger, number, posterior_distance
from dpaudit_proofs.neighbours import AT, PRIOR, X, neighbours
from dpaudit_proofs.typed_events import BAYES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS", "REDUCTION", "symbols_above_zero"]

PRINTED_DISTANCE = "0.233629480709"
"""H between the posterior of 4 + 4 records and its nearest candidate (N §3.4.1, first table)."""


def symbols_above_zero(names: str) -> Any:
    """Return sympy symbols that stand for positive reals."""
    from sympy import symbols

    return symbols(names, positive=True)


# -- the density ----------------------------------------------------------------------------------


def _mass_of_printed_density() -> list[Any]:
    from sympy import gamma

    a, b = symbols_above_zero("a b")

    def beta(p: Any, q: Any) -> Any:
        return gamma(p) * gamma(q) / gamma(p + q)

    return [beta(a + 1, b + 1) / beta(a, b), a * b / ((a + b) * (a + b + 1))]


def _missing_mass() -> Ball:
    """Return 1 − B(2, 2)/B(1, 1)."""
    return 1 - gamma(Fraction(2)) ** 2 / gamma(Fraction(4))


def _missing_mass_again() -> Any:
    from mpmath import beta, quad

    return 1 - quad(lambda t: t * (1 - t), [0, 1]) / beta(1, 1)


def _table_against_shift(sign: int) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return how far the printed distance is from the one under either convention of exponents.

    With ``sign`` = 1 the usual exponents a − 1: the printed figure is right to its last digit;
    with −1 the exponents a, that is Dir(a + 1): it is off.
    """
    first = 5 if sign == 1 else 6
    half_unit = Fraction(1, 2 * 10**12)
    printed = Fraction(PRINTED_DISTANCE)

    def margin() -> Ball:
        prior = (Fraction(first), Fraction(first - 1))
        distance = HellingerMetric(prior).between((0, 1), (1, 0))
        return sign * (ball(half_unit) - abs(distance - ball(printed)))

    def again() -> Any:
        distance = hellinger([first, first], [first + 1, first - 1])
        return sign * (number(half_unit) - abs(distance - number(printed)))

    return margin, again


_USUAL, _SHIFTED = _table_against_shift(1), _table_against_shift(-1)

DENSITY = Claim(
    id="basics-density",
    typed=forall(
        "real a b",
        "a > 0",
        "b > 0",
        holds="gamma(a + 1)*gamma(b + 1)/gamma(a + b + 2) == gamma(a)*gamma(b)/gamma(a + b)",
    ),
    source="N §1; L §1",
    statement="the Dirichlet prior has the density Π ξᵢ^αᵢ / B(α)",
    formula="∀ m ≥ 2, ∀ α > 0: ∫ over the simplex of Π ξᵢ^αᵢ / B(α) = 1",
    domain="all orders m ≥ 2 and all α > 0; B the multivariate beta function (A §1)",
    evidence=(
        Counterexample(
            title="for beta(1, 1) it integrates to 1/6",
            parameters={"m": "2", "α": "(1, 1)"},
            shows="∫ ξ(1 − ξ)/B(1, 1) dξ < 1",
            margin=_missing_mass,
            again=_missing_mass_again,
        ),
        Identity(
            title="m = 2: the integral is ab/((a + b)(a + b + 1))",
            role=Role.LEMMA,
            chain=_mass_of_printed_density,
            shown=("B(a + 1, b + 1) / B(a, b)", "ab / ((a + b)(a + b + 1))"),
        ),
        OrthantCertificate(
            title="that is below 1 for all a, b > 0",
            role=Role.LEMMA,
            positive="(a + b)*(a + b + 1) - a*b",
            shift={"a": "s", "b": "t"},
            positive_variables=("s", "t"),
        ),
        Fact(
            title="the notes' own table uses the usual exponents αᵢ − 1",
            role=Role.ILLUSTRATES,
            parameters={"posterior": "beta(5, 5)", "candidate": "beta(6, 4)"},
            shows=f"H rounds to the printed {PRINTED_DISTANCE}",
            margin=_USUAL[0],
            again=_USUAL[1],
        ),
        Fact(
            title="a B of its own (exponents αᵢ, normalised) would not give the notes' table",
            role=Role.ILLUSTRATES,
            parameters={"posterior": "exponents (5, 5)", "candidate": "exponents (6, 4)"},
            shows=f"H = H(Dir(6, 6), Dir(7, 5)) does not round to {PRINTED_DISTANCE}",
            margin=_SHIFTED[0],
            again=_SHIFTED[1],
        ),
    ),
    derivation="By Dirichlet's integral the printed function integrates to B(α + 1)/B(α) = "
    "Π αᵢ / (α₀(α₀ + 1)…(α₀ + m − 1)) with α₀ = Σ αᵢ.  Every αᵢ is below α₀, so this is below 1: "
    "the printed function is a density for no α at all.",
    repaired="π(ξ) = Π ξᵢ^(αᵢ − 1) / B(α)",
)


# -- the posterior --------------------------------------------------------------------------------


def _posterior_exponent() -> list[Any]:
    xi, alpha, count = symbols_above_zero("xi alpha c")
    return [xi ** (alpha - 1) * xi**count, xi ** ((alpha + count) - 1)]


def _evidence_of_one_record() -> list[Any]:
    from sympy import gamma

    a, rest = symbols_above_zero("a r")
    numerator = gamma(a + 1) * gamma(rest) / gamma(a + rest + 1)
    return [numerator / (gamma(a) * gamma(rest) / gamma(a + rest)), a / (a + rest)]


POSTERIOR = Claim(
    id="basics-posterior",
    typed=BAYES,
    source="N §1",
    statement="the posterior is Dirichlet again, with the counts added: (α₁ + n₁, …, αₘ + nₘ); for "
    "m = 2 it is beta(α + n₁, β + n₀)",
    formula="∀ m ≥ 2, α > 0, x with counts c: Pr(ξ | x) = Dir(α + c)",
    domain="all orders m ≥ 2, all priors α > 0, all datasets",
    evidence=(
        Identity(
            title="in every coordinate the likelihood adds the count to the exponent",
            chain=_posterior_exponent,
            shown=("ξ^(α − 1) · ξ^c", "ξ^((α + c) − 1)"),
        ),
        Identity(
            title="one record at a time: the predictive probability a/(a + r) is the normaliser",
            role=Role.ILLUSTRATES,
            chain=_evidence_of_one_record,
            shown=("B(a + 1, r) / B(a, r)", "a / (a + r)"),
        ),
    ),
    derivation="The likelihood of x is Π ξᵢ^cᵢ (times a multinomial coefficient, if only the "
    "counts are seen: it does not depend on ξ).  By Bayes' rule the posterior density is "
    "proportional to the product over the coordinates of ξᵢ^(αᵢ + cᵢ − 1), and a density is "
    "determined by what it is proportional to.  The exponents printed for the prior shift with "
    "those of the posterior, so this does not depend on which of the two conventions is meant.",
)


# -- the distance ---------------------------------------------------------------------------------


def _root_of_product() -> list[Any]:
    from sympy import sqrt

    xi, a, b, beta_a, beta_b = symbols_above_zero("xi a b B_a B_b")
    return [
        sqrt(xi ** (a - 1) / beta_a * xi ** (b - 1) / beta_b),
        xi ** ((a + b) / 2 - 1) / sqrt(beta_a * beta_b),
    ]


def _square_of_difference() -> list[Any]:
    u, v = symbols_above_zero("u v")
    return [(u - v) ** 2 / 2, (u**2 + v**2) / 2 - u * v]


HELLINGER = Claim(
    id="basics-hellinger",
    source="A §1",
    statement="H(Dir(α₁), Dir(α₂)) = √(1 − B((α₁ + α₂)/2) / √(B(α₁)·B(α₂)))",
    formula="∀ k ≥ 2, a, b > 0: ½ ∫ (√f − √g)² = 1 − B((a + b)/2)/√(B(a)·B(b)), f, g the densities "
    "of Dir(a), Dir(b)",
    domain="all k ≥ 2 and all positive parameters; H² = ½ ∫ (√f − √g)²",
    evidence=(
        Identity(
            title="in every coordinate the root of the product has the mean exponent",
            chain=_root_of_product,
            shown=(
                "√(ξ^(a − 1)/B(a) · ξ^(b − 1)/B(b))",
                "ξ^((a + b)/2 − 1) / √(B(a)·B(b))",
            ),
        ),
        Identity(
            title="½(u − v)² = (u² + v²)/2 − uv with u = √f, v = √g",
            role=Role.LEMMA,
            chain=_square_of_difference,
            shown=("½(u − v)²", "(u² + v²)/2 − uv"),
        ),
    ),
    derivation="f and g integrate to 1, so H² = 1 − ∫ √(f·g).  The integrand is, coordinate by "
    "coordinate, the kernel of Dir((a + b)/2) over √(B(a)·B(b)); Dirichlet's integral gives "
    "B((a + b)/2).  (Without the factor ½ in the definition of H², the formula would have to be "
    "doubled; the distances in the notes' tables are those of this formula.)",
)


# -- the local sensitivity ------------------------------------------------------------------------

REDUCTION = SMTProof(
    title="|h(x, r) − h(x′, r)| ≤ h(x, x′), with equality at r = x and at r = x′",
    hypotheses=("xr <= xy + yr", "yr <= xy + xr", "xy >= 0", "xr >= 0", "yr >= 0"),
    goal="xr - yr <= xy and yr - xr <= xy "
    "and (not (xr == 0 and yr == xy) or yr - xr == xy) "
    "and (not (yr == 0 and xr == xy) or xr - yr == xy)",
)

TRIANGLE = SMTProof(
    title="the norm of u + v is at most the sum of the norms (u = √f − √g, v = √g − √h in L²)",
    role=Role.LEMMA,
    hypotheses=(
        "a >= 0 and b >= 0 and c >= 0",
        "a^2*(a^2*b^2 - w^2) >= 0",
        "b^2*(a^2*b^2 - w^2) >= 0",
        "a^2 - 2*w + b^2 >= 0",
        "c^2 == a^2 + 2*w + b^2",
    ),
    goal="c <= a + b",
)

LOCAL = Claim(
    id="ls-reduction",
    typed=neighbours(
        "sum(i, 1, k, r[i]) == n",
        outputs=True,
        holds=f"abs(H({AT['x']}, {AT['r']}) - H({AT['y']}, {AT['r']})) <= H({AT['x']}, {AT['y']}) "
        f"and abs(H({AT['x']}, {AT['x']}) - H({AT['y']}, {AT['x']})) == H({AT['x']}, {AT['y']}) "
        f"and H({AT['x']}, {AT['y']}) <= LS({PRIOR}, {X})",
    ),
    source="N §4.1; D §2.2.2",
    statement="the maximum over the candidates r of |H(BI(x), r) − H(BI(x′), r)| is H(BI(x), "
    "BI(x′)), attained at r = BI(x); so LS(x) is the largest distance to a neighbour",
    formula="∀ k ≥ 2, n ≥ 1, α > 0, x: LS(x) = max over x′ ~ x of H(BI(x), BI(x′))",
    domain="all k ≥ 2, n ≥ 1, α > 0 and all datasets",
    evidence=(REDUCTION, TRIANGLE),
    derivation="H is 1/√2 times the L² distance of √f and √g.  With a = ‖u‖, b = ‖v‖, w = ⟨u, v⟩, "
    "c = ‖u + v‖, the hypotheses of the lemma are that ‖a²v − wu‖², ‖b²u − wv‖² and ‖u − v‖² are "
    "not negative; so H has the triangle inequality.  Applied to the three distances of x, x′, r "
    "it bounds the difference, and r = BI(x), itself a candidate, attains the bound: h(x, r) = 0 "
    "and h(x′, r) = h(x, x′).  The maximum over x′ of both sides is the claim.  r = BI(x′) attains "
    "it as well.",
)


def _signed(sign: int) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    flat = (Fraction(1), Fraction(1))

    def margin() -> Ball:
        return sign * HellingerMetric(flat).between((1, 0), (0, 1))

    return margin, lambda: sign * posterior_distance(flat, (1, 0), (0, 1))


SIGN = Claim(
    id="ls-reduction-sign",
    typed=forall(
        "real a b, natural n c",
        "a > 0",
        "b > 0",
        "c >= 1",
        "c + 1 <= n",
        holds="max(-H((a + c + 1, b + n - c - 1), (a + c, b + n - c)), -H((a + c - 1, b + "
        "n - c + 1), (a + c, b + n - c))) == max(H((a + c + 1, b + n - c - 1), (a + "
        "c, b + n - c)), H((a + c - 1, b + n - c + 1), (a + c, b + n - c)))",
    ),
    source="N §4.1, the displayed line",
    statement="the maximum without absolute values is attained at r = BI(x): "
    "max {H(BI(x), BI(x)) − H(BI(x′), BI(x))} = max {H(BI(x′), BI(x))}",
    formula="∀ x: max over x′ of (H(x, x) − H(x′, x)) = max over x′ of H(x′, x)",
    domain="all k ≥ 2, n ≥ 1, α > 0 and all datasets",
    step_of="ls-reduction",
    evidence=(
        Counterexample(
            title="the left side is negative, the right side positive",
            parameters={"n": "1", "prior": "(1, 1)", "x": "(1, 0)", "x′": "(0, 1)"},
            shows="H(x, x) − H(x′, x) = −H(x′, x) < 0 < H(x′, x)",
            margin=_signed(1)[0],
            again=_signed(1)[1],
        ),
    ),
    derivation="H(x, x) = 0, so the two sides differ in sign for every x: without absolute values "
    "the maximum over r is attained at r = BI(x′) and not at r = BI(x).",
    repaired="with absolute values, or with r = BI(x′): H(BI(x), BI(x′)) − H(BI(x′), BI(x′))",
)

CLAIMS = (DENSITY, POSTERIOR, HELLINGER, LOCAL, SIGN)

"""Privacy of the exponential mechanism with global and with γ-smooth sensitivity.

Both are P_x(r) = w_x(r)/N_x with w_x(r) = exp(−(ε/2)·v_x(r)) and v_x(r) = f(x)·H(x, r), N_x being
the sum of all w_x(r′).

**Reduction.** If |v_x(r) − v_y(r)| ≤ 1 for all candidates r, then with s = e^(ε/2) every
w_x(r) ≤ s·w_y(r) and w_y(r) ≤ s·w_x(r); the second, summed over r, is N_y ≤ s·N_x; so
P_x(r)/P_y(r) = (w_x(r)/w_y(r))·(N_y/N_x) ≤ s² = e^ε (``WEIGHTS``).  This is the only place where
exp occurs.  It remains to bound |v_x − v_y| for neighbours x, y:

* global sensitivity, f = 1/GS: |H(x, r) − H(y, r)| ≤ GS by the definition of GS;
* the constant √(1 − π/4) in place of GS: right if it is at least GS.  H(x, y)² = 1 − Gᵢ·Gⱼ with
  G(s)² = Γ(s + ½)²/(Γ(s)·Γ(s + 1)), s = αᵢ + cᵢ.  The recurrence of Γ and G(s) → 1 (s → ∞) give
  G(s)² = Π_{m ≥ 0} (s + m)(s + m + 1)/(s + m + ½)², every factor of which grows with s; so
  G(s)² ≥ G(1)² = π/4 for s ≥ 1, which is the case for αᵢ ≥ 1.  For small αᵢ the constant is
  too small, and the guarantee is false;
* γ-smooth sensitivity, f = 1/((1 + γ)·S_γ): 1/S_γ is γ-Lipschitz and S_γ ≥ LS, whence
  |H(x, r)/S_γ(x) − H(y, r)/S_γ(y)| ≤ 1 + γ (``SMOOTHED``).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.api import mechanism
from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import ball
from dpaudit.numbers.real import real
from dpaudit_proofs.definitions import exponential_loss, number, posterior_distance
from dpaudit_proofs.neighbours import (
    GLOBAL_POSITIVE,
    PRIOR,
    SMOOTH_POSITIVE,
    X,
    Y,
    neighbours,
    private,
)
from dpaudit_proofs.typed_privacy import CAPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.numbers.ball import Ball

__all__ = [
    "AFFINITY_GROWS",
    "AFFINITY_RECURRENCE",
    "CLAIMS",
    "PRIORS",
    "REDUCTION",
    "SCALED",
    "WEIGHTS",
    "Counts",
    "Margin",
    "loss_beyond",
    "quoted_factor",
]

Counts = tuple[int, ...]

Margin = tuple["Callable[[], Ball]", "Callable[[], Any]"]
"""A margin in balls and in mpmath."""


def loss_beyond(
    name: str,
    parameters: Mapping[str, str],
    pair: tuple[Counts, Counts],
    output: Counts,
    factor: Callable[[Any], Any],
    *,
    bound: str,
) -> Margin:
    """Return ln(P_x(output)/P_y(output)) − bound, from the mechanism's laws and in mpmath.

    ``parameters`` are the mechanism's, with its prior; ``factor`` takes LS(x) to the factor of
    H(x, r) in the exponent, in mpmath.
    """
    prior = [Fraction(alpha) for alpha in parameters["prior"].split(",")]

    def margin() -> Ball:
        laws = mechanism(name, **parameters).laws()
        divergence = laws.law(pair[0]).divergence_from(laws.law(pair[1]))
        loss: Ball = divergence.loss_at(output, forward=True).ball
        return loss - real(bound).ball()

    def again() -> Any:
        return exponential_loss(prior, pair, output, factor) - number(bound)

    return margin, again


# -- the reduction -----------------------------------------------------------------------------

WEIGHTS = SumOfProducts(
    title="w_x(r) ≤ s·w_y(r) and N_y ≤ s·N_x give P_x(r) ≤ s²·P_y(r)",
    role=Role.LEMMA,
    goal="s^2*wy*Nx - wx*Ny",
    hypotheses=("s", "wx", "Nx", "s*wy - wx", "s*Nx - Ny"),
    products=(("1", ("s", "Nx", "s*wy - wx")), ("1", ("wx", "s*Nx - Ny"))),
)

SCALED = SMTProof(
    title="|u(x, r) − u(y, r)| ≤ GS makes the exponents differ by at most ε/2",
    hypotheses=("-g <= d", "d <= g", "g > 0", "e > 0"),
    goal="-e/2 <= e*d/(2*g) and e*d/(2*g) <= e/2",
)

REDUCTION = (
    "Let the exponents be −(ε/2)·v_x(r).  If |v_x(r) − v_y(r)| ≤ 1 for all r, then "
    "w_x(r) ≤ e^(ε/2)·w_y(r), and w_y(r′) ≤ e^(ε/2)·w_x(r′) summed over r′ ∈ R is "
    "N_y ≤ e^(ε/2)·N_x; the certificate turns the two into P_x(r) ≤ e^ε·P_y(r).  x and y may be "
    "exchanged, and R is finite, so every event is covered in both directions.  "
)


# -- γ-smooth sensitivity ----------------------------------------------------------------------

LIPSCHITZ = SumOfProducts(
    title="1/S_γ(x) ≤ 1/S_γ(y) + γ, z being where the minimum for y is attained",
    goal="(gz + gamma*dyz) + gamma - fx",
    hypotheses=("gz + gamma*dxz - fx", "gamma", "1 + dyz - dxz"),
    products=(("1", ("gz + gamma*dxz - fx",)), ("1", ("gamma", "1 + dyz - dxz"))),
)

SMOOTHED = SumOfProducts(
    title="h_x·f_x − h_y·f_y ≤ 1 + γ, where h = H(·, r) and f = 1/S_γ",
    goal="1 + gamma - hx*fx + hy*fy",
    hypotheses=("1 - (hx - hy)*fx", "gamma - (fx - fy)", "gamma", "hy", "1 - hy"),
    products=(
        ("1", ("1 - (hx - hy)*fx",)),
        ("1", ("hy", "gamma - (fx - fy)")),
        ("1", ("gamma", "1 - hy")),
    ),
)


# -- the constant √(1 − π/4) -------------------------------------------------------------------


def _recurrence() -> list[Any]:
    from sympy import Rational, gamma, symbols

    s = symbols("s", positive=True)
    half = Rational(1, 2)

    def squared(a: Any) -> Any:
        return gamma(a + half) ** 2 / (gamma(a) * gamma(a + 1))

    return [squared(s) / squared(s + 1), s * (s + 1) / (s + half) ** 2]


def _at_one() -> list[Any]:
    from sympy import Rational, gamma, pi

    return [gamma(Rational(3, 2)) ** 2 / (gamma(1) * gamma(2)), pi / 4]


AFFINITY_RECURRENCE = Identity(
    title="consecutive affinities G(s)² = Γ(s + ½)²/(Γ(s)·Γ(s + 1)) differ by an algebraic factor",
    role=Role.LEMMA,
    chain=_recurrence,
    shown=("G(s)² / G(s + 1)²", "s·(s + 1)/(s + ½)²"),
)

AFFINITY_GROWS = OrthantCertificate(
    title="that factor grows with s > 0, so G(s)², the product of all later ones, does too",
    role=Role.LEMMA,
    positive="(s + v)*(s + v + 1)*(s + 1/2)^2 - s*(s + 1)*(s + v + 1/2)^2",
    shift={"s": "s", "v": "v"},
    positive_variables=("s", "v"),
)

_AT_ONE = Identity(
    title="G(1)² = π/4", role=Role.LEMMA, chain=_at_one, shown=("Γ(3/2)²/(Γ(1)·Γ(2))", "π/4")
)

_PRODUCT = SumOfProducts(
    title="Gᵢ ≥ q and Gⱼ ≥ q, q = √(π/4), give Gᵢ·Gⱼ ≥ q² = π/4: all αᵢ ≥ 1 are in the domain",
    role=Role.LEMMA,
    goal="Gi*Gj - q^2",
    hypotheses=("Gi - q", "Gj - q", "q"),
    products=(("1", ("Gi - q", "Gj - q")), ("1", ("q", "Gi - q")), ("1", ("q", "Gj - q"))),
)

_ENOUGH = SumOfProducts(
    title="G(a) ≥ G(αᵢ) and G(b) ≥ G(αⱼ) give H² = 1 − G(a)·G(b) ≤ 1 − G(αᵢ)·G(αⱼ) ≤ 1 − π/4",
    domain="G(αᵢ)·G(αⱼ) ≥ π/4 for all i ≠ j, so wherever all αᵢ ≥ 1; all n, k, ε > 0",
    goal="Ga*Gb - quarter_pi",
    hypotheses=("Ga - Gi", "Gb - Gj", "Gb", "Gi", "Gi*Gj - quarter_pi"),
    products=(
        ("1", ("Gb", "Ga - Gi")),
        ("1", ("Gi", "Gb - Gj")),
        ("1", ("Gi*Gj - quarter_pi",)),
    ),
)


def quoted_factor(_: Any) -> Any:
    """Return ε/(2·√(1 − π/4)) at ε = 4/5, whatever LS(x) is."""
    from mpmath import pi, sqrt

    return number("2/5") / sqrt(1 - pi / 4)


_TINY = {"epsilon": "4/5", "prior": "1/20,1/20", "gs": "quoted"}
_ONE_RECORD = loss_beyond("EHD", _TINY, ((1, 0), (0, 1)), (1, 0), quoted_factor, bound="4/5")
_FIVE_RECORDS = loss_beyond("EHD", _TINY, ((0, 5), (1, 4)), (0, 5), quoted_factor, bound="4/5")


PRINTED = "239992747797/1000000000000"
"""The global sensitivity that the captions of N Fig. 4 and 5 give for DL(7,4,5)."""

_ENOUGH_PRINTED = SumOfProducts(
    title="G(a) ≥ G(αᵢ), G(b) ≥ G(αⱼ) and G(αᵢ)·G(αⱼ) ≥ G(4)·G(5) ≥ m give H² ≤ 1 − m",
    goal="Ga*Gb - m",
    hypotheses=("Ga - Gi", "Gb - Gj", "Gb", "Gi", "Gi*Gj - least", "least - m"),
    products=(
        ("1", ("Gb", "Ga - Gi")),
        ("1", ("Gi", "Gb - Gj")),
        ("1", ("Gi*Gj - least",)),
        ("1", ("least - m",)),
    ),
)


def _caption() -> Fact:
    prior = (Fraction(7), Fraction(4), Fraction(5))
    x, y = (0, 1, 0), (0, 0, 1)
    return Fact(
        title="the largest distance of neighbours, at any n, is √(1 − G(4)·G(5)) at most",
        role=Role.LEMMA,
        parameters={"prior": "(7,4,5)", "n": "1", "x": "(0,1,0)", "y": "(0,0,1)"},
        shows="√(1 − G(4)·G(5)) = H(x, y) < 0.239992747797",
        margin=lambda: ball(Fraction(PRINTED)) - HellingerMetric(prior).between(x, y),
        again=lambda: number(PRINTED) - posterior_distance(prior, x, y),
    )


PRIORS = "every prior α > 0, n ≥ 1, k ≥ 2, ε > 0"

CLAIMS = (
    Claim(
        id="em-global-dp",
        typed=neighbours(
            "eps > 0",
            variables="real eps",
            outputs=True,
            holds=private(f"eps/(2*GS({PRIOR}, n))", f"eps/(2*GS({PRIOR}, n))"),
        ),
        source="N §2.1; D, E §1.1.2; L §2.1",
        statement="The exponential mechanism with global sensitivity is ε-differentially private",
        formula="P_x(r) ∝ exp(ε·u(x, r)/(2Δ_g)), u = −H, Δ_g = max over neighbours and r of "
        "|u(x, r) − u(y, r)|:  ∀ neighbours x, y ∀ r ∈ R: P_x(r) ≤ e^ε·P_y(r)",
        domain=PRIORS,
        evidence=(replace(SCALED, role=Role.PROVES), WEIGHTS, GLOBAL_POSITIVE),
        derivation=REDUCTION + "Here v_x(r) = H(x, r)/Δ_g, and |v_x − v_y| ≤ 1 is the definition "
        "of Δ_g > 0, taken at this n and prior.",
    ),
    Claim(
        id="thm-3.1-EHD",
        typed=neighbours(
            "eps > 0",
            variables="real eps",
            outputs=True,
            holds=private("eps/(2*sqrt(1 - pi/4))", "eps/(2*sqrt(1 - pi/4))"),
        ),
        holds_on=("all(i, 1, k, a[i] >= 1)",),
        points=(
            {"k": "2", "z": "1", "p": "1", "q": "2", "n": "1", "a": "12", "r": "2", "eps": "4/5"},
        ),
        source="A Thm 3.1, with A Alg. 4 and GS = √(1 − π/4) of A §1",
        statement="EHD is ε-differentially private",
        formula="P_x(r) ∝ exp(−ε·H(x, r)/(2√(1 − π/4))): P_x(r) ≤ e^ε·P_y(r) for all neighbours "
        "x, y and r ∈ R",
        domain=PRIORS,
        evidence=(
            Counterexample(
                title="one record and a small prior: the loss is ε·H(x, y)/(2√(1 − π/4))",
                parameters={
                    "prior": "(1/20,1/20)",
                    "n": "1",
                    "ε": "4/5",
                    "x = r": "(1,0)",
                    "y": "(0,1)",
                },
                shows="ln(P_x(r)/P_y(r)) > ε",
                margin=_ONE_RECORD[0],
                again=_ONE_RECORD[1],
            ),
            Counterexample(
                title="five records exceed it further, 0.8228… against 0.8",
                parameters={
                    "prior": "(1/20,1/20)",
                    "n": "5",
                    "ε": "4/5",
                    "x = r": "(0,5)",
                    "y": "(1,4)",
                },
                shows="ln(P_x(r)/P_y(r)) > ε",
                margin=_FIVE_RECORDS[0],
                again=_FIVE_RECORDS[1],
            ),
            AFFINITY_RECURRENCE,
            AFFINITY_GROWS,
            _AT_ONE,
            _PRODUCT,
            _ENOUGH,
            WEIGHTS,
        ),
        repaired="EHD is ε-differentially private for every prior with all αᵢ ≥ 1, and more widely "
        "where G(αᵢ)·G(αⱼ) ≥ π/4 for all i ≠ j, G(s) = Γ(s + ½)/√(Γ(s)·Γ(s + 1)); for any prior "
        "it is (ε/√(1 − π/4))-differentially private, and with GS computed at this n and prior "
        "ε-differentially private.",
        derivation="Moving one record from j to i takes (a, b + 1) to (a + 1, b) with a = αᵢ + cᵢ "
        "≥ αᵢ and b ≥ αⱼ, and the totals agree, so H(x, y)² = 1 − G(a)·G(b).  G(s) → 1 as s grows, "
        "so the recurrence writes G(s)² as the product of s′(s′ + 1)/(s′ + ½)² over s′ = s, s + 1, "
        "…; each grows with s, and so does G.  So H(x, y) ≤ √(1 − π/4), and by the triangle "
        "inequality "
        "|H(x, r) − H(y, r)| is too.  " + REDUCTION + "For small αᵢ the constant is below the "
        "sensitivity.  At n = 1, k = 2 the normalisers agree and the loss is exactly "
        "ε·H(x, y)/(2√(1 − π/4)): above ε, whatever ε is, once G(α₁)·G(α₂) < π − 3.  A names no "
        "range for αᵢ; its α̃ ∈ ℕ^|𝒳| (Alg. 1 to 3) suggests integers, and for those the theorem "
        "is true.  Alg. 4 prints r′ for r in the numerator (alg-4-numerator).",
    ),
    Claim(
        id="em-global-captions",
        typed=CAPTIONS,
        source="N Fig. 4, 5 (captions)",
        statement="At the prior DL(7,4,5) and n = 100, 120, 150 the mechanism with the global "
        "sensitivity 0.239992747797 is 0.8-differentially private",
        formula="P_x(r) ∝ exp(−ε·H(x, r)/(2·0.239992747797)), ε = 0.8: P_x(r) ≤ e^ε·P_y(r) for all "
        "neighbours x, y and r ∈ R",
        domain="prior (7,4,5), ε = 4/5, n = 100, 120 and 150",
        evidence=(AFFINITY_RECURRENCE, AFFINITY_GROWS, _caption(), _ENOUGH_PRINTED, WEIGHTS),
        derivation="As for thm-3.1-EHD, H(x, y)² = 1 − G(a)·G(b) with a ≥ αᵢ, b ≥ αⱼ, i ≠ j, and "
        "G grows: no product of two different of G(7), G(4), G(5) is below G(4)·G(5).  The printed "
        "number is not the global sensitivity (gs-caption), but it is above it, which is enough, "
        "at these and all other n.  " + REDUCTION,
    ),
    Claim(
        id="gamma-smooth-lipschitz",
        typed=neighbours(
            "g > 0",
            variables="real g",
            holds=f"S_gamma({PRIOR}, g, {X}) >= LS({PRIOR}, {X}) and LS({PRIOR}, {X}) > 0 and "
            f"1/S_gamma({PRIOR}, g, {X}) - 1/S_gamma({PRIOR}, g, {Y}) <= g",
        ),
        source="A §1 (the definition of S), used by A Thm 3.1 for EHDS",
        statement="S_γ is at least LS, and 1/S_γ changes by at most γ between neighbours",
        formula="S_γ(x) ≥ LS(x) > 0 and |1/S_γ(x) − 1/S_γ(y)| ≤ γ for all neighbours x, y",
        domain=f"{PRIORS}, γ > 0",
        evidence=(LIPSCHITZ, SMOOTH_POSITIVE),
        derivation="1/S_γ(x) = min over z of g(z) + γ·d(x, z), g = 1/LS; LS > 0 as distinct "
        "posteriors have positive distance.  z = x gives 1/S_γ(x) ≤ 1/LS(x).  The hypotheses of "
        "the certificate are the minimum at x, tried at y's best z, and the triangle inequality "
        "d(x, z) ≤ 1 + d(y, z).  Exchanging x and y gives the other sign.",
    ),
    Claim(
        id="thm-3.1-EHDS",
        typed=neighbours(
            "eps > 0",
            "g > 0",
            variables="real eps g",
            outputs=True,
            holds=private(*(f"eps/(2*(1 + g)*S_gamma({PRIOR}, g, {counts}))" for counts in (X, Y))),
        ),
        source="A Thm 3.1, with A Alg. 6",
        statement="EHDS is ε-differentially private",
        formula="P_x(r) ∝ exp(−ε·H(x, r)/(2(1 + γ)·S_γ(x))): P_x(r) ≤ e^ε·P_y(r) for all "
        "neighbours x, y and r ∈ R",
        domain=f"{PRIORS}, γ > 0",
        evidence=(
            SMOOTHED,
            LIPSCHITZ,
            WEIGHTS,
            SMOOTH_POSITIVE,
        ),
        derivation="|H(x, r) − H(y, r)| ≤ LS(x) ≤ S_γ(x) = 1/f_x by the definition of LS, and also "
        "with y in place of x; |f_x − f_y| ≤ γ (gamma-smooth-lipschitz); 0 ≤ H ≤ 1.  So "
        "h_x·f_x − h_y·f_y ≤ 1 + γ, and with x and y exchanged the other sign.  Divided by 1 + γ: "
        "v_x(r) = h_x·f_x/(1 + γ) changes by at most 1.  " + REDUCTION,
    ),
)

"""A Cor. 4.5.3: LSHist against EHD on the good outputs R_g = {r : H(x, r) ≤ LS(x)}.

Two categories (three: :mod:`dpaudit_proofs.corollary_readings`), t = e^(−ε), c = 2·GS = √(4 − π)
and q = e^(−ε/c), the smallest weight EHD can give (H ≤ 1).  R_g holds x and its neighbours; that it
holds nothing else is taken for granted, and true if both prior parameters are at least 1.  Then

    P_LSHist[R_g] ≥ 1 − ½(t + t²) ≥ 1 − t     and     P_EHD[R_g] ≤ 3/(1 + n·q),

and the threshold n > 3/(q·(1 − t)) does what it says.  Under a prior close to 0 the distance to a
neighbour at the edge is nearly 1, R_g is nearly everything, and EHD catches up.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Fact, Identity
from dpaudit.claims.statement import forall
from dpaudit.notes.sensitivity import local_sensitivities
from dpaudit.numbers.ball import Ball, minimum
from dpaudit.numbers.real import PI, rational, real
from dpaudit_proofs.accuracy_laws import (
    FLAT,
    Prior,
    at,
    chance,
    chance_again,
    clamped,
    clamped_again,
    distance,
    distance_again,
    ehd_factor,
    ehd_factor_again,
    exponent_step,
)
from dpaudit_proofs.definitions import local_sensitivity, number
from dpaudit_proofs.theorem_four_five_upper import TWO_GS_BELOW_ONE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS"]

Data = tuple[int, int]


def _good(
    prior: Prior, n: int, epsilon: str, last: int
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return the margins against Cor. 4.5.3 at x = (1, n − 1) where R_g is {0, …, last}.

    They are those of n > 3/(q(1 − t)), of H(x, last) ≤ LS(x) = H(x, 0), of LS(x) < H(x, last + 1)
    and of P_EHD[R_g] > P_LSHist[R_g]; where last = n, both chances are 1 and the last two fall
    away.
    """
    x, good = (1, n - 1), range(last + 1)

    def margin() -> Ball:
        t, q = (-real(epsilon).ball()).exp(), (-ehd_factor(epsilon)).exp()
        reach = distance(prior, x, (0, n))
        margins = [n * q * (1 - t) - 3, reach - distance(prior, x, (last, n - last))]
        if last < n:
            margins.append(distance(prior, x, (last + 1, n - last - 1)) - reach)
            exponential = chance(prior, x, ehd_factor(epsilon), good)
            margins.append(exponential - clamped(1, n, epsilon, good).ball())
        return minimum(margins)

    def again() -> Any:
        from mpmath import exp

        t, q = exp(-number(epsilon)), exp(-ehd_factor_again(epsilon))
        reach = distance_again(prior, x, (0, n))
        margins = [n * q * (1 - t) - 3, reach - distance_again(prior, x, (last, n - last))]
        if last < n:
            margins.append(distance_again(prior, x, (last + 1, n - last - 1)) - reach)
            exponential = chance_again(prior, x, ehd_factor_again(epsilon), good)
            margins.append(exponential - clamped_again(1, n, epsilon, good))
        return min(margins)

    return margin, again


def _count_margin() -> Ball:
    """Return the margins at x = (1, 499), ε = 1: R_g is {0, 1, 2}, and its chance is too large."""
    x, n, s = (1, 499), 500, ehd_factor("1")
    reach = local_sensitivities(FLAT, n)[1]
    printed = (2 * (-s * reach).exp() + 1) / (n * (-s).exp())
    return minimum(
        [
            distance(FLAT, x, (3, 497)) - reach,
            reach - distance(FLAT, x, (2, 498)),
            chance(FLAT, x, s, [0, 1, 2]) - printed,
        ]
    )


def _count_again() -> Any:
    from mpmath import exp

    x, n, s = (1, 499), 500, ehd_factor_again("1")
    reach = local_sensitivity(FLAT, x)
    printed = (2 * exp(-s * reach) + 1) / (n * exp(-s))
    return min(
        distance_again(FLAT, x, (3, 497)) - reach,
        reach - distance_again(FLAT, x, (2, 498)),
        chance_again(FLAT, x, s, [0, 1, 2]) - printed,
    )


def _order_margin() -> Ball:
    """Return 3·e^(ε/c)/(1 − t) − 1000·e^ε/(1 − t) at ε = 100, over e^ε/(1 − t)."""
    return 3 * (ehd_factor("100") - 100).exp() - 1000


def _order_again() -> Any:
    from mpmath import exp

    return 3 * exp(ehd_factor_again("100") - 100) - 1000


def _bounded_margin() -> Ball:
    """Return 6 − 3·e^(ε/c − ε) at ε = 8."""
    return 6 - 3 * (ehd_factor("8") - 8).exp()


def _bounded_again() -> Any:
    from mpmath import exp

    return 6 - 3 * exp(ehd_factor_again("8") - 8)


def _c_again() -> Any:
    from mpmath import mpf, pi, sqrt

    return (mpf(13) / 14) ** 2 - (2 * sqrt(1 - pi / 4)) ** 2


def _two_steps() -> list[Any]:
    from sympy import gamma, symbols

    a, d = symbols("a d", positive=True)
    b = d + 2
    between = gamma(a + 1) * gamma(b - 1)
    return [
        between**2 / (gamma(a) * gamma(a + 2) * gamma(b) * gamma(b - 2)),
        a * (b - 2) / ((a + 1) * (b - 1)),
    ]


_TINY = (Fraction(1, 10**9), Fraction(1))
_TINIER = (Fraction(1, 10**60), Fraction(1, 10**10))

CLAIMS = (
    Claim(
        id="cor-4.5.3",
        source="A Cor. 4.5.3",
        statement="with R_g = {r : H(x, r) ≤ LS(x)}, P[LSHist(x) ∈ R_g] > P[EHD(x) ∈ R_g] for "
        "n > 3/(e^(−ε/c)·(1 − e^(−ε))), c = 2√(1 − π/4)",
        formula="∀ x, ε: n·q·(1 − t) > 3 ⟹ P_LSHist[R_g] > P_EHD[R_g]",
        domain="two categories, all data, all priors, all ε > 0",
        evidence=(
            at(
                "a prior near 0 makes LS(x) so large that R_g is everything: both chances are 1",
                "n > 3/(q(1 − t)) and H(x, (13, 0)) < H(x, (0, 13)) = LS(x), so 1 > 1 is claimed",
                {"prior": "(10⁻⁹, 1)", "x": "(1, 12)", "ε": "4/5"},
                _good(_TINY, 13, "4/5", 13),
            ),
            at(
                "or everything but one candidate: EHD is strictly better",
                "n > 3/(q(1 − t)), R_g = R without (100, 0), and P_EHD[R_g] > P_LSHist[R_g]",
                {"prior": "(10⁻⁶⁰, 10⁻¹⁰)", "x": "(1, 99)", "ε": "33/1000"},
                _good(_TINIER, 100, "33/1000", 99),
            ),
            Identity(
                title="the squared affinity of two steps",
                role=Role.LEMMA,
                chain=_two_steps,
                shown=("A(x, x+2)²", "a(b − 2)/((a + 1)(b − 1))"),
            ),
            OrthantCertificate(
                title="two steps lead further than one step the other way, for a ≥ 2 and b ≥ 3",
                role=Role.LEMMA,
                positive="(a - 1)*b*(a + 1)*(b - 1) - a*(b - 2)*(a - 1/2)*(b + 1/2)",
                shift={"a": "2 + s", "b": "3 + u"},
            ),
            SumOfProducts(
                title="N/Z < P from N ≤ 3, Z ≥ 1 + n·q, P ≥ u = 1 − t and n·q·u > 3",
                domain="priors with both parameters at least 1",
                goal="P*Z - N",
                hypotheses=("u", "P - u", "Z", "Z - 1 - n*q", "n*q*u - 3", "3 - N"),
                products=(
                    ("1", ("u",)),
                    ("1", ("P - u", "Z")),
                    ("1", ("u", "Z - 1 - n*q")),
                    ("1", ("n*q*u - 3",)),
                    ("1", ("3 - N",)),
                ),
                strict=True,
                positive=("u",),
            ),
        ),
        derivation="R_g holds x and its neighbours x ± 1, so P_LSHist[R_g] ≥ P(−1 ≤ Y < 2) = "
        "1 − ½(t + t²) ≥ 1 − t.  It holds nothing else if both prior parameters are at least 1: "
        "H(x, x+2) > H(x, x+1), and where x − 1 exists (a ≥ 2, b ≥ 3) H(x, x+2) > H(x, x−1), for "
        "A(x, x−1)² = Γ(a − ½)²/(Γ(a)Γ(a − 1))·Γ(b + ½)²/(Γ(b)Γ(b + 1)) is at least "
        "(a − 1)/(a − ½)·b/(b + ½) (convexity of ln Γ: Γ(z + 1)² ≤ Γ(z + ½)Γ(z + 3/2) gives "
        "Γ(z + ½)²/(Γ(z)Γ(z + 1)) ≥ z/(z + ½)), which by the certificate exceeds A(x, x+2)²; "
        "mirrored for x − 2.  So EHD's weight on R_g is N ≤ 3.  The threshold has e^(−ε/c), so the "
        "wrong step of its proof (cor-4.5.3-step) is not used after all.  A Alg. 1 to 3 declare "
        "parameters in ℕ; if that is meant of priors, the claim holds throughout.",
    ),
    Claim(
        id="cor-4.5.3-count",
        source="A Cor. 4.5.3, proof, first inequality",
        step_of="cor-4.5.3",
        statement="P[EHD(x) ∈ R_g] ≤ (2·e^(−ε·LS(x)/(2·GS)) + 1)/(n·e^(−ε/(2·GS)))",
        formula="∀ x, ε: W_g/Z ≤ (2·e^(−s·LS(x)) + 1)/(n·e^(−s)), s = ε/(2·GS)",
        domain="two categories, all data, all priors with parameters at least 1, all ε > 0",
        evidence=(
            at(
                "the nearer neighbour weighs more than e^(−s·LS(x))",
                "R_g = {x − 1, x, x + 1} and P[EHD(x) ∈ R_g] is above the printed bound",
                {"prior": "(1, 1)", "x": "(1, 499)", "ε": "1"},
                (_count_margin, _count_again),
            ),
            SumOfProducts(
                title="W/Z < M/(n·q) from W ≤ M = 1 + 2·e^(−s·LS(x)) and Z ≥ 1 + n·q",
                domain="data whose neighbours are all at distance LS(x): balanced data of even n "
                "under a symmetric prior, and data at the edge",
                goal="M*Z - W*n*q",
                hypotheses=("M", "Z - 1 - n*q", "M - W", "n", "q"),
                products=(
                    ("1", ("M",)),
                    ("1", ("M", "Z - 1 - n*q")),
                    ("1", ("M - W", "n", "q")),
                ),
                strict=True,
                positive=("M",),
            ),
        ),
        derivation="H ≤ LS(x) on R_g bounds the weights there from below, not from above.",
        repaired="P[EHD(x) ∈ R_g] < 3/(n·e^(−ε/(2·GS))), the next line of the same proof.",
    ),
    Claim(
        id="cor-4.5.3-step",
        typed=forall(
            "real eps",
            "eps > 0",
            holds="exp(-eps/(2*sqrt(1 - pi/4))) >= exp(-eps)",
        ),
        source="A Cor. 4.5.3, proof, last inequality",
        step_of="cor-4.5.3",
        statement="3/(n·e^(−ε/(2√(1 − π/4)))) ≤ 3/(n·e^(−ε))",
        formula="∀ ε > 0: e^(−ε/(2·GS)) ≥ e^(−ε)",
        domain="all ε > 0, n ≥ 1",
        evidence=(
            at(
                "it is the other way round",
                "e^(−ε/(2·GS)) < e^(−ε)",
                {"ε": "4/5"},
                exponent_step("1", "4/5"),
            ),
            TWO_GS_BELOW_ONE,
        ),
        derivation="As thm-4.5-EHD-step: 2√(1 − π/4) = √(4 − π) < 1, so it is false for every ε.",
    ),
    Claim(
        id="cor-4.5.3-order",
        source="A Cor. 4.5.3, proof, last line",
        step_of="cor-4.5.3",
        statement="3/(e^(−ε/c)·(1 − e^(−ε))) is O(e^ε/(1 − e^(−ε))), uniformly in ε",
        formula="∃ C ∀ ε > 0: 3·e^(ε/c)/(1 − t) ≤ C·e^ε/(1 − t)",
        domain="all ε > 0",
        evidence=(
            at(
                "C = 1000 is not enough",
                "3·e^(ε/c) > 1000·e^ε",
                {"ε": "100", "C": "1000"},
                (_order_margin, _order_again),
            ),
            Fact(
                title="c < 13/14, so 1/c − 1 > 1/13",
                role=Role.LEMMA,
                parameters={"c": "2√(1 − π/4)"},
                shows="(13/14)² > 4 − π",
                margin=lambda: rational(Fraction(169, 196)) - real(4) + PI,
                again=_c_again,
            ),
            SumOfProducts(
                title="no C is: the quotient is r ≥ 3(1 + ε/13), above C at ε = 13C/3",
                role=Role.REFUTES,
                goal="r - C",
                hypotheses=("r - 3 - 3*e/13", "e - 13*C/3"),
                products=(("3", ()), ("1", ("r - 3 - 3*e/13",)), ("3/13", ("e - 13*C/3",))),
                strict=True,
            ),
            Fact(
                title="on a bounded range the two are of one order: with C = 6 up to ε = 8",
                role=Role.PROVES,
                domain="0 < ε ≤ 8, with C = 6",
                parameters={"ε": "8"},
                shows="6 > 3·e^(ε(1/c − 1))",
                margin=_bounded_margin,
                again=_bounded_again,
            ),
        ),
        derivation="The quotient of the two sides is r = 3·e^(ε(1/c − 1)), which grows with ε, as "
        "c < 1, and is at least 3(1 + ε/13), by 1 + z ≤ e^z.",
        repaired="O(e^(ε/c)/(1 − e^(−ε))), or the printed order for ε in a bounded range.",
    ),
)

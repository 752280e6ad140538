"""The rate β of the smooth sensitivity, and what it is chosen for (N §2.3.1, §2.3.3, Fig. 4, 5).

Write ℓ = ln(δ/(2(n + 1))), so that β = ln(1 − ε/(2ℓ)).  For 0 < δ < 2(n + 1) the logarithm ℓ is
negative, and everything is algebra in ε, ℓ and t = e^λ:

* 1 − ε/(2ℓ) > 1 for ε > 0, so β > 0;
* 1 < t ≤ 1 − ε/(2ℓ) gives ε/(2(1 − t)) ≤ ℓ, with equality at t = e^β, and taking exponentials
  (n + 1)·exp(ε/(2(1 − e^λ))) ≤ δ/2.

The n + 1 is the number of candidates for k = 2.  For k > 2 there are more of them and β does not
know: the probability that the bound was to bound is above δ/2 already for one record in four
categories.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import ONE, Real, real
from dpaudit_proofs.definitions import beta_rate, number
from dpaudit_proofs.derived_exponentials import BETA_BOUND, BETA_POSITIVE
from dpaudit_proofs.smooth_mechanism import Law, Setting, both
from dpaudit_proofs.typed_privacy import BEYOND, BEYOND_MEANT, BEYOND_POINT

__all__ = ["BOUNDED", "CLAIMS", "CLOSE", "POSITIVE", "PRINTED"]

POSITIVE = SMTProof(
    title="ℓ < 0 and ε > 0 give B = 1 − ε/(2ℓ) > 1",
    hypotheses=("l < 0", "epsilon > 0", "2*l*B == 2*l - epsilon"),
    goal="B > 1",
)

BOUNDED = SMTProof(
    title="1 < t ≤ B gives X = ε/(2(1 − t)) ≤ ℓ",
    hypotheses=(
        "l < 0",
        "epsilon > 0",
        "2*l*B == 2*l - epsilon",
        "1 < t and t <= B",
        "2*(1 - t)*X == epsilon",
    ),
    goal="X <= l",
)

PRINTED = {100: "0.0699407108115", 120: "0.0677791100173", 150: "0.0677791100173"}
"""β as N prints it, by the n of the caption: Fig. 4(a), Fig. 4(b), Fig. 5."""

CLOSE = Fraction(5, 10**14)
"""Half a unit of the last printed digit."""

SCALE = 10**28
"""Squares of such differences are shown times this."""

CAPTION = Fraction(4, 5)
"""ε and δ of the captions: “(0.8, 0.8)-DP”."""


def _beta(count: int) -> Real:
    """Return β at ε = δ = 0.8 in closed form."""
    inner = (real(CAPTION) / real(2 * count)).ln()
    return (ONE - real(CAPTION) / (real(2) * inner)).ln()


def _beta_again(count: int) -> Any:
    return beta_rate(number(CAPTION), number(CAPTION), count)


def _agrees(n: int) -> dict[str, Any]:
    """Return the fields of a fact: β with count n has the printed digits (squares compared)."""

    def margin() -> Real:
        difference = _beta(n) - real(PRINTED[n])
        return (real(CLOSE) * real(CLOSE) - difference * difference) * real(SCALE)

    def again() -> Any:
        difference = _beta_again(n) - number(PRINTED[n])
        return (number(CLOSE) ** 2 - difference**2) * SCALE

    return {
        "parameters": {"n": str(n), "count": str(n), "ε": "4/5", "δ": "4/5"},
        "shows": f"(5·10⁻¹⁴)² > (β − {PRINTED[n]})², times 10²⁸",
        "margin": margin,
        "again": again,
    }


def _differs(n: int, count: int) -> dict[str, Any]:
    """Return the fields of a fact: β with ``count`` is below the number of the caption of n."""
    return {
        "parameters": {"n": str(n), "count": str(count), "ε": "4/5", "δ": "4/5"},
        "shows": f"{PRINTED[n]} − β > 5·10⁻¹⁴",
        "margin": lambda: real(PRINTED[n]) - _beta(count) - real(CLOSE),
        "again": lambda: number(PRINTED[n]) - _beta_again(count) - number(CLOSE),
    }


def _negative_bound() -> Real:
    """Return (n + 1)·exp(ε/(2(1 − e^λ))) − δ/2 at λ = −ln 2, n = 2, ε = 4/5, δ = 1/2000."""
    return real(3) * real("exp(4/5)") - real("1/4000")


def _negative_bound_again() -> Any:
    from mpmath import exp, mpf

    return 3 * exp(number("4/5") / (2 * (1 - mpf(1) / 2))) - number("1/4000")


def _candidates_bound() -> Real:
    """Return |R|·exp(ε/(2(1 − e^β))) − δ/2 = (|R|/(n + 1) − 1)·δ/2 at n = 2, k = 3."""
    exponent = real("4/5") / (real(2) * (ONE - (ONE - real("2/5") / real("ln(1/12000)"))))
    return real(comb(4, 2)) * exponent.exp() - real("1/4000")


def _candidates_bound_again() -> Any:
    from mpmath import exp

    rate = exp(beta_rate(number("4/5"), number("1/2000"), 3))
    return 6 * exp(number("4/5") / (2 * (1 - rate))) - number("1/4000")


def _turned_round() -> list[Any]:
    """Return 1 − ε/(2·ln(δ/(2(n + 1)))) and the same with the logarithm of the inverse."""
    from sympy import Symbol, expand_log, log

    epsilon, delta, count = (Symbol(name, positive=True) for name in ("epsilon", "delta", "N"))
    inner = expand_log(log(delta / (2 * count)), force=True)
    inverse = expand_log(log(2 * count / delta), force=True)
    return [1 - epsilon / (2 * inner), 1 + epsilon / (2 * inverse)]


def _bound_at_beta() -> list[Any]:
    """Return N·exp(ε/(2(1 − t))) at t = 1 − ε/(2·ln(δ/(2N))), and δ/2."""
    from sympy import Symbol, exp, log

    epsilon, delta, count = (Symbol(name, positive=True) for name in ("epsilon", "delta", "N"))
    rate = 1 - epsilon / (2 * log(delta / (2 * count)))
    return [count * exp(epsilon / (2 * (1 - rate))), delta / 2]


def _far_mass(law: Law) -> Any:
    """Return P(u ≤ S/(1 − e^β)) − δ/2."""
    return law.far_mass(law.sensitivity / (law.rate - 1)) - law.delta / 2


_FOUR = Setting(n=1, epsilon="21/5", delta="1/2", prior=(Fraction(1),) * 4)
_FAR = both(_FOUR, _far_mass, (1, 0, 0, 0))

CLAIMS = (
    Claim(
        id="beta-positive",
        typed=forall(
            "real eps delta, natural n",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "n >= 1",
            holds="log(1 - eps/(2*log(delta/(2*(n + 1))))) > 0",
        ),
        source="N §2.3.1, last line; §2.3.3",
        statement="β = ln(1 − ε/(2·ln(δ/(2(n+1))))) is defined and positive",
        formula="∀ ε > 0, 0 < δ < 1, n ≥ 1: β(ε, δ, n) > 0.  More exactly, for ε > 0 and δ > 0: "
        "β is defined and > 0 ⟺ δ < 2(n + 1)",
        domain="ε > 0, 0 < δ < 1, n ≥ 1",
        evidence=(
            BETA_POSITIVE,
            POSITIVE,
            Identity(
                title="with the inverse in the logarithm, 1 plus a positive number",
                role=Role.LEMMA,
                chain=_turned_round,
                shown=("1 − ε/(2·ln(δ/(2N)))", "1 + ε/(2·ln(2N/δ))"),
            ),
            SMTProof(
                title="for δ > 2(n + 1), ℓ > 0 and B < 1",
                role=Role.ILLUSTRATES,
                hypotheses=("l > 0", "epsilon > 0", "2*l*B == 2*l - epsilon"),
                goal="B < 1",
            ),
            Fact(
                title="at ε = 0, which N §2.3.2 allows, β is 0",
                role=Role.ILLUSTRATES,
                parameters={"ε": "0", "δ": "1/2000", "n": "2"},
                shows="β = ln(1) = 0",
                margin=(ONE - real(0) / (real(2) * real("ln(1/12000)"))).ln,
                again=lambda: beta_rate(number(0), number("1/2000"), 3),
                tie=True,
            ),
        ),
        derivation="0 < δ/(2(n + 1)) < 1 as δ < 1 < 2(n + 1), so ℓ = ln(δ/(2(n + 1))) < 0; then "
        "B = 1 − ε/(2ℓ) > 1 and β = ln B > 0.  The condition is sharp: at δ = 2(n + 1) there is "
        "a division by 0, above it B < 1 and β is negative or undefined.  Lemmas 2.1 and 2.2 say "
        "|δ| < 1 and ε ≥ 0: for δ ≤ 0 the logarithm is undefined, for ε = 0 β is 0.",
    ),
    Claim(
        id="beta-bound",
        typed=forall(
            "real eps delta l, natural n",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "n >= 1",
            "l > 0",
            "l <= log(1 - eps/(2*log(delta/(2*(n + 1)))))",
            holds="(n + 1)*exp(eps/(2*(1 - exp(l)))) <= delta/2",
        ),
        source="N §2.3.3, proof of Lemma 2.2, last step of the case λ > 0",
        statement="λ ≤ β makes the bound (n + 1)·exp(ε/(2(1 − e^λ))) at most δ/2",
        formula="∀ n ≥ 1, ε > 0, 0 < δ < 1, 0 < λ ≤ β: (n + 1)·exp(ε/(2(1 − e^λ))) ≤ δ/2, with "
        "equality at λ = β",
        domain="the case λ > 0 in which it is used; n ≥ 1, ε > 0, 0 < δ < 1",
        step_of="dilation-literal",
        evidence=(
            BETA_BOUND,
            BOUNDED,
            Identity(
                title="the bound at λ = β is δ/2, N = n + 1",
                role=Role.LEMMA,
                chain=_bound_at_beta,
                shown=("N·exp(ε/(2(1 − e^β))), e^β = 1 − ε/(2·ln(δ/(2N)))", "δ/2"),
            ),
            SMTProof(
                title="equality at t = B",
                role=Role.ILLUSTRATES,
                hypotheses=("l < 0", "epsilon > 0", "2*l*B == 2*l - epsilon", "2*(1-B)*X==epsilon"),
                goal="X == l",
            ),
            Fact(
                title="λ must be positive: at λ = −ln 2 ≤ β the bound is far above δ/2",
                role=Role.ILLUSTRATES,
                parameters={"n": "2", "ε": "4/5", "δ": "1/2000", "λ": "−ln 2"},
                shows="3·e^(4/5) > δ/2",
                margin=_negative_bound,
                again=_negative_bound_again,
            ),
        ),
        derivation="With t = e^λ and B = e^β the exponent X = ε/(2(1 − t)) is at most ℓ, and "
        "(n + 1)·e^X ≤ (n + 1)·e^ℓ = δ/2.",
    ),
    Claim(
        id="beta-candidates",
        typed=BEYOND,
        holds_on=("k == 2",),
        points=(BEYOND_POINT,),
        source="N §2.3.3 (|R| = n + 1), with the mechanism of N §3.4.1 and Fig. 4 to 9 (k > 2)",
        statement="λ ≤ β makes P(u ≤ S(x)/(1 − e^λ)) at most δ/2 for Dirichlet posteriors too",
        formula="∀ k ≥ 2, n, x, ε > 0, 0 < δ < 1, 0 < λ ≤ β: |R|·exp(ε/(2(1 − e^λ))) ≤ δ/2, and so "
        "P(u(z, x) ≤ S(x)/(1 − e^λ)) ≤ δ/2,  z ~ M_H(x)",
        domain="k ≥ 2 categories, any prior, β with the printed n + 1",
        step_of="dilation-literal",
        evidence=(
            BEYOND_MEANT,
            Counterexample(
                title="the bound: six candidates where β counts three",
                parameters={"n": "2", "k": "3", "ε": "4/5", "δ": "1/2000", "λ": "β"},
                shows="|R|·exp(ε/(2(1 − e^β))) = δ > δ/2",
                margin=_candidates_bound,
                again=_candidates_bound_again,
            ),
            Counterexample(
                title="the probability itself: three candidates at distance S(x)",
                parameters={**_FOUR.parameters, "x": "(1,0,0,0)", "λ": "β"},
                shows="P(u ≤ S(x)/(1 − e^β)) > δ/2",
                margin=_FAR[0],
                again=_FAR[1],
            ),
            SMTProof(
                title=BOUNDED.title,
                hypotheses=BOUNDED.hypotheses,
                goal=BOUNDED.goal,
                domain="k = 2, where |R| = n + 1",
            ),
        ),
        derivation="At λ = β the bound is exactly |R|/(n + 1)·δ/2, and |R| = C(n + k − 1, k − 1) "
        "> n + 1 for every k > 2 and n ≥ 1.",
        repaired="For every k, with |R| in place of n + 1: β = ln(1 − ε/(2·ln(δ/(2|R|)))).",
    ),
    Claim(
        id="beta-captions",
        typed=forall(
            "",
            holds="abs(log(1 - 4/10/log(4/10/101)) - 699407108115/10^13) <= 1/(2*10^13) and "
            "abs(log(1 - 4/10/log(4/10/121)) - 677791100173/10^13) <= 1/(2*10^13) and "
            "abs(log(1 - 4/10/log(4/10/151)) - 677791100173/10^13) <= 1/(2*10^13)",
        ),
        source="N Fig. 4(a), 4(b), 5: the “bound smooth sensitivity” of the captions",
        statement="the captions print the β of §2.3.1: 0.0699407108115 at n = 100, 0.0677791100173 "
        "at n = 120 and at n = 150",
        formula="β = ln(1 − ε/(2·ln(δ/(2(n + 1))))) at ε = δ = 0.8, n = 100, 120, 150",
        domain="the three captions, to the printed digits",
        evidence=(
            *(
                Counterexample(
                    title=f"n = {n}: the n + 1 of the text gives another number",
                    **_differs(n, n + 1),
                )
                for n in PRINTED
            ),
            *(
                Fact(
                    title=f"n = {n}: the number is the β of k = 2 with n for n + 1",
                    role=Role.ILLUSTRATES,
                    **_agrees(n),
                )
                for n in (100, 120)
            ),
        ),
        derivation="The captions come from a β with n where the text has n + 1 (and the prior "
        "DL(7,4,5), k = 3, would need the number of all candidates).",
        repaired="β with n in place of n + 1 gives the captions at n = 100 and n = 120.",
    ),
    Claim(
        id="beta-captions-count",
        typed=forall(
            "natural n",
            "n >= 100",
            "n <= 150",
            "n == 100 or n == 120 or n == 150",
            holds="(n != 100 or abs(log(1 - 4/10/log(4/10/n)) - 699407108115/10^13) <= "
            "1/(2*10^13)) and (n == 100 or abs(log(1 - 4/10/log(4/10/n)) - "
            "677791100173/10^13) <= 1/(2*10^13))",
        ),
        holds_on=("n <= 120",),
        source="N Fig. 4(a), 4(b), 5",
        statement="the captions print β with n in place of n + 1",
        formula="β = ln(1 − ε/(2·ln(δ/(2n)))) at ε = δ = 0.8, n = 100, 120, 150",
        domain="the three captions, to the printed digits",
        evidence=(
            *(
                Fact(
                    title=f"n = {n}: every printed digit",
                    domain="n = 100 and n = 120",
                    **_agrees(n),
                )
                for n in (100, 120)
            ),
            Counterexample(
                title="n = 150: the number is that of n = 120, printed again",
                **_differs(150, 150),
            ),
        ),
        derivation="The caption of Fig. 5 repeats the β, and the sensitivities, of Fig. 4(b).",
    ),
)

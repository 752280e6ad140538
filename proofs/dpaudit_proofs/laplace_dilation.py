"""The dilation property of Laplace noise (D §4.1) for either printed β: where it holds, exactly.

By the facts of :mod:`dpaudit_proofs.laplace_dilation_facts` the property holds for (ε, δ, β)
exactly where

    (1 − e^(−β))·exp(−(β + ε/2)/(e^β − 1)) ≤ δ/2.                                      (*)
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import exp, log

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity
from dpaudit.claims.statement import forall
from dpaudit.numbers.ball import ball
from dpaudit_proofs.definitions import number
from dpaudit_proofs.derived_noise import QUANTILE_THIRD
from dpaudit_proofs.laplace_dilation_facts import (
    AT_THE_END,
    CRITERION_DOMAIN,
    LARGEST_WHEN_SHRINKING,
    LOG_OF_3,
    NO_SET_BEATS,
    QUANTILE,
    SETTLES_SMALL_EPSILON,
    WORST_DILATION,
    criterion,
    dilated_tail,
    mass,
    worst_value,
)

if TYPE_CHECKING:
    from dpaudit.numbers.ball import Ball

__all__ = ["CLAIMS"]


def _within(epsilon: Fraction, delta: Fraction, quantile: int) -> Fact:
    def again() -> Any:
        return -dilated_tail(epsilon, delta, quantile, delta / 2)[1]()

    return Fact(
        title="just inside (*)",
        role=Role.ILLUSTRATES,
        parameters={"ε": str(epsilon), "δ": str(delta)},
        shows="sup over S and |λ| ≤ β of P(z ∈ S) − e^(ε/2)·P(z ∈ e^λ·S) < δ/2",
        margin=lambda: ball(delta / 2) - worst_value(epsilon, delta, quantile),
        again=again,
    )


def _outside(epsilon: Fraction, delta: Fraction, quantile: int) -> Counterexample:
    margin, again = dilated_tail(epsilon, delta, quantile, delta / 2)
    return Counterexample(
        title="a tail of h, dilated by λ = β > 0",
        parameters={
            "ε": str(epsilon),
            "δ": str(delta),
            "λ": f"ε/(2·ln({quantile}/δ))",
            "S": "{|z| > (λ + ε/2)/(e^λ − 1)}",
        },
        shows="P(z ∈ S) > e^(ε/2)·P(z ∈ e^λ·S) + δ/2",
        margin=margin,
        again=again,
    )


def _inner_set(epsilon: Fraction, delta: Fraction) -> Counterexample:
    """Return that an interval around 0, shrunk by λ = −β, breaks the property; β the second."""

    def margin() -> Ball:
        a = ball(epsilon / 2)
        rate = a / ball(2 / delta).log()
        end = (rate - a) / -(-rate).expm1()
        inside = -(-end).expm1() + a.exp() * (-(-rate).exp() * end).expm1()
        return inside - ball(delta / 2)

    def again() -> Any:
        a = number(epsilon) / 2
        rate = a / log(2 / number(delta))
        end = (rate - a) / (1 - exp(-rate))
        shrunk = 2 * mass(0, exp(-rate) * end)
        return 2 * mass(0, end) - exp(a) * shrunk - number(delta) / 2

    return Counterexample(
        title="an interval around 0, shrunk by λ = −β, for the second β",
        parameters={
            "ε": str(epsilon),
            "δ": str(delta),
            "λ": "−β, β = ε/(2·ln(2/δ))",
            "S": "{|z| < (β − ε/2)/(1 − e^(−β))}",
        },
        shows="P(z ∈ S) > e^(ε/2)·P(z ∈ e^λ·S) + δ/2",
        margin=margin,
        again=again,
    )


CLAIMS = (
    Claim(
        id="lap-dilation",
        source="D §4.1",
        statement="P(z ∈ S) ≤ e^(ε/2)·P(z ∈ e^λ·S) + δ/2 for z with density ½·e^(−|z|) and "
        "|λ| ≤ ε/(2·ln(2/δ))",
        formula="∀ S measurable, ∀ |λ| ≤ β = ε/(2·ln(2/δ)): P(z ∈ S) ≤ e^(ε/2)·P(z ∈ e^λ·S) + δ/2",
        domain="all ε > 0, 0 < δ < 1 (no range of ε is printed)",
        evidence=(
            _outside(Fraction(77, 10), Fraction(1, 2000), 2),
            _outside(Fraction(273, 100), Fraction(9999, 10000), 2),
            _within(Fraction(769, 100), Fraction(1, 2000), 2),
            *criterion(f"{CRITERION_DOMAIN}, β = ε/(2·ln(2/δ))"),
            *SETTLES_SMALL_EPSILON,
            AT_THE_END,
        ),
        derivation="Facts 1 to 3 give “exactly where (*)”.  (*) at r = e^β, a = βL reads "
        "N ≥ a·G; A = N/G falls and β = a/L < a/ln 2, so A(β) > A(a/ln 2), which for a ≤ 34/25 is "
        "≥ A(34/(25·ln 2)) > 34/25 ≥ a.  The range ends at ε*(δ), which falls with δ from ∞ to "
        "ε*(1) = 2.7245…; at the notes' δ = 0.0005 it is 7.69…  For ε < 1, the "
        "usual range, nothing is lost.  The dilation λ > 0 is the hard direction, whatever δ; for "
        "λ < 0 the ratio of the densities is at most e^|λ|, which δ ≤ 2/e keeps below e^(ε/2).",
        repaired="It holds exactly where (1 − e^(−β))·exp(−(β + ε/2)/(e^β − 1)) ≤ δ/2: for every "
        "δ < 1 if ε ≤ 2.72, up to ε = 7.69 at δ = 0.0005.",
    ),
    Claim(
        id="lap-dilation-rho",
        source="D §4.1",
        statement="the same with the first printed β = ε/(2·ρ_(δ/3)(|z|)) = ε/(2·ln(3/δ))",
        formula="∀ S measurable, ∀ |λ| ≤ β = ε/(2·ln(3/δ)): P(z ∈ S) ≤ e^(ε/2)·P(z ∈ e^λ·S) + δ/2",
        domain="all ε > 0, 0 < δ < 1 (no range of ε is printed)",
        evidence=(
            _outside(Fraction(10), Fraction(1, 2000), 3),
            _outside(Fraction(5), Fraction(9, 10), 3),
            _within(Fraction(9), Fraction(1, 2000), 3),
            *criterion(f"{CRITERION_DOMAIN}, β = ε/(2·ln(3/δ))"),
            *SETTLES_SMALL_EPSILON,
            AT_THE_END,
        ),
        derivation="That ρ_(δ/3)(|z|) = ln(3/δ) is lap-dilation-quantile.  Facts 1 to 3 hold for "
        "any β.  This β is below ε/(2·ln(2/δ)), so the property holds wherever lap-dilation does; "
        "the proof that D prints works with this one.",
        repaired="As lap-dilation, with β = ε/(2·ln(3/δ)) in (*).",
    ),
    Claim(
        id="lap-dilation-quantile",
        typed=forall(
            "real delta",
            "delta > 0",
            "delta < 1",
            holds="1 - (F_lap(1, log(3/delta)) - F_lap(1, -log(3/delta))) == delta/3",
        ),
        source="D §4.1, the two β and case 1",
        step_of="lap-dilation-rho",
        statement="the quantile ρ_(δ/3)(|z|) of the first β is ln(3/δ), as case 1 has it",
        formula="∀ δ ∈ (0,1): P(|z| > ln(3/δ)) = δ/3",
        domain="0 < δ < 1; ρ_α(|z|) the (1 − α)-quantile of |z|",
        evidence=(
            QUANTILE_THIRD,
            Identity(title=QUANTILE.title, chain=QUANTILE.chain, shown=QUANTILE.shown),
        ),
        derivation="At c = 3.  The distribution function of |z| is continuous and strictly "
        "increasing on [0, ∞), so the quantile is the one point with this tail.  D does not say "
        "what ρ is; read as the δ/3-quantile it would be ln(1/(1 − δ/3)), which case 1 does "
        "not use.",
    ),
    Claim(
        id="lap-dilation-negative",
        source="D §4.1, case 2",
        step_of="lap-dilation",
        statement="what case 2 arrives at: the dilation property for λ < 0",
        formula="∀ S measurable, ∀ −β ≤ λ < 0: P(z ∈ S) ≤ e^(ε/2)·P(z ∈ e^λ·S) + δ/2",
        domain="all ε > 0, 0 < δ < 1, β either of the two printed, ε/(2·ln(3/δ)) and ε/(2·ln(2/δ))",
        evidence=(
            _inner_set(Fraction(9), Fraction(99, 100)),
            replace(
                LARGEST_WHEN_SHRINKING,
                role=Role.PROVES,
                domain="exactly β ≤ ε/2 (always for β = ε/(2·ln(3/δ)); δ ≤ 2/e for β = "
                "ε/(2·ln(2/δ))) or 1 − γ + (r − 1)·(γ/r)^(r/(r−1)) ≤ δ/2, γ = e^(ε/2), r = e^β",
            ),
            NO_SET_BEATS,
            WORST_DILATION,
            LOG_OF_3,
        ),
        derivation="Fact 1 makes λ = −β the worst.  If β ≤ ε/2, that is r ≤ γ, {h > γ·h′} is empty "
        "and the property holds without δ; the first β is always that small, because ln(3/δ) > "
        "ln 3 > 1.  Otherwise the largest difference is D₋(γ, r), taken at S = {|z| < "
        "r·ln(r/γ)/(r − 1)}.  So the conclusion is true for the β that the proof works with, "
        "though its steps 12 and 13 are not; for the second β, δ near 1 and a large ε break it.",
        repaired="It holds for the first β, and for the second one if δ ≤ 2/e.",
    ),
)

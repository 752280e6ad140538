"""The factor that L gives vectors of noises, and what the printed Laplace columns are.

L's 1/(|S_noise|!·2^|L_noise/0|) has a power of two for the signs of the noises, which is right for
noise rounded toward zero, and a factorial for their orderings, which is not: the noises are
independent and the vector is ordered, so its probability is the plain product.  The columns that
N §3.4.1 and L §4.3.1 print are that product, summed over the candidates at equal distance H.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mpf

from dpaudit.claims.algebra import Identity
from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.exact.ball import ball
from dpaudit.exact.real import ONE, ZERO, Real, real
from proofs.definitions import number
from proofs.laplace_noise import (
    AT,
    POSITIVE_BIN,
    between,
    bin_of_size,
    floor_mass,
    truncated_mass,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.exact.ball import Ball

__all__ = ["CLAIMS", "TABLE_ROWS", "factor", "table_row"]


def factor(noises: Sequence[int], *, zero_counts: bool) -> Fraction:
    """Return 1/(|S_noise|!·2^|L_noise/0|) as L defines it, 0 counted in S_noise or not."""
    from math import factorial

    different = {abs(j) for j in noises} - (set() if zero_counts else {0})
    return Fraction(1, factorial(len(different)) * 2 ** sum(j != 0 for j in noises))


TABLE_ROWS: dict[str, tuple[str, tuple[tuple[int, ...], ...]]] = {
    "DL(21,21,21), step 1": (
        "0.170131188571",
        ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)),
    ),
    "DL(21,21,21), step 2": ("0.0285774941516", ((-1, -1), (-1, 2), (2, -1))),
    "DL(21,21,21), last step": ("3.05988187701e-09", ((-20, -20), (-20, 40), (40, -20))),
    "DL(2,2,2,51), step 1": ("0.0360289071389", ((0, 0, 1), (0, 1, 0), (1, 0, 0))),
    "DL(2,2,2,51), step 2": ("0.0360289071389", ((0, 0, -1), (0, -1, 0), (-1, 0, 0))),
    "DL(2,2,2,51), last step": ("6.16388940464e-11", ((3, 3, 42), (3, 42, 3), (42, 3, 3))),
}
"""Printed probabilities (L §4.3.1, N §3.4.1) with the noises that lead to the row's candidates."""


def table_row(noises: Sequence[tuple[int, ...]], zero_counts: bool | None) -> Real:
    """Return the row's probability: by the plain product, or by L's formula with its factor."""
    total = ZERO
    for noise in noises:
        product = ONE
        for j in noise:
            product *= truncated_mass(j) if zero_counts is None else bin_of_size(abs(j))
        if zero_counts is not None:
            product *= real(factor(noise, zero_counts=zero_counts))
        total += product
    return total


def _truncated_between(j: int) -> Any:
    return between(-1, 0) + between(0, 1) if j == 0 else between(abs(j), abs(j) + 1)


def _row_again(noises: Sequence[tuple[int, ...]]) -> Any:
    total = mpf(0)
    for noise in noises:
        product = mpf(1)
        for j in noise:
            product *= _truncated_between(j)
        total += product
    return total


def _reproduced(row: str) -> Fact:
    """Return that the plain product gives the printed row to half a unit of its last digit."""
    printed, noises = TABLE_ROWS[row]
    mantissa, _, power = printed.partition("e")
    places = len(mantissa.partition(".")[2]) - int(power or 0)
    unit = Fraction(1, 2 * 10**places)
    value = Fraction(printed)

    def margin() -> Ball:
        return ball(unit) - abs((table_row(noises, None) - real(value)).ball())

    def again() -> Any:
        return number(unit) - abs(_row_again(noises) - number(value))

    return Fact(
        title=f"{row}: the product of the halves, rounded toward zero, gives the printed number",
        role=Role.ILLUSTRATES,
        parameters=AT,
        shows=f"|Σ Π P(Lap_i) − {printed}| < ½ unit of its last digit",
        margin=margin,
        again=again,
    )


def _normalisation() -> list[Any]:
    from sympy import Rational, symbols

    t = symbols("t", positive=True)
    half = Rational(1, 2)
    equal = (1 - t) ** 2 / (1 - t**2)
    return [equal + half * (1 - equal), 1 / (1 + t)]


def _step_two(zero_counts: bool) -> Real:
    return table_row(TABLE_ROWS["DL(21,21,21), step 2"][1], zero_counts)


def _step_two_again() -> Any:
    a, b = 2 * between(1, 2), 2 * between(2, 3)  # the masses of |noise| = 1 and 2
    return a * a / 4 + 2 * a * b / (2 * 4)


CLAIMS = (
    Claim(
        id="lap-orderings",
        source="L §4.3.1",
        statement="the probability of a vector of noises is that of the vector of their absolute "
        "values times 1/(|S_noise|!·2^|L_noise/0|)",
        formula="P(Lap_1, …, Lap_(m−1)) = 1/(|S_noise|!·2^|L_noise/0|)·Π P(|Lap_i| ≤ |Y| < "
        "|Lap_i| + 1);  S_noise the set of the |Lap_i|, L_noise/0 the list of those that are not 0",
        domain="all m ≥ 2, all ε > 0, all integer noises; noise rounded by floor (as printed) or "
        "toward zero (as the tables), 0 counted in S_noise (as defined) or not (as used)",
        evidence=(
            Counterexample(
                title="two different noises: the formula gives half of the probability",
                parameters={**AT, "m": "3", "noise": "(1, 2)"},
                shows="P(1, 2) > (1/(2!·2²))·P(1 ≤ |Y| < 2)·P(2 ≤ |Y| < 3)",
                margin=lambda: (
                    floor_mass(1) * floor_mass(2)
                    - real(factor((1, 2), zero_counts=True)) * bin_of_size(1) * bin_of_size(2)
                ),
                again=lambda: between(1, 2) * between(2, 3) - between(1, 2) * between(2, 3) * 4 / 8,
            ),
            POSITIVE_BIN,
            SumOfProducts(
                title="there, and for every ε, floor and rounding toward zero alike",
                role=Role.LEMMA,
                goal="(1 - t)*t/2*((1 - t)*t^2/2) - (1 - t)*t*(1 - t)*t^2/8",
                hypotheses=("t", "1 - t"),
                products=(("1/8", ("t", "t", "t", "1 - t", "1 - t")),),
                strict=True,
                positive=("t", "1 - t"),
            ),
            Identity(
                title="one absolute value only: the factor is 2^(−|L_noise/0|), one half a noise",
                domain="all |Lap_i| equal, so always for m = 2, rounded toward zero; rounded by "
                "floor, all Lap_i equal and ≥ 1",
                chain=POSITIVE_BIN.chain,
                shown=POSITIVE_BIN.shown,
            ),
            Identity(
                title="for m = 3 the formula (0 counted in S_noise) adds up to 1/(1 + t), not to 1",
                role=Role.ILLUSTRATES,
                chain=_normalisation,
                shown=(
                    "Σ_(|a| = |b|) (1 − t)²·t^(|a|+|b|) + ½·(the rest)",
                    "1/(1 + t)",
                ),
            ),
        ),
        derivation="The noises are independent, so an ordered vector has the product of the "
        "probabilities; a factorial counts the orderings of an unordered group, which this is not. "
        "Rounded toward zero, the true factor is 2^(−|L_noise/0|): the printed one is too small by "
        "|S_noise|!, right exactly where |S_noise| ≤ 1.  By floor a noise of 0 has half its bin "
        "and a negative one 1/t times as much, which the formula does not know either.  The second "
        "line of the display drops the absolute value of Lap(2/ε); that halves every factor once "
        "more and leaves 1/8 of the truth at the counterexample.",
        repaired="P(Lap_1, …, Lap_(m−1)) = 2^(−|L_noise/0|)·Π P(|Lap_i| ≤ |Y| < |Lap_i| + 1) for "
        "noise rounded toward zero.",
    ),
    Claim(
        id="lap-orderings-table",
        source="L §4.3.1, the tables for DL(21,21,21) and DL(2,2,2,51)",
        statement="the Laplace columns come from the formula with 1/(|S_noise|!·2^|L_noise/0|)",
        formula="0.0285774941516 = Σ over the noises (−1,−1), (−1,2), (2,−1) of the formula",
        domain="the rows of the tables, ε = 4/5",
        evidence=(
            Counterexample(
                title="step 2 of DL(21,21,21): the formula gives 0.02039…",
                parameters={**AT, "row": "H = 0.187421762881"},
                shows="0.0285774941516 > (1 − t)²/4·(t² + t³)",
                margin=lambda: real("0.0285774941516") - _step_two(True),
                again=lambda: number("0.0285774941516") - _step_two_again(),
            ),
            *(_reproduced(row) for row in TABLE_ROWS),
        ),
        derivation="In that row no noise is 0, so both ways to count 0 give the same; the second "
        "line of L's display, without absolute values, gives a quarter of that.  The columns are "
        "the plain product of the halves with noise rounded toward zero on the first m − 1 "
        "coordinates, summed over the candidates of equal H: neither L's factor nor the shifted "
        "bins of N §3.4.1.  The last row of DL(2,2,2,51) is that of the counts (4,4,43,2), or of "
        "(5,5,41,2), which have the same probability and the same twelve digits of H; H grows "
        "further beyond it.",
        repaired="The columns are Σ Π 2^(−[Lap_i ≠ 0])·P(|Lap_i| ≤ |Y| < |Lap_i| + 1).",
    ),
    Claim(
        id="lap-half-split-table",
        source="N §3.4.1, the table for beta(5,5)",
        statement="the Laplace column comes from the split of N §3.4.1, the noise being floor(Y)",
        formula="0.220991081918 = P(⌊Y⌋ = 1) + P(⌊Y⌋ = −1)",
        domain="the row of step 1, ε = 4/5",
        evidence=(
            Counterexample(
                title="the split gives 0.2753… at step 1",
                parameters={**AT, "row": "H = 0.233629480709"},
                shows="P(⌊Y⌋ = 1) + P(⌊Y⌋ = −1) > 0.220991081918",
                margin=lambda: floor_mass(1) + floor_mass(-1) - real("0.220991081918"),
                again=lambda: between(1, 2) + between(-1, 0) - number("0.220991081918"),
            ),
            Fact(
                title="rounding toward zero gives the printed number",
                role=Role.ILLUSTRATES,
                parameters=AT,
                shows="|(1 − t)·t − 0.220991081918| < ½ unit of its last digit",
                margin=lambda: (
                    real("5e-13").ball() - abs((bin_of_size(1) - real("0.220991081918")).ball())
                ),
                again=lambda: mpf("5e-13") - abs(2 * between(1, 2) - number("0.220991081918")),
            ),
        ),
        derivation="The value is that of either reading of the shift, |Lap_i| ≥ 1 being unaffected "
        "by the lost case Lap_i = 0.",
        repaired="The column is (1 − t)·t^j at step j: noise rounded toward zero.",
    ),
    Claim(
        id="lap-orderings-zero",
        source="L §4.3.1",
        statement="at 0 steps |S_noise| = |L_noise/0| = 0",
        formula="∀ m ≥ 2: Lap_1 = … = Lap_(m−1) = 0 ⟹ |S_noise| = 0 and |L_noise/0| = 0",
        domain="all m ≥ 2; S_noise obtained from the list of the |Lap_i| by removing duplicates",
        evidence=(
            Counterexample(
                title="S_noise is {0}, which has one element",
                parameters={"noise": "(0, 0)"},
                shows="|S_noise| > 0",
                margin=lambda: real(len({abs(j) for j in (0, 0)})),
                again=lambda: mpf(len({abs(j) for j in (0, 0)})),
            ),
        ),
        derivation="Harmless where it is used, since 0! = 1!; but with 0 counted the factor of "
        "(1, 0) is 1/(2!·2), without it 1/2, and only the latter gives step 1 of DL(21,21,21).",
        repaired="|S_noise| = 1 and |L_noise/0| = 0.",
    ),
)

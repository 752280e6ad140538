"""What the printed Laplace columns are: products of halved bins, with noise rounded toward zero.

The columns of N §3.4.1 and L §4.3.1 are P(Lap_1)·…·P(Lap_(m−1)) for noise rounded toward zero on
the first m − 1 coordinates, summed over the candidates at equal distance H.  They come neither from
the shifted bins of N §3.4.1 nor from L's factor (:mod:`dpaudit_proofs.laplace_orderings`).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mpf

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Sweep
from dpaudit.claims.statement import forall
from dpaudit.numbers.ball import Sign, ball, decide_sign
from dpaudit.numbers.real import ONE, ZERO, Real, real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.laplace_noise import AT, between, bin_of_size, floor_mass, truncated_mass
from dpaudit_proofs.laplace_orderings import factor
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.numbers.ball import Ball

__all__ = ["CLAIMS", "LAST", "SURE", "TABLE_ROWS", "reproduced", "table_row"]


TABLE_ROWS: dict[str, tuple[str, tuple[tuple[int, ...], ...]]] = {
    "beta(5,5), step 0": ("0.329679953964", ((0,),)),
    "beta(5,5), step 1": ("0.220991081918", ((1,), (-1,))),
    "beta(5,5), step 2": ("0.148134752205", ((2,), (-2,))),
    "beta(5,5), step 3": ("0.0992976939175", ((3,), (-3,))),
    "beta(5,5), step 4": ("0.066561234758", ((4,), (-4,))),
    "DL(21,21,21), step 0": ("0.108688872046", ((0, 0),)),
    "DL(21,21,21), step 1": (
        "0.170131188571",
        ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)),
    ),
    "DL(21,21,21), step 2": ("0.0285774941516", ((-1, -1), (-1, 2), (2, -1))),
    "DL(21,21,21), last step": ("3.05988187701e-09", ((-20, -20), (-20, 40), (40, -20))),
    "DL(2,2,2,51), step 0": ("0.0358325423325", ((0, 0, 0),)),
    "DL(2,2,2,51), step 1": ("0.0360289071389", ((0, 0, 1), (0, 1, 0), (1, 0, 0))),
    "DL(2,2,2,51), step 2": ("0.0360289071389", ((0, 0, -1), (0, -1, 0), (-1, 0, 0))),
    "DL(2,2,2,51), last step": ("6.16388940464e-11", ((3, 3, 42), (3, 42, 3), (42, 3, 3))),
}
"""All printed probabilities (L §4.3.1, N §3.4.1) with the noises that lead to the row's candidates.

The first two tables are in N and in L, the third only in L.
"""


LAST = "DL(2,2,2,51), last step"
"""The row whose two columns do not belong to the same candidates (tables-last-row)."""

SURE = tuple(row for row in TABLE_ROWS if row != LAST)
"""The rows whose candidates are certain."""


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


def _printed(row: str) -> tuple[Fraction, Fraction]:
    """Return the printed value and half a unit of its last digit."""
    text = TABLE_ROWS[row][0]
    mantissa, _, power = text.partition("e")
    places = len(mantissa.partition(".")[2]) - int(power or 0)
    return Fraction(text), Fraction(1, 2 * 10**places)


def _distance_to_print(row: str) -> Callable[[], Ball]:
    value, unit = _printed(row)
    noises = TABLE_ROWS[row][1]
    return lambda: ball(unit) - abs((table_row(noises, None) - real(value)).ball())


def reproduced(row: str) -> Fact:
    """Return that the plain product gives the printed row to half a unit of its last digit."""
    text, noises = TABLE_ROWS[row]
    value, unit = _printed(row)
    return Fact(
        title=f"{row}: the product of the halves, rounded toward zero, gives the printed number",
        role=Role.LEMMA,
        parameters=AT,
        shows=f"|Σ Π P(Lap_i) − {text}| < ½ unit of its last digit",
        margin=_distance_to_print(row),
        again=lambda: number(unit) - abs(_row_again(noises) - number(value)),
    )


def _all_rows() -> tuple[int, str]:
    for row in SURE:
        if decide_sign(_distance_to_print(row), start=128, cap=1024) is not Sign.POSITIVE:
            return len(SURE), row
    return len(SURE), ""


def _step_two(zero_counts: bool) -> Real:
    return table_row(TABLE_ROWS["DL(21,21,21), step 2"][1], zero_counts)


def _step_two_again() -> Any:
    a, b = 2 * between(1, 2), 2 * between(2, 3)  # the masses of |noise| = 1 and 2
    return a * a / 4 + 2 * a * b / (2 * 4)


def _written(j: int) -> str:
    """Return 2^(−[j ≠ 0])·P(|j| ≤ |Y| < |j| + 1) as a term."""
    bins = f"F_lap(5/2, {j + 1}) - F_lap(5/2, {j}) + F_lap(5/2, {-j}) - F_lap(5/2, {-j - 1})"
    return f"({bins})/2" if j else f"({bins})"


def _typed_row(row: str) -> str:
    """Return that the products of the row's noises add up to what is printed."""
    value, unit = _printed(row)
    sizes = Counter(tuple(sorted(map(abs, noise))) for noise in TABLE_ROWS[row][1])
    products = ("*".join([str(times), *map(_written, noise)]) for noise, times in sizes.items())
    return f"abs({' + '.join(products)} - {value}) < {unit}"


CLAIMS = (
    Claim(
        id="lap-orderings-table",
        **REFUTED["lap-orderings-table"],
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
        ),
        derivation="In that row no noise is 0, so both ways to count 0 give the same; the second "
        "line of L's display, without absolute values, gives a quarter of that.",
        repaired="The columns are Σ Π 2^(−[Lap_i ≠ 0])·P(|Lap_i| ≤ |Y| < |Lap_i| + 1): lap-tables.",
    ),
    Claim(
        id="lap-half-split-table",
        typed=forall(
            "",
            holds="abs(F_lap(5/2, 2) - F_lap(5/2, 1) + F_lap(5/2, 0) - F_lap(5/2, -1) - "
            "220991081918/10^12) <= 1/(2*10^12)",
        ),
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
        ),
        derivation="The value is that of either reading of the shift, |Lap_i| ≥ 1 being unaffected "
        "by the lost case Lap_i = 0.",
        repaired="The column is (1 − t)·t^j at step j: noise rounded toward zero.",
    ),
    Claim(
        id="lap-tables",
        typed=forall("", holds=" and ".join(_typed_row(row) for row in SURE)),
        source="N §3.4.1 and L §4.3.1, the Laplace columns of all tables",
        statement="every printed entry is the product of the halved bins for noise rounded toward "
        "zero on the first m − 1 coordinates, summed over the row's candidates",
        formula="∀ rows: |Σ Π 2^(−[Lap_i ≠ 0])·P(|Lap_i| ≤ |Y| < |Lap_i| + 1) − printed| < ½ unit "
        "of the last printed digit",
        domain="the rows of beta(5,5), DL(21,21,21) and DL(2,2,2,51), ε = 4/5, but for the last of "
        "these (tables-last-row)",
        evidence=(
            Sweep(
                title="every row",
                role=Role.PROVES,
                bound="12 rows of the three tables",
                run=_all_rows,
            ),
            *(reproduced(row) for row in SURE),
        ),
        derivation="Which noises lead to the candidates at a printed distance is found by "
        "computing all distances.  No clamping: the columns do not add up to 1.  The first two "
        "tables are the same in N and L.",
    ),
)

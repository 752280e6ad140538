"""What the tables' columns “our exponential mechanism” are: not M_H, and what follows for the text.

M_H (N Def. 2.1) draws r with probability ∝ exp(−ε·H(x, r)/(2·S_β(x))).  The columns of N §3.4.1 and
L §4.3.1 are ∝ exp(−ε·H(x, r)/LS(x)), summed over a row's candidates: without the 2, and with the
local sensitivity in place of the smooth one.  That mechanism is the one of N §2.2, which the notes
themselves call non-private (there with the 2: em-local-not-dp).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mpmath import exp

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Sweep
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import Sign, ball, decide_sign
from dpaudit.numbers.real import ONE, real
from dpaudit_proofs import definitions
from dpaudit_proofs.accuracy_bounds import Place, ball_exp, weights
from dpaudit_proofs.definitions import number
from dpaudit_proofs.laplace_noise import RATE, between
from dpaudit_proofs.laplace_tables import LAST, SURE, TABLE_ROWS, reproduced
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.data.histograms import Counts
    from dpaudit.numbers.ball import Ball

__all__ = ["CLAIMS", "PRINTED", "entry"]

EPSILON = Fraction(4, 5)

DATA: dict[str, Counts] = {
    "beta(5,5)": (4, 4),
    "DL(21,21,21)": (20, 20, 20),
    "DL(2,2,2,51)": (1, 1, 1, 50),
}
"""The data behind each table; the prior is flat."""

PRINTED: dict[str, str] = {
    "beta(5,5), step 0": "0.37924298484",
    "beta(5,5), step 1": "0.340809715054",
    "beta(5,5), step 2": "0.158265808563",
    "beta(5,5), step 3": "0.0785621424847",
    "beta(5,5), step 4": "0.0431193490585",
    "DL(21,21,21), step 0": "0.0713016293602",
    "DL(21,21,21), step 1": "0.192227323562",
    "DL(21,21,21), step 2": "0.0548161224677",
    "DL(21,21,21), last step": "0.000149705644585",
    "DL(2,2,2,51), step 0": "0.000252512987228",
    "DL(2,2,2,51), step 1": "0.000464587461035",
    "DL(2,2,2,51), step 2": "0.000388935212208",
    "DL(2,2,2,51), last step": "0.000213865923868",
}
"""The printed probabilities of “our exponential mechanism”, by the rows of the Laplace columns."""


def _outputs(row: str) -> tuple[Counts, list[Counts]]:
    """Return the data of a row and its candidates, those that the row's noises lead to."""
    x = DATA[row.partition(", ")[0]]
    first = [tuple(c + j for c, j in zip(x, noise, strict=False)) for noise in TABLE_ROWS[row][1]]
    return x, [(*counts, sum(x) - sum(counts)) for counts in first]


def _one_step(x: Counts) -> list[Counts]:
    moves = [(i, j) for i in range(len(x)) for j in range(len(x)) if i != j and x[j] > 0]
    return [tuple(c + (h == i) - (h == j) for h, c in enumerate(x)) for i, j in moves]


def entry(row: str) -> Ball:
    """Return Σ P(r) over a row's candidates, P(r) ∝ exp(−ε·H(x, r)/LS(x)), in balls."""
    x, outputs = _outputs(row)
    metric = HellingerMetric((Fraction(1),) * len(x))
    worst = metric.between(x, _one_step(x)[0])
    for y in _one_step(x)[1:]:
        worst = worst.max(metric.between(x, y))
    factor = ball(EPSILON) / worst
    kept = [metric.between(x, r) for r in outputs]
    found: Ball = weights(factor, kept, ball_exp) / weights(factor, metric.row(x), ball_exp)
    return found


@lru_cache(maxsize=2)
def _law_again(x: Counts) -> dict[Counts, Any]:
    prior = (Fraction(1),) * len(x)
    worst = max(definitions.posterior_distance(prior, x, y) for y in _one_step(x))
    factor = number(EPSILON) / worst
    far = {
        r: definitions.posterior_distance(prior, x, r)
        for r in definitions.histograms(sum(x), len(x))
    }
    total = weights(factor, list(far.values()), exp)
    return {r: exp(-factor * h) / total for r, h in far.items()}


def _unit(row: str) -> Fraction:
    return Fraction(1, 2 * 10 ** len(PRINTED[row].partition(".")[2]))


def _distance_to_print(row: str) -> Callable[[], Ball]:
    return lambda: ball(_unit(row)) - abs(entry(row) - ball(Fraction(PRINTED[row])))


def _reproduced(row: str) -> Fact:
    def again() -> Any:
        x, outputs = _outputs(row)
        found = sum(_law_again(x)[r] for r in outputs)
        return number(_unit(row)) - abs(found - number(PRINTED[row]))

    return Fact(
        title=f"{row}: with LS(x) and without the 2",
        role=Role.LEMMA,
        parameters={"ε": "4/5"},
        shows=f"|Σ P(r) − {PRINTED[row]}| < ½ unit of its last digit",
        margin=_distance_to_print(row),
        again=again,
    )


def _twice_the_last() -> Fact:
    half = Fraction(PRINTED[LAST]) / 2

    def again() -> Any:
        x, outputs = _outputs(LAST)
        prior = (Fraction(1),) * len(x)
        far = [
            definitions.posterior_distance(prior, x, r)
            for r in definitions.histograms(sum(x), len(x))
        ]
        worst = max(definitions.posterior_distance(prior, x, y) for y in _one_step(x))
        factor = number(EPSILON) / worst
        kept = [definitions.posterior_distance(prior, x, r) for r in outputs]
        found = weights(factor, kept, exp) / weights(factor, far, exp)
        return number("1e-15") - abs(found - number(half))

    return Fact(
        title="the left entry is twice that of (4,4,43,2) and its permutations",
        role=Role.ILLUSTRATES,
        parameters={"ε": "4/5"},
        shows=f"|Σ P(r) − {PRINTED[LAST]}/2| < 1e-15",
        margin=lambda: ball(Fraction(1, 10**15)) - abs(entry(LAST) - ball(half)),
        again=again,
    )


def _typed_row(row: str) -> str:
    """Return that the probabilities of the row's candidates add up to what is printed."""
    x, outputs = _outputs(row)
    flat, data = tuple(1 for _ in x), tuple(x)
    law = f"P_exp(4/5/LS({flat}, {data}), {flat}, {data}, "
    total = " + ".join(f"{law}{tuple(r)})" for r in outputs)
    return f"abs({total} - {Fraction(PRINTED[row])}) < {_unit(row)}"


def _all_rows() -> tuple[int, str]:
    for row in SURE:
        if decide_sign(_distance_to_print(row), start=128, cap=256) is not Sign.POSITIVE:
            return len(SURE), row
    return len(SURE), ""


def _correct_answer(divisor: int, above: Callable[[], Ball], above_again: Callable[[], Any]) -> Any:
    """Return how far P[M_H = BI(x)] at beta(5,5) stays below a value, in balls and in mpmath."""
    place = Place((4, 4))

    def margin() -> Ball:
        factor, distances = place.law()
        total: Ball = weights(factor / divisor, distances, ball_exp)
        return above() - ball(1) / total

    def again() -> Any:
        factor, distances = place.law_again()
        return above_again() - 1 / weights(factor / divisor, distances, exp)

    return margin, again


def _not_printed(divisor: int) -> Counterexample:
    text = PRINTED["beta(5,5), step 0"]
    margin, again = _correct_answer(divisor, lambda: ball(Fraction(text)), lambda: number(text))
    return Counterexample(
        title=f"the correct answer at beta(5,5), divisor {divisor}",
        parameters=Place((4, 4)).parameters(),
        shows=f"{text} > P[M_H(x) = BI(x)]",
        margin=margin,
        again=again,
    )


def _rarer_than_laplace(divisor: int) -> Counterexample:
    margin, again = _correct_answer(
        divisor,
        (ONE - (-real(RATE)).exp()).ball,
        lambda: between(-1, 0) + between(0, 1),
    )
    return Counterexample(
        title=f"the correct answer, noise rounded toward zero, divisor {divisor}",
        parameters=Place((4, 4)).parameters(),
        shows="P(Lap = 0) > P[M_H(x) = BI(x)]",
        margin=margin,
        again=again,
    )


def _ordered(title: str, larger: str, smaller: str) -> Fact:
    return Fact(
        title=title,
        role=Role.LEMMA,
        parameters={"ε": "4/5"},
        shows=f"{larger} > {smaller}",
        margin=lambda: real(larger) - real(smaller),
        again=lambda: number(larger) - number(smaller),
    )


def _compared(title: str, larger: str, smaller: str) -> Counterexample:
    return Counterexample(
        title=title,
        parameters={"ε": "4/5", "table": "DL(21,21,21)"},
        shows=f"{larger} > {smaller}",
        margin=lambda: real(larger) - real(smaller),
        again=lambda: number(larger) - number(smaller),
    )


CLAIMS = (
    Claim(
        id="tables-exponential",
        typed=forall(
            "",
            holds="abs(P_exp(2/5/S_beta((1, 1), log(1 - 4/10/log(1/36000)), (4, 4)), (1, 1), "
            "(4, 4), (4, 4)) - 37924298484/10^11) <= 1/(2*10^11) or "
            "abs(P_exp(4/5/S_beta((1, 1), log(1 - 4/10/log(1/36000)), (4, 4)), (1, 1), "
            "(4, 4), (4, 4)) - 37924298484/10^11) <= 1/(2*10^11)",
        ),
        source="N §3.4.1 and L §4.3.1, the columns “our exponential mechanism”",
        statement="the columns are the probabilities of M_H, the mechanism with smooth sensitivity",
        formula="0.37924298484 = P[M_H(x) = BI(x)] at beta(5,5)",
        domain="the rows of the tables, ε = 4/5, δ = 1/2000 (the notes' own; none is printed "
        "beside the tables); divisor 2 (N Def. 2.1) or 1 (N §3.3)",
        evidence=(_not_printed(1), _not_printed(2)),
        repaired="They are those of P(r) ∝ exp(−ε·H(x, r)/LS(x)): tables-exponential-local.",
        derivation="The smooth sensitivity is larger than LS(x) there, so M_H spreads more.",
    ),
    Claim(
        id="tables-exponential-local",
        typed=forall("", holds=" and ".join(map(_typed_row, SURE))),
        source="new; N §3.4.1 and L §4.3.1, the columns “our exponential mechanism”",
        statement="every printed entry is that of the exponential mechanism with the local "
        "sensitivity, and without the 2",
        formula="∀ rows: |Σ_{r in the row} exp(−ε·H(x, r)/LS(x))/Σ_{r ∈ R} exp(−ε·H(x, r)/LS(x)) − "
        "printed| < ½ unit of the last printed digit",
        domain="the rows of beta(5,5), DL(21,21,21) and DL(2,2,2,51), ε = 4/5, but for the last of "
        "these (tables-last-row)",
        evidence=(
            Sweep(
                title="every row",
                role=Role.PROVES,
                bound="12 rows of the three tables",
                run=_all_rows,
            ),
            *(_reproduced(row) for row in SURE if not row.startswith("DL(2,")),
        ),
        derivation="The candidates of a row are those of its Laplace entry (lap-tables).",
    ),
    Claim(
        id="tables-last-row",
        source="L §4.3.1, the first line of the table for DL(2,2,2,51)",
        statement="the candidates at H = 0.999999999998 have the probabilities 0.000213865923868 "
        "and 6.16388940464e-11",
        domain="ε = 4/5, the mechanisms of the other rows",
        ambiguous="It does not say which candidates: hundreds have an H that rounds to this, each "
        "of probability 0.0000356… in the left column.",
        readings=(
            "The counts (4,4,43,2) and the two permutations of the first three, or (5,5,41,2) and "
            "its: the right entry is right, the left one twice what it should be.",
            "Both, six candidates: the left entry is right, the right one half of what it should "
            "be.",
            "(0,2,47,4) with its six permutations: the left entry is right, and the right one by "
            "L's formula with the factorial; but H is 0.99999999999352….",
            "No other set of all permutations of one candidate has both entries, by the plain "
            "product or by L's formula.",
        ),
        evidence=(replace(reproduced(LAST), role=Role.ILLUSTRATES), _twice_the_last()),
    ),
    Claim(
        id="tables-beta",
        **REFUTED["tables-beta"],
        source="N §3.4.1 and L §4.3.1, beside the table for beta(5,5)",
        statement="at beta(5,5) M_H gives the candidates 0, 1 and 2 steps away a higher "
        "probability than Laplace noise",
        formula="P[M_H(x) = BI(x)] > P(Lap = 0), and likewise 1 and 2 steps away",
        domain="M_H at ε = 4/5, δ = 1/2000, divisor 2 (N Def. 2.1) or 1 (N §3.3)",
        evidence=(_rarer_than_laplace(1), _rarer_than_laplace(2)),
        repaired="The printed columns do compare so; but the left one is not M_H's "
        "(tables-exponential).",
        derivation="Rounded by floor the noise 0 is half as likely; the tables round toward zero "
        "(lap-tables).",
    ),
    Claim(
        id="tables-few-steps",
        typed=forall(
            "",
            holds="170131188571/10^12 > 192227323562/10^12 and "
            "285774941516/10^13 > 548161224677/10^13",
        ),
        source="N §3.4.1, beside the table for DL(21,21,21)",
        statement="good answers, few steps away, have higher probabilities with Laplace noise than "
        "in the left column, whose good and bad answers are about equally likely",
        formula="DL(21,21,21): at 1 and at 2 steps right column > left column",
        domain="the printed rows of the table",
        evidence=(
            _compared("1 step: left against right", "0.192227323562", "0.170131188571"),
            _compared("2 steps: left against right", "0.0548161224677", "0.0285774941516"),
        ),
        repaired="It is so at 0 steps only; L writes this of DL(2,2,2,51), where it is so at 0, 1 "
        "and 2 steps.",
        derivation="And the left column falls from 0.19 to 0.00015, by a factor above 1000.",
    ),
    Claim(
        id="tables-centre-mixed",
        typed=forall(
            "",
            holds="108688872046/10^12 > 713016293602/10^13 and "
            "170131188571/10^12 < 192227323562/10^12 and "
            "285774941516/10^13 < 548161224677/10^13",
        ),
        source="L §4.3.1, beside the table for DL(21,21,21)",
        statement="some good answers, the correct one, are likelier with Laplace noise, and other "
        "good ones in the left column",
        domain="the printed rows of the table",
        evidence=(
            _ordered("0 steps: right against left", "0.108688872046", "0.0713016293602"),
            _ordered("1 step: left against right", "0.192227323562", "0.170131188571"),
            _ordered("2 steps: left against right", "0.0548161224677", "0.0285774941516"),
        ),
    ),
    Claim(
        id="tables-edge-few-steps",
        typed=forall(
            "",
            holds="358325423325/10^13 > 252512987228/10^15 and "
            "360289071389/10^13 > 464587461035/10^15 and "
            "360289071389/10^13 > 388935212208/10^15",
        ),
        source="L §4.3.1, beside the table for DL(2,2,2,51)",
        statement="good answers, few steps away, have higher probabilities with Laplace noise than "
        "in the left column",
        domain="the printed rows of the table",
        evidence=(
            _ordered("0 steps: right against left", "0.0358325423325", "0.000252512987228"),
            _ordered("1 step: right against left", "0.0360289071389", "0.000464587461035"),
            _ordered("2 steps: right against left", "0.0360289071389", "0.000388935212208"),
        ),
    ),
    Claim(
        id="tables-edge-close",
        typed=forall("", holds="464587461035/10^15 < 22/10*213865923868/10^15"),
        source="L §4.3.1, beside the table for DL(2,2,2,51); L §4.3.2, at (1,1,1,77)",
        statement="the probabilities of good and bad answers in the left column are similar, read "
        "as: the largest printed one is less than 2.2 times the smallest",
        domain="the printed rows of the table",
        evidence=(
            _ordered("1 step against the last row", "0.00047050503250960", "0.000464587461035"),
        ),
        derivation="2.2·0.000213865923868 = 0.0004705050325096.  “Similar” names no number; the "
        "entries are sums over as many candidates as a row has, and the last row's is doubtful "
        "(tables-last-row).",
    ),
)

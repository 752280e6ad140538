"""From a distance back to steps: N §3.4.1 and the tables by “Hellinger distance / steps”.

Candidates at different numbers of steps can be at exactly the same distance.  With the prior
(1,1,1) and x = (0, 1, 9), moving one record to (1, 0, 9) and two to (1, 2, 7) give the squared
affinities G(1,2)²·G(2,1)² and G(1,2)²·G(2,3)²·G(10,8)², and G(2,3)²·G(10,8)² = 9π/32 · 8/9 = π/4 =
G(2,1)².  The tables number the distances by rank instead.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Sweep
from dpaudit.claims.statement import forall
from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import ball
from dpaudit.numbers.real import ONE, PI, rational
from dpaudit_proofs.definitions import hamming, number, posterior_distance
from dpaudit_proofs.steps_distance import MIRRORED, printed_as_two_steps
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from dpaudit.claims.claim import Evidence
    from dpaudit.data.histograms import Counts
    from dpaudit.numbers.ball import Ball
    from dpaudit.numbers.real import Real

__all__ = ["CLAIMS", "squared_affinity"]


def _gamma(doubled: int) -> tuple[Fraction, int]:
    """Return r, e with Γ(doubled/2) = r·π^(e/2), exactly."""
    value, start = Fraction(1), 2 - doubled % 2
    for d in range(start, doubled, 2):
        value *= Fraction(d, 2)
    return value, doubled % 2


def squared_affinity(x: Counts, r: Counts) -> tuple[Fraction, int]:
    """Return q, e with (1 − H(x, r)²)² = q·π^e under the flat prior, exactly."""
    square, power = Fraction(1), 0
    for c, d in zip(x, r, strict=True):
        middle, halves = _gamma(c + d + 2)
        square *= middle**2 / (_gamma(2 * c + 2)[0] * _gamma(2 * d + 2)[0])
        power += halves
    return square, power


def _steps_at_a_distance(k: int, largest: int) -> tuple[int, str]:
    """Look for candidates at one distance from x but at different numbers of steps."""
    cases = 0
    for n in range(1, largest + 1):
        space = list(Histograms(n, k))
        for x in space:
            steps: dict[tuple[Fraction, int], int] = {}
            for r in space:
                cases += 1
                if steps.setdefault(squared_affinity(x, r), hamming(x, r)) != hamming(x, r):
                    return cases, f"x = {x}, r = {r}"
    return cases, ""


_CENTRE, _ONE_STEP, _TWO_STEPS = (0, 1, 9), (1, 0, 9), (1, 2, 7)


def _coincidence() -> Real:
    """Return (1 − H(x, r)²)² − (1 − H(x, r′)²)², a rational multiple of π²."""
    (first, e), (second, f) = (squared_affinity(_CENTRE, r) for r in (_ONE_STEP, _TWO_STEPS))
    return (rational(first) - rational(second)) * PI * PI if e == f == 2 else ONE


def _coincidence_again() -> Any:
    flat = (Fraction(1),) * 3
    first, second = (posterior_distance(flat, _CENTRE, r) for r in (_ONE_STEP, _TWO_STEPS))
    return (1 - first**2) ** 2 - (1 - second**2) ** 2


def _row(steps: int, printed: str) -> Evidence:
    """One row of the first table of N §3.4.1: the distance at ``steps`` from beta(5, 5)."""
    flat, x, r = (Fraction(1), Fraction(1)), (4, 4), (4 + steps, 4 - steps)
    value, decimals = Fraction(printed), len(printed.partition(".")[2])
    half_unit = Fraction(1, 2 * 10**decimals)

    def margin() -> Ball:
        return ball(half_unit) - abs(HellingerMetric(flat).between(x, r) - ball(value))

    def again() -> Any:
        return number(half_unit) - abs(posterior_distance(flat, x, r) - number(value))

    return Fact(
        title=f"{steps} step(s): {printed}",
        parameters={"x": str(x), "r": str(r), "steps": str(hamming(x, r))},
        shows=f"H(x, r) rounds to {printed}",
        margin=margin,
        again=again,
    )


def _kinds_of_steps() -> tuple[int, str]:
    candidates = list(Histograms(8, 2))
    steps = sorted({hamming((4, 4), r) for r in candidates})
    near = sorted(r for r in candidates if hamming((4, 4), r) == 1)
    right = steps == [0, 1, 2, 3, 4] and near == [(3, 5), (5, 3)]
    return len(candidates), "" if right else f"steps {steps}, one step: {near}"


_LABELLED = printed_as_two_steps()

CLAIMS = (
    Claim(
        id="steps-of-distance",
        typed=forall(  # of three categories, under the flat prior
            "natural n a b r s t u",
            "a + b <= n",
            "r + s <= n",
            "t + u <= n",
            "H((a + 1, b + 1, n - a - b + 1), (r + 1, s + 1, n - r - s + 1)) == "
            "H((a + 1, b + 1, n - a - b + 1), (t + 1, u + 1, n - t - u + 1))",
            holds="abs(a - r) + abs(b - s) + abs(a + b - r - s) == "
            "abs(a - t) + abs(b - u) + abs(a + b - t - u)",
        ),
        points=({"n": "10", "a": "0", "b": "1", "r": "1", "s": "0", "t": "1", "u": "2"},),
        source="N §3.4.1; L §4.3.1",
        statement="every value c of H(BI(x), z) has a corresponding number of steps, "
        "step(H(BI(x), z) = c) = k",
        formula="∀ r, r′ ∈ R: H(BI(x), r) = H(BI(x), r′) ⟹ d(x, r) = d(x, r′)",
        domain="all n ≥ 1, k ≥ 2, priors α > 0, x; d = the number of units moved",
        evidence=(
            Counterexample(
                title="k = 3: one record and two records moved, at exactly the same distance",
                parameters={
                    "prior": "(1, 1, 1)",
                    "x": str(_CENTRE),
                    "r": f"{_ONE_STEP}, 1 step",
                    "r′": f"{_TWO_STEPS}, 2 steps",
                },
                shows="H(x, r) = H(x, r′): both have (1 − H²)² = π²/16",
                margin=_coincidence,
                again=_coincidence_again,
                tie=True,
            ),
            Sweep(
                title="k = 2, prior (1,1): no such coincidence so far",
                role=Role.ILLUSTRATES,
                bound="n = 1..30, all x, all candidates",
                run=lambda: _steps_at_a_distance(2, 30),
            ),
        ),
        derivation="With G(s, t) as in A §1, r has G(1, 2)²·G(2, 1)² = (π/4)², and r′ has "
        "G(1, 2)²·G(2, 3)²·G(10, 8)² = π/4 · 9π/32 · 8/9, which is the same.",
        repaired="A table by distance and a table by steps are two different tables.",
    ),
    Claim(
        id="steps-table",
        typed=forall(
            "",
            holds="H((5, 5), (5, 5)) == 0 and abs(H((5, 5), (6, 4)) - 233629480709/10^12) <= "
            "1/(2*10^12) and abs(H((5, 5), (7, 3)) - 457635865026/10^12) <= 1/(2*10^12) "
            "and abs(H((5, 5), (8, 2)) - 662174391701/10^12) <= 1/(2*10^12) and "
            "abs(H((5, 5), (9, 1)) - 83737258593/10^11) <= 1/(2*10^11)",
        ),
        source="N §3.4.1, first table and the example before it; L §4.3.1",
        statement="beta(4,6) and beta(6,4) are one step from beta(5,5); there are 5 kinds of steps "
        "from it for 8 records, 0 to 4, and their distances are those of the table",
        formula="d ∈ {0, …, 4} with H = 0, 0.233629480709, 0.457635865026, 0.662174391701, "
        "0.83737258593",
        domain="prior (1,1), n = 8, x = (4, 4)",
        evidence=(
            Sweep(
                title="the steps of all nine candidates",
                role=Role.PROVES,
                bound="all 9 candidates of n = 8",
                run=_kinds_of_steps,
            ),
            _row(1, "0.233629480709"),
            _row(2, "0.457635865026"),
            _row(3, "0.662174391701"),
            _row(4, "0.83737258593"),
            replace(MIRRORED, role=Role.LEMMA, domain=""),
        ),
        derivation="Either side of (5, 5) has the same distances, by symmetry; 0 steps are 0.",
    ),
    Claim(
        id="steps-labels",
        **REFUTED["steps-labels"],
        source="L §4.3.1, the tables (“Hellinger Distance / steps”)",
        statement="the number printed beside a distance is the number of steps of its candidates",
        formula="for every row H = c / j: H(BI(x), r) = c ⟹ d(x, r) = j",
        domain="the rows of the tables for beta(5,5), DL(21,21,21) and DL(2,2,2,51)",
        step_of="steps-distance",
        evidence=(
            Counterexample(
                title="DL(2,2,2,51): the row “/ 2” is one record moved",
                parameters=_LABELLED.parameters,
                shows=_LABELLED.shows,
                margin=_LABELLED.margin,
                again=_LABELLED.again,
            ),
        ),
        derivation="From DL(2,2,2,51) a record can leave the last category (0.2497…) or join it "
        "(0.3405…); either is one step, and the tables number the different distances instead.  "
        "Whatever moves two records is farther than these two.",
        repaired="it is the rank of the distance among all distances from BI(x)",
    ),
)

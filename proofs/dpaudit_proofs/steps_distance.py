"""Steps and distances: N §3.4.1 counts candidates by their steps from the correct posterior.

A step moves one unit between two parameters, as the examples for beta(5,5) have it; the steps
between two candidates are then the Hamming distance of their datasets.  For k = 2 let (a, b) be the
correct posterior.  If a = b, exchanging the two parameters maps the candidate j steps to one side
to the one j steps to the other, and leaves (a, a) and H alone: equal steps, equal distance.

Nowhere else.  By the recurrence of Γ the affinities of the two candidates one step away satisfy

    (A(→ a+1, b−1)/A(→ a−1, b+1))² = (a − ½)²·b(b − 1)/((b − ½)²·a(a − 1)),

and with P = a(a − 1), Q = b(b − 1) this is (P + ¼)·Q/((Q + ¼)·P), which is 1 only if P = Q, that
is a = b.  For k > 2 two steps can be taken in different ways, even from the uniform posterior.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import ball
from dpaudit.numbers.real import ONE, real
from dpaudit_proofs.definitions import hamming, number, posterior_distance

if TYPE_CHECKING:
    from dpaudit.data.histograms import Counts
    from dpaudit.numbers.ball import Ball
    from dpaudit.numbers.real import Real

__all__ = ["CLAIMS", "MIRRORED", "UNEQUAL", "printed_as_two_steps"]


def _affinity(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return 1 − H² between Beta(a, b) and Beta(c, d) of the same total."""
    from sympy import gamma, sqrt

    between = gamma((a + c) / 2) * gamma((b + d) / 2)
    return between / sqrt(gamma(a) * gamma(b) * gamma(c) * gamma(d))


def _mirrored() -> list[Any]:
    from sympy import symbols

    j, rest = symbols("j r", positive=True)
    a = j + rest  # j steps down stay above 0
    return [_affinity(a, a, a + j, a - j), _affinity(a, a, a - j, a + j)]


def _one_step_ratio() -> list[Any]:
    from sympy import Rational, symbols

    p, q = symbols("p q", positive=True)
    a, b, half = p + 1, q + 1, Rational(1, 2)
    ratio = _affinity(a, b, a + 1, b - 1) / _affinity(a, b, a - 1, b + 1)
    return [
        ratio**2,
        (a - half) ** 2 * b * (b - 1) / ((b - half) ** 2 * a * (a - 1)),
    ]


MIRRORED = Identity(
    title="H from (a, a) to (a + j, a − j) and to (a − j, a + j) are equal",
    domain="k = 2 and posterior parameters a = b: balanced data under a symmetric prior (or data "
    "that exactly make up for an asymmetric one), all n, all steps j",
    chain=_mirrored,
    shown=(
        "Γ(a + j/2)·Γ(a − j/2)/√(Γ(a)²·Γ(a + j)·Γ(a − j))",
        "Γ(a − j/2)·Γ(a + j/2)/√(Γ(a)²·Γ(a − j)·Γ(a + j))",
    ),
)

RATIO = Identity(
    title="the affinities of the two candidates one step away have an algebraic ratio",
    role=Role.LEMMA,
    chain=_one_step_ratio,
    shown=(
        "(A(a, b → a + 1, b − 1)/A(a, b → a − 1, b + 1))²",
        "(a − ½)²·b(b − 1)/((b − ½)²·a(a − 1))",
    ),
)

UNEQUAL = OrthantCertificate(
    title="the ratio is below 1 where 1 < b < a (and above 1 where a < b, by symmetry)",
    role=Role.LEMMA,
    positive="(b - 1/2)^2*a*(a - 1) - (a - 1/2)^2*b*(b - 1)",
    shift={"b": "1 + s", "a": "1 + s + t"},
    positive_variables=("s", "t"),
)


def _farther(title: str, x: Counts, near: Counts, far: Counts) -> Counterexample:
    """Return the evidence that ``near`` and ``far``, equally many steps from x, differ in H."""
    flat = (Fraction(1),) * len(x)
    steps = hamming(x, near)
    assert steps == hamming(x, far), "the two candidates must be equally many steps away"

    def margin() -> Ball:
        metric = HellingerMetric(flat)
        return metric.between(x, far) - metric.between(x, near)

    def again() -> Any:
        return posterior_distance(flat, x, far) - posterior_distance(flat, x, near)

    return Counterexample(
        title=title,
        parameters={"prior": str((1,) * len(x)), "x": str(x), "r": str(near), "r′": str(far)},
        shows=f"H(x, r) < H(x, r′), though both are {steps} step(s) from x",
        margin=margin,
        again=again,
    )


def printed_as_two_steps() -> Fact:
    """L's third table calls a candidate "2 steps" away that is one record away."""
    flat, x, r = (Fraction(1),) * 4, (1, 1, 1, 50), (0, 1, 1, 51)
    printed, digit = Fraction("0.340503311163"), Fraction(1, 10**12)

    def margin() -> Ball:
        return ball(digit) - abs(HellingerMetric(flat).between(x, r) - ball(printed))

    def again() -> Any:
        return number(digit) - abs(posterior_distance(flat, x, r) - number(printed))

    return Fact(
        title="the tables number the different distances: L prints “/2” for one record moved",
        role=Role.ILLUSTRATES,
        parameters={"prior": "(1,1,1,1)", "x": str(x), "r": str(r)},
        shows="|H(x, r) − 0.340503311163| < 10⁻¹², the entry that L labels 2 steps",
        margin=margin,
        again=again,
    )


def _sum_differs() -> Real:
    return real(5 + 5 + 5) - real(4 + 5 + 3)


_LISTED = ((4, 5, 3), (4, 3, 5), (5, 4, 3), (5, 3, 4), (3, 5, 4), (5, 5, 5))


def _one_step(r: tuple[int, ...]) -> str:
    """Return that r is a candidate one step from (5, 5, 5): of the same sum, and the distance."""
    apart = " + ".join(f"abs(5 - {parameter})" for parameter in r)
    return f"{' + '.join(map(str, r))} == 5 + 5 + 5 and ({apart})/2 == 1"


CLAIMS = (
    Claim(
        id="steps-distance",
        typed=forall(
            "real a b, natural n c j",
            "a > 0",
            "b > 0",
            "j >= 1",
            "j <= c",
            "c + j <= n",
            holds="H((a + c, b + n - c), (a + c + j, b + n - c - j)) == H((a + c, b + n - c), "
            "(a + c - j, b + n - c + j))",
        ),
        holds_on=("a + c == b + n - c",),
        points=({"a": "1", "b": "1", "n": "4", "c": "1", "j": "1"},),
        source="N §3.4.1; L §4.3.1",
        statement="candidates that are equally many steps from the correct posterior have the same "
        "Hellinger distance from it",
        formula="∀ r, r′ ∈ R: d(x, r) = d(x, r′) ⟹ H(BI(x), r) = H(BI(x), r′)",
        domain="all n ≥ 1, k ≥ 2, priors α > 0, x; d = the number of units moved",
        evidence=(
            _farther("k = 2, unbalanced data", (1, 3), (2, 2), (0, 4)),
            _farther(
                "k = 3, balanced data: DL(21,21,21) of the second table",
                (20, 20, 20),
                (22, 19, 19),
                (21, 21, 18),
            ),
            MIRRORED,
            RATIO,
            UNEQUAL,
            SMTProof(
                title="from (0, n) the one candidate at d steps is (d, n − d)",
                hypotheses=("r >= 0 and s >= 0", "r - 0 == d and s - 0 == d"),
                goal="r == s",
                domain="k = 2, x = (0, n) or (n, 0)",
            ),
            printed_as_two_steps(),
        ),
        repaired="For k = 2 it holds exactly where a = b, and at (0, n) and (n, 0), where there "
        "is one candidate for every number of steps. For k > 2 and the uniform posterior it holds "
        "for one step, by symmetry.",
        derivation="The identity is the exchange of the two parameters. With 1 ≤ c₁ ≤ n − 1 both "
        "candidates one step away exist, a = α₁ + c₁ > 1 and b = α₂ + c₂ > 1, and by the ratio "
        "they are at different distances unless a = b. If steps are read as the rank of the "
        "distance, as the tables number them, the sentence says nothing.",
    ),
    Claim(
        id="steps-list",
        typed=forall("", holds=" and ".join(_one_step(r) for r in _LISTED)),
        source="N §3.4.1; L §4.3.1",
        statement="DL(4,5,3), DL(4,3,5), DL(5,4,3), DL(5,3,4), DL(3,5,4) and DL(5,5,5) are "
        "candidates one step from the correct posterior DL(5,5,5)",
        formula="each of the six r: r ∈ R(DL(5,5,5)) and d(DL(5,5,5), r) = 1",
        domain="the six listed parameters",
        step_of="steps-distance",
        evidence=(
            Counterexample(
                title="the first five are no candidates: their parameters do not sum to 15",
                parameters={"correct": "DL(5,5,5)", "r": "DL(4,5,3) and its permutations"},
                shows="5 + 5 + 5 > 4 + 5 + 3, while candidates have one sum n + Σα",
                margin=_sum_differs,
                again=lambda: sum((5, 5, 5)) - sum((4, 5, 3)),
            ),
            Counterexample(
                title="the sixth is the correct posterior itself, zero steps away",
                parameters={"correct": "DL(5,5,5)", "r": "DL(5,5,5)"},
                shows="1 > d(DL(5,5,5), DL(5,5,5)) = 0",
                margin=lambda: ONE,
                again=lambda: 1 - hamming((5, 5, 5), (5, 5, 5)),
            ),
        ),
        repaired="The six permutations of (5, 4, 3), DL(3,4,5) among them and DL(5,5,5) not, are "
        "the candidates one step from DL(4,4,4); those of (6, 5, 4) are one step from DL(5,5,5).",
        derivation="All candidates have parameters of one sum (N §2.1). The list fits another "
        "centre, and its last entry stands where DL(3,4,5) is missing.",
    ),
)

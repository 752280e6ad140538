"""The printed proof of Statement I: its base case, and the symmetry it starts from (D §2.2.1; E).

The proof is an induction over m, x = x₀ + m, with Beta(n/2 + 1 + m, n/2 + 1 − m) for x.  In the
terms of :mod:`dpaudit_proofs.statement_one`, a = n/2 + 1 + m and b = n/2 + 1 − m.

The base case m = 0 is right for even n ≥ 4: the squared quotient of the two affinities is
(n − 1)²(n + 2)(n + 4) / ((n + 3)²n(n − 2)), and numerator minus denominator is 8(n + 1).  At n = 2
there is no x₀ + 2 (and the printed denominators vanish); for odd n the parameter n/2 + 1 is no
posterior parameter, so the induction starts beside the datasets.  The induction step is in
:mod:`dpaudit_proofs.statement_one_induction`.

The exchange of the two categories, by which the other half is to follow, turns the first half into
H(x, x−1) < H(x−1, x−2), which is not what is printed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import rational
from dpaudit_proofs.basics import symbols_above_zero
from dpaudit_proofs.derived_steps import BASE
from dpaudit_proofs.statement_one import affinity_of_step, difference

__all__ = ["CLAIMS"]


# -- the base case --------------------------------------------------------------------------------


def _base_chain() -> list[Any]:
    n = symbols_above_zero("t") + 2  # n > 2: x₀ + 2 exists
    a = b = n / 2 + 1
    printed_left = ((n - 1) / 2) ** 2 / ((n / 2 - 1) * (n / 2))
    printed_right = ((n + 3) / 2) ** 2 / ((n / 2 + 1) * (n / 2 + 2))
    return [
        (affinity_of_step(a, b) / affinity_of_step(a + 1, b - 1)) ** 2,
        printed_left / printed_right,
        (n - 1) ** 2 * (n + 2) * (n + 4) / ((n + 3) ** 2 * n * (n - 2)),
    ]


BASE_REDUCTION = Claim(
    id="I-base-reduction",
    typed=forall(
        "integer h",
        "h >= 2",
        holds="(not H((h + 1, h + 1), (h + 2, h)) < H((h + 2, h), (h + 3, h - 1)) or (2*h "
        "- 1)^2*(2*h + 2)*(2*h + 4) > (2*h + 3)^2*(2*h)*(2*h - 2)) and (not (2*h - "
        "1)^2*(2*h + 2)*(2*h + 4) > (2*h + 3)^2*(2*h)*(2*h - 2) or H((h + 1, h + 1), "
        "(h + 2, h)) < H((h + 2, h), (h + 3, h - 1)))",
    ),
    source="D §2.2.1, case 1; E",
    statement="at x = x₀ the claim H(x₀, x₀+1) < H(x₀+1, x₀+2) reduces to "
    "(n−1)²(n+2)(n+4) > (n+3)²n(n−2)",
    formula="∀ even n ≥ 4: H(x₀, x₀+1) < H(x₀+1, x₀+2) ⟺ (n−1)²(n+2)(n+4) > (n+3)²n(n−2)",
    domain="prior (1,1), even n ≥ 4 (BI(x₀) = Beta(n/2+1, n/2+1), and x₀ + 2 exists)",
    step_of="I-right",
    evidence=(
        BASE,
        Identity(
            title="the squared quotient of the affinities, through the printed lines",
            chain=_base_chain,
            shown=(
                "(A(x₀, x₀+1) / A(x₀+1, x₀+2))²",
                "[((n−1)/2)² / ((n/2−1)(n/2))] / [((n+3)/2)² / ((n/2+1)(n/2+2))]",
                "(n−1)²(n+2)(n+4) / ((n+3)²n(n−2))",
            ),
        ),
        SMTProof(
            title="a quotient of positives is above 1 iff the numerator is above the denominator",
            role=Role.LEMMA,
            hypotheses=("q*d == p", "d > 0", "p > 0"),
            goal="(not q > 1 or p > d) and (not p > d or q > 1)",
        ),
    ),
    derivation="H = √(1 − A) turns < into > of affinities, both positive, and squaring keeps it.  "
    "The step between is B(p, q + 1) = B(p, q)·q/(p + q), used once above and twice below each "
    "fraction; all denominators are positive for n > 2.  At n = 2 the dataset x₀ + 2 does not "
    "exist.  (In the text of D the last line but one has n − 1 where E has (n − 1)/2; only the "
    "latter gives the polynomial.)",
)


def _polynomial_chain() -> list[Any]:
    n = symbols_above_zero("n")
    return [(n - 1) ** 2 * (n + 2) * (n + 4) - (n + 3) ** 2 * n * (n - 2), 8 * (n + 1)]


BASE_POLYNOMIAL = Claim(
    id="I-base-polynomial",
    typed=forall(
        "real n",
        holds="((n - 1)^2*(n + 2)*(n + 4) > (n + 3)^2*n*(n - 2) and n > -1) or ((n - "
        "1)^2*(n + 2)*(n + 4) <= (n + 3)^2*n*(n - 2) and n <= -1)",
    ),
    source="D §2.2.1, case 1; E",
    statement="(n−1)²(n+2)(n+4) > (n+3)²n(n−2) holds iff n > −1",
    formula="∀ n real: (n−1)²(n+2)(n+4) > (n+3)²n(n−2) ⟺ n > −1",
    domain="all real n",
    step_of="I-right",
    evidence=(
        SMTProof(
            title="both directions",
            goal="(n - 1)^2*(n + 2)*(n + 4) > (n + 3)^2*n*(n - 2) and n > -1 "
            "or (n - 1)^2*(n + 2)*(n + 4) <= (n + 3)^2*n*(n - 2) and n <= -1",
        ),
        Identity(
            title="the difference is 8(n + 1)",
            role=Role.LEMMA,
            chain=_polynomial_chain,
            shown=("(n−1)²(n+2)(n+4) − (n+3)²n(n−2)", "8(n + 1)"),
        ),
    ),
    derivation="The terms of degree 4, 3 and 2 cancel.",
)


BASE_ODD = Claim(
    id="I-base-odd",
    typed=forall(
        "natural n",
        "n >= 1",
        holds="any(c, 0, n, c + 1 == n/2 + 1 and n - c + 1 == n/2 + 1 and c + 2 <= n)",
    ),
    holds_on=("n >= 4", "any(h, 2, n, n == 2*h)"),
    source="D §2.2.1, case 1; E (“n > 0, it always holds”)",
    statement="the case x = x₀ with BI(x₀) = Beta(n/2+1, n/2+1) starts the induction for every n "
    "> 0",
    formula="∀ n ≥ 1: some dataset x₀ of n records has BI(x₀) = Beta(n/2 + 1, n/2 + 1), and "
    "x₀ + 2 exists",
    domain="prior (1,1), all n ≥ 1",
    step_of="I-right",
    evidence=(
        Counterexample(
            title="odd n: the parameters of posteriors are whole numbers",
            parameters={"n": "5"},
            shows="every parameter 1 + c₁ of a posterior is ½ or more away from n/2 + 1",
            margin=lambda: rational(
                min(abs(Fraction(5, 2) + 1 - (1 + c)) for c in range(6)) - Fraction(1, 4)
            ),
            again=lambda: min(abs(3.5 - (1 + c)) for c in range(6)) - 0.25,
        ),
        Counterexample(
            title="n = 2: x₀ + 2 would have −1 records in the second category",
            parameters={"n": "2", "x₀": "(1, 1)"},
            shows="c₁ + 2 > n",
            margin=lambda: rational(1 + 2 - 2),
            again=lambda: max(c for c in range(3) if 2 - c == c) + 2 - 2,
        ),
        SMTProof(
            title="even n = 2h ≥ 4: the counts (h, h) have it, and two more units can be moved",
            hypotheses=("n == 2*h", "c == h", "n >= 4"),
            goal="1 + c == n/2 + 1 and 1 + (n - c) == n/2 + 1 and c + 2 <= n",
            domain="even n ≥ 4",
        ),
    ),
    derivation="For odd n both documents name two balanced datasets, Beta((n±1)/2 + 1, (n∓1)/2 + "
    "1), but the printed induction runs through Beta(n/2 + 1 + m, n/2 + 1 − m), which are "
    "half-integers then and belong to no dataset.  (The inequality itself also holds at these, and "
    "at the balanced datasets of odd n, by I-right.)  At n = 2 the distance H(x₀+1, x₀+2) of the "
    "base case does not exist: its parameter n/2 − 1 is 0, and the printed lines divide by it.",
    repaired="for even n ≥ 4; for odd n start from a = b ± 1: the turning point is b = a + 2",
)


# -- the other half -------------------------------------------------------------------------------

_AT_CENTRE = difference(4, 2, 1)

SYMMETRY = Claim(
    id="I-symmetry",
    typed=forall(
        "integer h",
        "h >= 1",
        holds="not all(c, h, 2*h - 2, H((c + 1, 2*h - c + 1), (c + 2, 2*h - c)) < H((c + "
        "2, 2*h - c), (c + 3, 2*h - c - 1))) or all(c, 0, min(h, 2*h - 2), H((c + 1, "
        "2*h - c + 1), (c + 2, 2*h - c)) > H((c + 2, 2*h - c), (c + 3, 2*h - c - "
        "1)))",
    ),
    points=({"h": "2"},),
    source="D §2.2.1, first line of the proof; E",
    statement="because H is symmetric, the half for x ≥ x₀ gives the half for x ≤ x₀",
    formula="(∀ x ≥ x₀: H(x, x+1) < H(x+1, x+2)) ⟹ (∀ x ≤ x₀: H(x, x+1) > H(x+1, x+2))",
    domain="prior (1,1), all n ≥ 2, all x for which x + 2 exists",
    step_of="I-left",
    evidence=(
        Counterexample(
            title="the premise is true (I-right), the conclusion is not",
            parameters={"n": "4", "x": "(2, 2)"},
            shows="H(x, x+1) < H(x+1, x+2) at x = x₀",
            margin=_AT_CENTRE[0],
            again=_AT_CENTRE[1],
        ),
        Fact(
            title="what the exchange of the two categories gives instead",
            role=Role.ILLUSTRATES,
            parameters={"n": "4", "x": "(2, 2)"},
            shows="H(x, x−1) < H(x−1, x−2)",
            margin=difference(4, 0, -1)[0],
            again=difference(4, 0, -1)[1],
        ),
    ),
    derivation="Exchanging the categories maps x + 1 to x − 1.  It turns the first half into "
    "H(x, x−1) < H(x−1, x−2) for x ≤ x₀, which is the printed line for x − 2 instead of x.",
    repaired="H(x, x−1) < H(x−1, x−2) for all x ≤ x₀ for which x − 2 exists",
)

CLAIMS = (BASE_REDUCTION, BASE_POLYNOMIAL, BASE_ODD, SYMMETRY)

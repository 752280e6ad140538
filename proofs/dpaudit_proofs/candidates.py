"""The candidates: which they are and how many (N §2.3.1, §2.3.3, §3.4.1).

R holds one posterior α + c for every histogram c of n records over m categories, so |R| is the
number C(n + m − 1, m − 1) of histograms: n + 1 for two categories, the product of the m − 1 factors
(n + i)/i in general.  As n grows it is n^(m−1)/(m − 1)! and lower terms.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof, Sweep
from dpaudit.claims.statement import forall
from dpaudit.data.histograms import Histograms
from dpaudit.numbers.real import rational
from dpaudit_proofs.basics import symbols_above_zero
from dpaudit_proofs.typed_events import DISTINCT, GROWN, POLYNOMIAL

__all__ = ["CLAIMS"]


def _pascal() -> list[Any]:
    from sympy import gamma

    n, k = symbols_above_zero("n k")
    k = k + 1  # k > 1

    def count(size: Any, sides: Any) -> Any:
        return gamma(size + sides) / (gamma(sides) * gamma(size + 1))

    return [count(n, k), count(n - 1, k) + count(n, k - 1)]


def _count_by_enumeration() -> tuple[int, str]:
    cases = 0
    for k, n in product(range(2, 6), range(1, 9)):
        cases += 1
        if not len(list(Histograms(n, k))) == len(Histograms(n, k)) == comb(n + k - 1, k - 1):
            return cases, f"n = {n}, k = {k}"
    return cases, ""


def _count_again(n: int, sides: int) -> int:
    """Return the number of histograms, one category after the other."""
    numbers = [1] * (n + 1)  # of histograms of 0 … n records over one category
    for _ in range(sides - 1):
        numbers = [sum(numbers[: size + 1]) for size in range(n + 1)]
    return numbers[n]


CANDIDATES = Claim(
    id="basics-candidates",
    typed=DISTINCT,
    source="N §2.3.3, Lemma 2.2 (proof)",
    statement="the number of candidates is |R| = n + 1 for k = 2",
    formula="∀ n ≥ 1: |R| = n + 1 if k = 2;  for every k ≥ 2: |R| = C(n + k − 1, k − 1)",
    domain="k = 2, all n ≥ 1, every prior",
    evidence=(
        Identity(
            title="C(n + k − 1, k − 1) obeys the recurrence of the number of histograms",
            chain=_pascal,
            shown=(
                "C(n + k − 1, k − 1)",
                "C(n + k − 2, k − 1) + C(n + k − 2, k − 2)",
            ),
        ),
        Sweep(
            title="counted one by one",
            role=Role.ILLUSTRATES,
            bound="k = 2..5, n = 1..8",
            run=_count_by_enumeration,
        ),
    ),
    derivation="Histograms with different counts have different posteriors α + c, so |R| is the "
    "number N(n, k) of histograms.  Either the last count is 0, or a record can be taken from it: "
    "N(n, k) = N(n, k − 1) + N(n − 1, k), with N(n, 1) = N(0, k) = 1.  The binomial coefficient "
    "has the same boundary values and the same recurrence (Pascal's), hence is the number; at k = "
    "2 it is n + 1.  For k > 2 it is larger, which matters where |R| = n + 1 is used in general.",
)

_ORDER_OF_GROWTH = "1/(m − 1)! < |R|/n^(m−1) ≤ m for all n ≥ 1"

GROWTH = Claim(
    id="basics-candidates-growth",
    typed=POLYNOMIAL,
    source="N §3.4.1; L §4.3.1",
    statement="the number of candidates grows like n^(m−1) for a die of m sides",
    formula=f"∀ m ≥ 2: |R| = Θ(n^(m−1)) as n → ∞;  here {_ORDER_OF_GROWTH}",
    domain="every fixed m ≥ 2, as n → ∞; “∼” read as the order of growth",
    evidence=(
        GROWN,
        SMTProof(
            title="one side more: r ↦ r·(n + i)/i keeps p/f ≤ r ≤ i·p, p = n^(i−1), f = (i − 1)!, "
            "and makes the lower bound strict",
            hypotheses=(
                "n >= 1 and i >= 1 and p >= 1 and f >= 1",
                "after*i == r*(n + i)",
                "p <= r*f and r <= i*p",
            ),
            goal="p*n < after*(f*i) and after <= (i + 1)*(p*n)",
        ),
        Fact(
            title="the constants depend on m: they are no bounds where m grows with n",
            role=Role.ILLUSTRATES,
            parameters={"m": "10", "n": "10"},
            shows="|R| = 92378 < 10⁻⁴·n^(m−1)",
            margin=lambda: rational(10**9 - 10**4 * comb(19, 9)),
            again=lambda: 10**9 - 10**4 * _count_again(10, 10),
        ),
    ),
    derivation="|R| = C(n + m − 1, m − 1) (basics-candidates) is the product over i = 1 … m − 1 of "
    "(n + i)/i.  Induction from the empty product 1 = n⁰/0!, at m = 1, gives "
    "n^(m−1)/(m − 1)! < |R| ≤ m·n^(m−1) for m ≥ 2.  With equality above at n = 1.",
)

ASYMPTOTIC = Claim(
    id="basics-candidates-asymptotic",
    source="N §3.4.1; L §4.3.1 (“∼” taken literally)",
    statement="|R| is asymptotically equal to n^(m−1)",
    formula="∀ m ≥ 2: |R| / n^(m−1) → 1 as n → ∞",
    domain="every m ≥ 2, as n → ∞; “∼” read as asymptotic equality",
    evidence=(
        OrthantCertificate(
            title="m = 3: |R| < ¾·n² for every n ≥ 10, so the quotient does not tend to 1",
            role=Role.REFUTES,
            positive="3/4*n^2 - (n + 1)*(n + 2)/2",
            shift={"n": "10 + s"},
        ),
        Counterexample(
            title="m = 3, n = 1000",
            parameters={"m": "3", "n": "1000"},
            shows="|R| = 501501 < ¾·n²",
            margin=lambda: rational(750000 - comb(1002, 2)),
            again=lambda: 750000 - sum(1001 - first for first in range(1001)),
        ),
        SMTProof(
            title="m = 2: the quotient q = (n + 1)/n is within e of 1 for every n > 1/e",
            hypotheses=("e > 0", "n >= 1", "n*e > 1", "q*n == n + 1"),
            goal="1 - e < q and q < 1 + e",
            domain="m = 2",
        ),
    ),
    derivation="The quotient is the product over i < m of (1 + i/n)/i and tends to 1/(m − 1)!.",
    repaired="|R| is asymptotically n^(m−1)/(m − 1)!",
)


# -- the set R_B of N §2.3.1 ----------------------------------------------------------------------


def _sum_of_parameters(prior: tuple[int, int], n: int) -> Fraction:
    return min(Fraction(prior[0] + c) + (prior[1] + n - c) for c in range(n + 1))


INTEGER = Claim(
    id="basics-candidates-integer",
    typed=forall(
        "real a b, natural n",
        "a > 0",
        "b > 0",
        "n >= 1",
        holds="all(c, 0, n, any(p, 1, n + 1, a + c == p and b + n - c == n + 2 - p)) and "
        "all(p, 1, n + 1, any(c, 0, n, a + c == p and b + n - c == n + 2 - p))",
    ),
    holds_on=("a == 1", "b == 1"),
    points=({"a": "7", "b": "4", "n": "3"},),
    source="N §2.3.1",
    statement="R is the set R_B of the beta distributions with integer parameters summing to n + 2",
    formula="∀ α, n ≥ 1: {α + c : c a histogram of n} = {(a, b) : a, b ∈ ℕ, a, b ≥ 1, a + b = "
    "n + 2}",
    domain="k = 2, all n ≥ 1, every prior (N Fig. 3 uses the mechanism with beta(7, 4))",
    evidence=(
        Counterexample(
            title="with the prior beta(7, 4) of N Fig. 3 all parameters sum to n + 11",
            parameters={"prior": "(7, 4)", "n": "300"},
            shows="a + b = 311 > n + 2 for every candidate",
            margin=lambda: rational(_sum_of_parameters((7, 4), 300) - 302),
            again=lambda: min(7 + c + 4 + (300 - c) for c in range(301)) - 302,
        ),
        SMTProof(
            title="the pairs (1 + c, 1 + n − c) are the pairs ≥ 1 with the sum n + 2",
            hypotheses=(
                "(a == 1 + c and b == 1 + n - c and c >= 0 and c <= n)"
                " or (a >= 1 and b >= 1 and a + b == n + 2 and c == a - 1)",
            ),
            goal="a >= 1 and b >= 1 and a + b == n + 2 and c >= 0 and c <= n and a == 1 + c "
            "and b == 1 + n - c",
            domain="prior (1,1)",
        ),
    ),
    derivation="a is whole iff c is.  For another prior the sum is n + α₁ + α₂, and positive whole "
    "α₁, α₂ with the sum 2 are 1 and 1: the two sets are equal for no other prior (for real α₁ = "
    "2 − α₂ the sum is right, but the parameters are not whole).",
    repaired="for the prior (1,1); in general R = {(α₁ + c, α₂ + n − c)}",
)

CLAIMS = (CANDIDATES, GROWTH, ASYMPTOTIC, INTEGER)

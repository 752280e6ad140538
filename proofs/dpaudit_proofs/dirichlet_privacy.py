"""Lemma 2.3 for Dirichlet posteriors: M_H does not keep (ε, δ) on many categories.

Take the prior (α, A, …, A) on k categories with A so large that moving a record among the last
k − 1 of them is next to free: the distance of two histograms is that of their first counts, up to
an error that is enclosed.  So the law of M_H is one on the first counts i = 0, …, n, each with its
multiplicity C(n − i + k − 2, k − 2), and far smaller counts have far more candidates.

**The enclosure.**  1 − H² = G₁·Q with G₁ the affinity of the first coordinate (α + i, α + j) and Q
that of all others.  For z ≥ A ≥ 1, (ln Γ)″(z) ≤ 1/z + 1/z² ≤ 2/A, so a coordinate in which the
counts differ by m has −ln G = ½ ln Γ(s) + ½ ln Γ(t) − ln Γ((s + t)/2) ≤ m²/(4A); the differences
add up to at most 2n in size, so Q ≥ exp(−n²/A) ≥ 1 − n²/A.  Hence

    1 − G₁ ≤ H² ≤ 1 − G₁ + n²/A,

for each of the candidates, and with it LS, S_β (datasets whose first counts differ by d are at
Hamming distance at least d, and some are at distance d), the weights and the normaliser.

**Why it fails.**  From y to its neighbour x the distances to nearly all candidates change by about
S, in one direction, and S itself changes by the factor e^β.  The first costs ε/2 in the weight of
an output and ε/2 in the normaliser, as in every exponential mechanism; the second is paid for by
Lemma 2.2 with a further ε/2, and is not free where the many candidates carry the normaliser.  That
3ε/2 is always enough is ``lemma-2.3-repaired``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from dpaudit.claims.claim import Claim
from dpaudit.claims.evidence import Counterexample
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import Ball, ball, maximum
from dpaudit_proofs.definitions import beta_rate, number

__all__ = ["CLAIMS", "OneHeavyCoordinate"]


@dataclass(frozen=True, kw_only=True)
class OneHeavyCoordinate:
    """M_H at the prior (α, A, …, A), as a law on the first count."""

    n: int
    k: int
    alpha: Fraction
    large: int
    """A."""
    epsilon: Fraction
    delta: Fraction
    count: int
    """The number of candidates that β is computed with."""

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters as evidence shows them."""
        return {
            "k": str(self.k),
            "prior": f"({self.alpha}, A, …, A), A = {self.large:.0e}",
            "n": str(self.n),
            "ε": str(self.epsilon),
            "δ": str(self.delta),
        }

    def multiplicity(self, first: int) -> int:
        """Return the number of histograms with this first count."""
        return comb(self.n - first + self.k - 2, self.k - 2)

    def excess(self, i: int, j: int, event: range) -> Ball:
        """Return P_x(T) − e^ε·P_y(T) − δ, x₁ = i, y₁ = j, T the candidates r with r₁ in event."""
        logarithm = (2 * ball(self.count) / ball(self.delta)).log()
        growth = 1 + ball(self.epsilon) / (2 * logarithm)
        slack = Ball(0).union(ball(Fraction(self.n**2, self.large)))
        metric = HellingerMetric((self.alpha, Fraction(1)))

        def affinity(left: int, right: int) -> Ball:
            return metric.tables[0].row(left, self.n + 1)[right]

        def distance(left: int, right: int) -> Ball:
            if left == right:
                return Ball(0).union(slack.upper().sqrt())
            return (1 - affinity(left, right) + slack).sqrt()

        def local(first: int) -> Ball:
            near = [m for m in (first - 1, first, first + 1) if 0 <= m <= self.n]
            return maximum(distance(first, m) for m in near)

        sensitivities = [local(m) for m in range(self.n + 1)]

        def mass(first: int) -> Ball:
            smooth = maximum(s / growth ** abs(first - m) for m, s in enumerate(sensitivities))
            weights = [
                self.multiplicity(m)
                * (-ball(self.epsilon) * distance(first, m) / (2 * smooth)).exp()
                for m in range(self.n + 1)
            ]
            inside: Ball = sum((weights[m] for m in event), Ball(0)) / sum(weights, Ball(0))
            return inside

        return mass(i) - ball(self.epsilon).exp() * mass(j) - ball(self.delta)

    def excess_again(self, i: int, j: int, event: range) -> Any:
        """Return the limit of the same for A → ∞, from the definitions in mpmath.

        In the limit the distance is that of two beta distributions whose second parameters do not
        matter: H² = 1 − Γ((s + t)/2)/√(Γ(s)Γ(t)), the one of (s, B) and (t, B) as B → ∞ but for
        factors of B that are left out.
        """
        from mpmath import exp, fsum, loggamma, sqrt

        alpha, epsilon = number(self.alpha), number(self.epsilon)
        delta = number(self.delta)
        beta = beta_rate(epsilon, delta, self.count)

        def distance(left: int, right: int) -> Any:
            s, t = alpha + left, alpha + right
            return sqrt(1 - exp(loggamma((s + t) / 2) - (loggamma(s) + loggamma(t)) / 2))

        def local(first: int) -> Any:
            return max(distance(first, m) for m in (first - 1, first + 1) if 0 <= m <= self.n)

        def mass(first: int) -> Any:
            smooth = max(local(m) * exp(-beta * abs(first - m)) for m in range(self.n + 1))
            weights = [
                self.multiplicity(m) * exp(-epsilon * distance(first, m) / (2 * smooth))
                for m in range(self.n + 1)
            ]
            return fsum(weights[m] for m in event) / fsum(weights)

        return mass(i) - exp(epsilon) * mass(j) - delta


_PRINTED = OneHeavyCoordinate(
    n=76,
    k=5,
    alpha=Fraction(1, 100),
    large=10**60,
    epsilon=Fraction(6, 5),
    delta=Fraction(1, 10**4),
    count=77,
)
_ALL = OneHeavyCoordinate(
    n=6,
    k=10**10,
    alpha=Fraction(2),
    large=10**60,
    epsilon=Fraction(40),
    delta=Fraction(1, 10**4),
    count=comb(6 + 10**10 - 1, 6),
)


def _exceeds(
    law: OneHeavyCoordinate, title: str, places: dict[str, str], *first: int
) -> Counterexample:
    i, j = first
    event = range(i, i + 1)
    return Counterexample(
        title=title,
        parameters={**law.parameters, **places},
        shows="P_x(T) > e^ε·P_y(T) + δ",
        margin=lambda: law.excess(i, j, event),
        again=lambda: law.excess_again(i, j, event),
    )


CLAIMS = (
    Claim(
        id="lemma-2.3-dirichlet",
        source="N §2.3.4, Lemma 2.3, with the priors DL(…) of N §3.4.1 and Fig. 4 to 9",
        statement="M_H is (ε, δ)-differentially private for Dirichlet posteriors too, with β as "
        "printed",
        formula="∀ k ≥ 2, prior, n ≥ 1, ε > 0, 0 < δ < 1, x ~ y, T ⊆ R: "
        "P_x(T) ≤ e^ε·P_y(T) + δ, β = ln(1 − ε/(2·ln(δ/(2(n + 1)))))",
        domain="k ≥ 2 categories, any prior, all n ≥ 1, ε > 0, 0 < δ < 1",
        evidence=(
            _exceeds(
                _PRINTED,
                "five categories: the output x itself",
                {"x": "(76,0,0,0,0)", "y": "(75,1,0,0,0)", "T": "{x}"},
                76,
                75,
            ),
        ),
        derivation="T is one candidate; the excess is over 4·δ.  n + 1 = 77 is far below the "
        "number of candidates, more than a million, but their number alone is not what fails "
        "(lemma-2.3-dirichlet-count).",
        repaired="(3ε/2, δ/2) with |R| in place of n + 1 (lemma-2.3-repaired).",
    ),
    Claim(
        id="lemma-2.3-dirichlet-count",
        source="beside N §2.3.3: the count that the accuracy property needs for k > 2",
        statement="with the number of candidates in β, M_H is (ε, δ)-differentially private for "
        "every k",
        formula="∀ k ≥ 2, prior, n ≥ 1, ε > 0, 0 < δ < 1, x ~ y, T ⊆ R: "
        "P_x(T) ≤ e^ε·P_y(T) + δ, β = ln(1 − ε/(2·ln(δ/(2·|R|)))), |R| = C(n + k − 1, k − 1)",
        domain="k ≥ 2 categories, any prior, all n ≥ 1, ε > 0, 0 < δ < 1",
        evidence=(
            _exceeds(
                _ALL,
                "six records: the outputs whose first count is 5",
                {"x₁": "5", "y₁": "4", "T": "{r : r₁ = 5}"},
                5,
                4,
            ),
        ),
        derivation="The prior is integer, and the excess is over 8·δ.  The tail is bounded as it "
        "should be (beta-candidates, repaired); it is the factor in front of ε that is too small.",
        repaired="(3ε/2, δ/2) (lemma-2.3-repaired).",
    ),
)

"""Theorem 4.1 of A for every k: the error of LSHist is a bounded multiple of LS(x).

Let a be the posterior of x and a′ the printed output, s_i = |a′_i − a_i| whole numbers.  Totals may
differ (the last count is clamped).  With the D of :mod:`dpaudit_proofs.laplace_reach` and T, T′ the
totals,

    −ln(1 − H²) = Σ_i D_{s_i}(min(a_i, a′_i)) − D_{|T−T′|}(min(T, T′))
                ≤ Σ_i D_{s_i}(min(a_i, a′_i)),

as ln Γ is convex.  Write LS(x)² = 1 − e^(−d), and let coordinate i have moved, s = s_i ≥ 1.

* Up: c_i < n, so a neighbour of x has one more in i, and D₁(a_i) ≤ d.  ψ′ falls, so
  D_s(a_i) ≤ s²·D₁(a_i) ≤ (2s + 1)²·d.
* Down, u = a′_i ≥ ½: a neighbour of x has one less in i, D₁(u + s − 1) ≤ d, and with c = u − ½
  D_s(u) < (3/16)·s²/(c + s/2) ≤ (2s + 1)²·⅛/(c + s) < (2s + 1)²·d.
* Down, u ≤ ½: (2s + 1)²·LS(x)² ≥ (2s + 1)²·(1 − G(u + s − 1)) ≥ 1 ≥ …, whatever H is.

So in any case H² ≤ Σ_{s_i > 0} (2s_i + 1)²·LS(x)², by 1 − e^(−M·d) ≤ M·(1 − e^(−d)).
"""

from __future__ import annotations

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import SMTProof
from dpaudit_proofs.laplace_growth import BELOW_ONE_QUARTER, RECURRENCE
from dpaudit_proofs.laplace_reach import AWAY_FROM_ONE, TELESCOPES

__all__ = ["CLAIMS"]

_MOVED = (
    OrthantCertificate(
        title="down, u ≥ ½: (3/16)·s²/(c + s/2) ≤ (2s + 1)²·⅛/(c + s), multiplied out",
        positive="(2*s + 1)^2*(2*c + s) - 3*s^2*(c + s)",
        shift={"s": "1 + r", "c": "c"},
    ),
    OrthantCertificate(
        title="down, u ≤ ½: (2s + 1)² ≥ 8(s − ½) + 2 ≥ 8(u + s − 1) + 2",
        role=Role.LEMMA,
        positive="(2*s + 1)^2 - 8*(s - 1/2) - 2",
        shift={"s": "1 + r"},
    ),
    SumOfProducts(
        title="up: s² ≤ (2s + 1)²",
        role=Role.LEMMA,
        goal="(2*s + 1)^2 - s^2",
        hypotheses=("s + 1", "3*s + 1"),
        products=(("1", ("s + 1", "3*s + 1")),),
    ),
    AWAY_FROM_ONE,
    TELESCOPES,
    RECURRENCE,
    BELOW_ONE_QUARTER,
)

CLAIMS = (
    Claim(
        id="thm-4.1-reach",
        source="new; A Thm 4.1",
        statement="an output that has moved s_i in coordinate i is at most "
        "LS(x)·√(Σ_{s_i > 0} (2s_i + 1)²) away",
        formula="∀ x, ∀ r ∈ {0, …, n}^k: H(Dir(α + c), Dir(α + r))² ≤ LS(x)²·Σ_{r_i ≠ c_i} "
        "(2·|r_i − c_i| + 1)²",
        domain="all k ≥ 2, n ≥ 1, priors α > 0, x; the counts r need not add up to n",
        evidence=_MOVED,
        derivation="The module's text. ψ′(s) < 1/(s − ½), the integral and Jensen's inequality are "
        "as in thm-4.3-reach; LS(x) ≥ H(x, x′) for the neighbours x′ named there, and H(x, x′)² ≥ "
        "1 − e^(−D₁) of either coordinate that moves. (1 − y)^M ≥ 1 − M·y at y = 1 − e^(−d). "
        "If some coordinate is of the last kind, the right side is at least 1.",
    ),
    Claim(
        id="thm-4.1",
        source="A Thm 4.1",
        statement="ELap(x)/(ε·LS(x)) is O(1) in the data size n ≥ 2",
        formula="∀ k, ε > 0, 0 < γ < 1 ∃ C ∀ n, α, x: inf{t : P[H(DirP(x), LSHist(x)) < t] ≥ "
        "1 − γ} ≤ C·ε·LS(x);  C = √k·(2(k − 1)·J + 1)/ε, J = ⌈(2/ε)·ln((k − 1)/γ)⌉",
        domain="all k ≥ 2, n ≥ 1, priors α > 0, x; ε > 0 and 0 < γ < 1 fixed, which A leaves open",
        evidence=(
            *_MOVED,
            SumOfProducts(
                title="P(−J ≤ Y < J + 1) = 1 − ½(T + tT) ≥ 1 − T, T = t^J ≤ γ/(k − 1)",
                role=Role.LEMMA,
                goal="T - (T + t*T)/2",
                hypotheses=("T", "1 - t"),
                products=(("1/2", ("T", "1 - t")),),
            ),
            SMTProof(
                title="k squares of at most 2(k − 1)J + 1: with K = k − 1 of them at most 2J + 1",
                role=Role.LEMMA,
                hypotheses=("K >= 1 and J >= 0",),
                goal="K*(2*J + 1)^2 + (2*K*J + 1)^2 <= (K + 1)*(2*K*J + 1)^2",
            ),
        ),
        derivation="Each of the k − 1 noises has scale at most 2/ε, so with t = e^(−ε/2) or less "
        "it has −J ≤ Y < J + 1, that is −J ≤ ⌊Y⌋ ≤ J, with probability at least 1 − γ/(k − 1); "
        "all of them with probability at least 1 − γ. Clamping moves a count no farther from c_i; "
        "the last count is the clamped n − Σ r_i and has moved by at most (k − 1)·J. So H ≤ "
        "LS(x)·√k·(2(k − 1)·J + 1) (thm-4.1-reach), and every t above that will do. The constant "
        "grows like ln(1/γ)/ε². For k = 2: thm-4.3-sum, with a smaller one.",
    ),
)

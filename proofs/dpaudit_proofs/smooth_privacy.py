"""Lemma 2.3 for every prior and k: 3ε/2 always, ε where ε·(n + Σα) ≤ ln(2(n + 1)/δ).

For neighbours x, y write D = H(x, y), a = H(x, r)/S(x), b = H(y, r)/S(y), so that the weights are
w_x(r) = e^(−εa/2), w_y(r) = e^(−εb/2).  D ≤ LS ≤ S at both, S is β-smooth, and e^β = 1 + ε/(2L)
with L = ln(2|R|/δ).  Let y be the one with the smaller S.

**(3ε/2, δ/2), for every prior, k and n.**
* b ≤ (H(x, r) + D)/S(y) ≤ a·e^β + 1 = a + 1 + aε/(2L): at most a + 2 where εa ≤ 2L (``NEAR``), so
  w_x ≤ e^ε·w_y there.  Elsewhere w_x < e^(−L) = δ/(2|R|), and all of those sum to at most δ/2.
* b ≥ (H(x, r) − D)/S(y) ≥ a − 1 (``SLOWER``), so w_y ≤ e^(ε/2)·w_x everywhere.
* Summed over all r: NL(y) ≤ e^(ε/2)·NL(x) and NL(x) ≤ e^ε·NL(y) + δ/2; NL ≥ 1.
Either direction of the pair loses e^(ε/2) once and e^ε once, in the weight and in the normaliser;
in P_y(T) ≤ e^(ε/2)·(e^ε + δ/2)·P_x(T) the second term is at most δ/2, as P_y(T) ≤ 1.

**ε alone, where S is large enough.**  ln(P_x/P_y) is at most ε/2 times the spread max − min over r
of b − a, as in :mod:`dpaudit_proofs.local_sensitivity`.  With h = H(x, r), κ = 1/S(y) − 1/S(x) ≥ 0:
* b − a ≥ −D/S(x), by H(y, r) ≥ |h − D|;
* H = √2·sin(θ/2), θ the angle between the square roots of the densities, and angles obey the
  triangle inequality, so H(y, r) ≤ h·√(1 − D²/2) + D·√(1 − h²/2) ≤ h + D·√(1 − h²/2) and
  b − a ≤ (D/S(y))·√(1 − h²/2) + κh.
The two differ by at most 2 if κ ≤ S(y) (``SPREAD``): far candidates gain from the smaller S what
they lose by curvature.  And κ ≤ S(y) if e^β − 1 ≤ S(x)·S(y), for which there is room because
S ≥ LS ≥ H(z, z′) ≥ 1/√(2(n + Σα)) for every step z, z′ (``STEP``): 1 − H² = G(s)·G(s′) with
s + s′ ≤ n + Σα − 1, and G(s)² ≤ 1 − 1/(4s + 2), since the quotient of the two sides increases to 1
along s, s + 1, s + 2, …
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.data.histograms import Histograms
from dpaudit.notes.hellinger_exponential import MH
from dpaudit.notes.sensitivity import local_sensitivities
from dpaudit_proofs.definitions import beta_rate, local_sensitivity, number
from dpaudit_proofs.exponential_privacy import AFFINITY_RECURRENCE
from dpaudit_proofs.neighbours import PRIOR, X, Y, neighbours

if TYPE_CHECKING:
    from dpaudit.numbers.ball import Ball

__all__ = [
    "CLAIMS",
    "FACTOR",
    "FROM_X",
    "FROM_Y",
    "NEAR",
    "NORMALISER",
    "SLOWER",
    "SMOOTH",
    "SPREAD",
]

NEAR = SMTProof(
    title="near candidates: b ≤ a + 2, so w_x ≤ e^ε·w_y",
    role=Role.LEMMA,
    hypotheses=(
        "Sx > 0 and Sy > 0 and a >= 0 and Sx <= B*Sy",
        "D <= Sy and b*Sy <= a*Sx + D",
        "L > 0 and epsilon > 0 and 2*L*(B - 1) == epsilon",
        "epsilon*a <= 2*L",
    ),
    goal="b <= a + 2",
)

SLOWER = SMTProof(
    title="every candidate: b ≥ a − 1, so w_y ≤ e^(ε/2)·w_x",
    role=Role.LEMMA,
    hypotheses=("Sy > 0 and Sx >= Sy and a >= 0", "D <= Sy and b*Sy >= a*Sx - D"),
    goal="b >= a - 1",
)

FROM_X = SMTProof(
    title="P_x(T) ≤ e^(3ε/2)·P_y(T) + δ/2",
    hypotheses=(
        "s >= 1 and d >= 0 and V >= 0",
        "0 <= W and W <= s^2*V and 0 <= F and F <= d",
        "Nx >= 1 and Ny >= 1 and Ny <= s*Nx",
        "P*Nx == W + F and Q*Ny == V",
    ),
    goal="P <= s^3*Q + d",
)
"""W, F: the weights w_x in T of near and of far candidates; V: the weights w_y in T."""

FROM_Y = SMTProof(
    title="P_y(T) ≤ e^(3ε/2)·P_x(T) + δ/2",
    hypotheses=(
        "s >= 1 and d >= 0 and 0 <= V and V <= Nx",
        "0 <= W and W <= s*V and W <= Ny",
        "Nx >= 1 and Ny >= 1 and Nx <= s^2*Ny + d",
        "P*Ny == W and Q*Nx == V",
    ),
    goal="P <= s^3*Q + d",
)
"""W, V: the weights w_y and w_x in T."""

NORMALISER = SMTProof(
    title="NL(x) ≤ e·NL(y) and NL(y) ≤ e·NL(x) if e^ε + δ/2 ≤ e",
    role=Role.LEMMA,
    hypotheses=(
        "s >= 1 and d >= 0 and s^2 + d <= e",
        "Nx >= 1 and Ny >= 1 and Ny <= s*Nx and Nx <= s^2*Ny + d",
    ),
    goal="Nx <= e*Ny and Ny <= e*Nx",
)

FACTOR = SMTProof(
    title="(S(x)/S(y))·ln(NL(x)/NL(y)) ≤ e^β where NL(x) ≤ e·NL(y)",
    role=Role.LEMMA,
    hypotheses=("q > 0", "q <= rate", "l <= 1"),
    goal="q*l <= rate",
)
"""q = S(x)/S(y), rate = e^β, l = ln(NL(x)/NL(y))."""

SPREAD = SMTProof(
    title="the spread is at most 2 where κ ≤ S(y)",
    hypotheses=(
        "0 <= A and A <= 1",
        "0 <= h and h <= 1 and c >= 0 and 2*c^2 == 2 - h^2",
        "0 < S and S <= 1 and 0 <= kappa and kappa <= S",
    ),
    goal="A*c + kappa*h + A*(1 - kappa*S) <= 2",
)
"""A = D/S(y), c = √(1 − h²/2), S = S(y); D/S(x) = A·S(y)/S(x) = A·(1 − κ·S(y))."""

SLOPE = SMTProof(
    title="κ ≤ S(y) where e^β − 1 ≤ 1/(2(n + Σα)) ≤ S(x)·S(y)",
    role=Role.LEMMA,
    hypotheses=(
        "N > 0 and m > 0 and 2*N*m^2 == 1 and Sx >= m and Sy >= m",
        "L > 0 and epsilon > 0 and 2*L*(B - 1) == epsilon and epsilon*N <= L",
        "Sx <= B*Sy and kappa*Sx*Sy == Sx - Sy",
    ),
    goal="kappa <= Sy",
)
"""N = n + Σα, m² = 1/(2N)."""

_FALLS = OrthantCertificate(
    title="s(s + 1)/(s + ½)² ≤ T(s)/T(s + 1) for T(s) = 1 − 1/(4s + 2) = (s + ¼)/(s + ½)",
    role=Role.LEMMA,
    positive="(s + 1/4)*(s + 3/2)*(s + 1/2) - s*(s + 1)*(s + 5/4)",
    shift={"s": "s"},
)

_PRODUCT = SumOfProducts(
    title="(1 − 1/p)(1 − 1/q) ≤ (1 − 1/m)², m = (p + q)/2, times p·q·m²",
    role=Role.LEMMA,
    goal="((p + q)/2 - 1)^2*p*q - ((p + q)/2)^2*(p - 1)*(q - 1)",
    hypotheses=("p + q - 1",),
    products=(("1/4", ("p + q - 1", "square(p - q)")),),
)

_STEP = SMTProof(
    title="H² ≥ 1/(2N) from (1 − H²)² ≤ (1 − 1/m)² and m ≤ 2N",
    role=Role.LEMMA,
    hypotheses=(
        "m > 1 and 2*N >= m",
        "A >= 0 and A*m <= m - 1",
        "H2 == 1 - A",
    ),
    goal="2*N*H2 >= 1",
)

SMOOTH = SumOfProducts(
    title="S(y) ≥ e^(−β)·S(x), z being where the maximum for x is attained",
    goal="Sy - t*LS*tx",
    hypotheses=("Sy - LS*ty", "LS", "ty - t*tx"),
    products=(("1", ("Sy - LS*ty",)), ("1", ("LS", "ty - t*tx"))),
)
"""LS = LS(z), t = e^(−β), tx = t^d(x, z), ty = t^d(y, z); S(x) = LS·tx."""

_FLAT = (Fraction(1), Fraction(1))


def _steeper() -> Ball:
    """Return LS(x) − e^β·LS(y) at x = (1, 9), y = (2, 8)."""
    mechanism, space = MH.build({"epsilon": "4/5", "delta": "1/2000"}), Histograms(10, 2)
    local = local_sensitivities(_FLAT, 10)
    growth = mechanism.beta(10).ball().exp()
    return local[space.rank((1, 9))] - growth * local[space.rank((2, 8))]


def _steeper_again() -> Any:
    from mpmath import exp

    growth = exp(beta_rate(number("4/5"), number("1/2000"), 11))
    return local_sensitivity(_FLAT, (1, 9)) - growth * local_sensitivity(_FLAT, (2, 8))


_WEIGHTS = (
    "The triangle inequality gives |H(x, r) − H(y, r)| ≤ D, the definitions D ≤ LS(y) ≤ S(y) and "
    "S(x) ≤ e^β·S(y); exp is monotone.  A candidate with εa > 2L has w_x = e^(−εa/2) < e^(−L) = "
    "δ/(2|R|), and there are at most |R| of them.  NL ≥ 1, since the true output has weight 1.  "
)

CLAIMS = (
    Claim(
        id="smooth-sensitivity",
        typed=neighbours(
            "beta >= 0",
            variables="real beta",
            holds=f"LS({PRIOR}, {X}) <= S_beta({PRIOR}, beta, {X}) and "
            f"S_beta({PRIOR}, beta, {X}) <= exp(beta)*S_beta({PRIOR}, beta, {Y})",
        ),
        source="N §2.3.1, Def. 2.1 (the smooth sensitivity; used in the proof of Lemma 2.3)",
        statement="S_β is a β-smooth upper bound of the local sensitivity",
        formula="∀ x ~ y: LS(x) ≤ S_β(x) ≤ e^β·S_β(y)",
        domain="any prior, k, n ≥ 1; β ≥ 0 (nothing of H is used but LS)",
        evidence=(SMOOTH,),
        derivation="LS(x) is one of the numbers the maximum is taken of.  Let z attain it for x.  "
        "d(y, z) ≤ d(x, z) + 1, so e^(−βd(y, z)) ≥ e^(−β)·e^(−βd(x, z)), and S_β(y) is at least "
        "LS(z)·e^(−βd(y, z)) (Nissim, Raskhodnikova and Smith 2007).",
    ),
    Claim(
        id="smooth-sensitivity-L",
        typed=forall(
            "real eps delta, natural n c",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "n >= 1",
            "c + 1 <= n",
            holds="LS((1, 1), (c, n - c)) <= exp(log(1 - eps/(2*log(delta/(2*(n + "
            "1))))))*LS((1, 1), (c + 1, n - c - 1))",
        ),
        points=({"eps": "4/5", "delta": "1/2000", "n": "10", "c": "1"},),
        source="L, the definition of the mechanism (§2.3.1)",
        statement="the S_β that L prints, with BI(x) where N has BI(y), is β-smooth",
        formula="S_β(x) = max(LS(x), max_{y ≠ x} LS(x)·e^(−βd(x, y))); "
        "∀ x ~ y: S_β(x) ≤ e^β·S_β(y)",
        domain="prior (1,1), k = 2, all n ≥ 1, ε > 0, 0 < δ < 1",
        evidence=(
            Counterexample(
                title="it is LS itself, which falls by more than e^β",
                parameters={
                    "n": "10",
                    "prior": "(1,1)",
                    "ε": "4/5",
                    "δ": "1/2000",
                    "x": "(1,9)",
                    "y": "(2,8)",
                },
                shows="LS(x) > e^β·LS(y)",
                margin=_steeper,
                again=_steeper_again,
            ),
        ),
        derivation="β > 0, so the inner maximum is below LS(x), and S_β = LS: the mechanism of L "
        "is the one with local sensitivity (N §2.2), which both call non-private.",
        repaired="With LS(y) in the maximum, as N prints it (smooth-sensitivity).",
    ),
    Claim(
        id="lemma-2.3-repaired",
        source="N §2.3.4, Lemma 2.3, with the constants that can be proved",
        statement="M_H is (3ε/2, δ/2)-differentially private",
        formula="∀ x ~ y, T ⊆ R: P_x(T) ≤ e^(3ε/2)·P_y(T) + δ/2, β = ln(1 − ε/(2·ln(δ/(2·|R|))))",
        domain="k ≥ 2, every prior, all n ≥ 1, ε > 0, 0 < δ < 1; |R| = C(n + k − 1, k − 1), which "
        "is the printed n + 1 for k = 2",
        evidence=(NEAR, SLOWER, FROM_X, FROM_Y),
        derivation=_WEIGHTS + "With s = e^(ε/2) and d = δ/2 the sums over T and over R are what "
        "the last two proofs need.  So M_H with 2ε/3 for ε and 2δ for δ (if that is below 1) is "
        "(ε, δ)-differentially private.  For k > 2 the factor 3/2 cannot be 1 "
        "(lemma-2.3-dirichlet-count).",
    ),
    Claim(
        id="lemma-2.3-small",
        source="N §2.3.4, Lemma 2.3, on a domain where it can be proved for all n",
        statement="M_H is even ε-differentially private where ε·(n + Σα) ≤ ln(2(n + 1)/δ)",
        formula="∀ x ~ y, r ∈ R: ε·(n + Σα) ≤ ln(2(n + 1)/δ) ⟹ P_x(r) ≤ e^ε·P_y(r)",
        domain="k ≥ 2, every prior, n ≥ 1, ε > 0, 0 < δ < 1 with ε·(n + Σα) ≤ ln(2(n + 1)/δ) (at "
        "the notes' prior (1,1), ε = 4/5 and δ = 1/2000: n ≤ 11); also with |R| for n + 1",
        evidence=(
            replace(AFFINITY_RECURRENCE, role=Role.LEMMA),
            _FALLS,
            _PRODUCT,
            _STEP,
            SLOPE,
            SPREAD,
        ),
        derivation="(1) By the first two, G(s)²/T(s) increases along s, s + 1, … to its limit 1, "
        "so G(s)² ≤ T(s) = 1 − 1/(4s + 2).  (2) A step moves a record from i to j: 1 − H² = "
        "G(s)·G(s′), s = αᵢ + cᵢ − 1, s′ = αⱼ + cⱼ, s + s′ ≤ n + Σα − 1.  With p = 4s + 2, "
        "q = 4s′ + 2: m = 2(s + s′ + 1) ≤ 2N, N = n + Σα, and 1 − H² ≤ 1 − 1/m.  (3) e^β − 1 = "
        "ε/(2L) ≤ 1/(2N) ≤ S(x)·S(y), so κ ≤ S(y) for the y with the smaller S.  (4) The least of "
        "b − a is at least −D/S(x): if h ≥ D, b − a ≥ (h − D)/S(y) − h/S(x) ≥ −D/S(x) as h ≥ D; if "
        "h < D, b − a ≥ −h/S(x).  The largest is at most (D/S(y))·c + κh.  (5) NL(y) ≤ "
        "max(w_y/w_x)·NL(x), so ln(P_x(r)/P_y(r)) is at most ε/2 times the spread, in either "
        "direction.",
    ),
    Claim(
        id="lemma-2.3-ratio-moderate",
        source="N §2.3.4, proof of Lemma 2.3, second inequality, where it can be proved for all n",
        statement="(S(x)/S(y))·ln(NL(x)/NL(y)) ≤ 1 − ε/(2·ln(δ/(2(n + 1)))) if e^ε + δ/2 ≤ e",
        formula="∀ x ~ y: e^ε + δ/2 ≤ e ⟹ (S(x)/S(y))·ln(NL(x)/NL(y)) ≤ e^β",
        domain="k = 2, every prior, all n ≥ 1, ε > 0, 0 < δ < 1 with e^ε + δ/2 ≤ e (so at the "
        "notes' ε = 4/5 and δ = 1/2000); for k > 2 with |R| for n + 1",
        evidence=(
            NEAR,
            SLOWER,
            NORMALISER,
            replace(FACTOR, role=Role.PROVES),
        ),
        derivation=_WEIGHTS + "Summing w_x ≤ e^ε·w_y over the near and δ/(2|R|) over the far "
        "candidates gives NL(x) ≤ e^ε·NL(y) + δ/2 for the y with the smaller S, and "
        "NL(y) ≤ e^(ε/2)·NL(x): either quotient is at most e, its logarithm l at most 1; "
        "q = S(x)/S(y) ≤ e^β in either order.",
    ),
)

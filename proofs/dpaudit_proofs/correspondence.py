"""The correspondence between a candidate and its score (N §2.3.1).

The notes argue with probabilities of scores, P(H(x, z) = H(x, r)), in place of probabilities of
candidates, and say that the two differ by the factor 2 for every r.  Candidates with equal scores
have equal probabilities, so the factor is the number of candidates at the distance of r.

Let (a, b) be the posterior parameters of x, and r = x + s records away, at (a + s, b − s).  Then

    1 − H(x, r)² = G(a, a + s)·G(b, b − s),  G(p, q) = Γ((p + q)/2)/√(Γ(p)Γ(q)).

*On one side of x no distance occurs twice.*  Put q(z) = Γ(z + ½)/Γ(z).  One further step away
multiplies the affinity by

    q(a + s/2)/√(a + s) · √(b − s − 1)/q(b − s/2 − ½).

ln Γ is strictly convex (Bohr and Mollerup), so q(z)² < q(z)·q(z + ½) = z; with the recurrence
q(z)·q(z − ½) = z − ½ that also gives q(z)² > z − ½.  Hence the square of the factor is at most
(a + s/2)(b − s − 1)/((a + s)·(b − s/2 − 1)) ≤ 1, and below 1: distances grow strictly.

*Across x they agree exactly at balance.*  H(x, x + 1) = H(x, x − 1) needs consecutive affinities
to be equal, which by the factor of :mod:`dpaudit_proofs.statement_one` happens only for a = b; and
for a = b exchanging the two coordinates turns r = x + s into x − s.
"""

from __future__ import annotations

from typing import Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_steps import SYMMETRIC_AT_BALANCE
from dpaudit_proofs.scores import DATA, LAW, SENSITIVITY, SENSITIVITY_POSITIVE
from dpaudit_proofs.smooth_mechanism import Law, Setting, both
from dpaudit_proofs.statement_one import RATIO

__all__ = ["CLAIMS", "GROWS_AWAY", "MIRRORED"]

BALANCED = "x balanced (n even, c₁ = c₂ = n/2) and r ≠ BI(x)"

GROWS_AWAY = SMTProof(
    title="one step further away the affinity falls strictly",
    role=Role.LEMMA,
    hypotheses=(
        "a > 0 and s >= 0 and b - s - 1 > 0",
        "p > 0 and p < a + s/2",
        "q > b - s/2 - 1",
    ),
    goal="p*(b - s - 1) < q*(a + s)",
)
"""p = q(a + s/2)² and q = q(b − s/2 − ½)², with what the convexity of ln Γ gives for them."""


def _gamma_steps() -> list[Any]:
    from sympy import Rational, gamma, symbols

    z = symbols("z", positive=True)
    half = Rational(1, 2)

    def q(argument: Any) -> Any:
        return gamma(argument + half) / gamma(argument)

    return [q(z + half) * q(z), z]


def _one_step() -> list[Any]:
    from sympy import Rational, gamma, sqrt, symbols

    a, s, c = symbols("a s c", positive=True)
    b = c + s + 1  # one more unit can be moved
    half = Rational(1, 2)

    def affinity(t: Any) -> Any:
        to_first = gamma(a + t / 2) / sqrt(gamma(a) * gamma(a + t))
        return to_first * gamma(b - t / 2) / sqrt(gamma(b) * gamma(b - t))

    def q(z: Any) -> Any:
        return gamma(z + half) / gamma(z)

    return [
        (affinity(s + 1) / affinity(s)) ** 2,
        q(a + s / 2) ** 2 * (b - s - 1) / (q(b - s / 2 - half) ** 2 * (a + s)),
    ]


_STEPS = (
    Identity(
        title="the factor of one step away",
        role=Role.LEMMA,
        chain=_one_step,
        shown=(
            "(A(s + 1)/A(s))², A(s) = G(a, a + s)·G(b, b − s)",
            "q(a + s/2)²·(b − s − 1)/(q(b − s/2 − ½)²·(a + s))",
        ),
    ),
    Identity(
        title="the recurrence of q",
        role=Role.LEMMA,
        chain=_gamma_steps,
        shown=("q(z + ½)·q(z)", "z"),
    ),
    GROWS_AWAY,
)


def _mirror() -> list[Any]:
    from sympy import gamma, sqrt, symbols

    a, s, t = symbols("a s t", positive=True)

    def affinity(p: Any, q: Any, v: Any, w: Any) -> Any:
        def middle(left: Any, right: Any) -> Any:
            return gamma((left + right) / 2) / sqrt(gamma(left) * gamma(right))

        return middle(p, v) * middle(q, w)

    a = s + t  # s units can be moved either way
    return [affinity(a, a, a + s, a - s), affinity(a, a, a - s, a + s)]


MIRRORED = Identity(
    title="at a = b the distances to x + s and x − s agree",
    chain=_mirror,
    shown=("G(a, a + s)·G(a, a − s)", "G(a, a − s)·G(a, a + s)"),
    domain=BALANCED,
)

_SQUARED_FACTOR_ABOVE = "(a - 1/2)^2*b*(b - 1)"
_SQUARED_FACTOR_BELOW = "(b - 1/2)^2*a*(a - 1)"

_ONLY_AT_BALANCE = (
    OrthantCertificate(
        title="H(x, x + 1) < H(x, x − 1) where 1 < a < b",
        role=Role.ILLUSTRATES,
        positive=f"{_SQUARED_FACTOR_ABOVE} - {_SQUARED_FACTOR_BELOW}",
        shift={"a": "1 + s", "b": "1 + s + t"},
        positive_variables=("s", "t"),
    ),
    OrthantCertificate(
        title="H(x, x + 1) > H(x, x − 1) where a > b > 1",
        role=Role.ILLUSTRATES,
        positive=f"{_SQUARED_FACTOR_BELOW} - {_SQUARED_FACTOR_ABOVE}",
        shift={"b": "1 + s", "a": "1 + s + t"},
        positive_variables=("s", "t"),
    ),
)


def _true_output(law: Law) -> Any:
    centre = law.mass((1, 1))
    return centre - centre / 2


def _lone_output(law: Law) -> Any:
    far = law.mass((0, 2))
    return far - far / 2


def _other_distance(law: Law) -> Any:
    return law.distance[(0, 2)] - law.distance[(1, 1)]


def _order(law: Law) -> Any:
    return law.mass((1, 1)) - law.mass((0, 2))


def _asymmetry(law: Law) -> Any:
    return law.distance[(0, 3)] - law.distance[(2, 1)]


_TWO = Setting(n=2, epsilon="4/5", delta="1/2000")
_THREE = Setting(n=3, epsilon="4/5", delta="1/2000")
_AT_TRUTH = both(_TWO, _true_output, (1, 1))
_AT_EDGE = both(_TWO, _lone_output, (2, 0))
_DISTANCES = both(_TWO, _other_distance, (2, 0))
_ORDER = both(_TWO, _order, (1, 1))
_ASYMMETRY = both(_THREE, _asymmetry, (1, 2))

CLAIMS = (
    Claim(
        id="corr-half",
        typed=forall(
            "real eps delta, natural n c r",
            *DATA,
            "r <= n",
            holds=f"{LAW} == 1/2*sum(s, 0, n, same(H((1 + c, 1 + n - c), (1 + s, 1 + n - s)), "
            "H((1 + c, 1 + n - c), (1 + r, 1 + n - r)))*"
            f"P_exp(eps/(2*{SENSITIVITY}), (1, 1), (c, n - c), (s, n - s)))",
        ),
        holds_on=("n == 2*c", "r != c"),
        points=(
            {"eps": "4/5", "delta": "1/2000", "n": "2", "c": "1", "r": "1"},
            {"eps": "4/5", "delta": "1/2000", "n": "4", "c": "2", "r": "1"},
        ),
        source="N §2.3.1, the correspondence after Def. 2.1",
        statement="the probability of r is half the probability of the score of r, for every "
        "candidate r",
        formula="∀ x, ∀ r ∈ R: P(z = r) = ½·P(H(BI(x), z) = H(BI(x), r)),  z ~ M_H(x)",
        domain="prior (1,1), k = 2, all n, ε, δ, all x and all r",
        evidence=(
            Counterexample(
                title="the true output is alone at distance 0",
                parameters={**_TWO.parameters, "x": "(1,1)", "r": "(1,1)"},
                shows="P(z = r) > ½·P(H(x, z) = 0) = ½·P(z = r)",
                margin=_AT_TRUTH[0],
                again=_AT_TRUTH[1],
            ),
            Counterexample(
                title="at an unbalanced dataset other candidates are alone too",
                parameters={**_TWO.parameters, "x": "(2,0)", "r": "(0,2)"},
                shows="P(z = r) > ½·P(H(x, z) = H(x, r)) = ½·P(z = r)",
                margin=_AT_EDGE[0],
                again=_AT_EDGE[1],
            ),
            Fact(
                role=Role.LEMMA,
                title="there the three distances 0, H(x, (1,1)), H(x, (0,2)) differ",
                parameters={**_TWO.parameters, "x": "(2,0)"},
                shows="H(x, (0,2)) > H(x, (1,1)) (> 0)",
                margin=_DISTANCES[0],
                again=_DISTANCES[1],
            ),
            *_STEPS,
            MIRRORED,
            SENSITIVITY_POSITIVE,
        ),
        derivation="P(H(x, z) = H(x, r)) = N(r)·P(z = r), N(r) the number of candidates at the "
        "distance of r: the claim is N(r) = 2.  N(BI(x)) = 1, since H is a metric; the notes "
        "themselves except the true output two lines on.  On each side of x distances grow "
        "strictly (the affinity falls by the factor shown, below 1), so N(r) ≤ 2, one candidate "
        "on either side; at balance x + s and x − s are equally far, so N(r) = 2 for r ≠ BI(x).  "
        "The domain cannot be larger: if every r ≠ BI(x) had a partner on the other side, the "
        "sides would have equally many candidates, and they have c₁ and c₂.",
        repaired="P(H(x, z) = H(x, r)) = N(r)·P(z = r) with N(r) ∈ {1, 2}; N(r) = 2 for all "
        "r ≠ BI(x) exactly if x is balanced.",
    ),
    Claim(
        id="corr-proportional",
        typed=forall(
            "real eps delta, natural n c r s",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "n >= 1",
            "c <= n",
            "r <= n",
            "s <= n",
            holds="P_exp(eps/(2*S_beta((1, 1), log(1 - eps/(2*log(delta/(2*(n + 1))))), (c, n "
            "- c))), (1, 1), (c, n - c), (r, n - r))*H((c + 1, n - c + 1), (s + 1, n - s "
            "+ 1)) == P_exp(eps/(2*S_beta((1, 1), log(1 - eps/(2*log(delta/(2*(n + "
            "1))))), (c, n - c))), (1, 1), (c, n - c), (s, n - s))*H((c + 1, n - c + 1), "
            "(r + 1, n - r + 1))",
        ),
        points=({"eps": "4/5", "delta": "1/2000", "n": "2", "c": "1", "r": "1", "s": "0"},),
        source="N §2.3.1, “To see this”",
        statement="the probability of r is proportional to H(BI(x), r)",
        formula="P(z = r) ∝ H(BI(x), r)",
        domain="prior (1,1), k = 2, all n ≥ 1, all x",
        step_of="corr-half",
        evidence=(
            Counterexample(
                title="it falls with the distance, and the true output has the largest",
                parameters={**_TWO.parameters, "x": "(1,1)"},
                shows="P(z = (1,1)) > P(z = (0,2)), though H is 0 at the first",
                margin=_ORDER[0],
                again=_ORDER[1],
            ),
        ),
        repaired="P(z = r) is proportional to exp(−ε·H(BI(x), r)/(2·S(x))), so equal distances "
        "have equal probabilities, which is all that is used.",
        derivation="Proportionality would give the true output, at distance 0, probability 0.",
    ),
    Claim(
        id="corr-symmetry",
        typed=forall(
            "natural n c s",
            "s <= c",
            "c + s <= n",
            holds="H((c + 1, n - c + 1), (c + s + 1, n - c - s + 1)) == H((c + 1, n - c + 1), "
            "(c - s + 1, n - c + s + 1))",
        ),
        holds_on=("n == 2*c",),
        points=({"n": "3", "c": "1", "s": "1"},),
        source="N §2.3.1, “axial symmetry”",
        statement="H(BI(x), ·) is symmetric around BI(x)",
        formula="∀ x, s with x ± s ∈ R: H(x, x + s) = H(x, x − s)",
        domain="prior (1,1), k = 2, all n, all x",
        step_of="corr-half",
        evidence=(
            SYMMETRIC_AT_BALANCE,
            Counterexample(
                title="an unbalanced dataset",
                parameters={"n": "3", "prior": "(1,1)", "x": "(1,2)", "s": "1"},
                shows="H(x, (0,3)) > H(x, (2,1))",
                margin=_ASYMMETRY[0],
                again=_ASYMMETRY[1],
            ),
            Identity(
                title=MIRRORED.title,
                chain=MIRRORED.chain,
                shown=MIRRORED.shown,
                domain="x balanced: n even, c₁ = c₂ = n/2",
            ),
            RATIO,
            *_ONLY_AT_BALANCE,
        ),
        derivation="With (a, b) → (a − 1, b + 1) the square of the factor between the affinities "
        "of (x − 1, x) and (x, x + 1) is (a − ½)²b(b − 1)/((b − ½)²a(a − 1)), which is 1 only for "
        "a = b: already the two neighbours of an interior x are equally far only at balance.",
        repaired="H(x, x + s) = H(x, x − s) for all s if x is balanced, and for s = 1 only then.",
    ),
)

"""Which posteriors have the smaller sensitivity, and what that does to accuracy (N §3.4.2, §3.4.3).

With two categories let (a, b) be the posterior parameters, T = a + b their fixed sum.  The step to
(a + 1, b − 1) has the affinity F(a) = g(a)·g(T − 1 − a), with g of
:mod:`dpaudit_proofs.step_affinity`, and the step to (a − 1, b + 1) has F(a − 1).

* Larger parameters: g increases, so every affinity does, and LS falls.
* Closer parameters: of two pairs with one sum the closer has the larger product, so F(s) falls with
  the distance of s from (T − 1)/2.  With m = |a − b| the step that makes the parameters differ more
  is at the distance (m + 1)/2, the other at |m − 1|/2.  So LS grows with m, as long as the dataset
  has the outward step: the outermost ones have not.
* S_β(x) = max LS(y)·e^(−β·d(x, y)) follows LS.
* The tail of the mechanism, P(H ≥ c) under weights exp(−f·H), falls with f = ε/(2S): a larger
  sensitivity makes it less accurate, not more.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.sensitivity import local_sensitivities
from dpaudit.numbers.ball import Ball, ball, certainly_less
from dpaudit_proofs.basics import REDUCTION
from dpaudit_proofs.definitions import local_sensitivity, number, posterior_distance
from dpaudit_proofs.statement_one import FLAT
from dpaudit_proofs.statement_three import exact_smallest_affinity
from dpaudit_proofs.step_affinity import LIMIT, STEP_CONCAVE, STEP_INCREASES, STEP_RECURRENCE
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real

__all__ = ["CLAIMS"]

_REDUCTION = replace(REDUCTION, role=Role.LEMMA)

LARGER = Claim(
    id="ls-larger-parameters",
    typed=forall(  # (c, d) under (a, b), and (x, y) under (e, f)
        "real a b e f, natural c d x y",
        "a > 0",
        "b > 0",
        "e >= a",
        "f >= b",
        "x >= c",
        "y >= d",
        "c + d >= 1",
        "e + f + x + y > a + b + c + d",
        holds="LS((a, b), (c, d)) > LS((e, f), (x, y))",
    ),
    source="N §3.4.2",
    statement="the local sensitivity decreases when the two parameters of a beta posterior get "
    "larger",
    formula="k = 2, ∀ priors 0 < α ≤ α′, counts c ≤ c′, not both equal: LS of c under α > LS of c′ "
    "under α′",
    domain="k = 2, n ≥ 1; more records added to those of x, a larger prior (by any real amount), "
    "or both",
    evidence=(
        STEP_RECURRENCE,
        STEP_INCREASES,
        _REDUCTION,
        SMTProof(
            title="one record more: every affinity of y is above the smallest one m of x",
            hypotheses=("0 < p and p < q and q < r", "0 < u and u < v"),
            goal="(not (m <= p*v and m <= q*u) or (q*v > m and r*u > m))"
            " and (not m <= q*u or (q*v > m and r*u > m)) and (not m <= p*v or q*v > m)",
        ),
        SMTProof(
            title="a larger prior: every affinity grows with its factors",
            hypotheses=("0 < p and 0 < u", "p <= P and u <= U", "p < P or u < U"),
            goal="P*U > p*u",
        ),
    ),
    derivation=f"{LIMIT}  Let (a, b) be the parameters of x and p, q, r = g(a − 1), g(a), g(a + "
    "1), u, v = g(b − 1), g(b).  The neighbours of x have the affinities p·v (if c₁ > 0) and q·u "
    "(if c₂ > 0), those of x with one more record of the first kind q·v and (if c₂ > 0) r·u.  The "
    "three parts of the goal are c₁, c₂ > 0, then c₁ = 0, then c₂ = 0.  More records: step by "
    "step; a larger prior moves p and u, q and v up, and no neighbour comes or goes.",
)


# -- closer parameters ----------------------------------------------------------------------------


def _edge_tie(n: int) -> Counterexample:
    """LS at (n, 0) and at (n − 1, 1) is the distance between them."""
    x, y = (n, 0), (n - 1, 1)

    def margin() -> Real:
        return exact_smallest_affinity(y) - exact_smallest_affinity(x)

    return Counterexample(
        title=f"n = {n}: ({n}, 0) and ({n - 1}, 1) have the same LS",
        parameters={"prior": "(1, 1)", "n": str(n), "x": str(x), "y": str(y)},
        shows="LS(x) = LS(y)",
        margin=margin,
        again=lambda: local_sensitivity(FLAT, x) ** 2 - local_sensitivity(FLAT, y) ** 2,
        tie=True,
    )


def _reversed_edge() -> Counterexample:
    prior, x, y = (Fraction(1), Fraction(5, 2)), (4, 0), (2, 2)

    def margin() -> Ball:
        at, space = local_sensitivities(prior, 4), Histograms(4, 2)
        return at[space.rank(y)] - at[space.rank(x)]

    return Counterexample(
        title="another prior: the outermost dataset can even have the smaller LS",
        parameters={
            "prior": "(1, 5/2)",
            "n": "4",
            "x": "(4, 0): (5, 5/2)",
            "y": "(2, 2): (3, 9/2)",
        },
        shows="LS(x) < LS(y), although |5 − 5/2| > |3 − 9/2|",
        margin=margin,
        again=lambda: local_sensitivity(prior, y) - local_sensitivity(prior, x),
    )


_FARTHEST = SMTProof(
    title="x's outward step is farther from (T − 1)/2 than both steps of y",
    role=Role.LEMMA,
    hypotheses=(
        "ax + bx == t and ay + by == t",
        "ax >= bx",
        "ay - by < ax - bx and by - ay < ax - bx",
    ),
    goal="ay - (t - 1)/2 < ax - (t - 1)/2 and (t - 1)/2 - ay < ax - (t - 1)/2 "
    "and ay - 1 - (t - 1)/2 < ax - (t - 1)/2 and (t - 1)/2 - (ay - 1) < ax - (t - 1)/2",
)

_CLOSER_LEMMAS = (STEP_RECURRENCE, STEP_CONCAVE, _REDUCTION)

CLOSER = Claim(
    id="ls-closer-parameters",
    typed=forall(
        "real a b, natural n c d",
        "a > 0",
        "b > 0",
        "n >= 1",
        "c <= n",
        "d <= n",
        "abs(a + c - b - n + c) > abs(a + d - b - n + d)",
        holds="LS((a, b), (c, n - c)) > LS((a, b), (d, n - d))",
    ),
    holds_on=("(c + 1 <= n and a + c - b - n + c > -1) or (c >= 1 and a + c - b - n + c < 1)",),
    points=({"a": "1", "b": "1", "n": "4", "c": "4", "d": "3"},),
    source="N §3.4.2, §3.4.3",
    statement="the local sensitivity decreases when the two parameters of a beta posterior get "
    "closer (more uniform data)",
    formula="∀ α > 0, n ≥ 1, ∀ x, y of n records with parameters (a, b), (a′, b′), |a − b| > "
    "|a′ − b′|: LS(x) > LS(y)",
    domain="k = 2, all priors, all n ≥ 1, all pairs of datasets of the same size",
    evidence=(
        _edge_tie(4),
        _edge_tie(5),
        _reversed_edge(),
        *_CLOSER_LEMMAS,
        replace(
            _FARTHEST,
            role=Role.PROVES,
            domain="pairs in which x has a neighbour whose parameters differ more than its own; "
            "for the prior (1,1) all x but (n, 0) and (0, n)",
        ),
    ),
    derivation=f"{LIMIT}  Let T = a + b be the sum of the parameters.  The step from (a, b) to "
    "(a + 1, b − 1) has the affinity F(a) = g(a)·g(T − 1 − a), the step to (a − 1, b + 1) has "
    "F(a − 1).  By the second lemma F(s) falls strictly with the distance |s − (T − 1)/2|.  By "
    "exchange of the categories let a ≥ b; if x has its outward step, that is at s = a.  Every "
    "step of y is at a smaller distance, so every neighbour of y is nearer to it than this "
    "neighbour of x is to x.\n"
    "The outermost dataset has no outward step: under (1,1), (n, 0) has the LS of (n − 1, 1), "
    "which is the step between them.  Under an asymmetric prior it can be below that of a more "
    "even posterior on the other side of balance.",
    repaired="for x with an outward neighbour.  For the prior (1,1): never increases, and "
    "decreases strictly but for the step from (n, 0) to (n − 1, 1)",
)


# -- the smooth sensitivity -----------------------------------------------------------------------

SMOOTH_LARGER = Claim(
    id="smooth-larger-prior",
    typed=forall(
        "real a b e f beta, natural n c",
        "a > 0",
        "b > 0",
        "e >= a",
        "f >= b",
        "e + f > a + b",
        "beta >= 0",
        "n >= 1",
        "c <= n",
        holds="S_beta((a, b), beta, (c, n - c)) > S_beta((e, f), beta, (c, n - c))",
    ),
    source="N §3.4.2",
    statement="the smooth sensitivity decreases when the prior of a beta posterior is increased",
    formula="k = 2, ∀ priors 0 < α ≤ α′, α ≠ α′, ∀ x, β ≥ 0: S_β(x) under α > S_β(x) under α′",
    domain="k = 2, all n ≥ 1, all datasets, one and the same β ≥ 0 (N's β does not depend on the "
    "prior)",
    evidence=(
        *LARGER.evidence[:3],
        replace(LARGER.evidence[4], role=Role.LEMMA),
        SMTProof(
            title="the largest of smaller numbers is smaller: s′ = l′·w < l·w ≤ s",
            hypotheses=("w > 0", "l2 < l1", "s2 == l2*w", "s1 >= l1*w"),
            goal="s2 < s1",
        ),
    ),
    derivation="LS(y) falls at every y (ls-larger-parameters), and S_β(x) is the largest of "
    "LS(y)·w(y), w(y) = e^(−β·d(x, y)) > 0.  Let y attain it under α′.",
)

SMOOTH_CLOSER = Claim(
    id="smooth-closer-parameters",
    typed=forall(
        "natural n c d, real beta",
        "n >= 1",
        "c <= n",
        "d <= n",
        "beta > 0",
        "abs(c - (n - c)) > abs(d - (n - d))",
        holds="S_beta((1, 1), beta, (c, n - c)) > S_beta((1, 1), beta, (d, n - d))",
    ),
    holds_on=("c >= 1", "c + 1 <= n"),
    points=({"n": "4", "c": "4", "d": "3", "beta": "1"},),
    source="N §3.4.2, §3.4.3",
    statement="the smooth sensitivity decreases when the data get more uniform",
    formula="∀ n ≥ 1, ∀ x, y of n records, |c₁ − c₂| > |c₁′ − c₂′|, β > 0: S_β(x) > S_β(y)",
    domain="prior (1,1), all n ≥ 1, all β > 0, all pairs of datasets of the same size",
    evidence=(
        replace(
            _edge_tie(4),
            title="n = 4: at (4, 0) and (3, 1) LS is the largest of all, and S_β = LS",
            shows="S_β(x) = LS(x) = LS(y) = S_β(y)",
        ),
        *_CLOSER_LEMMAS,
        _FARTHEST,
        SMTProof(
            title="S₁ ≤ max(L₁, q·S) is below S, as L₁ < L ≤ S and q = e^(−β) < 1",
            hypotheses=(
                "0 < q and q < 1",
                "0 < l1 and l1 < l and l <= s",
                "s1 <= l1 or s1 <= q*s",
            ),
            goal="s1 < s",
            domain="x other than (n, 0) and (0, n)",
        ),
    ),
    derivation="By symmetry and step by step let x have c₁ = c < n and y have c − 1 ≥ n/2; write "
    "L, S for x and L₁, S₁ for y.  S₁ = max over z of LS(z)·e^(−β·|z − c + 1|).  A z < n/2 may be "
    "replaced by its mirror image, of the same LS and not farther from y.  For n/2 ≤ z ≤ c − 1 "
    "the term is at most L₁, since LS never increases towards the centre.  For z ≥ c the distance "
    "is that from x plus 1, so the term is at most q·S.  And L₁ < L (ls-closer-parameters).\n"
    "At (n, 0) and (n − 1, 1) LS is the largest there is, so S_β = LS at both, and they are equal.",
    repaired="never increases; decreases strictly but for the step from (n, 0) to (n − 1, 1)",
)


# -- accuracy -------------------------------------------------------------------------------------

_AT, _C, _EPSILON = (4, 4), Fraction(1, 2), Fraction(4, 5)
_SMALL, _LARGE = Fraction(1, 4), Fraction(1, 2)


def _tail(sensitivity: Fraction) -> Ball:
    """Return P(H ≥ c) under weights exp(−ε·H/(2S)), in balls."""
    distances = HellingerMetric(FLAT).row(_AT)
    weights = [(-h * ball(_EPSILON / (2 * sensitivity))).exp() for h in distances]
    far = [w for w, h in zip(weights, distances, strict=True) if certainly_less(ball(_C), h)]
    return sum(far, Ball(0)) / sum(weights, Ball(0))


def _tail_again(sensitivity: Fraction) -> Any:
    from mpmath import exp

    n, factor = sum(_AT), number(_EPSILON / (2 * sensitivity))
    distances = [posterior_distance(FLAT, _AT, (c, n - c)) for c in range(n + 1)]
    weights = [exp(-factor * h) for h in distances]
    far = sum(w for w, h in zip(weights, distances, strict=True) if h >= number(_C))
    return far / sum(weights)


DIRECTION = Claim(
    id="acc-sensitivity-direction",
    **REFUTED["acc-sensitivity-direction"],
    source="N §3.4.2 (“from accuracy bound in Sec. 3.3”)",
    statement="the accuracy of the exponential mechanism improves when the sensitivity gets larger",
    formula="P_S(r) ∝ exp(−ε·H(x, r)/(2S)): S < S′ ⟹ P_S′(H ≥ c) < P_S(H ≥ c)",
    domain="all n ≥ 1, k ≥ 2, α > 0, x, c, ε > 0 and 0 < S < S′",
    evidence=(
        Counterexample(
            title="the larger sensitivity has the larger tail",
            parameters={
                "prior": "(1, 1)",
                "x": str(_AT),
                "ε": str(_EPSILON),
                "c": str(_C),
                "S": str(_SMALL),
                "S′": str(_LARGE),
            },
            shows="P_S′(H ≥ c) > P_S(H ≥ c)",
            margin=lambda: _tail(_LARGE) - _tail(_SMALL),
            again=lambda: _tail_again(_LARGE) - _tail_again(_SMALL),
        ),
        SMTProof(
            title="never the other way round: P ≤ P′ (far weights A, A′, near ones B, B′)",
            role=Role.REFUTES,
            hypotheses=(
                "q > 0 and A2 >= 0 and B2 > 0",
                "0 <= A1 and A1 <= q*A2",
                "B1 >= q*B2",
                "P1*(A1 + B1) == A1",
                "P2*(A2 + B2) == A2",
            ),
            goal="P1 <= P2",
        ),
    ),
    derivation="With f = ε/(2S) > f′ = ε/(2S′) and q = e^(−(f − f′)c) a far candidate, H ≥ c, has "
    "e^(−f·H) ≤ q·e^(−f′·H), a near one, H < c, at least that; so A ≤ q·A′ and B ≥ q·B′ for the "
    "sums.  (If no candidate is near, both tails are 1.)  The bounds of N §3.3 agree: "
    "|R|·exp(−εc/S) grows with S.  N §3.4.3, and the conclusion of §3.4.2 itself, have it right.",
    repaired="it improves when the sensitivity gets smaller: S < S′ ⟹ P_S(H ≥ c) ≤ P_S′(H ≥ c)",
)

CLAIMS = (LARGER, CLOSER, SMOOTH_LARGER, SMOOTH_CLOSER, DIRECTION)

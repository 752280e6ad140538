"""The case that the printed argument on local sensitivity considers: it hardly ever occurs.

D §1.2.2 (E has the same) writes u = −H, s_x = Δ_l u(x), s_y = Δ_l u(y), N for the normalisers, and
considers *the case*: neighbours x, y and an output r with s_y < s_x, r = argmax u(x, ·) =
argmin u(y, ·) and s_y = u(x, r) − u(y, r).  So r = BI(x), u(x, r) = 0, u(y, r) = −s_y, and BI(x) is
the candidate farthest from BI(y).

Moving two records is farther than moving one (``FARTHER``, and affinities grow with the counts), so
y must have a single record to give up; if n ≥ 2 and k ≥ 3, a candidate farther from y than x is
left even then, and if k = 2, s_x ≤ s_y.  That leaves n = 1 and k ≥ 3, where it occurs exactly if
the second-smallest αᵢ is below the largest.  It never occurs for the beta priors that D works with.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import minimum
from dpaudit_proofs.considered_case import WHERE, X, Y, Z, considered, step
from dpaudit_proofs.definitions import posterior_distance
from dpaudit_proofs.exponential_privacy import AFFINITY_GROWS, AFFINITY_RECURRENCE, Margin

__all__ = ["CLAIMS", "FARTHER"]


def _farthest_is_not_next() -> Margin:
    """Return the least of max H(y, r′) − H(y, x) over neighbours x, y at n = 3, prior (1,1)."""
    flat = (Fraction(1), Fraction(1))
    counts = [(c, 3 - c) for c in range(4)]
    pairs = [(y, x) for y in counts for x in counts if abs(x[0] - y[0]) == 1]
    ends = {y: counts[0] if y[0] > 1 else counts[3] for y in counts}

    def margin() -> Any:
        metric = HellingerMetric(flat)
        return minimum(metric.between(y, ends[y]) - metric.between(y, x) for y, x in pairs)

    def again() -> Any:
        return min(
            posterior_distance(flat, y, ends[y]) - posterior_distance(flat, y, x) for y, x in pairs
        )

    return margin, again


FARTHER = OrthantCertificate(
    title="G(s, s + 2)² = s/(s + 1) is below G(s, s + 1)², factor by factor of their products",
    role=Role.LEMMA,
    positive="(p + 1)^3 - (p + 2)*(p + 1/2)^2",
    shift={"p": "p"},
)


def _two_steps() -> list[Any]:
    from sympy import gamma, symbols

    s = symbols("s", positive=True)
    return [gamma(s + 1) ** 2 / (gamma(s) * gamma(s + 2)), s / (s + 1)]


_TWO_STEPS = Identity(
    title="the affinity of two steps in one coordinate",
    role=Role.LEMMA,
    chain=_two_steps,
    shown=("Γ(s + 1)²/(Γ(s)·Γ(s + 2))", "s/(s + 1)"),
)


def _rewritten() -> list[Any]:
    from sympy import exp, symbols

    a, b = symbols("a b", real=True)
    nx, ny = symbols("Nx Ny", positive=True)
    return [(exp(a) / nx) / (exp(b) / ny), exp(a - b) * (ny / nx), exp(a) * ny / (exp(b) * nx)]


_NEVER, _NEVER_AGAIN = _farthest_is_not_next()
_OCCURS = [
    Fact(
        title=f"it occurs at prior (1,3,2), n = 1: {shows}",
        role=Role.ILLUSTRATES,
        parameters=WHERE,
        shows=shows,
        margin=margin,
        again=again,
    )
    for shows, (margin, again) in (
        ("s_y < s_x", considered(lambda case: case.sx - case.sy)),
        (
            "H(y, x) > H(y, z), the only other candidate",
            considered(lambda case: case.distance(Y, X) - case.distance(Y, Z)),
        ),
    )
]

_AT = ("(c, n - c)", "(c + 1, n - c - 1)")
_TWICE = [f"(2*LS((a, b), {at}))" for at in _AT]
_LAWS = [
    f"P_exp(eps/{twice}, (a, b), {at}, (r, n - r))" for at, twice in zip(_AT, _TWICE, strict=True)
]
_UX = "eps*H((a + c, b + n - c), (a + {0}, b + n - {0}))/" + _TWICE[0]
_UY = "eps*H((a + c + 1, b + n - c - 1), (a + {0}, b + n - {0}))/" + _TWICE[1]
_PAIR = ("a > 0", "b > 0", "eps > 0", "c + 1 <= n", "r <= n")
_FIRST_LINES = forall(  # multiplied by the denominators, which are sums of values of exp
    "real a b eps, natural n c r",
    *_PAIR,
    holds=f"{_LAWS[0]}/{_LAWS[1]}*sum(j, 0, n, exp(-{_UX.format('j')})) == "
    f"exp({_UY.format('r')} - {_UX.format('r')})*sum(j, 0, n, exp(-{_UY.format('j')})) and "
    f"{_LAWS[0]}/{_LAWS[1]}*sum(j, 0, n, exp(-{_UY.format('r')} - {_UX.format('j')})) == "
    f"sum(j, 0, n, exp(-{_UX.format('r')} - {_UY.format('j')}))",
)
_LOCAL = Derivation(
    title="the local sensitivities are above 0",
    role=Role.LEMMA,
    proves=forall(
        "real a b, natural n c",
        "a > 0",
        "b > 0",
        "c + 1 <= n",
        holds=f"{_TWICE[0]} > 0 and {_TWICE[1]} > 0",
    ),
    uses=(
        Use("local-sensitivity-positive", {"x": "c", "y": "n - c"}),
        Use("local-sensitivity-positive", {"x": "c + 1", "y": "n - c - 1"}),
    ),
)
_POSSIBLE = Derivation(
    title="every candidate is possible",
    role=Role.LEMMA,
    proves=forall(
        "real a b eps, natural n c r", *_PAIR, holds=f"{_LAWS[0]} > 0 and {_LAWS[1]} > 0"
    ),
    uses=(
        Use(_LOCAL),
        *(
            Use("law-positive", {"f": f"eps/{twice}", "x": x, "y": y, "s": "n - r"})
            for twice, x, y in zip(_TWICE, ("c", "c + 1"), ("n - c", "n - c - 1"), strict=True)
        ),
    ),
)

CLAIMS = (
    step(
        1,
        "first three lines",
        typed=_FIRST_LINES,
        statement="P_x(r)/P_y(r) is exp(εu(x,r)/2s_x − εu(y,r)/2s_y)·N_y/N_x, and that is the "
        "quotient of Σ exp(εu(x,r)/2s_x + εu(y,r′)/2s_y) and Σ exp(εu(y,r)/2s_y + εu(x,r′)/2s_x)",
        domain="all neighbours x, y, all r ∈ R, any prior, n, k, ε > 0",
        evidence=(
            _LOCAL,
            _POSSIBLE,
            Identity(
                title="a, b are the exponents at x and y",
                chain=_rewritten,
                shown=("(e^a/N_x)/(e^b/N_y)", "e^(a − b)·N_y/N_x", "e^a·N_y/(e^b·N_x)"),
            ),
        ),
        derivation="e^a·N_y is Σ over r′ of e^a·w_y(r′), the printed numerator; likewise below.",
    ),
    step(
        2,
        "“without loss of generality”",
        statement="The case can be assumed: there are such x, y and r",
        formula="∀ prior, n ∃ neighbours x, y: s_y < s_x and H(y, x) = max over r′ of H(y, r′) "
        "and s_y = H(x, y)",
        domain="any prior, n ≥ 1, k ≥ 2",
        evidence=(
            Counterexample(
                title="at n = 3 and the flat prior, x is never farthest from its neighbour y",
                parameters={"prior": "(1,1)", "n": "3", "x, y": "all six"},
                shows="max over r′ of H(y, r′) > H(y, x)",
                margin=_NEVER,
                again=_NEVER_AGAIN,
            ),
            SMTProof(
                title="αᵢ ≤ α_l < αⱼ, αᵢ ≤ the others: x = eᵢ, y = eⱼ is such a pair",
                domain="n = 1, k ≥ 3, the second-smallest αᵢ below the largest (and nowhere else)",
                hypotheses=("0 < Gi", "Gi <= Gl", "Gl < Gj", "Gj < 1", "Gi <= Gm", "Gm < 1"),
                goal="1 - Gi*Gj < 1 - Gi*Gl and 1 - Gj*Gl <= 1 - Gi*Gj and 1 - Gj*Gm <= 1 - Gi*Gj",
            ),
            AFFINITY_RECURRENCE,
            AFFINITY_GROWS,
            _TWO_STEPS,
            FARTHER,
            *_OCCURS,
        ),
        repaired="The case occurs exactly for n = 1, k ≥ 3 and a second-smallest αᵢ below the "
        "largest αⱼ; never for k = 2.",
        derivation="G(s, t) = Γ((s + t)/2)/√(Γ(s)·Γ(t)), G(s) = G(s, s + 1); 1 − H² is the product "
        "of G over the coordinates.  G(s) grows and tends to 1 (the recurrence), and "
        "G(s, s + 2) < G(s): with p = s + m, G(s)² is the product of p(p + 1)/(p + ½)² and "
        "s/(s + 1) that of p(p + 2)/(p + 1)², m = 0, 1, …  Let x arise from y by moving a record "
        "from i to j, and let x be farthest from y.  (a) yᵢ ≥ 2: moving two records from i to j is "
        "farther.  (b) yᵢ = 1 and y_l ≥ 1, l ≠ i, j: moving both to j is farther.  (c) yᵢ = 1, "
        "yⱼ = n − 1 ≥ 1, k ≥ 3: moving i's record and one of j's to a third m has affinity "
        "Gᵢ·G(αⱼ + n − 2)·G_m(·, · + 2) < Gᵢ·G(αⱼ + n − 1), so it is farther.  (d) the same with "
        "k = 2: x has y as its only neighbour, so s_x = H(x, y) ≤ s_y.  All contradict the case, "
        "so n = 1.  There all candidates are neighbours, H(eᵢ, eⱼ)² = 1 − Gᵢ·Gⱼ with "
        "Gᵢ = G(αᵢ); x = eᵢ is farthest from y = eⱼ iff αᵢ ≤ all others but αⱼ, and then "
        "s_y = H(x, y) < s_x iff some α_l < αⱼ, l ≠ i, j.  Such i, j, l exist iff the "
        "second-smallest αᵢ is below the largest.",
    ),
)

"""The printed argument that the mechanism with local sensitivity is not private, step by step.

D §1.2.2 (E has the same) writes u = −H, s_x = Δ_l u(x), s_y = Δ_l u(y), N for the normalisers, and
considers *the case*: neighbours x, y and an output r with s_y < s_x, r = argmax u(x, ·) =
argmin u(y, ·) and s_y = u(x, r) − u(y, r).  So r = BI(x), u(x, r) = 0, u(y, r) = −s_y, and BI(x) is
the candidate farthest from BI(y).

* The case is rare.  Moving two records is farther than moving one (``FARTHER``, and affinities grow
  with the counts), so y must have a single record to give up; if n ≥ 2 and k ≥ 3, a candidate
  farther from y than x is left even then, and if k = 2, s_x ≤ s_y.  That leaves n = 1 and k ≥ 3,
  where it occurs exactly if the second-smallest αᵢ is below the largest.  It never occurs for the
  beta priors that D works with.
* The first printed ">" is "≤": u ≤ 0, so dividing by the larger s_x makes the numerator's terms
  larger, and dividing by s_y the denominator's smaller.
* The inequalities then derived are true, and their last, divided by s_x·s_y, says "< 2" where "> 2"
  is printed: the quantity is 1 − s_y/s_x, below 1 always.
* In the case itself the ratio is below e^ε, whatever the prior: the conclusion drawn is false.

That the mechanism is not private is nevertheless true (:mod:`proofs.local_sensitivity`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.bayes.dirichlet import HellingerMetric
from dpaudit.claims.algebra import Identity
from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.counterexample import Counterexample, Fact
from dpaudit.claims.smt import SMTProof
from dpaudit.exact.ball import ball, maximum, minimum
from proofs.definitions import number, posterior_distance
from proofs.exponential_privacy import AFFINITY_GROWS, AFFINITY_RECURRENCE, Counts, Margin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["CLAIMS", "FARTHER"]

PRIOR = (Fraction(1), Fraction(3), Fraction(2))
EPSILON = Fraction(4, 5)
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
"""A pair x, y for which the case occurs, and the third candidate; r = x."""

THE_CASE = (
    "neighbours x, y and r ∈ R with s_y < s_x, r = argmax u(x, ·) = argmin u(y, ·), "
    "s_y = u(x, r) − u(y, r); any prior, n, k, ε > 0"
)
_WHERE = {"prior": "(1,3,2)", "n": "1", "ε": "4/5", "x = r": "(1,0,0)", "y": "(0,1,0)"}


class _Considered:
    """The numbers of the case at ``PRIOR``, in balls or in mpmath, whichever it is given."""

    def __init__(
        self,
        distance: Callable[[Counts, Counts], Any],
        epsilon: Any,
        largest: Callable[[Iterable[Any]], Any],
        exp: Callable[[Any], Any],
        log: Callable[[Any], Any],
    ) -> None:
        self.distance, self.epsilon, self.exp, self.log = distance, epsilon, exp, log
        self.sx = largest([distance(X, Y), distance(X, Z)])
        self.sy = largest([distance(Y, X), distance(Y, Z)])

    def log_sum(self, exponent: Callable[[Any, Any], Any]) -> Any:
        """Return ln Σ over r′ of exp(ε/2·exponent(u(x, r′), u(y, r′)))."""
        utilities = [(-self.distance(X, r), -self.distance(Y, r)) for r in (X, Y, Z)]
        return self.log(sum(self.exp(self.epsilon / 2 * exponent(*pair)) for pair in utilities))

    @property
    def loss(self) -> Any:
        """ln(P_x(r)/P_y(r)) at r = x, from the quotient of sums that D prints."""
        top = self.log_sum(lambda _, uy: uy / self.sy)
        return top - self.log_sum(lambda ux, _: -self.sy / self.sy + ux / self.sx)

    @property
    def replaced(self) -> Any:
        """The logarithm of what D puts below it: s_x in all of the numerator, s_y below."""
        top = self.log_sum(lambda _, uy: uy / self.sx)
        return top - self.log_sum(lambda ux, _: (-self.sy + ux) / self.sy)


def _margin(quantity: Callable[[_Considered], Any]) -> Margin:
    def margin() -> Any:
        metric = HellingerMetric(PRIOR)
        return quantity(
            _Considered(
                metric.between, ball(EPSILON), maximum, lambda v: v.exp(), lambda v: v.log()
            )
        )

    def again() -> Any:
        from mpmath import exp, log

        def distance(x: Counts, y: Counts) -> Any:
            return posterior_distance(PRIOR, x, y)

        return quantity(_Considered(distance, number(EPSILON), max, exp, log))

    return margin, again


def _counterexample(title: str, shows: str, quantity: Callable[[_Considered], Any]) -> Any:
    margin, again = _margin(quantity)
    return Counterexample(title=title, parameters=_WHERE, shows=shows, margin=margin, again=again)


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


def _cancelled() -> list[Any]:
    from sympy import exp, symbols

    e, u, v = symbols("epsilon u v", real=True)
    size, sx, sy = symbols("size sx sy", positive=True)
    top, bottom = size * exp(e * (u + v) / (2 * sx)), size * exp(e * (v + u) / (2 * sy))
    return [top / bottom, exp(e / 2 * ((u + v) / sx - (u + v) / sy))]


def _positive(title: str, positive: str, role: Role = Role.PROVES) -> OrthantCertificate:
    """Return the certificate that ``positive`` > 0 wherever 0 < s_y < s_x."""
    return OrthantCertificate(
        title=title,
        role=role,
        positive=positive,
        shift={"sx": "v + d", "sy": "v"},
        positive_variables=("v", "d"),
    )


def _step(number_: int, place: str, **fields: Any) -> Claim:
    return Claim(
        id=f"em-local-step-{number_}",
        source=f"D, E §1.2.2, {place}",
        step_of="em-local-not-dp",
        **{"domain": THE_CASE, **fields},
    )


_NEVER, _NEVER_AGAIN = _farthest_is_not_next()
_OCCURS = [
    Fact(
        title=f"it occurs at prior (1,3,2), n = 1: {shows}",
        role=Role.ILLUSTRATES,
        parameters=_WHERE,
        shows=shows,
        margin=margin,
        again=again,
    )
    for shows, (margin, again) in (
        ("s_y < s_x", _margin(lambda case: case.sx - case.sy)),
        (
            "H(y, x) > H(y, z), the only other candidate",
            _margin(lambda case: case.distance(Y, X) - case.distance(Y, Z)),
        ),
    )
]

CLAIMS = (
    _step(
        1,
        "first three lines",
        statement="P_x(r)/P_y(r) is exp(εu(x,r)/2s_x − εu(y,r)/2s_y)·N_y/N_x, and that is the "
        "quotient of Σ exp(εu(x,r)/2s_x + εu(y,r′)/2s_y) and Σ exp(εu(y,r)/2s_y + εu(x,r′)/2s_x)",
        domain="all neighbours x, y, all r ∈ R, any prior, n, k, ε > 0",
        evidence=(
            Identity(
                title="a, b are the exponents at x and y",
                chain=_rewritten,
                shown=("(e^a/N_x)/(e^b/N_y)", "e^(a − b)·N_y/N_x", "e^a·N_y/(e^b·N_x)"),
            ),
        ),
        derivation="e^a·N_y is Σ over r′ of e^a·w_y(r′), the printed numerator; likewise below.",
    ),
    _step(
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
    _step(
        3,
        "the first “>”",
        statement="Dividing the whole numerator by 2s_x and the whole denominator by 2s_y makes "
        "the quotient smaller",
        formula="Σ exp(εu(x,r)/2s_x + εu(y,r′)/2s_y) / Σ exp(εu(y,r)/2s_y + εu(x,r′)/2s_x) > "
        "Σ exp(ε(u(x,r) + u(y,r′))/2s_x) / Σ exp(ε(u(y,r) + u(x,r′))/2s_y)",
        evidence=(
            _counterexample(
                "the replacement makes it larger",
                "the left side is below the right, here the logarithms",
                lambda case: case.replaced - case.loss,
            ),
            OrthantCertificate(
                title="it always does: −h/s_y ≤ −h/s_x for h = −u ≥ 0",
                role=Role.LEMMA,
                positive="h*sx - h*sy",
                shift={"sx": "v + d", "sy": "v", "h": "h"},
                strict=False,
            ),
        ),
        repaired="The quotient is at most the replaced one, termwise: the inequality is reversed.",
        derivation="u ≤ 0 and s_y < s_x: u(y,r′)/s_y ≤ u(y,r′)/s_x raises every term of the "
        "numerator, u(x,r′)/s_x ≥ u(x,r′)/s_y lowers every term of the denominator.  So the "
        "printed “>” holds nowhere in the case.",
    ),
    _step(
        4,
        "the second “>”",
        statement="Every term of the numerator may be replaced by the least, every term of the "
        "denominator by the largest",
        formula="Σ exp(ε(u(x,r) + u(y,r′))/2s_x) / Σ exp(ε(u(y,r) + u(x,r′))/2s_y) > "
        "|R|·exp(ε(u(x,r) + u(y,r))/2s_x) / (|R|·exp(ε(u(y,r) + u(x,r))/2s_y))",
        evidence=(
            SumOfProducts(
                title="top ≥ |R|·m and bottom < |R|·M give top/bottom > m/M",
                goal="top*M - m*bottom",
                hypotheses=("m", "R*M - bottom", "M", "top - R*m"),
                products=(("1", ("m", "R*M - bottom")), ("1", ("M", "top - R*m"))),
                strict=True,
                positive=("m", "R*M - bottom"),
            ),
        ),
        derivation="r minimises u(y, ·), so every term of the numerator is at least m, that of "
        "r′ = r; r maximises u(x, ·), so every term of the denominator is at most M, and less for "
        "r′ ≠ r, where u(x, r′) < 0.",
    ),
    _step(
        5,
        "the “=” after it",
        statement="|R| cancels",
        formula="|R|·exp(ε(u(x,r) + u(y,r))/2s_x) / (|R|·exp(ε(u(y,r) + u(x,r))/2s_y)) = "
        "exp(ε/2·((u(x,r) + u(y,r))/s_x − (u(x,r) + u(y,r))/s_y))",
        evidence=(
            Identity(
                title="u = u(x, r), v = u(y, r)",
                chain=_cancelled,
                shown=(
                    "|R|·e^(ε(u + v)/2s_x) / (|R|·e^(ε(v + u)/2s_y))",
                    "e^(ε/2·((u + v)/s_x − (u + v)/s_y))",
                ),
            ),
        ),
    ),
    _step(
        6,
        "“we can infer”",
        statement="r = BI(x), u(x, r) = 0 and s_y = −u(y, r)",
        evidence=(
            SMTProof(
                title="best = u(x, BI(x)) = 0 is attained by r, the maximiser",
                hypotheses=("best == 0", "ux <= 0", "ux >= best", "sy == ux - uy"),
                goal="ux == 0 and sy == -uy",
            ),
        ),
        derivation="H ≥ 0, so u ≤ 0; H is a metric, so u(x, r) = 0 for r = BI(x) and for no other.",
    ),
    _step(
        7,
        "“−Δ_l u(x) < Δ_l u(y)”",
        statement="−s_x < s_y",
        evidence=(_positive("s_y + s_x > 0", "sy + sx"),),
    ),
    _step(
        8,
        "“Δ_l u(x) − Δ_l u(y) < 2Δ_l u(x)”",
        statement="s_x − s_y < 2s_x",
        evidence=(_positive("the difference is s_x + s_y", "2*sx - (sx - sy)"),),
    ),
    _step(
        9,
        "“−Δ_l u(y)(Δ_l u(y) − Δ_l u(x)) < 2Δ_l u(x)Δ_l u(y)”",
        statement="−s_y·(s_y − s_x) < 2s_x·s_y",
        evidence=(_positive("step 8 times s_y > 0", "2*sx*sy + sy*(sy - sx)"),),
        derivation="−s_y·(s_y − s_x) = s_y·(s_x − s_y): step 8 is multiplied by s_y, which is "
        "positive, and nothing has to turn.",
    ),
    _step(
        10,
        "“u(y,r)(Δ_l u(y) − Δ_l u(x)) < 2Δ_l u(x)Δ_l u(y)”",
        statement="u(y, r)·(s_y − s_x) < 2s_x·s_y",
        evidence=(
            OrthantCertificate(
                title="u(y, r) = −s_y",
                positive="2*sx*sy - uy*(sy - sx)",
                shift={"sx": "v + d", "sy": "v", "uy": "-v"},
                positive_variables=("v", "d"),
            ),
        ),
    ),
    _step(
        11,
        "“… > 2”",
        statement="Therefore (u(x,r) + u(y,r))/s_x − (u(x,r) + u(y,r))/s_y > 2",
        evidence=(
            _counterexample(
                "it is 1 − s_y/s_x",
                "(u(x,r) + u(y,r))/s_x − (u(x,r) + u(y,r))/s_y < 2",
                lambda case: 2 - (-case.sy / case.sx + case.sy / case.sy),
            ),
            _positive(
                "2 > 1 − s_y/s_x for all 0 < s_y < s_x, times s_x", "2*sx - (sx - sy)", Role.LEMMA
            ),
        ),
        repaired="(u(x,r) + u(y,r))/s_x − (u(x,r) + u(y,r))/s_y = 1 − s_y/s_x lies between 0 and "
        "1; step 10 divided by s_x·s_y > 0 says that it is below 2.",
        derivation="With u(x, r) = 0 the left side is u(y,r)·(s_y − s_x)/(s_x·s_y), and step 10 "
        "bounds it by 2 from above.  “> 2” is what step 10 excludes, for all positive values.",
    ),
    _step(
        12,
        "“> exp(ε/2·2) = exp(ε)”",
        statement="Therefore exp(ε/2·((u(x,r) + u(y,r))/s_y − (u(x,r) + u(y,r))/s_x)) > exp(ε)",
        evidence=(
            _counterexample(
                "its exponent is ε/2·(s_y/s_x − 1)",
                "ε/2·((u(x,r) + u(y,r))/s_y − (u(x,r) + u(y,r))/s_x) < ε",
                lambda case: (
                    case.epsilon - case.epsilon / 2 * (-case.sy / case.sy + case.sy / case.sx)
                ),
            ),
            _positive(
                "s_y/s_x − 1 < 0, times s_x: the exponent is negative", "sx - sy", Role.LEMMA
            ),
        ),
        repaired="exp(ε/2·(s_y/s_x − 1)) lies between e^(−ε/2) and 1.",
        derivation="The difference is also the negative of the one in steps 5 and 11, so even "
        "“> 2” in step 11 would give a bound below e^(−ε) here.",
    ),
    _step(
        13,
        "conclusion",
        statement="In the case, P_x(r)/P_y(r) > e^ε",
        evidence=(
            _counterexample(
                "the loss stays below ε",
                "ln(P_x(r)/P_y(r)) < ε",
                lambda case: case.epsilon - case.loss,
            ),
            SumOfProducts(
                title="it does so at every prior: with w = e^(−ε/2), |R| = m + 1, "
                "(m + w)/(1 + m·w) < 1/w",
                role=Role.LEMMA,
                goal="(1 + m*w) - w*(m + w)",
                hypotheses=("1 - w", "1 + w"),
                products=(("1", ("1 - w", "1 + w")),),
                strict=True,
                positive=("1 - w", "1 + w"),
            ),
        ),
        repaired="In the case, P_x(r)/P_y(r) < e^ε.",
        derivation="The case needs n = 1 (step 2), so every candidate is a neighbour of x and "
        "H(x, r′) ≤ s_x: every term of N_x is at least w, that of r′ = x is 1.  Every term of N_y "
        "is at most 1, that of r′ = x is e^(−(ε/2)·H(x, y)/s_y) = w.  So P_x(r)/P_y(r) = "
        "(1/N_x)/(w/N_y) ≤ (1/w)·(m + w)/(1 + m·w) < 1/w² = e^ε.",
    ),
)

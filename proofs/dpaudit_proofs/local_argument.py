"""The printed argument that the mechanism with local sensitivity is not private, step by step.

The case it considers, and when that occurs, is :mod:`dpaudit_proofs.local_case`.  From there on:

* The first printed ">" is "≤": u ≤ 0, so dividing by the larger s_x makes the numerator's terms
  larger, and dividing by s_y the denominator's smaller.
* The inequalities then derived are true, and their last, divided by s_x·s_y, says "< 2" where "> 2"
  is printed: the quantity is 1 − s_y/s_x, below 1 always.
* In the case itself the ratio is below e^ε, whatever the prior: the conclusion drawn is false.

That the mechanism is not private is nevertheless true (:mod:`dpaudit_proofs.local_sensitivity`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Counterexample, Identity, SMTProof
from dpaudit_proofs.considered_case import WHERE, Considered, considered, step

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS"]


def counterexample(title: str, shows: str, quantity: Callable[[Considered], Any]) -> Any:
    margin, again = considered(quantity)
    return Counterexample(title=title, parameters=WHERE, shows=shows, margin=margin, again=again)


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


CLAIMS = (
    step(
        3,
        "the first “>”",
        statement="Dividing the whole numerator by 2s_x and the whole denominator by 2s_y makes "
        "the quotient smaller",
        formula="Σ exp(εu(x,r)/2s_x + εu(y,r′)/2s_y) / Σ exp(εu(y,r)/2s_y + εu(x,r′)/2s_x) > "
        "Σ exp(ε(u(x,r) + u(y,r′))/2s_x) / Σ exp(ε(u(y,r) + u(x,r′))/2s_y)",
        evidence=(
            counterexample(
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
    step(
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
    step(
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
    step(
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
    step(
        7,
        "“−Δ_l u(x) < Δ_l u(y)”",
        statement="−s_x < s_y",
        evidence=(_positive("s_y + s_x > 0", "sy + sx"),),
    ),
    step(
        8,
        "“Δ_l u(x) − Δ_l u(y) < 2Δ_l u(x)”",
        statement="s_x − s_y < 2s_x",
        evidence=(_positive("the difference is s_x + s_y", "2*sx - (sx - sy)"),),
    ),
    step(
        9,
        "“−Δ_l u(y)(Δ_l u(y) − Δ_l u(x)) < 2Δ_l u(x)Δ_l u(y)”",
        statement="−s_y·(s_y − s_x) < 2s_x·s_y",
        evidence=(_positive("step 8 times s_y > 0", "2*sx*sy + sy*(sy - sx)"),),
        derivation="−s_y·(s_y − s_x) = s_y·(s_x − s_y): step 8 is multiplied by s_y, which is "
        "positive, and nothing has to turn.",
    ),
    step(
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
    step(
        11,
        "“… > 2”",
        statement="Therefore (u(x,r) + u(y,r))/s_x − (u(x,r) + u(y,r))/s_y > 2",
        evidence=(
            counterexample(
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
    step(
        12,
        "“> exp(ε/2·2) = exp(ε)”",
        statement="Therefore exp(ε/2·((u(x,r) + u(y,r))/s_y − (u(x,r) + u(y,r))/s_x)) > exp(ε)",
        evidence=(
            counterexample(
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
    step(
        13,
        "conclusion",
        statement="In the case, P_x(r)/P_y(r) > e^ε",
        evidence=(
            counterexample(
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

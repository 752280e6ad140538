"""Mechanisms over two categories, and randomised response, as typed statements for the kernel.

P_exp of two categories is a word of the language, so that what the notes use of the exponential
mechanism can be said of it itself: it is a law, its most likely output, tails, normalisers.  The
mechanisms with Laplace noise are stated by F_lap, cell by cell.
"""

from __future__ import annotations

from dataclasses import replace

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import SMTProof
from dpaudit.claims.statement import forall
from dpaudit_proofs.exponential_privacy import LIPSCHITZ, SCALED, WEIGHTS
from dpaudit_proofs.two_categories import POSITIVE

__all__ = ["CLAIMS"]

_PRIOR = ("a > 0", "b > 0", "c <= n")
_X = "(c, n - c)"


def _law(r: str, factor: str = "f") -> str:
    return f"P_exp({factor}, (a, b), {_X}, ({r}, n - {r}))"


def _distance(r: str) -> str:
    return f"H((a + c, b + n - c), (a + {r}, b + n - {r}))"


_TOTAL = f"sum(j, 0, n, exp(-f*{_distance('j')}))"

_KEPT = "exp(eps*(2 + g)/(2 + 2*g))"
_EHDS = [
    f"P_exp(eps/(2*(1 + g)*S_gamma((a, b), g, {at})), (a, b), {at}, (r, n - r))"
    for at in (_X, "(c + 1, n - c - 1)")
]

_RESPONSE = forall(
    "real eps, natural k j",
    "eps > 0",
    "k >= 2",
    "j >= 1",
    "j < k",
    holds="exp(eps)/(exp(eps) + k - 1) + (k - 1)/(exp(eps) + k - 1) == 1 and "
    "exp(eps)/(exp(eps) + k - 1) == exp(eps)*(1/(exp(eps) + k - 1)) and "
    "(exp(eps) + j - 1)/(exp(eps) + k - 1) <= exp(eps)*(j/(exp(eps) + k - 1))",
)

_HEAD = Derivation(
    title="e^ε is above 1",
    role=Role.LEMMA,
    proves=forall("real eps", "eps > 0", holds="exp(eps) > 1"),
    uses=(Use("exp-increases", {"s": "0", "t": "eps"}),),
)


def _cells(scale: str, epsilon: str) -> str:
    """Return that the cells of ⌊c + noise⌋ clamped to 0..n are within e^ε at c and c + 1."""
    f = f"F_lap({scale}, {{}})".format
    cell = (f"{f('r + 1 - c')} - {f('r - c')}", f"{f('r - c')} - {f('r - c - 1')}")
    first = (f("1 - c"), f("-c"))
    last = (f"1 - {f('n - c')}", f"1 - {f('n - c - 1')}")
    said = []
    for p, q in (cell, first, last):
        said += [f"{p} <= exp({epsilon})*({q})", f"{q} <= exp({epsilon})*({p})"]
    return " and ".join([*said, f"{last[1]} == exp({epsilon})*({last[0]})"])


def _noise(name: str, scale: str, epsilon: str, algorithm: str) -> Claim:
    return Claim(
        id=f"two-{name}-dp",
        typed=forall(
            "real eps, natural n c r",
            "eps > 0",
            "c + 1 <= n",
            "r <= n",
            holds=_cells(scale, epsilon),
        ),
        source=f"A Thm 3.1, with A {algorithm}",
        statement=f"{name} has realised ε exactly {epsilon}: every output of c and c + 1 ones is "
        "within that factor, and the output n attains it",
        domain="k = 2: every n ≥ 1, neighbours and ε > 0; outputs 0, n, and any cell between",
        evidence=(
            SMTProof(
                title="a cell and the next one on the same side of 0: p(1 − q) and pq(1 − q)",
                hypotheses=("0 < q and q < 1", "p > 0", "E*q == 1"),
                goal="p*(1 - q) <= E*(p*q*(1 - q)) and p*q*(1 - q) <= E*(p*(1 - q))",
            ),
        ),
        derivation="On either side of 0 cells and tails of Laplace noise fall by the factor q = "
        "e^(−1/scale) from one whole number to the next, and the two cells beside 0 are equal.",
    )


_WEIGHT = "exp(eps*score({}, {})/(2*d))".format


def _chosen(x: str, y: str) -> str:
    """Return that w_x(r)/N_x ≤ e^ε·w_y(r)/N_y, multiplied by the normalisers."""
    totals = [f"sum(i, 0, n, {_WEIGHT(at, 'i')})" for at in (x, y)]
    return f"{_WEIGHT(x, 'r')}*{totals[1]} <= exp(eps)*({_WEIGHT(y, 'r')}*{totals[0]})"


CLAIMS = (
    Claim(
        id="exponential-mechanism",
        typed=forall(
            "real x y eps d, natural n r",
            "eps > 0",
            "d > 0",
            "r <= n",
            "all(i, 0, n, abs(score(x, i) - score(y, i)) <= d)",
            holds=f"{_chosen('x', 'y')} and {_chosen('y', 'x')}",
        ),
        source="McSherry and Talwar 2007; N §2.1, D §1.1.2",
        statement="the exponential mechanism over any finite set of outputs, with any score of "
        "sensitivity at most d, is ε-differentially private",
        domain="every score of outputs 0..n, datasets x and y that change it by at most d, ε > 0",
        evidence=(replace(SCALED, role=Role.PROVES), WEIGHTS),
        derivation="The exponents differ by at most ε/2 at every output, and so do the "
        "normalisers, by a factor of e^(ε/2).",
    ),
    Claim(
        id="randomised-response",
        typed=_RESPONSE,
        source="Warner 1965, Kairouz et al. 2016; beside the notes' mechanisms",
        statement="k-ary randomised response, the truth with probability e^ε/(e^ε + k − 1), has "
        "realised ε exactly ε: a set of j answers with the truth of x and without that of y "
        "has (e^ε + j − 1)/(e^ε + k − 1) against j/(e^ε + k − 1)",
        domain="all ε > 0, k ≥ 2 and sets of 1 ≤ j < k answers; equality at j = 1",
        evidence=(
            Derivation(
                title="(e^ε − 1)(j − 1) ≥ 0",
                proves=_RESPONSE,
                uses=(Use(_HEAD, {}),),
            ),
        ),
    ),
    Claim(
        id="two-law",
        typed=forall(
            "real a b f, natural n c",
            *_PRIOR,
            holds=f"sum(r, 0, n, {_law('r')}) == 1 and all(r, 0, n, {_law('r')} > 0)",
        ),
        source="N Def. 2.1; A Alg. 4 to 6",
        statement="the exponential mechanism is a law, in which every candidate is possible",
        domain="k = 2: every prior α > 0, n, x and factor f",
        evidence=(
            SumOfProducts(
                title="w/N > 0, multiplied by N² > 0",
                goal="w*N",
                hypotheses=("w", "N"),
                products=(("1", ("w", "N")),),
                strict=True,
                positive=("w", "N"),
            ),
        ),
        derivation="Weights are values of exp, and each is divided by the sum of all.",
    ),
    Claim(
        id="two-nearest",
        typed=forall(
            "real a b f, natural n c r",
            *_PRIOR,
            "f > 0",
            "r <= n",
            "r != c",
            holds=f"{_distance('r')} > 0 and {_law('r')} < {_law('c')}",
        ),
        source="N §3.2 (the best score is 0, of one candidate)",
        statement="no other candidate is at distance 0, or as likely as the posterior itself",
        domain="k = 2: every prior α > 0, n, x and factor f > 0 (for all k: acc-global-opt)",
        evidence=(
            SMTProof(
                title="exp(−f·H) < 1 and equal normalisers",
                hypotheses=("0 < w and w < 1", "N > 0"),
                goal="w/N < 1/N",
            ),
        ),
        derivation="H grows with the steps to one side (large-monotone), and one step is at a "
        "distance above 0 (two-gamma-smooth).",
    ),
    Claim(
        id="two-tail",
        typed=forall(
            "real a b f t, natural n c r",
            *_PRIOR,
            "f >= 0",
            "r <= n",
            f"{_distance('r')} >= t",
            holds=f"{_law('r')}*{_TOTAL} <= exp(-f*t) and {_law('r')} <= exp(-f*t)",
        ),
        source="N §3.2, §3.3: what the bounds add up",
        statement="a candidate at distance t or more has probability at most exp(−f·t)/NL_x, and "
        "at most exp(−f·t)",
        domain="k = 2: every prior α > 0, n, x, real t and factor f ≥ 0",
        evidence=(
            SumOfProducts(
                title="w ≤ q and N ≥ 1 give w ≤ q·N",
                goal="q*N - w",
                hypotheses=("q", "q - w", "N - 1"),
                products=(("1", ("q", "N - 1")), ("1", ("q - w",))),
            ),
        ),
        derivation="The posterior itself has weight exp(0), so NL_x ≥ 1.",
    ),
    Claim(
        id="two-normaliser",
        typed=forall(
            "real a b f, natural n c",
            *_PRIOR,
            "f >= 0",
            holds=f"1 + n*exp(-f) <= {_TOTAL} and {_TOTAL} <= n + 1",
        ),
        source="A Thm 4.5, proof; A Cor. 4.5.3, proof",
        statement="the normaliser is at least 1 + n·e^(−f) and at most n + 1",
        domain="k = 2: every prior α > 0, n, x and factor f ≥ 0",
        evidence=(
            SumOfProducts(
                title="n weights w with q ≤ w ≤ 1, and one that is 1",
                goal="(1 + n*w) - (1 + n*q)",
                hypotheses=("n", "w - q"),
                products=(("1", ("n", "w - q")),),
            ),
        ),
        derivation="0 ≤ H ≤ 1 makes every weight at least e^(−f) and at most 1; that of x is 1.",
    ),
    Claim(
        id="two-sliding",
        typed=forall(
            "real a b eps s, natural n c r t",
            *_PRIOR,
            "eps > 0",
            "s > 0",
            "r <= n",
            "t <= n",
            f"{_distance('t')} <= {_distance('r')} + s",
            holds=f"{_law('r', 'eps/(2*s)')} <= exp(eps/2)*{_law('t', 'eps/(2*s)')}",
        ),
        source="N §2.3.2, Lemma 2.1, said of candidates",
        statement="a candidate whose score is lower by at most S is less likely by at most e^(ε/2)",
        domain="k = 2: every prior α > 0, n, x, ε > 0 and S > 0 (for all k: sliding-literal)",
        evidence=(
            SMTProof(
                title="the exponents differ by at most ε/2",
                hypotheses=("t <= r + s", "s > 0", "e > 0"),
                goal="e*t/(2*s) - e*r/(2*s) <= e/2",
            ),
        ),
    ),
    Claim(
        id="two-EHDS-slack",
        typed=forall(
            "real a b eps g, natural n c r",
            "a > 0",
            "b > 0",
            "c + 1 <= n",
            "eps > 0",
            "r <= n",
            "g >= 0",
            holds=f"{_EHDS[0]} <= {_KEPT}*{_EHDS[1]} and {_EHDS[1]} <= {_KEPT}*{_EHDS[0]}",
        ),
        source="A Thm 3.1, with A Alg. 6: what EHDS keeps beside ε",
        statement="EHDS is ε·(2 + γ)/(2 + 2γ)-differentially private: 3ε/4 at the notes' γ = 1",
        domain="k = 2: every prior α > 0, n ≥ 1, ε > 0, γ ≥ 0 (for all k: EHDS-slack)",
        evidence=(
            SMTProof(
                title="−1 ≤ f_y·h_y − f_x·h_x ≤ 1 + γ where f_x ≤ f_y ≤ f_x + γ",
                hypotheses=(
                    "0 < fx and fx <= fy and fy <= fx + g",
                    "0 <= hx and hx <= 1 and 0 <= hy and hy <= 1",
                    "(hy - hx)*fy <= 1 and (hx - hy)*fx <= 1 and (hy - hx)*fx <= 1",
                ),
                goal="-1 <= fy*hy - fx*hx and fy*hy - fx*hx <= 1 + g",
            ),
            POSITIVE,
            LIPSCHITZ,
            WEIGHTS,
        ),
        derivation="f is 1/S_γ, with the larger one at y.  The exponents differ by −κ to κ(1 + γ), "
        "κ = ε/(2(1 + γ)), for every candidate; so do weights, and normalisers with them, and the "
        "loss is at most κ(2 + γ) in either direction.",
    ),
    _noise("LSHist", "1/eps", "eps", "Alg. 3"),
    _noise("LSZhang", "2/eps", "eps/2", "Alg. 1"),
)

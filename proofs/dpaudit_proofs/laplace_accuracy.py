"""How near LSHist lands for k = 2: Corollary 4.4.1 of A, step by step.

LSHist prints m = ⌊c₁ + Y⌋ clamped to [0, n], Y ~ Lap(1/ε), and n − m.  With t = e^(−ε)

    P(−1 ≤ Y < 2) = 1 − ½(t + t²),

and for such Y the floor of the noise is −1, 0 or 1.  Clamping moves the output no further away, so
it is x or a neighbour of x, and its distance is at most LS(x) by the definition of LS at r = BI(x).

The error measure ELap of A Thm 4.1 is a quantile of that distance: the infimum of the s with
P(H < s) ≥ 1 − γ.  (The minimum that is printed does not exist: see ``elap-min``.)  So with
γ = ½(t + t²) or more, ELap(x) ≤ LS(x).  As √(t·t²) ≤ ½(t + t²) < t,

    1 < ln(1/γ)/ε < 3/2  at γ = ½(t + t²).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import ball, gamma
from dpaudit.numbers.real import ONE, Real, real
from dpaudit_proofs.definitions import hellinger, local_sensitivity, number
from dpaudit_proofs.derived_noise import ABOVE_ONE, BELOW_ONE_AND_A_HALF, TAIL_BUDGET, TWO_STEPS
from dpaudit_proofs.typed_rounded import CLOSER, LIKELY

if TYPE_CHECKING:
    from dpaudit.numbers.ball import Ball

__all__ = ["BELOW", "CLAIMS", "STAYS_NEAR", "TAIL", "WITHIN"]

FLAT = (Fraction(1), Fraction(1))


def _integrals() -> list[Any]:
    from sympy import Integer, exp, integrate, symbols

    epsilon = symbols("epsilon", positive=True)
    y = symbols("y", real=True)
    below = integrate(epsilon / 2 * exp(epsilon * y), (y, -1, 0))
    above = integrate(epsilon / 2 * exp(-epsilon * y), (y, 0, 2))
    return [below + above, 1 - (exp(-epsilon) + exp(-2 * epsilon)) / Integer(2)]


def _tail() -> list[Any]:
    from sympy import exp, integrate, symbols

    epsilon, b = symbols("epsilon b", positive=True)
    y = symbols("y", real=True)
    return [2 * integrate(epsilon / 2 * exp(-epsilon * y), (y, 0, b / epsilon)), 1 - exp(-b)]


WITHIN = Identity(
    title="P(−1 ≤ Y < 2) for Y ~ Lap(0, 1/ε), from its density",
    chain=_integrals,
    shown=("∫_{−1}^0 (ε/2)·e^(εy) dy + ∫_0^2 (ε/2)·e^(−εy) dy", "1 − (e^(−ε) + e^(−2ε))/2"),
)

TAIL = Identity(
    title="P(|Y| ≤ b/ε) for Y ~ Lap(0, 1/ε): the integral of the density",
    chain=_tail,
    shown=("2·∫_0^(b/ε) (ε/2)·e^(−εy) dy", "1 − e^(−b)"),
)

STAYS_NEAR = SMTProof(
    title="for −1 ≤ y < 2 the clamped floor o lies within 1 of c: floor m ∈ {−1, 0, 1}",
    hypotheses=(
        "-1 <= y and y < 2",
        "m <= y and y < m + 1",
        "m <= -2 or m == -1 or m == 0 or m == 1 or m >= 2",
        "0 <= c and c <= n and n >= 1",
        "(o == c + m and 0 <= o and o <= n) or (o == 0 and c + m < 0) or (o == n and c + m > n)",
    ),
    goal="-1 <= o - c and o - c <= 1",
)

BELOW = SumOfProducts(
    title="½(t + t²) < t for 0 < t < 1",
    goal="t - (t + t^2)/2",
    hypotheses=("t", "1 - t"),
    products=(("1/2", ("t", "1 - t")),),
    strict=True,
    positive=("t", "1 - t"),
)

_ABOVE = SumOfProducts(
    title="½(t + t²) > t^(3/2) for 0 < t < 1, with t = u²",
    goal="(u^2 + u^4)/2 - u^3",
    hypotheses=("u", "1 - u"),
    products=(("1/2", ("u", "u", "1 - u", "1 - u")),),
    strict=True,
    positive=("u", "1 - u"),
)

_NEAR_IS_LS = (
    "An output within one step of x is x, with H = 0, or a neighbour x′, with H(x, x′) = "
    "|H(x, r) − H(x′, r)| at r = BI(x) ≤ LS(x). At x = (0, n) the step −1 is clamped to 0, at "
    "x = (n, 0) the step +1."
)


def _unit(lg: str) -> Real:
    """Return what ln is divided by to give ``lg``, "ln" or "log₂"."""
    return ONE if lg == "ln" else real(2).ln()


def _unit_again(lg: str) -> Any:
    from mpmath import log, mpf

    return mpf(1) if lg == "ln" else log(2)


def _convex() -> list[Any]:
    from sympy import diff, exp, log, symbols

    y = symbols("y", positive=True)
    return [diff(log(1 + exp(-y)), y, 2), exp(-y) / (1 + exp(-y)) ** 2]


def _second_inequality(epsilon: str, lg: str, *, holds: bool = False) -> Counterexample:
    """Return that left > right at ``epsilon``, or left < right if ``holds``."""
    eps, unit = real(epsilon), _unit(lg)
    sign = -1 if holds else 1

    def margin() -> Real:
        gamma_value = ((-eps).exp() + (-(eps + eps)).exp()) / real(2)
        left = -gamma_value.ln() / eps
        right = (real(2).ln() + eps + eps) / real(2)
        return real(sign) * (left - right) / unit

    def again() -> Any:
        from mpmath import exp, log

        e = number(epsilon)
        left = log(2 / (exp(-e) + exp(-2 * e))) / e
        right = log(2 / exp(-2 * e)) / 2
        return sign * (left - right) / _unit_again(lg)

    return Counterexample(
        title=f"it {'holds' if holds else 'fails'} at ε = {epsilon}, lg = {lg}",
        parameters={"ε": epsilon},
        shows=f"lg(2/(e^(−ε) + e^(−2ε)))/ε {'<' if holds else '>'} lg(2/e^(−2ε))/2",
        margin=margin,
        again=again,
    )


def _not_two(epsilon: str, divisor: str, lg: str) -> Counterexample:
    eps, unit = real(epsilon), _unit(lg)
    below = divisor == "2"  # at the notes' ε the printed value is below 2, with /ε above

    def margin() -> Real:
        value = (real(2).ln() + eps + eps) / (real(2) if below else eps) / unit
        return real(2) - value if below else value - real(2)

    def again() -> Any:
        from mpmath import exp, log

        e = number(epsilon)
        value = log(2 / exp(-2 * e)) / (2 if below else e) / _unit_again(lg)
        return 2 - value if below else value - 2

    return Counterexample(
        title=f"divided by {divisor}, lg = {lg}",
        parameters={"ε": epsilon},
        shows=f"lg(2/e^(−2ε))/{divisor} {'<' if below else '>'} 2",
        margin=margin,
        again=again,
    )


def _beta(a: Fraction, b: Fraction) -> Ball:
    return gamma(a) * gamma(b) / gamma(a + b)


def _literal(title: str, k: str, printed: tuple[str, str]) -> Counterexample:
    """Return the evidence that H(Beta(3, 3), ``printed``) > LS at x = (2, 2), prior (1, 1)."""
    a, b = Fraction(printed[0]), Fraction(printed[1])
    x, three = (2, 2), Fraction(3)

    def margin() -> Ball:
        middle = _beta((three + a) / 2, (three + b) / 2)
        affinity = middle / (_beta(three, three) * _beta(a, b)).sqrt()
        metric = HellingerMetric(FLAT)
        worst = metric.between(x, (1, 3)).max(metric.between(x, (3, 1)))
        return (ball(1) - affinity).sqrt() - worst

    def again() -> Any:
        left = (number(3), number(3))
        return hellinger(left, (number(a), number(b))) - local_sensitivity(FLAT, x)

    return Counterexample(
        title=title,
        parameters={"prior": "(1,1)", "n": "4", "x": "(2,2)", "(α, β)": "(3, 3)", "k": k},
        shows=f"H(Beta(3, 3), Beta({printed[0]}, {printed[1]})) > LS(x)",
        margin=margin,
        again=again,
    )


_BINARY = "k = 2 categories, all n ≥ 1, priors α > 0, x (edges included), ε > 0"

CLAIMS = (
    Claim(
        id="cor-4.4.1",
        typed=forall(
            "real eps",
            "eps > 0",
            holds="log(2/(exp(-eps) + exp(-2*eps)))/eps > 1 and log(2/(exp(-eps) + "
            "exp(-2*eps)))/eps < 3/2",
        ),
        source="A Cor. 4.4.1",
        statement="for noise −1 ≤ k < 2, that is γ = ½(e^(−ε) + e^(−2ε)), lg(1/γ)/ε is bounded by "
        "a constant",
        formula="∃ C ∀ ε > 0: ln(2/(e^(−ε) + e^(−2ε)))/ε ≤ C; in fact 1 < … < 3/2",
        domain="all ε > 0",
        evidence=(ABOVE_ONE, BELOW_ONE_AND_A_HALF, BELOW, _ABOVE),
        derivation="With t = e^(−ε): γ < t gives ln(1/γ) > ε, and γ > t^(3/2) gives "
        "ln(1/γ) < 3ε/2. Both constants are best possible (ε → ∞ and ε → 0). Another base of lg "
        "changes the constant only. The printed proof reaches 2 by a chain whose last two links "
        "are false.",
    ),
    Claim(
        id="cor-4.4.1-eq1",
        typed=forall(  # the noise k is rounded to j and the count clamped
            "real a b k, integer j, natural n c",
            "a > 0",
            "b > 0",
            "n >= 1",
            "c <= n",
            "k >= -1",
            "k < 2",
            "j <= k",
            "k < j + 1",
            holds="H((a + c, b + n - c), (a + max(0, min(n, c + j)), "
            "b + n - max(0, min(n, c + j)))) <= LS((a, b), (c, n - c))",
        ),
        source="A Cor. 4.4.1, Eq. (1)",
        statement="for noise −1 ≤ k < 2 the output of LSHist is at distance at most LS(x)",
        formula="−1 ≤ k < 2 ⟹ H(Beta(α, β), LSHist's output for noise k) ≤ LS(x)",
        domain=_BINARY,
        step_of="cor-4.4.1",
        evidence=(STAYS_NEAR,),
        derivation=_NEAR_IS_LS + " The output is printed as Beta(α + k, n − ⌊α + k⌋), which it is "
        "not; read literally, Eq. (1) is false: cor-4.4.1-notation.",
    ),
    Claim(
        id="cor-4.4.1-notation",
        typed=forall(  # with n the number of records, under the flat prior, for whole noise
            "natural n c, integer k",
            "n >= 1",
            "c <= n",
            "-1 <= k",
            "k < 2",
            "c + k >= 0",
            "n >= c + k + 2",
            holds="H((c + 1, n - c + 1), (c + 1 + k, n - (c + 1 + k))) <= LS((1, 1), (c, n - c))",
        ),
        points=({"n": "4", "c": "2", "k": "0"},),
        source="A Thm 4.3, Thm 4.4, Cor. 4.4.1, Thm 4.5",
        statement="Beta(α + k, n − ⌊α + k⌋) is the output for noise k, and Eq. (1) holds for it",
        formula="−1 ≤ k < 2 ⟹ H(Beta(α, β), Beta(α + k, n − ⌊α + k⌋)) ≤ LS(x)",
        domain="(α, β) the posterior parameters (A Thm 4.3), all n ≥ 1, x; n the number of "
        "records, or n = α + β",
        step_of="cor-4.4.1",
        evidence=(
            _literal("n = number of records: without any noise", "0", ("3", "1")),
            _literal("n = α + β: the first parameter is not rounded", "15/8", ("39/8", "2")),
        ),
        repaired="Beta(α + m, β − m) with m = ⌊k⌋, clamped so that both counts stay in [0, n].",
        derivation="The second parameter lacks the prior, and only it is rounded: the result is a "
        "candidate only by accident.",
    ),
    Claim(
        id="cor-4.4.1-tail",
        typed=forall(
            "real eps b",
            "eps > 0",
            "b >= 0",
            holds="F_lap(1/eps, b/eps) - F_lap(1/eps, -(b/eps)) == 1 - exp(-b)",
        ),
        source="A Cor. 4.4.1",
        statement="P(|k| ≤ b/ε) = 1 − e^(−b) for k ~ Lap(0, 1/ε)",
        formula="∀ b ≥ 0, ε > 0: P(|k| ≤ b/ε) = 1 − e^(−b)",
        domain="all b ≥ 0, ε > 0",
        step_of="cor-4.4.1",
        evidence=(
            TAIL_BUDGET,
            TAIL,
        ),
        derivation="For b = 0 both sides are 0.",
    ),
    Claim(
        id="cor-4.4.1-eq2",
        typed=forall(
            "real eps",
            "eps > 0",
            holds="F_lap(1/eps, 2) - F_lap(1/eps, -1) == 1 - (exp(-eps) + exp(-2*eps))/2",
        ),
        source="A Cor. 4.4.1, Eq. (2)",
        statement="P(−1 ≤ k < 2) = 1 − (e^(−ε) + e^(−2ε))/2 for k ~ Lap(0, 1/ε)",
        formula="∀ ε > 0: P(−1 ≤ k < 2) = 1 − (e^(−ε) + e^(−2ε))/2",
        domain="all ε > 0",
        step_of="cor-4.4.1",
        evidence=(
            TWO_STEPS,
            WITHIN,
        ),
        derivation="It follows from the tail as printed, too: by symmetry it is half of "
        "P(|k| ≤ 1) = 1 − e^(−ε) and half of P(|k| ≤ 2) = 1 − e^(−2ε).",
    ),
    Claim(
        id="cor-4.4.1-probability",
        typed=LIKELY,
        source="A Cor. 4.4.1; A Cor. 4.5.3, proof",
        statement="LSHist lands within LS(x) with probability at least 1 − (e^(−ε) + e^(−2ε))/2",
        formula="P[H(DirP(x), LSHist(x)) ≤ LS(x)] ≥ 1 − (e^(−ε) + e^(−2ε))/2",
        domain=_BINARY,
        step_of="cor-4.4.1",
        evidence=(STAYS_NEAR, WITHIN),
        derivation=_NEAR_IS_LS + " So the event contains −1 ≤ Y < 2. With ≤, not <: "
        "thm-4.2-strict.",
    ),
    Claim(
        id="cor-4.4.1-quotient",
        typed=CLOSER,
        source="A Cor. 4.4.1, last display, ≤",
        statement="ELap(x)/LS(x) at γ = ½(e^(−ε) + e^(−2ε)) is O(lg(2/(e^(−ε) + e^(−2ε)))/ε)",
        formula="inf{s : P(H < s) ≥ 1 − γ}/LS(x) ≤ 1 < ln(2/(e^(−ε) + e^(−2ε)))/ε",
        domain=_BINARY,
        step_of="cor-4.4.1",
        evidence=(BELOW, STAYS_NEAR, WITHIN),
        derivation="By cor-4.4.1-probability every s > LS(x) has P(H < s) ≥ 1 − γ, so the infimum "
        "is at most LS(x). And γ < e^(−ε) gives ln(1/γ)/ε > 1. So it holds with the constant 1 for "
        "ln, and for any base of lg with another one.",
    ),
    Claim(
        id="cor-4.4.1-second",
        typed=forall(
            "real eps",
            "eps > 0",
            holds="log(2/(exp(-eps) + exp(-2*eps)))/eps < log(2/exp(-2*eps))/2",
        ),
        holds_on=("eps >= 5/4",),
        source="A Cor. 4.4.1, last display, <",
        statement="lg(2/(e^(−ε) + e^(−2ε)))/ε < lg(2/e^(−2ε))/2",
        formula="∀ ε > 0: lg(2/(e^(−ε) + e^(−2ε)))/ε < lg(2/e^(−2ε))/2",
        domain="all ε > 0, as printed: divided by ε on the left and by 2 on the right",
        step_of="cor-4.4.1",
        evidence=(
            _second_inequality("1/2", "ln"),
            _second_inequality("1/2", "log₂"),
            _second_inequality("1029/1000", "ln"),
            replace(
                _second_inequality("103/100", "ln", holds=True),
                role=Role.PROVES,
                domain="exactly ε > ε* = 1.0299…; in particular ε ≥ 1.03",
            ),
            Identity(
                title="ln(1 + e^(−ε)) is convex, so the left side, 1 + (ln 2 − ln(1 + e^(−ε)))/ε, "
                "falls",
                role=Role.LEMMA,
                chain=_convex,
                shown=("d²/dε² ln(1 + e^(−ε))", "e^(−ε)/(1 + e^(−ε))²"),
            ),
            SumOfProducts(
                title="the repaired form: t + t² > t², t = e^(−ε)",
                role=Role.LEMMA,
                goal="(t + t^2) - t^2",
                hypotheses=("t",),
                products=(("1", ("t",)),),
                strict=True,
                positive=("t",),
            ),
        ),
        repaired="ln(2/(e^(−ε) + e^(−2ε)))/ε < ln(2/e^(−2ε))/ε, with ε under both.",
        derivation="The left side is 1 plus the slope of a concave function from its zero at 0, so "
        "it falls (from 3/2 to 1), while the right side, (ln 2)/2 + ε, grows: they cross once, "
        "between the two certified values 1.029 and 1.03. Another base divides both sides alike. "
        "The repaired form is 2/(e^(−ε) + e^(−2ε)) < 2/e^(−2ε).",
    ),
    Claim(
        id="cor-4.4.1-final",
        typed=forall(
            "real eps",
            "eps > 0",
            holds="log(2/exp(-2*eps))/2 == 2",
        ),
        source="A Cor. 4.4.1, last display, = 2",
        statement="lg(2/e^(−2ε))/2 = 2",
        formula="∀ ε > 0: lg(2/e^(−2ε))/2 = 2",
        domain="all ε > 0; lg natural or binary; divided by 2 as printed, or by ε",
        step_of="cor-4.4.1",
        evidence=tuple(
            _not_two("4/5", divisor, lg) for divisor in ("2", "ε") for lg in ("ln", "log₂")
        ),
        repaired="ln(1/e^(−2ε))/ε = 2, without the 2 under lg; and then ln(2/(e^(−ε) + e^(−2ε)))/ε "
        "< 2 does hold, even < 3/2 (cor-4.4.1).",
        derivation="ln(2/e^(−2ε)) = ln 2 + 2ε. Halved it is 2 at one ε only; divided by ε it is "
        "2 + (ln 2)/ε, never 2.",
    ),
)

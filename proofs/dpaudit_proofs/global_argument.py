"""The printed proof that the mechanism with global sensitivity is private, line by line.

D §1.1.2 writes w_x(r) = exp(ε·u(x, r)/(2Δ_g)), N_x = Σ w_x(r′), and goes from P_x(r)/P_y(r) to e^ε
in six lines.  Two of them are misprinted: the second has r′ for r in its numerators, the third a
sum for a single term.  L has the same six lines in comments, without the misprints.  From the
fourth line on D is right.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.api import mechanism
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import Counterexample, Identity
from dpaudit.claims.statement import forall
from dpaudit_proofs.definitions import number, posterior_distance
from dpaudit_proofs.exponential_privacy import (
    PRIORS,
    REDUCTION,
    SCALED,
    WEIGHTS,
    Margin,
    loss_beyond,
)
from dpaudit_proofs.typed_privacy import NUMERATOR

if TYPE_CHECKING:
    from dpaudit.numbers.ball import Ball

__all__ = ["CLAIMS"]

_FLAT = {"epsilon": "4/5", "prior": "1,1", "gs": "computed"}
_X, _Y = (1, 0), (0, 1)


def _computed(ls: Any) -> Any:
    """Return ε/(2·GS) at ε = 4/5, where GS = LS(x)."""
    return number("2/5") / ls


def _another_output() -> Margin:
    """Return ln of the left side minus ln of D's second line, at n = 1, r = x, r′ = y."""
    (left, left_again), (right, right_again) = (
        loss_beyond("EHD", _FLAT, (_X, _Y), output, _computed, bound="0") for output in (_X, _Y)
    )
    return lambda: left() - right(), lambda: left_again() - right_again()


def _sum_for_term() -> Margin:
    """Return the left side minus D's third line, w_x(r)/N_x, at n = 1, r = x."""
    left, left_again = loss_beyond("EHD", _FLAT, (_X, _Y), _X, _computed, bound="0")

    def margin() -> Ball:
        mass: Ball = mechanism("EHD", **_FLAT).laws().law(_X).probability(_X).ball
        return left().exp() - mass

    def again() -> Any:
        from mpmath import exp

        return exp(left_again()) - 1 / (1 + exp(-number("2/5")))

    return margin, again


_LINE_TWO, _LINE_THREE = _another_output(), _sum_for_term()
_ONCE = loss_beyond(
    "EHD",
    {**_FLAT, "epsilon": "8/5"},
    ((0, 2), (1, 1)),
    (0, 2),
    lambda ls: 2 * _computed(ls),
    bound="4/5",
)


def _numbers_of_algorithm() -> Margin:
    """Return the sum over r of A Alg. 4's numbers less 1, at n = 1, r′ = x."""

    def margin() -> Ball:
        laws = mechanism("EHD", epsilon="4/5", prior="1,1").laws()
        mass: Ball = laws.law(_X).probability(_X).ball
        return 2 * mass - 1

    def again() -> Any:
        from mpmath import exp, pi, sqrt

        distance = posterior_distance((Fraction(1), Fraction(1)), _X, _Y)
        weight = exp(-number("2/5") / sqrt(1 - pi / 4) * distance)
        return 2 / (1 + weight) - 1

    return margin, again


_SUM = _numbers_of_algorithm()


def _adds_up() -> list[Any]:
    from sympy import Integer, symbols

    weight, others = symbols("w others", positive=True)
    return [weight / (weight + others) + others / (weight + others), Integer(1)]


def _printed_product() -> list[Any]:
    from sympy import symbols

    wx, nx, ny = symbols("wx Nx Ny", positive=True)
    return [wx / ny * (ny / nx), wx / nx]


def _quotient() -> list[Any]:
    from sympy import exp, symbols

    a, b = symbols("a b", real=True)
    nx, ny = symbols("Nx Ny", positive=True)
    return [(exp(a) / nx) / (exp(b) / ny), exp(a) / exp(b) * (ny / nx), exp(a - b) * (ny / nx)]


def _rearranged(title: str, domain: str = "") -> Identity:
    return Identity(
        title=title,
        domain=domain,
        chain=_quotient,
        shown=("(e^a/N_x) / (e^b/N_y)", "(e^a/e^b)·(N_y/N_x)", "e^(a − b)·(N_y/N_x)"),
    )


_PAIR = ("a > 0", "b > 0", "eps > 0", "c + 1 <= n")
_GS = "GS((a, b), n)"
_POSITIVE = Derivation(
    title="the global sensitivity is above 0",
    role=Role.LEMMA,
    proves=forall("real a b, natural n", "a > 0", "b > 0", "n >= 1", holds=f"{_GS} > 0"),
    uses=(Use("global-sensitivity-positive"),),
)


def _law(c: str, r: str) -> str:
    """Return the probability of r under the mechanism with GS, at c ones of n."""
    return f"P_exp(eps/(2*{_GS}), (a, b), ({c}, n - ({c})), ({r}, n - {r}))"


def _near(c: str, r: str) -> str:
    return f"H((a + {c}, b + n - ({c})), (a + {r}, b + n - {r}))"


def _total(c: str) -> str:
    return f"sum(j, 0, n, exp(-eps*{_near(c, 'j')}/(2*{_GS})))"


_POSSIBLE = Derivation(
    title="every candidate is possible, whatever the data",
    role=Role.LEMMA,
    proves=forall(
        "real a b eps, natural n c r s",
        *_PAIR,
        "r <= n",
        "s <= n",
        holds=" and ".join(f"{_law(c, r)} > 0" for c in ("c", "c + 1") for r in "rs"),
    ),
    uses=(
        *(
            Use(
                "law-positive",
                {"f": f"eps/(2*{_GS})", "x": c, "y": f"n - ({c})", "r": r, "s": f"n - {r}"},
            )
            for c in ("c", "c + 1")
            for r in "rs"
        ),
        Use(_POSITIVE),
    ),
)


CLAIMS = (
    Claim(
        id="em-global-step-1",
        typed=forall(
            "real a b eps, natural n c r s",
            *_PAIR,
            "r <= n",
            "s <= n",
            holds=f"{_law('c', 'r')}/{_law('c + 1', 'r')} == {_law('c', 's')}/{_law('c + 1', 's')}",
        ),
        holds_on=("s == r",),
        points=({"a": "1", "b": "1", "eps": "4/5", "n": "1", "c": "0", "r": "0", "s": "1"},),
        source="D, E §1.1.2, second line",
        step_of="em-global-dp",
        statement="The ratio P_x(r)/P_y(r) is the quotient of the two normalised weights, with r′ "
        "in place of r in both numerators",
        formula="∀ r, r′ ∈ R: P_x(r)/P_y(r) = [w_x(r′)/Σ w_x(r′)] / [w_y(r′)/Σ w_y(r′)]",
        domain=f"{PRIORS}; r′ is free in the numerators as printed, so any candidate",
        evidence=(
            _POSITIVE,
            _POSSIBLE,
            Counterexample(
                title="another candidate in the numerators gives another ratio",
                parameters={"prior": "(1,1)", "n": "1", "ε": "4/5", "r": "(1,0)", "r′": "(0,1)"},
                shows="the left side is above the right, here the logarithms",
                margin=_LINE_TWO[0],
                again=_LINE_TWO[1],
            ),
            _rearranged("with r′ = r it is the definition", domain="r′ = r"),
        ),
        repaired="P_x(r)/P_y(r) = [w_x(r)/Σ w_x(r′)] / [w_y(r)/Σ w_y(r′)], as L prints it.",
    ),
    Claim(
        id="em-global-step-2",
        typed=forall(
            "real a b eps, natural n c r",
            "a > 0",
            "b > 0",
            "eps > 0",
            "c + 1 <= n",
            "r <= n",
            holds="P_exp(eps/(2*GS((a, b), n)), (a, b), (c, n - c), (r, n - "
            "r))/P_exp(eps/(2*GS((a, b), n)), (a, b), (c + 1, n - c - 1), (r, n - r)) == "
            "P_exp(eps/(2*GS((a, b), n)), (a, b), (c, n - c), (r, n - r))",
        ),
        points=({"a": "1", "b": "1", "eps": "4/5", "n": "1", "c": "0", "r": "0"},),
        source="D §1.1.2, third line",
        step_of="em-global-dp",
        statement="The ratio is (w_x(r)/Σ w_y(r′))·(Σ w_y(r′)/Σ w_x(r′)), the first denominator "
        "being a sum",
        formula="P_x(r)/P_y(r) = (w_x(r)/N_y)·(N_y/N_x)",
        domain=PRIORS,
        evidence=(
            Counterexample(
                title="the printed product is P_x(r) alone",
                parameters={"prior": "(1,1)", "n": "1", "ε": "4/5", "x = r": "(1,0)", "y": "(0,1)"},
                shows="P_x(r)/P_y(r) > P_x(r)",
                margin=_LINE_THREE[0],
                again=_LINE_THREE[1],
            ),
            Identity(
                title="the printed product",
                role=Role.LEMMA,
                chain=_printed_product,
                shown=("(w_x(r)/N_y)·(N_y/N_x)", "w_x(r)/N_x"),
            ),
        ),
        repaired="P_x(r)/P_y(r) = (w_x(r)/w_y(r))·(N_y/N_x), as L prints it (in comments).",
        derivation="It fails at every parameter: |R| ≥ 2 makes P_y(r) < 1.  E has w_y(r) for "
        "w_x(r) there and N_x for N_y in the last numerator, as far as it can be read; that is "
        "P_y(r), and no nearer.",
    ),
    Claim(
        id="em-global-step-3",
        typed=forall(  # for any scores u and v and any normalisers, which is more
            "real u v d x y eps",
            "d > 0",
            "x > 0",
            "y > 0",
            "eps > 0",
            holds="(exp(eps*u/(2*d))/x)/(exp(eps*v/(2*d))/y) == exp(eps*(u - v)/(2*d))*(y/x)",
        ),
        source="D §1.1.2, fourth line",
        step_of="em-global-dp",
        statement="The ratio is exp(ε(u(x, r) − u(y, r))/(2Δ_g)) times the quotient N_y/N_x",
        formula="P_x(r)/P_y(r) = exp(ε(u(x, r) − u(y, r))/(2Δ_g))·(N_y/N_x)",
        domain=PRIORS,
        evidence=(_rearranged("a, b are the exponents at x and y"),),
    ),
    Claim(
        id="em-global-step-4",
        typed=forall(
            "real a b eps, natural n c r",
            *_PAIR,
            "r <= n",
            holds=f"exp(eps*({_near('c + 1', 'r')} - {_near('c', 'r')})/(2*{_GS})) <= "
            f"exp(eps/2) and {_total('c + 1')} <= exp(eps/2)*{_total('c')}",
        ),
        source="D §1.1.2, fifth and sixth line",
        step_of="em-global-dp",
        statement="The two factors are at most e^(ε/2) and e^(ε/2)·(N_x/N_x), together e^ε",
        formula="exp(ε(u(x, r) − u(y, r))/(2Δ_g)) ≤ e^(ε/2),  N_y ≤ e^(ε/2)·N_x",
        domain=PRIORS,
        evidence=(_POSITIVE, SCALED, WEIGHTS),
        derivation=REDUCTION,
    ),
    Claim(
        id="em-global-step-5",
        typed=forall(
            "real a b eps, natural n c r",
            *_PAIR,
            "r <= n",
            holds=f"{_law('c + 1', 'r')} <= exp(eps)*{_law('c', 'r')}",
        ),
        source="D §1.1.2, last sentence",
        step_of="em-global-dp",
        statement="P_x(r)/P_y(r) ≥ e^(−ε) by symmetry",
        formula="P_y(r) ≤ e^ε·P_x(r)",
        domain=PRIORS,
        evidence=(_POSITIVE, SCALED, WEIGHTS),
        derivation="Being neighbours is symmetric and the bound holds for all pairs: exchange x "
        "and y.",
    ),
    Claim(
        id="alg-4-numerator",
        typed=NUMERATOR,
        holds_on=("m == 1",),
        source="A Alg. 4",
        statement="EHD sets z = r with probability exp(−ε·H(x, r′)/(2·GS)) over the sum of the "
        "same, r′ for r in the numerator",
        formula="∀ r′ ∈ R: Σ over r ∈ R of w_x(r′)/Σ w_x = 1, w_x(r) = exp(−ε·H(x, r)/(2·GS))",
        domain=f"{PRIORS}; r′ is free in the numerator as printed, so any candidate",
        evidence=(
            Counterexample(
                title="with one candidate r′ for all r they are no probabilities",
                parameters={"prior": "(1,1)", "n": "1", "ε": "4/5", "x = r′": "(1,0)"},
                shows="|R|·w_x(r′)/Σ w_x > 1",
                margin=_SUM[0],
                again=_SUM[1],
            ),
            Identity(
                title="with r′ = r they add up to 1: one candidate and all others",
                domain="r′ = r",
                chain=_adds_up,
                shown=("w_x(r)/Σ w_x + Σ of the other w_x/Σ w_x", "1"),
            ),
        ),
        repaired="z = r with probability w_x(r)/Σ w_x(r′), as in Alg. 5 and 6.",
        derivation="Only the mean weight w_x(r′) = Σ w_x/|R| would make them add up to 1, and the "
        "law then would be uniform.",
    ),
    Claim(
        id="em-global-monotone",
        typed=forall(
            "real a b eps, natural n c r",
            "a > 0",
            "b > 0",
            "eps > 0",
            "c + 1 <= n",
            "r <= n",
            holds="P_exp(eps/GS((a, b), n), (a, b), (c, n - c), (r, n - r)) <= "
            "exp(eps)*P_exp(eps/GS((a, b), n), (a, b), (c + 1, n - c - 1), (r, n - r))",
        ),
        points=({"a": "1", "b": "1", "eps": "4/5", "n": "2", "c": "0", "r": "0"},),
        source="L §2.1, comment after the mechanism",
        statement="Because u is monotonic, exp(εu/Δ_g) without the factor 2 can be used",
        formula="P_x(r) ∝ exp(ε·u(x, r)/Δ_g) is ε-differentially private",
        domain=PRIORS,
        evidence=(
            Counterexample(
                title="without the 2 the budget is exceeded at the notes' own prior and ε",
                parameters={
                    "prior": "(1,1)",
                    "n": "2",
                    "ε": "4/5",
                    "x = r": "(0,2)",
                    "y": "(1,1)",
                },
                shows="ln(P_x(r)/P_y(r)) > ε",
                margin=_ONCE[0],
                again=_ONCE[1],
            ),
        ),
        repaired="Without the 2 it is 2ε-differentially private (em-global-dp at 2ε).",
        derivation="The factor 2 can be saved where one record moves all scores u(·, r) the same "
        "way.  Substitution moves H(·, r) up for some r and down for others (r = x and r = y).",
    ),
)

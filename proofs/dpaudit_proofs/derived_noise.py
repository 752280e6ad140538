"""Derivations about Laplace noise: its tails, bins, quantiles and steps."""

from __future__ import annotations

from math import factorial

from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import EQUAL_EXP, INVERSE, lemma

__all__ = [
    "ABOVE_ONE",
    "BELOW_ONE_AND_A_HALF",
    "BIN",
    "BIN_LEFT",
    "EXPONENTIAL_BINS",
    "GROWTH_RATE",
    "LOOSER",
    "NEAR",
    "POWERS",
    "QUANTILE_HALF",
    "QUANTILE_THIRD",
    "STEPS",
    "STEPS_ZHANG",
    "TAIL_BUDGET",
    "TAIL_OF_NOISE",
    "TWO_STEPS",
]

TAIL_OF_NOISE = lemma(
    "the tail of Laplace noise of scale 2/ε",
    forall(
        "real eps t",
        "eps > 0",
        "t >= 0",
        holds="1 - (F_lap(2/eps, t) - F_lap(2/eps, -t)) == exp(-t*eps/2)",
    ),
    Use("laplace-right", {"s": "2/eps"}),
    Use("laplace-left", {"s": "2/eps", "t": "-t"}),
    Use(
        lemma(
            "the exponent",
            forall("real eps t", "eps > 0", holds="-t/(2/eps) == -t*eps/2 and 2/eps > 0"),
        )
    ),
    Use(
        lemma(
            "equal exponents",
            forall("real s t", "s == t", holds="exp(s) == exp(t)"),
        ),
        {"s": "-t/(2/eps)", "t": "-t*eps/2"},
    ),
)


_OVER = lemma(
    "division by 2/ε and by 1/ε",
    forall(
        "real eps t",
        "eps > 0",
        holds="t/(2/eps) == t*eps/2 and t/(1/eps) == t*eps and 2/eps > 0 and 1/eps > 0",
    ),
)


BIN = lemma(
    "one bin of |Y| on the right",
    forall(
        "real eps s t",
        "eps > 0",
        "s >= 0",
        "t >= s",
        holds="F_lap(2/eps, t) - F_lap(2/eps, s) == (exp(-s*eps/2) - exp(-t*eps/2))/2",
    ),
    Use(_OVER),
    Use(_OVER, {"t": "-t"}),
    Use(_OVER, {"t": "-s"}),
    Use("laplace-right", {"s": "2/eps"}),
    Use("laplace-right", {"s": "2/eps", "t": "s"}),
    Use(EQUAL_EXP, {"s": "-t/(2/eps)", "t": "-t*eps/2"}),
    Use(EQUAL_EXP, {"s": "-s/(2/eps)", "t": "-s*eps/2"}),
)


BIN_LEFT = lemma(
    "one bin on the left",
    forall(
        "real eps s t",
        "eps > 0",
        "s >= 0",
        "t >= s",
        holds="F_lap(2/eps, -s) - F_lap(2/eps, -t) == (exp(-s*eps/2) - exp(-t*eps/2))/2",
    ),
    Use(_OVER),
    Use(_OVER, {"t": "-t"}),
    Use(_OVER, {"t": "-s"}),
    Use("laplace-left", {"s": "2/eps", "t": "-t"}),
    Use("laplace-left", {"s": "2/eps", "t": "-s"}),
    Use(EQUAL_EXP, {"s": "-t/(2/eps)", "t": "-t*eps/2"}),
    Use(EQUAL_EXP, {"s": "-s/(2/eps)", "t": "-s*eps/2"}),
)


EXPONENTIAL_BINS = lemma(
    "both bins of |Y| together",
    forall(
        "real eps, natural j",
        "eps > 0",
        holds="F_lap(2/eps, j + 1) - F_lap(2/eps, j) + F_lap(2/eps, -j) - F_lap(2/eps, -j - 1) == "
        "exp(-j*eps/2) - exp(-(j + 1)*eps/2)",
    ),
    Use(BIN, {"s": "j", "t": "j + 1"}),
    Use(BIN_LEFT, {"s": "j", "t": "j + 1"}),
)


TAIL_BUDGET = lemma(
    "P(|k| ≤ b/ε) for noise of scale 1/ε",
    forall(
        "real eps b",
        "eps > 0",
        "b >= 0",
        holds="F_lap(1/eps, b/eps) - F_lap(1/eps, -(b/eps)) == 1 - exp(-b)",
    ),
    Use(
        lemma(
            "the exponent",
            forall(
                "real eps b",
                "eps > 0",
                "b >= 0",
                holds="-(b/eps)/(1/eps) == -b and 1/eps > 0 and b/eps >= 0",
            ),
        )
    ),
    Use("laplace-right", {"s": "1/eps", "t": "b/eps"}),
    Use("laplace-left", {"s": "1/eps", "t": "-(b/eps)"}),
    Use(EQUAL_EXP, {"s": "-(b/eps)/(1/eps)", "t": "-b"}),
)


TWO_STEPS = lemma(
    "P(−1 ≤ k < 2) for noise of scale 1/ε",
    forall(
        "real eps",
        "eps > 0",
        holds="F_lap(1/eps, 2) - F_lap(1/eps, -1) == 1 - (exp(-eps) + exp(-2*eps))/2",
    ),
    Use(_OVER, {"t": "-2"}),
    Use(_OVER, {"t": "-1"}),
    Use("laplace-right", {"s": "1/eps", "t": "2"}),
    Use("laplace-left", {"s": "1/eps", "t": "-1"}),
    Use(EQUAL_EXP, {"s": "-2/(1/eps)", "t": "-2*eps"}),
    Use(EQUAL_EXP, {"s": "-1/(1/eps)", "t": "-eps"}),
)


def _quantile(number: int) -> Derivation:
    level = f"log({number}/delta)"
    return lemma(
        f"P(|z| > ln({number}/δ)) = δ/{number} for noise of scale 1",
        forall(
            "real delta",
            "delta > 0",
            "delta < 1",
            holds=f"1 - (F_lap(1, {level}) - F_lap(1, -{level})) == delta/{number}",
        ),
        Use(
            lemma(
                "the argument is above 1",
                forall(
                    "real delta",
                    "delta > 0",
                    "delta < 1",
                    holds=f"{number}/delta > 1 and 1/({number}/delta) == delta/{number}",
                ),
            )
        ),
        Use("log-increases", {"s": "1", "t": f"{number}/delta"}),
        Use("laplace-right", {"s": "1", "t": level}),
        Use("laplace-left", {"s": "1", "t": f"-{level}"}),
        Use("exp-log", {"s": f"{number}/delta"}),
        Use("exp-sum", {"s": level, "t": f"-{level}"}),
        Use(
            lemma(
                "the reciprocal",
                forall("real s t", "s > 0", "t > 0", "s*t == 1", holds="t == 1/s"),
            ),
            {"s": f"{number}/delta", "t": f"exp(-{level})"},
        ),
    )


QUANTILE_THIRD = _quantile(3)


QUANTILE_HALF = _quantile(2)


_SQUARE = lemma(
    "e^(−2ε) is the square of e^(−ε), and e^(−ε) < 1",
    forall(
        "real eps",
        "eps > 0",
        holds="exp(-2*eps) == exp(-eps)*exp(-eps) and exp(-eps) < 1",
    ),
    Use("exp-sum", {"s": "-eps", "t": "-eps"}),
    Use("exp-increases", {"s": "-eps", "t": "0"}),
)


LOOSER = lemma(
    "½(t + t²) < t for t = e^(−ε)",
    forall(
        "real eps",
        "eps > 0",
        holds="1 - (exp(-eps) + exp(-2*eps))/2 > 1 - exp(-eps)",
    ),
    Use(_SQUARE),
    Use(lemma("t² < t", forall("real t", "t > 0", "t < 1", holds="t*t < t")), {"t": "exp(-eps)"}),
)


_MEAN = "2/(exp(-eps) + exp(-2*eps))"


ABOVE_ONE = lemma(
    "the quotient of logarithm and ε is above 1",
    forall("real eps", "eps > 0", holds=f"log({_MEAN})/eps > 1"),
    Use(_SQUARE),
    Use(INVERSE, {"s": "eps"}),
    Use(
        lemma(
            "2/(t + t²) > 1/t",
            forall("real t e", "t > 0", "t < 1", "t*e == 1", holds="2/(t + t*t) > e and e > 0"),
        ),
        {"t": "exp(-eps)", "e": "exp(eps)"},
    ),
    Use(
        lemma(
            "the same denominator",
            forall("real s t", "s > 0", "t == s*s", holds="2/(s + t) == 2/(s + s*s)"),
        ),
        {"s": "exp(-eps)", "t": "exp(-2*eps)"},
    ),
    Use("log-increases", {"s": "exp(eps)", "t": _MEAN}),
    Use("log-exp", {"s": "eps"}),
    Use(
        lemma("division by ε", forall("real s t", "t > 0", "s > t", holds="s/t > 1")),
        {"s": f"log({_MEAN})", "t": "eps"},
    ),
)


BELOW_ONE_AND_A_HALF = lemma(
    "it is below 3/2: the arithmetic mean is above the geometric one",
    forall("real eps", "eps > 0", holds=f"log({_MEAN})/eps < 3/2"),
    Use("exp-sum", {"s": "-eps/2", "t": "-eps/2"}),
    Use("exp-sum", {"s": "-eps", "t": "-eps"}),
    Use("exp-sum", {"s": "eps/2", "t": "-eps/2"}),
    Use("exp-sum", {"s": "eps/2", "t": "eps/2"}),
    Use("exp-sum", {"s": "eps/2", "t": "eps"}),
    Use("exp-increases", {"s": "-eps/2", "t": "0"}),
    Use(
        lemma(
            "2/(r² + r⁴) < 1/r³ for 0 < r < 1",
            forall(
                "real r s t u",
                "r > 0",
                "r < 1",
                "s*r == 1",
                "t == r*r",
                "u == t*t",
                holds="2/(t + u) < s*(s*s) and 2/(t + u) > 0",
            ),
        ),
        {"r": "exp(-eps/2)", "s": "exp(eps/2)", "t": "exp(-eps)", "u": "exp(-2*eps)"},
    ),
    Use("log-increases", {"s": _MEAN, "t": "exp(3*eps/2)"}),
    Use("log-exp", {"s": "3*eps/2"}),
    Use(
        lemma("division by ε", forall("real s t", "t > 0", "s < 3*t/2", holds="s/t < 3/2")),
        {"s": f"log({_MEAN})", "t": "eps"},
    ),
)


GROWTH_RATE = lemma(
    "|ln(1/γ)/ε| ≤ C·k for γ = e^(−fε), |f| ≤ C·k",
    forall(
        "real eps f k C",
        "eps > 0",
        "k >= 0",
        "C >= 0",
        "abs(f) <= C*k",
        holds="abs(log(1/exp(-f*eps))/eps) <= C*k",
    ),
    Use(INVERSE, {"s": "f*eps"}),
    Use(
        lemma("the reciprocal", forall("real s t", "s > 0", "t*s == 1", holds="1/s == t")),
        {"s": "exp(-f*eps)", "t": "exp(f*eps)"},
    ),
    Use(
        lemma("equal logarithms", forall("real s t", "s > 0", "t == s", holds="log(t) == log(s)")),
        {"s": "exp(f*eps)", "t": "1/exp(-f*eps)"},
    ),
    Use("log-exp", {"s": "f*eps"}),
    Use(
        lemma("over ε", forall("real f e l", "e > 0", "l == f*e", holds="l/e == f")),
        {"e": "eps", "l": "log(1/exp(-f*eps))"},
    ),
    Use(
        lemma("equal values", forall("real s t", "s == t", holds="abs(s) == abs(t)")),
        {"s": "log(1/exp(-f*eps))/eps", "t": "f"},
    ),
)


STEPS = lemma(
    "1 − e^(−ε·ln(1/δ)/ε) = 1 − δ",
    forall(
        "real eps delta",
        "eps > 0",
        "delta > 0",
        "delta < 1",
        holds="1 - exp(-(log(1/delta)/eps)*eps) == 1 - delta",
    ),
    Use(
        lemma(
            "the exponent",
            forall("real e l", "e > 0", holds="-(l/e)*e == -l"),
        ),
        {"e": "eps", "l": "log(1/delta)"},
    ),
    Use(EQUAL_EXP, {"s": "-(log(1/delta)/eps)*eps", "t": "-log(1/delta)"}),
    Use(
        lemma(
            "1/δ", forall("real delta", "delta > 0", holds="1/delta > 0 and (1/delta)*delta == 1")
        )
    ),
    Use("exp-log", {"s": "1/delta"}),
    Use(INVERSE, {"s": "log(1/delta)"}),
    Use(
        lemma(
            "what is left",
            forall("real s t u", "s > 0", "s*t == 1", "s*u == 1", holds="t == u"),
        ),
        {"s": "1/delta", "t": "exp(-log(1/delta))", "u": "delta"},
    ),
)


_ROOT = "sqrt(1 - delta)"


_QUANTILE = f"1/(2 - delta - 2*{_ROOT})"


STEPS_ZHANG = lemma(
    "(1 − e^(−kε/2))² = 1 − δ at k = ln(1/(1 − √(1 − δ))²)/ε",
    forall(
        "real eps delta",
        "eps > 0",
        "delta > 0",
        "delta < 1",
        holds=f"(1 - exp(-(log({_QUANTILE})/eps)*eps/2))^2 == 1 - delta",
    ),
    Use(
        lemma("the exponent", forall("real e l", "e > 0", holds="-(l/e)*e/2 == -l/2")),
        {"e": "eps", "l": f"log({_QUANTILE})"},
    ),
    Use(
        EQUAL_EXP,
        {"s": f"-(log({_QUANTILE})/eps)*eps/2", "t": f"-log({_QUANTILE})/2"},
    ),
    Use(
        lemma(
            "the square (1 − r)²",
            forall(
                "real delta r",
                "delta > 0",
                "r >= 0",
                "r*r == 1 - delta",
                holds="r < 1 and 2 - delta - 2*r > 0 and 2 - delta - 2*r == (1 - r)*(1 - r) and "
                "1/(2 - delta - 2*r)*(2 - delta - 2*r) == 1 and 1/(2 - delta - 2*r) > 0",
            ),
        ),
        {"r": _ROOT},
    ),
    Use("exp-log", {"s": _QUANTILE}),
    Use(INVERSE, {"s": f"log({_QUANTILE})"}),
    Use("exp-sum", {"s": f"-log({_QUANTILE})/2", "t": f"-log({_QUANTILE})/2"}),
    Use(
        lemma(
            "the root is 1 − r",
            forall(
                "real d r q w e",
                "r >= 0",
                "r < 1",
                "r*r == 1 - d",
                "q*w == 1",
                "q > 0",
                "w == (1 - r)*(1 - r)",
                "q*(e*e) == 1",
                "e > 0",
                holds="(1 - e)^2 == 1 - d",
            ),
        ),
        {
            "d": "delta",
            "r": _ROOT,
            "q": _QUANTILE,
            "w": f"2 - delta - 2*{_ROOT}",
            "e": f"exp(-log({_QUANTILE})/2)",
        },
    ),
)


POWERS = lemma(
    "(m − 1)!·2^(m − 1) < n^(m − 1) for m = 2 … 9",
    forall(
        "natural n",
        "n >= 8",
        holds=" and ".join(f"{factorial(m) * 2**m} < n^{m}" for m in range(1, 9)),
    ),
    *(
        Use(
            lemma(
                f"8^{m} ≤ n^{m}",
                forall("real p n", "n >= 8", f"p >= 8^{m - 1}", holds=f"p*n >= 8^{m}"),
            ),
            {"p": f"n^{m - 1}"},
        )
        for m in range(1, 9)
    ),
)


NEAR = lemma(
    "τ < 2g gives e^(−ετ/(2g)) > e^(−ε)",
    forall(
        "real eps tau",
        "eps > 0",
        "tau > 0",
        "tau < 2*sqrt(1 - pi/4)",
        holds="exp(-eps*tau/(2*sqrt(1 - pi/4))) > exp(-eps)",
    ),
    Use(
        lemma(
            "the exponents",
            forall(
                "real eps tau g",
                "eps > 0",
                "g > 0",
                "tau < 2*g",
                holds="-eps < -eps*tau/(2*g)",
            ),
        ),
        {"g": "sqrt(1 - pi/4)"},
    ),
    Use("exp-increases", {"s": "-eps", "t": "-eps*tau/(2*sqrt(1 - pi/4))"}),
)

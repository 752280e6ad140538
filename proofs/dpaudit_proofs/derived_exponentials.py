"""Derivations about exponentials and logarithms, β and densities: the engine checks every step."""

from __future__ import annotations

from dpaudit.claims.claim import Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall
from dpaudit.results.claims import Statement

__all__ = [
    "BETA_BOUND",
    "BETA_POSITIVE",
    "DELTA_SMALL",
    "DILATED_LOG",
    "DILATED_RATIO",
    "DILATED_UP",
    "EQUAL_EXP",
    "EXPONENT",
    "EXP_MONOTONE",
    "HALF_BUDGET",
    "INVERSE",
    "LARGE_BUDGET",
    "LINEAR",
    "LOG_NEGATIVE",
    "QUOTIENT_NEGATIVE",
    "SLIDING",
    "lemma",
]


def lemma(title: str, proves: Statement, *uses: Use) -> Derivation:
    """Return a derivation that is a step of an argument."""
    return Derivation(title=title, role=Role.LEMMA, proves=proves, uses=uses)


_L = "log(delta/(2*(n + 1)))"


_BETA_DOMAIN = ("eps > 0", "delta > 0", "delta < 1", "n >= 1")


LOG_NEGATIVE = lemma(
    "the logarithm in β is below 0",
    forall("real eps delta, natural n", *_BETA_DOMAIN, holds=f"{_L} < 0"),
    Use(
        lemma(
            "its argument is below 1",
            forall(
                "real delta, natural n",
                "delta > 0",
                "delta < 1",
                "n >= 1",
                holds="delta/(2*(n + 1)) > 0 and delta/(2*(n + 1)) < 1",
            ),
        )
    ),
    Use("log-increases", {"s": "delta/(2*(n + 1))", "t": "1"}),
)


QUOTIENT_NEGATIVE = lemma(
    "a positive number over a negative one is negative",
    forall("real s t", "s > 0", "t < 0", holds="s/(2*t) < 0"),
)


BETA_POSITIVE = lemma(
    "β is above 0",
    forall(
        "real eps delta, natural n",
        *_BETA_DOMAIN,
        holds=f"log(1 - eps/(2*{_L})) > 0",
    ),
    Use(LOG_NEGATIVE),
    Use(QUOTIENT_NEGATIVE, {"s": "eps", "t": _L}),
    Use("log-increases", {"s": "1", "t": f"1 - eps/(2*{_L})"}),
)


EXPONENT = lemma(
    "ε/(2(1 − e)) ≤ L where 1 < e ≤ 1 − ε/(2L)",
    forall(
        "real eps e L",
        "eps > 0",
        "L < 0",
        "e > 1",
        "e <= 1 - eps/(2*L)",
        holds="eps/(2*(1 - e)) <= L",
    ),
)


EXP_MONOTONE = lemma(
    "exp does not decrease",
    forall("real s t", "s <= t", holds="exp(s) <= exp(t)"),
    Use("exp-increases"),
    Use(lemma("equal arguments", forall("real s t", "s == t", holds="exp(s) == exp(t)"))),
)


BETA_BOUND = lemma(
    "λ ≤ β makes the bound at most δ/2",
    forall(
        "real eps delta l, natural n",
        *_BETA_DOMAIN,
        "l > 0",
        f"l <= log(1 - eps/(2*{_L}))",
        holds="(n + 1)*exp(eps/(2*(1 - exp(l)))) <= delta/2",
    ),
    Use(LOG_NEGATIVE),
    Use(QUOTIENT_NEGATIVE, {"s": "eps", "t": _L}),
    Use("exp-increases", {"s": "0", "t": "l"}),
    Use(EXP_MONOTONE, {"s": "l", "t": f"log(1 - eps/(2*{_L}))"}),
    Use("exp-log", {"s": f"1 - eps/(2*{_L})"}),
    Use(EXPONENT, {"e": "exp(l)", "L": _L}),
    Use(EXP_MONOTONE, {"s": "eps/(2*(1 - exp(l)))", "t": _L}),
    Use(
        lemma(
            "the argument of the logarithm is above 0",
            forall(
                "real delta, natural n",
                "delta > 0",
                "n >= 1",
                holds="delta/(2*(n + 1)) > 0 and (n + 1)*(delta/(2*(n + 1))) == delta/2",
            ),
        )
    ),
    Use("exp-log", {"s": "delta/(2*(n + 1))"}),
    Use(
        lemma(
            "times n + 1",
            forall("real n s t", "n > 0", "s <= t", holds="(n + 1)*s <= (n + 1)*t"),
        ),
        {"s": "exp(eps/(2*(1 - exp(l))))", "t": "delta/(2*(n + 1))"},
    ),
)


EQUAL_EXP = lemma("equal exponents", forall("real s t", "s == t", holds="exp(s) == exp(t)"))


INVERSE = lemma(
    "e^(−s) is 1/e^s",
    forall("real s", holds="exp(s)*exp(-s) == 1"),
    Use("exp-sum", {"t": "-s"}),
)


LINEAR = lemma(
    "1 − e^λ ≤ −λ",
    forall("real l", "l < 0", holds="1 - exp(l) <= -l"),
    Use("exp-tangent", {"s": "l"}),
)


_QUOTIENT = lemma(
    "a quotient of exponentials",
    forall("real s t", holds="exp(s)/exp(t) == exp(s - t)"),
    Use(
        lemma(
            "times the divisor",
            forall("real s t", holds="exp(s - t)*exp(t) == exp(s)"),
            Use("exp-sum", {"s": "s - t", "t": "t"}),
        )
    ),
    Use(
        lemma(
            "division",
            forall("real p q r", "q > 0", "r*q == p", holds="p/q == r"),
        ),
        {"p": "exp(s)", "q": "exp(t)", "r": "exp(s - t)"},
    ),
)


DILATED_RATIO = lemma(
    "the ratio of the dilated density to the density",
    forall(
        "real l z",
        holds="exp(l)*exp(-abs(exp(l)*z))/exp(-abs(z)) == exp(l)*exp(abs(z)*(1 - exp(l)))",
    ),
    Use(
        lemma(
            "|e·z| is e·|z|",
            forall("real e z", "e > 0", holds="abs(e*z) == e*abs(z)"),
        ),
        {"e": "exp(l)"},
    ),
    Use(_QUOTIENT, {"s": "-abs(exp(l)*z)", "t": "-abs(z)"}),
    Use(EQUAL_EXP, {"s": "-abs(exp(l)*z) + abs(z)", "t": "abs(z)*(1 - exp(l))"}),
    Use(
        lemma(
            "a factor in front",
            forall("real e p q r", "q != 0", "p/q == r", holds="e*p/q == e*r"),
        ),
        {
            "e": "exp(l)",
            "p": "exp(-abs(exp(l)*z))",
            "q": "exp(-abs(z))",
            "r": "exp(-abs(exp(l)*z) + abs(z))",
        },
    ),
)


DILATED_LOG = lemma(
    "its logarithm for λ < 0",
    forall(
        "real l z",
        "l < 0",
        holds="l + abs(z)*(1 - exp(l)) <= l + abs(z)*abs(l) and l + abs(z)*abs(l) <= abs(z)*abs(l)",
    ),
    Use(LINEAR),
    Use(
        lemma(
            "times |z|",
            forall("real p q r", "p >= 0", "q <= r", holds="p*q <= p*r"),
        ),
        {"p": "abs(z)", "q": "1 - exp(l)", "r": "abs(l)"},
    ),
)


DILATED_UP = lemma(
    "the ratio is at most e^λ for λ > 0",
    forall(
        "real l z",
        "l > 0",
        holds="exp(l)*exp(abs(z)*(1 - exp(l))) <= exp(l)",
    ),
    Use("exp-increases", {"s": "0", "t": "l"}),
    Use(
        lemma("a sign", forall("real p q", "p >= 0", "q > 1", holds="p*(1 - q) <= 0")),
        {"p": "abs(z)", "q": "exp(l)"},
    ),
    Use(EXP_MONOTONE, {"s": "abs(z)*(1 - exp(l))", "t": "0"}),
    Use(
        lemma("a factor", forall("real p q", "p > 0", "q <= 1", holds="p*q <= p")),
        {"p": "exp(l)", "q": "exp(abs(z)*(1 - exp(l)))"},
    ),
)


HALF_BUDGET = lemma(
    "ε/(2·ln(3/δ)) ≤ ε/2 where ln(3/δ) ≥ 1",
    forall("real eps s l", "eps > 0", "s >= 1", "l <= eps/(2*s)", holds="l <= eps/2"),
)


LARGE_BUDGET = lemma(
    "the ratio is at most 1 ≤ ε/2",
    forall(
        "real l c s eps",
        "l < 0",
        "c <= 0",
        "s > 0",
        "eps >= 2",
        holds="exp(eps*c/(2*s))/exp(eps*exp(l)*c/(2*s)) <= eps/2",
    ),
    Use("exp-increases", {"s": "l", "t": "0"}),
    Use(
        lemma(
            "the exponents",
            forall(
                "real e c s eps",
                "e < 1",
                "c <= 0",
                "s > 0",
                "eps > 0",
                holds="eps*c/(2*s) <= eps*e*c/(2*s)",
            ),
        ),
        {"e": "exp(l)"},
    ),
    Use(EXP_MONOTONE, {"s": "eps*c/(2*s)", "t": "eps*exp(l)*c/(2*s)"}),
    Use(
        lemma("a quotient", forall("real p q", "q > 0", "p <= q", holds="p/q <= 1")),
        {"p": "exp(eps*c/(2*s))", "q": "exp(eps*exp(l)*c/(2*s))"},
    ),
)


SLIDING = lemma(
    "sliding of the density",
    forall(
        "real s d S N eps delta",
        "eps >= 0",
        "delta >= 0",
        "S > 0",
        "N > 0",
        "d >= -S",
        holds="exp(eps*s/(2*S))/N <= exp(eps/2)*(exp(eps*(s + d)/(2*S))/N) + delta/2",
    ),
    Use(
        lemma(
            "the exponents",
            forall(
                "real s d S eps",
                "eps >= 0",
                "S > 0",
                "d >= -S",
                holds="eps*s/(2*S) <= eps/2 + eps*(s + d)/(2*S)",
            ),
        )
    ),
    Use(EXP_MONOTONE, {"s": "eps*s/(2*S)", "t": "eps/2 + eps*(s + d)/(2*S)"}),
    Use("exp-sum", {"s": "eps/2", "t": "eps*(s + d)/(2*S)"}),
    Use(
        lemma(
            "over the normaliser",
            forall("real p q r N", "N > 0", "p <= q*r", holds="p/N <= q*(r/N)"),
        ),
        {"p": "exp(eps*s/(2*S))", "q": "exp(eps/2)", "r": "exp(eps*(s + d)/(2*S))"},
    ),
)


DELTA_SMALL = lemma(
    "e^(ε/2) ≤ 2 gives e^(ε/2)·δ/2 ≤ δ",
    forall(
        "real eps delta",
        "eps > 0",
        "eps <= 2*log(2)",
        "delta > 0",
        "delta < 1",
        holds="exp(eps/2)*delta/2 <= delta",
    ),
    Use(EXP_MONOTONE, {"s": "eps/2", "t": "log(2)"}),
    Use("exp-log", {"s": "2"}),
    Use(
        lemma("times δ", forall("real e d", "d > 0", "e <= 2", holds="e*d/2 <= d")),
        {"e": "exp(eps/2)", "d": "delta"},
    ),
)

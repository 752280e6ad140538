"""Typed statements about the outputs far from the data, and about how many outputs there are.

x and r are counts of n records in k categories, a is the prior.  Of a claim about any finite set of
outputs the scores are those of ``score``, and quotients are multiplied out, as every sum of
weights is above 0.
"""

from __future__ import annotations

from dpaudit.claims.claim import Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.derived_exponentials import lemma
from dpaudit_proofs.neighbours import PRIOR

__all__ = [
    "AS_MANY",
    "BAYES",
    "BEST",
    "DISTINCT",
    "GLOBAL",
    "GROWN",
    "LEAST_AND_LARGEST",
    "NORMALISED",
    "POLYNOMIAL",
    "SCALED",
    "TAIL",
]

_X, _R = ("each(i, 1, k, x[i])", "each(i, 1, k, r[i])")
_DATA = (
    "k >= 2",
    "n >= 1",
    "all(i, 1, k, x[i] >= 0)",
    "sum(i, 1, k, x[i]) == n",
    "all(i, 1, k, a[i] > 0)",
)

GLOBAL = forall(
    "natural k n, integers x, reals a, real eps c D",
    *_DATA,
    "eps > 0",
    "D > 0",
    holds=f"P_far(eps/(2*D), {PRIOR}, {_X}, c) <= candidates(k, n)*exp(-eps*c/(2*D))",
)
"""P[H ≥ c] ≤ |R|·exp(−εc/(2Δ)) for any Δ > 0."""

_SCALED_DOMAIN = ("natural k n, integers x, reals a, real f c", *_DATA, "f > 0")

SCALED = forall(
    *_SCALED_DOMAIN,
    holds=f"P_far(f, {PRIOR}, {_X}, c) <= candidates(k, n)*exp(-f*c)/NL(f, {PRIOR}, {_X})",
)
"""P[H ≥ c] ≤ |R|·exp(−f·c)/NL_x for any f > 0, ε/(2S) and ε/S among them."""

NORMALISED = Derivation(
    title="NL_x is above 0",
    role=Role.LEMMA,
    proves=forall(*_SCALED_DOMAIN, holds=f"NL(f, {PRIOR}, {_X}) > 0"),
    uses=(Use("normaliser-positive"),),
)

_AT_X, _AT_R = (f"each(i, 1, k, a[i] + {name}[i])" for name in "xr")

BEST = forall(
    "natural k n, integers x r, reals a",
    *_DATA,
    "all(i, 1, k, r[i] >= 0)",
    "sum(i, 1, k, r[i]) == n",
    holds=f"H({_AT_X}, {_AT_X}) == 0 and H({_AT_X}, {_AT_R}) >= 0 and "
    f"(all(i, 1, k, r[i] == x[i]) or H({_AT_X}, {_AT_R}) > 0)",
)
"""H is 0 at the candidate x, and above 0 at every other."""

_LAW = "exp(eps*score(x, r)/(2*S))"

TAIL = forall(
    "natural N, real x t eps S opt",
    "N >= 1",
    "S > 0",
    "eps >= 0",
    "all(r, 1, N, score(x, r) <= opt)",
    "any(r, 1, N, score(x, r) == opt)",
    holds=f"sum(r, 1, N, {_LAW}*same(max(score(x, r), t), t))*"
    "(sum(r, 1, N, same(score(x, r), opt))*exp(eps*opt/(2*S))) <= "
    f"N*exp(eps*t/(2*S))*sum(r, 1, N, {_LAW})",
)
"""P(u ≤ t) at most |R|·…/(|R_OPT|·…), times the divisors; R_OPT have the largest score, opt."""

_UX, _UY, _VX, _VY = (f"score({data}, {out})" for out in "rt" for data in "xy")
_TOP, _BOTTOM = (
    f"sum(t, 1, N, exp(eps*({first} + {second})/(2*{scale})))"
    for first, second, scale in ((_UX, _VY, "sx"), (_UY, _VX, "sy"))
)

LEAST_AND_LARGEST = forall(
    "natural N r, real x y sx sy eps",
    "N >= 2",
    "r >= 1",
    "r <= N",
    "eps > 0",
    "0 < sy",
    "sy < sx",
    f"sy == {_UX} - {_UY}",
    f"all(t, 1, N, t == r or {_VX} < {_UX})",
    f"all(t, 1, N, {_UY} <= {_VY})",
    holds=f"{_TOP}*(N*exp(eps*({_UY} + {_UX})/(2*sy))) > "
    f"N*exp(eps*({_UX} + {_UY})/(2*sx))*{_BOTTOM}",
)
"""The quotient of the two sums over the candidates t, times the divisors; r is x's only best."""

AS_MANY = forall(
    "natural m, integers l",
    "m >= 2",
    holds="sum(i, 1, m - 1, 1 - min(1, sum(j, 1, i - 1, same(abs(l[i]), abs(l[j]))))) <= m - 1 and "
    "sum(i, 1, m - 1, 1 - same(l[i], 0)) <= m - 1",
)
"""How many values |l[i]| has, each counted where it is first; and how many l[i] are not 0."""


def _power(exponent: str, point: str) -> str:
    """Return Π point[i]^exponent[i]."""
    return f"exp(sum(i, 1, m, ({exponent})*log({point}[i])))"


_AFTER, _PRIOR, _LIKELIHOOD = (
    {point: _power(exponent, point) for point in "st"}
    for exponent in ("a[i] + c[i] - 1", "a[i] - 1", "c[i]")
)

BAYES = forall(
    "natural m, reals a s t, integers c",
    "m >= 2",
    "all(i, 1, m, a[i] > 0)",
    "all(i, 1, m, c[i] >= 0)",
    *(f"all(i, 1, m, {point}[i] > 0)" for point in "st"),
    *(f"sum(i, 1, m, {point}[i]) == 1" for point in "st"),
    holds=f"{_AFTER['s']}*({_PRIOR['t']}*{_LIKELIHOOD['t']}) == "
    f"{_PRIOR['s']}*{_LIKELIHOOD['s']}*{_AFTER['t']}",
)
"""Dir(α + c)'s density and prior times likelihood have the same quotient at any two points s, t."""

DISTINCT = forall(
    "natural k n",
    "k >= 2",
    "n >= 1",
    holds="candidates(2, n) == n + 1 and candidates(k, n)*gamma(k)*gamma(n + 1) == gamma(n + k)",
)
"""|R| = n + 1 for k = 2, and C(n + k − 1, k − 1) for every k."""

_QUOTIENT = "candidates(m, n)/n^(m - 1)"

POLYNOMIAL = forall(
    "natural m n",
    "m >= 2",
    "n >= 1",
    holds=f"1/gamma(m) < {_QUOTIENT} and {_QUOTIENT} <= m",
)
"""1/(m − 1)! < |R|/n^(m − 1) ≤ m."""

_ONE_SIDE = lemma(
    "one side more",
    forall(
        "natural m n",
        "m >= 1",
        "n >= 1",
        holds="candidates(m + 1, n)*m == candidates(m, n)*(n + m) and candidates(m, n) > 0",
    ),
    Use("candidates", {"k": "m"}),
    Use("candidates", {"k": "m + 1"}),
    Use("gamma-recurrence", {"s": "m"}),
    Use("gamma-recurrence", {"s": "n + m"}),
    Use(
        lemma(
            "the factor Γ(m)·Γ(n + 1) cancels",
            forall(
                "real c d f g h m n",
                "f > 0",
                "g > 0",
                "h > 0",
                "c*f*g == h",
                "d*(m*f)*g == (n + m)*h",
                holds="d*m == c*(n + m) and c > 0",
            ),
            Use(
                lemma(
                    "cancelling",
                    forall("real p q f g", "f > 0", "g > 0", "(p - q)*(f*g) == 0", holds="p == q"),
                ),
                {"p": "d*m", "q": "c*(n + m)"},
            ),
        ),
        {
            "c": "candidates(m, n)",
            "d": "candidates(m + 1, n)",
            "f": "gamma(m)",
            "g": "gamma(n + 1)",
            "h": "gamma(n + m)",
        },
    ),
)

_FIRST = lemma("Γ(1) and Γ(2) are 1", forall("", holds="gamma(1) == 1 and gamma(2) == 1"))

GROWN = Derivation(
    title="by induction over the sides",
    proves=POLYNOMIAL,
    uses=(
        Use(_ONE_SIDE),
        Use(_FIRST),
        Use("candidates", {"k": "2"}),
        Use("gamma-recurrence", {"s": "n + 1"}),
        Use("gamma-recurrence", {"s": "m"}),
        Use("power-step", {"s": "n", "j": "m - 1"}),
        Use("power-positive", {"s": "n", "j": "m - 1"}),
        Use(
            lemma(
                "two sides",
                forall(
                    "real c g n",
                    "n >= 1",
                    "g > 0",
                    "c*1*g == (n + 1)*g",
                    holds="1/1 < c/n and c/n <= 2",
                ),
            ),
            {"c": "candidates(2, n)", "g": "gamma(n + 1)"},
        ),
        Use(
            lemma(
                "a factor (n + m)/m more",
                forall(
                    "real m n f p c q d",
                    "m >= 2",
                    "n >= 1",
                    "f > 0",
                    "p > 0",
                    "c > 0",
                    "q == n*p",
                    "d*m == c*(n + m)",
                    "1/f < c/p",
                    "c/p <= m",
                    holds="1/(m*f) < d/q and d/q <= m + 1",
                ),
            ),
            {
                "c": "candidates(m, n)",
                "d": "candidates(m + 1, n)",
                "f": "gamma(m)",
                "p": "n^(m - 1)",
                "q": "n^m",
            },
        ),
    ),
    induction=("m", "2"),
)

"""Typed statements, false at a point: of mechanisms compared, of tables and of captions."""

from __future__ import annotations

from typing import Any

from dpaudit.claims.statement import forall
from dpaudit_proofs.typed_settings import ANY, DATA, FLAT, PRIOR, floored, over, toward_zero

__all__ = ["TABLES"]

# -- A Thm 4.5, Cor. 4.5.3 and N §4.3.1 ------------------------------------------------------------

_STEPS = f"largest(r, 0, n, abs(r - c)*(1 - at_most(t, {ANY.distance()})))"
_SQUARE = f"(1 - (exp(-{_STEPS}*eps/2) + exp(-({_STEPS} + 1)*eps/2))/2)^2"
_NOISY = "H((a + c, b + n - c), (a + i, b + j))"

_ON_BOTH = (
    f"sum(i, 0, n, sum(j, 0, n, (1 - at_most(t, {_NOISY}))*"
    f"{floored('2/eps', 'c', 'i')}*{floored('2/eps', 'n - c', 'j')}))"
)
_ON_FIRST = over(f"(1 - at_most(t, {ANY.distance()}))*{floored('2/eps', 'c', 'r')}")

_TABLES_S = "S_beta((1, 1), log(1 - 4/10/log(1/(4000*(n + 1)))), (c, n - c))"
_MEANS = (
    over(f"{FLAT.distance()}*{FLAT.law(f'4/(5*{_TABLES_S})')}"),
    over(f"{FLAT.distance()}*{toward_zero('5/2', 'c', 'r')}"),
)

_THREE = "(1 + m, 1 + m, 1 + m)"
_LAW_OF_THREE = (
    "P_exp(4/(5*S_beta((1, 1, 1), log(1 - 4/10/log(1/(4000*(n + 1)))), (m, m, m))), (1, 1, 1), "
    "(m, m, m), (i, j, n - i - j))"
)
_MEANS_OF_THREE = (
    f"sum(i, 0, n, sum(j, 0, n - i, H({_THREE}, (1 + i, 1 + j, 1 + n - i - j))*{_LAW_OF_THREE}))",
    f"sum(i, 0, n, sum(j, 0, n, H({_THREE}, (1 + i, 1 + j, 1 + max(0, n - i - j)))*"
    f"{toward_zero('5/2', 'm', 'i')}*{toward_zero('5/2', 'm', 'j')}))",
)


def _crosses_at(size: str, means: tuple[str, str]) -> str:
    """Return that M_H's mean is smaller than Laplace's exactly below ``size`` records."""
    first, second = means
    return f"(n < {size} and {first} < {second}) or (n >= {size} and {first} >= {second})"


_AWAY = "H((1 + x, 1 + y, 1 + n - x - y), (1 + i, 1 + j, 1 + n - i - j))"
_GOOD = f"at_most({_AWAY}, LS((1, 1, 1), (x, y, n - x - y)))"


def _over_three(body: str) -> str:
    return f"sum(i, 0, n, sum(j, 0, n - i, {body}))"


_EHD = "P_exp(eps/(2*sqrt(1 - pi/4)), (1, 1, 1), (x, y, n - x - y), (i, j, n - i - j))"
_LAPLACE_GOOD = (
    f"sum(i, 0, n, sum(j, 0, n, at_most(H((1 + x, 1 + y, 1 + n - x - y), (1 + i, 1 + j, 1 + "
    f"max(0, n - i - j))), LS((1, 1, 1), (x, y, n - x - y)))*{floored('2/eps', 'x', 'i')}*"
    f"{floored('2/eps', 'y', 'j')}))"
)

_COMPARED: dict[str, dict[str, Any]] = {
    "thm-4.5-LSZhang-equality": {  # the readings: noise on both counts, or on the first
        "typed": forall(
            "real a b eps t, natural n c",
            *PRIOR,
            "eps > 0",
            "t > 0",
            *DATA,
            holds=f"{_ON_BOTH} == {_SQUARE} or {_ON_FIRST} == {_SQUARE}",
        ),
        "points": ({"a": "1", "b": "1", "eps": "4/5", "t": "3/10", "n": "8", "c": "4"},),
    },
    "crossover-12-tables": {
        "typed": forall(
            "natural n c",
            "n >= 2",
            "2*c >= n - 1",
            "2*c <= n + 1",
            holds=_crosses_at("12", _MEANS),
        ),
        "points": ({"n": "12", "c": "6"},),
    },
    "crossover-15-tables": {
        "typed": forall(
            "natural n m", "n == 3*m", "m >= 1", holds=_crosses_at("15", _MEANS_OF_THREE)
        ),
        "points": ({"n": "12", "m": "4"},),
    },
    "cor-4.5.3-dirichlet": {
        "typed": forall(
            "real eps, natural n x y",
            "eps > 0",
            "x + y <= n",
            "n >= 1",
            "n*exp(-eps/(2*sqrt(1 - pi/4)))*(1 - exp(-eps)) > 3",
            holds=f"{_over_three(f'{_EHD}*{_GOOD}')} < {_LAPLACE_GOOD}",
        ),
        "points": ({"eps": "7/20", "n": "15", "x": "5", "y": "5"},),
    },
}

# -- the printed tables and captions ---------------------------------------------------------------

_NOISE = {j: f"(F_lap(5/2, {j + 1}) - F_lap(5/2, {-1 if j == 0 else j}))" for j in range(3)}
"""The chance of noise that is rounded toward zero, at ε = 4/5."""


def _at_five_five(divisor: int, steps: int) -> str:
    factor = f"4/5/({divisor}*S_beta((1, 1), log(1 - 4/10/log(1/36000)), (4, 4)))"
    return f"P_exp({factor}, (1, 1), (4, 4), ({4 + steps}, {4 - steps}))"


_BINS = {j: f"(2*(F_lap(5/2, {j + 1}) - F_lap(5/2, {j})))" for j in (1, 2)}
"""P(j ≤ |Y| < j + 1)."""

_DIFFERENT = "sum(i, 1, m - 1, 1 - min(1, sum(j, 1, i - 1, same(abs(z[i]), abs(z[j])))))"


def _captioned(n: int, beta: str, *windows: tuple[str, str, str, str]) -> str:
    """Return that a dataset of n records has LS and S_β in one of the pairs of windows."""
    x = f"(i, j, {n} - i - j)"
    ls, smooth = f"LS((7, 4, 5), {x})", f"S_beta((7, 4, 5), {beta}, {x})"
    either = " or ".join(
        f"({low} <= {ls} <= {high} and {least} <= {smooth} <= {most})"
        for low, high, least, most in windows
    )
    return f"any(i, 0, {n}, any(j, 0, {n} - i, {either}))"


_ROUNDED = ("945/10^4 - 1/20000", "945/10^4 + 1/20000", "96/1000 - 1/2000", "96/1000 + 1/2000")
_CUT_OFF = ("945/10^4", "946/10^4", "96/1000", "97/1000")
_CAPTIONS = (
    _captioned(120, "677791100173/10^13", _ROUNDED, _CUT_OFF),
    _captioned(150, "677791100173/10^13", _ROUNDED, _CUT_OFF),
    _captioned(
        100,
        "699407108115/10^13",
        ("75/1000", "85/1000", "85/1000", "95/1000"),
        ("8/100", "9/100", "9/100", "10/100"),
    ),
)

_PRINTED: dict[str, dict[str, Any]] = {
    "tables-beta": {
        "typed": forall(
            "",
            holds=" or ".join(
                "("
                + " and ".join(f"{_at_five_five(divisor, j)} > {_NOISE[j]}" for j in range(3))
                + ")"
                for divisor in (2, 1)
            ),
        ),
    },
    "lap-orderings-zero": {
        "typed": forall(
            "natural m, integers z",
            "m >= 2",
            "all(i, 1, m - 1, z[i] == 0)",
            holds=f"{_DIFFERENT} == 0 and sum(i, 1, m - 1, 1 - same(z[i], 0)) == 0",
        ),
        "points": ({"m": "3", "z": "1"},),
    },
    "lap-orderings-table": {
        "typed": forall(
            "",
            holds=f"abs({_BINS[1]}*{_BINS[1]}/4 + 2*{_BINS[1]}*{_BINS[2]}/8 - "
            "285774941516/10^13) <= 1/(2*10^13)",
        ),
    },
    "steps-labels": {  # the row “0.340503311163 / 2” of DL(2,2,2,51)
        "typed": forall(
            "natural x y z",
            "x + y + z <= 53",
            "abs(H((2, 2, 2, 51), (1 + x, 1 + y, 1 + z, 54 - x - y - z)) - 340503311163/10^12) "
            "<= 1/(2*10^12)",
            holds="(abs(x - 1) + abs(y - 1) + abs(z - 1) + abs(3 - x - y - z))/2 == 2",
        ),
        "points": ({"x": "0", "y": "1", "z": "1"},),
    },
    "captions-local-smooth": {"typed": forall("", holds=" and ".join(_CAPTIONS))},
    "gs-caption": {
        "typed": forall(
            "",
            holds=" and ".join(
                f"abs(GS((7, 4, 5), {n}) - 239992747797/10^12) <= 1/(2*10^12)"
                for n in (100, 120, 150)
            ),
        ),
    },
}

TABLES = {**_COMPARED, **_PRINTED}
"""Fields of the claims by id."""

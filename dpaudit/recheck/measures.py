"""Measures of the notions of privacy for two laws, from their definitions.

Mironov 2017, Def. 3 (Rényi); Bun and Steinke 2016, Def. 1.1 (ρ); Dong, Roth and Su 2022 (μ).
"""

from __future__ import annotations

from functools import cmp_to_key
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp, mpf

if TYPE_CHECKING:
    from dpaudit.recheck.definition import Definition

__all__ = [
    "BY_RATIO",
    "Test",
    "best_order",
    "concentration",
    "gaussian_tests",
    "kullback_leibler",
    "largest_mu",
    "renyi",
]

_SHOWN = mpf("1e-5")
"""An order is printed to six digits, so that the best one is no further off, relatively."""


def _by_ratio(a: tuple[mpf, mpf], b: tuple[mpf, mpf]) -> int:
    return int(mp.sign(b[0] * a[1] - a[0] * b[1]))


BY_RATIO = cmp_to_key(_by_ratio)
"""Sorts pairs (P, Q) by P/Q, the largest first."""


def kullback_leibler(definition: Definition, x: Any, y: Any) -> mpf:
    """Return Σ P·ln(P/Q)."""
    terms = []
    for p, q in definition.masses(x, y):
        if p > 0 and q == 0:
            return mp.inf
        if p > 0:
            terms.append(p * mp.log(p / q))
    return mp.fsum(terms)


def renyi(definition: Definition, x: Any, y: Any, order: mpf) -> mpf:
    """Return D_α = ln(Σ P^α·Q^(1 − α))/(α − 1) for α > 1."""
    if any(p > 0 and q == 0 for p, q in definition.masses(x, y)):
        return mp.inf
    return mp.log(definition.power_sum(x, y, order)) / (order - 1)


def concentration(definition: Definition, x: Any, y: Any, order: mpf) -> mpf:
    """Return D_α/α, in the limit for α = 1."""
    if order == 1:
        return kullback_leibler(definition, x, y)
    return renyi(definition, x, y, order) / order


def best_order(definition: Definition, x: Any, y: Any, near: mpf) -> mpf:
    """Return the order near ``near`` where D_α/α is largest, by golden section.

    The value is flat there, so that half of the digits of the order are enough for all of it.
    """
    golden = (mp.sqrt(5) - 1) / 2
    low, high = 1 + max((near - 1) / 1000, near - 1 - near * _SHOWN), near * (1 + _SHOWN)
    inner = [high - golden * (high - low), low + golden * (high - low)]
    values = [concentration(definition, x, y, order) for order in inner]
    for _ in range(max(60, int(2.4 * mp.dps) - 80)):
        if values[0] > values[1]:
            high, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = high - golden * (high - low)
            values[0] = concentration(definition, x, y, inner[0])
        else:
            low, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = low + golden * (high - low)
            values[1] = concentration(definition, x, y, inner[1])
    return inner[0]


class Test(NamedTuple):
    """A best test: its two errors, and the μ that it asks for."""

    type_one: mpf
    type_two: mpf
    mu: mpf


def gaussian_tests(definition: Definition, x: Any, y: Any) -> list[Test]:
    """Return the best tests of P against Q, which reject where Q/P is large.

    The smallest μ with T(P, Q) ≥ G_μ is the largest Φ⁻¹(Q(S)) − Φ⁻¹(P(S)) over their events S.
    """
    if definition.has_density:
        p, q = definition.best_event(x, y)
        return [Test(p, 1 - q, _quantile(q, 1 - q) - _quantile(p, 1 - p))] if p != q else []
    masses = [pair for pair in definition.masses(x, y) if max(pair) > 0]
    masses.sort(key=BY_RATIO, reverse=True)
    if any(min(pair) == 0 for pair in masses):
        return [Test(mpf(0), mpf(0), mp.inf)]
    inside = list(accumulate(masses, _add))[:-1]
    outside = list(accumulate(reversed(masses), _add))[-2::-1]
    rough = []
    for (p, q), (p_out, q_out) in zip(inside, outside, strict=True):
        with mp.workdps(15):
            rough.append(_quantile(q, q_out) - _quantile(p, p_out))
    # Few digits choose the candidates; only these are computed in full.
    close = [i for i, mu in enumerate(rough) if mu > max(rough) - mpf(10) ** -8]
    return [
        Test(
            inside[i][0],
            outside[i][1],
            _quantile(inside[i][1], outside[i][1]) - _quantile(inside[i][0], outside[i][0]),
        )
        for i in close
    ]


def largest_mu(definition: Definition, x: Any, y: Any) -> mpf:
    """Return the smallest μ with T(P, Q) ≥ G_μ."""
    return max((test.mu for test in gaussian_tests(definition, x, y)), default=mpf(0))


def _add(a: tuple[mpf, mpf], b: tuple[mpf, mpf]) -> tuple[mpf, mpf]:
    return a[0] + b[0], a[1] + b[1]


def _quantile(inside: mpf, outside: mpf) -> mpf:
    """Return Φ⁻¹ of a probability, given with its complement, so that neither is cancelled."""
    small = min(inside, outside)
    with mp.extradps(10 + max(0, int(-mp.log10(small)))):
        quantile = mp.sqrt(2) * mp.erfinv(2 * small - 1)
    return +quantile if inside <= outside else -quantile

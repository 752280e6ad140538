"""M_H at the prior (1,1) and one n, decided for every ε > 0 and 0 < δ < 1 at once.

M_H depends on δ through τ = e^(−β) ∈ (0, 1) alone, S_β(x) = max over z of LS(z)·τ^d(x, z), which
grows with τ; and on ε besides.  As δ < 1, e^β = 1 + ε/(2·ln(2(n + 1)/δ)) gives

    ε ≥ 2·ln(2(n + 1))·(1/τ − 1).

So the pairs (ε, δ) are covered by cells τ₀ ≤ τ ≤ τ₁, ε₀ ≤ ε ≤ ε₁ (or ε ≥ ε₀).  On a cell 1/S(x)
lies between its values at τ₁ and τ₀, which encloses H(y, r)/S(y) − H(x, r)/S(x) for every r, and

    NL(x) = Σ_r exp(−(ε/2)·H(x, r)/S(x)) ≥ 1

between its values at (ε₁, τ₀) and (ε₀, τ₁).  Cells that do not decide are halved.  Pairs that are
mirror images have the same laws.  In the outermost pair S(x) = S(y), the largest of all LS.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import (
    Ball,
    ball,
    certainly_less,
    lower_fraction,
    maximum,
    minimum,
    precision,
)

__all__ = ["Size", "losses_within", "normalisers_within"]

_FLAT = (Fraction(1), Fraction(1))
_BITS = 64
_TWO = Fraction(2)
_COARSE = Fraction(1, 2**7)
"""Only cells of τ at most this wide are cut along ε."""
_FINE = Fraction(1, 2**14)
"""Cells of τ narrower than this are given up."""
_CUTS = 64
"""How many cells of ε are tried for one cell of τ."""

Range = tuple[Fraction, Fraction | None]
"""From, to; None for no end."""


@dataclass
class Size:
    """The distances at one n, and 1/S as a function of τ."""

    n: int
    rows: list[list[Ball]] = field(init=False)
    _local: list[Ball] = field(init=False)
    _scales: dict[Fraction, list[Ball]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Compute the distances and local sensitivities, once."""
        metric = HellingerMetric(_FLAT)
        self.rows = [metric.row((c, self.n - c)) for c in range(self.n + 1)]
        self._local = [
            maximum(self.rows[c][m] for m in (c - 1, c + 1) if 0 <= m <= self.n)
            for c in range(self.n + 1)
        ]

    def scales(self, tau: Fraction) -> list[Ball]:
        """Return 1/S(x) for every x."""
        if tau not in self._scales:
            powers = [ball(tau) ** d for d in range(self.n + 1)]
            self._scales[tau] = [
                1 / maximum(s * powers[abs(c - m)] for m, s in enumerate(self._local))
                for c in range(self.n + 1)
            ]
        return self._scales[tau]

    def least_epsilon(self, tau: Fraction) -> Fraction:
        """Return a lower bound of ε for all τ′ ≤ ``tau``."""
        bound = lower_fraction(2 * (2 * ball(self.n + 1)).log() * ball(1 / tau - 1))
        return Fraction(int(bound * 2**20), 2**20)

    def normaliser(self, c: int, scale: Ball, epsilon: Fraction) -> Ball:
        """Return Σ exp(−(ε/2)·scale·H(x, r)), x = (c, n − c)."""
        factor = -ball(epsilon) / 2 * scale
        return sum(((factor * distance).exp() for distance in self.rows[c]), Ball(0))

    def quotients(
        self, c: int, tau: tuple[Fraction, Fraction], epsilon: Range
    ) -> tuple[Ball, Ball]:
        """Return upper bounds of ln(NL(y)/NL(x)) and ln(NL(x)/NL(y)) on a cell, y = (c + 1, …)."""
        at_low, at_high = self.scales(tau[0]), self.scales(tau[1])
        low, high = epsilon
        above = [self.normaliser(m, at_high[m], low) for m in (c, c + 1)]
        below = [
            ball(1) if high is None else self.normaliser(m, at_low[m], high) for m in (c, c + 1)
        ]
        return (above[1] / below[0]).log(), (above[0] / below[1]).log()


def losses_within(n: int) -> str:
    """Certify P_x(r) ≤ e^ε·P_y(r) for all neighbours, r, ε and δ; return the pair where it fails.

    ln(P_x(r)/P_y(r)) = (ε/2)·g(r) + ln(NL(y)/NL(x)), g(r) = H(y, r)/S(y) − H(x, r)/S(x).  It is at
    most ε/2 times the spread of g; and where that is above 2, at most ε if ln(NL(y)/NL(x)) is at
    most (ε/2)(2 − max g), and the other way round if ln(NL(x)/NL(y)) ≤ (ε/2)(2 + min g).
    """
    with precision(_BITS):
        size = Size(n)
        for c in range(1, (n + 1) // 2):
            cells = [(Fraction(0), Fraction(1))]
            while cells:
                low, high = cells.pop()
                most, least = _extremes(size, c, low, high)
                if certainly_less(most - least, ball(_TWO)):
                    continue
                rooms = (2 - most, 2 + least)
                if low > 0 and high - low <= _COARSE and _paid(size, c, (low, high), rooms):
                    continue
                if high - low < _FINE:
                    return f"n = {n}, x = ({c}, {n - c}), τ near {float(low):.5f}"
                cells += _halves(low, high)
    return ""


def _extremes(size: Size, c: int, low: Fraction, high: Fraction) -> tuple[Ball, Ball]:
    """Return an upper bound of max g and a lower bound of min g for ``low`` ≤ τ ≤ ``high``."""
    large, small = size.scales(low), size.scales(high)
    rows = list(zip(size.rows[c], size.rows[c + 1], strict=True))
    most = maximum(y * large[c + 1] - x * small[c] for x, y in rows)
    least = minimum(y * small[c + 1] - x * large[c] for x, y in rows)
    return most, least


def _paid(size: Size, c: int, tau: tuple[Fraction, Fraction], rooms: tuple[Ball, Ball]) -> bool:
    """Whether both logarithms are at most ε/2 times their room (≥ 0) for every ε at this τ."""
    first = size.least_epsilon(tau[1])
    if first <= 0 or not all(certainly_less(Ball(0), room) for room in rooms):
        return False
    cells: list[Range] = [(first, None)]
    for _ in range(_CUTS):
        low, high = cells.pop()
        logarithms = size.quotients(c, tau, (low, high))
        if not all(
            certainly_less(logarithm, ball(low) / 2 * room)
            for logarithm, room in zip(logarithms, rooms, strict=True)
        ):
            cells += _cut(low, high)
        elif not cells:
            return True
    return False


def normalisers_within(n: int, start: Fraction) -> str:
    """Certify |ln(NL(x)/NL(y))| ≤ 1 for all neighbours, all ε ≥ ``start`` and all δ.

    Return the pair where it fails.
    """
    with precision(_BITS):
        size = Size(n)
        for c in range((n + 1) // 2):
            cells: list[tuple[Fraction, Fraction, Fraction, Fraction | None]]
            cells = [(Fraction(0), Fraction(1), start, None)]
            while cells:
                low, high, first, last = cells.pop()
                first = max(first, size.least_epsilon(high))
                if last is not None and last <= first:
                    continue  # no δ < 1 gives such an ε with such a τ
                both = size.quotients(c, (low, high), (first, last))
                if all(certainly_less(logarithm, ball(1)) for logarithm in both):
                    continue
                if high - low < _FINE:
                    return f"n = {n}, x = ({c}, {n - c}), τ near {float(low):.5f}"
                cells += [
                    (*half, *span) for half in _halves(low, high) for span in _cut(first, last)
                ]
    return ""


def _halves(low: Fraction, high: Fraction) -> list[tuple[Fraction, Fraction]]:
    middle = (low + high) / 2
    return [(low, middle), (middle, high)]


def _cut(low: Fraction, high: Fraction | None) -> list[Range]:
    """Cut a range of ε in two."""
    middle = 2 * low if high is None else (low + high) / 2
    return [(middle, high), (low, middle)]

"""The Laplace distribution by its rate, 1 over the scale."""

from __future__ import annotations

from mpmath import mp, mpf

__all__ = ["laplace_above", "laplace_below", "laplace_density"]


def laplace_density(rate: mpf, z: mpf) -> mpf:
    """Return the density at ``z``."""
    return rate * mp.exp(-rate * abs(z)) / 2


def laplace_below(rate: mpf, z: mpf) -> mpf:
    """Return P(noise < z)."""
    tail = mp.exp(-rate * abs(z)) / 2
    return tail if z < 0 else 1 - tail


def laplace_above(rate: mpf, z: mpf) -> mpf:
    """Return P(noise > z)."""
    return laplace_below(rate, -z)

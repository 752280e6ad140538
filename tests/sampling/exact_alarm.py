"""The exact probability of a false alarm for an event fixed before: a sum over all counts."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp

from dpaudit.sampling.joint import Counts, JointTest

__all__ = ["false_alarm"]


def _terms(n: int, p: float) -> list[float]:
    q = Fraction(p)
    return [float(comb(n, j) * q**j * (1 - q) ** (n - j)) for j in range(n + 1)]


def false_alarm(n: int, epsilon: float, delta: float, alpha: float, second: float) -> float:
    """Return the probability that (ε, δ) is rejected where P = e^ε·Q + δ, Q = ``second``."""
    first = exp(epsilon) * second + delta
    p, q = _terms(n, first), _terms(n, second)
    total = 0.0
    for b, chance in enumerate(q):
        if chance < alpha * 1e-7:
            continue
        for a in range(n, -1, -1):
            if p[a] * chance < alpha * 1e-9:
                continue
            if not JointTest(Counts(n, a, b), alpha, "epsilon", delta).rejects(epsilon):
                break
            total += chance * p[a]
    return total

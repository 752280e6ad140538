"""Privacy notions of two finite laws, from their definitions, with mpmath alone."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations

from mpmath import erfinv, inf, log, mpf, sqrt

__all__ = ["DIGITS", "gaussian", "kl", "mp_of", "renyi", "supremum_on", "tradeoff", "tv"]

DIGITS = 60

Masses = Sequence[Fraction]


def mp_of(number: Fraction) -> mpf:
    return mpf(number.numerator) / number.denominator


def renyi(p: Masses, q: Masses, order: Fraction) -> mpf:
    """ln Σ p^α·q^(1−α) over α − 1, term by term."""
    a = mp_of(order)
    terms = [
        inf if b == 0 else mp_of(a0) ** a * mp_of(b) ** (1 - a)
        for a0, b in zip(p, q, strict=True)
        if a0
    ]
    return log(sum(terms)) / (a - 1)


def kl(p: Masses, q: Masses) -> mpf:
    return sum(
        inf if b == 0 else mp_of(a) * (log(mp_of(a)) - log(mp_of(b)))
        for a, b in zip(p, q, strict=True)
        if a
    )


def tv(p: Masses, q: Masses) -> Fraction:
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2


def supremum_on(p: Masses, q: Masses, orders: Sequence[Fraction]) -> mpf:
    """The largest D_α/α over some orders: from below, what a supremum over all is."""
    return max(renyi(p, q, order) / mp_of(order) for order in orders)


def quantile(probability: Fraction) -> mpf:
    return sqrt(2) * erfinv(mp_of(2 * probability - 1))


def gaussian(p: Masses, q: Masses) -> mpf:
    """The smallest μ, over every event there is: 2^outputs of them, none left to a lemma."""
    outputs = range(len(p))
    events = chain.from_iterable(combinations(outputs, size) for size in range(1, len(p)))
    found = mpf(0)
    for event in events:
        x = sum((p[r] for r in event), Fraction(0))
        y = sum((q[r] for r in event), Fraction(0))
        if y == 0 or x == 1:
            continue
        if x == 0 or y == 1:
            return inf
        found = max(found, quantile(y) - quantile(x))
    return found


def tradeoff(p: Masses, q: Masses, type_one: Fraction) -> Fraction:
    """T(P, Q) at one point, by filling the best outputs one after the other."""
    ordered = sorted(
        (r for r in range(len(p)) if p[r] or q[r]),
        key=lambda r: (p[r] != 0, -q[r] / p[r] if p[r] else 0),
    )
    left, power = type_one, Fraction(0)
    for r in ordered:
        part = Fraction(1) if p[r] <= left else left / p[r]
        power += part * q[r]
        left -= part * p[r]
        if not left and part < 1:
            break
    return 1 - power

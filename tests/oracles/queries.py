"""Selection mechanisms and sparse vectors at any precision, from integrals of exponentials.

Between the kinks of its factors, a product of Laplace or exponential densities and distribution
functions is a sum of e^(r·w·z), w = ε/Δ, which integrates term by term.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from mpmath import exp, mpf

from tests.oracles.selection import permute_and_flip, strings

__all__ = ["NAMES", "laws_of"]

Sum = dict[Fraction, Any]
"""r → c for Σ c·e^(r·w·z)."""
Factor = tuple[Fraction, Callable[[bool], Sum]]
"""Where a factor has its kink, and what it is below (False) and above (True)."""
Vector = tuple[int, ...]


def _times(left: Sum, right: Sum) -> Sum:
    found: Sum = defaultdict(mpf)
    for r, c in left.items():
        for s, d in right.items():
            found[r + s] += c * d
    return found


def integral(factors: Sequence[Factor], w: Any) -> Any:
    """∫ of the product over the line."""
    kinks = sorted({kink for kink, _ in factors})
    ends = [None, *kinks, None]
    total = mpf(0)
    for low, high in pairwise(ends):
        piece: Sum = {Fraction(0): mpf(1)}
        for kink, parts in factors:
            piece = _times(piece, parts(low is not None and low >= kink))
        for r, c in piece.items():
            if not c:
                continue
            if not r:
                assert low is not None
                assert high is not None
                total += c * _real(high - low)
                continue
            upper = mpf(0) if high is None else exp(_real(r * high) * w)
            lower = mpf(0) if low is None else exp(_real(r * low) * w)
            total += c * (upper - lower) / (_real(r) * w)
    return total


def _real(q: Fraction) -> Any:
    return mpf(q.numerator) / q.denominator


def density(centre: Fraction, kappa: Fraction, w: Any) -> Factor:
    """Of Laplace noise of rate κ·w around ``centre``."""
    height, shift = _real(kappa) * w / 2, exp(_real(kappa * centre) * w)
    return centre, lambda over: {-kappa: height * shift} if over else {kappa: height / shift}


def below(centre: Fraction, kappa: Fraction, w: Any) -> Factor:
    """P(centre + Laplace noise ≤ z)."""
    shift = exp(_real(kappa * centre) * w)
    return (
        centre,
        lambda over: (
            {Fraction(0): mpf(1), -kappa: -shift / 2} if over else {kappa: 1 / (2 * shift)}
        ),
    )


def above(centre: Fraction, kappa: Fraction, w: Any) -> Factor:
    """P(centre + Laplace noise > z)."""
    shift = exp(_real(kappa * centre) * w)
    return (
        centre,
        lambda over: (
            {-kappa: shift / 2} if over else {Fraction(0): mpf(1), kappa: -1 / (2 * shift)}
        ),
    )


def step(centre: Fraction, *, over: bool) -> Factor:
    """1 on one side of ``centre``, 0 on the other: no noise."""
    return centre, lambda side: {Fraction(0): mpf(1)} if side is over else {}


def softmax(answers: Vector, w: Any, given: Mapping[str, Any]) -> Mapping[Hashable, Any]:
    weights = [exp(w * answer / 2) for answer in answers]
    return {i: weight / sum(weights) for i, weight in enumerate(weights)}


def flipped(answers: Vector, w: Any, given: Mapping[str, Any]) -> Mapping[Hashable, Any]:
    """RNMExponential has this law too (Ding et al. 2021)."""
    return dict(enumerate(permute_and_flip(answers, w)))


def largest(answers: Vector, w: Any, given: Mapping[str, Any]) -> Mapping[Hashable, Any]:
    half = Fraction(1, 2)
    return {
        i: integral(
            [density(Fraction(own), half, w)]
            + [below(Fraction(a), half, w) for j, a in enumerate(answers) if j != i],
            w,
        )
        for i, own in enumerate(answers)
    }


def _sparse(
    rho: Callable[[int], Fraction],
    nu: Callable[[int], Fraction | None],
    *,
    fresh: bool = False,
    cutoff: bool = True,
) -> Callable[[Vector, Any, Mapping[str, Any]], Mapping[Hashable, Any]]:
    def law(answers: Vector, w: Any, given: Mapping[str, Any]) -> Mapping[Hashable, Any]:
        c = given.get("c", 1)
        threshold = given["threshold"]
        noise = nu(c)

        def segment(part: Sequence[tuple[int, str]]) -> Any:
            """∫ over z = T + ρ: ⊥ where q + ν < z."""
            factors = [density(threshold, rho(c), w)]
            for answer, symbol in part:
                centre = Fraction(answer)
                if noise is None:
                    factors.append(step(centre, over=symbol == "⊥"))
                else:
                    factors.append((below if symbol == "⊥" else above)(centre, noise, w))
            return integral(factors, w)

        found: dict[Hashable, Any] = {}
        for string in strings(len(answers), c if cutoff else None):
            parts: list[list[tuple[int, str]]] = [[]]
            for answer, symbol in zip(answers, string, strict=False):
                parts[-1].append((answer, symbol))
                if fresh and symbol == "⊤":
                    parts.append([])
            mass = mpf(1)
            for part in parts:
                mass *= segment(part) if part else 1
            found[string] = mass
        return {string: mass for string, mass in found.items() if mass}

    return law


_LAWS: dict[str, Callable[[Vector, Any, Mapping[str, Any]], Mapping[Hashable, Any]]] = {
    "ExponentialMechanism": softmax,
    "RNMGumbel": softmax,
    "PermuteAndFlip": flipped,
    "RNMExponential": flipped,
    "RNMLaplace": largest,
    "AboveThreshold": _sparse(lambda c: Fraction(1, 2), lambda c: Fraction(1, 4)),
    "SVT1": _sparse(lambda c: Fraction(1, 2), lambda c: Fraction(1, 4 * c)),
    "SVT2": _sparse(lambda c: Fraction(1, 2 * c), lambda c: Fraction(1, 4 * c), fresh=True),
    "SVT4": _sparse(lambda c: Fraction(1, 4), lambda c: Fraction(3, 4)),
    "SVT5": _sparse(lambda c: Fraction(1, 2), lambda c: None, cutoff=False),
    "SVT6": _sparse(lambda c: Fraction(1, 2), lambda c: Fraction(1, 2), cutoff=False),
}
NAMES = tuple(_LAWS)


def laws_of(
    name: str, given: Mapping[str, Any], n: int, adjacency: str
) -> tuple[dict[Hashable, Mapping[Hashable, Any]], list[tuple[Hashable, Hashable]]]:
    """Return the law of every vector of n answers, and the neighbouring pairs by definition."""
    vectors = list(product(range(given["low"], given["high"] + 1), repeat=n))
    pairs: list[tuple[Hashable, Hashable]] = [
        (x, y)
        for i, x in enumerate(vectors)
        for y in vectors[i + 1 :]
        if all(abs(a - b) <= 1 for a, b in zip(x, y, strict=True))
        and (adjacency != "unit-moves-one-sign" or len({a < b for a, b in _moved(x, y)}) == 1)
    ]
    w = given["epsilon"] / given["sensitivity"]
    return {x: _LAWS[name](x, w, given) for x in vectors}, pairs


def _moved(x: Vector, y: Vector) -> list[tuple[int, int]]:
    return [(a, b) for a, b in zip(x, y, strict=True) if a != b]

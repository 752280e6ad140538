"""The programs of DP-Sniper's suite as black boxes: many draws at once, in floats, and densities.

A density is what the best event known in advance is made of; nothing that is certified uses it.
It may lack a factor that is the same for all datasets.  Among numbers BOT is −1000, as there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tests.programs.corpus.programs import _murmur, parallel_patterns

__all__ = ["BOXES", "Box"]

_EPS = 0.1
BOT = -1000.0


class Box(NamedTuple):
    """A program: how it is drawn from, the log of its density, and the pairs of the suite."""

    name: str
    pairs: list[tuple[Any, Any]]
    draw: Callable[[Any, int, Any], Any]
    density: Callable[[Any, Any], Any] | None
    """Gives ln of the density at each of some outputs."""


_ON_COUNTS = [(1, 0), (1, 2)]
_ONES = (1,) * 5
_BINS = [(_ONES, (0, *_ONES[1:])), (_ONES, (2, *_ONES[1:]))]


def _cdf(x: Any) -> Any:
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


def _on_grid(drawn: Any) -> Any:
    """Return floats on the grid of 2⁻²⁰: what is finer is not the program of real numbers."""
    return np.round(drawn * 2.0**20) / 2.0**20


def _vector(
    name: str,
    pairs: Any,
    scale: float,
    copies: int = 0,
    *,
    sums: bool = False,
    rounded: Callable[[Any], Any] = _on_grid,
) -> Box:
    """Return independent Laplace noise on each entry; of ``copies`` if there is one."""

    def centre(x: Any) -> Any:
        return np.full(copies, float(x)) if copies else np.atleast_1d(np.array(x, dtype=float))

    def draw(x: Any, size: int, rng: Any) -> Any:
        found = rounded(centre(x) + rng.laplace(0, scale, (size, len(centre(x)))))
        if sums:
            return np.cumsum(found, axis=1)
        return found if found.shape[1] > 1 else found[:, 0]

    def density(x: Any, drawn: Any) -> Any:
        lines = np.asarray(drawn).reshape(len(drawn), -1)
        if sums:
            lines = np.diff(lines, axis=1, prepend=0.0)
        return -(np.abs(lines - centre(x)) / scale).sum(axis=1)

    return Box(name, pairs, draw, density)


def _noises(kind: str, scale: float) -> tuple[Any, Any, Any]:
    """Return draws, density and distribution function of noise."""
    if kind == "laplace":
        return (
            lambda rng, shape: rng.laplace(0, scale, shape),
            lambda v: np.exp(-np.abs(v) / scale) / (2 * scale),
            lambda v: _cdf(v / scale),
        )
    return (
        lambda rng, shape: rng.exponential(scale, shape),
        lambda v: np.where(v >= 0, np.exp(-np.maximum(v, 0) / scale) / scale, 0),
        lambda v: np.where(v >= 0, 1 - np.exp(-np.maximum(v, 0) / scale), 0),
    )


def _noisy_max(name: str, kind: str, *, value: bool) -> Box:
    """Return report noisy max; the value itself, if asked for."""
    draws, pdf, cdf = _noises(kind, 2 / _EPS)

    def draw(x: Any, size: int, rng: Any) -> Any:
        noisy = np.array(x) + draws(rng, (size, len(x)))
        return _on_grid(noisy.max(axis=1)) if value else noisy.argmax(axis=1)

    def parts(x: Any, at: Any) -> Any:
        below = [cdf(at - one) for one in x]
        return np.array([
            pdf(at - one) * np.prod([b for j, b in enumerate(below) if j != i], axis=0)
            for i, one in enumerate(x)
        ])  # fmt: skip

    def density(x: Any, drawn: Any) -> Any:
        with np.errstate(divide="ignore"):
            if value:
                return np.log(parts(x, np.asarray(drawn)).sum(axis=0))
            grid = np.linspace(-600, 900, 30_001)
            masses = np.trapezoid(parts(x, grid), grid, axis=1)
            return np.log(masses)[np.asarray(drawn)]

    return Box(name, parallel_patterns(5), draw, density)


_GRID = np.linspace(-700, 700, 5_601)


def _sparse(
    name: str, threshold: float, scales: tuple[float, float], cutoff: int, prints: str = ""
) -> Box:
    """Return sparse vector with noise of scales ρ and ν; it prints nothing, its number, or a new.

    The density is an integral over ρ of what the queries that were compared have come to.
    """
    rho, nu = scales
    fresh = 3 * cutoff / _EPS

    def draw(x: Any, size: int, rng: Any) -> Any:
        count = len(x)
        values = np.array(x) + (rng.laplace(0, nu, (size, count)) if nu else np.zeros((size, 1)))
        above = values >= threshold + rng.laplace(0, rho, (size, 1))
        if cutoff:
            over = np.cumsum(above, axis=1) - above >= cutoff
            above &= ~over
        if prints == "value":
            return np.where(above, _on_grid(values), BOT)
        if prints == "fresh":
            printed = _on_grid(np.array(x) + rng.laplace(0, fresh, (size, count)))
            return np.where(above, printed, 0.0)
        found = above.astype(np.int64)
        return np.where(over, -1, found) if cutoff else found

    weight = np.exp(-np.abs(_GRID) / rho) / (2 * rho)

    def pattern(x: Any, tops: tuple[bool, ...], *, printed: bool) -> Any:
        """Return the integrand over ρ; of what is printed the comparison is left out."""
        found = weight.copy()
        for one, top in zip(x, tops, strict=False):
            if top and printed:
                continue
            at = threshold + _GRID - one
            less = _cdf(at / nu) if nu else (at > 0) * 1.0
            found *= 1 - less if top else less
        return found

    def density(x: Any, drawn: Any) -> Any:
        drawn = np.asarray(drawn)
        above = drawn != BOT if prints == "value" else (drawn != 0 if prints else drawn == 1)
        codes = above @ (1 << np.arange(above.shape[1]))
        found = np.zeros(len(drawn))
        for code in np.unique(codes):
            lines = codes == code
            tops = [bool(code >> i & 1) for i in range(len(x))]
            last = max((i for i, top in enumerate(tops) if top), default=len(x))
            ended = cutoff and sum(tops) == cutoff
            seen = tuple(tops[: last + 1] if ended else tops)
            printed = prints == "value"
            inside = pattern(x, seen, printed=printed)
            step = _GRID[1] - _GRID[0]
            with np.errstate(divide="ignore"):
                if not printed:
                    found[lines] = np.log(inside.sum() * step)
                else:
                    summed = np.cumsum(inside) * step
                    least = np.where(above[lines], drawn[lines], np.inf).min(axis=1) - threshold
                    found[lines] = np.log(np.interp(least, _GRID, summed))
                if prints:
                    scale = nu if printed else fresh
                    far = np.abs(drawn[lines] - np.array(x)) / scale
                    found[lines] -= (far * above[lines]).sum(axis=1)
        return found

    return Box(name, parallel_patterns(10), draw, density)


def _both(name: str, first: Box, second: Box) -> Box:
    def draw(x: Any, size: int, rng: Any) -> Any:
        return np.concatenate([first.draw(x, size, rng), second.draw(x, size, rng)], axis=1)

    def density(x: Any, drawn: Any) -> Any:
        assert first.density is not None
        assert second.density is not None
        half = drawn.shape[1] // 2
        return first.density(x, drawn[:, :half]) + second.density(x, drawn[:, half:])

    return Box(name, first.pairs, draw, density)


def _truncated() -> Box:
    t = 8 / 9

    def draw(x: Any, size: int, rng: Any) -> Any:
        noise = rng.geometric(1 - t, size) - rng.geometric(1 - t, size)
        return np.clip(x + noise, 0, 5)

    def density(x: Any, drawn: Any) -> Any:
        ends = np.array([t**x / (1 + t), *([0.0] * 4), t ** (5 - x) / (1 + t)])
        inner = np.array([(1 - t) / (1 + t) * t ** abs(r - x) for r in range(6)])
        masses = np.where([r in (0, 5) for r in range(6)], ends, inner)
        return np.log(masses)[np.asarray(drawn)]

    return Box("TruncatedGeometricMechanism", [(k, k + 1) for k in range(5)], draw, density)


def _snapped() -> Box:
    scale = (1 + 100 * 2.0**-49) / _EPS

    def draw(x: Any, size: int, rng: Any) -> Any:
        return np.clip(16 * np.round((x + rng.laplace(0, scale, size)) / 16), -100, 100)

    def density(x: Any, drawn: Any) -> Any:
        places = np.array([-100.0, *(16.0 * k for k in range(-6, 7)), 100.0])
        edges = (places[:-1] + places[1:]) / 2
        edges[[0, -1]] = -104.0, 104.0
        masses = np.diff([0, *_cdf((edges - x) / scale), 1])
        return np.log(masses)[np.searchsorted(places, drawn)]

    return Box("LaplaceFixed", _ON_COUNTS, draw, density)


def _rappor(name: str, f: float, shown: tuple[float, float] | None) -> Box:
    def chances(x: Any) -> Any:
        kept = np.array([i in {_murmur(str(x), s) % 20 for s in range(4)} for i in range(20)])
        permanent = np.where(kept, 1 - f / 2, f / 2)
        return permanent if shown is None else shown[0] + permanent * (shown[1] - shown[0])

    def draw(x: Any, size: int, rng: Any) -> Any:
        return (rng.random((size, 20)) < chances(x)).astype(np.int64)

    def density(x: Any, drawn: Any) -> Any:
        chance = chances(x)
        return drawn @ np.log(chance) + (1 - drawn) @ np.log(1 - chance)

    return Box(name, _ON_COUNTS, draw, density)


BOXES = [
    _vector("LaplaceMechanism", _ON_COUNTS, 10.0),
    _vector(
        "LaplaceMechanism as floating-point code", _ON_COUNTS, 10.0, rounded=lambda drawn: drawn
    ),
    _snapped(),
    _truncated(),
    _vector("NoisyHist1", _BINS, 10.0),
    _vector("NoisyHist2", _BINS, 0.1),
    _noisy_max("ReportNoisyMax1", "laplace", value=False),
    _noisy_max("ReportNoisyMax2", "exponential", value=False),
    _noisy_max("ReportNoisyMax3", "laplace", value=True),
    _noisy_max("ReportNoisyMax4", "exponential", value=True),
    _sparse("SparseVectorTechnique1", 0.5, (20, 40), 1),
    _sparse("SparseVectorTechnique2", 1, (20, 40), 1),
    _sparse("SparseVectorTechnique3", 1, (20, 20), 1, "value"),
    _sparse("SparseVectorTechnique4", 1, (40, 40 / 3), 1),
    _sparse("SparseVectorTechnique5", 1, (20, 0), 0),
    _sparse("SparseVectorTechnique6", 1, (20, 20), 0),
    _rappor("Rappor", 0.75, (0.45, 0.55)),
    _rappor("OneTimeRappor", 0.95, None),
    _vector("LaplaceParallel", _ON_COUNTS, 200.0, 20),
    _both("SVT34Parallel", _sparse("", 1, (20, 40), 2, "value"), _sparse("", 1, (40, 40 / 3), 2)),
    _vector("PrefixSum", parallel_patterns(10), 10.0, sums=True),
    _sparse("NumericalSVT", 1, (30, 120), 2, "fresh"),
]

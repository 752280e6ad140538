"""The words of the notes that typed statements use.

Every function is defined twice: in balls by the package, and in mpmath by
:mod:`dpaudit_proofs.vocabulary_again`.  What derivations may take for granted of them is said in
:mod:`dpaudit_proofs.facts`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

from dpaudit.claims.elementary import Function, Undefined, sign_of
from dpaudit.claims.evaluate import exact_integer
from dpaudit.claims.vocabulary import vocabulary
from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.sensitivity import (
    beta_smooth_sensitivities,
    gamma_smooth_sensitivities,
    global_sensitivity,
    local_sensitivities,
)
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, ball, maximum, sign, working_precision
from dpaudit.numbers.real import Real, rational
from dpaudit_proofs.canary_words import CANARIES
from dpaudit_proofs.distances import (
    distance,
    distance_again,
    distance_enclosed,
    fractions_of,
    parameters_of,
)
from dpaudit_proofs.facts import FACTS
from dpaudit_proofs.noise_words import (
    clamped,
    clamped_again,
    laplace_below,
    laplace_below_again,
)
from dpaudit_proofs.vocabulary_again import (
    beta_smooth_again,
    candidates_again,
    far_again,
    gamma_smooth_again,
    global_again,
    local_again,
    normaliser_again,
    probability_again,
    substitutes,
)

__all__ = ["FACTS", "FUNCTIONS"]


def _counts(values: tuple[Any, ...]) -> tuple[int, ...]:
    found = fractions_of(values)
    if min(found) < 0 or any(q.denominator != 1 for q in found):
        raise Undefined("a count is not a whole number ≥ 0")
    return tuple(map(int, found))


_MOST_DATASETS = 140
_MOST_OF_A_MAXIMUM = 8000
_MOST_CATEGORIES = 8
_MOST_CANDIDATES = 30_000  # of the law at one dataset, for up to four categories
"""Beyond these a value is left undecided: statements are about any number of categories."""


def _space(n: int, k: int, most: int = _MOST_DATASETS) -> Histograms:
    """Return all counts of n records, if those of k categories are not too many."""
    if k > 2 and comb(n + k - 1, k - 1) > most:
        raise PrecisionNeeded
    return Histograms(n, k)


def _as_ball(value: Any) -> Ball:
    return value.ball() if isinstance(value, Real) else value


# -- sensitivities --------------------------------------------------------------------------------


def _posterior(prior: tuple[Fraction, ...], x: tuple[int, ...]) -> tuple[Real, ...]:
    return tuple(rational(a + c) for a, c in zip(prior, x, strict=True))


def _local(prior: tuple[Any, ...], counts: tuple[Any, ...]) -> Any:
    alpha, x = parameters_of(prior), _counts(counts)
    if not sum(x) or len(x) != len(alpha):
        raise Undefined("a dataset of no records has no neighbour")
    if len(x) > _MOST_CATEGORIES:
        raise PrecisionNeeded
    here = _posterior(alpha, x)
    values = [distance(here, _posterior(alpha, y)) for y in substitutes(x)]
    return vocabulary().functions["max"].balls(*values)


def _local_enclosed(prior: tuple[Any, ...], counts: tuple[Any, ...]) -> Any:
    alpha, x = parameters_of(prior), _counts(counts)
    if not sum(x) or not len(x) == len(alpha) <= _MOST_CATEGORIES:
        return _local(prior, counts)
    return _enclosed_local(alpha, x, working_precision())


@lru_cache(maxsize=1 << 14)
def _enclosed_local(prior: tuple[Fraction, ...], x: tuple[int, ...], bits: int) -> Ball:
    here = _posterior(prior, x)
    return maximum(distance_enclosed(here, _posterior(prior, y)) for y in substitutes(x))


@lru_cache(maxsize=64)
def _locals(prior: tuple[Fraction, ...], n: int, bits: int) -> list[Ball]:
    return local_sensitivities(prior, n)


def _global(prior: tuple[Any, ...], n: Any) -> Any:
    alpha, size = parameters_of(prior), exact_integer(n)
    if size < 1:
        raise Undefined("datasets of no records")
    if size > 12 or len(alpha) > 2:
        _space(size, len(alpha), _MOST_OF_A_MAXIMUM)
        return global_sensitivity(alpha, size)
    values = [_local(prior, (rational(c), rational(size - c))) for c in range(size + 1)]
    return vocabulary().functions["max"].balls(*values)


_Key = tuple[tuple[int, int], tuple[int, int]]
"""The middle and the radius of a ball, each m·2^e as m and e: balls cannot be keys."""


def _key(at: Ball) -> _Key:
    if not at.is_finite():
        raise PrecisionNeeded
    (middle, one), (radius, other) = at.mid().man_exp(), at.rad().man_exp()
    return (int(middle), int(one)), (int(radius), int(other))


@lru_cache(maxsize=64)
def _smoothed(
    kind: str,
    prior: tuple[Fraction, ...],
    n: int,
    rate: tuple[tuple[int, int], tuple[int, int]],
    bits: int,
) -> list[Ball]:
    """Return S_γ or S_β of all datasets."""
    smoothed = gamma_smooth_sensitivities if kind == "gamma" else beta_smooth_sensitivities
    return smoothed(_locals(prior, n, bits), Ball(rate[0], rate[1]), Histograms(n, len(prior)))


def _smooth(kind: str) -> Any:
    def apply(prior: tuple[Any, ...], rate: Any, counts: tuple[Any, ...]) -> Ball:
        alpha, x = parameters_of(prior), _counts(counts)
        if sum(x) < 1 or len(x) != len(alpha):
            raise Undefined("a dataset without records has no neighbours")
        if sign_of(rate) is Sign.NEGATIVE:
            raise Undefined("a rate below 0")
        space = _space(sum(x), len(x), _MOST_OF_A_MAXIMUM)
        key = _key(_as_ball(rate))
        return _smoothed(kind, alpha, sum(x), key, working_precision())[space.rank(x)]

    return apply


# -- laws -----------------------------------------------------------------------------------------


def _probability(
    factor: Any, prior: tuple[Any, ...], x: tuple[Any, ...], r: tuple[Any, ...]
) -> Any:
    alpha, counts, output = parameters_of(prior), _counts(x), _counts(r)
    if not len(alpha) == len(counts) == len(output):
        raise Undefined("lists of different lengths")
    if sum(counts) != sum(output):
        return rational(0)
    law = _law(alpha, counts, _key(_as_ball(factor)), working_precision())
    return law[_space(sum(counts), len(counts), _most(len(alpha))).rank(output)]


def _most(k: int) -> int:
    return _MOST_DATASETS if k > 4 else _MOST_CANDIDATES


@lru_cache(maxsize=64)
def _law(prior: tuple[Fraction, ...], x: tuple[int, ...], factor: _Key, bits: int) -> list[Ball]:
    _space(sum(x), len(x), _most(len(x)))  # which may be too large
    scale = Ball(factor[0], factor[1])
    weights = [(-scale * h).exp() for h in _row(prior, x, bits)]
    total = sum(weights, ball(0))
    return [weight / total for weight in weights]


@lru_cache(maxsize=16)
def _row(alpha: tuple[Fraction, ...], counts: tuple[int, ...], bits: int) -> list[Ball]:
    """Return H from the posterior of ``counts`` to every candidate, at the working precision."""
    return HellingerMetric(alpha).row(counts)


def _candidates(k: Any, n: Any) -> Any:
    categories, size = exact_integer(k), exact_integer(n)
    if min(categories, size) < 1:
        raise Undefined("no category, or no record")
    return rational(comb(size + categories - 1, size))


def _weights(factor: Any, prior: tuple[Any, ...], x: tuple[Any, ...]) -> list[tuple[Ball, Ball]]:
    """Return H to every candidate, and the weight exp(−f·H)."""
    alpha, counts = parameters_of(prior), _counts(x)
    if not sum(counts) or len(alpha) != len(counts):
        raise Undefined("a dataset without records, or lists of different lengths")
    _space(sum(counts), len(counts))
    return [(h, (-_as_ball(factor) * h).exp()) for h in _row(alpha, counts, working_precision())]


def _normaliser(*at: Any) -> Ball:
    return sum((weight for _, weight in _weights(*at)), ball(0))


def _far(factor: Any, prior: tuple[Any, ...], x: tuple[Any, ...], c: Any) -> Ball:
    total, least, found = ball(0), _as_ball(c), ball(0)
    for h, weight in _weights(factor, prior, x):
        if (beyond := sign(h - least)) is Sign.UNDECIDED:
            raise PrecisionNeeded
        total += weight
        found += ball(0) if beyond is Sign.NEGATIVE else weight
    return found / total


def _score(x: Any, r: Any) -> Any:
    if not (isinstance(x, Real) and isinstance(r, Real)):
        x, r = _as_ball(x), _as_ball(r)
    return x * r - r * r


_PAIR = (2, 2)
_TRIPLE = (3, 3)

FUNCTIONS = (
    Function(
        "H",
        "the Hellinger distance of Dir(a) and Dir(b): H(a, b) (A §1)",
        _PAIR,
        distance,
        distance_again,
        ("parameters", "parameters"),
        distance_enclosed,
    ),
    Function(
        "LS",
        "the local sensitivity at the counts x under the prior α: LS(α, x) (N §4.1)",
        _PAIR,
        _local,
        local_again,
        ("parameters", "records"),
        _local_enclosed,
    ),
    Function(
        "GS",
        "the largest local sensitivity of n records under the prior α: GS(α, n)",
        _PAIR,
        _global,
        global_again,
        ("parameters", "size"),
    ),
    Function(
        "S_gamma",
        "the smoothed sensitivity S_γ: S_gamma(α, γ, x) (A §1)",
        _TRIPLE,
        _smooth("gamma"),
        gamma_smooth_again,
        ("parameters", "rate", "records"),
    ),
    Function(
        "S_beta",
        "the smooth sensitivity S_β: S_beta(α, β, x) (N Def. 2.1)",
        _TRIPLE,
        _smooth("beta"),
        beta_smooth_again,
        ("parameters", "rate", "records"),
    ),
    Function(
        "P_exp",
        "P(r) ∝ exp(−f·H(α + x, α + r)) over all candidates: P_exp(f, α, x, r)",
        (4, 4),
        _probability,
        probability_again,
        ("real", "parameters", "counts", "counts"),
    ),
    Function(
        "candidates",
        "how many counts of n records in k categories there are: candidates(k, n)",
        _PAIR,
        _candidates,
        candidates_again,
        ("size", "size"),
    ),
    Function(
        "NL",
        "the sum of exp(−f·H(α + x, α + r)) over all candidates r: NL(f, α, x) (N §3.2)",
        _TRIPLE,
        _normaliser,
        normaliser_again,
        ("real", "parameters", "records"),
    ),
    Function(
        "P_far",
        "the probability of all r with H(α + x, α + r) ≥ c, P(r) ∝ exp(−f·H): P_far(f, α, x, c)",
        (4, 4),
        _far,
        far_again,
        ("real", "parameters", "records", "real"),
    ),
    Function(
        "F_lap",
        "P(Y < t) for Laplace noise Y of scale s: F_lap(s, t)",
        _PAIR,
        laplace_below,
        laplace_below_again,
        ("positive", "real"),
    ),
    Function(
        "P_clamp",
        "the probability of r, where the count c with Laplace noise of scale s is rounded down and "
        "clamped to 0 … n: P_clamp(s, n, c, r)",
        (4, 4),
        clamped,
        clamped_again,
        ("positive", "size", "real", "real"),
    ),
    Function(
        "score",
        "any score of the output r at the dataset x: score(x, r); evaluated at one of them",
        _PAIR,
        _score,
        lambda x, r: x * r - r * r,
        ("real", "real"),
        example=True,
    ),
    *CANARIES,
)

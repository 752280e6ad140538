"""The same quantities over all kⁿ sequences, with the true Hamming distance.

Datasets are sequences of symbols 0..k−1 and neighbours differ at exactly one position, as A §1
and N §2.1 have it; nothing is grouped by counts. Agreement with `definitions` is evidence that
counts suffice. Only the distance between two posteriors and the noise at one dataset come from
the count-based oracle: there the sources themselves speak of posteriors and counts.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from mpmath import mp, mpf

from tests.oracles.laws import law_for_pair
from tests.oracles.sensitivity import beta_smoothing_rate, hellinger, quoted_sensitivity
from tests.oracles.setting import DIGITS, Exact, Setting, real

__all__ = [
    "SequencePair",
    "counts_of",
    "distance",
    "local_sensitivity",
    "neighbours",
    "realised_delta",
    "realised_epsilon",
    "sequences",
    "smooth_sensitivity",
]

Sequence = tuple[int, ...]
Prior = tuple[Fraction, ...]


class SequencePair(NamedTuple):
    """A largest loss, the two sequences it separates, and the output; ties are arbitrary."""

    epsilon: mpf
    x: Sequence
    y: Sequence
    output: tuple[int, ...]


def sequences(n: int, k: int) -> list[Sequence]:
    """All kⁿ datasets."""
    return list(product(range(k), repeat=n))


def distance(x: Sequence, y: Sequence) -> int:
    """The Hamming distance: how many positions differ."""
    return sum(a != b for a, b in zip(x, y, strict=True))


def neighbours(x: Sequence, k: int) -> list[Sequence]:
    """The sequences that differ from `x` at exactly one position."""
    return [
        (*x[:i], symbol, *x[i + 1 :])
        for i in range(len(x))
        for symbol in range(k)
        if symbol != x[i]
    ]


def counts_of(x: Sequence, k: int) -> tuple[int, ...]:
    """How often each symbol occurs in `x`."""
    return tuple(x.count(symbol) for symbol in range(k))


def _posterior(prior: Prior, x: Sequence) -> tuple[Fraction, ...]:
    return tuple(a + c for a, c in zip(prior, counts_of(x, len(prior)), strict=True))


@lru_cache
def _candidates(prior: Prior, n: int) -> frozenset[tuple[Fraction, ...]]:
    return frozenset(_posterior(prior, y) for y in sequences(n, len(prior)))


@lru_cache(maxsize=4096)
def local_sensitivity(prior: Prior, x: Sequence) -> mpf:
    """LS(x) = max over neighbouring sequences x′ and r of |H(x, r) − H(x′, r)| (A §1)."""
    with mp.workdps(DIGITS):
        return max(
            abs(hellinger(_posterior(prior, x), r) - hellinger(_posterior(prior, y), r))
            for y in neighbours(x, len(prior))
            for r in _candidates(prior, len(x))
        )


def smooth_sensitivity(setting: Setting, x: Sequence) -> mpf:
    """S_γ(x) for EHDS (A §1) or S_β(x) for MH (N Def. 2.1), over all sequences."""
    prior = setting.prior
    everything = sequences(len(x), setting.k)
    with mp.workdps(DIGITS):
        if setting.mechanism == "EHDS":
            gamma = real(setting.gamma)
            return max(
                1 / (1 / local_sensitivity(prior, y) + gamma * distance(x, y)) for y in everything
            )
        beta = beta_smoothing_rate(setting, len(x))
        own = setting.reading("smoothing") == "own"
        return max(
            local_sensitivity(prior, x if own else y) * mp.exp(-beta * distance(x, y))
            for y in everything
        )


def _score_divisor(setting: Setting, x: Sequence) -> mpf:
    match setting.mechanism:
        case "EHD" if setting.reading("gs") == "quoted":
            return 2 * quoted_sensitivity()
        case "EHD":
            everything = sequences(len(x), setting.k)
            return 2 * max(local_sensitivity(setting.prior, y) for y in everything)
        case "EHDL":
            return int(setting.reading("divisor")) * local_sensitivity(setting.prior, x)
        case "EHDS":
            return 2 * (1 + real(setting.gamma)) * smooth_sensitivity(setting, x)
        case _:
            return int(setting.reading("divisor")) * smooth_sensitivity(setting, x)


@lru_cache(maxsize=512)
def _exponential(setting: Setting, x: Sequence) -> dict[tuple[int, ...], mpf]:
    here, divisor = _posterior(setting.prior, x), _score_divisor(setting, x)
    weights = {
        r: mp.exp(-real(setting.epsilon) * hellinger(here, r) / divisor)
        for r in _candidates(setting.prior, len(x))
    }
    total = mp.fsum(weights.values())
    return {
        tuple(int(s - a) for s, a in zip(r, setting.prior, strict=True)): weight / total
        for r, weight in weights.items()
    }


def _law(setting: Setting, x: Sequence, y: Sequence) -> dict[tuple[int, ...], mpf]:
    if setting.mechanism in {"EHD", "EHDL", "EHDS", "MH"}:
        return _exponential(setting, x)
    return law_for_pair(setting, counts_of(x, setting.k), counts_of(y, setting.k))


def realised_epsilon(setting: Setting) -> SequencePair:
    """The largest loss over all ordered pairs of neighbouring sequences and all outputs."""
    with mp.workdps(DIGITS):
        return max(
            (
                SequencePair(mp.log(mass / q[r]) if r in q else mp.inf, x, y, r)
                for x in sequences(setting.n, setting.k)
                for y in neighbours(x, setting.k)
                for q in [_law(setting, y, x)]
                for r, mass in _law(setting, x, y).items()
            ),
            key=lambda found: found.epsilon,
        )


def realised_delta(setting: Setting, epsilon: Exact | mpf) -> mpf:
    """The maximum over ordered pairs of sequences of Σ_r max(P_x(r) − e^ε·P_y(r), 0)."""
    with mp.workdps(DIGITS):
        factor = mp.exp(epsilon if isinstance(epsilon, mpf) else real(epsilon))
        return max(
            mp.fsum(max(mass - factor * q.get(r, 0), 0) for r, mass in _law(setting, x, y).items())
            for x in sequences(setting.n, setting.k)
            for y in neighbours(x, setting.k)
            for q in [_law(setting, y, x)]
        )

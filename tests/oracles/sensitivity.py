"""Histograms, the Hellinger distance and the four sensitivities, literally as defined.

A dataset is its tuple of counts. Sources: A §1 (Hellinger distance, GS, LS, γ-smooth
sensitivity), N §2.1-2.3 and N Def. 2.1 (β-smooth sensitivity).
"""

from fractions import Fraction
from functools import lru_cache
from itertools import product

from mpmath import mp, mpf

from tests.oracles.setting import DIGITS, Setting, real

__all__ = [
    "beta_smooth",
    "beta_smoothing_rate",
    "gamma_smooth",
    "global_sensitivity",
    "hamming",
    "hellinger",
    "histograms",
    "local_sensitivity",
    "log_beta",
    "neighbours",
    "posterior",
    "quoted_sensitivity",
]

Counts = tuple[int, ...]
Prior = tuple[Fraction, ...]


@lru_cache
def histograms(n: int, k: int) -> tuple[Counts, ...]:
    """All k-tuples of natural numbers with sum n, found among all tuples over 0..n."""
    return tuple(c for c in product(range(n + 1), repeat=k) if sum(c) == n)


def neighbours(counts: Counts) -> list[Counts]:
    """The datasets at Hamming distance 1: c − e_i + e_j for all i ≠ j with c_i > 0."""
    found = []
    for i, j in product(range(len(counts)), repeat=2):
        if i != j and counts[i] > 0:
            moved = list(counts)
            moved[i] -= 1
            moved[j] += 1
            found.append(tuple(moved))
    return found


def hamming(x: Counts, y: Counts) -> int:
    """Half the ℓ₁ distance: the records to replace to turn a dataset x into some dataset y."""
    return sum(abs(a - b) for a, b in zip(x, y, strict=True)) // 2


def posterior(prior: Prior, counts: Counts) -> tuple[Fraction, ...]:
    """The parameters α + c of the Dirichlet posterior (N §1)."""
    return tuple(a + c for a, c in zip(prior, counts, strict=True))


@lru_cache(maxsize=100_000)
def log_beta(parameters: tuple[Fraction, ...]) -> mpf:
    """ln B(a) = Σ ln Γ(a_i) − ln Γ(Σ a_i)."""
    with mp.workdps(DIGITS):
        each = mp.fsum(mp.loggamma(real(a)) for a in parameters)
        return each - mp.loggamma(real(sum(parameters, Fraction(0))))


@lru_cache(maxsize=100_000)
def hellinger(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> mpf:
    """H(Dir(a), Dir(b)) = √(1 − B((a+b)/2) / √(B(a)·B(b))) (A §1)."""
    middle = tuple((s + t) / 2 for s, t in zip(a, b, strict=True))
    with mp.workdps(DIGITS):
        affinity = mp.exp(log_beta(middle) - (log_beta(a) + log_beta(b)) / 2)
        return mp.sqrt(1 - affinity)


@lru_cache(maxsize=10_000)
def local_sensitivity(prior: Prior, counts: Counts) -> mpf:
    """LS(x) = max over neighbours x′ and candidates r of |H(x, r) − H(x′, r)| (A §1, N §2.2)."""
    here = posterior(prior, counts)
    with mp.workdps(DIGITS):
        return max(
            abs(hellinger(here, r) - hellinger(posterior(prior, other), r))
            for other in neighbours(counts)
            for r in (posterior(prior, c) for c in histograms(sum(counts), len(counts)))
        )


def global_sensitivity(prior: Prior, n: int) -> mpf:
    """GS = max over x of LS(x), at this n and prior (N §2.1)."""
    return max(local_sensitivity(prior, x) for x in histograms(n, len(prior)))


def quoted_sensitivity() -> mpf:
    """The constant √(1 − π/4) that A §1 prints for GS."""
    with mp.workdps(DIGITS):
        return mp.sqrt(1 - mp.pi / 4)


def gamma_smooth(prior: Prior, counts: Counts, gamma: Fraction) -> mpf:
    """S_γ(x) = max over all x′ of 1 / (1/LS(x′) + γ·d(x, x′)) (A §1)."""
    with mp.workdps(DIGITS):
        return max(
            1 / (1 / local_sensitivity(prior, other) + real(gamma) * hamming(counts, other))
            for other in histograms(sum(counts), len(counts))
        )


def beta_smooth(prior: Prior, counts: Counts, beta: mpf, smoothing: str) -> mpf:
    """S_β(x) = max over all x′ of LS(x′)·e^(−β·d(x, x′)) (N Def. 2.1).

    With `smoothing="own"` the local sensitivity inside the maximum is that of x, as L prints it.
    """
    with mp.workdps(DIGITS):
        return max(
            local_sensitivity(prior, counts if smoothing == "own" else other)
            * mp.exp(-beta * hamming(counts, other))
            for other in histograms(sum(counts), len(counts))
        )


def beta_smoothing_rate(setting: Setting, n: int) -> mpf:
    """β = ln(1 − ε / (2·ln(δ / (2·count)))) (N §2.3.1; n in the captions, |R| for k > 2)."""
    count = {
        "n+1": n + 1,
        "n": n,
        "candidates": len(histograms(n, setting.k)),
    }[setting.reading("count")]
    with mp.workdps(DIGITS):
        tail = mp.log(real(setting.delta / (2 * count)))
        return mp.log(1 - real(setting.epsilon) / (2 * tail))

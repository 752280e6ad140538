"""The output law of every mechanism at one dataset, enumerated output by output.

Exponential mechanisms (A Alg. 4-6, N Def. 2.1) are keyed by the histogram c of the candidate
α + c; Laplace mechanisms (A Alg. 1-3, N §3.1) by the noisy counts, the prior subtracted.
The size n is that of the dataset at hand, so the same functions serve two sizes at once.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product

from mpmath import mp, mpf

from tests.oracles.sensitivity import (
    Counts,
    beta_smooth,
    beta_smoothing_rate,
    gamma_smooth,
    global_sensitivity,
    hellinger,
    histograms,
    local_sensitivity,
    posterior,
    quoted_sensitivity,
)
from tests.oracles.setting import DIGITS, Setting, real

__all__ = [
    "NEGLIGIBLE",
    "interval_mass",
    "law",
    "law_for_pair",
    "neglected_mass",
    "noise_divisor",
    "noisy_coordinates",
    "score_divisor",
]

NEGLIGIBLE = Fraction(1, 10**22)
"""Bound on the mass outside the window that stands for an infinite support."""

Law = dict[Counts, mpf]


def law(setting: Setting, counts: Counts) -> Law:
    """The law of the output at `counts`; every output of positive probability is a key.

    `NotesLaplace` has infinitely many outputs: those outside a window are left out, and their
    mass is below `neglected_mass(setting)`. Its joint window is large for small ε or k > 2.
    """
    return _law(setting, counts, (False,) * setting.k)


def law_for_pair(setting: Setting, counts: Counts, other: Counts) -> Law:
    """The law at `counts` in the form to be compared with that at `other`.

    For finite supports it is the whole joint law. For `NotesLaplace` each coordinate with equal
    counts is conditioned to zero noise: its noise has the same law on both sides and is
    independent of the other noise, so it cancels from every ratio and sums to 1 out of every δ.
    (A last output n − Σ others adds nothing to the others at one n, and tells two sizes apart.)
    """
    if setting.mechanism != "NotesLaplace":
        return _law(setting, counts, (False,) * setting.k)
    silent = tuple(a == b for a, b in zip(counts, other, strict=True))
    return _law(setting, counts, silent)


def _law(setting: Setting, counts: Counts, silent: tuple[bool, ...]) -> Law:
    with mp.workdps(DIGITS):
        if setting.mechanism in {"EHD", "EHDL", "EHDS", "MH"}:
            return _exponential(setting, counts)
        if setting.mechanism == "NotesLaplace":
            return _unclamped(setting, counts, silent)
        return _clamped(setting, counts)


def score_divisor(setting: Setting, counts: Counts) -> mpf:
    """The number D(x) in P(r) ∝ exp(−ε·H(x, r) / D(x))."""
    n, prior = sum(counts), setting.prior
    match setting.mechanism:
        case "EHD" if setting.reading("gs") == "quoted":
            return 2 * quoted_sensitivity()
        case "EHD":
            return 2 * global_sensitivity(prior, n)
        case "EHDL":
            return int(setting.reading("divisor")) * local_sensitivity(prior, counts)
        case "EHDS":
            return 2 * (1 + real(setting.gamma)) * gamma_smooth(prior, counts, setting.gamma)
        case "MH":
            beta = beta_smoothing_rate(setting, n)
            smooth = beta_smooth(prior, counts, beta, setting.reading("smoothing"))
            return int(setting.reading("divisor")) * smooth
    raise ValueError(f"{setting.mechanism} has no score")


@lru_cache(maxsize=256)
def _exponential(setting: Setting, counts: Counts) -> Law:
    divisor = score_divisor(setting, counts)
    here = posterior(setting.prior, counts)
    weights = {
        r: mp.exp(-real(setting.epsilon) * hellinger(here, posterior(setting.prior, r)) / divisor)
        for r in histograms(sum(counts), setting.k)
    }
    total = mp.fsum(weights.values())
    return {r: weight / total for r, weight in weights.items()}


def noise_divisor(setting: Setting) -> int:
    """The number s in the noise scale b = s/ε (A Alg. 1-3, N §3.1)."""
    match setting.mechanism:
        case "LSZhang" | "NotesLaplace":
            return 2
        case "LSDim":
            return setting.k
        case "LSHist":
            return 1 if setting.k == 2 else 2
    raise ValueError(f"{setting.mechanism} adds no noise")


def noisy_coordinates(setting: Setting) -> int:
    """How many counts get noise: all of them in the reading `all`, else all but the last."""
    readings = dict(setting.readings)
    return setting.k - (readings.get("coordinates") != "all")


def interval_mass(low: int | None, high: int | None, rate: mpf) -> mpf:
    """P(low ≤ Y < high) for Y ~ Lap(1/rate) and integer ends; None is an infinite end."""
    if low is not None and low >= 0:
        return (mp.exp(-rate * low) - (0 if high is None else mp.exp(-rate * high))) / 2
    if high is not None and high <= 0:
        return interval_mass(-high, None if low is None else -low, rate)
    return interval_mass(low, 0, rate) + interval_mass(0, high, rate)


@lru_cache(maxsize=256)
def _clamped(setting: Setting, counts: Counts) -> Law:
    n, noisy = sum(counts), noisy_coordinates(setting)
    rate = real(setting.epsilon) / noise_divisor(setting)
    columns = [
        {
            m: interval_mass(None if m == 0 else m - c, None if m == n else m + 1 - c, rate)
            for m in range(n + 1)
        }
        for c in counts[:noisy]
    ]

    def complete(chosen: Counts) -> Counts:
        if noisy == setting.k:
            return chosen
        if setting.mechanism == "LSZhang":
            return (*chosen, 0)
        return (*chosen, min(max(n - sum(chosen), 0), n))

    return _joint(columns, complete)


@lru_cache(maxsize=4)
def _unclamped(setting: Setting, counts: Counts, silent: tuple[bool, ...]) -> Law:
    n, noisy = sum(counts), noisy_coordinates(setting)
    rate = real(setting.epsilon) / noise_divisor(setting)
    rounded = partial(_rounded_mass, rounding=setting.reading("rounding"), rate=rate)
    width = _window(setting)
    columns = [
        {c: mpf(1)}
        if silent[i]
        else {m: rounded(m - c) for m in range(-width, setting.n + 1 + width + 1)}
        for i, c in enumerate(counts[:noisy])
    ]
    return _joint(
        columns, lambda chosen: chosen if noisy == setting.k else (*chosen, n - sum(chosen))
    )


def _rounded_mass(noise: int, rounding: str, rate: mpf) -> mpf:
    if rounding == "floor" or noise > 0:
        return interval_mass(noise, noise + 1, rate)
    if noise == 0:
        return interval_mass(-1, 1, rate)
    return interval_mass(noise - 1, noise, rate)


def _joint(columns: list[dict[int, mpf]], complete: Callable[[Counts], Counts]) -> Law:
    outputs: Law = {}
    for chosen in product(*columns):
        mass = mpf(1)
        for column, m in zip(columns, chosen, strict=True):
            mass *= column[m]
        key = complete(chosen)
        outputs[key] = outputs.get(key, mpf(0)) + mass
    return outputs


def _window(setting: Setting) -> int:
    """The least W for which noise beyond ±W in any coordinate has mass below `NEGLIGIBLE`.

    The window of outputs is −W .. n+1+W for every coordinate and dataset, so the noise that
    falls outside has |Y| ≥ W and each of the k coordinates contributes at most e^(−W/b).
    """
    rate = real(setting.epsilon) / noise_divisor(setting)
    return int(mp.ceil(mp.log(setting.k / real(NEGLIGIBLE)) / rate)) + 1


def neglected_mass(setting: Setting) -> mpf:
    """An upper bound on the mass `law` leaves out at any dataset of size n or n + 1.

    A δ computed without that mass is low by at most this much. A realised ε loses nothing: where
    both noises have left zero on the same side, each coordinate's ratio is constant.
    """
    if setting.mechanism != "NotesLaplace":
        return mpf(0)
    with mp.workdps(DIGITS):
        rate = real(setting.epsilon) / noise_divisor(setting)
        return setting.k * mp.exp(-rate * _window(setting))

"""The law of an output's error, in mpmath from the definitions: pairs (error, probability)."""

from collections.abc import Iterable

from mpmath import mp, mpf

from tests.oracles.laws import law
from tests.oracles.sensitivity import Counts, hellinger, posterior
from tests.oracles.setting import DIGITS, Setting

__all__ = ["error_pairs", "mean", "tail", "variance"]

Pairs = list[tuple[mpf, mpf]]


def error_pairs(setting: Setting, counts: Counts, metric: str, outside: str) -> Pairs:
    """(error, probability) of every output, in the reading `outside` of negative counts."""
    pairs: Pairs = []
    with mp.workdps(DIGITS):
        outputs = law(setting, counts)
        if outside == "redrawn" and setting.mechanism == "NotesLaplace":
            outputs = {r: p for r, p in outputs.items() if min(r) >= 0}
            whole = mp.fsum(outputs.values())
            outputs = {r: p / whole for r, p in outputs.items()}
        for r, p in outputs.items():
            pairs.append(
                (_error(setting, counts, _clamped(setting, r, counts, outside), metric), p)
            )
    return pairs


def _clamped(setting: Setting, output: Counts, counts: Counts, outside: str) -> Counts:
    if outside != "clamped" or setting.mechanism != "NotesLaplace":
        return output
    n = sum(counts)
    clamped = [min(max(r, 0), n) for r in output]
    if setting.reading("coordinates") == "printed":
        clamped[-1] = max(n - sum(clamped[:-1]), 0)
    return tuple(clamped)


def _error(setting: Setting, counts: Counts, output: Counts, metric: str) -> mpf:
    if metric == "l1":
        return mpf(sum(abs(a - b) for a, b in zip(counts, output, strict=True)))
    here, there = posterior(setting.prior, counts), posterior(setting.prior, output)
    if min(there) <= 0:
        return mpf(1)
    return mpf(0) if here == there else hellinger(here, there)


def mean(pairs: Iterable[tuple[mpf, mpf]]) -> mpf:
    """The mean error."""
    with mp.workdps(DIGITS):
        return mp.fsum(error * p for error, p in pairs)


def variance(pairs: Pairs) -> mpf:
    """The variance of the error."""
    with mp.workdps(DIGITS):
        return mp.fsum(error * error * p for error, p in pairs) - mean(pairs) ** 2


def tail(pairs: Pairs, threshold: mpf) -> mpf:
    """P(error ≥ threshold)."""
    with mp.workdps(DIGITS):
        return mp.fsum(p for error, p in pairs if error >= threshold)

"""The Laplace family in exact fractions, where t = e^(−1/b) is rational.

With ε = q·ln(m) and scale b = s/ε, t = m^(−q/s); whenever that root is a fraction so is every
probability, the largest ratio e^ε and every δ at a rational e^ε (A Alg. 1-3, N §3.1, §3.4.1).

The infinite support of `NotesLaplace` is handled without truncation: the outputs ≤ −1 of a
coordinate become one atom, keyed −1, and those ≥ n + 1 another. All counts lie in 0..n, so there
the noise is negative (positive) at every dataset, its mass geometric with factor t, and the ratio
of any two datasets constant over the atom: merging changes neither a largest ratio nor a δ.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from tests.oracles.sensitivity import Counts, histograms, neighbours
from tests.oracles.setting import Log, Setting, variants

__all__ = [
    "RatioWitness",
    "law",
    "nominal_ratio",
    "random_rational_settings",
    "rational_decay",
    "realised_delta",
    "realised_ratio",
]

LAPLACE = ("LSZhang", "LSDim", "LSHist", "NotesLaplace")


class RatioWitness(NamedTuple):
    """A largest ratio P_x(output) / P_y(output), with where it occurs; ties are arbitrary."""

    ratio: Fraction
    x: Counts
    y: Counts
    output: Counts


def _scale_numerator(setting: Setting) -> int:
    if setting.mechanism == "LSDim":
        return setting.k
    if setting.mechanism == "LSHist" and setting.k == 2:
        return 1
    return 2


def rational_decay(setting: Setting) -> Fraction:
    """t = e^(−1/b); ValueError if it is not a fraction."""
    if not isinstance(setting.epsilon, Log):
        raise ValueError(f"e^(−{setting.epsilon}) is irrational")
    return _power(setting.epsilon.argument, -setting.epsilon.multiple / _scale_numerator(setting))


def nominal_ratio(setting: Setting) -> Fraction:
    """e^ε at the nominal ε; ValueError if it is not a fraction."""
    return 1 / rational_decay(setting) ** _scale_numerator(setting)


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    raised = base**exponent.numerator
    degree = exponent.denominator
    return Fraction(_root(raised.numerator, degree), _root(raised.denominator, degree))


def _root(number: int, degree: int) -> int:
    low, high = 0, number + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle)
    if low**degree != number:
        raise ValueError(f"{number} has no integer root of degree {degree}")
    return low


def _at_most(end: int, t: Fraction) -> Fraction:
    """P(Y < end) for Y ~ Lap(b), t = e^(−1/b) and an integer end."""
    return t**-end / 2 if end <= 0 else 1 - t**end / 2


def _noise_below(noise: int, rounding: str, t: Fraction) -> Fraction:
    """P(rounded noise ≤ `noise`): floor(Y) ≤ m iff Y < m + 1; trunc(Y) ≤ m < 0 iff Y ≤ m."""
    if rounding == "toward-zero" and noise < 0:
        return _at_most(noise, t)
    return _at_most(noise + 1, t)


def _column(setting: Setting, count: int, t: Fraction) -> dict[int, Fraction]:
    """The law of one noisy coordinate, both ends standing for everything beyond them."""
    low, high, rounding = 0, setting.n, "floor"
    if setting.mechanism == "NotesLaplace":
        low, high, rounding = -1, setting.n + 1, setting.reading("rounding")
    below = {m: _noise_below(m - count, rounding, t) for m in range(low, high)}
    below[high] = Fraction(1)
    return {m: below[m] - below.get(m - 1, Fraction(0)) for m in below}


def law(setting: Setting, counts: Counts) -> dict[Counts, Fraction]:
    """The exact joint law; for `NotesLaplace` with the merged atoms of the module docstring."""
    t, n = rational_decay(setting), setting.n
    everywhere = dict(setting.readings).get("coordinates") == "all"
    noisy = setting.k if everywhere else setting.k - 1
    columns = [_column(setting, count, t) for count in counts[:noisy]]
    outputs: dict[Counts, Fraction] = {}
    for chosen in product(*columns):
        mass = Fraction(1)
        for column, m in zip(columns, chosen, strict=True):
            mass *= column[m]
        rest = n - sum(chosen)
        if everywhere:
            key = chosen
        elif setting.mechanism == "LSZhang":
            key = (*chosen, 0)
        elif setting.mechanism == "NotesLaplace":
            key = (*chosen, rest)
        else:
            key = (*chosen, min(max(rest, 0), n))
        outputs[key] = outputs.get(key, Fraction(0)) + mass
    return outputs


def realised_ratio(setting: Setting, *, at: Counts | None = None) -> RatioWitness:
    """The largest ratio over all substitution pairs, directions and outputs: e^(realised ε)."""
    return max(
        (
            RatioWitness(mass / q[r], x, y, r)
            for x, y, p, q in _pairs(setting, at)
            for r, mass in p.items()
        ),
        key=lambda found: found.ratio,
    )


def realised_delta(setting: Setting, ratio: Fraction, *, at: Counts | None = None) -> Fraction:
    """The maximum over ordered pairs of Σ_r max(P_x(r) − ratio·P_y(r), 0), ratio = e^ε."""
    return max(
        sum((max(mass - ratio * q[r], Fraction(0)) for r, mass in p.items()), Fraction(0))
        for x, y, p, q in _pairs(setting, at)
    )


Law = dict[Counts, Fraction]


def _pairs(setting: Setting, at: Counts | None) -> Iterator[tuple[Counts, Counts, Law, Law]]:
    laws = {x: law(setting, x) for x in histograms(setting.n, setting.k)}
    for x, p in laws.items():
        for y in neighbours(x):
            if at is None or at in (x, y):
                yield x, y, p, laws[y]


def random_rational_settings(seed: int, count: int) -> list[Setting]:
    """`count` random Laplace settings with rational t, mechanisms and readings in turn.

    Bounded as in `random_settings`, so that the windowed mpmath oracle can follow.
    """
    rng = random.Random(seed)
    settings = []
    for i in range(count):
        mechanism = LAPLACE[i % len(LAPLACE)]
        options = variants(mechanism)
        readings = options[i // len(LAPLACE) % len(options)]
        k = rng.choice((2, 2, 3, 4))
        n = rng.randint(1, {2: 14, 3: 5, 4: 3}[k])
        ones = (Fraction(1),) * k
        base = 1 + Fraction(rng.randint(1, 9), rng.choice((1, 1, 2, 3, 4, 5)))
        if mechanism == "NotesLaplace" and (k > 2 or ("coordinates", "all") in readings):
            n = min(n, {2: 6, 3: 2, 4: 1}[k])
            base = Fraction(rng.randint(5, 9))
        scale = _scale_numerator(Setting(mechanism, n, ones, Fraction(1)))
        epsilon = Log(Fraction(scale * rng.randint(1, 2)), base)
        settings.append(Setting(mechanism, n, ones, epsilon, readings=readings))
    return settings

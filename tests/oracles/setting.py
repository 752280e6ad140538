"""One audited situation: a mechanism, its exact parameters and the readings of its source."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from types import MappingProxyType

from mpmath import mp, mpf

__all__ = ["DIGITS", "READINGS", "Exact", "Log", "Setting", "random_settings", "real", "variants"]

DIGITS = 100
"""Decimal digits of every mpmath computation; the answers hold about 45 of them or more."""

READINGS: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "EHD": {"gs": ("quoted", "computed")},
        "EHDL": {"divisor": ("2", "1")},
        "EHDS": {},
        "MH": {
            "divisor": ("2", "1"),
            "count": ("n+1", "n", "candidates"),
            "smoothing": ("neighbour", "own"),
        },
        "LSZhang": {"coordinates": ("printed", "all")},
        "LSDim": {},
        "LSHist": {},
        "NotesLaplace": {
            "rounding": ("floor", "toward-zero"),
            "coordinates": ("printed", "all"),
        },
    }
)
"""The readings of every mechanism, the default first."""


@dataclass(frozen=True)
class Log:
    """The exact number `multiple · ln(argument)`."""

    multiple: Fraction
    argument: Fraction

    def __post_init__(self) -> None:
        if self.argument <= 0:
            raise ValueError(f"ln({self.argument}) is not a real number")

    def __str__(self) -> str:
        factor = "" if self.multiple == 1 else f"{self.multiple}*"
        return f"{factor}ln({self.argument})"


Exact = Fraction | Log


def real(number: Exact) -> mpf:
    """The number rounded to the working precision of mpmath."""
    if isinstance(number, Fraction):
        return mpf(number.numerator) / number.denominator
    return real(number.multiple) * mp.log(real(number.argument))


@dataclass(frozen=True)
class Setting:
    """A mechanism on datasets of size `n` over `len(prior)` categories.

    `epsilon`, `delta` and `gamma` are the nominal parameters; a mechanism ignores those it does
    not have. `readings` names only what differs from the default, as pairs (name, option).
    """

    mechanism: str
    n: int
    prior: tuple[Fraction, ...]
    epsilon: Exact
    delta: Fraction = Fraction(1, 2000)
    gamma: Fraction = Fraction(1)
    readings: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        allowed = READINGS[self.mechanism]
        for name, option in self.readings:
            if option not in allowed.get(name, ()):
                raise ValueError(f"{self.mechanism} has no reading {name}={option}")
        if self.n < 1 or len(self.prior) < 2 or min(self.prior) <= 0:
            raise ValueError(f"no such datasets: n = {self.n}, prior {self.prior}")

    @property
    def k(self) -> int:
        """The number of categories, |X|."""
        return len(self.prior)

    def reading(self, name: str) -> str:
        """The option in force for the reading `name`."""
        return dict(self.readings).get(name, READINGS[self.mechanism][name][0])


def variants(mechanism: str) -> list[tuple[tuple[str, str], ...]]:
    """Every combination of the mechanism's readings, the defaults first."""
    named = READINGS[mechanism]
    return [tuple(zip(named, options, strict=True)) for options in product(*named.values())]


def random_settings(seed: int, count: int) -> list[Setting]:
    """`count` random settings, the mechanisms in turn and the readings of each in turn.

    Sizes keep the brute force of one setting to a couple of seconds: n ≤ 14, 6, 4 for k = 2, 3, 4.
    `NotesLaplace` has a countable support whose window grows like 1/ε in every coordinate that
    distinguishes a pair, so where two coordinates do it gets ε ≥ 3 and n ≤ 6, 2, 1.
    """
    rng = random.Random(seed)
    names = list(READINGS)
    settings = []
    for i in range(count):
        mechanism = names[i % len(names)]
        options = variants(mechanism)
        readings = options[i // len(names) % len(options)]
        k = rng.choice((2, 2, 3, 3, 4))
        n = rng.randint(1, {2: 14, 3: 6, 4: 4}[k])
        smallest = Fraction(1, 20)
        if mechanism == "NotesLaplace" and (k > 2 or ("coordinates", "all") in readings):
            smallest = Fraction(3)
            n = min(n, {2: 6, 3: 2, 4: 1}[k])
        settings.append(
            Setting(
                mechanism,
                n,
                _random_prior(rng, k),
                _random_epsilon(rng, smallest),
                Fraction(rng.randint(1, 10), 10 ** rng.randint(2, 6)),
                Fraction(rng.randint(1, 50), 10),
                readings,
            )
        )
    return settings


def _random_prior(rng: random.Random, k: int) -> tuple[Fraction, ...]:
    if rng.random() < 0.2:
        return (Fraction(1),) * k
    if rng.random() < 0.25:
        return tuple(Fraction(rng.randint(1, 20)) for _ in range(k))
    wide = rng.random() < 0.5
    return tuple(Fraction(rng.randint(1, 400 if wide else 40), 20) for _ in range(k))


def _random_epsilon(rng: random.Random, smallest: Fraction) -> Exact:
    if rng.random() < 0.2:
        return Log(Fraction(rng.choice((2, 3))), Fraction(rng.choice((3, 4, 5))))
    steps = rng.randint(1, 160) if rng.random() < 0.5 else rng.randint(1, 40)
    return max(smallest, Fraction(steps, 20))

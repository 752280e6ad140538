"""The classics' laws from their definitions, output by output, in mpmath or fractions.

Nothing here is shared with the package: probabilities are summed over everything that is drawn.
Endless laws are cut where what is left out is below ``NEGLECTED``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import exp, floor, inf, jtheta, log, mp, mpf

if TYPE_CHECKING:
    import random

__all__ = ["DIGITS", "NEGLECTED", "ORACLES", "Laws", "Oracle", "delta", "laws_of", "realised"]

DIGITS = 100
NEGLECTED = mpf(10) ** -40

Law = Mapping[Hashable, Any]
Laws = tuple[dict[Hashable, Law], list[tuple[Hashable, Hashable]]]
"""The law of every dataset, and the neighbouring pairs."""


def realised(laws: Laws) -> Any:
    """The largest loss over all pairs, both directions, every output."""
    table, pairs = laws
    worst = mpf("-inf")
    for x, y in pairs:
        for p, q in ((table[x], table[y]), (table[y], table[x])):
            for output, mass in p.items():
                if mass:
                    other = q.get(output, 0)
                    worst = max(worst, log(mass / other) if other else inf)
    return worst


def delta(laws: Laws, epsilon: Any) -> Any:
    """The largest Σ (P − e^ε·Q)₊ over all pairs, both directions."""
    table, pairs = laws
    return max(
        sum(max(mpf(0), mass - exp(epsilon) * q.get(output, 0)) for output, mass in p.items())
        for x, y in pairs
        for p, q in ((table[x], table[y]), (table[y], table[x]))
    )


def laws_of(name: str, given: Mapping[str, Any], n: int) -> Laws:
    """All laws of a mechanism; ``given`` holds every parameter as a number or a word."""
    with mp.workdps(DIGITS):
        return ORACLES[name].laws(given, n)


class Oracle(NamedTuple):
    """A mechanism's laws a second time, and where they are compared with the package's."""

    laws: Callable[[Mapping[str, Any], int], Laws]
    """From every parameter, as a number or a word, and the size."""
    settings: Callable[[random.Random], dict[str, Any]]
    """Random parameters of laws that are short enough to be listed."""
    sizes: tuple[int, int]
    """The smallest and the largest size."""
    cut: bool
    """True where laws are cut off, below ``NEGLECTED``."""
    unbounded: bool
    """True where no loss is the largest."""


ORACLES: dict[str, Oracle] = {}
"""By the name of the mechanism."""


def oracle(
    name: str,
    settings: Callable[[random.Random], dict[str, Any]],
    *,
    local: bool = False,
    sizes: tuple[int, int] = (1, 5),
    unbounded: bool = False,
) -> Callable[[Callable[[Mapping[str, Any], int], Laws]], Callable[[Mapping[str, Any], int], Laws]]:
    """Take a function as the oracle of a mechanism; see :class:`Oracle`.

    ``local`` stands for a mechanism of one user: its size is 1 and its laws are finite.
    """

    def take(laws: Callable[[Mapping[str, Any], int], Laws]) -> Any:
        ends = (1, 1) if local else sizes
        ORACLES[name] = Oracle(laws, settings, ends, not local, unbounded)
        return laws

    return take


COINS = ("tossed", "left")
BASES = ("e", "2", "mixed")


def fraction_between(rng: random.Random, low: Fraction | int, high: Fraction | int) -> Fraction:
    """Return a fraction from ``low`` to ``high``, one of twenty-one."""
    return low + (high - low) * Fraction(rng.randint(0, 20), 20)


def epsilon(rng: random.Random) -> Fraction:
    return fraction_between(rng, Fraction(1, 4), 4)


def chance(rng: random.Random) -> Fraction:
    return fraction_between(rng, Fraction(1, 20), Fraction(19, 20))


def likely(rng: random.Random) -> Fraction:
    return fraction_between(rng, Fraction(11, 20), Fraction(19, 20))


def calibrated_or(rng: random.Random, chosen: Fraction | int) -> Fraction | int | str:
    return "calibrated" if rng.random() < 0.5 else chosen


def bloom(rng: random.Random) -> dict[str, Any]:
    """Return the parameters of a Bloom filter of at most four bits."""
    hashes, inputs = rng.randint(1, 2), rng.choice(["disjoint", "all"])
    least = 2 * hashes if inputs == "disjoint" else hashes + 1
    bits = rng.randint(least, 4)
    return {"hashes": hashes, "inputs": inputs, "bits": bits, "f": chance(rng)}


def any_two(laws: dict[Hashable, Law]) -> Laws:
    return laws, list(combinations(laws, 2))


def drawn(*coins: Mapping[Any, Any]) -> list[tuple[tuple[Any, ...], Any]]:
    """All that independent draws can give, with the probability of each."""
    found = []
    for faces in product(*(coin.items() for coin in coins)):
        probability = mpf(1)
        for _, p in faces:
            probability *= p
        found.append((tuple(face for face, _ in faces), probability))
    return found


@oracle(
    "SubsetSelection",
    lambda rng: {
        "epsilon": epsilon(rng),
        "k": (k := rng.randint(2, 5)),
        "subset": rng.randint(1, k - 1),
    },
    local=True,
)
def subset_selection(given: Mapping[str, Any], n: int) -> Laws:
    """Whether the true value is in is drawn first, then the others alike."""
    k, d = given["k"], given["subset"]
    odds = d * exp(given["epsilon"])
    first = {True: odds / (odds + k - d), False: (k - d) / (odds + k - d)}
    laws: dict[Hashable, Law] = {}
    for x in range(k):
        others = [value for value in range(k) if value != x]
        law: dict[Hashable, Any] = {}
        for true, mass in first.items():
            chosen = list(combinations(others, d - 1 if true else d))
            for rest in chosen:
                law[tuple(sorted((*rest, x) if true else rest))] = mass / len(chosen)
        laws[x] = law
    return any_two(laws)


@oracle(
    "HadamardResponse",
    lambda rng: {"epsilon": epsilon(rng), "k": rng.randint(2, 9)},
    local=True,
)
def hadamard_response(given: Mapping[str, Any], n: int) -> Laws:
    """The matrix is made by doubling: [[H, H], [H, -H]]."""
    matrix = [[1]]
    while len(matrix) <= given["k"]:
        matrix = [row + row for row in matrix] + [row + [-one for one in row] for row in matrix]
    odds = exp(given["epsilon"])
    half = len(matrix) / 2 * (1 + odds)
    return any_two(
        {
            x: {r: (odds if one == 1 else 1) / half for r, one in enumerate(matrix[x + 1])}
            for x in range(given["k"])
        }
    )


def hashed(given: Mapping[str, Any], buckets: int) -> Laws:
    """Every function of the family is drawn; its value is randomised as by kRR."""
    k, odds = given["k"], exp(given["epsilon"])
    p = max(k, buckets)
    while p not in (2, 3, 5, 7, 11):
        p += 1
    laws: dict[Hashable, Law] = {}
    for x in range(k):
        law: dict[Hashable, Any] = {}
        for a, b, shown in product(range(1, p), range(p), range(buckets)):
            true = (a * x + b) % p % buckets == shown
            law[a, b, shown] = (odds if true else 1) / (odds + buckets - 1) / (p * (p - 1))
        laws[x] = law
    return any_two(laws)


@oracle(
    "OLH",
    lambda rng: {
        "epsilon": epsilon(rng) / 2,
        "k": rng.randint(2, 5),
        "g": calibrated_or(rng, rng.randint(2, 7)),
    },
    local=True,
)
def optimal_local_hashing(given: Mapping[str, Any], n: int) -> Laws:
    best = int(floor(exp(given["epsilon"]) + mpf(1) / 2)) + 1
    return hashed(given, best if given["g"] == "calibrated" else int(given["g"]))


@oracle("BLH", lambda rng: {"epsilon": epsilon(rng), "k": rng.randint(2, 7)}, local=True)
def binary_local_hashing(given: Mapping[str, Any], n: int) -> Laws:
    return hashed(given, 2)


def power(given: Mapping[str, Any]) -> Any:
    return mpf(2) ** given["epsilon"] if given["base"] == "2" else exp(given["epsilon"])


@oracle(
    "RR",
    lambda rng: {
        "epsilon": epsilon(rng),
        "truth": calibrated_or(rng, likely(rng)),
        "coin": rng.choice(COINS),
        "base": rng.choice(BASES),
    },
    local=True,
)
def randomised_response(given: Mapping[str, Any], n: int) -> Laws:
    w = power(given)
    truth = w / (1 + w) if given["truth"] == "calibrated" else given["truth"]
    first = {"tell": 2 * truth - 1, "toss": 2 - 2 * truth}
    laws: dict[Hashable, Law] = {}
    for x in (0, 1):
        law: dict[Hashable, Any] = defaultdict(mpf)
        second = {0: mpf(1) / 2, 1: mpf(1) / 2} if given["coin"] == "tossed" else {1: mpf(1)}
        for (told, face), probability in drawn(first, second):
            law[x if told == "tell" else face] += probability
        laws[x] = law
    return any_two(laws)


@oracle(
    "kRR",
    lambda rng: {
        "epsilon": epsilon(rng),
        "truth": calibrated_or(rng, chance(rng)),
        "k": rng.randint(2, 6),
        "base": rng.choice(BASES),
    },
    local=True,
)
def k_randomised_response(given: Mapping[str, Any], n: int) -> Laws:
    k, w = given["k"], power(given)
    truth = w / (w + k - 1) if given["truth"] == "calibrated" else given["truth"]
    return any_two(
        {x: {r: truth if r == x else (1 - truth) / (k - 1) for r in range(k)} for x in range(k)}
    )


def bits_shown(bits: tuple[int, ...], p: Any, q: Any) -> Law:
    """Every bit shown alone: a 1 as 1 with probability p, a 0 with q."""
    law: dict[Hashable, Any] = {}
    for shown in product((0, 1), repeat=len(bits)):
        mass = mpf(1)
        for bit, r in zip(bits, shown, strict=True):
            one = p if bit else q
            mass *= one if r else 1 - one
        law[shown] = mass
    return law


def bits_with_one_coin(bits: tuple[int, ...], kept: Any) -> Law:
    """Every bit is kept with that probability, else all show the face of one coin."""
    law: dict[Hashable, Any] = defaultdict(mpf)
    keep = {True: kept, False: 1 - kept}
    for (face, *keeps), mass in drawn({0: mpf(1) / 2, 1: mpf(1) / 2}, *[keep] * len(bits)):
        law[tuple(b if k else face for b, k in zip(bits, keeps, strict=True))] += mass
    return law


def unary(k: int) -> list[tuple[int, ...]]:
    return [tuple(int(i == x) for i in range(k)) for x in range(k)]


@oracle(
    "SUE",
    lambda rng: {
        "epsilon": epsilon(rng),
        "p": calibrated_or(rng, likely(rng)),
        "k": rng.randint(2, 4),
        "coin": rng.choice(COINS),
    },
    local=True,
)
def symmetric_unary(given: Mapping[str, Any], n: int) -> Laws:
    w = exp(given["epsilon"] / 2)
    p = w / (1 + w) if given["p"] == "calibrated" else given["p"]
    if given["coin"] == "left":
        return any_two({x: bits_with_one_coin(x, 2 * p - 1) for x in unary(given["k"])})
    return any_two({x: bits_shown(x, p, 1 - p) for x in unary(given["k"])})


@oracle(
    "OUE",
    lambda rng: {
        "epsilon": epsilon(rng),
        "p": chance(rng),
        "q": calibrated_or(rng, chance(rng)),
        "k": rng.randint(2, 4),
    },
    local=True,
)
def optimised_unary(given: Mapping[str, Any], n: int) -> Laws:
    q = 1 / (1 + exp(given["epsilon"])) if given["q"] == "calibrated" else given["q"]
    return any_two({x: bits_shown(x, given["p"], q) for x in unary(given["k"])})


def bloom_filters(given: Mapping[str, Any]) -> list[tuple[int, ...]]:
    bits, h = given["bits"], given["hashes"]
    if given["inputs"] == "disjoint":
        return [
            tuple(int(i < h) for i in range(bits)),
            tuple(int(h <= i < 2 * h) for i in range(bits)),
        ]
    return [x for x in product((0, 1), repeat=bits) if 1 <= sum(x) <= h]


@oracle(
    "PermanentRAPPOR",
    lambda rng: {**bloom(rng), "coin": rng.choice(COINS)},
    local=True,
)
def permanent(given: Mapping[str, Any], n: int) -> Laws:
    f = given["f"]
    if given["coin"] == "left":
        return any_two({x: bits_with_one_coin(x, 1 - f) for x in bloom_filters(given)})
    return any_two({x: bits_shown(x, 1 - f / 2, f / 2) for x in bloom_filters(given)})


def reports_of_a_bit(bit: int, given: Mapping[str, Any]) -> Law:
    """How often a bit is reported as 1, summed over the permanent bit and every report."""
    f, p, q = given["f"], given["p"], given["q"]
    law: dict[Hashable, Any] = defaultdict(mpf)
    for kept, coin in product((0, 1), repeat=2):
        chance = (1 - f if kept else f) / 2
        one = q if (bit if kept else coin) else p
        for shown in product((0, 1), repeat=given["reports"]):
            mass = chance
            for r in shown:
                mass *= one if r else 1 - one
            law[sum(shown)] += mass
    return law


@oracle(
    "RAPPOR",
    lambda rng: {
        **bloom(rng),
        "p": fraction_between(rng, 0, Fraction(1, 2)),
        "q": fraction_between(rng, Fraction(11, 20), 1),
        "reports": rng.randint(1, 3),
    },
    local=True,
)
def rappor(given: Mapping[str, Any], n: int) -> Laws:
    of_bit = [reports_of_a_bit(bit, given) for bit in (0, 1)]
    laws: dict[Hashable, Law] = {}
    for x in bloom_filters(given):
        laws[x] = dict(drawn(*(of_bit[bit] for bit in x)))
    return any_two(laws)


def counts(n: int) -> tuple[list[tuple[int, int]], list[tuple[Hashable, Hashable]]]:
    space = [(c, n - c) for c in range(n + 1)]
    return space, [(x, y) for x, y in combinations(space, 2) if abs(x[0] - y[0]) == 1]


def geometric_reach(t: Any) -> int:
    reach = 1
    while t**reach > NEGLECTED / 10**4:
        reach += 1
    return reach


def geometric_mass(t: Any, z: int) -> Any:
    return (1 - t) / (1 + t) * t ** abs(z)


def ratio(given: Mapping[str, Any]) -> Any:
    return 1 / power(given)


@oracle(
    "Geometric",
    lambda rng: {"epsilon": epsilon(rng), "base": rng.choice(BASES)},
)
def geometric(given: Mapping[str, Any], n: int) -> Laws:
    space, pairs = counts(n)
    t = ratio(given)
    reach = geometric_reach(t)
    shown = range(-reach, n + reach + 1)
    return {x: {(r,): geometric_mass(t, r - x[0]) for r in shown} for x in space}, pairs


@oracle(
    "DiscreteLaplace",
    lambda rng: {"scale": epsilon(rng)},
)
def discrete_laplace(given: Mapping[str, Any], n: int) -> Laws:
    return geometric({"epsilon": 1 / given["scale"], "base": "e"}, n)


@oracle(
    "TruncatedGeometric",
    lambda rng: {
        "epsilon": epsilon(rng),
        "base": rng.choice(BASES),
        "truncation": rng.choice(["clamped", "redrawn"]),
    },
)
def truncated_geometric(given: Mapping[str, Any], n: int) -> Laws:
    space, pairs = counts(n)
    t = ratio(given)
    reach = geometric_reach(t) + n
    laws: dict[Hashable, Law] = {}
    for x in space:
        law: dict[Hashable, Any] = defaultdict(mpf)
        for z in range(-reach, reach + 1):
            r, p = x[0] + z, geometric_mass(t, z)
            if given["truncation"] == "clamped":
                law[min(max(r, 0), n),] += p
            elif 0 <= r <= n:
                law[r,] += p
        inside = sum(law.values())
        laws[x] = {r: p / inside for r, p in law.items()}
    return laws, pairs


def below(y: Any, rate: Any) -> Any:
    """P(Y ≤ y) for Laplace noise."""
    return exp(rate * y) / 2 if y < 0 else 1 - exp(-rate * y) / 2


def above(y: Any, rate: Any) -> Any:
    return below(-y, rate)


def between(a: Any, b: Any, rate: Any) -> Any:
    """P(a < Y ≤ b), from the side where nothing cancels."""
    return above(a, rate) - above(b, rate) if a >= 0 else below(b, rate) - below(a, rate)


@oracle(
    "RoundedLaplace",
    lambda rng: {
        "epsilon": epsilon(rng),
        "rounding": rng.choice(["floor", "nearest"]),
        "range": rng.choice(["line", "clamped"]),
        "noise": rng.choice(["calibrated", "inverted"]),
    },
)
def rounded_laplace(given: Mapping[str, Any], n: int) -> Laws:
    space, pairs = counts(n)
    rate = given["epsilon"] if given["noise"] == "calibrated" else 1 / given["epsilon"]
    shift = mpf(1) / 2 if given["rounding"] == "nearest" else mpf(0)
    reach = int(floor(-log(NEGLECTED) / rate)) + n + 12
    laws: dict[Hashable, Law] = {}
    for x in space:
        cells = {r: (r - shift - x[0], r + 1 - shift - x[0]) for r in range(-reach, reach + 1)}
        if given["range"] == "line":
            laws[x] = {(r,): between(a, b, rate) for r, (a, b) in cells.items()}
            continue
        law: dict[Hashable, Any] = {(r,): between(*cells[r], rate) for r in range(1, n)}
        law[0,] = below(cells[0][1], rate)
        law[n,] = above(cells[n][0], rate)
        laws[x] = law
    return laws, pairs


@oracle(
    "NoisyHistogram",
    lambda rng: {
        "epsilon": 4 + 4 * epsilon(rng),
        "cells": 2,
        "neighbours": rng.choice(["histogram-add-remove", "histogram-substitution"]),
        "noise": "calibrated",
    },
    sizes=(1, 1),
)
def noisy_histogram(given: Mapping[str, Any], n: int) -> Laws:
    add_remove = given["neighbours"] == "histogram-add-remove"
    rate = given["epsilon"] / (1 if add_remove else 2)
    t = exp(-rate if given["noise"] == "calibrated" else -1 / rate)
    reach = geometric_reach(t)
    sizes = (n, n + 1) if add_remove else (n,)
    space = [x for x in product(range(n + 2), repeat=given["cells"]) if sum(x) in sizes]
    wanted = 1 if add_remove else 2
    pairs: list[tuple[Hashable, Hashable]] = [
        (x, y)
        for x, y in combinations(space, 2)
        if sum(abs(a - b) for a, b in zip(x, y, strict=True)) == wanted
        and (not add_remove or sum(x) != sum(y))
    ]
    shown = range(-reach, n + 1 + reach + 1)
    single = {c: {r: geometric_mass(t, r - c) for r in shown} for c in range(n + 2)}
    return {x: dict(drawn(*(single[c] for c in x))) for x in space}, pairs


@oracle(
    "DiscreteGaussian",
    lambda rng: {"sigma": epsilon(rng)},
    unbounded=True,
)
def discrete_gaussian(given: Mapping[str, Any], n: int) -> Laws:
    space, pairs = counts(n)
    s = 1 / (2 * given["sigma"] ** 2)
    normaliser = jtheta(3, 0, exp(-s))
    reach = int(floor((-log(NEGLECTED) / s) ** mpf("0.5"))) + 12
    shown = range(-reach, n + reach + 1)
    laws: dict[Hashable, Law] = {
        x: {(r,): exp(-s * (r - x[0]) ** 2) / normaliser for r in shown} for x in space
    }
    return laws, pairs

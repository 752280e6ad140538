# ruff: noqa: PLR0124, PLW0108, SIM300  (what unknown numbers are asked in all of these ways)
"""Small programs whose laws are known without exploring, for mutants of what explores them.

A program draws, and looks at what it drew; what it gives is found for every value of the draws, or
for 5,001 quantiles of a continuous one, which is right to a few times 10⁻⁴.
"""

import math
import operator
import random
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations, permutations, product
from statistics import NormalDist
from typing import Any

import numpy as np

from dpaudit.programs.program import program

__all__ = ["CASES", "Case"]

Law = dict[Any, float]
Weighted = list[tuple[Any, float]]


@dataclass(frozen=True)
class Case:
    """A program with its law."""

    name: str
    function: Callable[..., Any]
    truth: Callable[[], Law]
    """Gives the true law, at the dataset (1, 0)."""
    ideal: bool = False
    together: bool = False
    """Whether its datasets are explored together."""

    @cached_property
    def law(self) -> Law:
        """The true law."""
        return self.truth()

    def derived(self, real_runs: int | None = None) -> Law:
        """Return what is derived; ``LawError`` where it is refused."""
        one = program(
            datasets=DATASETS if self.together else [(1, 0)],
            neighbours="all",
            as_run=not self.ideal,
            real_runs=real_runs,
        )(self.function)
        if self.together:
            one.explorer.prepare(DATASETS)
        return {output: float(mass) for output, mass in one.law((1, 0)).items()}

    def wrong(self, law: Law) -> float:
        """Return the distance of a law from the true one, in total variation."""
        truth = self.law
        listed = {(type(output), output) for output in (*law, *truth)}
        mine = {(type(output), output): mass for output, mass in law.items()}
        true = {(type(output), output): mass for output, mass in truth.items()}
        return sum(abs(mine.get(one, 0.0) - true.get(one, 0.0)) for one in listed) / 2


DATASETS = [(a, b) for a in range(3) for b in range(3)]
QUANTILES = 5_001


def alike(values: Iterable[Any]) -> Weighted:
    listed = list(values)
    return [(value, 1 / len(listed)) for value in listed]


def quantiles(inverse: Callable[[float], float]) -> Weighted:
    """Return a continuous draw as that many values, each alike."""
    return alike(inverse((k + 0.5) / QUANTILES) for k in range(QUANTILES))


def geometric(p: float, first: int = 0) -> Weighted:
    return [(k + first, p * (1 - p) ** k) for k in range(400)]


def binomial(n: int, p: float) -> Weighted:
    return [(k, math.comb(n, k) * p**k * (1 - p) ** (n - k)) for k in range(n + 1)]


def by_weight(weight: Callable[[int], float]) -> Weighted:
    listed = [(k, weight(k)) for k in range(-200, 201)]
    total = math.fsum(w for _, w in listed)
    return [(k, w / total) for k, w in listed]


def law_of(body: Callable[..., Any], *draws: Weighted) -> Law:
    found: Law = defaultdict(float)
    for combination in product(*draws):
        values = [value for value, _ in combination]
        found[body(*values)] += math.prod(share for _, share in combination)
    return {output: share for output, share in found.items() if share}


def laplace(scale: float, centre: float = 0) -> Weighted:
    return quantiles(
        lambda u: centre + scale * (math.log(2 * u) if u < 0.5 else -math.log(2 - 2 * u))
    )


UNIT = quantiles(lambda u: u)
Draw = Callable[[], Any]


def rng() -> Any:
    return np.random.default_rng()


FLOATS: dict[str, tuple[Draw, Weighted]] = {
    "random": (lambda: random.random(), UNIT),
    "uniform": (lambda: random.uniform(-1, 2), quantiles(lambda u: 3 * u - 1)),
    "np.random": (lambda: np.random.random(), UNIT),
    "Generator.random": (lambda: rng().random(), UNIT),
    "random, a size": (lambda: np.random.random(2)[1], UNIT),
    "np.uniform": (lambda: np.random.uniform(-1, 3), quantiles(lambda u: 4 * u - 1)),
    "Generator.uniform": (lambda: rng().uniform(0.5, 2), quantiles(lambda u: 1.5 * u + 0.5)),
    "np.laplace": (lambda: np.random.laplace(0.5, 2), laplace(2, 0.5)),
    "Generator.laplace": (lambda: rng().laplace(0, 1), laplace(1)),
    "np.gumbel": (lambda: np.random.gumbel(0, 1), quantiles(lambda u: -math.log(-math.log(u)))),
    "logistic": (lambda: rng().logistic(0.5, 1), quantiles(lambda u: 0.5 + math.log(u / (1 - u)))),
    "np.exponential": (lambda: np.random.exponential(2), quantiles(lambda u: -2 * math.log(1 - u))),
    "expovariate": (lambda: random.expovariate(2), quantiles(lambda u: -math.log(1 - u) / 2)),
    "triangular": (
        lambda: random.triangular(0, 1, 0.5),
        quantiles(lambda u: math.sqrt(u / 2) if u < 0.5 else 1 - math.sqrt((1 - u) / 2)),
    ),
}
OF_FLOATS: dict[str, Callable[[Any], Any]] = {
    "below": lambda x: bool(x < 0.3),
    "at most": lambda x: bool(x <= 0.75) + 0,
    "above": lambda x: bool(x > 0.6),
    "at least": lambda x: bool(x >= 0.25),
    "between": lambda x: bool(0.2 < x <= 0.7),
    "equal": lambda x: bool(x == 0.5) or bool(x != x),
    "int": lambda x: max(-3, min(5, int(x * 4))),
    "round": lambda x: max(-3, min(5, round(x * 3))),
    "floor": lambda x: max(-3, min(5, math.floor(x + 0.25))),
    "ceil": lambda x: max(-3, min(5, math.ceil(x - 0.25))),
    "trunc": lambda x: max(-3, min(5, math.trunc(x * 2))),
    "negative": lambda x: bool(-x < -0.4),
    "abs": lambda x: bool(abs(x - 0.5) < 0.2),
    "minimum": lambda x: bool(min(x, 0.4) == 0.4),
    "maximum": lambda x: bool(max(x, 0.4) < 0.8),
    "clipped": lambda x: int(4 * min(max(x, 0.0), 1.0)),
    "from 1": lambda x: bool(1 - x < 0.3),
    "divided": lambda x: bool(x / 3 < 0.1),
    "times": lambda x: bool(-2 * x + 1 > 0.2),
    "floordiv": lambda x: max(-3, min(5, int(x // 0.3))),
    "log": lambda x: bool(math.log(2 + abs(x)) < 0.9),
    "exp": lambda x: bool(math.exp(x) < 1.5),
    "sqrt": lambda x: bool(math.sqrt(abs(x)) < 0.7),
    "np.exp": lambda x: bool(np.exp(x) >= 1.5),
    "np.minimum": lambda x: bool(np.minimum(x, 0.4) < 0.2),
    "np.maximum": lambda x: bool(np.maximum(0.4, x) > 0.5),
    "np.floor": lambda x: bool(np.floor(x) == 0),
    "Fraction": lambda x: bool(x < Fraction(1, 3)),
    "int, left": lambda x: bool(0 < x) + bool(1 > x),
    "a sum": lambda x: bool(x + x < 0.9),
    "a square": lambda x: bool(abs(x) * abs(x) < 0.3),
    "bool": lambda x: bool(x),
    "sorted": lambda x: sorted([0.5, x, 0.9]).index(0.5),
    "in": lambda x: x in (0.5, 2),
    "inverse": lambda x: bool(1 / (2 + abs(x)) < 0.4),
}
HUNDRED = alike(range(100))
WHOLES: dict[str, tuple[Draw, Weighted]] = {
    "randrange": (lambda: random.randrange(100), HUNDRED),
    "a few": (lambda: random.randrange(10), alike(range(10))),
    "randrange, steps": (lambda: random.randrange(5, 300, 3), alike(range(5, 300, 3))),
    "randint": (lambda: random.randint(-50, 50), alike(range(-50, 51))),
    "getrandbits": (lambda: random.getrandbits(8), alike(range(256))),
    "getrandbits, few": (lambda: random.getrandbits(4), alike(range(16))),
    "secrets": (lambda: secrets.randbelow(100), HUNDRED),
    "secrets, bits": (lambda: secrets.randbits(7), alike(range(128))),
    "np.randint": (lambda: np.random.randint(3, 90), alike(range(3, 90))),
    "np.randint, 32": (lambda: int(np.random.randint(0, 70, dtype=np.int32)), alike(range(70))),
    "integers": (lambda: rng().integers(-20, 80), alike(range(-20, 80))),
    "integers, endpoint": (lambda: rng().integers(1, 6, endpoint=True), alike(range(1, 7))),
    "integers, a size": (lambda: rng().integers(100, size=2)[0], HUNDRED),
    "np.geometric": (lambda: np.random.geometric(0.4), geometric(0.4, 1)),
    "np.geometric, small": (lambda: min(60, np.random.geometric(0.25)), geometric(0.25, 1)),
    "Generator.geometric": (lambda: rng().geometric(0.5), geometric(0.5, 1)),
    "np.binomial": (lambda: np.random.binomial(5, 0.3), binomial(5, 0.3)),
    "Generator.binomial": (lambda: rng().binomial(7, 0.8), binomial(7, 0.8)),
    "np.choice": (lambda: np.random.choice(100), HUNDRED),
    "np.choice, weights": (
        lambda: np.random.choice([3, 7, 60], p=[0.5, 0.2, 0.3]),
        [(3, 0.5), (7, 0.2), (60, 0.3)],
    ),
    "Generator.choice": (
        lambda: rng().choice([3, 7, 60], p=[0.1, 0.0, 0.9]),
        [(3, 0.1), (60, 0.9)],
    ),
    "choices": (
        lambda: random.choices([3, 7, 60], [1, 2, 1])[0],
        [(3, 0.25), (7, 0.5), (60, 0.25)],
    ),
}
OF_WHOLES: dict[str, Callable[[Any], Any]] = {
    "below": lambda k: bool(k < 7),
    "at most": lambda k: bool(k <= 6.5),
    "above": lambda k: bool(k > 7) + 0,
    "at least": lambda k: bool(k >= Fraction(13, 2)),
    "equal": lambda k: bool(k == 7),
    "other": lambda k: bool(k != 7),
    "equal to a half": lambda k: bool(2 * k == 7.5) or bool(k == 3.0),
    "affine": lambda k: bool(3 - 2 * k >= -10),
    "a sum": lambda k: bool(k + k - 4 < 9),
    "abs": lambda k: bool(abs(k - 5) < 3),
    "mod": lambda k: int(k % 7),
    "floordiv": lambda k: int(k // 30),
    "divmod": lambda k: int(divmod(k, 9)[1]),
    "and": lambda k: int(k & 5),
    "or": lambda k: bool((k | 3) == 7),
    "xor": lambda k: bool((k ^ 1) < 8),
    "shift": lambda k: bool((k << 1) + (k >> 1) < 40),
    "invert": lambda k: bool(~k < -8),
    "power": lambda k: bool(k**2 < 60),
    "truediv": lambda k: bool(k / 4 < 2.5),
    "in": lambda k: k in (3, 17, 60),
    "a set": lambda k: k in {3, 17, 60},
    "a range": lambda k: k in range(3, 50, 2),
    "a dictionary": lambda k: {3: "a", 7: "b"}.get(k, "c"),
    "bool": lambda k: bool(k),
    "float": lambda k: bool(float(k) < 6.5),
    "index": lambda k: [*range(300)][max(k, 0)] // 40,
    "text": lambda k: len(f"{k}") + len(str(k)),
    "round": lambda k: bool(round(k, -1) < 20),
    "clipped": lambda k: int(min(max(k, 3), 9)),
    "negative": lambda k: bool(-k > -7) + bool(+k > 9),
    "hash": lambda k: hash(k) == 7,
    "infinite": lambda k: bool(k < math.inf) and not bool(k < -math.inf),
    "sorted": lambda k: sorted([7, k, 20]).index(7),
    "an array": lambda k: bool(np.any(np.array([3, 17, 60]) == int(k))),
    "operator": lambda k: int(operator.lt(7, k)) + int(operator.eq(k, 3)),
    "right": lambda k: bool(100 - k < 60) + bool(7 > k) + bool(500 // (abs(k) + 1) < 60),
}
TWICE: dict[str, Callable[[Any, Any], Any]] = {
    "less": lambda j, k: bool(j < k),
    "equal": lambda j, k: bool(j == k),
    "a sum": lambda j, k: bool(j + k < 80),
    "a difference": lambda j, k: bool(j - 2 * k >= 5),
    "a product": lambda j, k: bool(j * k < 600),
}
SETS: list[tuple[str, Callable[[], Any], list[Any]]] = [
    ("sample", lambda: tuple(random.sample(range(5), 2)), list(permutations(range(5), 2))),
    ("shuffle", lambda: tuple(random.sample([1, 2, 3], 3)), list(permutations((1, 2, 3)))),
    ("np.shuffle", lambda: _shuffled(np.random), list(permutations(range(4)))),
    ("Generator.shuffle", lambda: _shuffled(rng()), list(permutations(range(4)))),
    ("permutation", lambda: _ints(np.random.permutation(3)), list(permutations(range(3)))),
    ("permuted list", lambda: _ints(rng().permutation([4, 5, 6])), list(permutations((4, 5, 6)))),
    (
        "np.choice, 2 of 5",
        lambda: _ints(np.random.choice(5, 2, replace=False)),
        list(permutations(range(5), 2)),
    ),
    (
        "Generator.choice, 2 of 5",
        lambda: _ints(rng().choice(5, 2, replace=False)),
        list(permutations(range(5), 2)),
    ),
    (
        "a subset",
        lambda: frozenset(_ints(rng().choice(5, 2, replace=False, shuffle=False))),
        list(map(frozenset, combinations(range(5), 2))),
    ),
    ("choice, a size", lambda: _ints(rng().choice(3, (2,))), list(product(range(3), repeat=2))),
    ("bytes", lambda: secrets.token_bytes(1)[0] // 64, [0, 1, 2, 3]),
    ("randbytes", lambda: random.randbytes(1)[0] // 64, [0, 1, 2, 3]),
]


def _ints(values: Any) -> tuple[int, ...]:
    return tuple(map(int, values))


def _shuffled(source: Any) -> tuple[int, ...]:
    values = np.arange(4)
    source.shuffle(values)
    return _ints(values)


def _itself(output: Any) -> Any:
    return output


def _as_run() -> list[Case]:
    found = []
    for table, looks in ((FLOATS, OF_FLOATS), (WHOLES, OF_WHOLES)):
        for place, (kind, (draw, values)) in enumerate(table.items()):
            for number, (name, look) in enumerate(looks.items()):
                if place == 0 or (number + place) % 9 == 0:  # all of one draw, some of the others
                    found.append(_looking(f"{kind}: {name}", look, draw, values))
    for name, both in TWICE.items():
        draw, values = WHOLES["randint"]
        found.append(_looking(f"two: {name}", both, draw, values, twice=True))
    for name, give, outputs in SETS:
        found.append(
            Case(
                name,
                lambda x, give=give: give(),
                partial(law_of, _itself, alike(outputs)),
            )
        )
    return found


def _looking(
    name: str, look: Callable[..., Any], draw: Draw, values: Weighted, *, twice: bool = False
) -> Case:
    count = 2 if twice else 1
    return Case(
        name,
        lambda x: look(*(draw() for _ in range(count))),
        lambda: law_of(look, *[values] * count),
    )


Ideal = Callable[[Any], Any]
NORMAL = NormalDist(0, 1.5)
IDEAL_FLOATS: dict[str, tuple[Ideal, Weighted]] = {
    "laplace": (lambda r: r.laplace(2), laplace(2)),
    "exponential": (lambda r: r.exponential("1/2"), quantiles(lambda u: -math.log(1 - u) / 2)),
    "gumbel": (lambda r: r.gumbel(1), quantiles(lambda u: -math.log(-math.log(u)))),
    "clamped": (
        lambda r: max(-2, min(2, r.laplace(1))),
        [(max(-2, min(2, x)), p) for x, p in laplace(1)],
    ),
    "gaussian": (lambda r: r.gaussian(1.5), quantiles(NORMAL.inv_cdf)),
    "uniform": (lambda r: r.uniform(-1, 2), quantiles(lambda u: 3 * u - 1)),
}
IDEAL_WHOLES: dict[str, tuple[Ideal, Weighted]] = {
    "geometric": (lambda r: r.geometric("1/3"), geometric(1 / 3)),
    "discrete_laplace": (
        lambda r: r.discrete_laplace(3),
        by_weight(lambda k: math.exp(-abs(k) / 3)),
    ),
    "discrete_gaussian": (
        lambda r: r.discrete_gaussian("5/2"),
        by_weight(lambda k: math.exp(-k * k / 12.5)),
    ),
    "clamped": (
        lambda r: min(30, r.geometric("1/4")),
        [(min(k, 30), p) for k, p in geometric(1 / 4)],
    ),
    "clamped, both": (
        lambda r: max(-9, min(9, r.discrete_laplace(3))),
        [(max(-9, min(9, k)), p) for k, p in by_weight(lambda k: math.exp(-abs(k) / 3))],
    ),
    "integers": (lambda r: r.integers(7), alike(range(7))),
    "many": (lambda r: r.integers(5000), alike(range(5000))),
    "bits": (lambda r: r.bits(5), alike(range(32))),
    "bernoulli": (lambda r: int(r.bernoulli("1/5")), [(0, 0.8), (1, 0.2)]),
    "choice": (lambda r: r.choice([3, 7, 60], [1, 0, 3]), [(3, 0.25), (60, 0.75)]),
    "choice, alike": (lambda r: r.choice([3, 7, 60]), alike([3, 7, 60])),
    "permutation": (lambda r: r.permutation([3, 7, 60])[1], alike([3, 7, 60])),
    "sub": (lambda r: r.sub(lambda s: s.integers(3) + 5), alike([5, 6, 7])),
    "until": (lambda r: r.until(_rejecting), alike([0, 1, 2])),
}  # fmt: skip


def _rejecting(source: Any) -> int | None:
    drawn: int = source.integers(4)
    return drawn if drawn < 3 else None


def _ideal() -> list[Case]:
    def case(name: str, look: Callable[..., Any], draw: Ideal, values: Weighted) -> Case:
        return Case(
            name, lambda x, random: look(draw(random)), lambda: law_of(look, values), ideal=True
        )

    found = []
    of_floats = {k: f for k, f in OF_FLOATS.items() if k not in REFUSED}
    for table, looks in ((IDEAL_FLOATS, of_floats), (IDEAL_WHOLES, OF_WHOLES)):
        for place, (kind, (draw, values)) in enumerate(table.items()):
            for number, (name, look) in enumerate(looks.items()):
                if (number + place) % 6 == 0 or kind in ("clamped", "uniform"):
                    found.append(case(f"ideal {kind}: {name}", look, draw, values))
    return found


REFUSED = {
    "log", "exp", "sqrt", "np.exp", "np.floor", "a square", "inverse", "floordiv",
}  # fmt: skip


def _two_laplaces(shift: Fraction) -> float:
    """Return the probability that X + shift < Y, of Laplace draws of scale 1, for shift ≥ 0."""
    return math.exp(-shift) * (2 + shift) / 4


def _of_pairs() -> list[Case]:
    below = _two_laplaces(Fraction(1))
    half = 1 - math.exp(-1 / 2) / 2  # of |X| < … of one of scale 1
    pairs: dict[str, tuple[Callable[[Any, Any], Any], Law]] = {
        "two laplaces": (
            lambda x, r: bool(r.laplace(1) + 1 < r.laplace(1)),
            {True: below, False: 1 - below},
        ),
        "in proportion": (
            lambda x, r: bool(r.laplace(2) > abs(r.laplace(1))),
            {True: 1 / 3, False: 2 / 3},
        ),
        "argmax": (
            lambda x, r: max(range(3), key=[r.exponential(1) for _ in range(3)].__getitem__),
            {0: 1 / 3, 1: 1 / 3, 2: 1 / 3},
        ),
    }
    found = [
        Case(name, give, partial(dict, law), ideal=True) for name, (give, law) in pairs.items()
    ]
    entries: dict[str, tuple[Callable[[Any, Any], Any], Law]] = {
        "threshold": (
            lambda x, r: bool(x[0] - x[1] + r.laplace(1) < 1.5),
            {True: half, False: 1 - half},
        ),
        "a branch": (
            lambda x, r: bool(r.laplace(1) < Fraction(1, 2)) if x[0] > x[1] else 0,
            {True: half, False: 1 - half},
        ),
        "an abs": (
            lambda x, r: bool(abs(x[1] - x[0]) * 2 + r.laplace(1) < 2.5),
            {True: half, False: 1 - half},
        ),
        "a count": (
            lambda x, r: bool((sum(x) * 3 - 1) // 2 + r.laplace(1) < max(x) + 0.5),
            {True: half, False: 1 - half},
        ),
        "a mean": (
            lambda x, r: bool(sum(x) / 2 + r.laplace(1) >= min(x)),
            {True: half, False: 1 - half},
        ),
    }
    return found + [
        Case(f"together: {name}", give, partial(dict, law), ideal=True, together=True)
        for name, (give, law) in entries.items()
    ]


CASES: list[Case] = [*_as_run(), *_ideal(), *_of_pairs()]

"""Programs with finite outputs of three suites: DP-Sniper, CheckDP and DiPApprox."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any

from dpaudit import program
from dpaudit.programs.program import Program

__all__ = [
    "above_gaussian",
    "checkdp",
    "every_answer",
    "in_range_gaussian",
    "noisy_max",
    "noisy_max_gaussian",
    "noisy_min_gaussian",
    "parallel_patterns",
    "rappor",
    "snapped",
    "sparse_vector",
    "third_between_gaussian",
    "truncated_geometric",
]

TENTH = Fraction(1, 10)
Vector = tuple[int, ...]


def parallel_patterns(n: int) -> list[tuple[Vector, Vector]]:
    """Return the pairs of StatDP and DP-Sniper in dimension ``n``."""
    one, half = (1,) * n, n // 2
    rest = n - half
    return [
        (one, (0, *one[1:])),
        (one, (2, *one[1:])),
        (one, (2, *(0,) * (n - 1))),
        (one, (0, *(2,) * (n - 1))),
        (one, (*(2,) * half, *(0,) * rest)),
        (one, (2,) * n),
        (one, (0,) * n),
        ((*(1,) * half, *(0,) * rest), (*(0,) * half, *(1,) * rest)),
    ]


def on_patterns(n: int | list[tuple[Vector, Vector]]) -> Callable[[Callable[..., Any]], Program]:
    """Return a decorator for the pattern pairs of a dimension, or for pairs that are given."""
    pairs = parallel_patterns(n) if isinstance(n, int) else n
    datasets = list(dict.fromkeys(one for pair in pairs for one in pair))
    return program(datasets=datasets, neighbours=pairs, budget="eps")


def moved(x: Vector, y: Vector) -> bool:
    return x != y and all(abs(a - b) <= 1 for a, b in zip(x, y, strict=True))


def answers(n: int) -> Iterable[Vector]:
    return product((-1, 0, 1), repeat=n)


def bits(n: int) -> Iterable[Vector]:
    return product((0, 1), repeat=n)


def noisy_max(queries: Vector, random: Any, eps: Fraction = TENTH, noise: str = "laplace") -> int:
    """Report noisy max, with early and late comparisons as they come."""
    best, largest = 0, None
    for i, query in enumerate(queries):
        value = query + getattr(random, noise)(2 / eps)
        if largest is None or value > largest:
            best, largest = i, value
    return best


def sparse_vector(
    queries: Vector,
    random: Any,
    eps: Fraction = TENTH,
    *,
    rho: Fraction = Fraction(2),
    nu: Fraction = Fraction(4),
    cutoff: int = 1,
    threshold: Fraction = Fraction(1),
    fresh: bool = False,
) -> tuple[bool, ...]:
    """Sparse vector with noise of scale rho/eps and nu/eps; cutoff 0 stands for no end."""
    noisy = threshold + random.laplace(rho / eps)
    found: list[bool] = []
    for query in queries:
        value = query + random.laplace(nu / eps) if nu else query
        found.append(bool(value >= noisy))
        if found[-1] and cutoff:
            if sum(found) == cutoff:
                break
            if fresh:
                noisy = threshold + random.laplace(rho / eps)
    return tuple(found)


@program(datasets=range(6), neighbours=[(k, k + 1) for k in range(5)], budget="ln(9/8)")
def truncated_geometric(count: int, random: Any, n: int = 5) -> int:
    """GeoSample of Balcer and Vadhan at k = 3."""
    noisy: int = count + random.discrete_laplace("1/ln(9/8)")
    return max(0, min(n, noisy))


def checkdp(
    name: str, function: Callable[..., Any], eps: Fraction, neighbours: Any = moved, **fixed: Any
) -> Program:
    """Return a program over all pairs in {−1, 0, 1}ⁿ that move by at most 1."""

    def body(queries: Vector, random: Any, eps: Fraction = eps) -> Any:
        return function(queries, random, eps, **fixed)

    return program(datasets=answers, neighbours=neighbours, budget="eps", name=name)(body)


def on_bits(name: str, budget: Any, function: Callable[..., Any]) -> Program:
    def body(queries: Vector, random: Any) -> Any:
        return function(queries, random)

    return program(datasets=bits, neighbours="all", budget=budget, name=name)(body)


def above_gaussian(
    threshold: str, noise: str, *, scales: tuple[Any, Any] = (4, 8), below: bool = False
) -> Callable[..., int | None]:
    """Return DiPApprox's sparse vectors: the first query above the threshold, or below it."""

    def body(queries: Vector, random: Any) -> int | None:
        noisy = getattr(random, threshold)(scales[0]) if scales[0] else 0
        for i, query in enumerate(queries):
            value = query + getattr(random, noise)(scales[1]) if scales[1] else query
            if value < noisy if below else value > noisy:
                return i
        return None

    return body


def noisy_max_gaussian(queries: Vector, random: Any) -> int:
    values = [query + random.gaussian(4) for query in queries]
    return max(range(len(values)), key=lambda i: values[i])


def noisy_min_gaussian(queries: Vector, random: Any) -> int:
    values = [query + random.gaussian(4) for query in queries]
    return min(range(len(values)), key=lambda i: values[i])


def every_answer(queries: Vector, random: Any, eps: Fraction) -> tuple[bool, ...]:
    """Sparse vector that never stops, each answer with noise of the threshold's scale."""
    noisy = random.laplace(2 / eps)
    return tuple(bool(query + random.laplace(2 / eps) > noisy) for query in queries)


def snapped(x: int, random: Any, eps: Fraction = TENTH) -> int:
    """Clamp to [−100, 100] a multiple of 16 next to x and Laplace noise (Mironov 2012)."""
    scale = (1 + 100 * Fraction(1, 2**49)) / eps
    found: int = max(-100, min(100, 16 * round((x + random.laplace(scale)) / 16)))
    return found


def in_range_gaussian(queries: Vector, random: Any) -> bool:
    low, high = random.gaussian(8), 1 + random.gaussian(8)
    return all(low < value < high for value in (query + random.gaussian(4) for query in queries))


def third_between_gaussian(queries: Vector, random: Any) -> bool:
    first, second, third = (query + random.gaussian(4) for query in queries)
    return bool(min(first, second) < third < max(first, second))


def _murmur(text: str, seed: int) -> int:
    """Return the MurmurHash3 (x86, 32 bits) of at most three characters, as a signed number."""
    full = (1 << 32) - 1

    def rotated(value: int, by: int) -> int:
        return (value << by | value >> 32 - by) & full

    data = text.encode()
    found = int.from_bytes(data, "little") * 0xCC9E2D51 & full
    found = seed ^ rotated(found, 15) * 0x1B873593 & full
    found ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        found = (found ^ found >> shift) * factor & full
    return found - (1 << 32) if found >> 31 else found


def _reported(random: Any, bit: int, f: Fraction, shown: tuple[Any, Any] | None) -> int:
    kept = random.choice([1, 0, bit], [f / 2, f / 2, 1 - f])
    return kept if shown is None else int(random.bernoulli(shown[kept]))


def rappor(f: Any, shown: tuple[Any, Any] | None = None) -> Callable[..., tuple[int, ...]]:
    """Return RAPPOR with 4 hashes and 20 bits: the permanent step, and that ``shown`` if given."""

    def body(value: int, random: Any, _: Fraction) -> tuple[int, ...]:
        found = {_murmur(str(value), seed) % 20 for seed in range(4)}
        return tuple(random.sub(_reported, int(i in found), f, shown) for i in range(20))

    return body

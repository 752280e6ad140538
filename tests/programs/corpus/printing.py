"""Programs of three suites that print numbers from a density: DP-Sniper, CheckDP."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any

from dpaudit import program
from dpaudit.programs.program import Program
from tests.programs.corpus.programs import TENTH, Vector, sparse_vector

__all__ = [
    "adaptive",
    "gap",
    "laplace",
    "noisy_histogram",
    "noisy_largest",
    "numerical",
    "on_counts",
    "one_moved",
    "parallel",
    "partial_sum",
    "prefix_sums",
    "printed_above",
    "smart_sum",
    "sparse_34",
]

Numbers = tuple[Any, ...]


def laplace(x: int, random: Any, eps: Fraction = TENTH) -> Any:
    return x + random.laplace(1 / eps)


def parallel(x: int, random: Any, eps: Fraction = TENTH, copies: int = 20) -> Numbers:
    return tuple(x + random.laplace(1 / eps) for _ in range(copies))


def noisy_histogram(
    x: Vector, random: Any, eps: Fraction = TENTH, *, inverted: bool = False
) -> Numbers:
    return tuple(one + random.laplace(eps if inverted else 1 / eps) for one in x)


def noisy_largest(
    queries: Vector, random: Any, eps: Fraction = TENTH, noise: str = "laplace"
) -> Any:
    return max(query + getattr(random, noise)(2 / eps) for query in queries)


def prefix_sums(queries: Vector, random: Any, eps: Fraction = TENTH) -> Numbers:
    total: Any = 0
    found = []
    for query in queries:
        total = total + query + random.laplace(1 / eps)
        found.append(total)
    return tuple(found)


def printed_above(
    queries: Vector,
    random: Any,
    eps: Fraction = TENTH,
    *,
    nu: Fraction = Fraction(2),
    cutoff: int = 1,
    threshold: int = 1,
) -> Numbers:
    """Sparse vector that prints the noisy answers it has compared."""
    noisy = threshold + random.laplace(2 / eps)
    found: list[Any] = []
    count = 0
    for query in queries:
        value = query + random.laplace(nu * cutoff / eps)
        if value >= noisy:
            found.append(value)
            count += 1
            if count == cutoff:
                break
        else:
            found.append(None)
    return tuple(found)


def numerical(
    queries: Vector, random: Any, eps: Fraction = TENTH, *, cutoff: int = 2, threshold: int = 1
) -> Numbers:
    """Sparse vector that prints the answers above with fresh noise."""
    noisy = threshold + random.laplace(3 / eps)
    found: list[Any] = []
    count = 0
    for query in queries:
        if query + random.laplace(6 * cutoff / eps) >= noisy:
            found.append(query + random.laplace(3 * cutoff / eps))
            count += 1
            if count == cutoff:
                break
        else:
            found.append(0)
    return tuple(found)


def sparse_34(queries: Vector, random: Any, eps: Fraction = TENTH, cutoff: int = 2) -> Any:
    """Two sparse vectors that share no noise, on one input."""
    third = printed_above(queries, random, eps, cutoff=cutoff)
    fourth = sparse_vector(queries, random, eps, rho=Fraction(4), nu=Fraction(4, 3), cutoff=cutoff)
    return third, fourth


def gap(queries: Vector, random: Any, eps: Fraction, *, bad: bool = False) -> Numbers:
    noisy = random.laplace(2 / eps)
    found: list[Any] = []
    for query in queries:
        value = query + random.laplace(4 / eps)
        if value >= noisy:
            return (*found, value if bad else value - noisy)
        found.append(0)
    return tuple(found)


def adaptive(queries: Vector, random: Any, eps: Fraction, *, bad: bool = False) -> Numbers:
    rho = random.laplace(2 / eps)
    found: list[Any] = []
    for query in queries:
        first = query + random.laplace(8 / eps)
        if first - rho >= 16:
            return (*found, first if bad else first - rho)
        second = query + random.laplace(4 / eps)
        if second - rho >= 0:
            return (*found, second - rho)
        found.append(-100 if bad else 0)
    return tuple(found)


def smart_sum(
    queries: Vector, random: Any, eps: Fraction, *, bad: bool = False, block: int = 2
) -> Numbers:
    latest: Any = 0
    total = 0
    found = []
    for place, query in enumerate(queries, start=1):
        total += query
        if place % block:
            latest = latest + query + random.laplace(1 / eps)
        else:
            latest = total if bad else total + random.laplace(1 / eps)
            total = 0
        found.append(latest)
    return tuple(found)


def partial_sum(queries: Vector, random: Any, eps: Fraction, *, bad: bool = False) -> Any:
    return sum(queries) + random.laplace(1 / (2 * eps) if bad else 1 / eps)


def one_moved(
    name: str, function: Callable[..., Any], eps: Fraction, budget: str, **fixed: Any
) -> Program:
    """Return a program over {−1, 0, 1}ⁿ where one entry moves by at most 1."""

    def moved(x: Vector, y: Vector) -> bool:
        return sorted(abs(a - b) for a, b in zip(x, y, strict=True))[-2:] in ([0, 1], [1])

    def body(queries: Vector, random: Any, eps: Fraction = eps) -> Any:
        return function(queries, random, eps, **fixed)

    def datasets(n: int) -> Iterable[Vector]:
        return product((-1, 0, 1), repeat=n)

    return program(datasets=datasets, neighbours=moved, budget=budget, name=name)(body)


def on_counts(name: str, function: Callable[..., Any], eps: Fraction, budget: Any) -> Program:
    """Return a program over one count with the pairs (1)/(0) and (1)/(2)."""

    def body(x: int, random: Any, eps: Fraction = eps) -> Any:
        return function(x, random, eps)

    return program(datasets=range(3), neighbours=[(1, 0), (1, 2)], budget=budget, name=name)(body)

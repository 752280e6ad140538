"""The law of a program is, number for number, that of the built-in mechanism it writes out."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import dpaudit
from dpaudit import program
from dpaudit.mechanisms.loading import load_mechanism
from dpaudit.numbers.ball import precision
from dpaudit.programs.program import Program
from dpaudit.results import Verdict

EPS = Fraction(1, 2)


def answers(n: int) -> Iterable[tuple[int, ...]]:
    return product((-1, 0, 1), repeat=n)


def moved(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    return x != y and all(abs(a - b) <= 1 for a, b in zip(x, y, strict=True))


def on_queries(function: Callable[..., Any]) -> Program:
    return program(datasets=answers, neighbours=moved, budget="eps")(function)


def sparse(rho: int, nu: Any, c: int | None, fresh: bool = False) -> Callable[..., str]:
    """Return Lyu, Su and Li's sparse vector with noise of scale rho/ε and nu/ε, up to c times ⊤."""

    def run(queries: tuple[int, ...], random: Any, eps: Fraction = EPS) -> str:
        noisy = random.laplace(rho / eps)
        printed = ""
        for query in queries:
            noise = random.laplace(nu / eps) if nu else 0
            if query + noise >= noisy:
                printed += "⊤"
                if c is not None and printed.count("⊤") == c:
                    break
                if fresh:
                    noisy = random.laplace(rho / eps)
            else:
                printed += "⊥"
        return printed

    return run


@on_queries
def noisy_max(queries: tuple[int, ...], random: Any, eps: Fraction = EPS) -> int:
    best, largest = 0, None
    for i, query in enumerate(queries):
        value = query + random.laplace(2 / eps)
        if largest is None or value > largest:
            best, largest = i, value
    return best


@on_queries
def noisy_max_at_once(queries: tuple[int, ...], random: Any, eps: Fraction = EPS) -> int:
    values = [query + random.laplace(2 / eps) for query in queries]
    return max(range(len(values)), key=lambda i: values[i])


@on_queries
def noisy_max_by_sorting(queries: tuple[int, ...], random: Any, eps: Fraction = EPS) -> int:
    values = [(query + random.laplace(2 / eps), i) for i, query in enumerate(queries)]
    return sorted(values)[-1][1]


@on_queries
def exponential_max(queries: tuple[int, ...], random: Any, eps: Fraction = EPS) -> int:
    values = [query + random.exponential(2 / eps) for query in queries]
    return values.index(max(values))


@on_queries
def gumbel_max(queries: tuple[int, ...], random: Any, eps: Fraction = EPS) -> int:
    values = [query + random.gumbel(2 / eps) for query in queries]
    return values.index(max(values))


@on_queries
def exponential_mechanism(queries: tuple[int, ...], random: Any, eps: Fraction = EPS) -> int:
    weights = [f"exp({eps}*{query}/2)" for query in queries]
    return random.choice(range(len(queries)), weights)  # type: ignore[no-any-return]


@on_queries
def permute_and_flip(queries: tuple[int, ...], random: Any, eps: Fraction = EPS) -> int:
    best = max(queries)
    for i in random.permutation(range(len(queries))):
        if random.bernoulli(f"exp({eps}*({queries[i] - best})/2)"):
            return int(i)
    raise AssertionError


ON_QUERIES = {
    "RNMLaplace": [noisy_max, noisy_max_at_once, noisy_max_by_sorting],
    "RNMExponential": [exponential_max],
    "RNMGumbel": [gumbel_max],
    "ExponentialMechanism": [exponential_mechanism],
    "PermuteAndFlip": [permute_and_flip],
    "AboveThreshold": [on_queries(sparse(2, 4, 1))],
    "SVT1": [on_queries(sparse(2, 4, 1))],
    "SVT2": [on_queries(sparse(2, 4, 1, fresh=True))],
    "SVT4": [on_queries(sparse(4, Fraction(4, 3), 1))],
    "SVT5": [on_queries(sparse(2, 0, None))],
    "SVT6": [on_queries(sparse(2, 2, None))],
}
CASES = [(name, one) for name, programs in ON_QUERIES.items() for one in programs]


def as_masses(name: str, parameters: dict[str, Any], dataset: Any) -> dict[Any, Any]:
    law = load_mechanism(name, parameters).laws().law(dataset)
    listed = law.listed()
    assert listed is not None
    return {output: law.probability(output).exact for output in listed.outputs}


@pytest.mark.parametrize(("name", "one"), CASES, ids=[f"{n}-{p.name}" for n, p in CASES])
def test_the_law_is_that_of_the_classic(name: str, one: Program) -> None:
    with precision(600):
        for dataset in ((0,), (0, 1), (1, 0), (1, -1, 0), (0, 0, 0)):
            found = dict(one.law(dataset))
            if name in ("RNMGumbel", "ExponentialMechanism"):
                law = load_mechanism(name, {"epsilon": "1/2"}).laws().law(dataset)
                for output, mass in found.items():
                    assert abs(law.probability(output).ball - mass.ball()) < 1e-100
                    assert mass.ball().rad() < 1e-100
                continue
            expected = as_masses(name, {"epsilon": "1/2"}, dataset)
            assert found == {output: mass for output, mass in expected.items() if mass != 0}


@pytest.mark.parametrize("name", ["RNMLaplace", "SVT1", "SVT4", "SVT5", "SVT6"])
def test_the_realised_epsilon_is_that_of_the_classic(name: str) -> None:
    (one, *_) = ON_QUERIES[name]
    ours = dpaudit.check(one, n=2)
    theirs = dpaudit.check(name, n=2, epsilon="1/2")
    assert ours.verdict == theirs.verdict
    for found, expected in (
        (ours.results[0].epsilon, theirs.results[0].epsilon),
        (ours.results[0].delta_held, theirs.results[0].delta_held),
    ):
        assert (found.lower, found.upper) == (expected.lower, expected.upper)


def test_two_above_are_found_by_the_sparse_vector_with_c_two() -> None:
    for name, fresh, rho, nu in (("SVT1", False, 2, 8), ("SVT2", True, 4, 8)):
        one = on_queries(sparse(rho, nu, 2, fresh=fresh))
        given = {"epsilon": "1/2", "c": "2"}
        assert dict(one.law((0, 1, -1))) == as_masses(name, given, (0, 1, -1))


@program(datasets=["yes", "no"], neighbours="all", budget="ln(3)")
def randomised_response(answer: str, random: Any) -> str:
    if random.bernoulli(Fraction(3, 4)):
        return answer
    return "no" if answer == "yes" else "yes"


def test_randomised_response_realises_its_budget_exactly() -> None:
    found = dpaudit.check(randomised_response)
    assert found.verdict is Verdict.WITHIN
    assert str(found.results[0].epsilon.exact) == "ln(3)"


@program(datasets=lambda n: range(n + 1), neighbours=lambda x, y: abs(x - y) == 1, budget="eps")
def truncated_geometric(
    count: int, random: Any, eps: Fraction = Fraction(1, 2), high: int = 3
) -> int:
    noisy: int = count + random.discrete_laplace(1 / eps)
    return max(0, min(high, noisy))


@program(datasets=lambda n: range(n + 1), neighbours=lambda x, y: abs(x - y) == 1, budget="eps")
def truncated_by_differences(
    count: int, random: Any, eps: Fraction = Fraction(1, 2), high: int = 3
) -> int:
    p = dpaudit.real(f"1 - exp(-{eps})")
    noisy = count + random.geometric(p)
    for _ in range(1):
        noisy = min(noisy, high)
    return int(noisy)


def test_the_truncated_geometric_is_the_classic() -> None:
    with precision(128):
        for count in range(4):
            found = truncated_geometric.law(count)
            law = (
                load_mechanism("TruncatedGeometric", {"epsilon": "1/2"})
                .laws()
                .law((count, 3 - count))
            )
            assert len(found) == 4
            for output, mass in found.items():
                assert abs(law.probability((output,)).ball - mass.ball()) < 1e-30
    ours = dpaudit.check(truncated_geometric, n=3)
    assert str(ours.results[0].epsilon.exact) == "1/2"


def test_one_sided_geometric_noise_splits_into_few_paths() -> None:
    law = truncated_by_differences.law(1)
    assert {o: str(p) for o, p in law.items()} == {
        1: "1 - exp(-1/2)",
        2: "-exp(-1) + exp(-1/2)",
        3: "exp(-1)",
    }
    assert truncated_by_differences.paths(1) == 4  # 1, 2, 3 and what is above

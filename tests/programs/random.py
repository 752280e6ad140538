"""Random small programs held to oracles: python -m tests.programs.random --count 2000 --seed 1123.

Programs of finite draws are held, exactly, to an interpreter that carries whole distributions along
in fractions.  Programs that compare continuous draws are held to draws in floats.  Programs that
print numbers are held to their densities by quadrature in floats, over the draws themselves.  A
third draw from Python's and NumPy's modules: they are held to what they do with chosen draws, where
those are few, and are run for real.  Each has 100,000 draws by default; a mass that is right is
outside of its bound with a probability below 10⁻⁹ (Hoeffding 1963, eq. 2.1).
"""

import argparse
import math
import random as python_random
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from dpaudit.errors import LawError
from dpaudit.numbers.ball import Ball, precision
from dpaudit.programs.program import program
from tests.programs.printed_numbers import printing
from tests.programs.random_as_run import as_run
from tests.programs.random_containers import containers

__all__ = ["Floats", "agree", "comparing", "finite", "main"]

PAIR: dict[str, Any] = {"datasets": [0, 1], "neighbours": "all"}

Statement = tuple[Any, ...]
State = tuple[int, ...]

VARIABLES = 3


def statements(rng: python_random.Random, depth: int) -> list[Statement]:
    found: list[Statement] = []
    for _ in range(rng.randint(1, 3)):
        into = rng.randrange(VARIABLES)
        kinds = ["bernoulli", "integers", "choice", "permutation", "geometric", "add", "minimum"]
        if depth:
            kinds += ["if", "if", "loop"]
        match rng.choice(kinds):
            case "bernoulli":
                found.append(("bernoulli", into, Fraction(rng.randint(0, 5), 5)))
            case "integers":
                found.append(("integers", into, rng.randint(1, 3)))
            case "choice":
                weights = [rng.randint(0, 3) for _ in range(3)]
                found.append(("choice", into, [*weights[:2], weights[2] + 1]))
            case "permutation":
                found.append(("permutation", into))
            case "geometric":
                found.append(("geometric", into, Fraction(rng.randint(1, 3), 4), rng.randint(0, 3)))
            case "add":
                found.append(("add", into, rng.randrange(VARIABLES), rng.randint(-1, 1)))
            case "minimum":
                found.append(("minimum", into, rng.randrange(VARIABLES)))
            case "if":
                branches = [statements(rng, depth - 1) for _ in range(2)]
                found.append(("if", into, rng.randrange(VARIABLES), rng.randint(-1, 1), *branches))
            case "loop":
                found.append(("loop", rng.randint(0, 2), statements(rng, depth - 1)))
    return found


def ways(code: list[Statement]) -> int:
    """Return a bound on the number of paths."""
    total = 1
    for statement in code:
        match statement:
            case ("if", _, _, _, yes, no):
                total *= ways(yes) + ways(no)
            case ("loop", count, body):
                total *= ways(body) ** count
            case (kind, *_):
                total *= {"bernoulli": 2, "permutation": 6, "geometric": 4}.get(kind, 3)
    return total


def run(code: list[Statement], values: list[Any], random: Any) -> None:
    """Run the statements as a program would that draws from ``random``."""
    for statement in code:
        match statement:
            case ("bernoulli", into, p):
                values[into] = int(random.bernoulli(p))
            case ("integers", into, n):
                values[into] = random.integers(n)
            case ("choice", into, weights):
                values[into] = random.choice(range(3), weights)
            case ("permutation", into):
                values[into] = random.permutation([0, 1, 2])[0]
            case ("geometric", into, p, most):
                values[into] = min(most, random.geometric(p))
            case ("add", into, other, constant):
                values[into] = values[into] + values[other] + constant
            case ("minimum", into, other):
                values[into] = min(values[into], values[other])
            case ("if", left, right, constant, yes, no):
                run(yes if values[left] < values[right] + constant else no, values, random)
            case ("loop", count, body):
                for _ in range(count):
                    run(body, values, random)


Distribution = dict[State, Fraction]


def draws(statement: Statement, state: State) -> Iterator[tuple[int, Fraction]]:
    """Yield what a statement may write, with its probability."""
    match statement:
        case ("bernoulli", _, p):
            yield from ((1, p), (0, 1 - p))
        case ("integers", _, n):
            yield from ((k, Fraction(1, n)) for k in range(n))
        case ("choice", _, weights):
            yield from ((k, Fraction(w, sum(weights))) for k, w in enumerate(weights))
        case ("permutation", _):
            yield from ((order[0], Fraction(1, 6)) for order in permutations(range(3)))
        case ("geometric", _, p, most):
            yield from ((k, p * (1 - p) ** k) for k in range(most))
            yield most, (1 - p) ** most
        case ("add", into, other, constant):
            yield state[into] + state[other] + constant, Fraction(1)
        case ("minimum", into, other):
            yield min(state[into], state[other]), Fraction(1)


def distribution(code: list[Statement], before: Distribution) -> Distribution:
    """Carry a distribution of states through the statements."""
    for statement in code:
        after: Distribution = defaultdict(Fraction)
        match statement:
            case ("if", left, right, constant, yes, no):
                for branch, taken in ((yes, True), (no, False)):
                    part = {
                        state: p
                        for state, p in before.items()
                        if (state[left] < state[right] + constant) == taken
                    }
                    for state, p in distribution(branch, part).items():
                        after[state] += p
            case ("loop", count, body):
                after = before
                for _ in range(count):
                    after = distribution(body, after)
            case _:
                for state, p in before.items():
                    for value, q in draws(statement, state):
                        into = statement[1]
                        after[(*state[:into], value, *state[into + 1 :])] += p * q
        before = after
    return before


class Floats:
    """A source that draws in floats, many at once."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self._left: dict[Any, list[Any]] = defaultdict(list)

    def __getattr__(self, name: str) -> Any:
        kinds: dict[str, Callable[..., Any]] = {
            "laplace": lambda scale: self.rng.laplace(0, scale, BLOCK),
            "exponential": lambda mean: self.rng.exponential(mean, BLOCK),
            "gaussian": lambda sd: self.rng.normal(0, sd, BLOCK),
            "gumbel": lambda scale: self.rng.gumbel(0, scale, BLOCK),
            "uniform": lambda low, high: self.rng.uniform(low, high, BLOCK),
            "discrete_laplace": lambda scale: (
                self.rng.geometric(1 - np.exp(-1 / scale), BLOCK)
                - self.rng.geometric(1 - np.exp(-1 / scale), BLOCK)
            ),
            "bernoulli": lambda p: self.rng.random(BLOCK) < p,
        }
        fill = kinds[name]

        def draw(*given: Any) -> Any:
            left = self._left[name, given]
            if not left:
                left.extend(fill(*map(float, given)).tolist())
            return left.pop()

        return draw


BLOCK = 4096


def compared(code: list[Any], random: Any) -> tuple[bool, ...]:
    """Draw, compare a few of the draws with each other and with numbers, and say what was found."""
    values = []
    for kind, size in code[0]:
        if kind == "uniform":
            values.append(random.uniform(-size, size))
        else:
            values.append(getattr(random, kind)(size))
    found: list[bool] = []
    for left, right, factor, shift in code[1]:
        if right is None:
            found.append(bool(factor * values[left] < shift))
        elif found and found[-1]:
            found.append(bool(factor * values[left] + shift < factor * values[right]))
        else:
            found.append(bool(factor * values[left] < factor * abs(values[right]) + shift))
    return tuple(found)


def random_comparisons(rng: python_random.Random, kinds: list[str]) -> list[Any]:
    count = rng.randint(2, 3 if kinds == ["gaussian"] else 4)
    drawn = [(rng.choice(kinds), Fraction(rng.randint(1, 4), 2)) for _ in range(count)]
    asked: list[Any] = []
    for right in range(1, count):
        left = rng.randrange(right)
        asked.append((left, right, rng.choice([-2, 1, 3]), Fraction(rng.randint(-2, 2), 2)))
    asked.append((rng.randrange(count), None, rng.choice([-1, 2]), Fraction(rng.randint(-2, 2), 2)))
    return [drawn, asked]


UNLIKELY = 1e-9


def agree(law: Mapping[Any, Any], sampled: dict[Any, int], runs: int, text: str = "") -> None:
    """Hold counts to a law: each deviates so far with a probability below ``UNLIKELY``."""
    with precision(64):
        masses = {output: m if isinstance(m, Ball) else m.ball() for output, m in law.items()}
        assert abs(float(sum(masses.values())) - 1) < 1e-12, text
        for output in {*masses, *sampled}:
            p = float(masses[output]) if output in masses else 0.0
            share = sampled.get(output, 0) / runs
            # the probability of a share so far from p is at most e^(−runs·KL(share‖p)) on each side
            assert runs * divergence(share, p) <= math.log(2 / UNLIKELY), (output, p, share, text)


def divergence(q: float, p: float) -> float:
    """Return the Kullback-Leibler divergence of two coins, from below."""
    found = 0.0
    for a, b in ((q, p), (1 - q, 1 - p)):
        if a > 0:
            found += a * math.log(a / b) if b > 0 else math.inf
    return found


def finite(seed: int) -> None:
    """Hold a program of finite draws to the law that enumeration gives."""
    rng = python_random.Random(seed)
    code = statements(rng, 2)
    while ways(code) > 200:
        code = statements(rng, 2)
    start = (0,) * VARIABLES

    def body(random: Any) -> State:
        values: list[Any] = list(start)
        run(code, values, random)
        return tuple(values)

    one = program(**PAIR)(lambda dataset, random: body(random))
    found = {output: mass for output, mass in one.law(0).items() if mass != 0}
    expected = {o: p for o, p in distribution(code, {start: Fraction(1)}).items() if p}
    assert {o: mass.as_fraction() for o, mass in found.items()} == expected


def comparing(seed: int, kinds: list[str], runs: int) -> None:
    """Hold a program that compares continuous draws to draws in floats."""
    code = random_comparisons(python_random.Random(seed), kinds)
    one = program(**PAIR)(lambda dataset, random: compared(code, random))
    source = Floats(seed)
    as_floats = [code[0], [(left, right, by, float(shift)) for left, right, by, shift in code[1]]]
    sampled: dict[Any, int] = defaultdict(int)
    law = one.law(0)
    for _ in range(runs):
        sampled[compared(as_floats, source)] += 1
    agree(law, sampled, runs, str(code))


def one_of(seed: int, runs: int) -> str:
    """Run the program of a seed; its kind."""
    if seed % 3 == 0:  # a third
        make = as_run if seed % 9 == 0 else containers
        return make(seed, agree, runs)
    if seed % 2 == 0:
        finite(seed)
        return "finite"
    if seed % 4 == 1:
        printing(seed)
        return "printing"
    if seed % 20 == 3:
        comparing(seed, ["gaussian"], runs)
        return "gaussian"
    comparing(seed, ["laplace", "exponential", "uniform"], runs)
    return "comparing"


def main(words: list[str]) -> int:
    """Run so many programs, and say what was outside."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.random")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=100_000)
    given = parser.parse_args(words)
    warnings.simplefilter("ignore")  # NumPy warns of some comparisons
    kinds: dict[str, int] = defaultdict(int)
    refusals: dict[str, int] = defaultdict(int)
    outside = []
    began = time.perf_counter()
    for place in range(given.count):
        seed = given.seed * 1_000_000 + place
        try:
            kinds[one_of(seed, given.draws)] += 1
        except LawError as refusal:
            refusals[str(refusal).split(": ", 1)[1][:60]] += 1
        except AssertionError as error:
            outside.append(seed)
            print(f"seed {seed}: {error}", flush=True)
        if place % 10 == 9 or place + 1 == given.count:
            done = f"{place + 1} of {given.count}, {sum(refusals.values())} refused"
            took = f"{time.perf_counter() - began:.0f} s"
            print(f"{done}, {len(outside)} outside, {took}", file=sys.stderr, flush=True)
    for reason, count in sorted(refusals.items(), key=lambda item: -item[1]):
        print(f"{count} refused: {reason}")
    refused = sum(refusals.values())
    held = f"{sum(kinds.values())} as the oracles say ({dict(kinds)})"
    print(f"{held}, {refused} refused, {len(outside)} outside")
    return 1 if outside or refused * 10 > given.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

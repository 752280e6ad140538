"""Random programs that print numbers, held to their densities by quadrature in floats."""

import random as python_random
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.laws.densities import DensityLaw
from dpaudit.laws.parts import Line
from dpaudit.numbers.ball import Ball, precision
from dpaudit.programs.program import program

__all__ = ["printing"]

Drawn = tuple[str, Fraction]


def random_printing(rng: python_random.Random) -> tuple[Drawn, Drawn, list[Any]]:
    """Return two draws, and tests each of which may end the program with an output."""
    kinds = ["laplace", "laplace", "exponential", "uniform"]
    hidden, value = ((rng.choice(kinds), Fraction(rng.randint(1, 4), 2)) for _ in range(2))
    rules = []
    for _ in range(rng.randint(1, 3)):
        test = rng.choice(["value > hidden", "value < hidden", "hidden > c", "value > c"])
        rules.append((test, Fraction(rng.randint(-2, 2), 2), _form(rng)))
    return hidden, value, [*rules, ("always", Fraction(0), _form(rng))]


def _form(rng: python_random.Random) -> str:
    return rng.choice(["value", "value", "gap", "hidden", "none"])


def drawn(random: Any, draw: Drawn) -> Any:
    kind, size = draw
    return random.uniform(-size, size) if kind == "uniform" else getattr(random, kind)(size)


def tested(test: str, c: Any, hidden: Any, value: Any) -> Any:
    match test:
        case "value > hidden":
            return value + c > hidden
        case "value < hidden":
            return value + c < hidden
        case "hidden > c":
            return hidden > c
        case "value > c":
            return value > c
    return True


def printed(code: tuple[Drawn, Drawn, list[Any]], x: int, random: Any) -> Any:
    """Print a number, or None, as the first rule says whose test is passed."""
    hidden = drawn(random, code[0])
    value = x + drawn(random, code[1])
    for test, c, form in code[2]:
        if tested(test, c, hidden, value):
            return {"value": value, "gap": value - hidden, "hidden": hidden, "none": None}[form]
    raise AssertionError(code)


def _density(draw: Drawn, at: Any) -> Any:
    kind, size = draw[0], float(draw[1])
    if kind == "laplace":
        return np.exp(-np.abs(at) / size) / (2 * size)
    if kind == "exponential":
        return np.where(at > 0, np.exp(-np.maximum(at, 0) / size) / size, 0)
    return np.where(np.abs(at) < size, 1 / (2 * size), 0)


GRID = np.linspace(-30, 30, 12_001)[:-1] + 60 / 24_000


def density(code: tuple[Drawn, Drawn, list[Any]], x: int, at: float) -> float:
    """Return the density of the printed number, by the midpoint rule over the draw left."""
    total = 0.0
    for form in ("value", "gap", "hidden"):
        hidden, value = {
            "value": (GRID, np.full_like(GRID, at)),
            "gap": (GRID, at + GRID),
            "hidden": (np.full_like(GRID, at), GRID + x),
        }[form]
        waiting, chosen = np.ones(len(GRID), bool), np.zeros(len(GRID), bool)
        for test, c, given in code[2]:
            passed = waiting & tested(test, float(c), hidden, value)
            chosen |= passed & (given == form)
            waiting &= ~passed
        weights = _density(code[0], hidden) * _density(code[1], value - x)
        total += float(np.sum(weights[chosen])) * (GRID[1] - GRID[0])
    return total


def printing(seed: int) -> None:
    """Hold a program that prints a number to its density, and to the certified largest loss."""
    code = random_printing(python_random.Random(seed))
    one = program(datasets=[0, 1], neighbours="all")(lambda x, random: printed(code, x, random))
    points = [k / 8 + 0.03 for k in range(-48, 48)]
    with precision(80):
        laws = [one.laws().law(x) for x in (0, 1)]
        expected = [[density(code, x, at) for at in points] for x in (0, 1)]
        for law, values in zip(laws, expected, strict=True):
            found = np.zeros(len(points))
            if isinstance(law, DensityLaw):
                for terms in law.terms.values():
                    for term in terms:
                        found += [_at(term, at) for at in points]
            # A jump within one step of the grid is worth at most a step of the density.
            assert np.max(np.abs(found - np.array(values))) < 0.02, (seed, code)
            assert np.mean(np.abs(found - np.array(values))) < 0.002, (seed, code)
        for p, q in ((0, 1), (1, 0)):
            loss = laws[p].divergence_from(laws[q]).max_loss(forward=True)
            if not loss.infinite:
                ratios = [
                    np.log(a / b) - 0.02 / a
                    for a, b in zip(expected[p], expected[q], strict=True)
                    if a > 0.04 and b > 0.04
                ]
                assert max(ratios, default=-1) <= float(loss.ball) + 0.5, (seed, code)


def _at(term: Any, at: float) -> float:
    (part,) = term.parts
    assert isinstance(part, Line)
    weight = term.weight if isinstance(term.weight, Ball) else term.weight.ball()
    return float(weight * part.function.at(Fraction(at)).ball(part.rate))

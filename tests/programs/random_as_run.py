"""Random programs that draw from Python's and NumPy's own modules, held to what they do.

The text of a program is made by a grammar, and is run by the explorer with the modules themselves,
by the oracle with stand-ins that give out chosen draws.  Where a program has one uniform at most,
the oracle looks at every draw of whole numbers, runs the program at points of a grid of the 2⁵³
uniforms, and seeks by halving where what it gives out changes.  What changes and changes back
between two points it does not see, so that masses are equal to 2⁻⁴⁴.  All programs are run for
real, with real generators.
"""

import math
import random as python_random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

import numpy as np

from dpaudit.numbers.ball import Ball
from dpaudit.programs.program import program
from tests.programs.random_containers import drawn_for_real, plain

__all__ = ["as_run"]

UNIFORMS = 2**53
GRID = 600
FINE = Fraction(1, 2**44)

FLOATS = (
    "random.random()",
    "random.random() * 3",
    "1 - random.random()",
    "random.uniform(-1, 2)",
    "random.uniform(0.1, 0.7)",
    "np.random.random()",
    "np.random.rand()",
    "np.random.uniform(-1, 3)",
    "np.random.default_rng().random()",
    "float(np.random.random(1)[0])",
)
WHOLES = (
    "random.randrange({0})",
    "random.randint(0, {0} - 1)",
    "random.choice(range({0}))",
    "random.sample(range({0}), {0})[0]",
    "np.random.randint({0})",
    "np.random.randint(0, {0}, 1)[0]",
    "np.random.default_rng().integers({0})",
)
CONSTANTS = ("0.5", "0.1", "1/3", "2", "3", "0.3", "1.5", "-1", "0.7", "1e-3", "10", "0.25")
OF_FLOATS = (
    *("({0} + {1})", "({0} - {2})", "({0} * {2})", "({0} / 3)", "({0} / -1.1)", "abs({0})"),
    *("min({0}, {1})", "max({0}, {2})", "math.sqrt(abs({0}))", "math.exp({0})", "(-{0})"),
    *("math.log(1 + abs({0}))", "np.exp({0})", "np.minimum({0}, {2})", "np.maximum({0}, {1})"),
)
TO_WHOLES = (
    *("int({0})", "math.floor({0})", "math.ceil({0} * 2)", "round({0})", "int({0} // 0.3)"),
    *("int({0} * 4)", "round({0} * 3)", "int({0} % 1 < 0.5)", "int(np.floor({0} * 2))"),
)
OF_WHOLES = (
    *("({0} + {1})", "({0} - {1})", "({0} * {2})", "({0} % 3)", "({0} % -2)", "({0} // 2)"),
    *("({0} // -3)", "({0} & 3)", "({0} ^ 1)", "({0} | 2)", "min({0}, {1})", "max({0}, {1})"),
    *("abs({0} - {1})", "divmod({0}, 3)[1]", "int({0})", "(0, 1, 2)[{0} % 3]", "({0} >> 1)"),
)


@dataclass
class Grammar:
    """Makes the text of a program from random choices."""

    rng: python_random.Random
    lines: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    wholes: dict[str, int] = field(default_factory=dict)
    """How many values each drawn whole number has."""

    def text(self) -> str:
        """Return the text of a function ``body(dataset)`` that gives out whole numbers."""
        for place in range(self.rng.choice([0, 1, 1, 1, 2])):
            self.floats.append(f"x{place}")
            self.lines.append(f"x{place} = {self.rng.choice(FLOATS)}")
        for place in range(self.rng.choice([0, 1, 1, 2]) if self.floats else 2):
            most = self.rng.choice([2, 3, 4, 10**6 if place else 4])
            kinds = [one for one in WHOLES if most < 10 or "sample" not in one]
            self.wholes[f"i{place}"] = most
            self.lines.append(f"i{place} = {self.rng.choice(kinds).format(most)}")
        self._block("", 2)
        lines = ["out = []", *self.lines, "return tuple(int(one) for one in out)"]
        return "def body(dataset):\n" + "\n".join(f"    {line}" for line in lines)

    def _block(self, margin: str, depth: int) -> None:
        for _ in range(self.rng.randint(1, 2)):
            match self.rng.randrange(5):
                case 0 | 1:
                    given = self._whole(2)
                case 2:
                    given = f"bool({self._test()})"
                case 3 if depth:
                    self.lines.append(f"{margin}if {self._test()}:")
                    self._block(margin + "    ", depth - 1)
                    self.lines.append(f"{margin}else:")
                    self._block(margin + "    ", depth - 1)
                    continue
                case _:
                    given = f"{self._whole(1)} if {self._test()} else {self._whole(1)}"
            self.lines.append(f"{margin}out.append({given})")

    def _float(self, depth: int) -> str:
        if not depth or self.rng.random() < 0.2:
            return self.rng.choice([*self.floats, *self.floats, self.rng.choice(CONSTANTS)])
        parts = self._float(depth - 1), self._float(depth - 1), self.rng.choice(CONSTANTS)
        return self.rng.choice(OF_FLOATS).format(*parts)

    def _whole(self, depth: int) -> str:
        if not depth:
            return self.rng.choice([*self.wholes, *self.wholes, str(self.rng.randint(-2, 3))])
        if self.floats and self.rng.random() < 0.3:
            return self.rng.choice(TO_WHOLES).format(self._float(2))
        parts = self._whole(depth - 1), self._whole(depth - 1), self.rng.randint(-2, 3)
        return self.rng.choice(OF_WHOLES).format(*parts)

    def _test(self) -> str:
        order = self.rng.choice(["<", "<=", ">", ">="])
        kind = self.rng.randrange(6 if self.floats else 3)
        if kind == 0:
            return f"{self._whole(1)} in ({self.rng.randint(0, 2)}, {self.rng.randint(0, 3)})"
        if kind <= 2:
            return f"{self._whole(1)} {self.rng.choice([order, '==', '!='])} {self._whole(1)}"
        if kind == 3:
            return f"{self.rng.choice(CONSTANTS)} {order} {self._float(1)} {order} {self._float(1)}"
        if kind == 4:
            return f"int({self._float(1)}) {order} {self._whole(1)}"
        return f"{self._float(2)} {order} {self._float(2)}"


class Given:
    """Stands for ``random``, ``numpy.random`` and a Generator of it, with draws that are given."""

    def __init__(self, uniforms: list[float], wholes: list[int]) -> None:
        self._uniforms, self._wholes = iter(uniforms), iter(wholes)

    def random(self, size: int | None = None) -> Any:
        drawn = next(self._uniforms)
        return drawn if size is None else np.array([drawn])

    rand = random

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * next(self._uniforms)

    def randrange(self, most: int) -> int:
        return next(self._wholes)

    integers = randrange

    def randint(self, low: int, high: int = 0, size: int | None = None) -> Any:
        drawn = next(self._wholes)
        return drawn if size is None else np.array([drawn])

    def choice(self, values: range) -> int:
        return values[next(self._wholes)]

    def sample(self, values: range, count: int) -> list[int]:
        return [values[next(self._wholes)]]

    def default_rng(self) -> "Given":
        return self


def _compiled(text: str, random: Any, numpy: Any) -> Callable[[Any], Any]:
    names: dict[str, Any] = {"random": random, "np": numpy, "math": math, "__name__": "generated"}
    exec(compile(text, "<generated>", "exec"), names)
    body: Callable[[Any], Any] = names["body"]
    return body


def _given_out(text: str, uniforms: list[float], wholes: list[int]) -> Any:
    given = Given(uniforms, wholes)
    numpy = SimpleNamespace(**{name: getattr(np, name) for name in ("exp", "minimum", "maximum")})
    numpy.floor, numpy.random = np.floor, given
    return _compiled(text, given, numpy)(0)


def _pieces(at: Callable[[int], Any], low: int, high: int) -> Iterator[int]:
    """Yield where what is given out at the uniforms from ``low`` to ``high`` changes."""
    if at(low) == at(high):
        return
    if high - low == 1:
        yield high
        return
    middle = (low + high) // 2
    yield from _pieces(at, low, middle)
    yield from _pieces(at, middle, high)


def _law(text: str, code: Grammar) -> dict[Any, Fraction]:
    """Return the law of a program that draws one uniform at most."""
    found: dict[Any, Fraction] = defaultdict(Fraction)
    share = Fraction(1, math.prod(code.wholes.values()))
    for wholes in product(*(range(most) for most in code.wholes.values())):
        seen: dict[int, Any] = {}

        def at(k: int, wholes: tuple[int, ...] = wholes, seen: dict[int, Any] = seen) -> Any:
            if k not in seen:
                seen[k] = _given_out(text, [k / UNIFORMS] * len(code.floats), list(wholes))
            return seen[k]

        if not code.floats:
            found[at(0)] += share
            continue
        grid = [(UNIFORMS - 1) * step // GRID for step in range(GRID + 1)]
        starts = [0, *(place for low, high in pairwise(grid) for place in _pieces(at, low, high))]
        for start, end in pairwise([*starts, UNIFORMS]):
            found[at(start)] += share * Fraction(end - start, UNIFORMS)
    return found


def as_run(seed: int, agree: Callable[..., None], runs: int) -> str:
    """Hold the program of a seed to what it gives out; ``agree`` compares a law with real draws."""
    rng = python_random.Random(seed)
    code = Grammar(rng)
    text = code.text()
    body = _compiled(text, python_random, np)
    law = program(datasets=[0, 1], neighbours="all", as_run=True)(body).law(0)
    if len(code.floats) <= 1 and max(code.wholes.values(), default=0) <= 4:
        masses = {output: mass.as_fraction() for output, mass in law.items()}
        assert not any(isinstance(mass, Ball) for mass in law.values()), text
        assert sum(masses.values()) == 1, text
        for output, mass in _law(text, code).items():
            assert abs(masses.pop(output, 0) - mass) <= FINE, (text, output)
        assert all(mass <= FINE for mass in masses.values()), (text, masses)
    listed = {plain(output): mass for output, mass in law.items()}
    agree(listed, drawn_for_real(body, runs), runs, text)
    return "as run"

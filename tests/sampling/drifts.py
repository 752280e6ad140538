"""Samplers whose law drifts: by the place in a call, its size, calls so far, or the process.

Outputs 0, …, k − 1 have a law P, and one at a distance ``far`` where the drift is whole; between
them the laws are mixed.  What is printed for an output is another matter: numbers, texts, tuples.
"""

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit import finite_mechanism, sampler

__all__ = ["BY", "KINDS", "Case", "by_process", "cases", "process_law"]

Floats = NDArray[Any]
Drifting = Callable[[Floats, int, int], Floats]
"""How much of the drift there is: by the place in a call, its size, and calls so far."""

BY: dict[str, Drifting] = {
    "place: from one end to the other": lambda at, size, calls: 1 - 2 * at / max(size - 1, 1),
    "place: the last half": lambda at, size, calls: 1.0 * (2 * at >= size) * (size > 1),
    "place: the last third": lambda at, size, calls: 1.0 * (3 * at >= 2 * size),
    "place: after the first 500": lambda at, size, calls: 1.0 * (at >= 500),
    "place: the first 50": lambda at, size, calls: 1.0 * (at < 50),
    "place: every second": lambda at, size, calls: 1 - 2.0 * (at % 2) * (size > 1),
    "size: single calls": lambda at, size, calls: np.full(size, 1.0 * (size == 1)),
    "size: all but single calls": lambda at, size, calls: np.full(size, 1.0 * (size > 1)),
    "size: calls of more than 100": lambda at, size, calls: np.full(size, 1.0 * (size > 100)),
    "size: calls of 500 or less": lambda at, size, calls: np.full(size, 1.0 * (size <= 500)),
    "calls: every second": lambda at, size, calls: np.full(size, 1.0 - 2 * (calls % 2)),
    "calls: every fourth": lambda at, size, calls: np.full(size, 1.0 * (calls % 4 == 0)),
    "calls: after so many": lambda at, size, calls: np.full(size, 1.0 * (calls > 45_000)),
    "calls: up to so many": lambda at, size, calls: np.full(size, 1.0 * (calls < 45_000)),
    "calls: little by little": lambda at, size, calls: np.full(size, 1 - calls / 38_000),
}
"""Drifts, whole where 1, and as far in the other direction where −1."""

KINDS: dict[str, Callable[[int], Any]] = {
    "whole numbers": int,
    "texts": lambda output: f"answer {output}",
    "pairs": lambda output: (output // 2, output % 2),
    "truth values": bool,
}


@dataclass(frozen=True)
class Case:
    """A drifting sampler."""

    by: str
    kind: str
    law: tuple[Fraction, ...]
    far: Fraction
    alone: bool
    """Whether each call gives one output."""

    def __str__(self) -> str:
        form = "one by one" if self.alone else "together"
        return f"{self.by}; {len(self.law)} {self.kind}, {form}, {float(self.far):.3f}"

    def sampler(self, *, drifts: bool = True) -> Any:
        """The sampler, which has counted no calls; the honest one of the same kind without."""
        shape, calls = BY[self.by], [0]
        base = np.array([float(part) for part in self.law])
        half = len(base) // 2
        signs: Floats = np.where(np.arange(len(base)) < half, 1 / half, -1 / (len(base) - half))
        plain, other, against = (
            np.cumsum(base + way * float(self.far) * signs)[:-1] for way in (0, 1, -1)
        )
        printed = [KINDS[self.kind](output) for output in range(len(base))]

        def draw(size: int, rng: Any) -> Any:
            chance = rng.random(size)
            found = np.searchsorted(plain, chance)
            if drifts:
                much = shape(np.arange(size), size, calls[0])
                mixed = rng.random(size) < np.abs(much)
                moved = np.where(
                    much > 0, np.searchsorted(other, chance), np.searchsorted(against, chance)
                )
                found = np.where(mixed, moved, found)
            calls[0] += 1
            return found

        def together(x: Any, size: Any, rng: Any) -> Any:
            found = draw(size, rng)
            return found if self.kind == "whole numbers" else [printed[output] for output in found]

        def alone(x: Any, rng: Any) -> Any:
            return printed[int(draw(1, rng)[0])]

        form = alone if self.alone else together
        return sampler(datasets=[0, 1], neighbours="all", budget=1, name="drifts")(form)

    def held(self) -> Any:
        """The law that its draws are compared with."""
        law = {KINDS[self.kind](output): part for output, part in enumerate(self.law)}
        return finite_mechanism(datasets=[0, 1], neighbours="all", budget=1, name="law")(
            lambda x: law
        )


def cases(seed: int, count: int) -> Iterator[Case]:
    """Drifting samplers, every way and kind in turn, their laws and distances by chance."""
    draw = random.Random(seed)
    for index in range(count):
        by = list(BY)[index % len(BY)]
        kind = list(KINDS)[index % len(KINDS)]
        outputs = 2 if kind == "truth values" else draw.choice((2, 2, 3, 5))
        weights = [draw.randint(2, 5) for _ in range(outputs)]
        law = tuple(Fraction(weight, sum(weights)) for weight in weights)
        far = Fraction(20 + (draw.randrange(20) if index >= len(BY) else 0), 1000)
        yield Case(by, kind, law, far, alone=by.startswith("calls") and index % 2 == 0)


@sampler(datasets=[0, 1], neighbours="all", budget=1)
def by_process(x: Any, size: Any, rng: Any) -> Any:
    """Some processes have another law than others, whatever their numbers are."""
    return rng.random(size) < (0.77 if _place_of_this() % 2 else 0.75)


def _place_of_this() -> int:
    """Which of the processes that one server forks this one is; 0 for one that none forked."""
    parent = os.getppid()
    try:
        with open(f"/proc/{parent}/task/{parent}/children") as listed:
            return sorted(map(int, listed.read().split())).index(os.getpid())
    except (OSError, ValueError):
        return 0


@finite_mechanism(datasets=[0, 1], neighbours="all", budget=1)
def process_law(x: Any) -> Any:
    return {True: "3/4", False: "1/4"}

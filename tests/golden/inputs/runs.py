"""Code that draws from Python's own random module."""

import random as python_random
from typing import Any

from dpaudit import program


class Client:
    """A client that keeps its value with probability p, and gives any of three otherwise."""

    def __init__(self, p: float) -> None:
        self.p = p

    def privatise(self, value: int) -> int:
        """Return the value, or another."""
        return value if python_random.random() < self.p else python_random.randrange(3)


@program(datasets=[0, 1], neighbours="all", budget="ln(7/3)")
def respond(bit: int, random: Any, p: float = 0.7) -> int:
    """Randomised response, from whatever has a function random."""
    return bit ^ int(random.random() >= p)
